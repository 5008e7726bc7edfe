// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function of one kernel, or of several whose blocks share a launch.

#include "Emit/KernelEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;

/// A function with the arguments of kernels, one after the other.
mlir::gpu::GPUFuncOp KernelEmitter::createFunction(OpBuilder &b, Location loc, StringRef name,
                                                   ArrayRef<const KernelIR *> kernels, int64_t block) {
  SmallVector<Type> types;
  for (const KernelIR *ir : kernels) {
    for (const KernelArray &array : ir->arrays) {
      if (array.table)
        types.push_back(mlir::LLVM::LLVMPointerType::get(b.getContext()));
      else
        types.push_back(mlir::MemRefType::get({}, getMemoryType(array.elementType)));
    }
    if (ir->errorCode)
      types.push_back(mlir::MemRefType::get({}, b.getI32Type()));
  }
  mlir::gpu::GPUFuncOp function = createKernelFunction(b, loc, name, types, block);
  unsigned i = 0;
  for (const KernelIR *ir : kernels) {
    for (const KernelArray &array : ir->arrays) {
      if (array.table) {
        Type table = mlir::LLVM::LLVMArrayType::get(b.getI64Type(), array.instances.size());
        describeByValue(function, i++, table, sizeof(uint64_t));
      } else {
        describePointer(function, i++, !array.written, array.align);
      }
    }
    i += ir->errorCode != 0;
  }
  b.setInsertionPointToStart(&function.getBody().front());
  return function;
}

void KernelEmitter::openBlocks(int64_t grid, int64_t block) {
  launch = {grid, block};
  unsigned first = 0;
  if (shared) {
    function = shared->function;
    first = shared->nextArgument;
    shared->nextArgument += ir.arrays.size();
    shared->nextBlock += grid;
    Value isMine = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, shared->block, index(shared->nextBlock));
    auto choice = scf::IfOp::create(b, loc, isMine, /*withElseRegion=*/true);
    shared->others = choice.elseBlock();
    b.setInsertionPointToStart(choice.thenBlock());
    blockId = arith::SubIOp::create(b, loc, shared->block, index(shared->nextBlock - grid));
  } else {
    function = createFunction(b, loc, ir.name, &ir, block);
    setKnownGrid(function, grid);
    if (schedule.cluster > 1)
      function.setKnownClusterSizeAttr(b.getDenseI32ArrayAttr({static_cast<int32_t>(schedule.cluster), 1, 1}));
    function->setAttr("fxgraph.schedule", schedule.toAttribute(b.getContext()));
    blockId = mlir::gpu::BlockIdOp::create(b, loc, mlir::gpu::Dimension::x);
  }
  threadId = mlir::gpu::ThreadIdOp::create(b, loc, mlir::gpu::Dimension::x);
  bindArrays(first);
}

void KernelEmitter::bindArrays(unsigned first) {
  for (const auto &[i, array] : llvm::enumerate(ir.arrays)) {
    arguments.push_back(function.getArgument(first + i));
    if (array.table) {
      arrays.push_back(Value());
      continue;
    }
    auto type = mlir::MemRefType::get({array.extent}, getMemoryType(array.elementType));
    arrays.push_back(memref::ReinterpretCastOp::create(b, loc, type, arguments.back(), /*offset=*/0,
                                                       ArrayRef<int64_t>{array.extent}, ArrayRef<int64_t>{1}));
  }
}

LogicalResult KernelEmitter::guarded(Value condition, function_ref<LogicalResult()> body) {
  if (!condition)
    return body();
  auto guard = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(guard.thenBlock());
  return body();
}

FailureOr<LaunchShape> KernelEmitter::run() {
  OpBuilder::InsertionGuard restore(b);
  LogicalResult result = failure();
  switch (schedule.kind) {
  case KernelSchedule::Kind::Flat:
    result = emitFlat();
    break;
  case KernelSchedule::Kind::Boxes:
    result = emitBoxes();
    break;
  case KernelSchedule::Kind::Rows:
  case KernelSchedule::Kind::Strips:
    result = emitReduction();
    break;
  case KernelSchedule::Kind::Loops:
    result = emitLoops();
    break;
  case KernelSchedule::Kind::Scans:
    result = emitScanBoxes();
    break;
  case KernelSchedule::Kind::Tiles:
    result = emitTiles();
    break;
  }
  if (failed(result))
    return failure();
  if (!shared) {
    b.setInsertionPointToEnd(&function.getBody().front());
    mlir::gpu::ReturnOp::create(b, loc);
  }
  return launch;
}

/// Turns of the kernels that share a launch: as many blocks of each as it has of the whole. The number of turns is the one of
/// those that are enough that leaves the fewest blocks without work.
static int64_t chooseTurns(ArrayRef<int64_t> grids) {
  constexpr int64_t fewest = 16, most = 64;
  int64_t best = 1, least = std::numeric_limits<int64_t>::max();
  for (int64_t turns = most; turns >= fewest; --turns) {
    int64_t blocks = 0;
    for (int64_t grid : grids)
      blocks += turns * static_cast<int64_t>(llvm::divideCeil(grid, turns));
    if (blocks < least) {
      least = blocks;
      best = turns;
    }
  }
  return best;
}

/// The number that a block has when kernels follow each other, where they take turns; one beyond all for blocks without work.
/// Sets `grid` to the number of blocks.
static Value takeTurns(OpBuilder &b, Location loc, Value block, ArrayRef<int64_t> grids, int64_t &grid) {
  auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(b, loc, value).getResult(); };
  int64_t turns = chooseTurns(grids), all = 0, ofTurn = 0;
  SmallVector<int64_t> shares;
  for (int64_t own : grids) {
    shares.push_back(llvm::divideCeil(own, turns));
    ofTurn += shares.back();
    all += own;
  }
  Value turn = arith::DivUIOp::create(b, loc, block, index(ofTurn)),
        inTurn = arith::RemUIOp::create(b, loc, block, index(ofTurn));
  Value number = index(all);
  // From the last kernel on: each takes what lies in its share, or before.
  int64_t start = ofTurn, first = all;
  for (size_t i = grids.size(); i-- > 0;) {
    start -= shares[i];
    first -= grids[i];
    Value inShare = arith::SubIOp::create(b, loc, inTurn, index(start));
    Value own = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, turn, index(shares[i])), inShare);
    auto isBelow = [&](Value value, int64_t limit) {
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, value, index(limit)).getResult();
    };
    Value placed = arith::SelectOp::create(b, loc, isBelow(own, grids[i]),
                                           arith::AddIOp::create(b, loc, own, index(first)), index(all));
    number = arith::SelectOp::create(b, loc, isBelow(inTurn, start + shares[i]), placed, number);
  }
  grid = turns * ofTurn;
  return number;
}

FailureOr<LaunchShape> fxgraph::gpu::emitKernels(OpBuilder &builder, StringRef name, ArrayRef<KernelIR> kernels,
                                                 ArrayRef<KernelSchedule> schedules, bool sideBySide) {
  if (kernels.size() == 1) {
    KernelIR only = kernels.front();
    only.name = name.str();
    KernelUses uses(only);
    return KernelEmitter(builder, only, uses, schedules.front()).run();
  }
  std::vector<KernelUses> uses;
  SmallVector<const KernelIR *> parts;
  for (const KernelIR &kernel : kernels) {
    uses.emplace_back(kernel);
    parts.push_back(&kernel);
  }
  int64_t block = schedules.front().block;
  OpBuilder::InsertionGuard restore(builder);
  Location loc = parts.front()->loc;
  SharedFunction shared;
  shared.function = KernelEmitter::createFunction(builder, loc, name, parts, block);
  shared.block = mlir::gpu::BlockIdOp::create(builder, loc, mlir::gpu::Dimension::x);
  SmallVector<Attribute> texts;
  SmallVector<int64_t> grids;
  for (size_t i = 0; i < kernels.size(); ++i) {
    FailureOr<LaunchShape> launch = KernelEmitter(builder, kernels[i], uses[i], schedules[i], &shared).run();
    if (failed(launch))
      return failure();
    grids.push_back(launch->grid);
    texts.push_back(schedules[i].toAttribute(builder.getContext()));
    // The next one's blocks are those that are not this one's.
    builder.setInsertionPointToStart(shared.others);
  }
  shared.function->setAttr("fxgraph.schedule", builder.getArrayAttr(texts));
  int64_t grid = shared.nextBlock;
  if (sideBySide) {
    builder.setInsertionPointAfterValue(shared.block);
    SmallVector<mlir::OpOperand *> uses =
        llvm::map_to_vector(shared.block.getUses(), [](mlir::OpOperand &use) { return &use; });
    Value number = takeTurns(builder, loc, shared.block, grids, grid);
    for (mlir::OpOperand *use : uses)
      use->set(number);
  }
  setKnownGrid(shared.function, grid);
  builder.setInsertionPointToEnd(&shared.function.getBody().front());
  mlir::gpu::ReturnOp::create(builder, loc);
  return LaunchShape{grid, block};
}
