// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cutting a tensor into pieces and joining pieces.

#ifndef FXGRAPH_OPS_SPLITCAT_TD
#define FXGRAPH_OPS_SPLITCAT_TD

include "fxgraph/Dialect/IR/FxGraphBase.td"

class FxGraph_SplitLikeOp<string mnemonic, list<Trait> traits = []>
    : FxGraph_InferredOp<mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<SplitLikeOpInterface>, FxGraph_KernelForm<"View">], traits)> {
  let classConstraints = [
    "split_like_c1: the input has rank >= 1 and dim is one of its dimensions"];
  let results = (outs Variadic<FxGraph_Tensor>:$pieces);
  let inverse = InversePieces;
}

def FxGraph_SplitOp : FxGraph_SplitLikeOp<"split"> {
  let constraints = [
    "split_like_c2: the extent of dim is static",
    "split_like_c3: at most 2^20 pieces",
    "split_c1: split_size > 0, or 0 for an extent of 0"];
  let summary = "pieces of split_size along dim; the last may be shorter";
  let description = [{
    `split_size` is the extent of a piece, not the number of pieces; 0 is legal
    only for an empty dimension, and then there is one piece.
  }];
  let arguments = (ins FxGraph_Tensor:$input, I64Attr:$split_size, DefaultValuedAttr<I64Attr, "0">:$dim);
  let assemblyFormat = "$input `size` $split_size `dim` $dim attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.split.Tensor(input, split_size, dim=0)", "torch.split(tensor: input, split_size_or_sections: split_size, dim=0)",
    "Tensor.split(input, split_size, dim=0)", "torch.functional.split(tensor: input, split_size_or_sections: split_size, dim=0)"];
}

def FxGraph_SplitWithSizesOp : FxGraph_SplitLikeOp<"split_with_sizes"> {
  let constraints = [
    "split_with_sizes_c1: the sizes are >= 0",
    "split_with_sizes_c2: they sum to the extent of dim"];
  let summary = "pieces of the given extents along dim";
  let description = "The sizes sum to the extent of `dim`; a size may be 0.";
  let arguments = (ins FxGraph_Tensor:$input, DenseI64ArrayAttr:$split_sizes, DefaultValuedAttr<I64Attr, "0">:$dim);
  let assemblyFormat = "$input `sizes` $split_sizes `dim` $dim attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.split_with_sizes.default(input, split_sizes, dim=0)", "aten.split.sizes(input, split_sizes, dim=0)",
    "torch.split_with_sizes(input, split_sizes, dim=0)", "Tensor.split_with_sizes(input, split_sizes, dim=0)", "aten.split_with_sizes_copy.default(input, split_sizes, dim=0)"];
}

def FxGraph_ChunkOp : FxGraph_SplitLikeOp<"chunk"> {
  let constraints = [
    "split_like_c2: the extent of dim is static",
    "split_like_c3: at most 2^20 pieces",
    "chunk_c1: chunks > 0"];
  let summary = "at most `chunks` pieces of equal extent along dim; the last may be shorter";
  let description = [{
    Each piece has ceil(extent / chunks) elements, so there may be fewer pieces
    than asked for (10 in 6 chunks: 2, 2, 2, 2, 2). An empty dimension gives
    `chunks` empty pieces.
  }];
  let arguments = (ins FxGraph_Tensor:$input, I64Attr:$chunks, DefaultValuedAttr<I64Attr, "0">:$dim);
  let assemblyFormat = "$input `chunks` $chunks `dim` $dim attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.chunk.default(input, chunks, dim=0)", "torch.chunk(input, chunks, dim=0)", "Tensor.chunk(input, chunks, dim=0)"];
}

def FxGraph_UnbindOp : FxGraph_SplitLikeOp<"unbind"> {
  let constraints = [
    "split_like_c2: the extent of dim is static",
    "split_like_c3: at most 2^20 pieces"];
  let summary = "one piece per index of dim, without that dimension";
  let arguments = (ins FxGraph_Tensor:$input, DefaultValuedAttr<I64Attr, "0">:$dim);
  let assemblyFormat = "$input `dim` $dim attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["aten.unbind.int(input, dim=0)", "torch.unbind(input, dim=0)", "Tensor.unbind(input, dim=0)"];
}

class FxGraph_CatLikeOp<string mnemonic>
    : FxGraph_InferredOp<mnemonic, [Pure, DeclareOpInterfaceMethods<CatLikeOpInterface>, FxGraph_KernelForm<"Select">, DeclareOpInterfaceMethods<ChoiceOpInterface>]> {
  let classConstraints = [
    "cat_like_c1: at least one operand"];
  let arguments = (ins Variadic<FxGraph_Tensor>:$tensors, DefaultValuedAttr<I64Attr, "0">:$dim);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$tensors `dim` $dim attr-dict `:` functional-type(operands, results)";
  let promotion = PromoteResult;
}

def FxGraph_CatOp : FxGraph_CatLikeOp<"cat"> {
  let constraints = [
    "cat_c1: the operands have rank >= 1",
    "cat_c2: dim is a dimension of the operands",
    "cat_c3: the operands have one element type and device",
    "cat_c4: the operands have one rank, but for skipped ones",
    "cat_c5: the operands agree in all extents but that of dim",
    "cat_c6: the sum of their extents in dim fits in int64"];
  let summary = "joins tensors along dim";
  let description = [{
    At least one operand; all of one element type and of equal extents but for
    `dim`. An operand of type `tensor<0x…>` of rank 1 is skipped whatever the
    others' rank (PyTorch's legacy rule).
  }];
  let torchOverloads = ["aten.cat.default(tensors, dim=0)", "torch.cat(tensors, dim=0)", "torch.concat(tensors, dim=0)",
    "torch.concatenate(tensors, dim=0)", "aten.concat.default(tensors, dim=0)", "aten.concatenate.default(tensors, dim=0)"];
  let hasFolder = 0;
  let torchAliases = ["concat", "concatenate"];
}

def FxGraph_StackOp : FxGraph_CatLikeOp<"stack"> {
  let constraints = [
    "stack_c1: dim is a dimension of the result",
    "stack_c2: the operands have one type"];
  let summary = "joins tensors of one shape along a new dimension";
  let description = "`dim` counts in the rank of the result.";
  let torchOverloads = ["aten.stack.default(tensors, dim=0)", "torch.stack(tensors, dim=0)"];
}

#endif // FXGRAPH_OPS_SPLITCAT_TD
