// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-apply-patterns: the rules of a user's file. The file is compiled when the pass
// is set up. Linear in the ops and rewrites; why rules did not fire is found out only if
// remarks or a report are asked for, in rules × ops.

#include "NearMisses.h"
#include "RuleFile.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Transforms/UserPatterns/Passes.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "fxgraph/Transforms/Utils/Constraints.h"
#include "fxgraph/Transforms/Utils/Numerics.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/IR/Remarks.h"

namespace fxgraph {
#define GEN_PASS_DEF_APPLYPATTERNSPASS
#include "fxgraph/Transforms/UserPatterns/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
/// Begins the rewrite of a rule under its own name: PDL patterns have none while they
/// are applied.
class RuleConfig : public mlir::PDLPatternConfigBase<RuleConfig> {
public:
  RuleConfig(std::string name, std::string counter, NumericClass numerics)
      : name(std::move(name)), counter(std::move(counter)), numerics(numerics) {}
  void notifyRewriteBegin(mlir::PatternRewriter &rewriter) override {
    RewriteSession::of(rewriter).begin({name, counter, numerics});
  }

private:
  std::string name, counter;
  NumericClass numerics;
};

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
  mlir::FrozenRewritePatternSet patterns;
  SmallVector<StringRef> roots; ///< empty: any op
  llvm::StringMap<mlir::PDLConstraintFunction> constraints;
};
} // namespace

LogicalResult ApplyPatternsPass::initialize(MLIRContext *context) {
  Location loc = mlir::UnknownLoc::get(context);
  if (file.empty())
    return mlir::emitError(loc) << getArgument() << ": expected file=FILE but got none";
  FailureOr<NumericClass> widest = parseNumerics(loc, numerics), assumed = parseNumerics(loc, assume);
  if (failed(widest) || failed(assumed))
    return failure();
  RuleFileOptions options{file, pdll, {}, name, *assumed};
  for (const std::string &folder : include)
    options.include.push_back(folder);
  FailureOr<std::shared_ptr<const RuleFile>> loaded = RuleFile::load(context, options);
  if (failed(loaded))
    return failure();
  rules = *loaded;

  mlir::RewritePatternSet set(context);
  registerConstraints(set);
  registerCheckedRewrites(set.getPDLPatterns());
  constraints = set.getPDLPatterns().getConstraintFunctions();
  llvm::SetVector<StringRef> names;
  bool anyRoot = false;
  for (const Rule &rule : rules->getRules()) {
    if (!allows(*widest, rule.numerics))
      continue;
    set.add(mlir::PDLPatternModule(
        RuleFile::makeChecked(rule),
        RuleConfig(rule.name, counter.empty() ? rule.name : std::string(counter), rule.numerics)));
    mlir::pdl::OperationOp root = getRoot(rule.pattern);
    if (root && root.getOpName())
      names.insert(*root.getOpName());
    else
      anyRoot = true;
  }
  roots.assign(names.begin(), names.end());
  if (anyRoot)
    roots.clear();
  patterns = std::move(set);
  return success();
}

void ApplyPatternsPass::reportMisses(RewriteSession &session) const {
  NumericClass widest = *parseNumerics(numerics);
  for (const Rule &rule : rules->getRules()) {
    mlir::pdl::OperationOp root = getRoot(rule.pattern);
    if (!root || !root.getOpName())
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
  if (failed(BoundaryGuard(session).rewriteGuarded(rewrite)) || !session.isValid())
    return signalPassFailure();
  bool isHeard = Report::get(&getContext()).isRecordingEvents() || getContext().getRemarkEngine();
  if (isHeard)
    reportMisses(session);
}
