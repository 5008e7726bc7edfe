// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of rules: PDLL, compiled by LLVM's tool mlir-pdll, or a PDL module. After
// loading, every name in it is known, and what its rewrites do is checked as they do it.

#ifndef FXGRAPH_LIB_TRANSFORMS_USERPATTERNS_RULEFILE_H
#define FXGRAPH_LIB_TRANSFORMS_USERPATTERNS_RULEFILE_H

#include "fxgraph/Support/Report.h"
#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/PatternMatch.h"

namespace fxgraph {

struct RuleFileOptions {
  std::string file;
  std::string compiler;                       ///< mlir-pdll; empty: searched for
  SmallVector<std::string> include;           ///< more folders for #include
  std::string name;                           ///< of patterns without one; empty: the file's
  NumericClass assumed = NumericClass::Exact; ///< of patterns that declare no class
};

struct Rule {
  std::string name;
  NumericClass numerics;
  mlir::pdl::PatternOp pattern; ///< as the file has it
};

class RuleFile {
public:
  /// Failure with diagnostics at their places in the file.
  static FailureOr<std::shared_ptr<const RuleFile>> load(MLIRContext *context, const RuleFileOptions &options);

  ArrayRef<Rule> getRules() const { return rules; }
  /// A module of its own with the rule in checked form: ops are created, replaced and
  /// erased by the native rewrites of registerCheckedRewrites.
  static mlir::OwningOpRef<mlir::ModuleOp> makeChecked(const Rule &rule);

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  SmallVector<Rule> rules;
};

/// The native rewrites that makeChecked uses.
void registerCheckedRewrites(mlir::PDLPatternModule &pdl);

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_USERPATTERNS_RULEFILE_H
