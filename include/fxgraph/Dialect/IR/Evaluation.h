// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes ask of whoever can evaluate graphs. They do not link the interpreter:
// it is handed to them through the context, as an interface of the dialect
// (registerReferenceEvaluation, in lib/Reference).

#ifndef FXGRAPH_DIALECT_IR_EVALUATION_H
#define FXGRAPH_DIALECT_IR_EVALUATION_H

#include "fxgraph/Support/LLVM.h"
#include "fxgraph/Support/Report.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace fxgraph {

/// Watches the rewrites of one pass on one function, and compares values.
class RewriteVerification : public mlir::RewriterBase::Listener {
public:
  /// Names the rewrites from here on and says what they promise.
  virtual void setCurrentPattern(StringRef name, NumericClass numerics) = 0;
  /// False if any comparison failed; the difference has been reported.
  virtual bool finish() = 0;
  /// Rewrites compared so far.
  virtual unsigned getNumVerified() const = 0;
  /// Why a rewrite of those since setCurrentPattern was not compared; empty if all were.
  virtual StringRef getSkipReason() const = 0;
};

/// True if the environment asks for verified rewrites: FXGRAPH_VERIFY_REWRITES is set, and not to 0.
bool isVerificationInEnvironment();

class EvaluationInterface : public mlir::DialectInterface::Base<EvaluationInterface> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EvaluationInterface)
  explicit EvaluationInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// Null if nobody has registered one in the context.
  static const EvaluationInterface *get(MLIRContext *context);

  /// Null unless the context has rewrites verified.
  virtual std::unique_ptr<RewriteVerification> createRewriteVerification(mlir::FunctionOpInterface function,
                                                                         StringRef pass) const = 0;

  /// The value of `result` where the block arguments that it hangs on are `values`; null if it cannot be computed.
  virtual DenseElementsAttr evaluate(Value result, const DenseMap<Value, DenseElementsAttr> &values) const = 0;

  struct FunctionComparison {
    bool ran = false;       ///< `before` could be evaluated
    std::string difference; ///< empty: none; without `ran`: why not
  };
  /// Runs both on arguments drawn from `seed`, with `extent` for all that is dynamic. Values are equal if they differ by
  /// at most precision + precision * |before|.
  virtual FunctionComparison compare(mlir::func::FuncOp before, mlir::func::FuncOp after, uint64_t argumentSeed,
                                     uint64_t drawSeed, int64_t extent, double precision) const = 0;
};

} // namespace fxgraph

#endif // FXGRAPH_DIALECT_IR_EVALUATION_H
