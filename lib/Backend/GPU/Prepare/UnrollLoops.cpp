// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Prepare/UnrollLoops.h"
#include "mlir/IR/IRMapping.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

/// Steps become ops: as many as a graph may well have. Kernels of equal steps are one.
static constexpr int64_t kMaxSteps = 256;

/// The slice of each tensor at `step` along dimension 0.
static void appendSlices(OpBuilder &builder, Location loc, ValueRange tensors, int64_t step,
                         SmallVectorImpl<Value> &arguments) {
  for (Value tensor : tensors)
    arguments.push_back(
        SelectOp::create(builder, loc, tensor, builder.getI64IntegerAttr(0), builder.getI64IntegerAttr(step)));
}

/// What the body yields for these arguments.
static SmallVector<Value> inlineBody(OpBuilder &builder, Region &body, ValueRange arguments) {
  mlir::IRMapping mapping;
  mapping.map(body.front().getArguments(), arguments);
  for (Operation &op : body.front().without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(body.front().getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// The values one above the other, as a result of this type.
static Value stackSteps(OpBuilder &builder, Location loc, ArrayRef<Value> values, Type type) {
  if (values.empty())
    return FullOp::create(builder, loc, cast<RankedTensorType>(type), 0.0);
  return StackOp::create(builder, loc, values, builder.getI64IntegerAttr(0));
}

/// `carried` go from step to step; what the body yields behind them is stacked.
static void unroll(mlir::IRRewriter &rewriter, Operation *op, Region &body, ValueRange carried, ValueRange sliced,
                   ValueRange additional) {
  int64_t steps = cast<RankedTensorType>(sliced.front().getType()).getDimSize(0);
  // Bodies may say less of extents than the operands do.
  bool isStatic =
      !body.walk([](Operation *nested) {
             auto knows = [](Type type) {
               auto tensor = dyn_cast<RankedTensorType>(type);
               return tensor && tensor.hasStaticShape();
             };
             bool all = llvm::all_of(nested->getResultTypes(), knows) && llvm::all_of(nested->getOperandTypes(), knows);
             return all ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
           })
           .wasInterrupted();
  if (!isStatic || ShapedType::isDynamic(steps) || steps > kMaxSteps)
    return;
  rewriter.setInsertionPoint(op);
  Location loc = op->getLoc();
  SmallVector<Value> state(carried);
  SmallVector<SmallVector<Value>> yielded(op->getNumResults() - carried.size());
  for (int64_t step = 0; step < steps; ++step) {
    SmallVector<Value> arguments = state;
    appendSlices(rewriter, loc, sliced, step, arguments);
    llvm::append_range(arguments, additional);
    SmallVector<Value> values = inlineBody(rewriter, body, arguments);
    state.assign(values.begin(), values.begin() + carried.size());
    for (auto [list, value] : llvm::zip_equal(yielded, ArrayRef(values).drop_front(carried.size())))
      list.push_back(value);
  }
  SmallVector<Value> results = state;
  for (auto [list, result] : llvm::zip_equal(yielded, op->getResults().drop_front(carried.size())))
    results.push_back(stackSteps(rewriter, loc, list, result.getType()));
  rewriter.replaceOp(op, results);
}

void fxgraph::gpu::unrollLoops(mlir::IRRewriter &rewriter, Block &block) {
  // Loops in the body of an unrolled one stand before what was behind it.
  for (auto it = block.begin(); it != block.end();) {
    Operation *op = &*it;
    Operation *before = op->getPrevNode();
    if (auto map = dyn_cast<MapOp>(op))
      unroll(rewriter, op, map.getBody(), {}, map.getMapped(), map.getAdditional());
    else if (auto scan = dyn_cast<ScanOp>(op))
      unroll(rewriter, op, scan.getBody(), scan.getCarried(), scan.getScanned(), scan.getAdditional());
    Block::iterator here = before ? std::next(before->getIterator()) : block.begin();
    it = here != block.end() && &*here == op ? std::next(here) : here;
  }
}
