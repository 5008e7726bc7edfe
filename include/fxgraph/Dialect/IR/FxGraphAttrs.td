// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of the dialect.

#ifndef FXGRAPH_ATTRS_TD
#define FXGRAPH_ATTRS_TD

include "fxgraph/Dialect/IR/FxGraphBase.td"
include "mlir/IR/TensorEncoding.td"

def FxGraph_MetaAttr : AttrDef<FxGraph_Dialect, "Meta",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "meta";
  let summary = "symbolic extents and device of a tensor";
  let description = [{
    Tensor encoding. `dims` names the dynamic extents of the tensor, in order:
    a symbol, or `?` for one that nothing is known about. Two extents with the
    same symbol are equal; `?` equals nothing, not even itself. `device` is
    there only where it differs from the module's.

    ```mlir
    tensor<?x8x?xf32, #fxgraph.meta<dims = [s0, ?]>>
    tensor<4xf32, #fxgraph.meta<device = "cuda:1">>
    ```

    **Constraints:** as many entries in `dims` as dynamic extents, or none at
    all; not empty altogether.
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::StringAttr", "symbols, null for ?">:$dims,
    OptionalParameter<"::mlir::StringAttr", "device, null for the module's">:$device);
  let hasCustomAssemblyFormat = 1;
}

#endif // FXGRAPH_ATTRS_TD
