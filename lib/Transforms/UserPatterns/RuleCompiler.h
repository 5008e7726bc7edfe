// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the text of rules to a PDL module.

#ifndef FXGRAPH_LIB_TRANSFORMS_USERPATTERNS_RULECOMPILER_H
#define FXGRAPH_LIB_TRANSFORMS_USERPATTERNS_RULECOMPILER_H

#include "RuleFile.h"

namespace fxgraph {

/// The parameters of a constraint or rewrite of the library, as types of PDL.
struct LibraryFunction {
  SmallVector<std::string> parameters, results; ///< "value", "range<value>", "operation", …
};
/// The constraints and rewrites that the library's text declares.
const llvm::StringMap<LibraryFunction> &getLibraryFunctions();

/// Parses PDL, or compiles PDLL and parses what comes out. Diagnostics have their places
/// in the file.
mlir::OwningOpRef<mlir::ModuleOp> compileRules(MLIRContext *context, const RuleFileOptions &options);

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_USERPATTERNS_RULECOMPILER_H
