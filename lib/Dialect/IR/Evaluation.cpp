// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Dialect/IR/Evaluation.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "llvm/Support/Process.h"

using namespace fxgraph;

bool fxgraph::isVerificationInEnvironment() {
  std::optional<std::string> value = llvm::sys::Process::GetEnv("FXGRAPH_VERIFY_REWRITES");
  return value && !value->empty() && *value != "0";
}

const EvaluationInterface *EvaluationInterface::get(MLIRContext *context) {
  auto *dialect = context->getLoadedDialect<FxGraphDialect>();
  return dialect ? dialect->getRegisteredInterface<EvaluationInterface>() : nullptr;
}
