// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a rule did not fire: PDL's matcher asks all rules at once and does not say which
// question had the wrong answer. Here one rule is matched against one op, step by step,
// and the first step that fails is told.

#ifndef FXGRAPH_LIB_TRANSFORMS_USERPATTERNS_NEARMISSES_H
#define FXGRAPH_LIB_TRANSFORMS_USERPATTERNS_NEARMISSES_H

#include "RuleFile.h"

namespace fxgraph {

/// What keeps the rule from matching this op, which has the name of the rule's root, or
/// an empty text if nothing does.
std::string explainMiss(const Rule &rule, Operation *op,
                        const llvm::StringMap<mlir::PDLConstraintFunction> &constraints);

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_USERPATTERNS_NEARMISSES_H
