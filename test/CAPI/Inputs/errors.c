/* The same wrong call gets the same status and the same text from the interpreter, the
 * CPU, a shared library and the GPU's emulator, and writes nothing. The argument is a
 * folder for the library. */
#include "check.h"

static const char *const kGraph =
    "func.func @main(%x: tensor<2x3xf32> {fxgraph.name = \"x\"}, %state: tensor<2x3xf32> {fxgraph.name = \"state\"})\n"
    "    -> (tensor<2x3xf32> {fxgraph.name = \"sum\"}, tensor<2x3xi1>) {\n"
    "  %sum = fxgraph.add %x, %state : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>\n"
    "  %more = fxgraph.gt %x, %state : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>\n"
    "  fxgraph.copy_ %sum into %state : tensor<2x3xf32>, tensor<2x3xf32>\n"
    "  return %sum, %more : tensor<2x3xf32>, tensor<2x3xi1>\n"
    "}\n";

/* Extents that only the run tells. */
static const char *const kDynamic =
    "!n = tensor<?x2xf32, #fxgraph.meta<dims = [n]>>\n"
    "func.func @main(%x: !n {fxgraph.name = \"x\"}, %y: !n {fxgraph.name = \"y\"}, %free: tensor<?xf32> {fxgraph.name = \"free\"})\n"
    "    -> (!n, tensor<?xf32>) {\n"
    "  %sum = fxgraph.add %x, %y : (!n, !n) -> !n\n"
    "  %twice = fxgraph.cat %free, %free dim 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>\n"
    "  return %sum, %twice : !n, tensor<?xf32>\n"
    "}\n";

enum { kExecutables = 4 };
static const char *const names[kExecutables] = {"ref", "cpu", "so", "gpu-emulator"};

typedef struct {
  _Alignas(64) float x[64];
  _Alignas(64) float state[64];
  _Alignas(64) float sum[64];
  _Alignas(64) unsigned char more[64];
  FxTensorDesc in[3], out[2];
  int inputCount, outputCount;
  const FxTensorDesc *inputs;
  FxTensorDesc *outputs;
  const FxRunOptions *options;
} Call;

static void *giveNothing(void *user, int output, const FxTensorDesc *needed) {
  (void)user, (void)output, (void)needed;
  return NULL;
}
static const FxRunOptions withoutMemory = {giveNothing, NULL, NULL};

static void prepare(Call *call) {
  for (int i = 0; i < 64; ++i) {
    call->x[i] = (float)i;
    call->state[i] = 1;
    call->sum[i] = -1;
    call->more[i] = 7;
  }
  int64_t sizes[2] = {2, 3};
  call->in[0] = tensor(call->x, FX_F32, 2, sizes);
  call->in[1] = tensor(call->state, FX_F32, 2, sizes);
  call->out[0] = tensor(call->sum, FX_F32, 2, sizes);
  call->out[1] = tensor(call->more, FX_BOOL, 2, sizes);
  call->inputCount = call->outputCount = 2;
  call->inputs = call->in;
  call->outputs = call->out;
  call->options = NULL;
}

/*===-- What can be wrong with a call -------------------------------------===*/

static void fewInputs(Call *call) { call->inputCount = 1; }
static void manyInputs(Call *call) { call->inputCount = 3; }
static void negativeInputs(Call *call) { call->inputCount = -1; }
static void noInputs(Call *call) { call->inputs = NULL; }
static void fewOutputs(Call *call) { call->outputCount = 1; }
static void negativeOutputs(Call *call) { call->outputCount = -1; }
static void noOutputs(Call *call) { call->outputs = NULL; }
static void dtype(Call *call) { call->in[0].dtype = FX_F64; }
static void noDtype(Call *call) { call->in[0].dtype = 77; }
static void outputDtype(Call *call) { call->out[1].dtype = FX_U8; }
static void rank(Call *call) { call->in[1].rank = 1; }
static void negativeRank(Call *call) { call->in[1].rank = -2; }
static void largeRank(Call *call) { call->in[1].rank = 17; }
static void extent(Call *call) { call->in[0].sizes[1] = 4; }
static void negativeExtent(Call *call) { call->in[0].sizes[0] = -1; }
static void outputExtent(Call *call) { call->out[0].sizes[0] = 3; }
static void negativeStride(Call *call) { call->in[0].strides[0] = -3; }
static void nullInput(Call *call) { call->in[0].data = NULL; }
static void misaligned(Call *call) { call->in[0].data = (char *)call->x + 1; }
static void misalignedOutput(Call *call) { call->out[0].data = (char *)call->sum + 2; }
static void outputIsInput(Call *call) { call->out[0].data = call->x; }
static void outputIsOutput(Call *call) { call->out[1].data = call->sum; }
static void inputIsWritten(Call *call) { call->in[0].data = call->state; }
static void partlyShared(Call *call) { call->out[0].data = (char *)call->x + 16; }
static void noMemory(Call *call) {
  memset(call->out, 0, sizeof call->out);
  call->options = &withoutMemory;
}

static const struct {
  void (*spoil)(Call *call);
  const char *expected;
  int status;
} wrong[] = {
    {fewInputs, "expected 2 inputs but got 1", FX_BAD_ARGUMENT},
    {manyInputs, "expected 2 inputs but got 3", FX_BAD_ARGUMENT},
    {negativeInputs, "expected 2 inputs but got -1", FX_BAD_ARGUMENT},
    {noInputs, "expected an array of inputs but got a null pointer", FX_BAD_ARGUMENT},
    {fewOutputs, "expected 2 outputs but got 1", FX_BAD_ARGUMENT},
    {negativeOutputs, "expected 2 outputs but got -1", FX_BAD_ARGUMENT},
    {noOutputs, "expected an array of outputs but got a null pointer", FX_BAD_ARGUMENT},
    {dtype, "input 0 ('x'): expected dtype f32 but got f64", FX_BAD_ARGUMENT},
    {noDtype, "input 0 ('x'): expected dtype f32 but got 77, which is no FxDtype", FX_BAD_ARGUMENT},
    {outputDtype, "output 1 ('out1'): expected dtype bool but got u8", FX_BAD_ARGUMENT},
    {rank, "input 1 ('state'): expected rank 2 but got 1", FX_BAD_ARGUMENT},
    {negativeRank, "input 1 ('state'): expected rank 2 but got -2", FX_BAD_ARGUMENT},
    {largeRank, "input 1 ('state'): expected rank 2 but got 17", FX_BAD_ARGUMENT},
    {extent, "input 0 ('x'): expected extent 3 in dim 1 but got 4", FX_BAD_ARGUMENT},
    {negativeExtent, "input 0 ('x'): expected extent 2 in dim 0 but got -1", FX_BAD_ARGUMENT},
    {outputExtent, "output 0 ('sum'): expected extent 2 in dim 0 but got 3", FX_BAD_ARGUMENT},
    {negativeStride, "input 0 ('x'): expected a stride >= 0 in dim 0 but got -3", FX_BAD_ARGUMENT},
    {nullInput, "input 0 ('x'): expected data of 24 bytes but got a null pointer", FX_BAD_ARGUMENT},
    {outputIsInput,
     "output 0 ('sum'): expected memory of its own, as the graph writes it, but it shares some with input 0 ('x')",
     FX_BAD_ARGUMENT},
    {outputIsOutput,
     "output 1 ('out1'): expected memory of its own, as the graph writes it, but it shares some with output 0 ('sum')",
     FX_BAD_ARGUMENT},
    {inputIsWritten,
     "input 1 ('state'): expected memory of its own, as the graph writes it, but it shares some with input 0 ('x')",
     FX_BAD_ARGUMENT},
    {partlyShared,
     "output 0 ('sum'): expected memory of its own, as the graph writes it, but it shares some with input 0 ('x')",
     FX_BAD_ARGUMENT},
    {noMemory, "output 0 ('sum'): out of memory: expected 24 bytes", FX_OUT_OF_MEMORY},
};

/** The call as it is, and that it failed without a trace. */
static void fail(FxGraphExecutable *executable, const char *name, Call *call, int status, const char *expected) {
  Call before = *call;
  int got = fxgraphExecutableRun(executable, call->inputs, call->inputCount, call->outputs, call->outputCount, call->options);
  if (got != status || strcmp(fxgraphGetError(), expected)) {
    printf("%s: expected %d '%s' but got %d '%s'\n", name, status, expected, got, fxgraphGetError());
    ++failures;
  }
  CHECK(!memcmp(before.x, call->x, sizeof call->x) && !memcmp(before.state, call->state, sizeof call->state));
  CHECK(!memcmp(before.sum, call->sum, sizeof call->sum) && !memcmp(before.more, call->more, sizeof call->more));
  CHECK(!memcmp(before.in, call->in, sizeof call->in) && !memcmp(before.out, call->out, sizeof call->out));
}

static void failEverywhere(FxGraphExecutable *const *executables) {
  static Call call;
  for (size_t n = 0; n < sizeof wrong / sizeof wrong[0]; ++n)
    for (int i = 0; i < kExecutables; ++i) {
      memset(&call, 0, sizeof call);
      prepare(&call);
      wrong[n].spoil(&call);
      fail(executables[i], names[i], &call, wrong[n].status, wrong[n].expected);
    }
  /* An address's text holds the address, and the alignment is the target's. */
  for (int i = 0; i < kExecutables; ++i)
    for (int n = 0; n < 2; ++n) {
      memset(&call, 0, sizeof call);
      prepare(&call);
      (n ? misalignedOutput : misaligned)(&call);
      const FxGraphInfo *info = fxgraphExecutableGetInfo(executables[i]);
      int align = n ? info->outputs[0].align : info->inputs[0].align;
      char expected[256];
      snprintf(expected, sizeof expected, "%s 0 ('%s'): expected an address that is a multiple of %d but got %p",
               n ? "output" : "input", n ? "sum" : "x", align ? align : 4, n ? call.out[0].data : call.in[0].data);
      fail(executables[i], names[i], &call, FX_BAD_ARGUMENT, expected);
    }
  /* What no wrong call has spoilt. */
  for (int i = 0; i < kExecutables; ++i) {
    memset(&call, 0, sizeof call);
    prepare(&call);
    CHECK(fxgraphExecutableRun(executables[i], call.in, 2, call.out, 2, NULL) == FX_OK);
    CHECK(call.sum[5] == 6 && call.sum[6] == -1 && call.more[5] == 1 && call.more[0] == 0 && call.more[6] == 7);
    CHECK(call.state[5] == 6 && call.state[6] == 1);
  }
}

/** Strides: what may be taken, what may not. The emulator's graphs want row-major memory. */
static void strides(FxGraphExecutable *const *executables) {
  static Call call;
  for (int i = 0; i < kExecutables; ++i) {
    const FxGraphInfo *info = fxgraphExecutableGetInfo(executables[i]);
    CHECK(info->inputs[0].rowMajor == (i == 3));
    if (i == 3) {
      memset(&call, 0, sizeof call);
      prepare(&call);
      call.in[0].strides[0] = 1, call.in[0].strides[1] = 2;
      fail(executables[i], names[i], &call, FX_BAD_ARGUMENT,
           "input 0 ('x'): expected row-major strides but got others (the last one is 2)");
      continue;
    }
    /* Places of one address for several elements: read, but not written. */
    memset(&call, 0, sizeof call);
    prepare(&call);
    call.in[0].strides[0] = 0;
    CHECK(fxgraphExecutableRun(executables[i], call.in, 2, call.out, 2, NULL) == FX_OK);
    CHECK(call.sum[3] == 1 && call.sum[5] == 3);
    prepare(&call);
    call.in[1].strides[0] = 0;
    fail(executables[i], names[i], &call, FX_BAD_ARGUMENT,
         "input 1 ('state'): expected a stride > 0 in dim 0, as the graph writes it, but got 0");
    prepare(&call);
    call.out[0].strides[1] = 0;
    fail(executables[i], names[i], &call, FX_BAD_ARGUMENT,
         "output 0 ('sum'): expected a stride > 0 in dim 1, as the graph writes it, but got 0");
    /* Columns of one buffer that alternate share no byte; one step further they do. */
    prepare(&call);
    call.in[0].strides[0] = call.out[0].strides[0] = 6;
    call.in[0].strides[1] = call.out[0].strides[1] = 2;
    call.out[0].data = call.x + 1;
    CHECK(fxgraphExecutableRun(executables[i], call.in, 2, call.out, 2, NULL) == FX_OK);
    CHECK(call.x[10] == 10 && call.x[11] == 11);
    prepare(&call);
    call.in[0].strides[0] = call.out[0].strides[0] = 6;
    call.in[0].strides[1] = call.out[0].strides[1] = 2;
    call.out[0].data = call.x + 2;
    fail(executables[i], names[i], &call, FX_BAD_ARGUMENT,
         "output 0 ('sum'): expected memory of its own, as the graph writes it, but it shares some with input 0 ('x')");
    /* Elements of one written tensor that share places. */
    prepare(&call);
    call.out[0].strides[0] = 1, call.out[0].strides[1] = 1;
    fail(executables[i], names[i], &call, FX_BAD_ARGUMENT,
         "output 0 ('sum'): expected a place for each element, as the graph writes it, but some share one");
    /* Strides whose product is no address. */
    prepare(&call);
    call.in[0].strides[0] = INT64_MAX / 2;
    fail(executables[i], names[i], &call, FX_BAD_ARGUMENT,
         "input 0 ('x'): expected strides that stay within 64 bits but got 4611686018427387903 in dim 0");
  }
}

/** Extents by symbol, and of results that only the run knows. */
static void dynamic(FxGraphContext *context, const char *folder) {
  static Call call;
  FxGraphModule *module = parse(context, kDynamic);
  char path[4096];
  snprintf(path, sizeof path, "%s/dynamic.so", folder);
  CHECK(fxgraphModuleSaveArtefact(module, NULL, "so", path, NULL, 0) == 0);
  FxGraphExecutable *executables[3] = {compile(module, "ref"), compile(module, "cpu"), fxgraphExecutableLoad(path)};
  for (int i = 0; i < 3; ++i) {
    for (int round = 0; round < 7; ++round) {
      memset(&call, 0, sizeof call);
      prepare(&call);
      int64_t sizes[2] = {3, 2}, length[1] = {2}, doubled[1] = {4};
      call.in[0] = tensor(call.x, FX_F32, 2, sizes);
      call.in[1] = tensor(call.state, FX_F32, 2, sizes);
      call.in[2] = tensor(call.x + 32, FX_F32, 1, length);
      call.out[0] = tensor(call.sum, FX_F32, 2, sizes);
      call.out[1] = tensor(call.sum + 32, FX_F32, 1, doubled);
      call.inputCount = 3;
      switch (round) {
      case 0:
        call.in[1].sizes[0] = 2;
        fail(executables[i], names[i], &call, FX_BAD_ARGUMENT, "input 1 ('y'): expected extent 3 in dim 0 but got 2");
        break;
      case 1:
        call.out[0].sizes[0] = 4;
        fail(executables[i], names[i], &call, FX_BAD_ARGUMENT, "output 0 ('out0'): expected extent 3 in dim 0 but got 4");
        break;
      case 2:
        call.in[2].sizes[0] = -5;
        fail(executables[i], names[i], &call, FX_BAD_ARGUMENT, "input 2 ('free'): expected an extent >= 0 in dim 0 but got -5");
        break;
      case 3:
        call.in[2].sizes[0] = INT64_MAX / 2;
        fail(executables[i], names[i], &call, FX_BAD_ARGUMENT,
             "input 2 ('free'): expected a size that fits 64 bits but got more than 9223372036854775807 bytes");
        break;
      case 4: { /* Known in the run alone. */
        call.out[1].sizes[0] = 3;
        int status = fxgraphExecutableRun(executables[i], call.in, 3, call.out, 2, NULL);
        if (status != FX_BAD_ARGUMENT || strcmp(fxgraphGetError(), "output 1 ('out1'): expected extent 4 in dim 0 but got 3")) {
          printf("%s: %d '%s'\n", names[i], status, fxgraphGetError());
          ++failures;
        }
        break;
      }
      case 5: /* A result of extents that the run tells, and no memory for it. */
        memset(call.out, 0, sizeof call.out);
        call.out[0] = tensor(call.sum, FX_F32, 2, sizes);
        CHECK(fxgraphExecutableRun(executables[i], call.in, 3, call.out, 2, &withoutMemory) == FX_OUT_OF_MEMORY);
        CHECK(!strcmp(fxgraphGetError(), "output 1 ('out1'): out of memory: expected 16 bytes"));
        CHECK(!call.out[1].data);
        break;
      default:
        CHECK(fxgraphExecutableRun(executables[i], call.in, 3, call.out, 2, NULL) == FX_OK);
        CHECK(call.sum[5] == 6 && call.sum[32] == 32 && call.sum[35] == 33);
      }
    }
    fxgraphExecutableDestroy(executables[i]);
  }
  fxgraphModuleDestroy(module);
}

/** A new value of an argument that has other extents than the argument. */
static void grown(FxGraphContext *context, const char *folder) {
  FxGraphModule *module = parse(context, "func.func @main(%x: tensor<?xf32> {fxgraph.name = \"x\"}) {\n"
                                         "  %twice = fxgraph.cat %x, %x dim 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>\n"
                                         "  fxgraph.copy_ %twice into %x : tensor<?xf32>, tensor<?xf32>\n"
                                         "  return\n"
                                         "}\n");
  char path[4096];
  snprintf(path, sizeof path, "%s/grown.so", folder);
  CHECK(fxgraphModuleSaveArtefact(module, NULL, "so", path, NULL, 0) == 0);
  FxGraphExecutable *executables[3] = {compile(module, "ref"), compile(module, "cpu"), fxgraphExecutableLoad(path)};
  for (int i = 0; i < 3; ++i) {
    float x[4] = {1, 2, 3, 4};
    int64_t sizes[1] = {2};
    FxTensorDesc in = tensor(x, FX_F32, 1, sizes);
    CHECK(fxgraphExecutableRun(executables[i], &in, 1, NULL, 0, NULL) == FX_RUN_FAILED);
    /* The interpreter finds it at the op, compiled code at the end of the run. */
    CHECK_ERROR(i == 0 ? "graph.mlir:3:3: 'fxgraph.copy_' op expected src of shape [2] but got [4]"
                       : "input 0 ('x'): expected the value that is written to have extent 2 in dim 0 but got 4");
    CHECK(x[0] == 1 && x[2] == 3);
    in.sizes[0] = 0;
    CHECK(fxgraphExecutableRun(executables[i], &in, 1, NULL, 0, NULL) == FX_OK);
    fxgraphExecutableDestroy(executables[i]);
  }
  fxgraphModuleDestroy(module);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  FxGraphContext *context = fxgraphContextCreate();
  FxGraphModule *module = parse(context, kGraph);
  char path[4096];
  snprintf(path, sizeof path, "%s/errors.so", argv[1]);
  CHECK(fxgraphModuleSaveArtefact(module, NULL, "so", path, NULL, 0) == 0);
  FxGraphExecutable *executables[kExecutables] = {compile(module, "ref"), compile(module, "cpu"), fxgraphExecutableLoad(path),
                                                  compile(module, "gpu-emulator")};
  CHECK(executables[2]);
  failEverywhere(executables);
  strides(executables);
  for (int i = 0; i < kExecutables; ++i)
    fxgraphExecutableDestroy(executables[i]);
  dynamic(context, argv[1]);
  grown(context, argv[1]);
  fxgraphModuleDestroy(module);
  fxgraphContextDestroy(context);
  return finish();
}
