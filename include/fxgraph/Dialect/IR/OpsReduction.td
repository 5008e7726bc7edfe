// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, scans, softmax, sorting.

#ifndef FXGRAPH_OPS_REDUCTION_TD
#define FXGRAPH_OPS_REDUCTION_TD

include "fxgraph/Dialect/IR/FxGraphBase.td"

/// Over `dims` (absent or empty: all); `keepdim` leaves extents of 1.
class FxGraph_ReductionOp<string mnemonic, Type operand = FxGraph_Tensor>
    : FxGraph_InferredOp<mnemonic, [Pure, DeclareOpInterfaceMethods<ReductionOpInterface>, FxGraph_RowLoop]> {
  let classConstraints = [
    "reduction_c1: the dims are distinct dimensions of the input"];
  let arguments = (ins operand:$input, OptionalAttr<DenseI64ArrayAttr>:$dims, DefaultValuedAttr<BoolAttr, "false">:$keepdim);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input (`dims` $dims^)? (`keepdim` $keepdim^)? attr-dict `:` functional-type(operands, results)";
}
def FxGraph_SumOp : FxGraph_ReductionOp<"sum"> {
  let extraClassDeclaration = FxGraph_Combines<"Sum">.text;
  let summary = "sum; integers and bools sum in i64";
  let torchOverloads = ["aten.sum.default(input, *, dtype: _dtype = None)", "aten.sum.dim_IntList(input, dims, keepdim=False, *, dtype: _dtype = None)",
    "torch.sum(input, dim: dims = None, keepdim=False, *, dtype: _dtype = None)", "Tensor.sum(input, dim: dims = None, keepdim=False, *, dtype: _dtype = None)"];
  let promotion = PromoteAccumulate;
}
def FxGraph_MeanOp : FxGraph_ReductionOp<"mean", FxGraph_FloatTensor> {
  let extraClassDeclaration = FxGraph_Formula.text;
  let summary = "mean; NaN over nothing";
  let torchOverloads = ["aten.mean.default(input, *, dtype: _dtype = None)", "aten.mean.dim(input, dims, keepdim=False, *, dtype: _dtype = None)",
    "torch.mean(input, dim: dims = None, keepdim=False, *, dtype: _dtype = None)", "Tensor.mean(input, dim: dims = None, keepdim=False, *, dtype: _dtype = None)"];
}
def FxGraph_AmaxOp : FxGraph_ReductionOp<"amax"> {
  let extraClassDeclaration = FxGraph_Combines<"Max">.text;
  let constraints = [
    "extremum_c1: the reduced extents are > 0"];
  let summary = "maximum; NaN wins; an empty reduced dimension is an error";
  let torchOverloads = ["aten.amax.default(input, dims=[], keepdim=False)", "torch.amax(input, dim: dims = [], keepdim=False)", "Tensor.amax(input, dim: dims = [], keepdim=False)",
    "aten.max.default(input)", "torch.max(input)", "Tensor.max(input)"];
}
def FxGraph_AminOp : FxGraph_ReductionOp<"amin"> {
  let extraClassDeclaration = FxGraph_Combines<"Min">.text;
  let constraints = [
    "extremum_c1: the reduced extents are > 0"];
  let summary = "minimum; NaN wins; an empty reduced dimension is an error";
  let torchOverloads = ["aten.amin.default(input, dims=[], keepdim=False)", "torch.amin(input, dim: dims = [], keepdim=False)", "Tensor.amin(input, dim: dims = [], keepdim=False)",
    "aten.min.default(input)", "torch.min(input)", "Tensor.min(input)"];
}
def FxGraph_ProdOp : FxGraph_ReductionOp<"prod"> {
  let extraClassDeclaration = FxGraph_Combines<"Prod">.text;
  let summary = "product; integers and bools multiply in i64";
  let torchOverloads = ["aten.prod.default(input, *, dtype: _dtype = None)", "aten.prod.dim_int(input, dims, keepdim=False, *, dtype: _dtype = None)",
    "torch.prod(input, dim: dims = None, keepdim=False, *, dtype: _dtype = None)", "Tensor.prod(input, dim: dims = None, keepdim=False, *, dtype: _dtype = None)"];
  let promotion = PromoteAccumulate;
}
def FxGraph_AnyOp : FxGraph_ReductionOp<"any"> {
  let extraClassDeclaration = FxGraph_Combines<"Or">.text;
  let summary = "true if an element is non-zero; 1 or 0 in ui8 of ui8";
  let torchOverloads = ["aten.any.default(input)", "aten.any.dim(input, dims, keepdim=False)", "aten.any.dims(input, dims=None, keepdim=False)",
    "torch.any(input, dim: dims = None, keepdim=False)", "Tensor.any(input, dim: dims = None, keepdim=False)"];
}
def FxGraph_AllOp : FxGraph_ReductionOp<"all"> {
  let extraClassDeclaration = FxGraph_Combines<"And">.text;
  let summary = "true if every element is non-zero; 1 or 0 in ui8 of ui8";
  let torchOverloads = ["aten.all.default(input)", "aten.all.dim(input, dims, keepdim=False)", "aten.all.dims(input, dims=None, keepdim=False)",
    "torch.all(input, dim: dims = None, keepdim=False)", "Tensor.all(input, dim: dims = None, keepdim=False)"];
}
def FxGraph_VarOp : FxGraph_ReductionOp<"var", FxGraph_FloatTensor> {
  let extraClassDeclaration = FxGraph_Formula.text;
  let summary = "variance with divisor max(0, n - correction)";
  let arguments = (ins FxGraph_FloatTensor:$input, OptionalAttr<DenseI64ArrayAttr>:$dims, DefaultValuedAttr<BoolAttr, "false">:$keepdim,
    DefaultValuedAttr<F64Attr, "1.0">:$correction);
  let assemblyFormat = "$input (`dims` $dims^)? `correction` $correction (`keepdim` $keepdim^)? attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.var.correction(input, dims=None, *, correction=1, keepdim=False)", "aten.var.dim(input, dims, unbiased: _unbiased = True, keepdim=False)",
    "torch.var(input, dim: dims = None, unbiased: _unbiased = None, keepdim=False, *, correction=None)", "Tensor.var(input, dim: dims = None, unbiased: _unbiased = None, keepdim=False, *, correction=None)"];
}
def FxGraph_LogsumexpOp : FxGraph_ReductionOp<"logsumexp", FxGraph_FloatTensor> {
  let extraClassDeclaration = FxGraph_Formula.text;
  let summary = "log(sum(exp(x))), without overflow";
  let torchOverloads = ["aten.logsumexp.default(input, dims, keepdim=False)", "torch.logsumexp(input, dim: dims, keepdim=False)", "Tensor.logsumexp(input, dim: dims, keepdim=False)"];
  let torchAliases = ["special_logsumexp"];
}
def FxGraph_VectorNormOp : FxGraph_ReductionOp<"vector_norm", FxGraph_FloatTensor> {
  let extraClassDeclaration = FxGraph_Formula.text;
  let constraints = [
    "extremum_c1: the reduced extents are > 0 for a negative or infinite ord"];
  let summary = "sum(|x|^ord)^(1/ord); inf: max |x|; -inf: min |x|; 0: number of non-zeros";
  let arguments = (ins FxGraph_FloatTensor:$input, DefaultValuedAttr<F64Attr, "2.0">:$ord, OptionalAttr<DenseI64ArrayAttr>:$dims,
    DefaultValuedAttr<BoolAttr, "false">:$keepdim);
  let assemblyFormat = "$input `ord` $ord (`dims` $dims^)? (`keepdim` $keepdim^)? attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.linalg_vector_norm.default(input, ord=2, dims=None, keepdim=False, *, dtype: _dtype = None)"];
}

/// Index of an extremum along `dim` (absent: of the flattened tensor), i64; the
/// first NaN wins, then the first extremum.
class FxGraph_ArgReductionOp<string mnemonic>
    : FxGraph_InferredOp<mnemonic, [Pure, FxGraph_RowLoop, DeclareOpInterfaceMethods<RowOpInterface>]> {
  let classConstraints = [
    "reduction_c1: dim is a dimension of the input",
    "extremum_c1: the reduced extents are > 0",
    "arg_reduction_c1: the input is not bool"];
  let arguments = (ins FxGraph_Tensor:$input, OptionalAttr<I64Attr>:$dim, DefaultValuedAttr<BoolAttr, "false">:$keepdim);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input (`dim` $dim^)? (`keepdim` $keepdim^)? attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten." # mnemonic # ".default(input, dim=None, keepdim=False)", "torch." # mnemonic # "(input, dim=None, keepdim=False)", "Tensor." # mnemonic # "(input, dim=None, keepdim=False)"];
}
def FxGraph_ArgmaxOp : FxGraph_ArgReductionOp<"argmax"> {
  let summary = "index of the first maximum";
  let extraClassDeclaration = FxGraph_Combines<"ArgMax">.text;
}
def FxGraph_ArgminOp : FxGraph_ArgReductionOp<"argmin"> {
  let summary = "index of the first minimum";
  let extraClassDeclaration = FxGraph_Combines<"ArgMin">.text;
}

/// Extremum along one dimension and its index.
class FxGraph_DimExtremumOp<string name>
    : FxGraph_InferredOp<name # "_dim", [Pure, FxGraph_RowLoop, DeclareOpInterfaceMethods<RowOpInterface>]> {
  let classConstraints = [
    "reduction_c1: dim is a dimension of the input",
    "extremum_c1: the extent of dim is > 0"];
  let arguments = (ins FxGraph_Tensor:$input, I64Attr:$dim, DefaultValuedAttr<BoolAttr, "false">:$keepdim);
  let results = (outs FxGraph_Tensor:$values, FxGraph_Tensor:$indices);
  let assemblyFormat = "$input `dim` $dim (`keepdim` $keepdim^)? attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten." # name # ".dim(input, dim, keepdim=False)", "torch." # name # "(input, dim, keepdim=False)", "Tensor." # name # "(input, dim, keepdim=False)"];
}
def FxGraph_MaxDimOp : FxGraph_DimExtremumOp<"max"> {
  let summary = "maximum along dim and its first index (i64)";
  let extraClassDeclaration = FxGraph_Combines<"Max">.text;
}
def FxGraph_MinDimOp : FxGraph_DimExtremumOp<"min"> {
  let summary = "minimum along dim and its first index (i64)";
  let extraClassDeclaration = FxGraph_Combines<"Min">.text;
}

/// Same shape out as in, computed along one dimension.
class FxGraph_AlongDimOp<string mnemonic, Type operand = FxGraph_FloatTensor>
    : FxGraph_InferredOp<mnemonic, [Pure, FxGraph_RowLoop, DeclareOpInterfaceMethods<RowOpInterface>]> {
  let classConstraints = [
    "along_dim_c1: dim is a dimension of the input"];
  let arguments = (ins operand:$input, I64Attr:$dim);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `dim` $dim attr-dict `:` functional-type(operands, results)";
}
def FxGraph_SoftmaxOp : FxGraph_AlongDimOp<"softmax"> {
  let extraClassDeclaration = FxGraph_Formula.text;
  let summary = "exp(x - max) / sum(exp(x - max)) along dim";
  let description = "A row of all -inf gives NaN, as in PyTorch.";
  let torchOverloads = ["aten.softmax.int(input, dim, _dtype=None)", "aten._softmax.default(input, dim, _half_to_float)", "torch.softmax(input, dim, dtype: _dtype = None)",
    "Tensor.softmax(input, dim, dtype: _dtype = None)", "torch.nn.functional.softmax(input, dim=None, _stacklevel=3, dtype: _dtype = None)"];
  let torchAliases = ["special_softmax"];
}
def FxGraph_LogSoftmaxOp : FxGraph_AlongDimOp<"log_softmax"> {
  let extraClassDeclaration = FxGraph_Formula.text;
  let summary = "log of softmax along dim";
  let torchOverloads = ["aten.log_softmax.int(input, dim, _dtype=None)", "aten._log_softmax.default(input, dim, _half_to_float)", "torch.log_softmax(input, dim, dtype: _dtype = None)",
    "Tensor.log_softmax(input, dim, dtype: _dtype = None)", "torch.nn.functional.log_softmax(input, dim=None, _stacklevel=3, dtype: _dtype = None)"];
  let torchAliases = ["special_log_softmax"];
}
def FxGraph_PrepareSoftmaxOnlineOp : FxGraph_InferredOp<"prepare_softmax_online", [Pure]> {
  let constraints = [
    "along_dim_c1: dim is a dimension of the input",
    "extremum_c1: the extent of dim is > 0"];
  let summary = "maximum along dim, and the sum of exp(x - maximum), in one pass";
  let description = [{
    Both keep the dimension with extent 1. The sums are rescaled as the maximum grows
    (torch/_inductor/inductor_prims.py): where a row holds +Inf or NaN, or -Inf alone, the
    sum is NaN.
  }];
  let arguments = (ins FxGraph_FloatTensor:$input, I64Attr:$dim);
  let results = (outs FxGraph_FloatTensor:$maximum, FxGraph_FloatTensor:$sum);
  let assemblyFormat = "$input `dim` $dim attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["prims.prepare_softmax_online.default(input, dim)"];
}
def FxGraph_CumsumOp : FxGraph_AlongDimOp<"cumsum", FxGraph_Tensor> {
  let extraClassDeclaration = FxGraph_Combines<"Sum">.text # "bool isRunning() { return true; }";
  let summary = "running sum along dim; integers and bools sum in i64";
  let torchOverloads = ["aten.cumsum.default(input, dim, *, dtype: _dtype = None)", "torch.cumsum(input, dim, *, dtype: _dtype = None)", "Tensor.cumsum(input, dim, *, dtype: _dtype = None)"];
  let promotion = PromoteAccumulate;
}
def FxGraph_CumprodOp : FxGraph_AlongDimOp<"cumprod", FxGraph_Tensor> {
  let extraClassDeclaration = FxGraph_Combines<"Prod">.text # "bool isRunning() { return true; }";
  let summary = "running product along dim; integers and bools multiply in i64";
  let torchOverloads = ["aten.cumprod.default(input, dim, *, dtype: _dtype = None)", "torch.cumprod(input, dim, *, dtype: _dtype = None)", "Tensor.cumprod(input, dim, *, dtype: _dtype = None)"];
  let promotion = PromoteAccumulate;
}
def FxGraph_TopkOp : FxGraph_InferredOp<"topk", [Pure]> {
  let constraints = [
    "along_dim_c1: dim is a dimension of the input",
    "topk_c1: k is in [0, n] for an extent n (1 for rank 0)"];
  let summary = "the k largest (or smallest) along dim and their indices";
  let description = "NaN counts as the largest. The order of equal elements is that of their indices.";
  let arguments = (ins FxGraph_Tensor:$input, I64Attr:$k, DefaultValuedAttr<I64Attr, "-1">:$dim, DefaultValuedAttr<BoolAttr, "true">:$largest, DefaultValuedAttr<BoolAttr, "true">:$sorted);
  let results = (outs FxGraph_Tensor:$values, FxGraph_Tensor:$indices);
  let assemblyFormat = "$input `k` $k `dim` $dim (`largest` $largest^)? (`sorted` $sorted^)? attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.topk.default(input, k, dim=-1, largest=True, sorted=True)", "torch.topk(input, k, dim=-1, largest=True, sorted=True)", "Tensor.topk(input, k, dim=-1, largest=True, sorted=True)"];
}
def FxGraph_SortOp : FxGraph_InferredOp<"sort", [Pure]> {
  let constraints = [
    "along_dim_c1: dim is a dimension of the input"];
  let summary = "stable sort along dim, and the indices";
  let arguments = (ins FxGraph_Tensor:$input, DefaultValuedAttr<I64Attr, "-1">:$dim, DefaultValuedAttr<BoolAttr, "false">:$descending);
  let results = (outs FxGraph_Tensor:$values, FxGraph_Tensor:$indices);
  let assemblyFormat = "$input `dim` $dim (`descending` $descending^)? attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.sort.stable(input, *, stable: _stable = True, dim=-1, descending=False)", "aten.sort.default(input, dim=-1, descending=False)",
    "torch.sort(input, dim=-1, descending=False, stable: _stable = False)", "Tensor.sort(input, dim=-1, descending=False)"];
}

#endif // FXGRAPH_OPS_REDUCTION_TD
