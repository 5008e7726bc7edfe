// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batch norms in evaluation mode become part of what feeds them.

#ifndef FXGRAPH_TRANSFORMS_CONVBN_PASSES_TD
#define FXGRAPH_TRANSFORMS_CONVBN_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

def ConvBNFoldPass : FxGraphPass<"convbn-fold"> {
  let summary = "Fold batch norms in evaluation mode into convolutions and linears";
  let description = [{
    `batch_norm(conv(x, W, b), mean, var, g, beta, eps)` becomes `conv(x, W', b')` with
    `s = g * rsqrt(var + eps)`, `W' = W * s` (over the output channels) and
    `b' = (b - mean) * s + beta` (Inductor's `fuse_conv_bn`).
    The new weight and bias are computed in the graph: no
    parameter is written, shared weights stay right, and whoever freezes the
    parameters folds them once.

    Folds `conv1d/2d/3d`, `convolution` (also transposed, also grouped) and `linear`
    with a result [n, c]. Guards: evaluation mode with running statistics; the
    convolution has no other user and a batch dimension; all of one dtype; W, b, mean,
    var, g and beta are constants of the run: `fxgraph.constant`s, or arguments of kind
    parameter, buffer or constant that the graph does not write
    (`require-constants=false` drops this guard: right for any values, at the price of
    computing W' anew in each run).

    For 16-bit parameters W' and b' are computed in 32 bits and rounded once.

    Before and after: `test/Transforms/ConvBN/convbn-fold-example.mlir`. Linear in the
    ops. Numeric class: changes precision. Counter: `fuse_conv_bn`.
  }];
  let options = [
    Option<"normChains", "norm-chains", "bool", "true",
      "Take the second of two norms in a row too, once the first is gone (Inductor: false)">,
    Option<"requireConstants", "require-constants", "bool", "true", "Fold only parameters that do not change between runs">,
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"relaxed\"", "The fold changes roundings: it needs relaxed, and does nothing with exact or reassociate">];
}

def ConvBNEfficientEvalPass : FxGraphPass<"convbn-efficient-eval"> {
  let summary = "Compute batch norms in evaluation mode through the weights of what feeds them";
  let description = [{
    `batch_norm(conv(x, W, b), mean, var, g, beta, eps)` becomes `conv(x, W * s, beta + (b -
    mean) * s)` with `s = g * rsqrt(var + eps)` computed in the graph (Inductor's
    `efficient_conv_bn_eval_pass`): in training with frozen statistics the activations pass
    memory once less, and gradients still reach W, b, g and beta.

    As `fxgraph-convbn-fold`, but parameters may change between runs. Guards: evaluation
    mode with running statistics; the convolution (`conv1d/2d/3d`, transposed, `linear` with a
    result [n, c]) has no other user and a batch dimension; one dtype and device; eps > 0.
    Not done: grouped transposed convolutions, a linear on [n, l, c] (the norm is over l),
    where Inductor's rewrite goes wrong.

    Before and after: `test/Transforms/ConvBN/convbn-efficient-eval-example.mlir`. Linear
    in the ops. Numeric class: changes precision. Counter: `efficient_conv_bn_eval`.
  }];
  let options = [
    Option<"normChains", "norm-chains", "bool", "true",
      "Take the second of two norms in a row too, once the first is gone (Inductor: false)">,
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"relaxed\"", "The rewrite changes roundings: it needs relaxed, and does nothing with exact or reassociate">];
}

#endif // FXGRAPH_TRANSFORMS_CONVBN_PASSES_TD
