// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_BACKEND_GPU_PASSES_TD
#define FXGRAPH_BACKEND_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

// What decides how kernels are.
defvar SeedOption = Option<"seed", "seed", "uint64_t", "0", "Of the random numbers that the graph draws">;
defvar GPUOptions = [
  Option<"entry", "entry", "::fxgraph::OptionText", "", "Function to compile">,
  Option<"chip", "chip", "::fxgraph::OptionText", "\"sm_90a\"", "Chip to compile for">,
  Option<"libraries", "libraries", "::fxgraph::OptionText", "\"all\"",
    "What may be library calls: none, cublaslt (matrix products) or all (and convolutions)">,
  Option<"processors", "processors", "int64_t", "132", "Multiprocessors of the device">,
  Option<"products", "products", "::fxgraph::OptionText", "\"measured\"",
    "Which products of f16 and bf16 kernels on warpgroup instructions compute (sm_90a): never, measured (where they are at least as "
    "fast as the library) or all">,
  Option<"productConfig", "product-config", "::fxgraph::OptionText", "",
    "What these kernels shall be like instead of what was chosen: tile-n=256,stages=4,cluster=1,schedule=cooperative,raster=8,"
    "blocks=132, any of them">,
  Option<"format", "format", "::fxgraph::OptionText", "\"gpu\"", "gpu (the gpu.module) or ptx (and its PTX)">,
  SeedOption
];
defvar GPUDialects = ["::fxgraph::FxGraphDialect", "::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect", "::mlir::LLVM::LLVMDialect",
  "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::math::MathDialect",
  "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::affine::AffineDialect",
  "::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
// What the bodies of fxgraph.kernel are made of.
defvar KernelDialects = ["::fxgraph::FxGraphDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
  "::mlir::bufferization::BufferizationDialect", "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
  "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
  "::mlir::tensor::TensorDialect"];

def ToGPUPass : Pass<"fxgraph-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Turn the graph into GPU kernels and a host function that launches them";
  let description = [{
    Runs `--fxgraph-gpu-prepare`, `--fxgraph-form-kernels` and `--fxgraph-gpu-emit` on the only
    function with a body (or the one named by `entry`). `fx-translate --to=plan` (or ptx, gpu …)
    takes the module from here.
  }];
  let options = GPUOptions;
  let dependentDialects = GPUDialects;
}

def EmitGPUPass : Pass<"fxgraph-gpu-emit", "::mlir::ModuleOp"> {
  let summary = "Emit a prepared graph as kernels and a host function that launches them";
  let description = [{
    Plans the only function with a body (or the one named by `entry`), emits its
    kernels as one `gpu.module` and replaces the function by a host function of the same
    name: arguments, results and the workspace are its arguments, and its body is
    `gpu.launch_func`, `fxgraph.library_call` and `memref.copy` in the order of execution.
    Literals become `memref.global`. With `format=ptx` the kernels' PTX is the module's
    attribute `fxgraph.image` as well. Each loop nest of a `fxgraph.kernel` is a launch.

    How attention is divided over warps and blocks is the attribute
    `fxgraph.attention_tiling` of its kernel; on the op the same attribute, or some of
    its entries, decides it: `{key_warps, keys, row_tiles, row_warps, splits, warpgroups}`.

    Errors, nothing is left out: dynamic extents, ops without a GPU form (all of
    them in one diagnostic), an unknown chip.
  }];
  let options = GPUOptions;
  let dependentDialects = GPUDialects;
}

def PrepareForGPUPass : Pass<"fxgraph-gpu-prepare", "::mlir::func::FuncOp"> {
  let summary = "Rewrite the graph into the ops that kernels and library calls are made of";
  let description = [{
    `linear`, `matmul` and additions that no product's epilogue can hold become `mm`,
    `addmm`, `bmm` and `baddbmm` with views around them, compound ops what they are defined
    by, the bias of a convolution an addition (which fuses with what follows), collectives of
    groups of one process copies, `map` and `scan` of up to 256 steps the steps. Each result of
    another collective gets one `wait_tensor`. Random draws become arithmetic on their places
    (Philox4x32-10, lib/Backend/GPU/RandomDraws.h) and a seed: `seed` and the draw's number
    in the graph decide it. The first stage of `--fxgraph-to-gpu`. A function
    with dynamic extents stays as it is. Exact but for attention that no kernel takes
    (PyTorch's math path) and the numbers that are drawn. Linear in the ops.
  }];
  let options = [SeedOption];
  let dependentDialects = ["::fxgraph::FxGraphDialect"];
}

def FormKernelsPass : Pass<"fxgraph-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "Put a kernel in place of each op that the fusion planner has no form for";
  let description = [{
    Each such op becomes `fxgraph.kernel`: its body is the op's lowering to linalg, as
    `--fxgraph-to-linalg=parallel-forms` makes it. What has no lowering or has regions stays, and `--fxgraph-gpu-emit` refuses it by name. The second stage of
    `--fxgraph-to-gpu`. Linear in the ops.
  }];
  let options = [
    Option<"libraries", "libraries", "::fxgraph::OptionText", "\"all\"", "none, cublaslt or all">
  ];
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
    Option<"libraries", "libraries", "::fxgraph::OptionText", "\"all\"", "none, cublaslt or all">,
    Option<"tensorCores", "tensor-cores", "bool", "true",
      "Products of f16 and bf16 are steps of their own without libraries too, as on sm_90a">,
    Option<"prepare", "prepare", "bool", "true", "Rewrite linear, matmul and attention first, form kernels">
  ];
  let dependentDialects = KernelDialects;
}

#endif // FXGRAPH_BACKEND_GPU_PASSES_TD
