// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes over splits and cats have in common.

#ifndef FXGRAPH_TRANSFORMS_SPLITCAT_SPLITCATUTILS_H
#define FXGRAPH_TRANSFORMS_SPLITCAT_SPLITCATUTILS_H

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

/// Collects the operands of the cat that takes the place of a cat or stack.
class JoinOperands {
public:
  JoinOperands(mlir::OpBuilder &builder, CatLikeOpInterface join) : builder(builder), join(join) {}

  /// Operands that stay what they were. Of a stack neighbouring ones stay stacked.
  void keep(ValueRange values);
  /// One that `create` makes, behind what stays before it.
  void add(function_ref<Value()> create) {
    flush();
    operands.push_back(create());
  }
  SmallVector<Value> take() {
    flush();
    return std::move(operands);
  }

private:
  void flush();

  mlir::OpBuilder &builder;
  CatLikeOpInterface join;
  SmallVector<Value> operands, stacked;
};

struct SplitCatSimplifierOptions {
  RewriteKind kind;
  bool unbind = false;
  /// Rewrite a run also if other users take some of its pieces; they keep the split.
  bool allowOtherUsers = false;
};

/// Rewrites splits (or, with `unbind`, unbinds) whose pieces go into cats and stacks (see
/// SplitCatSimplifier.cpp) and, in turns with that, by `visit`: it is given all splits and
/// unbinds first, then those that changed or have a user that did, until none has. What
/// the graph returns is kept apart. Failure where `visit` fails.
LogicalResult simplifySplitCat(RewriteSession &session, const SplitCatSimplifierOptions &options,
                               function_ref<LogicalResult(ArrayRef<Operation *>)> visit);

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_SPLITCAT_SPLITCATUTILS_H
