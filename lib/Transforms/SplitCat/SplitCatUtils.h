// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes over splits and cats have in common.

#ifndef FXGRAPH_LIB_TRANSFORMS_SPLITCAT_SPLITCATUTILS_H
#define FXGRAPH_LIB_TRANSFORMS_SPLITCAT_SPLITCATUTILS_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"

namespace fxgraph {

/// The split that `value` is a piece of (split, split_with_sizes, chunk), or null.
inline SplitLikeOpInterface getPieceOfSplit(Value value) {
  auto split = value.getDefiningOp<SplitLikeOpInterface>();
  return split && !split.dropsDim() ? split : SplitLikeOpInterface();
}
/// The unbind that `value` is a piece of, or null.
inline SplitLikeOpInterface getPieceOfUnbind(Value value) {
  auto split = value.getDefiningOp<SplitLikeOpInterface>();
  return split && split.dropsDim() ? split : SplitLikeOpInterface();
}

inline unsigned getPieceNumber(Value piece) { return cast<OpResult>(piece).getResultNumber(); }

/// Sections of splits and where each begins, computed once a split: graphs have
/// splits with 100,000 pieces and as many users that ask.
class SectionCache {
public:
  struct Sections {
    int64_t dim;
    SmallVector<int64_t> sizes;
    SmallVector<int64_t> offsets; ///< one more than sizes
  };
  /// Null if a section is not known at compile time.
  const Sections *get(SplitLikeOpInterface split);
  /// To be called before a split is erased if new ones are asked about later.
  void forget(Operation *split) { cache.erase(split); }

private:
  DenseMap<Operation *, std::unique_ptr<Sections>> cache;
};

/// Location of an op that replaces several; names the first few of them.
Location fuseLocations(mlir::OpBuilder &builder, ArrayRef<Location> locations);

/// A fresh split of `input` with pieces of the given types.
SplitWithSizesOp createSplit(mlir::OpBuilder &builder, Location loc, TypeRange types, Value input,
                             ArrayRef<int64_t> sections, int64_t dim);

/// `dim` of `value` in two, of extents `outer` and `inner`: a reshape where the shape is static.
Value createUnflatten(mlir::OpBuilder &builder, Location loc, Value value, int64_t dim, int64_t outer, int64_t inner);
/// Merges `dim` and `dim + 1`: a reshape where the shape is static.
Value createFlatten(mlir::OpBuilder &builder, Location loc, Value value, int64_t dim);
/// Moves one dimension, keeping the order of the others (torch.movedim): a permute,
/// or `value` itself if it stays.
Value createMoveDim(mlir::OpBuilder &builder, Location loc, Value value, int64_t from, int64_t to);

/// Rewrites splits (or, with `unbind`, unbinds) whose pieces go into cats and stacks:
/// see SplitCatSimplifier.cpp.
struct SplitCatSimplifierOptions {
  RewriteKind kind;
  bool unbind = false;
  /// Rewrite a run also if other users take some of its pieces; they keep the split.
  bool allowOtherUsers = false;
};
/// Looks at all splits of the graph, or at those given.
void simplifySplitCat(RewriteSession &session, BoundaryGuard &guard, const SplitCatSimplifierOptions &options,
                      const SetVector<Operation *> *splits = nullptr);

/// The splits that may be rewritten though they could not be before: those that have
/// changed and those with a user that has.
SetVector<Operation *> takeSplits(ChangeList &changes);

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_SPLITCAT_SPLITCATUTILS_H
