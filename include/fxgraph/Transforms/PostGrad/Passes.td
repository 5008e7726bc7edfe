// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clean-up and local rewrites behind autodiff (torch/_inductor/fx_passes/post_grad.py).

#ifndef FXGRAPH_TRANSFORMS_POSTGRAD_PASSES_TD
#define FXGRAPH_TRANSFORMS_POSTGRAD_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

#endif // FXGRAPH_TRANSFORMS_POSTGRAD_PASSES_TD
