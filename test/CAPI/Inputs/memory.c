/* Memory in use does not grow with the number of compiles in one context. Arguments:
 * compiles of warm-up, further compiles, target, settings. */
#define _DEFAULT_SOURCE
#include "check.h"
#include <malloc.h>

static const char *const kGraph =
    "func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32> {fxgraph.kind = \"parameter\"}, %b: tensor<8xf32>)\n"
    "    -> (tensor<4x8xf32>, tensor<4x4xf32>) {\n"
    "  %m = fxgraph.linear %x, %w, %b : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>\n"
    "  %r = fxgraph.relu %m : tensor<4x8xf32>\n"
    "  %p:2 = fxgraph.split_with_sizes %r sizes [4, 4] dim 1 : (tensor<4x8xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)\n"
    "  %c = fxgraph.cat %p#0, %p#1 dim 1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>\n"
    "  return %c, %p#0 : tensor<4x8xf32>, tensor<4x4xf32>\n"
    "}\n";

static void compileOnce(FxGraphContext *context, const FxGraphCompileOptions *options, int n) {
  FxGraphModule *module = parse(context, kGraph), *clone = fxgraphModuleClone(module);
  FxGraphPassOptions passes = {"fxgraph-pre-grad", n % 2, 0, 0};
  char *report = fxgraphModuleRunPasses(clone, &passes);
  CHECK(report);
  fxgraphFreeString(report);
  fxgraphFreeString(fxgraphModulePrint(clone, 0));
  FxGraphFunction *function = fxgraphModuleGetFunction(module, "main");
  fxgraphFunctionDestroy(function);
  FxGraphExecutable *executable = fxgraphModuleCompile(n % 2 ? module : clone, options);
  CHECK(executable);
  fxgraphModuleDestroy(module);
  fxgraphModuleDestroy(clone);
  _Alignas(64) float x[32], w[64], b[8];
  for (int i = 0; i < 64; ++i)
    w[i] = 1;
  for (int i = 0; i < 32; ++i)
    x[i] = 1;
  for (int i = 0; i < 8; ++i)
    b[i] = (float)n;
  int64_t xs[2] = {4, 8}, ws[2] = {8, 8}, bs[1] = {8};
  FxTensorDesc in[3] = {tensor(x, FX_F32, 2, xs), tensor(w, FX_F32, 2, ws), tensor(b, FX_F32, 1, bs)}, out[2];
  memset(out, 0, sizeof out);
  CHECK(fxgraphExecutableRun(executable, in, 3, out, 2, NULL) == FX_OK);
  CHECK(((float *)out[0].data)[31] == (float)(8 + n) && ((float *)out[1].data)[15] == (float)(8 + n));
  fxgraphExecutableFree(executable, out[0].data);
  fxgraphExecutableFree(executable, out[1].data);
  /* Failures leave nothing either. */
  CHECK(fxgraphExecutableRun(executable, in, 2, out, 2, NULL) == FX_BAD_ARGUMENT);
  fxgraphExecutableDestroy(executable);
  CHECK(!fxgraphModuleParse(context, "func.func @main(", 16, "wrong.mlir"));
}

static long getResidentKiB(void) {
  long pages = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &pages, &resident) != 2)
    resident = 0;
  if (file)
    fclose(file);
  return resident * 4;
}

static size_t getUsedBytes(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  int warmUp = atoi(argv[1]), further = atoi(argv[2]);
  FxGraphCompileOptions options = target(argv[3]);
  options.settings = (const char *const *)(argv + 4);
  options.settingCount = argc - 4;
  FxGraphContext *context = fxgraphContextCreate();
  for (int i = 0; i < warmUp; ++i)
    compileOnce(context, &options, i);
  size_t used = getUsedBytes();
  long resident = getResidentKiB();
  for (int i = 0; i < further; ++i)
    compileOnce(context, &options, i);
  long grown = (long)getUsedBytes() - (long)used, residentGrown = getResidentKiB() - resident;
  printf("%s, %d compiles after %d: %+ld bytes in use (%.1f a compile) of %zu, %+ld KiB resident of %ld\n", argv[3], further,
         warmUp, grown, (double)grown / further, used, residentGrown, resident);
  /* What is kept by one compile is some hundred bytes at least; caches that settle are less. */
  CHECK(grown < 64 * (long)further + (32 << 10));
  /* Fragments of the heap. */
  CHECK(residentGrown < (16 << 10));
  fxgraphContextDestroy(context);
  return finish();
}
