// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops with regions become scf ops without results: what crosses a region's boundary does
// so through a buffer, one for each result. A loop that carries tensors as values would
// need a buffer a step, or a proof that it does not; here a stacked result is filled
// slice by slice, and a carried value is overwritten, where that is known to be right
// from the start (docs/Rationale/Lowering.md).
//
// Two steps: the patterns convert the types and leave the ops; when everything else is
// converted the ops are expanded, inner ones first.

#include "ControlFlow.h"
#include "LoweringUtils.h"
#include "PopulatePatterns.h"
#include "fxgraph/Conversion/FxGraphToLinalg.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace fxgraph;
using namespace fxgraph::lowering;

/// On an op with regions: for each result, (operand, dimension) of each dynamic extent.
static constexpr llvm::StringLiteral kExtentsAttr = "fxgraph.extents";

//===----------------------------------------------------------------------===//
// Before: what only the types of the dialect tell
//===----------------------------------------------------------------------===//

LogicalResult lowering::prepareControlFlow(Operation *op) {
  if (!isa<CondOp, MapOp, ScanOp>(op))
    return success();
  mlir::Builder b(op->getContext());
  SmallVector<Attribute> extents;
  for (Type type : op->getResultTypes()) {
    auto result = dyn_cast<RankedTensorType>(type);
    if (!result)
      return op->emitOpError() << "expected results that are tensors but got " << type;
    SmallVector<int64_t> found;
    for (const Dim &extent : getDims(result)) {
      if (extent.isStatic())
        continue;
      bool isFound = false;
      for (OpOperand &operand : op->getOpOperands()) {
        auto source = dyn_cast<RankedTensorType>(operand.get().getType());
        if (!source || isFound)
          continue;
        for (auto [dim, known] : llvm::enumerate(getDims(source)))
          if (!isFound && known.provablyEquals(extent)) {
            found.append({operand.getOperandNumber(), static_cast<int64_t>(dim)});
            isFound = true;
          }
      }
      if (!isFound)
        return op->emitOpError() << "expected the extents of results to be static or those of operands but got "
                                 << result;
    }
    extents.push_back(b.getDenseI64ArrayAttr(found));
  }
  op->setDiscardableAttr(kExtentsAttr, b.getArrayAttr(extents));
  return success();
}

namespace {

/// The same op on converted types.
template <typename OpTy>
struct TypesConversion : public OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const mlir::TypeConverter &converter = *this->getTypeConverter();
    SmallVector<Type> results;
    if (failed(converter.convertTypes(op->getResultTypes(), results)))
      return failure();
    mlir::OperationState state(op.getLoc(), op->getName(), adaptor.getOperands(), results);
    state.propertiesAttr = op->getPropertiesAsAttribute();
    state.attributes.append(op->getDiscardableAttrs());
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      state.addRegion();
    Operation *converted = rewriter.create(state);
    for (auto [from, to] : llvm::zip_equal(op->getRegions(), converted->getRegions())) {
      rewriter.inlineRegionBefore(from, to, to.end());
      if (failed(rewriter.convertRegionTypes(&to, converter)))
        return failure();
    }
    rewriter.replaceOp(op, converted->getResults());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// After: scf
//===----------------------------------------------------------------------===//

class Expansion {
public:
  explicit Expansion(Operation *op) : op(op), b(op), loc(op->getLoc()) {}

  void expand(CondOp cond) {
    SmallVector<Value> buffers;
    for (mlir::OpResult result : op->getResults())
      buffers.push_back(allocate(result, getResultSizes(result.getResultNumber())));
    auto branch = mlir::scf::IfOp::create(b, loc, isTrue(b, cond.getPredicate()), /*withElseRegion=*/true);
    branch->setDiscardableAttr(kControlFlowAttr, b.getUnitAttr());
    for (auto [block, region] : llvm::zip_equal(branch->getRegions(), op->getRegions())) {
      OpBuilder inside = OpBuilder::atBlockBegin(&block.front());
      for (auto [value, buffer] : llvm::zip_equal(inlineBody(inside, region, cond.getOperands_()), buffers))
        write(inside, value, buffer);
    }
    finish(buffers);
  }

  void expand(WhileLoopOp loop) {
    Carried carried = makeCarried(loop.getCarried());
    auto body = mlir::scf::WhileOp::create(b, loc, TypeRange(), ValueRange());
    body->setDiscardableAttr(kControlFlowAttr, b.getUnitAttr());
    OpBuilder before = OpBuilder::atBlockBegin(b.createBlock(&body.getBefore()));
    SmallVector<Value> arguments = read(before, carried);
    llvm::append_range(arguments, loop.getAdditional());
    Value condition = inlineBody(before, loop.getCondition(), arguments).front();
    mlir::scf::ConditionOp::create(before, loc, isTrue(before, condition), ValueRange());
    OpBuilder after = OpBuilder::atBlockBegin(b.createBlock(&body.getAfter()));
    arguments = read(after, carried);
    llvm::append_range(arguments, loop.getAdditional());
    update(after, inlineBody(after, loop.getBody(), arguments), carried);
    mlir::scf::YieldOp::create(after, loc);
    finish(carried.buffers);
  }

  void expand(MapOp map) { expandSlices({}, map.getMapped(), map.getAdditional()); }
  void expand(ScanOp scan) { expandSlices(scan.getCarried(), scan.getScanned(), scan.getAdditional()); }

private:
  struct Carried {
    SmallVector<Value> buffers;
    /// The first values, which have the extents of all.
    SmallVector<Value> initial;
  };

  void expandSlices(ValueRange initial, ValueRange sliced, ValueRange additional) {
    OpFoldResult steps = getSize(b, loc, sliced.front(), 0);
    for (Value tensor : sliced.drop_front()) {
      OpFoldResult own = getSize(b, loc, tensor, 0);
      assertEqualSizes(b, loc, steps, own, "expected one leading extent");
      if (constantSize(own))
        steps = own;
    }
    Carried carried = makeCarried(initial);
    SmallVector<Value> stacked;
    for (mlir::OpResult result : op->getResults().drop_front(initial.size())) {
      Sizes sizes = getResultSizes(result.getResultNumber());
      sizes[0] = steps;
      stacked.push_back(allocate(result, sizes));
    }
    Value zero = mlir::arith::ConstantIndexOp::create(b, loc, 0), one = mlir::arith::ConstantIndexOp::create(b, loc, 1);
    auto loop = mlir::scf::ForOp::create(b, loc, zero, toIndexValue(b, loc, steps), one);
    loop->setDiscardableAttr(kControlFlowAttr, b.getUnitAttr());
    OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
    SmallVector<Value> arguments = read(inside, carried);
    for (Value tensor : sliced)
      arguments.push_back(
          dropDims(inside, loc, sliceDim(inside, loc, tensor, 0, loop.getInductionVar(), inside.getIndexAttr(1)), {0}));
    llvm::append_range(arguments, additional);
    SmallVector<Value> yielded = inlineBody(inside, op->getRegion(0), arguments);
    for (auto [value, buffer] : llvm::zip_equal(ArrayRef<Value>(yielded).drop_front(initial.size()), stacked))
      writeSlice(inside, value, buffer, loop.getInductionVar());
    update(inside, ArrayRef<Value>(yielded).take_front(initial.size()), carried);
    SmallVector<Value> buffers = carried.buffers;
    llvm::append_range(buffers, stacked);
    finish(buffers);
  }

  //===--------------------------------------------------------------------===//
  // Values in buffers
  //===--------------------------------------------------------------------===//

  Sizes getResultSizes(unsigned number) {
    auto type = cast<RankedTensorType>(op->getResult(number).getType());
    auto known = cast<DenseI64ArrayAttr>(op->getAttrOfType<mlir::ArrayAttr>(kExtentsAttr)[number]).asArrayRef();
    Sizes sizes;
    for (int64_t extent : type.getShape()) {
      if (!ShapedType::isDynamic(extent)) {
        sizes.push_back(b.getIndexAttr(extent));
        continue;
      }
      sizes.push_back(getSize(b, loc, op->getOperand(known[0]), known[1]));
      known = known.drop_front(2);
    }
    return sizes;
  }

  Value allocate(Value like, ArrayRef<OpFoldResult> sizes) {
    auto type = cast<RankedTensorType>(like.getType());
    SmallVector<Value> dynamic;
    SmallVector<int64_t> shape;
    mlir::dispatchIndexOpFoldResults(sizes, dynamic, shape);
    return mlir::memref::AllocOp::create(b, loc, mlir::MemRefType::get(shape, type.getElementType()), dynamic,
                                         b.getI64IntegerAttr(64));
  }

  void write(OpBuilder &at, Value tensor, Value buffer) {
    auto type = cast<mlir::MemRefType>(buffer.getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      assertEqualSizes(at, loc, getSize(at, loc, tensor, dim), getBufferSize(at, buffer, dim),
                       "expected a region to yield the extents of its op's result");
    mlir::bufferization::MaterializeInDestinationOp::create(
        at, loc, TypeRange(), castTo(at, loc, tensor, RankedTensorType::get(type.getShape(), type.getElementType())),
        buffer, /*restrict=*/true, /*writable=*/true);
  }

  void writeSlice(OpBuilder &at, Value tensor, Value buffer, Value step) {
    auto type = cast<mlir::MemRefType>(buffer.getType());
    int64_t rank = type.getRank();
    Sizes offsets(rank, at.getIndexAttr(0)), sizes{at.getIndexAttr(1)}, ones(rank, at.getIndexAttr(1));
    offsets[0] = step;
    for (int64_t dim = 1; dim < rank; ++dim) {
      OpFoldResult size = getBufferSize(at, buffer, dim);
      assertEqualSizes(at, loc, getSize(at, loc, tensor, dim - 1), size,
                       "expected a region to yield the extents of its op's result");
      sizes.push_back(size);
    }
    auto sliceType = cast<mlir::MemRefType>(
        mlir::memref::SubViewOp::inferRankReducedResultType(type.getShape().drop_front(), type, offsets, sizes, ones));
    Value slice = mlir::memref::SubViewOp::create(at, loc, sliceType, buffer, offsets, sizes, ones);
    mlir::bufferization::MaterializeInDestinationOp::create(
        at, loc, TypeRange(),
        castTo(at, loc, tensor, RankedTensorType::get(type.getShape().drop_front(), type.getElementType())), slice,
        /*restrict=*/true, /*writable=*/true);
  }

  OpFoldResult getBufferSize(OpBuilder &at, Value buffer, int64_t dim) {
    auto type = cast<mlir::MemRefType>(buffer.getType());
    if (!type.isDynamicDim(dim))
      return at.getIndexAttr(type.getDimSize(dim));
    return mlir::memref::DimOp::create(at, loc, buffer, dim).getResult();
  }

  Value toTensor(OpBuilder &at, Value buffer) {
    auto type = cast<mlir::MemRefType>(buffer.getType());
    return mlir::bufferization::ToTensorOp::create(
        at, loc, RankedTensorType::get(type.getShape(), type.getElementType()), buffer, /*restrict=*/true,
        /*writable=*/false);
  }

  Carried makeCarried(ValueRange initial) {
    Carried carried;
    for (Value tensor : initial) {
      Sizes sizes = getSizes(b, loc, tensor);
      carried.buffers.push_back(allocate(tensor, sizes));
      carried.initial.push_back(tensor);
      write(b, tensor, carried.buffers.back());
    }
    return carried;
  }

  SmallVector<Value> read(OpBuilder &at, const Carried &carried) {
    return llvm::map_to_vector(carried.buffers, [&](Value buffer) { return toTensor(at, buffer); });
  }

  /// Puts the next values in the place of the old ones. One that is an old one, or a view
  /// of it, goes through a buffer of its own: what it is may be overwritten before.
  void update(OpBuilder &at, ArrayRef<Value> values, const Carried &carried) {
    SmallVector<std::pair<Value, Value>> copies;
    for (auto [value, buffer, initial] : llvm::zip_equal(values, carried.buffers, carried.initial)) {
      Value source = getBufferOf(value);
      if (!llvm::is_contained(carried.buffers, source))
        continue;
      Value next = allocate(initial, getSizes(b, loc, initial));
      write(at, value, next);
      copies.emplace_back(next, buffer);
    }
    for (auto [value, buffer] : llvm::zip_equal(values, carried.buffers))
      if (!llvm::is_contained(carried.buffers, getBufferOf(value)))
        write(at, value, buffer);
    for (auto [from, to] : copies)
      mlir::memref::CopyOp::create(at, loc, from, to);
  }

  /// The buffer that a tensor is a view of; null for one that an op computes.
  static Value getBufferOf(Value tensor) {
    while (Operation *definition = tensor.getDefiningOp()) {
      if (auto buffer = dyn_cast<mlir::bufferization::ToTensorOp>(definition))
        return buffer.getBuffer();
      if (!isa<mlir::tensor::CastOp, mlir::tensor::ExtractSliceOp, mlir::tensor::ExpandShapeOp,
               mlir::tensor::CollapseShapeOp, mlir::tensor::ReshapeOp>(definition))
        break;
      tensor = definition->getOperand(0);
    }
    return {};
  }

  //===--------------------------------------------------------------------===//
  // Blocks
  //===--------------------------------------------------------------------===//

  /// Moves the ops of the region's block to the builder's place; what it yielded.
  SmallVector<Value> inlineBody(OpBuilder &at, mlir::Region &region, ValueRange arguments) {
    Block &block = region.front();
    for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments))
      argument.replaceAllUsesWith(castTo(at, loc, value, argument.getType()));
    Operation *terminator = block.getTerminator();
    SmallVector<Value> yielded(terminator->getOperands());
    terminator->erase();
    at.getInsertionBlock()->getOperations().splice(at.getInsertionPoint(), block.getOperations());
    return yielded;
  }

  Value isTrue(OpBuilder &at, Value predicate) {
    Value stored = mlir::tensor::ExtractOp::create(at, loc, predicate, ValueRange());
    return loadElement(at, loc, stored, at.getI1Type());
  }

  /// The buffers' tensors are the op's results.
  void finish(ArrayRef<Value> buffers) {
    b.setInsertionPoint(op);
    for (auto [result, buffer] : llvm::zip_equal(op->getResults(), buffers))
      result.replaceAllUsesWith(castTo(b, loc, toTensor(b, buffer), result.getType()));
    op->erase();
  }

  Operation *op;
  OpBuilder b;
  Location loc;
};

} // namespace

void lowering::populateControlFlow(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns) {
  patterns.add<TypesConversion<CondOp>, TypesConversion<WhileLoopOp>, TypesConversion<MapOp>, TypesConversion<ScanOp>,
               TypesConversion<YieldOp>>(converter, patterns.getContext());
}

void lowering::addControlFlowLegality(mlir::ConversionTarget &target, const mlir::TypeConverter &converter) {
  target.addDynamicallyLegalOp<CondOp, WhileLoopOp, MapOp, ScanOp, YieldOp>([&](Operation *op) {
    return converter.isLegal(op) &&
           llvm::all_of(op->getRegions(), [&](mlir::Region &region) { return converter.isLegal(&region); });
  });
}

void lowering::expandControlFlow(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa<CondOp, WhileLoopOp, MapOp, ScanOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    Expansion expansion(op);
    llvm::TypeSwitch<Operation *>(op).Case<CondOp, WhileLoopOp, MapOp, ScanOp>(
        [&](auto typed) { expansion.expand(typed); });
  }
}
