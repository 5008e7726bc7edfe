// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Support/StagedFile.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace fxgraph;
namespace fs = llvm::sys::fs;

static llvm::Error makeError(StringRef target, const Twine &reason) {
  return llvm::createStringError("cannot write '" + target + "': " + reason);
}

llvm::Error StagedFile::fail(const std::error_code &code) const { return makeError(target, code.message()); }

llvm::Expected<StagedFile> StagedFile::create(StringRef target) {
  StagedFile file;
  file.target = file.path = target.str();
  fs::file_status status;
  std::error_code code;
  if (target != "-" && (fs::status(target, status), !fs::exists(status) || fs::is_regular_file(status))) {
    // A link stays one.
    llvm::SmallString<256> real, unique;
    if (fs::exists(status) && !fs::real_path(target, real))
      file.target = real.str().str();
    StringRef folder = llvm::sys::path::parent_path(file.target);
    if (!folder.empty() && !fs::is_directory(folder))
      return makeError(target, "expected a folder but '" + folder + "' is none");
    int descriptor;
    if ((code = fs::createUniqueFile(file.target + ".%%%%%%%%.tmp", descriptor, unique)))
      return makeError(target, code.message());
    file.path = unique.str().str();
    file.stream = std::make_unique<llvm::raw_fd_ostream>(descriptor, /*shouldClose=*/true);
  } else {
    file.stream = std::make_unique<llvm::raw_fd_ostream>(target, code);
    if (code)
      return makeError(target, code.message());
  }
  return file;
}

StagedFile::~StagedFile() {
  if (!stream)
    return;
  // An error that nobody asks for would end the process.
  stream->clear_error();
  stream.reset();
  if (path != target)
    (void)fs::remove(path);
}

llvm::Error StagedFile::commit() {
  if (target == "-")
    stream->flush();
  else
    stream->close();
  if (stream->has_error())
    return fail(stream->error());
  if (path != target)
    if (std::error_code code = fs::rename(path, target))
      return fail(code);
  stream.reset();
  return llvm::Error::success();
}

LogicalResult fxgraph::writeFile(Location loc, StringRef target, StringRef bytes) {
  auto write = [&]() -> llvm::Error {
    llvm::Expected<StagedFile> file = StagedFile::create(target);
    if (!file)
      return file.takeError();
    file->os() << bytes;
    return file->commit();
  };
  if (llvm::Error error = write())
    return mlir::emitError(loc) << llvm::toString(std::move(error));
  return mlir::success();
}
