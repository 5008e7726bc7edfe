// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluators of the elementwise ops.
//
// Floats are computed in double and rounded through f32 (roundViaF32): for the
// basic operations on f32 that is the correctly rounded result (a double holds
// the exact product, and quotient, sum and root survive the double rounding);
// for functions such as exp it is within one ulp of any good library.
//
// Wrapped numbers in add, sub, mul and div, and alpha, are used in f32 precision
// beside bf16 and f16, as PyTorch does on a GPU and in compiled code; its eager CPU
// kernels round them to the dtype first, but for the second operand of mul and
// div. All other ops convert them to the other operand's dtype.

#include "Evaluators.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>
#include <utility>

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

/// Applies `function` to every element of a float tensor.
static Tensor mapFloats(Tensor tensor, function_ref<double(double)> function) {
  Type type = tensor.getElementType();
  for (double &value : tensor.mutableFloats())
    value = roundViaF32(type, function(value));
  return tensor;
}

static Tensor mapInts(Tensor tensor, function_ref<int64_t(int64_t)> function) {
  Type type = tensor.getElementType();
  for (int64_t &value : tensor.mutableInts())
    value = wrapToType(type, function(value));
  return tensor;
}

static double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
static double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
/// Clamps to [0, 6]; NaN stays.
static double relu6(double x) { return x < 0.0 ? 0.0 : x > 6.0 ? 6.0 : x; }

/// Functions of the reals, in the order of OpsPointwise.td.
template <typename OpTy, double (*function)(double)>
static FailureOr<Tensor> evaluateReal(OpTy op, Evaluation &evaluation) {
  return mapFloats(evaluation.take(op.getInput()), function);
}

static double silu(double x) { return x * sigmoid(x); }
static double rsqrt(double x) { return 1.0 / std::sqrt(x); }
static double reciprocal(double x) { return 1.0 / x; }
static double logSigmoid(double x) { return std::min(x, 0.0) - std::log1p(std::exp(-std::fabs(x))); }
static double angle(double x) { return std::isnan(x) ? x : x < 0 ? llvm::numbers::pi : 0.0; }
static double hardsigmoid(double x) { return relu6(x + 3.0) / 6.0; }
static double hardswish(double x) { return x * relu6(x + 3.0) / 6.0; }
static double mish(double x) { return x * std::tanh(softplus(x)); }

double fxgraph::computeGelu(double x, bool byTanh) {
  constexpr double kSqrtTwoOverPi = 0.79788456080286535588, kSqrtHalf = 0.70710678118654752440;
  if (byTanh)
    return 0.5 * x * (1.0 + std::tanh(kSqrtTwoOverPi * (x + 0.044715 * x * x * x)));
  return 0.5 * x * (1.0 + std::erf(x * kSqrtHalf));
}

static FailureOr<Tensor> evaluateGelu(GeluOp op, Evaluation &evaluation) {
  bool byTanh = op.getApproximate() == "tanh";
  return mapFloats(evaluation.take(op.getInput()), [=](double x) { return computeGelu(x, byTanh); });
}

static FailureOr<Tensor> evaluateSoftplus(SoftplusOp op, Evaluation &evaluation) {
  double beta = op.getBeta().convertToDouble(), threshold = op.getThreshold().convertToDouble();
  return mapFloats(evaluation.take(op.getInput()),
                   [=](double x) { return beta * x > threshold ? x : std::log1p(std::exp(beta * x)) / beta; });
}

static FailureOr<Tensor> evaluateElu(EluOp op, Evaluation &evaluation) {
  double alpha = op.getAlpha().convertToDouble(), scale = op.getScale().convertToDouble(),
         inputScale = op.getInputScale().convertToDouble();
  return mapFloats(evaluation.take(op.getInput()),
                   [=](double x) { return x > 0.0 ? scale * x : scale * alpha * std::expm1(inputScale * x); });
}

static Tensor leakyRelu(Tensor input, double slope) {
  if (!input.getElementType().isF64())
    slope = static_cast<float>(slope);
  return mapFloats(std::move(input), [=](double x) { return x > 0.0 ? x : slope * x; });
}

static FailureOr<Tensor> evaluateLeakyRelu(LeakyReluOp op, Evaluation &evaluation) {
  return leakyRelu(evaluation.take(op.getInput()), op.getNegativeSlope().convertToDouble());
}

/// Ops that PyTorch does not define for bool.
static LogicalResult rejectBool(const Evaluation &evaluation, const Tensor &tensor) {
  if (tensor.isBool())
    return evaluation.error("expected numbers but got bool");
  return success();
}

/// One function for floats, one for integers.
template <typename OpTy, double (*onFloat)(double), int64_t (*onInt)(int64_t), bool allowsBool = false>
static FailureOr<Tensor> evaluateNumber(OpTy op, Evaluation &evaluation) {
  Tensor input = evaluation.take(op.getInput());
  if (input.isFloat())
    return mapFloats(std::move(input), onFloat);
  if (!allowsBool && failed(rejectBool(evaluation, input)))
    return failure();
  return mapInts(std::move(input), onInt);
}

static double reluFloat(double x) { return x < 0.0 ? 0.0 : x; }
static int64_t reluInt(int64_t x) { return std::max<int64_t>(x, 0); }
static double negFloat(double x) { return -x; }
static int64_t negInt(int64_t x) { return wrapSub(0, x); }
static int64_t absInt(int64_t x) { return x < 0 ? wrapSub(0, x) : x; }
static double signFloat(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0; }
static int64_t signInt(int64_t x) { return (x > 0) - (x < 0); }
static int64_t sameInt(int64_t x) { return x; }

static FailureOr<Tensor> evaluateBitwiseNot(BitwiseNotOp op, Evaluation &evaluation) {
  // On i1 the wrap to one bit makes this the logical not.
  return mapInts(evaluation.take(op.getInput()), [](int64_t x) { return ~x; });
}

static Tensor clampFloats(Tensor input, double min, double max) {
  Type type = input.getElementType();
  double low = roundViaF32(type, min), high = roundViaF32(type, max);
  // A NaN bound makes everything NaN; `max` wins where the bounds cross.
  if (std::isnan(low) || std::isnan(high))
    return mapFloats(std::move(input), [](double) { return std::numeric_limits<double>::quiet_NaN(); });
  return mapFloats(std::move(input), [=](double x) {
    double raised = x < low ? low : x;
    return raised > high ? high : raised;
  });
}

Tensor fxgraph::applyActivation(Tensor tensor, StringRef name, ArrayRef<double> scalars, StringRef algorithm) {
  if (name == "leaky_relu")
    return leakyRelu(std::move(tensor), scalars[0]);
  if (name == "hardtanh")
    return clampFloats(std::move(tensor), scalars[0], scalars[1]);
  if (name == "gelu") {
    bool byTanh = algorithm == "tanh";
    return mapFloats(std::move(tensor), [=](double x) { return computeGelu(x, byTanh); });
  }
  using Function = double (*)(double);
  auto function = llvm::StringSwitch<Function>(name)
                      .Case("relu", reluFloat)
                      .Case("sigmoid", sigmoid)
                      .Case("tanh", static_cast<Function>(std::tanh))
                      .Case("silu", silu)
                      .Case("hardswish", hardswish)
                      .Case("hardsigmoid", hardsigmoid)
                      .Default(nullptr);
  return function ? mapFloats(std::move(tensor), function) : tensor;
}

static FailureOr<Tensor> evaluateClamp(ClampOp op, Evaluation &evaluation) {
  Tensor input = evaluation.take(op.getInput());
  if (!op.getMin() && !op.getMax())
    return evaluation.error("expected min or max but got neither");
  Type type = input.getElementType();
  if (input.isFloat()) {
    double infinity = std::numeric_limits<double>::infinity();
    return clampFloats(std::move(input), op.getMin() ? op.getMin()->convertToDouble() : -infinity,
                       op.getMax() ? op.getMax()->convertToDouble() : infinity);
  }
  int64_t low = op.getMin() ? floatToInt(type, op.getMin()->convertToDouble()) : std::numeric_limits<int64_t>::min();
  int64_t high = op.getMax() ? floatToInt(type, op.getMax()->convertToDouble()) : std::numeric_limits<int64_t>::max();
  return mapInts(std::move(input), [=](int64_t x) { return std::min(std::max(x, low), high); });
}

static FailureOr<Tensor> evaluateNanToNum(NanToNumOp op, Evaluation &evaluation) {
  Tensor input = evaluation.take(op.getInput());
  if (!input.isFloat())
    return input;
  auto type = cast<FloatType>(input.getElementType());
  double nan = op.getNan().convertToDouble();
  double positive = op.getPosinf() ? op.getPosinf()->convertToDouble() : getLargestFinite(type);
  double negative = op.getNeginf() ? op.getNeginf()->convertToDouble() : -getLargestFinite(type);
  return mapFloats(std::move(input), [=](double x) {
    if (std::isnan(x))
      return nan;
    return std::isinf(x) ? (x > 0.0 ? positive : negative) : x;
  });
}

static FailureOr<Tensor> evaluateReluNanToNum(ReluNanToNumOp op, Evaluation &evaluation) {
  Tensor input = evaluation.take(op.getInput());
  auto type = cast<FloatType>(input.getElementType());
  double nan = op.getNan().convertToDouble();
  double positive = op.getPosinf() ? op.getPosinf()->convertToDouble() : getLargestFinite(type);
  return mapFloats(std::move(input), [=](double x) {
    if (std::isnan(x))
      return nan;
    return x < 0.0 ? 0.0 : std::isinf(x) ? positive : x;
  });
}

/// PyTorch's reference: every step in f32, the numbers rounded to it first.
Tensor fxgraph::quantize(const Tensor &input, Type type, double scale, int64_t zeroPoint, int64_t quantMin,
                         int64_t quantMax) {
  Tensor result(type, input.getShape());
  auto toFloat = [](double value) { return static_cast<double>(static_cast<float>(value)); };
  double inverse = toFloat(1.0 / scale), zero = toFloat(zeroPoint), low = toFloat(quantMin), high = toFloat(quantMax);
  for (auto [to, from] : llvm::zip_equal(result.mutableInts(), input.floats())) {
    double value = toFloat(std::nearbyint(toFloat(from * inverse)) + zero);
    value = value < low ? low : value;
    to = floatToInt(type, value > high ? high : value);
  }
  return result;
}

static FailureOr<Tensor> evaluateQuantize(QuantizePerTensorOp op, Evaluation &evaluation) {
  return quantize(evaluation.get(op.getInput()), op.getResult().getType().getElementType(),
                  op.getScale().convertToDouble(), op.getZeroPoint(), op.getQuantMin(), op.getQuantMax());
}

static FailureOr<Tensor> evaluateDequantize(DequantizePerTensorOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  Type type = op.getResult().getType().getElementType();
  Tensor result(type, input.getShape());
  auto toWide = [&](double value) { return type.isF64() ? value : static_cast<float>(value); };
  double zero = toWide(static_cast<int64_t>(op.getZeroPoint())), scale = toWide(op.getScale().convertToDouble());
  for (auto [to, from] : llvm::zip_equal(result.mutableFloats(), input.ints())) {
    double shifted = roundViaF32(type, roundToType(type, static_cast<double>(from)) - zero);
    to = roundViaF32(type, shifted * scale);
  }
  return result;
}

/// Differences of integers wrap, products round to the scales' dtype first, as in PyTorch.
static FailureOr<Tensor> evaluateDequantizePerChannel(DequantizePerChannelOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput()), &scales = evaluation.get(op.getScales());
  const Tensor *zeroPoints = evaluation.find(op.getZeroPoints());
  int64_t axis = wrapDim(op.getAxis(), input.getRank());
  DimSplit split(input.getShape(), axis);
  for (const Tensor *vector : {&scales, zeroPoints})
    if (vector && vector->getDim(0) != split.extent)
      return evaluation.error("expected " + Twine(split.extent) + " scales and zero points but got " +
                              Twine(vector->getDim(0)));
  Type type = op.getResult().getType().getElementType(), product = scales.getElementType();
  Type difference = input.getElementType();
  if (zeroPoints)
    difference = promoteIntegers(difference, zeroPoints->getElementType());
  Tensor result(type, input.getShape());
  for (int64_t o = 0; o < split.outer; ++o)
    for (int64_t e = 0; e < split.extent; ++e)
      for (int64_t i = 0; i < split.inner; ++i) {
        int64_t value = input.ints()[split.at(o, e, i)];
        if (zeroPoints)
          value = wrapToType(difference, value - zeroPoints->ints()[e]);
        double scaled = roundViaF32(product, roundToType(product, static_cast<double>(value)) * scales.floats()[e]);
        result.mutableFloats()[split.at(o, e, i)] = roundToType(type, scaled);
      }
  return result;
}

static FailureOr<Tensor> evaluateCvtE8m0Rceil(CvtE8m0RceilOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  Tensor result(op.getResult().getType().getElementType(), input.getShape());
  for (auto [to, from] : llvm::zip_equal(result.mutableInts(), input.floats())) {
    uint32_t bits = llvm::bit_cast<uint32_t>(static_cast<float>(from));
    to = std::min<int64_t>((bits >> 23 & 0xff) + ((bits & 0x7fffff) != 0), 254);
  }
  return result;
}

static FailureOr<Tensor> evaluateDetach(DetachOp op, Evaluation &evaluation) { return evaluation.take(op.getInput()); }

/// `result[i] = predicate(input[i])`; `onInt` is the answer for integers.
template <typename OpTy>
static FailureOr<Tensor> evaluatePredicate(OpTy op, Evaluation &evaluation, function_ref<bool(double)> predicate,
                                           bool onInt) {
  const Tensor &input = evaluation.get(op.getInput());
  Tensor result(IntegerType::get(op.getContext(), 1), input.getShape());
  MutableArrayRef<int64_t> out = result.mutableInts();
  for (int64_t i = 0; i < input.getNumElements(); ++i)
    out[i] = input.isFloat() ? predicate(input.floats()[i]) : onInt;
  return result;
}
static FailureOr<Tensor> evaluateIsnan(IsnanOp op, Evaluation &evaluation) {
  return evaluatePredicate(op, evaluation, [](double x) { return std::isnan(x); }, false);
}
static FailureOr<Tensor> evaluateIsinf(IsinfOp op, Evaluation &evaluation) {
  return evaluatePredicate(op, evaluation, [](double x) { return std::isinf(x); }, false);
}
static FailureOr<Tensor> evaluateIsfinite(IsfiniteOp op, Evaluation &evaluation) {
  return evaluatePredicate(op, evaluation, [](double x) { return std::isfinite(x); }, true);
}
static FailureOr<Tensor> evaluateSignbit(SignbitOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  Tensor result(IntegerType::get(op.getContext(), 1), input.getShape());
  MutableArrayRef<int64_t> out = result.mutableInts();
  for (int64_t i = 0; i < input.getNumElements(); ++i)
    out[i] = input.isFloat() ? std::signbit(input.floats()[i]) : input.ints()[i] < 0;
  return result;
}
static FailureOr<Tensor> evaluateLogicalNot(LogicalNotOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  Tensor result(IntegerType::get(op.getContext(), 1), input.getShape());
  MutableArrayRef<int64_t> out = result.mutableInts();
  for (int64_t i = 0; i < input.getNumElements(); ++i)
    out[i] = !input.isNonZero(i);
  return result;
}

static FailureOr<Tensor> evaluateConvertElementType(ConvertElementTypeOp op, Evaluation &evaluation) {
  return evaluation.get(op.getInput()).convert(op.getResult().getType().getElementType());
}

static FailureOr<Tensor> evaluateDropout(DropoutOp op, Evaluation &evaluation) {
  Tensor input = evaluation.take(op.getInput());
  double p = op.getP().convertToDouble();
  if (!(p >= 0.0 && p <= 1.0))
    return evaluation.error("expected p in [0, 1] but got " + Twine(std::to_string(p)));
  if (!op.getTraining() || p == 0.0)
    return input;
  if (!input.isFloat())
    return evaluation.error("expected floats in training but got " + input.describe());
  if (input.getNumElements() == 0)
    return input;
  // One draw an element, in row-major order; a dropped NaN or infinity is NaN, as
  // PyTorch multiplies by zero.
  std::vector<uint8_t> keeps(input.getNumElements());
  if (p < 1.0)
    fxRandomBernoulli(&evaluation.getRandom(), keeps.data(), keeps.size(), 1.0 - p);
  Type type = input.getElementType();
  // 1 / (1 - p), both numbers of the dtype, or of f32 where that is wider.
  Type work = type.isF64() ? type : mlir::Float32Type::get(type.getContext());
  double scale = roundViaF32(type, roundToType(work, 1.0 / roundToType(work, 1.0 - p)));
  for (auto [value, kept] : llvm::zip_equal(input.mutableFloats(), keeps))
    value = roundViaF32(type, value * (kept ? scale : 0.0));
  return input;
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

/// Whether a wrapped number keeps f32 precision beside a narrower float.
enum class ScalarPrecision { Wide, Rounded };

/// The operand in the computation's element type.
static Tensor prepareOperand(const Tensor &tensor, Type common, ScalarPrecision precision) {
  if (tensor.getElementType() == common)
    return tensor;
  if (isa<FloatType>(common) && precision == ScalarPrecision::Wide && common.getIntOrFloatBitWidth() < 32)
    return tensor.convert(mlir::Float32Type::get(common.getContext()));
  return tensor.convert(common);
}

/// The element type that both operands are computed in: that of the one which
/// is not a wrapped number.
static Type commonElementType(const Tensor &a, const Tensor &b) {
  if (a.getElementType() == b.getElementType())
    return a.getElementType();
  FailureOr<Type> type = unifyElementTypes(std::nullopt, {a.getType(), b.getType()});
  return succeeded(type) ? *type : a.getElementType();
}

namespace {
/// Two operands of one element type, read at the positions of their broadcast.
struct BinaryOperands {
  Tensor a, b;
  Type type;
  SmallVector<int64_t> shape;
};
} // namespace

static FailureOr<BinaryOperands> prepareBinary(Evaluation &evaluation, const Tensor &a, const Tensor &b,
                                               ScalarPrecision precision) {
  FailureOr<SmallVector<int64_t>> shape = broadcastShapes(evaluation, {a.getShape(), b.getShape()});
  if (failed(shape))
    return failure();
  Type type = commonElementType(a, b);
  auto broadcast = [&](const Tensor &tensor) {
    Tensor prepared = prepareOperand(tensor, type, precision);
    if (prepared.getShape() == ArrayRef<int64_t>(*shape))
      return prepared;
    return stridedCopy(prepared, *shape, 0, broadcastStrides(prepared.getShape(), *shape));
  };
  return BinaryOperands{broadcast(a), broadcast(b), type, *shape};
}

/// Arithmetic with the operands' element type as result.
template <typename OpTy>
static FailureOr<Tensor> evaluateArithmetic(OpTy op, Evaluation &evaluation, ScalarPrecision precision,
                                            function_ref<double(double, double)> onFloat,
                                            function_ref<int64_t(int64_t, int64_t)> onInt) {
  FailureOr<BinaryOperands> operands =
      prepareBinary(evaluation, evaluation.get(op.getInput()), evaluation.get(op.getOther()), precision);
  if (failed(operands))
    return failure();
  Tensor result(operands->type, operands->shape);
  if (result.isFloat()) {
    ArrayRef<double> a = operands->a.floats(), b = operands->b.floats();
    MutableArrayRef<double> out = result.mutableFloats();
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = roundViaF32(operands->type, onFloat(a[i], b[i]));
    return result;
  }
  ArrayRef<int64_t> a = operands->a.ints(), b = operands->b.ints();
  MutableArrayRef<int64_t> out = result.mutableInts();
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = wrapToType(operands->type, onInt(a[i], b[i]));
  return result;
}

/// The precision of pointwise math: f32, or f64 for f64.
static double toOpMath(Type type, double value) { return type.isF64() ? value : static_cast<float>(value); }

/// alpha as a number of the op's dtype. PyTorch refuses a fraction for integers.
template <typename OpTy>
static FailureOr<double> getAlpha(OpTy op, Evaluation &evaluation) {
  Type type = op.getResult().getType().getElementType();
  double alpha = op.getAlpha().convertToDouble();
  if (isa<FloatType>(type))
    return toOpMath(type, alpha);
  if (alpha != std::trunc(alpha))
    return evaluation.error("expected an integer alpha for " + formatType(type) + " but got " +
                            Twine(std::to_string(alpha)));
  return alpha;
}

static FailureOr<Tensor> evaluateAdd(AddOp op, Evaluation &evaluation) {
  FailureOr<double> alpha = getAlpha(op, evaluation);
  if (failed(alpha))
    return failure();
  bool isBool = op.getResult().getType().getElementType().isInteger(1);
  int64_t scale = static_cast<int64_t>(*alpha);
  return evaluateArithmetic(
      op, evaluation, ScalarPrecision::Wide, [&](double a, double b) { return a + *alpha * b; },
      [&](int64_t a, int64_t b) { return isBool ? (a | (b & (scale != 0))) : wrapAdd(a, wrapMul(scale, b)); });
}

static FailureOr<Tensor> evaluateSub(SubOp op, Evaluation &evaluation) {
  FailureOr<double> alpha = getAlpha(op, evaluation);
  if (failed(alpha))
    return failure();
  if (op.getResult().getType().getElementType().isInteger(1))
    return evaluation.error("expected numbers but got bool");
  int64_t scale = static_cast<int64_t>(*alpha);
  return evaluateArithmetic(
      op, evaluation, ScalarPrecision::Wide, [&](double a, double b) { return a - *alpha * b; },
      [&](int64_t a, int64_t b) { return wrapSub(a, wrapMul(scale, b)); });
}

static FailureOr<Tensor> evaluateMul(MulOp op, Evaluation &evaluation) {
  return evaluateArithmetic(op, evaluation, ScalarPrecision::Wide, [](double a, double b) { return a * b; }, wrapMul);
}

/// Floor division of floats by way of the exact remainder, so that the quotient
/// is the true floor even where a / b rounds up to an integer.
static double floorDivide(double a, double b) {
  if (b == 0.0)
    return a / b;
  double remainder = std::fmod(a, b);
  double quotient = (a - remainder) / b;
  if (remainder != 0.0 && (b < 0.0) != (remainder < 0.0))
    quotient -= 1.0;
  if (quotient == 0.0)
    return std::copysign(0.0, a / b);
  double below = std::floor(quotient);
  return quotient - below > 0.5 ? below + 1.0 : below;
}

/// Integer division by -1 is a negation: the minimum does not overflow.
static int64_t truncDivideInt(int64_t a, int64_t b) { return b == -1 ? wrapSub(0, a) : a / b; }
static int64_t remainderInt(int64_t a, int64_t b) { return b == -1 ? 0 : a % b; }
static int64_t floorDivideInt(int64_t a, int64_t b) {
  int64_t quotient = truncDivideInt(a, b);
  return remainderInt(a, b) != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// Integers: error if any divisor is zero (in the computation's type).
template <typename OpTy>
static LogicalResult checkDivisor(OpTy op, Evaluation &evaluation) {
  const Tensor &a = evaluation.get(op.getInput()), &b = evaluation.get(op.getOther());
  Type type = commonElementType(a, b);
  if (isa<FloatType>(type) || a.getNumElements() == 0)
    return success();
  for (int64_t value : b.ints())
    if (wrapToType(type, value) == 0)
      return evaluation.error("divides an integer by zero");
  return success();
}

static FailureOr<Tensor> evaluateDiv(DivOp op, Evaluation &evaluation) {
  if (failed(checkDivisor(op, evaluation)))
    return failure();
  StringRef mode = op.getRoundingMode().value_or("");
  Type type = op.getResult().getType().getElementType();
  if (mode == "floor")
    return evaluateArithmetic(op, evaluation, ScalarPrecision::Wide, floorDivide, floorDivideInt);
  // The quotient is a number of the dtype before it is truncated.
  return evaluateArithmetic(
      op, evaluation, ScalarPrecision::Wide,
      [&](double a, double b) { return mode == "trunc" ? std::trunc(roundViaF32(type, a / b)) : a / b; },
      truncDivideInt);
}

static FailureOr<Tensor> evaluateRemainder(RemainderOp op, Evaluation &evaluation) {
  if (failed(checkDivisor(op, evaluation)))
    return failure();
  return evaluateArithmetic(
      op, evaluation, ScalarPrecision::Rounded,
      [](double a, double b) {
        double remainder = std::fmod(a, b);
        return remainder != 0.0 && (b < 0.0) != (remainder < 0.0) ? remainder + b : remainder;
      },
      [](int64_t a, int64_t b) {
        int64_t remainder = remainderInt(a, b);
        return remainder != 0 && (b < 0) != (remainder < 0) ? remainder + b : remainder;
      });
}

static FailureOr<Tensor> evaluateFmod(FmodOp op, Evaluation &evaluation) {
  if (failed(checkDivisor(op, evaluation)))
    return failure();
  return evaluateArithmetic(
      op, evaluation, ScalarPrecision::Rounded, [](double a, double b) { return std::fmod(a, b); }, remainderInt);
}

/// a^b by repeated squaring, with wrap-around. A negative exponent gives the
/// integer part of the power.
static int64_t powInt(int64_t a, int64_t b) {
  if (b < 0)
    return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
  int64_t result = 1;
  for (; b != 0; b >>= 1) {
    if (b & 1)
      result = wrapMul(result, a);
    a = wrapMul(a, a);
  }
  return result;
}

static FailureOr<Tensor> evaluatePow(PowOp op, Evaluation &evaluation) {
  const Tensor &exponent = evaluation.get(op.getOther());
  Type type = op.getResult().getType().getElementType();
  bool isScalar = exponent.getRank() == 0 && isa_and_present<ConstantOp>(op.getOther().getDefiningOp());
  // PyTorch computes exponents that are numbers, 0.5 and -0.5, by a square root: that
  // differs at -0 and -inf. Its kernel for f16 alone does not.
  double scalar = isScalar && isa<FloatType>(type) && !type.isF16() ? exponent.getAsDouble(0) : 0.0;
  return evaluateArithmetic(
      op, evaluation, ScalarPrecision::Rounded,
      [&](double a, double b) {
        return scalar == 0.5 ? std::sqrt(a) : scalar == -0.5 ? 1.0 / std::sqrt(a) : std::pow(a, b);
      },
      powInt);
}

static FailureOr<Tensor> evaluateMaximum(MaximumOp op, Evaluation &evaluation) {
  return evaluateArithmetic(
      op, evaluation, ScalarPrecision::Rounded, [](double a, double b) { return std::isnan(a) || a >= b ? a : b; },
      [](int64_t a, int64_t b) { return std::max(a, b); });
}
static FailureOr<Tensor> evaluateMinimum(MinimumOp op, Evaluation &evaluation) {
  return evaluateArithmetic(
      op, evaluation, ScalarPrecision::Rounded, [](double a, double b) { return std::isnan(a) || a <= b ? a : b; },
      [](int64_t a, int64_t b) { return std::min(a, b); });
}
static FailureOr<Tensor> evaluateFmax(FmaxOp op, Evaluation &evaluation) {
  return evaluateArithmetic(
      op, evaluation, ScalarPrecision::Rounded, [](double a, double b) { return std::fmax(a, b); },
      [](int64_t a, int64_t b) { return std::max(a, b); });
}
static FailureOr<Tensor> evaluateFmin(FminOp op, Evaluation &evaluation) {
  return evaluateArithmetic(
      op, evaluation, ScalarPrecision::Rounded, [](double a, double b) { return std::fmin(a, b); },
      [](int64_t a, int64_t b) { return std::min(a, b); });
}
static FailureOr<Tensor> evaluateCopysign(CopysignOp op, Evaluation &evaluation) {
  if (!isa<FloatType>(op.getResult().getType().getElementType()))
    return evaluation.error("expected floats but got " + formatType(op.getInput().getType()));
  return evaluateArithmetic(
      op, evaluation, ScalarPrecision::Rounded, [](double a, double b) { return std::copysign(a, b); }, wrapAdd);
}
static FailureOr<Tensor> evaluateAtan2(Atan2Op op, Evaluation &evaluation) {
  if (!isa<FloatType>(op.getResult().getType().getElementType()))
    return evaluation.error("expected floats but got " + formatType(op.getInput().getType()));
  return evaluateArithmetic(
      op, evaluation, ScalarPrecision::Rounded, [](double a, double b) { return std::atan2(a, b); }, wrapAdd);
}

/// The neighbour of `a` among the numbers of the dtype, on the side of `b`.
static double nextAfter(FloatType type, double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  if (a == b)
    return b;
  APFloat value(a);
  bool lossy;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lossy);
  value.next(/*nextDown=*/b < a);
  return value.convertToDouble();
}
static FailureOr<Tensor> evaluateNextafter(NextafterOp op, Evaluation &evaluation) {
  auto type = cast<FloatType>(op.getResult().getType().getElementType());
  return evaluateArithmetic(
      op, evaluation, ScalarPrecision::Rounded, [&](double a, double b) { return nextAfter(type, a, b); }, wrapAdd);
}

/// Euclid's algorithm as PyTorch runs it, on absolute values that may have wrapped.
static FailureOr<Tensor> evaluateGcd(GcdOp op, Evaluation &evaluation) {
  Type type = op.getResult().getType().getElementType();
  return evaluateArithmetic(
      op, evaluation, ScalarPrecision::Rounded, [](double, double) { return 0.0; },
      [&](int64_t a, int64_t b) {
        a = wrapToType(type, absInt(a));
        b = wrapToType(type, absInt(b));
        while (a != 0)
          b = std::exchange(a, remainderInt(b, a));
        return b;
      });
}
static FailureOr<Tensor> evaluateBitwiseAnd(BitwiseAndOp op, Evaluation &evaluation) {
  return evaluateArithmetic(
      op, evaluation, ScalarPrecision::Rounded, [](double, double) { return 0.0; },
      [](int64_t a, int64_t b) { return a & b; });
}
static FailureOr<Tensor> evaluateBitwiseOr(BitwiseOrOp op, Evaluation &evaluation) {
  return evaluateArithmetic(
      op, evaluation, ScalarPrecision::Rounded, [](double, double) { return 0.0; },
      [](int64_t a, int64_t b) { return a | b; });
}
static FailureOr<Tensor> evaluateBitwiseXor(BitwiseXorOp op, Evaluation &evaluation) {
  return evaluateArithmetic(
      op, evaluation, ScalarPrecision::Rounded, [](double, double) { return 0.0; },
      [](int64_t a, int64_t b) { return a ^ b; });
}

static FailureOr<Tensor> evaluateLeftShift(BitwiseLeftShiftOp op, Evaluation &evaluation) {
  int64_t width = op.getResult().getType().getElementTypeBitWidth();
  return evaluateArithmetic(
      op, evaluation, ScalarPrecision::Rounded, [](double, double) { return 0.0; },
      [&](int64_t a, int64_t b) -> int64_t {
        return b < 0 || b >= width ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
      });
}
static FailureOr<Tensor> evaluateRightShift(BitwiseRightShiftOp op, Evaluation &evaluation) {
  int64_t width = op.getResult().getType().getElementTypeBitWidth();
  return evaluateArithmetic(
      op, evaluation, ScalarPrecision::Rounded, [](double, double) { return 0.0; },
      [&](int64_t a, int64_t b) -> int64_t { return b < 0 || b >= width ? (a < 0 ? -1 : 0) : a >> b; });
}

/// A bool for each pair of elements.
template <typename OpTy, typename Compare>
static FailureOr<Tensor> evaluateCompare(OpTy op, Evaluation &evaluation) {
  FailureOr<BinaryOperands> operands =
      prepareBinary(evaluation, evaluation.get(op.getInput()), evaluation.get(op.getOther()), ScalarPrecision::Rounded);
  if (failed(operands))
    return failure();
  Tensor result(IntegerType::get(op.getContext(), 1), operands->shape);
  MutableArrayRef<int64_t> out = result.mutableInts();
  Compare compare;
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = operands->a.isFloat() ? compare(operands->a.floats()[i], operands->b.floats()[i])
                                   : compare(operands->a.ints()[i], operands->b.ints()[i]);
  return result;
}

namespace {
struct LogicalAnd {
  template <typename T>
  bool operator()(T a, T b) const {
    return a != 0 && b != 0;
  }
};
struct LogicalOr {
  template <typename T>
  bool operator()(T a, T b) const {
    return a != 0 || b != 0;
  }
};
struct LogicalXor {
  template <typename T>
  bool operator()(T a, T b) const {
    return (a != 0) != (b != 0);
  }
};
} // namespace

static FailureOr<Tensor> evaluateWhere(WhereOp op, Evaluation &evaluation) {
  const Tensor &condition = evaluation.get(op.getCondition());
  const Tensor &a = evaluation.get(op.getInput()), &b = evaluation.get(op.getOther());
  FailureOr<SmallVector<int64_t>> shape =
      broadcastShapes(evaluation, {condition.getShape(), a.getShape(), b.getShape()});
  if (failed(shape))
    return failure();
  Type type = op.getResult().getType().getElementType();
  auto broadcast = [&](const Tensor &tensor) {
    return stridedCopy(tensor, *shape, 0, broadcastStrides(tensor.getShape(), *shape));
  };
  Tensor chosen = broadcast(condition), result = broadcast(a.convert(type)), other = broadcast(b.convert(type));
  for (int64_t i = 0; i < result.getNumElements(); ++i)
    if (!chosen.ints()[i])
      result.setFrom(i, other, i);
  return result;
}

static FailureOr<Tensor> evaluateFma(FmaOp op, Evaluation &evaluation) {
  const Tensor *tensors[] = {&evaluation.get(op.getInput()), &evaluation.get(op.getOther()),
                             &evaluation.get(op.getAddend())};
  FailureOr<SmallVector<int64_t>> shape =
      broadcastShapes(evaluation, {tensors[0]->getShape(), tensors[1]->getShape(), tensors[2]->getShape()});
  if (failed(shape))
    return failure();
  Type type = op.getResult().getType().getElementType();
  SmallVector<Tensor, 3> operands;
  for (const Tensor *tensor : tensors) {
    Tensor prepared = prepareOperand(*tensor, type, ScalarPrecision::Wide);
    operands.push_back(stridedCopy(prepared, *shape, 0, broadcastStrides(prepared.getShape(), *shape)));
  }
  Tensor result(type, *shape);
  if (result.isFloat()) {
    ArrayRef<double> a = operands[0].floats(), b = operands[1].floats(), c = operands[2].floats();
    MutableArrayRef<double> out = result.mutableFloats();
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = type.isF64() ? std::fma(a[i], b[i], c[i])
                            : roundToType(type, std::fma(static_cast<float>(a[i]), static_cast<float>(b[i]),
                                                         static_cast<float>(c[i])));
    return result;
  }
  ArrayRef<int64_t> a = operands[0].ints(), b = operands[1].ints(), c = operands[2].ints();
  MutableArrayRef<int64_t> out = result.mutableInts();
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = type.isInteger(1) ? (a[i] & b[i]) | c[i] : wrapToType(type, wrapAdd(wrapMul(a[i], b[i]), c[i]));
  return result;
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

void fxgraph::registerPointwiseEvaluators(EvaluatorRegistry &registry) {
  registry.add<TanhOp>(evaluateReal<TanhOp, std::tanh>);
  registry.add<SigmoidOp>(evaluateReal<SigmoidOp, sigmoid>);
  registry.add<SiluOp>(evaluateReal<SiluOp, silu>);
  registry.add<ExpOp>(evaluateReal<ExpOp, std::exp>);
  registry.add<Exp2Op>(evaluateReal<Exp2Op, std::exp2>);
  registry.add<Expm1Op>(evaluateReal<Expm1Op, std::expm1>);
  registry.add<LogOp>(evaluateReal<LogOp, std::log>);
  registry.add<Log1pOp>(evaluateReal<Log1pOp, std::log1p>);
  registry.add<Log2Op>(evaluateReal<Log2Op, std::log2>);
  registry.add<Log10Op>(evaluateReal<Log10Op, std::log10>);
  registry.add<SqrtOp>(evaluateReal<SqrtOp, std::sqrt>);
  registry.add<RsqrtOp>(evaluateReal<RsqrtOp, rsqrt>);
  registry.add<ReciprocalOp>(evaluateReal<ReciprocalOp, reciprocal>);
  registry.add<SinOp>(evaluateReal<SinOp, std::sin>);
  registry.add<CosOp>(evaluateReal<CosOp, std::cos>);
  registry.add<TanOp>(evaluateReal<TanOp, std::tan>);
  registry.add<AsinOp>(evaluateReal<AsinOp, std::asin>);
  registry.add<AcosOp>(evaluateReal<AcosOp, std::acos>);
  registry.add<AtanOp>(evaluateReal<AtanOp, std::atan>);
  registry.add<AsinhOp>(evaluateReal<AsinhOp, std::asinh>);
  registry.add<AcoshOp>(evaluateReal<AcoshOp, std::acosh>);
  registry.add<AtanhOp>(evaluateReal<AtanhOp, std::atanh>);
  registry.add<SinhOp>(evaluateReal<SinhOp, std::sinh>);
  registry.add<CoshOp>(evaluateReal<CoshOp, std::cosh>);
  registry.add<ErfOp>(evaluateReal<ErfOp, std::erf>);
  registry.add<ErfcOp>(evaluateReal<ErfcOp, std::erfc>);
  registry.add<AngleOp>(evaluateReal<AngleOp, angle>);
  registry.add<LogSigmoidOp>(evaluateReal<LogSigmoidOp, logSigmoid>);
  registry.add<HardsigmoidOp>(evaluateReal<HardsigmoidOp, hardsigmoid>);
  registry.add<HardswishOp>(evaluateReal<HardswishOp, hardswish>);
  registry.add<MishOp>(evaluateReal<MishOp, mish>);
  registry.add<GeluOp>(evaluateGelu);
  registry.add<SoftplusOp>(evaluateSoftplus);
  registry.add<EluOp>(evaluateElu);
  registry.add<LeakyReluOp>(evaluateLeakyRelu);

  registry.add<ReluOp>(evaluateNumber<ReluOp, reluFloat, reluInt>);
  registry.add<NegOp>(evaluateNumber<NegOp, negFloat, negInt>);
  registry.add<AbsOp>(evaluateNumber<AbsOp, std::fabs, absInt>);
  registry.add<SignOp>(evaluateNumber<SignOp, signFloat, signInt, /*allowsBool=*/true>);
  registry.add<CeilOp>(evaluateNumber<CeilOp, std::ceil, sameInt>);
  registry.add<FloorOp>(evaluateNumber<FloorOp, std::floor, sameInt>);
  // nearbyint rounds halves to even in the default rounding mode.
  registry.add<RoundOp>(evaluateNumber<RoundOp, std::nearbyint, sameInt>);
  registry.add<TruncOp>(evaluateNumber<TruncOp, std::trunc, sameInt>);
  registry.add<BitwiseNotOp>(evaluateBitwiseNot);
  registry.add<ClampOp>(evaluateClamp);
  registry.add<NanToNumOp>(evaluateNanToNum);
  registry.add<ReluNanToNumOp>(evaluateReluNanToNum);
  registry.add<QuantizePerTensorOp>(evaluateQuantize);
  registry.add<DequantizePerTensorOp>(evaluateDequantize);
  registry.add<DequantizePerChannelOp>(evaluateDequantizePerChannel);
  registry.add<CvtE8m0RceilOp>(evaluateCvtE8m0Rceil);
  registry.add<DetachOp>(evaluateDetach);
  registry.add<IsnanOp>(evaluateIsnan);
  registry.add<IsinfOp>(evaluateIsinf);
  registry.add<IsfiniteOp>(evaluateIsfinite);
  registry.add<SignbitOp>(evaluateSignbit);
  registry.add<LogicalNotOp>(evaluateLogicalNot);
  registry.add<ConvertElementTypeOp>(evaluateConvertElementType);
  registry.add<DropoutOp>(evaluateDropout);

  registry.add<AddOp>(evaluateAdd);
  registry.add<SubOp>(evaluateSub);
  registry.add<MulOp>(evaluateMul);
  registry.add<DivOp>(evaluateDiv);
  registry.add<PowOp>(evaluatePow);
  registry.add<MaximumOp>(evaluateMaximum);
  registry.add<MinimumOp>(evaluateMinimum);
  registry.add<RemainderOp>(evaluateRemainder);
  registry.add<FmodOp>(evaluateFmod);
  registry.add<FmaxOp>(evaluateFmax);
  registry.add<FminOp>(evaluateFmin);
  registry.add<CopysignOp>(evaluateCopysign);
  registry.add<Atan2Op>(evaluateAtan2);
  registry.add<NextafterOp>(evaluateNextafter);
  registry.add<GcdOp>(evaluateGcd);
  registry.add<EqOp>(evaluateCompare<EqOp, std::equal_to<>>);
  registry.add<NeOp>(evaluateCompare<NeOp, std::not_equal_to<>>);
  registry.add<LtOp>(evaluateCompare<LtOp, std::less<>>);
  registry.add<LeOp>(evaluateCompare<LeOp, std::less_equal<>>);
  registry.add<GtOp>(evaluateCompare<GtOp, std::greater<>>);
  registry.add<GeOp>(evaluateCompare<GeOp, std::greater_equal<>>);
  registry.add<LogicalAndOp>(evaluateCompare<LogicalAndOp, LogicalAnd>);
  registry.add<LogicalOrOp>(evaluateCompare<LogicalOrOp, LogicalOr>);
  registry.add<LogicalXorOp>(evaluateCompare<LogicalXorOp, LogicalXor>);
  registry.add<BitwiseAndOp>(evaluateBitwiseAnd);
  registry.add<BitwiseOrOp>(evaluateBitwiseOr);
  registry.add<BitwiseXorOp>(evaluateBitwiseXor);
  registry.add<BitwiseLeftShiftOp>(evaluateLeftShift);
  registry.add<BitwiseRightShiftOp>(evaluateRightShift);
  registry.add<WhereOp>(evaluateWhere);
  registry.add<FmaOp>(evaluateFma);
}
