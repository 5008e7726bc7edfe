// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An einsum equation, taken apart.

#ifndef FXGRAPH_DIALECT_IR_EINSUM_H
#define FXGRAPH_DIALECT_IR_EINSUM_H

#include "fxgraph/Support/LLVM.h"

namespace fxgraph {

/// One label a dimension: 0 … 25 for A … Z, 26 … 51 for a … z, and from 52 on
/// the dimensions that an ellipsis stands for, the *last* one of them being
/// `kEllipsisEnd - 1` in every term, so that equal labels align at the right.
struct EinsumEquation {
  static constexpr int kFirstEllipsis = 52;
  static constexpr int kEllipsisEnd = 1 << 20;

  SmallVector<SmallVector<int>> operands;
  SmallVector<int> result;

  /// The letter of a label, `...` for a dimension of an ellipsis.
  static std::string labelText(int label);
};

/// Parses `equation` for operands of these ranks. PyTorch's rules: blanks are
/// ignored but not inside `...` or `->`; without `->` the result has the ellipsis
/// first and then, sorted (A … Z before a … z), the letters that occur once; an
/// ellipsis that the explicit result lacks is summed.
FailureOr<EinsumEquation> parseEinsum(std::optional<Location> loc, StringRef equation, ArrayRef<int64_t> ranks);

class EinsumOp;
/// An einsum of two tensors as one batched matrix product of permuted, reshaped operands, of the
/// einsum's type. Null if it is none, `problem` says why: another number of operands, a dynamic or
/// broadcast extent, a label that repeats in a term or is summed in one term alone. With `avoidsCopies` a term is a matrix for
/// each of its outer labels, where as one matrix it would have to be copied: PyTorch's own decomposition copies it.
Value buildEinsumAsProduct(OpBuilder &builder, EinsumOp op, StringRef &problem, bool avoidsCopies = false);

} // namespace fxgraph

#endif // FXGRAPH_DIALECT_IR_EINSUM_H
