// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block of products and collectives as a run of it would go: one stream of work, and one
// of each process group. Estimates alone.

#ifndef FXGRAPH_LIB_TRANSFORMS_DISTRIBUTED_OVERLAPMODEL_H
#define FXGRAPH_LIB_TRANSFORMS_DISTRIBUTED_OVERLAPMODEL_H

#include "Dependences.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "llvm/ADT/BitVector.h"

namespace fxgraph {

struct CollectiveRates {
  double bytesPerSecond, latency;

  double getSeconds(double bytes) const { return latency + bytes / bytesPerSecond; }
};

/// What each op of a block takes, on the stream of products or on that of its group.
struct Times {
  SmallVector<double> seconds;
  /// Of starts: bytes under way.
  SmallVector<double> bytes;
  /// Ops that hide collectives.
  llvm::BitVector isProduct;
};

Times estimateTimes(const Dependences &dependences, CollectiveRates rates);

/// Starts that are one collective at the place of the last of them.
struct OverlapBucket {
  SmallVector<unsigned> starts;
  /// Of the collective; of the copies into and out of its buffer.
  double seconds, copySeconds;
};

/// Estimated seconds of a run in this order. `exposed` gets, of each start, how long its wait
/// waits.
double simulate(const Dependences &dependences, const Times &times, ArrayRef<unsigned> order,
                ArrayRef<OverlapBucket> buckets = {}, MutableArrayRef<double> exposed = {});

/// Sums in another order differ in their last digits.
inline bool isFaster(double after, double before) { return after < before * (1 - 1e-9); }

/// Joins collectives of the block, in its order, where that is estimated to take less than `before`: what
/// still hides them counts. True if it did.
bool bucketInOrder(RewriteSession &session, BoundaryGuard &guard, Block &block, CollectiveRates rates, double maxBytes,
                   double before);

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_DISTRIBUTED_OVERLAPMODEL_H
