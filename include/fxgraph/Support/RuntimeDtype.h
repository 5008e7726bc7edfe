// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types of the IR as compiled code describes them (Runtime/Tensor.h).

#ifndef FXGRAPH_SUPPORT_RUNTIMEDTYPE_H
#define FXGRAPH_SUPPORT_RUNTIMEDTYPE_H

#include "fxgraph/Runtime/Tensor.h"
#include "fxgraph/Support/LLVM.h"

namespace fxgraph {

/// The FxDtype of an element type (index: i64); 0 for what compiled code has no form of.
int32_t getRuntimeDtype(Type elementType);

} // namespace fxgraph

#endif // FXGRAPH_SUPPORT_RUNTIMEDTYPE_H
