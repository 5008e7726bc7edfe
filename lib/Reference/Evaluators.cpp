// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops shared by the evaluators; see the header.

#include "Evaluators.h"

using namespace fxgraph;

FailureOr<SmallVector<int64_t>> fxgraph::broadcastShapes(const Evaluation &evaluation,
                                                         ArrayRef<ArrayRef<int64_t>> shapes) {
  size_t rank = 0;
  for (ArrayRef<int64_t> shape : shapes)
    rank = std::max(rank, shape.size());
  SmallVector<int64_t> result(rank, 1);
  for (ArrayRef<int64_t> shape : shapes) {
    for (auto [i, extent] : llvm::enumerate(shape)) {
      int64_t &out = result[rank - shape.size() + i];
      if (extent == out || extent == 1)
        continue;
      if (out != 1)
        return evaluation.error("expected shapes that broadcast but got " + Twine(formatShape(shape)) +
                                " beside extent " + Twine(out) + " in dim " + Twine(rank - shape.size() + i));
      out = extent;
    }
  }
  return result;
}

SmallVector<int64_t> fxgraph::broadcastStrides(ArrayRef<int64_t> shape, ArrayRef<int64_t> result) {
  SmallVector<int64_t> strides = computeStrides(shape);
  SmallVector<int64_t> aligned(result.size(), 0);
  size_t added = result.size() - shape.size();
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] != 1)
      aligned[added + i] = strides[i];
  return aligned;
}

/// The same loop for both kinds of elements.
template <typename T>
static void copyStrided(ArrayRef<T> from, MutableArrayRef<T> to, ArrayRef<int64_t> shape, int64_t offset,
                        ArrayRef<int64_t> strides) {
  if (to.empty())
    return;
  if (shape.empty()) {
    to[0] = from[offset];
    return;
  }
  // The last dimension is the inner loop; the others count like an odometer.
  int64_t last = shape.back(), lastStride = strides.back();
  ArrayRef<int64_t> outer = shape.drop_back();
  SmallVector<int64_t> index(outer.size(), 0);
  int64_t source = offset;
  for (size_t out = 0; out < to.size(); out += last) {
    for (int64_t i = 0; i < last; ++i)
      to[out + i] = from[source + i * lastStride];
    for (int64_t dim = static_cast<int64_t>(outer.size()) - 1; dim >= 0; --dim) {
      source += strides[dim];
      if (++index[dim] < outer[dim])
        break;
      source -= strides[dim] * outer[dim];
      index[dim] = 0;
    }
  }
}

Tensor fxgraph::stridedCopy(const Tensor &input, ArrayRef<int64_t> shape, int64_t offset, ArrayRef<int64_t> strides) {
  Tensor result(input.getElementType(), shape);
  if (input.isFloat())
    copyStrided<double>(input.floats(), result.mutableFloats(), shape, offset, strides);
  else
    copyStrided<int64_t>(input.ints(), result.mutableInts(), shape, offset, strides);
  return result;
}

void fxgraph::pasteAlongDim(Tensor &whole, const Tensor &part, int64_t dim, int64_t offset) {
  DimSplit to(whole.getShape(), dim), from(part.getShape(), dim);
  int64_t run = from.extent * from.inner;
  for (int64_t o = 0; o < from.outer; ++o) {
    int64_t target = to.at(o, offset, 0), source = o * run;
    if (whole.isFloat())
      std::copy_n(part.floats().begin() + source, run, whole.mutableFloats().begin() + target);
    else
      std::copy_n(part.ints().begin() + source, run, whole.mutableInts().begin() + target);
  }
}
