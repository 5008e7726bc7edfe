// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-noop-cse: what is computed twice is computed once, inside a session (so that every replacement is checked)
// and with a guard on what the graph returns. MLIR's pass of that name does not know that `a + b` is `b + a`, for an
// op of ours commutes or not by its attributes, nor that an assertion need not be made twice.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/NoOp/Passes.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fxgraph {
#define GEN_PASS_DEF_NOOPCSEPASS
#include "fxgraph/Transforms/NoOp/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

/// True if the op gives the same of its operands in either order, to the bit. (Of two zeros `maximum` gives the first.)
static bool commutes(Operation *op) {
  if (auto add = dyn_cast<AddOp>(op))
    return add.getAlpha().isExactlyValue(1.0);
  return isa<MulOp, EqOp, NeOp, LogicalAndOp, LogicalOrOp, LogicalXorOp, BitwiseAndOp, BitwiseOrOp, BitwiseXorOp>(op);
}

/// True if one of two such ops on the same operands can stand for both. Clones keep results apart; what draws, writes or is unknown is
/// done each time. A region may draw.
static bool countsOnce(Operation *op) {
  if (isa<AssertTensorMetadataOp, AssertScalarOp>(op))
    return true;
  return !isa<CloneOp>(op) && !op->hasTrait<mlir::OpTrait::IsTerminator>() && mlir::isMemoryEffectFree(op);
}

namespace {
struct SameComputation : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *constOp) {
    auto *op = const_cast<Operation *>(constOp);
    auto none = mlir::OperationEquivalence::ignoreHashValue;
    auto flags = mlir::OperationEquivalence::IgnoreLocations;
    if (!commutes(op))
      return mlir::OperationEquivalence::computeHash(op, mlir::OperationEquivalence::directHashValue, none, flags);
    size_t operands = 0;
    for (Value operand : op->getOperands())
      operands += hash_value(operand);
    return llvm::hash_combine(mlir::OperationEquivalence::computeHash(op, none, none, flags), operands);
  }

  static bool isEqual(const Operation *constLeft, const Operation *constRight) {
    auto *left = const_cast<Operation *>(constLeft), *right = const_cast<Operation *>(constRight);
    if (left == right)
      return true;
    if (left == getTombstoneKey() || left == getEmptyKey() || right == getTombstoneKey() || right == getEmptyKey())
      return false;
    auto flags = mlir::OperationEquivalence::IgnoreLocations;
    if (mlir::OperationEquivalence::isEquivalentTo(left, right, flags))
      return true;
    return left->getName() == right->getName() && commutes(left) && left->getOperand(0) == right->getOperand(1) &&
           left->getOperand(1) == right->getOperand(0) && left->getResultTypes() == right->getResultTypes() &&
           left->getAttrDictionary() == right->getAttrDictionary();
  }
};

struct NoopCSEPass : public fxgraph::impl::NoopCSEPassBase<NoopCSEPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    BoundaryGuard guard(session);
    guard.snapshot();
    session.begin({"cse", "", NumericClass::Exact});
    mlir::IRRewriter &rewriter = session.getRewriter();
    bool changed = false;
    // Inner blocks come first, so that regions are compared as they stay.
    for (Block *block : session.collectBlocks()) {
      llvm::DenseSet<Operation *, SameComputation> known;
      for (Operation &op : llvm::make_early_inc_range(*block)) {
        bool isDead = mlir::isOpTriviallyDead(&op);
        if (!isDead && !countsOnce(&op))
          continue;
        if (!isDead) {
          auto [same, isNew] = known.insert(&op);
          if (isNew)
            continue;
          rewriter.replaceAllUsesWith(op.getResults(), (*same)->getResults());
        }
        rewriter.eraseOp(&op);
        changed = true;
      }
    }
    if (changed) {
      session.applied(getOperation().getLoc());
      guard.restore();
    }
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
