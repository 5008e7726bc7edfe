// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Transforms/Utils/Constraints.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"

using namespace fxgraph;

LogicalResult fxgraph::refuse(mlir::PatternRewriter &rewriter, Operation *op, StringRef reason) {
  return rewriter.notifyMatchFailure(op, [&](mlir::Diagnostic &diag) {
    diag << reason;
    // Tells a refusal from the notes that generated matchers make of every op.
    diag.getMetadata().push_back(mlir::DiagnosticArgument(StringRef("fxgraph.refusal")));
  });
}

LogicalResult fxgraph::checkCatRejoinsSplit(mlir::PatternRewriter &rewriter, Operation *split, Operation *cat) {
  auto splitLike = cast<SplitLikeOpInterface>(split);
  auto catLike = cast<CatLikeOpInterface>(cat);
  if (splitLike.dropsDim() || catLike.addsDim())
    return failure();
  if (splitLike.getNormalizedDim() != catLike.getNormalizedDim())
    return refuse(rewriter, cat, "split and cat are along different dimensions");
  if (split->getOperand(0).getType() != cat->getResult(0).getType())
    return refuse(rewriter, cat, "the cat and the input of the split differ in type");
  if (reachesWriter(cat))
    return refuse(rewriter, cat, "an unknown op may write to the cat");
  return success();
}

LogicalResult fxgraph::checkSplitAtSeams(mlir::PatternRewriter &rewriter, Operation *cat, Operation *split) {
  auto splitLike = cast<SplitLikeOpInterface>(split);
  auto catLike = cast<CatLikeOpInterface>(cat);
  if (splitLike.dropsDim() || catLike.addsDim())
    return failure();
  if (splitLike.getNormalizedDim() != catLike.getNormalizedDim())
    return refuse(rewriter, split, "cat and split are along different dimensions");
  // Equal types also say that the seams are at the same places. A legacy empty
  // operand of the cat has another rank than any piece.
  if (!llvm::equal(cat->getOperandTypes(), split->getResultTypes()))
    return refuse(rewriter, split, "the split does not cut where the cat has joined");
  if (!cat->hasOneUse())
    return refuse(rewriter, split, "the cat has other users");
  if (reachesWriter(split))
    return refuse(rewriter, split, "an unknown op may write to a piece");
  return success();
}

static LogicalResult hasOneUse(mlir::PatternRewriter &, Value value) { return success(value.hasOneUse()); }
static LogicalResult haveSameType(mlir::PatternRewriter &, Value a, Value b) { return success(a.getType() == b.getType()); }
static LogicalResult hasStaticShape(mlir::PatternRewriter &, Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return success(type && type.hasStaticShape());
}

void fxgraph::registerConstraints(mlir::RewritePatternSet &patterns) {
  mlir::PDLPatternModule &pdl = patterns.getPDLPatterns();
  pdl.registerConstraintFunction("SameType", haveSameType);
  pdl.registerConstraintFunction("HasOneUse", hasOneUse);
  pdl.registerConstraintFunction("HasStaticShape", hasStaticShape);
  pdl.registerConstraintFunction("CatRejoinsSplit", checkCatRejoinsSplit);
  pdl.registerConstraintFunction("SplitAtSeams", checkSplitAtSeams);
}
