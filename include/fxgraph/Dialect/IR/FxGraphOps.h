// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All op classes of the dialect and their interfaces.

#ifndef FXGRAPH_DIALECT_IR_FXGRAPHOPS_H
#define FXGRAPH_DIALECT_IR_FXGRAPHOPS_H

#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Dialect/IR/KernelForm.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fxgraph {
/// State of the random generators: ops that draw are ordered by it.
struct RandomState : public mlir::SideEffects::Resource::Base<RandomState> {
  StringRef getName() override { return "<RandomState>"; }
};
/// Effects on the host program: asserts, prints.
struct HostState : public mlir::SideEffects::Resource::Base<HostState> {
  StringRef getName() override { return "<HostState>"; }
};
/// The order of a process's collectives, which all processes of a group share.
struct CommunicationState : public mlir::SideEffects::Resource::Base<CommunicationState> {
  StringRef getName() override { return "<CommunicationState>"; }
};
} // namespace fxgraph

#include "fxgraph/Dialect/IR/FxGraphInterfaces.h.inc"

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsPointwise.h.inc"
#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsView.h.inc"
#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsSplitCat.h.inc"
#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsContraction.h.inc"
#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsConvNorm.h.inc"
#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsReduction.h.inc"
#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsIndexing.h.inc"
#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsStructural.h.inc"
#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsControlFlow.h.inc"
#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsCollective.h.inc"
#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsPacked.h.inc"

namespace fxgraph {
/// True if there is an op, and its result is operand 0 in row-major order under another shape.
bool isRowMajorView(Operation *op);
/// True if running the op draws random numbers.
bool drawsRandomNumbers(Operation *op);
} // namespace fxgraph

#endif // FXGRAPH_DIALECT_IR_FXGRAPHOPS_H
