// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides how one graph becomes a sequence of kernels and library calls.
//
// Method: one sweep over the block from its end. Each op sees the kernels that
// read its results and the index at which they read them, and is then
//   - inlined: computed in registers at that index (pointwise ops, every kind of
//     view, row reductions whose rows are the kernel's rows), or
//   - materialised: stored to memory by a kernel of its own or as one more
//     result of a kernel that computes it anyway, or
//   - a library step (matrix products, convolutions), or an fxgraph.kernel, or
//   - the start of a collective, or the wait for it, which comes right before its first
//     reader; steps between the two run beside the collective, or
//   - free: an alias of memory that exists (a strided view that the consumer can
//     read) or a value placed straight into its slice of a `cat`.
// Every step has a level, larger than that of all steps that read its results;
// steps only ever join where this stays true, so no step can depend on itself
// through others. Cost: near-linear in the number of uses.
//
// Numeric class: inside of a kernel values of f16 and bf16 are kept in f32, as
// Inductor keeps them; they are rounded where they are stored and where the
// graph says so (convert_element_type). Sums are reassociated.

#ifndef FXGRAPH_ANALYSIS_FUSIONPLAN_H
#define FXGRAPH_ANALYSIS_FUSIONPLAN_H

#include "fxgraph/Analysis/IndexSpace.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include <memory>

namespace fxgraph {

/// A value of the graph at one index, or a piece of the computation of one.
struct KernelNode {
  enum class Kind {
    Load,       ///< element of a materialised value
    Constant,   ///< `constant`, converted to the type
    Coordinate, ///< `coordinate` as an integer
    Select,     ///< operand 0 if all tests hold, else operand 1
    Forward,    ///< operand 0
    Compute     ///< what `value`'s op computes from the operands
  };
  Kind kind = Kind::Load;
  Value value;      ///< null for pieces
  Index index;      ///< of the value, in dimensions of the kernel
  Type elementType; ///< of the value
  SmallVector<unsigned, 3> operands;
  SmallVector<RangeTest, 1> tests;
  IndexExpr coordinate;
  Attribute constant;
};

/// What a kernel stores: a node, at an index of a value (or of a slice of a cat).
struct KernelOutput {
  unsigned node = 0;
  Value value;   ///< the value that becomes available
  Value storage; ///< whose memory is written: the value, or a cat for a copied operand
  Index index;   ///< into `storage`
};

struct FusionKernel {
  IndexSpace space;
  /// Dimensions that reductions run over; their product is the row length.
  SmallVector<bool> inner;
  std::vector<KernelNode> nodes;
  SmallVector<KernelOutput, 2> outputs;
  unsigned level = 0;
  /// Position in the block of the last op that it computes.
  unsigned position = 0;
  /// Ops that it computes, in order; for names and reports.
  SmallVector<Operation *> ops;

  int64_t getInnerSize() const;
  int64_t getOuterSize() const;
  unsigned reductions = 0;

private:
  friend class FusionPlanner;
  std::map<std::pair<const void *, std::vector<IndexExpr>>, unsigned> nodeOf;
};

/// Strided memory: element offset and one stride (in elements) a dimension.
struct StridedLayout {
  int64_t offset = 0;
  SmallVector<int64_t, 4> strides;
  bool isContiguous(ArrayRef<int64_t> shape) const;
  static StridedLayout rowMajor(ArrayRef<int64_t> shape);
};

/// Where a value lives.
struct ValueStorage {
  enum class Kind {
    Virtual,  ///< nowhere: computed where it is used
    Argument, ///< memory of a function argument
    Constant, ///< memory of a literal
    Buffer,   ///< memory of its own
    Part      ///< part (or another shape) of the memory of `base`
  };
  Kind kind = Kind::Virtual;
  Value base;           ///< of Part: a value of kind Argument, Constant or Buffer
  StridedLayout layout; ///< within the memory of the base
};

struct FusionStep {
  enum class Kind { Kernel, Library, Region, Collective, Wait, Write };
  Kind kind;
  unsigned kernel = 0;           ///< index into FusionPlan::kernels
  Operation *op = nullptr;       ///< of all others; the wait_tensor of Wait
  Operation *epilogue = nullptr; ///< relu or gelu that the library call applies
  Value result{};                ///< of Library: what is available after it
  bool channelsLast = false;     ///< of a convolution: what it reads and writes lies so
  unsigned level = 0;            ///< steps of one level do not depend on each other
};

struct FusionOptions {
  /// Matrix products, and convolutions, are library steps (else kernels).
  bool libraryMatmul = true;
  bool libraryConvolution = true;
  /// But for those that a kernel has done before a library's call would be.
  bool smallInKernels = true;
  /// Libraries compute f32 on tensor cores, with ten bits of each number (tf32).
  bool tensorCoreFloats = false;
  /// Matrix products of 16-bit floats are steps of their own even if no library computes
  /// them: kernels on tensor cores do.
  bool tensorCoreProducts = false;
  /// Products that are kernels all the same (findSmallProducts). Null: none.
  const llvm::DenseSet<Operation *> *kernelProducts = nullptr;
  /// A relu that follows a product goes into the library call. What cuBLASLt's
  /// relu makes of NaN is not documented, so that this is off by default.
  bool reluEpilogue = false;
  /// Most nodes in one kernel.
  unsigned maxNodes = 400;
  /// Most distinct arrays that one kernel may read.
  unsigned maxLoads = 96;
};

/// The result of the planner.
struct FusionPlan {
  std::vector<std::unique_ptr<FusionKernel>> kernels;
  /// In an order that respects all dependencies.
  std::vector<FusionStep> steps;
  llvm::MapVector<Value, ValueStorage> storage;
  /// For every result of the function the value whose memory it is, in order.
  SmallVector<Value> results;
  /// Results of the function whose memory already belongs to an argument or an
  /// earlier result: they are copied at the end.
  SmallVector<bool> resultIsCopy;

  /// Memory that holds the value, as layout of a base.
  const ValueStorage &getStorage(Value value) const;
  void print(raw_ostream &os, Operation *function) const;
};

/// Plans the only block of `function`. Errors: more than one block, dynamic
/// extents, ops that have no GPU form (all of them in one diagnostic).
FailureOr<FusionPlan> planFusion(mlir::func::FuncOp function, const FusionOptions &options);

/// True if one kernel can compute this attention (EmitAttention.h): 16-bit floats, widths
/// of heads that are multiples of 8 up to 256, a positive scale.
bool canFuseAttention(Operation *op);
/// True if a matrix product or convolution of this kind can be a library step, or
/// it is an attention that is a kernel of its own.
bool isLibraryOp(Operation *op, const FusionOptions &options);
/// The layout of a view of memory with the layout `source`, or nullopt if no
/// strides describe it (or `op` is not a view).
std::optional<StridedLayout> getViewLayout(mlir::OpResult view, const StridedLayout &source);

} // namespace fxgraph

#endif // FXGRAPH_ANALYSIS_FUSIONPLAN_H
