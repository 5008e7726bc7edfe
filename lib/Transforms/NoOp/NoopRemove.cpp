// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removes ops that change nothing; the patterns are in Patterns.td. Linear in the
// ops: each removal looks at the users of the op alone.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/NoOp/Passes.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "fxgraph/Transforms/Utils/Constraints.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"

namespace fxgraph {
#define GEN_PASS_DEF_NOOPREMOVEPASS
#include "fxgraph/Transforms/NoOp/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
#include "NoOpPatterns.h.inc"

/// Pattern: split(x; [n]) -> x. A split has a list of results, which DRR cannot
/// replace by one value.
struct DropSplit : public mlir::OpInterfaceRewritePattern<SplitLikeOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(SplitLikeOpInterface split, mlir::PatternRewriter &rewriter) const override {
    if (split->getNumResults() != 1 || split.dropsDim() ||
        split->getResult(0).getType() != split->getOperand(0).getType() ||
        failed(mayDropView(rewriter, split->getResult(0), split->getOperand(0))))
      return failure();
    rewriter.replaceOp(split, split->getOperand(0));
    return success();
  }
};

/// Pattern: detach(x), contiguous(x) -> x, for `inference`.
template <typename OpTy>
struct DropForInference : public mlir::OpRewritePattern<OpTy> {
  using mlir::OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, mlir::PatternRewriter &rewriter) const override {
    if (failed(mayDropView(rewriter, op.getResult(), op.getInput())) || failed(mayDropCopy(rewriter, op.getResult())))
      return failure();
    rewriter.replaceOp(op, op.getInput());
    return success();
  }
};

struct NoopRemovePass : public impl::NoopRemovePassBase<NoopRemovePass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    mlir::RewritePatternSet set(context);
    populateWithGenerated(set);
    set.add<DropSplit>(context);
    if (inference)
      set.add<DropForInference<DetachOp>, DropForInference<ContiguousOp>>(context);
    patterns = std::move(set);
    // The ops that patterns start from; the rest never enters the worklist.
    roots = {SplitOp::getOperationName(), SplitWithSizesOp::getOperationName(), ChunkOp::getOperationName()};
    for (auto &[name, ofOp] : patterns.getOpSpecificNativePatterns())
      if (!llvm::is_contained(roots, name.getStringRef()))
        roots.push_back(name.getStringRef());
    return success();
  }

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks(roots))
      return;
    RewriteKind kind{"remove-noop", counter.getValue()};
    // Whether a tensor lies in row-major order is seen through several views: an op that goes may be further
    // from `contiguous` than what is visited again.
    auto rewrite = [&] {
      unsigned before;
      do {
        before = session.getNumApplied();
        if (failed(session.applyPatterns(patterns, roots, kind)))
          return failure();
      } while (!session.lacks<ContiguousOp>() && session.getNumApplied() > before);
      return success();
    };
    // Clones at the boundary stay.
    if (failed(BoundaryGuard(session).rewriteGuarded(rewrite)) || !session.isValid())
      signalPassFailure();
  }

private:
  mlir::FrozenRewritePatternSet patterns;
  SmallVector<StringRef> roots;
};
} // namespace
