// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fxgraph-cpu-outline-kernels. Each linalg op, copy and loop over elements of
// an entry function, also of the blocks of its control flow, becomes a call of a kernel. A kernel takes raw pointers (the
// caller adds the offsets of views), captured scalars, dynamic extents and steps as
// indices, and the range of its parallel loop. Two nests with the same description
// (extents, steps, body) are one kernel, so the description is made first and the
// function only for a new one; of nests that differ in extents and steps alone, all but the
// first few are one kernel too. Linear in the ops.

#include "LoopNest.h"
#include "fxgraph/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Support/DebugStringHelper.h"
#include "mlir/Transforms/RegionUtils.h"

namespace fxgraph {
#define GEN_PASS_DEF_FXGRAPHCPUOUTLINEPASS
#include "fxgraph/Conversion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;
using namespace fxgraph::cpu;
using namespace mlir;

/// Element steps below which a nest is not divided among threads, and the least
/// that one thread gets.
static constexpr double kParallelWork = 65536, kGrainWork = 16384;

/// Kernels of nests that differ in extents and steps only. Further ones share a kernel that takes these numbers: LLVM needs
/// some 10 ms to vectorise and unroll a loop.
static constexpr unsigned kMostOfAKind = 16;
/// Smaller extents and steps say how a loop is made, and stay in its kernel: windows, and rows that are a vector.
static constexpr int64_t kLeastArgument = 8;

namespace {

/// Buffers of an entry: what each memref is a view of, and its address.
class Buffers {
public:
  /// An allocation, or what makes a memref of an argument or a global.
  Value getRoot(Value memref) {
    SmallVector<Value> path;
    auto it = roots.find(memref);
    for (; it == roots.end(); it = roots.find(memref)) {
      path.push_back(memref);
      Operation *op = memref.getDefiningOp();
      if (!op || !isViewOp(op))
        break;
      memref = op->getOperand(0);
    }
    Value root = it == roots.end() ? memref : it->second;
    for (Value view : path)
      roots[view] = root;
    return root;
  }
  /// Address of a memref's first element: views have their root's pointer, and in their
  /// type or descriptor the offset from it.
  Value getAddress(OpBuilder &b, Location loc, Value memref) {
    Value &pointer = pointers[getRoot(memref)];
    auto ptr = LLVM::LLVMPointerType::get(b.getContext());
    if (!pointer)
      pointer = getPointerOf(getRoot(memref));
    if (!pointer) {
      // Beside the root: the next who asks may stand in another block.
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointAfterValue(getRoot(memref));
      Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, getRoot(memref));
      Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
      pointer = LLVM::IntToPtrOp::create(b, loc, ptr, number);
    }
    auto type = cast<MemRefType>(memref.getType());
    auto [strides, offset] = type.getStridesAndOffset();
    if (offset == 0)
      return pointer;
    Value elements;
    if (ShapedType::isDynamic(offset))
      elements = arith::IndexCastOp::create(b, loc, b.getI64Type(),
                                            memref::ExtractStridedMetadataOp::create(b, loc, memref).getOffset());
    else
      elements = LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(offset));
    return LLVM::GEPOp::create(b, loc, ptr, type.getElementType(), pointer, ArrayRef<LLVM::GEPArg>{elements});
  }

private:
  llvm::DenseMap<Value, Value> roots, pointers;
};

/// Arguments of one call of a kernel, collected while the nest is described.
class CallArguments {
public:
  CallArguments(OpBuilder &b, Location loc, Buffers &buffers) : b(b), loc(loc), buffers(buffers) {}

  /// Address of a memref's first element; one argument for one memref value.
  int pointer(Value memref) {
    auto [it, inserted] = pointers.insert({memref, static_cast<int>(values.size())});
    if (!inserted)
      return it->second;
    values.push_back(buffers.getAddress(b, loc, memref));
    memrefs.push_back(memref);
    return it->second;
  }
  /// An index value, or a constant.
  Number number(OpFoldResult value) {
    if (std::optional<int64_t> known = getConstantIntValue(value))
      return Number::constant(*known);
    return {0, scalar(cast<Value>(value))};
  }
  int scalar(Value value) {
    auto [it, inserted] = scalars.insert({value, static_cast<int>(values.size())});
    if (inserted) {
      values.push_back(value);
      memrefs.push_back(Value());
    }
    return it->second;
  }
  ArrayRef<Value> getValues() const { return values; }
  /// The buffer that argument i points into, or null.
  Value getBuffer(size_t i) const { return memrefs[i] ? buffers.getRoot(memrefs[i]) : Value(); }

private:
  OpBuilder &b;
  Location loc;
  Buffers &buffers;
  SmallVector<Value> values, memrefs;
  llvm::DenseMap<Value, int> pointers, scalars;
};

/// Extents and strides of a memref as fold results, at the call.
struct Layout {
  SmallVector<OpFoldResult> sizes, strides;
};
Layout getLayout(OpBuilder &b, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  [[maybe_unused]] LogicalResult strided = type.getStridesAndOffset(strides, offset);
  Layout layout;
  memref::ExtractStridedMetadataOp metadata;
  if (!type.hasStaticShape() || llvm::any_of(strides, ShapedType::isDynamic))
    metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
  for (int64_t i = 0; i < type.getRank(); ++i) {
    layout.sizes.push_back(type.isDynamicDim(i) ? OpFoldResult(metadata.getSizes()[i])
                                                : OpFoldResult(b.getIndexAttr(type.getDimSize(i))));
    layout.strides.push_back(ShapedType::isDynamic(strides[i]) ? OpFoldResult(metadata.getStrides()[i])
                                                               : OpFoldResult(b.getIndexAttr(strides[i])));
  }
  return layout;
}

OpFoldResult scale(OpBuilder &b, Location loc, OpFoldResult value, int64_t factor) {
  if (std::optional<int64_t> known = getConstantIntValue(value))
    return b.getIndexAttr(*known * factor);
  if (factor == 1)
    return value;
  if (factor == 0)
    return b.getIndexAttr(0);
  return arith::MulIOp::create(b, loc, cast<Value>(value), arith::ConstantIndexOp::create(b, loc, factor)).getResult();
}
OpFoldResult sum(OpBuilder &b, Location loc, OpFoldResult x, OpFoldResult y) {
  std::optional<int64_t> l = getConstantIntValue(x), r = getConstantIntValue(y);
  if (l && r)
    return b.getIndexAttr(*l + *r);
  if (l == 0)
    return y;
  if (r == 0)
    return x;
  return arith::AddIOp::create(b, loc, getValueOrCreateConstantIndexOp(b, loc, x),
                               getValueOrCreateConstantIndexOp(b, loc, y))
      .getResult();
}

/// coefficients[d] and the constant of a linear expression of dims.
LogicalResult linearize(AffineExpr expr, int64_t factor, MutableArrayRef<int64_t> coefficients, int64_t &constant) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    constant += factor * number.getValue();
    return success();
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    coefficients[dim.getPosition()] += factor;
    return success();
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return failure();
  if (expr.getKind() == AffineExprKind::Add)
    return success(succeeded(linearize(binary.getLHS(), factor, coefficients, constant)) &&
                   succeeded(linearize(binary.getRHS(), factor, coefficients, constant)));
  if (expr.getKind() == AffineExprKind::Mul)
    if (auto number = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      return linearize(binary.getLHS(), factor * number.getValue(), coefficients, constant);
  return failure();
}

/// Text of a body in which values are numbered, the same for equal bodies.
class BodyPrinter {
public:
  BodyPrinter(raw_ostream &os, CallArguments &arguments) : os(os), arguments(arguments) {}

  void print(Block &block) {
    for (BlockArgument argument : block.getArguments())
      numbers.insert({argument, next++});
    for (Operation &op : block) {
      os << op.getName() << "(";
      for (Value operand : op.getOperands())
        print(operand);
      os << ")" << op.getAttrDictionary() << op.getPropertiesAsAttribute() << ":";
      for (OpResult result : op.getResults()) {
        numbers.insert({result, next++});
        os << result.getType() << ",";
      }
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          print(nested);
      os << ";";
    }
  }

private:
  void print(Value value) {
    auto it = numbers.find(value);
    if (it != numbers.end()) {
      os << "%" << it->second << ",";
      return;
    }
    // Captured: a constant by its value, anything else by its argument.
    Attribute constant;
    if (matchPattern(value, m_Constant(&constant)))
      os << constant << ",";
    else if (isa<MemRefType>(value.getType()))
      os << "m" << arguments.pointer(value) << ",";
    else
      os << "s" << arguments.scalar(value) << ",";
  }

  raw_ostream &os;
  CallArguments &arguments;
  llvm::DenseMap<Value, unsigned> numbers;
  unsigned next = 0;
};

/// Captured values of a region, in order of use.
SmallVector<Value> getCaptured(Operation *op) {
  llvm::SetVector<Value> values;
  for (Region &region : op->getRegions())
    getUsedValuesDefinedAbove(region, values);
  return values.takeVector();
}

/// A memref that the body reads by index: its pointer and what its type leaves open.
struct CapturedMemRef {
  Value memref;
  MemRefType type; // with offset 0
  int pointer;
  SmallVector<Number> sizes, strides;
};

CapturedMemRef captureMemRef(OpBuilder &b, Location loc, Value memref, CallArguments &arguments) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  [[maybe_unused]] LogicalResult strided = type.getStridesAndOffset(strides, offset);
  CapturedMemRef captured{memref, {}, arguments.pointer(memref), {}, {}};
  Layout layout = getLayout(b, loc, memref);
  bool identity = type.getLayout().isIdentity();
  captured.type = identity ? type
                           : MemRefType::get(type.getShape(), type.getElementType(),
                                             StridedLayoutAttr::get(b.getContext(), 0, strides));
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (type.isDynamicDim(i))
      captured.sizes.push_back(arguments.number(layout.sizes[i]));
    if (!identity && ShapedType::isDynamic(strides[i]))
      captured.strides.push_back(arguments.number(layout.strides[i]));
  }
  return captured;
}

struct FxGraphCPUOutlinePass : public fxgraph::impl::FxGraphCPUOutlinePassBase<FxGraphCPUOutlinePass> {
  using Base::Base;

  llvm::StringMap<func::FuncOp> kernels;
  llvm::StringMap<func::FuncOp> ranges;
  llvm::StringMap<unsigned> kinds; // kernels of each
  Buffers buffers;
  unsigned counter = 0;
  OpBuilder *moduleBuilder = nullptr;

  void runOnOperation() override {
    kernels.clear();
    ranges.clear();
    kinds.clear();
    counter = 0;
    ModuleOp module = getOperation();
    if (vectorBytes != 16 && vectorBytes != 32 && vectorBytes != 64) {
      module.emitError() << "fxgraph-cpu-outline-kernels: expected vector-bytes to be 16, 32 or 64 but got "
                         << vectorBytes.getValue();
      return signalPassFailure();
    }
    OpBuilder atEnd = OpBuilder::atBlockEnd(module.getBody());
    moduleBuilder = &atEnd;
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
      if (!isEntry(function))
        continue;
      buffers = Buffers();
      if (failed(outlineBlock(function, function.getBody().front())))
        return signalPassFailure();
    }
  }

  LogicalResult outlineBlock(func::FuncOp entry, Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      LogicalResult result = success();
      if (auto copy = dyn_cast<memref::CopyOp>(op)) {
        result = outlineCopy(entry, copy);
      } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
        result = outlineLinalg(entry, linalgOp);
      } else if (isControlFlow(&op)) {
        for (Region &region : op.getRegions())
          for (Block &nested : region)
            if (failed(outlineBlock(entry, nested)))
              return failure();
      } else if (isa<scf::ForOp>(op)) {
        result = outlineLoop(entry, &op);
      }
      if (failed(result))
        return failure();
    }
    eraseUnused(block); // Views of which only the address was used.
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Description
  //===--------------------------------------------------------------------===//

  LogicalResult outlineLinalg(func::FuncOp entry, linalg::LinalgOp op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    CallArguments arguments(b, loc, buffers);
    LoopNest nest;
    int64_t loops = op.getNumLoops();
    SmallVector<OpFoldResult> extents(loops);
    SmallVector<bool> known(loops, false);
    auto describe = [&](OpOperand &operand) -> FailureOr<NestOperand> {
      NestOperand result;
      auto type = dyn_cast<MemRefType>(operand.get().getType());
      if (!type) {
        result.scalar = operand.get();
        result.element = operand.get().getType();
        result.steps.assign(loops, Number());
        return result;
      }
      Layout layout = getLayout(b, loc, operand.get());
      AffineMap map = op.getMatchingIndexingMap(&operand);
      SmallVector<OpFoldResult> steps(loops, b.getIndexAttr(0));
      OpFoldResult start = b.getIndexAttr(0);
      for (auto [i, expr] : llvm::enumerate(map.getResults())) {
        SmallVector<int64_t> coefficients(loops, 0);
        int64_t constant = 0;
        if (failed(linearize(expr, 1, coefficients, constant)))
          return op->emitOpError("expected linear indexing maps but got ") << debugString(map);
        if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
          bool isKnown = getConstantIntValue(layout.sizes[i]).has_value();
          if (!extents[dim.getPosition()] || (isKnown && !known[dim.getPosition()])) {
            extents[dim.getPosition()] = layout.sizes[i];
            known[dim.getPosition()] = isKnown;
          }
        }
        start = sum(b, loc, start, scale(b, loc, layout.strides[i], constant));
        for (int64_t j = 0; j < loops; ++j)
          if (coefficients[j] != 0)
            steps[j] = sum(b, loc, steps[j], scale(b, loc, layout.strides[i], coefficients[j]));
      }
      result.element = type.getElementType();
      result.pointer = arguments.pointer(operand.get());
      result.start = arguments.number(start);
      for (OpFoldResult step : steps)
        result.steps.push_back(arguments.number(step));
      return result;
    };
    // Outputs first: their extents are those that were asked for.
    SmallVector<NestOperand> outputs;
    for (OpOperand &operand : op.getDpsInitsMutable()) {
      FailureOr<NestOperand> result = describe(operand);
      if (failed(result))
        return failure();
      nest.outputs.push_back(*result);
    }
    for (OpOperand *operand : op.getDpsInputOperands()) {
      FailureOr<NestOperand> result = describe(*operand);
      if (failed(result))
        return failure();
      nest.inputs.push_back(*result);
    }
    SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
    for (int64_t i = 0; i < loops; ++i) {
      if (!extents[i])
        return op->emitOpError("expected each loop to index an operand on its own");
      nest.loops.push_back({arguments.number(extents[i]), iterators[i] == utils::IteratorType::reduction, i});
    }
    nest.body = op.getBlock();
    nest.usesIndex = op.hasIndexSemantics();
    nest.simplify();
    if (!nest.isEmpty())
      callNest(entry, op, nest, arguments, b);
    op.erase();
    return success();
  }

  LogicalResult outlineCopy(func::FuncOp entry, memref::CopyOp op) {
    OpBuilder b(op);
    int64_t rank = cast<MemRefType>(op.getTarget().getType()).getRank();
    SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        b, op.getLoc(), ValueRange(op.getSource()), ValueRange(op.getTarget()), maps, iterators,
        [](OpBuilder &n, Location l, ValueRange args) { linalg::YieldOp::create(n, l, args[0]); });
    op.erase();
    return outlineLinalg(entry, generic);
  }

  //===--------------------------------------------------------------------===//
  // Kernels
  //===--------------------------------------------------------------------===//

  /// Chooses the loop that threads divide; -1 if the nest is too small.
  static int chooseRange(const LoopNest &nest, const Contraction *contraction, int64_t panel) {
    auto extent = [&](int loop) { return nest.loops[loop].extent.isConstant() ? nest.loops[loop].extent.value : 64; };
    if (nest.work() < kParallelWork)
      return -1;
    if (contraction) {
      for (int loop : contraction->batch)
        if (!nest.loops[loop].reduction && extent(loop) >= 8)
          return loop;
      return llvm::divideCeil(contraction->countColumns(nest), panel) * 8 >=
                     static_cast<uint64_t>(extent(contraction->m))
                 ? contraction->columnLoop()
                 : contraction->m;
    }
    int best = -1;
    for (size_t i = 0; i < nest.loops.size(); ++i) {
      if (nest.loops[i].reduction)
        continue;
      if (i == 0 && extent(i) >= 16)
        return i;
      if (best < 0 || extent(i) > extent(best))
        best = i;
    }
    return best >= 0 && extent(best) >= 2 ? best : -1;
  }

  /// What a kernel is made of, as text: equal for nests that one kernel does. Without `numbers`, equal for those too of
  /// which one kernel could do all if it took their extents and steps as arguments.
  static std::string describe(const LoopNest &nest, ArrayRef<CapturedMemRef> captured, ArrayRef<bool> noalias,
                              CallArguments &arguments, bool numbers) {
    std::string text;
    llvm::raw_string_ostream os(text);
    BodyPrinter(os, arguments).print(*nest.body);
    auto print = [&](const Number &number) {
      if (!numbers && isAdjustable(number))
        os << "? ";
      else
        os << (number.isConstant() ? "" : "a") << (number.isConstant() ? number.value : number.argument) << " ";
    };
    for (const Loop &loop : nest.loops) {
      os << (loop.reduction ? "r" : "p") << (nest.usesIndex ? loop.original : 0) << ":";
      print(loop.extent);
    }
    for (const NestOperand *operand : nest.operands()) {
      os << "|" << operand->pointer << operand->element << " ";
      Attribute constant;
      if (operand->pointer < 0 && matchPattern(operand->scalar, m_Constant(&constant)))
        os << constant;
      else if (operand->pointer < 0)
        os << "s" << arguments.scalar(operand->scalar);
      print(operand->start);
      for (const Number &step : operand->steps)
        print(step);
    }
    for (const CapturedMemRef &memref : captured) {
      os << "|m" << memref.pointer << memref.type;
      for (const Number &number : llvm::concat<const Number>(memref.sizes, memref.strides))
        print(number);
    }
    os << "|";
    for (Value value : arguments.getValues())
      os << value.getType() << ",";
    for (bool flag : noalias)
      os << flag;
    return text;
  }

  static bool isAdjustable(const Number &number) {
    return number.isConstant() && std::abs(number.value) >= kLeastArgument;
  }

  /// Makes arguments of the numbers that tell a nest from others of its kind.
  static void takeNumbers(LoopNest &nest, CallArguments &arguments, OpBuilder &b) {
    auto take = [&](Number &number) {
      if (isAdjustable(number))
        number = {
            0, arguments.scalar(arith::ConstantIndexOp::create(b, nest.body->getParentOp()->getLoc(), number.value))};
    };
    for (Loop &loop : nest.loops)
      take(loop.extent);
    for (auto *operands : {&nest.inputs, &nest.outputs})
      for (NestOperand &operand : *operands) {
        take(operand.start);
        llvm::for_each(operand.steps, take);
      }
  }

  void callNest(func::FuncOp entry, linalg::LinalgOp op, LoopNest &nest, CallArguments &arguments, OpBuilder &b) {
    Location loc = op.getLoc();
    for (NestOperand &input : nest.inputs)
      if (input.pointer < 0 && !matchPattern(input.scalar, m_Constant()))
        arguments.scalar(input.scalar);
    // Captured memrefs, before the body's text names their arguments.
    SmallVector<CapturedMemRef> captured;
    for (Value value : getCaptured(op))
      if (isa<MemRefType>(value.getType()))
        captured.push_back(captureMemRef(b, loc, value, arguments));

    SmallVector<bool> noalias = findNoalias(arguments);
    std::string key = describe(nest, captured, noalias, arguments, true);
    Contraction contraction;
    bool isContraction = matchContraction(nest, contraction);
    int64_t panel = isContraction ? contractionPanel(nest.outputs[0].element, vectorBytes) : 0;
    nest.rangeLoop = parallel ? chooseRange(nest, isContraction ? &contraction : nullptr, panel) : -1;
    double work = nest.work();
    Number steps = nest.rangeLoop >= 0 ? nest.loops[nest.rangeLoop].extent : Number();
    if (!isContraction && !kernels.contains(key) &&
        ++kinds[describe(nest, captured, noalias, arguments, false)] > kMostOfAKind) {
      takeNumbers(nest, arguments, b);
      noalias.resize(arguments.getValues().size(), false);
      key = describe(nest, captured, noalias, arguments, true) + "|" + std::to_string(nest.rangeLoop);
    }

    func::FuncOp &kernel = kernels[key];
    if (!kernel) {
      kernel = createKernel(loc, arguments, noalias, nest.rangeLoop >= 0);
      Block *body = &kernel.getBody().front();
      OpBuilder inside = OpBuilder::atBlockBegin(body);
      KernelBuilder k{inside, loc, body->getArguments(), {}, {}, {}};
      if (nest.rangeLoop >= 0) {
        k.rangeLow = body->getArgument(body->getNumArguments() - 2);
        k.rangeHigh = body->getArgument(body->getNumArguments() - 1);
      }
      mapCaptured(k, op, captured, arguments);
      WindowSums sums;
      if (isContraction)
        emitContraction(k, nest, contraction, vectorBytes);
      else if (matchWindowSums(nest, sums, vectorBytes))
        emitWindowSums(k, nest, sums, vectorBytes);
      else
        emitLoopNest(k, nest);
      func::ReturnOp::create(inside, loc);
    }
    Number range;
    double perStep = 0;
    if (nest.rangeLoop >= 0) {
      range = nest.loops[nest.rangeLoop].extent;
      if (isContraction && nest.rangeLoop == contraction.columnLoop())
        steps.value = range.value = llvm::divideCeil(contraction.countColumns(nest), panel);
      double bodyOps = std::max<double>(1, nest.body->getOperations().size() / 4.0);
      perStep = work * bodyOps / (steps.isConstant() ? std::max<int64_t>(steps.value, 1) : 64);
    }
    emitCall(entry, loc, kernel, key, arguments, nest.rangeLoop >= 0, range, perStep, b);
  }

  func::FuncOp createKernel(Location loc, CallArguments &arguments, ArrayRef<bool> noalias, bool hasRange) {
    SmallVector<Type> types;
    for (Value value : arguments.getValues())
      types.push_back(value.getType());
    if (hasRange)
      types.append(2, IndexType::get(&getContext()));
    auto kernel = func::FuncOp::create(*moduleBuilder, loc, "fxk_" + std::to_string(counter++),
                                       moduleBuilder->getFunctionType(types, {}));
    kernel.setPrivate();
    markKernel(kernel);
    kernel.addEntryBlock();
    for (auto [i, flag] : llvm::enumerate(noalias))
      if (flag)
        kernel.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), moduleBuilder->getUnitAttr());
    return kernel;
  }

  static void markKernel(func::FuncOp function) {
    MLIRContext *context = function.getContext();
    function->setAttr(kKernelAttr, UnitAttr::get(context));
    function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
  }

  /// Pointers of buffers that no other pointer reaches. Buffers that the kernel reads
  /// only could share memory without harm, but the graph's inputs may overlap.
  static SmallVector<bool> findNoalias(const CallArguments &arguments) {
    llvm::DenseMap<Value, int> count;
    SmallVector<Value> roots;
    for (size_t i = 0; i < arguments.getValues().size(); ++i) {
      roots.push_back(arguments.getBuffer(i));
      if (roots.back())
        ++count[roots.back()];
    }
    SmallVector<bool> result;
    for (Value root : roots)
      result.push_back(root && count[root] == 1);
    return result;
  }

  /// Constants into the kernel, scalars and memrefs to its arguments.
  static void mapCaptured(KernelBuilder &k, Operation *op, ArrayRef<CapturedMemRef> captured,
                          CallArguments &arguments) {
    auto numbers = [&](ArrayRef<Number> list) {
      SmallVector<Value> values;
      for (const Number &number : list)
        values.push_back(k.number(number));
      return values;
    };
    for (const CapturedMemRef &memref : captured)
      k.outer.map(memref.memref, buildMemRef(k.b, k.loc, k.arguments[memref.pointer], memref.type,
                                             numbers(memref.sizes), numbers(memref.strides)));
    SmallVector<Value> values = getCaptured(op);
    for (Value operand : op->getOperands())
      if (!isa<MemRefType>(operand.getType()))
        values.push_back(operand);
    for (Value value : values) {
      if (k.outer.contains(value))
        continue;
      Operation *definition = value.getDefiningOp();
      if (definition && matchPattern(value, m_Constant()))
        k.outer.map(value, k.b.clone(*definition)->getResult(0));
      else
        k.outer.map(value, k.arguments[arguments.scalar(value)]);
    }
  }

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  /// A loop of the entry (a scan, a scatter) becomes a kernel as it is.
  LogicalResult outlineLoop(func::FuncOp entry, Operation *op) {
    if (op->getNumResults() != 0)
      return op->emitError("expected a loop without results after bufferization");
    bool allocates = false;
    op->walk([&](memref::AllocOp) { allocates = true; });
    if (allocates)
      return op->emitError("expected no allocation in a loop");
    OpBuilder b(op);
    Location loc = op->getLoc();
    CallArguments arguments(b, loc, buffers);
    SmallVector<CapturedMemRef> captured;
    SmallVector<Value> used = getCaptured(op);
    llvm::append_range(used, op->getOperands());
    for (Value value : used) {
      if (isa<MemRefType>(value.getType())) {
        if (llvm::none_of(captured, [&](CapturedMemRef &memref) { return memref.memref == value; }))
          captured.push_back(captureMemRef(b, loc, value, arguments));
      } else if (!matchPattern(value, m_Constant())) {
        arguments.scalar(value);
      }
    }
    func::FuncOp kernel = createKernel(loc, arguments, findNoalias(arguments), false);
    OpBuilder inside = OpBuilder::atBlockBegin(&kernel.getBody().front());
    KernelBuilder k{inside, loc, kernel.getArguments(), {}, {}, {}};
    mapCaptured(k, op, captured, arguments);
    Operation *clone = inside.clone(*op, k.outer);
    func::ReturnOp::create(inside, loc);
    // Types in the clone follow from those of the arguments.
    if (failed(retypeViews(clone)))
      return failure();
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> nested;
    clone->walk([&](Operation *inner) {
      if (isa<linalg::LinalgOp, memref::CopyOp>(inner))
        nested.push_back(inner);
    });
    for (Operation *inner : nested) {
      rewriter.setInsertionPoint(inner);
      if (auto copy = dyn_cast<memref::CopyOp>(inner))
        inner = linalg::makeMemRefCopyOp(rewriter, inner->getLoc(), copy.getSource(), copy.getTarget());
      if (failed(linalg::linalgOpToLoops(rewriter, cast<linalg::LinalgOp>(inner))))
        return inner->emitError("expected an op with loops");
      rewriter.eraseOp(inner);
    }
    SmallVector<Operation *> copies;
    clone->walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (Operation *copy : copies)
      copy->erase();
    emitCall(entry, loc, kernel, "", arguments, false, {}, 0, b);
    op->erase();
    return success();
  }

  /// Views of memrefs whose offset became 0 get their result types anew.
  static LogicalResult retypeViews(Operation *root) {
    auto result = root->walk([](Operation *op) {
      if (auto view = dyn_cast<memref::SubViewOp>(op)) {
        auto type = cast<MemRefType>(view.getType());
        auto inferred =
            memref::SubViewOp::inferRankReducedResultType(type.getShape(), view.getSourceType(), view.getMixedOffsets(),
                                                          view.getMixedSizes(), view.getMixedStrides());
        view.getResult().setType(cast<MemRefType>(inferred));
      } else if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op)) {
        collapse.getResult().setType(
            memref::CollapseShapeOp::computeCollapsedType(collapse.getSrcType(), collapse.getReassociationIndices()));
      } else if (auto expand = dyn_cast<memref::ExpandShapeOp>(op)) {
        FailureOr<MemRefType> type = memref::ExpandShapeOp::computeExpandedType(
            expand.getSrcType(), expand.getResultType().getShape(), expand.getReassociationIndices());
        if (failed(type)) {
          op->emitError("expected an expandable layout");
          return WalkResult::interrupt();
        }
        expand.getResult().setType(*type);
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  //===--------------------------------------------------------------------===//
  // Calls
  //===--------------------------------------------------------------------===//

  void emitCall(func::FuncOp entry, Location loc, func::FuncOp kernel, StringRef key, CallArguments &arguments,
                bool hasRange, Number range, double perStep, OpBuilder &b) {
    SmallVector<Value> values(arguments.getValues());
    if (!hasRange) {
      func::CallOp::create(b, loc, kernel, values);
      return;
    }
    // One slot of 8 bytes an argument; the callee loads them again.
    func::FuncOp &function = ranges[key];
    auto ptr = LLVM::LLVMPointerType::get(&getContext());
    Type i64 = b.getI64Type();
    if (!function)
      function = createRangeFunction(loc, kernel, values);
    Value slots;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&entry.getBody().front());
      Value count = LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(std::max<size_t>(values.size(), 1)));
      slots = LLVM::AllocaOp::create(b, loc, ptr, i64, count);
    }
    for (auto [i, value] : llvm::enumerate(values)) {
      Value address = LLVM::GEPOp::create(b, loc, ptr, i64, slots, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      // Not in place: the range below is one of the values.
      Value slot = value.getType().isIndex() ? Value(arith::IndexCastOp::create(b, loc, i64, value)) : value;
      LLVM::StoreOp::create(b, loc, slot, address);
    }
    Value pointer = UnrealizedConversionCastOp::create(
                        b, loc, ptr,
                        ValueRange(func::ConstantOp::create(b, loc, function.getFunctionType(), function.getSymName())))
                        .getResult(0);
    Value extent = range.isConstant() ? Value(LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(range.value)))
                                      : Value(arith::IndexCastOp::create(b, loc, i64, values[range.argument]));
    int64_t grain = std::max<int64_t>(1, static_cast<int64_t>(kGrainWork / std::max(perStep, 1.0)));
    Value least = LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(grain));
    callRuntime(b, loc, "fxcpu_parallel", Type(), {entry.getArgument(kContext), pointer, slots, extent, least});
  }

  /// void range(slots, low, high): loads the arguments and calls the kernel.
  func::FuncOp createRangeFunction(Location loc, func::FuncOp kernel, ValueRange values) {
    OpBuilder &b = *moduleBuilder;
    auto ptr = LLVM::LLVMPointerType::get(&getContext());
    Type i64 = b.getI64Type();
    auto function =
        func::FuncOp::create(b, loc, (kernel.getSymName() + "_range").str(), b.getFunctionType({ptr, i64, i64}, {}));
    function.setPrivate();
    markKernel(function);
    OpBuilder n = OpBuilder::atBlockBegin(function.addEntryBlock());
    SmallVector<Value> loaded;
    for (auto [i, value] : llvm::enumerate(values)) {
      Value address = LLVM::GEPOp::create(n, loc, ptr, i64, function.getArgument(0),
                                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      Type type = value.getType();
      Value slot = LLVM::LoadOp::create(n, loc, type.isIndex() ? i64 : type, address);
      loaded.push_back(type.isIndex() ? Value(arith::IndexCastOp::create(n, loc, type, slot)) : slot);
    }
    for (int i : {1, 2})
      loaded.push_back(arith::IndexCastOp::create(n, loc, n.getIndexType(), function.getArgument(i)));
    func::CallOp::create(n, loc, kernel, loaded);
    func::ReturnOp::create(n, loc);
    return function;
  }
};
} // namespace
