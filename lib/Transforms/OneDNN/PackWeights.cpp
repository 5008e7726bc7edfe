// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-onednn-pack-weights: products with weights that no run changes become calls of a
// CPU library. One op each, but which values are frozen is known of the graph as a whole; linear.
//
// PyTorch: torch/_inductor/fx_passes/mkldnn_fusion.py, _register_weight_pack_pass.

#include "PointwiseProduct.h"
#include "fxgraph/Analysis/FrozenValues.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Transforms/OneDNN/Passes.h"
#include "fxgraph/Transforms/Utils/Constraints.h"
#include "fxgraph/Transforms/Utils/OptionsPass.h"

namespace fxgraph {
#define GEN_PASS_DEF_ONEDNNPACKWEIGHTSPASS
#include "fxgraph/Transforms/OneDNN/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kLinear{"onednn-pack-linear", "mkldnn_linear_weight_pack_matcher_count",
                                 NumericClass::Reassociates};
static const RewriteKind kConv{"onednn-pack-convolution", "mkldnn_conv_weight_pack_matcher_count",
                               NumericClass::Reassociates};

static const RewriteKind kReshapes{"onednn-reshaped-linear", "mkldnn_reshape_linear_reshape_matcher_count",
                                   NumericClass::Exact};

static RankedTensorType getTensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {
/// input [m, k] x weight + bias.
struct Product {
  explicit Product(Operation *op) {
    if (auto mm = dyn_cast<MmOp>(op)) {
      input = mm.getInput();
      weight = mm.getMat2();
    } else if (auto addmm = dyn_cast<AddmmOp>(op)) {
      input = addmm.getMat1();
      weight = addmm.getMat2();
      // With beta 0 it is not read.
      if (!addmm.getBeta().isZero())
        bias = addmm.getInput();
    } else {
      auto linear = cast<LinearOp>(op);
      input = linear.getInput();
      weight = linear.getWeight();
      bias = linear.getBias();
      isTransposed = true;
    }
  }
  Value input, weight, bias;
  /// The weight is [n, k].
  bool isTransposed = false;
};
} // namespace

/// Why the library does not take a product of these; empty if it does.
static StringRef getObstacle(Value input, Value weight, const FrozenValues &frozen, StringRef defaultDevice) {
  if (getDeviceType(input.getType(), defaultDevice) != "cpu")
    return "the product is not on the CPU";
  Type element = getTensorType(weight).getElementType();
  if (!element.isF32() && !element.isBF16() && !element.isF16())
    return "expected f32, bf16 or f16";
  if (!frozen.contains(weight))
    return "the weight may change between runs";
  return "";
}

static StringRef getObstacle(Operation *op, const FrozenValues &frozen, StringRef defaultDevice) {
  Product product(op);
  if (StringRef obstacle = getObstacle(product.input, product.weight, frozen, defaultDevice); !obstacle.empty())
    return obstacle;
  RankedTensorType weight = getTensorType(product.weight);
  if (weight.getRank() != 2)
    return "the weight is no matrix";
  if (auto addmm = dyn_cast<AddmmOp>(op))
    if (!addmm.getAlpha().isExactlyValue(1.0) || !(addmm.getBeta().isZero() || addmm.getBeta().isExactlyValue(1.0)))
      return "alpha is not 1, or beta neither 0 nor 1";
  if (product.bias) {
    RankedTensorType bias = getTensorType(product.bias);
    if (bias.getRank() != 1 || !getDims(bias)[0].provablyEquals(getDims(weight)[product.isTransposed ? 0 : 1]))
      return "the bias has not one value for each output";
  }
  return "";
}

static StringRef getObstacle(ConvolutionOp op, const FrozenValues &frozen, StringRef defaultDevice) {
  if (StringRef obstacle = getObstacle(op.getInput(), op.getWeight(), frozen, defaultDevice); !obstacle.empty())
    return obstacle;
  RankedTensorType input = getTensorType(op.getInput()), weight = getTensorType(op.getWeight());
  if (input.getRank() != weight.getRank() || (weight.getRank() != 4 && weight.getRank() != 5))
    return "expected a batch of images or volumes";
  if (!op.getTransposed())
    return "";
  if (!input.hasStaticShape())
    return "the input of the transposed convolution has unknown extents";
  int64_t groups = op.getGroups();
  if (groups > 1 && groups == weight.getDimSize(0))
    return "the transposed convolution is depthwise";
  for (auto [padding, stride] : llvm::zip_equal(op.getOutputPadding(), op.getStride()))
    if (padding >= stride)
      return "the output padding is not below the stride";
  return "";
}

/// The weight [n, k]; what a permutation makes [k, n] of is taken as it is.
static Value getTransposed(mlir::IRRewriter &rewriter, Location loc, Value weight) {
  auto permute = weight.getDefiningOp<PermuteOp>();
  if (permute && !isIdentityPermutation(permute.getDimsAttr()))
    return permute.getInput();
  return PermuteOp::create(rewriter, loc, weight, ArrayRef<int64_t>{1, 0});
}

static void pack(RewriteSession &session, Operation *op) {
  mlir::IRRewriter &rewriter = session.getRewriter();
  Location loc = op->getLoc();
  bool isConv = isa<ConvolutionOp>(op);
  session.begin(isConv ? kConv : kLinear);
  rewriter.setInsertionPoint(op);
  Value result;
  if (auto conv = dyn_cast<ConvolutionOp>(op)) {
    result = ConvolutionPointwiseOp::create(rewriter, loc, conv.getType(), conv.getInput(), conv.getWeight(),
                                            conv.getBias(), Value(), conv.getStride(), conv.getPadding(),
                                            conv.getDilation(), conv.getTransposed(), conv.getOutputPadding(),
                                            conv.getGroups(), "none", "none", ArrayRef<double>(), "none");
  } else {
    Product product(op);
    Value weight = product.isTransposed ? product.weight : getTransposed(rewriter, loc, product.weight);
    result = LinearPointwiseOp::create(rewriter, loc, op->getResult(0).getType(), product.input, weight, product.bias,
                                       Value(), "none", "none", ArrayRef<double>(), "none");
  }
  Operation *producer = isConv ? nullptr : Product(op).weight.getDefiningOp();
  rewriter.replaceOp(op, result);
  session.applied(loc);
  if (producer)
    session.eraseDeadOps(producer);
}

/// The reshape behind a product of rows that brings back the leading dimensions which the one before it merged; null if
/// there is none.
static Operation *findReshapeBack(LinearPointwiseOp product) {
  auto isReshape = [](Operation *op) { return isa_and_present<ReshapeOp, ViewOp>(op); };
  Operation *merge = product.getInput().getDefiningOp();
  if (!isReshape(merge) || !product->hasOneUse() || product.getOther())
    return nullptr;
  Operation *back = *product->user_begin();
  if (!isReshape(back) || back->getBlock() != product->getBlock())
    return nullptr;
  Dims before = getDims(getTensorType(merge->getOperand(0))), after = getDims(getTensorType(back->getResult(0)));
  if (before.size() < 2 || before.size() != after.size() ||
      !before.back().provablyEquals(getDims(getTensorType(product.getInput())).back()) ||
      !after.back().provablyEquals(getDims(getTensorType(product)).back()))
    return nullptr;
  for (auto [dim, other] : llvm::zip(ArrayRef(before).drop_back(), ArrayRef(after).drop_back()))
    if (!dim.provablyEquals(other))
      return nullptr;
  return back;
}

/// reshape(linear(reshape(x))) -> linear(x): a linear takes any leading dimensions.
static void dropReshapes(RewriteSession &session, LinearPointwiseOp product, Operation *back) {
  mlir::IRRewriter &rewriter = session.getRewriter();
  Location loc = product.getLoc();
  // Inductor counts a product that widens its weight, with the reshapes about it, once.
  session.begin(widensWeight(product) ? RewriteKind{kReshapes.pattern, "", kReshapes.numerics} : kReshapes);
  Operation *merge = product.getInput().getDefiningOp();
  rewriter.setInsertionPoint(product);
  auto whole = cast<LinearPointwiseOp>(rewriter.clone(*product));
  rewriter.modifyOpInPlace(whole, [&] {
    whole.getInputMutable().assign(merge->getOperand(0));
    whole.getResult().setType(getTensorType(back->getResult(0)));
  });
  rewriter.replaceOp(back, whole.getResult());
  rewriter.eraseOp(product);
  session.applied(loc);
  session.eraseDeadOps(merge);
}

namespace {
struct OneDNNPackWeightsPass
    : public SearchPass<fxgraph::impl::OneDNNPackWeightsPassBase<OneDNNPackWeightsPass>, NumericClass::Reassociates> {
  using SearchPass::SearchPass;

  void rewrite(RewriteSession &session) override {
    if (session.lacks<MmOp, AddmmOp, LinearOp, ConvolutionOp, LinearPointwiseOp>())
      return;
    SmallVector<Operation *> candidates;
    getOperation()->walk([&](Operation *op) {
      if (isa<MmOp, AddmmOp, LinearOp, ConvolutionOp>(op))
        candidates.push_back(op);
    });
    FrozenValues frozen(getOperation());
    for (Operation *op : candidates) {
      auto conv = dyn_cast<ConvolutionOp>(op);
      StringRef obstacle = conv ? getObstacle(conv, frozen, defaultDevice) : getObstacle(op, frozen, defaultDevice);
      if (obstacle.empty())
        pack(session, op);
      else
        session.missed(op->getLoc(), conv ? kConv : kLinear, obstacle);
    }
    SmallVector<std::pair<LinearPointwiseOp, Operation *>> reshaped;
    getOperation()->walk([&](LinearPointwiseOp product) {
      if (Operation *back = findReshapeBack(product))
        reshaped.push_back({product, back});
    });
    for (auto [product, back] : reshaped)
      dropReshapes(session, product, back);
  }
};
} // namespace
