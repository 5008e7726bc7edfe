// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sm_90a adds, on the CPU: dynamic shared memory, mbarriers, tensor maps (as the mock
// driver encodes them), wgmma from swizzled tiles, named barriers. What hardware does in
// the background is done at once. Clusters have no emulation.

#ifndef FXGRAPH_LIB_BACKEND_GPU_EMULATEWARPGROUP_H
#define FXGRAPH_LIB_BACKEND_GPU_EMULATEWARPGROUP_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/Builders.h"

namespace fxgraph::gpu {

/// A function that converted kernels call.
struct WarpgroupFunction {
  StringRef name;
  void *address;
  SmallVector<Type> inputs, results;
};
SmallVector<WarpgroupFunction> getWarpgroupFunctions(MLIRContext *context);

/// Replaces an op by calls of them; `shared` is the block's dynamic shared memory. False: it
/// is none of these ops.
bool convertWarpgroupOp(Operation *op, OpBuilder &builder, Value shared);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_EMULATEWARPGROUP_H
