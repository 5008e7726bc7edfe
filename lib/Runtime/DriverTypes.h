//===- DriverTypes.h - The part of cuda.h that we use ------------*- C++
//-*-===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types, values and prototypes of the CUDA driver interface, declared here so
// that neither building nor running needs the CUDA toolkit. Values are those of
// CUDA 12.0 to 13.x (the driver interface keeps them); the Runtime tests
// compare them with cuda.h where one is installed.
//
//===----------------------------------------------------------------------===//

#ifndef FXGRAPH_LIB_RUNTIME_DRIVERTYPES_H
#define FXGRAPH_LIB_RUNTIME_DRIVERTYPES_H

#include <cstddef>
#include <cstdint>

namespace fxgraph {
namespace runtime {
namespace cu {

using Result = int;
using Device = int;
using DevicePtr = unsigned long long;
using Context = struct ContextOpaque *;
using Library = struct LibraryOpaque *;
using Kernel = struct KernelOpaque *;
using Function = struct FunctionOpaque *;
using Stream = struct StreamOpaque *;
using Event = struct EventOpaque *;
using Graph = struct GraphOpaque *;
using GraphExec = struct GraphExecOpaque *;

enum : Result {
  Success = 0,
  ErrorInvalidValue = 1,
  ErrorOutOfMemory = 2,
  ErrorNotInitialized = 3,
  ErrorDeinitialized = 4,
  ErrorStubLibrary = 34,
  ErrorNoDevice = 100,
  ErrorInvalidDevice = 101,
  ErrorInvalidImage = 200,
  ErrorInvalidContext = 201,
  ErrorNoBinaryForGpu = 209,
  ErrorInvalidPtx = 218,
  ErrorUnsupportedPtxVersion = 222,
  ErrorInvalidHandle = 400,
  ErrorNotFound = 500,
  ErrorIllegalAddress = 700,
  ErrorLaunchOutOfResources = 701,
  ErrorMisalignedAddress = 716,
  ErrorLaunchFailed = 719,
  ErrorNotSupported = 801,
  ErrorSystemDriverMismatch = 803,
  ErrorStreamCaptureUnsupported = 900,
  ErrorStreamCaptureInvalidated = 901,
  ErrorStreamCaptureUnmatched = 903,
  ErrorStreamCaptureUnjoined = 904,
  ErrorInvalidClusterSize = 912,
  ErrorUnknown = 999
};

enum : int {
  DeviceAttributeMultiprocessorCount = 16,
  DeviceAttributeL2CacheSize = 38,
  DeviceAttributeComputeCapabilityMajor = 75,
  DeviceAttributeComputeCapabilityMinor = 76,
  DeviceAttributeMaxSharedMemoryPerBlockOptin = 97
};

enum : int {
  FuncAttributeMaxThreadsPerBlock = 0,
  FuncAttributeSharedSizeBytes = 1,
  FuncAttributeMaxDynamicSharedSizeBytes = 8,
  FuncAttributeNonPortableClusterSizeAllowed = 14
};

enum : int { JitErrorLogBuffer = 5, JitErrorLogBufferSizeBytes = 6, JitSplitCompile = 34 };
/// The first driver that takes JitSplitCompile.
inline constexpr int SplitCompileVersion = 13000;
/// The first driver that captures launches with programmatic stream serialisation in a graph.
inline constexpr int ProgrammaticCaptureVersion = 12030;

enum : unsigned { StreamNonBlocking = 1 };
enum : unsigned { EventDisableTiming = 2 };
enum : int { StreamCaptureModeThreadLocal = 1 };

enum : unsigned { LaunchAttributeClusterDimension = 4, LaunchAttributeProgrammaticStreamSerialization = 6 };

struct LaunchAttribute {
  unsigned id;
  unsigned pad;
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } clusterDim;
    int programmaticStreamSerializationAllowed;
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72, "layout of CUlaunchAttribute");

struct LaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  Stream stream;
  LaunchAttribute *attrs;
  unsigned numAttrs;
};
static_assert(sizeof(LaunchConfig) == 56, "layout of CUlaunchConfig");

struct alignas(128) TensorMap {
  uint64_t opaque[16];
};
static_assert(sizeof(TensorMap) == 128, "layout of CUtensorMap");

} // namespace cu

/// Every driver function that the runtime calls: F(symbol, parameters). The
/// symbols carry the version suffixes that cuda.h adds by macro.
#define FXGRAPH_DRIVER_FUNCTIONS(F)                                                                                    \
  F(cuInit, (unsigned flags))                                                                                          \
  F(cuDriverGetVersion, (int *version))                                                                                \
  F(cuGetErrorName, (cu::Result error, const char **name))                                                             \
  F(cuGetErrorString, (cu::Result error, const char **text))                                                           \
  F(cuDeviceGetCount, (int *count))                                                                                    \
  F(cuDeviceGet, (cu::Device * device, int ordinal))                                                                   \
  F(cuDeviceGetName, (char *name, int length, cu::Device device))                                                      \
  F(cuDeviceGetAttribute, (int *value, int attribute, cu::Device device))                                              \
  F(cuDeviceTotalMem_v2, (size_t *bytes, cu::Device device))                                                           \
  F(cuDevicePrimaryCtxRetain, (cu::Context * context, cu::Device device))                                              \
  F(cuDevicePrimaryCtxRelease_v2, (cu::Device device))                                                                 \
  F(cuCtxGetCurrent, (cu::Context * context))                                                                          \
  F(cuCtxSetCurrent, (cu::Context context))                                                                            \
  F(cuCtxPushCurrent_v2, (cu::Context context))                                                                        \
  F(cuCtxPopCurrent_v2, (cu::Context * context))                                                                       \
  F(cuCtxGetDevice, (cu::Device * device))                                                                             \
  F(cuLibraryLoadData,                                                                                                 \
    (cu::Library * library, const void *code, int *jitOptions, void **jitValues, unsigned numJitOptions,               \
     int *libraryOptions, void **libraryValues, unsigned numLibraryOptions))                                           \
  F(cuLibraryUnload, (cu::Library library))                                                                            \
  F(cuLibraryGetKernel, (cu::Kernel * kernel, cu::Library library, const char *name))                                  \
  F(cuKernelGetFunction, (cu::Function * function, cu::Kernel kernel))                                                 \
  F(cuKernelGetAttribute, (int *value, int attribute, cu::Kernel kernel, cu::Device device))                           \
  F(cuKernelSetAttribute, (int attribute, int value, cu::Kernel kernel, cu::Device device))                            \
  F(cuLaunchKernel,                                                                                                    \
    (cu::Function function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,          \
     unsigned blockZ, unsigned sharedBytes, cu::Stream stream, void **params, void **extra))                           \
  F(cuLaunchKernelEx, (const cu::LaunchConfig *config, cu::Function function, void **params, void **extra))            \
  F(cuMemAlloc_v2, (cu::DevicePtr * pointer, size_t bytes))                                                            \
  F(cuMemFree_v2, (cu::DevicePtr pointer))                                                                             \
  F(cuMemcpyHtoDAsync_v2, (cu::DevicePtr device, const void *host, size_t bytes, cu::Stream stream))                   \
  F(cuMemcpyDtoHAsync_v2, (void *host, cu::DevicePtr device, size_t bytes, cu::Stream stream))                         \
  F(cuMemcpyDtoDAsync_v2, (cu::DevicePtr to, cu::DevicePtr from, size_t bytes, cu::Stream stream))                     \
  F(cuMemsetD8Async, (cu::DevicePtr device, unsigned char value, size_t count, cu::Stream stream))                     \
  F(cuMemsetD32Async, (cu::DevicePtr device, unsigned value, size_t count, cu::Stream stream))                         \
  F(cuMemsetD2D8Async,                                                                                                 \
    (cu::DevicePtr device, size_t pitch, unsigned char value, size_t width, size_t height, cu::Stream stream))         \
  F(cuStreamCreate, (cu::Stream * stream, unsigned flags))                                                             \
  F(cuStreamDestroy_v2, (cu::Stream stream))                                                                           \
  F(cuStreamSynchronize, (cu::Stream stream))                                                                          \
  F(cuStreamWaitEvent, (cu::Stream stream, cu::Event event, unsigned flags))                                           \
  F(cuStreamBeginCapture_v2, (cu::Stream stream, int mode))                                                            \
  F(cuStreamIsCapturing, (cu::Stream stream, int *status))                                                             \
  F(cuStreamEndCapture, (cu::Stream stream, cu::Graph * graph))                                                        \
  F(cuEventCreate, (cu::Event * event, unsigned flags))                                                                \
  F(cuEventDestroy_v2, (cu::Event event))                                                                              \
  F(cuEventRecord, (cu::Event event, cu::Stream stream))                                                               \
  F(cuEventSynchronize, (cu::Event event))                                                                             \
  F(cuEventElapsedTime, (float *milliseconds, cu::Event start, cu::Event end))                                         \
  F(cuGraphInstantiateWithFlags, (cu::GraphExec * exec, cu::Graph graph, unsigned long long flags))                    \
  F(cuGraphDestroy, (cu::Graph graph))                                                                                 \
  F(cuGraphExecDestroy, (cu::GraphExec exec))                                                                          \
  F(cuGraphLaunch, (cu::GraphExec exec, cu::Stream stream))

/// Functions that drivers of CUDA 12.0 lack, or that only some plans need: null
/// where the driver does not have them.
#define FXGRAPH_DRIVER_OPTIONAL_FUNCTIONS(F)                                                                           \
  F(cuKernelGetParamInfo, (cu::Kernel kernel, size_t index, size_t *offset, size_t *bytes))                            \
  F(cuTensorMapEncodeTiled,                                                                                            \
    (cu::TensorMap * map, int dataType, uint32_t rank, void *address, const uint64_t *dims, const uint64_t *strides,   \
     const uint32_t *box, const uint32_t *elementStrides, int interleave, int swizzle, int l2Promotion, int oobFill))

} // namespace runtime
} // namespace fxgraph

#endif // FXGRAPH_LIB_RUNTIME_DRIVERTYPES_H
