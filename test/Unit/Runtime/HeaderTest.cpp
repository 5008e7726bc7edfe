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
#include "CudnnTypes.h"
#include "DriverTypes.h"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>)
#include <cuda.h>
#define FXGRAPH_HAS_CUDA_H (CUDA_VERSION >= 12000)
#endif
#if __has_include(<cublasLt.h>)
#include <cublasLt.h>
#define FXGRAPH_HAS_CUBLASLT_H 1
#endif
#if __has_include(<cudnn_graph.h>)
#include <cudnn_graph.h>
#define FXGRAPH_HAS_CUDNN_H 1
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

#if FXGRAPH_HAS_CUBLASLT_H
static_assert(sizeof(lt::HeuristicResult) ==
              sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(lt::HeuristicResult, state) ==
              offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(sizeof(lt::Algo) == sizeof(cublasLtMatmulAlgo_t));

TEST(Header, CublasLtValuesAreThoseOfCublasLtH) {
#define FXGRAPH_SAME(ours, theirs)                                             \
  EXPECT_EQ(static_cast<long>(lt::ours), static_cast<long>(theirs))
  FXGRAPH_SAME(StatusSuccess, CUBLAS_STATUS_SUCCESS);
  FXGRAPH_SAME(StatusNotInitialized, CUBLAS_STATUS_NOT_INITIALIZED);
  FXGRAPH_SAME(StatusAllocFailed, CUBLAS_STATUS_ALLOC_FAILED);
  FXGRAPH_SAME(StatusInvalidValue, CUBLAS_STATUS_INVALID_VALUE);
  FXGRAPH_SAME(StatusArchMismatch, CUBLAS_STATUS_ARCH_MISMATCH);
  FXGRAPH_SAME(StatusExecutionFailed, CUBLAS_STATUS_EXECUTION_FAILED);
  FXGRAPH_SAME(StatusInternalError, CUBLAS_STATUS_INTERNAL_ERROR);
  FXGRAPH_SAME(StatusNotSupported, CUBLAS_STATUS_NOT_SUPPORTED);
  FXGRAPH_SAME(TypeF32, CUDA_R_32F);
  FXGRAPH_SAME(TypeF64, CUDA_R_64F);
  FXGRAPH_SAME(TypeF16, CUDA_R_16F);
  FXGRAPH_SAME(TypeBF16, CUDA_R_16BF);
  FXGRAPH_SAME(Compute32F, CUBLAS_COMPUTE_32F);
  FXGRAPH_SAME(Compute64F, CUBLAS_COMPUTE_64F);
  FXGRAPH_SAME(Compute32FFastTF32, CUBLAS_COMPUTE_32F_FAST_TF32);
  FXGRAPH_SAME(OpN, CUBLAS_OP_N);
  FXGRAPH_SAME(OpT, CUBLAS_OP_T);
  FXGRAPH_SAME(LayoutBatchCount, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
  FXGRAPH_SAME(LayoutStridedBatchOffset,
               CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
  FXGRAPH_SAME(DescTransA, CUBLASLT_MATMUL_DESC_TRANSA);
  FXGRAPH_SAME(DescTransB, CUBLASLT_MATMUL_DESC_TRANSB);
  FXGRAPH_SAME(DescEpilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
  FXGRAPH_SAME(DescBiasPointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
  FXGRAPH_SAME(DescBiasBatchStride, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE);
  FXGRAPH_SAME(DescBiasDataType, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
  FXGRAPH_SAME(EpilogueDefault, CUBLASLT_EPILOGUE_DEFAULT);
  FXGRAPH_SAME(EpilogueRelu, CUBLASLT_EPILOGUE_RELU);
  FXGRAPH_SAME(EpilogueBias, CUBLASLT_EPILOGUE_BIAS);
  FXGRAPH_SAME(EpilogueReluBias, CUBLASLT_EPILOGUE_RELU_BIAS);
  FXGRAPH_SAME(EpilogueGelu, CUBLASLT_EPILOGUE_GELU);
  FXGRAPH_SAME(EpilogueGeluBias, CUBLASLT_EPILOGUE_GELU_BIAS);
  FXGRAPH_SAME(PrefMaxWorkspaceBytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
  FXGRAPH_SAME(PrefReductionSchemeMask,
               CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
  FXGRAPH_SAME(PrefMinAlignmentA, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
  FXGRAPH_SAME(PrefMinAlignmentB, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
  FXGRAPH_SAME(PrefMinAlignmentC, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
  FXGRAPH_SAME(PrefMinAlignmentD, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
  FXGRAPH_SAME(ReductionSchemeComputeType,
               CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
#undef FXGRAPH_SAME
}
#endif

#if FXGRAPH_HAS_CUDNN_H
TEST(Header, CudnnValuesAreThoseOfCudnnGraphH) {
#define FXGRAPH_SAME(ours, theirs)                                             \
  EXPECT_EQ(static_cast<long>(dnn::ours), static_cast<long>(theirs))
  FXGRAPH_SAME(StatusNotInitialized, CUDNN_STATUS_NOT_INITIALIZED);
  FXGRAPH_SAME(StatusBadParam, CUDNN_STATUS_BAD_PARAM);
  FXGRAPH_SAME(StatusNotSupported, CUDNN_STATUS_NOT_SUPPORTED);
  FXGRAPH_SAME(StatusInternalError, CUDNN_STATUS_INTERNAL_ERROR);
  FXGRAPH_SAME(StatusAllocFailed,
               CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED);
  FXGRAPH_SAME(StatusDeviceAllocFailed,
               CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED);
  FXGRAPH_SAME(StatusExecutionFailed, CUDNN_STATUS_EXECUTION_FAILED);
  FXGRAPH_SAME(TypeF32, CUDNN_DATA_FLOAT);
  FXGRAPH_SAME(TypeF64, CUDNN_DATA_DOUBLE);
  FXGRAPH_SAME(TypeF16, CUDNN_DATA_HALF);
  FXGRAPH_SAME(TypeBF16, CUDNN_DATA_BFLOAT16);
  FXGRAPH_SAME(ConvModeCrossCorrelation, CUDNN_CROSS_CORRELATION);
  FXGRAPH_SAME(HeurModeFallback, CUDNN_HEUR_MODE_FALLBACK);
  FXGRAPH_SAME(HeurModeA, CUDNN_HEUR_MODE_A);
  FXGRAPH_SAME(NoteTensorCore, CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
  FXGRAPH_SAME(NoteDownConvertInputs, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
  FXGRAPH_SAME(NoteReducedPrecisionReduction,
               CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION);
  FXGRAPH_SAME(NoteNondeterministic, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC);
  FXGRAPH_SAME(AttrHandle, CUDNN_TYPE_HANDLE);
  FXGRAPH_SAME(AttrDataType, CUDNN_TYPE_DATA_TYPE);
  FXGRAPH_SAME(AttrBoolean, CUDNN_TYPE_BOOLEAN);
  FXGRAPH_SAME(AttrInt64, CUDNN_TYPE_INT64);
  FXGRAPH_SAME(AttrFloat, CUDNN_TYPE_FLOAT);
  FXGRAPH_SAME(AttrDouble, CUDNN_TYPE_DOUBLE);
  FXGRAPH_SAME(AttrVoidPtr, CUDNN_TYPE_VOID_PTR);
  FXGRAPH_SAME(AttrConvolutionMode, CUDNN_TYPE_CONVOLUTION_MODE);
  FXGRAPH_SAME(AttrHeurMode, CUDNN_TYPE_HEUR_MODE);
  FXGRAPH_SAME(AttrNumericalNote, CUDNN_TYPE_NUMERICAL_NOTE);
  FXGRAPH_SAME(AttrBackendDescriptor, CUDNN_TYPE_BACKEND_DESCRIPTOR);
  FXGRAPH_SAME(DescConvolution, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  FXGRAPH_SAME(DescEngine, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  FXGRAPH_SAME(DescEngineCfg, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  FXGRAPH_SAME(DescEngineHeur, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  FXGRAPH_SAME(DescExecutionPlan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  FXGRAPH_SAME(DescOperationConvolutionForward,
               CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  FXGRAPH_SAME(DescOperationGraph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  FXGRAPH_SAME(DescVariantPack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  FXGRAPH_SAME(DescTensor, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  FXGRAPH_SAME(ConvolutionCompType, CUDNN_ATTR_CONVOLUTION_COMP_TYPE);
  FXGRAPH_SAME(ConvolutionConvMode, CUDNN_ATTR_CONVOLUTION_CONV_MODE);
  FXGRAPH_SAME(ConvolutionDilations, CUDNN_ATTR_CONVOLUTION_DILATIONS);
  FXGRAPH_SAME(ConvolutionFilterStrides, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
  FXGRAPH_SAME(ConvolutionPostPaddings, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
  FXGRAPH_SAME(ConvolutionPrePaddings, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
  FXGRAPH_SAME(ConvolutionSpatialDims, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS);
  FXGRAPH_SAME(EngineHeurMode, CUDNN_ATTR_ENGINEHEUR_MODE);
  FXGRAPH_SAME(EngineHeurOperationGraph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  FXGRAPH_SAME(EngineHeurResults, CUDNN_ATTR_ENGINEHEUR_RESULTS);
  FXGRAPH_SAME(EngineCfgEngine, CUDNN_ATTR_ENGINECFG_ENGINE);
  FXGRAPH_SAME(ExecutionPlanHandle, CUDNN_ATTR_EXECUTION_PLAN_HANDLE);
  FXGRAPH_SAME(ExecutionPlanEngineConfig,
               CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  FXGRAPH_SAME(ExecutionPlanWorkspaceSize,
               CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
  FXGRAPH_SAME(OperationConvolutionForwardAlpha,
               CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA);
  FXGRAPH_SAME(OperationConvolutionForwardBeta,
               CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA);
  FXGRAPH_SAME(OperationConvolutionForwardConvDesc,
               CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
  FXGRAPH_SAME(OperationConvolutionForwardW,
               CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W);
  FXGRAPH_SAME(OperationConvolutionForwardX,
               CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X);
  FXGRAPH_SAME(OperationConvolutionForwardY,
               CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y);
  FXGRAPH_SAME(OperationGraphHandle, CUDNN_ATTR_OPERATIONGRAPH_HANDLE);
  FXGRAPH_SAME(OperationGraphOps, CUDNN_ATTR_OPERATIONGRAPH_OPS);
  FXGRAPH_SAME(TensorByteAlignment, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
  FXGRAPH_SAME(TensorDataType, CUDNN_ATTR_TENSOR_DATA_TYPE);
  FXGRAPH_SAME(TensorDimensions, CUDNN_ATTR_TENSOR_DIMENSIONS);
  FXGRAPH_SAME(TensorStrides, CUDNN_ATTR_TENSOR_STRIDES);
  FXGRAPH_SAME(TensorUniqueId, CUDNN_ATTR_TENSOR_UNIQUE_ID);
  FXGRAPH_SAME(VariantPackUniqueIds, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  FXGRAPH_SAME(VariantPackDataPointers, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  FXGRAPH_SAME(VariantPackWorkspace, CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  FXGRAPH_SAME(EngineGlobalIndex, CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  FXGRAPH_SAME(EngineNumericalNote, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE);
#undef FXGRAPH_SAME
}
#endif
