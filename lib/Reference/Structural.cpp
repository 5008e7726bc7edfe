// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluators of constants, creation, copies, writes and effects, of the size
// arithmetic in `arith`, and of calls.

#include "Evaluators.h"
#include "fxgraph/Support/RuntimeDtype.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/SymbolTable.h"
#include <cmath>
#include <limits>

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateConstant(ConstantOp op, Evaluation &evaluation) {
  Tensor result = Tensor::fromElements(op.getValue());
  if (result.isNull())
    return evaluation.error("has a literal that the interpreter cannot read: " + formatType(op.getResult().getType()));
  return result;
}

static FailureOr<Tensor> evaluateFull(FullOp op, Evaluation &evaluation) {
  auto type = op.getResult().getType();
  FailureOr<SmallVector<int64_t>> shape = evaluation.getCreatedShape(type, op.getSizes());
  if (failed(shape))
    return failure();
  Tensor value(type.getElementType(), {});
  value.setFromDouble(0, op.getValue().convertToDouble());
  return stridedCopy(value, *shape, 0, SmallVector<int64_t>(shape->size(), 0));
}

static FailureOr<Tensor> evaluateArange(ArangeOp op, Evaluation &evaluation) {
  auto type = op.getResult().getType();
  int64_t extent = type.getDimSize(0);
  if (op.getSize())
    extent = evaluation.getIndex(0);
  if (extent < 0)
    return evaluation.error("expected a size >= 0 but got " + Twine(extent));
  if (failed(evaluation.checkSize({extent})))
    return failure();
  Tensor result(type.getElementType(), {extent});
  double start = op.getStart().convertToDouble(), step = op.getStep().convertToDouble();
  constexpr double limit = 9223372036854775808.0; // 2^63
  auto isInt64 = [&](double number) { return std::trunc(number) == number && -limit <= number && number < limit; };
  if (type.getElementType().isInteger(64) && isInt64(start) && isInt64(step)) {
    // Beyond 2^53 doubles have no odd numbers; beyond 2^63 integers wrap.
    uint64_t number = static_cast<int64_t>(start), distance = static_cast<int64_t>(step);
    for (int64_t &element : result.mutableInts()) {
      element = number;
      number += distance;
    }
    return result;
  }
  for (int64_t i = 0; i < extent; ++i)
    result.setFromDouble(i, start + static_cast<double>(i) * step);
  return result;
}

/// A tensor of the result's type that `draw` fills: row-major memory, count, dtype.
template <typename OpTy>
static FailureOr<Tensor> evaluateRandom(OpTy op, Evaluation &evaluation,
                                        function_ref<void(void *, int64_t, int32_t)> draw) {
  auto type = op.getResult().getType();
  FailureOr<SmallVector<int64_t>> shape = evaluation.getCreatedShape(type, op.getSizes());
  if (failed(shape))
    return failure();
  if (auto floatType = dyn_cast<FloatType>(type.getElementType()); floatType && floatType.getWidth() < 16)
    return evaluation.error("expected a float of 16 bits or more but got " + formatType(type));
  Tensor result(type.getElementType(), *shape);
  std::vector<char> bytes(result.getByteSize());
  draw(bytes.data(), result.getNumElements(), getRuntimeDtype(type.getElementType()));
  return Tensor::fromBytes(type.getElementType(), *shape, bytes);
}
static FailureOr<Tensor> evaluateRand(RandOp op, Evaluation &evaluation) {
  return evaluateRandom(op, evaluation, [&](void *data, int64_t count, int32_t dtype) {
    fxRandomUniform(&evaluation.getRandom(), data, count, dtype);
  });
}
static FailureOr<Tensor> evaluateRandn(RandnOp op, Evaluation &evaluation) {
  return evaluateRandom(op, evaluation, [&](void *data, int64_t count, int32_t dtype) {
    fxRandomNormal(&evaluation.getRandom(), data, count, dtype);
  });
}
static FailureOr<Tensor> evaluateExponential(ExponentialOp op, Evaluation &evaluation) {
  return evaluateRandom(op, evaluation, [&](void *data, int64_t count, int32_t dtype) {
    fxRandomExponential(&evaluation.getRandom(), data, count, dtype, op.getRate().convertToDouble());
  });
}
static FailureOr<Tensor> evaluateBernoulli(BernoulliOp op, Evaluation &evaluation) {
  return evaluateRandom(op, evaluation, [&](void *data, int64_t count, int32_t) {
    fxRandomBernoulli(&evaluation.getRandom(), static_cast<uint8_t *>(data), count, op.getP().convertToDouble());
  });
}
static FailureOr<Tensor> evaluateRandint(RandintOp op, Evaluation &evaluation) {
  return evaluateRandom(op, evaluation, [&](void *data, int64_t count, int32_t) {
    fxRandomIntegers(&evaluation.getRandom(), static_cast<int64_t *>(data), count, op.getLow(), op.getHigh());
  });
}
static FailureOr<Tensor> evaluateRandperm(RandpermOp op, Evaluation &evaluation) {
  return evaluateRandom(op, evaluation, [&](void *data, int64_t count, int32_t) {
    fxRandomPermutation(&evaluation.getRandom(), static_cast<int64_t *>(data), count);
  });
}

//===----------------------------------------------------------------------===//
// Random numbers by seed
//===----------------------------------------------------------------------===//

/// Seeds are drawn; what is drawn by a seed is not made of it, as in PyTorch's own run of these ops.
template <typename OpTy>
static FailureOr<Tensor> evaluateSeeds(OpTy op, Evaluation &evaluation) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Tensor result(type.getElementType(), type.getShape());
  MutableArrayRef<int64_t> seeds = result.mutableInts();
  fxRandomIntegers(&evaluation.getRandom(), seeds.data(), seeds.size(), 0, std::numeric_limits<int64_t>::max());
  return result;
}
static FailureOr<Tensor> evaluateLookupSeed(InductorLookupSeedOp op, Evaluation &evaluation) {
  Tensor result(cast<RankedTensorType>(op.getResult().getType()).getElementType(), {});
  result.mutableInts()[0] = evaluation.get(op.getSeeds()).ints()[static_cast<int64_t>(op.getIndex())];
  return result;
}
static FailureOr<Tensor> evaluateInductorRandom(InductorRandomOp op, Evaluation &evaluation) {
  return evaluateRandom(op, evaluation, [&](void *data, int64_t count, int32_t dtype) {
    (op.getMode() == "rand" ? fxRandomUniform : fxRandomNormal)(&evaluation.getRandom(), data, count, dtype);
  });
}
static FailureOr<Tensor> evaluateInductorRandint(InductorRandintOp op, Evaluation &evaluation) {
  FailureOr<SmallVector<int64_t>> shape = evaluation.getCreatedShape(op.getResult().getType(), op.getSizes());
  if (failed(shape))
    return failure();
  Tensor result(op.getResult().getType().getElementType(), *shape);
  MutableArrayRef<int64_t> numbers = result.mutableInts();
  fxRandomIntegers(&evaluation.getRandom(), numbers.data(), numbers.size(), op.getLow(), op.getHigh());
  return result;
}

//===----------------------------------------------------------------------===//
// Copies, writes, effects
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateClone(CloneOp op, Evaluation &evaluation) { return evaluation.take(op.getInput()); }
/// The interpreter has one memory, whatever device a type names.
static FailureOr<Tensor> evaluateDevicePut(DevicePutOp op, Evaluation &evaluation) {
  return evaluation.take(op.getInput());
}
static FailureOr<Tensor> evaluateContiguous(ContiguousOp op, Evaluation &evaluation) {
  return evaluation.take(op.getInput());
}

static LogicalResult evaluateCopy(CopyUnderscoreOp op, Evaluation &evaluation, SmallVectorImpl<Tensor> &) {
  Tensor src = evaluation.get(op.getSrc());
  const Tensor &dst = evaluation.get(op.getDst());
  if (src.getShape() != dst.getShape())
    return evaluation.error("expected src of shape " + formatShape(dst.getShape()) + " but got " +
                            formatShape(src.getShape()));
  evaluation.writeArgument(cast<mlir::BlockArgument>(op.getDst()).getArgNumber(), std::move(src));
  return success();
}

static FailureOr<Tensor> evaluateSymSize(SymSizeOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  return Tensor::index(op.getContext(), input.getDim(wrapDim(op.getDim(), input.getRank())));
}

static LogicalResult evaluateAssertTensorMetadata(AssertTensorMetadataOp op, Evaluation &evaluation,
                                                  SmallVectorImpl<Tensor> &) {
  const Tensor &input = evaluation.get(op.getInput());
  auto expected = dyn_cast<ShapedType>(op.getExpected());
  if (!expected) {
    if (op.getExpected() == input.getElementType())
      return success();
  } else if (areCompatibleTypes(TypeRange(input.getType()),
                                TypeRange(RankedTensorType::get(expected.getShape(), expected.getElementType())))) {
    return success();
  }
  return evaluation.error("expected a tensor of type " + formatType(op.getExpected()) + " but got " + input.describe());
}

static LogicalResult evaluateAssertScalar(AssertScalarOp op, Evaluation &evaluation, SmallVectorImpl<Tensor> &) {
  return evaluation.get(op.getCondition()).ints()[0] ? success() : evaluation.error(op.getMessage());
}

static LogicalResult evaluateOpaque(OpaqueOp op, Evaluation &evaluation, SmallVectorImpl<Tensor> &) {
  return evaluation.error("cannot be run: the dialect does not model '" + op.getTarget() + "'");
}

//===----------------------------------------------------------------------===//
// Size arithmetic
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateArithConstant(mlir::arith::ConstantOp op, Evaluation &evaluation) {
  Type type = op.getType();
  if (auto elements = dyn_cast<ElementsAttr>(op.getValue())) {
    Tensor result = Tensor::fromElements(elements);
    if (result)
      return result;
  } else if (isSupportedElementType(type)) {
    Tensor result(type, {});
    if (auto number = dyn_cast<IntegerAttr>(op.getValue()))
      result.mutableInts()[0] = wrapToType(type, number.getValue().getSExtValue());
    else
      result.setFromDouble(0, cast<FloatAttr>(op.getValue()).getValueAsDouble());
    return result;
  }
  return evaluation.error("has a literal that the interpreter cannot read: " + formatType(type));
}

/// Scalar integer arithmetic with wrap-around in the result's type.
template <typename OpTy, int64_t (*compute)(int64_t, int64_t), bool divides = false>
static FailureOr<Tensor> evaluateScalar(OpTy op, Evaluation &evaluation) {
  const Tensor &a = evaluation.get(op.getLhs()), &b = evaluation.get(op.getRhs());
  if (a.getRank() != 0 || b.getRank() != 0)
    return evaluation.error("expected scalars but got " + a.describe());
  if (divides && b.ints()[0] == 0)
    return evaluation.error("divides an integer by zero");
  Tensor result(a.getElementType(), {});
  result.mutableInts()[0] = wrapToType(a.getElementType(), compute(a.ints()[0], b.ints()[0]));
  return result;
}

static int64_t scalarMax(int64_t a, int64_t b) { return std::max(a, b); }
static int64_t scalarMin(int64_t a, int64_t b) { return std::min(a, b); }
static int64_t scalarAnd(int64_t a, int64_t b) { return a & b; }
static int64_t scalarOr(int64_t a, int64_t b) { return a | b; }
static int64_t scalarXor(int64_t a, int64_t b) { return a ^ b; }
/// Division by -1 is a negation: the minimum does not overflow.
static int64_t scalarDiv(int64_t a, int64_t b) { return b == -1 ? wrapSub(0, a) : a / b; }
static int64_t scalarRem(int64_t a, int64_t b) { return b == -1 ? 0 : a % b; }
static int64_t scalarFloorDiv(int64_t a, int64_t b) {
  return scalarDiv(a, b) - (scalarRem(a, b) != 0 && (a < 0) != (b < 0));
}
static int64_t scalarCeilDiv(int64_t a, int64_t b) {
  return scalarDiv(a, b) + (scalarRem(a, b) != 0 && (a < 0) == (b < 0));
}

static FailureOr<Tensor> evaluateCmpI(mlir::arith::CmpIOp op, Evaluation &evaluation) {
  const Tensor &lhs = evaluation.get(op.getLhs()), &rhs = evaluation.get(op.getRhs());
  if (lhs.getRank() != 0 || rhs.getRank() != 0)
    return evaluation.error("expected scalars but got " + lhs.describe());
  APInt a(64, lhs.ints()[0], /*isSigned=*/true), b(64, rhs.ints()[0], /*isSigned=*/true);
  Tensor result(IntegerType::get(op.getContext(), 1), {});
  result.mutableInts()[0] = mlir::arith::applyCmpPredicate(op.getPredicate(), a, b);
  return result;
}

static FailureOr<Tensor> evaluateSelect(mlir::arith::SelectOp op, Evaluation &evaluation) {
  const Tensor &condition = evaluation.get(op.getCondition());
  if (condition.getRank() != 0)
    return evaluation.error("expected a scalar condition but got " + condition.describe());
  return evaluation.get(condition.ints()[0] ? op.getTrueValue() : op.getFalseValue());
}

static FailureOr<Tensor> evaluateIndexCast(mlir::arith::IndexCastOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getIn());
  if (input.getRank() != 0 || isa<RankedTensorType>(op.getType()))
    return evaluation.error("expected a scalar but got " + input.describe());
  return input.convert(op.getType());
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static LogicalResult evaluateCall(mlir::func::CallOp op, Evaluation &evaluation, SmallVectorImpl<Tensor> &results) {
  auto callee = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(op, op.getCalleeAttr());
  if (!callee)
    return evaluation.error("calls '" + op.getCallee() + "', which is not a function of the module");
  FailureOr<SmallVector<Tensor>> returned = evaluation.call(callee);
  if (failed(returned))
    return failure();
  results.append(std::make_move_iterator(returned->begin()), std::make_move_iterator(returned->end()));
  return success();
}

void fxgraph::registerStructuralEvaluators(EvaluatorRegistry &registry) {
  registry.add<ConstantOp>(evaluateConstant);
  registry.add<FullOp>(evaluateFull);
  registry.add<ArangeOp>(evaluateArange);
  registry.add<RandOp>(evaluateRand);
  registry.add<RandnOp>(evaluateRandn);
  registry.add<ExponentialOp>(evaluateExponential);
  registry.add<BernoulliOp>(evaluateBernoulli);
  registry.add<RandintOp>(evaluateRandint);
  registry.add<RandpermOp>(evaluateRandperm);
  registry.add<InductorSeedOp>(evaluateSeeds<InductorSeedOp>);
  registry.add<InductorSeedsOp>(evaluateSeeds<InductorSeedsOp>);
  registry.add<InductorLookupSeedOp>(evaluateLookupSeed);
  registry.add<InductorRandomOp>(evaluateInductorRandom);
  registry.add<InductorRandintOp>(evaluateInductorRandint);
  registry.add<CloneOp>(evaluateClone);
  registry.add<ContiguousOp>(evaluateContiguous);
  registry.add<DevicePutOp>(evaluateDevicePut);
  registry.add<CopyUnderscoreOp>(evaluateCopy);
  registry.add<SymSizeOp>(evaluateSymSize);
  registry.add<AssertTensorMetadataOp>(evaluateAssertTensorMetadata);
  registry.add<AssertScalarOp>(evaluateAssertScalar);
  registry.add<OpaqueOp>(evaluateOpaque);

  using namespace mlir::arith;
  registry.add<mlir::arith::ConstantOp>(evaluateArithConstant);
  registry.add<AddIOp>(evaluateScalar<AddIOp, wrapAdd>);
  registry.add<SubIOp>(evaluateScalar<SubIOp, wrapSub>);
  registry.add<MulIOp>(evaluateScalar<MulIOp, wrapMul>);
  registry.add<DivSIOp>(evaluateScalar<DivSIOp, scalarDiv, /*divides=*/true>);
  registry.add<FloorDivSIOp>(evaluateScalar<FloorDivSIOp, scalarFloorDiv, /*divides=*/true>);
  registry.add<CeilDivSIOp>(evaluateScalar<CeilDivSIOp, scalarCeilDiv, /*divides=*/true>);
  registry.add<RemSIOp>(evaluateScalar<RemSIOp, scalarRem, /*divides=*/true>);
  registry.add<MaxSIOp>(evaluateScalar<MaxSIOp, scalarMax>);
  registry.add<MinSIOp>(evaluateScalar<MinSIOp, scalarMin>);
  registry.add<AndIOp>(evaluateScalar<AndIOp, scalarAnd>);
  registry.add<OrIOp>(evaluateScalar<OrIOp, scalarOr>);
  registry.add<XOrIOp>(evaluateScalar<XOrIOp, scalarXor>);
  registry.add<CmpIOp>(evaluateCmpI);
  registry.add<mlir::arith::SelectOp>(evaluateSelect);
  registry.add<IndexCastOp>(evaluateIndexCast);
  registry.add<mlir::func::CallOp>(evaluateCall);
}
