//===- HeaderTest.cpp - Our declarations against NVIDIA's headers ---------===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime declares the part of three interfaces that it uses by itself.
// Where the vendor's header is installed, the compiler compares values and
// layouts.
//
//===----------------------------------------------------------------------===//

#include "CublasLtTypes.h"
#include "DriverTypes.h"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>)
#include <cuda.h>
#define FXGRAPH_HAS_CUDA_H (CUDA_VERSION >= 12000)
#endif

using namespace fxgraph::runtime;

#if FXGRAPH_HAS_CUDA_H
static_assert(sizeof(cu::LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(cu::LaunchAttribute, value) ==
              offsetof(CUlaunchAttribute, value));
static_assert(sizeof(cu::LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(cu::LaunchConfig, stream) ==
              offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(cu::LaunchConfig, attrs) ==
              offsetof(CUlaunchConfig, attrs));
static_assert(sizeof(cu::TensorMap) == sizeof(CUtensorMap));
static_assert(alignof(cu::TensorMap) == alignof(CUtensorMap));

TEST(Header, DriverValuesAreThoseOfCudaH) {
#define FXGRAPH_SAME(ours, theirs)                                             \
  EXPECT_EQ(static_cast<long>(cu::ours), static_cast<long>(theirs))
  FXGRAPH_SAME(ErrorInvalidValue, CUDA_ERROR_INVALID_VALUE);
  FXGRAPH_SAME(ErrorOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
  FXGRAPH_SAME(ErrorNotInitialized, CUDA_ERROR_NOT_INITIALIZED);
  FXGRAPH_SAME(ErrorDeinitialized, CUDA_ERROR_DEINITIALIZED);
  FXGRAPH_SAME(ErrorStubLibrary, CUDA_ERROR_STUB_LIBRARY);
  FXGRAPH_SAME(ErrorNoDevice, CUDA_ERROR_NO_DEVICE);
  FXGRAPH_SAME(ErrorInvalidDevice, CUDA_ERROR_INVALID_DEVICE);
  FXGRAPH_SAME(ErrorInvalidImage, CUDA_ERROR_INVALID_IMAGE);
  FXGRAPH_SAME(ErrorInvalidContext, CUDA_ERROR_INVALID_CONTEXT);
  FXGRAPH_SAME(ErrorNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
  FXGRAPH_SAME(ErrorInvalidPtx, CUDA_ERROR_INVALID_PTX);
  FXGRAPH_SAME(ErrorUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  FXGRAPH_SAME(ErrorInvalidHandle, CUDA_ERROR_INVALID_HANDLE);
  FXGRAPH_SAME(ErrorNotFound, CUDA_ERROR_NOT_FOUND);
  FXGRAPH_SAME(ErrorIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
  FXGRAPH_SAME(ErrorLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  FXGRAPH_SAME(ErrorMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS);
  FXGRAPH_SAME(ErrorLaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
  FXGRAPH_SAME(ErrorNotSupported, CUDA_ERROR_NOT_SUPPORTED);
  FXGRAPH_SAME(ErrorSystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
  FXGRAPH_SAME(ErrorStreamCaptureUnsupported,
               CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  FXGRAPH_SAME(ErrorStreamCaptureInvalidated,
               CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  FXGRAPH_SAME(ErrorStreamCaptureUnmatched,
               CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  FXGRAPH_SAME(ErrorInvalidClusterSize, CUDA_ERROR_INVALID_CLUSTER_SIZE);
  FXGRAPH_SAME(ErrorUnknown, CUDA_ERROR_UNKNOWN);
  FXGRAPH_SAME(DeviceAttributeMultiprocessorCount,
               CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  FXGRAPH_SAME(DeviceAttributeL2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  FXGRAPH_SAME(DeviceAttributeComputeCapabilityMajor,
               CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  FXGRAPH_SAME(DeviceAttributeComputeCapabilityMinor,
               CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  FXGRAPH_SAME(DeviceAttributeMaxSharedMemoryPerBlockOptin,
               CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  FXGRAPH_SAME(FuncAttributeMaxThreadsPerBlock,
               CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  FXGRAPH_SAME(FuncAttributeSharedSizeBytes,
               CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  FXGRAPH_SAME(FuncAttributeMaxDynamicSharedSizeBytes,
               CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  FXGRAPH_SAME(FuncAttributeNonPortableClusterSizeAllowed,
               CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
  FXGRAPH_SAME(JitErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER);
  FXGRAPH_SAME(JitErrorLogBufferSizeBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  FXGRAPH_SAME(StreamNonBlocking, CU_STREAM_NON_BLOCKING);
  FXGRAPH_SAME(StreamCaptureModeThreadLocal,
               CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  FXGRAPH_SAME(LaunchAttributeClusterDimension,
               CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  FXGRAPH_SAME(LaunchAttributeProgrammaticStreamSerialization,
               CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
#undef FXGRAPH_SAME
  // The numbers that Graph.cpp passes for tensor maps.
  EXPECT_EQ(CU_TENSOR_MAP_DATA_TYPE_UINT8, 0);
  EXPECT_EQ(CU_TENSOR_MAP_DATA_TYPE_UINT16, 1);
  EXPECT_EQ(CU_TENSOR_MAP_DATA_TYPE_UINT32, 2);
  EXPECT_EQ(CU_TENSOR_MAP_DATA_TYPE_INT32, 3);
  EXPECT_EQ(CU_TENSOR_MAP_DATA_TYPE_UINT64, 4);
  EXPECT_EQ(CU_TENSOR_MAP_DATA_TYPE_INT64, 5);
  EXPECT_EQ(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 6);
  EXPECT_EQ(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 7);
  EXPECT_EQ(CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8);
  EXPECT_EQ(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 9);
  EXPECT_EQ(CU_TENSOR_MAP_SWIZZLE_128B, 3);
  EXPECT_EQ(CU_TENSOR_MAP_L2_PROMOTION_L2_256B, 3);
  EXPECT_EQ(CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA, 1);
}
#else
TEST(Header, DriverValuesAreThoseOfCudaH) {
  GTEST_SKIP() << "cuda.h is not installed";
}
#endif
