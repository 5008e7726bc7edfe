// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products and what stands around them (torch/_inductor/fx_passes/post_grad.py, pad_mm.py,
// decompose_mem_bound_mm.py, b2b_gemm.py).

#ifndef FXGRAPH_TRANSFORMS_MATMUL_PASSES_TD
#define FXGRAPH_TRANSFORMS_MATMUL_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

defvar Numerics = Option<"numerics", "numerics", "::fxgraph::OptionText", "\"reassociate\"", "exact: do nothing; reassociate: 32 and 64 bits, and integers; relaxed: also 16 bits, which then round another number of times">;
defvar NumericsOfAll = Option<"numerics", "numerics", "::fxgraph::OptionText", "\"reassociate\"", "exact: do nothing; reassociate or relaxed: rewrite">;

def MatmulAddmmPass : FxGraphPDLLPass<"matmul-addmm"> {
  let summary = "Add to a product as it is made";
  let description = [{
    `add(mm(a, b), x)` and `add(x, mm(a, b))` become `addmm(x, a, b)` (Inductor's `addmm`).

    Guards: alpha is 1 (Inductor does not look); x is a tensor of the product's dtype and
    device that is known to broadcast to it; nothing else uses the product, which stands in
    the same block. On a GPU a sum all of whose users are elementwise, or views all of whose
    users are, stays: it joins their kernel (see `fxgraph-matmul-unfuse-bias-add`). Of two
    products the second is taken.

    Before and after: `test/Transforms/Matmul/addmm-example.mlir`. Linear in the ops.
    Numeric class: reassociates; in 16 bits changes precision, as the product no longer
    rounds before the sum. Inductor has no counter.
  }];
  let options = [DefaultDevice, Numerics];
}

def MatmulMmPlusMmPass : FxGraphPDLLPass<"matmul-mm-plus-mm"> {
  let summary = "Compute the sum of two products at once";
  let description = [{
    `add(mm(a, b), mm(c, d))` becomes `mm_plus_mm(a, b, c, d)` (Inductor's `mm_plus_mm`,
    which runs with `max_autotune`).

    Guards: alpha is 1 (Inductor does not look); the products are known to have one shape;
    nothing else uses them (twice one product is no sum of two), and they stand in the same
    block.

    Before and after: `test/Transforms/Matmul/mm-plus-mm-example.mlir`. Linear in the ops.
    Numeric class: reassociates; in 16 bits changes precision. Inductor has no counter.
  }];
  let options = [Numerics];
}

def MatmulUnfuseBiasAddPass : FxGraphPDLLPass<"matmul-unfuse-bias-add"> {
  let summary = "Leave the sum of an addmm to its elementwise users";
  let description = [{
    `addmm(x, a, b; beta, alpha)` becomes `add(beta * x, mm(a, b); alpha)` (Inductor's
    `unfuse_bias_add_to_pointwise`): the sum joins the kernel of its users.

    Guards: on a GPU; all users are elementwise, or views all of whose users are; beta is not
    0 (NaNs of x would come up), and for integers is one. 16 bits stay
    (`keep-addmm-fused-for-half-dtypes`) except, on an Intel GPU, where x was narrowed to
    them.

    Before and after: `test/Transforms/Matmul/unfuse-bias-add-example.mlir`. Linear in the
    ops. Numeric class: reassociates; in 16 bits changes precision. Inductor has no counter.
  }];
  let options = [DefaultDevice,
    Option<"keepAddmmFusedForHalfDtypes", "keep-addmm-fused-for-half-dtypes", "bool", "true", "Leave f16 and bf16 alone">,
    Numerics];
}

def MatmulBmmToMmPass : FxGraphPDLLPass<"matmul-bmm-to-mm"> {
  let summary = "Multiply batches of one matrix as matrices";
  let description = [{
    `bmm(a, b)` becomes `unsqueeze(mm(squeeze(a, 0), squeeze(b, 0)), 0)` (Inductor's
    `bmm_to_mm`), if both batches are known to hold one matrix and are on a GPU.

    Before and after: `test/Transforms/Matmul/bmm-to-mm-example.mlir`. Linear in the ops.
    Numeric class: exact. Inductor has no counter.
  }];
  let options = [DefaultDevice];
}

def MatmulDecomposeMmPass : FxGraphPDLLPass<"matmul-decompose-mm"> {
  let summary = "Turn products that memory bounds into elementwise products and a sum";
  let description = [{
    `mm(a, b)` becomes `sum(a[:, :, None] * b[None]; 1)`, `bmm` the same behind its batch, and
    `addmm(x, a, b)` that plus x (Inductor's `decompose_mm_pass`).

    Which: on a GPU (cuda, xpu) an mm or addmm with m >= `min-first-dimension-decomposition`
    and k and n below `max-other-dimension-decomposition`, and a bmm of so many matrices with
    two of m, k and n below it; on the CPU an mm or addmm with m <=
    `cpu-max-first-dimension-decomposition` and k and n <=
    `cpu-max-other-dimension-decomposition`, and a bmm of so few matrices. Extents must be
    known to be so; `skip-dynamic-shape-dim-check` takes unknown ones too. Guard: alpha and
    beta are 1 (Inductor does not look).

    Before and after: `test/Transforms/Matmul/decompose-mm-example.mlir`. Linear in the ops.
    Numeric class: reassociates, for 16-bit operands are multiplied and summed in 32 bits,
    as a product does (Inductor's graph rounds each product). Counters: `decompose_mm`,
    `decompose_bmm`, `decompose_addmm`.
  }];
  let options = [
    Option<"minFirstDimensionDecomposition", "min-first-dimension-decomposition", "int64_t", "10240", "GPU: fewest rows, or matrices of a batch">,
    Option<"maxOtherDimensionDecomposition", "max-other-dimension-decomposition", "int64_t", "32", "GPU: the other extents are below this">,
    Option<"cpuMaxFirstDimensionDecomposition", "cpu-max-first-dimension-decomposition", "int64_t", "1", "CPU: most rows, or matrices of a batch">,
    Option<"cpuMaxOtherDimensionDecomposition", "cpu-max-other-dimension-decomposition", "int64_t", "2048", "CPU: the other extents are at most this">,
    Option<"skipDynamicShapeDimCheck", "skip-dynamic-shape-dim-check", "bool", "false", "Take extents that are not known for fitting ones">,
    DefaultDevice, NumericsOfAll];
}

def MatmulPadMmPass : FxGraphPDLLPass<"matmul-pad-mm"> {
  let summary = "Pad the operands of products to what a GPU reads at once";
  let description = [{
    `mm(a, b)` becomes `slice(mm(pad(a), pad(b)))` with m, k and n raised to multiples of 8
    (f16, bf16) or 4 (f32) by zeros; `bmm` and `addmm` alike, the input of an addmm only where
    it does not broadcast (Inductor's `pad_mm`).

    Can be padded: products on a GPU of these dtypes without empty operands, of each of which
    an extent is known. Extents that are 1 or not known stay. An addmm's input must be known
    to broadcast or not (Inductor does not look).

    Should be padded: with `force-shape-pad` all; else products that arithmetic bounds and
    that a cost model says are faster by `shape-padding-multiplier`, copies included
    (Inductor measures). Operands that could be made padded, at the place where they are
    made, cost no copy: those that are no argument, no result of a product or convolution, no
    cat of more than 8, and row-major. `before-hopper` is Inductor's rule for bf16 on older
    GPUs: where k exceeds m and n, products count as bound by arithmetic, and from
    `k-threshold-to-pad` on, for odd n, are padded.

    Before and after: `test/Transforms/Matmul/pad-mm-example.mlir`. Linear in the ops.
    Numeric class: reassociates (zeros add nothing). Inductor counts its measurements
    (`pad_mm_bench`), of which there are none here.
  }];
  let options = [
    Option<"forceShapePad", "force-shape-pad", "bool", "false", "Pad whatever can be padded">,
    Option<"shapePaddingMultiplier", "shape-padding-multiplier", "double", "1.1", "Pad if the padded product is faster by this factor">,
    Option<"kThresholdToPad", "k-threshold-to-pad", "int64_t", "8388608", "with before-hopper: bf16 products are padded from this k on; 0: never for that">,
    Option<"beforeHopper", "before-hopper", "bool", "false", "The GPU is older than Hopper">,
    Option<"unalignedRate", "unaligned-rate", "double", "0.5", "Speed of the arithmetic of a product that is not aligned, against one that is">,
    DefaultDevice, NumericsOfAll];
}

def MatmulActivationAddmmPass : FxGraphPDLLPass<"matmul-activation-addmm"> {
  let summary = "Compute relu and gelu with the addmm before them";
  let description = [{
    `relu(addmm(x, a, b))` becomes `addmm_activation(x, a, b)`, and `gelu(…; "tanh")` the same with
    `use_gelu` (`relu_addmm_fusion` and `gelu_addmm_fusion` of a development branch of
    Inductor, whose gelu exchanges alpha and beta).

    Guards: on a GPU; floats; x is a bias with one value for each column, and beta is 1; gelu
    goes by tanh, as the op does on a GPU; nothing else uses the addmm; no elementwise op or
    reduction uses the result, also behind views, as its kernel takes the activation.

    Before and after: `test/Transforms/Matmul/activation-addmm-example.mlir`. Linear in the
    ops. Numeric class: exact, for the op is defined as the two. Inductor has no counter.
  }];
  let options = [DefaultDevice];
}

def MatmulIntMmMulPass : FxGraphPDLLPass<"matmul-int-mm-mul"> {
  let summary = "Scale a product of 8-bit integers as it is made";
  let description = [{
    `mul(int_mm(a, b), s)`, with the cast that the dtypes ask for, becomes `int_mm_mul(a, b,
    s)` (Inductor's `force_fuse_int_mm_with_mul`).

    Guards: on CUDA; the scale is a matrix of floats on the product's device that is known to
    broadcast to it; nothing else uses the product.

    Before and after: `test/Transforms/Matmul/int-mm-mul-example.mlir`. Linear in the ops.
    Numeric class: exact, for the op is defined as the two. Inductor has no counter.
  }];
  let options = [DefaultDevice];
}

def MatmulB2bGemmPass : FxGraphPass<"matmul-b2b-gemm"> {
  let summary = "Compute two products, and what is between them, at once";
  let description = [{
    `mm(f(mm(a, b)), c)` and `mm(a, f(mm(b, c)))` become `b2b_gemm(a, b, c)` with f in its region
    (Inductor's `b2b_gemm_pass`): the matrix between them is never written.

    Guards: f is made of elementwise ops on the inner product and numbers alone, gives a
    matrix of its type, and nothing else uses what is inside; one operand of the outer product
    depends on the inner one; the inner one has two different operands; all in one block; on a
    GPU (cuda, xpu); floats (Inductor writes f16 whatever they are); known extents, for which
    Inductor's count of reads, the geometric mean over the three best of its twelve tiles,
    says that one op reads less than two. Of three products in a row the last two are taken.

    Before and after: `test/Transforms/Matmul/b2b-gemm-example.mlir`. Linear in the ops: no
    more than 256 are looked at behind a product. Numeric class: exact, for the op is defined
    as the products it replaces. Counter: `b2b_gemm`.
  }];
  let options = [DefaultDevice];
}

#endif // FXGRAPH_TRANSFORMS_MATMUL_PASSES_TD
