// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BatchAten.h"

using namespace fxgraph;

Value fxgraph::createStack(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Value> values, bool decompose) {
  if (!decompose)
    return StackOp::create(builder, values, /*dim=*/0);
  SmallVector<Value> rows;
  for (Value value : values)
    rows.push_back(UnsqueezeOp::create(builder, value, /*dim=*/0));
  return CatOp::create(builder, rows, /*dim=*/0);
}

SmallVector<Value> fxgraph::selectEach(mlir::ImplicitLocOpBuilder &builder, Value batched, size_t count) {
  SmallVector<Value> results;
  for (size_t i = 0; i < count; ++i)
    results.push_back(SelectOp::create(builder, batched, /*dim=*/0, /*index=*/i));
  return results;
}
