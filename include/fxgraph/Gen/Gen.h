// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs that nobody wrote: random valid ones from a seed, for fuzzing, and
// regular ones of any size, for measuring how passes scale.
//
// A random graph is made of structures that passes look for (towers of linears on
// the pieces of a split, nested cats, conv-bn, …), each of them changed by one
// step with some probability (another dim, a repeated or a missing piece, an
// extra user), and of ops between them. The same options give the same graph on
// every machine: all draws come from RandomSource, in a fixed order.

#ifndef FXGRAPH_GEN_GEN_H
#define FXGRAPH_GEN_GEN_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>

namespace fxgraph {

/// Which structures a random graph is mostly made of.
enum class GraphMix { All, SplitCat, Linear, Pointwise, Rare, Aten };

struct GenOptions {
  uint64_t seed = 0;
  /// About so many ops.
  unsigned numOps = 16;
  GraphMix mix = GraphMix::All;
  /// Element types that the graph's main one is drawn from, as MLIR spells them;
  /// empty: all, f32 most of all.
  std::vector<std::string> dtypes;
  /// Per mille of graphs with symbolic or unknown extents.
  unsigned dynamicShare = 150;
  /// Per mille of graphs that write to arguments.
  unsigned writeShare = 120;
  /// Per mille of graphs with an op that the dialect does not model.
  unsigned opaqueShare = 20;
  /// Whether ops without users may be left.
  bool deadOps = true;
};

/// One function @main.
mlir::OwningOpRef<mlir::ModuleOp> generateRandomGraph(MLIRContext *context, const GenOptions &options);

/// Names that generateShape knows.
ArrayRef<StringRef> getShapeNames();

/// A regular graph of about `numOps` ops; null for an unknown name.
///
///   chain          relu(tanh(relu(…)))
///   ladder         c = u + v; d = u * v, over and over: 2^n paths
///   towers         split -> linear_i -> layer_norm_i -> tanh_i -> cat
///   one-split      one split with numOps pieces, every other one in a cat, backwards
///   linears        numOps linears of one input, each with its own weight
///   nested-cats    cat(cat(cat(a, b), b), b) …
///   nested-splits, equal-cats, crossed-unbinds
///                  levels that passes can rewrite only one after the other
mlir::OwningOpRef<mlir::ModuleOp> generateShape(MLIRContext *context, StringRef name, int64_t numOps);

} // namespace fxgraph

#endif // FXGRAPH_GEN_GEN_H
