/*===- FxGraphRuntime.h - Load and launch compiled GPU graphs -----*- C -*-===*
 *
 * Part of the fxgraph project, under the Apache License v2.0 with LLVM
 * Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * The C interface of libFxGraphRuntime.so. A compiled graph is an *artefact*:
 * a launch plan (JSON, see docs/Runtime.md), a device image (PTX text, cubin
 * or fatbin) and, where the plan has constants, a blob with their bytes. The
 * library needs glibc only; the CUDA driver, cuBLASLt and cuDNN are opened when
 * a call first needs them.
 *
 * Rules that hold for every function:
 *  - It returns an FxrtStatus as int and throws nothing. On failure the text of
 *    fxrtLastError() (per thread) names what failed and what to do about it.
 *  - Bad arguments, bad plans, a missing driver and handles that were already
 *    destroyed give a status, not a crash. Device pointers cannot be checked
 *    beyond null and alignment.
 *  - Device pointers are CUdeviceptr values cast to void *; a stream is a
 *    CUstream (= cudaStream_t) cast to void *, null being the default stream.
 *  - The context current on the calling thread is used (PyTorch's, say); where
 *    there is none, the primary context of device 0 (or of fxrtSetDevice's) is
 *    retained. A graph belongs to the context that it was loaded in; calls from
 *    threads with another context switch to it and back.
 *  - Different graphs may be used by different threads at once. One graph may
 * be run by several threads at once if each passes its own workspace.
 *
 *===----------------------------------------------------------------------===*/

#ifndef FXGRAPH_RUNTIME_FXGRAPHRUNTIME_H
#define FXGRAPH_RUNTIME_FXGRAPHRUNTIME_H

#include "fxgraph/Runtime/Tensor.h"

#if defined(__GNUC__)
#define FXRT_EXPORT __attribute__((visibility("default")))
#else
#define FXRT_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this interface; a library answers fxrtVersion() with its own. */
#define FXRT_VERSION 1

/** What every function returns. */
typedef enum FxrtStatus {
  FXRT_OK = 0,
  FXRT_INVALID_ARGUMENT = 1, /**< a count, pointer, handle or size is wrong */
  FXRT_INVALID_PLAN = 2,     /**< the launch plan is malformed or contradictory */
  FXRT_UNSUPPORTED = 3,      /**< well-formed, but this device or library cannot */
  FXRT_NO_DRIVER = 4,        /**< no CUDA driver, no device, or it is too old */
  FXRT_DRIVER_ERROR = 5,     /**< a driver call failed */
  FXRT_LIBRARY_ERROR = 6,    /**< cuBLASLt, cuDNN or NCCL is missing, or a call failed */
  FXRT_OUT_OF_MEMORY = 7,    /**< device or host memory is exhausted */
  FXRT_NOT_FOUND = 8,        /**< a file, or a kernel in the image, is missing */
  FXRT_INTERNAL_ERROR = 9,   /**< a bug in the runtime */
  FXRT_RUN_FAILED = 10       /**< the graph ran into an error: an index is out of range */
} FxrtStatus;

/** A loaded graph. */
typedef struct FxrtGraph FxrtGraph;
/** A CUDA graph captured from one call of a loaded graph. */
typedef struct FxrtCapture FxrtCapture;

/** This process' place in a group of processes: a communicator of NCCL. */
typedef struct FxrtProcessGroup FxrtProcessGroup;

/** One input or output. The pointers live as long as the graph. */
typedef struct FxrtTensorInfo {
  const char *name;
  const char *dtype; /**< "f32", "bf16", "i64", "i1" (one byte each), ... */
  int32_t rank;
  int32_t mutated;        /**< inputs only: 1 if a run writes it */
  const int64_t *shape;   /**< rank sizes */
  const int64_t *strides; /**< rank strides in elements (never null) */
  uint64_t bytes;         /**< bytes from the first element to the last's end */
  uint64_t align;         /**< the pointer must be a multiple of this */
} FxrtTensorInfo;

typedef struct FxrtDeviceInfo {
  char name[256];
  char chip[16]; /**< "sm_90": compute capability, without suffix */
  int32_t ordinal;
  int32_t multiprocessors;
  int32_t sharedBytesPerBlock; /**< the opt-in maximum */
  int32_t driverVersion;       /**< 13000 is CUDA 13.0 */
  uint64_t memoryBytes;
  uint64_t l2Bytes;
} FxrtDeviceInfo;

/** Times of one call, from events on the stream, in milliseconds. */
typedef struct FxrtTiming {
  double median, min, max, mean;
  int32_t repeats;
} FxrtTiming;

enum {
  /** Write a buffer larger than the L2 cache before every repeat. */
  FXRT_TIME_FLUSH_L2 = 1,
  /** Time the replay of a captured CUDA graph rather than separate launches. */
  FXRT_TIME_CAPTURED = 2
};

/*===-- Errors, version ---------------------------------------------------===*/

FXRT_EXPORT int fxrtVersion(void);
/** Why the last failing call on this thread failed; "" if none did. Valid until
 * the next failing call on this thread. */
FXRT_EXPORT const char *fxrtLastError(void);
/** "ok", "invalid argument", ... */
FXRT_EXPORT const char *fxrtStatusName(int status);

/*===-- Devices and memory ------------------------------------------------===*/

FXRT_EXPORT int fxrtDeviceCount(int *count);
/** ordinal -1 means the current device. */
FXRT_EXPORT int fxrtGetDeviceInfo(int ordinal, FxrtDeviceInfo *info);
/** Makes the primary context of a device current on this thread. */
FXRT_EXPORT int fxrtSetDevice(int ordinal);

/** bytes = 0 gives a null pointer. */
FXRT_EXPORT int fxrtMalloc(void **pointer, size_t bytes);
FXRT_EXPORT int fxrtFree(void *pointer);
/** Copies; they return when the data has arrived, ordered after stream. */
FXRT_EXPORT int fxrtCopyToDevice(void *device, const void *host, size_t bytes, void *stream);
FXRT_EXPORT int fxrtCopyToHost(void *host, const void *device, size_t bytes, void *stream);
/** Sets bytes bytes to value, in stream order. */
FXRT_EXPORT int fxrtFill(void *device, int value, size_t bytes, void *stream);
FXRT_EXPORT int fxrtStreamCreate(void **stream);
FXRT_EXPORT int fxrtStreamDestroy(void *stream);
FXRT_EXPORT int fxrtStreamSynchronize(void *stream);

/*===-- Graphs ------------------------------------------------------------===*/

/** Checks a plan without a driver: parses it and validates every field. */
FXRT_EXPORT int fxrtCheckPlan(const char *plan, size_t planBytes);

/** Loads a graph: parses the plan, loads the image, finds every kernel, checks
 * its arguments, copies constants to the device and prepares library calls.
 * All three buffers may be freed afterwards. image may be null if the plan has
 * no kernel step, constants if it has no constants. */
FXRT_EXPORT int fxrtLoad(const char *plan, size_t planBytes, const void *image, size_t imageBytes,
                         const void *constants, size_t constantsBytes, FxrtGraph **graph);
/** The same from files; imagePath and constantsPath may be null. */
FXRT_EXPORT int fxrtLoadFiles(const char *planPath, const char *imagePath, const char *constantsPath,
                              FxrtGraph **graph);
/** Releases a graph. Runs that were enqueued before must have finished. A
 * capture made from it keeps what it needs. Null is allowed. */
FXRT_EXPORT int fxrtDestroy(FxrtGraph *graph);

FXRT_EXPORT int fxrtGetName(FxrtGraph *graph, const char **name);
FXRT_EXPORT int fxrtGetCounts(FxrtGraph *graph, size_t *inputs, size_t *outputs, size_t *steps);
FXRT_EXPORT int fxrtGetInput(FxrtGraph *graph, size_t index, FxrtTensorInfo *info);
FXRT_EXPORT int fxrtGetOutput(FxrtGraph *graph, size_t index, FxrtTensorInfo *info);
/** Bytes of workspace that a run needs: intermediates plus the scratch memory
 * of library calls. It must be 256-byte aligned. */
FXRT_EXPORT int fxrtGetWorkspaceBytes(FxrtGraph *graph, size_t *bytes);

/** Enqueues one call on stream. No synchronisation, no device allocation, no
 * copy from pageable memory: it may be captured into a CUDA graph. (But a graph with
 * branches or loops waits for stream wherever it has to know which steps come next; it
 * is not captured.) Outputs are written completely; outputs and inputs must not overlap. */
FXRT_EXPORT int fxrtRun(FxrtGraph *graph, void *const *inputs, size_t inputCount, void *const *outputs,
                        size_t outputCount, void *workspace, size_t workspaceBytes, void *stream);

/** Waits for stream and tells whether the last call with this workspace ran into an error
 * (an index out of range): FXRT_RUN_FAILED, with the step. For fxrtRun and fxrtReplay,
 * which only enqueue; the calls below do it by themselves. */
FXRT_EXPORT int fxrtCheckRun(FxrtGraph *graph, void *workspace, void *stream);

/** The graph's tensors as compiled code of all targets describes them (Tensor.h);
 * lives as long as the graph. */
FXRT_EXPORT int fxrtGetInfo(FxrtGraph *graph, const FxGraphInfo **info);
/** The same call with described tensors, which are checked: dtype, extents, strides
 * (those of fxrtGetInput: row-major unless the plan says otherwise), alignment,
 * overlap of what is written. Outputs without data, and the workspace, come from
 * options->allocate; without it the call allocates (free outputs with fxrtFree)
 * and, where it needs a workspace, waits for the stream. So it does where indices may
 * be out of range, unless the stream is being captured. */
FXRT_EXPORT int fxrtRunTensors(FxrtGraph *graph, const FxTensorDesc *inputs, int inputCount, FxTensorDesc *outputs,
                               int outputCount, const FxRunOptions *options);

/** One synchronous call with host memory: allocates on the device, copies in,
 * runs, copies outputs and mutated inputs back, frees. */
FXRT_EXPORT int fxrtRunHost(FxrtGraph *graph, void *const *inputs, size_t inputCount, void *const *outputs,
                            size_t outputCount);

/** Times repeats calls after warmup calls. flags: FXRT_TIME_*. samples is null
 * or receives the repeats single times. Synchronises. */
FXRT_EXPORT int fxrtTime(FxrtGraph *graph, void *const *inputs, size_t inputCount, void *const *outputs,
                         size_t outputCount, void *workspace, size_t workspaceBytes, void *stream, int warmup,
                         int repeats, int flags, FxrtTiming *timing, float *samples);

/*===-- Groups of processes -----------------------------------------------===*/

#define FXRT_UNIQUE_ID_BYTES 128

/** What the processes of a group find each other by: one of them makes it and sends it
 * to the others. */
FXRT_EXPORT int fxrtGetUniqueId(void *id);
/** Joins a group of size processes as number rank, on the current device; returns when
 * all have. */
FXRT_EXPORT int fxrtProcessGroupCreate(const void *id, int rank, int size, FxrtProcessGroup **group);
/** The same of a communicator (ncclComm_t, PyTorch's say) that exists and outlives the
 * group, of the NCCL that this library opens. */
FXRT_EXPORT int fxrtProcessGroupWrap(void *communicator, FxrtProcessGroup **group);
/** Another handle of the same communicator. */
FXRT_EXPORT int fxrtProcessGroupCopy(FxrtProcessGroup *group, FxrtProcessGroup **copy);
FXRT_EXPORT int fxrtProcessGroupGetInfo(FxrtProcessGroup *group, int *rank, int *size);
/** Null is allowed. Graphs that it was set for keep what they need. */
FXRT_EXPORT int fxrtProcessGroupDestroy(FxrtProcessGroup *group);

/** The groups that a graph's collectives name; a size of 0 says that any is right. The
 * names live as long as the graph. */
FXRT_EXPORT int fxrtGetGroupCount(FxrtGraph *graph, size_t *count);
FXRT_EXPORT int fxrtGetGroup(FxrtGraph *graph, size_t index, const char **name, uint64_t *size);
/** What the graph communicates with in the group of this name; all groups of a graph are
 * set before it runs. All processes of a group run the graphs that share it in one order. */
FXRT_EXPORT int fxrtSetProcessGroup(FxrtGraph *graph, const char *name, FxrtProcessGroup *group);

/*===-- CUDA graphs -------------------------------------------------------===*/

/** 1 if calls of the graph can be captured, 0 if the host decides which steps run. */
FXRT_EXPORT int fxrtCanCapture(FxrtGraph *graph, int *can);
/** Captures one call on these buffers. The call itself does not execute. Every
 * replay uses the same addresses, so the buffers must stay alive. */
FXRT_EXPORT int fxrtCapture(FxrtGraph *graph, void *const *inputs, size_t inputCount, void *const *outputs,
                            size_t outputCount, void *workspace, size_t workspaceBytes, FxrtCapture **capture);
FXRT_EXPORT int fxrtReplay(FxrtCapture *capture, void *stream);
/** Null is allowed. Replays that were enqueued must have finished. */
FXRT_EXPORT int fxrtDestroyCapture(FxrtCapture *capture);

#ifdef __cplusplus
}
#endif

#endif /* FXGRAPH_RUNTIME_FXGRAPHRUNTIME_H */
