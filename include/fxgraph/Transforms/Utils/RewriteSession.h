// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run of one pass over one function: a rewriter whose every replacement can
// be checked, remarks and counters. Passes rewrite through a session only, so
// that remarks, `--fxgraph-report` and `--fxgraph-verify-rewrites` see everything.

#ifndef FXGRAPH_TRANSFORMS_UTILS_REWRITESESSION_H
#define FXGRAPH_TRANSFORMS_UTILS_REWRITESESSION_H

#include "fxgraph/Support/LLVM.h"
#include "fxgraph/Support/Report.h"
#include "fxgraph/Transforms/Utils/GraphPass.h"
#include "fxgraph/Transforms/Utils/OpList.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "llvm/ADT/StringMap.h"

namespace fxgraph {

/// How one rewrite is named and what it promises.
struct RewriteKind {
  /// Pattern name in remarks and reports, e.g. "merge-splits".
  StringRef pattern;
  /// Inductor's counter; empty for rewrites that Inductor does not count.
  StringRef counter;
  NumericClass numerics = NumericClass::Exact;
};

/// In which order a sweep of patterns visits its candidates.
enum class SweepOrder {
  UsersFirst, ///< as MLIR's greedy driver
  /// For rules that make a user what its producer is made from: of a chain whose members are all used
  /// each then takes one step, not as many as stand before it.
  ProducersFirst
};

class RewriteSession {
public:
  /// The session of a pass on its graph. Analyses are kept if nothing is applied.
  explicit RewriteSession(GraphPass &pass);
  /// `pass` is the flag of the pass without dashes, e.g. "fxgraph-splitcat-merge-splits".
  RewriteSession(mlir::FunctionOpInterface function, StringRef pass);
  ~RewriteSession();

  mlir::IRRewriter &getRewriter() { return rewriter; }
  mlir::FunctionOpInterface getFunction() { return function; }

  /// True if the graph had no op of any of these classes or interfaces when the pass
  /// began: then there is nothing to walk it for. False also without a pass.
  template <typename... Kinds>
  bool lacks() const {
    return graphPass && !graphPass->getOpNames().containsAny<Kinds...>();
  }
  bool lacks(ArrayRef<StringRef> names) const { return graphPass && !graphPass->getOpNames().containsAny(names); }
  /// The ops of these classes or interfaces, those in an op's regions before the op.
  template <typename Kind, typename... Others>
  auto collect() {
    using Result = std::conditional_t<sizeof...(Others) == 0, Kind, Operation *>;
    SmallVector<Result> result;
    if (const OpNames *names = getListed()) {
      SmallVector<Operation *> ops = names->collect<Kind, Others...>();
      if constexpr (std::is_same_v<Result, Operation *>)
        return ops;
      result.reserve(ops.size());
      for (Operation *op : ops)
        result.push_back(cast<Result>(op));
    } else {
      function.getFunctionBody().walk([&](Operation *op) {
        if (isa<Kind, Others...>(op))
          result.push_back(cast<Result>(op));
      });
    }
    return result;
  }
  /// The list of the function's ops, where it can be had for nothing: they are in no region, and none has been
  /// made, moved or erased since the list was. Else null.
  const OpNames *getListed() const;
  /// The blocks of the function, those of an op's regions before the one that holds the
  /// op. To be called before the first rewrite: then a graph without regions need not be
  /// walked for them.
  SmallVector<Block *> collectBlocks();

  /// Starts a rewrite: replacements made from here on are checked as this kind.
  void begin(const RewriteKind &kind);
  /// The rewrite begun last was made at `loc`: counts it and emits a passed remark.
  void applied(Location loc, const Twine &detail = "");
  /// A candidate was refused: emits a missed remark with the reason. The reason is
  /// only built when somebody listens.
  void missed(Location loc, const RewriteKind &kind, function_ref<std::string()> reason);
  void missed(Location loc, const RewriteKind &kind, StringRef reason) {
    missed(loc, kind, [&] { return reason.str(); });
  }

  /// Applies declarative patterns (DRR, PDLL, RewritePattern) greedily, starting
  /// from the ops whose name is in `roots` (empty: all ops); rewritten ops and
  /// their users are visited again. Each application counts and remarks as
  /// `kinds[debug name of the pattern]`, or as `fallback`.
  /// Refusals by constraints are not remarked where the fallback has no pattern name.
  /// Linear in the ops plus the rewrites; the bound on rewrites is 64 per op, and the
  /// error names the patterns that went on and on.
  LogicalResult applyPatterns(const mlir::FrozenRewritePatternSet &patterns, ArrayRef<StringRef> roots,
                              const RewriteKind &fallback, const llvm::StringMap<RewriteKind> &kinds = {},
                              SweepOrder order = SweepOrder::UsersFirst);
  /// The same from these ops, one after the other: for a search that knows which may have changed. It
  /// costs what they and the rewrites cost, whatever the size of the graph.
  LogicalResult applyPatterns(const mlir::FrozenRewritePatternSet &patterns, ArrayRef<Operation *> candidates,
                              const RewriteKind &kind);

  /// A value that a constraint has found for an op, or null; forgotten where a sweep erases the op. So
  /// what is known of a chain's members need not be found again for each.
  Value recall(Operation *op) const { return notes.lookup(op); }
  void note(Operation *op, Value value) { notes[op] = value; }
  void forget(Operation *op) { notes.erase(op); }

  /// Erases ops without uses and effects, latest first, starting from these.
  void eraseDeadOps(ArrayRef<Operation *> candidates);

  /// The session whose applyPatterns runs the pattern that got this rewriter.
  static RewriteSession &of(mlir::PatternRewriter &rewriter);
  /// The kind of the rewrite that was begun last.
  const RewriteKind &getCurrentKind() const { return current; }
  /// A pattern went wrong, and its error has been emitted: no more of them is applied.
  void fail() { patternFailed = true; }
  bool hasFailed() const { return patternFailed; }

  /// False once a checked rewrite was found to be wrong: the pass must fail.
  bool isValid() const;
  /// Number of rewrites applied so far.
  unsigned getNumApplied() const { return numApplied; }

private:
  friend class ChangeList;
  class Listener;

  LogicalResult run(class PatternSweep &sweep, const mlir::FrozenRewritePatternSet &patterns,
                    const RewriteKind &fallback, const llvm::StringMap<RewriteKind> &kinds);

  mlir::FunctionOpInterface function;
  GraphPass *graphPass = nullptr;
  std::string pass;
  mlir::IRRewriter rewriter;
  Report &report;
  RewriteKind current;
  unsigned numApplied = 0;
  bool patternFailed = false;
  DenseMap<Operation *, Value> notes;
  std::unique_ptr<Listener> listener;
};

/// Notes, from its making on, which ops of the session's function are made, get other
/// operands or lose a user. For rewrites that make room for others: a pass that looks at
/// the whole graph again instead is quadratic where a graph gives way one step a round.
class ChangeList {
public:
  explicit ChangeList(RewriteSession &session);
  ~ChangeList();
  ChangeList(const ChangeList &) = delete;
  ChangeList &operator=(const ChangeList &) = delete;

  /// What was noted since the last call and was not erased, in the order in which it
  /// happened.
  SmallVector<Operation *> take() { return ops.take(); }
  /// The one that was noted last, taken out; null if there is none.
  Operation *popLast() { return ops.popLast(); }

private:
  friend class RewriteSession;

  RewriteSession &session;
  OpList ops;
};

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_UTILS_REWRITESESSION_H
