// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of pieces: the lists on which Inductor's scan loses, repeats or reorders
// operands, and random lists against exhaustive search.

#include "fxgraph/Analysis/RunScan.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <ctime>
#include <random>

using namespace fxgraph;

namespace {
/// A split into `count` pieces, itself a piece of `outer` or not. Pieces from
/// `shorter` on have another extent.
struct Split {
  std::string name;
  int64_t count;
  const Split *outer = nullptr;
  int64_t number = 0;
  int64_t shorter = -1;

  Piece piece(int64_t i) const { return {this, i, count, shorter >= 0 && i >= shorter ? 1 : 0}; }
};
using Operands = std::vector<Piece>;

/// A number of pieces of one split: pieces(a, {0, 1, 2}).
Operands pieces(const Split &split, std::vector<int64_t> numbers) {
  Operands result;
  for (int64_t number : numbers)
    result.push_back(split.piece(number));
  return result;
}
Operands range(const Split &split, int64_t begin, int64_t end) {
  Operands result;
  for (int64_t i = begin; i < end; ++i)
    result.push_back(split.piece(i));
  return result;
}
const Operands kOther(1);

Operands join(std::vector<Operands> lists) {
  Operands result;
  for (const Operands &list : lists)
    result.insert(result.end(), list.begin(), list.end());
  return result;
}

Piece getInputPiece(const void *producer) {
  const auto *split = static_cast<const Split *>(producer);
  return split->outer ? split->outer->piece(split->number) : Piece();
}

SmallVector<PieceRun> scan(const Operands &operands, int64_t threshold, bool allowSteps = false) {
  return scanRuns(operands, {threshold, allowSteps, getInputPiece});
}

/// Text of a list of runs: `A` (whole), `A[0:5]`, `A[0:9:2]`, `A3` (a piece), `z`.
std::string print(const Operands &operands, const SmallVector<PieceRun> &runs) {
  std::vector<std::string> texts;
  for (const PieceRun &run : runs) {
    const void *producer = run.isMerged() ? run.producer : operands[run.begin].producer;
    std::string name = producer ? static_cast<const Split *>(producer)->name : "z";
    if (!run.isMerged())
      texts.push_back(producer ? name + std::to_string(operands[run.begin].number) : name);
    else if (run.isWhole)
      texts.push_back(name);
    else
      texts.push_back(name + "[" + std::to_string(run.first) + ":" + std::to_string(run.getPieceEnd()) +
                      (run.step == 1 ? "]" : ":" + std::to_string(run.step) + "]"));
  }
  return llvm::join(texts, " ");
}

std::string scanText(const Operands &operands, int64_t threshold, bool allowSteps = false) {
  return print(operands, scan(operands, threshold, allowSteps));
}
} // namespace

//===----------------------------------------------------------------------===//
// Lists that Inductor's scan gets wrong
//===----------------------------------------------------------------------===//

TEST(RunScan, OtherProducerAtTheEnd) {
  // Inductor drops the pending pieces: [U0].
  Split a{"A", 4}, u{"U", 2};
  EXPECT_EQ(scanText(join({range(a, 0, 4), pieces(u, {0})}), 10), "A U0");
  EXPECT_EQ(scanText(join({range(a, 0, 3), pieces(u, {0})}), 10), "A0 A1 A2 U0");
}

TEST(RunScan, OtherProducerInTheMiddle) {
  // Inductor emits it before the pending pieces.
  Split a{"A", 4}, u{"U", 2};
  EXPECT_EQ(scanText(join({range(a, 0, 2), pieces(u, {0}), range(a, 2, 4)}), 2), "A[0:2] U0 A[2:4]");
  EXPECT_EQ(scanText(join({range(a, 0, 4), pieces(u, {0}), kOther}), 10), "A U0 z");
}

TEST(RunScan, LastOperandOfANewProducer) {
  // Inductor: [z, B0, A1, A2, A3, B0].
  Split a{"A", 4}, b{"B", 2};
  EXPECT_EQ(scanText(join({kOther, range(a, 0, 4), pieces(b, {0})}), 10), "z A B0");
}

TEST(RunScan, RepeatedLastOperand) {
  // Inductor: [A, A3, A3].
  Split a{"A", 4};
  EXPECT_EQ(scanText(pieces(a, {0, 1, 2, 3, 3}), 10), "A A3");
}

TEST(RunScan, InterleavedProducers) {
  // Inductor: [A[0:5], B0 … B4, A[10:15], B[0:5], A10 … A14].
  Split a{"A", 15}, b{"B", 5};
  EXPECT_EQ(scanText(join({range(a, 0, 5), range(b, 0, 5), range(a, 10, 15)}), 5), "A[0:5] B A[10:15]");
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

TEST(RunScan, Threshold) {
  Split a{"A", 12};
  EXPECT_EQ(scanText(range(a, 1, 10), 10), "A1 A2 A3 A4 A5 A6 A7 A8 A9");
  EXPECT_EQ(scanText(range(a, 1, 11), 10), "A[1:11]");
  EXPECT_EQ(scanText(range(a, 0, 12), 100), "A");
  // One piece is never a run.
  EXPECT_EQ(scanText(pieces(a, {3, 5}), 0), "A3 A5");
  EXPECT_EQ(scanText(pieces(a, {3, 4}), -1), "A[3:5]");
}

TEST(RunScan, Order) {
  Split a{"A", 4};
  EXPECT_EQ(scanText(pieces(a, {3, 2, 1, 0}), 2), "A3 A2 A1 A0");
  EXPECT_EQ(scanText(pieces(a, {2, 3, 0, 1}), 2), "A[2:4] A[0:2]");
  EXPECT_EQ(scanText(pieces(a, {0, 0, 1, 1}), 2), "A0 A[0:2] A1");
  EXPECT_EQ(scanText(pieces(a, {1, 2, 3, 0, 1, 2, 3, 0}), 3), "A[1:4] A A0");
}

TEST(RunScan, WholeTwice) {
  Split a{"A", 3};
  EXPECT_EQ(scanText(pieces(a, {0, 1, 2, 0, 1, 2}), 10), "A A");
}

TEST(RunScan, OnePiece) {
  Split a{"A", 1};
  EXPECT_EQ(scanText(pieces(a, {0, 0}), 2), "A0 A0");
}

TEST(RunScan, NoOperands) { EXPECT_TRUE(scan({}, 2).empty()); }

TEST(RunScan, Nested) {
  // B is the last piece of A, C the first of B: all of A is there.
  Split a{"A", 3}, b{"B", 2, &a, 2}, c{"C", 2, &b, 0};
  EXPECT_EQ(scanText(join({range(a, 0, 2), range(c, 0, 2), pieces(b, {1})}), 10), "A");
  // Without the first piece: B, and a range of A if that may be short.
  EXPECT_EQ(scanText(join({pieces(a, {1}), range(c, 0, 2), pieces(b, {1})}), 10), "A1 B");
  EXPECT_EQ(scanText(join({pieces(a, {1}), range(c, 0, 2), pieces(b, {1})}), 2), "A[1:3]");
}

//===----------------------------------------------------------------------===//
// Runs with a step
//===----------------------------------------------------------------------===//

TEST(RunScan, EverySecondPiece) {
  Split a{"A", 9};
  EXPECT_EQ(scanText(pieces(a, {0, 2, 4, 6}), 2), "A0 A2 A4 A6");
  EXPECT_EQ(scanText(pieces(a, {0, 2, 4, 6}), 2, true), "A[0:7:2]");
  EXPECT_EQ(scanText(pieces(a, {1, 4, 7}), 3, true), "A[1:8:3]");
  EXPECT_EQ(scanText(pieces(a, {1, 4, 7}), 4, true), "A1 A4 A7");
  // Neither backwards nor on the spot.
  EXPECT_EQ(scanText(pieces(a, {6, 4, 2, 2, 2}), 2, true), "A6 A4 A2 A2 A2");
}

TEST(RunScan, SharedOperand) {
  // The operand where two progressions meet goes where it is needed.
  Split a{"A", 20};
  EXPECT_EQ(scanText(pieces(a, {0, 2, 4, 5, 6}), 3, true), "A0 A2 A[4:7]");
  EXPECT_EQ(scanText(pieces(a, {0, 2, 4, 5, 6, 7}), 4, true), "A0 A2 A[4:8]");
  EXPECT_EQ(scanText(pieces(a, {0, 2, 4, 6, 7, 8}), 4, true), "A[0:7:2] A7 A8");
  EXPECT_EQ(scanText(pieces(a, {0, 2, 4, 5, 6, 7}), 3, true), "A[0:5:2] A[5:8]");
  EXPECT_EQ(scanText(pieces(a, {0, 2, 4, 6, 7, 8}), 3, true), "A[0:5:2] A[6:9]");
  EXPECT_EQ(scanText(pieces(a, {0, 2, 3, 4}), 3, true), "A0 A[2:5]");
}

TEST(RunScan, UnequalPieces) {
  // The last piece is shorter: it cannot be part of a strided slice, but of a range.
  Split a{"A", 6, nullptr, 0, 5};
  EXPECT_EQ(scanText(pieces(a, {1, 3, 5}), 2, true), "A[1:4:2] A5");
  EXPECT_EQ(scanText(pieces(a, {3, 4, 5}), 2, true), "A[3:6]");
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

namespace {
/// Fewest runs that cover operands [i, n): exhaustive, without nesting.
size_t bruteForce(const Operands &operands, size_t i, int64_t threshold, bool allowSteps) {
  if (i == operands.size())
    return 0;
  size_t best = 1 + bruteForce(operands, i + 1, threshold, allowSteps);
  for (size_t end = i + 2; end <= operands.size(); ++end) {
    int64_t step = operands[i + 1].number - operands[i].number, count = end - i;
    bool isRun = operands[i].producer && step >= 1 && (allowSteps || step == 1);
    for (size_t j = i + 1; j < end; ++j)
      isRun &= operands[j].producer == operands[i].producer && operands[j].number == operands[j - 1].number + step &&
               (step == 1 || operands[j].block == operands[i].block);
    bool isWhole = isRun && step == 1 && operands[i].number == 0 && count == operands[i].count;
    if (isRun && (isWhole || count >= threshold))
      best = std::min(best, 1 + bruteForce(operands, end, threshold, allowSteps));
  }
  return best;
}
} // namespace

TEST(RunScan, RandomLists) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    Split a{"A", static_cast<int64_t>(random() % 6 + 1)}, b{"B", 5, nullptr, 0, 3};
    Operands operands;
    while (operands.size() < 11) {
      const Split &split = random() % 2 ? a : b;
      int64_t first = random() % split.count, step = random() % 3 + 1;
      for (int64_t i = first; i < split.count && operands.size() < 11; i += step)
        operands.push_back(split.piece(i));
      if (random() % 4 == 0)
        operands.push_back(Piece());
    }
    int64_t threshold = random() % 5;
    bool allowSteps = random() % 2;
    SmallVector<PieceRun> runs = scan(operands, threshold, allowSteps);

    // The runs are the list again: nothing lost, repeated or moved.
    size_t position = 0;
    for (const PieceRun &run : runs) {
      ASSERT_EQ(run.begin, position);
      ASSERT_EQ(run.end, run.begin + static_cast<size_t>(run.count));
      for (int64_t i = 0; run.isMerged() && i < run.count; ++i) {
        ASSERT_EQ(operands[run.begin + i].producer, run.producer);
        ASSERT_EQ(operands[run.begin + i].number, run.first + i * run.step);
      }
      if (run.isMerged() && !run.isWhole) {
        ASSERT_GE(run.count, std::max<int64_t>(threshold, 2));
      }
      position = run.end;
    }
    ASSERT_EQ(position, operands.size());
    // And no fewer would do. (Whole runs are taken first, which costs none: no other
    // run can end at piece 0 or begin at the last one.)
    ASSERT_EQ(runs.size(), bruteForce(operands, 0, threshold, allowSteps)) << print(operands, runs);
  }
}

TEST(RunScan, DeeplyNestedSplitsAreLinear) {
  auto seconds = [](size_t depth) {
    std::vector<Split> splits;
    splits.reserve(depth);
    Operands operands;
    for (size_t i = 0; i < depth; ++i) {
      splits.push_back({"S", 2, i ? &splits.back() : nullptr, 1});
      operands.push_back(splits.back().piece(0));
    }
    operands.push_back(splits.back().piece(1));
    std::clock_t start = std::clock();
    SmallVector<PieceRun> runs = scan(operands, 2);
    EXPECT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs.front().producer, &splits.front());
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  double small = seconds(50000);
  EXPECT_LT(seconds(400000), 8 * 4 * std::max(small, 0.005));
}
