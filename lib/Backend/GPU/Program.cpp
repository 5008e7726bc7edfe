// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph as kernels and a host function: kernels, launches, the order of steps.

#include "ProgramBuilder.h"
#include "ScalarMath.h"
#include "fxgraph/Analysis/CallGraph.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/Passes.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

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
                                   builder.getI64IntegerAttr(kBufferAlign));
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
// Kernels
//===----------------------------------------------------------------------===//

std::string fxgraph::gpu::nameKernel(unsigned number, ArrayRef<Operation *> ops) {
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
    result = getResult(*body);
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
      uint64_t bytes = getMemoryBytes(array.elementType);
      array.align = llvm::MinAlign(getPlace(array.value).align, array.offset * bytes);
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
  sortByResult(instances, [](const KernelIR *ir) { return getResult(*ir); });
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
    return getResult(*bodies[unsortedEpilogues[i]]);
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
    return getResult(*bodies[epilogues[i]]);
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
    case FusionStep::Kind::Collective:
      writeCollective(step.op);
      break;
    case FusionStep::Kind::Wait:
      writeWait(cast<WaitTensorOp>(step.op));
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

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

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
  return ProgramBuilder(function, options).run();
}

FailureOr<GPUProgram> fxgraph::gpu::lowerToGPU(mlir::func::FuncOp function, const GPUOptions &options) {
  // The rewrites work on a copy, in a module of its own.
  mlir::OwningOpRef<mlir::ModuleOp> scratch = cloneWithCallees(function);
  if (failed(inlineCallees(*scratch, function.getName())))
    return failure();
  auto copy = scratch->lookupSymbol<mlir::func::FuncOp>(function.getName());
  if (!copy.isExternal() && (failed(prepareForGPU(copy, options.seed)) || failed(formKernels(copy, options.libraries))))
    return failure();
  return emitGPUProgram(copy, options);
}
