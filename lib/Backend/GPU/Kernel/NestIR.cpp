// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/NestIR.h"
#include "Kernel/HostMemory.h"
#include "Kernel/JoinKernels.h"
#include "Kernel/ScalarMath.h"
#include "fxgraph/Analysis/FusionOps.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace math = mlir::math;

static constexpr llvm::StringLiteral kReduceNames[] = {"sum", "prod", "max", "min", "or", "and", "argmax", "argmin"};

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
class NestWriter {
public:
  NestWriter(OpBuilder &builder, const KernelIR &kernel, LoopNestOp nest)
      : b(builder), ir(kernel), nest(nest), loc(kernel.loc), values(kernel.prims.size()),
        atoms(kernel.space.getNumAtoms()) {}
  void run();

private:
  struct Place {
    SmallVector<Value> indices;
    mlir::AffineMap map;
  };
  /// Linear forms over the same operands.
  Place place(ArrayRef<IndexExpr> exprs);
  Place place(const IndexExpr &expr) { return place(ArrayRef<IndexExpr>(expr)); }
  void writeAtoms(const IndexExpr &expr);
  void writeAtom(unsigned id);
  Value write(const Prim &prim);
  Value writeElement(const Prim &prim, ValueRange operands);
  Value writeArithmetic(const Prim &prim, ValueRange operands);
  Type getType(const Prim &prim) const {
    auto integer = dyn_cast<IntegerType>(prim.type);
    return integer && prim.isUnsigned
               ? IntegerType::get(integer.getContext(), integer.getWidth(), IntegerType::Unsigned)
               : prim.type;
  }

  OpBuilder &b;
  const KernelIR &ir;
  LoopNestOp nest;
  Location loc;
  std::vector<Value> values; ///< of prims
  std::vector<Value> atoms;  ///< indices
};
} // namespace

NestWriter::Place NestWriter::place(ArrayRef<IndexExpr> exprs) {
  Place result;
  MLIRContext *context = b.getContext();
  DenseMap<unsigned, unsigned> number;
  SmallVector<mlir::AffineExpr> affine;
  for (const IndexExpr &expr : exprs) {
    mlir::AffineExpr sum = mlir::getAffineConstantExpr(0, context);
    for (const auto &[id, coefficient] : expr.terms) {
      auto [it, isNew] = number.try_emplace(id, result.indices.size());
      if (isNew)
        result.indices.push_back(atoms[id]);
      sum = sum + mlir::getAffineDimExpr(it->second, context) * coefficient;
    }
    affine.push_back(sum + expr.constant);
  }
  result.map = mlir::AffineMap::get(result.indices.size(), 0, affine, context);
  return result;
}

void NestWriter::writeAtoms(const IndexExpr &expr) {
  for (const auto &[id, coefficient] : expr.terms)
    writeAtom(id);
}

void NestWriter::writeAtom(unsigned id) {
  if (atoms[id])
    return;
  const IndexSpace::Atom &atom = ir.space.getAtom(id);
  writeAtoms(atom.inner);
  Place inner = place(atom.inner);
  auto apply = [&](mlir::AffineExpr expr) {
    auto map = mlir::AffineMap::get(inner.map.getNumDims(), 0, expr);
    atoms[id] = mlir::affine::AffineApplyOp::create(b, loc, map, inner.indices);
  };
  switch (atom.kind) {
  case IndexSpace::AtomKind::Dim:
    atoms[id] = nest.getBody().getArgument(atom.number);
    break;
  case IndexSpace::AtomKind::FloorDiv:
    apply(inner.map.getResult(0).floorDiv(atom.a));
    break;
  case IndexSpace::AtomKind::Mod:
    apply(inner.map.getResult(0) % atom.a);
    break;
  case IndexSpace::AtomKind::Clamp:
    atoms[id] = NestClampOp::create(b, loc, b.getIndexType(), inner.indices, inner.map, atom.a, atom.b);
    break;
  case IndexSpace::AtomKind::Symbol:
    atoms[id] = NestIndexOp::create(b, loc, b.getIndexType(), values[ir.symbols.lookup(atom.number)], atom.a, atom.b);
    break;
  }
}

/// The op on tensors of as few elements as its promotion allows: of rank 0, or of one element where others are numbers.
Value NestWriter::writeElement(const Prim &prim, ValueRange operands) {
  auto getRank = [](Value value) { return cast<RankedTensorType>(value.getType()).getRank(); };
  bool isMixed = llvm::any_of(prim.op->getOperands(), [&](Value value) { return getRank(value) == 0; });
  auto shrink = [&](Value value) {
    SmallVector<int64_t> shape(isMixed && getRank(value) != 0 ? 1 : 0, 1);
    return RankedTensorType::get(shape, cast<RankedTensorType>(value.getType()).getElementType());
  };
  SmallVector<Type> types;
  for (Value operand : prim.op->getOperands())
    types.push_back(shrink(operand));
  auto element = NestElementOp::create(b, prim.op->getLoc(), getType(prim), operands);
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&element.getBody(), {}, types, SmallVector<Location>(types.size(), loc));
  mlir::IRMapping mapping;
  for (auto [operand, argument] : llvm::zip_equal(prim.op->getOperands(), body->getArguments())) {
    // Numbers of the graph promote as such.
    if (auto constant = operand.getDefiningOp<ConstantOp>(); constant && getRank(operand) == 0)
      b.clone(*constant, mapping);
    else
      mapping.map(operand, argument);
  }
  Operation *copy = b.clone(*prim.op, mapping);
  copy->removeAttr(kInMemoryAttr); // Of the graph's op.
  copy->removeAttr(kCopiedIntoCatsAttr);
  copy->getResult(0).setType(shrink(prim.op->getResult(0)));
  YieldOp::create(b, loc, copy->getResult(0));
  return element.getValue();
}

Value NestWriter::writeArithmetic(const Prim &prim, ValueRange operands) {
  Value x = operands[0], y = operands.size() > 1 ? operands[1] : Value();
  bool isInteger = isa<IntegerType>(x.getType());
  switch (prim.arithmetic) {
  case Arith::Add:
    return isInteger ? Value(arith::AddIOp::create(b, loc, x, y)) : Value(arith::AddFOp::create(b, loc, x, y));
  case Arith::Sub:
    return isInteger ? Value(arith::SubIOp::create(b, loc, x, y)) : Value(arith::SubFOp::create(b, loc, x, y));
  case Arith::Mul:
    return isInteger ? Value(arith::MulIOp::create(b, loc, x, y)) : Value(arith::MulFOp::create(b, loc, x, y));
  case Arith::Div:
    return arith::DivFOp::create(b, loc, x, y);
  case Arith::Max:
    return arith::MaximumFOp::create(b, loc, x, y);
  case Arith::Min:
    return arith::MinimumFOp::create(b, loc, x, y);
  case Arith::Exp:
    return math::ExpOp::create(b, loc, x);
  case Arith::ExpFast:
    return math::ExpOp::create(b, loc, x, arith::FastMathFlags::afn);
  case Arith::Log:
    return math::LogOp::create(b, loc, x);
  case Arith::Sqrt:
    return math::SqrtOp::create(b, loc, x);
  case Arith::Rsqrt:
    return math::RsqrtOp::create(b, loc, x);
  case Arith::Abs:
    return math::AbsFOp::create(b, loc, x);
  case Arith::Pow:
    return math::PowFOp::create(b, loc, x, y);
  case Arith::IsInf:
    return math::IsInfOp::create(b, loc, x);
  case Arith::NotZero:
    return NestCastOp::create(b, loc, b.getI1Type(), x);
  }
  llvm_unreachable("all kinds are handled");
}

Value NestWriter::write(const Prim &prim) {
  SmallVector<Value, 3> operands;
  for (unsigned operand : prim.operands)
    operands.push_back(values[operand]);
  switch (prim.kind) {
  case Prim::Kind::Load: {
    writeAtoms(prim.address);
    Place at = place(prim.address);
    return NestLoadOp::create(b, loc, getType(prim), nest.getArray(prim.array), at.indices, at.map);
  }
  case Prim::Kind::Constant: {
    Value constant = ScalarMath(b, loc).constant(prim.type, prim.constant);
    return getType(prim) == prim.type ? constant : NestCastOp::create(b, loc, getType(prim), constant).getValue();
  }
  case Prim::Kind::Coordinate: {
    writeAtoms(prim.address);
    Place at = place(prim.address);
    return NestPositionOp::create(b, loc, getType(prim), at.indices, at.map);
  }
  case Prim::Kind::Select: {
    if (prim.tests.empty())
      return arith::SelectOp::create(b, loc, operands[2], operands[0], operands[1]);
    SmallVector<IndexExpr> exprs;
    SmallVector<int64_t> lowest, highest;
    for (const RangeTest &test : prim.tests) {
      writeAtoms(test.expr);
      exprs.push_back(test.expr);
      lowest.push_back(test.lo);
      highest.push_back(test.hi);
    }
    Place at = place(exprs);
    return NestSelectOp::create(b, loc, getType(prim), at.indices, at.map, lowest, highest, operands[0], operands[1]);
  }
  case Prim::Kind::Pointwise:
    return writeElement(prim, operands);
  case Prim::Kind::Arithmetic:
    return writeArithmetic(prim, operands);
  case Prim::Kind::Cast:
    return NestCastOp::create(b, loc, getType(prim), operands[0]);
  case Prim::Kind::Round:
    return NestRoundOp::create(b, loc, operands[0], prim.rounded);
  case Prim::Kind::Reduce:
  case Prim::Kind::Scan: {
    StringRef kind = kReduceNames[static_cast<unsigned>(prim.reduce)];
    if (prim.kind == Prim::Kind::Reduce)
      return NestReduceOp::create(b, loc, getType(prim), kind, operands);
    return NestScanOp::create(b, loc, getType(prim), kind, operands);
  }
  }
  llvm_unreachable("all kinds are handled");
}

void NestWriter::run() {
  // Indices in the order in which they were found: sums of them stay as they are.
  llvm::BitVector used(atoms.size());
  SmallVector<unsigned> pending;
  auto use = [&](const IndexExpr &expr) {
    for (const auto &[id, coefficient] : expr.terms)
      pending.push_back(id);
  };
  for (const Prim &prim : ir.prims) {
    if (prim.kind == Prim::Kind::Load || prim.kind == Prim::Kind::Coordinate)
      use(prim.address);
    for (const RangeTest &test : prim.tests)
      use(test.expr);
  }
  for (const KernelStore &store : ir.stores)
    use(store.address);
  while (!pending.empty()) {
    unsigned id = pending.pop_back_val();
    if (used.test(id))
      continue;
    used.set(id);
    use(ir.space.getAtom(id).inner);
  }
  for (unsigned id : used.set_bits())
    if (!ir.space.getAtom(id).symbolic)
      writeAtom(id);
  for (const auto &[i, prim] : llvm::enumerate(ir.prims))
    values[i] = write(prim);
  for (const KernelStore &store : ir.stores) {
    writeAtoms(store.address);
    Place at = place(store.address);
    NestStoreOp::create(b, loc, values[store.prim], nest.getArray(store.array), at.indices, at.map);
  }
}

LoopNestOp fxgraph::gpu::writeNest(OpBuilder &builder, const KernelIR &kernel, ArrayRef<StringRef> computes,
                                   ValueRange memory) {
  SmallVector<int64_t> reduced;
  for (unsigned dim : kernel.getInnerDims())
    reduced.push_back(dim);
  auto nest =
      LoopNestOp::create(builder, kernel.loc, builder.getStrArrayAttr(computes), kernel.space.getSizes(), reduced,
                         memory, /*instances=*/1, kernel.emptyReduction, kernel.prefersColumns, mlir::DictionaryAttr());
  SmallVector<Type> types(kernel.space.getNumDims(), builder.getIndexType());
  llvm::append_range(types, memory.getTypes());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&nest.getBody(), {}, types, SmallVector<Location>(types.size(), kernel.loc));
  NestWriter(builder, kernel, nest).run();
  return nest;
}

SmallVector<Value> fxgraph::gpu::openArrays(const KernelIR &kernel) {
  SmallVector<Value> memory;
  for (const KernelArray &array : kernel.arrays) {
    OpBuilder builder(kernel.loc.getContext());
    builder.setInsertionPointAfterValue(array.value);
    auto type = mlir::MemRefType::get({array.extent}, array.elementType);
    memory.push_back(
        BufferOp::create(builder, kernel.loc, type, array.value, array.offset * getMemoryBytes(array.elementType)));
  }
  return memory;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
class NestReader {
public:
  NestReader(LoopNestOp nest, unsigned instance) : nest(nest), instance(instance), ir(nest.getLoc()) {}
  FailureOr<KernelIR> run();

private:
  IndexExpr read(mlir::AffineExpr expr, ValueRange indices);
  IndexExpr read(mlir::AffineMap map, ValueRange indices, unsigned result = 0) {
    return read(map.getResult(result), indices);
  }
  LogicalResult read(Operation &op);
  std::optional<Arith> readArithmetic(Operation &op);
  void push(Value value, Prim prim);
  unsigned getArray(Value memory) { return cast<mlir::BlockArgument>(memory).getArgNumber() - nest.getRank(); }

  LoopNestOp nest;
  unsigned instance;
  KernelIR ir;
  DenseMap<Value, unsigned> prims;
  DenseMap<Value, IndexExpr> indices;
  DenseMap<Value, llvm::SmallBitVector> dimsOf; ///< of prims' values
};
} // namespace

IndexExpr NestReader::read(mlir::AffineExpr expr, ValueRange operands) {
  IndexSpace &space = ir.space;
  switch (expr.getKind()) {
  case mlir::AffineExprKind::Constant:
    return IndexExpr(cast<mlir::AffineConstantExpr>(expr).getValue());
  case mlir::AffineExprKind::DimId:
    return indices.lookup(operands[cast<mlir::AffineDimExpr>(expr).getPosition()]);
  case mlir::AffineExprKind::SymbolId:
    return indices.lookup(operands[operands.size() - 1 - cast<mlir::AffineSymbolExpr>(expr).getPosition()]);
  default:
    break;
  }
  auto binary = cast<mlir::AffineBinaryOpExpr>(expr);
  IndexExpr lhs = read(binary.getLHS(), operands);
  if (expr.getKind() == mlir::AffineExprKind::Add)
    return space.add(lhs, read(binary.getRHS(), operands));
  int64_t factor = cast<mlir::AffineConstantExpr>(binary.getRHS()).getValue();
  switch (expr.getKind()) {
  case mlir::AffineExprKind::Mul:
    return space.scale(lhs, factor);
  case mlir::AffineExprKind::FloorDiv:
    return space.floorDiv(lhs, factor);
  case mlir::AffineExprKind::CeilDiv:
    return space.scale(space.floorDiv(space.scale(lhs, -1), factor), -1);
  default:
    return space.mod(lhs, factor);
  }
}

void NestReader::push(Value value, Prim prim) {
  auto integer = dyn_cast<IntegerType>(value.getType());
  prim.isUnsigned = integer && integer.isUnsigned();
  prim.type = prim.isUnsigned ? IntegerType::get(integer.getContext(), integer.getWidth()) : value.getType();
  prims[value] = ir.prims.size();
  ir.prims.push_back(std::move(prim));
}

std::optional<Arith> NestReader::readArithmetic(Operation &op) {
  return llvm::TypeSwitch<Operation *, std::optional<Arith>>(&op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return Arith::Add; })
      .Case<arith::SubFOp, arith::SubIOp>([](auto) { return Arith::Sub; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return Arith::Mul; })
      .Case<arith::DivFOp>([](auto) { return Arith::Div; })
      .Case<arith::MaximumFOp>([](auto) { return Arith::Max; })
      .Case<arith::MinimumFOp>([](auto) { return Arith::Min; })
      .Case<math::ExpOp>([](math::ExpOp exp) {
        return bitEnumContainsAny(exp.getFastmath(), arith::FastMathFlags::afn) ? Arith::ExpFast : Arith::Exp;
      })
      .Case<math::LogOp>([](auto) { return Arith::Log; })
      .Case<math::SqrtOp>([](auto) { return Arith::Sqrt; })
      .Case<math::RsqrtOp>([](auto) { return Arith::Rsqrt; })
      .Case<math::AbsFOp>([](auto) { return Arith::Abs; })
      .Case<math::PowFOp>([](auto) { return Arith::Pow; })
      .Case<math::IsInfOp>([](auto) { return Arith::IsInf; })
      .Default([](auto) { return std::nullopt; });
}

LogicalResult NestReader::read(Operation &op) {
  if (auto apply = dyn_cast<mlir::affine::AffineApplyOp>(op)) {
    indices[apply] = read(apply.getAffineMap(), apply.getMapOperands());
    return success();
  }
  if (auto clamp = dyn_cast<NestClampOp>(op)) {
    indices[clamp.getIndex()] =
        ir.space.clamp(read(clamp.getMap(), clamp.getIndices()), clamp.getLowest(), clamp.getHighest());
    return success();
  }
  if (auto index = dyn_cast<NestIndexOp>(op)) {
    unsigned prim = prims.lookup(index.getValue());
    indices[index.getIndex()] =
        ir.space.addSymbol(prim, index.getLowest(), index.getExtent(), dimsOf.lookup(index.getValue()));
    ir.symbols[prim] = prim;
    return success();
  }
  if (auto store = dyn_cast<NestStoreOp>(op)) {
    unsigned array = getArray(store.getMemory());
    ir.arrays[array].written = true;
    ir.stores.push_back({array, read(store.getMap(), store.getIndices()), prims.lookup(store.getValue())});
    return success();
  }
  if (op.getNumResults() != 1)
    return op.emitOpError("has no form in a loop nest");
  // A number of an unsigned type.
  auto isSign = [](Operation *user) {
    return isa<NestCastOp>(user) && user->getResult(0).getType().isUnsignedInteger() &&
           user->getResult(0).getType().getIntOrFloatBitWidth() ==
               user->getOperand(0).getType().getIntOrFloatBitWidth();
  };
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && !op.use_empty() && llvm::all_of(op.getUsers(), isSign))
    return success();
  Value value = op.getResult(0);
  Prim prim{Prim::Kind::Arithmetic};
  llvm::SmallBitVector dims(nest.getRank());
  auto addDims = [&](const IndexExpr &expr) {
    llvm::SmallBitVector own = ir.space.getDims(expr);
    own.resize(nest.getRank());
    dims |= own;
  };
  for (Value operand : op.getOperands()) {
    auto known = prims.find(operand);
    if (known == prims.end())
      continue;
    prim.operands.push_back(known->second);
    dims |= dimsOf.lookup(operand);
  }
  bool isKnown = true;
  if (auto load = dyn_cast<NestLoadOp>(op)) {
    prim.kind = Prim::Kind::Load;
    prim.array = getArray(load.getMemory());
    prim.address = read(load.getMap(), load.getIndices());
    addDims(prim.address);
  } else if (auto position = dyn_cast<NestPositionOp>(op)) {
    prim.kind = Prim::Kind::Coordinate;
    prim.address = read(position.getMap(), position.getIndices());
    addDims(prim.address);
  } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    prim.kind = Prim::Kind::Constant;
    prim.constant = constant.getValue();
  } else if (auto select = dyn_cast<NestSelectOp>(op)) {
    prim.kind = Prim::Kind::Select;
    for (auto [i, bounds] : llvm::enumerate(llvm::zip_equal(select.getLowest(), select.getHighest()))) {
      prim.tests.push_back({read(select.getMap(), select.getIndices(), i), std::get<0>(bounds), std::get<1>(bounds)});
      addDims(prim.tests.back().expr);
    }
  } else if (isa<arith::SelectOp>(op)) {
    prim.kind = Prim::Kind::Select;
    std::rotate(prim.operands.begin(), prim.operands.begin() + 1, prim.operands.end());
  } else if (auto element = dyn_cast<NestElementOp>(op)) {
    prim.kind = Prim::Kind::Pointwise;
    prim.op = element.getApplied();
  } else if (auto cast = dyn_cast<NestCastOp>(op)) {
    auto constant = cast.getSource().getDefiningOp<arith::ConstantOp>();
    if (constant && prim.operands.empty()) {
      prim.kind = Prim::Kind::Constant;
      prim.constant = constant.getValue();
    } else {
      prim.kind = Prim::Kind::Cast;
    }
  } else if (auto round = dyn_cast<NestRoundOp>(op)) {
    prim.kind = Prim::Kind::Round;
    prim.rounded = round.getNarrow();
  } else if (isa<NestReduceOp, NestScanOp>(op)) {
    prim.kind = isa<NestReduceOp>(op) ? Prim::Kind::Reduce : Prim::Kind::Scan;
    StringRef kind = op.getAttrOfType<StringAttr>("kind").getValue();
    prim.reduce = static_cast<ReduceKind>(llvm::find(kReduceNames, kind) - std::begin(kReduceNames));
    for (int64_t dim : nest.getReduced())
      dims[dim] = prim.kind == Prim::Kind::Scan;
  } else if (std::optional<Arith> kind = readArithmetic(op)) {
    prim.arithmetic = *kind;
  } else {
    isKnown = false;
  }
  if (!isKnown)
    return op.emitOpError("has no form in a loop nest");
  push(value, std::move(prim));
  dimsOf[value] = std::move(dims);
  return success();
}

FailureOr<KernelIR> NestReader::run() {
  ir.inner.assign(nest.getRank(), false);
  for (int64_t dim : nest.getReduced())
    ir.inner[dim] = true;
  ir.emptyReduction = nest.getEmptyReduction();
  ir.prefersColumns = nest.getPrefersColumns();
  for (auto [i, extent] : llvm::enumerate(nest.getExtents()))
    indices[nest.getBody().getArgument(i)] = ir.space.addDim(extent);
  for (Value memory : nest.getMemoryOf(instance)) {
    auto type = cast<mlir::MemRefType>(memory.getType());
    MemoryPlace place = resolveMemory(memory);
    KernelArray array{place.root, type.getElementType(), type.getNumElements(), false, getMemoryAlignment(place)};
    array.offset = place.bytes / getMemoryBytes(type.getElementType());
    ir.arrays.push_back(std::move(array));
  }
  if (nest->hasAttr(kCarriesAttr)) {
    ir.carries = ir.arrays.size() - 1;
    ir.arrays.back().written = true;
  }
  for (Operation &op : nest.getBody().front())
    if (failed(read(op)))
      return failure();
  deriveFacts(ir);
  return std::move(ir);
}

FailureOr<KernelIR> fxgraph::gpu::readNest(LoopNestOp nest, unsigned instance) {
  return NestReader(nest, instance).run();
}

Value fxgraph::gpu::getResult(LoopNestOp nest, unsigned instance) {
  for (auto store : nest.getBody().getOps<NestStoreOp>())
    return nest.getMemoryOf(instance)[cast<mlir::BlockArgument>(store.getMemory()).getArgNumber() - nest.getRank()];
  return {};
}

FailureOr<KernelIR> fxgraph::gpu::readInstances(LoopNestOp nest) {
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, nest.getInstances()));
  sortByResult(order, [&](unsigned instance) { return getResult(nest, instance); });
  FailureOr<KernelIR> first = readNest(nest, order.front());
  if (failed(first) || order.size() == 1)
    return first;
  std::vector<KernelIR> instances;
  for (unsigned instance : order) {
    instances.push_back(*first);
    for (auto [array, memory] : llvm::zip_equal(instances.back().arrays, nest.getMemoryOf(instance))) {
      MemoryPlace place = resolveMemory(memory);
      array.value = place.root;
      array.offset = place.bytes / getMemoryBytes(array.elementType);
      array.align = getMemoryAlignment(place);
      array.extent = cast<mlir::MemRefType>(memory.getType()).getNumElements();
    }
  }
  SmallVector<const KernelIR *> pointers;
  for (const KernelIR &ir : instances)
    pointers.push_back(&ir);
  return batchKernels(pointers);
}
