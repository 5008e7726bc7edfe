// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexing by tensors: gather, scatter, embedding.

#ifndef FXGRAPH_OPS_INDEXING_TD
#define FXGRAPH_OPS_INDEXING_TD

include "fxgraph/Dialect/IR/FxGraphBase.td"

def FxGraph_IndexOp : FxGraph_InferredOp<"index", [Pure, FxGraph_KernelForm<"Gather">, DeclareOpInterfaceMethods<GatherOpInterface, ["countsFromEnd"]>]> {
  let constraints = [
    "index_type_c1: indices are i32 or i64",
    "uniform_c2: the operands are on one device",
    "index_c1: at least one index",
    "index_c2: one entry of dims for each index",
    "index_c3: the dims are ascending dimensions of the input, counted from 0",
    "index_c4: the shapes of the indices broadcast",
    "index_c5: an indexed dimension is not empty, unless no index is taken"];
  let summary = "advanced indexing, input[..., indices, ...]";
  let description = [{
    `dims` says which dimension each index tensor applies to (ascending). The index
    tensors broadcast together; the result has their shape in place of `dims` if
    these are adjacent, else in front. Negative indices count from the end; an
    index out of range is an error when run. Bool masks are not modelled here
    (their result has a data-dependent shape): such an op stays `opaque`.
  }];
  let arguments = (ins FxGraph_Tensor:$input, Variadic<FxGraph_IndexTensor>:$indices, DenseI64ArrayAttr:$dims);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `[` $indices `]` `dims` $dims attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.index.Tensor(input, indices)"];
  let failure = FailsOnValues;
}
def FxGraph_IndexPutOp : FxGraph_InferredOp<"index_put", [Pure]> {
  let constraints = [
    "index_type_c1: indices are i32 or i64",
    "uniform_c2: the operands are on one device",
    "index_c1: at least one index",
    "index_c2: one entry of dims for each index",
    "index_c3: the dims are ascending dimensions of the input, counted from 0",
    "index_c4: the shapes of the indices broadcast",
    "index_c5: an indexed dimension is not empty, unless no index is taken",
    "index_put_c1: values have the element type of the input",
    "index_put_c2: values broadcast to the indexed part"];
  let summary = "input with input[..., indices, ...] replaced by (or increased by) values";
  let arguments = (ins FxGraph_Tensor:$input, Variadic<FxGraph_IndexTensor>:$indices, FxGraph_Tensor:$values, DenseI64ArrayAttr:$dims, DefaultValuedAttr<BoolAttr, "false">:$accumulate);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `[` $indices `]` `dims` $dims `,` $values (`accumulate` $accumulate^)? attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.index_put.default(input, indices, values, accumulate=False)", "torch.index_put(input, indices, values, accumulate=False)",
    "Tensor.index_put(input, indices, values, accumulate=False)"];
  let failure = FailsOnValues;
}
def FxGraph_UnsafeIndexOp : FxGraph_InferredOp<"unsafe_index", [Pure, FxGraph_KernelForm<"Gather">, DeclareOpInterfaceMethods<GatherOpInterface, ["countsFromEnd"]>]> {
  let constraints = [
    "index_type_c1: indices are i32 or i64",
    "uniform_c2: the operands are on one device",
    "index_c1: at least one index",
    "index_c2: one entry of dims for each index",
    "index_c3: the dims are ascending dimensions of the input, counted from 0",
    "index_c4: the shapes of the indices broadcast",
    "index_c5: an indexed dimension is not empty, unless no index is taken"];
  let summary = "index whose indices are known to be in range";
  let description = "As `index`; an index out of range is the caller's fault, and nothing checks it but the interpreter.";
  let arguments = (ins FxGraph_Tensor:$input, Variadic<FxGraph_IndexTensor>:$indices, DenseI64ArrayAttr:$dims);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `[` $indices `]` `dims` $dims attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten._unsafe_index.Tensor(input, indices)"];
}
def FxGraph_UnsafeIndexPutOp : FxGraph_InferredOp<"unsafe_index_put", [Pure]> {
  let constraints = [
    "index_type_c1: indices are i32 or i64",
    "uniform_c2: the operands are on one device",
    "index_c1: at least one index",
    "index_c2: one entry of dims for each index",
    "index_c3: the dims are ascending dimensions of the input, counted from 0",
    "index_c4: the shapes of the indices broadcast",
    "index_c5: an indexed dimension is not empty, unless no index is taken",
    "index_put_c1: values have the element type of the input",
    "index_put_c2: values broadcast to the indexed part"];
  let summary = "index_put whose indices are known to be in range";
  let arguments = (ins FxGraph_Tensor:$input, Variadic<FxGraph_IndexTensor>:$indices, FxGraph_Tensor:$values, DenseI64ArrayAttr:$dims, DefaultValuedAttr<BoolAttr, "false">:$accumulate);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `[` $indices `]` `dims` $dims `,` $values (`accumulate` $accumulate^)? attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten._unsafe_index_put.default(input, indices, values, accumulate=False)"];
}
def FxGraph_IndexSelectOp : FxGraph_InferredOp<"index_select", [Pure, FxGraph_KernelForm<"Gather">, DeclareOpInterfaceMethods<GatherOpInterface>]> {
  let constraints = [
    "index_type_c1: the index is i32 or i64",
    "uniform_c2: the operands are on one device",
    "index_select_c1: the index has rank 0 or 1",
    "along_dim_c1: dim is a dimension of the input",
    "index_select_c2: an input of rank 0 takes one index"];
  let summary = "the listed indices of one dimension";
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_IndexTensor:$index, I64Attr:$dim);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `,` $index `dim` $dim attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.index_select.default(input, dim, index)", "torch.index_select(input, dim, index)", "Tensor.index_select(input, dim, index)"];
  let failure = FailsOnValues;
}
def FxGraph_GatherOp : FxGraph_InferredOp<"gather", [Pure, FxGraph_KernelForm<"Gather">, DeclareOpInterfaceMethods<GatherOpInterface>]> {
  let constraints = [
    "index_type_c1: the index is i32 or i64",
    "uniform_c2: the operands are on one device",
    "along_dim_c1: dim is a dimension of the input",
    "gather_c1: index and input have one rank (0 counts as 1), unless the index is empty",
    "gather_c2: no extent of the index but that of dim exceeds that of the input, unless the index is empty"];
  let summary = "result[i][j][k] = input[index[i][j][k]][j][k] for dim 0";
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_IndexTensor:$index, I64Attr:$dim);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `,` $index `dim` $dim attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.gather.default(input, dim, index, *, sparse_grad: _sg = False)", "torch.gather(input, dim, index, *, sparse_grad: _sg = False)", "Tensor.gather(input, dim, index)"];
  let failure = FailsOnValues;
}
def FxGraph_ScatterOp : FxGraph_InferredOp<"scatter", [Pure]> {
  let constraints = [
    "index_type_c1: the index is i32 or i64",
    "uniform_c2: the operands are on one device",
    "along_dim_c1: dim is a dimension of the input",
    "scatter_c1: src has the element type of the input",
    "gather_c1: index, input and src have one rank (0 counts as 1), unless the index is empty",
    "gather_c2: no extent of the index but that of dim exceeds that of the input, unless the index is empty",
    "scatter_c2: no extent of the index exceeds that of src, unless the index is empty"];
  let summary = "result[index[i][j][k]][j][k] = src[i][j][k] for dim 0, else input";
  let description = "The last of several writes to one place wins.";
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_IndexTensor:$index, FxGraph_Tensor:$src, I64Attr:$dim);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `,` $index `,` $src `dim` $dim attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.scatter.src(input, dim, index, src)", "torch.scatter(input, dim, index, src)", "Tensor.scatter(input, dim, index, src)"];
  let failure = FailsOnValues;
}
def FxGraph_ScatterAddOp : FxGraph_InferredOp<"scatter_add", [Pure]> {
  let constraints = [
    "index_type_c1: the index is i32 or i64",
    "uniform_c2: the operands are on one device",
    "along_dim_c1: dim is a dimension of the input",
    "scatter_c1: src has the element type of the input",
    "gather_c1: index, input and src have one rank (0 counts as 1), unless the index is empty",
    "gather_c2: no extent of the index but that of dim exceeds that of the input, unless the index is empty",
    "scatter_c2: no extent of the index exceeds that of src, unless the index is empty"];
  let summary = "as scatter, but adds";
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_IndexTensor:$index, FxGraph_Tensor:$src, I64Attr:$dim);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `,` $index `,` $src `dim` $dim attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.scatter_add.default(input, dim, index, src)", "torch.scatter_add(input, dim, index, src)", "Tensor.scatter_add(input, dim, index, src)"];
  let failure = FailsOnValues;
}
def FxGraph_ScatterReduceOp : FxGraph_InferredOp<"scatter_reduce", [Pure]> {
  let constraints = [
    "index_type_c1: the index is i32 or i64",
    "uniform_c2: the operands are on one device",
    "along_dim_c1: dim is a dimension of the input",
    "scatter_c1: src has the element type of the input",
    "gather_c1: index, input and src have one rank (0 counts as 1), unless the index is empty",
    "gather_c2: no extent of the index but that of dim exceeds that of the input, unless the index is empty",
    "scatter_c2: no extent of the index exceeds that of src, unless the index is empty",
    "scatter_reduce_c1: reduce is sum, prod, mean, amax or amin"];
  let summary = "as scatter, but what goes to one place is reduced";
  let description = [{
    With `include_self` the input's element takes part, else it stays only where
    nothing goes. NaN goes through amax and amin. A mean of integers is rounded down.
  }];
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_IndexTensor:$index, FxGraph_Tensor:$src, I64Attr:$dim, StrAttr:$reduce, DefaultValuedAttr<BoolAttr, "true">:$include_self);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `,` $index `,` $src `dim` $dim `reduce` $reduce (`include_self` $include_self^)? attr-dict `:` functional-type(operands, results)";
  let failure = FailsOnValues;
  let torchOverloads = ["aten.scatter_reduce.two(input, dim, index, src, reduce, *, include_self=True)",
    "torch.scatter_reduce(input, dim, index, src, reduce, *, include_self=True)", "Tensor.scatter_reduce(input, dim, index, src, reduce, *, include_self=True)"];
}
def FxGraph_EmbeddingOp : FxGraph_InferredOp<"embedding", [Pure, FxGraph_KernelForm<"Gather">, DeclareOpInterfaceMethods<GatherOpInterface>]> {
  let constraints = [
    "index_type_c1: the indices are i32 or i64",
    "uniform_c2: the operands are on one device",
    "embedding_c1: the weight has rank 2"];
  let summary = "rows of weight";
  let description = "weight [v, d], indices [*] in [0, v); result [*, d]. An index out of range is an error when run.";
  let arguments = (ins FxGraph_Tensor:$weight, FxGraph_IndexTensor:$indices);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$weight `,` $indices attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.embedding.default(weight, indices, padding_idx: _p = -1, scale_grad_by_freq: _s = False, sparse: _sparse = False)",
    "torch.embedding(weight, indices, padding_idx: _p = -1, scale_grad_by_freq: _s = False, sparse: _sparse = False)",
    "torch.nn.functional.embedding(input: indices, weight, padding_idx: _p = None, max_norm: _mn = None, norm_type: _nt = 2.0, scale_grad_by_freq: _s = False, sparse: _sparse = False)"];
  let failure = FailsOnValues;
}

#endif // FXGRAPH_OPS_INDEXING_TD
