// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products and what stands around them (torch/_inductor/fx_passes/post_grad.py, pad_mm.py,
// decompose_mem_bound_mm.py, b2b_gemm.py).

#ifndef FXGRAPH_TRANSFORMS_MATMUL_PASSES_TD
#define FXGRAPH_TRANSFORMS_MATMUL_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

#endif // FXGRAPH_TRANSFORMS_MATMUL_PASSES_TD
