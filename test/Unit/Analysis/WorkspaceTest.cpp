// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Analysis/Workspace.h"
#include "gtest/gtest.h"
#include <random>

using namespace fxgraph;

TEST(Workspace, BuffersWhoseLivesMeetAreApart) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    SmallVector<BufferLife> lives;
    for (int i = 0, count = random() % 60; i < count; ++i) {
      int64_t first = random() % 40;
      lives.push_back({first, first + static_cast<int64_t>(random() % 10), static_cast<int64_t>(random() % 1000)});
    }
    WorkspacePlan plan = planWorkspace(lives, 64);
    ASSERT_EQ(plan.offsets.size(), lives.size());
    for (size_t i = 0; i < lives.size(); ++i) {
      EXPECT_EQ(plan.offsets[i] % 64, 0);
      EXPECT_GE(plan.offsets[i], 0);
      int64_t end = plan.offsets[i] + std::max<int64_t>(lives[i].bytes, 1);
      EXPECT_LE(end, plan.bytes);
      for (size_t j = 0; j < i; ++j) {
        bool meet = lives[i].first <= lives[j].last && lives[j].first <= lives[i].last;
        bool apart =
            end <= plan.offsets[j] || plan.offsets[j] + std::max<int64_t>(lives[j].bytes, 1) <= plan.offsets[i];
        EXPECT_TRUE(!meet || apart) << "round " << round << ": " << i << " and " << j;
      }
    }
  }
}

TEST(Workspace, MemoryIsUsedAgain) {
  // A chain: two buffers at a time.
  SmallVector<BufferLife> chain;
  for (int64_t i = 0; i < 1000; ++i)
    chain.push_back({i, i + 1, 100});
  EXPECT_EQ(planWorkspace(chain, 64).bytes, 2 * 128);
  // The same lives in another order.
  std::reverse(chain.begin(), chain.end());
  EXPECT_EQ(planWorkspace(chain, 64).bytes, 2 * 128);
  // Pieces that are free side by side are one.
  SmallVector<BufferLife> merged = {{0, 1, 64}, {0, 1, 64}, {2, 3, 128}};
  EXPECT_EQ(planWorkspace(merged, 64).bytes, 128);
}

TEST(Workspace, NothingAndOneStep) {
  EXPECT_EQ(planWorkspace({}, 64).bytes, 0);
  // A buffer that ends where another begins is still in use.
  SmallVector<BufferLife> meet = {{0, 1, 64}, {1, 2, 64}};
  EXPECT_EQ(planWorkspace(meet, 64).bytes, 128);
}
