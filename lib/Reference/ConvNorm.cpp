// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluators of convolution, normalisation and pooling. All of them compute in
// double and round the result once.

#include "Evaluators.h"
#include <cmath>
#include <limits>

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

namespace {
struct ConvParameters {
  ArrayRef<int64_t> stride, padding, dilation, outputPadding;
  int64_t groups = 1;
  bool transposed = false;
};
} // namespace

/// Result extents of the spatial dimensions.
static FailureOr<SmallVector<int64_t>> getConvExtents(Evaluation &evaluation, ArrayRef<int64_t> input,
                                                      ArrayRef<int64_t> kernel, const ConvParameters &conv) {
  SmallVector<int64_t> extents;
  for (size_t i = 0; i < input.size(); ++i) {
    int64_t reach = conv.dilation[i] * (kernel[i] - 1) + 1, extent;
    if (conv.transposed) {
      extent = (input[i] - 1) * conv.stride[i] - 2 * conv.padding[i] + reach + conv.outputPadding[i];
    } else {
      int64_t padded = input[i] + 2 * conv.padding[i];
      extent = padded < reach ? 0 : (padded - reach) / conv.stride[i] + 1;
    }
    if (extent <= 0)
      return evaluation.error("expected a window that fits the padded input but got kernel " + formatShape(kernel) +
                              " on " + formatShape(input));
    extents.push_back(extent);
  }
  return extents;
}

/// input [n?, c, spatial…], weight [o, c/groups, kernel…] or transposed
/// [c, o/groups, kernel…]. Every product of an input and a weight element is added
/// to the output element that it belongs to.
static FailureOr<Tensor> convolve(Evaluation &evaluation, Tensor input, const Tensor &weight, const Tensor *bias,
                                  const ConvParameters &conv) {
  Type type = input.getElementType();
  if (type.isInteger(1))
    return evaluation.error("expected numbers but got bool");
  int64_t spatial = weight.getRank() - 2;
  bool batched = input.getRank() == spatial + 2;
  if (!batched) {
    SmallVector<int64_t> shape{1};
    shape.append(input.getShape().begin(), input.getShape().end());
    input = input.withShape(shape);
  }
  ArrayRef<int64_t> in = input.getShape().drop_front(2), kernel = weight.getShape().drop_front(2);
  int64_t batch = input.getDim(0), channels = input.getDim(1);
  int64_t outputs = conv.transposed ? weight.getDim(1) * conv.groups : weight.getDim(0);
  int64_t expected = conv.transposed ? weight.getDim(0) : weight.getDim(1) * conv.groups;
  if (channels != expected || outputs % conv.groups != 0)
    return evaluation.error("expected " + Twine(expected) + " channels in " + Twine(conv.groups) +
                            " group(s) but got " + input.describe());
  if (bias && (bias->getRank() != 1 || bias->getDim(0) != outputs))
    return evaluation.error("expected a bias of " + Twine(outputs) + " elements but got " + bias->describe());
  FailureOr<SmallVector<int64_t>> out = getConvExtents(evaluation, in, kernel, conv);
  if (failed(out))
    return failure();

  int64_t inPerGroup = channels / conv.groups, outPerGroup = outputs / conv.groups;
  int64_t inSize = countElements(in), outSize = countElements(*out), kernelSize = countElements(kernel);
  SmallVector<int64_t> resultShape{batch, outputs};
  resultShape.append(*out);
  bool isFloat = input.isFloat(), narrow = accumulatesNarrow(evaluation, type);
  std::vector<double> sums(isFloat ? batch * outputs * outSize : 0);
  std::vector<int64_t> intSums(isFloat ? 0 : batch * outputs * outSize);

  // For one kernel position: the pairs of an input and an output element that it
  // connects, the same for all channels, and the output elements that it connects with the padding.
  SmallVector<int64_t> inStrides = computeStrides(in), outStrides = computeStrides(*out);
  ArrayRef<int64_t> small = conv.transposed ? in : ArrayRef<int64_t>(*out),
                    large = conv.transposed ? ArrayRef<int64_t>(*out) : in;
  ArrayRef<int64_t> largeStrides = conv.transposed ? outStrides : inStrides;
  std::vector<std::pair<int64_t, int64_t>> pairs;
  std::vector<int64_t> padded;
  int64_t kernelPosition = 0;
  forEachIndex(kernel, [&](ArrayRef<int64_t> tap) {
    pairs.clear();
    padded.clear();
    int64_t at = 0;
    forEachIndex(small, [&](ArrayRef<int64_t> index) {
      int64_t position = 0;
      bool inside = true;
      for (int64_t d = 0; d < spatial; ++d) {
        int64_t coordinate = index[d] * conv.stride[d] - conv.padding[d] + tap[d] * conv.dilation[d];
        inside &= coordinate >= 0 && coordinate < large[d];
        position += coordinate * largeStrides[d];
      }
      if (inside)
        pairs.push_back(conv.transposed ? std::make_pair(at, position) : std::make_pair(position, at));
      else if (!conv.transposed)
        padded.push_back(at);
      ++at;
    });
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t o = 0; o < outputs; ++o)
        for (int64_t c = 0; c < inPerGroup; ++c) {
          int64_t channel = o / outPerGroup * inPerGroup + c;
          int64_t weightAt = conv.transposed ? (channel * outPerGroup + o % outPerGroup) * kernelSize + kernelPosition
                                             : (o * inPerGroup + c) * kernelSize + kernelPosition;
          int64_t inBase = (b * channels + channel) * inSize, outBase = (b * outputs + o) * outSize;
          if (!isFloat) {
            for (auto [from, to] : pairs)
              intSums[outBase + to] =
                  wrapAdd(intSums[outBase + to], wrapMul(input.ints()[inBase + from], weight.ints()[weightAt]));
            continue;
          }
          const double *plane = input.floats().data() + inBase;
          double *sum = sums.data() + outBase, factor = weight.floats()[weightAt];
          for (auto [from, to] : pairs)
            sum[to] = narrow ? static_cast<float>(sum[to] + static_cast<float>(plane[from] * factor))
                             : sum[to] + plane[from] * factor;
          // The padding is zeros, which matter to NaN and Inf alone.
          if (!std::isfinite(factor))
            for (int64_t to : padded)
              sum[to] = std::numeric_limits<double>::quiet_NaN();
        }
    ++kernelPosition;
  });

  Tensor result(type, resultShape);
  for (int64_t i = 0; i < result.getNumElements(); ++i) {
    int64_t o = outSize == 0 ? 0 : i / outSize % outputs;
    if (isFloat)
      result.mutableFloats()[i] = roundToType(type, sums[i] + (bias ? bias->floats()[o] : 0.0));
    else
      result.mutableInts()[i] = wrapToType(type, wrapAdd(intSums[i], bias ? bias->ints()[o] : 0));
  }
  if (!batched)
    return result.withShape(ArrayRef<int64_t>(resultShape).drop_front());
  return result;
}

template <typename OpTy>
static ConvParameters getPlainParameters(OpTy op) {
  ConvParameters conv;
  conv.stride = op.getStride();
  conv.padding = op.getPadding();
  conv.dilation = op.getDilation();
  conv.groups = op.getGroups();
  return conv;
}

template <typename OpTy>
static FailureOr<Tensor> evaluateConv(OpTy op, Evaluation &evaluation) {
  return convolve(evaluation, evaluation.get(op.getInput()), evaluation.get(op.getWeight()),
                  evaluation.find(op.getBias()), getPlainParameters(op));
}

/// Of ops with the attributes of aten.convolution.
template <typename OpTy>
static ConvParameters getParameters(OpTy op) {
  ConvParameters conv = getPlainParameters(op);
  conv.outputPadding = op.getOutputPadding();
  conv.transposed = op.getTransposed();
  return conv;
}

static FailureOr<Tensor> evaluatePlainConvolution(ConvolutionOp op, Evaluation &evaluation) {
  return convolve(evaluation, evaluation.get(op.getInput()), evaluation.get(op.getWeight()),
                  evaluation.find(op.getBias()), getParameters(op));
}

FailureOr<Tensor> fxgraph::evaluateConvolution(ConvolutionPointwiseOp op, Evaluation &evaluation, const Tensor &input,
                                               const Tensor &weight) {
  return convolve(evaluation, input, weight, evaluation.find(op.getBias()), getParameters(op));
}
FailureOr<Tensor> fxgraph::evaluateConvolution(QConvPointwiseOp op, Evaluation &evaluation, const Tensor &input,
                                               const Tensor &weight) {
  return convolve(evaluation, input, weight, evaluation.find(op.getBias()), getPlainParameters(op));
}

//===----------------------------------------------------------------------===//
// Normalisation
//===----------------------------------------------------------------------===//

namespace {
/// Mean and biased variance of some elements, in two passes.
struct Moments {
  double mean = 0.0, variance = 0.0;
};
} // namespace

static Moments computeMoments(int64_t count, bool narrow, function_ref<double(int64_t)> element) {
  Moments moments;
  Accumulator sum(narrow);
  for (int64_t i = 0; i < count; ++i)
    sum.add(element(i));
  // 0 / 0 is NaN: PyTorch's value for the statistics of nothing.
  moments.mean = sum.get() / static_cast<double>(count);
  Accumulator squares(narrow);
  for (int64_t i = 0; i < count; ++i) {
    double distance = element(i) - moments.mean;
    squares.addProduct(distance, distance);
  }
  moments.variance = squares.get() / static_cast<double>(count);
  return moments;
}

/// One parameter of an affine step, or its neutral value.
static double readParameter(const Tensor *parameter, int64_t i, double neutral) {
  return parameter ? parameter->floats()[i] : neutral;
}

static LogicalResult checkParameter(Evaluation &evaluation, const Tensor *parameter, ArrayRef<int64_t> shape,
                                    StringRef name) {
  if (!parameter || parameter->getShape() == shape)
    return success();
  return evaluation.error("expected " + name + " of shape " + formatShape(shape) + " but got " +
                          formatShape(parameter->getShape()));
}

static FailureOr<Tensor> evaluateBatchNorm(BatchNormOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  const Tensor *mean = evaluation.find(op.getRunningMean()), *variance = evaluation.find(op.getRunningVar());
  const Tensor *weight = evaluation.find(op.getWeight()), *bias = evaluation.find(op.getBias());
  DimSplit split(input.getShape(), 1);
  SmallVector<int64_t> expected{split.extent};
  if (failed(checkParameter(evaluation, mean, expected, "running_mean")) ||
      failed(checkParameter(evaluation, variance, expected, "running_var")) ||
      failed(checkParameter(evaluation, weight, expected, "weight")) ||
      failed(checkParameter(evaluation, bias, expected, "bias")))
    return failure();
  if (!op.getTraining() && (!mean || !variance))
    return evaluation.error("expected running statistics in eval mode but got none");
  double eps = op.getEps().convertToDouble();
  Type type = input.getElementType();
  bool narrow = accumulatesNarrow(evaluation, type);
  int64_t perChannel = split.outer * split.inner;
  if (op.getTraining() && perChannel == 1)
    return evaluation.error("expected more than one value per channel in training but got " +
                            formatShape(input.getShape()));
  Tensor result(type, input.getShape());
  MutableArrayRef<double> out = result.mutableFloats();
  for (int64_t c = 0; c < split.extent; ++c) {
    auto position = [&](int64_t i) { return split.at(i / split.inner, c, i % split.inner); };
    Moments moments;
    if (op.getTraining())
      moments = computeMoments(perChannel, narrow, [&](int64_t i) { return input.floats()[position(i)]; });
    else
      moments = {mean->floats()[c], variance->floats()[c]};
    double scale = readParameter(weight, c, 1.0) / std::sqrt(moments.variance + eps);
    for (int64_t i = 0; i < perChannel; ++i) {
      int64_t at = position(i);
      out[at] = roundToType(type, (input.floats()[at] - moments.mean) * scale + readParameter(bias, c, 0.0));
    }
  }
  return result;
}

/// Normalises over the last dimensions. `mean` and `rstd`, if given, receive one
/// value a row, unrounded.
static FailureOr<Tensor> normalizeTrailing(Evaluation &evaluation, const Tensor &input, ArrayRef<int64_t> normalized,
                                           const Tensor *weight, const Tensor *bias, double eps,
                                           std::vector<double> *mean, std::vector<double> *rstd) {
  if (input.getRank() < static_cast<int64_t>(normalized.size()) ||
      input.getShape().take_back(normalized.size()) != normalized)
    return evaluation.error("expected trailing extents " + formatShape(normalized) + " but got " +
                            formatShape(input.getShape()));
  if (failed(checkParameter(evaluation, weight, normalized, "weight")) ||
      failed(checkParameter(evaluation, bias, normalized, "bias")))
    return failure();
  Type type = input.getElementType();
  int64_t width = countElements(normalized), rows = countElements(input.getShape().drop_back(normalized.size()));
  bool narrow = accumulatesNarrow(evaluation, type);
  Tensor result(type, input.getShape());
  MutableArrayRef<double> out = result.mutableFloats();
  for (int64_t row = 0; row < rows; ++row) {
    ArrayRef<double> numbers = input.floats().slice(row * width, width);
    Moments moments = computeMoments(width, narrow, [&](int64_t i) { return numbers[i]; });
    double inverse = 1.0 / std::sqrt(moments.variance + eps);
    for (int64_t i = 0; i < width; ++i)
      out[row * width + i] = roundToType(type, (numbers[i] - moments.mean) * inverse * readParameter(weight, i, 1.0) +
                                                   readParameter(bias, i, 0.0));
    if (mean)
      mean->push_back(moments.mean);
    if (rstd)
      rstd->push_back(inverse);
  }
  return result;
}

static FailureOr<Tensor> evaluateLayerNorm(LayerNormOp op, Evaluation &evaluation) {
  return normalizeTrailing(evaluation, evaluation.get(op.getInput()), op.getNormalizedShape(),
                           evaluation.find(op.getWeight()), evaluation.find(op.getBias()),
                           op.getEps().convertToDouble(), nullptr, nullptr);
}

static LogicalResult evaluateNativeLayerNorm(NativeLayerNormOp op, Evaluation &evaluation,
                                             SmallVectorImpl<Tensor> &results) {
  const Tensor &input = evaluation.get(op.getInput());
  std::vector<double> mean, rstd;
  FailureOr<Tensor> result =
      normalizeTrailing(evaluation, input, op.getNormalizedShape(), evaluation.find(op.getWeight()),
                        evaluation.find(op.getBias()), op.getEps().convertToDouble(), &mean, &rstd);
  if (failed(result))
    return failure();
  results.push_back(std::move(*result));
  SmallVector<int64_t> shape(input.getShape());
  for (int64_t &extent : MutableArrayRef<int64_t>(shape).take_back(op.getNormalizedShape().size()))
    extent = 1;
  auto push = [&](ArrayRef<double> values, Type type) {
    Tensor tensor(type, shape);
    for (auto [to, from] : llvm::zip(tensor.mutableFloats(), values))
      to = roundToType(type, from);
    results.push_back(std::move(tensor));
  };
  push(mean, op.getMean().getType().getElementType());
  push(rstd, op.getRstd().getType().getElementType());
  return success();
}

/// Difference between 1 and the next larger number of the type.
static double getMachineEpsilon(FloatType type) {
  return std::ldexp(1.0, 1 - static_cast<int>(type.getFPMantissaWidth()));
}

static FailureOr<Tensor> evaluateRmsNorm(RmsNormOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  const Tensor *weight = evaluation.find(op.getWeight());
  ArrayRef<int64_t> normalized = op.getNormalizedShape();
  if (input.getRank() < static_cast<int64_t>(normalized.size()) ||
      input.getShape().take_back(normalized.size()) != normalized)
    return evaluation.error("expected trailing extents " + formatShape(normalized) + " but got " +
                            formatShape(input.getShape()));
  if (failed(checkParameter(evaluation, weight, normalized, "weight")))
    return failure();
  auto type = cast<FloatType>(input.getElementType());
  // PyTorch computes narrow types in f32 and takes that type's epsilon.
  double eps = op.getEps() ? op.getEps()->convertToDouble() : type.isF64() ? getMachineEpsilon(type) : 0x1p-23;
  int64_t width = countElements(normalized), rows = countElements(input.getShape().drop_back(normalized.size()));
  bool narrow = accumulatesNarrow(evaluation, type);
  Tensor result(type, input.getShape());
  MutableArrayRef<double> out = result.mutableFloats();
  for (int64_t row = 0; row < rows; ++row) {
    ArrayRef<double> numbers = input.floats().slice(row * width, width);
    Accumulator squares(narrow);
    for (double number : numbers)
      squares.addProduct(number, number);
    double inverse = 1.0 / std::sqrt(squares.get() / static_cast<double>(width) + eps);
    for (int64_t i = 0; i < width; ++i)
      out[row * width + i] = roundToType(type, numbers[i] * inverse * readParameter(weight, i, 1.0));
  }
  return result;
}

static FailureOr<Tensor> evaluateGroupNorm(GroupNormOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  const Tensor *weight = evaluation.find(op.getWeight()), *bias = evaluation.find(op.getBias());
  int64_t channels = input.getDim(1), groups = op.getNumGroups();
  if (channels % groups != 0)
    return evaluation.error("expected channels divisible by " + Twine(groups) + " groups but got " + Twine(channels));
  if (failed(checkParameter(evaluation, weight, {channels}, "weight")) ||
      failed(checkParameter(evaluation, bias, {channels}, "bias")))
    return failure();
  Type type = input.getElementType();
  double eps = op.getEps().convertToDouble();
  int64_t inner = countElements(input.getShape().drop_front(2)), count = channels / groups * inner;
  bool narrow = accumulatesNarrow(evaluation, type);
  Tensor result(type, input.getShape());
  MutableArrayRef<double> out = result.mutableFloats();
  // The elements of one group of one sample lie together.
  for (int64_t start = 0, group = 0; count != 0 && start < input.getNumElements(); start += count, ++group) {
    ArrayRef<double> numbers = input.floats().slice(start, count);
    Moments moments = computeMoments(count, narrow, [&](int64_t i) { return numbers[i]; });
    double inverse = 1.0 / std::sqrt(moments.variance + eps);
    for (int64_t i = 0; i < count; ++i) {
      int64_t channel = group % groups * (channels / groups) + i / inner;
      out[start + i] = roundToType(type, (numbers[i] - moments.mean) * inverse * readParameter(weight, channel, 1.0) +
                                             readParameter(bias, channel, 0.0));
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// Extents [outer, height, width] of a pooled tensor.
static SmallVector<int64_t> getPlanes(ArrayRef<int64_t> shape) {
  return {countElements(shape.drop_back(2)), shape[shape.size() - 2], shape.back()};
}

/// Result extents of a pooling window in both dimensions.
static FailureOr<SmallVector<int64_t>> getPooledExtents(Evaluation &evaluation, ArrayRef<int64_t> planes,
                                                        ArrayRef<int64_t> kernel, ArrayRef<int64_t> stride,
                                                        ArrayRef<int64_t> padding, ArrayRef<int64_t> dilation,
                                                        bool ceilMode) {
  SmallVector<int64_t> extents;
  for (int d = 0; d < 2; ++d) {
    int64_t reach = dilation[d] * (kernel[d] - 1) + 1, padded = planes[1 + d] + 2 * padding[d];
    Dim extent = reach > padded + (ceilMode ? stride[d] - 1 : 0)
                     ? Dim(0)
                     : windowOutput(planes[1 + d], kernel[d], stride[d], padding[d], dilation[d], ceilMode);
    if (extent.getExtent() < 1)
      return evaluation.error("expected a window that fits the padded input but got kernel " + formatShape(kernel) +
                              " on extent " + Twine(planes[1 + d]));
    extents.push_back(extent.getExtent());
  }
  return extents;
}

static SmallVector<int64_t> withPlanes(ArrayRef<int64_t> shape, ArrayRef<int64_t> extents) {
  SmallVector<int64_t> result(shape.drop_back(2));
  result.append(extents.begin(), extents.end());
  return result;
}

static FailureOr<Tensor> evaluateMaxPool2d(MaxPool2dOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  ArrayRef<int64_t> kernel = op.getKernelSize(), stride = op.getStride(), padding = op.getPadding(),
                    dilation = op.getDilation();
  SmallVector<int64_t> planes = getPlanes(input.getShape());
  FailureOr<SmallVector<int64_t>> out =
      getPooledExtents(evaluation, planes, kernel, stride, padding, dilation, op.getCeilMode());
  if (failed(out))
    return failure();
  Tensor result(input.getElementType(), withPlanes(input.getShape(), *out));
  int64_t at = 0, lowest = 0;
  if (Type element = input.getElementType(); !input.isFloat() && !element.isUnsignedInteger())
    lowest = APInt::getSignedMinValue(element.getIntOrFloatBitWidth()).getSExtValue();
  forEachIndex({planes[0], (*out)[0], (*out)[1]}, [&](ArrayRef<int64_t> index) {
    // A dilated window may hold none of the input: then the lowest number.
    int64_t best = -1;
    for (int64_t ky = 0; ky < kernel[0]; ++ky)
      for (int64_t kx = 0; kx < kernel[1]; ++kx) {
        int64_t y = index[1] * stride[0] - padding[0] + ky * dilation[0],
                x = index[2] * stride[1] - padding[1] + kx * dilation[1];
        if (y < 0 || y >= planes[1] || x < 0 || x >= planes[2])
          continue;
        int64_t candidate = (index[0] * planes[1] + y) * planes[2] + x;
        bool wins = best < 0;
        if (!wins && input.isFloat())
          wins = input.floats()[candidate] > input.floats()[best] || std::isnan(input.floats()[candidate]);
        else if (!wins)
          wins = input.ints()[candidate] > input.ints()[best];
        if (wins)
          best = candidate;
      }
    if (best >= 0)
      result.setFrom(at, input, best);
    else if (input.isFloat())
      result.setFromDouble(at, -std::numeric_limits<double>::infinity());
    else
      result.mutableInts()[at] = lowest;
    ++at;
  });
  return result;
}

static FailureOr<Tensor> evaluateAvgPool2d(AvgPool2dOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  ArrayRef<int64_t> kernel = op.getKernelSize(), stride = op.getStride(), padding = op.getPadding();
  SmallVector<int64_t> planes = getPlanes(input.getShape()), dilation{1, 1};
  FailureOr<SmallVector<int64_t>> out =
      getPooledExtents(evaluation, planes, kernel, stride, padding, dilation, op.getCeilMode());
  if (failed(out))
    return failure();
  bool narrow = accumulatesNarrow(evaluation, input.getElementType());
  Tensor result(input.getElementType(), withPlanes(input.getShape(), *out));
  int64_t at = 0;
  forEachIndex({planes[0], (*out)[0], (*out)[1]}, [&](ArrayRef<int64_t> index) {
    // The window within the padded input gives the divisor, what is left of it
    // within the input gives the sum.
    int64_t start[2], end[2], size = 1, inside = 1;
    for (int d = 0; d < 2; ++d) {
      int64_t first = index[1 + d] * stride[d] - padding[d],
              last = std::min(first + kernel[d], planes[1 + d] + padding[d]);
      size *= last - first;
      start[d] = std::max<int64_t>(first, 0);
      end[d] = std::min(last, planes[1 + d]);
      inside *= std::max<int64_t>(end[d] - start[d], 0);
    }
    Accumulator sum(narrow);
    int64_t intSum = 0;
    for (int64_t y = start[0]; y < end[0]; ++y)
      for (int64_t x = start[1]; x < end[1]; ++x) {
        int64_t from = (index[0] * planes[1] + y) * planes[2] + x;
        if (input.isFloat())
          sum.add(input.floats()[from]);
        else
          intSum = wrapAdd(intSum, input.ints()[from]);
      }
    int64_t divisor = op.getDivisorOverride()   ? static_cast<int64_t>(*op.getDivisorOverride())
                      : op.getCountIncludePad() ? size
                                                : inside;
    // A window in the padding alone has no elements: PyTorch leaves 0.
    if (inside == 0)
      result.setFromDouble(at, 0.0);
    else if (input.isFloat())
      result.mutableFloats()[at] = roundToType(input.getElementType(), sum.get() / static_cast<double>(divisor));
    else
      result.mutableInts()[at] = wrapToType(input.getElementType(), intSum / divisor);
    ++at;
  });
  return result;
}

static FailureOr<Tensor> evaluateAdaptiveAvgPool2d(AdaptiveAvgPool2dOp op, Evaluation &evaluation) {
  const Tensor &input = evaluation.get(op.getInput());
  ArrayRef<int64_t> out = op.getOutputSize();
  SmallVector<int64_t> planes = getPlanes(input.getShape());
  Type type = input.getElementType();
  if (!input.isFloat())
    return evaluation.error("expected floats but got " + input.describe());
  if (planes[1] == 0 || planes[2] == 0)
    return evaluation.error("expected spatial extents > 0 but got " + formatShape(input.getShape()));
  bool narrow = accumulatesNarrow(evaluation, type);
  Tensor result(type, withPlanes(input.getShape(), out));
  int64_t at = 0;
  forEachIndex({planes[0], out[0], out[1]}, [&](ArrayRef<int64_t> index) {
    // Window i of n covers [floor(i * extent / n), ceil((i + 1) * extent / n)).
    int64_t start[2], end[2];
    for (int d = 0; d < 2; ++d) {
      start[d] = index[1 + d] * planes[1 + d] / out[d];
      end[d] = ((index[1 + d] + 1) * planes[1 + d] + out[d] - 1) / out[d];
    }
    Accumulator sum(narrow);
    for (int64_t y = start[0]; y < end[0]; ++y)
      for (int64_t x = start[1]; x < end[1]; ++x)
        sum.add(input.floats()[(index[0] * planes[1] + y) * planes[2] + x]);
    result.mutableFloats()[at++] =
        roundToType(type, sum.get() / static_cast<double>((end[0] - start[0]) * (end[1] - start[1])));
  });
  return result;
}

void fxgraph::registerConvNormEvaluators(EvaluatorRegistry &registry) {
  registry.add<Conv1dOp>(evaluateConv<Conv1dOp>);
  registry.add<Conv2dOp>(evaluateConv<Conv2dOp>);
  registry.add<Conv3dOp>(evaluateConv<Conv3dOp>);
  registry.add<ConvolutionOp>(evaluatePlainConvolution);
  registry.add<BatchNormOp>(evaluateBatchNorm);
  registry.add<LayerNormOp>(evaluateLayerNorm);
  registry.add<NativeLayerNormOp>(evaluateNativeLayerNorm);
  registry.add<RmsNormOp>(evaluateRmsNorm);
  registry.add<GroupNormOp>(evaluateGroupNorm);
  registry.add<MaxPool2dOp>(evaluateMaxPool2d);
  registry.add<AvgPool2dOp>(evaluateAvgPool2d);
  registry.add<AdaptiveAvgPool2dOp>(evaluateAdaptiveAvgPool2d);
}
