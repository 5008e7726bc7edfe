// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference interpreter: what a graph means, in readable loops. It is the
// oracle of passes and lowerings, and itself compared with PyTorch.
//
// Each op of the dialect has one evaluator function, registered by the op's name
// from the file of its group (lib/Reference/<Group>.cpp). The interpreter walks a
// function's block once, op by op; a value is dropped after its last use, so that
// evaluators may reuse its storage. Ops with regions run the blocks of these the same
// way. No recursion but for func.call and nested regions.
//
// Numbers: sums, products of matrices and convolutions accumulate in double and
// round once to the result's dtype (`accumulateF32`: in float). Pointwise ops on
// types below 32 bits are computed in f32 and then rounded, as PyTorch does.
// Wrapped numbers (rank-0 f64/i64) enter in f32 precision.
//
// Extents are the run-time ones. After each op its results are checked against
// the declared types: known extents, and symbols, which are bound by the
// arguments or where they first occur.
//
// What goes wrong at run time (an index out of range, integer division by zero,
// extents that do not broadcast, an opaque op) is an error that names the op and
// its location, never a crash.

#ifndef FXGRAPH_REFERENCE_INTERPRETER_H
#define FXGRAPH_REFERENCE_INTERPRETER_H

#include "fxgraph/Reference/Tensor.h"
#include "fxgraph/Runtime/Random.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include <functional>
#include <map>
#include <string>

namespace fxgraph {

class Communicator;
struct Exchange;

struct InterpreterOptions {
  /// Seed of random ops (rand, randn, dropout in training).
  uint64_t seed = 0;
  /// Accumulate sums and products in float instead of double.
  bool accumulateF32 = false;
  /// Most elements of one tensor (8 bytes each): beyond it an op is an error rather
  /// than the end of the process.
  int64_t maxElements = int64_t(1) << 31;
  /// Most steps of all `while_loop`s of a run together; -1 for no bound. For callers that
  /// run graphs on numbers which those were not made for.
  int64_t maxLoopSteps = -1;
  /// How collectives reach other processes (Communicator.h). Null: there are none.
  Communicator *communicator = nullptr;
};

/// What went wrong, kept as text so that callers can try an evaluation quietly.
struct EvaluationError {
  std::optional<Location> location;
  std::string message;
  /// Call sites, innermost first.
  SmallVector<Location, 2> callSites;
  void emit() const;
  /// The same as text: place, message, places of the calls.
  std::string describe() const;
};

struct Outcome {
  SmallVector<Tensor> results;
  /// Arguments written by copy_, ascending, with their final values.
  SmallVector<MutatedArgument> mutated;
};

class Interpreter;

/// One op under evaluation, as its evaluator sees it.
class Evaluation {
public:
  /// Name to extent of the symbols that are known so far.
  using Symbols = DenseMap<StringAttr, int64_t>;

  Evaluation(Interpreter &interpreter, Operation *op, MutableArrayRef<Tensor> operands, const Symbols &symbols)
      : interpreter(interpreter), op(op), operands(operands), symbols(symbols) {}

  Operation *getOp() const { return op; }
  /// Tensor of an operand of the op.
  const Tensor &get(Value operand) const;
  /// The same for an optional operand: null if it is absent.
  const Tensor *find(Value operand) const;
  /// Tensors of a variadic operand group, in order.
  ArrayRef<Tensor> get(mlir::OperandRange range) const;
  /// Takes the tensor out, so that its storage can be reused if nobody else
  /// holds it. The operand is not read again.
  Tensor take(Value operand);
  /// Value of an index operand.
  int64_t getIndex(unsigned operand) const { return operands[operand].ints()[0]; }

  /// Error if a tensor of this shape is beyond InterpreterOptions::maxElements.
  LogicalResult checkSize(ArrayRef<int64_t> shape) const;

  /// Extents of a created tensor: the static ones of the type, the others from
  /// the index operands, in order.
  FailureOr<SmallVector<int64_t>> getCreatedShape(RankedTensorType type, mlir::OperandRange sizes);

  /// Extents of a type by what is known of its symbols; error if one is not known.
  FailureOr<SmallVector<int64_t>> getKnownShape(RankedTensorType type) const;

  FxRandom &getRandom() const;
  bool accumulatesF32() const;

  /// The op's tensors of all processes of a group; `size` where the op says how many.
  FailureOr<Exchange> exchange(StringRef group, std::optional<int64_t> size, ArrayRef<Tensor> inputs) const;

  /// Records an error at the op; always failure.
  LogicalResult error(const Twine &message) const;
  /// Records `dst`'s new value (copy_).
  void writeArgument(unsigned argument, Tensor value) const;
  /// Runs another function of the module (func.call).
  FailureOr<SmallVector<Tensor>> call(mlir::func::FuncOp function) const;
  /// Runs the block of a region of the op; what it yields. Symbols that the block binds
  /// are its own: another run of it may bind them to other extents.
  FailureOr<SmallVector<Tensor>> runRegion(mlir::Region &region, ArrayRef<Tensor> arguments) const;
  /// Counts a step of a loop whose end the op does not know; error beyond
  /// InterpreterOptions::maxLoopSteps.
  LogicalResult countLoopStep() const;

private:
  Interpreter &interpreter;
  Operation *op;
  MutableArrayRef<Tensor> operands;
  const Symbols &symbols;
};

using Evaluator = std::function<LogicalResult(Operation *, Evaluation &, SmallVectorImpl<Tensor> &)>;

/// Op name to evaluator.
class EvaluatorRegistry {
public:
  /// All evaluators of this library.
  static const EvaluatorRegistry &get();

  const Evaluator *lookup(StringRef opName) const {
    auto it = evaluators.find(opName);
    return it == evaluators.end() ? nullptr : &it->second;
  }
  /// Registers the evaluator of an op with one result …
  template <typename OpTy>
  void add(FailureOr<Tensor> (*evaluate)(OpTy, Evaluation &)) {
    evaluators[OpTy::getOperationName()] = [evaluate](Operation *op, Evaluation &evaluation,
                                                      SmallVectorImpl<Tensor> &results) -> LogicalResult {
      FailureOr<Tensor> result = evaluate(cast<OpTy>(op), evaluation);
      if (failed(result))
        return failure();
      results.push_back(std::move(*result));
      return success();
    };
  }
  /// … and of one with any number of results.
  template <typename OpTy>
  void add(LogicalResult (*evaluate)(OpTy, Evaluation &, SmallVectorImpl<Tensor> &)) {
    evaluators[OpTy::getOperationName()] = [evaluate](Operation *op, Evaluation &evaluation,
                                                      SmallVectorImpl<Tensor> &results) -> LogicalResult {
      return evaluate(cast<OpTy>(op), evaluation, results);
    };
  }
  void add(StringRef name, Evaluator evaluator) { evaluators[name] = std::move(evaluator); }

private:
  llvm::StringMap<Evaluator> evaluators;
};

class Interpreter {
public:
  explicit Interpreter(InterpreterOptions options = {}) : options(options) { fxRandomSeed(&random, options.seed); }

  /// Runs the function on these arguments. Each call starts the random stream
  /// afresh. On failure the error has been recorded, not emitted (getError).
  FailureOr<Outcome> run(mlir::func::FuncOp function, ArrayRef<Tensor> arguments);

  /// Computes `roots` and everything they need. `values` holds what is known (at
  /// least the block arguments that are reached) and receives all that is computed.
  LogicalResult evaluateSlice(ArrayRef<Value> roots, DenseMap<Value, Tensor> &values);

  /// The error of the last failed call.
  const EvaluationError &getError() const { return error; }
  const InterpreterOptions &getOptions() const { return options; }

private:
  friend class Evaluation;

  /// The extents that symbols stand for, in one function.
  using Symbols = Evaluation::Symbols;

  LogicalResult fail(Location location, const Twine &message);
  LogicalResult runBody(mlir::func::FuncOp function, ArrayRef<Tensor> arguments, SmallVectorImpl<Tensor> &results);
  /// Runs a block up to its terminator, whose operands are the results.
  LogicalResult runBlock(Block &block, StringRef owner, ArrayRef<Tensor> arguments, Symbols &symbols,
                         SmallVectorImpl<Tensor> &results);
  LogicalResult evaluateOp(Operation *op, MutableArrayRef<Tensor> operands, Symbols &symbols,
                           SmallVectorImpl<Tensor> &results);
  LogicalResult checkAgainstType(Location location, const Twine &what, const Tensor &tensor, Type type,
                                 Symbols &symbols);

  InterpreterOptions options;
  FxRandom random;
  EvaluationError error;
  SmallVector<Operation *> callStack;
  /// Writes of the outermost function.
  std::map<unsigned, Tensor> writes;
  int64_t loopSteps = 0;
  unsigned regionDepth = 0;
};

} // namespace fxgraph

#endif // FXGRAPH_REFERENCE_INTERPRETER_H
