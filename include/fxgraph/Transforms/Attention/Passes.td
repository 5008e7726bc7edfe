// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention written out, as scaled_dot_product_attention (torch/_inductor/fx_passes/fuse_attention.py).

#ifndef FXGRAPH_TRANSFORMS_ATTENTION_PASSES_TD
#define FXGRAPH_TRANSFORMS_ATTENTION_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

#endif // FXGRAPH_TRANSFORMS_ATTENTION_PASSES_TD
