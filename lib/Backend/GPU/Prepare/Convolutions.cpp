// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Prepare/Convolutions.h"
#include "fxgraph/Analysis/FusionOps.h"
#include "fxgraph/Analysis/FusionPlan.h"
#include "fxgraph/Dialect/IR/Numbers.h"
#include "llvm/ADT/DenseSet.h"

using namespace fxgraph;

namespace {

class ConvolutionPreparer {
public:
  ConvolutionPreparer(mlir::IRRewriter &rewriter, Block &block)
      : rewriter(rewriter), block(block), loc(block.getParentOp()->getLoc()) {}
  void run();

private:
  /// In memory, with the dimensions in any order.
  Value copy(Value value) { return ConvertElementTypeOp::create(rewriter, loc, value.getType(), value); }
  Value slice(Value value, int64_t dim, int64_t start, int64_t end, int64_t step) {
    if (start == 0 && end >= getShape(value)[dim] && step == 1)
      return value;
    return SliceOp::create(rewriter, loc, value, dim, start, end, step);
  }
  Value fill(Value value, ArrayRef<std::pair<int64_t, int64_t>> amounts);
  Value permute(Value value, ArrayRef<int64_t> order);
  /// From [batch, channel, …] to [batch, …, channel], and back.
  Value toLast(Value value);
  Value toFirst(Value value);
  Value toRows(Value value);
  bool isLastInMemory(Value value);

  Value prepare(Operation &op, const ConvolutionInfo &conv);
  Value multiply(const ConvolutionInfo &conv, ArrayRef<int64_t> shape, bool isNear);
  Value orderLibraryCall(Operation &op, const ConvolutionInfo &conv);
  Value computeLast(Operation &op);
  Value normalizeLast(BatchNormOp norm);

  mlir::IRRewriter &rewriter;
  Block &block;
  Location loc;
  /// Values that lead to a convolution through ops that a kernel computes point by point.
  llvm::DenseSet<Value> leading;
  /// Values that are computed with the channels last, and permuted.
  llvm::DenseSet<Value> last;
  /// Of a value: it with the channels last; of such a one: it as a matrix, a row for each place.
  llvm::DenseMap<Value, Value> lastOf, rowsOf;
};

} // namespace

/// Computed so, or an argument that the caller has so.
bool ConvolutionPreparer::isLastInMemory(Value value) {
  if (last.contains(value))
    return true;
  auto permute = value.getDefiningOp<PermuteOp>();
  if (!permute || !isa<mlir::BlockArgument>(permute.getInput()))
    return false;
  std::optional<StridedLayout> layout =
      getViewLayout(cast<mlir::OpResult>(value), StridedLayout::rowMajor(getShape(permute.getInput())));
  return layout && layout->strides == getChannelsLast(getShape(value)).strides;
}

/// Zeros in front of and behind each dimension.
Value ConvolutionPreparer::fill(Value value, ArrayRef<std::pair<int64_t, int64_t>> amounts) {
  SmallVector<int64_t> pairs; // The last dimension first.
  bool isEmpty = true;
  for (auto [before, after] : llvm::reverse(amounts)) {
    pairs.append({before, after});
    isEmpty &= before == 0 && after == 0;
  }
  return isEmpty ? value : ConstantPadNdOp::create(rewriter, loc, value, pairs, llvm::APFloat(0.0)).getResult();
}

/// A permutation of the dimensions as a view, or what it is such a view of.
Value ConvolutionPreparer::permute(Value value, ArrayRef<int64_t> order) {
  if (auto given = value.getDefiningOp<PermuteOp>()) {
    bool isInverse = true;
    int64_t rank = order.size();
    for (auto [i, dim] : llvm::enumerate(order))
      isInverse &= (given.getDims()[dim] + rank) % rank == static_cast<int64_t>(i);
    if (isInverse)
      return given.getInput();
  }
  return PermuteOp::create(rewriter, loc, value, order);
}

Value ConvolutionPreparer::toLast(Value value) {
  Value &made = lastOf[value];
  if (made)
    return made;
  SmallVector<int64_t> order = {0};
  for (size_t i = 2; i < getShape(value).size(); ++i)
    order.push_back(i);
  order.push_back(1);
  return made = permute(value, order);
}

/// [batch x places, channel]
Value ConvolutionPreparer::toRows(Value value) {
  Value image = toLast(value);
  Value &made = rowsOf[image];
  int64_t channels = getShape(image).back();
  SmallVector<int64_t> flat = {getNumElements(image) / channels, channels};
  return made ? made : made = ReshapeOp::create(rewriter, loc, image, flat);
}

Value ConvolutionPreparer::toFirst(Value value) {
  int64_t rank = getShape(value).size();
  SmallVector<int64_t> order = {0, rank - 1};
  for (int64_t i = 1; i + 1 < rank; ++i)
    order.push_back(i);
  return permute(value, order);
}

/// One product with the channels last, or one for each of the batch with the channels first.
Value ConvolutionPreparer::multiply(const ConvolutionInfo &conv, ArrayRef<int64_t> shape, bool isNear) {
  Value input = conv.input;
  for (size_t i = 0; i < conv.stride.size(); ++i)
    input = slice(input, i + 2, 0, getShape(input)[i + 2], conv.stride[i]);
  int64_t filters = shape[1], channels = getShape(input)[1], places = getNumElements(shape.drop_front(2));
  SmallVector<int64_t> matrix = {filters, channels};
  Value weight = ReshapeOp::create(rewriter, loc, conv.weight, matrix);
  if (!isNear) {
    SmallVector<int64_t> flat = {shape[0], channels, places}, spread = {shape[0], filters, channels};
    Value each = ExpandOp::create(rewriter, loc, weight, ArrayRef<int64_t>(spread));
    Value product = BmmOp::create(rewriter, loc, each, ReshapeOp::create(rewriter, loc, input, flat));
    return ReshapeOp::create(rewriter, loc, product, shape);
  }
  SmallVector<int64_t> last(shape);
  std::rotate(last.begin() + 1, last.begin() + 2, last.end());
  Value turned =
      TransposeOp::create(rewriter, loc, weight, rewriter.getI64IntegerAttr(0), rewriter.getI64IntegerAttr(1));
  return toFirst(ReshapeOp::create(rewriter, loc, MmOp::create(rewriter, loc, toRows(input), turned), last));
}

/// What a kernel computes point by point of values with the channels last, so.
Value ConvolutionPreparer::computeLast(Operation &op) {
  Value result = op.getResult(0);
  if (auto norm = dyn_cast<BatchNormOp>(op))
    return toFirst(normalizeLast(norm));
  int64_t rank = getShape(result).size();
  SmallVector<Value> operands;
  for (Value operand : op.getOperands()) {
    SmallVector<int64_t> shape(getShape(operand));
    if (!shape.empty()) { // No number: with all dimensions, the outer ones of extent 1.
      shape.insert(shape.begin(), rank - shape.size(), 1);
      if (getShape(operand) != ArrayRef<int64_t>(shape))
        operand = ReshapeOp::create(rewriter, loc, operand, shape);
      operand = toLast(operand);
    }
    operands.push_back(operand);
  }
  Operation *last = rewriter.clone(op);
  last->setOperands(operands);
  SmallVector<int64_t> shape(getShape(result));
  std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
  last->getResult(0).setType(cast<RankedTensorType>(result.getType()).clone(shape));
  return toFirst(last->getResult(0));
}

/// A batch norm whose statistics are given, its channels the last dimension.
Value ConvolutionPreparer::normalizeLast(BatchNormOp norm) {
  auto one = rewriter.getF64FloatAttr(1.0);
  Type element = getElementType(norm.getInput()), wide = getElementType(norm.getRunningVar());
  Value eps = createNumber(rewriter, loc, norm.getEps().convertToDouble());
  Value factor = RsqrtOp::create(rewriter, loc, AddOp::create(rewriter, loc, norm.getRunningVar(), eps, one));
  Value input = createCast(rewriter, loc, toLast(norm.getInput()), wide);
  Value result = MulOp::create(rewriter, loc, SubOp::create(rewriter, loc, input, norm.getRunningMean(), one), factor);
  if (norm.getWeight())
    result = MulOp::create(rewriter, loc, result, norm.getWeight());
  if (norm.getBias())
    result = AddOp::create(rewriter, loc, result, norm.getBias(), one);
  return createCast(rewriter, loc, result, element);
}

/// The channels last in memory, as tensor cores read and write them: 16 bytes at a time, so that numbers of channels are
/// filled up to multiples of 8. A value that others need too, or that no kernel computes, is copied: what a kernel writes
/// may have any order.
Value ConvolutionPreparer::orderLibraryCall(Operation &op, const ConvolutionInfo &conv) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  constexpr int64_t unit = 8;
  auto getMissing = [&](Value value, size_t dim) { return -getShape(value)[dim] & (unit - 1); };
  auto extend = [&](Value value, int64_t first, int64_t second) {
    SmallVector<std::pair<int64_t, int64_t>> amounts(getShape(value).size(), {0, 0});
    amounts[0].second = first;
    amounts[1].second = second;
    return fill(value, amounts);
  };
  int64_t inputs = getMissing(conv.input, 1), filters = getMissing(conv.weight, 0);
  Value input = isLastInMemory(conv.input) && inputs == 0 ? conv.input : copy(extend(conv.input, 0, inputs));
  bool isFilterOrdered = isLastInMemory(conv.weight) && filters == 0 && inputs == 0;
  Value weight = isFilterOrdered ? conv.weight : copy(extend(conv.weight, filters, inputs));
  Operation *ordered = rewriter.clone(op);
  ordered->setOperands({input, weight});
  ordered->setAttr(kChannelsLastAttr, rewriter.getBoolAttr(true));
  Value result = ordered->getResult(0);
  if (filters != 0) {
    SmallVector<int64_t> shape(type.getShape());
    shape[1] += filters;
    result.setType(type.clone(shape));
    result = slice(result, /*dim=*/1, /*start=*/0, /*end=*/type.getDimSize(1), /*step=*/1);
  }
  bool areKernels = llvm::all_of(
      op.getUsers(), [](Operation *user) { return isa<PointwiseOpInterface>(user) || getConvolution(user); });
  return areKernels ? result : copy(result);
}

/// A convolution whose form is chosen here: of those that tensor cores compute.
static std::optional<ConvolutionInfo> getPlainConvolution(Operation *op) {
  std::optional<ConvolutionInfo> conv = getConvolution(op);
  if (!conv || conv->groups != 1 || conv->transposed || !conv->batched || conv->bias || isKernelConvolution(op))
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  auto given = op->getAttrOfType<mlir::BoolAttr>(kChannelsLastAttr);
  bool isHalf = type && (type.getElementType().isF16() || type.getElementType().isBF16());
  if (!isHalf || !type.hasStaticShape() || type.getNumElements() == 0 || (given && !given.getValue()))
    return std::nullopt;
  return conv;
}

Value ConvolutionPreparer::prepare(Operation &op, const ConvolutionInfo &conv) {
  ArrayRef<int64_t> filter = getShape(conv.weight), shape = getShape(op.getResult(0));
  int64_t places = getNumElements(shape.drop_front(2));
  // Memory of which others read or write the channels last, or that is the same either way.
  bool isNear = isLastInMemory(conv.input) || leading.contains(op.getResult(0)) || places == 1;
  bool isPointwise = getNumElements(filter.drop_front(2)) == 1 &&
                     llvm::all_of(conv.padding, [](int64_t amount) { return amount == 0; });
  constexpr int64_t unit = 8; // Rows of other lengths are copied in front of a product.
  bool isMatrix = filter[0] % unit == 0 && filter[1] % unit == 0 && (isNear || places % unit == 0);
  return isPointwise && isMatrix ? multiply(conv, shape, isNear) : orderLibraryCall(op, conv);
}

void ConvolutionPreparer::run() {
  FusionOptions options;
  auto isPointwise = [&](Operation *op) {
    return isa_and_present<FxGraphDialect>(op->getDialect()) && op->getNumResults() == 1 &&
           classify(op, options) == OpClass::Pointwise;
  };
  for (Operation &op : llvm::reverse(block))
    if (getPlainConvolution(&op) || (isPointwise(&op) && leading.contains(op.getResult(0))))
      leading.insert(op.operand_begin(), op.operand_end());
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.getNumResults() != 1)
      continue;
    auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType());
    if (!type || !type.hasStaticShape() || type.getNumElements() == 0)
      continue;
    loc = op.getLoc();
    rewriter.setInsertionPoint(&op);
    Value result;
    if (std::optional<ConvolutionInfo> conv = getPlainConvolution(&op)) {
      result = prepare(op, *conv);
    } else if (isPointwise(&op) && leading.contains(op.getResult(0)) &&
               llvm::any_of(op.getOperands(), [&](Value operand) {
                 return last.contains(operand) && getShape(operand) == type.getShape();
               })) {
      result = computeLast(op);
    }
    if (!result)
      continue;
    if (result.getDefiningOp<PermuteOp>() || result.getDefiningOp()->hasAttr(kChannelsLastAttr))
      last.insert(result);
    rewriter.replaceOp(&op, result);
  }
}

void fxgraph::gpu::prepareConvolutions(mlir::IRRewriter &rewriter, Block &block) {
  ConvolutionPreparer(rewriter, block).run();
}
