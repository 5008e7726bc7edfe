// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows from parameters that no longer change.

#ifndef FXGRAPH_TRANSFORMS_FREEZING_PASSES_TD
#define FXGRAPH_TRANSFORMS_FREEZING_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

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

def FreezingBinaryFoldingPass : FxGraphPass<"freezing-binary-folding"> {
  let summary = "Fold sums and products with constants into the weights before them";
  let description = [{
    `conv(x, W, b) + c` becomes `conv(x, W, b + c)`, `conv(x, W, b) * c` becomes `conv(x,
    W * c, b * c)`, and so for `-` and `/` (Inductor's `binary_folding`), for `conv1d`, `conv2d`,
    `conv3d`, `convolution` and, with `enable-linear-binary-folding`, `linear`, `mm` (which a sum
    makes an `addmm`) and `addmm`, also behind a reshape that keeps the outputs. The new weights are computed in
    the graph, where `fxgraph-freezing-split` finds them; several ops in a row go one after
    the other, in one run.

    Guards: c, W and b are constants of the run: `fxgraph.constant`s, or made of arguments of
    kind parameter, buffer or constant that the graph does not write (Inductor tests the
    weight a second time instead of the bias); c is a float number, or floats with one value
    for each output, at the place of the outputs in the result (Inductor tests the shape
    alone), or one for all; nothing else uses the weight or the result; a factor of a sum is
    kept; the result keeps its type. Not done: grouped transposed convolutions, biases of an addmm that
    it scales, quotients that round, constants that are infinite. A divisor must be known not to be 0 (a
    literal), or `assume-nonzero-divisors` says so for weights, as Inductor assumes: with a weight of 0 the result is NaN
    where it was infinite.

    Weights of 16 bits are folded in 32 bits and rounded once. A constant of 32 bits behind
    them is folded if the result is narrowed again (Inductor's mixed folding).

    Before and after: `test/Transforms/Freezing/binary-folding-example.mlir`. Linear in the
    ops. Numeric class: changes precision. Counters: `binary_folding`, and for convolutions
    `binary_folding_conv` too.
  }];
  let options = [
    Option<"enableLinearBinaryFolding", "enable-linear-binary-folding", "bool", "false", "Fold into linear, mm and addmm too">,
    Option<"assumeNonzeroDivisors", "assume-nonzero-divisors", "bool", "false", "No weight that divides has an element 0">,
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"relaxed\"", "The fold changes roundings: it needs relaxed, and does nothing with exact or reassociate">];
}

def FreezingMatmulConcatPass : FxGraphPass<"freezing-matmul-concat"> {
  let summary = "Multiply one input with all its constant weights at once";
  let description = [{
    `mm(x, w1)`, `mm(x, w2)`, … become `split_with_sizes(mm(x, cat([w1, w2, …]; 1)); 1)`, and
    `addmm(b1, x, w1)`, … alike (Inductor's `matmul_fuse_pattern` and `addmm_fuse_pattern`,
    which take two or three products, and three addmms; here any number from two on).

    Guards: weights and biases are constants of the run (see
    `fxgraph-freezing-binary-folding`), weights are different values of known extents, biases
    have one value for each output; alpha and beta are 1. What makes weights moves before the
    first product. On the CPU only with `enable-concat-linear`. A result that would share storage
    with another is cloned.

    Before and after: `test/Transforms/Freezing/matmul-concat-example.mlir`. Linear in the
    ops. Numeric class: reassociates. Inductor has no counter.
  }];
  let options = [
    Option<"enableConcatLinear", "enable-concat-linear", "bool", "false", "Join products on the CPU too">,
    DefaultDevice,
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"reassociate\"", "exact: do nothing; reassociate or relaxed: join">];
}

#endif // FXGRAPH_TRANSFORMS_FREEZING_PASSES_TD
