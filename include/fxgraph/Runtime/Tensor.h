/*===- Tensor.h - Tensors and graphs as compiled code sees them ----*- C -*-===*
 *
 * Part of the fxgraph project, under the Apache License v2.0 with LLVM
 * Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * One description of arguments for everything that is compiled: code in memory,
 * shared libraries (CPUArtifact.h), launch plans on a GPU (FxGraphRuntime.h) and
 * the C interface of the compiler (CAPI/FxGraph.h). Arguments.h checks a call
 * against it, with the same texts everywhere.
 *
 *===----------------------------------------------------------------------===*/

#ifndef FXGRAPH_RUNTIME_TENSOR_H
#define FXGRAPH_RUNTIME_TENSOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FX_MAX_RANK 16

/** Element types. */
typedef enum FxDtype {
  FX_F32 = 1,
  FX_F64 = 2,
  FX_F16 = 3,
  FX_BF16 = 4,
  FX_I8 = 5,
  FX_I16 = 6,
  FX_I32 = 7,
  FX_I64 = 8,
  FX_U8 = 9,
  FX_BOOL = 10, /**< one byte, 0 or 1 */
  FX_U16 = 11,
  FX_U32 = 12,
  FX_U64 = 13,
  FX_F8E4M3FN = 14,
  FX_F8E5M2 = 15,
  FX_F8E4M3FNUZ = 16,
  FX_F8E5M2FNUZ = 17,
  FX_F8E8M0FNU = 18
} FxDtype;

typedef enum FxStatus {
  FX_OK = 0,
  FX_BAD_ARGUMENT = 1,  /**< a count, dtype, rank, extent, stride or address is wrong */
  FX_RUN_FAILED = 2,    /**< an index out of range, a division by zero, ... */
  FX_OUT_OF_MEMORY = 3
} FxStatus;

/** A tensor in memory of the host or, for a graph on a GPU, of the device. */
typedef struct FxTensorDesc {
  void *data;
  int32_t dtype; /**< FxDtype */
  int32_t rank;
  int64_t sizes[FX_MAX_RANK];
  int64_t strides[FX_MAX_RANK]; /**< in elements */
} FxTensorDesc;

/** What a graph expects or gives. */
typedef struct FxTensorInfo {
  const char *name;
  int32_t dtype;
  int32_t rank;
  /** -1: any extent; -2, -3, ...: a symbol, the same extent wherever it stands. */
  const int64_t *sizes;
  int32_t mutated; /**< inputs: the graph writes it */
  int32_t align;   /**< the address is a multiple of this; 0: of the element's size */
  int32_t rowMajor; /**< 1: only row-major memory is taken, 0: any strides, or `strides` alone */
  const int64_t *strides; /**< the only ones that are taken, of dims of more than one element; null: see rowMajor */
} FxTensorInfo;

typedef struct FxGraphInfo {
  const char *name;
  int32_t inputCount;
  int32_t outputCount;
  const FxTensorInfo *inputs;
  const FxTensorInfo *outputs;
} FxGraphInfo;

/** How a graph is run beyond its tensors; zeros are right for most. */
typedef struct FxRunOptions {
  /**
   * Memory of output number `output`, whose dtype, extents and strides (dense; row-major
   * but on a GPU where PyTorch's result is not) stand in `needed`; of the workspace if `output` is -1 (bytes, FX_U8). Called
   * for the outputs whose `data` is null. It belongs to the caller, who keeps a
   * workspace until the run has ended on its stream. Null: out of memory, unless
   * there are no elements. Without this function the library allocates.
   */
  void *(*allocate)(void *user, int output, const FxTensorDesc *needed);
  void *user;
  /** GPU: a CUstream; null is the default stream. */
  void *stream;
} FxRunOptions;

#ifdef __cplusplus
}
#endif

#endif /* FXGRAPH_RUNTIME_TENSOR_H */
