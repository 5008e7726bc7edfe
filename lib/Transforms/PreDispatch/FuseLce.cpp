// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-predispatch-fuse-lce.
//
// Pattern: lce(x, W_i, b_i) -> split(matmul(cat(W_i; 0), x) + cat(b_i; 0)[:, None]; n_i, 1)
//
// Members are `lce` ops and permute(linear(permute(x), W_i, b_i)), in one block, with one x and
// with or without bias. The product stands in the place of the first member; a member
// whose weight or bias is made after that is left alone. Linear in the members.
// Numeric class: changes precision with a bias, which is added to the rounded product;
// reassociates without.
//
// PyTorch: the name of an optional pre-dispatch pass (torch/_inductor/fx_passes/
// pre_grad.py, use_matmul_fuse_lce_replace_first_LCE) whose open version does nothing.

#include "LceUtils.h"
#include "fxgraph/Transforms/PreDispatch/Passes.h"
#include "fxgraph/Transforms/SplitCat/SplitCatUtils.h"
#include "fxgraph/Transforms/Utils/Numerics.h"

namespace fxgraph {
#define GEN_PASS_DEF_FUSELCEPASS
#include "fxgraph/Transforms/PreDispatch/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static constexpr StringRef kPattern = "fuse-lce", kCounter = "use_matmul_fuse_lce_replace_first_LCE";
static const RewriteKind kWithBias{kPattern, kCounter, NumericClass::ChangesPrecision};
static const RewriteKind kWithoutBias{kPattern, kCounter, NumericClass::Reassociates};

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {
struct Member {
  Operation *root;
  Value input, weight, bias;
};
} // namespace

/// The compression that ends at `root`.
static std::optional<Member> matchLce(Operation *root) {
  if (auto lce = dyn_cast<LceOp>(root))
    return Member{root, lce.getInput(), lce.getWeight(), lce.getBias()};
  if (!exchangesLastTwoDims(root))
    return std::nullopt;
  auto linear = root->getOperand(0).getDefiningOp<LinearOp>();
  Operation *inner = linear ? linear.getInput().getDefiningOp() : nullptr;
  if (!exchangesLastTwoDims(inner) || typeOf(linear.getInput()).getRank() != 3 ||
      typeOf(linear.getWeight()).getRank() != 2 || !linear.getResult().hasOneUse() ||
      linear->getBlock() != root->getBlock())
    return std::nullopt;
  if (Value bias = linear.getBias();
      bias &&
      (typeOf(bias).getRank() != 1 || !getDims(typeOf(bias))[0].provablyEquals(getDims(typeOf(linear.getWeight()))[0])))
    return std::nullopt;
  return Member{root, inner->getOperand(0), linear.getWeight(), linear.getBias()};
}

/// Whether `value` is there before `op`.
static bool isAvailable(Value value, Operation *op) {
  Operation *producer = value ? value.getDefiningOp() : nullptr;
  return !producer || producer->getBlock() != op->getBlock() || producer->isBeforeInBlock(op);
}

static void fuse(ArrayRef<Operation *> roots, RewriteSession &session, SmallVectorImpl<Operation *> &dead) {
  // Matched again: what an earlier group has replaced may be an operand here.
  SmallVector<Member> group;
  for (Operation *root : roots)
    if (std::optional<Member> member = matchLce(root);
        member && !root->use_empty() && (group.empty() || member->input == group.front().input))
      group.push_back(*member);
  if (group.size() < 2)
    return;
  const Member &first = group.front();
  const RewriteKind &kind = first.bias ? kWithBias : kWithoutBias;
  SmallVector<Member> members;
  for (const Member &member : group) {
    if (typeOf(member.weight).isDynamicDim(0))
      session.missed(member.root->getLoc(), kind, "the number of outputs is not known");
    else if (getDims(typeOf(member.weight))[1].provablyEquals(getDims(typeOf(first.weight))[1]) &&
             isAvailable(member.weight, first.root) && isAvailable(member.bias, first.root))
      members.push_back(member);
    else
      session.missed(member.root->getLoc(), kind, "a weight or bias is made after the first member");
  }
  if (members.size() < 2)
    return;
  mlir::IRRewriter &rewriter = session.getRewriter();
  session.begin(kind);
  // In front of the first member of all: its operands are there.
  rewriter.setInsertionPoint(first.root);
  SmallVector<Value> weights, biases;
  SmallVector<Type> types;
  SmallVector<int64_t> sizes;
  SmallVector<Location> locations;
  for (const Member &member : members) {
    weights.push_back(member.weight);
    biases.push_back(member.bias);
    types.push_back(member.root->getResult(0).getType());
    sizes.push_back(typeOf(member.weight).getDimSize(0));
    locations.push_back(member.root->getLoc());
    if (Operation *producer = member.root->getOperand(0).getDefiningOp(); producer && !isa<LceOp>(member.root))
      dead.push_back(producer);
  }
  Location loc = fuseLocations(rewriter, locations);
  Value value = MatmulOp::create(rewriter, loc, CatOp::create(rewriter, loc, weights, /*dim=*/0), first.input);
  if (first.bias) {
    Value column = UnsqueezeOp::create(rewriter, loc, CatOp::create(rewriter, loc, biases, /*dim=*/0), /*dim=*/1);
    value = AddOp::create(rewriter, loc, value, column, rewriter.getF64FloatAttr(1.0));
  }
  SplitWithSizesOp split = createSplit(rewriter, loc, types, value, sizes, /*dim=*/1);
  for (auto [member, piece] : llvm::zip_equal(members, split.getPieces()))
    rewriter.replaceOp(member.root, piece);
  session.applied(loc, Twine(members.size()) + " compressions");
}

namespace {
struct FuseLcePass : public fxgraph::impl::FuseLcePassBase<FuseLcePass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    return parseNumerics(mlir::UnknownLoc::get(context), numerics);
  }

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<LceOp, PermuteOp, TransposeOp>())
      return;
    using Key = std::tuple<Block *, Value, unsigned>;
    MapVector<Key, SmallVector<Operation *>> groups;
    for (Operation *op : session.collect<LceOp, PermuteOp, TransposeOp>())
      if (std::optional<Member> member = op->getNumResults() == 1 ? matchLce(op) : std::nullopt)
        groups[{op->getBlock(), member->input, member->bias ? 1u : 0u}].push_back(op);
    if (groups.empty())
      return;
    BoundaryGuard guard(session);
    guard.snapshot();
    SmallVector<Operation *> dead;
    for (auto &[key, roots] : groups) {
      const RewriteKind &kind = std::get<unsigned>(key) ? kWithBias : kWithoutBias;
      if (roots.size() < 2)
        continue;
      if (!allows(*parseNumerics(numerics), kind.numerics))
        session.missed(roots.front()->getLoc(), kind, "the numerics that are asked for forbid it");
      else
        fuse(roots, session, dead);
    }
    session.eraseDeadOps(dead);
    guard.restore();
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
