//===- MockState.h - What the mock's libraries share ---------------*- C++ -*-===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libFxGraphMockDriver.so stands in for libcuda.so.1, libcublasLt, libcudnn and
// libnccl on machines without a GPU. Device memory is host memory, so copies, fills,
// matrix products and convolutions really happen; kernels are found in the PTX
// text and their launches are checked and logged, and run only where a test
// registered a host function for them. The processes of a group are threads of
// this one. Streams run at once but for collectives, which run when somebody
// waits for them: what reads too early, or writes too early over what they read,
// shows in values.
//
// Environment:
//   FXGRAPH_MOCK_LOG=FILE      append one line per operation that executes
//   FXGRAPH_MOCK_CHIP=sm_80    the device's chip (default sm_90)
//   FXGRAPH_MOCK_DEVICES=N     number of devices (default 1)
//   FXGRAPH_MOCK_VERSION=12020 version of the driver (default 13000)
//   FXGRAPH_MOCK_PATIENCE_MS=N how long a process waits for the others of its group
//                              (default 60000)
//   FXGRAPH_MOCK_FAIL=CALL=CODE[@N]  the call CALL (its N-th call) returns CODE
//
//===----------------------------------------------------------------------===//

#ifndef FXGRAPH_LIB_RUNTIME_MOCK_MOCKSTATE_H
#define FXGRAPH_LIB_RUNTIME_MOCK_MOCKSTATE_H

#include "DriverTypes.h"

#include <functional>
#include <string>
#include <vector>

#define FXGRAPH_MOCK_EXPORT extern "C" __attribute__((visibility("default")))

/// A host function in place of a kernel: called once per launch.
using FxGraphMockKernel = void (*)(const unsigned grid[3], const unsigned block[3], void **params, void *user);

/// Registers `body` for kernels named `name`; null removes it.
FXGRAPH_MOCK_EXPORT void fxgraphMockRegisterKernel(const char *name, FxGraphMockKernel body, void *user);
/// The same for what this thread launches, where it goes first: processes that are threads
/// have kernels of the same names.
FXGRAPH_MOCK_EXPORT void fxgraphMockRegisterThreadKernel(const char *name, FxGraphMockKernel body, void *user);
/// The live allocation that holds the address, as its first byte and the one behind its last; false: there is none.
FXGRAPH_MOCK_EXPORT bool fxgraphMockFindMemory(uint64_t address, uint64_t *first, uint64_t *end);
/// Allocations, libraries, streams, events, graphs and library handles that are
/// alive: 0 after everything was released.
FXGRAPH_MOCK_EXPORT int fxgraphMockLiveObjects(void);

namespace fxgraph {
namespace runtime {
namespace mock {

/// The code that FXGRAPH_MOCK_FAIL asks `call` to return, or 0.
int getInjectedFailure(const char *call);

void log(const std::string &line);

/// "alloc3+0x40" inside an allocation, else the address in hexadecimal.
std::string describePointer(cu::DevicePtr pointer);

/// Whether `bytes` bytes at `pointer` lie in one live allocation.
bool isDeviceRange(cu::DevicePtr pointer, size_t bytes);

std::string describeStream(cu::Stream stream);

/// Runs `operation` now, or keeps it where the stream is being captured or holds an
/// operation that waits for other processes.
cu::Result enqueue(cu::Stream stream, std::function<cu::Result()> operation);
/// The same for an operation that waits for other processes, which are other threads: it
/// runs when somebody waits for the stream, without any lock of the mock.
cu::Result enqueueForOthers(cu::Stream stream, std::function<cu::Result()> operation);

bool isLiveStream(cu::Stream stream);

void addLiveObjects(int count);

} // namespace mock
} // namespace runtime
} // namespace fxgraph

#endif // FXGRAPH_LIB_RUNTIME_MOCK_MOCKSTATE_H
