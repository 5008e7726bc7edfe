// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph as a shared library: its object file and the runtime's source, put
// together by the system's C compiler.

#include "fxgraph/Support/StagedFile.h"
#include "fxgraph/Backend/CPU.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace fxgraph;

/// CPUArtifact.h, CPURuntime.h and CPURuntime.c, one after the other.
static const char runtimeSource[] = {
#include "CPURuntimeSource.inc"
};

LogicalResult fxgraph::emitSharedLibrary(mlir::ModuleOp module, StringRef entry, StringRef path,
                                         const CPUCodeGenOptions &options) {
  std::string name = llvm::sys::Process::GetEnv("CC").value_or("cc");
  llvm::ErrorOr<std::string> compiler = llvm::sys::findProgramByName(name);
  if (!compiler)
    return module.emitError() << "a shared library needs a C compiler to be linked, but '" << name
                              << "' was not found; set CC or install one";
  FailureOr<SmallVector<char, 0>> object = emitObject(module, entry, options);
  if (failed(object))
    return failure();
  llvm::Expected<StagedFile> linked = StagedFile::create(path);
  if (!linked)
    return module.emitError() << llvm::toString(linked.takeError());
  llvm::SmallString<128> directory;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("fxgraph", directory))
    return module.emitError() << "cannot make a temporary directory: " << error.message();
  auto inside = [&](StringRef file) {
    llvm::SmallString<128> full(directory);
    llvm::sys::path::append(full, file);
    return std::string(full);
  };
  std::string objectPath = inside("graph.o"), sourcePath = inside("runtime.c"), logPath = inside("log.txt");
  auto finish = [&](LogicalResult result) {
    llvm::sys::fs::remove_directories(directory);
    return result;
  };
  if (failed(writeFile(module.getLoc(), objectPath, StringRef(object->data(), object->size()))) ||
      failed(writeFile(module.getLoc(), sourcePath, StringRef(runtimeSource, sizeof(runtimeSource) - 1))))
    return finish(failure());
  SmallVector<StringRef> arguments{
      *compiler, "-shared",  "-fPIC",    "-O2",      "-std=gnu11", "-fvisibility=hidden", "-DFXCPU_STANDALONE", "-o",
      linked->getPath(), sourcePath, objectPath, "-pthread", "-lm",        "-Wl,-Bsymbolic"};
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(logPath), StringRef(logPath)};
  std::string error;
  int status = llvm::sys::ExecuteAndWait(*compiler, arguments, std::nullopt, redirects, 0, 0, &error);
  if (status == 0) {
    if (llvm::Error error = linked->commit())
      return finish(module.emitError() << llvm::toString(std::move(error)));
    return finish(success());
  }
  std::string log;
  if (auto buffer = llvm::MemoryBuffer::getFile(logPath))
    log = (*buffer)->getBuffer().str();
  return finish(module.emitError() << "'" << *compiler << "' could not link '" << path
                                   << "': " << (error.empty() ? log : error));
}
