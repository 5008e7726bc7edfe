// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that a CPU library (oneDNN) computes whole, and products with weights of 8 and 4 bits
// (torch/_inductor/fx_passes/mkldnn_fusion.py, quantization.py).

#ifndef FXGRAPH_OPS_PACKED_TD
#define FXGRAPH_OPS_PACKED_TD

include "fxgraph/Dialect/IR/FxGraphBase.td"

/// What stands behind the product: `attr` is the activation, `scalars` its numbers and
/// `algorithm` its variant; with `other`, `binary` says how it is joined before that.
defvar FxGraph_PostOpConstraints = [
    "post_op_c1: attr is none, relu, sigmoid, tanh, silu, hardswish, hardsigmoid, leaky_relu (one scalar), hardtanh (two), or gelu (algorithm none or tanh)",
    "post_op_c2: binary is add, sub or mul, and there is an other exactly if it is not none",
    "post_op_c3: the other broadcasts to the result"];

def FxGraph_LinearPointwiseOp : FxGraph_InferredOp<"linear_pointwise", [Pure, ContractionOpInterface, AttrSizedOperandSegments, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = !listconcat(FxGraph_PostOpConstraints, [
    "linear_pointwise_c1: the operands have one element type, but for a weight of f16 beside an input of f32",
    "uniform_c2: the operands are on one device",
    "linear_c1: the weight is [n, k]",
    "linear_c2: the bias is [n]",
    "linear_c3: the contracted dimensions agree"]);
  let summary = "linear, then join with another tensor, then an activation";
  let description = "mkldnn._linear_pointwise. Each of the three steps rounds to the dtype. A weight of f16 is widened (onednn.linear_dynamic_fp16).";
  let arguments = (ins FxGraph_FloatTensor:$input, FxGraph_FloatTensor:$weight, Optional<FxGraph_FloatTensor>:$bias, Optional<FxGraph_FloatTensor>:$other,
    DefaultValuedStrAttr<StrAttr, "none">:$binary, DefaultValuedStrAttr<StrAttr, "none">:$attr, DefaultValuedAttr<DenseF64ArrayAttr, "{}">:$scalars,
    DefaultValuedStrAttr<StrAttr, "none">:$algorithm);
  let results = (outs FxGraph_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^)? (`binary` $binary^)? (`with` $other^)? (`activation` $attr^)? (`scalars` $scalars^)? (`algorithm` $algorithm^)?
    attr-dict `:` functional-type(operands, results)
  }];
}
def FxGraph_ConvolutionPointwiseOp : FxGraph_InferredOp<"convolution_pointwise", [Pure, FxGraph_CountsProducts, AttrSizedOperandSegments, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = !listconcat(FxGraph_PostOpConstraints, [
    "convolution_pointwise_c1: what convolution demands of the same operands and attributes"]);
  let summary = "convolution, then join with another tensor, then an activation";
  let description = "mkldnn._convolution_pointwise and _convolution_transpose_pointwise; attributes as of `convolution`.";
  let arguments = (ins FxGraph_FloatTensor:$input, FxGraph_FloatTensor:$weight, Optional<FxGraph_FloatTensor>:$bias, Optional<FxGraph_FloatTensor>:$other,
    DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilation, DefaultValuedAttr<BoolAttr, "false">:$transposed,
    DenseI64ArrayAttr:$output_padding, DefaultValuedAttr<I64Attr, "1">:$groups,
    DefaultValuedStrAttr<StrAttr, "none">:$binary, DefaultValuedStrAttr<StrAttr, "none">:$attr, DefaultValuedAttr<DenseF64ArrayAttr, "{}">:$scalars,
    DefaultValuedStrAttr<StrAttr, "none">:$algorithm);
  let results = (outs FxGraph_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^)? (`binary` $binary^)? (`with` $other^)? (`activation` $attr^)? (`scalars` $scalars^)? (`algorithm` $algorithm^)?
    `stride` $stride `padding` $padding `dilation` $dilation `output_padding` $output_padding (`transposed` $transposed^)? (`groups` $groups^)?
    attr-dict `:` functional-type(operands, results)
  }];
}
def FxGraph_WeightInt8packMmOp : FxGraph_InferredOp<"weight_int8pack_mm", [Pure, ContractionOpInterface, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = [
    "uniform_c2: the operands are on one device",
    "weight_pack_c1: the input is [m, k] and the weight [n, k]",
    "weight_pack_c2: one scale for each row of the weight"];
  let summary = "[m, k] x transpose([n, k] of 8-bit integers) * scales[n]";
  let arguments = (ins FxGraph_FloatTensor:$input, FxGraph_Int8Tensor:$weight, FxGraph_FloatTensor:$scales);
  let results = (outs FxGraph_FloatTensor:$result);
  let assemblyFormat = "$input `,` $weight `,` $scales attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten._weight_int8pack_mm.default(input, weight: weight, scales)"];
}
def FxGraph_WeightInt4packMmOp : FxGraph_InferredOp<"weight_int4pack_mm", [Pure, ContractionOpInterface, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = [
    "uniform_c2: the operands are on one device",
    "weight_int4pack_c1: the input is [m, k] and the weight [n, k / 2], with known extents",
    "weight_int4pack_c2: scales_and_zeros is [k / group_size, n, 2] of the input's dtype",
    "weight_int4pack_c3: group_size > 0 divides k",
    "weight_int4pack_c4: layout is avx512, avx2 or scalar"];
  let summary = "[m, k] x transpose([n, k] of 4-bit integers) with a scale and an offset for each group of k";
  let description = [{
    aten._weight_int4pack_mm_for_cpu: an element w counts as `(w - 8) * scale + zero`, rounded to the
    dtype. Two rows share a byte. Rows are packed in blocks of 64 (avx512) or 32 (avx2, scalar): for each column
    the bytes of a block hold row r in the low and row r + half a block in the high bits; in the
    layout scalar, and in a last block that is not full, rows 2r and 2r + 1
    (aten._convert_weight_to_int4pack_for_cpu, which packs as the CPU's vectors are).
  }];
  let arguments = (ins FxGraph_QuantizableTensor:$input, FxGraph_ByteTensor:$weight, FxGraph_QuantizableTensor:$scales_and_zeros, I64Attr:$group_size, StrAttr:$layout);
  let results = (outs FxGraph_QuantizableTensor:$result);
  let assemblyFormat = "$input `,` $weight `,` $scales_and_zeros `group` $group_size `layout` $layout attr-dict `:` functional-type(operands, results)";
}

/// A product of 8-bit integers that are scaled, what stands behind it, and a result that may
/// be quantized again.
defvar FxGraph_QuantizedProductConstraints = [
    "quantized_product_c1: the weight has one scale, and one zero point if any, for each index along dimension 0",
    "quantized_product_c2: a bias is of f32, with one value for each output",
    "quantized_product_c3: output_scale is not 0, and 1 with output_zero_point 0 for a floating-point result",
    "quantized_product_c4: the result has the shape of the product"];
def FxGraph_EightBitTensor : RankedTensorOf<[UI8, I8], [], "ui8 or i8 tensor">;
def FxGraph_ProductTensor : RankedTensorOf<[UI8, I8, F16, BF16, F32], [], "ui8, i8, f16, bf16 or f32 tensor">;
defvar FxGraph_QuantizedProductOperands = (ins FxGraph_EightBitTensor:$input, F64Attr:$input_scale, I64Attr:$input_zero_point, FxGraph_Int8Tensor:$weight,
    FxGraph_FloatTensor:$weight_scales, Optional<FxGraph_IndexTensor>:$weight_zero_points, Optional<FxGraph_FloatTensor>:$bias, Optional<FxGraph_ProductTensor>:$other);
defvar FxGraph_QuantizedProductAttributes = (ins DefaultValuedStrAttr<StrAttr, "none">:$binary, DefaultValuedAttr<F64Attr, "1.0">:$other_scale,
    DefaultValuedAttr<I64Attr, "0">:$other_zero_point, DefaultValuedStrAttr<StrAttr, "none">:$attr,
    DefaultValuedAttr<DenseF64ArrayAttr, "{}">:$scalars, DefaultValuedStrAttr<StrAttr, "none">:$algorithm,
    DefaultValuedAttr<F64Attr, "1.0">:$output_scale, DefaultValuedAttr<I64Attr, "0">:$output_zero_point);

def FxGraph_QLinearPointwiseOp : FxGraph_Op<"qlinear_pointwise", [Pure, ContractionOpInterface, AttrSizedOperandSegments, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = !listconcat(FxGraph_PostOpConstraints, FxGraph_QuantizedProductConstraints, [
    "linear_c1: the weight is [n, k]",
    "linear_c3: the contracted dimensions agree"]);
  let summary = "linear of 8-bit integers, then join with another tensor, then an activation, then a quantization";
  let description = [{
    onednn.qlinear_pointwise: `linear_pointwise` in f32 of what `dequantize_per_tensor` makes of the input (and of an
    8-bit `other`, with its own scale) and `dequantize_per_channel` of the weight. A result of
    8 bits is quantized by `output_scale` and `output_zero_point` within all numbers of its dtype; another one is cast.
  }];
  let arguments = !con(FxGraph_QuantizedProductOperands, FxGraph_QuantizedProductAttributes);
  let results = (outs FxGraph_ProductTensor:$result);
  let assemblyFormat = [{
    $input `scale` $input_scale `zero_point` $input_zero_point `,` $weight `scales` $weight_scales (`zero_points` $weight_zero_points^)?
    (`bias` $bias^)? (`binary` $binary^)? (`with` $other^)? (`activation` $attr^)? (`scalars` $scalars^)? (`algorithm` $algorithm^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def FxGraph_QConvPointwiseOp : FxGraph_Op<"qconv_pointwise", [Pure, FxGraph_CountsProducts, AttrSizedOperandSegments, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = !listconcat(FxGraph_PostOpConstraints, FxGraph_QuantizedProductConstraints, [
    "convolution_pointwise_c1: what convolution demands of the same operands and attributes"]);
  let summary = "convolution of 8-bit integers, then join with another tensor, then an activation, then a quantization";
  let description = "onednn.qconv_pointwise and qconv2d_pointwise; as `qlinear_pointwise`, attributes as of `convolution`.";
  let arguments = !con(FxGraph_QuantizedProductOperands, (ins DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilation,
    DefaultValuedAttr<I64Attr, "1">:$groups), FxGraph_QuantizedProductAttributes);
  let results = (outs FxGraph_ProductTensor:$result);
  let assemblyFormat = [{
    $input `scale` $input_scale `zero_point` $input_zero_point `,` $weight `scales` $weight_scales (`zero_points` $weight_zero_points^)?
    (`bias` $bias^)? (`binary` $binary^)? (`with` $other^)? (`activation` $attr^)? (`scalars` $scalars^)? (`algorithm` $algorithm^)?
    `stride` $stride `padding` $padding `dilation` $dilation (`groups` $groups^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // FXGRAPH_OPS_PACKED_TD
