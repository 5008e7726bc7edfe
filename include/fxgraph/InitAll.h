// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one front door of registration: every tool, the plugin and the C API call
// these and nothing else.

#ifndef FXGRAPH_INITALL_H
#define FXGRAPH_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace fxgraph {

/// The fxgraph dialect and what its passes create, with their interfaces.
void registerAllDialects(mlir::DialectRegistry &registry);
/// All passes and pipelines.
void registerAllPasses();

} // namespace fxgraph

#endif // FXGRAPH_INITALL_H
