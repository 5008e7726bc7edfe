// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling and running.

#include "Internal.h"
#include "fxgraph/Backend/Artefact.h"
#include "fxgraph/Backend/CPU.h"
#include "fxgraph/Backend/Translation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace fxgraph;
using namespace fxgraph::capi;

FxGraphExecutable::~FxGraphExecutable() {
  if (!state)
    return;
  std::lock_guard<std::recursive_mutex> lock(state->mutex);
  if (state->crashed)
    executable.release();
  else
    executable.reset();
}

static bool readSettings(const char *const *settings, int count,
                         std::vector<std::pair<std::string, std::string>> &result) {
  for (int i = 0; i < count; ++i) {
    auto [key, value] = StringRef(settings[i]).split('=');
    if (key.empty() || value.empty()) {
      setError("expected a setting <key>=<value> but got '" + std::string(settings[i]) + "'");
      return false;
    }
    result.emplace_back(key.str(), value.str());
  }
  return true;
}

FxGraphExecutable *fxgraphModuleCompile(FxGraphModule *module, const FxGraphCompileOptions *options) {
  ExecutableOptions executableOptions;
  executableOptions.accumulateF32 = options->accumulateF32;
  executableOptions.seed = options->seed;
  if (!readSettings(options->settings, options->settingCount, executableOptions.settings))
    return nullptr;
  auto result = std::make_unique<FxGraphExecutable>();
  bool fine = call(*module->state, "the graph cannot be compiled", [&] {
    FailureOr<std::unique_ptr<Executable>> executable =
        compileGraph(options->target, *module->module, options->entry ? options->entry : "main", executableOptions);
    if (succeeded(executable))
      result->executable = std::move(*executable);
    return succeeded(executable);
  });
  if (!fine)
    return nullptr;
  if (result->executable->needsContext())
    result->state = module->state;
  return result.release();
}

int fxgraphModuleSaveArtefact(FxGraphModule *module, const char *entry, const char *form, const char *path,
                              const char *const *settings, int settingCount) {
  TranslationSettings translationSettings;
  if (!readSettings(settings, settingCount, translationSettings))
    return 1;
  return !call(*module->state, "the artefact cannot be made", [&] {
    ArrayRef<Translation> forms = getTranslations();
    auto *found = llvm::find_if(forms, [&](const Translation &translation) { return translation.name == form; });
    if (found == forms.end()) {
      std::string names;
      for (const Translation &translation : forms)
        names += (names.empty() ? "" : ", ") + translation.name;
      mlir::emitError((*module->module).getLoc()) << "expected a form of " << names << " but got '" << form << "'";
      return false;
    }
    return succeeded(found->write(*module->module, entry ? entry : "main", path, translationSettings));
  });
}

FxGraphExecutable *fxgraphExecutableLoad(const char *path) {
  std::string error;
  std::unique_ptr<Executable> executable = loadArtefact(path, error);
  if (!executable) {
    setError(error);
    return nullptr;
  }
  return new FxGraphExecutable{nullptr, std::move(executable)};
}

void fxgraphExecutableDestroy(FxGraphExecutable *executable) { delete executable; }

const FxGraphInfo *fxgraphExecutableGetInfo(FxGraphExecutable *executable) { return &executable->executable->getInfo(); }

int64_t fxgraphExecutableGetWorkspaceBytes(FxGraphExecutable *executable) {
  return executable->executable->getWorkspaceBytes();
}

int fxgraphExecutableIsOnDevice(FxGraphExecutable *executable) { return executable->executable->isOnDevice(); }

int fxgraphExecutableRun(FxGraphExecutable *executable, const FxTensorDesc *inputs, int inputCount, FxTensorDesc *outputs,
                         int outputCount, const FxRunOptions *options) {
  std::string error;
  auto run = [&] {
    return executable->executable->run(ArrayRef(inputs, inputCount), MutableArrayRef(outputs, outputCount),
                                       options ? *options : FxRunOptions{}, error);
  };
  FxStatus status = FX_RUN_FAILED;
  if (executable->state) {
    bool fine = call(*executable->state, "", [&] {
      status = run();
      return true;
    });
    if (!fine)
      return FX_RUN_FAILED;
  } else {
    status = run();
  }
  if (status != FX_OK)
    setError(std::move(error));
  return status;
}

void *fxgraphExecutableAllocate(FxGraphExecutable *executable, int64_t bytes) {
  void *memory = executable->executable->allocateMemory(bytes);
  if (!memory && bytes)
    setError("out of memory: expected " + std::to_string(bytes) + " bytes");
  return memory;
}

void fxgraphExecutableFree(FxGraphExecutable *executable, void *memory) { executable->executable->freeMemory(memory); }

/// 0 for success, as the C functions say it.
static int finish(LogicalResult result, std::string &error) {
  if (succeeded(result))
    return 0;
  setError(std::move(error));
  return 1;
}

int fxgraphExecutableCopyIn(FxGraphExecutable *executable, void *memory, const void *host, int64_t bytes) {
  std::string error;
  return finish(executable->executable->copyIn(memory, host, bytes, error), error);
}

int fxgraphExecutableCopyOut(FxGraphExecutable *executable, void *host, const void *memory, int64_t bytes) {
  std::string error;
  return finish(executable->executable->copyOut(host, memory, bytes, error), error);
}

void fxgraphSetThreads(int count) { setCPUThreads(count); }
