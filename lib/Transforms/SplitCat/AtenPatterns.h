// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constraints and rewrites of AtenPatterns.pdll.

#ifndef FXGRAPH_LIB_TRANSFORMS_SPLITCAT_ATENPATTERNS_H
#define FXGRAPH_LIB_TRANSFORMS_SPLITCAT_ATENPATTERNS_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/PatternMatch.h"

namespace fxgraph {

/// To be called before the patterns are added.
void registerAtenConstraints(mlir::RewritePatternSet &patterns);

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_SPLITCAT_ATENPATTERNS_H
