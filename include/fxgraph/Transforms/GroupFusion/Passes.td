// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many small ops of one kind become one: batched on a new dimension, or joined
// along an existing one.

#ifndef FXGRAPH_TRANSFORMS_GROUPFUSION_PASSES_TD
#define FXGRAPH_TRANSFORMS_GROUPFUSION_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

defvar NumericsHelp = "exact: only bit-equal rewrites; reassociate: also other summation orders; relaxed: also other roundings";

/// The options of all group fusions, under Inductor's names.
class GroupFusionPass<string flag, string minSize = "5"> : FxGraphPDLLPass<flag> {
  list<Option> groupOptions = [
    Option<"minFuseSetSize", "min-fuse-set-size", "unsigned", minSize, "Fuse at least this many ops (2 or more)">,
    Option<"maxFuseSetSize", "max-fuse-set-size", "unsigned", "300",
      "Fuse at most this many ops; larger sets are cut into equal parts">,
    Option<"maxFuseSearchDepth", "max-fuse-search-depth", "unsigned", "0",
      "0: search the whole block. d > 0: Inductor's search, which fuses ops at most d steps above a common user">,
    Option<"profitableOnly", "profitable-only", "bool", "false",
      "Fuse only where the cost model expects a gain in time and no more ops (Analysis/CostModel.h)">,
    Option<"freezing", "freezing", "bool", "false",
      "Parameters do not change between runs: for profitable-only, work on them alone costs nothing">];
  let options = groupOptions;
}

/// … of those whose key may ask for the users.
class UserKeyedPass<string flag> : GroupFusionPass<flag> {
  let options = !listconcat(groupOptions, [
    Option<"fuseNodesWithSameUsers", "fuse-nodes-with-same-users", "bool", "false",
      "Fuse only ops whose results have users of the same kinds, in the same order">,
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"reassociate\"", NumericsHelp>]);
}

/// … of tanh, sigmoid, relu.
class PointwiseFusionPass<string flag> : GroupFusionPass<flag> {
  let options = !listconcat(groupOptions, [
    Option<"fuseNodesWithSameParent", "fuse-nodes-with-same-parent", "bool", "false",
      "Fuse only ops whose operands are made by ops of one kind (an argument is a kind of its own)">]);
}

/// … of detach, nan_to_num, clamp, dropout.
class MathFusionPass<string flag> : GroupFusionPass<flag> {
  list<Option> mathOptions = !listconcat(groupOptions, [
    Option<"sameFirstUser", "same-first-user", "bool", "true",
      "Fuse only ops whose first users are of one kind, as Inductor does">]);
  let options = mathOptions;
}


def GroupBatchLinearPass : UserKeyedPass<"group-batch-linear"> {
  let summary = "Batch linears of equal shapes into one batched matrix product";
  let description = [{
    `y_i = linear(x_i, w_i, b_i)` becomes `unbind(baddbmm(stack(b_i), stack(x_i),
    transpose(stack(w_i))))`, or `bmm` without biases (Inductor's `batch_linear`).

    A group holds linears that do not depend on each other, with inputs [m, k] and
    weights [n, k] of equal types (shape, dtype and device), biases [n] or none,
    whose inputs are pieces of one split, or of none; with
    `fuse-nodes-with-same-users` also with users of the same kinds. Not done: inputs of another
    rank, vector weights, broadcast biases, extents not known to be equal.

    Before and after: `test/Transforms/GroupFusion/batch-linear-example.mlir`.
    Numeric class: reassociates. Counter: `batch_linear`.
  }];
}

def GroupBatchLinearLhsPass : GroupFusionPass<"group-batch-linear-lhs"> {
  let summary = "Join linears of one rank-2 input into one matrix product";
  let description = [{
    `y_i = linear(x, w_i, b_i)` becomes `split_with_sizes(addmm(cat(b_i), x,
    transpose(cat(w_i))))`, or `mm` without biases (Inductor's `batch_linear_lhs`).

    A group holds linears of one input [m, k] that do not depend on each other (their
    weights might), all with a bias [n_i] or all without; the n_i may differ. Not done:
    broadcast biases, a number of outputs that is not known.

    Before and after: `test/Transforms/GroupFusion/batch-linear-lhs-example.mlir`.
    Numeric class: reassociates. Counter: `batch_linear_lhs`.
  }];
  let options = !listconcat(groupOptions, [Option<"numerics", "numerics", "::fxgraph::OptionText", "\"reassociate\"", NumericsHelp>]);
}

def GroupFuseParallelLinearPass : GroupFusionPass<"group-fuse-parallel-linear", "2"> {
  let summary = "Join linears of one input of any rank into one linear";
  let description = [{
    `y_i = linear(x, w_i, b_i)` becomes `split_with_sizes(linear(x, cat(w_i), cat(b_i)))`.
    As `fxgraph-group-batch-linear-lhs`, but for inputs of any rank >= 1, from two
    linears on, and the result stays a `linear`.

    Before and after: `test/Transforms/GroupFusion/fuse-parallel-linear-example.mlir`.
    Numeric class: reassociates. Counter: `fuse_parallel_linear_pass`.
  }];
  let options = !listconcat(groupOptions, [Option<"numerics", "numerics", "::fxgraph::OptionText", "\"reassociate\"", NumericsHelp>]);
}

def GroupCatLinearPass : FxGraphPass<"group-cat-linear"> {
  let summary = "Turn a linear of a cat into a sum of linears of the parts";
  let description = [{
    `linear(cat(x_0, …, x_p; -1), W, b)` becomes `l_0 + … + l_p`, added from the left, with
    `l_i = linear(x_i, contiguous(slice(W)))` for the columns of W that meet x_i; b goes
    with l_0 alone (Inductor's `cat_linear`). A huge cat feeding a narrow linear is then
    never written.

    Guards: the linear is the cat's one user; the cat is along the last dimension, of 2 to
    `max-parts` parts of the cat's own rank >= 2; everything static; W [n, k] with n at
    most `max-output-width`; each part at least `min-piece-width` wide; and the cat holds
    at least `floor-bytes`. The groups of Inductor's other fusions do not apply: each
    linear is rewritten by itself. A slice of W is made once for all linears that need it,
    behind W.

    Before and after: `test/Transforms/GroupFusion/cat-linear-example.mlir`. Linear in the
    ops and operands. Numeric class: reassociates (integers: exact); in 16 bits changes
    precision, as each part's product rounds: refused unless `numerics=relaxed`.
    Counter: `cat_linear`, one a linear.
  }];
  let options = [
    Option<"maxOutputWidth", "max-output-width", "int64_t", "96", "Split linears of at most this many outputs">,
    Option<"floorBytes", "floor-bytes", "int64_t", "536870912", "Split only where the cat holds this many bytes or more">,
    Option<"minPieceWidth", "min-piece-width", "int64_t", "8", "Split only if the narrowest part has this last extent or more">,
    Option<"maxParts", "max-parts", "int64_t", "3", "Split cats of at most this many parts (2 or more)">,
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"reassociate\"", NumericsHelp>];
}

def GroupBatchLayernormPass : UserKeyedPass<"group-batch-layernorm"> {
  let summary = "Batch layer norms of equal types into one";
  let description = [{
    `y_i = layer_norm(x_i, S, w_i, b_i)` becomes one `layer_norm` of `stack(x_i)` without
    weights, then `mul` by the stacked weights and `add` of the stacked biases, then
    `unbind` (Inductor's `batch_layernorm`).

    A group holds norms that do not depend on each other, with inputs, weights and
    biases of equal types, the same S and eps. Inputs are stacked on a new first
    dimension (Inductor: in front of the normalised ones), so that the stack meets the
    unbind of a batched linear (`docs/Rationale/GroupFusion.md`).

    Numeric class: exact without weight and bias; in 32 and 64 bits reassociates; in
    16 bits changes precision, as the norm, the scale and the shift each round:
    refused unless `numerics=relaxed`.

    Before and after: `test/Transforms/GroupFusion/batch-layernorm-example.mlir`.
    Counter: `batch_layernorm`.
  }];
}

def GroupBatchTanhPass : PointwiseFusionPass<"group-batch-tanh"> {
  let summary = "Batch tanhs of equal types into one";
  let description = [{
    `y_i = tanh(x_i)` becomes `unbind(tanh(stack(x_i)))` (Inductor's `batch_tanh`),
    for ops that do not depend on each other with inputs of one type.

    Before and after: `test/Transforms/GroupFusion/batch-tanh-example.mlir`.
    Numeric class: exact. Counter: `batch_tanh`.
  }];
}
def GroupBatchReluPass : PointwiseFusionPass<"group-batch-relu"> {
  let summary = "Batch relus of equal types into one";
  let description = "As `fxgraph-group-batch-tanh`. Counter: `batch_relu`.";
}
def GroupBatchSigmoidPass : PointwiseFusionPass<"group-batch-sigmoid"> {
  let summary = "Batch sigmoids of equal types into one";
  let description = "As `fxgraph-group-batch-tanh`. Counter: `batch_sigmoid`.";
}

def GroupBatchDetachPass : MathFusionPass<"group-batch-detach"> {
  let summary = "Batch detaches of equal types into one";
  let description = [{
    As `fxgraph-group-batch-tanh`, but a group's members also have a first user of one
    kind, as in Inductor, whose members without users crash; here those are a kind of
    their own. `same-first-user=false` drops that condition. Counter: `batch_detach`.
  }];
}
def GroupBatchNanToNumPass : MathFusionPass<"group-batch-nan-to-num"> {
  let summary = "Batch nan_to_nums of equal types and values into one";
  let description = "As `fxgraph-group-batch-detach`; the replacement values must agree. Counter: `batch_nan_to_num`.";
}
def GroupBatchClampPass : MathFusionPass<"group-batch-clamp"> {
  let summary = "Batch clamps of equal types and bounds into one";
  let description = "As `fxgraph-group-batch-detach`; the bounds must agree. Counter: `batch_clamp`.";
}
def GroupBatchDropoutPass : MathFusionPass<"group-batch-dropout"> {
  let summary = "Batch dropouts into one";
  let description = [{
    As `fxgraph-group-batch-detach`, for dropouts of one `p` and `training`. Exact for
    those that draw nothing (`training` off, or `p` 0).

    Those that draw are left alone unless `allow-rng-reorder`: the batched one draws one
    mask [g, …], so that each element is kept with the probability it had, but a seed
    no longer gives the numbers that it gave; the results cannot be compared element by
    element. No dropout moves across another op with effects (a write, another draw, an
    unknown op that may seed the generator).

    Before and after: `test/Transforms/GroupFusion/batch-dropout-example.mlir`.
    Numeric class: exact; of dropouts that draw changes precision (the distribution is the
    same). Counter: `batch_dropout`.
  }];
  let options = !listconcat(mathOptions, [
    Option<"allowRngReorder", "allow-rng-reorder", "bool", "false",
      "Batch dropouts that draw too: other random numbers for the same seed">]);
}

//===----------------------------------------------------------------------===//
// Behind autodiff
//===----------------------------------------------------------------------===//

/// … of those behind autodiff: results are selects.
class AtenFusionPass<string flag> : GroupFusionPass<flag> {
  list<Option> atenOptions = !listconcat(groupOptions, [
    Option<"decomposeStack", "decompose-stack", "bool", "false",
      "Write each stack as a cat of unsqueezes, as Inductor does">]);
}
/// … of pointwise ops.
class AtenPointwiseFusionPass<string flag> : AtenFusionPass<flag> {
  let options = !listconcat(atenOptions, [
    Option<"fuseNodesWithSameParent", "fuse-nodes-with-same-parent", "bool", "false",
      "Fuse only ops whose operand is made by ops of one kind; with two operands, whose selects are of one value">]);
}

def GroupBatchLinearPostGradPass : AtenFusionPass<"group-batch-linear-post-grad"> {
  let summary = "Batch matrix products of equal shapes into one";
  let description = [{
    `mm(x_i, w_i)` becomes `select(bmm(stack(x_i), stack(w_i)); 0, i)`, and
    `addmm(b_i, x_i, w_i)` the same plus `b_i` (Inductor's `batch_linear_post_grad`).

    A group holds products that do not depend on each other, of matrices of equal types
    (shape, dtype and device; Inductor asks for the shapes), all with a bias or all
    without, with `alpha` and `beta` of 1; with `fuse-nodes-with-same-users` also with
    users of the same kinds. The biases of a group may differ in shape;
    `shape-broadcast-batch-linear` expands them to that of the product, so that the sums
    can be batched in turn. Not done: extents not known to be equal.

    Before and after: `test/Transforms/GroupFusion/batch-linear-post-grad-example.mlir`.
    Numeric class: reassociates; of `addmm` in 16 bits changes precision, as product and
    sum each round: refused unless `numerics=relaxed`. Counter: `batch_linear_post_grad`.
  }];
  let options = !listconcat(atenOptions, [
    Option<"fuseNodesWithSameUsers", "fuse-nodes-with-same-users", "bool", "false",
      "Fuse only ops whose results have users of the same kinds, in the same order">,
    Option<"shapeBroadcastBatchLinear", "shape-broadcast-batch-linear", "bool", "false",
      "Expand biases to the shape of the product before they are added">,
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"reassociate\"", NumericsHelp>]);
}

def GroupGroupLinearPass : GroupFusionPass<"group-group-linear"> {
  let summary = "Group matrix products of any shapes into one op";
  let description = [{
    `mm(x_i, w_i)`, or `addmm(b_i, x_i, w_i)`, become the results of one
    `grouped_mm((x_i), (w_i), (b_i))` (Inductor's `group_linear`, whose kernel is
    fbgemm's).

    A group holds products that do not depend on each other, of one dtype and device, all
    with a bias or all without, with `alpha` and `beta` of 1; all extents are known, even
    and at most `max-fuse-tensor-size-group-linear`, but need not agree.

    Before and after: `test/Transforms/GroupFusion/group-linear-example.mlir`.
    Numeric class: reassociates. Counter: `group_linear`.
  }];
  let options = !listconcat(groupOptions, [
    Option<"maxFuseTensorSize", "max-fuse-tensor-size-group-linear", "int64_t", "4096",
      "Group products whose extents are at most this">,
    Option<"numerics", "numerics", "::fxgraph::OptionText", "\"reassociate\"", NumericsHelp>]);
}

def GroupBatchAtenTanhPass : AtenPointwiseFusionPass<"group-batch-aten-tanh"> {
  let summary = "Batch tanhs of equal types into one whose results are selects";
  let description = [{
    `y_i = tanh(x_i)` becomes `select(tanh(stack(x_i)); 0, i)` (Inductor's
    `batch_aten_tanh`), for ops that do not depend on each other with inputs of one type.
    As `fxgraph-group-batch-tanh` but for the selects, which is how Inductor reads
    batched results behind autodiff and which `fxgraph-splitcat-unbind-stack-aten` cancels
    against the next stack.

    Before and after: `test/Transforms/GroupFusion/batch-aten-tanh-example.mlir`.
    Numeric class: exact. Counter: `batch_aten_tanh`.
  }];
}
def GroupBatchAtenSigmoidPass : AtenPointwiseFusionPass<"group-batch-aten-sigmoid"> {
  let summary = "Batch sigmoids of equal types into one whose results are selects";
  let description = "As `fxgraph-group-batch-aten-tanh`. Counter: `batch_aten_sigmoid`.";
}
def GroupBatchAtenReluPass : AtenPointwiseFusionPass<"group-batch-aten-relu"> {
  let summary = "Batch relus of equal types into one whose results are selects";
  let description = "As `fxgraph-group-batch-aten-tanh`. Counter: `batch_aten_relu`.";
}
def GroupBatchAtenAddPass : AtenPointwiseFusionPass<"group-batch-aten-add"> {
  let summary = "Batch sums of tensors of one type into one";
  let description = [{
    `y_i = add(a_i, b_i)` becomes `select(add(stack(a_i), stack(b_i)); 0, i)` (Inductor's
    `batch_aten_add`), for ops that do not depend on each other, whose two operands have
    one type: nothing broadcasts, and a number is no operand. The type and `alpha` are the
    same in a group, and `alpha` is kept.
    `fuse-nodes-with-same-parent`: what the operands that are selects are taken from.

    Before and after: `test/Transforms/GroupFusion/batch-aten-add-example.mlir`.
    Numeric class: exact. Counter: `batch_aten_add`.
  }];
}
def GroupBatchAtenSubPass : AtenPointwiseFusionPass<"group-batch-aten-sub"> {
  let summary = "Batch differences of tensors of one type into one";
  let description = "As `fxgraph-group-batch-aten-add`; `alpha`, which Inductor drops, is kept. Counter: `batch_aten_sub`.";
}
def GroupBatchAtenMulPass : AtenPointwiseFusionPass<"group-batch-aten-mul"> {
  let summary = "Batch products of tensors of one type, element by element, into one";
  let description = "As `fxgraph-group-batch-aten-add`. Counter: `batch_aten_mul`.";
}
def GroupBatchAtenDivPass : AtenPointwiseFusionPass<"group-batch-aten-div"> {
  let summary = "Batch quotients of tensors of one type into one";
  let description = "As `fxgraph-group-batch-aten-add`; the rounding modes of a group agree. Counter: `batch_aten_div`.";
}

#endif // FXGRAPH_TRANSFORMS_GROUPFUSION_PASSES_TD
