//===- DriverApi.cpp - The CUDA driver, opened at run time ----------------===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverApi.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>

using namespace fxgraph::runtime;

void *fxgraph::runtime::openLibrary(const char *title, const char *environment, const std::vector<const char *> &names,
                                    FxrtStatus status) {
  std::vector<const char *> candidates = names;
  const char *named = std::getenv(environment);
  // A library that the user named is the only candidate: falling back to
  // another one would run something else than was asked for.
  if (named && *named)
    candidates = {named};
  std::string reasons;
  for (const char *name : candidates) {
    if (void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return handle;
    const char *reason = dlerror();
    reasons += std::string(reasons.empty() ? "" : "; ") + (reason ? reason : "unknown reason");
  }
  throw Error(status, std::string("cannot open ") + title + ": " + reasons +
                          "; install it, add its folder to LD_LIBRARY_PATH, or "
                          "name the library in " +
                          environment);
}

/// What a user can do about the failures that users do meet.
static const char *getAdvice(cu::Result result) {
  switch (result) {
  case cu::ErrorOutOfMemory:
    return "free device memory or run a smaller batch";
  case cu::ErrorStubLibrary:
    return "the loaded libcuda is the toolkit's stub; remove the stubs folder "
           "from LD_LIBRARY_PATH";
  case cu::ErrorNoDevice:
    return "no GPU is visible; check nvidia-smi and CUDA_VISIBLE_DEVICES";
  case cu::ErrorInvalidDevice:
    return "no device has this number; check CUDA_VISIBLE_DEVICES";
  case cu::ErrorSystemDriverMismatch:
    return "the kernel module and libcuda are of different versions; reload "
           "the driver or reboot";
  case cu::ErrorInvalidImage:
    return "the image is not a device image of this platform; compile the "
           "graph again";
  case cu::ErrorNoBinaryForGpu:
    return "the image was compiled for another chip; compile the graph for "
           "this device";
  case cu::ErrorInvalidPtx:
    return "the PTX does not assemble; the driver's log, if any, names the "
           "line";
  case cu::ErrorUnsupportedPtxVersion:
    return "the driver is older than the PTX; update the driver or lower the "
           "ptx feature that the graph was compiled with";
  case cu::ErrorInvalidContext:
  case cu::ErrorInvalidHandle:
    return "the stream or context was destroyed or belongs to another device";
  case cu::ErrorIllegalAddress:
    return "an earlier kernel read or wrote outside its buffers; check the "
           "sizes of the buffers passed in, then run under compute-sanitizer";
  case cu::ErrorMisalignedAddress:
    return "an earlier kernel met a misaligned pointer; run under "
           "compute-sanitizer";
  case cu::ErrorLaunchFailed:
    return "an earlier kernel faulted and the context is lost; run under "
           "compute-sanitizer";
  case cu::ErrorLaunchOutOfResources:
    return "the kernel wants more registers or shared memory than a block may "
           "have; compile it with fewer threads";
  case cu::ErrorInvalidClusterSize:
    return "this device cannot schedule clusters of this size";
  case cu::ErrorStreamCaptureUnsupported:
  case cu::ErrorStreamCaptureInvalidated:
    return "a call that cannot be captured was made while the stream was being "
           "captured";
  default:
    return nullptr;
  }
}

void DriverApi::fail(cu::Result result, const char *call, const std::string &what) const {
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(result, &name) != cu::Success || !name)
    name = "unknown error";
  if (cuGetErrorString(result, &text) != cu::Success)
    text = nullptr;
  std::string message = std::string(call) + " failed";
  if (!what.empty())
    message += " for " + what;
  message += std::string(": ") + name + " (" + std::to_string(result) + ")";
  if (text && *text)
    message += std::string(": ") + text;
  if (const char *advice = getAdvice(result))
    message += std::string("; ") + advice;
  FxrtStatus status = FXRT_DRIVER_ERROR;
  if (result == cu::ErrorOutOfMemory)
    status = FXRT_OUT_OF_MEMORY;
  else if (result == cu::ErrorNoDevice || result == cu::ErrorStubLibrary)
    status = FXRT_NO_DRIVER;
  throw Error(status, message);
}

static const DriverApi *openDriver() {
  void *handle = openLibrary("the CUDA driver", "FXGRAPH_CUDA_DRIVER", {"libcuda.so.1"}, FXRT_NO_DRIVER);
  auto *api = new DriverApi();
  std::string missing;
#define FXGRAPH_RESOLVE(symbol, parameters)                                                                            \
  api->symbol = reinterpret_cast<decltype(api->symbol)>(dlsym(handle, #symbol));
#define FXGRAPH_REQUIRE(symbol, parameters)                                                                            \
  FXGRAPH_RESOLVE(symbol, parameters)                                                                                  \
  if (!api->symbol && missing.empty())                                                                                 \
    missing = #symbol;
  FXGRAPH_DRIVER_FUNCTIONS(FXGRAPH_REQUIRE)
  FXGRAPH_DRIVER_OPTIONAL_FUNCTIONS(FXGRAPH_RESOLVE)
#undef FXGRAPH_REQUIRE
#undef FXGRAPH_RESOLVE
  std::string failure;
  if (!missing.empty()) {
    failure = "the CUDA driver has no " + missing + "; expected a driver of CUDA 12.0 (525) or newer: update it";
  } else {
    cu::Result result = api->cuInit(0);
    if (result == cu::Success)
      return api;
    try {
      api->check(result, "cuInit");
    } catch (const Error &error) {
      failure = error.what();
    }
  }
  delete api;
  dlclose(handle);
  throw Error(FXRT_NO_DRIVER, failure);
}

const DriverApi &DriverApi::get() { return getOnce<DriverApi>(openDriver); }

ContextGuard::ContextGuard(const DriverApi &driver, cu::Context context) : driver(driver) {
  cu::Context current = nullptr;
  driver.check(driver.cuCtxGetCurrent(&current), "cuCtxGetCurrent");
  if (current == context)
    return;
  driver.check(driver.cuCtxPushCurrent_v2(context), "cuCtxPushCurrent");
  pushed = true;
}

ContextGuard::~ContextGuard() {
  cu::Context ignored = nullptr;
  if (pushed)
    driver.cuCtxPopCurrent_v2(&ignored);
}

void fxgraph::runtime::makePrimaryContextCurrent(const DriverApi &driver, int ordinal) {
  static std::mutex mutex;
  static std::map<int, cu::Context> retained;
  int count = 0;
  driver.check(driver.cuDeviceGetCount(&count), "cuDeviceGetCount");
  if (count == 0)
    throw Error(FXRT_NO_DRIVER, "no GPU is visible; check nvidia-smi and "
                                "CUDA_VISIBLE_DEVICES");
  if (ordinal < 0 || ordinal >= count)
    throw Error(FXRT_INVALID_ARGUMENT,
                "expected a device below " + std::to_string(count) + " but got " + std::to_string(ordinal));
  std::lock_guard<std::mutex> lock(mutex);
  cu::Context &context = retained[ordinal];
  if (!context) {
    cu::Device device = 0;
    driver.check(driver.cuDeviceGet(&device, ordinal), "cuDeviceGet");
    driver.check(driver.cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  }
  driver.check(driver.cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

cu::Context fxgraph::runtime::getOrMakeCurrentContext(const DriverApi &driver) {
  cu::Context context = nullptr;
  driver.check(driver.cuCtxGetCurrent(&context), "cuCtxGetCurrent");
  if (context)
    return context;
  makePrimaryContextCurrent(driver, 0);
  driver.check(driver.cuCtxGetCurrent(&context), "cuCtxGetCurrent");
  return context;
}

void DeviceMemory::allocate(size_t bytes, const std::string &what) {
  if (pointer) {
    driver->cuMemFree_v2(pointer);
    pointer = 0;
  }
  if (bytes)
    driver->check(driver->cuMemAlloc_v2(&pointer, bytes), "cuMemAlloc", std::to_string(bytes) + " bytes of " + what);
}
