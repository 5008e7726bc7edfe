// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluators of indexing by tensors. Every index is checked.

#include "Evaluators.h"

using namespace fxgraph;

/// An index counted from 0; error if it is out of range. `signedIndex` allows
/// counting from the end.
static FailureOr<int64_t> checkIndex(Evaluation &evaluation, int64_t index, int64_t extent, bool signedIndex) {
  int64_t lowest = signedIndex ? -extent : 0;
  if (index >= lowest && index < extent)
    return index < 0 ? index + extent : index;
  return evaluation.error("expected indices in [" + Twine(lowest) + ", " + Twine(extent - 1) + "] but got " +
                          Twine(index));
}

/// input + value of one element, in the dtype of the tensor.
static void addElement(Tensor &tensor, int64_t i, const Tensor &source, int64_t j) {
  Type type = tensor.getElementType();
  if (tensor.isFloat())
    tensor.mutableFloats()[i] = roundViaF32(type, tensor.floats()[i] + source.floats()[j]);
  else if (tensor.isBool())
    tensor.mutableInts()[i] |= source.ints()[j];
  else
    tensor.mutableInts()[i] = wrapToType(type, wrapAdd(tensor.ints()[i], source.ints()[j]));
}

//===----------------------------------------------------------------------===//
// Advanced indexing
//===----------------------------------------------------------------------===//

namespace {
/// The place input[..., indices, ...]: its shape and, for each of its elements in
/// order, the position in the input.
struct IndexedPlace {
  SmallVector<int64_t> shape;
  std::vector<int64_t> positions;
};
} // namespace

static FailureOr<IndexedPlace> resolveIndices(Evaluation &evaluation, const Tensor &input, ArrayRef<Tensor> indices,
                                              ArrayRef<int64_t> dims) {
  SmallVector<ArrayRef<int64_t>> shapes;
  for (const Tensor &index : indices)
    shapes.push_back(index.getShape());
  FailureOr<SmallVector<int64_t>> indexed = broadcastShapes(evaluation, shapes);
  if (failed(indexed))
    return failure();
  SmallVector<Tensor> broadcast;
  for (const Tensor &index : indices)
    broadcast.push_back(stridedCopy(index, *indexed, 0, broadcastStrides(index.getShape(), *indexed)));

  // Offset into the input of each position of the index tensors.
  SmallVector<int64_t> strides = input.getStrides();
  std::vector<int64_t> offsets(countElements(*indexed), 0);
  for (auto [index, dim] : llvm::zip_equal(broadcast, dims))
    for (size_t i = 0; i < offsets.size(); ++i) {
      FailureOr<int64_t> at = checkIndex(evaluation, index.ints()[i], input.getDim(dim), /*signedIndex=*/true);
      if (failed(at))
        return failure();
      offsets[i] += *at * strides[dim];
    }

  // The indexed dimensions stand where the first of them was if they are
  // adjacent, else in front.
  bool adjacent = dims.back() - dims.front() + 1 == static_cast<int64_t>(dims.size());
  int64_t before = adjacent ? dims.front() : 0;
  SmallVector<int64_t> kept, keptStrides;
  for (int64_t dim = 0; dim < input.getRank(); ++dim)
    if (!llvm::is_contained(dims, dim)) {
      kept.push_back(input.getDim(dim));
      keptStrides.push_back(strides[dim]);
    }
  IndexedPlace place;
  place.shape.append(kept.begin(), kept.begin() + before);
  place.shape.append(*indexed);
  place.shape.append(kept.begin() + before, kept.end());
  SmallVector<int64_t> indexedStrides = computeStrides(*indexed);
  forEachIndex(place.shape, [&](ArrayRef<int64_t> position) {
    int64_t offset = 0, inIndex = 0;
    for (int64_t d = 0; d < static_cast<int64_t>(position.size()); ++d) {
      int64_t behind = d - before - static_cast<int64_t>(indexed->size());
      if (d < before)
        offset += position[d] * keptStrides[d];
      else if (behind < 0)
        inIndex += position[d] * indexedStrides[d - before];
      else
        offset += position[d] * keptStrides[before + behind];
    }
    place.positions.push_back(offset + offsets[inIndex]);
  });
  return place;
}

/// index, and unsafe_index, whose indices are checked all the same.
template <typename OpTy>
static FailureOr<Tensor> evaluateIndex(OpTy op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  FailureOr<IndexedPlace> place = resolveIndices(evaluation, input, evaluation.get(op.getIndices()), op.getDims());
  if (failed(place))
    return failure();
  Tensor result(input.getElementType(), place->shape);
  for (auto [i, position] : llvm::enumerate(place->positions))
    result.setFrom(i, input, position);
  return result;
}

template <typename OpTy>
static FailureOr<Tensor> evaluateIndexPut(OpTy op, Evaluation &evaluation) {
  Tensor result = evaluation.get(op.getInput());
  FailureOr<IndexedPlace> place = resolveIndices(evaluation, result, evaluation.get(op.getIndices()), op.getDims());
  if (failed(place))
    return failure();
  const Tensor &values = evaluation.get(op.getValues());
  FailureOr<SmallVector<int64_t>> shape = broadcastShapes(evaluation, {place->shape, values.getShape()});
  if (failed(shape))
    return failure();
  if (*shape != place->shape)
    return evaluation.error("expected values " + formatShape(values.getShape()) + " to broadcast to " +
                            formatShape(place->shape));
  Tensor source = stridedCopy(values, *shape, 0, broadcastStrides(values.getShape(), *shape));
  for (auto [i, position] : llvm::enumerate(place->positions)) {
    if (op.getAccumulate())
      addElement(result, position, source, i);
    else
      result.setFrom(position, source, i);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Along one dimension
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateIndexSelect(IndexSelectOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput()), &index = evaluation.get(op.getIndex());
  int64_t dim = input.getRank() == 0 ? 0 : wrapDim(op.getDim(), input.getRank());
  DimSplit from(input.getShape(), dim);
  SmallVector<int64_t> shape(input.getShape());
  if (!shape.empty())
    shape[dim] = index.getNumElements();
  else if (index.getNumElements() != 1)
    return evaluation.error("expected one index into a tensor of rank 0 but got " + Twine(index.getNumElements()));
  Tensor result(input.getElementType(), shape);
  DimSplit to(shape, dim);
  for (int64_t e = 0; e < to.extent; ++e) {
    FailureOr<int64_t> at = checkIndex(evaluation, index.ints()[e], from.extent, /*signedIndex=*/false);
    if (failed(at))
      return failure();
    for (int64_t o = 0; o < to.outer; ++o)
      for (int64_t i = 0; i < to.inner; ++i)
        result.setFrom(to.at(o, e, i), input, from.at(o, *at, i));
  }
  return result;
}

/// A scalar seen as one element.
static SmallVector<int64_t> nonScalarShape(const Tensor &tensor) {
  if (tensor.getRank() == 0)
    return {1};
  return SmallVector<int64_t>(tensor.getShape());
}

/// Calls `body(i, position)` for element i of the index tensor and the position in
/// `target` that it names along `dim`.
static LogicalResult forEachIndexed(Evaluation &evaluation, const Tensor &index, const Tensor &target, int64_t dim,
                                    function_ref<void(int64_t, int64_t, ArrayRef<int64_t>)> body) {
  // An empty index names nothing, whatever its shape.
  if (index.getNumElements() == 0)
    return success();
  SmallVector<int64_t> shape = nonScalarShape(index), targetShape = nonScalarShape(target);
  dim = wrapDim(dim, targetShape.size());
  if (shape.size() != targetShape.size())
    return evaluation.error("expected index of rank " + Twine(targetShape.size()) + " but got " + index.describe());
  for (auto [d, extent] : llvm::enumerate(shape))
    if (static_cast<int64_t>(d) != dim && extent > targetShape[d])
      return evaluation.error("expected index of extent <= " + Twine(targetShape[d]) + " in dim " + Twine(d) +
                              " but got " + Twine(extent));
  SmallVector<int64_t> strides = computeStrides(targetShape);
  int64_t at = 0;
  LogicalResult status = success();
  forEachIndex(shape, [&](ArrayRef<int64_t> position) {
    if (failed(status))
      return;
    FailureOr<int64_t> named = checkIndex(evaluation, index.ints()[at], targetShape[dim], /*signedIndex=*/false);
    if (failed(named)) {
      status = failure();
      return;
    }
    int64_t target = 0;
    for (auto [d, p] : llvm::enumerate(position))
      target += (static_cast<int64_t>(d) == dim ? *named : p) * strides[d];
    body(at++, target, position);
  });
  return status;
}

static FailureOr<Tensor> evaluateGather(GatherOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput()), &index = evaluation.get(op.getIndex());
  Tensor result(input.getElementType(), index.getShape());
  if (failed(forEachIndexed(evaluation, index, input, op.getDim(), [&](int64_t i, int64_t position, ArrayRef<int64_t>) {
        result.setFrom(i, input, position);
      })))
    return failure();
  return result;
}

/// Calls `body(to, from)` for each element of src that goes to an element of `target`, in order.
static LogicalResult forEachScattered(Evaluation &evaluation, const Tensor &index, const Tensor &src,
                                      const Tensor &target, int64_t dim, function_ref<void(int64_t, int64_t)> body) {
  SmallVector<int64_t> srcShape = nonScalarShape(src), indexShape = nonScalarShape(index);
  if (index.getNumElements() != 0) {
    if (srcShape.size() != indexShape.size())
      return evaluation.error("expected src of the rank of index but got " + src.describe());
    for (auto [d, extent] : llvm::enumerate(indexShape))
      if (extent > srcShape[d])
        return evaluation.error("expected index of extent <= " + Twine(srcShape[d]) + " in dim " + Twine(d) +
                                " but got " + Twine(extent));
  }
  SmallVector<int64_t> strides = computeStrides(srcShape);
  return forEachIndexed(evaluation, index, target, dim, [&](int64_t, int64_t position, ArrayRef<int64_t> at) {
    int64_t from = 0;
    for (auto [p, stride] : llvm::zip_equal(at, strides))
      from += p * stride;
    body(position, from);
  });
}

template <typename OpTy, bool adds>
static FailureOr<Tensor> evaluateScatter(OpTy op, Evaluation &evaluation) {
  Tensor result = evaluation.get(op.getInput());
  const Tensor &index = evaluation.get(op.getIndex()), &src = evaluation.get(op.getSrc());
  if (failed(forEachScattered(evaluation, index, src, result, op.getDim(), [&](int64_t to, int64_t from) {
        if (adds)
          addElement(result, to, src, from);
        else
          result.setFrom(to, src, from);
      })))
    return failure();
  return result;
}

static FailureOr<Tensor> evaluateScatterReduce(ScatterReduceOp op, Evaluation &evaluation) {
  Tensor result = evaluation.get(op.getInput());
  const Tensor &index = evaluation.get(op.getIndex()), &src = evaluation.get(op.getSrc());
  Type type = result.getElementType();
  StringRef reduce = op.getReduce();
  bool sums = reduce == "sum" || reduce == "mean", isProduct = reduce == "prod", largest = reduce == "amax";
  // How many elements are in each place; one that has none takes the first as it is.
  std::vector<int64_t> counts(result.getNumElements(), op.getIncludeSelf() ? 1 : 0);
  auto combine = [&](int64_t to, int64_t from) {
    if (counts[to]++ == 0)
      return result.setFrom(to, src, from);
    if (sums)
      return addElement(result, to, src, from);
    if (result.isFloat()) {
      double a = result.floats()[to], b = src.floats()[from];
      bool takes = std::isnan(b) || (!std::isnan(a) && (largest ? b > a : b < a));
      result.mutableFloats()[to] = isProduct ? roundViaF32(type, a * b) : takes ? b : a;
      return;
    }
    int64_t a = result.ints()[to], b = src.ints()[from];
    result.mutableInts()[to] =
        isProduct ? wrapToType(type, wrapMul(a, b)) : largest ? std::max(a, b) : std::min(a, b);
  };
  if (failed(forEachScattered(evaluation, index, src, result, op.getDim(), combine)))
    return failure();
  if (reduce == "mean")
    for (auto [i, count] : llvm::enumerate(counts)) {
      if (count <= 1)
        continue;
      if (result.isFloat())
        result.mutableFloats()[i] = roundViaF32(type, result.floats()[i] / count);
      else
        result.mutableInts()[i] = llvm::divideFloorSigned(result.ints()[i], count);
    }
  return result;
}

static FailureOr<Tensor> evaluateEmbedding(EmbeddingOp op, Evaluation &evaluation) {
  const Tensor &weight = evaluation.get(op.getWeight()), &indices = evaluation.get(op.getIndices());
  int64_t width = weight.getDim(1);
  SmallVector<int64_t> shape(indices.getShape());
  shape.push_back(width);
  Tensor result(weight.getElementType(), shape);
  for (int64_t i = 0; i < indices.getNumElements(); ++i) {
    FailureOr<int64_t> row = checkIndex(evaluation, indices.ints()[i], weight.getDim(0), /*signedIndex=*/false);
    if (failed(row))
      return failure();
    for (int64_t j = 0; j < width; ++j)
      result.setFrom(i * width + j, weight, *row * width + j);
  }
  return result;
}

void fxgraph::registerIndexingEvaluators(EvaluatorRegistry &registry) {
  registry.add<IndexOp>(evaluateIndex<IndexOp>);
  registry.add<UnsafeIndexOp>(evaluateIndex<UnsafeIndexOp>);
  registry.add<IndexPutOp>(evaluateIndexPut<IndexPutOp>);
  registry.add<UnsafeIndexPutOp>(evaluateIndexPut<UnsafeIndexPutOp>);
  registry.add<IndexSelectOp>(evaluateIndexSelect);
  registry.add<GatherOp>(evaluateGather);
  registry.add<ScatterOp>(evaluateScatter<ScatterOp, /*adds=*/false>);
  registry.add<ScatterAddOp>(evaluateScatter<ScatterAddOp, /*adds=*/true>);
  registry.add<ScatterReduceOp>(evaluateScatterReduce);
  registry.add<EmbeddingOp>(evaluateEmbedding);
}
