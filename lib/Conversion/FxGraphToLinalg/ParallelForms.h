// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorting and writes at indices as loops whose iterations are independent
// (LinalgOptions::parallelForms): each element of the result is computed by itself, from
// what is read at computed places. Results are those of the forms that run in order, to
// the bit. Static extents only.

#ifndef FXGRAPH_CONVERSION_FXGRAPHTOLINALG_PARALLELFORMS_H
#define FXGRAPH_CONVERSION_FXGRAPHTOLINALG_PARALLELFORMS_H

#include "LoweringUtils.h"

namespace fxgraph {
namespace lowering {

/// Fails the match with an error unless all operands have static extents.
LogicalResult checkStaticExtents(Operation *op);

/// Positions along `dim` (i64) that put the input in order: the first `kept` of each row.
/// Stable; NaN is the largest.
///
/// Runs of 1, 2, 4 … elements are merged in pairs, one loop nest a round. An element of the
/// result finds its place in both runs by binary search on the diagonal of the merge
/// (Green, McColl, Bader: merge path). Of a run no more than `kept` elements stay.
/// O(n log² n) comparisons a row, O(n log² kept) where few are kept.
Value sortedPositions(OpBuilder &b, Location loc, Value input, Type dtype, int64_t dim, bool descending, int64_t kept);

/// The elements of `input` at `positions` (i64) along `dim`.
Value gatherAlong(OpBuilder &b, Location loc, Value input, Value positions, int64_t dim);

/// In a body: the index in `stored`, counted from 0. Fails the run where it is out of range;
/// whoever does not stop there goes on with 0.
Value checkedIndex(OpBuilder &b, Location loc, Value stored, Type dtype, int64_t extent, bool allowNegative);

/// Where entries are written: `keys` (i64) holds a place for each, along `dim`.
///
/// Up to `kFewEntries` of them are compared with each place; more are sorted by their places
/// first, and binary search finds those of each of the `places`, once for all elements that
/// share it.
class Landings {
public:
  static constexpr int64_t kFewEntries = 32;
  Landings(OpBuilder &b, Location loc, Value keys, int64_t dim, int64_t places);

  /// In a body: runs `step` on the entries that land at `place`, in their order, from the
  /// state `init`; the last state. `row`: the position in `keys` but for `dim`.
  SmallVector<Value>
  forEach(OpBuilder &b, Location loc, ArrayRef<Value> row, Value place, ValueRange init,
          function_ref<SmallVector<Value>(OpBuilder &, Location, Value entry, ValueRange state)> step) const;

private:
  Value keys;
  Value order;  ///< of the entries by their places; null for few
  Value starts; ///< along `dim`: where the entries of each place begin in the order, and where the last ones end
  int64_t dim;
};

} // namespace lowering
} // namespace fxgraph

#endif // FXGRAPH_CONVERSION_FXGRAPHTOLINALG_PARALLELFORMS_H
