// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must hold of a pass on a graph:
//
//   pass-failed      it ends without an error; with rewrite verification on, every
//                    rewrite is right by itself, and the verifier accepts the graph
//   types            the function's type stays
//   values, writes   results and written arguments are those of the graph before:
//                    bit for bit if all rewrites were exact, else within a tolerance
//   aliasing         no result has become an argument, or storage of another result
//   unknown-ops      unknown ops are all there, in order
//   not-idempotent   a second run of a pass changes nothing (not asked of graphs with
//                    dead ops, which count as users until a pass happens to drop them)
//
// Values come from the reference interpreter on seeded arguments; an unknown op
// stands for its first operand. A tolerance is not enough where a graph amplifies
// small differences: then the graph before is run on arguments that are changed in
// the last digit, and what that changes is allowed too.

#ifndef FXGRAPH_TOOLS_FX_FUZZ_CHECK_H
#define FXGRAPH_TOOLS_FX_FUZZ_CHECK_H

#include "fxgraph/Reference/Interpreter.h"
#include "fxgraph/Support/Report.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

namespace fxgraph {

/// A pipeline as the command line names it.
struct PipelineText {
  std::string text;
  /// Of one pass: running it twice must be running it once.
  bool isSinglePass = true;
};

struct Failure {
  std::string kind, message;
};

/// What a check saw, beside failures.
struct CheckOutcome {
  std::optional<Failure> failure;
  bool changed = false;
  bool compared = false;
};

/// One graph under test, with its values before any pass.
class GraphUnderTest {
public:
  GraphUnderTest(mlir::ModuleOp module, uint64_t seed);

  mlir::ModuleOp getModule() const { return module; }
  mlir::func::FuncOp getFunction() const { return function; }

  /// Arguments and what the graph makes of them.
  struct Trial {
    SmallVector<Tensor> arguments;
    Outcome outcome;
    /// Holds a NaN and an infinity in each argument: for exact rewrites only.
    bool nonFinite = false;
    uint64_t seed = 0;
  };
  /// Those on which the graph runs.
  ArrayRef<Trial> getTrials();
  /// The largest change of each result and written argument under changes of the
  /// arguments in the last digit (of the narrowest type).
  ArrayRef<double> getSensitivity(const Trial &trial);
  /// Width of the narrowest floating-point type in the graph.
  Type getNarrowestFloat() const { return narrowest; }
  bool hasDeadOps() const { return deadOps; }

private:
  mlir::ModuleOp module;
  mlir::func::FuncOp function;
  uint64_t seed;
  std::optional<std::vector<Trial>> trials;
  std::map<const Trial *, SmallVector<double>> sensitivities;
  Type narrowest;
  bool deadOps = false;
};

/// A copy of a function in which unknown ops are their first operand.
mlir::OwningOpRef<mlir::func::FuncOp> makeRunnable(mlir::func::FuncOp function);

class Checker {
public:
  explicit Checker(MLIRContext *context) : context(context) {}
  /// Error text if the pipeline does not parse.
  LogicalResult addPipeline(const PipelineText &text, std::string &error);
  size_t getNumPipelines() const { return pipelines.size(); }

  CheckOutcome check(GraphUnderTest &graph, size_t pipeline);

private:
  struct Pipeline {
    PipelineText text;
    std::unique_ptr<mlir::PassManager> manager;
  };
  MLIRContext *context;
  std::vector<Pipeline> pipelines;
};

} // namespace fxgraph

#endif // FXGRAPH_TOOLS_FX_FUZZ_CHECK_H
