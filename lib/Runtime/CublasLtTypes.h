//===- CublasLtTypes.h - The part of cublasLt.h that we use ------*- C++
//-*-===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values are those of cuBLAS 12 and 13; the Runtime tests compare them with
// cublasLt.h where one is installed.
//
//===----------------------------------------------------------------------===//

#ifndef FXGRAPH_LIB_RUNTIME_CUBLASLTTYPES_H
#define FXGRAPH_LIB_RUNTIME_CUBLASLTTYPES_H

#include "DriverTypes.h"

namespace fxgraph {
namespace runtime {
namespace lt {

using Status = int;
using Handle = struct HandleOpaque *;
using MatmulDesc = struct MatmulDescOpaque *;
using MatrixLayout = struct MatrixLayoutOpaque *;
using Preference = struct PreferenceOpaque *;

enum : Status {
  StatusSuccess = 0,
  StatusNotInitialized = 1,
  StatusAllocFailed = 3,
  StatusInvalidValue = 7,
  StatusArchMismatch = 8,
  StatusExecutionFailed = 13,
  StatusInternalError = 14,
  StatusNotSupported = 15
};

// cudaDataType_t
enum : int { TypeF32 = 0, TypeF64 = 1, TypeF16 = 2, TypeBF16 = 14 };

// cublasComputeType_t
enum : int { Compute32F = 68, Compute64F = 70, Compute32FFastTF32 = 77 };

// cublasOperation_t
enum : int { OpN = 0, OpT = 1 };

// cublasLtMatrixLayoutAttribute_t
enum : int { LayoutBatchCount = 5, LayoutStridedBatchOffset = 6 };

// cublasLtMatmulDescAttributes_t
enum : int {
  DescTransA = 3,
  DescTransB = 4,
  DescEpilogue = 7,
  DescBiasPointer = 8,
  DescBiasBatchStride = 10,
  DescBiasDataType = 26
};

// cublasLtEpilogue_t. GELU is the tanh form.
enum : int {
  EpilogueDefault = 1,
  EpilogueRelu = 2,
  EpilogueBias = 4,
  EpilogueReluBias = 6,
  EpilogueGelu = 32,
  EpilogueGeluBias = 36
};

// cublasLtMatmulPreferenceAttributes_t
enum : int {
  PrefMaxWorkspaceBytes = 1,
  PrefReductionSchemeMask = 3,
  PrefMinAlignmentA = 5,
  PrefMinAlignmentB = 6,
  PrefMinAlignmentC = 7,
  PrefMinAlignmentD = 8
};

// cublasLtReductionScheme_t
enum : int { ReductionSchemeComputeType = 2 };

struct Algo {
  uint64_t data[8];
};

struct HeuristicResult {
  Algo algo;
  size_t workspaceBytes;
  Status state;
  float wavesCount;
  int reserved[4];
};
static_assert(sizeof(HeuristicResult) == 96, "layout of cublasLtMatmulHeuristicResult_t");

} // namespace lt

#define FXGRAPH_CUBLASLT_FUNCTIONS(F)                                                                                  \
  F(cublasLtCreate, (lt::Handle * handle))                                                                             \
  F(cublasLtDestroy, (lt::Handle handle))                                                                              \
  F(cublasLtMatmulDescCreate, (lt::MatmulDesc * desc, int computeType, int scaleType))                                 \
  F(cublasLtMatmulDescDestroy, (lt::MatmulDesc desc))                                                                  \
  F(cublasLtMatmulDescSetAttribute, (lt::MatmulDesc desc, int attribute, const void *value, size_t bytes))             \
  F(cublasLtMatrixLayoutCreate, (lt::MatrixLayout * layout, int type, uint64_t rows, uint64_t columns, int64_t ld))    \
  F(cublasLtMatrixLayoutDestroy, (lt::MatrixLayout layout))                                                            \
  F(cublasLtMatrixLayoutSetAttribute, (lt::MatrixLayout layout, int attribute, const void *value, size_t bytes))       \
  F(cublasLtMatmulPreferenceCreate, (lt::Preference * preference))                                                     \
  F(cublasLtMatmulPreferenceDestroy, (lt::Preference preference))                                                      \
  F(cublasLtMatmulPreferenceSetAttribute, (lt::Preference preference, int attribute, const void *value, size_t bytes)) \
  F(cublasLtMatmulAlgoGetHeuristic,                                                                                    \
    (lt::Handle handle, lt::MatmulDesc desc, lt::MatrixLayout a, lt::MatrixLayout b, lt::MatrixLayout c,               \
     lt::MatrixLayout d, lt::Preference preference, int requested, lt::HeuristicResult *results, int *count))          \
  F(cublasLtMatmul,                                                                                                    \
    (lt::Handle handle, lt::MatmulDesc desc, const void *alpha, const void *a, lt::MatrixLayout aLayout,               \
     const void *b, lt::MatrixLayout bLayout, const void *beta, const void *c, lt::MatrixLayout cLayout, void *d,      \
     lt::MatrixLayout dLayout, const lt::Algo *algo, void *workspace, size_t workspaceBytes, cu::Stream stream))

} // namespace runtime
} // namespace fxgraph

#endif // FXGRAPH_LIB_RUNTIME_CUBLASLTTYPES_H
