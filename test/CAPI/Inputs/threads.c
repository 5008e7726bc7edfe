/* Sixteen threads compile and run different and equal modules at once: each on a context
 * of its own, all on one context, and all with the same executables. Values are checked.
 * Arguments: a folder for artefacts, rounds, targets ("ref", "cpu", "so", "gpu-emulator"). */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include <pthread.h>

enum { kThreads = 16, kElements = 6 };

/** x * factor + x, as text for any number of graphs that differ, and behind it a product. */
static void writeGraph(char *text, size_t bytes, int factor) {
  snprintf(text, bytes,
           "func.func @main(%%x: tensor<2x3xf32> {fxgraph.name = \"x\"}, %%w: tensor<3x2xf32>, %%state: tensor<2x3xf32>)\n"
           "    -> (tensor<2x3xf32>, tensor<2x2xf32>) {\n"
           "  %%c = fxgraph.constant dense<%d.0> : tensor<f64>\n"
           "  %%p = fxgraph.mul %%x, %%c : (tensor<2x3xf32>, tensor<f64>) -> tensor<2x3xf32>\n"
           "  %%q = fxgraph.add %%p, %%x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>\n"
           "  %%m = fxgraph.matmul %%x, %%w : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>\n"
           "  %%s = fxgraph.add %%state, %%c : (tensor<2x3xf32>, tensor<f64>) -> tensor<2x3xf32>\n"
           "  fxgraph.copy_ %%s into %%state : tensor<2x3xf32>, tensor<2x3xf32>\n"
           "  return %%q, %%m : tensor<2x3xf32>, tensor<2x2xf32>\n"
           "}\n",
           factor);
}

/* A loop that is long enough to be divided among the library's own threads. */
static const char *const kLong = "func.func @main(%x: tensor<262144xf32>) -> tensor<262144xf32> {\n"
                                 "  %y = fxgraph.sigmoid %x : tensor<262144xf32>\n"
                                 "  %z = fxgraph.add %y, %x : (tensor<262144xf32>, tensor<262144xf32>) -> tensor<262144xf32>\n"
                                 "  return %z : tensor<262144xf32>\n"
                                 "}\n";

static int rounds;
static const char *targetName, *folder;
static FxGraphContext *sharedContext;
static FxGraphModule *sharedModule;
static FxGraphExecutable *sharedExecutables[2], *longExecutable;
static pthread_barrier_t start;

/** The emulator with kernels alone: products of the mock driver take 32 MiB each. */
static FxGraphExecutable *compileFor(FxGraphModule *module) {
  const char *settings[1] = {"libraries=none"};
  FxGraphCompileOptions options = target(targetName);
  options.settings = settings;
  options.settingCount = !strcmp(targetName, "gpu-emulator");
  FxGraphExecutable *executable = fxgraphModuleCompile(module, &options);
  CHECK(executable);
  return executable;
}

static void runOnce(FxGraphExecutable *executable, int factor, int seed) {
  _Alignas(64) float x[kElements], w[kElements] = {1, 0, 0, 1, 0, 0}, state[kElements];
  int64_t sizes[2] = {2, 3}, turned[2] = {3, 2};
  for (int i = 0; i < kElements; ++i) {
    x[i] = (float)(seed + i);
    state[i] = (float)i;
  }
  FxTensorDesc in[3] = {tensor(x, FX_F32, 2, sizes), tensor(w, FX_F32, 2, turned), tensor(state, FX_F32, 2, sizes)}, out[2];
  memset(out, 0, sizeof out);
  CHECK(fxgraphExecutableRun(executable, in, 3, out, 2, NULL) == FX_OK);
  if (!out[0].data || !out[1].data)
    return;
  for (int i = 0; i < kElements; ++i) {
    CHECK(((float *)out[0].data)[i] == x[i] * (float)(factor + 1));
    CHECK(state[i] == (float)(i + factor));
  }
  for (int i = 0; i < 4; ++i)
    CHECK(((float *)out[1].data)[i] == x[i / 2 * 3 + i % 2]);
  fxgraphExecutableFree(executable, out[0].data);
  fxgraphExecutableFree(executable, out[1].data);
  /* An error is its thread's own. */
  in[seed % 3].rank = seed + 5;
  char expected[64];
  snprintf(expected, sizeof expected, "expected rank 2 but got %d", seed + 5);
  CHECK(fxgraphExecutableRun(executable, in, 3, out, 2, NULL) == FX_BAD_ARGUMENT);
  CHECK_ERROR(expected);
}

/** Parses, rewrites, compiles and runs one graph. */
static void compileOnce(FxGraphContext *context, int factor) {
  char text[2048];
  writeGraph(text, sizeof text, factor);
  FxGraphModule *module = parse(context, text);
  FxGraphPassOptions options = {"canonicalize,fxgraph-pre-grad", 0, 0, 0};
  char *report = fxgraphModuleRunPasses(module, &options);
  CHECK(report);
  fxgraphFreeString(report);
  FxGraphExecutable *executable = compileFor(module);
  fxgraphModuleDestroy(module);
  for (int i = 0; i < 3; ++i)
    runOnce(executable, factor, i);
  fxgraphExecutableDestroy(executable);
}

/** Even threads take the same graph, odd ones one each. */
static int factorOf(int thread, int round) { return thread % 2 ? thread + 16 * round : 1 + round; }

static void *ownContext(void *argument) {
  int thread = (int)(intptr_t)argument;
  pthread_barrier_wait(&start);
  FxGraphContext *context = fxgraphContextCreate();
  for (int round = 0; round < rounds; ++round)
    compileOnce(context, factorOf(thread, round));
  fxgraphContextDestroy(context);
  return NULL;
}

static void *oneContext(void *argument) {
  int thread = (int)(intptr_t)argument;
  pthread_barrier_wait(&start);
  for (int round = 0; round < rounds; ++round) {
    compileOnce(sharedContext, factorOf(thread, round));
    /* Readers of one module, while others compile on its context. */
    char *text = fxgraphModulePrint(sharedModule, 0);
    CHECK(text && strstr(text, "fxgraph.matmul"));
    fxgraphFreeString(text);
    FxGraphModule *clone = fxgraphModuleClone(sharedModule);
    CHECK(clone && fxgraphModuleVerify(clone) == 0);
    fxgraphModuleDestroy(clone);
    /* MLIR's functions under the lock. */
    fxgraphContextLock(sharedContext);
    MlirBlock body = mlirModuleGetBody(fxgraphModuleGetMlir(sharedModule));
    CHECK(!mlirOperationIsNull(mlirBlockGetFirstOperation(body)));
    fxgraphContextUnlock(sharedContext);
  }
  return NULL;
}

static void *sameExecutables(void *argument) {
  int thread = (int)(intptr_t)argument;
  static float x[1 << 18];
  pthread_barrier_wait(&start);
  for (int round = 0; round < 20 * rounds; ++round)
    runOnce(sharedExecutables[(thread + round) % 2], 3 + (thread + round) % 2, thread);
  if (!longExecutable)
    return NULL;
  int64_t sizes[1] = {1 << 18};
  for (int round = 0; round < rounds; ++round) {
    if (thread == 0)
      fxgraphSetThreads(1 + round % 4);
    FxTensorDesc in = tensor(x, FX_F32, 1, sizes), out;
    memset(&out, 0, sizeof out);
    CHECK(fxgraphExecutableRun(longExecutable, &in, 1, &out, 1, NULL) == FX_OK);
    int wrong = 0;
    for (int i = 0; i < sizes[0]; ++i)
      wrong += ((float *)out.data)[i] != 0.5f;
    CHECK(wrong == 0);
    fxgraphExecutableFree(longExecutable, out.data);
  }
  return NULL;
}

/** Loads a library, lets it start threads, and unloads it: others may have it, or not. */
static void *loadAndUnload(void *argument) {
  int thread = (int)(intptr_t)argument;
  static float x[1 << 18];
  int64_t sizes[1] = {1 << 18};
  char path[4096];
  snprintf(path, sizeof path, "%s/long.so", folder);
  pthread_barrier_wait(&start);
  for (int round = 0; round < (thread ? rounds : 10 * rounds); ++round) {
    FxGraphExecutable *executable = fxgraphExecutableLoad(path);
    FxTensorDesc in = tensor(x, FX_F32, 1, sizes), out;
    memset(&out, 0, sizeof out);
    CHECK(fxgraphExecutableRun(executable, &in, 1, &out, 1, NULL) == FX_OK);
    CHECK(((float *)out.data)[sizes[0] - 1] == 0.5f);
    fxgraphExecutableFree(executable, out.data);
    fxgraphExecutableDestroy(executable);
  }
  return NULL;
}

static void *createAndDestroy(void *argument) {
  (void)argument;
  pthread_barrier_wait(&start);
  for (int round = 0; round < rounds; ++round)
    fxgraphContextDestroy(fxgraphContextCreate());
  return NULL;
}

static void runThreads(void *(*body)(void *)) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i)
    CHECK(pthread_create(&threads[i], NULL, body, (void *)(intptr_t)i) == 0);
  for (int i = 0; i < kThreads; ++i)
    pthread_join(threads[i], NULL);
}

static FxGraphExecutable *make(const char *text, const char *name) {
  FxGraphModule *module = parse(sharedContext, text);
  FxGraphExecutable *executable;
  if (!strcmp(targetName, "so")) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.so", folder, name);
    CHECK(fxgraphModuleSaveArtefact(module, NULL, "so", path, NULL, 0) == 0);
    executable = fxgraphExecutableLoad(path);
    CHECK(executable);
  } else {
    executable = compileFor(module);
  }
  fxgraphModuleDestroy(module);
  return executable;
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  folder = argv[1];
  rounds = atoi(argv[2]);
  pthread_barrier_init(&start, NULL, kThreads);
  /* The first contexts of the process, by all at once. */
  runThreads(createAndDestroy);
  for (int i = 3; i < argc; ++i) {
    targetName = argv[i];
    /* Libraries are linked by a C compiler, half a second each: only the shared ones. */
    int isLibrary = !strcmp(targetName, "so");
    if (!isLibrary)
      runThreads(ownContext);
    sharedContext = fxgraphContextCreate();
    char text[2048];
    writeGraph(text, sizeof text, 3);
    sharedModule = parse(sharedContext, text);
    if (!isLibrary)
      runThreads(oneContext);
    sharedExecutables[0] = make(text, "three");
    writeGraph(text, sizeof text, 4);
    sharedExecutables[1] = make(text, "four");
    longExecutable = !strcmp(targetName, "cpu") || !strcmp(targetName, "so") ? make(kLong, "long") : NULL;
    runThreads(sameExecutables);
    fxgraphModuleDestroy(sharedModule);
    fxgraphContextDestroy(sharedContext);
    fxgraphExecutableDestroy(sharedExecutables[0]);
    fxgraphExecutableDestroy(sharedExecutables[1]);
    fxgraphExecutableDestroy(longExecutable);
    if (isLibrary)
      runThreads(loadAndUnload);
    printf("%s: %d failures\n", targetName, (int)failures);
  }
  return finish();
}
