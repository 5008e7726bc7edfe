// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.

#include "PatternSweep.h"
#include "fxgraph/Support/Prefetch.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "fxgraph/Transforms/Utils/SweepAnalyses.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Rewrite/PatternApplicator.h"

using namespace fxgraph;

PatternSweep::PatternSweep(RewriteSession &session, ArrayRef<StringRef> roots, SweepOrder order,
                           mlir::RewriterBase::Listener *listener)
    : ForwardingListener(listener), session(session), function(session.getFunction()), order(order) {
  for (StringRef root : roots)
    names.insert(mlir::OperationName(root, function->getContext()).getAsOpaquePointer());
  Block *entry = &function.getFunctionBody().front();
  const OpNames *listed = llvm::hasSingleElement(function.getFunctionBody()) ? session.getListed() : nullptr;
  if (listed) {
    numOps = listed->getOps().size();
    ahead = listed->collect(
        [&](mlir::OperationName name) { return names.empty() || names.contains(name.getAsOpaquePointer()); });
  } else {
    function.getFunctionBody().walk([&](Operation *op) {
      ++numOps;
      if (!isCandidate(op))
        return;
      ahead.push_back(op);
      if (op->getBlock() != entry)
        nested.insert(op);
    });
  }
  isCounted = true;
  entryEnd = ahead.size();
  if (order == SweepOrder::ProducersFirst)
    std::reverse(ahead.begin(), ahead.end());
}

PatternSweep::PatternSweep(RewriteSession &session, ArrayRef<Operation *> candidates,
                           mlir::RewriterBase::Listener *listener)
    : ForwardingListener(listener), session(session), function(session.getFunction()), numOps(candidates.size()),
      ahead(llvm::reverse(candidates)), areGiven(true) {
  for (Operation *op : candidates)
    names.insert(op->getName().getAsOpaquePointer());
}

bool PatternSweep::isBeyondLimit(int64_t numRewrites) {
  if (numRewrites < getMaxRewrites() || isCounted)
    return numRewrites >= getMaxRewrites();
  // What few candidates set off may go through the whole graph, which was not walked for them.
  isCounted = true;
  function.getFunctionBody().walk([&](Operation *) { ++numOps; });
  return false;
}

LogicalResult PatternSweep::run(const mlir::FrozenRewritePatternSet &patterns) {
  SweepRewriter rewriter(function->getContext(), session, frozen);
  rewriter.setListener(this);
  mlir::PatternApplicator applicator(patterns);
  applicator.applyDefaultCostModel();
  int64_t numRewrites = 0;
  while (Operation *op = takeNext()) {
    if (mlir::isOpTriviallyDead(op)) {
      rewriter.eraseOp(op);
      continue;
    }
    if (isBeyondLimit(numRewrites))
      return failure();
    auto canApply = [&](const mlir::Pattern &pattern) {
      notifyPatternBegin(pattern, op);
      return true;
    };
    auto onFailure = [&](const mlir::Pattern &pattern) { notifyPatternEnd(pattern, failure()); };
    auto onSuccess = [&](const mlir::Pattern &pattern) {
      notifyPatternEnd(pattern, success());
      return success();
    };
    if (succeeded(applicator.matchAndRewrite(op, rewriter, canApply, onFailure, onSuccess)))
      ++numRewrites;
    if (session.hasFailed())
      return failure();
  }
  return success();
}

Operation *PatternSweep::takeNext() {
  while (!again.empty()) {
    Operation *op = again.pop_back_val();
    if (!op)
      continue;
    auto it = states.find(op);
    if (it->second.isMade)
      it->second.position = State::kNowhere;
    else
      states.erase(it);
    return op;
  }
  while (!ahead.empty()) {
    Operation *op = ahead.pop_back_val();
    if (ahead.size() >= kPrefetchDistance)
      prefetch(ahead[ahead.size() - kPrefetchDistance]);
    if (erased.contains(op))
      continue;
    if (ahead.size() >= kPrefetchDistance / 2)
      if (Operation *soon = ahead[ahead.size() - kPrefetchDistance / 2]; erased.empty() || !erased.contains(soon))
        prefetchProducers(soon);
    nested.erase(op);
    return op;
  }
  return nullptr;
}

bool PatternSweep::isAhead(Operation *op) {
  Block *entry = &function.getFunctionBody().front();
  if (areGiven)
    return false;
  if (op->getBlock() != entry)
    return nested.contains(op);
  entryEnd = std::min(entryEnd, ahead.size());
  while (entryEnd > 0 && (erased.contains(ahead[entryEnd - 1]) || nested.contains(ahead[entryEnd - 1])))
    --entryEnd;
  if (entryEnd == 0)
    return false;
  // Candidates keep their order numbers: new ops get numbers of their own between them.
  Operation *next = ahead[entryEnd - 1];
  return order == SweepOrder::UsersFirst ? !next->isBeforeInBlock(op) : !op->isBeforeInBlock(next);
}

void PatternSweep::addAgain(Operation *op, State &state) {
  if (state.position != State::kNowhere)
    return;
  state.position = again.size();
  again.push_back(op);
}

const FrozenValues &fxgraph::getFrozenValues(mlir::PatternRewriter &rewriter) {
  auto &sweep = static_cast<SweepRewriter &>(rewriter);
  if (!sweep.frozen)
    sweep.frozen.emplace(sweep.session.getFunction());
  return *sweep.frozen;
}

void PatternSweep::visitAgain(Operation *op) {
  // Also the ops around it: a pattern of an op with a region may look inside.
  for (; op && op != function; op = op->getParentOp()) {
    auto it = states.find(op);
    if (it != states.end())
      addAgain(op, it->second);
    else if (isCandidate(op) && !isAhead(op))
      addAgain(op, states[op]);
  }
}

void PatternSweep::notifyOperationInserted(Operation *op, OpBuilder::InsertPoint previous) {
  ForwardingListener::notifyOperationInserted(op, previous);
  if (frozen && op->getBlock() == &function.getFunctionBody().front())
    frozen->add(op);
  // An op that was only moved keeps what it is.
  if (previous.isSet())
    return visitAgain(op);
  State &state = states[op];
  state.isMade = true;
  addAgain(op, state);
  visitAgain(op->getParentOp());
}

void PatternSweep::notifyOperationModified(Operation *op) {
  ForwardingListener::notifyOperationModified(op);
  visitAgain(op);
}

void PatternSweep::notifyOperationErased(Operation *op) {
  ForwardingListener::notifyOperationErased(op);
  if (frozen)
    frozen->remove(op);
  bool wasMade = false;
  if (auto it = states.find(op); it != states.end()) {
    wasMade = it->second.isMade;
    if (it->second.position != State::kNowhere)
      again[it->second.position] = nullptr;
    states.erase(it);
  }
  orphans.remove(op);
  session.forget(op);
  if (!wasMade && isCandidate(op) && (areGiven || isAhead(op))) {
    erased.insert(op);
    nested.erase(op);
  }
  // A producer that has one user left may match now, and one without users is dead.
  for (Value operand : op->getOperands()) {
    Operation *producer = operand.getDefiningOp();
    if (!producer)
      continue;
    SmallVector<Operation *, 2> others;
    for (Operation *user : operand.getUsers())
      if (user != op && !llvm::is_contained(others, user)) {
        others.push_back(user);
        if (others.size() > 1)
          break;
      }
    if (others.size() <= 1)
      visitAgain(producer);
    // The walk will not come to it.
    if (others.empty() && !isCandidate(producer) && !states.contains(producer))
      orphans.insert(producer);
  }
}
