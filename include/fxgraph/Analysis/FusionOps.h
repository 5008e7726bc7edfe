// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the fusion planner knows about single ops.

#ifndef FXGRAPH_ANALYSIS_FUSIONOPS_H
#define FXGRAPH_ANALYSIS_FUSIONOPS_H

#include "fxgraph/Analysis/FusionPlan.h"

namespace fxgraph {

enum class OpClass {
  Leaf,     ///< constant, full, arange
  Identity, ///< the value of operand 0, unchanged
  View,     ///< elements of operand 0 at another index
  Select,   ///< cat, stack, pad, triu, slice_scatter …: one of several operands
  Gather,   ///< elements of operand 0 at a computed index
  Pointwise,
  Reduction, ///< needs a loop of its own per element or per row
  Library,
  Region,     ///< fxgraph.kernel, branches, loops: computed by themselves, between memory and memory
  Collective, ///< starts a collective: between memory and memory, beside other steps
  Wait,       ///< of a collective
  Write,      ///< copy_
  Ignored,    ///< metadata asserts, size queries without users
  Unsupported
};

/// What a kernel cannot hold about a value's type; empty if nothing.
std::string describeUnsupportedType(Type type);

OpClass classify(Operation *op, const FusionOptions &options);

/// True if the op runs graphs in regions of its own as often as values say, and nothing but values goes in or comes out.
bool runsGraphs(Operation *op);

/// True if the op starts a collective, and nothing else.
bool startsCollective(Operation *op);
/// Why no step of a plan starts this collective; empty if one does.
std::string describeCollectiveProblem(Operation *op);

/// Products that kernels compute.
struct SmallProducts {
  llvm::DenseSet<Operation *> products;
  /// Of products with few rows (or columns) the operand that has them: each result reads it, so that it is computed once,
  /// into memory.
  llvm::SmallVector<Value> fewRows;
};

/// Products for kernels: of which there are many alike, which share a launch, and, as the options say, those that are done
/// before a library's call would be. Not those of which there are many alike that tensor cores compute in one launch.
SmallProducts findSmallProducts(mlir::func::FuncOp function, const FusionOptions &options);
/// Threads that share the sum of a result, of products that lie anywhere: as many as a device of so many threads has for each of the
/// results, with some terms each; 1 where that would be few.
int64_t getThreadsOfSum(int64_t results, int64_t terms, int64_t threads = 132 * 1024);
/// A convolution that a kernel has done before a library's call would be. `tensorCoreFloats`: the library computes f32 on
/// tensor cores (tf32).
bool isKernelConvolution(Operation *op, bool tensorCoreFloats = false);

/// Extents of a value's type.
inline ArrayRef<int64_t> getShape(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }
/// What cuBLASLt and cuDNN compute with.
inline bool isLibraryFloatType(Type type) { return type.isF32() || type.isF64() || type.isF16() || type.isBF16(); }
inline Type getElementType(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }
int64_t getNumElements(ArrayRef<int64_t> shape);
inline int64_t getNumElements(Value value) { return getNumElements(getShape(value)); }

/// What a library's product calls this activation, which it applies before it rounds; empty if it has none such.
StringRef getLibraryActivation(Operation *op);

/// Index into operand 0 of the element at `index` of a view (classes View and Identity).
Index getViewIndex(mlir::OpResult view, ArrayRef<IndexExpr> index, IndexSpace &space);
/// Where a map leads from an index.
Index evaluate(mlir::AffineMap map, ArrayRef<IndexExpr> index, IndexSpace &space);
/// Index into an operand that broadcasts to the result.
Index getBroadcastIndex(Value operand, ArrayRef<IndexExpr> index);
/// The splat value of a constant or full, or null.
Attribute getSplatConstant(Operation *op);
/// A tensor whose elements are in memory: a constant that is no splat.
bool isLiteral(Operation *op);
/// A result for each row of an op whose first result has an element for each of its operand's.
bool isRowStatistic(mlir::OpResult result);
/// The most operands of a cat that a kernel chooses between at each element; those of others are computed in their places.
constexpr unsigned kMostChoices = 4;
/// An argument, or what a kernel computes element by element wherever it is written: it takes no kernel, or library, of its own.
bool isWrittenAnywhere(Value value, const FusionOptions &options);
/// Whether a large cat or stack has rows of few sectors, so that kernels of one piece each would write parts of all of its memory.
bool hasNarrowRows(CatLikeOpInterface cat);
/// Whether blocks put the pieces of such rows together in shared memory, which is faster than a kernel that chooses between the
/// pieces at each element.
bool joinsRows(CatLikeOpInterface cat, const FusionOptions &options);
/// Few instructions and at most one operand as large as the result.
bool isCheap(Operation *op);
/// A result of this element type is another number, and not about as large, where an operand is rounded otherwise: what compares,
/// counts, chooses an index or goes to whole numbers.
bool jumps(Operation *op, Type element);

/// The dimensions of a kernel that computes the value alone, and the value's
/// index in them.
Index createRootDims(mlir::OpResult value, IndexSpace &space);
/// Index of another result of the same op when result 0 is at `index` (all
/// multi-result ops but the splits).
Index getSiblingIndex(mlir::OpResult result, ArrayRef<IndexExpr> first);

/// What the op convolves, if it does.
std::optional<ConvolutionInfo> getConvolution(Operation *op);

/// On a convolution, true or false: its library call may have operands and result with the channels as the fastest
/// dimension of memory.
constexpr llvm::StringLiteral kChannelsLastAttr = "fxgraph.channels_last";
/// On an op of one result: what kernels need of it lies in row-major memory, and none of those that reduce it computes it.
constexpr llvm::StringLiteral kInMemoryAttr = "fxgraph.in_memory";
/// On an op whose result cats copy from memory of its own: it is not computed where they have it.
constexpr llvm::StringLiteral kCopiedIntoCatsAttr = "fxgraph.copied_into_cats";
/// Where a value lies in the memory that it is a view of.
StridedLayout getLayout(Value value, const FusionOptions &options);
/// Dense memory with the channels as the fastest dimension, behind the spatial ones (PyTorch's channels_last).
StridedLayout getChannelsLast(ArrayRef<int64_t> shape);

} // namespace fxgraph

#endif // FXGRAPH_ANALYSIS_FUSIONOPS_H
