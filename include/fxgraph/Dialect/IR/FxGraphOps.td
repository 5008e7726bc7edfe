// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ops of the dialect. Each group is generated and compiled on its own.

#ifndef FXGRAPH_OPS_TD
#define FXGRAPH_OPS_TD

include "fxgraph/Dialect/IR/OpsPointwise.td"
include "fxgraph/Dialect/IR/OpsView.td"
include "fxgraph/Dialect/IR/OpsSplitCat.td"
include "fxgraph/Dialect/IR/OpsContraction.td"
include "fxgraph/Dialect/IR/OpsConvNorm.td"
include "fxgraph/Dialect/IR/OpsReduction.td"
include "fxgraph/Dialect/IR/OpsIndexing.td"
include "fxgraph/Dialect/IR/OpsStructural.td"
include "fxgraph/Dialect/IR/OpsControlFlow.td"
include "fxgraph/Dialect/IR/OpsCollective.td"
include "fxgraph/Dialect/IR/OpsPacked.td"

#endif // FXGRAPH_OPS_TD
