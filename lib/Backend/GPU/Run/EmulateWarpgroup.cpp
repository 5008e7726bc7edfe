// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Run/EmulateWarpgroup.h"
#include "Run/ThreadBlock.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
namespace NVVM = mlir::NVVM;

static constexpr unsigned warpgroupThreads = 128;

//===----------------------------------------------------------------------===//
// What kernels call
//===----------------------------------------------------------------------===//

static void initBarrier(uint64_t barrier, uint32_t count) { ThreadBlock::current->initTransaction(barrier, count); }
static void expectBytes(uint64_t barrier, uint32_t bytes) { ThreadBlock::current->arrive(barrier, 1, bytes, 0); }
static void arriveAt(uint64_t barrier) { ThreadBlock::current->arrive(barrier, 1, 0, 0); }
static void waitAt(uint64_t barrier, uint32_t parity) { ThreadBlock::current->waitForPhase(barrier, parity); }
static void syncThreads(uint32_t id, uint32_t count) { ThreadBlock::current->barrier(id, count); }
static void syncWarp() {
  uint32_t none = 0;
  ThreadBlock::current->gather(&none, 1);
}
/// wgmma.wait_group: what one thread of the warpgroup knows then holds for all of it. Ids
/// above those of bar.sync.
static void waitForProducts() {
  constexpr unsigned firstId = 16;
  ThreadBlock::current->barrier(firstId + ThreadBlock::current->getThread() / warpgroupThreads, warpgroupThreads);
}
static float powerOfTwo(float x) { return std::exp2(x); }
static float invert(float x) { return 1 / x; }

/// The 128-byte swizzle: chunks of 16 bytes are XORed with the number of the 128-byte row.
static uint64_t swizzle(uint64_t address) { return address ^ (address >> 7 & 7) << 4; }

/// Calls `visit(element in memory, or null outside; byte in the box)` for a box of a tensor
/// map, as the mock driver's cuTensorMapEncodeTiled lays it out.
static int64_t visitBox(uint64_t map, ArrayRef<int32_t> start, function_ref<void(char *, uint64_t)> visit) {
  constexpr int64_t bytes = 2, maxRank = 3;
  auto words = reinterpret_cast<const uint64_t *>(map);
  unsigned rank = words[1] >> 8 & 0xff;
  uint64_t extents[maxRank] = {1, 1, 1}, box[maxRank] = {1, 1, 1}, strides[maxRank] = {bytes, 0, 0};
  for (unsigned i = 0; i < rank; ++i) {
    extents[i] = words[2 + i];
    box[i] = words[7 + i] & 0xffffffff;
    if (i > 0)
      strides[i] = words[12 + i - 1];
  }
  uint64_t number = 0;
  for (uint64_t z = 0; z < box[2]; ++z)
    for (uint64_t y = 0; y < box[1]; ++y)
      for (uint64_t x = 0; x < box[0]; ++x, ++number) {
        uint64_t at[maxRank] = {x + start[0], y + start[1], z + (rank > 2 ? start[2] : 0)};
        bool inside = at[0] < extents[0] && at[1] < extents[1] && at[2] < extents[2];
        uint64_t offset = at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2];
        visit(inside ? reinterpret_cast<char *>(words[0] + offset) : nullptr, number * bytes);
      }
  return static_cast<int64_t>(number) * bytes;
}

static void loadBox(uint64_t to, uint64_t map, int32_t x, int32_t y, int32_t z, uint64_t barrier) {
  int64_t bytes = visitBox(map, {x, y, z}, [&](char *element, uint64_t at) {
    auto target = reinterpret_cast<uint16_t *>(swizzle(to + at));
    *target = element ? *reinterpret_cast<uint16_t *>(element) : 0;
  });
  ThreadBlock::current->arrive(barrier, 0, 0, bytes);
}

/// As late as the kernel allows: shared memory that is written before a wait for the copy shows in the results.
static void storeBox(uint64_t map, uint64_t from, int32_t x, int32_t y, int32_t z) {
  ThreadBlock::current->getBulkCopies().add([=] {
    visitBox(map, {x, y, z}, [&](char *element, uint64_t at) {
      if (element)
        *reinterpret_cast<uint16_t *>(element) = *reinterpret_cast<const uint16_t *>(swizzle(from + at));
    });
  });
}
static void commitCopies() { ThreadBlock::current->getBulkCopies().commit(); }
static void waitForCopies(uint32_t left) { ThreadBlock::current->getBulkCopies().wait(left); }

/// stmatrix.x4: matrix i goes to the rows whose addresses lanes 8i … 8i+7 pass.
static void storeMatrix(uint64_t address, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  uint32_t words[2] = {static_cast<uint32_t>(address), static_cast<uint32_t>(address >> 32)}, own[] = {a, b, c, d};
  auto all = ThreadBlock::current->gather(words, 2);
  unsigned lane = ThreadBlock::current->getLane();
  for (unsigned matrix = 0; matrix < 4; ++matrix) {
    const uint32_t *entry = all[8 * matrix + lane / 4];
    uint64_t row = entry[0] | static_cast<uint64_t>(entry[1]) << 32;
    reinterpret_cast<uint32_t *>(row)[lane % 4] = own[matrix];
  }
}

float fxgraph::gpu::widenHalf(uint16_t bits, bool isBF16) {
  if (isBF16) {
    uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof(value));
    return value;
  }
  static const std::vector<float> halves = [] {
    std::vector<float> values(1 << 16);
    for (uint32_t i = 0; i < values.size(); ++i) {
      llvm::APFloat value(llvm::APFloat::IEEEhalf(), llvm::APInt(16, i));
      bool lossy;
      value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &lossy);
      values[i] = value.convertToFloat();
    }
    return values;
  }();
  return halves[bits];
}

/// Descriptors have the lower 18 bits of addresses, enough to find the place in a block's
/// shared memory. Depth-major: a row of 128 bytes holds elements that are summed over; else
/// 64 rows (of the left operand) or columns, and the next 64 are the leading offset behind.
static void multiplyWarpgroup(const uint32_t *left, uint64_t right, float *sums, uint64_t shared, uint32_t columns,
                              uint32_t flags) {
  bool isBF16 = flags & WarpgroupProduct::IsBF16;
  auto read = [&](uint64_t descriptor, unsigned at, unsigned k, bool isDepthMajor) {
    auto field = [&](unsigned low) { return (descriptor >> low & 0x3fff) << 4; };
    constexpr uint64_t window = uint64_t(1) << 18;
    uint64_t start = shared + (field(0) - shared) % window, leading = field(16), eight = field(32);
    uint64_t place = isDepthMajor ? start + at / 8 * eight + at % 8 * 128 + 2 * k
                                  : start + at / 64 * leading + k / 8 * eight + k % 8 * 128 + at % 64 * 2;
    return widenHalf(*reinterpret_cast<const uint16_t *>(swizzle(place)), isBF16);
  };
  auto all = ThreadBlock::current->gather(left, 4);
  unsigned lane = ThreadBlock::current->getLane(), group = lane / 4, quad = lane % 4;
  unsigned warp = ThreadBlock::current->getThread() % warpgroupThreads / 32;
  uint64_t descriptor = left[0] | static_cast<uint64_t>(left[1]) << 32;
  float a[2][16];
  for (unsigned half = 0; half < 2; ++half)
    for (unsigned k = 0; k < 16; ++k) {
      unsigned row = group + 8 * half;
      uint32_t word = all[4 * (row % 8) + k % 8 / 2][half + 2 * (k / 8)];
      a[half][k] = flags & WarpgroupProduct::LeftInRegisters
                       ? widenHalf(static_cast<uint16_t>(word >> 16 * (k % 2)), isBF16)
                       : read(descriptor, 16 * warp + row, k, !(flags & WarpgroupProduct::LeftIsRowMajor));
    }
  for (unsigned column = 0; column < columns; column += 8)
    for (unsigned q = 0; q < 2; ++q) {
      double sum[2] = {};
      for (unsigned k = 0; k < 16; ++k) {
        double value = read(right, column + 2 * quad + q, k, flags & WarpgroupProduct::RightIsDepthMajor);
        sum[0] += a[0][k] * value;
        sum[1] += a[1][k] * value;
      }
      for (unsigned half = 0; half < 2; ++half) {
        float &place = sums[column / 2 + 2 * half + q];
        place = static_cast<float>(place + sum[half]);
      }
    }
}

SmallVector<WarpgroupFunction> fxgraph::gpu::getWarpgroupFunctions(MLIRContext *context) {
  Type i32 = IntegerType::get(context, 32), i64 = IntegerType::get(context, 64), f32 = mlir::Float32Type::get(context);
  Type pointer = LLVM::LLVMPointerType::get(context);
  auto entry = [](auto *function) { return reinterpret_cast<void *>(function); };
  return {{"fxgraph_emulate_init", entry(&initBarrier), {i64, i32}, {}},
          {"fxgraph_emulate_expect", entry(&expectBytes), {i64, i32}, {}},
          {"fxgraph_emulate_arrive", entry(&arriveAt), {i64}, {}},
          {"fxgraph_emulate_wait", entry(&waitAt), {i64, i32}, {}},
          {"fxgraph_emulate_sync", entry(&syncThreads), {i32, i32}, {}},
          {"fxgraph_emulate_sync_warp", entry(&syncWarp), {}, {}},
          {waitForProductsName, entry(&waitForProducts), {}, {}},
          {"fxgraph_emulate_exp2", entry(&powerOfTwo), {f32}, {f32}},
          {"fxgraph_emulate_inverse", entry(&invert), {f32}, {f32}},
          {"fxgraph_emulate_load_box", entry(&loadBox), {i64, i64, i32, i32, i32, i64}, {}},
          {"fxgraph_emulate_store_box", entry(&storeBox), {i64, i64, i32, i32, i32}, {}},
          {"fxgraph_emulate_commit_copies", entry(&commitCopies), {}, {}},
          {"fxgraph_emulate_wait_for_copies", entry(&waitForCopies), {i32}, {}},
          {"fxgraph_emulate_store_matrix", entry(&storeMatrix), {i64, i32, i32, i32, i32}, {}},
          {WarpgroupProduct::name, entry(&multiplyWarpgroup), {pointer, i64, pointer, i64, i32, i32}, {}}};
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

bool fxgraph::gpu::convertWarpgroupOp(Operation *op, OpBuilder &builder, Value shared) {
  Location loc = op->getLoc();
  Type i64 = builder.getI64Type(), f32 = builder.getF32Type();
  auto call = [&](StringRef name, TypeRange results, ValueRange operands) {
    return mlir::func::CallOp::create(builder, loc, name, results, operands);
  };
  auto address = [&](Value value) { return LLVM::PtrToIntOp::create(builder, loc, i64, value).getResult(); };
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value));
  };
  // Up to three coordinates.
  auto withCoordinates = [&](SmallVector<Value> operands, ValueRange coordinates) {
    for (unsigned i = 0; i < 3; ++i)
      operands.push_back(i < coordinates.size() ? coordinates[i] : number(0));
    return operands;
  };
  bool isKnown =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case<NVVM::MBarrierInitOp>([&](NVVM::MBarrierInitOp init) {
            call("fxgraph_emulate_init", {}, {address(init.getAddr()), init.getCount()});
            return true;
          })
          .Case<NVVM::MBarrierArriveExpectTxOp>([&](NVVM::MBarrierArriveExpectTxOp expect) {
            call("fxgraph_emulate_expect", {}, {address(expect.getAddr()), expect.getTxcount()});
            return true;
          })
          .Case<NVVM::MBarrierArriveOp>([&](NVVM::MBarrierArriveOp arrive) {
            call("fxgraph_emulate_arrive", {}, address(arrive.getAddr()));
            return op->use_empty();
          })
          .Case<NVVM::MBarrierTryWaitParityOp>([&](NVVM::MBarrierTryWaitParityOp wait) {
            call("fxgraph_emulate_wait", {}, {address(wait.getAddr()), wait.getPhase()});
            return true;
          })
          .Case<NVVM::BarrierOp>([&](NVVM::BarrierOp barrier) {
            if (!barrier.getBarrierId() || !barrier.getNumberOfThreads())
              return false;
            call("fxgraph_emulate_sync", {}, {barrier.getBarrierId(), barrier.getNumberOfThreads()});
            return true;
          })
          .Case<NVVM::SyncWarpOp>([&](auto) {
            call("fxgraph_emulate_sync_warp", {}, {});
            return true;
          })
          .Case<NVVM::WgmmaWaitGroupSyncOp>([&](auto) {
            call(waitForProductsName, {}, {});
            return true;
          })
          .Case<NVVM::SetMaxRegisterOp, NVVM::FenceMbarrierInitOp, NVVM::FenceProxyOp, NVVM::WgmmaFenceAlignedOp,
                NVVM::WgmmaGroupSyncAlignedOp>([](auto) { return true; })
          .Case<NVVM::CpAsyncBulkCommitGroupOp>([&](auto) {
            call("fxgraph_emulate_commit_copies", {}, {});
            return true;
          })
          .Case<NVVM::CpAsyncBulkWaitGroupOp>([&](NVVM::CpAsyncBulkWaitGroupOp wait) {
            Value left = mlir::arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(wait.getGroup()));
            call("fxgraph_emulate_wait_for_copies", {}, left);
            return true;
          })
          .Case<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>([&](auto load) {
            if (load.getMulticastMask())
              return false;
            SmallVector<Value> operands =
                withCoordinates({address(load.getDstMem()), address(load.getTmaDescriptor())}, load.getCoordinates());
            operands.push_back(address(load.getMbar()));
            call("fxgraph_emulate_load_box", {}, operands);
            return true;
          })
          .Case<NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp>([&](auto store) {
            call("fxgraph_emulate_store_box", {},
                 withCoordinates({address(store.getTmaDescriptor()), address(store.getSrcMem())},
                                 store.getCoordinates()));
            return true;
          })
          .Case<NVVM::StMatrixOp>([&](NVVM::StMatrixOp store) {
            if (store.getSources().size() != 4 || store.getLayout() != NVVM::MMALayout::row)
              return false;
            SmallVector<Value> operands = {address(store.getPtr())};
            llvm::append_range(operands, store.getSources());
            call("fxgraph_emulate_store_matrix", {}, operands);
            return true;
          })
          .Case<NVVM::InlinePtxOp>([&](NVVM::InlinePtxOp ptx) {
            StringRef name = llvm::StringSwitch<StringRef>(ptx.getPtxCode())
                                 .Case("ex2.approx.ftz.f32 %0, %1;", "fxgraph_emulate_exp2")
                                 .Case("rcp.approx.ftz.f32 %0, %1;", "fxgraph_emulate_inverse")
                                 .Default("");
            if (name.empty())
              return false;
            ptx.replaceAllUsesWith(call(name, f32, ptx.getReadOnlyArgs()).getResults());
            return true;
          })
          .Default([](Operation *) { return false; });
  if (isKnown)
    op->erase();
  return isKnown;
}
