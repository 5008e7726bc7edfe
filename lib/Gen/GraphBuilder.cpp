// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GraphBuilder.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace fxgraph;

// The generator's state moves on by a constant: states that lie a multiple of it apart
// give one sequence, shifted, and graphs that are mostly the same. A draw mixes the seed.
GraphBuilder::GraphBuilder(MLIRContext *context, uint64_t seed) : builder(context), random(RandomSource(seed).next()) {
  context->loadDialect<FxGraphDialect, mlir::func::FuncDialect>();
  Location loc = builder.getUnknownLoc();
  module = mlir::ModuleOp::create(builder, loc);
  builder.setInsertionPointToStart(module->getBody());
  function = mlir::func::FuncOp::create(builder, loc, "main", builder.getFunctionType({}, {}));
  body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
}

SmallVector<Value> GraphBuilder::emit(StringRef mnemonic, ValueRange operands,
                                      ArrayRef<mlir::NamedAttribute> attributes, TypeRange resultTypes) {
  if (llvm::is_contained(operands, Value()))
    return {};
  MLIRContext *context = builder.getContext();
  Location loc = builder.getUnknownLoc();
  mlir::OperationName name(("fxgraph." + mnemonic).str(), context);
  std::optional<mlir::RegisteredOperationName> info = name.getRegisteredInfo();
  if (!info)
    llvm::report_fatal_error("fx-gen: no op " + name.getStringRef());
  mlir::DictionaryAttr dictionary = builder.getDictionaryAttr(attributes);
  // What is not legal fails without a word: it is tried, not demanded.
  mlir::ScopedDiagnosticHandler quiet(context, [](mlir::Diagnostic &) { return success(); });

  SmallVector<Type> types(resultTypes);
  if (types.empty()) {
    if (auto *inference = info->getInterface<mlir::InferTypeOpInterface>()) {
      SmallVector<std::max_align_t> storage(info->getOpPropertyByteSize() / sizeof(std::max_align_t) + 1);
      mlir::OpaqueProperties properties(storage.data());
      info->initOpProperties(properties, mlir::OpaqueProperties(nullptr));
      auto onError = [&] { return mlir::emitError(loc); };
      // Ops without attributes have no properties to set.
      LogicalResult known = success();
      if (info->getOpPropertyByteSize() != 0)
        known = info->setOpPropertiesFromAttribute(name, properties, dictionary, onError);
      if (succeeded(known))
        known = inference->inferReturnTypes(context, std::nullopt, operands, dictionary, properties, {}, types);
      info->destroyOpProperties(properties);
      if (failed(known))
        return {};
    } else if (!operands.empty() && isa<RankedTensorType>(operands[0].getType())) {
      types.push_back(operands[0].getType());
    }
  }
  for (Type type : types)
    if (!isa<RankedTensorType>(type))
      return {};
  mlir::OperationState state(loc, name);
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttributes(attributes);
  Operation *op = builder.create(state);
  if (failed(mlir::verify(op))) {
    op->erase();
    return {};
  }
  ++numOps;
  return op->getResults();
}

Value GraphBuilder::emitOne(StringRef mnemonic, ValueRange operands, ArrayRef<mlir::NamedAttribute> attributes,
                            TypeRange resultTypes) {
  SmallVector<Value> results = emit(mnemonic, operands, attributes, resultTypes);
  return results.size() == 1 ? results[0] : Value();
}

Value GraphBuilder::addArgument(RankedTensorType type, StringRef kind) {
  Value argument = body->addArgument(type, builder.getUnknownLoc());
  arguments.push_back(argument);
  kinds.push_back(kind);
  return argument;
}

Value GraphBuilder::addNumber(double value, bool isInteger) {
  Type element = isInteger ? Type(builder.getI64Type()) : Type(builder.getF64Type());
  RankedTensorType type = tensorType({}, element);
  Attribute number = isInteger ? Attribute(builder.getI64IntegerAttr(static_cast<int64_t>(value)))
                               : Attribute(builder.getF64FloatAttr(value));
  return emitOne("constant", {}, builder.getNamedAttr("value", DenseElementsAttr::get(type, number)), type);
}

mlir::OwningOpRef<mlir::ModuleOp> GraphBuilder::finish(ValueRange results) {
  mlir::func::ReturnOp::create(builder, builder.getUnknownLoc(), results);
  function.setFunctionType(builder.getFunctionType(body->getArgumentTypes(), results.getTypes()));
  // All at once: each change of one makes a new list of all.
  SmallVector<mlir::DictionaryAttr> attributes;
  for (auto [i, kind] : llvm::enumerate(kinds))
    attributes.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr(FxGraphDialect::kKindAttr, builder.getStringAttr(kind)),
         builder.getNamedAttr(FxGraphDialect::kNameAttr, builder.getStringAttr("a" + std::to_string(i)))}));
  function.setAllArgAttrs(attributes);
  return std::move(module);
}
