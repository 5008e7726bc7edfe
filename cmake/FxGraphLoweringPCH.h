// What lib/Backend, lib/Conversion/LinalgToCPU and lib/Pipelines parse beyond
// FxGraphPCH.h: the dialects and passes on the way to LLVM and NVVM.
#ifndef FXGRAPH_LOWERING_PCH_H
#define FXGRAPH_LOWERING_PCH_H

#include "FxGraphPCH.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

#endif // FXGRAPH_LOWERING_PCH_H
