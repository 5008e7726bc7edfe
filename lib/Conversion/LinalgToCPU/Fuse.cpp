// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fxgraph-cpu-fuse: elementwise fusion with a cost rule. Linear in the
// ops, times the bound on a body.
//
// What is written into pieces of a tensor and read from pieces again (the gates of an LSTM, computed in place) is read where it is
// computed, so that it fuses too.

#include "CPULowering.h"
#include "fxgraph/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace fxgraph {
#define GEN_PASS_DEF_FXGRAPHCPUFUSEPASS
#include "fxgraph/Conversion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;
using namespace mlir;

/// No operand is read in all loops: elements are used several times.
static bool reusesElements(linalg::GenericOp op) {
  return op.getNumReductionLoops() > 0 && llvm::none_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
           AffineMap map = op.getMatchingIndexingMap(operand);
           return map.getNumResults() == op.getNumLoops() && map.isPermutation();
         });
}

/// Moving the body costs nothing: loads, casts, arithmetic on constants at most.
static bool isCheap(linalg::GenericOp op) {
  return llvm::all_of(op.getBody()->without_terminator(), [](Operation &nested) {
    return isa<arith::ExtFOp, arith::TruncFOp, arith::ExtUIOp, arith::ConstantOp>(nested);
  });
}

/// A copy, transposed or broadcast, that a product reads: the product's loops read what is copied as well as the copy.
static bool isCopyIntoProduct(linalg::GenericOp producer, OpOperand *operand, linalg::GenericOp consumer) {
  auto yield = cast<linalg::YieldOp>(producer.getBody()->getTerminator());
  auto copied = dyn_cast<BlockArgument>(yield.getOperand(0));
  if (!copied || copied.getArgNumber() != 0 || producer.getNumDpsInputs() != 1 || consumer.getNumDpsInputs() != 2)
    return false;
  auto isSum = [](Operation *op) { return isa_and_present<arith::AddFOp, arith::AddIOp>(op); };
  auto isProduct = [](Operation *op) { return isa_and_present<arith::MulFOp, arith::MulIOp>(op); };
  Operation *sum = consumer.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!isSum(sum) || llvm::none_of(sum->getOperands(), [&](Value value) { return isProduct(value.getDefiningOp()); }))
    return false;
  // Windows are read along rows of what is copied for them.
  AffineMap from = producer.getMatchingIndexingMap(producer.getDpsInputOperand(0));
  if (!from.isProjectedPermutation() || from.getNumResults() == 0 ||
      llvm::any_of(consumer.getIndexingMapsArray(), [](AffineMap map) { return !map.isProjectedPermutation(); }))
    return false;
  AffineMap to = producer.getMatchingIndexingMap(producer.getDpsInitOperand(0));
  if (!to.isIdentity())
    return false;
  // Memory is read along the rows, the columns or the depth of the product, not across its batch.
  AffineMap map = consumer.getMatchingIndexingMap(operand);
  unsigned innermost = map.getDimPosition(from.getDimPosition(from.getNumResults() - 1));
  OpOperand *other = consumer.getDpsInputOperand(operand->getOperandNumber() == 0 ? 1 : 0);
  return consumer.getIteratorTypesArray()[innermost] == utils::IteratorType::reduction ||
         !consumer.getMatchingIndexingMap(other).isFunctionOfDim(innermost);
}

static bool shouldFuse(OpOperand *operand, unsigned maxBody) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer || !producer->hasOneUse() || producer->getBlock() != consumer->getBlock())
    return false;
  if (producer->getNumResults() != 1)
    return false;
  if (reusesElements(consumer))
    return isCopyIntoProduct(producer, operand, consumer);
  // What accumulates would stay a result of the fused op, written though nothing reads it.
  if (producer.payloadUsesValueFromOperand(producer.getDpsInitOperand(0)))
    return false;
  size_t body = producer.getBody()->getOperations().size() + consumer.getBody()->getOperations().size();
  if (body > maxBody)
    return false;
  // More operands than registers for their addresses only spill.
  if (producer->getNumOperands() + consumer->getNumOperands() > 24)
    return false;
  AffineMap map = consumer.getMatchingIndexingMap(operand);
  return (map.getNumResults() == consumer.getNumLoops() && map.isPermutation()) || isCheap(producer);
}

/// Where a slice of what `insert` makes is found.
enum class Piece { Destination, Source, Both };

static Piece locate(tensor::ExtractSliceOp extract, tensor::InsertSliceOp insert) {
  // Unit steps and numbers, and no dimension dropped.
  auto isPlain = [](OffsetSizeAndStrideOpInterface op) {
    auto areKnown = [](ArrayRef<int64_t> values) { return llvm::none_of(values, ShapedType::isDynamic); };
    return areKnown(op.getStaticOffsets()) && areKnown(op.getStaticSizes()) &&
           llvm::all_of(op.getStaticStrides(), [](int64_t stride) { return stride == 1; });
  };
  if (!isPlain(extract) || !isPlain(insert))
    return Piece::Both;
  bool within = extract.getType().getRank() == extract.getSourceType().getRank() &&
                insert.getSourceType().getRank() == insert.getDestType().getRank();
  for (auto [start, size, first, count] : llvm::zip_equal(extract.getStaticOffsets(), extract.getStaticSizes(),
                                                          insert.getStaticOffsets(), insert.getStaticSizes())) {
    if (start + size <= first || first + count <= start)
      return Piece::Destination;
    within &= first <= start && start + size <= first + count;
  }
  return within ? Piece::Source : Piece::Both;
}

/// Slices of tensors that pieces were inserted in are taken from the pieces or from what was there before, where nothing else
/// reads the tensors: a reader of what was there before would keep an insertion from being done in place.
static void readThroughInsertions(Operation *root) {
  // Longer chains of insertions would be walked for each slice.
  constexpr unsigned kLongestChain = 64;
  SmallVector<tensor::InsertSliceOp> insertions;
  SmallVector<tensor::ExtractSliceOp> slices;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      insertions.push_back(insert);
    else if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op))
      slices.push_back(extract);
  });
  // Users first. The slices that are found in what an insertion writes into are slices of that.
  struct Reached {
    SmallVector<tensor::ExtractSliceOp> slices;
    unsigned chain = 1;
  };
  llvm::DenseMap<Operation *, Reached> unneeded;
  for (tensor::InsertSliceOp insert : llvm::reverse(insertions)) {
    Reached reached;
    bool needed = insert->use_empty();
    for (OpOperand &use : insert->getUses()) {
      if (auto extract = dyn_cast<tensor::ExtractSliceOp>(use.getOwner())) {
        reached.slices.push_back(extract);
        continue;
      }
      auto next = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
      auto found = next ? unneeded.find(next) : unneeded.end();
      if (found == unneeded.end() || next.getSource() == insert.getResult()) {
        needed = true;
        break;
      }
      reached.chain = std::max(reached.chain, found->second.chain + 1);
      for (tensor::ExtractSliceOp extract : found->second.slices)
        if (locate(extract, next) == Piece::Destination)
          reached.slices.push_back(extract);
    }
    if (!needed && reached.chain <= kLongestChain &&
        llvm::all_of(reached.slices, [&](auto extract) { return locate(extract, insert) != Piece::Both; }))
      unneeded[insert] = std::move(reached);
  }
  if (unneeded.empty())
    return;
  IRRewriter rewriter(root->getContext());
  for (tensor::ExtractSliceOp extract : slices) {
    Value source = extract.getSource();
    SmallVector<int64_t> offsets(extract.getStaticOffsets());
    bool inPiece = false;
    while (auto insert = source.getDefiningOp<tensor::InsertSliceOp>()) {
      if (inPiece || !unneeded.contains(insert))
        break;
      inPiece = locate(extract, insert) == Piece::Source;
      source = inPiece ? insert.getSource() : insert.getDest();
      if (inPiece)
        for (auto [offset, start] : llvm::zip_equal(offsets, insert.getStaticOffsets()))
          offset -= start;
    }
    if (source == extract.getSource())
      continue;
    rewriter.modifyOpInPlace(extract, [&] {
      extract.getSourceMutable().assign(source);
      extract.setStaticOffsets(offsets);
    });
    if (source.getType() == extract.getType()) // All of it.
      rewriter.replaceOp(extract, source);
  }
  for (tensor::InsertSliceOp insert : llvm::reverse(insertions))
    if (unneeded.contains(insert))
      rewriter.eraseOp(insert);
}

namespace {
struct FxGraphCPUFusePass : public fxgraph::impl::FxGraphCPUFusePassBase<FxGraphCPUFusePass> {
  using Base::Base;
  void runOnOperation() override {
    readThroughInsertions(getOperation());
    RewritePatternSet patterns(&getContext());
    unsigned limit = maxBody;
    linalg::populateElementwiseOpsFusionPatterns(patterns,
                                                 [limit](OpOperand *operand) { return shouldFuse(operand, limit); });
    linalg::GenericOp::getCanonicalizationPatterns(patterns, &getContext());
    // Consumers first would clone growing bodies again and again; producers first
    // (top down) still clones each body once per fusion, which maxBody bounds.
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal();
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled); // One block each.
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
