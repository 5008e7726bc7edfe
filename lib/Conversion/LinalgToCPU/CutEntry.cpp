// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fxgraph-cpu-cut-entry: a long entry becomes calls of parts of bounded
// length, because what LLVM does with one function takes more than linear time.
//
// An op that does something (a call, a store, an assert) belongs to one part. What is
// only computed (addresses, extents, descriptors) is computed anew in each part that
// uses it, if that takes few ops; else, and where it is the result of an op that does
// something, it crosses over through a slot of 8 bytes in the workspace. Linear: each
// part computes at most a constant number of ops for each operand.

#include "CPULowering.h"
#include "fxgraph/Backend/CPUArtifact.h"
#include "fxgraph/Conversion/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fxgraph {
#define GEN_PASS_DEF_FXGRAPHCPUCUTENTRYPASS
#include "fxgraph/Conversion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;
using namespace fxgraph::cpu;
using namespace mlir;

/// The most ops that a part computes anew for one value.
static constexpr int64_t kMostRecomputed = 64;

namespace {

class EntryCutter {
public:
  EntryCutter(func::FuncOp entry, unsigned maxCalls)
      : entry(entry), block(entry.getBody().front()), maxCalls(maxCalls) {}

  LogicalResult run() {
    assignParts();
    // A graph with such a value, or with control flow, stays whole: it compiles more
    // slowly, but it compiles.
    if (parts < 2 ||
        llvm::any_of(
            block, [](Operation &op) { return isControlFlow(&op); }) ||
        llvm::any_of(partOf, [&](auto &entry) { return hasCrossingBuffer(entry.first, entry.second); }))
      return success();
    auto bytes = entry->getAttrOfType<IntegerAttr>(kWorkspaceAttr);
    firstSlot = bytes ? bytes.getInt() : 0;
    SmallVector<Operation *> ops = llvm::to_vector(llvm::make_pointer_range(block));
    SmallVector<SmallVector<Operation *>> byPart(parts);
    for (Operation *op : llvm::drop_end(ops)) // The terminator stays.
      if (auto it = partOf.find(op); it != partOf.end())
        byPart[it->second].push_back(op);
    SmallVector<func::FuncOp> functions;
    for (auto [i, list] : llvm::enumerate(byPart)) {
      FailureOr<func::FuncOp> function = buildPart(i, list);
      if (failed(function))
        return failure();
      functions.push_back(*function);
    }
    for (auto &[value, slot] : slots)
      storeToSlot(results.lookup(value), slot);

    OpBuilder b(entry.getContext());
    b.setInsertionPoint(block.getTerminator());
    Location loc = entry.getLoc();
    Value fine = arith::ConstantIntOp::create(b, loc, b.getI32Type(), FX_OK);
    for (func::FuncOp function : functions) {
      Value status = func::CallOp::create(b, loc, function, block.getArguments()).getResult(0);
      // An empty message: the part has set one.
      cf::AssertOp::create(b, loc, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, status, fine),
                           b.getStringAttr(""));
    }
    block.getTerminator()->setOperands(fine);
    for (Operation *op : llvm::reverse(llvm::drop_end(ops)))
      op->erase();
    entry->setAttr(kWorkspaceAttr, b.getI64IntegerAttr(firstSlot + 8 * static_cast<int64_t>(slots.size())));
    return success();
  }

private:
  /// Only computes, from values alone. The arrays that the caller gives do not change
  /// while the entry runs, nor do the numbers among the inputs.
  bool isComputation(Operation *op) {
    if (isa<LLVM::LoadOp>(op))
      return isGiven(op->getOperand(0));
    return op->getNumRegions() == 0 && isMemoryEffectFree(op);
  }
  bool isGiven(Value address) {
    while (Operation *op = address.getDefiningOp()) {
      if (!isa<LLVM::LoadOp, LLVM::GEPOp>(op))
        return false;
      address = op->getOperand(0);
    }
    return address != entry.getArgument(kWorkspace) && address != entry.getArgument(kContext);
  }
  /// Has a slot's worth of bits.
  static bool fitsSlot(Type type) {
    return type.isIndex() || isa<LLVM::LLVMPointerType>(type) ||
           (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64);
  }

  /// Memory of extents that vary, described by more than a slot holds, that another part
  /// uses, by itself or through what is computed from it.
  bool hasCrossingBuffer(Operation *op, int64_t part) {
    SmallVector<Value> pending;
    for (Value result : op->getResults())
      if (!fitsSlot(result.getType()))
        pending.push_back(result);
    llvm::DenseSet<Operation *> seen;
    while (!pending.empty())
      for (Operation *user : pending.pop_back_val().getUsers()) {
        auto it = partOf.find(user);
        if (it != partOf.end() && it->second != part)
          return true;
        if (it == partOf.end() && seen.insert(user).second)
          llvm::append_range(pending, user->getResults());
      }
    return false;
  }

  /// Gives each op that does something, and each long computation, to a part. Memory
  /// of the stack goes with the call that follows: parts end after calls.
  void assignParts() {
    llvm::DenseMap<Operation *, int64_t> cost;
    int64_t part = 0;
    unsigned calls = 0;
    bool isOpen = false;
    for (Operation &op : block.without_terminator()) {
      int64_t sum = 1;
      for (Value operand : op.getOperands())
        if (Operation *definition = operand.getDefiningOp(); definition && !partOf.contains(definition))
          sum += cost.lookup(definition);
      bool isLocal = isa<LLVM::AllocaOp>(op);
      bool isLong = sum > kMostRecomputed && llvm::all_of(op.getResultTypes(), fitsSlot);
      if (isLocal || (isComputation(&op) && !isLong)) {
        cost[&op] = std::min(sum, 2 * kMostRecomputed);
        continue;
      }
      partOf[&op] = part;
      isOpen = true;
      if (isa<func::CallOp>(op) && ++calls == maxCalls) {
        ++part;
        calls = 0;
        isOpen = false;
      }
    }
    parts = part + isOpen;
  }

  FailureOr<func::FuncOp> buildPart(int64_t part, ArrayRef<Operation *> ops) {
    OpBuilder b(entry);
    Location loc = entry.getLoc();
    auto function =
        func::FuncOp::create(b, loc, (entry.getSymName() + "_part_" + Twine(part)).str(), entry.getFunctionType());
    function.setPrivate();
    function->setAttr(kPartAttr, b.getUnitAttr());
    function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
    Block *body = function.addEntryBlock();
    IRMapping mapping;
    mapping.map(block.getArguments(), body->getArguments());
    b.setInsertionPointToStart(body);
    for (Operation *op : ops) {
      for (Value operand : op->getOperands())
        if (failed(provide(b, operand, mapping)))
          return failure();
      Operation *clone = b.clone(*op, mapping);
      for (auto [result, own] : llvm::zip_equal(op->getResults(), clone->getResults()))
        results[result] = own;
    }
    Value fine = arith::ConstantIntOp::create(b, loc, b.getI32Type(), FX_OK);
    func::ReturnOp::create(b, loc, fine);
    return function;
  }

  /// Makes the value at the end of a part, with what it is computed from.
  LogicalResult provide(OpBuilder &b, Value value, IRMapping &mapping) {
    SmallVector<Value> pending{value};
    while (!pending.empty()) {
      Value next = pending.back();
      if (mapping.contains(next)) {
        pending.pop_back();
        continue;
      }
      Operation *op = next.getDefiningOp();
      if (partOf.contains(op)) { // Another part's.
        if (!fitsSlot(next.getType()))
          return op->emitError() << "expected a number or an address but got " << next.getType()
                                 << " that a later part of the graph uses";
        mapping.map(next, loadFromSlot(b, next));
        continue;
      }
      size_t ready = pending.size();
      for (Value operand : op->getOperands())
        if (!mapping.contains(operand))
          pending.push_back(operand);
      if (pending.size() != ready)
        continue;
      if (auto stack = dyn_cast<LLVM::AllocaOp>(op)) {
        // In front, where it is no memory that grows.
        OpBuilder front = OpBuilder::atBlockBegin(b.getInsertionBlock());
        IRMapping own;
        front.clone(*stack.getArraySize().getDefiningOp(), own);
        mapping.map(next, front.clone(*op, own)->getResult(0));
        continue;
      }
      b.clone(*op, mapping);
    }
    return success();
  }

  Value slotAddress(OpBuilder &b, Location loc, func::FuncOp part, int64_t slot) {
    Value offset = LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(firstSlot + 8 * slot));
    return LLVM::GEPOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), b.getI8Type(),
                               part.getArgument(kWorkspace), ArrayRef<LLVM::GEPArg>{offset});
  }
  Value loadFromSlot(OpBuilder &b, Value value) {
    int64_t slot = slots.try_emplace(value, slots.size()).first->second;
    Location loc = value.getLoc();
    auto part = cast<func::FuncOp>(b.getInsertionBlock()->getParentOp());
    Type type = value.getType(), stored = type.isIndex() ? b.getI64Type() : type;
    Value loaded = LLVM::LoadOp::create(b, loc, stored, slotAddress(b, loc, part, slot));
    return type.isIndex() ? Value(arith::IndexCastOp::create(b, loc, type, loaded)) : loaded;
  }
  void storeToSlot(Value value, int64_t slot) {
    OpBuilder b(value.getContext());
    b.setInsertionPointAfterValue(value);
    Location loc = value.getLoc();
    Value stored = value.getType().isIndex() ? Value(arith::IndexCastOp::create(b, loc, b.getI64Type(), value)) : value;
    auto part = value.getDefiningOp()->getParentOfType<func::FuncOp>();
    LLVM::StoreOp::create(b, loc, stored, slotAddress(b, loc, part, slot));
  }

  func::FuncOp entry;
  Block &block;
  unsigned maxCalls;
  llvm::DenseMap<Operation *, int64_t> partOf;
  llvm::MapVector<Value, int64_t> slots;
  llvm::DenseMap<Value, Value> results; // of the parts' ops
  int64_t parts = 0, firstSlot = 0;
};

struct FxGraphCPUCutEntryPass : public fxgraph::impl::FxGraphCPUCutEntryPassBase<FxGraphCPUCutEntryPass> {
  using Base::Base;
  void runOnOperation() override {
    if (maxCalls == 0) {
      getOperation().emitError() << "fxgraph-cpu-cut-entry: expected max-calls to be at least 1 but got 0";
      return signalPassFailure();
    }
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (isEntry(function) && failed(EntryCutter(function, maxCalls).run()))
        return signalPassFailure();
  }
};
} // namespace
