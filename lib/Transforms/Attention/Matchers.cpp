// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the patterns of attention leave open. Each search goes from a product of weights
// and values against the data flow, a bounded number of steps.

#include "Matchers.h"
#include "fxgraph/Analysis/Storage.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "fxgraph/Transforms/Utils/Constraints.h"
#include <cmath>
#include <limits>

using namespace fxgraph;

/// Steps that a search takes at most: beyond any spelling of attention.
static constexpr int kMaxSteps = 24;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
static Type elementOf(Value value) { return typeOf(value).getElementType(); }

static bool isFloat(Value value) { return isa<FloatType>(elementOf(value)); }

static Dims getLeadingDims(RankedTensorType type) {
  Dims dims = getDims(type);
  dims.resize(std::max<int64_t>(0, type.getRank() - 2));
  return dims;
}

static bool areEqual(ArrayRef<Dim> a, ArrayRef<Dim> b) {
  return a.size() == b.size() &&
         llvm::all_of(llvm::zip(a, b), [](auto pair) { return std::get<0>(pair).provablyEquals(std::get<1>(pair)); });
}

bool fxgraph::canBatch(Value value, Value level) {
  Dims leading = getLeadingDims(typeOf(level)), own = getLeadingDims(typeOf(value));
  if (areEqual(leading, own))
    return true;
  Dims matrix = getDims(typeOf(value));
  auto isUnknown = [](const Dim &dim) { return !dim.isStatic(); };
  // One -1 is what a reshape can work out.
  return llvm::count_if(leading, isUnknown) + llvm::count_if(ArrayRef<Dim>(matrix).take_back(2), isUnknown) <= 1;
}

//===----------------------------------------------------------------------===//
// Users
//===----------------------------------------------------------------------===//

bool fxgraph::isProvenAssertion(Operation *op) {
  auto assertion = dyn_cast<AssertTensorMetadataOp>(op);
  return assertion && assertion.getExpected() == assertion.getInput().getType() &&
         assertion.getInput().getType().hasStaticShape();
}

/// Uses by ops that an attention would leave without work.
static unsigned countUses(Value value) {
  return llvm::count_if(value.getUses(), [](OpOperand &use) { return !isProvenAssertion(use.getOwner()); });
}

/// True if an unknown op may write to the storage of `value`: then a copy of it is another value later on.
static bool mayBeWritten(Value value) {
  Value root = getStorageRoot(value, /*mayCopy=*/true);
  SmallVector<Value> worklist{root};
  while (!worklist.empty())
    for (OpOperand &use : worklist.pop_back_val().getUses()) {
      if (auto opaque = dyn_cast<OpaqueOp>(use.getOwner()); opaque && opaque.mayWrite(use))
        return true;
      if (mayReturnOperand(use))
        llvm::append_range(worklist, use.getOwner()->getResults());
    }
  return false;
}

//===----------------------------------------------------------------------===//
// Ops that hand a matrix on
//===----------------------------------------------------------------------===//

/// True if the reshape keeps the last two dimensions, and so only groups the matrices otherwise.
static bool keepsMatrices(Operation *op) {
  if (!isRowMajorView(op))
    return false;
  Dims from = getDims(typeOf(op->getOperand(0))), to = getDims(typeOf(op->getResult(0)));
  return from.size() >= 2 && to.size() >= 2 &&
         areEqual(ArrayRef<Dim>(from).take_back(2), ArrayRef<Dim>(to).take_back(2));
}

/// The operand that the op copies as it is, or null.
static Value getCopied(Operation *op) {
  if (isa_and_present<CloneOp, ContiguousOp>(op))
    return op->getOperand(0);
  if (auto dropout = dyn_cast_if_present<DropoutOp>(op))
    return !dropout.getTraining() || dropout.getP().isZero() ? Value(dropout.getInput()) : Value();
  if (auto expand = dyn_cast_if_present<ExpandOp>(op))
    return haveSameKnownType(expand.getInput(), expand.getResult()) ? Value(expand.getInput()) : Value();
  return {};
}

/// The operand of a cast between floats, or null.
static Value getCast(Operation *op) {
  auto cast = dyn_cast_if_present<ConvertElementTypeOp>(op);
  return cast && isFloat(cast.getInput()) && isFloat(cast.getResult()) ? Value(cast.getInput()) : Value();
}

/// The operand of a cast that loses nothing, or null.
static Value getWidened(Operation *op) {
  Value input = getCast(op);
  if (!input)
    return {};
  const llvm::fltSemantics &from = cast<FloatType>(elementOf(input)).getFloatSemantics();
  const llvm::fltSemantics &to = cast<FloatType>(elementOf(op->getResult(0))).getFloatSemantics();
  return APFloat::isRepresentableAsNormalIn(from, to) ? input : Value();
}

/// A value times a number.
struct Scaled {
  Value value;
  double factor;
};

/// The number that `value` is everywhere: captured constants are cloned.
static std::optional<APFloat> getNumber(Value value) {
  if (auto clone = value.getDefiningOp<CloneOp>())
    value = clone.getInput();
  return getUniformValue(value);
}

/// The number that `value` is, if a product with it changes neither shape nor dtype of `other`.
static std::optional<double> getNumber(Value value, Value other, Operation *op) {
  if (!isFloat(other) || op->getResult(0).getType() != other.getType())
    return std::nullopt;
  std::optional<APFloat> number = getNumber(value);
  if (!number)
    return std::nullopt;
  return number->convertToDouble();
}

/// The constraint ScaleLike: x * number, number * x and x / number.
static std::optional<Scaled> matchScale(Operation *op) {
  if (auto mul = dyn_cast_if_present<MulOp>(op)) {
    if (std::optional<double> number = getNumber(mul.getOther(), mul.getInput(), op))
      return Scaled{mul.getInput(), *number};
    if (std::optional<double> number = getNumber(mul.getInput(), mul.getOther(), op))
      return Scaled{mul.getOther(), *number};
  } else if (auto div = dyn_cast_if_present<DivOp>(op); div && !div.getRoundingMode()) {
    if (std::optional<double> number = getNumber(div.getOther(), div.getInput(), op))
      return Scaled{div.getInput(), 1.0 / *number};
  }
  return std::nullopt;
}

namespace {
/// Goes from a value against the data flow through what hands its matrices on.
struct Chain {
  const AttentionOptions &options;
  /// A value on the way, or the last one, has other users.
  bool shared = false;

  /// The first value that something else than a copy, cast or reshape computes. `value`
  /// may have `uses` users, the others one.
  Value follow(Value value, unsigned uses = 1) {
    for (int step = 0; step < kMaxSteps; ++step) {
      shared |= countUses(value) != uses;
      uses = 1;
      Operation *op = value.getDefiningOp();
      Value source = getCopied(op);
      if (!source)
        source = getCast(op);
      if (!source && op && keepsMatrices(op))
        source = op->getOperand(0);
      if (!source || (options.wideOnly && isFloat(value) && isNarrowFloat(elementOf(source))))
        break;
      value = source;
    }
    return value;
  }
};
} // namespace

/// The product that scores come from, or null: through scales and masks.
static Operation *findProduct(Value value, const AttentionOptions &options, int depth = 0) {
  if (depth > 8)
    return nullptr;
  Chain chain{options};
  value = chain.follow(value);
  Operation *op = value.getDefiningOp();
  if (isa_and_present<MatmulOp, BmmOp, BaddbmmOp>(op))
    return op;
  if (std::optional<Scaled> scaled = matchScale(op))
    return findProduct(scaled->value, options, depth + 1);
  if (isa_and_present<AddOp, WhereOp>(op))
    for (Value operand : op->getOperands())
      if (operand.getType() == value.getType())
        if (Operation *product = findProduct(operand, options, depth + 1))
          return product;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// SoftmaxLike
//===----------------------------------------------------------------------===//

static bool isLastDim(Value input, int64_t dim) {
  int64_t rank = typeOf(input).getRank();
  return rank >= 2 && wrapDim(dim, rank) == rank - 1;
}

/// A reduction of the last dimension that keeps it.
template <typename OpTy>
static OpTy matchRowReduction(Value value) {
  auto op = value.getDefiningOp<OpTy>();
  if (!op || !op.getKeepdim() || !op.getDims() || op.getDims()->size() != 1 ||
      !isLastDim(op.getInput(), op.getDims()->front()))
    return {};
  return op;
}

/// `exp(x - amax(x)) / sum(exp(x - amax(x)))`: x, or null.
static Value matchWrittenOutSoftmax(DivOp div) {
  auto exp = div.getInput().getDefiningOp<ExpOp>();
  auto sum = matchRowReduction<SumOp>(div.getOther());
  if (div.getRoundingMode() || !exp || !sum || sum.getInput() != exp.getResult())
    return {};
  auto sub = exp.getInput().getDefiningOp<SubOp>();
  if (!sub || !isUnscaled(sub))
    return {};
  auto amax = matchRowReduction<AmaxOp>(sub.getOther());
  if (!amax || amax.getInput() != sub.getInput() || countUses(exp) != 2 || countUses(sum) != 1 || countUses(sub) != 1 ||
      countUses(amax) != 1)
    return {};
  return sub.getInput();
}

/// `x == -inf`: x, or null.
static Value matchIsHidden(Value value) {
  auto eq = value.getDefiningOp<EqOp>();
  std::optional<APFloat> number = eq ? getUniformValue(eq.getOther()) : std::nullopt;
  return number && number->isInfinity() && number->isNegative() && countUses(value) == 1 ? Value(eq.getInput())
                                                                                         : Value();
}

/// `all(x == -inf)` of each row, or its complement's complement: x, or null.
static Value matchIsRowHidden(Value value) {
  if (auto all = matchRowReduction<AllOp>(value))
    return matchIsHidden(all.getInput());
  auto outer = value.getDefiningOp<LogicalNotOp>();
  auto any = outer ? matchRowReduction<AnyOp>(outer.getInput()) : AnyOp();
  auto inner = any ? any.getInput().getDefiningOp<LogicalNotOp>() : LogicalNotOp();
  return inner ? matchIsHidden(inner.getInput()) : Value();
}

/// Softmax in one op or written out: what it is of, and how many uses that has here.
static Value matchSoftmax(Operation *op, unsigned &uses) {
  uses = 1;
  if (auto softmax = dyn_cast_if_present<SoftmaxOp>(op))
    return isLastDim(softmax.getInput(), softmax.getDim()) ? Value(softmax.getInput()) : Value();
  uses = 2;
  auto div = dyn_cast_if_present<DivOp>(op);
  return div ? matchWrittenOutSoftmax(div) : Value();
}

static LogicalResult matchSoftmaxLike(mlir::PatternRewriter &rewriter, mlir::PDLResultList &results, Value weights,
                                      const AttentionOptions &options) {
  Chain chain{options};
  Value value = chain.follow(weights);
  Operation *op = value.getDefiningOp();
  unsigned uses = 0;
  StringRef rows = "nan";
  Value scores = matchSoftmax(op, uses);
  // PyTorch's _safe_softmax: where(all(x == -inf), 0, softmax(x)).
  if (auto where = dyn_cast_if_present<WhereOp>(op)) {
    std::optional<APFloat> zero = getUniformValue(where.getInput());
    Value inner = chain.follow(where.getOther());
    scores = matchSoftmax(inner.getDefiningOp(), uses);
    Value hidden = matchIsRowHidden(where.getCondition());
    if (!scores || !hidden || !zero || !zero->isPosZero())
      return failure();
    // The comparison may be of the scores before a cast of the softmax's own.
    if (hidden != scores) {
      if (getWidened(scores.getDefiningOp()) != hidden || countUses(scores) != uses)
        return failure();
      scores = hidden;
      uses = 1;
    }
    ++uses;
    rows = "zero";
  }
  if (auto dropout = dyn_cast_if_present<DropoutOp>(op)) {
    Value inner = matchSoftmax(chain.follow(dropout.getInput()).getDefiningOp(), uses);
    if (inner && findProduct(inner, options))
      return refuse(rewriter, op, "dropout draws random numbers");
  }
  if (!scores || !findProduct(scores, options))
    return failure();
  if (options.wideOnly && (isNarrowFloat(elementOf(scores)) || isNarrowFloat(elementOf(weights))))
    return failure();
  if (chain.shared)
    return refuse(rewriter, op, "the weights have other users");
  if (countUses(scores) != uses)
    return refuse(rewriter, op, "the scores have other users");
  results.push_back(scores);
  results.push_back(mlir::Attribute(rewriter.getStringAttr(rows)));
  return success();
}

/// Models cast weights and values to f16 whatever the query is.
static LogicalResult matchValuesLike(mlir::PDLResultList &results, Value value, Value scores,
                                     const AttentionOptions &options) {
  Operation *product = findProduct(scores, options);
  Type wanted = elementOf(product->getOperand(isa<BaddbmmOp>(product)));
  Value like = value;
  for (int step = 0; step < kMaxSteps && like && elementOf(like) != wanted; ++step) {
    Operation *op = like.getDefiningOp();
    Value source = getCopied(op);
    if (!source)
      source = getCast(op);
    like = source || !op || !keepsMatrices(op) ? source : op->getOperand(0);
  }
  results.push_back(like ? like : value);
  return success();
}

//===----------------------------------------------------------------------===//
// MaskLike
//===----------------------------------------------------------------------===//

mlir::Attribute MaskForm::toAttribute(MLIRContext *context) const {
  mlir::Builder builder(context);
  return builder.getArrayAttr(
      {builder.getI64IntegerAttr(kind), builder.getF64FloatAttr(fill), mlir::TypeAttr::get(scores)});
}

MaskForm MaskForm::fromAttribute(mlir::Attribute attribute) {
  auto parts = cast<mlir::ArrayAttr>(attribute);
  return {static_cast<Kind>(cast<IntegerAttr>(parts[0]).getInt()), cast<FloatAttr>(parts[1]).getValueAsDouble(),
          cast<RankedTensorType>(cast<mlir::TypeAttr>(parts[2]).getValue())};
}

namespace {
/// One mask: the scores before, the tensor and its form.
struct Mask {
  Value inner, tensor;
  MaskForm form;
};
} // namespace

/// The fill of a where that hides scores: a number so low that nothing is left of it.
static std::optional<double> getFill(Value value) {
  std::optional<APFloat> number = getNumber(value);
  if (!number || number->isNaN() || number->convertToDouble() > kHiddenScore)
    return std::nullopt;
  return number->convertToDouble();
}

static std::optional<Mask> matchMask(Value masked, const AttentionOptions &options) {
  Operation *op = masked.getDefiningOp();
  auto type = typeOf(masked);
  auto isInner = [&](Value value) { return value.getType() == type && findProduct(value, options); };
  if (auto add = dyn_cast_if_present<AddOp>(op); add && isUnscaled(add)) {
    for (auto [inner, tensor] :
         {std::pair<Value, Value>{add.getInput(), add.getOther()}, {add.getOther(), add.getInput()}})
      if (isInner(inner))
        return Mask{inner, tensor, {MaskForm::Added, 0.0, type}};
  } else if (auto where = dyn_cast_if_present<WhereOp>(op)) {
    if (std::optional<double> fill = getFill(where.getOther()); fill && isInner(where.getInput()))
      return Mask{where.getInput(), where.getCondition(), {MaskForm::Visible, *fill, type}};
    if (std::optional<double> fill = getFill(where.getInput()); fill && isInner(where.getOther()))
      return Mask{where.getOther(), where.getCondition(), {MaskForm::Hidden, *fill, type}};
  } else if (auto product = dyn_cast_if_present<BaddbmmOp>(op); product && product.getBeta().isExactlyValue(1.0)) {
    return Mask{masked, product.getInput(), {MaskForm::Added, 0.0, type}};
  }
  return std::nullopt;
}

static LogicalResult matchMaskLike(mlir::PatternRewriter &rewriter, mlir::PDLResultList &results, Value scores,
                                   const AttentionOptions &options) {
  Chain chain{options};
  SmallVector<Value> masks;
  SmallVector<mlir::Attribute> forms;
  Value value = chain.follow(scores, countUses(scores)), outermost;
  while (masks.size() < 4) {
    std::optional<Mask> mask = matchMask(value, options);
    if (!mask)
      break;
    if (!outermost)
      outermost = value;
    masks.push_back(mask->tensor);
    forms.push_back(mask->form.toAttribute(rewriter.getContext()));
    if (mask->inner == value)
      break; // a product with a summand
    value = chain.follow(mask->inner);
  }
  if (masks.empty())
    return failure();
  if (chain.shared)
    return refuse(rewriter, outermost.getDefiningOp(), "the scores have other users");
  results.push_back(value);
  results.push_back(outermost);
  results.push_back(mlir::ValueRange(masks));
  results.push_back(mlir::Attribute(rewriter.getArrayAttr(forms)));
  return success();
}

static LogicalResult checkMasks(mlir::PatternRewriter &rewriter, Operation *root, Value level, Value value,
                                mlir::ValueRange masks, mlir::Attribute forms) {
  for (auto [mask, attribute] : llvm::zip_equal(masks, cast<mlir::ArrayAttr>(forms))) {
    MaskForm form = MaskForm::fromAttribute(attribute);
    Type element = elementOf(mask);
    if (typeOf(mask).getRank() == 0)
      return refuse(rewriter, root, "the mask is a number");
    if (form.kind == MaskForm::Added && element != elementOf(value) && !element.isF32())
      return refuse(rewriter, root, "the mask is neither f32 nor of the dtype of the query");
    Type sum = elementOf(level);
    if (masks.size() > 1 && sum != elementOf(value) && !sum.isF32())
      return refuse(rewriter, root, "the masks are neither f32 nor of the dtype of the query");
    if (getDevice(typeOf(mask)) != getDevice(typeOf(value)))
      return refuse(rewriter, root, "the mask is on another device");
    Dims dims = getDims(typeOf(mask)), scores = getDims(form.scores);
    if (!provablyBroadcastsTo(dims, scores))
      return refuse(rewriter, root, "the mask is not known to broadcast to the scores");
    // In another grouping of the matrices a mask must be one for all of them, or one for each.
    Dims leading = getLeadingDims(typeOf(mask)), own = getLeadingDims(form.scores);
    bool forAll = llvm::all_of(leading, [](const Dim &dim) { return dim.isStatic() && dim.getExtent() == 1; });
    if (!areEqual(own, getLeadingDims(typeOf(level))) && !forAll && (!areEqual(leading, own) || !canBatch(mask, level)))
      return refuse(rewriter, root, "the masks are for different groupings of batch and heads");
    if (forAll && dims.size() > static_cast<size_t>(typeOf(level).getRank()))
      return refuse(rewriter, root, "the masks are for different groupings of batch and heads");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ProductLike
//===----------------------------------------------------------------------===//

namespace {
/// An operand of the product, as attention could take it.
struct Operand {
  Value value;
  bool swapped = false;
  double factor = 1.0;
};
} // namespace

namespace {
enum class Role { Query, Key, Value };
} // namespace

/// The best form of an operand of a product whose leading dimensions are `own`, for an attention
/// in the layout of `level`: of the dtype of `like`, as far back as it goes, and with the last
/// two dimensions exchanged if it is a key and that is possible.
static std::optional<Operand> findOperand(Value value, ArrayRef<Dim> own, Value level, Value like, Role role) {
  bool swap = role == Role::Key, mayScale = role != Role::Value;
  Dims wanted = getLeadingDims(typeOf(level));
  bool sameLeading = areEqual(own, wanted);
  Operand operand{value};
  std::optional<Operand> best;
  int bestRank = 0;
  bool regrouped = false;
  for (int step = 0; step < kMaxSteps; ++step) {
    Dims leading = getLeadingDims(typeOf(operand.value));
    // As it must be, possibly broadcast; in another grouping; neither.
    bool fits = sameLeading && !regrouped ? provablyBroadcastsTo(leading, wanted) : areEqual(leading, wanted);
    bool canFit = !sameLeading && areEqual(leading, own) && canBatch(operand.value, level);
    int rank = elementOf(operand.value) != elementOf(like) ? 0
               : fits                                      ? 2 + 2 * (operand.swapped == swap)
               : canFit                                    ? 1 + 2 * (operand.swapped == swap)
                                                           : 0;
    if (rank && rank >= bestRank) {
      best = operand;
      bestRank = rank;
    }
    Operation *op = operand.value.getDefiningOp();
    if (!op)
      break;
    Value source = getCopied(op);
    if (!source)
      source = role == Role::Value ? getCast(op) : getWidened(op);
    if (source && mayBeWritten(source))
      break;
    if (!source && keepsMatrices(op)) {
      source = op->getOperand(0);
      regrouped |= !areEqual(getLeadingDims(typeOf(source)), leading);
    }
    if (!source && swap && exchangesLastTwoDims(op)) {
      source = op->getOperand(0);
      operand.swapped = !operand.swapped;
    }
    if (!source && mayScale)
      if (std::optional<Scaled> scaled = matchScale(op)) {
        source = scaled->value;
        operand.factor *= scaled->factor;
      }
    if (!source)
      break;
    operand.value = source;
  }
  return best;
}

static LogicalResult matchProductLike(mlir::PatternRewriter &rewriter, mlir::PDLResultList &results, Value scores,
                                      Value level, Value value, mlir::Attribute forms,
                                      const AttentionOptions &options) {
  Chain chain{options};
  double factor = 1.0;
  // A product with a summand that the masks have is the end already.
  bool hasSummand = isa_and_present<BaddbmmOp>(scores.getDefiningOp()) && !cast<mlir::ArrayAttr>(forms).empty();
  Value product = hasSummand ? scores : chain.follow(scores, countUses(scores));
  for (int step = 0; step < kMaxSteps && !hasSummand; ++step) {
    std::optional<Scaled> scaled = matchScale(product.getDefiningOp());
    if (!scaled)
      break;
    factor *= scaled->factor;
    product = chain.follow(scaled->value);
  }
  Operation *op = product.getDefiningOp();
  Value left, right;
  if (isa_and_present<MatmulOp, BmmOp>(op)) {
    left = op->getOperand(0);
    right = op->getOperand(1);
  } else if (auto sum = dyn_cast_if_present<BaddbmmOp>(op); sum && (hasSummand || sum.getBeta().isZero())) {
    left = sum.getMat1();
    right = sum.getMat2();
    factor *= sum.getAlpha().convertToDouble();
  } else {
    return failure();
  }
  if (!isFloat(value) || typeOf(left).getRank() < 2 || typeOf(right).getRank() < 2 || typeOf(value).getRank() < 2)
    return failure();
  Type element = elementOf(value);
  if (options.wideOnly && (isNarrowFloat(element) || isNarrowFloat(elementOf(product))))
    return failure();
  if (chain.shared)
    return refuse(rewriter, op, "the scores have other users");

  Dims own = getLeadingDims(typeOf(product));
  std::optional<Operand> query = findOperand(left, own, level, value, Role::Query);
  std::optional<Operand> key = findOperand(right, own, level, value, Role::Key);
  if (!query || !key) {
    bool dtypes = elementOf(left) != element;
    return refuse(rewriter, op,
                  dtypes ? "query, key and value differ in dtype"
                         : "query or key cannot be brought into the layout of the scores");
  }
  if (getDevice(typeOf(left)) != getDevice(typeOf(value)))
    return refuse(rewriter, op, "query and value are on different devices");
  factor *= query->factor * key->factor;
  if (!std::isfinite(factor) || factor == 0.0)
    return refuse(rewriter, op, "the scale is zero or not finite");
  results.push_back(query->value);
  results.push_back(key->value);
  results.push_back(mlir::Attribute(rewriter.getStringAttr(key->swapped ? "key" : "product")));
  results.push_back(mlir::Attribute(rewriter.getF64FloatAttr(factor)));
  return success();
}

//===----------------------------------------------------------------------===//
// Attends
//===----------------------------------------------------------------------===//

static LogicalResult matchAttends(mlir::PatternRewriter &rewriter, mlir::PDLResultList &results, Operation *root,
                                  Value weights, Value value, Value like, Value level) {
  Dims own = getLeadingDims(typeOf(weights)), wanted = getLeadingDims(typeOf(level));
  auto type = typeOf(root->getResult(0));
  if (!areEqual(own, wanted)) {
    // The attention is regrouped afterwards: only products without broadcasting are.
    if (!areEqual(getLeadingDims(typeOf(value)), own) || !areEqual(getLeadingDims(type), own) ||
        !canBatch(root->getResult(0), level) || !canBatch(root->getResult(0), weights))
      return refuse(rewriter, root, "the values cannot be brought into the layout of the scores");
  }
  // Over nothing, softmax and mask have no rows to speak of.
  if (typeOf(weights).getShape().back() == 0)
    return refuse(rewriter, root, "there are no keys");
  // One matrix is the same in each layout; then the product says what broadcasts.
  std::optional<Operand> operand = findOperand(value, own, level, like, Role::Value);
  if (!operand)
    operand = areEqual(own, wanted) && elementOf(value) == elementOf(like) ? std::optional<Operand>(Operand{value})
                                                                           : std::nullopt;
  if (!operand)
    return refuse(rewriter, root, "the values cannot be brought into the layout of the scores");
  results.push_back(operand->value);
  return success();
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

static LogicalResult isAttention(mlir::PatternRewriter &, Value value) {
  for (int step = 0; step < 3; ++step) {
    if (value.getDefiningOp<ScaledDotProductAttentionOp>())
      return success();
    auto where = value.getDefiningOp<WhereOp>();
    if (!where)
      return failure();
    value = where.getOther();
  }
  return failure();
}

void fxgraph::registerAttentionMatchers(mlir::PDLPatternModule &pdl, const AttentionOptions &options) {
  using Results = mlir::PDLResultList;
  using Arguments = ArrayRef<mlir::PDLValue>;
  auto add = [&](StringRef name, mlir::PDLConstraintFunction function) {
    pdl.registerConstraintFunction(name, std::move(function));
  };
  add("SoftmaxLike", [options](mlir::PatternRewriter &rewriter, Results &results, Arguments a) {
    return matchSoftmaxLike(rewriter, results, a[0].cast<Value>(), options);
  });
  add("ValuesLike", [options](mlir::PatternRewriter &, Results &results, Arguments a) {
    return matchValuesLike(results, a[0].cast<Value>(), a[1].cast<Value>(), options);
  });
  add("MaskLike", [options](mlir::PatternRewriter &rewriter, Results &results, Arguments a) {
    return matchMaskLike(rewriter, results, a[0].cast<Value>(), options);
  });
  add("ProductLike", [options](mlir::PatternRewriter &rewriter, Results &results, Arguments a) {
    return matchProductLike(rewriter, results, a[0].cast<Value>(), a[1].cast<Value>(), a[2].cast<Value>(),
                            a[3].cast<mlir::Attribute>(), options);
  });
  add("Attends", [](mlir::PatternRewriter &rewriter, Results &results, Arguments a) {
    return matchAttends(rewriter, results, a[0].cast<Operation *>(), a[1].cast<Value>(), a[2].cast<Value>(),
                        a[3].cast<Value>(), a[4].cast<Value>());
  });
  pdl.registerConstraintFunction("MasksAttention", checkMasks);
  pdl.registerConstraintFunction("IsAttention", isAttention);
}
