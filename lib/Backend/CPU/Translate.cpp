// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forms so, object and llvm of fx-translate.

#include "fxgraph/Support/StagedFile.h"
#include "fxgraph/Backend/CPU.h"
#include "fxgraph/Backend/Translation.h"

using namespace fxgraph;

LogicalResult fxgraph::readCPUSetting(mlir::ModuleOp module, StringRef key, StringRef value,
                                      CPUCodeGenOptions &options) {
  unsigned number;
  bool isOn = value == "1" || value == "true" || value == "on",
       isOff = value == "0" || value == "false" || value == "off";
  if (key == "opt-level" && !value.getAsInteger(10, number) && number <= 3)
    options.optimizationLevel = number;
  else if (key == "cpu")
    options.cpu = value.str();
  else if (key == "parallel" && (isOn || isOff))
    options.parallel = isOn;
  else if (key == "fuse" && (isOn || isOff))
    options.fuse = isOn;
  else if (key == "timing" && (isOn || isOff))
    options.timing = isOn;
  else
    return mlir::emitError(module.getLoc())
           << "expected a setting of the CPU (opt-level=0 to 3, cpu=NAME, parallel, fuse and timing=0 or 1) but got '"
           << key << "=" << value << "'";
  return success();
}

/// Registers one form; `write` gets the code generator's options.
static void add(StringRef name, StringRef description,
                LogicalResult (*write)(mlir::ModuleOp, StringRef entry, StringRef output, const CPUCodeGenOptions &)) {
  registerTranslation({name.str(), description.str(), registerCPUCodeGenDialects,
                       [write](mlir::ModuleOp module, StringRef entry, StringRef output,
                               const TranslationSettings &settings) -> LogicalResult {
                         CPUCodeGenOptions options;
                         for (auto &[key, value] : settings)
                           if (failed(readCPUSetting(module, key, value, options)))
                             return failure();
                         return write(module, entry, output, options);
                       }});
}

void fxgraph::registerCPUTranslations() {
  add("so", "shared library for the CPU (include/fxgraph/Backend/CPUArtifact.h)",
      [](mlir::ModuleOp module, StringRef entry, StringRef output, const CPUCodeGenOptions &options) -> LogicalResult {
        if (output == "-")
          return mlir::emitError(module.getLoc()) << "expected an output file (-o) for a shared library";
        return emitSharedLibrary(module, entry, output, options);
      });
  add("object", "object file for the CPU, without the runtime",
      [](mlir::ModuleOp module, StringRef entry, StringRef output, const CPUCodeGenOptions &options) -> LogicalResult {
        FailureOr<SmallVector<char, 0>> object = emitObject(module, entry, options);
        if (failed(object))
          return failure();
        return writeFile(module.getLoc(), output, StringRef(object->data(), object->size()));
      });
  add("llvm", "optimised LLVM IR for the CPU",
      [](mlir::ModuleOp module, StringRef entry, StringRef output, const CPUCodeGenOptions &options) -> LogicalResult {
        FailureOr<std::string> text = emitLLVMIR(module, entry, options);
        if (failed(text))
          return failure();
        return writeFile(module.getLoc(), output, *text);
      });
}
