// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random graphs: single ops, no-ops, writes, unknown ops.

#include "RandomGraph.h"
#include <limits>

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// Pointwise
//===----------------------------------------------------------------------===//

StringRef RandomGraph::unaryName(Value value) {
  // Sums that pile up make large numbers: growth is left to few of them.
  static const StringRef floats[] = {"relu",     "tanh",  "sigmoid", "relu",       "tanh",      "sigmoid", "neg",
                                     "abs",      "silu",  "gelu",    "clamp",      "detach",    "sin",     "cos",
                                     "erf",      "floor", "sign",    "nan_to_num", "mish",      "elu",     "hardswish",
                                     "softplus", "round", "exp",     "sqrt",       "reciprocal"};
  static const StringRef integers[] = {"relu", "neg", "abs", "clamp", "detach", "sign", "nan_to_num", "bitwise_not"};
  if (isFloat(value))
    return b.choose(floats);
  if (b.elementOf(value).isInteger(1))
    return b.choose({StringRef("bitwise_not"), StringRef("detach")});
  return b.choose(integers);
}

Value RandomGraph::applyUnary(StringRef mnemonic, Value value) {
  // PyTorch computes no numbers from bools.
  if (value && b.elementOf(value).isInteger(1) && mnemonic != "detach" && mnemonic != "bitwise_not")
    return {};
  SmallVector<mlir::NamedAttribute> attributes;
  if (mnemonic == "clamp") {
    static const double bounds[] = {-1.0, -0.5, 0.0, 0.25, 1.0, 2.0};
    int64_t which = b.below(3);
    if (which != 1)
      attributes.push_back(b.attrF64("min", b.choose(bounds)));
    if (which != 0)
      attributes.push_back(b.attrF64("max", b.choose(bounds)));
  } else if (mnemonic == "nan_to_num" && b.chance(400)) {
    attributes.push_back(b.attrF64("nan", b.choose({0.0, 1.0, -2.0})));
    if (b.chance(500))
      attributes.push_back(b.attrF64("posinf", 3.0));
  } else if (mnemonic == "gelu" && b.chance(500)) {
    attributes.push_back(b.attrText("approximate", "tanh"));
  } else if (mnemonic == "dropout") {
    attributes.push_back(b.attrF64("p", b.choose({0.0, 0.5, 0.25})));
    attributes.push_back(b.attrBool("training", false));
  }
  return b.emitOne(mnemonic, value, attributes);
}

void RandomGraph::unary() {
  Value value = pick(0);
  StringRef name = unaryName(value);
  add(applyUnary(name, value));
}

void RandomGraph::binary() {
  static const StringRef floats[] = {"add", "add", "sub", "mul", "mul", "div", "maximum", "minimum"};
  static const StringRef integers[] = {"add", "sub", "mul", "maximum", "minimum"};
  static const StringRef bools[] = {"bitwise_and", "bitwise_or", "bitwise_xor"};
  Value lhs = pick(0);
  RankedTensorType type = b.typeOf(lhs);
  StringRef name = isFloat(lhs)                         ? b.choose(floats)
                   : type.getElementType().isInteger(1) ? b.choose(bools)
                                                        : b.choose(integers);
  Value rhs;
  int64_t how = b.below(10);
  if (how < 4)
    rhs = pickOfType(type);
  else if (how < 5)
    rhs = lhs;
  else if (how < 7 && !type.getElementType().isInteger(1))
    rhs = b.addNumber(b.choose({0.0, 1.0, 2.0, -1.0, 3.0}), !isFloat(lhs));
  else if (how < 9 && type.hasStaticShape()) {
    // Broadcast from fewer dimensions or from extents of 1.
    SmallVector<int64_t> shape(type.getShape().drop_front(b.below(type.getRank() + 1)));
    for (int64_t &extent : shape)
      if (b.chance(300))
        extent = 1;
    rhs = b.addArgument(b.tensorType(shape, type.getElementType()));
  }
  if (!rhs)
    rhs = pick(0);
  if (b.chance(500))
    std::swap(lhs, rhs);
  SmallVector<mlir::NamedAttribute> attributes;
  if ((name == "add" || name == "sub") && b.chance(100))
    attributes.push_back(b.attrF64("alpha", 2.0));
  add(b.emitOne(name, {lhs, rhs}, attributes));
}

void RandomGraph::compare() {
  static const StringRef names[] = {"eq", "ne", "lt", "le", "gt", "ge", "logical_and"};
  Value lhs = pick(0);
  Value rhs = pickOfType(lhs.getType());
  StringRef name = b.choose(names);
  Value condition = b.emitOne(name, {lhs, rhs});
  if (condition && b.chance(600))
    add(b.emitOne("where", {condition, lhs, rhs}));
  else
    add(condition);
}

void RandomGraph::cast() {
  Value value = pick(0);
  Type to = b.choose(elementTypes);
  Value there = add(b.emitOne("convert_element_type", value, {}, withElementType(b.typeOf(value), to)));
  if (there && b.chance(400))
    add(b.emitOne("convert_element_type", there, {}, value.getType()));
}

/// relu and nan_to_num in either order, a clamp of a clamp, scalings and their inverse.
void RandomGraph::mathPairs() {
  static const StringRef names[] = {"relu", "nan_to_num", "clamp", "neg", "abs", "detach", "tanh", "relu"};
  Value value = pick(0);
  for (int64_t i = b.between(2, 4); i > 0 && value; --i) {
    StringRef name = b.choose(names);
    value = add(applyUnary(name, value));
  }
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

void RandomGraph::view() {
  Value value = pick(0);
  RankedTensorType type = b.typeOf(value);
  int64_t rank = type.getRank();
  switch (b.below(13)) {
  case 0:
  case 1: {
    if (!type.hasStaticShape())
      return;
    // A factorisation of the number of elements.
    SmallVector<int64_t> shape;
    int64_t left = type.getNumElements();
    for (int64_t i = b.between(0, 3); i > 0 && left > 0; --i) {
      int64_t factor = b.choose({1, 2, 3, 4, 5, 6, 8});
      if (left % factor != 0)
        continue;
      shape.push_back(factor);
      left /= factor;
    }
    shape.insert(shape.begin() + b.below(shape.size() + 1), left);
    if (left != 0 && b.chance(200))
      shape[b.below(shape.size())] = -1;
    add(b.emitOne(b.chance(800) ? "reshape" : "view", value, b.attr("shape", shape)));
    return;
  }
  case 2: {
    if (rank == 0)
      return;
    int64_t start = b.below(rank);
    int64_t end = b.between(start, rank - 1);
    start = b.spellDim(start, rank);
    end = b.spellDim(end, rank);
    add(b.emitOne("flatten", value, {b.attr("start_dim", start), b.attr("end_dim", end)}));
    return;
  }
  case 3: {
    if (rank == 0)
      return;
    int64_t dim = b.below(rank), size = type.getDimSize(dim);
    if (ShapedType::isDynamic(size))
      return;
    int64_t factor = b.choose({1, 2, 3, 4});
    if (size % factor != 0)
      return;
    SmallVector<int64_t> sizes{factor, b.chance(300) ? -1 : size / factor};
    dim = b.spellDim(dim, rank);
    add(b.emitOne("unflatten", value, {b.attr("dim", dim), b.attr("sizes", sizes)}));
    return;
  }
  case 4:
  case 5: {
    SmallVector<int64_t> dims(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    if (b.chance(850))
      b.shuffle(dims);
    for (int64_t &dim : dims)
      dim = b.spellDim(dim, rank);
    add(b.emitOne("permute", value, b.attr("dims", dims)));
    return;
  }
  case 6: {
    if (rank == 0)
      return;
    int64_t first = b.spellDim(b.below(rank), rank);
    int64_t second = b.spellDim(b.below(rank), rank);
    add(b.emitOne("transpose", value, {b.attr("dim0", first), b.attr("dim1", second)}));
    return;
  }
  case 7: {
    SmallVector<mlir::NamedAttribute> attributes;
    if (rank > 0 && b.chance(700)) {
      int64_t dim = b.spellDim(b.below(rank), rank);
      attributes.push_back(b.attr("dims", ArrayRef<int64_t>(dim)));
    }
    add(b.emitOne("squeeze", value, attributes));
    return;
  }
  case 8: {
    if (rank > 4)
      return;
    int64_t dim = b.spellDim(b.below(rank + 1), rank + 1);
    add(b.emitOne("unsqueeze", value, b.attr("dim", dim)));
    return;
  }
  case 9: {
    if (rank == 0)
      return;
    int64_t dim = b.spellDim(b.below(rank), rank);
    int64_t start = b.between(-4, 4);
    int64_t end = b.chance(400) ? std::numeric_limits<int64_t>::max() : b.between(-3, 9);
    int64_t step = b.chance(850) ? 1 : b.between(1, 3);
    add(b.emitOne("slice", value,
                  {b.attr("dim", dim), b.attr("start", start), b.attr("end", end), b.attr("step", step)}));
    return;
  }
  case 10: {
    if (rank == 0)
      return;
    int64_t dim = b.spellDim(b.below(rank), rank);
    int64_t index = b.between(-3, 3);
    add(b.emitOne("select", value, {b.attr("dim", dim), b.attr("index", index)}));
    return;
  }
  case 11: {
    if (rank == 0)
      return;
    SmallVector<int64_t> pad;
    for (int64_t i = b.between(1, rank); i > 0; --i) {
      pad.push_back(b.between(-1, 2));
      pad.push_back(b.between(-1, 2));
    }
    double filler = b.choose({0.0, 0.0, 1.0});
    add(b.emitOne("constant_pad_nd", value, {b.attr("pad", pad), b.attrF64("value", filler)}));
    return;
  }
  default: {
    if (!type.hasStaticShape() || type.getNumElements() > 200 || rank > 3)
      return;
    SmallVector<int64_t> shape(type.getShape());
    for (int64_t &extent : shape)
      if (extent == 1 && b.chance(600))
        extent = b.between(1, 4);
    if (b.chance(300))
      shape.insert(shape.begin(), b.between(1, 3));
    if (b.chance(700)) {
      add(b.emitOne("expand", value, b.attr("shape", shape)));
      return;
    }
    SmallVector<int64_t> repeats(rank, 1);
    for (int64_t &count : repeats)
      count = b.choose({1, 1, 2});
    add(b.emitOne("repeat", value, b.attr("repeats", repeats)));
    return;
  }
  }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

void RandomGraph::reduction() {
  static const StringRef floats[] = {"sum", "mean", "amax", "amin", "var", "sum", "logsumexp"};
  static const StringRef integers[] = {"sum", "amax", "amin", "prod"};
  static const StringRef bools[] = {"any", "all", "sum"};
  Value value = pick(1);
  int64_t rank = b.rankOf(value);
  StringRef name = isFloat(value)                    ? b.choose(floats)
                   : b.elementOf(value).isInteger(1) ? b.choose(bools)
                                                     : b.choose(integers);
  SmallVector<mlir::NamedAttribute> attributes;
  if (b.chance(850)) {
    SmallVector<int64_t> dims;
    for (int64_t dim = 0; dim < rank; ++dim)
      if (b.chance(400))
        dims.push_back(b.spellDim(dim, rank));
    attributes.push_back(b.attr("dims", dims));
  }
  attributes.push_back(b.attrBool("keepdim", b.chance(400)));
  Value reduced = add(b.emitOne(name, value, attributes));
  // The rest of a hand-written softmax or normalisation.
  if (reduced && isFloat(value) && b.chance(300))
    add(b.emitOne("sub", {value, reduced}));
}

void RandomGraph::softmax() {
  Value value = pick(1, 4, /*isFloat=*/true);
  if (b.chance(400)) {
    double factor = b.choose({0.5, 2.0, -1.0, 0.125});
    value = b.emitOne(b.chance(500) ? "mul" : "div", {value, b.addNumber(factor, false)});
    if (!value)
      return;
  }
  int64_t rank = b.rankOf(value);
  int64_t dim = b.spellDim(b.below(rank), rank);
  static const StringRef names[] = {"softmax", "softmax", "log_softmax", "cumsum"};
  StringRef name = b.choose(names);
  add(b.emitOne(name, value, b.attr("dim", dim)));
}

//===----------------------------------------------------------------------===//
// No-ops and what looks like one
//===----------------------------------------------------------------------===//

void RandomGraph::noOp() {
  Value value = pick(0);
  RankedTensorType type = b.typeOf(value);
  int64_t rank = type.getRank();
  bool integer = !isFloat(value);
  bool isBool = type.getElementType().isInteger(1);
  bool wrong = b.chance(200); // one step away from a no-op
  switch (b.below(16)) {
  case 0:
    add(b.emitOne("clone", value));
    return;
  case 1:
    add(b.emitOne("contiguous", value));
    return;
  case 2:
    add(b.emitOne("detach", value));
    return;
  case 3:
    add(applyUnary("dropout", value));
    return;
  case 4: {
    if (isBool)
      return;
    Value zero = b.addNumber(wrong ? 1.0 : b.choose({0.0, -0.0}), integer);
    add(b.chance(600) ? b.emitOne("add", {value, zero}) : b.emitOne("sub", {value, zero}));
    return;
  }
  case 5: {
    if (isBool)
      return;
    Value one = b.addNumber(wrong ? 2.0 : 1.0, integer);
    bool swap = b.chance(300);
    add(swap ? b.emitOne("mul", {one, value}) : b.emitOne("mul", {value, one}));
    return;
  }
  case 6:
    if (!integer)
      add(b.emitOne("div", {value, b.addNumber(wrong ? 2.0 : 1.0, false)}));
    return;
  case 7:
    if (!isBool)
      add(b.emitOne("pow", {value, b.addNumber(wrong ? 2.0 : 1.0, integer)}));
    return;
  case 8: {
    if (rank == 0)
      return;
    int64_t dim = b.spellDim(b.below(rank), rank);
    int64_t end = wrong ? 2 : std::numeric_limits<int64_t>::max();
    add(b.emitOne("slice", value, {b.attr("dim", dim), b.attr("start", 0), b.attr("end", end), b.attr("step", 1)}));
    return;
  }
  case 9:
    if (type.hasStaticShape())
      add(b.emitOne(b.chance(500) ? "view" : "reshape", value, b.attr("shape", type.getShape())));
    return;
  case 10: {
    SmallVector<int64_t> dims(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    if (wrong && rank > 1)
      std::swap(dims[0], dims[rank - 1]);
    add(b.emitOne("permute", value, b.attr("dims", dims)));
    return;
  }
  case 11: {
    if (rank == 0)
      return;
    int64_t after = wrong ? 1 : 0;
    add(b.emitOne("constant_pad_nd", value, b.attr("pad", {0, after})));
    return;
  }
  case 12:
    if (type.hasStaticShape())
      add(b.emitOne("expand", value, b.attr("shape", type.getShape())));
    return;
  case 13:
    add(b.emitOne("convert_element_type", value, {}, type));
    return;
  case 14:
    add(b.emitOne("repeat", value, b.attr("repeats", SmallVector<int64_t>(rank, 1))));
    return;
  default: {
    if (rank == 0)
      return;
    int64_t dim = b.below(rank);
    Value source = pickOfType(type);
    if (source && !wrong)
      add(b.emitOne("slice_scatter", {value, source},
                    {b.attr("dim", dim), b.attr("start", 0), b.attr("end", std::numeric_limits<int64_t>::max()),
                     b.attr("step", 1)}));
    return;
  }
  }
}

//===----------------------------------------------------------------------===//
// Indices, draws, writes, unknown ops
//===----------------------------------------------------------------------===//

void RandomGraph::indexing() {
  Value value = pick(1, 3);
  int64_t rank = b.rankOf(value);
  int64_t dim = b.below(rank);
  int64_t size = b.extentOf(value, dim);
  if (ShapedType::isDynamic(size) || size == 0)
    return;
  Value index = b.addArgument(b.tensorType({b.between(1, 4)}, b.builder.getI64Type()));
  if (rank == 2 && dim == 0 && b.chance(500)) {
    add(b.emitOne("embedding", {value, index}));
    return;
  }
  dim = b.spellDim(dim, rank);
  add(b.emitOne("index_select", {value, index}, b.attr("dim", dim)));
}

void RandomGraph::draw() {
  Value value = pick(0, 3, /*isFloat=*/true);
  RankedTensorType type = b.typeOf(value);
  if (!type.hasStaticShape())
    return;
  StringRef name = b.choose({StringRef("rand"), StringRef("randn")});
  add(b.emitOne(name, {}, {}, type));
}

void RandomGraph::write() {
  // Into an argument: now and then one that was read, or that is read later.
  Value destination = b.choose(b.getArguments());
  Value source = pickOfType(destination.getType());
  if (!source || (source == destination && b.chance(900)))
    return;
  mlir::OperationState state(b.builder.getUnknownLoc(), CopyUnderscoreOp::getOperationName());
  state.addOperands({destination, source});
  b.builder.create(state);
}

void RandomGraph::unknownOp() {
  Value value = pick(0);
  uint64_t kind = b.below(3);
  SmallVector<mlir::NamedAttribute> attributes = {b.attrText("target", "mylib.op" + std::to_string(kind))};
  if (kind != 0)
    attributes.push_back(b.attrText("effects", kind == 1 ? "operands" : "none"));
  // What it computes is not known: whoever evaluates the graph takes operand 0.
  add(b.emitOne("opaque", value, attributes, value.getType()));
}
