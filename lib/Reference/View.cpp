// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluators of the ops that move data: reshapes share storage, everything else
// that PyTorch does with strides is one strided copy.

#include "Evaluators.h"

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// Target shape of a reshape: `sizes` filled in, -1 inferred.
static FailureOr<SmallVector<int64_t>> resolveShape(Evaluation &evaluation, int64_t elements, ArrayRef<int64_t> pattern,
                                                    ArrayRef<Tensor> sizes) {
  SmallVector<int64_t> shape;
  std::optional<size_t> inferred;
  int64_t known = 1;
  for (auto [i, extent] : llvm::enumerate(pattern)) {
    int64_t value = extent;
    if (ShapedType::isDynamic(extent)) {
      value = sizes.front().ints()[0];
      sizes = sizes.drop_front();
    }
    // A size operand may be -1 as well: PyTorch programs compute it.
    if (value == -1) {
      if (inferred)
        return evaluation.error("expected at most one -1 in shape but got two");
      inferred = i;
    } else if (value < 0) {
      return evaluation.error("expected extents >= 0 or -1 in shape but got " + Twine(value));
    } else {
      known *= value;
    }
    shape.push_back(value);
  }
  if (inferred) {
    if (known == 0 || elements % known != 0)
      return evaluation.error("expected " + Twine(elements) + " elements to divide by " + Twine(known) +
                              " to infer the -1 in shape");
    shape[*inferred] = elements / known;
  } else if (known != elements) {
    return evaluation.error("expected a shape of " + Twine(elements) + " elements but got " + formatShape(shape));
  }
  return shape;
}

template <typename OpTy>
static FailureOr<Tensor> evaluateReshape(OpTy op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  FailureOr<SmallVector<int64_t>> shape =
      resolveShape(evaluation, input.getNumElements(), op.getShape(), evaluation.get(op.getSizes()));
  if (failed(shape))
    return failure();
  return evaluation.take(op.getInput()).withShape(*shape);
}

static FailureOr<Tensor> evaluateFlatten(FlattenOp op, Evaluation &evaluation) {
  Tensor input = evaluation.take(op.getInput());
  if (input.getRank() == 0)
    return input.withShape({1});
  int64_t start = wrapDim(op.getStartDim(), input.getRank()), end = wrapDim(op.getEndDim(), input.getRank());
  ArrayRef<int64_t> from = input.getShape();
  SmallVector<int64_t> shape(from.take_front(start));
  shape.push_back(countElements(from.slice(start, end - start + 1)));
  shape.append(from.begin() + end + 1, from.end());
  return input.withShape(shape);
}

static FailureOr<Tensor> evaluateUnflatten(UnflattenOp op, Evaluation &evaluation) {
  Tensor input = evaluation.take(op.getInput());
  int64_t dim = wrapDim(op.getDim(), input.getRank());
  FailureOr<SmallVector<int64_t>> pieces = resolveShape(evaluation, input.getDim(dim), op.getSizes(), {});
  if (failed(pieces))
    return failure();
  ArrayRef<int64_t> from = input.getShape();
  SmallVector<int64_t> shape(from.take_front(dim));
  shape.append(*pieces);
  shape.append(from.begin() + dim + 1, from.end());
  return input.withShape(shape);
}

static FailureOr<Tensor> evaluateSqueeze(SqueezeOp op, Evaluation &evaluation) {
  Tensor input = evaluation.take(op.getInput());
  SmallVector<bool> candidate(std::max<int64_t>(input.getRank(), 1), !op.getDims());
  if (std::optional<ArrayRef<int64_t>> dims = op.getDims())
    for (int64_t dim : *dims)
      candidate[wrapDim(dim, input.getRank())] = true;
  SmallVector<int64_t> shape;
  for (auto [i, extent] : llvm::enumerate(input.getShape()))
    if (!candidate[i] || extent != 1)
      shape.push_back(extent);
  return input.withShape(shape);
}

static FailureOr<Tensor> evaluateUnsqueeze(UnsqueezeOp op, Evaluation &evaluation) {
  Tensor input = evaluation.take(op.getInput());
  SmallVector<int64_t> shape(input.getShape());
  shape.insert(shape.begin() + wrapDim(op.getDim(), input.getRank() + 1), 1);
  return input.withShape(shape);
}

//===----------------------------------------------------------------------===//
// Strided copies
//===----------------------------------------------------------------------===//

/// The input with its dimensions in another order.
static Tensor permute(const Tensor &input, ArrayRef<int64_t> order) {
  SmallVector<int64_t> strides = input.getStrides(), newShape, newStrides;
  for (int64_t dim : order) {
    newShape.push_back(input.getDim(dim));
    newStrides.push_back(strides[dim]);
  }
  return stridedCopy(input, newShape, 0, newStrides);
}

static FailureOr<Tensor> evaluatePermute(PermuteOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  SmallVector<int64_t> order;
  for (int64_t dim : op.getDims())
    order.push_back(wrapDim(dim, input.getRank()));
  return permute(input, order);
}

static FailureOr<Tensor> evaluateTranspose(TransposeOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  if (input.getRank() == 0)
    return input;
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, input.getRank()));
  std::swap(order[wrapDim(op.getDim0(), input.getRank())], order[wrapDim(op.getDim1(), input.getRank())]);
  return permute(input, order);
}

static FailureOr<Tensor> evaluateExpand(ExpandOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  ArrayRef<Tensor> sizes = evaluation.get(op.getSizes());
  SmallVector<int64_t> shape;
  int64_t added = static_cast<int64_t>(op.getShape().size()) - input.getRank();
  for (auto [i, extent] : llvm::enumerate(op.getShape())) {
    int64_t position = static_cast<int64_t>(i) - added, value = extent;
    if (ShapedType::isDynamic(extent)) {
      value = sizes.front().ints()[0];
      sizes = sizes.drop_front();
    }
    if (value == -1 && position >= 0)
      value = input.getDim(position);
    if (value < 0)
      return evaluation.error("expected an extent >= 0 for dim " + Twine(i) + " but got " + Twine(value));
    if (position >= 0 && input.getDim(position) != 1 && input.getDim(position) != value)
      return evaluation.error("expected extent 1 or " + Twine(value) + " in dim " + Twine(position) + " but got " +
                              Twine(input.getDim(position)));
    shape.push_back(value);
  }
  if (failed(evaluation.checkSize(shape)))
    return failure();
  return stridedCopy(input, shape, 0, broadcastStrides(input.getShape(), shape));
}

static FailureOr<Tensor> evaluateRepeat(RepeatOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  // View each result dimension as [repeats, extent], the first with stride 0.
  SmallVector<int64_t> strides = input.getStrides(), shape, pairShape, pairStrides;
  int64_t added = static_cast<int64_t>(op.getRepeats().size()) - input.getRank();
  for (auto [i, count] : llvm::enumerate(op.getRepeats())) {
    int64_t position = static_cast<int64_t>(i) - added;
    int64_t extent = position < 0 ? 1 : input.getDim(position);
    shape.push_back(count * extent);
    pairShape.append({count, extent});
    pairStrides.append({0, position < 0 ? 0 : strides[position]});
  }
  if (failed(evaluation.checkSize(shape)))
    return failure();
  return stridedCopy(input, pairShape, 0, pairStrides).withShape(shape);
}

static FailureOr<Tensor> evaluateSlice(SliceOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  int64_t dim = wrapDim(op.getDim(), input.getRank());
  SliceBounds bounds = clampSlice(input.getDim(dim), op.getStart(), op.getEnd(), op.getStep());
  SmallVector<int64_t> shape(input.getShape()), strides = input.getStrides();
  shape[dim] = bounds.size;
  int64_t offset = bounds.start * strides[dim];
  strides[dim] *= op.getStep();
  return stridedCopy(input, shape, offset, strides);
}

static FailureOr<Tensor> evaluateNarrow(NarrowOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  int64_t dim = wrapDim(op.getDim(), input.getRank()), extent = input.getDim(dim);
  int64_t start = evaluation.get(op.getStart()).ints()[0], length = evaluation.get(op.getLength()).ints()[0];
  if (start < 0 || start > extent)
    return evaluation.error("expected start in [0, " + Twine(extent) + "] but got " + Twine(start));
  if (length < 0 || length > extent - start)
    return evaluation.error("expected length in [0, " + Twine(extent - start) + "] but got " + Twine(length));
  SmallVector<int64_t> shape(input.getShape()), strides = input.getStrides();
  shape[dim] = length;
  return stridedCopy(input, shape, start * strides[dim], strides);
}

/// The index into `dim` counted from 0; error if it is out of range.
static FailureOr<int64_t> normalizeIndex(Evaluation &evaluation, int64_t index, int64_t extent) {
  if (index < -extent || index >= extent)
    return evaluation.error("expected index in [" + Twine(-extent) + ", " + Twine(extent - 1) + "] but got " +
                            Twine(index));
  return index < 0 ? index + extent : index;
}

static FailureOr<Tensor> evaluateSelect(SelectOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  int64_t dim = wrapDim(op.getDim(), input.getRank());
  FailureOr<int64_t> index = normalizeIndex(evaluation, op.getIndex(), input.getDim(dim));
  if (failed(index))
    return failure();
  SmallVector<int64_t> shape(input.getShape()), strides = input.getStrides();
  int64_t offset = *index * strides[dim];
  shape.erase(shape.begin() + dim);
  strides.erase(strides.begin() + dim);
  return stridedCopy(input, shape, offset, strides);
}

static FailureOr<Tensor> evaluateFlip(FlipOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  if (input.getRank() == 0)
    return input;
  SmallVector<int64_t> strides = input.getStrides();
  int64_t offset = 0;
  for (int64_t dim : op.getDims()) {
    dim = wrapDim(dim, input.getRank());
    offset += (input.getDim(dim) - 1) * strides[dim];
    strides[dim] = -strides[dim];
  }
  return stridedCopy(input, input.getShape(), offset, strides);
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

/// Rotates along one dimension.
static Tensor rollAlong(const Tensor &input, int64_t dim, int64_t shift) {
  Tensor result(input.getElementType(), input.getShape());
  DimSplit split(input.getShape(), dim);
  if (input.getNumElements() == 0)
    return result;
  shift = (shift % split.extent + split.extent) % split.extent;
  for (int64_t o = 0; o < split.outer; ++o)
    for (int64_t e = 0; e < split.extent; ++e)
      for (int64_t i = 0; i < split.inner; ++i)
        result.setFrom(split.at(o, (e + shift) % split.extent, i), input, split.at(o, e, i));
  return result;
}

static FailureOr<Tensor> evaluateRoll(RollOp op, Evaluation &evaluation) {
  Tensor result = evaluation.take(op.getInput());
  SmallVector<int64_t> shape(result.getShape());
  if (op.getDims().empty())
    return rollAlong(result.withShape({result.getNumElements()}), 0, op.getShifts().front()).withShape(shape);
  if (shape.empty())
    return result;
  for (auto [dim, shift] : llvm::zip_equal(op.getDims(), op.getShifts()))
    result = rollAlong(result, wrapDim(dim, shape.size()), shift);
  return result;
}

static FailureOr<Tensor> evaluateConstantPadNd(ConstantPadNdOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  SmallVector<int64_t> shape(input.getShape()), before(input.getRank(), 0);
  for (size_t i = 0; i < op.getPad().size() / 2; ++i) {
    size_t dim = shape.size() - 1 - i;
    before[dim] = op.getPad()[2 * i];
    int64_t after = op.getPad()[2 * i + 1], extent = shape[dim];
    // Cropping on both sides must leave something that exists.
    if (extent + before[dim] + after < 0 ||
        extent + std::min<int64_t>(before[dim], 0) + std::min<int64_t>(after, 0) < 0)
      return evaluation.error("expected a padded extent >= 0 in dim " + Twine(dim) + " but got " +
                              Twine(extent + before[dim] + after));
    shape[dim] = extent + before[dim] + after;
  }
  if (failed(evaluation.checkSize(shape)))
    return failure();
  Tensor result(input.getElementType(), shape);
  Tensor value(input.getElementType(), {});
  value.setFromDouble(0, op.getValue().convertToDouble());
  SmallVector<int64_t> strides = input.getStrides();
  int64_t out = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    int64_t source = 0;
    bool inside = true;
    for (auto [i, position] : llvm::enumerate(index)) {
      int64_t from = position - before[i];
      inside &= from >= 0 && from < input.getDim(i);
      source += from * strides[i];
    }
    result.setFrom(out++, inside ? input : value, inside ? source : 0);
  });
  return result;
}

/// Zeroes the elements whose column minus row does not satisfy `keeps`.
static Tensor keepTriangle(Tensor tensor, function_ref<bool(int64_t)> keeps) {
  int64_t rows = tensor.getDim(tensor.getRank() - 2), columns = tensor.getDim(tensor.getRank() - 1);
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    if (!keeps(i % columns - i / columns % rows))
      tensor.setFromDouble(i, 0.0);
  return tensor;
}
static FailureOr<Tensor> evaluateTriu(TriuOp op, Evaluation &evaluation) {
  int64_t diagonal = op.getDiagonal();
  return keepTriangle(evaluation.take(op.getInput()), [=](int64_t distance) { return distance >= diagonal; });
}
static FailureOr<Tensor> evaluateTril(TrilOp op, Evaluation &evaluation) {
  int64_t diagonal = op.getDiagonal();
  return keepTriangle(evaluation.take(op.getInput()), [=](int64_t distance) { return distance <= diagonal; });
}

/// Writes `src` over `count` indices of `dim`, from `start` in steps.
static FailureOr<Tensor> scatterSlice(Evaluation &evaluation, Tensor result, const Tensor &src, int64_t dim,
                                      int64_t start, int64_t step, int64_t count) {
  SmallVector<int64_t> expected(result.getShape());
  expected[dim] = count;
  if (src.getShape() != ArrayRef<int64_t>(expected))
    return evaluation.error("expected src of shape " + formatShape(expected) + " but got " +
                            formatShape(src.getShape()));
  DimSplit to(result.getShape(), dim), from(src.getShape(), dim);
  for (int64_t o = 0; o < from.outer; ++o)
    for (int64_t e = 0; e < from.extent; ++e)
      for (int64_t i = 0; i < from.inner; ++i)
        result.setFrom(to.at(o, start + e * step, i), src, from.at(o, e, i));
  return result;
}

static FailureOr<Tensor> evaluateSliceScatter(SliceScatterOp op, Evaluation &evaluation) {
  Tensor src = evaluation.get(op.getSrc());
  Tensor input = evaluation.take(op.getInput());
  int64_t dim = wrapDim(op.getDim(), input.getRank());
  SliceBounds bounds = clampSlice(input.getDim(dim), op.getStart(), op.getEnd(), op.getStep());
  return scatterSlice(evaluation, std::move(input), src, dim, bounds.start, op.getStep(), bounds.size);
}

static FailureOr<Tensor> evaluateSelectScatter(SelectScatterOp op, Evaluation &evaluation) {
  Tensor src = evaluation.get(op.getSrc());
  Tensor input = evaluation.take(op.getInput());
  int64_t dim = wrapDim(op.getDim(), input.getRank());
  FailureOr<int64_t> index = normalizeIndex(evaluation, op.getIndex(), input.getDim(dim));
  if (failed(index))
    return failure();
  SmallVector<int64_t> shape(src.getShape());
  if (static_cast<int64_t>(shape.size()) + 1 != input.getRank())
    return evaluation.error("expected src of rank " + Twine(input.getRank() - 1) + " but got " + formatShape(shape));
  shape.insert(shape.begin() + dim, 1);
  return scatterSlice(evaluation, std::move(input), src.withShape(shape), dim, *index, 1, 1);
}

static FailureOr<Tensor> evaluateViewDtype(ViewDtypeOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  Type to = op.getResult().getType().getElementType();
  int64_t fromBytes = getElementBytes(input.getElementType()), toBytes = getElementBytes(to);
  SmallVector<int64_t> shape(input.getShape());
  if (fromBytes != toBytes) {
    if (shape.back() * fromBytes % toBytes != 0)
      return evaluation.error("expected a last extent whose bytes " + Twine(toBytes) + " divides but got " +
                              formatShape(shape));
    shape.back() = shape.back() * fromBytes / toBytes;
  }
  SmallVector<char> bytes(input.getByteSize());
  input.toBytes(bytes);
  return Tensor::fromBytes(to, shape, bytes);
}

void fxgraph::registerViewEvaluators(EvaluatorRegistry &registry) {
  registry.add<ReshapeOp>(evaluateReshape<ReshapeOp>);
  registry.add<ViewOp>(evaluateReshape<ViewOp>);
  registry.add<FlattenOp>(evaluateFlatten);
  registry.add<UnflattenOp>(evaluateUnflatten);
  registry.add<PermuteOp>(evaluatePermute);
  registry.add<TransposeOp>(evaluateTranspose);
  registry.add<SqueezeOp>(evaluateSqueeze);
  registry.add<UnsqueezeOp>(evaluateUnsqueeze);
  registry.add<ExpandOp>(evaluateExpand);
  registry.add<RepeatOp>(evaluateRepeat);
  registry.add<SliceOp>(evaluateSlice);
  registry.add<NarrowOp>(evaluateNarrow);
  registry.add<SelectOp>(evaluateSelect);
  registry.add<FlipOp>(evaluateFlip);
  registry.add<RollOp>(evaluateRoll);
  registry.add<ConstantPadNdOp>(evaluateConstantPadNd);
  registry.add<TriuOp>(evaluateTriu);
  registry.add<TrilOp>(evaluateTril);
  registry.add<ViewDtypeOp>(evaluateViewDtype);
  registry.add<SliceScatterOp>(evaluateSliceScatter);
  registry.add<SelectScatterOp>(evaluateSelectScatter);
}
