// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Support/OptionFile.h"

using namespace fxgraph;

static thread_local uint64_t numReads = 0;

llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> fxgraph::readOptionFile(StringRef path) {
  ++numReads; // One that is not there may be there later.
  return llvm::MemoryBuffer::getFile(path);
}

OptionFileReads::OptionFileReads() : before(numReads) {}
bool OptionFileReads::any() const { return numReads != before; }
