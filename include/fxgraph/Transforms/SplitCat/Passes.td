// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes over chains of split, unbind, cat and stack. All are exact. A result of
// the graph that would become an argument or share storage with another result
// is cloned.

#ifndef FXGRAPH_TRANSFORMS_SPLITCAT_PASSES_TD
#define FXGRAPH_TRANSFORMS_SPLITCAT_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

def RemoveSplitWithSizeOnePass : FxGraphPDLLPass<"splitcat-remove-split-with-size-one"> {
  let summary = "Replace a split into one piece by its input";
  let description = [{
    Inductor's `remove_split_with_size_one_pass`.

    ```mlir
    %p = fxgraph.split_with_sizes %x sizes [32] dim 1 : …   // users of %p take %x
    ```

    The one piece must have the type of the input. A piece that is returned stays
    where its removal would return an argument, or one value twice.
    Documented example: test/Transforms/SplitCat/remove-split-with-size-one-example.mlir.
  }];
}

def MergeSplitsPass : FxGraphPass<"splitcat-merge-splits"> {
  let summary = "Merge a split of a piece of a split into one split";
  let description = [{
    Inductor's `merge_splits_pass`: the sections of the inner split take the place
    of the outer section. Whole trees of splits become one split, linear in the
    number of pieces; each inner split counts once.

    Preconditions: one dimension (negative spellings are seen through), sections
    known, the piece that is split again has no other user, and some piece of the
    inner split is used. Zero sections are kept.
    Documented example: test/Transforms/SplitCat/merge-splits-example.mlir.
  }];
}

def MergeGetitemCatPass : FxGraphPass<"splitcat-merge-getitem-cat"> {
  let summary = "Widen the pieces of a split that a cat joins again";
  let description = [{
    Inductor's `merge_getitem_cat_pass`: neighbouring pieces that are used by one
    `cat` alone become one wider piece; also through cats of such cats.

    Preconditions: every operand of the cat is a piece of one split, in order and
    without gaps, each used by this cat only; the cat joins the dimension that the
    split cuts; sections known. A cat of all pieces becomes the split's input.
    Documented example: test/Transforms/SplitCat/merge-getitem-cat-example.mlir.
  }];
}

def MutateCatPass : FxGraphPass<"splitcat-mutate-cat"> {
  let summary = "Replace a cat of neighbouring pieces by a slice of the split's input";
  let description = [{
    Inductor's `mutate_cat_pass`: a `cat` of all pieces of a split, in order, is the
    input; of a consecutive run of pieces, a `slice`. Unlike in merge-getitem-cat the
    pieces may have other users, and the split stays for them.

    Preconditions: every operand is a piece of one split, in order and without gaps;
    same dimension; sections known; same type.
    Documented example: test/Transforms/SplitCat/mutate-cat-example.mlir.
  }];
}

def CancelPass : FxGraphPDLLPass<"splitcat-cancel"> {
  let summary = "Cancel split_with_sizes against cat";
  let description = [{
    `cat` of all pieces of a `split_with_sizes`, in order, along its dimension, is the
    input; `split_with_sizes` of a `cat` at its seams gives the operands (Inductor's
    `splitwithsizes_cat_replace` and `cat_splitwithsizes_replace`).

    Preconditions: equal dimensions and types; in the second rewrite the cat has no
    other user. Other spellings of split are for normalize.
    Documented example: test/Transforms/SplitCat/cancel-example.mlir.
  }];
}

def SplitCatPass : FxGraphPDLLPass<"splitcat-split-cat"> {
  let summary = "Simplify splits whose pieces go into cats and stacks";
  let description = [{
    Inductor's `split_cat_pass`. First, a split into sections of 1 whose pieces are
    all squeezed becomes an `unbind`. Then, with d the split dimension and c that of
    the cat or stack:

    ```
    stack(p#0 … p#n-1; c)   ->  movedim(unflatten(x; d, (n, m)); d, c)
    cat(p#0 … p#n-1; c)     ->  the same with c and c+1 merged
    cat(a, p#0 … p#n-1; d)  ->  cat(a, x; d)
    ```

    Runs of neighbouring pieces are treated in the same way: the split gets coarser.
    Movedim, unflatten and the merge are `permute` and `reshape`.

    Preconditions: no two users take overlapping runs (with `allow-other-users` such
    runs become slices of the input, beside the split); sections known, and equal
    within a run whose cat is along another dimension; something becomes smaller.
    Counters: `split_cat_pass` per split, and Inductor's `scmerge_*`.
    Documented example: test/Transforms/SplitCat/split-cat-example.mlir.
  }];
  let options = [
    Option<"allowOtherUsers", "allow-other-users", "bool", "false",
           "rewrite a cat or stack of neighbouring pieces even if other users take some of them (the split stays for those)">
  ];
}

def StackUnbindCancelPass : FxGraphPDLLPass<"splitcat-stack-unbind-cancel"> {
  let summary = "Cancel unbind against stack and cat";
  let description = [{
    Inductor's `unbind_stack_pass`, and its reverse:

    ```
    unbind(stack(xs; d); d)  ->  xs
    stack(unbind(x; d); c)   ->  movedim(x; d, c)
    cat(unbind(x; d); c)     ->  movedim(x; d, c) with c and c+1 merged
    ```

    also where the cat or stack has further operands. It is what cleans up behind
    the batch fusions, which leave `unbind → stack` between two batched ops.

    Preconditions: the cat or stack takes all pieces, in order; every piece goes to
    such users only, unless `allow-other-users`.
    Counters: `unbind_stack_pass` per unbind, and Inductor's `scmerge_*`.
    Documented example: test/Transforms/SplitCat/stack-unbind-cancel-example.mlir.
  }];
  let options = [
    Option<"allowOtherUsers", "allow-other-users", "bool", "false",
           "rewrite a stack of all pieces even if pieces have other users (the unbind stays for them)">
  ];
}

/// Options of the passes that take runs of pieces from the input of the split.
class FxGraphRunMergingPass<string flag> : FxGraphPass<flag> {
  let options = [
    Option<"thresholdToCat", "threshold-to-cat", "int64_t", "10",
           "fewest pieces of a run that is not all of a split (Inductor's threshold_to_cat)">,
    Option<"allowSteps", "allow-steps", "bool", "false",
           "also take every second, third, … piece with a strided slice">
  ];
}

def SplitCatToSlicesPass : FxGraphRunMergingPass<"splitcat-split-cat-to-slices"> {
  let summary = "Take runs of pieces in a cat from the input of the split";
  let description = [{
    Inductor's `split_cat_to_slices_pass`. In the operands of a `cat`, all pieces of a
    split, in order, become its input, and a run of at least `threshold-to-cat`
    neighbouring pieces a slice of it; the other operands stay where they are:

    ```
    cat(a, p#0 … p#n-1, b; d)  ->  cat(a, x, b; d)
    cat(a, p#2 … p#20, b; d)   ->  cat(a, slice(x; d, …), b; d)
    ```

    A split of the last piece of a split, and so on, counts as one. The pieces may have
    other users, for which the split stays.

    Preconditions: the cat joins the dimension that the split has cut (Inductor does
    not ask); sections and the extent of the input known. With `allow-steps` also every
    k-th piece, where pieces have extent 1.
    Documented example: test/Transforms/SplitCat/split-cat-to-slices-example.mlir.
  }];
}

def UnbindCatToViewPass : FxGraphRunMergingPass<"splitcat-unbind-cat-to-view"> {
  let summary = "Take runs of pieces in a cat from the input of the unbind";
  let description = [{
    Inductor's `unbind_cat_to_view_pass`: as split-cat-to-slices, for `unbind` along d
    and a `cat` along any c:

    ```
    cat(a, u#0 … u#n-1, b; c)  ->  cat(a, movedim(x; d, c) with c and c+1 merged, b; c)
    ```

    Inductor exchanges d and c, which is right for neighbouring dimensions only, and
    takes a run only if it is all that neighbours.
    Documented example: test/Transforms/SplitCat/unbind-cat-to-view-example.mlir.
  }];
}

def SplitStackToCatsPass : FxGraphRunMergingPass<"splitcat-split-stack-to-cats"> {
  let summary = "Take runs of pieces in a stack from the input of the split";
  let description = [{
    Inductor's `split_stack_to_cats_pass`: as split-cat-to-slices, for a `stack` along s
    of k operands of extent m in d:

    ```
    stack(a, p#0 … p#n-1, b; s)  ->  movedim(unflatten(cat(a, x, b; d); d, (k, m)); d, s)
    ```

    Where runs come from splits of different dimensions or have a step, each run is
    brought into the form of the stack and a `cat` along s joins them. Inductor
    exchanges d and s, which is right for neighbouring dimensions only.

    Preconditions: sections and the extent of the input known.
    Documented example: test/Transforms/SplitCat/split-stack-to-cats-example.mlir.
  }];
}

def UnbindStackToSlicesPass : FxGraphRunMergingPass<"splitcat-unbind-stack-to-slices"> {
  let summary = "Take runs of pieces in a stack from the input of the unbind";
  let description = [{
    Inductor's `unbind_stack_to_slices_pass`: as split-stack-to-cats, for `unbind`:

    ```
    stack(a, u#0 … u#n-1, b; s)  ->  cat(unsqueeze(a; s), movedim(x; d, s), unsqueeze(b; s); s)
    ```

    Neighbouring operands that are no run stay stacked. Inductor's result is right for
    s = d, not the last dimension, only.
    Documented example: test/Transforms/SplitCat/unbind-stack-to-slices-example.mlir.
  }];
}

def MoveReshapeOutOfSplitStackPass : FxGraphRunMergingPass<"splitcat-move-reshape-out-of-split-stack"> {
  let summary = "Take runs of reshaped pieces in a stack from the input of the split";
  let description = [{
    Inductor's `move_reshape_out_of_split_stack_pass`: as split-stack-to-cats, where the
    operands are pieces that have been reshaped to one shape R. With A the product of
    the extents in front of d, and k pieces:

    ```
    stack(reshape(p#0; R) … reshape(p#k-1; R); s)
      ->  reshape(x; R[:s], k, R[s:])                          if the product of R[:s] is A
      ->  movedim(reshape(movedim(reshape(x; A, k, …); 1, 0); k, R); 0, s)    otherwise
    ```

    The second form makes one copy where the stack and its reshapes make two. Inductor
    does not ask which of them is needed. `view`, `flatten`, `unflatten`, `squeeze` and
    `unsqueeze` count as reshapes, `unbind` as a split.

    Preconditions: shapes known, and elements there.
    Documented example: test/Transforms/SplitCat/move-reshape-out-of-split-stack-example.mlir.
  }];
}

def MergeStackTanhUnbindPass : FxGraphPass<"splitcat-merge-stack-tanh-unbind"> {
  let summary = "Cancel the stack and unbind around a batched pointwise op against their neighbours";
  let description = [{
    Inductor's key `merge_stack_tahn_unbind_pass` (sic), for which the open source has
    no rewrite; this is what its name and place ask for. The batch fusions leave
    `u = unbind(f(stack(xs; a)); b)`, f being `tanh`, `sigmoid`, `relu` or any chain of
    pointwise ops with one tensor operand. Then

    ```
    xs all pieces of unbind(z; d), in order   ->  f(movedim(z; d, a))
    xs all pieces of a split of z             ->  f(movedim(unflatten(z; d, (n, m)); d, a))
    stack(u#0 … u#n-1; c)                     ->  movedim(f(…); b, c)
    cat(u#0 … u#n-1; c)                       ->  the same with c and c+1 merged
    ```

    also where the stack or cat has further operands. Pieces may have other users.

    Preconditions: each value from the stack to the unbind has one user; all pieces, in
    order; sections and the extent of the input known.
    Counter: `merge_stack_tahn_unbind_pass`, per stack or cat.
    Documented example: test/Transforms/SplitCat/merge-stack-tanh-unbind-example.mlir.
  }];
}

def SinkCatAfterPointwisePass : FxGraphPass<"splitcat-sink-cat-after-pointwise"> {
  let summary = "Move pointwise ops that follow a cat to its operands";
  let description = [{
    Inductor's `sink_cat_after_pointwise`: with f `relu` or `tanh`

    ```
    f(view(cat(a, b; d)))  ->  view(cat(f(a), f(b); d))
    ```

    so that f can fuse with what computes a and b. Views are all ops that only move
    elements (`view`, `reshape`, `permute`, `squeeze`, …). Chains of such ops move at
    once, and through cats of cats; Inductor needs a run for each. An operand that
    stands twice in the cat is computed once.

    Preconditions: cat, views and all ops but the last have one user; at most
    `max-chain` ops follow the cat. Each element is computed as before: exact, NaN
    included.
    Documented example: test/Transforms/SplitCat/sink-cat-after-pointwise-example.mlir.
  }];
  let options = [
    Option<"allPointwise", "all-pointwise", "bool", "false", "move every pointwise op with one tensor operand">,
    Option<"maxChain", "max-chain", "unsigned", "8", "most ops behind a cat that move above it">
  ];
}

//===----------------------------------------------------------------------===//
// Behind autodiff
//===----------------------------------------------------------------------===//

def SplitCatAtenPass : FxGraphRunMergingPass<"splitcat-split-cat-aten"> {
  let summary = "Take runs of pieces in a cat from the input of the split (behind autodiff)";
  let description = [{
    Inductor's `split_cat_aten_pass`: what `fxgraph-splitcat-split-cat-to-slices` does,
    under this counter.

    ```
    cat(a, p#0 … p#n-1, b; d)  ->  cat(a, x, b; d)
    cat(a, p#2 … p#20, b; d)   ->  cat(a, slice(x; d, …), b; d)
    ```

    A run is contiguous among the operands, so that pieces of several splits may be in any
    order (Inductor gathers them by split and mixes interleaved ones up), and all pieces of
    a split are taken from any cat (Inductor: from those of `threshold-to-cat` operands). A
    cat in which nothing was replaced is not counted.

    Preconditions: the cat joins the dimension that the split has cut; sections and the
    extent of the input known.
    Documented example: test/Transforms/SplitCat/split-cat-aten-example.mlir.
  }];
}

def SelectCatAtenPass : FxGraphPDLLPass<"splitcat-select-cat-aten"> {
  let summary = "Replace a cat of all selects of a value by a reshape of it";
  let description = [{
    Inductor's `select_cat_aten_pass`:

    ```
    cat(select(x; d, 0) … select(x; d, n-1); d)  ->  reshape(x), d and d+1 merged
    ```

    Preconditions: every operand is a select of x along d, in order, all that there are;
    the extent of d is known. x may have other users, and the selects too.
    Documented example: test/Transforms/SplitCat/select-cat-aten-example.mlir.
  }];
}

def UnbindStackAtenPass : FxGraphPDLLPass<"splitcat-unbind-stack-aten"> {
  let summary = "Cancel a stack of all selects of a value";
  let description = [{
    Inductor's `unbind_stack_aten_pass`, which cleans up between two batch fusions behind
    autodiff:

    ```
    stack(select(x; d, 0) … select(x; d, n-1); c)                  ->  movedim(x; d, c)
    cat(unsqueeze(select(x; d, 0); c) … ; c), the same as a cat    ->  movedim(x; d, c)
    ```

    which is x itself for c = d. Inductor asks for that, but not along which dimension the
    operands were unsqueezed, nor whether the selects are all there are.

    Preconditions: every operand is a select of x along d (unsqueezed along c), in order,
    all that there are; the extent of d is known.
    Documented example: test/Transforms/SplitCat/unbind-stack-aten-example.mlir.
  }];
}

def MoveViewAfterCatAtenPass : FxGraphPass<"splitcat-move-view-after-cat-aten"> {
  let summary = "Turn a cat of reshaped pieces of one split into a permute and reshapes";
  let description = [{
    Inductor's `move_view_after_cat_aten_pass`: all pieces of one split, of equal extent
    and each reshaped to one shape, joined in order:

    ```
    cat(reshape(p#0; R) … reshape(p#k-1; R); c)  ->  reshape(permute(reshape(x)))
    ```

    as far as one movement of dimensions is enough (as in
    `fxgraph-predispatch-fuse-chunk-reshape-concat`; here pieces and reshapes may have
    other users). Inductor exchanges the dimensions of split and cat, which is wrong for
    pieces of more than one row and for dimensions that are not neighbours, and does not
    ask whether the pieces are of one split.

    Preconditions: shapes known.
    Documented example: test/Transforms/SplitCat/move-view-after-cat-aten-example.mlir.
  }];
}

def CatSliceCatPass : FxGraphPDLLPass<"splitcat-cat-slice-cat"> {
  let summary = "Append a slice of the first operand to a cat at once";
  let description = [{
    Inductor's `cat_slice_cat`:

    ```
    c = cat(a, b, …; d);  cat(c, slice(c; d, 0, n); d)  ->  cat(a, b, …, slice(a; d, 0, n); d)
    ```

    so that c is written once, not twice.

    Preconditions: a holds the slice (0 <= n <= its extent, known); step 1; nothing else uses
    c or the slice. Where a does not hold it, Inductor builds the same graph again and
    counts that; here nothing happens. Any dimension; Inductor: dimension 1.
    Documented example: test/Transforms/SplitCat/cat-slice-cat-example.mlir.
  }];
}

#endif // FXGRAPH_TRANSFORMS_SPLITCAT_PASSES_TD
