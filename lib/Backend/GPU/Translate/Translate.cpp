// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `fx-translate --to=ptx|cubin|fatbin|plan|gpu`.

#include "fxgraph/Analysis/CallGraph.h"
#include "fxgraph/Backend/GPU/GPU.h"
#include "fxgraph/Backend/GPU/Targets.h"
#include "fxgraph/Backend/Translation.h"
#include "fxgraph/Support/StagedFile.h"
#include "llvm/Support/FileSystem.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

static LogicalResult parseSettings(Location loc, const TranslationSettings &settings, GPUOptions &options) {
  for (const auto &[key, value] : settings) {
    bool known = true;
    if (setGPUOption(key, value, options))
      continue;
    if (key == "format" && (value == "ptx" || value == "cubin" || value == "fatbin"))
      options.format = value == "ptx" ? ImageFormat::PTX : value == "cubin" ? ImageFormat::Cubin : ImageFormat::Fatbin;
    else if (key == "toolkit")
      options.toolkit = value;
    else
      known = false;
    if (!known)
      return emitError(loc) << "expected " << kGPUOptionsText << ", format=ptx|cubin|fatbin or toolkit=… but got '"
                            << key << "=" << value << "'";
  }
  return success();
}

using WriteArtefact = LogicalResult (*)(Location loc, StringRef output, const GPUArtefact &artefact,
                                        const GPUOptions &options);

/// A translation of one function: compiles it for the GPU and writes what `write` takes of it.
static void registerGPUTranslation(StringRef name, StringRef description, ImageFormat format, WriteArtefact write) {
  auto translate = [format, write](mlir::ModuleOp module, StringRef entry, StringRef output,
                                   const TranslationSettings &settings) -> LogicalResult {
    GPUOptions options;
    options.format = format;
    FailureOr<mlir::func::FuncOp> function = lookupEntry(module, entry);
    if (failed(function) || failed(parseSettings(module.getLoc(), settings, options)) || failed(checkCalls(*function)))
      return failure();
    FailureOr<GPUArtefact> artefact = compileForGPU(*function, options);
    if (failed(artefact))
      return failure();
    return write(module.getLoc(), output, *artefact, options);
  };
  registerTranslation({name.str(), description.str(), registerGPUDialects, translate});
}

static LogicalResult writeImage(Location loc, StringRef output, const GPUArtefact &artefact, const GPUOptions &) {
  if (artefact.image.empty())
    return emitError(loc) << "the graph has no kernel of its own: there is no image to write";
  return writeFile(loc, output, artefact.image);
}

static LogicalResult writePlan(Location loc, StringRef output, const GPUArtefact &artefact, const GPUOptions &) {
  return writeFile(loc, output, artefact.plan);
}

static StringRef getSuffix(ImageFormat format) {
  switch (format) {
  case ImageFormat::PTX:
    return "ptx";
  case ImageFormat::Cubin:
    return "cubin";
  case ImageFormat::Fatbin:
    return "fatbin";
  }
  llvm_unreachable("all formats are listed");
}

static LogicalResult writeFolder(Location loc, StringRef output, const GPUArtefact &artefact,
                                 const GPUOptions &options) {
  if (output == "-")
    return emitError(loc) << "expected a folder (-o FOLDER) but got standard output";
  if (std::error_code code = llvm::sys::fs::create_directories(output))
    return emitError(loc) << "cannot create '" << output << "': " << code.message();
  // All of it or nothing; the plan, which names the others, comes last.
  SmallVector<std::pair<std::string, StringRef>> files;
  if (!artefact.image.empty())
    files.push_back({("image." + getSuffix(options.format)).str(), artefact.image});
  if (!artefact.constants.empty())
    files.push_back({"constants.bin", artefact.constants});
  files.push_back({"plan.json", artefact.plan});
  SmallVector<StagedFile> staged;
  for (auto &[name, text] : files) {
    llvm::Expected<StagedFile> file = StagedFile::create((output + "/" + name).str());
    if (!file)
      return emitError(loc) << llvm::toString(file.takeError());
    file->os() << text;
    staged.push_back(std::move(*file));
  }
  for (StagedFile &file : staged)
    if (llvm::Error error = file.commit())
      return emitError(loc) << llvm::toString(std::move(error));
  return success();
}

void fxgraph::registerGPUTranslations() {
  registerGPUTranslation("ptx", "GPU kernels as PTX text", ImageFormat::PTX, writeImage);
  registerGPUTranslation("cubin", "GPU kernels for one chip", ImageFormat::Cubin, writeImage);
  registerGPUTranslation("fatbin", "GPU kernels for one chip, in NVIDIA's container", ImageFormat::Fatbin, writeImage);
  registerGPUTranslation("plan", "GPU launch plan, as JSON", ImageFormat::PTX, writePlan);
  registerGPUTranslation("gpu",
                         "folder with plan.json, image.ptx (or .cubin, .fatbin) and constants.bin, for the GPU runtime",
                         ImageFormat::PTX, writeFolder);
}
