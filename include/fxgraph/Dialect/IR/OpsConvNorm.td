// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolution, pooling, normalisation.

#ifndef FXGRAPH_OPS_CONVNORM_TD
#define FXGRAPH_OPS_CONVNORM_TD

include "fxgraph/Dialect/IR/FxGraphBase.td"

/// input [n?, c, spatial…], weight [o, c/groups, kernel…], bias [o]. The batch
/// dimension may be missing. One stride, padding and dilation a spatial dimension.
class FxGraph_ConvOp<string mnemonic, string rank>
    : FxGraph_InferredOp<mnemonic, [Pure, FxGraph_CountsProducts, FxGraph_OwnLoop, DeclareOpInterfaceMethods<ConvolutionOpInterface>]> {
  let classConstraints = [
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "conv_c1: the weight has the rank of the spatial dimensions and 2",
    "conv_c2: the input has that rank, or one less (without batch)",
    "conv_c3: one stride, padding and dilation a spatial dimension",
    "conv_c4: stride > 0, padding >= 0, dilation > 0, all < 2^31",
    "conv_c5: groups > 0",
    "conv_c6: groups divides the first extent of the weight, which is > 0",
    "conv_c7: the channels of the input are groups times the second extent of the weight",
    "conv_c8: the bias is [o]",
    "conv_c9: kernel and input extents are > 0",
    "conv_c10: the dilated kernel fits the padded input"];
  let summary = "convolution over " # rank # " spatial dimension(s)";
  let description = [{
    input [n, c, spatial…] (the batch dimension may be missing), weight
    [o, c / groups, kernel…], bias [o]; symmetric zero padding.
  }];
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_Tensor:$weight, Optional<FxGraph_Tensor>:$bias,
    DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilation, DefaultValuedAttr<I64Attr, "1">:$groups);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`,` $bias^)? `stride` $stride `padding` $padding `dilation` $dilation (`groups` $groups^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let torchOverloads = ["aten." # mnemonic # ".default(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)",
    "aten." # mnemonic # ".padding(input, weight, bias=None, stride=1, padding='valid', dilation=1, groups=1)",
    "torch." # mnemonic # "(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)",
    "torch.nn.functional." # mnemonic # "(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)"];
  let promotion = PromoteContraction;
}
def FxGraph_Conv1dOp : FxGraph_ConvOp<"conv1d", "one">;
def FxGraph_Conv2dOp : FxGraph_ConvOp<"conv2d", "two">;
def FxGraph_Conv3dOp : FxGraph_ConvOp<"conv3d", "three">;

def FxGraph_ConvolutionOp : FxGraph_InferredOp<"convolution", [Pure, FxGraph_OwnLoop, FxGraph_CountsProducts, DeclareOpInterfaceMethods<ConvolutionOpInterface>]> {
  let constraints = [
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "convolution_c1: the weight has rank >= 3",
    "conv_c2: the input has the rank of the weight, or one less (without batch)",
    "conv_c3: one stride, padding, dilation and output_padding a spatial dimension",
    "conv_c4: stride > 0, padding >= 0, dilation > 0, output_padding >= 0, all < 2^31",
    "conv_c5: groups > 0",
    "conv_c6: groups divides the first extent of the weight, which is > 0",
    "conv_c7: not transposed: the channels of the input are groups times the second extent of the weight",
    "convolution_c2: transposed: the channels of the input are the first extent of the weight",
    "conv_c8: the bias is [o]",
    "conv_c9: kernel and input extents are > 0",
    "conv_c10: not transposed: the dilated kernel fits the padded input",
    "convolution_c3: transposed: output_padding is less than stride or dilation",
    "convolution_c4: transposed: the extents of the result are > 0"];
  let summary = "general convolution, also transposed (ATen's convolution)";
  let description = [{
    Not transposed: as `conv2d` for any number of spatial dimensions.
    Transposed: weight [c, o / groups, kernel…]; result extent
    (in - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1.
  }];
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_Tensor:$weight, Optional<FxGraph_Tensor>:$bias,
    DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilation,
    DefaultValuedAttr<BoolAttr, "false">:$transposed, DenseI64ArrayAttr:$output_padding, DefaultValuedAttr<I64Attr, "1">:$groups);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`,` $bias^)? `stride` $stride `padding` $padding `dilation` $dilation
    (`transposed` $transposed^)? `output_padding` $output_padding (`groups` $groups^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let torchOverloads = ["aten.convolution.default(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)",
    "aten.conv_transpose1d.default(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
    "aten.conv_transpose2d.input(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
    "aten.conv_transpose3d.input(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
    "torch.conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
    "torch.conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
    "torch.conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
    "torch.nn.functional.conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
    "torch.nn.functional.conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
    "torch.nn.functional.conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)"];
  let promotion = PromoteContraction;
}

def FxGraph_BatchNormOp : FxGraph_InferredOp<"batch_norm", [DeclareOpInterfaceMethods<KernelFormOpInterface>, DeclareOpInterfaceMethods<KernelLoopOpInterface, ["getLoopTerms", "buildFormula"]>, DeclareOpInterfaceMethods<RowOpInterface>, AttrSizedOperandSegments,
    Pure]> {
  let constraints = [
    "uniform_c2: the operands are on one device",
    "batch_norm_c1: the input has rank >= 2",
    "batch_norm_c2: the input is floating-point",
    "batch_norm_c3: statistics, weight and bias are [c]",
    "norm_c1: statistics, weight and bias have the element type of the input, or all are f32 beside f16 and bf16",
    "batch_norm_c4: both running statistics or neither",
    "batch_norm_c5: running statistics in eval mode"];
  let summary = "normalises each channel (dimension 1)";
  let description = [{
    weight * (input - mean) / sqrt(var + eps) + bias, with the running statistics
    in eval mode. With `training` the statistics are the batch's (biased
    variance); the update of the running statistics is a separate `copy_`.
    All of mean, variance, weight, bias are [c]; the statistics may be absent in
    training, weight and bias always.
  }];
  let arguments = (ins FxGraph_Tensor:$input, Optional<FxGraph_Tensor>:$running_mean, Optional<FxGraph_Tensor>:$running_var,
    Optional<FxGraph_Tensor>:$weight, Optional<FxGraph_Tensor>:$bias,
    DefaultValuedAttr<BoolAttr, "false">:$training, DefaultValuedAttr<F64Attr, "0.1">:$momentum, DefaultValuedAttr<F64Attr, "1e-05">:$eps);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = [{
    $input (`mean` $running_mean^)? (`var` $running_var^)? (`weight` $weight^)? (`bias` $bias^)? `eps` $eps
    (`training` $training^)? (`momentum` $momentum^)? attr-dict `:` functional-type(operands, results)
  }];
  let torchOverloads = [
    "aten.batch_norm.default(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled: _cudnn = False)",
    "torch.nn.functional.batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05)",
    "torch.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled: _cudnn = False)"];
  let hasVerifier = 1;
}

def FxGraph_LayerNormOp : FxGraph_InferredOp<"layer_norm", [FxGraph_RowLoop, DeclareOpInterfaceMethods<RowOpInterface>, AttrSizedOperandSegments, Pure]> {
  let extraClassDeclaration = FxGraph_Formula.text;
  let constraints = [
    "uniform_c2: the operands are on one device",
    "norm_c1: weight and bias have the element type of the input, or all are f32 beside f16 and bf16",
    "trailing_norm_c1: normalized_shape is not empty and >= 0",
    "trailing_norm_c2: normalized_shape is the trailing extents of the input",
    "trailing_norm_c3: weight and bias have that shape"];
  let summary = "normalises over the last dimensions";
  let description = "weight * (input - mean) / sqrt(var + eps) + bias over the dimensions `normalized_shape`; biased variance.";
  let arguments = (ins FxGraph_FloatTensor:$input, Optional<FxGraph_Tensor>:$weight, Optional<FxGraph_Tensor>:$bias,
    DenseI64ArrayAttr:$normalized_shape, DefaultValuedAttr<F64Attr, "1e-05">:$eps);
  let results = (outs FxGraph_FloatTensor:$result);
  let assemblyFormat = [{
    $input (`weight` $weight^)? (`bias` $bias^)? `over` $normalized_shape `eps` $eps attr-dict `:` functional-type(operands, results)
  }];
  let torchOverloads = ["aten.layer_norm.default(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable: _cudnn = False)",
    "torch.nn.functional.layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05)",
    "torch.layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable: _cudnn = False)"];
}
def FxGraph_NativeLayerNormOp : FxGraph_InferredOp<"native_layer_norm", [FxGraph_RowLoop, DeclareOpInterfaceMethods<RowOpInterface>, AttrSizedOperandSegments, Pure]> {
  let extraClassDeclaration = FxGraph_Formula.text;
  let constraints = [
    "uniform_c2: the operands are on one device",
    "norm_c1: weight and bias have the element type of the input, or all are f32 beside f16 and bf16",
    "trailing_norm_c1: normalized_shape is not empty and >= 0",
    "trailing_norm_c2: normalized_shape is the trailing extents of the input",
    "trailing_norm_c3: weight and bias have that shape"];
  let summary = "layer_norm that also returns mean and 1/sqrt(var + eps)";
  let arguments = (ins FxGraph_FloatTensor:$input, Optional<FxGraph_Tensor>:$weight, Optional<FxGraph_Tensor>:$bias,
    DenseI64ArrayAttr:$normalized_shape, DefaultValuedAttr<F64Attr, "1e-05">:$eps);
  let results = (outs FxGraph_FloatTensor:$result, FxGraph_FloatTensor:$mean, FxGraph_FloatTensor:$rstd);
  let assemblyFormat = [{
    $input (`weight` $weight^)? (`bias` $bias^)? `over` $normalized_shape `eps` $eps attr-dict `:` functional-type(operands, results)
  }];
  let torchOverloads = ["aten.native_layer_norm.default(input, normalized_shape, weight, bias, eps)", "torch.native_layer_norm(input, normalized_shape, weight, bias, eps)"];
}
def FxGraph_RmsNormOp : FxGraph_InferredOp<"rms_norm", [Pure, FxGraph_RowLoop, DeclareOpInterfaceMethods<RowOpInterface>]> {
  let extraClassDeclaration = FxGraph_Formula.text;
  let constraints = [
    "uniform_c2: the operands are on one device",
    "norm_c1: the weight has the element type of the input, or f32 beside f16 and bf16",
    "trailing_norm_c1: normalized_shape is not empty and >= 0",
    "trailing_norm_c2: normalized_shape is the trailing extents of the input",
    "trailing_norm_c3: the weight has that shape"];
  let summary = "input / sqrt(mean(input^2) + eps) * weight over the last dimensions";
  let description = "`eps` absent: the machine epsilon of the dtype.";
  let arguments = (ins FxGraph_FloatTensor:$input, Optional<FxGraph_Tensor>:$weight, DenseI64ArrayAttr:$normalized_shape, OptionalAttr<F64Attr>:$eps);
  let results = (outs FxGraph_FloatTensor:$result);
  let assemblyFormat = "$input (`weight` $weight^)? `over` $normalized_shape (`eps` $eps^)? attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.rms_norm.default(input, normalized_shape, weight=None, eps=None)", "torch.nn.functional.rms_norm(input, normalized_shape, weight=None, eps=None)",
    "torch.rms_norm(input, normalized_shape, weight=None, eps=None)"];
}
def FxGraph_GroupNormOp : FxGraph_InferredOp<"group_norm", [FxGraph_OwnLoop, AttrSizedOperandSegments, Pure]> {
  let constraints = [
    "uniform_c2: the operands are on one device",
    "norm_c1: weight and bias have the element type of the input, or all are f32 beside f16 and bf16",
    "group_norm_c1: the input has rank >= 2",
    "group_norm_c2: num_groups > 0 and divides the channels",
    "group_norm_c3: weight and bias are [c]"];
  let summary = "normalises groups of channels";
  let arguments = (ins FxGraph_FloatTensor:$input, Optional<FxGraph_Tensor>:$weight, Optional<FxGraph_Tensor>:$bias,
    I64Attr:$num_groups, DefaultValuedAttr<F64Attr, "1e-05">:$eps);
  let results = (outs FxGraph_FloatTensor:$result);
  let assemblyFormat = [{
    $input (`weight` $weight^)? (`bias` $bias^)? `groups` $num_groups `eps` $eps attr-dict `:` functional-type(operands, results)
  }];
  let torchOverloads = ["aten.group_norm.default(input, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled: _cudnn = False)",
    "torch.nn.functional.group_norm(input, num_groups, weight=None, bias=None, eps=1e-05)"];
}

class FxGraph_Pool2dOp<string mnemonic, dag extra, string extraFormat, Trait form>
    : FxGraph_InferredOp<mnemonic, [Pure, form, FxGraph_LoopMethods]> {
  let classConstraints = [
    "pool_c1: the input has rank 3 or 4",
    "pool_c2: two of each of kernel_size, stride, padding and dilation",
    "pool_c3: kernel_size, stride and dilation > 0, padding >= 0, all < 2^31",
    "pool_c4: channels, height and width are > 0",
    "pool_c5: padding is at most half of kernel_size",
    "pool_c6: the window fits the padded input"];
  let arguments = !con((ins FxGraph_Tensor:$input, DenseI64ArrayAttr:$kernel_size, DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding), extra);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `kernel` $kernel_size `stride` $stride `padding` $padding" # extraFormat # "attr-dict `:` functional-type(operands, results)";
}
def FxGraph_MaxPool2dOp : FxGraph_Pool2dOp<"max_pool2d", (ins DenseI64ArrayAttr:$dilation, DefaultValuedAttr<BoolAttr, "false">:$ceil_mode),
    " `dilation` $dilation (`ceil` $ceil_mode^)? ", FxGraph_KernelForm<"Reduction">> {
  let extraClassDeclaration = FxGraph_Combines<"Max">.text;
  let summary = "maximum of each window; NaN goes through, padding never wins";
  let torchOverloads = ["aten.max_pool2d.default(input, kernel_size, stride=[], padding=0, dilation=1, ceil_mode=False)",
    "torch.max_pool2d(input, kernel_size, stride=[], padding=0, dilation=1, ceil_mode=False)",
    "torch.nn.functional.max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices: _ri = False)"];
}
def FxGraph_AvgPool2dOp : FxGraph_Pool2dOp<"avg_pool2d", (ins DefaultValuedAttr<BoolAttr, "false">:$ceil_mode,
      DefaultValuedAttr<BoolAttr, "true">:$count_include_pad, OptionalAttr<I64Attr>:$divisor_override),
    " (`ceil` $ceil_mode^)? (`count_include_pad` $count_include_pad^)? (`divisor` $divisor_override^)? ",
    DeclareOpInterfaceMethods<KernelFormOpInterface>> {
  let extraClassDeclaration = FxGraph_Formula.text;
  let constraints = [
    "avg_pool2d_c1: divisor_override is not 0"];
  let summary = "mean of each window";
  let torchOverloads = ["aten.avg_pool2d.default(input, kernel_size, stride=[], padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None)",
    "torch.nn.functional.avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None)",
    "torch._C._nn.avg_pool2d(input, kernel_size, stride=[], padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None)"];
}
def FxGraph_AdaptiveAvgPool2dOp : FxGraph_InferredOp<"adaptive_avg_pool2d", [Pure, DeclareOpInterfaceMethods<KernelFormOpInterface>, FxGraph_LoopMethods]> {
  let extraClassDeclaration = FxGraph_Formula.text;
  let constraints = [
    "pool_c1: the input has rank 3 or 4",
    "adaptive_avg_pool2d_c1: two entries of output_size, >= 0 and < 2^31",
    "adaptive_avg_pool2d_c2: all extents but the first are > 0, unless output_size is [1, 1]"];
  let summary = "mean over windows that partition the input into output_size";
  let arguments = (ins FxGraph_Tensor:$input, DenseI64ArrayAttr:$output_size);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `to` $output_size attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.adaptive_avg_pool2d.default(input, output_size)", "aten._adaptive_avg_pool2d.default(input, output_size)",
    "torch.nn.functional.adaptive_avg_pool2d(input, output_size)", "torch._C._nn.adaptive_avg_pool2d(input, output_size)"];
}

#endif // FXGRAPH_OPS_CONVNORM_TD
