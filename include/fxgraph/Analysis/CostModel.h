// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an op costs on a device: bytes moved, floating-point operations, launches.
// The model answers one question, whether a rewrite gains; it is not a forecast of
// run time: neighbours that a lowering would fuse into one kernel count singly on
// both sides.

#ifndef FXGRAPH_ANALYSIS_COSTMODEL_H
#define FXGRAPH_ANALYSIS_COSTMODEL_H

#include "fxgraph/Analysis/FrozenValues.h"
#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace fxgraph {

/// Rates of a device. The defaults are what an H100 SXM sustains: HBM3 at 90 % of
/// 3.35 TB/s, dense tensor-core and FP32 products at 70 % of peak, and the time
/// between two small kernels on one stream.
struct DeviceModel {
  double bytesPerSecond = 3.0e12;
  double flopsPerSecond16 = 6.9e14; ///< f16 and bf16 products
  double flopsPerSecond32 = 4.7e13; ///< all others
  double secondsPerLaunch = 2.5e-6;
  /// What a symbol or an unknown extent counts as.
  int64_t assumedExtent = 128;
};

struct Cost {
  double bytes = 0; ///< read and written in device memory
  double flops16 = 0, flops32 = 0;
  unsigned launches = 0;
  unsigned ops = 0; ///< as countOps() counts

  Cost &operator+=(const Cost &other);
  /// Of kernels that run one after the other, each bound by memory or by arithmetic.
  double seconds(const DeviceModel &device) const;
};

/// True for what counts as an op of a graph: all but constants (also `full`),
/// terminators and `sym_size`, which no device runs.
bool isCountedOp(Operation *op);

/// Number of counted ops in the function and its regions; without those on `frozen`
/// values, if given, which run once and not in every run.
uint64_t countOps(mlir::FunctionOpInterface function, const FrozenValues *frozen = nullptr);

/// Cost of one op. Views and splits move nothing; neither does a cat or stack of a long
/// run of pieces of one split, which the split/cat passes make a view.
Cost estimateCost(Operation *op, const DeviceModel &device);

/// Floating-point operations of a product of matrices or a convolution; 0 for other ops.
double estimateProductFlops(Operation *op, const DeviceModel &device);

/// Bytes of a value of this type; 0 of what is no tensor.
double estimateBytes(Type type, const DeviceModel &device);

} // namespace fxgraph

#endif // FXGRAPH_ANALYSIS_COSTMODEL_H
