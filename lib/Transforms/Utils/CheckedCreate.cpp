// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Transforms/Utils/CheckedCreate.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/Support/Threading.h"

using namespace fxgraph;

ErrorCapture::ErrorCapture(MLIRContext *context)
    : handler(context, [this, thread = llvm::get_threadid()](mlir::Diagnostic &diag) {
        // Other threads' passes have errors of their own.
        if (llvm::get_threadid() != thread || diag.getSeverity() != mlir::DiagnosticSeverity::Error)
          return failure();
        if (!text.empty())
          text += "; ";
        text += diag.str();
        return success();
      }) {}

/// A detached op with these results.
static Operation *makeDetached(Location loc, mlir::OperationName name, ValueRange operands,
                               ArrayRef<mlir::NamedAttribute> attributes, mlir::TypeRange types) {
  mlir::OperationState state(loc, name, operands, types, attributes);
  return Operation::create(state);
}

/// Whether the op has all attributes that it was made with: of another type than the op's, one is left out without a word,
/// and where the op can do without it the result is another op.
static bool isComplete(Operation *op, ArrayRef<mlir::NamedAttribute> attributes, std::string &error) {
  for (mlir::NamedAttribute attribute : attributes)
    if (op->getAttr(attribute.getName()) != attribute.getValue()) {
      llvm::raw_string_ostream(error) << "attribute '" << attribute.getName().getValue()
                                      << "' has another type than that of " << attribute.getValue();
      return false;
    }
  return true;
}

/// How many results the op has, as far as its traits say.
static unsigned getNumResults(mlir::OperationName name) {
  if (name.hasTrait<mlir::OpTrait::OneResult>())
    return 1;
  if (name.hasTrait<mlir::OpTrait::NResults<2>::Impl>())
    return 2;
  if (name.hasTrait<mlir::OpTrait::NResults<3>::Impl>())
    return 3;
  return 0;
}

/// Infers the result types. Inference functions take the number and types of operands
/// and the attributes as checked; so the op is verified first with results of no tensor
/// type, which must be the only thing that is wrong with it.
static LogicalResult inferTypes(Location loc, mlir::OperationName name, ValueRange operands,
                                ArrayRef<mlir::NamedAttribute> attributes, SmallVectorImpl<Type> &types,
                                std::string &error) {
  auto *inference = name.getInterface<mlir::InferTypeOpInterface>();
  if (!inference) {
    error = ("expected result types: those of '" + name.getStringRef() + "' cannot be inferred").str();
    return failure();
  }
  SmallVector<Type> placeholders(getNumResults(name), mlir::NoneType::get(name.getContext()));
  Operation *probe = makeDetached(loc, name, operands, attributes, placeholders);
  LogicalResult inferred = failure();
  if (isComplete(probe, attributes, error)) {
    ErrorCapture capture(name.getContext());
    // Ops with a list of results have none here.
    bool fine = succeeded(mlir::verify(probe)) || capture.getText().contains("result #0 must be") ||
                capture.getText().contains("incompatible with return type(s)");
    if (fine)
      inferred = inference->inferReturnTypes(name.getContext(), loc, operands, probe->getDiscardableAttrDictionary(),
                                             probe->getPropertiesStorage(), probe->getRegions(), types);
    error = capture.getText().str();
  }
  probe->destroy();
  return inferred;
}

FailureOr<Operation *> fxgraph::createChecked(OpBuilder &builder, Location loc, mlir::OperationName name,
                                              ValueRange operands, ArrayRef<mlir::NamedAttribute> attributes,
                                              std::optional<mlir::TypeRange> types, std::string &error) {
  SmallVector<Type> results;
  if (types)
    llvm::append_range(results, *types);
  else if (failed(inferTypes(loc, name, operands, attributes, results, error)))
    return failure();
  Operation *op = makeDetached(loc, name, operands, attributes, results);
  bool valid = isComplete(op, attributes, error);
  if (valid) {
    ErrorCapture capture(name.getContext());
    valid = succeeded(mlir::verify(op));
    error = capture.getText().str();
  }
  if (!valid) {
    op->destroy();
    return failure();
  }
  return builder.insert(op);
}

Operation *fxgraph::createTrusted(OpBuilder &builder, Location loc, mlir::OperationName name, ValueRange operands,
                                  ArrayRef<mlir::NamedAttribute> attributes, std::optional<mlir::TypeRange> types) {
  if (types)
    return builder.insert(makeDetached(loc, name, operands, attributes, *types));
  // Inference needs the properties, which an op has.
  SmallVector<Type> placeholders(getNumResults(name), mlir::NoneType::get(name.getContext())), results;
  Operation *op = makeDetached(loc, name, operands, attributes, placeholders);
  auto *inference = name.getInterface<mlir::InferTypeOpInterface>();
  LogicalResult inferred =
      inference->inferReturnTypes(name.getContext(), loc, operands, op->getDiscardableAttrDictionary(),
                                  op->getPropertiesStorage(), op->getRegions(), results);
  if (failed(inferred))
    llvm::report_fatal_error(llvm::Twine("expected operands of which ") + name.getStringRef() + " can be made");
  if (results.size() == placeholders.size()) {
    for (auto [result, type] : llvm::zip_equal(op->getResults(), results))
      result.setType(type);
    return builder.insert(op);
  }
  op->destroy();
  return builder.insert(makeDetached(loc, name, operands, attributes, results));
}
