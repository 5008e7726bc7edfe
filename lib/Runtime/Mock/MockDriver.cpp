//===- MockDriver.cpp - A CUDA driver over host memory --------------------===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MockState.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>

using namespace fxgraph::runtime;
using namespace fxgraph::runtime::mock;

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

namespace {

struct Allocation {
  size_t bytes;
  int number;
};

struct KernelParameter {
  size_t offset = 0, bytes = 0;
  bool isFloat = false, isArray = false;
};

struct HostKernel {
  FxGraphMockKernel body = nullptr;
  void *user = nullptr;
};

} // namespace

namespace fxgraph {
namespace runtime {
namespace cu {

struct ContextOpaque {
  Device device;
};

struct KernelOpaque {
  std::string name;
  std::vector<KernelParameter> parameters;
  /// False for kernels of a cubin or fatbin, which the mock does not decode.
  bool hasParameters = false;
  int maxThreads = 1024;
  int maxDynamicShared = 48 * 1024;
  bool nonPortableCluster = false;
};

struct LibraryOpaque {
  std::map<std::string, std::unique_ptr<KernelOpaque>> kernels;
  bool acceptsAnyName = false;
  std::string elf;
};

struct StreamOpaque {
  int number;
  /// The stream that is being captured, if this one is with it.
  StreamOpaque *capture = nullptr;
  std::vector<std::function<Result()>> captured; ///< of all streams of the capture
  /// Operations that wait for other processes, and what comes behind them: they run when
  /// somebody waits for them, as late as a device may run them.
  std::deque<std::function<Result()>> pending;
  uint64_t enqueued = 0, completed = 0;
  uint64_t joined = 0; ///< of those enqueued, how many the capture's stream waits for
};

struct EventOpaque {
  std::chrono::steady_clock::time_point time;
  bool recorded = false;
  /// What was in the stream when it was recorded there.
  Stream stream = nullptr;
  uint64_t position = 0;
};

struct GraphOpaque {
  std::vector<std::function<Result()>> operations;
};

struct GraphExecOpaque {
  std::vector<std::function<Result()>> operations;
};

} // namespace cu
} // namespace runtime
} // namespace fxgraph

namespace {

struct State {
  std::recursive_mutex mutex;
  std::map<cu::DevicePtr, Allocation> allocations;
  int nextAllocation = 1, nextStream = 1;
  std::set<cu::Stream> streams;
  std::map<int, std::unique_ptr<cu::ContextOpaque>> primaryContexts;
  std::map<std::string, HostKernel> hostKernels;
  std::map<std::string, int> callCounts;
  int liveObjects = 0;
};

} // namespace

static State &state() {
  static auto *instance = new State();
  return *instance;
}

static thread_local std::vector<cu::Context> contexts;
static thread_local std::map<std::string, HostKernel> threadKernels;
/// Streams that this thread captures.
static thread_local int capturing = 0;

using Lock = std::lock_guard<std::recursive_mutex>;

int mock::getInjectedFailure(const char *call) {
  const char *wish = std::getenv("FXGRAPH_MOCK_FAIL");
  if (!wish || !*wish)
    return 0;
  std::string text = wish;
  size_t equals = text.find('='), at = text.find('@');
  if (equals == std::string::npos || text.substr(0, equals) != call)
    return 0;
  int code = std::atoi(text.c_str() + equals + 1);
  if (at == std::string::npos)
    return code;
  Lock lock(state().mutex);
  int count = ++state().callCounts[text];
  return count == std::atoi(text.c_str() + at + 1) ? code : 0;
}

#define FXGRAPH_MOCK_BEGIN(call)                                                                                       \
  if (int code = getInjectedFailure(call))                                                                             \
    return code;                                                                                                       \
  Lock lock(state().mutex)

void mock::log(const std::string &line) {
  const char *path = std::getenv("FXGRAPH_MOCK_LOG");
  if (!path || !*path)
    return;
  Lock lock(state().mutex);
  if (FILE *file = std::fopen(path, "a")) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
}

/// The allocation that holds `pointer` (or ends at it).
static std::map<cu::DevicePtr, Allocation>::iterator findAllocation(cu::DevicePtr pointer) {
  auto &allocations = state().allocations;
  auto it = allocations.upper_bound(pointer);
  if (it == allocations.begin())
    return allocations.end();
  --it;
  return pointer <= it->first + it->second.bytes ? it : allocations.end();
}

std::string mock::describePointer(cu::DevicePtr pointer) {
  Lock lock(state().mutex);
  char text[64];
  auto it = findAllocation(pointer);
  if (it == state().allocations.end())
    std::snprintf(text, sizeof(text), "0x%llx", pointer);
  else
    std::snprintf(text, sizeof(text), "alloc%d+0x%llx", it->second.number, pointer - it->first);
  return text;
}

bool mock::isDeviceRange(cu::DevicePtr pointer, size_t bytes) {
  Lock lock(state().mutex);
  auto it = findAllocation(pointer);
  return it != state().allocations.end() && bytes <= it->second.bytes - (pointer - it->first);
}

bool mock::isLiveStream(cu::Stream stream) {
  Lock lock(state().mutex);
  return !stream || state().streams.count(stream);
}

std::string mock::describeStream(cu::Stream stream) {
  Lock lock(state().mutex);
  if (!isLiveStream(stream))
    return "dead";
  return std::to_string(stream ? stream->number : 0);
}

static cu::Result enqueue(cu::Stream stream, std::function<cu::Result()> operation, bool waitsForOthers) {
  {
    Lock lock(state().mutex);
    if (!isLiveStream(stream))
      return cu::ErrorInvalidHandle;
    if (stream)
      ++stream->enqueued;
    if (stream && stream->capture) {
      stream->capture->captured.push_back(std::move(operation));
      return cu::Success;
    }
    if (stream && (waitsForOthers || !stream->pending.empty())) {
      stream->pending.push_back(std::move(operation));
      return cu::Success;
    }
    if (stream)
      ++stream->completed;
  }
  return operation();
}

cu::Result mock::enqueue(cu::Stream stream, std::function<cu::Result()> operation) {
  return ::enqueue(stream, std::move(operation), /*waitsForOthers=*/false);
}

cu::Result mock::enqueueForOthers(cu::Stream stream, std::function<cu::Result()> operation) {
  return ::enqueue(stream, std::move(operation), /*waitsForOthers=*/true);
}

/// Runs what the stream holds up to a position. Other threads may run meanwhile: they are
/// the processes that an operation waits for.
static cu::Result runPending(cu::Stream stream, uint64_t position) {
  while (stream) {
    std::function<cu::Result()> operation;
    {
      Lock lock(state().mutex);
      if (stream->pending.empty() || stream->completed >= position)
        return cu::Success;
      operation = std::move(stream->pending.front());
      stream->pending.pop_front();
      ++stream->completed;
    }
    if (cu::Result result = operation())
      return result;
  }
  return cu::Success;
}

void mock::addLiveObjects(int count) {
  Lock lock(state().mutex);
  state().liveObjects += count;
}

static void registerKernel(std::map<std::string, HostKernel> &kernels, const char *name, FxGraphMockKernel body,
                           void *user) {
  if (body)
    kernels[name] = {body, user};
  else
    kernels.erase(name);
}

void fxgraphMockRegisterKernel(const char *name, FxGraphMockKernel body, void *user) {
  Lock lock(state().mutex);
  registerKernel(state().hostKernels, name, body, user);
}

void fxgraphMockRegisterThreadKernel(const char *name, FxGraphMockKernel body, void *user) {
  registerKernel(threadKernels, name, body, user);
}

bool fxgraphMockFindMemory(uint64_t address, uint64_t *first, uint64_t *end) {
  Lock lock(state().mutex);
  auto it = findAllocation(address);
  if (it == state().allocations.end())
    return false;
  *first = it->first;
  *end = it->first + it->second.bytes;
  return true;
}

int fxgraphMockLiveObjects(void) {
  Lock lock(state().mutex);
  return state().liveObjects;
}

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

static std::string stripComments(const std::string &text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) {
      while (i < text.size() && text[i] != '\n')
        ++i;
    } else if (text.compare(i, 2, "/*") == 0) {
      size_t end = text.find("*/", i + 2);
      i = end == std::string::npos ? text.size() : end + 1;
      continue;
    }
    if (i < text.size())
      result += text[i];
  }
  return result;
}

static std::vector<std::string> getTokens(const std::string &text) {
  std::vector<std::string> tokens;
  std::string token;
  for (char c : text + " ") {
    if (std::strchr(" \t\r\n", c)) {
      if (!token.empty())
        tokens.push_back(token);
      token.clear();
    } else {
      token += c;
    }
  }
  return tokens;
}

/// ".param .align 64 .b8 name[128]" or ".param .u64 .ptr .global name".
static KernelParameter parseParameter(const std::string &text, size_t &offset) {
  KernelParameter parameter;
  size_t elementBytes = 0, alignment = 0;
  std::vector<std::string> tokens = getTokens(text);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string &token = tokens[i];
    if (token == ".align" && i + 1 < tokens.size() && !alignment)
      alignment = std::atoi(tokens[++i].c_str());
    else if (!elementBytes && token.size() >= 3 && token[0] == '.' && std::strchr("usbf", token[1]) &&
             std::isdigit(token[2])) {
      elementBytes = std::atoi(token.c_str() + 2) / 8;
      parameter.isFloat = token[1] == 'f';
      // An alignment after the type is that of what a pointer points to.
      if (!alignment)
        alignment = elementBytes;
    }
  }
  parameter.bytes = elementBytes;
  size_t bracket = text.find('[');
  if (bracket != std::string::npos) {
    parameter.isArray = true;
    parameter.bytes = elementBytes * std::atoi(text.c_str() + bracket + 1);
  }
  if (alignment)
    offset = (offset + alignment - 1) / alignment * alignment;
  parameter.offset = offset;
  offset += parameter.bytes;
  return parameter;
}

/// Fills in the library's kernels; false where the text is no PTX.
static bool parsePtx(const char *code, cu::LibraryOpaque &library) {
  std::string text = stripComments(code);
  if (std::count(text.begin(), text.end(), '{') != std::count(text.begin(), text.end(), '}'))
    return false;
  size_t at = 0;
  while ((at = text.find(".entry", at)) != std::string::npos) {
    at += 6;
    size_t open = text.find_first_of("({", at);
    if (open == std::string::npos)
      return false;
    std::vector<std::string> name = getTokens(text.substr(at, open - at));
    if (name.empty())
      return false;
    auto kernel = std::make_unique<cu::KernelOpaque>();
    kernel->name = name[0];
    kernel->hasParameters = true;
    size_t close = open;
    if (text[open] == '(') {
      close = text.find(')', open);
      if (close == std::string::npos)
        return false;
      size_t offset = 0, begin = open + 1;
      while (begin < close) {
        size_t end = std::min(text.find(',', begin), close);
        std::string parameter = text.substr(begin, end - begin);
        if (!getTokens(parameter).empty())
          kernel->parameters.push_back(parseParameter(parameter, offset));
        begin = end + 1;
      }
    }
    size_t body = text.find('{', close);
    if (body == std::string::npos)
      return false;
    std::string directives = text.substr(close, body - close);
    size_t maxntid = directives.find(".maxntid");
    if (maxntid != std::string::npos) {
      int x = 1, y = 1, z = 1;
      std::sscanf(directives.c_str() + maxntid, ".maxntid %d , %d , %d", &x, &y, &z);
      kernel->maxThreads = x * y * z;
    }
    std::string key = kernel->name;
    library.kernels[key] = std::move(kernel);
    at = body;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

FXGRAPH_MOCK_EXPORT cu::Result cuGetErrorName(cu::Result error, const char **name) {
  switch (error) {
#define FXGRAPH_CASE(code, text)                                                                                       \
  case code:                                                                                                           \
    *name = text;                                                                                                      \
    return cu::Success;
    FXGRAPH_CASE(cu::Success, "CUDA_SUCCESS")
    FXGRAPH_CASE(cu::ErrorInvalidValue, "CUDA_ERROR_INVALID_VALUE")
    FXGRAPH_CASE(cu::ErrorOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY")
    FXGRAPH_CASE(cu::ErrorNotInitialized, "CUDA_ERROR_NOT_INITIALIZED")
    FXGRAPH_CASE(cu::ErrorStubLibrary, "CUDA_ERROR_STUB_LIBRARY")
    FXGRAPH_CASE(cu::ErrorNoDevice, "CUDA_ERROR_NO_DEVICE")
    FXGRAPH_CASE(cu::ErrorInvalidDevice, "CUDA_ERROR_INVALID_DEVICE")
    FXGRAPH_CASE(cu::ErrorInvalidImage, "CUDA_ERROR_INVALID_IMAGE")
    FXGRAPH_CASE(cu::ErrorInvalidContext, "CUDA_ERROR_INVALID_CONTEXT")
    FXGRAPH_CASE(cu::ErrorNoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU")
    FXGRAPH_CASE(cu::ErrorInvalidPtx, "CUDA_ERROR_INVALID_PTX")
    FXGRAPH_CASE(cu::ErrorInvalidHandle, "CUDA_ERROR_INVALID_HANDLE")
    FXGRAPH_CASE(cu::ErrorNotFound, "CUDA_ERROR_NOT_FOUND")
    FXGRAPH_CASE(cu::ErrorIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS")
    FXGRAPH_CASE(cu::ErrorLaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES")
    FXGRAPH_CASE(cu::ErrorLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED")
    FXGRAPH_CASE(cu::ErrorNotSupported, "CUDA_ERROR_NOT_SUPPORTED")
    FXGRAPH_CASE(cu::ErrorStreamCaptureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED")
    FXGRAPH_CASE(cu::ErrorStreamCaptureUnmatched, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED")
    FXGRAPH_CASE(cu::ErrorStreamCaptureUnjoined, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED")
    FXGRAPH_CASE(cu::ErrorInvalidClusterSize, "CUDA_ERROR_INVALID_CLUSTER_SIZE")
#undef FXGRAPH_CASE
  default:
    *name = nullptr;
    return cu::ErrorInvalidValue;
  }
}

FXGRAPH_MOCK_EXPORT cu::Result cuGetErrorString(cu::Result error, const char **text) {
  const char *name = nullptr;
  if (cuGetErrorName(error, &name) != cu::Success) {
    *text = nullptr;
    return cu::ErrorInvalidValue;
  }
  *text = "reported by the mock driver";
  return cu::Success;
}

//===----------------------------------------------------------------------===//
// Devices and contexts
//===----------------------------------------------------------------------===//

FXGRAPH_MOCK_EXPORT cu::Result cuInit(unsigned flags) {
  FXGRAPH_MOCK_BEGIN("cuInit");
  return flags ? cu::ErrorInvalidValue : cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuDriverGetVersion(int *version) {
  const char *text = std::getenv("FXGRAPH_MOCK_VERSION");
  *version = text && *text ? std::atoi(text) : 13000;
  return cu::Success;
}

static int getDeviceCount() {
  const char *count = std::getenv("FXGRAPH_MOCK_DEVICES");
  return count && *count ? std::atoi(count) : 1;
}

FXGRAPH_MOCK_EXPORT cu::Result cuDeviceGetCount(int *count) {
  FXGRAPH_MOCK_BEGIN("cuDeviceGetCount");
  *count = getDeviceCount();
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuDeviceGet(cu::Device *device, int ordinal) {
  FXGRAPH_MOCK_BEGIN("cuDeviceGet");
  if (ordinal < 0 || ordinal >= getDeviceCount())
    return cu::ErrorInvalidDevice;
  *device = ordinal;
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuDeviceGetName(char *name, int length, cu::Device device) {
  std::snprintf(name, length, "Mock GPU %d", device);
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuDeviceGetAttribute(int *value, int attribute, cu::Device device) {
  const char *chip = std::getenv("FXGRAPH_MOCK_CHIP");
  int capability = chip && std::strlen(chip) > 3 ? std::atoi(chip + 3) : 90;
  switch (attribute) {
  case cu::DeviceAttributeComputeCapabilityMajor:
    *value = capability / 10;
    return cu::Success;
  case cu::DeviceAttributeComputeCapabilityMinor:
    *value = capability % 10;
    return cu::Success;
  case cu::DeviceAttributeMultiprocessorCount:
    *value = 132;
    return cu::Success;
  case cu::DeviceAttributeL2CacheSize:
    *value = 1 << 20;
    return cu::Success;
  case cu::DeviceAttributeMaxSharedMemoryPerBlockOptin:
    *value = 232448;
    return cu::Success;
  default:
    return cu::ErrorInvalidValue;
  }
}

FXGRAPH_MOCK_EXPORT cu::Result cuDeviceTotalMem_v2(size_t *bytes, cu::Device device) {
  *bytes = size_t(1) << 30;
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuDevicePrimaryCtxRetain(cu::Context *context, cu::Device device) {
  FXGRAPH_MOCK_BEGIN("cuDevicePrimaryCtxRetain");
  auto &primary = state().primaryContexts[device];
  if (!primary)
    primary.reset(new cu::ContextOpaque{device});
  *context = primary.get();
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuDevicePrimaryCtxRelease_v2(cu::Device) { return cu::Success; }

FXGRAPH_MOCK_EXPORT cu::Result cuCtxGetCurrent(cu::Context *context) {
  FXGRAPH_MOCK_BEGIN("cuCtxGetCurrent");
  *context = contexts.empty() ? nullptr : contexts.back();
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuCtxSetCurrent(cu::Context context) {
  if (!contexts.empty())
    contexts.pop_back();
  if (context)
    contexts.push_back(context);
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuCtxPushCurrent_v2(cu::Context context) {
  FXGRAPH_MOCK_BEGIN("cuCtxPushCurrent_v2");
  contexts.push_back(context);
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuCtxPopCurrent_v2(cu::Context *context) {
  if (contexts.empty())
    return cu::ErrorInvalidContext;
  if (context)
    *context = contexts.back();
  contexts.pop_back();
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuCtxGetDevice(cu::Device *device) {
  if (contexts.empty())
    return cu::ErrorInvalidContext;
  *device = contexts.back()->device;
  return cu::Success;
}

//===----------------------------------------------------------------------===//
// Libraries and kernels
//===----------------------------------------------------------------------===//

FXGRAPH_MOCK_EXPORT cu::Result cuLibraryLoadData(cu::Library *library, const void *code, int *jitOptions,
                                                 void **jitValues, unsigned numJitOptions, int *, void **, unsigned) {
  FXGRAPH_MOCK_BEGIN("cuLibraryLoadData");
  auto result = std::make_unique<cu::LibraryOpaque>();
  if (std::memcmp(code,
                  "\x7f"
                  "ELF",
                  4) == 0 ||
      std::memcmp(code, "\x50\xed\x55\xba", 4) == 0) {
    // Not decoded: any kernel name is taken, parameters are unknown.
    result->acceptsAnyName = true;
  } else if (!parsePtx(static_cast<const char *>(code), *result)) {
    for (unsigned i = 0; i < numJitOptions; ++i)
      if (jitOptions[i] == cu::JitErrorLogBuffer)
        std::strcpy(static_cast<char *>(jitValues[i]), "mock: unbalanced braces");
    return cu::ErrorInvalidPtx;
  }
  log("load kernels=" + std::to_string(result->kernels.size()));
  *library = result.release();
  addLiveObjects(1);
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuLibraryUnload(cu::Library library) {
  FXGRAPH_MOCK_BEGIN("cuLibraryUnload");
  delete library;
  addLiveObjects(-1);
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuLibraryGetKernel(cu::Kernel *kernel, cu::Library library, const char *name) {
  FXGRAPH_MOCK_BEGIN("cuLibraryGetKernel");
  auto it = library->kernels.find(name);
  if (it == library->kernels.end() && library->acceptsAnyName) {
    auto made = std::make_unique<cu::KernelOpaque>();
    made->name = name;
    it = library->kernels.emplace(name, std::move(made)).first;
  }
  if (it == library->kernels.end())
    return cu::ErrorNotFound;
  *kernel = it->second.get();
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuKernelGetFunction(cu::Function *function, cu::Kernel kernel) {
  FXGRAPH_MOCK_BEGIN("cuKernelGetFunction");
  *function = reinterpret_cast<cu::Function>(kernel);
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuKernelGetAttribute(int *value, int attribute, cu::Kernel kernel, cu::Device) {
  switch (attribute) {
  case cu::FuncAttributeMaxThreadsPerBlock:
    *value = kernel->maxThreads;
    return cu::Success;
  case cu::FuncAttributeSharedSizeBytes:
    *value = 0;
    return cu::Success;
  case cu::FuncAttributeMaxDynamicSharedSizeBytes:
    *value = kernel->maxDynamicShared;
    return cu::Success;
  default:
    return cu::ErrorInvalidValue;
  }
}

FXGRAPH_MOCK_EXPORT cu::Result cuKernelSetAttribute(int attribute, int value, cu::Kernel kernel, cu::Device) {
  FXGRAPH_MOCK_BEGIN("cuKernelSetAttribute");
  log("attribute name=" + kernel->name + " " + std::to_string(attribute) + "=" + std::to_string(value));
  if (attribute == cu::FuncAttributeMaxDynamicSharedSizeBytes)
    kernel->maxDynamicShared = value;
  else if (attribute == cu::FuncAttributeNonPortableClusterSizeAllowed)
    kernel->nonPortableCluster = value != 0;
  else
    return cu::ErrorInvalidValue;
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuKernelGetParamInfo(cu::Kernel kernel, size_t index, size_t *offset, size_t *bytes) {
  if (!kernel->hasParameters)
    return cu::ErrorNotSupported;
  if (index >= kernel->parameters.size())
    return cu::ErrorInvalidValue;
  *offset = kernel->parameters[index].offset;
  *bytes = kernel->parameters[index].bytes;
  return cu::Success;
}

static std::string describeDims(const unsigned dims[3]) {
  return std::to_string(dims[0]) + "x" + std::to_string(dims[1]) + "x" + std::to_string(dims[2]);
}

static std::string describeArguments(const cu::KernelOpaque &kernel, void **params) {
  if (!kernel.hasParameters)
    return "args=?";
  std::string text = "args=" + std::to_string(kernel.parameters.size()) + " [";
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const KernelParameter &parameter = kernel.parameters[i];
    if (i)
      text += ", ";
    char buffer[64];
    if (parameter.isArray) {
      std::snprintf(buffer, sizeof(buffer), "bytes[%zu]", parameter.bytes);
      text += buffer;
    } else if (parameter.isFloat && parameter.bytes == 4) {
      float value;
      std::memcpy(&value, params[i], 4);
      std::snprintf(buffer, sizeof(buffer), "f32:%.9g", value);
      text += buffer;
    } else if (parameter.isFloat) {
      double value;
      std::memcpy(&value, params[i], 8);
      std::snprintf(buffer, sizeof(buffer), "f64:%.17g", value);
      text += buffer;
    } else if (parameter.bytes == 8) {
      cu::DevicePtr value;
      std::memcpy(&value, params[i], 8);
      if (findAllocation(value) != state().allocations.end())
        text += describePointer(value);
      else
        text += "i64:" + std::to_string(static_cast<long long>(value));
    } else {
      uint32_t value = 0;
      std::memcpy(&value, params[i], std::min<size_t>(parameter.bytes, 4));
      text += "i" + std::to_string(parameter.bytes * 8) + ":" + std::to_string(static_cast<int32_t>(value));
    }
  }
  return text + "]";
}

static cu::Result launch(cu::Function function, const unsigned grid[3], const unsigned block[3], unsigned sharedBytes,
                         const unsigned cluster[3], bool programmatic, cu::Stream stream, void **params) {
  cu::KernelOpaque *kernel = reinterpret_cast<cu::KernelOpaque *>(function);
  for (int i = 0; i < 3; ++i)
    if (grid[i] == 0 || block[i] == 0)
      return cu::ErrorInvalidValue;
  if (uint64_t(block[0]) * block[1] * block[2] > static_cast<uint64_t>(kernel->maxThreads) ||
      sharedBytes > static_cast<unsigned>(kernel->maxDynamicShared))
    return cu::ErrorInvalidValue;
  if (cluster[0] && cluster[0] * cluster[1] * cluster[2] > 8 && !kernel->nonPortableCluster)
    return cu::ErrorInvalidClusterSize;
  if (!params && !kernel->parameters.empty())
    return cu::ErrorInvalidValue;
  // As the driver does, copy the parameters at the call.
  auto storage = std::make_shared<std::vector<std::vector<uint64_t>>>();
  for (size_t i = 0; i < kernel->parameters.size(); ++i) {
    storage->emplace_back(kernel->parameters[i].bytes / 8 + 1);
    std::memcpy(storage->back().data(), params[i], kernel->parameters[i].bytes);
  }
  std::array<unsigned, 3> gridCopy{grid[0], grid[1], grid[2]};
  std::array<unsigned, 3> blockCopy{block[0], block[1], block[2]};
  std::string clusterText = cluster[0] ? describeDims(cluster) : "none";
  std::string where = describeStream(stream);
  return enqueue(stream, [=]() -> cu::Result {
    std::vector<void *> pointers;
    for (std::vector<uint64_t> &words : *storage)
      pointers.push_back(words.data());
    log("launch name=" + kernel->name + " grid=" + describeDims(gridCopy.data()) +
        " block=" + describeDims(blockCopy.data()) + " shared=" + std::to_string(sharedBytes) +
        " cluster=" + clusterText + " programmatic=" + std::to_string(programmatic) + " stream=" + where + " " +
        describeArguments(*kernel, pointers.data()));
    for (const auto *kernels : {&threadKernels, &state().hostKernels})
      if (auto it = kernels->find(kernel->name); it != kernels->end()) {
        it->second.body(gridCopy.data(), blockCopy.data(), pointers.data(), it->second.user);
        break;
      }
    return cu::Success;
  });
}

FXGRAPH_MOCK_EXPORT cu::Result cuLaunchKernel(cu::Function function, unsigned gridX, unsigned gridY, unsigned gridZ,
                                              unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                                              cu::Stream stream, void **params, void **) {
  FXGRAPH_MOCK_BEGIN("cuLaunchKernel");
  unsigned grid[3] = {gridX, gridY, gridZ};
  unsigned block[3] = {blockX, blockY, blockZ};
  unsigned cluster[3] = {0, 0, 0};
  return launch(function, grid, block, sharedBytes, cluster, false, stream, params);
}

FXGRAPH_MOCK_EXPORT cu::Result cuLaunchKernelEx(const cu::LaunchConfig *config, cu::Function function, void **params,
                                                void **) {
  FXGRAPH_MOCK_BEGIN("cuLaunchKernelEx");
  unsigned grid[3] = {config->gridDimX, config->gridDimY, config->gridDimZ};
  unsigned block[3] = {config->blockDimX, config->blockDimY, config->blockDimZ};
  unsigned cluster[3] = {0, 0, 0};
  bool programmatic = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cu::LaunchAttribute &attribute = config->attrs[i];
    if (attribute.id == cu::LaunchAttributeClusterDimension) {
      cluster[0] = attribute.value.clusterDim.x;
      cluster[1] = attribute.value.clusterDim.y;
      cluster[2] = attribute.value.clusterDim.z;
      for (int d = 0; d < 3; ++d)
        if (cluster[d] == 0 || grid[d] % cluster[d])
          return cu::ErrorInvalidValue;
    } else if (attribute.id == cu::LaunchAttributeProgrammaticStreamSerialization) {
      programmatic = attribute.value.programmaticStreamSerializationAllowed;
    } else {
      return cu::ErrorInvalidValue;
    }
  }
  return launch(function, grid, block, config->sharedMemBytes, cluster, programmatic, config->stream, params);
}

/// Writes what a test can read back: address, type, rank, swizzle, then sizes.
FXGRAPH_MOCK_EXPORT cu::Result cuTensorMapEncodeTiled(cu::TensorMap *map, int dataType, uint32_t rank, void *address,
                                                      const uint64_t *dims, const uint64_t *strides,
                                                      const uint32_t *box, const uint32_t *elementStrides,
                                                      int interleave, int swizzle, int l2Promotion, int oobFill) {
  FXGRAPH_MOCK_BEGIN("cuTensorMapEncodeTiled");
  if (rank < 1 || rank > 5 || interleave != 0 || reinterpret_cast<uintptr_t>(address) % 16 ||
      reinterpret_cast<uintptr_t>(map) % 64)
    return cu::ErrorInvalidValue;
  std::memset(map, 0, sizeof(*map));
  map->opaque[0] = reinterpret_cast<uint64_t>(address);
  map->opaque[1] = uint64_t(dataType) | uint64_t(rank) << 8 | uint64_t(swizzle) << 16 | uint64_t(l2Promotion) << 24 |
                   uint64_t(oobFill) << 32;
  for (uint32_t i = 0; i < rank; ++i) {
    map->opaque[2 + i] = dims[i];
    map->opaque[7 + i] = box[i] | uint64_t(elementStrides[i]) << 32;
    if (i + 1 < rank)
      map->opaque[12 + i] = strides[i];
  }
  return cu::Success;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

FXGRAPH_MOCK_EXPORT cu::Result cuMemAlloc_v2(cu::DevicePtr *pointer, size_t bytes) {
  FXGRAPH_MOCK_BEGIN("cuMemAlloc_v2");
  if (contexts.empty())
    return cu::ErrorInvalidContext;
  if (bytes == 0)
    return cu::ErrorInvalidValue;
  // The driver refuses an allocation while this thread captures.
  if (capturing)
    return cu::ErrorStreamCaptureUnsupported;
  if (bytes > size_t(1) << 30)
    return cu::ErrorOutOfMemory;
  void *memory = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  if (!memory)
    return cu::ErrorOutOfMemory;
  // Poison, so that what nobody wrote shows.
  std::memset(memory, 0xAB, bytes);
  *pointer = reinterpret_cast<cu::DevicePtr>(memory);
  state().allocations[*pointer] = {bytes, state().nextAllocation++};
  addLiveObjects(1);
  log("alloc " + describePointer(*pointer) + " bytes=" + std::to_string(bytes));
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuMemFree_v2(cu::DevicePtr pointer) {
  FXGRAPH_MOCK_BEGIN("cuMemFree_v2");
  auto it = state().allocations.find(pointer);
  if (it == state().allocations.end())
    return cu::ErrorInvalidValue;
  log("free " + describePointer(pointer));
  state().allocations.erase(it);
  std::free(reinterpret_cast<void *>(pointer));
  addLiveObjects(-1);
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuMemcpyHtoDAsync_v2(cu::DevicePtr device, const void *host, size_t bytes,
                                                    cu::Stream stream) {
  FXGRAPH_MOCK_BEGIN("cuMemcpyHtoDAsync_v2");
  // Pageable memory may be gone at a replay: nothing here may capture it.
  if (stream && isLiveStream(stream) && stream->capture)
    return cu::ErrorStreamCaptureUnsupported;
  if (!isDeviceRange(device, bytes))
    return cu::ErrorInvalidValue;
  std::string where = describeStream(stream);
  return enqueue(stream, [=]() -> cu::Result {
    log("htod to=" + describePointer(device) + " bytes=" + std::to_string(bytes) + " stream=" + where);
    std::memcpy(reinterpret_cast<void *>(device), host, bytes);
    return cu::Success;
  });
}

FXGRAPH_MOCK_EXPORT cu::Result cuMemcpyDtoHAsync_v2(void *host, cu::DevicePtr device, size_t bytes, cu::Stream stream) {
  FXGRAPH_MOCK_BEGIN("cuMemcpyDtoHAsync_v2");
  if (stream && isLiveStream(stream) && stream->capture)
    return cu::ErrorStreamCaptureUnsupported;
  if (!isDeviceRange(device, bytes))
    return cu::ErrorInvalidValue;
  std::string where = describeStream(stream);
  return enqueue(stream, [=]() -> cu::Result {
    log("dtoh from=" + describePointer(device) + " bytes=" + std::to_string(bytes) + " stream=" + where);
    std::memcpy(host, reinterpret_cast<void *>(device), bytes);
    return cu::Success;
  });
}

FXGRAPH_MOCK_EXPORT cu::Result cuMemcpyDtoDAsync_v2(cu::DevicePtr to, cu::DevicePtr from, size_t bytes,
                                                    cu::Stream stream) {
  FXGRAPH_MOCK_BEGIN("cuMemcpyDtoDAsync_v2");
  if (!isDeviceRange(to, bytes) || !isDeviceRange(from, bytes))
    return cu::ErrorInvalidValue;
  std::string where = describeStream(stream);
  return enqueue(stream, [=]() -> cu::Result {
    log("copy to=" + describePointer(to) + " from=" + describePointer(from) + " bytes=" + std::to_string(bytes) +
        " stream=" + where);
    std::memmove(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes);
    return cu::Success;
  });
}

FXGRAPH_MOCK_EXPORT cu::Result cuMemsetD8Async(cu::DevicePtr device, unsigned char value, size_t count,
                                               cu::Stream stream) {
  FXGRAPH_MOCK_BEGIN("cuMemsetD8Async");
  if (!isDeviceRange(device, count))
    return cu::ErrorInvalidValue;
  std::string where = describeStream(stream);
  return enqueue(stream, [=]() -> cu::Result {
    log("fill to=" + describePointer(device) + " byte=" + std::to_string(value) + " bytes=" + std::to_string(count) +
        " stream=" + where);
    std::memset(reinterpret_cast<void *>(device), value, count);
    return cu::Success;
  });
}

FXGRAPH_MOCK_EXPORT cu::Result cuMemsetD32Async(cu::DevicePtr device, unsigned value, size_t count, cu::Stream stream) {
  FXGRAPH_MOCK_BEGIN("cuMemsetD32Async");
  if (!isDeviceRange(device, count * 4) || device % 4)
    return cu::ErrorInvalidValue;
  std::string where = describeStream(stream);
  return enqueue(stream, [=]() -> cu::Result {
    log("fill to=" + describePointer(device) + " word=" + std::to_string(value) +
        " bytes=" + std::to_string(count * 4) + " stream=" + where);
    unsigned *words = reinterpret_cast<unsigned *>(device);
    std::fill(words, words + count, value);
    return cu::Success;
  });
}

FXGRAPH_MOCK_EXPORT cu::Result cuMemsetD2D8Async(cu::DevicePtr device, size_t pitch, unsigned char value, size_t width,
                                                 size_t height, cu::Stream stream) {
  FXGRAPH_MOCK_BEGIN("cuMemsetD2D8Async");
  if (width > pitch || !height || !isDeviceRange(device, pitch * (height - 1) + width))
    return cu::ErrorInvalidValue;
  std::string where = describeStream(stream);
  return enqueue(stream, [=]() -> cu::Result {
    log("fill2d to=" + describePointer(device) + " byte=" + std::to_string(value) + " pitch=" + std::to_string(pitch) +
        " width=" + std::to_string(width) + " height=" + std::to_string(height) + " stream=" + where);
    for (size_t row = 0; row < height; ++row)
      std::memset(reinterpret_cast<char *>(device) + row * pitch, value, width);
    return cu::Success;
  });
}

//===----------------------------------------------------------------------===//
// Streams, events, graphs
//===----------------------------------------------------------------------===//

FXGRAPH_MOCK_EXPORT cu::Result cuStreamCreate(cu::Stream *stream, unsigned) {
  FXGRAPH_MOCK_BEGIN("cuStreamCreate");
  if (contexts.empty())
    return cu::ErrorInvalidContext;
  *stream = new cu::StreamOpaque();
  (*stream)->number = state().nextStream++;
  state().streams.insert(*stream);
  addLiveObjects(1);
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuStreamDestroy_v2(cu::Stream stream) {
  FXGRAPH_MOCK_BEGIN("cuStreamDestroy_v2");
  if (!state().streams.erase(stream))
    return cu::ErrorInvalidHandle;
  capturing -= stream->capture == stream;
  delete stream;
  addLiveObjects(-1);
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuStreamSynchronize(cu::Stream stream) {
  {
    FXGRAPH_MOCK_BEGIN("cuStreamSynchronize");
    if (!isLiveStream(stream))
      return cu::ErrorInvalidHandle;
    if (capturing && (!stream || stream->capture))
      return cu::ErrorStreamCaptureUnsupported;
  }
  return runPending(stream, ~uint64_t(0));
}

FXGRAPH_MOCK_EXPORT cu::Result cuStreamWaitEvent(cu::Stream stream, cu::Event event, unsigned) {
  cu::Stream other = nullptr;
  {
    FXGRAPH_MOCK_BEGIN("cuStreamWaitEvent");
    if (!isLiveStream(stream))
      return cu::ErrorInvalidHandle;
    other = event->stream;
    if (!event->recorded || !isLiveStream(other))
      return cu::Success;
    log("wait stream=" + describeStream(stream) + " for=" + describeStream(other));
    if (!other)
      return cu::Success;
    if (other->capture) {
      if (!stream || (stream->capture && stream->capture != other->capture))
        return cu::ErrorStreamCaptureUnsupported;
      stream->capture = other->capture;
      if (stream == other->capture)
        other->joined = std::max(other->joined, event->position);
      return cu::Success;
    }
    if (stream && !stream->pending.empty()) {
      uint64_t position = event->position;
      return mock::enqueue(stream, [other, position] { return runPending(other, position); });
    }
  }
  // The stream's next operation runs at once: what it waits for must have run.
  return runPending(other, event->position);
}

FXGRAPH_MOCK_EXPORT cu::Result cuStreamBeginCapture_v2(cu::Stream stream, int mode) {
  FXGRAPH_MOCK_BEGIN("cuStreamBeginCapture_v2");
  if (!stream || !isLiveStream(stream) || stream->capture)
    return cu::ErrorInvalidValue;
  stream->capture = stream;
  ++capturing;
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuStreamIsCapturing(cu::Stream stream, int *status) {
  FXGRAPH_MOCK_BEGIN("cuStreamIsCapturing");
  if (stream && !isLiveStream(stream))
    return cu::ErrorInvalidValue;
  *status = stream && stream->capture;
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuStreamEndCapture(cu::Stream stream, cu::Graph *graph) {
  FXGRAPH_MOCK_BEGIN("cuStreamEndCapture");
  if (!stream || !isLiveStream(stream) || stream->capture != stream)
    return cu::ErrorStreamCaptureUnmatched;
  --capturing;
  bool isJoined = true;
  for (cu::Stream each : state().streams) {
    if (each->capture != stream)
      continue;
    isJoined &= each == stream || each->joined == each->enqueued;
    each->capture = nullptr;
  }
  if (!isJoined) {
    stream->captured.clear();
    return cu::ErrorStreamCaptureUnjoined;
  }
  *graph = new cu::GraphOpaque();
  (*graph)->operations = std::move(stream->captured);
  stream->captured.clear();
  addLiveObjects(1);
  log("captured operations=" + std::to_string((*graph)->operations.size()));
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuGraphInstantiateWithFlags(cu::GraphExec *exec, cu::Graph graph, unsigned long long) {
  FXGRAPH_MOCK_BEGIN("cuGraphInstantiateWithFlags");
  *exec = new cu::GraphExecOpaque();
  (*exec)->operations = graph->operations;
  addLiveObjects(1);
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuGraphDestroy(cu::Graph graph) {
  FXGRAPH_MOCK_BEGIN("cuGraphDestroy");
  delete graph;
  addLiveObjects(-1);
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuGraphExecDestroy(cu::GraphExec exec) {
  FXGRAPH_MOCK_BEGIN("cuGraphExecDestroy");
  delete exec;
  addLiveObjects(-1);
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuGraphLaunch(cu::GraphExec exec, cu::Stream stream) {
  {
    FXGRAPH_MOCK_BEGIN("cuGraphLaunch");
    if (!isLiveStream(stream))
      return cu::ErrorInvalidHandle;
    log("replay operations=" + std::to_string(exec->operations.size()) + " stream=" + describeStream(stream));
  }
  for (auto &operation : exec->operations)
    if (cu::Result result = operation())
      return result;
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuEventCreate(cu::Event *event, unsigned) {
  FXGRAPH_MOCK_BEGIN("cuEventCreate");
  *event = new cu::EventOpaque();
  addLiveObjects(1);
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuEventDestroy_v2(cu::Event event) {
  FXGRAPH_MOCK_BEGIN("cuEventDestroy_v2");
  delete event;
  addLiveObjects(-1);
  return cu::Success;
}

FXGRAPH_MOCK_EXPORT cu::Result cuEventRecord(cu::Event event, cu::Stream stream) {
  FXGRAPH_MOCK_BEGIN("cuEventRecord");
  event->recorded = true;
  event->stream = stream;
  cu::Result result = mock::enqueue(stream, [=]() -> cu::Result {
    event->time = std::chrono::steady_clock::now();
    return cu::Success;
  });
  event->position = stream ? stream->enqueued : 0;
  return result;
}

FXGRAPH_MOCK_EXPORT cu::Result cuEventSynchronize(cu::Event event) {
  return event->recorded ? runPending(event->stream, event->position) : cu::ErrorInvalidHandle;
}

FXGRAPH_MOCK_EXPORT cu::Result cuEventElapsedTime(float *milliseconds, cu::Event start, cu::Event end) {
  if (!start->recorded || !end->recorded)
    return cu::ErrorInvalidHandle;
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return cu::Success;
}
