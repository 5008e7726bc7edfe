// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluators of products with what follows them, and with packed weights.

#include "Evaluators.h"

using namespace fxgraph;

/// What `binary` and `attr` make of the product; each of the two rounds to the dtype.
template <typename OpTy>
static FailureOr<Tensor> applyPostOps(OpTy op, Evaluation &evaluation, FailureOr<Tensor> product) {
  if (failed(product))
    return failure();
  Tensor result = std::move(*product);
  if (const Tensor *other = evaluation.find(op.getOther())) {
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
  return applyPostOps(op, evaluation,
                      evaluateLinear(evaluation, evaluation.get(op.getInput()), evaluation.get(op.getWeight()),
                                     evaluation.find(op.getBias())));
}

static FailureOr<Tensor> evaluateConvolutionPointwise(ConvolutionPointwiseOp op, Evaluation &evaluation) {
  return applyPostOps(op, evaluation, evaluateConvolution(op, evaluation));
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

void fxgraph::registerPackedEvaluators(EvaluatorRegistry &registry) {
  registry.add<LinearPointwiseOp>(evaluateLinearPointwise);
  registry.add<ConvolutionPointwiseOp>(evaluateConvolutionPointwise);
  registry.add<WeightInt8packMmOp>(evaluateWeightInt8packMm);
}
