// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites that are to be verified in a context that has no interpreter.

#include "fxgraph/Dialect/IR/Evaluation.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace fxgraph;

/// What a session on an empty function says.
static std::vector<std::string> openSession(const char *setting) {
  setenv("FXGRAPH_VERIFY_REWRITES", setting, /*overwrite=*/1);
  MLIRContext context;
  context.loadDialect<FxGraphDialect, mlir::func::FuncDialect>();
  std::vector<std::string> messages;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) { messages.push_back(diagnostic.str()); });
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  builder.setInsertionPointToStart(module->getBody());
  auto function = mlir::func::FuncOp::create(builder, loc, "main", builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  mlir::func::ReturnOp::create(builder, loc);
  RewriteSession session(function, "some-pass");
  EXPECT_TRUE(session.isValid());
  unsetenv("FXGRAPH_VERIFY_REWRITES");
  return messages;
}

TEST(VerificationTest, NobodyCanVerify) {
  std::vector<std::string> messages = openSession("1");
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0], "some-pass: rewrites are not verified: expected an interpreter in the context but nobody has "
                         "registered one (registerReferenceEvaluation)");
}

TEST(VerificationTest, NobodyAsks) { EXPECT_TRUE(openSession("0").empty()); }
