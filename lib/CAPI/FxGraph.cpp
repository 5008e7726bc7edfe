// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/CAPI/FxGraph.h"
#include "fxgraph/InitAll.h"
#include "fxgraph/Support/Report.h"
#include "fxgraph/Version.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>

using namespace fxgraph;

struct FxGraphContext {
  mlir::MLIRContext context;
};

struct FxGraphModule {
  FxGraphContext *context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

static thread_local std::string lastError;

static char *copyString(StringRef text) {
  char *copy = static_cast<char *>(malloc(text.size() + 1));
  if (!copy)
    return nullptr;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = 0;
  return copy;
}

namespace {
/// Collects the errors of one call as text, "file:line:column: error: …".
class ErrorCollector {
public:
  explicit ErrorCollector(MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diag) {
          if (diag.getSeverity() != mlir::DiagnosticSeverity::Error)
            return success();
          llvm::raw_string_ostream os(text);
          os << (text.empty() ? "" : "\n");
          if (auto place = diag.getLocation()->findInstanceOf<mlir::FileLineColLoc>())
            os << place.getFilename().getValue() << ":" << place.getLine() << ":" << place.getColumn() << ": ";
          else if (!isa<mlir::UnknownLoc>(diag.getLocation()))
            os << diag.getLocation() << ": ";
          os << "error: " << diag.str();
          for (mlir::Diagnostic &note : diag.getNotes())
            os << "\n  note: " << note.str();
          return success();
        }) {
    lastError.clear();
  }
  /// Text of the errors, or `otherwise` if there was none.
  void publish(StringRef otherwise) { lastError = text.empty() ? otherwise.str() : text; }

private:
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

/// Wall time of each pass, in the order they ran; nested runs are summed.
class PassTimer : public mlir::PassInstrumentation {
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
  void runAfterPassFailed(mlir::Pass *pass, Operation *op) override { starts.pop_back(); }

  std::vector<std::pair<std::string, double>> seconds;

private:
  std::vector<Clock::time_point> starts;
  std::map<std::string, size_t> index;
};
} // namespace

const char *fxgraphGetVersion(void) { return FXGRAPH_VERSION_STRING; }
const char *fxgraphGetError(void) { return lastError.c_str(); }
void fxgraphFreeString(char *string) { free(string); }

FxGraphContext *fxgraphContextCreate(void) {
  static std::once_flag once;
  std::call_once(once, [] {
    mlir::registerAllPasses();
    fxgraph::registerAllPasses();
  });
  auto *result = new FxGraphContext();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  fxgraph::registerAllDialects(registry);
  result->context.appendDialectRegistry(registry);
  // Called from a host program with threads of its own.
  result->context.disableMultithreading();
  return result;
}

void fxgraphContextDestroy(FxGraphContext *context) { delete context; }

FxGraphModule *fxgraphModuleParse(FxGraphContext *context, const char *text, unsigned long length, const char *name) {
  ErrorCollector errors(&context->context);
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(StringRef(text, length), name ? name : "<memory>"),
                               llvm::SMLoc());
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(sourceMgr, &context->context);
  if (!module) {
    errors.publish("expected MLIR text or bytecode");
    return nullptr;
  }
  return new FxGraphModule{context, std::move(module)};
}

FxGraphModule *fxgraphModuleClone(FxGraphModule *module) {
  return new FxGraphModule{module->context, module->module->clone()};
}

void fxgraphModuleDestroy(FxGraphModule *module) { delete module; }

char *fxgraphModulePrint(FxGraphModule *module, int debugInfo) {
  std::string text;
  llvm::raw_string_ostream os(text);
  mlir::OpPrintingFlags flags;
  if (debugInfo)
    flags.enableDebugInfo();
  module->module->print(os, flags);
  os << "\n";
  return copyString(text);
}

int fxgraphModuleSave(FxGraphModule *module, const char *path, int bytecode) {
  ErrorCollector errors(&module->context->context);
  std::string temporary = std::string(path) + ".tmp";
  std::error_code code;
  {
    llvm::raw_fd_ostream os(temporary, code);
    if (!code) {
      if (bytecode) {
        if (failed(mlir::writeBytecodeToFile(*module->module, os)))
          code = std::make_error_code(std::errc::io_error);
      } else {
        module->module->print(os, mlir::OpPrintingFlags().enableDebugInfo());
        os << "\n";
      }
      os.close();
      if (os.has_error()) {
        code = os.error();
        os.clear_error();
      }
    }
  }
  if (!code)
    code = llvm::sys::fs::rename(temporary, path);
  if (!code)
    return 0;
  llvm::sys::fs::remove(temporary);
  errors.publish("cannot write '" + std::string(path) + "': " + code.message());
  return 1;
}

int fxgraphModuleVerify(FxGraphModule *module) {
  ErrorCollector errors(&module->context->context);
  if (succeeded(mlir::verify(*module->module)))
    return 0;
  errors.publish("the module is not valid");
  return 1;
}

char *fxgraphModuleOpCounts(FxGraphModule *module) {
  std::map<std::string, int64_t> counts;
  module->module->walk([&](Operation *op) { ++counts[op->getName().getStringRef().str()]; });
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] {
    for (const auto &[name, count] : counts)
      json.attribute(name, count);
  });
  return copyString(text);
}

/// Cuts a pipeline at its outermost commas.
static SmallVector<StringRef> splitPipeline(StringRef text) {
  SmallVector<StringRef> parts;
  int depth = 0;
  size_t begin = 0;
  for (auto [i, c] : llvm::enumerate(text)) {
    if (c == '(' || c == '{') {
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

char *fxgraphModuleRunPasses(FxGraphModule *module, const char *pipeline, int verifyRewrites) {
  MLIRContext *context = &module->context->context;
  ErrorCollector errors(context);
  mlir::PassManager pm(context, mlir::ModuleOp::getOperationName());
  std::string message;
  llvm::raw_string_ostream os(message);
  // Both "builtin.module(…)" and a bare list are accepted, as in mlir-opt.
  StringRef text = StringRef(pipeline).trim();
  if (text.consume_front("builtin.module(") && !text.consume_back(")")) {
    errors.publish("expected ')' at the end of the pipeline");
    return nullptr;
  }
  for (StringRef element : splitPipeline(text)) {
    if (failed(addElement(pm, element.trim(), os))) {
      errors.publish(message);
      return nullptr;
    }
  }
  auto timer = std::make_unique<PassTimer>();
  PassTimer *times = timer.get();
  pm.addInstrumentation(std::move(timer));

  Report &report = Report::get(context);
  report.clear();
  report.setRecordEvents(true);
  auto start = PassTimer::Clock::now();
  LogicalResult status = pm.run(*module->module);
  double seconds = std::chrono::duration<double>(PassTimer::Clock::now() - start).count();
  if (failed(status)) {
    errors.publish("the pipeline failed");
    return nullptr;
  }
  std::string reportText;
  llvm::raw_string_ostream reportStream(reportText);
  report.writeJSON(reportStream);
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(reportText);
  if (!value) {
    errors.publish(llvm::toString(value.takeError()));
    return nullptr;
  }
  llvm::json::Object &object = *value->getAsObject();
  object["seconds"] = seconds;
  llvm::json::Array passes;
  for (const auto &[name, spent] : times->seconds)
    passes.push_back(llvm::json::Object{{"pass", name}, {"seconds", spent}});
  object["passes"] = std::move(passes);
  std::string result;
  llvm::raw_string_ostream(result) << *value;
  return copyString(result);
}
