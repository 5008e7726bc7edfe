// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-convbn-fold: batch norms in evaluation mode are folded into the
// convolution or linear that feeds them, if all parameters are constants of the run.
// One walk over the norms.
//
// PyTorch: torch/_inductor/fx_passes/pre_grad.py (fuse_conv_bn),
// torch/nn/utils/fusion.py.

#include "ConvBNUtils.h"
#include "fxgraph/Transforms/ConvBN/Passes.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "fxgraph/Transforms/Utils/Numerics.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fxgraph {
#define GEN_PASS_DEF_CONVBNFOLDPASS
#include "fxgraph/Transforms/ConvBN/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"convbn-fold", "fuse_conv_bn", NumericClass::ChangesPrecision};

namespace {
/// Which values do not change from one run of the graph to the next.
class Constants {
public:
  explicit Constants(mlir::FunctionOpInterface function) : function(function) {
    function->walk([&](CopyUnderscoreOp copy) { written.insert(copy.getDst()); });
    // An unknown op may write to any argument of which it sees storage.
    function->walk([&](OpaqueOp opaque) {
      for (Value operand : opaque->getOperands()) {
        written.insert(operand);
        written.insert(getStorageRoot(operand, /*mayCopy=*/true));
      }
    });
  }
  bool contain(Value value);

private:
  /// The answer for arguments and for ops that are never constant; nullopt if it
  /// depends on the operands.
  std::optional<bool> lookupSource(Value value);

  mlir::FunctionOpInterface function;
  DenseSet<Value> written;
};
} // namespace

std::optional<bool> Constants::lookupSource(Value value) {
  if (written.contains(value))
    return false;
  if (auto argument = dyn_cast<mlir::BlockArgument>(value)) {
    if (argument.getOwner() != &function.getFunctionBody().front())
      return false;
    auto kind = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), FxGraphDialect::kKindAttr);
    return kind && kind != "input";
  }
  Operation *op = value.getDefiningOp();
  if (op->getNumRegions() != 0 || !mlir::isMemoryEffectFree(op))
    return false;
  return std::nullopt;
}

bool Constants::contain(Value value) {
  // What is computed from constants is one, as the weight of a folded convolution is.
  // Producers first, on a stack; parameters are few steps from their sources.
  constexpr size_t kMaxValues = 256;
  DenseMap<Value, bool> known;
  SmallVector<Value> stack{value};
  while (!stack.empty()) {
    Value current = stack.back();
    if (known.count(current)) {
      stack.pop_back();
      continue;
    }
    if (stack.size() + known.size() > kMaxValues)
      return false;
    if (std::optional<bool> source = lookupSource(current)) {
      known[current] = *source;
      continue;
    }
    size_t before = stack.size();
    bool all = true;
    for (Value operand : current.getDefiningOp()->getOperands()) {
      auto it = known.find(operand);
      if (it == known.end())
        stack.push_back(operand);
      else
        all &= it->second;
    }
    if (stack.size() == before)
      known[current] = all;
  }
  return known[value];
}

/// True if a parameter of the two may change between runs.
static bool hasVariables(BatchNormOp norm, const NormProducer &producer, Constants &constants) {
  return llvm::any_of(getParameters(norm, producer), [&](Value value) { return !constants.contain(value); });
}

namespace {
struct ConvBNFoldPass : public fxgraph::impl::ConvBNFoldPassBase<ConvBNFoldPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<NumericClass> widest = parseNumerics(getOperation().getLoc(), numerics);
    if (failed(widest))
      return signalPassFailure();
    RewriteSession session(*this);
    if (session.lacks<BatchNormOp>())
      return;
    SmallVector<BatchNormOp> norms = collectNorms(getOperation(), normChains);
    if (norms.empty())
      return;
    Constants constants(getOperation());
    for (BatchNormOp norm : norms) {
      if (!allows(*widest, kKind.numerics)) {
        session.missed(norm.getLoc(), kKind, "the fold changes roundings, which needs numerics=relaxed");
        continue;
      }
      NormProducer producer;
      std::string obstacle = getFoldObstacle(norm, producer);
      if (obstacle.empty() && requireConstants && hasVariables(norm, producer, constants))
        obstacle = "a parameter may change between runs";
      if (!obstacle.empty()) {
        session.missed(norm.getLoc(), kKind, obstacle);
        continue;
      }
      foldNorm(session, kKind, norm, producer);
    }
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
