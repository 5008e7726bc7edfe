// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last rewrites before planning: matrix products in PyTorch's spellings
// become mm, addmm, bmm and baddbmm of operands that a library call can take,
// ops that are defined by simpler ones are replaced by these. Numeric class:
// exact but for attention (PyTorch's math path) and for additions that move out
// of a product's epilogue. Cost: linear.

#include "Kernel/GraphRegions.h"
#include "Prepare/Convolutions.h"
#include "Prepare/KeepMemoryOrder.h"
#include "Prepare/LayAlongRows.h"
#include "Prepare/RandomDraws.h"
#include "Prepare/SinkIntoCats.h"
#include "Prepare/SplitLoops.h"
#include "Prepare/Unbatch.h"
#include "Prepare/UnrollLoops.h"
#include "Stages/Collectives.h"
#include "fxgraph/Analysis/FusionOps.h"
#include "fxgraph/Analysis/FusionPlan.h"
#include "fxgraph/Backend/GPU/GPU.h"
#include "fxgraph/Dialect/IR/Einsum.h"
#include "fxgraph/Dialect/IR/MemoryOrder.h"
#include "fxgraph/Dialect/IR/Numbers.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

namespace {

class Preparer {
public:
  Preparer(mlir::func::FuncOp function, uint64_t seed, bool clusters)
      : function(function), rewriter(function.getContext()), draws(seed), clusters(clusters) {}
  LogicalResult run();

private:
  ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    if (shapeOf(value) == shape)
      return value;
    return ReshapeOp::create(rewriter, loc, value, shape);
  }
  Value transposeLast(Value value) {
    int64_t rank = shapeOf(value).size();
    return TransposeOp::create(rewriter, loc, value, rewriter.getI64IntegerAttr(rank - 2),
                               rewriter.getI64IntegerAttr(rank - 1));
  }
  Value scale(Value value, double factor) {
    return factor == 1 ? value : MulOp::create(rewriter, loc, value, createNumber(rewriter, loc, factor)).getResult();
  }

  Value lowerLinear(Value input, Value weight, Value bias);
  Value lowerMatmul(Value lhs, Value rhs);
  Value lowerAddProduct(Operation *op);
  Value addBias(AddOp op);
  Value groupHeads(ScaledDotProductAttentionOp op);
  SmallVector<Value> lowerSoftmaxParts(PrepareSoftmaxOnlineOp op);
  Value lowerGather(GatherOp op);
  FailureOr<Value> lower(Operation *op);
  void orderArguments();

  mlir::func::FuncOp function;
  mlir::IRRewriter rewriter;
  RandomDraws draws;
  bool clusters; ///< the device has clusters of blocks
  Location loc = mlir::UnknownLoc::get(function.getContext());
};

} // namespace

/// input [*, k] x weight^T [k, n] + bias.
Value Preparer::lowerLinear(Value input, Value weight, Value bias) {
  SmallVector<int64_t> shape(shapeOf(input));
  if (shapeOf(weight).size() == 1) {
    Value product = lowerMatmul(input, weight);
    return bias ? AddOp::create(rewriter, loc, product, bias, rewriter.getF64FloatAttr(1.0)).getResult() : product;
  }
  int64_t depth = shape.empty() ? 1 : shape.back(), rows = 1;
  for (int64_t size : ArrayRef<int64_t>(shape).drop_back())
    rows *= size;
  Value flat = reshape(input, {rows, depth}), turned = transposeLast(weight), product;
  if (bias)
    product = AddmmOp::create(rewriter, loc, bias, flat, turned, rewriter.getF64FloatAttr(1.0),
                              rewriter.getF64FloatAttr(1.0));
  else
    product = MmOp::create(rewriter, loc, flat, turned);
  shape.back() = shapeOf(weight)[0];
  return reshape(product, shape);
}

Value Preparer::lowerMatmul(Value lhs, Value rhs) {
  SmallVector<int64_t> left(shapeOf(lhs)), right(shapeOf(rhs)), result;
  bool row = left.size() == 1, column = right.size() == 1;
  if (row)
    left.insert(left.begin(), 1);
  if (column)
    right.push_back(1);
  int64_t m = left[left.size() - 2], k = left.back(), n = right.back();
  // Leading dimensions broadcast.
  size_t rank = std::max(left.size(), right.size());
  SmallVector<int64_t> batch;
  for (size_t i = 0; i + 2 < rank; ++i) {
    auto at = [&](ArrayRef<int64_t> shape) {
      size_t skipped = rank - shape.size();
      return i < skipped ? 1 : shape[i - skipped];
    };
    int64_t a = at(left), c = at(right);
    batch.push_back(a == 1 ? c : a);
  }
  result = batch;
  if (!row)
    result.push_back(m);
  if (!column)
    result.push_back(n);
  int64_t count = 1;
  for (int64_t size : batch)
    count *= size;
  lhs = reshape(lhs, left);
  rhs = reshape(rhs, right);
  if (right.size() == 2) {
    // One matrix on the right: the batch is more rows.
    Value product = MmOp::create(rewriter, loc, reshape(lhs, {count * m, k}), rhs);
    return reshape(product, result);
  }
  auto spread = [&](Value value, int64_t rows, int64_t columns) -> Value {
    SmallVector<int64_t> shape(batch);
    shape.append({rows, columns});
    if (shapeOf(value).size() == 2) {
      // The same matrix for each of the batch: a stride of 0.
      SmallVector<int64_t> flat = {count, rows, columns};
      return ExpandOp::create(rewriter, loc, value, ArrayRef<int64_t>(flat));
    }
    if (shapeOf(value) != ArrayRef<int64_t>(shape))
      value = ExpandOp::create(rewriter, loc, value, ArrayRef<int64_t>(shape));
    return reshape(value, {count, rows, columns});
  };
  Value product = BmmOp::create(rewriter, loc, spread(lhs, m, k), spread(rhs, k, n));
  return reshape(product, result);
}

/// addmm and baddbmm whose addend is neither a row nor as large as the product,
/// or is scaled where only a row can be added: the addition becomes its own op.
Value Preparer::lowerAddProduct(Operation *op) {
  Value addend = op->getOperand(0), lhs = op->getOperand(1), rhs = op->getOperand(2);
  double alpha = op->getAttrOfType<FloatAttr>("alpha").getValueAsDouble(),
         beta = op->getAttrOfType<FloatAttr>("beta").getValueAsDouble();
  ArrayRef<int64_t> result = shapeOf(op->getResult(0)), shape = shapeOf(addend);
  Type element = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  int64_t depth = shapeOf(lhs).back();
  bool isRow = !shape.empty() && shape.back() == result.back();
  for (size_t i = 0; i + 1 < shape.size(); ++i)
    isRow &= shape[i] == 1 || (result.size() == 3 && shape.size() == 3 && i == 0 && shape[0] == result[0]);
  bool sameType = cast<RankedTensorType>(addend.getType()).getElementType() == element;
  bool isFloat = isa<FloatType>(element);
  bool isFull = shape == result;
  bool fits = depth > 0 && sameType && (beta == 0 || isFull || (isRow && beta == 1 && !element.isF64()));
  if (!isFloat)
    fits = true; // Generated: any shape.
  if (fits)
    return {};
  Value product = isa<AddmmOp>(op) ? MmOp::create(rewriter, loc, lhs, rhs).getResult()
                                   : BmmOp::create(rewriter, loc, lhs, rhs).getResult();
  product = scale(product, alpha);
  if (beta == 0)
    return product;
  return AddOp::create(rewriter, loc, product, scale(addend, beta), rewriter.getF64FloatAttr(1.0));
}

/// A product and a row that is added to it and nothing else is computed from: one call, which rounds once. The library splits
/// no sum for which it has more to do, so that long ones stay apart (docs/Performance.md).
Value Preparer::addBias(AddOp op) {
  constexpr int64_t mostTerms = 160;
  if (op.getAlpha().convertToDouble() != 1)
    return {};
  for (auto [value, bias] : {std::pair(op.getInput(), op.getOther()), std::pair(op.getOther(), op.getInput())}) {
    Operation *view = value.getDefiningOp();
    Operation *product = isa_and_present<ReshapeOp, ViewOp>(view) ? view->getOperand(0).getDefiningOp() : view;
    if (!isa_and_present<MmOp, BmmOp>(product) || value.getType() != op.getType() || !view->hasOneUse() ||
        !product->hasOneUse())
      continue;
    ArrayRef<int64_t> shape = shapeOf(bias), result = shapeOf(value);
    Type element = getElementType(value);
    bool isRow = !shape.empty() && shape.back() == result.back() && getNumElements(bias) == shape.back() &&
                 shapeOf(product->getResult(0)).back() == shape.back();
    bool isPlain = llvm::all_of(op->getUsers(), [&](Operation *user) {
      return classify(user, FusionOptions()) != OpClass::Pointwise ||
             (op->hasOneUse() && !getLibraryActivation(user).empty());
    });
    if (!isRow || !isPlain || getElementType(bias) != element || !isa<FloatType>(element) || element.isF64() ||
        shapeOf(product->getOperand(0)).back() > mostTerms || shapeOf(product->getOperand(0)).back() == 0)
      continue;
    Value row = reshape(bias, {shape.back()});
    FloatAttr one = rewriter.getF64FloatAttr(1.0);
    Value lhs = product->getOperand(0), rhs = product->getOperand(1);
    Value sum = isa<MmOp>(product) ? AddmmOp::create(rewriter, loc, row, lhs, rhs, one, one).getResult()
                                   : BaddbmmOp::create(rewriter, loc, row, lhs, rhs, one, one).getResult();
    return reshape(sum, result);
  }
  return {};
}

/// Keys or values [*, groups, 1, rows, width] whose heads are repeated, each `repeats` times in a row, to make
/// `value` [*, groups * repeats, rows, width]; null if it is nothing of the kind.
static Value findGroupedHeads(Value value, int64_t repeats) {
  auto merge = value.getDefiningOp();
  if (!isa_and_present<ReshapeOp, ViewOp>(merge))
    return {};
  auto spread = merge->getOperand(0).getDefiningOp<ExpandOp>();
  if (!spread)
    return {};
  auto shapeOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getShape(); };
  ArrayRef<int64_t> merged = shapeOf(value), many = shapeOf(spread.getResult()), one = shapeOf(spread.getInput());
  size_t rank = merged.size();
  if (rank < 3 || many.size() != rank + 1 || one.size() != rank + 1 || many.take_back(2) != merged.take_back(2) ||
      many.drop_back(4) != merged.drop_back(3) || many[rank - 2] != repeats)
    return {};
  // Along no other dimension.
  SmallVector<int64_t> expected(many);
  expected[rank - 2] = 1;
  return one == ArrayRef<int64_t>(expected) ? Value(spread.getInput()) : Value();
}

/// Attention whose key heads are fewer than its query heads, and repeated: the groups become a dimension of their
/// own, along which keys and values broadcast, so that nothing is repeated in memory.
Value Preparer::groupHeads(ScaledDotProductAttentionOp op) {
  ArrayRef<int64_t> query = shapeOf(op.getQuery()), key = shapeOf(op.getKey());
  size_t rank = query.size();
  Operation *merge = op.getKey().getDefiningOp();
  if (rank < 3 || key.size() != rank || !isa_and_present<ReshapeOp, ViewOp>(merge) ||
      shapeOf(merge->getOperand(0)).size() != rank + 1 || query.drop_back(2) != key.drop_back(2))
    return {};
  int64_t heads = query[rank - 3], repeats = shapeOf(merge->getOperand(0))[rank - 2];
  Value groupedKey = findGroupedHeads(op.getKey(), repeats), groupedValue = findGroupedHeads(op.getValue(), repeats);
  if (repeats <= 1 || heads % repeats != 0 || !groupedKey || !groupedValue)
    return {};
  auto split = [&](Value value) {
    SmallVector<int64_t> shape(shapeOf(value));
    // A mask may have no heads, or one for all of them.
    if (shape.size() < 3)
      return value;
    size_t at = shape.size() - 3;
    int64_t own = shape[at];
    shape[at] = own == 1 ? 1 : own / repeats;
    shape.insert(shape.begin() + at + 1, own == 1 ? 1 : repeats);
    return reshape(value, shape);
  };
  Value mask = op.getAttnMask();
  auto attention =
      ScaledDotProductAttentionOp::create(rewriter, loc, split(op.getQuery()), groupedKey, groupedValue,
                                          mask ? split(mask) : Value(), op.getIsCausalAttr(), op.getScaleAttr());
  attention->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return reshape(attention, shapeOf(op.getResult()));
}

/// Two reductions of a row, which one kernel computes.
SmallVector<Value> Preparer::lowerSoftmaxParts(PrepareSoftmaxOnlineOp op) {
  mlir::DenseI64ArrayAttr dims = rewriter.getDenseI64ArrayAttr({static_cast<int64_t>(op.getDim())});
  Value maximum = AmaxOp::create(rewriter, loc, op.getInput(), dims, rewriter.getBoolAttr(true));
  Value distance = SubOp::create(rewriter, loc, op.getInput(), maximum, rewriter.getF64FloatAttr(1.0));
  Value power = ExpOp::create(rewriter, loc, distance);
  return {maximum, SumOp::create(rewriter, loc, power, dims, rewriter.getBoolAttr(true))};
}

/// Few elements of each row of a log softmax, as in a cross entropy: computed where they are, the others are not written.
Value Preparer::lowerGather(GatherOp op) {
  auto softmax = op.getInput().getDefiningOp<LogSoftmaxOp>();
  int64_t rank = shapeOf(op.getInput()).size();
  if (!softmax || !softmax->hasOneUse() || rank == 0)
    return {};
  int64_t dim = wrapDim(op.getDim(), rank);
  if (wrapDim(softmax.getDim(), rank) != dim)
    return {};
  constexpr int64_t few = 8;
  for (auto [i, wanted, extent] : llvm::enumerate(shapeOf(op.getIndex()), shapeOf(op.getInput())))
    if (static_cast<int64_t>(i) == dim ? wanted * few > extent : wanted != extent)
      return {};
  Type result = getElementType(op.getResult());
  Type wide = result.isF64() ? result : rewriter.getF32Type();
  auto convert = [&](Value value, Type element) { return createCast(rewriter, loc, value, element); };
  auto subtract = [&](Value x, Value y) -> Value {
    return SubOp::create(rewriter, loc, x, y, rewriter.getF64FloatAttr(1.0));
  };
  Value input = softmax.getInput(), all = convert(input, wide);
  mlir::DenseI64ArrayAttr dims = rewriter.getDenseI64ArrayAttr({dim});
  Value maximum = AmaxOp::create(rewriter, loc, all, dims, rewriter.getBoolAttr(true));
  Value power = ExpOp::create(rewriter, loc, subtract(all, maximum));
  Value sum = SumOp::create(rewriter, loc, power, dims, rewriter.getBoolAttr(true));
  Value chosen = convert(GatherOp::create(rewriter, loc, input, op.getIndex(), op.getDimAttr()), wide);
  return convert(subtract(subtract(chosen, maximum), LogOp::create(rewriter, loc, sum)), result);
}

/// The replacement of the op's only result; null to keep the op.
FailureOr<Value> Preparer::lower(Operation *op) {
  if (auto linear = dyn_cast<LinearOp>(op))
    return lowerLinear(linear.getInput(), linear.getWeight(), linear.getBias());
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return lowerMatmul(matmul.getInput(), matmul.getOther());
  if (isa<AddmmOp, BaddbmmOp>(op))
    return lowerAddProduct(op);
  if (auto add = dyn_cast<AddOp>(op))
    return addBias(add);
  if (auto attention = dyn_cast<ScaledDotProductAttentionOp>(op))
    return canFuseAttention(attention) ? groupHeads(attention) : Value();
  if (auto gather = dyn_cast<GatherOp>(op))
    return lowerGather(gather);
  if (drawsRandomNumbers(op))
    return draws.expand(rewriter, op);
  if (auto einsum = dyn_cast<EinsumOp>(op)) {
    StringRef problem; // Then its own lowering is.
    return buildEinsumAsProduct(rewriter, einsum, problem, /*avoidsCopies=*/true);
  }
  if (auto product = dyn_cast<MmPlusMmOp>(op)) {
    // The second product adds the first in its epilogue.
    Value first = MmOp::create(rewriter, loc, product.getMat1(), product.getMat2());
    return AddmmOp::create(rewriter, loc, first, product.getMat3(), product.getMat4(), rewriter.getF64FloatAttr(1.0),
                           rewriter.getF64FloatAttr(1.0))
        .getResult();
  }
  // A graph has one device. Collectives of groups that are known to have one process are copies.
  if (auto wait = dyn_cast<WaitTensorOp>(op)) {
    Operation *start = wait.getInput().getDefiningOp();
    return start && startsCollective(start) ? Value() : Value(wait.getInput());
  }
  bool isCopy = isa<DevicePutOp>(op);
  if (auto gather = dyn_cast<AllGatherIntoTensorOp>(op))
    isCopy = gather.getGroupSize() == 1;
  if (auto scatter = dyn_cast<ReduceScatterTensorOp>(op))
    isCopy = scatter.getGroupSize() == 1;
  if (auto exchange = dyn_cast<AllToAllSingleOp>(op))
    isCopy = exchange.getInputSplitSizes().size() == 1;
  if (isCopy)
    return CloneOp::create(rewriter, loc, op->getOperand(0)).getResult();
  // The runtime adds a convolution's bias in a kernel of its own; as an op it fuses
  // with what follows.
  std::optional<ConvolutionInfo> conv = getConvolution(op);
  if (conv && conv->bias) {
    Value bias = conv->bias;
    Operation *plain = rewriter.clone(*op);
    plain->eraseOperand(2);
    SmallVector<int64_t> shape(shapeOf(bias));
    size_t spatial = shapeOf(op->getOperand(1)).size() - 2;
    shape.append(spatial, 1);
    return AddOp::create(rewriter, loc, plain->getResult(0), reshape(bias, shape), rewriter.getF64FloatAttr(1.0))
        .getResult();
  }
  return Value();
}

/// Takes arguments as they lie in memory: their dimensions in that order, and a permutation behind them. Those that the
/// graph writes stay as they are: a write is to an argument.
void Preparer::orderArguments() {
  Block &entry = function.getBody().front();
  SmallVector<Type> types(function.getArgumentTypes());
  rewriter.setInsertionPointToStart(&entry);
  for (mlir::BlockArgument argument : entry.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto order = function.getArgAttrOfType<mlir::DenseI64ArrayAttr>(number, kMemoryOrderAttr);
    if (!order)
      continue;
    bool isWritten = llvm::any_of(argument.getUsers(), [&](Operation *user) {
      auto write = dyn_cast<CopyUnderscoreOp>(user);
      return write && write.getDst() == argument;
    });
    auto type = cast<RankedTensorType>(argument.getType());
    if (isWritten || type.getNumElements() == 0) {
      function.removeArgAttr(number, kMemoryOrderAttr);
      continue;
    }
    SmallVector<int64_t> shape, back = mlir::invertPermutationVector(order.asArrayRef());
    for (int64_t dim : order.asArrayRef())
      shape.push_back(type.getDimSize(dim));
    types[number] = type.clone(shape);
    argument.setType(types[number]);
    auto permuted = PermuteOp::create(rewriter, function.getLoc(), argument, back);
    permuted.getResult().setType(type);
    rewriter.replaceAllUsesExcept(argument, permuted, permuted);
  }
  function.setType(rewriter.getFunctionType(types, function.getResultTypes()));
}

LogicalResult Preparer::run() {
  if (!function.getBody().hasOneBlock())
    return emitError(function.getLoc()) << "expected one block but got " << function.getBody().getBlocks().size();
  // What the planner refuses stays as it is: it reports all of that at once.
  for (Type type : function.getArgumentTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type); !tensor || !tensor.hasStaticShape())
      return success();
  orderArguments();
  unrollLoops(rewriter, function.getBody().front());
  unbatch(rewriter, function.getBody().front());
  markSharedSweeps(function.getBody().front());
  std::vector<Operation *> pending;
  for (Operation &op : function.getBody().front())
    pending.push_back(&op);
  while (!pending.empty()) {
    std::vector<Operation *> made;
    for (Operation *op : pending) {
      bool isStatic = llvm::all_of(op->getResultTypes(), [](Type type) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        return tensor && tensor.hasStaticShape();
      });
      if (!isStatic)
        continue;
      rewriter.setInsertionPoint(op);
      loc = op->getLoc();
      Operation *before = op->getPrevNode();
      auto collect = [&] {
        Operation *first = before ? before->getNextNode() : &op->getBlock()->front();
        for (Operation *next = first; next != op; next = next->getNextNode())
          made.push_back(next);
      };
      if (auto write = dyn_cast<CopyUnderscoreOp>(op)) {
        // A copy of an argument that a later write may have changed.
        if (isa<mlir::BlockArgument>(write.getSrc()))
          write->setOperand(1, CloneOp::create(rewriter, loc, write.getSrc()));
        continue;
      }
      if (op->getNumResults() == 1) {
        FailureOr<Value> replacement = lower(op);
        if (succeeded(replacement) && !*replacement)
          replacement = splitLongLoop(rewriter, op, clusters);
        if (failed(replacement))
          return failure();
        if (*replacement) {
          Value value = *replacement;
          if (value.getType() != op->getResult(0).getType())
            return op->emitOpError("internal error: expected the replacement to have type ")
                   << op->getResult(0).getType() << " but got " << value.getType();
          collect();
          rewriter.replaceOp(op, value);
          continue;
        }
      }
      if (auto online = dyn_cast<PrepareSoftmaxOnlineOp>(op); online && !shapeOf(online.getInput()).empty()) {
        SmallVector<Value> parts = lowerSoftmaxParts(online);
        collect();
        rewriter.replaceOp(op, parts);
        continue;
      }
      auto decomposable = dyn_cast<DecomposableOpInterface>(op);
      if (!decomposable || canFuseAttention(op))
        continue;
      FailureOr<SmallVector<Value>> values = decomposable.decompose(rewriter);
      if (failed(values))
        continue;
      collect();
      rewriter.replaceOp(op, *values);
    }
    pending = std::move(made);
  }
  // What several ops became has parts in common: the pieces of a variance and a mean.
  mlir::DominanceInfo dominance(function);
  mlir::eliminateCommonSubExpressions(rewriter, dominance, function);
  sinkIntoCats(rewriter, function.getBody().front());
  prepareConvolutions(rewriter, function.getBody().front());
  keepMemoryOrder(rewriter, function.getBody().front());
  layAlongRows(function.getBody().front());
  placeWaits(function);
  // Nothing is drawn in them, so that the seed is of no account.
  return changeGraphRegions(function,
                            [&](mlir::func::FuncOp graph) { return Preparer(graph, /*seed=*/0, clusters).run(); });
}

LogicalResult fxgraph::gpu::prepareForGPU(mlir::func::FuncOp function, uint64_t seed, StringRef chip) {
  return Preparer(function, seed, hasClusters(chip)).run();
}
