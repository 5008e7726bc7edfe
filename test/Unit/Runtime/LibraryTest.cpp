//===- LibraryTest.cpp - Matrix products and convolutions -----------------===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps run on the mock libraries, which do what the descriptors say, and are
// compared with plain loops over row-major operands.
//
//===----------------------------------------------------------------------===//

#include "HostNumbers.h"
#include "MockFixture.h"

#include <cmath>

using namespace fxgraph::runtime;
using namespace fxgraph::runtime::mock;
using namespace fxgraph::runtime::test;

namespace {

struct MatmulCase {
  int m, n, k, batch;
  const char *dtype, *dtypeOut;
  bool transA, transB;
  int padA, padB, padC, padD; ///< added to the leading dimensions
  double alpha, beta;
  const char *epilogue;
  bool separateC;
  bool sharedB; ///< batch stride 0
  bool batchedBias;
};

NumberType getType(const std::string &dtype) {
  if (dtype == "f16")
    return NumberType::F16;
  if (dtype == "bf16")
    return NumberType::BF16;
  return dtype == "f64" ? NumberType::F64 : NumberType::F32;
}

int getBytes(const std::string &dtype) { return dtype == "f64" ? 8 : dtype == "f32" ? 4 : 2; }

/// Small multiples of 1/4: exact in every type, and so are short sums of them.
struct HostMatrix {
  HostMatrix(const std::string &dtype, size_t elements, unsigned seed)
      : dtype(dtype), elements(elements), bytes(elements * getBytes(dtype)) {
    for (size_t i = 0; i < elements; ++i) {
      seed = seed * 1664525 + 1013904223;
      set(i, (int(seed >> 24 & 15) - 8) / 4.0);
    }
  }
  double get(size_t i) const { return loadNumber(getType(dtype), bytes.data(), i); }
  void set(size_t i, double value) { storeNumber(getType(dtype), bytes.data(), i, value); }
  Json describe(const std::string &name) const { return tensor(name, dtype, {int64_t(elements)}, getBytes(dtype)); }

  std::string dtype;
  size_t elements;
  std::vector<char> bytes;
};

struct ConvCase {
  const char *dtype, *layout;
  std::vector<int64_t> input, filter, stride, padding, dilation;
  int64_t groups;
  bool bias, relu;
};

class LibraryTest : public MockTest {
protected:
  void check(const MatmulCase &test);
  void checkConv(const ConvCase &test);
};

} // namespace

static double applyEpilogue(const std::string &epilogue, double value, double bias) {
  if (epilogue.find("bias") != std::string::npos)
    value += bias;
  if (epilogue.find("relu") == 0)
    value = value < 0 ? 0 : value;
  if (epilogue.find("gelu_tanh") == 0)
    value *= 0.5 * (1 + std::tanh(std::sqrt(2 / M_PI) * (value + 0.044715 * std::pow(value, 3))));
  return value;
}

void LibraryTest::check(const MatmulCase &test) {
  int rowsA = test.transA ? test.k : test.m, colsA = test.transA ? test.m : test.k;
  int rowsB = test.transB ? test.n : test.k, colsB = test.transB ? test.k : test.n;
  size_t lda = colsA + test.padA, ldb = colsB + test.padB;
  size_t ldc = test.n + test.padC, ldd = test.n + test.padD;
  // Strides of the batch with a gap.
  size_t strideA = rowsA * lda + 3, strideB = test.sharedB ? 0 : rowsB * ldb + 5;
  size_t strideC = test.m * ldc + 1, strideD = test.m * ldd + 2;
  size_t strideBias = test.batchedBias ? test.n + 1 : 0;
  HostMatrix a(test.dtype, strideA * test.batch, 1);
  HostMatrix b(test.dtype, strideB * test.batch + rowsB * ldb, 2);
  HostMatrix c(test.dtypeOut, strideC * test.batch, 3);
  HostMatrix d(test.dtypeOut, strideD * test.batch, 4);
  HostMatrix bias(test.dtypeOut, strideBias * test.batch + test.n, 5);
  bool hasBias = std::string(test.epilogue).find("bias") != std::string::npos;

  Json plan = emptyPlan();
  plan["inputs"] = {a.describe("a"), b.describe("b"), c.describe("c"), bias.describe("bias"), d.describe("d")};
  plan["inputs"][4]["mutated"] = true;
  plan["library_workspace_bytes"] = 512;
  Json step = {{"op", "matmul"},
               {"m", test.m},
               {"n", test.n},
               {"k", test.k},
               {"batch", test.batch},
               {"dtype", test.dtype},
               {"dtype_out", test.dtypeOut},
               {"trans_a", test.transA},
               {"trans_b", test.transB},
               {"lda", lda},
               {"ldb", ldb},
               {"ldd", ldd},
               {"stride_a", strideA},
               {"stride_b", strideB},
               {"stride_d", strideD},
               {"alpha", test.alpha},
               {"beta", test.beta},
               {"epilogue", test.epilogue},
               {"a", ref("input", 0)},
               {"b", ref("input", 1)},
               {"d", ref("input", 4)}};
  if (test.separateC) {
    step["c"] = ref("input", 2);
    step["ldc"] = ldc;
    step["stride_c"] = strideC;
  }
  if (hasBias) {
    step["bias"] = ref("input", 3);
    step["stride_bias"] = strideBias;
  }
  plan["steps"] = {step};
  FxrtGraph *graph = load(plan);
  ASSERT_NE(graph, nullptr);

  HostMatrix expected = d;
  for (int z = 0; z < test.batch; ++z)
    for (int i = 0; i < test.m; ++i)
      for (int j = 0; j < test.n; ++j) {
        double sum = 0;
        for (int l = 0; l < test.k; ++l)
          sum += a.get(z * strideA + (test.transA ? l * lda + i : i * lda + l)) *
                 b.get(z * strideB + (test.transB ? j * ldb + l : l * ldb + j));
        double value = test.alpha * sum;
        if (test.beta != 0)
          value += test.beta * (test.separateC ? c.get(z * strideC + i * ldc + j) : d.get(z * strideD + i * ldd + j));
        value = applyEpilogue(test.epilogue, value, hasBias ? bias.get(z * strideBias + j) : 0);
        expected.set(z * strideD + i * ldd + j, value);
      }
  void *in[] = {a.bytes.data(), b.bytes.data(), c.bytes.data(), bias.bytes.data(), d.bytes.data()};
  ASSERT_EQ(fxrtRunHost(graph, in, 5, nullptr, 0), FXRT_OK) << fxrtLastError();
  for (size_t i = 0; i < d.elements; ++i)
    // The last digit of gelu may differ with the order of its products.
    ASSERT_NEAR(d.get(i), expected.get(i), 1e-6 * std::fabs(expected.get(i))) << "element " << i;
}

TEST(HostNumbers, EveryHalfIsStoredAsItself) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    uint16_t from = static_cast<uint16_t>(bits), to = 0xaaaa;
    double value = loadNumber(NumberType::F16, &from, 0);
    storeNumber(NumberType::F16, &to, 0, value);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(loadNumber(NumberType::F16, &to, 0))) << bits;
    else
      EXPECT_EQ(to, from) << value;
  }
}

TEST(HostNumbers, HalvesAreRoundedToNearestEven) {
  const std::pair<double, uint16_t> cases[] = {
      {0.0, 0},          {-0.0, 0x8000},         {0x1p-25, 0},          {0x1.8p-25, 1},    {0x1.8p-24, 2},
      {1.0, 0x3c00},     {1 + 0x1p-11, 0x3c00},  {1 + 0x3p-11, 0x3c02}, {2047.75, 0x6800}, {65519.0, 0x7bff},
      {65520.0, 0x7c00}, {-0x1.ff8p-15, 0x83ff}, {0x1.ffep-15, 0x400}};
  for (const auto &[value, bits] : cases) {
    uint16_t to = 0xaaaa;
    storeNumber(NumberType::F16, &to, 0, value);
    EXPECT_EQ(to, bits) << value;
  }
}

TEST_F(LibraryTest, MatmulEveryTranspose) {
  for (bool transA : {false, true})
    for (bool transB : {false, true})
      for (int pad : {0, 3})
        check({5, 7, 3, 1, "f32", "f32", transA, transB, pad, pad + 1, 0, pad, 1, 0, "none", false, false, false});
}

TEST_F(LibraryTest, MatmulTypes) {
  const char *pairs[][2] = {{"f32", "f32"},   {"f64", "f64"}, {"f16", "f16"},
                            {"bf16", "bf16"}, {"f16", "f32"}, {"bf16", "f32"}};
  for (auto &pair : pairs)
    check({4, 6, 8, 1, pair[0], pair[1], false, true, 0, 0, 0, 0, 0.5, 0, "none", false, false, false});
}

TEST_F(LibraryTest, MatmulEpilogues) {
  for (const char *epilogue : {"none", "bias", "relu", "relu_bias", "gelu_tanh", "gelu_tanh_bias"})
    check({3, 5, 4, 1, "f32", "f32", false, false, 0, 0, 0, 0, 1, 0, epilogue, false, false, false});
}

TEST_F(LibraryTest, MatmulAlphaBetaAndC) {
  check({3, 5, 4, 1, "f32", "f32", false, false, 0, 0, 2, 1, 2, -0.5, "none", true, false, false});
  check({3, 5, 4, 1, "f64", "f64", false, false, 0, 0, 0, 1, -1, 0.25, "none", false, false, false});
}

TEST_F(LibraryTest, MatmulBatches) {
  check({3, 5, 4, 3, "f32", "f32", false, true, 1, 0, 0, 2, 1, 0, "none", false, false, false});
  check({3, 5, 4, 3, "f32", "f32", true, false, 0, 2, 1, 0, 1, 1, "bias", true, true, true});
  check({1, 1, 1, 2, "bf16", "bf16", false, false, 0, 0, 0, 0, 1, 0, "bias", false, false, false});
}

TEST_F(LibraryTest, MatmulWithNothingToAddUpIsZero) {
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("a", "f32", {0}, 4)};
  plan["outputs"] = {tensor("d", "f32", {2, 3, 4}, 4)};
  plan["steps"] = {{{"op", "matmul"},
                    {"m", 3},
                    {"n", 3},
                    {"k", 0},
                    {"batch", 2},
                    {"dtype", "f32"},
                    {"ldd", 4},
                    {"a", ref("input")},
                    {"b", ref("input")},
                    {"d", ref("output")}}};
  FxrtGraph *graph = load(plan);
  void *x = nullptr;
  void *y = upload(std::vector<float>(24, 5));
  ASSERT_EQ(fxrtRun(graph, &x, 1, &y, 1, nullptr, 0, nullptr), FXRT_OK) << fxrtLastError();
  std::vector<float> result = download<float>(y, 24);
  for (int i = 0; i < 24; ++i)
    EXPECT_EQ(result[i], i % 4 == 3 ? 5 : 0) << i;
}

static Json makeMatmulPlan(int m, int n, int k) {
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("a", "f32", {m, k}, 4), tensor("b", "f32", {k, n}, 4)};
  plan["outputs"] = {tensor("d", "f32", {m, n}, 4)};
  plan["steps"] = {{{"op", "matmul"},
                    {"m", m},
                    {"n", n},
                    {"k", k},
                    {"dtype", "f32"},
                    {"a", ref("input", 0)},
                    {"b", ref("input", 1)},
                    {"d", ref("output", 0)}}};
  return plan;
}

TEST_F(LibraryTest, EmptyMatmulsAreSkipped) {
  for (auto sizes : {std::array<int, 3>{0, 4, 4}, {4, 0, 4}}) {
    FxrtGraph *graph = load(makeMatmulPlan(sizes[0], sizes[1], sizes[2]));
    void *in[] = {allocate(64), allocate(64)};
    void *out = allocate(64);
    clearLog();
    EXPECT_EQ(fxrtRun(graph, in, 2, &out, 1, nullptr, 0, nullptr), FXRT_OK) << fxrtLastError();
    EXPECT_TRUE(getLog().empty());
  }
}

TEST_F(LibraryTest, TF32OnlyWhereThePlanAllowsIt) {
  Json plan = makeMatmulPlan(4, 4, 4);
  plan["library_workspace_bytes"] = 4096;
  load(plan);
  plan["allow_tf32"] = true;
  load(plan);
  // f32 computation, then fast TF32; reductions in the type of computation.
  EXPECT_EQ(getLog({"heuristic"}), (std::vector<std::string>{"heuristic compute=68 workspace=4096 reduction=2 "
                                                             "align=16,16,16,16",
                                                             "heuristic compute=77 workspace=4096 reduction=2 "
                                                             "align=16,16,16,16"}));
}

TEST_F(LibraryTest, TheHeuristicLearnsTheAlignmentOfEveryMatrix) {
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("a", "bf16", {100}, 2), tensor("b", "bf16", {100}, 2)};
  plan["inputs"][1]["align"] = 2;
  plan["outputs"] = {tensor("d", "bf16", {100}, 2)};
  plan["workspace_bytes"] = 256;
  plan["steps"] = {{{"op", "matmul"},
                    {"m", 4},
                    {"n", 4},
                    {"k", 4},
                    {"batch", 3},
                    {"stride_d", 20},
                    {"dtype", "bf16"},
                    {"a", ref("input", 0, 4)},
                    {"b", ref("input", 1)},
                    {"d", ref("output", 0)}}};
  load(plan);
  // cuBLASLt's A is our b; d's matrices are 40 bytes apart.
  EXPECT_EQ(getLog({"heuristic"}), std::vector<std::string>{"heuristic compute=68 workspace=0 "
                                                            "reduction=2 align=2,4,8,8"});
}

TEST_F(LibraryTest, LibraryWorkspaceFollowsTheIntermediates) {
  Json plan = makeMatmulPlan(4, 4, 4);
  plan["workspace_bytes"] = 300;
  plan["library_workspace_bytes"] = 1000;
  FxrtGraph *graph = load(plan);
  size_t bytes = 0;
  ASSERT_EQ(fxrtGetWorkspaceBytes(graph, &bytes), FXRT_OK);
  EXPECT_EQ(bytes, 512u + 1000u);
  void *in[] = {allocate(64), allocate(64)};
  void *out = allocate(64);
  void *workspace = allocate(bytes);
  EXPECT_EQ(fxrtRun(graph, in, 2, &out, 1, workspace, bytes, nullptr), FXRT_OK) << fxrtLastError();
}

TEST_F(LibraryTest, MatmulsAreCaptured) {
  Json plan = makeMatmulPlan(1, 1, 1);
  FxrtGraph *graph = load(plan);
  void *in[] = {upload(std::vector<float>{3}), upload(std::vector<float>{5})};
  void *out = upload(std::vector<float>{0});
  FxrtCapture *capture = nullptr;
  ASSERT_EQ(fxrtCapture(graph, in, 2, &out, 1, nullptr, 0, &capture), FXRT_OK) << fxrtLastError();
  EXPECT_EQ(download<float>(out, 1)[0], 0);
  ASSERT_EQ(fxrtReplay(capture, nullptr), FXRT_OK);
  EXPECT_EQ(download<float>(out, 1)[0], 15);
  EXPECT_EQ(fxrtDestroyCapture(capture), FXRT_OK);
}

TEST_F(LibraryTest, ProductsThatTheLibraryCannotDo) {
  setenv("FXGRAPH_MOCK_FAIL", "cublasLtMatmulAlgoGetHeuristic=15", 1);
  FxrtGraph *graph = nullptr;
  EXPECT_FAILS(tryLoad(makeMatmulPlan(4, 5, 6), &graph), FXRT_UNSUPPORTED,
               "fxrtLoad: step 0 (matmul): cuBLASLt has no algorithm for m=4 "
               "n=5 k=6 batch=1 f32 to f32 epilogue=none with these leading "
               "dimensions and alignments in 0 bytes of library workspace; "
               "give it more, or lower the product to a kernel");
}

TEST_F(LibraryTest, FailingLibraryCalls) {
  setenv("FXGRAPH_MOCK_FAIL", "cublasLtCreate=1", 1);
  FxrtGraph *graph = nullptr;
  EXPECT_FAILS(tryLoad(makeMatmulPlan(4, 5, 6), &graph), FXRT_LIBRARY_ERROR,
               "fxrtLoad: step 0 (matmul): cublasLtCreate failed: "
               "CUBLAS_STATUS_NOT_INITIALIZED (1); the CUDA context or the "
               "cuBLAS library is unusable: check that the driver is not older "
               "than the library");
  unsetenv("FXGRAPH_MOCK_FAIL");
  graph = load(makeMatmulPlan(4, 4, 4));
  void *in[] = {allocate(64), allocate(64)};
  void *out = allocate(64);
  setenv("FXGRAPH_MOCK_FAIL", "cublasLtMatmul=13", 1);
  EXPECT_FAILS(fxrtRun(graph, in, 2, &out, 1, nullptr, 0, nullptr), FXRT_LIBRARY_ERROR,
               "fxrtRun: graph 'test', step 0 (matmul): cublasLtMatmul failed: "
               "CUBLAS_STATUS_EXECUTION_FAILED (13)");
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
struct BiasCall {
  std::string dtype;
  int launches;
};
} // namespace

/// What the runtime's PTX does, on the host.
static void biasKernel(const unsigned *grid, const unsigned *block, void **params, void *user) {
  BiasCall &call = *static_cast<BiasCall *>(user);
  ++call.launches;
  void *y = *static_cast<void **>(params[0]);
  void *bias = *static_cast<void **>(params[1]);
  uint32_t scalars[4];
  for (int i = 0; i < 4; ++i)
    memcpy(&scalars[i], params[2 + i], 4);
  uint32_t total = scalars[0], inner = scalars[1], channels = scalars[2];
  NumberType type = getType(call.dtype);
  for (uint32_t i = 0; i < grid[0] * block[0] && i < total; ++i) {
    double value = loadNumber(type, y, i);
    if (scalars[3] & 1)
      value += loadNumber(type, bias, i / inner % channels);
    if (scalars[3] & 2)
      value = value < 0 ? 0 : value;
    storeNumber(type, y, i, value);
  }
}

/// Offset of an N, C, spatial index in memory.
static size_t getOffset(const std::vector<int64_t> &index, const std::vector<int64_t> &shape, bool channelsLast) {
  size_t offset = index[0];
  if (!channelsLast)
    offset = offset * shape[1] + index[1];
  for (size_t i = 2; i < shape.size(); ++i)
    offset = offset * shape[i] + index[i];
  return channelsLast ? offset * shape[1] + index[1] : offset;
}

static int64_t getElements(const std::vector<int64_t> &shape) {
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  return elements;
}

static Json makeConvPlan(const ConvCase &test, std::vector<int64_t> &output) {
  size_t spatial = test.stride.size();
  output = {test.input[0], test.filter[0]};
  for (size_t i = 0; i < spatial; ++i)
    output.push_back((test.input[i + 2] + 2 * test.padding[i] - (test.filter[i + 2] - 1) * test.dilation[i] - 1) /
                         test.stride[i] +
                     1);
  int bytes = getBytes(test.dtype);
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("x", test.dtype, {getElements(test.input)}, bytes),
                    tensor("w", test.dtype, {getElements(test.filter)}, bytes),
                    tensor("b", test.dtype, {test.filter[0]}, bytes)};
  plan["outputs"] = {tensor("y", test.dtype, {getElements(output)}, bytes)};
  Json step = {{"op", "conv"},
               {"dtype", test.dtype},
               {"layout", test.layout},
               {"input_shape", test.input},
               {"filter_shape", test.filter},
               {"stride", test.stride},
               {"padding", test.padding},
               {"dilation", test.dilation},
               {"groups", test.groups},
               {"activation", test.relu ? "relu" : "none"},
               {"input", ref("input", 0)},
               {"filter", ref("input", 1)},
               {"output", ref("output", 0)}};
  if (test.bias)
    step["bias"] = ref("input", 2);
  plan["steps"] = {step};
  return plan;
}

void LibraryTest::checkConv(const ConvCase &test) {
  std::vector<int64_t> output;
  Json plan = makeConvPlan(test, output);
  FxrtGraph *graph = load(plan);
  ASSERT_NE(graph, nullptr);
  BiasCall call{test.dtype, 0};
  registerKernel((std::string("fxgraph_bias_") + test.dtype).c_str(), biasKernel, &call);
  HostMatrix x(test.dtype, getElements(test.input), 11);
  HostMatrix w(test.dtype, getElements(test.filter), 12);
  HostMatrix b(test.dtype, test.filter[0], 13);
  HostMatrix y(test.dtype, getElements(output), 14);
  void *in[] = {x.bytes.data(), w.bytes.data(), b.bytes.data()};
  void *out = y.bytes.data();
  ASSERT_EQ(fxrtRunHost(graph, in, 3, &out, 1), FXRT_OK) << fxrtLastError();
  EXPECT_EQ(call.launches, test.bias || test.relu ? 1 : 0);

  // Three spatial dimensions at most: pad the shapes of fewer with ones.
  bool last = strcmp(test.layout, "nhwc") == 0;
  size_t spatial = test.stride.size();
  int64_t perGroup = test.filter[1];
  int64_t outPerGroup = test.filter[0] / test.groups;
  auto size = [&](const std::vector<int64_t> &shape, size_t i) { return i < spatial ? shape[i + 2] : 1; };
  auto makeIndex = [&](int64_t n, int64_t c, const int64_t *position) {
    std::vector<int64_t> index = {n, c};
    index.insert(index.end(), position, position + spatial);
    return index;
  };
  for (int64_t n = 0; n < output[0]; ++n)
    for (int64_t k = 0; k < output[1]; ++k)
      for (int64_t p = 0; p < size(output, 0) * size(output, 1) * size(output, 2); ++p) {
        int64_t at[3] = {p / (size(output, 1) * size(output, 2)), p / size(output, 2) % size(output, 1),
                         p % size(output, 2)};
        double sum = 0;
        for (int64_t c = 0; c < perGroup; ++c)
          for (int64_t q = 0; q < size(test.filter, 0) * size(test.filter, 1) * size(test.filter, 2); ++q) {
            int64_t tap[3] = {q / (size(test.filter, 1) * size(test.filter, 2)),
                              q / size(test.filter, 2) % size(test.filter, 1), q % size(test.filter, 2)};
            int64_t from[3] = {};
            bool inside = true;
            for (size_t i = 0; i < spatial; ++i) {
              from[i] = at[i] * test.stride[i] - test.padding[i] + tap[i] * test.dilation[i];
              inside &= from[i] >= 0 && from[i] < test.input[i + 2];
            }
            if (inside)
              sum += x.get(getOffset(makeIndex(n, k / outPerGroup * perGroup + c, from), test.input, last)) *
                     w.get(getOffset(makeIndex(k, c, tap), test.filter, last));
          }
        size_t offset = getOffset(makeIndex(n, k, at), output, last);
        HostMatrix expected(test.dtype, 1, 0);
        expected.set(0, sum);
        if (test.bias)
          expected.set(0, expected.get(0) + b.get(k));
        if (test.relu && expected.get(0) < 0)
          expected.set(0, 0);
        ASSERT_EQ(y.get(offset), expected.get(0)) << "n=" << n << " k=" << k << " position=" << p;
      }
}

TEST_F(LibraryTest, ConvDimensionsAndLayouts) {
  for (const char *layout : {"nchw", "nhwc"}) {
    checkConv({"f32", layout, {2, 3, 7}, {4, 3, 3}, {2}, {1}, {1}, 1, false, false});
    checkConv({"f32", layout, {2, 3, 5, 6}, {4, 3, 3, 2}, {1, 2}, {1, 0}, {1, 1}, 1, false, false});
    checkConv({"f64", layout, {1, 2, 4, 3, 5}, {3, 2, 2, 1, 3}, {1, 1, 2}, {1, 0, 1}, {1, 1, 1}, 1, false, false});
  }
}

TEST_F(LibraryTest, ConvGroupsDilationTypes) {
  checkConv({"f16", "nchw", {1, 4, 6, 6}, {6, 2, 2, 2}, {1, 1}, {0, 0}, {2, 3}, 2, false, false});
  // Depthwise, odd sizes.
  checkConv({"bf16", "nhwc", {3, 5, 5, 7}, {5, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 5, false, false});
  // A window as large as the padded input.
  checkConv({"f32", "nchw", {1, 1, 3, 3}, {1, 1, 5, 5}, {1, 1}, {1, 1}, {1, 1}, 1, false, false});
}

TEST_F(LibraryTest, ConvBiasAndActivation) {
  for (const char *dtype : {"f32", "f64", "f16", "bf16"})
    for (const char *layout : {"nchw", "nhwc"})
      for (int flags = 1; flags < 4; ++flags)
        checkConv(
            {dtype, layout, {2, 3, 4, 5}, {4, 3, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1, bool(flags & 1), bool(flags & 2)});
}

static const ConvCase smallConv = {"f32", "nchw", {1, 2, 4, 4}, {2, 2, 3, 3}, {1, 1}, {0, 0}, {1, 1}, 1, false, false};

TEST_F(LibraryTest, ConvEnginesArePrecise) {
  std::vector<int64_t> output;
  auto getEngine = [&](Json plan) {
    FxrtGraph *graph = load(plan);
    size_t bytes = 0;
    EXPECT_EQ(fxrtGetWorkspaceBytes(graph, &bytes), FXRT_OK);
    void *in[] = {allocate(512), allocate(512), allocate(512)};
    void *out = allocate(512), *workspace = allocate(bytes);
    clearLog();
    EXPECT_EQ(fxrtRun(graph, in, 3, &out, 1, workspace, bytes, nullptr), FXRT_OK) << fxrtLastError();
    std::vector<std::string> log = getLog({"conv"});
    return (log.empty() ? "" : log[0]) + " workspace=" + std::to_string(bytes);
  };
  Json plan = makeConvPlan(smallConv, output);
  EXPECT_EQ(getEngine(plan), "conv engine=4 stream=0 workspace=1024");
  plan["allow_tf32"] = true;
  EXPECT_EQ(getEngine(plan), "conv engine=0 stream=0 workspace=0");
  ConvCase half = smallConv;
  half.dtype = "f16";
  EXPECT_EQ(getEngine(makeConvPlan(half, output)), "conv engine=0 stream=0 workspace=0");
  // The scratch memory follows the intermediates.
  plan["allow_tf32"] = false;
  plan["workspace_bytes"] = 100;
  EXPECT_EQ(getEngine(plan), "conv engine=4 stream=0 workspace=1280");
  plan["library_workspace_bytes"] = 4096;
  EXPECT_EQ(getEngine(plan), "conv engine=4 stream=0 workspace=4352");
}

TEST_F(LibraryTest, ConvWithoutEngine) {
  std::vector<int64_t> output;
  Json plan = makeConvPlan(smallConv, output);
  plan["steps"][0]["workspace_limit_bytes"] = 1000;
  FxrtGraph *graph = nullptr;
  EXPECT_FAILS(tryLoad(plan, &graph), FXRT_UNSUPPORTED,
               "fxrtLoad: step 0 (conv): cuDNN has no engine for this "
               "convolution: it listed 5, of which 2 are not deterministic or "
               "less precise than asked for and the others decline or exceed "
               "the workspace limit of 1000 bytes; raise "
               "workspace_limit_bytes, or lower the convolution to a kernel");
}

TEST_F(LibraryTest, EmptyConvsAreSkipped) {
  std::vector<int64_t> output;
  ConvCase empty = smallConv;
  empty.input[0] = 0;
  FxrtGraph *graph = load(makeConvPlan(empty, output));
  void *in[] = {nullptr, allocate(512), allocate(512)};
  void *out = nullptr;
  clearLog();
  EXPECT_EQ(fxrtRun(graph, in, 3, &out, 1, nullptr, 0, nullptr), FXRT_OK) << fxrtLastError();
  EXPECT_TRUE(getLog().empty());
}

TEST_F(LibraryTest, ConvsAreCaptured) {
  std::vector<int64_t> output;
  ConvCase test = {"f32", "nchw", {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1}, {0, 0}, {1, 1}, 1, true, true};
  BiasCall call{"f32", 0};
  registerKernel("fxgraph_bias_f32", biasKernel, &call);
  FxrtGraph *graph = load(makeConvPlan(test, output));
  size_t bytes = 0;
  ASSERT_EQ(fxrtGetWorkspaceBytes(graph, &bytes), FXRT_OK);
  void *in[] = {upload(std::vector<float>{3}), upload(std::vector<float>{5}), upload(std::vector<float>{1})};
  void *out = upload(std::vector<float>{0}), *workspace = allocate(bytes);
  FxrtCapture *capture = nullptr;
  ASSERT_EQ(fxrtCapture(graph, in, 3, &out, 1, workspace, bytes, &capture), FXRT_OK) << fxrtLastError();
  EXPECT_EQ(download<float>(out, 1)[0], 0);
  ASSERT_EQ(fxrtReplay(capture, nullptr), FXRT_OK);
  EXPECT_EQ(download<float>(out, 1)[0], 16);
  EXPECT_EQ(fxrtDestroyCapture(capture), FXRT_OK);
}

TEST_F(LibraryTest, FailingCudnnCallsGiveAStatusAndLeakNothing) {
  std::vector<int64_t> output;
  ConvCase test = smallConv;
  test.bias = true;
  Json plan = makeConvPlan(test, output);
  for (const char *call :
       {"cudnnCreate", "cudnnBackendCreateDescriptor", "cudnnBackendSetAttribute", "cudnnBackendFinalize",
        "cudnnBackendGetAttribute", "cudnnSetStream", "cudnnBackendExecute"}) {
    int live = liveObjects();
    std::string text = plan.dump();
    setenv("FXGRAPH_MOCK_FAIL", (std::string(call) + "=5000").c_str(), 1);
    FxrtGraph *graph = nullptr;
    int status = fxrtLoad(text.data(), text.size(), nullptr, 0, nullptr, 0, &graph);
    if (status == FXRT_OK) {
      std::vector<float> x(512), y(512);
      void *in[] = {x.data(), x.data(), x.data()}, *out = y.data();
      status = fxrtRunHost(graph, in, 3, &out, 1);
    }
    std::string message = fxrtLastError();
    unsetenv("FXGRAPH_MOCK_FAIL");
    if (graph) {
      EXPECT_EQ(fxrtDestroy(graph), FXRT_OK);
    }
    // A heuristic that does not answer leaves no engine; the rest is named.
    if (strcmp(call, "cudnnBackendGetAttribute") == 0) {
      EXPECT_EQ(status, FXRT_UNSUPPORTED) << message;
    } else {
      EXPECT_EQ(status, FXRT_LIBRARY_ERROR) << message;
      EXPECT_NE(message.find(std::string(call) + " failed: "
                                                 "CUDNN_STATUS_EXECUTION_FAILED"
                                                 " (5000)"),
                std::string::npos)
          << message;
    }
    EXPECT_EQ(liveObjects(), live) << call;
  }
}

TEST(NoLibrary, CublasLtIsNamedAndOnlyNeededByItsSteps) {
  EXPECT_EXIT(
      {
        setenv("FXGRAPH_CUBLASLT", "/nonexistent/libcublasLt.so", 1);
        std::string empty = emptyPlan().dump();
        std::string text = makeMatmulPlan(4, 4, 4).dump();
        FxrtGraph *graph = nullptr;
        bool good = fxrtLoad(empty.data(), empty.size(), nullptr, 0, nullptr, 0, &graph) == FXRT_OK;
        good = good && fxrtLoad(text.data(), text.size(), nullptr, 0, nullptr, 0, &graph) == FXRT_LIBRARY_ERROR;
        std::string message = fxrtLastError();
        good = good &&
               message.find("fxrtLoad: step 0 (matmul): cannot open cuBLASLt: "
                            "/nonexistent/libcublasLt.so: ") == 0 &&
               message.find("name the library in FXGRAPH_CUBLASLT") != std::string::npos;
        if (!good)
          std::fprintf(stderr, "unexpected: %s\n", message.c_str());
        std::fflush(stderr);
        std::_Exit(good ? 42 : 1);
      },
      testing::ExitedWithCode(42), "");
}
