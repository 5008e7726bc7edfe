// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that are made from a description that nobody has checked, as by rules that come
// as text: what an op's own builder would take for granted (that attributes are there,
// that types can be inferred) is an error here instead of undefined behaviour.

#ifndef FXGRAPH_TRANSFORMS_UTILS_CHECKEDCREATE_H
#define FXGRAPH_TRANSFORMS_UTILS_CHECKEDCREATE_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

namespace fxgraph {

/// Collects the errors that this thread emits, as one text.
class ErrorCapture {
public:
  explicit ErrorCapture(MLIRContext *context);
  StringRef getText() const { return text; }

private:
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

/// Makes the op at the builder's insertion point if it is valid. Result types are
/// inferred where none are given. Attributes are inherent ones under their names, or
/// discardable. On failure nothing is made, and `error` says why.
FailureOr<Operation *> createChecked(OpBuilder &builder, Location loc, mlir::OperationName name, ValueRange operands,
                                     ArrayRef<mlir::NamedAttribute> attributes, std::optional<mlir::TypeRange> types,
                                     std::string &error);

/// The same without the checks, for descriptions that are known to be right.
Operation *createTrusted(OpBuilder &builder, Location loc, mlir::OperationName name, ValueRange operands,
                         ArrayRef<mlir::NamedAttribute> attributes, std::optional<mlir::TypeRange> types);

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_UTILS_CHECKEDCREATE_H
