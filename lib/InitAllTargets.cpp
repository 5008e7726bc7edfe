// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/InitAllTargets.h"
#include "fxgraph/Backend/Artefact.h"
#include "fxgraph/Backend/CPU.h"
#include "fxgraph/Backend/Dot.h"
#include "fxgraph/Backend/Executable.h"
#include "fxgraph/Backend/GPU/Targets.h"
#include "llvm/Support/FileSystem.h"

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

std::unique_ptr<fxgraph::Executable> fxgraph::loadArtefact(StringRef path, std::string &error) {
  if (!llvm::sys::fs::exists(path)) {
    error = "expected a shared library or a folder with a launch plan but '" + path.str() + "' does not exist";
    return nullptr;
  }
  return llvm::sys::fs::is_directory(path) ? loadGPUFolder(path, error) : loadSharedLibrary(path, error);
}
