// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives: types and constraints.
//
// PyTorch: torch/distributed/_functional_collectives.py, _symmetric_memory/__init__.py.

#include "fxgraph/Dialect/IR/FxGraphOps.h"

#include "InferUtils.h"

using namespace fxgraph;

void FxGraphDialect::registerCollectiveOps() {
  addOperations<
#define GET_OP_LIST
#include "fxgraph/Dialect/IR/OpsCollective.cpp.inc"
      >();
}

static LogicalResult checkReduceOp(std::optional<Location> loc, StringRef name) {
  // reduce_op_c1
  if (llvm::is_contained({"sum", "avg", "product", "min", "max"}, name))
    return success();
  return emitOptional(loc) << "expected reduce_op to be sum, avg, product, min or max but got " << name;
}

static LogicalResult checkGroupSize(std::optional<Location> loc, int64_t size) {
  // group_c1
  if (size > 0)
    return success();
  return emitOptional(loc) << "expected group_size > 0 but got " << size;
}

/// `dims` with one extent multiplied by the group's size.
static FailureOr<Dims> gatherDim(std::optional<Location> loc, Dims dims, int64_t dim, int64_t groupSize) {
  int64_t extent;
  if (!dims[dim].isStatic())
    dims[dim] = groupSize == 1 ? dims[dim] : Dim::unknown();
  else if (!llvm::MulOverflow(dims[dim].getExtent(), groupSize, extent))
    dims[dim] = extent;
  else
    return LogicalResult(emitOptional(loc) << "expected a result extent that fits 64 bits but it overflows");
  return dims;
}

/// `dims` with one extent divided by the group's size.
static FailureOr<Dims> scatterDim(std::optional<Location> loc, Dims dims, int64_t dim, int64_t groupSize) {
  // reduce_scatter_c1, fused_reduce_scatter_c2
  if (!dims[dim].isStatic())
    dims[dim] = groupSize == 1 ? dims[dim] : Dim::unknown();
  else if (dims[dim].getExtent() % groupSize == 0)
    dims[dim] = dims[dim].getExtent() / groupSize;
  else
    return LogicalResult(emitOptional(loc) << "expected extent " << dims[dim].getExtent() << " of dimension " << dim
                                           << " to be a multiple of group_size " << groupSize);
  return dims;
}

LogicalResult AllReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, AllReduceOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  if (failed(checkReduceOp(loc, adaptor.getReduceOp())))
    return failure();
  inferred.push_back(adaptor.getInput().getType());
  return success();
}

LogicalResult AllReduceCoalescedOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                     AllReduceCoalescedOp::Adaptor adaptor,
                                                     SmallVectorImpl<Type> &inferred) {
  // coalesced_c1
  if (adaptor.getInputs().empty())
    return emitOptional(loc) << "expected at least one input but got none";
  if (failed(checkReduceOp(loc, adaptor.getReduceOp())))
    return failure();
  llvm::append_range(inferred, adaptor.getInputs().getTypes());
  return success();
}

/// What a process has of the group's inputs of one type: all of them along dimension 0, or its part of their reduction.
static LogicalResult inferSized(std::optional<Location> loc, mlir::ValueRange inputs, int64_t groupSize,
                                function_ref<FailureOr<Dims>(std::optional<Location>, Dims, int64_t, int64_t)> resize,
                                SmallVectorImpl<Type> &inferred) {
  if (failed(checkGroupSize(loc, groupSize)))
    return failure();
  // coalesced_c1
  if (inputs.empty())
    return emitOptional(loc) << "expected at least one input but got none";
  for (Value each : inputs) {
    RankedTensorType input = tensorTypeOf(each);
    // all_gather_c1, reduce_scatter_c1
    if (failed(expectRankAtLeast(loc, input, 1, "input")))
      return failure();
    FailureOr<Dims> dims = resize(loc, getDims(input), 0, groupSize);
    if (failed(dims))
      return failure();
    inferred.push_back(withDims(input, *dims));
  }
  return success();
}

LogicalResult AllGatherIntoTensorOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                      AllGatherIntoTensorOp::Adaptor adaptor,
                                                      SmallVectorImpl<Type> &inferred) {
  return inferSized(loc, adaptor.getOperands(), static_cast<int64_t>(adaptor.getGroupSize()), gatherDim, inferred);
}

LogicalResult AllGatherIntoTensorCoalescedOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                               AllGatherIntoTensorCoalescedOp::Adaptor adaptor,
                                                               SmallVectorImpl<Type> &inferred) {
  return inferSized(loc, adaptor.getInputs(), static_cast<int64_t>(adaptor.getGroupSize()), gatherDim, inferred);
}

LogicalResult ReduceScatterTensorOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                      ReduceScatterTensorOp::Adaptor adaptor,
                                                      SmallVectorImpl<Type> &inferred) {
  if (failed(checkReduceOp(loc, adaptor.getReduceOp())))
    return failure();
  return inferSized(loc, adaptor.getOperands(), static_cast<int64_t>(adaptor.getGroupSize()), scatterDim, inferred);
}

LogicalResult ReduceScatterTensorCoalescedOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                               ReduceScatterTensorCoalescedOp::Adaptor adaptor,
                                                               SmallVectorImpl<Type> &inferred) {
  if (failed(checkReduceOp(loc, adaptor.getReduceOp())))
    return failure();
  return inferSized(loc, adaptor.getInputs(), static_cast<int64_t>(adaptor.getGroupSize()), scatterDim, inferred);
}

LogicalResult BroadcastOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, BroadcastOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  // broadcast_c1
  if (auto src = static_cast<int64_t>(adaptor.getSrc()); src < 0)
    return emitOptional(loc) << "expected src >= 0 but got " << src;
  inferred.push_back(adaptor.getInput().getType());
  return success();
}

LogicalResult AllToAllSingleOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                 AllToAllSingleOp::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  // all_to_all_c1
  if (failed(expectRankAtLeast(loc, input, 1, "input")))
    return failure();
  ArrayRef<int64_t> given = adaptor.getInputSplitSizes(), taken = adaptor.getOutputSplitSizes();
  // all_to_all_c2
  if (given.empty() || given.size() != taken.size())
    return emitOptional(loc) << "expected as many output splits as input splits, at least one, but got " << taken.size()
                             << " and " << given.size();
  for (int64_t split : llvm::concat<const int64_t>(given, taken))
    if (split < 0)
      return emitOptional(loc) << "expected splits >= 0 but got " << split;
  auto addUp = [](ArrayRef<int64_t> splits, int64_t &sum) {
    sum = 0;
    return llvm::none_of(splits, [&](int64_t split) { return llvm::AddOverflow(sum, split, sum); });
  };
  int64_t given0, taken0;
  if (!addUp(given, given0) || !addUp(taken, taken0))
    return emitOptional(loc) << "expected splits whose sum fits 64 bits but it overflows";
  // all_to_all_c3
  Dims dims = getDims(input);
  if (dims[0].isStatic() && dims[0].getExtent() != given0)
    return emitOptional(loc) << "expected input splits that add up to " << dims[0].getExtent() << " but got " << given0;
  dims[0] = taken0;
  inferred.push_back(withDims(input, dims));
  return success();
}

LogicalResult WaitTensorOp::inferReturnTypes(MLIRContext *, std::optional<Location>, WaitTensorOp::Adaptor adaptor,
                                             SmallVectorImpl<Type> &inferred) {
  inferred.push_back(adaptor.getInput().getType());
  return success();
}

/// [*, k] x [k, n].
static FailureOr<Dims> inferRowsProduct(std::optional<Location> loc, Dims input, RankedTensorType weight) {
  // fused_all_gather_c2, fused_reduce_scatter_c1
  if (failed(expectRank(loc, weight, 2, "weight")))
    return failure();
  if (input.empty())
    return LogicalResult(emitOptional(loc) << "expected input of rank >= 1 but got rank 0");
  if (failed(expectSameDim(loc, input.back(), getDims(weight)[0], "first extent of the weight")))
    return failure();
  input.back() = getDims(weight)[1];
  return input;
}

LogicalResult FusedAllGatherMatmulOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                       FusedAllGatherMatmulOp::Adaptor adaptor,
                                                       SmallVectorImpl<Type> &inferred) {
  RankedTensorType shard = tensorTypeOf(adaptor.getShard());
  auto size = static_cast<int64_t>(adaptor.getGroupSize());
  if (failed(expectUniform(loc, adaptor.getOperands())) || failed(checkGroupSize(loc, size)))
    return failure();
  // fused_all_gather_c1
  FailureOr<int64_t> dim = normalizeDimOf(loc, shard, static_cast<int64_t>(adaptor.getGatherDim()));
  if (failed(dim))
    return failure();
  FailureOr<Dims> gathered = gatherDim(loc, getDims(shard), *dim, size);
  if (failed(gathered))
    return failure();
  if (adaptor.getReturnA())
    inferred.push_back(withDims(shard, *gathered));
  for (Value weight : adaptor.getWeights()) {
    FailureOr<Dims> product = inferRowsProduct(loc, *gathered, tensorTypeOf(weight));
    if (failed(product))
      return failure();
    inferred.push_back(withDims(shard, *product));
  }
  return success();
}

LogicalResult FusedMatmulReduceScatterOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                           FusedMatmulReduceScatterOp::Adaptor adaptor,
                                                           SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  auto size = static_cast<int64_t>(adaptor.getGroupSize());
  if (failed(expectUniform(loc, adaptor.getOperands())) || failed(checkReduceOp(loc, adaptor.getReduceOp())) ||
      failed(checkGroupSize(loc, size)))
    return failure();
  FailureOr<Dims> product = inferRowsProduct(loc, getDims(input), tensorTypeOf(adaptor.getWeight()));
  if (failed(product))
    return failure();
  FailureOr<int64_t> dim =
      normalizeDim(loc, static_cast<int64_t>(adaptor.getScatterDim()), product->size(), "scatter_dim");
  if (failed(dim))
    return failure();
  FailureOr<Dims> dims = scatterDim(loc, *product, *dim, size);
  if (failed(dims))
    return failure();
  inferred.push_back(withDims(input, *dims));
  return success();
}

/// The value with a dimension at another place; the others keep their order.
static Value moveDim(OpBuilder &builder, Location loc, Value value, int64_t from, int64_t to) {
  if (from == to)
    return value;
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, tensorTypeOf(value).getRank()));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return PermuteOp::create(builder, loc, value, order);
}

/// The shards of all processes along `gather_dim`.
template <typename OpTy>
static Value createGathered(OpBuilder &builder, OpTy op) {
  Location loc = op.getLoc();
  int64_t dim = wrapDim(op.getGatherDim(), op.getShard().getType().getRank());
  Value gathered = AllGatherIntoTensorOp::create(builder, loc, moveDim(builder, loc, op.getShard(), dim, 0),
                                                 op.getGroupSizeAttr(), op.getGroupNameAttr());
  return moveDim(builder, loc, WaitTensorOp::create(builder, loc, gathered), 0, dim);
}

/// This process' part along `scatter_dim` of what all products are reduced to.
template <typename OpTy>
static Value createScattered(OpBuilder &builder, OpTy op, Value product) {
  Location loc = op.getLoc();
  int64_t dim = wrapDim(op.getScatterDim(), tensorTypeOf(product).getRank());
  Value part = ReduceScatterTensorOp::create(builder, loc, moveDim(builder, loc, product, dim, 0), op.getReduceOpAttr(),
                                             op.getGroupSizeAttr(), op.getGroupNameAttr());
  return moveDim(builder, loc, WaitTensorOp::create(builder, loc, part), 0, dim);
}

FailureOr<SmallVector<Value>> FusedAllGatherMatmulOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Value gathered = createGathered(builder, *this);
  SmallVector<Value> results;
  if (getReturnA())
    results.push_back(gathered);
  for (Value weight : getWeights())
    results.push_back(MatmulOp::create(builder, loc, gathered, weight));
  for (auto [result, original] : llvm::zip_equal(results, getOutputs()))
    withTypeOf(result, original);
  return results;
}

FailureOr<SmallVector<Value>> FusedMatmulReduceScatterOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Value product = MatmulOp::create(builder, loc, getInput(), getWeight());
  return SmallVector<Value>{withTypeOf(createScattered(builder, *this, product), getResult())};
}

//===----------------------------------------------------------------------===//
// Products of 8-bit floats
//===----------------------------------------------------------------------===//

static LogicalResult verifyRows(Operation *op, RankedTensorType type, int64_t dim) {
  // fused_all_gather_scaled_c1, fused_scaled_reduce_scatter_c1
  if (dim == type.getRank() - 1)
    return op->emitOpError() << "expected another dimension than the last but got " << dim << " of rank "
                             << type.getRank();
  // scaled_rows_c1
  if (type.getRank() > 2 && !type.hasStaticShape())
    return op->emitOpError() << "expected known extents of more than two dimensions but got " << type;
  return success();
}

static LogicalResult verifyProduct(Operation *op, ArrayRef<Dim> expected, StringAttr device, Value result) {
  // scaled_product_c3
  if (getDevice(tensorTypeOf(result)) != device)
    return op->emitOpError() << "expected a result on the operands' device but got " << result.getType();
  return expectShape(op->getLoc(), expected, getDims(tensorTypeOf(result)), "result");
}

LogicalResult FusedAllGatherScaledMatmulOp::verify() {
  RankedTensorType shard = tensorTypeOf(getShard());
  auto size = static_cast<int64_t>(getGroupSize());
  FailureOr<StringAttr> device = commonDevice(getLoc(), getOperands());
  if (failed(device) || failed(checkGroupSize(getLoc(), size)))
    return failure();
  FailureOr<int64_t> dim = normalizeDimOf(getLoc(), shard, static_cast<int64_t>(getGatherDim()));
  if (failed(dim) || failed(verifyRows(*this, shard, *dim)))
    return failure();
  FailureOr<Dims> gathered = gatherDim(getLoc(), getDims(shard), *dim, size);
  if (failed(gathered))
    return failure();
  size_t count = getWeights().size();
  // fused_all_gather_scaled_c2
  if (getWeightScales().size() != count || (!getBiases().empty() && getBiases().size() != count))
    return emitOpError() << "expected a scale, and a bias or none, for each of " << count << " weights but got "
                         << getWeightScales().size() << " scales and " << getBiases().size() << " biases";
  // fused_all_gather_scaled_c3
  if (getOutputs().size() != count + getReturnA())
    return emitOpError() << "expected " << count + getReturnA() << " results but got " << getOutputs().size();
  if (getReturnA() && getOutputs().front().getType() != withDims(shard, *gathered))
    return emitOpError() << "expected the first result to be " << withDims(shard, *gathered) << " but got "
                         << getOutputs().front().getType();
  for (auto [i, weight, scale, result] :
       llvm::enumerate(getWeights(), getWeightScales(), getOutputs().take_back(count))) {
    FailureOr<Dims> product = inferRowsProduct(getLoc(), *gathered, tensorTypeOf(weight));
    if (failed(product) ||
        failed(verifyScales(*this, countRows(*gathered), product->back(), getScaleA(), scale,
                            getBiases().empty() ? Value() : getBiases()[i])) ||
        failed(verifyProduct(*this, *product, *device, result)))
      return failure();
  }
  return success();
}

LogicalResult FusedScaledMatmulReduceScatterOp::verify() {
  RankedTensorType input = tensorTypeOf(getInput());
  auto size = static_cast<int64_t>(getGroupSize());
  FailureOr<StringAttr> device = commonDevice(getLoc(), getOperands());
  if (failed(device) || failed(checkReduceOp(getLoc(), getReduceOp())) || failed(checkGroupSize(getLoc(), size)))
    return failure();
  FailureOr<Dims> product = inferRowsProduct(getLoc(), getDims(input), tensorTypeOf(getWeight()));
  if (failed(product))
    return failure();
  FailureOr<int64_t> dim =
      normalizeDim(getLoc(), static_cast<int64_t>(getScatterDim()), product->size(), "scatter_dim");
  if (failed(dim) || failed(verifyRows(*this, input, *dim)) ||
      failed(verifyScales(*this, countRows(getDims(input)), product->back(), getScaleA(), getScaleB(), getBias())))
    return failure();
  FailureOr<Dims> dims = scatterDim(getLoc(), *product, *dim, size);
  return failed(dims) ? failure() : verifyProduct(*this, *dims, *device, getResult());
}

/// The scaled product of the rows of `input`, in its shape; `type` gives the dtype.
static Value createRowsProduct(OpBuilder &builder, Location loc, Value input, Value weight, Value scaleA, Value scaleB,
                               Value bias, bool useFastAccum, Type element) {
  RankedTensorType type = tensorTypeOf(input);
  Dims dims = getDims(type);
  Dim columns = getDims(tensorTypeOf(weight)).back();
  bool isMatrix = dims.size() == 2;
  Dims flat{countRows(dims), dims.back()}, product{countRows(dims), columns};
  if (!isMatrix)
    input = ReshapeOp::create(builder, loc, input, ArrayRef<int64_t>{flat[0].getExtent(), type.getShape().back()});
  Value result = ScaledMmOp::create(builder, loc, withElementType(withDims(type, product), element), input, weight,
                                    scaleA, scaleB, bias, useFastAccum);
  if (isMatrix)
    return result;
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = tensorTypeOf(weight).getDimSize(1);
  return ReshapeOp::create(builder, loc, result, shape);
}

FailureOr<SmallVector<Value>> FusedAllGatherScaledMatmulOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Value gathered = createGathered(builder, *this);
  SmallVector<Value> results;
  if (getReturnA())
    results.push_back(withTypeOf(gathered, getOutputs().front()));
  for (auto [i, weight] : llvm::enumerate(getWeights())) {
    Value original = getOutputs()[i + getReturnA()];
    Value product = createRowsProduct(builder, loc, gathered, weight, getScaleA(), getWeightScales()[i],
                                      getBiases().empty() ? Value() : getBiases()[i], getUseFastAccum(),
                                      tensorTypeOf(original).getElementType());
    results.push_back(withTypeOf(product, original));
  }
  return results;
}

FailureOr<SmallVector<Value>> FusedScaledMatmulReduceScatterOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Value product = createRowsProduct(builder, loc, getInput(), getWeight(), getScaleA(), getScaleB(), getBias(),
                                    getUseFastAccum(), getType().getElementType());
  return SmallVector<Value>{withTypeOf(createScattered(builder, *this, product), getResult())};
}

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsCollective.cpp.inc"
