//===- DriverApi.h - The CUDA driver, opened at run time ---------*- C++
//-*-===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FXGRAPH_LIB_RUNTIME_DRIVERAPI_H
#define FXGRAPH_LIB_RUNTIME_DRIVERAPI_H

#include "DriverTypes.h"
#include "Error.h"

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace fxgraph {
namespace runtime {

/// Pointers to the driver's functions. Opened once per process from the library
/// named by FXGRAPH_CUDA_DRIVER, else libcuda.so.1; a failed attempt is not
/// remembered, so that a process may mend its environment and try again.
struct DriverApi {
#define FXGRAPH_MEMBER(symbol, parameters) cu::Result(*symbol) parameters;
  FXGRAPH_DRIVER_FUNCTIONS(FXGRAPH_MEMBER)
  FXGRAPH_DRIVER_OPTIONAL_FUNCTIONS(FXGRAPH_MEMBER)
#undef FXGRAPH_MEMBER

  /// Throws FXRT_NO_DRIVER. cuInit has succeeded when it returns.
  static const DriverApi &get();

  /// Throws unless `result` is success: "CALL failed[ for WHAT]: NAME (CODE):
  /// driver's text; advice".
  void check(cu::Result result, const char *call, const std::string &what = std::string()) const {
    if (result != cu::Success)
      fail(result, call, what);
  }
  [[noreturn]] void fail(cu::Result result, const char *call, const std::string &what) const;
};

/// The table of functions that `open` makes, made at the first call; a call that
/// throws is tried again at the next. Never destroyed: objects that outlive main
/// may still release memory.
template <typename Api>
const Api &getOnce(const Api *(*open)()) {
  static std::atomic<const Api *> cached{nullptr};
  if (const Api *api = cached.load(std::memory_order_acquire))
    return *api;
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  if (const Api *api = cached.load(std::memory_order_acquire))
    return *api;
  const Api *api = open();
  cached.store(api, std::memory_order_release);
  return *api;
}

/// Opens a library: the one that the variable `environment` names, else the
/// first of `names` that opens. Throws `status` with every attempt's reason.
void *openLibrary(const char *title, const char *environment, const std::vector<const char *> &names,
                  FxrtStatus status);

/// Makes `context` current for its scope if another one (or none) is.
class ContextGuard {
public:
  ContextGuard(const DriverApi &driver, cu::Context context);
  ~ContextGuard();
  ContextGuard(const ContextGuard &) = delete;
  ContextGuard &operator=(const ContextGuard &) = delete;

private:
  const DriverApi &driver;
  bool pushed = false;
};

/// The thread's current context; where there is none, device 0's primary
/// context, retained for the life of the process and made current.
cu::Context getOrMakeCurrentContext(const DriverApi &driver);

/// Makes the primary context of `ordinal` current; retained once per process.
void makePrimaryContextCurrent(const DriverApi &driver, int ordinal);

/// A stream of our own; non-blocking, so that it may be captured.
class OwnedStream {
public:
  explicit OwnedStream(const DriverApi &driver) : driver(driver) {
    driver.check(driver.cuStreamCreate(&stream, cu::StreamNonBlocking), "cuStreamCreate");
  }
  ~OwnedStream() { driver.cuStreamDestroy_v2(stream); }
  OwnedStream(const OwnedStream &) = delete;
  OwnedStream &operator=(const OwnedStream &) = delete;
  operator cu::Stream() const { return stream; }

private:
  const DriverApi &driver;
  cu::Stream stream = nullptr;
};

/// Device memory that is freed with its owner; 0 bytes give a null pointer.
class DeviceMemory {
public:
  explicit DeviceMemory(const DriverApi &driver) : driver(&driver) {}
  DeviceMemory(const DriverApi &driver, size_t bytes, const std::string &what) : driver(&driver) {
    allocate(bytes, what);
  }
  DeviceMemory(DeviceMemory &&other) noexcept : driver(other.driver), pointer(other.pointer) { other.pointer = 0; }
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;
  ~DeviceMemory() {
    if (pointer)
      driver->cuMemFree_v2(pointer);
  }
  void allocate(size_t bytes, const std::string &what);
  cu::DevicePtr get() const { return pointer; }
  /// The caller frees it from here on.
  void release() { pointer = 0; }

private:
  const DriverApi *driver;
  cu::DevicePtr pointer = 0;
};

} // namespace runtime
} // namespace fxgraph

#endif // FXGRAPH_LIB_RUNTIME_DRIVERAPI_H
