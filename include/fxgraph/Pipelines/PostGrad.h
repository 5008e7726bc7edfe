// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipelines behind autodiff under Inductor's names and in its order:
// fxgraph-joint-graph (torch/_inductor/fx_passes/joint_graph.py), fxgraph-freezing
// (freezing_patterns.py) and fxgraph-post-grad (post_grad.py).

#ifndef FXGRAPH_PIPELINES_POSTGRAD_H
#define FXGRAPH_PIPELINES_POSTGRAD_H

#include "fxgraph/Pipelines/FusionOptions.h"
#include "fxgraph/Support/OptionText.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

namespace fxgraph {

/// What the three have in common.
template <typename Derived>
struct AtenOptions : public mlir::PassPipelineOptions<Derived> {
  template <typename T>
  using Option = typename mlir::PassPipelineOptions<Derived>::template Option<T>;

  Option<OptionText> mode{
      *this, "mode",
      llvm::cl::desc("inductor: Inductor's order, each pass once; best: also what Inductor leaves to options and we "
                     "expect to gain, in rounds until nothing changes"),
      llvm::cl::init("inductor")};
  Option<OptionText> numerics{
      *this, "numerics",
      llvm::cl::desc("exact: bit-equal rewrites only; reassociate: also other summation orders; relaxed: also other "
                     "roundings"),
      llvm::cl::init("relaxed")};
  Option<OptionText> defaultDevice{
      *this, "default-device", llvm::cl::desc("device type of tensors whose types name none"), llvm::cl::init("cpu")};
  Option<bool> patternMatcher{*this, "pattern-matcher", llvm::cl::desc("run the patterns (Inductor's pattern_matcher)"),
                              llvm::cl::init(true)};
  Option<OptionText> customPrePass{*this, "custom-pre-pass",
                                   llvm::cl::desc("passes on func.func to run first, as text in braces")};
  Option<OptionText> customPostPass{
      *this, "custom-post-pass", llvm::cl::desc("passes on func.func to run behind the patterns, as text in braces")};
  Option<OptionText> report{*this, "report",
                            llvm::cl::desc("write counters and rewrites to this JSON file (and FILE.html)")};
  Option<int64_t> maxRounds{*this, "max-rounds", llvm::cl::desc("most rounds of mode=best"), llvm::cl::init(8)};
};

struct JointGraphOptions : public AtenOptions<JointGraphOptions> {
  Option<bool> constantFolding{*this, "joint-graph-constant-folding",
                               llvm::cl::desc("fold uniform tensors (Inductor's joint_graph_constant_folding)"),
                               llvm::cl::init(true)};
  Option<bool> fuseAttention{*this, "fuse-attention", llvm::cl::desc("recognise attention that is written out"),
                             llvm::cl::init(true)};
  Option<bool> shapePadding{*this, "shape-padding", llvm::cl::desc("pad products on GPUs (Inductor's shape_padding)"),
                            llvm::cl::init(true)};
  Option<bool> forceShapePad{*this, "force-shape-pad", llvm::cl::desc("… all that can be padded"),
                             llvm::cl::init(false)};
  Option<OptionText> shapePaddingMultiplier{
      *this, "shape-padding-multiplier",
      llvm::cl::desc("pad if that is faster by this factor (value of Inductor's shape_padding_multiplier)"),
      llvm::cl::init("1.1")};
  Option<int64_t> kThresholdToPad{*this, "k-threshold-to-pad",
                                  llvm::cl::desc("bf16 products on GPUs before Hopper are padded from this k on "
                                                 "(Inductor's pad_aten_mm_pass)"),
                                  llvm::cl::init(8388608)};
  Option<bool> fallbackRandom{
      *this, "fallback-random",
      llvm::cl::desc("leave random ops to PyTorch's generators (Inductor's fallback_random; its "
                     "default is false)"),
      llvm::cl::init(true)};
};

struct FreezingOptions : public AtenOptions<FreezingOptions> {
  Option<bool> linearBinaryFolding{*this, "enable-linear-binary-folding",
                                   llvm::cl::desc("fold arithmetic into products too, not into convolutions alone"),
                                   llvm::cl::init(true)};
  Option<bool> assumeNonzeroDivisors{*this, "assume-nonzero-divisors",
                                     llvm::cl::desc("no weight that divides has an element 0, as Inductor assumes"),
                                     llvm::cl::init(false)};
  Option<bool> packWeights{*this, "pack-weights",
                           llvm::cl::desc("products and convolutions on the CPU as ops of its library (oneDNN), with what "
                                          "follows them; Inductor does so where the library is there"),
                           llvm::cl::init(false)};
};

struct PostGradOptions : public AtenOptions<PostGradOptions> {
  Option<OptionText> fusions{*this, "fusions",
                             llvm::cl::desc("Inductor's post_grad_fusion_options: name{option=value …},… or none")};
  Option<OptionText> config{
      *this, "config",
      llvm::cl::desc("YAML or JSON file with post_grad_fusion_options and the other settings of Inductor's config")};
  Option<bool> isInference{*this, "is-inference", llvm::cl::desc("the graph is not one of forward and backward"),
                           llvm::cl::init(true)};
  Option<bool> reorderForLocality{*this, "reorder-for-locality",
                                  llvm::cl::desc("move ops next to their last users (with is-inference)"),
                                  llvm::cl::init(true)};
  Option<bool> maxAutotune{*this, "max-autotune", llvm::cl::desc("fuse sums of products (Inductor's max_autotune)"),
                           llvm::cl::init(false)};
  Option<bool> optimizeScatter{*this, "optimize-scatter-upon-const-tensor",
                               llvm::cl::desc("write scatters of a number into a number as selects"),
                               llvm::cl::init(true)};
  Option<bool> onlineSoftmax{*this, "online-softmax",
                             llvm::cl::desc("maximum and sum of a softmax in one pass, on GPUs"), llvm::cl::init(true)};
  Option<bool> b2bGemm{*this, "b2b-gemm-pass", llvm::cl::desc("fuse chains of two products"), llvm::cl::init(false)};
  Option<bool> fuseIntMmWithMul{*this, "force-fuse-int-mm-with-mul",
                                llvm::cl::desc("fuse products of 8-bit integers with their scale"),
                                llvm::cl::init(false)};
  Option<bool> microPipelineTp{*this, "micro-pipeline-tp",
                               llvm::cl::desc("overlap collectives with the products beside them"),
                               llvm::cl::init(false)};
  Option<bool> fuseDdp{*this, "fuse-ddp-communication", llvm::cl::desc("bucket the all-reduces of data parallelism"),
                       llvm::cl::init(false)};
  Option<OptionText> bucketAllGathers{*this, "bucket-all-gathers-fx", llvm::cl::desc("none, all or fsdp"),
                                      llvm::cl::init("none")};
  Option<OptionText> bucketReduceScatters{*this, "bucket-reduce-scatters-fx", llvm::cl::desc("none, all or fsdp"),
                                          llvm::cl::init("none")};
  Option<OptionText> bucketAllReduces{*this, "bucket-all-reduces-fx", llvm::cl::desc("none or all"),
                                      llvm::cl::init("none")};
  Option<bool> overlapScheduling{*this, "overlap-scheduling",
                                 llvm::cl::desc("reorder collectives and computation so that they overlap"),
                                 llvm::cl::init(false)};
  Option<bool> collectiveBucketing{*this, "collective-bucketing",
                                   llvm::cl::desc("with overlap-scheduling: join collectives that then overlap"),
                                   llvm::cl::init(false)};
  Option<bool> concatLinear{*this, "enable-concat-linear",
                            llvm::cl::desc("join products with 4-bit weights that share an operand, on the CPU"),
                            llvm::cl::init(false)};
  Option<bool> groupedGemm{*this, "grouped-gemm", llvm::cl::desc("join products that share an operand, on the CPU"),
                           llvm::cl::init(false)};
  Option<bool> reinplace{*this, "reinplace", llvm::cl::desc("mark what may write to its operand"),
                         llvm::cl::init(true)};
  Option<int64_t> minFuseSetSize{*this, "min-fuse-set-size", llvm::cl::desc("smallest group that a batch fusion fuses"),
                                 llvm::cl::init(5)};
  Option<int64_t> maxFuseSetSize{*this, "max-fuse-set-size", llvm::cl::desc("largest group that a batch fusion fuses"),
                                 llvm::cl::init(300)};
  Option<int64_t> maxFuseSearchDepth{
      *this, "max-fuse-search-depth",
      llvm::cl::desc("Inductor's search depth; 0: unlimited, the whole graph in one sweep"), llvm::cl::init(0)};
};

/// The keys of post_grad_fusion_options.
ArrayRef<FusionKey> getPostGradKeys();

/// The passes as text; `error` says what is wrong with the options.
FailureOr<std::string> getJointGraphPipeline(const JointGraphOptions &options, std::string &error);
FailureOr<std::string> getFreezingPipeline(const FreezingOptions &options, std::string &error);
FailureOr<std::string> getPostGradPipeline(const PostGradOptions &options, std::string &error);

void registerJointGraphPipeline();
void registerFreezingPipeline();
void registerPostGradPipeline();

} // namespace fxgraph

#endif // FXGRAPH_PIPELINES_POSTGRAD_H
