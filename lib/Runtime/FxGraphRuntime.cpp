//===- FxGraphRuntime.cpp - The C interface of the runtime ----------------===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles are keys of a registry of live objects: a handle that is null, was
// destroyed or never came from here is a status, not a crash. A look-up costs
// tens of nanoseconds against 3 us per kernel launch.
//
//===----------------------------------------------------------------------===//

#include "fxgraph/Runtime/FxGraphRuntime.h"
#include "DriverApi.h"
#include "Error.h"
#include "Graph.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <unordered_map>

using namespace fxgraph::runtime;

/// The names match the opaque types of the header; they are never defined.
namespace {

/// Live objects by handle. Handles are addresses of the objects, so that they
/// are unique among the living.
template <class Handle, class Object>
class Registry {
public:
  explicit Registry(const char *kind) : kind(kind) {}

  Handle *add(std::shared_ptr<Object> object) {
    std::lock_guard<std::mutex> lock(mutex);
    Handle *handle = reinterpret_cast<Handle *>(object.get());
    live.emplace(handle, std::move(object));
    return handle;
  }

  std::shared_ptr<Object> get(Handle *handle) {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = live.find(handle);
    if (it == live.end())
      fail(handle);
    return it->second;
  }

  /// Returns the object, so that it is destroyed outside the lock.
  std::shared_ptr<Object> remove(Handle *handle) {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = live.find(handle);
    if (it == live.end())
      fail(handle);
    std::shared_ptr<Object> object = std::move(it->second);
    live.erase(it);
    return object;
  }

private:
  [[noreturn]] void fail(Handle *handle) const {
    throw Error(FXRT_INVALID_ARGUMENT, std::string("expected a live ") + kind + " but got " +
                                           (handle ? "a handle that was destroyed or never made" : "null"));
  }

  const char *kind;
  std::mutex mutex;
  std::unordered_map<Handle *, std::shared_ptr<Object>> live;
};

} // namespace

// Never destroyed: graphs that a program leaves alive must not be released when
// the driver may already be gone.
static Registry<FxrtGraph, LoadedGraph> &graphs() {
  static auto *registry = new Registry<FxrtGraph, LoadedGraph>("graph");
  return *registry;
}

static Registry<FxrtCapture, CapturedGraph> &captures() {
  static auto *registry = new Registry<FxrtCapture, CapturedGraph>("capture");
  return *registry;
}

/// Several handles may be of one communicator.
static Registry<FxrtProcessGroup, std::shared_ptr<ProcessGroup>> &processGroups() {
  static auto *registry = new Registry<FxrtProcessGroup, std::shared_ptr<ProcessGroup>>("process group");
  return *registry;
}

static FxrtProcessGroup *addProcessGroup(std::shared_ptr<ProcessGroup> processes) {
  return processGroups().add(std::make_shared<std::shared_ptr<ProcessGroup>>(std::move(processes)));
}

static void expectPointer(const void *pointer, const char *what) {
  if (!pointer)
    throw Error(FXRT_INVALID_ARGUMENT, std::string("expected ") + what + " but got null");
}

static cu::Stream asStream(void *stream) { return static_cast<cu::Stream>(stream); }

static cu::DevicePtr asDevice(const void *pointer) { return reinterpret_cast<cu::DevicePtr>(pointer); }

/// The driver, with a context current on this thread.
static const DriverApi &getReadyDriver() {
  const DriverApi &driver = DriverApi::get();
  getOrMakeCurrentContext(driver);
  return driver;
}

//===----------------------------------------------------------------------===//
// Errors, version
//===----------------------------------------------------------------------===//

int fxrtVersion(void) { return FXRT_VERSION; }

const char *fxrtLastError(void) { return getLastError(); }

const char *fxrtStatusName(int status) {
  switch (status) {
  case FXRT_OK:
    return "ok";
  case FXRT_INVALID_ARGUMENT:
    return "invalid argument";
  case FXRT_INVALID_PLAN:
    return "invalid plan";
  case FXRT_UNSUPPORTED:
    return "unsupported";
  case FXRT_NO_DRIVER:
    return "no driver";
  case FXRT_DRIVER_ERROR:
    return "driver error";
  case FXRT_LIBRARY_ERROR:
    return "library error";
  case FXRT_OUT_OF_MEMORY:
    return "out of memory";
  case FXRT_NOT_FOUND:
    return "not found";
  case FXRT_INTERNAL_ERROR:
    return "internal error";
  case FXRT_RUN_FAILED:
    return "run failed";
  default:
    return "unknown status";
  }
}

//===----------------------------------------------------------------------===//
// Devices and memory
//===----------------------------------------------------------------------===//

int fxrtDeviceCount(int *count) {
  return guarded("fxrtDeviceCount", [&] {
    expectPointer(count, "a place for the count");
    const DriverApi &driver = DriverApi::get();
    driver.check(driver.cuDeviceGetCount(count), "cuDeviceGetCount");
  });
}

int fxrtGetDeviceInfo(int ordinal, FxrtDeviceInfo *info) {
  return guarded("fxrtGetDeviceInfo", [&] {
    expectPointer(info, "a place for the information");
    const DriverApi &driver = DriverApi::get();
    cu::Device device = 0;
    if (ordinal == -1) {
      getOrMakeCurrentContext(driver);
      driver.check(driver.cuCtxGetDevice(&device), "cuCtxGetDevice");
    } else {
      driver.check(driver.cuDeviceGet(&device, ordinal), "cuDeviceGet", "device " + std::to_string(ordinal));
    }
    FxrtDeviceInfo result = {};
    auto getAttribute = [&](int attribute) {
      int value = 0;
      driver.check(driver.cuDeviceGetAttribute(&value, attribute, device), "cuDeviceGetAttribute");
      return value;
    };
    driver.check(driver.cuDeviceGetName(result.name, sizeof(result.name) - 1, device), "cuDeviceGetName");
    int major = getAttribute(cu::DeviceAttributeComputeCapabilityMajor);
    int minor = getAttribute(cu::DeviceAttributeComputeCapabilityMinor);
    std::snprintf(result.chip, sizeof(result.chip), "sm_%d%d", major, minor);
    // A CUdevice is the ordinal.
    result.ordinal = device;
    result.multiprocessors = getAttribute(cu::DeviceAttributeMultiprocessorCount);
    result.sharedBytesPerBlock = getAttribute(cu::DeviceAttributeMaxSharedMemoryPerBlockOptin);
    result.l2Bytes = getAttribute(cu::DeviceAttributeL2CacheSize);
    driver.check(driver.cuDriverGetVersion(&result.driverVersion), "cuDriverGetVersion");
    size_t memory = 0;
    driver.check(driver.cuDeviceTotalMem_v2(&memory, device), "cuDeviceTotalMem");
    result.memoryBytes = memory;
    *info = result;
  });
}

int fxrtSetDevice(int ordinal) {
  return guarded("fxrtSetDevice", [&] { makePrimaryContextCurrent(DriverApi::get(), ordinal); });
}

int fxrtMalloc(void **pointer, size_t bytes) {
  return guarded("fxrtMalloc", [&] {
    expectPointer(pointer, "a place for the pointer");
    *pointer = nullptr;
    if (bytes == 0)
      return;
    const DriverApi &driver = getReadyDriver();
    cu::DevicePtr result = 0;
    driver.check(driver.cuMemAlloc_v2(&result, bytes), "cuMemAlloc", std::to_string(bytes) + " bytes");
    *pointer = reinterpret_cast<void *>(result);
  });
}

int fxrtFree(void *pointer) {
  return guarded("fxrtFree", [&] {
    if (!pointer)
      return;
    const DriverApi &driver = getReadyDriver();
    driver.check(driver.cuMemFree_v2(asDevice(pointer)), "cuMemFree");
  });
}

int fxrtCopyToDevice(void *device, const void *host, size_t bytes, void *stream) {
  return guarded("fxrtCopyToDevice", [&] {
    if (bytes == 0)
      return;
    expectPointer(device, "a device pointer");
    expectPointer(host, "a host pointer");
    const DriverApi &driver = getReadyDriver();
    driver.check(driver.cuMemcpyHtoDAsync_v2(asDevice(device), host, bytes, asStream(stream)), "cuMemcpyHtoDAsync",
                 std::to_string(bytes) + " bytes");
    driver.check(driver.cuStreamSynchronize(asStream(stream)), "cuStreamSynchronize");
  });
}

int fxrtCopyToHost(void *host, const void *device, size_t bytes, void *stream) {
  return guarded("fxrtCopyToHost", [&] {
    if (bytes == 0)
      return;
    expectPointer(device, "a device pointer");
    expectPointer(host, "a host pointer");
    const DriverApi &driver = getReadyDriver();
    driver.check(driver.cuMemcpyDtoHAsync_v2(host, asDevice(device), bytes, asStream(stream)), "cuMemcpyDtoHAsync",
                 std::to_string(bytes) + " bytes");
    driver.check(driver.cuStreamSynchronize(asStream(stream)), "cuStreamSynchronize");
  });
}

int fxrtFill(void *device, int value, size_t bytes, void *stream) {
  return guarded("fxrtFill", [&] {
    if (bytes == 0)
      return;
    expectPointer(device, "a device pointer");
    const DriverApi &driver = getReadyDriver();
    driver.check(driver.cuMemsetD8Async(asDevice(device), static_cast<unsigned char>(value), bytes, asStream(stream)),
                 "cuMemsetD8Async", std::to_string(bytes) + " bytes");
  });
}

int fxrtStreamCreate(void **stream) {
  return guarded("fxrtStreamCreate", [&] {
    expectPointer(stream, "a place for the stream");
    const DriverApi &driver = getReadyDriver();
    cu::Stream result = nullptr;
    driver.check(driver.cuStreamCreate(&result, cu::StreamNonBlocking), "cuStreamCreate");
    *stream = result;
  });
}

int fxrtStreamDestroy(void *stream) {
  return guarded("fxrtStreamDestroy", [&] {
    if (!stream)
      return;
    const DriverApi &driver = getReadyDriver();
    driver.check(driver.cuStreamDestroy_v2(asStream(stream)), "cuStreamDestroy");
  });
}

int fxrtStreamSynchronize(void *stream) {
  return guarded("fxrtStreamSynchronize", [&] {
    const DriverApi &driver = getReadyDriver();
    driver.check(driver.cuStreamSynchronize(asStream(stream)), "cuStreamSynchronize");
  });
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

int fxrtCheckPlan(const char *plan, size_t planBytes) {
  return guarded("fxrtCheckPlan", [&] { parseLaunchPlan(plan, planBytes); });
}

static FxrtGraph *load(const char *plan, size_t planBytes, const void *image, size_t imageBytes, const void *constants,
                       size_t constantsBytes) {
  // The plan first: what is wrong with it is worth saying without a driver too.
  LaunchPlan parsed = parseLaunchPlan(plan, planBytes);
  return graphs().add(std::make_shared<LoadedGraph>(std::move(parsed), image, imageBytes, constants, constantsBytes));
}

int fxrtLoad(const char *plan, size_t planBytes, const void *image, size_t imageBytes, const void *constants,
             size_t constantsBytes, FxrtGraph **graph) {
  return guarded("fxrtLoad", [&] {
    expectPointer(graph, "a place for the graph");
    *graph = nullptr;
    *graph = load(plan, planBytes, image, imageBytes, constants, constantsBytes);
  });
}

static std::string readFile(const char *path) {
  auto fail = [&] { throw Error(FXRT_NOT_FOUND, std::string("cannot read '") + path + "': " + std::strerror(errno)); };
  errno = 0;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file)
    fail();
  std::streamoff size = file.tellg();
  // A folder opens, but has no size.
  if (size < 0 || size > std::streamoff(1) << 46)
    fail();
  std::string bytes(static_cast<size_t>(size), '\0');
  file.seekg(0);
  if (size && !file.read(&bytes[0], size))
    fail();
  return bytes;
}

int fxrtLoadFiles(const char *planPath, const char *imagePath, const char *constantsPath, FxrtGraph **graph) {
  return guarded("fxrtLoadFiles", [&] {
    expectPointer(graph, "a place for the graph");
    *graph = nullptr;
    expectPointer(planPath, "the path of a launch plan");
    std::string plan = readFile(planPath);
    std::string image = imagePath ? readFile(imagePath) : std::string();
    std::string constants = constantsPath ? readFile(constantsPath) : std::string();
    *graph = load(plan.data(), plan.size(), image.data(), image.size(), constants.data(), constants.size());
  });
}

int fxrtDestroy(FxrtGraph *graph) {
  return guarded("fxrtDestroy", [&] {
    if (graph)
      graphs().remove(graph);
  });
}

int fxrtGetName(FxrtGraph *graph, const char **name) {
  return guarded("fxrtGetName", [&] {
    expectPointer(name, "a place for the name");
    *name = graphs().get(graph)->getPlan().name.c_str();
  });
}

int fxrtGetCounts(FxrtGraph *graph, size_t *inputs, size_t *outputs, size_t *steps) {
  return guarded("fxrtGetCounts", [&] {
    auto loaded = graphs().get(graph);
    const LaunchPlan &plan = loaded->getPlan();
    if (inputs)
      *inputs = plan.inputs.size();
    if (outputs)
      *outputs = plan.outputs.size();
    if (steps)
      *steps = plan.steps.size();
  });
}

static void getTensor(const std::vector<TensorSpec> &specs, const char *what, size_t index, FxrtTensorInfo *info) {
  expectPointer(info, "a place for the information");
  if (index >= specs.size())
    throw Error(FXRT_INVALID_ARGUMENT, std::string("expected an ") + what + " below " + std::to_string(specs.size()) +
                                           " but got " + std::to_string(index));
  const TensorSpec &spec = specs[index];
  info->name = spec.name.c_str();
  info->dtype = getDTypeName(spec.dtype);
  info->rank = static_cast<int32_t>(spec.shape.size());
  info->mutated = spec.mutated;
  // A vector of no elements may have a null pointer; the header promises none.
  static const int64_t none = 0;
  info->shape = spec.shape.empty() ? &none : spec.shape.data();
  info->strides = spec.strides.empty() ? &none : spec.strides.data();
  info->bytes = spec.bytes;
  info->align = spec.align;
}

int fxrtGetInput(FxrtGraph *graph, size_t index, FxrtTensorInfo *info) {
  return guarded("fxrtGetInput", [&] { getTensor(graphs().get(graph)->getPlan().inputs, "input", index, info); });
}

int fxrtGetOutput(FxrtGraph *graph, size_t index, FxrtTensorInfo *info) {
  return guarded("fxrtGetOutput", [&] { getTensor(graphs().get(graph)->getPlan().outputs, "output", index, info); });
}

int fxrtGetWorkspaceBytes(FxrtGraph *graph, size_t *bytes) {
  return guarded("fxrtGetWorkspaceBytes", [&] {
    expectPointer(bytes, "a place for the size");
    *bytes = graphs().get(graph)->getWorkspaceBytes();
  });
}

int fxrtRun(FxrtGraph *graph, void *const *inputs, size_t inputCount, void *const *outputs, size_t outputCount,
            void *workspace, size_t workspaceBytes, void *stream) {
  return guarded("fxrtRun", [&] {
    graphs().get(graph)->run({inputs, inputCount, outputs, outputCount, workspace, workspaceBytes}, asStream(stream));
  });
}

int fxrtCheckRun(FxrtGraph *graph, void *workspace, void *stream) {
  return guarded("fxrtCheckRun", [&] { graphs().get(graph)->checkRun(workspace, asStream(stream)); });
}

int fxrtGetInfo(FxrtGraph *graph, const FxGraphInfo **info) {
  return guarded("fxrtGetInfo", [&] {
    expectPointer(info, "a place for the information");
    *info = &graphs().get(graph)->getSignature().getInfo();
  });
}

int fxrtRunTensors(FxrtGraph *graph, const FxTensorDesc *inputs, int inputCount, FxTensorDesc *outputs, int outputCount,
                   const FxRunOptions *options) {
  return guarded("fxrtRunTensors",
                 [&] { runTensors(*graphs().get(graph), inputs, inputCount, outputs, outputCount, options); });
}

int fxrtRunHost(FxrtGraph *graph, void *const *inputs, size_t inputCount, void *const *outputs, size_t outputCount) {
  return guarded("fxrtRunHost", [&] {
    auto loaded = graphs().get(graph);
    const LaunchPlan &plan = loaded->getPlan();
    const DriverApi &driver = loaded->getDriver();
    ContextGuard guard(driver, loaded->getContext());
    std::vector<DeviceMemory> memory;
    std::vector<void *> deviceInputs, deviceOutputs;
    auto allocate = [&](uint64_t bytes, const std::string &what) {
      memory.emplace_back(driver, bytes, what);
      return reinterpret_cast<void *>(memory.back().get());
    };
    if (inputCount == plan.inputs.size())
      for (const TensorSpec &spec : plan.inputs)
        deviceInputs.push_back(allocate(spec.bytes, "input '" + spec.name + "'"));
    if (outputCount == plan.outputs.size())
      for (const TensorSpec &spec : plan.outputs)
        deviceOutputs.push_back(allocate(spec.bytes, "output '" + spec.name + "'"));
    void *workspace = allocate(loaded->getWorkspaceBytes(), "workspace");
    OwnedStream stream(driver);
    auto checkHost = [&](void *const *pointers, const std::vector<TensorSpec> &specs, size_t count, const char *what) {
      if (count != specs.size())
        return; // run() says so
      if (count)
        expectPointer(pointers, "an array of host pointers");
      for (size_t i = 0; i < count; ++i)
        if (!pointers[i] && specs[i].bytes)
          throw Error(FXRT_INVALID_ARGUMENT, std::string(what) + " " + std::to_string(i) + " ('" + specs[i].name +
                                                 "') is null but has " + std::to_string(specs[i].bytes) + " bytes");
    };
    checkHost(inputs, plan.inputs, inputCount, "input");
    checkHost(outputs, plan.outputs, outputCount, "output");
    for (size_t i = 0; i < deviceInputs.size(); ++i)
      if (plan.inputs[i].bytes)
        driver.check(driver.cuMemcpyHtoDAsync_v2(asDevice(deviceInputs[i]), inputs[i], plan.inputs[i].bytes, stream),
                     "cuMemcpyHtoDAsync", "input " + std::to_string(i));
    loaded->run({deviceInputs.data(), inputCount, deviceOutputs.data(), outputCount, workspace,
                 static_cast<size_t>(loaded->getWorkspaceBytes())},
                stream);
    loaded->checkRun(workspace, stream);
    for (size_t i = 0; i < deviceOutputs.size(); ++i)
      if (plan.outputs[i].bytes)
        driver.check(driver.cuMemcpyDtoHAsync_v2(outputs[i], asDevice(deviceOutputs[i]), plan.outputs[i].bytes, stream),
                     "cuMemcpyDtoHAsync", "output " + std::to_string(i));
    for (size_t i = 0; i < deviceInputs.size(); ++i)
      if (plan.inputs[i].mutated && plan.inputs[i].bytes)
        driver.check(driver.cuMemcpyDtoHAsync_v2(inputs[i], asDevice(deviceInputs[i]), plan.inputs[i].bytes, stream),
                     "cuMemcpyDtoHAsync", "input " + std::to_string(i));
    driver.check(driver.cuStreamSynchronize(stream), "cuStreamSynchronize", "graph '" + plan.name + "'");
  });
}

namespace {
class OwnedEvent {
public:
  explicit OwnedEvent(const DriverApi &driver) : driver(driver) {
    driver.check(driver.cuEventCreate(&event, 0), "cuEventCreate");
  }
  ~OwnedEvent() { driver.cuEventDestroy_v2(event); }
  OwnedEvent(const OwnedEvent &) = delete;
  OwnedEvent &operator=(const OwnedEvent &) = delete;
  operator cu::Event() const { return event; }

private:
  const DriverApi &driver;
  cu::Event event = nullptr;
};
} // namespace

int fxrtTime(FxrtGraph *graph, void *const *inputs, size_t inputCount, void *const *outputs, size_t outputCount,
             void *workspace, size_t workspaceBytes, void *streamPointer, int warmup, int repeats, int flags,
             FxrtTiming *timing, float *samples) {
  return guarded("fxrtTime", [&] {
    expectPointer(timing, "a place for the timing");
    if (repeats < 1 || repeats > 1000000)
      throw Error(FXRT_INVALID_ARGUMENT, "expected 1 to 1000000 repeats but got " + std::to_string(repeats));
    if (warmup < 0)
      throw Error(FXRT_INVALID_ARGUMENT,
                  "expected a non-negative number of warm-up calls but got " + std::to_string(warmup));
    if (flags & ~(FXRT_TIME_FLUSH_L2 | FXRT_TIME_CAPTURED))
      throw Error(FXRT_INVALID_ARGUMENT, "unknown timing flags " + std::to_string(flags));
    std::shared_ptr<const LoadedGraph> loaded = graphs().get(graph);
    const DriverApi &driver = loaded->getDriver();
    ContextGuard guard(driver, loaded->getContext());
    CallBuffers call{inputs, inputCount, outputs, outputCount, workspace, workspaceBytes};
    cu::Stream stream = asStream(streamPointer);
    std::unique_ptr<CapturedGraph> captured;
    if (flags & FXRT_TIME_CAPTURED)
      captured = std::make_unique<CapturedGraph>(loaded, call);
    auto runOnce = [&] {
      if (captured)
        captured->replay(stream);
      else
        loaded->run(call, stream);
    };
    DeviceMemory flush(driver);
    size_t flushBytes = 0;
    if (flags & FXRT_TIME_FLUSH_L2) {
      cu::Device device = 0;
      int l2Bytes = 0;
      driver.check(driver.cuCtxGetDevice(&device), "cuCtxGetDevice");
      driver.check(driver.cuDeviceGetAttribute(&l2Bytes, cu::DeviceAttributeL2CacheSize, device),
                   "cuDeviceGetAttribute");
      flushBytes = 2 * static_cast<size_t>(std::max(l2Bytes, 1 << 20));
      flush.allocate(flushBytes, "the buffer that flushes the L2 cache");
    }
    for (int i = 0; i < warmup; ++i)
      runOnce();
    std::vector<std::unique_ptr<OwnedEvent>> starts, ends;
    for (int i = 0; i < repeats; ++i) {
      starts.push_back(std::make_unique<OwnedEvent>(driver));
      ends.push_back(std::make_unique<OwnedEvent>(driver));
    }
    for (int i = 0; i < repeats; ++i) {
      if (flushBytes)
        driver.check(driver.cuMemsetD8Async(flush.get(), 0, flushBytes, stream), "cuMemsetD8Async");
      driver.check(driver.cuEventRecord(*starts[i], stream), "cuEventRecord");
      runOnce();
      driver.check(driver.cuEventRecord(*ends[i], stream), "cuEventRecord");
    }
    driver.check(driver.cuStreamSynchronize(stream), "cuStreamSynchronize", "graph '" + loaded->getPlan().name + "'");
    std::vector<float> times(repeats);
    double sum = 0;
    for (int i = 0; i < repeats; ++i) {
      driver.check(driver.cuEventElapsedTime(&times[i], *starts[i], *ends[i]), "cuEventElapsedTime");
      sum += times[i];
      if (samples)
        samples[i] = times[i];
    }
    std::sort(times.begin(), times.end());
    timing->min = times.front();
    timing->max = times.back();
    timing->mean = sum / repeats;
    timing->median = (double(times[(repeats - 1) / 2]) + times[repeats / 2]) / 2;
    timing->repeats = repeats;
  });
}

//===----------------------------------------------------------------------===//
// Groups of processes
//===----------------------------------------------------------------------===//

static_assert(FXRT_UNIQUE_ID_BYTES == nccl::UniqueIdBytes);

int fxrtGetUniqueId(void *id) {
  return guarded("fxrtGetUniqueId", [&] {
    expectPointer(id, "a place for the id");
    nccl::UniqueId made = ProcessGroup::makeUniqueId();
    std::memcpy(id, &made, sizeof(made));
  });
}

int fxrtProcessGroupCreate(const void *id, int rank, int size, FxrtProcessGroup **group) {
  return guarded("fxrtProcessGroupCreate", [&] {
    expectPointer(group, "a place for the process group");
    *group = nullptr;
    expectPointer(id, "the id of fxrtGetUniqueId");
    nccl::UniqueId copy;
    std::memcpy(&copy, id, sizeof(copy));
    *group = addProcessGroup(std::make_shared<ProcessGroup>(copy, rank, size));
  });
}

int fxrtProcessGroupWrap(void *communicator, FxrtProcessGroup **group) {
  return guarded("fxrtProcessGroupWrap", [&] {
    expectPointer(group, "a place for the process group");
    *group = nullptr;
    expectPointer(communicator, "a communicator");
    *group = addProcessGroup(std::make_shared<ProcessGroup>(static_cast<nccl::Comm>(communicator)));
  });
}

int fxrtProcessGroupCopy(FxrtProcessGroup *group, FxrtProcessGroup **copy) {
  return guarded("fxrtProcessGroupCopy", [&] {
    expectPointer(copy, "a place for the process group");
    *copy = nullptr;
    *copy = addProcessGroup(*processGroups().get(group));
  });
}

int fxrtProcessGroupGetInfo(FxrtProcessGroup *group, int *rank, int *size) {
  return guarded("fxrtProcessGroupGetInfo", [&] {
    std::shared_ptr<ProcessGroup> processes = *processGroups().get(group);
    if (rank)
      *rank = processes->getRank();
    if (size)
      *size = processes->getSize();
  });
}

int fxrtProcessGroupDestroy(FxrtProcessGroup *group) {
  return guarded("fxrtProcessGroupDestroy", [&] {
    if (group)
      processGroups().remove(group);
  });
}

int fxrtGetGroupCount(FxrtGraph *graph, size_t *count) {
  return guarded("fxrtGetGroupCount", [&] {
    expectPointer(count, "a place for the count");
    auto loaded = graphs().get(graph);
    *count = loaded->getCommunication() ? loaded->getCommunication()->getGroups().size() : 0;
  });
}

int fxrtGetGroup(FxrtGraph *graph, size_t index, const char **name, uint64_t *size) {
  return guarded("fxrtGetGroup", [&] {
    auto loaded = graphs().get(graph);
    size_t count = loaded->getCommunication() ? loaded->getCommunication()->getGroups().size() : 0;
    if (index >= count)
      throw Error(FXRT_INVALID_ARGUMENT,
                  "expected a group below " + std::to_string(count) + " but got " + std::to_string(index));
    const Communication::Group &group = loaded->getCommunication()->getGroups()[index];
    if (name)
      *name = group.name.c_str();
    if (size)
      *size = group.size;
  });
}

int fxrtSetProcessGroup(FxrtGraph *graph, const char *name, FxrtProcessGroup *group) {
  return guarded("fxrtSetProcessGroup", [&] {
    expectPointer(name, "the name of a group");
    auto loaded = graphs().get(graph);
    std::shared_ptr<ProcessGroup> processes = *processGroups().get(group);
    std::string prefix = "graph '" + loaded->getPlan().name + "': ";
    if (!loaded->getCommunication())
      throw Error(FXRT_INVALID_ARGUMENT, prefix + "expected a graph with collectives but it has none");
    try {
      loaded->getCommunication()->setGroup(name, std::move(processes));
    } catch (const Error &error) {
      throw Error(error.getStatus(), prefix + error.what());
    }
  });
}

//===----------------------------------------------------------------------===//
// CUDA graphs
//===----------------------------------------------------------------------===//

int fxrtCanCapture(FxrtGraph *graph, int *can) {
  return guarded("fxrtCanCapture", [&] {
    expectPointer(can, "a place for the answer");
    *can = !graphs().get(graph)->getPlan().findDecision();
  });
}

int fxrtCapture(FxrtGraph *graph, void *const *inputs, size_t inputCount, void *const *outputs, size_t outputCount,
                void *workspace, size_t workspaceBytes, FxrtCapture **capture) {
  return guarded("fxrtCapture", [&] {
    expectPointer(capture, "a place for the capture");
    *capture = nullptr;
    CallBuffers call{inputs, inputCount, outputs, outputCount, workspace, workspaceBytes};
    *capture = captures().add(std::make_shared<CapturedGraph>(graphs().get(graph), call));
  });
}

int fxrtReplay(FxrtCapture *capture, void *stream) {
  return guarded("fxrtReplay", [&] { captures().get(capture)->replay(asStream(stream)); });
}

int fxrtDestroyCapture(FxrtCapture *capture) {
  return guarded("fxrtDestroyCapture", [&] {
    if (capture)
      captures().remove(capture);
  });
}
