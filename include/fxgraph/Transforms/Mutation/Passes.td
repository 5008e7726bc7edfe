// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From values to writes (torch/_inductor/fx_passes/reinplace.py, post_grad.py), control flow as loops.

#ifndef FXGRAPH_TRANSFORMS_MUTATION_PASSES_TD
#define FXGRAPH_TRANSFORMS_MUTATION_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

#endif // FXGRAPH_TRANSFORMS_MUTATION_PASSES_TD
