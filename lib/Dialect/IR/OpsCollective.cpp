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
  emitOptional(loc) << "expected reduce_op to be sum, avg, product, min or max but got " << name;
  return failure();
}

static LogicalResult checkGroupSize(std::optional<Location> loc, int64_t size) {
  // group_c1
  if (size > 0)
    return success();
  emitOptional(loc) << "expected group_size > 0 but got " << size;
  return failure();
}

/// `dims` with one extent multiplied by the group's size.
static Dims gatherDim(Dims dims, int64_t dim, int64_t groupSize) {
  dims[dim] = dims[dim].isStatic() ? Dim(dims[dim].getExtent() * groupSize)
                                   : groupSize == 1 ? dims[dim] : Dim::unknown();
  return dims;
}

/// `dims` with one extent divided by the group's size.
static FailureOr<Dims> scatterDim(std::optional<Location> loc, Dims dims, int64_t dim, int64_t groupSize) {
  // reduce_scatter_c1, fused_reduce_scatter_c2
  if (dims[dim].isStatic() && dims[dim].getExtent() % groupSize != 0) {
    emitOptional(loc) << "expected extent " << dims[dim].getExtent() << " of dimension " << dim
                      << " to be a multiple of group_size " << groupSize;
    return failure();
  }
  dims[dim] = dims[dim].isStatic() ? Dim(dims[dim].getExtent() / groupSize)
                                   : groupSize == 1 ? dims[dim] : Dim::unknown();
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
  if (adaptor.getInputs().empty()) {
    emitOptional(loc) << "expected at least one input but got none";
    return failure();
  }
  if (failed(checkReduceOp(loc, adaptor.getReduceOp())))
    return failure();
  llvm::append_range(inferred, adaptor.getInputs().getTypes());
  return success();
}

LogicalResult AllGatherIntoTensorOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                      AllGatherIntoTensorOp::Adaptor adaptor,
                                                      SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  auto size = static_cast<int64_t>(adaptor.getGroupSize());
  // all_gather_c1
  if (failed(checkGroupSize(loc, size)) || failed(expectRankAtLeast(loc, input, 1, "input")))
    return failure();
  inferred.push_back(withDims(input, gatherDim(getDims(input), 0, size)));
  return success();
}

LogicalResult ReduceScatterTensorOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                      ReduceScatterTensorOp::Adaptor adaptor,
                                                      SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  auto size = static_cast<int64_t>(adaptor.getGroupSize());
  if (failed(checkReduceOp(loc, adaptor.getReduceOp())) || failed(checkGroupSize(loc, size)) ||
      failed(expectRankAtLeast(loc, input, 1, "input")))
    return failure();
  FailureOr<Dims> dims = scatterDim(loc, getDims(input), 0, size);
  if (failed(dims))
    return failure();
  inferred.push_back(withDims(input, *dims));
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
  if (input.empty()) {
    emitOptional(loc) << "expected input of rank >= 1 but got rank 0";
    return failure();
  }
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
  FailureOr<StringAttr> device = expectUniform(loc, adaptor.getOperands());
  // fused_all_gather_c1
  FailureOr<int64_t> dim = failed(device) || failed(checkGroupSize(loc, size))
                               ? FailureOr<int64_t>(failure())
                               : normalizeDimOf(loc, shard, static_cast<int64_t>(adaptor.getGatherDim()));
  if (failed(dim))
    return failure();
  Dims gathered = gatherDim(getDims(shard), *dim, size);
  if (adaptor.getReturnA())
    inferred.push_back(withDims(shard, gathered));
  for (Value weight : adaptor.getWeights()) {
    FailureOr<Dims> product = inferRowsProduct(loc, gathered, tensorTypeOf(weight));
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
  FailureOr<int64_t> dim =
      failed(product) ? FailureOr<int64_t>(failure())
                      : normalizeDim(loc, static_cast<int64_t>(adaptor.getScatterDim()), product->size(), "scatter_dim");
  if (failed(dim))
    return failure();
  FailureOr<Dims> dims = scatterDim(loc, *product, *dim, size);
  if (failed(dims))
    return failure();
  inferred.push_back(withDims(input, *dims));
  return success();
}

/// The dimension first, the others in order behind it; or back again.
static Value moveToFront(OpBuilder &builder, Location loc, Value value, int64_t dim, bool back) {
  if (dim == 0)
    return value;
  SmallVector<int64_t> order;
  int64_t rank = tensorTypeOf(value).getRank();
  if (!back)
    order.push_back(dim);
  for (int64_t i = back ? 1 : 0; i < rank; ++i) {
    if (back && static_cast<int64_t>(order.size()) == dim)
      order.push_back(0);
    if (back || i != dim)
      order.push_back(i);
  }
  if (back && static_cast<int64_t>(order.size()) == dim)
    order.push_back(0);
  return PermuteOp::create(builder, loc, value, order);
}

FailureOr<SmallVector<Value>> FusedAllGatherMatmulOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  int64_t dim = wrapDim(getGatherDim(), getShard().getType().getRank());
  Value front = moveToFront(builder, loc, getShard(), dim, /*back=*/false);
  Value gathered = AllGatherIntoTensorOp::create(builder, loc, front, getGroupSizeAttr(), getGroupNameAttr());
  gathered = WaitTensorOp::create(builder, loc, gathered);
  gathered = moveToFront(builder, loc, gathered, dim, /*back=*/true);
  SmallVector<Value> results;
  if (getReturnA())
    results.push_back(gathered);
  for (Value weight : getWeights())
    results.push_back(MatmulOp::create(builder, loc, gathered, weight));
  for (auto [result, old] : llvm::zip_equal(results, getOutputs()))
    result.setType(old.getType());
  return results;
}

FailureOr<SmallVector<Value>> FusedMatmulReduceScatterOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Value product = MatmulOp::create(builder, loc, getInput(), getWeight());
  int64_t dim = wrapDim(getScatterDim(), tensorTypeOf(product).getRank());
  Value front = moveToFront(builder, loc, product, dim, /*back=*/false);
  Value part = ReduceScatterTensorOp::create(builder, loc, front, getReduceOpAttr(), getGroupSizeAttr(), getGroupNameAttr());
  part = WaitTensorOp::create(builder, loc, part);
  part = moveToFront(builder, loc, part, dim, /*back=*/true);
  part.setType(getResult().getType());
  return SmallVector<Value>{part};
}

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsCollective.cpp.inc"
