// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base classes of the graph passes. A def ends in `Pass`; its flag is
// `fxgraph-<family>-<pass>`.

#ifndef FXGRAPH_TRANSFORMS_PASSBASE_TD
#define FXGRAPH_TRANSFORMS_PASSBASE_TD

include "mlir/Pass/PassBase.td"

/// A pass over one graph. Bound to func.func: a flag of an interface pass cannot be
/// scheduled on a module without spelling the pipeline out. The base class is in
/// Transforms/Utils/GraphPass.h.
class FxGraphPass<string flag> : PassBase<"fxgraph-" # flag, "::fxgraph::GraphPass"> {
  let dependentDialects = ["::fxgraph::FxGraphDialect"];
}

/// A pass whose patterns are written in PDLL.
class FxGraphPDLLPass<string flag> : FxGraphPass<flag> {
  let dependentDialects = ["::fxgraph::FxGraphDialect", "::mlir::pdl::PDLDialect", "::mlir::pdl_interp::PDLInterpDialect"];
}

/// The device of tensors whose types name none (Transforms/Utils/Devices.h).
defvar DefaultDevice = Option<"defaultDevice", "default-device", "::fxgraph::OptionText", "\"cpu\"", "Device type of tensors whose types name none">;

#endif // FXGRAPH_TRANSFORMS_PASSBASE_TD
