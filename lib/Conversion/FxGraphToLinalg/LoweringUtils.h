// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lowering patterns share: extents as values, and builders of the few forms of linalg.generic that everything
// becomes. How a dtype is stored and computed with: Scalars.h.

#ifndef FXGRAPH_CONVERSION_FXGRAPHTOLINALG_LOWERINGUTILS_H
#define FXGRAPH_CONVERSION_FXGRAPHTOLINALG_LOWERINGUTILS_H

#include "fxgraph/Conversion/Scalars.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Support/DebugStringHelper.h"
#include "mlir/Transforms/DialectConversion.h"

namespace fxgraph {
namespace lowering {

using mlir::AffineMap;
using mlir::ConversionPatternRewriter;
using mlir::OpConversionPattern;
using mlir::OpFoldResult;
using Sizes = SmallVector<OpFoldResult, 6>;

/// Element type of a tensor value or type.
Type dtypeOf(Value value);
RankedTensorType tensorType(Value value);

/// (d0, …, dn) -> (d0, …, dk): the first `count` of `loops` loops. Unlike
/// AffineMap::getMajorSubMap not null for none of them.
inline mlir::AffineMap leadingLoops(OpBuilder &b, unsigned loops, unsigned count) {
  SmallVector<mlir::AffineExpr> exprs;
  for (unsigned i = 0; i < count; ++i)
    exprs.push_back(b.getAffineDimExpr(i));
  return mlir::AffineMap::get(loops, 0, exprs, b.getContext());
}

/// Extents of a tensor, constants where known.
Sizes getSizes(OpBuilder &b, Location loc, Value tensor);
OpFoldResult getSize(OpBuilder &b, Location loc, Value tensor, int64_t dim);
Value toIndexValue(OpBuilder &b, Location loc, OpFoldResult value);
OpFoldResult addSizes(OpBuilder &b, Location loc, OpFoldResult lhs, OpFoldResult rhs);
OpFoldResult subSizes(OpBuilder &b, Location loc, OpFoldResult lhs, OpFoldResult rhs);
OpFoldResult mulSizes(OpBuilder &b, Location loc, OpFoldResult lhs, OpFoldResult rhs);
/// Floor division of non-negative numbers.
OpFoldResult divSizes(OpBuilder &b, Location loc, OpFoldResult lhs, OpFoldResult rhs);
OpFoldResult minSizes(OpBuilder &b, Location loc, OpFoldResult lhs, OpFoldResult rhs);
OpFoldResult maxSizes(OpBuilder &b, Location loc, OpFoldResult lhs, OpFoldResult rhs);
inline std::optional<int64_t> constantSize(OpFoldResult value) { return mlir::getConstantIntValue(value); }
/// Fails the run with this message if the extents differ (nothing if provably equal).
void assertEqualSizes(OpBuilder &b, Location loc, OpFoldResult lhs, OpFoldResult rhs, const Twine &message);
/// Fails the run with this message unless the i1 holds.
void assertTrue(OpBuilder &b, Location loc, Value condition, const Twine &message);

/// The value as a tensor of this type, by a tensor.cast if extents are known on
/// one side only. Element types are equal.
Value castTo(OpBuilder &b, Location loc, Value value, Type type);

Value createEmpty(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes, Type storage);
/// All elements `scalar`.
Value createFilled(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes, Value scalar);
/// A constant of the storage type of a dtype.
Value createStoredScalar(OpBuilder &b, Location loc, Type dtype, double value);
/// Smallest/largest value of a dtype, as a compute scalar (-inf/inf for floats).
Value createLowest(OpBuilder &b, Location loc, Type dtype);
Value createHighest(OpBuilder &b, Location loc, Type dtype);

using BodyBuilder = function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)>;
/// linalg.generic with one parallel loop a result extent: the body gets the stored
/// elements of the operands and gives that of the result.
Value buildParallel(OpBuilder &b, Location loc, ValueRange operands, ArrayRef<AffineMap> maps,
                    ArrayRef<OpFoldResult> sizes, Type storage,
                    function_ref<Value(OpBuilder &, Location, ValueRange)> body);
/// As buildParallel with identity maps.
Value buildElementwise(OpBuilder &b, Location loc, ValueRange operands, Type storage,
                       function_ref<Value(OpBuilder &, Location, ValueRange)> body);
/// Reduction of one tensor (or several of one shape) over `dims`: `inits` are the
/// starting scalars, one a result; the body gets the elements, then the
/// accumulators. Results lack the reduced dims.
SmallVector<Value> buildReduction(OpBuilder &b, Location loc, ValueRange operands, ArrayRef<int64_t> dims,
                                  ValueRange inits, BodyBuilder body);
/// Map from `rank` loops that reads a tensor of `operand`'s shape broadcast to the
/// loops' extents (aligned at the right; extent 1 stays at 0). Unprovable equal
/// extents are asserted.
AffineMap broadcastMap(OpBuilder &b, Location loc, Value operand, ArrayRef<OpFoldResult> sizes);
/// Extents of a broadcast.
Sizes broadcastSizes(OpBuilder &b, Location loc, ValueRange operands);

/// The same elements in row-major order under other extents (equal products).
Value reshapeTo(OpBuilder &b, Location loc, Value tensor, ArrayRef<OpFoldResult> sizes);
Value unsqueeze(OpBuilder &b, Location loc, Value tensor, int64_t dim);
/// Drops dims of extent 1.
Value dropDims(OpBuilder &b, Location loc, Value tensor, ArrayRef<int64_t> dims);
Value transposed(OpBuilder &b, Location loc, Value tensor, ArrayRef<int64_t> order);
/// Contiguous piece along one dim.
Value sliceDim(OpBuilder &b, Location loc, Value tensor, int64_t dim, OpFoldResult start, OpFoldResult size,
               int64_t step = 1);

/// tensor.extract_slice and tensor.insert_slice, also of nothing (which those ops do
/// not take at the end of a dim): then an empty tensor, and the destination itself.
Value extractSlice(OpBuilder &b, Location loc, Value tensor, ArrayRef<OpFoldResult> offsets,
                   ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides);
Value insertSlice(OpBuilder &b, Location loc, Value source, Value into, ArrayRef<OpFoldResult> offsets,
                  ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides);

/// `before`/`after` more elements of `scalar` in each dim; negative amounts crop.
Value padOrCrop(OpBuilder &b, Location loc, Value tensor, ArrayRef<int64_t> before, ArrayRef<int64_t> after,
                Value scalar);

/// If the value is a constant scalar (rank 0, or one value everywhere), that
/// scalar as a constant of the compute type of `dtype`.
Value matchConstantScalar(OpBuilder &b, Location loc, Value original, Type dtype);

/// Error `<op>: <text>` for what the lowering cannot do.
template <typename OpTy>
LogicalResult refuse(OpTy op, const Twine &text) {
  op->emitOpError() << text;
  return failure();
}

/// Normalised list of reduced dims; absent or empty: all.
SmallVector<int64_t> reducedDims(std::optional<ArrayRef<int64_t>> dims, int64_t rank);

} // namespace lowering
} // namespace fxgraph

#endif // FXGRAPH_CONVERSION_FXGRAPHTOLINALG_LOWERINGUTILS_H
