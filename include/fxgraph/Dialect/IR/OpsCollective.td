// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functional collectives (torch/distributed/_functional_collectives.py): an op starts the
// communication, and its result is only valid behind a `wait_tensor`. A process group
// is named; its size is part of the op. All processes must start the collectives of a
// group in one order: that is the effect on CommunicationState.

#ifndef FXGRAPH_OPS_COLLECTIVE_TD
#define FXGRAPH_OPS_COLLECTIVE_TD

include "fxgraph/Dialect/IR/FxGraphBase.td"

/// The order of the collectives of a process.
def FxGraph_CommunicationState : Resource<"::fxgraph::CommunicationState">;

class FxGraph_CollectiveOp<string mnemonic, list<Trait> traits = []> : FxGraph_InferredOp<mnemonic,
    !listconcat([MemoryEffects<[MemRead<FxGraph_CommunicationState>, MemWrite<FxGraph_CommunicationState>]>], traits)>;

def FxGraph_AllReduceOp : FxGraph_CollectiveOp<"all_reduce"> {
  let constraints = ["reduce_op_c1: reduce_op is sum, avg, product, min or max"];
  let summary = "elementwise reduction over the processes of a group";
  let arguments = (ins FxGraph_Tensor:$input, StrAttr:$reduce_op, StrAttr:$group_name);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `op` $reduce_op `group` $group_name attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["_c10d_functional.all_reduce.default(input, reduce_op, group_name)"];
}
def FxGraph_AllReduceCoalescedOp : FxGraph_CollectiveOp<"all_reduce_coalesced"> {
  let constraints = [
    "reduce_op_c1: reduce_op is sum, avg, product, min or max",
    "coalesced_c1: at least one input"];
  let summary = "all_reduce of several tensors in one call";
  let arguments = (ins Variadic<FxGraph_Tensor>:$inputs, StrAttr:$reduce_op, StrAttr:$group_name);
  let results = (outs Variadic<FxGraph_Tensor>:$outputs);
  let assemblyFormat = "`(` $inputs `)` `op` $reduce_op `group` $group_name attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["_c10d_functional.all_reduce_coalesced.default(inputs, reduce_op, group_name)"];
}
def FxGraph_AllGatherIntoTensorOp : FxGraph_CollectiveOp<"all_gather_into_tensor"> {
  let constraints = [
    "group_c1: group_size > 0",
    "all_gather_c1: the input has rank >= 1"];
  let summary = "the inputs of all processes of a group, joined along dimension 0";
  let arguments = (ins FxGraph_Tensor:$input, I64Attr:$group_size, StrAttr:$group_name);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `group` $group_name `of` $group_size attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["_c10d_functional.all_gather_into_tensor.default(input, group_size, group_name)"];
}
def FxGraph_ReduceScatterTensorOp : FxGraph_CollectiveOp<"reduce_scatter_tensor"> {
  let constraints = [
    "reduce_op_c1: reduce_op is sum, avg, product, min or max",
    "group_c1: group_size > 0",
    "reduce_scatter_c1: the input has rank >= 1, and group_size divides its leading extent"];
  let summary = "elementwise reduction over a group, of which each process gets its part along dimension 0";
  let arguments = (ins FxGraph_Tensor:$input, StrAttr:$reduce_op, I64Attr:$group_size, StrAttr:$group_name);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `op` $reduce_op `group` $group_name `of` $group_size attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["_c10d_functional.reduce_scatter_tensor.default(input, reduce_op, group_size, group_name)"];
}
def FxGraph_AllGatherIntoTensorCoalescedOp : FxGraph_CollectiveOp<"all_gather_into_tensor_coalesced"> {
  let constraints = [
    "group_c1: group_size > 0",
    "coalesced_c1: at least one input",
    "all_gather_c1: the inputs have rank >= 1"];
  let summary = "all_gather_into_tensor of several tensors in one call";
  let arguments = (ins Variadic<FxGraph_Tensor>:$inputs, I64Attr:$group_size, StrAttr:$group_name);
  let results = (outs Variadic<FxGraph_Tensor>:$outputs);
  let assemblyFormat = "`(` $inputs `)` `group` $group_name `of` $group_size attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["_c10d_functional.all_gather_into_tensor_coalesced.default(inputs, group_size, group_name)"];
}
def FxGraph_ReduceScatterTensorCoalescedOp : FxGraph_CollectiveOp<"reduce_scatter_tensor_coalesced"> {
  let constraints = [
    "reduce_op_c1: reduce_op is sum, avg, product, min or max",
    "group_c1: group_size > 0",
    "coalesced_c1: at least one input",
    "reduce_scatter_c1: the inputs have rank >= 1, and group_size divides their leading extents"];
  let summary = "reduce_scatter_tensor of several tensors in one call";
  let arguments = (ins Variadic<FxGraph_Tensor>:$inputs, StrAttr:$reduce_op, I64Attr:$group_size, StrAttr:$group_name);
  let results = (outs Variadic<FxGraph_Tensor>:$outputs);
  let assemblyFormat = "`(` $inputs `)` `op` $reduce_op `group` $group_name `of` $group_size attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["_c10d_functional.reduce_scatter_tensor_coalesced.default(inputs, reduce_op, group_size, group_name)"];
}
def FxGraph_BroadcastOp : FxGraph_CollectiveOp<"broadcast"> {
  let constraints = ["broadcast_c1: src >= 0"];
  let summary = "the input of one process of a group, on all of them";
  let description = "`src` is the process' place in the group.";
  let arguments = (ins FxGraph_Tensor:$input, I64Attr:$src, StrAttr:$group_name);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `from` $src `group` $group_name attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["_c10d_functional.broadcast.default(input, src, group_name)"];
}
def FxGraph_AllToAllSingleOp : FxGraph_CollectiveOp<"all_to_all_single"> {
  let constraints = [
    "all_to_all_c1: the input has rank >= 1",
    "all_to_all_c2: as many output splits as input splits, at least one, none of them negative",
    "all_to_all_c3: the input splits add up to the leading extent of the input"];
  let summary = "a part of the input, along dimension 0, for each process of a group, and of what the others have for this one";
  let description = [{
    The parts for the processes lie in the group's order, `input_split_sizes` long, and so do those that come from them in
    the result, `output_split_sizes` long: what a process gives another is as long as what that takes from it.
  }];
  let arguments = (ins FxGraph_Tensor:$input, DenseI64ArrayAttr:$output_split_sizes, DenseI64ArrayAttr:$input_split_sizes, StrAttr:$group_name);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = [{
    $input `give` $input_split_sizes `take` $output_split_sizes `group` $group_name attr-dict `:` functional-type(operands, results)
  }];
  let torchOverloads = ["_c10d_functional.all_to_all_single.default(input, output_split_sizes, input_split_sizes, group_name)"];
}
def FxGraph_WaitTensorOp : FxGraph_InferredOp<"wait_tensor", [Pure]> {
  let summary = "the result of a collective, once it is there";
  let arguments = (ins FxGraph_Tensor:$input);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let torchOverloads = ["_c10d_functional.wait_tensor.default(input)"];
}
def FxGraph_FusedAllGatherMatmulOp : FxGraph_CollectiveOp<"fused_all_gather_matmul", [DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = [
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "group_c1: group_size > 0",
    "fused_all_gather_c1: gather_dim is a dimension of the shard",
    "fused_all_gather_c2: the weights are matrices whose first extent is the last of what is gathered"];
  let summary = "products of what is gathered along a dimension, piece by piece as it comes";
  let description = [{
    `a` is the shards of all processes joined along `gather_dim`; the results are `a`, if
    `return_a`, and `a x weights[i]` (symm_mem.fused_all_gather_matmul).
  }];
  let arguments = (ins FxGraph_Tensor:$shard, Variadic<FxGraph_Tensor>:$weights, I64Attr:$gather_dim, I64Attr:$group_size,
    StrAttr:$group_name, DefaultValuedAttr<BoolAttr, "true">:$return_a);
  let results = (outs Variadic<FxGraph_Tensor>:$outputs);
  let assemblyFormat = "$shard `x` `(` $weights `)` `dim` $gather_dim `group` $group_name `of` $group_size (`return_a` $return_a^)? attr-dict `:` functional-type(operands, results)";
}
def FxGraph_FusedMatmulReduceScatterOp : FxGraph_CollectiveOp<"fused_matmul_reduce_scatter", [DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = [
    "uniform_c1: the operands have one element type",
    "uniform_c2: the operands are on one device",
    "reduce_op_c1: reduce_op is sum, avg, product, min or max",
    "group_c1: group_size > 0",
    "fused_reduce_scatter_c1: the weight is a matrix whose first extent is the last of the input",
    "fused_reduce_scatter_c2: group_size divides the extent of the product in scatter_dim"];
  let summary = "a product that is reduced over a group, of which each process gets its part along a dimension";
  let description = "Part of `reduce(input x weight)` along `scatter_dim` (symm_mem.fused_matmul_reduce_scatter).";
  let arguments = (ins FxGraph_Tensor:$input, FxGraph_Tensor:$weight, StrAttr:$reduce_op, I64Attr:$scatter_dim, I64Attr:$group_size,
    StrAttr:$group_name);
  let results = (outs FxGraph_Tensor:$result);
  let assemblyFormat = "$input `x` $weight `op` $reduce_op `dim` $scatter_dim `group` $group_name `of` $group_size attr-dict `:` functional-type(operands, results)";
}
class FxGraph_ScaledCollectiveOp<string mnemonic, list<Trait> traits> : FxGraph_Op<mnemonic, !listconcat(
    [MemoryEffects<[MemRead<FxGraph_CommunicationState>, MemWrite<FxGraph_CommunicationState>]>, DeclareOpInterfaceMethods<DecomposableOpInterface>], traits)> {
  let hasVerifier = 1;
}

def FxGraph_FusedAllGatherScaledMatmulOp : FxGraph_ScaledCollectiveOp<"fused_all_gather_scaled_matmul", [AttrSizedOperandSegments]> {
  let constraints = [
    "uniform_c2: the operands are on one device",
    "group_c1: group_size > 0",
    "fused_all_gather_c1: gather_dim is a dimension of the shard",
    "fused_all_gather_c2: the weights are matrices whose first extent is the last of what is gathered",
    "fused_all_gather_scaled_c1: gather_dim is not the last",
    "fused_all_gather_scaled_c2: a scale, and a bias or none, for each weight",
    "fused_all_gather_scaled_c3: results are the gathered tensor, if return_a, and a product for each weight",
    "scaled_rows_c1: of more than two dimensions all extents are known",
    "scaled_product_c1: the scales have one element each, or are [m, 1] and [1, n]",
    "scaled_product_c2: the bias has shape [n]",
    "scaled_product_c3: the result has the shape and the device of the product"];
  let summary = "scaled products of what is gathered along a dimension, piece by piece as it comes";
  let description = [{
    `a` is the shards of all processes joined along `gather_dim`, m its extents but the last multiplied; the results are
    `a`, if `return_a`, and the `scaled_mm` of its rows and `weights[i]` in a's shape (symm_mem.fused_all_gather_scaled_matmul).
    `scale_a` is that of all of `a`.
  }];
  let arguments = (ins FxGraph_Float8Tensor:$shard, Variadic<FxGraph_Float8Tensor>:$weights, FxGraph_Float32Tensor:$scale_a,
    Variadic<FxGraph_Float32Tensor>:$weight_scales, Variadic<FxGraph_FloatTensor>:$biases, I64Attr:$gather_dim, I64Attr:$group_size,
    StrAttr:$group_name, DefaultValuedAttr<BoolAttr, "false">:$use_fast_accum, DefaultValuedAttr<BoolAttr, "true">:$return_a);
  let results = (outs Variadic<FxGraph_FloatTensor>:$outputs);
  let assemblyFormat = [{
    $shard `x` `(` $weights `)` `scales` $scale_a `,` `(` $weight_scales `)` (`+` `(` $biases^ `)`)? `dim` $gather_dim `group` $group_name `of` $group_size
    (`use_fast_accum` $use_fast_accum^)? (`return_a` $return_a^)? attr-dict `:` functional-type(operands, results)
  }];
}
def FxGraph_FusedScaledMatmulReduceScatterOp : FxGraph_ScaledCollectiveOp<"fused_scaled_matmul_reduce_scatter", []> {
  let constraints = [
    "uniform_c2: the operands are on one device",
    "reduce_op_c1: reduce_op is sum, avg, product, min or max",
    "group_c1: group_size > 0",
    "fused_reduce_scatter_c1: the weight is a matrix whose first extent is the last of the input",
    "fused_reduce_scatter_c2: group_size divides the extent of the product in scatter_dim",
    "fused_scaled_reduce_scatter_c1: scatter_dim is not the last",
    "scaled_rows_c1: of more than two dimensions all extents are known",
    "scaled_product_c1: the scales have one element each, or are [m, 1] and [1, n]",
    "scaled_product_c2: the bias has shape [n]",
    "scaled_product_c3: the result has the shape and the device of the product's part"];
  let summary = "a scaled product that is reduced over a group, of which each process gets its part along a dimension";
  let description = [{
    Part of the reduced `scaled_mm` of the input's rows, m in all, and the weight, in the input's shape, along `scatter_dim`
    (symm_mem.fused_scaled_matmul_reduce_scatter). The result's dtype is that of what is reduced.
  }];
  let arguments = (ins FxGraph_Float8Tensor:$input, FxGraph_Float8Tensor:$weight, FxGraph_Float32Tensor:$scale_a, FxGraph_Float32Tensor:$scale_b,
    Optional<FxGraph_FloatTensor>:$bias, StrAttr:$reduce_op, I64Attr:$scatter_dim, I64Attr:$group_size, StrAttr:$group_name,
    DefaultValuedAttr<BoolAttr, "false">:$use_fast_accum);
  let results = (outs FxGraph_ScaledProductTensor:$result);
  let assemblyFormat = [{
    $input `x` $weight `scales` $scale_a `,` $scale_b (`bias` $bias^)? `op` $reduce_op `dim` $scatter_dim `group` $group_name `of` $group_size
    (`use_fast_accum` $use_fast_accum^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif // FXGRAPH_OPS_COLLECTIVE_TD
