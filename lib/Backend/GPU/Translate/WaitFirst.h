// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that may begin while the one before it writes waits for that one's end in front of all that it reads
// (OverlapLaunches.cpp). LLVM takes the arguments that a kernel only reads for memory that nothing changes while it runs,
// and may move reads of them in front of the wait.

#ifndef FXGRAPH_LIB_BACKEND_GPU_TRANSLATE_WAITFIRST_H
#define FXGRAPH_LIB_BACKEND_GPU_TRANSLATE_WAITFIRST_H

#include <string>

namespace llvm {
class StringRef;
}

namespace fxgraph::gpu {

/// The same PTX with the wait of each kernel (`griddepcontrol.wait`) in front of its other instructions.
std::string waitFirst(llvm::StringRef ptx);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_TRANSLATE_WAITFIRST_H
