//===- Graph.cpp - Load a graph, run it, capture it -----------------------===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace fxgraph::runtime;

static uint64_t alignTo(uint64_t value, uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

//===----------------------------------------------------------------------===//
// Steps without a library
//===----------------------------------------------------------------------===//

namespace {

class CompiledCopy : public CompiledStep {
public:
  CompiledCopy(Address from, Address to, uint64_t bytes) : from(from), to(to), bytes(bytes) {}

  void enqueue(const RunContext &run) const override {
    run.driver.check(run.driver.cuMemcpyDtoDAsync_v2(to.resolve(run.bases), from.resolve(run.bases), bytes, run.stream),
                     "cuMemcpyDtoDAsync", std::to_string(bytes) + " bytes");
  }

private:
  Address from, to;
  uint64_t bytes;
};

class CompiledFill : public CompiledStep {
public:
  CompiledFill(Address to, const FillStep &step)
      : to(to), bytes(step.bytes), is32Bit(step.is32Bit), pattern(step.pattern) {}

  void enqueue(const RunContext &run) const override {
    cu::DevicePtr pointer = to.resolve(run.bases);
    if (is32Bit)
      run.driver.check(run.driver.cuMemsetD32Async(pointer, pattern, bytes / 4, run.stream), "cuMemsetD32Async",
                       std::to_string(bytes) + " bytes");
    else
      run.driver.check(run.driver.cuMemsetD8Async(pointer, static_cast<unsigned char>(pattern), bytes, run.stream),
                       "cuMemsetD8Async", std::to_string(bytes) + " bytes");
  }

private:
  Address to;
  uint64_t bytes;
  bool is32Bit;
  uint32_t pattern;
};

/// An error that says which step it is of.
class NamedError : public Error {
public:
  using Error::Error;
};

/// Waits for what the device has been given, and reads a bool that it has left.
static bool readPredicate(const RunContext &run, const Address &predicate) {
  unsigned char value = 0;
  run.driver.check(run.driver.cuMemcpyDtoHAsync_v2(&value, predicate.resolve(run.bases), sizeof(value), run.stream),
                   "cuMemcpyDtoHAsync", "the predicate");
  run.driver.check(run.driver.cuStreamSynchronize(run.stream), "cuStreamSynchronize", "the predicate");
  return value != 0;
}

class CompiledBranch : public CompiledStep {
public:
  CompiledBranch(const LaunchPlan &plan, Address predicate, StepList thenSteps, StepList otherwiseSteps)
      : plan(plan), predicate(predicate), thenSteps(std::move(thenSteps)), otherwiseSteps(std::move(otherwiseSteps)) {}

  void enqueue(const RunContext &run) const override {
    (readPredicate(run, predicate) ? thenSteps : otherwiseSteps).enqueue(plan, run);
  }

private:
  const LaunchPlan &plan;
  Address predicate;
  StepList thenSteps, otherwiseSteps;
};

class CompiledLoop : public CompiledStep {
public:
  CompiledLoop(const LaunchPlan &plan, Address predicate, StepList condition, StepList body)
      : plan(plan), predicate(predicate), condition(std::move(condition)), body(std::move(body)) {}

  void enqueue(const RunContext &run) const override {
    for (;;) {
      condition.enqueue(plan, run);
      if (!readPredicate(run, predicate))
        return;
      body.enqueue(plan, run);
    }
  }

private:
  const LaunchPlan &plan;
  Address predicate;
  StepList condition, body;
};

/// One parameter of a kernel: where its bytes come from and where they go.
struct Parameter {
  enum Kind { Pointer, Scalar, Pointers, TensorMaps } kind;
  uint32_t offset = 0; ///< in the scratch memory for parameters
  uint32_t bytes = 0;
  uint64_t bits = 0;              ///< Scalar
  std::vector<Address> addresses; ///< the others
  const TensorMapSpec *map = nullptr;
};

class CompiledKernel : public CompiledStep {
public:
  CompiledKernel(cu::Function function, const KernelStep &step, std::vector<Parameter> parameters)
      : function(function), step(step), parameters(std::move(parameters)) {}

  void enqueue(const RunContext &run) const override {
    for (size_t i = 0; i < parameters.size(); ++i) {
      const Parameter &parameter = parameters[i];
      unsigned char *to = run.parameters + parameter.offset;
      run.parameterPointers[i] = to;
      switch (parameter.kind) {
      case Parameter::Scalar:
        std::memcpy(to, &parameter.bits, 8);
        break;
      case Parameter::Pointer:
      case Parameter::Pointers:
        for (const Address &address : parameter.addresses) {
          cu::DevicePtr pointer = address.resolve(run.bases);
          std::memcpy(to, &pointer, sizeof(pointer));
          to += sizeof(pointer);
        }
        break;
      case Parameter::TensorMaps:
        for (const Address &address : parameter.addresses) {
          encode(run, *parameter.map, address.resolve(run.bases), reinterpret_cast<cu::TensorMap *>(to));
          to += sizeof(cu::TensorMap);
        }
        break;
      }
    }
    bool hasCluster = step.cluster[0] != 0;
    if (!hasCluster && !step.programmatic) {
      cu::Result result =
          run.driver.cuLaunchKernel(function, step.grid[0], step.grid[1], step.grid[2], step.block[0], step.block[1],
                                    step.block[2], step.sharedBytes, run.stream, run.parameterPointers, nullptr);
      if (result != cu::Success)
        run.driver.fail(result, "cuLaunchKernel", describe());
      return;
    }
    cu::LaunchAttribute attributes[2] = {};
    cu::LaunchConfig config = {};
    config.gridDimX = step.grid[0];
    config.gridDimY = step.grid[1];
    config.gridDimZ = step.grid[2];
    config.blockDimX = step.block[0];
    config.blockDimY = step.block[1];
    config.blockDimZ = step.block[2];
    config.sharedMemBytes = step.sharedBytes;
    config.stream = run.stream;
    config.attrs = attributes;
    if (hasCluster) {
      cu::LaunchAttribute &attribute = attributes[config.numAttrs++];
      attribute.id = cu::LaunchAttributeClusterDimension;
      attribute.value.clusterDim.x = step.cluster[0];
      attribute.value.clusterDim.y = step.cluster[1];
      attribute.value.clusterDim.z = step.cluster[2];
    }
    if (step.programmatic) {
      cu::LaunchAttribute &attribute = attributes[config.numAttrs++];
      attribute.id = cu::LaunchAttributeProgrammaticStreamSerialization;
      attribute.value.programmaticStreamSerializationAllowed = 1;
    }
    cu::Result result = run.driver.cuLaunchKernelEx(&config, function, run.parameterPointers, nullptr);
    if (result != cu::Success)
      run.driver.fail(result, "cuLaunchKernelEx", describe());
  }

private:
  std::string describe() const {
    auto list = [](const std::array<uint32_t, 3> &dims) {
      return std::to_string(dims[0]) + "x" + std::to_string(dims[1]) + "x" + std::to_string(dims[2]);
    };
    return "grid " + list(step.grid) + ", block " + list(step.block) + ", " + std::to_string(step.sharedBytes) +
           " bytes of shared memory";
  }

  /// 84 ns per map: cheaper than a cache that would have to be locked.
  static void encode(const RunContext &run, const TensorMapSpec &spec, cu::DevicePtr address, cu::TensorMap *map) {
    int dataType = 0;
    switch (spec.dtype) {
    case DType::I1:
    case DType::I8:
    case DType::UI8:
    case DType::F8E4M3FN:
    case DType::F8E5M2:
      dataType = 0;
      break;
    case DType::I16:
    case DType::UI16:
      dataType = 1;
      break;
    case DType::UI32:
      dataType = 2;
      break;
    case DType::I32:
      dataType = 3;
      break;
    case DType::UI64:
      dataType = 4;
      break;
    case DType::I64:
      dataType = 5;
      break;
    case DType::F16:
      dataType = 6;
      break;
    case DType::F32:
      dataType = 7;
      break;
    case DType::F64:
      dataType = 8;
      break;
    case DType::BF16:
      dataType = 9;
      break;
    case DType::ComplexF16:
    case DType::ComplexF32:
    case DType::ComplexF64:
      throw Error(FXRT_INTERNAL_ERROR, "a tensor map of complex numbers");
    }
    run.driver.check(run.driver.cuTensorMapEncodeTiled(
                         map, dataType, static_cast<uint32_t>(spec.dims.size()), reinterpret_cast<void *>(address),
                         spec.dims.data(), spec.stridesBytes.data(), spec.box.data(), spec.elementStrides.data(),
                         /*interleave=*/0, spec.swizzle, spec.l2Promotion, spec.oobFill),
                     "cuTensorMapEncodeTiled");
  }

  cu::Function function;
  const KernelStep &step; ///< in the plan, which the graph owns
  std::vector<Parameter> parameters;
};

} // namespace

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

LoadedGraph::LoadedGraph(LaunchPlan planIn, const void *image, size_t imageBytes, const void *constants,
                         size_t constantsBytes)
    : driver(DriverApi::get()), plan(std::move(planIn)), context(getOrMakeCurrentContext(driver)),
      constantMemory(driver) {
  driver.check(driver.cuCtxGetDevice(&device), "cuCtxGetDevice");
  try {
    loadImage(image, imageBytes);
    loadConstants(constants, constantsBytes);
    communication = Communication::create(driver, plan, device);
    compileSteps();
  } catch (...) {
    if (library)
      driver.cuLibraryUnload(library);
    throw;
  }
}

LoadedGraph::~LoadedGraph() {
  // Failures are of no use here: at the end of the process the driver may
  // already be gone.
  try {
    ContextGuard guard(driver, context);
    steps.clear();
    communication.reset();
    if (library)
      driver.cuLibraryUnload(library);
    DeviceMemory memory(std::move(constantMemory));
  } catch (...) {
  }
}

/// An image compiled for another chip fails in the driver too, but with a
/// message that names neither chip.
void LoadedGraph::checkDevice(bool isPtx) const {
  if (plan.chip == "any")
    return;
  int major = 0, minor = 0;
  driver.check(driver.cuDeviceGetAttribute(&major, cu::DeviceAttributeComputeCapabilityMajor, device),
               "cuDeviceGetAttribute");
  driver.check(driver.cuDeviceGetAttribute(&minor, cu::DeviceAttributeComputeCapabilityMinor, device),
               "cuDeviceGetAttribute");
  char suffix = plan.chip.back();
  bool hasSuffix = suffix == 'a' || suffix == 'f';
  int number = std::stoi(plan.chip.substr(3));
  int wantedMajor = number / 10, wantedMinor = number % 10;
  bool fits;
  if (suffix == 'a')
    fits = major == wantedMajor && minor == wantedMinor;
  else if (hasSuffix || !isPtx)
    fits = major == wantedMajor && minor >= wantedMinor;
  else
    fits = major > wantedMajor || (major == wantedMajor && minor >= wantedMinor);
  if (fits)
    return;
  char name[256] = "";
  driver.check(driver.cuDeviceGetName(name, sizeof(name), device), "cuDeviceGetName");
  throw Error(FXRT_UNSUPPORTED, "graph '" + plan.name + "' was compiled for " + plan.chip + " but the device (" + name +
                                    ") is sm_" + std::to_string(major) + std::to_string(minor) +
                                    "; compile it for this chip");
}

void LoadedGraph::loadImage(const void *image, size_t imageBytes) {
  bool needsImage = std::any_of(plan.steps.begin(), plan.steps.end(),
                                [](const Step &step) { return std::holds_alternative<KernelStep>(step.body); });
  if (!needsImage)
    return;
  if (!image || imageBytes == 0)
    throw Error(FXRT_INVALID_ARGUMENT, "the plan has kernel steps but no device image was given");
  const unsigned char *bytes = static_cast<const unsigned char *>(image);
  static const unsigned char elfMagic[4] = {0x7f, 'E', 'L', 'F'};
  static const unsigned char fatbinMagic[4] = {0x50, 0xed, 0x55, 0xba};
  bool isElf = imageBytes > 64 && std::memcmp(bytes, elfMagic, 4) == 0;
  bool isFatbin = imageBytes > 16 && std::memcmp(bytes, fatbinMagic, 4) == 0;
  bool isPtx = false;
  std::string ptx;
  if (!isElf && !isFatbin) {
    // The driver wants PTX to end in a zero.
    ptx.assign(reinterpret_cast<const char *>(image), imageBytes);
    ptx.resize(std::strlen(ptx.c_str()));
    isPtx = ptx.find(".version") != std::string::npos && ptx.find(".target") != std::string::npos;
    if (!isPtx)
      throw Error(FXRT_INVALID_ARGUMENT, "expected the device image to be PTX text, a cubin or a "
                                         "fatbin but it is none of them");
    image = ptx.c_str();
  }
  // A fatbin may hold PTX that fits more chips than the plan's.
  checkDevice(isPtx || isFatbin);

  char log[4096] = "";
  // The kernels of PTX are assembled beside each other (0: on all processors) by drivers that can.
  int version = 0;
  driver.check(driver.cuDriverGetVersion(&version), "cuDriverGetVersion");
  // Without overlap where a launch that waits by itself cannot be captured.
  if (version < cu::ProgrammaticCaptureVersion)
    for (Step &step : plan.steps)
      if (auto *kernel = std::get_if<KernelStep>(&step.body))
        kernel->programmatic = false;
  int options[] = {cu::JitErrorLogBuffer, cu::JitErrorLogBufferSizeBytes, cu::JitSplitCompile};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log)), nullptr};
  unsigned numOptions = isPtx && version >= cu::SplitCompileVersion ? 3 : 2;
  cu::Result result = driver.cuLibraryLoadData(&library, image, options, values, numOptions, nullptr, nullptr, 0);
  if (result == cu::Success)
    return;
  library = nullptr;
  log[sizeof(log) - 1] = 0;
  driver.fail(result, "cuLibraryLoadData",
              "graph '" + plan.name + "'" + (*log ? " (the driver's log: " + std::string(log) + ")" : std::string()));
}

void LoadedGraph::loadConstants(const void *constants, size_t constantsBytes) {
  uint64_t total = 0;
  for (size_t i = 0; i < plan.constants.size(); ++i) {
    const ConstantSpec &constant = plan.constants[i];
    if (constant.offset + constant.bytes > constantsBytes)
      throw Error(FXRT_INVALID_ARGUMENT, "constant " + std::to_string(i) + " ('" + constant.name + "') lies in bytes " +
                                             std::to_string(constant.offset) + " to " +
                                             std::to_string(constant.offset + constant.bytes) +
                                             " but the constants have " + std::to_string(constantsBytes) + " bytes");
    constantOffsets.push_back(total);
    total = alignTo(total + constant.bytes, kWorkspaceAlign);
  }
  if (total == 0)
    return;
  if (!constants)
    throw Error(FXRT_INVALID_ARGUMENT, "the plan has constants but no bytes for them were given");
  constantMemory.allocate(total, "constants");
  OwnedStream stream(driver);
  for (size_t i = 0; i < plan.constants.size(); ++i) {
    const ConstantSpec &constant = plan.constants[i];
    if (constant.bytes == 0)
      continue;
    driver.check(driver.cuMemcpyHtoDAsync_v2(constantMemory.get() + constantOffsets[i],
                                             static_cast<const char *>(constants) + constant.offset, constant.bytes,
                                             stream),
                 "cuMemcpyHtoDAsync", "constant '" + constant.name + "'");
  }
  driver.check(driver.cuStreamSynchronize(stream), "cuStreamSynchronize", "the copy of the constants");
}

/// Bases are laid out as inputs, outputs, workspace, constants.
Address LoadedGraph::getAddress(const BufferRef &ref) const {
  Address address;
  address.offset = ref.offset;
  size_t inputs = plan.inputs.size(), outputs = plan.outputs.size();
  switch (ref.kind) {
  case BufferKind::Input:
    address.base = ref.index;
    break;
  case BufferKind::Output:
    address.base = static_cast<uint32_t>(inputs + ref.index);
    break;
  case BufferKind::Workspace:
    address.base = static_cast<uint32_t>(inputs + outputs);
    break;
  case BufferKind::Constant:
    address.base = static_cast<uint32_t>(inputs + outputs + 1);
    address.offset += constantOffsets[ref.index];
    break;
  }
  return address;
}

/// Compares the arguments with what the kernel declares, where the driver can
/// tell (CUDA 12.4 on): a wrong count would read past our parameters.
static void checkParameters(const DriverApi &driver, cu::Kernel kernel, const std::vector<Parameter> &parameters) {
  if (!driver.cuKernelGetParamInfo)
    return;
  size_t offset = 0, bytes = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    cu::Result result = driver.cuKernelGetParamInfo(kernel, i, &offset, &bytes);
    if (result == cu::ErrorNotSupported)
      return;
    if (result == cu::ErrorInvalidValue)
      throw Error(FXRT_INVALID_PLAN, "the plan passes " + std::to_string(parameters.size()) +
                                         " arguments but the kernel takes " + std::to_string(i));
    driver.check(result, "cuKernelGetParamInfo");
    if (bytes != parameters[i].bytes)
      throw Error(FXRT_INVALID_PLAN, "argument " + std::to_string(i) + " has " + std::to_string(parameters[i].bytes) +
                                         " bytes but the kernel's parameter has " + std::to_string(bytes));
  }
  cu::Result result = driver.cuKernelGetParamInfo(kernel, parameters.size(), &offset, &bytes);
  if (result == cu::Success)
    throw Error(FXRT_INVALID_PLAN,
                "the plan passes " + std::to_string(parameters.size()) + " arguments but the kernel takes more");
}

std::unique_ptr<CompiledStep> LoadedGraph::compileKernel(const KernelStep &step) {
  cu::Kernel kernel = nullptr;
  cu::Result result = driver.cuLibraryGetKernel(&kernel, library, step.name.c_str());
  if (result == cu::ErrorNotFound)
    throw Error(FXRT_NOT_FOUND, "the device image has no kernel '" + step.name + "'");
  driver.check(result, "cuLibraryGetKernel");

  std::vector<Parameter> parameters;
  size_t bytes = 0;
  for (const KernelArg &arg : step.args) {
    Parameter parameter;
    size_t alignment = 8;
    if (auto *ref = std::get_if<BufferRef>(&arg)) {
      parameter.kind = Parameter::Pointer;
      parameter.bytes = 8;
      parameter.addresses.push_back(getAddress(*ref));
    } else if (auto *scalar = std::get_if<ScalarArg>(&arg)) {
      parameter.kind = Parameter::Scalar;
      parameter.bytes = scalar->bytes;
      parameter.bits = scalar->bits;
    } else if (auto *table = std::get_if<PointerTable>(&arg)) {
      parameter.kind = Parameter::Pointers;
      for (const BufferRef &ref : table->buffers)
        parameter.addresses.push_back(getAddress(ref));
      parameter.bytes = static_cast<uint32_t>(8 * table->buffers.size());
    } else {
      const TensorMapSpec &map = std::get<TensorMapSpec>(arg);
      if (!driver.cuTensorMapEncodeTiled)
        throw Error(FXRT_NO_DRIVER, "the CUDA driver has no cuTensorMapEncodeTiled: update it");
      parameter.kind = Parameter::TensorMaps;
      parameter.map = &map;
      for (const BufferRef &ref : map.buffers)
        parameter.addresses.push_back(getAddress(ref));
      parameter.bytes = static_cast<uint32_t>(sizeof(cu::TensorMap) * map.buffers.size());
      alignment = alignof(cu::TensorMap);
    }
    bytes = alignTo(bytes, alignment);
    parameter.offset = static_cast<uint32_t>(bytes);
    bytes += std::max<size_t>(parameter.bytes, 8);
    // The hardware's limit for all parameters of a kernel.
    if (bytes > 32764)
      throw Error(FXRT_INVALID_PLAN, "the arguments exceed the 32764 bytes that a kernel may take");
    parameters.push_back(std::move(parameter));
  }
  checkParameters(driver, kernel, parameters);
  maxParameterBytes = std::max(maxParameterBytes, bytes);
  maxParameters = std::max(maxParameters, parameters.size());

  uint64_t clusterBlocks = uint64_t(step.cluster[0]) * step.cluster[1] * step.cluster[2];
  if (clusterBlocks > 8)
    driver.check(driver.cuKernelSetAttribute(cu::FuncAttributeNonPortableClusterSizeAllowed, 1, kernel, device),
                 "cuKernelSetAttribute", "a cluster of more than 8 blocks");
  int staticShared = 0, maxThreads = 0;
  driver.check(driver.cuKernelGetAttribute(&staticShared, cu::FuncAttributeSharedSizeBytes, kernel, device),
               "cuKernelGetAttribute");
  driver.check(driver.cuKernelGetAttribute(&maxThreads, cu::FuncAttributeMaxThreadsPerBlock, kernel, device),
               "cuKernelGetAttribute");
  uint64_t threads = uint64_t(step.block[0]) * step.block[1] * step.block[2];
  if (threads > static_cast<uint64_t>(maxThreads))
    throw Error(FXRT_INVALID_PLAN, "the block has " + std::to_string(threads) +
                                       " threads but the kernel was compiled "
                                       "for at most " +
                                       std::to_string(maxThreads));
  // Above 48 KiB in all, dynamic shared memory must be asked for. A kernel that
  // several steps launch keeps the largest size.
  if (step.sharedBytes + uint64_t(staticShared) > 48 * 1024) {
    int limit = 0, current = 0;
    driver.check(driver.cuDeviceGetAttribute(&limit, cu::DeviceAttributeMaxSharedMemoryPerBlockOptin, device),
                 "cuDeviceGetAttribute");
    if (step.sharedBytes + uint64_t(staticShared) > static_cast<uint64_t>(limit))
      throw Error(FXRT_UNSUPPORTED, "the kernel wants " + std::to_string(step.sharedBytes + uint64_t(staticShared)) +
                                        " bytes of shared memory but the device has " + std::to_string(limit) +
                                        " per block");
    driver.check(driver.cuKernelGetAttribute(&current, cu::FuncAttributeMaxDynamicSharedSizeBytes, kernel, device),
                 "cuKernelGetAttribute");
    if (static_cast<uint32_t>(current) < step.sharedBytes)
      driver.check(driver.cuKernelSetAttribute(cu::FuncAttributeMaxDynamicSharedSizeBytes,
                                               static_cast<int>(step.sharedBytes), kernel, device),
                   "cuKernelSetAttribute", std::to_string(step.sharedBytes) + " bytes of dynamic shared memory");
  }
  // Also makes the driver load the code now: loading it lazily in the first
  // launch would break a capture.
  cu::Function function = nullptr;
  driver.check(driver.cuKernelGetFunction(&function, kernel), "cuKernelGetFunction");
  return std::make_unique<CompiledKernel>(function, step, std::move(parameters));
}

std::unique_ptr<CompiledStep> LoadedGraph::compileStep(size_t index, LibraryContext &context, uint64_t &libraryBytes) {
  const Step &step = plan.steps[index];
  try {
    if (auto *kernel = std::get_if<KernelStep>(&step.body)) {
      // The kernel is looked up even where nothing will be launched, so that
      // a wrong name never goes unseen.
      std::unique_ptr<CompiledStep> compiled = compileKernel(*kernel);
      bool isEmpty = kernel->grid[0] == 0 || kernel->grid[1] == 0 || kernel->grid[2] == 0;
      return isEmpty ? nullptr : std::move(compiled);
    }
    if (auto *matmul = std::get_if<MatmulStep>(&step.body))
      return matmul->m && matmul->n && matmul->batch ? compileMatmul(context, *matmul) : nullptr;
    if (auto *conv = std::get_if<ConvStep>(&step.body)) {
      bool isEmpty = std::find(conv->outputShape.begin(), conv->outputShape.end(), 0) != conv->outputShape.end();
      return isEmpty ? nullptr : compileConv(context, *conv, libraryBytes);
    }
    if (auto *copy = std::get_if<CopyStep>(&step.body))
      return copy->bytes ? std::make_unique<CompiledCopy>(getAddress(copy->from), getAddress(copy->to), copy->bytes)
                         : nullptr;
    if (auto *collective = std::get_if<CollectiveStep>(&step.body))
      return communication->compile(context, *collective, index);
    if (auto *wait = std::get_if<WaitStep>(&step.body))
      return communication->compile(*wait);
    if (auto *fill = std::get_if<FillStep>(&step.body))
      return fill->bytes ? std::make_unique<CompiledFill>(getAddress(fill->to), *fill) : nullptr;
  } catch (const Error &error) {
    throw Error(error.getStatus(), plan.describeStep(index) + ": " + error.what());
  }
  // Steps of theirs name themselves.
  size_t first = index + 1;
  if (auto *branch = std::get_if<BranchStep>(&step.body)) {
    size_t middle = first + branch->thenSteps;
    StepList thenSteps = compileSteps(first, middle, context, libraryBytes);
    return std::make_unique<CompiledBranch>(
        plan, getAddress(branch->predicate), std::move(thenSteps),
        compileSteps(middle, middle + branch->otherwiseSteps, context, libraryBytes));
  }
  const LoopStep &loop = std::get<LoopStep>(step.body);
  size_t middle = first + loop.conditionSteps;
  StepList condition = compileSteps(first, middle, context, libraryBytes);
  return std::make_unique<CompiledLoop>(plan, getAddress(loop.predicate), std::move(condition),
                                        compileSteps(middle, middle + loop.bodySteps, context, libraryBytes));
}

StepList LoadedGraph::compileSteps(size_t first, size_t last, LibraryContext &context, uint64_t &libraryBytes) {
  StepList list;
  for (size_t i = first; i < last; i += 1 + plan.getNumInnerSteps(i))
    if (std::unique_ptr<CompiledStep> compiled = compileStep(i, context, libraryBytes))
      list.add(i, std::move(compiled));
  return list;
}

void LoadedGraph::compileSteps() {
  LibraryContext libraryContext{driver, plan, context, [this](const BufferRef &ref) { return getAddress(ref); }};
  uint64_t libraryBytes = plan.libraryWorkspaceBytes;
  steps = compileSteps(0, plan.steps.size(), libraryContext, libraryBytes);
  libraryWorkspaceOffset = alignTo(plan.workspaceBytes, kWorkspaceAlign);
  workspaceBytes = libraryBytes ? libraryWorkspaceOffset + libraryBytes : plan.workspaceBytes;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static void checkBuffer(const char *what, size_t index, const TensorSpec &spec, const void *pointer) {
  if (spec.bytes == 0)
    return;
  if (!pointer)
    throw Error(FXRT_INVALID_ARGUMENT, std::string(what) + " " + std::to_string(index) + " ('" + spec.name +
                                           "') is null but has " + std::to_string(spec.bytes) + " bytes");
  if (reinterpret_cast<uintptr_t>(pointer) & (spec.align - 1))
    throw Error(FXRT_INVALID_ARGUMENT, std::string(what) + " " + std::to_string(index) + " ('" + spec.name +
                                           "') must be aligned to " + std::to_string(spec.align) +
                                           " bytes: pass a copy of it, or compile with a smaller "
                                           "align");
}

void LoadedGraph::checkCall(const CallBuffers &call) const {
  auto checkCount = [&](const char *what, size_t expected, size_t got, void *const *pointers) {
    if (expected != got)
      throw Error(FXRT_INVALID_ARGUMENT, "graph '" + plan.name + "' has " + std::to_string(expected) + " " + what +
                                             " but got " + std::to_string(got));
    if (got && !pointers)
      throw Error(FXRT_INVALID_ARGUMENT, std::string("expected an array of ") + what + " but got null");
  };
  checkCount("inputs", plan.inputs.size(), call.inputCount, call.inputs);
  checkCount("outputs", plan.outputs.size(), call.outputCount, call.outputs);
  for (size_t i = 0; i < call.inputCount; ++i)
    checkBuffer("input", i, plan.inputs[i], call.inputs[i]);
  for (size_t i = 0; i < call.outputCount; ++i)
    checkBuffer("output", i, plan.outputs[i], call.outputs[i]);
  // Before the first step, which the other processes would wait for.
  if (communication)
    for (const Communication::Group &group : communication->getGroups())
      if (!communication->getProcesses(group.name))
        throw Error(FXRT_INVALID_ARGUMENT, "graph '" + plan.name + "': expected a communicator for group '" +
                                               group.name + "' but none was set");
  if (call.workspaceBytes < workspaceBytes)
    throw Error(FXRT_INVALID_ARGUMENT, "graph '" + plan.name + "' needs " + std::to_string(workspaceBytes) +
                                           " bytes of workspace but got " + std::to_string(call.workspaceBytes));
  if (workspaceBytes == 0)
    return;
  if (!call.workspace)
    throw Error(FXRT_INVALID_ARGUMENT,
                "the workspace is null but the graph needs " + std::to_string(workspaceBytes) + " bytes");
  if (reinterpret_cast<uintptr_t>(call.workspace) % kWorkspaceAlign)
    throw Error(FXRT_INVALID_ARGUMENT, "the workspace must be aligned to 256 bytes");
}

void StepList::enqueue(const LaunchPlan &plan, const RunContext &run) const {
  for (const auto &[index, step] : steps) {
    try {
      step->enqueue(run);
    } catch (const NamedError &) {
      throw; // By the step in a branch or loop.
    } catch (const Error &error) {
      throw NamedError(error.getStatus(), plan.describeStep(index) + ": " + error.what());
    }
  }
}

void LoadedGraph::run(const CallBuffers &call, cu::Stream stream) const {
  checkCall(call);
  // One block of scratch per thread and nothing per call: bases, pointers to
  // parameters, then the parameters themselves at a multiple of 128 bytes.
  static thread_local std::vector<uint64_t> scratch;
  size_t bases = plan.inputs.size() + plan.outputs.size() + 2;
  size_t words = bases + maxParameters + (maxParameterBytes + 7) / 8 + 16;
  if (scratch.size() < words)
    scratch.resize(words);
  cu::DevicePtr *base = reinterpret_cast<cu::DevicePtr *>(scratch.data());
  size_t next = 0;
  for (size_t i = 0; i < call.inputCount; ++i)
    base[next++] = reinterpret_cast<cu::DevicePtr>(call.inputs[i]);
  for (size_t i = 0; i < call.outputCount; ++i)
    base[next++] = reinterpret_cast<cu::DevicePtr>(call.outputs[i]);
  base[next++] = reinterpret_cast<cu::DevicePtr>(call.workspace);
  base[next++] = constantMemory.get();
  void **pointers = reinterpret_cast<void **>(scratch.data() + bases);
  uintptr_t parameters = alignTo(reinterpret_cast<uintptr_t>(pointers + maxParameters), 128);

  ContextGuard guard(driver, context);
  RunContext run{driver,
                 base,
                 stream,
                 base[bases - 2] + libraryWorkspaceOffset,
                 workspaceBytes > libraryWorkspaceOffset ? workspaceBytes - libraryWorkspaceOffset : 0,
                 reinterpret_cast<unsigned char *>(parameters),
                 pointers};
  if (plan.errorWord)
    driver.check(driver.cuMemsetD32Async(base[bases - 2] + *plan.errorWord, 0, 1, stream), "cuMemsetD32Async",
                 "graph '" + plan.name + "', the error word");
  try {
    steps.enqueue(plan, run);
  } catch (const Error &error) {
    // What was started still works on the call's memory.
    if (communication)
      communication->join(stream);
    throw Error(error.getStatus(), "graph '" + plan.name + "', " + error.what());
  }
}

void LoadedGraph::checkRun(void *workspace, cu::Stream stream) const {
  if (!plan.errorWord)
    return;
  if (!workspace)
    throw Error(FXRT_INVALID_ARGUMENT, "graph '" + plan.name + "': expected the workspace of a run but got null");
  ContextGuard guard(driver, context);
  uint32_t code = 0;
  driver.check(driver.cuMemcpyDtoHAsync_v2(&code, reinterpret_cast<cu::DevicePtr>(workspace) + *plan.errorWord,
                                           sizeof(code), stream),
               "cuMemcpyDtoHAsync", "graph '" + plan.name + "', the error word");
  driver.check(driver.cuStreamSynchronize(stream), "cuStreamSynchronize", "graph '" + plan.name + "'");
  if (code == 0)
    return;
  std::string where = code <= plan.steps.size() ? plan.describeStep(code - 1) : "step " + std::to_string(code - 1);
  throw Error(FXRT_RUN_FAILED, "graph '" + plan.name + "', " + where + ": an index is out of range");
}

//===----------------------------------------------------------------------===//
// CUDA graphs
//===----------------------------------------------------------------------===//

CapturedGraph::CapturedGraph(std::shared_ptr<const LoadedGraph> graphIn, const CallBuffers &call)
    : graph(std::move(graphIn)) {
  // The steps of a capture are those of all replays.
  const LaunchPlan &plan = graph->getPlan();
  if (std::optional<size_t> decision = plan.findDecision())
    throw Error(FXRT_UNSUPPORTED, "graph '" + plan.name + "', " + plan.describeStep(*decision) +
                                      ": which steps run is known when they do: the graph cannot be captured");
  const DriverApi &driver = graph->getDriver();
  ContextGuard guard(driver, graph->getContext());
  OwnedStream stream(driver);
  // Thread-local mode: what other threads do meanwhile cannot break the
  // capture.
  driver.check(driver.cuStreamBeginCapture_v2(stream, cu::StreamCaptureModeThreadLocal), "cuStreamBeginCapture");
  cu::Graph captured = nullptr;
  try {
    graph->run(call, stream);
  } catch (...) {
    if (driver.cuStreamEndCapture(stream, &captured) == cu::Success && captured)
      driver.cuGraphDestroy(captured);
    throw;
  }
  driver.check(driver.cuStreamEndCapture(stream, &captured), "cuStreamEndCapture");
  cu::Result result = driver.cuGraphInstantiateWithFlags(&exec, captured, 0);
  driver.cuGraphDestroy(captured);
  driver.check(result, "cuGraphInstantiate");
}

CapturedGraph::~CapturedGraph() {
  try {
    ContextGuard guard(graph->getDriver(), graph->getContext());
    if (exec)
      graph->getDriver().cuGraphExecDestroy(exec);
  } catch (...) {
  }
}

void CapturedGraph::replay(cu::Stream stream) const {
  const DriverApi &driver = graph->getDriver();
  ContextGuard guard(driver, graph->getContext());
  driver.check(driver.cuGraphLaunch(exec, stream), "cuGraphLaunch", "graph '" + graph->getPlan().name + "'");
}
