// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between two kernels of a stream some microseconds pass in which the last blocks of the first end, its writes are made
// visible and the second is brought to the multiprocessors. From Hopper on the second may be brought there as soon as
// all blocks of the first have begun (programmatic dependent launch, CUDA C++ Programming Guide, "Programmatic Dependent
// Launch and Synchronization"):
//
//   first:   griddepcontrol.launch_dependents   // the next may come
//   second:  griddepcontrol.wait                // until all of the one before has ended
//
// A kernel in between does both, and waits first: when it has ended, so have all before it. What is no kernel of ours (a
// library call, a copy, a collective) begins and ends as ever. A block that takes a multiprocessor for itself gains nothing
// by coming early, and products of large odd sizes are slower with it (docs/Performance.md): it is called at the end.

#include "Kernel/HostFunction.h"
#include "Kernel/HostMemory.h"
#include "Stages/Stages.h"
#include "fxgraph/Dialect/IR/HostOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace NVVM = mlir::NVVM;

/// Shared memory, in bytes, of which two blocks find no room in a multiprocessor of Hopper.
static constexpr int64_t kWholeProcessorBytes = 114 << 10;

namespace {
/// The launches of kernels that directly follow each other.
struct Neighbours {
  void collect(Block &steps);

  mlir::SymbolTableCollection symbols;
  SmallVector<std::pair<mlir::gpu::LaunchFuncOp, mlir::gpu::GPUFuncOp>> followers;
  /// The kernels that another follows, and whether one of these fills multiprocessors.
  llvm::MapVector<mlir::gpu::GPUFuncOp, bool> followed;
};
} // namespace

static bool fillsProcessor(mlir::gpu::LaunchFuncOp launch) {
  llvm::APInt bytes;
  return launch.getDynamicSharedMemorySize() &&
         mlir::matchPattern(launch.getDynamicSharedMemorySize(), mlir::m_ConstantInt(&bytes)) &&
         bytes.getSExtValue() > kWholeProcessorBytes;
}

void Neighbours::collect(Block &steps) {
  mlir::gpu::GPUFuncOp before;
  for (Operation &step : steps) {
    // What only names memory is no step.
    if (isa<BufferOp, PointerTableOp, TensorMapOp, mlir::memref::GetGlobalOp, mlir::arith::ConstantOp>(step))
      continue;
    auto launch = dyn_cast<mlir::gpu::LaunchFuncOp>(step);
    // Null: no step of ours, or a kernel that is compiled already.
    auto kernel = launch ? symbols.lookupNearestSymbolFrom<mlir::gpu::GPUFuncOp>(launch, launch.getKernelAttr())
                         : mlir::gpu::GPUFuncOp();
    if (before && kernel) {
      followers.push_back({launch, kernel});
      followed[before] |= fillsProcessor(launch);
    }
    before = kernel;
  }
}

static bool hasAction(mlir::gpu::GPUFuncOp kernel, NVVM::GridDepActionKind kind) {
  return llvm::any_of(kernel.getOps<NVVM::GriddepcontrolOp>(), [&](auto action) { return action.getKind() == kind; });
}

/// The kernel begins with the wait.
static void waitForPrevious(mlir::gpu::GPUFuncOp kernel) {
  if (hasAction(kernel, NVVM::GridDepActionKind::wait))
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  NVVM::GriddepcontrolOp::create(builder, kernel.getLoc(), NVVM::GridDepActionKind::wait);
}

/// Behind the wait, or `atEnd`.
static void launchDependents(mlir::gpu::GPUFuncOp kernel, bool atEnd) {
  if (hasAction(kernel, NVVM::GridDepActionKind::launch_dependents))
    return;
  auto create = [&](OpBuilder builder) {
    NVVM::GriddepcontrolOp::create(builder, kernel.getLoc(), NVVM::GridDepActionKind::launch_dependents);
  };
  if (atEnd) {
    for (Block &block : kernel.getBody())
      if (isa<mlir::gpu::ReturnOp>(block.getTerminator()))
        create(OpBuilder(block.getTerminator()));
    return;
  }
  Block &entry = kernel.getBody().front();
  bool waits = isa<NVVM::GriddepcontrolOp>(entry.front());
  create(OpBuilder(&entry, std::next(entry.begin(), waits)));
}

void fxgraph::gpu::overlapLaunches(mlir::func::FuncOp host) {
  if (!hasDependentLaunches(host->getAttrOfType<StringAttr>(kHostChipAttr).getValue()))
    return;
  Neighbours neighbours;
  (void)visitSteps(host, [&](Block &steps) {
    neighbours.collect(steps);
    return success();
  });
  for (auto [launch, kernel] : neighbours.followers) {
    waitForPrevious(kernel);
    launch->setAttr(kLaunchProgrammaticAttr, mlir::UnitAttr::get(host.getContext()));
  }
  for (auto [kernel, atEnd] : neighbours.followed)
    launchDependents(kernel, atEnd);
}
