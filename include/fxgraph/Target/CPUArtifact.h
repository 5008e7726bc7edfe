/*===- CPUArtifact.h - Calling a graph that was compiled for the CPU -*- C -*-===*
 *
 * Part of the fxgraph project, under the Apache License v2.0 with LLVM
 * Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * The C interface of a shared library made by `fx-translate --to=so`. The
 * library needs libc and libm only. The same entry points serve the code that is
 * compiled in memory (fx-run --target=cpu).
 *
 *   void *lib = dlopen("./model.so", RTLD_NOW);
 *   int (*run)(const FxTensorDesc *, int, FxTensorDesc *, int) = dlsym(lib, "fxgraph_run");
 *   if (run(inputs, 2, outputs, 1) != FX_OK) puts(last_error());
 *
 * Rules:
 *  - A tensor is described by FxTensorDesc: address, dtype, extents, strides in
 *    elements. Bools are one byte, 0 or 1.
 *  - Inputs are all arguments of the graph in order (inputs, parameters, buffers).
 *    They may have any strides >= 0; one that is not row-major is copied first. An
 *    argument that the graph writes (FxTensorInfo.mutated) is written in place.
 *  - Outputs: where `data` is set, the caller gives the memory, with the extents and
 *    row-major strides that the graph produces; a difference is an error. Where
 *    `data` is null, the library allocates, and fills in all fields; free the memory
 *    with fxgraph_free. Only outputs of dynamic extents need this.
 *  - Outputs must not overlap inputs or each other.
 *  - Every function may be called by several threads at once.
 *
 *===----------------------------------------------------------------------===*/

#ifndef FXGRAPH_TARGET_CPUARTIFACT_H
#define FXGRAPH_TARGET_CPUARTIFACT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this interface; fxgraph_version() gives the library's. */
#define FX_CPU_ABI_VERSION 1
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
  FX_BOOL = 10
} FxDtype;

typedef enum FxStatus {
  FX_OK = 0,
  FX_BAD_ARGUMENT = 1, /**< a count, dtype, rank, extent or stride is wrong */
  FX_RUN_FAILED = 2,   /**< an index out of range, a division by zero, ... */
  FX_OUT_OF_MEMORY = 3
} FxStatus;

typedef struct FxTensorDesc {
  void *data;
  int32_t dtype; /**< FxDtype */
  int32_t rank;
  int64_t sizes[FX_MAX_RANK];
  int64_t strides[FX_MAX_RANK]; /**< in elements */
} FxTensorDesc;

/** What a graph expects and gives. Extents that vary are -1. */
typedef struct FxTensorInfo {
  const char *name;
  int32_t dtype;
  int32_t rank;
  const int64_t *sizes;
  int32_t mutated; /**< inputs: the graph writes it. */
} FxTensorInfo;

typedef struct FxGraphInfo {
  const char *name;
  int32_t inputCount;
  int32_t outputCount;
  const FxTensorInfo *inputs;
  const FxTensorInfo *outputs;
} FxGraphInfo;

/** Runs the graph. Returns an FxStatus. */
int fxgraph_run(const FxTensorDesc *inputs, int inputCount, FxTensorDesc *outputs, int outputCount);
/** Why the last call that failed on this thread failed. */
const char *fxgraph_last_error(void);
const FxGraphInfo *fxgraph_info(void);
int fxgraph_version(void);
/** Frees the data of an output that the library allocated. */
void fxgraph_free(void *data);
/** Threads that large loops are divided among; 0: as many as processors (default). */
void fxgraph_set_threads(int count);

#ifdef __cplusplus
}
#endif

#endif /* FXGRAPH_TARGET_CPUARTIFACT_H */
