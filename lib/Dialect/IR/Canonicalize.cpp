// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Canonical forms that --canonicalize brings about; the pipelines of PyTorch's passes
// do not run them. Those whose match is closed are in Canonicalization.td. All exact, bit for bit. An op is replaced by an older value, or by
// one that could be a view where it was a copy, only if no caller can tell
// (`isStorageHidden`). Each application removes an op or moves a use towards the
// arguments, so that they end; linear.

#include "Folding.h"
#include "fxgraph/Dialect/IR/Permutation.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace fxgraph;
using mlir::OpInterfaceRewritePattern;
using mlir::OpRewritePattern;
using mlir::PatternRewriter;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Views of views
//===----------------------------------------------------------------------===//

/// A view that keeps the row-major order of the elements, and never copies.
static bool isPureRowMajorView(Operation *op) { return isRowMajorView(op) && !isa<ReshapeOp, FlattenOp>(op); }

std::optional<SmallVector<int64_t>> fxgraph::getPermutation(Operation *op) {
  if (!isa_and_present<PermuteOp, TransposeOp>(op))
    return std::nullopt;
  int64_t rank = typeOf(op->getOperand(0)).getRank();
  SmallVector<int64_t> order;
  if (auto permute = dyn_cast<PermuteOp>(op)) {
    for (int64_t dim : permute.getDims())
      order.push_back(wrapDim(dim, rank));
    return order;
  }
  auto transpose = cast<TransposeOp>(op);
  order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (rank > 0)
    std::swap(order[wrapDim(transpose.getDim0(), rank)], order[wrapDim(transpose.getDim1(), rank)]);
  return order;
}

namespace {
/// Pattern: reshape(view(x)) -> reshape(x), view(view(x)) -> view(x), where the inner
/// one is any that keeps the order. A shape says the same about either input.
template <typename OpTy>
struct MergeReshapes : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    Operation *inner = op.getInput().getDefiningOp();
    if (!isRowMajorView(inner))
      return failure();
    // A copy in between makes a view possible, and the result fresh.
    if (!isPureRowMajorView(inner) && (isa<ViewOp>(op) || !isStorageHidden(op)))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op->setOperand(0, inner->getOperand(0)); });
    return success();
  }
};

/// Pattern: v(w(x)) -> x, if both keep the order and x has the type of the result.
template <typename OpTy>
struct CancelRowMajorViews : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    Operation *inner = op.getInput().getDefiningOp();
    if (!isRowMajorView(inner))
      return failure();
    Value source = inner->getOperand(0);
    if (source.getType() != op.getResult().getType() || !typeOf(source).hasStaticShape() || !isStorageHidden(op))
      return failure();
    rewriter.replaceOp(op, source);
    return success();
  }
};

/// Pattern: permute(permute(x; a); b) -> permute(x; a[b]), x if that is the identity;
/// transpose is a permute here.
template <typename OpTy>
struct MergePermutes : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    Operation *inner = op.getInput().getDefiningOp();
    std::optional<SmallVector<int64_t>> first = getPermutation(inner), second = getPermutation(op);
    if (!first)
      return failure();
    SmallVector<int64_t> order;
    for (int64_t dim : *second)
      order.push_back((*first)[dim]);
    Value source = inner->getOperand(0);
    if (llvm::equal(order, llvm::seq<int64_t>(0, order.size())) && source.getType() == op.getResult().getType() &&
        isStorageHidden(op)) {
      rewriter.replaceOp(op, source);
      return success();
    }
    rewriter.replaceOpWithNewOp<PermuteOp>(op, op.getResult().getType(), source, order);
    return success();
  }
};

/// Pattern: expand(expand(x)) -> expand(x), to an extent that is known.
struct MergeExpands : public OpRewritePattern<ExpandOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ExpandOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<ExpandOp>();
    RankedTensorType type = op.getResult().getType();
    if (!inner || !type.hasStaticShape())
      return failure();
    rewriter.replaceOpWithNewOp<ExpandOp>(op, type, inner.getInput(), ValueRange(), type.getShape());
    return success();
  }
};

/// Pattern: view(splat constant) -> splat constant. What repeats elements makes no
/// big constant of a small one.
struct MoveSplat : public OpInterfaceRewritePattern<ViewLikeOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ViewLikeOpInterface op, PatternRewriter &rewriter) const override {
    mlir::SplatElementsAttr splat;
    // These bring in zeros or another value.
    if (isa<TriuOp, TrilOp, ConstantPadNdOp>(op) || !matchPattern(op->getOperand(0), mlir::m_Constant(&splat)))
      return failure();
    auto type = typeOf(op->getResult(0));
    if (!type.hasStaticShape() || type.getNumElements() > std::max(splat.getNumElements(), kMaxFoldedElements) ||
        !isStorageHidden(op))
      return failure();
    auto value = type.getElementType() == splat.getElementType() && type.getNumElements() > 0 ? splat.resizeSplat(type)
                                                                                              : DenseElementsAttr();
    if (!value)
      return failure();
    rewriter.replaceOpWithNewOp<ConstantOp>(op, value);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Whether every value of dtype `from` is one of dtype `to`.
static bool holdsExactly(Type from, Type to) {
  // Bits of the largest integer, without the sign; digits of the significand.
  auto bits = [](Type type) -> unsigned {
    return type.getIntOrFloatBitWidth() - (type.isInteger(1) || type.isUnsignedInteger() ? 0 : 1);
  };
  bool isSigned = !from.isInteger(1) && !from.isUnsignedInteger();
  if (auto toFloat = dyn_cast<FloatType>(to)) {
    unsigned digits = toFloat.getFPMantissaWidth();
    if (isa<IntegerType>(from))
      return bits(from) <= digits;
    return (from.isF16() || from.isBF16() || from.isF32()) && (to.isF32() || to.isF64()) && from != to;
  }
  if (!isa<IntegerType>(from) || !isa<IntegerType>(to) || to.isInteger(1))
    return false;
  return bits(from) <= bits(to) && (!isSigned || !to.isUnsignedInteger());
}

/// Whether convert(convert(x)) is convert(x): the first conversion loses nothing of what
/// the second one looks at.
static bool convertsExactly(Value source, Value inner, Value outer) {
  Type from = typeOf(source).getElementType(), between = typeOf(inner).getElementType(),
       to = typeOf(outer).getElementType();
  if (!from.isIntOrFloat() || !between.isIntOrFloat() || !to.isIntOrFloat() || !holdsExactly(from, between))
    return false;
  // Floats that an integer cannot hold: what comes out may depend on the way.
  return !(isa<FloatType>(from) || isa<FloatType>(between)) || !isa<IntegerType>(to) || to.isInteger(1) ||
         holdsExactly(from, to);
}

/// Pattern: add, sub or mul of constants of one dtype -> constant. Integers wrap; floats
/// round once, as PyTorch's do: it computes 16-bit floats in 32 bits, which hold enough
/// digits for one more rounding to change nothing.
template <typename OpTy>
struct FoldArithmetic : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    DenseElementsAttr left, right;
    RankedTensorType type = op.getResult().getType();
    Type element = type.getElementType();
    if (!matchPattern(op.getInput(), m_Constant(&left)) || !matchPattern(op.getOther(), m_Constant(&right)) ||
        left.getElementType() != element || right.getElementType() != element || !isFoldable(element) ||
        element.isInteger(1) || !type.hasStaticShape() || left.empty() || right.empty() || !isStorageHidden(op))
      return failure();
    if constexpr (!std::is_same_v<OpTy, MulOp>)
      if (!op.getAlpha().isExactlyValue(1.0))
        return failure();
    bool splat = left.isSplat() && right.isSplat();
    bool sameType = left.getType() == type && right.getType() == type && type.getNumElements() <= kMaxFoldedElements;
    // A broadcast of splats may be much larger than they are (H41).
    if (!sameType && (!splat || type.getNumElements() >
                                    std::max({left.getNumElements(), right.getNumElements(), kMaxFoldedElements})))
      return failure();
    DenseElementsAttr result =
        isa<FloatType>(element) ? compute<APFloat>(left, right, type, splat) : compute<APInt>(left, right, type, splat);
    if (!result)
      return failure();
    rewriter.replaceOpWithNewOp<ConstantOp>(op, result);
    return success();
  }

  template <typename T>
  static DenseElementsAttr compute(DenseElementsAttr left, DenseElementsAttr right, RankedTensorType type, bool splat) {
    SmallVector<T> values;
    if (splat)
      values.push_back(apply(left.getSplatValue<T>(), right.getSplatValue<T>()));
    else
      for (auto [x, y] : llvm::zip_equal(left.getValues<T>(), right.getValues<T>()))
        values.push_back(apply(x, y));
    // Sign and payload of a NaN are the machine's.
    if constexpr (std::is_same_v<T, APFloat>)
      if (llvm::any_of(values, [](const APFloat &value) { return value.isNaN(); }))
        return {};
    return DenseElementsAttr::get(type, values);
  }

  template <typename T>
  static T apply(const T &x, const T &y) {
    if constexpr (std::is_same_v<OpTy, AddOp>)
      return x + y;
    else if constexpr (std::is_same_v<OpTy, SubOp>)
      return x - y;
    else
      return x * y;
  }
};

/// Pattern: narrow with constant bounds -> slice, where the bounds are known to be in range.
struct NarrowToSlice : public OpRewritePattern<NarrowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(NarrowOp op, PatternRewriter &rewriter) const override {
    int64_t dim = wrapDim(op.getDim(), op.getInput().getType().getRank());
    int64_t extent = op.getInput().getType().getDimSize(dim);
    llvm::APInt start, length;
    if (ShapedType::isDynamic(extent) || !matchPattern(op.getStart(), mlir::m_ConstantInt(&start)) ||
        !matchPattern(op.getLength(), mlir::m_ConstantInt(&length)))
      return failure();
    int64_t from = start.getSExtValue(), count = length.getSExtValue();
    if (from < 0 || count < 0 || from > extent || count > extent - from)
      return failure();
    rewriter.replaceOpWithNewOp<SliceOp>(op, op.getResult().getType(), op.getInput(), dim, from, from + count, 1);
    return success();
  }
};

/// Pattern: sym_size(f(x)) -> sym_size(x), where f keeps the type or permutes it.
struct SizeOfSource : public OpRewritePattern<SymSizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SymSizeOp op, PatternRewriter &rewriter) const override {
    Operation *inner = op.getInput().getDefiningOp();
    if (!inner || !isa_and_present<FxGraphDialect>(inner->getDialect()))
      return failure();
    int64_t dim = wrapDim(op.getDim(), op.getInput().getType().getRank());
    if (std::optional<SmallVector<int64_t>> order = getPermutation(inner))
      dim = (*order)[dim];
    else if (!inner->hasTrait<mlir::OpTrait::SameOperandsAndResultType>() && !isa<ConvertElementTypeOp>(inner))
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperand(0, inner->getOperand(0));
      op.setDim(dim);
    });
    return success();
  }
};

#include "Canonicalization.inc"
} // namespace

void FxGraphDialect::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns) const {
  MLIRContext *context = getContext();
  patterns.add<MergeReshapes<ReshapeOp>, MergeReshapes<ViewOp>, CancelRowMajorViews<ReshapeOp>,
               CancelRowMajorViews<ViewOp>, CancelRowMajorViews<FlattenOp>, CancelRowMajorViews<UnflattenOp>,
               CancelRowMajorViews<SqueezeOp>, CancelRowMajorViews<UnsqueezeOp>, MergePermutes<PermuteOp>,
               MergePermutes<TransposeOp>, MergeExpands, MoveSplat>(context);
  patterns.add<FoldArithmetic<AddOp>, FoldArithmetic<SubOp>, FoldArithmetic<MulOp>, NarrowToSlice, SizeOfSource>(
      context);
  populateWithGenerated(patterns);
}
