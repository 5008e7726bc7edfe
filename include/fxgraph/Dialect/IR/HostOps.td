// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a graph becomes on its way to a GPU: kernels that are still in the graph, then
// what the host function consists of beside gpu.launch_func and memref.copy. Apart from
// the ops of graphs: no graph that PyTorch has holds one of these.

#ifndef FXGRAPH_HOST_OPS_TD
#define FXGRAPH_HOST_OPS_TD

include "fxgraph/Dialect/IR/NestOps.td"

def FxGraph_KernelOp : Op<FxGraph_Dialect, "kernel", [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "a part of the graph, lowered, that is computed by itself";
  let description = [{
    The body is linalg, tensor, arith, math and scf on tensors, as `--fxgraph-to-linalg`
    makes it: its arguments are the operands and what it yields are the results, in the
    types in which tensors are stored (bool and uint8 are i8). `name` says what it
    computes. The memory of operands and results is row-major.

    In a host function it is one launch, between memory and memory: it has no results,
    its operands are what it reads and writes, and the body is one linalg.generic on them.

    ```mlir
    %0 = fxgraph.kernel "int_mm" (%a, %b) {
    ^bb0(%x: tensor<4x8xi8>, %y: tensor<8x2xi8>):
      …
      fxgraph.yield %product : tensor<4x2xi32>
    } : (tensor<4x8xi8>, tensor<8x2xi8>) -> tensor<4x2xi32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$inputs);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name `(` $inputs `)` $body attr-dict `:` functional-type($inputs, $outputs)";
  let hasRegionVerifier = 1;
}

def FxGraph_BufferOp : Op<FxGraph_Dialect, "buffer", [Pure]> {
  let summary = "memory at a byte offset of other memory";
  let description = [{
    What a kernel or a library is handed: the address `offset` bytes behind the start of
    `base`, an argument of the host function (input, result or workspace) or a literal
    (`memref.get_global`). The type is the callee's; its extents say nothing about how
    much memory there is.

    ```mlir
    %0 = fxgraph.buffer %workspace offset 256 : memref<4096xi8> to memref<f16>
    ```
  }];
  let arguments = (ins AnyMemRef:$base, ConfinedAttr<I64Attr, [IntNonNegative]>:$offset);
  let results = (outs AnyType:$address);
  let assemblyFormat = "$base `offset` $offset attr-dict `:` type($base) `to` type($address)";
}

def FxGraph_PointerTableOp : Op<FxGraph_Dialect, "pointer_table", [Pure]> {
  let summary = "addresses as one parameter of a kernel";
  let description = [{
    One address for each instance of a batched kernel, passed by value: the instances'
    memory is no arithmetic progression.

    ```mlir
    %t = fxgraph.pointer_table %0, %1 : (memref<f16>, memref<f16>) to !llvm.ptr
    ```
  }];
  let arguments = (ins Variadic<AnyMemRef>:$addresses);
  let results = (outs AnyType:$table);
  let assemblyFormat = "$addresses attr-dict `:` `(` type($addresses) `)` `to` type($table)";
}

def FxGraph_TensorMapOp : Op<FxGraph_Dialect, "tensor_map", [Pure]> {
  let summary = "a tensor in memory as what the tensor memory accelerator copies boxes of";
  let description = [{
    A parameter of 128 bytes, passed by value, that the runtime encodes for the address of
    the call. `dims` and `box` are in elements, innermost first; `strides` are in bytes,
    one less: the innermost dimension is dense. Boxes lie in shared memory in rows of 128
    bytes whose chunks of 16 are XORed with the row's number (the swizzle `128b`); what
    lies outside of the tensor reads as zero and is not written.

    ```mlir
    %t = fxgraph.tensor_map %0 dims [1501, 2999] strides [3008] box [64, 128] : memref<bf16> to !llvm.ptr
    ```
  }];
  let arguments = (ins AnyMemRef:$address, DenseI64ArrayAttr:$dims, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$box);
  let results = (outs AnyType:$map);
  let assemblyFormat = [{
    $address `dims` $dims `strides` $strides `box` $box attr-dict `:` type($address) `to` type($map)
  }];
  let hasVerifier = 1;
}

def FxGraph_LibraryCallOp : Op<FxGraph_Dialect, "library_call", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a call into cuBLASLt or cuDNN";
  let description = [{
    `callee` is `matmul` or `conv`; `names` says which part each operand plays, and
    `config` holds the rest of what the runtime asks for (docs/Runtime.md, the step of
    the same name in a launch plan).

    ```mlir
    fxgraph.library_call "matmul"(%a, %b, %d) as ["a", "b", "d"] {k = 8, m = 4, n = 4, …} : memref<f16>, memref<f16>, memref<f16>
    ```
  }];
  let arguments = (ins StrAttr:$callee, Variadic<AnyMemRef>:$buffers, StrArrayAttr:$names, DictionaryAttr:$config);
  let assemblyFormat = "$callee `(` $buffers `)` `as` $names $config attr-dict `:` type($buffers)";
  let hasVerifier = 1;
}

def FxGraph_StartCollectiveOp : Op<FxGraph_Dialect, "start_collective", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a collective of a group of processes, which runs beside what follows";
  let description = [{
    `kind` is `all_reduce`, `all_gather`, `reduce_scatter`, `broadcast` (`from` a process of the
    group) or `all_to_all`; of each tensor `elements` says how many elements a process gives
    (all_reduce, all_gather, broadcast) or gets (reduce_scatter). An `all_to_all` is of one tensor,
    of which it gives and takes so many elements to and from each process. The memory
    of inputs and outputs is dense, and belongs to the collective until a `gpu.wait` on its
    token: what comes before the start is done when the collective begins, the collective is
    done when what comes behind the wait begins, and what lies between may run at the same
    time. Starts are in one order on all processes.

    ```mlir
    %t = fxgraph.start_collective "all_reduce" group "0" op "sum" (%0) to (%1) elements [12] : (memref<f32>) to (memref<f32>) -> !gpu.async.token
    gpu.wait [%t]
    ```
  }];
  let arguments = (ins StrAttr:$kind, StrAttr:$group_name, OptionalAttr<I64Attr>:$group_size, OptionalAttr<StrAttr>:$reduce_op,
    OptionalAttr<I64Attr>:$src, Variadic<AnyMemRef>:$inputs, Variadic<AnyMemRef>:$outputs, DenseI64ArrayAttr:$elements,
    OptionalAttr<DenseI64ArrayAttr>:$given, OptionalAttr<DenseI64ArrayAttr>:$taken);
  let results = (outs AnyType:$token);
  let assemblyFormat = [{
    $kind `group` $group_name (`of` $group_size^)? (`op` $reduce_op^)? (`from` $src^)? `(` $inputs `)` `to` `(` $outputs `)`
    `elements` $elements (`give` $given^)? (`take` $taken^)? attr-dict `:` `(` type($inputs) `)` `to` `(` type($outputs) `)` `->` type($token)
  }];
  let hasVerifier = 1;
}

def FxGraph_BranchOp : Op<FxGraph_Dialect, "branch", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "steps that run if a bool is true, and others that run if it is not";
  let description = [{
    The bool is one element of memory, which the host reads when all steps before have run.

    ```mlir
    fxgraph.branch %p then {
      memref.copy %a, %c : memref<8xi8> to memref<8xi8>
    } else {
      memref.copy %b, %c : memref<8xi8> to memref<8xi8>
    } : memref<i1>
    ```
  }];
  let arguments = (ins AnyMemRef:$predicate);
  let regions = (region SizedRegion<1>:$then, SizedRegion<1>:$otherwise);
  let assemblyFormat = "$predicate `then` $then `else` $otherwise attr-dict `:` type($predicate)";
  let hasVerifier = 1;
}

def FxGraph_LoopOp : Op<FxGraph_Dialect, "loop", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "steps that run while others leave a bool that is true";
  let description = [{
    The steps of `condition` come before each turn, and behind the last. The bool is one element of memory, which the
    host reads behind them.

    ```mlir
    fxgraph.loop %p while {
      fxgraph.loop_nest …
    } do {
      fxgraph.loop_nest …
    } : memref<i1>
    ```
  }];
  let arguments = (ins AnyMemRef:$predicate);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let assemblyFormat = "$predicate `while` $condition `do` $body attr-dict `:` type($predicate)";
  let hasVerifier = 1;
}

def FxGraph_LaunchOp : Op<FxGraph_Dialect, "launch", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "kernels that become one launch";
  let description = [{
    Either loop nests that do not depend on each other, whose blocks are the launch's in turn; or products of one
    shape; or products, each with the loop nest that follows it, its epilogue. What is allocated inside is in registers.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
}

def FxGraph_MatrixProductOp : Op<FxGraph_Dialect, "matrix_product", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a matrix product between memory and memory";
  let description = [{
    activation(alpha * lhs x rhs + beta * addend), of matrices or batches of them, in any layout in which the rows or the
    columns are dense; the addend is as large as the result or a row of it, or for kernels of
    ours a column. The body of `activation` is a pointwise op, or it is empty. `lowering_config` says which kernel or library computes it.

    ```mlir
    fxgraph.matrix_product ["mm"] %a, %b to %d {} : memref<4x8xf16>, memref<8x2xf16> to memref<4x2xf16>
    ```
  }];
  let arguments = (ins StrArrayAttr:$computes, AnyMemRef:$lhs, AnyMemRef:$rhs, Optional<AnyMemRef>:$addend, AnyMemRef:$result,
    DefaultValuedAttr<F64Attr, "1.0">:$alpha, DefaultValuedAttr<F64Attr, "1.0">:$beta,
    OptionalAttr<DictionaryAttr>:$lowering_config);
  let regions = (region MaxSizedRegion<1>:$activation);
  let assemblyFormat = [{
    $computes $lhs `,` $rhs (`plus` $addend^)? `to` $result $activation attr-dict `:` type($lhs) `,` type($rhs)
    (`plus` type($addend)^)? `to` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Null if there is none.
    mlir::Operation *getActivationOp();
  }];
}

def FxGraph_PackOp : Op<FxGraph_Dialect, "pack", [SameVariadicOperandSize, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "copies matrices to rows that tensor maps can describe, in one launch";
  let arguments = (ins StrArrayAttr:$computes, Variadic<AnyMemRef>:$sources, Variadic<AnyMemRef>:$targets);
  let assemblyFormat = "$computes $sources `to` $targets attr-dict `:` type($sources) `to` type($targets)";
}

def FxGraph_AttentionOp : Op<FxGraph_Dialect, "attention", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "scaled dot-product attention between memory and memory";
  let description = [{
    What `fxgraph.scaled_dot_product_attention` computes, of strided memory. `lowering_config` says how its work is
    divided (docs/Performance.md); where keys are split over blocks they leave their parts in `scratch`.
  }];
  let arguments = (ins AnyMemRef:$query, AnyMemRef:$key, AnyMemRef:$value, Optional<AnyMemRef>:$mask,
    Optional<AnyMemRef>:$scratch, AnyMemRef:$result, F64Attr:$scale, UnitAttr:$causal,
    OptionalAttr<DictionaryAttr>:$lowering_config);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` $mask^)? (`scratch` $scratch^)? `to` $result `scale` $scale (`causal` $causal^)?
    attr-dict `:` type($query) `,` type($key) `,` type($value) (`,` type($mask)^)? (`scratch` type($scratch)^)?
    `to` type($result)
  }];
}

#endif // FXGRAPH_HOST_OPS_TD
