// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host function → launch plan: one step for each launch, library call, copy, start of a
// collective and wait, in order; the addresses become buffers of the plan. Linear in the ops.

#include "Kernel/HostFunction.h"
#include "Stages/Collectives.h"
#include "fxgraph/Backend/GPU/GPU.h"
#include "fxgraph/Dialect/IR/HostOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/JSON.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace json = llvm::json;

/// What cuBLASLt may use as scratch memory; 32 MiB suits Hopper.
static constexpr int64_t kLibraryWorkspaceBytes = 32 << 20;
/// Where literals begin in the file of constants.
static constexpr uint64_t kConstantAlign = 256;
/// What PyTorch's allocator promises of a tensor that is no view.
static constexpr int64_t kTensorAlign = 16;

static std::string getDTypeName(Type type) {
  if (type.isUnsignedInteger())
    return "ui" + std::to_string(type.getIntOrFloatBitWidth());
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Source locations as `file:line` or names, for messages of the runtime.
static std::string describe(Location loc) {
  SmallVector<Location> pending = {loc};
  while (!pending.empty()) {
    Location next = pending.pop_back_val();
    if (auto name = dyn_cast<mlir::NameLoc>(next))
      return name.getName().str();
    if (auto file = dyn_cast<mlir::FileLineColLoc>(next))
      return (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
    if (auto fused = dyn_cast<mlir::FusedLoc>(next))
      pending.append(fused.getLocations().begin(), fused.getLocations().end());
    else if (auto call = dyn_cast<mlir::CallSiteLoc>(next))
      pending.push_back(call.getCallee());
  }
  return "";
}

/// Bytes of a buffer in memory: a bool is a byte.
static int64_t getBytes(mlir::MemRefType type) {
  return type.getNumElements() * llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
}

static json::Value toJson(Attribute attribute) {
  return llvm::TypeSwitch<Attribute, json::Value>(attribute)
      .Case<mlir::BoolAttr>([](auto value) { return json::Value(value.getValue()); })
      .Case<IntegerAttr>([](auto value) { return json::Value(value.getInt()); })
      .Case<FloatAttr>([](auto value) { return json::Value(value.getValueAsDouble()); })
      .Case<StringAttr>([](auto value) { return json::Value(value.getValue().str()); })
      .Case<TypeAttr>([](auto value) { return json::Value(getDTypeName(value.getValue())); })
      .Case<mlir::DenseI64ArrayAttr>([](auto value) { return json::Value(json::Array(value.asArrayRef())); })
      .Default([](Attribute) { return json::Value(nullptr); });
}

/// A tensor map as an argument of a kernel.
static json::Value describe(TensorMapOp map, json::Array buffers) {
  Type element = cast<mlir::MemRefType>(map.getAddress().getType()).getElementType();
  return json::Object{{"kind", "tensor_map"},
                      {"buffers", std::move(buffers)},
                      {"dtype", getDTypeName(element)},
                      {"dims", json::Array(map.getDims())},
                      {"strides_bytes", json::Array(map.getStrides())},
                      {"box", json::Array(map.getBox())},
                      {"swizzle", "128b"},
                      {"l2_promotion", "128b"}};
}

namespace {
class PlanTranslator {
public:
  explicit PlanTranslator(mlir::func::FuncOp host) : host(host) {}
  FailureOr<LaunchPlan> run();

private:
  LogicalResult describeArguments();
  LogicalResult collectConstants();
  LogicalResult translate(Operation *op);
  /// A branch or loop, with its steps.
  LogicalResult translateDecision(Operation *op, json::Object step, ArrayRef<StringRef> names);
  LogicalResult translateCollective(StartCollectiveOp op);
  LogicalResult translateWait(mlir::gpu::WaitOp op);
  LogicalResult referAll(Operation *op, mlir::ValueRange addresses, json::Array &list);
  /// What an address is, as a buffer of the plan; null for anything else.
  json::Value refer(Value address);
  void addStep(json::Object step, Operation *op) {
    if (std::string text = describe(op->getLoc()); !text.empty())
      step["loc"] = text;
    steps.push_back(std::move(step));
    ++numSteps;
  }

  mlir::func::FuncOp host;
  json::Array inputs, outputs, literals, steps;
  llvm::StringMap<int64_t> constantNumber;
  DenseMap<Value, int64_t> stepOfToken;
  int64_t numSteps = 0; ///< with those of branches and loops
  std::string constants;
  bool callsProduct = false;
};
} // namespace

LogicalResult PlanTranslator::describeArguments() {
  if (host.getNumArguments() == 0)
    return host.emitOpError("expected the workspace as the last argument but got no argument");
  for (auto [i, type] : llvm::enumerate(host.getArgumentTypes())) {
    auto memory = dyn_cast<mlir::MemRefType>(type);
    if (!memory || !memory.hasStaticShape())
      return host.emitOpError("expected arguments to be memrefs of static shape but argument ") << i << " is " << type;
    if (i + 1 == host.getNumArguments())
      return success();
    bool isResult = host.getArgAttr(i, kHostResultAttr) != nullptr;
    if (!isResult && !outputs.empty())
      return host.emitOpError("expected the results behind all inputs but argument ") << i << " is an input";
    json::Array &list = isResult ? outputs : inputs;
    auto name = host.getArgAttrOfType<StringAttr>(i, kHostNameAttr);
    json::Object tensor{{"name", name ? name.str() : (isResult ? "out" : "arg") + std::to_string(list.size())},
                        {"dtype", getDTypeName(memory.getElementType())},
                        {"shape", json::Array(memory.getShape())},
                        {"bytes", getBytes(memory)},
                        {"align", kTensorAlign}};
    if (!memory.getLayout().isIdentity()) // Row-major strides go without saying.
      tensor["strides"] = json::Array(memory.getStridesAndOffset().first);
    if (host.getArgAttr(i, kHostWrittenAttr))
      tensor["mutated"] = true;
    list.push_back(std::move(tensor));
  }
  return success();
}

LogicalResult PlanTranslator::collectConstants() {
  auto module = host->getParentOfType<mlir::ModuleOp>();
  for (auto global : module.getOps<mlir::memref::GlobalOp>()) {
    auto data = dyn_cast_if_present<DenseElementsAttr>(global.getInitialValueAttr());
    if (!data || !data.getElementType().isInteger(8))
      return global.emitOpError("expected a literal of i8 as the initial value");
    constants.resize(llvm::alignTo(constants.size(), kConstantAlign), '\0');
    constantNumber[global.getSymName()] = literals.size();
    int64_t bytes = data.getNumElements();
    literals.push_back(json::Object{
        {"name", global.getSymName().str()}, {"offset", static_cast<int64_t>(constants.size())}, {"bytes", bytes}});
    if (data.isSplat())
      constants.append(bytes, data.getRawData().front());
    else
      constants.append(data.getRawData().data(), bytes);
  }
  return success();
}

json::Value PlanTranslator::refer(Value address) {
  auto buffer = address.getDefiningOp<BufferOp>();
  if (!buffer)
    return nullptr;
  json::Object ref;
  if (auto argument = dyn_cast<mlir::BlockArgument>(buffer.getBase())) {
    unsigned number = argument.getArgNumber();
    if (number + 1 == host.getNumArguments()) {
      ref["kind"] = "workspace";
    } else {
      bool isInput = number < inputs.size();
      ref["kind"] = isInput ? "input" : "output";
      ref["index"] = static_cast<int64_t>(isInput ? number : number - inputs.size());
    }
  } else if (auto global = buffer.getBase().getDefiningOp<mlir::memref::GetGlobalOp>()) {
    ref["kind"] = "constant";
    ref["index"] = constantNumber.lookup(global.getName());
  } else {
    return nullptr;
  }
  if (buffer.getOffset())
    ref["offset"] = static_cast<int64_t>(buffer.getOffset());
  return ref;
}

LogicalResult PlanTranslator::referAll(Operation *op, mlir::ValueRange addresses, json::Array &list) {
  for (Value address : addresses) {
    json::Value ref = refer(address);
    if (ref.getAsNull())
      return op->emitOpError("expected fxgraph.buffer of an argument or a literal as operand");
    list.push_back(std::move(ref));
  }
  return success();
}

LogicalResult PlanTranslator::translateCollective(StartCollectiveOp op) {
  json::Array inputs, outputs, tensors;
  if (failed(referAll(op, op.getInputs(), inputs)) || failed(referAll(op, op.getOutputs(), outputs)))
    return failure();
  for (auto [memory, elements, input, output] : llvm::zip_equal(op.getInputs(), op.getElements(), inputs, outputs))
    tensors.push_back(json::Object{{"dtype", getDTypeName(cast<mlir::MemRefType>(memory.getType()).getElementType())},
                                   {"elements", elements},
                                   {"input", std::move(input)},
                                   {"output", std::move(output)}});
  stepOfToken[op.getToken()] = numSteps;
  json::Object step = describeCollective(op);
  step["tensors"] = std::move(tensors);
  addStep(std::move(step), op);
  return success();
}

LogicalResult PlanTranslator::translateWait(mlir::gpu::WaitOp op) {
  json::Array begun;
  for (Value token : op.getAsyncDependencies())
    if (auto step = stepOfToken.find(token); step != stepOfToken.end())
      begun.push_back(step->second);
  if (op.getAsyncToken() || begun.empty() || begun.size() != op.getAsyncDependencies().size())
    return op.emitOpError("expected the tokens of fxgraph.start_collective as operands and no result");
  addStep(json::Object{{"op", "wait"}, {"steps", std::move(begun)}}, op);
  return success();
}

LogicalResult PlanTranslator::translateDecision(Operation *op, json::Object step, ArrayRef<StringRef> names) {
  json::Array predicate;
  if (failed(referAll(op, op->getOperands(), predicate)))
    return failure();
  step["predicate"] = std::move(predicate.front());
  json::Array outer = std::move(steps);
  ++numSteps;
  for (auto [name, region] : llvm::zip_equal(names, op->getRegions())) {
    steps = {};
    for (Operation &inner : region.front())
      if (failed(translate(&inner)))
        return failure();
    step[name] = std::move(steps);
  }
  steps = std::move(outer);
  addStep(std::move(step), op);
  --numSteps; // Counted in front of its steps.
  return success();
}

LogicalResult PlanTranslator::translate(Operation *op) {
  auto referAll = [&](mlir::ValueRange addresses, json::Array &list) { return this->referAll(op, addresses, list); };
  if (auto launch = dyn_cast<mlir::gpu::LaunchFuncOp>(op)) {
    json::Array arguments;
    for (Value operand : launch.getKernelOperands()) {
      auto table = operand.getDefiningOp<PointerTableOp>();
      auto map = operand.getDefiningOp<TensorMapOp>();
      json::Array own;
      mlir::ValueRange addresses = table ? table.getAddresses() : map ? map->getOperands() : mlir::ValueRange(operand);
      if (failed(referAll(addresses, own)))
        return failure();
      if (table)
        arguments.push_back(json::Object{{"kind", "pointers"}, {"buffers", std::move(own)}});
      else if (map)
        arguments.push_back(describe(map, std::move(own)));
      else
        arguments.push_back(std::move(own.front()));
    }
    auto sizes = [&](mlir::gpu::KernelDim3 dims, json::Array &list) -> LogicalResult {
      for (Value size : {dims.x, dims.y, dims.z}) {
        llvm::APInt number;
        if (!mlir::matchPattern(size, mlir::m_ConstantInt(&number)))
          return op->emitOpError("expected constant grid and block sizes");
        list.push_back(number.getSExtValue());
      }
      return success();
    };
    json::Array grid, block;
    if (failed(sizes(launch.getGridSizeOperandValues(), grid)) ||
        failed(sizes(launch.getBlockSizeOperandValues(), block)))
      return failure();
    json::Object step{{"op", "kernel"},
                      {"name", launch.getKernelName().str()},
                      {"grid", std::move(grid)},
                      {"block", std::move(block)},
                      {"args", std::move(arguments)}};
    if (Value shared = launch.getDynamicSharedMemorySize()) {
      llvm::APInt bytes;
      if (!mlir::matchPattern(shared, mlir::m_ConstantInt(&bytes)))
        return op->emitOpError("expected a constant size of dynamic shared memory");
      step["shared_bytes"] = bytes.getSExtValue();
    }
    if (launch->hasAttr(kLaunchProgrammaticAttr))
      step["programmatic"] = true;
    addStep(std::move(step), op);
    return success();
  }
  if (auto call = dyn_cast<LibraryCallOp>(op)) {
    callsProduct |= call.getCallee() == "matmul";
    json::Object step{{"op", call.getCallee().str()}};
    for (mlir::NamedAttribute attribute : call.getConfig())
      step[attribute.getName().str()] = toJson(attribute.getValue());
    json::Array buffers;
    if (failed(referAll(call.getBuffers(), buffers)))
      return failure();
    for (auto [name, buffer] : llvm::zip_equal(call.getNames().getAsValueRange<StringAttr>(), buffers))
      step[name] = std::move(buffer);
    addStep(std::move(step), op);
    return success();
  }
  if (auto copy = dyn_cast<mlir::memref::CopyOp>(op)) {
    json::Array ends;
    auto type = dyn_cast<mlir::MemRefType>(copy.getTarget().getType());
    if (!type || !type.hasStaticShape())
      return op->emitOpError("expected a target of static shape");
    if (failed(referAll(op->getOperands(), ends)))
      return failure();
    addStep(
        json::Object{
            {"op", "copy"}, {"from", std::move(ends[0])}, {"to", std::move(ends[1])}, {"bytes", getBytes(type)}},
        op);
    return success();
  }
  if (isa<BranchOp>(op))
    return translateDecision(op, json::Object{{"op", "branch"}}, {"then", "else"});
  if (isa<LoopOp>(op))
    return translateDecision(op, json::Object{{"op", "loop"}}, {"condition", "body"});
  if (auto collective = dyn_cast<StartCollectiveOp>(op))
    return translateCollective(collective);
  if (auto wait = dyn_cast<mlir::gpu::WaitOp>(op))
    return translateWait(wait);
  if (isa<BufferOp, PointerTableOp, TensorMapOp, mlir::memref::GetGlobalOp, mlir::arith::ConstantOp,
          mlir::func::ReturnOp>(op))
    return success();
  return op->emitOpError("is not a step of a launch plan");
}

FailureOr<LaunchPlan> PlanTranslator::run() {
  if (!host.getBody().hasOneBlock())
    return host.emitOpError("expected one block but got ") << host.getBody().getBlocks().size();
  auto chip = host->getAttrOfType<StringAttr>(kHostChipAttr);
  if (!chip)
    return host.emitOpError("expected the attribute ") << kHostChipAttr;
  if (failed(describeArguments()) || failed(collectConstants()))
    return failure();
  for (Operation &op : host.getBody().front())
    if (failed(translate(&op)))
      return failure();
  json::Object root{{"fxgraph-plan", 1},
                    {"name", host.getName().str()},
                    {"chip", chip.str()},
                    {"inputs", std::move(inputs)},
                    {"outputs", std::move(outputs)},
                    {"workspace_bytes", getBytes(cast<mlir::MemRefType>(host.getArgumentTypes().back()))},
                    {"steps", std::move(steps)}};
  if (!literals.empty())
    root["constants"] = std::move(literals);
  if (auto word = host->getAttrOfType<IntegerAttr>(kHostErrorWordAttr))
    root["error_word"] = word.getInt();
  if (callsProduct)
    root["library_workspace_bytes"] = kLibraryWorkspaceBytes;
  if (host->hasAttr(kHostAllowTF32Attr))
    root["allow_tf32"] = true;
  LaunchPlan plan;
  llvm::raw_string_ostream(plan.json) << llvm::formatv("{0:2}", json::Value(std::move(root))) << '\n';
  plan.constants = std::move(constants);
  return plan;
}

FailureOr<LaunchPlan> fxgraph::gpu::translateToLaunchPlan(mlir::func::FuncOp host) {
  return PlanTranslator(host).run();
}
