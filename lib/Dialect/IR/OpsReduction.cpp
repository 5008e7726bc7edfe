// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, scans and sorting: types and constraints.
//
// PyTorch: aten/src/ATen/native/{ReduceOps,TensorCompare,SoftMax,Sorting}.cpp.

#include "fxgraph/Dialect/IR/FxGraphOps.h"

#include "InferUtils.h"

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// Reductions over several dimensions
//===----------------------------------------------------------------------===//

/// Absent and empty dims mean all; a rank-0 tensor has none to reduce.
static SmallVector<int64_t> reducedDims(std::optional<ArrayRef<int64_t>> dims, int64_t rank) {
  SmallVector<int64_t> result;
  if (rank == 0)
    return result;
  if (!dims || dims->empty()) {
    for (int64_t i = 0; i < rank; ++i)
      result.push_back(i);
    return result;
  }
  for (int64_t dim : *dims)
    result.push_back(wrapDim(dim, rank));
  llvm::sort(result);
  return result;
}

/// A reduction without an identity needs at least one element a result; if all
/// dims are reduced by default, PyTorch asks for a non-empty tensor.
static LogicalResult checkHasElements(std::optional<Location> loc, ArrayRef<Dim> input,
                                      std::optional<ArrayRef<int64_t>> dims) {
  for (int64_t dim : reducedDims(dims, input.size()))
    // extremum_c1
    if (input[dim].isStatic() && input[dim].getExtent() == 0) {
      emitOptional(loc) << "expected reduced dimensions of extent > 0 but got 0 in dimension " << dim;
      return failure();
    }
  return success();
}

template <typename Adaptor>
static LogicalResult inferReduction(std::optional<Location> loc, Adaptor adaptor, Type element, bool hasIdentity,
                                    SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  Dims dims = getDims(input);
  // reduction_c1
  FailureOr<Dims> result = reduceDims(loc, dims, adaptor.getDims(), adaptor.getKeepdim());
  if (failed(result) || (!hasIdentity && failed(checkHasElements(loc, dims, adaptor.getDims()))))
    return failure();
  inferred.push_back(makeTensorType(*result, element, getDevice(input)));
  return success();
}

#define FXGRAPH_REDUCTION(OP, ELEMENT, HAS_IDENTITY)                                                                   \
  LogicalResult OP::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, OP::Adaptor adaptor,           \
                                     SmallVectorImpl<Type> &inferred) {                                                \
    Type input = tensorTypeOf(adaptor.getInput()).getElementType();                                                    \
    (void)input;                                                                                                       \
    return inferReduction(loc, adaptor, ELEMENT, HAS_IDENTITY, inferred);                                              \
  }                                                                                                                    \
  SmallVector<int64_t> OP::getReducedDims() { return reducedDims(getDims(), getInput().getType().getRank()); }

FXGRAPH_REDUCTION(SumOp, accumulatedType(input), true)
FXGRAPH_REDUCTION(ProdOp, accumulatedType(input), true)
FXGRAPH_REDUCTION(MeanOp, input, true)
FXGRAPH_REDUCTION(AmaxOp, input, false)
FXGRAPH_REDUCTION(AminOp, input, false)
// PyTorch's uint8 was its bool once, and any and all still keep it.
FXGRAPH_REDUCTION(AnyOp, (input.isUnsignedInteger(8) ? input : IntegerType::get(context, 1)), true)
FXGRAPH_REDUCTION(AllOp, (input.isUnsignedInteger(8) ? input : IntegerType::get(context, 1)), true)
FXGRAPH_REDUCTION(VarOp, input, true)
FXGRAPH_REDUCTION(LogsumexpOp, input, true)
// The extremes (infinite and negative orders) have no identity.
FXGRAPH_REDUCTION(VectorNormOp, input,
                  !(adaptor.getOrd().isNegative() && !adaptor.getOrd().isZero()) && !adaptor.getOrd().isInfinity())
#undef FXGRAPH_REDUCTION

//===----------------------------------------------------------------------===//
// Along one dimension
//===----------------------------------------------------------------------===//

/// Extents of a reduction along one dimension that needs an element.
static FailureOr<Dims> inferDimReduction(std::optional<Location> loc, ArrayRef<Dim> input, std::optional<int64_t> dim,
                                         bool keepdim) {
  SmallVector<int64_t> list;
  if (dim)
    list.push_back(*dim);
  std::optional<ArrayRef<int64_t>> dims;
  if (dim)
    dims = ArrayRef<int64_t>(list);
  // reduction_c1
  FailureOr<Dims> result = reduceDims(loc, input, dims, keepdim);
  if (failed(result) || failed(checkHasElements(loc, input, dims)))
    return failure();
  return result;
}

template <typename Adaptor>
static LogicalResult inferArgReduction(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  // arg_reduction_c1
  if (input.getElementType().isInteger(1)) {
    emitOptional(loc) << "expected input of a numeric type but got i1";
    return failure();
  }
  FailureOr<Dims> dims = inferDimReduction(loc, getDims(input), adaptor.getDim(), adaptor.getKeepdim());
  if (failed(dims))
    return failure();
  inferred.push_back(makeTensorType(*dims, IntegerType::get(context, 64), getDevice(input)));
  return success();
}

LogicalResult ArgmaxOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, ArgmaxOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  return inferArgReduction(context, loc, adaptor, inferred);
}
LogicalResult ArgminOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, ArgminOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  return inferArgReduction(context, loc, adaptor, inferred);
}

/// Values of the input's element type and i64 indices, of the same extents.
static void pushValuesAndIndices(RankedTensorType input, ArrayRef<Dim> dims, SmallVectorImpl<Type> &inferred) {
  StringAttr device = getDevice(input);
  inferred.push_back(makeTensorType(dims, input.getElementType(), device));
  inferred.push_back(makeTensorType(dims, IntegerType::get(input.getContext(), 64), device));
}

LogicalResult PrepareSoftmaxOnlineOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                       PrepareSoftmaxOnlineOp::Adaptor adaptor,
                                                       SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  // along_dim_c1, extremum_c1
  FailureOr<Dims> dims =
      inferDimReduction(loc, getDims(input), static_cast<int64_t>(adaptor.getDim()), /*keepdim=*/true);
  if (failed(dims))
    return failure();
  inferred.assign(2, withDims(input, *dims));
  return success();
}

template <typename Adaptor>
static LogicalResult inferDimExtremum(std::optional<Location> loc, Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  FailureOr<Dims> dims =
      inferDimReduction(loc, getDims(input), static_cast<int64_t>(adaptor.getDim()), adaptor.getKeepdim());
  if (failed(dims))
    return failure();
  pushValuesAndIndices(input, *dims, inferred);
  return success();
}

LogicalResult MaxDimOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, MaxDimOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  return inferDimExtremum(loc, adaptor, inferred);
}
LogicalResult MinDimOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, MinDimOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  return inferDimExtremum(loc, adaptor, inferred);
}

/// Same shape out as in.
static LogicalResult inferAlongDim(std::optional<Location> loc, Value operand, int64_t dim, bool accumulates,
                                   SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(operand);
  // along_dim_c1
  if (failed(normalizeDim(loc, dim, input.getRank())))
    return failure();
  inferred.push_back(accumulates ? withElementType(input, accumulatedType(input.getElementType())) : input);
  return success();
}

LogicalResult SoftmaxOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, SoftmaxOp::Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  return inferAlongDim(loc, adaptor.getInput(), adaptor.getDim(), /*accumulates=*/false, inferred);
}
LogicalResult LogSoftmaxOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, LogSoftmaxOp::Adaptor adaptor,
                                             SmallVectorImpl<Type> &inferred) {
  return inferAlongDim(loc, adaptor.getInput(), adaptor.getDim(), /*accumulates=*/false, inferred);
}
LogicalResult CumsumOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, CumsumOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  return inferAlongDim(loc, adaptor.getInput(), adaptor.getDim(), /*accumulates=*/true, inferred);
}
LogicalResult CumprodOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, CumprodOp::Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  return inferAlongDim(loc, adaptor.getInput(), adaptor.getDim(), /*accumulates=*/true, inferred);
}

LogicalResult TopkOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, TopkOp::Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  Dims dims = getDims(input);
  int64_t k = adaptor.getK();
  // along_dim_c1
  FailureOr<int64_t> dim = normalizeDim(loc, adaptor.getDim(), dims.size());
  if (failed(dim))
    return failure();
  // A scalar counts as one element.
  Dim extent = dims.empty() ? Dim(1) : dims[*dim];
  // topk_c1
  if (k < 0 || (extent.isStatic() && k > extent.getExtent())) {
    emitOptional(loc) << "expected k in [0, " << extent.str() << "] but got " << k;
    return failure();
  }
  if (!dims.empty())
    dims[*dim] = k;
  pushValuesAndIndices(input, dims, inferred);
  return success();
}

LogicalResult SortOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, SortOp::Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  // along_dim_c1
  if (failed(normalizeDim(loc, adaptor.getDim(), input.getRank())))
    return failure();
  pushValuesAndIndices(input, getDims(input), inferred);
  return success();
}

//===----------------------------------------------------------------------===//
// RowOpInterface
//===----------------------------------------------------------------------===//

/// A scalar has no dimension, and is its own row.
static SmallVector<int64_t> getRowOf(RankedTensorType input, int64_t dim) {
  if (input.getRank() == 0)
    return {};
  return {wrapDim(dim, input.getRank())};
}
/// Without a dimension all elements are one row.
static SmallVector<int64_t> getRowOf(RankedTensorType input, std::optional<uint64_t> dim) {
  return dim ? getRowOf(input, static_cast<int64_t>(*dim)) : llvm::to_vector(llvm::seq<int64_t>(0, input.getRank()));
}

#define FXGRAPH_ROWS(OP, KEEPS)                                                                                        \
  SmallVector<int64_t> OP::getRowDims() { return getRowOf(getInput().getType(), getDim()); }                           \
  bool OP::keepsRow() { return KEEPS; }

FXGRAPH_ROWS(ArgmaxOp, false)
FXGRAPH_ROWS(ArgminOp, false)
FXGRAPH_ROWS(MaxDimOp, false)
FXGRAPH_ROWS(MinDimOp, false)
FXGRAPH_ROWS(SoftmaxOp, true)
FXGRAPH_ROWS(LogSoftmaxOp, true)
FXGRAPH_ROWS(CumsumOp, true)
FXGRAPH_ROWS(CumprodOp, true)
#undef FXGRAPH_ROWS

void FxGraphDialect::registerReductionOps() {
  addOperations<
#define GET_OP_LIST
#include "fxgraph/Dialect/IR/OpsReduction.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsReduction.cpp.inc"
