// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joining collectives of one kind into fewer, larger ones: what the three bucketing
// passes share.
//
// PyTorch: torch/_inductor/fx_passes/bucketing.py. The waits are walked in order; those
// that follow each other (among the waits of the kind) with one key are a run. A run
// fills buckets up to a cap of bytes; a collective that depends on one in the bucket, or
// lies behind another barrier, is left alone; buckets of one are dropped. A bucket starts
// where its last member started; what used its first members earlier moves behind it. The
// pieces share storage: those that are results of the graph are copied.
//
// Near-linear: between the first and the last start of a bucket each op is looked at once.

#ifndef FXGRAPH_LIB_TRANSFORMS_DISTRIBUTED_BUCKETS_H
#define FXGRAPH_LIB_TRANSFORMS_DISTRIBUTED_BUCKETS_H

#include "Dependences.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <memory>

namespace fxgraph {

/// What members of a bucket have in common: attributes and types, null where the kind
/// has none.
struct BucketKey {
  Attribute group, reduceOp, device;
  Type elementType;
  int64_t groupSize = 0;

  bool operator==(const BucketKey &other) const {
    return group == other.group && reduceOp == other.reduceOp && device == other.device &&
           elementType == other.elementType && groupSize == other.groupSize;
  }
};

class BucketRule {
public:
  virtual ~BucketRule() = default;

  virtual RewriteKind getKind() const = 0;
  /// The key of a start of the rule's kind; nullopt for other ops.
  virtual std::optional<BucketKey> getKey(Operation *start) const = 0;
  /// One collective in the place of all; returns what each member's wait gave.
  virtual SmallVector<Value> merge(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Operation *> members) const = 0;
};

/// The rules of the three passes, of all collectives of the kind and one dtype.
std::unique_ptr<BucketRule> createAllGatherRule();
std::unique_ptr<BucketRule> createReduceScatterRule();
std::unique_ptr<BucketRule> createAllReduceRule();

/// Runs a rule over the graph. `capsMb` is the cap of the first bucket of a run in MB, of
/// the second …, the last one also of all others; 2000 if there is none. Error at the graph
/// for caps that are none.
LogicalResult bucketCollectives(GraphPass &pass, const BucketRule &rule, ArrayRef<double> capsMb);

/// The elements in one dimension.
Value flatten(mlir::ImplicitLocOpBuilder &builder, Value value);
Value reshapeTo(mlir::ImplicitLocOpBuilder &builder, Value value, ArrayRef<int64_t> shape);

/// The flat inputs of the members, joined.
Value joinFlat(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Operation *> members);
/// The inverse for their results: pieces of a flat tensor in the shapes of these.
SmallVector<Value> splitFlat(mlir::ImplicitLocOpBuilder &builder, Value flat, ArrayRef<Operation *> members);

/// True for what fully sharded data parallelism gathers: an argument of the graph, behind
/// ops of one operand (casts) at most.
bool isParameterShard(Value value);
/// True if a value reaches the graph's results alone, through ops of one operand at most.
bool isGradientShard(Value value);

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_DISTRIBUTED_BUCKETS_H
