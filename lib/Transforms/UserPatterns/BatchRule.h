// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A batch fusion as a rule of a file: what it declares is the key, what its pattern says
// is what a set becomes. The search is that of our own batch fusions.

#ifndef FXGRAPH_LIB_TRANSFORMS_USERPATTERNS_BATCHRULE_H
#define FXGRAPH_LIB_TRANSFORMS_USERPATTERNS_BATCHRULE_H

#include "fxgraph/Transforms/GroupFusion/PatternRule.h"
#include "RuleFile.h"

namespace fxgraph {

class BatchRule : public PatternGroupRule {
public:
  BatchRule(const Rule &rule, const RewriteKind &kind, const mlir::FrozenRewritePatternSet &patterns,
            const llvm::StringMap<mlir::PDLConstraintFunction> &constraints);

  GroupFusionOptions getOptions() const;
  StringRef getRoot() const override { return rule.group->member; }
  RewriteKind getKind(Operation *) const override { return kind; }
  std::optional<GroupKey> match(Operation *op, std::string &reason) const override;

private:
  std::string explain(GroupOp group) const override;
  ArrayRef<StringRef> getDiffering() const override { return differing; }

  const Rule &rule;
  RewriteKind kind;
  const llvm::StringMap<mlir::PDLConstraintFunction> &constraints;
  SmallVector<StringRef> differing;
};

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_USERPATTERNS_BATCHRULE_H
