// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_BACKEND_GPU_PASSES_TD
#define FXGRAPH_BACKEND_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

// What decides how kernels are.
defvar SeedOption = Option<"seed", "seed", "uint64_t", "0", "Of the random numbers that the graph draws">;
defvar EntryOption = Option<"entry", "entry", "::fxgraph::OptionText", "", "Function to compile">;
defvar ChipOption = Option<"chip", "chip", "::fxgraph::OptionText", "\"sm_90a\"", "Chip to compile for">;
defvar LibrariesOption = Option<"libraries", "libraries", "::fxgraph::OptionText", "\"all\"",
  "What may be library calls: none, cublaslt (matrix products), all (and convolutions) but for what a kernel has done sooner, or always">;
defvar GraphOption = Option<"entry", "entry", "::fxgraph::OptionText", "", "The only function to change (default: every one)">;
defvar TF32Option = Option<"tf32", "tf32", "bool", "false",
  "Products and convolutions of f32 may use TF32 (torch.backends.cuda.matmul.allow_tf32)">;
defvar ProcessorsOption = Option<"processors", "processors", "int64_t", "132", "Multiprocessors of the device">;
defvar ProductsOption = Option<"products", "products", "::fxgraph::OptionText", "\"measured\"",
  "Which products of f16 and bf16 kernels on warpgroup instructions compute (sm_90a): never, measured (where they are at least as "
  "fast as the library) or all">;
defvar ProductConfigOption = Option<"productConfig", "product-config", "::fxgraph::OptionText", "",
  "What these kernels shall be like instead of what was chosen: tile-n=256,stages=4,cluster=1,schedule=cooperative,raster=8,"
  "blocks=132, any of them">;
defvar NestConfigOption = Option<"nestConfig", "nest-config", "::fxgraph::OptionText", "",
  "How loop nests shall be spread instead of what was chosen, where there is such a kernel: kind=rows,threads=64,kept=false, any of the "
  "entries of their lowering_config">;
defvar FormatOption =
  Option<"format", "format", "::fxgraph::OptionText", "\"gpu\"", "gpu (the gpu.module) or ptx (and its PTX)">;
defvar GPUDialects = ["::fxgraph::FxGraphDialect", "::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect", "::mlir::LLVM::LLVMDialect",
  "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::math::MathDialect",
  "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::affine::AffineDialect",
  "::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
// What the bodies of fxgraph.kernel are made of.
defvar KernelDialects = ["::fxgraph::FxGraphDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
  "::mlir::bufferization::BufferizationDialect", "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
  "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
  "::mlir::tensor::TensorDialect"];

def CheckForGPUPass : Pass<"fxgraph-gpu-check", "::mlir::ModuleOp"> {
  let summary = "Check that one graph is to be compiled, that what it calls can be inlined, and the settings of all stages";
  let description = [{
    The graph is the only function with a body, or the one named by `entry`. In front of the inliner in `--fxgraph-to-gpu`: the stages
    behind it take a graph that is one function, and no stage runs where a later one would refuse its settings. Changes nothing.
  }];
  let options = [EntryOption, LibrariesOption, ProductsOption, ProcessorsOption, FormatOption];
}

def FuseKernelsPass : Pass<"fxgraph-fuse-kernels", "::mlir::ModuleOp"> {
  let summary = "Turn a graph into a host function of fused kernels on memory";
  let description = [{
    Plans the only function with a body (or the one named by `entry`) and puts a host function of the
    same name in its place: the graph's arguments and results are its arguments, what else lives in
    memory is allocated, and a view is a `fxgraph.buffer` of what it is a view of. Its steps, in an order
    of execution, are `fxgraph.loop_nest` for what is fused, `fxgraph.matrix_product`, `fxgraph.attention`,
    `fxgraph.kernel` between memory and memory (one launch each), `fxgraph.library_call` and `memref.copy`. Literals
    become `memref.global`.

    Errors, nothing is left out: dynamic extents, ops without a GPU form (all of
    them in one diagnostic), an unknown chip.
  }];
  let options = [EntryOption, ChipOption, LibrariesOption, ProductsOption, TF32Option];
  let dependentDialects = GPUDialects;
}

def BatchKernelsPass : Pass<"fxgraph-batch-kernels", "::mlir::func::FuncOp"> {
  let summary = "Make one launch of kernels of a host function that do not depend on each other";
  let description = [{
    Loop nests that differ in their memory alone become instances of one; those that read the same
    elements one nest; small ones a `fxgraph.launch`, whose blocks are theirs in turn. Many small
    products of one shape become one launch (emitter `mma`), and a product of f16 or bf16 that a kernel on warpgroup
    instructions computes better than a library (`wgmma`) takes the nest that follows it as its epilogue. A
    `lowering_config` that a product has is kept. Functions whose memory is planned stay as they are.
  }];
  let options = [LibrariesOption, ProductsOption];
  let dependentDialects = ["::fxgraph::FxGraphDialect", "::mlir::memref::MemRefDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def ConfigureProductsPass : Pass<"fxgraph-configure-products", "::mlir::func::FuncOp"> {
  let summary = "Decide how each product and attention of a host function is computed";
  let description = [{
    Writes `lowering_config`: of a product `{emitter = "library" | "mma" | "wgmma", config = "…"}`, where `config` is
    as the option `product-config`; of attention `{key_warps, keys, row_tiles, row_warps, splits, warpgroups}`. What
    stands there already is kept, if there is such a kernel; the option goes before it. Operands that tensor maps
    cannot describe are copied first (`fxgraph.pack`); attention with splits is given scratch memory. Functions whose
    memory is planned stay as they are.
  }];
  let options = [ProcessorsOption, ProductConfigOption];
  let dependentDialects = ["::fxgraph::FxGraphDialect", "::mlir::memref::MemRefDialect"];
}

def SpreadScansPass : Pass<"fxgraph-spread-scans", "::mlir::func::FuncOp"> {
  let summary = "Spread running sums of few long columns over blocks that pass them on";
  let description = [{
    A nest of running sums in f32 whose columns are too few for a device, and longer than a block's shared memory, is given
    memory in which the blocks of a column pass each other what they have added up (its last operand, marked by
    `fxgraph.carries`), and a nest in front of it that clears this memory. `--fxgraph-configure-kernels` then makes each
    box of a column a block of its own. Nests whose `lowering_config` names a kind, and functions whose memory is
    planned, stay as they are.
  }];
  let options = [ProcessorsOption];
  let dependentDialects = ["::fxgraph::FxGraphDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def PlanMemoryPass : Pass<"fxgraph-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "Make one workspace of all that a host function allocates";
  let description = [{
    The workspace becomes the last argument. Each allocation is given a range of it that no allocation alive at the
    same time has: first fit in order of birth, 256-byte aligned. What is allocated inside of a `fxgraph.launch` is in
    registers and stays. If a kernel checks indices, the word in which it notes an error is behind all
    (`fxgraph.error_word`).
  }];
  let dependentDialects = ["::fxgraph::FxGraphDialect"];
}

def ConfigureKernelsPass : Pass<"fxgraph-configure-kernels", "::mlir::func::FuncOp"> {
  let summary = "Decide how the loop nests of a host function are spread over blocks and threads";
  let description = [{
    Writes `lowering_config` of each loop nest once memory, and so the alignment of its vectors, is known:
    `kind` (flat, boxes, rows, strips, loops, scans, tiles), `lanes` (elements of an access), `unroll`, `block` (threads), and for
    reductions `threads` (that share a result), `kept` (in registers between passes) and `ahead` (accesses in flight). Boxes, scans
    and tiles have a `box`, and tiles a `window` of terms that are code; what follows from these is there to be read (`chunks` …).
    Any of these may stand there before: it is kept if there is such a kernel, else it is an error. Nests of a `fxgraph.launch` get
    blocks of one size; those that do not find room in it come in a launch of their own. `nest-config` has entries for all nests that
    have none: a nest that they make no kernel of keeps what was chosen.
  }];
  let options = [ProcessorsOption, NestConfigOption];
  let dependentDialects = ["::fxgraph::FxGraphDialect"];
}

def EmitKernelsPass : Pass<"fxgraph-emit-kernels", "::mlir::ModuleOp"> {
  let summary = "Emit the kernels of host functions and their launches";
  let description = [{
    Each step of a host function whose memory is planned and whose nests are configured becomes one or more kernels in a `gpu.module`, with their
    `gpu.launch_func`, or a `fxgraph.library_call`. Instances of a loop nest are a further dimension where their memory
    is regular, else a table of addresses.
  }];
  let dependentDialects = GPUDialects;
}

def OverlapLaunchesPass : Pass<"fxgraph-overlap-launches", "::mlir::ModuleOp"> {
  let summary = "Let kernels be launched while the ones before them end";
  let description = [{
    A launch that directly follows another becomes programmatic (`fxgraph.programmatic`, from sm_90 on): its kernel may be
    brought to the multiprocessors once all blocks of the one before have begun (`nvvm.griddepcontrol launch_dependents`), and
    waits for that one's end in front of all that it does (`nvvm.griddepcontrol wait`). Kernels whose blocks take a whole multiprocessor are
    called when the blocks before them end. Linear in the steps.
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

def SerializeKernelsPass : Pass<"fxgraph-serialize-kernels", "::mlir::ModuleOp"> {
  let summary = "Make PTX of the kernels of host functions";
  let description = [{
    The PTX is the module's attribute `fxgraph.image`.
  }];
  let dependentDialects = GPUDialects;
}

def PrepareForGPUPass : Pass<"fxgraph-gpu-prepare", "::mlir::func::FuncOp"> {
  let summary = "Rewrite the graph into the ops that kernels and library calls are made of";
  let description = [{
    `linear`, `matmul` and additions that no product's epilogue can hold become `mm`,
    `addmm`, `bmm` and `baddbmm` with views around them, compound ops what they are defined
    by, the bias of a convolution an addition (which fuses with what follows), collectives of
    groups of one process copies, `map` and `scan` of up to 256 steps the steps. Each result of
    another collective gets one `wait_tensor`. Pointwise ops on a stack or cat whose pieces are used
    (batch fusions) become ops on the pieces, which kernels read where they are. Random draws become arithmetic on their places
    (Philox4x32-10, lib/Backend/GPU/Prepare/RandomDraws.h) and a seed: `seed` and the draw's number
    in the graph decide it. Operands that lie across the long rows that norms and softmax read of them are marked
    (`fxgraph.in_memory`): they get memory along those. The first stage of `--fxgraph-to-gpu`. A function
    with dynamic extents stays as it is. Exact but for attention that no kernel takes
    (PyTorch's math path) and the numbers that are drawn. Linear in the ops.
  }];
  let options = [GraphOption, SeedOption, ChipOption];
  let dependentDialects = ["::fxgraph::FxGraphDialect"];
}

def AssignLayoutsPass : Pass<"fxgraph-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "Let results lie in memory as PyTorch's do";
  let description = [{
    PyTorch returns a permuted product as a view of it, and an op on a permuted tensor in the
    order of that tensor's dimensions. Where such a result is dense the function returns it with
    its dimensions in the order of memory, and the result's attribute `fxgraph.memory_order` has
    that order: the caller gets strides instead of a transposed copy. Results that are parts of
    memory, or that kernels read as well, stay row-major. The second stage of
    `--fxgraph-to-gpu`. Linear in the ops that lead to results.
  }];
  let options = [GraphOption];
}

def FormKernelsPass : Pass<"fxgraph-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "Put a kernel in place of each op that the fusion planner has no form for";
  let description = [{
    Each such op becomes `fxgraph.kernel`: its body is the op's lowering to linalg, as
    `--fxgraph-to-linalg=parallel-forms` makes it. What has no lowering or has regions stays,
    and `--fxgraph-fuse-kernels` refuses it by name. The third stage of
    `--fxgraph-to-gpu`. Linear in the ops.
  }];
  let options = [GraphOption, LibrariesOption];
  let dependentDialects = KernelDialects;
}

def PrintFusionPlanPass : Pass<"fxgraph-print-fusion-plan", "::mlir::ModuleOp"> {
  let summary = "Print how each graph becomes kernels and library calls";
  let description = [{
    One line per step, in the order of execution: the kernel's loop dimensions
    (`r`: reduced), the ops that it computes, what it writes and reads; then
    values that are parts of others' memory. Analysis only; with `prepare` the
    rewrites that precede planning are applied to the functions. A pass over the
    module: functions that are planned in parallel would print into each other.
  }];
  let options = [
    LibrariesOption,
    Option<"tensorCores", "tensor-cores", "bool", "true",
      "Products of f16 and bf16 are steps of their own without libraries too, as on sm_90a">,
    Option<"prepare", "prepare", "bool", "true", "Rewrite linear, matmul and attention first, form kernels">
  ];
  let dependentDialects = KernelDialects;
}

#endif // FXGRAPH_BACKEND_GPU_PASSES_TD
