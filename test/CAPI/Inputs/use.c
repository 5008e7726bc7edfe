/* Goes through the whole C interface, and through the part of MLIR's that the library
 * exports. The argument is a folder for artefacts. */
#include "check.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

/* Extents by symbol, a parameter, a written buffer, an index that may be out of range. */
static const char *const kDynamic =
    "!x = tensor<?x3xf32, #fxgraph.meta<dims = [n]>>\n"
    "!index = tensor<?xi64, #fxgraph.meta<dims = [n]>>\n"
    "func.func @main(%x: !x {fxgraph.name = \"x\", fxgraph.kind = \"input\"},\n"
    "    %table: tensor<4x3xf32> {fxgraph.name = \"table\", fxgraph.kind = \"parameter\"},\n"
    "    %index: !index {fxgraph.name = \"index\"},\n"
    "    %state: tensor<2xf32> {fxgraph.name = \"state\", fxgraph.kind = \"buffer\"})\n"
    "    -> (!x {fxgraph.name = \"sum\"}, !x, tensor<2xi1>) {\n"
    "  %one = fxgraph.constant dense<1.0> : tensor<f64>\n"
    "  %two = fxgraph.constant dense<2.0> : tensor<f64>\n"
    "  %sum = fxgraph.add %x, %one : (!x, tensor<f64>) -> !x\n"
    "  %rows = fxgraph.index %table [%index] dims [0] : (tensor<4x3xf32>, !index) -> !x\n"
    "  %doubled = fxgraph.mul %state, %two : (tensor<2xf32>, tensor<f64>) -> tensor<2xf32>\n"
    "  fxgraph.copy_ %doubled into %state : tensor<2xf32>, tensor<2xf32>\n"
    "  %flag = fxgraph.gt %state, %one : (tensor<2xf32>, tensor<f64>) -> tensor<2xi1>\n"
    "  return %sum, %rows, %flag : !x, !x, tensor<2xi1>\n"
    "}\n";

/* The same with known extents, for targets that want them. */
static const char *const kStatic =
    "func.func @main(%x: tensor<2x3xf32> {fxgraph.name = \"x\"}, %state: tensor<3xf32> {fxgraph.name = \"state\"})\n"
    "    -> (tensor<3x2xf32>, tensor<2x3xf32>) {\n"
    "  %two = fxgraph.constant dense<2.0> : tensor<f64>\n"
    "  %sum = fxgraph.add %x, %state : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>\n"
    "  %turned = fxgraph.permute %sum dims [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>\n"
    "  %doubled = fxgraph.mul %state, %two : (tensor<3xf32>, tensor<f64>) -> tensor<3xf32>\n"
    "  fxgraph.copy_ %doubled into %state : tensor<3xf32>, tensor<3xf32>\n"
    "  return %turned, %sum : tensor<3x2xf32>, tensor<2x3xf32>\n"
    "}\n";

/*===-- Contexts and diagnostics ------------------------------------------===*/

typedef struct {
  int counts[4];
  char last[512];
} Heard;

static void hear(void *user, FxGraphSeverity severity, const char *text) {
  Heard *heard = user;
  ++heard->counts[severity];
  snprintf(heard->last, sizeof heard->last, "%s", text);
}

static void useContexts(void) {
  CHECK(strlen(fxgraphGetVersion()) >= 5);
  CHECK(!strcmp(fxgraphGetError(), ""));
  fxgraphFreeString(NULL);
  FxGraphContext *context = fxgraphContextCreate(), *other = fxgraphContextCreate();
  CHECK(!mlirContextIsNull(fxgraphContextGetMlir(context)));
  CHECK(!mlirContextEqual(fxgraphContextGetMlir(context), fxgraphContextGetMlir(other)));
  Heard heard, none;
  memset(&heard, 0, sizeof heard);
  memset(&none, 0, sizeof none);
  fxgraphContextSetDiagnosticHandler(context, hear, &heard);
  fxgraphContextSetDiagnosticHandler(other, hear, &none);
  const char *wrong = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %y : tensor<2xf32>\n}\n";
  CHECK(!fxgraphModuleParse(context, wrong, strlen(wrong), "wrong.mlir"));
  CHECK_ERROR("wrong.mlir:2:10: error: use of undeclared SSA value name");
  CHECK(heard.counts[FXGRAPH_ERROR] == 1 && !strcmp(heard.last, fxgraphGetError()));
  CHECK(none.counts[FXGRAPH_ERROR] == 0);
  /* Without a name, and without a handler. */
  fxgraphContextSetDiagnosticHandler(context, NULL, NULL);
  CHECK(!fxgraphModuleParse(context, wrong, strlen(wrong), NULL));
  CHECK_ERROR("<memory>:2:10: error:");
  CHECK(heard.counts[FXGRAPH_ERROR] == 1);
  /* The length counts, not the end of the string. */
  const char *two = "func.func private @f()\nrubbish";
  FxGraphModule *module = fxgraphModuleParse(context, two, 22, "f.mlir");
  CHECK(module);
  fxgraphModuleDestroy(module);
  module = fxgraphModuleParse(context, "", 0, "empty.mlir");
  CHECK(module);
  fxgraphModuleDestroy(module);
  CHECK(!fxgraphModuleParse(context, "ML\xefR\x01", 5, "cut.mlirbc"));
  CHECK_ERROR("cut.mlirbc");
  fxgraphContextDestroy(context);
  fxgraphContextDestroy(other);
}

/*===-- Modules -----------------------------------------------------------===*/

static char *readFile(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  char *bytes = malloc(1 << 20);
  *length = fread(bytes, 1, (1 << 20) - 1, file);
  bytes[*length] = 0;
  fclose(file);
  return bytes;
}

static void checkSame(FxGraphModule *module, const char *expected) {
  char *text = fxgraphModulePrint(module, 0);
  CHECK(text && !strcmp(text, expected));
  fxgraphFreeString(text);
}

static void useModules(const char *folder) {
  FxGraphContext *context = fxgraphContextCreate(), *other = fxgraphContextCreate();
  FxGraphModule *module = parse(context, kDynamic);
  char *text = fxgraphModulePrint(module, 0);
  CHECK(strstr(text, "fxgraph.index") && !strstr(text, "loc("));
  char *more = fxgraphModulePrint(module, FXGRAPH_PRINT_LOCATIONS | FXGRAPH_PRINT_GENERIC);
  CHECK(strstr(more, "\"fxgraph.add\"(") && strstr(more, "loc(\"graph.mlir\":") && strstr(more, ":10:"));
  fxgraphFreeString(more);

  FxGraphModule *clone = fxgraphModuleClone(module);
  checkSame(clone, text);
  size_t length = 0;
  char *bytes = fxgraphModuleBytecode(module, &length);
  CHECK(bytes && length > 100 && !memcmp(bytes, "ML\xefR", 4));
  FxGraphModule *read = fxgraphModuleParse(other, bytes, length, "graph.mlirbc");
  CHECK(read);
  checkSame(read, text);
  fxgraphFreeString(bytes);
  fxgraphModuleDestroy(read);

  char path[4096];
  for (int bytecode = 0; bytecode < 2; ++bytecode) {
    snprintf(path, sizeof path, "%s/module", folder);
    CHECK(fxgraphModuleSave(module, path, bytecode) == 0);
    bytes = readFile(path, &length);
    CHECK(bytes && (memcmp(bytes, "ML\xefR", 4) == 0) == bytecode);
    read = fxgraphModuleParse(other, bytes, length, path);
    CHECK(read);
    checkSame(read, text);
    free(bytes);
    fxgraphModuleDestroy(read);
    CHECK(remove(path) == 0);
  }
  snprintf(path, sizeof path, "%s/nowhere/module", folder);
  CHECK(fxgraphModuleSave(module, path, 0) != 0);
  CHECK_ERROR("nowhere/module': expected a folder but");
  CHECK(fxgraphModuleSave(module, folder, 0) != 0);
  CHECK_ERROR("cannot write '");

  CHECK(fxgraphModuleVerify(module) == 0);
  char *counts = fxgraphModuleOpCounts(module);
  CHECK(!strcmp(counts, "{\"builtin.module\":1,\"func.func\":1,\"func.return\":1,\"fxgraph.add\":1,\"fxgraph.constant\":2,"
                        "\"fxgraph.copy_\":1,\"fxgraph.gt\":1,\"fxgraph.index\":1,\"fxgraph.mul\":1}"));
  fxgraphFreeString(counts);
  fxgraphFreeString(text);
  fxgraphModuleDestroy(module);
  CHECK(fxgraphModuleVerify(clone) == 0);
  fxgraphModuleDestroy(clone);
  fxgraphModuleDestroy(NULL);
  fxgraphContextDestroy(other);
  fxgraphContextDestroy(context);
  fxgraphContextDestroy(NULL);
}

/*===-- Building and walking with MLIR's functions --------------------------===*/

static MlirStringRef ref(const char *text) { return mlirStringRefCreateFromCString(text); }

static MlirNamedAttribute named(MlirContext context, const char *name, MlirAttribute attribute) {
  return mlirNamedAttributeGet(mlirIdentifierGet(context, ref(name)), attribute);
}

static int isNamed(MlirOperation op, const char *name) {
  return mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)), ref(name));
}

/** func.func @main(%arg0: tensor<2x2xf32>, %arg1) { return relu(arg0 @ arg1) }, built op by op. */
static FxGraphModule *build(FxGraphContext *context) {
  FxGraphModule *module = fxgraphModuleCreate(context);
  CHECK(module);
  fxgraphModuleLock(module);
  MlirContext mlir = fxgraphContextGetMlir(context);
  MlirLocation loc = mlirLocationFileLineColGet(mlir, ref("built.py"), 7, 1);
  int64_t sizes[2] = {2, 2};
  MlirType type = mlirRankedTensorTypeGet(2, sizes, mlirF32TypeGet(mlir), mlirAttributeGetNull());
  MlirType types[2] = {type, type};
  MlirLocation locs[2] = {loc, loc};
  MlirBlock body = mlirBlockCreate(2, types, locs);
  MlirValue value[2] = {mlirBlockGetArgument(body, 0), mlirBlockGetArgument(body, 1)};
  const char *const names[3] = {"fxgraph.matmul", "fxgraph.relu", "func.return"};
  const int operandCounts[3] = {2, 1, 1};
  for (int i = 0; i < 3; ++i) {
    MlirOperationState state = mlirOperationStateGet(ref(names[i]), loc);
    mlirOperationStateAddOperands(&state, operandCounts[i], value);
    if (i < 2)
      mlirOperationStateAddResults(&state, 1, &type);
    MlirOperation op = mlirOperationCreate(&state);
    CHECK(!mlirOperationIsNull(op));
    mlirBlockAppendOwnedOperation(body, op);
    if (i < 2)
      value[0] = mlirOperationGetResult(op, 0);
  }
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  MlirNamedAttribute attributes[2] = {
      named(mlir, "sym_name", mlirStringAttrGet(mlir, ref("main"))),
      named(mlir, "function_type", mlirTypeAttrGet(mlirFunctionTypeGet(mlir, 2, types, 1, &type)))};
  MlirOperationState state = mlirOperationStateGet(ref("func.func"), loc);
  mlirOperationStateAddAttributes(&state, 2, attributes);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(fxgraphModuleGetMlir(module)), mlirOperationCreate(&state));
  fxgraphModuleUnlock(module);
  return module;
}

static void buildAndWalk(void) {
  FxGraphContext *context = fxgraphContextCreate();
  FxGraphModule *module = build(context);
  CHECK(fxgraphModuleVerify(module) == 0);
  float x[4] = {1, -2, 3, 4}, y[4] = {1, 0, 0, 1}, out[4] = {0};
  int64_t sizes[2] = {2, 2};
  FxTensorDesc in[2] = {tensor(x, FX_F32, 2, sizes), tensor(y, FX_F32, 2, sizes)};
  FxTensorDesc result = tensor(out, FX_F32, 2, sizes);
  FxGraphExecutable *executable = compile(module, "cpu");
  CHECK(fxgraphExecutableRun(executable, in, 2, &result, 1, NULL) == FX_OK);
  CHECK(out[0] == 1 && out[1] == 0 && out[2] == 3 && out[3] == 4);
  fxgraphExecutableDestroy(executable);

  /* What MLIR's functions made invalid is found, at its place. */
  fxgraphContextLock(context);
  MlirOperation function = mlirBlockGetFirstOperation(mlirModuleGetBody(fxgraphModuleGetMlir(module)));
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  MlirOperation matmul = mlirBlockGetFirstOperation(body), relu = mlirOperationGetNextInBlock(matmul);
  CHECK(isNamed(function, "func.func") && isNamed(matmul, "fxgraph.matmul") && isNamed(relu, "fxgraph.relu"));
  mlirOperationMoveBefore(relu, matmul);
  fxgraphContextUnlock(context);
  CHECK(fxgraphModuleVerify(module) != 0);
  CHECK_ERROR("built.py:7:1: error: operand #0 does not dominate this use");
  fxgraphModuleDestroy(module);

  /* Functions, arguments, ops, types and attributes of a parsed one. */
  module = parse(context, kDynamic);
  fxgraphModuleLock(module);
  function = mlirBlockGetFirstOperation(mlirModuleGetBody(fxgraphModuleGetMlir(module)));
  MlirAttribute name = mlirOperationGetAttributeByName(function, ref("sym_name"));
  CHECK(mlirAttributeIsAString(name) && mlirStringRefEqual(mlirStringAttrGetValue(name), ref("main")));
  MlirAttribute extras = mlirOperationGetAttributeByName(function, ref("arg_attrs"));
  CHECK(mlirArrayAttrGetNumElements(extras) == 4);
  MlirAttribute kind = mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(extras, 1), ref("fxgraph.kind"));
  CHECK(mlirStringRefEqual(mlirStringAttrGetValue(kind), ref("parameter")));
  body = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  CHECK(mlirBlockGetNumArguments(body) == 4);
  MlirType type = mlirValueGetType(mlirBlockGetArgument(body, 0));
  CHECK(mlirTypeIsARankedTensor(type) && mlirShapedTypeGetRank(type) == 2);
  CHECK(mlirShapedTypeIsDynamicDim(type, 0) && mlirShapedTypeGetDimSize(type, 1) == 3);
  CHECK(mlirTypeIsAF32(mlirShapedTypeGetElementType(type)));
  CHECK(!mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)));
  int ops = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    ++ops;
    if (isNamed(op, "fxgraph.index")) {
      MlirAttribute dims = mlirOperationGetAttributeByName(op, ref("dims"));
      CHECK(mlirAttributeIsADenseI64Array(dims) && mlirDenseI64ArrayGetElement(dims, 0) == 0);
      CHECK(mlirOperationGetNumOperands(op) == 2);
      CHECK(mlirValueEqual(mlirOperationGetOperand(op, 0), mlirBlockGetArgument(body, 1)));
    }
  }
  CHECK(ops == 8);
  fxgraphModuleUnlock(module);
  fxgraphModuleDestroy(module);
  fxgraphContextDestroy(context);
}

/*===-- Functions ---------------------------------------------------------===*/

static void useFunctions(void) {
  FxGraphContext *context = fxgraphContextCreate();
  FxGraphModule *module = parse(context, kDynamic);
  FxGraphFunction *function = fxgraphModuleGetFunction(module, "main");
  CHECK(function);
  CHECK(!fxgraphModuleGetFunction(module, "other"));
  CHECK_ERROR("expected a function 'other' but the module has none of this name");
  /* What was read stays: it is of the function when it was asked for. */
  fxgraphModuleDestroy(module);
  fxgraphContextDestroy(context);
  const FxGraphInfo *info = fxgraphFunctionGetInfo(function);
  CHECK(!strcmp(info->name, "main") && info->inputCount == 4 && info->outputCount == 3);
  const char *const names[4] = {"x", "table", "index", "state"}, *const kinds[4] = {"input", "parameter", "", "buffer"};
  const int dtypes[4] = {FX_F32, FX_F32, FX_I64, FX_F32}, ranks[4] = {2, 2, 1, 1};
  for (int i = 0; i < 4; ++i) {
    CHECK(!strcmp(info->inputs[i].name, names[i]));
    CHECK(!strcmp(fxgraphFunctionGetKind(function, i), kinds[i]));
    CHECK(info->inputs[i].dtype == dtypes[i] && info->inputs[i].rank == ranks[i]);
    CHECK(info->inputs[i].mutated == (i == 3));
  }
  CHECK(!strcmp(fxgraphFunctionGetKind(function, -1), "") && !strcmp(fxgraphFunctionGetKind(function, 4), ""));
  CHECK(info->inputs[0].sizes[0] == -2 && info->inputs[0].sizes[1] == 3);
  CHECK(info->inputs[2].sizes[0] == -2 && info->outputs[1].sizes[0] == -2);
  CHECK(!strcmp(info->outputs[0].name, "sum") && !strcmp(info->outputs[1].name, "out1"));
  CHECK(info->outputs[2].dtype == FX_BOOL && info->outputs[2].sizes[0] == 2);
  fxgraphFunctionDestroy(function);
  fxgraphFunctionDestroy(NULL);
}

/*===-- Passes ------------------------------------------------------------===*/

static char *runPasses(FxGraphModule *module, const char *pipeline, int verify) {
  FxGraphPassOptions options = {pipeline, verify, 0, 0};
  return fxgraphModuleRunPasses(module, &options);
}

static void usePasses(void) {
  const char *text = "func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {\n"
                     "  %p:2 = fxgraph.split_with_sizes %x sizes [2, 4] dim 1 : (tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x4xf32>)\n"
                     "  %c = fxgraph.cat %p#0, %p#1 dim 1 : (tensor<4x2xf32>, tensor<4x4xf32>) -> tensor<4x6xf32>\n"
                     "  return %c : tensor<4x6xf32>\n"
                     "}\n";
  FxGraphContext *context = fxgraphContextCreate();
  FxGraphModule *module = parse(context, text), *clone = fxgraphModuleClone(module);
  char *report = runPasses(module, "fxgraph-splitcat-cancel", 1);
  CHECK(report && strstr(report, "\"pattern\":\"cancel-split-cat\",\"applied\":true"));
  CHECK(report && strstr(report, "\"seconds\":") && strstr(report, "\"passes\":[{\"pass\":\"fxgraph-splitcat-cancel\""));
  fxgraphFreeString(report);
  char *counts = fxgraphModuleOpCounts(module);
  CHECK(!strstr(counts, "fxgraph.cat") && !strstr(counts, "fxgraph.split"));
  fxgraphFreeString(counts);
  /* A report is of its own run alone. */
  report = runPasses(module, "canonicalize,cse", 0);
  CHECK(report && strstr(report, "\"counters\":{}") && strstr(report, "\"events\":[]"));
  CHECK(report && strstr(report, "\"canonicalize\"") && strstr(report, "\"cse\"") && !strstr(report, "splitcat"));
  fxgraphFreeString(report);
  report = runPasses(clone, "builtin.module(func.func(fxgraph-splitcat-cancel))", 0);
  CHECK(report && strstr(report, "\"applied\":true"));
  fxgraphFreeString(report);
  report = runPasses(clone, "fxgraph-pre-grad{numerics=exact}", 1);
  CHECK(report);
  fxgraphFreeString(report);
  report = runPasses(clone, "", 0);
  CHECK(report && strstr(report, "\"passes\":[]"));
  fxgraphFreeString(report);

  CHECK(!runPasses(clone, "no-such-pass", 0));
  CHECK_ERROR("'no-such-pass' does not refer to a registered pass or pass pipeline");
  CHECK(!runPasses(clone, "fxgraph-pre-grad{numerics=sloppy}", 0));
  CHECK_ERROR("numerics");
  CHECK(!runPasses(clone, "builtin.module(cse", 0));
  CHECK_ERROR("expected ')' at the end of the pipeline");
  CHECK(!runPasses(clone, "canonicalize,", 0));
  CHECK_ERROR("expected a pass on both sides of each comma in 'canonicalize,'");
  fxgraphModuleDestroy(clone);
  fxgraphModuleDestroy(module);

  /* A pass that fails says where; the context goes on. */
  module = parse(context, "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                          "  %y = fxgraph.opaque \"my::op\"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
                          "  return %y : tensor<2xf32>\n"
                          "}\n");
  CHECK(!runPasses(module, "fxgraph-to-linalg", 0));
  CHECK_ERROR("graph.mlir:2:8: error: ");
  fxgraphModuleDestroy(module);
  module = parse(context, text);
  report = runPasses(module, "fxgraph-splitcat-cancel", 1);
  CHECK(report);
  fxgraphFreeString(report);
  fxgraphModuleDestroy(module);
  fxgraphContextDestroy(context);
}

/*===-- Compiling and running ---------------------------------------------===*/

/** What FxRunOptions.allocate gives, and what it was asked for. */
typedef struct {
  _Alignas(64) char bytes[4096];
  size_t used;
  int calls, workspaceCalls;
  int refuse; /* null for this output */
} Arena;

static void *give(void *user, int output, const FxTensorDesc *needed) {
  Arena *arena = user;
  CHECK(!needed->data);
  int64_t count = 1;
  for (int i = needed->rank - 1; i >= 0; --i) {
    CHECK(needed->strides[i] == count || needed->sizes[i] <= 1);
    count *= needed->sizes[i];
  }
  if (output < 0) {
    CHECK(needed->dtype == FX_U8 && needed->rank == 1);
    ++arena->workspaceCalls;
  } else {
    ++arena->calls;
  }
  size_t bytes = (size_t)count * 8;
  if (output == arena->refuse || arena->used + bytes > sizeof arena->bytes)
    return NULL;
  void *memory = arena->bytes + arena->used;
  arena->used += (bytes + 63) / 64 * 64;
  return memory;
}

static void fillDynamic(float *x, float *table, int64_t *index, float *state, int rows) {
  for (int i = 0; i < 3 * rows; ++i)
    x[i] = (float)i;
  for (int i = 0; i < 12; ++i)
    table[i] = 100 + (float)i;
  for (int i = 0; i < rows; ++i)
    index[i] = i % 4;
  state[0] = 3, state[1] = 0.25;
}

/** Every way to run the graph kDynamic. */
static void runDynamic(FxGraphExecutable *executable) {
  const FxGraphInfo *info = fxgraphExecutableGetInfo(executable);
  CHECK(!strcmp(info->inputs[3].name, "state") && info->inputs[3].mutated && info->inputs[0].sizes[0] == -2);
  CHECK(info->outputCount == 3 && info->outputs[2].dtype == FX_BOOL);
  CHECK(fxgraphExecutableIsOnDevice(executable) == 0);
  CHECK(fxgraphExecutableGetWorkspaceBytes(executable) >= 0);

  float x[30], table[12], state[2];
  int64_t index[10], two[2] = {2, 3}, four[2] = {4, 3}, pair[1] = {2};
  /* Memory of the executable's, for several extents. */
  for (int rows = 0; rows < 10; rows += 3) {
    fillDynamic(x, table, index, state, rows);
    int64_t sizes[2] = {rows, 3}, length[1] = {rows};
    FxTensorDesc in[4] = {tensor(x, FX_F32, 2, sizes), tensor(table, FX_F32, 2, four), tensor(index, FX_I64, 1, length),
                          tensor(state, FX_F32, 1, pair)};
    FxTensorDesc out[3];
    memset(out, 0, sizeof out);
    CHECK(fxgraphExecutableRun(executable, in, 4, out, 3, NULL) == FX_OK);
    CHECK(out[0].dtype == FX_F32 && out[0].rank == 2 && out[0].sizes[0] == rows && out[0].strides[0] == 3);
    CHECK(out[2].dtype == FX_BOOL && out[2].rank == 1 && out[2].sizes[0] == 2);
    for (int i = 0; i < 3 * rows; ++i) {
      CHECK(((float *)out[0].data)[i] == x[i] + 1);
      CHECK(((float *)out[1].data)[i] == table[(i / 3) % 4 * 3 + i % 3]);
    }
    CHECK(state[0] == 6 && state[1] == 0.5);
    CHECK(((char *)out[2].data)[0] == 1 && ((char *)out[2].data)[1] == 0);
    for (int i = 0; i < 3; ++i)
      fxgraphExecutableFree(executable, out[i].data);
  }

  /* Strided inputs, a written argument with strides, memory of the caller's with strides. */
  fillDynamic(x, table, index, state, 2);
  float turned[6] = {0, 3, 1, 4, 2, 5}, spread[4] = {3, -7, 0.25, -7}, wide[12];
  for (int i = 0; i < 12; ++i)
    wide[i] = -1;
  unsigned char flags[2];
  FxTensorDesc in[4] = {tensor(turned, FX_F32, 2, two), tensor(table, FX_F32, 2, four), tensor(index, FX_I64, 1, pair),
                        tensor(spread, FX_F32, 1, pair)};
  in[0].strides[0] = 1, in[0].strides[1] = 2;
  in[2].strides[0] = 0; /* one number for both */
  in[3].strides[0] = 2;
  float dense[6];
  FxTensorDesc out[3] = {tensor(wide, FX_F32, 2, two), tensor(dense, FX_F32, 2, two), tensor(flags, FX_BOOL, 1, pair)};
  out[0].strides[0] = 6, out[0].strides[1] = 2;
  CHECK(fxgraphExecutableRun(executable, in, 4, out, 3, NULL) == FX_OK);
  for (int i = 0; i < 6; ++i) {
    CHECK(wide[2 * i] == (float)i + 1 && wide[2 * i + 1] == -1);
    CHECK(dense[i] == table[i % 3]);
  }
  CHECK(spread[0] == 6 && spread[1] == -7 && spread[2] == 0.5 && spread[3] == -7 && flags[0] == 1 && flags[1] == 0);
  CHECK(turned[1] == 3 && out[0].data == wide && out[0].strides[0] == 6);

  /* Memory of an allocator; of the caller for one of the outputs. */
  Arena arena;
  memset(&arena, 0, sizeof arena);
  arena.refuse = -2;
  FxRunOptions options = {give, &arena, NULL};
  fillDynamic(x, table, index, state, 2);
  in[0] = tensor(x, FX_F32, 2, two);
  in[2] = tensor(index, FX_I64, 1, pair);
  in[3] = tensor(state, FX_F32, 1, pair);
  memset(out, 0, sizeof out);
  out[1] = tensor(dense, FX_F32, 2, two);
  CHECK(fxgraphExecutableRun(executable, in, 4, out, 3, &options) == FX_OK);
  CHECK(arena.calls == 2 && out[1].data == dense && dense[5] == 105);
  CHECK((char *)out[0].data >= arena.bytes && (char *)out[0].data < arena.bytes + sizeof arena.bytes);
  CHECK(((float *)out[0].data)[5] == 6 && ((unsigned char *)out[2].data)[0] == 1);

  /* An allocator that has none: nothing was written, the descriptions stay as they were. */
  memset(&arena, 0, sizeof arena);
  arena.refuse = 2;
  fillDynamic(x, table, index, state, 2);
  memset(out, 0, sizeof out);
  CHECK(fxgraphExecutableRun(executable, in, 4, out, 3, &options) == FX_OUT_OF_MEMORY);
  CHECK(!strcmp(fxgraphGetError(), "output 2 ('out2'): out of memory: expected 2 bytes"));
  CHECK(state[0] == 3 && !out[0].data && !out[1].data && !out[2].data);

  /* A graph that fails on the way writes no argument and gives no memory. */
  index[1] = 4;
  memset(out, 0, sizeof out);
  CHECK(fxgraphExecutableRun(executable, in, 4, out, 3, NULL) == FX_RUN_FAILED);
  CHECK_ERROR("graph.mlir:11:11: ");
  CHECK(state[0] == 3 && !out[0].data && !out[1].data && !out[2].data);
  index[1] = 1;
  CHECK(fxgraphExecutableRun(executable, in, 4, out, 3, NULL) == FX_OK);
  for (int i = 0; i < 3; ++i)
    fxgraphExecutableFree(executable, out[i].data);
  fxgraphExecutableFree(executable, NULL);
}

/** Memory that the executable gives, with the graph kStatic: where tensors live is its matter. */
static void runStatic(FxGraphExecutable *executable) {
  const FxGraphInfo *info = fxgraphExecutableGetInfo(executable);
  CHECK(!strcmp(info->inputs[0].name, "x") && info->inputs[1].mutated && info->outputs[0].sizes[0] == 3);
  float x[6] = {0, 1, 2, 3, 4, 5}, state[3] = {10, 20, 30}, result[6];
  int64_t matrix[2] = {2, 3}, vector[1] = {3};
  void *memory[2] = {fxgraphExecutableAllocate(executable, sizeof x), fxgraphExecutableAllocate(executable, sizeof state)};
  CHECK(memory[0] && memory[1]);
  CHECK(fxgraphExecutableCopyIn(executable, memory[0], x, sizeof x) == 0);
  CHECK(fxgraphExecutableCopyIn(executable, memory[1], state, sizeof state) == 0);
  FxTensorDesc in[2] = {tensor(memory[0], FX_F32, 2, matrix), tensor(memory[1], FX_F32, 1, vector)}, out[2];
  const float turned[6] = {10, 13, 21, 24, 32, 35};
  for (int round = 0; round < 2; ++round) {
    memset(out, 0, sizeof out);
    CHECK(fxgraphExecutableRun(executable, in, 2, out, 2, NULL) == FX_OK);
    CHECK(fxgraphExecutableCopyOut(executable, result, out[0].data, sizeof result) == 0);
    /* Row-major on the CPU; on a GPU in the order of the sum that it is a view of. */
    CHECK(out[0].rank == 2 && out[0].sizes[0] == 3 && out[0].sizes[1] == 2);
    CHECK((out[0].strides[0] == 2 && out[0].strides[1] == 1) || (out[0].strides[0] == 1 && out[0].strides[1] == 3));
    for (int i = 0; i < 6; ++i)
      CHECK(result[i / 2 * out[0].strides[0] + i % 2 * out[0].strides[1]] == turned[i] + (float)(round * 10 * (i / 2 + 1)));
    CHECK(fxgraphExecutableCopyOut(executable, result, out[1].data, sizeof result) == 0);
    CHECK(result[5] == 35 + (float)(round * 30));
    fxgraphExecutableFree(executable, out[0].data);
    fxgraphExecutableFree(executable, out[1].data);
  }
  CHECK(fxgraphExecutableCopyOut(executable, result, memory[1], sizeof state) == 0);
  CHECK(result[0] == 40 && result[1] == 80 && result[2] == 120);
  CHECK(!fxgraphExecutableAllocate(executable, INT64_MAX));
  CHECK_ERROR("out of memory: expected 9223372036854775807 bytes");
  fxgraphExecutableFree(executable, memory[0]);
  fxgraphExecutableFree(executable, memory[1]);
}

static void compileAndRun(void) {
  const char *const names[3] = {"ref", "cpu", "gpu-emulator"};
  for (int i = 0; i < 3; ++i) {
    /* The executable outlives the module and the context. */
    FxGraphContext *context = fxgraphContextCreate();
    FxGraphModule *module = parse(context, kStatic);
    FxGraphExecutable *executable = compile(module, names[i]);
    fxgraphContextDestroy(context);
    fxgraphModuleDestroy(module);
    runStatic(executable);
    fxgraphExecutableDestroy(executable);
    if (i == 2)
      continue;
    context = fxgraphContextCreate();
    module = parse(context, kDynamic);
    executable = compile(module, names[i]);
    /* Compiling has not changed the module. */
    char *counts = fxgraphModuleOpCounts(module);
    CHECK(strstr(counts, "\"fxgraph.index\":1") && !strstr(counts, "linalg"));
    fxgraphFreeString(counts);
    fxgraphModuleDestroy(module);
    fxgraphContextDestroy(context);
    runDynamic(executable);
    fxgraphExecutableDestroy(executable);
  }
  fxgraphExecutableDestroy(NULL);
}

/** Other entries, settings, seeds, and what cannot be compiled. */
static void compileOptions(void) {
  FxGraphContext *context = fxgraphContextCreate();
  FxGraphModule *module =
      parse(context, "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                     "  return %x : tensor<4xf32>\n"
                     "}\n"
                     "func.func @noise() -> tensor<4xf32> {\n"
                     "  %r = fxgraph.rand : tensor<4xf32>\n"
                     "  return %r : tensor<4xf32>\n"
                     "}\n"
                     "func.func private @hidden(tensor<4xf32>) -> tensor<4xf32>\n"
                     "func.func @opaque(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                     "  %y = fxgraph.opaque \"my::op\"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
                     "  return %y : tensor<2xf32>\n"
                     "}\n");
  FxGraphCompileOptions options = target("ref");
  options.entry = "noise";
  float values[3][4];
  for (int i = 0; i < 3; ++i) {
    options.seed = i == 2 ? 8 : 7;
    FxGraphExecutable *executable = fxgraphModuleCompile(module, &options);
    CHECK(executable);
    int64_t sizes[1] = {4};
    FxTensorDesc out = tensor(values[i], FX_F32, 1, sizes);
    CHECK(fxgraphExecutableRun(executable, NULL, 0, &out, 1, NULL) == FX_OK);
    fxgraphExecutableDestroy(executable);
  }
  CHECK(!memcmp(values[0], values[1], sizeof values[0]) && memcmp(values[0], values[2], sizeof values[0]));

  const char *settings[2] = {"threads=2", "opt-level=1"};
  options = target("cpu");
  options.settings = settings;
  options.settingCount = 1;
  FxGraphExecutable *executable = fxgraphModuleCompile(module, &options);
  CHECK(executable);
  fxgraphExecutableDestroy(executable);
  fxgraphSetThreads(0);
  const struct {
    const char *target, *entry, *setting, *error;
  } wrong[] = {
      {"tpu", NULL, NULL, "error: expected a target among cpu, gpu, gpu-emulator, ref but got 'tpu'"},
      {NULL, NULL, NULL, "error: expected a target among cpu, gpu, gpu-emulator, ref but got ''"},
      {"cpu", "other", NULL, "error: expected a function 'other' but the module has none of this name"},
      {"ref", "hidden", NULL, "error: expected a function with a body but 'hidden' is a declaration"},
      {"cpu", NULL, "threads", "expected a setting <key>=<value> but got 'threads'"},
      {"cpu", NULL, "=2", "expected a setting <key>=<value> but got '=2'"},
      {"cpu", NULL, "threads=none", "error: expected a setting threads=1 to 1024 but got 'threads=none'"},
      {"cpu", NULL, "speed=2", "but got 'speed=2'"},
      {"ref", NULL, "threads=2", "error: expected a setting of the target ref (ranks, group) but got 'threads=2'"},
      {"gpu-emulator", NULL, "speed=2", "but got 'speed=2'"},
      {"gpu-emulator", NULL, "mock=/nowhere.so", "error: gpu-emulator: '/nowhere.so' does not exist"},
      {"cpu", "opaque", NULL, "graph.mlir:10:8: error: "},
      {"gpu-emulator", "opaque", NULL, "graph.mlir:9:1: error: not supported on gpu: 1 op\n  note: "},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
    options = target(wrong[i].target);
    options.entry = wrong[i].entry;
    options.settings = &wrong[i].setting;
    options.settingCount = wrong[i].setting != NULL;
    CHECK(!fxgraphModuleCompile(module, &options));
    CHECK_ERROR(wrong[i].error);
  }
  fxgraphModuleDestroy(module);
  fxgraphContextDestroy(context);
}

/** Two processes in this one: the tensors of rank 0, then those of rank 1. */
static void runGrid(void) {
  static const char kSum[] =
      "func.func @main(%x: tensor<2xf32> {fxgraph.name = \"x\"}, %state: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = fxgraph.all_reduce %x op \"sum\" group \"g\" : (tensor<2xf32>) -> tensor<2xf32>\n"
      "  %1 = fxgraph.wait_tensor %0 : (tensor<2xf32>) -> tensor<2xf32>\n"
      "  fxgraph.copy_ %x into %state : tensor<2xf32>, tensor<2xf32>\n"
      "  return %1 : tensor<2xf32>\n"
      "}\n";
  FxGraphContext *context = fxgraphContextCreate();
  FxGraphModule *module = parse(context, kSum);
  FxGraphCompileOptions options = target("ref");
  const char *settings[2] = {"ranks=2", "group=g:1,0"};
  options.settings = settings;
  options.settingCount = 2;
  FxGraphExecutable *executable = fxgraphModuleCompile(module, &options);
  CHECK(executable);
  const FxGraphInfo *info = fxgraphExecutableGetInfo(executable);
  CHECK(info->inputCount == 4 && info->outputCount == 2 && info->inputs[3].mutated && !info->inputs[2].mutated);
  CHECK(!strcmp(info->inputs[0].name, "rank0/x") && !strcmp(info->inputs[3].name, "rank1/arg1"));
  float x[4] = {1, 2, 10, 20}, state[4] = {0, 0, 0, 0}, sum[4];
  int64_t pair[1] = {2};
  FxTensorDesc in[4] = {tensor(x, FX_F32, 1, pair), tensor(state, FX_F32, 1, pair), tensor(x + 2, FX_F32, 1, pair),
                        tensor(state + 2, FX_F32, 1, pair)};
  FxTensorDesc out[2] = {tensor(sum, FX_F32, 1, pair), tensor(sum + 2, FX_F32, 1, pair)};
  CHECK(fxgraphExecutableRun(executable, in, 4, out, 2, NULL) == FX_OK);
  CHECK(sum[0] == 11 && sum[1] == 22 && sum[2] == 11 && sum[3] == 22);
  CHECK(!memcmp(x, state, sizeof x));
  fxgraphExecutableDestroy(executable);
  settings[1] = "group=g:0";
  executable = fxgraphModuleCompile(module, &options);
  CHECK(executable && fxgraphExecutableRun(executable, in, 4, out, 2, NULL) == FX_RUN_FAILED);
  CHECK_ERROR("rank 1: 'fxgraph.all_reduce' op expected a rank of group 'g' but rank 1 is in no set of it");
  fxgraphExecutableDestroy(executable);
  fxgraphModuleDestroy(module);
  fxgraphContextDestroy(context);
}

/*===-- Artefacts ---------------------------------------------------------===*/

static void useArtefacts(const char *folder) {
  FxGraphContext *context = fxgraphContextCreate();
  FxGraphModule *dynamic = parse(context, kDynamic), *module = parse(context, kStatic);
  char path[4096], other[4096];
  snprintf(path, sizeof path, "%s/graph.so", folder);
  snprintf(other, sizeof other, "%s/other.so", folder);
  const char *settings[1] = {"opt-level=1"};
  CHECK(fxgraphModuleSaveArtefact(dynamic, NULL, "so", path, settings, 1) == 0);
  CHECK(fxgraphModuleSaveArtefact(module, "main", "so", other, NULL, 0) == 0);
  FxGraphExecutable *executable = fxgraphExecutableLoad(path), *second = fxgraphExecutableLoad(other);
  CHECK(executable && second);
  runDynamic(executable);
  runStatic(second);
  fxgraphExecutableDestroy(executable);
  runStatic(second);
  fxgraphExecutableDestroy(second);

  /* Every form that needs no tool of NVIDIA's, on a context that made none before. */
  const char *const forms[] = {"dot", "llvm", "object", "so", "plan", "ptx", "gpu"};
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
    FxGraphContext *fresh = fxgraphContextCreate();
    FxGraphModule *read = parse(fresh, kStatic);
    snprintf(path, sizeof path, "%s/form-%s", folder, forms[i]);
    int onGpu = i > 3;
    settings[0] = "chip=sm_90a";
    CHECK(fxgraphModuleSaveArtefact(read, NULL, forms[i], path, settings, onGpu) == 0);
    CHECK(fxgraphModuleVerify(read) == 0);
    fxgraphModuleDestroy(read);
    fxgraphContextDestroy(fresh);
  }
  CHECK(fxgraphModuleSaveArtefact(module, NULL, "exe", path, NULL, 0) != 0);
  CHECK_ERROR("error: expected a form of ");
  CHECK(fxgraphModuleSaveArtefact(module, "other", "so", path, NULL, 0) != 0);
  CHECK_ERROR("expected a function 'other'");
  CHECK(fxgraphModuleSaveArtefact(module, NULL, "so", "/nowhere/graph.so", NULL, 0) != 0);
  CHECK_ERROR("cannot write '/nowhere/graph.so': expected a folder but '/nowhere' is none");
  settings[0] = "opt-level";
  CHECK(fxgraphModuleSaveArtefact(module, NULL, "so", path, settings, 1) != 0);
  CHECK_ERROR("expected a setting <key>=<value> but got 'opt-level'");
  CHECK(!fxgraphExecutableLoad("/nowhere.so"));
  CHECK_ERROR("'/nowhere.so'");
  CHECK(!fxgraphExecutableLoad(folder));
  CHECK_ERROR("expected a folder with plan.json");

  /* A folder for the GPU, loaded by the runtime (its driver is the mock, which runs no
   * kernels of its own). */
  snprintf(path, sizeof path, "%s/plan", folder);
  settings[0] = "chip=sm_90a";
  CHECK(fxgraphModuleSaveArtefact(module, NULL, "gpu", path, settings, 1) == 0);
  executable = fxgraphExecutableLoad(path);
  CHECK(executable);
  CHECK(fxgraphExecutableIsOnDevice(executable) == 1);
  const FxGraphInfo *info = fxgraphExecutableGetInfo(executable);
  CHECK(!strcmp(info->inputs[0].name, "x") && info->inputs[1].mutated && info->inputs[0].rowMajor);
  float x[6] = {0, 1, 2, 3, 4, 5}, back[6] = {0};
  void *memory = fxgraphExecutableAllocate(executable, sizeof x);
  CHECK(memory);
  CHECK(fxgraphExecutableCopyIn(executable, memory, x, sizeof x) == 0);
  CHECK(fxgraphExecutableCopyOut(executable, back, memory, sizeof x) == 0 && back[5] == 5);
  CHECK(fxgraphExecutableCopyOut(executable, back, x, sizeof x) != 0);
  CHECK(*fxgraphGetError());
  int64_t matrix[2] = {2, 3}, vector[1] = {3};
  void *state = fxgraphExecutableAllocate(executable, 12);
  FxTensorDesc in[2] = {tensor(memory, FX_F32, 2, matrix), tensor(state, FX_F32, 1, vector)}, out[2];
  memset(out, 0, sizeof out);
  CHECK(fxgraphExecutableRun(executable, in, 2, out, 2, NULL) == FX_OK);
  CHECK(out[0].data && out[0].sizes[0] == 3 && out[1].sizes[0] == 2);
  fxgraphExecutableFree(executable, out[0].data);
  fxgraphExecutableFree(executable, out[1].data);
  fxgraphExecutableFree(executable, memory);
  fxgraphExecutableFree(executable, state);
  fxgraphExecutableDestroy(executable);
  fxgraphModuleDestroy(dynamic);
  fxgraphModuleDestroy(module);
  fxgraphContextDestroy(context);
}

/** A file that is replaced while the library of its first contents is loaded. */
static void replaceArtefact(const char *folder) {
  char path[4096], text[512];
  snprintf(path, sizeof path, "%s/same.so", folder);
  FxGraphContext *context = fxgraphContextCreate();
  FxGraphExecutable *executables[3];
  for (int i = 0; i < 3; ++i) {
    snprintf(text, sizeof text,
             "func.func @main(%%x: tensor<2xf32>) -> tensor<2xf32> {\n"
             "  %%c = fxgraph.constant dense<%d.0> : tensor<f64>\n"
             "  %%y = fxgraph.mul %%x, %%c : (tensor<2xf32>, tensor<f64>) -> tensor<2xf32>\n"
             "  return %%y : tensor<2xf32>\n"
             "}\n",
             i / 2 + 2);
    FxGraphModule *module = parse(context, text);
    if (i != 1)
      CHECK(fxgraphModuleSaveArtefact(module, NULL, "so", path, NULL, 0) == 0);
    fxgraphModuleDestroy(module);
    executables[i] = fxgraphExecutableLoad(path);
    CHECK(executables[i]);
  }
  CHECK(remove(path) == 0);
  for (int i = 0; i < 3; ++i) {
    float x[2] = {1, 2}, y[2] = {0};
    int64_t sizes[1] = {2};
    FxTensorDesc in = tensor(x, FX_F32, 1, sizes), out = tensor(y, FX_F32, 1, sizes);
    CHECK(fxgraphExecutableRun(executables[i], &in, 1, &out, 1, NULL) == FX_OK);
    CHECK(y[1] == 2 * (float)(i / 2 + 2));
    fxgraphExecutableDestroy(executables[i]);
  }
  fxgraphContextDestroy(context);
}

/*===-- Destruction in any order ------------------------------------------===*/

static void destroyInAnyOrder(void) {
  /* Six orders of context, module and executable, with the clone in between. */
  const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int n = 0; n < 12; ++n) {
    FxGraphContext *context = fxgraphContextCreate();
    FxGraphModule *module = parse(context, kStatic);
    FxGraphModule *clone = fxgraphModuleClone(module);
    FxGraphFunction *function = fxgraphModuleGetFunction(module, "main");
    FxGraphExecutable *executable = compile(module, n % 2 ? "cpu" : "ref");
    for (int i = 0; i < 3; ++i) {
      if (orders[n / 2][i] == 0)
        fxgraphContextDestroy(context);
      else if (orders[n / 2][i] == 1)
        fxgraphModuleDestroy(module);
      else
        fxgraphExecutableDestroy(executable);
      if (i == 1)
        CHECK(fxgraphModuleVerify(clone) == 0);
    }
    executable = compile(clone, "ref");
    fxgraphModuleDestroy(clone);
    runStatic(executable);
    fxgraphExecutableDestroy(executable);
    CHECK(fxgraphFunctionGetInfo(function)->inputCount == 2);
    fxgraphFunctionDestroy(function);
  }
}

/*===-- DLPack ------------------------------------------------------------===*/

static void useDLPack(void) {
  for (int dtype = FX_F32; dtype <= FX_F8E8M0FNU; ++dtype) {
    int64_t shape[2] = {2, 3};
    char data[64];
    DLTensor from = {data, {kDLCPU, 0}, 2, fxgraphDtypeToDLPack(dtype), shape, NULL, 8};
    FxTensorDesc to;
    CHECK(from.dtype.lanes == 1);
    CHECK(fxgraphTensorFromDLPack(&from, &to) == 0);
    CHECK(to.dtype == dtype && to.rank == 2 && to.data == data + 8);
    CHECK(to.sizes[0] == 2 && to.sizes[1] == 3 && to.strides[0] == 3 && to.strides[1] == 1);
    from.dtype.lanes = 4;
    CHECK(fxgraphTensorFromDLPack(&from, &to) == 1);
  }
  CHECK(fxgraphDtypeToDLPack(0).bits == 0 && fxgraphDtypeToDLPack(99).bits == 0);
  int64_t shape[17] = {0};
  DLTensor from = {NULL, {kDLCPU, 0}, 17, {kDLFloat, 32, 1}, shape, NULL, 0};
  FxTensorDesc to;
  CHECK(fxgraphTensorFromDLPack(&from, &to) == 1);
  from.ndim = -1;
  CHECK(fxgraphTensorFromDLPack(&from, &to) == 1);
  from.ndim = 16;
  CHECK(fxgraphTensorFromDLPack(&from, &to) == 0 && !to.data);
  from.dtype.code = kDLComplex, from.dtype.bits = 64;
  CHECK(fxgraphTensorFromDLPack(&from, &to) == 1);

  /* A run on two of them, one a transposed view behind an offset. */
  FxGraphContext *context = fxgraphContextCreate();
  FxGraphModule *module = parse(context, kStatic);
  FxGraphExecutable *executable = compile(module, "cpu");
  float memory[8] = {-1, -1, 0, 3, 1, 4, 2, 5}, state[3] = {10, 20, 30}, turned[6], sum[6];
  int64_t matrix[2] = {2, 3}, strides[2] = {1, 2}, vector[1] = {3}, flipped[2] = {3, 2};
  DLTensor x = {memory, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, matrix, strides, 8};
  DLTensor s = {state, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, vector, NULL, 0};
  FxTensorDesc in[2], out[2] = {tensor(turned, FX_F32, 2, flipped), tensor(sum, FX_F32, 2, matrix)};
  CHECK(fxgraphTensorFromDLPack(&x, &in[0]) == 0 && fxgraphTensorFromDLPack(&s, &in[1]) == 0);
  CHECK(fxgraphExecutableRun(executable, in, 2, out, 2, NULL) == FX_OK);
  for (int i = 0; i < 6; ++i)
    CHECK(sum[i] == (float)i + 10 * (float)(i % 3 + 1));
  CHECK(state[2] == 60);
  fxgraphExecutableDestroy(executable);
  fxgraphModuleDestroy(module);
  fxgraphContextDestroy(context);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  useContexts();
  useModules(argv[1]);
  buildAndWalk();
  useFunctions();
  usePasses();
  compileAndRun();
  compileOptions();
  runGrid();
  useArtefacts(argv[1]);
  replaceArtefact(argv[1]);
  destroyInAnyOrder();
  useDLPack();
  return finish();
}
