// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a graph becomes simpler while it shrinks. These are no identities: only the
// test script says what must stay.

#ifndef FXGRAPH_TOOLS_FX_REDUCE_REDUCTIONPATTERNS_H
#define FXGRAPH_TOOLS_FX_REDUCE_REDUCTIONPATTERNS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace fxgraph {
/// Gives the dialect its reduction patterns.
void registerReductionPatterns(mlir::DialectRegistry &registry);
} // namespace fxgraph

#endif // FXGRAPH_TOOLS_FX_REDUCE_REDUCTIONPATTERNS_H
