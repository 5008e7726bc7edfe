// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITJOINEDROWS_H
#define FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITJOINEDROWS_H

#include "Emit/KernelFunction.h"
#include "Kernel/JoinedRows.h"

namespace fxgraph::gpu {

/// Appends a function whose blocks compute so many rows of the result each, piece by piece into shared memory, and write
/// them as they lie there. Arguments: the arrays of the first piece, then those of the second …
FailureOr<LaunchShape> emitJoinedRows(OpBuilder &builder, StringRef name, const JoinedRows &joined,
                                      int64_t rowsOfBlock);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_EMIT_EMITJOINEDROWS_H
