// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fxgraph-cpu-bufferize: decides which ops write into the buffers of their
// initial tensors, then upstream's rewriting of the ops. Upstream's own decision
// (one-shot analysis) compares all reads and writes of all aliases of a tensor with
// each other, which takes time cubic in the pieces of one tensor; graphs made by
// fxgraph-to-linalg need much less.

#include "mlir/Dialect/Bufferization/Transforms/Bufferize.h"
#include "CPULowering.h"
#include "fxgraph/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferUtils.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/AllInterfaces.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/Transforms/BufferizableOpInterfaceImpl.h"

namespace fxgraph {
#define GEN_PASS_DEF_FXGRAPHCPUBUFFERIZEPASS
#include "fxgraph/Conversion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;
using namespace mlir;

void fxgraph::registerCPULoweringInterfaces(DialectRegistry &registry) {
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(registry);
  cf::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerAllDialectInterfaceImplementations(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerSubsetOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  vector::registerBufferizableOpInterfaceExternalModels(registry);
}

namespace {

/// Decides which operands that are written are written in place.
///
/// A tensor's *version* is the tensor with all views of it: one state of one buffer.
/// An op may overwrite a version that the graph owns (no argument, no constant) if it
/// is the last use of it; its result then is the next version in the same buffer.
class InPlaceAnalysis {
public:
  InPlaceAnalysis(func::FuncOp function, const bufferization::BufferizationOptions &options) : state(options) {
    int64_t position = 0;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) { order[op] = position++; });
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isView(op))
        roots[op->getResult(0)] = rootOf(op->getOperand(0));
      for (OpOperand &operand : op->getOpOperands())
        if (isa<TensorType>(operand.get().getType()) && !isa<tensor::DimOp>(op))
          noteUse(operand);
    });
  }

  /// In the order of the ops: what is known of a version is known when it is written.
  /// Gives each operand that cannot be written in place a buffer of its own.
  LogicalResult resolve(func::FuncOp function, const bufferization::BufferizationState &bufferization) {
    SmallVector<OpOperand *> conflicts;
    function.walk([&](bufferization::BufferizableOpInterface op) {
      for (OpOperand &operand : op->getOpOperands())
        if (isa<TensorType>(operand.get().getType()) && op.bufferizesToMemoryWrite(operand, state) &&
            !isInPlace(operand))
          conflicts.push_back(&operand);
    });
    OpBuilder b(function.getContext());
    for (OpOperand *operand : conflicts) {
      Operation *op = operand->getOwner();
      b.setInsertionPoint(op);
      bool reads = cast<bufferization::BufferizableOpInterface>(op).bufferizesToMemoryRead(*operand, state);
      FailureOr<Value> own = bufferization::allocateTensorForShapedValue(b, op->getLoc(), operand->get(),
                                                                         state.getOptions(), bufferization, reads);
      if (failed(own))
        return failure();
      operand->set(*own);
    }
    return success();
  }

private:
  /// The two last places where a version is used, and how often.
  struct Uses {
    int64_t last = -1, lastCount = 0, before = -1, beforeCount = 0;
    bool escapes = false;
  };

  static bool isView(Operation *op) {
    return isa<tensor::ExtractSliceOp, tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
               tensor::ReshapeOp>(op);
  }
  Value rootOf(Value value) const {
    Value root = roots.lookup(value);
    return root ? root : value;
  }

  void noteUse(OpOperand &operand) {
    Value root = rootOf(operand.get());
    Uses &known = uses[root];
    Operation *top = root.getParentBlock()->findAncestorOpInBlock(*operand.getOwner());
    // A copy to a place may be one of the tensor to itself: then the place's owner
    // reads on.
    known.escapes |= isa<bufferization::MaterializeInDestinationOp>(operand.getOwner());
    int64_t position = order.lookup(top);
    if (position > known.last) {
      known.before = known.last;
      known.beforeCount = known.lastCount;
      known.last = position;
      known.lastCount = 1;
    } else if (position == known.last) {
      ++known.lastCount;
    } else if (position > known.before) {
      known.before = position;
      known.beforeCount = 1;
    } else if (position == known.before) {
      ++known.beforeCount;
    }
  }

  /// The graph made the buffer.
  static bool isOwned(Value root) {
    if (auto argument = dyn_cast<BlockArgument>(root))
      return isa<scf::ForOp>(argument.getOwner()->getParentOp());
    Operation *op = root.getDefiningOp();
    if (auto tensor = dyn_cast<bufferization::ToTensorOp>(op))
      return tensor.getWritable();
    return isa<tensor::EmptyOp, tensor::FromElementsOp, tensor::InsertOp, tensor::InsertSliceOp, linalg::LinalgOp,
               scf::ForOp>(op);
  }

  bool isInPlace(OpOperand &operand) {
    Value root = rootOf(operand.get());
    Operation *op = operand.getOwner();
    auto it = uses.find(root);
    if (it == uses.end() || it->second.escapes || !isOwned(root) || root.getParentBlock() != op->getBlock())
      return false;
    const Uses &known = it->second;
    int64_t position = order.lookup(op);
    if (auto slice = operand.get().getDefiningOp<tensor::ExtractSliceOp>())
      return slice.getSource() == root && known.before == position && known.beforeCount == 1 && known.lastCount == 1 &&
             returnsTo(&operand, slice, known.last);
    return known.last == position && known.lastCount == 1;
  }

  /// What is written into the slice is inserted where the slice is from, by the op at
  /// `position`. Others may read it: then neither it nor what it is inserted into is
  /// overwritten any more.
  bool returnsTo(OpOperand *written, tensor::ExtractSliceOp slice, int64_t position) {
    while (true) {
      auto writer = dyn_cast<DestinationStyleOpInterface>(written->getOwner());
      if (!writer || !writer.isDpsInit(written) || writer->getBlock() != slice->getBlock())
        return false;
      OpResult result = writer.getTiedOpResult(written);
      for (OpOperand &use : result.getUses()) {
        auto insert = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
        if (!insert || order.lookup(insert) != position || use.get() != insert.getSource())
          continue;
        if (!result.hasOneUse())
          uses[result].escapes = uses[insert.getResult()].escapes = true;
        return insert.getDest() == slice.getSource() && insert.getMixedOffsets() == slice.getMixedOffsets() &&
               insert.getMixedSizes() == slice.getMixedSizes() && insert.getMixedStrides() == slice.getMixedStrides();
      }
      if (!result.hasOneUse())
        return false;
      written = &*result.use_begin();
    }
  }

  bufferization::AnalysisState state;
  llvm::DenseMap<Operation *, int64_t> order;
  llvm::DenseMap<Value, Value> roots;
  llvm::DenseMap<Value, Uses> uses;
};

struct FxGraphCPUBufferizePass : public fxgraph::impl::FxGraphCPUBufferizePassBase<FxGraphCPUBufferizePass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    FxGraphCPUBufferizePassBase::getDependentDialects(registry);
    registerCPULoweringInterfaces(registry);
  }

  void runOnOperation() override {
    bufferization::BufferizationOptions options;
    options.bufferAlignment = 64;
    // Views keep their layout: buffers of ours are row-major to begin with.
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      bufferization::BufferizationState state;
      if (failed(InPlaceAnalysis(function, options).resolve(function, state)) ||
          failed(bufferization::bufferizeOp(function, options, state)))
        return signalPassFailure();
      bool allocatesInLoop = false;
      function.walk([&](Operation *op) {
        // What was computed in its place is copied to itself.
        if (auto copy = dyn_cast<memref::CopyOp>(op); copy && copy.getSource() == copy.getTarget())
          copy.erase();
        else
          allocatesInLoop |= isa<memref::AllocOp>(op) && op->getParentOp() != function;
      });
      if (allocatesInLoop)
        bufferization::hoistBuffersFromLoops(function);
    }
  }
};
} // namespace
