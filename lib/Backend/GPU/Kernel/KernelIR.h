// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel of the fusion plan as a graph of scalar operations over a loop
// nest: loads at addresses that are linear in the loop dimensions wherever
// possible, arithmetic in the type in which it is computed (f32 for f16 and
// bf16), reductions over the inner dimensions, stores. Normalisations and other
// compound ops are spelled out here, so that schedules know no ops.

#ifndef FXGRAPH_LIB_BACKEND_GPU_KERNEL_KERNELIR_H
#define FXGRAPH_LIB_BACKEND_GPU_KERNEL_KERNELIR_H

#include "fxgraph/Analysis/FusionPlan.h"
#include <optional>

namespace fxgraph::gpu {

struct Prim {
  enum class Kind {
    Load,
    Constant,
    Coordinate,
    Select,    ///< operand 0 if the tests hold (or operand 2, a bool, if there are none), else operand 1
    Pointwise, ///< `op` on the operands
    Arithmetic,
    Cast,   ///< to `type`, with PyTorch's rules
    Round,  ///< to `rounded` and back to `type`
    Reduce, ///< operand 0 over the inner dimensions; ArgMax/ArgMin: its position, operand 1
    Scan    ///< operand 0 over the inner dimensions up to the element; no reduction depends on it
  };
  Kind kind;
  Type type{};             ///< in which the value is held: f32, f64, i1, i8 … i64 (signless)
  bool isUnsigned = false; ///< ui8
  SmallVector<unsigned, 3> operands{};
  unsigned array = 0;  ///< Load
  IndexExpr address{}; ///< Load: elements; Coordinate: the value
  SmallVector<RangeTest, 1> tests{};
  Attribute constant{};
  Operation *op = nullptr;
  Arith arithmetic = Arith::Add;
  ReduceKind reduce = ReduceKind::Sum;
  Type rounded{};
  // Derived:
  llvm::SmallBitVector dims{}; ///< dimensions that the value varies along
  unsigned phase = 0;          ///< how many reductions, one after the other, come before it
};

/// Memory that the kernel reads or writes through one pointer.
struct KernelArray {
  Value value;      ///< whose storage it is; of a loop nest: the memory (HostMemory.h)
  Type elementType; ///< as in the tensor type
  int64_t extent;   ///< elements that the kernel may touch, from the pointer on
  bool written = false;
  uint64_t align = 16; ///< bytes that the pointer is surely a multiple of
  int64_t offset = 0;  ///< elements from the value's first element to the pointer
  /// Value and offset of every instance of a batched kernel (else empty).
  std::vector<std::pair<Value, int64_t>> instances{};
  /// The instances are no arithmetic progression: the pointer comes from a table,
  /// at the index of `KernelIR::tableDim`.
  bool table = false;
};

struct KernelStore {
  unsigned array;
  IndexExpr address;
  unsigned prim;
};

struct KernelIR {
  std::string name;
  Location loc;
  IndexSpace space;
  SmallVector<bool> inner;
  std::vector<Prim> prims; ///< operands before users
  std::vector<KernelArray> arrays;
  SmallVector<KernelStore, 2> stores;
  /// Symbol number -> the integer that it is.
  DenseMap<unsigned, unsigned> symbols;
  unsigned phases = 0;
  /// The reductions run over nothing: they give their neutral elements.
  bool emptyReduction = false;
  /// The dimension that counts the instances of a batched kernel with tables.
  int tableDim = -1;
  /// What the kernel writes to the plan's error word, its last argument, if an index is
  /// out of range; 0: it has no indices.
  int errorCode = 0;
  /// The array, of i64 and zero before each run, in which blocks that share running sums pass each other what they have
  /// added up; -1: there is none.
  int carries = -1;
  /// An op whose reduction re-reads its operands from many rows (products,
  /// windows, scans): one thread per result.
  bool prefersColumns = false;

  KernelIR(Location loc) : loc(loc) {}
  int64_t getOuterSize() const;
  int64_t getInnerSize() const;
  /// Numbers of the dimensions that reductions run over, resp. the others.
  SmallVector<unsigned> getInnerDims() const;
  SmallVector<unsigned> getOuterDims() const;
  bool variesInside(const Prim &prim) const;
  bool hasScans() const;
  /// Calls `visit` with the integer of each symbol that occurs in the expression, at any depth.
  void visitSymbols(const IndexExpr &expr, function_ref<void(unsigned prim)> visit) const;
};

/// On a nest with `KernelIR::carries`, which is its last operand.
inline constexpr llvm::StringLiteral kCarriesAttr = "fxgraph.carries";

/// Type in which elements of a tensor of `elementType` are computed with.
Type getComputeType(Type elementType);
/// Type of an element in memory: i8 for bool, signless.
Type getMemoryType(Type elementType);
unsigned getMemoryBytes(Type elementType);

/// Builds the graph for one kernel; its arrays are values of the graph, with the plan's layouts.
FailureOr<KernelIR> buildKernelIR(const FusionKernel &kernel, const FusionPlan &plan);

/// Both compute the same if their operands are.
bool isSameFunction(const IndexSpace &space, const Prim &lhs, const Prim &rhs);
/// Chooses between operands where both values that are chosen from are the same function of them.
void sinkSelects(KernelIR &kernel);

/// Fills in what values vary along, and phases.
void deriveFacts(KernelIR &kernel);
/// Arrays that are neither loaded from nor stored to are none of the kernel's.
void dropUnusedArrays(KernelIR &kernel);

/// Text that is equal for kernels that differ in nothing but which memory they
/// read and write.
std::string getSignature(const KernelIR &kernel);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_KERNEL_KERNELIR_H
