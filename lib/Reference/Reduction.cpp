// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluators of reductions, scans, softmax and sorting.

#include "Evaluators.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>

using namespace fxgraph;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Reductions over several dimensions
//===----------------------------------------------------------------------===//

namespace {
/// The input rearranged so that the elements of each result lie together.
struct ReductionRows {
  Tensor input;                ///< [rows, count]
  int64_t rows = 1, count = 1; ///< results, elements of each
  SmallVector<int64_t> shape;  ///< of the result
};
} // namespace

static ReductionRows gatherRows(const Tensor &input, ArrayRef<int64_t> reducedDims, bool keepdim) {
  ReductionRows result;
  SmallVector<int64_t> strides = input.getStrides(), shape, order;
  SmallVector<bool> isReduced(input.getRank(), false);
  for (int64_t dim : reducedDims)
    isReduced[dim] = true;
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    if (isReduced[dim]) {
      if (keepdim)
        result.shape.push_back(1);
      continue;
    }
    result.shape.push_back(input.getDim(dim));
    result.rows *= input.getDim(dim);
    shape.push_back(input.getDim(dim));
    order.push_back(strides[dim]);
  }
  for (int64_t dim = 0; dim < input.getRank(); ++dim)
    if (isReduced[dim]) {
      result.count *= input.getDim(dim);
      shape.push_back(input.getDim(dim));
      order.push_back(strides[dim]);
    }
  result.input = stridedCopy(input, shape, 0, order);
  return result;
}

/// Floats: `onFloat` maps the elements of one result to it, unrounded.
static Tensor reduceFloats(const ReductionRows &rows, Type type, function_ref<double(ArrayRef<double>)> onFloat) {
  Tensor result(type, rows.shape);
  MutableArrayRef<double> out = result.mutableFloats();
  for (int64_t row = 0; row < rows.rows; ++row)
    out[row] = roundToType(type, onFloat(rows.input.floats().slice(row * rows.count, rows.count)));
  return result;
}

static Tensor reduceInts(const ReductionRows &rows, Type type, function_ref<int64_t(ArrayRef<int64_t>)> onInt) {
  Tensor result(type, rows.shape);
  MutableArrayRef<int64_t> out = result.mutableInts();
  for (int64_t row = 0; row < rows.rows; ++row)
    out[row] = wrapToType(type, onInt(rows.input.ints().slice(row * rows.count, rows.count)));
  return result;
}

template <typename OpTy>
static ReductionRows gatherRows(OpTy op, Evaluation &evaluation) {
  return gatherRows(evaluation.get(op.getInput()), op.getReducedDims(), op.getKeepdim());
}

template <typename OpTy>
static Type getResultElementType(OpTy op) {
  return op.getResult().getType().getElementType();
}

static double sumOf(ArrayRef<double> values, bool narrow) {
  Accumulator sum(narrow);
  for (double value : values)
    sum.add(value);
  return sum.get();
}

static FailureOr<Tensor> evaluateSum(SumOp op, Evaluation &evaluation) {
  Type type = getResultElementType(op);
  ReductionRows rows = gatherRows(op, evaluation);
  if (rows.input.isFloat())
    return reduceFloats(rows, type,
                        [&](ArrayRef<double> values) { return sumOf(values, accumulatesNarrow(evaluation, type)); });
  return reduceInts(rows, type, [](ArrayRef<int64_t> values) {
    int64_t sum = 0;
    for (int64_t value : values)
      sum = wrapAdd(sum, value);
    return sum;
  });
}

static FailureOr<Tensor> evaluateProd(ProdOp op, Evaluation &evaluation) {
  Type type = getResultElementType(op);
  ReductionRows rows = gatherRows(op, evaluation);
  if (rows.input.isFloat())
    return reduceFloats(rows, type, [&](ArrayRef<double> values) {
      bool narrow = accumulatesNarrow(evaluation, type);
      double product = 1.0;
      for (double value : values)
        product = narrow ? static_cast<double>(static_cast<float>(product * value)) : product * value;
      return product;
    });
  return reduceInts(rows, type, [](ArrayRef<int64_t> values) {
    int64_t product = 1;
    for (int64_t value : values)
      product = wrapMul(product, value);
    return product;
  });
}

static FailureOr<Tensor> evaluateMean(MeanOp op, Evaluation &evaluation) {
  Type type = getResultElementType(op);
  return reduceFloats(gatherRows(op, evaluation), type, [&](ArrayRef<double> values) {
    return sumOf(values, accumulatesNarrow(evaluation, type)) / static_cast<double>(values.size());
  });
}

/// Position of the extremum: the first NaN, else the first of the best.
template <typename T>
static size_t findExtremum(ArrayRef<T> values, bool largest) {
  size_t best = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != values[i])
      return i;
    if (largest ? values[i] > values[best] : values[i] < values[best])
      best = i;
  }
  return best;
}

static LogicalResult checkNotEmpty(Evaluation &evaluation, const ReductionRows &rows) {
  if (rows.count != 0)
    return success();
  return evaluation.error("expected reduced dimensions of extent > 0 but got an empty one");
}

template <typename OpTy>
static FailureOr<Tensor> evaluateExtremum(OpTy op, Evaluation &evaluation, bool largest) {
  ReductionRows rows = gatherRows(op, evaluation);
  if (failed(checkNotEmpty(evaluation, rows)))
    return failure();
  Type type = getResultElementType(op);
  if (rows.input.isFloat())
    return reduceFloats(rows, type, [&](ArrayRef<double> values) { return values[findExtremum(values, largest)]; });
  return reduceInts(rows, type, [&](ArrayRef<int64_t> values) { return values[findExtremum(values, largest)]; });
}
static FailureOr<Tensor> evaluateAmax(AmaxOp op, Evaluation &evaluation) {
  return evaluateExtremum(op, evaluation, true);
}
static FailureOr<Tensor> evaluateAmin(AminOp op, Evaluation &evaluation) {
  return evaluateExtremum(op, evaluation, false);
}

/// any and all: NaN counts as true.
template <typename OpTy, bool isAny>
static FailureOr<Tensor> evaluateTruth(OpTy op, Evaluation &evaluation) {
  ReductionRows rows = gatherRows(op, evaluation);
  Tensor result(getResultElementType(op), rows.shape);
  for (int64_t row = 0; row < rows.rows; ++row) {
    bool found = false;
    for (int64_t i = 0; i < rows.count; ++i)
      found |= rows.input.isNonZero(row * rows.count + i) == isAny;
    result.mutableInts()[row] = found == isAny;
  }
  return result;
}

static FailureOr<Tensor> evaluateVar(VarOp op, Evaluation &evaluation) {
  Type type = getResultElementType(op);
  bool narrow = accumulatesNarrow(evaluation, type);
  double correction = op.getCorrection().convertToDouble();
  return reduceFloats(gatherRows(op, evaluation), type, [&](ArrayRef<double> values) {
    double count = values.size();
    double mean = sumOf(values, narrow) / count;
    Accumulator squares(narrow);
    for (double value : values)
      squares.addProduct(value - mean, value - mean);
    return squares.get() / std::max(0.0, count - correction);
  });
}

static FailureOr<Tensor> evaluateLogsumexp(LogsumexpOp op, Evaluation &evaluation) {
  Type type = getResultElementType(op);
  bool narrow = accumulatesNarrow(evaluation, type);
  return reduceFloats(gatherRows(op, evaluation), type, [&](ArrayRef<double> values) {
    double largest = values.empty() ? 0.0 : values[findExtremum(values, true)];
    // An infinite maximum would give inf - inf: PyTorch subtracts nothing then.
    double shift = std::isinf(largest) ? 0.0 : largest;
    Accumulator sum(narrow);
    for (double value : values)
      sum.add(std::exp(value - shift));
    return std::log(sum.get()) + shift;
  });
}

static FailureOr<Tensor> evaluateVectorNorm(VectorNormOp op, Evaluation &evaluation) {
  Type type = getResultElementType(op);
  ReductionRows rows = gatherRows(op, evaluation);
  double order = op.getOrd().convertToDouble();
  bool isExtremum = std::isinf(order);
  if ((isExtremum || order < 0.0) && failed(checkNotEmpty(evaluation, rows)))
    return failure();
  bool narrow = accumulatesNarrow(evaluation, type);
  return reduceFloats(rows, type, [&](ArrayRef<double> values) {
    SmallVector<double> magnitudes;
    for (double value : values)
      magnitudes.push_back(std::fabs(value));
    if (isExtremum)
      return magnitudes[findExtremum<double>(magnitudes, order > 0.0)];
    Accumulator sum(narrow);
    for (double magnitude : magnitudes)
      sum.add(order == 0.0   ? static_cast<double>(magnitude != 0.0)
              : order == 2.0 ? magnitude * magnitude
                             : std::pow(magnitude, order));
    if (order == 0.0 || order == 1.0)
      return sum.get();
    return order == 2.0 ? std::sqrt(sum.get()) : std::pow(sum.get(), 1.0 / order);
  });
}

//===----------------------------------------------------------------------===//
// Extrema with positions
//===----------------------------------------------------------------------===//

/// Dimensions of an optional `dim`: all of them if it is absent.
static SmallVector<int64_t> getDimList(const Tensor &input, std::optional<int64_t> dim) {
  if (input.getRank() == 0)
    return {};
  if (dim)
    return {wrapDim(*dim, input.getRank())};
  return llvm::to_vector(llvm::seq<int64_t>(0, input.getRank()));
}

static Tensor findPositions(const ReductionRows &rows, bool largest) {
  Tensor result(IntegerType::get(rows.input.getElementType().getContext(), 64), rows.shape);
  for (int64_t row = 0; row < rows.rows; ++row)
    result.mutableInts()[row] = rows.input.isFloat()
                                    ? findExtremum(rows.input.floats().slice(row * rows.count, rows.count), largest)
                                    : findExtremum(rows.input.ints().slice(row * rows.count, rows.count), largest);
  return result;
}

template <typename OpTy, bool largest>
static FailureOr<Tensor> evaluateArgExtremum(OpTy op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  std::optional<int64_t> dim;
  if (op.getDim())
    dim = static_cast<int64_t>(*op.getDim());
  ReductionRows rows = gatherRows(input, getDimList(input, dim), op.getKeepdim());
  if (failed(checkNotEmpty(evaluation, rows)))
    return failure();
  return findPositions(rows, largest);
}

template <typename OpTy, bool largest>
static LogicalResult evaluateDimExtremum(OpTy op, Evaluation &evaluation, SmallVectorImpl<Tensor> &results) {
  const Tensor &input = evaluation.get(op.getInput());
  ReductionRows rows = gatherRows(input, getDimList(input, static_cast<int64_t>(op.getDim())), op.getKeepdim());
  if (failed(checkNotEmpty(evaluation, rows)))
    return failure();
  Tensor positions = findPositions(rows, largest), values(input.getElementType(), rows.shape);
  for (int64_t row = 0; row < rows.rows; ++row)
    values.setFrom(row, rows.input, row * rows.count + positions.ints()[row]);
  results.push_back(std::move(values));
  results.push_back(std::move(positions));
  return success();
}

//===----------------------------------------------------------------------===//
// Along one dimension
//===----------------------------------------------------------------------===//

/// Calls `body` with the positions of each line of elements along `dim`.
static void forEachLine(const Tensor &tensor, int64_t dim, function_ref<void(ArrayRef<int64_t>)> body) {
  DimSplit split(tensor.getShape(), tensor.getRank() == 0 ? 0 : wrapDim(dim, tensor.getRank()));
  SmallVector<int64_t> positions(split.extent);
  for (int64_t o = 0; o < split.outer; ++o)
    for (int64_t i = 0; i < split.inner; ++i) {
      for (int64_t e = 0; e < split.extent; ++e)
        positions[e] = split.at(o, e, i);
      body(positions);
    }
}

/// softmax, or its logarithm, along a dimension.
static Tensor softmaxAlong(const Tensor &input, int64_t dim, bool logarithm, bool narrow) {
  Type type = input.getElementType();
  Tensor result(type, input.getShape());
  ArrayRef<double> in = input.floats();
  MutableArrayRef<double> out = result.mutableFloats();
  forEachLine(input, dim, [&](ArrayRef<int64_t> line) {
    double largest = -kInfinity;
    for (int64_t at : line)
      largest = std::isnan(in[at]) || in[at] > largest ? in[at] : largest;
    Accumulator sum(narrow);
    for (int64_t at : line)
      sum.add(std::exp(in[at] - largest));
    double logOfSum = std::log(sum.get());
    for (int64_t at : line)
      out[at] = roundToType(type, logarithm ? in[at] - largest - logOfSum : std::exp(in[at] - largest) / sum.get());
  });
  return result;
}

static FailureOr<Tensor> evaluateSoftmax(SoftmaxOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  return softmaxAlong(input, op.getDim(), /*logarithm=*/false, accumulatesNarrow(evaluation, input.getElementType()));
}
static FailureOr<Tensor> evaluateLogSoftmax(LogSoftmaxOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  return softmaxAlong(input, op.getDim(), /*logarithm=*/true, accumulatesNarrow(evaluation, input.getElementType()));
}

/// The maximum along a dimension and the sum of exp(x - maximum). Where PyTorch rescales a
/// running sum, this one knows the maximum from the start.
static LogicalResult evaluatePrepareSoftmaxOnline(PrepareSoftmaxOnlineOp op, Evaluation &evaluation,
                                                  SmallVectorImpl<Tensor> &results) {
  const Tensor &input = evaluation.get(op.getInput());
  Type type = input.getElementType();
  ReductionRows rows = gatherRows(input, getDimList(input, static_cast<int64_t>(op.getDim())), /*keepdim=*/true);
  if (failed(checkNotEmpty(evaluation, rows)))
    return failure();
  Tensor maxima(type, rows.shape), sums(type, rows.shape);
  for (int64_t row = 0; row < rows.rows; ++row) {
    ArrayRef<double> values = rows.input.floats().slice(row * rows.count, rows.count);
    double largest = values[findExtremum(values, /*largest=*/true)];
    Accumulator sum(accumulatesNarrow(evaluation, type));
    for (double value : values)
      sum.add(std::exp(value - largest));
    maxima.mutableFloats()[row] = largest;
    sums.mutableFloats()[row] = roundToType(type, sum.get());
  }
  results.push_back(std::move(maxima));
  results.push_back(std::move(sums));
  return success();
}

/// Running sums or products; integers in i64 with wrap-around.
template <typename OpTy, bool isSum>
static FailureOr<Tensor> evaluateScan(OpTy op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  Type type = getResultElementType(op);
  bool narrow = accumulatesNarrow(evaluation, type);
  Tensor result(type, input.getShape());
  forEachLine(input, op.getDim(), [&](ArrayRef<int64_t> line) {
    double running = isSum ? 0.0 : 1.0;
    int64_t runningInt = isSum ? 0 : 1;
    for (int64_t at : line) {
      if (!input.isFloat()) {
        runningInt = isSum ? wrapAdd(runningInt, input.ints()[at]) : wrapMul(runningInt, input.ints()[at]);
        result.mutableInts()[at] = wrapToType(type, runningInt);
        continue;
      }
      running = isSum ? running + input.floats()[at] : running * input.floats()[at];
      if (narrow)
        running = static_cast<float>(running);
      result.mutableFloats()[at] = roundToType(type, running);
    }
  });
  return result;
}

/// Order of the elements of one line; NaN counts as the largest, equal elements
/// keep their order.
static SmallVector<int64_t> sortLine(const Tensor &input, ArrayRef<int64_t> line, bool descending) {
  auto isLess = [&](int64_t a, int64_t b) {
    if (!input.isFloat())
      return input.ints()[a] < input.ints()[b];
    double x = input.floats()[a], y = input.floats()[b];
    return std::isnan(y) ? !std::isnan(x) : x < y;
  };
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, line.size()));
  llvm::stable_sort(
      order, [&](int64_t a, int64_t b) { return descending ? isLess(line[b], line[a]) : isLess(line[a], line[b]); });
  return order;
}

/// The first `count` of each line in sorted order, and their indices.
static void pickSorted(const Tensor &input, int64_t dim, bool descending, int64_t count,
                       SmallVectorImpl<Tensor> &results) {
  SmallVector<int64_t> shape(input.getShape());
  if (!shape.empty())
    shape[wrapDim(dim, shape.size())] = count;
  Tensor values(input.getElementType(), shape);
  Tensor indices(IntegerType::get(input.getElementType().getContext(), 64), shape);
  SmallVector<SmallVector<int64_t>> targets;
  forEachLine(values, dim, [&](ArrayRef<int64_t> line) { targets.push_back(SmallVector<int64_t>(line)); });
  size_t row = 0;
  forEachLine(input, dim, [&](ArrayRef<int64_t> line) {
    SmallVector<int64_t> order = sortLine(input, line, descending);
    for (auto [target, source] : llvm::zip(targets[row], order)) {
      values.setFrom(target, input, line[source]);
      indices.mutableInts()[target] = source;
    }
    ++row;
  });
  results.push_back(std::move(values));
  results.push_back(std::move(indices));
}

static LogicalResult evaluateTopk(TopkOp op, Evaluation &evaluation, SmallVectorImpl<Tensor> &results) {
  const Tensor &input = evaluation.get(op.getInput());
  int64_t extent = input.getRank() == 0 ? 1 : input.getDim(wrapDim(op.getDim(), input.getRank()));
  int64_t k = op.getK();
  if (k < 0 || k > extent)
    return evaluation.error("expected k in [0, " + Twine(extent) + "] but got " + Twine(k));
  pickSorted(input, op.getDim(), op.getLargest(), k, results);
  return success();
}

static LogicalResult evaluateSort(SortOp op, Evaluation &evaluation, SmallVectorImpl<Tensor> &results) {
  const Tensor &input = evaluation.get(op.getInput());
  int64_t extent = input.getRank() == 0 ? 1 : input.getDim(wrapDim(op.getDim(), input.getRank()));
  pickSorted(input, op.getDim(), op.getDescending(), extent, results);
  return success();
}

void fxgraph::registerReductionEvaluators(EvaluatorRegistry &registry) {
  registry.add<SumOp>(evaluateSum);
  registry.add<MeanOp>(evaluateMean);
  registry.add<AmaxOp>(evaluateAmax);
  registry.add<AminOp>(evaluateAmin);
  registry.add<ProdOp>(evaluateProd);
  registry.add<AnyOp>(evaluateTruth<AnyOp, /*isAny=*/true>);
  registry.add<AllOp>(evaluateTruth<AllOp, /*isAny=*/false>);
  registry.add<VarOp>(evaluateVar);
  registry.add<LogsumexpOp>(evaluateLogsumexp);
  registry.add<VectorNormOp>(evaluateVectorNorm);
  registry.add<ArgmaxOp>(evaluateArgExtremum<ArgmaxOp, /*largest=*/true>);
  registry.add<ArgminOp>(evaluateArgExtremum<ArgminOp, /*largest=*/false>);
  registry.add<MaxDimOp>(evaluateDimExtremum<MaxDimOp, /*largest=*/true>);
  registry.add<MinDimOp>(evaluateDimExtremum<MinDimOp, /*largest=*/false>);
  registry.add<SoftmaxOp>(evaluateSoftmax);
  registry.add<LogSoftmaxOp>(evaluateLogSoftmax);
  registry.add<PrepareSoftmaxOnlineOp>(evaluatePrepareSoftmaxOnline);
  registry.add<CumsumOp>(evaluateScan<CumsumOp, /*isSum=*/true>);
  registry.add<CumprodOp>(evaluateScan<CumprodOp, /*isSum=*/false>);
  registry.add<TopkOp>(evaluateTopk);
  registry.add<SortOp>(evaluateSort);
}
