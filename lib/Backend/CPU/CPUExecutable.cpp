// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target `cpu`: the object file of a graph, linked in memory by LLVM's ORC.

#include "Runtime/CPURuntime.h"
#include "fxgraph/Backend/CPU.h"
#include "fxgraph/Backend/Executable.h"
#include "fxgraph/Backend/ProcessorSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

using namespace fxgraph;

namespace {
/// Independent of the module and its context once it is made.
class CPUExecutable : public Executable {
public:
  ~CPUExecutable() override { fxcpu_release(&program); }

  static FailureOr<std::unique_ptr<Executable>> create(mlir::func::FuncOp entry, const CPUCodeGenOptions &options,
                                                       uint64_t seed) {
    FailureOr<SmallVector<char, 0>> object =
        emitObject(entry->getParentOfType<mlir::ModuleOp>(), entry.getName(), options);
    if (failed(object))
      return failure();
    auto executable = std::make_unique<CPUExecutable>();
    if (llvm::Error error = executable->link(*object))
      return entry.emitError() << "linking in memory failed: " << executable->reported
                               << llvm::toString(std::move(error));
    executable->program.seed = seed;
    return std::unique_ptr<Executable>(std::move(executable));
  }

  const FxGraphInfo &getInfo() const override { return program.info; }
  int64_t getWorkspaceBytes() const override { return program.workspaceBytes; }

  FxStatus run(ArrayRef<FxTensorDesc> inputs, MutableArrayRef<FxTensorDesc> outputs, const FxRunOptions &options,
               std::string &error) override {
    int status = fxcpu_run(&program, inputs.data(), inputs.size(), outputs.data(), outputs.size(), &options);
    if (status != FX_OK)
      error = fxcpu_last_error();
    return static_cast<FxStatus>(status);
  }

private:
  llvm::Error link(ArrayRef<char> object) {
    // It links and generates no code: what this processor has need not be found out.
    llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
    auto created =
        llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(llvm::orc::JITTargetMachineBuilder(triple)).create();
    if (!created)
      return created.takeError();
    jit = std::move(*created);
    // What is missing is reported aside: it becomes part of the one error.
    jit->getExecutionSession().setErrorReporter(
        [this](llvm::Error error) { reported += llvm::toString(std::move(error)) + "; "; });
    llvm::orc::JITDylib &library = jit->getMainJITDylib();
    auto process =
        llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(jit->getDataLayout().getGlobalPrefix());
    if (!process)
      return process.takeError();
    llvm::orc::SymbolMap symbols;
    auto define = [&](StringRef name, auto *function) {
      symbols[jit->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                                             llvm::JITSymbolFlags::Exported};
    };
    define("fxcpu_fail", &fxcpu_fail);
    define("fxcpu_output", &fxcpu_output);
    define("fxcpu_alloc", &fxcpu_alloc);
    define("fxcpu_dealloc", &fxcpu_dealloc);
    define("fxcpu_scratch", &fxcpu_scratch);
    define("fxcpu_parallel", &fxcpu_parallel);
    define("fxcpu_sort", &fxcpu_sort);
    define("fxcpu_random", &fxcpu_random);
    define("fxcpu_random_integers", &fxcpu_random_integers);
    defineProcessorSymbols(define);
    if (llvm::Error error = library.define(llvm::orc::absoluteSymbols(std::move(symbols))))
      return error;
    library.addGenerator(std::move(*process));
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(StringRef(object.data(), object.size()), "fxgraph.o");
    if (llvm::Error error = jit->addObjectFile(std::move(buffer)))
      return error;
    auto find = [&](StringRef name, auto &pointer) -> llvm::Error {
      auto address = jit->lookup(name);
      if (!address)
        return address.takeError();
      pointer = address->toPtr<std::remove_reference_t<decltype(pointer)>>();
      return llvm::Error::success();
    };
    const int64_t *workspace = nullptr;
    if (llvm::Error error = find("fxgraph_meta", program.meta))
      return error;
    if (llvm::Error error = find("fxgraph_names", program.names))
      return error;
    if (llvm::Error error = find("fxgraph_workspace_bytes", workspace))
      return error;
    if (llvm::Error error = find("fxgraph_entry", program.entry))
      return error;
    program.workspaceBytes = *workspace;
    if (fxcpu_load(&program) != FX_OK)
      return llvm::createStringError(fxcpu_last_error());
    return llvm::Error::success();
  }

  /// What the linker said on the way to an error.
  std::string reported;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  FxCpuProgram program = {};
};
} // namespace

/// More than any machine has processors.
static constexpr unsigned kMaxThreads = 1024;

/// Settings of `--target-option`.
static LogicalResult readSettings(mlir::ModuleOp module, const ExecutableOptions &options, CPUCodeGenOptions &result) {
  for (auto &[key, value] : options.settings) {
    unsigned number;
    if (key != "threads") {
      if (failed(readCPUSetting(module, key, value, result)))
        return failure();
      continue;
    }
    if (StringRef(value).getAsInteger(10, number) || number < 1 || number > kMaxThreads)
      return mlir::emitError(module.getLoc())
             << "expected a setting threads=1 to " << kMaxThreads << " but got 'threads=" << value << "'";
    fxcpu_set_threads(number);
  }
  return success();
}

void fxgraph::setCPUThreads(int count) { fxcpu_set_threads(count); }

void fxgraph::registerCPUTarget() {
  registerTarget(
      "cpu", [](mlir::func::FuncOp entry, const ExecutableOptions &options) -> FailureOr<std::unique_ptr<Executable>> {
        CPUCodeGenOptions codegen;
        if (failed(readSettings(entry->getParentOfType<mlir::ModuleOp>(), options, codegen)))
          return failure();
        return CPUExecutable::create(entry, codegen, options.seed);
      });
}
