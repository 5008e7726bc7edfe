// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards shared by DRR (Constraints.td), PDLL (Constraints.pdll) and C++.

#ifndef FXGRAPH_TRANSFORMS_UTILS_CONSTRAINTS_H
#define FXGRAPH_TRANSFORMS_UTILS_CONSTRAINTS_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/APFloat.h"

namespace fxgraph {

/// For constraints that refuse a real candidate: says why in a missed remark of the
/// session that runs the pattern. A constraint that merely finds that the op is
/// something else fails without a word.
LogicalResult refuse(mlir::PatternRewriter &rewriter, Operation *op, StringRef reason);

/// `cat` joins along the dimension that `split` has cut, and gives the type of the
/// split's input.
LogicalResult checkCatRejoinsSplit(mlir::PatternRewriter &rewriter, Operation *split, Operation *cat);
/// `split` cuts where `cat` has joined.
LogicalResult checkSplitAtSeams(mlir::PatternRewriter &rewriter, Operation *cat, Operation *split);

/// The same type, and every extent a number or a symbol: two `?` may differ.
bool haveSameKnownType(Value a, Value b);

/// Whether `old`, a view that is the identity on `source`, may be dropped.
LogicalResult mayDropView(mlir::PatternRewriter &rewriter, Value old, Value source);
/// Whether `old`, an op whose result is fresh storage but the value of an operand, may
/// be dropped. Results of the graph are not asked about: see BoundaryGuard.
LogicalResult mayDropCopy(mlir::PatternRewriter &rewriter, Value old);
/// Whether the clone `old` may be dropped: it must not be what separates a result
/// of the graph from an argument or another result. One of a value that nobody else sees
/// separates nothing.
LogicalResult mayDropClone(mlir::PatternRewriter &rewriter, Value old);

/// Floats of less than 32 bits, which a result of each op is rounded to.
bool isNarrowFloat(Type type);
/// True if the op scales none of its operands: its alpha, and its beta, are 1 if it has them.
bool isUnscaled(Operation *op);

/// The number that `value` is everywhere (a splat constant or `full`), as a double if
/// that is exact.
std::optional<APFloat> getUniformValue(Value value);
/// True if `factor` is 1 everywhere and broadcasts to `value`.
bool isNeutralFactor(Value factor, Value value);
/// True if `value + alpha * summand` (or minus) is `value`, bit for bit: for floats the
/// product must be -0 when added and +0 when subtracted.
bool isNeutralSummand(Value summand, Value value, FloatAttr alpha, bool subtracted);
bool isIdentityPermutation(DenseI64ArrayAttr dims);
/// True if both numbers mean one dimension of `value`.
bool isSameDim(Value value, IntegerAttr dim0, IntegerAttr dim1);
/// True if this result of slice or slice_scatter picks or replaces every index of its
/// dimension.
bool isWholeSlice(Value slice);
/// True if `value` lies in row-major order in PyTorch, whatever the arguments' strides.
bool isKnownContiguous(Value value);

/// A permute or transpose whose meaning is the exchange of the last two dimensions.
bool exchangesLastTwoDims(Operation *op);
/// The same, with a refusal of other permutations.
LogicalResult checkExchangesLastTwoDims(mlir::PatternRewriter &rewriter, Operation *permutation);
/// A linear with a weight [n, k] and a bias [n] or none.
LogicalResult checkIsPlainLinear(mlir::PatternRewriter &rewriter, Operation *linear);

/// Makes the constraints of Constraints.pdll known to PDL patterns of this set. To be
/// called before the patterns are added.
void registerConstraints(mlir::RewritePatternSet &patterns);

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_UTILS_CONSTRAINTS_H
