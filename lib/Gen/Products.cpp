// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random graphs: products of matrices, convolutions, norms, and groups of them.

#include "RandomGraph.h"

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

/// `biasKind`: 0 none, 1 [n], 2 [1, n], 3 rank 0.
Value RandomGraph::linear(Value input, int64_t outputs, int biasKind) {
  if (!input || b.rankOf(input) == 0)
    return {};
  int64_t inputs = b.extentOf(input, b.rankOf(input) - 1);
  if (ShapedType::isDynamic(inputs))
    return {};
  Type element = b.elementOf(input);
  SmallVector<Value> operands{input, parameter({outputs, inputs}, element)};
  if (biasKind == 1)
    operands.push_back(parameter({outputs}, element));
  else if (biasKind == 2)
    operands.push_back(parameter({1, outputs}, element));
  else if (biasKind == 3)
    operands.push_back(parameter({}, element));
  return b.emitOne("linear", operands);
}

/// `affineKind`: 0 none, 1 both, 2 weight only.
Value RandomGraph::layerNorm(Value input, int affineKind) {
  if (!input || b.rankOf(input) == 0 || !isFloat(input))
    return {};
  int64_t extent = b.extentOf(input, b.rankOf(input) - 1);
  if (ShapedType::isDynamic(extent))
    return {};
  SmallVector<Value> operands{input};
  if (affineKind != 0)
    operands.push_back(parameter({extent}, b.elementOf(input)));
  if (affineKind == 1)
    operands.push_back(parameter({extent}, b.elementOf(input)));
  SmallVector<int64_t> shape{extent};
  return b.emitOne("layer_norm", operands,
                   {b.attr("normalized_shape", shape), b.attrF64("eps", b.chance(900) ? 1e-5 : 1e-3),
                    b.segments({1, affineKind != 0, affineKind == 1})});
}

static int drawBias(GraphBuilder &b) { return b.choose({0, 1, 1, 1, 1, 2, 3}); }

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// split -> linear_i -> layer_norm_i -> tanh_i -> cat.
void RandomGraph::towers() {
  Value value = pick(1, 3, /*isFloat=*/true);
  int64_t rank = b.rankOf(value), dim = rank - 1;
  int64_t count = b.between(2, 6);
  if (b.chance(500) || ShapedType::isDynamic(b.extentOf(value, dim)) || b.extentOf(value, dim) % count != 0) {
    SmallVector<int64_t> shape{b.between(1, 3), count * b.between(1, 3)};
    if (b.chance(300))
      shape.insert(shape.begin(), 2);
    value = add(b.addArgument(b.tensorType(shape, floatType())));
    rank = shape.size();
    dim = rank - 1;
  }
  SmallVector<Value> pieces = cutEvenly(value, dim, count);
  if (pieces.empty())
    return;
  bool linears = b.chance(750), norms = b.chance(500), unaries = b.chance(700);
  int bias = drawBias(b), affine = b.choose({0, 1, 1, 1, 2});
  int64_t outputs = b.between(1, 4);
  StringRef name = b.choose({StringRef("tanh"), StringRef("sigmoid"), StringRef("relu")});
  SmallVector<Value> ends;
  for (Value piece : pieces) {
    // One step away from its neighbours, sometimes.
    int step = b.chance(120) ? b.below(8) : -1;
    Value end = piece;
    if (step == 0 && !ends.empty() && ends.back().getType() == end.getType())
      end = b.emitOne("add", {end, ends.back()}); // Not independent any more.
    if (linears)
      end = linear(end, step == 1 ? outputs + 1 : outputs, step == 2 ? 1 - std::min(bias, 1) : bias);
    if (end && step == 3)
      add(end);
    if (norms && end && step != 4)
      end = layerNorm(end, step == 5 ? 0 : affine);
    if (unaries && end && step != 6)
      end = applyUnary(step == 7 ? StringRef("neg") : name, end);
    if (!end)
      return;
    ends.push_back(end);
  }
  addAll(ends);
  joinSomehow(ends, dim);
}

/// Linears of one input.
void RandomGraph::parallelLinears() {
  Value value = pick(1, 3, /*isFloat=*/true);
  int bias = drawBias(b);
  SmallVector<Value> results;
  int64_t outputs = b.between(1, 4);
  for (int64_t i = b.between(2, 6); i > 0; --i) {
    int64_t own = b.chance(300) ? b.between(1, 4) : outputs;
    int ownBias = b.chance(120) ? drawBias(b) : bias;
    Value result = linear(value, own, ownBias);
    if (!result)
      return;
    results.push_back(result);
    // The next one's input may be this one's result.
    if (b.chance(60))
      value = result;
  }
  addAll(results);
  if (b.chance(400))
    join(results, b.rankOf(results[0]) - 1, /*stack=*/false);
}

/// Linears of equal shape with inputs of their own.
void RandomGraph::groupOfLinears() {
  Value value = pick(1, 3, /*isFloat=*/true);
  if (ShapedType::isDynamic(b.extentOf(value, b.rankOf(value) - 1)))
    return;
  SmallVector<Value> group = pickGroup(b.typeOf(value), b.between(2, 6));
  int bias = drawBias(b);
  int64_t outputs = b.between(1, 4);
  SmallVector<Value> results;
  for (Value input : group) {
    int ownBias = b.chance(80) ? drawBias(b) : bias;
    if (Value result = linear(input, outputs, ownBias))
      results.push_back(result);
  }
  addAll(results);
  if (!results.empty() && b.chance(500))
    joinSomehow(results, 0);
}

/// The same unary op on tensors of one type.
void RandomGraph::groupOfUnaries() {
  Value value = pick(0, 3);
  static const StringRef names[] = {"tanh", "sigmoid", "relu", "clamp", "detach", "nan_to_num", "dropout", "relu"};
  StringRef name = b.choose(names);
  SmallVector<Value> group = pickGroup(b.typeOf(value), b.between(2, 6));
  SmallVector<Value> results;
  Value last;
  for (Value input : group) {
    // Sometimes of the last one's result: not independent.
    Value result = applyUnary(name, last && b.chance(60) ? last : input);
    if (!result)
      return;
    results.push_back(result);
    last = result;
  }
  addAll(results);
  if (b.chance(300))
    joinSomehow(results, 0);
}

void RandomGraph::norms() {
  Value value = pick(1, 3, /*isFloat=*/true);
  if (ShapedType::isDynamic(b.extentOf(value, b.rankOf(value) - 1)))
    return;
  SmallVector<Value> group = pickGroup(b.typeOf(value), b.between(1, 5));
  int affine = b.choose({0, 1, 1, 1, 2});
  for (Value input : group)
    add(layerNorm(input, b.chance(80) ? 0 : affine));
}

//===----------------------------------------------------------------------===//
// Permutes and products
//===----------------------------------------------------------------------===//

/// permute -> linear -> permute, any of the permutes missing or another one.
void RandomGraph::permuteLinearPermute() {
  Value value = pick(2, 4, /*isFloat=*/true);
  auto exchange = [&](Value input) -> Value {
    int64_t rank = b.rankOf(input);
    if (b.chance(500)) {
      int64_t first = b.chance(900) ? rank - 1 : b.below(rank), second = rank - 2;
      first = b.spellDim(first, rank);
      second = b.spellDim(second, rank);
      return b.emitOne("transpose", input, {b.attr("dim0", first), b.attr("dim1", second)});
    }
    SmallVector<int64_t> dims(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    std::swap(dims[rank - 1], dims[rank - 2]);
    if (b.chance(120))
      b.shuffle(dims);
    return b.emitOne("permute", input, b.attr("dims", dims));
  };
  if (b.chance(700))
    value = exchange(value);
  if (!value)
    return;
  if (b.chance(120))
    add(value);
  int bias = drawBias(b);
  Value result = linear(value, b.between(1, 4), bias);
  if (!result)
    return;
  if (b.chance(120))
    add(result);
  if (b.chance(700) && b.rankOf(result) >= 2)
    result = exchange(result);
  add(result);
}

void RandomGraph::permuteMatmul() {
  int64_t m = b.between(1, 4), k = b.between(1, 4), n = b.between(1, 4);
  Type type = b.chance(900) ? floatType() : elementType();
  SmallVector<int64_t> batch;
  for (int64_t i = b.below(3); i > 0; --i)
    batch.push_back(b.between(1, 2));
  auto operand = [&](int64_t rows, int64_t columns) -> Value {
    bool transposed = b.chance(500);
    SmallVector<int64_t> shape(batch);
    shape.push_back(transposed ? columns : rows);
    shape.push_back(transposed ? rows : columns);
    RankedTensorType wanted = b.tensorType(shape, type);
    Value value = pickOfType(wanted);
    if (!value)
      value = add(b.addArgument(wanted));
    if (!transposed)
      return value;
    int64_t rank = shape.size();
    if (b.chance(500))
      return b.emitOne("transpose", value, {b.attr("dim0", -2), b.attr("dim1", rank - 1)});
    SmallVector<int64_t> dims(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    std::swap(dims[rank - 1], dims[rank - 2]);
    return b.emitOne("permute", value, b.attr("dims", dims));
  };
  Value lhs = operand(m, k);
  Value rhs = operand(k, n);
  if (!lhs || !rhs)
    return;
  if (b.chance(100))
    add(lhs);
  StringRef name = batch.size() == 1 && b.chance(600) ? "bmm" : batch.empty() && b.chance(400) ? "mm" : "matmul";
  Value product = b.emitOne(name, {lhs, rhs});
  if (!product)
    return;
  add(product);
  if (b.chance(300)) {
    int64_t rank = b.rankOf(product);
    add(b.emitOne("transpose", product, {b.attr("dim0", -1), b.attr("dim1", rank - 2)}));
  }
}

/// split -> linear_i -> sum of them.
void RandomGraph::splitLinearAdd() {
  int64_t count = b.between(2, 4);
  SmallVector<int64_t> shape{b.between(1, 3), count * b.between(1, 3)};
  Value value = b.addArgument(b.tensorType(shape, floatType()));
  SmallVector<Value> pieces = cutEvenly(value, 1, count);
  if (b.chance(200) && pieces.size() > 1)
    pieces = arrange(pieces);
  int64_t outputs = b.between(1, 4);
  int bias = drawBias(b);
  Value sum;
  for (Value piece : pieces) {
    int ownBias = b.chance(200) ? 1 : bias;
    Value part = linear(piece, outputs, ownBias);
    if (!part)
      return;
    if (b.chance(50))
      add(part);
    if (!sum) {
      sum = part;
      continue;
    }
    SmallVector<mlir::NamedAttribute> attributes;
    if (b.chance(40))
      attributes.push_back(b.attrF64("alpha", 2.0));
    bool swap = b.chance(300);
    sum = swap ? b.emitOne("add", {part, sum}, attributes) : b.emitOne("add", {sum, part}, attributes);
    if (!sum)
      return;
  }
  add(sum);
}

void RandomGraph::linearOfCat() {
  Value value = pick(1, 3, /*isFloat=*/true);
  int64_t rank = b.rankOf(value);
  SmallVector<Value> group = pickGroup(b.typeOf(value), b.between(2, 4));
  Value joined = b.emitOne("cat", group, b.attr("dim", b.chance(850) ? b.spellDim(rank - 1, rank) : 0));
  if (!joined)
    return;
  if (b.chance(150))
    add(joined);
  int bias = drawBias(b);
  add(linear(joined, b.between(1, 4), bias));
}

/// mm + mm, mm + bias, addmm.
void RandomGraph::products() {
  int64_t m = b.between(1, 4), n = b.between(1, 4);
  Type type = b.chance(850) ? floatType() : elementType();
  auto product = [&]() -> Value {
    int64_t k = b.chance(40) ? 0 : b.between(1, 4);
    Value lhs = b.addArgument(b.tensorType({m, k}, type));
    Value rhs = b.addArgument(b.tensorType({k, n}, type), "parameter");
    return b.emitOne("mm", {lhs, rhs});
  };
  Value first = product();
  if (!first)
    return;
  SmallVector<mlir::NamedAttribute> attributes;
  if (b.chance(80))
    attributes.push_back(b.attrF64("alpha", 2.0));
  switch (b.below(4)) {
  case 0:
    add(b.emitOne("add", {first, product()}, attributes));
    return;
  case 1: {
    SmallVector<int64_t> shape = b.choose({0, 1}) ? SmallVector<int64_t>{n} : SmallVector<int64_t>{m, 1};
    Value bias = b.addArgument(b.tensorType(shape, type), "parameter");
    bool swap = b.chance(300);
    add(swap ? b.emitOne("add", {bias, first}, attributes) : b.emitOne("add", {first, bias}, attributes));
    return;
  }
  case 2: {
    Value lhs = b.addArgument(b.tensorType({m, 2}, type));
    Value rhs = b.addArgument(b.tensorType({2, n}, type), "parameter");
    if (b.chance(300))
      attributes.push_back(b.attrF64("beta", b.choose({0.0, 0.5})));
    add(b.emitOne("addmm", {first, lhs, rhs}, attributes));
    return;
  }
  default:
    add(first);
    return;
  }
}

void RandomGraph::einsum() {
  struct Case {
    StringRef equation;
    SmallVector<StringRef> terms;
  };
  static const Case cases[] = {{"abc,abcd->abd", {"abc", "abcd"}}, {"abc, abcd -> abd", {"abc", "abcd"}},
                               {"xyz,xyzw->xyw", {"xyz", "xyzw"}}, {"bij,bjk->bik", {"bij", "bjk"}},
                               {"ij,jk->ik", {"ij", "jk"}},        {"abc,abcd->abc", {"abc", "abcd"}},
                               {"abd,abcd->abc", {"abd", "abcd"}}, {"ab,ab->ab", {"ab", "ab"}},
                               {"abcd,abc->abd", {"abcd", "abc"}}, {"abc,abcd->bad", {"abc", "abcd"}}};
  const Case &chosen = cases[b.below(std::size(cases))];
  Type type = floatType();
  int64_t sizes[26];
  for (int64_t &size : sizes)
    size = b.chance(30) ? 0 : b.between(1, 3);
  SmallVector<Value> operands;
  for (StringRef term : chosen.terms) {
    SmallVector<int64_t> shape;
    for (char letter : term)
      shape.push_back(sizes[letter - 'a']);
    RankedTensorType wanted = b.tensorType(shape, type);
    Value value = pickOfType(wanted);
    operands.push_back(value ? value : add(b.addArgument(wanted)));
  }
  add(b.emitOne("einsum", operands, b.attrText("equation", chosen.equation)));
}

//===----------------------------------------------------------------------===//
// Convolutions, attention, the Gumbel trick
//===----------------------------------------------------------------------===//

void RandomGraph::convBN() {
  int64_t spatial = b.choose({1, 2, 2, 2, 3});
  int64_t groups = b.choose({1, 1, 1, 2}), perGroup = b.between(1, 2), outputs = groups * b.between(1, 2);
  Type type = floatType();
  SmallVector<int64_t> inputShape, weightShape{outputs, perGroup};
  bool batched = b.chance(900);
  if (batched)
    inputShape.push_back(b.between(1, 2));
  inputShape.push_back(groups * perGroup);
  int64_t kernel = b.between(1, spatial == 3 ? 2 : 3);
  for (int64_t i = 0; i < spatial; ++i) {
    inputShape.push_back(b.between(kernel, kernel + 2));
    weightShape.push_back(kernel);
  }
  Value input = pickOfType(b.tensorType(inputShape, type));
  if (!input)
    input = add(b.addArgument(b.tensorType(inputShape, type)));
  Value weight = parameter(weightShape, type);
  bool biased = b.chance(500);
  SmallVector<Value> operands{input, weight};
  if (biased)
    operands.push_back(parameter({outputs}, type));
  int64_t strideValue = b.between(1, 2), paddingValue = b.between(0, 1);
  SmallVector<int64_t> stride(spatial, strideValue), padding(spatial, paddingValue), dilation(spatial, 1);
  SmallVector<mlir::NamedAttribute> attributes{b.attr("stride", stride), b.attr("padding", padding),
                                               b.attr("dilation", dilation), b.attr("groups", groups)};
  StringRef name = spatial == 1 ? "conv1d" : spatial == 2 ? "conv2d" : "conv3d";
  Value result = b.emitOne(name, operands, attributes);
  if (!result)
    return;
  if (b.chance(120))
    add(result); // Another user.
  if (b.chance(60)) {
    // The same weight in a second convolution.
    add(b.emitOne(name, operands, attributes));
  }
  if (b.chance(800)) {
    bool training = b.chance(80), affine = b.chance(850);
    SmallVector<Value> normOperands{result, parameter({outputs}, type), parameter({outputs}, type)};
    if (affine) {
      normOperands.push_back(parameter({outputs}, type));
      normOperands.push_back(parameter({outputs}, type));
    }
    Value normed =
        b.emitOne("batch_norm", normOperands,
                  {b.attrBool("training", training), b.attrF64("eps", 1e-3), b.segments({1, 1, 1, affine, affine})});
    result = normed ? normed : result;
  }
  add(result);
  if (b.chance(400))
    add(applyUnary("relu", result));
}

void RandomGraph::attention() {
  int64_t length = b.between(1, 3), width = b.between(1, 3);
  SmallVector<int64_t> shape{b.between(1, 2), length, width};
  RankedTensorType type = b.tensorType(shape, floatType());
  SmallVector<Value> group = pickGroup(type, 3);
  if (b.chance(400)) {
    add(b.emitOne("scaled_dot_product_attention", group));
    return;
  }
  // Written out: softmax(q k^T * s) v.
  Value transposed = b.emitOne("transpose", group[1], {b.attr("dim0", -2), b.attr("dim1", -1)});
  Value scores = transposed ? b.emitOne("matmul", {group[0], transposed}) : Value();
  if (!scores)
    return;
  Value scale = b.addNumber(b.choose({0.5, 2.0}), false);
  scores = b.emitOne(b.chance(500) ? "mul" : "div", {scores, scale});
  Value weights = scores ? b.emitOne("softmax", scores, b.attr("dim", -1)) : Value();
  if (weights)
    add(b.emitOne("matmul", {weights, group[2]}));
}

/// argmax(softmax(l) / e).
void RandomGraph::gumbel() {
  Value logits = pick(1, 3, /*isFloat=*/true);
  int64_t rank = b.rankOf(logits);
  if (b.extentOf(logits, rank - 1) == 0)
    return;
  Value probabilities = b.emitOne("softmax", logits, b.attr("dim", b.chance(800) ? -1 : 0));
  Value noise = probabilities ? pickOfType(logits.getType()) : Value();
  if (!noise)
    return;
  Value positive = b.emitOne("abs", noise);
  Value ratio = positive ? b.emitOne("div", {probabilities, positive}) : Value();
  if (ratio)
    add(b.emitOne("argmax", ratio, {b.attr("dim", rank - 1), b.attrBool("keepdim", b.chance(500))}));
}
