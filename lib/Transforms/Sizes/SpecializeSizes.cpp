// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbolic extents become numbers. One walk in the order of the ops: each has operands of
// the final types when its own are inferred. A symbol is bound by the first value whose
// extent is known, an argument or what a size is computed for, and checked by the others.

#include "fxgraph/Transforms/Sizes/SpecializeSizes.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Transforms/Sizes/Passes.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace fxgraph {
#define GEN_PASS_DEF_SPECIALIZESIZESPASS
#include "fxgraph/Transforms/Sizes/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
class Specializer {
public:
  explicit Specializer(mlir::func::FuncOp function) : function(function), rewriter(function.getContext()) {}
  LogicalResult run(ArrayRef<Type> argumentTypes);

private:
  /// `value` gets the extents of `type` that are known, which bind its symbols; and those
  /// that its symbols have, unless its sizes are operands, which are as many as its
  /// extents that are not known.
  LogicalResult refine(Value value, Type type, bool bySymbols = true);
  LogicalResult refine(Value value) { return refine(value, value.getType()); }
  bool fold(Operation *op);
  LogicalResult visitOps(Block &block);
  LogicalResult visit(Operation *op);
  LogicalResult visitRegions(Operation *op);
  LogicalResult visitAssertion(AssertScalarOp op);
  LogicalResult visitNarrow(NarrowOp op);
  LogicalResult takeSizes(Operation *op);
  LogicalResult inferResults(Operation *op);

  mlir::func::FuncOp function;
  mlir::IRRewriter rewriter;
  DenseMap<StringAttr, int64_t> extents;
};
} // namespace

static std::optional<int64_t> getConstantInteger(Value size) {
  llvm::APInt value;
  if (!mlir::matchPattern(size, mlir::m_ConstantInt(&value)))
    return std::nullopt;
  return value.getSExtValue();
}

LogicalResult Specializer::refine(Value value, Type type, bool bySymbols) {
  auto old = dyn_cast<RankedTensorType>(value.getType());
  auto known = dyn_cast<RankedTensorType>(type);
  if (!old || !known)
    return success();
  Dims dims = getDims(old);
  for (auto [i, dim, extent] : llvm::enumerate(dims, known.getShape())) {
    // The extent that the dimension has so far, by itself or by its symbol.
    int64_t bound = dim.getExtent();
    if (dim.isSymbol())
      if (auto it = extents.find(dim.getSymbol()); it != extents.end())
        bound = it->second;
    bool isKnown = !ShapedType::isDynamic(extent);
    if (isKnown && !ShapedType::isDynamic(bound) && bound != extent) {
      auto error = emitError(value.getLoc()) << "expected extent " << bound;
      if (dim.isSymbol())
        error << " (" << dim.getSymbol().getValue() << ")";
      return error << " in dim " << i << " but got " << extent;
    }
    if (isKnown && dim.isSymbol())
      extents[dim.getSymbol()] = extent;
    if (isKnown)
      dim = extent;
    else if (bySymbols && !ShapedType::isDynamic(bound))
      dim = bound;
  }
  value.setType(withDims(old, dims));
  return success();
}

/// Whether constants stand for the results, and the op is gone.
bool Specializer::fold(Operation *op) {
  if (op->getNumResults() == 0 ||
      !llvm::all_of(op->getResultTypes(), [](Type type) { return type.isIntOrIndex(); }))
    return false;
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    Attribute constant;
    mlir::matchPattern(operand, mlir::m_Constant(&constant));
    operands.push_back(constant);
  }
  SmallVector<mlir::OpFoldResult> folded;
  if (failed(op->fold(operands, folded)) || folded.size() != op->getNumResults())
    return false;
  rewriter.setInsertionPoint(op);
  SmallVector<Value> values;
  for (auto [result, value] : llvm::zip_equal(op->getResults(), folded)) {
    if (auto attribute = dyn_cast<Attribute>(value)) {
      Operation *constant = op->getDialect()->materializeConstant(rewriter, attribute, result.getType(), op->getLoc());
      if (!constant)
        constant = mlir::arith::ConstantOp::materialize(rewriter, attribute, result.getType(), op->getLoc());
      if (!constant)
        return false;
      values.push_back(constant->getResult(0));
    } else {
      values.push_back(cast<Value>(value));
    }
  }
  rewriter.replaceOp(op, values);
  return true;
}

/// Operands that are known sizes become extents: of `shape` where the op has it, else of
/// the result.
LogicalResult Specializer::takeSizes(Operation *op) {
  auto shape = op->getAttrOfType<mlir::DenseI64ArrayAttr>("shape");
  SmallVector<int64_t> target =
      llvm::to_vector(shape ? shape.asArrayRef() : cast<RankedTensorType>(op->getResult(0).getType()).getShape());
  llvm::BitVector taken(op->getNumOperands());
  auto next = target.begin();
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (!operand.getType().isIndex())
      continue;
    next = std::find_if(next, target.end(), ShapedType::isDynamic);
    if (std::optional<int64_t> size = getConstantInteger(operand)) {
      if (*size < 0)
        return op->emitOpError() << "expected sizes >= 0 but got " << *size;
      *next = *size;
      taken.set(i);
    }
    ++next;
  }
  op->eraseOperands(taken);
  if (!shape)
    return refine(op->getResult(0), RankedTensorType::get(target, rewriter.getI1Type()), /*bySymbols=*/false);
  op->setAttr("shape", rewriter.getDenseI64ArrayAttr(target));
  return inferResults(op);
}

LogicalResult Specializer::inferResults(Operation *op) {
  SmallVector<Type> types(op->getResultTypes());
  if (auto inference = dyn_cast<mlir::InferTypeOpInterface>(op)) {
    types.clear();
    if (failed(inference.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(), op->getAttrDictionary(),
                                          op->getPropertiesStorage(), op->getRegions(), types)))
      return failure();
  }
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
    if (failed(refine(result, type)))
      return failure();
  return success();
}

LogicalResult Specializer::visitNarrow(NarrowOp op) {
  std::optional<int64_t> start = getConstantInteger(op.getStart()), length = getConstantInteger(op.getLength());
  RankedTensorType input = op.getInput().getType();
  int64_t dim = wrapDim(op.getDim(), input.getRank()), extent = input.getDimSize(dim);
  if (!start || !length || ShapedType::isDynamic(extent))
    return refine(op.getResult());
  if (*start < 0 || *length < 0 || *length > extent - *start)
    return op.emitOpError() << "expected bounds in [0, " << extent << "] but got length " << *length << " from "
                            << *start;
  Dims dims = getDims(input);
  dims[dim] = *length;
  if (failed(refine(op.getResult(), withDims(input, dims))))
    return failure();
  rewriter.setInsertionPoint(op);
  rewriter.replaceOpWithNewOp<SliceOp>(op, op.getResult().getType(), op.getInput(), dim, *start, *start + *length,
                                       /*step=*/1);
  return success();
}

LogicalResult Specializer::visitAssertion(AssertScalarOp op) {
  std::optional<int64_t> condition = getConstantInteger(op.getCondition());
  if (condition && !*condition)
    return emitError(op.getLoc()) << op.getMessage();
  if (condition)
    rewriter.eraseOp(op);
  return success();
}

LogicalResult Specializer::visit(Operation *op) {
  if (fold(op))
    return success();
  if (auto assertion = dyn_cast<AssertScalarOp>(op))
    return visitAssertion(assertion);
  if (auto narrow = dyn_cast<NarrowOp>(op))
    return visitNarrow(narrow);
  bool isOurs = isa_and_present<FxGraphDialect>(op->getDialect());
  if (isOurs && op->getNumResults() == 1 &&
      llvm::any_of(op->getOperandTypes(), [](Type type) { return type.isIndex(); }))
    return takeSizes(op);
  if (op->getNumRegions() != 0 && failed(visitRegions(op)))
    return failure();
  return inferResults(op);
}

/// What the regions yield tells the op's results, where it yields that many values.
LogicalResult Specializer::visitRegions(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      for (Value argument : block.getArguments())
        if (failed(refine(argument)))
          return failure();
      if (failed(visitOps(block)))
        return failure();
    }
  if (isa_and_present<FxGraphDialect>(op->getDialect()))
    return success(); // Types that do not contradict each other are enough.
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      Operation *end = block.mightHaveTerminator() ? block.getTerminator() : nullptr;
      if (!end || end->getNumOperands() != op->getNumResults())
        continue;
      for (auto [result, yielded] : llvm::zip_equal(op->getResults(), end->getOperands()))
        if (failed(refine(result, yielded.getType())))
          return failure();
    }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (Operation *end = block.mightHaveTerminator() ? block.getTerminator() : nullptr;
          end && end->getNumOperands() == op->getNumResults() && end->getOperandTypes() != op->getResultTypes())
        return op->emitOpError() << "expected regions that give the same extents for these sizes";
  return success();
}

LogicalResult Specializer::visitOps(Block &block) {
  SmallVector<Operation *> ops = llvm::map_to_vector(block, [](Operation &op) { return &op; });
  for (Operation *op : ops)
    if (failed(visit(op)))
      return failure();
  return success();
}

LogicalResult Specializer::run(ArrayRef<Type> argumentTypes) {
  for (auto [argument, type] : llvm::zip_equal(function.getArguments(), argumentTypes))
    if (failed(refine(argument, type)))
      return failure();
  // Those whose extents later ones have bound.
  for (Value argument : function.getArguments())
    if (failed(refine(argument)))
      return failure();
  if (failed(visitOps(function.front())))
    return failure();
  // Arithmetic that nothing uses any more.
  for (Block &block : function.getFunctionBody())
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isa_and_present<mlir::arith::ArithDialect>(op.getDialect()) && mlir::isOpTriviallyDead(&op))
        rewriter.eraseOp(&op);
  Operation *end = function.getFunctionBody().front().getTerminator();
  function.setType(
      mlir::FunctionType::get(function.getContext(), function.front().getArgumentTypes(), end->getOperandTypes()));
  return success();
}

LogicalResult fxgraph::specializeSizes(mlir::func::FuncOp function, ArrayRef<Type> argumentTypes) {
  return Specializer(function).run(argumentTypes);
}

namespace {
struct SpecializeSizesPass : public impl::SpecializeSizesPassBase<SpecializeSizesPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<llvm::MapVector<StringAttr, int64_t>> extents = readExtents();
    if (failed(extents))
      return signalPassFailure();
    if (extents->empty())
      return preserveAnalyses();
    mlir::func::FuncOp function = getOperation();
    llvm::DenseSet<StringAttr> found;
    SmallVector<Type> types;
    for (Type type : function.getArgumentTypes()) {
      types.push_back(type);
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        continue;
      Dims dims = getDims(tensor);
      for (Dim &dim : dims)
        if (auto it = extents->find(dim.getSymbol()); dim.isSymbol() && it != extents->end()) {
          found.insert(it->first);
          dim = it->second;
        }
      types.back() = withDims(tensor, dims);
    }
    for (auto [symbol, extent] : *extents)
      if (!found.contains(symbol)) {
        emitError(function.getLoc()) << getArgument()
                                     << ": expected symbols of the arguments' extents in sizes but got '"
                                     << symbol.getValue() << "'";
        return signalPassFailure();
      }
    if (failed(specializeSizes(function, types)))
      signalPassFailure();
  }

private:
  FailureOr<llvm::MapVector<StringAttr, int64_t>> readExtents() {
    llvm::MapVector<StringAttr, int64_t> extents;
    for (StringRef entry : sizes) {
      auto [symbol, text] = entry.split('=');
      int64_t extent;
      if (symbol.empty() || text.getAsInteger(10, extent) || extent < 0 ||
          !extents.insert({StringAttr::get(&getContext(), symbol), extent}).second) {
        emitError(getOperation().getLoc())
            << getArgument() << ": expected sizes to be SYMBOL=EXTENT, each symbol once, but got '" << entry << "'";
        return failure();
      }
    }
    return extents;
  }
};
} // namespace
