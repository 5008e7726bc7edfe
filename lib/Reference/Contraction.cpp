// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluators of matrix products. One function multiplies, without rounding:
// everything an op adds to the product happens on its sums, and the result is
// rounded to the dtype once. So linear and addmm on the same numbers agree bit
// by bit, and addmm differs from mm followed by add as it does in PyTorch.

#include "Evaluators.h"
#include "fxgraph/Dialect/IR/Einsum.h"
#include <cmath>
#include <limits>

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// sums[m, n] += a[m, k] x b[k, n]. The sum over k runs in order for each element,
/// whatever the blocking, so that it does not depend on m and n.
static void multiplyFloats(ArrayRef<double> a, ArrayRef<double> b, MutableArrayRef<double> sums, int64_t m, int64_t k,
                           int64_t n, bool narrow) {
  for (int64_t i = 0; i < m; ++i) {
    double *row = sums.data() + i * n;
    for (int64_t l = 0; l < k; ++l) {
      double factor = a[i * k + l];
      const double *other = b.data() + l * n;
      if (narrow) {
        for (int64_t j = 0; j < n; ++j)
          row[j] = static_cast<float>(row[j] + static_cast<float>(factor * other[j]));
      } else {
        for (int64_t j = 0; j < n; ++j)
          row[j] += factor * other[j];
      }
    }
  }
}

static void multiplyInts(ArrayRef<int64_t> a, ArrayRef<int64_t> b, MutableArrayRef<int64_t> sums, int64_t m, int64_t k,
                         int64_t n) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t l = 0; l < k; ++l)
      for (int64_t j = 0; j < n; ++j)
        sums[i * n + j] = wrapAdd(sums[i * n + j], wrapMul(a[i * k + l], b[l * n + j]));
}

/// The type in which sums of products of this type are held unrounded.
static Type getSumType(Type type) {
  if (isa<FloatType>(type))
    return mlir::Float64Type::get(type.getContext());
  return IntegerType::get(type.getContext(), 64);
}

/// Reads the tensor as if its last two dimensions were exchanged.
static Tensor swapLastTwo(const Tensor &tensor) {
  SmallVector<int64_t> shape(tensor.getShape()), strides = tensor.getStrides();
  size_t rank = shape.size();
  std::swap(shape[rank - 1], shape[rank - 2]);
  std::swap(strides[rank - 1], strides[rank - 2]);
  return stridedCopy(tensor, shape, 0, strides);
}

/// Unrounded matmul with PyTorch's rank rules.
static FailureOr<Tensor> multiply(Evaluation &evaluation, Tensor a, Tensor b) {
  Type type = a.getElementType();
  if (type.isInteger(1))
    return evaluation.error("expected numbers but got bool");
  if (a.getRank() == 0 || b.getRank() == 0)
    return evaluation.error("expected operands of rank 1 or more but got " + a.describe() + " and " + b.describe());
  bool vectorA = a.getRank() == 1, vectorB = b.getRank() == 1;
  if (vectorA)
    a = a.withShape({1, a.getDim(0)});
  if (vectorB)
    b = b.withShape({b.getDim(0), 1});
  ArrayRef<int64_t> shapeA = a.getShape(), shapeB = b.getShape();
  int64_t m = shapeA[shapeA.size() - 2], k = shapeA.back(), n = shapeB.back();
  if (shapeB[shapeB.size() - 2] != k)
    return evaluation.error("expected a contracted extent of " + Twine(k) + " but got " + formatShape(shapeB));

  // A weight shared by all leading dimensions: one tall product.
  SmallVector<int64_t> batch;
  if (b.getRank() == 2) {
    batch.append(shapeA.begin(), shapeA.end() - 2);
  } else {
    FailureOr<SmallVector<int64_t>> common = broadcastShapes(evaluation, {shapeA.drop_back(2), shapeB.drop_back(2)});
    if (failed(common))
      return failure();
    batch = *common;
    auto widen = [&](Tensor &tensor, int64_t rows, int64_t columns) {
      SmallVector<int64_t> shape(batch);
      shape.append({rows, columns});
      if (tensor.getShape() != ArrayRef<int64_t>(shape))
        tensor = stridedCopy(tensor, shape, 0, broadcastStrides(tensor.getShape(), shape));
    };
    widen(a, m, k);
    widen(b, k, n);
  }
  SmallVector<int64_t> shape(batch);
  if (!vectorA)
    shape.push_back(m);
  if (!vectorB)
    shape.push_back(n);
  Tensor sums(getSumType(type), shape);
  int64_t count = countElements(batch);
  bool narrow = accumulatesNarrow(evaluation, type);
  if (b.getRank() == 2) {
    m *= count;
    count = 1;
  }
  for (int64_t i = 0; i < count; ++i) {
    if (sums.isFloat())
      multiplyFloats(a.floats().slice(i * m * k, m * k), b.floats().slice(i * k * n, k * n),
                     sums.mutableFloats().slice(i * m * n, m * n), m, k, n, narrow);
    else
      multiplyInts(a.ints().slice(i * m * k, m * k), b.ints().slice(i * k * n, k * n),
                   sums.mutableInts().slice(i * m * n, m * n), m, k, n);
  }
  return sums;
}

/// Rounds sums to the dtype.
static Tensor roundSums(const Tensor &sums, Type type) {
  Tensor result(type, sums.getShape());
  if (result.isFloat())
    for (auto [to, from] : llvm::zip_equal(result.mutableFloats(), sums.floats()))
      to = roundToType(type, from);
  else
    for (auto [to, from] : llvm::zip_equal(result.mutableInts(), sums.ints()))
      to = wrapToType(type, from);
  return result;
}

/// sums = alpha * sums + beta * input, with the input broadcast to the sums.
/// With beta = 0 the input is not read.
static LogicalResult addScaled(Evaluation &evaluation, Tensor &sums, const Tensor &input, double beta, double alpha) {
  FailureOr<SmallVector<int64_t>> shape = broadcastShapes(evaluation, {sums.getShape(), input.getShape()});
  if (failed(shape))
    return failure();
  if (ArrayRef<int64_t>(*shape) != sums.getShape())
    return evaluation.error("expected " + formatShape(input.getShape()) + " to broadcast to " +
                            formatShape(sums.getShape()));
  Tensor addend = stridedCopy(input, *shape, 0, broadcastStrides(input.getShape(), *shape));
  if (sums.isFloat()) {
    for (auto [sum, value] : llvm::zip_equal(sums.mutableFloats(), addend.floats()))
      sum = alpha * sum + (beta == 0.0 ? 0.0 : beta * value);
    return success();
  }
  // PyTorch truncates the factors of integers.
  for (auto [sum, value] : llvm::zip_equal(sums.mutableInts(), addend.ints()))
    sum = wrapAdd(wrapMul(static_cast<int64_t>(alpha), sum), wrapMul(static_cast<int64_t>(beta), value));
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Unrounded input x weight^T + bias.
static FailureOr<Tensor> multiplyLinear(Evaluation &evaluation, const Tensor &input, const Tensor &weight,
                                        const Tensor *bias) {
  FailureOr<Tensor> sums = multiply(evaluation, input, weight.getRank() == 2 ? swapLastTwo(weight) : weight);
  if (failed(sums) || (bias && failed(addScaled(evaluation, *sums, *bias, 1.0, 1.0))))
    return failure();
  return sums;
}

FailureOr<Tensor> fxgraph::evaluateLinear(Evaluation &evaluation, const Tensor &input, const Tensor &weight,
                                          const Tensor *bias) {
  FailureOr<Tensor> sums = multiplyLinear(evaluation, input, weight, bias);
  if (failed(sums))
    return failure();
  return roundSums(*sums, input.getElementType());
}

static FailureOr<Tensor> evaluateLinearOp(LinearOp op, Evaluation &evaluation) {
  return evaluateLinear(evaluation, evaluation.get(op.getInput()), evaluation.get(op.getWeight()),
                        evaluation.find(op.getBias()));
}

static FailureOr<Tensor> evaluateLinearTranspose(LinearTransposeOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  FailureOr<Tensor> sums =
      multiplyLinear(evaluation, input, evaluation.get(op.getWeight()), evaluation.find(op.getBias()));
  if (failed(sums))
    return failure();
  return swapLastTwo(roundSums(*sums, input.getElementType()));
}

static FailureOr<Tensor> evaluateTransposeLinear(TransposeLinearOp op, Evaluation &evaluation) {
  Tensor input = swapLastTwo(evaluation.get(op.getInput()));
  FailureOr<Tensor> sums =
      multiplyLinear(evaluation, input, evaluation.get(op.getWeight()), evaluation.find(op.getBias()));
  if (failed(sums))
    return failure();
  return roundSums(*sums, input.getElementType());
}

/// weight x input + bias[:, None]: linear on the last but one dimension.
static FailureOr<Tensor> evaluateLce(LceOp op, Evaluation &evaluation) {
  Tensor input = swapLastTwo(evaluation.get(op.getInput()));
  FailureOr<Tensor> sums =
      multiplyLinear(evaluation, input, evaluation.get(op.getWeight()), evaluation.find(op.getBias()));
  if (failed(sums))
    return failure();
  return swapLastTwo(roundSums(*sums, input.getElementType()));
}

FailureOr<Tensor> fxgraph::evaluateProduct(Evaluation &evaluation, const Tensor &a, const Tensor &b) {
  FailureOr<Tensor> sums = multiply(evaluation, a, b);
  if (failed(sums))
    return failure();
  return roundSums(*sums, a.getElementType());
}

FailureOr<Tensor> fxgraph::evaluateScaledProduct(Evaluation &evaluation, const Tensor &a, const Tensor &b,
                                                 const Tensor &scaleA, const Tensor &scaleB, const Tensor *bias,
                                                 Type type) {
  FailureOr<Tensor> sums = multiply(evaluation, a, b);
  if (failed(sums))
    return failure();
  int64_t columns = sums->getShape().back(), rows = columns == 0 ? 0 : sums->getNumElements() / columns;
  // scaled_product_c1, c2 of unknown extents
  bool areOnes = scaleA.getNumElements() == 1 && scaleB.getNumElements() == 1;
  if (!areOnes && columns != 0 && (scaleA.getNumElements() != rows || scaleB.getNumElements() != columns))
    return evaluation.error("expected one scale, or one for each of " + Twine(rows) + " rows and " + Twine(columns) +
                            " columns, but got " + scaleA.describe() + " and " + scaleB.describe());
  if (bias && bias->getNumElements() != columns)
    return evaluation.error("expected a bias of " + Twine(columns) + " elements but got " + bias->describe());
  Tensor result(type, sums->getShape());
  for (int64_t i = 0; i < rows * columns; ++i) {
    double x =
        sums->floats()[i] * scaleA.floats()[areOnes ? 0 : i / columns] * scaleB.floats()[areOnes ? 0 : i % columns];
    result.mutableFloats()[i] = roundToType(type, bias ? x + bias->floats()[i % columns] : x);
  }
  return result;
}

static FailureOr<Tensor> evaluateScaledMm(ScaledMmOp op, Evaluation &evaluation) {
  return evaluateScaledProduct(evaluation, evaluation.get(op.getInput()), evaluation.get(op.getMat2()),
                               evaluation.get(op.getScaleA()), evaluation.get(op.getScaleB()),
                               op.getBias() ? &evaluation.get(op.getBias()) : nullptr, op.getType().getElementType());
}

static FailureOr<Tensor> evaluateDotCompress(DotCompressOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  FailureOr<Tensor> compressed = evaluateProduct(evaluation, swapLastTwo(input), evaluation.get(op.getWeight()));
  if (failed(compressed))
    return failure();
  return evaluateProduct(evaluation, input, *compressed);
}

static FailureOr<Tensor> evaluateMatmul(MatmulOp op, Evaluation &evaluation) {
  return evaluateProduct(evaluation, evaluation.get(op.getInput()), evaluation.get(op.getOther()));
}

/// mm and bmm do not broadcast the batch.
template <typename OpTy>
static FailureOr<Tensor> evaluatePlainProduct(OpTy op, Evaluation &evaluation) {
  const Tensor &a = evaluation.get(op.getInput()), &b = evaluation.get(op.getMat2());
  if (a.getShape().drop_back(2) != b.getShape().drop_back(2))
    return evaluation.error("expected equal batch extents but got " + formatShape(a.getShape()) + " and " +
                            formatShape(b.getShape()));
  return evaluateProduct(evaluation, a, b);
}

static FailureOr<Tensor> evaluateTransposeMatmul(TransposeMatmulOp op, Evaluation &evaluation) {
  Tensor a = evaluation.get(op.getInput()), b = evaluation.get(op.getOther());
  return evaluateProduct(evaluation, op.getTransInput() ? swapLastTwo(a) : a, op.getTransOther() ? swapLastTwo(b) : b);
}

template <typename OpTy>
static FailureOr<Tensor> evaluateAddProduct(OpTy op, Evaluation &evaluation) {
  const Tensor &a = evaluation.get(op.getMat1()), &b = evaluation.get(op.getMat2());
  if (a.getShape().drop_back(2) != b.getShape().drop_back(2))
    return evaluation.error("expected equal batch extents but got " + formatShape(a.getShape()) + " and " +
                            formatShape(b.getShape()));
  FailureOr<Tensor> sums = multiply(evaluation, a, b);
  if (failed(sums) || failed(addScaled(evaluation, *sums, evaluation.get(op.getInput()), op.getBeta().convertToDouble(),
                                       op.getAlpha().convertToDouble())))
    return failure();
  return roundSums(*sums, a.getElementType());
}

/// relu or gelu of an addmm, which is rounded before.
static FailureOr<Tensor> evaluateAddmmActivation(AddmmActivationOp op, Evaluation &evaluation) {
  FailureOr<Tensor> result = evaluateAddProduct(op, evaluation);
  if (failed(result))
    return failure();
  bool usesGelu = op.getUseGelu(), byTanh = op.getApproximate() == "tanh";
  for (double &x : result->mutableFloats())
    x = usesGelu ? roundToType(result->getElementType(), computeGelu(x, byTanh)) : x < 0.0 ? 0.0 : x;
  return result;
}

static FailureOr<Tensor> evaluateIntMm(IntMmOp op, Evaluation &evaluation) {
  FailureOr<Tensor> sums = multiply(evaluation, evaluation.get(op.getInput()), evaluation.get(op.getMat2()));
  if (failed(sums))
    return failure();
  return roundSums(*sums, op.getType().getElementType());
}

/// The product, rounded to the dtype of the scale, times the scale.
static FailureOr<Tensor> evaluateIntMmMul(IntMmMulOp op, Evaluation &evaluation) {
  const Tensor &scale = evaluation.get(op.getScale());
  FailureOr<Tensor> sums = multiply(evaluation, evaluation.get(op.getMat1()), evaluation.get(op.getMat2()));
  if (failed(sums))
    return failure();
  Type type = scale.getElementType();
  FailureOr<SmallVector<int64_t>> shape = broadcastShapes(evaluation, {sums->getShape(), scale.getShape()});
  if (failed(shape))
    return failure();
  if (ArrayRef<int64_t>(*shape) != sums->getShape())
    return evaluation.error("expected scale " + formatShape(scale.getShape()) + " to broadcast to " +
                            formatShape(sums->getShape()));
  Tensor factors = stridedCopy(scale, *shape, 0, broadcastStrides(scale.getShape(), *shape));
  Type i32 = IntegerType::get(op.getContext(), 32);
  Tensor result(type, *shape);
  for (auto [to, sum, factor] : llvm::zip_equal(result.mutableFloats(), sums->ints(), factors.floats()))
    to = roundToType(type, roundToType(type, static_cast<double>(wrapToType(i32, sum))) * factor);
  return result;
}

static LogicalResult evaluateGroupedMm(GroupedMmOp op, Evaluation &evaluation, SmallVectorImpl<Tensor> &results) {
  ArrayRef<Tensor> inputs = evaluation.get(op.getInputs()), weights = evaluation.get(op.getWeights());
  ArrayRef<Tensor> biases = evaluation.get(op.getBiases());
  for (auto [i, input] : llvm::enumerate(inputs)) {
    FailureOr<Tensor> sums = multiply(evaluation, input, weights[i]);
    if (failed(sums) || (!biases.empty() && failed(addScaled(evaluation, *sums, biases[i], 1.0, 1.0))))
      return failure();
    results.push_back(roundSums(*sums, input.getElementType()));
  }
  return success();
}

/// Two products; the inner one is rounded, as it is what the body takes.
static FailureOr<Tensor> evaluateB2bGemm(B2bGemmOp op, Evaluation &evaluation) {
  const Tensor &a = evaluation.get(op.getA()), &b = evaluation.get(op.getB()), &c = evaluation.get(op.getC());
  FailureOr<Tensor> inner = op.getLeft() ? evaluateProduct(evaluation, a, b) : evaluateProduct(evaluation, b, c);
  if (failed(inner))
    return failure();
  FailureOr<SmallVector<Tensor>> between = evaluation.runRegion(op.getBody(), *inner);
  if (failed(between))
    return failure();
  return op.getLeft() ? evaluateProduct(evaluation, between->front(), c)
                      : evaluateProduct(evaluation, a, between->front());
}

static FailureOr<Tensor> evaluateMmPlusMm(MmPlusMmOp op, Evaluation &evaluation) {
  const Tensor &a = evaluation.get(op.getMat1());
  FailureOr<Tensor> first = multiply(evaluation, a, evaluation.get(op.getMat2()));
  if (failed(first))
    return failure();
  FailureOr<Tensor> second = multiply(evaluation, evaluation.get(op.getMat3()), evaluation.get(op.getMat4()));
  if (failed(second))
    return failure();
  if (first->getShape() != second->getShape())
    return evaluation.error("expected products of one shape but got " + formatShape(first->getShape()) + " and " +
                            formatShape(second->getShape()));
  if (failed(addScaled(evaluation, *first, *second, 1.0, 1.0)))
    return failure();
  return roundSums(*first, a.getElementType());
}

//===----------------------------------------------------------------------===//
// einsum
//===----------------------------------------------------------------------===//

/// Sums the product of all operands over the labels that the result lacks; one
/// loop nest over all labels.
static FailureOr<Tensor> evaluateEinsum(EinsumOp op, Evaluation &evaluation) {
  ArrayRef<Tensor> tensors = evaluation.get(op.getTensors());
  SmallVector<int64_t> ranks;
  for (const Tensor &tensor : tensors)
    ranks.push_back(tensor.getRank());
  FailureOr<EinsumEquation> equation = parseEinsum(std::nullopt, op.getEquation(), ranks);
  if (failed(equation))
    return evaluation.error("has an equation that does not fit its operands: '" + op.getEquation() + "'");

  MapVector<int, int64_t> extents;
  for (auto [tensor, labels] : llvm::zip_equal(tensors, equation->operands)) {
    for (auto [label, extent] : llvm::zip_equal(labels, tensor.getShape())) {
      int64_t &known = extents.insert({label, 1}).first->second;
      if (known != 1 && extent != 1 && known != extent)
        return evaluation.error("expected extents that broadcast in einsum dimension '" +
                                EinsumEquation::labelText(label) + "' but got " + Twine(known) + " and " +
                                Twine(extent));
      if (extent != 1)
        known = extent;
    }
  }
  SmallVector<int> outer(equation->result), inner;
  for (auto [label, extent] : extents)
    if (!llvm::is_contained(outer, label))
      inner.push_back(label);
  SmallVector<int64_t> outerShape, innerShape;
  for (int label : outer)
    outerShape.push_back(extents.lookup(label));
  for (int label : inner)
    innerShape.push_back(extents.lookup(label));

  // Stride of each operand along each label; a repeated label walks the diagonal.
  struct OperandStrides {
    SmallVector<int64_t> outer, inner;
  };
  SmallVector<OperandStrides> strides;
  for (auto [tensor, labels] : llvm::zip_equal(tensors, equation->operands)) {
    SmallVector<int64_t> own = tensor.getStrides();
    // A structured binding cannot be captured before C++20.
    auto strideOf = [&, &tensor = tensor, &labels = labels](int wanted) {
      int64_t stride = 0;
      for (auto [i, label] : llvm::enumerate(labels))
        if (label == wanted && tensor.getDim(i) != 1)
          stride += own[i];
      return stride;
    };
    OperandStrides entry;
    for (int label : outer)
      entry.outer.push_back(strideOf(label));
    for (int label : inner)
      entry.inner.push_back(strideOf(label));
    strides.push_back(std::move(entry));
  }
  auto positionOf = [](ArrayRef<int64_t> index, ArrayRef<int64_t> stride) {
    int64_t position = 0;
    for (auto [i, s] : llvm::zip_equal(index, stride))
      position += i * s;
    return position;
  };

  Type type = tensors.front().getElementType();
  if (type.isInteger(1))
    return evaluation.error("expected numbers but got bool");
  Tensor sums(getSumType(type), outerShape);
  bool narrow = accumulatesNarrow(evaluation, type);
  int64_t out = 0;
  SmallVector<int64_t> base(tensors.size());
  forEachIndex(outerShape, [&](ArrayRef<int64_t> outerIndex) {
    for (auto [i, entry] : llvm::enumerate(strides))
      base[i] = positionOf(outerIndex, entry.outer);
    Accumulator sum(narrow);
    int64_t intSum = 0;
    forEachIndex(innerShape, [&](ArrayRef<int64_t> innerIndex) {
      double product = 1.0;
      int64_t intProduct = 1;
      for (auto [i, tensor] : llvm::enumerate(tensors)) {
        int64_t position = base[i] + positionOf(innerIndex, strides[i].inner);
        if (sums.isFloat())
          product *= tensor.floats()[position];
        else
          intProduct = wrapMul(intProduct, tensor.ints()[position]);
      }
      sum.add(product);
      intSum = wrapAdd(intSum, intProduct);
    });
    if (sums.isFloat())
      sums.mutableFloats()[out++] = sum.get();
    else
      sums.mutableInts()[out++] = intSum;
  });
  return roundSums(sums, type);
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// softmax(query x key^T * scale + mask) x value, unrounded until the end. A row
/// that is masked out completely gives zeros.
static FailureOr<Tensor> evaluateAttention(ScaledDotProductAttentionOp op, Evaluation &evaluation) {
  const Tensor &query = evaluation.get(op.getQuery()), &value = evaluation.get(op.getValue());
  const Tensor *mask = evaluation.find(op.getAttnMask());
  Type type = query.getElementType(), wide = mlir::Float64Type::get(op.getContext());
  FailureOr<Tensor> scores = multiply(evaluation, query, swapLastTwo(evaluation.get(op.getKey())));
  if (failed(scores))
    return failure();
  ArrayRef<int64_t> shape = scores->getShape();
  int64_t rows = shape[shape.size() - 2], columns = shape.back(), width = query.getShape().back();
  double scale = op.getScale() ? op.getScale()->convertToDouble() : 1.0 / std::sqrt(static_cast<double>(width));
  double infinity = std::numeric_limits<double>::infinity();

  Tensor addend;
  if (mask) {
    FailureOr<SmallVector<int64_t>> common = broadcastShapes(evaluation, {shape, mask->getShape()});
    if (failed(common))
      return failure();
    if (ArrayRef<int64_t>(*common) != shape)
      return evaluation.error("expected mask " + formatShape(mask->getShape()) + " to broadcast to " +
                              formatShape(shape));
    addend = stridedCopy(*mask, shape, 0, broadcastStrides(mask->getShape(), shape));
  }
  MutableArrayRef<double> numbers = scores->mutableFloats();
  for (size_t i = 0; i < numbers.size(); ++i) {
    int64_t column = i % columns, row = i / columns % rows;
    double score = numbers[i] * scale;
    if (op.getIsCausal() && column > row)
      score += -infinity;
    if (addend)
      score += addend.isBool() ? (addend.ints()[i] ? 0.0 : -infinity) : addend.floats()[i];
    numbers[i] = score;
  }
  for (size_t start = 0; columns != 0 && start < numbers.size(); start += columns) {
    MutableArrayRef<double> row = numbers.slice(start, columns);
    double largest = -infinity;
    for (double score : row)
      largest = std::isnan(score) || score > largest ? score : largest;
    if (largest == -infinity) {
      std::fill(row.begin(), row.end(), 0.0);
      continue;
    }
    double sum = 0.0;
    for (double &score : row) {
      score = std::exp(score - largest);
      sum += score;
    }
    for (double &score : row)
      score /= sum;
  }
  FailureOr<Tensor> result = multiply(evaluation, *scores, value.convert(wide));
  if (failed(result))
    return failure();
  return roundSums(*result, type);
}

void fxgraph::registerContractionEvaluators(EvaluatorRegistry &registry) {
  registry.add<LinearOp>(evaluateLinearOp);
  registry.add<MatmulOp>(evaluateMatmul);
  registry.add<MmOp>(evaluatePlainProduct<MmOp>);
  registry.add<BmmOp>(evaluatePlainProduct<BmmOp>);
  registry.add<AddmmOp>(evaluateAddProduct<AddmmOp>);
  registry.add<BaddbmmOp>(evaluateAddProduct<BaddbmmOp>);
  registry.add<EinsumOp>(evaluateEinsum);
  registry.add<ScaledDotProductAttentionOp>(evaluateAttention);
  registry.add<LinearTransposeOp>(evaluateLinearTranspose);
  registry.add<TransposeLinearOp>(evaluateTransposeLinear);
  registry.add<TransposeMatmulOp>(evaluateTransposeMatmul);
  registry.add<MmPlusMmOp>(evaluateMmPlusMm);
  registry.add<DotCompressOp>(evaluateDotCompress);
  registry.add<LceOp>(evaluateLce);
  registry.add<AddmmActivationOp>(evaluateAddmmActivation);
  registry.add<IntMmOp>(evaluateIntMm);
  registry.add<IntMmMulOp>(evaluateIntMmMul);
  registry.add<ScaledMmOp>(evaluateScaledMm);
  registry.add<GroupedMmOp>(evaluateGroupedMm);
  registry.add<B2bGemmOp>(evaluateB2bGemm);
}
