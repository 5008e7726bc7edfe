// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data movement. Reshapes and slices become views (expand/collapse_shape,
// extract_slice), so they cost nothing where the buffers allow it; transposes and
// broadcasts become linalg.generic, which fuses into its consumers; flip, roll and
// the triangles compute the source index in the body.

#include "LoweringUtils.h"
#include "PopulatePatterns.h"

using namespace fxgraph;
using namespace fxgraph::lowering;

static bool isOne(OpFoldResult size) { return constantSize(size) == 1; }

/// Extents of a shape list: -1 is inferred, INT64_MIN takes the next of `dynamic`.
static Sizes shapeSizes(OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> shape, ValueRange dynamic,
                        RankedTensorType result) {
  Sizes sizes;
  int64_t inferred = -1;
  size_t next = 0;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    Value operand;
    if (ShapedType::isDynamic(extent) && next < dynamic.size())
      operand = dynamic[next++];
    if (!result.isDynamicDim(i)) {
      sizes.push_back(b.getIndexAttr(result.getDimSize(i)));
    } else if (operand) {
      sizes.push_back(operand);
    } else if (extent >= 0) {
      sizes.push_back(b.getIndexAttr(extent)); // an extent that the type calls by a symbol
    } else {
      inferred = i;
      sizes.push_back(b.getIndexAttr(1));
    }
  }
  OpFoldResult total = b.getIndexAttr(1), others = b.getIndexAttr(1);
  for (OpFoldResult size : getSizes(b, loc, input))
    total = mulSizes(b, loc, total, size);
  for (OpFoldResult size : sizes)
    others = mulSizes(b, loc, others, size);
  if (inferred >= 0) {
    if (!constantSize(others)) {
      Value known = toIndexValue(b, loc, others), zero = mlir::arith::ConstantIndexOp::create(b, loc, 0);
      assertTrue(b, loc, mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::ne, known, zero),
                 "expected extents > 0 beside the -1 in shape");
    }
    sizes[inferred] = divSizes(b, loc, total, others);
    // The quotient leaves no rest.
    others = isOne(others) ? total : mulSizes(b, loc, sizes[inferred], others);
  }
  if (!constantSize(total) || !constantSize(others))
    assertEqualSizes(b, loc, total, others, "expected a reshape to keep the number of elements");
  return sizes;
}

namespace {

template <typename OpTy>
struct ReshapeLowering : public OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    RankedTensorType result = op.getResult().getType();
    Location loc = op.getLoc();
    Sizes sizes = shapeSizes(rewriter, loc, adaptor.getInput(), op.getShape(), adaptor.getSizes(), result);
    Value value = reshapeTo(rewriter, loc, adaptor.getInput(), sizes);
    rewriter.replaceOp(op, castTo(rewriter, loc, value, this->getTypeConverter()->convertType(result)));
    return success();
  }
};

struct FlattenLowering : public OpConversionPattern<FlattenOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(FlattenOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Sizes from = getSizes(rewriter, loc, adaptor.getInput()), sizes;
    if (from.empty()) {
      sizes.push_back(rewriter.getIndexAttr(1));
    } else {
      int64_t start = wrapDim(op.getStartDim(), from.size()), end = wrapDim(op.getEndDim(), from.size());
      OpFoldResult merged = rewriter.getIndexAttr(1);
      for (int64_t i = start; i <= end; ++i)
        merged = mulSizes(rewriter, loc, merged, from[i]);
      sizes.append(from.begin(), from.begin() + start);
      sizes.push_back(merged);
      sizes.append(from.begin() + end + 1, from.end());
    }
    Value value = reshapeTo(rewriter, loc, adaptor.getInput(), sizes);
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

struct UnflattenLowering : public OpConversionPattern<UnflattenOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(UnflattenOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType result = op.getResult().getType();
    Sizes from = getSizes(rewriter, loc, adaptor.getInput()), sizes;
    int64_t dim = wrapDim(op.getDim(), from.size()), count = op.getSizes().size();
    OpFoldResult known = rewriter.getIndexAttr(1);
    for (int64_t extent : op.getSizes())
      if (extent != -1)
        known = mulSizes(rewriter, loc, known, rewriter.getIndexAttr(extent));
    sizes.append(from.begin(), from.begin() + dim);
    for (int64_t i = 0; i < count; ++i) {
      int64_t extent = op.getSizes()[i];
      if (!result.isDynamicDim(dim + i))
        extent = result.getDimSize(dim + i);
      sizes.push_back(extent == -1 ? divSizes(rewriter, loc, from[dim], known)
                                   : OpFoldResult(rewriter.getIndexAttr(extent)));
    }
    OpFoldResult product = rewriter.getIndexAttr(1);
    for (OpFoldResult size : ArrayRef(sizes).drop_front(dim))
      product = mulSizes(rewriter, loc, product, size);
    if (!constantSize(from[dim]) && !isOne(known))
      assertEqualSizes(rewriter, loc, from[dim], product, "expected sizes whose product is the extent");
    sizes.append(from.begin() + dim + 1, from.end());
    Value value = reshapeTo(rewriter, loc, adaptor.getInput(), sizes);
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(result)));
    return success();
  }
};

/// permute and transpose.
struct PermuteLowering : public OpConversionPattern<PermuteOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(PermuteOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    SmallVector<int64_t> order;
    int64_t rank = op.getInput().getType().getRank();
    for (int64_t dim : op.getDims())
      order.push_back(wrapDim(dim, rank));
    Value value = rank == 0 ? adaptor.getInput() : transposed(rewriter, op.getLoc(), adaptor.getInput(), order);
    rewriter.replaceOp(op,
                       castTo(rewriter, op.getLoc(), value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};
struct TransposeLowering : public OpConversionPattern<TransposeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(TransposeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    int64_t rank = op.getInput().getType().getRank();
    Value value = adaptor.getInput();
    if (rank > 0) {
      SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
      std::swap(order[wrapDim(op.getDim0(), rank)], order[wrapDim(op.getDim1(), rank)]);
      value = transposed(rewriter, op.getLoc(), value, order);
    }
    rewriter.replaceOp(op,
                       castTo(rewriter, op.getLoc(), value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

struct SqueezeLowering : public OpConversionPattern<SqueezeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(SqueezeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    RankedTensorType input = op.getInput().getType();
    SmallVector<int64_t> dropped;
    for (int64_t i = 0; i < input.getRank(); ++i) {
      bool listed =
          !op.getDims() || llvm::any_of(*op.getDims(), [&](int64_t dim) { return wrapDim(dim, input.getRank()) == i; });
      if (listed && input.getDimSize(i) == 1)
        dropped.push_back(i);
    }
    Value value = dropDims(rewriter, op.getLoc(), adaptor.getInput(), dropped);
    rewriter.replaceOp(op,
                       castTo(rewriter, op.getLoc(), value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

struct UnsqueezeLowering : public OpConversionPattern<UnsqueezeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(UnsqueezeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    int64_t dim = wrapDim(op.getDim(), op.getInput().getType().getRank() + 1);
    Value value = unsqueeze(rewriter, op.getLoc(), adaptor.getInput(), dim);
    rewriter.replaceOp(op,
                       castTo(rewriter, op.getLoc(), value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

struct ExpandLowering : public OpConversionPattern<ExpandOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ExpandOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType result = op.getResult().getType();
    Value input = adaptor.getInput();
    int64_t added = result.getRank() - tensorType(input).getRank();
    Sizes sizes;
    size_t next = 0;
    for (auto [i, extent] : llvm::enumerate(op.getShape())) {
      Value operand;
      if (ShapedType::isDynamic(extent))
        operand = adaptor.getSizes()[next++];
      if (!result.isDynamicDim(i))
        sizes.push_back(rewriter.getIndexAttr(result.getDimSize(i)));
      else if (operand)
        sizes.push_back(operand);
      else
        sizes.push_back(getSize(rewriter, loc, input, i - added));
    }
    AffineMap map = broadcastMap(rewriter, loc, input, sizes);
    Value value = buildParallel(rewriter, loc, input, map, sizes, dtypeOf(input),
                                [](OpBuilder &, Location, ValueRange args) { return args[0]; });
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(result)));
    return success();
  }
};

/// repeat: [d0, d1] by [r0, r1] is [r0, d0, r1, d1] broadcast, then flattened.
struct RepeatLowering : public OpConversionPattern<RepeatOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(RepeatOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    ArrayRef<int64_t> repeats = op.getRepeats();
    Sizes from = getSizes(rewriter, loc, input), tiled, flat;
    int64_t added = repeats.size() - from.size();
    SmallVector<mlir::AffineExpr> exprs;
    for (auto [i, count] : llvm::enumerate(repeats)) {
      OpFoldResult times = rewriter.getIndexAttr(count);
      tiled.push_back(times);
      if (static_cast<int64_t>(i) < added) {
        flat.push_back(times);
        continue;
      }
      exprs.push_back(rewriter.getAffineDimExpr(tiled.size()));
      tiled.push_back(from[i - added]);
      flat.push_back(mulSizes(rewriter, loc, times, from[i - added]));
    }
    AffineMap map = AffineMap::get(tiled.size(), 0, exprs, rewriter.getContext());
    Value value = buildParallel(rewriter, loc, input, map, tiled, dtypeOf(input),
                                [](OpBuilder &, Location, ValueRange args) { return args[0]; });
    value = reshapeTo(rewriter, loc, value, flat);
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

/// Start and extent of a slice; clamped by arithmetic where the extent is dynamic.
std::pair<OpFoldResult, OpFoldResult> sliceRange(OpBuilder &b, Location loc, OpFoldResult extent, int64_t start,
                                                 int64_t end, int64_t step) {
  if (std::optional<int64_t> number = constantSize(extent)) {
    SliceBounds bounds = clampSlice(*number, start, end, step);
    return {b.getIndexAttr(bounds.start), b.getIndexAttr(bounds.size)};
  }
  auto clamp = [&](int64_t position) -> OpFoldResult {
    if (position == 0)
      return b.getIndexAttr(0);
    if (position < 0)
      return maxSizes(b, loc, addSizes(b, loc, extent, b.getIndexAttr(position)), b.getIndexAttr(0));
    return position == INT64_MAX ? extent : minSizes(b, loc, extent, b.getIndexAttr(position));
  };
  OpFoldResult first = clamp(start), last = clamp(end);
  OpFoldResult length = maxSizes(b, loc, subSizes(b, loc, last, first), b.getIndexAttr(0));
  if (step != 1)
    length = divSizes(b, loc, addSizes(b, loc, length, b.getIndexAttr(step - 1)), b.getIndexAttr(step));
  return {first, length};
}

struct SliceLowering : public OpConversionPattern<SliceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(SliceOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t dim = wrapDim(op.getDim(), op.getInput().getType().getRank());
    auto [start, size] = sliceRange(rewriter, loc, getSize(rewriter, loc, adaptor.getInput(), dim), op.getStart(),
                                    op.getEnd(), op.getStep());
    Value value = sliceDim(rewriter, loc, adaptor.getInput(), dim, start, size, op.getStep());
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

/// The bounds are checked: nothing clamps them, and an extract_slice out of range reads foreign memory.
struct NarrowLowering : public OpConversionPattern<NarrowOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(NarrowOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    using mlir::arith::CmpIOp, mlir::arith::CmpIPredicate;
    Location loc = op.getLoc();
    RankedTensorType result = op.getResult().getType();
    int64_t dim = wrapDim(op.getDim(), result.getRank());
    OpFoldResult extent = getSize(rewriter, loc, adaptor.getInput(), dim), size = adaptor.getLength();
    if (!result.isDynamicDim(dim)) {
      size = rewriter.getIndexAttr(result.getDimSize(dim));
      assertEqualSizes(rewriter, loc, adaptor.getLength(), size, "expected narrow's length to be that of its type");
    }
    Value zero = mlir::arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value rest = toIndexValue(rewriter, loc, subSizes(rewriter, loc, extent, adaptor.getStart()));
    for (auto [low, high] :
         {std::pair<Value, Value>(zero, adaptor.getStart()), {zero, adaptor.getLength()}, {adaptor.getLength(), rest}})
      assertTrue(rewriter, loc, CmpIOp::create(rewriter, loc, CmpIPredicate::sle, low, high),
                 "expected narrow's bounds to be in range");
    Value value = sliceDim(rewriter, loc, adaptor.getInput(), dim, adaptor.getStart(), size);
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(result)));
    return success();
  }
};

/// Index counted from 0; out of a dynamic extent fails the run.
OpFoldResult selectIndex(OpBuilder &b, Location loc, OpFoldResult extent, int64_t index) {
  if (std::optional<int64_t> number = constantSize(extent))
    return b.getIndexAttr(index < 0 ? index + *number : index);
  Value bound = toIndexValue(b, loc, extent);
  Value least = mlir::arith::ConstantIndexOp::create(b, loc, index < 0 ? -index : index + 1);
  assertTrue(b, loc, mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::sge, bound, least),
             "expected select's index to be in range but got " + Twine(index));
  return index < 0 ? addSizes(b, loc, extent, b.getIndexAttr(index)) : OpFoldResult(b.getIndexAttr(index));
}

struct SelectLowering : public OpConversionPattern<SelectOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(SelectOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    int64_t dim = wrapDim(op.getDim(), tensorType(input).getRank());
    OpFoldResult index = selectIndex(rewriter, loc, getSize(rewriter, loc, input, dim), op.getIndex());
    Value slice = sliceDim(rewriter, loc, input, dim, index, rewriter.getIndexAttr(1));
    Value value = dropDims(rewriter, loc, slice, dim);
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

struct LookupSeedLowering : public OpConversionPattern<InductorLookupSeedOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(InductorLookupSeedOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value seed =
        sliceDim(rewriter, loc, adaptor.getSeeds(), 0, rewriter.getIndexAttr(op.getIndex()), rewriter.getIndexAttr(1));
    rewriter.replaceOp(op, dropDims(rewriter, loc, seed, 0));
    return success();
  }
};

/// Reads `input` at the index that `source` computes from the result's.
Value buildIndexed(OpBuilder &b, Location loc, Value input, ArrayRef<OpFoldResult> sizes,
                   function_ref<SmallVector<Value>(OpBuilder &, Location, ArrayRef<Value>)> source) {
  return buildParallel(b, loc, {}, {}, sizes, dtypeOf(input), [&](OpBuilder &n, Location l, ValueRange) -> Value {
    SmallVector<Value> index;
    for (size_t i = 0; i < sizes.size(); ++i)
      index.push_back(mlir::linalg::IndexOp::create(n, l, i));
    return mlir::tensor::ExtractOp::create(n, l, input, source(n, l, index));
  });
}

struct FlipLowering : public OpConversionPattern<FlipOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(FlipOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    Sizes sizes = getSizes(rewriter, loc, input);
    SmallVector<Value> last(sizes.size());
    SmallVector<bool> flipped(sizes.size(), false);
    for (int64_t dim : op.getDims()) {
      if (sizes.empty())
        break;
      int64_t d = wrapDim(dim, sizes.size());
      flipped[d] = true;
      last[d] = toIndexValue(rewriter, loc, subSizes(rewriter, loc, sizes[d], rewriter.getIndexAttr(1)));
    }
    Value value = buildIndexed(rewriter, loc, input, sizes, [&](OpBuilder &b, Location l, ArrayRef<Value> index) {
      SmallVector<Value> from(index);
      for (size_t i = 0; i < from.size(); ++i)
        if (flipped[i])
          from[i] = mlir::arith::SubIOp::create(b, l, last[i], index[i]);
      return from;
    });
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

struct RollLowering : public OpConversionPattern<RollOp> {
  RollLowering(const mlir::TypeConverter &converter, MLIRContext *context, bool parallelForms)
      : OpConversionPattern(converter, context), parallelForms(parallelForms) {}
  LogicalResult matchAndRewrite(RollOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    Sizes original = getSizes(rewriter, loc, input);
    if (original.empty()) { // A scalar has nothing to rotate.
      rewriter.replaceOp(op, input);
      return success();
    }
    SmallVector<int64_t> dims(op.getDims());
    if (dims.empty()) { // Of the flattened tensor.
      OpFoldResult total = rewriter.getIndexAttr(1);
      for (OpFoldResult size : original)
        total = mulSizes(rewriter, loc, total, size);
      input = reshapeTo(rewriter, loc, input, total);
      dims.push_back(0);
    }
    Sizes sizes = getSizes(rewriter, loc, input);
    // result[i] = input[(i - shift) mod n]; the offset -shift mod n is loop-invariant.
    SmallVector<int64_t> shift(sizes.size(), 0);
    for (auto [dim, amount] : llvm::zip_equal(dims, op.getShifts()))
      shift[wrapDim(dim, sizes.size())] += amount;
    if (!parallelForms && tensorType(input).hasStaticShape() && tensorType(input).getNumElements() > 0) {
      // Two pieces, which are copied by rows: no element asks which it is of.
      for (int64_t dim = 0; dim < static_cast<int64_t>(sizes.size()); ++dim) {
        int64_t size = tensorType(input).getDimSize(dim), back = ((-shift[dim]) % size + size) % size;
        if (back == 0)
          continue;
        auto piece = [&](int64_t start, int64_t extent) {
          return sliceDim(rewriter, loc, input, dim, rewriter.getIndexAttr(start), rewriter.getIndexAttr(extent));
        };
        Value pieces[] = {piece(back, size - back), piece(0, back)};
        input = mlir::tensor::ConcatOp::create(rewriter, loc, dim, pieces);
      }
      input = reshapeTo(rewriter, loc, input, original);
      rewriter.replaceOp(op, castTo(rewriter, loc, input, getTypeConverter()->convertType(op.getResult().getType())));
      return success();
    }
    SmallVector<Value> offset(sizes.size()), extent(sizes.size());
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (shift[i] == 0)
        continue;
      extent[i] = toIndexValue(rewriter, loc, sizes[i]);
      Value divisor = mlir::arith::MaxSIOp::create(rewriter, loc, extent[i],
                                                   mlir::arith::ConstantIndexOp::create(rewriter, loc, 1));
      Value back = mlir::arith::ConstantIndexOp::create(rewriter, loc, -shift[i]);
      Value remainder = mlir::arith::RemSIOp::create(rewriter, loc, back, divisor);
      Value wrapped = mlir::arith::AddIOp::create(rewriter, loc, remainder, divisor);
      offset[i] = mlir::arith::RemSIOp::create(rewriter, loc, wrapped, divisor);
    }
    Value value = buildIndexed(rewriter, loc, input, sizes, [&](OpBuilder &b, Location l, ArrayRef<Value> index) {
      SmallVector<Value> from(index);
      for (size_t i = 0; i < from.size(); ++i) {
        if (!offset[i])
          continue;
        Value moved = mlir::arith::AddIOp::create(b, l, index[i], offset[i]);
        Value over = mlir::arith::CmpIOp::create(b, l, mlir::arith::CmpIPredicate::sge, moved, extent[i]);
        Value less = mlir::arith::SubIOp::create(b, l, moved, extent[i]);
        from[i] = mlir::arith::SelectOp::create(b, l, over, less, moved);
      }
      return from;
    });
    value = reshapeTo(rewriter, loc, value, original);
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
  bool parallelForms;
};

struct PadLowering : public OpConversionPattern<ConstantPadNdOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ConstantPadNdOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    int64_t rank = tensorType(input).getRank();
    SmallVector<int64_t> before(rank, 0), after(rank, 0);
    for (size_t i = 0; i < op.getPad().size() / 2; ++i) {
      before[rank - 1 - i] = op.getPad()[2 * i];
      after[rank - 1 - i] = op.getPad()[2 * i + 1];
    }
    Value scalar =
        createStoredScalar(rewriter, loc, op.getInput().getType().getElementType(), op.getValue().convertToDouble());
    Value value = padOrCrop(rewriter, loc, input, before, after, scalar);
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

/// triu keeps column - row >= diagonal, tril column - row <= diagonal.
template <typename OpTy, mlir::arith::CmpIPredicate kept>
struct TriangleLowering : public OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value input = adaptor.getInput();
    int64_t rank = tensorType(input).getRank();
    Value value = buildElementwise(
        rewriter, op.getLoc(), input, dtypeOf(input), [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
          Value row = mlir::linalg::IndexOp::create(b, loc, rank - 2),
                column = mlir::linalg::IndexOp::create(b, loc, rank - 1);
          Value diagonal = mlir::arith::ConstantIndexOp::create(b, loc, op.getDiagonal());
          Value condition =
              mlir::arith::CmpIOp::create(b, loc, kept, mlir::arith::SubIOp::create(b, loc, column, row), diagonal);
          Value zero = mlir::arith::ConstantOp::create(b, loc, b.getZeroAttr(args[0].getType()));
          return mlir::arith::SelectOp::create(b, loc, condition, args[0], zero);
        });
    rewriter.replaceOp(
        op, castTo(rewriter, op.getLoc(), value, this->getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

struct SliceScatterLowering : public OpConversionPattern<SliceScatterOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(SliceScatterOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput(), src = adaptor.getSrc();
    int64_t rank = tensorType(input).getRank(), dim = wrapDim(op.getDim(), rank);
    auto [start, size] =
        sliceRange(rewriter, loc, getSize(rewriter, loc, input, dim), op.getStart(), op.getEnd(), op.getStep());
    Sizes sizes = getSizes(rewriter, loc, src);
    if (!constantSize(sizes[dim]) || !constantSize(size))
      assertEqualSizes(rewriter, loc, sizes[dim], size, "expected slice_scatter's src to have the slice's extent");
    SmallVector<OpFoldResult> offsets(rank, rewriter.getIndexAttr(0)), strides(rank, rewriter.getIndexAttr(1));
    offsets[dim] = start;
    strides[dim] = rewriter.getIndexAttr(op.getStep());
    Value value = insertSlice(rewriter, loc, src, input, offsets, sizes, strides);
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

struct SelectScatterLowering : public OpConversionPattern<SelectScatterOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(SelectScatterOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    int64_t rank = tensorType(input).getRank(), dim = wrapDim(op.getDim(), rank);
    Sizes sizes = getSizes(rewriter, loc, input);
    SmallVector<OpFoldResult> offsets(rank, rewriter.getIndexAttr(0)), strides(rank, rewriter.getIndexAttr(1));
    offsets[dim] = selectIndex(rewriter, loc, sizes[dim], op.getIndex());
    sizes[dim] = rewriter.getIndexAttr(1);
    Value src = unsqueeze(rewriter, loc, adaptor.getSrc(), dim);
    Value value = insertSlice(rewriter, loc, src, input, offsets, getSizes(rewriter, loc, src), strides);
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

/// The same bytes as elements of another width: a wider element is put together from its
/// parts, of which the first is the lowest; a narrower one is a part of one.
struct ViewDtypeLowering : public OpConversionPattern<ViewDtypeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ViewDtypeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    auto bitsOf = [](Type storage) { return storage.isInteger(1) ? 8u : storage.getIntOrFloatBitWidth(); };
    Type from = tensorType(input).getElementType(), to = getStorageType(dtypeOf(op.getResult()));
    unsigned fromBits = bitsOf(from), toBits = bitsOf(to);
    int64_t rank = tensorType(input).getRank(), last = rank - 1;
    Sizes sizes = getSizes(rewriter, loc, input);
    if (fromBits < toBits)
      sizes[last] = divSizes(rewriter, loc, sizes[last], rewriter.getIndexAttr(toBits / fromBits));
    else if (fromBits > toBits)
      sizes[last] = mulSizes(rewriter, loc, sizes[last], rewriter.getIndexAttr(fromBits / toBits));
    Value value = buildParallel(rewriter, loc, {}, {}, sizes, to, [&](OpBuilder &b, Location l, ValueRange) -> Value {
      SmallVector<Value> position;
      for (int64_t i = 0; i < rank; ++i)
        position.push_back(mlir::linalg::IndexOp::create(b, l, i));
      if (fromBits == toBits)
        return asElement(b, l, asBits(b, l, mlir::tensor::ExtractOp::create(b, l, input, position), fromBits), to);
      Value at = position[last], bits;
      if (fromBits < toBits) {
        unsigned parts = toBits / fromBits;
        for (unsigned part = 0; part < parts; ++part) {
          position[last] = mlir::arith::AddIOp::create(
              b, l, mlir::arith::MulIOp::create(b, l, at, mlir::arith::ConstantIndexOp::create(b, l, parts)),
              mlir::arith::ConstantIndexOp::create(b, l, part));
          Value own = asBits(b, l, mlir::tensor::ExtractOp::create(b, l, input, position), fromBits);
          own = mlir::arith::ExtUIOp::create(b, l, b.getIntegerType(toBits), own);
          own = mlir::arith::ShLIOp::create(
              b, l, own, mlir::arith::ConstantIntOp::create(b, l, b.getIntegerType(toBits), part * fromBits));
          bits = bits ? Value(mlir::arith::OrIOp::create(b, l, bits, own)) : own;
        }
        return asElement(b, l, bits, to);
      }
      Value parts = mlir::arith::ConstantIndexOp::create(b, l, fromBits / toBits);
      position[last] = mlir::arith::DivUIOp::create(b, l, at, parts);
      bits = asBits(b, l, mlir::tensor::ExtractOp::create(b, l, input, position), fromBits);
      Value shift = mlir::arith::MulIOp::create(b, l, mlir::arith::RemUIOp::create(b, l, at, parts),
                                                mlir::arith::ConstantIndexOp::create(b, l, toBits));
      shift = mlir::arith::IndexCastOp::create(b, l, b.getIntegerType(fromBits), shift);
      bits = mlir::arith::ShRUIOp::create(b, l, bits, shift);
      return asElement(b, l, mlir::arith::TruncIOp::create(b, l, b.getIntegerType(toBits), bits), to);
    });
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }

private:
  static Value asBits(OpBuilder &b, Location loc, Value element, unsigned bits) {
    Type type = b.getIntegerType(bits);
    if (element.getType().isInteger(1))
      return mlir::arith::ExtUIOp::create(b, loc, type, element);
    return element.getType() == type ? element : mlir::arith::BitcastOp::create(b, loc, type, element).getResult();
  }
  static Value asElement(OpBuilder &b, Location loc, Value bits, Type element) {
    if (element.isInteger(1))
      return mlir::arith::TruncIOp::create(b, loc, element, bits);
    return bits.getType() == element ? bits : mlir::arith::BitcastOp::create(b, loc, element, bits).getResult();
  }
};

} // namespace

void lowering::populateView(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns,
                            const LinalgOptions &options) {
  patterns.add<ReshapeLowering<ReshapeOp>, ReshapeLowering<ViewOp>, FlattenLowering, UnflattenLowering, PermuteLowering,
               TransposeLowering, SqueezeLowering, UnsqueezeLowering, ExpandLowering, RepeatLowering, SliceLowering,
               NarrowLowering, SelectLowering, LookupSeedLowering, FlipLowering, PadLowering,
               TriangleLowering<TriuOp, mlir::arith::CmpIPredicate::sge>,
               TriangleLowering<TrilOp, mlir::arith::CmpIPredicate::sle>, SliceScatterLowering, SelectScatterLowering,
               ViewDtypeLowering>(converter, patterns.getContext());
  patterns.add<RollLowering>(converter, patterns.getContext(), options.parallelForms);
}
