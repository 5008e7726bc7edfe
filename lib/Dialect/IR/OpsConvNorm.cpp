// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolution, normalisation and pooling: types and constraints.
//
// PyTorch: aten/src/ATen/native/{Convolution,Normalization,layer_norm,
// group_norm,Pool,AdaptiveAveragePooling}.

#include "fxgraph/Dialect/IR/FxGraphOps.h"

#include "InferUtils.h"

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// `count` values, each at least `minimum`. The upper bound keeps the arithmetic
/// on extents far from overflow; no tensor is that large.
static LogicalResult checkSizes(std::optional<Location> loc, ArrayRef<int64_t> values, size_t count, int64_t minimum,
                                StringRef what) {
  constexpr int64_t kMaximum = int64_t(1) << 31;
  // conv_c3, pool_c2, adaptive_avg_pool2d_c1
  if (values.size() != count) {
    emitOptional(loc) << "expected " << count << " value(s) of " << what << " but got " << values.size();
    return failure();
  }
  for (int64_t value : values) {
    // conv_c4, pool_c3, adaptive_avg_pool2d_c1
    if (value >= minimum && value < kMaximum)
      continue;
    emitOptional(loc) << "expected " << what << " >= " << minimum << " and < 2^31 but got " << value;
    return failure();
  }
  return success();
}

static LogicalResult checkGroups(std::optional<Location> loc, int64_t groups) {
  // conv_c5, group_norm_c2
  if (groups > 0)
    return success();
  emitOptional(loc) << "expected groups > 0 but got " << groups;
  return failure();
}

static LogicalResult checkDivides(std::optional<Location> loc, int64_t groups, const Dim &dim, StringRef what) {
  if (!dim.isStatic() || dim.getExtent() % groups == 0)
    return success();
  emitOptional(loc) << "expected " << what << " divisible by groups = " << groups << " but got " << dim.str();
  return failure();
}

static LogicalResult expectPositive(std::optional<Location> loc, const Dim &dim, StringRef what) {
  if (!dim.isStatic() || dim.getExtent() > 0)
    return success();
  emitOptional(loc) << "expected " << what << " > 0 but got 0";
  return failure();
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// Result extent of a transposed convolution along one dimension.
static FailureOr<Dim> transposedExtent(std::optional<Location> loc, const Dim &in, const Dim &kernel,
                                       const ConvParameters &conv, size_t i) {
  if (!in.isStatic() || !kernel.isStatic())
    return Dim::unknown();
  int64_t grown, window;
  if (llvm::MulOverflow(in.getExtent() - 1, conv.stride[i], grown) ||
      llvm::MulOverflow(kernel.getExtent() - 1, conv.dilation[i], window) || llvm::AddOverflow(grown, window, grown) ||
      llvm::AddOverflow(grown, conv.outputPadding[i] + 1 - 2 * conv.padding[i], grown)) {
    emitOptional(loc) << "expected a result extent that fits 64 bits but it overflows";
    return failure();
  }
  // convolution_c4
  if (grown < 1) {
    emitOptional(loc) << "expected a result extent >= 1 but got " << grown << " in spatial dimension " << i;
    return failure();
  }
  return Dim(grown);
}

/// Result extent of a window of size `kernel`; the window must fit the padded input.
static FailureOr<Dim> windowExtent(std::optional<Location> loc, const Dim &in, const Dim &kernel, int64_t stride,
                                   int64_t padding, int64_t dilation, bool ceilMode, size_t i) {
  if (!in.isStatic() || !kernel.isStatic())
    return Dim::unknown();
  int64_t reach, padded;
  if (llvm::MulOverflow(kernel.getExtent() - 1, dilation, reach) || llvm::AddOverflow(reach, int64_t(1), reach) ||
      llvm::AddOverflow(in.getExtent(), 2 * padding + stride, padded)) {
    emitOptional(loc) << "expected a window extent that fits 64 bits but it overflows";
    return failure();
  }
  padded = in.getExtent() + 2 * padding;
  // conv_c10, pool_c6
  // Rounding up, a window may stand out by less than one stride.
  if (reach > padded + (ceilMode ? stride - 1 : 0)) {
    emitOptional(loc) << "expected a window that fits the padded input extent " << padded << " but got " << reach
                      << " in spatial dimension " << i;
    return failure();
  }
  return windowOutput(in, kernel.getExtent(), stride, padding, dilation, ceilMode);
}

FailureOr<Dims> fxgraph::inferConvDims(std::optional<Location> loc, RankedTensorType inputType,
                                       RankedTensorType weightType, Value bias, const ConvParameters &conv,
                                       int64_t spatial) {
  // conv_c1
  if (failed(expectRank(loc, weightType, spatial + 2, "weight")))
    return failure();
  // conv_c2
  if (inputType.getRank() != spatial + 2 && inputType.getRank() != spatial + 1) {
    emitOptional(loc) << "expected input of rank " << spatial + 1 << " or " << spatial + 2 << " but got rank "
                      << inputType.getRank();
    return failure();
  }
  size_t count = spatial;
  if (failed(checkSizes(loc, conv.stride, count, 1, "stride")) ||
      failed(checkSizes(loc, conv.padding, count, 0, "padding")) ||
      failed(checkSizes(loc, conv.dilation, count, 1, "dilation")) ||
      (conv.outputPadding.data() && failed(checkSizes(loc, conv.outputPadding, count, 0, "output_padding"))) ||
      failed(checkGroups(loc, conv.groups)))
    return failure();

  Dims in = getDims(inputType), kernel = getDims(weightType);
  bool batched = inputType.getRank() == spatial + 2;
  const Dim &channels = in[batched ? 1 : 0];
  Dims result;
  if (batched)
    result.push_back(in[0]);
  // conv_c6
  if (failed(expectPositive(loc, kernel[0], "first extent of weight")) ||
      failed(checkDivides(loc, conv.groups, kernel[0], "first extent of weight")))
    return failure();
  Dim outputs = kernel[0];
  if (conv.transposed) {
    // convolution_c2
    if (failed(expectSameDim(loc, kernel[0], channels, "channels of input")))
      return failure();
    outputs = conv.groups == 1 ? kernel[1] : Dim::unknown();
    if (kernel[1].isStatic()) {
      int64_t product;
      if (llvm::MulOverflow(kernel[1].getExtent(), conv.groups, product)) {
        emitOptional(loc) << "expected a result extent that fits 64 bits but it overflows";
        return failure();
      }
      outputs = product;
    }
  } else if (channels.isStatic()) {
    // conv_c7
    if (failed(checkDivides(loc, conv.groups, channels, "channels of input")) ||
        failed(expectSameDim(loc, Dim(channels.getExtent() / conv.groups), kernel[1], "second extent of weight")))
      return failure();
  } else if (conv.groups == 1) {
    if (failed(expectSameDim(loc, channels, kernel[1], "second extent of weight")))
      return failure();
  }
  result.push_back(outputs);
  // conv_c8
  if (bias && failed(expectShape(loc, outputs, getDims(tensorTypeOf(bias)), "bias")))
    return failure();

  for (int64_t i = 0; i < spatial; ++i) {
    const Dim &extent = in[(batched ? 2 : 1) + i];
    const Dim &window = kernel[2 + i];
    // conv_c9
    if (failed(expectPositive(loc, window, "kernel extent")) || failed(expectPositive(loc, extent, "input extent")))
      return failure();
    // convolution_c3
    if (conv.transposed && conv.outputPadding[i] >= conv.stride[i] && conv.outputPadding[i] >= conv.dilation[i]) {
      emitOptional(loc) << "expected output_padding less than stride or dilation but got " << conv.outputPadding[i];
      return failure();
    }
    FailureOr<Dim> out = conv.transposed
                             ? transposedExtent(loc, extent, window, conv, i)
                             : windowExtent(loc, extent, window, conv.stride[i], conv.padding[i], conv.dilation[i],
                                            /*ceilMode=*/false, i);
    if (failed(out))
      return failure();
    result.push_back(*out);
  }
  return result;
}

static LogicalResult inferConv(std::optional<Location> loc, Value input, Value weight, Value bias,
                               const ConvParameters &conv, int64_t spatial, SmallVectorImpl<Type> &inferred) {
  FailureOr<StringAttr> device = expectUniform(loc, {input, weight, bias});
  if (failed(device))
    return failure();
  FailureOr<Dims> dims = inferConvDims(loc, tensorTypeOf(input), tensorTypeOf(weight), bias, conv, spatial);
  if (failed(dims))
    return failure();
  inferred.push_back(makeTensorType(*dims, tensorTypeOf(input).getElementType(), *device));
  return success();
}

template <typename Adaptor>
static LogicalResult inferPlainConv(std::optional<Location> loc, Adaptor adaptor, int64_t spatial,
                                    SmallVectorImpl<Type> &inferred) {
  ConvParameters conv;
  conv.stride = adaptor.getStride();
  conv.padding = adaptor.getPadding();
  conv.dilation = adaptor.getDilation();
  conv.groups = adaptor.getGroups();
  return inferConv(loc, adaptor.getInput(), adaptor.getWeight(), adaptor.getBias(), conv, spatial, inferred);
}

LogicalResult Conv1dOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Conv1dOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  return inferPlainConv(loc, adaptor, 1, inferred);
}
LogicalResult Conv2dOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Conv2dOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  return inferPlainConv(loc, adaptor, 2, inferred);
}
LogicalResult Conv3dOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Conv3dOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  return inferPlainConv(loc, adaptor, 3, inferred);
}

LogicalResult ConvolutionOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                              ConvolutionOp::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  // convolution_c1
  if (failed(expectRankAtLeast(loc, tensorTypeOf(adaptor.getWeight()), 3, "weight")))
    return failure();
  ConvParameters conv;
  conv.stride = adaptor.getStride();
  conv.padding = adaptor.getPadding();
  conv.dilation = adaptor.getDilation();
  conv.outputPadding = adaptor.getOutputPadding();
  conv.groups = adaptor.getGroups();
  conv.transposed = adaptor.getTransposed();
  int64_t spatial = tensorTypeOf(adaptor.getWeight()).getRank() - 2;
  if (failed(checkSizes(loc, conv.outputPadding, spatial, 0, "output_padding")))
    return failure();
  return inferConv(loc, adaptor.getInput(), adaptor.getWeight(), adaptor.getBias(), conv, spatial, inferred);
}

//===----------------------------------------------------------------------===//
// Normalisation
//===----------------------------------------------------------------------===//

/// Parameters have the input's element type, or all f32 beside f16 and bf16
/// (PyTorch's mixed mode). Returns the parameters' type, the input's without any.
static FailureOr<Type> checkParameterTypes(std::optional<Location> loc, Type input, ValueRange parameters) {
  Type found;
  for (Value parameter : parameters) {
    if (!parameter)
      continue;
    Type own = tensorTypeOf(parameter).getElementType();
    bool mixed = own.isF32() && (input.isF16() || input.isBF16());
    // norm_c1
    if (own != input && !mixed) {
      emitOptional(loc) << "expected parameters of element type " << input << " but got " << own;
      return failure();
    }
    // norm_c1
    if (found && found != own) {
      emitOptional(loc) << "expected parameters of one element type but got " << found << " and " << own;
      return failure();
    }
    found = own;
  }
  return found ? found : input;
}

LogicalResult BatchNormOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, BatchNormOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  // batch_norm_c1
  if (failed(commonDevice(loc, adaptor.getOperands())) || failed(expectRankAtLeast(loc, input, 2, "input")))
    return failure();
  // batch_norm_c2
  if (!isa<FloatType>(input.getElementType())) {
    emitOptional(loc) << "expected input of a floating-point type but got " << input.getElementType();
    return failure();
  }
  std::pair<Value, StringRef> parameters[] = {{adaptor.getRunningMean(), "running_mean"},
                                              {adaptor.getRunningVar(), "running_var"},
                                              {adaptor.getWeight(), "weight"},
                                              {adaptor.getBias(), "bias"}};
  SmallVector<Value> values;
  Dims dims = getDims(input);
  for (auto [value, name] : parameters) {
    values.push_back(value);
    if (!value)
      continue;
    // batch_norm_c3
    if (failed(expectShape(loc, dims[1], getDims(tensorTypeOf(value)), name)))
      return failure();
    // The parameters may know the number of channels better than the input.
    dims[1] = refineDim(dims[1], getDims(tensorTypeOf(value))[0]);
  }
  if (failed(checkParameterTypes(loc, input.getElementType(), values)))
    return failure();
  inferred.push_back(withDims(input, dims));
  return success();
}

LogicalResult BatchNormOp::verify() {
  bool mean = static_cast<bool>(getRunningMean()), var = static_cast<bool>(getRunningVar());
  // batch_norm_c4
  if (mean != var)
    return emitOpError("expected both running statistics or neither but got only the ") << (mean ? "mean" : "variance");
  // batch_norm_c5
  if (!mean && !getTraining())
    return emitOpError("expected running statistics in eval mode but got none");
  return success();
}

/// Checks a normalisation over the trailing dimensions; returns the input's
/// extents, refined by what `normalized_shape` says.
static FailureOr<Dims> inferTrailingNorm(std::optional<Location> loc, RankedTensorType input,
                                         ArrayRef<int64_t> normalized, Value weight, Value bias) {
  // trailing_norm_c1
  if (normalized.empty()) {
    emitOptional(loc) << "expected a normalized_shape of at least one dimension but got none";
    return failure();
  }
  for (int64_t extent : normalized)
    if (extent < 0) {
      emitOptional(loc) << "expected extents >= 0 in normalized_shape but got " << extent;
      return failure();
    }
  Dims dims = getDims(input);
  size_t count = normalized.size();
  // trailing_norm_c2
  if (dims.size() < count) {
    emitOptional(loc) << "expected input of rank >= " << count << " but got rank " << dims.size();
    return failure();
  }
  Dims shape(normalized.begin(), normalized.end());
  MutableArrayRef<Dim> trailing = MutableArrayRef<Dim>(dims).take_back(count);
  // trailing_norm_c2
  if (failed(expectShape(loc, shape, trailing, "trailing dimensions of input")))
    return failure();
  for (auto [extent, dim] : llvm::zip_equal(shape, trailing))
    dim = extent;
  // trailing_norm_c3
  if (weight && failed(expectShape(loc, shape, getDims(tensorTypeOf(weight)), "weight")))
    return failure();
  if (bias && failed(expectShape(loc, shape, getDims(tensorTypeOf(bias)), "bias")))
    return failure();
  return dims;
}

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, LayerNormOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  if (failed(commonDevice(loc, adaptor.getOperands())) ||
      failed(checkParameterTypes(loc, input.getElementType(), {adaptor.getWeight(), adaptor.getBias()})))
    return failure();
  FailureOr<Dims> dims =
      inferTrailingNorm(loc, input, adaptor.getNormalizedShape(), adaptor.getWeight(), adaptor.getBias());
  if (failed(dims))
    return failure();
  inferred.push_back(withDims(input, *dims));
  return success();
}

LogicalResult NativeLayerNormOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                  NativeLayerNormOp::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  FailureOr<Type> parameters =
      checkParameterTypes(loc, input.getElementType(), {adaptor.getWeight(), adaptor.getBias()});
  if (failed(parameters) || failed(commonDevice(loc, adaptor.getOperands())))
    return failure();
  FailureOr<Dims> dims =
      inferTrailingNorm(loc, input, adaptor.getNormalizedShape(), adaptor.getWeight(), adaptor.getBias());
  if (failed(dims))
    return failure();
  inferred.push_back(withDims(input, *dims));
  for (Dim &dim : MutableArrayRef<Dim>(*dims).take_back(adaptor.getNormalizedShape().size()))
    dim = Dim(1);
  RankedTensorType statistics = makeTensorType(*dims, *parameters, getDevice(input));
  inferred.append(2, statistics);
  return success();
}

LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, RmsNormOp::Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  if (failed(commonDevice(loc, adaptor.getOperands())) ||
      failed(checkParameterTypes(loc, input.getElementType(),
                                 adaptor.getWeight() ? ValueRange(adaptor.getWeight()) : ValueRange())))
    return failure();
  FailureOr<Dims> dims = inferTrailingNorm(loc, input, adaptor.getNormalizedShape(), adaptor.getWeight(), Value());
  if (failed(dims))
    return failure();
  inferred.push_back(withDims(input, *dims));
  return success();
}

LogicalResult GroupNormOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, GroupNormOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  int64_t groups = adaptor.getNumGroups();
  // group_norm_c1
  if (failed(commonDevice(loc, adaptor.getOperands())) ||
      failed(checkParameterTypes(loc, input.getElementType(), {adaptor.getWeight(), adaptor.getBias()})) ||
      failed(expectRankAtLeast(loc, input, 2, "input")) || failed(checkGroups(loc, groups)))
    return failure();
  Dims dims = getDims(input);
  if (failed(checkDivides(loc, groups, dims[1], "channels of input")))
    return failure();
  // group_norm_c3
  if (adaptor.getWeight() && failed(expectShape(loc, dims[1], getDims(tensorTypeOf(adaptor.getWeight())), "weight")))
    return failure();
  if (adaptor.getBias() && failed(expectShape(loc, dims[1], getDims(tensorTypeOf(adaptor.getBias())), "bias")))
    return failure();
  inferred.push_back(input);
  return success();
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// Input [n?, c, h, w] of a pooling op.
static LogicalResult checkPoolInput(std::optional<Location> loc, RankedTensorType input) {
  // pool_c1
  if (input.getRank() == 3 || input.getRank() == 4)
    return success();
  emitOptional(loc) << "expected input of rank 3 or 4 but got rank " << input.getRank();
  return failure();
}

/// `effective` limits the padding by the dilated window (not by its number of taps).
static LogicalResult inferPool(std::optional<Location> loc, RankedTensorType input, ArrayRef<int64_t> kernel,
                               ArrayRef<int64_t> stride, ArrayRef<int64_t> padding, ArrayRef<int64_t> dilation,
                               bool ceilMode, SmallVectorImpl<Type> &inferred) {
  if (failed(checkPoolInput(loc, input)) || failed(checkSizes(loc, kernel, 2, 1, "kernel_size")) ||
      failed(checkSizes(loc, stride, 2, 1, "stride")) || failed(checkSizes(loc, padding, 2, 0, "padding")) ||
      failed(checkSizes(loc, dilation, 2, 1, "dilation")))
    return failure();
  Dims dims = getDims(input);
  for (const Dim &dim : ArrayRef<Dim>(dims).take_back(3))
    // pool_c4
    if (failed(expectPositive(loc, dim, "input extent")))
      return failure();
  for (size_t i = 0; i < 2; ++i) {
    // pool_c5
    if (padding[i] > kernel[i] / 2) {
      emitOptional(loc) << "expected padding of at most half of kernel_size " << kernel[i] << " but got " << padding[i];
      return failure();
    }
    Dim &dim = dims[dims.size() - 2 + i];
    FailureOr<Dim> out = windowExtent(loc, dim, kernel[i], stride[i], padding[i], dilation[i], ceilMode, i);
    if (failed(out))
      return failure();
    dim = *out;
  }
  inferred.push_back(withDims(input, dims));
  return success();
}

LogicalResult MaxPool2dOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, MaxPool2dOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  return inferPool(loc, tensorTypeOf(adaptor.getInput()), adaptor.getKernelSize(), adaptor.getStride(),
                   adaptor.getPadding(), adaptor.getDilation(), adaptor.getCeilMode(), inferred);
}

LogicalResult AvgPool2dOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, AvgPool2dOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  // avg_pool2d_c1
  if (adaptor.getDivisorOverride() == 0) {
    emitOptional(loc) << "expected a divisor other than 0 but got 0";
    return failure();
  }
  return inferPool(loc, tensorTypeOf(adaptor.getInput()), adaptor.getKernelSize(), adaptor.getStride(),
                   adaptor.getPadding(), {1, 1}, adaptor.getCeilMode(), inferred);
}

LogicalResult AdaptiveAvgPool2dOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                    AdaptiveAvgPool2dOp::Adaptor adaptor,
                                                    SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  if (failed(checkPoolInput(loc, input)) || failed(checkSizes(loc, adaptor.getOutputSize(), 2, 0, "output_size")))
    return failure();
  Dims dims = getDims(input);
  // adaptive_avg_pool2d_c2
  // One window over everything is a mean, which may be over nothing.
  if (adaptor.getOutputSize()[0] != 1 || adaptor.getOutputSize()[1] != 1)
    for (const Dim &dim : ArrayRef<Dim>(dims).drop_front())
      if (failed(expectPositive(loc, dim, "input extent")))
        return failure();
  dims[dims.size() - 2] = adaptor.getOutputSize()[0];
  dims[dims.size() - 1] = adaptor.getOutputSize()[1];
  inferred.push_back(withDims(input, dims));
  return success();
}

/// The elements of a filter.
static double countFilter(Value weight, llvm::function_ref<double(Value, int64_t)> extent) {
  double elements = 1;
  for (int64_t dim : llvm::seq<int64_t>(1, tensorTypeOf(weight).getRank()))
    elements *= extent(weight, dim);
  return elements;
}

using Extent = llvm::function_ref<double(Value, int64_t)>;
double Conv1dOp::countProducts(Extent extent) { return countFilter(getWeight(), extent); }
double Conv2dOp::countProducts(Extent extent) { return countFilter(getWeight(), extent); }
double Conv3dOp::countProducts(Extent extent) { return countFilter(getWeight(), extent); }
double ConvolutionOp::countProducts(Extent extent) { return countFilter(getWeight(), extent); }

//===----------------------------------------------------------------------===//
// Forms in kernels, and rows
//===----------------------------------------------------------------------===//

/// The last dimensions, as many as this shape has.
static SmallVector<int64_t> getTrailingDims(RankedTensorType input, ArrayRef<int64_t> shape) {
  int64_t rank = input.getRank();
  return llvm::to_vector(llvm::seq<int64_t>(rank - static_cast<int64_t>(shape.size()), rank));
}

#define FXGRAPH_TRAILING_ROWS(OP)                                                                                      \
  SmallVector<int64_t> OP::getRowDims() { return getTrailingDims(getInput().getType(), getNormalizedShape()); }        \
  bool OP::keepsRow() { return true; }

FXGRAPH_TRAILING_ROWS(LayerNormOp)
FXGRAPH_TRAILING_ROWS(NativeLayerNormOp)
FXGRAPH_TRAILING_ROWS(RmsNormOp)
#undef FXGRAPH_TRAILING_ROWS

/// In training, a channel.
SmallVector<int64_t> BatchNormOp::getRowDims() {
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, getInput().getType().getRank()));
  dims.erase(dims.begin() + 1);
  return dims;
}
bool BatchNormOp::keepsRow() { return true; }
KernelForm BatchNormOp::getKernelForm() { return getTraining() ? KernelForm::Reduction : KernelForm::Pointwise; }

/// Means of integers are quotients of integers, which reductions do not have.
static KernelForm getMeanForm(RankedTensorType result) {
  return isa<FloatType>(result.getElementType()) ? KernelForm::Reduction : KernelForm::None;
}
KernelForm AvgPool2dOp::getKernelForm() { return getMeanForm(getResult().getType()); }
KernelForm AdaptiveAvgPool2dOp::getKernelForm() { return getMeanForm(getResult().getType()); }

void FxGraphDialect::registerConvNormOps() {
  addOperations<
#define GET_OP_LIST
#include "fxgraph/Dialect/IR/OpsConvNorm.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsConvNorm.cpp.inc"
