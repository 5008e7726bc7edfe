// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Analysis/RunScan.h"

using namespace fxgraph;

namespace {
/// An operand, or several that have collapsed into the input of `whole`.
struct Element {
  Piece piece;
  size_t begin, end;
  const void *whole;
  int64_t wholeCount;
  /// Pieces 0, 1, … of one producer that end here; 0 if there is none.
  int64_t fromZero;
};
} // namespace

/// Collapses whole runs, also those that only appear when others have collapsed.
static SmallVector<Element> collapseWholes(ArrayRef<Piece> operands, const RunScanOptions &options) {
  SmallVector<Element> stack;
  for (size_t i = 0; i < operands.size(); ++i) {
    Element top{operands[i], i, i + 1, nullptr, 0, 0};
    while (true) {
      const Piece &piece = top.piece;
      if (!piece.producer)
        break;
      bool extends = piece.number > 0 && !stack.empty() && stack.back().piece.producer == piece.producer &&
                     stack.back().fromZero == piece.number;
      top.fromZero = piece.number == 0 ? 1 : extends ? piece.number + 1 : 0;
      if (piece.count < 2 || top.fromZero != piece.count)
        break;
      const void *producer = piece.producer;
      int64_t count = piece.count;
      size_t begin = stack[stack.size() - (count - 1)].begin;
      stack.truncate(stack.size() - (count - 1));
      Piece input = options.getInputPiece ? options.getInputPiece(producer) : Piece();
      top = Element{input, begin, i + 1, producer, count, 0};
    }
    stack.push_back(top);
  }
  return stack;
}

SmallVector<PieceRun> fxgraph::scanRuns(ArrayRef<Piece> operands, const RunScanOptions &options) {
  SmallVector<Element> elements = collapseWholes(operands, options);
  size_t size = elements.size();

  // From the end: the progression that begins at i (its step and where it ends),
  // the fewest runs for the rest of the list, and where the first of them ends.
  struct Suffix {
    int64_t step = 0;
    size_t reach = 0, cost = 0, end = 0;
  };
  SmallVector<Suffix> best(size + 1);
  for (size_t i = size; i-- > 0;) {
    Suffix &suffix = best[i];
    suffix.reach = suffix.end = i + 1;
    suffix.cost = best[i + 1].cost + 1;
    if (i + 1 == size)
      continue;
    const Piece &piece = elements[i].piece, &next = elements[i + 1].piece;
    int64_t step = next.number - piece.number;
    bool proceeds = piece.producer && piece.producer == next.producer &&
                    (step == 1 || (options.allowSteps && step > 1 && piece.block == next.block));
    if (!proceeds)
      continue;
    suffix.step = step;
    // A step over unequal pieces has ended the next progression already.
    suffix.reach = best[i + 1].step == step ? best[i + 1].reach : i + 2;
    for (size_t end : {suffix.reach, suffix.reach - 1}) {
      int64_t count = end - i;
      if (count < 2 || count < options.threshold || best[end].cost + 1 >= suffix.cost)
        continue;
      suffix.cost = best[end].cost + 1;
      suffix.end = end;
    }
  }

  SmallVector<PieceRun> runs;
  for (size_t i = 0; i < size; i = best[i].end) {
    const Element &element = elements[i];
    size_t end = best[i].end;
    if (end > i + 1)
      runs.push_back({element.piece.producer, element.piece.number, static_cast<int64_t>(end - i), best[i].step,
                      element.begin, elements[end - 1].end, /*isWhole=*/false});
    else if (element.whole)
      runs.push_back({element.whole, 0, element.wholeCount, 1, element.begin, element.end, /*isWhole=*/true});
    else
      runs.push_back({nullptr, 0, 1, 1, element.begin, element.end, /*isWhole=*/false});
  }
  return runs;
}
