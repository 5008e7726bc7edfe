// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison of rewritten values on random arguments; see the header.
//
// Exact rewrites are compared on finite numbers with many zeros, and once more
// with a NaN and an infinity in each argument: those alone would hide every other
// difference behind a product of matrices.

#include "fxgraph/Reference/RewriteVerifier.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Reference/Communicator.h"
#include "fxgraph/Reference/Interpreter.h"
#include "fxgraph/Reference/RandomInputs.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/Process.h"
#include <cmath>

#define DEBUG_TYPE "fxgraph-rewrite-verifier"

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// Trials
//===----------------------------------------------------------------------===//

namespace {
/// Extents of one trial: a base, and for distinct symbols distinct numbers if
/// the trial asks for it.
class TrialExtents : public ExtentChoice {
public:
  TrialExtents(int64_t base, int64_t step) : base(base), step(step) {}
  int64_t ofSymbol(StringRef symbol) override {
    auto [it, isNew] = symbols.try_emplace(symbol.str(), base + step * static_cast<int64_t>(symbols.size()));
    return it->second;
  }
  /// Unknown extents may have to agree with each other: they are all the same.
  int64_t ofUnknown(unsigned, int64_t) override { return base; }

  std::map<std::string, int64_t> symbols;
  int64_t base, step;
};
} // namespace

/// One draw of all arguments, and the values computed from it so far.
struct RewriteVerifier::Trial {
  Trial(uint64_t seed, int64_t base, int64_t step, bool nonFinite)
      : seed(seed), nonFinite(nonFinite), extents(base, step) {}
  uint64_t seed;
  /// Arguments of exact comparisons have a NaN and an infinity each.
  bool nonFinite;
  TrialExtents extents;
  /// Finite and with special floats: exact rewrites are compared on the latter.
  DenseMap<Value, Tensor> values[2];
  int64_t keptElements = 0;
  /// Comparisons on which the old value did not run.
  unsigned failures = 0;

  Tensor draw(mlir::BlockArgument argument, bool exact);
};

/// What a comparison evaluates.
struct RewriteVerifier::Slice {
  /// Ops before the old or the new values that no trial has computed yet.
  SetVector<Operation *> ops;
  /// Arguments of the function among their operands.
  SetVector<mlir::BlockArgument> arguments;
  double cost = 0.0;
  bool dynamic = false;
  bool complete = true;
};

std::unique_ptr<RewriteVerifier> RewriteVerifier::createIfEnabled(mlir::FunctionOpInterface function, StringRef pass) {
  const VerifyRewritesOptions &options = VerifyRewritesOptions::get(function->getContext());
  if (!options.enabled || !isa<mlir::func::FuncOp>(function.getOperation()))
    return nullptr;
  return std::make_unique<RewriteVerifier>(function, pass, options);
}

RewriteVerifier::RewriteVerifier(mlir::FunctionOpInterface function, StringRef pass,
                                 const VerifyRewritesOptions &options)
    : function(function), pass(pass.str()), options(options) {
  // Beyond the budget the function is not evaluated as a whole, nor kept.
  unsigned numOps = 0;
  function.getFunctionBody().walk([&](Operation *) {
    return ++numOps > options.maxOps ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  if (numOps <= options.maxOps)
    original = function->clone();
}

RewriteVerifier::~RewriteVerifier() = default;

void RewriteVerifier::setCurrentPattern(StringRef name, NumericClass newNumerics) {
  pattern = name.str();
  numerics = newNumerics;
  replacing = nullptr;
  skipReason.clear();
}

void RewriteVerifier::prepareTrials(bool dynamic) {
  // Static shapes: two seeds. Dynamic: also small extents, among them 1 and 0,
  // equal and distinct symbols. A trial on which the old graph does not run (a
  // reshape wants an even number, say) does not count.
  if (trials.empty()) {
    trials.push_back(std::make_unique<Trial>(options.seed, 2, 1, /*nonFinite=*/false));
    trials.push_back(std::make_unique<Trial>(options.seed + 1, 4, 0, /*nonFinite=*/true));
  }
  if (!dynamic || hasDynamicTrials)
    return;
  hasDynamicTrials = true;
  trials.push_back(std::make_unique<Trial>(options.seed + 2, 1, 0, /*nonFinite=*/false));
  trials.push_back(std::make_unique<Trial>(options.seed + 3, 0, 0, /*nonFinite=*/false));
  trials.push_back(std::make_unique<Trial>(options.seed + 4, 6, 6, /*nonFinite=*/false));
}

void RewriteVerifier::forget(Operation *op) {
  for (auto &trial : trials)
    for (auto &values : trial->values)
      for (Value result : op->getResults())
        values.erase(result);
}

void RewriteVerifier::forgetAll() {
  for (auto &trial : trials) {
    for (auto &values : trial->values)
      values.clear();
    trial->keptElements = 0;
  }
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Elements of a type, with a small number for dynamic extents.
static double estimateElements(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return 1.0;
  double count = 1.0;
  for (int64_t extent : tensor.getShape())
    count *= ShapedType::isDynamic(extent) ? 4.0 : static_cast<double>(extent);
  return count;
}

/// Scalar operations of an op, roughly: of a product of matrices
/// sqrt(|a| |b| |c|) = m n k, of everything else the elements.
static double estimateCost(Operation *op) {
  double elements = 0.0;
  for (Type type : op->getOperandTypes())
    elements += estimateElements(type);
  for (Type type : op->getResultTypes())
    elements += estimateElements(type);
  if (isa<ContractionOpInterface>(op)) {
    double product = op->getNumResults() == 0 ? 1.0 : estimateElements(op->getResult(0).getType());
    SmallVector<double> sizes;
    for (Type type : op->getOperandTypes())
      sizes.push_back(estimateElements(type));
    llvm::sort(sizes, std::greater<>());
    for (double size : ArrayRef<double>(sizes).take_front(2))
      product *= size;
    elements += 2.0 * std::sqrt(product);
  }
  return elements;
}

RewriteVerifier::Slice RewriteVerifier::collectSlice(Operation *op, ValueRange replacement) const {
  Slice slice;
  // A value that all trials know ends the search.
  auto isKnown = [&](Value value) {
    if (trials.empty())
      return false;
    unsigned kind = numerics == NumericClass::Exact;
    return llvm::all_of(trials, [&](const auto &trial) { return trial->values[kind].count(value); });
  };
  SmallVector<Value> worklist;
  auto visitOp = [&](Operation *visited) {
    if (!slice.ops.insert(visited))
      return;
    slice.cost += estimateCost(visited);
    for (Type type : visited->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        slice.dynamic |= !tensor.hasStaticShape();
    llvm::append_range(worklist, visited->getOperands());
  };
  visitOp(op);
  llvm::append_range(worklist, replacement);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    // Unused results may be replaced by nothing.
    if (!value)
      continue;
    if (auto argument = dyn_cast<mlir::BlockArgument>(value)) {
      slice.arguments.insert(argument);
      if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
        slice.dynamic |= !tensor.hasStaticShape();
      continue;
    }
    if (isKnown(value))
      continue;
    if (slice.ops.size() > options.maxOps || slice.cost > options.maxCost) {
      slice.complete = false;
      return slice;
    }
    visitOp(value.getDefiningOp());
  }
  return slice;
}

/// The op, or one in its regions, if the interpreter cannot run it.
static Operation *findUnrunnable(Operation *op) {
  Operation *found = nullptr;
  op->walk([&](Operation *nested) {
    bool runs = isa<YieldOp>(nested) || (!isa<UnknownCallOpInterface>(nested) &&
                                         EvaluatorRegistry::get().lookup(nested->getName().getStringRef()));
    found = runs ? nullptr : nested;
    return runs ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  });
  return found;
}

/// What it is called: an unknown op by what it calls.
static std::string getCallee(Operation *op) {
  if (auto opaque = dyn_cast<OpaqueOp>(op))
    return opaque.getTarget().str();
  return op->getName().getStringRef().str();
}

/// Loops of these may never end on random numbers.
static constexpr int64_t kMaxLoopSteps = 10000;

std::optional<std::string> RewriteVerifier::getObstacle(const Slice &slice, Operation *op) const {
  if (!slice.complete)
    return "the slice is beyond the budget of " + std::to_string(options.maxOps) + " ops or " +
           formatNumber(options.maxCost) + " operations";
  for (Operation *member : slice.ops) {
    if (Operation *obstacle = findUnrunnable(member))
      return "'" + getCallee(obstacle) + "' cannot be run";
  }
  // A draw that both sides share is one value; one that the rewrite makes anew is
  // another.
  if (drawsRandomNumbers(op))
    return "it draws random numbers";
  for (mlir::BlockArgument argument : slice.arguments) {
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    if (!argument.getType().isIndex() && !(tensor && isSupportedElementType(tensor.getElementType())))
      return "an argument has type " + formatType(argument.getType());
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

Tolerance RewriteVerifier::getTolerance(Type elementType, NumericClass numericClass) const {
  Tolerance tolerance;
  if (numericClass == NumericClass::Exact) {
    tolerance.signedZeros = true;
    return tolerance;
  }
  if (!isa<FloatType>(elementType))
    return tolerance;
  tolerance.scaleWithTensor = true;
  bool narrow = elementType.getIntOrFloatBitWidth() < 32;
  if (numericClass == NumericClass::Reassociates)
    tolerance.rtol = narrow ? 1e-2 : elementType.isF64() ? 1e-12 : 1e-5;
  else
    tolerance.rtol = narrow ? 2e-2 : 2e-4;
  return tolerance;
}

/// A random argument; with special floats if the comparison is exact.
Tensor RewriteVerifier::Trial::draw(mlir::BlockArgument argument, bool exact) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!exact || !type)
    return makeRandomArgument(argument, seed, extents);
  RandomSource mixer(seed * 0x9e3779b97f4a7c15ull + argument.getArgNumber());
  RandomSource random(mixer.next());
  return makeRandomTensor(type.getElementType(), chooseShape(type, argument.getArgNumber(), extents), random,
                          getValueHints(argument),
                          /*special=*/true, nonFinite);
}

RewriteVerifier::Verdict RewriteVerifier::compareOnTrial(Trial &trial, const Slice &slice, Operation *op,
                                                         ValueRange replacement, std::string &difference) {
  bool exact = numerics == NumericClass::Exact;
  DenseMap<Value, Tensor> &values = trial.values[exact];
  for (mlir::BlockArgument argument : slice.arguments) {
    auto [it, isNew] = values.try_emplace(argument);
    if (!isNew)
      continue;
    it->second = trial.draw(argument, exact);
    trial.keptElements += it->second.getNumElements();
  }

  EchoedProcesses others(trial.seed);
  InterpreterOptions interpreterOptions;
  interpreterOptions.seed = trial.seed;
  interpreterOptions.maxLoopSteps = kMaxLoopSteps;
  interpreterOptions.communicator = &others;
  Interpreter interpreter(interpreterOptions);
  SmallVector<Value> oldValues(op->getResults());
  if (failed(interpreter.evaluateSlice(oldValues, values))) {
    lastReason = "the old value does not run: " + interpreter.getError().message;
    return Verdict::NotRun;
  }
  SmallVector<Value> newValues;
  for (Value value : replacement)
    if (value)
      newValues.push_back(value);
  if (failed(interpreter.evaluateSlice(newValues, values))) {
    difference = "the new value does not run: " + interpreter.getError().message;
    return Verdict::Different;
  }
  for (Operation *member : slice.ops)
    for (Value result : member->getResults())
      if (auto it = values.find(result); it != values.end())
        trial.keptElements += it->second.getNumElements();

  for (auto [i, pair] : llvm::enumerate(llvm::zip_equal(oldValues, replacement))) {
    auto [oldValue, newValue] = pair;
    if (!newValue)
      continue;
    const Tensor &expected = values.find(oldValue)->second, &actual = values.find(newValue)->second;
    Comparison comparison = compareTensors(actual, expected, getTolerance(expected.getElementType(), numerics));
    if (comparison.isEqual())
      continue;
    difference = "result " + std::to_string(i) + " of type " + formatType(oldValue.getType()) + ": " +
                 describeMismatch(comparison, actual, expected);
    return Verdict::Different;
  }
  return Verdict::Same;
}

void RewriteVerifier::skip(const Twine &reason) {
  ++numUnverified;
  lastReason = reason.str();
  if (skipReason.empty())
    skipReason = lastReason;
  LDBG() << pass << " " << pattern << ": not verified: " << lastReason;
}

void RewriteVerifier::report(Location location, const Twine &what, NumericClass promised, const Trial &trial,
                             const Twine &difference) {
  valid = false;
  InFlightDiagnostic diag = mlir::emitError(location)
                            << pass << ": " << what << " is wrong (" << stringify(promised) << "): " << difference;
  std::string extents;
  for (const auto &[symbol, extent] : trial.extents.symbols)
    extents += ", " + symbol + " = " + std::to_string(extent);
  diag.attachNote(function->getLoc()) << "arguments drawn from seed " << trial.seed << extents
                                      << ", ? = " << trial.extents.base;
}

/// Whoever asked for verified rewrites takes silence for an equal value. What could be run before and cannot be now is
/// the rewrite's doing; of budgets, draws and unknown ops of the graph itself the report tells.
void RewriteVerifier::warnIfUnrunnable(const Slice &slice, Operation *op) {
  if (!slice.complete)
    return;
  Slice old = collectSlice(op, {});
  if (llvm::any_of(old.ops, findUnrunnable))
    return;
  for (Operation *member : slice.ops)
    if (Operation *obstacle = findUnrunnable(member)) {
      if (warned.insert({pattern, getCallee(obstacle)}).second)
        mlir::emitWarning(op->getLoc()) << pass << ": rewrite '" << pattern << "' of '" << op->getName()
                                        << "' is not verified: expected ops that the reference interpreter can run "
                                           "in its place but got '"
                                        << getCallee(obstacle) << "'";
      return;
    }
}

void RewriteVerifier::verifyReplacement(Operation *op, ValueRange replacement) {
  weakest = std::max(weakest, numerics);
  if (op->getNumResults() == 0)
    return;
  if (replacement.size() != op->getNumResults())
    return skip("it has another number of values");
  Slice slice = collectSlice(op, replacement);
  if (std::optional<std::string> obstacle = getObstacle(slice, op)) {
    warnIfUnrunnable(slice, op);
    return skip(*obstacle);
  }
  if (llvm::any_of(slice.ops, drawsRandomNumbers)) {
    Slice oldSlice = collectSlice(op, {});
    if (llvm::any_of(slice.ops,
                     [&](Operation *member) { return drawsRandomNumbers(member) && !oldSlice.ops.contains(member); }))
      return skip("the replacement draws random numbers");
  }
  if (totalCost + slice.cost > options.maxTotalCost)
    return skip("the pass is beyond the budget of " + formatNumber(options.maxTotalCost) + " operations");
  totalCost += slice.cost;
  // Extents decide how many trials there are; a trial that is added later
  // evaluates from the arguments.
  size_t before = trials.size();
  prepareTrials(slice.dynamic);
  if (trials.size() != before && before != 0)
    return verifyReplacement(op, replacement);

  unsigned ran = 0;
  for (auto &trial : trials) {
    std::string difference;
    Verdict verdict = compareOnTrial(*trial, slice, op, replacement, difference);
    if (verdict == Verdict::Different) {
      // Values kept from before a rewrite that reassociates are not those of the
      // present graph: the verdict is that of a fresh evaluation.
      forgetAll();
      slice = collectSlice(op, replacement);
      if (std::optional<std::string> obstacle = getObstacle(slice, op))
        return skip(*obstacle);
      verdict = compareOnTrial(*trial, slice, op, replacement, difference);
    }
    if (verdict == Verdict::Different) {
      ++numVerified;
      return report(op->getLoc(), "rewrite '" + pattern + "' of '" + op->getName().getStringRef() + "'", numerics,
                    *trial, difference);
    }
    if (verdict == Verdict::Same)
      ++ran;
    else
      ++trial->failures;
    if (trial->keptElements > options.maxKeptElements)
      forgetAll();
  }
  // A trial that never runs would make every slice reach back to the arguments.
  constexpr unsigned kMaxFailures = 8;
  for (size_t i = trials.size(); i-- > 1;)
    if (trials[i]->failures > kMaxFailures)
      trials.erase(trials.begin() + i);
  if (ran == 0)
    return skip(lastReason);
  ++numVerified;
}

//===----------------------------------------------------------------------===//
// Whole function
//===----------------------------------------------------------------------===//

void RewriteVerifier::verifyFunction() {
  if (!original)
    return skip("the function is beyond the budget of " + Twine(options.maxOps) + " ops");
  auto before = cast<mlir::func::FuncOp>(*original), after = cast<mlir::func::FuncOp>(function.getOperation());
  if (before.isExternal() || before.getFunctionType() != after.getFunctionType())
    return skip("the function's type has changed");
  double cost = 0.0;
  bool dynamic = false;
  for (mlir::func::FuncOp candidate : {before, after}) {
    std::optional<std::string> obstacle;
    unsigned numOps = 0;
    for (Type type : candidate.getArgumentTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      dynamic |= tensor && !tensor.hasStaticShape();
      if (!type.isIndex() && !(tensor && isSupportedElementType(tensor.getElementType())))
        obstacle = "an argument has type " + formatType(type);
    }
    candidate.walk([&](Operation *op) {
      if (op == candidate || isa<mlir::func::ReturnOp, YieldOp>(op))
        return;
      ++numOps;
      cost += estimateCost(op);
      if (drawsRandomNumbers(op))
        obstacle = "it draws random numbers";
      else if (isa<UnknownCallOpInterface, mlir::func::CallOp>(op) ||
               !EvaluatorRegistry::get().lookup(op->getName().getStringRef()))
        obstacle = "'" + op->getName().getStringRef().str() + "' cannot be run";
    });
    if (obstacle)
      return skip(*obstacle);
    if (numOps > options.maxOps || cost > options.maxCost)
      return skip("the function is beyond the budget");
  }

  prepareTrials(dynamic);
  bool exact = weakest == NumericClass::Exact;
  bool ran = false;
  for (auto &trial : trials) {
    SmallVector<Tensor> arguments;
    for (mlir::BlockArgument argument : before.getArguments())
      arguments.push_back(trial->draw(argument, exact));
    EchoedProcesses others(trial->seed);
    InterpreterOptions interpreterOptions;
    interpreterOptions.communicator = &others;
    interpreterOptions.maxLoopSteps = kMaxLoopSteps;
    Interpreter interpreter(interpreterOptions);
    FailureOr<Outcome> expected = interpreter.run(before, arguments);
    if (failed(expected)) {
      lastReason = interpreter.getError().message;
      continue;
    }
    ran = true;
    FailureOr<Outcome> actual = interpreter.run(after, arguments);
    if (failed(actual))
      return report(interpreter.getError().location.value_or(function->getLoc()),
                    "the function after '" + pattern + "'", weakest, *trial,
                    "it does not run: " + interpreter.getError().message);
    auto compare = [&](const Twine &name, const Tensor &value, const Tensor &oldValue) {
      Comparison comparison = compareTensors(value, oldValue, getTolerance(oldValue.getElementType(), weakest));
      if (!comparison.isEqual() && valid)
        report(function->getLoc(), "the function after '" + pattern + "'", weakest, *trial,
               name + ": " + describeMismatch(comparison, value, oldValue));
    };
    for (auto [i, pair] : llvm::enumerate(llvm::zip_equal(actual->results, expected->results)))
      compare("result " + Twine(i), std::get<0>(pair), std::get<1>(pair));
    auto describeWrites = [](const Outcome &outcome) {
      std::string text;
      for (const MutatedArgument &entry : outcome.mutated)
        text += " " + std::to_string(entry.argument);
      return text.empty() ? " none" : text;
    };
    if (describeWrites(*actual) != describeWrites(*expected))
      return report(function->getLoc(), "the function after '" + pattern + "'", weakest, *trial,
                    "expected writes to arguments" + describeWrites(*expected) + " but got" + describeWrites(*actual));
    for (auto [value, oldValue] : llvm::zip_equal(actual->mutated, expected->mutated))
      compare("argument " + Twine(oldValue.argument), value.value, oldValue.value);
    if (!valid)
      return;
  }
  if (!ran)
    return skip(lastReason);
  ++numVerified;
}

bool RewriteVerifier::finish() {
  replacing = nullptr;
  // A pass may also change the graph behind the listener's back.
  if (valid && !changed && original)
    changed =
        !mlir::OperationEquivalence::isEquivalentTo(*original, function, mlir::OperationEquivalence::IgnoreLocations);
  if (valid && changed)
    verifyFunction();
  changed = false;
  return valid;
}

//===----------------------------------------------------------------------===//
// Notifications
//===----------------------------------------------------------------------===//

void RewriteVerifier::notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) {
  // A new op may have the address of an erased one. A moved op keeps its value.
  replacing = nullptr;
  changed = true;
  forget(op);
}

void RewriteVerifier::notifyOperationModified(Operation *op) {
  changed = true;
  if (replacing)
    return;
  weakest = std::max(weakest, numerics);
  // What the op computed before is not known any more: finish() compares the
  // whole function.
  forgetAll();
}

void RewriteVerifier::notifyOperationReplaced(Operation *op, Operation *replacement) {
  notifyOperationReplaced(op, replacement->getResults());
}

void RewriteVerifier::notifyOperationReplaced(Operation *op, ValueRange replacement) {
  changed = true;
  if (valid)
    verifyReplacement(op, replacement);
  replacing = op;
}

void RewriteVerifier::notifyOperationErased(Operation *op) {
  changed = true;
  op->walk([&](Operation *nested) { forget(nested); });
  if (op == replacing)
    replacing = nullptr;
}
