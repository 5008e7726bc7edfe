// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data movement: shapes, axes, slices, repetition.

#ifndef FXGRAPH_OPS_VIEW_TD
#define FXGRAPH_OPS_VIEW_TD

include "fxgraph/Dialect/IR/FxGraphBase.td"

/// For an op that moves elements and whose result is always a tensor of its own.
defvar FxGraph_Copies = "bool mayAlias() { return false; }";

class FxGraph_MoveOp<string mnemonic, list<Trait> traits = []>
    : FxGraph_InferredOp<mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>], traits)> {
  let arguments = (ins FxGraph_Tensor:$input);
  let results = (outs FxGraph_Tensor:$result);
}

/// The same elements in row-major order under another shape.
class FxGraph_RowMajorViewOp<string mnemonic, list<Trait> traits = []> : FxGraph_MoveOp<mnemonic, traits> {
  let extraClassDeclaration = "bool keepsRowMajorOrder() { return true; }";
  let inverse = InverseReshape;
}

/// A view that picks or repeats elements.
class FxGraph_SelectingViewOp<string mnemonic, list<Trait> traits = []>
    : FxGraph_InferredOp<mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface, ["isBijective"]>], traits)> {
  let arguments = (ins FxGraph_Tensor:$input);
  let results = (outs FxGraph_Tensor:$result);
}

/// `shape` holds the target extents: -1 (at most one) is inferred,
/// INT64_MIN takes the next of the `sizes` operands.
class FxGraph_ReshapeLikeOp<string mnemonic> : FxGraph_RowMajorViewOp<mnemonic, [FxGraph_KernelForm<"View">]> {
  let classConstraints = [
    "sizes_c1: one operand of sizes for each INT64_MIN in shape",
    "reshape_c1: at most one -1 in shape",
    "reshape_c2: the other extents in shape are >= 0",
    "reshape_c3: shape has as many elements as the input; the -1 divides without rest"];
  let arguments = (ins FxGraph_Tensor:$input, Variadic<Index>:$sizes, DenseI64ArrayAttr:$shape);
  let assemblyFormat = [{
    $input `shape` custom<DynamicShape>($sizes, $shape) attr-dict `:` type($input) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "::llvm::ArrayRef<int64_t>":$shape), [{
    build($_builder, $_state, input, ::mlir::ValueRange(), shape);
  }]>];
}

def FxGraph_ReshapeOp : FxGraph_ReshapeLikeOp<"reshape"> {
  let summary = "the same elements in row-major order under another shape";
  let torchOverloads = ["aten.reshape.default(input, shape)", "torch.reshape(input, shape)", "Tensor.reshape(input, *shape)",
    "aten._unsafe_view.default(input, shape)", "aten.reshape_as.default(input, _other)", "Tensor.reshape_as(input, _other)"];
  let hasFolder = 1;
}
def FxGraph_ViewOp : FxGraph_ReshapeLikeOp<"view"> {
  let summary = "reshape that in PyTorch must alias its input";
  let torchOverloads = ["aten.view.default(input, shape)", "Tensor.view(input, *shape)", "aten.view_as.default(input, _other)", "Tensor.view_as(input, _other)"];
  let hasFolder = 1;
}
def FxGraph_FlattenOp : FxGraph_RowMajorViewOp<"flatten", [FxGraph_KernelForm<"View">]> {
  let constraints = [
    "flatten_c1: start_dim and end_dim are dimensions of the input",
    "flatten_c2: start_dim is not after end_dim"];
  let summary = "merges the dimensions start_dim … end_dim into one";
  let arguments = (ins FxGraph_Tensor:$input, DefaultValuedAttr<I64Attr, "0">:$start_dim, DefaultValuedAttr<I64Attr, "-1">:$end_dim);
  let assemblyFormat = "$input `dims` $start_dim `to` $end_dim attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.flatten.using_ints(input, start_dim=0, end_dim=-1)", "torch.flatten(input, start_dim=0, end_dim=-1)",
    "Tensor.flatten(input, start_dim=0, end_dim=-1)"];
}
def FxGraph_UnflattenOp : FxGraph_RowMajorViewOp<"unflatten", [FxGraph_KernelForm<"View">]> {
  let constraints = [
    "unflatten_c1: the input has rank >= 1 and dim is one of its dimensions",
    "unflatten_c2: sizes is not empty",
    "reshape_c1: at most one -1 in sizes",
    "reshape_c2: the other sizes are >= 0",
    "reshape_c3: the product of sizes is the extent of dim"];
  let summary = "replaces one dimension by several; one of them may be -1";
  let arguments = (ins FxGraph_Tensor:$input, I64Attr:$dim, DenseI64ArrayAttr:$sizes);
  let assemblyFormat = "$input `dim` $dim `sizes` $sizes attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.unflatten.int(input, dim, sizes)", "torch.unflatten(input, dim, sizes)", "Tensor.unflatten(input, dim, sizes)"];
}
def FxGraph_PermuteOp : FxGraph_MoveOp<"permute", [FxGraph_KernelForm<"View">]> {
  let constraints = [
    "permute_c1: one entry of dims for each dimension",
    "permute_c2: the dims are distinct dimensions of the input"];
  let summary = "result dimension i is input dimension dims[i]";
  let arguments = (ins FxGraph_Tensor:$input, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$input `dims` $dims attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.permute.default(input, dims)", "torch.permute(input, dims)", "Tensor.permute(input, *dims)",
    "aten.movedim.int(input, _source, _destination)", "aten.movedim.intlist(input, _source, _destination)", "torch.movedim(input, source: _source, destination: _destination)",
    "Tensor.movedim(input, source: _source, destination: _destination)", "aten.numpy_T.default(input)", "Tensor.T(input)"];
  let hasFolder = 1;
  let inverse = InversePermutation;
  let torchAliases = ["moveaxis: movedim"];
  let extraClassDeclaration = "std::optional<::fxgraph::StridedMap> getStridedMap();";
}
def FxGraph_TransposeOp : FxGraph_MoveOp<"transpose", [FxGraph_KernelForm<"View">]> {
  let constraints = [
    "transpose_c1: dim0 and dim1 are dimensions of the input"];
  let summary = "exchanges two dimensions";
  let arguments = (ins FxGraph_Tensor:$input, I64Attr:$dim0, I64Attr:$dim1);
  let assemblyFormat = "$input `dims` $dim0 `,` $dim1 attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.transpose.int(input, dim0, dim1)", "torch.transpose(input, dim0, dim1)", "Tensor.transpose(input, dim0, dim1)",
    "torch.swapaxes(input, axis0: dim0, axis1: dim1)", "Tensor.swapaxes(input, axis0: dim0, axis1: dim1)",
    "aten.t.default(input)", "torch.t(input)", "Tensor.t(input)", "aten.mT.default(input)", "Tensor.mT(input)"];
  let inverse = InverseSelf;
  let torchAliases = ["swapdims", "swapaxes"];
  let extraClassDeclaration = "std::optional<::fxgraph::StridedMap> getStridedMap();";
}
def FxGraph_SqueezeOp : FxGraph_RowMajorViewOp<"squeeze", [FxGraph_KernelForm<"View">]> {
  let constraints = [
    "squeeze_c1: the dims are distinct dimensions of the input",
    "squeeze_c2: their extents are static"];
  let summary = "drops dimensions of extent 1";
  let description = "`dims` absent: all of extent 1. A listed dimension of another extent stays.";
  let arguments = (ins FxGraph_Tensor:$input, OptionalAttr<DenseI64ArrayAttr>:$dims);
  let assemblyFormat = "$input (`dims` $dims^)? attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.squeeze.default(input)", "aten.squeeze.dim(input, dims)", "aten.squeeze.dims(input, dims)",
    "torch.squeeze(input, dim: dims = None)", "Tensor.squeeze(input, dim: dims = None)"];
}
def FxGraph_UnsqueezeOp : FxGraph_RowMajorViewOp<"unsqueeze", [FxGraph_KernelForm<"View">]> {
  let constraints = [
    "unsqueeze_c1: dim is a dimension of the result"];
  let summary = "inserts a dimension of extent 1";
  let description = "`dim` counts in the rank of the result.";
  let arguments = (ins FxGraph_Tensor:$input, I64Attr:$dim);
  let assemblyFormat = "$input `dim` $dim attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.unsqueeze.default(input, dim)", "torch.unsqueeze(input, dim)", "Tensor.unsqueeze(input, dim)"];
}
def FxGraph_ExpandOp : FxGraph_SelectingViewOp<"expand", [FxGraph_KernelForm<"View">]> {
  let constraints = [
    "sizes_c1: one operand of sizes for each INT64_MIN in shape",
    "expand_c1: shape has at least the rank of the input",
    "expand_c2: extents are >= 0, or -1 for a dimension that the input has",
    "expand_c3: extents of the input are 1 or that of shape"];
  let summary = "repeats extents of 1; new dimensions come first";
  let description = "`shape`: -1 keeps the extent, INT64_MIN takes the next of the `sizes` operands.";
  let arguments = (ins FxGraph_Tensor:$input, Variadic<Index>:$sizes, DenseI64ArrayAttr:$shape);
  let assemblyFormat = [{
    $input `shape` custom<DynamicShape>($sizes, $shape) attr-dict `:` type($input) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "::llvm::ArrayRef<int64_t>":$shape), [{
    build($_builder, $_state, input, ::mlir::ValueRange(), shape);
  }]>];
  let torchOverloads = ["aten.expand.default(input, shape, *, implicit: _implicit = False)", "Tensor.expand(input, *shape)", "torch.broadcast_to(input, size: shape)",
    "aten.broadcast_to.default(input, shape)", "Tensor.broadcast_to(input, size: shape)", "aten.expand_as.default(input, _other)", "Tensor.expand_as(input, _other)"];
  let hasFolder = 1;
  let inverse = InverseUnexpand;
  let extraClassDeclaration = "std::optional<::fxgraph::StridedMap> getStridedMap();";
}
def FxGraph_RepeatOp : FxGraph_SelectingViewOp<"repeat", [FxGraph_KernelForm<"View">]> {
  let constraints = [
    "repeat_c1: at least as many repeats as dimensions",
    "repeat_c2: the repeats are >= 0"];
  let summary = "tiles the tensor";
  let description = "As many `repeats` as result dimensions; those in front of the input's are new.";
  let arguments = (ins FxGraph_Tensor:$input, DenseI64ArrayAttr:$repeats);
  let assemblyFormat = "$input `by` $repeats attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.repeat.default(input, repeats)", "Tensor.repeat(input, *repeats)", "torch.tile(input, dims: repeats)", "Tensor.tile(input, *repeats)"];
  let extraClassDeclaration = FxGraph_Copies # " ::mlir::AffineMap getIndexMap();";
}
def FxGraph_SliceOp : FxGraph_SelectingViewOp<"slice", [FxGraph_KernelForm<"View">]> {
  let constraints = [
    "slice_c1: the input has rank >= 1 and dim is one of its dimensions",
    "slice_c2: step > 0"];
  let summary = "every step-th index of [start, end) along dim";
  let description = [{
    Negative `start`/`end` count from the end; both are clamped to the extent
    (PyTorch's and Python's rule), `end < start` is empty. `step > 0`.
  }];
  let arguments = (ins FxGraph_Tensor:$input, DefaultValuedAttr<I64Attr, "0">:$dim, DefaultValuedAttr<I64Attr, "0">:$start,
    DefaultValuedAttr<I64Attr, "INT64_MAX">:$end, DefaultValuedAttr<I64Attr, "1">:$step);
  let assemblyFormat = "$input `dim` $dim `from` $start `to` $end (`step` $step^)? attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.slice.Tensor(input, dim=0, start=None, end=None, step=1)", "torch.narrow(input, dim, start, _length)",
    "aten.narrow.default(input, dim, start, _length)", "Tensor.narrow(input, dim, start, _length)"];
  let inverse = InverseScatter<"slice_scatter">;
  let extraClassDeclaration = "std::optional<::fxgraph::StridedMap> getStridedMap();";
}
def FxGraph_NarrowOp : FxGraph_SelectingViewOp<"narrow"> {
  let constraints = [
    "narrow_c1: the input has rank >= 1 and dim is one of its dimensions"];
  let summary = "length indices of dim from start, both computed from sizes";
  let description = [{
    The slice whose bounds are symbolic. They are neither wrapped nor clamped, the
    importer emits that arithmetic: `0 <= start`, `0 <= length` and `start + length <=`
    the extent, or the run fails.
  }];
  let arguments = (ins FxGraph_Tensor:$input, Index:$start, Index:$length, I64Attr:$dim);
  let assemblyFormat = "$input `dim` $dim `from` $start `length` $length attr-dict `:` type($input) `->` type($result)";
  let failure = FailsOnValues;
}
def FxGraph_SelectOp : FxGraph_SelectingViewOp<"select", [FxGraph_KernelForm<"View">]> {
  let constraints = [
    "select_c1: the input has rank >= 1 and dim is one of its dimensions",
    "select_c2: index is in [-n, n - 1] for a dimension of extent n"];
  let summary = "one index of dim, without that dimension";
  let arguments = (ins FxGraph_Tensor:$input, I64Attr:$dim, I64Attr:$index);
  let assemblyFormat = "$input `dim` $dim `at` $index attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.select.int(input, dim, index)", "torch.select(input, dim, index)", "Tensor.select(input, dim, index)"];
  let inverse = InverseScatter<"select_scatter">;
  let extraClassDeclaration = "std::optional<::fxgraph::StridedMap> getStridedMap();";
}
def FxGraph_FlipOp : FxGraph_MoveOp<"flip", [FxGraph_KernelForm<"View">]> {
  let constraints = [
    "flip_c1: the dims are distinct dimensions of the input"];
  let summary = "reverses the order along dims";
  let arguments = (ins FxGraph_Tensor:$input, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$input `dims` $dims attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.flip.default(input, dims)", "prims.rev.default(input, dims)", "torch.flip(input, dims)", "Tensor.flip(input, *dims)"];
  let extraClassDeclaration = FxGraph_Copies # " std::optional<::fxgraph::StridedMap> getStridedMap();";
}
def FxGraph_RollOp : FxGraph_MoveOp<"roll", [FxGraph_KernelForm<"View">]> {
  let constraints = [
    "roll_c1: one shift for each of dims, one without dims",
    "roll_c2: the dims are dimensions of the input"];
  let summary = "rotates along dims; with no dims, of the flattened tensor";
  let arguments = (ins FxGraph_Tensor:$input, DenseI64ArrayAttr:$shifts, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$input `by` $shifts `dims` $dims attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.roll.default(input, shifts, dims=[])", "torch.roll(input, shifts, dims=[])", "Tensor.roll(input, shifts, dims=[])"];
  let extraClassDeclaration = FxGraph_Copies # " ::mlir::AffineMap getIndexMap();";
}
def FxGraph_ConstantPadNdOp : FxGraph_SelectingViewOp<"constant_pad_nd", [FxGraph_KernelForm<"Select">, DeclareOpInterfaceMethods<ChoiceOpInterface>]> {
  let constraints = [
    "constant_pad_nd_c1: pad holds pairs, for at most all dimensions",
    "constant_pad_nd_c2: no dimension is cropped below 0",
    "constant_pad_nd_c3: the padded extents fit in int64"];
  let summary = "pads with one value; negative amounts crop";
  let description = "`pad` holds (before, after) pairs, the last dimension first.";
  let arguments = (ins FxGraph_Tensor:$input, DenseI64ArrayAttr:$pad, DefaultValuedAttr<F64Attr, "0.0">:$value);
  let assemblyFormat = "$input `by` $pad (`value` $value^)? attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.constant_pad_nd.default(input, pad, value=0.0)", "aten.pad.default(input, pad, mode: _mode = 'constant', value=0.0)",
    "torch.nn.functional.pad(input, pad, mode: _mode = 'constant', value=0.0)", "torch._C._nn.pad(input, pad, mode: _mode = 'constant', value=0.0)",
    "torch.constant_pad_nd(input, pad, value=0.0)"];
  let extraClassDeclaration = FxGraph_Copies;
}
def FxGraph_TriuOp : FxGraph_SelectingViewOp<"triu", [FxGraph_KernelForm<"Select">, DeclareOpInterfaceMethods<ChoiceOpInterface>, FxGraph_FewInstructions]> {
  let constraints = [
    "triangle_c1: the input has rank >= 2"];
  let summary = "zero below the diagonal";
  let arguments = (ins FxGraph_Tensor:$input, DefaultValuedAttr<I64Attr, "0">:$diagonal);
  let assemblyFormat = "$input (`diagonal` $diagonal^)? attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.triu.default(input, diagonal=0)", "torch.triu(input, diagonal=0)", "Tensor.triu(input, diagonal=0)"];
  let extraClassDeclaration = FxGraph_Copies;
}
def FxGraph_TrilOp : FxGraph_SelectingViewOp<"tril", [FxGraph_KernelForm<"Select">, DeclareOpInterfaceMethods<ChoiceOpInterface>, FxGraph_FewInstructions]> {
  let constraints = [
    "triangle_c1: the input has rank >= 2"];
  let summary = "zero above the diagonal";
  let arguments = (ins FxGraph_Tensor:$input, DefaultValuedAttr<I64Attr, "0">:$diagonal);
  let assemblyFormat = "$input (`diagonal` $diagonal^)? attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.tril.default(input, diagonal=0)", "torch.tril(input, diagonal=0)", "Tensor.tril(input, diagonal=0)"];
  let extraClassDeclaration = FxGraph_Copies;
}
def FxGraph_ViewDtypeOp : FxGraph_Op<"view_dtype", [Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface, ["isBijective"]>]> {
  let constraints = [
    "view_dtype_c1: both dtypes have whole bytes; bool has one",
    "view_dtype_c2: the shapes are equal but for the last extent, which counts the same bytes; a dtype of another width needs rank >= 1"];
  let summary = "the same bytes as elements of another dtype";
  let arguments = (ins FxGraph_Tensor:$input);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let torchOverloads = ["aten.view.dtype(input, dtype: _result_dtype)", "Tensor.view(input, dtype: _result_dtype)"];
  let inverse = InverseSelf;
  let hasVerifier = 1;
}
def FxGraph_SliceScatterOp : FxGraph_InferredOp<"slice_scatter", [Pure, FxGraph_KernelForm<"Select">, DeclareOpInterfaceMethods<ChoiceOpInterface>]> {
  let constraints = [
    "slice_c1: the input has rank >= 1 and dim is one of its dimensions",
    "slice_c2: step > 0",
    "scatter_source_c1: src has the type of the slice"];
  let summary = "input with a slice replaced by src";
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_Tensor:$src, DefaultValuedAttr<I64Attr, "0">:$dim,
    DefaultValuedAttr<I64Attr, "0">:$start, DefaultValuedAttr<I64Attr, "INT64_MAX">:$end, DefaultValuedAttr<I64Attr, "1">:$step);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `,` $src `dim` $dim `from` $start `to` $end (`step` $step^)? attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.slice_scatter.default(input, src, dim=0, start=None, end=None, step=1)", "torch.slice_scatter(input, src, dim=0, start=None, end=None, step=1)"];
}
def FxGraph_SelectScatterOp : FxGraph_InferredOp<"select_scatter", [Pure, FxGraph_KernelForm<"Select">, DeclareOpInterfaceMethods<ChoiceOpInterface>]> {
  let constraints = [
    "select_c1: the input has rank >= 1 and dim is one of its dimensions",
    "select_c2: index is in [-n, n - 1] for a dimension of extent n",
    "scatter_source_c1: src has the type of the selected part"];
  let summary = "input with one index of dim replaced by src";
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_Tensor:$src, I64Attr:$dim, I64Attr:$index);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `,` $src `dim` $dim `at` $index attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.select_scatter.default(input, src, dim, index)", "torch.select_scatter(input, src, dim, index)"];
}

#endif // FXGRAPH_OPS_VIEW_TD
