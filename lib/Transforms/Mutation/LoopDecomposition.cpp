// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//   c', ys = scan (c) over (xs) additional (e) { f }
//
// becomes, with zeros for ys0 and n steps,
//
//   _, c', ys = while_loop (0, c, ys0) additional (xs, e) cond { i < n } do {
//     c1, y = f(c, xs[i], e); yield i + 1, c1, ys with y at i
//   }
//
// PyTorch: torch/_inductor/fx_passes/post_grad.py (decompose_scan_to_while_loop,
// decompose_map_to_while_loop).

#include "LoopDecomposition.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace fxgraph;

static constexpr StringRef kHint = "; no loop over slices may be left";

/// The operand and dimension that have the extent; null if none has.
static std::pair<Value, int64_t> findExtent(Operation *op, const Dim &extent) {
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
      for (auto [i, dim] : llvm::enumerate(getDims(type)))
        if (dim.provablyEquals(extent))
          return {operand, i};
  return {};
}

/// Zeros of a stacked result's type; null with an error if its extents are not known.
static Value createBuffer(mlir::ImplicitLocOpBuilder &b, const SliceLoop &loop, RankedTensorType type) {
  SmallVector<Value> sizes;
  for (auto [i, dim] : llvm::enumerate(getDims(type))) {
    if (dim.isStatic())
      continue;
    auto [source, position] = i == 0 ? std::pair<Value, int64_t>(loop.sliced.front(), 0) : findExtent(loop.op, dim);
    if (!source) {
      loop.op->emitOpError() << "expected the extents of stacked results to be static or those of operands but got "
                             << type << kHint;
      return {};
    }
    sizes.push_back(SymSizeOp::create(b, b.getIndexType(), source, b.getI64IntegerAttr(position)));
  }
  return FullOp::create(b, type, sizes, b.getF64FloatAttr(0.0));
}

LogicalResult fxgraph::decomposeToWhileLoop(RewriteSession &session, const RewriteKind &kind, const SliceLoop &loop) {
  Operation *op = loop.op;
  mlir::IRRewriter &rewriter = session.getRewriter();
  size_t numCarried = loop.carried.size();
  auto first = cast<RankedTensorType>(loop.sliced.front().getType());
  StringAttr device = getDevice(first);
  for (Type type : llvm::concat<const Type>(TypeRange(loop.sliced), TypeRange(op->getResults().drop_front(numCarried))))
    if (getDevice(cast<RankedTensorType>(type)) != device)
      return op->emitOpError() << "expected one device but got " << first << " and " << type << kHint;

  rewriter.setInsertionPoint(op);
  mlir::ImplicitLocOpBuilder b(op->getLoc(), rewriter);
  SmallVector<Value> buffers;
  for (Type type : op->getResults().drop_front(numCarried).getTypes()) {
    Value buffer = createBuffer(b, loop, cast<RankedTensorType>(type));
    if (!buffer)
      return failure();
    buffers.push_back(buffer);
  }

  RankedTensorType number = makeTensorType({}, b.getI64Type(), device);
  auto constant = [&](OpBuilder &at, int64_t value) -> Value {
    return ConstantOp::create(at, op->getLoc(), DenseElementsAttr::get(number, ArrayRef<int64_t>(value)));
  };
  SmallVector<Value> carried{constant(b, 0)}, additional(loop.sliced);
  llvm::append_range(carried, loop.carried);
  llvm::append_range(carried, buffers);
  llvm::append_range(additional, loop.additional);
  Dim steps = getDims(first)[0];
  for (Value sliced : loop.sliced)
    if (Dim own = getDims(cast<RankedTensorType>(sliced.getType()))[0]; own.isStatic())
      steps = own;
  if (!steps.isStatic()) {
    // As many ones: there is no op from sizes to tensors.
    Value size = SymSizeOp::create(b, b.getIndexType(), loop.sliced.front(), b.getI64IntegerAttr(0));
    Value ones = FullOp::create(b, makeTensorType({steps}, b.getI64Type(), device), size, b.getF64FloatAttr(1.0));
    additional.push_back(SumOp::create(b, ones, b.getDenseI64ArrayAttr({0}), b.getBoolAttr(false)));
  }

  SmallVector<Type> types = llvm::to_vector(ValueRange(carried).getTypes()), arguments = types;
  llvm::append_range(arguments, ValueRange(additional).getTypes());
  SmallVector<Location> locations(arguments.size(), op->getLoc());
  // The results' own types may say more than those of the first values.
  for (size_t i = 0; i < op->getNumResults(); ++i)
    types[1 + i] = op->getResult(i).getType();
  auto whileLoop = WhileLoopOp::create(b, types, carried, additional);

  Block *condition = b.createBlock(&whileLoop.getCondition(), {}, arguments, locations);
  Value limit = steps.isStatic() ? constant(b, steps.getExtent()) : condition->getArguments().back();
  Value goesOn = LtOp::create(b, condition->getArgument(0), limit);
  YieldOp::create(b, goesOn);

  Block *body = b.createBlock(&whileLoop.getBody(), {}, arguments, locations);
  Value step = body->getArgument(0);
  auto take = [&, next = size_t(1)](size_t count) mutable {
    ValueRange taken = ValueRange(body->getArguments()).slice(next, count);
    next += count;
    return taken;
  };
  SmallVector<Value> inner(take(numCarried));
  ValueRange filled = take(buffers.size());
  for (Value sliced : take(loop.sliced.size()))
    inner.push_back(IndexOp::create(b, sliced, step, b.getDenseI64ArrayAttr({0})));
  llvm::append_range(inner, take(loop.additional.size()));
  mlir::IRMapping mapping;
  mapping.map(ValueRange(loop.body->getArguments()), ValueRange(inner));
  // Cloned, not moved: the loop is compared with what replaces it.
  for (Operation &nested : loop.body->without_terminator())
    b.clone(nested, mapping);
  SmallVector<Value> yielded{AddOp::create(b, step, constant(b, 1), b.getF64FloatAttr(1.0))};
  auto results = llvm::map_to_vector(loop.body->getTerminator()->getOperands(),
                                     [&](Value value) { return mapping.lookupOrDefault(value); });
  llvm::append_range(yielded, ArrayRef<Value>(results).take_front(numCarried));
  for (auto [buffer, slice] : llvm::zip_equal(filled, ArrayRef<Value>(results).drop_front(numCarried)))
    yielded.push_back(IndexPutOp::create(b, buffer, step, slice, b.getDenseI64ArrayAttr({0}), b.getBoolAttr(false)));
  YieldOp::create(b, yielded);

  session.begin(kind);
  Location loc = op->getLoc();
  rewriter.replaceOp(op, whileLoop.getResults().drop_front());
  session.applied(loc, Twine(steps.str()) + " steps");
  return success();
}
