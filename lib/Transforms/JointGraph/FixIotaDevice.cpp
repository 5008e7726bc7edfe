// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-jointgraph-fix-iota-device; the pattern is in FixIotaDevice.pdll. Linear in the ops.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Transforms/JointGraph/Passes.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_JOINTGRAPHFIXIOTADEVICEPASS
#include "fxgraph/Transforms/JointGraph/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

/// True if the op indexes a tensor by operand `number`. Indices on another device than the tensor
/// are beyond the dialect's own index: such a call is kept whole.
static bool isIndexing(Operation *op, unsigned number) {
  auto opaque = dyn_cast<OpaqueOp>(op);
  return opaque && number > 0 && op->getNumResults() > 0 &&
         (opaque.getTarget() == "aten.index.Tensor" || opaque.getTarget() == "aten.index_put.default");
}

static LogicalResult matchIndexesOneDevice(mlir::PatternRewriter &rewriter, mlir::PDLResultList &results,
                                           Operation *iota) {
  auto type = cast<RankedTensorType>(iota->getResult(0).getType());
  StringAttr own = getDevice(type), device;
  for (OpOperand &use : iota->getUses()) {
    if (!isIndexing(use.getOwner(), use.getOperandNumber()))
      return refuse(rewriter, iota, "a user does not index a tensor of another device");
    auto result = dyn_cast<RankedTensorType>(use.getOwner()->getResult(0).getType());
    StringAttr other = result ? getDevice(result) : StringAttr();
    if (!other || (device && other != device))
      return refuse(rewriter, iota, "the users are not known to be on one device");
    device = other;
  }
  if (!device || device == own)
    return failure();
  if (own && !own.getValue().starts_with("cpu"))
    return refuse(rewriter, iota, "the indices are not on the CPU");
  results.push_back(Type(makeTensorType(getDims(type), type.getElementType(), device)));
  return success();
}

namespace {
#include "JointGraphFixIotaDevice.h.inc"

struct JointGraphFixIotaDevicePass
    : public PatternPass<fxgraph::impl::JointGraphFixIotaDevicePassBase<JointGraphFixIotaDevicePass>> {
  using PatternPass::PatternPass;

  void addGroups(MLIRContext *context) override {
    addGroup(context, {"fix-iota-device", "", NumericClass::Exact}, [](mlir::RewritePatternSet &set) {
      set.getPDLPatterns().registerConstraintFunction(
          "IndexesOneDevice",
          [](mlir::PatternRewriter &rewriter, mlir::PDLResultList &results, ArrayRef<mlir::PDLValue> arguments) {
            return matchIndexesOneDevice(rewriter, results, arguments[0].cast<Operation *>());
          });
      populateGeneratedPDLLPatterns(set);
    });
  }
};
} // namespace
