// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linalg op on memrefs in the form in which its loops are emitted: extents, and
// per operand the step of its address for each loop. Transposes, broadcasts, slices
// and convolution windows all are steps.

#ifndef FXGRAPH_CONVERSION_LINALGTOCPU_LOOPNEST_H
#define FXGRAPH_CONVERSION_LINALGTOCPU_LOOPNEST_H

#include "CPULowering.h"
#include "mlir/IR/IRMapping.h"

namespace fxgraph {
namespace cpu {

/// A number that is known when compiling, or comes as an argument of the kernel.
struct Number {
  int64_t value = 0;
  int argument = -1; // of the kernel; -1: `value`

  static Number constant(int64_t value) { return {value, -1}; }
  bool isConstant() const { return argument < 0; }
  bool isConstant(int64_t other) const { return argument < 0 && value == other; }
  bool operator==(const Number &other) const {
    return argument == other.argument && (argument >= 0 || value == other.value);
  }
};

struct Loop {
  Number extent;
  bool reduction = false;
  int64_t original = -1; // linalg's loop, for linalg.index; -1 after a merge
};

struct NestOperand {
  int pointer = -1; // argument of the kernel; -1: a scalar
  Value scalar;     // outside of the kernel
  Type element;
  SmallVector<Number, 6> steps; // one a loop, in elements
  Number start;                 // added to the address
};

struct LoopNest {
  SmallVector<Loop, 6> loops;
  SmallVector<NestOperand> inputs;
  SmallVector<NestOperand> outputs;
  Block *body = nullptr; // arguments: inputs, outputs; ends in a yield
  bool usesIndex = false;

  /// Loop bound of the range that one call of the kernel does.
  int rangeLoop = -1;

  SmallVector<const NestOperand *> operands() const {
    SmallVector<const NestOperand *> all;
    for (const NestOperand &input : inputs)
      all.push_back(&input);
    for (const NestOperand &output : outputs)
      all.push_back(&output);
    return all;
  }
  /// Static product of the extents; dynamic ones count 64.
  double work() const;
  /// Drops loops of extent 1, sorts and merges (see LoopNest.cpp).
  void simplify();
  bool isEmpty() const {
    return llvm::any_of(loops, [](const Loop &loop) { return loop.extent.isConstant(0); });
  }
};

/// Values that make the kernel's numbers and pointers, while it is being built.
struct KernelBuilder {
  OpBuilder &b;
  Location loc;
  ValueRange arguments;  // of the kernel function
  mlir::IRMapping outer; // captured values to the kernel's
  Value rangeLow, rangeHigh;

  Value index(int64_t value);
  Value number(const Number &number);
  /// a + b * c, folded where known.
  Value multiplyAdd(Value sum, Value factor, const Number &step);
  Value address(const NestOperand &operand, Value position);
  Value load(const NestOperand &operand, Value position);
  void store(const NestOperand &operand, Value position, Value value);
};

/// The columns of a square of vectors, a power of two of them. Each step interleaves the first half of the rows with the
/// second; as many as double one row to all transpose them.
SmallVector<Value> transposeSquare(KernelBuilder &k, SmallVector<Value> rows);

/// Emits the loops of a nest at the builder's position.
void emitLoopNest(KernelBuilder &k, const LoopNest &nest);

/// The roles of the loops of a product of matrices. All other loops are batch loops
/// (parallel) around it.
struct Contraction {
  int m = -1;
  /// Columns and depth, outermost first: one dimension each, as their extents lie behind
  /// one another in the result (columns), resp. in the left operand (depth). In the
  /// right operand they may lie anyhow: a convolution is a product in which it is the
  /// input, whose rows and windows the packing gathers.
  SmallVector<int, 2> n;
  SmallVector<int, 3> k;
  bool swapped = false; // the first input has the columns
  /// Few rows or columns: sums along the depth, in vectors of it, of both operands as they lie (emitDots).
  bool dots = false;
  SmallVector<int> batch;

  /// The loop that stands for the columns where threads divide them.
  int columnLoop() const { return n.back(); }
  int64_t countColumns(const LoopNest &nest) const;
  int64_t countDepth(const LoopNest &nest) const;
};
/// Recognises output += lhs * rhs for which the tiled kernel pays.
bool matchContraction(const LoopNest &nest, Contraction &contraction);
/// Columns of a panel: the unit of a range of the columns.
int64_t contractionPanel(Type accumulator, int64_t vectorBytes);
/// Emits a tiled product: panels of the right operand are packed into scratch
/// memory, tiles of the result stay in registers. `vectorBytes`: 16, 32 or 64.
void emitContraction(KernelBuilder &k, const LoopNest &nest, const Contraction &contraction, int64_t vectorBytes);

/// Body: acc + lhs * rhs.
bool isMultiplyAdd(const LoopNest &nest);

/// The roles of the loops of sums over windows (WindowSums.cpp). The last loop goes along rows.
struct WindowSums {
  bool swapped = false; // the second input lies along the rows
  int line = -1;        // the parallel loop of which several steps are taken at once
};
bool matchWindowSums(const LoopNest &nest, WindowSums &sums, int64_t vectorBytes);
void emitWindowSums(KernelBuilder &k, const LoopNest &nest, const WindowSums &sums, int64_t vectorBytes);

} // namespace cpu
} // namespace fxgraph

#endif // FXGRAPH_CONVERSION_LINALGTOCPU_LOOPNEST_H
