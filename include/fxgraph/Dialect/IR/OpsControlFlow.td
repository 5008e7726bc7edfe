// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Higher-order ops: regions in the place of PyTorch's subgraph arguments
// (torch/_higher_order_ops). A region takes all it needs as arguments; values cross
// its boundary in no other way.

#ifndef FXGRAPH_OPS_CONTROLFLOW_TD
#define FXGRAPH_OPS_CONTROLFLOW_TD

include "fxgraph/Dialect/IR/FxGraphBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def FxGraph_YieldOp : FxGraph_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "ends a region with its results";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{}]>];
}

/// Has the effects of what its regions hold. A region is isolated: it runs as a graph
/// of its own would.
class FxGraph_RegionOp<string mnemonic, list<Trait> traits = []>
    : FxGraph_Op<mnemonic, !listconcat([IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects], traits)> {
  let hasRegionVerifier = 1;
}

def FxGraph_CondOp : FxGraph_RegionOp<"cond"> {
  let constraints = [
    "cond_c1: the predicate is a bool scalar",
    "cond_c2: both regions take the operands and yield the results"];
  let summary = "one of two regions, by a predicate that is known when it runs";
  let arguments = (ins FxGraph_BoolTensor:$predicate, Variadic<AnyType>:$operands_);
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region SizedRegion<1>:$then, SizedRegion<1>:$otherwise);
  let assemblyFormat = "$predicate `(` $operands_ `)` `then` $then `else` $otherwise attr-dict `:` functional-type(operands, results)";
}

def FxGraph_WhileLoopOp : FxGraph_RegionOp<"while_loop", [AttrSizedOperandSegments]> {
  let constraints = [
    "while_loop_c1: the condition takes the carried and additional operands and yields a bool scalar",
    "while_loop_c2: the body takes them too and yields the next carried values",
    "while_loop_c3: the results have the types of the carried operands"];
  let summary = "repeats the body while the condition holds";
  let description = [{
    `carried` are the values that the body replaces, `additional` those that stay. Where
    the condition never holds the results are the carried operands.
  }];
  let arguments = (ins Variadic<AnyType>:$carried, Variadic<AnyType>:$additional);
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let assemblyFormat = "`(` $carried `)` (`additional` `(` $additional^ `)`)? `cond` $condition `do` $body attr-dict `:` functional-type(operands, results)";
}

def FxGraph_MapOp : FxGraph_RegionOp<"map", [AttrSizedOperandSegments]> {
  let constraints = [
    "map_c1: at least one tensor is mapped over, and all have rank >= 1 and one leading extent",
    "map_c2: the body takes a slice of each mapped tensor and the additional operands",
    "map_c3: each result stacks what the body yields"];
  let summary = "the body on each slice along dimension 0, stacked";
  let arguments = (ins Variadic<FxGraph_Tensor>:$mapped, Variadic<AnyType>:$additional);
  let results = (outs Variadic<FxGraph_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` $mapped `)` (`additional` `(` $additional^ `)`)? $body attr-dict `:` functional-type(operands, results)";
}

def FxGraph_ScanOp : FxGraph_RegionOp<"scan", [AttrSizedOperandSegments]> {
  let constraints = [
    "scan_c1: at least one tensor is scanned, and all have rank >= 1 and one leading extent",
    "scan_c2: the body takes the carried values, a slice of each scanned tensor and the additional operands",
    "scan_c3: the body yields the next carried values and one slice of each stacked result",
    "scan_c4: the results are the last carried values and the stacked slices"];
  let summary = "the body on each slice along dimension 0 in turn, with carried values";
  let description = [{
    The results are the last carried values, then what the body yields beside them,
    stacked along dimension 0.
  }];
  let arguments = (ins Variadic<AnyType>:$carried, Variadic<FxGraph_Tensor>:$scanned, Variadic<AnyType>:$additional);
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` $carried `)` `over` `(` $scanned `)` (`additional` `(` $additional^ `)`)? $body attr-dict `:` functional-type(operands, results)";
}

def FxGraph_InvokeQuantOp : FxGraph_RegionOp<"invoke_quant", [DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let constraints = ["invoke_quant_c1: the body takes the operands and yields the results"];
  let summary = "a region that is kept together, under the name of a quantization scheme";
  let description = [{
    torch._higher_order_ops.InvokeQuant: the body, once. `scheme` and `codegen_low_precision` are for rules and code
    generators. `packed` is the form in which tracing leaves it (`invoke_quant_packed`), which returns a tuple.
  }];
  let arguments = (ins Variadic<AnyType>:$operands_, OptionalAttr<StrAttr>:$scheme, DefaultValuedAttr<BoolAttr, "true">:$codegen_low_precision,
    DefaultValuedAttr<BoolAttr, "false">:$packed);
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $operands_ `)` (`scheme` $scheme^)? (`codegen_low_precision` $codegen_low_precision^)? (`packed` $packed^)? $body attr-dict `:`
    functional-type(operands, results)
  }];
}

def FxGraph_AutoFunctionalizedOp : FxGraph_Op<"auto_functionalized", [MemoryEffects<[MemRead, MemWrite]>, UnknownCallOpInterface]> {
  let constraints = [
    "opaque_c1: each \"%i\" in args is the number of an operand",
    "auto_functionalized_c1: mutated holds ascending numbers of tensor operands",
    "auto_functionalized_c2: the last results have the types of the mutated operands",
    "auto_functionalized_c3: only_clone, if there, holds some of mutated"];
  let summary = "a PyTorch op that writes to operands, called on copies of them";
  let description = [{
    `target` writes to the operands `mutated`; here it is called on copies, which are the
    last results. The first results are those of the call. `args` as of `opaque`.
    `only_clone`: of the mutated operands those that need a copy (absent: all); the
    others are dead afterwards, and the call may write to them
    (torch/_higher_order_ops/auto_functionalize.py; Triton kernels: triton_kernel_wrap.py).
  }];
  let arguments = (ins StrAttr:$target, Variadic<AnyType>:$operands_, DefaultValuedAttr<DictionaryAttr, "{}">:$args,
    DenseI64ArrayAttr:$mutated, OptionalAttr<DenseI64ArrayAttr>:$only_clone);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = "$target `(` $operands_ `)` `mutated` $mutated (`only_clone` $only_clone^)? (`args` $args^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // FXGRAPH_OPS_CONTROLFLOW_TD
