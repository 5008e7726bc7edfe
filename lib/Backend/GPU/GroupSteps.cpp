// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernels and products of the fusion plan become one launch: equal ones with a further
// dimension, those that read the same elements, small ones that share a launch's blocks,
// products with what follows them; and which products are kernels of our own.

#include "ProgramBuilder.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace fxgraph;
using namespace fxgraph::gpu;

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
    size_t most = std::max<size_t>(1, kMaxParameterBytes / (8 * arrays));
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
      if (open.size() == mostParts || bytes + part.parameterBytes > kMaxParameterBytes)
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
  // A view of a product's memory reads it too, and what holds a product as one of its parts is read with it.
  for (const auto &[value, storage] : plan.storage)
    if (storage.kind == ValueStorage::Kind::Part && storage.base != value)
      otherReaders.insert_range(ArrayRef<Value>{storage.base, value});
}

/// Many small products of one shape become one launch of ours, with the function
/// that follows each of them. Large products, and few, are the library's.
void ProgramBuilder::groupProducts() {
  constexpr size_t fewest = 4;
  constexpr int64_t largest = int64_t(512) * 512 * 512;
  llvm::StringMap<unsigned> known;
  // By shape, and the group of the kernels that follow (-1: none that an epilogue can be).
  llvm::MapVector<std::pair<unsigned, int>, SmallVector<const FusionStep *>> candidates;
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
    unsigned shape = known.try_emplace(key, known.size()).first->second;
    candidates[{shape, fuses ? groupOf[stepOfKernel[readers[0]]->id] : -1}].push_back(&step);
  }
  for (const auto &[key, members] : candidates) {
    if (members.size() < fewest)
      continue;
    int kernelGroup = key.second;
    bool fuses = kernelGroup >= 0;
    if (fuses) // All kernels of the group, and nothing else.
      fuses = static_cast<size_t>(llvm::count(groupOf, kernelGroup)) == members.size();
    // Each operand and the result may need a table.
    size_t tables = describeProduct(*members[0])->hasBias ? 4 : 3;
    for (ArrayRef<const FusionStep *> rest(members); !rest.empty();) {
      ArrayRef<const FusionStep *> batch = rest.take_front(kMaxParameterBytes / (8 * tables));
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
  const StridedLayout &layout = plan.getStorage(step.result).layout;
  bool isRagged =
      product.a.pack || product.b.pack || layout.offset % 8 != 0 || layout.strides[layout.strides.size() - 2] % 8 != 0;
  // Half of the multiprocessors: of the widest kind, or of the narrowest where the library is slow anyway.
  constexpr int64_t fewestTiles = 66;
  int64_t width = isRagged ? WgmmaConfig::narrowestTileN : WgmmaConfig().tileN;
  if (llvm::divideCeil(product.spec.m, WgmmaConfig::tileM) * llvm::divideCeil(product.spec.n, width) *
          product.spec.batch <
      fewestTiles)
    return false;
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
