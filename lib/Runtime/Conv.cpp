//===- Conv.cpp - Convolutions through cuDNN ------------------------------===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step becomes a cuDNN operation graph of one forward convolution. At load
// the library's heuristic lists engines, best first; the first that this takes
// is the step's:
//  - deterministic;
//  - f32 without tensor cores (they would round the inputs to TF32) and without
//    converting the inputs down, unless the plan allows TF32;
//  - no reduction in 16 bits;
//  - within the step's workspace limit.
// Bias and ReLU are one kernel of our own over the output, as PyTorch's eager
// convolution adds its bias: the library's fused engines exist for some types
// and shapes only and leave open what ReLU does to NaN. A compiler that has a
// pointwise kernel after the convolution should put the bias there.
//
//===----------------------------------------------------------------------===//

#include "CudnnTypes.h"
#include "Graph.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>

using namespace fxgraph::runtime;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

namespace {

struct CudnnApi {
#define FXGRAPH_MEMBER(symbol, parameters) dnn::Status(*symbol) parameters;
  FXGRAPH_CUDNN_FUNCTIONS(FXGRAPH_MEMBER)
#undef FXGRAPH_MEMBER
  const char *(*cudnnGetErrorString)(dnn::Status status);
  void (*cudnnGetLastErrorString)(char *message, size_t bytes);

  static const CudnnApi &get();

  std::string describe(dnn::Status status) const {
    std::string text = "cuDNN status " + std::to_string(status);
    if (const char *name = cudnnGetErrorString ? cudnnGetErrorString(status) : nullptr)
      text = std::string(name) + " (" + std::to_string(status) + ")";
    char detail[512] = "";
    if (cudnnGetLastErrorString)
      cudnnGetLastErrorString(detail, sizeof(detail));
    detail[sizeof(detail) - 1] = 0;
    return *detail ? text + ": " + detail : text;
  }

  void check(dnn::Status status, const char *call) const {
    if (status == dnn::StatusSuccess)
      return;
    std::string message = std::string(call) + " failed: " + describe(status);
    if (status / 1000 == 1)
      message += "; cuDNN or the driver is unusable: check that all of cuDNN's "
                 "libraries are of one version and in LD_LIBRARY_PATH";
    bool isMemory = status == dnn::StatusAllocFailed || status == dnn::StatusDeviceAllocFailed;
    throw Error(isMemory ? FXRT_OUT_OF_MEMORY : FXRT_LIBRARY_ERROR, message);
  }
};

/// A handle is bound to a stream before every use, so uses take turns.
struct CudnnSession {
  explicit CudnnSession(const CudnnApi &api) : api(api) { api.check(api.cudnnCreate(&handle), "cudnnCreate"); }
  ~CudnnSession() { api.cudnnDestroy(handle); }
  CudnnSession(const CudnnSession &) = delete;
  CudnnSession &operator=(const CudnnSession &) = delete;

  const CudnnApi &api;
  dnn::Handle handle = nullptr;
  std::mutex mutex;
};

} // namespace

static const CudnnApi *openCudnn() {
  void *handle = openLibrary("cuDNN", "FXGRAPH_CUDNN", {"libcudnn.so.9", "libcudnn.so"}, FXRT_LIBRARY_ERROR);
  auto *api = new CudnnApi();
  const char *missing = nullptr;
#define FXGRAPH_REQUIRE(symbol, parameters)                                                                            \
  api->symbol = reinterpret_cast<decltype(api->symbol)>(dlsym(handle, #symbol));                                       \
  if (!api->symbol && !missing)                                                                                        \
    missing = #symbol;
  FXGRAPH_CUDNN_FUNCTIONS(FXGRAPH_REQUIRE)
#undef FXGRAPH_REQUIRE
  api->cudnnGetErrorString = reinterpret_cast<decltype(api->cudnnGetErrorString)>(dlsym(handle, "cudnnGetErrorString"));
  api->cudnnGetLastErrorString =
      reinterpret_cast<decltype(api->cudnnGetLastErrorString)>(dlsym(handle, "cudnnGetLastErrorString"));
  if (!missing)
    return api;
  delete api;
  dlclose(handle);
  throw Error(FXRT_LIBRARY_ERROR,
              std::string("cuDNN has no ") + missing + "; expected cuDNN 9: name one in FXGRAPH_CUDNN");
}

const CudnnApi &CudnnApi::get() { return getOnce<CudnnApi>(openCudnn); }

/// One handle per context, alive while a step uses it.
static std::shared_ptr<CudnnSession> getSession(cu::Context context) {
  static std::mutex mutex;
  static auto *sessions = new std::map<cu::Context, std::weak_ptr<CudnnSession>>();
  std::lock_guard<std::mutex> lock(mutex);
  std::weak_ptr<CudnnSession> &slot = (*sessions)[context];
  if (std::shared_ptr<CudnnSession> session = slot.lock())
    return session;
  auto session = std::make_shared<CudnnSession>(CudnnApi::get());
  slot = session;
  return session;
}

namespace {

/// A backend descriptor, destroyed with its owner.
class Descriptor {
public:
  Descriptor(const CudnnApi &api, int type) : api(&api) {
    api.check(api.cudnnBackendCreateDescriptor(type, &raw), "cudnnBackendCreateDescriptor");
  }
  Descriptor(Descriptor &&other) noexcept : api(other.api), raw(other.raw) { other.raw = nullptr; }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() {
    if (raw)
      api->cudnnBackendDestroyDescriptor(raw);
  }

  dnn::Descriptor get() const { return raw; }

  void set(int name, int type, int64_t count, const void *values) {
    api->check(api->cudnnBackendSetAttribute(raw, name, type, count, values), "cudnnBackendSetAttribute");
  }
  void setType(int name, int value) { set(name, dnn::AttrDataType, 1, &value); }
  void setInt(int name, int64_t value) { set(name, dnn::AttrInt64, 1, &value); }
  void setInts(int name, const std::vector<int64_t> &values) {
    set(name, dnn::AttrInt64, static_cast<int64_t>(values.size()), values.data());
  }
  void setDescriptor(int name, const Descriptor &other) { set(name, dnn::AttrBackendDescriptor, 1, &other.raw); }
  void setHandle(int name, dnn::Handle handle) { set(name, dnn::AttrHandle, 1, &handle); }
  dnn::Status tryFinalize() { return api->cudnnBackendFinalize(raw); }
  void finalize() { api->check(tryFinalize(), "cudnnBackendFinalize"); }

private:
  const CudnnApi *api;
  dnn::Descriptor raw = nullptr;
};

} // namespace

//===----------------------------------------------------------------------===//
// Bias and ReLU
//===----------------------------------------------------------------------===//

/// One PTX function per type: y[i] = relu(y[i] + bias[i / inner % channels]),
/// each half of it optional. x < 0 ? 0 : x keeps NaN and -0 as PyTorch does.
static void appendEpilogueKernel(std::string &ptx, const char *name, unsigned shift, const char *load,
                                 const char *store, const char *type) {
  bool isDouble = std::strcmp(type, "f64") == 0;
  std::string registers = isDouble ? "%g" : "%f";
  std::string zero = isDouble ? "0d0000000000000000" : "0f00000000";
  auto value = [&](int number) { return registers + std::to_string(number); };
  auto replace = [&](std::string text, const std::string &to) {
    for (size_t at; (at = text.find('@')) != std::string::npos;)
      text.replace(at, 1, to);
    return text;
  };
  ptx += std::string(".visible .entry fxgraph_bias_") + name + R"(
  (.param .u64 py, .param .u64 pbias, .param .u32 ptotal, .param .u32 pinner,
   .param .u32 pchannels, .param .u32 pflags)
  .maxntid 256, 1, 1
{
  .reg .pred %p<4>;
  .reg .b16 %h<4>;
  .reg .b32 %r<16>;
  .reg .b64 %d<8>;
  .reg .f32 %f<4>;
  .reg .f64 %g<4>;
  ld.param.u64 %d0, [py];
  ld.param.u64 %d1, [pbias];
  ld.param.u32 %r0, [ptotal];
  ld.param.u32 %r1, [pinner];
  ld.param.u32 %r2, [pchannels];
  ld.param.u32 %r3, [pflags];
  mov.u32 %r4, %ctaid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.u32 %r6, %r4, 256, %r5;
  setp.ge.u32 %p0, %r6, %r0;
  @%p0 bra done;
  cvta.to.global.u64 %d0, %d0;
  mul.wide.u32 %d2, %r6, )" +
         std::to_string(1u << shift) + ";\n  add.u64 %d3, %d0, %d2;\n";
  ptx += replace(load, "%d3");
  ptx += "  mov." + std::string(type) + " " + value(1) + ", " + value(0) +
         ";\n"
         "  and.b32 %r7, %r3, 1;\n"
         "  setp.eq.u32 %p1, %r7, 0;\n"
         "  @%p1 bra nobias;\n"
         "  cvta.to.global.u64 %d1, %d1;\n"
         "  div.u32 %r8, %r6, %r1;\n"
         "  rem.u32 %r9, %r8, %r2;\n"
         "  mul.wide.u32 %d4, %r9, " +
         std::to_string(1u << shift) +
         ";\n"
         "  add.u64 %d5, %d1, %d4;\n";
  ptx += replace(load, "%d5");
  ptx += "  add.rn." + std::string(type) + " " + value(1) + ", " + value(1) + ", " + value(0) +
         ";\n"
         "nobias:\n"
         "  and.b32 %r10, %r3, 2;\n"
         "  setp.eq.u32 %p2, %r10, 0;\n"
         "  @%p2 bra norelu;\n"
         "  setp.lt." +
         std::string(type) + " %p3, " + value(1) + ", " + zero +
         ";\n"
         "  selp." +
         type + " " + value(1) + ", " + zero + ", " + value(1) +
         ", %p3;\n"
         "norelu:\n";
  ptx += replace(store, "%d3");
  ptx += "done:\n  ret;\n}\n";
}

static std::string makeEpiloguePtx() {
  // cvt to bf16 is the only instruction that wants sm_80 (and PTX 7.0).
  std::string ptx = ".version 7.8\n.target sm_80\n.address_size 64\n";
  appendEpilogueKernel(ptx, "f32", 2, "  ld.global.f32 %f0, [@];\n", "  st.global.f32 [@], %f1;\n", "f32");
  appendEpilogueKernel(ptx, "f64", 3, "  ld.global.f64 %g0, [@];\n", "  st.global.f64 [@], %g1;\n", "f64");
  appendEpilogueKernel(ptx, "f16", 1,
                       "  ld.global.b16 %h0, [@];\n"
                       "  cvt.f32.f16 %f0, %h0;\n",
                       "  cvt.rn.f16.f32 %h1, %f1;\n"
                       "  st.global.b16 [@], %h1;\n",
                       "f32");
  appendEpilogueKernel(ptx, "bf16", 1,
                       "  ld.global.u16 %h0, [@];\n"
                       "  cvt.u32.u16 %r11, %h0;\n"
                       "  shl.b32 %r11, %r11, 16;\n"
                       "  mov.b32 %f0, %r11;\n",
                       "  cvt.rn.bf16.f32 %h1, %f1;\n"
                       "  st.global.b16 [@], %h1;\n",
                       "f32");
  return ptx;
}

namespace {

/// The kernels above, loaded while a step uses them. A library belongs to no
/// context; a function does.
class EpilogueLibrary {
public:
  explicit EpilogueLibrary(const DriverApi &driver) : driver(driver) {
    static const std::string *ptx = new std::string(makeEpiloguePtx());
    driver.check(driver.cuLibraryLoadData(&library, ptx->c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
                 "cuLibraryLoadData", "the runtime's bias kernels");
  }
  ~EpilogueLibrary() { driver.cuLibraryUnload(library); }
  EpilogueLibrary(const EpilogueLibrary &) = delete;
  EpilogueLibrary &operator=(const EpilogueLibrary &) = delete;

  cu::Function getFunction(DType dtype) const {
    cu::Kernel kernel = nullptr;
    cu::Function function = nullptr;
    std::string name = std::string("fxgraph_bias_") + getDTypeName(dtype);
    driver.check(driver.cuLibraryGetKernel(&kernel, library, name.c_str()), "cuLibraryGetKernel", name);
    driver.check(driver.cuKernelGetFunction(&function, kernel), "cuKernelGetFunction", name);
    return function;
  }

  static std::shared_ptr<EpilogueLibrary> get(const DriverApi &driver) {
    static std::mutex mutex;
    static auto *shared = new std::weak_ptr<EpilogueLibrary>();
    std::lock_guard<std::mutex> lock(mutex);
    std::shared_ptr<EpilogueLibrary> library = shared->lock();
    if (!library) {
      library = std::make_shared<EpilogueLibrary>(driver);
      *shared = library;
    }
    return library;
  }

private:
  const DriverApi &driver;
  cu::Library library = nullptr;
};

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

class CompiledConv : public CompiledStep {
public:
  CompiledConv(const LibraryContext &library, const ConvStep &step, uint64_t &workspaceBytes);

  void enqueue(const RunContext &run) const override;

private:
  void chooseEngine(const LibraryContext &library, const Descriptor &graph);
  /// Whether the engine of `config` may be used at all.
  bool isAcceptable(const LibraryContext &library, const Descriptor &config);
  void enqueueEpilogue(const RunContext &run) const;

  const CudnnApi &api;
  std::shared_ptr<CudnnSession> session;
  const ConvStep &step; ///< in the plan, which the graph owns
  Address input, filter, output, bias;
  /// What the plan was made from: the library may refer to it.
  std::vector<Descriptor> parts;
  std::unique_ptr<Descriptor> plan;
  uint64_t planWorkspaceBytes = 0;
  std::shared_ptr<EpilogueLibrary> epilogue;
  cu::Function epilogueFunction = nullptr;
  uint32_t total = 0, inner = 1;
};

} // namespace

static int getDnnType(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return dnn::TypeF16;
  case DType::BF16:
    return dnn::TypeBF16;
  case DType::F64:
    return dnn::TypeF64;
  default:
    return dnn::TypeF32;
  }
}

/// cuDNN has no 1-D convolution: a height of 1 makes it 2-D.
static std::vector<int64_t> to2D(std::vector<int64_t> sizes, size_t spatial, int64_t filler) {
  if (spatial == 1)
    sizes.insert(sizes.end() - 1, filler);
  return sizes;
}

static std::vector<int64_t> getStrides(const std::vector<int64_t> &shape, ConvLayout layout) {
  size_t rank = shape.size();
  std::vector<int64_t> strides(rank);
  int64_t stride = 1;
  if (layout == ConvLayout::ChannelsLast) {
    strides[1] = 1;
    stride = shape[1];
  }
  for (size_t i = rank; i-- > 0;) {
    if (layout == ConvLayout::ChannelsLast && i == 1)
      continue;
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

static Descriptor makeTensor(const CudnnApi &api, int64_t id, DType dtype, const std::vector<int64_t> &shape,
                             ConvLayout layout, uint64_t alignment) {
  Descriptor tensor(api, dnn::DescTensor);
  tensor.setType(dnn::TensorDataType, getDnnType(dtype));
  tensor.setInts(dnn::TensorDimensions, shape);
  tensor.setInts(dnn::TensorStrides, getStrides(shape, layout));
  tensor.setInt(dnn::TensorUniqueId, id);
  tensor.setInt(dnn::TensorByteAlignment, static_cast<int64_t>(std::min<uint64_t>(alignment, 256)));
  tensor.finalize();
  return tensor;
}

static constexpr int64_t inputId = 1, filterId = 2, outputId = 3;

CompiledConv::CompiledConv(const LibraryContext &library, const ConvStep &step, uint64_t &workspaceBytes)
    : api(CudnnApi::get()), session(getSession(library.context)), step(step), input(library.getAddress(step.input)),
      filter(library.getAddress(step.filter)), output(library.getAddress(step.output)) {
  const LaunchPlan &launchPlan = library.plan;
  size_t spatial = step.stride.size();
  size_t dnnSpatial = std::max<size_t>(spatial, 2);
  Descriptor x = makeTensor(api, inputId, step.dtype, to2D(step.inputShape, spatial, 1), step.layout,
                            launchPlan.getAlignment(step.input));
  Descriptor w = makeTensor(api, filterId, step.dtype, to2D(step.filterShape, spatial, 1), step.layout,
                            launchPlan.getAlignment(step.filter));
  Descriptor y = makeTensor(api, outputId, step.dtype, to2D(step.outputShape, spatial, 1), step.layout,
                            launchPlan.getAlignment(step.output));

  bool isDouble = step.dtype == DType::F64;
  Descriptor conv(api, dnn::DescConvolution);
  conv.setType(dnn::ConvolutionCompType, isDouble ? dnn::TypeF64 : dnn::TypeF32);
  int mode = dnn::ConvModeCrossCorrelation;
  conv.set(dnn::ConvolutionConvMode, dnn::AttrConvolutionMode, 1, &mode);
  conv.setInt(dnn::ConvolutionSpatialDims, static_cast<int64_t>(dnnSpatial));
  conv.setInts(dnn::ConvolutionDilations, to2D(step.dilation, spatial, 1));
  conv.setInts(dnn::ConvolutionFilterStrides, to2D(step.stride, spatial, 1));
  conv.setInts(dnn::ConvolutionPrePaddings, to2D(step.padding, spatial, 0));
  conv.setInts(dnn::ConvolutionPostPaddings, to2D(step.padding, spatial, 0));
  conv.finalize();

  Descriptor operation(api, dnn::DescOperationConvolutionForward);
  double one = 1, zero = 0;
  float oneFloat = 1, zeroFloat = 0;
  operation.set(dnn::OperationConvolutionForwardAlpha, isDouble ? dnn::AttrDouble : dnn::AttrFloat, 1,
                isDouble ? static_cast<const void *>(&one) : &oneFloat);
  operation.set(dnn::OperationConvolutionForwardBeta, isDouble ? dnn::AttrDouble : dnn::AttrFloat, 1,
                isDouble ? static_cast<const void *>(&zero) : &zeroFloat);
  operation.setDescriptor(dnn::OperationConvolutionForwardConvDesc, conv);
  operation.setDescriptor(dnn::OperationConvolutionForwardX, x);
  operation.setDescriptor(dnn::OperationConvolutionForwardW, w);
  operation.setDescriptor(dnn::OperationConvolutionForwardY, y);
  operation.finalize();

  Descriptor graph(api, dnn::DescOperationGraph);
  graph.setHandle(dnn::OperationGraphHandle, session->handle);
  graph.setDescriptor(dnn::OperationGraphOps, operation);
  {
    std::lock_guard<std::mutex> lock(session->mutex);
    graph.finalize();
    chooseEngine(library, graph);
  }
  for (Descriptor *part : {&x, &w, &y, &conv, &operation, &graph})
    parts.push_back(std::move(*part));
  workspaceBytes = std::max(workspaceBytes, planWorkspaceBytes);

  if (!step.hasBias && !step.relu)
    return;
  uint64_t elements = 1;
  for (int64_t size : step.outputShape)
    elements *= static_cast<uint64_t>(size);
  if (elements > 0x7fffffff)
    throw Error(FXRT_UNSUPPORTED, "bias and activation of a convolution reach 2147483647 "
                                  "elements but the output has " +
                                      std::to_string(elements) + "; lower them to a kernel");
  total = static_cast<uint32_t>(elements);
  if (step.layout == ConvLayout::Channelsfirst)
    for (size_t i = 2; i < step.outputShape.size(); ++i)
      inner *= static_cast<uint32_t>(step.outputShape[i]);
  if (step.hasBias)
    bias = library.getAddress(step.bias);
  epilogue = EpilogueLibrary::get(library.driver);
  epilogueFunction = epilogue->getFunction(step.dtype);
}

bool CompiledConv::isAcceptable(const LibraryContext &library, const Descriptor &config) {
  Descriptor engine(api, dnn::DescEngine);
  dnn::Descriptor raw = engine.get();
  int64_t count = 0;
  api.check(
      api.cudnnBackendGetAttribute(config.get(), dnn::EngineCfgEngine, dnn::AttrBackendDescriptor, 1, &count, &raw),
      "cudnnBackendGetAttribute");
  int notes[dnn::NoteCount];
  api.check(api.cudnnBackendGetAttribute(engine.get(), dnn::EngineNumericalNote, dnn::AttrNumericalNote, dnn::NoteCount,
                                         &count, notes),
            "cudnnBackendGetAttribute");
  count = std::min<int64_t>(count, dnn::NoteCount);
  auto hasNote = [&](int note) { return std::find(notes, notes + count, note) != notes + count; };
  if (hasNote(dnn::NoteNondeterministic) || hasNote(dnn::NoteReducedPrecisionReduction))
    return false;
  bool isFull = step.dtype == DType::F32 && !library.plan.allowTF32;
  return !isFull || (!hasNote(dnn::NoteTensorCore) && !hasNote(dnn::NoteDownConvertInputs));
}

void CompiledConv::chooseEngine(const LibraryContext &library, const Descriptor &graph) {
  size_t listed = 0, refused = 0;
  for (int mode : {dnn::HeurModeA, dnn::HeurModeFallback}) {
    Descriptor heuristic(api, dnn::DescEngineHeur);
    heuristic.setDescriptor(dnn::EngineHeurOperationGraph, graph);
    heuristic.set(dnn::EngineHeurMode, dnn::AttrHeurMode, 1, &mode);
    // A heuristic that knows nothing about this convolution is no failure: the
    // next one may.
    if (heuristic.tryFinalize() != dnn::StatusSuccess)
      continue;
    int64_t count = 0;
    if (api.cudnnBackendGetAttribute(heuristic.get(), dnn::EngineHeurResults, dnn::AttrBackendDescriptor, 0, &count,
                                     nullptr) != dnn::StatusSuccess)
      continue;
    std::vector<Descriptor> configs;
    std::vector<dnn::Descriptor> raw;
    for (int64_t i = 0; i < count; ++i) {
      configs.emplace_back(api, dnn::DescEngineCfg);
      raw.push_back(configs.back().get());
    }
    if (count)
      api.check(api.cudnnBackendGetAttribute(heuristic.get(), dnn::EngineHeurResults, dnn::AttrBackendDescriptor, count,
                                             &count, raw.data()),
                "cudnnBackendGetAttribute");
    for (int64_t i = 0; i < count; ++i) {
      ++listed;
      if (!isAcceptable(library, configs[i])) {
        ++refused;
        continue;
      }
      auto candidate = std::make_unique<Descriptor>(api, dnn::DescExecutionPlan);
      candidate->setHandle(dnn::ExecutionPlanHandle, session->handle);
      candidate->setDescriptor(dnn::ExecutionPlanEngineConfig, configs[i]);
      // Heuristics list engines that then decline the exact shape.
      if (candidate->tryFinalize() != dnn::StatusSuccess)
        continue;
      int64_t bytes = 0, got = 0;
      api.check(api.cudnnBackendGetAttribute(candidate->get(), dnn::ExecutionPlanWorkspaceSize, dnn::AttrInt64, 1, &got,
                                             &bytes),
                "cudnnBackendGetAttribute");
      if (bytes < 0 || static_cast<uint64_t>(bytes) > step.workspaceLimit)
        continue;
      plan = std::move(candidate);
      parts.push_back(std::move(configs[i]));
      planWorkspaceBytes = static_cast<uint64_t>(bytes);
      return;
    }
  }
  throw Error(FXRT_UNSUPPORTED, "cuDNN has no engine for this convolution: it listed " + std::to_string(listed) +
                                    ", of which " + std::to_string(refused) +
                                    " are not deterministic or less precise than asked for and "
                                    "the others decline or exceed the workspace limit of " +
                                    std::to_string(step.workspaceLimit) +
                                    " bytes; raise workspace_limit_bytes, or lower the "
                                    "convolution to a kernel");
}

void CompiledConv::enqueue(const RunContext &run) const {
  int64_t ids[3] = {inputId, filterId, outputId};
  void *pointers[3] = {reinterpret_cast<void *>(input.resolve(run.bases)),
                       reinterpret_cast<void *>(filter.resolve(run.bases)),
                       reinterpret_cast<void *>(output.resolve(run.bases))};
  void *workspace = planWorkspaceBytes ? reinterpret_cast<void *>(run.libraryWorkspace) : nullptr;
  // A finalized descriptor cannot be changed, and the addresses are new.
  Descriptor pack(api, dnn::DescVariantPack);
  pack.set(dnn::VariantPackUniqueIds, dnn::AttrInt64, 3, ids);
  pack.set(dnn::VariantPackDataPointers, dnn::AttrVoidPtr, 3, pointers);
  pack.set(dnn::VariantPackWorkspace, dnn::AttrVoidPtr, 1, &workspace);
  pack.finalize();
  {
    std::lock_guard<std::mutex> lock(session->mutex);
    api.check(api.cudnnSetStream(session->handle, run.stream), "cudnnSetStream");
    api.check(api.cudnnBackendExecute(session->handle, plan->get(), pack.get()), "cudnnBackendExecute");
  }
  if (epilogueFunction)
    enqueueEpilogue(run);
}

void CompiledConv::enqueueEpilogue(const RunContext &run) const {
  cu::DevicePtr y = output.resolve(run.bases);
  cu::DevicePtr b = step.hasBias ? bias.resolve(run.bases) : 0;
  uint32_t count = total, size = inner, channels = static_cast<uint32_t>(step.outputShape[1]);
  uint32_t flags = (step.hasBias ? 1u : 0u) | (step.relu ? 2u : 0u);
  void *parameters[] = {&y, &b, &count, &size, &channels, &flags};
  run.driver.check(run.driver.cuLaunchKernel(epilogueFunction, (total + 255) / 256, 1, 1, 256, 1, 1, 0, run.stream,
                                             parameters, nullptr),
                   "cuLaunchKernel", "the bias and activation");
}

std::unique_ptr<CompiledStep> fxgraph::runtime::compileConv(const LibraryContext &library, const ConvStep &step,
                                                            uint64_t &workspaceBytes) {
  return std::make_unique<CompiledConv>(library, step, workspaceBytes);
}
