// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header. One walk.

#include "CallDecomposition.h"

using namespace fxgraph;

bool fxgraph::launchesTritonKernel(AutoFunctionalizedOp op) {
  return op.getTarget() == "higher_order.triton_kernel_wrapper_mutation";
}

static void decompose(RewriteSession &session, const RewriteKind &kind, AutoFunctionalizedOp op) {
  mlir::IRRewriter &rewriter = session.getRewriter();
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  SmallVector<Value> operands(op.getOperands_());
  ArrayRef<int64_t> cloned = op.getOnlyClone().value_or(op.getMutated());
  for (int64_t operand : cloned)
    operands[operand] = CloneOp::create(rewriter, loc, operands[operand].getType(), operands[operand]);
  mlir::NamedAttrList args(op.getArgs());
  args.set("writes", op.getMutatedAttr());
  auto call = OpaqueOp::create(rewriter, loc, op.getResultTypes(), op.getTargetAttr(), operands,
                               args.getDictionary(op.getContext()), /*effects=*/StringAttr());
  session.begin(kind);
  std::string detail = std::to_string(cloned.size()) + " of " + std::to_string(op.getMutated().size()) + " copied";
  rewriter.replaceOp(op, call);
  session.applied(loc, detail);
}

bool fxgraph::decomposeCallsOnCopies(RewriteSession &session, const RewriteKind &kind,
                                     function_ref<bool(AutoFunctionalizedOp)> isMeant) {
  if (session.lacks<AutoFunctionalizedOp>())
    return true;
  SmallVector<AutoFunctionalizedOp> calls;
  session.getFunction()->walk([&](AutoFunctionalizedOp op) {
    if (isMeant(op))
      calls.push_back(op);
  });
  for (AutoFunctionalizedOp op : calls)
    decompose(session, kind, op);
  return session.isValid();
}
