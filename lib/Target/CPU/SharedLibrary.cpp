// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph as a shared library: its object file and the runtime's source, put
// together by the system's C compiler.

#include "fxgraph/Target/CPU.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace fxgraph;

/// CPUArtifact.h, CPURuntime.h and CPURuntime.c, one after the other.
static const char runtimeSource[] = {
#include "CPURuntimeSource.inc"
};

static LogicalResult writeFile(mlir::ModuleOp module, StringRef path, StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return module.emitError() << "cannot write '" << path << "': " << error.message();
  os << text;
  os.close();
  if (os.has_error())
    return module.emitError() << "cannot write '" << path << "': " << os.error().message();
  return success();
}

LogicalResult fxgraph::emitSharedLibrary(mlir::ModuleOp module, StringRef entry, StringRef path,
                                         const CPUCodeGenOptions &options) {
  std::string name = llvm::sys::Process::GetEnv("CC").value_or("cc");
  llvm::ErrorOr<std::string> compiler = llvm::sys::findProgramByName(name);
  if (!compiler)
    return module.emitError() << "a shared library needs a C compiler to be linked, but '" << name
                              << "' was not found; set CC or install one";
  StringRef folder = llvm::sys::path::parent_path(path);
  if (!folder.empty() && !llvm::sys::fs::is_directory(folder))
    return module.emitError() << "cannot write '" << path << "': expected a folder but '" << folder << "' is none";
  FailureOr<SmallVector<char, 0>> object = emitObject(module, entry, options);
  if (failed(object))
    return failure();
  llvm::SmallString<128> directory;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("fxgraph", directory))
    return module.emitError() << "cannot make a temporary directory: " << error.message();
  auto inside = [&](StringRef file) {
    llvm::SmallString<128> full(directory);
    llvm::sys::path::append(full, file);
    return std::string(full);
  };
  // Beside the target, so that the rename does not cross file systems.
  std::string linked = (path + "." + Twine(llvm::sys::Process::getProcessId()) + ".tmp").str();
  std::string objectPath = inside("graph.o"), sourcePath = inside("runtime.c"), logPath = inside("log.txt");
  auto finish = [&](LogicalResult result) {
    llvm::sys::fs::remove_directories(directory);
    (void)llvm::sys::fs::remove(linked);
    return result;
  };
  if (failed(writeFile(module, objectPath, StringRef(object->data(), object->size()))) ||
      failed(writeFile(module, sourcePath, StringRef(runtimeSource, sizeof(runtimeSource) - 1))))
    return finish(failure());
  SmallVector<StringRef> arguments{
      *compiler, "-shared",  "-fPIC",    "-O2",      "-std=gnu11", "-fvisibility=hidden", "-DFXCPU_STANDALONE", "-o",
      linked,    sourcePath, objectPath, "-pthread", "-lm",        "-Wl,-Bsymbolic"};
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(logPath), StringRef(logPath)};
  std::string error;
  int status = llvm::sys::ExecuteAndWait(*compiler, arguments, std::nullopt, redirects, 0, 0, &error);
  if (status == 0) {
    if (std::error_code code = llvm::sys::fs::rename(linked, path))
      return finish(module.emitError() << "cannot write '" << path << "': " << code.message());
    return finish(success());
  }
  std::string log;
  if (auto buffer = llvm::MemoryBuffer::getFile(logPath))
    log = (*buffer)->getBuffer().str();
  return finish(module.emitError() << "'" << *compiler << "' could not link '" << path
                                   << "': " << (error.empty() ? log : error));
}
