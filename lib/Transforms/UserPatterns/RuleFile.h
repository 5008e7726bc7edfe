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
  std::string counter;                        ///< of all rules; empty: each rule's name
  NumericClass assumed = NumericClass::Exact; ///< of patterns that declare no class
};

/// What a batch fusion fuses.
struct GroupDeclaration {
  std::string member; ///< the name of the ops
  unsigned least = 2, most = 300;
  SmallVector<unsigned> sharedOperands, varyingOperands;
  SmallVector<std::string> varyingAttributes;
};

struct Rule {
  std::string name, counter;
  NumericClass numerics;
  mlir::pdl::PatternOp pattern;          ///< as the file has it
  std::optional<GroupDeclaration> group; ///< of a batch fusion
};

/// The op from which the rule starts; null if it may be any.
mlir::pdl::OperationOp getRoot(mlir::pdl::PatternOp pattern);

class RuleFile {
public:
  /// Failure with diagnostics at their places in the file.
  static FailureOr<std::shared_ptr<const RuleFile>> load(MLIRContext *context, const RuleFileOptions &options);

  ArrayRef<Rule> getRules() const { return rules; }
  /// A module of its own with the rule in checked form (Utils/CheckedPatterns.h).
  static mlir::OwningOpRef<mlir::ModuleOp> makeChecked(const Rule &rule);

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Rule> rules;
};

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_USERPATTERNS_RULEFILE_H
