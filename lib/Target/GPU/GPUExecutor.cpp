// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The targets `gpu` (the device that is there) and `gpu-emulator` (the same plan
// and kernels, on the CPU): compile, load through the runtime, run.
//
// `gpu-emulator` runs the plan on the runtime's mock driver: the mock computes
// copies, products and convolutions, and the kernels are those of KernelEmulator.
//
// Settings (--target-option): chip=sm_90a, libraries=none|cublaslt|all,
// tf32=true|false, mock=FILE (libFxGraphMockDriver.so).

#include "Emulator.h"
#include "fxgraph/Runtime/FxGraphRuntime.h"
#include "fxgraph/Target/Executor.h"
#include "fxgraph/Target/GPU/Executor.h"
#include "fxgraph/Target/GPU/GPU.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace fxgraph;
using namespace fxgraph::gpu;

namespace {

using RegisterKernel = void (*)(const char *, void (*)(const unsigned[3], const unsigned[3], void **, void *), void *);

struct EmulatedKernel {
  const KernelEmulator *emulator;
  std::string name;
  static void run(const unsigned grid[3], const unsigned block[3], void **parameters, void *user) {
    auto *self = static_cast<EmulatedKernel *>(user);
    self->emulator->launch(self->name, grid, block, parameters);
  }
};

class GPUExecutor : public Executor {
public:
  GPUExecutor(mlir::func::FuncOp function) : function(function) {}
  ~GPUExecutor() override {
    fxrtDestroy(graph);
    for (const std::unique_ptr<EmulatedKernel> &kernel : emulated)
      registerKernel(kernel->name.c_str(), nullptr, nullptr);
  }
  LogicalResult run(ArrayRef<Tensor> inputs, SmallVectorImpl<Tensor> &outputs,
                    SmallVectorImpl<MutatedArgument> &mutated) override;
  FailureOr<BenchResult> bench(ArrayRef<Tensor> inputs, unsigned iterations) override;

  mlir::func::FuncOp function;
  FxrtGraph *graph = nullptr;
  std::unique_ptr<KernelEmulator> emulator;
  std::vector<std::unique_ptr<EmulatedKernel>> emulated;
  RegisterKernel registerKernel = nullptr;
};

} // namespace

static LogicalResult reportRuntime(mlir::func::FuncOp function, StringRef what) {
  return emitError(function.getLoc()) << what << ": " << fxrtLastError();
}

static std::vector<std::vector<char>> toBytes(ArrayRef<Tensor> tensors) {
  std::vector<std::vector<char>> bytes;
  for (const Tensor &tensor : tensors) {
    bytes.emplace_back(tensor.getByteSize());
    tensor.toBytes(bytes.back());
  }
  return bytes;
}

static SmallVector<void *> addresses(std::vector<std::vector<char>> &buffers) {
  SmallVector<void *> pointers;
  for (std::vector<char> &buffer : buffers)
    pointers.push_back(buffer.data());
  return pointers;
}

LogicalResult GPUExecutor::run(ArrayRef<Tensor> inputs, SmallVectorImpl<Tensor> &outputs,
                               SmallVectorImpl<MutatedArgument> &mutated) {
  std::vector<std::vector<char>> in = toBytes(inputs), out;
  for (Type type : function.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    out.emplace_back(Tensor(tensor.getElementType(), tensor.getShape()).getByteSize());
  }
  SmallVector<void *> inPointers = addresses(in), outPointers = addresses(out);
  if (fxrtRunHost(graph, inPointers.data(), inPointers.size(), outPointers.data(), outPointers.size()) != FXRT_OK)
    return reportRuntime(function, "the graph cannot run");
  outputs.clear();
  mutated.clear();
  for (auto [type, bytes] : llvm::zip_equal(function.getResultTypes(), out)) {
    auto tensor = cast<RankedTensorType>(type);
    outputs.push_back(Tensor::fromBytes(tensor.getElementType(), tensor.getShape(), bytes));
  }
  for (unsigned i = 0; i < inputs.size(); ++i) {
    FxrtTensorInfo info;
    if (fxrtGetInput(graph, i, &info) != FXRT_OK)
      return reportRuntime(function, "the graph cannot run");
    if (info.mutated)
      mutated.push_back({i, Tensor::fromBytes(inputs[i].getElementType(), inputs[i].getShape(), in[i])});
  }
  return success();
}

FailureOr<BenchResult> GPUExecutor::bench(ArrayRef<Tensor> inputs, unsigned iterations) {
  std::vector<std::vector<char>> in = toBytes(inputs);
  SmallVector<void *> inPointers, outPointers;
  void *workspace = nullptr;
  llvm::scope_exit release([&] {
    for (void *pointer : inPointers)
      fxrtFree(pointer);
    for (void *pointer : outPointers)
      fxrtFree(pointer);
    fxrtFree(workspace);
  });
  auto allocate = [&](size_t bytes, SmallVectorImpl<void *> &into) {
    void *pointer = nullptr;
    if (fxrtMalloc(&pointer, bytes) != FXRT_OK)
      return failure();
    into.push_back(pointer);
    return success();
  };
  for (std::vector<char> &bytes : in)
    if (failed(allocate(bytes.size(), inPointers)) ||
        fxrtCopyToDevice(inPointers.back(), bytes.data(), bytes.size(), nullptr) != FXRT_OK)
      return reportRuntime(function, "the graph cannot be timed");
  for (Type type : function.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (failed(allocate(Tensor(tensor.getElementType(), tensor.getShape()).getByteSize(), outPointers)))
      return reportRuntime(function, "the graph cannot be timed");
  }
  size_t workspaceBytes = 0;
  FxrtTiming timing;
  std::vector<float> samples(iterations);
  if (fxrtGetWorkspaceBytes(graph, &workspaceBytes) != FXRT_OK || fxrtMalloc(&workspace, workspaceBytes) != FXRT_OK ||
      fxrtTime(graph, inPointers.data(), inPointers.size(), outPointers.data(), outPointers.size(), workspace,
               workspaceBytes, nullptr, 3, iterations, FXRT_TIME_FLUSH_L2 | FXRT_TIME_CAPTURED, &timing,
               samples.data()) != FXRT_OK)
    return reportRuntime(function, "the graph cannot be timed");
  BenchResult result;
  for (float sample : samples)
    result.seconds.push_back(sample * 1e-3);
  return result;
}

/// Finds the mock beside the running program (or where `mock=` says) and makes
/// it the process's driver.
static FailureOr<RegisterKernel> useMock(mlir::func::FuncOp function, StringRef setting) {
  llvm::SmallString<256> file(setting);
  if (file.empty()) {
    file = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
    llvm::sys::path::remove_filename(file);
    llvm::sys::path::append(file, "..", "lib", "libFxGraphMockDriver.so");
  }
  if (!llvm::sys::fs::exists(file))
    return emitError(function.getLoc()) << "gpu-emulator: '" << file
                                        << "' does not exist; name libFxGraphMockDriver.so with mock=FILE";
  std::string problem;
  llvm::sys::DynamicLibrary library = llvm::sys::DynamicLibrary::getPermanentLibrary(file.c_str(), &problem);
  if (!library.isValid())
    return emitError(function.getLoc()) << "gpu-emulator: " << problem;
  auto entry = reinterpret_cast<RegisterKernel>(library.getAddressOfSymbol("fxgraphMockRegisterKernel"));
  if (!entry)
    return emitError(function.getLoc()) << "gpu-emulator: '" << file << "' is no mock driver";
  for (const char *name : {"FXGRAPH_CUDA_DRIVER", "FXGRAPH_CUBLASLT", "FXGRAPH_CUDNN"})
    ::setenv(name, file.c_str(), /*overwrite=*/1);
  return entry;
}

static FailureOr<std::unique_ptr<Executor>> createGPUExecutor(mlir::ModuleOp module, StringRef entry,
                                                              const ExecutorOptions &options, bool emulate) {
  auto function = module.lookupSymbol<mlir::func::FuncOp>(entry);
  if (!function)
    return emitError(module.getLoc()) << "expected a function '" << entry << "' but the module has none of this name";
  mlir::DialectRegistry registry;
  registerGPUDialects(registry);
  MLIRContext *context = module.getContext();
  context->appendDialectRegistry(registry);
  context->loadAllAvailableDialects();
  GPUOptions gpuOptions;
  std::string mock;
  bool chipGiven = false;
  for (const auto &[key, value] : options.settings) {
    if (key == "chip") {
      gpuOptions.chip = value;
      chipGiven = true;
    } else if (key == "libraries" && (value == "none" || value == "cublaslt" || value == "all")) {
      gpuOptions.libraries = value == "none" ? Libraries::None : value == "all" ? Libraries::All : Libraries::CublasLt;
    } else if (key == "tf32" && (value == "true" || value == "false")) {
      gpuOptions.allowTF32 = value == "true";
    } else if (key == "mock" && emulate) {
      mock = value;
    } else {
      return emitError(function.getLoc())
             << "expected a setting chip=…, libraries=none|cublaslt|all or tf32=true|false but got '" << key << "="
             << value << "'";
    }
  }
  auto executor = std::make_unique<GPUExecutor>(function);
  if (emulate) {
    FailureOr<RegisterKernel> found = useMock(function, mock);
    if (failed(found))
      return failure();
    executor->registerKernel = *found;
  }
  // Compiled for the device that is there.
  FxrtDeviceInfo device;
  if (fxrtGetDeviceInfo(-1, &device) != FXRT_OK)
    return reportRuntime(function, "no GPU to run on");
  if (!chipGiven) {
    std::string chip = device.chip;
    gpuOptions.chip = isKnownChip(chip + "a") ? chip + "a" : chip;
  }
  FailureOr<GPUProgram> program = emitGPUProgram(function, gpuOptions);
  if (failed(program))
    return failure();
  std::string image;
  for (mlir::gpu::GPUModuleOp kernels : program->module->getOps<mlir::gpu::GPUModuleOp>()) {
    if (emulate) {
      FailureOr<std::unique_ptr<KernelEmulator>> emulator = KernelEmulator::create(kernels);
      if (failed(emulator))
        return failure();
      executor->emulator = std::move(*emulator);
      for (std::string &name : executor->emulator->getKernelNames()) {
        executor->emulated.push_back(std::make_unique<EmulatedKernel>(EmulatedKernel{executor->emulator.get(), name}));
        executor->registerKernel(name.c_str(), &EmulatedKernel::run, executor->emulated.back().get());
      }
    }
    FailureOr<std::string> made = serializeGPUModule(kernels, gpuOptions);
    if (failed(made))
      return failure();
    image = std::move(*made);
  }
  if (fxrtLoad(program->plan.data(), program->plan.size(), image.empty() ? nullptr : image.data(), image.size(),
               program->constants.empty() ? nullptr : program->constants.data(), program->constants.size(),
               &executor->graph) != FXRT_OK)
    return reportRuntime(function, "the compiled graph cannot be loaded");
  return std::unique_ptr<Executor>(std::move(executor));
}

void fxgraph::registerGPUExecutors() {
  registerExecutor("gpu", [](mlir::ModuleOp module, StringRef entry, const ExecutorOptions &options) {
    return createGPUExecutor(module, entry, options, /*emulate=*/false);
  });
  registerExecutor("gpu-emulator", [](mlir::ModuleOp module, StringRef entry, const ExecutorOptions &options) {
    return createGPUExecutor(module, entry, options, /*emulate=*/true);
  });
}
