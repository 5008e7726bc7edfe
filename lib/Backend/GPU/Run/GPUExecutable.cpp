// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The targets `gpu` (the device that is there) and `gpu-emulator` (the same plan
// and kernels, on the CPU): compile, load through the runtime, run.
//
// `gpu-emulator` runs the plan on the runtime's mock driver: the mock computes
// copies, products and convolutions, and the kernels are those of KernelEmulator.
//
// Settings (--target-option): those of setGPUOption (GPU.h); of `gpu-emulator` mock=FILE
// (libFxGraphMockDriver.so) and those of a grid of processes (GridSettings.h), which are
// threads.

#include "Run/DeviceExecutable.h"
#include "Run/EmulatedGrid.h"
#include "Run/Emulator.h"
#include "Run/SpecializedExecutable.h"
#include "fxgraph/Backend/Artefact.h"
#include "fxgraph/Backend/GPU/GPU.h"
#include "fxgraph/Backend/GPU/Targets.h"
#include "fxgraph/Backend/GridSettings.h"
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
class GPUExecutable : public DeviceExecutable {
public:
  explicit GPUExecutable(bool isEmulated) : DeviceExecutable(isEmulated) {}
  ~GPUExecutable() override { fxrtDestroy(graph); }

  const FxGraphInfo &getInfo() const override { return *info; }
  int64_t getWorkspaceBytes() const override {
    size_t bytes = 0;
    fxrtGetWorkspaceBytes(graph, &bytes);
    return bytes;
  }
  FxStatus run(ArrayRef<FxTensorDesc> inputs, MutableArrayRef<FxTensorDesc> outputs, const FxRunOptions &options,
               std::string &error) override;

  FailureOr<BenchResult> bench(ArrayRef<FxTensorDesc> inputs, MutableArrayRef<FxTensorDesc> outputs,
                               unsigned iterations, std::string &error) override;

  std::vector<ProcessGroupInfo> getProcessGroups() const override;
  LogicalResult setProcessGroup(StringRef name, FxrtProcessGroup *group, std::string &error) override;

  FxStatus runEmulated(ArrayRef<FxTensorDesc> inputs, MutableArrayRef<FxTensorDesc> outputs,
                       const FxRunOptions &options, std::string &error);

  FxrtGraph *graph = nullptr;
  const FxGraphInfo *info = nullptr;
  std::unique_ptr<KernelEmulator> emulator;
  std::vector<std::unique_ptr<EmulatedKernel>> emulated;
  RegisterKernel registerKernel = nullptr;
};

} // namespace

static LogicalResult check(int status, std::string &error) {
  if (status == FXRT_OK)
    return success();
  error = fxrtLastError();
  return failure();
}

void *DeviceExecutable::allocateMemory(int64_t bytes) {
  if (isEmulated)
    return Executable::allocateMemory(bytes);
  void *pointer = nullptr;
  return fxrtMalloc(&pointer, bytes) == FXRT_OK ? pointer : nullptr;
}

void DeviceExecutable::freeMemory(void *memory) {
  isEmulated ? Executable::freeMemory(memory) : (void)fxrtFree(memory);
}

LogicalResult DeviceExecutable::copyIn(void *memory, const void *host, int64_t bytes, std::string &error) {
  if (isEmulated)
    return Executable::copyIn(memory, host, bytes, error);
  return check(fxrtCopyToDevice(memory, host, bytes, nullptr), error);
}

LogicalResult DeviceExecutable::copyOut(void *host, const void *memory, int64_t bytes, std::string &error) {
  if (isEmulated)
    return Executable::copyOut(host, memory, bytes, error);
  return check(fxrtCopyToHost(host, memory, bytes, nullptr), error);
}

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

std::vector<ProcessGroupInfo> GPUExecutable::getProcessGroups() const {
  size_t count = 0;
  fxrtGetGroupCount(graph, &count);
  std::vector<ProcessGroupInfo> groups;
  for (size_t i = 0; i < count; ++i) {
    const char *name = nullptr;
    uint64_t size = 0;
    if (fxrtGetGroup(graph, i, &name, &size) == FXRT_OK)
      groups.push_back({name, size});
  }
  return groups;
}

LogicalResult GPUExecutable::setProcessGroup(StringRef name, FxrtProcessGroup *group, std::string &error) {
  return check(fxrtSetProcessGroup(graph, name.str().c_str(), group), error);
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
  int canCapture = 0;
  if (failed(check(fxrtCanCapture(graph, &canCapture), error)))
    return failure();
  int flags = FXRT_TIME_FLUSH_L2 | (canCapture ? FXRT_TIME_CAPTURED : 0);
  if (failed(check(fxrtTime(graph, in.data(), in.size(), out.data(), out.size(), workspace, workspaceBytes, nullptr, 3,
                            iterations, flags, &timing, samples.data()),
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
  Mock entry = {reinterpret_cast<RegisterKernel>(library.getAddressOfSymbol("fxgraphMockRegisterThreadKernel")),
                reinterpret_cast<FindMemory>(library.getAddressOfSymbol("fxgraphMockFindMemory"))};
  if (!entry.registerKernel || !entry.findMemory)
    return emitError(function.getLoc()) << "gpu-emulator: '" << file << "' is no mock driver";
  // Other threads may read the environment: it is written once.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  for (const char *name : {"FXGRAPH_CUDA_DRIVER", "FXGRAPH_CUBLASLT", "FXGRAPH_CUDNN", "FXGRAPH_NCCL"})
    if (const char *present = std::getenv(name); !present || file != present)
      ::setenv(name, file.c_str(), /*overwrite=*/1);
  return entry;
}

/// What the settings of a target say.
struct TargetSettings {
  GPUOptions options;
  bool chipGiven = false;
  Mock mock;
  std::optional<GridOptions> grid; ///< of emulated processes
};

static FailureOr<TargetSettings> readSettings(mlir::func::FuncOp function, const ExecutableOptions &options,
                                              bool emulate) {
  TargetSettings result;
  result.options.seed = options.seed;
  std::string mock;
  SmallVector<std::pair<std::string, std::string>> settings(options.settings.begin(), options.settings.end());
  if (emulate) {
    settings.clear();
    if (failed(readGridSettings(function.getLoc(), options.settings, result.grid, settings)))
      return failure();
  }
  for (const auto &[key, value] : settings) {
    if (setGPUOption(key, value, result.options))
      result.chipGiven |= key == "chip";
    else if (key == "mock" && emulate)
      mock = value;
    else
      return emitError(function.getLoc())
             << "expected a setting " << kGPUOptionsText << " but got '" << key << "=" << value << "'";
  }
  if (failed(chooseDriver(function, emulate)))
    return failure();
  if (emulate) {
    FailureOr<Mock> found = useMock(function, mock);
    if (failed(found))
      return failure();
    result.mock = *found;
  }
  // Compiled for the device that is there.
  FxrtDeviceInfo device;
  if (fxrtGetDeviceInfo(-1, &device) != FXRT_OK)
    return reportRuntime(function, "no GPU to run on");
  if (!result.chipGiven) {
    std::string chip = device.chip;
    result.options.chip = isKnownChip(chip + "a") ? chip + "a" : chip;
  }
  return result;
}

/// For a graph whose extents are known.
static FailureOr<std::unique_ptr<Executable>> compileStatic(mlir::func::FuncOp function, const TargetSettings &settings,
                                                            bool emulate) {
  loadGPUDialects(function.getContext());
  const GPUOptions &gpuOptions = settings.options;
  auto executable = std::make_unique<GPUExecutable>(emulate);
  executable->registerKernel = settings.mock.registerKernel;
  FailureOr<GPUProgram> program = lowerToGPU(function, gpuOptions);
  if (failed(program))
    return failure();
  FailureOr<LaunchPlan> plan = translateToLaunchPlan(program->host);
  if (failed(plan))
    return failure();
  std::string image;
  for (mlir::gpu::GPUModuleOp kernels : program->module->getOps<mlir::gpu::GPUModuleOp>()) {
    if (emulate) {
      FailureOr<std::unique_ptr<KernelEmulator>> emulator = KernelEmulator::create(kernels, settings.mock.findMemory);
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

/// For one process.
static FailureOr<std::unique_ptr<Executable>> compileProcess(mlir::func::FuncOp function,
                                                             const TargetSettings &settings, bool emulate) {
  if (!SpecializedExecutable::isNeeded(function))
    return compileStatic(function, settings, emulate);
  return SpecializedExecutable::create(
      function, emulate, [&](mlir::func::FuncOp copy) { return LogicalResult(lowerToGPU(copy, settings.options)); },
      [settings, emulate](mlir::func::FuncOp copy) { return compileStatic(copy, settings, emulate); });
}

static FailureOr<std::unique_ptr<Executable>> compileForTarget(mlir::func::FuncOp function,
                                                               const ExecutableOptions &options, bool emulate) {
  FailureOr<TargetSettings> settings = readSettings(function, options, emulate);
  if (failed(settings))
    return failure();
  if (!settings->grid)
    return compileProcess(function, *settings, emulate);
  std::vector<std::unique_ptr<Executable>> processes;
  for (int64_t rank = 0; rank < settings->grid->numRanks; ++rank) {
    FailureOr<std::unique_ptr<Executable>> process = compileProcess(function, *settings, emulate);
    if (failed(process))
      return failure();
    processes.push_back(std::move(*process));
  }
  std::string error;
  std::unique_ptr<Executable> all = createEmulatedGrid(function, *settings->grid, std::move(processes), error);
  if (!all)
    return LogicalResult(emitError(function.getLoc()) << error);
  return all;
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
  auto result = std::make_unique<GPUExecutable>(/*isEmulated=*/false);
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
