// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives (torch/_inductor/fx_passes/bucketing.py, ddp_fusion.py, micro_pipeline_tp.py,
// overlap_scheduling.py). Every process of a group must run the same passes with the same
// options on the same graph: what they decide depends on nothing else.

#ifndef FXGRAPH_TRANSFORMS_DISTRIBUTED_PASSES_TD
#define FXGRAPH_TRANSFORMS_DISTRIBUTED_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

defvar BucketCap = ListOption<"bucketCapMb", "bucket-cap-mb", "double",
  "Most MB of the first bucket of a run, of the second, …; the last number is also that of all others (none: 2000)">;

def BucketAllGatherPass : FxGraphPass<"distributed-bucket-all-gather"> {
  let summary = "Join neighbouring all_gathers of a group into fewer, larger ones";
  let description = [{
    `wait(all_gather(x_i))`, i = 1 … n, become pieces of one: the flat inputs are joined,
    gathered, seen as `[processes, elements]`, split along the elements, and reshaped
    (Inductor's `bucket_all_gather`).

    Neighbours are those that are waited for one after the other, among the all_gathers; a
    run has one group, size, device and dtype. Runs fill buckets in order: a bucket's bytes
    (of each member the larger of input and output) stay below `bucket-cap-mb`. With
    `mode=multi-dtype` dtypes mix: bytes travel as integers of the narrowest width. With
    `mode=fsdp` only shards of parameters (arguments of the graph behind ops of one operand) count.
    The bucket starts where its last member did; what used a member's result before moves
    behind it.

    Not done: a collective that depends on one of the bucket; one behind an op with unknown
    effects; a start with other users than its wait; extents that are not known. Inductor
    also writes the inputs (behind a cast) straight into this process' part of the output;
    here `cat` says the same, and memory is the code generator's.

    Before and after: `test/Transforms/Distributed/bucket-all-gather-example.mlir`.
    Numeric class: exact. Complexity: near-linear in ops.
  }];
  let options = [BucketCap, Option<"mode", "mode", "::fxgraph::OptionText", "\"default\"", "default, fsdp or multi-dtype">];
}

def BucketReduceScatterPass : FxGraphPass<"distributed-bucket-reduce-scatter"> {
  let summary = "Join neighbouring reduce_scatters of a group into fewer, larger ones";
  let description = [{
    `wait(reduce_scatter(x_i))` become pieces of one: each input is seen as
    `[processes, elements]`, these are joined along the elements, flattened, reduced and
    scattered, split, and reshaped (Inductor's `bucket_reduce_scatter`).

    Runs, buckets and what is not done: as `fxgraph-distributed-bucket-all-gather`; a run also
    has one reduction. With `mode=fsdp` only those whose result reaches nothing but results
    of the graph, through ops of one operand, count.

    Before and after: `test/Transforms/Distributed/bucket-reduce-scatter-example.mlir`.
    Numeric class: reassociates (a backend's order of processes may depend on an element's
    place). Complexity: near-linear in ops.
  }];
  let options = [BucketCap, Option<"mode", "mode", "::fxgraph::OptionText", "\"default\"", "default or fsdp">];
}

def BucketAllReducePass : FxGraphPass<"distributed-bucket-all-reduce"> {
  let summary = "Join neighbouring all_reduces of a group into fewer, larger ones";
  let description = [{
    `wait(all_reduce(x_i))` become pieces of one: the flat inputs are joined, reduced, split,
    and reshaped (Inductor's `bucket_all_reduce`).

    Runs, buckets and what is not done: as `fxgraph-distributed-bucket-all-gather`; a run also
    has one reduction.

    Before and after: `test/Transforms/Distributed/bucket-all-reduce-example.mlir`.
    Numeric class: reassociates (a backend's order of processes may depend on an element's
    place). Complexity: near-linear in ops.
  }];
  let options = [BucketCap];
}

def FuseDdpPass : FxGraphPass<"distributed-fuse-ddp"> {
  let summary = "Fuse the all_reduces of data-parallel gradients, and wait later";
  let description = [{
    Inductor's `fuse_ddp_communication`. A gradient is `wait(all_reduce(div(g, n)))` that one
    return, or one `copy_`, uses. `fuse_ddp_with_concat_op` makes of a bucket one
    `all_reduce(div(cat(flat g_i), n))` and its pieces; `fuse_ddp_with_coalesced_op` one
    `all_reduce_coalesced`. A bucket closes when its bytes reach `bucket-size-mb`, the first
    one at 1 MB. `schedule_comm_wait` moves the waits of all_reduces, with the views behind them, to
    before their first user.

    Not done: gradients of several groups, reductions, dtypes, devices or divisors in one
    bucket (it ends there; Inductor does not look, or stops); a divisor that is no number; a
    division that changes the dtype; a bucket across an op with unknown effects; extents
    that are not known.

    Before and after: `test/Transforms/Distributed/fuse-ddp-example.mlir`.
    Numeric class: reassociates; the last step exact. Counter: `ddp_buckets`, of the buckets of two or more.
    Complexity: linear in ops.
  }];
  let options = [
    ListOption<"passes", "passes", "::fxgraph::OptionText",
      "Steps in order: fuse_ddp_with_concat_op, fuse_ddp_with_coalesced_op, schedule_comm_wait (none: the first and the last)">,
    Option<"bucketSizeMb", "bucket-size-mb", "int64_t", "25", "MB at which a bucket is full, but for the first one (1 MB)">];
}

def MicroPipelineTpPass : FxGraphPass<"distributed-micro-pipeline-tp"> {
  let summary = "Multiply what a tensor-parallel group gathers or scatters piece by piece";
  let description = [{
    Inductor's `micro_pipeline_tp_pass`. With `A = wait(all_gather(shard))`, the same with the
    processes' parts joined along another dimension (split or slices of the gathered tensor, then
    `cat`), or viewed as another dtype: the products `mm(A, B_i)` (also between a reshape to a
    matrix and one back) and `A` become `fused_all_gather_matmul(shard, B_i)`. And
    `wait(reduce_scatter(mm(A, B)))`, also of parts along another dimension, becomes
    `fused_matmul_reduce_scatter(A, B)`.

    Guards: some product has A on the left; no B depends on A, nor on a collective of the
    group that starts behind the gather (what B needs is moved before the fused op); parts are all
    there, in order, of one size; gathered along the last dimension, the shard's last extent is
    at least 1024, and nothing but the products uses A. A product that is scattered has no other
    user; the reduction is sum or avg. `groups` names the groups with symmetric memory, where not
    all have it.

    Before and after: `test/Transforms/Distributed/micro-pipeline-tp-example.mlir`.
    Numeric class: reassociates. Complexity: linear in ops, and for each gather whose weights
    are made behind it in the ops of its block.
  }];
  let options = [ListOption<"groups", "groups", "::fxgraph::OptionText", "Groups with symmetric memory; none: all">];
}

def OverlapSchedulingPass : FxGraphPass<"distributed-overlap-scheduling"> {
  let summary = "Order a graph so that collectives run while products are computed";
  let description = [{
    Inductor's `schedule_overlap_bucketing`. List scheduling: of the ops
    that are ready the one that the earliest product needs comes first, waits for a collective
    that work could still hide later, then the given order. Before each product collectives
    are started whose time it can hide, with what they need, in the order of their starts:
    at most `max-coll-distance` are looked at, the products that need them are at most
    `max-compute-pre-fetch` further on, and less than `max-in-flight-gb` are under way.

    What ops cost is an estimate (`Analysis/CostModel.h`); a collective takes
    `collective-latency-us` and its bytes at `collective-gb-per-second`, those of one group one
    after the other. If the estimated time of the new order is not below that of the given one
    the graph stays as it is; else the new one is tried again, at most 16 times. Uses, effects, and the
    order of starts in each group are kept; the ops are the same.

    With `collective-bucketing` all_gathers, reduce_scatters and all_reduces of the new order then become
    fewer, as by the bucketing passes, and the rest is ordered again. Members' starts all come before their waits; the bucket starts
    at the last start and is waited for at the first wait. It is made if what products leave exposed of it, and the copies into and out of
    its buffer, take less time than what they leave exposed of its members, and only if the whole gets faster. A bucket has
    `max-bucket-memory-gb` at most.

    Before and after: `test/Transforms/Distributed/overlap-scheduling-example.mlir`.
    Numeric class: exact; with `collective-bucketing` reassociates, as a reduction of a bucket may add up in another order. Complexity: of each try n log n in ops, and for each product
    `max-coll-distance` searches of `max-path-length` ops at most.
  }];
  let options = [
    Option<"maxInFlightGb", "max-in-flight-gb", "double", "5.0", "Most GB of collectives under way">,
    Option<"maxComputePreFetch", "max-compute-pre-fetch", "unsigned", "200", "Most products between a start and the product that needs it">,
    Option<"maxCollDistance", "max-coll-distance", "unsigned", "200", "Most collectives ahead that are looked at">,
    Option<"computeOverlapMultiplier", "compute-overlap-multiplier", "double", "1.0", "Share of a product's time that hides collectives">,
    Option<"maxPathLength", "max-path-length", "unsigned", "200", "Most ops that are moved up for one collective">,
    Option<"collectiveGbPerSecond", "collective-gb-per-second", "double", "300.0", "Bandwidth of a collective">,
    Option<"collectiveLatencyUs", "collective-latency-us", "double", "10.0", "Time of the smallest collective">,
    Option<"collectiveBucketing", "collective-bucketing", "bool", "false", "Join collectives where that leaves less of them exposed">,
    Option<"maxBucketMemoryGb", "max-bucket-memory-gb", "double", "2.0", "Most GB of a bucket">];
}

#endif // FXGRAPH_TRANSFORMS_DISTRIBUTED_PASSES_TD
