//===- GraphTest.cpp - Load, launch, copy, fill, capture ------------------===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MockFixture.h"

#include <thread>

using namespace fxgraph::runtime;
using namespace fxgraph::runtime::test;

// Bodies are empty: the mock reads declarations only.
static const char *const ptx = R"(
//
// .visible .entry commented_out() { ret; }
.version 8.0
.target sm_90
.address_size 64
.visible .entry add(
  .param .u64 .ptr .global .align 16 add_param_0,
  .param .u64 add_param_1,
  .param .u64 add_param_2
) .maxntid 256, 1, 1
{ ret; }
.visible .entry scale(.param .u64 x, .param .u64 y, .param .f32 factor,
                      .param .u32 count) { ret; }
.visible .entry mixed(.param .b64 n, .param .f64 d, .param .b32 i) { ret; }
.visible .entry table(.param .align 8 .b8 t[24], .param .u64 out) { ret; }
.visible .entry tma(.param .align 64 .b8 m[256]) { ret; }
.visible .entry nothing() { ret; }
)";

static constexpr int count = 64;

/// y = 2 (x + w): two kernels over the workspace.
static Json makeChainPlan() {
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("x", "f32", {count}, 4)};
  plan["outputs"] = {tensor("y", "f32", {count}, 4)};
  plan["constants"] = {{{"name", "w"}, {"offset", 16}, {"bytes", count * 4}}};
  plan["workspace_bytes"] = 512;
  plan["steps"] = {kernelStep("add", {ref("input"), ref("constant"), ref("workspace", 0, 256)}, {1, 2, 3}, {64, 1, 1}),
                   kernelStep("scale", {ref("workspace", 0, 256),
                                        ref("output"),
                                        {{"kind", "f32"}, {"value", 2.0}},
                                        {{"kind", "i32"}, {"value", count}}})};
  return plan;
}

static std::string makeChainConstants() {
  std::string blob(16 + count * 4, '\0');
  for (int i = 0; i < count; ++i) {
    float value = 100.0f * i;
    memcpy(&blob[16 + 4 * i], &value, 4);
  }
  return blob;
}

static float *asFloats(void *parameter) { return *static_cast<float **>(parameter); }

static void addKernel(const unsigned *, const unsigned *, void **params, void *) {
  for (int i = 0; i < count; ++i)
    asFloats(params[2])[i] = asFloats(params[0])[i] + asFloats(params[1])[i];
}

static void scaleKernel(const unsigned *, const unsigned *, void **params, void *) {
  float factor = *static_cast<float *>(params[2]);
  int n = *static_cast<int *>(params[3]);
  for (int i = 0; i < n; ++i)
    asFloats(params[1])[i] = asFloats(params[0])[i] * factor;
}

namespace {
class GraphTest : public MockTest {
protected:
  FxrtGraph *loadChain() {
    registerKernel("add", addKernel, nullptr);
    registerKernel("scale", scaleKernel, nullptr);
    return load(makeChainPlan(), ptx, makeChainConstants());
  }

  static std::vector<float> makeInput() {
    std::vector<float> values(count);
    for (int i = 0; i < count; ++i)
      values[i] = static_cast<float>(i);
    return values;
  }

  static std::vector<float> makeExpected() {
    std::vector<float> values(count);
    for (int i = 0; i < count; ++i)
      values[i] = 2.0f * (i + 100.0f * i);
    return values;
  }
};
} // namespace

TEST_F(GraphTest, LaunchesInOrderWithGridsAndArguments) {
  FxrtGraph *graph = loadChain();
  void *x = upload(makeInput());
  void *y = allocate(count * 4);
  void *workspace = allocate(512);
  void *stream = nullptr;
  ASSERT_EQ(fxrtStreamCreate(&stream), FXRT_OK);
  clearLog();
  ASSERT_EQ(fxrtRun(graph, &x, 1, &y, 1, workspace, 512, stream), FXRT_OK) << fxrtLastError();
  std::vector<std::string> log = getLog();
  ASSERT_EQ(log.size(), 2u);
  auto has = [&](size_t line, const std::string &part) {
    EXPECT_NE(log[line].find(part), std::string::npos) << log[line];
  };
  has(0, "launch name=add grid=1x2x3 block=64x1x1 shared=0 cluster=none "
         "programmatic=0 stream=");
  has(0, "args=3 [alloc");
  has(0, "+0x100]");
  has(1, "launch name=scale grid=4x1x1 block=128x1x1 shared=0 cluster=none "
         "programmatic=0 stream=");
  has(1, "args=4 [alloc");
  has(1, "+0x100, alloc");
  has(1, "+0x0, f32:2, i32:64]");
  EXPECT_EQ(log[0].find("stream=0 "), std::string::npos);
  EXPECT_EQ(download<float>(y, count), makeExpected());
  EXPECT_EQ(fxrtStreamDestroy(stream), FXRT_OK);
}

TEST_F(GraphTest, EnqueuesNothingButTheSteps) {
  FxrtGraph *graph = loadChain();
  void *x = upload(makeInput());
  void *y = allocate(count * 4);
  void *workspace = allocate(512);
  clearLog();
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(fxrtRun(graph, &x, 1, &y, 1, workspace, 512, nullptr), FXRT_OK);
  for (const std::string &line : getLog())
    EXPECT_EQ(line.compare(0, 7, "launch "), 0) << line;
}

TEST_F(GraphTest, RunsWithHostMemory) {
  FxrtGraph *graph = loadChain();
  std::vector<float> x = makeInput(), y(count, -1.0f);
  void *in = x.data(), *out = y.data();
  ASSERT_EQ(fxrtRunHost(graph, &in, 1, &out, 1), FXRT_OK) << fxrtLastError();
  EXPECT_EQ(y, makeExpected());
  EXPECT_EQ(x, makeInput());
}

TEST_F(GraphTest, RunHostWritesMutatedInputsBack) {
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("state", "i32", {4}, 4), tensor("other", "i32", {4}, 4)};
  plan["inputs"][0]["mutated"] = true;
  plan["steps"] = {{{"op", "fill"}, {"to", ref("input", 0)}, {"bytes", 16}, {"word", 7}}};
  FxrtGraph *graph = load(plan);
  std::vector<int> state(4, 1), other(4, 2);
  void *in[] = {state.data(), other.data()};
  ASSERT_EQ(fxrtRunHost(graph, in, 2, nullptr, 0), FXRT_OK) << fxrtLastError();
  EXPECT_EQ(state, std::vector<int>(4, 7));
  EXPECT_EQ(other, std::vector<int>(4, 2));
}

/// A step stands for the kernel that writes its number into the error word, or not.
static Json makeFailingPlan(int word) {
  Json plan = emptyPlan();
  plan["outputs"] = {tensor("y", "i32", {4}, 4)};
  plan["workspace_bytes"] = 260;
  plan["error_word"] = 256;
  Json stand = {{"op", "fill"}, {"to", ref("workspace", 0, 256)}, {"bytes", 4}, {"word", word}};
  stand["loc"] = "model.py:3";
  plan["steps"] = {{{"op", "fill"}, {"to", ref("output", 0)}, {"bytes", 16}, {"word", 7}}, stand};
  return plan;
}

TEST_F(GraphTest, AnIndexOutOfRangeIsAnErrorOfTheRun) {
  FxrtGraph *fails = load(makeFailingPlan(2)), *fine = load(makeFailingPlan(0));
  void *y = allocate(16), *workspace = allocate(512);
  // The same workspace, before and after: a run forgets what the one before met.
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(fxrtRun(fails, nullptr, 0, &y, 1, workspace, 512, nullptr), FXRT_OK) << fxrtLastError();
    EXPECT_FAILS_WITH(fxrtCheckRun(fails, workspace, nullptr), FXRT_RUN_FAILED, "an index is out of range");
    EXPECT_NE(std::string(fxrtLastError()).find("step 1 (fill"), std::string::npos) << fxrtLastError();
    EXPECT_NE(std::string(fxrtLastError()).find("model.py:3"), std::string::npos) << fxrtLastError();
    ASSERT_EQ(fxrtRun(fine, nullptr, 0, &y, 1, workspace, 512, nullptr), FXRT_OK) << fxrtLastError();
    EXPECT_EQ(fxrtCheckRun(fine, workspace, nullptr), FXRT_OK) << fxrtLastError();
  }
  EXPECT_FAILS_WITH(fxrtCheckRun(fails, nullptr, nullptr), FXRT_INVALID_ARGUMENT, "expected the workspace of a run");

  // A call with memory of the host, and one with described tensors, say it themselves.
  std::vector<int> host(4, 1);
  void *out = host.data();
  EXPECT_FAILS_WITH(fxrtRunHost(fails, nullptr, 0, &out, 1), FXRT_RUN_FAILED, "an index is out of range");
  EXPECT_EQ(host, std::vector<int>(4, 1));
  EXPECT_EQ(fxrtRunHost(fine, nullptr, 0, &out, 1), FXRT_OK) << fxrtLastError();
  EXPECT_EQ(host, std::vector<int>(4, 7));
  FxTensorDesc described = {y, FX_I32, 1, {4}, {1}};
  EXPECT_FAILS_WITH(fxrtRunTensors(fails, nullptr, 0, &described, 1, nullptr), FXRT_RUN_FAILED, "out of range");
  EXPECT_EQ(fxrtRunTensors(fine, nullptr, 0, &described, 1, nullptr), FXRT_OK) << fxrtLastError();
}

/// A stream that somebody captures cannot be waited for: the call only enqueues, also
/// where an index may be out of range.
TEST_F(GraphTest, CallsInACaptureDoNotWait) {
  FxrtGraph *fails = load(makeFailingPlan(2));
  void *y = allocate(16), *stream = nullptr;
  ASSERT_EQ(fxrtStreamCreate(&stream), FXRT_OK);
  auto call = [&](const char *name) { return dlsym(mockLibrary, name); };
  auto begin = reinterpret_cast<int (*)(void *, int)>(call("cuStreamBeginCapture_v2"));
  auto end = reinterpret_cast<int (*)(void *, void **)>(call("cuStreamEndCapture"));
  auto destroy = reinterpret_cast<int (*)(void *)>(call("cuGraphDestroy"));
  FxTensorDesc described = {y, FX_I32, 1, {4}, {1}};
  struct Room {
    void *memory;
  } room = {allocate(1024)};
  FxRunOptions options = {};
  options.allocate = [](void *user, int, const FxTensorDesc *) { return static_cast<Room *>(user)->memory; };
  options.user = &room;
  options.stream = stream;
  void *captured = nullptr;
  ASSERT_EQ(begin(stream, 1), 0);
  EXPECT_EQ(fxrtRunTensors(fails, nullptr, 0, &described, 1, &options), FXRT_OK) << fxrtLastError();
  ASSERT_EQ(end(stream, &captured), 0);
  EXPECT_EQ(destroy(captured), 0);
  // The twin, outside of a capture.
  EXPECT_FAILS_WITH(fxrtRunTensors(fails, nullptr, 0, &described, 1, &options), FXRT_RUN_FAILED, "out of range");
  EXPECT_EQ(fxrtStreamDestroy(stream), FXRT_OK);
}

TEST_F(GraphTest, AnswersQueries) {
  FxrtGraph *graph = loadChain();
  const char *name = nullptr;
  size_t inputs = 0, outputs = 0, steps = 0, bytes = 0;
  EXPECT_EQ(fxrtGetName(graph, &name), FXRT_OK);
  EXPECT_STREQ(name, "test");
  EXPECT_EQ(fxrtGetCounts(graph, &inputs, &outputs, &steps), FXRT_OK);
  EXPECT_EQ(inputs, 1u);
  EXPECT_EQ(outputs, 1u);
  EXPECT_EQ(steps, 2u);
  EXPECT_EQ(fxrtGetWorkspaceBytes(graph, &bytes), FXRT_OK);
  EXPECT_EQ(bytes, 512u);
  FxrtTensorInfo info;
  ASSERT_EQ(fxrtGetInput(graph, 0, &info), FXRT_OK);
  EXPECT_STREQ(info.name, "x");
  EXPECT_STREQ(info.dtype, "f32");
  EXPECT_EQ(info.rank, 1);
  EXPECT_EQ(info.shape[0], count);
  EXPECT_EQ(info.strides[0], 1);
  EXPECT_EQ(info.bytes, 4u * count);
  EXPECT_EQ(info.align, 16u);
  EXPECT_EQ(info.mutated, 0);
  ASSERT_EQ(fxrtGetOutput(graph, 0, &info), FXRT_OK);
  EXPECT_STREQ(info.name, "y");
  EXPECT_FAILS(fxrtGetOutput(graph, 1, &info), FXRT_INVALID_ARGUMENT,
               "fxrtGetOutput: expected an output below 1 but got 1");
}

TEST_F(GraphTest, ChecksTheBuffersOfACall) {
  FxrtGraph *graph = loadChain();
  void *x = upload(makeInput());
  void *y = allocate(count * 4);
  void *workspace = allocate(1024);
  clearLog();
  EXPECT_FAILS(fxrtRun(graph, &x, 2, &y, 1, workspace, 512, nullptr), FXRT_INVALID_ARGUMENT,
               "fxrtRun: graph 'test' has 1 inputs but got 2");
  EXPECT_FAILS(fxrtRun(graph, &x, 1, &y, 0, workspace, 512, nullptr), FXRT_INVALID_ARGUMENT,
               "fxrtRun: graph 'test' has 1 outputs but got 0");
  EXPECT_FAILS(fxrtRun(graph, nullptr, 1, &y, 1, workspace, 512, nullptr), FXRT_INVALID_ARGUMENT,
               "fxrtRun: expected an array of inputs but got null");
  void *null = nullptr;
  EXPECT_FAILS(fxrtRun(graph, &null, 1, &y, 1, workspace, 512, nullptr), FXRT_INVALID_ARGUMENT,
               "fxrtRun: input 0 ('x') is null but has 256 bytes");
  void *odd = static_cast<char *>(y) + 4;
  EXPECT_FAILS(fxrtRun(graph, &x, 1, &odd, 1, workspace, 512, nullptr), FXRT_INVALID_ARGUMENT,
               "fxrtRun: output 0 ('y') must be aligned to 16 bytes: pass a "
               "copy of it, or compile with a smaller align");
  EXPECT_FAILS(fxrtRun(graph, &x, 1, &y, 1, workspace, 511, nullptr), FXRT_INVALID_ARGUMENT,
               "fxrtRun: graph 'test' needs 512 bytes of workspace but got "
               "511");
  EXPECT_FAILS(fxrtRun(graph, &x, 1, &y, 1, nullptr, 512, nullptr), FXRT_INVALID_ARGUMENT,
               "fxrtRun: the workspace is null but the graph needs 512 bytes");
  EXPECT_FAILS(fxrtRun(graph, &x, 1, &y, 1, static_cast<char *>(workspace) + 16, 600, nullptr), FXRT_INVALID_ARGUMENT,
               "fxrtRun: the workspace must be aligned to 256 bytes");
  EXPECT_TRUE(getLog().empty());
  EXPECT_EQ(fxrtRun(graph, &x, 1, &y, 1, workspace, 1024, nullptr), FXRT_OK);
}

TEST_F(GraphTest, SmallAlignmentIsAccepted) {
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("x", "i8", {3}, 1)};
  plan["inputs"][0]["align"] = 1;
  plan["outputs"] = {tensor("y", "i8", {3}, 1)};
  plan["outputs"][0]["align"] = 1;
  plan["steps"] = {{{"op", "copy"}, {"from", ref("input")}, {"to", ref("output")}, {"bytes", 3}}};
  FxrtGraph *graph = load(plan);
  char *memory = static_cast<char *>(upload(std::vector<char>{1, 2, 3, 4, 5, 6, 7}));
  void *x = memory, *y = memory + 3;
  EXPECT_EQ(fxrtRun(graph, &x, 1, &y, 1, nullptr, 0, nullptr), FXRT_OK) << fxrtLastError();
  EXPECT_EQ(download<char>(memory, 7), (std::vector<char>{1, 2, 3, 1, 2, 3, 7}));
}

TEST_F(GraphTest, EmptyTensorsMayBeNull) {
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("x", "f32", {0, 3}, 4)};
  plan["outputs"] = {tensor("y", "f32", {0}, 4)};
  plan["steps"] = {kernelStep("nothing", Json::array(), {0, 1, 1}),
                   {{"op", "copy"}, {"from", ref("input")}, {"to", ref("output")}, {"bytes", 0}},
                   {{"op", "fill"}, {"to", ref("output")}, {"bytes", 0}, {"byte", 1}}};
  FxrtGraph *graph = load(plan, ptx);
  void *null = nullptr;
  clearLog();
  EXPECT_EQ(fxrtRun(graph, &null, 1, &null, 1, nullptr, 0, nullptr), FXRT_OK) << fxrtLastError();
  EXPECT_TRUE(getLog().empty());
  EXPECT_EQ(fxrtRunHost(graph, &null, 1, &null, 1), FXRT_OK) << fxrtLastError();
}

TEST_F(GraphTest, ZeroGridsAreSkippedInEveryDimension) {
  for (std::vector<int> grid : {std::vector<int>{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}) {
    Json plan = emptyPlan();
    plan["steps"] = {kernelStep("nothing", Json::array(), grid), kernelStep("nothing", Json::array(), {2, 1, 1})};
    FxrtGraph *graph = load(plan, ptx);
    clearLog();
    EXPECT_EQ(fxrtRun(graph, nullptr, 0, nullptr, 0, nullptr, 0, nullptr), FXRT_OK) << fxrtLastError();
    std::vector<std::string> log = getLog({"launch"});
    ASSERT_EQ(log.size(), 1u);
    EXPECT_NE(log[0].find("grid=2x1x1"), std::string::npos);
  }
}

TEST_F(GraphTest, ScalarsReachTheKernelBitForBit) {
  Json plan = emptyPlan();
  plan["steps"] = {kernelStep(
      "mixed",
      {{{"kind", "i64"}, {"value", -3}}, {{"kind", "f64"}, {"value", 0.1}}, {{"kind", "i32"}, {"value", -1}}})};
  FxrtGraph *graph = load(plan, ptx);
  struct Seen {
    int64_t n;
    double d;
    int32_t i;
  } seen = {};
  registerKernel(
      "mixed",
      [](const unsigned *, const unsigned *, void **params, void *user) {
        Seen *seen = static_cast<Seen *>(user);
        memcpy(&seen->n, params[0], 8);
        memcpy(&seen->d, params[1], 8);
        memcpy(&seen->i, params[2], 4);
      },
      &seen);
  ASSERT_EQ(fxrtRun(graph, nullptr, 0, nullptr, 0, nullptr, 0, nullptr), FXRT_OK) << fxrtLastError();
  EXPECT_EQ(seen.n, -3);
  EXPECT_EQ(seen.d, 0.1);
  EXPECT_EQ(seen.i, -1);
}

TEST_F(GraphTest, PointerTablesAreArraysByValue) {
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("a", "f32", {8}, 4), tensor("b", "f32", {8}, 4)};
  plan["outputs"] = {tensor("y", "f32", {8}, 4)};
  plan["steps"] = {
      kernelStep("table", {{{"kind", "pointers"}, {"buffers", {ref("input", 1), ref("input", 0, 16), ref("output")}}},
                           ref("output")})};
  FxrtGraph *graph = load(plan, ptx);
  void *seen[3] = {};
  registerKernel(
      "table", [](const unsigned *, const unsigned *, void **params, void *user) { memcpy(user, params[0], 24); },
      seen);
  void *in[] = {allocate(32), allocate(32)};
  void *out = allocate(32);
  ASSERT_EQ(fxrtRun(graph, in, 2, &out, 1, nullptr, 0, nullptr), FXRT_OK) << fxrtLastError();
  EXPECT_EQ(seen[0], in[1]);
  EXPECT_EQ(seen[1], static_cast<char *>(in[0]) + 16);
  EXPECT_EQ(seen[2], out);
}

TEST_F(GraphTest, TensorMapsAreEncodedForTheCallsAddresses) {
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("a", "bf16", {8, 16}, 2), tensor("b", "bf16", {8, 16}, 2)};
  plan["steps"] = {kernelStep("tma", {{{"kind", "tensor_map"},
                                       {"buffers", {ref("input", 0), ref("input", 1)}},
                                       {"dtype", "bf16"},
                                       {"dims", {16, 8}},
                                       {"strides_bytes", {32}},
                                       {"box", {16, 4}},
                                       {"swizzle", "128b"},
                                       {"l2_promotion", "256b"}}})};
  FxrtGraph *graph = load(plan, ptx);
  uint64_t seen[32] = {};
  registerKernel(
      "tma", [](const unsigned *, const unsigned *, void **params, void *user) { memcpy(user, params[0], 256); }, seen);
  void *in[] = {allocate(256), allocate(256)};
  ASSERT_EQ(fxrtRun(graph, in, 2, nullptr, 0, nullptr, 0, nullptr), FXRT_OK) << fxrtLastError();
  for (int i = 0; i < 2; ++i) {
    const uint64_t *map = seen + 16 * i;
    EXPECT_EQ(map[0], reinterpret_cast<uint64_t>(in[i]));
    // bf16, rank 2, 128-byte swizzle, 256-byte promotion.
    EXPECT_EQ(map[1], 9u | 2u << 8 | 3u << 16 | 3u << 24);
    EXPECT_EQ(map[2], 16u);
    EXPECT_EQ(map[3], 8u);
    EXPECT_EQ(map[7], 16u | uint64_t(1) << 32);
    EXPECT_EQ(map[8], 4u | uint64_t(1) << 32);
    EXPECT_EQ(map[12], 32u);
  }
}

TEST_F(GraphTest, LargeSharedMemoryIsAskedForOnceAtLoad) {
  Json plan = emptyPlan();
  Json large = kernelStep("nothing", Json::array());
  large["shared_bytes"] = 100000;
  Json larger = large;
  larger["shared_bytes"] = 200000;
  Json small = kernelStep("nothing", Json::array());
  small["shared_bytes"] = 49152;
  plan["steps"] = {small, larger, large};
  FxrtGraph *graph = load(plan, ptx);
  EXPECT_EQ(getLog({"attribute"}), std::vector<std::string>{"attribute name=nothing 8=200000"});
  EXPECT_EQ(fxrtRun(graph, nullptr, 0, nullptr, 0, nullptr, 0, nullptr), FXRT_OK) << fxrtLastError();
  plan["steps"][0]["shared_bytes"] = 300000;
  FxrtGraph *none = nullptr;
  EXPECT_FAILS(tryLoad(plan, &none, ptx), FXRT_UNSUPPORTED,
               "fxrtLoad: step 0 (kernel 'nothing'): the kernel wants 300000 "
               "bytes of shared memory but the device has 232448 per block");
}

TEST_F(GraphTest, ClustersAndProgrammaticLaunches) {
  Json plan = emptyPlan();
  Json cluster = kernelStep("nothing", Json::array(), {16, 2, 1});
  cluster["cluster"] = {16, 1, 1};
  Json both = kernelStep("nothing", Json::array(), {4, 2, 1});
  both["cluster"] = {2, 2, 1};
  both["programmatic"] = true;
  Json programmatic = kernelStep("nothing", Json::array());
  programmatic["programmatic"] = true;
  plan["steps"] = {cluster, both, programmatic};
  FxrtGraph *graph = load(plan, ptx);
  EXPECT_EQ(getLog({"attribute"}), std::vector<std::string>{"attribute name=nothing 14=1"});
  ASSERT_EQ(fxrtRun(graph, nullptr, 0, nullptr, 0, nullptr, 0, nullptr), FXRT_OK) << fxrtLastError();
  EXPECT_EQ(getLog({"launch"}),
            (std::vector<std::string>{"launch name=nothing grid=16x2x1 block=128x1x1 shared=0 "
                                      "cluster=16x1x1 programmatic=0 stream=0 args=0 []",
                                      "launch name=nothing grid=4x2x1 block=128x1x1 shared=0 "
                                      "cluster=2x2x1 programmatic=1 stream=0 args=0 []",
                                      "launch name=nothing grid=4x1x1 block=128x1x1 shared=0 cluster=none "
                                      "programmatic=1 stream=0 args=0 []"}));
}

// Drivers that cannot capture such launches run one kernel after the other.
TEST_F(GraphTest, ProgrammaticLaunchesOfOldDrivers) {
  setenv("FXGRAPH_MOCK_VERSION", "12020", 1);
  Json plan = emptyPlan();
  Json programmatic = kernelStep("nothing", Json::array());
  programmatic["programmatic"] = true;
  plan["steps"] = {programmatic};
  FxrtGraph *graph = load(plan, ptx);
  unsetenv("FXGRAPH_MOCK_VERSION");
  ASSERT_EQ(fxrtRun(graph, nullptr, 0, nullptr, 0, nullptr, 0, nullptr), FXRT_OK) << fxrtLastError();
  EXPECT_EQ(getLog({"launch"}),
            std::vector<std::string>{"launch name=nothing grid=4x1x1 block=128x1x1 shared=0 cluster=none "
                                     "programmatic=0 stream=0 args=0 []"});
}

//===----------------------------------------------------------------------===//
// Loading that fails
//===----------------------------------------------------------------------===//

TEST_F(GraphTest, MissingKernelIsNamed) {
  Json plan = emptyPlan();
  plan["steps"] = {kernelStep("nothing", Json::array()), kernelStep("absent", Json::array(), {0, 1, 1})};
  plan["steps"][1]["loc"] = "model.py:3";
  FxrtGraph *graph = nullptr;
  EXPECT_FAILS(tryLoad(plan, &graph, ptx), FXRT_NOT_FOUND,
               "fxrtLoad: step 1 (kernel 'absent', model.py:3): the device "
               "image has no kernel 'absent'");
  EXPECT_EQ(graph, nullptr);
}

TEST_F(GraphTest, ArgumentsAreComparedWithTheKernel) {
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("x", "f32", {4}, 4)};
  FxrtGraph *graph = nullptr;
  plan["steps"] = {kernelStep("add", {ref("input"), ref("input")})};
  EXPECT_FAILS(tryLoad(plan, &graph, ptx), FXRT_INVALID_PLAN,
               "fxrtLoad: step 0 (kernel 'add'): the plan passes 2 arguments "
               "but the kernel takes more");
  plan["steps"] = {kernelStep("add", {ref("input"), ref("input"), ref("input"), ref("input")})};
  EXPECT_FAILS(tryLoad(plan, &graph, ptx), FXRT_INVALID_PLAN,
               "fxrtLoad: step 0 (kernel 'add'): the plan passes 4 arguments "
               "but the kernel takes 3");
  plan["steps"] = {kernelStep("add", {ref("input"), ref("input"), {{"kind", "i32"}, {"value", 1}}})};
  EXPECT_FAILS(tryLoad(plan, &graph, ptx), FXRT_INVALID_PLAN,
               "fxrtLoad: step 0 (kernel 'add'): argument 2 has 4 bytes but "
               "the kernel's parameter has 8");
}

TEST_F(GraphTest, TooManyThreadsForTheKernel) {
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("x", "f32", {4}, 4)};
  plan["steps"] = {kernelStep("add", {ref("input"), ref("input"), ref("input")}, {1, 1, 1}, {257, 1, 1})};
  FxrtGraph *graph = nullptr;
  EXPECT_FAILS(tryLoad(plan, &graph, ptx), FXRT_INVALID_PLAN,
               "fxrtLoad: step 0 (kernel 'add'): the block has 257 threads but "
               "the kernel was compiled for at most 256");
}

TEST_F(GraphTest, ParametersBeyondTheHardwareLimit) {
  Json plan = emptyPlan();
  plan["workspace_bytes"] = 256;
  Json buffers = Json::array();
  for (int i = 0; i < 4096; ++i)
    buffers.push_back(ref("workspace"));
  plan["steps"] = {kernelStep("table", {{{"kind", "pointers"}, {"buffers", buffers}}})};
  FxrtGraph *graph = nullptr;
  EXPECT_FAILS(tryLoad(plan, &graph, ptx), FXRT_INVALID_PLAN,
               "fxrtLoad: step 0 (kernel 'table'): the arguments exceed the "
               "32764 bytes that a kernel may take");
}

TEST_F(GraphTest, ImagesThatAreNone) {
  Json plan = emptyPlan();
  plan["steps"] = {kernelStep("nothing", Json::array())};
  FxrtGraph *graph = nullptr;
  EXPECT_FAILS(tryLoad(plan, &graph), FXRT_INVALID_ARGUMENT,
               "fxrtLoad: the plan has kernel steps but no device image was "
               "given");
  EXPECT_FAILS(tryLoad(plan, &graph, "hello"), FXRT_INVALID_ARGUMENT,
               "fxrtLoad: expected the device image to be PTX text, a cubin or "
               "a fatbin but it is none of them");
  EXPECT_FAILS(tryLoad(plan, &graph, ".version 8.0\n.target sm_90\n.entry f() {"), FXRT_DRIVER_ERROR,
               "fxrtLoad: cuLibraryLoadData failed for graph 'test' (the driver's log: "
               "mock: unbalanced braces): CUDA_ERROR_INVALID_PTX (218): reported by the "
               "mock driver; the PTX does not assemble; the driver's log, if any, names "
               "the line");
}

TEST_F(GraphTest, CubinsAndFatbinsGoToTheDriver) {
  Json plan = emptyPlan();
  plan["steps"] = {kernelStep("anything", Json::array())};
  std::string text = plan.dump();
  for (std::string magic : {std::string("\x7f"
                                        "ELF"),
                            std::string("\x50\xed\x55\xba")}) {
    std::string image = magic + std::string(100, '\0');
    FxrtGraph *graph = nullptr;
    ASSERT_EQ(fxrtLoad(text.data(), text.size(), image.data(), image.size(), nullptr, 0, &graph), FXRT_OK)
        << fxrtLastError();
    EXPECT_EQ(fxrtRun(graph, nullptr, 0, nullptr, 0, nullptr, 0, nullptr), FXRT_OK) << fxrtLastError();
    EXPECT_EQ(fxrtDestroy(graph), FXRT_OK);
  }
}

TEST_F(GraphTest, ImagesForOtherChips) {
  Json plan = emptyPlan();
  plan["steps"] = {kernelStep("nothing", Json::array())};
  std::string cubin = "\x7f"
                      "ELF" +
                      std::string(100, '\0');
  auto tryChip = [&](const char *chip, const char *device, bool isCubin) {
    plan["chip"] = chip;
    setenv("FXGRAPH_MOCK_CHIP", device, 1);
    std::string text = plan.dump();
    FxrtGraph *graph = nullptr;
    int status = fxrtLoad(text.data(), text.size(), isCubin ? cubin.data() : ptx, isCubin ? cubin.size() : strlen(ptx),
                          nullptr, 0, &graph);
    if (status == FXRT_OK) {
      fxrtDestroy(graph);
    }
    return status;
  };
  // PTX runs on newer chips, a cubin within its generation, "a" nowhere else.
  EXPECT_EQ(tryChip("sm_80", "sm_90", false), FXRT_OK);
  EXPECT_EQ(tryChip("sm_80", "sm_90", true), FXRT_UNSUPPORTED);
  EXPECT_EQ(tryChip("sm_80", "sm_86", true), FXRT_OK);
  EXPECT_EQ(tryChip("sm_86", "sm_80", true), FXRT_UNSUPPORTED);
  EXPECT_EQ(tryChip("sm_90a", "sm_90", false), FXRT_OK);
  EXPECT_EQ(tryChip("sm_90a", "sm_100", false), FXRT_UNSUPPORTED);
  EXPECT_EQ(tryChip("sm_100f", "sm_103", false), FXRT_OK);
  EXPECT_EQ(tryChip("sm_100f", "sm_120", false), FXRT_UNSUPPORTED);
  EXPECT_EQ(tryChip("any", "sm_75", false), FXRT_OK);
  EXPECT_EQ(tryChip("sm_90", "sm_80", false), FXRT_UNSUPPORTED);
  EXPECT_STREQ(fxrtLastError(), "fxrtLoad: graph 'test' was compiled for sm_90 but the device "
                                "(Mock GPU 0) is sm_80; compile it for this chip");
}

TEST_F(GraphTest, ConstantsMustLieInTheBlob) {
  FxrtGraph *graph = nullptr;
  std::string blob = makeChainConstants();
  blob.pop_back();
  EXPECT_FAILS(tryLoad(makeChainPlan(), &graph, ptx, blob), FXRT_INVALID_ARGUMENT,
               "fxrtLoad: constant 0 ('w') lies in bytes 16 to 272 but the "
               "constants have 271 bytes");
}

TEST_F(GraphTest, EveryConstantHasItsPlace) {
  Json plan = emptyPlan();
  plan["constants"] = {{{"name", "a"}, {"offset", 3}, {"bytes", 2}},
                       {{"name", "none"}, {"offset", 9}, {"bytes", 0}},
                       {{"name", "b"}, {"offset", 0}, {"bytes", 4}}};
  plan["outputs"] = {tensor("y", "ui8", {5}, 1)};
  plan["steps"] = {{{"op", "copy"}, {"from", ref("constant", 0)}, {"to", ref("output")}, {"bytes", 2}},
                   {{"op", "copy"}, {"from", ref("constant", 2, 1)}, {"to", ref("output", 0, 2)}, {"bytes", 3}}};
  FxrtGraph *graph = load(plan, nullptr, "ABCDEFGHI");
  std::string y(5, '.');
  void *out = &y[0];
  ASSERT_EQ(fxrtRunHost(graph, nullptr, 0, &out, 1), FXRT_OK) << fxrtLastError();
  EXPECT_EQ(y, "DEBCD");
}

TEST_F(GraphTest, InvalidPlanNeedsNoDriver) {
  EXPECT_FAILS(fxrtCheckPlan("{}", 2), FXRT_INVALID_PLAN,
               "fxrtCheckPlan: launch plan: plan: missing field "
               "'fxgraph-plan'");
  EXPECT_FAILS(fxrtCheckPlan(nullptr, 0), FXRT_INVALID_ARGUMENT, "fxrtCheckPlan: expected a launch plan but got null");
  std::string text = emptyPlan().dump();
  EXPECT_EQ(fxrtCheckPlan(text.data(), text.size()), FXRT_OK);
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

TEST_F(GraphTest, LoadedTwiceTheGraphsAreIndependent) {
  FxrtGraph *first = loadChain();
  FxrtGraph *second = loadChain();
  ASSERT_NE(first, second);
  release(first);
  ASSERT_EQ(fxrtDestroy(first), FXRT_OK);
  std::vector<float> x = makeInput(), y(count);
  void *in = x.data(), *out = y.data();
  ASSERT_EQ(fxrtRunHost(second, &in, 1, &out, 1), FXRT_OK) << fxrtLastError();
  EXPECT_EQ(y, makeExpected());
}

TEST_F(GraphTest, DeadAndForeignHandles) {
  FxrtGraph *graph = loadChain();
  release(graph);
  ASSERT_EQ(fxrtDestroy(graph), FXRT_OK);
  EXPECT_FAILS(fxrtDestroy(graph), FXRT_INVALID_ARGUMENT,
               "fxrtDestroy: expected a live graph but got a handle that was "
               "destroyed or never made");
  size_t bytes = 0;
  EXPECT_FAILS(fxrtGetWorkspaceBytes(nullptr, &bytes), FXRT_INVALID_ARGUMENT,
               "fxrtGetWorkspaceBytes: expected a live graph but got null");
  int local = 0;
  EXPECT_EQ(fxrtRun(reinterpret_cast<FxrtGraph *>(&local), nullptr, 0, nullptr, 0, nullptr, 0, nullptr),
            FXRT_INVALID_ARGUMENT);
  EXPECT_EQ(fxrtReplay(reinterpret_cast<FxrtCapture *>(&local), nullptr), FXRT_INVALID_ARGUMENT);
  EXPECT_EQ(fxrtDestroy(nullptr), FXRT_OK);
  EXPECT_EQ(fxrtDestroyCapture(nullptr), FXRT_OK);
}

TEST_F(GraphTest, PlacesForResultsMayNotBeNull) {
  FxrtGraph *graph = loadChain();
  std::string text = emptyPlan().dump();
  EXPECT_EQ(fxrtLoad(text.data(), text.size(), nullptr, 0, nullptr, 0, nullptr), FXRT_INVALID_ARGUMENT);
  EXPECT_EQ(fxrtGetName(graph, nullptr), FXRT_INVALID_ARGUMENT);
  EXPECT_EQ(fxrtGetInput(graph, 0, nullptr), FXRT_INVALID_ARGUMENT);
  EXPECT_EQ(fxrtGetWorkspaceBytes(graph, nullptr), FXRT_INVALID_ARGUMENT);
  EXPECT_EQ(fxrtGetCounts(graph, nullptr, nullptr, nullptr), FXRT_OK);
  EXPECT_EQ(fxrtMalloc(nullptr, 1), FXRT_INVALID_ARGUMENT);
  EXPECT_EQ(fxrtDeviceCount(nullptr), FXRT_INVALID_ARGUMENT);
  EXPECT_EQ(fxrtGetDeviceInfo(0, nullptr), FXRT_INVALID_ARGUMENT);
  EXPECT_EQ(fxrtStreamCreate(nullptr), FXRT_INVALID_ARGUMENT);
  EXPECT_EQ(fxrtLoadFiles(nullptr, nullptr, nullptr, &graph), FXRT_INVALID_ARGUMENT);
  EXPECT_EQ(fxrtCapture(nullptr, nullptr, 0, nullptr, 0, nullptr, 0, nullptr), FXRT_INVALID_ARGUMENT);
  EXPECT_EQ(fxrtCopyToDevice(nullptr, &graph, 1, nullptr), FXRT_INVALID_ARGUMENT);
  EXPECT_EQ(fxrtCopyToHost(&graph, nullptr, 1, nullptr), FXRT_INVALID_ARGUMENT);
}

TEST_F(GraphTest, LoadsFiles) {
  std::string base = logPath + ".graph";
  std::ofstream(base + ".json") << makeChainPlan().dump();
  std::ofstream(base + ".ptx") << ptx;
  std::ofstream(base + ".bin") << makeChainConstants();
  registerKernel("add", addKernel, nullptr);
  registerKernel("scale", scaleKernel, nullptr);
  FxrtGraph *graph = nullptr;
  ASSERT_EQ(fxrtLoadFiles((base + ".json").c_str(), (base + ".ptx").c_str(), (base + ".bin").c_str(), &graph), FXRT_OK)
      << fxrtLastError();
  std::vector<float> x = makeInput(), y(count);
  void *in = x.data(), *out = y.data();
  EXPECT_EQ(fxrtRunHost(graph, &in, 1, &out, 1), FXRT_OK) << fxrtLastError();
  EXPECT_EQ(y, makeExpected());
  EXPECT_EQ(fxrtDestroy(graph), FXRT_OK);
  EXPECT_FAILS(fxrtLoadFiles("/nonexistent/plan.json", nullptr, nullptr, &graph), FXRT_NOT_FOUND,
               "fxrtLoadFiles: cannot read '/nonexistent/plan.json': No such "
               "file or directory");
  EXPECT_FAILS_WITH(fxrtLoadFiles("/tmp", nullptr, nullptr, &graph), FXRT_NOT_FOUND, "cannot read '/tmp'");
  for (const char *suffix : {".json", ".ptx", ".bin"})
    std::remove((base + suffix).c_str());
}

//===----------------------------------------------------------------------===//
// Copies and fills
//===----------------------------------------------------------------------===//

TEST_F(GraphTest, CopiesAndFillsWriteExactlyTheirBytes) {
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("x", "ui8", {16}, 1)};
  plan["outputs"] = {tensor("y", "ui8", {24}, 1)};
  plan["steps"] = {{{"op", "fill"}, {"to", ref("output")}, {"bytes", 24}, {"byte", 0x11}},
                   {{"op", "fill"}, {"to", ref("output", 0, 4)}, {"bytes", 8}, {"word", -2}},
                   {{"op", "copy"}, {"from", ref("input", 0, 3)}, {"to", ref("output", 0, 17)}, {"bytes", 5}}};
  FxrtGraph *graph = load(plan);
  std::vector<uint8_t> x(16), y(24, 0);
  for (int i = 0; i < 16; ++i)
    x[i] = static_cast<uint8_t>(i);
  void *in = x.data(), *out = y.data();
  ASSERT_EQ(fxrtRunHost(graph, &in, 1, &out, 1), FXRT_OK) << fxrtLastError();
  EXPECT_EQ(y, (std::vector<uint8_t>{0x11, 0x11, 0x11, 0x11, 0xfe, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff,
                                     0x11, 0x11, 0x11, 0x11, 0x11, 3,    4,    5,    6,    7,    0x11, 0x11}));
}

TEST_F(GraphTest, CopiesWithinOneBuffer) {
  Json plan = emptyPlan();
  plan["outputs"] = {tensor("y", "ui8", {8}, 1)};
  plan["steps"] = {{{"op", "fill"}, {"to", ref("output")}, {"bytes", 4}, {"byte", 9}},
                   {{"op", "copy"}, {"from", ref("output")}, {"to", ref("output", 0, 4)}, {"bytes", 4}}};
  FxrtGraph *graph = load(plan);
  std::vector<uint8_t> y(8);
  void *out = y.data();
  ASSERT_EQ(fxrtRunHost(graph, nullptr, 0, &out, 1), FXRT_OK) << fxrtLastError();
  EXPECT_EQ(y, std::vector<uint8_t>(8, 9));
}

//===----------------------------------------------------------------------===//
// Driver failures
//===----------------------------------------------------------------------===//

TEST_F(GraphTest, FailingLaunchSaysWhichStepAndWhatToDo) {
  FxrtGraph *graph = loadChain();
  void *x = upload(makeInput());
  void *y = allocate(count * 4);
  void *workspace = allocate(512);
  setenv("FXGRAPH_MOCK_FAIL", "cuLaunchKernel=700@2", 1);
  EXPECT_FAILS(fxrtRun(graph, &x, 1, &y, 1, workspace, 512, nullptr), FXRT_DRIVER_ERROR,
               "fxrtRun: graph 'test', step 1 (kernel 'scale'): cuLaunchKernel failed "
               "for grid 4x1x1, block 128x1x1, 0 bytes of shared memory: "
               "CUDA_ERROR_ILLEGAL_ADDRESS (700): reported by the mock driver; an "
               "earlier kernel read or wrote outside its buffers; check the sizes of "
               "the buffers passed in, then run under compute-sanitizer");
}

TEST_F(GraphTest, UnknownErrorCodesAreReportedByNumber) {
  setenv("FXGRAPH_MOCK_FAIL", "cuMemAlloc_v2=12345", 1);
  void *pointer = nullptr;
  EXPECT_FAILS(fxrtMalloc(&pointer, 16), FXRT_DRIVER_ERROR,
               "fxrtMalloc: cuMemAlloc failed for 16 bytes: unknown error "
               "(12345)");
}

TEST_F(GraphTest, EveryFailingDriverCallGivesAStatusAndLeaksNothing) {
  Json plan = makeChainPlan();
  plan["steps"][0]["shared_bytes"] = 100000;
  Json cluster = kernelStep("nothing", Json::array());
  cluster["cluster"] = {2, 1, 1};
  plan["steps"].push_back(cluster);
  plan["steps"].push_back({{"op", "copy"}, {"from", ref("input")}, {"to", ref("output")}, {"bytes", 16}});
  plan["steps"].push_back({{"op", "fill"}, {"to", ref("output")}, {"bytes", 16}, {"byte", 1}});
  plan["steps"].push_back({{"op", "fill"}, {"to", ref("output")}, {"bytes", 16}, {"word", 1}});
  std::string text = plan.dump(), constants = makeChainConstants();
  // What a whole life of a graph calls, and for each call the statuses that
  // mention it.
  for (const char *call : {"cuCtxGetCurrent",         "cuLibraryLoadData",    "cuLibraryGetKernel",
                           "cuKernelGetFunction",     "cuKernelSetAttribute", "cuMemAlloc_v2",
                           "cuMemcpyHtoDAsync_v2",    "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoDAsync_v2",
                           "cuMemsetD8Async",         "cuMemsetD32Async",     "cuLaunchKernel",
                           "cuLaunchKernelEx",        "cuStreamCreate",       "cuStreamSynchronize",
                           "cuStreamBeginCapture_v2", "cuStreamEndCapture",   "cuGraphInstantiateWithFlags",
                           "cuGraphLaunch",           "cuEventCreate",        "cuEventRecord"}) {
    setenv("FXGRAPH_MOCK_FAIL", (std::string(call) + "=2").c_str(), 1);
    int live = liveObjects();
    bool failed = false;
    std::string shortName = call;
    shortName = shortName.substr(0, shortName.find("_v2"));
    if (shortName == "cuGraphInstantiateWithFlags")
      shortName = "cuGraphInstantiate";
    auto note = [&](int status) {
      if (status == FXRT_OK)
        return true;
      failed = true;
      EXPECT_EQ(status, FXRT_OUT_OF_MEMORY) << call << ": " << fxrtLastError();
      EXPECT_NE(std::string(fxrtLastError()).find(shortName + " failed"), std::string::npos) << fxrtLastError();
      return false;
    };
    FxrtGraph *graph = nullptr;
    if (note(fxrtLoad(text.data(), text.size(), ptx, strlen(ptx), constants.data(), constants.size(), &graph))) {
      std::vector<float> x(count), y(count);
      void *in = x.data(), *out = y.data();
      note(fxrtRunHost(graph, &in, 1, &out, 1));
      unsetenv("FXGRAPH_MOCK_FAIL");
      void *deviceX = nullptr, *deviceY = nullptr, *workspace = nullptr;
      fxrtMalloc(&deviceX, count * 4);
      fxrtMalloc(&deviceY, count * 4);
      fxrtMalloc(&workspace, 512);
      setenv("FXGRAPH_MOCK_FAIL", (std::string(call) + "=2").c_str(), 1);
      FxrtTiming timing;
      note(fxrtTime(graph, &deviceX, 1, &deviceY, 1, workspace, 512, nullptr, 1, 2,
                    FXRT_TIME_FLUSH_L2 | FXRT_TIME_CAPTURED, &timing, nullptr));
      unsetenv("FXGRAPH_MOCK_FAIL");
      fxrtFree(deviceX);
      fxrtFree(deviceY);
      fxrtFree(workspace);
      fxrtDestroy(graph);
    }
    unsetenv("FXGRAPH_MOCK_FAIL");
    EXPECT_TRUE(failed) << call << " was never called";
    if (strcmp(call, "cuStreamEndCapture") != 0) {
      EXPECT_EQ(liveObjects(), live) << call;
    }
  }
}

TEST_F(GraphTest, OutOfMemoryHasItsOwnStatus) {
  void *pointer = nullptr;
  EXPECT_FAILS_WITH(fxrtMalloc(&pointer, size_t(1) << 40), FXRT_OUT_OF_MEMORY,
                    "free device memory or run a smaller batch");
  EXPECT_EQ(pointer, nullptr);
}

//===----------------------------------------------------------------------===//
// A driver that is not there (in a process of its own: the driver is opened
// once)
//===----------------------------------------------------------------------===//

[[noreturn]] static void exitUnless(bool condition) {
  if (!condition)
    std::fprintf(stderr, "unexpected: %s\n", fxrtLastError());
  std::fflush(stderr);
  std::_Exit(condition ? 42 : 1);
}

static int loadEmpty() {
  std::string text = emptyPlan().dump();
  FxrtGraph *graph = nullptr;
  return fxrtLoad(text.data(), text.size(), nullptr, 0, nullptr, 0, &graph);
}

TEST(NoDriver, IsAStatusThatNamesTheLibraryAndTheVariable) {
  EXPECT_EXIT(
      {
        setenv("FXGRAPH_CUDA_DRIVER", "/nonexistent/libcuda.so", 1);
        int status = loadEmpty();
        std::string message = fxrtLastError();
        exitUnless(status == FXRT_NO_DRIVER &&
                   message.find("fxrtLoad: cannot open the CUDA driver: "
                                "/nonexistent/libcuda.so: ") == 0 &&
                   message.find("name the library in FXGRAPH_CUDA_DRIVER") != std::string::npos);
      },
      testing::ExitedWithCode(42), "");
}

TEST(NoDriver, EveryFunctionSurvives) {
  EXPECT_EXIT(
      {
        setenv("FXGRAPH_CUDA_DRIVER", "/nonexistent/libcuda.so", 1);
        int number = 0;
        void *pointer = nullptr;
        FxrtDeviceInfo info;
        bool good = fxrtDeviceCount(&number) == FXRT_NO_DRIVER && fxrtGetDeviceInfo(0, &info) == FXRT_NO_DRIVER &&
                    fxrtSetDevice(0) == FXRT_NO_DRIVER && fxrtMalloc(&pointer, 1) == FXRT_NO_DRIVER &&
                    fxrtFree(&number) == FXRT_NO_DRIVER && fxrtStreamCreate(&pointer) == FXRT_NO_DRIVER &&
                    fxrtStreamSynchronize(nullptr) == FXRT_NO_DRIVER &&
                    fxrtFill(&number, 0, 1, nullptr) == FXRT_NO_DRIVER;
        // A failed attempt is not remembered.
        setenv("FXGRAPH_CUDA_DRIVER", FXGRAPH_MOCK_LIBRARY, 1);
        good = good && fxrtDeviceCount(&number) == FXRT_OK && number == 1;
        exitUnless(good);
      },
      testing::ExitedWithCode(42), "");
}

TEST(NoDriver, ALibraryThatIsNoDriver) {
  EXPECT_EXIT(
      {
        setenv("FXGRAPH_CUDA_DRIVER", "libm.so.6", 1);
        int status = loadEmpty();
        exitUnless(status == FXRT_NO_DRIVER && std::string(fxrtLastError()) ==
                                                   "fxrtLoad: the CUDA driver has no cuInit; expected a "
                                                   "driver of CUDA 12.0 (525) or newer: update it");
      },
      testing::ExitedWithCode(42), "");
}

TEST(NoDriver, NoDevice) {
  EXPECT_EXIT(
      {
        setenv("FXGRAPH_MOCK_FAIL", "cuInit=100", 1);
        int status = loadEmpty();
        exitUnless(status == FXRT_NO_DRIVER && std::string(fxrtLastError()) ==
                                                   "fxrtLoad: cuInit failed: CUDA_ERROR_NO_DEVICE (100): "
                                                   "reported by the mock driver; no GPU is visible; check "
                                                   "nvidia-smi and CUDA_VISIBLE_DEVICES");
      },
      testing::ExitedWithCode(42), "");
}

TEST(NoDriver, ZeroDevices) {
  EXPECT_EXIT(
      {
        setenv("FXGRAPH_MOCK_DEVICES", "0", 1);
        exitUnless(loadEmpty() == FXRT_NO_DRIVER);
      },
      testing::ExitedWithCode(42), "");
}

//===----------------------------------------------------------------------===//
// Devices, threads
//===----------------------------------------------------------------------===//

TEST_F(GraphTest, DeviceInformation) {
  int devices = 0;
  ASSERT_EQ(fxrtDeviceCount(&devices), FXRT_OK);
  EXPECT_EQ(devices, 1);
  FxrtDeviceInfo info;
  for (int ordinal : {-1, 0}) {
    ASSERT_EQ(fxrtGetDeviceInfo(ordinal, &info), FXRT_OK) << fxrtLastError();
    EXPECT_STREQ(info.name, "Mock GPU 0");
    EXPECT_STREQ(info.chip, "sm_90");
    EXPECT_EQ(info.ordinal, 0);
    EXPECT_EQ(info.multiprocessors, 132);
    EXPECT_EQ(info.driverVersion, 13000);
    EXPECT_GT(info.memoryBytes, 0u);
  }
  EXPECT_FAILS_WITH(fxrtGetDeviceInfo(5, &info), FXRT_DRIVER_ERROR, "no device has this number");
  EXPECT_FAILS(fxrtSetDevice(5), FXRT_INVALID_ARGUMENT, "fxrtSetDevice: expected a device below 1 but got 5");
}

TEST_F(GraphTest, MemoryHelpers) {
  void *pointer = &pointer;
  EXPECT_EQ(fxrtMalloc(&pointer, 0), FXRT_OK);
  EXPECT_EQ(pointer, nullptr);
  EXPECT_EQ(fxrtFree(nullptr), FXRT_OK);
  void *memory = allocate(8);
  EXPECT_EQ(fxrtFill(memory, 5, 8, nullptr), FXRT_OK);
  EXPECT_EQ(download<char>(memory, 8), std::vector<char>(8, 5));
  EXPECT_EQ(fxrtCopyToDevice(nullptr, nullptr, 0, nullptr), FXRT_OK);
  EXPECT_EQ(fxrtCopyToHost(nullptr, nullptr, 0, nullptr), FXRT_OK);
  EXPECT_EQ(fxrtFill(nullptr, 0, 0, nullptr), FXRT_OK);
  EXPECT_EQ(fxrtStreamSynchronize(nullptr), FXRT_OK);
  EXPECT_EQ(fxrtStreamDestroy(nullptr), FXRT_OK);
}

TEST_F(GraphTest, ThreadsRunOneGraphAtOnce) {
  FxrtGraph *graph = loadChain();
  std::vector<std::thread> threads;
  std::vector<std::vector<float>> results(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      // No context is current on a new thread: the graph's is used.
      void *x = nullptr, *y = nullptr, *workspace = nullptr;
      fxrtMalloc(&x, count * 4);
      fxrtMalloc(&y, count * 4);
      fxrtMalloc(&workspace, 512);
      std::vector<float> input = makeInput();
      fxrtCopyToDevice(x, input.data(), count * 4, nullptr);
      for (int i = 0; i < 50; ++i)
        fxrtRun(graph, &x, 1, &y, 1, workspace, 512, nullptr);
      results[t].resize(count);
      fxrtCopyToHost(results[t].data(), y, count * 4, nullptr);
      fxrtFree(x);
      fxrtFree(y);
      fxrtFree(workspace);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::vector<float> &result : results)
    EXPECT_EQ(result, makeExpected());
}

TEST_F(GraphTest, LastErrorIsPerThread) {
  EXPECT_EQ(fxrtDestroyCapture(reinterpret_cast<FxrtCapture *>(this)), FXRT_INVALID_ARGUMENT);
  std::string other;
  std::thread([&] { other = fxrtLastError(); }).join();
  EXPECT_EQ(other, "");
  EXPECT_STRNE(fxrtLastError(), "");
}

//===----------------------------------------------------------------------===//
// Timing, CUDA graphs
//===----------------------------------------------------------------------===//

TEST_F(GraphTest, TimesCalls) {
  FxrtGraph *graph = loadChain();
  void *x = upload(makeInput());
  void *y = allocate(count * 4);
  void *workspace = allocate(512);
  for (int flags : {0, int(FXRT_TIME_FLUSH_L2), int(FXRT_TIME_CAPTURED), FXRT_TIME_FLUSH_L2 | FXRT_TIME_CAPTURED}) {
    clearLog();
    FxrtTiming timing = {};
    float samples[4] = {-1, -1, -1, -1};
    ASSERT_EQ(fxrtTime(graph, &x, 1, &y, 1, workspace, 512, nullptr,
                       /*warmup=*/2, /*repeats=*/4, flags, &timing, samples),
              FXRT_OK)
        << fxrtLastError();
    EXPECT_EQ(timing.repeats, 4);
    EXPECT_GE(timing.min, 0);
    EXPECT_LE(timing.min, timing.median);
    EXPECT_LE(timing.median, timing.max);
    EXPECT_LE(timing.mean, timing.max * (1 + 1e-6));
    for (float sample : samples) {
      EXPECT_GE(sample, static_cast<float>(timing.min));
      EXPECT_LE(sample, static_cast<float>(timing.max));
    }
    // Two kernels per call, 2 + 4 calls; the flush is one fill per repeat.
    EXPECT_EQ(getLog({"launch"}).size(), 12u);
    EXPECT_EQ(getLog({"fill"}).size(), flags & FXRT_TIME_FLUSH_L2 ? 4u : 0u);
    EXPECT_EQ(getLog({"replay"}).size(), flags & FXRT_TIME_CAPTURED ? 6u : 0u);
  }
  FxrtTiming timing;
  EXPECT_FAILS(fxrtTime(graph, &x, 1, &y, 1, workspace, 512, nullptr, 0, 0, 0, &timing, nullptr), FXRT_INVALID_ARGUMENT,
               "fxrtTime: expected 1 to 1000000 repeats but got 0");
  EXPECT_EQ(fxrtTime(graph, &x, 1, &y, 1, workspace, 512, nullptr, -1, 1, 0, &timing, nullptr), FXRT_INVALID_ARGUMENT);
  EXPECT_EQ(fxrtTime(graph, &x, 1, &y, 1, workspace, 512, nullptr, 0, 1, 8, &timing, nullptr), FXRT_INVALID_ARGUMENT);
}

TEST_F(GraphTest, CapturesOnceAndReplays) {
  FxrtGraph *graph = loadChain();
  void *x = upload(makeInput());
  void *y = allocate(count * 4);
  void *workspace = allocate(512);
  ASSERT_EQ(fxrtFill(y, 0, count * 4, nullptr), FXRT_OK);
  clearLog();
  FxrtCapture *capture = nullptr;
  ASSERT_EQ(fxrtCapture(graph, &x, 1, &y, 1, workspace, 512, &capture), FXRT_OK) << fxrtLastError();
  EXPECT_TRUE(getLog({"launch"}).empty());
  EXPECT_EQ(download<float>(y, count), std::vector<float>(count, 0));
  // The capture keeps what it needs of the graph.
  release(graph);
  ASSERT_EQ(fxrtDestroy(graph), FXRT_OK);
  ASSERT_EQ(fxrtReplay(capture, nullptr), FXRT_OK) << fxrtLastError();
  EXPECT_EQ(download<float>(y, count), makeExpected());
  // Replays read the buffers anew.
  std::vector<float> zeros(count, 0);
  ASSERT_EQ(fxrtCopyToDevice(x, zeros.data(), count * 4, nullptr), FXRT_OK);
  ASSERT_EQ(fxrtReplay(capture, nullptr), FXRT_OK);
  EXPECT_EQ(download<float>(y, 2)[1], 200.0f);
  EXPECT_EQ(getLog({"launch"}).size(), 4u);
  ASSERT_EQ(fxrtDestroyCapture(capture), FXRT_OK);
  EXPECT_EQ(fxrtDestroyCapture(capture), FXRT_INVALID_ARGUMENT);
  EXPECT_EQ(fxrtReplay(capture, nullptr), FXRT_INVALID_ARGUMENT);
}

TEST_F(GraphTest, CaptureChecksBuffersLikeARun) {
  FxrtGraph *graph = loadChain();
  FxrtCapture *capture = nullptr;
  EXPECT_FAILS(fxrtCapture(graph, nullptr, 0, nullptr, 0, nullptr, 0, &capture), FXRT_INVALID_ARGUMENT,
               "fxrtCapture: graph 'test' has 1 inputs but got 0");
  EXPECT_EQ(capture, nullptr);
}

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

/// Halves y, which begins as x, while its first element is at least 1, if p is true.
static Json makeHalvingPlan() {
  Json halve = kernelStep(
      "scale", {ref("output"), ref("output"), {{"kind", "f32"}, {"value", 0.5}}, {{"kind", "i32"}, {"value", count}}});
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("x", "f32", {count}, 4), tensor("p", "i1", {}, 1)};
  plan["outputs"] = {tensor("y", "f32", {count}, 4)};
  plan["workspace_bytes"] = 1;
  Json copy = {{"op", "copy"}, {"from", ref("input")}, {"to", ref("output")}, {"bytes", count * 4}};
  Json clear = {{"op", "fill"}, {"to", ref("output")}, {"bytes", count * 4}, {"byte", 0}};
  Json loop = {{"op", "loop"},
               {"condition", {kernelStep("mixed", {ref("output"), ref("workspace")})}},
               {"predicate", ref("workspace")},
               {"body", {halve}}};
  plan["steps"] = {{{"op", "branch"}, {"predicate", ref("input", 1)}, {"then", {copy, loop}}, {"else", {clear}}}};
  return plan;
}

static const char *const halvingPtx = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry scale(.param .u64 x, .param .u64 y, .param .f32 factor, .param .u32 count) { ret; }
.visible .entry mixed(.param .u64 x, .param .u64 p) { ret; }
)";

static void isLargeKernel(const unsigned *, const unsigned *, void **params, void *) {
  **static_cast<unsigned char **>(params[1]) = asFloats(params[0])[0] >= 1;
}

TEST_F(GraphTest, RunsTheStepsThatPredicatesSay) {
  registerKernel("scale", scaleKernel, nullptr);
  registerKernel("mixed", isLargeKernel, nullptr);
  FxrtGraph *graph = load(makeHalvingPlan(), halvingPtx);
  void *workspace = allocate(1), *y = allocate(count * 4);
  auto run = [&](float first, bool predicate) {
    void *inputs[] = {upload(std::vector<float>(count, first)), upload(std::vector<unsigned char>{predicate})};
    EXPECT_EQ(fxrtRun(graph, inputs, 2, &y, 1, workspace, 1, nullptr), FXRT_OK) << fxrtLastError();
    return download<float>(y, count)[0];
  };
  EXPECT_EQ(run(8, true), 0.5f);
  EXPECT_EQ(run(0.75, true), 0.75f); // No turn.
  EXPECT_EQ(run(8, false), 0.0f);
}

TEST_F(GraphTest, AFailingStepOfALoopIsNamed) {
  registerKernel("scale", scaleKernel, nullptr);
  registerKernel("mixed", isLargeKernel, nullptr);
  FxrtGraph *graph = load(makeHalvingPlan(), halvingPtx);
  void *workspace = allocate(1), *y = allocate(count * 4);
  void *inputs[] = {upload(std::vector<float>(count, 8)), upload(std::vector<unsigned char>{1})};
  setenv("FXGRAPH_MOCK_FAIL", "cuLaunchKernel=719@4", 1); // That of the second turn.
  EXPECT_FAILS_WITH(fxrtRun(graph, inputs, 2, &y, 1, workspace, 1, nullptr), FXRT_DRIVER_ERROR,
                    "graph 'test', step 4 (kernel 'scale'): cuLaunchKernel failed");
}

TEST_F(GraphTest, WhatTheHostDecidesIsNotCaptured) {
  FxrtGraph *graph = load(makeHalvingPlan(), halvingPtx);
  void *workspace = allocate(1), *y = allocate(count * 4);
  void *inputs[] = {upload(std::vector<float>(count, 8)), upload(std::vector<unsigned char>{1})};
  FxrtCapture *capture = nullptr;
  EXPECT_FAILS_WITH(
      fxrtCapture(graph, inputs, 2, &y, 1, workspace, 1, &capture), FXRT_UNSUPPORTED,
      "graph 'test', step 0 (branch): which steps run is known when they do: the graph cannot be captured");
  int can = 1;
  ASSERT_EQ(fxrtCanCapture(graph, &can), FXRT_OK);
  EXPECT_EQ(can, 0);
  ASSERT_EQ(fxrtCanCapture(loadChain(), &can), FXRT_OK);
  EXPECT_EQ(can, 1);
}

//===----------------------------------------------------------------------===//
// The shared library
//===----------------------------------------------------------------------===//

TEST(SharedLibrary, ExportsTheInterface) {
  void *library = dlopen(FXGRAPH_RUNTIME_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  for (const char *name : {"fxrtVersion",
                           "fxrtLastError",
                           "fxrtStatusName",
                           "fxrtDeviceCount",
                           "fxrtGetDeviceInfo",
                           "fxrtSetDevice",
                           "fxrtMalloc",
                           "fxrtFree",
                           "fxrtCopyToDevice",
                           "fxrtCopyToHost",
                           "fxrtFill",
                           "fxrtStreamCreate",
                           "fxrtStreamDestroy",
                           "fxrtStreamSynchronize",
                           "fxrtCheckPlan",
                           "fxrtLoad",
                           "fxrtLoadFiles",
                           "fxrtDestroy",
                           "fxrtGetName",
                           "fxrtGetCounts",
                           "fxrtGetInput",
                           "fxrtGetOutput",
                           "fxrtGetWorkspaceBytes",
                           "fxrtRun",
                           "fxrtCheckRun",
                           "fxrtRunHost",
                           "fxrtTime",
                           "fxrtCanCapture",
                           "fxrtCapture",
                           "fxrtReplay",
                           "fxrtDestroyCapture"})
    EXPECT_NE(dlsym(library, name), nullptr) << name;
  auto version = reinterpret_cast<int (*)()>(dlsym(library, "fxrtVersion"));
  EXPECT_EQ(version(), FXRT_VERSION);
  auto checkPlan = reinterpret_cast<int (*)(const char *, size_t)>(dlsym(library, "fxrtCheckPlan"));
  EXPECT_EQ(checkPlan("{", 1), FXRT_INVALID_PLAN);
}

TEST(StatusName, EveryStatusHasOne) {
  EXPECT_STREQ(fxrtStatusName(FXRT_OK), "ok");
  for (int status = 0; status <= FXRT_RUN_FAILED; ++status)
    EXPECT_STRNE(fxrtStatusName(status), "unknown status");
  EXPECT_STREQ(fxrtStatusName(99), "unknown status");
}
