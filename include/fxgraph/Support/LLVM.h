// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of LLVM and MLIR that the project uses without qualification. Our code
// lives in ::fxgraph, so that no symbol of ours hides or doubles one of MLIR's
// when the plugin is loaded.

#ifndef FXGRAPH_SUPPORT_LLVM_H
#define FXGRAPH_SUPPORT_LLVM_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Types.h"
#include "mlir/IR/Value.h"
#include "mlir/Support/LLVM.h"

namespace fxgraph {

using llvm::APFloat;
using llvm::APInt;
using llvm::ArrayRef;
using llvm::cast;
using llvm::cast_if_present;
using llvm::DenseMap;
using llvm::DenseSet;
using llvm::dyn_cast;
using llvm::dyn_cast_if_present;
using llvm::failed;
using llvm::failure;
using llvm::FailureOr;
using llvm::function_ref;
using llvm::isa;
using llvm::isa_and_present;
using llvm::LogicalResult;
using llvm::MapVector;
using llvm::MutableArrayRef;
using llvm::raw_ostream;
using llvm::SetVector;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using llvm::StringRef;
using llvm::succeeded;
using llvm::success;
using llvm::Twine;
using mlir::ArrayAttr;
using mlir::Attribute;
using mlir::Block;
using mlir::BoolAttr;
using mlir::DenseElementsAttr;
using mlir::DenseI64ArrayAttr;
using mlir::DictionaryAttr;
using mlir::ElementsAttr;
using mlir::emitError;
using mlir::FloatAttr;
using mlir::FloatType;
using mlir::InFlightDiagnostic;
using mlir::IntegerAttr;
using mlir::IntegerType;
using mlir::Location;
using mlir::MLIRContext;
using mlir::NamedAttribute;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::OpOperand;
using mlir::OpResult;
using mlir::RankedTensorType;
using mlir::Region;
using mlir::ShapedType;
using mlir::StringAttr;
using mlir::Type;
using mlir::TypeAttr;
using mlir::TypeRange;
using mlir::Value;
using mlir::ValueRange;

} // namespace fxgraph

#endif // FXGRAPH_SUPPORT_LLVM_H
