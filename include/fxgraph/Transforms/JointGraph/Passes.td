// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes over the joint graph of forward and backward (torch/_inductor/fx_passes/joint_graph.py).

#ifndef FXGRAPH_TRANSFORMS_JOINTGRAPH_PASSES_TD
#define FXGRAPH_TRANSFORMS_JOINTGRAPH_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

#endif // FXGRAPH_TRANSFORMS_JOINTGRAPH_PASSES_TD
