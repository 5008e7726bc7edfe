// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that crash: the call fails with a text, its context is refused from then on,
// and everything else goes on.

#include "fxgraph/CAPI/FxGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemAlloc.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FXGRAPH_TEST_SANITIZED 1
#endif
#endif
#ifndef FXGRAPH_TEST_SANITIZED
#define FXGRAPH_TEST_SANITIZED 0
#endif

namespace {

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

void writeToNull() {
  int *volatile nowhere = nullptr;
  *nowhere = 1;
}

LLVM_ATTRIBUTE_NOINLINE int useStack(volatile int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : useStack(depth + 1) + frame[0];
}

/// Allocates until there is no more, within a limit that the process gets for it.
void useMemory() {
  rlimit limit, lower;
  getrlimit(RLIMIT_AS, &limit);
  lower = {rlim_t(1) << 32, limit.rlim_max}; // more than is in use now is enough
  for (;;) {
    setrlimit(RLIMIT_AS, &lower);
    void *volatile memory = ::operator new(size_t(64) << 20);
    (void)memory;
  }
}

struct Crash {
  const char *name;
  void (*run)();
  /// A piece of the error's text.
  const char *text;
  /// Sanitizers end the process here.
  bool plainOnly;
};

const Crash crashes[] = {
    {"null", writeToNull, "internal error: the call crashed: Segmentation fault", false},
    {"abort", [] { std::abort(); }, "internal error: the call crashed: Aborted", false},
    {"trap", [] { __builtin_trap(); }, "internal error: the call crashed: Illegal instruction", false},
    {"stack", [] { useStack(0); }, "internal error: the call crashed: Segmentation fault", true},
    {"one-allocation", [] { void *volatile memory = ::operator new(SIZE_MAX / 4); (void)memory; },
     "internal error: out of memory", true},
    {"allocations", useMemory, "internal error: out of memory", true},
    {"llvm-allocation", [] { void *volatile memory = llvm::safe_malloc(SIZE_MAX / 4); (void)memory; },
     "internal error: out of memory", true},
    {"exception", [] { (void)std::vector<int>(2).at(3); }, "internal error: vector::_M_range_check", false},
    {"fatal", [] { llvm::report_fatal_error("made up"); }, "internal error: made up", false},
    {"fatal-usage", [] { llvm::reportFatalUsageError("made up too"); }, "internal error: made up too", false},
};

template <typename OpT>
struct CrashPass : public mlir::PassWrapper<CrashPass<OpT>, mlir::OperationPass<OpT>> {
  CrashPass(const Crash &crash, std::string argument) : crash(crash), argument(std::move(argument)) {}
  llvm::StringRef getArgument() const override { return argument; }
  llvm::StringRef getDescription() const override { return "crashes"; }
  void runOnOperation() override {
    this->getOperation().emitError() << "before the crash";
    crash.run();
    this->signalPassFailure();
  }
  const Crash &crash;
  std::string argument;
};

void registerCrashes() {
  static const bool once = [] {
    for (const Crash &crash : crashes) {
      std::string name = std::string("test-crash-") + crash.name;
      mlir::registerPass([&crash, name] { return std::make_unique<CrashPass<mlir::ModuleOp>>(crash, name); });
      mlir::registerPass(
          [&crash, name] { return std::make_unique<CrashPass<mlir::func::FuncOp>>(crash, name + "-function"); });
    }
    return true;
  }();
  (void)once;
}

//===----------------------------------------------------------------------===//
// One context with all that hangs on it
//===----------------------------------------------------------------------===//

constexpr llvm::StringLiteral kGraph = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                                       "  %y = fxgraph.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
                                       "  return %y : tensor<2xf32>\n"
                                       "}\n";

FxGraphExecutable *compile(FxGraphModule *module, const char *target) {
  FxGraphCompileOptions options = {};
  options.target = target;
  return fxgraphModuleCompile(module, &options);
}

/// The status of a run; its result is checked.
int run(FxGraphExecutable *executable) {
  float x[2] = {1, 2}, y[2] = {0, 0};
  FxTensorDesc in = {x, FX_F32, 1, {2}, {1}}, out = {y, FX_F32, 1, {2}, {1}};
  int status = fxgraphExecutableRun(executable, &in, 1, &out, 1, nullptr);
  if (status == FX_OK) {
    EXPECT_EQ(y[0], 2);
    EXPECT_EQ(y[1], 4);
  }
  return status;
}

struct Handles {
  Handles()
      : context(fxgraphContextCreate()), module(fxgraphModuleParse(context, kGraph.data(), kGraph.size(), "graph.mlir")),
        clone(fxgraphModuleClone(module)), function(fxgraphModuleGetFunction(module, "main")),
        interpreter(compile(module, "ref")), native(compile(module, "cpu")) {}
  ~Handles() {
    fxgraphContextDestroy(context);
    fxgraphModuleDestroy(module);
    fxgraphModuleDestroy(clone);
    fxgraphFunctionDestroy(function);
    fxgraphExecutableDestroy(interpreter);
    fxgraphExecutableDestroy(native);
  }
  Handles(const Handles &) = delete;
  Handles &operator=(const Handles &) = delete;

  /// Runs a pipeline; whether it succeeded.
  bool runPasses(const std::string &pipeline) {
    FxGraphPassOptions options = {};
    options.pipeline = pipeline.c_str();
    char *report = fxgraphModuleRunPasses(module, &options);
    fxgraphFreeString(report);
    return report != nullptr;
  }

  FxGraphContext *context;
  FxGraphModule *module, *clone;
  FxGraphFunction *function;
  FxGraphExecutable *interpreter, *native;
};

void expectUsable(Handles &handles) {
  EXPECT_EQ(fxgraphContextHasCrashed(handles.context), 0);
  EXPECT_TRUE(handles.runPasses("canonicalize,fxgraph-pre-grad")) << fxgraphGetError();
  EXPECT_EQ(fxgraphModuleVerify(handles.module), 0);
  EXPECT_EQ(run(handles.interpreter), FX_OK) << fxgraphGetError();
  FxGraphExecutable *fresh = compile(handles.clone, "cpu");
  ASSERT_TRUE(fresh) << fxgraphGetError();
  EXPECT_EQ(run(fresh), FX_OK);
  fxgraphExecutableDestroy(fresh);
}

bool isRefused() {
  return std::string(fxgraphGetError()) == "a call on this context crashed before: expected another context";
}

void expectRefused(Handles &handles) {
  EXPECT_EQ(fxgraphContextHasCrashed(handles.context), 1);
  EXPECT_FALSE(handles.runPasses("canonicalize"));
  EXPECT_TRUE(isRefused()) << fxgraphGetError();
  EXPECT_FALSE(fxgraphModulePrint(handles.module, 0));
  EXPECT_TRUE(isRefused());
  size_t length = 7;
  EXPECT_FALSE(fxgraphModuleBytecode(handles.clone, &length));
  EXPECT_EQ(length, 0u);
  EXPECT_NE(fxgraphModuleVerify(handles.clone), 0);
  EXPECT_FALSE(fxgraphModuleClone(handles.clone));
  EXPECT_FALSE(fxgraphModuleOpCounts(handles.module));
  EXPECT_FALSE(fxgraphModuleGetFunction(handles.module, "main"));
  EXPECT_FALSE(fxgraphModuleCreate(handles.context));
  EXPECT_FALSE(fxgraphModuleParse(handles.context, kGraph.data(), kGraph.size(), nullptr));
  EXPECT_FALSE(compile(handles.clone, "cpu"));
  EXPECT_TRUE(isRefused());
  EXPECT_NE(fxgraphModuleSave(handles.module, "/tmp/fxgraph-never-written", 0), 0);
  EXPECT_TRUE(isRefused());
  // The interpreter works on the context; compiled code and what was read do not.
  EXPECT_EQ(run(handles.interpreter), FX_RUN_FAILED);
  EXPECT_TRUE(isRefused());
  EXPECT_EQ(run(handles.native), FX_OK);
  EXPECT_EQ(fxgraphFunctionGetInfo(handles.function)->inputCount, 1);
}

class CrashTest : public ::testing::TestWithParam<int> {
protected:
  void SetUp() override {
    if (getCrash().plainOnly && FXGRAPH_TEST_SANITIZED)
      GTEST_SKIP() << "sanitizers end the process";
    fxgraphContextDestroy(fxgraphContextCreate());
    registerCrashes();
    getrlimit(RLIMIT_AS, &limit);
  }
  void TearDown() override { setrlimit(RLIMIT_AS, &limit); }
  const Crash &getCrash() const { return crashes[GetParam()]; }
  std::string getPass() const { return std::string("test-crash-") + getCrash().name; }
  rlimit limit;
};

TEST_P(CrashTest, ContextIsRefusedAndOthersGoOn) {
  Handles crashing, other;
  EXPECT_FALSE(crashing.runPasses(getPass()));
  setrlimit(RLIMIT_AS, &limit);
  std::string text = fxgraphGetError();
  EXPECT_NE(text.find(getCrash().text), std::string::npos) << text;
  EXPECT_NE(text.find("its context cannot be used any more"), std::string::npos) << text;
  EXPECT_NE(text.find("error: before the crash\n"), std::string::npos) << text;
  expectRefused(crashing);
  expectUsable(other);
  Handles fresh;
  expectUsable(fresh);
}

TEST_P(CrashTest, BelowAnotherPass) {
  Handles crashing, other;
  EXPECT_FALSE(crashing.runPasses("canonicalize," + getPass() + "-function,cse"));
  setrlimit(RLIMIT_AS, &limit);
  EXPECT_NE(std::string(fxgraphGetError()).find(getCrash().text), std::string::npos) << fxgraphGetError();
  // From another thread too, which does not wait for what the crash held.
  std::thread([&] { expectRefused(crashing); }).join();
  expectUsable(other);
}

INSTANTIATE_TEST_SUITE_P(All, CrashTest, ::testing::Range(0, static_cast<int>(std::size(crashes))),
                         [](const ::testing::TestParamInfo<int> &info) {
                           std::string name = crashes[info.param].name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(CrashThreadsTest, CrashesBesideWork) {
  fxgraphContextDestroy(fxgraphContextCreate());
  registerCrashes();
  std::vector<std::thread> threads;
  for (int number = 0; number < 8; ++number)
    threads.emplace_back([number] {
      for (int round = 0; round < 3; ++round) {
        Handles handles;
        expectUsable(handles);
        if (number % 2)
          continue;
        EXPECT_FALSE(handles.runPasses("test-crash-null"));
        EXPECT_NE(std::string(fxgraphGetError()).find("Segmentation fault"), std::string::npos) << fxgraphGetError();
        expectRefused(handles);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// A parser that calls itself for each bracket uses its stack up.
TEST(CrashThreadsTest, DeepText) {
  if (FXGRAPH_TEST_SANITIZED)
    GTEST_SKIP() << "sanitizers end the process";
  Handles handles, other;
  std::string text = "module attributes {test.deep = " + std::string(1000000, '[');
  EXPECT_FALSE(fxgraphModuleParse(handles.context, text.data(), text.size(), "deep.mlir"));
  EXPECT_NE(std::string(fxgraphGetError()).find("internal error: the call crashed: Segmentation fault"), std::string::npos)
      << fxgraphGetError();
  expectRefused(handles);
  expectUsable(other);
}

/// A failing pass is no crash.
TEST(CrashThreadsTest, FailureIsNoCrash) {
  Handles handles;
  EXPECT_FALSE(handles.runPasses("canonicalize,no-such-pass"));
  expectUsable(handles);
}

} // namespace
