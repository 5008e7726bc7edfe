//===- Matmul.cpp - Matrix products through cuBLASLt ----------------------===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step is row-major and cuBLASLt's epilogues want column-major: a row-major
// matrix is its transpose in column-major order, so D = A B is computed as
// D^T = B^T A^T with the operands exchanged. The bias, which cuBLASLt adds
// along the rows of what it computes, so becomes one value per column of D.
//
// Algorithm, descriptors and layouts are chosen once, at load: the heuristic is
// told the alignment that the plan guarantees for every operand, and may use
// split-K only with a reduction in f32 (the output's type would lose digits).
// f32 inputs never use TF32 unless the plan allows it.
//
//===----------------------------------------------------------------------===//

#include "CublasLtTypes.h"
#include "Graph.h"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <map>
#include <mutex>

using namespace fxgraph::runtime;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

namespace {

struct CublasLtApi {
#define FXGRAPH_MEMBER(symbol, parameters) lt::Status(*symbol) parameters;
  FXGRAPH_CUBLASLT_FUNCTIONS(FXGRAPH_MEMBER)
#undef FXGRAPH_MEMBER
  const char *(*cublasLtGetStatusName)(lt::Status status);

  static const CublasLtApi &get();

  void check(lt::Status status, const char *call) const {
    if (status == lt::StatusSuccess)
      return;
    std::string message = std::string(call) + " failed: ";
    if (const char *name = cublasLtGetStatusName ? cublasLtGetStatusName(status) : nullptr)
      message += std::string(name) + " (" + std::to_string(status) + ")";
    else
      message += "cuBLAS status " + std::to_string(status);
    if (status == lt::StatusNotInitialized)
      message += "; the CUDA context or the cuBLAS library is unusable: check "
                 "that the driver is not older than the library";
    else if (status == lt::StatusAllocFailed)
      message += "; free device memory";
    else if (status == lt::StatusArchMismatch)
      message += "; this device cannot compute with this type";
    throw Error(status == lt::StatusAllocFailed ? FXRT_OUT_OF_MEMORY : FXRT_LIBRARY_ERROR, message);
  }
};

} // namespace

static const CublasLtApi *openCublasLt() {
  void *handle = openLibrary("cuBLASLt", "FXGRAPH_CUBLASLT",
                             {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"}, FXRT_LIBRARY_ERROR);
  auto *api = new CublasLtApi();
  const char *missing = nullptr;
#define FXGRAPH_REQUIRE(symbol, parameters)                                                                            \
  api->symbol = reinterpret_cast<decltype(api->symbol)>(dlsym(handle, #symbol));                                       \
  if (!api->symbol && !missing)                                                                                        \
    missing = #symbol;
  FXGRAPH_CUBLASLT_FUNCTIONS(FXGRAPH_REQUIRE)
#undef FXGRAPH_REQUIRE
  api->cublasLtGetStatusName =
      reinterpret_cast<decltype(api->cublasLtGetStatusName)>(dlsym(handle, "cublasLtGetStatusName"));
  if (!missing)
    return api;
  delete api;
  dlclose(handle);
  throw Error(FXRT_LIBRARY_ERROR,
              std::string("cuBLASLt has no ") + missing + "; expected cuBLAS 12 or 13: name one in FXGRAPH_CUBLASLT");
}

const CublasLtApi &CublasLtApi::get() { return getOnce<CublasLtApi>(openCublasLt); }

/// One cuBLASLt handle per context, alive while a step uses it.
static std::shared_ptr<lt::HandleOpaque> getHandle(const CublasLtApi &api, cu::Context context) {
  static std::mutex mutex;
  static auto *handles = new std::map<cu::Context, std::weak_ptr<lt::HandleOpaque>>();
  std::lock_guard<std::mutex> lock(mutex);
  std::weak_ptr<lt::HandleOpaque> &slot = (*handles)[context];
  if (std::shared_ptr<lt::HandleOpaque> handle = slot.lock())
    return handle;
  lt::Handle raw = nullptr;
  api.check(api.cublasLtCreate(&raw), "cublasLtCreate");
  std::shared_ptr<lt::HandleOpaque> handle(raw, [&api](lt::Handle dead) { api.cublasLtDestroy(dead); });
  slot = handle;
  return handle;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {

/// Descriptors, destroyed with their owner.
struct Descriptors {
  explicit Descriptors(const CublasLtApi &api) : api(api) {}
  ~Descriptors() {
    for (lt::MatrixLayout layout : {first, second, c, d})
      if (layout)
        api.cublasLtMatrixLayoutDestroy(layout);
    if (desc)
      api.cublasLtMatmulDescDestroy(desc);
    if (preference)
      api.cublasLtMatmulPreferenceDestroy(preference);
  }
  Descriptors(const Descriptors &) = delete;
  Descriptors &operator=(const Descriptors &) = delete;

  template <class T>
  void set(int attribute, T value) {
    api.check(api.cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof(value)),
              "cublasLtMatmulDescSetAttribute");
  }
  template <class T>
  void prefer(int attribute, T value) {
    api.check(api.cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof(value)),
              "cublasLtMatmulPreferenceSetAttribute");
  }

  const CublasLtApi &api;
  lt::MatmulDesc desc = nullptr;
  /// cuBLASLt's A and B, which are the step's B and A.
  lt::MatrixLayout first = nullptr, second = nullptr;
  lt::MatrixLayout c = nullptr, d = nullptr;
  lt::Preference preference = nullptr;
};

class CompiledMatmul : public CompiledStep {
public:
  CompiledMatmul(const LibraryContext &library, const MatmulStep &step);

  void enqueue(const RunContext &run) const override {
    auto pointer = [&](const Address &address) { return reinterpret_cast<void *>(address.resolve(run.bases)); };
    // The bias pointer is an attribute of the descriptor, so calls from several
    // threads take turns.
    std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
    if (hasBias(step.epilogue)) {
      lock.lock();
      descriptors.set(lt::DescBiasPointer, pointer(bias));
    }
    bool isDouble = step.dtype == DType::F64;
    const void *alphaPointer = isDouble ? static_cast<const void *>(&step.alpha) : &alphaFloat;
    const void *betaPointer = isDouble ? static_cast<const void *>(&step.beta) : &betaFloat;
    api.check(api.cublasLtMatmul(handle.get(), descriptors.desc, alphaPointer, pointer(b), descriptors.first,
                                 pointer(a), descriptors.second, betaPointer, pointer(c), descriptors.c, pointer(d),
                                 descriptors.d, &algo, reinterpret_cast<void *>(run.libraryWorkspace),
                                 run.libraryWorkspaceBytes, run.stream),
              "cublasLtMatmul");
  }

private:
  const CublasLtApi &api;
  std::shared_ptr<lt::HandleOpaque> handle;
  const MatmulStep &step; ///< in the plan, which the graph owns
  mutable Descriptors descriptors;
  mutable std::mutex mutex;
  lt::Algo algo;
  float alphaFloat, betaFloat;
  Address a, b, c, d, bias;
};

/// k = 0: the sum of nothing.
class CompiledZero : public CompiledStep {
public:
  CompiledZero(Address d, const MatmulStep &step) : d(d), step(step) {}

  void enqueue(const RunContext &run) const override {
    uint64_t bytes = getDTypeBytes(step.dtypeOut);
    for (uint64_t i = 0; i < step.batch; ++i)
      run.driver.check(run.driver.cuMemsetD2D8Async(d.resolve(run.bases) + i * step.strideD * bytes, step.ldd * bytes,
                                                    0, step.n * bytes, step.m, run.stream),
                       "cuMemsetD2D8Async");
  }

private:
  Address d;
  const MatmulStep &step;
};

} // namespace

static int getLtType(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return lt::TypeF16;
  case DType::BF16:
    return lt::TypeBF16;
  case DType::F64:
    return lt::TypeF64;
  default:
    return lt::TypeF32;
  }
}

static int getLtEpilogue(Epilogue epilogue) {
  switch (epilogue) {
  case Epilogue::None:
    return lt::EpilogueDefault;
  case Epilogue::Bias:
    return lt::EpilogueBias;
  case Epilogue::Relu:
    return lt::EpilogueRelu;
  case Epilogue::ReluBias:
    return lt::EpilogueReluBias;
  case Epilogue::GeluTanh:
    return lt::EpilogueGelu;
  case Epilogue::GeluTanhBias:
    return lt::EpilogueGeluBias;
  }
  return lt::EpilogueDefault;
}

static const char *getEpilogueName(Epilogue epilogue) {
  static const char *const names[] = {"none", "bias", "relu", "relu_bias", "gelu_tanh", "gelu_tanh_bias"};
  return names[static_cast<size_t>(epilogue)];
}

/// The alignment that every matrix of the batch has.
static uint32_t getMatrixAlignment(const LaunchPlan &plan, const BufferRef &ref, uint64_t batch, uint64_t stride,
                                   DType dtype) {
  uint64_t alignment = std::min<uint64_t>(plan.getAlignment(ref), 256);
  uint64_t strideBytes = stride * getDTypeBytes(dtype);
  if (batch > 1 && strideBytes)
    alignment = std::min(alignment, strideBytes & (~strideBytes + 1));
  return static_cast<uint32_t>(alignment);
}

CompiledMatmul::CompiledMatmul(const LibraryContext &library, const MatmulStep &step)
    : api(CublasLtApi::get()), handle(getHandle(api, library.context)), step(step), descriptors(api),
      alphaFloat(static_cast<float>(step.alpha)), betaFloat(static_cast<float>(step.beta)),
      a(library.getAddress(step.a)), b(library.getAddress(step.b)), c(library.getAddress(step.c)),
      d(library.getAddress(step.d)) {
  const LaunchPlan &plan = library.plan;
  bool isDouble = step.dtype == DType::F64;
  int compute = isDouble ? lt::Compute64F : lt::Compute32F;
  if (step.dtype == DType::F32 && plan.allowTF32)
    compute = lt::Compute32FFastTF32;
  api.check(api.cublasLtMatmulDescCreate(&descriptors.desc, compute, isDouble ? lt::TypeF64 : lt::TypeF32),
            "cublasLtMatmulDescCreate");
  descriptors.set<int32_t>(lt::DescTransA, step.transB ? lt::OpT : lt::OpN);
  descriptors.set<int32_t>(lt::DescTransB, step.transA ? lt::OpT : lt::OpN);
  descriptors.set<uint32_t>(lt::DescEpilogue, getLtEpilogue(step.epilogue));
  if (hasBias(step.epilogue)) {
    bias = library.getAddress(step.bias);
    descriptors.set<int32_t>(lt::DescBiasDataType, getLtType(step.dtypeBias));
    if (step.batch > 1)
      descriptors.set<int64_t>(lt::DescBiasBatchStride, static_cast<int64_t>(step.strideBias));
    // The heuristic looks at the pointer's alignment: an address that is
    // aligned exactly as the plan guarantees, never dereferenced.
    uint64_t alignment = std::min<uint64_t>(plan.getAlignment(step.bias), 256);
    descriptors.set(lt::DescBiasPointer, reinterpret_cast<void *>((uint64_t(1) << 32) + alignment));
  }

  auto makeLayout = [&](lt::MatrixLayout &layout, DType dtype, uint64_t rows, uint64_t columns, uint64_t ld,
                        uint64_t stride) {
    api.check(api.cublasLtMatrixLayoutCreate(&layout, getLtType(dtype), rows, columns, static_cast<int64_t>(ld)),
              "cublasLtMatrixLayoutCreate");
    if (step.batch == 1)
      return;
    int32_t count = static_cast<int32_t>(step.batch);
    int64_t offset = static_cast<int64_t>(stride);
    api.check(api.cublasLtMatrixLayoutSetAttribute(layout, lt::LayoutBatchCount, &count, sizeof(count)),
              "cublasLtMatrixLayoutSetAttribute");
    api.check(api.cublasLtMatrixLayoutSetAttribute(layout, lt::LayoutStridedBatchOffset, &offset, sizeof(offset)),
              "cublasLtMatrixLayoutSetAttribute");
  };
  // Column-major rows of a row-major matrix are its columns.
  makeLayout(descriptors.first, step.dtype, step.transB ? step.k : step.n, step.transB ? step.n : step.k, step.ldb,
             step.strideB);
  makeLayout(descriptors.second, step.dtype, step.transA ? step.m : step.k, step.transA ? step.k : step.m, step.lda,
             step.strideA);
  makeLayout(descriptors.c, step.dtypeOut, step.n, step.m, step.ldc, step.strideC);
  makeLayout(descriptors.d, step.dtypeOut, step.n, step.m, step.ldd, step.strideD);

  api.check(api.cublasLtMatmulPreferenceCreate(&descriptors.preference), "cublasLtMatmulPreferenceCreate");
  descriptors.prefer<uint64_t>(lt::PrefMaxWorkspaceBytes, plan.libraryWorkspaceBytes);
  descriptors.prefer<uint32_t>(lt::PrefReductionSchemeMask, lt::ReductionSchemeComputeType);
  descriptors.prefer<uint32_t>(lt::PrefMinAlignmentA,
                               getMatrixAlignment(plan, step.b, step.batch, step.strideB, step.dtype));
  descriptors.prefer<uint32_t>(lt::PrefMinAlignmentB,
                               getMatrixAlignment(plan, step.a, step.batch, step.strideA, step.dtype));
  descriptors.prefer<uint32_t>(lt::PrefMinAlignmentC,
                               getMatrixAlignment(plan, step.c, step.batch, step.strideC, step.dtypeOut));
  descriptors.prefer<uint32_t>(lt::PrefMinAlignmentD,
                               getMatrixAlignment(plan, step.d, step.batch, step.strideD, step.dtypeOut));
  lt::HeuristicResult result = {};
  int count = 0;
  lt::Status status =
      api.cublasLtMatmulAlgoGetHeuristic(handle.get(), descriptors.desc, descriptors.first, descriptors.second,
                                         descriptors.c, descriptors.d, descriptors.preference, 1, &result, &count);
  if (status == lt::StatusNotSupported ||
      (status == lt::StatusSuccess && (count == 0 || result.state != lt::StatusSuccess)))
    throw Error(FXRT_UNSUPPORTED,
                "cuBLASLt has no algorithm for m=" + std::to_string(step.m) + " n=" + std::to_string(step.n) + " k=" +
                    std::to_string(step.k) + " batch=" + std::to_string(step.batch) + " " + getDTypeName(step.dtype) +
                    " to " + getDTypeName(step.dtypeOut) + " epilogue=" + getEpilogueName(step.epilogue) +
                    " with these leading dimensions and alignments in " + std::to_string(plan.libraryWorkspaceBytes) +
                    " bytes of library workspace; give it more, or lower the "
                    "product to a kernel");
  api.check(status, "cublasLtMatmulAlgoGetHeuristic");
  algo = result.algo;
}

std::unique_ptr<CompiledStep> fxgraph::runtime::compileMatmul(const LibraryContext &library, const MatmulStep &step) {
  if (step.k == 0)
    return std::make_unique<CompiledZero>(library.getAddress(step.d), step);
  return std::make_unique<CompiledMatmul>(library, step);
}
