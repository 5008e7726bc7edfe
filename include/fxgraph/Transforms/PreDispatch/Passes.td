// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of Inductor's pre-dispatch list. Its open version names them and leaves most of
// them empty; what each does here is this project's definition, and docs/Passes/PreDispatch.md
// shows it. Names that other families have a pass for are not here: normalization_pass_aten,
// normalize_node_kwargs_pass (Normalize), remove_noop_pass (NoOp), fuse_parallel_linear_pass
// and group_batch_fusion_passes (GroupFusion).

#ifndef FXGRAPH_TRANSFORMS_PREDISPATCH_PASSES_TD
#define FXGRAPH_TRANSFORMS_PREDISPATCH_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

def ReluNanToNumPass : FxGraphPass<"predispatch-relu-nan-to-num"> {
  let summary = "Merge relu and nan_to_num";
  let description = [{
    Inductor's `relu_nan_to_num`. With `mode=merge`:

    ```
    nan_to_num(relu(x); a, b, c)  ->  relu_nan_to_num(x; a, b)
    relu(nan_to_num(x; a, b, c))  ->  relu_nan_to_num(x; relu(a), relu(b))   if c < 0
    ```

    The inner op has no other user, the elements are floats. Exact for every input: -0 stays
    -0, and c, which is the lowest finite number if absent, must be one that relu makes +0.

    `mode=stabilize` goes on to give every relu of floats that is left 0 for NaN. That is not
    value-preserving, and nothing runs it unasked. Infinity stays.

    Linear. Counter: `relu_nan_to_num`.
    Documented example: test/Transforms/PreDispatch/relu-nan-to-num-example.mlir.
  }];
  let options = [Option<"mode", "mode", "::fxgraph::OptionText", "\"merge\"", "merge: value-preserving; stabilize: also relu alone, with 0 for NaN">];
}

/// Pieces may have other users, for whom they stay.
class PieceCatPass<string flag> : FxGraphPass<flag> {
  let options = [Option<"keepUsers", "keep-users", "bool", "false",
                        "rewrite also where pieces, or what is made of them, have other users, for whom they stay">];
}

def FuseChunkReshapeConcatPass : PieceCatPass<"predispatch-fuse-chunk-reshape-concat"> {
  let summary = "A cat of the reshaped pieces of a split is a permute";
  let description = [{
    Inductor's `fuse_chunk_reshape_concat_pass`: `cat` or `stack`, along c, of all pieces of a
    split along d, in order, each reshaped to one shape R:

    ```
    cat(reshape(p_i of split(x; d); R); c)  ->  reshape(permute(reshape(x)))
    ```

    With k pieces, A the product of the extents of x before d and P that of R before c, k moves
    from behind A to behind P in one row-major order. Where A = P nothing moves; where one
    divides the other, one exchange of two dimensions does it; otherwise two would be needed, and
    the graph stays. Never more work than the cat: lib/Analysis/LayoutMoves.cpp.

    Preconditions: equal extents of all pieces; static shapes; one reshape (`reshape`, `view`,
    `flatten`, `unflatten`) a piece; no other users, unless `keep-users`.
    Exact. Linear in the operands. Counter: `fuse_chunk_reshape_concat_pass`.
    Documented example: test/Transforms/PreDispatch/fuse-chunk-reshape-concat-example.mlir.
  }];
}

def FuseChunkSqueezeCatPass : PieceCatPass<"predispatch-fuse-chunk-squeeze-cat"> {
  let summary = "A cat of all slices of extent 1, squeezed, is a permute";
  let description = [{
    Inductor's `fuse_chunk_squeeze_cat_pass`: as `predispatch-fuse-chunk-reshape-concat` for pieces
    of extent 1 that are squeezed:

    ```
    cat(squeeze(p_i of chunk(x; n, d); d); c)    ->  flatten(movedim(x; d, c); c, c + 1)
    stack(squeeze(p_i of chunk(x; n, d); d); c)  ->  movedim(x; d, c)
    ```

    Preconditions, class and options as there. Counter: `fuse_chunk_squeeze_cat_pass`.
    Documented example: test/Transforms/PreDispatch/fuse-chunk-squeeze-cat-example.mlir.
  }];
}

def FuseChunkReshapeUnsqueezeConcatPass : PieceCatPass<"predispatch-fuse-chunk-reshape-unsqueeze-concat"> {
  let summary = "The same with an unsqueeze behind each reshape";
  let description = [{
    Inductor's `fuse_chunk_reshape_unsqueeze_concat_pass`: as
    `predispatch-fuse-chunk-reshape-concat`, with an `unsqueeze` between each reshape and the cat, as
    `predispatch-stack-to-unsqueeze` leaves it.

    Preconditions, class and options as there. Counter: `fuse_chunk_reshape_unsqueeze_concat_pass`.
    Documented example: test/Transforms/PreDispatch/fuse-chunk-reshape-unsqueeze-concat-example.mlir.
  }];
}

def FuseSplitGetitemSqueezeCatPass : PieceCatPass<"predispatch-fuse-split-getitem-squeeze-cat"> {
  let summary = "Runs of neighbouring slices of extent 1, squeezed and joined";
  let description = [{
    Inductor's `fuse_split_getitem_squeeze_cat`: as `predispatch-fuse-chunk-squeeze-cat`, but for runs
    of at least two neighbouring pieces, among other operands of a cat (of a stack: all operands):

    ```
    cat(a, squeeze(p_i), …, squeeze(p_j), b; c)  ->  cat(a, flatten(movedim(slice(x; i, j + 1))), b; c)
    ```

    A piece that comes twice, or out of order, ends a run. The other pieces keep the split.
    Class and options as there. Counter: `fuse_split_getitem_squeeze_cat`, once a run.
    Documented example: test/Transforms/PreDispatch/fuse-split-getitem-squeeze-cat-example.mlir.
  }];
}

def MergeConcatsPass : FxGraphPass<"predispatch-merge-concats"> {
  let summary = "Merge nested cats, and cats of the same operands";
  let description = [{
    Inductor's `merge_concats_pass`: an operand of a `cat` that is a `cat` along the same dimension,
    without other users, is written out; any depth, without recursion, each cat once. Operands
    `tensor<0x…>` of rank 1, which PyTorch skips, go. Cats of the same operands along the same
    dimension become one. `allow-multi-use` writes out an inner cat that others use too.

    Exact (a cat has one element type). Linear in the operands; once more for each level at which
    equal cats become one and thereby leave an inner cat with one user.
    Counter: `merge_concats_pass`.
    Documented example: test/Transforms/PreDispatch/merge-concats-example.mlir.
  }];
  let options = [Option<"allowMultiUse", "allow-multi-use", "bool", "false", "write out inner cats that have other users, for whom they stay">];
}

def FuseSplitLinearAddPass : FxGraphPass<"predispatch-fuse-split-linear-add"> {
  let summary = "A sum of linears on the pieces of a split is one linear";
  let description = [{
    Inductor's `fuse_split_linear_add_pass`:

    ```
    linear(p_0, W_0, b_0) + … + linear(p_n, W_n, b_n), p = split(x; -1)
      ->  linear(x, cat(W_i; 1), b_0 + … + b_n)
    ```

    in any tree of adds and any order; absent biases are left out. Preconditions: every piece goes to
    one linear, every linear and inner sum to one add with alpha 1; nothing else is summed between
    them; weights [n, k_i], biases [n].

    Numeric class: reassociates; in 16 bits changes precision, since the partial sums were rounded,
    and needs `numerics=relaxed`. Linear in the pieces. Counter: `fuse_split_linear_add_pass`.
    Not to be run together with its inverse, the joining of linears on several inputs.
    Documented example: test/Transforms/PreDispatch/fuse-split-linear-add-example.mlir.
  }];
  let options = [Option<"numerics", "numerics", "::fxgraph::OptionText", "\"reassociate\"", "exact: do nothing; reassociate: 32 and 64 bits; relaxed: all">];
}

def RemoveReshapePass : FxGraphPDLLPass<"predispatch-remove-reshape"> {
  let summary = "Merge reshapes of reshapes and drop those that cancel";
  let description = [{
    Inductor's `remove_reshape_pass`. With reshape for `reshape`, `view`, `flatten` and `unflatten`:

    - a reshape of a reshape becomes one of its input (others keep the inner one);
    - a chain of reshapes, squeezes and unsqueezes that ends at the type it began with goes; so does
      a reshape to its own type;
    - elementwise ops of one operand between a reshape and the reshape back run on the first shape.

    Preconditions: static shapes for merging; types without `?` for the rest; in the third rewrite no
    other users. A view that is returned stays where its removal would return an argument, or one value
    twice.

    Exact. Linear. Counter: `remove_reshape_pass`.
    Documented example: test/Transforms/PreDispatch/remove-reshape-example.mlir.
  }];
}

def RemoveSplitOpsPass : FxGraphPass<"predispatch-remove-split-ops"> {
  let summary = "Remove splits that are dead, trivial, rejoined, or have one used piece";
  let description = [{
    Inductor's `remove_split_ops_pass`, by the first rule that fits: no piece is used: nothing; one
    section: the input; all pieces in order in a cat along the same dimension: the input for the cat;
    one used piece: a `slice` (of an `unbind`: a `select`); with `trim-ends`, unused pieces at the ends
    are cut off by a `slice` before the split.

    Exact. Linear in the pieces. Counter: `remove_split_ops_pass`.
    Documented example: test/Transforms/PreDispatch/remove-split-ops-example.mlir.
  }];
  let options = [Option<"trimEnds", "trim-ends", "bool", "false", "cut unused pieces off at both ends before the split">];
}

def StackToUnsqueezePass : FxGraphPDLLPass<"predispatch-stack-to-unsqueeze"> {
  let summary = "Write a stack as a cat of unsqueezes";
  let description = [{
    Inductor's `stack_to_unsqueeze_pass`: `stack(xs; d)` becomes `cat(unsqueeze(x_i; d); d)`, of one
    operand `unsqueeze(x; d)`, so that passes which look for `unsqueeze` and `cat` see it.

    Exact. Linear. Counter: `stack_to_unsqueeze_pass`.
    Documented example: test/Transforms/PreDispatch/stack-to-unsqueeze-example.mlir.
  }];
}

def DotCompressPass : FxGraphPDLLPass<"predispatch-dot-compress"> {
  let summary = "Recognise compressed products of all pairs of features";
  let description = [{
    Inductor's `use_triton_dot_compress`: `matmul(x, matmul(permute(x; 0, 2, 1), W))` becomes
    `dot_compress(x, W)`, with x [b, f, d] and W [f, k].

    Preconditions: f16, bf16 or f32; the inner product has no other user. Any spelling of the
    permutation. Exact: the op is defined as these two products, and rounds between them.
    Linear. Counter: `use_triton_dot_compress`.
    Documented example: test/Transforms/PreDispatch/dot-compress-example.mlir.
  }];
}

class LcePass<string flag> : FxGraphPDLLPass<flag> {
  let options = [Option<"numerics", "numerics", "::fxgraph::OptionText", "\"relaxed\"", "widest class allowed: exact, reassociate or relaxed">];
}

def SimpleLcePass : LcePass<"predispatch-simple-lce"> {
  let summary = "Recognise linear compressions of embeddings";
  let description = [{
    Inductor's `use_triton_lce_replace_simple_LCE`: `permute(linear(permute(x), W, b))`, both permutes
    (0, 2, 1) of rank 3 in any spelling, becomes `lce(x, W, b)` = `matmul(W, x) + b[:, None]`.

    Preconditions: W [n, f], b [n] or none; the linear has no other user.
    Numeric class: reassociates. Linear. Counter: `use_triton_lce_replace_simple_LCE`.
    Documented example: test/Transforms/PreDispatch/simple-lce-example.mlir.
  }];
}

def NormalLcePass : LcePass<"predispatch-normal-lce"> {
  let summary = "Recognise linear compressions of joined embeddings";
  let description = [{
    Inductor's `use_triton_lce_replace_normal_LCE`: as `predispatch-simple-lce` where x is a `cat` along
    dimension 1 of several tensors, and also without the outer permute: `linear(permute(cat), W, b)`
    becomes `permute(lce(cat, W, b))` if there are no more outputs than features. The cat stays.

    A compression of an x that is no such cat is left to the simple pass. (Inductor's function of this name
    calls the simple one's helper.)
    Numeric class: reassociates. Linear. Counter: `use_triton_lce_replace_normal_LCE`.
    Documented example: test/Transforms/PreDispatch/normal-lce-example.mlir.
  }];
}

def MatmulLcePass : LcePass<"predispatch-matmul-lce"> {
  let summary = "Write linear compressions of joined embeddings as products";
  let description = [{
    Inductor's `use_matmul_lce_replace_normal_LCE`: what `predispatch-normal-lce` finds becomes
    `matmul(W, cat) + unsqueeze(b, -1)`.

    Numeric class: changes precision, since the product is rounded before the bias is added.
    Linear. Counter: `use_matmul_lce_replace_normal_LCE`.
    Documented example: test/Transforms/PreDispatch/matmul-lce-example.mlir.
  }];
}

def FuseLcePass : FxGraphPass<"predispatch-fuse-lce"> {
  let summary = "Join linear compressions of one input into one product";
  let description = [{
    Inductor's `use_matmul_fuse_lce_replace_first_LCE`: compressions of one x, as `lce` or as
    `permute(linear(permute(x)))`, become one product in the place of the first:

    ```
    split_with_sizes(matmul(cat(W_i; 0), x) + unsqueeze(cat(b_i; 0), 1); n_i, 1)
    ```

    Preconditions: one block, all with bias or all without, known n_i, and weights that are there
    before the first member.
    Numeric class: changes precision with a bias, reassociates without. Linear.
    Counter: `use_matmul_fuse_lce_replace_first_LCE`.
    Documented example: test/Transforms/PreDispatch/fuse-lce-example.mlir.
  }];
  let options = [Option<"numerics", "numerics", "::fxgraph::OptionText", "\"relaxed\"", "widest class allowed: exact, reassociate or relaxed">];
}

#endif // FXGRAPH_TRANSFORMS_PREDISPATCH_PASSES_TD
