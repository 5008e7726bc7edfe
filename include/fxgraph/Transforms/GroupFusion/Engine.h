// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine of the group fusions: many small ops of one kind become one op on
// stacked or joined operands. A pass is a rule (which ops, and what replaces a
// group of them); the engine finds independent sets, brings the block into an
// order in which each set has a legal place, rewrites, and reports.
//
// Complexity: O((n + e) log n) a pass for n ops and e operands (see
// Analysis/IndependentSets.h); a block without enough candidates costs one walk.
//
// PyTorch: torch/_inductor/fx_passes/group_batch_fusion.py.

#ifndef FXGRAPH_TRANSFORMS_GROUPFUSION_ENGINE_H
#define FXGRAPH_TRANSFORMS_GROUPFUSION_ENGINE_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/Utils/Numerics.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "mlir/Dialect/PDL/IR/PDL.h"             // IWYU pragma: keep (the passes' dialects)
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h" // IWYU pragma: keep

namespace fxgraph {

/// The options that all group fusions share, under Inductor's names.
struct GroupFusionOptions {
  unsigned minFuseSetSize = 5;
  unsigned maxFuseSetSize = 300;
  /// 0: independent sets of the whole block. d > 0: Inductor's search, which sees
  /// candidates that are at most d steps above a common user.
  unsigned maxFuseSearchDepth = 0;
  /// Fuse only sets for which the cost model expects a gain.
  bool profitableOnly = false;
  /// … where work on parameters alone costs nothing.
  bool freezing = false;
  /// The key of pointwise ops includes what makes the operand: see addParent.
  bool fuseNodesWithSameParent = false;
  /// The key of linears and layer norms includes who uses the result: see addUsers.
  bool fuseNodesWithSameUsers = false;
  /// The key of detach, clamp and the like includes the first user: see addFirstUser.
  bool sameFirstUser = true;
  /// Dropouts that draw may be batched: other random numbers than before.
  bool allowRngReorder = false;
};

/// What must agree for two ops to share a group: addresses of types, attributes,
/// values and ops, and plain numbers.
class GroupKey {
public:
  GroupKey &add(const void *part) {
    parts.push_back(reinterpret_cast<uintptr_t>(part));
    return *this;
  }
  GroupKey &add(Type type) { return add(type.getAsOpaquePointer()); }
  GroupKey &add(Attribute attribute) { return add(attribute.getAsOpaquePointer()); }
  /// Null for an absent operand.
  GroupKey &addTypeOf(Value value) { return add(value ? value.getType() : Type()); }
  GroupKey &add(Value value) { return add(value.getAsOpaquePointer()); }
  GroupKey &add(double number);
  GroupKey &add(ArrayRef<int64_t> numbers);

  bool operator==(const GroupKey &other) const { return parts == other.parts; }
  llvm::hash_code hash() const { return llvm::hash_combine_range(parts.begin(), parts.end()); }

private:
  SmallVector<uintptr_t, 8> parts;
};

/// Adds FX's target of the node that makes the value: the name of the op, for a piece
/// of an op with several results (FX: getitem) the same whatever the op, and an
/// argument is its own.
void addParent(GroupKey &key, Value operand);
/// Adds FX's targets of the users of the op's result: their names, each user once, in
/// the block's order. Of an op in a region that is the op that holds the region.
void addUsers(GroupKey &key, Operation *op);
/// Adds the name of the first user in the op's block; nothing without one.
void addFirstUser(GroupKey &key, Operation *op);

/// One kind of group fusion.
class GroupRule {
public:
  virtual ~GroupRule() = default;

  /// Name, counter and numeric class of fusing this candidate with others.
  virtual RewriteKind getKind(Operation *op) const = 0;

  /// Name of the op that candidates are; a graph without one is not walked.
  virtual StringRef getRoot() const = 0;

  /// The key of a candidate. Nullopt if the op is none: with `reason` empty if it is
  /// of another kind, else saying which guard refused it. All operands that the
  /// fusion stacks must be part of the key with their types: equal types are equal
  /// shape, dtype and device.
  virtual std::optional<GroupKey> match(Operation *op, std::string &reason) const = 0;

  /// True for a candidate that has effects, none of which needs an order among those of
  /// other such candidates. All other candidates must be free of effects.
  virtual bool isUnordered(Operation *op) const { return false; }

  /// Builds the fused op at the builder's insertion point; one value per member, in
  /// their order. The builder's location is the members' fused one.
  virtual SmallVector<Value> fuse(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Operation *> members) const = 0;
  /// The same for rules whose building may refuse a group: no values then, and why.
  virtual SmallVector<Value> fuse(RewriteSession &session, mlir::ImplicitLocOpBuilder &builder,
                                  ArrayRef<Operation *> members, std::string &reason) const {
    return fuse(builder, members);
  }

protected:
  /// For `match`: the guard that refused the candidate.
  static std::nullopt_t refuse(std::string &reason, const Twine &why) {
    reason = why.str();
    return std::nullopt;
  }
};

/// A pass of a group fusion; `GeneratedBase` has the options that all of them share.
template <typename GeneratedBase>
class GroupFusionPass : public GeneratedBase {
public:
  using GeneratedBase::GeneratedBase;

protected:
  GroupFusionOptions getOptions() const {
    return {this->minFuseSetSize, this->maxFuseSetSize, this->maxFuseSearchDepth, this->profitableOnly, this->freezing};
  }
};

/// Fuses what the rule accepts in all blocks of the session's function. Failure
/// (with a diagnostic) only for wrong options, and for a pattern that has gone wrong.
LogicalResult applyGroupFusion(RewriteSession &session, const GroupRule &rule, const GroupFusionOptions &options);

/// True if every extent of the type is a number or a symbol: only then does type
/// equality prove equal shapes.
bool hasProvableShape(Type type);

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_GROUPFUSION_ENGINE_H
