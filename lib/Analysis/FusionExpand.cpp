// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an element of an op's result is computed from.

#include "FusionPlanner.h"

using namespace fxgraph;
using mlir::AffineExpr, mlir::AffineExprKind, mlir::AffineMap;

/// An expression of dimensions that stand at `index`.
static IndexExpr evaluate(AffineExpr expr, ArrayRef<IndexExpr> index, IndexSpace &space) {
  if (auto constant = dyn_cast<mlir::AffineConstantExpr>(expr))
    return IndexExpr(constant.getValue());
  if (auto dim = dyn_cast<mlir::AffineDimExpr>(expr))
    return index[dim.getPosition()];
  auto binary = cast<mlir::AffineBinaryOpExpr>(expr);
  IndexExpr lhs = evaluate(binary.getLHS(), index, space);
  if (expr.getKind() == AffineExprKind::Add)
    return space.add(lhs, evaluate(binary.getRHS(), index, space));
  // Factors and divisors are constants, and stand behind.
  int64_t constant = cast<mlir::AffineConstantExpr>(binary.getRHS()).getValue();
  switch (expr.getKind()) {
  case AffineExprKind::Mul:
    return space.scale(lhs, constant);
  case AffineExprKind::FloorDiv:
    return space.floorDiv(lhs, constant);
  case AffineExprKind::Mod:
    return space.mod(lhs, constant);
  default:
    llvm_unreachable("expected a sum, a product, a quotient or a remainder");
  }
}

Index fxgraph::evaluate(AffineMap map, ArrayRef<IndexExpr> index, IndexSpace &space) {
  Index result;
  for (AffineExpr expr : map.getResults())
    result.push_back(::evaluate(expr, index, space));
  return result;
}

void FusionPlanner::expand(Operation *op, OpClass opClass, unsigned kernelId, unsigned nodeId) {
  FusionKernel &kernel = *plan.kernels[kernelId];
  Index index = kernel.nodes[nodeId].index;
  auto result = cast<mlir::OpResult>(kernel.nodes[nodeId].value);
  auto become = [&](KernelNode::Kind kind, ArrayRef<unsigned> operands) {
    kernel.nodes[nodeId].kind = kind;
    kernel.nodes[nodeId].operands.assign(operands.begin(), operands.end());
  };
  switch (opClass) {
  case OpClass::Leaf:
    if (Attribute splat = getSplatConstant(op)) {
      kernel.nodes[nodeId].kind = KernelNode::Kind::Constant;
      kernel.nodes[nodeId].constant = splat;
      return;
    }
    if (!isLiteral(op))
      become(KernelNode::Kind::Compute, addCoordinate(kernelId, index[0], IntegerType::get(op->getContext(), 64)));
    return; // A literal tensor: a load.
  case OpClass::Identity:
  case OpClass::View:
    return become(KernelNode::Kind::Forward,
                  demand(kernelId, op->getOperand(0), getViewIndex(result, index, kernel.space)));
  case OpClass::Pointwise: {
    if (!isa<PointwiseOpInterface>(op))
      return become(KernelNode::Kind::Compute, addTerms(cast<KernelLoopOpInterface>(op), kernelId, nodeId, index));
    SmallVector<unsigned, 3> operands;
    for (Value operand : op->getOperands())
      operands.push_back(demand(kernelId, operand, getBroadcastIndex(operand, index)));
    return become(KernelNode::Kind::Compute, operands);
  }
  case OpClass::Select: {
    SmallVector<ElementChoice> choices = cast<ChoiceOpInterface>(op).getChoices();
    return become(KernelNode::Kind::Forward,
                  addChoices(op, choices, kernelId, index, kernel.nodes[nodeId].elementType));
  }
  case OpClass::Gather:
    return become(KernelNode::Kind::Forward, addGather(cast<GatherOpInterface>(op), kernelId, index));
  case OpClass::Reduction: {
    // Statistics of a native_layer_norm are at the rows of its result.
    auto loopOp = cast<KernelLoopOpInterface>(op);
    Index loop = *joinLoop(loopOp, kernelId, index, /*commit=*/true, /*isRoot=*/true), all(index);
    all.append(loop);
    return become(KernelNode::Kind::Compute, addTerms(loopOp, kernelId, nodeId, all));
  }
  case OpClass::Library:
  case OpClass::Region:
  case OpClass::Collective:
  case OpClass::Wait:
  case OpClass::Write:
  case OpClass::Ignored:
  case OpClass::Unsupported:
    return;
  }
}

unsigned FusionPlanner::addChoices(Operation *op, ArrayRef<ElementChoice> choices, unsigned kernelId,
                                   ArrayRef<IndexExpr> index, Type type) {
  IndexSpace &space = plan.kernels[kernelId]->space;
  SmallVector<unsigned> elements;
  SmallVector<SmallVector<RangeTest>> tests;
  for (const ElementChoice &choice : choices) {
    tests.emplace_back();
    for (const IndexTest &test : choice.tests)
      tests.back().push_back({::evaluate(test.expr, index, space), test.lo, test.hi});
    if (!choice.operand) {
      elements.push_back(addConstant(kernelId, choice.number, type));
      continue;
    }
    // Where the tests do not hold there may be no such element, but it is loaded all the same.
    Value operand = op->getOperand(*choice.operand);
    Index source = evaluate(choice.index, index, space);
    for (auto [expr, at, extent] : llvm::zip_equal(choice.index.getResults(), source, getShape(operand))) {
      AffineExpr tested = expr;
      if (!isa<mlir::AffineDimExpr>(expr) ||
          llvm::any_of(choice.tests, [&](const IndexTest &test) { return test.expr == tested; }))
        at = space.clamp(at, 0, extent - 1);
    }
    elements.push_back(demand(kernelId, operand, source));
  }
  unsigned chain = elements.back();
  for (size_t i = elements.size() - 1; i-- > 0;)
    chain = addSelect(kernelId, tests[i], elements[i], chain, type);
  return chain;
}

SmallVector<unsigned, 3> FusionPlanner::addTerms(KernelLoopOpInterface op, unsigned kernelId, unsigned nodeId,
                                                 ArrayRef<IndexExpr> index) {
  IndexSpace &space = plan.kernels[kernelId]->space;
  auto result = cast<mlir::OpResult>(plan.kernels[kernelId]->nodes[nodeId].value);
  MLIRContext *context = op->getContext();
  SmallVector<unsigned, 3> operands;
  for (const LoopTerm &term : op.getLoopTerms(result.getResultNumber())) {
    if (term.position) {
      operands.push_back(
          addCoordinate(kernelId, ::evaluate(term.position, index, space), IntegerType::get(context, 64)));
      continue;
    }
    ArrayRef<ElementChoice> choices = term.choices;
    const ElementChoice &first = choices.front();
    if (choices.size() == 1) {
      operands.push_back(demand(kernelId, op->getOperand(*first.operand), evaluate(first.index, index, space)));
      continue;
    }
    const auto *read = llvm::find_if(choices, [](const ElementChoice &choice) { return choice.operand.has_value(); });
    Type type =
        read == choices.end() ? Type(mlir::Float32Type::get(context)) : getElementType(op->getOperand(*read->operand));
    operands.push_back(addChoices(op, choices, kernelId, index, type));
  }
  return operands;
}

unsigned FusionPlanner::addGather(GatherOpInterface op, unsigned kernelId, ArrayRef<IndexExpr> index) {
  IndexSpace &space = plan.kernels[kernelId]->space;
  Value table = op->getOperand(0);
  Index source;
  for (auto [dim, extent] : llvm::zip_equal(op.getGatheredDims(), getShape(table))) {
    Index at = evaluate(dim.at, index, space);
    if (!dim.operand) {
      source.push_back(at.front());
      continue;
    }
    unsigned loaded = demand(kernelId, op->getOperand(*dim.operand), at);
    source.push_back(space.addSymbol(loaded, op.countsFromEnd() ? -extent : 0, extent, space.getDims(at)));
  }
  return demand(kernelId, table, source);
}
