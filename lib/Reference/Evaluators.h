// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the evaluator files share: one registration function a group, and the
// loops that several groups need.

#ifndef FXGRAPH_LIB_REFERENCE_EVALUATORS_H
#define FXGRAPH_LIB_REFERENCE_EVALUATORS_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Reference/Interpreter.h"

namespace fxgraph {

void registerPointwiseEvaluators(EvaluatorRegistry &registry);
void registerViewEvaluators(EvaluatorRegistry &registry);
void registerSplitCatEvaluators(EvaluatorRegistry &registry);
void registerContractionEvaluators(EvaluatorRegistry &registry);
void registerConvNormEvaluators(EvaluatorRegistry &registry);
void registerReductionEvaluators(EvaluatorRegistry &registry);
void registerIndexingEvaluators(EvaluatorRegistry &registry);
void registerStructuralEvaluators(EvaluatorRegistry &registry);
void registerControlFlowEvaluators(EvaluatorRegistry &registry);
void registerCollectiveEvaluators(EvaluatorRegistry &registry);
void registerPackedEvaluators(EvaluatorRegistry &registry);

/// Broadcast of run-time shapes, aligned at the right. Error at the op.
FailureOr<SmallVector<int64_t>> broadcastShapes(const Evaluation &evaluation, ArrayRef<ArrayRef<int64_t>> shapes);

/// Strides with which a tensor of this shape is read at the positions of
/// `result`, to which it broadcasts: 0 where it repeats.
SmallVector<int64_t> broadcastStrides(ArrayRef<int64_t> shape, ArrayRef<int64_t> result);

/// The elements at `offset + sum(index[i] * strides[i])` for all indices of
/// `shape`: every permute, slice, expand, flip is one.
Tensor stridedCopy(const Tensor &input, ArrayRef<int64_t> shape, int64_t offset, ArrayRef<int64_t> strides);

/// Calls `body(outer, inner)` … the tensor seen as [outer, extent, inner] around a
/// dimension: element (o, e, i) is at (o * extent + e) * inner + i.
struct DimSplit {
  int64_t outer = 1, extent = 1, inner = 1;
  DimSplit(ArrayRef<int64_t> shape, int64_t dim) {
    for (auto [i, size] : llvm::enumerate(shape)) {
      int64_t position = i;
      (position < dim ? outer : position == dim ? extent : inner) *= size;
    }
  }
  int64_t at(int64_t o, int64_t e, int64_t i) const { return (o * extent + e) * inner + i; }
};

/// Product of matrices with matmul's rank rules, rounded once to the dtype. Error at the op.
FailureOr<Tensor> evaluateProduct(Evaluation &evaluation, const Tensor &a, const Tensor &b);
/// a x b * scaleA * scaleB + bias (or null), a scale for each row and each column or one for all, rounded to `type`.
FailureOr<Tensor> evaluateScaledProduct(Evaluation &evaluation, const Tensor &a, const Tensor &b, const Tensor &scaleA,
                                        const Tensor &scaleB, const Tensor *bias, Type type);

/// input x weight^T + bias, rounded once to the dtype; `bias` may be null. Error at the op.
FailureOr<Tensor> evaluateLinear(Evaluation &evaluation, const Tensor &input, const Tensor &weight, const Tensor *bias);

/// The convolution of two tensors with the bias and attributes of an op, rounded once.
FailureOr<Tensor> evaluateConvolution(ConvolutionPointwiseOp op, Evaluation &evaluation, const Tensor &input,
                                      const Tensor &weight);
FailureOr<Tensor> evaluateConvolution(QConvPointwiseOp op, Evaluation &evaluation, const Tensor &input,
                                      const Tensor &weight);

/// What `quantize_per_tensor` makes of floating-point numbers.
Tensor quantize(const Tensor &input, Type type, double scale, int64_t zeroPoint, int64_t low, int64_t high);

/// Writes `part` into `whole` at `offset` along `dim`; equal other extents.
void pasteAlongDim(Tensor &whole, const Tensor &part, int64_t dim, int64_t offset);

/// A sum in the precision that the options ask for, rounded once at the end.
class Accumulator {
public:
  explicit Accumulator(bool narrow, double start = 0.0) : narrow(narrow), sum(start) {}
  void add(double value) { sum = narrow ? static_cast<double>(static_cast<float>(sum + value)) : sum + value; }
  void addProduct(double a, double b) { add(narrow ? static_cast<double>(static_cast<float>(a * b)) : a * b); }
  double get() const { return sum; }

private:
  bool narrow;
  double sum;
};

/// gelu, or its approximation by tanh.
double computeGelu(double x, bool byTanh);

/// The elementwise op of an activation that `linear_pointwise` names, with its numbers and
/// variant, on every element.
Tensor applyActivation(Tensor tensor, StringRef name, ArrayRef<double> scalars, StringRef algorithm);

/// f64 results accumulate in double whatever the options say.
inline bool accumulatesNarrow(const Evaluation &evaluation, Type type) {
  return evaluation.accumulatesF32() && !type.isF64();
}

/// Sum and product with the wrap of 64-bit integers.
inline int64_t wrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline int64_t wrapSub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
inline int64_t wrapMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

} // namespace fxgraph

#endif // FXGRAPH_LIB_REFERENCE_EVALUATORS_H
