// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Canonical forms whose match is closed; those over kinds of ops and over constants'
// elements are in Canonicalize.cpp, which says what holds of all.

#ifndef FXGRAPH_CANONICALIZATION_TD
#define FXGRAPH_CANONICALIZATION_TD

include "fxgraph/Dialect/IR/FxGraphOps.td"
include "mlir/IR/PatternBase.td"

def SameType : Constraint<CPred<"$0.getType() == $1.getType()">, "the same type">;
def HasStaticShape : Constraint<CPred<"typeOf($0).hasStaticShape()">, "known extents">;
/// An older value may take the place of this one.
def IsHidden : Constraint<CPred<"isStorageHidden($0.getDefiningOp())">, "storage that nobody sees">;

//===----------------------------------------------------------------------===//
// Once is enough
//===----------------------------------------------------------------------===//

// Pattern: f(f(x)) -> f(x), where a second time changes nothing. The result is as fresh as
// before.
foreach op = [FxGraph_ReluOp, FxGraph_AbsOp, FxGraph_CeilOp, FxGraph_FloorOp, FxGraph_RoundOp, FxGraph_TruncOp,
              FxGraph_SignOp, FxGraph_CloneOp, FxGraph_DetachOp] in
  def ApplyOnce#op : Pat<(op (op $x)), (op $x)>;
def IsEqual : Constraint<CPred<"$0 == $1">, "equal">;
def ApplyClampOnce : Pat<(FxGraph_ClampOp (FxGraph_ClampOp $x, $innerMin, $innerMax), $min, $max), (FxGraph_ClampOp $x, $min, $max),
                         [(IsEqual $innerMin, $min), (IsEqual $innerMax, $max)]>;

//===----------------------------------------------------------------------===//
// Constants stand to the right
//===----------------------------------------------------------------------===//

def IsConstant : Constraint<CPred<"$0.getDefiningOp<ConstantOp>()">, "a constant">;
def IsNoConstant : Constraint<CPred<"!$0.getDefiningOp<ConstantOp>()">, "no constant">;
def IsOne : Constraint<CPred<"$0.getValue().isExactlyValue(1.0)">, "one">;

// Pattern: f(constant, x) -> f(x, constant). Not maximum and minimum: which zero they return
// depends on the order.
foreach op = [FxGraph_MulOp, FxGraph_BitwiseAndOp, FxGraph_BitwiseOrOp, FxGraph_BitwiseXorOp, FxGraph_LogicalAndOp,
              FxGraph_LogicalOrOp, FxGraph_LogicalXorOp, FxGraph_EqOp, FxGraph_NeOp] in
  def ConstantToTheRight#op : Pat<(op:$old $constant, $x), (op $x, $constant),
                                  [(IsConstant $constant), (IsNoConstant $x)]>;
def AddConstantToTheRight : Pat<(FxGraph_AddOp:$old $constant, $x, $alpha), (FxGraph_AddOp $x, $constant, $alpha),
                                [(IsOne $alpha), (IsConstant $constant), (IsNoConstant $x)]>;

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

// Pattern: where(c, x, x) -> x
def DropWhere : Pat<(FxGraph_WhereOp:$old $condition, $x, $x), (replaceWithValue $x),
                    [(SameType $old, $x), (HasStaticShape $x), (IsHidden $old)]>;

def LosesNothing : Constraint<CPred<"convertsExactly($0, $1, $2)">, "a first conversion that changes nothing of the second">;
def SameElementType : Constraint<CPred<"typeOf($0).getElementType() == typeOf($1).getElementType()">, "the same dtype">;
def OtherElementType : Constraint<CPred<"typeOf($0).getElementType() != typeOf($1).getElementType()">, "another dtype">;

// Pattern: convert(convert(x)) -> x, back to its own dtype
def DropConverts : Pat<(FxGraph_ConvertElementTypeOp:$old (FxGraph_ConvertElementTypeOp:$inner $x)), (replaceWithValue $x),
                       [(SameElementType $old, $x), (LosesNothing $x, $inner, $old), (IsHidden $old)]>;
// Pattern: convert(convert(x)) -> convert(x)
def MergeConverts : Pat<(FxGraph_ConvertElementTypeOp:$old (FxGraph_ConvertElementTypeOp:$inner $x)),
                        (FxGraph_ConvertElementTypeOp $x),
                        [(OtherElementType $old, $x), (LosesNothing $x, $inner, $old)]>;

#endif // FXGRAPH_CANONICALIZATION_TD
