// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts, errors and crashes.

#include "Guard.h"
#include "Internal.h"
#include "fxgraph/Backend/Translation.h"
#include "fxgraph/InitAll.h"
#include "fxgraph/InitAllTargets.h"
#include "fxgraph/Version.h"
#include "mlir/CAPI/IR.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>

using namespace fxgraph;
using namespace fxgraph::capi;

static thread_local std::string lastError;

void capi::setError(std::string text) { lastError = std::move(text); }

char *capi::copyString(StringRef text) {
  char *copy = static_cast<char *>(malloc(text.size() + 1));
  if (!copy) {
    setError("out of memory");
    return nullptr;
  }
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = 0;
  return copy;
}

/// Dialects, passes and targets, once a process.
static const mlir::DialectRegistry &getRegistry() {
  static const mlir::DialectRegistry registry = [] {
    mlir::registerAllPasses();
    fxgraph::registerAllPasses();
    registerAllTargets();
    registerAllTranslations();
    enableGuard();
    mlir::DialectRegistry all;
    mlir::registerAllDialects(all);
    mlir::registerAllExtensions(all);
    fxgraph::registerAllDialects(all);
    for (const Translation &translation : getTranslations())
      if (translation.registerDialects)
        translation.registerDialects(all);
    return all;
  }();
  return registry;
}

ContextState::ContextState()
    // Called from programs with threads of their own.
    : context(std::make_unique<MLIRContext>(getRegistry(), MLIRContext::Threading::DISABLED)) {
  // The op is named and located; its text may hold megabytes of constants.
  context->printOpOnDiagnostic(false);
}

ContextState::~ContextState() {
  if (crashed)
    context.release();
}

/// The line of a file of rules and a caret below the column, as MLIR's tools show them. The
/// graphs' own places are lines of Python programs, which their users know.
static std::string getExcerpt(mlir::FileLineColLoc place) {
  if (!StringRef(place.getFilename().getValue()).ends_with(".pdll"))
    return "";
  auto file = llvm::MemoryBuffer::getFile(place.getFilename().getValue());
  if (!file)
    return "";
  llvm::line_iterator line(**file, /*SkipBlanks=*/false);
  while (!line.is_at_end() && line.line_number() < place.getLine())
    ++line;
  if (line.is_at_end() || place.getColumn() == 0)
    return "";
  return "\n" + line->str() + "\n" + std::string(place.getColumn() - 1, ' ') + "^";
}

/// "file:line:column: error: …" and the notes.
std::string capi::formatDiagnostic(mlir::Diagnostic &diag) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto place = diag.getLocation()->findInstanceOf<mlir::FileLineColLoc>())
    os << place.getFilename().getValue() << ":" << place.getLine() << ":" << place.getColumn() << ": ";
  else if (!isa<mlir::UnknownLoc>(diag.getLocation()))
    os << diag.getLocation() << ": ";
  switch (diag.getSeverity()) {
  case mlir::DiagnosticSeverity::Error:
    os << "error: ";
    break;
  case mlir::DiagnosticSeverity::Warning:
    os << "warning: ";
    break;
  case mlir::DiagnosticSeverity::Remark:
    os << "remark: ";
    break;
  case mlir::DiagnosticSeverity::Note:
    os << "note: ";
    break;
  }
  os << diag.str();
  if (auto place = diag.getLocation()->findInstanceOf<mlir::FileLineColLoc>())
    os << getExcerpt(place);
  for (mlir::Diagnostic &note : diag.getNotes())
    os << "\n  note: " << note.str();
  return text;
}

static FxGraphSeverity getSeverity(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return FXGRAPH_ERROR;
  case mlir::DiagnosticSeverity::Warning:
    return FXGRAPH_WARNING;
  case mlir::DiagnosticSeverity::Remark:
    return FXGRAPH_REMARK;
  case mlir::DiagnosticSeverity::Note:
    return FXGRAPH_NOTE;
  }
  return FXGRAPH_NOTE;
}

bool capi::call(ContextState &state, StringRef otherwise, function_ref<bool()> body) {
  std::lock_guard<std::recursive_mutex> lock(state.mutex);
  if (state.crashed) {
    setError("a call on this context crashed before: expected another context");
    return false;
  }
  std::string errors;
  mlir::DiagnosticEngine &engine = state.context->getDiagEngine();
  auto id = engine.registerHandler([&](mlir::Diagnostic &diag) {
    std::string text = formatDiagnostic(diag);
    if (state.handler)
      state.handler(state.handlerUser, getSeverity(diag.getSeverity()), text.c_str());
    if (diag.getSeverity() == mlir::DiagnosticSeverity::Error)
      errors += (errors.empty() ? "" : "\n") + text;
    return success();
  });
  bool fine = false;
  std::string reason;
  bool ended = runGuarded([&] { fine = body(); }, reason);
  engine.eraseHandler(id);
  if (!ended) {
    // The context is in an unknown state, and what the call built is not freed.
    state.crashed = true;
    setError((errors.empty() ? "" : errors + "\n") + "internal error: " + reason +
             "; its context cannot be used any more");
    return false;
  }
  if (!fine)
    setError(errors.empty() ? otherwise.str() : errors);
  return fine;
}

const char *fxgraphGetVersion(void) { return FXGRAPH_VERSION_STRING; }
const char *fxgraphGetError(void) { return lastError.c_str(); }
void fxgraphFreeString(char *string) { free(string); }

FxGraphContext *fxgraphContextCreate(void) { return new FxGraphContext{std::make_shared<ContextState>()}; }
void fxgraphContextDestroy(FxGraphContext *context) { delete context; }

int fxgraphContextHasCrashed(FxGraphContext *context) {
  std::lock_guard<std::recursive_mutex> lock(context->state->mutex);
  return context->state->crashed;
}

void fxgraphContextSetDiagnosticHandler(FxGraphContext *context, FxGraphDiagnosticHandler handler, void *user) {
  std::lock_guard<std::recursive_mutex> lock(context->state->mutex);
  context->state->handler = handler;
  context->state->handlerUser = user;
}

MlirContext fxgraphContextGetMlir(FxGraphContext *context) { return wrap(context->state->context.get()); }
void fxgraphContextLock(FxGraphContext *context) { context->state->mutex.lock(); }
void fxgraphContextUnlock(FxGraphContext *context) { context->state->mutex.unlock(); }
