// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/EmitRegion.h"
#include "fxgraph/Conversion/Passes.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace affine = mlir::affine;
namespace arith = mlir::arith;
namespace bufferization = mlir::bufferization;
namespace linalg = mlir::linalg;
namespace memref = mlir::memref;
namespace scf = mlir::scf;

static constexpr int64_t kBlock = 128;
/// Beyond this many blocks threads take several points.
static constexpr int64_t kMostBlocks = 1 << 20;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

FailureOr<RegionKernel> RegionKernel::create(KernelOp kernel) {
  RegionKernel result;
  result.kernel = kernel;
  if (failed(result.bufferize()) || failed(result.collectLaunches()))
    return failure();
  return std::move(result);
}

static mlir::MemRefType getMemory(Type stored) {
  auto tensor = cast<RankedTensorType>(stored);
  return mlir::MemRefType::get(tensor.getShape(), tensor.getElementType());
}

/// Tensors of one number become fills, which a kernel writes: literals would be memory that has to be loaded.
static void fillConstants(mlir::func::FuncOp function) {
  function.walk([](arith::ConstantOp constant) {
    auto splat = dyn_cast<mlir::SplatElementsAttr>(constant.getValue());
    if (!splat || !isa<RankedTensorType>(constant.getType()))
      return;
    OpBuilder builder(constant);
    Location loc = constant.getLoc();
    auto type = cast<RankedTensorType>(constant.getType());
    Value number = arith::ConstantOp::create(builder, loc, splat.getSplatValue<mlir::TypedAttr>());
    Value empty = mlir::tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType());
    constant.replaceAllUsesWith(linalg::FillOp::create(builder, loc, number, empty).getResult(0));
    constant.erase();
  });
}

/// The body as a function whose arguments are the memory of operands and results, on memory.
LogicalResult RegionKernel::bufferize() {
  Location loc = kernel.getLoc();
  MLIRContext *context = kernel.getContext();
  module = mlir::ModuleOp::create(loc);
  OpBuilder builder(context);
  builder.setInsertionPointToStart(module->getBody());
  Block &body = kernel.getBody().front();
  auto yield = cast<YieldOp>(body.getTerminator());
  SmallVector<Type> types;
  for (Type type : llvm::concat<const Type>(body.getArgumentTypes(), yield->getOperandTypes()))
    types.push_back(getMemory(type));
  function = mlir::func::FuncOp::create(builder, loc, "kernel", builder.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  mlir::IRMapping mapping;
  for (auto [argument, memory] : llvm::zip(body.getArguments(), entry->getArguments()))
    mapping.map(argument, bufferization::ToTensorOp::create(builder, loc, argument.getType(), memory,
                                                            /*restrict=*/true, /*writable=*/false));
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  for (auto [value, memory] :
       llvm::zip_equal(yield.getValues(), entry->getArguments().drop_front(body.getNumArguments())))
    bufferization::MaterializeInDestinationOp::create(builder, loc, mlir::TypeRange(), mapping.lookup(value), memory,
                                                      /*restrict=*/true, /*writable=*/true);
  mlir::func::ReturnOp::create(builder, loc);
  fillConstants(function);

  mlir::PassManager manager(context);
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(createFxGraphCPUFusePass());
  manager.addPass(bufferization::createEmptyTensorEliminationPass());
  manager.addPass(bufferization::createOneShotBufferizePass());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
  if (failed(manager.run(*module)))
    return kernel.emitOpError("expected a body that can be bufferised");
  return success();
}

/// The memory that a memref is a view of.
static Value getBase(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    auto view = dyn_cast<mlir::ViewLikeOpInterface>(op);
    if (!view)
      break;
    memory = view.getViewSource();
  }
  return memory;
}

/// An op that a launch computes again for itself: numbers and views of memory.
static bool isRecomputed(Operation *op) {
  return op->hasTrait<mlir::OpTrait::ConstantLike>() || isa<mlir::ViewLikeOpInterface, affine::AffineApplyOp>(op);
}

LogicalResult RegionKernel::collectLaunches() {
  mlir::IRRewriter rewriter(kernel.getContext());
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front().without_terminator())) {
    if (isRecomputed(&op) || isa<memref::AllocOp>(op))
      continue;
    rewriter.setInsertionPoint(&op);
    linalg::GenericOp nest;
    if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      nest = linalg::makeMemRefCopyOp(rewriter, op.getLoc(), copy.getSource(), copy.getTarget());
      copy.erase();
    } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      FailureOr<linalg::GenericOp> general = linalg::generalizeNamedOp(rewriter, linalgOp);
      nest = succeeded(general) ? *general : dyn_cast<linalg::GenericOp>(op);
    }
    bool inThread =
        nest && llvm::all_of(nest.getDpsInitsMutable(), [&](mlir::OpOperand &init) {
          mlir::AffineMap map = nest.getMatchingIndexingMap(&init);
          return llvm::all_of(llvm::enumerate(nest.getIteratorTypesArray()), [&](auto loop) {
            return loop.value() == mlir::utils::IteratorType::parallel || !map.isFunctionOfDim(loop.index());
          });
        });
    if (!inThread)
      return kernel.emitOpError("expected loop nests of independent elements but got ") << op.getName();
    SmallVector<int64_t> extents = nest.getStaticLoopRanges();
    if (llvm::any_of(llvm::zip_equal(extents, nest.getIteratorTypesArray()), [](auto loop) {
          return std::get<0>(loop) == 0 && std::get<1>(loop) == mlir::utils::IteratorType::parallel;
        }))
      continue; // Nothing is computed.
    Launch launch;
    launch.nest = nest;
    auto note = [&](Value value) {
      if (isa<mlir::MemRefType>(value.getType()))
        launch.memory.insert(getBase(value));
    };
    for (Value operand : nest->getOperands())
      note(operand);
    llvm::SetVector<Value> captured;
    mlir::getUsedValuesDefinedAbove(nest->getRegions(), captured);
    for (Value value : captured) {
      note(value);
      Operation *owner = value.getDefiningOp();
      if (owner && !isRecomputed(owner) && !isa<memref::AllocOp>(owner))
        return kernel.emitOpError("expected loop nests of independent elements but one uses a value of ")
               << owner->getName();
    }
    launches.push_back(std::move(launch));
  }
  return success();
}

Value RegionKernel::getOwner(Value memory) const {
  auto argument = dyn_cast<mlir::BlockArgument>(memory);
  if (!argument)
    return memory;
  unsigned number = argument.getArgNumber(), inputs = kernel->getNumOperands();
  return number < inputs ? kernel->getOperand(number) : Value(kernel->getResult(number - inputs));
}

/// Numbers and views that `value` is made of, once more.
static void copyOperands(OpBuilder &builder, mlir::IRMapping &mapping, Value value) {
  if (mapping.contains(value))
    return;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    copyOperands(builder, mapping, operand);
  builder.clone(*op, mapping);
}

/// All that the nest is made of.
static void copyOperands(OpBuilder &builder, mlir::IRMapping &mapping, linalg::GenericOp nest) {
  for (Value operand : nest->getOperands())
    copyOperands(builder, mapping, operand);
  llvm::SetVector<Value> captured;
  mlir::getUsedValuesDefinedAbove(nest->getRegions(), captured);
  for (Value value : captured)
    copyOperands(builder, mapping, value);
}

void RegionKernel::writeLaunches(OpBuilder &builder, function_ref<Value(Value, mlir::MemRefType)> getMemory) const {
  Location loc = kernel->getLoc();
  KernelOp source = kernel;
  for (const Launch &launch : launches) {
    SmallVector<Value> operands;
    for (Value memory : launch.memory)
      operands.push_back(getMemory(getOwner(memory), cast<mlir::MemRefType>(memory.getType())));
    auto step = KernelOp::create(builder, loc, mlir::TypeRange(), source.getName(), operands);
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Type> types = llvm::to_vector(ValueRange(operands).getTypes());
    Block *body = builder.createBlock(&step.getBody(), {}, types, SmallVector<Location>(types.size(), loc));
    mlir::IRMapping mapping;
    mapping.map(launch.memory.getArrayRef(), body->getArguments());
    copyOperands(builder, mapping, launch.nest);
    builder.clone(*launch.nest, mapping);
    YieldOp::create(builder, loc, ValueRange());
  }
}

bool fxgraph::gpu::checksIndices(KernelOp kernel) {
  return kernel.getBody().walk([](mlir::cf::AssertOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

namespace {
/// Writes the function of one launch.
class NestEmitter {
public:
  NestEmitter(OpBuilder &builder, KernelOp kernel, linalg::GenericOp nest, int errorCode)
      : b(builder), nest(nest), kernel(kernel), errorCode(errorCode), loc(nest.getLoc()) {}
  LaunchShape emit(StringRef name);

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  void emitPoint(Value position);
  /// The position in an operand's memory at the loops' indices.
  SmallVector<Value> getPosition(mlir::OpOperand &operand) {
    mlir::AffineMap map = nest.getMatchingIndexingMap(&operand);
    SmallVector<Value> position;
    for (mlir::AffineExpr expr : map.getResults())
      position.push_back(mlir::getValueOrCreateConstantIndexOp(
          b, loc,
          affine::makeComposedFoldedAffineApply(b, loc, mlir::AffineMap::get(map.getNumDims(), 0, expr),
                                                toFold(loops))));
    return position;
  }
  static SmallVector<mlir::OpFoldResult> toFold(ArrayRef<Value> values) {
    return SmallVector<mlir::OpFoldResult>(values.begin(), values.end());
  }
  Value load(mlir::OpOperand &operand) {
    Value memory = mapping.lookup(operand.get());
    return isa<mlir::MemRefType>(memory.getType()) ? memref::LoadOp::create(b, loc, memory, getPosition(operand))
                                                   : memory;
  }
  SmallVector<Value> emitBody(ValueRange accumulators);
  SmallVector<Value> emitReductions(ArrayRef<unsigned> reductions, ValueRange accumulators);

  OpBuilder &b;
  linalg::GenericOp nest;
  KernelOp kernel;
  int errorCode;
  Location loc;
  mlir::gpu::GPUFuncOp function;
  mlir::IRMapping mapping;  ///< memory and numbers of the nest -> those of the function
  SmallVector<Value> loops; ///< indices of the nest's loops
};
} // namespace

/// The nest's body at the loops' indices; what it yields.
SmallVector<Value> NestEmitter::emitBody(ValueRange accumulators) {
  mlir::IRMapping inside(mapping);
  Block *body = nest.getBody();
  for (mlir::OpOperand *input : nest.getDpsInputOperands())
    if (nest.payloadUsesValueFromOperand(input))
      inside.map(nest.getMatchingBlockArgument(input), load(*input));
  for (auto [argument, value] : llvm::zip(nest.getRegionOutputArgs(), accumulators))
    inside.map(argument, value);
  for (Operation &op : body->without_terminator()) {
    Operation *copy = b.clone(op, inside);
    copy->walk([&](Operation *inner) {
      if (auto number = dyn_cast<linalg::IndexOp>(inner)) {
        Value loop = loops[number.getDim()];
        inner->getResult(0).replaceAllUsesWith(loop);
        if (inner == copy)
          inside.map(op.getResult(0), loop);
        inner->erase();
      } else if (auto check = dyn_cast<mlir::cf::AssertOp>(inner)) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(inner);
        Value one = arith::ConstantIntOp::create(b, loc, 1, 1);
        Value broken = arith::XOrIOp::create(b, loc, check.getArg(), one);
        scf::IfOp::create(b, loc, broken, [&](OpBuilder &n, Location l) {
          Value code = arith::ConstantIntOp::create(n, l, errorCode, 32);
          memref::StoreOp::create(n, l, code, function.getArguments().back(), ValueRange());
          scf::YieldOp::create(n, l);
        });
        inner->erase();
      }
    });
  }
  SmallVector<Value> results;
  for (Value value : body->getTerminator()->getOperands())
    results.push_back(inside.lookupOrDefault(value));
  return results;
}

/// Loops over the reduced dimensions, which carry what is accumulated.
SmallVector<Value> NestEmitter::emitReductions(ArrayRef<unsigned> reductions, ValueRange accumulators) {
  if (reductions.empty())
    return emitBody(accumulators);
  unsigned dim = reductions.front();
  Value extent = index(nest.getStaticLoopRanges()[dim]), zero = index(0), one = index(1);
  auto loop = scf::ForOp::create(b, loc, zero, extent, one, accumulators);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  loops[dim] = loop.getInductionVar();
  SmallVector<Value> next = emitReductions(reductions.drop_front(), loop.getRegionIterArgs());
  scf::YieldOp::create(b, loc, next);
  return SmallVector<Value>(loop.getResults());
}

/// What the thread of one point of the parallel loops does.
void NestEmitter::emitPoint(Value position) {
  SmallVector<int64_t> extents = nest.getStaticLoopRanges(), parallel;
  SmallVector<unsigned> dims, reductions;
  for (auto [i, type] : llvm::enumerate(nest.getIteratorTypesArray())) {
    if (type != mlir::utils::IteratorType::parallel) {
      reductions.push_back(i);
      continue;
    }
    dims.push_back(i);
    parallel.push_back(extents[i]);
  }
  loops.assign(extents.size(), Value());
  if (dims.size() == 1) {
    loops[dims[0]] = position;
  } else if (!dims.empty()) {
    auto split = affine::AffineDelinearizeIndexOp::create(b, loc, position, parallel);
    for (auto [dim, value] : llvm::zip_equal(dims, split.getResults()))
      loops[dim] = value;
  }
  SmallVector<Value> accumulators;
  for (mlir::OpOperand &init : nest.getDpsInitsMutable()) {
    // Without a reduction a body seldom reads what it writes over.
    bool isRead = !reductions.empty() || nest.payloadUsesValueFromOperand(&init);
    Type element = cast<mlir::MemRefType>(init.get().getType()).getElementType();
    accumulators.push_back(isRead ? load(init) : arith::ConstantOp::create(b, loc, b.getZeroAttr(element)).getResult());
  }
  SmallVector<Value> results = emitReductions(reductions, accumulators);
  for (auto [init, value] : llvm::zip_equal(nest.getDpsInitsMutable(), results))
    memref::StoreOp::create(b, loc, value, mapping.lookup(init.get()), getPosition(init));
}

LaunchShape NestEmitter::emit(StringRef name) {
  int64_t points = 1;
  for (auto [extent, type] : llvm::zip_equal(nest.getStaticLoopRanges(), nest.getIteratorTypesArray()))
    if (type == mlir::utils::IteratorType::parallel)
      points *= extent;
  LaunchShape shape;
  shape.block = std::min(kBlock, std::max<int64_t>(32, llvm::PowerOf2Ceil(points)));
  shape.grid = std::min<int64_t>(llvm::divideCeil(points, shape.block), kMostBlocks);
  SmallVector<Type> types;
  llvm::append_range(types, kernel.getBody().getArgumentTypes());
  if (checksIndices(kernel))
    types.push_back(mlir::MemRefType::get({}, b.getI32Type()));
  function = createKernelFunction(b, loc, name, types, shape.block);
  setKnownGrid(function, shape.grid);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.getBody().front());
  ValueRange memory = kernel.getBody().getArguments();
  mapping.map(memory, function.getArguments().take_front(memory.size()));
  copyOperands(b, mapping, nest);

  Value block = mlir::gpu::BlockIdOp::create(b, loc, mlir::gpu::Dimension::x),
        thread = mlir::gpu::ThreadIdOp::create(b, loc, mlir::gpu::Dimension::x);
  Value first = arith::MulIOp::create(b, loc, block, index(shape.block));
  Value position = arith::AddIOp::create(b, loc, first, thread);
  int64_t threads = shape.grid * shape.block;
  if (threads == points) {
    emitPoint(position);
  } else {
    OpBuilder::InsertionGuard inner(b);
    Value end = index(points);
    if (threads > points) {
      Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, position, end);
      b.setInsertionPointToStart(&scf::IfOp::create(b, loc, inside, /*withElseRegion=*/false).getThenRegion().front());
      emitPoint(position);
    } else {
      auto loop = scf::ForOp::create(b, loc, position, end, index(threads));
      b.setInsertionPointToStart(loop.getBody());
      emitPoint(loop.getInductionVar());
    }
  }
  mlir::gpu::ReturnOp::create(b, loc);
  return shape;
}

FailureOr<LaunchShape> fxgraph::gpu::emitRegion(OpBuilder &builder, KernelOp kernel, StringRef name, int errorCode) {
  auto nests = llvm::to_vector(kernel.getBody().getOps<linalg::GenericOp>());
  if (nests.size() != 1)
    return kernel.emitOpError("expected one linalg.generic in the body but got ") << nests.size();
  return NestEmitter(builder, kernel, nests.front(), errorCode).emit(name);
}
