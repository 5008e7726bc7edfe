// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph as kernels and a host function: fusion plan, kernels, memory plan, launches.
//
// Memory: every value that lives in memory and is no input, result or constant
// gets a range of the one workspace that no value alive at the same time has;
// first fit in order of birth, 256-byte aligned. Cost: number of values times
// the number alive at once.

#include "EmitAttention.h"
#include "EmitKernel.h"
#include "EmitMatmul.h"
#include "EmitRegion.h"
#include "HostFunction.h"
#include "PlanOptions.h"
#include "Products.h"
#include "ScalarMath.h"
#include "fxgraph/Analysis/FusionOps.h"
#include "fxgraph/Dialect/IR/HostOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"
#include <map>
#include <optional>
#include <set>

using namespace fxgraph;
using namespace fxgraph::gpu;

static constexpr uint64_t bufferAlign = 256;
/// For tables of pointers in a kernel's parameters, of the 32764 bytes that CUDA 12.1 and
/// newer allow on all known chips.
static constexpr size_t maxParameterBytes = 30000;

namespace {

/// Where a buffer of the plan is.
struct Place {
  enum class Kind { Workspace, Input, Output, Constant };
  Kind kind = Kind::Workspace;
  unsigned index = 0;
  uint64_t offset = 0; ///< bytes
  uint64_t align = bufferAlign;
};

/// What a kernel is handed for one parameter: an address, a table of them, or a tensor map.
struct KernelArgument {
  SmallVector<std::pair<Value, int64_t>, 1> memory; ///< value (null: the workspace) and bytes from its start
  bool table = false;
  std::optional<TensorMap> map = std::nullopt;
  Type mapElement{}; ///< of the map
};

/// A product that one kernel on warpgroup instructions computes, with the epilogue of the
/// kernel that follows, and where the copies of its operands are in the workspace.
struct OwnProduct {
  WgmmaProduct product;
  std::optional<unsigned> kernel;
  std::optional<Epilogue> epilogue;
  uint64_t packedA = 0, packedB = 0;
};

class ProgramBuilder {
public:
  ProgramBuilder(mlir::func::FuncOp function, const GPUOptions &options) : function(function), options(options) {}
  FailureOr<GPUProgram> run();

private:
  bool hasWarpgroupProducts() const { return options.chip == "sm_90a" && options.products != OwnProducts::Never; }
  void findResults();
  LogicalResult collectConstants();
  LogicalResult planMemory();
  Place getPlace(Value value) const;
  /// The memory of `value`, or the workspace for null, `extraBytes` from its start.
  Value refer(Value value, Type type, uint64_t extraBytes = 0);
  /// The same as the operand of a library call.
  Value refer(Value value) { return refer(value, mlir::MemRefType::get({}, getMemoryType(getElementType(value)))); }
  LogicalResult buildKernels();
  void groupKernels();
  void joinSiblings();
  void groupSmallKernels();
  void findReaders();
  void groupProducts();
  /// Whether our kernel is at least as fast as the library's and what would follow it.
  bool isWorthwhile(const OwnProduct &own, const FusionStep &step) const;
  void chooseOwnProducts();
  /// Address space (input 0, workspace …) and byte offset in it.
  std::pair<uint64_t, int64_t> getAddress(Value value) const {
    Place place = getPlace(value);
    return {(static_cast<uint64_t>(place.kind) << 32) | place.index, static_cast<int64_t>(place.offset)};
  }
  /// In the order of their results' addresses, so that distances are regular where
  /// memory is.
  template <typename T, typename F>
  void sortByResult(SmallVectorImpl<T> &items, F getResult) const {
    llvm::stable_sort(items, [&](const T &a, const T &b) {
      auto key = [&](const T &item) {
        auto [value, offset] = getResult(item);
        auto [space, bytes] = getAddress(value);
        return std::make_pair(space, bytes + offset * static_cast<int64_t>(getMemoryBytes(getElementType(value))));
      };
      return key(a) < key(b);
    });
  }
  std::optional<MatmulSpec> describeProduct(const FusionStep &step) const;
  LogicalResult emitProducts(ArrayRef<const FusionStep *> products, ArrayRef<unsigned> epilogues, unsigned number);
  KernelIR buildPart(ArrayRef<unsigned> members);
  LogicalResult emitKernels(ArrayRef<unsigned> members, unsigned number);
  LogicalResult emitOwnProduct(const FusionStep &step, unsigned number);
  void emitRegion(KernelOp op, unsigned &number);
  LogicalResult emitSteps();
  LogicalResult writeLibraryStep(const FusionStep &step);
  LogicalResult writeMatmul(const FusionStep &step);
  AttentionSpec describeAttention(ScaledDotProductAttentionOp op) const;
  LogicalResult writeAttention(ScaledDotProductAttentionOp op, unsigned number);
  void writeConvolution(const FusionStep &step);
  void createHost();
  void addLaunch(StringRef name, LaunchShape shape, ArrayRef<KernelArgument> arguments, Location loc);
  void addCopy(Value from, Value to, Location loc);
  void addLibraryCall(StringRef callee, ArrayRef<std::pair<StringRef, Value>> buffers,
                      const mlir::NamedAttrList &config, Location loc);

  mlir::func::FuncOp function;
  GPUOptions options;
  FusionOptions fusion;
  FusionPlan plan;
  GPUProgram program;
  mlir::gpu::GPUModuleOp kernels;
  OpBuilder builder{function.getContext()};
  std::vector<std::optional<KernelIR>> bodies;                  ///< of the plan's kernels
  DenseMap<Operation *, std::unique_ptr<RegionKernel>> regions; ///< of fxgraph.kernel
  std::vector<int> groupOf;                                     ///< of steps, by id
  int numGroups = 0;
  /// Kernels of the plan that become one: equal ones, or those that are joined. -1: it stays as it is.
  std::vector<int> partOf;
  DenseMap<int, KernelIR> joinedParts;
  /// Products that one kernel of ours computes, by group; where they have an
  /// epilogue kernel, the group is that of the epilogues.
  DenseMap<int, std::vector<FusionStep>> productsOf;
  DenseMap<unsigned, unsigned> productOfKernel; ///< epilogue kernel -> step id of its product
  /// Emitted kernels and their names, by all that they do.
  std::map<std::string, std::pair<std::string, WgmmaKernel>> productKernels;
  std::map<std::string, std::pair<std::string, LaunchShape>> packKernels;
  std::map<unsigned, OwnProduct> ownProducts;                      ///< by step id
  llvm::DenseSet<unsigned> absorbedSteps;                          ///< products that an epilogue's launch computes
  DenseMap<Value, Place> places;                                   ///< of values with memory of their own
  llvm::MapVector<Value, std::pair<uint64_t, uint64_t>> constants; ///< offset, bytes
  /// Kernels that read the memory of a value, values that anything else reads, and the
  /// step of each kernel.
  DenseMap<Value, SmallVector<unsigned, 1>> kernelReaders;
  llvm::DenseSet<Value> otherReaders;
  DenseMap<unsigned, const FusionStep *> stepOfKernel;
  DenseMap<unsigned, Value> resultOfStep; ///< of library steps, by id
  std::string literals;                   ///< the bytes of all constants
  uint64_t workspaceBytes = 0;
  uint64_t scratchOffset = 0;        ///< of memory that one step alone uses
  std::optional<uint64_t> errorWord; ///< its offset in the workspace, if a kernel uses indices
  mlir::func::FuncOp host;
  OpBuilder hostBuilder{function.getContext()};
  unsigned numLaunches = 0;
};

} // namespace

static uint64_t getBytes(Value value) { return getNumElements(value) * getMemoryBytes(getElementType(value)); }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void ProgramBuilder::findResults() {
  for (auto [i, argument] : llvm::enumerate(function.getArguments()))
    places[argument] = {Place::Kind::Input, static_cast<unsigned>(i), 0, 16};
  for (auto [i, value] : llvm::enumerate(plan.results))
    if (!plan.resultIsCopy[i])
      places[value] = {Place::Kind::Output, static_cast<unsigned>(i), 0, 16};
}

LogicalResult ProgramBuilder::collectConstants() {
  for (const auto &[value, storage] : plan.storage) {
    if (storage.kind != ValueStorage::Kind::Constant)
      continue;
    auto constant = value.getDefiningOp<ConstantOp>();
    Type element = getElementType(value);
    literals.resize(llvm::alignTo(literals.size(), bufferAlign), '\0');
    uint64_t offset = literals.size(), bytes = getBytes(value);
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
    literals.append(data.data(), data.size());
    places[value] = {Place::Kind::Constant, static_cast<unsigned>(constants.size()), 0, bufferAlign};
    constants[value] = {offset, bytes};
  }
  return success();
}

LogicalResult ProgramBuilder::planMemory() {
  struct Life {
    Value value;
    uint64_t bytes;
    size_t first = ~size_t(0), last = 0;
  };
  llvm::MapVector<Value, Life> lives;
  // Memory for one step, and where its place is noted.
  std::vector<std::pair<Life, uint64_t *>> scratch;
  auto touchScratch = [&](unsigned id, size_t step) {
    auto own = ownProducts.find(id);
    if (own == ownProducts.end())
      return;
    WgmmaProduct &product = own->second.product;
    for (auto [operand, place] : {std::make_pair(&product.a, &own->second.packedA), {&product.b, &own->second.packedB}})
      if (operand->pack)
        scratch.push_back({Life{Value(), static_cast<uint64_t>(operand->pack->getPackedBytes()), step, step}, place});
  };
  auto extend = [&](Value base, uint64_t bytes, size_t step) {
    Life &life = lives[base];
    life.value = base;
    life.bytes = bytes;
    life.first = std::min(life.first, step);
    life.last = std::max(life.last, step);
  };
  auto touch = [&](Value value, size_t step) {
    const ValueStorage &storage = plan.getStorage(value);
    Value base = storage.kind == ValueStorage::Kind::Part ? storage.base : value;
    if (plan.getStorage(base).kind == ValueStorage::Kind::Buffer && !places.count(base))
      extend(base, getBytes(base), step);
  };
  // What an epilogue reads of its product never is in memory.
  auto absorbed = [&](unsigned kernel, Value value) {
    auto product = productOfKernel.find(kernel);
    return product != productOfKernel.end() && resultOfStep.lookup(product->second) == value;
  };
  size_t i = 0;
  int group = -1;
  for (const FusionStep &step : plan.steps) {
    if (absorbedSteps.contains(step.id))
      continue;
    // Steps of a group happen at one time.
    if (groupOf[step.id] < 0 || groupOf[step.id] != group)
      ++i;
    group = groupOf[step.id];
    switch (step.kind) {
    case FusionStep::Kind::Kernel:
      for (const KernelNode &node : plan.kernels[step.kernel]->nodes)
        if (node.kind == KernelNode::Kind::Load && !absorbed(step.kernel, node.value))
          touch(node.value, i);
      for (const KernelOutput &output : plan.kernels[step.kernel]->outputs)
        touch(output.storage, i);
      if (auto product = productOfKernel.find(step.kernel); product != productOfKernel.end())
        for (const FusionStep &other : productsOf[group])
          if (other.id == product->second) {
            for (Value operand : other.op->getOperands())
              touch(operand, i);
            touchScratch(other.id, i);
          }
      break;
    case FusionStep::Kind::Library:
      for (Value operand : step.op->getOperands())
        touch(operand, i);
      touch(step.result, i);
      touchScratch(step.id, i);
      break;
    case FusionStep::Kind::Region: {
      // A time for each launch. What no launch touches still needs an address.
      for (Value operand : step.op->getOperands())
        touch(operand, i);
      for (Value result : step.op->getResults())
        touch(result, i);
      const RegionKernel &region = *regions[step.op];
      for (const RegionKernel::Launch &launch : region.getLaunches()) {
        for (Value memory : launch.memory)
          if (Value owner = region.getOwner(memory); owner != memory)
            touch(owner, i);
          else
            extend(memory, fxgraph::gpu::getMemoryBytes(cast<mlir::MemRefType>(memory.getType())), i);
        ++i;
      }
      break;
    }
    case FusionStep::Kind::Write:
      touch(step.op->getOperand(1), i);
      break;
    }
  }
  // Results that are copied at the end live until then.
  for (auto [k, value] : llvm::enumerate(plan.results))
    if (plan.resultIsCopy[k])
      touch(value, i + 1);
  SmallVector<Life *> order;
  for (auto &entry : lives)
    order.push_back(&entry.second);
  DenseMap<Life *, uint64_t *> scratchPlaces;
  for (auto &[life, place] : scratch) {
    order.push_back(&life);
    scratchPlaces[&life] = place;
  }
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
    if (uint64_t *place = scratchPlaces.lookup(life))
      *place = offset;
    else
      places[life->value] = {Place::Kind::Workspace, 0, offset, bufferAlign};
  }
  // Steps run one after the other.
  scratchOffset = llvm::alignTo(workspaceBytes, bufferAlign);
  int64_t scratchBytes = 0;
  for (const FusionStep &step : plan.steps)
    if (auto attention = dyn_cast_if_present<ScaledDotProductAttentionOp>(step.op)) {
      AttentionSpec spec = describeAttention(attention);
      FailureOr<AttentionTiling> tiling = chooseAttentionTiling(spec);
      if (failed(tiling))
        return failure();
      scratchBytes = std::max(scratchBytes, getAttentionScratchBytes(spec, *tiling));
    }
  if (scratchBytes)
    workspaceBytes = scratchOffset + scratchBytes;
  bool checks = llvm::any_of(bodies, [](const auto &ir) { return !ir->symbols.empty(); }) ||
                llvm::any_of(regions, [](const auto &entry) {
                  return llvm::any_of(entry.second->getLaunches(), [](const auto &launch) { return launch.checks; });
                });
  if (checks) {
    errorWord = llvm::alignTo(workspaceBytes, bufferAlign);
    workspaceBytes = *errorWord + sizeof(int32_t);
  }
  return success();
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

Value ProgramBuilder::refer(Value value, Type type, uint64_t extraBytes) {
  Place place = value ? getPlace(value) : Place();
  Location loc = value ? value.getLoc() : function.getLoc();
  Value base;
  switch (place.kind) {
  case Place::Kind::Input:
    base = host.getArgument(place.index);
    break;
  case Place::Kind::Output:
    base = host.getArgument(function.getNumArguments() + place.index);
    break;
  case Place::Kind::Workspace:
    base = host.getArguments().back();
    break;
  case Place::Kind::Constant:
    base = mlir::memref::GetGlobalOp::create(
        hostBuilder, loc,
        mlir::MemRefType::get({static_cast<int64_t>(constants.getArrayRef()[place.index].second.second)},
                              hostBuilder.getI8Type()),
        getConstantName(place.index));
    break;
  }
  return BufferOp::create(hostBuilder, loc, type, base, static_cast<int64_t>(place.offset + extraBytes));
}

//===----------------------------------------------------------------------===//
// The host function
//===----------------------------------------------------------------------===//

void ProgramBuilder::createHost() {
  OpBuilder::InsertionGuard guard(builder);
  MLIRContext *context = builder.getContext();
  SmallVector<Type> types;
  SmallVector<mlir::DictionaryAttr> attributes;
  auto add = [&](Type type, mlir::NamedAttrList list) {
    types.push_back(type);
    attributes.push_back(list.getDictionary(context));
  };
  auto asMemory = [](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return mlir::MemRefType::get(tensor.getShape(), tensor.getElementType());
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
    add(asMemory(function.getArgumentTypes()[i]), list);
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    mlir::NamedAttrList list(builder.getNamedAttr(kHostResultAttr, builder.getUnitAttr()));
    if (auto name = function.getResultAttrOfType<StringAttr>(i, FxGraphDialect::kNameAttr))
      list.append(kHostNameAttr, name);
    add(asMemory(function.getResultTypes()[i]), list);
  }
  add(mlir::MemRefType::get({static_cast<int64_t>(workspaceBytes)}, builder.getI8Type()), {});
  for (unsigned i = 0; i < constants.size(); ++i) {
    auto [offset, bytes] = constants.getArrayRef()[i].second;
    auto data = ArrayRef<char>(literals).slice(offset, bytes);
    auto type = RankedTensorType::get({static_cast<int64_t>(bytes)}, builder.getI8Type());
    mlir::memref::GlobalOp::create(builder, function.getLoc(), getConstantName(i), builder.getStringAttr("private"),
                                   mlir::MemRefType::get(type.getShape(), type.getElementType()),
                                   DenseElementsAttr::getFromRawBuffer(type, data), /*constant=*/true,
                                   builder.getI64IntegerAttr(bufferAlign));
  }
  host = mlir::func::FuncOp::create(builder, function.getLoc(), function.getName(), builder.getFunctionType(types, {}));
  host.setAllArgAttrs(attributes);
  host->setAttr(kHostChipAttr, builder.getStringAttr(options.chip));
  if (errorWord)
    host->setAttr(kHostErrorWordAttr, builder.getI64IntegerAttr(*errorWord));
  if (options.allowTF32)
    host->setAttr(kHostAllowTF32Attr, builder.getUnitAttr());
  hostBuilder.setInsertionPointToStart(host.addEntryBlock());
}

void ProgramBuilder::addLaunch(StringRef name, LaunchShape shape, ArrayRef<KernelArgument> arguments, Location loc) {
  auto kernel = cast<mlir::FunctionOpInterface>(kernels.lookupSymbol(name));
  SmallVector<Value> operands;
  for (auto [type, argument] : llvm::zip_equal(kernel.getArgumentTypes(), arguments)) {
    if (!argument.table) {
      auto [value, offset] = argument.memory.front();
      if (!argument.map) {
        operands.push_back(refer(value, type, offset));
        continue;
      }
      Value address = refer(value, mlir::MemRefType::get({}, argument.mapElement), offset);
      operands.push_back(TensorMapOp::create(hostBuilder, loc, type, address, argument.map->dims, argument.map->strides,
                                             argument.map->box));
      continue;
    }
    SmallVector<Value> addresses;
    for (auto [value, offset] : argument.memory)
      addresses.push_back(refer(value, mlir::MemRefType::get({}, getMemoryType(getElementType(value))), offset));
    operands.push_back(PointerTableOp::create(hostBuilder, loc, type, addresses));
  }
  auto size = [&](int64_t value) -> Value { return mlir::arith::ConstantIndexOp::create(hostBuilder, loc, value); };
  Value one = size(1);
  auto symbol = mlir::SymbolRefAttr::get(kernels.getNameAttr(), {mlir::FlatSymbolRefAttr::get(kernel.getNameAttr())});
  Value shared;
  if (shape.sharedBytes)
    shared = mlir::arith::ConstantOp::create(hostBuilder, loc, hostBuilder.getI32IntegerAttr(shape.sharedBytes));
  mlir::gpu::LaunchFuncOp::create(hostBuilder, loc, symbol, {size(shape.grid), one, one}, {size(shape.block), one, one},
                                  shared, operands);
  ++numLaunches;
}

void ProgramBuilder::addCopy(Value from, Value to, Location loc) {
  mlir::memref::CopyOp::create(hostBuilder, loc, from, to);
  ++numLaunches;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static std::string nameKernel(unsigned number, ArrayRef<Operation *> ops) {
  std::string name = "k" + std::to_string(number);
  StringRef previous;
  for (Operation *op : ops) {
    StringRef part = op->getName().stripDialect();
    bool quiet = isa<ReshapeOp, ViewOp, PermuteOp, TransposeOp, ExpandOp, SqueezeOp, UnsqueezeOp, ConstantOp,
                     ConvertElementTypeOp, SliceOp, SelectOp, SplitLikeOpInterface, FullOp>(op);
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

LogicalResult ProgramBuilder::buildKernels() {
  bodies.resize(plan.kernels.size());
  for (auto [i, kernel] : llvm::enumerate(plan.kernels)) {
    FailureOr<KernelIR> ir = buildKernelIR(*kernel, plan, [&](Value value) { return getPlace(value).align; });
    if (failed(ir))
      return failure();
    bodies[i].emplace(std::move(*ir));
  }
  for (const FusionStep &step : plan.steps) {
    if (step.kind != FusionStep::Kind::Region)
      continue;
    FailureOr<RegionKernel> region = RegionKernel::create(cast<KernelOp>(step.op));
    if (failed(region))
      return failure();
    regions[step.op] = std::make_unique<RegionKernel>(std::move(*region));
  }
  return success();
}

/// Kernels of one level do not depend on each other; those that differ in their
/// memory alone become one launch. Parameters limit the size of a batch.
void ProgramBuilder::groupKernels() {
  groupOf.assign(plan.getNumSteps(), -1);
  partOf.assign(plan.kernels.size(), -1);
  llvm::StringMap<unsigned> known;
  std::map<std::pair<unsigned, unsigned>, SmallVector<const FusionStep *>> bySignature;
  for (const FusionStep &step : plan.steps) {
    if (step.kind != FusionStep::Kind::Kernel)
      continue;
    unsigned signature = known.try_emplace(getSignature(*bodies[step.kernel]), known.size()).first->second;
    bySignature[{step.level, signature}].push_back(&step);
  }
  for (auto &entry : bySignature) {
    ArrayRef<const FusionStep *> members = entry.second;
    unsigned arrays = std::max<size_t>(bodies[members.front()->kernel]->arrays.size(), 1);
    size_t most = std::max<size_t>(1, maxParameterBytes / (8 * arrays));
    while (members.size() >= 2 && most >= 2) {
      ArrayRef<const FusionStep *> batch = members.take_front(most);
      if (batch.size() >= 2) {
        for (const FusionStep *step : batch)
          groupOf[step->id] = partOf[step->kernel] = numGroups;
        ++numGroups;
      }
      members = members.drop_front(batch.size());
    }
  }
}

/// Kernels of one level that read the same elements become one: several reductions of one operand, and what else is
/// computed from it.
void ProgramBuilder::joinSiblings() {
  struct Anchor {
    const FusionStep *step;
    KernelIR ir;
    int group = -1;
  };
  constexpr size_t mostAnchors = 4;
  std::vector<Anchor> anchors;
  std::map<std::pair<unsigned, const void *>, SmallVector<size_t>> anchorsOf; // by level and operand
  for (const FusionStep &step : plan.steps) {
    if (step.kind != FusionStep::Kind::Kernel || groupOf[step.id] >= 0)
      continue;
    const KernelIR &ir = *bodies[step.kernel];
    SmallVector<const void *> operands;
    for (const Prim &prim : ir.prims)
      if (prim.kind == Prim::Kind::Load && prim.dims.count() == ir.space.getNumDims())
        operands.push_back(ir.arrays[prim.array].value.getAsOpaquePointer());
    llvm::SmallSetVector<size_t, 4> candidates;
    for (const void *operand : operands)
      candidates.insert_range(anchorsOf[{step.level, operand}]);
    bool found = false;
    for (size_t candidate : candidates.getArrayRef().take_front(mostAnchors)) {
      Anchor &anchor = anchors[candidate];
      if (anchor.ir.prims.size() + ir.prims.size() > fusion.maxNodes ||
          anchor.ir.arrays.size() + ir.arrays.size() > fusion.maxLoads)
        continue;
      std::optional<KernelIR> joined = joinKernels(anchor.ir, ir);
      if (!joined)
        joined = joinKernels(ir, anchor.ir);
      if (!joined)
        continue;
      if (anchor.group < 0)
        anchor.group = numGroups++;
      anchor.ir = std::move(*joined);
      for (const FusionStep *member : {anchor.step, &step})
        groupOf[member->id] = partOf[member->kernel] = anchor.group;
      found = true;
      break;
    }
    if (found)
      continue;
    for (const void *operand : operands)
      anchorsOf[{step.level, operand}].push_back(anchors.size());
    anchors.push_back({&step, ir});
  }
  for (Anchor &anchor : anchors)
    if (anchor.group >= 0)
      joinedParts.try_emplace(anchor.group, std::move(anchor.ir));
}

/// Small kernels of one level become one launch, whose blocks are theirs in turn.
void ProgramBuilder::groupSmallKernels() {
  constexpr int64_t mostElements = int64_t(1) << 20;
  constexpr size_t mostParts = 16;
  struct Part {
    SmallVector<const FusionStep *> steps;
    int64_t elements = 0;
    size_t parameterBytes = 0;
    bool mayShare = true;
  };
  std::map<unsigned, llvm::MapVector<int, Part>> partsOfLevel;
  for (const FusionStep &step : plan.steps) {
    if (step.kind != FusionStep::Kind::Kernel || productOfKernel.count(step.kernel))
      continue;
    const KernelIR &ir = *bodies[step.kernel];
    int part = partOf[step.kernel];
    if (part < 0)
      part = -1 - static_cast<int>(step.kernel);
    Part &entry = partsOfLevel[step.level][part];
    entry.steps.push_back(&step);
    entry.elements += ir.getOuterSize() * std::max<int64_t>(ir.getInnerSize(), 1);
    entry.parameterBytes += 8 * ir.arrays.size();
    entry.mayShare &= ir.symbols.empty() && (groupOf[step.id] < 0 || !productsOf.count(groupOf[step.id]));
  }
  for (auto &[level, parts] : partsOfLevel) {
    SmallVector<Part *> open;
    size_t bytes = 0;
    auto close = [&] {
      if (open.size() > 1) {
        for (Part *part : open)
          for (const FusionStep *step : part->steps)
            groupOf[step->id] = numGroups;
        ++numGroups;
      }
      open.clear();
      bytes = 0;
    };
    for (auto &[number, part] : parts) {
      if (!part.mayShare || part.elements > mostElements)
        continue;
      if (open.size() == mostParts || bytes + part.parameterBytes > maxParameterBytes)
        close();
      open.push_back(&part);
      bytes += part.parameterBytes;
    }
    close();
  }
}

/// A product as our own kernel would compute it; nullopt if it cannot.
std::optional<MatmulSpec> ProgramBuilder::describeProduct(const FusionStep &step) const {
  auto addmm = dyn_cast<AddmmOp>(step.op);
  if ((!addmm && !isa<MmOp>(step.op)) || step.epilogue)
    return std::nullopt;
  if (addmm && (addmm.getAlpha().convertToDouble() != 1 || addmm.getBeta().convertToDouble() != 1))
    return std::nullopt;
  MatmulSpec spec(step.op->getLoc());
  Value lhs = step.op->getOperand(addmm ? 1 : 0), rhs = step.op->getOperand(addmm ? 2 : 1);
  spec.element = getElementType(step.result);
  spec.m = getShape(lhs)[0];
  spec.k = getShape(lhs)[1];
  spec.n = getShape(rhs)[1];
  ArrayRef<int64_t> left = plan.getStorage(lhs).layout.strides, right = plan.getStorage(rhs).layout.strides,
                    result = plan.getStorage(step.result).layout.strides;
  if (left[1] != 1 || result[1] != 1 || (right[0] != 1 && right[1] != 1))
    return std::nullopt;
  spec.lda = left[0];
  spec.transposedB = right[0] == 1;
  spec.ldb = spec.transposedB ? right[1] : right[0];
  spec.ldd = result[0];
  spec.hasBias = addmm != nullptr;
  if (addmm && getNumElements(addmm.getInput()) != spec.n)
    return std::nullopt;
  // 16-byte copies.
  for (Value value : {lhs, rhs, step.result})
    if (plan.getStorage(value).layout.offset % 8 != 0)
      return std::nullopt;
  if (addmm && plan.getStorage(addmm.getInput()).layout.offset % 2 != 0)
    return std::nullopt;
  if (!supportsMatmul(spec))
    return std::nullopt;
  return spec;
}

/// A kernel that applies a function of single elements to a product and nothing
/// else, and writes rows that begin at multiples of 16 bytes.
static bool isPlainEpilogue(const KernelIR &ir, Value product) {
  std::optional<Epilogue> epilogue = matchEpilogue(ir, product);
  return epilogue && epilogue->loads.empty() && epilogue->ldd % 8 == 0;
}

void ProgramBuilder::findReaders() {
  otherReaders.insert(plan.results.begin(), plan.results.end());
  for (const FusionStep &step : plan.steps) {
    if (step.kind == FusionStep::Kind::Library)
      resultOfStep[step.id] = step.result;
    if (step.kind == FusionStep::Kind::Kernel) {
      stepOfKernel[step.kernel] = &step;
      llvm::SmallDenseSet<Value> seen;
      for (const KernelNode &node : plan.kernels[step.kernel]->nodes)
        if (node.kind == KernelNode::Kind::Load && seen.insert(node.value).second)
          kernelReaders[node.value].push_back(step.kernel);
      continue;
    }
    for (Value operand : step.op->getOperands())
      otherReaders.insert(operand);
  }
  // A view of a product's memory reads it too.
  for (const auto &[value, storage] : plan.storage)
    if (storage.kind == ValueStorage::Kind::Part && storage.base != value)
      otherReaders.insert(storage.base);
}

/// Many small products of one shape become one launch of ours, with the function
/// that follows each of them. Large products, and few, are the library's.
void ProgramBuilder::groupProducts() {
  constexpr size_t fewest = 4;
  constexpr int64_t largest = int64_t(512) * 512 * 512;
  std::map<std::string, std::vector<const FusionStep *>> candidates;
  SmallVector<std::string> order;
  for (const FusionStep &step : plan.steps) {
    if (step.kind != FusionStep::Kind::Library)
      continue;
    std::optional<MatmulSpec> spec = describeProduct(step);
    if (!spec || spec->m * spec->n * spec->k > largest)
      continue;
    std::string key;
    llvm::raw_string_ostream os(key);
    os << step.level << ' ' << spec->element << ' ' << spec->m << ' ' << spec->n << ' ' << spec->k << ' ' << spec->lda
       << ' ' << spec->ldb << ' ' << spec->ldd << ' ' << spec->transposedB << spec->hasBias;
    ArrayRef<unsigned> readers = kernelReaders[step.result];
    bool fuses =
        readers.size() == 1 && !otherReaders.contains(step.result) && isPlainEpilogue(*bodies[readers[0]], step.result);
    if (fuses)
      os << " kernel " << groupOf[stepOfKernel[readers[0]]->id];
    auto [it, inserted] = candidates.try_emplace(key);
    if (inserted)
      order.push_back(key);
    it->second.push_back(&step);
  }
  for (const std::string &key : order) {
    ArrayRef<const FusionStep *> members = candidates[key];
    if (members.size() < fewest)
      continue;
    size_t position = key.find(" kernel ");
    int kernelGroup = position == std::string::npos ? -1 : std::stoi(key.substr(position + 8));
    bool fuses = kernelGroup >= 0;
    if (fuses) // All kernels of the group, and nothing else.
      fuses = static_cast<size_t>(llvm::count(groupOf, kernelGroup)) == members.size();
    // Each operand and the result may need a table.
    size_t tables = describeProduct(*members[0])->hasBias ? 4 : 3;
    for (ArrayRef<const FusionStep *> rest = members; !rest.empty();) {
      ArrayRef<const FusionStep *> batch = rest.take_front(maxParameterBytes / (8 * tables));
      // The first batch keeps the number of the kernels' group.
      int group = fuses && rest.size() == members.size() ? kernelGroup : numGroups++;
      for (const FusionStep *step : batch) {
        productsOf[group].push_back(*step);
        if (!fuses) {
          groupOf[step->id] = group;
          continue;
        }
        unsigned kernel = kernelReaders[step->result][0];
        groupOf[stepOfKernel[kernel]->id] = group;
        productOfKernel[kernel] = step->id;
        absorbedSteps.insert(step->id);
      }
      rest = rest.drop_front(batch.size());
    }
  }
}

/// Measured (docs/Performance.md): where leading dimensions are no multiples of 16 bytes, the
/// libraries are several times slower; and a further operand or a function that the library
/// does not have costs it one more kernel. Products of few tiles are the library's, which
/// splits them along K.
bool ProgramBuilder::isWorthwhile(const OwnProduct &own, const FusionStep &step) const {
  const WgmmaProduct &product = own.product;
  constexpr int64_t fewestTiles = 66, tileM = 128, tileN = 256;
  if (llvm::divideCeil(product.spec.m, tileM) * llvm::divideCeil(product.spec.n, tileN) * product.spec.batch <
      fewestTiles)
    return false;
  const StridedLayout &layout = plan.getStorage(step.result).layout;
  bool isRagged =
      product.a.pack || product.b.pack || layout.offset % 8 != 0 || layout.strides[layout.strides.size() - 2] % 8 != 0;
  return isRagged || own.kernel || (product.addend && product.addendLayout.ld != 0);
}

/// Products for kernels on warpgroup instructions, each with the function that follows it.
void ProgramBuilder::chooseOwnProducts() {
  for (const FusionStep &step : plan.steps) {
    if (step.kind != FusionStep::Kind::Library || absorbedSteps.contains(step.id) || groupOf[step.id] >= 0)
      continue;
    std::optional<WgmmaProduct> product = describeWgmma(step, plan);
    if (!product)
      continue;
    OwnProduct own{std::move(*product), std::nullopt, std::nullopt};
    ArrayRef<unsigned> readers = kernelReaders[step.result];
    if (readers.size() == 1 && !otherReaders.contains(step.result) && own.product.spec.batch == 1 &&
        getShape(step.result).size() == 2 && !productOfKernel.count(readers[0])) {
      own.epilogue = matchEpilogue(*bodies[readers[0]], step.result);
      if (own.epilogue)
        own.kernel = readers[0];
    }
    if (options.libraries != Libraries::None && options.products != OwnProducts::All && !isWorthwhile(own, step))
      continue;
    if (own.kernel) {
      groupOf[stepOfKernel[*own.kernel]->id] = numGroups;
      productsOf[numGroups++].push_back(step);
      productOfKernel[*own.kernel] = step.id;
      absorbedSteps.insert(step.id);
    }
    ownProducts.emplace(step.id, std::move(own));
  }
}

/// One launch for a product, after one for the copies of operands that need it.
LogicalResult ProgramBuilder::emitOwnProduct(const FusionStep &step, unsigned number) {
  OwnProduct &own = ownProducts.find(step.id)->second;
  WgmmaProduct &product = own.product;
  WgmmaSpec &spec = product.spec;
  const KernelIR *body = own.kernel ? &*bodies[*own.kernel] : nullptr;
  int64_t bytes = getMemoryBytes(spec.element);
  SmallVector<Operation *> ops = {step.op};
  if (step.epilogue)
    ops.push_back(step.epilogue);
  if (body)
    llvm::append_range(ops, plan.kernels[*own.kernel]->ops);
  spec.name = nameKernel(number, ops);

  // The result.
  std::pair<Value, int64_t> result = {step.result, 0};
  if (body) {
    const KernelArray &array = body->arrays[body->stores[0].array];
    result = {array.value, array.offset};
    spec.d.ld = own.epilogue->ldd;
  } else {
    const StridedLayout &layout = plan.getStorage(step.result).layout;
    spec.d.ld = layout.strides[layout.strides.size() - 2];
    spec.d.stride = spec.batch == 1 ? 0 : layout.strides.front();
  }
  if (spec.m == 1)
    spec.d.ld = llvm::alignTo(spec.n, 8);
  auto getAlign = [&](Value value, int64_t extraBytes) {
    return llvm::MinAlign(getPlace(value).align, static_cast<uint64_t>(extraBytes));
  };
  spec.isResultAligned = getAlign(result.first, result.second * bytes) >= 16;

  // What the epilogue reads.
  SmallVector<KernelArgument> addends;
  auto addAddend = [&](Value value, int64_t offset, WgmmaSpec::Addend addend) {
    int64_t size = getMemoryBytes(addend.element);
    addend.align = llvm::MinAlign(getAlign(value, offset * size), llvm::MinAlign(addend.ld, addend.stride) * size);
    spec.addends.push_back(addend);
    addends.push_back({{{value, offset * size}}});
  };
  if (product.addend)
    addAddend(product.addend, 0, product.addendLayout);
  if (body)
    for (const EpilogueLoad &load : own.epilogue->loads) {
      const KernelArray &array = body->arrays[load.array];
      WgmmaSpec::Addend addend;
      addend.element = array.elementType;
      addend.ld = load.ld;
      addAddend(array.value, array.offset + load.offset, addend);
    }
  Operation *problem = nullptr;
  auto applyEpilogue = [&](OpBuilder &at, Value value, ArrayRef<Value> loaded) -> Value {
    ScalarMath math(at, spec.loc, /*isApproximate=*/true);
    if (product.alpha != 1)
      value = math.mul(value, math.constant(value.getType(), product.alpha));
    if (product.addend) {
      Value addend = loaded.front();
      if (product.beta != 1)
        addend = math.mul(addend, math.constant(addend.getType(), product.beta));
      value = math.add(value, addend);
      loaded = loaded.drop_front();
    }
    Value applied = value;
    if (step.epilogue && !(applied = math.pointwise(step.epilogue, value, builder.getF32Type(), false)))
      problem = step.epilogue;
    else if (body) {
      DenseMap<unsigned, Value> loads;
      for (auto [load, other] : llvm::zip_equal(own.epilogue->loads, loaded))
        loads[load.prim] = other;
      applied = evaluateEpilogue(math, *body, applied, loads, problem);
    }
    return applied ? applied : value;
  };
  function_ref<Value(OpBuilder &, Value, ArrayRef<Value>)> epilogue = applyEpilogue;
  if (body || step.epilogue || product.addend || product.alpha != 1)
    spec.epilogue = epilogue;
  spec.config = chooseWgmmaConfig(spec.m, spec.n, spec.batch, static_cast<bool>(spec.epilogue));
  if (!options.productConfig.empty())
    if (std::optional<std::string> problem = spec.config.update(options.productConfig))
      return step.op->emitOpError("product-config: ") << *problem;
  if (body)
    spec.loc = mlir::FusedLoc::get(function.getContext(), {spec.loc, body->loc});

  // Copies.
  PackSpec pack(spec.loc);
  pack.name = spec.name + "_pack";
  SmallVector<KernelArgument> copies;
  auto getOperand = [&](const WgmmaProduct::Operand &operand, uint64_t packed) {
    if (!operand.pack)
      return KernelArgument{{{operand.value, 0}}};
    copies.push_back({{{operand.value, -operand.pack->first * bytes}}});
    copies.push_back({{{Value(), static_cast<int64_t>(packed)}}});
    pack.matrices.push_back(*operand.pack);
    return KernelArgument{{{Value(), static_cast<int64_t>(packed)}}};
  };
  SmallVector<KernelArgument> arguments = {getOperand(product.a, own.packedA),
                                           getOperand(product.b, own.packedB),
                                           {{{result.first, result.second * bytes}}}};
  // Layers that are alike share their kernels.
  builder.setInsertionPointToEnd(kernels.getBody());
  if (!pack.matrices.empty()) {
    std::string key;
    llvm::raw_string_ostream os(key);
    pack.print(os);
    auto [known, isNew] = packKernels.try_emplace(key, pack.name, LaunchShape());
    if (isNew)
      known->second.second = emitPack(builder, pack);
    addLaunch(known->second.first, known->second.second, copies, spec.loc);
  }
  std::string key;
  llvm::raw_string_ostream os(key);
  spec.print(os);
  os << " alpha " << product.alpha << " beta " << product.beta << (product.addend ? " addend " : " ");
  if (step.epilogue)
    os << step.epilogue->getName() << step.epilogue->getAttrDictionary() << ' ';
  if (body) {
    os << getSignature(*body);
    for (const EpilogueLoad &load : own.epilogue->loads)
      os << ' ' << load.prim;
  }
  auto [known, isNew] = productKernels.try_emplace(key, spec.name, WgmmaKernel());
  if (isNew)
    known->second.second = emitWgmma(builder, spec);
  if (problem)
    return problem->emitOpError("has no GPU form");
  const auto &[name, kernel] = known->second;
  arguments[0].map = kernel.a;
  arguments[1].map = kernel.b;
  arguments[2].map = kernel.d;
  for (KernelArgument &argument : arguments)
    argument.mapElement = spec.element;
  llvm::append_range(arguments, addends);
  addLaunch(name, kernel.launch, arguments, spec.loc);
  return success();
}

/// The one kernel that the given kernels of the plan are.
KernelIR ProgramBuilder::buildPart(ArrayRef<unsigned> members) {
  // Memory is known by now.
  auto finish = [&](KernelIR &ir) {
    for (KernelArray &array : ir.arrays) {
      uint64_t bytes = getMemoryBytes(array.elementType), offset = array.offset * bytes;
      array.align = getPlace(array.value).align;
      if (offset)
        array.align = std::min(array.align, offset & (~offset + 1));
    }
  };
  if (auto joined = joinedParts.find(partOf[members.front()]); joined != joinedParts.end()) {
    finish(joined->second);
    return joined->second;
  }
  SmallVector<const KernelIR *> instances;
  for (unsigned member : members) {
    finish(*bodies[member]);
    instances.push_back(&*bodies[member]);
  }
  auto getAddress = [&](Value value) { return this->getAddress(value); };
  sortByResult(instances, [&](const KernelIR *ir) {
    const KernelArray &array = ir->arrays[ir->stores[0].array];
    return std::make_pair(array.value, array.offset);
  });
  return instances.size() == 1 ? *instances[0] : batchKernels(instances, getAddress);
}

/// One launch for the given kernels of the plan, or as many as they need.
LogicalResult ProgramBuilder::emitKernels(ArrayRef<unsigned> members, unsigned number) {
  llvm::MapVector<int, SmallVector<unsigned>> membersOf;
  for (unsigned member : members)
    membersOf[partOf[member] < 0 ? -1 - static_cast<int>(member) : partOf[member]].push_back(member);
  std::vector<KernelIR> parts;
  SmallVector<std::string> names;
  for (const auto &[part, kernels] : membersOf) {
    parts.push_back(buildPart(kernels));
    SmallVector<Operation *> ops;
    bool joined = joinedParts.count(part);
    for (unsigned kernel : joined ? ArrayRef<unsigned>(kernels) : ArrayRef<unsigned>(kernels).take_front())
      ops.append(plan.kernels[kernel]->ops.begin(), plan.kernels[kernel]->ops.end());
    names.push_back(nameKernel(number, ops) +
                    (kernels.size() > 1 && !joined ? "_x" + std::to_string(kernels.size()) : ""));
    if (!parts.back().symbols.empty())
      parts.back().errorCode = numLaunches + 1;
  }
  for (size_t done = 0, count = 0; done < parts.size(); done += count) {
    ArrayRef<KernelIR> rest = ArrayRef<KernelIR>(parts).drop_front(done);
    std::string name = names[done] + (done ? "_" + std::to_string(done) : "");
    if (rest.size() > 1)
      name += "_and";
    builder.setInsertionPointToEnd(kernels.getBody());
    FailureOr<LaunchShape> launch = fxgraph::gpu::emitKernels(builder, name, rest, options.processors, count);
    if (failed(launch))
      return failure();
    SmallVector<KernelArgument> arguments;
    for (const KernelIR &ir : rest.take_front(count)) {
      for (const KernelArray &array : ir.arrays) {
        int64_t bytes = getMemoryBytes(array.elementType);
        KernelArgument argument;
        argument.table = array.table;
        if (!array.table)
          argument.memory.push_back({array.value, array.offset * bytes});
        else
          for (const auto &[value, offset] : array.instances)
            argument.memory.push_back({value, offset * bytes});
        arguments.push_back(std::move(argument));
      }
      if (ir.errorCode)
        arguments.push_back({{{Value(), static_cast<int64_t>(*errorWord)}}});
    }
    addLaunch(name, *launch, arguments, rest.front().loc);
  }
  return success();
}

/// The launches of one fxgraph.kernel.
void ProgramBuilder::emitRegion(KernelOp op, unsigned &number) {
  const RegionKernel &region = *regions[op];
  for (const RegionKernel::Launch &launch : region.getLaunches()) {
    std::string name = "k" + std::to_string(number++) + "_" + op.getName().str();
    builder.setInsertionPointToEnd(kernels.getBody());
    LaunchShape shape = region.emit(builder, launch, name, static_cast<int>(numLaunches + 1));
    SmallVector<KernelArgument> arguments;
    for (Value memory : launch.memory)
      arguments.push_back({{{region.getOwner(memory), 0}}});
    if (launch.checks)
      arguments.push_back({{{Value(), static_cast<int64_t>(*errorWord)}}});
    addLaunch(name, shape, arguments, op.getLoc());
  }
}

/// One launch for products of one shape; `epilogues` are the kernels that follow
/// them, in the same order, or none.
LogicalResult ProgramBuilder::emitProducts(ArrayRef<const FusionStep *> unsortedProducts,
                                           ArrayRef<unsigned> unsortedEpilogues, unsigned number) {
  SmallVector<const FusionStep *> products;
  SmallVector<unsigned> epilogues;
  SmallVector<size_t> numbers = llvm::to_vector(llvm::seq<size_t>(0, unsortedProducts.size()));
  sortByResult(numbers, [&](size_t i) -> std::pair<Value, int64_t> {
    if (unsortedEpilogues.empty())
      return {unsortedProducts[i]->result, 0};
    const KernelIR &ir = *bodies[unsortedEpilogues[i]];
    const KernelArray &array = ir.arrays[ir.stores[0].array];
    return {array.value, array.offset};
  });
  for (size_t i : numbers) {
    products.push_back(unsortedProducts[i]);
    if (!unsortedEpilogues.empty())
      epilogues.push_back(unsortedEpilogues[i]);
  }
  MatmulSpec spec = *describeProduct(*products.front());
  spec.problems = products.size();
  auto resultOf = [&](size_t i) -> std::pair<Value, int64_t> {
    if (epilogues.empty())
      return {products[i]->result, 0};
    const KernelIR &ir = *bodies[epilogues[i]];
    const KernelArray &array = ir.arrays[ir.stores[0].array];
    return {array.value, array.offset};
  };
  // Stride or table of each operand.
  SmallVector<KernelArgument> arguments;
  auto addOperand = [&](MatmulSpec::Operand &operand, function_ref<std::pair<Value, int64_t>(size_t)> get) {
    int64_t bytes = getMemoryBytes(spec.element);
    SmallVector<std::pair<uint64_t, int64_t>> addresses;
    for (size_t i = 0; i < products.size(); ++i) {
      auto [value, offset] = get(i);
      auto [space, start] = getAddress(value);
      addresses.push_back({space, start + offset * bytes});
    }
    int64_t step = products.size() > 1 ? addresses[1].second - addresses[0].second : 0;
    bool regular = step >= 0 && step % 16 == 0;
    for (size_t i = 1; i < addresses.size(); ++i)
      regular &= addresses[i].first == addresses[0].first && addresses[i].second - addresses[i - 1].second == step;
    auto [first, firstOffset] = get(0);
    if (regular) {
      operand.stride = step / bytes;
      arguments.push_back({{{first, firstOffset * bytes}}});
      return;
    }
    operand.table = true;
    KernelArgument argument;
    argument.table = true;
    for (size_t i = 0; i < products.size(); ++i) {
      auto [value, offset] = get(i);
      argument.memory.push_back({value, offset * bytes});
    }
    arguments.push_back(std::move(argument));
  };
  bool addmm = spec.hasBias;
  addOperand(spec.a, [&](size_t i) { return std::make_pair(products[i]->op->getOperand(addmm ? 1 : 0), int64_t(0)); });
  addOperand(spec.b, [&](size_t i) { return std::make_pair(products[i]->op->getOperand(addmm ? 2 : 1), int64_t(0)); });
  if (addmm)
    addOperand(spec.bias, [&](size_t i) { return std::make_pair(products[i]->op->getOperand(0), int64_t(0)); });
  addOperand(spec.d, resultOf);

  const KernelIR *ir = epilogues.empty() ? nullptr : &*bodies[epilogues.front()];
  if (ir)
    spec.ldd = matchEpilogue(*ir, products.front()->result)->ldd;
  Operation *problem = nullptr;
  auto applyEpilogue = [&](OpBuilder &at, Value value) -> Value {
    ScalarMath math(at, spec.loc);
    Value result = evaluateEpilogue(math, *ir, value, DenseMap<unsigned, Value>(), problem);
    return result ? result : value;
  };
  function_ref<Value(OpBuilder &, Value)> epilogue = applyEpilogue;
  if (ir)
    spec.epilogue = epilogue;
  SmallVector<Operation *> ops = {products.front()->op};
  if (ir)
    llvm::append_range(ops, plan.kernels[epilogues.front()]->ops);
  spec.name = nameKernel(number, ops) + "_x" + std::to_string(products.size());
  SmallVector<Location> locations;
  for (const FusionStep *product : products)
    locations.push_back(product->op->getLoc());
  spec.loc = mlir::FusedLoc::get(function.getContext(), locations);
  builder.setInsertionPointToEnd(kernels.getBody());
  LaunchShape launch = emitMatmul(builder, spec);
  if (problem)
    return problem->emitOpError("has no GPU form");
  addLaunch(spec.name, launch, arguments, spec.loc);
  return success();
}

LogicalResult ProgramBuilder::emitSteps() {
  program.module = mlir::ModuleOp::create(function.getLoc());
  builder.setInsertionPointToStart(program.module->getBody());
  bool attention = llvm::any_of(
      plan.steps, [](const FusionStep &step) { return isa_and_present<ScaledDotProductAttentionOp>(step.op); });
  if (!plan.kernels.empty() || !productsOf.empty() || !ownProducts.empty() || !regions.empty() || attention)
    kernels = mlir::gpu::GPUModuleOp::create(builder, function.getLoc(), "kernels");
  program.module->getOperation()->setAttr(mlir::gpu::GPUDialect::getContainerModuleAttrName(), builder.getUnitAttr());
  createHost();
  unsigned number = 0;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const FusionStep &step = plan.steps[i];
    switch (step.kind) {
    case FusionStep::Kind::Library: {
      if (absorbedSteps.contains(step.id))
        break;
      if (auto attention = dyn_cast<ScaledDotProductAttentionOp>(step.op)) {
        if (failed(writeAttention(attention, number++)))
          return failure();
        break;
      }
      if (ownProducts.count(step.id)) {
        if (failed(emitOwnProduct(step, number++)))
          return failure();
        break;
      }
      int group = groupOf[step.id];
      if (group < 0) {
        if (failed(writeLibraryStep(step)))
          return failure();
        break;
      }
      SmallVector<const FusionStep *> members = {&step};
      while (i + 1 < plan.steps.size() && groupOf[plan.steps[i + 1].id] == group)
        members.push_back(&plan.steps[++i]);
      if (failed(emitProducts(members, {}, number++)))
        return failure();
      break;
    }
    case FusionStep::Kind::Region:
      emitRegion(cast<KernelOp>(step.op), number);
      break;
    case FusionStep::Kind::Write:
      break; // Last of all.
    case FusionStep::Kind::Kernel: {
      SmallVector<unsigned> members = {step.kernel};
      int group = groupOf[step.id];
      while (group >= 0 && i + 1 < plan.steps.size() && groupOf[plan.steps[i + 1].id] == group)
        members.push_back(plan.steps[++i].kernel);
      if (auto products = productsOf.find(group); group >= 0 && products != productsOf.end()) {
        SmallVector<const FusionStep *> ordered;
        for (unsigned kernel : members)
          for (const FusionStep &product : products->second)
            if (product.id == productOfKernel[kernel])
              ordered.push_back(&product);
        if (ownProducts.count(ordered.front()->id)) {
          if (failed(emitOwnProduct(*ordered.front(), number++)))
            return failure();
          break;
        }
        if (failed(emitProducts(ordered, members, number++)))
          return failure();
        break;
      }
      if (failed(emitKernels(members, number++)))
        return failure();
      break;
    }
    }
  }
  // Results that are arguments or appear twice, then writes to arguments.
  for (auto [i, value] : llvm::enumerate(plan.results)) {
    if (!plan.resultIsCopy[i] || getBytes(value) == 0)
      continue;
    Type bytes = mlir::MemRefType::get({static_cast<int64_t>(getBytes(value))}, builder.getI8Type());
    Value to = BufferOp::create(hostBuilder, value.getLoc(), bytes, host.getArgument(function.getNumArguments() + i),
                                /*offset=*/0);
    addCopy(refer(value, bytes), to, value.getLoc());
  }
  for (const FusionStep &step : plan.steps) {
    if (step.kind != FusionStep::Kind::Write)
      continue;
    auto write = cast<CopyUnderscoreOp>(step.op);
    if (getBytes(write.getDst()) == 0)
      continue;
    Type bytes = mlir::MemRefType::get({static_cast<int64_t>(getBytes(write.getDst()))}, builder.getI8Type());
    addCopy(refer(write.getSrc(), bytes), refer(write.getDst(), bytes), write.getLoc());
  }
  mlir::func::ReturnOp::create(hostBuilder, function.getLoc());
  return success();
}

LogicalResult ProgramBuilder::writeLibraryStep(const FusionStep &step) {
  if (getConvolution(step.op)) {
    writeConvolution(step);
    return success();
  }
  return writeMatmul(step);
}

LogicalResult ProgramBuilder::writeMatmul(const FusionStep &step) {
  Operation *op = step.op;
  bool plain = isa<MmOp, BmmOp>(op);
  Value lhs = op->getOperand(plain ? 0 : 1), rhs = op->getOperand(plain ? 1 : 2);
  ArrayRef<int64_t> left = getShape(lhs), right = getShape(rhs), result = getShape(step.result);
  size_t rank = left.size();
  int64_t m = left[rank - 2], k = left[rank - 1], n = right[rank - 1], batch = rank == 3 ? left[0] : 1;
  mlir::NamedAttrList config;
  SmallVector<std::pair<StringRef, Value>> buffers;
  auto set = [&](const Twine &name, int64_t value) { config.set(name.str(), builder.getI64IntegerAttr(value)); };
  config.set("dtype", TypeAttr::get(getElementType(lhs)));
  set("m", m);
  set("n", n);
  set("k", k);
  if (batch != 1)
    set("batch", batch);
  auto addMatrix = [&](StringRef name, Value value, bool mayTranspose) {
    ArrayRef<int64_t> shape = getShape(value);
    ValueStorage storage = plan.resolve(value);
    int64_t rows = shape[rank - 2], columns = shape[rank - 1];
    int64_t rowStride = storage.layout.strides[rank - 2], columnStride = storage.layout.strides[rank - 1];
    bool rowMajor = (columns == 1 || columnStride == 1) && (rows == 1 || rowStride >= columns);
    int64_t ld;
    if (rowMajor || !mayTranspose) {
      ld = rows == 1 ? std::max<int64_t>(columns, 1) : rowStride;
    } else {
      config.set(("trans_" + name).str(), builder.getBoolAttr(true));
      ld = columns == 1 ? rows : columnStride;
    }
    set("ld" + name, ld);
    if (batch != 1)
      set("stride_" + name, storage.layout.strides[0]);
    buffers.push_back({name, refer(value)});
  };
  addMatrix("a", lhs, true);
  addMatrix("b", rhs, true);
  addMatrix("d", step.result, false);
  double alpha = plain ? 1 : op->getAttrOfType<FloatAttr>("alpha").getValueAsDouble();
  double beta = plain ? 0 : op->getAttrOfType<FloatAttr>("beta").getValueAsDouble();
  if (alpha != 1)
    config.set("alpha", builder.getF64FloatAttr(alpha));
  std::string epilogue;
  if (step.epilogue)
    epilogue = isa<ReluOp>(step.epilogue) ? "relu" : "gelu_tanh";
  if (beta != 0) {
    Value addend = op->getOperand(0);
    ArrayRef<int64_t> shape = getShape(addend);
    if (shape == result) {
      config.set("beta", builder.getF64FloatAttr(beta));
      set("ldc", n);
      if (batch != 1)
        set("stride_c", m * n);
      buffers.push_back({"c", refer(addend)});
    } else {
      epilogue += epilogue.empty() ? "bias" : "_bias";
      buffers.push_back({"bias", refer(addend)});
      if (batch != 1 && shape.size() == 3 && shape[0] == batch)
        set("stride_bias", n);
    }
  }
  if (!epilogue.empty())
    config.set("epilogue", builder.getStringAttr(epilogue));
  addLibraryCall("matmul", buffers, config, op->getLoc());
  return success();
}

AttentionSpec ProgramBuilder::describeAttention(ScaledDotProductAttentionOp op) const {
  AttentionSpec spec(op.getLoc());
  ArrayRef<int64_t> query = getShape(op.getQuery()), value = getShape(op.getValue()), result = getShape(op.getResult());
  spec.element = getElementType(op.getResult());
  spec.leading.assign(result.begin(), result.end() - 2);
  spec.queries = query[query.size() - 2];
  spec.keys = value[value.size() - 2];
  spec.width = query.back();
  spec.valueWidth = value.back();
  spec.causal = op.getIsCausal();
  if (spec.causal) // Nobody sees the others.
    spec.keys = std::min(spec.keys, spec.queries);
  spec.processors = options.processors;
  spec.hasWarpgroups = options.chip == "sm_90a";
  spec.tiling = op->getAttrOfType<mlir::DictionaryAttr>(kAttentionTilingAttr);
  spec.scale = op.getScale() ? op.getScale()->convertToDouble() : 1 / std::sqrt(static_cast<double>(spec.width));
  auto open = [&](Value value, AttentionSpec::Operand &operand) {
    // A dimension that broadcasts, or is not there, has a stride of 0.
    ArrayRef<int64_t> strides = plan.getStorage(value).layout.strides, shape = getShape(value);
    auto stride = [&](size_t fromEnd) {
      size_t rank = shape.size();
      return fromEnd >= rank || shape[rank - 1 - fromEnd] == 1 ? 0 : strides[rank - 1 - fromEnd];
    };
    operand.column = stride(0);
    operand.row = stride(1);
    for (size_t i = spec.leading.size(); i-- > 0;)
      operand.leading.push_back(stride(i + 2));
  };
  open(op.getQuery(), spec.q);
  open(op.getKey(), spec.k);
  open(op.getValue(), spec.v);
  if (Value mask = op.getAttnMask()) {
    spec.maskElement = getElementType(mask);
    open(mask, spec.mask);
    spec.maskOffset = plan.getStorage(mask).layout.offset;
  }
  open(op.getResult(), spec.out);
  foldProblems(spec);
  return spec;
}

LogicalResult ProgramBuilder::writeAttention(ScaledDotProductAttentionOp op, unsigned number) {
  AttentionSpec spec = describeAttention(op);
  spec.name = nameKernel(number, {op.getOperation()});
  FailureOr<AttentionTiling> chosen = chooseAttentionTiling(spec);
  if (failed(chosen))
    return failure();
  const AttentionTiling &tiling = *chosen;
  KernelArgument result{{{op.getResult(), 0}}}, scratch{{{Value(), static_cast<int64_t>(scratchOffset)}}};
  SmallVector<KernelArgument> arguments;
  for (Value operand : op->getOperands())
    arguments.push_back({{{operand, 0}}});
  arguments.push_back(tiling.splits > 1 ? scratch : result);
  builder.setInsertionPointToEnd(kernels.getBody());
  LaunchShape launch = emitAttention(builder, spec, tiling);
  addLaunch(spec.name, launch, arguments, spec.loc);
  if (tiling.splits == 1)
    return success();
  std::string join = spec.name + "_join";
  builder.setInsertionPointToEnd(kernels.getBody());
  launch = emitAttentionJoin(builder, spec, tiling, join);
  addLaunch(join, launch, {scratch, result}, spec.loc);
  return success();
}

void ProgramBuilder::writeConvolution(const FusionStep &step) {
  ConvolutionInfo conv = *getConvolution(step.op);
  mlir::NamedAttrList config;
  auto set = [&](StringRef name, ArrayRef<int64_t> values) { config.set(name, builder.getDenseI64ArrayAttr(values)); };
  config.set("dtype", TypeAttr::get(getElementType(step.result)));
  config.set("layout", builder.getStringAttr("nchw"));
  set("input_shape", getShape(conv.input));
  set("filter_shape", getShape(conv.weight));
  set("stride", conv.stride);
  set("padding", conv.padding);
  set("dilation", conv.dilation);
  config.set("groups", builder.getI64IntegerAttr(conv.groups));
  addLibraryCall("conv", {{"input", refer(conv.input)}, {"filter", refer(conv.weight)}, {"output", refer(step.result)}},
                 config, step.op->getLoc());
}

void ProgramBuilder::addLibraryCall(StringRef callee, ArrayRef<std::pair<StringRef, Value>> buffers,
                                    const mlir::NamedAttrList &config, Location loc) {
  SmallVector<Value> values;
  SmallVector<StringRef> names;
  for (auto [name, value] : buffers) {
    names.push_back(name);
    values.push_back(value);
  }
  LibraryCallOp::create(hostBuilder, loc, callee, values, builder.getStrArrayAttr(names),
                        config.getDictionary(builder.getContext()));
  ++numLaunches;
}

FailureOr<GPUProgram> ProgramBuilder::run() {
  fusion = getPlanOptions(options.libraries);
  fusion.tensorCoreProducts = hasWarpgroupProducts();
  FailureOr<FusionPlan> planned = planFusion(function, fusion);
  if (failed(planned))
    return failure();
  plan = std::move(*planned);
  findResults();
  if (failed(collectConstants()))
    return failure();
  if (failed(buildKernels()))
    return failure();
  groupKernels();
  findReaders();
  groupProducts();
  if (hasWarpgroupProducts())
    chooseOwnProducts();
  joinSiblings();
  groupSmallKernels();
  plan.order(groupOf);
  if (failed(planMemory()) || failed(emitSteps()))
    return failure();
  program.host = host;
  return std::move(program);
}

FailureOr<GPUProgram> fxgraph::gpu::emitGPUProgram(mlir::func::FuncOp function, const GPUOptions &options) {
  if (!isKnownChip(options.chip))
    return emitError(function.getLoc()) << "expected a chip of " << getKnownChips() << " but got '" << options.chip
                                        << "'";
  if (function.isExternal())
    return emitError(function.getLoc()) << "expected a function with a body";
  // The rewrites work on a copy, in a module of its own.
  mlir::OwningOpRef<mlir::ModuleOp> scratch = mlir::ModuleOp::create(function.getLoc());
  OpBuilder builder(function.getContext());
  builder.setInsertionPointToStart(scratch->getBody());
  auto copy = cast<mlir::func::FuncOp>(builder.clone(*function));
  if (failed(prepareForGPU(copy)) || failed(formKernels(copy, options.libraries)))
    return failure();
  return ProgramBuilder(copy, options).run();
}
