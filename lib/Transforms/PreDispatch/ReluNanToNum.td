// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// relu beside nan_to_num. The first two are exact: the same value for every input, NaN, infinities and -0
// among them. PyTorch: the name of a pre-dispatch pass
// (torch/_inductor/fx_passes/pre_grad.py, relu_nan_to_num) whose open version does nothing.

#ifndef FXGRAPH_TRANSFORMS_PREDISPATCH_RELUNANTONUM_TD
#define FXGRAPH_TRANSFORMS_PREDISPATCH_RELUNANTONUM_TD

include "fxgraph/Dialect/IR/FxGraphOps.td"
include "fxgraph/Transforms/Utils/Constraints.td"

def IsOnlyUse : Constraint<CPred<"::llvm::succeeded(checkOnlyUse(rewriter, $0))">, "a value without other users">;
def FallsToZero : Constraint<CPred<"::llvm::succeeded(checkFallsToZero(rewriter, $0, $1))">, "a number that relu makes 0">;
/// relu of the number, once it has the dtype of $1.
def ReluOfNumber : NativeCodeCall<"getReluOfNumber($0, $1)">;

// Pattern: nan_to_num(relu(x); a, b, c) -> relu_nan_to_num(x; a, b). relu is never -inf.
def MergeNanToNumOfRelu : Pat<(FxGraph_NanToNumOp:$root (FxGraph_ReluOp:$inner $x), $nan, $posinf, $neginf),
  (FxGraph_ReluNanToNumOp $x, $nan, $posinf), [(HasFloatElements $x), (IsOnlyUse $inner)]>;

// Pattern: relu(nan_to_num(x; a, b, c)) -> relu_nan_to_num(x; relu(a), relu(b)) [if c < 0]
def MergeReluOfNanToNum : Pat<(FxGraph_ReluOp:$root (FxGraph_NanToNumOp:$inner $x, $nan, $posinf, $neginf)),
  (FxGraph_ReluNanToNumOp $x, (ReluOfNumber $nan, $x), (ReluOfNumber $posinf, $x)),
  [(HasFloatElements $x), (IsOnlyUse $inner), (FallsToZero $neginf, $root)]>;

/// A number of an op's attribute.
class Number<string text> : ConstantAttr<F64Attr, text>;
// Pattern: relu(x) -> relu_nan_to_num(x; 0, inf): NaN becomes 0, all else stays
def StabilizeRelu : Pat<(FxGraph_ReluOp $x),
  (FxGraph_ReluNanToNumOp $x, Number<"0.0">, Number<"std::numeric_limits<double>::infinity()">), [(HasFloatElements $x)]>;

#endif // FXGRAPH_TRANSFORMS_PREDISPATCH_RELUNANTONUM_TD
