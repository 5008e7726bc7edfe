// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/InitAllTargets.h"
#include "fxgraph/Target/CPU.h"
#include "fxgraph/Target/Dot.h"
#include "fxgraph/Target/Executable.h"
#include "fxgraph/Target/GPU/Targets.h"

void fxgraph::registerAllTargets() {
  registerReferenceTarget();
  registerCPUTarget();
  registerGPUTargets();
}

void fxgraph::registerAllTranslations() {
  registerGPUTranslations();
  registerCPUTranslations();
  registerDotTranslation();
}
