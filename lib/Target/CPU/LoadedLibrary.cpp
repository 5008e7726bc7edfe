// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph that was stored as a shared library (CPUArtifact.h), loaded again.

#include "fxgraph/Target/Artefact.h"
#include "fxgraph/Target/CPUArtifact.h"
#include <dlfcn.h>

using namespace fxgraph;

namespace {
class LoadedLibrary : public Executable {
public:
  ~LoadedLibrary() override {
    if (library)
      dlclose(library);
  }

  LogicalResult load(StringRef path, std::string &error) {
    // A path without a slash would be looked for among the system's libraries.
    std::string file = path.contains('/') ? path.str() : "./" + path.str();
    library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      error = "cannot load '" + path.str() + "': " + dlerror();
      return failure();
    }
    const FxGraphInfo *(*getInfoOf)() = nullptr;
    int64_t (*getWorkspace)() = nullptr;
    int (*getVersion)() = nullptr;
    if (failed(find("fxgraph_version", getVersion, path, error)))
      return failure();
    if (getVersion() != FX_CPU_ABI_VERSION) {
      error = "expected '" + path.str() + "' to have version " + std::to_string(FX_CPU_ABI_VERSION) +
              " of the interface but got " + std::to_string(getVersion()) + "; make it anew";
      return failure();
    }
    if (failed(find("fxgraph_info", getInfoOf, path, error)) ||
        failed(find("fxgraph_workspace", getWorkspace, path, error)) ||
        failed(find("fxgraph_run_with", runWith, path, error)) ||
        failed(find("fxgraph_last_error", getError, path, error)))
      return failure();
    info = getInfoOf();
    workspaceBytes = getWorkspace();
    if (info)
      return success();
    error = "cannot load '" + path.str() + "': " + getError();
    return failure();
  }

  const FxGraphInfo &getInfo() const override { return *info; }
  int64_t getWorkspaceBytes() const override { return workspaceBytes; }
  FxStatus run(ArrayRef<FxTensorDesc> inputs, MutableArrayRef<FxTensorDesc> outputs, const FxRunOptions &options,
               std::string &error) override {
    int status = runWith(inputs.data(), inputs.size(), outputs.data(), outputs.size(), &options);
    if (status != FX_OK)
      error = getError();
    return static_cast<FxStatus>(status);
  }

private:
  template <typename Function>
  LogicalResult find(const char *name, Function &function, StringRef path, std::string &error) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function)
      return success();
    error = "expected '" + path.str() + "' to be a graph (fx-translate --to=so) but it has no function " + name;
    return failure();
  }

  void *library = nullptr;
  const FxGraphInfo *info = nullptr;
  int64_t workspaceBytes = 0;
  int (*runWith)(const FxTensorDesc *, int, FxTensorDesc *, int, const FxRunOptions *) = nullptr;
  const char *(*getError)() = nullptr;
};
} // namespace

std::unique_ptr<Executable> fxgraph::loadSharedLibrary(StringRef path, std::string &error) {
  auto result = std::make_unique<LoadedLibrary>();
  if (failed(result->load(path, error)))
    return nullptr;
  return result;
}
