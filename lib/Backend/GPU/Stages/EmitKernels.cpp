// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of a host function as kernels in a gpu.module and gpu.launch_func, and
// products of libraries as their calls. Linear in the steps, but for instances, which are
// sorted by the addresses of what they write, so that distances are regular where memory is.

#include "Emit/EmitJoinedRows.h"
#include "Emit/EmitKernel.h"
#include "Emit/EmitRegion.h"
#include "Kernel/HostFunction.h"
#include "Kernel/HostMemory.h"
#include "Kernel/NestIR.h"
#include "Stages/ConfigureKernels.h"
#include "Stages/Products.h"
#include "Stages/Stages.h"
#include "fxgraph/Analysis/CallGraph.h"
#include "fxgraph/Analysis/FusionOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/SymbolTable.h"
#include <map>

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace memref = mlir::memref;

namespace {

/// What a kernel is handed for one parameter: an address, a table of them, or a tensor map.
struct KernelArgument {
  SmallVector<std::pair<Value, int64_t>, 1> memory; ///< value and bytes from its start
  bool table = false;
  std::optional<TensorMap> map = std::nullopt;
  Type mapElement{}; ///< of the map
};

class ProgramEmitter {
public:
  explicit ProgramEmitter(mlir::func::FuncOp host) : host(host) {}
  LogicalResult run();

private:
  LogicalResult emitSteps(Block &steps);
  LogicalResult emit(Operation *step);
  /// `rowsOfBlock`: where they are pieces of rows, a block has so many of those (JoinedRows.h); 0: each by itself.
  LogicalResult emitNests(ArrayRef<LoopNestOp> nests, int64_t rowsOfBlock = 0);
  LogicalResult emitLaunch(LaunchOp launch);
  LogicalResult emitProduct(MatrixProductOp product, LoopNestOp epilogue);
  LogicalResult emitProducts(ArrayRef<std::pair<MatrixProductOp, LoopNestOp>> products);
  LogicalResult callLibrary(MatrixProductOp product);
  LogicalResult emitPack(PackOp pack);
  LogicalResult emitAttention(AttentionOp attention);
  LogicalResult emitRegion(KernelOp kernel);
  void readdress(Operation *op);

  Value refer(Value memory, Type type, int64_t bytes = 0);
  KernelArgument getErrorWord();
  void addLaunch(StringRef name, LaunchShape shape, ArrayRef<KernelArgument> arguments, Location loc);

  mlir::func::FuncOp host;
  int64_t processors = 0;
  mlir::gpu::GPUModuleOp kernels;
  OpBuilder builder{host.getContext()};     ///< of kernels
  OpBuilder hostBuilder{host.getContext()}; ///< in front of the step
  /// Emitted kernels and their names, by all that they do.
  std::map<std::string, std::pair<std::string, WgmmaKernel>> productKernels;
  std::map<std::string, std::pair<std::string, LaunchShape>> packKernels;
  unsigned number = 0, numLaunches = 0;
};

} // namespace

/// A symbol for a kernel: its number and what it computes.
static std::string nameKernel(unsigned number, ArrayRef<StringRef> computes) {
  std::string name = "k" + std::to_string(number);
  StringRef previous;
  for (StringRef part : computes) {
    if (part == previous)
      continue;
    previous = part;
    if (name.size() + part.size() > 48)
      break;
    name += "_" + part.str();
  }
  return name;
}

static void appendNames(SmallVectorImpl<StringRef> &names, mlir::ArrayAttr computes) {
  llvm::append_range(names, computes.getAsValueRange<StringAttr>());
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Value ProgramEmitter::refer(Value memory, Type type, int64_t bytes) {
  MemoryPlace place = resolveMemory(memory);
  return BufferOp::create(hostBuilder, memory.getLoc(), type, place.root, place.bytes + bytes);
}

KernelArgument ProgramEmitter::getErrorWord() {
  auto word = host->getAttrOfType<IntegerAttr>(kHostErrorWordAttr);
  return {{{host.getArguments().back(), word.getInt()}}};
}

void ProgramEmitter::addLaunch(StringRef name, LaunchShape shape, ArrayRef<KernelArgument> arguments, Location loc) {
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
      addresses.push_back(refer(value, mlir::MemRefType::get({}, getMemoryType(getMemoryElement(value))), offset));
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

//===----------------------------------------------------------------------===//
// Loop nests
//===----------------------------------------------------------------------===//

/// Whether these write parts of one result that lie between each other, and more than stays in a cache until the last of them
/// has written its part of a sector.
static bool writeBetween(ArrayRef<KernelIR> kernels) {
  constexpr int64_t cachedBytes = int64_t(16) << 20;
  Value root;
  int64_t bytes = 0;
  for (const KernelIR &kernel : kernels)
    for (const KernelStore &store : kernel.stores) {
      const KernelArray &array = kernel.arrays[store.array];
      if (array.table)
        return false;
      Value own = resolveMemory(array.value).root;
      if (root && own != root)
        return false;
      root = own;
      bytes += kernel.getOuterSize() * getMemoryBytes(array.elementType);
    }
  return kernels.size() > 1 && bytes > cachedBytes;
}

/// One launch for nests that do not depend on each other.
LogicalResult ProgramEmitter::emitNests(ArrayRef<LoopNestOp> nests, int64_t rowsOfBlock) {
  unsigned id = number++;
  std::vector<KernelIR> parts;
  std::vector<KernelSchedule> schedules;
  std::string name;
  for (LoopNestOp nest : nests) {
    if (!nest.getLoweringConfig())
      return nest.emitOpError("expected lowering_config, which --fxgraph-configure-kernels chooses");
    FailureOr<KernelIR> part = readInstances(nest);
    if (failed(part))
      return failure();
    FailureOr<KernelSchedule> schedule = configureSchedule(nest, *part, processors);
    if (failed(schedule))
      return failure();
    if (!schedules.empty() && schedule->block != schedules.front().block)
      return nest.emitOpError("expected blocks of ")
             << schedules.front().block << " threads, as those of the launch, but got " << schedule->block;
    if (nests.size() > 1 && !part->symbols.empty())
      return nest.emitOpError("expected no indices in a launch of several loop nests");
    parts.push_back(std::move(*part));
    schedules.push_back(std::move(*schedule));
    if (!parts.back().symbols.empty())
      parts.back().errorCode = numLaunches + 1;
    if (!name.empty())
      continue;
    SmallVector<StringRef> computes;
    appendNames(computes, nest.getComputes());
    name = nameKernel(id, computes) + (nest.getInstances() > 1 ? "_x" + std::to_string(nest.getInstances()) : "") +
           (nests.size() > 1 ? "_and" : "");
  }
  builder.setInsertionPointToEnd(kernels.getBody());
  auto emitParts = [&]() -> FailureOr<LaunchShape> {
    if (rowsOfBlock == 0)
      return gpu::emitKernels(builder, name, parts, schedules, writeBetween(parts));
    std::optional<JoinedRows> joined = matchJoinedRows(parts);
    std::optional<std::string> problem;
    if (!joined)
      problem = "expected loop nests that are the columns of one result, each once";
    else
      problem = checkRowsOfBlock(*joined, rowsOfBlock);
    if (problem)
      return nests.front()->getParentOp()->emitOpError() << kJoinedRowsAttr << ": " << *problem;
    return emitJoinedRows(builder, name, *joined, rowsOfBlock);
  };
  FailureOr<LaunchShape> launch = emitParts();
  if (failed(launch))
    return failure();
  SmallVector<KernelArgument> arguments;
  for (const KernelIR &ir : parts) {
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
      arguments.push_back(getErrorWord());
  }
  addLaunch(name, *launch, arguments, parts.front().loc);
  return success();
}

LogicalResult ProgramEmitter::emitRegion(KernelOp kernel) {
  std::string name = "k" + std::to_string(number++) + "_" + kernel.getName().str();
  builder.setInsertionPointToEnd(kernels.getBody());
  FailureOr<LaunchShape> shape = gpu::emitRegion(builder, kernel, name, static_cast<int>(numLaunches + 1));
  if (failed(shape))
    return failure();
  SmallVector<KernelArgument> arguments;
  for (Value memory : kernel.getInputs())
    arguments.push_back({{{memory, 0}}});
  if (checksIndices(kernel))
    arguments.push_back(getErrorWord());
  addLaunch(name, *shape, arguments, kernel.getLoc());
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

LogicalResult ProgramEmitter::emitPack(PackOp op) {
  PackSpec pack(op.getLoc());
  SmallVector<StringRef> computes;
  appendNames(computes, op.getComputes());
  pack.name = nameKernel(number, computes) + "_pack"; // The product's number.
  SmallVector<KernelArgument> copies;
  for (auto [source, target] : llvm::zip_equal(op.getSources(), op.getTargets())) {
    std::optional<PackSpec::Matrix> matrix = describePack(source);
    if (!matrix)
      return op.emitOpError("expected sources that tensor maps cannot describe but got ") << source.getType();
    int64_t bytes = getMemoryBytes(getMemoryElement(source));
    copies.push_back({{{source, -matrix->first * bytes}}});
    copies.push_back({{{target, 0}}});
    pack.matrices.push_back(*matrix);
  }
  std::string key;
  llvm::raw_string_ostream os(key);
  pack.print(os);
  builder.setInsertionPointToEnd(kernels.getBody());
  auto [known, isNew] = packKernels.try_emplace(key, pack.name, LaunchShape());
  if (isNew)
    known->second.second = gpu::emitPack(builder, pack);
  addLaunch(known->second.first, known->second.second, copies, op.getLoc());
  return success();
}

/// One launch for a product on warpgroup instructions.
LogicalResult ProgramEmitter::emitProduct(MatrixProductOp op, LoopNestOp epilogueNest) {
  std::optional<WgmmaProduct> described = describeWgmma(op);
  if (!described || described->a.pack || described->b.pack)
    return op.emitOpError("expected operands that tensor maps can describe");
  WgmmaProduct &product = *described;
  WgmmaSpec &spec = product.spec;
  std::optional<KernelIR> body;
  std::optional<Epilogue> fused;
  if (epilogueNest) {
    FailureOr<KernelIR> ir = readNest(epilogueNest);
    if (failed(ir))
      return failure();
    body.emplace(std::move(*ir));
    fused = matchEpilogue(*body, op.getResult());
    if (!fused)
      return epilogueNest.emitOpError("expected a function of single elements of the product");
  }
  SmallVector<StringRef> computes;
  appendNames(computes, op.getComputes());
  if (epilogueNest)
    appendNames(computes, epilogueNest.getComputes());
  spec.name = nameKernel(number++, computes);

  // The result.
  Value result = op.getResult();
  if (body) {
    result = getResult(epilogueNest);
    spec.d.ld = fused->result.ld;
    spec.d.stride = spec.batch == 1 ? 0 : fused->result.stride;
  } else {
    SmallVector<int64_t> strides = getMemoryStrides(result);
    spec.d.ld = strides[strides.size() - 2];
    spec.d.stride = spec.batch == 1 ? 0 : strides.front();
  }
  if (spec.m == 1)
    spec.d.ld = llvm::alignTo(spec.n, 8);
  spec.isResultAligned = getMemoryAlignment(result) >= 16;

  // What the epilogue reads.
  SmallVector<KernelArgument> addends;
  auto addAddend = [&](Value memory, int64_t offset, WgmmaSpec::Addend addend) {
    int64_t size = getMemoryBytes(addend.element);
    MemoryPlace place = resolveMemory(memory);
    place.bytes += offset * size;
    addend.align = llvm::MinAlign(getMemoryAlignment(place), llvm::MinAlign(addend.ld, addend.stride) * size);
    spec.addends.push_back(addend);
    addends.push_back({{{memory, offset * size}}});
  };
  if (product.addend)
    addAddend(product.addend, 0, product.addendLayout);
  if (body)
    for (const EpilogueLoad &load : fused->loads) {
      WgmmaSpec::Addend addend;
      addend.element = body->arrays[load.array].elementType;
      addend.ld = load.layout.ld;
      addend.stride = load.layout.stride;
      addend.isColumn = load.layout.column == 0;
      addAddend(epilogueNest.getMemory()[load.array], load.offset, addend);
    }
  Operation *problem = nullptr, *activation = op.getActivationOp();
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
    if (activation && !(applied = math.pointwise(activation, value)))
      problem = activation;
    else if (body) {
      DenseMap<unsigned, Value> loads;
      for (auto [load, other] : llvm::zip_equal(fused->loads, loaded))
        loads[load.prim] = other;
      applied = evaluateEpilogue(math, *body, applied, loads, problem);
    }
    return applied ? applied : value;
  };
  function_ref<Value(OpBuilder &, Value, ArrayRef<Value>)> epilogue = applyEpilogue;
  if (body || activation || product.addend || product.alpha != 1)
    spec.epilogue = epilogue;
  if (std::optional<std::string> wrong = spec.config.update(getWgmmaConfig(op)))
    return op.emitOpError("lowering_config: ") << *wrong;
  if (body)
    spec.loc = mlir::FusedLoc::get(host.getContext(), {spec.loc, body->loc});

  // Layers that are alike share their kernels.
  builder.setInsertionPointToEnd(kernels.getBody());
  std::string key;
  llvm::raw_string_ostream os(key);
  spec.print(os);
  os << " alpha " << product.alpha << " beta " << product.beta << (product.addend ? " addend " : " ");
  if (activation)
    os << activation->getName() << activation->getAttrDictionary() << ' ';
  if (body) {
    os << getSignature(*body);
    for (const EpilogueLoad &load : fused->loads)
      os << ' ' << load.prim;
  }
  auto [known, isNew] = productKernels.try_emplace(key, spec.name, WgmmaKernel());
  if (isNew)
    known->second.second = emitWgmma(builder, spec);
  if (problem)
    return problem->emitOpError("has no GPU form");
  const auto &[name, kernel] = known->second;
  SmallVector<KernelArgument> arguments = {{{{product.a.value, 0}}}, {{{product.b.value, 0}}}, {{{result, 0}}}};
  arguments[0].map = kernel.a;
  arguments[1].map = kernel.b;
  arguments[2].map = kernel.d;
  for (KernelArgument &argument : arguments)
    argument.mapElement = spec.element;
  llvm::append_range(arguments, addends);
  addLaunch(name, kernel.launch, arguments, spec.loc);
  return success();
}

/// One launch for products of one shape, each with the function that follows it, or none has one.
LogicalResult ProgramEmitter::emitProducts(ArrayRef<std::pair<MatrixProductOp, LoopNestOp>> unsorted) {
  SmallVector<std::pair<MatrixProductOp, LoopNestOp>> products(unsorted);
  auto resultOf = [](std::pair<MatrixProductOp, LoopNestOp> item) -> Value {
    return item.second ? getResult(item.second) : Value(item.first.getResult());
  };
  sortByResult(products, resultOf);
  auto [first, firstNest] = products.front();
  std::optional<MatmulSpec> described = describeMatmul(first);
  if (!described)
    return first.emitOpError("expected a product that mma.sync computes");
  MatmulSpec &spec = *described;
  spec.problems = products.size();
  // Stride or table of each operand.
  SmallVector<KernelArgument> arguments;
  auto addOperand = [&](MatmulSpec::Operand &operand, function_ref<Value(std::pair<MatrixProductOp, LoopNestOp>)> get) {
    int64_t bytes = getMemoryBytes(spec.element);
    SmallVector<std::pair<uint64_t, int64_t>> addresses;
    for (const auto &product : products)
      addresses.push_back(getMemoryAddress(get(product)));
    int64_t step = products.size() > 1 ? addresses[1].second - addresses[0].second : 0;
    bool regular = step >= 0 && step % 16 == 0;
    for (size_t i = 1; i < addresses.size(); ++i)
      regular &= addresses[i].first == addresses[0].first && addresses[i].second - addresses[i - 1].second == step;
    if (regular) {
      operand.stride = step / bytes;
      arguments.push_back({{{get(products.front()), 0}}});
      return;
    }
    operand.table = true;
    KernelArgument argument;
    argument.table = true;
    for (const auto &product : products)
      argument.memory.push_back({get(product), 0});
    arguments.push_back(std::move(argument));
  };
  using Item = std::pair<MatrixProductOp, LoopNestOp>;
  addOperand(spec.a, [](Item item) -> Value { return item.first.getLhs(); });
  addOperand(spec.b, [](Item item) -> Value { return item.first.getRhs(); });
  if (spec.hasBias)
    addOperand(spec.bias, [](Item item) -> Value { return item.first.getAddend(); });
  addOperand(spec.d, resultOf);

  std::optional<KernelIR> body;
  if (firstNest) {
    FailureOr<KernelIR> ir = readNest(firstNest);
    if (failed(ir))
      return failure();
    body.emplace(std::move(*ir));
    std::optional<Epilogue> fused = matchEpilogue(*body, first.getResult());
    if (!fused || !fused->loads.empty())
      return firstNest.emitOpError("expected a function of single elements of the product alone");
    spec.ldd = fused->result.ld;
  }
  Operation *problem = nullptr;
  auto applyEpilogue = [&](OpBuilder &at, Value value) -> Value {
    ScalarMath math(at, spec.loc);
    Value result = evaluateEpilogue(math, *body, value, DenseMap<unsigned, Value>(), problem);
    return result ? result : value;
  };
  function_ref<Value(OpBuilder &, Value)> epilogue = applyEpilogue;
  if (body)
    spec.epilogue = epilogue;
  SmallVector<StringRef> computes;
  appendNames(computes, first.getComputes());
  if (firstNest)
    appendNames(computes, firstNest.getComputes());
  spec.name = nameKernel(number++, computes) + "_x" + std::to_string(products.size());
  SmallVector<Location> locations;
  for (Item product : products)
    locations.push_back(product.first.getLoc());
  spec.loc = mlir::FusedLoc::get(host.getContext(), locations);
  builder.setInsertionPointToEnd(kernels.getBody());
  LaunchShape launch = emitMatmul(builder, spec);
  if (problem)
    return problem->emitOpError("has no GPU form");
  addLaunch(spec.name, launch, arguments, spec.loc);
  return success();
}

LogicalResult ProgramEmitter::callLibrary(MatrixProductOp op) {
  ArrayRef<int64_t> left = getMemoryShape(op.getLhs()), right = getMemoryShape(op.getRhs()),
                    result = getMemoryShape(op.getResult());
  size_t rank = left.size();
  int64_t m = left[rank - 2], k = left[rank - 1], n = right[rank - 1], batch = rank == 3 ? left[0] : 1;
  mlir::NamedAttrList config;
  SmallVector<Value> buffers;
  SmallVector<StringRef> names;
  auto set = [&](const Twine &name, int64_t value) { config.set(name.str(), builder.getI64IntegerAttr(value)); };
  auto addBuffer = [&](StringRef name, Value memory) {
    names.push_back(name);
    buffers.push_back(refer(memory, mlir::MemRefType::get({}, getMemoryType(getMemoryElement(memory)))));
  };
  config.set("dtype", TypeAttr::get(getMemoryElement(op.getLhs())));
  set("m", m);
  set("n", n);
  set("k", k);
  if (batch != 1)
    set("batch", batch);
  auto addMatrix = [&](StringRef name, Value memory, bool mayTranspose) {
    ArrayRef<int64_t> shape = getMemoryShape(memory);
    SmallVector<int64_t> strides = getMemoryStrides(memory);
    int64_t rows = shape[rank - 2], columns = shape[rank - 1];
    int64_t rowStride = strides[rank - 2], columnStride = strides[rank - 1];
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
      set("stride_" + name, strides[0]);
    addBuffer(name, memory);
  };
  addMatrix("a", op.getLhs(), true);
  addMatrix("b", op.getRhs(), true);
  addMatrix("d", op.getResult(), false);
  if (op.getAlpha().convertToDouble() != 1)
    config.set("alpha", builder.getF64FloatAttr(op.getAlpha().convertToDouble()));
  std::string epilogue;
  if (Operation *activation = op.getActivationOp())
    epilogue = getLibraryActivation(activation).str();
  if (Value addend = op.getAddend()) {
    ArrayRef<int64_t> shape = getMemoryShape(addend);
    if (shape == result) {
      config.set("beta", builder.getF64FloatAttr(op.getBeta().convertToDouble()));
      set("ldc", n);
      if (batch != 1)
        set("stride_c", m * n);
      addBuffer("c", addend);
    } else {
      epilogue += epilogue.empty() ? "bias" : "_bias";
      addBuffer("bias", addend);
      if (batch != 1 && shape.size() == 3 && shape[0] == batch)
        set("stride_bias", n);
    }
  }
  if (!epilogue.empty())
    config.set("epilogue", builder.getStringAttr(epilogue));
  LibraryCallOp::create(hostBuilder, op->getLoc(), "matmul", buffers, builder.getStrArrayAttr(names),
                        config.getDictionary(builder.getContext()));
  ++numLaunches;
  return success();
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

LogicalResult ProgramEmitter::emitAttention(AttentionOp op) {
  AttentionSpec spec = describeAttention(op, host->getAttrOfType<StringAttr>(kHostChipAttr).getValue(), processors);
  spec.name = nameKernel(number++, {"scaled_dot_product_attention"});
  FailureOr<AttentionTiling> chosen = chooseAttentionTiling(spec);
  if (failed(chosen))
    return failure();
  const AttentionTiling &tiling = *chosen;
  if (tiling.splits > 1 && !op.getScratch())
    return op.emitOpError("expected scratch memory for ") << tiling.splits << " splits";
  KernelArgument result{{{op.getResult(), 0}}}, scratch{{{op.getScratch(), 0}}};
  SmallVector<KernelArgument> arguments;
  for (Value operand : {op.getQuery(), op.getKey(), op.getValue(), op.getMask()})
    if (operand)
      arguments.push_back({{{operand, 0}}});
  arguments.push_back(tiling.splits > 1 ? scratch : result);
  builder.setInsertionPointToEnd(kernels.getBody());
  LaunchShape launch = gpu::emitAttention(builder, spec, tiling);
  addLaunch(spec.name, launch, arguments, spec.loc);
  if (tiling.splits == 1)
    return success();
  std::string join = spec.name + "_join";
  builder.setInsertionPointToEnd(kernels.getBody());
  launch = emitAttentionJoin(builder, spec, tiling, join);
  addLaunch(join, launch, {scratch, result}, spec.loc);
  return success();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

LogicalResult ProgramEmitter::emitLaunch(LaunchOp launch) {
  auto products = llvm::to_vector(launch.getBody().getOps<MatrixProductOp>());
  auto nests = llvm::to_vector(launch.getBody().getOps<LoopNestOp>());
  if (products.empty()) {
    Attribute rows = launch->getAttr(kJoinedRowsAttr);
    auto number = llvm::dyn_cast_or_null<IntegerAttr>(rows);
    if (rows && !number)
      return launch.emitOpError() << "expected " << kJoinedRowsAttr << " to be a number of rows but got " << rows;
    return emitNests(nests, number ? number.getInt() : 0);
  }
  if (!nests.empty() && nests.size() != products.size())
    return launch.emitOpError("expected a loop nest for each of the ")
           << products.size() << " products but got " << nests.size();
  SmallVector<std::pair<MatrixProductOp, LoopNestOp>> items;
  for (auto [i, product] : llvm::enumerate(products))
    items.push_back({product, nests.empty() ? LoopNestOp() : nests[i]});
  if (getEmitter(products.front()) == kWgmmaEmitter && items.size() == 1)
    return emitProduct(items[0].first, items[0].second);
  return emitProducts(items);
}

/// The memory of a step that stays, as places in what the host function is given; a copy says how much it copies,
/// a collective which numbers it works on.
void ProgramEmitter::readdress(Operation *op) {
  bool hasExtents = isa<memref::CopyOp>(op);
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<mlir::MemRefType>(operand.get().getType());
    if (!type)
      continue;
    Type element = isa<StartCollectiveOp>(op) ? type.getElementType() : getMemoryType(type.getElementType());
    operand.set(refer(operand.get(), hasExtents ? type : mlir::MemRefType::get({}, element)));
  }
  ++numLaunches;
}

LogicalResult ProgramEmitter::emit(Operation *step) {
  // What is named, and what is emitted already.
  if (isa<BufferOp, memref::GetGlobalOp, PointerTableOp, TensorMapOp, mlir::arith::ConstantOp, mlir::gpu::LaunchFuncOp,
          mlir::func::ReturnOp>(step))
    return success();
  auto emitStep = [&]() -> std::optional<LogicalResult> {
    if (auto nest = dyn_cast<LoopNestOp>(step))
      return emitNests(nest);
    if (auto launch = dyn_cast<LaunchOp>(step))
      return emitLaunch(launch);
    if (auto kernel = dyn_cast<KernelOp>(step))
      return emitRegion(kernel);
    if (auto pack = dyn_cast<PackOp>(step))
      return emitPack(pack);
    if (auto attention = dyn_cast<AttentionOp>(step))
      return emitAttention(attention);
    auto product = dyn_cast<MatrixProductOp>(step);
    if (!product)
      return std::nullopt;
    StringRef emitter = getEmitter(product);
    if (emitter == kWgmmaEmitter)
      return emitProduct(product, {});
    if (emitter == kMmaEmitter)
      return emitProducts(std::make_pair(product, LoopNestOp()));
    return callLibrary(product);
  };
  std::optional<LogicalResult> emitted = emitStep();
  if (!emitted) {
    readdress(step);
    // Steps of branches and loops are counted behind these.
    if (isa<BranchOp, LoopOp>(step))
      for (mlir::Region &region : step->getRegions())
        if (failed(emitSteps(region.front())))
          return failure();
    return success();
  }
  if (failed(*emitted))
    return failure();
  step->erase();
  return success();
}

LogicalResult ProgramEmitter::emitSteps(Block &steps) {
  for (Operation &step : llvm::make_early_inc_range(steps)) {
    hostBuilder.setInsertionPoint(&step);
    if (failed(emit(&step)))
      return failure();
  }
  return success();
}

LogicalResult ProgramEmitter::run() {
  Block &body = host.getBody().front();
  if (body.args_empty() || !isWorkspace(body.getArguments().back()))
    return host.emitOpError("expected planned memory, a workspace as the last argument");
  if (auto number = host->getAttrOfType<IntegerAttr>(kHostProcessorsAttr))
    processors = number.getInt();
  auto module = host->getParentOfType<mlir::ModuleOp>();
  auto hasKernel = [](Operation &op) {
    auto product = dyn_cast<MatrixProductOp>(op);
    return isa<LoopNestOp, LaunchOp, KernelOp, PackOp, AttentionOp>(op) ||
           (product && getEmitter(product) != kLibraryEmitter);
  };
  bool needsModule = failed(visitSteps(host, [&](Block &steps) { return failure(llvm::any_of(steps, hasKernel)); }));
  // In front of the literals and the host function.
  Operation *first = host;
  while (isa_and_present<memref::GlobalOp>(first->getPrevNode()))
    first = first->getPrevNode();
  if (needsModule) {
    builder.setInsertionPoint(first);
    kernels = mlir::gpu::GPUModuleOp::create(builder, host.getLoc(), "kernels");
    mlir::SymbolTable(module).insert(kernels); // Those of another host function have that name.
  }
  module->setAttr(mlir::gpu::GPUDialect::getContainerModuleAttrName(), builder.getUnitAttr());
  if (failed(emitSteps(body)))
    return failure();
  return visitSteps(host, [](Block &steps) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(steps)))
      if (isa<BufferOp, memref::GetGlobalOp>(op) && op.use_empty())
        op.erase();
    return success();
  });
}

LogicalResult fxgraph::gpu::emitKernels(mlir::func::FuncOp host) { return ProgramEmitter(host).run(); }
