// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Transforms/Utils/Constraints.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/Permutation.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace fxgraph;

LogicalResult fxgraph::refuse(mlir::PatternRewriter &rewriter, Operation *op, StringRef reason) {
  return rewriter.notifyMatchFailure(op, [&](mlir::Diagnostic &diag) {
    diag << reason;
    // Tells a refusal from the notes that generated matchers make of every op.
    diag.getMetadata().push_back(mlir::DiagnosticArgument(StringRef("fxgraph.refusal")));
  });
}

LogicalResult fxgraph::checkCatRejoinsSplit(mlir::PatternRewriter &rewriter, Operation *split, Operation *cat) {
  auto splitLike = dyn_cast<SplitLikeOpInterface>(split);
  auto catLike = dyn_cast<CatLikeOpInterface>(cat);
  if (!splitLike || !catLike || splitLike.dropsDim() || catLike.addsDim())
    return failure();
  if (splitLike.getNormalizedDim() != catLike.getNormalizedDim())
    return refuse(rewriter, cat, "split and cat are along different dimensions");
  if (split->getOperand(0).getType() != cat->getResult(0).getType())
    return refuse(rewriter, cat, "the cat and the input of the split differ in type");
  if (reachesWriter(cat))
    return refuse(rewriter, cat, "an unknown op may write to the cat");
  return success();
}

LogicalResult fxgraph::checkSplitAtSeams(mlir::PatternRewriter &rewriter, Operation *cat, Operation *split) {
  auto splitLike = dyn_cast<SplitLikeOpInterface>(split);
  auto catLike = dyn_cast<CatLikeOpInterface>(cat);
  if (!splitLike || !catLike || splitLike.dropsDim() || catLike.addsDim())
    return failure();
  if (splitLike.getNormalizedDim() != catLike.getNormalizedDim())
    return refuse(rewriter, split, "cat and split are along different dimensions");
  // Equal types also say that the seams are at the same places. A legacy empty
  // operand of the cat has another rank than any piece.
  if (!llvm::equal(cat->getOperandTypes(), split->getResultTypes()))
    return refuse(rewriter, split, "the split does not cut where the cat has joined");
  // Dead users may be there while patterns run; they do not count.
  if (llvm::any_of(cat->getUsers(), [&](Operation *user) { return user != split && !mlir::isOpTriviallyDead(user); }))
    return refuse(rewriter, split, "the cat has other users");
  if (reachesWriter(split))
    return refuse(rewriter, split, "an unknown op may write to a piece");
  return success();
}

bool fxgraph::haveSameKnownType(Value a, Value b) {
  auto type = dyn_cast<RankedTensorType>(a.getType());
  return type && type == b.getType() &&
         llvm::all_of(getDims(type), [](const Dim &dim) { return dim.isStatic() || dim.isSymbol(); });
}

LogicalResult fxgraph::mayDropView(mlir::PatternRewriter &rewriter, Value old, Value source) {
  if (wouldAliasBoundary(source, old.getDefiningOp()))
    return refuse(rewriter, old.getDefiningOp(), "a result of the graph would become an argument or another result");
  return success();
}

/// True if the value is a tensor, or a view of all its elements, whose storage neither an argument
/// nor a result of the graph nor an unknown op sees. (A part would keep the rest alive, and elements
/// of an expanded tensor would share memory.)
static bool isHiddenStorage(Value value, Block *block) {
  Operation *op = value.getDefiningOp();
  while (isRowMajorView(op) || isa_and_present<PermuteOp, TransposeOp, DetachOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return op && op->getBlock() == block && mlir::isPure(op) && !getViewSource(op, /*mayCopy=*/true) &&
         !isa<ConstantOp, DevicePutOp>(op) && !reachesBoundary(op);
}

LogicalResult fxgraph::mayDropCopy(mlir::PatternRewriter &rewriter, Value old) {
  Operation *copy = old.getDefiningOp();
  if (reachesWriter(copy))
    return refuse(rewriter, copy, "an unknown op may write to the copy");
  // Of one result that shares its storage then a clone is made, no more than there was.
  bool isHidden = llvm::all_of(copy->getOperands(), [&](Value operand) {
    return operand.getType() != old.getType() || isHiddenStorage(operand, copy->getBlock());
  });
  if (!isHidden && reachesResults(copy, 2))
    return refuse(rewriter, copy, "the copy separates several results of the graph");
  return success();
}

LogicalResult fxgraph::mayDropClone(mlir::PatternRewriter &rewriter, Value old) {
  Operation *clone = old.getDefiningOp();
  // What is returned is then the value itself, which nobody else has.
  if (isHiddenStorage(clone->getOperand(0), clone->getBlock()) && !reachesWriter(clone))
    return success();
  if (reachesBoundary(clone))
    return refuse(rewriter, clone, "the clone separates a result of the graph or an operand of an unknown op");
  return success();
}

bool fxgraph::isNarrowFloat(Type type) {
  auto element = dyn_cast<FloatType>(mlir::getElementTypeOrSelf(type));
  return element && element.getWidth() < 32;
}

bool fxgraph::isUnscaled(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<AddOp, SubOp>([](auto op) { return op.getAlpha().isExactlyValue(1.0); })
      .Case<AddmmOp, BaddbmmOp>(
          [](auto op) { return op.getAlpha().isExactlyValue(1.0) && op.getBeta().isExactlyValue(1.0); })
      .Default(true);
}

std::optional<APFloat> fxgraph::getUniformValue(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto full = dyn_cast_if_present<FullOp>(op))
    return full.getValue();
  auto constant = dyn_cast_if_present<ConstantOp>(op);
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!elements || !elements.isSplat())
    return std::nullopt;
  Type type = elements.getElementType();
  bool lossy = false;
  if (isa<FloatType>(type)) {
    APFloat number = elements.getSplatValue<APFloat>();
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
    return lossy ? std::nullopt : std::optional(number);
  }
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return std::nullopt;
  APFloat number(APFloat::IEEEdouble());
  bool isSigned = !integer.isUnsigned() && integer.getWidth() > 1;
  if (number.convertFromAPInt(elements.getSplatValue<APInt>(), isSigned, APFloat::rmNearestTiesToEven) != APFloat::opOK)
    return std::nullopt;
  return number;
}

/// True if an elementwise op of the two has the shape of `value`.
static bool broadcastsTo(Value other, Value value) {
  return provablyBroadcastsTo(getDims(cast<RankedTensorType>(other.getType())),
                              getDims(cast<RankedTensorType>(value.getType())));
}

/// Element types in which 1 and 0 are what they seem.
static bool isPlainNumberType(Type type) {
  auto element = cast<RankedTensorType>(type).getElementType();
  return isa<FloatType>(element) || (isa<IntegerType>(element) && !element.isInteger(1));
}

bool fxgraph::isNeutralFactor(Value factor, Value value) {
  if (!isPlainNumberType(value.getType()))
    return false;
  std::optional<APFloat> number = getUniformValue(factor);
  return number && number->isExactlyValue(1.0) && broadcastsTo(factor, value);
}

bool fxgraph::isNeutralSummand(Value summand, Value value, FloatAttr alpha, bool subtracted) {
  if (!isPlainNumberType(value.getType()))
    return false;
  std::optional<APFloat> number = getUniformValue(summand);
  if (!number || !number->isZero() || !broadcastsTo(summand, value))
    return false;
  APFloat scale = alpha.getValue();
  if (!scale.isFinite())
    return false;
  // -0 + +0 is +0: a positive zero changes negative ones.
  if (isa<FloatType>(cast<RankedTensorType>(value.getType()).getElementType()))
    return (number->isNegative() != scale.isNegative()) != subtracted;
  return true;
}

bool fxgraph::isIdentityPermutation(DenseI64ArrayAttr dims) {
  for (auto [i, dim] : llvm::enumerate(dims.asArrayRef()))
    if (wrapDim(dim, dims.size()) != static_cast<int64_t>(i))
      return false;
  return true;
}

bool fxgraph::isSameDim(Value value, IntegerAttr dim0, IntegerAttr dim1) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  return wrapDim(dim0.getInt(), rank) == wrapDim(dim1.getInt(), rank);
}

bool fxgraph::isWholeSlice(Value slice) {
  return llvm::TypeSwitch<Operation *, bool>(slice.getDefiningOp())
      .Case<SliceOp, SliceScatterOp>([](auto op) {
        auto type = op.getInput().getType();
        int64_t extent = type.getDimSize(wrapDim(op.getDim(), type.getRank()));
        auto start = static_cast<int64_t>(op.getStart()), end = static_cast<int64_t>(op.getEnd());
        if (ShapedType::isDynamic(extent))
          return start == 0 && end == std::numeric_limits<int64_t>::max() && op.getStep() == 1;
        // As many indices as there are, in order: all of them.
        return clampSlice(extent, start, end, op.getStep()).size == extent;
      })
      .Default(false);
}

bool fxgraph::isKnownContiguous(Value value) {
  // Views that keep row-major order are looked through, a few steps.
  for (int step = 0; step < 8; ++step) {
    Operation *op = value.getDefiningOp();
    if (isRowMajorView(op)) {
      value = op->getOperand(0);
      continue;
    }
    return isa_and_present<ContiguousOp, LinearOp, MmOp, AddmmOp, LayerNormOp, EmbeddingOp, FullOp, ArangeOp,
                           ConstantOp>(op);
  }
  return false;
}

bool fxgraph::exchangesLastTwoDims(Operation *op) {
  std::optional<SmallVector<int64_t>> order = getPermutation(op);
  if (!order || order->size() < 2)
    return false;
  SmallVector<int64_t> exchange = llvm::to_vector(llvm::seq<int64_t>(0, order->size()));
  std::swap(exchange.back(), exchange[exchange.size() - 2]);
  return *order == exchange;
}

LogicalResult fxgraph::checkExchangesLastTwoDims(mlir::PatternRewriter &rewriter, Operation *permutation) {
  if (!isa_and_present<PermuteOp, TransposeOp>(permutation))
    return failure();
  if (!exchangesLastTwoDims(permutation))
    return refuse(rewriter, permutation, "the permutation is not the exchange of the last two dimensions");
  return success();
}

LogicalResult fxgraph::checkIsPlainLinear(mlir::PatternRewriter &rewriter, Operation *op) {
  auto linear = dyn_cast_if_present<LinearOp>(op);
  if (!linear)
    return failure();
  auto weight = cast<RankedTensorType>(linear.getWeight().getType());
  if (weight.getRank() != 2)
    return refuse(rewriter, op, "the weight of the linear has not rank 2");
  if (Value bias = linear.getBias()) {
    auto type = cast<RankedTensorType>(bias.getType());
    if (type.getRank() != 1 || !getDims(type)[0].provablyEquals(getDims(weight)[0]))
      return refuse(rewriter, op, "the bias of the linear has not one value for each output");
  }
  return success();
}

static LogicalResult hasOneUse(mlir::PatternRewriter &, Value value) { return success(value.hasOneUse()); }
static LogicalResult haveSameType(mlir::PatternRewriter &, Value a, Value b) {
  return success(a.getType() == b.getType());
}
static LogicalResult haveSameKnown(mlir::PatternRewriter &, Value a, Value b) {
  return success(fxgraph::haveSameKnownType(a, b));
}
static LogicalResult hasStaticShape(mlir::PatternRewriter &, Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return success(type && type.hasStaticShape());
}

void fxgraph::registerConstraints(mlir::RewritePatternSet &patterns) {
  mlir::PDLPatternModule &pdl = patterns.getPDLPatterns();
  pdl.registerConstraintFunction("SameType", haveSameType);
  pdl.registerConstraintFunction("SameKnownType", haveSameKnown);
  pdl.registerConstraintFunction("MayDropView", mayDropView);
  pdl.registerConstraintFunction("MayDropCopy", mayDropCopy);
  pdl.registerConstraintFunction("HasOneUse", hasOneUse);
  pdl.registerConstraintFunction("HasStaticShape", hasStaticShape);
  pdl.registerConstraintFunction("CatRejoinsSplit", checkCatRejoinsSplit);
  pdl.registerConstraintFunction("SplitAtSeams", checkSplitAtSeams);
  pdl.registerConstraintFunction("ExchangesLastTwoDims", checkExchangesLastTwoDims);
  pdl.registerConstraintFunction("IsPlainLinear", checkIsPlainLinear);
}
