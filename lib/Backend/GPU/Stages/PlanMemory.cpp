// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where what a host function allocates lives. Every allocation gets a range of the one
// workspace, the last argument, that no allocation alive at the same time has (planWorkspace),
// 256-byte aligned. Behind them is the word for errors, if a kernel checks indices. What is
// allocated in a launch is in registers.

#include "Emit/EmitRegion.h"
#include "Kernel/HostFunction.h"
#include "Kernel/HostMemory.h"
#include "Stages/Stages.h"
#include "fxgraph/Analysis/Workspace.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/MapVector.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace memref = mlir::memref;

namespace {
using Lives = llvm::MapVector<Value, BufferLife>;
} // namespace

static Lives collectLives(Block &body) {
  Lives lives;
  int64_t time = 0;
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
        auto [entry, isNew] = lives.try_emplace(root);
        BufferLife &life = entry->second;
        life.bytes = getDenseBytes(cast<mlir::MemRefType>(root.getType()));
        if (isNew)
          life.first = time;
        life.last = time;
      }
  }
  return lives;
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
  WorkspacePlan workspace =
      planWorkspace(llvm::map_to_vector(lives, [](const auto &entry) { return entry.second; }), kBufferAlign);
  uint64_t bytes = workspace.bytes;
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
                                   life == lives.end() ? 0 : workspace.offsets[life - lives.begin()]);
    allocation.replaceAllUsesWith(place);
    allocation.erase();
  }
  return success();
}
