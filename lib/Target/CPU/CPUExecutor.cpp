// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target `cpu`: the object file of a graph, linked in memory by LLVM's ORC.

#include "Runtime/CPURuntime.h"
#include "fxgraph/Conversion/LinalgToCPU.h"
#include "fxgraph/Target/CPU.h"
#include "fxgraph/Target/Executor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"
#include <chrono>

using namespace fxgraph;

/// The tensor's number in the runtime, 0 for what it does not have.
static int32_t runtimeDtype(Type type) {
  if (type.isF32())
    return FX_F32;
  if (type.isF64())
    return FX_F64;
  if (type.isF16())
    return FX_F16;
  if (type.isBF16())
    return FX_BF16;
  if (type.isUnsignedInteger(8))
    return FX_U8;
  if (type.isInteger(1))
    return FX_BOOL;
  if (type.isInteger(8))
    return FX_I8;
  if (type.isInteger(16))
    return FX_I16;
  if (type.isInteger(32))
    return FX_I32;
  return type.isInteger(64) || type.isIndex() ? FX_I64 : 0;
}

/// Bytes of a tensor and their description.
namespace {
struct Packed {
  std::vector<char> bytes;
  FxTensorDesc descriptor;
};

class CPUExecutor : public Executor {
public:
  explicit CPUExecutor(mlir::func::FuncOp function) : function(function) {}
  ~CPUExecutor() override {
    if (jit)
      fxcpu_release(&program);
  }

  LogicalResult compile(mlir::ModuleOp module, const CPUCodeGenOptions &options) {
    for (Type type : function.getResultTypes())
      resultTypes.push_back(type.isIndex() ? type : cast<RankedTensorType>(type).getElementType());
    FailureOr<SmallVector<char, 0>> object = emitObject(module, function.getName(), options);
    if (failed(object))
      return failure();
    if (llvm::Error error = link(*object))
      return function.emitError() << "linking in memory failed: " << reported << llvm::toString(std::move(error));
    return success();
  }

  LogicalResult run(ArrayRef<Tensor> inputs, SmallVectorImpl<Tensor> &outputs,
                    SmallVectorImpl<MutatedArgument> &mutated) override {
    std::vector<Packed> packed = pack(inputs);
    std::vector<FxTensorDesc> in, out;
    if (failed(execute(packed, in, out)))
      return failure();
    outputs.clear();
    for (auto [type, descriptor] : llvm::zip_equal(resultTypes, out)) {
      if (type.isIndex()) {
        outputs.push_back(Tensor::index(type.getContext(), *static_cast<const int64_t *>(descriptor.data)));
        continue;
      }
      ArrayRef<int64_t> shape(descriptor.sizes, descriptor.rank);
      int64_t bytes = countElements(shape) * getElementBytes(type);
      outputs.push_back(Tensor::fromBytes(type, shape, ArrayRef(static_cast<const char *>(descriptor.data), bytes)));
    }
    release(out);
    mutated.clear();
    const int64_t *meta = program.meta + 3;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (meta[2 + meta[1]] >= 0) {
        ArrayRef<int64_t> shape(in[i].sizes, in[i].rank);
        mutated.push_back(
            {static_cast<unsigned>(i), Tensor::fromBytes(inputs[i].getElementType(), shape, packed[i].bytes)});
      }
      meta += 3 + meta[1];
    }
    return success();
  }

  FailureOr<BenchResult> bench(ArrayRef<Tensor> inputs, unsigned iterations) override {
    std::vector<Packed> packed = pack(inputs);
    std::vector<FxTensorDesc> in, out;
    if (failed(execute(packed, in, out))) // Warm-up; leaves the outputs' memory for all runs.
      return failure();
    BenchResult result;
    for (unsigned i = 0; i < iterations; ++i) {
      auto start = std::chrono::steady_clock::now();
      int status = fxcpu_run(&program, in.data(), in.size(), out.data(), out.size());
      result.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      if (status != FX_OK) {
        release(out);
        return reportFailure();
      }
    }
    release(out);
    return result;
  }

private:
  static std::vector<Packed> pack(ArrayRef<Tensor> inputs) {
    std::vector<Packed> packed(inputs.size());
    for (auto [tensor, to] : llvm::zip_equal(inputs, packed)) {
      to.bytes.resize(tensor.getByteSize());
      tensor.toBytes(to.bytes);
      to.descriptor = {};
      to.descriptor.data = to.bytes.data();
      to.descriptor.dtype = runtimeDtype(tensor.getElementType());
      to.descriptor.rank = tensor.getRank();
      llvm::copy(tensor.getShape(), to.descriptor.sizes);
      llvm::copy(tensor.getStrides(), to.descriptor.strides);
    }
    return packed;
  }

  LogicalResult execute(std::vector<Packed> &packed, std::vector<FxTensorDesc> &in, std::vector<FxTensorDesc> &out) {
    for (Packed &input : packed)
      in.push_back(input.descriptor);
    out.resize(resultTypes.size());
    for (FxTensorDesc &output : out)
      output = {};
    if (fxcpu_run(&program, in.data(), in.size(), out.data(), out.size()) == FX_OK)
      return success();
    return reportFailure();
  }

  /// The runtime's error, at the op that it speaks of: its message begins with the place.
  LogicalResult reportFailure() {
    StringRef message = fxcpu_last_error();
    std::optional<Location> place;
    function->getParentOfType<mlir::ModuleOp>().walk([&](Operation *op) {
      std::string text = describePlace(op->getLoc());
      if (text.empty() || !message.consume_front(text))
        return mlir::WalkResult::advance();
      place = op->getLoc();
      return mlir::WalkResult::interrupt();
    });
    return mlir::emitError(place.value_or(function.getLoc())) << (place ? "" : "the graph failed: ") << message;
  }

  static void release(std::vector<FxTensorDesc> &out) {
    for (FxTensorDesc &output : out)
      std::free(output.data);
  }

  llvm::Error link(ArrayRef<char> object) {
    auto created = llvm::orc::LLJITBuilder().create();
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
#if defined(__x86_64__)
    define("__truncsfbf2", &fxcpu_truncsfbf2);
#endif
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
    return llvm::Error::success();
  }

  mlir::func::FuncOp function;
  SmallVector<Type> resultTypes;
  std::string reported;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  FxCpuProgram program = {};
};
} // namespace

/// More than any machine has processors.
static constexpr unsigned kMaxThreads = 1024;

/// Settings of `--target-option`.
static LogicalResult readSettings(mlir::ModuleOp module, const ExecutorOptions &options, CPUCodeGenOptions &result) {
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

void fxgraph::registerCpuExecutor() {
  registerExecutor("cpu",
                   [](mlir::ModuleOp module, StringRef entry,
                      const ExecutorOptions &options) -> FailureOr<std::unique_ptr<Executor>> {
                     CPUCodeGenOptions codegen;
                     if (failed(readSettings(module, options, codegen)))
                       return failure();
                     auto function = module.lookupSymbol<mlir::func::FuncOp>(entry);
                     if (!function)
                       return mlir::emitError(module.getLoc())
                              << "expected a function '" << entry << "' but the module has none of this name";
                     auto executor = std::make_unique<CPUExecutor>(function);
                     if (failed(executor->compile(module, codegen)))
                       return failure();
                     return std::unique_ptr<Executor>(std::move(executor));
                   });
}
