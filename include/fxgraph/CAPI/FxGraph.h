// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*
 * C interface of libFxGraphCAPI.so: graphs are parsed or built, printed, stored,
 * walked, run through passes, compiled for a target, and run. Plain C.
 *
 * What MLIR's own C interface offers is not repeated: the library exports
 * mlir-c/IR.h, BuiltinTypes.h, BuiltinAttributes.h, Diagnostics.h and Support.h.
 * fxgraphModuleGetMlir and fxgraphContextGetMlir give the handles with which ops
 * are built and walked.
 *
 * Ownership. Handles are opaque; who made one destroys it. A module keeps its
 * context alive, an executable what it needs of either: handles may be destroyed in
 * any order, null too. `char *` results belong to the caller: fxgraphFreeString(). `const char *`
 * results live as long as their handle.
 *
 * Errors. What can fail returns NULL or non-zero, and fxgraphGetError() then says
 * why, with the place ("model.mlir:3:8: error: …"); the text is kept by thread. A
 * context's diagnostics (warnings and remarks too) go to its handler, if it has one.
 * A crash of the compiler or of a pass (also of the stack), LLVM's fatal errors, and
 * memory that runs out in one, are such errors as well: the process goes on, the context
 * and its modules are then refused, and what they hold is not freed. For that the first
 * context installs signal handlers (SIGSEGV, SIGABRT, …) that hand on what happens
 * outside of this library to those which were there before.
 *
 * Threads. Every function may be called by several threads at once. Calls on one
 * context and its modules wait for each other; contexts are independent, so that
 * threads with one each compile in parallel. Runs of an executable do not wait, also
 * for the same executable, but for the interpreter's (target "ref"), which wait on
 * their context. Whoever uses MLIR's functions on a context that other threads use
 * holds fxgraphContextLock meanwhile.
 */
#ifndef FXGRAPH_CAPI_FXGRAPH_H
#define FXGRAPH_CAPI_FXGRAPH_H

#include "fxgraph/Runtime/DLPack.h"
#include "fxgraph/Runtime/Tensor.h"
#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct FxGraphContext FxGraphContext;
typedef struct FxGraphModule FxGraphModule;
typedef struct FxGraphFunction FxGraphFunction;
typedef struct FxGraphExecutable FxGraphExecutable;
typedef struct FxGraphProcessGroup FxGraphProcessGroup;

/** Version of the library, "0.1.0". */
const char *fxgraphGetVersion(void);
/** Why the last failing call of this thread failed; empty if none did. */
const char *fxgraphGetError(void);
void fxgraphFreeString(char *string);

/*===-- Contexts ----------------------------------------------------------===*/

/** A context with the fxgraph dialect and MLIR's upstream ones. */
FxGraphContext *fxgraphContextCreate(void);
void fxgraphContextDestroy(FxGraphContext *context);
/** 1 if a call crashed: every further call on the context fails. */
int fxgraphContextHasCrashed(FxGraphContext *context);

typedef enum FxGraphSeverity {
  FXGRAPH_NOTE = 0,
  FXGRAPH_WARNING = 1,
  FXGRAPH_ERROR = 2,
  FXGRAPH_REMARK = 3
} FxGraphSeverity;
/** `text` begins with the place, where it is known, and the severity. */
typedef void (*FxGraphDiagnosticHandler)(void *user, FxGraphSeverity severity, const char *text);
/** Called for each diagnostic of the context's calls, by the thread that makes the call;
 * null takes it away. It must not call back into the context. */
void fxgraphContextSetDiagnosticHandler(FxGraphContext *context, FxGraphDiagnosticHandler handler, void *user);

/** For MLIR's functions. */
MlirContext fxgraphContextGetMlir(FxGraphContext *context);
void fxgraphContextLock(FxGraphContext *context);
void fxgraphContextUnlock(FxGraphContext *context);

/*===-- Modules -----------------------------------------------------------===*/

/** An empty module, to be filled with MLIR's functions. */
FxGraphModule *fxgraphModuleCreate(FxGraphContext *context);
/** Parses textual MLIR or bytecode; `name` stands for the file in messages. */
FxGraphModule *fxgraphModuleParse(FxGraphContext *context, const char *text, size_t length, const char *name);
FxGraphModule *fxgraphModuleClone(FxGraphModule *module);
void fxgraphModuleDestroy(FxGraphModule *module);
MlirModule fxgraphModuleGetMlir(FxGraphModule *module);
/** The lock of the module's context. */
void fxgraphModuleLock(FxGraphModule *module);
void fxgraphModuleUnlock(FxGraphModule *module);

enum {
  FXGRAPH_PRINT_LOCATIONS = 1, /**< with loc(…) */
  FXGRAPH_PRINT_GENERIC = 2    /**< "fxgraph.add"(%0, %1) … */
};
/** The module as text. */
char *fxgraphModulePrint(FxGraphModule *module, int flags);
/** The module as MLIR bytecode, of `length` bytes. */
char *fxgraphModuleBytecode(FxGraphModule *module, size_t *length);
/** Writes the module to a file, as bytecode or as text; nothing is left behind on failure. */
int fxgraphModuleSave(FxGraphModule *module, const char *path, int bytecode);
/** 0 if the module is valid. */
int fxgraphModuleVerify(FxGraphModule *module);
/** Number of ops by name, as a JSON object: {"fxgraph.cat": 2, …}. */
char *fxgraphModuleOpCounts(FxGraphModule *module);

/** What a function of the module takes and gives now; null if there is none of the name. */
FxGraphFunction *fxgraphModuleGetFunction(FxGraphModule *module, const char *name);
void fxgraphFunctionDestroy(FxGraphFunction *function);
/** Names, dtypes, extents, written arguments. */
const FxGraphInfo *fxgraphFunctionGetInfo(FxGraphFunction *function);
/** "input", "parameter", "buffer", "constant"; "" where the argument does not say. */
const char *fxgraphFunctionGetKind(FxGraphFunction *function, int argument);

typedef struct FxGraphPassOptions {
  /** "fxgraph-pre-grad{numerics=exact}", several with commas, or "builtin.module(…)". A
   * pass over functions is nested by itself. */
  const char *pipeline;
  /** Non-zero: every rewrite is checked with the reference interpreter while it runs. */
  int verifyRewrites;
  /** Non-zero: the events are left out of the result, for fxgraphModuleTakeEvents. Their
   * text may take longer than the passes. */
  int eventsApart;
  /** Non-zero: the result has the graph before the passes and behind each that changed it, with the
   * counters that moved: "graphs": [{"pass": "", "counters": {…}, "graph": …}, …]. */
  int graphs;
} FxGraphPassOptions;
/**
 * Runs a pass pipeline in place. Returns a JSON object:
 * {"counters": {…}, "rewrites": 3, "events": [{"pass": …, "pattern": …, "applied": true, …}],
 *  "warnings": ["…"], "seconds": 0.01, "passes": [{"pass": …, "seconds": …}, …]}
 * On failure the module is in an unspecified but destroyable state.
 */
char *fxgraphModuleRunPasses(FxGraphModule *module, const FxGraphPassOptions *options);
/** The events of the last pipeline that ran with eventsApart, as a JSON array; once. */
char *fxgraphModuleTakeEvents(FxGraphModule *module);

/*===-- Executables -------------------------------------------------------===*/

typedef struct FxGraphCompileOptions {
  const char *target; /**< "ref", "cpu", "gpu", "gpu-emulator" */
  const char *entry;  /**< null: "main" */
  /** `settingCount` texts "key=value" of the target: "threads=4", "chip=sm_90a", …; of "ref" "ranks=2", "group=tp:0,1": a
   * grid of processes, whose tensors are those of rank 0, then those of rank 1, … */
  const char *const *settings;
  int settingCount;
  uint64_t seed;     /**< of random ops */
  int accumulateF32; /**< ref: sums in float instead of double */
} FxGraphCompileOptions;
/** Compiles a function; the module is not changed. */
FxGraphExecutable *fxgraphModuleCompile(FxGraphModule *module, const FxGraphCompileOptions *options);
/** Writes an artefact: `form` and `settings` are those of fx-translate (--to, key=value). */
int fxgraphModuleSaveArtefact(FxGraphModule *module, const char *entry, const char *form, const char *path,
                              const char *const *settings, int settingCount);
/** A stored artefact: a shared library (form so), or a folder of the form gpu. */
FxGraphExecutable *fxgraphExecutableLoad(const char *path);
void fxgraphExecutableDestroy(FxGraphExecutable *executable);
const FxGraphInfo *fxgraphExecutableGetInfo(FxGraphExecutable *executable);
int64_t fxgraphExecutableGetWorkspaceBytes(FxGraphExecutable *executable);
/** 1 if the tensors of a run live on a GPU. */
int fxgraphExecutableIsOnDevice(FxGraphExecutable *executable);
/**
 * Runs the graph; an FxStatus. `inputs` are all arguments in order. Outputs without
 * data get memory as FxRunOptions (may be null) says; free with fxgraphExecutableFree
 * what the executable allocated. On a GPU the run is enqueued on the stream of the
 * options. The call is checked (Arguments.h). On failure no argument was written and
 * the descriptions of the outputs are as they were; memory of the caller's for outputs
 * may have been written if the run itself failed, and is as it was if the check did.
 */
int fxgraphExecutableRun(FxGraphExecutable *executable, const FxTensorDesc *inputs, int inputCount,
                         FxTensorDesc *outputs, int outputCount, const FxRunOptions *options);
/** Memory where the executable's tensors live, and copies to and from the host's. */
void *fxgraphExecutableAllocate(FxGraphExecutable *executable, int64_t bytes);
void fxgraphExecutableFree(FxGraphExecutable *executable, void *memory);
int fxgraphExecutableCopyIn(FxGraphExecutable *executable, void *memory, const void *host, int64_t bytes);
int fxgraphExecutableCopyOut(FxGraphExecutable *executable, void *host, const void *memory, int64_t bytes);

/*===-- Groups of processes -----------------------------------------------===*/

#define FXGRAPH_UNIQUE_ID_BYTES 128

/** What the processes of a group find each other by: one of them makes it (NCCL) and
 * sends it to the others. */
int fxgraphGetUniqueId(void *id);
/** This process' place in a group; returns when all processes have joined. On the
 * current GPU; where graphs are emulated processes are threads. */
FxGraphProcessGroup *fxgraphProcessGroupCreate(const void *id, int rank, int size);
/** The same of a communicator (ncclComm_t) that exists and outlives the group. */
FxGraphProcessGroup *fxgraphProcessGroupWrap(void *communicator);
void fxgraphProcessGroupGetInfo(FxGraphProcessGroup *group, int *rank, int *size);
/** Executables that it was set for keep what they need. */
void fxgraphProcessGroupDestroy(FxGraphProcessGroup *group);
/** The groups that the executable's collectives name, as a JSON object of sizes; 0: any. */
char *fxgraphExecutableGetProcessGroups(FxGraphExecutable *executable);
/** What the executable communicates with in the group of this name, before it runs. */
int fxgraphExecutableSetProcessGroup(FxGraphExecutable *executable, const char *name, FxGraphProcessGroup *group);

/** Threads that large loops of graphs on the CPU are divided among; 0: as many as processors. */
void fxgraphSetThreads(int count);

/*===-- DLPack ------------------------------------------------------------===*/

/** The same tensor; 0, or 1 for a dtype or rank that graphs do not have. */
int fxgraphTensorFromDLPack(const DLTensor *from, FxTensorDesc *to);
/** The DLPack type of an FxDtype. */
DLDataType fxgraphDtypeToDLPack(int dtype);

#ifdef __cplusplus
}
#endif

#endif /* FXGRAPH_CAPI_FXGRAPH_H */
