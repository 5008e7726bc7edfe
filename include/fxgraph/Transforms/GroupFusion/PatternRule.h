// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules of the engine whose sets become what a pattern says: the search and the key are
// C++, the set is gathered into one op (Dialect/IR/GroupOp.td), and the rest is a text.

#ifndef FXGRAPH_TRANSFORMS_GROUPFUSION_PATTERNRULE_H
#define FXGRAPH_TRANSFORMS_GROUPFUSION_PATTERNRULE_H

#include "fxgraph/Transforms/GroupFusion/Engine.h"
#include "fxgraph/Dialect/IR/GroupOp.h"
#include "fxgraph/Transforms/Utils/Expand.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace fxgraph {

/// The operands of an op by the numbers that ODS gives them: an optional or variadic one
/// is a range.
SmallVector<ValueRange> getOperandGroups(Operation *op);

/// One op in the place of the members, before the builder's insertion point. Attributes in
/// `differing` may differ between members, and are left out.
GroupOp gather(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Operation *> members, ArrayRef<StringRef> differing = {});

class PatternGroupRule : public GroupRule {
public:
  explicit PatternGroupRule(const mlir::FrozenRewritePatternSet &patterns) : applicator(patterns) {
    applicator.applyDefaultCostModel();
  }

  using GroupRule::fuse;
  SmallVector<Value> fuse(RewriteSession &session, mlir::ImplicitLocOpBuilder &builder, ArrayRef<Operation *> members,
                          std::string &reason) const override;

private:
  SmallVector<Value> fuse(mlir::ImplicitLocOpBuilder &, ArrayRef<Operation *>) const final { return {}; }
  /// Why no pattern took the group.
  virtual std::string explain(GroupOp group) const { return "no pattern takes the group"; }
  virtual ArrayRef<StringRef> getDiffering() const { return {}; }

  mutable mlir::PatternApplicator applicator;
};

/// Makes the constraints and rewrites of Group.pdll known to the patterns of this set.
void registerGroupRewrites(mlir::PDLPatternModule &pdl);

/// The patterns of Patterns.pdll, with the constraints and rewrites that they use.
enum class GroupPatterns { Pointwise, Linear, LinearLhs, ParallelLinear, Layernorm };
mlir::FrozenRewritePatternSet makeGroupPatterns(MLIRContext *context, GroupPatterns which);

/// A pass with such a rule: its patterns are made when it is set up.
template <typename GeneratedBase, GroupPatterns which>
class PatternGroupPass : public GroupFusionPass<GeneratedBase> {
public:
  using Base = PatternGroupPass;
  using GroupFusionPass<GeneratedBase>::GroupFusionPass;

  LogicalResult initialize(MLIRContext *context) override {
    patterns = makeGroupPatterns(context, which);
    return success();
  }

protected:
  mlir::FrozenRewritePatternSet patterns;
};

/// What a pass with the option `numerics` runs: its rule may go as far as that.
/// Failure (with a diagnostic) for wrong options and for a wrong rewrite.
template <typename Rule>
LogicalResult runGroupFusion(GraphPass &pass, StringRef numerics, const mlir::FrozenRewritePatternSet &patterns,
                             const GroupFusionOptions &options) {
  FailureOr<NumericClass> widest = parseNumerics(pass.getGraph().getLoc(), numerics);
  if (failed(widest))
    return failure();
  RewriteSession session(pass);
  Rule rule(patterns, *widest, options);
  return success(succeeded(applyGroupFusion(session, rule, options)) && session.isValid());
}

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_GROUPFUSION_PATTERNRULE_H
