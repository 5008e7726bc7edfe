// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constraints and rewrites of Patterns.pdll.

#ifndef FXGRAPH_TRANSFORMS_ATTENTION_MATCHERS_H
#define FXGRAPH_TRANSFORMS_ATTENTION_MATCHERS_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/PatternMatch.h"

namespace fxgraph {

/// Numbers from here on vanish beside a score after the exponential: -10000, which the first
/// transformers wrote for minus infinity, and bf16's -9984, to which that rounds.
inline constexpr double kHiddenScore = -9984.0;

struct AttentionOptions {
  /// Nothing on the way has fewer than 32 bits.
  bool wideOnly = false;
  /// Rows that a mask hides throughout keep eager's value.
  bool keepHiddenRows = true;
};

void registerAttentionMatchers(mlir::PDLPatternModule &pdl, const AttentionOptions &options);
void registerAttentionRewrites(mlir::PDLPatternModule &pdl, const AttentionOptions &options);

/// What a mask is, in `forms` of the patterns.
struct MaskForm {
  enum Kind { Added, Visible, Hidden };
  Kind kind;
  /// What the masked scores are, of Visible (where the mask is false) and Hidden (where it is true).
  double fill = 0.0;
  /// The type of the scores that were masked.
  RankedTensorType scores;

  mlir::Attribute toAttribute(MLIRContext *context) const;
  static MaskForm fromAttribute(mlir::Attribute attribute);
};

/// True if a reshape can give `value` the leading dimensions of `level`.
bool canBatch(Value value, Value level);

/// An assertion that holds by the types.
bool isProvenAssertion(Operation *op);

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_ATTENTION_MATCHERS_H
