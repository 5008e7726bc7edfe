// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk over a function, liveness of values, run-time type checks. Linear in
// the number of ops and operands.

#include "fxgraph/Reference/Interpreter.h"
#include "Evaluators.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Reference/Communicator.h"
#include "fxgraph/Support/Place.h"

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

void EvaluationError::emit() const {
  if (!location)
    return;
  InFlightDiagnostic diag = mlir::emitError(*location) << message;
  for (Location site : callSites)
    diag.attachNote(site) << "called from here";
}

std::string EvaluationError::describe() const {
  std::string text = (location ? describePlace(*location) : "") + message;
  for (Location site : callSites)
    if (std::string place = describePlace(site); !place.empty())
      text += "; called from " + place.substr(0, place.size() - 2);
  return text;
}

const Tensor &Evaluation::get(Value operand) const {
  const Tensor *tensor = find(operand);
  assert(tensor && "not an operand of the op");
  return *tensor;
}

const Tensor *Evaluation::find(Value operand) const {
  if (!operand)
    return nullptr;
  for (auto [value, tensor] : llvm::zip_equal(op->getOperands(), operands))
    if (value == operand)
      return &tensor;
  return nullptr;
}

ArrayRef<Tensor> Evaluation::get(mlir::OperandRange range) const {
  if (range.empty())
    return {};
  return ArrayRef<Tensor>(operands).slice(range.begin().getBase()->getOperandNumber(), range.size());
}

Tensor Evaluation::take(Value operand) {
  unsigned found = 0;
  unsigned uses = 0;
  for (auto [i, value] : llvm::enumerate(op->getOperands())) {
    if (value != operand)
      continue;
    found = i;
    ++uses;
  }
  // An operand given twice is read again through its other position.
  return uses == 1 ? std::move(operands[found]) : operands[found];
}

LogicalResult Evaluation::checkSize(ArrayRef<int64_t> shape) const {
  if (countElements(shape) <= interpreter.options.maxElements)
    return success();
  return error("expected at most " + Twine(interpreter.options.maxElements) + " elements but got shape " +
               formatShape(shape));
}

FailureOr<SmallVector<int64_t>> Evaluation::getCreatedShape(RankedTensorType type, mlir::OperandRange sizes) {
  SmallVector<int64_t> shape(type.getShape());
  ArrayRef<Tensor> given = get(sizes);
  for (int64_t &extent : shape) {
    if (!ShapedType::isDynamic(extent))
      continue;
    extent = given.front().ints()[0];
    given = given.drop_front();
    if (extent < 0)
      return error("expected a size >= 0 but got " + Twine(extent));
  }
  if (failed(checkSize(shape)))
    return failure();
  return shape;
}

FailureOr<SmallVector<int64_t>> Evaluation::getKnownShape(RankedTensorType type) const {
  SmallVector<int64_t> shape;
  for (const Dim &dim : getDims(type)) {
    auto known = dim.isSymbol() ? symbols.find(dim.getSymbol()) : symbols.end();
    if (!dim.isStatic() && known == symbols.end())
      return error("expected known extents but got " + formatType(type));
    shape.push_back(dim.isStatic() ? dim.getExtent() : known->second);
  }
  return shape;
}

FxRandom &Evaluation::getRandom() const { return interpreter.random; }
bool Evaluation::accumulatesF32() const { return interpreter.options.accumulateF32; }

FailureOr<Exchange> Evaluation::exchange(StringRef group, std::optional<int64_t> size, ArrayRef<Tensor> inputs) const {
  SingleProcess single;
  Communicator *communicator = interpreter.options.communicator;
  std::string message;
  FailureOr<Exchange> result = (communicator ? *communicator : single).exchange(op, group, size, inputs, message);
  if (failed(result))
    return error(message);
  return result;
}

LogicalResult Evaluation::error(const Twine &message) const {
  return interpreter.fail(op->getLoc(), "'" + op->getName().getStringRef() + "' op " + message);
}

void Evaluation::writeArgument(unsigned argument, Tensor value) const {
  interpreter.writes[argument] = std::move(value);
}

FailureOr<SmallVector<Tensor>> Evaluation::call(mlir::func::FuncOp function) const {
  // Deep enough for any graph, shallow enough for the stack.
  constexpr size_t kMaxCallDepth = 256;
  if (interpreter.callStack.size() >= kMaxCallDepth)
    return error("expected at most " + Twine(kMaxCallDepth) + " nested calls");
  if (function.isExternal())
    return error("calls '" + function.getName() + "', which has no body");
  auto writes = std::move(interpreter.writes);
  interpreter.writes.clear();
  interpreter.callStack.push_back(op);
  SmallVector<Tensor> results;
  LogicalResult status = interpreter.runBody(function, operands, results);
  interpreter.callStack.pop_back();
  std::swap(interpreter.writes, writes);
  if (failed(status))
    return failure();
  // A write in the callee is one to the caller's own argument: nothing else can be written.
  Block &entry = op->getParentOfType<mlir::func::FuncOp>().getBody().front();
  for (auto &[number, value] : writes) {
    auto argument = dyn_cast<mlir::BlockArgument>(op->getOperand(number));
    if (!argument || argument.getOwner() != &entry)
      return error("expected an argument of the graph as operand " + Twine(number) + ", which '" + function.getName() +
                   "' writes, but got a value of the graph");
    writeArgument(argument.getArgNumber(), std::move(value));
  }
  return results;
}

FailureOr<SmallVector<Tensor>> Evaluation::runRegion(mlir::Region &region, ArrayRef<Tensor> arguments) const {
  // Shallow enough for the stack.
  constexpr unsigned kMaxRegionDepth = 256;
  if (interpreter.regionDepth >= kMaxRegionDepth)
    return error("expected at most " + Twine(kMaxRegionDepth) + " nested regions");
  Block &block = region.front();
  assert(arguments.size() == block.getNumArguments() && "not verified");
  Symbols inner = symbols;
  SmallVector<Tensor> results;
  ++interpreter.regionDepth;
  LogicalResult status = interpreter.runBlock(block, op->getName().getStringRef(), arguments, inner, results);
  --interpreter.regionDepth;
  if (failed(status))
    return failure();
  return results;
}

LogicalResult Evaluation::countLoopStep() const {
  int64_t limit = interpreter.options.maxLoopSteps;
  if (limit < 0 || ++interpreter.loopSteps <= limit)
    return success();
  return error("expected at most " + Twine(limit) + " steps");
}

const EvaluatorRegistry &EvaluatorRegistry::get() {
  static const EvaluatorRegistry registry = [] {
    EvaluatorRegistry result;
    registerPointwiseEvaluators(result);
    registerViewEvaluators(result);
    registerSplitCatEvaluators(result);
    registerContractionEvaluators(result);
    registerConvNormEvaluators(result);
    registerReductionEvaluators(result);
    registerIndexingEvaluators(result);
    registerStructuralEvaluators(result);
    registerControlFlowEvaluators(result);
    registerCollectiveEvaluators(result);
    registerPackedEvaluators(result);
    return result;
  }();
  return registry;
}

//===----------------------------------------------------------------------===//
// Interpreter
//===----------------------------------------------------------------------===//

LogicalResult Interpreter::fail(Location location, const Twine &message) {
  error.location = location;
  error.message = message.str();
  error.callSites.clear();
  for (Operation *call : llvm::reverse(callStack))
    error.callSites.push_back(call->getLoc());
  return failure();
}

/// Text such as tensor<2x?xf32> for the check of a value against its type.
LogicalResult Interpreter::checkAgainstType(Location location, const Twine &what, const Tensor &tensor, Type type,
                                            Symbols &symbols) {
  auto expected = dyn_cast<RankedTensorType>(type);
  if (!expected) {
    if (tensor.getElementType() == type && tensor.getRank() == 0)
      return success();
    return fail(location, "expected " + what + " of type " + formatType(type) + " but got " + tensor.describe());
  }
  auto mismatch = [&] {
    return fail(location, "expected " + what + " of type " + formatType(type) + " but got " + tensor.describe());
  };
  if (tensor.getElementType() != expected.getElementType() || tensor.getRank() != expected.getRank())
    return mismatch();
  Dims dims = getDims(expected);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    int64_t extent = tensor.getDim(i);
    if (dim.isStatic() && dim.getExtent() != extent)
      return mismatch();
    if (!dim.isSymbol())
      continue;
    auto [it, isNew] = symbols.try_emplace(dim.getSymbol(), extent);
    if (it->second != extent)
      return fail(location, "expected extent " + Twine(it->second) + " for " + dim.getSymbol().getValue() + " in dim " +
                                Twine(i) + " of " + what + " but got " + Twine(extent));
  }
  return success();
}

LogicalResult Interpreter::evaluateOp(Operation *op, MutableArrayRef<Tensor> operands, Symbols &symbols,
                                      SmallVectorImpl<Tensor> &results) {
  StringRef name = op->getName().getStringRef();
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && !isSupportedElementType(tensor.getElementType()))
      return fail(op->getLoc(),
                  "'" + name + "' op has a result of type " + formatType(type) + ", which the interpreter cannot hold");
  }
  const Evaluator *evaluator = EvaluatorRegistry::get().lookup(name);
  if (!evaluator)
    return fail(op->getLoc(), "'" + name + "' op cannot be run: it has no evaluator");
  Evaluation evaluation(*this, op, operands, symbols);
  // Static results are known to be too large before they are computed.
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (tensor.hasStaticShape() && failed(evaluation.checkSize(tensor.getShape())))
        return failure();
  if (failed((*evaluator)(op, evaluation, results)))
    return failure();
  if (results.size() != op->getNumResults())
    return fail(op->getLoc(), "'" + name + "' op expected " + Twine(op->getNumResults()) + " results but got " +
                                  Twine(results.size()));
  for (auto [i, result] : llvm::enumerate(results))
    if (failed(checkAgainstType(op->getLoc(), "'" + name + "' op result " + Twine(i), result,
                                op->getResult(i).getType(), symbols)))
      return failure();
  return success();
}

LogicalResult Interpreter::runBody(mlir::func::FuncOp function, ArrayRef<Tensor> arguments,
                                   SmallVectorImpl<Tensor> &results) {
  if (!function.getBody().hasOneBlock())
    return fail(function.getLoc(), "expected a function of one block but '" + function.getName() + "' has " +
                                       Twine(function.getBody().getBlocks().size()));
  if (arguments.size() != function.getNumArguments())
    return fail(function.getLoc(), "expected " + Twine(function.getNumArguments()) + " arguments for '" +
                                       function.getName() + "' but got " + Twine(arguments.size()));
  Symbols symbols;
  return runBlock(function.getBody().front(), function.getName(), arguments, symbols, results);
}

LogicalResult Interpreter::runBlock(Block &block, StringRef owner, ArrayRef<Tensor> arguments, Symbols &symbols,
                                    SmallVectorImpl<Tensor> &results) {
  // A value lives until its last use; `uses` counts what is left.
  struct Entry {
    Tensor tensor;
    size_t uses = 0;
  };
  DenseMap<Value, Entry> live;
  auto define = [&](Value value, Tensor tensor) {
    size_t uses = std::distance(value.use_begin(), value.use_end());
    if (uses != 0)
      live.try_emplace(value, Entry{std::move(tensor), uses});
  };
  for (auto [i, argument] : llvm::enumerate(block.getArguments())) {
    if (failed(checkAgainstType(argument.getLoc(), "argument " + Twine(i), arguments[i], argument.getType(), symbols)))
      return failure();
    define(argument, arguments[i]);
  }

  SmallVector<Tensor> operands, produced;
  for (Operation &op : block) {
    operands.clear();
    for (Value operand : op.getOperands()) {
      auto it = live.find(operand);
      if (it == live.end())
        return fail(op.getLoc(), "'" + op.getName().getStringRef() + "' op uses a value from outside of its block");
      if (--it->second.uses != 0) {
        operands.push_back(it->second.tensor);
        continue;
      }
      operands.push_back(std::move(it->second.tensor));
      live.erase(it);
    }
    if (isa<mlir::func::ReturnOp, YieldOp>(op)) {
      results.append(std::make_move_iterator(operands.begin()), std::make_move_iterator(operands.end()));
      return success();
    }
    produced.clear();
    if (failed(evaluateOp(&op, operands, symbols, produced)))
      return failure();
    for (auto [value, tensor] : llvm::zip_equal(op.getResults(), produced))
      define(value, std::move(tensor));
  }
  return fail(block.getParentOp()->getLoc(), "expected '" + owner + "' to end in a return");
}

FailureOr<Outcome> Interpreter::run(mlir::func::FuncOp function, ArrayRef<Tensor> arguments) {
  fxRandomSeed(&random, options.seed);
  callStack.clear();
  writes.clear();
  loopSteps = 0;
  Outcome outcome;
  if (function.isExternal())
    return fail(function.getLoc(), "expected a function with a body but '" + function.getName() + "' has none");
  if (failed(runBody(function, arguments, outcome.results)))
    return failure();
  for (auto &[argument, value] : writes)
    outcome.mutated.push_back({argument, std::move(value)});
  return outcome;
}

LogicalResult Interpreter::evaluateSlice(ArrayRef<Value> roots, DenseMap<Value, Tensor> &values) {
  callStack.clear();
  writes.clear();
  loopSteps = 0;
  Symbols symbols;
  // Static arguments bind no symbol; there may be thousands of them.
  for (auto &[value, tensor] : values) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && !type.hasStaticShape() && isa<mlir::BlockArgument>(value) &&
        failed(checkAgainstType(value.getLoc(), "argument", tensor, type, symbols)))
      return failure();
  }

  // Depth-first with an explicit stack: an op is evaluated on its second visit,
  // when all of its operands are known.
  SmallVector<std::pair<Operation *, bool>> stack;
  auto require = [&](Value value) -> LogicalResult {
    if (values.count(value))
      return success();
    if (Operation *producer = value.getDefiningOp()) {
      stack.push_back({producer, false});
      return success();
    }
    return fail(value.getLoc(), "expected a tensor for every argument that is reached");
  };
  for (Value root : roots)
    if (failed(require(root)))
      return failure();
  while (!stack.empty()) {
    auto [op, ready] = stack.pop_back_val();
    if (llvm::all_of(op->getResults(), [&](Value result) { return values.count(result); }))
      continue;
    if (!ready) {
      stack.push_back({op, true});
      for (Value operand : llvm::reverse(op->getOperands()))
        if (failed(require(operand)))
          return failure();
      continue;
    }
    SmallVector<Tensor> operands, produced;
    for (Value operand : op->getOperands())
      operands.push_back(values.lookup(operand));
    if (failed(evaluateOp(op, operands, symbols, produced)))
      return failure();
    for (auto [value, tensor] : llvm::zip_equal(op->getResults(), produced))
      values[value] = std::move(tensor);
  }
  return success();
}
