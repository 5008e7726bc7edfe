// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Backend/Signature.h"
#include "fxgraph/Analysis/CallGraph.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Support/RuntimeDtype.h"

using namespace fxgraph;

std::string fxgraph::getArgumentName(mlir::func::FuncOp function, unsigned argument) {
  if (auto name = function.getArgAttrOfType<StringAttr>(argument, FxGraphDialect::kNameAttr))
    return name.str();
  return "arg" + std::to_string(argument);
}

FxTensorInfo Signature::describe(Type type, const std::string &prefix, const std::string &name) {
  names.push_back(prefix + name);
  extents.emplace_back();
  FxTensorInfo result = {};
  result.name = names.back().c_str();
  result.dtype = FX_I64; // index: a number
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    result.dtype = getRuntimeDtype(tensor.getElementType());
    for (const Dim &dim : getDims(tensor)) {
      int64_t extent = dim.isStatic() ? dim.getExtent() : -1;
      if (dim.isSymbol()) {
        std::string symbol = prefix + dim.getSymbol().str();
        auto found = llvm::find(symbols, symbol);
        extent = -2 - (found - symbols.begin());
        if (found == symbols.end())
          symbols.push_back(std::move(symbol));
      }
      extents.back().push_back(extent);
    }
  }
  result.rank = extents.back().size();
  result.sizes = extents.back().data();
  return result;
}

void Signature::append(mlir::func::FuncOp function, const std::string &prefix) {
  size_t firstInput = inputs.size();
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    inputs.push_back(describe(type, prefix, getArgumentName(function, i)));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    auto name = function.getResultAttrOfType<StringAttr>(i, FxGraphDialect::kNameAttr);
    outputs.push_back(describe(type, prefix, name ? name.str() : "out" + std::to_string(i)));
  }
  for (unsigned argument : findWrittenArguments(function))
    inputs[firstInput + argument].mutated = true;
}

void Signature::finish(mlir::func::FuncOp function) {
  names.push_back(function.getName().str());
  info.name = names.back().c_str();
  info.inputCount = inputs.size();
  info.outputCount = outputs.size();
  info.inputs = inputs.data();
  info.outputs = outputs.data();
}

Signature::Signature(mlir::func::FuncOp function) {
  append(function, "");
  finish(function);
}

Signature::Signature(mlir::func::FuncOp function, int64_t numRanks) {
  for (int64_t rank = 0; rank < numRanks; ++rank)
    append(function, "rank" + std::to_string(rank) + "/");
  finish(function);
}
