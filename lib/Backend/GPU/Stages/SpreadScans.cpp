// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running sums of few long columns, whose boxes are blocks of their own: the memory in
// which these pass on what they have added up, and a nest that clears it before them.

#include "Kernel/ChooseScans.h"
#include "Kernel/HostFunction.h"
#include "Kernel/NestIR.h"
#include "Stages/Stages.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace memref = mlir::memref;

/// Zeros in front of the step.
static void clear(Operation *step, Location loc, Value memory) {
  OpBuilder builder(step);
  auto type = cast<mlir::MemRefType>(memory.getType());
  auto nest = LoopNestOp::create(builder, loc, builder.getStrArrayAttr({"clear"}), type.getShape(),
                                 /*reduced=*/ArrayRef<int64_t>(), memory, /*instances=*/1, /*empty_reduction=*/false,
                                 /*prefers_columns=*/false, mlir::DictionaryAttr());
  Block *body = builder.createBlock(&nest.getBody(), {}, {builder.getIndexType(), type}, {loc, loc});
  Value zero = mlir::arith::ConstantIntOp::create(builder, loc, builder.getI64Type(), 0);
  NestStoreOp::create(builder, loc, zero, body->getArgument(1), ValueRange(body->getArgument(0)),
                      builder.getMultiDimIdentityMap(1));
}

LogicalResult fxgraph::gpu::spreadScans(mlir::func::FuncOp host, const GPUOptions &options) {
  SmallVector<LoopNestOp> nests;
  host.walk([&](LoopNestOp nest) {
    bool isConfigured = nest.getLoweringConfig() && nest.getLoweringConfig()->contains("kind");
    if (nest.getInstances() == 1 && !nest->hasAttr(kCarriesAttr) && !isConfigured &&
        !nest.getBody().getOps<NestScanOp>().empty())
      nests.push_back(nest);
  });
  // Those of a launch are cleared at once.
  struct Spread {
    LoopNestOp nest;
    int64_t words;
  };
  llvm::MapVector<Operation *, SmallVector<Spread>> steps;
  for (LoopNestOp nest : nests) {
    FailureOr<KernelIR> ir = readNest(nest);
    if (failed(ir))
      return failure();
    KernelUses uses(*ir);
    if (!shouldSpreadScans(*ir, uses, options.processors))
      continue;
    int64_t words = 0;
    KernelSchedule schedule = *chooseScans(*ir, uses, options.processors, /*spread=*/true);
    for (const auto &[i, prim] : llvm::enumerate(ir->prims))
      words += prim.kind == Prim::Kind::Scan && uses.live.test(i) ? schedule.getCarryWords(*ir) : 0;
    Operation *step = nest;
    if (auto launch = dyn_cast<LaunchOp>(step->getParentOp()))
      step = launch;
    steps[step].push_back({nest, words});
  }
  for (auto &[step, spreads] : steps) {
    int64_t words = 0;
    for (const Spread &spread : spreads)
      words += spread.words;
    OpBuilder builder(&host.getBody().front(), host.getBody().front().begin());
    Type i64 = builder.getI64Type();
    Value all = memref::AllocOp::create(builder, step->getLoc(), mlir::MemRefType::get({words}, i64));
    clear(step, step->getLoc(), all);
    int64_t begin = 0;
    for (auto [nest, own] : spreads) {
      auto type = mlir::MemRefType::get({own}, i64);
      Value carries = all;
      if (own != words)
        carries = BufferOp::create(builder, nest.getLoc(), type, all, begin * static_cast<int64_t>(sizeof(int64_t)));
      begin += own;
      nest.getMemoryMutable().append(carries);
      nest.getBody().addArgument(type, nest.getLoc());
      nest->setAttr(kCarriesAttr, builder.getUnitAttr());
    }
  }
  return success();
}
