// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named constraints for DRR patterns; the functions are in Constraints.h.

#ifndef FXGRAPH_TRANSFORMS_UTILS_CONSTRAINTS_TD
#define FXGRAPH_TRANSFORMS_UTILS_CONSTRAINTS_TD

include "mlir/IR/PatternBase.td"

/// Exactly the same type.
def SameType : Constraint<CPred<"$0.getType() == $1.getType()">, "the same type">;
/// The same type, and no extent that may differ behind a `?`.
def SameKnownType : Constraint<CPred<"::fxgraph::haveSameKnownType($0, $1)">, "the same type, without unknown extents">;

/// A view that is the identity may go: see wouldAliasBoundary.
def MayDropView : Constraint<CPred<"::llvm::succeeded(::fxgraph::mayDropView(rewriter, $0, $1))">, "a view that may go">;
/// An op whose result is fresh storage may go: no unknown op may write to it.
def MayDropCopy : Constraint<CPred<"::llvm::succeeded(::fxgraph::mayDropCopy(rewriter, $0))">, "a copy that may go">;
/// A clone may go: it separates no result of the graph from another value.
def MayDropClone : Constraint<CPred<"::llvm::succeeded(::fxgraph::mayDropClone(rewriter, $0))">, "a clone that may go">;

/// $0 is a number, the same everywhere, that broadcasts to $1, and changes nothing
/// there under …
def IsOneFor : Constraint<CPred<"::fxgraph::isNeutralFactor($0, $1)">, "a one">;
def IsAddedZero : Constraint<CPred<"::fxgraph::isNeutralSummand($0, $1, $2, /*subtracted=*/false)">, "a zero that adds nothing">;
def IsSubtractedZero : Constraint<CPred<"::fxgraph::isNeutralSummand($0, $1, $2, /*subtracted=*/true)">, "a zero that takes nothing">;

def HasIntegerElements : Constraint<CPred<"::llvm::isa<::mlir::IntegerType>(::mlir::getElementTypeOrSelf($0.getType()))">, "integers">;
def HasFloatElements : Constraint<CPred<"::llvm::isa<::mlir::FloatType>(::mlir::getElementTypeOrSelf($0.getType()))">, "floats">;

#endif // FXGRAPH_TRANSFORMS_UTILS_CONSTRAINTS_TD
