// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One PTX text of several: kernels are compiled beside each other and loaded as one image.

#ifndef FXGRAPH_LIB_BACKEND_GPU_TRANSLATE_JOINPTX_H
#define FXGRAPH_LIB_BACKEND_GPU_TRANSLATE_JOINPTX_H

#include "fxgraph/Support/LLVM.h"
#include <string>

namespace fxgraph::gpu {

/// Tables and functions that a part has for itself (libdevice's) get names of its own; what all declare is declared
/// once. The parts are what LLVM writes for one chip, and define kernels of different names.
std::string joinPTX(ArrayRef<std::string> parts);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_TRANSLATE_JOINPTX_H
