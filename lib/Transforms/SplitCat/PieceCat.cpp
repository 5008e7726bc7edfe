// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pattern: cat(f(piece_i of split(x; d)); c) -> reshape(permute(reshape(x)))
//          stack(f(piece_i of split(x; d)); c) -> the same
// with f a chain of views that keeps the row-major order. Exact: elements only move.
//
// Which permute it is follows from extents alone: see Analysis/LayoutMoves.h. Operands
// are looked at by position, never by value, so that a piece that comes twice, or out
// of order, ends a run.

#include "fxgraph/Transforms/SplitCat/PieceCat.h"
#include "fxgraph/Analysis/LayoutMoves.h"
#include "fxgraph/Transforms/SplitCat/SplitCatUtils.h"

using namespace fxgraph;

namespace {
/// One operand of a cat: a piece and the views between.
struct PieceOperand {
  SplitLikeOpInterface split;
  unsigned number = 0;
  /// Why this operand, which has the right form, is not taken; empty if it is.
  StringRef obstacle;
};

/// Neighbouring operands that are neighbouring pieces.
struct Run {
  unsigned begin, end; ///< operands
  SplitLikeOpInterface split;
  unsigned first; ///< piece of the first operand
  unsigned size() const { return end - begin; }
};

class PieceCatFuser {
public:
  PieceCatFuser(RewriteSession &session, const PieceCatOptions &options) : session(session), options(options) {}

  void run();

private:
  PieceOperand getPiece(Value operand);
  std::optional<LayoutMove> getMove(const Run &run, CatLikeOpInterface cat, StringRef &obstacle);
  Value build(const Run &run, const LayoutMove &move, CatLikeOpInterface cat);
  void fuse(CatLikeOpInterface cat);

  RewriteSession &session;
  const PieceCatOptions &options;
  SectionCache sections;
  /// Ops that may have lost their users.
  SetVector<Operation *> leftovers;
};
} // namespace

/// The piece that `operand` is a view of, if the chain is the one that is asked for.
PieceOperand PieceCatFuser::getPiece(Value operand) {
  PieceOperand result;
  bool shared = !operand.hasOneUse();
  Operation *op = operand.getDefiningOp();
  if (options.chain == PieceChain::ReshapeUnsqueeze) {
    auto unsqueeze = dyn_cast_if_present<UnsqueezeOp>(op);
    if (!unsqueeze)
      return result;
    shared |= !unsqueeze.getInput().hasOneUse();
    op = unsqueeze.getInput().getDefiningOp();
  }
  bool fits = options.chain == PieceChain::Squeeze ? isa_and_present<SqueezeOp>(op)
                                                   : isa_and_present<ReshapeOp, ViewOp, FlattenOp, UnflattenOp>(op);
  if (!fits)
    return result;
  Value piece = op->getOperand(0);
  SplitLikeOpInterface split = getPieceOfSplit(piece);
  if (!split || split->getBlock() != op->getBlock())
    return result;
  result.split = split;
  result.number = getPieceNumber(piece);
  const SectionCache::Sections *known = sections.get(split);
  if (!known)
    result.obstacle = "a section is not known";
  else if (options.chain == PieceChain::Squeeze && known->sizes[result.number] != 1)
    result.obstacle = "a piece that is squeezed has not extent 1";
  else if (!options.keepUsers && shared)
    result.obstacle = "a reshaped piece has other users";
  else if (!options.keepUsers && !piece.hasOneUse())
    result.obstacle = "a piece has other users";
  return result;
}

/// The shape of one operand, with the new dimension in a stack.
static SmallVector<int64_t> getPieceShape(CatLikeOpInterface cat, unsigned operand) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(cat->getOperand(operand).getType()).getShape());
  if (cat.addsDim())
    shape.insert(shape.begin() + cat.getNormalizedDim(), 1);
  return shape;
}

std::optional<LayoutMove> PieceCatFuser::getMove(const Run &run, CatLikeOpInterface cat, StringRef &obstacle) {
  auto type = cast<RankedTensorType>(run.split->getOperand(0).getType());
  const SectionCache::Sections &known = *sections.get(run.split);
  if (!type.hasStaticShape()) {
    obstacle = "an extent of the input is not known";
    return std::nullopt;
  }
  SmallVector<int64_t> input(type.getShape());
  input[known.dim] = known.offsets[run.first + run.size()] - known.offsets[run.first];
  std::optional<LayoutMove> move =
      getPieceCatMove(input, known.dim, run.size(), getPieceShape(cat, run.begin), cat.getNormalizedDim());
  if (!move)
    obstacle = "more than one movement of dimensions would be needed";
  return move;
}

/// The joined run, as one operand of the cat or, if the run is all of it, its result.
Value PieceCatFuser::build(const Run &run, const LayoutMove &move, CatLikeOpInterface cat) {
  mlir::IRRewriter &rewriter = session.getRewriter();
  Location loc = cat->getLoc();
  Value value = run.split->getOperand(0);
  const SectionCache::Sections &known = *sections.get(run.split);
  if (run.size() != run.split->getNumResults())
    value = SliceOp::create(rewriter, loc, value, known.dim, known.offsets[run.first],
                            known.offsets[run.first + run.size()], /*step=*/1);
  auto reshape = [&](ArrayRef<int64_t> shape) {
    if (cast<RankedTensorType>(value.getType()).getShape() != shape)
      value = ReshapeOp::create(rewriter, loc, value, shape);
  };
  if (!move.order.empty()) {
    reshape(move.view);
    value = PermuteOp::create(rewriter, loc, value, move.order);
  }
  SmallVector<int64_t> shape = getPieceShape(cat, run.begin);
  shape[cat.getNormalizedDim()] *= run.size();
  reshape(shape);
  return value;
}

void PieceCatFuser::fuse(CatLikeOpInterface cat) {
  // Runs: operand by operand, extended while split, piece number, section and type fit.
  SmallVector<Run> runs;
  StringRef obstacle;
  unsigned count = cat->getNumOperands();
  for (unsigned i = 0; i < count; ++i) {
    PieceOperand piece = getPiece(cat->getOperand(i));
    if (!piece.split)
      continue;
    if (!piece.obstacle.empty()) {
      obstacle = piece.obstacle;
      continue;
    }
    if (!runs.empty() && runs.back().end == i && runs.back().split == piece.split &&
        runs.back().first + runs.back().size() == piece.number) {
      const SectionCache::Sections &known = *sections.get(piece.split);
      if (known.sizes[piece.number] != known.sizes[runs.back().first])
        obstacle = "the pieces have different extents";
      else if (cat->getOperand(i).getType() != cat->getOperand(runs.back().begin).getType())
        obstacle = "the pieces are reshaped in different ways";
      else {
        ++runs.back().end;
        continue;
      }
    }
    runs.push_back({i, i + 1, piece.split, piece.number});
  }
  if (runs.empty() && obstacle.empty())
    return;
  auto isWhole = [&](const Run &run) { return run.size() == count; };
  if (!options.partialRuns || cat.addsDim()) {
    // All operands, or none. In a stack a part cannot be replaced by one operand.
    llvm::erase_if(runs, [&](const Run &run) {
      bool fits = isWhole(run) && (options.partialRuns || run.size() == run.split->getNumResults());
      if (!fits && obstacle.empty())
        obstacle = "the operands are not all pieces of one split in order";
      return !fits;
    });
  }
  SmallVector<LayoutMove> moves;
  llvm::erase_if(runs, [&](const Run &run) {
    if (run.size() < 2) {
      if (obstacle.empty())
        obstacle = "no two neighbouring operands are neighbouring pieces";
      return true;
    }
    std::optional<LayoutMove> move = getMove(run, cat, obstacle);
    if (move)
      moves.push_back(std::move(*move));
    return !move;
  });
  Location loc = cat->getLoc();
  if (!runs.empty() && reachesWriter(cat)) {
    obstacle = "an unknown op may write to the cat";
    runs.clear();
  }
  if (runs.empty())
    return session.missed(loc, options.kind, obstacle);

  mlir::IRRewriter &rewriter = session.getRewriter();
  session.begin(options.kind);
  rewriter.setInsertionPoint(cat);
  for (Value operand : cat->getOperands())
    if (Operation *producer = operand.getDefiningOp())
      leftovers.insert(producer);
  if (isWhole(runs.front())) {
    rewriter.replaceOp(cat, build(runs.front(), moves.front(), cat));
  } else {
    SmallVector<Value> operands;
    unsigned next = 0;
    for (auto [run, move] : llvm::zip_equal(runs, moves)) {
      llvm::append_range(operands, cat->getOperands().slice(next, run.begin - next));
      operands.push_back(build(run, move, cat));
      next = run.end;
    }
    llvm::append_range(operands, cat->getOperands().drop_front(next));
    rewriter.replaceOpWithNewOp<CatOp>(cat, cat->getResultTypes(), operands,
                                       rewriter.getI64IntegerAttr(cat.getNormalizedDim()));
  }
  for (const Run &run : runs)
    session.applied(loc, Twine(run.size()) + " pieces");
}

void PieceCatFuser::run() {
  SmallVector<CatLikeOpInterface> cats = session.collect<CatLikeOpInterface>();
  if (cats.empty())
    return;
  BoundaryGuard guard(session);
  guard.snapshot();
  for (CatLikeOpInterface cat : cats)
    fuse(cat);
  session.eraseDeadOps(leftovers.getArrayRef());
  if (session.getNumApplied() > 0)
    guard.restore();
}

void fxgraph::fusePieceCats(RewriteSession &session, const PieceCatOptions &options) {
  PieceCatFuser(session, options).run();
}
