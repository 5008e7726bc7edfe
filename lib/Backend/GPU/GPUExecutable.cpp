// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The targets `gpu` (the device that is there) and `gpu-emulator` (the same plan
// and kernels, on the CPU): compile, load through the runtime, run.
//
// `gpu-emulator` runs the plan on the runtime's mock driver: the mock computes
// copies, products and convolutions, and the kernels are those of KernelEmulator.
//
// Settings (--target-option): those of setGPUOption (GPU.h), mock=FILE
// (libFxGraphMockDriver.so).

#include "Emulator.h"
#include "fxgraph/Backend/Artefact.h"
#include "fxgraph/Backend/GPU/GPU.h"
#include "fxgraph/Backend/GPU/Targets.h"
#include "fxgraph/Runtime/Arguments.h"
#include "fxgraph/Runtime/FxGraphRuntime.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

using namespace fxgraph;
using namespace fxgraph::gpu;

namespace {

using RegisterKernel = void (*)(const char *, void (*)(const unsigned[3], const unsigned[3], void **, void *), void *);
/// What an emulated graph needs of the mock driver.
struct Mock {
  RegisterKernel registerKernel = nullptr;
  FindMemory findMemory = nullptr;
};

struct EmulatedKernel {
  const KernelEmulator *emulator;
  std::string name;
  static void run(const unsigned grid[3], const unsigned block[3], void **parameters, void *user) {
    auto *self = static_cast<EmulatedKernel *>(user);
    self->emulator->launch(self->name, grid, block, parameters);
  }
};

/// Independent of the module and its context once it is made.
class GPUExecutable : public Executable {
public:
  ~GPUExecutable() override { fxrtDestroy(graph); }

  const FxGraphInfo &getInfo() const override { return *info; }
  int64_t getWorkspaceBytes() const override {
    size_t bytes = 0;
    fxrtGetWorkspaceBytes(graph, &bytes);
    return bytes;
  }
  FxStatus run(ArrayRef<FxTensorDesc> inputs, MutableArrayRef<FxTensorDesc> outputs, const FxRunOptions &options,
               std::string &error) override;

  /// Tensors of an emulated graph live on the host: run() moves them.
  bool isOnDevice() const override { return !isEmulated; }
  void *allocateMemory(int64_t bytes) override {
    if (isEmulated)
      return Executable::allocateMemory(bytes);
    void *pointer = nullptr;
    return fxrtMalloc(&pointer, bytes) == FXRT_OK ? pointer : nullptr;
  }
  void freeMemory(void *memory) override { isEmulated ? Executable::freeMemory(memory) : (void)fxrtFree(memory); }
  LogicalResult copyIn(void *memory, const void *host, int64_t bytes, std::string &error) override {
    if (isEmulated)
      return Executable::copyIn(memory, host, bytes, error);
    return check(fxrtCopyToDevice(memory, host, bytes, nullptr), error);
  }
  LogicalResult copyOut(void *host, const void *memory, int64_t bytes, std::string &error) override {
    if (isEmulated)
      return Executable::copyOut(host, memory, bytes, error);
    return check(fxrtCopyToHost(host, memory, bytes, nullptr), error);
  }
  FailureOr<BenchResult> bench(ArrayRef<FxTensorDesc> inputs, MutableArrayRef<FxTensorDesc> outputs,
                               unsigned iterations, std::string &error) override;

  FxStatus runEmulated(ArrayRef<FxTensorDesc> inputs, MutableArrayRef<FxTensorDesc> outputs,
                       const FxRunOptions &options, std::string &error);

  FxrtGraph *graph = nullptr;
  const FxGraphInfo *info = nullptr;
  /// Also where the plan has no kernel.
  bool isEmulated = false;
  std::unique_ptr<KernelEmulator> emulator;
  std::vector<std::unique_ptr<EmulatedKernel>> emulated;
  RegisterKernel registerKernel = nullptr;

private:
  static LogicalResult check(int status, std::string &error) {
    if (status == FXRT_OK)
      return success();
    error = fxrtLastError();
    return failure();
  }
};

} // namespace

static LogicalResult reportRuntime(mlir::func::FuncOp function, StringRef what) {
  return emitError(function.getLoc()) << what << ": " << fxrtLastError();
}

/// The runtime's error without the name of its function, where the same error has none
/// on other targets.
static FxStatus toStatus(int status, std::string &error) {
  if (status == FXRT_OK)
    return FX_OK;
  StringRef text = fxrtLastError();
  text.consume_front("fxrtRunTensors: ");
  error = text.str();
  return status == FXRT_INVALID_ARGUMENT ? FX_BAD_ARGUMENT
         : status == FXRT_OUT_OF_MEMORY  ? FX_OUT_OF_MEMORY
                                         : FX_RUN_FAILED;
}

FxStatus GPUExecutable::run(ArrayRef<FxTensorDesc> inputs, MutableArrayRef<FxTensorDesc> outputs,
                            const FxRunOptions &options, std::string &error) {
  if (isEmulated)
    return runEmulated(inputs, outputs, options, error);
  return toStatus(fxrtRunTensors(graph, inputs.data(), inputs.size(), outputs.data(), outputs.size(), &options), error);
}

/// The mock checks that addresses lie in memory that it gave: all tensors are moved there
/// and back.
FxStatus GPUExecutable::runEmulated(ArrayRef<FxTensorDesc> inputs, MutableArrayRef<FxTensorDesc> outputs,
                                    const FxRunOptions &options, std::string &error) {
  char message[1024];
  if (int status =
          fxCheckCall(info, inputs.data(), inputs.size(), outputs.data(), outputs.size(), message, sizeof(message))) {
    error = message;
    return static_cast<FxStatus>(status);
  }
  // The mock knows kernels by name alone: one emulated graph at a time.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<FxTensorDesc> in(inputs.begin(), inputs.end()), out(outputs.size(), FxTensorDesc{});
  SmallVector<void *> owned;
  for (const std::unique_ptr<EmulatedKernel> &kernel : emulated)
    registerKernel(kernel->name.c_str(), &EmulatedKernel::run, kernel.get());
  llvm::scope_exit release([&] {
    for (const std::unique_ptr<EmulatedKernel> &kernel : emulated)
      registerKernel(kernel->name.c_str(), nullptr, nullptr);
    for (void *memory : owned)
      fxrtFree(memory);
    for (const FxTensorDesc &tensor : out)
      fxrtFree(tensor.data);
  });
  auto bytesOf = [](const FxTensorDesc &tensor) {
    return fxCountElements(tensor.sizes, tensor.rank) * fxDtypeBytes(tensor.dtype);
  };
  for (FxTensorDesc &tensor : in) {
    void *memory = nullptr;
    if (FxStatus status = toStatus(fxrtMalloc(&memory, bytesOf(tensor)), error); status != FX_OK)
      return status;
    owned.push_back(memory);
    if (FxStatus status = toStatus(fxrtCopyToDevice(memory, tensor.data, bytesOf(tensor), nullptr), error);
        status != FX_OK)
      return status;
    tensor.data = memory;
  }
  if (FxStatus status = toStatus(fxrtRunTensors(graph, in.data(), in.size(), out.data(), out.size(), nullptr), error);
      status != FX_OK)
    return status;
  // Memory for all outputs before the first is written.
  std::vector<FxTensorDesc> placed(outputs.begin(), outputs.end());
  SmallVector<void *> made;
  llvm::scope_exit giveUp([&] {
    for (void *memory : made)
      freeMemory(memory);
  });
  for (auto [i, result] : llvm::enumerate(out)) {
    if (placed[i].data)
      continue;
    FxTensorDesc needed = result;
    needed.data = nullptr;
    if (options.allocate)
      needed.data = options.allocate(options.user, i, &needed);
    else
      made.push_back(needed.data = allocateMemory(bytesOf(result)));
    if (!needed.data && bytesOf(result)) {
      error = "output " + std::to_string(i) + " ('" + info->outputs[i].name + "'): out of memory: expected " +
              std::to_string(bytesOf(result)) + " bytes";
      return FX_OUT_OF_MEMORY;
    }
    placed[i] = needed;
  }
  for (auto [result, output] : llvm::zip_equal(out, placed))
    if (FxStatus status = toStatus(fxrtCopyToHost(output.data, result.data, bytesOf(result), nullptr), error);
        status != FX_OK)
      return status;
  for (auto [i, tensor] : llvm::enumerate(in))
    if (info->inputs[i].mutated)
      if (FxStatus status = toStatus(fxrtCopyToHost(inputs[i].data, tensor.data, bytesOf(tensor), nullptr), error);
          status != FX_OK)
        return status;
  llvm::copy(placed, outputs.begin());
  giveUp.release();
  return FX_OK;
}

FailureOr<BenchResult> GPUExecutable::bench(ArrayRef<FxTensorDesc> inputs, MutableArrayRef<FxTensorDesc> outputs,
                                            unsigned iterations, std::string &error) {
  if (isEmulated)
    return Executable::bench(inputs, outputs, iterations, error);
  // The first run checks the call and leaves the outputs' memory for all others.
  if (run(inputs, outputs, {}, error) != FX_OK)
    return failure();
  SmallVector<void *> in, out;
  for (const FxTensorDesc &tensor : inputs)
    in.push_back(tensor.data);
  for (const FxTensorDesc &tensor : outputs)
    out.push_back(tensor.data);
  size_t workspaceBytes = getWorkspaceBytes();
  void *workspace = allocateMemory(workspaceBytes);
  llvm::scope_exit release([&] { freeMemory(workspace); });
  FxrtTiming timing;
  std::vector<float> samples(iterations);
  if (failed(check(fxrtTime(graph, in.data(), in.size(), out.data(), out.size(), workspace, workspaceBytes, nullptr, 3,
                            iterations, FXRT_TIME_FLUSH_L2 | FXRT_TIME_CAPTURED, &timing, samples.data()),
                   error)))
    return failure();
  BenchResult result;
  for (float sample : samples)
    result.seconds.push_back(sample * 1e-3);
  return result;
}

/// A process has one driver, opened at its first use: the machine's, or the mock.
static LogicalResult chooseDriver(mlir::func::FuncOp function, bool emulate) {
  static std::mutex mutex;
  static std::optional<bool> emulates;
  std::lock_guard<std::mutex> lock(mutex);
  if (!emulates)
    emulates = emulate;
  if (*emulates == emulate)
    return success();
  return emitError(function.getLoc()) << "expected one of the targets gpu and gpu-emulator in a process but got gpu"
                                      << (emulate ? "-emulator after gpu" : " after gpu-emulator");
}

/// The mock in the folder of libraries that belongs to this code's: a tool, or a library
/// in another program.
static std::string getDefaultMock() {
  llvm::SmallString<256> file(llvm::sys::fs::getMainExecutable(nullptr, nullptr));
  Dl_info self;
  if (dladdr(reinterpret_cast<void *>(&getDefaultMock), &self) && StringRef(self.dli_fname).ends_with(".so"))
    file = self.dli_fname;
  llvm::sys::path::remove_filename(file);
  llvm::sys::path::append(file, "..", "lib", "libFxGraphMockDriver.so");
  return std::string(file);
}

/// Opens the mock (the default one unless `mock=` says another) and makes it the
/// process's driver.
static FailureOr<Mock> useMock(mlir::func::FuncOp function, StringRef setting) {
  std::string file = setting.empty() ? getDefaultMock() : setting.str();
  if (!llvm::sys::fs::exists(file))
    return emitError(function.getLoc()) << "gpu-emulator: '" << file
                                        << "' does not exist; name libFxGraphMockDriver.so with mock=FILE";
  std::string problem;
  llvm::sys::DynamicLibrary library = llvm::sys::DynamicLibrary::getPermanentLibrary(file.c_str(), &problem);
  if (!library.isValid())
    return emitError(function.getLoc()) << "gpu-emulator: " << problem;
  Mock entry = {reinterpret_cast<RegisterKernel>(library.getAddressOfSymbol("fxgraphMockRegisterKernel")),
                reinterpret_cast<FindMemory>(library.getAddressOfSymbol("fxgraphMockFindMemory"))};
  if (!entry.registerKernel || !entry.findMemory)
    return emitError(function.getLoc()) << "gpu-emulator: '" << file << "' is no mock driver";
  // Other threads may read the environment: it is written once.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  for (const char *name : {"FXGRAPH_CUDA_DRIVER", "FXGRAPH_CUBLASLT", "FXGRAPH_CUDNN"})
    if (const char *present = std::getenv(name); !present || file != present)
      ::setenv(name, file.c_str(), /*overwrite=*/1);
  return entry;
}

static FailureOr<std::unique_ptr<Executable>> compileForTarget(mlir::func::FuncOp function,
                                                               const ExecutableOptions &options, bool emulate) {
  loadGPUDialects(function.getContext());
  GPUOptions gpuOptions;
  std::string mock;
  bool chipGiven = false;
  for (const auto &[key, value] : options.settings) {
    if (setGPUOption(key, value, gpuOptions))
      chipGiven |= key == "chip";
    else if (key == "mock" && emulate)
      mock = value;
    else
      return emitError(function.getLoc())
             << "expected a setting " << kGPUOptionsText << " but got '" << key << "=" << value << "'";
  }
  if (failed(chooseDriver(function, emulate)))
    return failure();
  auto executable = std::make_unique<GPUExecutable>();
  executable->isEmulated = emulate;
  FindMemory findMemory = nullptr;
  if (emulate) {
    FailureOr<Mock> found = useMock(function, mock);
    if (failed(found))
      return failure();
    executable->registerKernel = found->registerKernel;
    findMemory = found->findMemory;
  }
  // Compiled for the device that is there.
  FxrtDeviceInfo device;
  if (fxrtGetDeviceInfo(-1, &device) != FXRT_OK)
    return reportRuntime(function, "no GPU to run on");
  if (!chipGiven) {
    std::string chip = device.chip;
    gpuOptions.chip = isKnownChip(chip + "a") ? chip + "a" : chip;
  }
  FailureOr<GPUProgram> program = lowerToGPU(function, gpuOptions);
  if (failed(program))
    return failure();
  FailureOr<LaunchPlan> plan = translateToLaunchPlan(program->host);
  if (failed(plan))
    return failure();
  std::string image;
  for (mlir::gpu::GPUModuleOp kernels : program->module->getOps<mlir::gpu::GPUModuleOp>()) {
    if (emulate) {
      FailureOr<std::unique_ptr<KernelEmulator>> emulator = KernelEmulator::create(kernels, findMemory);
      if (failed(emulator))
        return failure();
      executable->emulator = std::move(*emulator);
      for (std::string &name : executable->emulator->getKernelNames())
        executable->emulated.push_back(
            std::make_unique<EmulatedKernel>(EmulatedKernel{executable->emulator.get(), name}));
    }
    FailureOr<std::string> made = serializeGPUModule(kernels, gpuOptions);
    if (failed(made))
      return failure();
    image = std::move(*made);
  }
  if (fxrtLoad(plan->json.data(), plan->json.size(), image.empty() ? nullptr : image.data(), image.size(),
               plan->constants.empty() ? nullptr : plan->constants.data(), plan->constants.size(),
               &executable->graph) != FXRT_OK ||
      fxrtGetInfo(executable->graph, &executable->info) != FXRT_OK)
    return reportRuntime(function, "the compiled graph cannot be loaded");
  return std::unique_ptr<Executable>(std::move(executable));
}

std::unique_ptr<Executable> fxgraph::loadGPUFolder(StringRef path, std::string &error) {
  auto inside = [&](StringRef name) {
    std::string file = (path + "/" + name).str();
    return llvm::sys::fs::exists(file) ? file : std::string();
  };
  std::string plan = inside("plan.json"), constants = inside("constants.bin"), image;
  for (StringRef name : {"image.cubin", "image.fatbin", "image.ptx"})
    if (image.empty())
      image = inside(name);
  if (plan.empty()) {
    error = "expected a folder with plan.json (fx-translate --to=gpu) but '" + path.str() + "' has none";
    return nullptr;
  }
  auto result = std::make_unique<GPUExecutable>();
  if (fxrtLoadFiles(plan.c_str(), image.empty() ? nullptr : image.c_str(),
                    constants.empty() ? nullptr : constants.c_str(), &result->graph) == FXRT_OK &&
      fxrtGetInfo(result->graph, &result->info) == FXRT_OK)
    return result;
  error = "cannot load '" + path.str() + "': " + fxrtLastError();
  return nullptr;
}

void fxgraph::registerGPUTargets() {
  registerTarget("gpu", [](mlir::func::FuncOp entry, const ExecutableOptions &options) {
    return compileForTarget(entry, options, /*emulate=*/false);
  });
  registerTarget("gpu-emulator", [](mlir::func::FuncOp entry, const ExecutableOptions &options) {
    return compileForTarget(entry, options, /*emulate=*/true);
  });
}
