// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluators of split, chunk, unbind, cat and stack.

#include "Evaluators.h"

using namespace fxgraph;

/// Cuts the input into pieces of these extents.
static void cut(const Tensor &input, int64_t dim, ArrayRef<int64_t> sections, SmallVectorImpl<Tensor> &results) {
  SmallVector<int64_t> shape(input.getShape()), strides = input.getStrides();
  int64_t start = 0;
  for (int64_t section : sections) {
    shape[dim] = section;
    results.push_back(stridedCopy(input, shape, start * strides[dim], strides));
    start += section;
  }
}

/// The number of results was fixed when the graph was built.
static LogicalResult checkPieces(Evaluation &evaluation, size_t pieces) {
  if (pieces == evaluation.getOp()->getNumResults())
    return success();
  return evaluation.error("expected " + Twine(evaluation.getOp()->getNumResults()) + " pieces but got " +
                          Twine(pieces));
}

static LogicalResult evaluateSplit(SplitOp op, Evaluation &evaluation, SmallVectorImpl<Tensor> &results) {
  const Tensor &input = evaluation.get(op.getInput());
  int64_t dim = wrapDim(op.getDim(), input.getRank()), size = op.getSplitSize();
  if (size <= 0 && input.getDim(dim) != 0)
    return evaluation.error("expected split_size > 0 but got " + Twine(size));
  SmallVector<int64_t> sections = getSplitSections(input.getDim(dim), size);
  if (failed(checkPieces(evaluation, sections.size())))
    return failure();
  cut(input, dim, sections, results);
  return success();
}

static LogicalResult evaluateSplitWithSizes(SplitWithSizesOp op, Evaluation &evaluation,
                                            SmallVectorImpl<Tensor> &results) {
  const Tensor &input = evaluation.get(op.getInput());
  int64_t dim = wrapDim(op.getDim(), input.getRank()), sum = 0;
  for (int64_t size : op.getSplitSizes())
    sum += size;
  if (sum != input.getDim(dim))
    return evaluation.error("expected sizes that sum to " + Twine(input.getDim(dim)) + " but got " + Twine(sum));
  cut(input, dim, op.getSplitSizes(), results);
  return success();
}

static LogicalResult evaluateChunk(ChunkOp op, Evaluation &evaluation, SmallVectorImpl<Tensor> &results) {
  const Tensor &input = evaluation.get(op.getInput());
  int64_t dim = wrapDim(op.getDim(), input.getRank());
  SmallVector<int64_t> sections = getChunkSections(input.getDim(dim), op.getChunks());
  if (failed(checkPieces(evaluation, sections.size())))
    return failure();
  cut(input, dim, sections, results);
  return success();
}

static LogicalResult evaluateUnbind(UnbindOp op, Evaluation &evaluation, SmallVectorImpl<Tensor> &results) {
  const Tensor &input = evaluation.get(op.getInput());
  int64_t dim = wrapDim(op.getDim(), input.getRank());
  if (failed(checkPieces(evaluation, input.getDim(dim))))
    return failure();
  cut(input, dim, SmallVector<int64_t>(input.getDim(dim), 1), results);
  SmallVector<int64_t> shape(input.getShape());
  shape.erase(shape.begin() + dim);
  for (Tensor &piece : results)
    piece = piece.withShape(shape);
  return success();
}

/// Joins tensors of equal extents but for `dim`.
static Tensor join(ArrayRef<const Tensor *> parts, int64_t dim) {
  SmallVector<int64_t> shape(parts.front()->getShape());
  shape[dim] = 0;
  for (const Tensor *part : parts)
    shape[dim] += part->getDim(dim);
  Tensor result(parts.front()->getElementType(), shape);
  int64_t offset = 0;
  for (const Tensor *part : parts) {
    pasteAlongDim(result, *part, dim, offset);
    offset += part->getDim(dim);
  }
  return result;
}

static FailureOr<Tensor> evaluateCat(CatOp op, Evaluation &evaluation) {
  int64_t rank = op.getResult().getType().getRank(), dim = wrapDim(op.getDim(), rank);
  SmallVector<const Tensor *> parts;
  for (const Tensor &tensor : evaluation.get(op.getTensors())) {
    // PyTorch's legacy rule: [0] joins with anything.
    if (tensor.getRank() == 1 && tensor.getDim(0) == 0 && rank != 1)
      continue;
    if (tensor.getRank() != rank)
      return evaluation.error("expected tensors of rank " + Twine(rank) + " but got " + tensor.describe());
    for (int64_t i = 0; i < rank; ++i)
      if (i != dim && !parts.empty() && tensor.getDim(i) != parts.front()->getDim(i))
        return evaluation.error("expected extent " + Twine(parts.front()->getDim(i)) + " in dim " + Twine(i) +
                                " but got " + formatShape(tensor.getShape()));
    parts.push_back(&tensor);
  }
  if (parts.empty())
    return evaluation.get(op.getTensors()).front();
  return join(parts, dim);
}

static FailureOr<Tensor> evaluateStack(StackOp op, Evaluation &evaluation) {
  ArrayRef<Tensor> tensors = evaluation.get(op.getTensors());
  int64_t dim = wrapDim(op.getDim(), tensors.front().getRank() + 1);
  SmallVector<Tensor> widened;
  for (const Tensor &tensor : tensors) {
    if (tensor.getShape() != tensors.front().getShape())
      return evaluation.error("expected tensors of shape " + formatShape(tensors.front().getShape()) + " but got " +
                              formatShape(tensor.getShape()));
    SmallVector<int64_t> shape(tensor.getShape());
    shape.insert(shape.begin() + dim, 1);
    widened.push_back(tensor.withShape(shape));
  }
  SmallVector<const Tensor *> parts;
  for (const Tensor &tensor : widened)
    parts.push_back(&tensor);
  return join(parts, dim);
}

void fxgraph::registerSplitCatEvaluators(EvaluatorRegistry &registry) {
  registry.add<SplitOp>(evaluateSplit);
  registry.add<SplitWithSizesOp>(evaluateSplitWithSizes);
  registry.add<ChunkOp>(evaluateChunk);
  registry.add<UnbindOp>(evaluateUnbind);
  registry.add<CatOp>(evaluateCat);
  registry.add<StackOp>(evaluateStack);
}
