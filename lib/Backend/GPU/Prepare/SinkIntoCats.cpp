// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Prepare/SinkIntoCats.h"
#include "Prepare/Reads.h"
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

/// Whether most of what a piece is computed from lies in memory along another than its fastest dimension longer than 1.
static bool liesAcross(Value piece) {
  ArrayRef<int64_t> shape = getShape(piece);
  int64_t inner = shape.size() - 1;
  while (inner > 0 && shape[inner] == 1)
    --inner;
  Reads reads = getReads(piece, llvm::to_vector(llvm::seq<int64_t>(0, std::max<int64_t>(inner, 0))), inner);
  return reads.across > reads.along;
}

/// Whether some pieces lie in memory across what others lie along: one kernel for all would read one kind or the other badly.
static bool lieApart(CatLikeOpInterface cat) {
  constexpr int64_t fewestElements = int64_t(1) << 19;
  if (getNumElements(cat->getResult(0)) < fewestElements || !getElementType(cat->getResult(0)).isIntOrFloat())
    return false;
  bool areAlong = false, areAcross = false;
  for (Value piece : cat->getOperands())
    (liesAcross(piece) ? areAcross : areAlong) = true;
  return areAlong && areAcross;
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
      cat->getNumOperands() > kMostPieces ||
      (cat->getNumOperands() <= kMostChoices && !lieApart(cat) && !joinsRows(cat, FusionOptions())) ||
      getShape(whole) != getShape(op->getResult(0)))
    return {};
  bool areLike = llvm::all_of(cat->getOperands(), [&](Value piece) {
    return isStatic(piece.getType()) && getElementType(piece) == getElementType(whole);
  });
  return areLike ? cat : CatLikeOpInterface();
}

/// Single elements of narrow rows are written one by one, or by blocks that put rows together: neither goes through boxes, so
/// that those which lie across are laid along the others first.
static void layElementsAlong(CatLikeOpInterface cat) {
  if (!llvm::all_of(cat->getOperandTypes(), isStatic) || !getElementType(cat->getResult(0)).isIntOrFloat() ||
      !hasNarrowRows(cat))
    return;
  size_t dim = cat.getNormalizedDim();
  for (Value piece : cat->getOperands()) {
    Operation *owner = piece.getDefiningOp();
    ArrayRef<int64_t> shape = getShape(piece);
    bool isElement = getNumElements(shape.drop_front(std::min(dim, shape.size()))) == 1;
    if (!owner || owner->getNumResults() != 1 || !isElement || !liesAcross(piece))
      continue;
    for (StringRef name : {kInMemoryAttr, kCopiedIntoCatsAttr})
      owner->setAttr(name, mlir::UnitAttr::get(owner->getContext()));
  }
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
  block.walk([](CatLikeOpInterface cat) { layElementsAlong(cat); });
}
