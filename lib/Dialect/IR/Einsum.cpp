// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Dialect/IR/Einsum.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/IR/Builders.h"

using namespace fxgraph;

static Value permute(OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> order) {
  if (llvm::equal(order, llvm::seq<int64_t>(0, order.size())))
    return input;
  return PermuteOp::create(b, loc, input, b.getDenseI64ArrayAttr(order));
}

static Value reshape(OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> shape) {
  if (cast<RankedTensorType>(input.getType()).getShape() == shape)
    return input;
  return ReshapeOp::create(b, loc, input, shape);
}

Value fxgraph::buildEinsumAsProduct(OpBuilder &b, EinsumOp op, StringRef &problem, bool avoidsCopies) {
  auto refuse = [&](StringRef text) {
    problem = text;
    return Value();
  };
  Location loc = op.getLoc();
  if (op.getTensors().size() != 2)
    return refuse("not two operands");
  auto typeOf = [](Value value) { return cast<RankedTensorType>(value.getType()); };
  RankedTensorType result = op.getResult().getType(), lhsType = typeOf(op.getTensors()[0]),
                   rhsType = typeOf(op.getTensors()[1]);
  if (!lhsType.hasStaticShape() || !rhsType.hasStaticShape() || !result.hasStaticShape())
    return refuse("an extent is dynamic");
  FailureOr<EinsumEquation> equation =
      parseEinsum(std::nullopt, op.getEquation(), {lhsType.getRank(), rhsType.getRank()});
  if (failed(equation))
    return refuse("no equation");
  ArrayRef<int> lhs = equation->operands[0], rhs = equation->operands[1], out = equation->result;
  llvm::SmallDenseMap<int, int64_t> extents;
  for (auto [labels, type] : {std::pair(lhs, lhsType), std::pair(rhs, rhsType)}) {
    llvm::SmallDenseSet<int> seen;
    for (auto [label, extent] : llvm::zip_equal(labels, type.getShape())) {
      if (!seen.insert(label).second)
        return refuse("a label is repeated in a term");
      auto [it, inserted] = extents.insert({label, extent});
      if (!inserted && it->second != extent)
        return refuse("an extent is broadcast");
    }
  }
  SmallVector<int> batch, rows, columns, summed;
  for (int label : lhs) {
    bool inRhs = llvm::is_contained(rhs, label), inOut = llvm::is_contained(out, label);
    if (!inRhs && !inOut)
      return refuse("a label is summed in one term alone");
    (inRhs ? (inOut ? batch : summed) : rows).push_back(label);
  }
  for (int label : rhs)
    if (!llvm::is_contained(lhs, label)) {
      if (!llvm::is_contained(out, label))
        return refuse("a label is summed in one term alone");
      columns.push_back(label);
    }
  auto total = [&](ArrayRef<int> labels) {
    int64_t count = 1;
    for (int label : labels)
      count *= extents.lookup(label);
    return count;
  };
  auto arrange = [&](Value operand, ArrayRef<int> labels, ArrayRef<int> matrices, ArrayRef<int> first,
                     ArrayRef<int> second) -> Value {
    SmallVector<int64_t> order;
    for (int label : llvm::concat<const int>(matrices, first, second))
      order.push_back(llvm::find(labels, label) - labels.begin());
    return reshape(b, loc, permute(b, loc, operand, order), {total(matrices), total(first), total(second)});
  };
  // "th,ehi->eti": with the columns in one dimension the second term would be copied. As a matrix for each of its
  // outer ones, by which the first term is multiplied again, it is read as it lies.
  auto takeOuter = [&](ArrayRef<int> labels, SmallVector<int> &own) {
    SmallVector<int> outer(labels.take_while([&](int label) { return llvm::is_contained(own, label); }));
    bool isApart = outer.size() < own.size() && !summed.empty() && batch.empty() && avoidsCopies;
    if (!isApart)
      outer.clear();
    llvm::erase_if(own, [&](int label) { return llvm::is_contained(outer, label); });
    return outer;
  };
  SmallVector<int> outerColumns = takeOuter(rhs, columns), outerRows;
  if (outerColumns.empty())
    outerRows = takeOuter(lhs, rows);
  Value left = arrange(op.getTensors()[0], lhs, outerRows.empty() ? batch : outerRows, rows, summed);
  Value right = arrange(op.getTensors()[1], rhs, outerColumns.empty() ? batch : outerColumns, summed, columns);
  auto repeat = [&](Value value, ArrayRef<int> labels) -> Value {
    if (labels.empty())
      return value;
    SmallVector<int64_t> shape(typeOf(value).getShape());
    shape[0] = total(labels);
    return ExpandOp::create(b, loc, value, ArrayRef<int64_t>(shape));
  };
  Value value = BmmOp::create(b, loc, repeat(left, outerColumns), repeat(right, outerRows));
  SmallVector<int64_t> shape, order;
  SmallVector<int> made;
  for (int label : llvm::concat<int>(batch, outerColumns, outerRows, rows, columns)) {
    made.push_back(label);
    shape.push_back(extents.lookup(label));
  }
  value = reshape(b, loc, value, shape);
  for (int label : out)
    order.push_back(llvm::find(made, label) - made.begin());
  value = permute(b, loc, value, order);
  value.setType(result); // As precise in its symbols and device as before.
  return value;
}
