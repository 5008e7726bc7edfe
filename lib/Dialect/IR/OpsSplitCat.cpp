// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inference and interfaces of split, chunk, unbind, cat and stack.

#include "InferUtils.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"

using namespace fxgraph;

void FxGraphDialect::registerSplitCatOps() {
  addOperations<
#define GET_OP_LIST
#include "fxgraph/Dialect/IR/OpsSplitCat.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Split-like
//===----------------------------------------------------------------------===//

/// Pieces of the given extents; the extent of the dimension is not checked here.
static void appendPieces(RankedTensorType input, int64_t dim, ArrayRef<int64_t> sections,
                         SmallVectorImpl<Type> &inferred) {
  Dims dims = getDims(input);
  for (int64_t section : sections) {
    dims[dim] = section;
    inferred.push_back(withDims(input, dims));
  }
}

/// The number of pieces must be known when the graph is built.
static LogicalResult requireStatic(std::optional<Location> loc, RankedTensorType input, int64_t dim) {
  // split_like_c2
  if (!input.isDynamicDim(dim))
    return success();
  return LogicalResult(emitOptional(loc) << "expected a static extent in dim " << dim << " but got " << input);
}

/// A bound on the results of one op: a larger number is a mistake (or an attack),
/// and would exhaust the memory before it could be compared with the results.
static LogicalResult checkPieceCount(std::optional<Location> loc, int64_t count) {
  constexpr int64_t kMaximum = int64_t(1) << 20;
  // split_like_c3
  if (count <= kMaximum)
    return success();
  return LogicalResult(emitOptional(loc) << "expected at most " << kMaximum << " pieces but got " << count);
}

LogicalResult SplitOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, SplitOp::Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  // split_like_c1
  FailureOr<int64_t> dim = normalizeDimOf(loc, input, adaptor.getDim());
  if (failed(dim) || failed(requireStatic(loc, input, *dim)))
    return failure();
  int64_t extent = input.getDimSize(*dim), size = adaptor.getSplitSize();
  // split_c1
  if (size < 0 || (size == 0 && extent != 0))
    return LogicalResult(emitOptional(loc) << "expected split_size > 0 but got " << size << " for extent " << extent);
  if (failed(checkPieceCount(loc, size == 0 ? 1 : llvm::divideCeil(extent, size))))
    return failure();
  appendPieces(input, *dim, getSplitSections(extent, size), inferred);
  return success();
}

LogicalResult SplitWithSizesOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                 SplitWithSizesOp::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  // split_like_c1
  FailureOr<int64_t> dim = normalizeDimOf(loc, input, adaptor.getDim());
  if (failed(dim))
    return failure();
  int64_t sum = 0;
  for (int64_t size : adaptor.getSplitSizes()) {
    // split_with_sizes_c1
    if (size < 0)
      return LogicalResult(emitOptional(loc) << "expected split sizes >= 0 but got " << size);
    int64_t before = sum;
    // split_with_sizes_c2
    if (llvm::AddOverflow(sum, size, sum))
      return LogicalResult(emitOptional(loc)
                           << "expected sizes whose sum fits in int64 but got " << before << " + " << size);
  }
  // A dynamic extent is checked when the graph runs.
  // split_with_sizes_c2
  if (!input.isDynamicDim(*dim) && sum != input.getDimSize(*dim))
    return LogicalResult(emitOptional(loc)
                         << "expected sizes that sum to " << input.getDimSize(*dim) << " but got " << sum);
  appendPieces(input, *dim, adaptor.getSplitSizes(), inferred);
  return success();
}

LogicalResult ChunkOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ChunkOp::Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  // split_like_c1
  FailureOr<int64_t> dim = normalizeDimOf(loc, input, adaptor.getDim());
  if (failed(dim) || failed(requireStatic(loc, input, *dim)))
    return failure();
  int64_t chunks = adaptor.getChunks(), extent = input.getDimSize(*dim);
  // chunk_c1
  if (chunks <= 0)
    return LogicalResult(emitOptional(loc) << "expected chunks > 0 but got " << chunks);
  if (failed(checkPieceCount(loc, extent == 0 ? chunks : std::min(chunks, extent))))
    return failure();
  appendPieces(input, *dim, getChunkSections(extent, chunks), inferred);
  return success();
}

LogicalResult UnbindOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, UnbindOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  // split_like_c1
  FailureOr<int64_t> dim = normalizeDimOf(loc, input, adaptor.getDim());
  if (failed(dim) || failed(requireStatic(loc, input, *dim)))
    return failure();
  Dims dims = getDims(input);
  int64_t extent = input.getDimSize(*dim);
  if (failed(checkPieceCount(loc, extent)))
    return failure();
  dims.erase(dims.begin() + *dim);
  inferred.append(extent, withDims(input, dims));
  return success();
}

int64_t SplitOp::getNormalizedDim() { return wrapDim(getDim(), getInput().getType().getRank()); }
int64_t SplitWithSizesOp::getNormalizedDim() { return wrapDim(getDim(), getInput().getType().getRank()); }
int64_t ChunkOp::getNormalizedDim() { return wrapDim(getDim(), getInput().getType().getRank()); }
int64_t UnbindOp::getNormalizedDim() { return wrapDim(getDim(), getInput().getType().getRank()); }

bool SplitOp::dropsDim() { return false; }
bool SplitWithSizesOp::dropsDim() { return false; }
bool ChunkOp::dropsDim() { return false; }
bool UnbindOp::dropsDim() { return true; }

/// Extents of the results along the dimension.
static std::optional<SmallVector<int64_t>> getResultSections(Operation *op, int64_t dim) {
  SmallVector<int64_t> sections;
  for (Type type : op->getResultTypes()) {
    int64_t extent = cast<RankedTensorType>(type).getDimSize(dim);
    if (ShapedType::isDynamic(extent))
      return std::nullopt;
    sections.push_back(extent);
  }
  return sections;
}
std::optional<SmallVector<int64_t>> SplitOp::getStaticSections() {
  return getResultSections(*this, getNormalizedDim());
}
std::optional<SmallVector<int64_t>> SplitWithSizesOp::getStaticSections() { return llvm::to_vector(getSplitSizes()); }
std::optional<SmallVector<int64_t>> ChunkOp::getStaticSections() {
  return getResultSections(*this, getNormalizedDim());
}
std::optional<SmallVector<int64_t>> UnbindOp::getStaticSections() { return SmallVector<int64_t>(getNumResults(), 1); }

//===----------------------------------------------------------------------===//
// Cat-like
//===----------------------------------------------------------------------===//

/// PyTorch's cat skips operands of type tensor<0x…> of rank 1.
static bool isLegacyEmpty(RankedTensorType type) { return type.getRank() == 1 && type.getDimSize(0) == 0; }

LogicalResult CatOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, CatOp::Adaptor adaptor,
                                      SmallVectorImpl<Type> &inferred) {
  // cat_like_c1
  if (adaptor.getTensors().empty())
    return LogicalResult(emitOptional(loc) << "expected one tensor or more but got none");
  // The first operand that is not a legacy empty one sets the rank.
  auto first = cast<RankedTensorType>(adaptor.getTensors().front().getType());
  for (Value tensor : adaptor.getTensors()) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!isLegacyEmpty(type)) {
      first = type;
      break;
    }
  }
  // cat_c1
  if (first.getRank() == 0)
    return LogicalResult(emitOptional(loc) << "expected tensors of rank 1 or more but got " << first);
  // cat_c2
  FailureOr<int64_t> dim = normalizeDim(loc, adaptor.getDim(), first.getRank());
  if (failed(dim))
    return failure();

  Dims result = getDims(first);
  Dim sum = 0;
  for (auto [i, tensor] : llvm::enumerate(adaptor.getTensors())) {
    auto type = cast<RankedTensorType>(tensor.getType());
    // cat_c3
    if (type.getElementType() != first.getElementType() || getDevice(type) != getDevice(first))
      return LogicalResult(emitOptional(loc)
                           << "expected tensors of one element type and device but got " << first << " and " << type);
    if (isLegacyEmpty(type) && first.getRank() != 1)
      continue;
    // cat_c4
    if (type.getRank() != first.getRank())
      return LogicalResult(emitOptional(loc) << "expected tensors of rank " << first.getRank() << " but got rank "
                                             << type.getRank() << " in operand " << i);
    Dims dims = getDims(type);
    for (auto [d, extent] : llvm::enumerate(dims)) {
      if (static_cast<int64_t>(d) == *dim)
        continue;
      // cat_c5
      if (extent.provablyDiffers(result[d]))
        return LogicalResult(emitOptional(loc) << "expected extent " << result[d].str() << " in dim " << d
                                               << " but got " << extent.str() << " in operand " << i);
      if (!result[d].isStatic() && (extent.isStatic() || extent.isSymbol()))
        result[d] = extent;
    }
    const Dim &extent = dims[*dim];
    int64_t total;
    if (sum.isStatic() && sum.getExtent() == 0)
      sum = extent;
    else if (sum.isStatic() && extent.isStatic()) {
      // cat_c6
      if (llvm::AddOverflow(sum.getExtent(), extent.getExtent(), total))
        return LogicalResult(emitOptional(loc) << "expected an extent that fits in int64 in dim " << *dim << " but got "
                                               << sum.str() << " + " << extent.str() << " at operand " << i);
      sum = total;
    } else if (!(extent.isStatic() && extent.getExtent() == 0)) {
      sum = Dim::unknown();
    }
  }
  result[*dim] = sum;
  inferred.push_back(withDims(first, result));
  return success();
}

LogicalResult StackOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, StackOp::Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  // cat_like_c1
  if (adaptor.getTensors().empty())
    return LogicalResult(emitOptional(loc) << "expected one tensor or more but got none");
  auto first = cast<RankedTensorType>(adaptor.getTensors().front().getType());
  // stack_c1
  FailureOr<int64_t> dim = normalizeDim(loc, adaptor.getDim(), first.getRank() + 1);
  if (failed(dim))
    return failure();
  Dims result = getDims(first);
  for (auto [i, tensor] : llvm::enumerate(adaptor.getTensors())) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (type == first)
      continue;
    // stack_c2
    if (!areCompatibleTypes(TypeRange(type), TypeRange(first)))
      return LogicalResult(emitOptional(loc)
                           << "expected tensors of type " << first << " but got " << type << " in operand " << i);
    for (auto [known, extent] : llvm::zip_equal(result, getDims(type)))
      if (!known.isStatic() && (extent.isStatic() || extent.isSymbol()))
        known = extent;
  }
  result.insert(result.begin() + *dim, Dim(adaptor.getTensors().size()));
  inferred.push_back(withDims(first, result));
  return success();
}

int64_t CatOp::getNormalizedDim() { return wrapDim(getDim(), getResult().getType().getRank()); }
int64_t StackOp::getNormalizedDim() { return wrapDim(getDim(), getResult().getType().getRank()); }
bool CatOp::addsDim() { return false; }
bool StackOp::addsDim() { return true; }

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsSplitCat.cpp.inc"
