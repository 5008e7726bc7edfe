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
 *    They may have any strides >= 0; one that is not row-major, or does not lie as it
 *    did when the graph was captured (`fxgraph.memory_order`), is copied first. An
 *    argument that the graph writes (FxTensorInfo.mutated) is written in place.
 *  - Outputs: where `data` is set, the caller gives the memory, with the extents that
 *    the graph produces and any strides > 0; a difference is an error. Where `data`
 *    is null, FxRunOptions.allocate gives the memory, or else the library does: then
 *    free it with fxgraph_free. All fields are filled in.
 *  - What is written (outputs, and arguments with FxTensorInfo.mutated) must not
 *    overlap any other tensor of the call; an overlap is an error.
 *  - Every function may be called by several threads at once.
 *
 *===----------------------------------------------------------------------===*/

#ifndef FXGRAPH_BACKEND_CPUARTIFACT_H
#define FXGRAPH_BACKEND_CPUARTIFACT_H

#ifndef FXCPU_STANDALONE
#include "fxgraph/Runtime/Tensor.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this interface; fxgraph_version() gives the library's. */
#define FX_CPU_ABI_VERSION 2

/** Runs the graph. Returns an FxStatus. */
int fxgraph_run(const FxTensorDesc *inputs, int inputCount, FxTensorDesc *outputs, int outputCount);
/** The same with memory for outputs from the caller; `options` may be null. */
int fxgraph_run_with(const FxTensorDesc *inputs, int inputCount, FxTensorDesc *outputs, int outputCount, const FxRunOptions *options);
/** Why the last call that failed on this thread failed. */
const char *fxgraph_last_error(void);
/** Null if there is no memory for it. */
const FxGraphInfo *fxgraph_info(void);
/** Bytes of memory for intermediate values, which a run takes by itself. */
int64_t fxgraph_workspace(void);
int fxgraph_version(void);
/** Frees the data of an output that the library allocated. */
void fxgraph_free(void *data);
/** Threads that large loops are divided among, from the next run on; 0: as many as processors (default). */
void fxgraph_set_threads(int count);
/** Seed of the random numbers of every run that begins from now on (default: 0). A run
 * draws what PyTorch draws behind torch.manual_seed(seed); Runtime/Random.h says where not. */
void fxgraph_set_seed(uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif /* FXGRAPH_BACKEND_CPUARTIFACT_H */
