// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products in all of PyTorch's spellings, and the ops that passes fuse
// them into.

#ifndef FXGRAPH_OPS_CONTRACTION_TD
#define FXGRAPH_OPS_CONTRACTION_TD

include "fxgraph/Dialect/IR/FxGraphBase.td"

def FxGraph_LinearOp : FxGraph_InferredOp<"linear", [Pure, ContractionOpInterface]> {
  let constraints = [
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "linear_c1: the input has rank >= 1",
    "linear_c2: the weight has rank 1 or 2",
    "linear_c3: the last dimensions of input and weight agree",
    "linear_c4: with a bias and a weight of rank 1 the input has rank 1",
    "linear_c5: the bias broadcasts to the result",
    "linear_c6: the bias is one row (of rank 0, 1, or [1, n]); beside an input of rank 2 it may have a row each"];
  let summary = "input x weight^T + bias, on the last dimension";
  let description = [{
    input [*, k], weight [n, k] or [k] (then the last dimension vanishes), bias
    [n] or rank 0 for a weight of rank 1. Result [*, n].
  }];
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_Tensor:$weight, Optional<FxGraph_Tensor>:$bias);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `,` $weight (`,` $bias^)? attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.linear.default(input, weight, bias=None)", "torch.nn.functional.linear(input, weight, bias=None)",
    "torch._C._nn.linear(input, weight, bias=None)"];
  let promotion = PromoteContraction;
}
def FxGraph_MatmulOp : FxGraph_InferredOp<"matmul", [Pure, ContractionOpInterface]> {
  let constraints = [
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "matmul_c1: the operands have rank >= 1",
    "matmul_c2: the contracted dimensions agree",
    "matmul_c3: the leading dimensions broadcast"];
  let summary = "matrix product with PyTorch's rank rules";
  let description = [{
    Rank 1 x 1: dot product (rank 0). A rank-1 operand is a row on the left and a
    column on the right, and its dimension vanishes. Leading dimensions broadcast.
  }];
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_Tensor:$other);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `,` $other attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.matmul.default(input, other)", "torch.matmul(input, other)", "Tensor.matmul(input, other)", "operator.matmul(input, other)",
    "aten.mv.default(input, other)", "torch.mv(input, vec: other)", "aten.dot.default(input, other)", "torch.dot(input, tensor: other)"];
  let promotion = PromoteContraction;
  let torchAliases = ["linalg_matmul"];
}
def FxGraph_MmOp : FxGraph_InferredOp<"mm", [Pure, FxGraph_OwnLoop, ContractionOpInterface, DeclareOpInterfaceMethods<MatrixProductOpInterface>]> {
  let constraints = [
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "product_c1: the matrices have rank 2",
    "product_c2: the contracted dimensions agree"];
  let summary = "[m, k] x [k, n]";
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_Tensor:$mat2);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `,` $mat2 attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.mm.default(input, mat2)", "torch.mm(input, mat2)", "Tensor.mm(input, mat2)"];
  let promotion = PromoteContraction;
}
def FxGraph_BmmOp : FxGraph_InferredOp<"bmm", [Pure, FxGraph_OwnLoop, ContractionOpInterface, DeclareOpInterfaceMethods<MatrixProductOpInterface>]> {
  let constraints = [
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "product_c1: the matrices have rank 3",
    "product_c2: the contracted dimensions agree",
    "product_c3: the batch dimensions agree"];
  let summary = "[b, m, k] x [b, k, n]";
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_Tensor:$mat2);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `,` $mat2 attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.bmm.default(input, mat2)", "torch.bmm(input, mat2)", "Tensor.bmm(input, mat2)"];
  let promotion = PromoteContraction;
}

/// beta * input + alpha * product; with beta = 0 the input is not read.
class FxGraph_AddProductOp<string mnemonic, string summaryText, list<Trait> traits = []>
    : FxGraph_InferredOp<mnemonic, !listconcat([Pure, FxGraph_CountsProducts], traits)> {
  let summary = summaryText;
  let description = [{
    `input` broadcasts to the product. With `beta = 0` it is not read: its NaNs
    do not matter (PyTorch's rule).
  }];
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_Tensor:$mat1, FxGraph_Tensor:$mat2,
    DefaultValuedAttr<F64Attr, "1.0">:$beta, DefaultValuedAttr<F64Attr, "1.0">:$alpha);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $mat1 `,` $mat2 (`beta` $beta^)? (`alpha` $alpha^)? attr-dict `:` functional-type(operands, results)
  }];
  let promotion = PromoteContraction;
}
def FxGraph_AddmmOp : FxGraph_AddProductOp<"addmm", "beta * input + alpha * (mat1 x mat2)", [FxGraph_OwnLoop, DeclareOpInterfaceMethods<MatrixProductOpInterface, ["getAddend", "getProductScale", "getAddendScale"]>]> {
  let constraints = [
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "product_c1: the matrices have rank 2",
    "product_c2: the contracted dimensions agree",
    "add_product_c1: the input broadcasts to the product, whatever beta"];
  let torchOverloads = ["aten.addmm.default(input, mat1, mat2, *, beta=1, alpha=1)", "torch.addmm(input, mat1, mat2, *, beta=1, alpha=1)", "Tensor.addmm(input, mat1, mat2, *, beta=1, alpha=1)"];
}
def FxGraph_BaddbmmOp : FxGraph_AddProductOp<"baddbmm", "beta * input + alpha * (mat1 x mat2), batched", [FxGraph_OwnLoop, DeclareOpInterfaceMethods<MatrixProductOpInterface, ["getAddend", "getProductScale", "getAddendScale"]>]> {
  let constraints = [
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "product_c1: the matrices have rank 3",
    "product_c2: the contracted dimensions agree",
    "product_c3: the batch dimensions agree",
    "add_product_c1: the input broadcasts to the product, whatever beta"];
  let torchOverloads = ["aten.baddbmm.default(input, mat1, mat2, *, beta=1, alpha=1)", "torch.baddbmm(input, batch1: mat1, batch2: mat2, *, beta=1, alpha=1)",
    "Tensor.baddbmm(input, batch1: mat1, batch2: mat2, *, beta=1, alpha=1)"];
}
def FxGraph_EinsumOp : FxGraph_InferredOp<"einsum", [Pure, FxGraph_CountsProducts]> {
  let constraints = [
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "einsum_c1: at least one operand",
    "einsum_c2: one term for each operand",
    "einsum_c3: terms consist of letters, blanks and at most one \"...\"",
    "einsum_c4: a term names each dimension of its operand, \"...\" any number of them",
    "einsum_c5: the letters of the result are distinct",
    "einsum_c6: the letters of the result are in the operands",
    "einsum_c7: within a term the extents of a letter agree",
    "einsum_c8: between terms the extents of a letter broadcast"];
  let summary = "Einstein summation";
  let description = [{
    `equation` in PyTorch's syntax: letters, commas, an optional `->`; spaces are
    ignored. A repeated letter within a term takes the diagonal. `...` broadcasts.
  }];
  let arguments = (ins Variadic<FxGraph_Tensor>:$tensors, StrAttr:$equation);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$equation `,` $tensors attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.einsum.default(equation, tensors, *, path: _path = None)", "torch.einsum(equation, *tensors)", "torch.functional.einsum(equation, *tensors)"];
  let promotion = PromoteContraction;
}
def FxGraph_ScaledDotProductAttentionOp : FxGraph_InferredOp<"scaled_dot_product_attention", [Pure, FxGraph_CountsProducts,
    DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = [
    "uniform_c1: query, key and value have one element type",
    "uniform_c2: the operands are on one device",
    "attention_c1: query, key and value have rank >= 2",
    "attention_c2: query and key agree in the last dimension",
    "attention_c3: the leading dimensions broadcast",
    "attention_c4: key and value agree in the second last dimension",
    "attention_c5: no mask beside is_causal",
    "attention_c6: the mask is bool, f32 or of the element type of the query",
    "attention_c7: the mask broadcasts to the scores"];
  let summary = "softmax(query x key^T * scale + mask) x value";
  let description = [{
    query [*, l, e], key [*, s, e], value [*, s, v]; `attn_mask` broadcasts to
    [*, l, s]: bool (false masks out) or added. `is_causal`: position i sees
    positions 0 … i. `scale` absent: 1/sqrt(e). Without dropout: attention that drops
    weights is imported as its products, softmax and draw.
  }];
  let arguments = (ins FxGraph_FloatTensor:$query, FxGraph_FloatTensor:$key, FxGraph_FloatTensor:$value,
    Optional<FxGraph_Tensor>:$attn_mask, DefaultValuedAttr<BoolAttr, "false">:$is_causal, OptionalAttr<F64Attr>:$scale);
  let results = (outs FxGraph_FloatTensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` $attn_mask^)? (`causal` $is_causal^)? (`scale` $scale^)? attr-dict `:` functional-type(operands, results)
  }];
  let torchOverloads = [
    "aten.scaled_dot_product_attention.default(query, key, value, attn_mask=None, dropout_p: _dropout_p = 0.0, is_causal=False, *, scale=None, enable_gqa: _enable_gqa = False)",
    "torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p: _dropout_p = 0.0, is_causal=False, scale=None, enable_gqa: _enable_gqa = False)",
    "torch._C._nn.scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p: _dropout_p = 0.0, is_causal=False, *, scale=None, enable_gqa: _enable_gqa = False)"];
  let promotion = PromoteContraction;
}

//===----------------------------------------------------------------------===//
// Fused forms (produced by passes; each has a decomposition)
//===----------------------------------------------------------------------===//

def FxGraph_LinearTransposeOp : FxGraph_InferredOp<"linear_transpose", [Pure, ContractionOpInterface, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = [
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "fused_linear_c1: the input has rank >= 2",
    "fused_linear_c2: the weight has rank 2",
    "fused_linear_c3: the bias is [n]",
    "linear_c3: the contracted dimensions agree"];
  let summary = "transpose(linear(input, weight, bias), -1, -2)";
  let description = "weight x transpose(input, -1, -2) + bias[:, None]; input [*, m, k], weight [n, k], bias [n]; result [*, n, m].";
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_Tensor:$weight, Optional<FxGraph_Tensor>:$bias);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `,` $weight (`,` $bias^)? attr-dict `:` functional-type(operands, results)";
}
def FxGraph_TransposeLinearOp : FxGraph_InferredOp<"transpose_linear", [Pure, FxGraph_CountsProducts, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = [
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "fused_linear_c1: the input has rank >= 2",
    "fused_linear_c2: the weight has rank 2",
    "fused_linear_c3: the bias is [n]",
    "linear_c3: the contracted dimensions agree"];
  let summary = "linear(transpose(input, -1, -2), weight, bias)";
  let description = "input [*, k, m], weight [n, k], bias [n]; result [*, m, n].";
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_Tensor:$weight, Optional<FxGraph_Tensor>:$bias);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `,` $weight (`,` $bias^)? attr-dict `:` functional-type(operands, results)";
}
def FxGraph_TransposeMatmulOp : FxGraph_InferredOp<"transpose_matmul", [Pure, FxGraph_CountsProducts, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = [
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "transpose_matmul_c1: a transposed operand has rank >= 2",
    "matmul_c1: the operands have rank >= 1",
    "matmul_c2: the contracted dimensions agree",
    "matmul_c3: the leading dimensions broadcast"];
  let summary = "matmul of operands whose last two dimensions are exchanged on request";
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_Tensor:$other,
    DefaultValuedAttr<BoolAttr, "false">:$trans_input, DefaultValuedAttr<BoolAttr, "false">:$trans_other);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = [{
    $input (`trans` $trans_input^)? `,` $other (`trans` $trans_other^)? attr-dict `:` functional-type(operands, results)
  }];
}
def FxGraph_MmPlusMmOp : FxGraph_InferredOp<"mm_plus_mm", [Pure, FxGraph_CountsProducts, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = [
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "product_c1: the matrices have rank 2",
    "product_c2: the contracted dimensions agree",
    "mm_plus_mm_c1: the products have one shape"];
  let summary = "mat1 x mat2 + mat3 x mat4";
  let arguments = (ins FxGraph_Tensor:$mat1, FxGraph_Tensor:$mat2, FxGraph_Tensor:$mat3, FxGraph_Tensor:$mat4);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$mat1 `,` $mat2 `,` $mat3 `,` $mat4 attr-dict `:` functional-type(operands, results)";
}
def FxGraph_DotCompressOp : FxGraph_InferredOp<"dot_compress", [Pure, FxGraph_CountsProducts, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = [
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "dot_compress_c1: the input has rank 3",
    "dot_compress_c2: the weight has rank 2",
    "dot_compress_c3: the weight has a row for each feature of the input"];
  let summary = "matmul(input, matmul(transpose(input, 1, 2), weight))";
  let description = [{
    Products of all pairs of features, compressed: input [b, f, d], weight [f, k]; result
    [b, f, k]. The inner product is rounded to the dtype, as that of two matmuls.
  }];
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_Tensor:$weight);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `,` $weight attr-dict `:` functional-type(operands, results)";
}
def FxGraph_LceOp : FxGraph_InferredOp<"lce", [Pure, FxGraph_CountsProducts, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = [
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "lce_c1: the input has rank 3",
    "lce_c2: the weight has rank 2",
    "lce_c3: the contracted dimensions agree",
    "lce_c4: the bias is [n]"];
  let summary = "matmul(weight, input) + bias[:, None]: linear compression of embeddings";
  let description = [{
    input [b, f, d], weight [n, f], bias [n]; result [b, n, d]. The bias is added before the sum of
    products is rounded, as `linear` does.
  }];
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_Tensor:$weight, Optional<FxGraph_Tensor>:$bias);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `,` $weight (`,` $bias^)? attr-dict `:` functional-type(operands, results)";
}

def FxGraph_AddmmActivationOp : FxGraph_AddProductOp<"addmm_activation", "relu or gelu of addmm", [DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = [
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "product_c1: the matrices have rank 2",
    "product_c2: the contracted dimensions agree",
    "add_product_c1: the input broadcasts to the product, whatever beta",
    "addmm_activation_c1: approximate is none or tanh, and none without use_gelu"];
  let description = [{
    `use_gelu`: gelu, else relu. `approximate` is gelu's; PyTorch takes `tanh` on GPUs and
    `none` on CPUs. The sum is rounded to the dtype before the activation.
  }];
  let arguments = (ins FxGraph_FloatTensor:$input, FxGraph_FloatTensor:$mat1, FxGraph_FloatTensor:$mat2,
    DefaultValuedAttr<F64Attr, "1.0">:$beta, DefaultValuedAttr<F64Attr, "1.0">:$alpha,
    DefaultValuedAttr<BoolAttr, "false">:$use_gelu, DefaultValuedStrAttr<StrAttr, "none">:$approximate);
  let assemblyFormat = [{
    $input `,` $mat1 `,` $mat2 (`beta` $beta^)? (`alpha` $alpha^)? (`use_gelu` $use_gelu^)? (`approximate` $approximate^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let torchOverloads = ["aten._addmm_activation.default(input, mat1, mat2, *, beta=1, alpha=1, use_gelu=False)",
    "torch._addmm_activation(input, mat1, mat2, *, beta=1, alpha=1, use_gelu=False)"];
}
def FxGraph_IntMmOp : FxGraph_InferredOp<"int_mm", [Pure, ContractionOpInterface]> {
  let constraints = [
    "uniform_c2: the operands are on one device",
    "product_c1: the matrices have rank 2",
    "product_c2: the contracted dimensions agree"];
  let summary = "[m, k] x [k, n] of 8-bit integers, in i32";
  let arguments = (ins FxGraph_Int8Tensor:$input, FxGraph_Int8Tensor:$mat2);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `,` $mat2 attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten._int_mm.default(input, mat2)", "torch._int_mm(input, mat2)"];
}
def FxGraph_IntMmMulOp : FxGraph_InferredOp<"int_mm_mul", [Pure, ContractionOpInterface, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = [
    "uniform_c2: the operands are on one device",
    "product_c1: the matrices have rank 2",
    "product_c2: the contracted dimensions agree",
    "int_mm_mul_c1: the scale has rank 2 and broadcasts to the product"];
  let summary = "int_mm(mat1, mat2) * scale";
  let description = "The product in the dtype of the scale, as `mul` of an i32 tensor and it has.";
  let arguments = (ins FxGraph_Int8Tensor:$mat1, FxGraph_Int8Tensor:$mat2, FxGraph_FloatTensor:$scale);
  let results = (outs FxGraph_FloatTensor:$result);
  let assemblyFormat = "$mat1 `,` $mat2 `,` $scale attr-dict `:` functional-type(operands, results)";
}
def FxGraph_ScaledMmOp : FxGraph_Op<"scaled_mm", [Pure, ContractionOpInterface, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = [
    "uniform_c2: the operands are on one device",
    "product_c1: the matrices have rank 2",
    "product_c2: the contracted dimensions agree",
    "scaled_product_c1: the scales have one element each, or are [m, 1] and [1, n]",
    "scaled_product_c2: the bias has shape [n]",
    "scaled_product_c3: the result has the shape and the device of the product"];
  let summary = "[m, k] x [k, n] of 8-bit floats, times their scales";
  let description = [{
    `(input x mat2) * scale_a * scale_b + bias` in f32, rounded to the result's dtype. `use_fast_accum` lets a GPU add up with
    fewer bits. Products that PyTorch rounds to 8 bits, which saturate, are not this op, nor are scales of blocks:
    those of 1 x 128 and 128 x 128 are imported as products of the blocks, those of 8 bits, which are swizzled, stay opaque.
  }];
  let arguments = (ins FxGraph_Float8Tensor:$input, FxGraph_Float8Tensor:$mat2, FxGraph_Float32Tensor:$scale_a, FxGraph_Float32Tensor:$scale_b,
    Optional<FxGraph_FloatTensor>:$bias, DefaultValuedAttr<BoolAttr, "false">:$use_fast_accum);
  let results = (outs FxGraph_ScaledProductTensor:$result);
  let assemblyFormat = [{
    $input `,` $mat2 `scales` $scale_a `,` $scale_b (`bias` $bias^)? (`use_fast_accum` $use_fast_accum^)? attr-dict `:` functional-type(operands, results)
  }];
  let torchOverloads = ["aten._scaled_mm.default(input, mat2, scale_a, scale_b, bias=None, scale_result: _scale_result = None, out_dtype: _result_dtype = None, use_fast_accum=False)",
    "torch._scaled_mm(input, mat2, scale_a, scale_b, bias=None, scale_result: _scale_result = None, out_dtype: _result_dtype = None, use_fast_accum=False)"];
  let hasVerifier = 1;
}
def FxGraph_GroupedMmOp : FxGraph_InferredOp<"grouped_mm", [Pure, FxGraph_CountsProducts, AttrSizedOperandSegments, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = [
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "grouped_mm_c1: one weight for each input",
    "grouped_mm_c2: one bias for each input, or none",
    "product_c1: the matrices have rank 2",
    "product_c2: the contracted dimensions agree",
    "add_product_c1: a bias broadcasts to its product"];
  let summary = "products of several pairs of matrices of any sizes";
  let description = [{
    Result i is `mm(inputs[i], weights[i])`, or `addmm(biases[i], inputs[i], weights[i])`:
    fbgemm's `gmm`.
  }];
  let arguments = (ins Variadic<FxGraph_Tensor>:$inputs, Variadic<FxGraph_Tensor>:$weights, Variadic<FxGraph_Tensor>:$biases);
  let results = (outs Variadic<FxGraph_Tensor>:$outputs);
  let assemblyFormat = "`(` $inputs `)` `x` `(` $weights `)` (`+` `(` $biases^ `)`)? attr-dict `:` functional-type(operands, results)";
}
def FxGraph_B2bGemmOp : FxGraph_InferredOp<"b2b_gemm", [Pure, FxGraph_CountsProducts, IsolatedFromAbove, SingleBlock, DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = [
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "product_c1: the matrices have rank 2",
    "product_c2: the contracted dimensions agree",
    "b2b_gemm_c1: the body takes the inner product and yields a tensor of its type"];
  let summary = "two products with a pointwise subgraph between them";
  let description = [{
    `left`: (f(a x b)) x c, else a x f(b x c); `body` is f, from the inner product to a
    tensor of its type. (torch/_inductor/fx_passes/b2b_gemm.py)
  }];
  let arguments = (ins FxGraph_Tensor:$a, FxGraph_Tensor:$b, FxGraph_Tensor:$c, BoolAttr:$left);
  let results = (outs FxGraph_Tensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$a `,` $b `,` $c `left` $left $body attr-dict `:` functional-type(operands, results)";
  let hasRegionVerifier = 1;
}

#endif // FXGRAPH_OPS_CONTRACTION_TD
