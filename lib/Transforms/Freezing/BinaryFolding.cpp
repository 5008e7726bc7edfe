// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-freezing-binary-folding: what is added to a convolution or product, or multiplied
// with it, becomes part of its weights if it is frozen as they are. One walk over the binary
// ops in order, so that each finds the ones before it folded; linear.
//
// PyTorch: torch/_inductor/fx_passes/binary_folding.py.

#include "fxgraph/Analysis/FrozenValues.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/Numbers.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Support/Prefetch.h"
#include "fxgraph/Transforms/Freezing/Passes.h"
#include "fxgraph/Transforms/Utils/OptionsPass.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

namespace fxgraph {
#define GEN_PASS_DEF_FREEZINGBINARYFOLDINGPASS
#include "fxgraph/Transforms/Freezing/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"binary-folding", "binary_folding", NumericClass::ChangesPrecision};
/// Inductor counts convolutions a second time.
static constexpr StringRef kConvCounter = "binary_folding_conv";

namespace {
/// A convolution or product with weights, and what stands between it and the binary op.
struct Computation {
  Operation *op = nullptr;
  Value input, weight, bias;
  bool isConv = false;
  /// The weight's dimension of outputs.
  int64_t weightDim = 0;
  /// Views and a cast behind the op, the first one last.
  SmallVector<Operation *, 2> between;
};
} // namespace

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
static bool isBinary(Operation *op) { return isa<AddOp, SubOp, MulOp, DivOp>(op); }
static bool isSum(Operation *op) { return isa<AddOp, SubOp>(op); }
/// What a sum multiplies its right operand with.
static double getFactor(Operation *sum) {
  if (auto add = dyn_cast<AddOp>(sum))
    return add.getAlpha().convertToDouble();
  return -cast<SubOp>(sum).getAlpha().convertToDouble();
}

/// True if `convert` widens floats of 16 bits to f32.
static bool isWidening(ConvertElementTypeOp convert) {
  auto from = dyn_cast<FloatType>(typeOf(convert.getInput()).getElementType());
  return from && from.getWidth() < 32 && typeOf(convert.getResult()).getElementType().isF32();
}

/// What makes the left operand of the binary op; `op` is null if that takes no constants.
static Computation findComputation(Operation *binary) {
  Computation computation;
  Value value = binary->getOperand(0);
  bool seenView = false, seenCast = false;
  while (Operation *op = value.getDefiningOp()) {
    auto convert = dyn_cast<ConvertElementTypeOp>(op);
    if (convert && !seenCast && isWidening(convert))
      seenCast = true;
    else if (isa<ReshapeOp, ViewOp>(op) && !seenView)
      seenView = true;
    else
      break;
    computation.between.push_back(op);
    value = op->getOperand(0);
  }
  Operation *op = value.getDefiningOp();
  auto fill = [&](auto layer) {
    computation.op = layer;
    computation.input = layer.getInput();
    computation.weight = layer.getWeight();
    computation.bias = layer.getBias();
  };
  if (!op)
    return computation;
  llvm::TypeSwitch<Operation *>(op)
      .Case<Conv1dOp, Conv2dOp, Conv3dOp>([&](auto conv) {
        fill(conv);
        computation.isConv = true;
      })
      .Case<ConvolutionOp>([&](ConvolutionOp conv) {
        fill(conv);
        computation.isConv = true;
        computation.weightDim = conv.getTransposed() ? 1 : 0;
      })
      .Case<LinearOp>(fill)
      .Case<MmOp>([&](MmOp mm) {
        computation.op = mm;
        computation.input = mm.getInput();
        computation.weight = mm.getMat2();
        computation.weightDim = 1;
      })
      .Case<AddmmOp>([&](AddmmOp addmm) {
        computation.op = addmm;
        computation.input = addmm.getMat1();
        computation.weight = addmm.getMat2();
        computation.bias = addmm.getInput();
        computation.weightDim = 1;
      });
  return computation;
}

/// The dimension of the result of `binary` that holds the outputs of the computation, or
/// nothing if a view has mixed them with others.
static std::optional<int64_t> getOutputDim(const Computation &computation, Operation *binary) {
  int64_t rank = typeOf(binary->getOperand(0)).getRank();
  RankedTensorType made = typeOf(computation.op->getResult(0));
  bool hasView = llvm::any_of(computation.between, [](Operation *op) { return !isa<ConvertElementTypeOp>(op); });
  if (computation.isConv) {
    // Without a batch dimension the channels come first.
    int64_t dim = made.getRank() - typeOf(computation.weight).getRank() + 1;
    return hasView ? std::nullopt : std::optional(dim);
  }
  Dims outputs = getDims(made), seen = getDims(typeOf(binary->getOperand(0)));
  if (rank == 0 || (hasView && !outputs.back().provablyEquals(seen.back())))
    return std::nullopt;
  return rank - 1;
}

namespace {
/// Binary ops that fold together. Where the computation is cast to 32 bits behind it, those
/// that follow are rounded with it, once, by the cast at their end; else a binary op is alone.
struct Chain {
  SmallVector<Operation *, 2> binaries;
  /// The last op, whose result is that of the new computation.
  Operation *end = nullptr;
};
} // namespace

/// The chain that begins with `binary`; `end` is null if its 32-bit numbers are used as such.
static Chain findChain(Operation *binary, const Computation &computation) {
  Chain chain;
  if (!llvm::any_of(computation.between, [](Operation *op) { return isa<ConvertElementTypeOp>(op); })) {
    chain.binaries.push_back(binary);
    chain.end = binary;
    return chain;
  }
  Operation *op = binary;
  while (isBinary(op)) {
    chain.binaries.push_back(op);
    if (!op->getResult(0).hasOneUse() || op->getResult(0).use_begin()->getOperandNumber() != 0)
      return chain;
    op = *op->user_begin();
  }
  auto convert = dyn_cast<ConvertElementTypeOp>(op);
  Type element = typeOf(computation.weight).getElementType();
  if (convert && convert->getBlock() == binary->getBlock() && typeOf(convert.getResult()).getElementType() == element)
    chain.end = convert;
  return chain;
}

/// Whether no element is 0, as far as literals say.
static bool isKnownNonzero(Value divisor) {
  if (auto full = divisor.getDefiningOp<FullOp>())
    return !full.getValue().isZero();
  auto number = divisor.getDefiningOp<ConstantOp>();
  auto elements = number ? dyn_cast<mlir::DenseElementsAttr>(number.getValue()) : mlir::DenseElementsAttr();
  return elements && isa<FloatType>(elements.getElementType()) &&
         llvm::none_of(elements.getValues<llvm::APFloat>(), [](const llvm::APFloat &value) { return value.isZero(); });
}

/// Why the binary op does not become part of the computation; empty if it does.
static std::string getObstacle(Operation *binary, const Computation &computation, const FrozenValues &frozen,
                               bool assumeNonzero) {
  Value constant = binary->getOperand(1);
  if (!frozen.contains(constant))
    return "the other operand may change between runs";
  if (!frozen.contains(computation.weight) || (computation.bias && !frozen.contains(computation.bias)))
    return "the weights may change between runs";
  SmallVector<Operation *> inner(computation.between.begin(), computation.between.end());
  inner.push_back(computation.op);
  for (Operation *op : inner)
    if (!op->getResult(0).hasOneUse() || op->getBlock() != binary->getBlock())
      return "the result of the convolution or product has other users";
  if (!computation.weight.hasOneUse())
    return "the weight has other users";

  RankedTensorType weight = typeOf(computation.weight), type = typeOf(constant);
  auto element = dyn_cast<FloatType>(weight.getElementType());
  if (!element)
    return "expected weights of floats";
  if (!isa<FloatType>(type.getElementType()))
    return "expected a constant of floats";
  if (getDevice(type) != getDevice(weight) && type.getRank() != 0)
    return "the constant and the weights are on different devices";
  if (binary->getResult(0).getType() != binary->getOperand(0).getType())
    return "the constant broadcasts the result or gives it another type";
  if (auto div = dyn_cast<DivOp>(binary); div && div.getRoundingMode())
    return "the quotient rounds";

  // The shape: one value for each output, or one for all.
  std::optional<int64_t> dim = getOutputDim(computation, binary);
  int64_t offset = typeOf(binary->getOperand(0)).getRank() - type.getRank();
  Dim outputs = getDims(weight)[computation.weightDim];
  for (auto [i, extent] : llvm::enumerate(getDims(type))) {
    if (extent.isStatic() && extent.getExtent() == 1)
      continue;
    if (static_cast<int64_t>(i) + offset != dim || !extent.provablyEquals(outputs))
      return "the constant has not one value for each output";
  }

  if (weight.getRank() < 2)
    return "expected a weight of rank 2 or more";
  if (auto conv = dyn_cast<ConvolutionOp>(computation.op); conv && conv.getTransposed() && conv.getGroups() != 1)
    return "the weight of a grouped transposed convolution has no dimension of all outputs";
  auto addmm = dyn_cast<AddmmOp>(computation.op);
  if (addmm && isSum(binary) && !addmm.getBeta().isExactlyValue(1.0))
    return "the addmm scales what it adds: its beta is not 1";
  auto linear = dyn_cast<LinearOp>(computation.op);
  if (linear && linear.getBias() && typeOf(linear.getBias()).getRank() > 1)
    return "the bias of the linear has not one value for each output";
  // x * W / 0 is infinite where x * (W / 0) may be NaN.
  if (isa<DivOp>(binary) && !assumeNonzero && !isKnownNonzero(constant))
    return "the divisor may be 0: assume-nonzero-divisors is off";
  if (auto number = constant.getDefiningOp<ConstantOp>(); number && !isSum(binary)) {
    auto elements = dyn_cast<mlir::DenseElementsAttr>(number.getValue());
    if (elements && isa<FloatType>(elements.getElementType()) &&
        !llvm::all_of(elements.getValues<llvm::APFloat>(), [](const llvm::APFloat &value) { return value.isFinite(); }))
      return "the constant is infinite";
  }
  return "";
}

namespace {
/// The parameters of a computation while binary ops go into them; those of 16 bits in 32, so
/// that they are rounded once.
class Parameters {
public:
  Parameters(mlir::ImplicitLocOpBuilder &b, const Computation &computation)
      : b(b), weight(computation.weight), bias(computation.bias), weightDim(computation.weightDim),
        element(cast<FloatType>(typeOf(weight).getElementType())),
        wide(element.getWidth() < 32 ? b.getF32Type() : element) {}

  void apply(Operation *op);
  Value getWeight() { return convert(weight, element); }
  /// Null if there is none.
  Value getBias() { return bias ? convert(bias, element) : bias; }

private:
  Value convert(Value value, Type to) { return createCast(b, b.getLoc(), value, to); }
  /// A constant along dimension `dim` of a tensor of rank `rank`.
  Value reshape(Value constant, int64_t dim, int64_t rank) {
    SmallVector<int64_t> shape(rank, 1);
    if (!llvm::all_of(typeOf(constant).getShape(), [](int64_t extent) { return extent == 1; }))
      shape[dim] = -1;
    return ReshapeOp::create(b, constant, shape);
  }
  Value scaleBias(Value summand, double factor);

  mlir::ImplicitLocOpBuilder &b;
  Value weight, bias;
  int64_t weightDim;
  FloatType element, wide;
};
} // namespace

/// The bias that a computation without one gets from `factor * summand`.
Value Parameters::scaleBias(Value summand, double factor) {
  if (factor == -1.0) {
    summand = NegOp::create(b, summand);
  } else if (factor != 1.0) {
    summand = MulOp::create(b, summand, createNumber(b, b.getLoc(), factor));
  }
  Dim outputs = getDims(typeOf(weight))[weightDim];
  if (getDims(typeOf(summand))[0].provablyEquals(outputs))
    return summand;
  return ExpandOp::create(b, summand, outputs.getExtent());
}

void Parameters::apply(Operation *op) {
  Value constant = convert(op->getOperand(1), wide);
  if (isSum(op)) {
    Value summand = reshape(constant, 0, 1);
    double factor = getFactor(op);
    bias = bias ? Value(AddOp::create(b, convert(bias, wide), summand, llvm::APFloat(factor)))
                : scaleBias(summand, factor);
    return;
  }
  auto scale = [&](Value value, Value other) -> Value {
    value = convert(value, wide);
    if (isa<MulOp>(op))
      return MulOp::create(b, value, other);
    return DivOp::create(b, value, other, StringAttr());
  };
  weight = scale(weight, reshape(constant, weightDim, typeOf(weight).getRank()));
  if (bias)
    bias = scale(bias, reshape(constant, 0, 1));
}

/// The computation on other parameters. A bias makes an mm an addmm.
static Operation *rebuild(mlir::ImplicitLocOpBuilder &b, const Computation &computation, Value weight, Value bias) {
  if (isa<MmOp>(computation.op) && bias)
    return AddmmOp::create(b, computation.op->getResult(0).getType(), bias, computation.input, weight,
                           b.getF64FloatAttr(1.0), b.getF64FloatAttr(1.0));
  SmallVector<Value> operands{computation.input, weight};
  if (isa<AddmmOp>(computation.op))
    operands.insert(operands.begin(), bias);
  else if (bias)
    operands.push_back(bias);
  mlir::OperationState state(b.getLoc(), computation.op->getName());
  state.addOperands(operands);
  state.addTypes(computation.op->getResultTypes());
  state.addAttributes(computation.op->getAttrs());
  return b.create(state);
}

/// Rebuilds the computation on parameters that the chain has gone into.
static void fold(RewriteSession &session, const Chain &chain, const Computation &computation, FrozenValues &frozen) {
  mlir::IRRewriter &rewriter = session.getRewriter();
  SmallVector<Location> locs{computation.op->getLoc()};
  for (Operation *binary : chain.binaries)
    locs.push_back(binary->getLoc());
  Location loc = rewriter.getFusedLoc(locs);
  session.begin(kKind);
  rewriter.setInsertionPoint(chain.end);
  mlir::ImplicitLocOpBuilder b(loc, rewriter);
  Operation *before = chain.end->getPrevNode();

  Parameters parameters(b, computation);
  for (Operation *binary : chain.binaries)
    parameters.apply(binary);
  Value weight = parameters.getWeight(), bias = parameters.getBias();
  Value result = rebuild(b, computation, weight, bias)->getResult(0);
  for (Operation *inner : llvm::reverse(computation.between)) {
    if (isa<ConvertElementTypeOp>(inner))
      continue;
    mlir::IRMapping mapping;
    mapping.map(inner->getOperand(0), result);
    Value view = rewriter.clone(*inner, mapping)->getResult(0);
    // Without the cast it is a view of narrow numbers.
    view.setType(withElementType(typeOf(view), typeOf(result).getElementType()));
    result = view;
  }
  // The next binary op finds the new weights among the frozen values.
  for (Operation *made = before->getNextNode(); made != chain.end; made = made->getNextNode())
    frozen.add(made);

  // From the end on, so that each is dead when its turn comes.
  SmallVector<Operation *> old{chain.end};
  llvm::append_range(old, llvm::reverse(chain.binaries));
  llvm::append_range(old, computation.between);
  old.push_back(computation.op);
  old.erase(std::unique(old.begin(), old.end()), old.end());
  for (Operation *dead : old)
    frozen.remove(dead);
  Report &report = Report::get(rewriter.getContext());
  SmallVector<StringRef> names =
      llvm::map_to_vector(chain.binaries, [](Operation *binary) { return binary->getName().stripDialect(); });
  bool isConv = computation.isConv;
  rewriter.replaceOp(chain.end, result);
  for (auto [location, name] : llvm::zip_equal(ArrayRef(locs).drop_front(), names)) {
    session.applied(location, name);
    if (isConv)
      report.count(kConvCounter);
  }
  session.eraseDeadOps(ArrayRef(old).drop_front());
}

namespace {
struct FreezingBinaryFoldingPass
    : public SearchPass<fxgraph::impl::FreezingBinaryFoldingPassBase<FreezingBinaryFoldingPass>,
                        NumericClass::ChangesPrecision> {
  using SearchPass::SearchPass;

  void rewrite(RewriteSession &session) override {
    if (session.lacks<AddOp, SubOp, MulOp, DivOp>() ||
        session.lacks<Conv1dOp, Conv2dOp, Conv3dOp, ConvolutionOp, LinearOp, MmOp, AddmmOp>())
      return;
    // Frozen values are those of the function's own block.
    SmallVector<Operation *> binaries = session.collect<AddOp, SubOp, MulOp, DivOp>();
    Block *body = &getOperation().getBody().front();
    std::optional<FrozenValues> frozen;
    // Of those that went with another before them nothing is left.
    DenseSet<Operation *> folded;
    for (auto [i, binary] : llvm::enumerate(binaries)) {
      if (i + kPrefetchDistance < binaries.size())
        prefetch(binaries[i + kPrefetchDistance]);
      if (folded.contains(binary) || binary->getBlock() != body)
        continue;
      Computation computation = findComputation(binary);
      if (!computation.op)
        continue;
      if (!computation.isConv && !enableLinearBinaryFolding) {
        session.missed(binary->getLoc(), kKind, "products are left alone: enable-linear-binary-folding is off");
        continue;
      }
      if (!frozen)
        frozen.emplace(getOperation());
      Chain chain = findChain(binary, computation);
      std::string obstacle =
          chain.end ? "" : "the constant is wider than the weights, and its result is not narrowed again";
      for (Operation *member : chain.binaries)
        if (obstacle.empty())
          obstacle = getObstacle(member, computation, *frozen, assumeNonzeroDivisors);
      if (!obstacle.empty()) {
        session.missed(binary->getLoc(), kKind, obstacle);
        continue;
      }
      folded.insert(chain.binaries.begin(), chain.binaries.end());
      fold(session, chain, computation, *frozen);
    }
  }
};
} // namespace
