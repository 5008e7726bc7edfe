// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives (torch/_inductor/fx_passes/bucketing.py, ddp_fusion.py, micro_pipeline_tp.py,
// overlap_scheduling.py).

#ifndef FXGRAPH_TRANSFORMS_DISTRIBUTED_PASSES_TD
#define FXGRAPH_TRANSFORMS_DISTRIBUTED_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

#endif // FXGRAPH_TRANSFORMS_DISTRIBUTED_PASSES_TD
