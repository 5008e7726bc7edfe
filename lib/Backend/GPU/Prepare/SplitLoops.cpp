// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions and running sums whose loops are too long for too few threads, in two
// steps: of pieces, then of what the pieces gave.
//
//   sum [m, n] over 0       [s, m/s, n] over 1, then [s, n] over 0
//   cumsum [n] in 64 bits, or of what reductions gave
//                           running sums of blocks [n/b, b], and running sums of the
//                           blocks' totals (recursively), which are added
//   softmax, logsumexp      of pieces the largest element and the sum of powers beside it, then of those, and what is
//                           around them
//   norm                    its reduction, split, and what is around it
//
// What does not divide is padded with the neutral element. Numeric class: reassociates. 16-bit floats are added up in
// f32 and rounded once.

#include "Prepare/SplitLoops.h"
#include "Prepare/LayAlongRows.h"
#include "Prepare/Reads.h"
#include "fxgraph/Analysis/FusionOps.h"
#include "fxgraph/Analysis/FusionPlan.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/Numbers.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace fxgraph;
using namespace fxgraph::gpu;

/// Running sums along rows that one block of threads takes as they are, and elements of the pieces of longer ones.
static constexpr int64_t kShortScan = 16384, kShortestScanPiece = 2048;
/// The same across rows, where a block takes 32 bytes of results.
static constexpr int64_t kShortColumnScan = 2048, kShortestColumnScanPiece = 512;
/// Rows, and columns, of which there are enough.
static constexpr int64_t kEnoughScans = 264, kEnoughColumnScans = 2112;
/// Results that fill a device when neighbouring ones share a block, with up to 128 threads each.
static constexpr int64_t kEnoughColumns = 4096;
/// The same when each is computed by a block of threads: four for each of 132 processors.
static constexpr int64_t kEnoughRows = 528;
/// Fewer elements than these are not worth another kernel.
static constexpr int64_t kShortestColumn = 2048, kShortestRow = 32768;
/// Rows that the blocks of a cluster keep in registers.
static constexpr int64_t kLongestClusterRow = 131072;
/// Least elements of a piece.
static constexpr int64_t kShortestColumnPiece = 256, kShortestRowPiece = 4096;
/// Elements of a piece that is read once, for its largest element and for the sum of powers beside that.
static constexpr int64_t kKeptColumnPiece = 512, kKeptRowPiece = 16384;
/// On a reduction whose pieces are those of a logsumexp (markSharedSweeps).
static constexpr llvm::StringLiteral kSharesSweepAttr = "fxgraph.shares_sweep";
/// On an op that is not the same as others alike.
static constexpr llvm::StringLiteral kApartAttr = "fxgraph.apart";
/// Columns that a block keeps in registers, a sector's worth of them next to each other: longer ones are read a third time.
static constexpr int64_t kLongestKeptColumn = 6144;

namespace {
class LoopSplitter {
public:
  /// `readsAgain`: rows are read more than once, and get memory that lies along them if they are not cut (LayAlongRows.cpp).
  /// `sharesSweep`: there are as many pieces as if they were kept.
  LoopSplitter(mlir::RewriterBase &rewriter, Location loc, bool clusters, bool readsAgain, bool sharesSweep)
      : b(rewriter), loc(loc), clusters(clusters), readsAgain(readsAgain), sharesSweep(sharesSweep) {}

  /// How the longest of the reduced dimensions is cut.
  struct Pieces {
    int64_t dim = 0, count = 0, size = 0;
    bool divides = false;       ///< nothing is padded
    bool areEnough = false;     ///< as many as were wanted: none is cut again
    SmallVector<int64_t> inner; ///< reduced dimensions of a piece
    int64_t place = 0;          ///< of the pieces, when those are reduced
  };
  /// Nullopt if there are threads enough, or too few elements. `areKept`: pieces that a block keeps in registers.
  std::optional<Pieces> choosePieces(Value input, ArrayRef<int64_t> dims, bool areKept = false);

  /// Elements of the pieces of running sums; nullopt if there are threads enough.
  std::optional<int64_t> chooseScanPiece(ArrayRef<int64_t> shape, int64_t dim);
  /// `kind`: Sum or Prod.
  Value splitScan(ReduceKind kind, Value input, int64_t dim);
  /// Null if the reduction has threads enough. `dims` are sorted and the result has no extents for them. `kind`: that of a
  /// ReductionOpInterface.
  Value splitReduction(ReduceKind kind, Value input, ArrayRef<int64_t> dims);
  /// Split where it pays.
  Value reduce(ReduceKind kind, Value input, ArrayRef<int64_t> dims);
  Value sum(Value input, ArrayRef<int64_t> dims) { return reduce(ReduceKind::Sum, input, dims); }
  Value reducePieces(ReduceKind kind, Value tiles, const Pieces &pieces) {
    return pieces.areEnough ? createReduction(kind, tiles, pieces.inner) : reduce(kind, tiles, pieces.inner);
  }
  Value maximum(Value input, ArrayRef<int64_t> dims) { return reduce(ReduceKind::Max, input, dims); }
  /// Of dims for which there are pieces.
  Value variance(VarOp op, ArrayRef<int64_t> dims);
  /// The largest along dims, and the sum of the powers of e beside it. `getShift`: what is subtracted for a largest element.
  struct PowerSum {
    Value largest, total;
  };
  PowerSum sumPowers(Value input, ArrayRef<int64_t> dims, llvm::function_ref<Value(Value)> getShift);
  /// softmax and log_softmax along dim, in the type that sums are kept in.
  Value softmax(Value input, int64_t dim, bool isLog);
  Value logsumexp(Value input, ArrayRef<int64_t> dims);
  Value euclideanNorm(Value input, ArrayRef<int64_t> dims) {
    return SqrtOp::create(b, loc, sum(MulOp::create(b, loc, input, input), dims));
  }

  ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }
  Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }
  Value divide(Value value, double by) { return DivOp::create(b, loc, value, createNumber(b, loc, by), StringAttr()); }
  /// In the type that sums of it are kept in.
  Value widen(Value value) {
    Type type = elementOf(value);
    return type.isF16() || type.isBF16() ? createCast(b, loc, value, b.getF32Type()) : value;
  }
  Value subtract(Value lhs, Value rhs) { return SubOp::create(b, loc, lhs, rhs, b.getF64FloatAttr(1.0)); }
  /// Results as a tensor that broadcasts to what they were reduced from.
  Value withUnits(Value value, ArrayRef<int64_t> like, ArrayRef<int64_t> at) {
    SmallVector<int64_t> shape(like);
    for (int64_t dim : at)
      shape[dim] = 1;
    return reshape(value, shape);
  }
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    return shapeOf(value) == shape ? value : ReshapeOp::create(b, loc, value, shape).getResult();
  }

private:
  /// A total of pieces that is no other op's as well: that would be a kernel of its own, between the sweep over memory that it takes
  /// and what is computed of it, which would make two sweeps of one.
  Value keepApart(Value total) {
    total.getDefiningOp()->setAttr(kApartAttr, b.getUnitAttr());
    return total;
  }
  Value createReduction(ReduceKind kind, Value input, ArrayRef<int64_t> dims);
  Value pad(Value value, int64_t dim, int64_t before, int64_t after, double number) {
    if (before == 0 && after == 0)
      return value;
    // Pairs, the last dimension first.
    SmallVector<int64_t> amounts(2 * (shapeOf(value).size() - dim), 0);
    amounts[amounts.size() - 2] = before;
    amounts[amounts.size() - 1] = after;
    return ConstantPadNdOp::create(b, loc, value, amounts, llvm::APFloat(number));
  }
  /// [..., n, ...] as [..., count, size, ...].
  Value tile(Value value, int64_t dim, int64_t count, int64_t size, double neutral) {
    SmallVector<int64_t> shape(shapeOf(value));
    value = pad(value, dim, 0, count * size - shape[dim], neutral);
    shape[dim] = count;
    shape.insert(shape.begin() + dim + 1, size);
    return reshape(value, shape);
  }
  /// The number that changes no result, as `constant_pad_nd` takes it; nullopt where no double is one.
  static std::optional<double> getNeutral(ReduceKind kind, Type element);

  mlir::RewriterBase &b;
  Location loc;
  bool clusters, readsAgain, sharesSweep;
};
} // namespace

std::optional<double> LoopSplitter::getNeutral(ReduceKind kind, Type element) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool isFloat = isa<FloatType>(element);
  if (kind == ReduceKind::Sum || kind == ReduceKind::Or)
    return 0.0;
  if (kind == ReduceKind::Prod || kind == ReduceKind::And)
    return 1.0;
  if (kind == ReduceKind::Max && isFloat)
    return -infinity;
  if (kind == ReduceKind::Min && isFloat)
    return infinity;
  return std::nullopt;
}

std::optional<int64_t> LoopSplitter::chooseScanPiece(ArrayRef<int64_t> shape, int64_t dim) {
  int64_t size = shape[dim], results = 1;
  bool areColumns = false;
  for (const auto &[i, extent] : llvm::enumerate(shape)) {
    if (static_cast<int64_t>(i) == dim)
      continue;
    results *= extent;
    areColumns |= static_cast<int64_t>(i) > dim && extent > 1;
  }
  int64_t enough = areColumns ? kEnoughColumnScans : kEnoughScans;
  if (results == 0 || 2 * results > enough || size <= (areColumns ? kShortColumnScan : kShortScan))
    return std::nullopt;
  int64_t shortest = areColumns ? kShortestColumnScanPiece : kShortestScanPiece;
  int64_t count = std::min<int64_t>(llvm::divideCeil(enough, results), size / shortest);
  if (count < 2)
    return std::nullopt;
  // A number that divides, if there is one near, so that nothing is padded and rows begin where vectors do.
  int64_t unit = areColumns ? 1 : 8;
  for (int64_t other = count; other >= std::max<int64_t>(2, count / 2); --other)
    if (size % (other * unit) == 0)
      return size / other;
  return llvm::alignTo(llvm::divideCeil(size, count), unit);
}

Value LoopSplitter::splitScan(ReduceKind kind, Value input, int64_t dim) {
  bool isSum = kind == ReduceKind::Sum;
  auto scan = [&](Value value, int64_t along) -> Value {
    auto attribute = b.getI64IntegerAttr(along);
    return isSum ? CumsumOp::create(b, loc, value, attribute).getResult()
                 : CumprodOp::create(b, loc, value, attribute).getResult();
  };
  std::optional<int64_t> chosen = chooseScanPiece(shapeOf(input), dim);
  if (!chosen)
    return scan(input, dim);
  int64_t size = shapeOf(input)[dim], block = *chosen;
  double neutral = isSum ? 0.0 : 1.0;
  int64_t blocks = llvm::divideCeil(size, block);
  Value tiles = tile(input, dim, blocks, block, neutral);
  Value running = scan(tiles, dim + 1);
  Value before = splitScan(kind, createReduction(kind, tiles, {dim + 1}), dim);
  before = SliceOp::create(b, loc, before, dim, /*start=*/0, /*end=*/blocks - 1);
  before = UnsqueezeOp::create(b, loc, pad(before, dim, 1, 0, neutral), b.getI64IntegerAttr(dim + 1));
  Value result = isSum ? AddOp::create(b, loc, running, before, b.getF64FloatAttr(1.0)).getResult()
                       : MulOp::create(b, loc, running, before).getResult();
  SmallVector<int64_t> flat(shapeOf(input));
  flat[dim] = blocks * block;
  result = reshape(result, flat);
  return flat[dim] == size ? result : SliceOp::create(b, loc, result, dim, /*start=*/0, /*end=*/size).getResult();
}

Value LoopSplitter::createReduction(ReduceKind kind, Value input, ArrayRef<int64_t> dims) {
  auto attribute = b.getDenseI64ArrayAttr(dims);
  auto keep = b.getBoolAttr(false);
  switch (kind) {
  case ReduceKind::Sum:
    return SumOp::create(b, loc, input, attribute, keep);
  case ReduceKind::Prod:
    return ProdOp::create(b, loc, input, attribute, keep);
  case ReduceKind::Max:
    return AmaxOp::create(b, loc, input, attribute, keep);
  case ReduceKind::Min:
    return AminOp::create(b, loc, input, attribute, keep);
  case ReduceKind::Or:
    return AnyOp::create(b, loc, input, attribute, keep);
  case ReduceKind::And:
    return AllOp::create(b, loc, input, attribute, keep);
  case ReduceKind::ArgMax:
  case ReduceKind::ArgMin:
    break; // Of rows.
  }
  llvm_unreachable("pieces of it are combined in another way");
}

Value LoopSplitter::reduce(ReduceKind kind, Value input, ArrayRef<int64_t> dims) {
  Value split = splitReduction(kind, input, dims);
  return split ? split : createReduction(kind, input, dims);
}

std::optional<LoopSplitter::Pieces> LoopSplitter::choosePieces(Value input, ArrayRef<int64_t> dims, bool areKept) {
  ArrayRef<int64_t> shape = shapeOf(input);
  int64_t results = 1, length = 1, longest = -1, lastReduced = dims.back();
  SmallVector<int64_t> kept;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!llvm::is_contained(dims, static_cast<int64_t>(i))) {
      results *= shape[i];
      if (shape[i] > 1)
        kept.push_back(i);
      continue;
    }
    length *= shape[i];
    if (shape[i] > 1)
      lastReduced = i;
    if (longest < 0 || shape[i] > shape[longest])
      longest = i;
  }
  if (results == 0 || length == 0)
    return std::nullopt;
  auto needsPieces = [&](bool areColumns) {
    return (areKept && areColumns && length > kLongestKeptColumn) ||
           (results * 2 <= (areColumns ? kEnoughColumns : kEnoughRows) &&
            length >= (areColumns ? kShortestColumn : kShortestRow) &&
            !(clusters && !areColumns && length <= kLongestClusterRow));
  };
  // Columns of memory, whatever the order of the dimensions.
  bool areColumns = false;
  if (!kept.empty()) {
    // Results of softmax, which are as many, lie along the last of them.
    Reads reads = getReads(input, areKept ? ArrayRef(kept).take_back() : kept, lastReduced);
    areColumns = reads.across > reads.along || (areKept && laysAcross(input, dims));
  }
  if (!needsPieces(areColumns) || (readsAgain && areColumns && kept.back() < lastReduced && !needsPieces(false)))
    return std::nullopt;
  int64_t enough = areColumns ? kEnoughColumns : kEnoughRows;
  int64_t shortest = areColumns ? kShortestColumnPiece : kShortestRowPiece;
  int64_t extent = shape[longest];
  int64_t count = std::min(enough / results, length / shortest);
  if (areKept || sharesSweep)
    count = std::max<int64_t>(count, llvm::divideCeil(length, areColumns ? kKeptColumnPiece : kKeptRowPiece));
  Pieces pieces;
  pieces.areEnough = count <= extent / 2;
  count = std::min(count, extent / 2);
  if (count < 2)
    return std::nullopt;
  // A number that divides, if there is one near, so that nothing is padded and rows begin where vectors do.
  int64_t unit = !areColumns && longest + 1 == static_cast<int64_t>(shape.size()) ? 8 : 1;
  int64_t fewest = areKept || sharesSweep ? count - count / 8 : count / 2;
  for (int64_t other = count; other >= std::max<int64_t>(2, fewest); --other)
    if (extent % other == 0 && extent / other % unit == 0) {
      count = other;
      break;
    }
  pieces.dim = longest;
  pieces.size = llvm::alignTo(llvm::divideCeil(extent, count), unit);
  pieces.count = llvm::divideCeil(extent, pieces.size);
  pieces.divides = pieces.count * pieces.size == extent;
  if (pieces.count < 2)
    return std::nullopt;
  // The pieces stay as a dimension where the longest one was; the others move behind it.
  pieces.place = longest;
  for (int64_t dim : dims) {
    pieces.inner.push_back(dim < longest ? dim : dim + 1);
    pieces.place -= dim < longest;
  }
  return pieces;
}

Value LoopSplitter::splitReduction(ReduceKind kind, Value input, ArrayRef<int64_t> dims) {
  std::optional<Pieces> pieces = choosePieces(input, dims);
  if (!pieces)
    return {};
  std::optional<double> neutral = getNeutral(kind, elementOf(input));
  if (!pieces->divides && !neutral)
    return {};
  Value tiles = tile(input, pieces->dim, pieces->count, pieces->size, neutral.value_or(0.0));
  return reduce(kind, reducePieces(kind, tiles, *pieces), {pieces->place});
}

/// From the mean and the squares of what is beside it of each piece, in one sweep over memory (Chan, Golub, LeVeque,
/// "Updating formulae and a pairwise algorithm for computing sample variances", 1979). The last piece may have fewer elements.
Value LoopSplitter::variance(VarOp op, ArrayRef<int64_t> dims) {
  Pieces pieces = *choosePieces(op.getInput(), dims);
  Value input = widen(op.getInput());
  double count = 1;
  for (int64_t dim : dims)
    count *= shapeOf(input)[dim];
  int64_t extent = shapeOf(input)[pieces.dim];
  double others = count / extent;
  auto square = [&](Value value) { return MulOp::create(b, loc, value, value).getResult(); };
  Value tiles = tile(input, pieces.dim, pieces.count, pieces.size, 0.0);
  ArrayRef<int64_t> shape = shapeOf(tiles);
  Value sums = reducePieces(ReduceKind::Sum, tiles, pieces);
  // Elements of each piece, and which of them there are, as operands that broadcast.
  auto type = cast<RankedTensorType>(input.getType());
  auto spread = [&](Value value, int64_t rank, int64_t dim) {
    SmallVector<int64_t> like(rank, 1);
    llvm::copy(shapeOf(value), like.begin() + dim);
    return reshape(value, like);
  };
  Value own = createNumber(b, loc, others * pieces.size);
  if (!pieces.divides) {
    SmallVector<Attribute> counts(pieces.count, b.getFloatAttr(type.getElementType(), others * pieces.size));
    int64_t last = extent - (pieces.count - 1) * pieces.size;
    counts.back() = b.getFloatAttr(type.getElementType(), others * last);
    own = ConstantOp::create(b, loc, mlir::DenseElementsAttr::get(type.clone({pieces.count}), counts));
    own = spread(own, shapeOf(sums).size(), pieces.place);
  }
  Value means = DivOp::create(b, loc, sums, own, StringAttr());
  Value beside = subtract(tiles, withUnits(means, shape, pieces.inner));
  if (!pieces.divides) {
    Value ones = FullOp::create(b, loc, type.clone({extent}), 1.0);
    ones = tile(ones, 0, pieces.count, pieces.size, 0.0);
    beside = MulOp::create(b, loc, beside, spread(ones, shape.size(), pieces.dim));
  }
  Value within = reducePieces(ReduceKind::Sum, square(beside), pieces);
  Value mean = divide(keepApart(sum(sums, {pieces.place})), count);
  Value apart = square(subtract(means, withUnits(mean, shapeOf(means), {pieces.place})));
  Value between = sum(MulOp::create(b, loc, apart, own), {pieces.place});
  Value squares = AddOp::create(b, loc, sum(within, {pieces.place}), between, b.getF64FloatAttr(1.0));
  return divide(squares, std::max(0.0, count - op.getCorrection().convertToDouble()));
}

/// Of each piece the largest element and the sum beside it, in one sweep over memory; then of those.
LoopSplitter::PowerSum LoopSplitter::sumPowers(Value input, ArrayRef<int64_t> dims,
                                               llvm::function_ref<Value(Value)> getShift) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // Of columns that are none along the last of the other dimensions no block keeps a piece.
  std::optional<Pieces> chosen = choosePieces(input, dims, /*areKept=*/true);
  Pieces pieces = chosen ? *chosen : *choosePieces(input, dims);
  Value tiles = tile(input, pieces.dim, pieces.count, pieces.size, -infinity);
  auto inner = b.getDenseI64ArrayAttr(pieces.inner);
  auto keep = b.getBoolAttr(false);
  Value largest = AmaxOp::create(b, loc, tiles, inner, keep);
  Value powers = ExpOp::create(b, loc, subtract(tiles, withUnits(getShift(largest), shapeOf(tiles), pieces.inner)));
  Value own = SumOp::create(b, loc, powers, inner, keep);
  PowerSum all;
  all.largest = keepApart(maximum(largest, {pieces.place}));
  Value shift = withUnits(getShift(all.largest), shapeOf(largest), {pieces.place});
  all.total = sum(MulOp::create(b, loc, own, ExpOp::create(b, loc, subtract(largest, shift))), {pieces.place});
  return all;
}

Value LoopSplitter::softmax(Value input, int64_t dim, bool isLog) {
  ArrayRef<int64_t> shape = shapeOf(input);
  // Where all of a piece is -inf, nothing is beside that. An infinite element makes the result NaN, as it is in PyTorch.
  PowerSum powers = sumPowers(input, {dim}, [&](Value largest) -> Value {
    Value lowest = createNumber(b, loc, -std::numeric_limits<double>::infinity());
    return WhereOp::create(b, loc, EqOp::create(b, loc, largest, lowest), createNumber(b, loc, 0.0), largest);
  });
  Value shifted = subtract(input, withUnits(powers.largest, shape, {dim}));
  Value total = withUnits(powers.total, shape, {dim});
  return isLog ? subtract(shifted, LogOp::create(b, loc, total))
               : DivOp::create(b, loc, ExpOp::create(b, loc, shifted), total, StringAttr()).getResult();
}

Value LoopSplitter::logsumexp(Value input, ArrayRef<int64_t> dims) {
  // exp(inf - inf) is no help: an infinite maximum is the result by itself.
  auto getShift = [&](Value largest) -> Value {
    return WhereOp::create(b, loc, IsinfOp::create(b, loc, largest), createNumber(b, loc, 0.0), largest);
  };
  PowerSum powers = sumPowers(input, dims, getShift);
  Value logarithm = LogOp::create(b, loc, powers.total);
  return AddOp::create(b, loc, logarithm, getShift(powers.largest), b.getF64FloatAttr(1.0));
}

/// What is computed from reductions may share a kernel with them, which has its rows one by one.
static bool mayShareReductions(Value input) {
  constexpr size_t mostOps = 32;
  llvm::SmallSetVector<Operation *, 8> pending;
  auto push = [&](Value value) {
    if (Operation *owner = value.getDefiningOp())
      pending.insert(owner);
  };
  push(input);
  for (size_t i = 0; i < pending.size() && i < mostOps; ++i) {
    OpClass opClass = classify(pending[i], FusionOptions());
    if (opClass == OpClass::Reduction && !cast<KernelLoopOpInterface>(pending[i]).isRunning())
      return true;
    if (opClass == OpClass::Pointwise || opClass == OpClass::View || opClass == OpClass::Identity)
      llvm::for_each(pending[i]->getOperands(), push);
  }
  return pending.size() > mostOps;
}

/// The value and what it is computed from, element by element.
static SmallVector<Value> getSweptValues(Value value) {
  constexpr size_t mostValues = 16;
  llvm::SmallSetVector<Value, 8> values;
  values.insert(value);
  for (size_t i = 0; i < values.size() && values.size() < mostValues; ++i) {
    Operation *owner = values[i].getDefiningOp();
    if (!owner || classify(owner, FusionOptions()) != OpClass::Pointwise)
      continue;
    for (Value operand : owner->getOperands())
      if (getShape(operand) == getShape(value))
        values.insert(operand);
  }
  return values.takeVector();
}

void fxgraph::gpu::markSharedSweeps(Block &block) {
  DenseMap<Value, SmallVector<SmallVector<int64_t>, 1>> swept; // along which dimensions
  for (auto op : block.getOps<LogsumexpOp>())
    for (Value value : getSweptValues(op.getInput()))
      swept[value].push_back(cast<ReductionOpInterface>(op.getOperation()).getReducedDims());
  if (swept.empty())
    return;
  for (Operation &op : block) {
    auto reduction = dyn_cast<ReductionOpInterface>(op);
    if (!reduction || isa<LogsumexpOp>(op))
      continue;
    SmallVector<int64_t> dims = reduction.getReducedDims();
    if (llvm::any_of(getSweptValues(op.getOperand(0)),
                     [&](Value value) { return llvm::is_contained(swept.lookup(value), dims); }))
      op.setAttr(kSharesSweepAttr, mlir::UnitAttr::get(op.getContext()));
  }
}

Value fxgraph::gpu::splitLongLoop(mlir::RewriterBase &rewriter, Operation *op, bool clusters) {
  bool sharesSweep = op->removeAttr(kSharesSweepAttr) != nullptr;
  LoopSplitter splitter(rewriter, op->getLoc(), clusters, readsRowsAgain(op), sharesSweep);
  auto loop = dyn_cast<KernelLoopOpInterface>(op);
  auto reduction = dyn_cast<ReductionOpInterface>(op);
  bool isSoftmax = isa<SoftmaxOp, LogSoftmaxOp>(op);
  if (!loop || !(reduction || isSoftmax || loop.isRunning()))
    return {};
  std::optional<ReduceKind> kind = loop.getReduceKind();
  Value input = op->getOperand(0), result = op->getResult(0);
  ArrayRef<int64_t> shape = splitter.shapeOf(input);
  Type element = splitter.elementOf(result);
  if (shape.empty())
    return {};
  if (loop.isRunning()) {
    int64_t dim = cast<RowOpInterface>(op).getRowDims().front();
    if (!splitter.chooseScanPiece(shape, dim))
      return {};
    // Blocks pass on sums in f32 (SpreadScans.cpp).
    bool isNarrow = element.isF32() || element.isF16() || element.isBF16();
    if (isNarrow && !mayShareReductions(input))
      return {};
    return createCast(rewriter, op->getLoc(), splitter.splitScan(*kind, splitter.widen(input), dim), element);
  }
  SmallVector<int64_t> dims = isSoftmax ? cast<RowOpInterface>(op).getRowDims() : reduction.getReducedDims();
  if (dims.empty())
    return {};
  bool isLong = splitter.choosePieces(input, dims, /*areKept=*/isSoftmax).has_value();
  if (!isLong && !isSoftmax)
    return {};
  if (isSoftmax) {
    // In the order in which the operand lies: what is computed from it is read several times, and lies so as well. Results
    // are row-major all the same, unlike those of what they are made of. What stays whole as rows may be cut as columns.
    std::optional<SmallVector<int64_t>> order = getMemoryOrder(input);
    int64_t dim = dims.front();
    if (order) {
      Value ordered = PermuteOp::create(rewriter, op->getLoc(), input, *order);
      int64_t place = llvm::find(*order, dim) - order->begin();
      if (splitter.choosePieces(ordered, {place}, /*areKept=*/true)) {
        // What is computed for it is stored so, if it is stored.
        if (input.getDefiningOp() && classify(input.getDefiningOp(), FusionOptions()) == OpClass::Pointwise)
          ordered.getDefiningOp()->setAttr(kInMemoryAttr, rewriter.getUnitAttr());
        input = ordered;
        dim = place;
      } else {
        rewriter.eraseOp(ordered.getDefiningOp());
        order = std::nullopt;
      }
    }
    if (!order && !isLong)
      return {};
    // In pieces it is read several times: once across memory is enough.
    if (!order && laysAcross(input, dims))
      input.getDefiningOp()->setAttr(kInMemoryAttr, rewriter.getUnitAttr());
    Value value = splitter.softmax(splitter.widen(input), dim, isa<LogSoftmaxOp>(op));
    value = createCast(rewriter, op->getLoc(), value, element);
    if (order)
      value = PermuteOp::create(rewriter, op->getLoc(), value, mlir::invertPermutationVector(*order));
    return ContiguousOp::create(rewriter, op->getLoc(), value);
  }
  auto splitAs = [&](ReduceKind as) { return splitter.splitReduction(as, splitter.widen(input), dims); };
  Value value = llvm::TypeSwitch<Operation *, Value>(op)
                    .Case<VarOp>([&](VarOp var) { return splitter.variance(var, dims); })
                    .Case<LogsumexpOp>([&](auto) { return splitter.logsumexp(splitter.widen(input), dims); })
                    .Case<VectorNormOp>([&](VectorNormOp norm) {
                      bool isEuclidean = norm.getOrd().convertToDouble() == 2;
                      return isEuclidean ? splitter.euclideanNorm(splitter.widen(input), dims) : Value();
                    })
                    .Case<MeanOp>([&](auto) -> Value {
                      Value total = splitAs(ReduceKind::Sum);
                      double count = 1;
                      for (int64_t dim : dims)
                        count *= static_cast<double>(shape[dim]);
                      return total ? splitter.divide(total, count) : Value();
                    })
                    .Default([&](auto) { return kind ? splitAs(*kind) : Value(); });
  if (!value)
    return {};
  return createCast(rewriter, op->getLoc(), splitter.reshape(value, splitter.shapeOf(result)), element);
}
