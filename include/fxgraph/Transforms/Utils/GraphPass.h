// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base class of the passes over one graph. A pipeline is dozens of passes, most of
// which find nothing in a given graph; walking a million ops to see that costs more
// than the passes that do something. So the names of the ops that occur, and which op has
// which, are an analysis, computed once and kept as long as passes change nothing.

#ifndef FXGRAPH_TRANSFORMS_UTILS_GRAPHPASS_H
#define FXGRAPH_TRANSFORMS_UTILS_GRAPHPASS_H

#include "fxgraph/Support/LLVM.h"
#include "fxgraph/Support/OptionText.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace fxgraph {

/// The names of the ops inside an op, each once, and whether one of them has regions. If none has, also a list of
/// the ops: what it takes to read a million ops from memory is many times what it takes to read such a list.
class OpNames {
public:
  explicit OpNames(Operation *op);

  /// True if an op of one of these classes, or with one of these interfaces, occurs.
  template <typename... Kinds>
  bool containsAny() const {
    return llvm::any_of(names, [](mlir::OperationName name) { return (is<Kinds>(name) || ...); });
  }
  bool containsAny(ArrayRef<StringRef> kinds) const {
    return containsAny([&](mlir::OperationName name) { return llvm::is_contained(kinds, name.getStringRef()); });
  }
  bool containsAny(function_ref<bool(mlir::OperationName)> isKind) const { return llvm::any_of(names, isKind); }
  /// True if all ops are in the blocks of the op's own regions.
  bool isFlat() const { return flat; }
  /// Of a flat op: the ops inside it, in order, and of them those whose name is of a kind.
  ArrayRef<Operation *> getOps() const { return ops; }
  SmallVector<Operation *> collect(function_ref<bool(mlir::OperationName)> isKind) const;
  /// Some ops have been erased, and none made: the names stay, and are those of more ops than there are; the list is
  /// made anew when it is asked for.
  void forgetList() { isListed = false; }
  bool hasList() const { return isListed; }
  void listAgain(Operation *op);
  template <typename... Kinds>
  SmallVector<Operation *> collect() const {
    return collect([](mlir::OperationName name) { return (is<Kinds>(name) || ...); });
  }

private:
  template <typename Kind>
  static bool is(mlir::OperationName name) {
    if constexpr (std::is_base_of_v<mlir::OpState, Kind> && !isInterface<Kind>(0))
      return name.getTypeID() == mlir::TypeID::get<Kind>();
    else
      return name.hasInterface<Kind>();
  }
  /// Interfaces have a concept, op classes do not.
  template <typename Kind>
  static constexpr bool isInterface(typename Kind::Concept *) {
    return true;
  }
  template <typename Kind>
  static constexpr bool isInterface(...) {
    return false;
  }

  SmallVector<mlir::OperationName, 16> names;
  /// Of each name, how many ops have it.
  SmallVector<size_t, 16> counts;
  SmallVector<Operation *, 0> ops;
  /// Of each op, the place of its name.
  SmallVector<uint32_t, 0> nameOf;
  bool flat = true;
  bool isListed = true;
};

class GraphPass : public mlir::OperationPass<mlir::func::FuncOp> {
public:
  using OperationPass::OperationPass;

  /// The graph; for helpers that a pass hands itself to.
  mlir::func::FuncOp getGraph() { return getOperation(); }
  /// What the passes before computed stays valid: this pass changed nothing.
  void preserveAnalyses() { markAllAnalysesPreserved(); }
  /// The names of the graph's ops as it was when the pass began.
  OpNames &getOpNames() { return getAnalysis<OpNames>(); }
};

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_UTILS_GRAPHPASS_H
