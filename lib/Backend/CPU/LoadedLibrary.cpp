// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph that was stored as a shared library (CPUArtifact.h), loaded again.

#include "fxgraph/Backend/Artefact.h"
#include "fxgraph/Backend/CPUArtifact.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
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
    if (failed(open(file, error))) {
      error = "cannot load '" + path.str() + "': " + error;
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
  /// dlopen gives a library that is loaded under this name, also if the file of the name
  /// is another one by now. Under a new name it compares the files themselves.
  LogicalResult open(StringRef file, std::string &error) {
    constexpr int kFlags = RTLD_NOW | RTLD_LOCAL;
    void *loaded = dlopen(file.str().c_str(), kFlags | RTLD_NOLOAD);
    if (!loaded) {
      library = dlopen(file.str().c_str(), kFlags);
      error = library ? "" : dlerror();
      return success(library != nullptr);
    }
    llvm::SmallString<128> folder, link, target(file);
    std::error_code code = llvm::sys::fs::make_absolute(target);
    if (!code)
      code = llvm::sys::fs::createUniqueDirectory("fxgraph", folder);
    link = folder;
    llvm::sys::path::append(link, "graph.so");
    if (!code)
      code = llvm::sys::fs::create_link(target, link);
    if (!code)
      library = dlopen(link.c_str(), kFlags);
    error = code ? code.message() : library ? "" : dlerror();
    if (!folder.empty())
      llvm::sys::fs::remove_directories(folder);
    dlclose(loaded);
    return success(library != nullptr);
  }

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
