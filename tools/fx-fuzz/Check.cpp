// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Check.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Reference/Communicator.h"
#include "fxgraph/Reference/Compare.h"
#include "fxgraph/Reference/RandomInputs.h"
#include "fxgraph/Reference/RewriteVerifier.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// Values before
//===----------------------------------------------------------------------===//

namespace {
/// Symbols get distinct extents if `step` is not 0; every `?` is the base.
class Extents : public ExtentChoice {
public:
  Extents(int64_t base, int64_t step) : base(base), step(step) {}
  int64_t ofSymbol(StringRef symbol) override {
    return symbols.try_emplace(symbol.str(), base + step * static_cast<int64_t>(symbols.size())).first->second;
  }
  int64_t ofUnknown(unsigned, int64_t) override { return base; }

private:
  int64_t base, step;
  std::map<std::string, int64_t> symbols;
};
} // namespace

static Type getNarrower(Type a, Type b) {
  // bf16 has fewer digits than f16.
  auto digits = [](Type type) { return cast<FloatType>(type).getFPMantissaWidth(); };
  return !a || digits(b) < digits(a) ? b : a;
}

GraphUnderTest::GraphUnderTest(mlir::ModuleOp module, uint64_t seed) : module(module), seed(seed) {
  function = *module.getOps<mlir::func::FuncOp>().begin();
  auto visit = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && isa<FloatType>(tensor.getElementType()))
      narrowest = getNarrower(narrowest, tensor.getElementType());
  };
  llvm::for_each(function.getArgumentTypes(), visit);
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResultTypes(), visit);
    deadOps |= mlir::isOpTriviallyDead(op);
  });
  if (!narrowest)
    narrowest = mlir::Float64Type::get(module.getContext());
}

mlir::OwningOpRef<mlir::func::FuncOp> fxgraph::makeRunnable(mlir::func::FuncOp function) {
  mlir::OwningOpRef<mlir::func::FuncOp> copy(function.clone());
  SmallVector<Operation *> unknown;
  for (Operation &op : copy->getOps())
    if (isa<OpaqueOp, AutoFunctionalizedOp>(op))
      unknown.push_back(&op);
  for (Operation *op : unknown) {
    if (op->getNumOperands() > 0 && op->getNumResults() == 1 &&
        op->getResult(0).getType() == op->getOperand(0).getType()) {
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    }
  }
  return copy;
}

namespace {
/// An interpreter for one run of a trial. In the collectives of the graph the other
/// processes do the same with the same numbers.
struct Run {
  explicit Run(const GraphUnderTest::Trial &trial) : others(trial.seed), interpreter(getOptions(others)) {}

  static InterpreterOptions getOptions(Communicator &communicator) {
    InterpreterOptions options;
    options.communicator = &communicator;
    return options;
  }

  EchoedProcesses others;
  Interpreter interpreter;
};
} // namespace

ArrayRef<GraphUnderTest::Trial> GraphUnderTest::getTrials() {
  if (trials)
    return *trials;
  trials.emplace();
  bool dynamic = false;
  function.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        dynamic |= !tensor.hasStaticShape();
  });
  for (Type type : function.getArgumentTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    dynamic |= !tensor || !tensor.hasStaticShape();
  }
  struct Plan {
    int64_t base, step;
    bool nonFinite;
  };
  SmallVector<Plan> plans{{2, 1, false}, {4, 0, true}};
  if (dynamic)
    plans.append({{4, 0, false}, {2, 0, false}, {1, 0, false}, {0, 0, false}, {6, 2, false}});
  mlir::OwningOpRef<mlir::func::FuncOp> runnable = makeRunnable(function);
  for (auto [number, plan] : llvm::enumerate(plans)) {
    Extents extents(plan.base, plan.step);
    Trial trial;
    trial.nonFinite = plan.nonFinite;
    trial.seed = seed * 16 + number;
    for (mlir::BlockArgument argument : runnable->getArguments()) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!type) {
        // A size that no tensor tells: as large as what nothing is known of, and as the first symbol.
        trial.arguments.push_back(Tensor::index(function.getContext(), plan.base));
        continue;
      }
      RandomSource mixer(trial.seed + 0x632be59bd9b4e019ull * (argument.getArgNumber() + 1));
      RandomSource random(mixer.next());
      trial.arguments.push_back(makeRandomTensor(type.getElementType(),
                                                 chooseShape(type, argument.getArgNumber(), extents), random,
                                                 getValueHints(argument), /*special=*/true, plan.nonFinite));
    }
    FailureOr<Outcome> outcome = Run(trial).interpreter.run(*runnable, trial.arguments);
    // A graph may have no meaning for some extents.
    if (failed(outcome))
      continue;
    trial.outcome = std::move(*outcome);
    trials->push_back(std::move(trial));
  }
  return *trials;
}

/// Results, then written arguments.
static SmallVector<const Tensor *> getAllValues(const Outcome &outcome) {
  SmallVector<const Tensor *> values;
  for (const Tensor &tensor : outcome.results)
    values.push_back(&tensor);
  for (const MutatedArgument &entry : outcome.mutated)
    values.push_back(&entry.value);
  return values;
}

/// Multiplies floats that are drawn by further arguments, whose types it returns: what a graph computes of draws alone depends
/// on rounding as well.
static SmallVector<Type> scaleDraws(mlir::func::FuncOp function) {
  Block &body = function.getBody().front();
  SmallVector<Type> types(function.getArgumentTypes()), added;
  OpBuilder builder(function.getContext());
  for (Operation &op : llvm::make_early_inc_range(body)) {
    auto type = op.getNumResults() == 1 ? dyn_cast<RankedTensorType>(op.getResult(0).getType()) : RankedTensorType();
    if (!drawsRandomNumbers(&op) || !type || !type.hasStaticShape() || !isa<FloatType>(type.getElementType()))
      continue;
    builder.setInsertionPointAfter(&op);
    Value scaled = MulOp::create(builder, op.getLoc(), op.getResult(0), body.addArgument(type, op.getLoc()));
    op.getResult(0).replaceAllUsesExcept(scaled, scaled.getDefiningOp());
    added.push_back(type);
  }
  llvm::append_range(types, added);
  function.setType(builder.getFunctionType(types, function.getResultTypes()));
  return added;
}

ArrayRef<double> GraphUnderTest::getSensitivity(const Trial &trial) {
  auto [it, isNew] = sensitivities.try_emplace(&trial);
  if (!isNew)
    return it->second;
  SmallVector<const Tensor *> expected = getAllValues(trial.outcome);
  it->second.assign(expected.size(), 0.0);
  mlir::OwningOpRef<mlir::func::FuncOp> runnable = makeRunnable(function);
  SmallVector<Type> draws = scaleDraws(*runnable);
  // One unit in the last place of the narrowest type, relative to 1.
  double unit = std::ldexp(1.0, 1 - static_cast<int>(cast<FloatType>(narrowest).getFPMantissaWidth()));
  // One to four of them: a rewrite may round a few times more on the way.
  static constexpr int kUlps[] = {1, 1, 2, 2, 4, 4};
  for (auto [run, ulps] : llvm::enumerate(kUlps)) {
    double step = ulps * unit;
    RandomSource random(trial.seed + 77 * run + 1);
    SmallVector<Tensor> arguments = trial.arguments;
    for (Type type : draws) {
      auto tensor = cast<RankedTensorType>(type);
      arguments.push_back(Tensor(tensor.getElementType(), tensor.getShape()));
      for (double &value : arguments.back().mutableFloats())
        value = 1.0;
    }
    for (Tensor &argument : arguments) {
      if (!argument.isFloat())
        continue;
      Type type = argument.getElementType();
      for (double &value : argument.mutableFloats())
        value = roundToType(type, value * (1.0 + step * (random.below(3) - 1)) + step * 0.25 * (random.below(3) - 1));
    }
    FailureOr<Outcome> outcome = Run(trial).interpreter.run(*runnable, arguments);
    if (failed(outcome)) {
      it->second.assign(expected.size(), HUGE_VAL);
      break;
    }
    for (auto [i, pair] : llvm::enumerate(llvm::zip_equal(getAllValues(*outcome), expected))) {
      auto [actual, wanted] = pair;
      double largest = it->second[i];
      for (int64_t j = 0; j < wanted->getNumElements(); ++j) {
        double value = std::fabs(wanted->getAsDouble(j));
        double difference = std::fabs(actual->getAsDouble(j) - wanted->getAsDouble(j));
        // What is not finite, or not the same number of elements, may be anything; so may
        // a quotient by a difference that rounding can make 0.
        bool isNearPole = value * unit > 1.0 && difference > 0.5 * value;
        largest = std::isfinite(difference) && !isNearPole ? std::max(largest, difference) : HUGE_VAL;
      }
      it->second[i] = largest;
    }
  }
  return it->second;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// The weakest class among the rewrites that the report holds.
static NumericClass getWeakestClass(const Report &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  report.writeJSON(os);
  NumericClass weakest = NumericClass::Exact;
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return weakest;
  }
  for (const llvm::json::Value &value : *parsed->getAsObject()->getArray("events")) {
    const llvm::json::Object &event = *value.getAsObject();
    if (!event.getBoolean("applied").value_or(false))
      continue;
    for (NumericClass candidate : {NumericClass::Reassociates, NumericClass::ChangesPrecision})
      if (event.getString("numerics") == stringify(candidate))
        weakest = std::max(weakest, candidate);
  }
  return weakest;
}

static Tolerance getTolerance(NumericClass numerics, Type narrowest) {
  Tolerance tolerance;
  if (numerics == NumericClass::Exact) {
    tolerance.signedZeros = true;
    return tolerance;
  }
  tolerance.scaleWithTensor = true;
  if (narrowest.isF64())
    tolerance.rtol = 1e-9;
  else if (narrowest.isF32())
    tolerance.rtol = 1e-4;
  else
    tolerance.rtol = narrowest.isF16() ? 1e-2 : 6e-2;
  return tolerance;
}

static double getLargestDifference(const Tensor &actual, const Tensor &expected) {
  double largest = 0.0;
  for (int64_t i = 0; i < actual.getNumElements(); ++i) {
    double a = actual.getAsDouble(i), b = expected.getAsDouble(i);
    if ((std::isnan(a) && std::isnan(b)) || a == b)
      continue;
    double difference = std::fabs(a - b);
    largest = std::isnan(difference) ? HUGE_VAL : std::max(largest, difference);
  }
  return largest;
}

static std::optional<Failure> compareValues(GraphUnderTest &graph, mlir::func::FuncOp after, NumericClass numerics,
                                            bool &compared) {
  mlir::OwningOpRef<mlir::func::FuncOp> runnable = makeRunnable(after);
  Tolerance tolerance = getTolerance(numerics, graph.getNarrowestFloat());
  for (const GraphUnderTest::Trial &trial : graph.getTrials()) {
    if (trial.nonFinite && numerics != NumericClass::Exact)
      continue;
    compared = true;
    Run run(trial);
    FailureOr<Outcome> outcome = run.interpreter.run(*runnable, trial.arguments);
    if (failed(outcome))
      return Failure{"values", "the graph does not run any more: " + run.interpreter.getError().message};
    auto describeWrites = [](const Outcome &outcome) {
      std::string text;
      for (const MutatedArgument &entry : outcome.mutated)
        text += " " + std::to_string(entry.argument);
      return text.empty() ? std::string(" none") : text;
    };
    if (describeWrites(*outcome) != describeWrites(trial.outcome))
      return Failure{"writes", "expected writes to arguments" + describeWrites(trial.outcome) + " but got" +
                                   describeWrites(*outcome)};
    SmallVector<const Tensor *> expected = getAllValues(trial.outcome), actual = getAllValues(*outcome);
    for (size_t i = 0; i < expected.size(); ++i) {
      Comparison comparison = compareTensors(*actual[i], *expected[i], tolerance);
      if (comparison.isEqual())
        continue;
      if (comparison.sameType && numerics != NumericClass::Exact) {
        constexpr double kSlack = 64.0;
        if (getLargestDifference(*actual[i], *expected[i]) <= kSlack * graph.getSensitivity(trial)[i])
          continue;
      }
      bool isResult = i < trial.outcome.results.size();
      std::string what =
          isResult ? "result " + std::to_string(i)
                   : "argument " + std::to_string(trial.outcome.mutated[i - trial.outcome.results.size()].argument);
      return Failure{isResult ? "values" : "writes", what + " (" + stringify(numerics).str() + "): " +
                                                         describeMismatch(comparison, *actual[i], *expected[i])};
    }
  }
  return std::nullopt;
}

/// For each result: the argument it is or views (-1: none), and the value that it
/// shares storage with. A size, and a tensor without elements, shares nothing.
static SmallVector<std::pair<int64_t, Value>> getSharing(mlir::func::FuncOp function) {
  SmallVector<std::pair<int64_t, Value>> sharing;
  for (Value result : function.getBody().front().getTerminator()->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    bool hasElements = type && !llvm::is_contained(type.getShape(), 0);
    Value root = hasElements ? getStorageRoot(result, /*mayCopy=*/false) : Value();
    auto argument = dyn_cast_if_present<mlir::BlockArgument>(root);
    sharing.emplace_back(argument ? static_cast<int64_t>(argument.getArgNumber()) : -1, root);
  }
  return sharing;
}

static std::optional<Failure> compareSharing(mlir::func::FuncOp before, mlir::func::FuncOp after) {
  auto old = getSharing(before), now = getSharing(after);
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i].first >= 0 && now[i].first != old[i].first)
      return Failure{"aliasing",
                     "result " + std::to_string(i) + " now is storage of argument " + std::to_string(now[i].first)};
    for (size_t j = 0; j < i; ++j)
      if (now[i].second && now[i].second == now[j].second && old[i].second != old[j].second)
        return Failure{"aliasing", "results " + std::to_string(j) + " and " + std::to_string(i) + " now share storage"};
  }
  return std::nullopt;
}

/// Those that may do more than compute their results.
static std::string listUnknownOps(mlir::func::FuncOp function) {
  std::string text;
  for (Operation &op : function.getOps())
    if (isa<OpaqueOp, AutoFunctionalizedOp>(op) && !mlir::isMemoryEffectFree(&op))
      text += " " + op.getAttrOfType<StringAttr>("target").str();
  return text;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

LogicalResult Checker::addPipeline(const PipelineText &text, std::string &error) {
  auto manager = std::make_unique<mlir::PassManager>(context);
  manager->enableVerifier(true);
  llvm::raw_string_ostream os(error);
  std::string anchored = text.isSinglePass ? "func.func(" + text.text + ")" : text.text;
  if (failed(mlir::parsePassPipeline(anchored, *manager, os)))
    return failure();
  pipelines.push_back({text, std::move(manager)});
  return success();
}

CheckOutcome Checker::check(GraphUnderTest &graph, size_t number) {
  Pipeline &pipeline = pipelines[number];
  CheckOutcome result;
  mlir::OwningOpRef<mlir::ModuleOp> after(graph.getModule().clone());
  Report &report = Report::get(context);
  report.setRecordEvents(true);
  report.clear();

  std::string errors;
  mlir::ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &diag) {
    if (diag.getSeverity() == mlir::DiagnosticSeverity::Error)
      errors += (errors.empty() ? "" : "; ") + diag.str();
    return success();
  });
  LogicalResult ran = pipeline.manager->run(*after);
  // The verifier of rewrites compares within a tolerance that does not know how much
  // a graph amplifies, and it takes a rewrite for wrong that brings
  // together what runs and what never ran (a split of an extent that it does not
  // fit). Whether the graph is right is asked below.
  StringRef text = errors;
  bool inexact = text.contains("is wrong (reassociates)") || text.contains("is wrong (changes precision)");
  if (failed(ran) && (inexact || text.contains("the new value does not run"))) {
    errors.clear();
    report.clear();
    after = graph.getModule().clone();
    VerifyRewritesOptions::get(context).enabled = false;
    ran = pipeline.manager->run(*after);
    VerifyRewritesOptions::get(context).enabled = true;
  }
  if (failed(ran)) {
    result.changed = true;
    result.failure = Failure{"pass-failed", errors};
    return result;
  }
  auto sameAs = [](mlir::ModuleOp a, mlir::ModuleOp b) {
    return mlir::OperationEquivalence::isEquivalentTo(a, b, mlir::OperationEquivalence::IgnoreLocations);
  };
  result.changed = !sameAs(graph.getModule(), *after);
  if (!result.changed)
    return result;

  auto function = after->lookupSymbol<mlir::func::FuncOp>(graph.getFunction().getName());
  if (!function || function.getFunctionType() != graph.getFunction().getFunctionType()) {
    result.failure = Failure{"types", "the type of the function has changed"};
    return result;
  }
  if (std::string old = listUnknownOps(graph.getFunction()), now = listUnknownOps(function); old != now) {
    result.failure = Failure{"unknown-ops", "expected" + old + " but got" + now};
    return result;
  }
  result.failure = compareValues(graph, function, getWeakestClass(report), result.compared);
  if (!result.failure)
    result.failure = compareSharing(graph.getFunction(), function);
  if (result.failure || !pipeline.text.isSinglePass || graph.hasDeadOps())
    return result;

  mlir::OwningOpRef<mlir::ModuleOp> again(after->clone());
  if (failed(pipeline.manager->run(*again)))
    result.failure = Failure{"pass-failed", "second run: " + errors};
  else if (!sameAs(*after, *again))
    result.failure = Failure{"not-idempotent", "a second run changes the graph"};
  return result;
}
