/* What the C programs of this folder share: checks that count, tensors, contexts. */
#ifndef FXGRAPH_TEST_CAPI_CHECK_H
#define FXGRAPH_TEST_CAPI_CHECK_H

#include "fxgraph/CAPI/FxGraph.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_int failures;

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      printf("%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, fxgraphGetError());                                   \
      ++failures;                                                                                                      \
    }                                                                                                                  \
  } while (0)

/** The error's text has this piece. */
#define CHECK_ERROR(piece)                                                                                             \
  do {                                                                                                                 \
    if (!strstr(fxgraphGetError(), piece)) {                                                                           \
      printf("%s:%d: expected '%s' in '%s'\n", __FILE__, __LINE__, piece, fxgraphGetError());                          \
      ++failures;                                                                                                      \
    }                                                                                                                  \
  } while (0)

/** The exit status, after one line for FileCheck. */
static inline int finish(void) {
  if (!failures)
    puts("all right");
  return failures != 0;
}

/** A row-major tensor. */
static inline FxTensorDesc tensor(void *data, int dtype, int rank, const int64_t *sizes) {
  FxTensorDesc desc;
  memset(&desc, 0, sizeof desc);
  desc.data = data;
  desc.dtype = dtype;
  desc.rank = rank;
  int64_t stride = 1;
  for (int i = rank - 1; i >= 0; --i) {
    desc.sizes[i] = sizes[i];
    desc.strides[i] = stride;
    stride *= sizes[i];
  }
  return desc;
}

static inline FxGraphModule *parse(FxGraphContext *context, const char *text) {
  FxGraphModule *module = fxgraphModuleParse(context, text, strlen(text), "graph.mlir");
  if (!module) {
    printf("%s\n", fxgraphGetError());
    exit(1);
  }
  return module;
}

static inline FxGraphCompileOptions target(const char *name) {
  FxGraphCompileOptions options;
  memset(&options, 0, sizeof options);
  options.target = name;
  return options;
}

static inline FxGraphExecutable *compile(FxGraphModule *module, const char *name) {
  FxGraphCompileOptions options = target(name);
  FxGraphExecutable *executable = fxgraphModuleCompile(module, &options);
  if (!executable) {
    printf("%s: %s\n", name, fxgraphGetError());
    exit(1);
  }
  return executable;
}

#endif
