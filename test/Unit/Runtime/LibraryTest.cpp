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

int getBytes(const std::string &dtype) {
  return dtype == "f64" ? 8 : dtype == "f32" ? 4 : 2;
}

/// Small multiples of 1/4: exact in every type, and so are short sums of them.
struct HostMatrix {
  HostMatrix(const std::string &dtype, size_t elements, unsigned seed)
      : dtype(dtype), elements(elements), bytes(elements * getBytes(dtype)) {
    for (size_t i = 0; i < elements; ++i) {
      seed = seed * 1664525 + 1013904223;
      set(i, (int(seed >> 24 & 15) - 8) / 4.0);
    }
  }
  double get(size_t i) const {
    return loadNumber(getType(dtype), bytes.data(), i);
  }
  void set(size_t i, double value) {
    storeNumber(getType(dtype), bytes.data(), i, value);
  }
  Json describe(const std::string &name) const {
    return tensor(name, dtype, {int64_t(elements)}, getBytes(dtype));
  }

  std::string dtype;
  size_t elements;
  std::vector<char> bytes;
};

class LibraryTest : public MockTest {
protected:
  void check(const MatmulCase &test);
};

} // namespace

static double applyEpilogue(const std::string &epilogue, double value,
                            double bias) {
  if (epilogue.find("bias") != std::string::npos)
    value += bias;
  if (epilogue.find("relu") == 0)
    value = value < 0 ? 0 : value;
  if (epilogue.find("gelu_tanh") == 0)
    value *= 0.5 * (1 + std::tanh(std::sqrt(2 / M_PI) *
                                  (value + 0.044715 * std::pow(value, 3))));
  return value;
}

void LibraryTest::check(const MatmulCase &test) {
  int rowsA = test.transA ? test.k : test.m,
      colsA = test.transA ? test.m : test.k;
  int rowsB = test.transB ? test.n : test.k,
      colsB = test.transB ? test.k : test.n;
  size_t lda = colsA + test.padA, ldb = colsB + test.padB;
  size_t ldc = test.n + test.padC, ldd = test.n + test.padD;
  // Strides of the batch with a gap.
  size_t strideA = rowsA * lda + 3,
         strideB = test.sharedB ? 0 : rowsB * ldb + 5;
  size_t strideC = test.m * ldc + 1, strideD = test.m * ldd + 2;
  size_t strideBias = test.batchedBias ? test.n + 1 : 0;
  HostMatrix a(test.dtype, strideA * test.batch, 1);
  HostMatrix b(test.dtype, strideB * test.batch + rowsB * ldb, 2);
  HostMatrix c(test.dtypeOut, strideC * test.batch, 3);
  HostMatrix d(test.dtypeOut, strideD * test.batch, 4);
  HostMatrix bias(test.dtypeOut, strideBias * test.batch + test.n, 5);
  bool hasBias = std::string(test.epilogue).find("bias") != std::string::npos;

  Json plan = emptyPlan();
  plan["inputs"] = {a.describe("a"), b.describe("b"), c.describe("c"),
                    bias.describe("bias"), d.describe("d")};
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
          sum +=
              a.get(z * strideA + (test.transA ? l * lda + i : i * lda + l)) *
              b.get(z * strideB + (test.transB ? j * ldb + l : l * ldb + j));
        double value = test.alpha * sum;
        if (test.beta != 0)
          value +=
              test.beta * (test.separateC ? c.get(z * strideC + i * ldc + j)
                                          : d.get(z * strideD + i * ldd + j));
        value = applyEpilogue(test.epilogue, value,
                              hasBias ? bias.get(z * strideBias + j) : 0);
        expected.set(z * strideD + i * ldd + j, value);
      }
  void *in[] = {a.bytes.data(), b.bytes.data(), c.bytes.data(),
                bias.bytes.data(), d.bytes.data()};
  ASSERT_EQ(fxrtRunHost(graph, in, 5, nullptr, 0), FXRT_OK) << fxrtLastError();
  for (size_t i = 0; i < d.elements; ++i)
    // The last digit of gelu may differ with the order of its products.
    ASSERT_NEAR(d.get(i), expected.get(i), 1e-6 * std::fabs(expected.get(i)))
        << "element " << i;
}

TEST_F(LibraryTest, MatmulEveryTranspose) {
  for (bool transA : {false, true})
    for (bool transB : {false, true})
      for (int pad : {0, 3})
        check({5, 7, 3, 1, "f32", "f32", transA, transB, pad, pad + 1, 0, pad,
               1, 0, "none", false, false, false});
}

TEST_F(LibraryTest, MatmulTypes) {
  const char *pairs[][2] = {{"f32", "f32"},   {"f64", "f64"}, {"f16", "f16"},
                            {"bf16", "bf16"}, {"f16", "f32"}, {"bf16", "f32"}};
  for (auto &pair : pairs)
    check({4, 6, 8, 1, pair[0], pair[1], false, true, 0, 0, 0, 0, 0.5, 0,
           "none", false, false, false});
}

TEST_F(LibraryTest, MatmulEpilogues) {
  for (const char *epilogue :
       {"none", "bias", "relu", "relu_bias", "gelu_tanh", "gelu_tanh_bias"})
    check({3, 5, 4, 1, "f32", "f32", false, false, 0, 0, 0, 0, 1, 0, epilogue,
           false, false, false});
}

TEST_F(LibraryTest, MatmulAlphaBetaAndC) {
  check({3, 5, 4, 1, "f32", "f32", false, false, 0, 0, 2, 1, 2, -0.5, "none",
         true, false, false});
  check({3, 5, 4, 1, "f64", "f64", false, false, 0, 0, 0, 1, -1, 0.25, "none",
         false, false, false});
}

TEST_F(LibraryTest, MatmulBatches) {
  check({3, 5, 4, 3, "f32", "f32", false, true, 1, 0, 0, 2, 1, 0, "none", false,
         false, false});
  check({3, 5, 4, 3, "f32", "f32", true, false, 0, 2, 1, 0, 1, 1, "bias", true,
         true, true});
  check({1, 1, 1, 2, "bf16", "bf16", false, false, 0, 0, 0, 0, 1, 0, "bias",
         false, false, false});
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
  ASSERT_EQ(fxrtRun(graph, &x, 1, &y, 1, nullptr, 0, nullptr), FXRT_OK)
      << fxrtLastError();
  std::vector<float> result = download<float>(y, 24);
  for (int i = 0; i < 24; ++i)
    EXPECT_EQ(result[i], i % 4 == 3 ? 5 : 0) << i;
}

static Json makeMatmulPlan(int m, int n, int k) {
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("a", "f32", {m, k}, 4),
                    tensor("b", "f32", {k, n}, 4)};
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
    EXPECT_EQ(fxrtRun(graph, in, 2, &out, 1, nullptr, 0, nullptr), FXRT_OK)
        << fxrtLastError();
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
  EXPECT_EQ(getLog({"heuristic"}),
            (std::vector<std::string>{
                "heuristic compute=68 workspace=4096 reduction=2 "
                "align=16,16,16,16",
                "heuristic compute=77 workspace=4096 reduction=2 "
                "align=16,16,16,16"}));
}

TEST_F(LibraryTest, TheHeuristicLearnsTheAlignmentOfEveryMatrix) {
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("a", "bf16", {100}, 2),
                    tensor("b", "bf16", {100}, 2)};
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
  EXPECT_EQ(getLog({"heuristic"}),
            std::vector<std::string>{"heuristic compute=68 workspace=0 "
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
  EXPECT_EQ(fxrtRun(graph, in, 2, &out, 1, workspace, bytes, nullptr), FXRT_OK)
      << fxrtLastError();
}

TEST_F(LibraryTest, MatmulsAreCaptured) {
  Json plan = makeMatmulPlan(1, 1, 1);
  FxrtGraph *graph = load(plan);
  void *in[] = {upload(std::vector<float>{3}), upload(std::vector<float>{5})};
  void *out = upload(std::vector<float>{0});
  FxrtCapture *capture = nullptr;
  ASSERT_EQ(fxrtCapture(graph, in, 2, &out, 1, nullptr, 0, &capture), FXRT_OK)
      << fxrtLastError();
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
  EXPECT_FAILS(fxrtRun(graph, in, 2, &out, 1, nullptr, 0, nullptr),
               FXRT_LIBRARY_ERROR,
               "fxrtRun: graph 'test', step 0 (matmul): cublasLtMatmul failed: "
               "CUBLAS_STATUS_EXECUTION_FAILED (13)");
}

TEST(NoLibrary, CublasLtIsNamedAndOnlyNeededByItsSteps) {
  EXPECT_EXIT(
      {
        setenv("FXGRAPH_CUBLASLT", "/nonexistent/libcublasLt.so", 1);
        std::string empty = emptyPlan().dump();
        std::string text = makeMatmulPlan(4, 4, 4).dump();
        FxrtGraph *graph = nullptr;
        bool good = fxrtLoad(empty.data(), empty.size(), nullptr, 0, nullptr, 0,
                             &graph) == FXRT_OK;
        good = good && fxrtLoad(text.data(), text.size(), nullptr, 0, nullptr,
                                0, &graph) == FXRT_LIBRARY_ERROR;
        std::string message = fxrtLastError();
        good = good &&
               message.find("fxrtLoad: step 0 (matmul): cannot open cuBLASLt: "
                            "/nonexistent/libcublasLt.so: ") == 0 &&
               message.find("name the library in FXGRAPH_CUBLASLT") !=
                   std::string::npos;
        if (!good)
          std::fprintf(stderr, "unexpected: %s\n", message.c_str());
        std::fflush(stderr);
        std::_Exit(good ? 42 : 1);
      },
      testing::ExitedWithCode(42), "");
}
