// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that change nothing.

#ifndef FXGRAPH_TRANSFORMS_NOOP_PASSES_TD
#define FXGRAPH_TRANSFORMS_NOOP_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

def NoopRemovePass : FxGraphPass<"noop-remove"> {
  let summary = "Replace ops that change nothing by their operand";
  let description = [{
    Inductor's `remove_noop_pass` and `remove_noop_ops`: views to their own shape,
    identity permutations, whole slices, zero pads, `cat` of one tensor, casts and views to
    the own dtype, moves to the own device, clones that separate nothing, dropout in evaluation, `x * 1`, `x / 1`, `x - 0`, `x ** 1`,
    `-(-x)` and the like; the list is lib/Transforms/NoOp/Patterns.td.

    Exact: only in the same type and bit for bit (`x + 0.0` stays, for it turns -0
    into +0). A result of the graph that would become an argument or another result
    is cloned, or keeps its view. `contiguous` goes only where the input is known to
    lie in row-major order, `detach` never, as autodiff comes later; with `inference`
    both go.
    Documented example: test/Transforms/NoOp/noop-remove-example.mlir.
  }];
  let options = [
    Option<"inference", "inference", "bool", "false", "drop detach and every contiguous too: no gradients, and no stride is looked at">,
    Option<"counter", "counter", "::fxgraph::OptionText", "\"\"", "count removals under this name (pre-dispatch: remove_noop_pass)">
  ];
}

def NoopCSEPass : FxGraphPass<"noop-cse"> {
  let summary = "Compute what is computed twice once";
  let description = [{
    Equal ops without effects on equal operands become one; those that commute (sums without
    a factor, products, equality, logic) in either order of their operands. What is asserted
    twice is asserted once. Random ops, writes and unknown ops have effects and stay; an argument
    is the same value before and after a write to it, as writes show in later runs only.
    What two results of the graph, or a result and an argument, then share gets a clone
    where they shared nothing before.

    Numeric class: exact. Linear in the ops. No counter: Inductor has it elsewhere
    (torch/_inductor/fx_passes of the joint graph run on a graph that AOTAutograd has
    cleaned up).

    Example: test/Transforms/NoOp/noop-cse-example.mlir
  }];
}

#endif // FXGRAPH_TRANSFORMS_NOOP_PASSES_TD
