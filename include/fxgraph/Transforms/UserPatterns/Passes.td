// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Users' own patterns, as text.

#ifndef FXGRAPH_TRANSFORMS_USERPATTERNS_PASSES_TD
#define FXGRAPH_TRANSFORMS_USERPATTERNS_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

def ApplyPatternsPass : FxGraphPDLLPass<"apply-patterns"> {
  let summary = "Apply the rules of a file";
  let description = [{
    Rewrites by patterns that are written in PDLL (or are a PDL module) and compiled when
    the pass is set up; PDLL needs LLVM's tool `mlir-pdll`. `docs/Passes/UserPatterns.md`
    begins at nothing and ends at a rule that fires. A lone path is the file:
    `--fxgraph-apply-patterns=rules.pdll`.

    The rules run together, until none matches. Each counts under its own name and is
    checked by `--fxgraph-verify-rewrites` in the class that it declares
    (`Reassociates(root)`, `ChangesPrecision(root)`; exact without a word). Every op that a
    rule starts from by name and that it did not match is a missed remark with the
    operand, attribute or constraint that refused.

    Errors, each at its place in the file: what `mlir-pdll` says, unknown ops, attributes,
    constraints and arguments of constraints. Errors at the op: a rewrite that makes an
    invalid op, puts a value in the place of one of another type, erases an op in use or
    drops effects without `DropsEffects(op)`, and rules that go on for ever (named, after
    64 rewrites an op). Storage at the boundary of the graph stays as separate as it was.

    Before and after: `test/Transforms/UserPatterns/apply-patterns-example.mlir`. Linear in
    the ops and rewrites. Numeric class: the rule's. Counter: the rule's name.
  }];
  let options = [
    Option<"file", "file", "::fxgraph::OptionText", "\"\"", "The rules: PDLL, or PDL as .mlir, .pdl or .mlirbc">,
    Option<"pdll", "pdll", "::fxgraph::OptionText", "\"\"",
      "The program mlir-pdll (default: $FXGRAPH_PDLL, beside the library or MLIR's, on PATH)">,
    ListOption<"include", "include", "::fxgraph::OptionText", "More folders for #include, besides the file's own">,
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"relaxed\"",
      "exact, reassociate or relaxed: the widest class of rules that run">,
    Option<"assume", "assume", "::fxgraph::OptionText", "\"exact\"",
      "exact, reassociate or relaxed: the class of rules that declare none">,
    Option<"counter", "counter", "::fxgraph::OptionText", "\"\"", "One counter for all rules (default: each rule's name)">,
    Option<"name", "name", "::fxgraph::OptionText", "\"\"", "What rules without a name are called (default: the file's name)">];
}

#endif // FXGRAPH_TRANSFORMS_USERPATTERNS_PASSES_TD
