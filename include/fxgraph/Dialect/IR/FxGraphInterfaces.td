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
      "std::optional<::fxgraph::StridedMap>", "getStridedMap", (ins), "", [{ return std::nullopt; }]>,
    InterfaceMethod<[{
      Where the elements are in the input, of the dimensions of the result's index; null for ops that are no views in
      kernels, and for those that keep row-major order. Static extents.}],
      "::mlir::AffineMap", "getIndexMap", (ins), "", [{
        std::optional<::fxgraph::StridedMap> map = $_op.getStridedMap();
        return map ? ::fxgraph::getAffineMap(*map, $_op->getContext()) : ::mlir::AffineMap();
      }]>
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

def ChoiceOpInterface : OpInterface<"ChoiceOpInterface"> {
  let cppNamespace = "::fxgraph";
  let description = [{
    Takes each element from one of its operands, or a number, by where it is (`KernelForm::Select`). Static extents.
  }];
  let methods = [
    InterfaceMethod<"The first whose tests hold; the last where no other's do.",
      "::llvm::SmallVector<::fxgraph::ElementChoice>", "getChoices">
  ];
}

def GatherOpInterface : OpInterface<"GatherOpInterface"> {
  let cppNamespace = "::fxgraph";
  let description = [{
    Takes elements of operand 0, the table, at indices that it reads from other operands (`KernelForm::Gather`).
    Static extents.
  }];
  let methods = [
    InterfaceMethod<"Where an element is along each dimension of the table.",
      "::llvm::SmallVector<::fxgraph::GatheredDim>", "getGatheredDims">,
    InterfaceMethod<"True if negative indices count from the end.", "bool", "countsFromEnd", (ins), "", [{ return false; }]>
  ];
}

def KernelLoopOpInterface : OpInterface<"KernelLoopOpInterface"> {
  let cppNamespace = "::fxgraph";
  let description = [{
    Computes elements in a loop over elements of its operands (`KernelForm::Reduction`): of a row, a window, the terms of a
    product. What `RowOpInterface` and `ReductionOpInterface` say of an op serves as default. Static extents.
  }];
  let methods = [
    InterfaceMethod<"Extents of the loop.", "::llvm::SmallVector<int64_t, 4>", "getLoopExtents", (ins), "", [{
        return ::fxgraph::getRowLoopExtents($_op.getOperation());
      }]>,
    InterfaceMethod<[{
      What of an element's index tells which loop it is: elements for which it is the same share one. Each result is a
      dimension of the index, or the quotient of one by a number that divides its extent.}],
      "::mlir::AffineMap", "getLoopRows", (ins), "", [{
        return ::fxgraph::getRowsOfLoop($_op.getOperation());
      }]>,
    InterfaceMethod<"What a turn of the loop reads for an element of this result, and then what the result is computed from.",
      "::llvm::SmallVector<::fxgraph::LoopTerm, 3>", "getLoopTerms", (ins "unsigned":$result), "", [{
        return ::fxgraph::getRowTerms($_op.getOperation(), result);
      }]>,
    InterfaceMethod<"How the terms are combined, if that is all there is to do.",
      "std::optional<::fxgraph::ReduceKind>", "getReduceKind", (ins), "", [{ return std::nullopt; }]>,
    InterfaceMethod<"True if each element is what is combined up to it.", "bool", "isRunning", (ins), "", [{ return false; }]>,
    InterfaceMethod<"Builds what an element of this result is computed as of the terms.",
      "::fxgraph::FormulaBuilder::Node", "buildFormula", (ins "::fxgraph::FormulaBuilder &":$builder, "unsigned":$result), "", [{
        std::optional<::fxgraph::ReduceKind> kind = $_op.getReduceKind();
        assert(kind && "a loop that does more than combine its terms has a formula of its own");
        return builder.combine(*kind, $_op.isRunning(), result);
      }]>
  ];
}

def MatrixProductOpInterface : OpInterface<"MatrixProductOpInterface"> {
  let cppNamespace = "::fxgraph";
  let description = [{
    Is scale * (left x right) + addend scale * addend, of matrices or of batches of them.
  }];
  let methods = [
    InterfaceMethod<"[*, m, k]", "::mlir::Value", "getLeft">,
    InterfaceMethod<"[*, k, n]", "::mlir::Value", "getRight">,
    InterfaceMethod<"Broadcasts to the result; null if there is none, or its scale is 0, where nothing reads it.",
      "::mlir::Value", "getAddend", (ins), "", [{ return {}; }]>,
    InterfaceMethod<"Of the product.", "double", "getProductScale", (ins), "", [{ return 1; }]>,
    InterfaceMethod<"Of the addend.", "double", "getAddendScale", (ins), "", [{ return 1; }]>
  ];
}

def ConvolutionOpInterface : OpInterface<"ConvolutionOpInterface"> {
  let cppNamespace = "::fxgraph";
  let description = "Convolves operand 0 with operand 1, and adds a bias if there is one.";
  let methods = [
    InterfaceMethod<"Operands and attributes.", "::fxgraph::ConvolutionInfo", "getConvolution">
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
