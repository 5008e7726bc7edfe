// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of single elements, or of vectors of them, in arith and math ops.
// Results agree with PyTorch's CUDA kernels in NaN, infinities, signed zeros and
// integer wrap-around; libdevice's functions are those that PyTorch calls.

#ifndef FXGRAPH_LIB_BACKEND_GPU_KERNEL_SCALARMATH_H
#define FXGRAPH_LIB_BACKEND_GPU_KERNEL_SCALARMATH_H

#include "Kernel/KernelIR.h"

namespace fxgraph::gpu {

class ScalarMath {
public:
  /// `isApproximate`: the results will be rounded to 16 bits, where the hardware's own
  /// functions do, right to some of the last bits of f32.
  ScalarMath(OpBuilder &builder, Location loc, bool isApproximate = false)
      : builder(builder), loc(loc), approximate(isApproximate) {}

  /// A constant of `type`, a scalar or a vector of floats, integers or indices.
  Value constant(Type type, double value);
  Value constant(Type type, Attribute value);
  Value integer(Type type, int64_t value);

  Value convert(Value value, Type to, bool fromUnsigned, bool toUnsigned);
  /// A float that has been in memory as one of this type.
  Value round(Value value, Type elementType);
  Value arithmetic(Arith kind, ArrayRef<Value> operands);
  /// One pointwise op of the dialect (Scalars.h) on operands in the type in which they meet. Null if it is no formula.
  Value pointwise(Operation *op, ValueRange operands);
  Value combine(ReduceKind kind, Value lhs, Value rhs, bool isUnsigned);
  /// The neutral element of a reduction.
  Value neutral(ReduceKind kind, Type type, bool isUnsigned);
  Value select(Value condition, Value yes, Value no);
  /// Smaller, larger: NaN if either is.
  Value maximum(Value lhs, Value rhs, bool isUnsigned);
  Value minimum(Value lhs, Value rhs, bool isUnsigned);
  Value add(Value lhs, Value rhs);
  Value sub(Value lhs, Value rhs);
  Value mul(Value lhs, Value rhs);
  Value div(Value lhs, Value rhs);
  Value neg(Value value);
  Value abs(Value value);
  /// `value` holds NaN.
  Value isNaN(Value value);

  /// Truncated quotient and remainder, defined for all operands.
  std::pair<Value, Value> divideIntegers(Value lhs, Value rhs, bool isUnsigned);
  Value truncate(Value x);

  bool isApproximate() const { return approximate; }
  /// In f32, approximately: numerator / (1 + exp(-x)), gelu, and gelu in the form of tanh.
  Value timesSigmoid(Value numerator, Value x);
  Value gelu(Value x);
  Value geluTanh(Value x);

private:
  Value overOnePlusExp2(Value numerator, Value x);
  Value applyInstruction(StringRef ptx, Value x);

  OpBuilder &builder;
  Location loc;
  bool approximate;
};

/// The element type of a scalar or vector type, and `type` with another one.
Type getScalarType(Type type);
Type withScalarType(Type type, Type scalar);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_KERNEL_SCALARMATH_H
