// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random graphs: what is cut into pieces and joined again.

#include "RandomGraph.h"

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// Cutting
//===----------------------------------------------------------------------===//

SmallVector<Value> RandomGraph::cut(Value value, int64_t &dim) {
  int64_t rank = b.rankOf(value);
  if (rank == 0)
    return {};
  dim = b.below(rank);
  int64_t extent = b.extentOf(value, dim);
  if (ShapedType::isDynamic(extent)) {
    // A static dimension if there is one.
    for (int64_t i = 0; i < rank; ++i)
      if (!ShapedType::isDynamic(b.extentOf(value, i)))
        dim = i;
    extent = b.extentOf(value, dim);
    if (ShapedType::isDynamic(extent)) {
      // Whatever its extent is, it must be the sum of the sizes: 2, 4 and 6 are tried.
      int64_t half = b.chance(500) ? 1 : 2;
      return b.emit("split_with_sizes", value, {b.attr("split_sizes", {half, half}), b.attr("dim", dim)});
    }
  }
  int64_t spelled = b.spellDim(dim, rank);
  switch (b.below(6)) {
  case 0: {
    int64_t size = b.between(1, std::max<int64_t>(extent, 1));
    return b.emit("split", value, {b.attr("split_size", size), b.attr("dim", spelled)});
  }
  case 1: {
    int64_t chunks = b.between(1, 6);
    return b.emit("chunk", value, {b.attr("chunks", chunks), b.attr("dim", spelled)});
  }
  case 2:
    if (extent <= 8)
      return b.emit("unbind", value, b.attr("dim", spelled));
    [[fallthrough]];
  case 3: {
    // Equal sections.
    SmallVector<int64_t> divisors;
    for (int64_t i = 1; i <= std::max<int64_t>(extent, 1); ++i)
      if (extent % i == 0 && i <= 10)
        divisors.push_back(i);
    int64_t parts = b.choose(divisors);
    SmallVector<int64_t> sizes(parts, extent / parts);
    return b.emit("split_with_sizes", value, {b.attr("split_sizes", sizes), b.attr("dim", spelled)});
  }
  default: {
    // Any sections, some of them empty.
    SmallVector<int64_t> cuts;
    for (int64_t i = b.below(6); i > 0; --i)
      cuts.push_back(b.below(extent + 1));
    cuts.push_back(extent);
    llvm::sort(cuts);
    SmallVector<int64_t> sizes;
    int64_t last = 0;
    for (int64_t cut : cuts) {
      sizes.push_back(cut - last);
      last = cut;
    }
    return b.emit("split_with_sizes", value, {b.attr("split_sizes", sizes), b.attr("dim", spelled)});
  }
  }
}

SmallVector<Value> RandomGraph::cutEvenly(Value value, int64_t dim, int64_t count) {
  int64_t extent = b.extentOf(value, dim);
  if (ShapedType::isDynamic(extent) || count == 0 || extent % count != 0)
    return {};
  int64_t size = extent / count;
  int64_t spelled = b.spellDim(dim, b.rankOf(value));
  switch (b.below(3)) {
  case 0:
    return b.emit("chunk", value, {b.attr("chunks", count), b.attr("dim", spelled)});
  case 1:
    if (size > 0)
      return b.emit("split", value, {b.attr("split_size", size), b.attr("dim", spelled)});
    [[fallthrough]];
  default:
    return b.emit("split_with_sizes", value,
                  {b.attr("split_sizes", SmallVector<int64_t>(count, size)), b.attr("dim", spelled)});
  }
}

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

SmallVector<Value> RandomGraph::arrange(ArrayRef<Value> pieces) {
  SmallVector<Value> chosen(pieces);
  int64_t how = b.below(100);
  if (how < 45 || pieces.empty())
    return chosen;
  if (how < 70) {
    int64_t begin = b.below(pieces.size());
    int64_t end = b.between(begin + 1, pieces.size());
    chosen.assign(pieces.begin() + begin, pieces.begin() + end);
  } else if (how < 78) {
    b.shuffle(chosen);
  } else if (how < 84) {
    for (Value &value : chosen)
      value = b.choose(pieces);
  } else if (how < 90) {
    chosen.erase(chosen.begin() + b.below(chosen.size()));
  } else if (how < 96) {
    // Two neighbours exchanged.
    if (chosen.size() > 1) {
      int64_t at = b.below(chosen.size() - 1);
      std::swap(chosen[at], chosen[at + 1]);
    }
  } else {
    // Twice: first a copy, appending a list to itself is not safe.
    SmallVector<Value> again(chosen);
    llvm::append_range(chosen, again);
  }
  return chosen;
}

Value RandomGraph::join(ArrayRef<Value> operands, int64_t dim, bool stack) {
  if (operands.empty())
    return {};
  int64_t rank = b.rankOf(operands[0]) + stack;
  if (dim >= rank)
    dim = std::max<int64_t>(rank - 1, 0);
  return add(b.emitOne(stack ? "stack" : "cat", operands, b.attr("dim", b.spellDim(dim, rank))));
}

void RandomGraph::joinSomehow(ArrayRef<Value> pieces, int64_t dim) {
  for (int64_t count = b.choose({0, 1, 1, 1, 1, 2}); count > 0; --count) {
    SmallVector<Value> chosen = arrange(pieces);
    if (chosen.empty())
      continue;
    bool stack = b.chance(350);
    if (b.chance(350)) {
      // Something else between the pieces.
      for (int64_t i = b.between(1, 2); i > 0; --i) {
        Value other = pickOfType(b.choose(chosen).getType());
        if (other)
          chosen.insert(chosen.begin() + b.below(chosen.size() + 1), other);
      }
    }
    int64_t at = b.chance(650) ? dim : b.below(b.rankOf(chosen[0]) + stack + 1);
    join(chosen, at, stack);
  }
}

//===----------------------------------------------------------------------===//
// Structures
//===----------------------------------------------------------------------===//

void RandomGraph::splitCat() {
  int64_t dim;
  SmallVector<Value> pieces = cut(pick(1), dim);
  if (pieces.empty())
    return;
  addAll(pieces);
  joinSomehow(pieces, dim);
  if (b.chance(150)) {
    Value piece = b.choose(pieces);
    add(applyUnary(unaryName(piece), piece));
  }
}

/// A split of a piece of a split, and what is left joined.
void RandomGraph::splitOfSplit() {
  int64_t dim;
  SmallVector<Value> pieces = cut(pick(1), dim);
  for (int64_t depth = b.between(1, 2); depth > 0 && !pieces.empty(); --depth) {
    int64_t at = b.below(pieces.size());
    Value piece = pieces[at];
    if (b.rankOf(piece) <= dim)
      break;
    int64_t extent = b.extentOf(piece, dim);
    if (ShapedType::isDynamic(extent))
      break;
    SmallVector<Value> inner;
    int64_t innerDim = dim;
    if (b.chance(800)) {
      int64_t first = b.below(extent + 1);
      SmallVector<int64_t> sizes{first, extent - first};
      inner = b.emit("split_with_sizes", piece,
                     {b.attr("split_sizes", sizes), b.attr("dim", b.spellDim(dim, b.rankOf(piece)))});
    } else {
      inner = cut(piece, innerDim);
    }
    if (inner.empty())
      break;
    if (innerDim != dim) {
      addAll(inner);
      break;
    }
    if (b.chance(850))
      pieces.erase(pieces.begin() + at);
    pieces.insert(pieces.begin() + std::min<size_t>(at, pieces.size()), inner.begin(), inner.end());
  }
  addAll(pieces);
  joinSomehow(pieces, dim);
}

void RandomGraph::nestedCats() {
  Value value = pick(1, 4);
  int64_t rank = b.rankOf(value), dim = b.below(rank);
  for (int64_t depth = b.between(1, 4); depth > 0 && value; --depth) {
    SmallVector<Value> operands{value};
    for (int64_t i = b.below(3); i > 0; --i) {
      Value other = b.chance(700) ? pickOfType(value.getType()) : value;
      if (!other && b.typeOf(value).hasStaticShape()) {
        SmallVector<int64_t> shape(b.typeOf(value).getShape());
        shape[dim] = b.between(0, 2);
        other = add(b.addArgument(b.tensorType(shape, b.elementOf(value))));
      }
      if (other)
        operands.insert(operands.begin() + b.below(operands.size() + 1), other);
    }
    if (b.typeOf(value).hasStaticShape() && b.typeOf(value).getNumElements() > 300)
      return;
    value = join(operands, b.chance(850) ? dim : b.below(rank), /*stack=*/false);
  }
}

/// split into ones -> squeeze -> stack or cat.
void RandomGraph::splitSqueezeStack() {
  Value value = pick(1, 4);
  int64_t rank = b.rankOf(value), dim = b.below(rank);
  int64_t extent = b.extentOf(value, dim);
  if (ShapedType::isDynamic(extent) || extent > 10)
    return;
  SmallVector<Value> pieces = cutEvenly(value, dim, b.chance(850) ? extent : std::max<int64_t>(extent / 2, 1));
  if (pieces.empty())
    return;
  SmallVector<Value> squeezed;
  for (Value piece : pieces) {
    Value next;
    if (b.chance(900)) {
      int64_t at = b.chance(930) ? dim : b.below(rank);
      SmallVector<mlir::NamedAttribute> attributes;
      if (b.chance(900))
        attributes.push_back(b.attr("dims", ArrayRef<int64_t>(b.spellDim(at, rank))));
      next = b.emitOne("squeeze", piece, attributes);
    } else {
      next = piece;
    }
    if (next)
      squeezed.push_back(next);
  }
  addAll(squeezed);
  if (b.chance(150))
    addAll(pieces);
  joinSomehow(squeezed, dim);
}

/// chunk -> reshape (-> unsqueeze) -> cat or stack.
void RandomGraph::chunkReshapeCat() {
  Value value = pick(1, 4);
  int64_t rank = b.rankOf(value), dim = b.below(rank);
  int64_t extent = b.extentOf(value, dim);
  if (!b.typeOf(value).hasStaticShape() || extent == 0)
    return;
  int64_t count = b.choose({2, 3, 4, 5, 6});
  if (extent % count != 0)
    count = extent;
  if (count > 12)
    return;
  SmallVector<Value> pieces = cutEvenly(value, dim, count);
  if (pieces.empty())
    return;
  int64_t elements = b.typeOf(pieces[0]).getNumElements();
  SmallVector<int64_t> divisors;
  for (int64_t i = 1; i <= elements; ++i)
    if (elements % i == 0)
      divisors.push_back(i);
  if (divisors.empty())
    return;
  SmallVector<int64_t> shape{b.choose(divisors)};
  shape.push_back(elements / shape[0]);
  if (b.chance(250))
    shape = {elements};
  bool withUnsqueeze = b.chance(300);
  SmallVector<Value> moved;
  for (Value piece : pieces) {
    SmallVector<int64_t> target(shape);
    if (target.size() == 2 && b.chance(25))
      std::swap(target[0], target[1]);
    Value next = b.emitOne(b.chance(950) ? "reshape" : "view", piece, b.attr("shape", target));
    if (next && withUnsqueeze)
      next = b.emitOne("unsqueeze", next, b.attr("dim", 0));
    if (!next)
      return;
    moved.push_back(next);
  }
  addAll(moved);
  if (b.chance(120))
    add(b.choose(pieces));
  joinSomehow(moved, b.below(2));
}

void RandomGraph::unbindStack() {
  Value value = pick(1, 4);
  int64_t rank = b.rankOf(value), dim = b.below(rank);
  int64_t extent = b.extentOf(value, dim);
  if (ShapedType::isDynamic(extent) || extent > 10)
    return;
  if (b.chance(250)) {
    // The other way round: stack -> unbind.
    SmallVector<Value> group = pickGroup(b.typeOf(value), b.between(1, 4));
    Value stacked = b.emitOne("stack", group, b.attr("dim", b.spellDim(b.below(rank + 1), rank + 1)));
    if (!stacked)
      return;
    int64_t at = b.spellDim(b.below(rank + 1), rank + 1);
    addAll(b.emit("unbind", stacked, b.attr("dim", at)));
    if (b.chance(150))
      add(stacked);
    return;
  }
  SmallVector<Value> pieces = b.emit("unbind", value, b.attr("dim", b.spellDim(dim, rank)));
  addAll(pieces);
  if (!pieces.empty())
    joinSomehow(pieces, dim);
}

/// stack -> tanh -> unbind, and what batch fusions leave.
void RandomGraph::stackPointwiseUnbind() {
  Value value = pick(0, 3);
  int64_t rank = b.rankOf(value);
  SmallVector<Value> group = pickGroup(b.typeOf(value), b.between(2, 5));
  int64_t dim = b.below(rank + 1);
  bool isCat = rank > 0 && b.chance(250);
  dim = isCat ? std::min(dim, rank - 1) : dim;
  Value joined = b.emitOne(isCat ? "cat" : "stack", group, b.attr("dim", dim));
  if (!joined)
    return;
  StringRef name = unaryName(joined);
  for (int64_t i = b.below(3); i > 0 && joined; --i)
    joined = applyUnary(name, joined);
  if (!joined)
    return;
  int64_t at = b.chance(850) ? dim : b.below(b.rankOf(joined));
  SmallVector<Value> pieces = isCat ? cutEvenly(joined, at, group.size())
                                    : b.emit("unbind", joined, b.attr("dim", b.spellDim(at, b.rankOf(joined))));
  addAll(pieces);
  if (!pieces.empty())
    joinSomehow(pieces, dim);
}

/// split -> the same op on each piece -> cat: one piece with another op now and then.
void RandomGraph::piecewise() {
  int64_t dim;
  SmallVector<Value> pieces = cut(pick(1), dim);
  if (pieces.size() < 2)
    return;
  StringRef name = unaryName(pieces[0]);
  SmallVector<Value> moved;
  int64_t odd = b.chance(250) ? b.below(pieces.size()) : -1;
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    Value next = static_cast<int64_t>(i) == odd ? piece : applyUnary(name, piece);
    if (next && b.chance(20))
      next = applyUnary("detach", next);
    if (next)
      moved.push_back(next);
  }
  addAll(moved);
  joinSomehow(moved, dim);
}

/// The target of a reshape to one dimension.
static constexpr int64_t kFlat[] = {-1};

/// cat -> view -> relu: the relu may sink.
void RandomGraph::catPointwise() {
  Value value = pick(1, 4);
  int64_t rank = b.rankOf(value);
  SmallVector<Value> group = pickGroup(b.typeOf(value), b.between(1, 4));
  if (group[0] && b.chance(300))
    group[0] = value;
  Value joined = b.emitOne("cat", group, b.attr("dim", b.spellDim(b.below(rank), rank)));
  if (!joined)
    return;
  if (b.chance(200))
    add(joined);
  if (b.chance(500) && b.typeOf(joined).hasStaticShape()) {
    int64_t elements = b.typeOf(joined).getNumElements();
    Value viewed = elements == 0 ? Value()
                                 : b.emitOne(b.chance(500) ? "view" : "reshape", joined,
                                             b.attr("shape", ArrayRef<int64_t>(kFlat)));
    joined = viewed ? viewed : joined;
  }
  static const StringRef names[] = {"relu", "tanh", "sigmoid", "neg"};
  StringRef name = b.choose(names);
  add(applyUnary(name, joined));
}

/// cat -> split at the seams, or beside them.
void RandomGraph::catSplit() {
  Value value = pick(1, 4);
  int64_t rank = b.rankOf(value), dim = b.below(rank);
  SmallVector<Value> group{value};
  for (int64_t i = b.between(1, 4); i > 0; --i) {
    Value other = pickOfType(value.getType());
    if (!other && b.typeOf(value).hasStaticShape()) {
      SmallVector<int64_t> shape(b.typeOf(value).getShape());
      shape[dim] = b.between(0, 3);
      other = add(b.addArgument(b.tensorType(shape, b.elementOf(value))));
    }
    if (other)
      group.push_back(other);
  }
  Value joined = b.emitOne("cat", group, b.attr("dim", b.spellDim(dim, rank)));
  if (!joined)
    return;
  SmallVector<int64_t> sizes;
  for (Value operand : group) {
    int64_t extent = b.extentOf(operand, dim);
    if (ShapedType::isDynamic(extent))
      return;
    sizes.push_back(extent);
  }
  // Neighbours merged, or one element moved over a seam.
  for (size_t i = 0; i + 1 < sizes.size(); ++i) {
    if (b.chance(120)) {
      sizes[i] += sizes[i + 1];
      sizes.erase(sizes.begin() + i + 1);
    } else if (b.chance(60) && sizes[i] > 0) {
      --sizes[i];
      ++sizes[i + 1];
    }
  }
  SmallVector<Value> pieces =
      b.emit("split_with_sizes", joined, {b.attr("split_sizes", sizes), b.attr("dim", b.spellDim(dim, rank))});
  addAll(pieces);
  if (b.chance(200))
    add(joined);
  if (!pieces.empty() && b.chance(500))
    joinSomehow(pieces, dim);
}
