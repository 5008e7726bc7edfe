// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Prepare/Unbatch.h"
#include "fxgraph/Analysis/FusionOps.h"
#include "mlir/IR/IRMapping.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

namespace {

/// The pieces of one split or unbind, by what its input was computed of.
class Unbatcher {
public:
  Unbatcher(mlir::IRRewriter &rewriter, SplitLikeOpInterface split, ArrayRef<int64_t> sections)
      : rewriter(rewriter), split(split), sections(sections), dim(split.getNormalizedDim()),
        rank(getShape(split->getOperand(0)).size()), dropsDim(split.dropsDim()) {}

  /// Some operands are joined just as the split cuts, and everything between them and the split is
  /// for its pieces alone.
  bool canUnbatch();
  Value create(unsigned piece);
  /// What led to the split and to nothing else. To be called when no piece has a use.
  void erase();

private:
  bool isJoin(Value value) const;
  bool isInner(Value value) const;
  /// Dimensions of a value count from the right: that of the split, if it has it.
  int64_t getDim(Value value) const { return dim - (rank - static_cast<int64_t>(getShape(value).size())); }
  Value createInner(Operation *op, const DenseMap<Value, Value> &pieces, unsigned piece);
  Value createShared(Value value);

  mlir::IRRewriter &rewriter;
  SplitLikeOpInterface split;
  ArrayRef<int64_t> sections;
  int64_t dim, rank;
  bool dropsDim;
  /// What the input is computed of, operands first, and itself.
  SetVector<Value> values;
};

} // namespace

static bool isStatic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

/// A cat or stack whose operands are the pieces.
bool Unbatcher::isJoin(Value value) const {
  auto join = value.getDefiningOp<CatLikeOpInterface>();
  if (!join || getDim(value) < 0 || join.getNormalizedDim() != getDim(value) || join.addsDim() != dropsDim ||
      join->getNumOperands() != sections.size())
    return false;
  for (auto [operand, section] : llvm::zip_equal(join->getOperands(), sections)) {
    ArrayRef<int64_t> shape = getShape(operand);
    bool fits = join.addsDim() || (shape.size() == getShape(value).size() && shape[getDim(value)] == section);
    if (!fits)
      return false;
  }
  return true;
}

/// Computed for the pieces alone.
bool Unbatcher::isInner(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && isa<PointwiseOpInterface>(op) && op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         mlir::isMemoryEffectFree(op) && op->getBlock() == split->getBlock() && llvm::all_equal(op->getUsers()) &&
         llvm::all_of(op->getOperandTypes(), isStatic);
}

bool Unbatcher::canUnbatch() {
  bool hasJoin = false;
  SmallVector<std::pair<Value, bool>> pending = {{split->getOperand(0), false}};
  while (!pending.empty()) {
    auto [value, isDone] = pending.pop_back_val();
    if (isDone) {
      values.insert(value);
    } else if (isJoin(value)) {
      hasJoin = true;
      values.insert(value);
    } else if (isInner(value)) {
      pending.push_back({value, true});
      for (Value operand : value.getDefiningOp()->getOperands())
        if (!values.contains(operand))
          pending.push_back({operand, false});
    } else if (int64_t at = getDim(value); at >= 0 && getShape(value)[at] != 1) {
      return false; // Another tensor along the dimension would be cut for each piece.
    } else {
      values.insert(value);
    }
  }
  return hasJoin;
}

/// What all pieces have in common.
Value Unbatcher::createShared(Value value) {
  int64_t at = getDim(value);
  if (at < 0 || !dropsDim)
    return value;
  return SelectOp::create(rewriter, value.getLoc(), value, rewriter.getI64IntegerAttr(at),
                          rewriter.getI64IntegerAttr(0));
}

Value Unbatcher::createInner(Operation *op, const DenseMap<Value, Value> &pieces, unsigned piece) {
  Value value = op->getResult(0);
  int64_t at = getDim(value);
  SmallVector<int64_t> shape(getShape(value));
  if (at >= 0 && dropsDim)
    shape.erase(shape.begin() + at);
  else if (at >= 0 && shape[at] != 1)
    shape[at] = sections[piece];
  mlir::IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, pieces.lookup(operand));
  Operation *copy = rewriter.clone(*op, mapping);
  copy->getResult(0).setType(cast<RankedTensorType>(value.getType()).clone(shape));
  return copy->getResult(0);
}

Value Unbatcher::create(unsigned piece) {
  DenseMap<Value, Value> pieces;
  for (Value value : values)
    pieces[value] = isJoin(value)    ? value.getDefiningOp()->getOperand(piece)
                    : isInner(value) ? createInner(value.getDefiningOp(), pieces, piece)
                                     : createShared(value);
  return pieces[split->getOperand(0)];
}

void Unbatcher::erase() {
  SmallVector<Operation *> ops = {split};
  for (Value value : llvm::reverse(values))
    if (isJoin(value) || isInner(value))
      ops.push_back(value.getDefiningOp());
  for (Operation *op : ops)
    if (op->use_empty())
      rewriter.eraseOp(op);
}

void fxgraph::gpu::unbatch(mlir::IRRewriter &rewriter, Block &block) {
  auto splits = llvm::to_vector(block.getOps<SplitLikeOpInterface>());
  // From the last one on: pieces of a batch may be batched again.
  for (SplitLikeOpInterface split : llvm::reverse(splits)) {
    Value input = split->getOperand(0);
    std::optional<SmallVector<int64_t>> sections = split.getStaticSections();
    if (!isStatic(input.getType()) || !input.getDefiningOp<PointwiseOpInterface>() || !sections)
      continue;
    Unbatcher unbatcher(rewriter, split, *sections);
    if (!unbatcher.canUnbatch())
      continue;
    rewriter.setInsertionPoint(split);
    for (mlir::OpResult piece : split->getResults())
      if (!piece.use_empty())
        rewriter.replaceAllUsesWith(piece, unbatcher.create(piece.getResultNumber()));
    unbatcher.erase();
  }
}
