// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers beside tensors: PyTorch's scalars, which are constants of rank 0 here. They go with
// any device and do not decide the dtype of a result.

#ifndef FXGRAPH_DIALECT_IR_NUMBERS_H
#define FXGRAPH_DIALECT_IR_NUMBERS_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/APFloat.h"

namespace fxgraph {

/// True if the value is a number.
bool isNumber(Value value);

/// A number beside floats, and one beside integers.
Value createNumber(OpBuilder &builder, Location loc, double number);
Value createNumber(OpBuilder &builder, Location loc, int64_t number);

/// The tensor with elements of this type: itself if they are.
Value createCast(OpBuilder &builder, Location loc, Value tensor, Type elementType);

/// A number rounded to a dtype, to nearest even. What is beyond float8_e4m3fn, which has no infinity, is its largest
/// number, as PyTorch has it; only NaN is NaN.
llvm::APFloat roundToDtype(llvm::APFloat number, FloatType dtype);

/// What dropout in training multiplies the elements by that it keeps: 1 / (1 - p), both
/// numbers of the dtype, or of f32 where that is wider; 0 < p < 1.
double getDropoutScale(double p, FloatType dtype);

} // namespace fxgraph

#endif // FXGRAPH_DIALECT_IR_NUMBERS_H
