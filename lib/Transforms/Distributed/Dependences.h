// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must come before what in a block of collectives: uses of values, and effects.
// The passes of this family move ops; nothing else may be moved past each other.
//
// Effects. An unknown op (`opaque`) is a barrier: no op with an effect passes it, nor
// does a collective. Writes of one argument, and random draws, keep their order. So do
// the starts of a process group where `Starts::Ordered` asks for it. A pass that joins
// starts cannot keep the order of all of them; it is still one order on all processes,
// as they all run what the same pass made of the same graph.
//
// Linear in ops and operands.

#ifndef FXGRAPH_LIB_TRANSFORMS_DISTRIBUTED_DEPENDENCES_H
#define FXGRAPH_LIB_TRANSFORMS_DISTRIBUTED_DEPENDENCES_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"

namespace fxgraph {

/// The process group of an op that starts a collective, null for any other op.
StringAttr getGroupName(Operation *op);
inline bool isCollectiveStart(Operation *op) { return !!getGroupName(op); }

/// The wait of a start with one result, if that is its only user; else null.
WaitTensorOp getOnlyWait(Operation *start);

/// Bytes of a tensor with known extents; std::nullopt for others.
std::optional<int64_t> getStaticBytes(Type type);

enum class Starts { Ordered, Free };

class Dependences {
public:
  Dependences(Block &block, Starts starts);

  /// The ops of the block but the terminator, in order.
  ArrayRef<Operation *> getOps() const { return ops; }
  /// The op's number, for an op of the block or inside one.
  unsigned getNumber(Operation *op) const;
  /// Ops that must come after op `number`; each is named once or more.
  ArrayRef<unsigned> getSuccessors(unsigned number) const { return successors[number]; }
  ArrayRef<unsigned> getPredecessors(unsigned number) const { return predecessors[number]; }
  /// How many barriers are before an op: ops on both sides of one cannot be joined.
  unsigned getEpoch(unsigned number) const { return epochs[number]; }

private:
  void addEdge(unsigned from, unsigned to);
  void addUses();
  void addEffects(Starts starts);

  Block &block;
  SmallVector<Operation *> ops;
  DenseMap<Operation *, unsigned> numbers;
  SmallVector<SmallVector<unsigned, 2>> successors, predecessors;
  SmallVector<unsigned> epochs;
};

/// Puts the ops of the block into an order that keeps all dependences, each as near to
/// its place as they let it. True if something moved. The uses in the block may be in
/// any order, as long as they are no cycle.
bool sortBlock(Block &block);

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_DISTRIBUTED_DEPENDENCES_H
