// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From values to writes (torch/_inductor/fx_passes/reinplace.py, post_grad.py), control flow as loops.

#ifndef FXGRAPH_TRANSFORMS_MUTATION_PASSES_TD
#define FXGRAPH_TRANSFORMS_MUTATION_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

def MutationReinplacePass : FxGraphPass<"mutation-reinplace"> {
  let summary = "Mark operands whose memory an op may overwrite with its result";
  let description = [{
    An op that gives a changed copy of an operand (`index_put`, `unsafe_index_put`, the scatter
    family, `slice_scatter`, `select_scatter`, `all_reduce`, `all_reduce_coalesced`) gets the
    attribute `fxgraph.inplace`, the numbers of the operands that it may be computed in; an
    `auto_functionalized` gets `only_clone`, the mutated operands that still need a copy. The
    values of the graph stay what they are: a mark is a permission for whoever gives values
    memory, and holds until the graph is changed. Running the pass again makes all marks anew.

    Guards (Inductor's `can_inplace`): all values that may share the operand's memory count,
    through views, ops that may return their operand, and results that are computed in place
    themselves. None that overlaps the operand is read by a later op; the overwriting part of a
    `copy_` and what only asks for sizes are no reads, views are read where their results are.
    Static slices, selects and splits of one tensor are known not to overlap. An argument is
    only overwritten where a later `copy_` gives it its final value, a view of one never;
    nor are literals and the arguments of regions. Of the lists of `all_reduce_coalesced` all
    members are overwritten or none, each in memory of its own. Beyond Inductor's: the other
    operands of the op do not overlap it either (`op(x, x)`; of two mutated ones of one memory
    one is copied), no operand is overwritten whose elements share memory (`expand`), and what
    `copy_` reads is a read.

    View-scatters are taken in their canonical form: in
    `slice_scatter(x, op(slice(x; p)); p)` the outer op is no reader of what the inner one
    writes, and both may be in place.

    Not done: nothing is rewritten, `copy_` stays. Whether it pays is the back end's question.

    Source: `reinplace_inplaceable_ops_core`. Before and after:
    `test/Transforms/Mutation/reinplace-example.mlir`. Linear in the ops and uses, but for a
    factor of at most 256 later uses of other parts of one tensor. Numeric class: exact.
    Counters: `missed_tensors_AUTO_FUNC`, `missed_tensors_TRITON_OPS`, as Inductor's
    `ReinplaceCounters`.
  }];
}

def MutationDecomposeScanToWhileLoopPass : FxGraphPass<"mutation-decompose-scan-to-while-loop"> {
  let summary = "Turn scans into while loops that fill their results";
  let description = [{
    `scan` becomes `while_loop` over a counter, the carried values and a tensor for each stacked
    result (zeros at first): a step takes element i of each scanned tensor (`index`), runs the
    body and puts what it yields at i (`index_put`).

    Guards: extents of the stacked results that are not static are those of operands, and all
    tensors are on one device. A scan that does not meet them is an error: none may be left.

    Source: `decompose_scan_to_while_loop` of post_grad.py. Before and after:
    `test/Transforms/Mutation/decompose-scan-to-while-loop-example.mlir`. Linear in the ops, a
    body that is nested n deep counts n times. Numeric class: exact.
  }];
}

def MutationDecomposeMapToWhileLoopPass : FxGraphPass<"mutation-decompose-map-to-while-loop"> {
  let summary = "Turn maps into while loops that fill their results";
  let description = [{
    As `fxgraph-mutation-decompose-scan-to-while-loop`, without carried values.

    Guards: as there. A map that does not meet them is an error: none may be left.

    Source: `decompose_map_to_while_loop` of post_grad.py. Before and after:
    `test/Transforms/Mutation/decompose-map-to-while-loop-example.mlir`. Linear in the ops, a
    body that is nested n deep counts n times. Numeric class: exact.
  }];
}

def MutationDecomposeAutoFunctionalizedPass : FxGraphPass<"mutation-decompose-auto-functionalized"> {
  let summary = "Turn calls on copies into copies and calls that write to them";
  let description = [{
    `auto_functionalized` becomes a `clone` of each mutated operand, or only of those in
    `only_clone` (`fxgraph-mutation-reinplace`), and the call itself, an `opaque` that writes them.
    Calls of Triton kernels are left to `fxgraph-mutation-decompose-triton-kernel-wrapper`.

    No guard refuses one: afterwards there is none of these.

    Source: `decompose_auto_functionalized` of post_grad.py. Before and after:
    `test/Transforms/Mutation/decompose-auto-functionalized-example.mlir`. Linear in the ops.
    Numeric class: exact.
  }];
}

def MutationDecomposeTritonKernelWrapperPass : FxGraphPass<"mutation-decompose-triton-kernel-wrapper"> {
  let summary = "Turn calls of Triton kernels on copies into copies and calls that write to them";
  let description = [{
    `auto_functionalized "higher_order.triton_kernel_wrapper_mutation"` becomes a `clone` of each
    mutated operand, or only of those in `only_clone`, and the launch itself, an `opaque` that
    writes them. The kernel stays whole.

    No guard refuses one: afterwards there is none of these.

    Source: `decompose_triton_kernel_wrapper_functional` of post_grad.py. Before and after:
    `test/Transforms/Mutation/decompose-triton-kernel-wrapper-example.mlir`. Linear in the ops.
    Numeric class: exact.
  }];
}

#endif // FXGRAPH_TRANSFORMS_MUTATION_PASSES_TD
