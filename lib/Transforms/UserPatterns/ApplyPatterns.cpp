// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-apply-patterns: the rules of a user's file. The file is compiled when the pass
// is set up. Local rules run to a fixed point, then the batch fusions in their order, then
// the local rules on what those have made. Linear in the ops and rewrites; why rules did not fire is found out only if
// remarks or a report are asked for, in rules × ops.

#include "BatchRule.h"
#include "NearMisses.h"
#include "RuleFile.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Transforms/UserPatterns/Passes.h"
#include "fxgraph/Transforms/Utils/CheckedPatterns.h"
#include "fxgraph/Transforms/Utils/FreezePatterns.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/IR/Remarks.h"

namespace fxgraph {
#define GEN_PASS_DEF_APPLYPATTERNSPASS
#include "fxgraph/Transforms/UserPatterns/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
struct ApplyPatternsPass : public fxgraph::impl::ApplyPatternsPassBase<ApplyPatternsPass> {
  using Base::Base;

  /// Also a lone path, so that a flag can be --fxgraph-apply-patterns=rules.pdll.
  LogicalResult initializeOptions(StringRef options, function_ref<LogicalResult(const Twine &)> errorHandler) override {
    StringRef text = options.trim();
    if (text.empty() || text.contains('='))
      return Base::initializeOptions(options, errorHandler);
    return Base::initializeOptions("file=" + quoteOption(text), errorHandler);
  }
  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  void reportMisses(RewriteSession &session) const;

  std::shared_ptr<const RuleFile> rules;
  /// Of the rules without a group.
  mlir::FrozenRewritePatternSet patterns;
  bool hasLocal = false;
  SmallVector<StringRef> roots; ///< empty: any op
  struct Batch {
    const Rule *rule;
    RewriteKind kind;
    mlir::FrozenRewritePatternSet patterns;
  };
  SmallVector<Batch> batches;
  llvm::StringMap<mlir::PDLConstraintFunction> constraints;
};
} // namespace

static RewriteKind getKind(const Rule &rule) { return {rule.name, rule.counter, rule.numerics}; }

LogicalResult ApplyPatternsPass::initialize(MLIRContext *context) {
  Location loc = mlir::UnknownLoc::get(context);
  if (file.empty())
    return mlir::emitError(loc) << getArgument() << ": expected file=FILE but got none";
  std::optional<NumericClass> assumed = parseNumerics(assume);
  if (!assumed)
    return mlir::emitError(loc) << "expected assume to be exact, reassociate or relaxed but got " << StringRef(assume);
  FailureOr<NumericClass> widest = parseNumerics(loc, numerics);
  if (failed(widest))
    return failure();
  RuleFileOptions options{file, pdll, {}, name, counter, *assumed};
  for (const std::string &folder : include)
    options.include.push_back(folder);
  FailureOr<std::shared_ptr<const RuleFile>> loaded = RuleFile::load(context, options);
  if (failed(loaded))
    return failure();
  rules = *loaded;

  auto makeSet = [&] {
    mlir::RewritePatternSet set(context);
    registerConstraints(set);
    registerGroupRewrites(set.getPDLPatterns());
    registerCheckedRewrites(set.getPDLPatterns());
    return set;
  };
  auto add = [&](mlir::RewritePatternSet &set, const Rule &rule) {
    set.add(mlir::PDLPatternModule(RuleFile::makeChecked(rule), KindConfig(getKind(rule))));
  };
  mlir::RewritePatternSet set = makeSet();
  constraints = set.getPDLPatterns().getConstraintFunctions();
  llvm::SetVector<StringRef> names;
  bool anyRoot = false;
  batches.clear();
  for (const Rule &rule : rules->getRules()) {
    if (!allows(*widest, rule.numerics))
      continue;
    if (rule.group) {
      mlir::RewritePatternSet own = makeSet();
      add(own, rule);
      batches.push_back({&rule, getKind(rule), freezePatterns(std::move(own))});
      continue;
    }
    add(set, rule);
    mlir::pdl::OperationOp root = getRoot(rule.pattern);
    if (root && root.getOpName())
      names.insert(*root.getOpName());
    else
      anyRoot = true;
  }
  hasLocal = !names.empty() || anyRoot;
  roots.assign(names.begin(), names.end());
  if (anyRoot)
    roots.clear();
  patterns = freezePatterns(std::move(set));
  return success();
}

void ApplyPatternsPass::reportMisses(RewriteSession &session) const {
  NumericClass widest = *parseNumerics(numerics);
  for (const Rule &rule : rules->getRules()) {
    mlir::pdl::OperationOp root = getRoot(rule.pattern);
    if (!root || !root.getOpName() || rule.group) // the search speaks of what it finds
      continue;
    mlir::OperationName name(*root.getOpName(), session.getFunction()->getContext());
    RewriteKind kind{rule.name, "", rule.numerics};
    session.getFunction()->walk([&](Operation *op) {
      if (op->getName() != name)
        return;
      std::string reason =
          allows(widest, rule.numerics)
              ? explainMiss(rule, op, constraints)
              : ("the rule " + stringify(rule.numerics) + ", which numerics=" + StringRef(numerics) + " forbids").str();
      if (!reason.empty())
        session.missed(op->getLoc(), kind, reason);
    });
  }
}

void ApplyPatternsPass::runOnOperation() {
  RewriteSession session(*this);
  // The rules' own reasons are told below, each once.
  const RewriteKind nameless{"", ""};
  auto rewrite = [&] { return session.applyPatterns(patterns, roots, nameless); };
  auto rewriteLocally = [&]() -> LogicalResult {
    return hasLocal ? BoundaryGuard(session).rewriteGuarded(rewrite) : success();
  };
  auto fuse = [&](const Batch &batch) {
    BatchRule rule(*batch.rule, batch.kind, batch.patterns, constraints);
    return applyGroupFusion(session, rule, rule.getOptions());
  };
  bool fine = succeeded(rewriteLocally());
  unsigned before = session.getNumApplied();
  fine = fine && llvm::all_of(batches, [&](const Batch &batch) { return succeeded(fuse(batch)); });
  if (fine && session.getNumApplied() != before)
    fine = succeeded(rewriteLocally());
  if (!fine || !session.isValid())
    return signalPassFailure();
  bool isHeard = Report::get(&getContext()).isRecordingEvents() || getContext().getRemarkEngine();
  if (isHeard)
    reportMisses(session);
}
