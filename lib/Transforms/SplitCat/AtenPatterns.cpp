// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AtenPatterns.h"
#include "fxgraph/Transforms/SplitCat/SplitCatUtils.h"
#include "fxgraph/Transforms/Utils/Constraints.h"

using namespace fxgraph;

namespace {
/// What the operands of a cat or stack were selected from.
struct Selected {
  Value source;
  int64_t dim;
};
} // namespace

/// The select that the operand is, also through an unsqueeze along `unsqueezed`.
static SelectOp getSelect(Value operand, std::optional<int64_t> unsqueezed) {
  if (!unsqueezed)
    return operand.getDefiningOp<SelectOp>();
  auto unsqueeze = operand.getDefiningOp<UnsqueezeOp>();
  int64_t rank = cast<RankedTensorType>(operand.getType()).getRank();
  return unsqueeze && wrapDim(unsqueeze.getDim(), rank) == *unsqueezed ? unsqueeze.getInput().getDefiningOp<SelectOp>()
                                                                       : SelectOp();
}

/// Every index of one dimension of one value, in order: anything less is another tensor.
static FailureOr<Selected> findSelected(mlir::PatternRewriter &rewriter, Operation *join,
                                        std::optional<int64_t> unsqueezed) {
  for (Value operand : join->getOperands())
    if (!getSelect(operand, unsqueezed))
      return failure();
  Selected selected{};
  for (auto [place, operand] : llvm::enumerate(join->getOperands())) {
    SelectOp select = getSelect(operand, unsqueezed);
    auto type = select.getInput().getType();
    int64_t dim = wrapDim(select.getDim(), type.getRank()), extent = type.getDimSize(dim);
    if (place == 0)
      selected = {select.getInput(), dim};
    if (select.getInput() != selected.source || dim != selected.dim)
      return refuse(rewriter, join, "the selects are not along one dimension of one value");
    if (extent != static_cast<int64_t>(join->getNumOperands()))
      return refuse(rewriter, join, "the selects are not all there are, or how many there are is not known");
    if (wrapDim(select.getIndex(), extent) != static_cast<int64_t>(place))
      return refuse(rewriter, join, "the selects are not in order");
  }
  return selected;
}

/// The dimension along which the operands of a cat must be unsqueezed to make it a stack;
/// none for a stack.
static std::optional<int64_t> getUnsqueezedDim(Operation *join) {
  if (auto cat = dyn_cast<CatOp>(join))
    return cast<CatLikeOpInterface>(join).getNormalizedDim();
  return std::nullopt;
}

static LogicalResult joinsEverySelect(mlir::PatternRewriter &rewriter, Operation *cat) {
  FailureOr<Selected> selected = findSelected(rewriter, cat, std::nullopt);
  if (failed(selected))
    return failure();
  if (cast<CatLikeOpInterface>(cat).getNormalizedDim() != selected->dim)
    return refuse(rewriter, cat, "selects and cat are along different dimensions");
  if (reachesWriter(cat))
    return refuse(rewriter, cat, "an unknown op may write to the result");
  return success();
}

static LogicalResult stacksEverySelect(mlir::PatternRewriter &rewriter, Operation *stack) {
  FailureOr<Selected> selected = findSelected(rewriter, stack, getUnsqueezedDim(stack));
  if (failed(selected))
    return failure();
  if (cast<CatLikeOpInterface>(stack).getNormalizedDim() == selected->dim &&
      selected->source.getType() != stack->getResult(0).getType())
    return refuse(rewriter, stack, "the result and what the selects are of differ in type");
  if (reachesWriter(stack))
    return refuse(rewriter, stack, "an unknown op may write to the result");
  return success();
}

/// What a new op infers can say less than the old type (`?` for a symbol).
static Value withTypeOf(Value value, Operation *join) {
  if (value.getType() != join->getResult(0).getType())
    value.setType(cast<RankedTensorType>(join->getResult(0).getType()));
  return value;
}

static Value mergeSelected(mlir::PatternRewriter &rewriter, Operation *cat) {
  auto select = cat->getOperand(0).getDefiningOp<SelectOp>();
  return withTypeOf(
      createFlatten(rewriter, cat->getLoc(), select.getInput(), cast<CatLikeOpInterface>(cat).getNormalizedDim()), cat);
}

static Value moveSelected(mlir::PatternRewriter &rewriter, Operation *stack) {
  SelectOp select = getSelect(stack->getOperand(0), getUnsqueezedDim(stack));
  int64_t from = wrapDim(select.getDim(), select.getInput().getType().getRank());
  int64_t to = cast<CatLikeOpInterface>(stack).getNormalizedDim();
  return withTypeOf(createMoveDim(rewriter, stack->getLoc(), select.getInput(), from, to), stack);
}

static LogicalResult slicesFirstOperand(mlir::PatternRewriter &rewriter, Operation *inner, Operation *slice,
                                        Operation *outer) {
  auto sliceOp = cast<SliceOp>(slice);
  int64_t dim = cast<CatLikeOpInterface>(inner).getNormalizedDim();
  auto type = sliceOp.getInput().getType();
  if (cast<CatLikeOpInterface>(outer).getNormalizedDim() != dim || wrapDim(sliceOp.getDim(), type.getRank()) != dim)
    return refuse(rewriter, outer, "the cats and the slice are not along one dimension");
  auto first = cast<RankedTensorType>(inner->getOperand(0).getType());
  if (type.isDynamicDim(dim) || first.getRank() != type.getRank() || first.isDynamicDim(dim))
    return refuse(rewriter, outer, "an extent along the dimension of the cats is not known");
  SliceBounds bounds = clampSlice(type.getDimSize(dim), sliceOp.getStart(), sliceOp.getEnd(), sliceOp.getStep());
  if (bounds.start != 0 || sliceOp.getStep() != 1 || bounds.end > first.getDimSize(dim))
    return refuse(rewriter, outer, "the slice is not the beginning of the first operand");
  if (!slice->hasOneUse() ||
      llvm::any_of(inner->getUsers(), [&](Operation *user) { return user != slice && user != outer; }))
    return refuse(rewriter, outer, "the inner cat or its slice has other users");
  return success();
}

static Value joinWithSlice(mlir::PatternRewriter &rewriter, Operation *inner, Operation *slice, Operation *outer) {
  auto sliceOp = cast<SliceOp>(slice);
  int64_t dim = cast<CatLikeOpInterface>(inner).getNormalizedDim();
  SmallVector<Value> operands(inner->getOperands());
  operands.push_back(
      SliceOp::create(rewriter, slice->getLoc(), slice->getResult(0).getType(), operands.front(),
                      rewriter.getI64IntegerAttr(dim), rewriter.getI64IntegerAttr(0),
                      rewriter.getI64IntegerAttr(cast<RankedTensorType>(slice->getResult(0).getType()).getDimSize(dim)),
                      sliceOp.getStepAttr()));
  return CatOp::create(rewriter, outer->getLoc(), outer->getResult(0).getType(), operands,
                       rewriter.getI64IntegerAttr(dim));
}

void fxgraph::registerAtenConstraints(mlir::RewritePatternSet &patterns) {
  mlir::PDLPatternModule &pdl = patterns.getPDLPatterns();
  pdl.registerConstraintFunction("JoinsEverySelect", joinsEverySelect);
  pdl.registerConstraintFunction("StacksEverySelect", stacksEverySelect);
  pdl.registerConstraintFunction("SlicesFirstOperand", slicesFirstOperand);
  pdl.registerRewriteFunction("MergeSelected", mergeSelected);
  pdl.registerRewriteFunction("MoveSelected", moveSelected);
  pdl.registerRewriteFunction("JoinWithSlice", joinWithSlice);
}
