// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emulator.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/TargetSelect.h"
#include <cstring>
#include <ucontext.h>

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;

//===----------------------------------------------------------------------===//
// Fibers
//===----------------------------------------------------------------------===//

namespace {

/// The threads of one block. One block runs at a time.
class ThreadBlock {
public:
  ThreadBlock(unsigned size, llvm::function_ref<void(unsigned)> body) : body(body), threads(size), warps((size + 31) / 32) {
    for (unsigned i = 0; i < size; ++i)
      ++warps[i / 32].alive;
    alive = size;
  }

  void run() {
    current = this;
    for (unsigned i = 0; i < threads.size(); ++i) {
      Thread &thread = threads[i];
      thread.stack.reset(new char[stackBytes]);
      getcontext(&thread.context);
      thread.context.uc_stack.ss_sp = thread.stack.get();
      thread.context.uc_stack.ss_size = stackBytes;
      thread.context.uc_link = &scheduler;
      makecontext(&thread.context, &ThreadBlock::start, 0);
    }
    // Round robin; who waits is skipped until what it waits for has happened.
    while (alive > 0) {
      bool moved = false;
      for (unsigned i = 0; i < threads.size(); ++i) {
        Thread &thread = threads[i];
        if (thread.done || (thread.waitsFor && *thread.waitsFor == thread.seen))
          continue;
        thread.waitsFor = nullptr;
        running = i;
        moved = true;
        swapcontext(&scheduler, &thread.context);
      }
      if (!moved)
        llvm::report_fatal_error("the emulated kernel waits for threads that never arrive");
    }
    current = nullptr;
  }

  void barrier() {
    unsigned before = barriers;
    ++arrived;
    release();
    waitWhile(barriers, before);
  }

  uint32_t shuffle(uint32_t value, uint32_t offset) {
    Thread &thread = threads[running];
    Warp &warp = warps[running / 32];
    unsigned lane = running % 32, before = warp.rounds;
    // Two sets of slots: nobody overwrites one before all have read it.
    unsigned parity = thread.shuffles++ % 2;
    warp.slots[parity][lane] = value;
    ++warp.arrived;
    releaseWarp(warp);
    waitWhile(warp.rounds, before);
    return warp.slots[parity][lane ^ offset];
  }

  static ThreadBlock *current;

private:
  static constexpr size_t stackBytes = 128 * 1024;
  struct Thread {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    bool done = false;
    const unsigned *waitsFor = nullptr;
    unsigned seen = 0, shuffles = 0;
  };
  struct Warp {
    unsigned alive = 0, arrived = 0, rounds = 0;
    uint32_t slots[2][32] = {};
  };

  static void start() {
    ThreadBlock *block = current;
    unsigned self = block->running;
    block->body(self);
    block->threads[self].done = true;
    --block->alive;
    --block->warps[self / 32].alive;
    block->release();
    block->releaseWarp(block->warps[self / 32]);
  }

  void release() {
    if (alive > 0 && arrived == alive) {
      arrived = 0;
      ++barriers;
    }
  }
  void releaseWarp(Warp &warp) {
    if (warp.alive > 0 && warp.arrived == warp.alive) {
      warp.arrived = 0;
      ++warp.rounds;
    }
  }
  void waitWhile(const unsigned &counter, unsigned value) {
    if (counter != value)
      return; // The last to arrive.
    Thread &thread = threads[running];
    thread.waitsFor = &counter;
    thread.seen = value;
    swapcontext(&thread.context, &scheduler);
  }

  llvm::function_ref<void(unsigned)> body;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  ucontext_t scheduler;
  unsigned running = 0, alive = 0, arrived = 0, barriers = 0;
};

} // namespace

ThreadBlock *ThreadBlock::current = nullptr;

static uint32_t emulateShuffle(uint32_t value, uint32_t offset) { return ThreadBlock::current->shuffle(value, offset); }
static void emulateBarrier() { ThreadBlock::current->barrier(); }

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static constexpr StringRef shuffleName = "fxgraph_emulate_shuffle", barrierName = "fxgraph_emulate_barrier";

/// `kernel` as a host function: the kernel's arguments, its shared buffers, the
/// block's and the thread's number.
static LogicalResult convertKernel(mlir::gpu::GPUFuncOp kernel, OpBuilder &builder, bool &synchronizes) {
  Location loc = kernel.getLoc();
  SmallVector<Type> types(kernel.getArgumentTypes());
  for (mlir::BlockArgument shared : kernel.getWorkgroupAttributions()) {
    auto type = cast<mlir::MemRefType>(shared.getType());
    types.push_back(mlir::MemRefType::get(type.getShape(), type.getElementType()));
  }
  types.append(2, builder.getIndexType());
  auto function = mlir::func::FuncOp::create(builder, loc, kernel.getName(), builder.getFunctionType(types, {}));
  OpBuilder::InsertionGuard restore(builder);
  mlir::IRMapping mapping;
  kernel.getBody().cloneInto(&function.getBody(), mapping);
  // The clone's entry block has the arguments and the shared buffers.
  Block &entry = function.getBody().front();
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    entry.getArgument(i).setType(types[i]);
  Value block = entry.addArgument(builder.getIndexType(), loc), thread = entry.addArgument(builder.getIndexType(), loc);
  mlir::WalkResult result = function.walk([&](Operation *op) {
    builder.setInsertionPoint(op);
    if (auto id = dyn_cast<mlir::gpu::ThreadIdOp>(op)) {
      op->getResult(0).replaceAllUsesWith(thread);
      op->erase();
    } else if (auto id = dyn_cast<mlir::gpu::BlockIdOp>(op)) {
      op->getResult(0).replaceAllUsesWith(block);
      op->erase();
    } else if (auto shuffle = dyn_cast<mlir::gpu::ShuffleOp>(op)) {
      synchronizes = true;
      if (shuffle.getMode() != mlir::gpu::ShuffleMode::XOR) {
        op->emitOpError("has a mode that is not emulated");
        return mlir::WalkResult::interrupt();
      }
      Type type = shuffle.getValue().getType();
      Value value = shuffle.getValue();
      if (!type.isInteger(32))
        value = arith::BitcastOp::create(builder, op->getLoc(), builder.getI32Type(), value);
      Value moved = mlir::func::CallOp::create(builder, op->getLoc(), shuffleName, builder.getI32Type(), ValueRange{value, shuffle.getOffset()}).getResult(0);
      if (!type.isInteger(32))
        moved = arith::BitcastOp::create(builder, op->getLoc(), type, moved);
      shuffle.getShuffleResult().replaceAllUsesWith(moved);
      op->erase();
    } else if (isa<mlir::gpu::BarrierOp>(op)) {
      synchronizes = true;
      mlir::func::CallOp::create(builder, op->getLoc(), barrierName, TypeRange(), ValueRange());
      op->erase();
    } else if (isa<mlir::gpu::ReturnOp>(op)) {
      mlir::func::ReturnOp::create(builder, op->getLoc());
      op->erase();
    } else if (op->getDialect() && (op->getDialect()->getNamespace() == "gpu" || op->getDialect()->getNamespace() == "nvvm" ||
                                    op->getDialect()->getNamespace() == "llvm")) {
      op->emitOpError("is not emulated on the CPU");
      return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult lowerToHost(mlir::ModuleOp module) {
  mlir::PassManager manager(module.getContext());
  mlir::arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  manager.addPass(mlir::arith::createArithExpandOpsPass(expand));
  manager.addPass(mlir::createSCFToControlFlowPass());
  manager.addPass(mlir::memref::createExpandStridedMetadataPass());
  manager.addPass(mlir::createLowerAffinePass());
  manager.addPass(mlir::createConvertVectorToLLVMPass());
  manager.addPass(mlir::createConvertMathToLLVMPass());
  manager.addPass(mlir::createConvertMathToLibmPass());
  // The calls to libm that were just made may be on vectors' elements.
  manager.addPass(mlir::createConvertVectorToLLVMPass());
  manager.addPass(mlir::createArithToLLVMConversionPass());
  manager.addPass(mlir::createFinalizeMemRefToLLVMConversionPass());
  mlir::ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  manager.addPass(mlir::createConvertFuncToLLVMPass(functions));
  manager.addPass(mlir::createConvertControlFlowToLLVMPass());
  manager.addPass(mlir::createReconcileUnrealizedCastsPass());
  return manager.run(module);
}

FailureOr<std::unique_ptr<KernelEmulator>> KernelEmulator::create(mlir::gpu::GPUModuleOp gpuModule) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  MLIRContext *context = gpuModule.getContext();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(gpuModule.getLoc());
  OpBuilder builder(context);
  builder.setInsertionPointToStart(module->getBody());
  Type i32 = builder.getI32Type();
  auto declare = [&](StringRef name, ArrayRef<Type> inputs, ArrayRef<Type> results) {
    mlir::func::FuncOp::create(builder, gpuModule.getLoc(), name, builder.getFunctionType(inputs, results)).setPrivate();
  };
  declare(shuffleName, {i32, i32}, {i32});
  declare(barrierName, {}, {});
  std::unique_ptr<KernelEmulator> emulator(new KernelEmulator());
  for (mlir::gpu::GPUFuncOp kernel : gpuModule.getOps<mlir::gpu::GPUFuncOp>()) {
    Kernel entry;
    entry.numArguments = kernel.getNumArguments();
    for (mlir::BlockArgument shared : kernel.getWorkgroupAttributions()) {
      auto type = cast<mlir::MemRefType>(shared.getType());
      entry.sharedBytes.push_back(type.getNumElements() * ((type.getElementTypeBitWidth() + 7) / 8));
    }
    if (failed(convertKernel(kernel, builder, entry.synchronizes)))
      return failure();
    emulator->kernels[kernel.getName()] = std::move(entry);
  }
  if (failed(lowerToHost(*module)))
    return emitError(gpuModule.getLoc()) << "lowering the kernels for the CPU failed";
  mlir::ExecutionEngineOptions options;
  auto transformer = mlir::makeOptimizingTransformer(/*optLevel=*/1, /*sizeLevel=*/0, /*targetMachine=*/nullptr);
  options.transformer = transformer;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Less;
  llvm::Expected<std::unique_ptr<mlir::ExecutionEngine>> engine = mlir::ExecutionEngine::create(*module, options);
  if (!engine)
    return emitError(gpuModule.getLoc()) << "compiling the kernels for the CPU failed: " << llvm::toString(engine.takeError());
  emulator->engine = std::move(*engine);
  emulator->engine->registerSymbols([](llvm::orc::MangleAndInterner mangle) {
    llvm::orc::SymbolMap symbols;
    symbols[mangle(shuffleName)] = {llvm::orc::ExecutorAddr::fromPtr(&emulateShuffle), llvm::JITSymbolFlags::Exported};
    symbols[mangle(barrierName)] = {llvm::orc::ExecutorAddr::fromPtr(&emulateBarrier), llvm::JITSymbolFlags::Exported};
    return symbols;
  });
  for (auto &entry : emulator->kernels) {
    auto function = emulator->engine->lookupPacked(entry.getKey());
    if (!function)
      return emitError(gpuModule.getLoc()) << "compiling the kernels for the CPU failed: " << llvm::toString(function.takeError());
    entry.getValue().entry = *function;
  }
  return emulator;
}

KernelEmulator::~KernelEmulator() = default;

std::vector<std::string> KernelEmulator::getKernelNames() const {
  std::vector<std::string> names;
  for (const auto &entry : kernels)
    names.push_back(entry.getKey().str());
  llvm::sort(names);
  return names;
}

void KernelEmulator::launch(StringRef name, const unsigned grid[3], const unsigned block[3], void **arguments) const {
  const Kernel &kernel = kernels.find(name)->second;
  unsigned threads = block[0];
  for (unsigned number = 0; number < grid[0]; ++number) {
    // Shared memory starts with arbitrary contents.
    std::vector<std::vector<uint64_t>> shared;
    for (size_t bytes : kernel.sharedBytes)
      shared.emplace_back((bytes + 7) / 8, 0x7ff7a5a57fb7a5a5ull);
    auto run = [&](unsigned thread) {
      int64_t blockNumber = number, threadNumber = thread;
      SmallVector<void *> pointers, words;
      pointers.reserve(shared.size());
      for (unsigned i = 0; i < kernel.numArguments; ++i)
        words.push_back(arguments[i]);
      for (auto &buffer : shared)
        pointers.push_back(buffer.data());
      for (void *&pointer : pointers)
        words.push_back(&pointer);
      words.push_back(&blockNumber);
      words.push_back(&threadNumber);
      kernel.entry(words.data());
    };
    if (kernel.synchronizes) {
      ThreadBlock(threads, run).run();
      continue;
    }
    for (unsigned thread = 0; thread < threads; ++thread)
      run(thread);
  }
}
