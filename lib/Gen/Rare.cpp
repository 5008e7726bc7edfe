// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random graphs: forms that a single pass looks for, and that chance does not make. Each
// comes with small steps away from it, where the pass must not fire.

#include "RandomGraph.h"

using namespace fxgraph;

void RandomGraph::einsumAdd() {
  size_t before = values.size();
  einsum();
  if (values.size() == before)
    return;
  Value product = values.back();
  RankedTensorType type = b.typeOf(product);
  // A bias along the last dimension, or anything of the same type.
  Value other = type.getRank() > 0 && b.chance(600)
                    ? parameter({type.getDimSize(type.getRank() - 1)}, type.getElementType())
                    : pickOfType(type);
  if (other)
    add(b.emitOne(b.chance(850) ? "add" : "mul", {product, other}));
}

/// quantize_per_tensor behind views, of what one op or an argument gives.
void RandomGraph::quantized() {
  Value value = pick(1, 3, /*isFloat=*/true);
  Type element = b.elementOf(value);
  if (element.isF64())
    return;
  if (b.chance(700))
    value = applyUnary(b.choose({StringRef("relu"), StringRef("tanh"), StringRef("neg")}), value);
  for (int64_t i = b.below(4); value && i > 0; --i) {
    int64_t rank = b.rankOf(value);
    switch (b.below(5)) {
    case 0:
      value = b.emitOne("unsqueeze", value, b.attr("dim", b.spellDim(b.below(rank + 1), rank + 1)));
      break;
    case 1:
      value = b.emitOne("transpose", value, {b.attr("dim0", b.below(rank)), b.attr("dim1", b.spellDim(0, rank))});
      break;
    case 2:
      value =
          b.emitOne("slice", value,
                    {b.attr("dim", b.below(rank)), b.attr("start", b.below(2)), b.attr("end", 9), b.attr("step", 1)});
      break;
    default:
      value = b.emitOne("flatten", value, {b.attr("start_dim", b.below(rank)), b.attr("end_dim", -1)});
      break;
    }
    if (value && b.chance(80))
      add(value);
  }
  if (!value)
    return;
  // [quant_min, quant_max] of the dtype, or a part of it.
  bool isSigned = b.chance(600);
  Type stored =
      mlir::IntegerType::get(b.getContext(), 8, isSigned ? mlir::IntegerType::Signless : mlir::IntegerType::Unsigned);
  int64_t low = isSigned ? -128 : 0, high = low + (b.chance(800) ? 255 : 15);
  SmallVector<mlir::NamedAttribute> attributes = {b.attrF64("scale", b.choose({0.05, 0.125, 1.0})),
                                                  b.attr("zero_point", b.between(low, high)), b.attr("quant_min", low),
                                                  b.attr("quant_max", high)};
  Value small = b.emitOne("quantize_per_tensor", value, attributes, withElementType(b.typeOf(value), stored));
  if (!small)
    return;
  if (b.chance(300))
    add(small);
  add(b.emitOne("dequantize_per_tensor", small, attributes, b.typeOf(value)));
}

/// exchange(linear(exchange(x_i))) with x_i mostly one tensor [b, f, d]: compressions of
/// embeddings, of which those of one input fuse.
void RandomGraph::compressions() {
  Type type = b.chance(900) ? floatType() : elementType();
  SmallVector<int64_t> shape{b.between(1, 3), b.between(1, 4), b.between(1, 4)};
  RankedTensorType wanted = b.tensorType(shape, type);
  Value input = pickOfType(wanted);
  if (!input)
    input = add(b.addArgument(wanted));
  auto exchange = [&](Value value) {
    if (b.chance(500))
      return b.emitOne("transpose", value, {b.attr("dim0", b.spellDim(1, 3)), b.attr("dim1", b.spellDim(2, 3))});
    SmallVector<int64_t> dims = {0, 2, 1};
    if (b.chance(50))
      b.shuffle(dims);
    return b.emitOne("permute", value, b.attr("dims", dims));
  };
  int bias = b.chance(900);
  SmallVector<Value> results;
  for (int64_t i = b.between(1, 4); i > 0; --i) {
    Value inner = exchange(b.chance(900) ? input : add(b.addArgument(wanted)));
    Value product = inner ? linear(inner, b.between(1, 4), b.chance(900) ? bias : !bias) : Value();
    Value outer = product && b.rankOf(product) == 3 ? exchange(product) : Value();
    if (!outer)
      return;
    if (b.chance(60))
      add(product);
    results.push_back(add(outer));
  }
  if (b.chance(300))
    joinSomehow(results, 1);
}

/// Many of one unary op with the same attributes: groups of the default size.
void RandomGraph::equalUnaries() {
  Value first = pick(0, 3);
  if (b.elementOf(first).isInteger(1))
    return;
  static const StringRef names[] = {"clamp", "clamp", "dropout", "nan_to_num", "detach", "sigmoid", "tanh", "relu"};
  Value model = applyUnary(b.choose(names), first);
  if (!model)
    return;
  Operation *op = model.getDefiningOp();
  SmallVector<Value> results = {model};
  for (Value input : pickGroup(b.typeOf(first), b.between(3, 8))) {
    Value result = b.chance(50) ? applyUnary(op->getName().stripDialect(), input)
                                : b.emitOne(op->getName().stripDialect(), input, llvm::to_vector(op->getAttrs()));
    if (!result)
      return;
    results.push_back(result);
  }
  addAll(results);
  if (b.chance(500))
    joinSomehow(results, 0);
}

/// argmax(softmax(l) / e) with an exponential draw e. The logits are finite: of a row with a
/// NaN the pass gives another index, as PyTorch's does.
void RandomGraph::gumbelDraw() {
  Value logits = b.emitOne("nan_to_num", pick(1, 3, /*isFloat=*/true));
  RankedTensorType type = b.typeOf(logits);
  int64_t rank = type.getRank();
  if (!type.hasStaticShape() || type.getNumElements() == 0)
    return;
  Value probabilities = b.emitOne("softmax", logits, b.attr("dim", b.chance(850) ? -1 : 0));
  Value draw = b.emitOne("exponential", {}, b.attrF64("rate", b.chance(850) ? 1.0 : 2.0), type);
  Value ratio = probabilities && draw ? b.emitOne("div", {probabilities, draw}) : Value();
  if (!ratio)
    return;
  if (b.chance(80))
    add(ratio);
  add(b.emitOne("argmax", ratio, {b.attr("dim", b.chance(900) ? rank - 1 : 0), b.attrBool("keepdim", b.chance(500))}));
}
