// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Run/SpecializedExecutable.h"
#include "fxgraph/Analysis/CallGraph.h"
#include "fxgraph/Backend/GPU/GPU.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/MemoryOrder.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Runtime/Arguments.h"
#include "fxgraph/Support/Place.h"
#include "fxgraph/Transforms/Sizes/SpecializeSizes.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

/// More would be a graph that is compiled more often than it runs. The one that was not
/// used for longest goes first.
static constexpr size_t kMaxSpecializations = 128;

bool SpecializedExecutable::isNeeded(mlir::func::FuncOp function) {
  auto varies = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return type.isIndex() || (tensor && !tensor.hasStaticShape());
  };
  return llvm::any_of(function.getArgumentTypes(), varies) ||
         llvm::any_of(function.getResultTypes(), [](Type type) { return type.isIndex(); });
}

int64_t SpecializedExecutable::getWorkspaceBytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  int64_t bytes = 0;
  for (const auto &[key, entry] : specializations)
    bytes = std::max(bytes, entry.executable->getWorkspaceBytes());
  return bytes;
}

/// Numbers that the function takes become constants, those that it gives tensors of one
/// element: in memory they are that anyway.
static LogicalResult specializeFunction(mlir::func::FuncOp function, ArrayRef<Type> inputs, ArrayRef<int64_t> numbers) {
  OpBuilder builder(function.getFunctionBody());
  auto numberType = RankedTensorType::get({}, builder.getI64Type());
  SmallVector<Type> types;
  for (auto [argument, input] : llvm::zip_equal(function.getArguments(), inputs)) {
    if (!argument.getType().isIndex()) {
      types.push_back(input);
      continue;
    }
    argument.replaceAllUsesWith(
        mlir::arith::ConstantIndexOp::create(builder, argument.getLoc(), numbers.front()).getResult());
    numbers = numbers.drop_front();
    argument.setType(numberType);
    types.push_back(numberType);
  }
  if (failed(specializeSizes(function, types)))
    return failure();
  Operation *end = function.front().getTerminator();
  builder.setInsertionPoint(end);
  for (mlir::OpOperand &result : end->getOpOperands()) {
    mlir::IntegerAttr number;
    if (result.get().getType().isIndex() && mlir::matchPattern(result.get(), mlir::m_Constant(&number)))
      result.set(ConstantOp::create(builder, function.getLoc(),
                                    mlir::DenseElementsAttr::get(numberType, number.getValue().sextOrTrunc(64))));
  }
  function.setType(builder.getFunctionType(function.getArgumentTypes(), end->getOperandTypes()));
  return success();
}

/// Whether the device has all ops, with extents that the graph takes, if some of these do:
/// a graph that has no form is to be refused before it is called.
static LogicalResult checkOps(mlir::ModuleOp module, StringRef entry, const SpecializedExecutable::Check &check) {
  for (int64_t extent : {8, 6, 16, 4, 3, 64, 1}) {
    mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
    auto function = copy->lookupSymbol<mlir::func::FuncOp>(entry);
    SmallVector<Type> types(function.getArgumentTypes());
    SmallVector<int64_t> numbers(types.size(), extent);
    for (Type &type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type)) {
        Dims dims = getDims(tensor);
        for (Dim &dim : dims)
          if (!dim.isStatic())
            dim = extent;
        type = withDims(tensor, dims);
      }
    bool isTaken;
    {
      mlir::ScopedDiagnosticHandler silence(module.getContext(), [](mlir::Diagnostic &) { return success(); });
      isTaken = succeeded(specializeFunction(function, types, numbers));
    }
    if (isTaken)
      return check(function);
  }
  return success();
}

FailureOr<std::unique_ptr<Executable>> SpecializedExecutable::create(mlir::func::FuncOp function, bool isEmulated,
                                                                     Check check, Compile compile) {
  std::unique_ptr<SpecializedExecutable> result(new SpecializedExecutable(function, isEmulated, std::move(compile)));
  result->entry = function.getName();
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (type.isIndex())
      result->numberInputs.push_back(i);
  loadGPUDialects(function.getContext()); // With func's inliner.
  mlir::OwningOpRef<mlir::ModuleOp> copy = cloneWithCallees(function);
  if (failed(inlineCallees(*copy, result->entry)))
    return failure();
  if (failed(checkOps(*copy, result->entry, check)))
    return failure();
  // Through bytecode into a context of its own.
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (failed(mlir::writeBytecodeToFile(*copy, stream)))
    return function.emitError() << "cannot be copied";
  result->context =
      std::make_unique<MLIRContext>(function.getContext()->getDialectRegistry(), MLIRContext::Threading::DISABLED);
  result->module = mlir::parseSourceString<mlir::ModuleOp>(bytes, result->context.get());
  if (!result->module)
    return function.emitError() << "cannot be copied";
  return std::unique_ptr<Executable>(std::move(result));
}

std::shared_ptr<Executable> SpecializedExecutable::specialize(ArrayRef<FxTensorDesc> inputs, ArrayRef<int64_t> numbers,
                                                              std::string &error) {
  mlir::ScopedDiagnosticHandler handler(context.get(), [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error || !error.empty())
      return success();
    error = describePlace(diagnostic.getLocation()) + diagnostic.str();
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      error += "\n  " + describePlace(note.getLocation()) + note.str();
    return success();
  });
  mlir::OwningOpRef<mlir::ModuleOp> copy = module->clone();
  auto function = copy->lookupSymbol<mlir::func::FuncOp>(entry);
  // Which memory the call takes was said before the sizes were known.
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.removeArgAttr(i, kMemoryOrderAttr);
  SmallVector<Type> types(function.getArgumentTypes());
  for (auto [type, input] : llvm::zip_equal(types, inputs))
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      type = withDims(tensor, Dims(ArrayRef(input.sizes, input.rank)));
  if (failed(specializeFunction(function, types, numbers)))
    return nullptr;
  FailureOr<std::unique_ptr<Executable>> executable = compile(function);
  return succeeded(executable) ? std::move(*executable) : nullptr;
}

/// Hands an executable the group, if it communicates with it.
static LogicalResult handGroup(Executable &executable, StringRef name, FxrtProcessGroup *group, std::string &error) {
  for (const ProcessGroupInfo &own : executable.getProcessGroups())
    if (own.name == name)
      return executable.setProcessGroup(name, group, error);
  return success();
}

std::shared_ptr<Executable> SpecializedExecutable::find(ArrayRef<FxTensorDesc> inputs, ArrayRef<FxTensorDesc> outputs,
                                                        FxStatus &status, std::string &error) {
  char message[1024];
  status = static_cast<FxStatus>(
      fxCheckCall(&getInfo(), inputs.data(), inputs.size(), outputs.data(), outputs.size(), message, sizeof(message)));
  if (status != FX_OK) {
    error = message;
    return nullptr;
  }
  // What the code depends on: numbers that are inputs, and extents.
  std::vector<int64_t> numbers;
  for (size_t i : numberInputs)
    if (failed(copyOut(&numbers.emplace_back(), inputs[i].data, sizeof(int64_t), error))) {
      status = FX_RUN_FAILED;
      return nullptr;
    }
  std::vector<int64_t> key = numbers;
  for (const FxTensorDesc &input : inputs)
    key.insert(key.end(), input.sizes, input.sizes + input.rank);
  std::lock_guard<std::mutex> lock(mutex);
  auto it = specializations.find(key);
  if (it == specializations.end()) {
    std::shared_ptr<Executable> executable = specialize(inputs, numbers, error);
    if (executable)
      for (const auto &[name, group] : groups)
        if (failed(handGroup(*executable, name, group.get(), error)))
          executable = nullptr;
    if (!executable) {
      status = FX_RUN_FAILED;
      return nullptr;
    }
    if (specializations.size() == kMaxSpecializations)
      specializations.erase(
          std::min_element(specializations.begin(), specializations.end(),
                           [](const auto &a, const auto &b) { return a.second.lastUse < b.second.lastUse; }));
    it = specializations.try_emplace(std::move(key), Specialization{std::move(executable)}).first;
  }
  it->second.lastUse = ++uses;
  return it->second.executable;
}

std::vector<ProcessGroupInfo> SpecializedExecutable::getProcessGroups() const {
  std::lock_guard<std::mutex> lock(mutex);
  std::map<StringRef, uint64_t> sizes;
  module.get()->walk([&](Operation *op) {
    auto name = op->getAttrOfType<StringAttr>("group_name");
    if (!name)
      return;
    uint64_t &size = sizes[name.getValue()];
    if (auto given = op->getAttrOfType<mlir::IntegerAttr>("group_size"))
      size = given.getInt();
  });
  std::vector<ProcessGroupInfo> result;
  for (auto [name, size] : sizes)
    result.push_back({name.str(), size});
  return result;
}

LogicalResult SpecializedExecutable::setProcessGroup(StringRef name, FxrtProcessGroup *group, std::string &error) {
  std::string names;
  for (const ProcessGroupInfo &known : getProcessGroups())
    names += (names.empty() ? "'" : ", '") + known.name + "'";
  if (names.find("'" + name.str() + "'") == std::string::npos) {
    error = "expected a group of " + (names.empty() ? "none" : names) + " but got '" + name.str() + "'";
    return failure();
  }
  FxrtProcessGroup *own = nullptr;
  if (fxrtProcessGroupCopy(group, &own) != FXRT_OK) {
    error = fxrtLastError();
    return failure();
  }
  std::lock_guard<std::mutex> lock(mutex);
  groups[name.str()].reset(own);
  for (auto &[key, entry] : specializations)
    if (failed(handGroup(*entry.executable, name, own, error)))
      return failure();
  return success();
}

FxStatus SpecializedExecutable::run(ArrayRef<FxTensorDesc> inputs, MutableArrayRef<FxTensorDesc> outputs,
                                    const FxRunOptions &options, std::string &error) {
  FxStatus status;
  std::shared_ptr<Executable> executable = find(inputs, outputs, status, error);
  return executable ? executable->run(inputs, outputs, options, error) : status;
}

FailureOr<BenchResult> SpecializedExecutable::bench(ArrayRef<FxTensorDesc> inputs,
                                                    MutableArrayRef<FxTensorDesc> outputs, unsigned iterations,
                                                    std::string &error) {
  FxStatus status;
  std::shared_ptr<Executable> executable = find(inputs, outputs, status, error);
  return executable ? executable->bench(inputs, outputs, iterations, error) : FailureOr<BenchResult>(failure());
}
