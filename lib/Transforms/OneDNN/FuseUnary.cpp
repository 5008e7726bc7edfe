// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-onednn-fuse-unary; the patterns are in FuseUnary.pdll. Linear in the ops: each match
// looks at the few ops of one activation.

#include "PointwiseProduct.h"
#include "fxgraph/Transforms/OneDNN/Passes.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace fxgraph {
#define GEN_PASS_DEF_ONEDNNFUSEUNARYPASS
#include "fxgraph/Transforms/OneDNN/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static FloatType getFloat(Value value) {
  return dyn_cast<FloatType>(cast<RankedTensorType>(value.getType()).getElementType());
}

/// The 16-bit float that `value` widens to f32; null if it does not.
static Value getWidened(Value value) {
  auto convert = value.getDefiningOp<ConvertElementTypeOp>();
  if (!convert || !getFloat(convert.getInput()) || !getFloat(value))
    return Value();
  return isNarrowFloat(getFloat(convert.getInput())) && getFloat(value).isF32() ? convert.getInput() : Value();
}

/// Failure without a word if `product` is made by no library product, with one if by one that
/// takes no activation.
static LogicalResult takesActivation(mlir::PatternRewriter &rewriter, Operation *root, Value product) {
  Operation *op = product.getDefiningOp();
  std::optional<PostOps> postOps = op ? getPostOps(op) : std::nullopt;
  if (!postOps)
    return failure();
  if (postOps->hasActivation())
    return refuse(rewriter, root, "the product has an activation already");
  if (op->getBlock() != root->getBlock())
    return refuse(rewriter, root, "the product is made in another block");
  return success();
}

/// More ops than any pattern has between a product and the end of its activation.
static constexpr size_t kMaxSteps = 16;

static LogicalResult standsForActivation(mlir::PatternRewriter &rewriter, Operation *root, Value x, bool narrow) {
  if (!getFloat(x) || isNarrowFloat(getFloat(x)) != narrow)
    return failure();
  Value narrowed = getWidened(x);
  if (failed(takesActivation(rewriter, root, narrowed ? narrowed : x)))
    return failure();
  if (narrowed && !narrowed.hasOneUse())
    return refuse(rewriter, root, "the product has other users");
  if (root->getResult(0).getType() != x.getType())
    return refuse(rewriter, root, "the result has not the product's type");
  // The ops of the activation: what lies between, numbers aside.
  llvm::SmallPtrSet<Operation *, 16> ops;
  SmallVector<Operation *> worklist{root};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!ops.insert(op).second)
      continue;
    // Constraints come in any order: this one may be asked before a number is known to be one.
    if (ops.size() > kMaxSteps)
      return failure();
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && operand != x && !producer->hasTrait<mlir::OpTrait::ConstantLike>() && !isa<FullOp>(producer))
        worklist.push_back(producer);
  }
  auto isInside = [&](Operation *user) { return ops.contains(user); };
  if (!llvm::all_of(x.getUsers(), isInside))
    return refuse(rewriter, root, "the product has other users");
  for (Operation *op : ops)
    if (op != root && !llvm::all_of(op->getUsers(), isInside))
      return refuse(rewriter, root, "a step of the activation has other users");
  return success();
}

/// The number that a rank-0 value is.
static std::optional<APFloat> getNumber(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank() == 0 ? getUniformValue(value) : std::nullopt;
}

static LogicalResult isNumber(mlir::PatternRewriter &, Value value, mlir::Attribute expected) {
  std::optional<APFloat> number = getNumber(value);
  return success(number && number->compare(cast<FloatAttr>(expected).getValue()) == APFloat::cmpEqual);
}

static LogicalResult isAnyNumber(mlir::PatternRewriter &, Value value) { return success(getNumber(value).has_value()); }

static LogicalResult checkUnscaled(mlir::PatternRewriter &, Operation *sum) { return success(isUnscaled(sum)); }

static LogicalResult doesNotRound(mlir::PatternRewriter &, Operation *quotient) {
  return success(!cast<DivOp>(quotient).getRoundingMode());
}

static LogicalResult hasOneBound(mlir::PatternRewriter &, Operation *op) {
  auto clamp = cast<ClampOp>(op);
  return success(clamp.getMin().has_value() != clamp.getMax().has_value());
}

static Value createLeakyRelu(mlir::PatternRewriter &rewriter, Operation *root, Value x, Value slope) {
  return LeakyReluOp::create(rewriter, root->getLoc(), x.getType(), x,
                             rewriter.getF64FloatAttr(getNumber(slope)->convertToDouble()));
}

/// Nothing if the op is no activation, or a clamp that is no hardtanh.
static std::optional<PostOps> getActivation(Operation *op) {
  PostOps postOps;
  postOps.activation = llvm::TypeSwitch<Operation *, StringRef>(op)
                           .Case<ReluOp, SigmoidOp, TanhOp, SiluOp, HardswishOp, HardsigmoidOp, LeakyReluOp, GeluOp>(
                               [](Operation *op) { return op->getName().stripDialect(); })
                           .Case<ClampOp>([](Operation *) { return "hardtanh"; })
                           .Default(StringRef());
  if (postOps.activation.empty())
    return std::nullopt;
  if (auto leaky = dyn_cast<LeakyReluOp>(op))
    postOps.scalars.push_back(leaky.getNegativeSlope().convertToDouble());
  if (auto gelu = dyn_cast<GeluOp>(op))
    postOps.algorithm = gelu.getApproximate();
  if (auto clamp = dyn_cast<ClampOp>(op)) {
    if (!clamp.getMin() || !clamp.getMax())
      return std::nullopt;
    postOps.scalars = {clamp.getMin()->convertToDouble(), clamp.getMax()->convertToDouble()};
    // False for NaN too.
    if (!(postOps.scalars[0] <= postOps.scalars[1]))
      return std::nullopt;
  }
  return postOps;
}

static LogicalResult isActivation(mlir::PatternRewriter &rewriter, Operation *root, Operation *op) {
  if (getActivation(op))
    return success();
  if (isa<ClampOp>(op))
    return refuse(rewriter, root, "the clamp has not two bounds in order");
  return failure();
}

static LogicalResult endsProduct(mlir::PatternRewriter &rewriter, Operation *activation, Value product) {
  if (failed(takesActivation(rewriter, activation, product)) || failed(isActivation(rewriter, activation, activation)))
    return failure();
  if (!product.hasOneUse())
    return refuse(rewriter, activation, "the product has other users");
  return success();
}

static LogicalResult narrowsActivation(mlir::PatternRewriter &rewriter, Operation *narrowed, Operation *activation,
                                       Value product) {
  if (getWidened(activation->getOperand(0)) != product || failed(takesActivation(rewriter, narrowed, product)) ||
      failed(isActivation(rewriter, narrowed, activation)))
    return failure();
  if (narrowed->getResult(0).getType() != product.getType())
    return refuse(rewriter, narrowed, "the result has not the product's type");
  if (!product.hasOneUse() || !activation->getOperand(0).hasOneUse() || !activation->getResult(0).hasOneUse())
    return refuse(rewriter, narrowed, "the product or its activation has other users");
  return success();
}

static Value createActivated(mlir::PatternRewriter &rewriter, Operation *root, Operation *activation, Value product) {
  Operation *op = product.getDefiningOp();
  PostOps postOps = *getActivation(activation), own = *getPostOps(op);
  postOps.other = own.other;
  postOps.binary = own.binary;
  beginUnary(rewriter, op);
  return createProduct(rewriter, root->getLoc(), op, postOps);
}

namespace {
#include "OneDNNFuseUnary.h.inc"

struct OneDNNFuseUnaryPass : public PatternPass<fxgraph::impl::OneDNNFuseUnaryPassBase<OneDNNFuseUnaryPass>> {
  using PatternPass::PatternPass;

  void addGroups(MLIRContext *context) override {
    for (bool narrow : {false, true}) {
      RewriteKind kind{"onednn-activation", "", narrow ? NumericClass::ChangesPrecision : NumericClass::Reassociates};
      addGroup(context, kind, [&](mlir::RewritePatternSet &set) {
        mlir::PDLPatternModule &pdl = set.getPDLPatterns();
        pdl.registerConstraintFunction(
            "StandsForActivation",
            [narrow](mlir::PatternRewriter &rewriter, Operation *root, Value x) -> LogicalResult {
              return standsForActivation(rewriter, root, x, narrow);
            });
        pdl.registerConstraintFunction("IsNumber", isNumber);
        pdl.registerConstraintFunction("IsAnyNumber", isAnyNumber);
        pdl.registerConstraintFunction("IsUnscaled", checkUnscaled);
        pdl.registerConstraintFunction("DoesNotRound", doesNotRound);
        pdl.registerConstraintFunction("HasOneBound", hasOneBound);
        pdl.registerRewriteFunction("CreateLeakyRelu", createLeakyRelu);
        set.add<SiluRight, SiluLeft, SiluQuotient, Hardswish, HardswishOfTwoClamps, Hardsigmoid, HardsigmoidOfTwoClamps,
                LeakyRelu, Hardtanh, Gelu, GeluByTanh>(context);
      });
    }
    RewriteKind kind{"onednn-unary", "", NumericClass::Exact}; // counted by the product
    addGroup(context, kind, [&](mlir::RewritePatternSet &set) {
      mlir::PDLPatternModule &pdl = set.getPDLPatterns();
      pdl.registerConstraintFunction("EndsProduct", endsProduct);
      pdl.registerConstraintFunction("NarrowsActivation", narrowsActivation);
      pdl.registerRewriteFunction("CreateActivated", createActivated);
      set.add<WidenedActivation, ReluActivation, SigmoidActivation, TanhActivation, SiluActivation, HardswishActivation,
              HardsigmoidActivation, LeakyReluActivation, ClampActivation, GeluActivation>(context);
    });
  }
};
} // namespace
