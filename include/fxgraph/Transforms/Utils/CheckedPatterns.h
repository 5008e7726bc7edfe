// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PDL patterns that check what they do. PDL's own actions trust a pattern: they make ops
// that are not valid, infer types without the op's properties, replace values by values of
// another type or number, and erase ops in use. In the checked form native rewrites stand
// for them; what goes wrong is an error that names the rule, before anything has changed,
// and the session ends. Ops that the rewrite has made until then have no users and go.

#ifndef FXGRAPH_TRANSFORMS_UTILS_CHECKEDPATTERNS_H
#define FXGRAPH_TRANSFORMS_UTILS_CHECKEDPATTERNS_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/IR/PatternMatch.h"

namespace fxgraph {

/// Ops are made with their types inferred where the pattern gives none, and verified
/// unless the pattern is one of ours.
enum class Trust { Own, User };
void checkCreations(mlir::pdl::PatternOp pattern, Trust trust);
/// Ops that are replaced or erased may go: types and users agree, and they have no effects
/// unless the pattern answers for those.
void checkReplacements(mlir::pdl::PatternOp pattern, bool dropsEffects);

/// Makes the native rewrites known that these use.
void registerCheckedRewrites(mlir::PDLPatternModule &pdl);

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_UTILS_CHECKEDPATTERNS_H
