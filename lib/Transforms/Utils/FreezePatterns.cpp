// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header. The set compiles a module of PDL patterns by two steps, and leaves out the first where it
// finds the form between them: so that can be made here, and changed. What a pattern is configured with does not
// survive that; it is called from the pattern's rewrite instead.

#include "fxgraph/Transforms/Utils/FreezePatterns.h"
#include "fxgraph/Support/LLVM.h"
#include "mlir/Conversion/PDLToPDLInterp/PDLToPDLInterp.h"
#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Pass/PassManager.h"

using namespace fxgraph;
namespace pdl = mlir::pdl;

static constexpr StringRef kBegin = "fxgraph.begin";

/// Lets the rewrite of each pattern begin with a call of what it is configured with.
static void callConfigs(mlir::PDLPatternModule &patterns) {
  DenseMap<Operation *, mlir::PDLPatternConfigSet *> configOf = patterns.takeConfigMap();
  if (configOf.empty())
    return;
  SmallVector<mlir::PDLPatternConfigSet *> called;
  for (auto pattern : patterns.getModule().getOps<pdl::PatternOp>()) {
    mlir::PDLPatternConfigSet *config = configOf.lookup(pattern);
    if (!config)
      continue;
    auto builder = OpBuilder::atBlockBegin(&pattern.getRewriter().getBodyRegion().front());
    Value number = pdl::AttributeOp::create(builder, pattern.getLoc(), builder.getType<pdl::AttributeType>(),
                                            /*valueType=*/Value(), builder.getI64IntegerAttr(called.size()));
    pdl::ApplyNativeRewriteOp::create(builder, pattern.getLoc(), mlir::TypeRange(), kBegin, number);
    called.push_back(config);
  }
  // The function is copied with the set.
  auto owned = std::make_shared<SmallVector<std::unique_ptr<mlir::PDLPatternConfigSet>>>(patterns.takeConfigs());
  patterns.registerRewriteFunction(kBegin,
                                   [owned, called](mlir::PatternRewriter &rewriter, mlir::PDLResultList &,
                                                   ArrayRef<mlir::PDLValue> arguments) -> LogicalResult {
                                     auto number = cast<IntegerAttr>(arguments.front().cast<Attribute>());
                                     called[number.getInt()]->notifyRewriteBegin(rewriter);
                                     return success();
                                   });
}

mlir::FrozenRewritePatternSet fxgraph::freezePatterns(mlir::RewritePatternSet &&set) {
  mlir::PDLPatternModule &patterns = set.getPDLPatterns();
  mlir::ModuleOp module = patterns.getModule();
  if (!module || module.getOps<pdl::PatternOp>().empty())
    return std::move(set);
  callConfigs(patterns);
  mlir::PassManager pipeline(module->getContext(), mlir::ModuleOp::getOperationName());
  pipeline.addPass(mlir::createConvertPDLToPDLInterpPass());
  if (failed(pipeline.run(module)))
    llvm::report_fatal_error("a pattern does not compile");
  module.walk([](mlir::pdl_interp::RecordMatchOp match) {
    match.getMatchedOpsMutable().assign(match->getParentOfType<mlir::pdl_interp::FuncOp>().getArgument(0));
  });
  return std::move(set);
}
