// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order and options of the post-grad passes (torch/_inductor/fx_passes/post_grad.py,
// post_grad_passes; passes.md, section 2.3).

#include "AtenPipeline.h"

using namespace fxgraph;

static constexpr NumericClass kReassociates = NumericClass::Reassociates;
static constexpr NumericClass kExact = NumericClass::Exact;

static constexpr unsigned kLinear = FusionOption::FuseSet | FusionOption::SameUsers | FusionOption::Broadcast;
static constexpr unsigned kPointwise = FusionOption::FuseSet | FusionOption::SameParent;

// Columns: key, passes, options, numerics, takesNumerics, isBatchFusion, byDefault.
static const FusionKey kKeys[] = {
    {"batch_linear_post_grad", "fxgraph-group-batch-linear-post-grad", kLinear, kReassociates, true, true, false},
    {"group_linear", "fxgraph-group-group-linear",
     FusionOption::FuseSet | FusionOption::GroupLinear | FusionOption::Fbgemm, kExact, false, true, false},
    {"batch_aten_tanh", "fxgraph-group-batch-aten-tanh", kPointwise, kExact, false, true, false},
    {"batch_aten_sigmoid", "fxgraph-group-batch-aten-sigmoid", kPointwise, kExact, false, true, false},
    {"batch_aten_relu", "fxgraph-group-batch-aten-relu", kPointwise, kExact, false, true, false},
    {"batch_aten_add", "fxgraph-group-batch-aten-add", kPointwise, kExact, false, true, false},
    {"batch_aten_sub", "fxgraph-group-batch-aten-sub", kPointwise, kExact, false, true, false},
    {"batch_aten_mul", "fxgraph-group-batch-aten-mul", kPointwise, kExact, false, true, false},
    {"batch_aten_div", "fxgraph-group-batch-aten-div", kPointwise, kExact, false, true, false},
    {"normalization_aten_pass", "fxgraph-normalize{counter=normalization_aten_pass}"},
    {"decompose_mm_pass", "fxgraph-matmul-decompose-mm", FusionOption::DecomposeMm, kReassociates, true, false, false},
    {"unbind_stack_aten_pass", "fxgraph-splitcat-unbind-stack-aten"},
    // Settings of pad_mm: options of fxgraph-joint-graph here.
    {"shape_padding_multiplier", "", FusionOption::PadFactor, kExact, false, false, false},
    {"pad_aten_mm_pass", "", FusionOption::PadThreshold, kExact, false, false, false},
    {"split_cat_aten_pass", "fxgraph-splitcat-split-cat-aten", FusionOption::Threshold},
    {"select_cat_aten_pass", "fxgraph-splitcat-select-cat-aten"},
    {"move_view_after_cat_aten_pass", "fxgraph-splitcat-move-view-after-cat-aten"},
    // Names that Inductor keeps in the dictionary for other places.
    {"activation_quantization_aten_pass", "", FusionOption::None, kExact, false, false, false},
    {"inductor_autotune_lookup_table", "", FusionOption::None, kExact, false, false, false},
};

ArrayRef<FusionKey> fxgraph::getPostGradKeys() { return kKeys; }

namespace {
/// The options with those of the config file put in: the file wins.
struct Settings {
  AtenSettings aten;
  FusionOptions fusions;
  bool isDefault = true; ///< no dictionary was given
  std::map<std::string, bool> switches;
  std::map<std::string, std::string> texts;

  bool get(StringRef name, bool otherwise) const {
    auto it = switches.find(name.str());
    return it == switches.end() ? otherwise : it->second;
  }
  std::string get(StringRef name, StringRef otherwise) const {
    auto it = texts.find(name.str());
    return it == texts.end() ? otherwise.str() : it->second;
  }
};
} // namespace

static constexpr StringRef kSwitches[] = {"pattern_matcher",
                                          "reorder_for_locality",
                                          "b2b_gemm_pass",
                                          "_micro_pipeline_tp",
                                          "_fuse_ddp_communication",
                                          "max_autotune",
                                          "optimize_scatter_upon_const_tensor",
                                          "online_softmax",
                                          "force_fuse_int_mm_with_mul"};
static constexpr StringRef kTexts[] = {"numerics", "mode", "bucket_all_gathers_fx", "bucket_reduce_scatters_fx",
                                       "bucket_all_reduces_fx"};

static FailureOr<Settings> readSettings(const PostGradOptions &options, std::string &error) {
  Settings settings;
  if (!options.config.empty()) {
    FailureOr<FusionConfig> read =
        readFusionConfig(kKeys, options.config, "post_grad_fusion_options", kSwitches, kTexts, error);
    if (failed(read))
      return failure();
    settings.switches = std::move(read->switches);
    settings.texts = std::move(read->texts);
    settings.isDefault = !read->fusions;
    if (read->fusions)
      settings.fusions = *read->fusions;
  }
  FailureOr<AtenSettings> aten =
      readAtenSettings(settings.get("mode", options.mode), settings.get("numerics", options.numerics),
                       options.defaultDevice, options.customPrePass, options.customPostPass, options.maxRounds, error);
  if (failed(aten) ||
      failed(checkFuseSet(options.minFuseSetSize, options.maxFuseSetSize, options.maxFuseSearchDepth, error)))
    return failure();
  settings.aten = *aten;
  if (!options.fusions.empty()) {
    FailureOr<FusionOptions> parsed = parseFusions(kKeys, options.fusions, error);
    if (failed(parsed))
      return failure();
    settings.fusions = *parsed;
    settings.isDefault = false;
  }
  // Inductor's dictionary is empty by default; what costs nothing runs with mode=best.
  if (settings.isDefault && settings.aten.best)
    for (const FusionKey &key : kKeys)
      if (key.byDefault)
        settings.fusions.push_back({&key, {}, {}});
  for (auto [name, value, kinds] :
       {std::tuple<StringRef, std::string, StringRef>("bucket-all-gathers-fx",
                                                      settings.get("bucket_all_gathers_fx", options.bucketAllGathers),
                                                      "none, all or fsdp"),
        {"bucket-reduce-scatters-fx", settings.get("bucket_reduce_scatters_fx", options.bucketReduceScatters),
         "none, all or fsdp"},
        {"bucket-all-reduces-fx", settings.get("bucket_all_reduces_fx", options.bucketAllReduces), "none or all"}})
    if (value != "none" && value != "all" && (value != "fsdp" || !kinds.contains("fsdp"))) {
      error = ("expected " + name + " to be " + kinds + " but got '" + value + "'").str();
      return failure();
    }
  return settings;
}

/// What our own passes see behind autodiff: they never add ops.
static constexpr StringRef kClean =
    "fxgraph-normalize,fxgraph-noop-remove,fxgraph-noop-cse,fxgraph-predispatch-remove-reshape,"
    "fxgraph-predispatch-merge-concats,fxgraph-splitcat-remove-split-with-size-one,"
    "fxgraph-splitcat-merge-getitem-cat,fxgraph-splitcat-merge-splits,fxgraph-splitcat-mutate-cat,"
    "fxgraph-splitcat-cancel,fxgraph-splitcat-select-cat-aten,fxgraph-splitcat-unbind-stack-aten";

/// The passes of the dictionary's entries that are (or are not) batch fusions, in order.
/// With mode=best each is kept only where it gains and the graph has no more ops than before.
static void addFusions(PassList &passes, const Settings &settings, const PostGradOptions &options, bool batch) {
  SmallVector<std::pair<std::string, std::string>> common = {
      {"min-fuse-set-size", std::to_string(options.minFuseSetSize)},
      {"max-fuse-set-size", std::to_string(options.maxFuseSetSize)},
      {"max-fuse-search-depth", std::to_string(options.maxFuseSearchDepth)}};
  if (settings.aten.best)
    common.push_back({"profitable-only", "true"});
  auto needsFbgemm = [](const FusionEntry &entry) {
    return llvm::is_contained(entry.options, std::pair<std::string, std::string>("require-fbgemm", "true"));
  };
  // Those that need fbgemm behind the others. (The library itself is not asked for: what
  // it computes is an op of the dialect.)
  for (bool fbgemm : {false, true})
    for (const FusionEntry &entry : settings.fusions) {
      if (entry.key->isBatchFusion != batch || needsFbgemm(entry) != fbgemm || entry.key->passes.empty())
        continue;
      FusionEntry own = entry;
      llvm::erase_if(own.options, [](const auto &option) { return option.first == "require-fbgemm"; });
      std::string text = getPassText(own, settings.aten.numerics, common);
      passes.add(settings.aten.best ? inRounds(1, text + "," + kClean.str()) : text, entry.key->numerics);
    }
}

static std::string listPasses(const Settings &settings, const PostGradOptions &options) {
  PassList passes(settings.aten);
  // One op may become several: with mode=best only where others go with it.
  auto addIfSmaller = [&](const std::string &pass) {
    passes.add(settings.aten.best ? inRounds(1, pass + "," + kClean.str()) : pass);
  };
  passes.add("fxgraph-postgrad-view-to-reshape"); // what the compile driver does before
  if (options.isInference && settings.get("reorder_for_locality", options.reorderForLocality))
    passes.add("fxgraph-postgrad-reorder-for-locality");
  passes.add(options.customPrePass);
  if (options.groupedGemm)
    passes.add("fxgraph-onednn-grouped-gemm", "numerics=$n");
  if (options.concatLinear)
    passes.add("fxgraph-onednn-concat-linear-int4", "default-device=$d");
  if (settings.get("pattern_matcher", options.patternMatcher)) {
    addFusions(passes, settings, options, /*batch=*/true);
    passes.add("fxgraph-noop-remove");
    passes.add("fxgraph-postgrad-remove-asserts");
    // pass_patterns[1]
    if (settings.aten.best || settings.get("max_autotune", options.maxAutotune))
      passes.add("fxgraph-matmul-mm-plus-mm", "numerics=$n");
    passes.add("fxgraph-splitcat-cat-slice-cat");
    if (settings.get("optimize_scatter_upon_const_tensor", options.optimizeScatter))
      addIfSmaller("fxgraph-postgrad-scatter-upon-const-tensor");
    if (settings.get("force_fuse_int_mm_with_mul", options.fuseIntMmWithMul))
      passes.add("fxgraph-matmul-int-mm-mul", "default-device=$d");
    if (settings.get("online_softmax", options.onlineSoftmax))
      passes.add("fxgraph-postgrad-prepare-softmax", "default-device=$d numerics=$n");
    passes.add("fxgraph-postgrad-pointless-cumsum", "numerics=$n");
    addIfSmaller("fxgraph-postgrad-randperm-index");
    passes.add("fxgraph-postgrad-e8m0-rceil", "default-device=$d numerics=$n");
    passes.add("fxgraph-matmul-activation-addmm", "default-device=$d");
    // pass_patterns[2]
    passes.add("fxgraph-splitcat-cancel");
    passes.add("fxgraph-matmul-unfuse-bias-add", "default-device=$d numerics=$n");
    passes.add("fxgraph-matmul-addmm", "default-device=$d numerics=$n");
    passes.add("fxgraph-postgrad-reuse-partial");
    addFusions(passes, settings, options, /*batch=*/false);
    if (settings.get("b2b_gemm_pass", options.b2bGemm))
      passes.add("fxgraph-matmul-b2b-gemm", "default-device=$d");
  }
  if (settings.get("_micro_pipeline_tp", options.microPipelineTp))
    passes.add("fxgraph-distributed-micro-pipeline-tp");
  if (settings.get("_fuse_ddp_communication", options.fuseDdp))
    passes.add("fxgraph-distributed-fuse-ddp");
  passes.add(options.customPostPass);
  passes.add("fxgraph-postgrad-move-constructors", "default-device=$d");
  auto addBucketing = [&](StringRef pass, StringRef option, StringRef given) {
    std::string value = settings.get(option, given);
    if (value != "none")
      passes.add(pass, value == "fsdp" ? "mode=fsdp" : "");
  };
  addBucketing("fxgraph-distributed-bucket-all-reduce", "bucket_all_reduces_fx", options.bucketAllReduces);
  addBucketing("fxgraph-distributed-bucket-reduce-scatter", "bucket_reduce_scatters_fx", options.bucketReduceScatters);
  addBucketing("fxgraph-distributed-bucket-all-gather", "bucket_all_gathers_fx", options.bucketAllGathers);
  if (options.overlapScheduling)
    passes.add("fxgraph-distributed-overlap-scheduling",
               options.collectiveBucketing ? "collective-bucketing=true" : "");
  // These bring writes, or what stands for them, and stay last.
  if (options.reinplace)
    passes.add("fxgraph-mutation-reinplace");
  passes.add("fxgraph-mutation-decompose-triton-kernel-wrapper");
  passes.add("fxgraph-mutation-decompose-auto-functionalized");
  passes.add("fxgraph-mutation-decompose-scan-to-while-loop");
  passes.add("fxgraph-mutation-decompose-map-to-while-loop");
  return passes.str();
}

FailureOr<std::string> fxgraph::getPostGradPipeline(const PostGradOptions &options, std::string &error) {
  FailureOr<Settings> settings = readSettings(options, error);
  if (failed(settings))
    return failure();
  std::string passes = listPasses(*settings, options);
  if (!settings->aten.best)
    return passes;
  // In front of Inductor's list.
  return inRounds(options.maxRounds, kClean) + "," + passes;
}

void fxgraph::registerPostGradPipeline() {
  registerTextPipeline<PostGradOptions>(
      "fxgraph-post-grad", "PyTorch Inductor's post-grad passes: batch fusions, no-ops, products, reductions, writes",
      getPostGradPipeline);
}
