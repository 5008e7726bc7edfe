// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs on the CPU: compiled in memory, or to a shared library.

#ifndef FXGRAPH_BACKEND_CPU_H
#define FXGRAPH_BACKEND_CPU_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>
#include <string>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace fxgraph {

struct CPUCodeGenOptions {
  /// 0 to 3, as clang's -O.
  unsigned optimizationLevel = 2;
  /// "host", or a name of LLVM's ("x86-64-v3", "znver4", …).
  std::string cpu = "host";
  bool parallel = true;
  bool fuse = true;
  /// Prints seconds for each stage to stderr.
  bool timing = false;
};

/// Dialects and translations that the code generator needs, once a context.
void registerCPUCodeGenDialects(mlir::DialectRegistry &registry);

/// A clone of the module with the entry function alone, in the LLVM dialect. Other
/// functions that it calls are inlined. Errors are diagnostics.
FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> lowerToLLVMDialect(mlir::ModuleOp module, StringRef entry,
                                                                const CPUCodeGenOptions &options);

/// Optimised LLVM IR as text.
FailureOr<std::string> emitLLVMIR(mlir::ModuleOp module, StringRef entry, const CPUCodeGenOptions &options);
/// A relocatable object file.
FailureOr<SmallVector<char, 0>> emitObject(mlir::ModuleOp module, StringRef entry, const CPUCodeGenOptions &options);
/// A shared library with the entry points of CPUArtifact.h. Needs the system's C
/// compiler (`cc`, or the environment variable CC) to link it.
LogicalResult emitSharedLibrary(mlir::ModuleOp module, StringRef entry, StringRef path,
                                const CPUCodeGenOptions &options);

/// One `key=value` of fx-run's --target-option or fx-translate's --option.
LogicalResult readCPUSetting(mlir::ModuleOp module, StringRef key, StringRef value, CPUCodeGenOptions &options);

/// Threads that large loops are divided among, from the next run on; 0: as many as
/// processors.
void setCPUThreads(int count);

/// The forms so, object and llvm of fx-translate.
void registerCPUTranslations();
/// The target `cpu` of fx-run.
void registerCPUTarget();

} // namespace fxgraph

#endif // FXGRAPH_BACKEND_CPU_H
