/* Loads a graph from a shared library and calls it in every way that the header
 * allows. The graph is that of shared-library.mlir. */
#include "fxgraph/Backend/CPUArtifact.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int (*run)(const FxTensorDesc *, int, FxTensorDesc *, int);
static int (*runWith)(const FxTensorDesc *, int, FxTensorDesc *, int, const FxRunOptions *);
static const char *(*lastError)(void);
static void (*release)(void *);

static FxTensorDesc tensor(void *data, int dtype, int rank, const int64_t *sizes) {
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

/* What FxRunOptions.allocate gives. */
static struct {
  _Alignas(64) char bytes[1024];
  size_t used;
  int calls;
} arena;

static void *give(void *user, int output, const FxTensorDesc *needed) {
  size_t bytes = (size_t)needed->strides[0] * (size_t)needed->sizes[0] * sizeof(float);
  if (user != &arena || output < 0 || arena.used + bytes > sizeof arena.bytes)
    return NULL;
  void *memory = arena.bytes + arena.used;
  arena.used += (bytes + 63) / 64 * 64;
  ++arena.calls;
  return memory;
}

static int failures;
#define CHECK(condition)                                                                                                                   \
  do {                                                                                                                                     \
    if (!(condition)) {                                                                                                                    \
      printf("line %d: %s (%s)\n", __LINE__, #condition, lastError());                                                                     \
      ++failures;                                                                                                                          \
    }                                                                                                                                      \
  } while (0)

/* main(x: f32[?, 3], table: f32[4, 3], index: i64[?], state: f32[2]) ->
 *   x + 1 : f32[?, 3], table[index] : f32[?, 3], state writes state * 2, flag: bool[2] = state > 1 */
static void *manyRuns(void *argument) {
  int64_t *wrong = argument;
  for (int n = 0; n < 200; ++n) {
    float x[6] = {0, 1, 2, 3, 4, 5}, table[12], state[2] = {1, 2};
    for (int i = 0; i < 12; ++i)
      table[i] = (float)i;
    int64_t index[1] = {n % 4}, two[2] = {2, 3}, four[2] = {4, 3}, one[1] = {1}, pair[1] = {2};
    FxTensorDesc in[4] = {tensor(x, FX_F32, 2, two), tensor(table, FX_F32, 2, four), tensor(index, FX_I64, 1, one), tensor(state, FX_F32, 1, pair)};
    FxTensorDesc out[3];
    memset(out, 0, sizeof out);
    if (run(in, 4, out, 3) != FX_OK || ((float *)out[1].data)[1] != 3 * (n % 4) + 1 || state[1] != 4)
      ++*wrong;
    for (int i = 0; i < 3; ++i)
      release(out[i].data);
  }
  return NULL;
}

int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library) {
    puts(dlerror());
    return 1;
  }
  run = dlsym(library, "fxgraph_run");
  runWith = dlsym(library, "fxgraph_run_with");
  lastError = dlsym(library, "fxgraph_last_error");
  release = dlsym(library, "fxgraph_free");
  const FxGraphInfo *(*getInfo)(void) = dlsym(library, "fxgraph_info");
  int (*version)(void) = dlsym(library, "fxgraph_version");
  void (*setThreads)(int) = dlsym(library, "fxgraph_set_threads");
  setThreads(2);

  CHECK(version() == FX_CPU_ABI_VERSION);
  const FxGraphInfo *info = getInfo();
  CHECK(!strcmp(info->name, "main"));
  CHECK(info->inputCount == 4 && info->outputCount == 3);
  CHECK(!strcmp(info->inputs[0].name, "x") && info->inputs[0].rank == 2 && info->inputs[0].sizes[0] == -1 && info->inputs[0].sizes[1] == 3);
  CHECK(info->inputs[3].mutated == 1 && info->inputs[0].mutated == 0);
  CHECK(info->outputs[2].dtype == FX_BOOL && info->inputs[2].dtype == FX_I64);

  float x[6] = {0, 1, 2, 3, 4, 5}, table[12], state[2] = {1, 2}, sum[6];
  for (int i = 0; i < 12; ++i)
    table[i] = (float)i;
  int64_t index[3] = {3, 0, -1};
  int64_t two[2] = {2, 3}, four[2] = {4, 3}, three[1] = {3}, pair[1] = {2};
  FxTensorDesc in[4] = {tensor(x, FX_F32, 2, two), tensor(table, FX_F32, 2, four), tensor(index, FX_I64, 1, three), tensor(state, FX_F32, 1, pair)};
  FxTensorDesc out[3];
  memset(out, 0, sizeof out);
  unsigned char flags[2] = {7, 7};
  out[0] = tensor(sum, FX_F32, 2, two);
  out[2] = tensor(flags, FX_BOOL, 1, pair);
  CHECK(run(in, 4, out, 3) == FX_OK);
  CHECK(sum[0] == 1 && sum[5] == 6);
  CHECK(out[1].data && out[1].dtype == FX_F32 && out[1].rank == 2 && out[1].sizes[0] == 3 && out[1].sizes[1] == 3 && out[1].strides[0] == 3);
  float *rows = out[1].data;
  CHECK(rows[0] == 9 && rows[3] == 0 && rows[6] == 9 && rows[8] == 11);
  CHECK(state[0] == 2 && state[1] == 4);
  CHECK(flags[0] == 0 && flags[1] == 1);
  release(out[1].data);
  out[1].data = NULL;

  /* A transposed view of x, and a strided state: written through. */
  float xt[6] = {0, 10, 1, 11, 2, 12}, wide[4] = {5, -1, 7, -1};
  in[0].data = xt;
  in[0].strides[0] = 1;
  in[0].strides[1] = 2;
  in[3].data = wide;
  in[3].strides[0] = 2;
  CHECK(run(in, 4, out, 3) == FX_OK);
  CHECK(sum[0] == 1 && sum[1] == 2 && sum[3] == 11 && sum[5] == 13);
  CHECK(wide[0] == 10 && wide[1] == -1 && wide[2] == 14 && wide[3] == -1);
  release(out[1].data);
  out[1].data = NULL;
  in[0] = tensor(x, FX_F32, 2, two);
  in[3] = tensor(state, FX_F32, 1, pair);

  /* An empty x and no index. */
  int64_t none[2] = {0, 3};
  FxTensorDesc empty[4] = {tensor(NULL, FX_F32, 2, none), in[1], tensor(NULL, FX_I64, 1, none), in[3]};
  FxTensorDesc fresh[3];
  memset(fresh, 0, sizeof fresh);
  CHECK(run(empty, 4, fresh, 3) == FX_OK);
  CHECK(fresh[0].sizes[0] == 0 && fresh[1].sizes[0] == 0);
  for (int i = 0; i < 3; ++i)
    release(fresh[i].data);

  /* What fails leaves arguments and outputs as they were. */
  float before = state[0];
  index[1] = 4;
  CHECK(run(in, 4, out, 3) == FX_RUN_FAILED);
  CHECK(strstr(lastError(), "expected indices in [-4, 3]"));
  CHECK(state[0] == before && out[1].data == NULL);
  index[1] = -5;
  CHECK(run(in, 4, out, 3) == FX_RUN_FAILED);
  index[1] = INT64_MIN;
  CHECK(run(in, 4, out, 3) == FX_RUN_FAILED);
  index[1] = 0;
  CHECK(run(in, 3, out, 3) == FX_BAD_ARGUMENT && strstr(lastError(), "expected 4 inputs but got 3"));
  CHECK(run(in, 4, out, 2) == FX_BAD_ARGUMENT);
  in[1].sizes[0] = 5;
  CHECK(run(in, 4, out, 3) == FX_BAD_ARGUMENT && strstr(lastError(), "input 1 ('arg1'): expected extent 4 in dim 0 but got 5"));
  in[1].sizes[0] = 4;
  in[1].dtype = FX_F64;
  CHECK(run(in, 4, out, 3) == FX_BAD_ARGUMENT && strstr(lastError(), "expected dtype f32 but got f64"));
  in[1].dtype = FX_F32;
  in[1].dtype = 77;
  CHECK(run(in, 4, out, 3) == FX_BAD_ARGUMENT && strstr(lastError(), "input 1 ('arg1'): expected dtype f32 but got 77, which is no FxDtype"));
  in[1].dtype = FX_F32;
  CHECK(run(NULL, 4, out, 3) == FX_BAD_ARGUMENT && strstr(lastError(), "expected an array of inputs but got a null pointer"));
  CHECK(run(in, 4, NULL, 3) == FX_BAD_ARGUMENT && strstr(lastError(), "expected an array of outputs but got a null pointer"));
  /* A view backwards; one element for all is fine to read, but not to write. */
  in[1].strides[1] = -1;
  CHECK(run(in, 4, out, 3) == FX_BAD_ARGUMENT && strstr(lastError(), "input 1 ('arg1'): expected a stride >= 0 in dim 1 but got -1"));
  in[1].strides[1] = 0;
  CHECK(run(in, 4, out, 3) == FX_OK);
  release(out[1].data);
  out[1].data = NULL;
  in[1].strides[1] = 1;
  before = state[0];
  in[3].strides[0] = 0;
  CHECK(run(in, 4, out, 3) == FX_BAD_ARGUMENT && strstr(lastError(), "input 3 ('arg3'): expected a stride > 0 in dim 0, as the graph writes it, but got 0"));
  CHECK(state[0] == before);
  in[3].strides[0] = 1;
  in[0].data = NULL;
  CHECK(run(in, 4, out, 3) == FX_BAD_ARGUMENT);
  in[0].data = x;
  out[0].sizes[0] = 1;
  CHECK(run(in, 4, out, 3) == FX_BAD_ARGUMENT && strstr(lastError(), "output 0 ('out0'): expected extent 2 in dim 0 but got 1"));

  /* An output of the caller's strides: the columns of sum lie behind each other. */
  out[0] = tensor(sum, FX_F32, 2, two);
  out[0].strides[0] = 1;
  out[0].strides[1] = 2;
  CHECK(run(in, 4, out, 3) == FX_OK);
  CHECK(sum[0] == 1 && sum[1] == 4 && sum[2] == 2 && sum[5] == 6);
  release(out[1].data);
  out[1].data = NULL;
  out[0] = tensor(sum, FX_F32, 2, two);

  /* What is written shares no byte with anything else; what is only read may. */
  float shared[4] = {1, 2, 3, 4};
  in[3].data = shared;
  in[3].strides[0] = 2;
  in[1].data = table + 3;
  in[1].strides[0] = 0;
  in[0].data = table;
  out[2] = tensor(shared + 1, FX_BOOL, 1, pair);
  CHECK(run(in, 4, out, 3) == FX_OK); /* shared[0] and shared[2] are written, the flags lie between */
  release(out[1].data);
  out[1].data = NULL;
  out[2] = tensor(shared + 2, FX_BOOL, 1, pair);
  CHECK(run(in, 4, out, 3) == FX_BAD_ARGUMENT && strstr(lastError(), "output 2 ('out2'): expected memory of its own, as the graph writes it, but it shares some with input 3 ('arg3')"));
  out[2] = tensor(flags, FX_BOOL, 1, pair);
  in[1] = tensor(table, FX_F32, 2, four);
  in[3] = tensor(table + 4, FX_F32, 1, pair);
  CHECK(run(in, 4, out, 3) == FX_BAD_ARGUMENT && strstr(lastError(), "input 3 ('arg3'): expected memory of its own, as the graph writes it, but it shares some with input 0 ('x')"));
  in[0] = tensor(x, FX_F32, 2, two);
  in[3] = tensor((char *)state + 1, FX_F32, 1, pair);
  CHECK(run(in, 4, out, 3) == FX_BAD_ARGUMENT && strstr(lastError(), "input 3 ('arg3'): expected an address that is a multiple of 4"));
  in[3] = tensor(state, FX_F32, 1, pair);

  /* Memory of outputs from a function of the caller's, which may also have none. */
  FxRunOptions options = {give, &arena, NULL};
  memset(out, 0, sizeof out);
  CHECK(runWith(in, 4, out, 3, &options) == FX_OK);
  CHECK(arena.calls == 3 && out[2].data == arena.bytes && out[0].strides[0] == 3 && ((float *)out[0].data)[5] == 6);
  arena.used = sizeof arena.bytes;
  memset(out, 0, sizeof out);
  CHECK(runWith(in, 4, out, 3, &options) != FX_OK && strstr(lastError(), "out of memory"));

  /* Several threads at once. */
  pthread_t threads[4];
  int64_t wrong[4] = {0};
  for (int i = 0; i < 4; ++i)
    pthread_create(&threads[i], NULL, manyRuns, &wrong[i]);
  for (int i = 0; i < 4; ++i) {
    pthread_join(threads[i], NULL);
    CHECK(wrong[i] == 0);
  }
  puts(failures ? "failed" : "all right");
  return failures != 0;
}
