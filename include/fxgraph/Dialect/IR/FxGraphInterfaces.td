// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes ask of an op instead of its name (passes.md, section 20).

#ifndef FXGRAPH_INTERFACES_TD
#define FXGRAPH_INTERFACES_TD

include "mlir/IR/OpBase.td"

def PointwiseOpInterface : OpInterface<"PointwiseOpInterface"> {
  let cppNamespace = "::fxgraph";
  let description = [{
    Each result element depends on the operands' elements at the same
    (broadcast) position alone. All tensor operands broadcast to the result.
  }];
}

def UnaryPointwiseOpInterface : OpInterface<"UnaryPointwiseOpInterface", [PointwiseOpInterface]> {
  let cppNamespace = "::fxgraph";
  let description = [{
    A pointwise op with exactly one tensor operand; everything else that it
    means is in its attributes. Data movement commutes with it.
  }];
}

def SplitLikeOpInterface : OpInterface<"SplitLikeOpInterface"> {
  let cppNamespace = "::fxgraph";
  let description = [{
    Cuts operand 0 along one dimension into its results, in order, without gaps
    (`split`, `split_with_sizes`, `chunk`, `unbind`).
  }];
  let methods = [
    InterfaceMethod<"The dimension cut along, 0 <= dim < rank of the input.",
      "int64_t", "getNormalizedDim">,
    InterfaceMethod<"True if the pieces lose the dimension (unbind).",
      "bool", "dropsDim">,
    InterfaceMethod<[{
      Extents of the pieces along the dimension (1 each for unbind), or nullopt
      when one is not known at compile time.}],
      "std::optional<::llvm::SmallVector<int64_t>>", "getStaticSections">
  ];
}

def CatLikeOpInterface : OpInterface<"CatLikeOpInterface"> {
  let cppNamespace = "::fxgraph";
  let description = [{
    Joins its operands along one dimension, in order (`cat`, `stack`).
  }];
  let methods = [
    InterfaceMethod<"The dimension joined along, 0 <= dim < rank of the *result*.",
      "int64_t", "getNormalizedDim">,
    InterfaceMethod<"True if each operand gains the dimension (stack).",
      "bool", "addsDim">
  ];
}

def ViewLikeOpInterface : OpInterface<"ViewLikeOpInterface"> {
  let cppNamespace = "::fxgraph";
  let description = [{
    Moves or selects the elements of operand 0 without computing on them.
  }];
  let methods = [
    InterfaceMethod<"True if in PyTorch the result may share the input's storage.",
      "bool", "mayAlias", (ins), "", [{ return true; }]>,
    InterfaceMethod<[{
      True if the result is the input's elements in row-major order under another
      shape.}],
      "bool", "keepsRowMajorOrder", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
      True if the result holds every element of the input exactly once.}],
      "bool", "isBijective", (ins), "", [{ return true; }]>,
    InterfaceMethod<[{
      Where the elements are in the input, if each dimension of the result is a step
      along one of the input. Static extents.}],
      "std::optional<::fxgraph::StridedMap>", "getStridedMap", (ins), "", [{ return std::nullopt; }]>
  ];
}

def KernelFormOpInterface : OpInterface<"KernelFormOpInterface"> {
  let cppNamespace = "::fxgraph";
  let description = [{
    Says what the op is in a kernel that is fused of several. An op without it is pointwise
    (`PointwiseOpInterface`) or a kernel by itself.
  }];
  let methods = [
    InterfaceMethod<"What an element of the results is.", "::fxgraph::KernelForm", "getKernelForm">
  ];
}

def RowOpInterface : OpInterface<"RowOpInterface"> {
  let cppNamespace = "::fxgraph";
  let description = "Computes each element of its results from a row of operand 0, along some dimensions.";
  let methods = [
    InterfaceMethod<"The dimensions of a row, normalised.", "::llvm::SmallVector<int64_t>", "getRowDims">,
    InterfaceMethod<"True if result 0 has an element for each of operand 0, not one for each row.", "bool", "keepsRow">
  ];
}

def ReductionOpInterface : OpInterface<"ReductionOpInterface"> {
  let cppNamespace = "::fxgraph";
  let description = "Combines the elements of operand 0 along some dimensions.";
  let methods = [
    InterfaceMethod<"The reduced dimensions, normalised and sorted.",
      "::llvm::SmallVector<int64_t>", "getReducedDims">
  ];
}

def ContractionOpInterface : OpInterface<"ContractionOpInterface"> {
  let cppNamespace = "::fxgraph";
  let description = "Sums products of its operands' elements.";
  let methods = [
    InterfaceMethod<[{
      Products summed for each element of the results. `extent` tells the size of a
      value's dimension, also of a dynamic one; a negative dimension counts from the end.}],
      "double", "countProducts", (ins "::llvm::function_ref<double(::mlir::Value, int64_t)>":$extent), "", [{
        return extent($_op->getOperand(0), -1);
      }]>
  ];
}

def UnknownCallOpInterface : OpInterface<"UnknownCallOpInterface"> {
  let cppNamespace = "::fxgraph";
  let description = [{
    Calls a PyTorch op that the dialect does not model, so that nothing here runs it.
  }];
  let methods = [InterfaceMethod<"The callable's name.", "::llvm::StringRef", "getTarget">];
}

def DecomposableOpInterface : OpInterface<"DecomposableOpInterface"> {
  let cppNamespace = "::fxgraph";
  let description = "An op that is defined by simpler ops of the dialect.";
  let methods = [
    InterfaceMethod<[{
      Builds the simpler ops at the builder's insertion point and returns the
      values that replace the results; failure if this instance has none.}],
      "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "decompose",
      (ins "::mlir::OpBuilder &":$builder)>
  ];
}

#endif // FXGRAPH_INTERFACES_TD
