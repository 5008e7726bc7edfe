// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an element of an op's result is made of, as whoever fuses ops into kernels asks: where it is
// in an operand, which operand it comes from, what a loop reads for it. All extents are static here.

#include "InferUtils.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"

using namespace fxgraph;
using mlir::AffineExpr, mlir::AffineMap;

static ArrayRef<int64_t> getShape(Value value) { return tensorTypeOf(value).getShape(); }

namespace {
/// Expressions of an element's index, and of a loop behind it.
class IndexBuilder {
public:
  explicit IndexBuilder(Value result, size_t loop = 0)
      : context(result.getContext()), rank(getShape(result).size()), loopRank(loop) {}

  /// A dimension of the result.
  AffineExpr dim(size_t i) const { return mlir::getAffineDimExpr(i, context); }
  /// A dimension of the loop.
  AffineExpr loop(size_t i) const { return mlir::getAffineDimExpr(rank + i, context); }
  AffineExpr number(int64_t value) const { return mlir::getAffineConstantExpr(value, context); }
  /// The index itself.
  SmallVector<AffineExpr> dims() const {
    SmallVector<AffineExpr> exprs;
    for (size_t i = 0; i < rank; ++i)
      exprs.push_back(dim(i));
    return exprs;
  }
  AffineMap map(ArrayRef<AffineExpr> exprs) const { return AffineMap::get(rank + loopRank, 0, exprs, context); }
  mlir::Attribute real(double value) const { return FloatAttr::get(mlir::Float64Type::get(context), value); }
  mlir::Attribute integer(int64_t value) const { return IntegerAttr::get(IntegerType::get(context, 64), value); }

private:
  mlir::MLIRContext *context;
  size_t rank, loopRank;
};
} // namespace

/// 1 where all tests hold, else 0.
static LoopTerm getIndicator(const IndexBuilder &index, ArrayRef<IndexTest> tests) {
  LoopTerm term;
  term.choices.push_back({std::nullopt, {}, index.real(1), SmallVector<IndexTest, 1>(tests)});
  term.choices.push_back({std::nullopt, {}, index.real(0), {}});
  return term;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

AffineMap fxgraph::getAffineMap(const StridedMap &map, mlir::MLIRContext *context) {
  SmallVector<AffineExpr> exprs;
  for (int64_t start : map.start)
    exprs.push_back(mlir::getAffineConstantExpr(start, context));
  for (auto [i, dim] : llvm::enumerate(map.inputDim))
    if (dim >= 0 && map.step[dim] != 0)
      exprs[dim] = exprs[dim] + mlir::getAffineDimExpr(i, context) * map.step[dim];
  return AffineMap::get(map.inputDim.size(), 0, exprs, context);
}

AffineMap RepeatOp::getIndexMap() {
  IndexBuilder index(getResult());
  ArrayRef<int64_t> shape = getShape(getInput());
  size_t skipped = getShape(getResult()).size() - shape.size();
  SmallVector<AffineExpr> exprs;
  for (auto [i, size] : llvm::enumerate(shape))
    exprs.push_back(size <= 1 ? index.number(0) : index.dim(skipped + i) % size);
  return index.map(exprs);
}

AffineMap RollOp::getIndexMap() {
  IndexBuilder index(getResult());
  ArrayRef<int64_t> shape = getShape(getInput());
  SmallVector<AffineExpr> exprs = index.dims();
  if (!getDims().empty()) {
    for (auto [dim, shift] : llvm::zip_equal(getDims(), getShifts())) {
      int64_t axis = wrapDim(dim, shape.size()), size = shape[axis];
      if (size != 0)
        exprs[axis] = (exprs[axis] + (size - ((shift % size) + size) % size)) % size;
    }
    return index.map(exprs);
  }
  int64_t count = getInput().getType().getNumElements();
  if (count == 0)
    return index.map(exprs);
  AffineExpr position = index.number(0);
  for (auto [expr, size] : llvm::zip_equal(exprs, shape))
    position = position * size + expr;
  int64_t shift = ((getShifts()[0] % count) + count) % count;
  position = (position + (count - shift)) % count;
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i])
    exprs[i] = shape[i] == 1 ? index.number(0) : position.floorDiv(stride) % shape[i];
  return index.map(exprs);
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

static SmallVector<ElementChoice> getPieces(CatLikeOpInterface cat) {
  Value result = cat->getResult(0);
  IndexBuilder index(result);
  int64_t dim = cat.getNormalizedDim(), start = 0;
  size_t rank = getShape(result).size() - cat.addsDim();
  SmallVector<ElementChoice> choices;
  for (auto [i, operand] : llvm::enumerate(cat->getOperands())) {
    ArrayRef<int64_t> shape = getShape(operand);
    if (shape.size() != rank || tensorTypeOf(operand).getNumElements() == 0)
      continue;
    SmallVector<AffineExpr> source = index.dims();
    if (cat.addsDim())
      source.erase(source.begin() + dim);
    else
      source[dim] = source[dim] - start;
    start += cat.addsDim() ? 1 : shape[dim];
    choices.push_back({i, index.map(source), {}, {{index.dim(dim), 0, start - 1}}});
  }
  return choices;
}
SmallVector<ElementChoice> CatOp::getChoices() { return getPieces(*this); }
SmallVector<ElementChoice> StackOp::getChoices() { return getPieces(*this); }

SmallVector<ElementChoice> ConstantPadNdOp::getChoices() {
  IndexBuilder index(getResult());
  ElementChoice fill{std::nullopt, {}, index.real(getValue().convertToDouble()), {}};
  ArrayRef<int64_t> shape = getShape(getInput());
  if (getInput().getType().getNumElements() == 0)
    return {fill};
  SmallVector<AffineExpr> source = index.dims();
  ElementChoice inside{0, {}, {}, {}};
  for (size_t i = 0; 2 * i + 1 < getPad().size(); ++i) {
    size_t axis = shape.size() - 1 - i;
    source[axis] = source[axis] - getPad()[2 * i];
    inside.tests.push_back({source[axis], 0, shape[axis] - 1});
  }
  inside.index = index.map(source);
  return {inside, fill};
}

/// What lies from `first` to `last` dimensions to the right of the main diagonal.
static SmallVector<ElementChoice> getTriangle(Value result, int64_t first, int64_t last) {
  IndexBuilder index(result);
  size_t rank = getShape(result).size();
  AffineExpr offset = index.dim(rank - 1) - index.dim(rank - 2);
  return {{0, index.map(index.dims()), {}, {{offset, first, last}}}, {std::nullopt, {}, index.real(0), {}}};
}
/// Beyond all extents.
constexpr int64_t kFar = int64_t(1) << 60;
SmallVector<ElementChoice> TriuOp::getChoices() {
  return getTriangle(getResult(), static_cast<int64_t>(getDiagonal()), kFar);
}
SmallVector<ElementChoice> TrilOp::getChoices() {
  return getTriangle(getResult(), -kFar, static_cast<int64_t>(getDiagonal()));
}

SmallVector<ElementChoice> SliceScatterOp::getChoices() {
  IndexBuilder index(getResult());
  SmallVector<AffineExpr> source = index.dims();
  ElementChoice input{0, index.map(source), {}, {}};
  ArrayRef<int64_t> shape = getShape(getInput());
  int64_t dim = wrapDim(getDim(), shape.size()), step = getStep();
  SliceBounds bounds = clampSlice(shape[dim], getStart(), getEnd(), step);
  if (bounds.size == 0)
    return {input};
  AffineExpr relative = index.dim(dim) - bounds.start;
  ElementChoice slice{1, {}, {}, {{relative, 0, (bounds.size - 1) * step}}};
  if (step != 1)
    slice.tests.push_back({relative % step, 0, 0});
  source[dim] = relative.floorDiv(step);
  slice.index = index.map(source);
  return {slice, input};
}

SmallVector<ElementChoice> SelectScatterOp::getChoices() {
  IndexBuilder index(getResult());
  SmallVector<AffineExpr> source = index.dims();
  ElementChoice input{0, index.map(source), {}, {}};
  ArrayRef<int64_t> shape = getShape(getInput());
  int64_t dim = wrapDim(getDim(), shape.size()), at = getIndex();
  at = at < 0 ? at + shape[dim] : at;
  source.erase(source.begin() + dim);
  return {{1, index.map(source), {}, {{index.dim(dim), at, at}}}, input};
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

SmallVector<GatheredDim> EmbeddingOp::getGatheredDims() {
  IndexBuilder index(getResult());
  SmallVector<AffineExpr> dims = index.dims();
  return {{1, index.map(ArrayRef(dims).drop_back())}, {std::nullopt, index.map({dims.back()})}};
}

/// All dimensions of the table but one are the result's.
static SmallVector<GatheredDim> getAlongDim(Value table, Value result, int64_t dim, ArrayRef<AffineExpr> at) {
  IndexBuilder index(result);
  SmallVector<GatheredDim> dims;
  for (size_t i = 0; i < getShape(table).size(); ++i)
    dims.push_back({std::nullopt, index.map({index.dim(i)})});
  if (!dims.empty())
    dims[wrapDim(dim, dims.size())] = {1, index.map(at)};
  return dims;
}

SmallVector<GatheredDim> IndexSelectOp::getGatheredDims() {
  SmallVector<AffineExpr> at;
  ArrayRef<int64_t> shape = getShape(getInput());
  if (!getShape(getIndex()).empty() && !shape.empty())
    at.push_back(IndexBuilder(getResult()).dim(wrapDim(getDim(), shape.size())));
  return getAlongDim(getInput(), getResult(), getDim(), at);
}

SmallVector<GatheredDim> GatherOp::getGatheredDims() {
  SmallVector<AffineExpr> at = IndexBuilder(getResult()).dims();
  if (getShape(getIndex()).empty())
    at.clear();
  return getAlongDim(getInput(), getResult(), getDim(), at);
}

/// The indices broadcast; their common dimensions are where those of the input are, or in front.
static SmallVector<GatheredDim> getIndexedDims(Value table, Value result, ValueRange indices, ArrayRef<int64_t> dims) {
  IndexBuilder index(result);
  size_t common = 0;
  for (Value value : indices)
    common = std::max(common, getShape(value).size());
  bool areAdjacent = true;
  for (size_t i = 1; i < dims.size(); ++i)
    areAdjacent &= dims[i] == dims[i - 1] + 1;
  size_t first = areAdjacent && !dims.empty() ? dims.front() : 0;
  SmallVector<GatheredDim> gathered;
  size_t next = 0;
  for (size_t i = 0; i < getShape(table).size(); ++i) {
    const int64_t *found = llvm::find(dims, static_cast<int64_t>(i));
    if (found == dims.end()) {
      if (next == first)
        next += common;
      gathered.push_back({std::nullopt, index.map({index.dim(next++)})});
      continue;
    }
    unsigned number = found - dims.begin();
    ArrayRef<int64_t> shape = getShape(indices[number]);
    SmallVector<AffineExpr> at;
    for (auto [k, size] : llvm::enumerate(shape))
      at.push_back(size == 1 ? index.number(0) : index.dim(first + common - shape.size() + k));
    gathered.push_back({number + 1, index.map(at)});
  }
  return gathered;
}
SmallVector<GatheredDim> IndexOp::getGatheredDims() {
  return getIndexedDims(getInput(), getResult(), getIndices(), getDims());
}
bool IndexOp::countsFromEnd() { return true; }
SmallVector<GatheredDim> UnsafeIndexOp::getGatheredDims() {
  return getIndexedDims(getInput(), getResult(), getIndices(), getDims());
}
bool UnsafeIndexOp::countsFromEnd() { return true; }

//===----------------------------------------------------------------------===//
// Loops over rows
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getLoopDims(Operation *op) {
  if (auto reduction = dyn_cast<ReductionOpInterface>(op))
    return reduction.getReducedDims();
  return cast<RowOpInterface>(op).getRowDims();
}

static bool keepsRow(Operation *op) {
  auto rows = dyn_cast<RowOpInterface>(op);
  return rows && rows.keepsRow();
}

SmallVector<int64_t, 4> fxgraph::getRowLoopExtents(Operation *op) {
  SmallVector<int64_t, 4> extents;
  for (int64_t dim : getLoopDims(op))
    extents.push_back(getShape(op->getOperand(0))[dim]);
  return extents;
}

AffineMap fxgraph::getRowsOfLoop(Operation *op) {
  IndexBuilder index(op->getResult(0));
  SmallVector<AffineExpr> exprs = index.dims();
  if (keepsRow(op)) {
    SmallVector<int64_t> dims = getLoopDims(op);
    for (size_t i = exprs.size(); i-- > 0;)
      if (llvm::is_contained(dims, static_cast<int64_t>(i)))
        exprs.erase(exprs.begin() + i);
  }
  return index.map(exprs);
}

SmallVector<LoopTerm, 3> fxgraph::getRowTerms(Operation *op, unsigned result) {
  SmallVector<int64_t> dims = getLoopDims(op);
  ArrayRef<int64_t> shape = getShape(op->getOperand(0));
  IndexBuilder index(op->getResult(result), dims.size());
  SmallVector<AffineExpr> row(shape.size());
  auto keepdim = op->getAttrOfType<mlir::BoolAttr>("keepdim");
  bool leavesDims = keepsRow(op) || (keepdim && keepdim.getValue());
  size_t nextResult = 0, nextLoop = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    bool isLooped = llvm::is_contained(dims, static_cast<int64_t>(i));
    row[i] = isLooped ? index.loop(nextLoop++) : index.dim(nextResult);
    nextResult += !isLooped || leavesDims;
  }
  LoopTerm element = LoopTerm::element(0, index.map(row));
  if (isa<ReductionOpInterface>(op))
    return {element};
  if (!keepsRow(op)) {
    // Where the element is among those of its row.
    AffineExpr position = index.number(0);
    for (auto [i, dim] : llvm::enumerate(dims))
      position = position * shape[dim] + index.loop(i);
    return {element, {{}, position}};
  }
  SmallVector<AffineExpr> own = index.dims();
  // What is before the element in a running sum comes from other turns.
  if (cast<KernelLoopOpInterface>(op).isRunning())
    return {LoopTerm::element(0, index.map(own))};
  if (result != 0)
    return {element, element};
  SmallVector<LoopTerm, 3> terms = {element, LoopTerm::element(0, index.map(own))};
  for (unsigned i = 1; i < op->getNumOperands(); ++i)
    terms.push_back(LoopTerm::element(i, index.map(ArrayRef(own).take_back(getShape(op->getOperand(i)).size()))));
  return terms;
}

/// With running statistics there is no loop: each element is computed of itself and the parameters.
SmallVector<LoopTerm, 3> BatchNormOp::getLoopTerms(unsigned) {
  IndexBuilder index(getResult(), getTraining() ? getRowDims().size() : 0);
  SmallVector<AffineExpr> row = index.dims(), own = row;
  SmallVector<LoopTerm, 3> terms;
  unsigned next = 1;
  if (getTraining()) {
    for (auto [i, dim] : llvm::enumerate(getRowDims()))
      row[dim] = index.loop(i);
    terms.push_back(LoopTerm::element(0, index.map(row)));
    // The running statistics are not read.
    next += !!getRunningMean() + !!getRunningVar();
  }
  terms.push_back(LoopTerm::element(0, index.map(own)));
  for (; next < getNumOperands(); ++next)
    terms.push_back(LoopTerm::element(next, index.map({index.dim(1)})));
  return terms;
}

SmallVector<int64_t, 4> GroupNormOp::getLoopExtents() {
  ArrayRef<int64_t> shape = getShape(getInput());
  SmallVector<int64_t, 4> extents(shape.drop_front());
  extents[0] /= static_cast<int64_t>(getNumGroups());
  return extents;
}
AffineMap GroupNormOp::getLoopRows() {
  IndexBuilder index(getResult());
  int64_t width = getShape(getInput())[1] / static_cast<int64_t>(getNumGroups());
  return index.map({index.dim(0), index.dim(1).floorDiv(width)});
}
SmallVector<LoopTerm, 3> GroupNormOp::getLoopTerms(unsigned) {
  size_t rank = getShape(getInput()).size();
  IndexBuilder index(getResult(), rank - 1);
  int64_t width = getShape(getInput())[1] / static_cast<int64_t>(getNumGroups());
  SmallVector<AffineExpr> row = index.dims(), own = row;
  row[1] = index.loop(0) + row[1].floorDiv(width) * width;
  for (size_t i = 2; i < rank; ++i)
    row[i] = index.loop(i - 1);
  SmallVector<LoopTerm, 3> terms = {LoopTerm::element(0, index.map(row)), LoopTerm::element(0, index.map(own))};
  for (unsigned i = 1; i < getNumOperands(); ++i)
    terms.push_back(LoopTerm::element(i, index.map({index.dim(1)})));
  return terms;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Elements are loops of their own.
static AffineMap getAllRows(Value result) {
  IndexBuilder index(result);
  return index.map(index.dims());
}

AffineMap MaxPool2dOp::getLoopRows() { return getAllRows(getResult()); }
AffineMap AvgPool2dOp::getLoopRows() { return getAllRows(getResult()); }
AffineMap AdaptiveAvgPool2dOp::getLoopRows() { return getAllRows(getResult()); }

SmallVector<int64_t, 4> MaxPool2dOp::getLoopExtents() { return SmallVector<int64_t, 4>(getKernelSize()); }
SmallVector<int64_t, 4> AvgPool2dOp::getLoopExtents() { return SmallVector<int64_t, 4>(getKernelSize()); }

/// The window's element, or `fill` beside the input, and whether it counts: 1 or 0.
static SmallVector<LoopTerm, 3> getWindowTerms(Value input, Value result, ArrayRef<int64_t> stride,
                                               ArrayRef<int64_t> padding, ArrayRef<int64_t> dilation, bool countsPad,
                                               mlir::Attribute fill) {
  IndexBuilder index(result, 2);
  ArrayRef<int64_t> shape = getShape(input);
  SmallVector<AffineExpr> source = index.dims();
  SmallVector<IndexTest, 1> inside, counted;
  for (int64_t i = 0; i < 2; ++i) {
    int64_t axis = shape.size() - 2 + i, extent = shape[axis], pad = padding[i];
    source[axis] = source[axis] * stride[i] + index.loop(i) * dilation[i] - pad;
    inside.push_back({source[axis], 0, extent - 1});
    counted.push_back(countsPad ? IndexTest{source[axis], -pad, extent + pad - 1} : inside.back());
  }
  LoopTerm element;
  element.choices.push_back({0, index.map(source), {}, inside});
  element.choices.push_back({std::nullopt, {}, fill, {}});
  return {element, getIndicator(index, counted)};
}

SmallVector<LoopTerm, 3> MaxPool2dOp::getLoopTerms(unsigned) {
  IndexBuilder index(getResult());
  Type type = getInput().getType().getElementType();
  mlir::Attribute lowest = index.real(-std::numeric_limits<double>::infinity());
  if (auto integer = dyn_cast<IntegerType>(type))
    lowest =
        index.integer(integer.isUnsigned() ? 0 : llvm::APInt::getSignedMinValue(integer.getWidth()).getSExtValue());
  SmallVector<LoopTerm, 3> terms =
      getWindowTerms(getInput(), getResult(), getStride(), getPadding(), getDilation(), /*countsPad=*/false, lowest);
  terms.truncate(1);
  return terms;
}

SmallVector<LoopTerm, 3> AvgPool2dOp::getLoopTerms(unsigned) {
  SmallVector<LoopTerm, 3> terms = getWindowTerms(getInput(), getResult(), getStride(), getPadding(), {1, 1},
                                                  getCountIncludePad(), IndexBuilder(getResult()).real(0));
  // A divisor that is given takes no number of elements.
  if (getDivisorOverride())
    terms.truncate(1);
  return terms;
}

/// Window i covers [floor(i*in/out), ceil((i+1)*in/out)): they differ in size by one.
SmallVector<int64_t, 4> AdaptiveAvgPool2dOp::getLoopExtents() {
  ArrayRef<int64_t> shape = getShape(getInput());
  SmallVector<int64_t, 4> extents;
  for (size_t i = 0; i < 2; ++i) {
    int64_t in = shape[shape.size() - 2 + i], out = getOutputSize()[i], longest = 1;
    for (int64_t k = 0; k < out; ++k)
      longest = std::max(longest, ((k + 1) * in + out - 1) / out - k * in / out);
    extents.push_back(longest);
  }
  return extents;
}
SmallVector<LoopTerm, 3> AdaptiveAvgPool2dOp::getLoopTerms(unsigned) {
  IndexBuilder index(getResult(), 2);
  ArrayRef<int64_t> shape = getShape(getInput());
  SmallVector<AffineExpr> source = index.dims();
  ElementChoice element{0, {}, {}, {}};
  for (int64_t i = 0; i < 2; ++i) {
    int64_t axis = shape.size() - 2 + i, in = shape[axis], out = getOutputSize()[i];
    AffineExpr scaled = index.dim(axis) * in, end = (scaled + (in + out - 1)).floorDiv(out);
    source[axis] = scaled.floorDiv(out) + index.loop(i);
    element.tests.push_back({end - source[axis] - 1, 0, in});
  }
  element.index = index.map(source);
  LoopTerm window;
  window.choices = {element, {std::nullopt, {}, index.real(0), {}}};
  return {window, getIndicator(index, element.tests)};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value MmOp::getLeft() { return getInput(); }
Value MmOp::getRight() { return getMat2(); }
Value BmmOp::getLeft() { return getInput(); }
Value BmmOp::getRight() { return getMat2(); }

/// An element of each factor, and of the addend if it counts.
static SmallVector<LoopTerm, 3> getProductTerms(MatrixProductOpInterface product) {
  Value result = product->getResult(0);
  IndexBuilder index(result, 1);
  SmallVector<AffineExpr> own = index.dims(), left = own, right = own;
  size_t rank = own.size();
  left[rank - 1] = right[rank - 2] = index.loop(0);
  // Behind the addend, where there is one.
  unsigned first = product->getNumOperands() - 2;
  SmallVector<LoopTerm, 3> terms = {LoopTerm::element(first, index.map(left)),
                                    LoopTerm::element(first + 1, index.map(right))};
  if (Value addend = product.getAddend()) {
    ArrayRef<int64_t> shape = getShape(addend);
    SmallVector<AffineExpr> at;
    for (auto [i, size] : llvm::enumerate(shape))
      at.push_back(size == 1 ? index.number(0) : own[rank - shape.size() + i]);
    terms.push_back(LoopTerm::element(0, index.map(at)));
  }
  return terms;
}

#define FXGRAPH_PRODUCT(OP)                                                                                            \
  SmallVector<int64_t, 4> OP::getLoopExtents() { return {getShape(getLeft()).back()}; }                                \
  AffineMap OP::getLoopRows() { return getAllRows(getResult()); }                                                      \
  SmallVector<LoopTerm, 3> OP::getLoopTerms(unsigned) { return getProductTerms(*this); }
#define FXGRAPH_ADD_PRODUCT(OP)                                                                                        \
  FXGRAPH_PRODUCT(OP)                                                                                                  \
  Value OP::getLeft() { return getMat1(); }                                                                            \
  Value OP::getRight() { return getMat2(); }                                                                           \
  Value OP::getAddend() { return getBeta().isZero() ? Value() : Value(getInput()); }                                   \
  double OP::getProductScale() { return getAlpha().convertToDouble(); }                                                \
  double OP::getAddendScale() { return getBeta().convertToDouble(); }
FXGRAPH_PRODUCT(MmOp)
FXGRAPH_PRODUCT(BmmOp)
FXGRAPH_ADD_PRODUCT(AddmmOp)
FXGRAPH_ADD_PRODUCT(BaddbmmOp)
#undef FXGRAPH_PRODUCT
#undef FXGRAPH_ADD_PRODUCT

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

template <typename ConvOp>
static ConvolutionInfo getInfo(ConvOp conv) {
  ConvolutionInfo info;
  info.input = conv.getInput();
  info.weight = conv.getWeight();
  info.bias = conv.getBias();
  info.stride.assign(conv.getStride().begin(), conv.getStride().end());
  info.padding.assign(conv.getPadding().begin(), conv.getPadding().end());
  info.dilation.assign(conv.getDilation().begin(), conv.getDilation().end());
  info.groups = conv.getGroups();
  info.batched = getShape(info.input).size() == getShape(info.weight).size();
  return info;
}
ConvolutionInfo Conv1dOp::getConvolution() { return getInfo(*this); }
ConvolutionInfo Conv2dOp::getConvolution() { return getInfo(*this); }
ConvolutionInfo Conv3dOp::getConvolution() { return getInfo(*this); }
ConvolutionInfo ConvolutionOp::getConvolution() {
  ConvolutionInfo info = getInfo(*this);
  info.transposed = getTransposed();
  return info;
}

/// Channels of a group, and the taps.
static SmallVector<int64_t, 4> getConvolutionLoop(const ConvolutionInfo &conv) {
  SmallVector<int64_t, 4> extents(getShape(conv.weight).drop_front());
  if (conv.transposed)
    extents[0] = getShape(conv.weight)[0] / conv.groups;
  return extents;
}

/// An element of the input (zero outside of it), one of the filter, the bias if there is one. Where a transposed convolution
/// reads no input there is no product, and an infinite element of the filter takes no part: both are zero.
static SmallVector<LoopTerm, 3> getConvolutionTerms(const ConvolutionInfo &conv, Value result) {
  ArrayRef<int64_t> inputShape = getShape(conv.input), weightShape = getShape(conv.weight);
  size_t spatial = weightShape.size() - 2, lead = conv.batched ? 1 : 0;
  IndexBuilder index(result, 1 + spatial);
  int64_t perGroup = inputShape[lead] / conv.groups;
  int64_t outputChannels = conv.transposed ? weightShape[1] : weightShape[0] / conv.groups;
  AffineExpr channel = index.dim(lead);
  SmallVector<AffineExpr> source = index.dims(), filter = {channel, index.loop(0)};
  source[lead] = index.loop(0) + channel.floorDiv(outputChannels) * perGroup;
  if (conv.transposed)
    filter = {source[lead], channel % outputChannels};
  ElementChoice element{0, {}, {}, {}};
  for (size_t i = 0; i < spatial; ++i) {
    int64_t axis = lead + 1 + i;
    AffineExpr out = index.dim(axis), tap = index.loop(1 + i);
    if (conv.transposed) {
      AffineExpr scaled = out - tap * conv.dilation[i] + conv.padding[i];
      if (conv.stride[i] != 1)
        element.tests.push_back({scaled % conv.stride[i], 0, 0});
      source[axis] = scaled.floorDiv(conv.stride[i]);
    } else {
      source[axis] = out * conv.stride[i] + tap * conv.dilation[i] - conv.padding[i];
    }
    element.tests.push_back({source[axis], 0, inputShape[axis] - 1});
    filter.push_back(tap);
  }
  element.index = index.map(source);
  LoopTerm window;
  window.choices = {element, {std::nullopt, {}, index.real(0), {}}};
  SmallVector<LoopTerm, 3> terms = {window, LoopTerm::element(1, index.map(filter))};
  if (conv.transposed) {
    terms[1].choices.front().tests = element.tests;
    terms[1].choices.push_back(window.choices.back());
  }
  if (conv.bias)
    terms.push_back(LoopTerm::element(2, index.map({channel})));
  return terms;
}

#define FXGRAPH_CONVOLUTION(OP)                                                                                        \
  SmallVector<int64_t, 4> OP::getLoopExtents() { return getConvolutionLoop(getConvolution()); }                        \
  AffineMap OP::getLoopRows() { return getAllRows(getResult()); }                                                      \
  SmallVector<LoopTerm, 3> OP::getLoopTerms(unsigned) { return getConvolutionTerms(getConvolution(), getResult()); }
FXGRAPH_CONVOLUTION(Conv1dOp)
FXGRAPH_CONVOLUTION(Conv2dOp)
FXGRAPH_CONVOLUTION(Conv3dOp)
FXGRAPH_CONVOLUTION(ConvolutionOp)
#undef FXGRAPH_CONVOLUTION
