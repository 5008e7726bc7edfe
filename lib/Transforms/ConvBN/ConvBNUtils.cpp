// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.

#include "ConvBNUtils.h"
#include "fxgraph/Analysis/FrozenValues.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/Utils/Numerics.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace fxgraph;

namespace {
/// What a norm is folded into.
struct NormProducer {
  Operation *op = nullptr;
  Value input, weight, bias;
  /// The weight's dimension of output channels, per group.
  int64_t channelDim = 0;
  /// Transposed convolutions hold groups along the input channels.
  int64_t groups = 1;
};
} // namespace

/// The producer of the norm's input, or why it takes no norm.
static FailureOr<NormProducer> getProducer(BatchNormOp norm, std::string &reason) {
  auto refuse = [&](const Twine &why) {
    reason = why.str();
    return failure();
  };
  NormProducer producer;
  producer.op = norm.getInput().getDefiningOp();
  auto fill = [&](auto conv) {
    producer.input = conv.getInput();
    producer.weight = conv.getWeight();
    producer.bias = conv.getBias();
  };
  if (auto conv = dyn_cast_if_present<Conv1dOp>(producer.op)) {
    fill(conv);
  } else if (auto conv = dyn_cast_if_present<Conv2dOp>(producer.op)) {
    fill(conv);
  } else if (auto conv = dyn_cast_if_present<Conv3dOp>(producer.op)) {
    fill(conv);
  } else if (auto conv = dyn_cast_if_present<ConvolutionOp>(producer.op)) {
    fill(conv);
    if (conv.getTransposed()) {
      producer.channelDim = 1;
      producer.groups = conv.getGroups();
      if (producer.groups != 1 && !cast<RankedTensorType>(producer.weight.getType()).hasStaticShape())
        return refuse("expected a weight of known extents for a grouped transposed convolution");
    }
  } else if (auto linear = dyn_cast_if_present<LinearOp>(producer.op)) {
    fill(linear);
    auto weight = cast<RankedTensorType>(producer.weight.getType());
    if (weight.getRank() != 2)
      return refuse("expected a weight of rank 2 but got rank " + Twine(weight.getRank()));
    if (producer.bias) {
      auto bias = cast<RankedTensorType>(producer.bias.getType());
      if (bias.getRank() != 1 || !getDims(bias)[0].provablyEquals(getDims(weight)[0]))
        return refuse("expected a bias with one value for each output");
    }
  } else {
    return refuse("expected the result of a convolution or linear");
  }
  return producer;
}

/// Weights, biases and statistics of both, as far as there are any.
static SmallVector<Value> getParameters(BatchNormOp norm, const NormProducer &producer) {
  SmallVector<Value> parameters{producer.weight,      producer.bias,    norm.getRunningMean(),
                                norm.getRunningVar(), norm.getWeight(), norm.getBias()};
  llvm::erase(parameters, Value());
  return parameters;
}

/// Why the norm does not become part of the convolution or linear that makes its input;
/// empty if it can. Fills `producer`.
static std::string getObstacle(BatchNormOp norm, NormProducer &producer) {
  if (norm.getTraining())
    return "the norm is in training mode";
  if (!norm.getRunningMean() || !norm.getRunningVar())
    return "expected running statistics";
  // Without eps a variance of 0 scales by infinity, and 0 * infinity differs between
  // the two forms.
  if (!(norm.getEps().convertToDouble() > 0))
    return "expected eps > 0";
  std::string reason;
  FailureOr<NormProducer> found = getProducer(norm, reason);
  if (failed(found))
    return reason;
  producer = *found;
  if (!producer.op->getResult(0).hasOneUse())
    return "the input of the norm has other users";
  if (producer.op->getBlock() != norm->getBlock())
    return "the input of the norm is made in another block";
  // The norm works on dimension 1. Without a batch dimension that is no channel; and
  // for a linear on [n, l, k] it is l.
  auto result = cast<RankedTensorType>(producer.op->getResult(0).getType());
  int64_t weightRank = cast<RankedTensorType>(producer.weight.getType()).getRank();
  if (result.getRank() != weightRank)
    return isa<LinearOp>(producer.op) ? "the norm is not over the outputs of the linear: expected rank 2"
                                      : "the norm is not over the channels: the convolution has no batch dimension";
  if (result != norm.getType())
    return "the norm and its input differ in type";
  for (Value value : getParameters(norm, producer)) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getElementType() != result.getElementType() || getDevice(type) != getDevice(result))
      return "expected parameters of the result's dtype and device";
  }
  return "";
}

/// W * s over the output channels.
static Value scaleWeight(mlir::ImplicitLocOpBuilder &b, Value weight, Value scale, const NormProducer &producer) {
  auto type = cast<RankedTensorType>(weight.getType());
  SmallVector<int64_t> scaleShape(type.getRank(), 1);
  if (producer.groups == 1) {
    scaleShape[producer.channelDim] = -1;
    return MulOp::create(b, weight, ReshapeOp::create(b, scale, scaleShape));
  }
  // Transposed with groups: weight [g * c, o, kernel…], channels of the result
  // [g, o]. The groups get a dimension of their own.
  ArrayRef<int64_t> shape = type.getShape();
  SmallVector<int64_t> grouped{producer.groups, shape[0] / producer.groups};
  llvm::append_range(grouped, shape.drop_front());
  scaleShape.assign(grouped.size(), 1);
  scaleShape[0] = producer.groups;
  scaleShape[2] = shape[1];
  Value groupedWeight = ReshapeOp::create(b, weight, grouped), groupedScale = ReshapeOp::create(b, scale, scaleShape);
  Value product = MulOp::create(b, groupedWeight, groupedScale);
  return ReshapeOp::create(b, product, shape);
}

/// Pattern: batch_norm(conv(x, W, b), mean, var, g, beta, eps) -> conv(x, W * s, (b - mean) * s + beta)
/// with s = g * rsqrt(var + eps), all computed in the graph: no parameter is written, and
/// what others use of them stays as it is. `frozen`, if there is one, is kept up to date.
static void foldNorm(RewriteSession &session, const RewriteKind &kind, BatchNormOp norm, const NormProducer &producer,
                     FrozenValues *frozen) {
  mlir::IRRewriter &rewriter = session.getRewriter();
  Location loc = rewriter.getFusedLoc({producer.op->getLoc(), norm.getLoc()});
  session.begin(kind);
  rewriter.setInsertionPoint(norm);
  mlir::ImplicitLocOpBuilder b(loc, rewriter);

  // 16-bit parameters are folded in 32 bits.
  auto elementType = cast<FloatType>(norm.getType().getElementType());
  bool widen = elementType.getWidth() < 32;
  auto cast = [&](Value value, Type to) -> Value {
    if (!value || !widen)
      return value;
    auto type = llvm::cast<RankedTensorType>(value.getType());
    return ConvertElementTypeOp::create(b, withElementType(type, to), value);
  };
  auto wide = [&](Value value) { return cast(value, b.getF32Type()); };

  auto scalar = RankedTensorType::get({}, b.getF64Type());
  Value eps = ConstantOp::create(b, scalar, DenseElementsAttr::get(scalar, norm.getEps().convertToDouble()));
  llvm::APFloat one(1.0);
  Value scale = RsqrtOp::create(b, Value(AddOp::create(b, wide(norm.getRunningVar()), eps, one)));
  if (norm.getWeight())
    scale = MulOp::create(b, scale, wide(norm.getWeight()));
  Value weight = scaleWeight(b, wide(producer.weight), scale, producer);
  Value mean = wide(norm.getRunningMean());
  Value shift = producer.bias ? Value(SubOp::create(b, wide(producer.bias), mean, one)) : Value(NegOp::create(b, mean));
  Value bias = MulOp::create(b, shift, scale);
  if (norm.getBias())
    bias = AddOp::create(b, bias, wide(norm.getBias()), one);

  // The same op with all its attributes on the new parameters.
  mlir::OperationState state(loc, producer.op->getName());
  state.addOperands({producer.input, cast(weight, elementType), cast(bias, elementType)});
  state.addTypes(norm.getType());
  state.addAttributes(producer.op->getAttrs());
  Operation *folded = rewriter.create(state);
  if (frozen) {
    frozen->remove(norm);
    frozen->remove(producer.op);
    // The next norm of a chain finds the new weight among its parameters.
    for (Operation *op = eps.getDefiningOp(); op != norm; op = op->getNextNode())
      frozen->add(op);
  }
  rewriter.replaceOp(norm, folded->getResults());
  session.applied(loc, producer.op->getName().stripDialect());
  session.eraseDeadOps({producer.op});
}

LogicalResult fxgraph::foldNorms(GraphPass &pass, const NormFoldOptions &options) {
  FailureOr<NumericClass> widest = parseNumerics(pass.getGraph().getLoc(), options.numerics);
  if (failed(widest))
    return failure();
  RewriteSession session(pass);
  if (session.lacks<BatchNormOp>())
    return success();
  SmallVector<BatchNormOp> norms = session.collect<BatchNormOp>();
  if (!options.chains)
    llvm::erase_if(norms, [](BatchNormOp norm) { return norm.getInput().getDefiningOp<BatchNormOp>() != nullptr; });
  std::optional<FrozenValues> frozen;
  if (options.onlyFrozen && !norms.empty())
    frozen.emplace(pass.getGraph());

  for (BatchNormOp norm : norms) {
    NormProducer producer;
    std::string obstacle = allows(*widest, options.kind.numerics)
                               ? getObstacle(norm, producer)
                               : "the rewrite changes roundings, which needs numerics=relaxed";
    // The weight [c, o / groups, …] has no dimension of all output channels: the scale
    // needs a copy of the weight in another shape.
    if (obstacle.empty() && !options.copiesWeights && producer.groups != 1)
      obstacle = "the scale does not broadcast against the weight of a grouped transposed convolution";
    if (obstacle.empty() && frozen &&
        !llvm::all_of(getParameters(norm, producer), [&](Value value) { return frozen->contains(value); }))
      obstacle = "a parameter may change between runs";
    if (!obstacle.empty()) {
      session.missed(norm.getLoc(), options.kind, obstacle);
      continue;
    }
    foldNorm(session, options.kind, norm, producer, frozen ? &*frozen : nullptr);
  }
  return success(session.isValid());
}
