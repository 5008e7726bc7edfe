//===- CollectiveTest.cpp - Collectives of threads ------------------------===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks are threads, each with a graph of its own, over the mock's NCCL, which
// runs a collective only when somebody waits for it.
//
//===----------------------------------------------------------------------===//

#include "HostNumbers.h"
#include "MockFixture.h"

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <thread>

using namespace fxgraph::runtime;
using namespace fxgraph::runtime::mock;
using namespace fxgraph::runtime::test;

static Json collectiveTensor(const std::string &dtype, int64_t elements, Json input, Json output) {
  return {{"dtype", dtype}, {"elements", elements}, {"input", std::move(input)}, {"output", std::move(output)}};
}

static Json collectiveStep(const std::string &kind, const Json &reduceOp, const Json &groupSize, Json tensors) {
  Json step = {{"op", "collective"}, {"kind", kind}, {"group", "0"}, {"tensors", std::move(tensors)}};
  if (!reduceOp.is_null())
    step["reduce_op"] = reduceOp;
  if (!groupSize.is_null())
    step["group_size"] = groupSize;
  return step;
}

static Json waitStep(std::vector<int> steps) { return {{"op", "wait"}, {"steps", std::move(steps)}}; }

/// One collective of one tensor, x to y, and the wait for it.
static Json planOfOne(const std::string &kind, const Json &reduceOp, const Json &groupSize, const std::string &dtype,
                      int64_t bytes, int64_t given, int64_t gotten) {
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("x", dtype, {given}, bytes)};
  plan["outputs"] = {tensor("y", dtype, {gotten}, bytes)};
  plan["steps"] = {collectiveStep(kind, reduceOp, groupSize,
                                  {collectiveTensor(dtype, std::min(given, gotten), ref("input"), ref("output"))}),
                   waitStep({0})};
  return plan;
}

namespace {

class CollectiveTest : public MockTest {
protected:
  /// Runs `body` on each rank, in a thread with a process group, which it gives back.
  void onRanks(int size, const std::function<void(int, FxrtProcessGroup *)> &body) {
    std::array<char, FXRT_UNIQUE_ID_BYTES> id;
    ASSERT_EQ(fxrtGetUniqueId(id.data()), FXRT_OK) << fxrtLastError();
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size; ++rank)
      threads.emplace_back([&, rank] {
        FxrtProcessGroup *group = nullptr;
        ASSERT_EQ(fxrtProcessGroupCreate(id.data(), rank, size, &group), FXRT_OK) << fxrtLastError();
        int ownRank = -1, ownSize = -1;
        EXPECT_EQ(fxrtProcessGroupGetInfo(group, &ownRank, &ownSize), FXRT_OK);
        EXPECT_EQ(ownRank, rank);
        EXPECT_EQ(ownSize, size);
        body(rank, group);
        EXPECT_EQ(fxrtProcessGroupDestroy(group), FXRT_OK);
      });
    for (std::thread &thread : threads)
      thread.join();
  }

  /// Loads the plan for one rank.
  static FxrtGraph *loadFor(const Json &plan, FxrtProcessGroup *group) {
    std::string text = plan.dump();
    FxrtGraph *graph = nullptr;
    EXPECT_EQ(fxrtLoad(text.data(), text.size(), nullptr, 0, nullptr, 0, &graph), FXRT_OK) << fxrtLastError();
    EXPECT_EQ(fxrtSetProcessGroup(graph, "0", group), FXRT_OK) << fxrtLastError();
    return graph;
  }

  /// Each rank's output of a plan of one input and one output.
  template <class T>
  std::vector<std::vector<T>> runOnRanks(const Json &plan, const std::vector<std::vector<T>> &inputs, size_t gotten) {
    std::vector<std::vector<T>> results(inputs.size(), std::vector<T>(gotten));
    onRanks(static_cast<int>(inputs.size()), [&](int rank, FxrtProcessGroup *group) {
      FxrtGraph *graph = loadFor(plan, group);
      std::vector<T> input = inputs[rank];
      void *in = input.data(), *out = results[rank].data();
      EXPECT_EQ(fxrtRunHost(graph, &in, 1, &out, 1), FXRT_OK) << fxrtLastError();
      EXPECT_EQ(fxrtDestroy(graph), FXRT_OK);
    });
    return results;
  }

  template <class T>
  void checkIntegers(const char *dtype);
};

} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static double reduceTwo(const std::string &op, double a, double b) {
  if (op == "product")
    return a * b;
  if (op == "min")
    return std::min(a, b);
  if (op == "max")
    return std::max(a, b);
  return op == "avg" ? (a + b) / 2 : a + b;
}

TEST_F(CollectiveTest, ReducesFloats) {
  struct {
    const char *dtype;
    NumberType type;
    int bytes;
  } formats[] = {{"f32", NumberType::F32, 4},
                 {"f64", NumberType::F64, 8},
                 {"f16", NumberType::F16, 2},
                 {"bf16", NumberType::BF16, 2}};
  // Exact in all of them, and so are their sums, products and halves.
  const double first[] = {1.5, -2, 0.25, 8}, second[] = {-0.5, 3, 4, -16};
  for (auto &format : formats)
    for (const char *op : {"sum", "avg", "product", "min", "max"}) {
      SCOPED_TRACE(std::string(format.dtype) + " " + op);
      std::vector<std::vector<char>> inputs(2, std::vector<char>(4 * format.bytes));
      for (int i = 0; i < 4; ++i) {
        storeNumber(format.type, inputs[0].data(), i, first[i]);
        storeNumber(format.type, inputs[1].data(), i, second[i]);
      }
      auto sums =
          runOnRanks(planOfOne("all_reduce", op, nullptr, format.dtype, format.bytes, 4, 4), inputs, 4 * format.bytes);
      auto parts =
          runOnRanks(planOfOne("reduce_scatter", op, 2, format.dtype, format.bytes, 4, 2), inputs, 2 * format.bytes);
      for (int rank = 0; rank < 2; ++rank)
        for (int i = 0; i < 4; ++i) {
          double expected = reduceTwo(op, first[i], second[i]);
          EXPECT_EQ(loadNumber(format.type, sums[rank].data(), i), expected);
          if (i < 2)
            EXPECT_EQ(loadNumber(format.type, parts[rank].data(), i),
                      reduceTwo(op, first[2 * rank + i], second[2 * rank + i]));
        }
    }
}

template <class T>
void CollectiveTest::checkIntegers(const char *dtype) {
  T high = std::numeric_limits<T>::max(), low = std::numeric_limits<T>::min();
  std::vector<std::vector<T>> inputs = {{3, high, low, 7}, {5, 1, high, 2}, {2, 1, 1, 9}};
  auto run = [&](const char *op) {
    return runOnRanks(planOfOne("all_reduce", op, nullptr, dtype, sizeof(T), 4, 4), inputs, 4);
  };
  SCOPED_TRACE(dtype);
  // Sums and products wrap.
  T wrapped = static_cast<T>(static_cast<std::make_unsigned_t<T>>(high) + 2u);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(run("sum")[rank][1], wrapped);
    EXPECT_EQ(run("product")[rank], (std::vector<T>{30, high, static_cast<T>(low * high), 126}));
    EXPECT_EQ(run("min")[rank], (std::vector<T>{2, 1, low, 2}));
    EXPECT_EQ(run("max")[rank], (std::vector<T>{5, high, high, 9}));
  }
}

TEST_F(CollectiveTest, ReducesIntegers) {
  checkIntegers<uint8_t>("ui8");
  checkIntegers<uint32_t>("ui32");
  checkIntegers<uint64_t>("ui64");
  // Signed ones, at values whose products do not overflow in C++.
  auto run = [&](const char *op) {
    return runOnRanks<int32_t>(planOfOne("all_reduce", op, nullptr, "i32", 4, 3, 3), {{-4, 7, 0}, {3, -9, 5}}, 3)[1];
  };
  EXPECT_EQ(run("sum"), (std::vector<int32_t>{-1, -2, 5}));
  EXPECT_EQ(run("product"), (std::vector<int32_t>{-12, -63, 0}));
  EXPECT_EQ(run("min"), (std::vector<int32_t>{-4, -9, 0}));
  EXPECT_EQ(run("max"), (std::vector<int32_t>{3, 7, 5}));
  EXPECT_EQ(
      runOnRanks<int64_t>(planOfOne("all_reduce", "sum", nullptr, "i64", 8, 1, 1), {{-1}, {int64_t(1) << 40}}, 1)[0],
      (std::vector<int64_t>{(int64_t(1) << 40) - 1}));
  EXPECT_EQ(runOnRanks<int8_t>(planOfOne("all_reduce", "min", nullptr, "i8", 1, 1, 1), {{-1}, {1}}, 1)[0],
            (std::vector<int8_t>{-1}));
}

TEST_F(CollectiveTest, GathersInTheGroupsOrder) {
  std::vector<std::vector<int16_t>> inputs = {{1, 2}, {3, 4}, {5, 6}};
  for (const std::vector<int16_t> &result : runOnRanks(planOfOne("all_gather", nullptr, 3, "i16", 2, 2, 6), inputs, 6))
    EXPECT_EQ(result, (std::vector<int16_t>{1, 2, 3, 4, 5, 6}));
  // Bytes travel: any type does.
  std::vector<std::vector<char>> bools = {{1}, {0}, {1}};
  for (const std::vector<char> &result : runOnRanks(planOfOne("all_gather", nullptr, 3, "i1", 1, 1, 3), bools, 3))
    EXPECT_EQ(result, (std::vector<char>{1, 0, 1}));
}

TEST_F(CollectiveTest, BroadcastsFromARankOfTheGroup) {
  Json plan = planOfOne("broadcast", nullptr, nullptr, "i16", 2, 3, 3);
  plan["steps"][0]["src"] = 2;
  std::vector<std::vector<int16_t>> inputs = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  for (const std::vector<int16_t> &result : runOnRanks(plan, inputs, 3))
    EXPECT_EQ(result, inputs[2]);
  // A group that has no such rank.
  onRanks(2, [&](int, FxrtProcessGroup *group) {
    std::string text = plan.dump();
    FxrtGraph *graph = nullptr;
    ASSERT_EQ(fxrtLoad(text.data(), text.size(), nullptr, 0, nullptr, 0, &graph), FXRT_OK) << fxrtLastError();
    EXPECT_FAILS(fxrtSetProcessGroup(graph, "0", group), FXRT_INVALID_ARGUMENT,
                 "fxrtSetProcessGroup: graph 'test': expected a communicator of at least 3 processes for group '0', one "
                 "of which broadcasts, but got one of 2");
    EXPECT_EQ(fxrtDestroy(graph), FXRT_OK);
  });
}

TEST_F(CollectiveTest, ExchangesPartsOfAnySize) {
  // given[i][j]: what rank i gives rank j; nothing at all from 1 to 0.
  const std::vector<std::vector<int64_t>> given = {{1, 2}, {0, 3}};
  std::vector<std::vector<float>> inputs = {{1, 2, 3}, {4, 5, 6}}, expected = {{1}, {2, 3, 4, 5, 6}};
  onRanks(2, [&](int rank, FxrtProcessGroup *group) {
    Json plan = planOfOne("all_to_all", nullptr, 2, "f32", 4, 3, static_cast<int64_t>(expected[rank].size()));
    plan["steps"][0]["given"] = given[rank];
    plan["steps"][0]["taken"] = {given[0][rank], given[1][rank]};
    plan["steps"][0]["tensors"][0]["elements"] = 3;
    FxrtGraph *graph = loadFor(plan, group);
    std::vector<float> x = inputs[rank], y(expected[rank].size());
    void *in = x.data(), *out = y.data();
    EXPECT_EQ(fxrtRunHost(graph, &in, 1, &out, 1), FXRT_OK) << fxrtLastError();
    EXPECT_EQ(y, expected[rank]);
    EXPECT_EQ(fxrtDestroy(graph), FXRT_OK);
  });
}

TEST_F(CollectiveTest, NothingIsNothing) {
  Json plan = planOfOne("all_reduce", "sum", nullptr, "f32", 4, 0, 0);
  onRanks(2, [&](int, FxrtProcessGroup *group) {
    FxrtGraph *graph = loadFor(plan, group);
    void *nothing = nullptr;
    EXPECT_EQ(fxrtRunHost(graph, &nothing, 1, &nothing, 1), FXRT_OK) << fxrtLastError();
    EXPECT_EQ(fxrtDestroy(graph), FXRT_OK);
  });
  EXPECT_TRUE(getLog({"start"}).empty());
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// y = sum(x), and early = what is in y between the start and the wait; in one call with w to v.
static Json overlappingPlan() {
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("x", "f32", {2}, 4), tensor("w", "f32", {1}, 4)};
  plan["outputs"] = {tensor("y", "f32", {2}, 4), tensor("v", "f32", {1}, 4), tensor("early", "ui8", {8}, 1),
                     tensor("late", "ui8", {8}, 1)};
  auto copy = [](int to) {
    return Json{{"op", "copy"}, {"from", ref("output", 0)}, {"to", ref("output", to)}, {"bytes", 8}};
  };
  plan["steps"] = {collectiveStep("all_reduce", "sum", nullptr,
                                  {collectiveTensor("f32", 2, ref("input", 0), ref("output", 0)),
                                   collectiveTensor("f32", 1, ref("input", 1), ref("output", 1))}),
                   copy(2), waitStep({0}), copy(3)};
  return plan;
}

TEST_F(CollectiveTest, StepsBeforeTheWaitRunBesideTheCollective) {
  onRanks(2, [&](int rank, FxrtProcessGroup *group) {
    FxrtGraph *graph = loadFor(overlappingPlan(), group);
    std::vector<float> x = {1.f + rank, 2}, w = {3}, y(2), v(1);
    std::vector<uint8_t> early(8), late(8);
    void *in[] = {x.data(), w.data()}, *out[] = {y.data(), v.data(), early.data(), late.data()};
    EXPECT_EQ(fxrtRunHost(graph, in, 2, out, 4), FXRT_OK) << fxrtLastError();
    EXPECT_EQ(y, (std::vector<float>{3, 4}));
    EXPECT_EQ(v, (std::vector<float>{6}));
    EXPECT_EQ(early, std::vector<uint8_t>(8, 0xAB)) << "the mock's poison: nobody has written yet";
    EXPECT_EQ(memcmp(late.data(), y.data(), 8), 0);
    EXPECT_EQ(fxrtDestroy(graph), FXRT_OK);
  });
  EXPECT_EQ(getLog({"start"}).size(), 4u);
}

TEST_F(CollectiveTest, BeginsBehindTheRunsStreamAndIsWaitedForOnce) {
  onRanks(1, [&](int, FxrtProcessGroup *group) {
    FxrtGraph *graph = loadFor(overlappingPlan(), group);
    std::vector<float> x = {1, 2}, w = {3}, y(2), v(1);
    std::vector<uint8_t> early(8), late(8);
    void *in[] = {x.data(), w.data()}, *out[] = {y.data(), v.data(), early.data(), late.data()};
    clearLog();
    EXPECT_EQ(fxrtRunHost(graph, in, 2, out, 4), FXRT_OK) << fxrtLastError();
    EXPECT_EQ(fxrtDestroy(graph), FXRT_OK);
  });
  std::vector<std::string> log = getLog({"wait", "start"});
  ASSERT_EQ(log.size(), 4u);
  auto number = [](const std::string &line, const std::string &key) {
    return std::stoi(line.substr(line.find(key) + key.size()));
  };
  int communication = number(log[0], "stream="), main = number(log[0], "for=");
  EXPECT_NE(communication, main);
  EXPECT_EQ(log[1], "start all_reduce count=2 type=7 op=0 rank=0/1 stream=" + std::to_string(communication));
  EXPECT_EQ(log[2], "start all_reduce count=1 type=7 op=0 rank=0/1 stream=" + std::to_string(communication));
  EXPECT_EQ(log[3], "wait stream=" + std::to_string(main) + " for=" + std::to_string(communication));
}

TEST_F(CollectiveTest, CapturesWithItsStream) {
  onRanks(2, [&](int rank, FxrtProcessGroup *group) {
    FxrtGraph *graph = loadFor(planOfOne("all_reduce", "max", nullptr, "f32", 4, 2, 2), group);
    void *x = nullptr, *y = nullptr;
    ASSERT_EQ(fxrtMalloc(&x, 8), FXRT_OK);
    ASSERT_EQ(fxrtMalloc(&y, 8), FXRT_OK);
    FxrtCapture *capture = nullptr;
    ASSERT_EQ(fxrtCapture(graph, &x, 1, &y, 1, nullptr, 0, &capture), FXRT_OK) << fxrtLastError();
    for (float base : {1.f, 10.f}) {
      std::vector<float> values = {base + rank, base - rank};
      ASSERT_EQ(fxrtCopyToDevice(x, values.data(), 8, nullptr), FXRT_OK);
      EXPECT_EQ(fxrtReplay(capture, nullptr), FXRT_OK) << fxrtLastError();
      ASSERT_EQ(fxrtCopyToHost(values.data(), y, 8, nullptr), FXRT_OK);
      EXPECT_EQ(values, (std::vector<float>{base + 1, base}));
    }
    EXPECT_EQ(fxrtDestroyCapture(capture), FXRT_OK);
    EXPECT_EQ(fxrtDestroy(graph), FXRT_OK);
    fxrtFree(x);
    fxrtFree(y);
  });
}

TEST_F(CollectiveTest, GroupsOutliveTheirHandles) {
  onRanks(2, [&](int rank, FxrtProcessGroup *group) {
    FxrtGraph *graph = loadFor(planOfOne("all_reduce", "sum", nullptr, "f32", 4, 1, 1), group);
    FxrtProcessGroup *again = nullptr;
    std::array<char, FXRT_UNIQUE_ID_BYTES> id;
    ASSERT_EQ(fxrtGetUniqueId(id.data()), FXRT_OK);
    ASSERT_EQ(fxrtProcessGroupCreate(id.data(), 0, 1, &again), FXRT_OK);
    FxrtProcessGroup *copy = nullptr;
    EXPECT_EQ(fxrtProcessGroupCopy(again, &copy), FXRT_OK) << fxrtLastError();
    EXPECT_EQ(fxrtProcessGroupDestroy(again), FXRT_OK);
    EXPECT_EQ(fxrtSetProcessGroup(graph, "0", again), FXRT_INVALID_ARGUMENT);
    EXPECT_EQ(fxrtSetProcessGroup(graph, "0", copy), FXRT_OK) << fxrtLastError();
    EXPECT_EQ(fxrtProcessGroupDestroy(copy), FXRT_OK);
    float x = 2.f + rank, y = 0;
    void *in = &x, *out = &y;
    EXPECT_EQ(fxrtRunHost(graph, &in, 1, &out, 1), FXRT_OK) << fxrtLastError();
    EXPECT_EQ(y, x) << "alone in the group";
    EXPECT_EQ(fxrtDestroy(graph), FXRT_OK);
  });
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(CollectiveTest, GroupsThatDoNotFit) {
  FxrtGraph *graph = load(planOfOne("all_gather", nullptr, 2, "f32", 4, 1, 2));
  FxrtGraph *plain = load(emptyPlan());
  size_t count = 0;
  const char *name = nullptr;
  uint64_t size = 0;
  EXPECT_EQ(fxrtGetGroupCount(graph, &count), FXRT_OK);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(fxrtGetGroup(graph, 0, &name, &size), FXRT_OK);
  EXPECT_STREQ(name, "0");
  EXPECT_EQ(size, 2u);
  EXPECT_FAILS(fxrtGetGroup(plain, 0, &name, &size), FXRT_INVALID_ARGUMENT,
               "fxrtGetGroup: expected a group below 0 but got 0");
  float x = 1, y[2];
  void *in = &x, *out = y;
  EXPECT_FAILS(fxrtRunHost(graph, &in, 1, &out, 1), FXRT_INVALID_ARGUMENT,
               "fxrtRunHost: graph 'test': expected a communicator for group '0' but none was set");
  onRanks(1, [&](int, FxrtProcessGroup *group) {
    EXPECT_FAILS(fxrtSetProcessGroup(graph, "0", group), FXRT_INVALID_ARGUMENT,
                 "fxrtSetProcessGroup: graph 'test': expected a communicator of 2 processes for group '0' but got one "
                 "of 1");
    EXPECT_FAILS(fxrtSetProcessGroup(graph, "tp", group), FXRT_INVALID_ARGUMENT,
                 "fxrtSetProcessGroup: graph 'test': expected a group of '0' but got 'tp'");
    EXPECT_FAILS(fxrtSetProcessGroup(plain, "0", group), FXRT_INVALID_ARGUMENT,
                 "fxrtSetProcessGroup: graph 'test': expected a graph with collectives but it has none");
    EXPECT_EQ(fxrtSetProcessGroup(graph, nullptr, group), FXRT_INVALID_ARGUMENT);
  });
  EXPECT_FAILS(fxrtSetProcessGroup(graph, "0", nullptr), FXRT_INVALID_ARGUMENT,
               "fxrtSetProcessGroup: expected a live process group but got null");
  EXPECT_FAILS(fxrtSetProcessGroup(graph, "0", reinterpret_cast<FxrtProcessGroup *>(graph)), FXRT_INVALID_ARGUMENT,
               "fxrtSetProcessGroup: expected a live process group but got a handle that was destroyed or never made");
  EXPECT_EQ(fxrtProcessGroupDestroy(nullptr), FXRT_OK);
  EXPECT_FAILS(fxrtProcessGroupWrap(nullptr, nullptr), FXRT_INVALID_ARGUMENT,
               "fxrtProcessGroupWrap: expected a place for the process group but got null");
}

TEST_F(CollectiveTest, RanksThatDoNotFit) {
  std::array<char, FXRT_UNIQUE_ID_BYTES> id;
  ASSERT_EQ(fxrtGetUniqueId(id.data()), FXRT_OK);
  FxrtProcessGroup *group = nullptr;
  EXPECT_FAILS(fxrtProcessGroupCreate(id.data(), 2, 2, &group), FXRT_INVALID_ARGUMENT,
               "fxrtProcessGroupCreate: expected a rank from 0 to size - 1 but got rank 2 of size 2");
  EXPECT_FAILS(fxrtProcessGroupCreate(id.data(), 0, 0, &group), FXRT_INVALID_ARGUMENT,
               "fxrtProcessGroupCreate: expected a rank from 0 to size - 1 but got rank 0 of size 0");
  // The other rank never joins.
  setenv("FXGRAPH_MOCK_PATIENCE_MS", "50", 1);
  EXPECT_FAILS_WITH(fxrtProcessGroupCreate(id.data(), 0, 2, &group), FXRT_LIBRARY_ERROR,
                    "ncclCommInitRank failed: remote process exited or there was a network error (6); another process "
                    "has ended or cannot be reached");
  unsetenv("FXGRAPH_MOCK_PATIENCE_MS");
}

TEST_F(CollectiveTest, OtherCollectivesOnOtherRanks) {
  onRanks(2, [&](int rank, FxrtProcessGroup *group) {
    FxrtGraph *graph = loadFor(planOfOne("all_reduce", rank ? "max" : "sum", nullptr, "f32", 4, 1, 1), group);
    float x = 1, y = 0;
    void *in = &x, *out = &y;
    EXPECT_EQ(fxrtRunHost(graph, &in, 1, &out, 1), FXRT_DRIVER_ERROR);
    // And so it stays.
    EXPECT_FAILS_WITH(
        fxrtRunHost(graph, &in, 1, &out, 1), FXRT_LIBRARY_ERROR,
        "graph 'test', step 0 (all_reduce of group '0'): an earlier collective failed: invalid usage (5)");
    EXPECT_EQ(fxrtDestroy(graph), FXRT_OK);
  });
}

TEST_F(CollectiveTest, FailingCallsNameTheStep) {
  onRanks(1, [&](int, FxrtProcessGroup *group) {
    FxrtGraph *graph = loadFor(overlappingPlan(), group);
    std::vector<float> x = {1, 2}, w = {3}, y(2), v(1);
    std::vector<uint8_t> early(8), late(8);
    void *in[] = {x.data(), w.data()}, *out[] = {y.data(), v.data(), early.data(), late.data()};
    setenv("FXGRAPH_MOCK_FAIL", "ncclAllReduce=3@2", 1);
    EXPECT_FAILS_WITH(fxrtRunHost(graph, in, 2, out, 4), FXRT_LIBRARY_ERROR,
                      "step 0 (all_reduce of group '0'): ncclAllReduce failed: reported by the mock (3)");
    unsetenv("FXGRAPH_MOCK_FAIL");
    // The group of calls was closed.
    EXPECT_EQ(fxrtRunHost(graph, in, 2, out, 4), FXRT_OK) << fxrtLastError();
    EXPECT_EQ(fxrtDestroy(graph), FXRT_OK);
  });
}

TEST_F(CollectiveTest, MemoryStaysUntilWhatWasStartedHasEnded) {
  onRanks(1, [&](int, FxrtProcessGroup *group) {
    FxrtGraph *graph = loadFor(overlappingPlan(), group);
    std::vector<float> x = {1, 2}, w = {3}, y(2), v(1);
    std::vector<uint8_t> early(8), late(8);
    void *in[] = {x.data(), w.data()}, *out[] = {y.data(), v.data(), early.data(), late.data()};
    // Between the start and its wait.
    setenv("FXGRAPH_MOCK_FAIL", "cuMemcpyDtoDAsync_v2=719@1", 1);
    EXPECT_FAILS_WITH(fxrtRunHost(graph, in, 2, out, 4), FXRT_DRIVER_ERROR, "step 1 (copy)");
    unsetenv("FXGRAPH_MOCK_FAIL");
    // The mock would have found the memory gone.
    EXPECT_EQ(fxrtRunHost(graph, in, 2, out, 4), FXRT_OK) << fxrtLastError();
    EXPECT_EQ(fxrtDestroy(graph), FXRT_OK);
  });
}

TEST_F(CollectiveTest, ADeviceOfAnother) {
  setenv("FXGRAPH_MOCK_DEVICES", "2", 1);
  FxrtGraph *graph = load(planOfOne("all_reduce", "sum", nullptr, "f32", 4, 1, 1));
  std::thread([&] {
    ASSERT_EQ(fxrtSetDevice(1), FXRT_OK) << fxrtLastError();
    std::array<char, FXRT_UNIQUE_ID_BYTES> id;
    ASSERT_EQ(fxrtGetUniqueId(id.data()), FXRT_OK);
    FxrtProcessGroup *group = nullptr;
    ASSERT_EQ(fxrtProcessGroupCreate(id.data(), 0, 1, &group), FXRT_OK) << fxrtLastError();
    EXPECT_FAILS(
        fxrtSetProcessGroup(graph, "0", group), FXRT_INVALID_ARGUMENT,
        "fxrtSetProcessGroup: graph 'test': expected a communicator on device 0, where the graph is, for group "
        "'0' but got one on device 1");
    EXPECT_EQ(fxrtProcessGroupDestroy(group), FXRT_OK);
  }).join();
  unsetenv("FXGRAPH_MOCK_DEVICES");
}

TEST_F(CollectiveTest, WithoutNccl) {
  // In a fresh process: a library that was opened stays.
  EXPECT_EXIT(
      {
        setenv("FXGRAPH_NCCL", "libnothing.so.2", 1);
        char id[FXRT_UNIQUE_ID_BYTES];
        int status = fxrtGetUniqueId(id);
        fprintf(stderr, "%s\n", fxrtLastError());
        exit(status);
      },
      testing::ExitedWithCode(FXRT_LIBRARY_ERROR),
      "fxrtGetUniqueId: cannot open NCCL: libnothing.so.2: cannot open shared object file: No such file or directory; "
      "install it, add its folder to LD_LIBRARY_PATH, or name the library in FXGRAPH_NCCL");
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

TEST_F(CollectiveTest, PlansThatAreNone) {
  struct {
    const char *path;
    Json value;
    const char *message;
  } cases[] = {
      {"/steps/0/kind", "gather",
       "plan.steps[0].kind: expected one of 'all_reduce', 'all_gather', 'reduce_scatter', 'broadcast', 'all_to_all' but "
       "got 'gather'"},
      {"/steps/0/kind", "broadcast", "plan.steps[0].reduce_op: has no meaning for broadcast"},
      {"/steps/0/src", 0, "plan.steps[0].src: has no meaning for all_reduce"},
      {"/steps/0/taken", {1}, "plan.steps[0].taken: has no meaning for all_reduce"},
      {"/steps/0/reduce_op", nullptr, "plan.steps[0]: missing field 'reduce_op'"},
      {"/steps/0/reduce_op", "xor",
       "plan.steps[0].reduce_op: expected one of 'sum', 'avg', 'product', 'min', 'max' but got 'xor'"},
      {"/steps/0/group_size", 0, "plan.steps[0].group_size: expected an integer from 1 to 2147483647 but got 0"},
      {"/steps/0/group", nullptr, "plan.steps[0]: missing field 'group'"},
      {"/steps/0/tensors", Json::array(), "plan.steps[0].tensors: expected at least one tensor"},
      {"/steps/0/tensors/0/dtype", "i16",
       "plan.steps[0].tensors[0].dtype: expected f16, bf16, f32, f64, i8, i32 or i64, signed or not, but got i16"},
      {"/steps/0/tensors/0/elements", 3,
       "plan.steps[0].tensors[0].input: needs 12 bytes but the buffer has 8 from "
       "offset 0 on"},
      {"/steps/0/tensors/0/output", ref("input"),
       "plan.steps[0].tensors[0].output: input 0 cannot be written: it is not marked mutated"},
      {"/steps/0/tensors/0/input", ref("input", 0, 2),
       "plan.steps[0].tensors[0].input: needs 8 bytes but the buffer has 6 from offset 2 on"},
      {"/steps/1/steps", Json::array(), "plan.steps[1].steps: expected at least one collective"},
      {"/steps/1/steps", {1}, "plan.steps[1].steps[0]: expected the number of an earlier collective but got 1"},
      {"/steps/1",
       {{"op", "fill"}, {"to", ref("output")}, {"bytes", 1}, {"byte", 0}},
       "plan.steps: expected a wait for step 0 (all_reduce of group '0') but got none"},
  };
  for (auto &test : cases) {
    SCOPED_TRACE(test.message);
    Json plan = planOfOne("all_reduce", "sum", nullptr, "f32", 4, 2, 2);
    Json::json_pointer path(test.path);
    if (test.value.is_null())
      plan[path.parent_pointer()].erase(path.back());
    else
      plan[path] = test.value;
    std::string text = plan.dump();
    EXPECT_FAILS(fxrtCheckPlan(text.data(), text.size()), FXRT_INVALID_PLAN,
                 (std::string("fxrtCheckPlan: launch plan: ") + test.message).c_str());
  }
  auto check = [&](const Json &plan, const char *message) {
    std::string text = plan.dump();
    EXPECT_FAILS(fxrtCheckPlan(text.data(), text.size()), FXRT_INVALID_PLAN,
                 (std::string("fxrtCheckPlan: launch plan: ") + message).c_str());
  };
  check(planOfOne("all_reduce", "avg", nullptr, "i32", 4, 2, 2),
        "plan.steps[0].tensors[0].dtype: expected f16, bf16, f32 or f64 for a mean but got i32");
  check(planOfOne("all_gather", "sum", 2, "f32", 4, 1, 2), "plan.steps[0].reduce_op: has no meaning for all_gather");
  check(planOfOne("all_gather", nullptr, nullptr, "f32", 4, 1, 2), "plan.steps[0]: missing field 'group_size'");
  check(planOfOne("all_gather", nullptr, 3, "f32", 4, 1, 2),
        "plan.steps[0].tensors[0].output: needs 12 bytes but the buffer has 8 from offset 0 on");
  check(planOfOne("broadcast", nullptr, nullptr, "f32", 4, 2, 2), "plan.steps[0]: missing field 'src'");
  Json plan = planOfOne("broadcast", nullptr, 2, "f32", 4, 2, 2);
  plan["steps"][0]["src"] = 2;
  check(plan, "plan.steps[0].src: expected a rank below 2 but got 2");
  plan = planOfOne("all_to_all", nullptr, 2, "f32", 4, 2, 2);
  plan["steps"][0]["given"] = {1, 1};
  plan["steps"][0]["taken"] = {2};
  check(plan, "plan.steps[0].taken: expected counts for 2 processes but got 1");
  plan["steps"][0]["taken"] = {2, 1};
  check(plan, "plan.steps[0].tensors[0].output: needs 12 bytes but the buffer has 8 from offset 0 on");
  plan["steps"][0]["taken"] = {0, 1};
  plan["steps"][0]["given"] = {0, 1};
  check(plan, "plan.steps[0].tensors[0].elements: expected 1, which is given in all, but got 2");
  plan = planOfOne("reduce_scatter", "sum", 2, "f32", 4, 4, 2);
  plan["steps"][0]["tensors"][0]["input"] = ref("output");
  plan["outputs"][0] = tensor("y", "f32", {4}, 4);
  check(plan, "plan.steps[0].tensors[0]: the input and the output overlap");
  // In place a reduction to the same place is fine.
  plan = planOfOne("all_reduce", "sum", nullptr, "f32", 4, 2, 2);
  plan["steps"][0]["tensors"][0]["input"] = ref("output");
  std::string text = plan.dump();
  EXPECT_EQ(fxrtCheckPlan(text.data(), text.size()), FXRT_OK) << fxrtLastError();
  // Sizes of a group that differ are seen when the graph is loaded.
  plan = planOfOne("all_gather", nullptr, 2, "f32", 4, 1, 2);
  plan["steps"].push_back(
      collectiveStep("all_gather", nullptr, 1, {collectiveTensor("f32", 1, ref("input"), ref("output"))}));
  plan["steps"].push_back(waitStep({2}));
  FxrtGraph *graph = nullptr;
  EXPECT_EQ(tryLoad(plan, &graph), FXRT_INVALID_PLAN);
  EXPECT_STREQ(fxrtLastError(), "fxrtLoad: step 2 (all_gather of group '0'): expected 2 processes in group '0', as an "
                                "earlier step says, but got 1");
}
