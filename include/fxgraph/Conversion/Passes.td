// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that leave the dialect.

#ifndef FXGRAPH_CONVERSION_PASSES_TD
#define FXGRAPH_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def FxGraphToLinalgPass : Pass<"fxgraph-to-linalg", "::mlir::ModuleOp"> {
  let summary = "lower graphs to linalg on tensors";
  let description = [{
    Rewrites every op of the dialect to linalg, tensor, arith, math and scf, on
    tensors. Pre-grad and post-grad spellings are both accepted.

    * Bool, uint8 and 8-bit float tensors become i8 tensors (0 or 1 for bool), other
      integers signless; encodings are dropped. Bodies compute in f32 for the 8- and
      16-bit floats.
    * `fxgraph.copy_` becomes a result: the function attribute
      `fxgraph.mutated_arguments` lists the arguments whose final values are
      the last results, in order. Whoever calls the function writes them back.
    * Branches and loops become scf ops without results, marked `fxgraph.control_flow`: what
      crosses their boundaries is in buffers. Results have static extents, or those of
      operands.
    * What can only be found when run (an index out of range, an integer
      division by zero, unequal dynamic extents) becomes `cf.assert`.
    * Each dimension of a dynamic extent is computed where it is needed.
      Pieces of a split and ceil-mode pooling need static extents.

    All ops that cannot run are reported together: `fxgraph.opaque`, random
    draws, dtypes without arithmetic (f8E8M0FNU, complex).

    ```mlir
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = fxgraph.relu %x : tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    ```

    gives one `linalg.generic` whose body is a compare and a select.

    With `parallel-forms`, sorting and writes at indices are loops whose iterations are
    independent (merging by binary search; each element of the result collects what is
    written to it, in order), for targets of many threads. Without, sorting calls the CPU's
    runtime and writes run in order. The results are the same to the bit.

    Linear in the number of ops. Numeric class: reassociates (sums accumulate in
    f64 for f32 and in f32 for 16-bit floats).
  }];
  let options = [Option<"parallelForms", "parallel-forms", "bool", "false",
    "Sorting and writes at indices as independent iterations; static extents only">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::fxgraph::FxGraphDialect"];
}

//===----------------------------------------------------------------------===//
// linalg to the CPU
//===----------------------------------------------------------------------===//

class FxGraphCPUPass<string name> : Pass<"fxgraph-cpu-" # name, "::mlir::ModuleOp"> {
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::vector::VectorDialect"];
}

def FxGraphCPUOrderArgumentsPass : FxGraphCPUPass<"order-arguments"> {
  let summary = "take arguments as they lay in memory when the graph was captured";
  let description = [{
    In front of `--fxgraph-to-linalg`: a public function's argument with `fxgraph.memory_order` gets its dimensions in that
    order (`fxgraph.cpu_order` says so to the runtime), and a permutation behind it, which loops read through. Without it the
    runtime copies whatever is not row-major, in each call. Those that the graph writes, of symbolic extents, or of a function
    that is called stay as they are. Numeric class: exact.
  }];
  let dependentDialects = ["::fxgraph::FxGraphDialect"];
}

def FxGraphCPUFusePass : FxGraphCPUPass<"fuse"> {
  let summary = "fuse elementwise linalg ops into their consumers";
  let description = [{
    A producer with one consumer moves into its body where nothing is computed
    more than once: the consumer reads each of its elements once, or the
    producer only moves data. Nothing moves into a contraction. Bodies are
    limited to `max-body` ops, so that a chain of n ops takes time linear in n.
    Numeric class: exact.
  }];
  let options = [Option<"maxBody", "max-body", "unsigned", "192", "Largest number of ops in a fused body">];
}

def FxGraphCPUEntryPass : FxGraphCPUPass<"entry"> {
  let summary = "give each graph the signature that the CPU runtime calls";
  let description = [{
    Each public function on tensors becomes
    `(inputs, outputs, extents, workspace, context) -> status` on raw pointers.
    Results are materialised in the caller's memory; those of dynamic extents
    ask the runtime for it. What the caller must know (dtypes, extents, names,
    which arguments are written) becomes an attribute.
  }];
}

def FxGraphCPUPlacePass : FxGraphCPUPass<"place"> {
  let summary = "compute tensors where they end: in pieces of concats and in results";
  let description = [{
    The initial tensor of an op whose result ends in a piece of a `tensor.concat`,
    in a result of the graph or in a slice of another tensor becomes that piece
    (through reshapes, and through concats of concats), and the concat becomes a
    buffer with one `bufferization.materialize_in_destination` a piece. Those of
    pieces that were computed in their place copy memory to itself, and vanish
    when bufferized. No chain of `tensor.insert_slice` is made or left.

    Concats of extents that vary copy their operands.

    ```mlir
    %e = tensor.empty() : tensor<4x8xf32>
    %a = linalg.generic … ins(%x) outs(%e) -> tensor<4x8xf32>
    %c = tensor.concat dim(1) %a, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
    ```

    gives

    ```mlir
    %m = memref.alloc() : memref<4x16xf32>
    %p = memref.reinterpret_cast %m to offset: [0], sizes: [4, 8], strides: [16, 1]
    %e = bufferization.to_tensor %p restrict writable
    %a = linalg.generic … ins(%x) outs(%e) -> tensor<4x8xf32>
    bufferization.materialize_in_destination %a in restrict writable %p
    %q = memref.reinterpret_cast %m to offset: [8], sizes: [4, 8], strides: [16, 1]
    bufferization.materialize_in_destination %y in restrict writable %q
    %c = bufferization.to_tensor %m restrict
    ```

    Linear in the ops and their operands. Numeric class: exact.
  }];
}

def FxGraphCPUBufferizePass : FxGraphCPUPass<"bufferize"> {
  let summary = "tensors to memrefs";
  let description = [{
    An op writes into the buffer of its initial tensor if the graph made that
    buffer and nothing uses the tensor (or a view of it) afterwards; else it gets a
    buffer of its own, filled with a copy if the op reads it. Which of the two is
    decided by the place of the last use alone, in time linear in the uses.
    Numeric class: exact.
  }];
}

def FxGraphCPUOutlinePass : FxGraphCPUPass<"outline-kernels"> {
  let summary = "make each loop nest a function, equal ones the same function";
  let description = [{
    Each linalg op on memrefs becomes a kernel: a function of raw pointers and
    loops. Loops whose strides allow it are merged, the loop over contiguous
    elements is innermost, and pointers of different buffers are `noalias`. Two
    nests that are equal but for their addresses share one function: a graph of
    256 equal linears has one kernel to compile. Large nests are divided among
    threads by their outermost parallel loop.
  }];
  let options = [Option<"parallel", "parallel", "bool", "true", "Divide large loops among threads">,
    Option<"vectorBytes", "vector-bytes", "int64_t", "32", "Bytes of the vectors of tiled products (16, 32 or 64)">];
}

def FxGraphCPUPlanMemoryPass : FxGraphCPUPass<"plan-memory"> {
  let summary = "place all allocations of static size in one workspace";
  let description = [{
    Buffers whose lives do not overlap share memory (best fit in the order of
    their first use; 64-byte alignment). Allocations of dynamic size are made
    and freed by the runtime, which also frees what a failing run leaves. No
    buffer is on the stack.
  }];
}

def FxGraphCPUCutEntryPass : FxGraphCPUPass<"cut-entry"> {
  let summary = "cut a long entry into functions of bounded length";
  let description = [{
    An entry of more calls than `max-calls` becomes calls of parts with as many
    each, because register allocation, alias analysis and more take more than
    linear time in the length of a function. What is only computed (addresses,
    extents) is computed again where it is used; results of calls cross over
    through slots of 8 bytes in the workspace. Linear. Numeric class: exact.
  }];
  let options = [Option<"maxCalls", "max-calls", "unsigned", "256", "Most calls of one part">];
}

def FxGraphCPUToLLVMPass : FxGraphCPUPass<"to-llvm"> {
  let summary = "loops and entry functions to the LLVM dialect";
  let description = [{
    A failed `cf.assert` returns from the entry with FX_RUN_FAILED after giving
    the runtime the message. Mathematical functions without an exact LLVM
    intrinsic become calls of libm.
  }];
}

#endif // FXGRAPH_CONVERSION_PASSES_TD
