// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Transforms/Utils/Expand.h"
#include "PatternSweep.h"

using namespace fxgraph;

namespace {
/// Keeps to itself what takes the place of one op.
struct ExpandListener : public mlir::RewriterBase::ForwardingListener {
  ExpandListener(Operation *op, OpBuilder::Listener *listener) : ForwardingListener(listener), op(op) {}
  void notifyOperationReplaced(Operation *replaced, ValueRange values) override {
    if (replaced != op)
      return ForwardingListener::notifyOperationReplaced(replaced, values);
    replacement.emplace(values);
  }
  void notifyOperationReplaced(Operation *replaced, Operation *by) override {
    if (replaced != op)
      return ForwardingListener::notifyOperationReplaced(replaced, by);
    replacement.emplace(by->getResults());
  }

  Operation *op;
  std::optional<SmallVector<Value>> replacement;
};
} // namespace

std::optional<SmallVector<Value>> fxgraph::expand(RewriteSession &session, Operation *op,
                                                  mlir::PatternApplicator &patterns) {
  ExpandListener listener(op, session.getRewriter().getListener());
  std::optional<FrozenValues> frozen;
  SweepRewriter rewriter(op->getContext(), session, frozen);
  rewriter.setListener(&listener);
  if (failed(patterns.matchAndRewrite(op, rewriter)))
    return std::nullopt;
  return listener.replacement;
}
