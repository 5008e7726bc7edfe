// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-jointgraph-constant-fold-uniform-value: an abstract interpretation in which each
// value is one number everywhere, or not known. PyTorch: torch/_inductor/fx_passes/joint_graph.py,
// constant_fold_uniform_value. Linear in the ops: an op of uniform values is run once, on one element.

#include "fxgraph/Dialect/IR/Evaluation.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Transforms/JointGraph/Passes.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include <cmath>

namespace fxgraph {
#define GEN_PASS_DEF_JOINTGRAPHCONSTANTFOLDUNIFORMVALUEPASS
#include "fxgraph/Transforms/JointGraph/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"constant-fold-uniform-value", "", NumericClass::Exact};

/// The largest number up to which all integers are doubles, as the value of `full` is.
static constexpr double kLargestExact = 9007199254740992.0;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Ops whose result has no element that the operand has not.
static bool isSelection(Operation *op) {
  return isa<ReshapeOp, ViewOp, FlattenOp, UnflattenOp, PermuteOp, TransposeOp, SqueezeOp, UnsqueezeOp, ExpandOp,
             SliceOp, SelectOp, FlipOp, RollOp, RepeatOp, CloneOp, ContiguousOp>(op);
}

/// The number that a literal of one element holds.
static double getNumber(DenseElementsAttr element) {
  Type type = element.getElementType();
  if (isa<FloatType>(type))
    return (*element.value_begin<llvm::APFloat>()).convertToDouble();
  llvm::APInt value = *element.value_begin<llvm::APInt>();
  return type.isInteger(1) || type.isUnsignedInteger() ? static_cast<double>(value.getZExtValue())
                                                       : static_cast<double>(value.getSExtValue());
}

namespace {
/// Finds the uniform values of a block.
class UniformValues {
public:
  UniformValues(MLIRContext *context, const EvaluationInterface &evaluation)
      : builder(context), evaluation(evaluation) {}

  /// The element that the result of the op is everywhere, or null.
  DenseElementsAttr analyze(Operation *op) {
    DenseElementsAttr element = compute(op);
    if (element)
      known[op->getResult(0)] = element;
    return element;
  }

private:
  DenseElementsAttr compute(Operation *op) {
    if (op->getNumResults() != 1 || !isa<RankedTensorType>(op->getResult(0).getType()))
      return {};
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      auto elements = dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
      if (!elements || !elements.isSplat())
        return {};
      RankedTensorType type = makeTensorType({}, elements.getElementType());
      return DenseElementsAttr::get(type, elements.getSplatValue<mlir::Attribute>());
    }
    if (isSelection(op))
      return known.lookup(op->getOperand(0));
    if (DenseElementsAttr zero = multiplyByZero(op))
      return zero;
    bool computes = isa<FullOp>(op) || (isa<PointwiseOpInterface>(op) && mlir::isPure(op) && op->getNumRegions() == 0);
    return computes ? run(op) : DenseElementsAttr();
  }

  /// x * 0 of integers; a float may be NaN, infinite or negative.
  DenseElementsAttr multiplyByZero(Operation *op) {
    auto mul = dyn_cast<MulOp>(op);
    if (!mul || !isa<IntegerType>(typeOf(mul).getElementType()))
      return {};
    for (Value operand : mul->getOperands())
      if (DenseElementsAttr element = known.lookup(operand);
          element && isa<IntegerType>(element.getElementType()) && getNumber(element) == 0)
        return DenseElementsAttr::get(makeTensorType({}, typeOf(mul).getElementType()),
                                      builder.getIntegerAttr(typeOf(mul).getElementType(), 0));
    return {};
  }

  /// Runs the op on one element of each operand. Operands that are numbers stay numbers, for they do not decide the
  /// dtype.
  DenseElementsAttr run(Operation *op) {
    SmallVector<DenseElementsAttr> elements;
    bool isNumber = true;
    for (Value operand : op->getOperands()) {
      if (isa<FullOp>(op))
        break; // its operands are sizes
      if (!isa<RankedTensorType>(operand.getType()))
        return {};
      DenseElementsAttr element = known.lookup(operand);
      if (!element)
        return {};
      bool scalar = typeOf(operand).getRank() == 0;
      isNumber &= scalar;
      elements.push_back(scalar ? element : element.reshape(makeTensorType({1}, element.getElementType())));
    }
    Block scratch;
    mlir::IRMapping mapping;
    DenseMap<Value, DenseElementsAttr> values;
    for (auto [operand, element] : llvm::zip(op->getOperands(), elements)) {
      Value argument =
          scratch.addArgument(withDims(typeOf(operand), Dims(element.getType().getRank(), Dim(1))), op->getLoc());
      values[argument] = element;
      mapping.map(operand, argument);
    }
    auto type = withDims(typeOf(op->getResult(0)), Dims(isNumber ? 0 : 1, Dim(1)));
    builder.setInsertionPointToEnd(&scratch);
    Value result;
    if (auto full = dyn_cast<FullOp>(op)) {
      result = FullOp::create(builder, op->getLoc(), withDims(type, Dims()), mlir::ValueRange(), full.getValueAttr());
    } else {
      Operation *copy = builder.clone(*op, mapping);
      copy->getResult(0).setType(type);
      result = copy->getResult(0);
    }
    // What fails on its numbers is not known.
    DenseElementsAttr element = evaluation.evaluate(result, values);
    if (!element || element.getNumElements() != 1)
      return {};
    return element.reshape(makeTensorType({}, element.getElementType()));
  }

  mlir::OpBuilder builder;
  const EvaluationInterface &evaluation;
  DenseMap<Value, DenseElementsAttr> known;
};

struct JointGraphConstantFoldUniformValuePass
    : public fxgraph::impl::JointGraphConstantFoldUniformValuePassBase<JointGraphConstantFoldUniformValuePass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    const EvaluationInterface *evaluation = EvaluationInterface::get(&getContext());
    if (!evaluation) {
      getOperation().emitError("expected an interpreter in the context but nobody has registered one");
      return signalPassFailure();
    }
    if (session.lacks<FullOp, ConstantOp>())
      return;
    BoundaryGuard guard(session);
    SmallVector<Operation *> old;
    for (Block *block : session.collectBlocks()) {
      UniformValues values(&getContext(), *evaluation);
      llvm::MapVector<Operation *, DenseElementsAttr> uniform;
      for (Operation &op : *block)
        if (DenseElementsAttr element = values.analyze(&op))
          uniform.insert({&op, element});
      // What only uniform values use goes with them.
      auto isNeeded = [&](Operation *op) {
        return llvm::any_of(op->getUsers(), [&](Operation *user) { return !uniform.contains(user); });
      };
      for (auto &[op, element] : uniform) {
        if (isa<FullOp, ConstantOp>(op) || !isNeeded(op))
          continue;
        guard.snapshot();
        if (replace(session, op, element))
          old.push_back(op);
      }
    }
    session.eraseDeadOps(old);
    if (session.getNumApplied())
      guard.restore();
    if (!session.isValid())
      signalPassFailure();
  }

private:
  /// The sizes of a `full` of this type: extents of arguments of the graph that are known to be the same.
  static std::optional<SmallVector<Value>> findSizes(mlir::IRRewriter &rewriter, Operation *op, RankedTensorType type) {
    SmallVector<std::pair<mlir::BlockArgument, int64_t>> found;
    for (const Dim &dim : getDims(type)) {
      if (dim.isStatic())
        continue;
      std::optional<std::pair<mlir::BlockArgument, int64_t>> place;
      for (mlir::BlockArgument argument : op->getBlock()->getArguments()) {
        auto tensor = dyn_cast<RankedTensorType>(argument.getType());
        if (!tensor || place)
          continue;
        for (auto [i, own] : llvm::enumerate(getDims(tensor)))
          if (dim.isSymbol() && own.provablyEquals(dim) && !place)
            place.emplace(argument, i);
      }
      if (!place)
        return std::nullopt;
      found.push_back(*place);
    }
    SmallVector<Value> sizes;
    for (auto [argument, dim] : found)
      sizes.push_back(SymSizeOp::create(rewriter, op->getLoc(), rewriter.getIndexType(), argument,
                                        rewriter.getI64IntegerAttr(dim)));
    return sizes;
  }

  static bool replace(RewriteSession &session, Operation *op, DenseElementsAttr element) {
    auto type = typeOf(op->getResult(0));
    if (auto integer = dyn_cast<IntegerType>(type.getElementType()); integer && integer.isUnsigned()) {
      session.missed(op->getLoc(), kKind, "the result is unsigned");
      return false;
    }
    double number = getNumber(element);
    if (isa<IntegerType>(element.getElementType()) && std::fabs(number) >= kLargestExact) {
      session.missed(op->getLoc(), kKind, "the number is beyond 2^53");
      return false;
    }
    if (reachesWriter(op)) {
      session.missed(op->getLoc(), kKind, "an unknown op may write to it");
      return false;
    }
    mlir::IRRewriter &rewriter = session.getRewriter();
    rewriter.setInsertionPoint(op);
    std::optional<SmallVector<Value>> sizes = findSizes(rewriter, op, type);
    if (!sizes) {
      session.missed(op->getLoc(), kKind, "an extent is not that of an argument");
      return false;
    }
    session.begin(kKind);
    Value full = FullOp::create(rewriter, op->getLoc(), type, *sizes, rewriter.getF64FloatAttr(number));
    rewriter.replaceAllUsesWith(op->getResult(0), full);
    session.applied(op->getLoc());
    return true;
  }
};
} // namespace
