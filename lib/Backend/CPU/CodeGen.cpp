// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graph to LLVM dialect to LLVM IR to object file. Code in memory and shared
// libraries come from the same object.

#include "fxgraph/Analysis/CallGraph.h"
#include "fxgraph/Backend/CPU.h"
#include "fxgraph/Conversion/Passes.h"
#include "fxgraph/Pipelines/CPU.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include <chrono>

using namespace fxgraph;

namespace {
/// Seconds since construction, printed on request.
class StageTimer {
public:
  StageTimer(bool enabled, StringRef stage) : enabled(enabled), stage(stage), start(std::chrono::steady_clock::now()) {}
  ~StageTimer() {
    if (enabled)
      llvm::errs() << llvm::formatv(
          "{0,8:F3} s  {1}\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), stage);
  }

private:
  bool enabled;
  StringRef stage;
  std::chrono::steady_clock::time_point start;
};
} // namespace

void fxgraph::registerCPUCodeGenDialects(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::func::registerInlinerExtension(registry);
  registerCPULoweringInterfaces(registry);
}

FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> fxgraph::lowerToLLVMDialect(mlir::ModuleOp module, StringRef entry,
                                                                         const CPUCodeGenOptions &options) {
  mlir::MLIRContext *context = module.getContext();
  mlir::DialectRegistry registry;
  registerCPUCodeGenDialects(registry);
  context->appendDialectRegistry(registry);
  FailureOr<mlir::func::FuncOp> function = lookupEntry(module, entry);
  if (failed(function) || failed(checkCalls(*function)))
    return failure();
  mlir::OwningOpRef<mlir::ModuleOp> clone = cloneWithCallees(*function);
  if (failed(inlineCallees(*clone, entry)))
    return failure();
  StageTimer timer(options.timing, "graph to LLVM dialect");
  mlir::PassManager pm(context);
  CPUPipelineOptions pipeline;
  pipeline.parallel = options.parallel;
  pipeline.fuse = options.fuse;
  if (options.cpu != "host")
    pipeline.vectorBytes = 16;
  buildCPUPipeline(pm, pipeline);
  if (options.timing)
    pm.enableTiming();
  if (failed(pm.run(*clone)))
    return failure();
  return clone;
}

/// What this processor has, or lacks, apart from others of its name. LLVM reads each feature against a table of all
/// of them, for every function: the sixty that the name tells already would be a third of a small graph's compilation.
static const std::string &getHostFeatures(const llvm::Target &target, const llvm::Triple &triple, StringRef cpu) {
  static const std::string features = [&] {
    std::unique_ptr<llvm::MCSubtargetInfo> named(target.createMCSubtargetInfo(triple, cpu, ""));
    std::string text;
    for (auto &feature : llvm::sys::getHostCPUFeatures()) {
      std::string flag = (feature.second ? "+" : "-") + feature.first().str();
      if (!named || !named->checkFeatures(flag))
        text += (text.empty() ? "" : ",") + flag;
    }
    return text;
  }();
  return features;
}

static LogicalResult makeTargetMachine(mlir::ModuleOp module, const CPUCodeGenOptions &options,
                                       std::unique_ptr<llvm::TargetMachine> &machine) {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return module.emitError() << "no code generator for " << triple.str() << ": " << error;
  std::string cpu = options.cpu, features;
  if (cpu == "host") {
    cpu = llvm::sys::getHostCPUName().str();
    features = getHostFeatures(*target, triple, cpu);
  }
  // LLVM only warns of a name that it does not know, and goes on without it.
  std::unique_ptr<llvm::MCSubtargetInfo> known(target->createMCSubtargetInfo(triple, "", ""));
  if (known && !known->isCPUStringValid(cpu))
    return module.emitError() << "expected a processor that LLVM knows for " << triple.getArchName()
                              << " (host, generic, x86-64-v3, …) but got '" << cpu << "'";
  auto level = options.optimizationLevel == 0   ? llvm::CodeGenOptLevel::None
               : options.optimizationLevel == 1 ? llvm::CodeGenOptLevel::Less
               : options.optimizationLevel == 2 ? llvm::CodeGenOptLevel::Default
                                                : llvm::CodeGenOptLevel::Aggressive;
  machine.reset(target->createTargetMachine(triple, cpu, features, llvm::TargetOptions(), llvm::Reloc::PIC_,
                                            std::nullopt, level));
  if (!machine)
    return module.emitError() << "no code generator for the processor '" << cpu << "'";
  return success();
}

/// Masked stores of one lane become stores of that element. X86's instruction selection
/// (LLVM 22.1) makes a scalar store of them, too, but of the type that the vector was
/// widened to: a lane of <4 x i16> writes four bytes.
static void storeSingleLanes(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *store = dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!store || store->getIntrinsicID() != llvm::Intrinsic::masked_store)
      continue;
    auto *mask = dyn_cast<llvm::Constant>(store->getArgOperand(2));
    auto *type = dyn_cast<llvm::FixedVectorType>(store->getArgOperand(0)->getType());
    if (!mask || !type)
      continue;
    SmallVector<unsigned> lanes;
    for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
      llvm::Constant *bit = mask->getAggregateElement(lane);
      if (!bit || !bit->isNullValue())
        lanes.push_back(lane);
    }
    if (lanes.size() != 1 || !mask->getAggregateElement(lanes.front()))
      continue;
    llvm::IRBuilder<> b(store);
    llvm::Value *element = b.CreateExtractElement(store->getArgOperand(0), lanes.front());
    llvm::Value *address = b.CreateConstInBoundsGEP1_64(type->getElementType(), store->getArgOperand(1), lanes.front());
    uint64_t offset = lanes.front() * (type->getScalarSizeInBits() / 8);
    llvm::Align align = llvm::commonAlignment(store->getParamAlign(1).valueOrOne(), offset);
    b.CreateAlignedStore(element, address, align)->setAAMetadata(store->getAAMetadata());
    store->eraseFromParent();
  }
}

/// The optimised LLVM module of a graph.
static LogicalResult compile(mlir::ModuleOp module, StringRef entry, const CPUCodeGenOptions &options,
                             llvm::LLVMContext &context, std::unique_ptr<llvm::Module> &result,
                             std::unique_ptr<llvm::TargetMachine> &machine) {
  FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> lowered = lowerToLLVMDialect(module, entry, options);
  if (failed(lowered) || failed(makeTargetMachine(module, options, machine)))
    return failure();
  {
    StageTimer timer(options.timing, "LLVM dialect to LLVM IR");
    result = mlir::translateModuleToLLVMIR(**lowered, context, "fxgraph");
  }
  if (!result)
    return module.emitError() << "translation to LLVM IR failed";
  result->setTargetTriple(machine->getTargetTriple());
  result->setDataLayout(machine->createDataLayout());
  // LLVM takes half of the processor's vectors on some that ran slower with whole ones; with kernels as dense as these
  // whole ones are faster on all since (exp: 1.3 times, models: up to 1.1 times).
  bool wholeVectors = options.cpu == "host" && getHostVectorBytes() == 64;
  for (llvm::Function &function : *result) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine->getTargetCPU());
    function.addFnAttr("target-features", machine->getTargetFeatureString());
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (wholeVectors)
      function.addFnAttr("prefer-vector-width", "512");
  }
  StageTimer timer(options.timing, "LLVM optimisation");
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = options.optimizationLevel > 1;
  tuning.SLPVectorization = options.optimizationLevel > 1;
  llvm::PassBuilder builder(machine.get(), tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  functions.registerPass([&] { return machine->getTargetIRAnalysis(); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  static const llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                                   llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::OptimizationLevel level = levels[std::min(options.optimizationLevel, 3u)];
  llvm::ModulePassManager passes = level == llvm::OptimizationLevel::O0 ? builder.buildO0DefaultPipeline(level)
                                                                        : builder.buildPerModuleDefaultPipeline(level);
  passes.run(*result, modules);
  for (llvm::Function &function : *result)
    storeSingleLanes(function);
  return success();
}

FailureOr<std::string> fxgraph::emitLLVMIR(mlir::ModuleOp module, StringRef entry, const CPUCodeGenOptions &options) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule;
  std::unique_ptr<llvm::TargetMachine> machine;
  if (failed(compile(module, entry, options, context, llvmModule, machine)))
    return failure();
  std::string text;
  llvm::raw_string_ostream os(text);
  llvmModule->print(os, nullptr);
  return text;
}

FailureOr<SmallVector<char, 0>> fxgraph::emitObject(mlir::ModuleOp module, StringRef entry,
                                                    const CPUCodeGenOptions &options) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule;
  std::unique_ptr<llvm::TargetMachine> machine;
  if (failed(compile(module, entry, options, context, llvmModule, machine)))
    return failure();
  StageTimer timer(options.timing, "LLVM code generation");
  SmallVector<char, 0> object;
  llvm::raw_svector_ostream os(object);
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, os, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    module.emitError() << "the code generator cannot write object files";
    return failure();
  }
  codegen.run(*llvmModule);
  return object;
}
