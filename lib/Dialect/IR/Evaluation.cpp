// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Dialect/IR/Evaluation.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"

using namespace fxgraph;

const EvaluationInterface *EvaluationInterface::get(MLIRContext *context) {
  auto *dialect = context->getLoadedDialect<FxGraphDialect>();
  return dialect ? dialect->getRegisteredInterface<EvaluationInterface>() : nullptr;
}
