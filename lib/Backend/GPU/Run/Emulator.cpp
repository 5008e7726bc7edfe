// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Run/Emulator.h"
#include "Emit/EmitKernel.h"
#include "Emit/WarpgroupMatrix.h"
#include "Run/EmulateWarpgroup.h"
#include "Run/ThreadBlock.h"
#include "fxgraph/Backend/ProcessorSymbols.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/TargetSelect.h"
#include <cstring>

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
namespace NVVM = mlir::NVVM;

ThreadBlock *ThreadBlock::current = nullptr;

static uint32_t emulateShuffle(uint32_t value, uint32_t offset) { return ThreadBlock::current->shuffle(value, offset); }
static void emulateBarrier() { ThreadBlock::current->barrier(); }
static void emulateClusterArrive() { ThreadBlock::current->arriveInCluster(); }
static void emulateClusterWait() { ThreadBlock::current->waitForCluster(); }
static uint64_t emulateMapShared(uint64_t address, uint32_t block) {
  return ThreadBlock::current->mapShared(address, block);
}

namespace {
/// What accesses of the kernel that runs are checked against, and the memory that the last one lay in.
struct AccessCheck {
  FindMemory findMemory = nullptr;
  StringRef kernel;
  uint64_t first = 0, end = 0;
};
} // namespace
static AccessCheck accessCheck;

static void emulateAccess(uint64_t address, uint64_t bytes, uint64_t alignment) {
  AccessCheck &check = accessCheck;
  if (address % alignment != 0)
    llvm::report_fatal_error("the emulated kernel '" + check.kernel + "' accesses " + Twine(bytes) +
                                 " bytes of global memory at no multiple of " + Twine(alignment),
                             /*gen_crash_diag=*/false);
  if (address >= check.first && address + bytes <= check.end)
    return;
  if (check.findMemory(address, &check.first, &check.end) && address + bytes <= check.end)
    return;
  llvm::report_fatal_error("the emulated kernel '" + check.kernel + "' accesses " + Twine(bytes) +
                               " bytes of global memory that end " + Twine(address + bytes - check.end) +
                               " bytes behind their allocation, or are in none",
                           /*gen_crash_diag=*/false);
}

namespace {
/// The shared memory of the blocks that run, each of which has its pieces at the same places.
struct SharedCheck {
  uint64_t start = 0, bytesOfBlock = 0, numBlocks = 0;
  SmallVector<std::pair<uint64_t, uint64_t>> pieces; ///< where each begins and ends
};
} // namespace
static SharedCheck sharedCheck;

static void emulateSharedAccess(uint64_t address, uint64_t bytes, uint64_t alignment) {
  const SharedCheck &check = sharedCheck;
  uint64_t offset = address - check.start;
  bool isInside = address >= check.start && offset < check.bytesOfBlock * check.numBlocks &&
                  llvm::any_of(
                      check.pieces, [&, place = offset % check.bytesOfBlock](
                                        auto piece) { return place >= piece.first && place + bytes <= piece.second; });
  if (isInside && address % alignment == 0)
    return;
  llvm::report_fatal_error("the emulated kernel '" + accessCheck.kernel + "' accesses " + Twine(bytes) +
                               " bytes of shared memory " +
                               (isInside ? "at no multiple of " + Twine(alignment) : Twine("that are in no buffer")),
                           /*gen_crash_diag=*/false);
}

/// cp.async of 16 bytes, `size` of them and zeros: as late as the kernel allows.
static void emulateCopy(uint64_t to, uint64_t from, uint32_t size) {
  if (size)
    emulateAccess(from, size, 16);
  ThreadBlock::current->getCopies().add([=] {
    std::memset(reinterpret_cast<void *>(to), 0, 16);
    std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), size);
  });
}
static void emulateCommit() { ThreadBlock::current->getCopies().commit(); }
static void emulateWait(uint32_t left) { ThreadBlock::current->getCopies().wait(left); }

/// ldmatrix.x4: matrix i has the rows whose addresses lanes 8i … 8i+7 pass.
static void emulateLoadMatrix(uint64_t address, uint32_t transposed, uint32_t *result) {
  uint32_t words[2] = {static_cast<uint32_t>(address), static_cast<uint32_t>(address >> 32)};
  auto all = ThreadBlock::current->gather(words, 2);
  unsigned lane = ThreadBlock::current->getLane();
  auto element = [&](unsigned matrix, unsigned row, unsigned column) -> uint32_t {
    const uint32_t *entry = all[8 * matrix + row];
    uint64_t start = entry[0] | static_cast<uint64_t>(entry[1]) << 32;
    return reinterpret_cast<const uint16_t *>(start)[column];
  };
  for (unsigned matrix = 0; matrix < 4; ++matrix) {
    unsigned major = lane / 4, minor = 2 * (lane % 4);
    uint32_t low = transposed ? element(matrix, minor, major) : element(matrix, major, minor);
    uint32_t high = transposed ? element(matrix, minor + 1, major) : element(matrix, major, minor + 1);
    result[matrix] = low | high << 16;
  }
}

/// What the words of fragments hold.
enum MultiplyKind : uint32_t { MultiplyF16, MultiplyBF16, MultiplyTF32 };

/// mma.sync m16n8k16 of 16-bit floats into f32, m16n8k8 of tf32: `values` holds 4 words of A, 2 of B;
/// `sums` 4 floats of C on entry, of D at the end.
static void emulateMultiply(const uint32_t *values, float *sums, uint32_t kind) {
  auto all = ThreadBlock::current->gather(values, 6);
  unsigned lane = ThreadBlock::current->getLane(), group = lane / 4, quad = lane % 4;
  if (kind == MultiplyTF32) {
    // The last 13 bits are not looked at.
    auto single = [&](uint32_t word) { return static_cast<double>(llvm::bit_cast<float>(word & ~uint32_t(0x1fff))); };
    for (unsigned i = 0; i < 4; ++i) {
      unsigned row = group + 8 * (i / 2), column = 2 * quad + i % 2;
      double sum = sums[i];
      for (unsigned k = 0; k < 8; ++k)
        sum += single(all[4 * (row % 8) + k % 4][row / 8 + 2 * (k / 4)]) * single(all[4 * column + k % 4][4 + k / 4]);
      sums[i] = static_cast<float>(sum);
    }
    return;
  }
  bool isBF16 = kind == MultiplyBF16;
  auto half = [&](uint32_t word, unsigned which) {
    return widenHalf(static_cast<uint16_t>(word >> (16 * which)), isBF16);
  };
  for (unsigned i = 0; i < 4; ++i) {
    unsigned row = group + 8 * (i / 2), column = 2 * quad + i % 2;
    double sum = sums[i];
    for (unsigned k = 0; k < 16; ++k) {
      uint32_t a = all[4 * (row % 8) + (k % 8) / 2][row / 8 + 2 * (k / 8)],
               b = all[4 * column + (k % 8) / 2][4 + k / 8];
      sum += static_cast<double>(half(a, k % 2)) * half(b, k % 2);
    }
    sums[i] = static_cast<float>(sum);
  }
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static constexpr StringRef shuffleName = "fxgraph_emulate_shuffle", barrierName = "fxgraph_emulate_barrier",
                           copyName = "fxgraph_emulate_copy", loadMatrixName = "fxgraph_emulate_load_matrix",
                           multiplyName = "fxgraph_emulate_multiply", accessName = "fxgraph_emulate_access",
                           commitName = "fxgraph_emulate_commit_copy", waitName = "fxgraph_emulate_wait_for_copy",
                           clusterArriveName = "fxgraph_emulate_cluster_arrive",
                           clusterWaitName = "fxgraph_emulate_cluster_wait",
                           mapSharedName = "fxgraph_emulate_map_shared",
                           sharedAccessName = "fxgraph_emulate_shared_access";

/// Replaces a text of instructions of warp groups: those that order others hand on their registers.
static bool emulateInlinePTX(LLVM::InlineAsmOp ptx, OpBuilder &builder, Value words, Value sums, Value shared) {
  std::optional<WarpgroupText> text = WarpgroupText::parse(ptx.getAsmString());
  if (!text)
    return false;
  Location loc = ptx.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext()), f32 = builder.getF32Type();
  auto slot = [&](Value base, Type type, size_t at) {
    return LLVM::GEPOp::create(builder, loc, pointer, type, base, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(at)});
  };
  auto number = [&](Type type, int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  };
  if (text->isWait)
    mlir::func::CallOp::create(builder, loc, waitForProductsName, TypeRange(), ValueRange());
  // Registers of the text: the results, which begin with what is tied to them, then the operands.
  size_t numResults = 0;
  if (ptx->getNumResults()) {
    auto structure = dyn_cast<LLVM::LLVMStructType>(ptx->getResult(0).getType());
    numResults = structure ? structure.getBody().size() : 1;
  }
  SmallVector<Value> results, operands(ptx.getOperands());
  size_t tied = ptx.getConstraints().contains(",0,") || ptx.getConstraints().ends_with(",0") ? numResults : 0;
  for (size_t i = 0; i < numResults; ++i)
    results.push_back(tied ? operands[i] : Value(LLVM::ZeroOp::create(builder, loc, f32)));
  llvm::StringMap<Value> named;
  auto read = [&](StringRef word) -> Value {
    size_t index = 0;
    if (word.consume_front("$") && !word.getAsInteger(10, index))
      return index < numResults ? results[index] : operands[index - numResults];
    if (auto found = named.find(word); found != named.end())
      return found->second;
    int64_t value = 0;
    bool isNumber = !word.getAsInteger(10, value);
    assert(isNumber && "an operand of a warp group's instruction that nothing defines");
    (void)isNumber;
    return number(builder.getI32Type(), value);
  };
  for (const WarpgroupText::Statement &statement : text->statements) {
    if (auto test = std::get_if<WarpgroupText::Test>(&statement)) {
      named[test->result] = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, read(test->operand),
                                                  number(builder.getI32Type(), 0));
      continue;
    }
    if (auto add = std::get_if<WarpgroupText::Add>(&statement)) {
      Value left = read(add->operand), right = number(builder.getI64Type(), add->number);
      named[add->result] = add->withoutCarry ? arith::OrIOp::create(builder, loc, left, right).getResult()
                                             : arith::AddIOp::create(builder, loc, left, right).getResult();
      continue;
    }
    const auto &product = std::get<WarpgroupText::Product>(statement);
    Value zero = LLVM::ZeroOp::create(builder, loc, f32), accumulates = read(product.accumulates);
    for (auto [i, sum] : llvm::enumerate(product.sums)) {
      Value start = arith::SelectOp::create(builder, loc, accumulates, results[sum], zero);
      LLVM::StoreOp::create(builder, loc, start, slot(sums, f32, i));
    }
    for (auto [i, word] : llvm::enumerate(product.left))
      LLVM::StoreOp::create(builder, loc, read(word), slot(words, builder.getI32Type(), i), /*alignment=*/4);
    int64_t flags = (product.isBF16 ? WarpgroupProduct::IsBF16 : 0) |
                    (product.left.size() == 4 ? WarpgroupProduct::LeftInRegisters : 0) |
                    (product.leftDepthMajor ? 0 : WarpgroupProduct::LeftIsRowMajor) |
                    (product.rightDepthMajor ? WarpgroupProduct::RightIsDepthMajor : 0);
    mlir::func::CallOp::create(builder, loc, WarpgroupProduct::name, TypeRange(),
                               ValueRange{words, read(product.right), sums, shared,
                                          number(builder.getI32Type(), product.columns),
                                          number(builder.getI32Type(), flags)});
    for (auto [i, sum] : llvm::enumerate(product.sums))
      results[sum] = LLVM::LoadOp::create(builder, loc, f32, slot(sums, f32, i));
  }
  if (numResults) {
    Value result = results.front();
    if (isa<LLVM::LLVMStructType>(ptx->getResult(0).getType())) {
      result = LLVM::PoisonOp::create(builder, loc, ptx->getResult(0).getType());
      for (auto [i, value] : llvm::enumerate(results))
        result = LLVM::InsertValueOp::create(builder, loc, result, value, static_cast<int64_t>(i));
    }
    ptx->getResult(0).replaceAllUsesWith(result);
  }
  ptx->erase();
  return true;
}

/// `kernel` as a host function: the kernel's arguments, its shared buffers, the
/// block's and the thread's number, the dynamic shared memory.
static LogicalResult convertKernel(mlir::gpu::GPUFuncOp kernel, OpBuilder &builder, bool &synchronizes) {
  Location loc = kernel.getLoc();
  SmallVector<Type> types(kernel.getArgumentTypes());
  for (mlir::BlockArgument shared : kernel.getWorkgroupAttributions()) {
    auto type = cast<mlir::MemRefType>(shared.getType());
    // Shared memory has number 3, which a host reads as any other.
    types.push_back(mlir::MemRefType::get(type.getShape(), type.getElementType(), mlir::MemRefLayoutAttrInterface(),
                                          builder.getI64IntegerAttr(3)));
  }
  types.append(2, builder.getIndexType());
  types.push_back(LLVM::LLVMPointerType::get(builder.getContext(), 3));
  auto function = mlir::func::FuncOp::create(builder, loc, kernel.getName(), builder.getFunctionType(types, {}));
  OpBuilder::InsertionGuard restore(builder);
  mlir::IRMapping mapping;
  kernel.getBody().cloneInto(&function.getBody(), mapping);
  // The clone's entry block has the arguments and the shared buffers.
  Block &entry = function.getBody().front();
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    entry.getArgument(i).setType(types[i]);
  Value block = entry.addArgument(builder.getIndexType(), loc), thread = entry.addArgument(builder.getIndexType(), loc),
        dynamicShared = entry.addArgument(types.back(), loc);
  // Scratch memory of the matrix operations.
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  builder.setInsertionPointToStart(&entry);
  auto allocate = [&](Type type, int64_t count) {
    Value size = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), builder.getI64IntegerAttr(count));
    return LLVM::AllocaOp::create(builder, loc, pointer, type, size).getResult();
  };
  Value words = allocate(builder.getI32Type(), 8), sums = allocate(builder.getF32Type(), 128);
  auto address = [&](Value value) {
    return LLVM::PtrToIntOp::create(builder, value.getLoc(), builder.getI64Type(), value).getResult();
  };
  mlir::WalkResult result = function.walk([&](Operation *op) {
    builder.setInsertionPoint(op);
    if (auto id = dyn_cast<mlir::gpu::ThreadIdOp>(op)) {
      op->getResult(0).replaceAllUsesWith(thread);
      op->erase();
    } else if (auto id = dyn_cast<mlir::gpu::BlockIdOp>(op)) {
      op->getResult(0).replaceAllUsesWith(block);
      op->erase();
    } else if (auto symbol = dyn_cast<LLVM::AddressOfOp>(op)) {
      if (symbol.getGlobalName() != kDynamicSharedName) {
        op->emitOpError("is not emulated on the CPU");
        return mlir::WalkResult::interrupt();
      }
      op->getResult(0).replaceAllUsesWith(dynamicShared);
      op->erase();
    } else if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op)) {
      if (call.getIntrin() != kExp2Intrinsic) {
        op->emitOpError("is not emulated on the CPU");
        return mlir::WalkResult::interrupt();
      }
      Value power = mlir::math::Exp2Op::create(builder, op->getLoc(), op->getOperand(0));
      op->getResult(0).replaceAllUsesWith(power);
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
      Value moved = mlir::func::CallOp::create(builder, op->getLoc(), shuffleName, builder.getI32Type(),
                                               ValueRange{value, shuffle.getOffset()})
                        .getResult(0);
      if (!type.isInteger(32))
        moved = arith::BitcastOp::create(builder, op->getLoc(), type, moved);
      shuffle.getShuffleResult().replaceAllUsesWith(moved);
      op->erase();
    } else if (isa<mlir::gpu::BarrierOp>(op)) {
      synchronizes = true;
      mlir::func::CallOp::create(builder, op->getLoc(), barrierName, TypeRange(), ValueRange());
      op->erase();
    } else if (isa<NVVM::ClusterArriveOp, NVVM::ClusterArriveRelaxedOp, NVVM::ClusterWaitOp>(op)) {
      synchronizes = true;
      StringRef name = isa<NVVM::ClusterWaitOp>(op) ? clusterWaitName : clusterArriveName;
      mlir::func::CallOp::create(builder, op->getLoc(), name, TypeRange(), ValueRange());
      op->erase();
    } else if (auto map = dyn_cast<NVVM::MapaOp>(op)) {
      Value there = mlir::func::CallOp::create(builder, op->getLoc(), mapSharedName, builder.getI64Type(),
                                               ValueRange{address(map.getA()), map.getB()})
                        .getResult(0);
      Value pointer = LLVM::IntToPtrOp::create(builder, op->getLoc(), map.getType(), there);
      op->getResult(0).replaceAllUsesWith(pointer);
      op->erase();
    } else if (auto copy = dyn_cast<NVVM::CpAsyncOp>(op)) {
      synchronizes = true;
      Value size = copy.getCpSize();
      if (!size)
        size = arith::ConstantOp::create(builder, op->getLoc(), builder.getI32IntegerAttr(copy.getSize()));
      mlir::func::CallOp::create(builder, op->getLoc(), copyName, TypeRange(),
                                 ValueRange{address(copy.getDst()), address(copy.getSrc()), size});
      op->erase();
    } else if (isa<NVVM::CpAsyncCommitGroupOp>(op)) {
      mlir::func::CallOp::create(builder, op->getLoc(), commitName, TypeRange(), ValueRange());
      op->erase();
    } else if (auto wait = dyn_cast<NVVM::CpAsyncWaitGroupOp>(op)) {
      Value left = arith::ConstantOp::create(builder, op->getLoc(), builder.getI32IntegerAttr(wait.getN()));
      mlir::func::CallOp::create(builder, op->getLoc(), waitName, TypeRange(), left);
      op->erase();
    } else if (auto load = dyn_cast<NVVM::LdMatrixOp>(op)) {
      synchronizes = true;
      Value transposed = arith::ConstantOp::create(builder, op->getLoc(),
                                                   builder.getI32IntegerAttr(load.getLayout() == NVVM::MMALayout::col));
      mlir::func::CallOp::create(builder, op->getLoc(), loadMatrixName, TypeRange(),
                                 ValueRange{address(load.getPtr()), transposed, words});
      auto type = cast<LLVM::LLVMStructType>(load.getType());
      Value result = LLVM::PoisonOp::create(builder, op->getLoc(), type);
      for (int64_t i = 0; i < 4; ++i) {
        Value slot = LLVM::GEPOp::create(builder, op->getLoc(), pointer, builder.getI32Type(), words,
                                         ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
        result = LLVM::InsertValueOp::create(
            builder, op->getLoc(), result, LLVM::LoadOp::create(builder, op->getLoc(), builder.getI32Type(), slot), i);
      }
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    } else if (auto multiply = dyn_cast<NVVM::MmaOp>(op)) {
      synchronizes = true;
      auto store = [&](Value value, Value base, int32_t at) {
        Value slot =
            LLVM::GEPOp::create(builder, op->getLoc(), pointer, builder.getI32Type(), base, ArrayRef<LLVM::GEPArg>{at});
        LLVM::StoreOp::create(builder, op->getLoc(), value, slot);
      };
      for (auto [i, value] : llvm::enumerate(multiply.getOperandA()))
        store(value, words, i);
      for (auto [i, value] : llvm::enumerate(multiply.getOperandB()))
        store(value, words, 4 + i);
      for (auto [i, value] : llvm::enumerate(multiply.getOperandC()))
        store(value, sums, i);
      NVVM::MMATypes type = *multiply.getMultiplicandAPtxType();
      MultiplyKind number = type == NVVM::MMATypes::tf32   ? MultiplyTF32
                            : type == NVVM::MMATypes::bf16 ? MultiplyBF16
                                                           : MultiplyF16;
      Value kind = arith::ConstantOp::create(builder, op->getLoc(), builder.getI32IntegerAttr(number));
      mlir::func::CallOp::create(builder, op->getLoc(), multiplyName, TypeRange(), ValueRange{words, sums, kind});
      Value result = LLVM::PoisonOp::create(builder, op->getLoc(), op->getResult(0).getType());
      for (int64_t i = 0; i < 4; ++i) {
        Value slot = LLVM::GEPOp::create(builder, op->getLoc(), pointer, builder.getF32Type(), sums,
                                         ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
        result = LLVM::InsertValueOp::create(
            builder, op->getLoc(), result, LLVM::LoadOp::create(builder, op->getLoc(), builder.getF32Type(), slot), i);
      }
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    } else if (auto ptx = dyn_cast<LLVM::InlineAsmOp>(op)) {
      synchronizes = true;
      if (!emulateInlinePTX(ptx, builder, words, sums, address(dynamicShared))) {
        op->emitOpError("is not emulated on the CPU");
        return mlir::WalkResult::interrupt();
      }
    } else if (isa<NVVM::GriddepcontrolOp>(op)) {
      op->erase(); // Kernels run one after the other here.
    } else if (isa<mlir::gpu::ReturnOp>(op)) {
      mlir::func::ReturnOp::create(builder, op->getLoc());
      op->erase();
    } else if (bool isOfOneThread = isa<NVVM::InlinePtxOp>(op); convertWarpgroupOp(op, builder, dynamicShared)) {
      synchronizes |= !isOfOneThread;
    } else if (op->getDialect() &&
               (op->getDialect()->getNamespace() == "gpu" || op->getDialect()->getNamespace() == "nvvm")) {
      op->emitOpError("is not emulated on the CPU");
      return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static bool isShared(const llvm::Value &pointer) {
  constexpr unsigned shared = 3, sharedOfCluster = 7;
  unsigned space = pointer.getType()->getPointerAddressSpace();
  return space == shared || space == sharedOfCluster;
}

/// Checks each access of the kernel to shared and to global memory before it is made: what is no memory of a thread and no
/// parameter that is passed by value.
static void checkAccesses(llvm::Function &kernel, ArrayRef<bool> byValue) {
  SmallVector<llvm::Instruction *> accesses;
  for (llvm::Instruction &instruction : llvm::instructions(kernel)) {
    const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (!pointer)
      continue;
    if (isShared(*pointer)) {
      accesses.push_back(&instruction);
      continue;
    }
    const llvm::Value *object = llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
    auto argument = dyn_cast<llvm::Argument>(object);
    if (!isa<llvm::AllocaInst>(object) &&
        !(argument && argument->getArgNo() < byValue.size() && byValue[argument->getArgNo()]))
      accesses.push_back(&instruction);
  }
  llvm::IRBuilder<> builder(kernel.getContext());
  llvm::Type *i64 = builder.getInt64Ty();
  auto getCheck = [&](StringRef name) {
    return kernel.getParent()->getOrInsertFunction(name, builder.getVoidTy(), i64, i64, i64);
  };
  llvm::FunctionCallee checkGlobal = getCheck(accessName), checkShared = getCheck(sharedAccessName);
  for (llvm::Instruction *access : accesses) {
    builder.SetInsertPoint(access);
    llvm::FunctionCallee check = isShared(*llvm::getLoadStorePointerOperand(access)) ? checkShared : checkGlobal;
    uint64_t bytes = kernel.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(access));
    builder.CreateCall(check, {builder.CreatePtrToInt(llvm::getLoadStorePointerOperand(access), i64),
                               builder.getInt64(bytes), builder.getInt64(llvm::getLoadStoreAlignment(access).value())});
  }
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
  // log(1 + x) loses a small x; libm has the function.
  mlir::ConvertMathToLLVMPassOptions math;
  math.approximateLog1p = false;
  manager.addPass(mlir::createConvertMathToLLVMPass(math));
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

FailureOr<std::unique_ptr<KernelEmulator>> KernelEmulator::create(mlir::gpu::GPUModuleOp gpuModule,
                                                                  FindMemory findMemory) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  MLIRContext *context = gpuModule.getContext();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(gpuModule.getLoc());
  OpBuilder builder(context);
  builder.setInsertionPointToStart(module->getBody());
  Type i32 = builder.getI32Type();
  auto declare = [&](StringRef name, ArrayRef<Type> inputs, ArrayRef<Type> results) {
    mlir::func::FuncOp::create(builder, gpuModule.getLoc(), name, builder.getFunctionType(inputs, results))
        .setPrivate();
  };
  declare(shuffleName, {i32, i32}, {i32});
  declare(barrierName, {}, {});
  Type i64 = builder.getI64Type(), pointer = LLVM::LLVMPointerType::get(context);
  declare(copyName, {i64, i64, i32}, {});
  declare(loadMatrixName, {i64, i32, pointer}, {});
  declare(multiplyName, {pointer, pointer, i32}, {});
  declare(commitName, {}, {});
  declare(waitName, {i32}, {});
  declare(clusterArriveName, {}, {});
  declare(clusterWaitName, {}, {});
  declare(mapSharedName, {i64, i32}, {i64});
  for (const WarpgroupFunction &function : getWarpgroupFunctions(context))
    declare(function.name, function.inputs, function.results);
  std::unique_ptr<KernelEmulator> emulator(new KernelEmulator());
  emulator->findMemory = findMemory;
  for (mlir::gpu::GPUFuncOp kernel : gpuModule.getOps<mlir::gpu::GPUFuncOp>()) {
    Kernel entry;
    entry.numArguments = kernel.getNumArguments();
    for (unsigned i = 0; i < entry.numArguments; ++i)
      entry.byValue.push_back(kernel.getArgAttr(i, "llvm.byval") != nullptr);
    for (mlir::BlockArgument shared : kernel.getWorkgroupAttributions()) {
      auto type = cast<mlir::MemRefType>(shared.getType());
      entry.sharedBytes.push_back(type.getNumElements() * ((type.getElementTypeBitWidth() + 7) / 8));
    }
    if (auto bytes = kernel->getAttrOfType<IntegerAttr>(kDynamicSharedBytesAttr))
      entry.dynamicSharedBytes = bytes.getInt();
    if (std::optional<ArrayRef<int32_t>> cluster = kernel.getKnownClusterSize())
      entry.cluster = cluster->front();
    if (failed(convertKernel(kernel, builder, entry.synchronizes)))
      return failure();
    emulator->kernels[kernel.getName()] = std::move(entry);
  }
  if (failed(lowerToHost(*module)))
    return emitError(gpuModule.getLoc()) << "lowering the kernels for the CPU failed";
  mlir::ExecutionEngineOptions options;
  auto optimize = mlir::makeOptimizingTransformer(/*optLevel=*/1, /*sizeLevel=*/0, /*targetMachine=*/nullptr);
  auto transform = [&](llvm::Module *code) {
    for (auto &entry : emulator->kernels)
      checkAccesses(*code->getFunction(entry.getKey()), entry.getValue().byValue);
    return optimize(code);
  };
  options.transformer = transform;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Less;
  llvm::Expected<std::unique_ptr<mlir::ExecutionEngine>> engine = mlir::ExecutionEngine::create(*module, options);
  if (!engine)
    return emitError(gpuModule.getLoc()) << "compiling the kernels for the CPU failed: "
                                         << llvm::toString(engine.takeError());
  emulator->engine = std::move(*engine);
  emulator->engine->registerSymbols([context](llvm::orc::MangleAndInterner mangle) {
    llvm::orc::SymbolMap symbols;
    auto define = [&](StringRef name, auto *function) {
      symbols[mangle(name)] = {llvm::orc::ExecutorAddr::fromPtr(function), llvm::JITSymbolFlags::Exported};
    };
    define(shuffleName, &emulateShuffle);
    define(barrierName, &emulateBarrier);
    define(copyName, &emulateCopy);
    define(loadMatrixName, &emulateLoadMatrix);
    define(multiplyName, &emulateMultiply);
    define(accessName, &emulateAccess);
    define(sharedAccessName, &emulateSharedAccess);
    define(commitName, &emulateCommit);
    define(waitName, &emulateWait);
    define(clusterArriveName, &emulateClusterArrive);
    define(clusterWaitName, &emulateClusterWait);
    define(mapSharedName, &emulateMapShared);
    for (const WarpgroupFunction &function : getWarpgroupFunctions(context))
      define(function.name, function.address);
    defineProcessorSymbols(define);
    return symbols;
  });
  for (auto &entry : emulator->kernels) {
    auto function = emulator->engine->lookupPacked(entry.getKey());
    if (!function)
      return emitError(gpuModule.getLoc())
             << "compiling the kernels for the CPU failed: " << llvm::toString(function.takeError());
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
  accessCheck = {findMemory, name};
  // The shared memory of a block, piece by piece, and that of the other blocks of a cluster behind it. Swizzles depend on
  // the address.
  constexpr size_t alignment = 1024;
  SmallVector<size_t> starts;
  size_t bytesOfBlock = 0;
  SmallVector<std::pair<uint64_t, uint64_t>> pieces;
  auto reserve = [&](size_t bytes) {
    starts.push_back(bytesOfBlock);
    pieces.push_back({bytesOfBlock, bytesOfBlock + bytes});
    bytesOfBlock = llvm::alignTo(bytesOfBlock + bytes, alignment);
  };
  llvm::for_each(kernel.sharedBytes, reserve);
  reserve(kernel.dynamicSharedBytes);
  for (unsigned first = 0; first < grid[0]; first += kernel.cluster) {
    // It starts with arbitrary contents.
    constexpr uint64_t arbitrary = 0x7ff7a5a57fb7a5a5;
    std::vector<uint64_t> shared((bytesOfBlock * kernel.cluster + alignment) / sizeof(uint64_t), arbitrary);
    char *start = reinterpret_cast<char *>(llvm::alignTo(reinterpret_cast<uintptr_t>(shared.data()), alignment));
    sharedCheck = {reinterpret_cast<uint64_t>(start), bytesOfBlock, static_cast<uint64_t>(kernel.cluster), pieces};
    auto run = [&](unsigned number) {
      int64_t blockNumber = first + number / threads, threadNumber = number % threads;
      char *own = start + number / threads * bytesOfBlock;
      SmallVector<void *> pointers, words;
      pointers.reserve(starts.size());
      // A table by value: the function takes its address.
      for (unsigned i = 0; i < kernel.numArguments; ++i)
        words.push_back(kernel.byValue[i] ? static_cast<void *>(&arguments[i]) : arguments[i]);
      for (size_t place : starts)
        pointers.push_back(own + place);
      for (void *&pointer : MutableArrayRef(pointers).drop_back())
        words.push_back(&pointer);
      words.push_back(&blockNumber);
      words.push_back(&threadNumber);
      words.push_back(&pointers.back());
      kernel.entry(words.data());
    };
    if (kernel.synchronizes) {
      ThreadBlock(threads, kernel.cluster, bytesOfBlock, run).run();
      continue;
    }
    for (unsigned thread = 0; thread < threads; ++thread)
      run(thread);
  }
}
