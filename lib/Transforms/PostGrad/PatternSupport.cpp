// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PatternSupport.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "fxgraph/Transforms/Utils/Constraints.h"
#include "fxgraph/Transforms/Utils/Devices.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The number as an element of this type, or none if that is not the same number (for a
/// float: rounded to nearest).
static std::optional<APFloat> convertToElement(APFloat number, Type type) {
  bool lossy = false;
  if (auto real = dyn_cast<FloatType>(type)) {
    number.convert(real.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lossy);
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
    return number;
  }
  auto integer = dyn_cast<mlir::IntegerType>(type);
  if (!integer || !number.isFinite())
    return std::nullopt;
  if (integer.getWidth() == 1)
    return APFloat(number.isZero() ? 0.0 : 1.0);
  llvm::APSInt exact(integer.getWidth(), integer.isUnsigned());
  if (number.convertToInteger(exact, APFloat::rmTowardZero, &lossy) != APFloat::opOK)
    return std::nullopt;
  return number;
}

/// The number that each element of the value is, also behind conversions and ops that move
/// elements.
static std::optional<APFloat> getUniformElement(Value value) {
  SmallVector<Type> types;
  while (true) {
    types.push_back(cast<RankedTensorType>(value.getType()).getElementType());
    Operation *op = value.getDefiningOp();
    if (!isa_and_present<ConvertElementTypeOp, ReshapeOp, ViewOp, ExpandOp, PermuteOp, TransposeOp, SqueezeOp,
                         UnsqueezeOp, SliceOp, SelectOp, CloneOp>(op))
      break;
    value = op->getOperand(0);
  }
  std::optional<APFloat> number = getUniformValue(value);
  for (Type type : llvm::reverse(types))
    if (number)
      number = convertToElement(*number, type);
  return number;
}

/// One number of the element type and device of the tensor, of rank 0.
static Value createNumber(mlir::PatternRewriter &rewriter, Location loc, APFloat number, RankedTensorType like) {
  // A literal is a Python number to PyTorch in some dtypes; those of f32 have that dtype either way.
  if (like.getElementType().isF32() && !getDevice(like)) {
    RankedTensorType type = makeTensorType({}, like.getElementType());
    return ConstantOp::create(
        rewriter, loc, DenseElementsAttr::get(type, rewriter.getFloatAttr(type.getElementType(), number.convertToDouble())));
  }
  return FullOp::create(rewriter, loc, makeTensorType({}, like.getElementType(), getDevice(like)),
                        number.convertToDouble());
}

/// Numbers along `dim` that broadcast to a tensor like this: in it all other extents are 1, or are left out in front.
static Value createRange(mlir::PatternRewriter &rewriter, Location loc, RankedTensorType like, int64_t dim,
                         double start, double step) {
  int64_t rank = like.getRank(), extent = like.getDimSize(dim);
  Value range = ArangeOp::create(rewriter, loc, makeTensorType({extent}, like.getElementType(), getDevice(like)),
                                 /*size=*/Value(), rewriter.getF64FloatAttr(start), rewriter.getF64FloatAttr(step));
  if (dim == rank - 1)
    return range;
  SmallVector<int64_t> shape(rank, 1);
  shape[dim] = extent;
  return ReshapeOp::create(rewriter, loc, range, shape);
}

//===----------------------------------------------------------------------===//
// remove-asserts
//===----------------------------------------------------------------------===//

static LogicalResult assertHolds(mlir::PatternRewriter &rewriter, Operation *op) {
  auto assertion = cast<AssertTensorMetadataOp>(op);
  auto type = assertion.getInput().getType();
  auto expected = dyn_cast<mlir::ShapedType>(assertion.getExpected());
  Type element = expected ? expected.getElementType() : assertion.getExpected();
  if (element != type.getElementType())
    return refuse(rewriter, op, "the tensor has not the dtype that is asserted");
  if (!expected || !expected.hasRank())
    return success();
  if (expected.getRank() != type.getRank())
    return refuse(rewriter, op, "the tensor has not the rank that is asserted");
  for (auto [asserted, extent] : llvm::zip_equal(expected.getShape(), type.getShape()))
    if (!ShapedType::isDynamic(asserted) && asserted != extent)
      return refuse(rewriter, op, "an extent that is asserted is another or not known");
  return success();
}

void fxgraph::registerCleanupSupport(mlir::RewritePatternSet &patterns) {
  patterns.getPDLPatterns().registerConstraintFunction("AssertHolds", assertHolds);
}

//===----------------------------------------------------------------------===//
// pointless-cumsum
//===----------------------------------------------------------------------===//

/// The extent that a running sum goes along.
static int64_t getScannedExtent(CumsumOp cumsum) {
  auto type = cast<RankedTensorType>(cumsum.getResult().getType());
  return type.getRank() == 0 ? 1 : type.getDimSize(wrapDim(cumsum.getDim(), type.getRank()));
}

/// True if each of v, 2 v … n v is a number of the type that sums are kept in, so that a
/// running sum never rounds before it is stored. Integers wrap the same way in both.
static bool isExactlySummed(APFloat number, int64_t count, Type type) {
  if (isa<mlir::IntegerType>(type) || number.isZero() || !number.isFinite())
    return true;
  // number = mantissa * 2^exponent with an odd mantissa.
  int exponent;
  auto mantissa = static_cast<uint64_t>(std::ldexp(std::frexp(std::abs(number.convertToDouble()), &exponent), 53));
  mantissa >>= llvm::countr_zero(mantissa);
  // Sums of 16 bits are kept in 32.
  int precision = cast<FloatType>(type).getWidth() == 64 ? 53 : 24;
  return static_cast<double>(mantissa) * static_cast<double>(count) <= std::ldexp(1.0, precision);
}

/// One of the two groups speaks of what is no ramp for either.
static LogicalResult isRamp(mlir::PatternRewriter &rewriter, Operation *op, bool exact) {
  auto cumsum = cast<CumsumOp>(op);
  std::optional<APFloat> number = getUniformElement(cumsum.getInput());
  if (!number)
    return failure();
  auto no = [&](StringRef reason) { return exact ? refuse(rewriter, op, reason) : failure(); };
  auto type = cast<RankedTensorType>(cumsum.getResult().getType());
  if (!type.hasStaticShape())
    return no("an extent is not known");
  // A range counts in doubles.
  int64_t count = getScannedExtent(cumsum);
  if (isa<mlir::IntegerType>(type.getElementType()) && std::abs(number->convertToDouble()) * count > 0x1p53)
    return no("the sums are beyond 2^53");
  return success(isExactlySummed(*number, count, type.getElementType()) == exact);
}

static Value createRamp(mlir::PatternRewriter &rewriter, Operation *op) {
  auto cumsum = cast<CumsumOp>(op);
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(cumsum.getResult().getType());
  double number = getUniformElement(cumsum.getInput())->convertToDouble();
  // All sums are equal, and those of -0 are 0: a sum begins with 0.
  if (type.getRank() == 0 || number == 0.0 || !std::isfinite(number))
    return FullOp::create(rewriter, loc, type, number == 0.0 ? 0.0 : number);
  int64_t dim = wrapDim(cumsum.getDim(), type.getRank());
  Value ramp = createRange(rewriter, loc, type, dim, number, number);
  if (cast<RankedTensorType>(ramp.getType()).getShape() == type.getShape())
    return ramp;
  Value expanded = ExpandOp::create(rewriter, loc, ramp, type.getShape());
  // The sums were storage of their own; of an expanded tensor several elements are one.
  return reachesBoundary(op) ? CloneOp::create(rewriter, loc, expanded) : expanded;
}

void fxgraph::registerRampSupport(mlir::RewritePatternSet &patterns, bool exact) {
  mlir::PDLPatternModule &pdl = patterns.getPDLPatterns();
  pdl.registerConstraintFunction("IsRamp", [exact](mlir::PatternRewriter &rewriter, Operation *op) -> LogicalResult {
    return isRamp(rewriter, op, exact);
  });
  pdl.registerRewriteFunction("CreateRamp", createRamp);
}

//===----------------------------------------------------------------------===//
// scatter-upon-const-tensor
//===----------------------------------------------------------------------===//

/// The extent that indices along a dimension of this op's operand come from; none if they
/// are not indices.
static std::optional<int64_t> getIndexedExtent(Value indices) {
  Operation *op = indices.getDefiningOp();
  if (!op)
    return std::nullopt;
  auto alongDim = [](auto op) -> std::optional<int64_t> {
    auto type = cast<RankedTensorType>(op.getInput().getType());
    int64_t extent = type.getRank() == 0 ? 1 : type.getDimSize(wrapDim(op.getDim(), type.getRank()));
    return ShapedType::isDynamic(extent) ? std::nullopt : std::optional(extent);
  };
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case<TopkOp, SortOp>([&](auto op) { return op.getIndices() == indices ? alongDim(op) : std::nullopt; })
      .Case<MaxDimOp, MinDimOp>([&](auto op) { return op.getIndices() == indices ? alongDim(op) : std::nullopt; })
      .Case<ArgmaxOp, ArgminOp>([&](auto op) -> std::optional<int64_t> {
        auto type = cast<RankedTensorType>(op.getInput().getType());
        if (!op.getDim())
          return type.hasStaticShape() ? std::optional(type.getNumElements()) : std::nullopt;
        int64_t extent = type.getRank() == 0 ? 1 : type.getDimSize(wrapDim(*op.getDim(), type.getRank()));
        return ShapedType::isDynamic(extent) ? std::nullopt : std::optional(extent);
      })
      .Case<ArangeOp>([](ArangeOp range) -> std::optional<int64_t> {
        auto type = cast<RankedTensorType>(range.getResult().getType());
        double start = range.getStart().convertToDouble(), step = range.getStep().convertToDouble();
        return start == 0 && step == 1 && type.hasStaticShape() ? std::optional(type.getDimSize(0)) : std::nullopt;
      })
      .Case<ConstantOp>([](ConstantOp constant) -> std::optional<int64_t> {
        auto elements = dyn_cast<mlir::DenseIntElementsAttr>(constant.getValue());
        if (!elements)
          return std::nullopt;
        int64_t extent = 0;
        for (const APInt &index : elements.getValues<APInt>()) {
          if (index.isNegative())
            return std::nullopt;
          extent = std::max(extent, index.getSExtValue() + 1);
        }
        return extent;
      })
      .Case<FullOp>([](FullOp full) -> std::optional<int64_t> {
        double number = full.getValue().convertToDouble();
        return number >= 0 && number < 0x1p53 ? std::optional(static_cast<int64_t>(number) + 1) : std::nullopt;
      })
      .Default(std::nullopt);
}

/// True if all indices are known to be in [0, extent): what picks them says so, behind ops
/// that only move them.
static bool areInRange(Value indices, int64_t extent) {
  while (true) {
    if (std::optional<int64_t> known = getIndexedExtent(indices))
      return *known <= extent;
    Operation *op = indices.getDefiningOp();
    if (!isa_and_present<ViewLikeOpInterface>(op) || isa<ConstantPadNdOp>(op))
      return false;
    indices = op->getOperand(0);
  }
}

static LogicalResult isScatterOfNumber(mlir::PatternRewriter &rewriter, Operation *op, bool assumeInRange) {
  auto scatter = cast<ScatterOp>(op);
  if (!getUniformElement(scatter.getInput()) || !getUniformElement(scatter.getSrc()))
    return failure();
  auto type = cast<RankedTensorType>(scatter.getInput().getType());
  auto index = cast<RankedTensorType>(scatter.getIndex().getType());
  if (type.getRank() == 0 || index.getRank() != type.getRank())
    return refuse(rewriter, op, "the index has not the rank of the input");
  int64_t dim = wrapDim(scatter.getDim(), type.getRank());
  for (auto [at, extents] : llvm::enumerate(llvm::zip_equal(getDims(index), getDims(type)))) {
    auto [indexed, extent] = extents;
    if (static_cast<int64_t>(at) == dim && !indexed.provablyEquals(1))
      return refuse(rewriter, op, "more than one place of a row may be written");
    if (static_cast<int64_t>(at) != dim && !indexed.provablyEquals(extent))
      return refuse(rewriter, op, "not every row is known to be written");
  }
  if (type.isDynamicDim(dim))
    return refuse(rewriter, op, "the extent along the dimension is not known");
  if (!assumeInRange && !areInRange(scatter.getIndex(), type.getDimSize(dim)))
    return refuse(rewriter, op, "an index may be out of range, which is an error of scatter alone");
  return success();
}

static Value createWhere(mlir::PatternRewriter &rewriter, Operation *op) {
  auto scatter = cast<ScatterOp>(op);
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(scatter.getInput().getType());
  int64_t dim = wrapDim(scatter.getDim(), type.getRank());
  // Only the extent along the dimension is asked for.
  SmallVector<int64_t> shape(type.getRank(), 1);
  shape[dim] = type.getDimSize(dim);
  auto indexType = cast<RankedTensorType>(scatter.getIndex().getType());
  auto rangeType = withDims(indexType, llvm::map_to_vector<6>(shape, [](int64_t extent) { return Dim(extent); }));
  Value range = createRange(rewriter, loc, rangeType, dim, 0.0, 1.0);
  Value places = EqOp::create(rewriter, loc, scatter.getIndex(), range);
  Value value = createNumber(rewriter, loc, *getUniformElement(scatter.getSrc()), type);
  Value background = createNumber(rewriter, loc, *getUniformElement(scatter.getInput()), type);
  Value result = WhereOp::create(rewriter, loc, places, value, background);
  // What is inferred can say less (`?` for a symbol).
  if (result.getType() != type)
    result.setType(type);
  return result;
}

void fxgraph::registerScatterSupport(mlir::RewritePatternSet &patterns, bool assumeInRange) {
  mlir::PDLPatternModule &pdl = patterns.getPDLPatterns();
  pdl.registerConstraintFunction("IsScatterOfNumber",
                                 [assumeInRange](mlir::PatternRewriter &rewriter, Operation *op) -> LogicalResult {
                                   return isScatterOfNumber(rewriter, op, assumeInRange);
                                 });
  pdl.registerRewriteFunction("CreateWhere", createWhere);
}

//===----------------------------------------------------------------------===//
// reuse-partial
//===----------------------------------------------------------------------===//

/// Another reduction of the same kind and operand, in the same block, that leaves the
/// fewest elements; or null.
static Operation *findPartialReduction(Operation *full) {
  Operation *best = nullptr;
  auto countElements = [](Operation *op) {
    return cast<RankedTensorType>(op->getResult(0).getType()).getNumElements();
  };
  for (Operation *user : full->getOperand(0).getUsers()) {
    if (user == full || user->getName() != full->getName() || user->getBlock() != full->getBlock() ||
        cast<ReductionOpInterface>(user).getReducedDims().empty())
      continue;
    // More than one element is left, or the two are equal.
    if (countElements(user) > 1 && (!best || countElements(user) < countElements(best) ||
                                    (countElements(user) == countElements(best) && user->isBeforeInBlock(best))))
      best = user;
  }
  return best;
}

static LogicalResult hasPartialReduction(mlir::PatternRewriter &rewriter, Operation *full, int64_t minElements) {
  auto type = cast<RankedTensorType>(full->getOperand(0).getType());
  if (cast<RankedTensorType>(full->getResult(0).getType()).getRank() != 0 || type.getRank() < 2)
    return failure();
  bool partial = llvm::any_of(full->getOperand(0).getUsers(),
                              [&](Operation *user) { return user != full && user->getName() == full->getName(); });
  if (!partial)
    return failure();
  if (!type.hasStaticShape())
    return refuse(rewriter, full, "an extent is not known");
  if (type.getNumElements() < minElements)
    return refuse(rewriter, full, "the operand has fewer elements than min-elements");
  if (!findPartialReduction(full))
    return refuse(rewriter, full, "no other reduction of the operand, in the block, leaves more than one element");
  return success();
}

static Value reducePartial(mlir::PatternRewriter &rewriter, Operation *full) {
  Operation *partial = findPartialReduction(full);
  // It takes nothing but the operand, so that it may stand where that is there.
  if (full->isBeforeInBlock(partial))
    rewriter.moveOpBefore(partial, full);
  // Over all dimensions, none of which is kept.
  auto create = [&](auto op) -> Value {
    return decltype(op)::create(rewriter, full->getLoc(), full->getResultTypes().front(), partial->getResult(0),
                                /*dims=*/mlir::DenseI64ArrayAttr(), rewriter.getBoolAttr(false));
  };
  return isa<AmaxOp>(full) ? create(AmaxOp()) : create(AminOp());
}

void fxgraph::registerReductionSupport(mlir::RewritePatternSet &patterns, int64_t minElements) {
  mlir::PDLPatternModule &pdl = patterns.getPDLPatterns();
  pdl.registerConstraintFunction("HasPartialReduction",
                                 [minElements](mlir::PatternRewriter &rewriter, Operation *op) -> LogicalResult {
                                   return hasPartialReduction(rewriter, op, minElements);
                                 });
  pdl.registerRewriteFunction("ReducePartial", reducePartial);
}

//===----------------------------------------------------------------------===//
// prepare-softmax
//===----------------------------------------------------------------------===//

static LogicalResult isSoftmaxSum(mlir::PatternRewriter &rewriter, Operation *maximum, Operation *difference,
                                  Operation *sum, StringRef defaultDevice) {
  if (!isOnGPU(maximum->getOperand(0), defaultDevice))
    return refuse(rewriter, sum, "the tensor is not on a GPU");
  if (!isUnscaled(difference))
    return refuse(rewriter, sum, "the difference has an alpha other than 1");
  SmallVector<int64_t> dims = cast<ReductionOpInterface>(maximum).getReducedDims();
  if (dims.size() != 1 || cast<ReductionOpInterface>(sum).getReducedDims() != ArrayRef<int64_t>(dims))
    return refuse(rewriter, sum, "maximum and sum are not over one and the same dimension");
  if (!cast<AmaxOp>(maximum).getKeepdim() || !cast<SumOp>(sum).getKeepdim())
    return refuse(rewriter, sum, "maximum or sum do not keep the dimension");
  if (maximum->getBlock() != sum->getBlock() || maximum->getResultTypes() != sum->getResultTypes())
    return failure();
  return success();
}

static Value createOnlineSum(mlir::PatternRewriter &rewriter, Operation *maximum, Operation *sum) {
  mlir::OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(maximum);
  int64_t dim = cast<ReductionOpInterface>(maximum).getReducedDims().front();
  auto online = PrepareSoftmaxOnlineOp::create(rewriter, rewriter.getFusedLoc({maximum->getLoc(), sum->getLoc()}),
                                               TypeRange{maximum->getResult(0).getType(), sum->getResult(0).getType()},
                                               maximum->getOperand(0), rewriter.getI64IntegerAttr(dim));
  rewriter.replaceOp(maximum, online.getMaximum());
  return online.getSum();
}

void fxgraph::registerSoftmaxSupport(mlir::RewritePatternSet &patterns, StringRef defaultDevice) {
  mlir::PDLPatternModule &pdl = patterns.getPDLPatterns();
  pdl.registerConstraintFunction("IsSoftmaxSum",
                                 [device = defaultDevice.str()](mlir::PatternRewriter &rewriter, Operation *maximum,
                                                                Operation *difference,
                                                                Operation *sum) -> LogicalResult {
                                   return isSoftmaxSum(rewriter, maximum, difference, sum, device);
                                 });
  pdl.registerRewriteFunction("CreateOnlineSum", createOnlineSum);
}

//===----------------------------------------------------------------------===//
// e8m0-rceil
//===----------------------------------------------------------------------===//

static Type getElement(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

static LogicalResult isNumberValue(mlir::PatternRewriter &, Value value, mlir::Attribute expected) {
  if (cast<RankedTensorType>(value.getType()).getRank() != 0)
    return failure();
  std::optional<APFloat> number = getUniformValue(value);
  return success(number && number->compare(cast<FloatAttr>(expected).getValue()) == APFloat::cmpEqual);
}

static LogicalResult isOfI32(mlir::PatternRewriter &, Value value) {
  return success(getElement(value).isSignlessInteger(32));
}

static LogicalResult isOfUint8(mlir::PatternRewriter &, Operation *root) {
  return success(getElement(root->getResult(0)).isUnsignedInteger(8));
}

static LogicalResult sumsPlainly(mlir::PatternRewriter &, Operation *sum) { return success(isUnscaled(sum)); }

void fxgraph::registerExponentSupport(mlir::RewritePatternSet &patterns, StringRef defaultDevice, bool exact) {
  mlir::PDLPatternModule &pdl = patterns.getPDLPatterns();
  pdl.registerConstraintFunction("IsNumberValue", isNumberValue);
  pdl.registerConstraintFunction("IsOfI32", isOfI32);
  pdl.registerConstraintFunction("IsOfUint8", isOfUint8);
  pdl.registerConstraintFunction("SumsPlainly", sumsPlainly);
  pdl.registerConstraintFunction("ClampsExponent", [exact](mlir::PatternRewriter &, Operation *op) -> LogicalResult {
    auto clamp = cast<ClampOp>(op);
    return success(clamp.getMin() && clamp.getMin()->isZero() && clamp.getMax() &&
                   clamp.getMax()->isExactlyValue(exact ? 254.0 : 255.0));
  });
  pdl.registerConstraintFunction(
      "IsSingleOnGpu",
      [device = defaultDevice.str()](mlir::PatternRewriter &rewriter, Operation *root, Value value) -> LogicalResult {
        if (!getElement(value).isF32())
          return refuse(rewriter, root, "the number is not of f32");
        if (!isOnGPU(value, device))
          return refuse(rewriter, root, "the tensor is not on a GPU");
        return success();
      });
}

//===----------------------------------------------------------------------===//
// randperm-index
//===----------------------------------------------------------------------===//

/// The op's operands by name; index and index_put have them alike.
template <typename OpTy>
static LogicalResult isPermutedRows(mlir::PatternRewriter &rewriter, OpTy op) {
  if (op.getIndices().size() != 1)
    return failure();
  // A slice of a permutation holds no number twice.
  Value index = op.getIndices().front();
  while (auto slice = index.getDefiningOp<SliceOp>())
    index = slice.getInput();
  auto permutation = index.getDefiningOp<RandpermOp>();
  if (!permutation)
    return failure();
  auto type = cast<RankedTensorType>(op.getInput().getType());
  Dim count = getDims(permutation.getResult().getType()).front(), extent = getDims(type)[op.getDims().front()];
  if (!count.provablyEquals(extent))
    return refuse(rewriter, op, "the permutation is not known to be of as many numbers as there are rows");
  return success();
}

static LogicalResult isPermutedRowsOp(mlir::PatternRewriter &rewriter, Operation *op) {
  if (auto index = dyn_cast<IndexOp>(op))
    return isPermutedRows(rewriter, index);
  auto put = cast<IndexPutOp>(op);
  if (failed(isPermutedRows(rewriter, put)))
    return failure();
  if (!put.getAccumulate())
    return refuse(rewriter, op, "the rows are replaced, not added to");
  return success();
}

static Value createUnsafeIndex(mlir::PatternRewriter &rewriter, Operation *op) {
  auto index = cast<IndexOp>(op);
  return UnsafeIndexOp::create(rewriter, op->getLoc(), index.getResult().getType(), index.getInput(),
                               index.getIndices(), index.getDimsAttr());
}

static Value createUnsafeIndexAdd(mlir::PatternRewriter &rewriter, Operation *op) {
  auto put = cast<IndexPutOp>(op);
  Location loc = op->getLoc();
  Value rows = UnsafeIndexOp::create(rewriter, loc, put.getInput(), put.getIndices(), put.getDims());
  rows = AddOp::create(rewriter, loc, rows, put.getValues(), APFloat(1.0));
  return UnsafeIndexPutOp::create(rewriter, loc, put.getResult().getType(), put.getInput(), put.getIndices(), rows,
                                  put.getDimsAttr(), rewriter.getBoolAttr(false));
}

void fxgraph::registerPermutationSupport(mlir::RewritePatternSet &patterns) {
  mlir::PDLPatternModule &pdl = patterns.getPDLPatterns();
  pdl.registerConstraintFunction("IsPermutedRows", isPermutedRowsOp);
  pdl.registerRewriteFunction("CreateUnsafeIndex", createUnsafeIndex);
  pdl.registerRewriteFunction("CreateUnsafeIndexAdd", createUnsafeIndexAdd);
}
