// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that a CPU library (oneDNN) computes whole, and products with weights of 8 bits
// (torch/_inductor/fx_passes/mkldnn_fusion.py, quantization.py). Weights of 4 bits are not
// here: the layout of aten._convert_weight_to_int4pack_for_cpu depends on the CPU's vectors.

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
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "linear_c1: the weight is [n, k]",
    "linear_c2: the bias is [n]",
    "linear_c3: the contracted dimensions agree"]);
  let summary = "linear, then join with another tensor, then an activation";
  let description = "mkldnn._linear_pointwise. Each of the three steps rounds to the dtype.";
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

#endif // FXGRAPH_OPS_PACKED_TD
