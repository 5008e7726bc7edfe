// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-predispatch-remove-reshape; the patterns are in RemoveReshape.pdll. One sweep,
// producers first, and what each chain begins with is remembered: a chain of n reshapes costs n
// steps, also where all its members are used.

#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/PreDispatch/Passes.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_REMOVERESHAPEPASS
#include "fxgraph/Transforms/PreDispatch/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static constexpr StringRef kCounter = "remove_reshape_pass";

static bool isReshape(Operation *op) { return isa_and_present<ReshapeOp, ViewOp, FlattenOp, UnflattenOp>(op); }
static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static LogicalResult isBackAt(mlir::PatternRewriter &rewriter, Operation *view, Value source) {
  if (!isRowMajorView(view) || !haveSameKnownType(view->getResult(0), source))
    return failure();
  return mayDropView(rewriter, view->getResult(0), source);
}

/// Asked of each view when the sweep comes to it: what begins the chain of its producer is known.
static LogicalResult beginsChain(mlir::PatternRewriter &rewriter, mlir::PDLResultList &results,
                                 ArrayRef<mlir::PDLValue> args) {
  auto *view = args[0].cast<Operation *>();
  if (!isRowMajorView(view))
    return failure();
  RewriteSession &session = RewriteSession::of(rewriter);
  Value input = view->getOperand(0);
  Operation *producer = input.getDefiningOp();
  Value known = isRowMajorView(producer) ? session.recall(producer) : Value();
  session.note(view, known ? known : input);
  if (!known || known == producer->getOperand(0))
    return failure();
  results.push_back(known);
  return success();
}

static LogicalResult areReshapes(mlir::PatternRewriter &, Operation *inner, Operation *outer) {
  return success(isReshape(inner) && isReshape(outer) && typeOf(outer->getResult(0)).hasStaticShape());
}

/// The elementwise ops of one operand before a reshape, last first, and what stands before them.
static std::pair<SmallVector<Operation *>, Operation *> getEnclosed(Operation *reshape) {
  SmallVector<Operation *> chain;
  Operation *producer = reshape->getOperand(0).getDefiningOp();
  auto isLink = [](Operation *link) {
    return isa_and_present<UnaryPointwiseOpInterface>(link) && link->getNumOperands() == 1 && mlir::isPure(link);
  };
  for (; isLink(producer); producer = producer->getOperand(0).getDefiningOp()) {
    chain.push_back(producer);
    if (!producer->getResult(0).hasOneUse())
      break;
  }
  return {chain, producer};
}

static LogicalResult enclosesElementwise(mlir::PatternRewriter &rewriter, mlir::PDLResultList &results,
                                         ArrayRef<mlir::PDLValue> args) {
  auto *reshape = args[0].cast<Operation *>();
  if (!isReshape(reshape))
    return failure();
  auto [chain, producer] = getEnclosed(reshape);
  if (chain.empty())
    return failure();
  if (producer == chain.back())
    return refuse(rewriter, reshape, "an elementwise op between has other users");
  if (!isReshape(producer))
    return failure();
  Value source = producer->getOperand(0);
  if (source.getType() != withElementType(typeOf(reshape->getResult(0)), typeOf(source).getElementType()) ||
      !haveSameKnownType(source, source))
    return failure();
  if (!producer->getResult(0).hasOneUse())
    return refuse(rewriter, reshape, "the first reshape has other users");
  results.push_back(source);
  return success();
}

static Value reshapeAs(mlir::PatternRewriter &rewriter, Operation *outer, Value source) {
  RankedTensorType type = typeOf(outer->getResult(0));
  return ReshapeOp::create(rewriter, outer->getLoc(), type, source, ValueRange(),
                           rewriter.getDenseI64ArrayAttr(type.getShape()));
}

static Value applyEnclosed(mlir::PatternRewriter &rewriter, Operation *reshape, Value source) {
  RankedTensorType type = typeOf(source);
  Value value = source;
  SmallVector<Operation *> chain = getEnclosed(reshape).first;
  for (Operation *link : llvm::reverse(chain)) {
    mlir::IRMapping mapping;
    mapping.map(link->getOperand(0), value);
    Operation *copy = rewriter.clone(*link, mapping);
    copy->getResult(0).setType(withElementType(type, typeOf(link->getResult(0)).getElementType()));
    value = copy->getResult(0);
  }
  return value;
}

namespace {
#include "PreDispatchRemoveReshape.h.inc"

struct RemoveReshapePass
    : public PatternPass<fxgraph::impl::RemoveReshapePassBase<RemoveReshapePass>, Boundary::Guarded> {
  using PatternPass::PatternPass;

private:
  void addGroups(MLIRContext *context) override {
    auto populate = [&](mlir::RewritePatternSet &set) {
      mlir::PDLPatternModule &pdl = set.getPDLPatterns();
      pdl.registerConstraintFunction("IsBackAt", isBackAt);
      pdl.registerConstraintFunction("BeginsChain", beginsChain);
      pdl.registerConstraintFunction("KeepsOrder", [](mlir::PatternRewriter &, Operation *inner) -> LogicalResult {
        return success(isRowMajorView(inner));
      });
      pdl.registerConstraintFunction("AreReshapes", areReshapes);
      pdl.registerConstraintFunction("EnclosesElementwise", enclosesElementwise);
      pdl.registerRewriteFunction("ReshapeAs", reshapeAs);
      pdl.registerRewriteFunction("ApplyEnclosed", applyEnclosed);
      KindConfig back({"reshape-back", kCounter});
      set.add<OwnShape, ThereAndBack, LongWayBack>(context, back);
      set.add<AroundElementwise>(context, KindConfig({"reshape-around-elementwise", kCounter}));
      set.add<ReshapeOfReshape>(context, KindConfig({"reshape-of-reshape", kCounter}));
    };
    addGroup(context, {"remove-reshape", kCounter}, populate,
             {ReshapeOp::getOperationName(), ViewOp::getOperationName(), FlattenOp::getOperationName(),
              UnflattenOp::getOperationName(), SqueezeOp::getOperationName(), UnsqueezeOp::getOperationName()},
             SweepOrder::ProducersFirst);
  }
};
} // namespace
