// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the fusion planner may leave to libraries.

#ifndef FXGRAPH_LIB_BACKEND_GPU_STAGES_PLANOPTIONS_H
#define FXGRAPH_LIB_BACKEND_GPU_STAGES_PLANOPTIONS_H

#include "fxgraph/Analysis/FusionPlan.h"
#include "fxgraph/Backend/GPU/GPU.h"

namespace fxgraph::gpu {

inline FusionOptions getPlanOptions(Libraries libraries, bool allowTF32 = false) {
  FusionOptions options;
  options.libraryMatmul = libraries != Libraries::None;
  options.libraryConvolution = libraries == Libraries::All || libraries == Libraries::Always;
  options.smallInKernels = libraries != Libraries::Always;
  options.tensorCoreFloats = allowTF32;
  return options;
}

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_STAGES_PLANOPTIONS_H
