// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where tensors are. A type names its device only where that differs from the module's,
// which the passes that ask take as an option, `default-device`.

#ifndef FXGRAPH_TRANSFORMS_UTILS_DEVICES_H
#define FXGRAPH_TRANSFORMS_UTILS_DEVICES_H

#include "fxgraph/Support/LLVM.h"

namespace fxgraph {

/// Failure with an error at `loc` if PyTorch has no device type of the name that `pass`
/// was given.
LogicalResult checkDeviceType(Location loc, StringRef type, StringRef pass);

/// The device type of a tensor: `cuda`, … Empty for what is no ranked tensor.
StringRef getDeviceType(Type type, StringRef defaultDevice);

/// True if the tensor is on a GPU of a type that Inductor generates kernels for.
bool isOnGPU(Value value, StringRef defaultDevice);

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_UTILS_DEVICES_H
