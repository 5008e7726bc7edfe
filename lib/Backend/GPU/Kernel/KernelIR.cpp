// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the planner's nodes to primitive operations, and the loop dimensions that
// make their addresses linear.

#include "Kernel/KernelIR.h"
#include "Kernel/HostMemory.h"
#include "fxgraph/Conversion/Scalars.h"
#include "llvm/ADT/MapVector.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

Type fxgraph::gpu::getComputeType(Type elementType) {
  if (auto integer = dyn_cast<IntegerType>(elementType))
    return IntegerType::get(elementType.getContext(), integer.getWidth());
  if (elementType.isF64() || elementType.isIndex())
    return elementType;
  return mlir::Float32Type::get(elementType.getContext());
}

/// Kernels compute with floats of 16 bits or less in f32.
static bool isRounded(Type elementType) {
  return isa<FloatType>(elementType) && elementType.getIntOrFloatBitWidth() <= 16;
}

Type fxgraph::gpu::getMemoryType(Type elementType) { return lowering::getStorageType(elementType); }

unsigned fxgraph::gpu::getMemoryBytes(Type elementType) {
  return (getMemoryType(elementType).getIntOrFloatBitWidth() + 7) / 8;
}

int64_t KernelIR::getOuterSize() const {
  int64_t size = 1;
  for (unsigned i = 0; i < space.getNumDims(); ++i)
    size *= inner[i] ? 1 : space.getSize(i);
  return size;
}

int64_t KernelIR::getInnerSize() const {
  int64_t size = 1;
  for (unsigned i = 0; i < space.getNumDims(); ++i)
    size *= inner[i] ? space.getSize(i) : 1;
  return size;
}

SmallVector<unsigned> KernelIR::getInnerDims() const {
  SmallVector<unsigned> dims;
  for (unsigned i = 0; i < space.getNumDims(); ++i)
    if (inner[i])
      dims.push_back(i);
  return dims;
}

SmallVector<unsigned> KernelIR::getOuterDims() const {
  SmallVector<unsigned> dims;
  for (unsigned i = 0; i < space.getNumDims(); ++i)
    if (!inner[i])
      dims.push_back(i);
  return dims;
}

bool KernelIR::variesInside(const Prim &prim) const {
  for (unsigned dim : prim.dims.set_bits())
    if (inner[dim])
      return true;
  return false;
}

bool KernelIR::hasScans() const {
  return llvm::any_of(prims, [](const Prim &prim) { return prim.kind == Prim::Kind::Scan; });
}

void KernelIR::visitSymbols(const IndexExpr &expr, function_ref<void(unsigned)> visit) const {
  SmallVector<const IndexExpr *> pending = {&expr};
  while (!pending.empty()) {
    const IndexExpr *next = pending.pop_back_val();
    for (const auto &[id, coefficient] : next->terms) {
      const IndexSpace::Atom &atom = space.getAtom(id);
      if (atom.kind == IndexSpace::AtomKind::Symbol)
        visit(symbols.lookup(atom.number));
      else if (atom.symbolic)
        pending.push_back(&atom.inner);
    }
  }
}

namespace {

class KernelBuilder {
public:
  KernelBuilder(const FusionKernel &kernel, const FusionPlan &plan)
      : kernel(kernel), plan(plan), ir(mlir::UnknownLoc::get(kernel.outputs.front().value.getContext())) {}

  FailureOr<KernelIR> run();

private:
  LogicalResult orderNodes();
  LogicalResult build(unsigned node);
  LogicalResult buildCompute(const KernelNode &node, unsigned id);
  LogicalResult buildPointwise(Operation *op, ArrayRef<unsigned> operands, unsigned id);
  LogicalResult buildReduction(const KernelNode &node, ArrayRef<unsigned> operands, unsigned id);
  /// A reduction or scan that is nothing but that.
  unsigned combine(ReduceKind kind, bool isRunning, ArrayRef<unsigned> operands, Type elementType,
                   unsigned resultNumber);

  unsigned push(Prim prim) {
    ir.prims.push_back(std::move(prim));
    return ir.prims.size() - 1;
  }
  unsigned load(const KernelNode &node);
  unsigned constant(double value, Type type);
  unsigned cast(unsigned prim, Type type, bool isUnsigned = false);
  unsigned arith(Arith kind, ArrayRef<unsigned> operands);
  unsigned reduce(ReduceKind kind, ArrayRef<unsigned> operands, Type type);
  unsigned select(unsigned condition, unsigned yes, unsigned no);
  unsigned getArray(Value value, IndexExpr &address, bool written);

  const FusionKernel &kernel;
  const FusionPlan &plan;
  KernelIR ir;
  SmallVector<unsigned> order;
  std::vector<unsigned> primOf; ///< of each node
  std::map<std::pair<const void *, int64_t>, unsigned> arrayOf;
};

} // namespace

// Depth-first without recursion: a node depends on its operands and on the
// nodes whose values its index uses.
LogicalResult KernelBuilder::orderNodes() {
  enum { New, Open, Done };
  std::vector<char> mark(kernel.nodes.size(), New);
  auto symbolsOf = [&](const KernelNode &node, SmallVectorImpl<unsigned> &needed) {
    SmallVector<const IndexExpr *> pending;
    if (node.kind == KernelNode::Kind::Load)
      for (const IndexExpr &expr : node.index)
        pending.push_back(&expr);
    if (node.kind == KernelNode::Kind::Coordinate)
      pending.push_back(&node.coordinate);
    for (const RangeTest &test : node.tests)
      pending.push_back(&test.expr);
    while (!pending.empty()) {
      const IndexExpr *expr = pending.pop_back_val();
      for (const auto &[id, coefficient] : expr->terms) {
        const IndexSpace::Atom &atom = kernel.space.getAtom(id);
        if (!atom.symbolic)
          continue;
        if (atom.kind == IndexSpace::AtomKind::Symbol)
          needed.push_back(atom.number);
        else
          pending.push_back(&atom.inner);
      }
    }
  };
  SmallVector<unsigned> stack;
  for (const KernelOutput &output : kernel.outputs)
    stack.push_back(output.node);
  while (!stack.empty()) {
    unsigned id = stack.back();
    if (mark[id] == Done) {
      stack.pop_back();
      continue;
    }
    const KernelNode &node = kernel.nodes[id];
    if (mark[id] == Open) {
      mark[id] = Done;
      order.push_back(id);
      stack.pop_back();
      continue;
    }
    mark[id] = Open;
    SmallVector<unsigned> needed(node.operands.begin(), node.operands.end());
    symbolsOf(node, needed);
    for (unsigned before : needed) {
      if (mark[before] == Open)
        return emitError(ir.loc, "internal error: a kernel's values depend on each other");
      if (mark[before] == New)
        stack.push_back(before);
    }
  }
  return success();
}

/// The pointer for accesses of `value` at `address`, of which it takes the
/// constant part.
unsigned KernelBuilder::getArray(Value value, IndexExpr &address, bool written) {
  int64_t offset = 0;
  if (ir.space.getRange(address).first >= address.constant) {
    offset = address.constant;
    address.constant = 0;
  }
  auto type = llvm::cast<RankedTensorType>(value.getType());
  ValueStorage storage = plan.getStorage(value);
  int64_t extent = 1;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), storage.layout.strides))
    extent += std::max<int64_t>(size - 1, 0) * stride;
  extent -= offset;
  auto [it, inserted] = arrayOf.try_emplace({value.getAsOpaquePointer(), offset}, ir.arrays.size());
  if (!inserted) {
    ir.arrays[it->second].written |= written;
    return it->second;
  }
  KernelArray array{value, type.getElementType(), extent, written};
  array.offset = offset;
  ir.arrays.push_back(std::move(array));
  return it->second;
}

unsigned KernelBuilder::load(const KernelNode &node) {
  Prim prim{Prim::Kind::Load};
  prim.type = getComputeType(node.elementType);
  prim.isUnsigned = node.elementType.isUnsignedInteger();
  prim.address = ir.space.dot(node.index, plan.getStorage(node.value).layout.strides);
  prim.array = getArray(node.value, prim.address, /*written=*/false);
  return push(std::move(prim));
}

unsigned KernelBuilder::constant(double value, Type type) {
  Prim prim{Prim::Kind::Constant};
  prim.type = type;
  prim.constant = FloatAttr::get(mlir::Float64Type::get(type.getContext()), value);
  return push(std::move(prim));
}

unsigned KernelBuilder::cast(unsigned id, Type type, bool isUnsigned) {
  Prim &source = ir.prims[id];
  if (source.type == type && (source.isUnsigned == isUnsigned || !isa<IntegerType>(type)))
    return id;
  if (source.kind == Prim::Kind::Constant && !isa<IntegerType>(type)) {
    // A number keeps its full precision.
    Prim prim = source;
    prim.type = type;
    prim.isUnsigned = false;
    return push(std::move(prim));
  }
  Prim prim{Prim::Kind::Cast};
  prim.type = type;
  prim.isUnsigned = isUnsigned;
  prim.operands = {id};
  return push(std::move(prim));
}

unsigned KernelBuilder::arith(Arith kind, ArrayRef<unsigned> operands) {
  Prim prim{Prim::Kind::Arithmetic};
  prim.arithmetic = kind;
  prim.operands.assign(operands.begin(), operands.end());
  prim.type = ir.prims[operands[0]].type;
  if (kind == Arith::IsInf || kind == Arith::NotZero)
    prim.type = IntegerType::get(prim.type.getContext(), 1);
  return push(std::move(prim));
}

unsigned KernelBuilder::reduce(ReduceKind kind, ArrayRef<unsigned> operands, Type type) {
  Prim prim{Prim::Kind::Reduce};
  prim.reduce = kind;
  prim.operands.assign(operands.begin(), operands.end());
  prim.type = type;
  prim.isUnsigned = ir.prims[operands[0]].isUnsigned;
  return push(std::move(prim));
}

unsigned KernelBuilder::select(unsigned condition, unsigned yes, unsigned no) {
  Prim prim{Prim::Kind::Select};
  prim.operands = {yes, no, condition};
  prim.type = ir.prims[yes].type;
  return push(std::move(prim));
}

LogicalResult KernelBuilder::build(unsigned id) {
  const KernelNode &node = kernel.nodes[id];
  switch (node.kind) {
  case KernelNode::Kind::Load:
    primOf[id] = load(node);
    return success();
  case KernelNode::Kind::Constant: {
    Prim prim{Prim::Kind::Constant};
    prim.type = getComputeType(node.elementType);
    prim.isUnsigned = node.elementType.isUnsignedInteger();
    prim.constant = node.constant;
    unsigned made = push(std::move(prim));
    // A tensor of floats of 16 bits or less holds rounded numbers.
    if (isRounded(node.elementType)) {
      Prim round{Prim::Kind::Round};
      round.type = ir.prims[made].type;
      round.rounded = node.elementType;
      round.operands = {made};
      made = push(std::move(round));
    }
    primOf[id] = made;
    return success();
  }
  case KernelNode::Kind::Coordinate: {
    Prim prim{Prim::Kind::Coordinate};
    prim.type = getComputeType(node.elementType);
    prim.address = node.coordinate;
    primOf[id] = push(std::move(prim));
    return success();
  }
  case KernelNode::Kind::Select: {
    Prim prim{Prim::Kind::Select};
    prim.type = getComputeType(node.elementType);
    prim.isUnsigned = node.elementType.isUnsignedInteger();
    prim.tests = node.tests;
    for (unsigned operand : node.operands)
      prim.operands.push_back(cast(primOf[operand], prim.type, prim.isUnsigned));
    primOf[id] = push(std::move(prim));
    return success();
  }
  case KernelNode::Kind::Forward:
    primOf[id] = primOf[node.operands[0]];
    return success();
  case KernelNode::Kind::Compute:
    return buildCompute(node, id);
  }
  return failure();
}

LogicalResult KernelBuilder::buildCompute(const KernelNode &node, unsigned id) {
  SmallVector<unsigned, 4> operands;
  for (unsigned operand : node.operands)
    operands.push_back(primOf[operand]);
  Operation *op = node.value.getDefiningOp();
  if (auto arange = dyn_cast<ArangeOp>(op)) {
    // start + i * step, computed in f64 (exact for integers) or the result's type.
    Type type = getComputeType(node.elementType);
    Type work = isa<IntegerType>(type) ? mlir::Float64Type::get(type.getContext()) : type;
    double start = arange.getStart().convertToDouble(), step = arange.getStep().convertToDouble();
    bool whole = start == std::floor(start) && step == std::floor(step);
    if (isa<IntegerType>(type) && whole)
      work = IntegerType::get(type.getContext(), 64);
    unsigned position = cast(operands[0], work);
    unsigned value = arith(Arith::Add, {constant(start, work), arith(Arith::Mul, {position, constant(step, work)})});
    primOf[id] = cast(value, type);
    return success();
  }
  if (isa<PointwiseOpInterface>(op) || isa<BatchNormOp>(op)) {
    auto norm = dyn_cast<BatchNormOp>(op);
    if (!norm)
      return buildPointwise(op, operands, id);
    if (!norm.getTraining()) {
      Type type = getComputeType(node.elementType);
      size_t next = 1;
      auto take = [&](Value present) -> std::optional<unsigned> {
        if (!present)
          return std::nullopt;
        return cast(operands[next++], type);
      };
      auto mean = take(norm.getRunningMean()), var = take(norm.getRunningVar()), weight = take(norm.getWeight()),
           bias = take(norm.getBias());
      if (!mean || !var)
        return op->emitOpError("expected running statistics in eval mode");
      unsigned rstd =
          arith(Arith::Div,
                {constant(1, type),
                 arith(Arith::Sqrt, {arith(Arith::Add, {*var, constant(norm.getEps().convertToDouble(), type)})})});
      unsigned scale = weight ? arith(Arith::Mul, {rstd, *weight}) : rstd;
      unsigned value = arith(Arith::Mul, {arith(Arith::Sub, {cast(operands[0], type), *mean}), scale});
      primOf[id] = bias ? arith(Arith::Add, {value, *bias}) : value;
      return success();
    }
  }
  return buildReduction(node, operands, id);
}

LogicalResult KernelBuilder::buildPointwise(Operation *op, ArrayRef<unsigned> operands, unsigned id) {
  Type element = llvm::cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  Type type = getComputeType(element);
  bool isUnsigned = element.isUnsignedInteger();
  if (isa<ConvertElementTypeOp>(op)) {
    unsigned value = cast(operands[0], type, isUnsigned);
    if (isRounded(element)) {
      Type source = llvm::cast<RankedTensorType>(op->getOperand(0).getType()).getElementType();
      if (source != element) {
        Prim round{Prim::Kind::Round};
        round.type = type;
        round.rounded = element;
        round.operands = {value};
        value = push(std::move(round));
      }
    }
    primOf[id] = value;
    return success();
  }
  Prim prim{Prim::Kind::Pointwise};
  prim.op = op;
  prim.type = type;
  prim.isUnsigned = isUnsigned;
  // The type in which the operands meet.
  Type work = type;
  bool workUnsigned = isUnsigned;
  size_t first = 0;
  if (element.isInteger(1)) {
    SmallVector<Type> types;
    for (Type operand : op->getOperandTypes())
      types.push_back(operand);
    if (isa<WhereOp>(op))
      types.erase(types.begin());
    FailureOr<Type> unified = unifyElementTypes(std::nullopt, types);
    if (failed(unified))
      return op->emitOpError("operands have no common type");
    work = getComputeType(*unified);
    workUnsigned = (*unified).isUnsignedInteger();
  }
  if (isa<WhereOp>(op)) {
    prim.operands.push_back(operands[0]);
    first = 1;
  }
  for (unsigned operand : operands.drop_front(first))
    prim.operands.push_back(cast(operand, work, workUnsigned));
  if (isa<WhereOp>(op)) {
    primOf[id] = select(prim.operands[0], prim.operands[1], prim.operands[2]);
    ir.prims[primOf[id]].isUnsigned = isUnsigned;
    return success();
  }
  primOf[id] = push(std::move(prim));
  return success();
}

static double getMachineEpsilon(Type type) {
  if (type.isBF16())
    return std::ldexp(1.0, -7);
  if (type.isF16())
    return std::ldexp(1.0, -10);
  return type.isF64() ? std::ldexp(1.0, -52) : std::ldexp(1.0, -23);
}

unsigned KernelBuilder::combine(ReduceKind kind, bool isRunning, ArrayRef<unsigned> operands, Type elementType,
                                unsigned resultNumber) {
  Type type = getComputeType(elementType);
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Prod: {
    unsigned element = cast(operands[0], type);
    // A row of one element has no dimension.
    if (isRunning && kernel.getInnerSize() <= 1)
      return element;
    unsigned made = reduce(kind, {element}, type);
    if (isRunning)
      ir.prims[made].kind = Prim::Kind::Scan;
    return made;
  }
  case ReduceKind::Max:
  case ReduceKind::Min:
    // The second result is where the extremum is.
    if (resultNumber != 0)
      return reduce(kind == ReduceKind::Max ? ReduceKind::ArgMax : ReduceKind::ArgMin, {operands[0], operands[1]},
                    type);
    return reduce(kind, {operands[0]}, type);
  case ReduceKind::ArgMax:
  case ReduceKind::ArgMin:
    return reduce(kind, {operands[0], operands[1]}, type);
  case ReduceKind::Or:
  case ReduceKind::And: {
    Type truth = IntegerType::get(type.getContext(), 1);
    unsigned made = reduce(kind, {cast(operands[0], truth)}, truth);
    return cast(made, type, elementType.isUnsignedInteger());
  }
  }
  llvm_unreachable("a kind that is none of ReduceKind");
}

LogicalResult KernelBuilder::buildReduction(const KernelNode &node, ArrayRef<unsigned> operands, unsigned id) {
  Operation *op = node.value.getDefiningOp();
  unsigned resultNumber = llvm::cast<mlir::OpResult>(node.value).getResultNumber();
  Type type = getComputeType(node.elementType);
  double count = static_cast<double>(kernel.getInnerSize());
  auto number = [&](double value) { return constant(value, type); };
  auto sum = [&](unsigned value) { return reduce(ReduceKind::Sum, {value}, ir.prims[value].type); };
  auto mean = [&](unsigned value) { return arith(Arith::Div, {sum(value), number(count)}); };
  auto attribute = [&](StringRef name, double otherwise) {
    auto attr = op->getAttrOfType<FloatAttr>(name);
    return attr ? attr.getValueAsDouble() : otherwise;
  };
  auto done = [&](unsigned prim) {
    primOf[id] = prim;
    return success();
  };
  auto loop = llvm::cast<KernelLoopOpInterface>(op);
  // Windows and products: loops of neighbours read the same elements.
  ir.prefersColumns |= loop.getLoopRows().isIdentity() && !isa<RowOpInterface, ReductionOpInterface>(op);
  if (std::optional<ReduceKind> kind = loop.getReduceKind())
    return done(combine(*kind, loop.isRunning(), operands, node.elementType, resultNumber));
  if (isa<MeanOp>(op))
    return done(mean(cast(operands[0], type)));
  if (auto var = dyn_cast<VarOp>(op)) {
    unsigned x = cast(operands[0], type), difference = arith(Arith::Sub, {x, mean(x)});
    double divisor = std::max(0.0, count - var.getCorrection().convertToDouble());
    return done(arith(Arith::Div, {sum(arith(Arith::Mul, {difference, difference})), number(divisor)}));
  }
  if (isa<LogsumexpOp>(op)) {
    unsigned x = cast(operands[0], type), largest = reduce(ReduceKind::Max, {x}, type);
    // exp(inf - inf) is no help: an infinite maximum is the result by itself.
    unsigned shift = select(arith(Arith::IsInf, {largest}), number(0), largest);
    unsigned total = sum(arith(Arith::Exp, {arith(Arith::Sub, {x, shift})}));
    return done(arith(Arith::Add, {arith(Arith::Log, {total}), shift}));
  }
  if (isa<VectorNormOp>(op)) {
    double ord = attribute("ord", 2);
    unsigned x = cast(operands[0], type);
    if (ord == 2)
      return done(arith(Arith::Sqrt, {sum(arith(Arith::Mul, {x, x}))}));
    if (ord == 0)
      return done(sum(cast(arith(Arith::NotZero, {x}), type)));
    unsigned magnitude = arith(Arith::Abs, {x});
    if (ord == 1)
      return done(sum(magnitude));
    if (std::isinf(ord))
      return done(reduce(ord > 0 ? ReduceKind::Max : ReduceKind::Min, {magnitude}, type));
    unsigned total = sum(arith(Arith::Pow, {magnitude, number(ord)}));
    return done(arith(Arith::Pow, {total, number(1 / ord)}));
  }
  if (isa<SoftmaxOp, LogSoftmaxOp>(op)) {
    unsigned row = cast(operands[0], type), x = cast(operands[1], type);
    unsigned largest = reduce(ReduceKind::Max, {row}, type);
    bool rounded = node.elementType.isF16() || node.elementType.isBF16();
    // The result is rounded to 8 or 11 bits: the device's exp2 is exact enough.
    Arith exponential = rounded && isa<SoftmaxOp>(op) ? Arith::ExpFast : Arith::Exp;
    unsigned shiftedRow = arith(Arith::Sub, {row, largest});
    unsigned shifted = x == row ? shiftedRow : arith(Arith::Sub, {x, largest});
    unsigned powers = arith(exponential, {shiftedRow});
    unsigned total = sum(powers);
    if (isa<LogSoftmaxOp>(op))
      return done(arith(Arith::Sub, {shifted, arith(Arith::Log, {total})}));
    unsigned power = x == row ? powers : arith(exponential, {shifted});
    if (rounded)
      return done(arith(Arith::Mul, {power, arith(Arith::Div, {number(1), total})}));
    return done(arith(Arith::Div, {power, total}));
  }
  if (isa<LayerNormOp, NativeLayerNormOp, GroupNormOp, BatchNormOp>(op)) {
    unsigned row = cast(operands[0], type), x = cast(operands[1], type);
    unsigned center = mean(row);
    unsigned differenceRow = arith(Arith::Sub, {row, center});
    unsigned variance = mean(arith(Arith::Mul, {differenceRow, differenceRow}));
    unsigned rstd = arith(Arith::Rsqrt, {arith(Arith::Add, {variance, number(attribute("eps", 1e-5))})});
    if (resultNumber == 1)
      return done(center);
    if (resultNumber == 2)
      return done(rstd);
    unsigned difference = x == row ? differenceRow : arith(Arith::Sub, {x, center});
    unsigned value = arith(Arith::Mul, {difference, rstd});
    bool hasWeight, hasBias;
    if (auto norm = dyn_cast<LayerNormOp>(op))
      hasWeight = !!norm.getWeight(), hasBias = !!norm.getBias();
    else if (auto norm = dyn_cast<NativeLayerNormOp>(op))
      hasWeight = !!norm.getWeight(), hasBias = !!norm.getBias();
    else if (auto norm = dyn_cast<GroupNormOp>(op))
      hasWeight = !!norm.getWeight(), hasBias = !!norm.getBias();
    else
      hasWeight = !!llvm::cast<BatchNormOp>(op).getWeight(), hasBias = !!llvm::cast<BatchNormOp>(op).getBias();
    size_t next = 2;
    if (hasWeight)
      value = arith(Arith::Mul, {value, cast(operands[next++], type)});
    if (hasBias)
      value = arith(Arith::Add, {value, cast(operands[next++], type)});
    return done(value);
  }
  if (auto norm = dyn_cast<RmsNormOp>(op)) {
    unsigned row = cast(operands[0], type), x = cast(operands[1], type);
    double eps = norm.getEps() ? norm.getEps()->convertToDouble() : getMachineEpsilon(node.elementType);
    unsigned square = mean(arith(Arith::Mul, {row, row}));
    unsigned value = arith(Arith::Mul, {x, arith(Arith::Rsqrt, {arith(Arith::Add, {square, number(eps)})})});
    if (norm.getWeight())
      value = arith(Arith::Mul, {value, cast(operands[2], type)});
    return done(value);
  }
  if (isa<AvgPool2dOp, AdaptiveAvgPool2dOp>(op)) {
    unsigned total = sum(cast(operands[0], type));
    auto pool = dyn_cast<AvgPool2dOp>(op);
    if (pool && pool.getDivisorOverride())
      return done(arith(Arith::Div, {total, number(static_cast<int64_t>(*pool.getDivisorOverride()))}));
    return done(arith(Arith::Div, {total, sum(cast(operands[1], type))}));
  }
  // Products: alpha * sum(a * b) + beta * c; convolutions: sum + bias.
  unsigned total = sum(arith(Arith::Mul, {cast(operands[0], type), cast(operands[1], type)}));
  auto product = dyn_cast<MatrixProductOpInterface>(op);
  double alpha = product ? product.getProductScale() : 1, beta = product ? product.getAddendScale() : 1;
  if (alpha != 1)
    total = arith(Arith::Mul, {total, number(alpha)});
  if (operands.size() > 2) {
    unsigned addend = cast(operands[2], type);
    if (beta != 1)
      addend = arith(Arith::Mul, {addend, number(beta)});
    total = arith(Arith::Add, {total, addend});
  }
  return done(total);
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

static void forEachExpr(KernelIR &ir, function_ref<void(IndexExpr &)> visit) {
  for (Prim &prim : ir.prims) {
    if (prim.kind == Prim::Kind::Load || prim.kind == Prim::Kind::Coordinate)
      visit(prim.address);
    for (RangeTest &test : prim.tests)
      visit(test.expr);
  }
  for (KernelStore &store : ir.stores)
    visit(store.address);
}

static void rewriteDims(KernelIR &ir, IndexSpace target, ArrayRef<IndexExpr> replacements, SmallVector<bool> inner) {
  IndexSpace::Rewriter rewriter(ir.space, target, replacements);
  if (ir.tableDim >= 0)
    ir.tableDim = target.getSingleDim(replacements[ir.tableDim]);
  forEachExpr(ir, [&](IndexExpr &expr) { expr = rewriter.rewrite(expr); });
  ir.space = std::move(target);
  ir.inner = std::move(inner);
}

/// Splits dimensions at the divisors that quotients and remainders of them use,
/// so that the addresses of reshaped and permuted operands become linear.
static void refineDims(KernelIR &ir) {
  for (unsigned turn = 0; turn < 32; ++turn) {
    // What expressions really use; atoms of dropped expressions do not count.
    int splitDim = -1;
    int64_t splitBy = 0;
    SmallVector<unsigned> pending;
    llvm::SmallBitVector seen(ir.space.getNumAtoms());
    forEachExpr(ir, [&](IndexExpr &expr) {
      for (const auto &[id, coefficient] : expr.terms)
        pending.push_back(id);
    });
    while (!pending.empty() && splitDim < 0) {
      unsigned id = pending.pop_back_val();
      if (seen.test(id))
        continue;
      seen.set(id);
      const IndexSpace::Atom &atom = ir.space.getAtom(id);
      if (atom.kind == IndexSpace::AtomKind::Dim || atom.kind == IndexSpace::AtomKind::Symbol)
        continue;
      for (const auto &[innerId, coefficient] : atom.inner.terms)
        pending.push_back(innerId);
      int dim = ir.space.getSingleDim(atom.inner);
      if (dim < 0 || atom.kind == IndexSpace::AtomKind::Clamp)
        continue;
      if (ir.space.getSize(dim) % atom.a == 0 && ir.space.getSize(dim) > atom.a) {
        splitDim = dim;
        splitBy = atom.a;
      }
    }
    if (splitDim < 0)
      return;
    IndexSpace target;
    SmallVector<IndexExpr> replacements;
    SmallVector<bool> inner;
    for (unsigned dim = 0; dim < ir.space.getNumDims(); ++dim) {
      inner.push_back(ir.inner[dim]);
      if (static_cast<int>(dim) != splitDim) {
        replacements.push_back(target.addDim(ir.space.getSize(dim)));
        continue;
      }
      IndexExpr high = target.addDim(ir.space.getSize(dim) / splitBy), low = target.addDim(splitBy);
      replacements.push_back(target.addScaled(low, high, splitBy));
      inner.push_back(ir.inner[dim]);
    }
    rewriteDims(ir, std::move(target), replacements, std::move(inner));
  }
}

/// Orders results as they lie in memory, and those of reductions of many elements each as the largest operand lies
/// there: so that neighbouring threads use neighbouring memory.
static void sortResults(KernelIR &ir) {
  constexpr int64_t manyElements = 16;
  bool reduces = !ir.getInnerDims().empty();
  const IndexExpr *order = nullptr;
  int64_t most = 0;
  if (!reduces && !ir.stores.empty())
    order = &ir.stores.front().address;
  for (const Prim &prim : ir.prims) {
    if (prim.kind != Prim::Kind::Load || !reduces)
      continue;
    int64_t elements = 1;
    for (unsigned dim : ir.space.getDims(prim.address).set_bits())
      elements *= ir.space.getSize(dim);
    if (elements > most) {
      most = elements;
      order = &prim.address;
    }
  }
  if (!order || ir.hasScans() || ir.prefersColumns || ir.tableDim >= 0 || (reduces && ir.getInnerSize() < manyElements))
    return;
  SmallVector<unsigned> dims = ir.getOuterDims();
  auto getStep = [&](unsigned dim) { return std::abs(order->getCoefficient(ir.space.getAtomOfDim(dim))); };
  // Elements are written as they are read, or along the reduction: those then go through shared memory.
  for (const KernelStore &store : ir.stores) {
    llvm::SmallBitVector own = ir.space.getDims(store.address);
    if (llvm::none_of(ir.getInnerDims(), [&](unsigned dim) { return own.test(dim); }))
      continue;
    auto isDense = [&](unsigned dim) { return store.address.getCoefficient(ir.space.getAtomOfDim(dim)) == 1; };
    if (!isDense(ir.getInnerDims().back()) &&
        llvm::none_of(dims, [&](unsigned dim) { return getStep(dim) == 1 && isDense(dim); }))
      return;
  }
  for (unsigned dim : dims)
    if (ir.space.getSize(dim) > 1 && (getStep(dim) == 0 || ir.space.occursInside(*order, dim)))
      return;
  llvm::stable_sort(dims, [&](unsigned lhs, unsigned rhs) { return getStep(lhs) > getStep(rhs); });
  dims.append(ir.getInnerDims());
  IndexSpace target;
  SmallVector<IndexExpr> replacements(dims.size());
  SmallVector<bool> inner;
  for (unsigned dim : dims) {
    replacements[dim] = target.addDim(ir.space.getSize(dim));
    inner.push_back(ir.inner[dim]);
  }
  rewriteDims(ir, std::move(target), replacements, std::move(inner));
}

/// Drops dimensions of one element and joins neighbours that every expression
/// uses as one, so that simple kernels have one dimension.
static void mergeDims(KernelIR &ir) {
  IndexSpace target;
  SmallVector<IndexExpr> replacements(ir.space.getNumDims());
  SmallVector<bool> inner;
  SmallVector<unsigned> kept;
  for (unsigned dim = 0; dim < ir.space.getNumDims(); ++dim)
    if (ir.space.getSize(dim) > 1)
      kept.push_back(dim);
  // Groups of consecutive kept dimensions of one kind.
  SmallVector<SmallVector<unsigned>> groups;
  for (unsigned dim : kept) {
    bool joins = !groups.empty() && ir.inner[groups.back().back()] == ir.inner[dim] &&
                 static_cast<int>(dim) != ir.tableDim && static_cast<int>(groups.back().back()) != ir.tableDim;
    if (joins) {
      unsigned previous = groups.back().back();
      unsigned high = ir.space.getAtomOfDim(previous), low = ir.space.getAtomOfDim(dim);
      int64_t size = ir.space.getSize(dim);
      forEachExpr(ir, [&](IndexExpr &expr) {
        joins &= !ir.space.occursInside(expr, previous) && !ir.space.occursInside(expr, dim) &&
                 expr.getCoefficient(high) == size * expr.getCoefficient(low);
      });
    }
    if (!joins)
      groups.emplace_back();
    groups.back().push_back(dim);
  }
  for (ArrayRef<unsigned> group : groups) {
    int64_t size = 1;
    for (unsigned dim : group)
      size *= ir.space.getSize(dim);
    target.addDim(size);
    inner.push_back(ir.inner[group.front()]);
  }
  // Linear expressions take the coefficient of the group's last dimension. Each
  // group member but the last maps to 0 and the last to the whole: the sum of
  // the members' terms is then coefficient(last) * whole.
  SmallVector<SmallVector<unsigned>> groupOf(ir.space.getNumDims());
  for (const auto &[i, group] : llvm::enumerate(groups)) {
    if (group.size() == 1) {
      replacements[group.front()] = target.getDim(i);
      continue;
    }
    for (unsigned dim : group)
      replacements[dim] = IndexExpr(0);
    replacements[group.back()] = target.getDim(i);
  }
  rewriteDims(ir, std::move(target), replacements, std::move(inner));
}

void fxgraph::gpu::deriveFacts(KernelIR &ir) {
  ir.phases = 0;
  unsigned numDims = ir.space.getNumDims();
  for (Prim &prim : ir.prims) {
    prim.dims = llvm::SmallBitVector(numDims);
    prim.phase = 0;
    for (unsigned operand : prim.operands) {
      prim.dims |= ir.prims[operand].dims;
      prim.phase = std::max(prim.phase, ir.prims[operand].phase);
    }
    auto addExpr = [&](const IndexExpr &expr) {
      prim.dims |= ir.space.getDims(expr);
      SmallVector<const IndexExpr *> pending = {&expr};
      while (!pending.empty()) {
        const IndexExpr *next = pending.pop_back_val();
        for (const auto &[id, coefficient] : next->terms) {
          const IndexSpace::Atom &atom = ir.space.getAtom(id);
          if (atom.kind == IndexSpace::AtomKind::Symbol)
            prim.phase = std::max(prim.phase, ir.prims[ir.symbols[atom.number]].phase);
          else if (atom.symbolic)
            pending.push_back(&atom.inner);
        }
      }
    };
    if (prim.kind == Prim::Kind::Load || prim.kind == Prim::Kind::Coordinate)
      addExpr(prim.address);
    for (const RangeTest &test : prim.tests)
      addExpr(test.expr);
    if (prim.kind == Prim::Kind::Reduce) {
      prim.phase += !ir.emptyReduction;
      for (unsigned dim = 0; dim < numDims; ++dim)
        if (ir.inner[dim])
          prim.dims.reset(dim);
    }
    if (prim.kind == Prim::Kind::Scan) {
      ++prim.phase;
      for (unsigned dim = 0; dim < numDims; ++dim)
        if (ir.inner[dim])
          prim.dims.set(dim);
    }
    ir.phases = std::max(ir.phases, prim.phase);
  }
}

FailureOr<KernelIR> KernelBuilder::run() {
  SmallVector<Location> locations;
  for (Operation *op : kernel.ops)
    locations.push_back(op->getLoc());
  if (!locations.empty())
    ir.loc = mlir::FusedLoc::get(ir.loc.getContext(), locations);
  ir.space = kernel.space;
  ir.inner = kernel.inner;
  ir.emptyReduction = kernel.getInnerSize() == 0;
  primOf.assign(kernel.nodes.size(), 0);
  if (failed(orderNodes()))
    return failure();
  for (unsigned id : order) {
    if (failed(build(id)))
      return failure();
  }
  for (unsigned atom = 0; atom < ir.space.getNumAtoms(); ++atom)
    if (ir.space.getAtom(atom).kind == IndexSpace::AtomKind::Symbol)
      ir.symbols[ir.space.getAtom(atom).number] = primOf[ir.space.getAtom(atom).number];
  for (const KernelOutput &output : kernel.outputs) {
    KernelStore store;
    store.address = ir.space.dot(output.index, plan.getStorage(output.storage).layout.strides);
    store.array = getArray(output.storage, store.address, /*written=*/true);
    Type element = ir.arrays[store.array].elementType;
    store.prim = cast(primOf[output.node], getComputeType(element), element.isUnsignedInteger());
    ir.stores.push_back(std::move(store));
  }
  sinkSelects(ir);
  refineDims(ir);
  sortResults(ir);
  mergeDims(ir);
  deriveFacts(ir);
  return std::move(ir);
}

FailureOr<KernelIR> fxgraph::gpu::buildKernelIR(const FusionKernel &kernel, const FusionPlan &plan) {
  return KernelBuilder(kernel, plan).run();
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

/// What a prim does to its operands.
static void writeFunction(raw_ostream &os, const IndexSpace &space, const Prim &prim) {
  auto writeExpr = [&](const IndexExpr &expr) { os << '{' << space.str(expr) << '}'; };
  os << ';' << static_cast<int>(prim.kind) << prim.type << prim.isUnsigned << ',' << static_cast<int>(prim.arithmetic)
     << ',' << static_cast<int>(prim.reduce);
  if (prim.kind == Prim::Kind::Load)
    os << '@' << prim.array;
  if (prim.kind == Prim::Kind::Load || prim.kind == Prim::Kind::Coordinate)
    writeExpr(prim.address);
  for (const RangeTest &test : prim.tests) {
    writeExpr(test.expr);
    os << test.lo << ':' << test.hi;
  }
  // Attributes and types are unique in the context.
  os << prim.constant.getAsOpaquePointer() << prim.rounded.getAsOpaquePointer();
  if (prim.op)
    os << prim.op->getName() << prim.op->getAttrDictionary().getAsOpaquePointer()
       << llvm::cast<RankedTensorType>(prim.op->getResult(0).getType()).getElementType();
}

/// What a prim computes: equal text for equal values.
static void writePrim(raw_ostream &os, const IndexSpace &space, const Prim &prim) {
  writeFunction(os, space, prim);
  os << '(';
  for (unsigned operand : prim.operands)
    os << operand << ',';
  os << ')';
}

bool fxgraph::gpu::isSameFunction(const IndexSpace &space, const Prim &lhs, const Prim &rhs) {
  std::string left, right;
  llvm::raw_string_ostream leftText(left), rightText(right);
  writeFunction(leftText, space, lhs);
  writeFunction(rightText, space, rhs);
  return lhs.operands.size() == rhs.operands.size() && left == right;
}

std::string fxgraph::gpu::getSignature(const KernelIR &kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (unsigned i = 0; i < kernel.space.getNumDims(); ++i)
    os << kernel.space.getSize(i) << (kernel.inner[i] ? 'r' : 'p');
  os << (kernel.prefersColumns ? 'c' : 'w') << (kernel.emptyReduction ? 'e' : 'f');
  for (const KernelArray &array : kernel.arrays)
    os << '|' << array.elementType << (array.written ? '+' : '-');
  for (const Prim &prim : kernel.prims)
    writePrim(os, kernel.space, prim);
  for (const KernelStore &store : kernel.stores)
    os << ">" << store.array << '=' << store.prim << '{' << kernel.space.str(store.address) << '}';
  for (unsigned id = 0; id < kernel.space.getNumAtoms(); ++id)
    if (const IndexSpace::Atom &atom = kernel.space.getAtom(id); atom.kind == IndexSpace::AtomKind::Symbol)
      os << '$' << atom.number << '=' << kernel.symbols.lookup(atom.number) << '[' << atom.a << ',' << atom.b << ')';
  return text;
}

/// Each dimension of a nest as a position in some neighbouring ones of another nest; false if it is none such.
static bool splitDims(const KernelIR &coarse, KernelIR &fine, SmallVectorImpl<IndexExpr> &positions) {
  unsigned next = 0, numDims = fine.space.getNumDims();
  for (unsigned dim = 0; dim < coarse.space.getNumDims(); ++dim) {
    Index index;
    SmallVector<int64_t> sizes;
    int64_t size = 1;
    while (size < coarse.space.getSize(dim) && next < numDims && fine.inner[next] == coarse.inner[dim]) {
      size *= fine.space.getSize(next);
      sizes.push_back(fine.space.getSize(next));
      index.push_back(fine.space.getDim(next++));
    }
    if (size != coarse.space.getSize(dim))
      return false;
    positions.push_back(fine.space.linearize(index, sizes));
  }
  return next == numDims;
}

std::optional<KernelIR> fxgraph::gpu::joinKernels(const KernelIR &first, const KernelIR &second) {
  for (const KernelIR *kernel : {&first, &second})
    if (!kernel->symbols.empty() || kernel->tableDim >= 0 || kernel->prefersColumns || kernel->emptyReduction ||
        kernel->hasScans())
      return std::nullopt;
  KernelIR joined = first;
  IndexSpace &space = joined.space;
  // The second one's dimensions in the first one's: the same, or positions in all of them.
  SmallVector<IndexExpr> replacements;
  if (space.getSizes() == second.space.getSizes() && (first.inner == second.inner || second.phases == 0)) {
    for (unsigned dim = 0; dim < space.getNumDims(); ++dim)
      replacements.push_back(space.getDim(dim));
  } else if (second.phases == 0 && second.space.getNumDims() == 1 &&
             second.space.getSize(0) == first.getOuterSize() * first.getInnerSize()) {
    Index all;
    for (unsigned dim = 0; dim < space.getNumDims(); ++dim)
      all.push_back(space.getDim(dim));
    replacements.push_back(space.linearize(all, space.getSizes()));
  } else if (!splitDims(second, joined, replacements)) {
    return std::nullopt;
  }
  IndexSpace::Rewriter rewriter(second.space, space, replacements);
  SmallVector<unsigned> arrayOf;
  for (const KernelArray &array : second.arrays) {
    auto same = llvm::find_if(joined.arrays, [&](const KernelArray &other) {
      return other.value == array.value && other.offset == array.offset && other.elementType == array.elementType;
    });
    arrayOf.push_back(same - joined.arrays.begin());
    if (same == joined.arrays.end()) {
      joined.arrays.push_back(array);
      continue;
    }
    same->written |= array.written;
    same->extent = std::max(same->extent, array.extent);
  }
  std::map<std::string, unsigned> known;
  auto getText = [&](const Prim &prim) {
    std::string text;
    llvm::raw_string_ostream os(text);
    writePrim(os, space, prim);
    return text;
  };
  for (const auto &[i, prim] : llvm::enumerate(joined.prims))
    known.try_emplace(getText(prim), i);
  bool shares = false;
  SmallVector<unsigned> primOf;
  for (Prim prim : second.prims) {
    for (unsigned &operand : prim.operands)
      operand = primOf[operand];
    if (prim.kind == Prim::Kind::Load || prim.kind == Prim::Kind::Coordinate)
      prim.address = rewriter.rewrite(prim.address);
    if (prim.kind == Prim::Kind::Load)
      prim.array = arrayOf[prim.array];
    for (RangeTest &test : prim.tests)
      test.expr = rewriter.rewrite(test.expr);
    auto [it, isNew] = known.try_emplace(getText(prim), joined.prims.size());
    primOf.push_back(it->second);
    if (isNew) {
      joined.prims.push_back(std::move(prim));
      continue;
    }
    // What all elements read: that is why one kernel is better than two.
    const Prim &same = joined.prims[it->second];
    shares |= same.kind == Prim::Kind::Load && same.dims.count() == space.getNumDims();
  }
  if (!shares)
    return std::nullopt;
  for (KernelStore store : second.stores) {
    store.array = arrayOf[store.array];
    store.address = rewriter.rewrite(store.address);
    store.prim = primOf[store.prim];
    joined.stores.push_back(std::move(store));
  }
  deriveFacts(joined);
  return joined;
}

KernelIR fxgraph::gpu::batchKernels(ArrayRef<const KernelIR *> kernels) {
  KernelIR ir = *kernels.front();
  int64_t count = kernels.size();
  SmallVector<int64_t> strides(ir.arrays.size(), 0); // elements per instance
  bool tables = false;
  for (auto [i, array] : llvm::enumerate(ir.arrays)) {
    int64_t bytes = getMemoryBytes(array.elementType);
    SmallVector<int64_t> offsets;
    uint64_t space = 0;
    bool regular = true;
    for (const KernelIR *kernel : kernels) {
      const KernelArray &other = kernel->arrays[i];
      array.instances.push_back({other.value, other.offset});
      array.align = std::min(array.align, other.align);
      array.extent = std::max(array.extent, other.extent);
      auto [where, offset] = getMemoryAddress(other.value);
      regular &= offsets.empty() || where == space;
      space = where;
      offsets.push_back(offset + other.offset * bytes);
    }
    int64_t step = offsets.size() > 1 ? offsets[1] - offsets[0] : 0;
    regular &= step % bytes == 0;
    for (size_t k = 1; k < offsets.size(); ++k)
      regular &= offsets[k] - offsets[k - 1] == step;
    if (regular) {
      strides[i] = step / bytes;
      array.extent += std::abs(strides[i]) * (count - 1);
      // The pointer is the one to the lowest memory.
      if (step < 0) {
        const KernelArray &lowest = kernels.back()->arrays[i];
        array.value = lowest.value;
        array.offset = lowest.offset;
      }
    } else {
      array.table = tables = true;
    }
  }
  // Where the first result's memory has it, so that neighbouring threads write neighbouring memory; outermost where a
  // table is read by it, unless results that are less than a line apart would be written far apart in time.
  unsigned position = 0;
  const KernelStore &store = ir.stores.front();
  const KernelArray &result = ir.arrays[store.array];
  constexpr int64_t line = 128;
  if (!tables || (!result.table && strides[store.array] * getMemoryBytes(result.elementType) < line)) {
    while (position < ir.space.getNumDims() && !ir.inner[position] &&
           store.address.getCoefficient(ir.space.getAtomOfDim(position)) > strides[store.array])
      ++position;
  }
  IndexSpace target;
  SmallVector<IndexExpr> replacements;
  SmallVector<bool> inner;
  unsigned batchDim = 0;
  for (unsigned dim = 0; dim <= ir.space.getNumDims(); ++dim) {
    if (dim == position) {
      batchDim = target.getNumDims();
      target.addDim(count);
      inner.push_back(false);
    }
    if (dim == ir.space.getNumDims())
      break;
    replacements.push_back(target.addDim(ir.space.getSize(dim)));
    inner.push_back(ir.inner[dim]);
  }
  rewriteDims(ir, std::move(target), replacements, std::move(inner));
  IndexExpr instance = ir.space.getDim(batchDim);
  auto move = [&](IndexExpr &address, unsigned array) {
    address = ir.space.addScaled(address, instance, strides[array]);
    address.constant += std::max<int64_t>(-strides[array], 0) * (count - 1);
  };
  for (Prim &prim : ir.prims)
    if (prim.kind == Prim::Kind::Load)
      move(prim.address, prim.array);
  for (KernelStore &store : ir.stores)
    move(store.address, store.array);
  if (tables)
    ir.tableDim = batchDim;
  mergeDims(ir);
  deriveFacts(ir);
  // What comes from a table varies with the instance, whatever its address.
  if (tables)
    for (Prim &prim : ir.prims) {
      if (prim.kind == Prim::Kind::Load && ir.arrays[prim.array].table)
        prim.dims.set(ir.tableDim);
      for (unsigned operand : prim.operands)
        if (ir.prims[operand].dims.test(ir.tableDim))
          prim.dims.set(ir.tableDim);
    }
  return ir;
}
