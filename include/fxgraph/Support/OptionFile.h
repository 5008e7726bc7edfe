// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that options of passes name, and that are read when a pass is made or initialised: what is in them may change
// while the options stay. Whoever keeps a pipeline for its text asks whether there were any.

#ifndef FXGRAPH_SUPPORT_OPTIONFILE_H
#define FXGRAPH_SUPPORT_OPTIONFILE_H

#include "fxgraph/Support/LLVM.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/MemoryBuffer.h"

namespace fxgraph {

/// The file's text; the one way to read such a file.
llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> readOptionFile(StringRef path);

/// Notes that this thread reads such files, as long as it lives: pipelines are made, and their passes initialised, by one.
class OptionFileReads {
public:
  OptionFileReads();
  bool any() const;

private:
  uint64_t before;
};

} // namespace fxgraph

#endif // FXGRAPH_SUPPORT_OPTIONFILE_H
