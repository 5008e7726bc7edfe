// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-postgrad-move-constructors. All ops on the host that could be on the device are
// taken to move; then those go, one after the other, that cannot because an operand or a
// user does not. What is left moves: the type of each of its results names the device.
// Each op goes once, so that this is linear in ops and operands.
//
// PyTorch: torch/_inductor/fx_passes/post_grad.py, move_constructors_to_gpu.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/PostGrad/Passes.h"
#include "fxgraph/Dialect/IR/Numbers.h"
#include "fxgraph/Transforms/Utils/OptionsPass.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace fxgraph {
#define GEN_PASS_DEF_MOVECONSTRUCTORSPASS
#include "fxgraph/Transforms/PostGrad/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"move-constructors", ""};

namespace {
class ConstructorMover {
public:
  ConstructorMover(RewriteSession &session, StringRef defaultDevice) : session(session), defaultDevice(defaultDevice) {}

  void run() {
    if (!findDevice())
      return;
    session.getFunction().getFunctionBody().walk([&](Operation *op) {
      if (mayBeOnDevice(op))
        moving.insert(op);
    });
    SmallVector<Operation *> candidates(moving.begin(), moving.end());
    for (Operation *op : candidates)
      check(op);
    for (Operation *op : moving)
      move(op);
  }

private:
  bool isOnHost(Type type) const { return getDeviceType(type, defaultDevice) == "cpu"; }
  bool isOnHost(Value value) const { return isOnHost(value.getType()) && !isNumber(value); }

  /// The one device that all tensors are on which are not on the host; null for the
  /// module's.
  bool findDevice() {
    bool one = true;
    auto look = [&](Value value) {
      auto tensor = dyn_cast<RankedTensorType>(value.getType());
      if (!tensor || isOnHost(tensor) || isNumber(value))
        return;
      one &= !device || *device == getDevice(tensor);
      device = getDevice(tensor);
    };
    session.getFunction().getFunctionBody().walk([&](Block *block) {
      for (Value argument : block->getArguments())
        look(argument);
      for (Operation &op : *block)
        for (Value result : op.getResults())
          look(result);
    });
    return device && one;
  }

  /// A constructor, or an op that computes on the host from tensors there alone.
  bool mayBeOnDevice(Operation *op) const {
    if (!isa<FxGraphDialect>(op->getDialect()) || op->getNumRegions() != 0 || !mlir::isPure(op) ||
        op->getNumResults() == 0 || isa<DevicePutOp>(op) ||
        !llvm::all_of(op->getResultTypes(), [&](Type type) { return isOnHost(type); }))
      return false;
    return llvm::any_of(op->getOperands(), [&](Value value) { return isOnHost(value); }) || isa<FullOp, ArangeOp>(op);
  }

  /// True if nothing stands against it now. `why`: what does.
  bool staysMovable(Operation *op, std::string &why) const {
    for (Value operand : op->getOperands())
      if (isOnHost(operand) && !moving.contains(operand.getDefiningOp())) {
        why = "a tensor that it is computed from stays on the host";
        return false;
      }
    for (Operation *user : op->getUsers()) {
      auto put = dyn_cast<DevicePutOp>(user);
      if (put ? isOnHost(put.getResult().getType()) : !moving.contains(user)) {
        why = "a user needs it on the host";
        return false;
      }
    }
    return true;
  }

  /// Takes the op out if it cannot move, and what cannot move then.
  void check(Operation *first) {
    SmallVector<Operation *> worklist{first};
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      std::string why;
      if (!moving.contains(op) || staysMovable(op, why))
        continue;
      moving.remove(op);
      if (isa<FullOp, ArangeOp>(op))
        session.missed(op->getLoc(), kKind, why);
      for (Value operand : op->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          worklist.push_back(producer);
      llvm::append_range(worklist, op->getUsers());
    }
  }

  void move(Operation *op) {
    session.begin(kKind);
    session.getRewriter().modifyOpInPlace(op, [&] {
      for (Value result : op->getResults()) {
        auto type = cast<RankedTensorType>(result.getType());
        result.setType(makeTensorType(getDims(type), type.getElementType(), *device));
      }
    });
    session.applied(op->getLoc());
  }

  RewriteSession &session;
  StringRef defaultDevice;
  std::optional<StringAttr> device;
  llvm::SetVector<Operation *> moving;
};

struct MoveConstructorsPass : public SearchPass<fxgraph::impl::MoveConstructorsPassBase<MoveConstructorsPass>> {
  using SearchPass::SearchPass;

  void rewrite(RewriteSession &session) override {
    if (session.lacks<FullOp, ArangeOp>())
      return;
    ConstructorMover(session, defaultDevice).run();
  }
};
} // namespace
