// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_TRANSFORMS_SIZES_PASSES_H
#define FXGRAPH_TRANSFORMS_SIZES_PASSES_H

#include "fxgraph/Transforms/Utils/GraphPass.h"

namespace fxgraph {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fxgraph/Transforms/Sizes/Passes.h.inc"

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_SIZES_PASSES_H
