// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the patterns of attention put in the place of a product.

#include "Matchers.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Transforms/Utils/Constraints.h"
#include "fxgraph/Dialect/IR/Numbers.h"
#include <cmath>
#include <limits>

using namespace fxgraph;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static bool isBool(Value mask) { return typeOf(mask).getElementType().isInteger(1); }

/// `dims` as far as `count` from the right are left out.
static Dims dropRight(ArrayRef<Dim> dims, size_t count) { return Dims(dims.drop_back(std::min(count, dims.size()))); }

static SmallVector<int64_t> toShape(ArrayRef<Dim> dims) {
  return llvm::map_to_vector(dims, [](const Dim &dim) { return dim.isStatic() ? dim.getExtent() : int64_t(-1); });
}

static Value reshape(mlir::PatternRewriter &rewriter, Location loc, Value value, RankedTensorType type) {
  return ReshapeOp::create(rewriter, loc, type, value, mlir::ValueRange(),
                           rewriter.getDenseI64ArrayAttr(toShape(getDims(type))));
}

/// `value` with the leading dimensions of `level`, unless it broadcasts to them as it is.
static Value batch(mlir::PatternRewriter &rewriter, Location loc, Value value, Value level) {
  Dims dims = getDims(typeOf(value)), wanted = dropRight(getDims(typeOf(level)), 2);
  if (provablyBroadcastsTo(dropRight(dims, 2), wanted))
    return value;
  llvm::append_range(wanted, ArrayRef<Dim>(dims).take_back(2));
  return reshape(rewriter, loc, value, withDims(typeOf(value), wanted));
}

//===----------------------------------------------------------------------===//
// Constant masks
//===----------------------------------------------------------------------===//

/// True if `isHiding` may hold throughout a row of the mask.
static bool mayHideRow(Value mask, function_ref<bool(mlir::Attribute)> isHiding) {
  Operation *op = mask.getDefiningOp();
  for (int step = 0; step < 8 && op && isa<UnsqueezeOp, CloneOp, ContiguousOp, ExpandOp>(op); ++step)
    op = op->getOperand(0).getDefiningOp();
  if (auto tril = dyn_cast_if_present<TrilOp>(op); tril && isBool(mask)) {
    std::optional<APFloat> number = getUniformValue(tril.getInput());
    return !number || number->isZero() || tril.getDiagonal() < 0;
  }
  auto constant = dyn_cast_if_present<ConstantOp>(op);
  auto elements = constant ? dyn_cast<mlir::DenseElementsAttr>(constant.getValue()) : mlir::DenseElementsAttr();
  if (!elements || typeOf(constant).getRank() == 0 || typeOf(constant).getShape().back() == 0)
    return true;
  if (elements.isSplat())
    return isHiding(elements.getSplatValue<mlir::Attribute>());
  int64_t seen = 0, index = 0, width = typeOf(constant).getShape().back();
  for (mlir::Attribute element : elements.getValues<mlir::Attribute>()) {
    seen += !isHiding(element);
    if (++index % width == 0) {
      if (seen == 0)
        return true;
      seen = 0;
    }
  }
  return false;
}

static bool isHidden(mlir::Attribute element) {
  if (auto boolean = dyn_cast<IntegerAttr>(element))
    return boolean.getValue().isZero();
  const APFloat &number = cast<FloatAttr>(element).getValue();
  return number.isInfinity() && number.isNegative();
}

static bool isLow(mlir::Attribute element) { return cast<FloatAttr>(element).getValueAsDouble() <= kHiddenScore; }

//===----------------------------------------------------------------------===//
// JoinMasks
//===----------------------------------------------------------------------===//

/// A row of low numbers hides its scores, if 16 bits hold their sum: then the sum is the mask. An attention adds
/// in 32 bits, in which much lower numbers are needed for that.
static Value absorbScores(mlir::PatternRewriter &rewriter, Location loc, Value mask) {
  Type element = typeOf(mask).getElementType();
  if (isBool(mask) || !isNarrowFloat(element) || !mayHideRow(mask, isLow))
    return mask;
  Value highest = AmaxOp::create(rewriter, loc, mask, rewriter.getDenseI64ArrayAttr({-1}), rewriter.getBoolAttr(true));
  Value low = LeOp::create(rewriter, loc, highest, createNumber(rewriter, loc, kHiddenScore));
  // bf16 has such numbers itself; what is below the highest of a row has no weight, whatever it becomes.
  if (element.isBF16())
    low = LogicalAndOp::create(rewriter, loc, low,
                               GeOp::create(rewriter, loc, highest, createNumber(rewriter, loc, -1e8)));
  Value wide = createCast(rewriter, loc, mask, rewriter.getF32Type());
  return WhereOp::create(rewriter, loc, low, MulOp::create(rewriter, loc, wide, createNumber(rewriter, loc, 1e30)),
                         wide);
}

static Value joinMasks(mlir::PatternRewriter &rewriter, Operation *root, Value level, mlir::ValueRange masks,
                       mlir::Attribute forms) {
  Location loc = root->getLoc();
  SmallVector<std::pair<Value, MaskForm>> steps;
  for (auto [mask, attribute] : llvm::zip_equal(masks, cast<mlir::ArrayAttr>(forms))) {
    MaskForm form = MaskForm::fromAttribute(attribute);
    Dims own = dropRight(getDims(form.scores), 2);
    // One for each matrix follows the matrices; one for all is the same in every grouping.
    bool follows = dropRight(getDims(typeOf(level)), 2).size() != own.size() &&
                   llvm::any_of(dropRight(getDims(typeOf(mask)), 2),
                                [](const Dim &dim) { return !dim.isStatic() || dim.getExtent() != 1; });
    steps.emplace_back(follows ? batch(rewriter, loc, mask, level) : mask, form);
  }
  if (steps.size() == 1) {
    auto [mask, form] = steps.front();
    return form.kind == MaskForm::Hidden ? Value(LogicalNotOp::create(rewriter, loc, mask.getType(), mask)) : mask;
  }
  // What is selected replaces what was added before it: score + fill is fill, in the dtype that the
  // scores are masked in.
  Type element = typeOf(level).getElementType();
  Value joined;
  for (auto [mask, form] : llvm::reverse(steps)) {
    if (form.kind == MaskForm::Added) {
      mask = createCast(rewriter, loc, mask, element);
      joined = joined ? Value(AddOp::create(rewriter, loc, joined, mask, rewriter.getF64FloatAttr(1.0))) : mask;
      continue;
    }
    if (!joined) {
      RankedTensorType type = makeTensorType({}, element);
      joined =
          ConstantOp::create(rewriter, loc, type,
                             mlir::DenseElementsAttr::get(type, mlir::Attribute(rewriter.getFloatAttr(element, 0.0))));
    }
    Value fill = createNumber(rewriter, loc, form.fill);
    joined = form.kind == MaskForm::Visible ? WhereOp::create(rewriter, loc, mask, joined, fill)
                                            : WhereOp::create(rewriter, loc, mask, fill, joined);
  }
  return joined;
}

//===----------------------------------------------------------------------===//
// Attend
//===----------------------------------------------------------------------===//

static Value createAttention(mlir::PatternRewriter &rewriter, Operation *root, Value level, Value query, Value key,
                             mlir::Attribute layout, Value value, mlir::Attribute scale, Value mask) {
  Location loc = root->getLoc();
  query = batch(rewriter, loc, query, level);
  key = batch(rewriter, loc, key, level);
  value = batch(rewriter, loc, value, level);
  if (cast<StringAttr>(layout).getValue() == "product")
    key = TransposeOp::create(rewriter, loc, key, rewriter.getI64IntegerAttr(-2), rewriter.getI64IntegerAttr(-1));
  auto type = typeOf(root->getResult(0));
  Dims dims = getDims(type), wanted = dropRight(getDims(typeOf(level)), 2);
  // A regrouped product has no broadcasting; else the product says it all.
  if (dims.size() != wanted.size() + 2 || !provablyBroadcastsTo(wanted, dropRight(dims, 2))) {
    llvm::append_range(wanted, ArrayRef<Dim>(dims).take_back(2));
    type = withDims(type, wanted);
  }
  type = withElementType(type, typeOf(value).getElementType());
  return ScaledDotProductAttentionOp::create(rewriter, loc, type, query, key, value, mask, rewriter.getBoolAttr(false),
                                             cast<FloatAttr>(scale));
}

//===----------------------------------------------------------------------===//
// KeepHiddenRows
//===----------------------------------------------------------------------===//

/// A row that its mask hides throughout is zero in an attention. Written out it is NaN where the
/// hidden scores are -inf, and the mean of the values where they are one finite number.
static Value keepHiddenRows(mlir::PatternRewriter &rewriter, Operation *root, Value attention, Value value, Value mask,
                            mlir::Attribute forms, mlir::Attribute rows) {
  if (cast<StringAttr>(rows).getValue() == "zero" || !mayHideRow(mask, isHidden))
    return attention;
  Location loc = root->getLoc();
  mlir::DenseI64ArrayAttr last = rewriter.getDenseI64ArrayAttr({-1});
  mlir::BoolAttr keep = rewriter.getBoolAttr(true);
  auto mean = [&]() -> Value {
    return MeanOp::create(rewriter, loc, batch(rewriter, loc, value, attention), rewriter.getDenseI64ArrayAttr({-2}),
                          keep);
  };
  auto nan = [&] { return createNumber(rewriter, loc, std::numeric_limits<double>::quiet_NaN()); };
  if (isBool(mask)) {
    double fill = MaskForm::fromAttribute(cast<mlir::ArrayAttr>(forms)[0]).fill;
    Value seen = AnyOp::create(rewriter, loc, mask, last, keep);
    return WhereOp::create(rewriter, loc, seen, attention, std::isinf(fill) ? nan() : mean());
  }
  bool finite = llvm::all_of(cast<mlir::ArrayAttr>(forms), [](mlir::Attribute attribute) {
    MaskForm form = MaskForm::fromAttribute(attribute);
    return form.kind != MaskForm::Added && !std::isinf(form.fill);
  });
  if (finite)
    return attention;
  Value hidden =
      EqOp::create(rewriter, loc, mask, createNumber(rewriter, loc, -std::numeric_limits<double>::infinity()));
  Value allHidden = AllOp::create(rewriter, loc, hidden, last, keep);
  return WhereOp::create(rewriter, loc, allHidden, nan(), attention);
}

//===----------------------------------------------------------------------===//
// ReplaceProduct
//===----------------------------------------------------------------------===//

/// Erases assertions that hold by the types from what the product alone has used: they would keep
/// it alive.
static void releaseAssertions(mlir::PatternRewriter &rewriter, Operation *root) {
  SmallVector<Value> worklist{root->getOperand(0)};
  for (int step = 0; step < 64 && !worklist.empty(); ++step) {
    Value value = worklist.pop_back_val();
    for (Operation *user : llvm::to_vector(value.getUsers()))
      if (isProvenAssertion(user))
        rewriter.eraseOp(user);
    Operation *op = value.getDefiningOp();
    if (op && !isa<MatmulOp, BmmOp, BaddbmmOp>(op))
      llvm::append_range(worklist, op->getOperands());
  }
}

static void replaceProduct(mlir::PatternRewriter &rewriter, Operation *root, Value attention) {
  releaseAssertions(rewriter, root);
  auto type = typeOf(root->getResult(0));
  attention = createCast(rewriter, root->getLoc(), attention, type.getElementType());
  if (attention.getType() != type)
    attention = reshape(rewriter, root->getLoc(), attention, type);
  rewriter.replaceOp(root, attention);
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

void fxgraph::registerAttentionRewrites(mlir::PDLPatternModule &pdl, const AttentionOptions &options) {
  pdl.registerRewriteFunction("JoinMasks",
                              [keep = options.keepHiddenRows](mlir::PatternRewriter &rewriter, Operation *root,
                                                              Value level, mlir::ValueRange masks,
                                                              mlir::Attribute forms) -> Value {
                                Value mask = joinMasks(rewriter, root, level, masks, forms);
                                return keep ? absorbScores(rewriter, root->getLoc(), mask) : mask;
                              });
  pdl.registerRewriteFunction("Attend",
                              [](mlir::PatternRewriter &rewriter, Operation *root, Value level, Value query, Value key,
                                 mlir::Attribute layout, Value value, mlir::Attribute scale) -> Value {
                                return createAttention(rewriter, root, level, query, key, layout, value, scale,
                                                       Value());
                              });
  pdl.registerRewriteFunction("AttendMasked",
                              [](mlir::PatternRewriter &rewriter, Operation *root, Value level, Value query, Value key,
                                 mlir::Attribute layout, Value value, mlir::Attribute scale, Value mask) -> Value {
                                return createAttention(rewriter, root, level, query, key, layout, value, scale, mask);
                              });
  pdl.registerRewriteFunction(
      "KeepHiddenRows",
      [keep = options.keepHiddenRows](mlir::PatternRewriter &rewriter, Operation *root, Value attention, Value value,
                                      Value mask, mlir::Attribute forms, mlir::Attribute rows) -> Value {
        return keep ? keepHiddenRows(rewriter, root, attention, value, mask, forms, rows) : attention;
      });
  pdl.registerRewriteFunction("ReplaceProduct", replaceProduct);
}
