// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ops say of themselves to whoever makes kernels of them (lib/Analysis/FusionPlan.cpp).

#ifndef FXGRAPH_DIALECT_IR_KERNELFORM_H
#define FXGRAPH_DIALECT_IR_KERNELFORM_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace fxgraph {

/// What an element of an op's result is.
enum class KernelForm {
  None,      ///< the op is a kernel by itself
  Leaf,      ///< of the op alone (constant, full, arange)
  Identity,  ///< the element of operand 0
  View,      ///< an element of operand 0 at another index
  Select,    ///< of one of several operands, or a number: by its index (cat, stack, pad, triu, slice_scatter)
  Gather,    ///< of operand 0 at an index that is computed
  Pointwise, ///< computed of the elements of the operands
  Reduction, ///< computed in a loop of its own for each element, or each row
  Write,     ///< nothing: operand 0 is written
  Ignored    ///< nothing
};

/// Of ops of one form (KernelFormOpInterface).
template <KernelForm form>
struct HasKernelForm {
  template <typename ConcreteOp>
  class Impl : public mlir::OpTrait::TraitBase<ConcreteOp, Impl> {
  public:
    KernelForm getKernelForm() { return form; }
  };
};

/// An element takes a few instructions: it may be computed again where it is used.
template <typename ConcreteOp>
class FewInstructions : public mlir::OpTrait::TraitBase<ConcreteOp, FewInstructions> {};

/// A float that jumps where its operands pass certain numbers: it is computed from them as tensors hold them (jumps in FusionOps.h).
template <typename ConcreteOp>
class Jumps : public mlir::OpTrait::TraitBase<ConcreteOp, Jumps> {};

/// A view whose dimensions are steps along those of its input: the element of the input is at `start`, plus, for each
/// dimension i of the result that has one, index i times the step of `inputDim[i]`.
struct StridedMap {
  llvm::SmallVector<int64_t, 4> inputDim; ///< of each dimension of the result; -1: none, its extent is repeated
  llvm::SmallVector<int64_t, 4> start;    ///< in each dimension of the input
  llvm::SmallVector<int64_t, 4> step;     ///< along each dimension of the input; 0: not in the result, or repeated

  /// Every element of an input of this rank, where it is.
  static StridedMap identity(int64_t rank) {
    StridedMap map;
    map.start.assign(rank, 0);
    map.step.assign(rank, 1);
    for (int64_t dim = 0; dim < rank; ++dim)
      map.inputDim.push_back(dim);
    return map;
  }
};

/// lo <= expr <= hi, of the dimensions of an index.
struct IndexTest {
  mlir::AffineExpr expr;
  int64_t lo, hi;
};

/// An element of an operand, or a number, that is taken where all tests hold. Dimensions of the expressions are those of the
/// result's index, then those of the loop if there is one.
struct ElementChoice {
  std::optional<unsigned> operand; ///< none: the number
  mlir::AffineMap index;           ///< into the operand, which has such an element where the tests hold
  mlir::Attribute number;          ///< of f64 or i64; converted to the type of what is chosen from
  llvm::SmallVector<IndexTest, 1> tests;
};

/// What is read in each turn of a loop.
struct LoopTerm {
  /// The first whose tests hold; the last where no other's do. Without operands: f32.
  llvm::SmallVector<ElementChoice, 2> choices;
  mlir::AffineExpr position; ///< instead of choices: this number, of i64

  static LoopTerm element(unsigned operand, mlir::AffineMap index) { return {{{operand, index, {}, {}}}, {}}; }
};

/// What reductions add up with.
enum class ReduceKind { Sum, Prod, Max, Min, Or, And, ArgMax, ArgMin };

/// What formulas are made of.
enum class Arith {
  Add,
  Sub,
  Mul,
  Div,
  Max,
  Min,
  Exp,
  ExpFast, ///< exact enough for results that are rounded to 16 bits
  Log,
  Sqrt,
  Rsqrt,
  Abs,
  Pow,
  IsInf,  ///< a bool
  NotZero ///< a bool
};

/// Builds what a loop computes (KernelLoopOpInterface::buildFormula), as whatever a kernel is made of.
class FormulaBuilder {
public:
  /// A value of the formula.
  using Node = unsigned;
  virtual ~FormulaBuilder() = default;

  /// What a turn of the loop reads, and numbers, in the type in which elements of the result are computed.
  virtual Node term(unsigned i) = 0;
  virtual Node number(double value) = 0;
  /// 1 or 0 of a bool.
  virtual Node truth(Node condition) = 0;
  virtual Node arith(Arith kind, llvm::ArrayRef<Node> operands) = 0;
  virtual Node select(Node condition, Node yes, Node no) = 0;
  /// Of the values of all turns.
  virtual Node reduce(ReduceKind kind, Node value) = 0;
  /// The terms, of all turns or, running, of those up to the element; `result`: 1 is where an extremum is.
  virtual Node combine(ReduceKind kind, bool isRunning, unsigned result) = 0;

  virtual unsigned getNumTerms() const = 0;
  /// Turns of the loop.
  virtual double getCount() const = 0;
  virtual mlir::Type getElementType() const = 0;

  Node sum(Node value) { return reduce(ReduceKind::Sum, value); }
  Node mean(Node value) { return arith(Arith::Div, {sum(value), number(getCount())}); }
};

/// The index along one dimension of a table: loaded from an operand, at `at`, or the one result of `at`.
struct GatheredDim {
  std::optional<unsigned> operand;
  mlir::AffineMap at; ///< of the dimensions of the result's index
};

/// Attributes of a convolution in one form for all spellings.
struct ConvolutionInfo {
  mlir::Value input, weight, bias;
  llvm::SmallVector<int64_t, 3> stride, padding, dilation;
  int64_t groups = 1;
  bool transposed = false;
  bool batched = true;
};

/// Of ops that are RowOpInterface or ReductionOpInterface: what KernelLoopOpInterface asks for. Operands behind the first are
/// parameters, at the last dimensions of the index.
llvm::SmallVector<int64_t, 4> getRowLoopExtents(mlir::Operation *op);
mlir::AffineMap getRowsOfLoop(mlir::Operation *op);
llvm::SmallVector<LoopTerm, 3> getRowTerms(mlir::Operation *op, unsigned result);

/// A view with this map as expressions of the dimensions of its index.
mlir::AffineMap getAffineMap(const StridedMap &map, mlir::MLIRContext *context);

} // namespace fxgraph

#endif // FXGRAPH_DIALECT_IR_KERNELFORM_H
