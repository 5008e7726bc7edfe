// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stored graphs behind the interface of compiled ones.

#ifndef FXGRAPH_BACKEND_ARTEFACT_H
#define FXGRAPH_BACKEND_ARTEFACT_H

#include "fxgraph/Backend/Executable.h"

namespace fxgraph {

/// A shared library of `fx-translate --to=so`, or a folder of `--to=gpu`, ready to run.
/// Null with the reason in `error`.
std::unique_ptr<Executable> loadArtefact(StringRef path, std::string &error);

/// The two kinds, each from its target's library.
std::unique_ptr<Executable> loadSharedLibrary(StringRef path, std::string &error);
std::unique_ptr<Executable> loadGPUFolder(StringRef path, std::string &error);

} // namespace fxgraph

#endif // FXGRAPH_BACKEND_ARTEFACT_H
