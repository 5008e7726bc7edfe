// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where what a host function allocates lives. Every allocation gets a range of the one
// workspace, the last argument, that no allocation alive at the same time has; first fit in
// order of birth, 256-byte aligned. Behind them is the word for errors, if a kernel checks
// indices. What is allocated in a launch is in registers. Cost: number of allocations times
// the number alive at once.

#include "EmitRegion.h"
#include "HostFunction.h"
#include "HostMemory.h"
#include "Stages.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/MapVector.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace memref = mlir::memref;

namespace {
/// From one step to another.
struct Life {
  uint64_t bytes = 0;
  size_t first = ~size_t(0), last = 0;
  uint64_t offset = 0;
};
using Lives = llvm::MapVector<Value, Life>;
} // namespace

static Lives collectLives(Block &body) {
  Lives lives;
  size_t time = 0;
  for (Operation &step : body) {
    if (isa<BufferOp, memref::AllocOp, memref::GetGlobalOp>(step))
      continue;
    ++time;
    SmallVector<Operation *> ops;
    step.walk([&](Operation *op) {
      ops.push_back(op);
      // What runs beside the steps keeps its memory until it is waited for.
      for (Value operand : op->getOperands())
        if (isa<mlir::gpu::AsyncTokenType>(operand.getType()))
          ops.push_back(operand.getDefiningOp());
    });
    for (Operation *op : ops)
      for (Value operand : op->getOperands()) {
        if (!isa<mlir::MemRefType>(operand.getType()))
          continue;
        Value root = resolveMemory(operand).root;
        if (!root.getDefiningOp<memref::AllocOp>() || root.getParentBlock() != &body)
          continue;
        Life &life = lives[root];
        life.bytes = getDenseBytes(cast<mlir::MemRefType>(root.getType()));
        life.first = std::min(life.first, time);
        life.last = time;
      }
  }
  return lives;
}

/// Gives each life the lowest place in the workspace that is free as long as it lasts; the bytes of all.
static uint64_t placeLives(Lives &lives) {
  SmallVector<Life *> sorted;
  for (auto &entry : lives)
    sorted.push_back(&entry.second);
  llvm::stable_sort(sorted, [](const Life *a, const Life *b) { return a->first < b->first; });
  uint64_t workspaceBytes = 0;
  std::vector<Life *> alive; // by offset
  auto getEnd = [](const Life &life) {
    return life.offset + llvm::alignTo(std::max<uint64_t>(life.bytes, 1), kBufferAlign);
  };
  for (Life *life : sorted) {
    llvm::erase_if(alive, [&](const Life *other) { return other->last < life->first; });
    size_t position = 0;
    for (; position < alive.size(); ++position) {
      if (alive[position]->offset >= getEnd(*life))
        break;
      life->offset = getEnd(*alive[position]);
    }
    alive.insert(alive.begin() + position, life);
    workspaceBytes = std::max(workspaceBytes, getEnd(*life));
  }
  return workspaceBytes;
}

static bool needsErrorWord(mlir::func::FuncOp host) {
  return host
      .walk([](Operation *op) {
        auto kernel = dyn_cast<KernelOp>(op);
        return isa<NestIndexOp>(op) || (kernel && gpu::checksIndices(kernel)) ? mlir::WalkResult::interrupt()
                                                                              : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult fxgraph::gpu::planMemory(mlir::func::FuncOp host) {
  Block &body = host.getBody().front();
  if (!body.args_empty() && isWorkspace(body.getArguments().back()))
    return success();
  Lives lives = collectLives(body);
  uint64_t bytes = placeLives(lives);
  OpBuilder builder(&body, body.begin());
  if (needsErrorWord(host)) {
    uint64_t word = llvm::alignTo(bytes, kBufferAlign);
    host->setAttr(kHostErrorWordAttr, builder.getI64IntegerAttr(word));
    bytes = word + sizeof(int32_t);
  }
  auto type = mlir::MemRefType::get({static_cast<int64_t>(bytes)}, builder.getI8Type());
  auto attributes = builder.getDictionaryAttr(builder.getNamedAttr(kHostWorkspaceAttr, builder.getUnitAttr()));
  if (failed(host.insertArgument(host.getNumArguments(), type, attributes, host.getLoc())))
    return failure();
  for (auto allocation : llvm::make_early_inc_range(body.getOps<memref::AllocOp>())) {
    auto life = lives.find(allocation);
    builder.setInsertionPoint(allocation);
    // What no step touches still has an address.
    Value place = BufferOp::create(builder, allocation.getLoc(), allocation.getType(), body.getArguments().back(),
                                   static_cast<int64_t>(life == lives.end() ? 0 : life->second.offset));
    allocation.replaceAllUsesWith(place);
    allocation.erase();
  }
  return success();
}
