// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plugin that a stock mlir-opt of LLVM 22 loads:
//   mlir-opt --load-dialect-plugin=libFxGraphPlugin.so --pass-pipeline='builtin.module(fxgraph-pre-grad)'
// One flag suffices: loading the dialect also registers passes and pipelines.

#include "fxgraph/InitAll.h"
#include "fxgraph/Version.h"
#include "mlir/Config/mlir-config.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Compiler.h"
#include <mutex>

/// Passes may be registered once a process, however often the plugin is named.
static void registerPassesOnce() {
  static std::once_flag once;
  std::call_once(once, fxgraph::registerAllPasses);
}

extern "C" LLVM_ATTRIBUTE_WEAK LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "fxgraph", LLVM_VERSION_STRING, [](mlir::DialectRegistry *registry) {
            fxgraph::registerAllDialects(*registry);
            registerPassesOnce();
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "fxgraph", LLVM_VERSION_STRING, [] { registerPassesOnce(); }};
}
