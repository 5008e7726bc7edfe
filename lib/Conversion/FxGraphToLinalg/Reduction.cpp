// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, scans, softmax, sorting.
//
// f32 sums accumulate in f64 (PyTorch sums pairwise; both are far below 1e-5), 16-bit
// floats in f32, integers in the result's i64. A maximum starts at -inf and takes
// NaNs with it. Scans are a loop over the dimension. Sorting calls the CPU runtime, or is
// one of the parallel forms.

#include "LoweringUtils.h"
#include "ParallelForms.h"
#include "PopulatePatterns.h"
#include "RuntimeCalls.h"

using namespace fxgraph;
using namespace fxgraph::lowering;

namespace {

/// What sums of a dtype accumulate in.
Type sumType(Type dtype) {
  if (dtype.isF32())
    return mlir::Float64Type::get(dtype.getContext());
  return getComputeType(dtype);
}

/// Brings the reduced dims back as extents of 1.
Value keepDims(OpBuilder &b, Location loc, Value value, ArrayRef<int64_t> dims) {
  for (int64_t dim : dims)
    value = unsqueeze(b, loc, value, dim);
  return value;
}

/// Fails the run where a reduction without identity would have no element.
void assertNonEmpty(OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> dims) {
  for (int64_t dim : dims) {
    OpFoldResult size = getSize(b, loc, input, dim);
    if (constantSize(size))
      continue; // Checked by the op's verifier.
    Value zero = mlir::arith::ConstantIndexOp::create(b, loc, 0);
    Value nonEmpty =
        mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::ne, toIndexValue(b, loc, size), zero);
    assertTrue(b, loc, nonEmpty, "expected reduced dimensions of extent > 0 but got 0");
  }
}

/// Product of the reduced extents as a scalar of a float type.
Value reducedCount(OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> dims, Type type) {
  OpFoldResult count = b.getIndexAttr(1);
  for (int64_t dim : dims)
    count = mulSizes(b, loc, count, getSize(b, loc, input, dim));
  if (std::optional<int64_t> number = constantSize(count))
    return createScalar(b, loc, type, static_cast<double>(*number));
  Value integer = mlir::arith::IndexCastOp::create(b, loc, b.getI64Type(), toIndexValue(b, loc, count));
  return mlir::arith::SIToFPOp::create(b, loc, type, integer);
}

using ScalarMap = function_ref<Value(Scalars &, Value)>;

/// One accumulator: acc = combine(acc, map(element)). `dtype` is the accumulator's.
Value reduceWith(OpBuilder &b, Location loc, Value input, Type from, Type dtype, ArrayRef<int64_t> dims, Value init,
                 ScalarMap map, function_ref<Value(Scalars &, Value, Value)> combine) {
  return buildReduction(b, loc, input, dims, init,
                        [&](OpBuilder &n, Location l, ValueRange args) -> SmallVector<Value> {
                          Scalars s(n, l, dtype);
                          Value element = convertScalar(n, l, loadElement(n, l, args[0], from), from, dtype);
                          return {combine(s, args[1], map(s, element))};
                        })[0];
}
Value identityMap(Scalars &, Value x) { return x; }
Value combineAdd(Scalars &s, Value acc, Value x) { return s.add(acc, x); }
Value combineMax(Scalars &s, Value acc, Value x) { return s.max(acc, x); }
Value combineMin(Scalars &s, Value acc, Value x) { return s.min(acc, x); }
/// The largest element where a NaN need not come through, as one of the powers that are added up will be NaN.
Value combineMaxOfNumbers(Scalars &s, Value acc, Value x) {
  using mlir::arith::FastMathFlags;
  return mlir::arith::MaxNumFOp::create(s.b, s.loc, acc, x, FastMathFlags::nnan | FastMathFlags::nsz);
}

Value sumOf(OpBuilder &b, Location loc, Value input, Type from, ArrayRef<int64_t> dims, ScalarMap map = identityMap) {
  Type type = sumType(from);
  return reduceWith(b, loc, input, from, type, dims, createScalar(b, loc, type, 0), map, combineAdd);
}

/// Applies a scalar function to accumulators of type `acc` and stores as `dtype`.
Value finishWith(OpBuilder &b, Location loc, Value accumulated, Type acc, Type dtype, ScalarMap map = identityMap) {
  return buildElementwise(b, loc, accumulated, getStorageType(dtype), [&](OpBuilder &n, Location l, ValueRange args) {
    Scalars s(n, l, acc);
    return storeElement(n, l, convertScalar(n, l, map(s, args[0]), acc, dtype), dtype);
  });
}

/// Elementwise on `input` (of `dtype`) and a tensor without `dims`, which broadcasts back.
Value withReduced(OpBuilder &b, Location loc, Value input, ValueRange reduced, ArrayRef<int64_t> dims, Type storage,
                  function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  Sizes sizes = getSizes(b, loc, input);
  SmallVector<mlir::AffineExpr> kept;
  for (int64_t i = 0, rank = sizes.size(); i < rank; ++i)
    if (!llvm::is_contained(dims, i))
      kept.push_back(b.getAffineDimExpr(i));
  SmallVector<Value> operands{input};
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(sizes.size())};
  for (Value value : reduced) {
    operands.push_back(value);
    maps.push_back(AffineMap::get(sizes.size(), 0, kept, b.getContext()));
  }
  return buildParallel(b, loc, operands, maps, sizes, storage, body);
}

/// A reduction op: `reduce` gives the tensor without the reduced dims, stored as
/// the result's dtype.
template <typename OpTy>
struct ReductionLowering : public OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    SmallVector<int64_t> dims = reducedDims(op.getDims(), tensorType(input).getRank());
    Value value = reduce(op, rewriter, loc, input, dims);
    if (op.getKeepdim())
      value = keepDims(rewriter, loc, value, dims);
    rewriter.replaceOp(op,
                       castTo(rewriter, loc, value, this->getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
  static Value reduce(OpTy op, OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> dims);
};

template <>
Value ReductionLowering<SumOp>::reduce(SumOp op, OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> dims) {
  Type from = dtypeOf(op.getInput()), to = op.getResult().getType().getElementType();
  // A given dtype casts the input first (PyTorch), so f32 summed as f64 is right.
  Type type = isFloat(to) ? (isFloat(from) && to == from ? sumType(from) : sumType(to)) : to;
  Value sum = reduceWith(b, loc, input, from, type, dims, createScalar(b, loc, getComputeType(type), 0), identityMap,
                         combineAdd);
  return finishWith(b, loc, sum, type, to);
}
template <>
Value ReductionLowering<ProdOp>::reduce(ProdOp op, OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> dims) {
  Type from = dtypeOf(op.getInput()), to = op.getResult().getType().getElementType();
  Type type = isFloat(to) ? sumType(to) : to;
  Value product = reduceWith(b, loc, input, from, type, dims, createScalar(b, loc, getComputeType(type), 1),
                             identityMap, [](Scalars &s, Value acc, Value x) { return s.mul(acc, x); });
  return finishWith(b, loc, product, type, to);
}
template <>
Value ReductionLowering<MeanOp>::reduce(MeanOp op, OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> dims) {
  Type from = dtypeOf(op.getInput()), type = sumType(from);
  Value count = reducedCount(b, loc, input, dims, type); // 0 / 0 is NaN
  return finishWith(b, loc, sumOf(b, loc, input, from, dims), type, op.getResult().getType().getElementType(),
                    [&](Scalars &s, Value sum) { return s.div(sum, count); });
}
template <typename OpTy>
static Value reduceExtremum(OpTy op, OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> dims, bool isMax) {
  Type dtype = dtypeOf(op.getInput());
  assertNonEmpty(b, loc, input, dims);
  if (isBool(dtype)) { // or / and
    Type i8 = getStorageType(dtype);
    return buildReduction(b, loc, input, dims, createScalar(b, loc, i8, isMax ? 0 : 1),
                          [&](OpBuilder &n, Location l, ValueRange args) -> SmallVector<Value> {
                            Scalars s(n, l, i8);
                            return {isMax ? s.orB(args[0], args[1]) : s.andB(args[0], args[1])};
                          })[0];
  }
  Value init = isMax ? createLowest(b, loc, dtype) : createHighest(b, loc, dtype);
  Value value = reduceWith(b, loc, input, dtype, dtype, dims, init, identityMap, isMax ? combineMax : combineMin);
  return getComputeType(dtype) == getStorageType(dtype) ? value : finishWith(b, loc, value, dtype, dtype);
}
template <>
Value ReductionLowering<AmaxOp>::reduce(AmaxOp op, OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> dims) {
  return reduceExtremum(op, b, loc, input, dims, true);
}
template <>
Value ReductionLowering<AminOp>::reduce(AminOp op, OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> dims) {
  return reduceExtremum(op, b, loc, input, dims, false);
}
/// any and all: over element != 0, in i8.
template <typename OpTy>
static Value reduceTruth(OpTy op, OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> dims, bool isAny) {
  Type dtype = dtypeOf(op.getInput()), i8 = b.getI8Type();
  return buildReduction(b, loc, input, dims, createScalar(b, loc, i8, isAny ? 0 : 1),
                        [&](OpBuilder &n, Location l, ValueRange args) -> SmallVector<Value> {
                          Scalars s(n, l, dtype);
                          Value truth =
                              mlir::arith::ExtUIOp::create(n, l, i8, s.nonZero(loadElement(n, l, args[0], dtype)));
                          return {isAny ? s.orB(truth, args[1]) : s.andB(truth, args[1])};
                        })[0];
}
template <>
Value ReductionLowering<AnyOp>::reduce(AnyOp op, OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> dims) {
  Value flag = reduceTruth(op, b, loc, input, dims, true);
  Type to = op.getResult().getType().getElementType();
  return isBool(to) ? flag : finishWith(b, loc, flag, b.getI8Type(), to); // uint8 stays uint8
}
template <>
Value ReductionLowering<AllOp>::reduce(AllOp op, OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> dims) {
  Value flag = reduceTruth(op, b, loc, input, dims, false);
  Type to = op.getResult().getType().getElementType();
  return isBool(to) ? flag : finishWith(b, loc, flag, b.getI8Type(), to);
}

/// Sum of squared distances from the mean, by two passes; `mean` has the sum type.
static Value squaredDistances(OpBuilder &b, Location loc, Value input, Type dtype, ArrayRef<int64_t> dims) {
  Type type = sumType(dtype);
  Value count = reducedCount(b, loc, input, dims, type);
  Value mean = finishWith(b, loc, sumOf(b, loc, input, dtype, dims), type, type,
                          [&](Scalars &s, Value sum) { return s.div(sum, count); });
  Value squares = withReduced(b, loc, input, mean, dims, type, [&](OpBuilder &n, Location l, ValueRange args) {
    Scalars s(n, l, type);
    Value distance = s.sub(convertScalar(n, l, loadElement(n, l, args[0], dtype), dtype, type), args[1]);
    return s.mul(distance, distance);
  });
  return reduceWith(b, loc, squares, type, type, dims, createScalar(b, loc, type, 0), identityMap, combineAdd);
}
template <>
Value ReductionLowering<VarOp>::reduce(VarOp op, OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> dims) {
  Type dtype = dtypeOf(op.getInput()), type = sumType(dtype);
  Scalars outer(b, loc, type);
  Value count = reducedCount(b, loc, input, dims, type);
  Value divisor = outer.max(outer.sub(count, outer.cst(op.getCorrection().convertToDouble())), outer.cst(0));
  return finishWith(b, loc, squaredDistances(b, loc, input, dtype, dims), type,
                    op.getResult().getType().getElementType(),
                    [&](Scalars &s, Value sum) { return s.div(sum, divisor); });
}
template <>
Value ReductionLowering<LogsumexpOp>::reduce(LogsumexpOp op, OpBuilder &b, Location loc, Value input,
                                             ArrayRef<int64_t> dims) {
  Type dtype = dtypeOf(op.getInput()), compute = getComputeType(dtype), type = sumType(compute);
  Value highest =
      reduceWith(b, loc, input, dtype, compute, dims, createLowest(b, loc, compute), identityMap, combineMaxOfNumbers);
  // An infinite maximum would give inf - inf.
  highest = finishWith(b, loc, highest, compute, compute, [&](Scalars &s, Value x) {
    return s.select(s.eq(s.absF(x), s.cst(std::numeric_limits<double>::infinity())), s.cst(0), x);
  });
  Value powers = withReduced(b, loc, input, highest, dims, compute, [&](OpBuilder &n, Location l, ValueRange args) {
    Scalars s(n, l, compute);
    return s.exp(s.sub(loadElement(n, l, args[0], dtype), args[1]));
  });
  Value sum = finishWith(b, loc, sumOf(b, loc, powers, compute, dims), type, compute);
  return buildElementwise(b, loc, {sum, highest}, getStorageType(dtype),
                          [&](OpBuilder &n, Location l, ValueRange args) {
                            Scalars s(n, l, compute);
                            return storeElement(n, l, s.add(s.log(args[0]), args[1]), dtype);
                          });
}
template <>
Value ReductionLowering<VectorNormOp>::reduce(VectorNormOp op, OpBuilder &b, Location loc, Value input,
                                              ArrayRef<int64_t> dims) {
  Type dtype = dtypeOf(op.getInput()), to = op.getResult().getType().getElementType();
  double ord = op.getOrd().convertToDouble();
  auto absolute = [](Scalars &s, Value x) { return s.absF(x); };
  if (std::isinf(ord)) {
    Type compute = getComputeType(dtype);
    assertNonEmpty(b, loc, input, dims);
    Value init = ord > 0 ? createScalar(b, loc, compute, 0) : createHighest(b, loc, compute);
    Value value = reduceWith(b, loc, input, dtype, compute, dims, init, absolute, ord > 0 ? combineMax : combineMin);
    return finishWith(b, loc, value, compute, to);
  }
  Type type = sumType(dtype);
  if (ord == 0)
    return finishWith(
        b, loc,
        sumOf(b, loc, input, dtype, dims,
              [](Scalars &s, Value x) { return s.select(s.cmp(Scalars::NE, x, s.cst(0)), s.cst(1), s.cst(0)); }),
        type, to);
  if (ord == 1)
    return finishWith(b, loc, sumOf(b, loc, input, dtype, dims, absolute), type, to);
  if (ord == 2)
    return finishWith(b, loc, sumOf(b, loc, input, dtype, dims, [](Scalars &s, Value x) { return s.mul(x, x); }), type,
                      to, [](Scalars &s, Value x) { return s.sqrt(x); });
  Value sum = sumOf(b, loc, input, dtype, dims, [&](Scalars &s, Value x) { return s.powf(s.absF(x), s.cst(ord)); });
  return finishWith(b, loc, sum, type, to, [&](Scalars &s, Value x) { return s.powf(x, s.cst(1.0 / ord)); });
}

//===----------------------------------------------------------------------===//
// Positions of extrema
//===----------------------------------------------------------------------===//

/// Extremum along one dim and its index (i64): the first NaN, then the first
/// extremum. Both in compute type, without the dim. The loops run in order.
std::pair<Value, Value> extremumAlong(OpBuilder &b, Location loc, Value input, Type dtype, int64_t dim, bool isMax) {
  Value init = isMax ? createLowest(b, loc, dtype) : createHighest(b, loc, dtype);
  bool asBool = isBool(dtype);
  if (asBool)
    init = createScalar(b, loc, getStorageType(dtype), isMax ? 0 : 1);
  Value none = createScalar(b, loc, b.getI64Type(), -1);
  SmallVector<Value> results = buildReduction(
      b, loc, input, dim, {init, none}, [&](OpBuilder &n, Location l, ValueRange args) -> SmallVector<Value> {
        Type type = asBool ? getStorageType(dtype) : dtype;
        Scalars s(n, l, type);
        Value x = asBool ? args[0] : loadElement(n, l, args[0], dtype);
        Value index = mlir::linalg::IndexOp::create(n, l, dim);
        Value position = mlir::arith::IndexCastOp::create(n, l, n.getI64Type(), index);
        Value first = mlir::arith::CmpIOp::create(n, l, mlir::arith::CmpIPredicate::slt, args[2],
                                                  createScalar(n, l, n.getI64Type(), 0));
        Value better = s.orB(first, isMax ? s.gt(x, args[1]) : s.lt(x, args[1]));
        if (s.isFloatType()) {
          Value isNewNan = s.andB(s.isNan(x), s.xorB(s.isNan(args[1]), createScalar(n, l, n.getI1Type(), 1)));
          better = s.orB(better, isNewNan);
        }
        return {s.select(better, x, args[1]), s.select(better, position, args[2])};
      });
  return {results[0], results[1]};
}

/// The same in two reductions that can be vectorised: the extremum, then the least index where it is. The value is read
/// there: zeros of both signs are equal.
std::pair<Value, Value> extremumInVectors(OpBuilder &b, Location loc, Value input, Type dtype, int64_t dim,
                                          bool isMax) {
  Type type = isBool(dtype) ? getStorageType(dtype) : dtype, compute = getComputeType(type);
  Value init = isMax ? createLowest(b, loc, type) : createHighest(b, loc, type);
  Value extremum = reduceWith(b, loc, input, type, type, dim, init, identityMap, isMax ? combineMax : combineMin);
  Sizes sizes = getSizes(b, loc, input), kept = sizes;
  kept.erase(kept.begin() + dim);
  std::optional<int64_t> extent = constantSize(sizes[dim]);
  Type number = extent && *extent <= std::numeric_limits<int32_t>::max() ? b.getI32Type() : b.getI64Type();
  Value beyond = mlir::arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(number, APInt::getSignedMaxValue(number.getIntOrFloatBitWidth())));
  Value start = createFilled(b, loc, kept, beyond);
  int64_t rank = sizes.size();
  SmallVector<mlir::AffineExpr> exprs;
  for (int64_t i = 0; i < rank; ++i)
    if (i != dim)
      exprs.push_back(b.getAffineDimExpr(i));
  AffineMap keptMap = AffineMap::get(rank, 0, exprs, b.getContext());
  SmallVector<mlir::utils::IteratorType> iterators(rank, mlir::utils::IteratorType::parallel);
  iterators[dim] = mlir::utils::IteratorType::reduction;
  auto first = mlir::linalg::GenericOp::create(
      b, loc, start.getType(), ValueRange{input, extremum}, start, {b.getMultiDimIdentityMap(rank), keptMap, keptMap},
      iterators, [&](OpBuilder &n, Location l, ValueRange args) {
        Scalars s(n, l, type);
        Value x = loadElement(n, l, args[0], type), found = s.eq(x, args[1]);
        if (s.isFloatType()) // Where there is a NaN it is the extremum.
          found = s.orB(found, s.isNan(x));
        Value index = mlir::arith::IndexCastOp::create(n, l, number, mlir::linalg::IndexOp::create(n, l, dim));
        Value place = s.select(found, index, beyond);
        mlir::linalg::YieldOp::create(n, l, mlir::arith::MinSIOp::create(n, l, args[2], place).getResult());
      });
  Value index = first.getResult(0);
  AffineMap identity = b.getMultiDimIdentityMap(rank - 1);
  Value value = buildParallel(b, loc, index, identity, kept, compute, [&](OpBuilder &n, Location l, ValueRange args) {
    SmallVector<Value> position;
    for (int64_t i = 0; i < rank; ++i)
      position.push_back(i == dim ? mlir::arith::IndexCastOp::create(n, l, n.getIndexType(), args[0]).getResult()
                                  : mlir::linalg::IndexOp::create(n, l, i - (i > dim)).getResult());
    return loadElement(n, l, mlir::tensor::ExtractOp::create(n, l, input, position), type);
  });
  if (number != b.getI64Type())
    index = buildElementwise(b, loc, index, b.getI64Type(), [&](OpBuilder &n, Location l, ValueRange args) -> Value {
      return mlir::arith::ExtSIOp::create(n, l, n.getI64Type(), args[0]);
    });
  return {value, index};
}

std::pair<Value, Value> findExtremum(OpBuilder &b, Location loc, Value input, Type dtype, int64_t dim, bool isMax,
                                     bool parallelForms) {
  return (parallelForms ? extremumAlong : extremumInVectors)(b, loc, input, dtype, dim, isMax);
}

template <typename OpTy, bool isMax>
struct ArgLowering : public OpConversionPattern<OpTy> {
  ArgLowering(const mlir::TypeConverter &converter, MLIRContext *context, bool parallelForms)
      : OpConversionPattern<OpTy>(converter, context), parallelForms(parallelForms) {}
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    Type dtype = dtypeOf(op.getInput());
    int64_t rank = tensorType(input).getRank(), dim = 0;
    SmallVector<int64_t> dropped;
    if (op.getDim() && rank > 0) {
      dim = wrapDim(*op.getDim(), rank);
      dropped.push_back(dim);
    } else { // Of the flattened tensor.
      OpFoldResult total = rewriter.getIndexAttr(1);
      for (OpFoldResult size : getSizes(rewriter, loc, input))
        total = mulSizes(rewriter, loc, total, size);
      input = reshapeTo(rewriter, loc, input, total);
      dropped = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    }
    assertNonEmpty(rewriter, loc, input, dim);
    Value index = findExtremum(rewriter, loc, input, dtype, dim, isMax, parallelForms).second;
    if (op.getKeepdim())
      index = keepDims(rewriter, loc, index, dropped);
    rewriter.replaceOp(op,
                       castTo(rewriter, loc, index, this->getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
  bool parallelForms;
};

template <typename OpTy, bool isMax>
struct DimExtremumLowering : public OpConversionPattern<OpTy> {
  DimExtremumLowering(const mlir::TypeConverter &converter, MLIRContext *context, bool parallelForms)
      : OpConversionPattern<OpTy>(converter, context), parallelForms(parallelForms) {}
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    Type dtype = dtypeOf(op.getInput());
    int64_t rank = tensorType(input).getRank(), dim = rank ? wrapDim(op.getDim(), rank) : 0;
    if (rank == 0)
      input = unsqueeze(rewriter, loc, input, 0);
    assertNonEmpty(rewriter, loc, input, dim);
    auto [value, index] = findExtremum(rewriter, loc, input, dtype, dim, isMax, parallelForms);
    if (dtypeOf(value) != getStorageType(dtype))
      value = finishWith(rewriter, loc, value, dtype, dtype);
    if (op.getKeepdim() && rank > 0) {
      value = keepDims(rewriter, loc, value, dim);
      index = keepDims(rewriter, loc, index, dim);
    }
    const mlir::TypeConverter *converter = this->getTypeConverter();
    rewriter.replaceOp(op, {castTo(rewriter, loc, value, converter->convertType(op.getValues().getType())),
                            castTo(rewriter, loc, index, converter->convertType(op.getIndices().getType()))});
    return success();
  }
  bool parallelForms;
};

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

template <typename OpTy, bool isLog>
struct SoftmaxLowering : public OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    Type dtype = dtypeOf(op.getInput()), to = op.getResult().getType().getElementType();
    Type compute = getComputeType(dtype);
    // A given dtype casts first.
    if (isFloat(to) && getComputeType(to).getIntOrFloatBitWidth() > compute.getIntOrFloatBitWidth())
      compute = getComputeType(to);
    int64_t rank = tensorType(input).getRank();
    SmallVector<int64_t> dims;
    if (rank > 0)
      dims.push_back(wrapDim(op.getDim(), rank));
    OpBuilder &b = rewriter;
    Value highest = reduceWith(b, loc, input, dtype, compute, dims, createLowest(b, loc, compute), identityMap,
                               combineMaxOfNumbers);
    auto distance = [&](OpBuilder &n, Location l, Value element, Value maximum) {
      Scalars s(n, l, compute);
      return s.sub(convertScalar(n, l, loadElement(n, l, element, dtype), dtype, compute), maximum);
    };
    Value powers = withReduced(b, loc, input, highest, dims, compute, [&](OpBuilder &n, Location l, ValueRange args) {
      return Scalars(n, l, compute).exp(distance(n, l, args[0], args[1]));
    });
    Type type = sumType(compute);
    Value sum = sumOf(b, loc, powers, compute, dims);
    Value value;
    if (isLog) {
      Value logSum = finishWith(b, loc, sum, type, compute, [](Scalars &s, Value x) { return s.log(x); });
      value = withReduced(
          b, loc, input, {highest, logSum}, dims, getStorageType(to), [&](OpBuilder &n, Location l, ValueRange args) {
            return storeElement(n, l, Scalars(n, l, compute).sub(distance(n, l, args[0], args[1]), args[2]), to);
          });
    } else {
      Value narrow = finishWith(b, loc, sum, type, compute);
      value =
          withReduced(b, loc, powers, narrow, dims, getStorageType(to), [&](OpBuilder &n, Location l, ValueRange args) {
            return storeElement(n, l, Scalars(n, l, compute).div(args[0], args[1]), to);
          });
    }
    rewriter.replaceOp(op,
                       castTo(rewriter, loc, value, this->getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

/// The first two steps of a softmax, kept.
struct PrepareSoftmaxOnlineLowering : public OpConversionPattern<PrepareSoftmaxOnlineOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(PrepareSoftmaxOnlineOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    OpBuilder &b = rewriter;
    Value input = adaptor.getInput();
    Type dtype = dtypeOf(op.getInput()), compute = getComputeType(dtype);
    int64_t rank = tensorType(input).getRank();
    SmallVector<int64_t> dims;
    if (rank > 0)
      dims.push_back(wrapDim(op.getDim(), rank));
    assertNonEmpty(b, loc, input, dims);
    Value maximum =
        reduceWith(b, loc, input, dtype, compute, dims, createLowest(b, loc, compute), identityMap, combineMax);
    Value powers = withReduced(b, loc, input, maximum, dims, compute, [&](OpBuilder &n, Location l, ValueRange args) {
      Scalars s(n, l, compute);
      return s.exp(s.sub(convertScalar(n, l, loadElement(n, l, args[0], dtype), dtype, compute), args[1]));
    });
    Value sum = sumOf(b, loc, powers, compute, dims);
    const mlir::TypeConverter *converter = getTypeConverter();
    auto finish = [&](Value value, Type type, Value result) {
      value = keepDims(b, loc, finishWith(b, loc, value, type, dtype), dims);
      return castTo(b, loc, value, converter->convertType(result.getType()));
    };
    rewriter.replaceOp(op, {finish(maximum, compute, op.getMaximum()), finish(sum, sumType(compute), op.getSum())});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

template <typename OpTy, bool isSum>
struct ScanLowering : public OpConversionPattern<OpTy> {
  ScanLowering(const mlir::TypeConverter &converter, MLIRContext *context, bool parallelForms)
      : OpConversionPattern<OpTy>(converter, context), parallelForms(parallelForms) {}
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type dtype = dtypeOf(op.getInput()), to = op.getResult().getType().getElementType();
    Type type = isFloat(to) ? sumType(to) : to;
    Value input = adaptor.getInput();
    OpBuilder &b = rewriter;
    if (tensorType(input).getRank() == 0) {
      Value value = buildElementwise(b, loc, input, getStorageType(to), [&](OpBuilder &n, Location l, ValueRange args) {
        return storeElement(n, l, convertScalar(n, l, loadElement(n, l, args[0], dtype), dtype, to), to);
      });
      rewriter.replaceOp(op, value);
      return success();
    }
    int64_t dim = wrapDim(op.getDim(), tensorType(input).getRank());
    Sizes sizes = getSizes(b, loc, input), slab = sizes;
    // A loop over a single row would be none, and a loop of the entry has no results but tensors.
    bool isOneRow =
        llvm::all_of(ArrayRef(sizes).drop_back(), [](OpFoldResult size) { return constantSize(size) == 1; });
    if (!parallelForms && !isOneRow && dim + 1 == static_cast<int64_t>(sizes.size())) {
      Value result = scanRows(b, loc, input, sizes, dtype, type, to);
      rewriter.replaceOp(
          op, castTo(rewriter, loc, result, this->getTypeConverter()->convertType(op.getResult().getType())));
      return success();
    }
    OpFoldResult one = b.getIndexAttr(1);
    slab[dim] = one;
    Value start = createFilled(b, loc, slab, createScalar(b, loc, getComputeType(type), isSum ? 0 : 1));
    Value result = createEmpty(b, loc, sizes, getStorageType(to));
    Value lower = mlir::arith::ConstantIndexOp::create(b, loc, 0),
          step = mlir::arith::ConstantIndexOp::create(b, loc, 1);
    Value upper = toIndexValue(b, loc, sizes[dim]);
    auto loop = mlir::scf::ForOp::create(
        b, loc, lower, upper, step, ValueRange{start, result},
        [&](OpBuilder &n, Location l, Value i, ValueRange state) {
          SmallVector<OpFoldResult> offsets(sizes.size(), n.getIndexAttr(0)), strides(sizes.size(), n.getIndexAttr(1));
          offsets[dim] = i;
          Value piece = extractSlice(n, l, input, offsets, slab, strides);
          AffineMap identity = n.getMultiDimIdentityMap(slab.size());
          SmallVector<mlir::utils::IteratorType> iterators(slab.size(), mlir::utils::IteratorType::parallel);
          // In place on the running value.
          auto next = mlir::linalg::GenericOp::create(
              n, l, state[0].getType(), piece, state[0], {identity, identity}, iterators,
              [&](OpBuilder &m, Location k, ValueRange args) {
                Scalars s(m, k, type);
                Value x = convertScalar(m, k, loadElement(m, k, args[0], dtype), dtype, type);
                mlir::linalg::YieldOp::create(m, k, isSum ? s.add(args[1], x) : s.mul(args[1], x));
              });
          Value stored = buildElementwise(n, l, next.getResult(0), getStorageType(to),
                                          [&](OpBuilder &m, Location k, ValueRange args) {
                                            return storeElement(m, k, convertScalar(m, k, args[0], type, to), to);
                                          });
          Value joined = insertSlice(n, l, stored, state[1], offsets, slab, strides);
          mlir::scf::YieldOp::create(n, l, ValueRange{next.getResult(0), joined});
        });
    rewriter.replaceOp(
        op, castTo(rewriter, loc, loop.getResult(1), this->getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }

private:
  /// Along the last dimension, row by row with the running value in a register.
  static Value scanRows(OpBuilder &b, Location loc, Value input, const Sizes &sizes, Type dtype, Type type, Type to) {
    OpFoldResult rows = b.getIndexAttr(1);
    for (OpFoldResult size : ArrayRef(sizes).drop_back())
      rows = mulSizes(b, loc, rows, size);
    Sizes flat{rows, sizes.back()};
    input = reshapeTo(b, loc, input, flat);
    Value start = createScalar(b, loc, getComputeType(type), isSum ? 0 : 1);
    Value zero = mlir::arith::ConstantIndexOp::create(b, loc, 0), one = mlir::arith::ConstantIndexOp::create(b, loc, 1);
    Value height = toIndexValue(b, loc, rows), width = toIndexValue(b, loc, sizes.back());
    auto loop = mlir::scf::ForOp::create(
        b, loc, zero, height, one, ValueRange{createEmpty(b, loc, flat, getStorageType(to))},
        [&](OpBuilder &n, Location l, Value row, ValueRange outer) {
          auto along = mlir::scf::ForOp::create(
              n, l, zero, width, one, ValueRange{start, outer[0]},
              [&](OpBuilder &m, Location k, Value column, ValueRange state) {
                Scalars s(m, k, type);
                Value element = mlir::tensor::ExtractOp::create(m, k, input, ValueRange{row, column});
                Value x = convertScalar(m, k, loadElement(m, k, element, dtype), dtype, type);
                Value next = isSum ? s.add(state[0], x) : s.mul(state[0], x);
                Value stored = storeElement(m, k, convertScalar(m, k, next, type, to), to);
                Value written = mlir::tensor::InsertOp::create(m, k, stored, state[1], ValueRange{row, column});
                mlir::scf::YieldOp::create(m, k, ValueRange{next, written});
              });
          mlir::scf::YieldOp::create(n, l, along.getResult(1));
        });
    return reshapeTo(b, loc, loop.getResult(0), sizes);
  }
  bool parallelForms;
};

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

/// sort and topk: the runtime's `fxcpu_sort` on contiguous copies. `k` elements a
/// row are kept.
LogicalResult lowerSort(Operation *op, ConversionPatternRewriter &rewriter, Value input, Type dtype, int64_t dimAttr,
                        OpFoldResult kept, bool descending, bool parallelForms, const mlir::TypeConverter *converter) {
  Location loc = op->getLoc();
  OpBuilder &b = rewriter;
  if (parallelForms && failed(checkStaticExtents(op)))
    return failure();
  int64_t rank = tensorType(input).getRank();
  bool isScalar = rank == 0;
  if (isScalar)
    input = unsqueeze(b, loc, input, 0);
  int64_t dim = isScalar ? 0 : wrapDim(dimAttr, rank);
  Sizes sizes = getSizes(b, loc, input), result = sizes;
  if (kept)
    result[dim] = kept;
  auto product = [&](ArrayRef<OpFoldResult> extents) {
    OpFoldResult count = b.getIndexAttr(1);
    for (OpFoldResult extent : extents)
      count = mulSizes(b, loc, count, extent);
    return count;
  };
  Value values, indices;
  if (parallelForms) {
    indices = sortedPositions(b, loc, input, dtype, dim, descending, *constantSize(result[dim]));
    values = gatherAlong(b, loc, input, indices, dim);
  } else {
    std::tie(values, indices) =
        callSort(b, loc, input, dtype, result, product(ArrayRef(sizes).take_front(dim)), sizes[dim], result[dim],
                 product(ArrayRef(sizes).drop_front(dim + 1)), descending);
  }
  if (isScalar) {
    values = dropDims(b, loc, values, 0);
    indices = dropDims(b, loc, indices, 0);
  }
  rewriter.replaceOp(op, {castTo(b, loc, values, converter->convertType(op->getResult(0).getType())),
                          castTo(b, loc, indices, converter->convertType(op->getResult(1).getType()))});
  return success();
}

struct SortLowering : public OpConversionPattern<SortOp> {
  SortLowering(const mlir::TypeConverter &converter, MLIRContext *context, bool parallelForms)
      : OpConversionPattern(converter, context), parallelForms(parallelForms) {}
  LogicalResult matchAndRewrite(SortOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    return lowerSort(op, rewriter, adaptor.getInput(), dtypeOf(op.getInput()), op.getDim(), {}, op.getDescending(),
                     parallelForms, getTypeConverter());
  }
  bool parallelForms;
};
struct TopkLowering : public OpConversionPattern<TopkOp> {
  TopkLowering(const mlir::TypeConverter &converter, MLIRContext *context, bool parallelForms)
      : OpConversionPattern(converter, context), parallelForms(parallelForms) {}
  LogicalResult matchAndRewrite(TopkOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Value input = adaptor.getInput();
    int64_t rank = tensorType(input).getRank();
    if (rank > 0) {
      OpFoldResult extent = getSize(rewriter, op.getLoc(), input, wrapDim(op.getDim(), rank));
      if (!constantSize(extent)) {
        Value least = mlir::arith::ConstantIndexOp::create(rewriter, op.getLoc(), op.getK());
        Value fits = mlir::arith::CmpIOp::create(rewriter, op.getLoc(), mlir::arith::CmpIPredicate::sge,
                                                 toIndexValue(rewriter, op.getLoc(), extent), least);
        assertTrue(rewriter, op.getLoc(), fits,
                   "expected topk's k to be at most the extent but got " + Twine(op.getK()));
      }
    }
    return lowerSort(op, rewriter, input, dtypeOf(op.getInput()), op.getDim(), rewriter.getIndexAttr(op.getK()),
                     op.getLargest(), parallelForms, getTypeConverter());
  }
  bool parallelForms;
};

} // namespace

void lowering::populateReduction(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns,
                                 const LinalgOptions &options) {
  patterns.add<ReductionLowering<SumOp>, ReductionLowering<MeanOp>, ReductionLowering<AmaxOp>,
               ReductionLowering<AminOp>, ReductionLowering<ProdOp>, ReductionLowering<AnyOp>, ReductionLowering<AllOp>,
               ReductionLowering<VarOp>, ReductionLowering<LogsumexpOp>, ReductionLowering<VectorNormOp>,
               SoftmaxLowering<SoftmaxOp, false>, SoftmaxLowering<LogSoftmaxOp, true>, PrepareSoftmaxOnlineLowering>(
      converter, patterns.getContext());
  patterns.add<ScanLowering<CumsumOp, true>, ScanLowering<CumprodOp, false>, SortLowering, TopkLowering,
               ArgLowering<ArgmaxOp, true>, ArgLowering<ArgminOp, false>, DimExtremumLowering<MaxDimOp, true>,
               DimExtremumLowering<MinDimOp, false>>(converter, patterns.getContext(), options.parallelForms);
}
