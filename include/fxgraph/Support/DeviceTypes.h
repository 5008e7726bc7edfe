// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's names of devices: a type, and a number behind a colon (`cuda:1`).

#ifndef FXGRAPH_SUPPORT_DEVICETYPES_H
#define FXGRAPH_SUPPORT_DEVICETYPES_H

#include "fxgraph/Support/LLVM.h"
#include <string>

namespace fxgraph {

/// Whether PyTorch has a device type of this name.
bool isDeviceType(StringRef name);

/// The device type of `cuda:1`: `cuda`. A name that PyTorch does not have is that of
/// an extension, which it calls `privateuseone`.
StringRef getDeviceType(StringRef device);

/// Whether Inductor generates kernels for a GPU of this type: cuda, xpu, mps, mtia.
bool isGPUType(StringRef type);

/// All names, for error messages.
std::string listDeviceTypes();

} // namespace fxgraph

#endif // FXGRAPH_SUPPORT_DEVICETYPES_H
