// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine behind the passes that take runs of pieces from the input of a split
// or unbind. With d the dimension that was cut, c that of the cat or stack, and
// r = x, or the slice of x that holds the run:
//   cat of split pieces (c = d)    r
//   cat of unbind pieces           movedim(r; d, c) with c and c + 1 merged
//   stack of split pieces          movedim(unflatten(r; d, (k, m)); d, c)
//   stack of unbind pieces         movedim(r; d, c)
//   stack of reshaped pieces       see createReshaped
// Operands that are no run stay: in a cat as they are, in a stack as stacks of
// neighbours, all joined by a cat along c. A stack whose runs come from splits of one
// dimension is a cat along that dimension, unflattened: no stack is left.
//
// Inductor exchanges the dimensions d and c instead of moving d to c, which is
// right for neighbouring dimensions only; does not compare c with d for cats of
// split pieces; and does not ask whether a reshape can be moved at all.
//
// Each cat or stack is rewritten once; linear in operands.

#include "RunMerging.h"

using namespace fxgraph;

/// The product of some extents.
static int64_t multiply(ArrayRef<int64_t> extents) {
  int64_t product = 1;
  for (int64_t extent : extents)
    product *= extent;
  return product;
}

//===----------------------------------------------------------------------===//
// Looking for runs
//===----------------------------------------------------------------------===//

/// The split or unbind that the operand is a piece of, as far as it counts.
SplitLikeOpInterface RunMerger::getSplit(CatLikeOpInterface join, Value operand) const {
  if (options.throughReshapes) {
    Operation *reshape = operand.getDefiningOp();
    if (!isRowMajorView(reshape))
      return {};
    operand = reshape->getOperand(0);
  }
  auto split = operand.getDefiningOp<SplitLikeOpInterface>();
  if (!split || !(split.dropsDim() ? options.unbinds : options.splits) || split->getBlock() != join->getBlock() ||
      (options.accepts && !options.accepts(split)))
    return {};
  // A legacy empty operand of a cat has another rank and joins nothing.
  int64_t rank = cast<RankedTensorType>(join->getResult(0).getType()).getRank();
  if (!join.addsDim() && cast<RankedTensorType>(operand.getType()).getRank() != rank)
    return {};
  return split;
}

const RunMerger::Source &RunMerger::getSource(SplitLikeOpInterface split) {
  std::unique_ptr<Source> &source = sources[split];
  if (source)
    return *source;
  source = std::make_unique<Source>();
  source->sections = cache.get(split);
  if (!source->sections) {
    source->obstacle = "a section is not known";
    return *source;
  }
  auto type = cast<RankedTensorType>(split->getOperand(0).getType());
  ArrayRef<int64_t> sizes = source->sections->sizes;
  if (type.isDynamicDim(source->sections->dim))
    source->obstacle = "the extent of the input is not known";
  else if (options.throughReshapes && !type.hasStaticShape())
    source->obstacle = "a shape is not known";
  else if (options.throughReshapes && type.getNumElements() == 0)
    source->obstacle = "there are no elements";
  if (options.allowSteps) {
    int64_t block = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
      block += i > 0 && sizes[i] != sizes[i - 1];
      source->blocks.push_back(block);
    }
  }
  return *source;
}

/// The operand as the scan sees it. Notes why a piece does not count.
Piece RunMerger::getPiece(CatLikeOpInterface join, Value operand) {
  SplitLikeOpInterface split = getSplit(join, operand);
  if (!split)
    return {};
  const Source &source = getSource(split);
  StringRef reason = source.obstacle;
  if (reason.empty() && !join.addsDim() && !split.dropsDim() && source.sections->dim != join.getNormalizedDim())
    reason = "split and cat are along different dimensions";
  // The input of a reshape can say more than its result.
  if (reason.empty() && options.throughReshapes && !cast<RankedTensorType>(operand.getType()).hasStaticShape())
    reason = "a shape is not known";
  if (!reason.empty()) {
    obstacle = reason;
    return {};
  }
  int64_t number = getPieceNumber(options.throughReshapes ? operand.getDefiningOp()->getOperand(0) : operand);
  Piece piece{split.getOperation(), number, split->getNumResults(), 0};
  if (options.allowSteps) {
    piece.block = source.blocks[number];
    // A cat of every second piece is a slice only if pieces have extent 1: each
    // wider piece is a block of its own.
    if (!join.addsDim() && !split.dropsDim() && source.sections->sizes[number] != 1)
      piece.block = -1 - number;
  }
  return piece;
}

SmallVector<PieceRun> RunMerger::findRuns(CatLikeOpInterface join) {
  obstacle = "";
  SmallVector<Piece> pieces;
  for (Value operand : join->getOperands())
    pieces.push_back(getPiece(join, operand));
  // The input of a split can be a piece itself, and so complete a run. In a stack all
  // operands have one shape: nothing to gain.
  auto getInputPiece = [&](const void *producer) {
    auto split = cast<SplitLikeOpInterface>(static_cast<Operation *>(const_cast<void *>(producer)));
    return join.addsDim() || split.dropsDim() ? Piece() : getPiece(join, split->getOperand(0));
  };
  return scanRuns(pieces, {options.threshold, options.allowSteps, getInputPiece});
}

static SplitLikeOpInterface getProducer(const PieceRun &run) {
  return cast<SplitLikeOpInterface>(static_cast<Operation *>(const_cast<void *>(run.producer)));
}

/// True if the run is the input of the split, as it is.
bool RunMerger::isIdentity(CatLikeOpInterface join, const PieceRun &run) const {
  SplitLikeOpInterface split = getProducer(run);
  if (!run.isWhole || options.throughReshapes)
    return false;
  return join.addsDim() ? split.dropsDim() && split.getNormalizedDim() == join.getNormalizedDim() : !split.dropsDim();
}

void RunMerger::visit(CatLikeOpInterface join) {
  if (join->use_empty() || llvm::none_of(join->getOperands(), [&](Value operand) { return !!getSplit(join, operand); }))
    return;
  SmallVector<PieceRun> runs = findRuns(join);
  bool single = runs.size() == 1;
  if (llvm::none_of(runs, [](const PieceRun &run) { return run.isMerged(); })) {
    if (obstacle.empty())
      obstacle = options.threshold == RunMergingOptions::kAllPieces ? "the pieces are not in order or not all there"
                                                                    : "no run of neighbouring pieces is long enough";
  } else {
    obstacle = "";
    if (single && reachesWriter(join))
      obstacle = "an unknown op may write to the result";
    else if (single && isIdentity(join, runs.front()) &&
             getProducer(runs.front())->getOperand(0).getType() != join->getResult(0).getType())
      obstacle = "the result and the input of the split differ in type";
  }
  if (!obstacle.empty()) {
    session.missed(join->getLoc(), options.kind, obstacle);
    return;
  }
  rewrite(join, runs);
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The input of the split, or the slice of it that holds the run. Every second piece
/// of a split into wider pieces: the dimension is in two, (pieces, extent of a piece).
Value RunMerger::createPieces(Location loc, const PieceRun &run) {
  SplitLikeOpInterface split = getProducer(run);
  Value input = split->getOperand(0);
  if (run.isWhole)
    return input;
  mlir::IRRewriter &rewriter = session.getRewriter();
  const SectionCache::Sections &sections = *cache.get(split);
  int64_t dim = sections.dim, end = run.getPieceEnd(), section = sections.sizes[run.first];
  if (run.step == 1 || section == 1)
    return SliceOp::create(rewriter, loc, input, dim, sections.offsets[run.first], sections.offsets[end], run.step);
  // The sections between the pieces are equal, others need not be.
  int64_t first = run.first, count = split->getNumResults();
  if (getSource(split).blocks.back() != 0) {
    input = SliceOp::create(rewriter, loc, input, dim, sections.offsets[first], sections.offsets[end], /*step=*/1);
    count = end - first;
    first = 0;
  }
  input = createUnflatten(rewriter, loc, input, dim, count, section);
  return SliceOp::create(rewriter, loc, input, dim, first, first + end - run.first, run.step);
}

/// A stack of reshaped pieces. The input, in row-major order, is [A, k, n] with k
/// pieces, A elements in front of the split dimension and n elements of a piece behind
/// each; a piece is [A, n], reshaped to R. The stack is [R[:c], k, R[c:]]:
///   - a reshape of the input if R[:c] holds A elements: then R[c:] holds the n;
///   - else [A, k, n] -> [k, A, n] -> [k, R] -> the k moved to c, which costs one copy
///     (none if A = 1) where the stack and its reshapes cost two.
Value RunMerger::createReshaped(CatLikeOpInterface join, const PieceRun &run) {
  mlir::IRRewriter &rewriter = session.getRewriter();
  Location loc = join->getLoc();
  SplitLikeOpInterface split = getProducer(run);
  ArrayRef<int64_t> inputShape = cast<RankedTensorType>(split->getOperand(0).getType()).getShape();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(join->getOperand(run.begin).getType()).getShape();
  int64_t dim = join.getNormalizedDim(), outer = multiply(inputShape.take_front(split.getNormalizedDim()));

  Value value = createPieces(loc, run);
  if (multiply(shape.take_front(dim)) == outer) {
    SmallVector<int64_t> stacked(shape);
    stacked.insert(stacked.begin() + dim, run.count);
    return ReshapeOp::create(rewriter, loc, value, stacked);
  }
  if (outer != 1) {
    SmallVector<int64_t> parts{outer, run.count};
    if (int64_t inner = multiply(shape) / outer; inner != 1)
      parts.push_back(inner);
    if (cast<RankedTensorType>(value.getType()).getShape() != ArrayRef<int64_t>(parts))
      value = ReshapeOp::create(rewriter, loc, value, parts);
    value = createMoveDim(rewriter, loc, value, 1, 0);
  }
  SmallVector<int64_t> pieces(shape);
  pieces.insert(pieces.begin(), run.count);
  value = ReshapeOp::create(rewriter, loc, value, pieces);
  return createMoveDim(rewriter, loc, value, 0, dim);
}

/// What a run contributes to a cat along the dimension of the join.
Value RunMerger::createOperand(CatLikeOpInterface join, const PieceRun &run) {
  if (options.throughReshapes)
    return createReshaped(join, run);
  mlir::IRRewriter &rewriter = session.getRewriter();
  Location loc = join->getLoc();
  SplitLikeOpInterface split = getProducer(run);
  int64_t from = split.getNormalizedDim(), to = join.getNormalizedDim();
  Value value = createPieces(loc, run);
  if (split.dropsDim()) {
    value = createMoveDim(rewriter, loc, value, from, to);
    return join.addsDim() ? value : createFlatten(rewriter, loc, value, to);
  }
  if (!join.addsDim())
    return value;
  int64_t section = cache.get(split)->sizes[run.first];
  if (run.step == 1 || section == 1)
    value = createUnflatten(rewriter, loc, value, from, run.count, section);
  return createMoveDim(rewriter, loc, value, from, to);
}

/// The dimension along which a stack can be written as a cat: that of the splits of
/// all runs, if there is one, and every operand's extent in it is known.
std::optional<int64_t> RunMerger::getCommonDim(CatLikeOpInterface join, ArrayRef<PieceRun> runs) const {
  if (!join.addsDim() || options.throughReshapes)
    return std::nullopt;
  std::optional<int64_t> dim;
  for (const PieceRun &run : runs) {
    if (!run.isMerged())
      continue;
    SplitLikeOpInterface split = getProducer(run);
    if (split.dropsDim() || run.step != 1 || (dim && *dim != split.getNormalizedDim()))
      return std::nullopt;
    dim = split.getNormalizedDim();
  }
  for (Value operand : join->getOperands())
    if (cast<RankedTensorType>(operand.getType()).isDynamicDim(*dim))
      return std::nullopt;
  return dim;
}

/// The cat or stack with its runs merged.
Value RunMerger::createJoin(CatLikeOpInterface join, ArrayRef<PieceRun> runs) {
  mlir::IRRewriter &rewriter = session.getRewriter();
  Location loc = join->getLoc();
  Type type = join->getResult(0).getType();
  if (runs.size() == 1)
    return createOperand(join, runs.front());

  int64_t dim = join.getNormalizedDim();
  if (std::optional<int64_t> common = getCommonDim(join, runs)) {
    SmallVector<Value> operands;
    for (const PieceRun &run : runs)
      operands.push_back(run.isMerged() ? createPieces(loc, run) : join->getOperand(run.begin));
    int64_t section = cast<RankedTensorType>(join->getOperand(0).getType()).getDimSize(*common);
    Value value = CatOp::create(rewriter, loc, operands, *common);
    value = createUnflatten(rewriter, loc, value, *common, join->getNumOperands(), section);
    return createMoveDim(rewriter, loc, value, *common, dim);
  }
  JoinOperands builder(rewriter, join);
  for (const PieceRun &run : runs) {
    if (run.isMerged())
      builder.add([&] { return createOperand(join, run); });
    else
      builder.keep(join->getOperand(run.begin));
  }
  return CatOp::create(rewriter, loc, type, builder.take(), dim);
}

void RunMerger::rewrite(CatLikeOpInterface join, ArrayRef<PieceRun> runs) {
  guard.snapshot();
  mlir::IRRewriter &rewriter = session.getRewriter();
  session.begin(options.kind);
  rewriter.setInsertionPoint(join);
  for (const PieceRun &run : runs)
    if (run.isMerged())
      for (Value operand : join->getOperands().slice(run.begin, run.end - run.begin))
        released.insert(operand.getDefiningOp());

  Value result = createJoin(join, runs);
  // A new op infers less than the old type says (`?` for a symbol); the input of the
  // split has the same type.
  if (result.getType() != join->getResult(0).getType())
    result.setType(cast<RankedTensorType>(join->getResult(0).getType()));
  Location loc = join->getLoc();
  size_t count = join->getNumOperands();
  rewriter.replaceOp(join, result);
  session.applied(loc, Twine(count) + " operands in " + Twine(runs.size()) + " run(s)");
}

void fxgraph::mergeRuns(RewriteSession &session, bool stacks, const RunMergingOptions &options) {
  BoundaryGuard guard(session);
  SmallVector<CatLikeOpInterface> joins = session.collect<CatLikeOpInterface>();
  llvm::erase_if(joins, [&](CatLikeOpInterface join) { return join.addsDim() != stacks; });
  RunMerger merger(session, guard, options);
  for (CatLikeOpInterface join : joins)
    merger.visit(join);
  merger.finish();
  guard.restore();
}
