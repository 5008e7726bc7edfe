// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that change nothing. PyTorch: remove_noop_pass and remove_noop_ops in
// torch/_inductor/fx_passes. All exact, bit for bit, in the same type.
//
// Not here, because they are not the identity: `x + 0.0` (-0 becomes +0), `i32 * 1.0`
// and `bool + 0` (other dtypes), `x * 0`, `reshape` to an unknown extent.

#ifndef FXGRAPH_TRANSFORMS_NOOP_PATTERNS_TD
#define FXGRAPH_TRANSFORMS_NOOP_PATTERNS_TD

include "fxgraph/Dialect/IR/FxGraphOps.td"
include "fxgraph/Transforms/Utils/Constraints.td"

//===----------------------------------------------------------------------===//
// Views: the result shares storage with the input
//===----------------------------------------------------------------------===//

/// Pattern: view(x) -> x
class DropView<dag source, list<dag> guards> : Pat<source, (replaceWithValue $x), !listconcat(guards, [(MayDropView $old, $x)])>;

// Pattern: reshape(x), view(x), flatten(x), unflatten(x), expand(x) -> x, in the same shape
def DropReshape : DropView<(FxGraph_ReshapeOp:$old $x, $sizes, $shape), [(SameKnownType $old, $x)]>;
def DropViewOp : DropView<(FxGraph_ViewOp:$old $x, $sizes, $shape), [(SameKnownType $old, $x)]>;
def DropFlatten : DropView<(FxGraph_FlattenOp:$old $x, $start, $end), [(SameType $old, $x)]>;
def DropUnflatten : DropView<(FxGraph_UnflattenOp:$old $x, $dim, $sizes), [(SameType $old, $x)]>;
def DropExpand : DropView<(FxGraph_ExpandOp:$old $x, $sizes, $shape), [(SameKnownType $old, $x)]>;
// Pattern: squeeze(x) -> x, if nothing is squeezed
def DropSqueeze : DropView<(FxGraph_SqueezeOp:$old $x, $dims), [(SameType $old, $x)]>;

def IsIdentityPermutation : Constraint<CPred<"::fxgraph::isIdentityPermutation($0)">, "an identity permutation">;
def IsSameDim : Constraint<CPred<"::fxgraph::isSameDim($0, $1, $2)">, "one dimension twice">;
def IsWholeSlice : Constraint<CPred<"::fxgraph::isWholeSlice($0)">, "a slice of everything">;

// Pattern: permute(x; 0, 1, …) -> x
def DropPermute : DropView<(FxGraph_PermuteOp:$old $x, $dims), [(SameType $old, $x), (IsIdentityPermutation $dims)]>;
// Pattern: transpose(x; d, d) -> x
def DropTranspose : DropView<(FxGraph_TransposeOp:$old $x, $dim0, $dim1), [(SameType $old, $x), (IsSameDim $x, $dim0, $dim1)]>;
// Pattern: slice(x; all of it) -> x
def DropSlice : DropView<(FxGraph_SliceOp:$old $x, $dim, $start, $end, $step), [(SameType $old, $x), (IsWholeSlice $old)]>;

// Pattern: view_dtype(x) -> x, in the same dtype
def DropViewDtype : DropView<(FxGraph_ViewDtypeOp:$old $x), [(SameType $old, $x)]>;

//===----------------------------------------------------------------------===//
// Copies: the result is fresh storage
//===----------------------------------------------------------------------===//

/// Pattern: op(x) -> x
class DropCopy<dag source, list<dag> guards> : Pat<source, (replaceWithValue $x), !listconcat([(SameType $old, $x)], guards, [(MayDropCopy $old)])>;

def IsAllZero : Constraint<CPred<"::llvm::all_of($0.asArrayRef(), [](int64_t n) { return n == 0; })">, "all zero">;
def IsAllOne : Constraint<CPred<"::llvm::all_of($0.asArrayRef(), [](int64_t n) { return n == 1; })">, "all one">;

// Pattern: slice_scatter(y, x; all of it) -> x
def DropSliceScatter : DropCopy<(FxGraph_SliceScatterOp:$old $y, $x, $dim, $start, $end, $step), [(IsWholeSlice $old)]>;
// Pattern: constant_pad_nd(x; 0, …, 0) -> x
def DropPad : DropCopy<(FxGraph_ConstantPadNdOp:$old $x, $pad, $value), [(IsAllZero $pad)]>;
// Pattern: repeat(x; 1, …, 1) -> x
def DropRepeat : DropCopy<(FxGraph_RepeatOp:$old $x, $repeats), [(IsAllOne $repeats)]>;
// Pattern: cat(x) -> x
def DropCat : DropCopy<(FxGraph_CatOp:$old (variadic $x), $dim), []>;
// Pattern: roll(x; 0, …) and convert_element_type(x) -> x, to its own dtype
def DropRoll : DropCopy<(FxGraph_RollOp:$old $x, $shifts, $dims), [(IsAllZero $shifts)]>;
// Pattern: device_put(x) -> x, to its own device
def DropDevicePut : DropCopy<(FxGraph_DevicePutOp:$old $x, $nonBlocking), []>;
def DropConvert : DropCopy<(FxGraph_ConvertElementTypeOp:$old $x), []>;

def IsNotTraining : Constraint<CPred<"!$0.getValue()">, "evaluation">;
def IsZeroProbability : Constraint<CPred<"$0.getValue().isZero()">, "zero">;
// Pattern: dropout(x) -> x in evaluation, or of nothing. PyTorch draws no random
// numbers in either case.
def DropDropoutEval : DropCopy<(FxGraph_DropoutOp:$old $x, $p, $training), [(IsNotTraining $training)]>;
def DropDropoutZero : DropCopy<(FxGraph_DropoutOp:$old $x, $p, $training), [(IsZeroProbability $p)]>;

// Pattern: clone(x) -> x, where it separates no result of the graph
def DropClone : Pat<(FxGraph_CloneOp:$old $x), (replaceWithValue $x), [(MayDropClone $old)]>;

def IsUnseenCopy : Constraint<CPred<"!::fxgraph::reachesWriter($0.getDefiningOp())">, "a copy that no unknown op may write to">;
// Pattern: clone(clone(x)) -> clone(x), where both separate results: none waits for the other
def CloneOfClone : Pat<(FxGraph_CloneOp:$old (FxGraph_CloneOp:$copy $x)), (FxGraph_CloneOp $x), [(IsUnseenCopy $copy)]>;

def IsContiguous : Constraint<CPred<"::fxgraph::isKnownContiguous($0)">, "row-major already">;
// Pattern: contiguous(x) -> x, if x lies in row-major order
def DropContiguous : DropCopy<(FxGraph_ContiguousOp:$old $x), [(IsContiguous $x)]>;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

// Pattern: x * 1, 1 * x -> x
def DropMulOne : DropCopy<(FxGraph_MulOp:$old $x, $one), [(IsOneFor $one, $x)]>;
def DropMulOneLeft : DropCopy<(FxGraph_MulOp:$old $one, $x), [(IsOneFor $one, $x)]>;

def IsAbsent : Constraint<CPred<"!$0">, "absent">;
// Pattern: x / 1 -> x. With a rounding mode of integers only; without one of floats only.
def DropDivOne : DropCopy<(FxGraph_DivOp:$old $x, $one, $mode), [(IsAbsent $mode), (HasFloatElements $x), (IsOneFor $one, $x)]>;
def DropIntDivOne : DropCopy<(FxGraph_DivOp:$old $x, $one, $mode), [(HasIntegerElements $x), (IsOneFor $one, $x)]>;

// Pattern: x + alpha * z, x - alpha * z -> x, for a zero of the right sign
def DropAddZero : DropCopy<(FxGraph_AddOp:$old $x, $zero, $alpha), [(IsAddedZero $zero, $x, $alpha)]>;
def DropSubZero : DropCopy<(FxGraph_SubOp:$old $x, $zero, $alpha), [(IsSubtractedZero $zero, $x, $alpha)]>;
def IsAlphaOne : Constraint<CPred<"$0.getValue().isExactlyValue(1.0)">, "one">;
// Pattern: z + x -> x
def DropAddZeroLeft : DropCopy<(FxGraph_AddOp:$old $zero, $x, $alpha), [(IsAlphaOne $alpha), (IsAddedZero $zero, $x, $alpha)]>;

// Pattern: pow(x, 1) -> x
def DropPowOne : DropCopy<(FxGraph_PowOp:$old $x, $one), [(IsOneFor $one, $x)]>;

// Pattern: -(-x), ~(~x) -> x
def DropDoubleNeg : DropCopy<(FxGraph_NegOp:$old (FxGraph_NegOp $x)), []>;
def DropDoubleNot : DropCopy<(FxGraph_BitwiseNotOp:$old (FxGraph_BitwiseNotOp $x)), []>;

// Pattern: ceil(x), floor(x), round(x), trunc(x) -> x, of integers
def DropIntCeil : DropCopy<(FxGraph_CeilOp:$old $x), [(HasIntegerElements $x)]>;
def DropIntFloor : DropCopy<(FxGraph_FloorOp:$old $x), [(HasIntegerElements $x)]>;
def DropIntRound : DropCopy<(FxGraph_RoundOp:$old $x), [(HasIntegerElements $x)]>;
def DropIntTrunc : DropCopy<(FxGraph_TruncOp:$old $x), [(HasIntegerElements $x)]>;

#endif // FXGRAPH_TRANSFORMS_NOOP_PATTERNS_TD
