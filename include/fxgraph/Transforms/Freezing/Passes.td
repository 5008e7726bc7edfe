// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows from parameters that no longer change.

#ifndef FXGRAPH_TRANSFORMS_FREEZING_PASSES_TD
#define FXGRAPH_TRANSFORMS_FREEZING_PASSES_TD

include "mlir/Pass/PassBase.td"

def FreezingSplitPass : Pass<"fxgraph-freezing-split", "::mlir::ModuleOp"> {
  let summary = "Move the work on parameters alone into a function of its own, to be run once";
  let description = [{
    Stacked weights of batched linears and folded batch norms are computed in the graph.
    For each function `@f` this pass makes `@f.prepare`, which takes parameters and
    returns what `@f` needs of them, and gives `@f` one more argument for each of its
    results (kind "constant", names frozen0, frozen1, …). Parameters that `@f` no longer
    uses are dropped; all arguments keep their names, by which callers pass them.
    `part` leaves only one of the two in the module: `main` or `prepare`, the latter
    under the name of `@f`.

    Moved is what depends on arguments of another kind than "input" alone, and is neither
    random, nor written, nor a view of a parameter: views cost nothing where they are. What
    is returned is copied, as a result must not share memory with an argument.

    As a pass it changes what callers pass; it is part of no pipeline.
    Numeric class: exact. Complexity: linear.

    Example: test/Transforms/Freezing/split-example.mlir
  }];
  let options = [
    Option<"part", "part", "::fxgraph::OptionText", "\"both\"", "What stays in the module: both, main or prepare">,
    Option<"prefix", "prefix", "::fxgraph::OptionText", "\"frozen\"", "Names of the new arguments: this and a number">];
  let dependentDialects = ["::fxgraph::FxGraphDialect"];
}

#endif // FXGRAPH_TRANSFORMS_FREEZING_PASSES_TD
