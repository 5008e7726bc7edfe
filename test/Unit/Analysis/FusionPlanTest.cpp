// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fusion planner: what it promises of any plan, on random graphs; limits, copies,
// order by groups, refusals. How single graphs fuse: test/Backend/GPU/fusion-plan.mlir.

#include "fxgraph/Analysis/FusionPlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <random>

using namespace fxgraph;

namespace {
/// A parsed module of one function, and its plan.
struct Planned {
  MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  FailureOr<FusionPlan> plan = failure();
  std::string error;

  explicit Planned(const std::string &text, FusionOptions options = {}) {
    context.loadDialect<FxGraphDialect, mlir::func::FuncDialect>();
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      error += diagnostic.str();
      return success();
    });
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return;
    function = *module->getOps<mlir::func::FuncOp>().begin();
    plan = planFusion(function, options);
  }
};

/// The value whose memory a value is part of: itself if it has memory of its own.
Value baseOf(const FusionPlan &plan, Value value) {
  ValueStorage storage = plan.getStorage(value);
  return storage.kind == ValueStorage::Kind::Part ? storage.base : value;
}

/// Who has been computed so far: asks for memory, as the steps of a plan would.
class Availability {
public:
  explicit Availability(const FusionPlan &plan) : plan(plan) {}

  void add(Value value) { computed.insert(value); }

  /// Whether memory holds the value: it is an argument or a literal, a step stored it,
  /// or it is a view or a cat of what is there.
  bool has(Value value) {
    if (computed.contains(value) || isa<mlir::BlockArgument>(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (plan.getStorage(value).kind == ValueStorage::Kind::Constant)
      return true;
    bool isMade = isa<ViewLikeOpInterface, SplitLikeOpInterface, CatLikeOpInterface>(op) &&
                  llvm::all_of(op->getOperands(), [&](Value operand) { return has(operand); });
    if (isMade)
      computed.insert(value);
    return isMade;
  }

private:
  const FusionPlan &plan;
  DenseSet<Value> computed;
};

/// Checks what every plan promises.
void check(const FusionPlan &plan, mlir::func::FuncOp function, const FusionOptions &options) {
  Availability available(plan);
  DenseSet<unsigned> kernels;
  std::vector<std::pair<Operation *, unsigned>> found;
  for (const FusionStep &step : plan.steps) {
    found.push_back({step.op, step.kernel});
    if (step.kind == FusionStep::Kind::Library) {
      for (Value operand : step.op->getOperands())
        EXPECT_TRUE(available.has(operand)) << "a library step reads what is not there";
      available.add(step.result);
      continue;
    }
    ASSERT_EQ(step.kind, FusionStep::Kind::Kernel);
    EXPECT_TRUE(kernels.insert(step.kernel).second) << "a kernel runs twice";
    const FusionKernel &kernel = *plan.kernels[step.kernel];
    EXPECT_FALSE(kernel.outputs.empty());
    EXPECT_LE(kernel.nodes.size(), options.maxNodes);
    DenseSet<Value> loads;
    for (auto [number, node] : llvm::enumerate(kernel.nodes)) {
      for (unsigned operand : node.operands)
        EXPECT_LT(operand, kernel.nodes.size());
      if (node.kind != KernelNode::Kind::Load)
        continue;
      EXPECT_TRUE(available.has(node.value)) << "a kernel reads what is not there";
      EXPECT_EQ(node.index.size(), static_cast<size_t>(cast<RankedTensorType>(node.value.getType()).getRank()));
      loads.insert(baseOf(plan, node.value));
    }
    EXPECT_LE(loads.size(), options.maxLoads);
    for (const KernelOutput &output : kernel.outputs) {
      EXPECT_LT(output.node, kernel.nodes.size());
      available.add(output.value);
    }
  }
  EXPECT_EQ(kernels.size(), plan.kernels.size()) << "a kernel never runs";
  llvm::sort(found);
  EXPECT_TRUE(std::adjacent_find(found.begin(), found.end()) == found.end()) << "a step comes twice";

  // Results: in memory, and no two in the same unless one of them is copied.
  Operation *terminator = function.getBody().front().getTerminator();
  ASSERT_EQ(plan.results.size(), terminator->getNumOperands());
  ASSERT_EQ(plan.resultIsCopy.size(), terminator->getNumOperands());
  DenseSet<Value> bases;
  for (auto [value, isCopy] : llvm::zip_equal(plan.results, plan.resultIsCopy)) {
    EXPECT_TRUE(available.has(value)) << "a result is not there";
    Value base = baseOf(plan, value);
    bool isArgument = isa<mlir::BlockArgument>(base);
    if (isArgument || !bases.insert(base).second) {
      EXPECT_TRUE(isCopy) << "a result shares memory with an argument or another result";
    }
  }
}

/// A graph of 8x8 matrices: pointwise ops, reductions, views, pieces, cats, products.
std::string randomGraph(std::mt19937 &random) {
  const char *type = "tensor<8x8xf32>";
  std::vector<std::string> values = {"%x", "%y", "%z"};
  std::string body;
  unsigned count = 1 + random() % 14;
  for (unsigned i = 0; i < count; ++i) {
    auto pick = [&] {
      return values[random() % 4 ? values.size() - 1 - random() % std::min<size_t>(values.size(), 4)
                                 : random() % values.size()];
    };
    std::string r = "%v" + std::to_string(i), t = "%t" + std::to_string(i), a = pick(), b = pick();
    std::string binary = std::string(": (") + type + ", " + type + ") -> " + type + "\n";
    std::string unary = std::string(": (") + type + ") -> " + type + "\n";
    switch (random() % 9) {
    case 0:
      body += r + " = fxgraph.tanh " + a + " : " + type + "\n";
      break;
    case 1:
      body += r + " = fxgraph.add " + a + ", " + b + " " + binary;
      break;
    case 2:
      body += r + " = fxgraph.mm " + a + ", " + b + " " + binary;
      break;
    case 3:
      body += r + " = fxgraph.permute " + a + " dims [1, 0] " + unary;
      break;
    case 4:
      body += t + " = fxgraph.sum " + a + " dims [1] keepdim true : (" + type + ") -> tensor<8x1xf32>\n";
      body += r + " = fxgraph.sub " + b + ", " + t + " : (" + type + ", tensor<8x1xf32>) -> " + type + "\n";
      break;
    case 5:
      body += t + ":2 = fxgraph.split " + a + " size 4 dim 0 : (" + type + ") -> (tensor<4x8xf32>, tensor<4x8xf32>)\n";
      body +=
          r + " = fxgraph.cat " + t + "#1, " + t + "#0 dim 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> " + type + "\n";
      break;
    case 6:
      body += t + " = fxgraph.cat " + a + ", " + b + " dim 1 : (" + type + ", " + type + ") -> tensor<8x16xf32>\n";
      body += r + " = fxgraph.slice " + t + " dim 1 from 3 to 11 : (tensor<8x16xf32>) -> " + type + "\n";
      break;
    case 7:
      body += r + " = fxgraph.softmax " + a + " dim " + (random() % 2 ? "1 " : "0 ") + unary;
      break;
    default:
      body += r + " = fxgraph.relu " + a + " : " + type + "\n";
      break;
    }
    values.push_back(r);
  }
  std::string results, types;
  for (unsigned k = 1 + random() % 3; k > 0; --k) {
    results +=
        (results.empty() ? "" : ", ") + values[values.size() - 1 - random() % std::min<size_t>(values.size(), 3)];
    types += std::string(types.empty() ? "" : ", ") + type;
  }
  return "func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %z: tensor<8x8xf32>) -> (" + types + ") {\n" +
         body + "return " + results + " : " + types + "\n}\n";
}
} // namespace

TEST(FusionPlan, RandomGraphs) {
  std::mt19937 random(11);
  size_t kernels = 0, steps = 0;
  for (int round = 0; round < 300; ++round) {
    std::string text = randomGraph(random);
    SCOPED_TRACE(text);
    FusionOptions options;
    options.libraryMatmul = random() % 3 != 0;
    if (random() % 4 == 0)
      options.maxNodes = 12;
    if (random() % 4 == 0)
      options.maxLoads = 2;
    Planned planned(text, options);
    ASSERT_TRUE(planned.module) << planned.error;
    ASSERT_TRUE(succeeded(planned.plan)) << planned.error;
    check(*planned.plan, planned.function, options);
    kernels += planned.plan->kernels.size();
    steps += planned.plan->steps.size();
    if (HasFailure())
      return;
  }
  EXPECT_GT(kernels, 300u);
  EXPECT_GT(steps, kernels);
}

TEST(FusionPlan, Empty) {
  Planned planned("func.func @main() { return }");
  ASSERT_TRUE(succeeded(planned.plan)) << planned.error;
  EXPECT_TRUE(planned.plan->steps.empty());
}

TEST(FusionPlan, ResultsThatShareMemoryAreCopied) {
  Planned planned(
      "func.func @main(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<2x4xf32>) {"
      "%0 = fxgraph.tanh %x : tensor<4x2xf32>\n"
      "%1 = fxgraph.permute %0 dims [1, 0] : (tensor<4x2xf32>) -> tensor<2x4xf32>\n"
      "return %x, %0, %0, %1 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<2x4xf32> }");
  ASSERT_TRUE(succeeded(planned.plan)) << planned.error;
  EXPECT_EQ(planned.plan->kernels.size(), 1u);
  EXPECT_EQ(planned.plan->resultIsCopy[0], true);
  EXPECT_EQ(planned.plan->resultIsCopy[1], false);
  EXPECT_EQ(planned.plan->resultIsCopy[2], true);
}

TEST(FusionPlan, LimitOfNodesCutsAChain) {
  std::string body, last = "%x";
  for (int i = 0; i < 100; ++i) {
    std::string next = "%v" + std::to_string(i);
    body += next + " = fxgraph.tanh " + last + " : tensor<8xf32>\n";
    last = next;
  }
  std::string text =
      "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n" + body + "return " + last + " : tensor<8xf32> }";
  Planned whole(text);
  ASSERT_TRUE(succeeded(whole.plan)) << whole.error;
  EXPECT_EQ(whole.plan->kernels.size(), 1u);
  FusionOptions options;
  options.maxNodes = 10;
  Planned cut(text, options);
  ASSERT_TRUE(succeeded(cut.plan)) << cut.error;
  EXPECT_GE(cut.plan->kernels.size(), 10u);
  check(*cut.plan, cut.function, options);
}

TEST(FusionPlan, Refusals) {
  Planned dynamic("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {"
                  "%0 = fxgraph.tanh %x : tensor<?xf32>\n return %0 : tensor<?xf32> }");
  EXPECT_TRUE(failed(dynamic.plan));
  EXPECT_FALSE(dynamic.error.empty());
  // All ops without a form, in one message.
  Planned unknown("func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {"
                  "%0 = fxgraph.opaque \"aten.first.default\"(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"
                  "%1 = fxgraph.rand : tensor<4xf32>\n"
                  "return %0, %1 : tensor<4xf32>, tensor<4xf32> }");
  EXPECT_TRUE(failed(unknown.plan));
  EXPECT_NE(unknown.error.find("not supported on gpu: 2"), std::string::npos) << unknown.error;
}
