// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluators of products with what follows them, and with packed weights.

#include "Evaluators.h"

using namespace fxgraph;

/// What `binary` and `attr` make of the product; each of the two rounds to the dtype.
template <typename OpTy>
static FailureOr<Tensor> applyPostOps(OpTy op, Evaluation &evaluation, FailureOr<Tensor> product, const Tensor *other) {
  if (failed(product))
    return failure();
  Tensor result = std::move(*product);
  if (other) {
    FailureOr<SmallVector<int64_t>> shape = broadcastShapes(evaluation, {result.getShape(), other->getShape()});
    if (failed(shape))
      return failure();
    if (ArrayRef<int64_t>(*shape) != result.getShape())
      return evaluation.error("expected other " + formatShape(other->getShape()) + " to broadcast to " +
                              formatShape(result.getShape()));
    Tensor operand = stridedCopy(*other, *shape, 0, broadcastStrides(other->getShape(), *shape));
    Type type = result.getElementType();
    StringRef binary = op.getBinary();
    for (auto [a, b] : llvm::zip_equal(result.mutableFloats(), operand.floats()))
      a = roundViaF32(type, binary == "add" ? a + b : binary == "sub" ? a - b : a * b);
  }
  return applyActivation(std::move(result), op.getAttr(), op.getScalars(), op.getAlgorithm());
}

static FailureOr<Tensor> evaluateLinearPointwise(LinearPointwiseOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  // A weight of f16 is widened.
  Tensor weight = evaluation.get(op.getWeight()).convert(input.getElementType());
  return applyPostOps(op, evaluation, evaluateLinear(evaluation, input, weight, evaluation.find(op.getBias())),
                      evaluation.find(op.getOther()));
}

static FailureOr<Tensor> evaluateConvolutionPointwise(ConvolutionPointwiseOp op, Evaluation &evaluation) {
  return applyPostOps(
      op, evaluation,
      evaluateConvolution(op, evaluation, evaluation.get(op.getInput()), evaluation.get(op.getWeight())),
      evaluation.find(op.getOther()));
}

/// The product, rounded, times the scales in its dtype.
static FailureOr<Tensor> evaluateWeightInt8packMm(WeightInt8packMmOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  Type type = input.getElementType();
  FailureOr<Tensor> product =
      evaluateLinear(evaluation, input, evaluation.get(op.getWeight()).convert(type), /*bias=*/nullptr);
  if (failed(product))
    return failure();
  Tensor scales = evaluation.get(op.getScales()).convert(type);
  if (product->getDim(1) != scales.getDim(0))
    return evaluation.error("expected " + Twine(product->getDim(1)) + " scales but got " + Twine(scales.getDim(0)));
  Tensor factors = stridedCopy(scales, product->getShape(), 0, {0, 1});
  for (auto [a, b] : llvm::zip_equal(product->mutableFloats(), factors.floats()))
    a = roundViaF32(type, a * b);
  return product;
}

/// Each element in f32, rounded to the dtype; the product rounded once.
static FailureOr<Tensor> evaluateWeightInt4packMm(WeightInt4packMmOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput()), &packed = evaluation.get(op.getWeight()),
               &scales = evaluation.get(op.getScalesAndZeros());
  Type type = input.getElementType();
  int64_t n = packed.getDim(0), k = 2 * packed.getDim(1), block = getInt4BlockRows(op.getLayout());
  if (input.getDim(1) != k)
    return evaluation.error("expected an input of " + Twine(k) + " columns but got " + input.describe());
  int64_t wanted[] = {k / static_cast<int64_t>(op.getGroupSize()), n, 2};
  if (scales.getShape() != ArrayRef<int64_t>(wanted))
    return evaluation.error("expected scales_and_zeros of shape " + formatShape(wanted) + " but got " +
                            scales.describe());
  Tensor weight(type, {n, k});
  auto toFloat = [](double value) { return static_cast<double>(static_cast<float>(value)); };
  for (int64_t row = 0; row < n; ++row) {
    int64_t first = row / block * block, rows = std::min(block, n - first), inside = row - first;
    bool halves = rows == block && op.getLayout() != "scalar";
    int64_t byte = halves ? inside % (rows / 2) : inside / 2;
    bool isHigh = halves ? inside >= rows / 2 : inside % 2 == 1;
    for (int64_t column = 0; column < k; ++column) {
      int64_t pair = packed.ints()[first * (k / 2) + column * (rows / 2) + byte];
      int64_t number = (isHigh ? pair >> 4 : pair & 15) - 8;
      int64_t group = (column / static_cast<int64_t>(op.getGroupSize()) * n + row) * 2;
      double scaled = toFloat(static_cast<double>(number) * scales.floats()[group]);
      weight.mutableFloats()[row * k + column] = roundToType(type, toFloat(scaled + scales.floats()[group + 1]));
    }
  }
  return evaluateLinear(evaluation, input, weight, /*bias=*/nullptr);
}

/// What `dequantize_per_tensor` makes of 8-bit integers; other values in f32.
static Tensor dequantize(const Tensor &tensor, double scale, int64_t zeroPoint) {
  if (tensor.isFloat())
    return tensor.convert(mlir::Float32Type::get(tensor.getElementType().getContext()));
  Tensor result(mlir::Float32Type::get(tensor.getElementType().getContext()), tensor.getShape());
  for (auto [to, from] : llvm::zip_equal(result.mutableFloats(), tensor.ints()))
    to = static_cast<float>(static_cast<double>(from - zeroPoint) * static_cast<float>(scale));
  return result;
}

/// The ops that the op is defined by, one after the other.
template <typename OpTy>
static FailureOr<Tensor> evaluateQuantizedProduct(OpTy op, Evaluation &evaluation) {
  const Tensor &codes = evaluation.get(op.getWeight()), &scales = evaluation.get(op.getWeightScales());
  const Tensor *zeroPoints = evaluation.find(op.getWeightZeroPoints());
  Tensor input =
      dequantize(evaluation.get(op.getInput()), op.getInputScale().convertToDouble(), op.getInputZeroPoint());
  Tensor weight(input.getElementType(), codes.getShape());
  int64_t outputs = codes.getDim(0), size = outputs == 0 ? 0 : codes.getNumElements() / outputs;
  if (scales.getDim(0) != outputs || (zeroPoints && zeroPoints->getDim(0) != outputs))
    return evaluation.error("expected " + Twine(outputs) + " scales and zero points");
  for (int64_t i = 0; i < codes.getNumElements(); ++i) {
    int64_t difference = codes.ints()[i];
    if (zeroPoints)
      difference = wrapToType(promoteIntegers(codes.getElementType(), zeroPoints->getElementType()),
                              difference - zeroPoints->ints()[i / size]);
    Type product = scales.getElementType();
    weight.mutableFloats()[i] = static_cast<float>(
        roundViaF32(product, roundToType(product, static_cast<double>(difference)) * scales.floats()[i / size]));
  }
  std::optional<Tensor> other;
  if (const Tensor *given = evaluation.find(op.getOther()))
    other = dequantize(*given, op.getOtherScale().convertToDouble(), op.getOtherZeroPoint());
  FailureOr<Tensor> product = failure();
  if constexpr (std::is_same_v<OpTy, QLinearPointwiseOp>)
    product = evaluateLinear(evaluation, input, weight, evaluation.find(op.getBias()));
  else
    product = evaluateConvolution(op, evaluation, input, weight);
  FailureOr<Tensor> value = applyPostOps(op, evaluation, std::move(product), other ? &*other : nullptr);
  Type type = op.getResult().getType().getElementType();
  if (failed(value) || isa<mlir::FloatType>(type))
    return failed(value) ? value : FailureOr<Tensor>(value->convert(type));
  return quantize(*value, type, op.getOutputScale().convertToDouble(), op.getOutputZeroPoint(),
                  type.isUnsignedInteger() ? 0 : -128, type.isUnsignedInteger() ? 255 : 127);
}

void fxgraph::registerPackedEvaluators(EvaluatorRegistry &registry) {
  registry.add<LinearPointwiseOp>(evaluateLinearPointwise);
  registry.add<ConvolutionPointwiseOp>(evaluateConvolutionPointwise);
  registry.add<WeightInt8packMmOp>(evaluateWeightInt8packMm);
  registry.add<WeightInt4packMmOp>(evaluateWeightInt4packMm);
  registry.add<QLinearPointwiseOp>(evaluateQuantizedProduct<QLinearPointwiseOp>);
  registry.add<QConvPointwiseOp>(evaluateQuantizedProduct<QConvPointwiseOp>);
}
