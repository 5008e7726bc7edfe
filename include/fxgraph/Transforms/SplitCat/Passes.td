// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes over chains of split, unbind, cat and stack. All are exact. A result of
// the graph that would become an argument or share storage with another result
// is cloned.

#ifndef FXGRAPH_TRANSFORMS_SPLITCAT_PASSES_TD
#define FXGRAPH_TRANSFORMS_SPLITCAT_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

def RemoveSplitWithSizeOnePass : FxGraphPass<"splitcat-remove-split-with-size-one"> {
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

def SplitCatPass : FxGraphPass<"splitcat-split-cat"> {
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

def StackUnbindCancelPass : FxGraphPass<"splitcat-stack-unbind-cancel"> {
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

#endif // FXGRAPH_TRANSFORMS_SPLITCAT_PASSES_TD
