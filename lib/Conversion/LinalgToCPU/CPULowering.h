// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the CPU passes share: the entry function's form, memrefs made of raw
// pointers, and the buffer that a memref is a view of.
//
// From fxgraph-cpu-entry on, a graph is
//
//   func.func @g(%inputs: !llvm.ptr, %outputs: !llvm.ptr, %extents: !llvm.ptr,
//                %workspace: !llvm.ptr, %context: !llvm.ptr) -> i32
//
// inputs and outputs are arrays of pointers to row-major data (of the dimensions in the
// order of kOrderAttr), extents holds the
// dynamic extents of the inputs in order; the result is an FxStatus. The runtime
// (lib/Backend/CPU/Runtime) checks the caller's descriptors before it calls this.

#ifndef FXGRAPH_CONVERSION_LINALGTOCPU_CPULOWERING_H
#define FXGRAPH_CONVERSION_LINALGTOCPU_CPULOWERING_H

#include "fxgraph/Conversion/FxGraphToLinalg.h"
#include "fxgraph/Support/LLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace fxgraph {
namespace cpu {

enum EntryArgument { kInputs, kOutputs, kExtents, kWorkspace, kContext, kEntryArguments };

/// Marks a graph's function, and holds what the artefact tells its caller: i64s
/// {inputs, outputs, mutated, then a tensor: dtype, rank, extents (-1: dynamic),
/// mutated argument or -1}.
constexpr llvm::StringLiteral kEntryAttr = "fxgraph.cpu_entry";
/// Added to a rank in it: behind the extents is the order of the dimensions in memory.
constexpr int64_t kOrdered = 256;
/// Of an argument: it has the dimensions of the graph's in this order (OrderArguments.cpp).
constexpr llvm::StringLiteral kOrderAttr = "fxgraph.cpu_order";
/// Names of the inputs and outputs, an array of strings.
constexpr llvm::StringLiteral kNamesAttr = "fxgraph.cpu_names";
/// Bytes of workspace that a run needs.
constexpr llvm::StringLiteral kWorkspaceAttr = "fxgraph.cpu_workspace";
/// Marks a function of loops.
constexpr llvm::StringLiteral kKernelAttr = "fxgraph.cpu_kernel";

/// Marks a function that is a part of an entry: it has the entry's arguments and result.
constexpr llvm::StringLiteral kPartAttr = "fxgraph.cpu_part";

inline bool isEntry(mlir::func::FuncOp function) { return function->hasAttr(kEntryAttr); }
inline bool isKernel(mlir::func::FuncOp function) { return function->hasAttr(kKernelAttr); }

/// An op whose blocks are the graph's: their ops become calls of kernels as those of the
/// entry's block do. Its operands and results are no buffers.
inline bool isControlFlow(Operation *op) { return op->hasAttr(kControlFlowAttr); }

/// A memref at `pointer` with offset 0; dynamic extents and strides in order.
Value buildMemRef(OpBuilder &b, Location loc, Value pointer, mlir::MemRefType type, ValueRange dynamicSizes = {},
                  ValueRange dynamicStrides = {});
/// As buildMemRef, in the form that memrefs have in the LLVM dialect, also where the
/// type says all; that is left to the end of the lowering.
Value buildDescriptor(OpBuilder &b, Location loc, Value pointer, mlir::MemRefType type, ValueRange dynamicSizes = {},
                      ValueRange dynamicStrides = {});

/// True if the op only makes a view of its first operand.
bool isViewOp(Operation *op);
/// The pointer that a memref was made of by buildMemRef; null for any other memref.
Value getPointerOf(Value memref);
/// Erases ops of the block that compute what nobody uses. Linear.
void eraseUnused(mlir::Block &block);

/// Declares a runtime function once and calls it.
Value callRuntime(OpBuilder &b, Location loc, StringRef name, Type result, ValueRange operands);

/// Functions of f32, and the exponential of f64, that LLVM would call libm for, as arithmetic (Elementary.cpp).
void populateElementaryFunctionPatterns(mlir::RewritePatternSet &patterns);

} // namespace cpu
} // namespace fxgraph

#endif // FXGRAPH_CONVERSION_LINALGTOCPU_CPULOWERING_H
