// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph as a host function on memory: what the fusion planner decides, as IR. Its
// arguments are the graph's arguments and results; what else lives in memory is
// allocated, views are fxgraph.buffer of what they are views of, and the ops are
// fxgraph.loop_nest, fxgraph.matrix_product, fxgraph.attention, fxgraph.kernel (one
// launch each), fxgraph.library_call and memref.copy, in an order of execution.
// Linear in the plan.

#include "Emit/EmitAttention.h"
#include "Emit/EmitRegion.h"
#include "Kernel/GraphRegions.h"
#include "Kernel/HostFunction.h"
#include "Kernel/HostMemory.h"
#include "Kernel/NestIR.h"
#include "Stages/Collectives.h"
#include "Stages/PlanOptions.h"
#include "Stages/Stages.h"
#include "fxgraph/Analysis/FusionOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/IRMapping.h"
#include <map>
#include <set>

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace memref = mlir::memref;

namespace {
class HostBuilder {
public:
  HostBuilder(mlir::func::FuncOp function, const GPUOptions &options)
      : function(function), options(options), numConstants(ownConstants) {}
  FailureOr<mlir::func::FuncOp> run();

private:
  /// Of the graph of a region, whose steps are appended to a block of the other's host function.
  HostBuilder(mlir::func::FuncOp graph, HostBuilder &outer, Block &block, mlir::ValueRange arguments,
              mlir::ValueRange results);
  LogicalResult planGraph();
  LogicalResult createConstants(OpBuilder &globals);
  void createHost();
  LogicalResult addSteps();
  /// The graph of a region, between memory and memory, as steps in `block`.
  LogicalResult addGraph(mlir::Region &region, mlir::Region &steps, mlir::ValueRange arguments,
                         mlir::ValueRange results);
  LogicalResult addBranch(CondOp op);
  LogicalResult addLoop(WhileLoopOp op);
  SmallVector<Value> getMemory(mlir::ValueRange values);
  /// The memory of a value, in its shape and layout.
  Value getMemory(Value value);
  /// What is allocated or given for a value that is no part of another.
  Value getRoot(Value value);
  Value addBuffer(Location loc, Value base, int64_t bytes, mlir::MemRefType type);
  LogicalResult addKernel(const FusionKernel &kernel);
  LogicalResult addRegion(KernelOp op);
  void addProduct(const FusionStep &step);
  void addAttention(ScaledDotProductAttentionOp op);
  void addConvolution(const FusionStep &step);
  void addCollective(Operation *op);
  void addWait(WaitTensorOp op);
  void addCopy(Value from, Value to, int64_t bytes, Location loc);
  mlir::ArrayAttr getNames(ArrayRef<Operation *> ops);

  mlir::func::FuncOp function;
  const GPUOptions &options;
  FusionPlan plan;
  mlir::func::FuncOp host;
  OpBuilder builder{function.getContext()};       ///< of steps
  OpBuilder memoryBuilder{function.getContext()}; ///< of memory, in front of all steps
  SmallVector<Value> resultMemory;
  unsigned ownConstants = 0;
  unsigned &numConstants; ///< of the host function
  bool isInner = false;
  DenseMap<Value, Value> roots, memory;
  DenseMap<Value, unsigned> constants;
  DenseMap<Operation *, Value> tokens; ///< of collectives that were started and are not waited for
  std::map<std::tuple<const void *, int64_t, const void *>, Value> buffers;
};
} // namespace

/// The op computes nothing that the name of a kernel should tell, if others are there that do.
static bool isQuiet(Operation *op) {
  if (isa<ConvertElementTypeOp>(op))
    return true;
  auto formed = dyn_cast<KernelFormOpInterface>(op);
  return formed &&
         llvm::is_contained({KernelForm::Leaf, KernelForm::Identity, KernelForm::View}, formed.getKernelForm());
}

static SmallVector<StringRef> getComputed(ArrayRef<Operation *> ops) {
  SmallVector<StringRef> names;
  for (Operation *op : ops)
    if (!isQuiet(op))
      names.push_back(op->getName().stripDialect());
  if (names.empty() && !ops.empty())
    names.push_back(ops.back()->getName().stripDialect());
  return names;
}

static mlir::MemRefType getMemRefType(Value value, ArrayRef<int64_t> strides) {
  ArrayRef<int64_t> shape = getShape(value);
  mlir::MemRefLayoutAttrInterface layout;
  if (strides != ArrayRef<int64_t>(StridedLayout::rowMajor(shape).strides))
    layout = mlir::StridedLayoutAttr::get(value.getContext(), /*offset=*/0, strides);
  return mlir::MemRefType::get(shape, getElementType(value), layout);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Literals as bytes, in memref.global.
LogicalResult HostBuilder::createConstants(OpBuilder &globals) {
  for (const auto &[value, storage] : plan.storage) {
    if (storage.kind != ValueStorage::Kind::Constant)
      continue;
    auto constant = value.getDefiningOp<ConstantOp>();
    Type element = getElementType(value);
    uint64_t bytes = getNumElements(value) * getMemoryBytes(element);
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
        return constant.emitOpError("expected the data of resource '")
               << resource.getRawHandle().getKey() << "' but it is not there";
      data = blob->getData();
    } else {
      return constant.emitOpError("has a kind of literal that is not supported on gpu");
    }
    if (data.size() != bytes)
      return constant.emitOpError("expected ") << bytes << " bytes of data but got " << data.size();
    auto type = RankedTensorType::get({static_cast<int64_t>(bytes)}, builder.getI8Type());
    memref::GlobalOp::create(
        globals, function.getLoc(), getConstantName(numConstants), builder.getStringAttr("private"),
        mlir::MemRefType::get(type.getShape(), type.getElementType()), DenseElementsAttr::getFromRawBuffer(type, data),
        /*constant=*/true, builder.getI64IntegerAttr(kBufferAlign));
    constants.try_emplace(value, numConstants++);
  }
  return success();
}

/// The memory of an argument or result as the caller sees it. With an order the graph's type has its dimensions in that
/// order, in which they lie in memory.
static mlir::MemRefType getCallerMemory(Type type, mlir::DenseI64ArrayAttr order) {
  auto tensor = cast<RankedTensorType>(type);
  auto memory = mlir::MemRefType::get(tensor.getShape(), tensor.getElementType());
  if (!order)
    return memory;
  SmallVector<int64_t> shape(order.size()), strides(order.size()), dense = memory.getStridesAndOffset().first;
  for (auto [position, dim] : llvm::enumerate(order.asArrayRef())) {
    shape[dim] = memory.getDimSize(position);
    strides[dim] = dense[position];
  }
  return mlir::MemRefType::get(shape, memory.getElementType(),
                               mlir::StridedLayoutAttr::get(memory.getContext(), /*offset=*/0, strides));
}

void HostBuilder::createHost() {
  MLIRContext *context = builder.getContext();
  SmallVector<Type> types;
  SmallVector<mlir::DictionaryAttr> attributes;
  auto add = [&](mlir::MemRefType type, mlir::NamedAttrList list) {
    types.push_back(type);
    attributes.push_back(list.getDictionary(context));
  };
  std::set<unsigned> written;
  for (const FusionStep &step : plan.steps)
    if (step.kind == FusionStep::Kind::Write)
      written.insert(cast<mlir::BlockArgument>(cast<CopyUnderscoreOp>(step.op).getDst()).getArgNumber());
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    mlir::NamedAttrList list;
    if (auto name = function.getArgAttrOfType<StringAttr>(i, FxGraphDialect::kNameAttr))
      list.append(kHostNameAttr, name);
    if (written.count(i))
      list.append(kHostWrittenAttr, builder.getUnitAttr());
    auto order = function.getArgAttrOfType<mlir::DenseI64ArrayAttr>(i, kMemoryOrderAttr);
    add(getCallerMemory(function.getArgumentTypes()[i], order), list);
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    mlir::NamedAttrList list(builder.getNamedAttr(kHostResultAttr, builder.getUnitAttr()));
    if (auto name = function.getResultAttrOfType<StringAttr>(i, FxGraphDialect::kNameAttr))
      list.append(kHostNameAttr, name);
    auto order = function.getResultAttrOfType<mlir::DenseI64ArrayAttr>(i, kMemoryOrderAttr);
    add(getCallerMemory(function.getResultTypes()[i], order), list);
  }
  host = mlir::func::FuncOp::create(builder, function.getLoc(), function.getName(), builder.getFunctionType(types, {}));
  host.setAllArgAttrs(attributes);
  host->setAttr(kHostChipAttr, builder.getStringAttr(options.chip));
  if (options.allowTF32)
    host->setAttr(kHostAllowTF32Attr, builder.getUnitAttr());
  builder.setInsertionPointToStart(host.addEntryBlock());
  auto end = mlir::func::ReturnOp::create(builder, function.getLoc());
  builder.setInsertionPoint(end);
  memoryBuilder.setInsertionPointToStart(builder.getBlock());
  for (auto [i, argument] : llvm::enumerate(function.getArguments()))
    roots[argument] = host.getArgument(i);
  llvm::append_range(resultMemory, host.getArguments().drop_front(function.getNumArguments()));
  for (auto [i, value] : llvm::enumerate(plan.results))
    if (!plan.resultIsCopy[i])
      roots[value] = resultMemory[i];
}

Value HostBuilder::getRoot(Value value) {
  Value &root = roots[value];
  if (root)
    return root;
  if (auto constant = constants.find(value); constant != constants.end()) {
    int64_t bytes = getNumElements(value) * getMemoryBytes(getElementType(value));
    root =
        memref::GetGlobalOp::create(memoryBuilder, value.getLoc(), mlir::MemRefType::get({bytes}, builder.getI8Type()),
                                    getConstantName(constant->second));
  } else {
    root = memref::AllocOp::create(memoryBuilder, value.getLoc(),
                                   mlir::MemRefType::get(getShape(value), getElementType(value)));
  }
  return root;
}

Value HostBuilder::addBuffer(Location loc, Value base, int64_t bytes, mlir::MemRefType type) {
  if (bytes == 0 && base.getType() == type)
    return base;
  Value &buffer = buffers[{base.getAsOpaquePointer(), bytes, type.getAsOpaquePointer()}];
  if (!buffer)
    buffer = BufferOp::create(memoryBuilder, loc, type, base, bytes);
  return buffer;
}

Value HostBuilder::getMemory(Value value) {
  Value &known = memory[value];
  if (known)
    return known;
  const ValueStorage &storage = plan.getStorage(value);
  Value root = getRoot(storage.kind == ValueStorage::Kind::Part ? storage.base : value);
  known = addBuffer(value.getLoc(), root, storage.layout.offset * getMemoryBytes(getElementType(value)),
                    getMemRefType(value, storage.layout.strides));
  return known;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

mlir::ArrayAttr HostBuilder::getNames(ArrayRef<Operation *> ops) { return builder.getStrArrayAttr(getComputed(ops)); }

LogicalResult HostBuilder::addKernel(const FusionKernel &kernel) {
  FailureOr<KernelIR> ir = buildKernelIR(kernel, plan);
  if (failed(ir))
    return failure();
  SmallVector<Value> arrays;
  for (const KernelArray &array : ir->arrays)
    arrays.push_back(addBuffer(array.value.getLoc(), getMemory(array.value),
                               array.offset * getMemoryBytes(array.elementType),
                               mlir::MemRefType::get({array.extent}, array.elementType)));
  writeNest(builder, *ir, getComputed(kernel.ops), arrays);
  return success();
}

LogicalResult HostBuilder::addRegion(KernelOp op) {
  FailureOr<RegionKernel> region = RegionKernel::create(op);
  if (failed(region))
    return failure();
  DenseMap<Value, Value> temporaries;
  region->writeLaunches(builder, [&](Value owner, mlir::MemRefType type) -> Value {
    if (isa<RankedTensorType>(owner.getType()))
      return addBuffer(owner.getLoc(), getMemory(owner), 0, type);
    Value &root = temporaries[owner];
    if (!root)
      root = memref::AllocOp::create(memoryBuilder, owner.getLoc(), type);
    return root;
  });
  return success();
}

void HostBuilder::addProduct(const FusionStep &step) {
  Operation *op = step.op;
  Location loc = op->getLoc();
  auto factors = cast<MatrixProductOpInterface>(op);
  Value addend = factors.getAddend() ? getMemory(factors.getAddend()) : Value();
  SmallVector<Operation *> computes = {op};
  if (step.epilogue)
    computes.push_back(step.epilogue);
  auto product = MatrixProductOp::create(
      builder, loc, getNames(computes), getMemory(factors.getLeft()), getMemory(factors.getRight()), addend,
      getMemory(step.result), builder.getF64FloatAttr(factors.getProductScale()),
      builder.getF64FloatAttr(addend ? factors.getAddendScale() : 1.0), mlir::DictionaryAttr());
  if (!step.epilogue)
    return;
  OpBuilder::InsertionGuard guard(builder);
  auto type = RankedTensorType::get({}, getElementType(step.result));
  Block *body = builder.createBlock(&product.getActivation(), {}, {type}, {loc});
  mlir::IRMapping mapping;
  mapping.map(step.epilogue->getOperand(0), body->getArgument(0));
  Operation *copy = builder.clone(*step.epilogue, mapping);
  copy->getResult(0).setType(type);
  YieldOp::create(builder, loc, copy->getResult(0));
}

void HostBuilder::addAttention(ScaledDotProductAttentionOp op) {
  double width = getShape(op.getQuery()).back();
  double scale = op.getScale() ? op.getScale()->convertToDouble() : 1 / std::sqrt(width);
  AttentionOp::create(builder, op.getLoc(), getMemory(op.getQuery()), getMemory(op.getKey()), getMemory(op.getValue()),
                      op.getAttnMask() ? getMemory(op.getAttnMask()) : Value(), /*scratch=*/Value(),
                      getMemory(op.getResult()), builder.getF64FloatAttr(scale),
                      op.getIsCausal() ? builder.getUnitAttr() : mlir::UnitAttr(),
                      op->getAttrOfType<mlir::DictionaryAttr>(kAttentionTilingAttr));
}

void HostBuilder::addConvolution(const FusionStep &step) {
  ConvolutionInfo conv = *getConvolution(step.op);
  mlir::NamedAttrList config;
  auto set = [&](StringRef name, ArrayRef<int64_t> values) { config.set(name, builder.getDenseI64ArrayAttr(values)); };
  config.set("dtype", TypeAttr::get(getElementType(step.result)));
  config.set("layout", builder.getStringAttr(step.channelsLast ? "nhwc" : "nchw"));
  set("input_shape", getShape(conv.input));
  set("filter_shape", getShape(conv.weight));
  set("stride", conv.stride);
  set("padding", conv.padding);
  set("dilation", conv.dilation);
  config.set("groups", builder.getI64IntegerAttr(conv.groups));
  SmallVector<Value> operands = {getMemory(conv.input), getMemory(conv.weight), getMemory(step.result)};
  LibraryCallOp::create(builder, step.op->getLoc(), "conv", operands,
                        builder.getStrArrayAttr({"input", "filter", "output"}),
                        config.getDictionary(builder.getContext()));
}

void HostBuilder::addCollective(Operation *op) {
  auto getDense = [&](Value value, mlir::MemRefType type) {
    return addBuffer(value.getLoc(), getMemory(value), 0, type);
  };
  tokens[op] = startCollective(builder, op, getDense).getToken();
}

void HostBuilder::addWait(WaitTensorOp op) {
  // The wait for one result is that for all of the op's.
  auto token = tokens.find(op.getInput().getDefiningOp());
  if (token == tokens.end())
    return;
  mlir::gpu::WaitOp::create(builder, op.getLoc(), Type(), token->second);
  tokens.erase(token);
}

void HostBuilder::addCopy(Value from, Value to, int64_t bytes, Location loc) {
  if (bytes == 0)
    return;
  auto type = mlir::MemRefType::get({bytes}, builder.getI8Type());
  memref::CopyOp::create(builder, loc, addBuffer(loc, from, 0, type), addBuffer(loc, to, 0, type));
}

//===----------------------------------------------------------------------===//
// Graphs in regions
//===----------------------------------------------------------------------===//

HostBuilder::HostBuilder(mlir::func::FuncOp graph, HostBuilder &outer, Block &block, mlir::ValueRange arguments,
                         mlir::ValueRange results)
    : function(graph), options(outer.options), host(outer.host), memoryBuilder(outer.memoryBuilder),
      resultMemory(results.begin(), results.end()), numConstants(outer.numConstants), isInner(true) {
  builder.setInsertionPointToEnd(&block);
  // In front of the branch or loop: memory is the host function's.
  if (!outer.isInner)
    memoryBuilder.setInsertionPoint(block.getParentOp());
  for (auto [argument, memory] : llvm::zip_equal(function.getArguments(), arguments))
    roots[argument] = memory;
}

LogicalResult HostBuilder::addGraph(mlir::Region &region, mlir::Region &steps, mlir::ValueRange arguments,
                                    mlir::ValueRange results) {
  mlir::OwningOpRef<mlir::func::FuncOp> graph = takeGraph(region);
  HostBuilder inner(*graph, *this, steps.emplaceBlock(), arguments, results);
  OpBuilder globals(host);
  if (failed(inner.planGraph()) || failed(inner.createConstants(globals)))
    return failure();
  for (auto [i, value] : llvm::enumerate(inner.plan.results))
    if (!inner.plan.resultIsCopy[i])
      inner.roots[value] = inner.resultMemory[i];
  return inner.addSteps();
}

SmallVector<Value> HostBuilder::getMemory(mlir::ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return getMemory(value); });
}

LogicalResult HostBuilder::addBranch(CondOp op) {
  SmallVector<Value> operands = getMemory(op.getOperands_()), results = getMemory(op.getOutputs());
  auto branch = BranchOp::create(builder, op.getLoc(), getMemory(op.getPredicate()));
  if (failed(addGraph(op.getThen(), branch.getThen(), operands, results)))
    return failure();
  return addGraph(op.getOtherwise(), branch.getOtherwise(), operands, results);
}

/// The memory of the results is that of the carried values, which each turn reads, and writes when it has computed all.
LogicalResult HostBuilder::addLoop(WhileLoopOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> carried = getMemory(op.getOutputs()), operands = carried, next;
  llvm::append_range(operands, getMemory(op.getAdditional()));
  auto allocate = [&](mlir::MemRefType type) {
    return memref::AllocOp::create(memoryBuilder, loc, mlir::MemRefType::get(type.getShape(), type.getElementType()));
  };
  for (auto [from, to] : llvm::zip_equal(getMemory(op.getCarried()), carried)) {
    auto type = cast<mlir::MemRefType>(to.getType());
    addCopy(from, to, getDenseBytes(type), loc);
    next.push_back(allocate(type));
  }
  Value predicate = allocate(mlir::MemRefType::get({}, builder.getI1Type()));
  auto repeat = LoopOp::create(builder, loc, predicate);
  if (failed(addGraph(op.getCondition(), repeat.getCondition(), operands, predicate)) ||
      failed(addGraph(op.getBody(), repeat.getBody(), operands, next)))
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  OpBuilder::InsertionGuard memoryGuard(memoryBuilder);
  builder.setInsertionPointToEnd(&repeat.getBody().front());
  if (!isInner)
    memoryBuilder.setInsertionPoint(repeat);
  for (auto [from, to] : llvm::zip_equal(next, carried))
    addCopy(from, to, getDenseBytes(cast<mlir::MemRefType>(to.getType())), loc);
  return success();
}

LogicalResult HostBuilder::planGraph() {
  FusionOptions fusion = getPlanOptions(options.libraries, options.allowTF32);
  fusion.tensorCoreProducts = options.chip == "sm_90a" && options.products != OwnProducts::Never;
  FailureOr<FusionPlan> planned = planFusion(function, fusion);
  if (failed(planned))
    return failure();
  plan = std::move(*planned);
  return success();
}

FailureOr<mlir::func::FuncOp> HostBuilder::run() {
  if (failed(planGraph()))
    return failure();
  auto module = function->getParentOfType<mlir::ModuleOp>();
  builder.setInsertionPointToEnd(module.getBody());
  if (failed(createConstants(builder)))
    return failure();
  createHost();
  if (failed(addSteps()))
    return failure();
  function.erase();
  return host;
}

LogicalResult HostBuilder::addSteps() {
  for (const FusionStep &step : plan.steps) {
    switch (step.kind) {
    case FusionStep::Kind::Kernel:
      if (failed(addKernel(*plan.kernels[step.kernel])))
        return failure();
      break;
    case FusionStep::Kind::Library:
      if (auto attention = dyn_cast<ScaledDotProductAttentionOp>(step.op))
        addAttention(attention);
      else if (getConvolution(step.op))
        addConvolution(step);
      else
        addProduct(step);
      break;
    case FusionStep::Kind::Region: {
      auto branch = dyn_cast<CondOp>(step.op);
      auto loop = dyn_cast<WhileLoopOp>(step.op);
      if (failed(branch ? addBranch(branch) : loop ? addLoop(loop) : addRegion(cast<KernelOp>(step.op))))
        return failure();
      break;
    }
    case FusionStep::Kind::Collective:
      addCollective(step.op);
      break;
    case FusionStep::Kind::Wait:
      addWait(cast<WaitTensorOp>(step.op));
      break;
    case FusionStep::Kind::Write:
      break; // Last of all.
    }
  }
  // Results that are arguments or appear twice, then writes to arguments.
  auto getBytes = [](Value value) -> int64_t { return getNumElements(value) * getMemoryBytes(getElementType(value)); };
  for (auto [i, value] : llvm::enumerate(plan.results))
    if (plan.resultIsCopy[i] && getBytes(value) != 0)
      addCopy(getMemory(value), resultMemory[i], getBytes(value), value.getLoc());
  for (const FusionStep &step : plan.steps) {
    if (step.kind != FusionStep::Kind::Write)
      continue;
    auto write = cast<CopyUnderscoreOp>(step.op);
    if (getBytes(write.getDst()) != 0)
      addCopy(getMemory(write.getSrc()), getMemory(write.getDst()), getBytes(write.getDst()), write.getLoc());
  }
  return success();
}

FailureOr<mlir::func::FuncOp> fxgraph::gpu::fuseKernels(mlir::func::FuncOp function, const GPUOptions &options) {
  if (!isKnownChip(options.chip))
    return emitError(function.getLoc()) << "expected a chip of " << getKnownChips() << " but got '" << options.chip
                                        << "'";
  if (function.isExternal())
    return emitError(function.getLoc()) << "expected a function with a body";
  return HostBuilder(function, options).run();
}
