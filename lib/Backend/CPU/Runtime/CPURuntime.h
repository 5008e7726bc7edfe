/*===- CPURuntime.h - What compiled CPU graphs call ---------------*- C -*-===*
 *
 * Part of the fxgraph project, under the Apache License v2.0 with LLVM
 * Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * The runtime of graphs that were compiled for the CPU, in C, without any other
 * library than libc, libm and threads. It is compiled twice: into fx-run, for code
 * in memory, and by the system's C compiler into each shared library (with
 * FXCPU_STANDALONE, which adds the public entry points of CPUArtifact.h). It is
 * one file and one header, so that it can be carried along as text.
 *
 *===----------------------------------------------------------------------===*/

#ifndef FXGRAPH_BACKEND_CPU_RUNTIME_H
#define FXGRAPH_BACKEND_CPU_RUNTIME_H

#ifndef FXCPU_STANDALONE
#include "fxgraph/Runtime/Arguments.h"
#include "fxgraph/Runtime/Random.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct FxCpuContext FxCpuContext;
/** The compiled entry: returns an FxStatus. */
typedef int32_t (*FxCpuEntry)(void **inputs, void **outputs, const int64_t *extents, void *workspace,
                              FxCpuContext *context);

enum { FXCPU_ORDERED = 256 };

/** A compiled graph. The first four fields come from the code generator, the others
 * from fxcpu_load. */
typedef struct FxCpuProgram {
  /** {inputs, results, mutated}, then a tensor: dtype, rank (and FXCPU_ORDERED), extents (as in
   * FxTensorInfo), with FXCPU_ORDERED its dimensions from the outermost in memory on, mutated argument or -1. The last results are final values of
   * arguments. */
  const int64_t *meta;
  const char *names; /**< NUL-terminated, one after the other */
  int64_t workspaceBytes;
  FxCpuEntry entry;
  FxGraphInfo info;
  const FxTensorInfo *results; /**< the outputs, then the final values */
  int resultCount;
  const int64_t **orders; /**< of the inputs: in what order of dimensions the entry reads them; null: row-major */
  int *mutatedArguments;
  void *cachedWorkspace; /**< of the last run, or null */
  uint64_t seed;         /**< of the random numbers of a run */
} FxCpuProgram;

/** Reads the description of the graph; FX_OK or FX_OUT_OF_MEMORY. */
int fxcpu_load(FxCpuProgram *program);
/** `options` may be null. */
int fxcpu_run(FxCpuProgram *program, const FxTensorDesc *inputs, int inputCount, FxTensorDesc *outputs, int outputCount,
              const FxRunOptions *options);
const char *fxcpu_last_error(void);
void fxcpu_set_threads(int count);
/** Frees what the program holds. */
void fxcpu_release(FxCpuProgram *program);

/*===-- Called by compiled code -------------------------------------------===*/

void fxcpu_fail(FxCpuContext *context, const char *message);
/** Memory for result `index` of these extents; null after an error. */
void *fxcpu_output(FxCpuContext *context, int64_t index, const int64_t *extents);
void *fxcpu_alloc(FxCpuContext *context, int64_t bytes);
void fxcpu_dealloc(FxCpuContext *context, void *pointer);
/** Memory of the calling thread, valid until its next call. */
void *fxcpu_scratch(int64_t bytes);
/** function(arguments, low, high) on ranges that cover [0, count); at least
 * `grain` each. */
void fxcpu_parallel(FxCpuContext *context, void (*function)(void *, int64_t, int64_t), void *arguments, int64_t count,
                    int64_t grain);
/** Stable sort along the middle dimension of [outer, n, inner]; keeps `kept`. NaN
 * is the largest. Addresses come as integers. Returns 0, or 1 without memory. */
int64_t fxcpu_sort(int64_t input, int64_t values, int64_t indices, int64_t outer, int64_t n, int64_t kept,
                   int64_t inner, int64_t dtype, int64_t descending);

typedef enum FxCpuDraw { FXCPU_UNIFORM, FXCPU_NORMAL, FXCPU_EXPONENTIAL, FXCPU_BERNOULLI, FXCPU_PERMUTATION } FxCpuDraw;
/** Fills `count` elements at an address with the run's next random numbers; `parameter` is
 * a rate or a probability. By the thread that runs the graph. Returns 0. */
int64_t fxcpu_random(int64_t draw, int64_t address, int64_t count, int64_t dtype, double parameter);
/** The same of i64 numbers from `low` up to below `high`. */
int64_t fxcpu_random_integers(int64_t address, int64_t count, int64_t low, int64_t high);

#ifdef __cplusplus
}
#endif

#endif /* FXGRAPH_BACKEND_CPU_RUNTIME_H */
