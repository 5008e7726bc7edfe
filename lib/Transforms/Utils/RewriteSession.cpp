// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "PatternSweep.h"
#include "fxgraph/Dialect/IR/Evaluation.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <array>

using namespace fxgraph;

/// Null unless rewrites are to be verified and somebody in the context can.
static std::unique_ptr<RewriteVerification> createVerification(mlir::FunctionOpInterface function, StringRef pass) {
  const EvaluationInterface *evaluation = EvaluationInterface::get(function->getContext());
  if (evaluation)
    return evaluation->createRewriteVerification(function, pass);
  if (isVerificationInEnvironment())
    function.emitWarning() << pass
                           << ": rewrites are not verified: expected an interpreter in the context but nobody has "
                              "registered one (registerReferenceEvaluation)";
  return nullptr;
}

/// Tells the session which declarative pattern is running, and the verifier, if
/// there is one, what it does.
class RewriteSession::Listener : public mlir::RewriterBase::Listener {
public:
  explicit Listener(RewriteSession &session)
      : session(session), verifier(createVerification(session.function, session.pass)) {}

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint previous) override {
    isListStale = true;
    if (verifier)
      verifier->notifyOperationInserted(op, previous);
    for (ChangeList *changes : changeLists)
      changes->ops.insert(op);
  }
  void notifyOperationModified(Operation *op) override {
    if (verifier)
      verifier->notifyOperationModified(op);
    for (ChangeList *changes : changeLists)
      changes->ops.insert(op);
  }
  void notifyOperationReplaced(Operation *op, Operation *replacement) override {
    if (verifier)
      verifier->notifyOperationReplaced(op, replacement);
  }
  void notifyOperationReplaced(Operation *op, ValueRange replacement) override {
    if (verifier)
      verifier->notifyOperationReplaced(op, replacement);
  }

  void notifyPatternBegin(const mlir::Pattern &pattern, Operation *op) override {
    if (!kinds)
      return;
    auto it = kinds->empty() ? kinds->end() : kinds->find(pattern.getDebugName());
    session.begin(it == kinds->end() ? *fallback : it->second);
    root = op->getLoc();
  }
  void notifyPatternEnd(const mlir::Pattern &, LogicalResult status) override {
    if (!kinds || failed(status))
      return;
    session.applied(*root);
    latest[numEnded++ % latest.size()] = session.current.pattern;
  }
  /// The names of the patterns that were applied last, each once.
  std::string listLatest() const {
    SetVector<StringRef> names(latest.begin(), latest.begin() + std::min<size_t>(numEnded, latest.size()));
    return "'" + llvm::join(names.getArrayRef(), "', '") + "'";
  }

  /// A constraint refused a candidate (fxgraph::refuse). While PDL patterns are
  /// matched it is not known which of them it is for.
  void notifyMatchFailure(Location loc, function_ref<void(mlir::Diagnostic &)> describe) override {
    // Generated matchers have something to say of nearly every op.
    bool isHeard = session.report.isRecordingEvents() || areMissesRemarked.value_or(true);
    if (!kinds || !isHeard || fallback->pattern.empty())
      return;
    mlir::Diagnostic diag(loc, mlir::DiagnosticSeverity::Remark);
    describe(diag);
    if (!diag.getMetadata().empty())
      session.missed(loc, *fallback, [&] { return diag.str(); });
  }

  void notifyOperationErased(Operation *op) override {
    isListStale = true;
    if (verifier)
      verifier->notifyOperationErased(op);
    for (ChangeList *changes : changeLists) {
      changes->ops.remove(op);
      for (Value operand : op->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          changes->ops.insert(producer);
    }
  }

  /// Whether somebody has asked for remarks of this pass that something was done, or not; unknown before the first
  /// one. An engine of remarks that nobody listens to is there in most tools.
  std::optional<bool> areRewritesRemarked, areMissesRemarked;

  SmallVector<ChangeList *, 2> changeLists;
  /// An op was made, moved or erased: the list of ops from before the session is no longer true.
  bool isListStale = false;

  const llvm::StringMap<RewriteKind> *kinds = nullptr;
  const RewriteKind *fallback = nullptr;

private:
  RewriteSession &session;
  std::optional<Location> root;
  std::array<StringRef, 64> latest;

public:
  /// Number of rewrites of the current applyPatterns.
  size_t numEnded = 0;
  const std::unique_ptr<RewriteVerification> verifier;
  /// The verifier's count when the current rewrite began.
  unsigned verifiedBefore = 0;
};

RewriteSession::RewriteSession(mlir::FunctionOpInterface function, StringRef pass)
    : function(function), pass(pass.str()), rewriter(function->getContext()),
      report(Report::get(function->getContext())), listener(std::make_unique<Listener>(*this)) {
  rewriter.setListener(listener.get());
}

RewriteSession::RewriteSession(GraphPass &pass) : RewriteSession(pass.getGraph(), pass.getArgument()) {
  graphPass = &pass;
}

RewriteSession::~RewriteSession() {
  if (!graphPass || numApplied != 0)
    return;
  // Dead ops that patterns left on the way are no loss to the op names.
  if (listener->isListStale)
    graphPass->getOpNames().forgetList();
  graphPass->preserveAnalyses();
}

const OpNames *RewriteSession::getListed() const {
  if (!graphPass || numApplied != 0 || listener->isListStale)
    return nullptr;
  OpNames &names = graphPass->getOpNames();
  if (!names.isFlat())
    return nullptr;
  if (!names.hasList())
    names.listAgain(function);
  return &names;
}

SmallVector<Block *> RewriteSession::collectBlocks() {
  SmallVector<Block *> blocks;
  if (graphPass && graphPass->getOpNames().isFlat()) {
    for (Block &block : function.getFunctionBody())
      blocks.push_back(&block);
    return blocks;
  }
  function.getFunctionBody().walk([&](Block *block) { blocks.push_back(block); });
  return blocks;
}

ChangeList::ChangeList(RewriteSession &session) : session(session) { session.listener->changeLists.push_back(this); }

ChangeList::~ChangeList() { llvm::erase(session.listener->changeLists, this); }

void RewriteSession::begin(const RewriteKind &kind) {
  current = kind;
  if (!listener->verifier)
    return;
  listener->verifier->setCurrentPattern(kind.pattern, kind.numerics);
  listener->verifiedBefore = listener->verifier->getNumVerified();
}

void RewriteSession::applied(Location loc, const Twine &detail) {
  ++numApplied;
  if (!current.counter.empty())
    report.count(current.counter);
  if (report.isRecordingEvents()) {
    unsigned verified = listener->verifier ? listener->verifier->getNumVerified() - listener->verifiedBefore : 0;
    StringRef unverified = listener->verifier ? listener->verifier->getSkipReason() : "";
    std::string told = detail.str();
    if (!unverified.empty())
      told += (told.empty() ? "not verified: " : "; not verified: ") + unverified.str();
    report.record({pass, current.pattern.str(), told, loc, current.numerics, /*applied=*/true, verified});
  }
  if (!listener->areRewritesRemarked.value_or(true))
    return;
  auto remark = mlir::remark::passed(loc, mlir::remark::RemarkOpts::name(current.pattern).category(pass));
  listener->areRewritesRemarked = static_cast<bool>(remark);
  if (remark)
    remark << detail.str();
}

void RewriteSession::missed(Location loc, const RewriteKind &kind, function_ref<std::string()> reason) {
  if (report.isRecordingEvents())
    report.record({pass, kind.pattern.str(), reason(), loc, kind.numerics, /*applied=*/false});
  if (!listener->areMissesRemarked.value_or(true))
    return;
  auto remark = mlir::remark::missed(loc, mlir::remark::RemarkOpts::name(kind.pattern).category(pass));
  listener->areMissesRemarked = static_cast<bool>(remark);
  if (remark)
    remark << reason();
}

LogicalResult RewriteSession::applyPatterns(const mlir::FrozenRewritePatternSet &patterns, ArrayRef<StringRef> roots,
                                            const RewriteKind &fallback, const llvm::StringMap<RewriteKind> &kinds,
                                            SweepOrder order) {
  // What the pass has made since it began is not among the names.
  if (!roots.empty() && numApplied == 0 && lacks(roots))
    return success();
  PatternSweep sweep(*this, roots, order, listener.get());
  return run(sweep, patterns, fallback, kinds);
}

LogicalResult RewriteSession::applyPatterns(const mlir::FrozenRewritePatternSet &patterns,
                                            ArrayRef<Operation *> candidates, const RewriteKind &kind) {
  if (candidates.empty())
    return success();
  PatternSweep sweep(*this, candidates, listener.get());
  return run(sweep, patterns, kind, {});
}

LogicalResult RewriteSession::run(PatternSweep &sweep, const mlir::FrozenRewritePatternSet &patterns,
                                  const RewriteKind &fallback, const llvm::StringMap<RewriteKind> &kinds) {
  listener->numEnded = 0;
  listener->kinds = &kinds;
  listener->fallback = &fallback;
  LogicalResult converged = sweep.run(patterns);
  listener->kinds = nullptr;
  notes.clear();
  eraseDeadOps(sweep.takeOrphans());
  if (failed(converged) && !hasFailed())
    return mlir::emitError(function->getLoc())
           << pass << ": patterns did not reach a fixed point after " << sweep.getMaxRewrites()
           << " rewrites; the last were " << listener->listLatest();
  return converged;
}

void RewriteSession::eraseDeadOps(ArrayRef<Operation *> candidates) {
  SetVector<Operation *> worklist(candidates.begin(), candidates.end());
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!mlir::isOpTriviallyDead(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        worklist.insert(producer);
    rewriter.eraseOp(op);
  }
}

RewriteSession &RewriteSession::of(mlir::PatternRewriter &rewriter) {
  return static_cast<SweepRewriter &>(rewriter).session;
}

bool RewriteSession::isValid() const { return !listener->verifier || listener->verifier->finish(); }
