// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-jointgraph-fuse-seed-creation: the seeds of a device are drawn at once, in the order of
// the block. PyTorch: torch/_inductor/fx_passes/replace_random.py, fuse_seed_creation_pass. Linear in the ops.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Transforms/JointGraph/Passes.h"
#include "fxgraph/Transforms/Utils/OptionsPass.h"

namespace fxgraph {
#define GEN_PASS_DEF_JOINTGRAPHFUSESEEDCREATIONPASS
#include "fxgraph/Transforms/JointGraph/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"fuse-seed-creation", "", NumericClass::ChangesPrecision};

namespace {
struct JointGraphFuseSeedCreationPass
    : public SearchPass<fxgraph::impl::JointGraphFuseSeedCreationPassBase<JointGraphFuseSeedCreationPass>,
                        NumericClass::ChangesPrecision> {
  using SearchPass::SearchPass;

  void rewrite(RewriteSession &session) override {
    if (session.lacks<InductorSeedOp>())
      return;
    for (Block *block : session.collectBlocks()) {
      llvm::MapVector<StringAttr, SmallVector<InductorSeedOp>> devices;
      for (auto seed : block->getOps<InductorSeedOp>())
        devices[getDevice(cast<RankedTensorType>(seed.getResult().getType()))].push_back(seed);
      for (auto &[device, seeds] : devices)
        fuse(session, device, seeds);
    }
  }

private:
  static void fuse(RewriteSession &session, StringAttr device, MutableArrayRef<InductorSeedOp> seeds) {
    mlir::IRRewriter &rewriter = session.getRewriter();
    session.begin(kKind);
    SmallVector<Location> locations;
    for (InductorSeedOp seed : seeds)
      locations.push_back(seed.getLoc());
    rewriter.setInsertionPoint(seeds.front());
    auto type = makeTensorType({Dim(static_cast<int64_t>(seeds.size()))}, rewriter.getI64Type(), device);
    Value all = InductorSeedsOp::create(rewriter, rewriter.getFusedLoc(locations), type);
    for (auto [i, seed] : llvm::enumerate(seeds)) {
      rewriter.setInsertionPoint(seed);
      rewriter.replaceOpWithNewOp<InductorLookupSeedOp>(seed, seed.getResult().getType(), all,
                                                        rewriter.getI64IntegerAttr(i));
    }
    session.applied(all.getLoc(), Twine(seeds.size()) + " seeds");
  }
};
} // namespace
