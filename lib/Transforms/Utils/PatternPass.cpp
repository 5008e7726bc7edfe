// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "fxgraph/Transforms/Utils/FreezePatterns.h"
#include "mlir/Dialect/PDL/IR/PDLOps.h"

using namespace fxgraph;

/// The names of the ops that patterns of the set start from; empty if one starts from
/// any op. `open` are those of the patterns that do not name one.
static SmallVector<StringRef> findRoots(mlir::RewritePatternSet &set, ArrayRef<StringRef> open) {
  llvm::SetVector<StringRef> roots(open.begin(), open.end());
  for (const std::unique_ptr<mlir::RewritePattern> &pattern : set.getNativePatterns()) {
    std::optional<mlir::OperationName> root = pattern->getRootKind();
    if (!root)
      return {};
    roots.insert(root->getStringRef());
  }
  bool any = false; // of those without a name
  if (mlir::ModuleOp module = set.getPDLPatterns().getModule())
    module.walk([&](mlir::pdl::RewriteOp rewrite) {
      auto root = rewrite.getRoot() ? rewrite.getRoot().getDefiningOp<mlir::pdl::OperationOp>() : nullptr;
      std::optional<StringRef> name = root ? root.getOpName() : std::nullopt;
      if (name)
        roots.insert(mlir::OperationName(*name, set.getContext()).getStringRef()); // lives as long as the context
      else
        any = true;
    });
  return any && open.empty() ? SmallVector<StringRef>() : SmallVector<StringRef>(roots.getArrayRef());
}

void PatternGroups::add(MLIRContext *context, const RewriteKind &kind,
                        function_ref<void(mlir::RewritePatternSet &)> populate, ArrayRef<StringRef> open,
                        SweepOrder order) {
  mlir::RewritePatternSet set(context);
  registerConstraints(set);
  populate(set);
  SmallVector<StringRef> roots = findRoots(set, open);
  groups.push_back({kind, freezePatterns(std::move(set)), std::move(roots), order});
}

bool PatternGroups::mayApply(RewriteSession &session, NumericClass widest) const {
  return llvm::any_of(groups, [&](const Group &group) {
    return allows(widest, group.kind.numerics) && (group.roots.empty() || !session.lacks(group.roots));
  });
}

LogicalResult PatternGroups::apply(RewriteSession &session, NumericClass widest) const {
  for (const Group &group : groups)
    if (allows(widest, group.kind.numerics) &&
        failed(session.applyPatterns(group.patterns, group.roots, group.kind, {}, group.order)))
      return failure();
  return success();
}
