// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the library writes files: whole or not at all.

#ifndef FXGRAPH_SUPPORT_STAGEDFILE_H
#define FXGRAPH_SUPPORT_STAGEDFILE_H

#include "fxgraph/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <string>

namespace fxgraph {

/// A file beside the target that takes the target's name once it is whole, so that a
/// reader never sees half of it and two writers never share one. llvm::ToolOutputFile
/// and llvm::sys::fs::TempFile are for programs: they install LLVM's signal handlers,
/// and this library runs in processes whose Ctrl-C and crashes are not its own.
///
/// A target that is there and no regular file (a pipe, a device) is written in place;
/// "-" is standard output.
class StagedFile {
public:
  /// Errors name the target: "cannot write 'x': …".
  static llvm::Expected<StagedFile> create(StringRef target);
  StagedFile(StagedFile &&) = default;
  StagedFile &operator=(StagedFile &&) = delete;
  /// Removes what was not committed.
  ~StagedFile();

  raw_ostream &os() { return *stream; }
  /// Where the bytes are until `commit`, for a program that writes them.
  StringRef getPath() const { return path; }
  llvm::Error commit();

private:
  StagedFile() = default;
  llvm::Error fail(const std::error_code &code) const;

  std::string target, path;
  /// Null once the file has its name.
  std::unique_ptr<llvm::raw_fd_ostream> stream;
};

/// Writes `bytes` as `target`; what hinders it is an error at `loc`.
LogicalResult writeFile(Location loc, StringRef target, StringRef bytes);

} // namespace fxgraph

#endif // FXGRAPH_SUPPORT_STAGEDFILE_H
