// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants, creation, identities, checks. `copy_` is not here: the pass turns it
// into an additional result before the conversion starts.

#include "LoweringUtils.h"
#include "PopulatePatterns.h"
#include "RuntimeCalls.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <limits>

using namespace fxgraph;
using namespace fxgraph::lowering;

namespace {

/// A literal: its elements under the storage type.
struct ConstantLowering : public OpConversionPattern<ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ConstantOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getResult().getType()));
    Type dtype = op.getResult().getType().getElementType();
    ElementsAttr value = op.getValue();
    if (auto resource = dyn_cast<mlir::DenseResourceElementsAttr>(value)) {
      if (!resource.getRawHandle().getBlob())
        return refuse(op, "expected the bytes of resource \"" + resource.getRawHandle().getKey() +
                              "\" but the module does not hold them");
      if (isBool(dtype))
        return refuse(op, "expected bool literals to be dense but got a resource");
      value = mlir::DenseResourceElementsAttr::get(type, resource.getRawHandle());
    } else if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
      if (isBool(dtype)) {
        Type storage = type.getElementType();
        if (dense.isSplat()) {
          value = DenseElementsAttr::get(type, APInt(8, dense.getSplatValue<bool>()));
        } else {
          SmallVector<APInt> bytes;
          for (bool bit : dense.getValues<bool>())
            bytes.push_back(APInt(storage.getIntOrFloatBitWidth(), bit));
          value = DenseElementsAttr::get(type, bytes);
        }
      } else if (dense.getElementType() != type.getElementType()) {
        value = dense.bitcast(type.getElementType()); // ui8 to i8
      }
      if (cast<ShapedType>(value.getType()) != type)
        value = cast<DenseElementsAttr>(value).reshape(type); // drops the encoding
    } else {
      return refuse(op, "expected a dense literal but got " + mlir::debugString(value));
    }
    rewriter.replaceOpWithNewOp<mlir::arith::ConstantOp>(op, type, cast<mlir::TypedAttr>(value));
    return success();
  }
};

/// Extents of a created tensor.
Sizes createdSizes(OpBuilder &b, RankedTensorType type, ValueRange dynamic) {
  Sizes sizes;
  size_t next = 0;
  for (int64_t extent : type.getShape())
    sizes.push_back(ShapedType::isDynamic(extent) ? OpFoldResult(dynamic[next++])
                                                  : OpFoldResult(b.getIndexAttr(extent)));
  return sizes;
}

struct FullLowering : public OpConversionPattern<FullOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(FullOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getResult().getType();
    Value scalar = createStoredScalar(rewriter, op.getLoc(), type.getElementType(), op.getValue().convertToDouble());
    rewriter.replaceOp(op,
                       createFilled(rewriter, op.getLoc(), createdSizes(rewriter, type, adaptor.getSizes()), scalar));
    return success();
  }
};

// What the runtime draws for an op, and its parameter.
std::pair<Draw, double> drawOf(RandOp) { return {Draw::Uniform, 0}; }
std::pair<Draw, double> drawOf(RandnOp) { return {Draw::Normal, 0}; }
std::pair<Draw, double> drawOf(ExponentialOp op) { return {Draw::Exponential, op.getRate().convertToDouble()}; }
std::pair<Draw, double> drawOf(BernoulliOp op) { return {Draw::Bernoulli, op.getP().convertToDouble()}; }
std::pair<Draw, double> drawOf(RandpermOp) { return {Draw::Permutation, 0}; }

std::pair<Draw, double> drawOf(InductorRandomOp op) {
  return {op.getMode() == "rand" ? Draw::Uniform : Draw::Normal, 0};
}

/// The runtime draws, in the order of the ops.
template <typename OpTy>
struct RandomLowering : public OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getResult().getType();
    if (auto floatType = dyn_cast<FloatType>(type.getElementType()); floatType && floatType.getWidth() < 16)
      return refuse(op, "expected a float of 16 bits or more but got " + mlir::debugString(type.getElementType()));
    auto [draw, parameter] = drawOf(op);
    rewriter.replaceOp(op, callRandom(rewriter, op.getLoc(), draw, type.getElementType(),
                                      createdSizes(rewriter, type, adaptor.getSizes()), parameter));
    return success();
  }
};

template <typename OpTy>
struct RandintLowering : public OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getResult().getType();
    if (!type.getElementType().isInteger(64))
      return refuse(op, "expected integers of 64 bits but got " + mlir::debugString(type.getElementType()));
    Sizes sizes = createdSizes(rewriter, type, adaptor.getSizes());
    rewriter.replaceOp(op, callRandomIntegers(rewriter, op.getLoc(), sizes, op.getLow(), op.getHigh()));
    return success();
  }
};

/// Seeds are drawn as PyTorch draws them when it runs the op itself.
template <typename OpTy>
struct SeedsLowering : public OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor, ConversionPatternRewriter &rewriter) const override {
    Sizes sizes = createdSizes(rewriter, cast<RankedTensorType>(op.getResult().getType()), ValueRange());
    rewriter.replaceOp(op, callRandomIntegers(rewriter, op.getLoc(), sizes, 0, std::numeric_limits<int64_t>::max()));
    return success();
  }
};

struct ArangeLowering : public OpConversionPattern<ArangeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ArangeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getResult().getType();
    Type dtype = type.getElementType();
    Sizes sizes = createdSizes(rewriter, type, adaptor.getSize() ? ValueRange(adaptor.getSize()) : ValueRange());
    double start = op.getStart().convertToDouble(), step = op.getStep().convertToDouble();
    Value value = buildParallel(
        rewriter, op.getLoc(), {}, {}, sizes, getStorageType(dtype), [&](OpBuilder &b, Location loc, ValueRange) {
          Value index = mlir::linalg::IndexOp::create(b, loc, 0);
          Value i = mlir::arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
          Type work = isFloat(dtype) ? Type(b.getF64Type()) : Type(b.getI64Type());
          Scalars s(b, loc, work);
          Value number = s.add(s.cst(start), s.mul(convertScalar(b, loc, i, b.getI64Type(), work), s.cst(step)));
          return storeElement(b, loc, convertScalar(b, loc, number, work, dtype), dtype);
        });
    rewriter.replaceOp(op, value);
    return success();
  }
};

/// clone, contiguous, detach: identities of values. That a result shares storage
/// with nothing is seen to where the graph's results are written.
template <typename OpTy>
struct IdentityLowering : public OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getInput());
    return success();
  }
};

/// A collective of a group of one process; there is no other on the CPU.
template <typename OpTy>
struct LonelyCollectiveLowering : public OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    int64_t size = getGroupSize(op);
    if (size != 1)
      return refuse(op, "expected a group of 1 process, as a compiled graph runs in one, but got " + Twine(size) +
                            " in group '" + op.getGroupName() + "'");
    rewriter.replaceOp(op, adaptor.getOperands());
    return success();
  }

private:
  template <typename SizedOp>
  static int64_t getGroupSize(SizedOp op) {
    return op.getGroupSize();
  }
  static int64_t getGroupSize(AllToAllSingleOp op) { return op.getInputSplitSizes().size(); }
};

/// A collective that does not say how many take part.
template <typename OpTy>
struct UnsizedCollectiveRefusal : public OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor, ConversionPatternRewriter &) const override {
    return refuse(op, Twine("expected ") + (op->hasAttr("reduce_op") ? "no reduction over" : "no broadcast in") +
                          " group '" + op.getGroupName() +
                          "', as a compiled graph runs in one process and the group's size is not known");
  }
};

struct SymSizeLowering : public OpConversionPattern<SymSizeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(SymSizeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    int64_t dim = wrapDim(op.getDim(), op.getInput().getType().getRank());
    OpFoldResult size = getSize(rewriter, op.getLoc(), adaptor.getInput(), dim);
    rewriter.replaceOp(op, toIndexValue(rewriter, op.getLoc(), size));
    return success();
  }
};

/// What is known at compile time is checked here, extents when run.
struct AssertMetadataLowering : public OpConversionPattern<AssertTensorMetadataOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(AssertTensorMetadataOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto expected = dyn_cast<RankedTensorType>(op.getExpected());
    RankedTensorType type = op.getInput().getType();
    if (expected && !areCompatibleTypes(expected, type))
      return refuse(op, "expected " + mlir::debugString(expected) + " but got " + mlir::debugString(type));
    if (expected)
      for (auto [i, extent] : llvm::enumerate(expected.getShape()))
        if (!ShapedType::isDynamic(extent) && type.isDynamicDim(i))
          assertEqualSizes(rewriter, op.getLoc(), getSize(rewriter, op.getLoc(), adaptor.getInput(), i),
                           rewriter.getIndexAttr(extent), "expected extent " + Twine(extent) + " in dim " + Twine(i));
    rewriter.eraseOp(op);
    return success();
  }
};

struct AssertScalarLowering : public OpConversionPattern<AssertScalarOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(AssertScalarOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    assertTrue(rewriter, op.getLoc(), adaptor.getCondition(), op.getMessage());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void lowering::populateStructural(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns) {
  patterns
      .add<ConstantLowering, FullLowering, RandomLowering<RandOp>, RandomLowering<RandnOp>,
           RandomLowering<ExponentialOp>, RandomLowering<BernoulliOp>, RandomLowering<RandpermOp>,
           RandintLowering<RandintOp>, RandomLowering<InductorRandomOp>, RandintLowering<InductorRandintOp>,
           SeedsLowering<InductorSeedOp>, SeedsLowering<InductorSeedsOp>, ArangeLowering, IdentityLowering<CloneOp>,
           IdentityLowering<ContiguousOp>, IdentityLowering<DetachOp>, IdentityLowering<DevicePutOp>,
           IdentityLowering<WaitTensorOp>, LonelyCollectiveLowering<AllGatherIntoTensorOp>,
           LonelyCollectiveLowering<AllGatherIntoTensorCoalescedOp>, LonelyCollectiveLowering<ReduceScatterTensorOp>,
           LonelyCollectiveLowering<ReduceScatterTensorCoalescedOp>, LonelyCollectiveLowering<AllToAllSingleOp>,
           UnsizedCollectiveRefusal<AllReduceOp>, UnsizedCollectiveRefusal<AllReduceCoalescedOp>,
           UnsizedCollectiveRefusal<BroadcastOp>, SymSizeLowering, AssertMetadataLowering, AssertScalarLowering>(
          converter, patterns.getContext());
}
