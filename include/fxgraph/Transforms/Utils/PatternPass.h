// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base class of the passes that are nothing but declarative patterns (DRR, PDLL): a
// pass says which patterns there are and what each group of them promises; what the
// patterns start from, the shared constraints, numerics, counting, checking and the
// boundary of the graph are seen to here.

#ifndef FXGRAPH_TRANSFORMS_UTILS_PATTERNPASS_H
#define FXGRAPH_TRANSFORMS_UTILS_PATTERNPASS_H

#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "fxgraph/Transforms/Utils/Constraints.h"
#include "fxgraph/Transforms/Utils/OptionsPass.h"

namespace fxgraph {

/// Of a PDL pattern: begins its rewrites as their own kind, whatever the kind of the set
/// that it is applied with. PDL patterns have no names while they are applied.
class KindConfig : public mlir::PDLPatternConfigBase<KindConfig> {
public:
  /// The texts of the kind live as long as the pattern.
  explicit KindConfig(const RewriteKind &kind) : kind(kind) {}
  void notifyRewriteBegin(mlir::PatternRewriter &rewriter) override { RewriteSession::of(rewriter).begin(kind); }

private:
  RewriteKind kind;
};

/// Groups of patterns, applied one after the other, each until none of its patterns
/// matches.
class PatternGroups {
public:
  /// Adds the patterns that `populate` puts into a set in which the constraints and
  /// rewrites of Constraints.pdll are known already. `roots` are the names of the ops that
  /// patterns start from which leave that to a constraint.
  void add(MLIRContext *context, const RewriteKind &kind, function_ref<void(mlir::RewritePatternSet &)> populate,
           ArrayRef<StringRef> roots = {}, SweepOrder order = SweepOrder::UsersFirst);
  void clear() { groups.clear(); }

  /// Applies the groups whose kind `widest` allows. Failure with a diagnostic.
  LogicalResult apply(RewriteSession &session, NumericClass widest) const;
  /// False if the graph has no op that an allowed group starts from.
  bool mayApply(RewriteSession &session, NumericClass widest) const;

private:
  struct Group {
    RewriteKind kind;
    mlir::FrozenRewritePatternSet patterns;
    /// Names of the ops that the patterns start from; empty for any op.
    SmallVector<StringRef> roots;
    SweepOrder order;
  };
  SmallVector<Group> groups;
};

/// Whether what a pass's patterns put in the place of a value may share more storage
/// with arguments and results of the graph than the value did.
enum class Boundary {
  Kept,   ///< never: fresh values are replaced by fresh values
  Guarded ///< it may: a clone goes where it does
};

/// `GeneratedBase` is the pass's generated base class. If that has the option
/// `numerics`, only the groups it allows run.
template <typename GeneratedBase, Boundary boundary = Boundary::Kept>
class PatternPass : public OptionsPass<GeneratedBase> {
public:
  using OptionsPass<GeneratedBase>::OptionsPass;

  LogicalResult initialize(MLIRContext *context) override {
    if (failed(OptionsPass<GeneratedBase>::initialize(context)))
      return failure();
    groups.clear();
    addGroups(context);
    return success();
  }

  void runOnOperation() override {
    RewriteSession session(*this);
    NumericClass widest = this->getWidest();
    if (!groups.mayApply(session, widest))
      return;
    auto rewrite = [&] { return groups.apply(session, widest); };
    LogicalResult result = boundary == Boundary::Guarded ? BoundaryGuard(session).rewriteGuarded(rewrite) : rewrite();
    if (failed(result) || !session.isValid())
      this->signalPassFailure();
  }

protected:
  /// Adds the pass's patterns: addGroup for each kind.
  virtual void addGroups(MLIRContext *context) = 0;
  void addGroup(MLIRContext *context, const RewriteKind &kind, function_ref<void(mlir::RewritePatternSet &)> populate,
                ArrayRef<StringRef> roots = {}, SweepOrder order = SweepOrder::UsersFirst) {
    groups.add(context, kind, populate, roots, order);
  }
  /// The patterns in two groups, for rewrites that round once more, or less, than what they
  /// replace: of 32 bits and more that reassociates, of 16 bits it changes precision. The
  /// patterns tell the groups apart by the constraint IsOfGroupsWidth(op), of the op's result.
  void addGroupsByWidth(MLIRContext *context, StringRef pattern, StringRef counter,
                        function_ref<void(mlir::RewritePatternSet &)> populate) {
    for (bool narrow : {false, true}) {
      RewriteKind kind{pattern, counter, narrow ? NumericClass::ChangesPrecision : NumericClass::Reassociates};
      addGroup(context, kind, [&](mlir::RewritePatternSet &set) {
        set.getPDLPatterns().registerConstraintFunction(
            "IsOfGroupsWidth", [narrow](mlir::PatternRewriter &, Operation *op) -> LogicalResult {
              return success(isNarrowFloat(op->getResult(0).getType()) == narrow);
            });
        populate(set);
      });
    }
  }

private:
  PatternGroups groups;
};

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_UTILS_PATTERNPASS_H
