// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph as kernels and a launch plan: fusion plan, kernels, memory plan, JSON.
//
// Memory: every value that lives in memory and is no input, result or constant
// gets a range of the one workspace that no value alive at the same time has;
// first fit in order of birth, 256-byte aligned. Cost: number of values times
// the number alive at once.

#include "../../Analysis/FusionOps.h"
#include "EmitKernel.h"
#include "fxgraph/Target/GPU/GPU.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/JSON.h"
#include <numeric>
#include <set>

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace json = llvm::json;

static constexpr uint64_t bufferAlign = 256;

namespace {

/// Where a buffer of the plan is.
struct Place {
  const char *kind = "workspace";
  unsigned index = 0;
  uint64_t offset = 0; ///< bytes
  uint64_t align = bufferAlign;
};

class ProgramBuilder {
public:
  ProgramBuilder(mlir::func::FuncOp function, const GPUOptions &options) : function(function), options(options) {}
  FailureOr<GPUProgram> run();

private:
  void findResults();
  LogicalResult collectConstants();
  void planMemory();
  Place getPlace(Value value) const;
  json::Value refer(Value value, uint64_t extraBytes = 0) const;
  LogicalResult emitKernels();
  LogicalResult writeLibraryStep(const FusionStep &step);
  LogicalResult writeMatmul(const FusionStep &step);
  void writeConvolution(const FusionStep &step);
  void addStep(json::Object step, Location loc);
  json::Object describeTensor(StringRef name, Type type) const;
  void writePlan();

  mlir::func::FuncOp function;
  GPUOptions options;
  FusionPlan plan;
  GPUProgram program;
  mlir::gpu::GPUModuleOp kernels;
  DenseMap<Value, Place> places; ///< of values with memory of their own
  llvm::MapVector<Value, std::pair<uint64_t, uint64_t>> constants; ///< offset, bytes
  uint64_t workspaceBytes = 0;
  bool hasProduct = false;
  json::Array steps;
  json::Object root;
};

} // namespace

static uint64_t getBytes(Value value) { return getNumElements(value) * getMemoryBytes(getElementType(value)); }

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

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void ProgramBuilder::findResults() {
  for (auto [i, argument] : llvm::enumerate(function.getArguments()))
    places[argument] = {"input", static_cast<unsigned>(i), 0, 16};
  for (auto [i, value] : llvm::enumerate(plan.results))
    if (!plan.resultIsCopy[i])
      places[value] = {"output", static_cast<unsigned>(i), 0, 16};
}

LogicalResult ProgramBuilder::collectConstants() {
  for (const auto &[value, storage] : plan.storage) {
    if (storage.kind != ValueStorage::Kind::Constant)
      continue;
    auto constant = value.getDefiningOp<ConstantOp>();
    Type element = getElementType(value);
    program.constants.resize(llvm::alignTo(program.constants.size(), bufferAlign), '\0');
    uint64_t offset = program.constants.size(), bytes = getBytes(value);
    ArrayRef<char> data;
    std::string unpacked;
    if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue())) {
      if (element.isInteger(1)) {
        for (bool bit : dense.getValues<bool>())
          unpacked.push_back(bit);
        data = ArrayRef<char>(unpacked.data(), unpacked.size());
      } else {
        data = dense.getRawData();
      }
    } else if (auto resource = dyn_cast<mlir::DenseResourceElementsAttr>(constant.getValue())) {
      mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
      if (!blob)
        return constant.emitOpError("expected the data of resource '") << resource.getRawHandle().getKey() << "' but it is not there";
      data = blob->getData();
    } else {
      return constant.emitOpError("has a kind of literal that is not supported on gpu");
    }
    if (data.size() != bytes)
      return constant.emitOpError("expected ") << bytes << " bytes of data but got " << data.size();
    program.constants.append(data.data(), data.size());
    places[value] = {"constant", static_cast<unsigned>(constants.size()), 0, bufferAlign};
    constants[value] = {offset, bytes};
  }
  return success();
}

void ProgramBuilder::planMemory() {
  struct Life {
    Value value;
    uint64_t bytes;
    size_t first = ~size_t(0), last = 0;
  };
  llvm::MapVector<Value, Life> lives;
  auto touch = [&](Value value, size_t step) {
    const ValueStorage &storage = plan.getStorage(value);
    Value base = storage.kind == ValueStorage::Kind::Part ? storage.base : value;
    if (plan.getStorage(base).kind != ValueStorage::Kind::Buffer || places.count(base))
      return;
    Life &life = lives[base];
    life.value = base;
    life.bytes = getBytes(base);
    life.first = std::min(life.first, step);
    life.last = std::max(life.last, step);
  };
  for (auto [i, step] : llvm::enumerate(plan.steps)) {
    switch (step.kind) {
    case FusionStep::Kind::Kernel:
      for (const KernelNode &node : plan.kernels[step.kernel]->nodes)
        if (node.kind == KernelNode::Kind::Load)
          touch(node.value, i);
      for (const KernelOutput &output : plan.kernels[step.kernel]->outputs)
        touch(output.storage, i);
      break;
    case FusionStep::Kind::Library:
      for (Value operand : step.op->getOperands())
        touch(operand, i);
      touch(step.result, i);
      break;
    case FusionStep::Kind::Write:
      touch(step.op->getOperand(1), i);
      break;
    }
  }
  // Results that are copied at the end live until then.
  for (auto [i, value] : llvm::enumerate(plan.results))
    if (plan.resultIsCopy[i])
      touch(value, plan.steps.size());
  SmallVector<Life *> order;
  for (auto &entry : lives)
    order.push_back(&entry.second);
  llvm::stable_sort(order, [](const Life *a, const Life *b) { return a->first < b->first; });
  struct Block {
    uint64_t offset, end;
    size_t last;
  };
  std::vector<Block> alive; // by offset
  for (Life *life : order) {
    llvm::erase_if(alive, [&](const Block &block) { return block.last < life->first; });
    uint64_t size = llvm::alignTo(std::max<uint64_t>(life->bytes, 1), bufferAlign), offset = 0;
    size_t position = 0;
    for (; position < alive.size(); ++position) {
      if (alive[position].offset >= offset + size)
        break;
      offset = alive[position].end;
    }
    alive.insert(alive.begin() + position, {offset, offset + size, life->last});
    workspaceBytes = std::max(workspaceBytes, offset + size);
    places[life->value] = {"workspace", 0, offset, bufferAlign};
  }
}

Place ProgramBuilder::getPlace(Value value) const {
  const ValueStorage &storage = plan.getStorage(value);
  Value base = storage.kind == ValueStorage::Kind::Part ? storage.base : value;
  Place place = places.lookup(base);
  uint64_t extra = storage.layout.offset * getMemoryBytes(getElementType(value));
  place.offset += extra;
  if (extra)
    place.align = std::min<uint64_t>(place.align, extra & (~extra + 1));
  return place;
}

json::Value ProgramBuilder::refer(Value value, uint64_t extraBytes) const {
  Place place = getPlace(value);
  json::Object ref{{"kind", place.kind}};
  if (StringRef(place.kind) != "workspace")
    ref["index"] = place.index;
  if (place.offset + extraBytes)
    ref["offset"] = static_cast<int64_t>(place.offset + extraBytes);
  return ref;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void ProgramBuilder::addStep(json::Object step, Location loc) {
  if (std::string text = describe(loc); !text.empty())
    step["loc"] = text;
  steps.push_back(std::move(step));
}

static std::string nameKernel(unsigned number, ArrayRef<Operation *> ops) {
  std::string name = "k" + std::to_string(number);
  StringRef previous;
  for (Operation *op : ops) {
    StringRef part = op->getName().stripDialect();
    bool quiet = isa<ReshapeOp, ViewOp, PermuteOp, TransposeOp, ExpandOp, SqueezeOp, UnsqueezeOp, ConstantOp, ConvertElementTypeOp, SliceOp,
                     SelectOp, SplitLikeOpInterface, FullOp>(op);
    if (quiet && ops.size() > 1)
      continue;
    if (part == previous)
      continue;
    previous = part;
    if (name.size() + part.size() > 48)
      break;
    name += "_" + part.str();
  }
  return name;
}

LogicalResult ProgramBuilder::emitKernels() {
  MLIRContext *context = function.getContext();
  OpBuilder builder(context);
  program.module = mlir::ModuleOp::create(function.getLoc());
  builder.setInsertionPointToStart(program.module->getBody());
  if (!plan.kernels.empty())
    kernels = mlir::gpu::GPUModuleOp::create(builder, function.getLoc(), "kernels");
  unsigned number = 0;
  for (const FusionStep &step : plan.steps) {
    switch (step.kind) {
    case FusionStep::Kind::Library:
      if (failed(writeLibraryStep(step)))
        return failure();
      break;
    case FusionStep::Kind::Write:
      break; // Last of all.
    case FusionStep::Kind::Kernel: {
      const FusionKernel &kernel = *plan.kernels[step.kernel];
      FailureOr<KernelIR> ir = buildKernelIR(kernel, plan, [&](Value value) { return getPlace(value).align; });
      if (failed(ir))
        return failure();
      ir->name = nameKernel(number++, kernel.ops);
      builder.setInsertionPointToEnd(kernels.getBody());
      FailureOr<LaunchShape> launch = emitKernel(builder, *ir);
      if (failed(launch))
        return failure();
      json::Array arguments;
      for (const KernelArray &array : ir->arrays)
        arguments.push_back(refer(array.value));
      addStep(json::Object{{"op", "kernel"},
                           {"name", ir->name},
                           {"grid", json::Array{launch->grid, 1, 1}},
                           {"block", json::Array{launch->block, 1, 1}},
                           {"args", std::move(arguments)}},
              ir->loc);
      break;
    }
    }
  }
  // Results that are arguments or appear twice, then writes to arguments.
  for (auto [i, value] : llvm::enumerate(plan.results)) {
    if (!plan.resultIsCopy[i] || getBytes(value) == 0)
      continue;
    addStep(json::Object{{"op", "copy"},
                         {"from", refer(value)},
                         {"to", json::Object{{"kind", "output"}, {"index", static_cast<int64_t>(i)}}},
                         {"bytes", static_cast<int64_t>(getBytes(value))}},
            value.getLoc());
  }
  for (const FusionStep &step : plan.steps) {
    if (step.kind != FusionStep::Kind::Write)
      continue;
    auto write = cast<CopyUnderscoreOp>(step.op);
    if (getBytes(write.getDst()) == 0)
      continue;
    addStep(json::Object{{"op", "copy"},
                         {"from", refer(write.getSrc())},
                         {"to", refer(write.getDst())},
                         {"bytes", static_cast<int64_t>(getBytes(write.getDst()))}},
            write.getLoc());
  }
  return success();
}

LogicalResult ProgramBuilder::writeLibraryStep(const FusionStep &step) {
  if (getConvolution(step.op)) {
    writeConvolution(step);
    return success();
  }
  hasProduct = true;
  return writeMatmul(step);
}

LogicalResult ProgramBuilder::writeMatmul(const FusionStep &step) {
  Operation *op = step.op;
  bool plain = isa<MmOp, BmmOp>(op);
  Value lhs = op->getOperand(plain ? 0 : 1), rhs = op->getOperand(plain ? 1 : 2);
  ArrayRef<int64_t> left = getShape(lhs), right = getShape(rhs), result = getShape(step.result);
  size_t rank = left.size();
  int64_t m = left[rank - 2], k = left[rank - 1], n = right[rank - 1], batch = rank == 3 ? left[0] : 1;
  std::string dtype = getDTypeName(getElementType(lhs));
  json::Object out{{"op", "matmul"}, {"m", m}, {"n", n}, {"k", k}, {"dtype", dtype}};
  if (batch != 1)
    out["batch"] = batch;
  auto addMatrix = [&](StringRef name, StringRef upper, Value value, bool mayTranspose) {
    ArrayRef<int64_t> shape = getShape(value);
    ValueStorage storage = plan.resolve(value);
    int64_t rows = shape[rank - 2], columns = shape[rank - 1];
    int64_t rowStride = storage.layout.strides[rank - 2], columnStride = storage.layout.strides[rank - 1];
    bool rowMajor = (columns == 1 || columnStride == 1) && (rows == 1 || rowStride >= columns);
    int64_t ld;
    if (rowMajor || !mayTranspose) {
      ld = rows == 1 ? std::max<int64_t>(columns, 1) : rowStride;
    } else {
      out["trans_" + name.str()] = true;
      ld = columns == 1 ? rows : columnStride;
    }
    out["ld" + name.str()] = ld;
    if (batch != 1)
      out["stride_" + name.str()] = storage.layout.strides[0];
    out[name.str()] = refer(value);
  };
  addMatrix("a", "A", lhs, true);
  addMatrix("b", "B", rhs, true);
  addMatrix("d", "D", step.result, false);
  double alpha = plain ? 1 : op->getAttrOfType<FloatAttr>("alpha").getValueAsDouble();
  double beta = plain ? 0 : op->getAttrOfType<FloatAttr>("beta").getValueAsDouble();
  if (alpha != 1)
    out["alpha"] = alpha;
  std::string epilogue;
  if (step.epilogue)
    epilogue = isa<ReluOp>(step.epilogue) ? "relu" : "gelu_tanh";
  if (beta != 0) {
    Value addend = op->getOperand(0);
    ArrayRef<int64_t> shape = getShape(addend);
    if (shape == result) {
      out["beta"] = beta;
      out["ldc"] = n;
      if (batch != 1)
        out["stride_c"] = m * n;
      out["c"] = refer(addend);
    } else {
      epilogue += epilogue.empty() ? "bias" : "_bias";
      out["bias"] = refer(addend);
      if (batch != 1 && shape.size() == 3 && shape[0] == batch)
        out["stride_bias"] = n;
    }
  }
  if (!epilogue.empty())
    out["epilogue"] = epilogue;
  addStep(std::move(out), op->getLoc());
  return success();
}

void ProgramBuilder::writeConvolution(const FusionStep &step) {
  ConvolutionInfo conv = *getConvolution(step.op);
  json::Object out{{"op", "conv"},
                   {"dtype", getDTypeName(getElementType(step.result))},
                   {"layout", "nchw"},
                   {"input_shape", json::Array(getShape(conv.input))},
                   {"filter_shape", json::Array(getShape(conv.weight))},
                   {"stride", json::Array(conv.stride)},
                   {"padding", json::Array(conv.padding)},
                   {"dilation", json::Array(conv.dilation)},
                   {"groups", conv.groups},
                   {"input", refer(conv.input)},
                   {"filter", refer(conv.weight)},
                   {"output", refer(step.result)}};
  addStep(std::move(out), step.op->getLoc());
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

json::Object ProgramBuilder::describeTensor(StringRef name, Type type) const {
  auto tensor = cast<RankedTensorType>(type);
  return json::Object{{"name", name.str()},
                      {"dtype", getDTypeName(tensor.getElementType())},
                      {"shape", json::Array(tensor.getShape())},
                      {"bytes", static_cast<int64_t>(getNumElements(tensor.getShape()) * getMemoryBytes(tensor.getElementType()))},
                      {"align", 16}};
}

void ProgramBuilder::writePlan() {
  std::set<unsigned> mutated;
  for (const FusionStep &step : plan.steps)
    if (step.kind == FusionStep::Kind::Write)
      mutated.insert(cast<mlir::BlockArgument>(cast<CopyUnderscoreOp>(step.op).getDst()).getArgNumber());
  json::Array inputs, outputs, literals;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto name = function.getArgAttrOfType<StringAttr>(i, FxGraphDialect::kNameAttr);
    json::Object input = describeTensor(name ? name.getValue() : StringRef("arg" + std::to_string(i)), function.getArgumentTypes()[i]);
    if (mutated.count(i))
      input["mutated"] = true;
    inputs.push_back(std::move(input));
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    outputs.push_back(describeTensor("result" + std::to_string(i), function.getResultTypes()[i]));
  for (const auto &[value, range] : constants)
    literals.push_back(json::Object{{"name", "constant" + std::to_string(places.lookup(value).index)},
                                    {"offset", static_cast<int64_t>(range.first)},
                                    {"bytes", static_cast<int64_t>(range.second)}});
  root = json::Object{{"fxgraph-plan", 1},
                      {"name", function.getName().str()},
                      {"chip", options.chip},
                      {"inputs", std::move(inputs)},
                      {"outputs", std::move(outputs)},
                      {"workspace_bytes", static_cast<int64_t>(workspaceBytes)},
                      {"steps", std::move(steps)}};
  if (!literals.empty())
    root["constants"] = std::move(literals);
  if (hasProduct) // What cuBLASLt may use as scratch memory; 32 MiB suits Hopper.
    root["library_workspace_bytes"] = 32 << 20;
  if (options.allowTF32)
    root["allow_tf32"] = true;
  llvm::raw_string_ostream os(program.plan);
  os << llvm::formatv("{0:2}", json::Value(std::move(root))) << '\n';
}

FailureOr<GPUProgram> ProgramBuilder::run() {
  FusionOptions fusion;
  fusion.libraryMatmul = options.libraries != Libraries::None;
  fusion.libraryConvolution = options.libraries == Libraries::All;
  FailureOr<FusionPlan> planned = planFusion(function, fusion);
  if (failed(planned))
    return failure();
  plan = std::move(*planned);
  findResults();
  if (failed(collectConstants()))
    return failure();
  planMemory();
  if (failed(emitKernels()))
    return failure();
  writePlan();
  return std::move(program);
}

FailureOr<GPUProgram> fxgraph::gpu::emitGPUProgram(mlir::func::FuncOp function, const GPUOptions &options) {
  if (!isKnownChip(options.chip))
    return emitError(function.getLoc()) << "expected a chip of " << getKnownChips() << " but got '" << options.chip << "'";
  if (function.isExternal())
    return emitError(function.getLoc()) << "expected a function with a body";
  // The rewrites work on a copy, in a module of its own.
  mlir::OwningOpRef<mlir::ModuleOp> scratch = mlir::ModuleOp::create(function.getLoc());
  OpBuilder builder(function.getContext());
  builder.setInsertionPointToStart(scratch->getBody());
  auto copy = cast<mlir::func::FuncOp>(builder.clone(*function));
  if (failed(prepareForGPU(copy)))
    return failure();
  return ProgramBuilder(copy, options).run();
}
