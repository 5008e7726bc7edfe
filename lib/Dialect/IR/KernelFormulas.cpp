// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ops with loops compute of the terms that KernelForms.cpp names, where that is more than to combine them.
// Operands of `arith` stand in braces: formulas are built in the order in which they are written.

#include "fxgraph/Dialect/IR/FxGraphOps.h"

using namespace fxgraph;
using Node = FormulaBuilder::Node;

/// f16 and bf16, which kernels compute in f32.
static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Node MeanOp::buildFormula(FormulaBuilder &b, unsigned) { return b.mean(b.term(0)); }

Node VarOp::buildFormula(FormulaBuilder &b, unsigned) {
  Node x = b.term(0), difference = b.arith(Arith::Sub, {x, b.mean(x)});
  double divisor = std::max(0.0, b.getCount() - getCorrection().convertToDouble());
  return b.arith(Arith::Div, {b.sum(b.arith(Arith::Mul, {difference, difference})), b.number(divisor)});
}

Node LogsumexpOp::buildFormula(FormulaBuilder &b, unsigned) {
  Node x = b.term(0), largest = b.reduce(ReduceKind::Max, x);
  // exp(inf - inf) is no help: an infinite maximum is the result by itself.
  Node isInfinite = b.arith(Arith::IsInf, {largest}), shift = b.select(isInfinite, b.number(0), largest);
  Node total = b.sum(b.arith(Arith::Exp, {b.arith(Arith::Sub, {x, shift})}));
  return b.arith(Arith::Add, {b.arith(Arith::Log, {total}), shift});
}

Node VectorNormOp::buildFormula(FormulaBuilder &b, unsigned) {
  double ord = getOrd().convertToDouble();
  Node x = b.term(0);
  if (ord == 2)
    return b.arith(Arith::Sqrt, {b.sum(b.arith(Arith::Mul, {x, x}))});
  if (ord == 0)
    return b.sum(b.truth(b.arith(Arith::NotZero, {x})));
  Node magnitude = b.arith(Arith::Abs, {x});
  if (ord == 1)
    return b.sum(magnitude);
  if (std::isinf(ord))
    return b.reduce(ord > 0 ? ReduceKind::Max : ReduceKind::Min, magnitude);
  Node total = b.sum(b.arith(Arith::Pow, {magnitude, b.number(ord)}));
  return b.arith(Arith::Pow, {total, b.number(1 / ord)});
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

// Terms: the row's element, the element itself (the same node where the loop is over the row), parameters.

Node SoftmaxOp::buildFormula(FormulaBuilder &b, unsigned) {
  Node row = b.term(0), x = b.term(1), largest = b.reduce(ReduceKind::Max, row);
  bool isRounded = isHalf(b.getElementType());
  Arith exponential = isRounded ? Arith::ExpFast : Arith::Exp;
  Node shiftedRow = b.arith(Arith::Sub, {row, largest});
  Node shifted = x == row ? shiftedRow : b.arith(Arith::Sub, {x, largest});
  Node powers = b.arith(exponential, {shiftedRow}), total = b.sum(powers);
  Node power = x == row ? powers : b.arith(exponential, {shifted});
  if (isRounded)
    return b.arith(Arith::Mul, {power, b.arith(Arith::Div, {b.number(1), total})});
  return b.arith(Arith::Div, {power, total});
}

Node LogSoftmaxOp::buildFormula(FormulaBuilder &b, unsigned) {
  Node row = b.term(0), x = b.term(1), largest = b.reduce(ReduceKind::Max, row);
  Node shiftedRow = b.arith(Arith::Sub, {row, largest});
  Node shifted = x == row ? shiftedRow : b.arith(Arith::Sub, {x, largest});
  Node total = b.sum(b.arith(Arith::Exp, {shiftedRow}));
  return b.arith(Arith::Sub, {shifted, b.arith(Arith::Log, {total})});
}

/// Result 0: (x - mean) * rstd * weight + bias; 1: the mean; 2: rstd.
template <typename NormOp>
static Node buildNorm(NormOp op, FormulaBuilder &b, unsigned result) {
  Node row = b.term(0), x = b.term(1), center = b.mean(row);
  Node differenceRow = b.arith(Arith::Sub, {row, center});
  Node variance = b.mean(b.arith(Arith::Mul, {differenceRow, differenceRow}));
  Node rstd = b.arith(Arith::Rsqrt, {b.arith(Arith::Add, {variance, b.number(op.getEps().convertToDouble())})});
  if (result != 0)
    return result == 1 ? center : rstd;
  Node difference = x == row ? differenceRow : b.arith(Arith::Sub, {x, center});
  Node value = b.arith(Arith::Mul, {difference, rstd});
  unsigned next = 2;
  if (op.getWeight())
    value = b.arith(Arith::Mul, {value, b.term(next++)});
  if (op.getBias())
    value = b.arith(Arith::Add, {value, b.term(next)});
  return value;
}
Node LayerNormOp::buildFormula(FormulaBuilder &b, unsigned result) { return buildNorm(*this, b, result); }
Node NativeLayerNormOp::buildFormula(FormulaBuilder &b, unsigned result) { return buildNorm(*this, b, result); }
Node GroupNormOp::buildFormula(FormulaBuilder &b, unsigned result) { return buildNorm(*this, b, result); }

Node BatchNormOp::buildFormula(FormulaBuilder &b, unsigned result) {
  if (getTraining())
    return buildNorm(*this, b, result);
  // Terms: the element, both running statistics, parameters.
  Node x = b.term(0), mean = b.term(1), variance = b.term(2);
  unsigned next = 3;
  std::optional<Node> weight, bias;
  if (getWeight())
    weight = b.term(next++);
  if (getBias())
    bias = b.term(next);
  Node one = b.number(1), shifted = b.arith(Arith::Add, {variance, b.number(getEps().convertToDouble())});
  Node rstd = b.arith(Arith::Div, {one, b.arith(Arith::Sqrt, {shifted})});
  Node scale = weight ? b.arith(Arith::Mul, {rstd, *weight}) : rstd;
  Node value = b.arith(Arith::Mul, {b.arith(Arith::Sub, {x, mean}), scale});
  return bias ? b.arith(Arith::Add, {value, *bias}) : value;
}

Node RmsNormOp::buildFormula(FormulaBuilder &b, unsigned) {
  Node row = b.term(0), x = b.term(1);
  double eps;
  if (getEps())
    eps = getEps()->convertToDouble();
  else // The type's distance from 1 to the next number.
    eps = std::ldexp(1.0, 1 - static_cast<int>(llvm::APFloat::semanticsPrecision(
                                  cast<FloatType>(b.getElementType()).getFloatSemantics())));
  Node square = b.mean(b.arith(Arith::Mul, {row, row}));
  Node rstd = b.arith(Arith::Rsqrt, {b.arith(Arith::Add, {square, b.number(eps)})});
  Node value = b.arith(Arith::Mul, {x, rstd});
  return getWeight() ? b.arith(Arith::Mul, {value, b.term(2)}) : value;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

Node AvgPool2dOp::buildFormula(FormulaBuilder &b, unsigned) {
  Node total = b.sum(b.term(0));
  if (std::optional<int64_t> divisor = getDivisorOverride())
    return b.arith(Arith::Div, {total, b.number(*divisor)});
  return b.arith(Arith::Div, {total, b.sum(b.term(1))});
}

Node AdaptiveAvgPool2dOp::buildFormula(FormulaBuilder &b, unsigned) {
  Node total = b.sum(b.term(0));
  return b.arith(Arith::Div, {total, b.sum(b.term(1))});
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// scale * sum(term 0 * term 1) + addendScale * term 2, if there is one.
static Node buildSumOfProducts(FormulaBuilder &b, double scale = 1, double addendScale = 1) {
  Node left = b.term(0), right = b.term(1), total = b.sum(b.arith(Arith::Mul, {left, right}));
  if (scale != 1)
    total = b.arith(Arith::Mul, {total, b.number(scale)});
  if (b.getNumTerms() == 2)
    return total;
  Node addend = b.term(2);
  if (addendScale != 1)
    addend = b.arith(Arith::Mul, {addend, b.number(addendScale)});
  return b.arith(Arith::Add, {total, addend});
}

static Node buildProduct(MatrixProductOpInterface op, FormulaBuilder &b) {
  return buildSumOfProducts(b, op.getProductScale(), op.getAddendScale());
}
Node MmOp::buildFormula(FormulaBuilder &b, unsigned) { return buildProduct(*this, b); }
Node BmmOp::buildFormula(FormulaBuilder &b, unsigned) { return buildProduct(*this, b); }
Node AddmmOp::buildFormula(FormulaBuilder &b, unsigned) { return buildProduct(*this, b); }
Node BaddbmmOp::buildFormula(FormulaBuilder &b, unsigned) { return buildProduct(*this, b); }
Node Conv1dOp::buildFormula(FormulaBuilder &b, unsigned) { return buildSumOfProducts(b); }
Node Conv2dOp::buildFormula(FormulaBuilder &b, unsigned) { return buildSumOfProducts(b); }
Node Conv3dOp::buildFormula(FormulaBuilder &b, unsigned) { return buildSumOfProducts(b); }
Node ConvolutionOp::buildFormula(FormulaBuilder &b, unsigned) { return buildSumOfProducts(b); }
