// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluators of the ops with regions. A region runs as a function of its block's
// arguments.

#include "Evaluators.h"

using namespace fxgraph;

static LogicalResult append(FailureOr<SmallVector<Tensor>> yielded, SmallVectorImpl<Tensor> &results) {
  if (failed(yielded))
    return failure();
  results.append(std::make_move_iterator(yielded->begin()), std::make_move_iterator(yielded->end()));
  return success();
}

//===----------------------------------------------------------------------===//
// cond, while_loop
//===----------------------------------------------------------------------===//

static LogicalResult evaluateCond(CondOp op, Evaluation &evaluation, SmallVectorImpl<Tensor> &results) {
  bool holds = evaluation.get(op.getPredicate()).isNonZero(0);
  return append(evaluation.runRegion(holds ? op.getThen() : op.getOtherwise(), evaluation.get(op.getOperands_())),
                results);
}

static LogicalResult evaluateInvokeQuant(InvokeQuantOp op, Evaluation &evaluation, SmallVectorImpl<Tensor> &results) {
  return append(evaluation.runRegion(op.getBody(), evaluation.get(op.getOperands_())), results);
}

static LogicalResult evaluateWhileLoop(WhileLoopOp op, Evaluation &evaluation, SmallVectorImpl<Tensor> &results) {
  SmallVector<Tensor> carried(evaluation.get(op.getCarried()));
  ArrayRef<Tensor> additional = evaluation.get(op.getAdditional());
  SmallVector<Tensor> arguments;
  while (true) {
    arguments.assign(carried.begin(), carried.end());
    llvm::append_range(arguments, additional);
    FailureOr<SmallVector<Tensor>> condition = evaluation.runRegion(op.getCondition(), arguments);
    if (failed(condition))
      return failure();
    if (!condition->front().isNonZero(0))
      break;
    if (failed(evaluation.countLoopStep()))
      return failure();
    FailureOr<SmallVector<Tensor>> next = evaluation.runRegion(op.getBody(), arguments);
    if (failed(next))
      return failure();
    // A loop over tensors of one shape each, also where the types leave it open.
    for (auto [number, pair] : llvm::enumerate(llvm::zip_equal(carried, *next))) {
      auto &[before, after] = pair;
      if (before.getShape() != after.getShape())
        return evaluation.error("expected the body to keep the shape " + formatShape(before.getShape()) +
                                " of carried value " + Twine(number) + " but got " + formatShape(after.getShape()));
    }
    carried = std::move(*next);
  }
  results.append(std::make_move_iterator(carried.begin()), std::make_move_iterator(carried.end()));
  return success();
}

//===----------------------------------------------------------------------===//
// map, scan
//===----------------------------------------------------------------------===//

/// Slice `step` along dimension 0.
static Tensor takeSlice(const Tensor &tensor, int64_t step) {
  SmallVector<int64_t> strides = tensor.getStrides();
  return stridedCopy(tensor, tensor.getShape().drop_front(), step * strides[0],
                     ArrayRef<int64_t>(strides).drop_front());
}

/// The leading extent that all share; failure with an error where they do not.
static FailureOr<int64_t> getSteps(Evaluation &evaluation, ArrayRef<Tensor> tensors) {
  int64_t steps = tensors.front().getDim(0);
  for (const Tensor &tensor : tensors)
    if (tensor.getDim(0) != steps)
      return evaluation.error("expected one leading extent but got " + Twine(steps) + " and " +
                              Twine(tensor.getDim(0)));
  return steps;
}

namespace {
/// Results that steps give slice by slice.
class StackedResults {
public:
  StackedResults(Evaluation &evaluation, TypeRange types, int64_t steps)
      : evaluation(evaluation), types(types), steps(steps), tensors(types.size()) {}

  LogicalResult put(int64_t step, MutableArrayRef<Tensor> slices) {
    for (auto [number, slice] : llvm::enumerate(slices)) {
      Tensor &stacked = tensors[number];
      SmallVector<int64_t> shape{steps};
      llvm::append_range(shape, slice.getShape());
      if (!stacked) {
        if (failed(evaluation.checkSize(shape)))
          return failure();
        stacked = Tensor(slice.getElementType(), shape);
      }
      if (stacked.getShape() != ArrayRef<int64_t>(shape))
        return evaluation.error("expected slices of shape " + formatShape(stacked.getShape().drop_front()) +
                                " for stacked result " + Twine(number) + " but got " + formatShape(slice.getShape()));
      shape[0] = 1;
      pasteAlongDim(stacked, slice.withShape(shape), 0, step);
    }
    return success();
  }

  /// Without steps the shapes are the types'.
  LogicalResult finish(SmallVectorImpl<Tensor> &results) {
    for (auto [tensor, type] : llvm::zip_equal(tensors, types)) {
      if (!tensor) {
        auto known = cast<RankedTensorType>(type);
        FailureOr<SmallVector<int64_t>> shape = evaluation.getKnownShape(known);
        if (failed(shape))
          return failure();
        (*shape)[0] = 0;
        tensor = Tensor(known.getElementType(), *shape);
      }
      results.push_back(std::move(tensor));
    }
    return success();
  }

private:
  Evaluation &evaluation;
  TypeRange types;
  int64_t steps;
  SmallVector<Tensor> tensors;
};
} // namespace

static LogicalResult evaluateMap(MapOp op, Evaluation &evaluation, SmallVectorImpl<Tensor> &results) {
  ArrayRef<Tensor> mapped = evaluation.get(op.getMapped()), additional = evaluation.get(op.getAdditional());
  FailureOr<int64_t> steps = getSteps(evaluation, mapped);
  if (failed(steps))
    return failure();
  StackedResults stacked(evaluation, op.getResultTypes(), *steps);
  for (int64_t step = 0; step < *steps; ++step) {
    SmallVector<Tensor> arguments;
    for (const Tensor &tensor : mapped)
      arguments.push_back(takeSlice(tensor, step));
    llvm::append_range(arguments, additional);
    FailureOr<SmallVector<Tensor>> slices = evaluation.runRegion(op.getBody(), arguments);
    if (failed(slices) || failed(stacked.put(step, *slices)))
      return failure();
  }
  return stacked.finish(results);
}

static LogicalResult evaluateScan(ScanOp op, Evaluation &evaluation, SmallVectorImpl<Tensor> &results) {
  ArrayRef<Tensor> scanned = evaluation.get(op.getScanned()), additional = evaluation.get(op.getAdditional());
  SmallVector<Tensor> carried(evaluation.get(op.getCarried()));
  FailureOr<int64_t> steps = getSteps(evaluation, scanned);
  if (failed(steps))
    return failure();
  size_t numCarried = carried.size();
  StackedResults stacked(evaluation, op->getResults().drop_front(numCarried).getTypes(), *steps);
  for (int64_t step = 0; step < *steps; ++step) {
    SmallVector<Tensor> arguments(std::make_move_iterator(carried.begin()), std::make_move_iterator(carried.end()));
    for (const Tensor &tensor : scanned)
      arguments.push_back(takeSlice(tensor, step));
    llvm::append_range(arguments, additional);
    FailureOr<SmallVector<Tensor>> yielded = evaluation.runRegion(op.getBody(), arguments);
    if (failed(yielded) || failed(stacked.put(step, MutableArrayRef<Tensor>(*yielded).drop_front(numCarried))))
      return failure();
    yielded->truncate(numCarried);
    carried = std::move(*yielded);
  }
  results.append(std::make_move_iterator(carried.begin()), std::make_move_iterator(carried.end()));
  return stacked.finish(results);
}

//===----------------------------------------------------------------------===//
// auto_functionalized
//===----------------------------------------------------------------------===//

static LogicalResult evaluateAutoFunctionalized(AutoFunctionalizedOp op, Evaluation &evaluation,
                                                SmallVectorImpl<Tensor> &) {
  return evaluation.error("cannot be run: the dialect does not model '" + op.getTarget() + "'");
}

void fxgraph::registerControlFlowEvaluators(EvaluatorRegistry &registry) {
  registry.add<CondOp>(evaluateCond);
  registry.add<InvokeQuantOp>(evaluateInvokeQuant);
  registry.add<WhileLoopOp>(evaluateWhileLoop);
  registry.add<MapOp>(evaluateMap);
  registry.add<ScanOp>(evaluateScan);
  registry.add<AutoFunctionalizedOp>(evaluateAutoFunctionalized);
}
