// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constraints and rewrites of Patterns.pdll.

#ifndef FXGRAPH_LIB_TRANSFORMS_POSTGRAD_PATTERNSUPPORT_H
#define FXGRAPH_LIB_TRANSFORMS_POSTGRAD_PATTERNSUPPORT_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/PatternMatch.h"

namespace fxgraph {

/// To be called before the patterns are added, each for those of its family.
void registerCleanupSupport(mlir::RewritePatternSet &patterns);
/// For running sums that never round, or for the others.
void registerRampSupport(mlir::RewritePatternSet &patterns, bool exact);
/// With `assumeInRange` every index is taken to be in range.
void registerScatterSupport(mlir::RewritePatternSet &patterns, bool assumeInRange);
/// For operands of at least `minElements`.
void registerReductionSupport(mlir::RewritePatternSet &patterns, int64_t minElements);
/// For tensors on GPUs.
void registerSoftmaxSupport(mlir::RewritePatternSet &patterns, StringRef defaultDevice);
void registerPermutationSupport(mlir::RewritePatternSet &patterns);
/// For tensors on GPUs; `exact`: exponents up to 254, else up to 255.
void registerExponentSupport(mlir::RewritePatternSet &patterns, StringRef defaultDevice, bool exact);

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_POSTGRAD_PATTERNSUPPORT_H
