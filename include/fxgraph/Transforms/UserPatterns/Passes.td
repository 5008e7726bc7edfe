// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Users' own patterns, as text.

#ifndef FXGRAPH_TRANSFORMS_USERPATTERNS_PASSES_TD
#define FXGRAPH_TRANSFORMS_USERPATTERNS_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

#endif // FXGRAPH_TRANSFORMS_USERPATTERNS_PASSES_TD
