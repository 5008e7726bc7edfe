//===- LaunchPlanTest.cpp - Parsing, and every malformed plan -------------===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchPlan.h"
#include "Error.h"
#include "PlanBuilder.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace fxgraph::runtime;
using namespace fxgraph::runtime::test;

/// A valid plan with one step of every kind.
static Json makeFullPlan() {
  Json plan = emptyPlan();
  plan["chip"] = "sm_90a";
  Json mutated = tensor("state", "f32", {8, 16}, 4);
  mutated["mutated"] = true;
  plan["inputs"] = {tensor("x", "f32", {8, 16}, 4), mutated, tensor("img", "bf16", {2, 4, 9, 9}, 2)};
  plan["outputs"] = {tensor("y", "f32", {8, 32}, 4), tensor("conv", "bf16", {2, 6, 4, 4}, 2)};
  plan["constants"] = {{{"name", "w"}, {"offset", 0}, {"bytes", 2048}},
                       {{"name", "f"}, {"offset", 2048}, {"bytes", 256}}};
  plan["workspace_bytes"] = 4096;
  plan["library_workspace_bytes"] = 1024;
  Json kernel = kernelStep("k0", {ref("input", 0),
                                  ref("workspace", 0, 256),
                                  {{"kind", "i32"}, {"value", -5}},
                                  {{"kind", "i64"}, {"value", 1LL << 40}},
                                  {{"kind", "f32"}, {"value", 0.5}},
                                  {{"kind", "f64"}, {"value", "-inf"}},
                                  {{"kind", "pointers"}, {"buffers", {ref("constant", 1), ref("output", 0, 64)}}},
                                  {{"kind", "tensor_map"},
                                   {"buffers", {ref("input", 0)}},
                                   {"dtype", "f32"},
                                   {"dims", {16, 8}},
                                   {"strides_bytes", {64}},
                                   {"box", {16, 8}},
                                   {"swizzle", "64b"}}});
  kernel["shared_bytes"] = 1024;
  kernel["cluster"] = {2, 1, 1};
  kernel["programmatic"] = true;
  kernel["loc"] = "model.py:12";
  plan["steps"] = {kernel,
                   {{"op", "matmul"},
                    {"m", 8},
                    {"n", 32},
                    {"k", 16},
                    {"dtype", "f32"},
                    {"epilogue", "gelu_tanh_bias"},
                    {"a", ref("input", 0)},
                    {"b", ref("constant", 0)},
                    {"d", ref("output", 0)},
                    {"bias", ref("constant", 1)}},
                   {{"op", "conv"},
                    {"dtype", "bf16"},
                    {"input_shape", {2, 4, 9, 9}},
                    {"filter_shape", {6, 2, 3, 3}},
                    {"stride", {2, 2}},
                    {"groups", 2},
                    {"input", ref("input", 2)},
                    {"filter", ref("constant", 1)},
                    {"output", ref("output", 1)}},
                   {{"op", "copy"}, {"from", ref("input", 0)}, {"to", ref("input", 1)}, {"bytes", 512}},
                   {{"op", "fill"}, {"to", ref("workspace", 0, 512)}, {"bytes", 64}, {"word", 0x3f800000}},
                   {{"op", "fill"}, {"to", ref("workspace")}, {"bytes", 3}, {"byte", 255}}};
  return plan;
}

static LaunchPlan parse(const Json &json) {
  std::string text = json.dump();
  return parseLaunchPlan(text.data(), text.size());
}

/// The message, or "" where the plan is accepted.
static std::string getError(const std::string &text) {
  try {
    parseLaunchPlan(text.data(), text.size());
    return "";
  } catch (const Error &error) {
    EXPECT_EQ(error.getStatus(), FXRT_INVALID_PLAN);
    return error.what();
  }
}

TEST(LaunchPlan, ReadsEveryField) {
  LaunchPlan plan = parse(makeFullPlan());
  EXPECT_EQ(plan.name, "test");
  EXPECT_EQ(plan.chip, "sm_90a");
  ASSERT_EQ(plan.inputs.size(), 3u);
  EXPECT_EQ(plan.inputs[0].strides, (std::vector<int64_t>{16, 1}));
  EXPECT_EQ(plan.inputs[0].bytes, 512u);
  EXPECT_EQ(plan.inputs[0].align, 16u);
  EXPECT_FALSE(plan.inputs[0].mutated);
  EXPECT_TRUE(plan.inputs[1].mutated);
  EXPECT_EQ(plan.inputs[2].dtype, DType::BF16);
  EXPECT_EQ(plan.constants[1].offset, 2048u);
  EXPECT_EQ(plan.workspaceBytes, 4096u);
  EXPECT_EQ(plan.libraryWorkspaceBytes, 1024u);
  EXPECT_FALSE(plan.allowTF32);
  ASSERT_EQ(plan.steps.size(), 6u);

  const KernelStep &kernel = std::get<KernelStep>(plan.steps[0].body);
  EXPECT_EQ(plan.steps[0].location, "model.py:12");
  EXPECT_EQ(plan.describeStep(0), "step 0 (kernel 'k0', model.py:12)");
  EXPECT_EQ(kernel.sharedBytes, 1024u);
  EXPECT_EQ(kernel.cluster[0], 2u);
  EXPECT_TRUE(kernel.programmatic);
  ASSERT_EQ(kernel.args.size(), 8u);
  EXPECT_EQ(std::get<BufferRef>(kernel.args[1]).offset, 256u);
  EXPECT_EQ(std::get<ScalarArg>(kernel.args[2]).bits, 0xfffffffbu);
  EXPECT_EQ(std::get<ScalarArg>(kernel.args[3]).bits, uint64_t(1) << 40);
  EXPECT_EQ(std::get<ScalarArg>(kernel.args[4]).bits, 0x3f000000u);
  double infinity;
  std::memcpy(&infinity, &std::get<ScalarArg>(kernel.args[5]).bits, 8);
  EXPECT_TRUE(std::isinf(infinity) && infinity < 0);
  EXPECT_EQ(std::get<PointerTable>(kernel.args[6]).buffers.size(), 2u);
  EXPECT_EQ(std::get<TensorMapSpec>(kernel.args[7]).swizzle, 2);

  const MatmulStep &matmul = std::get<MatmulStep>(plan.steps[1].body);
  EXPECT_EQ(matmul.lda, 16u);
  EXPECT_EQ(matmul.ldb, 32u);
  EXPECT_EQ(matmul.ldd, 32u);
  EXPECT_EQ(matmul.strideA, 128u);
  EXPECT_EQ(matmul.epilogue, Epilogue::GeluTanhBias);
  EXPECT_EQ(matmul.dtypeBias, DType::F32);
  EXPECT_EQ(matmul.c.kind, BufferKind::Output);

  const ConvStep &conv = std::get<ConvStep>(plan.steps[2].body);
  EXPECT_EQ(conv.outputShape, (std::vector<int64_t>{2, 6, 4, 4}));
  EXPECT_EQ(conv.padding, (std::vector<int64_t>{0, 0}));
  EXPECT_FALSE(conv.hasBias);

  EXPECT_EQ(std::get<CopyStep>(plan.steps[3].body).bytes, 512u);
  EXPECT_TRUE(std::get<FillStep>(plan.steps[4].body).is32Bit);
  EXPECT_EQ(std::get<FillStep>(plan.steps[5].body).pattern, 255u);
}

TEST(LaunchPlan, KeepsNanAndNegativeZero) {
  Json plan = makeFullPlan();
  plan["steps"][0]["args"][4]["value"] = "nan";
  plan["steps"][0]["args"][5]["value"] = -0.0;
  LaunchPlan parsed = parse(plan);
  const KernelStep &kernel = std::get<KernelStep>(parsed.steps[0].body);
  uint32_t bits = static_cast<uint32_t>(std::get<ScalarArg>(kernel.args[4]).bits);
  float value;
  std::memcpy(&value, &bits, 4);
  EXPECT_TRUE(std::isnan(value));
  EXPECT_EQ(std::get<ScalarArg>(kernel.args[5]).bits, uint64_t(1) << 63);
}

TEST(LaunchPlan, AlignmentOfAnAddressIsThatOfBaseAndOffset) {
  LaunchPlan plan = parse(makeFullPlan());
  EXPECT_EQ(plan.getAlignment({BufferKind::Workspace, 0, 0}), 256u);
  EXPECT_EQ(plan.getAlignment({BufferKind::Workspace, 0, 96}), 32u);
  EXPECT_EQ(plan.getAlignment({BufferKind::Workspace, 0, 1024}), 256u);
  EXPECT_EQ(plan.getAlignment({BufferKind::Input, 0, 1024}), 16u);
  EXPECT_EQ(plan.getAlignment({BufferKind::Input, 0, 2}), 2u);
}

TEST(LaunchPlan, ZeroSizesAndScalarsAreTensorsToo) {
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("empty", "f32", {0, 5}, 4), tensor("scalar", "i64", {}, 8)};
  LaunchPlan parsed = parse(plan);
  EXPECT_EQ(parsed.inputs[0].bytes, 0u);
  EXPECT_EQ(parsed.inputs[0].strides, (std::vector<int64_t>{5, 1}));
  EXPECT_EQ(parsed.inputs[1].bytes, 8u);
  EXPECT_TRUE(parsed.inputs[1].strides.empty());
}

TEST(LaunchPlan, StridedTensorsCoverTheirExtent) {
  Json plan = emptyPlan();
  Json strided = tensor("t", "f16", {3, 4}, 2);
  strided["strides"] = {1, 3};
  strided["bytes"] = 24;
  Json expanded = tensor("e", "f16", {3, 4}, 2);
  expanded["strides"] = {0, 1};
  expanded["bytes"] = 8;
  plan["inputs"] = {strided, expanded};
  EXPECT_EQ(parse(plan).inputs[1].bytes, 8u);
}

TEST(LaunchPlan, TextThatIsNoJson) {
  EXPECT_EQ(getError(""), "launch plan: not valid JSON at line 1, column 1");
  EXPECT_EQ(getError("{\n  \"name\": }"), "launch plan: not valid JSON at line 2, column 11");
  // Deep nesting must not exhaust the stack.
  EXPECT_NE(getError(std::string(1000000, '[')), "");
  EXPECT_NE(getError(std::string("{\"a\": \"\xff\xfe\"}")), "");
  EXPECT_EQ(getError("[]"), "launch plan: plan: expected an object but got an "
                            "array of 0");
  EXPECT_EQ(getError("null"), "launch plan: plan: expected an object but got null");
}

TEST(LaunchPlan, NullText) { EXPECT_THROW(parseLaunchPlan(nullptr, 0), Error); }

namespace {
/// Sets (or, where value is discarded, removes) one place of the full plan.
struct Malformed {
  const char *pointer;
  Json value;
  const char *message;
};
} // namespace

static const Json removed = Json(Json::value_t::discarded);

static const Malformed malformed[] = {
    // The plan itself.
    {"/fxgraph-plan", removed, "plan: missing field 'fxgraph-plan'"},
    {"/fxgraph-plan", 2,
     "plan.fxgraph-plan: expected version 1 but got 2: use the runtime of the "
     "compiler that wrote the plan"},
    {"/fxgraph-plan", "1", "plan.fxgraph-plan: expected a non-negative integer but got \"1\""},
    {"/name", removed, "plan: missing field 'name'"},
    {"/name", 3, "plan.name: expected a string but got 3"},
    {"/chip", "gfx90a", "plan.chip: expected a chip such as 'sm_90a', or 'any', but got 'gfx90a'"},
    {"/chip", "sm_", "plan.chip: expected a chip such as 'sm_90a', or 'any', but got 'sm_'"},
    {"/chip", "sm_9x", "plan.chip: expected a chip such as 'sm_90a', or 'any', but got 'sm_9x'"},
    {"/extra", 1, "plan: unknown field 'extra'"},
    {"/inputs", Json::object(), "plan.inputs: expected an array but got an object"},
    {"/workspace_bytes", removed, "plan: missing field 'workspace_bytes'"},
    {"/workspace_bytes", -1, "plan.workspace_bytes: expected a non-negative integer but got -1"},
    {"/workspace_bytes", 1.5, "plan.workspace_bytes: expected a non-negative integer but got 1.5"},
    {"/workspace_bytes", uint64_t(1) << 63,
     "plan.workspace_bytes: expected an integer from 0 to 4611686018427387904 "
     "but got 9223372036854775808"},
    {"/error_word", 2,
     "plan.error_word: expected 4 bytes of the workspace, at a multiple of 4, but got offset 2 of 4096 bytes"},
    {"/error_word", 4096,
     "plan.error_word: expected 4 bytes of the workspace, at a multiple of 4, but got offset 4096 of 4096 bytes"},
    {"/allow_tf32", 1, "plan.allow_tf32: expected true or false but got 1"},
    {"/steps", removed, "plan: missing field 'steps'"},
    // Tensors and constants.
    {"/inputs/0", 7, "plan.inputs[0]: expected an object but got 7"},
    {"/inputs/0/dtype", "float", "plan.inputs[0].dtype: unknown dtype 'float'"},
    {"/inputs/0/shape", {8, -1}, "plan.inputs[0].shape[1]: expected a non-negative integer but got -1"},
    {"/inputs/0/shape", {int64_t(1) << 40, int64_t(1) << 40}, "plan.inputs[0]: the sizes overflow 62 bits"},
    {"/inputs/0/strides", {1}, "plan.inputs[0]: expected 2 strides but got 1"},
    {"/inputs/0/strides", {-16, 1}, "plan.inputs[0].strides[0]: expected a non-negative integer but got -16"},
    {"/inputs/0/bytes", 511,
     "plan.inputs[0]: expected bytes to be 512, as dtype, shape and strides "
     "say, but got 511"},
    {"/inputs/0/align", 3, "plan.inputs[0]: expected align to be a power of two but got 3"},
    {"/inputs/0/align", 0, "plan.inputs[0].align: expected an integer from 1 to 1048576 but got 0"},
    {"/outputs/0/mutated", true, "plan.outputs[0]: unknown field 'mutated'"},
    {"/constants/0/bytes", "2048",
     "plan.constants[0].bytes: expected a non-negative integer but got "
     "\"2048\""},
    // References.
    {"/steps/0/args/0/index", 3, "plan.steps[0].args[0]: index 3 is out of range: there are 3 inputs"},
    {"/steps/0/args/0/index", removed, "plan.steps[0].args[0]: missing field 'index'"},
    {"/steps/0/args/0/kind", "inputs",
     "plan.steps[0].args[0].kind: expected one of 'input', 'output', "
     "'workspace', 'constant', 'i32', 'i64', 'f32', 'f64', 'pointers', "
     "'tensor_map' but got 'inputs'"},
    {"/steps/0/args/1/index", 1, "plan.steps[0].args[1].index: expected an integer from 0 to 0 but got 1"},
    {"/steps/0/args/1/offset", 4097, "plan.steps[0].args[1]: offset 4097 lies beyond the buffer of 4096 bytes"},
    // Kernels.
    {"/steps/0/op", "kernle",
     "plan.steps[0].op: expected one of 'kernel', 'matmul', 'conv', 'copy', "
     "'fill', 'collective', 'wait', 'branch', 'loop' but got 'kernle'"},
    {"/steps/0/name", "", "plan.steps[0]: expected a kernel name but got an empty string"},
    {"/steps/0/gird", 1, "plan.steps[0]: unknown field 'gird'"},
    {"/steps/0/grid", {1, 1}, "plan.steps[0].grid: expected 3 sizes but got 2"},
    {"/steps/0/grid",
     {1, 65536, 1},
     "plan.steps[0].grid[1]: expected an integer from 0 to 65535 but got "
     "65536"},
    {"/steps/0/block", {0, 1, 1}, "plan.steps[0].block[0]: expected an integer from 1 to 1024 but got 0"},
    {"/steps/0/block", {512, 4, 1}, "plan.steps[0]: expected at most 1024 threads per block but got 2048"},
    {"/steps/0/cluster",
     {3, 1, 1},
     "plan.steps[0]: expected the grid to be a multiple of the cluster but got "
     "4 and 3"},
    {"/steps/0/cluster", {4, 4, 2}, "plan.steps[0]: expected at most 16 blocks per cluster but got 32"},
    {"/steps/0/programmatic", "yes", "plan.steps[0].programmatic: expected true or false but got \"yes\""},
    {"/steps/0/args/2/value", int64_t(1) << 32,
     "plan.steps[0].args[2].value: expected a 32-bit integer but got "
     "4294967296"},
    {"/steps/0/args/2/value", 1.5, "plan.steps[0].args[2].value: expected a 32-bit integer but got 1.5"},
    {"/steps/0/args/4/value", "infinity",
     "plan.steps[0].args[4].value: expected a number, \"inf\", \"-inf\" or "
     "\"nan\" but got \"infinity\""},
    {"/steps/0/args/4/value", 1e300, "plan.steps[0].args[4].value: the value exceeds f32"},
    {"/steps/0/args/6/buffers", Json::array(), "plan.steps[0].args[6]: expected at least one buffer"},
    {"/steps/0/args/7/dims",
     {16, 9},
     "plan.steps[0].args[7].buffers[0]: needs 576 bytes but the buffer has 512 "
     "from offset 0 on"},
    {"/steps/0/args/7/strides_bytes",
     {60},
     "plan.steps[0].args[7]: expected strides_bytes to be multiples of 16 but "
     "got 60"},
    {"/steps/0/args/7/box", {16}, "plan.steps[0].args[7]: expected 2 box sizes but got 1"},
    {"/steps/0/args/7/swizzle", "256b",
     "plan.steps[0].args[7].swizzle: expected one of 'none', '32b', '64b', "
     "'128b' but got '256b'"},
    {"/inputs/0/align", 8,
     "plan.steps[0].args[7].buffers[0]: a tensor map needs an address known to "
     "be a multiple of 16 bytes"},
    // Matrix products.
    {"/steps/1/m", 9,
     "plan.steps[1].a: needs 576 bytes but the buffer has 512 from offset 0 "
     "on"},
    {"/steps/1/dtype", "i8",
     "plan.steps[1]: expected dtype and dtype_out to be f32, f64, f16 or bf16 "
     "alike, or f16 or bf16 to f32, but got i8 to i8"},
    {"/steps/1/dtype_out", "bf16",
     "plan.steps[1]: expected dtype and dtype_out to be f32, f64, f16 or bf16 "
     "alike, or f16 or bf16 to f32, but got f32 to bf16"},
    {"/steps/1/dtype_bias", "bf16", "plan.steps[1]: expected dtype_bias to be f32 but got bf16"},
    {"/steps/1/lda", 15,
     "plan.steps[1].lda: expected a leading dimension of at least 16 but got "
     "15"},
    {"/steps/1/epilogue", "gelu_bias",
     "plan.steps[1].epilogue: 'gelu_bias' is ambiguous: cuBLASLt has the tanh "
     "form only; write 'gelu_tanh_bias' if that is meant"},
    {"/steps/1/epilogue", "tanh",
     "plan.steps[1].epilogue: expected one of 'none', 'bias', 'relu', "
     "'relu_bias', 'gelu_tanh', 'gelu_tanh_bias' but got 'tanh'"},
    {"/steps/1/epilogue", "none", "plan.steps[1]: bias has no effect: the epilogue has none"},
    {"/steps/1/bias", removed, "plan.steps[1]: missing field 'bias'"},
    {"/steps/1/bias/offset", 200,
     "plan.steps[1].bias: needs 128 bytes but the buffer has 56 from offset "
     "200 on"},
    {"/steps/1/a/offset", 2,
     "plan.steps[1].a: needs 512 bytes but the buffer has 510 from offset 2 "
     "on"},
    {"/steps/1/d", ref("constant", 0), "plan.steps[1].d: a constant cannot be written"},
    {"/steps/1/ldc", 32, "plan.steps[1]: ldc and stride_c need c"},
    {"/steps/1/c", ref("output", 0), "plan.steps[1]: c has no effect: beta is 0"},
    {"/steps/1/k", 0,
     "plan.steps[1]: a matmul with k = 0 must have no epilogue and beta = 0: "
     "lower it to a kernel"},
    // Convolutions.
    {"/steps/2/dtype", "i8", "plan.steps[2]: expected dtype to be f32, f64, f16 or bf16 but got i8"},
    {"/steps/2/layout", "nchwc", "plan.steps[2].layout: expected one of 'nchw', 'nhwc' but got 'nchwc'"},
    {"/steps/2/input_shape", {2, 4}, "plan.steps[2]: expected input_shape to have 3 to 5 sizes but got 2"},
    {"/steps/2/filter_shape", {6, 2, 3}, "plan.steps[2]: expected filter_shape to have 4 sizes but got 3"},
    {"/steps/2/filter_shape",
     {6, 4, 3, 3},
     "plan.steps[2]: expected input_shape[1] to be filter_shape[1] times "
     "groups, 8, but got 4"},
    {"/steps/2/filter_shape",
     {5, 2, 3, 3},
     "plan.steps[2]: expected filter_shape[0] to be a multiple of groups but "
     "got 5 and 2"},
    {"/steps/2/stride",
     {0, 1},
     "plan.steps[2].stride[0]: expected an integer from 1 to "
     "4611686018427387904 but got 0"},
    {"/steps/2/stride", {1}, "plan.steps[2].stride: expected 2 sizes but got 1"},
    {"/steps/2/dilation",
     {5, 1},
     "plan.steps[2]: the filter's window of 11 exceeds the padded input in "
     "spatial dimension 0"},
    {"/steps/2/stride",
     {1, 1},
     "plan.steps[2].output: needs 1176 bytes but the buffer has 384 from "
     "offset 0 on"},
    {"/steps/2/activation", "gelu", "plan.steps[2].activation: expected one of 'none', 'relu' but got 'gelu'"},
    // Copies and fills.
    {"/steps/3/to/index", 0, "plan.steps[3].to: input 0 cannot be written: it is not marked mutated"},
    {"/steps/3/bytes", 513,
     "plan.steps[3].from: needs 513 bytes but the buffer has 512 from offset 0 "
     "on"},
    {"/steps/3/from/index", 1, "plan.steps[3]: the source and the destination overlap"},
    {"/steps/4/bytes", 63, "plan.steps[4]: expected bytes to be a multiple of 4 but got 63"},
    {"/steps/4/to/offset", 514, "plan.steps[4].to: the address is not known to be a multiple of 4"},
    {"/steps/4/byte", 1, "plan.steps[4]: expected one of 'byte' and 'word'"},
    {"/steps/4/word", removed, "plan.steps[4]: expected one of 'byte' and 'word'"},
    {"/steps/5/byte", 256, "plan.steps[5].byte: expected an integer from 0 to 255 but got 256"},
};

TEST(LaunchPlan, EveryMalformedPlanIsRefusedWithItsMessage) {
  for (const Malformed &test : malformed) {
    Json plan = makeFullPlan();
    Json::json_pointer pointer(test.pointer);
    if (test.value.is_discarded())
      plan.at(pointer.parent_pointer()).erase(pointer.back());
    else
      plan[pointer] = test.value;
    EXPECT_EQ(getError(plan.dump()), std::string("launch plan: ") + test.message)
        << test.pointer << " = " << test.value;
  }
}

/// A loop in a branch; steps are numbered as they stand.
static Json makeDecisions() {
  Json copy = {{"op", "copy"}, {"from", ref("input")}, {"to", ref("output")}, {"bytes", 4}};
  Json fill = {{"op", "fill"}, {"to", ref("workspace")}, {"bytes", 1}, {"byte", 0}};
  Json loop = {{"op", "loop"}, {"condition", {fill}}, {"predicate", ref("workspace")}, {"body", {copy, copy}}};
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("x", "f32", {1}, 4), tensor("p", "i1", {}, 1)};
  plan["outputs"] = {tensor("y", "f32", {1}, 4)};
  plan["workspace_bytes"] = 1;
  plan["steps"] = {
      fill, {{"op", "branch"}, {"predicate", ref("input", 1)}, {"then", {loop, copy}}, {"else", Json::array()}}, copy};
  return plan;
}

TEST(LaunchPlan, StepsOfBranchesAndLoopsStandBehindThem) {
  std::string text = makeDecisions().dump();
  LaunchPlan plan = parseLaunchPlan(text.data(), text.size());
  ASSERT_EQ(plan.steps.size(), 8u);
  auto *branch = std::get_if<BranchStep>(&plan.steps[1].body);
  ASSERT_NE(branch, nullptr);
  EXPECT_EQ(branch->thenSteps, 5u);
  EXPECT_EQ(branch->otherwiseSteps, 0u);
  EXPECT_EQ(branch->predicate.index, 1u);
  auto *loop = std::get_if<LoopStep>(&plan.steps[2].body);
  ASSERT_NE(loop, nullptr);
  EXPECT_EQ(loop->conditionSteps, 1u);
  EXPECT_EQ(loop->bodySteps, 2u);
  EXPECT_EQ(plan.getNumInnerSteps(1), 5u);
  EXPECT_EQ(plan.getNumInnerSteps(3), 0u);
  EXPECT_EQ(plan.findDecision(), 1u);
  EXPECT_EQ(plan.describeStep(2), "step 2 (loop)");
}

TEST(LaunchPlan, MalformedBranchesAndLoopsAreRefused) {
  Json wait = {{"op", "wait"}, {"steps", {0}}};
  Json deep = Json::array();
  for (int i = 0; i < 66; ++i)
    deep = {{{"op", "branch"}, {"predicate", ref("workspace")}, {"then", deep}, {"else", Json::array()}}};
  const Malformed tests[] = {
      {"/steps/1/predicate", removed, "plan.steps[1]: missing field 'predicate'"},
      {"/steps/1/predicate/offset", 1, "plan.steps[1].predicate: needs 1 bytes but the buffer has 0 from offset 1 on"},
      {"/steps/1/else", removed, "plan.steps[1]: missing field 'else'"},
      {"/steps/1/then/1/bytes", 5, "plan.steps[1].then[1].from: needs 5 bytes but the buffer has 4 from offset 0 on"},
      {"/steps/1/otherwise", Json::array(), "plan.steps[1]: unknown field 'otherwise'"},
      {"/steps/1/else", Json::array({wait}), "plan.steps[1].else[0]: expected no collective in a branch or loop"},
      {"/steps/1/then/0/body", 3, "plan.steps[1].then[0].body: expected an array but got 3"},
      {"/steps/1/then/0/then", Json::array(), "plan.steps[1].then[0]: unknown field 'then'"},
  };
  for (const Malformed &test : tests) {
    Json plan = makeDecisions();
    Json::json_pointer pointer(test.pointer);
    if (test.value.is_discarded())
      plan.at(pointer.parent_pointer()).erase(pointer.back());
    else
      plan[pointer] = test.value;
    EXPECT_EQ(getError(plan.dump()), std::string("launch plan: ") + test.message) << test.pointer;
  }
  Json plan = makeDecisions();
  plan["steps"] = deep;
  EXPECT_NE(getError(plan.dump()).find("expected branches and loops at most 64 deep"), std::string::npos);
  plan = makeDecisions();
  plan["steps"][1]["then"][0]["body"] = plan["steps"][1]["then"][0]["condition"] = Json::array();
  EXPECT_EQ(getError(plan.dump()),
            "launch plan: plan.steps[1].then[0]: expected steps that may change the predicate but got none");
}

TEST(LaunchPlan, BatchOfOverlappingResultsIsRefused) {
  Json plan = emptyPlan();
  plan["inputs"] = {tensor("a", "f32", {2, 4, 4}, 4)};
  plan["outputs"] = {tensor("d", "f32", {2, 4, 4}, 4)};
  plan["steps"] = {{{"op", "matmul"},
                    {"m", 4},
                    {"n", 4},
                    {"k", 4},
                    {"batch", 2},
                    {"dtype", "f32"},
                    {"a", ref("input")},
                    {"b", ref("input")},
                    {"d", ref("output")}}};
  EXPECT_EQ(getError(plan.dump()), "");
  plan["steps"][0]["stride_d"] = 15;
  EXPECT_EQ(getError(plan.dump()), "launch plan: plan.steps[0]: stride_d makes the results of the "
                                   "batch overlap");
  // A shared operand is a batch stride of 0.
  plan["steps"][0]["stride_d"] = 16;
  plan["steps"][0]["stride_b"] = 0;
  EXPECT_EQ(getError(plan.dump()), "");
}
