// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the planner's nodes to primitive operations.

#include "Kernel/KernelDims.h"
#include "Kernel/KernelIR.h"
#include "fxgraph/Analysis/FusionOps.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

/// Kernels compute with floats of 16 bits or less in f32.
static bool isRounded(Type elementType) {
  return isa<FloatType>(elementType) && elementType.getIntOrFloatBitWidth() <= 16;
}

namespace {
class KernelBuilder {
  class Formula;

public:
  KernelBuilder(const FusionKernel &kernel, const FusionPlan &plan)
      : kernel(kernel), plan(plan), ir(mlir::UnknownLoc::get(kernel.outputs.front().value.getContext())) {}

  FailureOr<KernelIR> run();

private:
  LogicalResult orderNodes();
  void findHeld();
  LogicalResult build(unsigned node);
  LogicalResult buildCompute(const KernelNode &node, unsigned id);
  LogicalResult buildPointwise(Operation *op, ArrayRef<unsigned> operands, unsigned id);

  unsigned push(Prim prim) {
    ir.prims.push_back(std::move(prim));
    return ir.prims.size() - 1;
  }
  unsigned load(const KernelNode &node);
  unsigned constant(double value, Type type);
  unsigned cast(unsigned prim, Type type, bool isUnsigned = false);
  /// As a tensor of this type holds it: floats of 16 bits or less are rounded numbers.
  unsigned round(unsigned value, Type elementType);
  unsigned roundOnce(unsigned value, Type elementType);
  unsigned arith(Arith kind, ArrayRef<unsigned> operands);
  unsigned reduce(ReduceKind kind, ArrayRef<unsigned> operands, Type type);
  unsigned select(unsigned condition, unsigned yes, unsigned no);
  unsigned getArray(Value value, IndexExpr &address, bool written);

  const FusionKernel &kernel;
  const FusionPlan &plan;
  KernelIR ir;
  SmallVector<unsigned> order;
  std::vector<unsigned> primOf; ///< of each node
  llvm::BitVector held;         ///< nodes whose values are as tensors hold them
  std::map<std::pair<const void *, int64_t>, unsigned> arrayOf;
};

/// An op's formula as primitive operations.
class KernelBuilder::Formula : public FormulaBuilder {
public:
  Formula(KernelBuilder &builder, ArrayRef<unsigned> operands, Type elementType)
      : builder(builder), operands(operands), elementType(elementType), type(getComputeType(elementType)) {}

  Node term(unsigned i) override { return builder.cast(operands[i], type); }
  Node number(double value) override { return builder.constant(value, type); }
  Node truth(Node condition) override { return builder.cast(condition, type); }
  Node arith(Arith kind, ArrayRef<Node> values) override { return builder.arith(kind, values); }
  Node select(Node condition, Node yes, Node no) override { return builder.select(condition, yes, no); }
  Node reduce(ReduceKind kind, Node value) override {
    return builder.reduce(kind, {value}, builder.ir.prims[value].type);
  }
  Node combine(ReduceKind kind, bool isRunning, unsigned resultNumber) override;
  unsigned getNumTerms() const override { return operands.size(); }
  double getCount() const override { return static_cast<double>(builder.kernel.getInnerSize()); }
  Type getElementType() const override { return elementType; }

private:
  KernelBuilder &builder;
  ArrayRef<unsigned> operands;
  Type elementType, type;
};

} // namespace

// Depth-first without recursion: a node depends on its operands and on the
// nodes whose values its index uses.
LogicalResult KernelBuilder::orderNodes() {
  enum { New, Open, Done };
  std::vector<char> mark(kernel.nodes.size(), New);
  auto symbolsOf = [&](const KernelNode &node, SmallVectorImpl<unsigned> &needed) {
    auto add = [&](const IndexExpr &expr) {
      kernel.space.visitSymbols(expr, [&](unsigned number) { needed.push_back(number); });
    };
    if (node.kind == KernelNode::Kind::Load)
      llvm::for_each(llvm::reverse(node.index), add);
    if (node.kind == KernelNode::Kind::Coordinate)
      add(node.coordinate);
    for (const RangeTest &test : llvm::reverse(node.tests))
      add(test.expr);
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

unsigned KernelBuilder::round(unsigned value, Type elementType) {
  if (!isRounded(elementType))
    return value;
  Prim prim{Prim::Kind::Round};
  prim.type = ir.prims[value].type;
  prim.rounded = elementType;
  prim.operands = {value};
  return push(std::move(prim));
}

unsigned KernelBuilder::roundOnce(unsigned value, Type elementType) {
  const Prim &prim = ir.prims[value];
  bool isRounded = prim.kind == Prim::Kind::Round  ? prim.rounded == elementType
                   : prim.kind == Prim::Kind::Load ? ir.arrays[prim.array].elementType == elementType
                                                   : false;
  return isRounded ? value : round(value, elementType);
}

/// Nodes whose values something jumps at, and those that they are computed from element by element: for all that reads them they
/// are as tensors hold them.
void KernelBuilder::findHeld() {
  held.resize(kernel.nodes.size());
  auto holdsOperands = [&](unsigned id) {
    const KernelNode &node = kernel.nodes[id];
    if (node.kind != KernelNode::Kind::Compute)
      return held.test(id);
    Operation *op = node.value.getDefiningOp();
    return jumps(op, node.elementType) || (held.test(id) && isa<PointwiseOpInterface>(op));
  };
  for (unsigned id : llvm::reverse(order))
    if (holdsOperands(id))
      for (unsigned operand : kernel.nodes[id].operands)
        held.set(operand);
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
    primOf[id] = round(push(std::move(prim)), node.elementType);
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
    primOf[id] = cast(value, type, node.elementType.isUnsignedInteger());
    return success();
  }
  if (isa<PointwiseOpInterface>(op))
    return buildPointwise(op, operands, id);
  auto loop = llvm::cast<KernelLoopOpInterface>(op);
  // Windows and products: loops of neighbours read the same elements.
  ir.prefersColumns |= loop.getLoopRows().isIdentity() && !isa<RowOpInterface, ReductionOpInterface>(op);
  Formula formula(*this, operands, node.elementType);
  primOf[id] = loop.buildFormula(formula, llvm::cast<mlir::OpResult>(node.value).getResultNumber());
  return success();
}

LogicalResult KernelBuilder::buildPointwise(Operation *op, ArrayRef<unsigned> operands, unsigned id) {
  Type element = llvm::cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  Type type = getComputeType(element);
  bool isUnsigned = element.isUnsignedInteger();
  if (isa<ConvertElementTypeOp>(op)) {
    unsigned value = cast(operands[0], type, isUnsigned);
    Type source = llvm::cast<RankedTensorType>(op->getOperand(0).getType()).getElementType();
    primOf[id] = source == element ? value : round(value, element);
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

unsigned KernelBuilder::Formula::combine(ReduceKind kind, bool isRunning, unsigned resultNumber) {
  auto reduce = [&](ReduceKind kind, ArrayRef<unsigned> reduced, Type type) {
    return builder.reduce(kind, reduced, type);
  };
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Prod: {
    unsigned element = term(0);
    // A row of one element has no dimension.
    if (isRunning && builder.kernel.getInnerSize() <= 1)
      return element;
    unsigned made = reduce(kind, {element}, type);
    if (isRunning)
      builder.ir.prims[made].kind = Prim::Kind::Scan;
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
    unsigned made = reduce(kind, {builder.cast(operands[0], truth)}, truth);
    return builder.cast(made, type, elementType.isUnsignedInteger());
  }
  }
  llvm_unreachable("a kind that is none of ReduceKind");
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
  findHeld();
  for (unsigned id : order) {
    if (failed(build(id)))
      return failure();
    if (held.test(id))
      primOf[id] = roundOnce(primOf[id], kernel.nodes[id].elementType);
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
