// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pieces are slices (views). A join is one tensor.concat, of however many pieces:
// where each is computed is decided for all of them at once (fxgraph-cpu-place).

#include "LoweringUtils.h"
#include "PopulatePatterns.h"

using namespace fxgraph;
using namespace fxgraph::lowering;

namespace {

/// split, split_with_sizes, chunk, unbind.
template <typename OpTy>
struct SplitLowering : public OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    auto split = cast<SplitLikeOpInterface>(op.getOperation());
    int64_t dim = split.getNormalizedDim();
    std::optional<SmallVector<int64_t>> sections = split.getStaticSections();
    if (!sections)
      return refuse(op, "expected a static extent of the dimension that is cut but got " +
                            mlir::debugString(op.getInput().getType()));
    int64_t total = 0;
    for (int64_t section : *sections)
      total += section;
    OpFoldResult extent = getSize(rewriter, loc, input, dim);
    if (!constantSize(extent))
      assertEqualSizes(rewriter, loc, extent, rewriter.getIndexAttr(total),
                       "expected the pieces' extents to sum to the input's");
    SmallVector<Value> pieces;
    int64_t start = 0;
    for (auto [section, result] : llvm::zip_equal(*sections, op->getResults())) {
      Value piece = sliceDim(rewriter, loc, input, dim, rewriter.getIndexAttr(start), rewriter.getIndexAttr(section));
      if (split.dropsDim())
        piece = dropDims(rewriter, loc, piece, dim);
      pieces.push_back(castTo(rewriter, loc, piece, this->getTypeConverter()->convertType(result.getType())));
      start += section;
    }
    rewriter.replaceOp(op, pieces);
    return success();
  }
};

/// The tensors one after the other along `dim`; `sizes` are the result's.
Value concatenate(OpBuilder &b, Location loc, int64_t dim, ArrayRef<Value> tensors, ArrayRef<OpFoldResult> sizes) {
  // Nothing is not copied.
  SmallVector<Value> pieces = llvm::filter_to_vector(
      tensors, [](Value tensor) { return !llvm::is_contained(tensorType(tensor).getShape(), 0); });
  if (pieces.empty())
    return createEmpty(b, loc, sizes, dtypeOf(tensors.front()));
  return pieces.size() == 1 ? pieces.front() : mlir::tensor::ConcatOp::create(b, loc, dim, pieces).getResult();
}

struct CatLowering : public OpConversionPattern<CatOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(CatOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType result = op.getResult().getType();
    int64_t rank = result.getRank(), dim = cast<CatLikeOpInterface>(op.getOperation()).getNormalizedDim();
    SmallVector<Value> tensors;
    for (Value tensor : adaptor.getTensors()) {
      RankedTensorType type = tensorType(tensor);
      // PyTorch's legacy rule: a tensor<0x…> is skipped beside any rank.
      if (type.getRank() == 1 && type.getDimSize(0) == 0 && (rank != 1 || adaptor.getTensors().size() > 1))
        continue;
      tensors.push_back(tensor);
    }
    if (tensors.empty())
      tensors.push_back(adaptor.getTensors().front());
    SmallVector<Sizes> sizes;
    OpFoldResult total = rewriter.getIndexAttr(0);
    for (Value tensor : tensors) {
      sizes.push_back(getSizes(rewriter, loc, tensor));
      total = addSizes(rewriter, loc, total, sizes.back()[dim]);
    }
    Sizes all = sizes.front();
    for (int64_t i = 0; i < rank; ++i)
      for (Sizes &piece : sizes) {
        if (i == dim)
          continue;
        if (constantSize(piece[i]))
          all[i] = piece[i];
      }
    for (Sizes &piece : sizes)
      for (int64_t i = 0; i < rank; ++i)
        if (i != dim && (!constantSize(piece[i]) || !constantSize(all[i])))
          assertEqualSizes(rewriter, loc, piece[i], all[i],
                           "expected cat's operands to have equal extents but for dim");
    all[dim] = total;
    Value joined = concatenate(rewriter, loc, dim, tensors, all);
    rewriter.replaceOp(op, castTo(rewriter, loc, joined, getTypeConverter()->convertType(result)));
    return success();
  }
};

struct StackLowering : public OpConversionPattern<StackOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(StackOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType result = op.getResult().getType();
    int64_t dim = cast<CatLikeOpInterface>(op.getOperation()).getNormalizedDim();
    Sizes piece = getSizes(rewriter, loc, adaptor.getTensors().front());
    for (Value tensor : adaptor.getTensors().drop_front()) {
      Sizes other = getSizes(rewriter, loc, tensor);
      for (auto [lhs, rhs] : llvm::zip_equal(piece, other))
        if (!constantSize(lhs) || !constantSize(rhs))
          assertEqualSizes(rewriter, loc, lhs, rhs, "expected stack's operands to have equal extents");
    }
    piece.insert(piece.begin() + dim, rewriter.getIndexAttr(adaptor.getTensors().size()));
    SmallVector<Value> tensors;
    for (Value tensor : adaptor.getTensors())
      tensors.push_back(unsqueeze(rewriter, loc, tensor, dim));
    Value joined = concatenate(rewriter, loc, dim, tensors, piece);
    rewriter.replaceOp(op, castTo(rewriter, loc, joined, getTypeConverter()->convertType(result)));
    return success();
  }
};

} // namespace

void lowering::populateSplitCat(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns) {
  patterns.add<SplitLowering<SplitOp>, SplitLowering<SplitWithSizesOp>, SplitLowering<ChunkOp>, SplitLowering<UnbindOp>,
               CatLowering, StackLowering>(converter, patterns.getContext());
}
