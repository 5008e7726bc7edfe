// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inference and printing of the ops that move data; Fold.cpp folds them.

#include "InferUtils.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"

using namespace fxgraph;

void FxGraphDialect::registerViewOps() {
  addOperations<
#define GET_OP_LIST
#include "fxgraph/Dialect/IR/OpsView.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// custom<DynamicShape>: [4, %n, -1]
//===----------------------------------------------------------------------===//

static mlir::ParseResult parseDynamicShape(mlir::OpAsmParser &parser,
                                           SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &sizes,
                                           DenseI64ArrayAttr &shape) {
  SmallVector<int64_t> extents;
  auto parseExtent = [&]() -> mlir::ParseResult {
    mlir::OpAsmParser::UnresolvedOperand operand;
    mlir::OptionalParseResult dynamic = parser.parseOptionalOperand(operand);
    if (dynamic.has_value()) {
      sizes.push_back(operand);
      extents.push_back(ShapedType::kDynamic);
      return *dynamic;
    }
    int64_t extent;
    if (parser.parseInteger(extent))
      return failure();
    extents.push_back(extent);
    return success();
  };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square, parseExtent))
    return failure();
  shape = parser.getBuilder().getDenseI64ArrayAttr(extents);
  return success();
}

static void printDynamicShape(mlir::OpAsmPrinter &printer, Operation *, mlir::OperandRange sizes,
                              DenseI64ArrayAttr shape) {
  auto size = sizes.begin();
  printer << "[";
  llvm::interleaveComma(shape.asArrayRef(), printer, [&](int64_t extent) {
    if (ShapedType::isDynamic(extent) && size != sizes.end())
      printer << *size++;
    else
      printer << extent;
  });
  printer << "]";
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// As many `sizes` operands as dynamic entries of `shape`.
static LogicalResult checkSizes(std::optional<Location> loc, ValueRange sizes, ArrayRef<int64_t> shape) {
  size_t dynamic = llvm::count_if(shape, ShapedType::isDynamic);
  // sizes_c1
  if (dynamic == sizes.size())
    return success();
  return LogicalResult(emitOptional(loc) << "expected " << dynamic << " size operand(s) but got " << sizes.size());
}

static LogicalResult inferReshape(std::optional<Location> loc, Value value, ValueRange sizes, ArrayRef<int64_t> shape,
                                  SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(value.getType());
  if (failed(checkSizes(loc, sizes, shape)))
    return failure();
  // reshape_c1, reshape_c2, reshape_c3
  FailureOr<Dims> dims = reshapeDims(loc, getDims(input), shape);
  if (failed(dims))
    return failure();
  inferred.push_back(withDims(input, *dims));
  return success();
}

LogicalResult ReshapeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ReshapeOp::Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  return inferReshape(loc, adaptor.getInput(), adaptor.getSizes(), adaptor.getShape(), inferred);
}
LogicalResult ViewOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ViewOp::Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  return inferReshape(loc, adaptor.getInput(), adaptor.getSizes(), adaptor.getShape(), inferred);
}

LogicalResult FlattenOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, FlattenOp::Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  // flatten_c1
  FailureOr<int64_t> start = normalizeDim(loc, adaptor.getStartDim(), input.getRank(), "start_dim");
  FailureOr<int64_t> end = normalizeDim(loc, adaptor.getEndDim(), input.getRank(), "end_dim");
  if (failed(start) || failed(end))
    return failure();
  // flatten_c2
  if (*start > *end)
    return LogicalResult(emitOptional(loc) << "expected start_dim <= end_dim but got " << *start << " and " << *end);
  Dims dims = getDims(input), result;
  if (dims.empty())
    dims.push_back(1); // A scalar flattens to one element.
  result.append(dims.begin(), dims.begin() + *start);
  result.push_back(multiplyDims(ArrayRef(dims).slice(*start, *end - *start + 1)));
  result.append(dims.begin() + *end + 1, dims.end());
  inferred.push_back(withDims(input, result));
  return success();
}

LogicalResult UnflattenOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, UnflattenOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  // unflatten_c1
  FailureOr<int64_t> dim = normalizeDimOf(loc, input, adaptor.getDim());
  if (failed(dim))
    return failure();
  // unflatten_c2
  if (adaptor.getSizes().empty())
    return LogicalResult(emitOptional(loc) << "expected one size or more but got none");
  Dims dims = getDims(input);
  // reshape_c1, reshape_c2, reshape_c3
  FailureOr<Dims> pieces = reshapeDims(loc, dims[*dim], adaptor.getSizes());
  if (failed(pieces))
    return failure();
  Dims result(dims.begin(), dims.begin() + *dim);
  result.append(*pieces);
  result.append(dims.begin() + *dim + 1, dims.end());
  inferred.push_back(withDims(input, result));
  return success();
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

LogicalResult PermuteOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, PermuteOp::Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  // permute_c1
  if (static_cast<int64_t>(adaptor.getDims().size()) != input.getRank())
    return LogicalResult(emitOptional(loc)
                         << "expected " << input.getRank() << " dims but got " << adaptor.getDims().size());
  // permute_c2
  FailureOr<SmallVector<int64_t>> order = normalizeDims(loc, adaptor.getDims(), input.getRank());
  if (failed(order))
    return failure();
  Dims dims = fxgraph::getDims(input), result;
  for (int64_t dim : *order)
    result.push_back(dims[dim]);
  inferred.push_back(withDims(input, result));
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, TransposeOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  // transpose_c1
  FailureOr<int64_t> dim0 = normalizeDim(loc, adaptor.getDim0(), input.getRank(), "dim0");
  FailureOr<int64_t> dim1 = normalizeDim(loc, adaptor.getDim1(), input.getRank(), "dim1");
  if (failed(dim0) || failed(dim1))
    return failure();
  Dims dims = getDims(input);
  if (!dims.empty())
    std::swap(dims[*dim0], dims[*dim1]);
  inferred.push_back(withDims(input, dims));
  return success();
}

LogicalResult SqueezeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, SqueezeOp::Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  Dims dims = fxgraph::getDims(input);
  SmallVector<bool> candidate(std::max<size_t>(dims.size(), 1), !adaptor.getDims());
  if (adaptor.getDims()) {
    // squeeze_c1
    FailureOr<SmallVector<int64_t>> listed = normalizeDims(loc, *adaptor.getDims(), input.getRank());
    if (failed(listed))
      return failure();
    for (int64_t dim : *listed)
      candidate[dim] = true;
  }
  Dims result;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    // squeeze_c2
    // Whether a dynamic extent is 1 decides the rank: not known here.
    if (candidate[i] && !dim.isStatic())
      return LogicalResult(emitOptional(loc) << "expected static extents in the squeezed dims but got " << input);
    if (!candidate[i] || dim.getExtent() != 1)
      result.push_back(dim);
  }
  inferred.push_back(withDims(input, result));
  return success();
}

LogicalResult UnsqueezeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, UnsqueezeOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  // unsqueeze_c1
  FailureOr<int64_t> dim = normalizeDim(loc, adaptor.getDim(), input.getRank() + 1);
  if (failed(dim))
    return failure();
  Dims dims = getDims(input);
  dims.insert(dims.begin() + *dim, Dim(1));
  inferred.push_back(withDims(input, dims));
  return success();
}

LogicalResult FlipOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, FlipOp::Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  // flip_c1
  if (failed(normalizeDims(loc, adaptor.getDims(), input.getRank())))
    return failure();
  inferred.push_back(input);
  return success();
}

LogicalResult RollOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, RollOp::Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  size_t expected = adaptor.getDims().empty() ? 1 : adaptor.getDims().size();
  // roll_c1
  if (adaptor.getShifts().size() != expected)
    return LogicalResult(emitOptional(loc)
                         << "expected " << expected << " shift(s) but got " << adaptor.getShifts().size());
  // A dim may come twice: the shifts add up.
  for (int64_t dim : adaptor.getDims())
    // roll_c2
    if (failed(normalizeDim(loc, dim, input.getRank())))
      return failure();
  inferred.push_back(input);
  return success();
}

//===----------------------------------------------------------------------===//
// Selection and repetition
//===----------------------------------------------------------------------===//

LogicalResult ExpandOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ExpandOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> shape = adaptor.getShape();
  if (failed(checkSizes(loc, adaptor.getSizes(), shape)))
    return failure();
  // expand_c1
  if (static_cast<int64_t>(shape.size()) < input.getRank())
    return LogicalResult(emitOptional(loc)
                         << "expected a shape of rank " << input.getRank() << " or more but got rank " << shape.size());
  Dims dims = getDims(input), result;
  size_t added = shape.size() - dims.size();
  for (auto [i, extent] : llvm::enumerate(shape)) {
    bool isNew = i < added;
    if (extent == -1) {
      // expand_c2
      if (isNew)
        return LogicalResult(emitOptional(loc) << "expected an extent >= 0 for the new dim " << i << " but got -1");
      result.push_back(dims[i - added]);
      continue;
    }
    if (ShapedType::isDynamic(extent)) {
      result.push_back(Dim::unknown());
      continue;
    }
    // expand_c2
    if (extent < 0)
      return LogicalResult(emitOptional(loc) << "expected extents >= 0 or -1 in shape but got " << extent);
    if (!isNew) {
      const Dim &from = dims[i - added];
      // expand_c3
      if (from.isStatic() && from.getExtent() != 1 && from.getExtent() != extent)
        return LogicalResult(emitOptional(loc) << "expected extent 1 or " << extent << " in dim " << i - added
                                               << " but got " << from.getExtent());
    }
    result.push_back(extent);
  }
  inferred.push_back(withDims(input, result));
  return success();
}

LogicalResult RepeatOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, RepeatOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> repeats = adaptor.getRepeats();
  // repeat_c1
  if (static_cast<int64_t>(repeats.size()) < input.getRank())
    return LogicalResult(emitOptional(loc)
                         << "expected " << input.getRank() << " repeats or more but got " << repeats.size());
  Dims dims(repeats.size() - input.getRank(), Dim(1));
  dims.append(getDims(input));
  for (auto [dim, count] : llvm::zip_equal(dims, repeats)) {
    // repeat_c2
    if (count < 0)
      return LogicalResult(emitOptional(loc) << "expected repeats >= 0 but got " << count);
    if (count != 1)
      dim = multiplyDims({dim, Dim(count)});
  }
  inferred.push_back(withDims(input, dims));
  return success();
}

/// Extent of a slice, after checking dim and step.
static FailureOr<Dims> inferSliceDims(std::optional<Location> loc, RankedTensorType input, int64_t dimAttr,
                                      int64_t start, int64_t end, int64_t step) {
  // slice_c1
  FailureOr<int64_t> dim = normalizeDimOf(loc, input, dimAttr);
  if (failed(dim))
    return failure();
  // slice_c2
  if (step <= 0)
    return LogicalResult(emitOptional(loc) << "expected step > 0 but got " << step);
  Dims dims = getDims(input);
  if (dims[*dim].isStatic())
    dims[*dim] = clampSlice(dims[*dim].getExtent(), start, end, step).size;
  else if (start != 0 || end != INT64_MAX || step != 1)
    dims[*dim] = Dim::unknown();
  return dims;
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, SliceOp::Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  FailureOr<Dims> dims =
      inferSliceDims(loc, input, adaptor.getDim(), adaptor.getStart(), adaptor.getEnd(), adaptor.getStep());
  if (failed(dims))
    return failure();
  inferred.push_back(withDims(input, *dims));
  return success();
}

LogicalResult NarrowOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, NarrowOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  // narrow_c1
  FailureOr<int64_t> dim = normalizeDimOf(loc, input, adaptor.getDim());
  if (failed(dim))
    return failure();
  Dims dims = getDims(input);
  dims[*dim] = Dim::unknown();
  inferred.push_back(withDims(input, dims));
  return success();
}

/// Dims without one, after checking that the index is in range.
static FailureOr<Dims> inferSelectDims(std::optional<Location> loc, RankedTensorType input, int64_t dimAttr,
                                       int64_t index) {
  // select_c1
  FailureOr<int64_t> dim = normalizeDimOf(loc, input, dimAttr);
  if (failed(dim))
    return failure();
  Dims dims = getDims(input);
  if (dims[*dim].isStatic()) {
    int64_t extent = dims[*dim].getExtent();
    // select_c2
    if (index < -extent || index >= extent)
      return LogicalResult(emitOptional(loc)
                           << "expected index in [" << -extent << ", " << extent - 1 << "] but got " << index);
  }
  dims.erase(dims.begin() + *dim);
  return dims;
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, SelectOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  FailureOr<Dims> dims = inferSelectDims(loc, input, adaptor.getDim(), adaptor.getIndex());
  if (failed(dims))
    return failure();
  inferred.push_back(withDims(input, *dims));
  return success();
}

LogicalResult ConstantPadNdOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                ConstantPadNdOp::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> pad = adaptor.getPad();
  // constant_pad_nd_c1
  if (pad.size() % 2 != 0 || static_cast<int64_t>(pad.size() / 2) > input.getRank())
    return LogicalResult(emitOptional(loc) << "expected pairs for at most " << input.getRank()
                                           << " dims in pad but got " << pad.size() << " numbers");
  Dims dims = getDims(input);
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    Dim &dim = dims[dims.size() - 1 - i];
    int64_t before = pad[2 * i], after = pad[2 * i + 1], amount, padded;
    // constant_pad_nd_c3
    if (llvm::AddOverflow(before, after, amount) ||
        llvm::AddOverflow(dim.isStatic() ? dim.getExtent() : 0, amount, padded))
      return LogicalResult(emitOptional(loc)
                           << "expected a padded extent that fits in int64 in dim " << dims.size() - 1 - i
                           << " but got " << dim.str() << " padded by " << before << " and " << after);
    if (!dim.isStatic()) {
      if (amount != 0)
        dim = Dim::unknown();
      continue;
    }
    int64_t extent = dim.getExtent();
    // constant_pad_nd_c2
    // Extents are >= 0, so that each side's sum fits. What one side leaves, the other crops.
    int64_t left = extent + std::min<int64_t>(before, 0);
    if (padded < 0 || left < 0 || left + std::min<int64_t>(after, 0) < 0)
      return LogicalResult(emitOptional(loc)
                           << "expected a padded extent >= 0 in dim " << dims.size() - 1 - i << " but got " << padded);
    dim = padded;
  }
  inferred.push_back(withDims(input, dims));
  return success();
}

/// triu and tril work on the last two dimensions.
static LogicalResult inferTriangle(std::optional<Location> loc, RankedTensorType input,
                                   SmallVectorImpl<Type> &inferred) {
  // triangle_c1
  if (input.getRank() < 2)
    return LogicalResult(emitOptional(loc) << "expected an input of rank 2 or more but got " << input);
  inferred.push_back(input);
  return success();
}
LogicalResult TriuOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, TriuOp::Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  return inferTriangle(loc, cast<RankedTensorType>(adaptor.getInput().getType()), inferred);
}
LogicalResult TrilOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, TrilOp::Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  return inferTriangle(loc, cast<RankedTensorType>(adaptor.getInput().getType()), inferred);
}

/// The source of a scatter has the shape that the matching view would have.
static LogicalResult inferScatter(std::optional<Location> loc, Value inputValue, Value src, ArrayRef<Dim> expected,
                                  SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(inputValue.getType());
  RankedTensorType expectedType = withDims(input, expected);
  // scatter_source_c1
  if (!areCompatibleTypes(src.getType(), expectedType))
    return LogicalResult(emitOptional(loc) << "expected src of type " << expectedType << " but got " << src.getType());
  inferred.push_back(input);
  return success();
}
LogicalResult SliceScatterOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                               SliceScatterOp::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  FailureOr<Dims> dims =
      inferSliceDims(loc, input, adaptor.getDim(), adaptor.getStart(), adaptor.getEnd(), adaptor.getStep());
  if (failed(dims))
    return failure();
  return inferScatter(loc, adaptor.getInput(), adaptor.getSrc(), *dims, inferred);
}
LogicalResult SelectScatterOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                SelectScatterOp::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  FailureOr<Dims> dims = inferSelectDims(loc, input, adaptor.getDim(), adaptor.getIndex());
  if (failed(dims))
    return failure();
  return inferScatter(loc, adaptor.getInput(), adaptor.getSrc(), *dims, inferred);
}

//===----------------------------------------------------------------------===//
// ViewLikeOpInterface
//===----------------------------------------------------------------------===//

bool ExpandOp::isBijective() { return getInput().getType() == getResult().getType(); }
bool RepeatOp::isBijective() { return getInput().getType() == getResult().getType(); }
bool SliceOp::isBijective() { return getInput().getType() == getResult().getType(); }
bool NarrowOp::isBijective() { return false; }
bool ViewDtypeOp::isBijective() { return getInput().getType() == getResult().getType(); }

/// Bytes of an element, a bool in one; 0 where they are not whole, or it is no number.
static int64_t countBytes(Type type) {
  if (auto complex = dyn_cast<mlir::ComplexType>(type))
    return 2 * countBytes(complex.getElementType());
  if (type.isInteger(1))
    return 1;
  unsigned bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  return bits % 8 == 0 ? bits / 8 : 0;
}

LogicalResult ViewDtypeOp::verify() {
  RankedTensorType from = getInput().getType(), to = getResult().getType();
  int64_t fromBytes = countBytes(from.getElementType()), toBytes = countBytes(to.getElementType());
  // view_dtype_c1
  if (fromBytes == 0 || toBytes == 0)
    return emitOpError() << "expected dtypes of whole bytes but got " << from << " and " << to;
  Dims expected = fxgraph::getDims(from);
  // view_dtype_c2
  if (fromBytes != toBytes) {
    if (expected.empty())
      return emitOpError() << "expected rank >= 1 for dtypes of different widths but got " << from;
    Dim &last = expected.back();
    int64_t bytes = 0;
    if (last.isStatic() && (llvm::MulOverflow(last.getExtent(), fromBytes, bytes) || bytes % toBytes != 0))
      return emitOpError() << "expected a last extent whose bytes " << toBytes << " divides but got " << from;
    last = last.isStatic() ? Dim(bytes / toBytes) : Dim::unknown();
  }
  return expectShape(getLoc(), expected, fxgraph::getDims(to), "result");
}
bool SelectOp::isBijective() {
  auto input = getInput().getType();
  return input.getDimSize(wrapDim(getDim(), input.getRank())) == 1;
}
bool ConstantPadNdOp::isBijective() {
  return llvm::all_of(getPad(), [](int64_t amount) { return amount == 0; });
}
bool TriuOp::isBijective() { return false; }
bool TrilOp::isBijective() { return false; }

std::optional<StridedMap> PermuteOp::getStridedMap() {
  int64_t rank = getInput().getType().getRank();
  StridedMap map = StridedMap::identity(rank);
  for (auto [position, dim] : llvm::enumerate(getDims()))
    map.inputDim[position] = wrapDim(dim, rank);
  return map;
}

std::optional<StridedMap> TransposeOp::getStridedMap() {
  int64_t rank = getInput().getType().getRank();
  StridedMap map = StridedMap::identity(rank);
  if (rank > 0)
    std::swap(map.inputDim[wrapDim(getDim0(), rank)], map.inputDim[wrapDim(getDim1(), rank)]);
  return map;
}

std::optional<StridedMap> SliceOp::getStridedMap() {
  RankedTensorType input = getInput().getType();
  StridedMap map = StridedMap::identity(input.getRank());
  int64_t dim = wrapDim(getDim(), input.getRank());
  map.start[dim] = clampSlice(input.getDimSize(dim), getStart(), getEnd(), getStep()).start;
  map.step[dim] = getStep();
  return map;
}

std::optional<StridedMap> SelectOp::getStridedMap() {
  RankedTensorType input = getInput().getType();
  StridedMap map = StridedMap::identity(input.getRank());
  int64_t dim = wrapDim(getDim(), input.getRank()), index = getIndex();
  map.inputDim.erase(map.inputDim.begin() + dim);
  map.start[dim] = index < 0 ? index + input.getDimSize(dim) : index;
  map.step[dim] = 0;
  return map;
}

std::optional<StridedMap> ExpandOp::getStridedMap() {
  RankedTensorType input = getInput().getType();
  StridedMap map = StridedMap::identity(input.getRank());
  map.inputDim.insert(map.inputDim.begin(), getResult().getType().getRank() - input.getRank(), -1);
  for (int64_t dim = 0; dim < input.getRank(); ++dim)
    if (input.getDimSize(dim) == 1)
      map.step[dim] = 0;
  return map;
}

std::optional<StridedMap> FlipOp::getStridedMap() {
  RankedTensorType input = getInput().getType();
  StridedMap map = StridedMap::identity(input.getRank());
  for (int64_t dim : getDims()) {
    dim = wrapDim(dim, input.getRank());
    map.start[dim] = std::max<int64_t>(input.getDimSize(dim) - 1, 0);
    map.step[dim] = -1;
  }
  return map;
}

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsView.cpp.inc"
