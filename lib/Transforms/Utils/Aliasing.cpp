// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace fxgraph;

bool fxgraph::isReturned(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) { return user->hasTrait<mlir::OpTrait::IsTerminator>(); });
}

bool fxgraph::mayReturnOperand(OpOperand &use) {
  if (auto opaque = dyn_cast<OpaqueOp>(use.getOwner()))
    return opaque.mayReturnOperands();
  return use.getOperandNumber() == 0 && getViewSource(use.getOwner(), /*mayCopy=*/true);
}

/// Of no elements nothing is shared.
static bool isEmpty(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && llvm::is_contained(type.getShape(), 0);
}

/// True if storage of a result of `op` reaches a use of this kind.
static bool reaches(Operation *op, function_ref<bool(OpOperand &)> isGoal) {
  SmallVector<Operation *> worklist{op};
  // Of unknown ops: what they return may be any of several operands.
  llvm::SmallPtrSet<Operation *, 4> seen;
  while (!worklist.empty()) {
    for (OpOperand &use : worklist.pop_back_val()->getUses()) {
      if (isEmpty(use.get()))
        continue;
      if (isGoal(use))
        return true;
      if (mayReturnOperand(use) && (!isa<OpaqueOp>(use.getOwner()) || seen.insert(use.getOwner()).second))
        worklist.push_back(use.getOwner());
    }
  }
  return false;
}

static bool isTerminator(OpOperand &use) { return use.getOwner()->hasTrait<mlir::OpTrait::IsTerminator>(); }

bool fxgraph::reachesWriter(Operation *op) {
  return reaches(op, [](OpOperand &use) {
    auto opaque = dyn_cast<OpaqueOp>(use.getOwner());
    return opaque && opaque.mayWrite(use);
  });
}

bool fxgraph::reachesBoundary(Operation *op) {
  // Strides of its operands an unknown op sees in any case.
  return reaches(op, [](OpOperand &use) { return isa<OpaqueOp>(use.getOwner()) || isTerminator(use); });
}

bool fxgraph::reachesResults(Operation *op, unsigned count) {
  return reaches(op, [&](OpOperand &use) { return isTerminator(use) && --count == 0; });
}

bool fxgraph::wouldAliasBoundary(Value newValue, Operation *old) {
  if (!isReturned(old))
    return false;
  if (isa<mlir::BlockArgument>(newValue))
    return true;
  return llvm::any_of(newValue.getUsers(),
                      [](Operation *user) { return user->hasTrait<mlir::OpTrait::IsTerminator>(); });
}

SmallVector<BoundaryGuard::Sharing> BoundaryGuard::getSharing(Operation *terminator, bool mayCopy) {
  SmallVector<Sharing> result;
  // Roots are remembered for whole chains, so that results which are views of one
  // long chain cost its length once.
  DenseMap<Value, Value> roots;
  DenseMap<Value, size_t> groups;
  SmallVector<Value> path;
  for (auto [i, operand] : llvm::enumerate(terminator->getOperands())) {
    if (isEmpty(operand)) {
      result.push_back({Value(), i});
      continue;
    }
    Value root = operand;
    path.clear();
    while (true) {
      if (Value known = roots.lookup(root)) {
        root = known;
        break;
      }
      path.push_back(root);
      Operation *op = root.getDefiningOp();
      Value source = op ? getViewSource(op, mayCopy) : Value();
      if (!source)
        break;
      root = source;
    }
    for (Value value : path)
      roots[value] = root;
    bool isOuter = isa<mlir::BlockArgument>(root) || root.getParentRegion() != terminator->getParentRegion();
    result.push_back({isOuter ? root : Value(), groups.try_emplace(root, i).first->second});
  }
  return result;
}

void BoundaryGuard::snapshot() {
  if (taken)
    return;
  taken = true;
  // Twice: what surely shares storage, and what may, with ops that only sometimes
  // copy taken for views. Neither may grow.
  for (Block *block : session.collectBlocks()) {
    Operation *last = block->empty() ? nullptr : &block->back();
    if (!last || !last->hasTrait<mlir::OpTrait::ReturnLike>())
      continue;
    hasNested |= block->getParent() != &session.getFunction().getFunctionBody();
    for (bool mayCopy : {false, true})
      before.emplace_back(last, getSharing(last, mayCopy));
  }
}

unsigned BoundaryGuard::restore() {
  mlir::IRRewriter &rewriter = session.getRewriter();
  unsigned clones = 0;
  // An op with a region may have died since.
  DenseSet<Operation *> alive;
  if (hasNested)
    session.getFunction().getFunctionBody().walk([&](Operation *op) {
      if (op->hasTrait<mlir::OpTrait::ReturnLike>())
        alive.insert(op);
    });
  for (auto [number, entry] : llvm::enumerate(before)) {
    auto &[terminator, old] = entry;
    if (hasNested && !alive.contains(terminator))
      continue;
    SmallVector<Sharing> now = getSharing(terminator, /*mayCopy=*/number % 2 != 0);
    // For each group of results that share storage now: the group that its members
    // were in before. A member of another group is separated by a clone.
    DenseMap<size_t, size_t> oldGroups;
    for (auto [i, sharing] : llvm::enumerate(now)) {
      Value operand = terminator->getOperand(i);
      if (!isa<RankedTensorType>(operand.getType()))
        continue;
      bool newOuter = sharing.outer && sharing.outer != old[i].outer;
      bool newGroup = !newOuter && oldGroups.try_emplace(sharing.group, old[i].group).first->second != old[i].group;
      if (!newOuter && !newGroup)
        continue;
      rewriter.setInsertionPoint(terminator);
      Value clone = CloneOp::create(rewriter, operand.getLoc(), operand.getType(), operand);
      Operation *user = terminator;
      size_t position = i;
      rewriter.modifyOpInPlace(user, [&] { user->setOperand(position, clone); });
      ++clones;
    }
  }
  return clones;
}

LogicalResult BoundaryGuard::rewriteGuarded(function_ref<LogicalResult()> rewrite) {
  snapshot();
  unsigned before;
  do {
    before = session.getNumApplied();
    if (failed(rewrite()))
      return failure();
  } while (session.getNumApplied() > before && restore() > 0);
  return success();
}
