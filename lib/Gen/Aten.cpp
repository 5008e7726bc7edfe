// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random graphs: forms behind autodiff that passes look for: uniform values, arithmetic
// behind products with weights, index tricks, reductions, writes and loops, each with
// small steps away from it.

#include "RandomGraph.h"

using namespace fxgraph;

Value RandomGraph::full(ArrayRef<int64_t> shape, Type element, double value) {
  return b.emitOne("full", {}, b.attrF64("value", value), b.tensorType(shape, element));
}

/// x * 1, x + 0, 0 - x, … with ones and zeros that are computed.
void RandomGraph::uniformOperand() {
  Value value = pick(1, 3);
  RankedTensorType type = b.typeOf(value);
  if (!type.hasStaticShape() || b.elementOf(value).isInteger(1))
    return;
  SmallVector<int64_t> shape(type.getShape());
  if (b.chance(300))
    shape[b.below(shape.size())] = 1;
  if (b.chance(200))
    shape.erase(shape.begin());
  if (b.chance(60))
    shape.insert(shape.begin(), 2);
  Type element = b.chance(900) ? type.getElementType() : elementType();
  if (element.isInteger(1))
    return;
  Value uniform = full(shape, element, b.choose({0.0, 0.0, 1.0, 1.0, 2.0, -1.0}));
  // Still uniform behind views and arithmetic with numbers.
  for (int64_t i = b.below(3); uniform && i > 0; --i)
    switch (b.below(4)) {
    case 0:
      uniform = b.emitOne("add", {uniform, b.addNumber(b.choose({0.0, 1.0}), /*isInteger=*/!isa<FloatType>(element))});
      break;
    case 1:
      uniform = b.emitOne("mul", {uniform, uniform});
      break;
    case 2:
      uniform = b.rankOf(uniform) == 0 ? uniform : b.emitOne("unsqueeze", uniform, b.attr("dim", 0));
      break;
    default:
      uniform = b.emitOne("clone", uniform);
      break;
    }
  if (!uniform)
    return;
  if (b.chance(50))
    add(uniform);
  bool swap = b.chance(300);
  StringRef name = b.choose({StringRef("mul"), StringRef("add"), StringRef("sub"), StringRef("div")});
  add(swap ? b.emitOne(name, {uniform, value}) : b.emitOne(name, {value, uniform}));
}

/// A convolution, linear or product with weights, and arithmetic with what is known when
/// they are frozen, or is not.
void RandomGraph::foldArithmetic() {
  Type type = b.chance(900) ? floatType() : elementType();
  int64_t inputs = b.between(1, 4), outputs = b.between(1, 4), batch = b.between(1, 3);
  bool isConvolution = b.chance(500), hasBias = b.chance(600);
  StringRef weightKind = b.chance(930) ? "parameter" : "input";
  Value result;
  int64_t spatial = 0;
  if (isConvolution) {
    spatial = b.choose({1, 2, 2});
    SmallVector<int64_t> inputShape{batch, inputs}, weightShape{outputs, inputs};
    for (int64_t i = 0; i < spatial; ++i) {
      inputShape.push_back(b.between(3, 4));
      weightShape.push_back(b.between(1, 3));
    }
    SmallVector<Value> operands{b.addArgument(b.tensorType(inputShape, type)),
                                b.addArgument(b.tensorType(weightShape, type), weightKind)};
    if (hasBias)
      operands.push_back(parameter({outputs}, type));
    SmallVector<int64_t> ones(spatial, 1), zeros(spatial, 0);
    result = b.emitOne(spatial == 1 ? "conv1d" : "conv2d", operands,
                       {b.attr("stride", ones), b.attr("padding", zeros), b.attr("dilation", ones), b.attr("groups", 1)});
  } else {
    Value input = b.addArgument(b.tensorType({batch, inputs}, type));
    Value weight = b.addArgument(b.tensorType({inputs, outputs}, type), weightKind);
    result = hasBias ? b.emitOne("addmm", {parameter({outputs}, type), input, weight}) : b.emitOne("mm", {input, weight});
  }
  for (int64_t i = b.between(1, 3); result && i > 0; --i) {
    if (b.chance(60))
      add(result);
    SmallVector<int64_t> shape;
    switch (b.below(6)) {
    case 0: // as the result
      shape.assign(b.typeOf(result).getShape());
      break;
    case 1: // along the last dimension
      shape = {b.extentOf(result, b.rankOf(result) - 1)};
      break;
    case 2:
      break;
    default: // a number for each channel
      shape.push_back(outputs);
      shape.append(spatial, 1);
      if (b.chance(300))
        shape.insert(shape.begin(), 1);
      break;
    }
    Value other = b.chance(150) ? full(shape, type, b.choose({0.5, 2.0, 3.0}))
                                : b.addArgument(b.tensorType(shape, type), b.chance(850) ? "parameter" : "input");
    if (other && b.chance(100))
      other = b.emitOne("neg", other);
    StringRef name = b.choose({StringRef("add"), StringRef("sub"), StringRef("mul"), StringRef("div")});
    bool swap = b.chance(150);
    result = swap ? b.emitOne(name, {other, result}) : b.emitOne(name, {result, other});
  }
  if (add(result) && b.chance(400))
    add(applyUnary(b.choose({StringRef("relu"), StringRef("sigmoid"), StringRef("gelu")}), result));
}

/// Products of one input with several weights.
void RandomGraph::productsOfOneInput() {
  Type type = floatType();
  int64_t inputs = b.between(1, 4), outputs = b.between(1, 4);
  Value input = b.addArgument(b.tensorType({b.between(1, 4), inputs}, type));
  bool isLinear = b.chance(300), hasBias = b.chance(400);
  SmallVector<Value> results;
  for (int64_t i = b.between(2, 4); i > 0; --i) {
    int64_t width = b.chance(850) ? outputs : b.between(1, 4);
    SmallVector<int64_t> shape = isLinear ? SmallVector<int64_t>{width, inputs} : SmallVector<int64_t>{inputs, width};
    Value weight = b.addArgument(b.tensorType(shape, type), b.chance(930) ? "parameter" : "input");
    Value bias = hasBias ? parameter({width}, type) : Value();
    Value result;
    if (isLinear)
      result = hasBias ? b.emitOne("linear", {input, weight, bias}) : b.emitOne("linear", {input, weight});
    else
      result = hasBias ? b.emitOne("addmm", {bias, input, weight}) : b.emitOne("mm", {input, weight});
    if (!result)
      return;
    results.push_back(result);
  }
  if (b.chance(300))
    for (Value &result : results)
      result = applyUnary("relu", result);
  addAll(results);
  if (b.chance(300))
    joinSomehow(results, 1);
}

/// op(a_i, b_i) of one kind, enough for a group of the default size now and then.
void RandomGraph::pairs() {
  Value first = pick(1, 3, /*isFloat=*/true);
  RankedTensorType type = b.typeOf(first);
  StringRef name = b.choose({StringRef("add"), StringRef("sub"), StringRef("mul"), StringRef("div")});
  int64_t count = b.between(2, 6);
  SmallVector<Value> left = pickGroup(type, count), right = pickGroup(type, count), results;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<mlir::NamedAttribute> attributes;
    if ((name == "add" || name == "sub") && b.chance(40))
      attributes.push_back(b.attrF64("alpha", 2.0));
    Value result = b.emitOne(b.chance(970) ? name : StringRef("maximum"), {left[i], right[i]}, attributes);
    if (!result)
      return;
    results.push_back(result);
  }
  addAll(results);
  if (b.chance(500))
    joinSomehow(results, b.below(type.getRank()));
}

/// Rows picked by a permutation, which has no index twice.
void RandomGraph::permutedRows() {
  Value value = pick(1, 3);
  int64_t rows = b.extentOf(value, 0);
  if (!b.typeOf(value).hasStaticShape() || rows == 0)
    return;
  Type index = b.builder.getI64Type();
  int64_t numbers = b.chance(900) ? rows : b.between(1, rows);
  Value permutation = b.emitOne("randperm", {}, {}, b.tensorType({numbers}, index));
  if (permutation && b.chance(800))
    permutation =
        b.emitOne("slice", permutation,
                  {b.attr("dim", 0), b.attr("start", 0), b.attr("end", b.between(1, numbers)), b.attr("step", 1)});
  if (!permutation)
    return;
  Value picked = b.emitOne("index", {value, permutation}, b.attr("dims", ArrayRef<int64_t>{0}));
  if (!picked)
    return;
  // The rows themselves differ from draw to draw; their sum does not, if it is of all.
  if (b.chance(500)) {
    add(b.emitOne("index_put", {value, permutation, picked},
                  {b.attr("dims", ArrayRef<int64_t>{0}), b.attrBool("accumulate", b.chance(500))}));
    return;
  }
  add(picked);
}

/// full(a) with v written where an index says.
void RandomGraph::markedPlaces() {
  Value value = pick(1, 3, /*isFloat=*/true);
  RankedTensorType type = b.typeOf(value);
  int64_t rank = type.getRank(), dim = b.below(rank);
  if (!type.hasStaticShape() || type.getNumElements() == 0)
    return;
  Value index = b.emitOne("argmax", value, {b.attr("dim", b.chance(900) ? dim : b.below(rank)), b.attrBool("keepdim", true)});
  if (!index)
    return;
  Type element = b.chance(900) ? type.getElementType() : elementType();
  Value zeros = full(type.getShape(), element, b.choose({0.0, 0.0, 1.0}));
  Value marks = full(b.typeOf(index).getShape(), element, b.choose({1.0, -1.0, 2.0}));
  Value marked = zeros && marks ? b.emitOne("scatter", {zeros, index, marks}, b.attr("dim", b.spellDim(dim, rank))) : Value();
  if (add(marked) && b.chance(500))
    add(b.emitOne("mul", {marked, value}));
}

/// Sums along what is everywhere the same.
void RandomGraph::uniformSums() {
  SmallVector<int64_t> shape;
  for (int64_t i = b.between(1, 3); i > 0; --i)
    shape.push_back(b.between(1, 6));
  Value uniform = full(shape, elementType(), b.choose({1.0, 1.0, 2.0, 0.5, 0.1}));
  int64_t rank = shape.size(), dim = b.below(rank);
  if (uniform && b.chance(100))
    uniform = b.emitOne("convert_element_type", uniform, {}, b.tensorType(shape, elementType()));
  Value sums = uniform ? b.emitOne("cumsum", uniform, b.attr("dim", b.spellDim(dim, rank))) : Value();
  if (add(sums) && b.chance(300))
    add(b.emitOne("mul", {sums, sums}));
}

/// A softmax as autodiff leaves it, and maxima of a part and of all.
void RandomGraph::partsOfSoftmax() {
  Value value = pick(1, 3, /*isFloat=*/true);
  RankedTensorType type = b.typeOf(value);
  int64_t rank = type.getRank();
  if (!type.hasStaticShape() || type.getNumElements() == 0)
    return;
  SmallVector<int64_t> dims{b.chance(900) ? rank - 1 : b.below(rank)};
  if (b.chance(350)) {
    // A part and the whole.
    StringRef name = b.choose({StringRef("amax"), StringRef("amin"), StringRef("sum")});
    add(b.emitOne(name, value, {b.attr("dims", dims), b.attrBool("keepdim", b.chance(500))}));
    add(b.emitOne(name, value));
    return;
  }
  SmallVector<mlir::NamedAttribute> along{b.attr("dims", dims), b.attrBool("keepdim", true)};
  Value largest = b.emitOne("amax", value, along);
  Value below = largest ? b.emitOne("sub", {value, largest}) : Value();
  Value powers = below ? b.emitOne("exp", below) : Value();
  if (b.chance(80))
    along[0] = b.attr("dims", ArrayRef<int64_t>{0});
  Value total = powers ? b.emitOne("sum", powers, along) : Value();
  if (!total)
    return;
  if (b.chance(100))
    add(largest);
  add(b.chance(700) ? b.emitOne("div", {powers, total}) : b.emitOne("sub", {below, b.emitOne("log", total)}));
}

/// What a tensor is said to be, right as a rule.
void RandomGraph::assertion() {
  Value value = pick(1, 3);
  mlir::OperationState state(b.builder.getUnknownLoc(), AssertTensorMetadataOp::getOperationName());
  state.addOperands(value);
  Type expected = b.typeOf(value);
  state.addAttribute("expected", mlir::TypeAttr::get(b.chance(500) ? b.elementOf(value) : expected));
  b.builder.create(state);
}

/// Rows or slices written, and what was written copied back.
void RandomGraph::writtenSlice() {
  Value destination = b.chance(600) ? b.choose(b.getArguments()) : pick(1, 3);
  RankedTensorType type = b.typeOf(destination);
  if (type.getRank() == 0 || !type.hasStaticShape() || type.getDimSize(0) == 0)
    return;
  SmallVector<int64_t> shape(type.getShape());
  Value result;
  if (b.chance(500)) {
    int64_t start = b.below(shape[0]);
    shape[0] = b.between(1, shape[0] - start);
    Value source = pickOfType(b.tensorType(shape, type.getElementType()));
    if (!source)
      source = add(b.addArgument(b.tensorType(shape, type.getElementType())));
    result = b.emitOne("slice_scatter", {destination, source},
                       {b.attr("dim", 0), b.attr("start", start), b.attr("end", start + shape[0]), b.attr("step", 1)});
  } else {
    shape[0] = b.between(1, shape[0]);
    Value index = b.emitOne("arange", {}, {b.attrF64("start", 0.0), b.attrF64("step", 1.0)},
                            b.tensorType({shape[0]}, b.builder.getI64Type()));
    Value source = add(b.addArgument(b.tensorType(shape, type.getElementType())));
    result = index ? b.emitOne("index_put", {destination, index, source},
                               {b.attr("dims", ArrayRef<int64_t>{0}), b.attrBool("accumulate", b.chance(300))})
                   : Value();
  }
  if (!add(result))
    return;
  if (b.chance(100))
    add(applyUnary("relu", destination)); // which sees what was there before
  if (options.writeShare && b.chance(500) && llvm::is_contained(b.getArguments(), destination)) {
    mlir::OperationState state(b.builder.getUnknownLoc(), CopyUnderscoreOp::getOperationName());
    state.addOperands({destination, result});
    b.builder.create(state);
  }
}

/// map or scan over the first dimension.
void RandomGraph::loop() {
  Value values = pick(1, 3, /*isFloat=*/true);
  RankedTensorType type = b.typeOf(values);
  if (!type.hasStaticShape() || type.getDimSize(0) == 0)
    return;
  RankedTensorType row = b.tensorType(type.getShape().drop_front(), type.getElementType());
  bool isScan = b.chance(500);
  Value other = b.addArgument(row);
  SmallVector<Type> types = isScan ? SmallVector<Type>{row, type} : SmallVector<Type>{type};
  mlir::OperationState state(b.builder.getUnknownLoc(), isScan ? "fxgraph.scan" : "fxgraph.map");
  state.addOperands(isScan ? ValueRange{other, values} : ValueRange{values, other});
  state.addTypes(types);
  SmallVector<int32_t> sizes{1, 1};
  if (isScan)
    sizes.push_back(0);
  state.addAttribute("operandSegmentSizes", b.builder.getDenseI32ArrayAttr(sizes));
  Block *body = new Block();
  state.addRegion()->push_back(body);
  Location loc = b.builder.getUnknownLoc();
  Value first = body->addArgument(row, loc), second = body->addArgument(row, loc);
  mlir::OpBuilder::InsertPoint outside = b.builder.saveInsertionPoint();
  b.builder.setInsertionPointToEnd(body);
  Value result = b.emitOne(b.choose({StringRef("add"), StringRef("mul"), StringRef("maximum")}), {first, second});
  if (result && b.chance(400))
    result = b.emitOne("tanh", result);
  if (result) {
    mlir::OperationState end(loc, "fxgraph.yield");
    end.addOperands(isScan ? ValueRange{result, result} : ValueRange{result});
    b.builder.create(end);
  }
  b.builder.restoreInsertionPoint(outside);
  if (!result)
    return;
  Operation *op = b.builder.create(state);
  llvm::append_range(this->values, op->getResults());
}
