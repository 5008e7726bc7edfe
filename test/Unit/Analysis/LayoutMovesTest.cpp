// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// getPieceCatMove against the definition, element by element.

#include "fxgraph/Analysis/LayoutMoves.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace fxgraph;

namespace {
int64_t count(ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

/// cat(reshape(piece_i of 0, 1, 2, …; piece); catDim), in row-major order.
std::vector<int64_t> join(ArrayRef<int64_t> input, int64_t splitDim, int64_t pieces, ArrayRef<int64_t> piece,
                          int64_t catDim) {
  int64_t before = count(input.take_front(splitDim)), after = count(input.drop_front(splitDim + 1));
  int64_t extent = input[splitDim], size = extent / pieces;
  int64_t front = count(piece.take_front(catDim)), back = count(piece.drop_front(catDim));
  std::vector<int64_t> result(front * pieces * back);
  for (int64_t i = 0; i < pieces; ++i) {
    int64_t next = 0;
    for (int64_t a = 0; a < before; ++a)
      for (int64_t m = 0; m < size; ++m)
        for (int64_t b = 0; b < after; ++b, ++next)
          result[(next / back * pieces + i) * back + next % back] = (a * extent + i * size + m) * after + b;
  }
  return result;
}

/// The elements 0, 1, 2, … after the move.
std::vector<int64_t> apply(const LayoutMove &move, int64_t total) {
  std::vector<int64_t> result(total);
  std::iota(result.begin(), result.end(), 0);
  if (move.order.empty())
    return result;
  size_t rank = move.view.size();
  EXPECT_EQ(count(move.view), total);
  SmallVector<int64_t> strides(rank, 1);
  for (size_t i = rank - 1; i > 0; --i)
    strides[i - 1] = strides[i] * move.view[i];
  for (int64_t &value : result) {
    int64_t rest = value, source = 0;
    for (size_t i = rank; i-- > 0;) {
      int64_t extent = move.view[move.order[i]];
      source += rest % extent * strides[move.order[i]];
      rest /= extent;
    }
    value = source;
  }
  return result;
}

/// All shapes of `rank` with these many elements.
void forEachShape(int64_t elements, unsigned rank, SmallVectorImpl<int64_t> &shape,
                  function_ref<void(ArrayRef<int64_t>)> body) {
  if (rank == 0) {
    if (elements == 1)
      body(shape);
    return;
  }
  for (int64_t extent = 1; extent <= elements; ++extent) {
    if (elements % extent != 0)
      continue;
    shape.push_back(extent);
    forEachShape(elements / extent, rank - 1, shape, body);
    shape.pop_back();
  }
}

TEST(LayoutMoves, AgreesWithTheDefinition) {
  int64_t found = 0, refused = 0, still = 0;
  for (int64_t elements : {1, 4, 6, 12, 24})
    for (unsigned rank = 1; rank <= 3; ++rank) {
      SmallVector<int64_t> inputShape;
      forEachShape(elements, rank, inputShape, [&](ArrayRef<int64_t> input) {
        for (int64_t splitDim = 0; splitDim < static_cast<int64_t>(rank); ++splitDim)
          for (int64_t pieces = 1; pieces <= input[splitDim]; ++pieces) {
            if (input[splitDim] % pieces != 0)
              continue;
            for (unsigned pieceRank = 1; pieceRank <= 4; ++pieceRank) {
              SmallVector<int64_t> pieceShape;
              forEachShape(elements / pieces, pieceRank, pieceShape, [&](ArrayRef<int64_t> piece) {
                for (int64_t catDim = 0; catDim < static_cast<int64_t>(pieceRank); ++catDim) {
                  std::optional<LayoutMove> move = getPieceCatMove(input, splitDim, pieces, piece, catDim);
                  if (!move) {
                    ++refused;
                    continue;
                  }
                  ++found;
                  still += move->order.empty();
                  ASSERT_EQ(apply(*move, elements), join(input, splitDim, pieces, piece, catDim));
                }
              });
            }
          }
      });
    }
  // Every branch is taken, many times.
  EXPECT_GT(found, 10000);
  EXPECT_GT(still, 1000);
  EXPECT_GT(refused, 100);
}

TEST(LayoutMoves, WhatStaysInPlaceIsNotMoved) {
  // [A, k, m] joined behind A again.
  std::optional<LayoutMove> move = getPieceCatMove({4, 6, 5}, 1, 3, {4, 10}, 1);
  ASSERT_TRUE(move);
  EXPECT_TRUE(move->order.empty());
  // Across extents of 1.
  move = getPieceCatMove({1, 6, 5}, 1, 3, {2, 5}, 0);
  ASSERT_TRUE(move);
  EXPECT_TRUE(move->order.empty());
}

TEST(LayoutMoves, OneMovementIsOneExchange) {
  std::optional<LayoutMove> move = getPieceCatMove({7, 8, 96}, 0, 7, {8, 96}, 1);
  ASSERT_TRUE(move);
  EXPECT_EQ(move->view, (SmallVector<int64_t>{7, 8, 96}));
  EXPECT_EQ(move->order, (SmallVector<int64_t>{1, 0, 2}));
  move = getPieceCatMove({4, 6}, 1, 3, {8}, 0);
  ASSERT_TRUE(move);
  EXPECT_EQ(move->view, (SmallVector<int64_t>{4, 3, 2}));
  EXPECT_EQ(move->order, (SmallVector<int64_t>{1, 0, 2}));
}

TEST(LayoutMoves, RefusesTwoMovements) {
  // 4 elements before the pieces, 6 before the seam.
  EXPECT_FALSE(getPieceCatMove({4, 9}, 1, 3, {6, 2}, 1));
}

TEST(LayoutMoves, EmptyTensorsDoNotMove) {
  for (auto [input, piece] :
       {std::pair<SmallVector<int64_t>, SmallVector<int64_t>>{{0, 6}, {0, 2}}, {{4, 6, 0}, {7, 0}}}) {
    std::optional<LayoutMove> move = getPieceCatMove(input, 1, 3, piece, 0);
    ASSERT_TRUE(move);
    EXPECT_TRUE(move->order.empty());
  }
}

TEST(LayoutMoves, RefusesWhatDoesNotFit) {
  EXPECT_FALSE(getPieceCatMove({4, 6}, 1, 4, {6}, 0));                               // uneven pieces
  EXPECT_FALSE(getPieceCatMove({4, 6}, 1, 3, {9}, 0));                               // another number of elements
  EXPECT_FALSE(getPieceCatMove({4, 6}, 2, 3, {8}, 0));                               // no such dimension
  EXPECT_FALSE(getPieceCatMove({4, 6}, 1, 3, {8}, 1));                               // no such dimension
  EXPECT_FALSE(getPieceCatMove({4, 6}, 1, 0, {8}, 0));                               // no pieces
  EXPECT_FALSE(getPieceCatMove({ShapedType::kDynamic, 6}, 1, 3, {8}, 0));            // an unknown extent
  EXPECT_FALSE(getPieceCatMove({int64_t(1) << 40, int64_t(1) << 40}, 1, 2, {8}, 0)); // more than fits
}
} // namespace
