// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function a group of ops, each in the file of that name.

#ifndef FXGRAPH_CONVERSION_FXGRAPHTOLINALG_POPULATEPATTERNS_H
#define FXGRAPH_CONVERSION_FXGRAPHTOLINALG_POPULATEPATTERNS_H

#include "fxgraph/Conversion/FxGraphToLinalg.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"

namespace fxgraph {
namespace lowering {
void populatePointwise(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateView(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns,
                  const LinalgOptions &options);
void populateSplitCat(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateContraction(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns,
                         const LinalgOptions &options);
void populateConvNorm(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns,
                      const LinalgOptions &options);
void populateReduction(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns,
                       const LinalgOptions &options);
void populateIndexing(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns,
                      const LinalgOptions &options);
void populateControlFlow(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
void populateStructural(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);
} // namespace lowering
} // namespace fxgraph

#endif // FXGRAPH_CONVERSION_FXGRAPHTOLINALG_POPULATEPATTERNS_H
