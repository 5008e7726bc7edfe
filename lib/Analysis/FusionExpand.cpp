// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an element of an op's result is computed from.

#include "FusionPlanner.h"

using namespace fxgraph;

void FusionPlanner::expand(Operation *op, OpClass opClass, unsigned kernelId, unsigned nodeId) {
  FusionKernel &kernel = *plan.kernels[kernelId];
  Index index = kernel.nodes[nodeId].index;
  auto result = cast<mlir::OpResult>(kernel.nodes[nodeId].value);
  switch (opClass) {
  case OpClass::Leaf:
    if (Attribute splat = getSplatConstant(op)) {
      kernel.nodes[nodeId].kind = KernelNode::Kind::Constant;
      kernel.nodes[nodeId].constant = splat;
      return;
    }
    if (isa<ArangeOp>(op)) {
      unsigned coordinate = addCoordinate(kernelId, index[0], IntegerType::get(op->getContext(), 64));
      kernel.nodes[nodeId].kind = KernelNode::Kind::Compute;
      kernel.nodes[nodeId].operands = {coordinate};
    }
    return; // A literal tensor: a load.
  case OpClass::Identity:
  case OpClass::View: {
    Index source = getViewIndex(result, index, kernel.space);
    unsigned operand = demand(kernelId, op->getOperand(0), source);
    kernel.nodes[nodeId].kind = KernelNode::Kind::Forward;
    kernel.nodes[nodeId].operands = {operand};
    return;
  }
  case OpClass::Pointwise: {
    SmallVector<unsigned, 3> operands;
    if (isa<BatchNormOp>(op)) {
      operands.push_back(demand(kernelId, op->getOperand(0), index));
      for (Value operand : op->getOperands().drop_front())
        operands.push_back(demand(kernelId, operand, {index[1]}));
    } else {
      for (Value operand : op->getOperands())
        operands.push_back(demand(kernelId, operand, getBroadcastIndex(operand, index)));
    }
    kernel.nodes[nodeId].kind = KernelNode::Kind::Compute;
    kernel.nodes[nodeId].operands = std::move(operands);
    return;
  }
  case OpClass::Select:
    return expandSelect(op, kernelId, nodeId);
  case OpClass::Gather:
    return expandGather(op, kernelId, nodeId);
  case OpClass::Reduction:
    return expandReduction(op, kernelId, nodeId);
  case OpClass::Library:
  case OpClass::Region:
  case OpClass::Collective:
  case OpClass::Wait:
  case OpClass::Write:
  case OpClass::Ignored:
  case OpClass::Unsupported:
    return;
  }
}

void FusionPlanner::expandSelect(Operation *op, unsigned kernelId, unsigned nodeId) {
  FusionKernel &kernel = *plan.kernels[kernelId];
  IndexSpace &space = kernel.space;
  Index index = kernel.nodes[nodeId].index;
  Type type = kernel.nodes[nodeId].elementType;
  auto forward = [&](unsigned operand) {
    kernel.nodes[nodeId].kind = KernelNode::Kind::Forward;
    kernel.nodes[nodeId].operands = {operand};
  };
  auto number = [&](double value) { return addNumber(kernelId, value, type); };
  if (auto cat = dyn_cast<CatLikeOpInterface>(op)) {
    int64_t dim = cat.getNormalizedDim(), start = 0;
    size_t rank = index.size() - cat.addsDim();
    std::optional<unsigned> chain;
    SmallVector<std::pair<unsigned, int64_t>> pieces; // node, start
    SmallVector<int64_t> ends;
    for (Value operand : op->getOperands()) {
      if (getShape(operand).size() != rank || getNumElements(operand) == 0)
        continue;
      int64_t extent = cat.addsDim() ? 1 : getShape(operand)[dim];
      Index source = index;
      if (cat.addsDim())
        source.erase(source.begin() + dim);
      else
        source[dim] = space.clamp(space.add(index[dim], IndexExpr(-start)), 0, extent - 1);
      pieces.push_back({demand(kernelId, operand, source), start});
      start += extent;
      ends.push_back(start);
    }
    for (size_t i = pieces.size(); i-- > 0;) {
      if (!chain)
        chain = pieces[i].first;
      else
        chain = addSelect(kernelId, {RangeTest{index[dim], 0, ends[i] - 1}}, pieces[i].first, *chain, type);
    }
    return forward(*chain);
  }
  if (auto pad = dyn_cast<ConstantPadNdOp>(op)) {
    unsigned fill = number(pad.getValue().convertToDouble());
    Value input = pad.getInput();
    if (getNumElements(input) == 0)
      return forward(fill);
    ArrayRef<int64_t> shape = getShape(input);
    SmallVector<RangeTest> tests;
    Index source = index;
    for (size_t i = 0; 2 * i + 1 < pad.getPad().size(); ++i) {
      size_t axis = shape.size() - 1 - i;
      IndexExpr at = space.add(index[axis], IndexExpr(-pad.getPad()[2 * i]));
      tests.push_back({at, 0, shape[axis] - 1});
      source[axis] = space.clamp(at, 0, shape[axis] - 1);
    }
    unsigned inside = demand(kernelId, input, source);
    return forward(addSelect(kernelId, tests, inside, fill, type));
  }
  if (isa<TriuOp, TrilOp>(op)) {
    int64_t diagonal =
        op->getAttrOfType<IntegerAttr>("diagonal") ? op->getAttrOfType<IntegerAttr>("diagonal").getInt() : 0;
    constexpr int64_t far = int64_t(1) << 60;
    size_t rank = index.size();
    IndexExpr offset = space.sub(index[rank - 1], index[rank - 2]);
    RangeTest keep = isa<TriuOp>(op) ? RangeTest{offset, diagonal, far} : RangeTest{offset, -far, diagonal};
    unsigned inside = demand(kernelId, op->getOperand(0), index);
    return forward(addSelect(kernelId, {keep}, inside, number(0), type));
  }
  // slice_scatter, select_scatter: src where the index lies in the slice.
  Value input = op->getOperand(0), src = op->getOperand(1);
  ArrayRef<int64_t> shape = getShape(input);
  int64_t dim = wrapDim(op->getAttrOfType<IntegerAttr>("dim").getInt(), shape.size());
  Index source = index;
  SmallVector<RangeTest> tests;
  if (auto scatter = dyn_cast<SliceScatterOp>(op)) {
    SliceBounds bounds = clampSlice(shape[dim], scatter.getStart(), scatter.getEnd(), scatter.getStep());
    if (bounds.size == 0)
      return forward(demand(kernelId, input, index));
    int64_t step = scatter.getStep();
    IndexExpr relative = space.add(index[dim], IndexExpr(-bounds.start));
    tests.push_back({relative, 0, (bounds.size - 1) * step});
    if (step != 1)
      tests.push_back({space.mod(relative, step), 0, 0});
    source[dim] = space.clamp(space.floorDiv(relative, step), 0, bounds.size - 1);
  } else {
    int64_t at = op->getAttrOfType<IntegerAttr>("index").getInt();
    at = at < 0 ? at + shape[dim] : at;
    tests.push_back({index[dim], at, at});
    source.erase(source.begin() + dim);
  }
  unsigned yes = demand(kernelId, src, source), no = demand(kernelId, input, index);
  forward(addSelect(kernelId, tests, yes, no, type));
}

void FusionPlanner::expandGather(Operation *op, unsigned kernelId, unsigned nodeId) {
  FusionKernel &kernel = *plan.kernels[kernelId];
  IndexSpace &space = kernel.space;
  Index index = kernel.nodes[nodeId].index;
  Value table = op->getOperand(0);
  ArrayRef<int64_t> shape = getShape(table);
  auto symbol = [&](Value indices, ArrayRef<IndexExpr> at, int64_t extent) {
    int64_t lowest = isa<IndexOp, UnsafeIndexOp>(op) ? -extent : 0;
    return space.addSymbol(demand(kernelId, indices, at), lowest, extent, space.getDims(at));
  };
  Index source;
  if (isa<EmbeddingOp>(op)) {
    size_t rank = index.size() - 1;
    source.push_back(symbol(op->getOperand(1), ArrayRef<IndexExpr>(index).take_front(rank), shape[0]));
    source.push_back(index.back());
  } else if (isa<IndexSelectOp, GatherOp>(op)) {
    source = index;
    if (!shape.empty()) {
      int64_t dim = wrapDim(op->getAttrOfType<IntegerAttr>("dim").getInt(), shape.size());
      Index at = isa<GatherOp>(op) ? index : Index{index[dim]};
      if (getShape(op->getOperand(1)).empty())
        at.clear();
      source[dim] = symbol(op->getOperand(1), at, shape[dim]);
    }
  } else {
    // index and unsafe_index: behind the input come the indices.
    ArrayRef<int64_t> dims = cast<DenseI64ArrayAttr>(op->getAttr("dims")).asArrayRef();
    mlir::OperandRange indexTensors = op->getOperands().drop_front();
    size_t rank = 0;
    for (Value indices : indexTensors)
      rank = std::max(rank, getShape(indices).size());
    bool adjacent = true;
    for (size_t i = 1; i < dims.size(); ++i)
      adjacent &= dims[i] == dims[i - 1] + 1;
    size_t first = adjacent && !dims.empty() ? dims.front() : 0;
    Index common(index.begin() + first, index.begin() + first + rank);
    Index rest(index.begin(), index.begin() + first);
    rest.append(index.begin() + first + rank, index.end());
    size_t next = 0;
    for (size_t i = 0; i < shape.size(); ++i) {
      const int64_t *found = llvm::find(dims, static_cast<int64_t>(i));
      if (found == dims.end()) {
        source.push_back(rest[next++]);
        continue;
      }
      Value indices = indexTensors[found - dims.begin()];
      source.push_back(symbol(indices, getBroadcastIndex(indices, common), shape[i]));
    }
  }
  unsigned operand = demand(kernelId, table, source);
  kernel.nodes[nodeId].kind = KernelNode::Kind::Forward;
  kernel.nodes[nodeId].operands = {operand};
}

/// Elements of a reduction without further operands: at the dimensions that stay and, along `dims`, at the loop.
static Index getReducedIndex(int64_t rank, ArrayRef<int64_t> dims, bool keepdim, ArrayRef<IndexExpr> index,
                             ArrayRef<IndexExpr> loop) {
  Index source(rank);
  size_t nextResult = 0, nextLoop = 0;
  for (int64_t i = 0; i < rank; ++i) {
    bool reduced = llvm::is_contained(dims, i);
    source[i] = reduced ? loop[nextLoop++] : index[nextResult];
    nextResult += !reduced || keepdim;
  }
  return source;
}

static bool keepsDim(Operation *op) {
  auto keepdim = op->getAttrOfType<BoolAttr>("keepdim");
  return keepdim && keepdim.getValue();
}

unsigned FusionPlanner::addNumber(unsigned kernel, double value, Type type) {
  return addConstant(kernel, FloatAttr::get(mlir::Float64Type::get(type.getContext()), value), type);
}

/// 1 where all tests hold, else 0.
unsigned FusionPlanner::addIndicator(unsigned kernel, ArrayRef<RangeTest> tests) {
  Type type = mlir::Float32Type::get(function.getContext());
  unsigned one = addNumber(kernel, 1, type), zero = addNumber(kernel, 0, type);
  return addSelect(kernel, tests, one, zero, type);
}

void FusionPlanner::expandReduction(Operation *op, unsigned kernelId, unsigned nodeId) {
  FusionKernel &kernel = *plan.kernels[kernelId];
  Index index = kernel.nodes[nodeId].index;
  // Statistics of a native_layer_norm are at the rows of its result.
  Index loop = *joinLoop(op, kernelId, index, /*commit=*/true, /*isRoot=*/true);
  Value input = op->getOperand(0);
  SmallVector<unsigned, 3> operands;
  if (auto reduction = dyn_cast<ReductionOpInterface>(op)) {
    Index source = getReducedIndex(getShape(input).size(), reduction.getReducedDims(), keepsDim(op), index, loop);
    operands = {demand(kernelId, input, source)};
  } else if (isa<CumsumOp, CumprodOp>(op)) {
    // The element itself: what is before it comes from other threads.
    operands = {demand(kernelId, input, index)};
  } else if (auto rows = dyn_cast<RowOpInterface>(op); rows && !rows.keepsRow()) {
    operands = getExtremumOperands(op, kernelId, index, loop);
  } else if (isa<RowOpInterface, GroupNormOp>(op)) {
    operands = getNormalizationOperands(op, kernelId, nodeId, loop);
  } else if (isa<MaxPool2dOp, AvgPool2dOp>(op)) {
    operands = getPoolOperands(op, kernelId, index, loop);
  } else if (auto pool = dyn_cast<AdaptiveAvgPool2dOp>(op)) {
    operands = getAdaptivePoolOperands(pool, kernelId, index, loop);
  } else if (isa<MmOp, BmmOp, AddmmOp, BaddbmmOp>(op)) {
    operands = getProductOperands(op, kernelId, index, loop);
  } else {
    operands = getConvolutionOperands(op, kernelId, index, loop);
  }
  kernel.nodes[nodeId].kind = KernelNode::Kind::Compute;
  kernel.nodes[nodeId].operands = std::move(operands);
}

/// The element, and its position among those of the loop.
SmallVector<unsigned, 3> FusionPlanner::getExtremumOperands(Operation *op, unsigned kernelId, ArrayRef<IndexExpr> index,
                                                            ArrayRef<IndexExpr> loop) {
  ArrayRef<int64_t> shape = getShape(op->getOperand(0));
  SmallVector<int64_t> dims = cast<RowOpInterface>(op).getRowDims(), extents;
  for (int64_t dim : dims)
    extents.push_back(shape[dim]);
  Index source = getReducedIndex(shape.size(), dims, keepsDim(op), index, loop);
  unsigned value = demand(kernelId, op->getOperand(0), source);
  IndexExpr position = plan.kernels[kernelId]->space.linearize(loop, extents);
  return {value, addCoordinate(kernelId, position, IntegerType::get(op->getContext(), 64))};
}

/// An element of the row, the element itself (statistics have none) and the parameters.
SmallVector<unsigned, 3> FusionPlanner::getNormalizationOperands(Operation *op, unsigned kernelId, unsigned nodeId,
                                                                 ArrayRef<IndexExpr> loop) {
  FusionKernel &kernel = *plan.kernels[kernelId];
  IndexSpace &space = kernel.space;
  Index index = kernel.nodes[nodeId].index;
  Value input = op->getOperand(0);
  ArrayRef<int64_t> shape = getShape(input);
  Index source = index;
  if (auto norm = dyn_cast<GroupNormOp>(op)) {
    int64_t width = shape[1] / static_cast<int64_t>(norm.getNumGroups());
    source[1] = space.addScaled(loop[0], space.floorDiv(index[1], width), width);
    for (size_t i = 2; i < shape.size(); ++i)
      source[i] = loop[i - 1];
  } else {
    for (auto [dim, expr] : llvm::zip_equal(getReductionLoop(op).resultDims, loop))
      source[dim] = expr;
  }
  SmallVector<unsigned, 3> operands = {demand(kernelId, input, source)};
  bool isStatistic = cast<mlir::OpResult>(kernel.nodes[nodeId].value).getResultNumber() != 0;
  operands.push_back(isStatistic ? operands[0] : demand(kernelId, input, index));
  if (isa<SoftmaxOp, LogSoftmaxOp>(op) || isStatistic)
    return operands;
  if (auto norm = dyn_cast<BatchNormOp>(op)) {
    for (Value parameter : {norm.getWeight(), norm.getBias()})
      if (parameter)
        operands.push_back(demand(kernelId, parameter, {index[1]}));
    return operands;
  }
  for (Value parameter : op->getOperands().drop_front())
    operands.push_back(isa<GroupNormOp>(op) ? demand(kernelId, parameter, {index[1]})
                                            : demand(kernelId, parameter,
                                                     ArrayRef<IndexExpr>(index).take_back(getShape(parameter).size())));
  return operands;
}

/// The window's element, and for a mean that divides by a number of elements whether it counts.
SmallVector<unsigned, 3> FusionPlanner::getPoolOperands(Operation *op, unsigned kernelId, ArrayRef<IndexExpr> index,
                                                        ArrayRef<IndexExpr> loop) {
  IndexSpace &space = plan.kernels[kernelId]->space;
  Value input = op->getOperand(0);
  ArrayRef<int64_t> shape = getShape(input);
  auto pair = [&](StringRef name) {
    ArrayRef<int64_t> values = op->getAttrOfType<DenseI64ArrayAttr>(name).asArrayRef();
    return std::array<int64_t, 2>{values[0], values.back()};
  };
  auto stride = pair("stride"), padding = pair("padding");
  bool isMax = isa<MaxPool2dOp>(op);
  auto dilation = isMax ? pair("dilation") : std::array<int64_t, 2>{1, 1};
  Type type = getElementType(input);
  Index source(index);
  SmallVector<RangeTest> inside, counted;
  bool includePad = !isMax && cast<AvgPool2dOp>(op).getCountIncludePad();
  for (int64_t i = 0; i < 2; ++i) {
    int64_t axis = shape.size() - 2 + i, extent = shape[axis];
    IndexExpr at = space.add(space.add(space.scale(index[axis], stride[i]), space.scale(loop[i], dilation[i])),
                             IndexExpr(-padding[i]));
    inside.push_back({at, 0, extent - 1});
    counted.push_back(includePad ? RangeTest{at, -padding[i], extent + padding[i] - 1} : inside.back());
    source[axis] = space.clamp(at, 0, extent - 1);
  }
  unsigned element = demand(kernelId, input, source);
  unsigned fill;
  if (isMax && isa<IntegerType>(type)) {
    int64_t lowest =
        type.isUnsignedInteger() ? 0 : APInt::getSignedMinValue(type.getIntOrFloatBitWidth()).getSExtValue();
    fill = addConstant(kernelId, IntegerAttr::get(IntegerType::get(op->getContext(), 64), lowest), type);
  } else {
    fill = addNumber(kernelId, isMax ? -std::numeric_limits<double>::infinity() : 0, type);
  }
  SmallVector<unsigned, 3> operands = {addSelect(kernelId, inside, element, fill, type)};
  if (!isMax && !cast<AvgPool2dOp>(op).getDivisorOverride())
    operands.push_back(addIndicator(kernelId, counted));
  return operands;
}

/// The window's element, and whether it is one: windows differ in size by one.
SmallVector<unsigned, 3> FusionPlanner::getAdaptivePoolOperands(AdaptiveAvgPool2dOp pool, unsigned kernelId,
                                                                ArrayRef<IndexExpr> index, ArrayRef<IndexExpr> loop) {
  IndexSpace &space = plan.kernels[kernelId]->space;
  Value input = pool->getOperand(0);
  ArrayRef<int64_t> shape = getShape(input);
  Index source(index);
  SmallVector<RangeTest> inside;
  Type type = getElementType(input);
  for (int64_t i = 0; i < 2; ++i) {
    int64_t axis = shape.size() - 2 + i, in = shape[axis], out = pool.getOutputSize()[i];
    IndexExpr start = space.floorDiv(space.scale(index[axis], in), out);
    IndexExpr end = space.floorDiv(space.add(space.scale(index[axis], in), IndexExpr(in + out - 1)), out);
    IndexExpr at = space.add(start, loop[i]);
    inside.push_back({space.add(space.sub(end, at), IndexExpr(-1)), 0, in});
    source[axis] = space.clamp(at, 0, in - 1);
  }
  unsigned element = demand(kernelId, input, source), fill = addNumber(kernelId, 0, type);
  unsigned value = addSelect(kernelId, inside, element, fill, type);
  return {value, addIndicator(kernelId, inside)};
}

/// An element of each factor, and of the addend if it counts.
SmallVector<unsigned, 3> FusionPlanner::getProductOperands(Operation *op, unsigned kernelId, ArrayRef<IndexExpr> index,
                                                           ArrayRef<IndexExpr> loop) {
  bool isPlain = isa<MmOp, BmmOp>(op);
  Index left(index), right(index);
  left[index.size() - 1] = loop[0];
  right[index.size() - 2] = loop[0];
  SmallVector<unsigned, 3> operands = {demand(kernelId, op->getOperand(isPlain ? 0 : 1), left)};
  operands.push_back(demand(kernelId, op->getOperand(isPlain ? 1 : 2), right));
  auto beta = op->getAttrOfType<FloatAttr>("beta");
  if (!isPlain && !(beta && beta.getValue().isZero()))
    operands.push_back(demand(kernelId, op->getOperand(0), getBroadcastIndex(op->getOperand(0), index)));
  return operands;
}

/// An element of the input (zero outside of it), one of the filter, the bias if there is one.
SmallVector<unsigned, 3> FusionPlanner::getConvolutionOperands(Operation *op, unsigned kernelId,
                                                               ArrayRef<IndexExpr> index, ArrayRef<IndexExpr> loop) {
  IndexSpace &space = plan.kernels[kernelId]->space;
  ConvolutionInfo conv = *getConvolution(op);
  ArrayRef<int64_t> inputShape = getShape(conv.input), weightShape = getShape(conv.weight);
  size_t spatial = weightShape.size() - 2, lead = conv.batched ? 1 : 0;
  int64_t inputChannels = inputShape[lead], perGroup = inputChannels / conv.groups;
  int64_t outputChannels = conv.transposed ? weightShape[1] * conv.groups : weightShape[0];
  IndexExpr channel = index[lead], group = space.floorDiv(channel, outputChannels / conv.groups);
  Index source, filter;
  if (conv.batched)
    source.push_back(index[0]);
  source.push_back(space.addScaled(loop[0], group, perGroup));
  if (conv.transposed)
    filter = {source.back(), space.mod(channel, outputChannels / conv.groups)};
  else
    filter = {channel, loop[0]};
  SmallVector<RangeTest> tests;
  for (size_t i = 0; i < spatial; ++i) {
    int64_t extent = inputShape[lead + 1 + i];
    IndexExpr out = index[lead + 1 + i], tap = loop[1 + i], at;
    if (conv.transposed) {
      IndexExpr scaled = space.add(space.addScaled(out, tap, -conv.dilation[i]), IndexExpr(conv.padding[i]));
      if (conv.stride[i] != 1)
        tests.push_back({space.mod(scaled, conv.stride[i]), 0, 0});
      at = space.floorDiv(scaled, conv.stride[i]);
    } else {
      at = space.add(space.addScaled(space.scale(out, conv.stride[i]), tap, conv.dilation[i]),
                     IndexExpr(-conv.padding[i]));
    }
    tests.push_back({at, 0, extent - 1});
    source.push_back(space.clamp(at, 0, extent - 1));
    filter.push_back(tap);
  }
  Type type = getElementType(conv.input);
  unsigned element = demand(kernelId, conv.input, source), zero = addNumber(kernelId, 0, type);
  SmallVector<unsigned, 3> operands = {addSelect(kernelId, tests, element, zero, type)};
  operands.push_back(demand(kernelId, conv.weight, filter));
  if (conv.bias)
    operands.push_back(demand(kernelId, conv.bias, {channel}));
  return operands;
}
