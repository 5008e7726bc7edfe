// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexing by tensors: types and constraints.
//
// PyTorch: aten/src/ATen/native/{TensorAdvancedIndexing,Embedding}.cpp and
// TensorAdvancedIndexingUtils.h.

#include "fxgraph/Dialect/IR/FxGraphOps.h"

#include "InferUtils.h"

using namespace fxgraph;

/// PyTorch indexes with i32 and i64 alone: bools and ui8 are masks, and narrower
/// integers are refused.
static LogicalResult checkIndexType(std::optional<Location> loc, Value index) {
  Type type = tensorTypeOf(index).getElementType();
  // index_type_c1
  if (type.isInteger(32) || type.isInteger(64))
    return success();
  emitOptional(loc) << "expected indices of type i32 or i64 but got " << type;
  return failure();
}

/// Extents of input[..., indices, ...]; see the op's description.
static FailureOr<Dims> inferIndexing(std::optional<Location> loc, Value input, ValueRange indices,
                                     ArrayRef<int64_t> dims) {
  Dims in = getDims(tensorTypeOf(input));
  int64_t rank = in.size();
  // index_c1
  if (indices.empty()) {
    emitOptional(loc) << "expected at least one index tensor but got none";
    return failure();
  }
  // index_c2
  if (indices.size() != dims.size()) {
    emitOptional(loc) << "expected one dim for each of the " << indices.size() << " index tensor(s) but got "
                      << dims.size();
    return failure();
  }
  SmallVector<Dims> shapes;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    // index_c3
    if (dim < 0 || dim >= rank) {
      emitOptional(loc) << "expected dims in [0, " << rank - 1 << "] but got " << dim;
      return failure();
    }
    // index_c3
    if (i > 0 && dim <= dims[i - 1]) {
      emitOptional(loc) << "expected ascending dims but got " << dims[i - 1] << " before " << dim;
      return failure();
    }
    if (failed(checkIndexType(loc, indices[i])))
      return failure();
    shapes.push_back(getDims(tensorTypeOf(indices[i])));
  }
  // index_c4
  FailureOr<Dims> indexed = broadcastDims(loc, shapes);
  if (failed(indexed))
    return failure();
  // index_c5
  // No index is in range for an empty dimension.
  if (llvm::all_of(*indexed, [](const Dim &dim) { return dim.isStatic() && dim.getExtent() != 0; }))
    for (int64_t dim : dims)
      if (in[dim].isStatic() && in[dim].getExtent() == 0) {
        emitOptional(loc) << "expected indexed dimensions of extent > 0 but got 0 in dimension " << dim;
        return failure();
      }
  bool adjacent = dims.back() - dims.front() + 1 == static_cast<int64_t>(dims.size());
  Dims result;
  if (!adjacent)
    result.append(*indexed);
  for (int64_t i = 0; i < rank; ++i) {
    if (adjacent && i == dims.front())
      result.append(*indexed);
    if (!llvm::is_contained(dims, i))
      result.push_back(in[i]);
  }
  return result;
}

template <typename Adaptor>
static LogicalResult inferIndexOp(std::optional<Location> loc, Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  FailureOr<Dims> dims = inferIndexing(loc, adaptor.getInput(), adaptor.getIndices(), adaptor.getDims());
  if (failed(dims) || failed(commonDevice(loc, adaptor.getOperands())))
    return failure();
  inferred.push_back(withDims(tensorTypeOf(adaptor.getInput()), *dims));
  return success();
}

LogicalResult IndexOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, IndexOp::Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  return inferIndexOp(loc, adaptor, inferred);
}
LogicalResult UnsafeIndexOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                              UnsafeIndexOp::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  return inferIndexOp(loc, adaptor, inferred);
}

template <typename Adaptor>
static LogicalResult inferIndexPut(std::optional<Location> loc, Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  FailureOr<Dims> place = inferIndexing(loc, adaptor.getInput(), adaptor.getIndices(), adaptor.getDims());
  // index_put_c1, index_put_c2
  if (failed(place) || failed(commonDevice(loc, adaptor.getOperands())) ||
      failed(expectSameElementType(loc, {adaptor.getInput(), adaptor.getValues()})) ||
      failed(expectBroadcastsTo(loc, fxgraph::getDims(tensorTypeOf(adaptor.getValues())), *place, "values")))
    return failure();
  inferred.push_back(adaptor.getInput().getType());
  return success();
}

LogicalResult IndexPutOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, IndexPutOp::Adaptor adaptor,
                                           SmallVectorImpl<Type> &inferred) {
  return inferIndexPut(loc, adaptor, inferred);
}
LogicalResult UnsafeIndexPutOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                 UnsafeIndexPutOp::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  return inferIndexPut(loc, adaptor, inferred);
}

LogicalResult IndexSelectOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                              IndexSelectOp::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput()), index = tensorTypeOf(adaptor.getIndex());
  if (failed(commonDevice(loc, adaptor.getOperands())) || failed(checkIndexType(loc, adaptor.getIndex())))
    return failure();
  // index_select_c1
  if (index.getRank() > 1) {
    emitOptional(loc) << "expected index of rank 0 or 1 but got rank " << index.getRank();
    return failure();
  }
  // along_dim_c1
  FailureOr<int64_t> dim = normalizeDim(loc, adaptor.getDim(), input.getRank());
  if (failed(dim))
    return failure();
  Dim count = index.getRank() == 0 ? Dim(1) : getDims(index)[0];
  Dims dims = getDims(input);
  if (dims.empty()) {
    // index_select_c2
    // A scalar can be picked once.
    if (failed(expectSameDim(loc, Dim(1), count, "number of indices into a tensor of rank 0")))
      return failure();
  } else {
    dims[*dim] = count;
  }
  inferred.push_back(withDims(input, dims));
  return success();
}

/// Extents with a scalar seen as one element, as gather and scatter do.
static Dims nonScalarDims(RankedTensorType type) {
  Dims dims = getDims(type);
  if (dims.empty())
    dims.push_back(1);
  return dims;
}

/// Error if an extent of `index` provably exceeds that of `other`, but for `except`.
static LogicalResult checkIndexFits(std::optional<Location> loc, ArrayRef<Dim> index, ArrayRef<Dim> other,
                                    std::optional<int64_t> except, StringRef what) {
  // gather_c1
  if (index.size() != other.size()) {
    emitOptional(loc) << "expected index of the rank of " << what << ", " << other.size() << ", but got rank "
                      << index.size();
    return failure();
  }
  for (auto [i, pair] : llvm::enumerate(llvm::zip_equal(index, other))) {
    auto [own, limit] = pair;
    // gather_c2, scatter_c2
    if ((except && static_cast<int64_t>(i) == *except) || !own.isStatic() || !limit.isStatic() ||
        own.getExtent() <= limit.getExtent())
      continue;
    emitOptional(loc) << "expected index of extent <= " << limit.str() << " (" << what << ") in dimension " << i
                      << " but got " << own.str();
    return failure();
  }
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, GatherOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput()), index = tensorTypeOf(adaptor.getIndex());
  // along_dim_c1
  FailureOr<int64_t> dim = normalizeDim(loc, adaptor.getDim(), input.getRank());
  if (failed(dim) || failed(commonDevice(loc, adaptor.getOperands())) ||
      failed(checkIndexType(loc, adaptor.getIndex())))
    return failure();
  // An empty index reads nothing, whatever its shape.
  if (!isProvablyEmpty(getDims(index)) &&
      failed(checkIndexFits(loc, nonScalarDims(index), nonScalarDims(input), *dim, "input")))
    return failure();
  inferred.push_back(makeTensorType(getDims(index), input.getElementType(), getDevice(input)));
  return success();
}

template <typename Adaptor>
static LogicalResult inferScatter(std::optional<Location> loc, Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput()), index = tensorTypeOf(adaptor.getIndex());
  RankedTensorType src = tensorTypeOf(adaptor.getSrc());
  // along_dim_c1, scatter_c1
  FailureOr<int64_t> dim = normalizeDim(loc, adaptor.getDim(), input.getRank());
  if (failed(dim) || failed(commonDevice(loc, adaptor.getOperands())) ||
      failed(expectSameElementType(loc, {adaptor.getInput(), adaptor.getSrc()})) ||
      failed(checkIndexType(loc, adaptor.getIndex())))
    return failure();
  if (!isProvablyEmpty(getDims(index)) &&
      (failed(checkIndexFits(loc, nonScalarDims(index), nonScalarDims(input), *dim, "input")) ||
       failed(checkIndexFits(loc, nonScalarDims(index), nonScalarDims(src), std::nullopt, "src"))))
    return failure();
  inferred.push_back(input);
  return success();
}

LogicalResult ScatterOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ScatterOp::Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  return inferScatter(loc, adaptor, inferred);
}
LogicalResult ScatterAddOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ScatterAddOp::Adaptor adaptor,
                                             SmallVectorImpl<Type> &inferred) {
  return inferScatter(loc, adaptor, inferred);
}

LogicalResult ScatterReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                ScatterReduceOp::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  // scatter_reduce_c1
  StringRef reduce = adaptor.getReduce();
  if (!llvm::is_contained({"sum", "prod", "mean", "amax", "amin"}, reduce)) {
    emitOptional(loc) << "expected reduce to be sum, prod, mean, amax or amin but got '" << reduce << "'";
    return failure();
  }
  return inferScatter(loc, adaptor, inferred);
}

LogicalResult EmbeddingOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, EmbeddingOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  RankedTensorType weight = tensorTypeOf(adaptor.getWeight());
  // embedding_c1
  if (failed(commonDevice(loc, adaptor.getOperands())) || failed(checkIndexType(loc, adaptor.getIndices())) ||
      failed(expectRank(loc, weight, 2, "weight")))
    return failure();
  Dims dims = getDims(tensorTypeOf(adaptor.getIndices()));
  dims.push_back(getDims(weight)[1]);
  inferred.push_back(withDims(weight, dims));
  return success();
}

void FxGraphDialect::registerIndexingOps() {
  addOperations<
#define GET_OP_LIST
#include "fxgraph/Dialect/IR/OpsIndexing.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsIndexing.cpp.inc"
