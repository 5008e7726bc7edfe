// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Analysis/LayoutMoves.h"

using namespace fxgraph;

/// Product of the extents; nullopt if one is unknown or the product overflows.
static std::optional<int64_t> multiply(ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (int64_t extent : shape)
    if (ShapedType::isDynamic(extent) || llvm::MulOverflow(product, extent, product))
      return std::nullopt;
  return product;
}

/// Exchanges the two factors in the middle of `view`, leaving out factors of 1: what
/// moves across an extent of 1 does not move.
static LayoutMove exchangeMiddle(std::array<int64_t, 4> factors) {
  LayoutMove move;
  if (factors[1] == 1 || factors[2] == 1)
    return move;
  bool front = factors[0] != 1, back = factors[3] != 1;
  for (auto [i, factor] : llvm::enumerate(factors))
    if ((i != 0 || front) && (i != 3 || back))
      move.view.push_back(factor);
  for (size_t i = 0; i < move.view.size(); ++i)
    move.order.push_back(i);
  std::swap(move.order[front], move.order[front + 1]);
  return move;
}

std::optional<LayoutMove> fxgraph::getPieceCatMove(ArrayRef<int64_t> input, int64_t splitDim, int64_t pieces,
                                                   ArrayRef<int64_t> piece, int64_t catDim) {
  if (splitDim < 0 || splitDim >= static_cast<int64_t>(input.size()) || catDim < 0 ||
      catDim >= static_cast<int64_t>(piece.size()) || pieces <= 0)
    return std::nullopt;
  std::optional<int64_t> total = multiply(input), pieceTotal = multiply(piece);
  std::optional<int64_t> before = multiply(input.take_front(splitDim)), front = multiply(piece.take_front(catDim));
  if (!total || !pieceTotal || !before || !front || input[splitDim] % pieces != 0 || *pieceTotal * pieces != *total)
    return std::nullopt;
  // Without elements there is nothing to move.
  if (*total == 0 || *front == *before)
    return LayoutMove();
  int64_t inner = *pieceTotal / *before, back = *pieceTotal / *front;
  if (*before % *front == 0)
    return exchangeMiddle({*front, *before / *front, pieces, inner});
  if (*front % *before == 0)
    return exchangeMiddle({*before, pieces, *front / *before, back});
  return std::nullopt;
}
