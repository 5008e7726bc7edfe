// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_BACKEND_GPU_TARGETS_H
#define FXGRAPH_BACKEND_GPU_TARGETS_H

namespace fxgraph {

/// The targets `gpu` and `gpu-emulator` (the same kernels and launch plan on the
/// CPU, for tests).
void registerGPUTargets();

/// The forms ptx, cubin, fatbin, plan and gpu of fx-translate.
void registerGPUTranslations();

} // namespace fxgraph

#endif // FXGRAPH_BACKEND_GPU_TARGETS_H
