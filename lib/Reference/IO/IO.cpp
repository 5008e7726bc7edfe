// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choice of the format, and writing without half-finished files.

#include "Formats.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace fxgraph;

TensorFile::~TensorFile() = default;

llvm::Expected<std::unique_ptr<TensorFile>> TensorFile::open(StringRef path, MLIRContext *context) {
  StringRef suffix = llvm::sys::path::extension(path);
  if (suffix == ".npz")
    return openNpz(path, context);
  if (suffix == ".npy")
    return openNpy(path, context);
  if (suffix == ".safetensors")
    return openSafetensors(path, context);
  return makeError("%s: expected a file name that ends in .npz, .npy or .safetensors", path.str().c_str());
}

llvm::Error fxgraph::checkOutputPath(StringRef path) {
  StringRef suffix = llvm::sys::path::extension(path), folder = llvm::sys::path::parent_path(path);
  if (suffix != ".npz" && suffix != ".safetensors")
    return makeError("%s: expected an output file name that ends in .npz or .safetensors", path.str().c_str());
  if (!folder.empty() && !llvm::sys::fs::is_directory(folder))
    return makeError("%s: cannot be written: expected a folder but '%s' is none", path.str().c_str(),
                     folder.str().c_str());
  if (llvm::sys::fs::is_directory(path))
    return makeError("%s: cannot be written: expected a file but it is a folder", path.str().c_str());
  return llvm::Error::success();
}

llvm::Error fxgraph::writeTensorFile(StringRef path, ArrayRef<NamedTensor> tensors) {
  if (llvm::Error error = checkOutputPath(path))
    return error;
  // Beside the target, so that the rename does not cross file systems.
  std::string temporary = (path + "." + Twine(llvm::sys::Process::getProcessId()) + ".tmp").str();
  llvm::Error error = llvm::sys::path::extension(path) == ".npz" ? writeNpz(temporary, path, tensors)
                                                                 : writeSafetensors(temporary, path, tensors);
  if (error) {
    (void)llvm::sys::fs::remove(temporary);
    return error;
  }
  if (std::error_code code = llvm::sys::fs::rename(temporary, path)) {
    (void)llvm::sys::fs::remove(temporary);
    return makeError("%s: cannot be written: %s", path.str().c_str(), code.message().c_str());
  }
  return llvm::Error::success();
}
