// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sm_90a adds, on the CPU: dynamic shared memory, mbarriers, tensor maps (as the mock
// driver encodes them), wgmma from swizzled tiles, named barriers. What hardware does in
// the background is done at once. Clusters have no emulation.

#ifndef FXGRAPH_LIB_BACKEND_GPU_RUN_EMULATEWARPGROUP_H
#define FXGRAPH_LIB_BACKEND_GPU_RUN_EMULATEWARPGROUP_H

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

/// The function that waits for the warp group's other threads too.
inline constexpr StringRef waitForProductsName = "fxgraph_emulate_wait_products";

/// wgmma m64nNk16, done at once: name and flags of the function that computes one thread's
/// part. Its operands: four words of the left operand or, in two of them, a descriptor; the
/// descriptor of the right one; N / 2 sums; any address of the block's shared memory; N; flags.
struct WarpgroupProduct {
  static constexpr StringRef name = "fxgraph_emulate_warpgroup_multiply";
  enum Flags : uint32_t { IsBF16 = 1, LeftInRegisters = 2, RightIsDepthMajor = 4, LeftIsRowMajor = 8 };
};

/// The value of a 16-bit float.
float widenHalf(uint16_t bits, bool isBF16);

/// Replaces an op by calls of them; `shared` is the block's dynamic shared memory. False: it
/// is none of these ops.
bool convertWarpgroupOp(Operation *op, OpBuilder &builder, Value shared);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_RUN_EMULATEWARPGROUP_H
