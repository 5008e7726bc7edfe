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
// library call, a copy, a collective) begins and ends as ever.

#include "Kernel/HostFunction.h"
#include "Kernel/HostMemory.h"
#include "Stages/Stages.h"
#include "fxgraph/Dialect/IR/HostOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace NVVM = mlir::NVVM;

namespace {
/// The launches of kernels that directly follow each other.
struct Neighbours {
  void collect(Block &steps);

  SmallVector<mlir::gpu::LaunchFuncOp> followers;
  llvm::SetVector<Attribute> followed, following; ///< the kernels, as symbols
};
} // namespace

void Neighbours::collect(Block &steps) {
  mlir::gpu::LaunchFuncOp before;
  for (Operation &step : steps) {
    // What only names memory is no step.
    if (isa<BufferOp, PointerTableOp, TensorMapOp, mlir::memref::GetGlobalOp, mlir::arith::ConstantOp>(step))
      continue;
    auto launch = dyn_cast<mlir::gpu::LaunchFuncOp>(step);
    if (before && launch) {
      followers.push_back(launch);
      followed.insert(before.getKernelAttr());
      following.insert(launch.getKernelAttr());
    }
    before = launch;
  }
}

/// Puts the instruction at the beginning of the kernel, behind the one that is there already.
static void begin(mlir::gpu::GPUFuncOp kernel, NVVM::GridDepActionKind kind) {
  Block &entry = kernel.getBody().front();
  auto at = entry.begin();
  for (; auto action = dyn_cast<NVVM::GriddepcontrolOp>(*at); ++at)
    if (action.getKind() == kind)
      return;
  OpBuilder builder(&entry, at);
  NVVM::GriddepcontrolOp::create(builder, kernel.getLoc(), kind);
}

void fxgraph::gpu::overlapLaunches(mlir::func::FuncOp host) {
  if (!hasDependentLaunches(host->getAttrOfType<StringAttr>(kHostChipAttr).getValue()))
    return;
  Neighbours neighbours;
  (void)visitSteps(host, [&](Block &steps) {
    neighbours.collect(steps);
    return success();
  });
  mlir::SymbolTableCollection symbols;
  auto beginAll = [&](const llvm::SetVector<Attribute> &kernels, NVVM::GridDepActionKind kind) {
    for (Attribute name : kernels)
      if (auto kernel = symbols.lookupNearestSymbolFrom<mlir::gpu::GPUFuncOp>(host, cast<mlir::SymbolRefAttr>(name)))
        begin(kernel, kind);
  };
  beginAll(neighbours.following, NVVM::GridDepActionKind::wait);
  beginAll(neighbours.followed, NVVM::GridDepActionKind::launch_dependents);
  for (mlir::gpu::LaunchFuncOp launch : neighbours.followers)
    launch->setAttr(kLaunchProgrammaticAttr, mlir::UnitAttr::get(host.getContext()));
}
