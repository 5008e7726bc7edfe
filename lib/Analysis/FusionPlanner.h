// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the sweep that FusionPlan.h describes works: preparation and the sweep (FusionPlan.cpp),
// where values live (FusionMemory.cpp), which kernels compute an op (FusionInline.cpp) and
// from what (FusionExpand.cpp), what depends on what (FusionOrder.cpp).

#ifndef FXGRAPH_LIB_ANALYSIS_FUSIONPLANNER_H
#define FXGRAPH_LIB_ANALYSIS_FUSIONPLANNER_H

#include "fxgraph/Analysis/FusionOps.h"
#include "fxgraph/Analysis/FusionPlan.h"
#include "fxgraph/Dialect/IR/HostOps.h"

namespace fxgraph {

class FusionPlanner {
public:
  FusionPlanner(mlir::func::FuncOp function, const FusionOptions &options) : function(function), options(options) {}
  FailureOr<FusionPlan> run();

private:
  /// What the consumers of a value, all of them already seen, want of it.
  struct ValueState {
    SmallVector<std::pair<unsigned, unsigned>, 2> demands;       ///< kernel, node
    unsigned level = 0;                                          ///< largest level of a consumer
    unsigned memoryLevel = 0;                                    ///< the same over consumers that are no kernels
    bool materialize = false;                                    ///< memory of its own is wanted
    bool alias = false;                                          ///< a view of memory is enough (and possible)
    bool fixedLayout = false;                                    ///< row-major, read through views or as it is
    int output = -1;                                             ///< index of the function result that it becomes
    SmallVector<std::pair<Operation *, unsigned>, 1> placements; ///< cat, operand
    bool stored = false;
  };

  LogicalResult checkTypes();
  void computeLayouts();
  bool canBeChannelsLast(Operation *conv);
  void findEpilogues();
  LogicalResult sweep(Operation *op);
  void sweepView(mlir::OpResult view);
  void sweepCat(Operation *op);
  bool isInterleaved(Operation *op) const;
  void sweepLibrary(Operation *op);
  void sweepRegion(Operation *op);
  void sweepCollective(Operation *op);
  void sweepWait(WaitTensorOp op);
  LogicalResult sweepFusable(Operation *op, OpClass opClass);
  bool areSiblings(Value value, ArrayRef<unsigned> kernels);
  void sweepReturn(Operation *op);
  void sweepWrite(CopyUnderscoreOp op);

  /// Demands an element of `value`; returns the node.
  unsigned demand(unsigned kernel, Value value, ArrayRef<IndexExpr> index);
  unsigned addPiece(unsigned kernel, KernelNode node);
  unsigned addConstant(unsigned kernel, Attribute constant, Type type);
  unsigned addSelect(unsigned kernel, ArrayRef<RangeTest> tests, unsigned yes, unsigned no, Type type);
  unsigned addCoordinate(unsigned kernel, const IndexExpr &coordinate, Type type);
  void wantMemory(Value value, unsigned level, function_ref<bool(const StridedLayout &, ArrayRef<int64_t>)> accepts);
  void wantOwnMemory(Value value, unsigned level);

  unsigned createKernel(unsigned level, Operation *op);
  /// A kernel that computes `value` alone; stores at the value's place.
  void createRoot(mlir::OpResult value);
  void addOutput(unsigned kernel, Value value, Value storage, ArrayRef<IndexExpr> index);
  /// Makes `value`, which a kernel or a library step writes, live in memory.
  void assignMemory(Value value);
  void placeOrCopyOperands(mlir::OpResult value, bool mayPlace);
  /// A kernel that copies `value`, which is `operand` of the cat, into its slice of `whole`, the cat's result.
  void copyIntoSlot(unsigned level, Operation *cat, unsigned operand, Value value, Value whole);
  Index getSlot(Operation *cat, unsigned operand, ArrayRef<IndexExpr> index, IndexSpace &space);
  bool canPlace(Value value);

  /// Inlines `op` in the kernel: expands every node that demands its results.
  bool canInline(Operation *op, OpClass opClass, unsigned kernel);
  void inlineInto(Operation *op, OpClass opClass, unsigned kernel);
  /// Indices of the reduction loop of `op`, whose result is demanded at `index`.
  std::optional<Index> joinLoop(KernelLoopOpInterface op, unsigned kernel, ArrayRef<IndexExpr> index, bool commit,
                                bool isRoot);
  bool coversKernelOnce(const FusionKernel &kernel, Value value, ArrayRef<IndexExpr> index);

  void expand(Operation *op, OpClass opClass, unsigned kernel, unsigned node);
  /// The element that is taken, of `type`; dimensions of the choices stand at `index`.
  unsigned addChoices(Operation *op, ArrayRef<ElementChoice> choices, unsigned kernel, ArrayRef<IndexExpr> index,
                      Type type);
  /// What one turn of the op's loop reads for the node's element; `index` is that of the element, then that of the loop.
  SmallVector<unsigned, 3> addTerms(KernelLoopOpInterface op, unsigned kernel, unsigned node,
                                    ArrayRef<IndexExpr> index);
  unsigned addGather(GatherOpInterface op, unsigned kernel, ArrayRef<IndexExpr> index);

  void finish();
  /// A step, or a cat, which is complete when all its operands are.
  struct OrderNode {
    unsigned position = 0;
    int step = -1;
    SmallVector<unsigned, 2> users;
  };
  LogicalResult orderSteps();
  void delayWaits(unsigned firstWait, unsigned behindWaits);
  void sortSteps(ArrayRef<FusionStep> steps);

  ValueState &state(Value value) {
    std::unique_ptr<ValueState> &slot = states[value];
    if (!slot)
      slot = std::make_unique<ValueState>();
    return *slot;
  }

  mlir::func::FuncOp function;
  FusionOptions options;
  FusionPlan plan;
  DenseMap<Operation *, unsigned> position;
  DenseMap<Value, std::unique_ptr<ValueState>> states;
  /// Base of the longest chain of strided views below a value, and its layout there.
  DenseMap<Value, std::pair<Value, StridedLayout>> layouts;
  DenseMap<Operation *, Operation *> epilogueOf;
  llvm::DenseSet<Operation *> absorbed, keptInMemory, channelsLast;
  SmallProducts smallProducts;
  SmallVector<FusionStep> librarySteps, regionSteps, writeSteps;
  /// Starts of collectives, from the last to the first, and waits.
  SmallVector<FusionStep> collectiveSteps, waitSteps;
  std::vector<OrderNode> orderNodes;
};

} // namespace fxgraph

#endif // FXGRAPH_LIB_ANALYSIS_FUSIONPLANNER_H
