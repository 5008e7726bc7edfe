// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluators of collectives. The communicator gives the inputs of all processes of a
// group; each process computes its own result from them, in the group's order.
//
// Reductions are in double and round once, as all sums here, a mean once more behind the
// division: on two processes that is bit for bit what PyTorch's gloo gives (larger groups
// round there in an order of its own). NaN wins in min and max, where gloo
// lets it win or lose by the element's place. Bools are a sum or maximum
// when one is true, a product or minimum when all are; a mean is of floats alone, as in gloo.

#include "Evaluators.h"
#include "fxgraph/Reference/Communicator.h"
#include <cmath>
#include <numeric>

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// Reductions over a group
//===----------------------------------------------------------------------===//

/// The reduction of input `number` of all processes.
static FailureOr<Tensor> reduce(Evaluation &evaluation, StringRef reduceOp, const Exchange &exchange, unsigned number) {
  const Tensor &first = exchange.inputs.front()[number];
  Type type = first.getElementType();
  if (reduceOp == "avg" && !first.isFloat())
    return evaluation.error("expected floating-point numbers for avg but got " + formatType(type));
  bool isMean = reduceOp == "avg", isSum = isMean || reduceOp == "sum", isProduct = reduceOp == "product";
  bool isMin = reduceOp == "min";
  auto members = static_cast<int64_t>(exchange.inputs.size());
  Tensor result(type, first.getShape());
  MutableArrayRef<double> floats = result.isFloat() ? result.mutableFloats() : MutableArrayRef<double>();
  MutableArrayRef<int64_t> ints = result.isFloat() ? MutableArrayRef<int64_t>() : result.mutableInts();
  for (int64_t i = 0; i < result.getNumElements(); ++i) {
    if (result.isFloat()) {
      Accumulator sum(accumulatesNarrow(evaluation, type), 0.0);
      double value = first.floats()[i];
      for (const SmallVector<Tensor> &inputs : ArrayRef(exchange.inputs)) {
        double next = inputs[number].floats()[i];
        if (isSum)
          sum.add(next);
        else if (&inputs == &exchange.inputs.front())
          continue;
        else if (isProduct)
          value *= next;
        else if (std::isnan(next) || (isMin ? next < value : next > value))
          value = next;
      }
      if (isSum)
        value = isMean ? roundToType(type, sum.get()) / static_cast<double>(members) : sum.get();
      floats[i] = roundToType(type, value);
      continue;
    }
    int64_t value = first.ints()[i];
    for (const SmallVector<Tensor> &inputs : ArrayRef(exchange.inputs).drop_front()) {
      int64_t next = inputs[number].ints()[i];
      if (first.isBool())
        value = isSum || reduceOp == "max" ? value | next : value & next;
      else if (isSum)
        value = wrapAdd(value, next);
      else if (isProduct)
        value = wrapMul(value, next);
      else
        value = isMin ? std::min(value, next) : std::max(value, next);
    }
    ints[i] = wrapToType(type, value);
  }
  return result;
}

static FailureOr<Tensor> evaluateAllReduce(AllReduceOp op, Evaluation &evaluation) {
  FailureOr<Exchange> exchange = evaluation.exchange(op.getGroupName(), std::nullopt, {evaluation.get(op.getInput())});
  if (failed(exchange))
    return failure();
  return reduce(evaluation, op.getReduceOp(), *exchange, 0);
}

static LogicalResult evaluateAllReduceCoalesced(AllReduceCoalescedOp op, Evaluation &evaluation,
                                                SmallVectorImpl<Tensor> &results) {
  FailureOr<Exchange> exchange = evaluation.exchange(op.getGroupName(), std::nullopt, evaluation.get(op.getInputs()));
  if (failed(exchange))
    return failure();
  for (unsigned i = 0; i < op.getInputs().size(); ++i) {
    FailureOr<Tensor> result = reduce(evaluation, op.getReduceOp(), *exchange, i);
    if (failed(result))
      return failure();
    results.push_back(std::move(*result));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Gathers and scatters
//===----------------------------------------------------------------------===//

/// A dimension of a tensor of this rank, counted from the front.
static int64_t countFromFront(int64_t dim, int64_t rank) { return dim < 0 ? dim + rank : dim; }

/// The inputs with a number of all processes, joined along a dimension.
static FailureOr<Tensor> gather(Evaluation &evaluation, const Exchange &exchange, int64_t dim, unsigned number = 0) {
  const Tensor &own = exchange.inputs[exchange.position][number];
  SmallVector<int64_t> shape(own.getShape());
  shape[dim] *= exchange.inputs.size();
  if (failed(evaluation.checkSize(shape)))
    return failure();
  Tensor result(own.getElementType(), shape);
  for (auto [i, inputs] : llvm::enumerate(exchange.inputs))
    pasteAlongDim(result, inputs[number], dim, i * own.getDim(dim));
  return result;
}

/// This process' part along a dimension.
static FailureOr<Tensor> scatter(Evaluation &evaluation, const Exchange &exchange, const Tensor &whole, int64_t dim) {
  auto members = static_cast<int64_t>(exchange.inputs.size());
  if (whole.getDim(dim) % members != 0)
    return evaluation.error("expected extent " + Twine(whole.getDim(dim)) + " of dimension " + Twine(dim) +
                            " to be a multiple of group_size " + Twine(members));
  SmallVector<int64_t> shape(whole.getShape()), strides = whole.getStrides();
  shape[dim] /= members;
  return stridedCopy(whole, shape, exchange.position * shape[dim] * strides[dim], strides);
}

static FailureOr<Tensor> evaluateAllGather(AllGatherIntoTensorOp op, Evaluation &evaluation) {
  FailureOr<Exchange> exchange =
      evaluation.exchange(op.getGroupName(), op.getGroupSize(), {evaluation.get(op.getInput())});
  if (failed(exchange))
    return failure();
  return gather(evaluation, *exchange, 0);
}

static FailureOr<Tensor> evaluateReduceScatter(ReduceScatterTensorOp op, Evaluation &evaluation) {
  FailureOr<Exchange> exchange =
      evaluation.exchange(op.getGroupName(), op.getGroupSize(), {evaluation.get(op.getInput())});
  if (failed(exchange))
    return failure();
  FailureOr<Tensor> sum = reduce(evaluation, op.getReduceOp(), *exchange, 0);
  if (failed(sum))
    return failure();
  return scatter(evaluation, *exchange, *sum, 0);
}

static LogicalResult evaluateAllGatherCoalesced(AllGatherIntoTensorCoalescedOp op, Evaluation &evaluation,
                                                SmallVectorImpl<Tensor> &results) {
  FailureOr<Exchange> exchange =
      evaluation.exchange(op.getGroupName(), op.getGroupSize(), evaluation.get(op.getInputs()));
  if (failed(exchange))
    return failure();
  for (unsigned i = 0; i < op.getInputs().size(); ++i) {
    FailureOr<Tensor> result = gather(evaluation, *exchange, 0, i);
    if (failed(result))
      return failure();
    results.push_back(std::move(*result));
  }
  return success();
}

static LogicalResult evaluateReduceScatterCoalesced(ReduceScatterTensorCoalescedOp op, Evaluation &evaluation,
                                                    SmallVectorImpl<Tensor> &results) {
  FailureOr<Exchange> exchange =
      evaluation.exchange(op.getGroupName(), op.getGroupSize(), evaluation.get(op.getInputs()));
  if (failed(exchange))
    return failure();
  for (unsigned i = 0; i < op.getInputs().size(); ++i) {
    FailureOr<Tensor> sum = reduce(evaluation, op.getReduceOp(), *exchange, i);
    if (failed(sum))
      return failure();
    FailureOr<Tensor> part = scatter(evaluation, *exchange, *sum, 0);
    if (failed(part))
      return failure();
    results.push_back(std::move(*part));
  }
  return success();
}

static FailureOr<Tensor> evaluateBroadcast(BroadcastOp op, Evaluation &evaluation) {
  FailureOr<Exchange> exchange = evaluation.exchange(op.getGroupName(), std::nullopt, {evaluation.get(op.getInput())});
  if (failed(exchange))
    return failure();
  if (op.getSrc() >= exchange->inputs.size())
    return evaluation.error("expected src below " + Twine(exchange->inputs.size()) +
                            ", the number of processes, but got " + Twine(op.getSrc()));
  return exchange->inputs[op.getSrc()].front();
}

static FailureOr<Tensor> evaluateAllToAll(AllToAllSingleOp op, Evaluation &evaluation) {
  ArrayRef<int64_t> given = op.getInputSplitSizes(), taken = op.getOutputSplitSizes();
  FailureOr<Exchange> exchange =
      evaluation.exchange(op.getGroupName(), static_cast<int64_t>(given.size()), {evaluation.get(op.getInput())});
  if (failed(exchange))
    return failure();
  const Tensor &own = exchange->inputs[exchange->position].front();
  int64_t sum = std::accumulate(given.begin(), given.end(), int64_t(0));
  if (own.getDim(0) != sum)
    return evaluation.error("expected input splits that add up to " + Twine(own.getDim(0)) + " but got " + Twine(sum));
  // All processes have the same splits: they have started the same op.
  int64_t size = given[exchange->position];
  int64_t first = std::accumulate(given.begin(), given.begin() + exchange->position, int64_t(0)), to = 0;
  SmallVector<int64_t> shape(own.getShape());
  shape[0] = std::accumulate(taken.begin(), taken.end(), int64_t(0));
  if (failed(evaluation.checkSize(shape)))
    return failure();
  Tensor result(own.getElementType(), shape);
  for (auto [process, inputs] : llvm::enumerate(exchange->inputs)) {
    if (taken[process] != size)
      return evaluation.error("expected process " + Twine(process) + " to give " + Twine(taken[process]) +
                              " rows to process " + Twine(exchange->position) + " but it gives " + Twine(size));
    const Tensor &input = inputs.front();
    SmallVector<int64_t> part(input.getShape()), strides = input.getStrides();
    part[0] = size;
    pasteAlongDim(result, stridedCopy(input, part, first * strides[0], strides), 0, to);
    to += size;
  }
  return result;
}

static FailureOr<Tensor> evaluateWaitTensor(WaitTensorOp op, Evaluation &evaluation) {
  return evaluation.take(op.getInput());
}

//===----------------------------------------------------------------------===//
// With products
//===----------------------------------------------------------------------===//

/// What all processes have, in one tensor.
template <typename OpTy>
static FailureOr<Tensor> gatherShards(OpTy op, Evaluation &evaluation) {
  const Tensor &shard = evaluation.get(op.getShard());
  FailureOr<Exchange> exchange = evaluation.exchange(op.getGroupName(), op.getGroupSize(), {shard});
  if (failed(exchange))
    return failure();
  return gather(evaluation, *exchange, countFromFront(op.getGatherDim(), shard.getRank()));
}

/// This process' part of the sum of what all have.
template <typename OpTy>
static FailureOr<Tensor> scatterSum(OpTy op, Evaluation &evaluation, const Tensor &product) {
  FailureOr<Exchange> exchange = evaluation.exchange(op.getGroupName(), op.getGroupSize(), {product});
  if (failed(exchange))
    return failure();
  FailureOr<Tensor> sum = reduce(evaluation, op.getReduceOp(), *exchange, 0);
  if (failed(sum))
    return failure();
  return scatter(evaluation, *exchange, *sum, countFromFront(op.getScatterDim(), sum->getRank()));
}

static LogicalResult evaluateFusedAllGatherMatmul(FusedAllGatherMatmulOp op, Evaluation &evaluation,
                                                  SmallVectorImpl<Tensor> &results) {
  FailureOr<Tensor> whole = gatherShards(op, evaluation);
  if (failed(whole))
    return failure();
  if (op.getReturnA())
    results.push_back(*whole);
  for (const Tensor &weight : evaluation.get(op.getWeights())) {
    FailureOr<Tensor> product = evaluateProduct(evaluation, *whole, weight);
    if (failed(product))
      return failure();
    results.push_back(std::move(*product));
  }
  return success();
}

static FailureOr<Tensor> evaluateFusedMatmulReduceScatter(FusedMatmulReduceScatterOp op, Evaluation &evaluation) {
  FailureOr<Tensor> product =
      evaluateProduct(evaluation, evaluation.get(op.getInput()), evaluation.get(op.getWeight()));
  if (failed(product))
    return failure();
  return scatterSum(op, evaluation, *product);
}

static LogicalResult evaluateFusedAllGatherScaledMatmul(FusedAllGatherScaledMatmulOp op, Evaluation &evaluation,
                                                        SmallVectorImpl<Tensor> &results) {
  FailureOr<Tensor> whole = gatherShards(op, evaluation);
  if (failed(whole))
    return failure();
  if (op.getReturnA())
    results.push_back(*whole);
  for (auto [i, weight] : llvm::enumerate(op.getWeights())) {
    Type type = cast<RankedTensorType>(op.getOutputs()[i + op.getReturnA()].getType()).getElementType();
    FailureOr<Tensor> product =
        evaluateScaledProduct(evaluation, *whole, evaluation.get(weight), evaluation.get(op.getScaleA()),
                              evaluation.get(op.getWeightScales()[i]),
                              op.getBiases().empty() ? nullptr : &evaluation.get(op.getBiases()[i]), type);
    if (failed(product))
      return failure();
    results.push_back(std::move(*product));
  }
  return success();
}

static FailureOr<Tensor> evaluateFusedScaledMatmulReduceScatter(FusedScaledMatmulReduceScatterOp op,
                                                                Evaluation &evaluation) {
  FailureOr<Tensor> product =
      evaluateScaledProduct(evaluation, evaluation.get(op.getInput()), evaluation.get(op.getWeight()),
                            evaluation.get(op.getScaleA()), evaluation.get(op.getScaleB()),
                            op.getBias() ? &evaluation.get(op.getBias()) : nullptr, op.getType().getElementType());
  if (failed(product))
    return failure();
  return scatterSum(op, evaluation, *product);
}

void fxgraph::registerCollectiveEvaluators(EvaluatorRegistry &registry) {
  registry.add<AllReduceOp>(evaluateAllReduce);
  registry.add<AllReduceCoalescedOp>(evaluateAllReduceCoalesced);
  registry.add<AllGatherIntoTensorOp>(evaluateAllGather);
  registry.add<ReduceScatterTensorOp>(evaluateReduceScatter);
  registry.add<AllGatherIntoTensorCoalescedOp>(evaluateAllGatherCoalesced);
  registry.add<ReduceScatterTensorCoalescedOp>(evaluateReduceScatterCoalesced);
  registry.add<BroadcastOp>(evaluateBroadcast);
  registry.add<AllToAllSingleOp>(evaluateAllToAll);
  registry.add<WaitTensorOp>(evaluateWaitTensor);
  registry.add<FusedAllGatherMatmulOp>(evaluateFusedAllGatherMatmul);
  registry.add<FusedMatmulReduceScatterOp>(evaluateFusedMatmulReduceScatter);
  registry.add<FusedAllGatherScaledMatmulOp>(evaluateFusedAllGatherScaledMatmul);
  registry.add<FusedScaledMatmulReduceScatterOp>(evaluateFusedScaledMatmulReduceScatter);
}
