// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes over the joint graph of forward and backward (torch/_inductor/fx_passes/joint_graph.py).

#ifndef FXGRAPH_TRANSFORMS_JOINTGRAPH_PASSES_TD
#define FXGRAPH_TRANSFORMS_JOINTGRAPH_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

def JointGraphCanonicalizeQuantMappingPass : FxGraphPDLLPass<"jointgraph-canonicalize-quant-mapping"> {
  let summary = "Give regions of a quantization scheme their plain form";
  let description = [{
    `invoke_quant` that is `packed`, as tracing leaves it, loses the mark (Inductor's `canonicalize_quant_mapping`):
    `invoke_quant_packed(graph, args; quant_options)` and its tuple become `invoke_quant(graph, args)`. Region, `scheme` and
    `codegen_low_precision` stay. In Inductor a graph with several results, or used twice, keeps its tuple; results of an op are no tuple here.

    Before and after: `test/Transforms/JointGraph/canonicalize-quant-mapping-example.mlir`. Linear in the ops. Numeric class: exact. No counter.
  }];
}

def JointGraphConstantFoldUniformValuePass : FxGraphPass<"jointgraph-constant-fold-uniform-value"> {
  let summary = "Replace what is one number everywhere by full";
  let description = [{
    An abstract interpretation (Inductor's `constant_fold_uniform_value`): a value is one number everywhere, or not known. Sources
    are `full` and constants of one number; views, slices, `expand`, `repeat`, `flip`, `roll` and copies hand it on; an elementwise op
    of such values is run on one element by the interpreter; a product of integers with 0 is 0, of floats it is not known (NaN,
    infinities, -0). Each such value becomes a `full` of its shape. What this makes of `x + 0`, `x * 1` and the like
    (`remove_no_ops`) is `fxgraph-noop-remove`'s.

    Guards: no unsigned integers, no integers beyond 2^53; each dynamic extent is a symbol that an argument of the graph
    has; no unknown op may write to the value. A failure of the op on its numbers is left to the run. `cat` and reductions are not looked through, as
    in Inductor.

    Before and after: `test/Transforms/JointGraph/constant-fold-uniform-value-example.mlir`. Linear in the ops. Numeric class: exact. No counter.
  }];
}

def JointGraphPointlessViewsPass : FxGraphPDLLPass<"jointgraph-pointless-views"> {
  let summary = "Drop views that undo each other";
  let description = [{
    Four groups (Inductor's `early_patterns` and `remove_redundant_views`):

    * `pointless-view`: a `view` or `reshape` to the own shape;
    * `pointless-view-pair`: a `view` or `reshape` back to the shape before the one before it (`view`, `reshape`, `flatten`, `unflatten`,
      `squeeze`, `unsqueeze`), also with a `clone` between them, which stays;
    * `pointless-permute-pair`: two of `permute` and `transpose` that undo each other;
    * `redundant-view`: views of another dtype of views of another dtype.

    Guards: the first of a pair has no other user; extents are equal for certain (`?` is not); no result of the graph becomes
    an argument or another result.

    Before and after: `test/Transforms/JointGraph/pointless-views-example.mlir`. Linear in the ops. Numeric class: exact. Counter:
    `removed_pointless_view_pair`, of the second group.
  }];
}

def JointGraphPointlessConvertPass : FxGraphPDLLPass<"jointgraph-pointless-convert"> {
  let summary = "Cast once instead of twice";
  let description = [{
    `cast(cast(x; t1); t2)` becomes `cast(x; t2)`, or x if that is its dtype (Inductor's `pointless_convert`).

    Guards: the three dtypes are among f16, bf16, f32 and f64; t1 is not narrower than t2, as that rounds on purpose (older
    versions of PyTorch dropped it); the first cast has no other user. With `emulate-precision-casts` t1 holds every number of the dtype of x.

    Before and after: `test/Transforms/JointGraph/pointless-convert-example.mlir`. Linear in the ops. Numeric class: exact where t1 holds every
    number of the dtype of x; else changes precision, as one rounding is gone. No counter.
  }];
  let options = [
    Option<"emulatePrecisionCasts", "emulate-precision-casts", "bool", "false", "only casts that lose nothing in between">,
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"relaxed\"", "exact or reassociate: as with emulate-precision-casts; relaxed: all">];
}

def JointGraphFixIotaDevicePass : FxGraphPDLLPass<"jointgraph-fix-iota-device"> {
  let summary = "Make indices on the device that they are used on";
  let description = [{
    An `arange` on the CPU all of whose users index tensors of one other device is made there (Inductor's `fix_iota_device`):
    PyTorch takes such indices, and copies them on each call. `index` and `index_put` of the dialect want one device, so that the users
    are the calls that import keeps whole, `aten.index.Tensor` and `aten.index_put.default`.

    Before and after: `test/Transforms/JointGraph/fix-iota-device-example.mlir`. Linear in the ops. Numeric class: exact. No counter.
  }];
}

def JointGraphScaledSoftmaxPass : FxGraphPDLLPass<"jointgraph-scaled-softmax"> {
  let summary = "Take the maximum of a softmax before the scale";
  let description = [{
    `s - amax(s)` with `s = x * y` or `x / y` becomes `(z - amax(z)) * |y|` (or `/`), with z = x, or -x where y is negative (Inductor's
    `mul_softmax_pattern` and `div_softmax_pattern`): the scaled values are computed once, and cannot differ between two fused
    kernels. Rows of s that are not finite keep the original difference, by a `where`. Runs after `fxgraph-attention-fuse`.

    Guards: floating point; no cast of s, which PyTorch takes too (the product's rounding to the narrow dtype would be lost); y is a number, or has extent 1 along each reduced dimension; `keepdim`; the quotient does not round.

    Before and after: `test/Transforms/JointGraph/scaled-softmax-example.mlir`. Linear in the ops. Numeric class: changes precision. No counter.
  }];
  let options = [
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"relaxed\"", "It needs relaxed, and does nothing with exact or reassociate">];
}

def JointGraphReplaceRandomPass : FxGraphPDLLPass<"jointgraph-replace-random"> {
  let summary = "Draw random numbers by seeds";
  let description = [{
    `rand`, `randn` and `randint` draw by a seed of their own, `inductor_random` and `inductor_randint` of an
    `inductor_seed` (Inductor's `replace_random_passes`): what is drawn then depends on the seed, and no longer on what was drawn before. The
    prims draw in f32 and i64; a cast follows for other dtypes. `fxgraph-jointgraph-fuse-seed-creation` comes next.

    Draws from a generator are not imported. The numbers are others than eager's, of the same distribution: `numerics`
    must be relaxed, and the rewrite cannot be checked. Inductor leaves the step out with `fallback_random`.

    Before and after: `test/Transforms/JointGraph/replace-random-example.mlir`. Linear in the ops. Numeric class: changes precision (other numbers). No counter.
  }];
  let options = [
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"relaxed\"", "It needs relaxed, and does nothing with exact or reassociate">];
}

def JointGraphFuseSeedCreationPass : FxGraphPass<"jointgraph-fuse-seed-creation"> {
  let summary = "Draw the seeds of a device at once";
  let description = [{
    All `inductor_seed` of one device in a block become one `inductor_seeds`, where the first was, and an
    `inductor_lookup_seed` each, in the order of the block (Inductor's `fuse_seed_creation_pass`).

    Before and after: `test/Transforms/JointGraph/fuse-seed-creation-example.mlir`. Linear in the ops. Numeric class: changes precision (other
    seeds). No counter.
  }];
  let options = [
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"relaxed\"", "It needs relaxed, and does nothing with exact or reassociate">];
}

#endif // FXGRAPH_TRANSFORMS_JOINTGRAPH_PASSES_TD
