//===- CudnnTypes.h - The part of cudnn_graph.h that we use -----*- C++ -*-===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values are those of cuDNN 9; the Runtime tests compare them with
// cudnn_graph.h where one is installed.
//
//===----------------------------------------------------------------------===//

#ifndef FXGRAPH_LIB_RUNTIME_CUDNNTYPES_H
#define FXGRAPH_LIB_RUNTIME_CUDNNTYPES_H

#include "DriverTypes.h"

namespace fxgraph {
namespace runtime {
namespace dnn {

using Status = int;
using Handle = struct HandleOpaque *;
/// cudnnBackendDescriptor_t is a void *.
using Descriptor = void *;

// cudnnStatus_t: the thousands are the category.
enum : Status {
  StatusSuccess = 0,
  StatusNotInitialized = 1001,
  StatusBadParam = 2000,
  StatusNotSupported = 3000,
  StatusInternalError = 4000,
  StatusAllocFailed = 4003,
  StatusDeviceAllocFailed = 4004,
  StatusExecutionFailed = 5000
};

// cudnnDataType_t
enum : int { TypeF32 = 0, TypeF64 = 1, TypeF16 = 2, TypeBF16 = 9 };

enum : int { ConvModeCrossCorrelation = 1 };

// cudnnBackendHeurMode_t
enum : int { HeurModeFallback = 2, HeurModeA = 3 };

// cudnnBackendNumericalNote_t
enum : int {
  NoteTensorCore = 0,
  NoteDownConvertInputs = 1,
  NoteReducedPrecisionReduction = 2,
  NoteNondeterministic = 4,
  NoteCount = 10
};

// cudnnBackendAttributeType_t
enum : int {
  AttrHandle = 0,
  AttrDataType = 1,
  AttrBoolean = 2,
  AttrInt64 = 3,
  AttrFloat = 4,
  AttrDouble = 5,
  AttrVoidPtr = 6,
  AttrConvolutionMode = 7,
  AttrHeurMode = 8,
  AttrNumericalNote = 11,
  AttrBackendDescriptor = 15
};

// cudnnBackendDescriptorType_t
enum : int {
  DescConvolution = 1,
  DescEngine = 2,
  DescEngineCfg = 3,
  DescEngineHeur = 4,
  DescExecutionPlan = 5,
  DescOperationConvolutionForward = 10,
  DescOperationGraph = 15,
  DescVariantPack = 16,
  DescTensor = 17
};

// cudnnBackendAttributeName_t
enum : int {
  ConvolutionCompType = 100,
  ConvolutionConvMode = 101,
  ConvolutionDilations = 102,
  ConvolutionFilterStrides = 103,
  ConvolutionPostPaddings = 104,
  ConvolutionPrePaddings = 105,
  ConvolutionSpatialDims = 106,
  EngineHeurMode = 200,
  EngineHeurOperationGraph = 201,
  EngineHeurResults = 202,
  EngineCfgEngine = 300,
  ExecutionPlanHandle = 400,
  ExecutionPlanEngineConfig = 401,
  ExecutionPlanWorkspaceSize = 402,
  OperationConvolutionForwardAlpha = 700,
  OperationConvolutionForwardBeta = 701,
  OperationConvolutionForwardConvDesc = 702,
  OperationConvolutionForwardW = 703,
  OperationConvolutionForwardX = 704,
  OperationConvolutionForwardY = 705,
  OperationGraphHandle = 800,
  OperationGraphOps = 801,
  TensorByteAlignment = 900,
  TensorDataType = 901,
  TensorDimensions = 902,
  TensorStrides = 903,
  TensorUniqueId = 906,
  VariantPackUniqueIds = 1000,
  VariantPackDataPointers = 1001,
  VariantPackWorkspace = 1003,
  EngineGlobalIndex = 1301,
  EngineNumericalNote = 1303
};

} // namespace dnn

#define FXGRAPH_CUDNN_FUNCTIONS(F)                                                                                     \
  F(cudnnCreate, (dnn::Handle * handle))                                                                               \
  F(cudnnDestroy, (dnn::Handle handle))                                                                                \
  F(cudnnSetStream, (dnn::Handle handle, cu::Stream stream))                                                           \
  F(cudnnBackendCreateDescriptor, (int type, dnn::Descriptor *descriptor))                                             \
  F(cudnnBackendDestroyDescriptor, (dnn::Descriptor descriptor))                                                       \
  F(cudnnBackendSetAttribute, (dnn::Descriptor descriptor, int name, int type, int64_t count, const void *values))     \
  F(cudnnBackendGetAttribute,                                                                                          \
    (dnn::Descriptor descriptor, int name, int type, int64_t requested, int64_t *count, void *values))                 \
  F(cudnnBackendFinalize, (dnn::Descriptor descriptor))                                                                \
  F(cudnnBackendExecute, (dnn::Handle handle, dnn::Descriptor plan, dnn::Descriptor variantPack))

} // namespace runtime
} // namespace fxgraph

#endif // FXGRAPH_LIB_RUNTIME_CUDNNTYPES_H
