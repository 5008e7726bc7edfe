// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mlir/Transforms/Passes.h"
#include "Kernel/HostFunction.h"
#include "Kernel/HostMemory.h"
#include "Stages/PlanOptions.h"
#include "Stages/Stages.h"
#include "fxgraph/Analysis/CallGraph.h"
#include "fxgraph/Conversion/LinalgToCPU.h"
#include "fxgraph/Support/OptionText.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace fxgraph::gpu {
#define GEN_PASS_DECL
#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#define GEN_PASS_DEF_BATCHKERNELSPASS
#define GEN_PASS_DEF_CHECKFORGPUPASS
#define GEN_PASS_DEF_CONFIGUREKERNELSPASS
#define GEN_PASS_DEF_CONFIGUREPRODUCTSPASS
#define GEN_PASS_DEF_EMITKERNELSPASS
#define GEN_PASS_DEF_FORMKERNELSPASS
#define GEN_PASS_DEF_FUSEKERNELSPASS
#define GEN_PASS_DEF_OVERLAPLAUNCHESPASS
#define GEN_PASS_DEF_SERIALIZEKERNELSPASS
#define GEN_PASS_DEF_SPREADSCANSPASS
#define GEN_PASS_DEF_PLANMEMORYPASS
#define GEN_PASS_DEF_PREPAREFORGPUPASS
#define GEN_PASS_DEF_PRINTFUSIONPLANPASS
#include "fxgraph/Backend/GPU/Passes.h.inc"
} // namespace fxgraph::gpu

using namespace fxgraph;
using namespace fxgraph::gpu;

static constexpr std::pair<llvm::StringLiteral, Libraries> kLibraries[] = {{"none", Libraries::None},
                                                                           {"cublaslt", Libraries::CublasLt},
                                                                           {"all", Libraries::All},
                                                                           {"always", Libraries::Always}};
static constexpr std::pair<llvm::StringLiteral, OwnProducts> kProducts[] = {
    {"never", OwnProducts::Never}, {"measured", OwnProducts::Measured}, {"all", OwnProducts::All}};

template <typename T, size_t N>
static std::optional<T> parse(StringRef text, const std::pair<llvm::StringLiteral, T> (&names)[N]) {
  for (const auto &[name, value] : names)
    if (name == text)
      return value;
  return std::nullopt;
}

template <typename T, size_t N>
static StringRef findName(T value, const std::pair<llvm::StringLiteral, T> (&names)[N]) {
  return llvm::find_if(names, [&](const auto &entry) { return entry.second == value; })->first;
}

StringRef fxgraph::gpu::stringify(Libraries libraries) { return findName(libraries, kLibraries); }
StringRef fxgraph::gpu::stringify(OwnProducts products) { return findName(products, kProducts); }

bool fxgraph::gpu::setGPUOption(StringRef key, StringRef value, GPUOptions &options) {
  auto set = [](auto &field, auto parsed) {
    if (parsed)
      field = *parsed;
    return parsed.has_value();
  };
  if (key == "libraries")
    return set(options.libraries, parse(value, kLibraries));
  if (key == "products")
    return set(options.products, parse(value, kProducts));
  if (key == "processors")
    return !value.getAsInteger(10, options.processors) && options.processors > 0;
  if (key == "seed")
    return !value.getAsInteger(10, options.seed);
  bool *flag = llvm::StringSwitch<bool *>(key)
                   .Case("tf32", &options.allowTF32)
                   .Case("row-major-results", &options.rowMajorResults)
                   .Case("overlap-launches", &options.overlapLaunches)
                   .Default(nullptr);
  if (flag)
    return set(
        *flag,
        llvm::StringSwitch<std::optional<bool>>(value).Case("true", true).Case("false", false).Default(std::nullopt));
  std::string *text = key == "chip"             ? &options.chip
                      : key == "product-config" ? &options.productConfig
                      : key == "nest-config"    ? &options.nestConfig
                                                : nullptr;
  if (text)
    *text = value.str();
  return text;
}

namespace {

/// What options of passes say, or errors.
class OptionReader {
public:
  OptionReader(mlir::Pass &pass, Location loc) : pass(pass), loc(loc) {}

  OptionReader &libraries(StringRef text) {
    return take(parse(text, kLibraries), options.libraries, "libraries", "none, cublaslt, all or always", text);
  }
  OptionReader &products(StringRef text) {
    return take(parse(text, kProducts), options.products, "products", "never, measured or all", text);
  }
  OptionReader &processors(int64_t number) {
    return take(number > 0 ? std::optional(number) : std::nullopt, options.processors, "processors",
                "a positive number", std::to_string(number));
  }
  OptionReader &format(StringRef text) {
    if (text != "gpu" && text != "ptx")
      refuse("format", "gpu or ptx", text);
    return *this;
  }
  OptionReader &chip(StringRef text) {
    options.chip = text.str();
    return *this;
  }
  OptionReader &tf32(bool isAllowed) {
    options.allowTF32 = isAllowed;
    return *this;
  }
  OptionReader &productConfig(StringRef text) {
    options.productConfig = text.str();
    return *this;
  }
  OptionReader &nestConfig(StringRef text) {
    options.nestConfig = text.str();
    return *this;
  }
  FailureOr<GPUOptions> get() const {
    if (!isValid)
      return failure();
    return options;
  }

private:
  void refuse(StringRef option, StringRef expected, StringRef value) {
    emitError(loc) << pass.getArgument() << ": expected " << option << " to be " << expected << " but got '" << value
                   << "'";
    isValid = false;
  }
  template <typename T>
  OptionReader &take(std::optional<T> parsed, T &field, StringRef option, StringRef expected, StringRef value) {
    if (parsed)
      field = *parsed;
    else
      refuse(option, expected, value);
    return *this;
  }

  mlir::Pass &pass;
  Location loc;
  GPUOptions options;
  bool isValid = true;
};

/// The only function with a body, or the one that `entry` names.
template <typename PassTy>
FailureOr<mlir::func::FuncOp> findEntry(PassTy &pass, mlir::ModuleOp module) {
  StringRef entry = pass.entry, name = pass.getArgument();
  mlir::func::FuncOp function;
  for (mlir::func::FuncOp candidate : module.getOps<mlir::func::FuncOp>()) {
    if (candidate.isExternal() || (!entry.empty() && candidate.getName() != entry))
      continue;
    if (function)
      return emitError(module.getLoc()) << name
                                        << ": expected one function with a body, or entry=NAME, but got several";
    function = candidate;
  }
  if (!function)
    return emitError(module.getLoc()) << name << ": expected a function "
                                      << (entry.empty() ? "with a body" : "named '" + entry.str() + "'");
  return function;
}

struct CheckForGPUPass : public fxgraph::gpu::impl::CheckForGPUPassBase<CheckForGPUPass> {
  using Base::Base;
  using Base::entry;

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    mlir::func::registerInlinerExtension(registry); // For the pass behind it.
  }

  void runOnOperation() override {
    OptionReader reader(*this, getOperation().getLoc());
    FailureOr<GPUOptions> options =
        reader.libraries(libraries).products(products).processors(processors).format(format).get();
    FailureOr<mlir::func::FuncOp> function = findEntry(*this, getOperation());
    if (failed(options) || failed(function) || failed(checkCalls(*function)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

struct FuseKernelsPass : public fxgraph::gpu::impl::FuseKernelsPassBase<FuseKernelsPass> {
  using Base::Base;
  using Base::entry;

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    registerCPULoweringInterfaces(registry); // fxgraph.kernel is bufferised.
  }

  void runOnOperation() override {
    OptionReader reader(*this, getOperation().getLoc());
    FailureOr<GPUOptions> options = reader.chip(chip).libraries(libraries).products(products).tf32(tf32).get();
    FailureOr<mlir::func::FuncOp> function = findEntry(*this, getOperation());
    if (failed(options) || failed(function) || failed(fuseKernels(*function, *options)))
      signalPassFailure();
  }
};

/// Whether a stage is to change the function: a graph, and the one that its option names.
bool isGraph(mlir::func::FuncOp function, StringRef entry) {
  return !function.isExternal() && !isHostFunction(function) && (entry.empty() || function.getName() == entry);
}

/// A host function whose memory is not planned yet.
bool isUnplanned(mlir::func::FuncOp function) {
  return isHostFunction(function) && !function.isExternal() &&
         (function.getNumArguments() == 0 || !isWorkspace(function.getArguments().back()));
}

struct BatchKernelsPass : public fxgraph::gpu::impl::BatchKernelsPassBase<BatchKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    OptionReader reader(*this, getOperation().getLoc());
    FailureOr<GPUOptions> options = reader.libraries(libraries).products(products).get();
    if (failed(options) || (isUnplanned(getOperation()) && failed(batchKernels(getOperation(), *options))))
      signalPassFailure();
  }
};

struct ConfigureProductsPass : public fxgraph::gpu::impl::ConfigureProductsPassBase<ConfigureProductsPass> {
  using Base::Base;

  void runOnOperation() override {
    OptionReader reader(*this, getOperation().getLoc());
    FailureOr<GPUOptions> options = reader.processors(processors).productConfig(productConfig).get();
    if (failed(options) || (isUnplanned(getOperation()) && failed(configureProducts(getOperation(), *options))))
      signalPassFailure();
  }
};

struct SpreadScansPass : public fxgraph::gpu::impl::SpreadScansPassBase<SpreadScansPass> {
  using Base::Base;

  void runOnOperation() override {
    OptionReader reader(*this, getOperation().getLoc());
    FailureOr<GPUOptions> options = reader.processors(processors).get();
    if (failed(options) || (isUnplanned(getOperation()) && failed(spreadScans(getOperation(), *options))))
      signalPassFailure();
  }
};

struct PlanMemoryPass : public fxgraph::gpu::impl::PlanMemoryPassBase<PlanMemoryPass> {
  using Base::Base;

  void runOnOperation() override {
    if (isUnplanned(getOperation()) && failed(planMemory(getOperation())))
      signalPassFailure();
  }
};

struct ConfigureKernelsPass : public fxgraph::gpu::impl::ConfigureKernelsPassBase<ConfigureKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    mlir::func::FuncOp function = getOperation();
    OptionReader reader(*this, function.getLoc());
    FailureOr<GPUOptions> options = reader.processors(processors).nestConfig(nestConfig).get();
    bool isPlanned = isHostFunction(function) && !isUnplanned(function);
    if (failed(options) || (isPlanned && failed(configureKernels(function, *options))))
      signalPassFailure();
  }
};

/// The host functions of a module.
SmallVector<mlir::func::FuncOp> getHosts(mlir::ModuleOp module) {
  return llvm::to_vector(llvm::make_filter_range(module.getOps<mlir::func::FuncOp>(), isHostFunction));
}

struct EmitKernelsPass : public fxgraph::gpu::impl::EmitKernelsPassBase<EmitKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    for (mlir::func::FuncOp host : getHosts(getOperation()))
      if (failed(emitKernels(host)))
        return signalPassFailure();
  }
};

struct OverlapLaunchesPass : public fxgraph::gpu::impl::OverlapLaunchesPassBase<OverlapLaunchesPass> {
  using Base::Base;

  void runOnOperation() override {
    for (mlir::func::FuncOp host : getHosts(getOperation()))
      overlapLaunches(host);
  }
};

struct SerializeKernelsPass : public fxgraph::gpu::impl::SerializeKernelsPassBase<SerializeKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    mlir::ModuleOp module = getOperation();
    GPUOptions options;
    for (mlir::func::FuncOp host : getHosts(module))
      options.chip = host->getAttrOfType<StringAttr>(kHostChipAttr).str();
    for (auto kernels : module.getOps<mlir::gpu::GPUModuleOp>()) {
      FailureOr<std::string> image = serializeGPUModule(kernels, options);
      if (failed(image))
        return signalPassFailure();
      module->setAttr("fxgraph.image", StringAttr::get(&getContext(), *image));
    }
  }
};

struct PrepareForGPUPass : public fxgraph::gpu::impl::PrepareForGPUPassBase<PrepareForGPUPass> {
  using Base::Base;

  void runOnOperation() override {
    if (isGraph(getOperation(), entry.getValue()) && failed(prepareForGPU(getOperation(), seed, chip.getValue())))
      signalPassFailure();
  }
};

struct AssignLayoutsPass : public fxgraph::gpu::impl::AssignLayoutsPassBase<AssignLayoutsPass> {
  using Base::Base;

  void runOnOperation() override {
    mlir::func::FuncOp function = getOperation();
    if (isGraph(function, entry.getValue()) && function.getBody().hasOneBlock())
      assignLayouts(function);
  }
};

struct FormKernelsPass : public fxgraph::gpu::impl::FormKernelsPassBase<FormKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    OptionReader reader(*this, getOperation().getLoc());
    FailureOr<GPUOptions> options = reader.libraries(libraries).get();
    if (failed(options) ||
        (isGraph(getOperation(), entry.getValue()) && failed(formKernels(getOperation(), options->libraries))))
      signalPassFailure();
  }
};

struct PrintFusionPlanPass : public fxgraph::gpu::impl::PrintFusionPlanPassBase<PrintFusionPlanPass> {
  using Base::Base;

  void runOnOperation() override {
    OptionReader reader(*this, getOperation().getLoc());
    FailureOr<GPUOptions> options = reader.libraries(libraries).get();
    if (failed(options))
      return signalPassFailure();
    FusionOptions fusionOptions = getPlanOptions(options->libraries);
    fusionOptions.tensorCoreProducts = tensorCores;
    for (auto function : getOperation().getOps<mlir::func::FuncOp>()) {
      if (function.isExternal())
        continue;
      if (prepare) {
        if (failed(prepareForGPU(function, /*seed=*/0, options->chip)))
          return signalPassFailure();
        if (function.getBody().hasOneBlock())
          assignLayouts(function);
        if (failed(formKernels(function, options->libraries)))
          return signalPassFailure();
      }
      FailureOr<FusionPlan> plan = planFusion(function, fusionOptions);
      if (failed(plan))
        return signalPassFailure();
      llvm::outs() << "plan of @" << function.getName() << "\n";
      plan->print(llvm::outs(), function);
    }
    if (!prepare)
      markAllAnalysesPreserved();
  }
};

} // namespace
