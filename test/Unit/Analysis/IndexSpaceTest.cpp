// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index arithmetic: what becomes simple, what must not, and on random chains of views every element's address.

#include "fxgraph/Analysis/IndexSpace.h"
#include "llvm/ADT/Sequence.h"
#include "gtest/gtest.h"
#include <random>

using namespace fxgraph;

namespace {
int64_t floorDivide(int64_t value, int64_t divisor) {
  return (value - ((value % divisor) + divisor) % divisor) / divisor;
}

int64_t evaluate(const IndexSpace &space, const IndexExpr &expr, ArrayRef<int64_t> dims) {
  int64_t sum = expr.constant;
  for (const auto &[id, coefficient] : expr.terms) {
    const IndexSpace::Atom &atom = space.getAtom(id);
    int64_t inner = atom.kind == IndexSpace::AtomKind::Dim ? dims[atom.number] : evaluate(space, atom.inner, dims);
    switch (atom.kind) {
    case IndexSpace::AtomKind::FloorDiv:
      inner = floorDivide(inner, atom.a);
      break;
    case IndexSpace::AtomKind::Mod:
      inner -= floorDivide(inner, atom.a) * atom.a;
      break;
    case IndexSpace::AtomKind::Clamp:
      inner = std::clamp(inner, atom.a, atom.b);
      break;
    default:
      break;
    }
    sum += coefficient * inner;
  }
  return sum;
}

int64_t getVolume(ArrayRef<int64_t> shape) {
  int64_t volume = 1;
  for (int64_t size : shape)
    volume *= size;
  return volume;
}
} // namespace

TEST(IndexSpaceTest, DigitsAddUp) {
  IndexSpace space;
  IndexExpr i = space.addDim(576);
  // However many there are, and whoever else is in the sum.
  const SmallVector<int64_t> shapes[] = {{36, 16}, {3, 12, 16}, {3, 2, 6, 16}};
  for (ArrayRef<int64_t> digits : shapes) {
    Index parts = space.delinearize(i, digits);
    EXPECT_EQ(space.linearize(parts, digits), i) << space.str(space.linearize(parts, digits));
    IndexExpr other = space.addDim(5);
    IndexExpr sum = space.add(space.scale(other, 3), space.linearize(parts, digits));
    EXPECT_EQ(sum, space.add(i, space.scale(other, 3)));
  }
}

TEST(IndexSpaceTest, DigitsInAnotherOrderStay) {
  IndexSpace space;
  IndexExpr i = space.addDim(576);
  Index parts = space.delinearize(i, {3, 12, 16});
  std::swap(parts[0], parts[2]);
  EXPECT_FALSE(space.getStrides(space.linearize(parts, {16, 12, 3})));
}

TEST(IndexSpaceTest, RangesMakeQuotientsVanish) {
  IndexSpace space;
  IndexExpr high = space.addDim(7), low = space.addDim(4), far = space.addDim(5);
  EXPECT_EQ(space.floorDiv(space.addScaled(low, high, 4), 4), high);
  EXPECT_EQ(space.mod(space.addScaled(low, high, 4), 4), low);
  EXPECT_NE(space.floorDiv(space.addScaled(far, high, 4), 4), high);
}

TEST(IndexSpaceTest, Strides) {
  IndexSpace space;
  IndexExpr row = space.addDim(7), column = space.addDim(4);
  IndexExpr sum = space.add(space.addScaled(column, row, 4), IndexExpr(3));
  auto strides = space.getStrides(sum);
  ASSERT_TRUE(strides);
  ASSERT_EQ(strides->size(), 2u);
  EXPECT_EQ((*strides)[0].dim, 0u);
  EXPECT_EQ((*strides)[0].stride, 4);
  EXPECT_EQ(space.getStride(sum, 1), 1);
  EXPECT_FALSE(space.getStrides(space.scale(row, -1)));
  EXPECT_FALSE(space.getStrides(space.mod(row, 3)));
  EXPECT_EQ(space.getStride(space.mod(row, 3), 0), 0);
}

TEST(IndexSpaceTest, RandomChainsOfViews) {
  std::mt19937 random(11);
  constexpr int64_t sizes[] = {1, 2, 3, 4, 5, 6, 12};
  for (int turn = 0; turn < 300; ++turn) {
    SmallVector<SmallVector<int64_t>> shapes(1);
    for (unsigned i = 0, rank = 1 + random() % 3; i < rank; ++i)
      shapes[0].push_back(sizes[random() % std::size(sizes)]);
    // Each step a reshape (no permutation) or a permutation of the dimensions.
    SmallVector<SmallVector<unsigned>> steps;
    for (unsigned step = 0, count = 1 + random() % 4; step < count; ++step) {
      SmallVector<int64_t> from = shapes.back(), to = from;
      SmallVector<unsigned> order;
      size_t at = random() % from.size();
      switch (random() % 3) {
      case 0:
        if (at + 1 < to.size()) {
          to[at] *= to[at + 1];
          to.erase(to.begin() + at + 1);
        }
        break;
      case 1:
        for (int64_t divisor : {2, 3, 5})
          if (to[at] % divisor == 0) {
            to[at] /= divisor;
            to.insert(to.begin() + at + 1, divisor);
            break;
          }
        break;
      default:
        llvm::append_range(order, llvm::seq<unsigned>(0, from.size()));
        std::shuffle(order.begin(), order.end(), random);
        for (auto [i, dim] : llvm::enumerate(order))
          to[i] = from[dim];
      }
      shapes.push_back(to);
      steps.push_back(order);
    }
    IndexSpace space;
    Index index;
    for (int64_t size : shapes.back())
      index.push_back(space.addDim(size));
    for (size_t step = steps.size(); step-- > 0;) {
      if (steps[step].empty()) {
        index = space.reshape(index, shapes[step + 1], shapes[step]);
        continue;
      }
      Index source(index.size());
      for (auto [i, dim] : llvm::enumerate(steps[step]))
        source[dim] = index[i];
      index = source;
    }
    IndexExpr address = space.linearize(index, shapes[0]);
    for (int64_t position = 0, count = getVolume(shapes.back()); position < count; ++position) {
      // The element's way back, in numbers.
      auto split = [](int64_t at, ArrayRef<int64_t> shape) {
        SmallVector<int64_t> parts(shape.size());
        for (size_t i = shape.size(); i-- > 0; at /= shape[i])
          parts[i] = at % shape[i];
        return parts;
      };
      auto join = [](ArrayRef<int64_t> parts, ArrayRef<int64_t> shape) {
        int64_t at = 0;
        for (auto [part, size] : llvm::zip_equal(parts, shape))
          at = at * size + part;
        return at;
      };
      SmallVector<int64_t> dims = split(position, shapes.back());
      int64_t expected = position;
      for (size_t step = steps.size(); step-- > 0;) {
        if (steps[step].empty())
          continue; // The same position.
        SmallVector<int64_t> parts = split(expected, shapes[step + 1]), source(parts.size());
        for (auto [i, dim] : llvm::enumerate(steps[step]))
          source[dim] = parts[i];
        expected = join(source, shapes[step]);
      }
      ASSERT_EQ(evaluate(space, address, dims), expected) << space.str(address) << " at " << position;
    }
  }
}
