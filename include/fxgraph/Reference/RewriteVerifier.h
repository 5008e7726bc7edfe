// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks rewrites while they happen: a listener that, when an op is about to be
// replaced, computes its results and the values that take their place on the same
// random arguments and compares them.
//
//   if (auto verifier = RewriteVerifier::createIfEnabled(function, "fxgraph-…")) …
//   rewriter.setListener(verifier.get());
//   verifier->setCurrentPattern("merge-splits", NumericClass::Exact);
//   … rewrites …
//   if (!verifier->finish()) signalPassFailure();
//
// What is compared. Old and new values depend on arguments of the function and
// on ops before them: that joint slice is evaluated by the reference interpreter.
// Arguments are drawn from a seed; two trials for static shapes, more for dynamic
// ones, where every symbol gets an extent per trial (also 0 and 1). Values are kept
// between rewrites, so that a pass over n ops evaluates about n ops per trial.
//
// How close. Exact: bit for bit, NaN equal to NaN, -0 unlike +0, on floats with
// many zeros and, in one trial, NaN and infinities. Reassociates and changes-precision: within a
// tolerance of the dtype, scaled with the tensor's magnitude, on finite numbers.
//
// What is not compared is counted as unverified, never guessed: slices beyond the
// budget, ops that cannot run (opaque), random ops that only one side has, ops
// changed in place. For these, and for effects, finish() compares the whole
// function with a clone made at the start, as far as the budget goes.
//
// Found a difference: one error at the op's location with the pattern, the numeric
// class, the arguments' seed and extents, and the first element that differs. The
// pass must fail (isValid is false); nothing is compared after that.

#ifndef FXGRAPH_REFERENCE_REWRITEVERIFIER_H
#define FXGRAPH_REFERENCE_REWRITEVERIFIER_H

#include "fxgraph/Dialect/IR/Evaluation.h"
#include "fxgraph/Reference/Compare.h"
#include "fxgraph/Support/LLVM.h"
#include "fxgraph/Support/Report.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <set>

namespace fxgraph {

struct VerifyRewritesOptions {
  bool enabled = false;
  /// Most ops that one comparison evaluates for the first time.
  unsigned maxOps = 4000;
  /// Most scalar operations of one comparison, estimated.
  double maxCost = 2e8;
  /// The same for all comparisons of one pass on one function.
  double maxTotalCost = 4e9;
  /// Most elements that are kept between comparisons.
  int64_t maxKeptElements = 1 << 24;
  uint64_t seed = 1;

  /// The setting of a context. It starts from the environment:
  /// FXGRAPH_VERIFY_REWRITES=1 enables (also in the plugin); fx-opt's
  /// --fxgraph-verify-rewrites and the C interface set it.
  static VerifyRewritesOptions &get(MLIRContext *context);
};

class RewriteVerifier : public RewriteVerification {
public:
  /// Null unless enabled, or if `function` is not a func.func.
  static std::unique_ptr<RewriteVerifier> createIfEnabled(mlir::FunctionOpInterface function, StringRef pass);

  RewriteVerifier(mlir::FunctionOpInterface function, StringRef pass, const VerifyRewritesOptions &options);
  ~RewriteVerifier() override;

  void setCurrentPattern(StringRef name, NumericClass numerics) override;

  /// Compares the whole function with what it was, if something changed in a way
  /// that no single comparison covers. False if any comparison failed.
  bool finish() override;
  /// False once a difference was reported.
  bool isValid() const { return valid; }

  /// Rewrites compared, and rewrites that could not be.
  unsigned getNumVerified() const override { return numVerified; }
  unsigned getNumUnverified() const { return numUnverified; }
  StringRef getSkipReason() const override { return skipReason; }
  /// Why the last rewrite was not compared.
  StringRef getLastReason() const { return lastReason; }

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint previous) override;
  void notifyOperationModified(Operation *op) override;
  void notifyOperationReplaced(Operation *op, Operation *replacement) override;
  void notifyOperationReplaced(Operation *op, ValueRange replacement) override;
  void notifyOperationErased(Operation *op) override;

private:
  struct Trial;
  struct Slice;
  enum class Verdict { Same, Different, NotRun };

  Slice collectSlice(Operation *op, ValueRange replacement) const;
  std::optional<std::string> getObstacle(const Slice &slice, Operation *op) const;
  void prepareTrials(bool dynamic);
  void skip(const Twine &reason);
  Verdict compareOnTrial(Trial &trial, const Slice &slice, Operation *op, ValueRange replacement,
                         std::string &difference);
  void verifyReplacement(Operation *op, ValueRange replacement);
  void warnIfUnrunnable(const Slice &slice, Operation *op);
  void verifyFunction();
  void report(Location location, const Twine &what, NumericClass promised, const Trial &trial, const Twine &difference);
  Tolerance getTolerance(Type elementType, NumericClass numerics) const;
  void forget(Operation *op);
  void forgetAll();

  mlir::FunctionOpInterface function;
  std::string pass;
  VerifyRewritesOptions options;
  std::string pattern = "(unnamed)";
  NumericClass numerics = NumericClass::Exact;
  /// The weakest class of all rewrites so far: what the whole function promises.
  NumericClass weakest = NumericClass::Exact;

  mlir::OwningOpRef<Operation *> original;
  std::vector<std::unique_ptr<Trial>> trials;
  /// The op whose uses are being replaced: changes of its users are part of that.
  Operation *replacing = nullptr;
  bool changed = false;
  bool valid = true;
  bool hasDynamicTrials = false;
  double totalCost = 0.0;
  unsigned numVerified = 0, numUnverified = 0;
  std::string lastReason;
  /// The first reason since setCurrentPattern.
  std::string skipReason;
  /// Patterns, with the op that they make, of which a warning has told that they are not verified.
  std::set<std::pair<std::string, std::string>> warned;
};

} // namespace fxgraph

#endif // FXGRAPH_REFERENCE_REWRITEVERIFIER_H
