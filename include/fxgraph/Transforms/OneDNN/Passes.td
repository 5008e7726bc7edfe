// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of a CPU library with what stands behind them
// (torch/_inductor/fx_passes/mkldnn_fusion.py, quantization.py).

#ifndef FXGRAPH_TRANSFORMS_ONEDNN_PASSES_TD
#define FXGRAPH_TRANSFORMS_ONEDNN_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

def OneDNNPackWeightsPass : FxGraphPass<"onednn-pack-weights"> {
  let summary = "Make products with constant weights library calls";
  let description = [{
    `mm(x, w)` and `addmm(b, x, w)` become `linear_pointwise(x, permute(w), b)`, `linear` the same,
    and `convolution` becomes `convolution_pointwise` (Inductor's weight packing when `freezing`).
    A weight that is a permutation already is taken as it was before. A reshape that merges the leading dimensions before the
    product, and one that brings them back behind it, go: a linear takes any.

    Guards: on the CPU; the weight is a constant of the run (see `fxgraph-freezing-binary-folding`);
    f32, bf16 or f16; products of matrices with a bias of one value for each output, alpha 1 and
    beta 0 or 1 (with 0 the bias is not read); convolutions of images and volumes with a batch,
    and of the transposed ones those of known extents that are not depthwise, with an
    output padding below the stride.

    Before and after: `test/Transforms/OneDNN/pack-weights-example.mlir`. Linear in the ops.
    Numeric class: reassociates (the library sums in its own order). Counters:
    `mkldnn_linear_weight_pack_matcher_count`, `mkldnn_conv_weight_pack_matcher_count`,
    `mkldnn_reshape_linear_reshape_matcher_count`.
  }];
  let options = [DefaultDevice,
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"reassociate\"", "exact: do nothing; reassociate or relaxed: pack">];
}

def OneDNNFuseBinaryPass : FxGraphPDLLPass<"onednn-fuse-binary"> {
  let summary = "Join another tensor with a library product as it is made";
  let description = [{
    `p + y`, `y + p`, `p - y`, `p * y` and `y * p`, p a `linear_pointwise` or `convolution_pointwise`,
    become p with `binary` and `other`. Before `fxgraph-onednn-fuse-unary`, which takes the activation
    behind it (Inductor's binary and binary-unary fusions).

    Guards: p has no activation and no other tensor yet, and no other user; alpha is 1; y is another
    value, and a tensor known to be of p's type.

    Before and after: `test/Transforms/OneDNN/fuse-binary-example.mlir`. Linear in the ops. Numeric
    class: exact. Counter: `mkldnn_conv_binary_unary_fusion_matcher_count`.
  }];
}

def OneDNNFuseUnaryPass : FxGraphPDLLPass<"onednn-fuse-unary"> {
  let summary = "Compute an activation with the library product before it";
  let description = [{
    relu, sigmoid, tanh, silu, hardswish, hardsigmoid, leaky_relu, clamp (hardtanh) and gelu (both
    kinds) of a `linear_pointwise` or `convolution_pointwise` become its activation, also where
    16-bit results are widened for the activation and narrowed behind it.

    Before that, what stands for an activation there becomes the op: `x * sigmoid(x)` and
    `x / (exp(-x) + 1)` (silu), `x * clamp(x + 3; 0, 6) / 6` (hardswish), `clamp(x + 3; 0, 6) / 6`
    (hardsigmoid), `where(x > 0, x, x * slope)` (leaky_relu), `clamp(clamp(x; min); max)`
    (hardtanh), `x * 0.5 * (erf(x * sqrt(1/2)) + 1)` and `x * 0.5 * (tanh((x + x * x * x * 0.044715)
    * sqrt(2/pi)) + 1)` (gelu); a clamp in one op or two.

    Guards: the product has no activation yet; nothing but the activation uses it, nor
    what is computed on the way; the bounds of a clamp are both there and in order.

    Before and after: `test/Transforms/OneDNN/fuse-unary-example.mlir`. Linear in the ops. Numeric
    class: exact; spellings in 16 bits, which round at each step, change precision, others
    reassociate. Counter: `mkldnn_unary_fusion_matcher_count`.
  }];
  let options = [
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"reassociate\"", "exact: activations that are one op; reassociate: also spelled ones; relaxed: also those in 16 bits">];
}

def OneDNNGroupedGemmPass : FxGraphPass<"onednn-grouped-gemm"> {
  let summary = "Multiply one input with its weights in one call";
  let description = [{
    Two or more `linear_pointwise` of one input become one `grouped_mm` (Inductor's
    `grouped_gemm_pass`, for `max_autotune` with its CPU templates).

    Guards: on the CPU; all users of the input are such ops, none of which has an activation or joins another tensor;
    the input is a matrix; the weights are different values known to have one size, and stand
    before the first product; all products have a bias, or none.

    Before and after: `test/Transforms/OneDNN/grouped-gemm-example.mlir`. Linear in the ops. Numeric
    class: reassociates. Inductor has no counter.
  }];
  let options = [DefaultDevice,
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"reassociate\"", "exact: do nothing; reassociate or relaxed: group">];
}

def OneDNNWeightOnlyInt8Pass : FxGraphPDLLPass<"onednn-weight-only-int8"> {
  let summary = "Multiply with weights of 8 bits as they are";
  let description = [{
    `mul(mm(x, convert(permute(w))), s)`, the same with the conversion before the permutation, and
    `mul(linear(x, convert(w)), s)`, w of 8-bit integers, become `weight_int8pack_mm(x, w, s)`, also with a
    reshape that keeps the outputs before the scale (Inductor's weight-only int8 patterns).

    Guards: on the CPU; x is a matrix of bf16 or f16 (or f32); s has one value for each output
    and x's dtype; nothing else uses the product; the result has the product's type.

    Before and after: `test/Transforms/OneDNN/weight-only-int8-example.mlir`. Linear in the ops. Numeric
    class: reassociates. Counter: `woq_matcher_count`.
  }];
  let options = [DefaultDevice,
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"reassociate\"", "exact: do nothing; reassociate or relaxed: rewrite">];
}

def OneDNNQuantizedViewsPass : FxGraphPDLLPass<"onednn-quantized-views"> {
  let summary = "Move quantized values as they are";
  let description = [{
    `quantize_per_tensor(view(dequantize_per_tensor(q)))` becomes `view(q)` for every op that moves or selects
    elements without computing on them (Inductor's quantized reshape). So does `max_pool2d`, as larger integers are larger
    numbers (quantized max-pool), and a `cat` of which every operand is a `dequantize_per_tensor` (quantized cat).

    Guards: all have one scale, zero point and quantized dtype (Inductor takes scales that differ by a
    hundred-thousandth, and any for a pooling), and the range of the quantization holds all numbers of the dtype (Inductor
    does not look); the scale is such that its inverse and all products are normal f32 numbers; zero
    points and dtypes are of 8 or 16 bits; values
    in between are f32 or f64. Nothing else uses what was pooled or joined.

    Before and after: `test/Transforms/OneDNN/quantized-views-example.mlir`. Linear in the ops and
    operands. Numeric class: exact. Counters: `qreshape_matcher_count`, `qmaxpool2d_matcher_count`, `qcat_matcher_count`.
  }];
}

def OneDNNDequantPromotionPass : FxGraphPDLLPass<"onednn-dequant-promotion"> {
  let summary = "Dequantize for each user by itself";
  let description = [{
    A `dequantize_per_tensor` that several ops use, also with a cast, a reshape or both behind it, becomes one for each
    (Inductor's dequant promotion), so that a rule which wants to be its only user applies. The products of
    `fxgraph-onednn-quantized-products` do not ask for that. `fxgraph-noop-cse` is the way back.

    Guards: all users are in the block of the op. A user that takes the value twice is one.

    Before and after: `test/Transforms/OneDNN/dequant-promotion-example.mlir`. Linear in the ops and operands. Numeric
    class: exact. Counter: `dequant_promotion_matcher_count`.
  }];
}

def OneDNNQuantizedProductsPass : FxGraphPDLLPass<"onednn-quantized-products"> {
  let summary = "Multiply 8-bit integers as they are";
  let description = [{
    `linear`, `mm`, `addmm` and `convolution` of what `dequantize_per_tensor` makes of 8-bit integers, with a weight that
    `dequantize_per_channel` makes of int8, become `qlinear_pointwise` and `qconv_pointwise` of the integers (Inductor's
    `qlinear` and `qconv` weight packing). Between stand at most a cast to 16 bits, on the input a `view` or `reshape`, and on the weight
    of `mm` and `addmm` the exchange of its dimensions. `fxgraph-onednn-fuse-binary` and `-fuse-unary` join what stands
    behind, `fxgraph-onednn-quantized-results` the quantization of the result. An `int_mm` that is converted and multiplied by a scale of
    its rows, then by one of its columns, is a `qlinear_pointwise` that is multiplied by the scale of the rows (SmoothQuant).
    A product in f32 of a weight that is cast to f16 and back is a `linear_pointwise` with the weight of f16 (`linear_dynamic_fp16`).

    Guards: on the CPU; scales and zero points of the weight go by outputs; the integers are dequantized in f32; a bias has
    one value for each output; alpha and beta are 1; no transposed convolution, and none without a batch. What else uses the dequantized
    tensors keeps them. Nothing else uses the steps behind an `int_mm`, whose second operand is a constant of the run and whose scales
    have the dtype it is converted to. A weight that is cast to f16 is a constant of the run (Inductor: of a graph that is frozen).

    Not done: weights with one scale, `bmm`; a single scale of all rows, and a bias, stay behind
    the product of an `int_mm`.

    Before and after: `test/Transforms/OneDNN/quantized-products-example.mlir`. Linear in the ops. Numeric class: reassociates (the
    library sums integers); with values of 16 bits between, changes precision. Counters:
    `qlinear_weight_prepack_matcher_count`, `qconv_weight_prepack_matcher_count`.
  }];
  let options = [DefaultDevice,
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"reassociate\"", "exact: do nothing; reassociate: rewrite in f32; relaxed: also with 16 bits between">];
}

def OneDNNQuantizedResultsPass : FxGraphPDLLPass<"onednn-quantized-results"> {
  let summary = "Quantize a product of integers as it is made";
  let description = [{
    `quantize_per_tensor` of a `qlinear_pointwise` or `qconv_pointwise` becomes its `output_scale` and `output_zero_point`, and a tensor
    that it joins is taken as the 8-bit integers it is dequantized from. Behind `fxgraph-onednn-fuse-binary` and `-fuse-unary`
    (Inductor's `qlinear` and `qconv` fusions).

    Guards: nothing else uses the product, which is of f32; both quantized dtypes have 8 bits; the range of the quantization holds all
    numbers of the dtype (Inductor does not look).

    Before and after: `test/Transforms/OneDNN/quantized-results-example.mlir`. Linear in the ops. Numeric class: exact. Counters:
    `qlinear_unary_matcher_count`, `qconv_unary_matcher_count`, where nothing but the quantization stands behind the product (a chain is counted once).
  }];
}

def OneDNNConcatLinearInt4Pass : FxGraphPass<"onednn-concat-linear-int4"> {
  let summary = "Multiply one input with its 4-bit weights in one product";
  let description = [{
    Two or more `weight_int4pack_mm` of one input become one, with the packed rows and the scales joined, and a split (Inductor's
    `concat_linear_woq_int4`). Packed weights are joined as they are: rows are packed in blocks, which do not know each
    other (Inductor unpacks with the CPU at hand and packs again).

    Guards: on the CPU; all users of the input are such ops; one group size and one layout; the weights are different
    constants of the run, which stand before the first product, and all but one fill their last block of rows (64, or 32).

    Before and after: `test/Transforms/OneDNN/concat-linear-int4-example.mlir`. Linear in the ops. Numeric class: exact.
    Inductor has no counter.
  }];
  let options = [DefaultDevice];
}

#endif // FXGRAPH_TRANSFORMS_ONEDNN_PASSES_TD
