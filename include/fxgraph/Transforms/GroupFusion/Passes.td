// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many small ops of one kind become one: batched on a new dimension, or joined
// along an existing one.

#ifndef FXGRAPH_TRANSFORMS_GROUPFUSION_PASSES_TD
#define FXGRAPH_TRANSFORMS_GROUPFUSION_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

/// The options of all group fusions, under Inductor's names.
class GroupFusionPass<string flag, string minSize = "5"> : FxGraphPass<flag> {
  list<Option> groupOptions = [
    Option<"minFuseSetSize", "min-fuse-set-size", "unsigned", minSize, "Fuse at least this many ops (2 or more)">,
    Option<"maxFuseSetSize", "max-fuse-set-size", "unsigned", "300",
      "Fuse at most this many ops; larger sets are cut into equal parts">,
    Option<"maxFuseSearchDepth", "max-fuse-search-depth", "unsigned", "0",
      "0: search the whole block. d > 0: Inductor's search, which fuses ops at most d steps above a common user">];
  let options = groupOptions;
}

defvar NumericsHelp = "exact: only bit-equal rewrites; reassociate: also other summation orders; relaxed: also other roundings";

def GroupBatchLinearPass : GroupFusionPass<"group-batch-linear"> {
  let summary = "Batch linears of equal shapes into one batched matrix product";
  let description = [{
    `y_i = linear(x_i, w_i, b_i)` becomes `unbind(baddbmm(stack(b_i), stack(x_i),
    transpose(stack(w_i))))`, or `bmm` without biases (Inductor's `batch_linear`).

    A group holds linears that do not depend on each other, with inputs [m, k] and
    weights [n, k] of equal types (shape, dtype and device), biases [n] or none,
    whose inputs are pieces of one split, or of none. Not done: inputs of another
    rank, vector weights, broadcast biases, extents not known to be equal.

    Before and after: `test/Transforms/GroupFusion/batch-linear-example.mlir`.
    Numeric class: reassociates. Counter: `batch_linear`.
  }];
  let options = !listconcat(groupOptions, [Option<"numerics", "numerics", "std::string", "\"reassociate\"", NumericsHelp>]);
}

def GroupBatchTanhPass : GroupFusionPass<"group-batch-tanh"> {
  let summary = "Batch tanhs of equal types into one";
  let description = [{
    `y_i = tanh(x_i)` becomes `unbind(tanh(stack(x_i)))` (Inductor's `batch_tanh`),
    for ops that do not depend on each other with inputs of one type.

    Before and after: `test/Transforms/GroupFusion/batch-pointwise-example.mlir`.
    Numeric class: exact. Counter: `batch_tanh`.
  }];
}
def GroupBatchReluPass : GroupFusionPass<"group-batch-relu"> {
  let summary = "Batch relus of equal types into one";
  let description = "As `fxgraph-group-batch-tanh`. Counter: `batch_relu`.";
}
def GroupBatchSigmoidPass : GroupFusionPass<"group-batch-sigmoid"> {
  let summary = "Batch sigmoids of equal types into one";
  let description = "As `fxgraph-group-batch-tanh`. Counter: `batch_sigmoid`.";
}

#endif // FXGRAPH_TRANSFORMS_GROUPFUSION_PASSES_TD
