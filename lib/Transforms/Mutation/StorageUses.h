// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values of a block share memory, if ops compute where they may, and who reads it
// when.
//
// Values that are views of each other have one *root*. What a value covers of its root
// is a box: a range for each dimension of the root, as far as slices, selects and splits
// tell; any other view covers what its source covers. Roots are joined where the memory
// is one though no view says so: results of unknown ops with their operands, results
// that are computed in place with what they overwrite. The box of a joined root is that
// of what it was joined to.
//
// PyTorch: can_inplace in torch/_inductor/fx_passes/reinplace.py, where an op's
// values are compared by their strides on fake tensors.

#ifndef FXGRAPH_LIB_TRANSFORMS_MUTATION_STORAGEUSES_H
#define FXGRAPH_LIB_TRANSFORMS_MUTATION_STORAGEUSES_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include <map>

namespace fxgraph {

class StorageUses {
public:
  explicit StorageUses(Block &block);

  /// To be called for each op of the block in order, before questions about it.
  void enter(Operation *op);

  /// Why the op must not compute the result, a changed copy of the operand, in the
  /// operand's memory; none if it may.
  /// `matters` says which other operands of the op must not share it (null: all).
  std::optional<std::string> findObstacle(OpOperand &operand, Value result,
                                          function_ref<bool(OpOperand &)> matters) const;

  /// The result lies in the operand's memory from here on.
  void noteOverwritten(OpOperand &operand, Value result);

private:
  /// One range [low, high) for each dimension of a root; none for all of it.
  using Box = std::optional<SmallVector<std::pair<int64_t, int64_t>, 4>>;
  struct Place {
    Value root;
    Box box;
    /// The root's dimension that each of the value's is (-1: none); absent where that is
    /// not known.
    std::optional<SmallVector<int64_t, 4>> dims;
    /// Elements may lie in one place.
    bool overlapsItself = false;

    bool isWholeRoot() const;
  };
  struct Storage {
    Value parent;
    /// The elements are the parent's, one for one; else all lie in `box` of it.
    bool same = false;
    Box box;
    /// Arguments, literals and values of other blocks, whose memory is not the block's own.
    SmallVector<Value, 1> foreign;
    /// What reads the memory: by position, the operands of one op in order.
    std::map<std::pair<int64_t, unsigned>, OpOperand *> uses;
  };

  void addForeign(Value value);
  void addPlaces(Operation *op);
  static void narrow(Place &place, Operation *view, OpResult result);
  /// The storage that a value lies in, and what it covers there.
  struct Found {
    Value root;
    Box box;
    /// Its elements are the root's, one for one.
    bool isWhole = false;
  };
  Found find(Value value) const;
  void join(Value root, Value into, bool same, Box box);
  static bool overlap(const Box &a, const Box &b);
  /// The scatter that puts `result`, a changed copy of `value`, where `value` is a view of
  /// its operand 0; null if there is none.
  static Operation *findEnclosingScatter(Value value, Value result);

  DenseMap<Operation *, int64_t> positions;
  DenseMap<Value, Place> places;
  DenseMap<Value, Storage> storages;
  /// Argument to the position of the copy_ that gives it its last value.
  DenseMap<Value, int64_t> copies;
  /// Arguments, and values that are computed in the memory of one.
  DenseMap<Value, Value> versions;
  /// Operands that lie where their op would put them.
  llvm::SmallPtrSet<OpOperand *, 8> inserted;
};

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_MUTATION_STORAGEUSES_H
