// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a graph to what a GPU runs: a launch plan (docs/Runtime.md), a device
// image and the bytes of the graph's constants.

#ifndef FXGRAPH_BACKEND_GPU_GPU_H
#define FXGRAPH_BACKEND_GPU_GPU_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace fxgraph::gpu {

/// What may be a call into a library; the rest is generated.
enum class Libraries {
  None,     ///< everything is generated
  CublasLt, ///< matrix products
  All,      ///< matrix products (cuBLASLt) and convolutions (cuDNN) that a kernel has not done before the call would be
  Always    ///< all of them
};

/// Which products of 16-bit floats our own kernels on warpgroup instructions compute
/// (sm_90a only), with what follows them.
enum class OwnProducts {
  Never,
  Measured, ///< where they are at least as fast as the library; all without libraries
  All
};

/// As options say it: "cublaslt", "measured".
StringRef stringify(Libraries libraries);
StringRef stringify(OwnProducts products);

enum class ImageFormat { PTX, Cubin, Fatbin };

struct GPUOptions {
  std::string chip = "sm_90a";
  Libraries libraries = Libraries::All;
  ImageFormat format = ImageFormat::PTX;
  /// Lets matrix products and convolutions of f32 use TF32 (PyTorch's
  /// torch.backends.cuda.matmul.allow_tf32).
  bool allowTF32 = false;
  /// Multiprocessors of the device: how many threads keep it busy.
  int64_t processors = 132;
  OwnProducts products = OwnProducts::Measured;
  /// Replaces what was chosen for a product's kernel (`tile-n=256,stages=4,cluster=1,
  /// schedule=cooperative,raster=8,blocks=132`, any of them).
  std::string productConfig;
  /// Replaces what was chosen for loop nests, where there is such a kernel (`kind=rows,threads=64,kept=false`, any
  /// entries of their lowering_config that are numbers, words or truths).
  std::string nestConfig;
  /// Folder of the CUDA toolkit; empty: CUDA_HOME, CUDA_ROOT, CUDA_PATH, then PATH.
  std::string toolkit;
  /// Of the random numbers that the graph draws.
  uint64_t seed = 0;
  /// Results lie row-major, also where PyTorch's do not.
  bool rowMajorResults = false;
  /// Kernels are launched while the ones before them end, where the chip can (sm_90).
  bool overlapLaunches = true;
  /// Reports the planner's decisions as remarks.
  bool remarks = false;
};

/// A module with the kernels as one gpu.module (if there are any), the literals as
/// memref.global, and the host function that launches the kernels: its arguments are
/// the graph's arguments, its results and the workspace.
struct GPUProgram {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp host;
};

/// What the runtime loads beside the image of the kernels.
struct LaunchPlan {
  std::string json;
  std::string constants;
};

struct GPUArtefact {
  std::string plan;
  std::string image; ///< empty where the plan has no kernel
  std::string constants;
};

/// All stages (Pipeline.h), on a copy of the function.
FailureOr<GPUProgram> lowerToGPU(mlir::func::FuncOp function, const GPUOptions &options);

/// The launch plan of a host function (docs/Runtime.md). Errors: an op that no step of
/// a plan stands for.
FailureOr<LaunchPlan> translateToLaunchPlan(mlir::func::FuncOp host);

/// Lowers the gpu.module to NVVM and serialises it.
FailureOr<std::string> serializeGPUModule(mlir::gpu::GPUModuleOp module, const GPUOptions &options);

/// Plans, emits, serialises and translates a graph; of a host function, which
/// --fxgraph-to-gpu left, the last two. Errors: it was made for another chip.
FailureOr<GPUArtefact> compileForGPU(mlir::func::FuncOp function, const GPUOptions &options);

/// Rewrites the ops that the planner has no form for (linear, matmul,
/// attention …) into those it has, and random draws into arithmetic: those of a graph with
/// this seed. Loops are split as the chip needs it. Changes the function.
LogicalResult prepareForGPU(mlir::func::FuncOp function, uint64_t seed, StringRef chip);

/// Puts a kernel (fxgraph.kernel) in place of each op that the planner has no form for but
/// that has a lowering to linalg. Changes the function. Errors: what the lowering refuses.
LogicalResult formKernels(mlir::func::FuncOp function, Libraries libraries);

/// Takes chip=, libraries=, tf32=, processors=, products=, product-config=, nest-config=, seed=, row-major-results= or
/// overlap-launches=. False: the setting is none of these, or has no such value.
bool setGPUOption(StringRef key, StringRef value, GPUOptions &options);
/// What setGPUOption takes, as text for diagnostics.
inline constexpr StringRef kGPUOptionsText =
    "chip=…, libraries=none|cublaslt|all|always, tf32=true|false, processors=1…, products=never|measured|all, "
    "product-config=…, nest-config=…, seed=0…, row-major-results=true|false, overlap-launches=true|false";

/// Known chips, as text for diagnostics.
bool isKnownChip(StringRef chip);
/// Blocks can be clusters, which write each other's shared memory: a known chip from sm_90 on.
bool hasClusters(StringRef chip);
/// A kernel can be launched while the one before it runs, and wait for its end: a known chip from sm_90 on.
bool hasDependentLaunches(StringRef chip);
std::string getKnownChips();

/// Dialects and translations that the functions above need.
void registerGPUDialects(mlir::DialectRegistry &registry);
/// Loads them, in a context that may not know them yet.
void loadGPUDialects(MLIRContext *context);
/// --fxgraph-to-gpu, its stages and --fxgraph-print-fusion-plan.
void registerGPUPasses();

} // namespace fxgraph::gpu

#endif // FXGRAPH_BACKEND_GPU_GPU_H
