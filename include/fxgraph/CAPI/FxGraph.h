// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*
 * C interface of libFxGraphCAPI.so: parse a graph, run passes on it, print it.
 * Plain C, so that ctypes and other languages can load it.
 *
 * Handles are opaque. Functions that can fail return NULL or non-zero, and
 * fxgraphGetError() then says why, with the place. Strings returned as `char *`
 * belong to the caller: fxgraphFreeString(). One context may be used by one
 * thread at a time; the error text is kept by thread.
 */
#ifndef FXGRAPH_CAPI_FXGRAPH_H
#define FXGRAPH_CAPI_FXGRAPH_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct FxGraphContext FxGraphContext;
typedef struct FxGraphModule FxGraphModule;

/** Version of the library, "0.1.0". */
const char *fxgraphGetVersion(void);
/** Why the last call of this thread failed; empty if none did. */
const char *fxgraphGetError(void);
void fxgraphFreeString(char *string);

/** A context with the fxgraph dialect and MLIR's upstream ones. */
FxGraphContext *fxgraphContextCreate(void);
void fxgraphContextDestroy(FxGraphContext *context);

/** Parses textual MLIR or bytecode; `name` stands for the file in messages. */
FxGraphModule *fxgraphModuleParse(FxGraphContext *context, const char *text, unsigned long length, const char *name);
FxGraphModule *fxgraphModuleClone(FxGraphModule *module);
void fxgraphModuleDestroy(FxGraphModule *module);

/** The module as text; `debugInfo` non-zero: with locations. */
char *fxgraphModulePrint(FxGraphModule *module, int debugInfo);
/** Writes the module to a file, as bytecode or as text; nothing is left behind on failure. */
int fxgraphModuleSave(FxGraphModule *module, const char *path, int bytecode);
/** 0 if the module is valid. */
int fxgraphModuleVerify(FxGraphModule *module);
/** Number of ops by name, as a JSON object: {"fxgraph.cat": 2, …}. */
char *fxgraphModuleOpCounts(FxGraphModule *module);

/**
 * Runs a pass pipeline in place, e.g. "fxgraph-pre-grad{numerics=exact}" or
 * "builtin.module(…)". Returns a JSON object:
 * {"counters": {…}, "events": [{"pass": …, "pattern": …, "applied": true, …}],
 *  "seconds": 0.01, "passes": [{"pass": …, "seconds": …}, …]}
 * `verifyRewrites` non-zero: every rewrite is checked with the reference
 * interpreter while it runs. On failure the module is in an unspecified but
 * destroyable state.
 */
char *fxgraphModuleRunPasses(FxGraphModule *module, const char *pipeline, int verifyRewrites);

#ifdef __cplusplus
}
#endif

#endif /* FXGRAPH_CAPI_FXGRAPH_H */
