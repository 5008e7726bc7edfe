// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mlir/Transforms/Passes.h"
#include "PlanOptions.h"
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
#define GEN_PASS_DEF_EMITGPUPASS
#define GEN_PASS_DEF_FORMKERNELSPASS
#define GEN_PASS_DEF_TOGPUPASS
#define GEN_PASS_DEF_PREPAREFORGPUPASS
#define GEN_PASS_DEF_PRINTFUSIONPLANPASS
#define GEN_PASS_REGISTRATION
#include "fxgraph/Backend/GPU/Passes.h.inc"
} // namespace fxgraph::gpu

using namespace fxgraph;
using namespace fxgraph::gpu;

static std::optional<Libraries> parseLibraries(StringRef text) {
  return llvm::StringSwitch<std::optional<Libraries>>(text)
      .Case("none", Libraries::None)
      .Case("cublaslt", Libraries::CublasLt)
      .Case("all", Libraries::All)
      .Default(std::nullopt);
}

static std::optional<OwnProducts> parseProducts(StringRef text) {
  return llvm::StringSwitch<std::optional<OwnProducts>>(text)
      .Case("never", OwnProducts::Never)
      .Case("measured", OwnProducts::Measured)
      .Case("all", OwnProducts::All)
      .Default(std::nullopt);
}

bool fxgraph::gpu::setGPUOption(StringRef key, StringRef value, GPUOptions &options) {
  auto set = [](auto &field, auto parsed) {
    if (parsed)
      field = *parsed;
    return parsed.has_value();
  };
  if (key == "libraries")
    return set(options.libraries, parseLibraries(value));
  if (key == "products")
    return set(options.products, parseProducts(value));
  if (key == "processors")
    return !value.getAsInteger(10, options.processors) && options.processors > 0;
  if (key == "seed")
    return !value.getAsInteger(10, options.seed);
  if (key == "tf32")
    return set(
        options.allowTF32,
        llvm::StringSwitch<std::optional<bool>>(value).Case("true", true).Case("false", false).Default(std::nullopt));
  std::string *text = key == "chip" ? &options.chip : key == "product-config" ? &options.productConfig : nullptr;
  if (text)
    *text = value.str();
  return text;
}

namespace {

/// The options of a pass that emits, or an error.
template <typename PassTy>
FailureOr<GPUOptions> readOptions(PassTy &pass, Location loc) {
  auto refuse = [&](StringRef option, StringRef expected, StringRef value) {
    return emitError(loc) << pass.getArgument() << ": expected " << option << " to be " << expected << " but got '"
                          << value << "'";
  };
  GPUOptions options;
  options.chip = pass.chip;
  std::optional<Libraries> libraries = parseLibraries(pass.libraries);
  if (!libraries)
    return refuse("libraries", "none, cublaslt or all", pass.libraries);
  if (pass.format != "gpu" && pass.format != "ptx")
    return refuse("format", "gpu or ptx", pass.format);
  if (pass.processors < 1)
    return refuse("processors", "a positive number", std::to_string(pass.processors));
  std::optional<OwnProducts> products = parseProducts(pass.products);
  if (!products)
    return refuse("products", "never, measured or all", pass.products);
  options.libraries = *libraries;
  options.products = *products;
  options.processors = pass.processors;
  options.productConfig = pass.productConfig;
  options.seed = pass.seed;
  return options;
}

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

struct ToGPUPass : public fxgraph::gpu::impl::ToGPUPassBase<ToGPUPass> {
  using Base::Base;
  using Base::chip, Base::entry, Base::format, Base::libraries, Base::processors, Base::productConfig, Base::products,
      Base::seed;

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    registerCPULoweringInterfaces(registry); // fxgraph.kernel is bufferised.
    mlir::func::registerInlinerExtension(registry);
  }

  void runOnOperation() override {
    if (failed(readOptions(*this, getOperation().getLoc())))
      return signalPassFailure();
    FailureOr<mlir::func::FuncOp> function = findEntry(*this, getOperation());
    if (failed(function))
      return signalPassFailure();
    // Calls are inlined first: a graph is one function.
    if (!function->getOps<mlir::func::CallOp>().empty()) {
      mlir::OpPassManager inlining(mlir::ModuleOp::getOperationName());
      inlining.addPass(mlir::createInlinerPass());
      if (failed(checkCalls(*function)) || failed(runPipeline(inlining, getOperation())))
        return signalPassFailure();
      // Callees that were private are gone, public ones stay.
      function = findEntry(*this, getOperation());
      if (failed(function))
        return signalPassFailure();
    }
    mlir::OpPassManager stages(mlir::func::FuncOp::getOperationName());
    stages.addPass(createPrepareForGPUPass({seed}));
    stages.addPass(createFormKernelsPass({libraries}));
    mlir::OpPassManager emission(mlir::ModuleOp::getOperationName());
    emission.addPass(createEmitGPUPass({entry, chip, libraries, processors, products, productConfig, format, seed}));
    if (failed(runPipeline(stages, *function)) || failed(runPipeline(emission, getOperation())))
      signalPassFailure();
  }
};

struct EmitGPUPass : public fxgraph::gpu::impl::EmitGPUPassBase<EmitGPUPass> {
  using Base::Base;
  using Base::chip, Base::entry, Base::format, Base::libraries, Base::processors, Base::productConfig, Base::products,
      Base::seed;

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    registerCPULoweringInterfaces(registry);
  }

  void runOnOperation() override {
    mlir::ModuleOp module = getOperation();
    FailureOr<GPUOptions> options = readOptions(*this, getOperation().getLoc());
    FailureOr<mlir::func::FuncOp> function = findEntry(*this, getOperation());
    if (failed(options) || failed(function))
      return signalPassFailure();
    FailureOr<GPUProgram> program = emitGPUProgram(*function, *options);
    if (failed(program))
      return signalPassFailure();
    function->erase();
    module->setAttr(mlir::gpu::GPUDialect::getContainerModuleAttrName(), mlir::UnitAttr::get(&getContext()));
    // Literals, the host function and the kernels.
    for (Operation &op : llvm::make_early_inc_range(*program->module->getBody())) {
      if (auto kernels = dyn_cast<mlir::gpu::GPUModuleOp>(op); kernels && format == "ptx") {
        FailureOr<std::string> image = serializeGPUModule(kernels, *options);
        if (failed(image))
          return signalPassFailure();
        module->setAttr("fxgraph.image", StringAttr::get(&getContext(), *image));
      }
      op.remove();
      module.push_back(&op);
    }
  }
};

struct PrepareForGPUPass : public fxgraph::gpu::impl::PrepareForGPUPassBase<PrepareForGPUPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!getOperation().isExternal() && failed(prepareForGPU(getOperation(), seed)))
      signalPassFailure();
  }
};

struct FormKernelsPass : public fxgraph::gpu::impl::FormKernelsPassBase<FormKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    std::optional<Libraries> chosen = parseLibraries(libraries);
    if (!chosen) {
      emitError(getOperation().getLoc())
          << "fxgraph-form-kernels: expected libraries to be none, cublaslt or all but got '" << libraries << "'";
      return signalPassFailure();
    }
    if (!getOperation().isExternal() && failed(formKernels(getOperation(), *chosen)))
      signalPassFailure();
  }
};

struct PrintFusionPlanPass : public fxgraph::gpu::impl::PrintFusionPlanPassBase<PrintFusionPlanPass> {
  using Base::Base;

  void runOnOperation() override {
    std::optional<Libraries> chosen = parseLibraries(libraries);
    if (!chosen) {
      emitError(getOperation().getLoc())
          << "fxgraph-print-fusion-plan: expected libraries to be none, cublaslt or all but got '" << libraries << "'";
      return signalPassFailure();
    }
    FusionOptions fusionOptions = getPlanOptions(*chosen);
    fusionOptions.tensorCoreProducts = tensorCores;
    for (auto function : getOperation().getOps<mlir::func::FuncOp>()) {
      if (function.isExternal())
        continue;
      if (prepare && (failed(prepareForGPU(function)) || failed(formKernels(function, *chosen))))
        return signalPassFailure();
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

void fxgraph::gpu::registerGPUPasses() { registerFxGraphGPUPasses(); }
