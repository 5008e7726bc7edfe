// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is the same for all kernels that bring boxes to shared memory (EmitBoxes.cpp, EmitScanBoxes.cpp): how a thread goes
// through the vectors of a box, and how it accesses them there.

#include "Emit/KernelEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace vector = mlir::vector;

//===----------------------------------------------------------------------===//
// Vectors of a thread
//===----------------------------------------------------------------------===//

BoxWalk KernelEmitter::planWalk(ArrayRef<Digit> digits) {
  BoxWalk walk;
  walk.digits.assign(digits.begin(), digits.end());
  walk.path = schedule.getPath(digits);
  if (walk.path.apart == 0)
    return walk;
  Value thread = threadId;
  if (int64_t threads = walk.path.apart * walk.path.below; threads < schedule.block) {
    walk.inBox = isBelow(thread, threads);
    thread = arith::MinUIOp::create(b, loc, thread, index(threads - 1));
  }
  SmallVector<Digit> own; // By their numbers: there may be two along one side.
  for (unsigned i = walk.path.split; i < digits.size(); ++i)
    own.push_back({i, digits[i].count, digits[i].step});
  walk.own.resize(digits.size());
  delinearize(thread, own, walk.own);
  return walk;
}

void KernelEmitter::enterBox(const BoxWalk &walk, MoveAlong move) {
  if (walk.path.apart == 0)
    return;
  for (unsigned i = walk.path.split + 1; i < walk.digits.size(); ++i)
    move(walk.digits[i], walk.own[i]);
}

Value KernelEmitter::goToVector(const BoxWalk &walk, int64_t i, MoveAlong move) {
  const BoxPath &path = walk.path;
  Value inBox = walk.inBox;
  if (path.apart == 0) {
    Value at = addIndex(index(i * schedule.block), threadId);
    if ((i + 1) * schedule.block > path.vectors) {
      inBox = isBelow(at, path.vectors);
      at = arith::MinUIOp::create(b, loc, at, index(path.vectors - 1));
    }
    SmallVector<Digit> all;
    for (auto [number, digit] : llvm::enumerate(walk.digits))
      all.push_back({static_cast<unsigned>(number), digit.count, digit.step});
    SmallVector<Value> places(all.size());
    delinearize(at, all, places);
    for (auto [digit, place] : llvm::zip_equal(walk.digits, places))
      move(digit, place);
    return inBox;
  }
  const Digit &split = walk.digits[path.split];
  int64_t rounds = llvm::divideCeil(split.count, path.apart), round = i % rounds, rest = i / rounds;
  Value own = addIndex(walk.own[path.split], index(round * path.apart * split.step));
  if ((round + 1) * path.apart > split.count) {
    inBox = both(inBox, isBelow(own, split.count * split.step));
    own = arith::MinUIOp::create(b, loc, own, index((split.count - 1) * split.step));
  }
  move(split, own);
  // The slower digits are the same for all threads.
  for (const Digit &digit : llvm::reverse(ArrayRef(walk.digits).take_front(path.split))) {
    move(digit, index(rest % digit.count * digit.step));
    rest /= digit.count;
  }
  return inBox;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Vectors of shared memory are accessed by pointer: the conversion of vector.load knows no memory space of blocks.
Value KernelEmitter::getBoxAddress(Value memory, Value place) {
  Type element = cast<mlir::MemRefType>(memory.getType()).getElementType(), i64 = b.getI64Type();
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memory);
  Value at = addIndex(start, mulIndex(place, llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)));
  return mlir::LLVM::IntToPtrOp::create(b, loc, mlir::LLVM::LLVMPointerType::get(b.getContext(), 3),
                                        arith::IndexCastOp::create(b, loc, i64, at).getResult());
}

static int64_t getBoxAlignment(Value memory, int64_t elements) {
  Type element = cast<mlir::MemRefType>(memory.getType()).getElementType();
  return std::min<int64_t>(kVectorBytes, elements * llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
}

void KernelEmitter::storeToBox(Value value, Value memory, const BoxVector &at) {
  for (int64_t lane = 0; lane < at.lanes; lane += at.together) {
    Value place = addIndex(at.place, index(lane * at.stride));
    if (at.together == 1) {
      memref::StoreOp::create(b, loc, getLane(value, lane), memory, place);
      continue;
    }
    Value part = value;
    if (at.together < at.lanes)
      part = vector::ExtractStridedSliceOp::create(b, loc, value, lane, at.together, 1);
    mlir::LLVM::StoreOp::create(b, loc, part, getBoxAddress(memory, place), getBoxAlignment(memory, at.together));
  }
}

Value KernelEmitter::loadFromBox(Value memory, const BoxVector &at) {
  Type element = cast<mlir::MemRefType>(memory.getType()).getElementType();
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < at.lanes; lane += at.together) {
    Value place = addIndex(at.place, index(lane * at.stride));
    if (at.together == 1) {
      elements.push_back(memref::LoadOp::create(b, loc, memory, place));
      continue;
    }
    Value part = mlir::LLVM::LoadOp::create(b, loc, mlir::VectorType::get({at.together}, element),
                                            getBoxAddress(memory, place), getBoxAlignment(memory, at.together));
    if (at.together == at.lanes)
      return part;
    for (int64_t i = 0; i < at.together; ++i)
      elements.push_back(getLane(part, i));
  }
  return at.lanes == 1
             ? elements[0]
             : vector::FromElementsOp::create(b, loc, mlir::VectorType::get({at.lanes}, element), elements).getResult();
}
