// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the handles of the C interface stand for, and the frame around each call: the
// context's lock, the error text, crashes.

#ifndef FXGRAPH_LIB_CAPI_INTERNAL_H
#define FXGRAPH_LIB_CAPI_INTERNAL_H

#include "fxgraph/Backend/Executable.h"
#include "fxgraph/CAPI/FxGraph.h"
#include "fxgraph/Support/LLVM.h"
#include "fxgraph/Support/Report.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <mutex>

namespace fxgraph::capi {

struct Pipeline;

/// One MLIRContext, shared by the handles that need it.
struct ContextState {
  ContextState();
  /// A context that crashed is left as it is: its own destruction might crash again.
  ~ContextState();

  /// Calls may come from a diagnostic handler's own lock holder.
  std::recursive_mutex mutex;
  std::unique_ptr<MLIRContext> context;
  /// By their texts, those that have run: for the next module.
  llvm::StringMap<std::shared_ptr<Pipeline>> pipelines;
  bool crashed = false;
  FxGraphDiagnosticHandler handler = nullptr;
  void *handlerUser = nullptr;
};

/// Text of fxgraphGetError on this thread.
void setError(std::string text);

/// The frame of a call that works on a context: waits for it, collects diagnostics,
/// survives a crash of `body`. False, with the error set, if body is false or crashed;
/// `otherwise` is the error where no diagnostic says one.
bool call(ContextState &state, StringRef otherwise, function_ref<bool()> body);

char *copyString(StringRef text);

/// The text with its place in front, and its notes.
std::string formatDiagnostic(mlir::Diagnostic &diag);

} // namespace fxgraph::capi

struct FxGraphContext {
  std::shared_ptr<fxgraph::capi::ContextState> state;
};

struct FxGraphModule {
  ~FxGraphModule();
  std::shared_ptr<fxgraph::capi::ContextState> state;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Of the last pipeline, if its caller wanted them apart.
  std::vector<fxgraph::Report::Event> events;
};

struct FxGraphExecutable {
  ~FxGraphExecutable();
  /// Null where the executable has nothing to do with a context any more.
  std::shared_ptr<fxgraph::capi::ContextState> state;
  std::unique_ptr<fxgraph::Executable> executable;
};

#endif // FXGRAPH_LIB_CAPI_INTERNAL_H
