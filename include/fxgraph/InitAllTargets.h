// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front door of what runs and stores graphs; InitAll.h is that of dialect and
// passes.

#ifndef FXGRAPH_INITALLTARGETS_H
#define FXGRAPH_INITALLTARGETS_H

namespace fxgraph {

/// The targets ref, cpu, gpu and gpu-emulator (Target/Executable.h).
void registerAllTargets();
/// All forms of Target/Translation.h.
void registerAllTranslations();

} // namespace fxgraph

#endif // FXGRAPH_INITALLTARGETS_H
