// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the values of a graph live. Every value that lives in memory and is no input, result
// or constant gets a range of the one workspace that no value alive at the same time has;
// first fit in order of birth, 256-byte aligned. Cost: number of values times the number
// alive at once.

#include "ProgramBuilder.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <set>

using namespace fxgraph;
using namespace fxgraph::gpu;

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
    literals.resize(llvm::alignTo(literals.size(), kBufferAlign), '\0');
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
    places[value] = {Place::Kind::Constant, static_cast<unsigned>(constants.size()), 0, kBufferAlign};
    constants[value] = {offset, bytes};
  }
  return success();
}

/// Memory that is in use from one step to another.
struct ProgramBuilder::Life {
  Value value; ///< null: memory of one step alone
  uint64_t bytes = 0;
  uint64_t *place = nullptr; ///< where the offset in the workspace is noted, if not in `places`
  size_t first = ~size_t(0), last = 0;
};

/// The lives of all buffers, in steps in the order of execution.
std::vector<ProgramBuilder::Life> ProgramBuilder::collectLives() {
  llvm::MapVector<Value, Life> lives;
  std::vector<Life> scratch;
  auto touchScratch = [&](unsigned id, size_t step) {
    auto own = ownProducts.find(id);
    if (own == ownProducts.end())
      return;
    WgmmaProduct &product = own->second.product;
    for (auto [operand, place] : {std::make_pair(&product.a, &own->second.packedA), {&product.b, &own->second.packedB}})
      if (operand->pack)
        scratch.push_back({Value(), static_cast<uint64_t>(operand->pack->getPackedBytes()), place, step, step});
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
    case FusionStep::Kind::Collective:
    case FusionStep::Kind::Wait: {
      // The collective's until the wait.
      bool isStart = step.kind == FusionStep::Kind::Collective;
      Operation *start = isStart ? step.op : step.op->getOperand(0).getDefiningOp();
      for (Value value : llvm::concat<Value>(start->getOperands(), start->getResults()))
        touch(value, i);
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
  std::vector<Life> all;
  for (auto &entry : lives)
    all.push_back(entry.second);
  llvm::append_range(all, scratch);
  return all;
}

/// Gives each life the lowest place in the workspace that is free as long as it lasts.
void ProgramBuilder::placeLives(std::vector<Life> lives) {
  llvm::stable_sort(lives, [](const Life &a, const Life &b) { return a.first < b.first; });
  struct Block {
    uint64_t offset, end;
    size_t last;
  };
  std::vector<Block> alive; // by offset
  for (const Life &life : lives) {
    llvm::erase_if(alive, [&](const Block &block) { return block.last < life.first; });
    uint64_t size = llvm::alignTo(std::max<uint64_t>(life.bytes, 1), kBufferAlign), offset = 0;
    size_t position = 0;
    for (; position < alive.size(); ++position) {
      if (alive[position].offset >= offset + size)
        break;
      offset = alive[position].end;
    }
    alive.insert(alive.begin() + position, {offset, offset + size, life.last});
    workspaceBytes = std::max(workspaceBytes, offset + size);
    if (life.place)
      *life.place = offset;
    else
      places[life.value] = {Place::Kind::Workspace, 0, offset, kBufferAlign};
  }
}

/// Memory behind all buffers: what attentions join their splits in, and the word for errors.
LogicalResult ProgramBuilder::reserveScratch() {
  // Steps run one after the other.
  scratchOffset = llvm::alignTo(workspaceBytes, kBufferAlign);
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
    errorWord = llvm::alignTo(workspaceBytes, kBufferAlign);
    workspaceBytes = *errorWord + sizeof(int32_t);
  }
  return success();
}

LogicalResult ProgramBuilder::planMemory() {
  placeLives(collectLives());
  return reserveScratch();
}

Place ProgramBuilder::getPlace(Value value) const {
  const ValueStorage &storage = plan.getStorage(value);
  Value base = storage.kind == ValueStorage::Kind::Part ? storage.base : value;
  Place place = places.lookup(base);
  uint64_t extra = storage.layout.offset * getMemoryBytes(getElementType(value));
  place.offset += extra;
  place.align = llvm::MinAlign(place.align, extra);
  return place;
}
