// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fxgraph-cpu-plan-memory. The ops of an entry are one block, so a life is
// an interval: from the allocation to the last op that uses it or a view of it.
// planWorkspace gives out the memory.
//
// A buffer of a block of control flow lives while the op of the entry's block runs that
// holds the block; one of extents that vary is given back in its own block.

#include "CPULowering.h"
#include "fxgraph/Analysis/Workspace.h"
#include "fxgraph/Conversion/Passes.h"

namespace fxgraph {
#define GEN_PASS_DEF_FXGRAPHCPUPLANMEMORYPASS
#include "fxgraph/Conversion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;
using namespace fxgraph::cpu;
using namespace mlir;

static constexpr int64_t kAlignment = 64;

namespace {

struct FxGraphCPUPlanMemoryPass : public fxgraph::impl::FxGraphCPUPlanMemoryPassBase<FxGraphCPUPlanMemoryPass> {
  void runOnOperation() override {
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (isEntry(function) && failed(plan(function)))
        return signalPassFailure();
  }

  LogicalResult plan(func::FuncOp function) {
    Block &block = function.getBody().front();
    llvm::DenseMap<Operation *, int64_t> order; // of the blocks of the graph, each by itself
    SmallVector<memref::AllocOp> allocations;
    SmallVector<Operation *> deallocations;
    SmallVector<Block *> blocks{&block};
    while (!blocks.empty()) {
      int64_t position = 0;
      for (Operation &op : *blocks.pop_back_val()) {
        order[&op] = position++;
        if (isControlFlow(&op))
          for (Region &region : op.getRegions())
            llvm::append_range(blocks, llvm::make_pointer_range(region));
      }
    }
    auto other = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto allocation = dyn_cast<memref::AllocOp>(op))
        allocations.push_back(allocation);
      if (isa<memref::DeallocOp>(op))
        deallocations.push_back(op);
      if (!isa<memref::AllocOp>(op) || order.contains(op))
        return WalkResult::advance();
      op->emitError("expected all allocations in the blocks of the graph");
      return WalkResult::interrupt();
    });
    if (other.wasInterrupted())
      return failure();
    // Lives are this pass's matter.
    for (Operation *op : deallocations)
      op->erase();

    SmallVector<BufferLife> lives;
    for (memref::AllocOp allocation : allocations) {
      auto type = allocation.getType();
      if (!type.getLayout().isIdentity())
        return allocation.emitError("expected a row-major buffer");
      if (!type.hasStaticShape())
        continue;
      BufferLife &life = lives.emplace_back();
      life.first = order[allocation];
      life.last = lastUse(allocation, order).first;
      if (allocation->getBlock() != &block)
        life.first = life.last = order[block.findAncestorOpInBlock(*allocation)];
      life.bytes = type.getNumElements() * std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
    }
    WorkspacePlan workspace = planWorkspace(lives, kAlignment);
    const int64_t *offset = workspace.offsets.begin();
    OpBuilder b(&getContext());
    auto ptr = LLVM::LLVMPointerType::get(&getContext());
    for (memref::AllocOp allocation : allocations) {
      Location loc = allocation.getLoc();
      auto type = allocation.getType();
      b.setInsertionPoint(allocation);
      Value address;
      if (type.hasStaticShape()) {
        address = LLVM::GEPOp::create(
            b, loc, ptr, b.getI8Type(), function.getArgument(kWorkspace),
            ArrayRef<LLVM::GEPArg>{
                LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(*offset++)).getResult()});
      } else {
        Type i64 = b.getI64Type();
        int64_t known = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
        Value size;
        for (int64_t i = 0; i < type.getRank(); ++i)
          if (!type.isDynamicDim(i))
            known *= type.getDimSize(i);
        size = LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(known));
        // A product that 64 bits do not hold would ask for a piece of the memory. Nothing
        // of it is used where an extent is 0.
        Value zero = LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(0));
        Value beyond = zero, isEmpty;
        for (Value extent : allocation.getDynamicSizes()) {
          Value factor = arith::IndexCastOp::create(b, loc, i64, extent);
          auto product = arith::MulUIExtendedOp::create(b, loc, size, factor);
          size = product.getLow();
          beyond = arith::OrIOp::create(b, loc, beyond, product.getHigh());
          Value isZero = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, factor, zero);
          isEmpty = isEmpty ? Value(arith::OrIOp::create(b, loc, isEmpty, isZero)) : isZero;
        }
        Value fits =
            arith::AndIOp::create(b, loc, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, beyond, zero),
                                  arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, size, zero));
        cf::AssertOp::create(b, loc, arith::OrIOp::create(b, loc, fits, isEmpty),
                             b.getStringAttr("out of memory: expected a buffer whose bytes fit in int64"));
        Value context = function.getArgument(kContext);
        address = callRuntime(b, loc, "fxcpu_alloc", ptr, {context, size});
        Value given = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, address, LLVM::ZeroOp::create(b, loc, ptr));
        cf::AssertOp::create(b, loc, given, b.getStringAttr("out of memory"));
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointAfter(lastUse(allocation, order).second);
        callRuntime(b, loc, "fxcpu_dealloc", Type(), {context, address});
      }
      replacePointer(allocation, address);
      if (!allocation->use_empty())
        allocation.getResult().replaceAllUsesWith(buildMemRef(b, loc, address, type, allocation.getDynamicSizes()));
      allocation.erase();
    }
    eraseUnused(block);
    function->setAttr(kWorkspaceAttr, b.getI64IntegerAttr(workspace.bytes));
    return success();
  }

  /// The allocation's pointer, taken as a number, is the address.
  static void replacePointer(memref::AllocOp allocation, Value address) {
    for (Operation *user : llvm::make_early_inc_range(allocation->getUsers())) {
      auto number = dyn_cast<memref::ExtractAlignedPointerAsIndexOp>(user);
      if (!number)
        continue;
      for (Operation *cast : llvm::make_early_inc_range(number->getUsers())) {
        if (!isa<arith::IndexCastOp>(cast))
          continue;
        for (Operation *pointer : llvm::make_early_inc_range(cast->getUsers()))
          if (isa<LLVM::IntToPtrOp>(pointer)) {
            pointer->getResult(0).replaceAllUsesWith(address);
            pointer->erase();
          }
        if (cast->use_empty())
          cast->erase();
      }
      if (number->use_empty())
        number.erase();
    }
  }

  /// Position and op of the last use of a buffer through its views. An address taken
  /// from it lives as long as the address is used.
  static std::pair<int64_t, Operation *> lastUse(memref::AllocOp allocation,
                                                 llvm::DenseMap<Operation *, int64_t> &order) {
    int64_t last = order.lookup(allocation);
    Operation *lastOp = allocation;
    SmallVector<Value> pending{allocation.getResult()};
    llvm::DenseSet<Value> seen;
    Block *block = allocation->getBlock();
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      for (Operation *user : value.getUsers()) {
        Operation *top = block->findAncestorOpInBlock(*user);
        auto it = order.find(top);
        if (it != order.end() && it->second > last) {
          last = it->second;
          lastOp = top;
        }
        // Views, and integers and pointers made of the address.
        if (isViewOp(user) || isa<memref::ExtractAlignedPointerAsIndexOp, arith::IndexCastOp, arith::AddIOp,
                                  LLVM::IntToPtrOp, LLVM::GEPOp>(user))
          llvm::append_range(pending, user->getResults());
        // An address stored for a parallel call is used by the call that follows.
        if (auto store = dyn_cast<LLVM::StoreOp>(user))
          if (auto slot = store.getAddr().getDefiningOp<LLVM::GEPOp>())
            pending.push_back(slot.getBase());
      }
    }
    return {last, lastOp};
  }
};
} // namespace
