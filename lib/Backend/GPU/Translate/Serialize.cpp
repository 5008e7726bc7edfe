// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gpu.module -> NVVM -> PTX -> cubin or fatbin. PTX comes from LLVM in this
// process; the other formats need NVIDIA's ptxas and fatbinary.

#include "Kernel/HostFunction.h"
#include "Translate/JoinPTX.h"
#include "Translate/KeepCarries.h"
#include "Translate/WaitFirst.h"
#include "fxgraph/Backend/GPU/GPU.h"
#include "fxgraph/Conversion/LinalgToCPU.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Threading.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVM/NVVM/Target.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

namespace {
struct Chip {
  StringRef name;
  StringRef features; ///< PTX version that both LLVM and the toolkit's ptxas take
};
} // namespace

static constexpr Chip chips[] = {
    {"sm_80", "+ptx83"},  {"sm_86", "+ptx83"},  {"sm_87", "+ptx83"},   {"sm_89", "+ptx83"},  {"sm_90", "+ptx83"},
    {"sm_90a", "+ptx86"}, {"sm_100", "+ptx86"}, {"sm_100a", "+ptx86"}, {"sm_120", "+ptx87"}, {"sm_120a", "+ptx87"},
};

static const Chip *findChip(StringRef name) {
  const Chip *found = llvm::find_if(chips, [&](const Chip &chip) { return chip.name == name; });
  return found == std::end(chips) ? nullptr : found;
}

bool fxgraph::gpu::isKnownChip(StringRef chip) { return findChip(chip); }

/// A known chip of Hopper or later.
static bool isFromHopperOn(StringRef chip) {
  int64_t number = 0;
  return findChip(chip) && !chip.drop_front(StringRef("sm_").size()).consumeInteger(10, number) && number >= 90;
}

bool fxgraph::gpu::hasClusters(StringRef chip) { return isFromHopperOn(chip); }

bool fxgraph::gpu::hasDependentLaunches(StringRef chip) { return isFromHopperOn(chip); }

std::string fxgraph::gpu::getKnownChips() {
  std::string text;
  for (const Chip &chip : chips)
    text += (text.empty() ? "" : ", ") + chip.name.str();
  return text;
}

void fxgraph::gpu::registerGPUDialects(mlir::DialectRegistry &registry) {
  registry
      .insert<mlir::gpu::GPUDialect, mlir::NVVM::NVVMDialect, mlir::LLVM::LLVMDialect, mlir::memref::MemRefDialect,
              mlir::scf::SCFDialect, mlir::vector::VectorDialect, mlir::math::MathDialect, mlir::arith::ArithDialect,
              mlir::func::FuncDialect, mlir::affine::AffineDialect, mlir::bufferization::BufferizationDialect,
              mlir::cf::ControlFlowDialect, mlir::linalg::LinalgDialect, mlir::tensor::TensorDialect>();
  registerCPULoweringInterfaces(registry); // fxgraph.kernel is bufferised.
  mlir::NVVM::registerNVVMTargetInterfaceExternalModels(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
  mlir::func::registerInlinerExtension(registry); // Calls are inlined.
  // convert-gpu-to-nvvm asks the dialects for their patterns.
  mlir::arith::registerConvertArithToLLVMInterface(registry);
  mlir::cf::registerConvertControlFlowToLLVMInterface(registry);
  mlir::registerConvertFuncToLLVMInterface(registry);
  mlir::registerConvertMathToLLVMInterface(registry);
  mlir::registerConvertMemRefToLLVMInterface(registry);
  mlir::vector::registerConvertVectorToLLVMInterface(registry);
  mlir::registerConvertNVVMToLLVMInterface(registry);
}

void fxgraph::gpu::loadGPUDialects(MLIRContext *context) {
  mlir::DialectRegistry registry;
  registerGPUDialects(registry);
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);
}

/// Folder of the toolkit that libdevice and the tools come from.
static FailureOr<std::string> findToolkit(Location loc, const GPUOptions &options) {
  // A folder that somebody names is taken or refused: no search behind it.
  auto take = [&](StringRef from, const std::string &folder) -> FailureOr<std::string> {
    if (llvm::sys::fs::is_directory(folder))
      return folder;
    return emitError(loc) << "expected " << from << " to be the folder of a CUDA toolkit but got '" << folder << "'";
  };
  if (!options.toolkit.empty())
    return take("toolkit", options.toolkit);
  for (const char *name : {"CUDA_HOME", "CUDA_ROOT", "CUDA_PATH"})
    if (std::optional<std::string> value = llvm::sys::Process::GetEnv(name))
      return take(name, *value);
  // ptxas on PATH stands in <toolkit>/bin; a link there points to it.
  if (llvm::ErrorOr<std::string> tool = llvm::sys::findProgramByName("ptxas")) {
    llvm::SmallString<256> real;
    if (!llvm::sys::fs::real_path(*tool, real)) {
      llvm::sys::path::remove_filename(real);
      llvm::sys::path::append(real, "..");
      if (llvm::sys::fs::exists(real + "/nvvm/libdevice"))
        return std::string(real.str());
    }
  }
  for (const char *folder : {"/usr/local/cuda", "/usr/local/cuda-13.0", "/usr/local/cuda-12.9", "/usr/local/cuda-12.8"})
    if (llvm::sys::fs::exists(Twine(folder) + "/nvvm/libdevice"))
      return std::string(folder);
  return std::string();
}

static llvm::ErrorOr<std::string> findTool(StringRef name, StringRef toolkit) {
  if (!toolkit.empty()) {
    llvm::SmallString<256> folder(toolkit);
    llvm::sys::path::append(folder, "bin");
    if (llvm::ErrorOr<std::string> tool = llvm::sys::findProgramByName(name, {folder.str()}))
      return tool;
  }
  return llvm::sys::findProgramByName(name);
}

/// Lowers the gpu.module ops of a module, each by itself.
static LogicalResult lowerToNVVM(mlir::ModuleOp parts) {
  // Arguments passed by value: the conversion of functions drops the attributes.
  struct ByValue {
    unsigned argument;
    Attribute type, align;
  };
  llvm::StringMap<SmallVector<ByValue>> byValue;
  parts.walk([&](mlir::gpu::GPUFuncOp function) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (Attribute type = function.getArgAttr(i, "llvm.byval"))
        byValue[function.getName()].push_back({i, type, function.getArgAttr(i, "llvm.align")});
  });
  // Nothing here simplifies: LLVM does.
  mlir::PassManager all(parts.getContext(), mlir::ModuleOp::getOperationName());
  mlir::OpPassManager &manager = all.nest<mlir::gpu::GPUModuleOp>();
  manager.addPass(mlir::createConvertVectorToSCFPass(mlir::VectorTransferToSCFOptions().enableFullUnroll(true)));
  manager.addPass(mlir::createSCFToControlFlowPass());
  manager.addPass(mlir::memref::createExpandStridedMetadataPass());
  manager.addPass(mlir::createLowerAffinePass());
  mlir::ConvertVectorToLLVMPassOptions vectors;
  vectors.useVectorAlignment = true;
  manager.addPass(mlir::createConvertVectorToLLVMPass(vectors));
  mlir::ConvertGpuOpsToNVVMOpsOptions nvvm;
  nvvm.useBarePtrCallConv = true;
  manager.addPass(mlir::createConvertGpuOpsToNVVMOps(nvvm));
  manager.addPass(mlir::createConvertMathToLLVMPass()); // What libdevice has no function for.
  manager.addPass(mlir::createConvertNVVMToLLVMPass());
  manager.addPass(mlir::createReconcileUnrealizedCastsPass());
  if (failed(all.run(parts)))
    return failure();
  // Tables and tensor maps in the parameters are only read: without grid_constant each thread gets
  // a copy. (That attribute is not allowed on a gpu.func.)
  parts.walk([&](mlir::LLVM::LLVMFuncOp function) {
    for (auto [i, type, align] : byValue.lookup(function.getName())) {
      function.setArgAttr(i, "llvm.byval", type);
      function.setArgAttr(i, "llvm.align", align);
      function.setArgAttr(i, mlir::NVVM::NVVMDialect::getGridConstantAttrName(),
                          mlir::UnitAttr::get(parts.getContext()));
    }
  });
  // What a loop says for LLVM has become the branch's, but not where its translation looks.
  parts.walk([](mlir::LLVM::BrOp branch) {
    if (Attribute annotation = branch->removeDiscardableAttr("llvm.loop_annotation"))
      branch.setLoopAnnotationAttr(cast<mlir::LLVM::LoopAnnotationAttr>(annotation));
  });
  return success();
}

/// A part takes some milliseconds by itself (libdevice is linked into it); below this many operations of kernels
/// that is more than threads gain. Not a matter of how many threads there are: the artefact is the same everywhere.
static constexpr size_t kOperationsOfPart = 300;

/// The kernels in one or more gpu.modules, which can be compiled beside each other.
static mlir::OwningOpRef<mlir::ModuleOp> splitKernels(mlir::gpu::GPUModuleOp module) {
  mlir::OwningOpRef<mlir::ModuleOp> parts = mlir::ModuleOp::create(module.getLoc());
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(parts->getBody());
  SmallVector<Operation *> shared; // What is no kernel goes with each part.
  SmallVector<mlir::gpu::GPUFuncOp> kernels;
  for (Operation &op : *module.getBody()) {
    if (auto kernel = dyn_cast<mlir::gpu::GPUFuncOp>(op))
      kernels.push_back(kernel);
    else
      shared.push_back(&op);
  }
  mlir::gpu::GPUModuleOp part;
  size_t operations = 0;
  for (mlir::gpu::GPUFuncOp kernel : kernels) {
    if (!part || operations >= kOperationsOfPart) {
      std::string name = ("part" + Twine(parts->getBody()->getOperations().size())).str();
      builder.setInsertionPointToEnd(parts->getBody());
      part = mlir::gpu::GPUModuleOp::create(builder, module.getLoc(), name);
      part->setDiscardableAttrs(module->getDiscardableAttrDictionary());
      builder.setInsertionPointToEnd(part.getBody());
      for (Operation *op : shared)
        builder.clone(*op);
      operations = 0;
    }
    builder.clone(*kernel);
    kernel.walk([&](Operation *) { ++operations; });
  }
  return parts;
}

/// Runs a tool; its messages become part of the error, or warnings.
static LogicalResult runTool(Location loc, StringRef path, ArrayRef<std::string> arguments) {
  llvm::SmallString<128> log;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("fxgraph", "log", log))
    return emitError(loc) << "cannot create a temporary file: " << code.message();
  llvm::FileRemover remove(log);
  SmallVector<StringRef> words = {path};
  for (const std::string &argument : arguments)
    words.push_back(argument);
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log), StringRef(log)};
  std::string problem;
  int code = llvm::sys::ExecuteAndWait(path, words, std::nullopt, redirects, 0, 0, &problem);
  std::string text;
  if (auto buffer = llvm::MemoryBuffer::getFile(log))
    text = (*buffer)->getBuffer().trim().str();
  if (code != 0)
    return emitError(loc) << path << " failed" << (problem.empty() ? "" : ": " + problem)
                          << (text.empty() ? "" : ": " + text);
  // Spills and synchronisation that ptxas adds are performance bugs.
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  for (StringRef line : lines) {
    bool spills = line.contains("spill stores") && !line.contains(" 0 bytes spill stores");
    if (line.contains("(C75") || line.contains("warning") || spills)
      mlir::emitWarning(loc) << "ptxas: " << line.trim();
  }
  return success();
}

static FailureOr<std::string> assemble(Location loc, StringRef ptx, StringRef toolkit, const GPUOptions &options) {
  llvm::ErrorOr<std::string> ptxas = findTool("ptxas", toolkit);
  if (!ptxas)
    return emitError(loc) << "cannot make a cubin: ptxas was not found (set CUDA_HOME, or add it to PATH)";
  llvm::SmallString<128> source, object, fat;
  int sourceFile;
  if (llvm::sys::fs::createTemporaryFile("fxgraph", "ptx", sourceFile, source) ||
      llvm::sys::fs::createTemporaryFile("fxgraph", "cubin", object) ||
      llvm::sys::fs::createTemporaryFile("fxgraph", "fatbin", fat))
    return emitError(loc) << "cannot create temporary files";
  llvm::FileRemover removeSource(source), removeObject(object), removeFat(fat);
  {
    llvm::raw_fd_ostream os(sourceFile, /*shouldClose=*/true);
    os << ptx;
  }
  SmallVector<std::string> arguments = {"-arch=" + options.chip, "-v", std::string(source), "-o", std::string(object)};
  if (ptx.count(".entry ") > 1)
    arguments.push_back("--split-compile=0"); // A thread for each kernel, as far as there are processors.
  if (failed(runTool(loc, *ptxas, arguments)))
    return failure();
  llvm::SmallString<128> result = object;
  if (options.format == ImageFormat::Fatbin) {
    llvm::ErrorOr<std::string> fatbinary = findTool("fatbinary", toolkit);
    if (!fatbinary)
      return emitError(loc) << "cannot make a fatbin: fatbinary was not found (set CUDA_HOME, or add it to PATH)";
    StringRef number = StringRef(options.chip).drop_front(3);
    std::string cubin = "--image3=kind=elf,sm=" + number.str() + ",file=" + std::string(object);
    if (failed(runTool(loc, *fatbinary, {"--64", cubin, "--create=" + std::string(fat)})))
      return failure();
    result = fat;
  }
  auto buffer = llvm::MemoryBuffer::getFile(result);
  if (!buffer)
    return emitError(loc) << "cannot read the assembled image: " << buffer.getError().message();
  return (*buffer)->getBuffer().str();
}

FailureOr<std::string> fxgraph::gpu::serializeGPUModule(mlir::gpu::GPUModuleOp module, const GPUOptions &options) {
  const Chip *chip = findChip(options.chip);
  if (!chip)
    return emitError(module.getLoc()) << "expected a chip of " << getKnownChips() << " but got '" << options.chip
                                      << "'";
  mlir::OwningOpRef<mlir::ModuleOp> parts = splitKernels(module);
  if (failed(lowerToNVVM(*parts)))
    return emitError(module.getLoc()) << "lowering to nvvm failed";
  MLIRContext *context = module.getContext();
  auto target =
      mlir::NVVM::NVVMTargetAttr::get(context, /*optLevel=*/3, "nvptx64-nvidia-cuda", chip->name, chip->features);
  FailureOr<std::string> toolkit = findToolkit(module.getLoc(), options);
  if (failed(toolkit))
    return failure();
  mlir::gpu::TargetOptions targetOptions(*toolkit, {}, {}, {}, mlir::gpu::CompilationTarget::Assembly);
  auto interface = dyn_cast<mlir::gpu::TargetAttrInterface>(Attribute(target));
  if (!interface)
    return emitError(module.getLoc()) << "internal error: the NVVM target is not registered";
  auto modules = llvm::to_vector(parts->getOps<mlir::gpu::GPUModuleOp>());
  SmallVector<std::string> texts(modules.size());
  auto translate = [&](size_t i) -> LogicalResult {
    std::optional<SmallVector<char, 0>> object = interface.serializeToObject(modules[i], targetOptions);
    if (!object)
      return emitError(module.getLoc()) << "translation to PTX failed";
    // The text may end with the string's terminator.
    texts[i] = StringRef(object->data(), object->size()).take_until([](char c) { return c == '\0'; }).str();
    return success();
  };
  if (failed(mlir::failableParallelForEachN(context, 0, modules.size(), translate)))
    return failure();
  std::string joined = waitFirst(keepCarries(joinPTX(texts)));
  StringRef ptx = joined;
  if (ptx.contains(".extern .func"))
    return emitError(module.getLoc())
           << "the kernels call functions of libdevice.10.bc, which was not found (set CUDA_HOME to a CUDA toolkit)";
  if (options.format == ImageFormat::PTX)
    return joined;
  return assemble(module.getLoc(), ptx, *toolkit, options);
}

/// The artefact of a host function and of the kernels beside it.
static FailureOr<GPUArtefact> serialize(mlir::func::FuncOp host, const GPUOptions &options) {
  FailureOr<LaunchPlan> plan = translateToLaunchPlan(host);
  if (failed(plan))
    return failure();
  GPUArtefact artefact;
  artefact.plan = std::move(plan->json);
  artefact.constants = std::move(plan->constants);
  for (mlir::gpu::GPUModuleOp kernels : host->getParentOfType<mlir::ModuleOp>().getOps<mlir::gpu::GPUModuleOp>()) {
    FailureOr<std::string> image = serializeGPUModule(kernels, options);
    if (failed(image))
      return failure();
    artefact.image = std::move(*image);
  }
  return artefact;
}

FailureOr<GPUArtefact> fxgraph::gpu::compileForGPU(mlir::func::FuncOp function, const GPUOptions &options) {
  loadGPUDialects(function.getContext());
  if (auto chip = function->getAttrOfType<StringAttr>(kHostChipAttr)) {
    if (chip.getValue() != options.chip)
      return function.emitOpError("was made for chip ") << chip << " but chip=" << options.chip << " is asked for";
    return serialize(function, options);
  }
  FailureOr<GPUProgram> program = lowerToGPU(function, options);
  if (failed(program))
    return failure();
  return serialize(program->host, options);
}
