// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clean-up and local rewrites behind autodiff (torch/_inductor/fx_passes/post_grad.py).

#ifndef FXGRAPH_TRANSFORMS_POSTGRAD_PASSES_TD
#define FXGRAPH_TRANSFORMS_POSTGRAD_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

defvar NumericsHelp = "exact: only bit-equal rewrites; reassociate: also other summation orders; relaxed: also other roundings";

//===----------------------------------------------------------------------===//
// Clean-up
//===----------------------------------------------------------------------===//

def RemoveAssertsPass : FxGraphPDLLPass<"postgrad-remove-asserts"> {
  let summary = "Erase assertions of dtypes and shapes that hold";
  let description = [{
    Inductor's `remove_assert_ops`: `assert_tensor_metadata` goes, so that it is no user
    of the tensor. Inductor erases each; here one that the tensor's type contradicts, or
    does not decide (an extent that is not known), stays and is reported when run.

    Numeric class: exact. Not counted.
    Documented example: test/Transforms/PostGrad/remove-asserts-example.mlir.
  }];
}

def ViewToReshapePass : FxGraphPDLLPass<"postgrad-view-to-reshape"> {
  let summary = "Write view as reshape";
  let description = [{
    Inductor's `view_to_reshape`, which its driver runs in front of the passes behind
    autodiff: they may change strides, under which a `view` could be illegal.
    (`fxgraph-normalize="view-to-reshape=true"` does this too, among other things.)

    Numeric class: exact. Not counted.
    Documented example: test/Transforms/PostGrad/view-to-reshape-example.mlir.
  }];
}

def ReorderForLocalityPass : FxGraphPass<"postgrad-reorder-for-locality"> {
  let summary = "Move ops next to their last users";
  let description = [{
    Inductor's `reorder_for_locality`, for graphs without autodiff: from the last op to
    the first, what makes an operand moves in front of the op, if all its users stand
    there or behind it. Values then live shorter.

    Only ops without effects move, and none across a write (`copy_`), an unknown op or in
    front of what it needs; what stands behind the first `copy_` stays where it is. Nothing
    is dragged down to a `wait_tensor`, whose collective should start early. Ops in a block
    move within it.

    Numeric class: exact. Linear in ops and operands. Not counted.
    Documented example: test/Transforms/PostGrad/reorder-for-locality-example.mlir.
  }];
}

def MoveConstructorsPass : FxGraphPass<"postgrad-move-constructors"> {
  let summary = "Make tensors on the device that uses them";
  let description = [{
    Inductor's `move_constructors_to_gpu`: `full` and `arange` on the host
    (device `cpu`, or none where `default-device` is that), and what is computed from them alone, are made on the graph's one other device if they
    are used there only:

    ```
    device_put(add(arange on cpu, full on cpu) to cuda)  ->  add(arange, full) on cuda
    ```

    Every user of a value that moves must be an op without effects whose tensors on the
    host all move, or a `device_put` to the device. What is returned, written, handed to an
    unknown op or mixed with an argument on the host stays, with all it is computed
    from and with. Random numbers stay: the host's generator draws others than the device's.
    Nothing happens unless all tensors that are not on the host are on one device.

    Not done: arguments on the host (Inductor with CUDA graphs moves scalars), results.

    Numeric class: exact. Linear in ops and operands. Not counted.
    Documented example: test/Transforms/PostGrad/move-constructors-example.mlir.
  }];
  let options = [DefaultDevice];
}

//===----------------------------------------------------------------------===//
// Local rewrites
//===----------------------------------------------------------------------===//

def PointlessCumsumPass : FxGraphPDLLPass<"postgrad-pointless-cumsum"> {
  let summary = "Replace running sums of one number by a range";
  let description = [{
    Inductor's `pointless_cumsum_replacement`:

    ```
    cumsum(full(S, v); d)  ->  expand(reshape(arange from v step v, S[d] numbers), S)
    ```

    The operand is one number everywhere (`full`, a constant, or a conversion of such); the
    sums have the dtype that cumsum gives (i64 for integers). An expanded result that a
    caller or an unknown op sees is cloned, as elements of it share storage.

    Exact for integers, and for floats if no sum rounds (v = m * 2^e and m * S[d] fits the
    mantissa); else reassociates, as `i * v` rounds once and a running sum often. Sums of -0
    are 0. Refused: shapes that are not known, integers beyond 2^53. Not counted.
    Documented example: test/Transforms/PostGrad/pointless-cumsum-example.mlir.
  }];
  let options = [Option<"numerics", "numerics", "::fxgraph::OptionText", "\"reassociate\"", NumericsHelp>];
}

def ScatterUponConstPass : FxGraphPDLLPass<"postgrad-scatter-upon-const-tensor"> {
  let summary = "Replace a scatter of one number into another by a comparison";
  let description = [{
    Inductor's `scatter_upon_const_tensor`:

    ```
    scatter(full(S, a), index, full(v); d)  ->  where(index == arange along d, v, a)
    ```

    Guards: index has the rank of the input, extent 1 along d and the input's elsewhere;
    the extent of d is known. An index out of range is an error of `scatter`, and nothing
    to `where`: the rewrite is made where what picks the indices (`argmax`, `topk`,
    `arange`, constants … behind views) says that they are in range, or, as Inductor does,
    everywhere with `assume-in-range`.

    Numeric class: exact. Counter: `num_matches_for_scatter_upon_const_tensor` (Inductor's
    metric).
    Documented example: test/Transforms/PostGrad/scatter-upon-const-tensor-example.mlir.
  }];
  let options = [Option<"assumeInRange", "assume-in-range", "bool", "false",
                        "take every index to be in range, as Inductor does">];
}

def ReusePartialPass : FxGraphPDLLPass<"postgrad-reuse-partial"> {
  let summary = "Reduce what a partial reduction has left instead of all";
  let description = [{
    Inductor's `reuse_partial`:

    ```
    p = amax(x; dims);  amax(x)  ->  amax(p)
    ```

    and the same with `amin`. Of several partial reductions that with the fewest elements
    is taken; it moves in front of the other one if it stands behind it.

    Guards: x has `min-elements` at least, the full reduction a result of rank 0, both are
    in one block. Numeric class: reassociates (the sign of a zero may be another; NaN goes
    through). Counter: `partial_reduction_reuse`.
    Documented example: test/Transforms/PostGrad/reuse-partial-example.mlir.
  }];
  let options = [Option<"minElements", "min-elements", "int64_t", "4096",
                        "reuse partial reductions of operands of at least this many elements">];
}

def PrepareSoftmaxPass : FxGraphPDLLPass<"postgrad-prepare-softmax"> {
  let summary = "Compute maximum and sum of exponentials in one pass";
  let description = [{
    Inductor's `prepare_softmax`:

    ```
    m = amax(x; d);  e = exp(x - m);  s = sum(e; d)  ->  m, s = prepare_softmax_online(x; d);  e = exp(x - m)
    ```

    The difference and the exponentials stay for their other users, which softmax and
    log-softmax have. Maximum and sum keep the dimension. Done on GPUs, as in Inductor:
    `default-device` is where tensors are whose types name no device.

    Numeric class: reassociates (the sum is rescaled as the maximum grows); in 16 bits
    changes precision, as difference and exponential no more round: refused unless
    `numerics=relaxed`. Not counted.
    Documented example: test/Transforms/PostGrad/prepare-softmax-example.mlir.
  }];
  let options = [DefaultDevice, Option<"numerics", "numerics", "::fxgraph::OptionText", "\"reassociate\"", NumericsHelp>];
}

def RandpermIndexPass : FxGraphPDLLPass<"postgrad-randperm-index"> {
  let summary = "Take rows by a random permutation without checks, add to them without atomics";
  let description = [{
    Inductor's `randperm_index` and `randperm_index_add`: the index is a slice of
    `randperm(n)`, n being the extent of the indexed dimension, so that no number is out of
    range and none is there twice:

    ```
    index(x, [p])                       ->  unsafe_index(x, [p])
    index_put(x, [p], y, accumulate)    ->  unsafe_index_put(x, [p], unsafe_index(x, [p]) + y)
    ```

    Numeric class: exact. Not counted.
    Documented example: test/Transforms/PostGrad/randperm-index-example.mlir.
  }];
}

def E8m0RceilPass : FxGraphPDLLPass<"postgrad-e8m0-rceil"> {
  let summary = "Scales of microscaling formats from the bits of a number";
  let description = [{
    What computes the exponent of the next power of two becomes `cvt_e8m0_rceil`, for which new GPUs have an instruction, and which is
    a few operations on integers on others (Inductor's patterns of that name):

    * from the bits: `((bits >> 23) & 255) + ((bits & 0x7fffff) != 0)`, clamped to 254 or 255, as uint8;
    * by a logarithm: `clamp(ceil(log2(x)), -127, 127) + 127` as uint8.

    The first with 254 is the op. With 255, infinities and NaN give 255 where the op gives 254. The logarithm rounds next to large powers of two, which the
    bits do not; a subnormal of 2^-127 and less gives 0 where the op gives 1, and of negative numbers and NaN it is not defined.
    Inductor rewrites the first on chips of compute capability 10 and later; here it is rewritten on every GPU, as the op is computed the same way on those.

    Guards: f32 on a GPU; sums without alpha; the numbers are as above.

    Before and after: `test/Transforms/PostGrad/e8m0-rceil-example.mlir`. Linear in the ops. Numeric class: exact; with 255, and of the
    logarithm, changes precision. No counter.
  }];
  let options = [DefaultDevice, Option<"numerics", "numerics", "::fxgraph::OptionText", "\"relaxed\"", NumericsHelp>];
}

#endif // FXGRAPH_TRANSFORMS_POSTGRAD_PASSES_TD
