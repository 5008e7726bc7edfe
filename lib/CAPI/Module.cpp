// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules: text, bytecode, functions, passes.

#include "Internal.h"
#include "fxgraph/Backend/Signature.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "fxgraph/Reference/RewriteVerifier.h"
#include "fxgraph/Support/OptionFile.h"
#include "fxgraph/Support/Report.h"
#include "fxgraph/Support/StagedFile.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <chrono>
#include <map>

using namespace fxgraph;
using namespace fxgraph::capi;

/// Programs run a few pipelines again and again; those that make texts up keep no more than these.
static constexpr unsigned kPipelinesKept = 16;

FxGraphModule::~FxGraphModule() {
  if (!state)
    return;
  std::lock_guard<std::recursive_mutex> lock(state->mutex);
  if (state->crashed)
    module.release();
  else
    module = nullptr;
}

//===----------------------------------------------------------------------===//
// Making, printing, storing
//===----------------------------------------------------------------------===//

/// The handle of a module that `make` builds on a context.
static FxGraphModule *makeModule(const std::shared_ptr<ContextState> &state, StringRef otherwise,
                                 function_ref<mlir::OwningOpRef<mlir::ModuleOp>(MLIRContext *)> make) {
  auto result = std::make_unique<FxGraphModule>();
  result->state = state;
  bool fine = call(*state, otherwise, [&] {
    result->module = make(state->context.get());
    return static_cast<bool>(result->module);
  });
  return fine ? result.release() : nullptr;
}

FxGraphModule *fxgraphModuleCreate(FxGraphContext *context) {
  return makeModule(context->state, "", [](MLIRContext *mlirContext) {
    mlirContext->loadDialect<FxGraphDialect, mlir::func::FuncDialect>();
    return mlir::OwningOpRef<mlir::ModuleOp>(mlir::ModuleOp::create(mlir::UnknownLoc::get(mlirContext)));
  });
}

FxGraphModule *fxgraphModuleParse(FxGraphContext *context, const char *text, size_t length, const char *name) {
  return makeModule(context->state, "expected MLIR text or bytecode", [&](MLIRContext *mlirContext) {
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(StringRef(text, length), name ? name : "<memory>"),
                               llvm::SMLoc());
    return mlir::parseSourceFile<mlir::ModuleOp>(sources, mlirContext);
  });
}

FxGraphModule *fxgraphModuleClone(FxGraphModule *module) {
  return makeModule(module->state, "",
                    [&](MLIRContext *) { return mlir::OwningOpRef<mlir::ModuleOp>(module->module->clone()); });
}

void fxgraphModuleDestroy(FxGraphModule *module) { delete module; }

MlirModule fxgraphModuleGetMlir(FxGraphModule *module) { return wrap(*module->module); }

void fxgraphModuleLock(FxGraphModule *module) { module->state->mutex.lock(); }
void fxgraphModuleUnlock(FxGraphModule *module) { module->state->mutex.unlock(); }

static void print(FxGraphModule *module, int flags, raw_ostream &os) {
  mlir::OpPrintingFlags printing;
  if (flags & FXGRAPH_PRINT_LOCATIONS)
    printing.enableDebugInfo();
  if (flags & FXGRAPH_PRINT_GENERIC)
    printing.printGenericOpForm();
  module->module->print(os, printing);
  os << "\n";
}

char *fxgraphModulePrint(FxGraphModule *module, int flags) {
  std::string text;
  bool fine = call(*module->state, "", [&] {
    llvm::raw_string_ostream os(text);
    print(module, flags, os);
    return true;
  });
  return fine ? copyString(text) : nullptr;
}

char *fxgraphModuleBytecode(FxGraphModule *module, size_t *length) {
  std::string bytes;
  bool fine = call(*module->state, "the module cannot be written as bytecode", [&] {
    llvm::raw_string_ostream os(bytes);
    return succeeded(mlir::writeBytecodeToFile(*module->module, os));
  });
  *length = fine ? bytes.size() : 0;
  return fine ? copyString(bytes) : nullptr;
}

int fxgraphModuleSave(FxGraphModule *module, const char *path, int bytecode) {
  std::string reason;
  auto write = [&]() -> llvm::Error {
    llvm::Expected<StagedFile> file = StagedFile::create(path);
    if (!file)
      return file.takeError();
    if (!bytecode)
      print(module, FXGRAPH_PRINT_LOCATIONS, file->os());
    else if (failed(mlir::writeBytecodeToFile(*module->module, file->os())))
      return llvm::createStringError("the module cannot be written as bytecode");
    return file->commit();
  };
  bool fine = call(*module->state, "", [&] {
    if (llvm::Error error = write())
      reason = llvm::toString(std::move(error));
    return reason.empty();
  });
  if (!reason.empty())
    setError(reason);
  return !fine;
}

int fxgraphModuleVerify(FxGraphModule *module) {
  return !call(*module->state, "the module is not valid", [&] { return succeeded(mlir::verify(*module->module)); });
}

char *fxgraphModuleOpCounts(FxGraphModule *module) {
  std::string text;
  bool fine = call(*module->state, "", [&] {
    std::map<StringRef, int64_t> counts;
    module->module->walk([&](Operation *op) { ++counts[op->getName().getStringRef()]; });
    llvm::raw_string_ostream os(text);
    llvm::json::OStream json(os);
    json.object([&] {
      for (const auto &[name, count] : counts)
        json.attribute(name, count);
    });
    return true;
  });
  return fine ? copyString(text) : nullptr;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

struct FxGraphFunction {
  explicit FxGraphFunction(mlir::func::FuncOp function) : signature(function) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto kind = function.getArgAttrOfType<StringAttr>(i, FxGraphDialect::kKindAttr);
      kinds.push_back(kind ? kind.str() : "");
    }
  }
  Signature signature;
  std::vector<std::string> kinds;
};

FxGraphFunction *fxgraphModuleGetFunction(FxGraphModule *module, const char *name) {
  std::unique_ptr<FxGraphFunction> result;
  std::string otherwise = "expected a function '" + std::string(name) + "' but the module has none of this name";
  bool fine = call(*module->state, otherwise, [&] {
    auto function = module->module->lookupSymbol<mlir::func::FuncOp>(name);
    if (function)
      result = std::make_unique<FxGraphFunction>(function);
    return static_cast<bool>(function);
  });
  return fine ? result.release() : nullptr;
}

void fxgraphFunctionDestroy(FxGraphFunction *function) { delete function; }
const FxGraphInfo *fxgraphFunctionGetInfo(FxGraphFunction *function) { return &function->signature.getInfo(); }
const char *fxgraphFunctionGetKind(FxGraphFunction *function, int argument) {
  bool known = argument >= 0 && static_cast<size_t>(argument) < function->kinds.size();
  return known ? function->kinds[argument].c_str() : "";
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {
/// The module before the passes, and behind each that changed it.
class GraphRecorder : public mlir::PassInstrumentation {
public:
  struct Graph {
    std::string pass;
    std::map<std::string, int64_t> counters;
    std::string text;
  };

  GraphRecorder(mlir::ModuleOp module, Report &report) : module(module), report(report), last(module) {
    graphs.push_back({"", {}, print()});
  }

  void runAfterPass(mlir::Pass *pass, Operation *) override {
    mlir::OperationFingerPrint now(module);
    if (pass->getArgument().empty() || now == last)
      return;
    last = now;
    Graph graph{pass->getArgument().str(), {}, print()};
    std::map<std::string, int64_t> counters = report.getCounters();
    for (const auto &[name, count] : counters)
      if (auto it = counted.find(name); it == counted.end() || it->second != count)
        graph.counters[name] = count - (it == counted.end() ? 0 : it->second);
    counted = std::move(counters);
    graphs.push_back(std::move(graph));
  }

  void write(llvm::json::OStream &json) const {
    json.attributeArray("graphs", [&] {
      for (const Graph &graph : graphs)
        json.object([&] {
          json.attribute("pass", graph.pass);
          json.attributeObject("counters", [&] {
            for (const auto &[name, count] : graph.counters)
              json.attribute(name, count);
          });
          json.attribute("graph", graph.text);
        });
    });
  }

private:
  std::string print() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    return text;
  }

  mlir::ModuleOp module;
  Report &report;
  mlir::OperationFingerPrint last;
  std::map<std::string, int64_t> counted;
  std::vector<Graph> graphs;
};
} // namespace

/// Cuts a pipeline at its outermost commas. Quoted text is one piece.
static SmallVector<StringRef> splitPipeline(StringRef text) {
  SmallVector<StringRef> parts;
  int depth = 0;
  size_t begin = 0;
  char quote = 0;
  for (auto [i, c] : llvm::enumerate(text)) {
    if (quote) {
      quote = c == quote ? 0 : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '{') {
      ++depth;
    } else if (c == ')' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      parts.push_back(text.slice(begin, i));
      begin = i + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// Adds one element of a pipeline; a pass over functions is nested by itself, as
/// the flags of mlir-opt do it.
static LogicalResult addElement(mlir::PassManager &pm, StringRef element, raw_ostream &os) {
  mlir::OpPassManager probe;
  if (failed(mlir::parsePassPipeline(element, probe, os)))
    return failure();
  bool onFunction = llvm::any_of(
      probe.getPasses(), [](mlir::Pass &pass) { return pass.getOpName() == mlir::func::FuncOp::getOperationName(); });
  return mlir::parsePassPipeline(onFunction ? ("func.func(" + element + ")").str() : element.str(), pm, os);
}

static LogicalResult buildPipeline(mlir::PassManager &pm, StringRef text, std::string &reason) {
  llvm::raw_string_ostream os(reason);
  text = text.trim();
  if (text.consume_front("builtin.module(") && !text.consume_back(")")) {
    os << "expected ')' at the end of the pipeline";
    return failure();
  }
  SmallVector<StringRef> elements = splitPipeline(text);
  for (StringRef element : elements) {
    if (elements.size() > 1 && element.trim().empty()) {
      os << "expected a pass on both sides of each comma in '" << text << "'";
      return failure();
    }
    if (failed(addElement(pm, element.trim(), os)))
      return failure();
  }
  return success();
}

/// A pipeline whose passes are initialised: compiling their patterns takes longer than running them on a small graph.
struct capi::Pipeline {
  /// Wall time of each pass, in the order they ran; nested runs are summed.
  class Timer : public mlir::PassInstrumentation {
  public:
    using Clock = std::chrono::steady_clock;
    void runBeforePass(mlir::Pass *, Operation *) override { starts.push_back(Clock::now()); }
    void runAfterPass(mlir::Pass *pass, Operation *) override {
      double spent = std::chrono::duration<double>(Clock::now() - starts.back()).count();
      starts.pop_back();
      StringRef name = pass->getArgument();
      if (name.empty()) // The adaptor that runs passes on nested functions.
        return;
      auto [it, isNew] = index.try_emplace(name.str(), seconds.size());
      if (isNew)
        seconds.emplace_back(name.str(), 0.0);
      seconds[it->second].second += spent;
    }
    void runAfterPassFailed(mlir::Pass *, Operation *) override { starts.pop_back(); }

    /// What was measured since the last call.
    std::vector<std::pair<std::string, double>> take() {
      index.clear();
      return std::exchange(seconds, {});
    }

  private:
    std::vector<std::pair<std::string, double>> seconds;
    std::vector<Clock::time_point> starts;
    std::map<std::string, size_t> index;
  };

  explicit Pipeline(MLIRContext *context) : manager(context, mlir::ModuleOp::getOperationName()) {
    auto owned = std::make_unique<Timer>();
    timer = owned.get();
    manager.addInstrumentation(std::move(owned));
  }

  mlir::PassManager manager;
  Timer *timer;
  /// Passes have read rules or configurations in files, which may change while the text stays.
  bool readsFiles = false;
};

/// The pipeline of this text, which is the context's no longer: one that fails or crashes is not run again. Null if the text is none.
static std::shared_ptr<Pipeline> take(ContextState &state, StringRef text, std::string &reason) {
  if (auto it = state.pipelines.find(text); it != state.pipelines.end()) {
    std::shared_ptr<Pipeline> known = std::move(it->second);
    state.pipelines.erase(it);
    return known;
  }
  auto made = std::make_shared<Pipeline>(state.context.get());
  OptionFileReads reads;
  if (failed(buildPipeline(made->manager, text, reason)))
    return nullptr;
  made->readsFiles = reads.any();
  return made;
}

/// Keeps a pipeline that has run without failure for the next module of the context.
static void giveBack(ContextState &state, StringRef text, std::shared_ptr<Pipeline> pipeline) {
  if (pipeline->readsFiles)
    return;
  if (state.pipelines.size() >= kPipelinesKept)
    state.pipelines.clear();
  state.pipelines[text] = std::move(pipeline);
}

static bool runPipeline(ContextState &state, mlir::ModuleOp module, const FxGraphPassOptions &options,
                        std::string &result, std::string &reason, std::vector<Report::Event> &events) {
  MLIRContext *context = module.getContext();
  // Passes report, and are verified, under their context.
  context->loadDialect<FxGraphDialect>();
  std::shared_ptr<Pipeline> pipeline = take(state, options.pipeline, reason);
  if (!pipeline)
    return false;
  mlir::PassManager &pm = pipeline->manager;
  pipeline->timer->take();
  VerifyRewritesOptions &verification = VerifyRewritesOptions::get(context);
  verification.enabled = options.verifyRewrites;
  Report &report = Report::get(context);
  report.clear();
  report.setRecordEvents(true);
  GraphRecorder *graphs = nullptr;
  bool threads = context->isMultithreadingEnabled();
  auto restore = llvm::make_scope_exit([&] { context->disableMultithreading(!threads); });
  if (options.graphs) {
    // What is printed must not change under another thread.
    context->disableMultithreading();
    auto recorder = std::make_unique<GraphRecorder>(module, report);
    graphs = recorder.get();
    pm.addInstrumentation(std::move(recorder));
  }
  auto start = Pipeline::Timer::Clock::now();
  OptionFileReads reads;
  std::vector<std::string> warnings;
  mlir::ScopedDiagnosticHandler listener(context, [&](mlir::Diagnostic &diag) {
    if (diag.getSeverity() == mlir::DiagnosticSeverity::Warning)
      warnings.push_back(formatDiagnostic(diag));
    return failure(); // goes on to whoever else listens
  });
  if (failed(pm.run(module)) || failed(report.writePending(reason)))
    return false;
  pipeline->readsFiles |= reads.any();
  double seconds = std::chrono::duration<double>(Pipeline::Timer::Clock::now() - start).count();
  llvm::raw_string_ostream os(result);
  llvm::json::OStream json(os);
  json.object([&] {
    report.writeCounters(json);
    events = report.takeEvents();
    json.attribute("rewrites", llvm::count_if(events, [](const Report::Event &event) { return event.applied; }));
    json.attributeArray("warnings", [&] {
      for (const std::string &warning : warnings)
        json.value(warning);
    });
    if (graphs)
      graphs->write(json);
    if (!options.eventsApart) {
      json.attributeBegin("events");
      Report::writeEvents(json, std::exchange(events, {}));
      json.attributeEnd();
    }
    json.attribute("seconds", seconds);
    json.attributeArray("passes", [&] {
      for (const auto &entry : pipeline->timer->take())
        json.object([&] {
          json.attribute("pass", entry.first);
          json.attribute("seconds", entry.second);
        });
    });
  });
  report.clear();
  // A recorder of graphs stays with its manager, and belongs to this run.
  if (!graphs)
    giveBack(state, options.pipeline, std::move(pipeline));
  return true;
}

char *fxgraphModuleRunPasses(FxGraphModule *module, const FxGraphPassOptions *options) {
  std::string result, reason;
  if (call(*module->state, "the pipeline failed",
           [&] { return runPipeline(*module->state, *module->module, *options, result, reason, module->events); }))
    return copyString(result);
  // What the parser of pipelines says is no diagnostic.
  if (!reason.empty())
    setError(StringRef(reason).trim().str());
  return nullptr;
}

char *fxgraphModuleTakeEvents(FxGraphModule *module) {
  std::string text;
  bool fine = call(*module->state, "", [&] {
    llvm::raw_string_ostream os(text);
    llvm::json::OStream json(os);
    Report::writeEvents(json, std::exchange(module->events, {}));
    return true;
  });
  return fine ? copyString(text) : nullptr;
}
