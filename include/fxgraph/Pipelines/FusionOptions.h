// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inductor's option dictionaries (`pre_grad_fusion_options`), inline or from a
// YAML or JSON file, one to one: ordered keys, each with options of its own.
// What a key means is in a table that belongs to the pipeline.

#ifndef FXGRAPH_PIPELINES_FUSIONOPTIONS_H
#define FXGRAPH_PIPELINES_FUSIONOPTIONS_H

#include "fxgraph/Support/LLVM.h"
#include "fxgraph/Support/Report.h"
#include <map>
#include <optional>
#include <string>

namespace fxgraph {

/// Options that a key of a dictionary may carry, by group.
namespace FusionOption {
enum : unsigned {
  None = 0,
  Counter = 1 << 0,    ///< counter: how often the pass runs
  Threshold = 1 << 1,  ///< threshold_to_cat; ours: allow_steps
  FuseSet = 1 << 2,    ///< min_fuse_set_size, max_fuse_set_size, max_fuse_search_depth; ours: profitable_only, freezing
  SameParent = 1 << 3, ///< fuse_nodes_with_same_parent
  SameUsers = 1 << 4,  ///< fuse_nodes_with_same_users
  CatLinear = 1 << 5,  ///< the four bounds of cat_linear
  FirstUser = 1 << 6,  ///< ours: same_first_user
  Random = 1 << 7,     ///< ours: allow_rng_reorder
  Fbgemm = 1 << 8,     ///< require_fbgemm: runs behind the fusions without it
  Broadcast = 1 << 9,  ///< shape_broadcast_batch_linear
  GroupLinear = 1 << 10, ///< max_fuse_tensor_size_group_linear
  DecomposeMm = 1 << 11, ///< the five bounds of decompose_mm_pass
  PadFactor = 1 << 12,   ///< value of shape_padding_multiplier
  PadThreshold = 1 << 13, ///< k_threshold_to_pad of pad_aten_mm_pass
};
} // namespace FusionOption

/// One key that a dictionary may hold, and what runs for it.
struct FusionKey {
  StringRef key; ///< Inductor's name
  /// Our passes, separated by commas; options in braces go before the user's.
  StringRef passes;
  /// The groups of FusionOption that it takes; `devices` is for all.
  unsigned options = FusionOption::None;
  /// Runs only if the pipeline's `numerics` goes as far. Passes that decide op by op
  /// are Exact here and take the option (takesNumerics).
  NumericClass numerics = NumericClass::Exact;
  bool takesNumerics = false;
  bool isBatchFusion = false;
  bool byDefault = true; ///< part of the pipeline that runs without a dictionary
};

/// One entry of a dictionary: a key and its options, in order.
struct FusionEntry {
  const FusionKey *key = nullptr;
  /// Names in kebab-case, values checked.
  SmallVector<std::pair<std::string, std::string>> options;
  /// Device types of which some argument must be; empty: any.
  SmallVector<std::string> devices;
};
using FusionOptions = SmallVector<FusionEntry>;

/// The key that a user's spelling means: dashes and underscores are the same, a
/// `_pass` at the end may be missing. Null if there is none.
const FusionKey *findFusionKey(ArrayRef<FusionKey> table, StringRef name);

/// Adds an entry, checked against the table. Error: what was expected.
LogicalResult addFusionEntry(ArrayRef<FusionKey> table, StringRef name,
                             ArrayRef<std::pair<std::string, std::string>> options, FusionOptions &fusions,
                             std::string &error);

/// Parses `batch-linear{min-fuse-set-size=5 devices=cuda,xpu},split-cat`; `none` is
/// the empty dictionary.
FailureOr<FusionOptions> parseFusions(ArrayRef<FusionKey> table, StringRef text, std::string &error);

/// Inductor's settings in a file; absent ones are nullopt.
struct FusionConfig {
  std::optional<FusionOptions> fusions; ///< pre_grad_fusion_options
  /// Boolean switches by name, e.g. permute_fusion, freezing.
  std::map<std::string, bool> switches;
  /// Text settings by name, e.g. numerics, add_pre_grad_passes.
  std::map<std::string, std::string> texts;
  /// fx_passes_numeric_check
  std::optional<bool> numericCheck;
  std::optional<std::string> precision, iterations;
};

/// Reads a YAML or JSON file. `dictionary` is the key that holds the fusions;
/// `switches` and `texts` are the other keys that may stand at the top.
FailureOr<FusionConfig> readFusionConfig(ArrayRef<FusionKey> table, StringRef file, StringRef dictionary,
                                         ArrayRef<StringRef> switches, ArrayRef<StringRef> texts, std::string &error);

/// Error unless an option's number is in [least, 2^32 - 1].
LogicalResult checkNumber(StringRef option, int64_t value, int64_t least, std::string &error);
/// The same for the three numbers of all batch fusions.
LogicalResult checkFuseSet(int64_t least, int64_t most, int64_t depth, std::string &error);

/// The passes of an entry as text, each with its options; repeated `counter` times
/// and restricted to `devices` where it says so. `common` are options that all
/// fusions of its kind get unless the entry has them.
std::string getPassText(const FusionEntry &entry, StringRef numerics,
                        ArrayRef<std::pair<std::string, std::string>> common);

/// The passes with a report around them: its file is tried before the first, and
/// written after the last.
std::string withReport(StringRef passes, StringRef file);

} // namespace fxgraph

#endif // FXGRAPH_PIPELINES_FUSIONOPTIONS_H
