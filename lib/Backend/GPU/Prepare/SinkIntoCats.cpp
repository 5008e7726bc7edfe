// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Prepare/SinkIntoCats.h"
#include "fxgraph/Analysis/FusionOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

/// Pieces for each of which the ops are computed: more of them are better computed as a whole.
static constexpr unsigned kMostPieces = 64;

static bool isStatic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

/// The one operand that is no number, if it is a cat for this op alone.
static CatLikeOpInterface getCat(Operation *op) {
  if (!isa<PointwiseOpInterface>(op) || op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !mlir::isMemoryEffectFree(op) || !llvm::all_of(op->getOperandTypes(), isStatic))
    return {};
  Value whole;
  for (Value operand : op->getOperands()) {
    Operation *owner = operand.getDefiningOp();
    bool isNumber = owner && getSplatConstant(owner) && getShape(operand).empty();
    if (isNumber || operand == whole)
      continue;
    if (whole)
      return {};
    whole = operand;
  }
  auto cat = whole ? whole.getDefiningOp<CatLikeOpInterface>() : CatLikeOpInterface();
  if (!cat || cat->getBlock() != op->getBlock() || !llvm::all_equal(whole.getUsers()) ||
      cat->getNumOperands() <= kMostChoices || cat->getNumOperands() > kMostPieces ||
      getShape(whole) != getShape(op->getResult(0)))
    return {};
  bool areLike = llvm::all_of(cat->getOperands(), [&](Value piece) {
    return isStatic(piece.getType()) && getElementType(piece) == getElementType(whole);
  });
  return areLike ? cat : CatLikeOpInterface();
}

void fxgraph::gpu::sinkIntoCats(mlir::IRRewriter &rewriter, Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    CatLikeOpInterface cat = getCat(&op);
    if (!cat)
      continue;
    rewriter.setInsertionPoint(&op);
    Type element = getElementType(op.getResult(0));
    SmallVector<Value> pieces;
    for (Value piece : cat->getOperands()) {
      mlir::IRMapping mapping;
      mapping.map(cat->getResult(0), piece);
      Operation *copy = rewriter.clone(op, mapping);
      copy->getResult(0).setType(cast<RankedTensorType>(piece.getType()).clone(element));
      pieces.push_back(copy->getResult(0));
    }
    Operation *joined = rewriter.clone(*cat);
    joined->setOperands(pieces);
    joined->getResult(0).setType(op.getResult(0).getType());
    rewriter.replaceOp(&op, joined);
    rewriter.eraseOp(cat);
  }
}
