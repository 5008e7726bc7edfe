// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pre-grad to post-grad ops. PyTorch: torch/_decomp/decompositions.py and the
// composite kernels of aten/src/ATen/native. One pattern an op; each application
// replaces one op by a bounded number of others, so the pass is linear. Ops that become
// one other op are in Patterns.pdll; here are those that go by ranks, labels or lists.

#include "fxgraph/Dialect/IR/Einsum.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/Permutation.h"
#include "fxgraph/Transforms/Decompose/Passes.h"
#include "fxgraph/Transforms/Utils/FreezePatterns.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "fxgraph/Transforms/Decompose/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {

using mlir::PatternRewriter;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

Value permute(PatternRewriter &b, Location loc, Value input, ArrayRef<int64_t> order) {
  if (llvm::equal(order, llvm::seq<int64_t>(0, order.size())))
    return input;
  return PermuteOp::create(b, loc, input, b.getDenseI64ArrayAttr(order));
}

Value unsqueeze(PatternRewriter &b, Location loc, Value input, int64_t dim) {
  return UnsqueezeOp::create(b, loc, input, b.getI64IntegerAttr(dim));
}

/// Whether reshape can name these extents: at most one is not a number, and the
/// others tell it (any number of times 0 elements are 0).
bool canReshapeTo(ArrayRef<int64_t> shape) {
  auto dynamic = llvm::count_if(shape, ShapedType::isDynamic);
  return dynamic == 0 || (dynamic == 1 && !llvm::is_contained(shape, 0));
}

/// Reshape to these extents; the dynamic one (at most one) is inferred. With a type,
/// the result has exactly that type.
Value reshape(PatternRewriter &b, Location loc, Value input, ArrayRef<int64_t> shape, RankedTensorType type = {}) {
  SmallVector<int64_t> target(shape);
  for (int64_t &extent : target)
    if (ShapedType::isDynamic(extent))
      extent = -1;
  if (!type) {
    if (typeOf(input).hasStaticShape() && typeOf(input).getShape() == ArrayRef(target))
      return input;
    return ReshapeOp::create(b, loc, input, target);
  }
  if (input.getType() == type && type.hasStaticShape())
    return input;
  return ReshapeOp::create(b, loc, type, input, ValueRange(), b.getDenseI64ArrayAttr(target));
}

int64_t product(ArrayRef<int64_t> extents) {
  int64_t result = 1;
  for (int64_t extent : extents) {
    if (ShapedType::isDynamic(extent))
      return ShapedType::kDynamic;
    if (llvm::MulOverflow(result, extent, result))
      return ShapedType::kDynamic;
  }
  return result;
}

/// Gives an op's only result the type of what it replaces: as precise in its extents
/// and symbols as before.
Value withType(Value value, Type type) {
  if (value.getType() != type && value.getDefiningOp())
    value.setType(cast<RankedTensorType>(type));
  return value;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// mm for rank 2 x 2, bmm for 3 x 3.
Value multiply(PatternRewriter &b, Location loc, Value lhs, Value rhs) {
  if (typeOf(lhs).getRank() == 2)
    return MmOp::create(b, loc, lhs, rhs);
  return BmmOp::create(b, loc, lhs, rhs);
}

struct LinearPattern : public mlir::OpRewritePattern<LinearOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LinearOp op, PatternRewriter &b) const override {
    Location loc = op.getLoc();
    RankedTensorType input = op.getInput().getType(), result = op.getResult().getType();
    int64_t rank = input.getRank();
    bool isVector = op.getWeight().getType().getRank() == 1;
    if (rank == 0)
      return b.notifyMatchFailure(op, "the input has rank 0");
    if (!canReshapeTo(result.getShape()) || (rank > 2 && !canReshapeTo(input.getShape())))
      return b.notifyMatchFailure(op, "more than one extent is dynamic, or one of an empty tensor");
    // [*, k] x [k, n]; a weight of rank 1 is one row, whose dimension vanishes again.
    Value weight = isVector ? unsqueeze(b, loc, op.getWeight(), 0) : op.getWeight();
    Value bias = op.getBias();
    if (bias && typeOf(bias).getRank() == 0)
      bias = unsqueeze(b, loc, bias, 0);
    Value transposed = permute(b, loc, weight, {1, 0});
    Value matrix = op.getInput();
    if (rank != 2)
      matrix = reshape(b, loc, matrix, {product(input.getShape().drop_back()), input.getShape().back()});
    Value value =
        bias ? Value(AddmmOp::create(b, loc, bias, matrix, transposed, b.getF64FloatAttr(1.0), b.getF64FloatAttr(1.0)))
             : multiply(b, loc, matrix, transposed);
    if (rank != 2 || isVector)
      value = reshape(b, loc, value, result.getShape(), result);
    b.replaceOp(op, withType(value, result));
    return success();
  }
};

struct MatmulPattern : public mlir::OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &b) const override {
    Location loc = op.getLoc();
    RankedTensorType result = op.getResult().getType();
    Value lhs = op.getInput(), rhs = op.getOther();
    int64_t lhsRank = typeOf(lhs).getRank(), rhsRank = typeOf(rhs).getRank();
    if (lhsRank == 0 || rhsRank == 0)
      return b.notifyMatchFailure(op, "an operand has rank 0");
    auto matrix = [&](Value operand) { return typeOf(operand).getShape().take_back(2); };
    if (!canReshapeTo(result.getShape()))
      return b.notifyMatchFailure(op, "more than one extent of the result is dynamic");
    if (rhsRank <= 2 && lhsRank <= 2) {
      lhs = lhsRank == 1 ? unsqueeze(b, loc, lhs, 0) : lhs;
      rhs = rhsRank == 1 ? unsqueeze(b, loc, rhs, 1) : rhs;
      Value value = multiply(b, loc, lhs, rhs);
      if (lhsRank == 1 || rhsRank == 1)
        value = reshape(b, loc, value, result.getShape(), result);
      b.replaceOp(op, withType(value, result));
      return success();
    }
    if (rhsRank <= 2) {
      // The leading dimensions become rows.
      ArrayRef<int64_t> shape = typeOf(lhs).getShape();
      if (!canReshapeTo(shape))
        return b.notifyMatchFailure(op, "more than one extent of an operand is dynamic");
      rhs = rhsRank == 1 ? unsqueeze(b, loc, rhs, 1) : rhs;
      Value rows = reshape(b, loc, lhs, {product(shape.drop_back()), shape.back()});
      Value value = multiply(b, loc, rows, rhs);
      b.replaceOp(op, withType(reshape(b, loc, value, result.getShape(), result), result));
      return success();
    }
    // Batches, broadcast to those of the result.
    bool dropsM = lhsRank == 1, dropsN = rhsRank == 1;
    ArrayRef<int64_t> batch = result.getShape().drop_back(2 - dropsM - dropsN);
    if (llvm::any_of(batch, ShapedType::isDynamic) && (batch.size() > 1 || lhsRank != 3 || rhsRank != 3))
      return b.notifyMatchFailure(op, "a batch extent is dynamic");
    lhs = dropsM ? unsqueeze(b, loc, lhs, 0) : lhs;
    rhs = dropsN ? unsqueeze(b, loc, rhs, 1) : rhs;
    for (Value operand : {lhs, rhs}) {
      SmallVector<int64_t> shape(batch);
      llvm::append_range(shape, matrix(operand));
      if (!canReshapeTo(shape) && (typeOf(operand).getRank() != 3 || batch.size() != 1))
        return b.notifyMatchFailure(op, "more than one extent of an operand is dynamic");
    }
    auto toBatch = [&](Value operand) -> Value {
      ArrayRef<int64_t> shape = matrix(operand);
      if (typeOf(operand).getRank() == 3 && batch.size() == 1 && typeOf(operand).getDimSize(0) == batch[0])
        return operand;
      SmallVector<int64_t> full(batch), flat{product(batch)};
      for (int64_t extent : shape) {
        full.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
        flat.push_back(extent);
      }
      if (typeOf(operand).getShape().drop_back(2) != batch)
        operand = ExpandOp::create(b, loc, operand, full);
      return batch.size() == 1 ? operand : reshape(b, loc, operand, flat);
    };
    // One after the other: the order of arguments is the compiler's choice.
    lhs = toBatch(lhs);
    rhs = toBatch(rhs);
    Value value = multiply(b, loc, lhs, rhs);
    if (typeOf(value).getRank() != result.getRank() || dropsM || dropsN)
      value = reshape(b, loc, value, result.getShape(), result);
    b.replaceOp(op, withType(value, result));
    return success();
  }
};

/// Two operands: batch, rows, columns and summed labels in groups, one bmm.
struct EinsumPattern : public mlir::OpRewritePattern<EinsumOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(EinsumOp op, PatternRewriter &b) const override {
    StringRef problem;
    Value value = buildEinsumAsProduct(b, op, problem);
    if (!value)
      return b.notifyMatchFailure(op, problem);
    b.replaceOp(op, value);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Cats
//===----------------------------------------------------------------------===//

struct StackPattern : public mlir::OpRewritePattern<StackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StackOp op, PatternRewriter &b) const override {
    int64_t dim = op.getNormalizedDim();
    SmallVector<Value> pieces;
    for (Value tensor : op.getTensors())
      pieces.push_back(unsqueeze(b, op.getLoc(), tensor, dim));
    b.replaceOpWithNewOp<CatOp>(op, op.getResult().getType(), pieces, b.getI64IntegerAttr(dim));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// Fused forms and attention.
struct InterfacePattern : public mlir::OpInterfaceRewritePattern<DecomposableOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(DecomposableOpInterface op, PatternRewriter &b) const override {
    // Products of the post-grad level, which its own passes make.
    if (isa<MmPlusMmOp, AddmmActivationOp, IntMmMulOp, ScaledMmOp, GroupedMmOp, B2bGemmOp, LinearPointwiseOp,
            ConvolutionPointwiseOp, WeightInt8packMmOp, WeightInt4packMmOp, QLinearPointwiseOp, QConvPointwiseOp>(
            op.getOperation()))
      return failure();
    FailureOr<SmallVector<Value>> values = op.decompose(b);
    if (failed(values))
      return b.notifyMatchFailure(op, "it has no decomposition for these operands");
    b.replaceOp(op, *values);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// What Patterns.pdll uses
//===----------------------------------------------------------------------===//

LogicalResult isNotWritten(PatternRewriter &, Operation *op) { return success(!reachesWriter(op)); }

LogicalResult isReshapable(PatternRewriter &, Type type) {
  return success(canReshapeTo(cast<RankedTensorType>(type).getShape()));
}

Attribute getShapeOf(PatternRewriter &b, Type type) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(type).getShape());
  for (int64_t &extent : shape)
    if (ShapedType::isDynamic(extent))
      extent = -1;
  return b.getDenseI64ArrayAttr(shape);
}

Attribute getTransposedOrder(PatternRewriter &b, Operation *transpose) {
  return b.getDenseI64ArrayAttr(*getPermutation(transpose));
}

LogicalResult hasKnownSections(PatternRewriter &, Operation *op) {
  std::optional<SmallVector<int64_t>> sections = cast<SplitLikeOpInterface>(op).getStaticSections();
  return success(sections && sections->size() == op->getNumResults());
}

Attribute getSections(PatternRewriter &b, Operation *op) {
  return b.getDenseI64ArrayAttr(*cast<SplitLikeOpInterface>(op).getStaticSections());
}

Attribute getNormalizedDim(PatternRewriter &b, Operation *op) {
  return b.getI64IntegerAttr(cast<SplitLikeOpInterface>(op).getNormalizedDim());
}

Attribute getZerosLike(PatternRewriter &b, Attribute numbers) {
  return b.getDenseI64ArrayAttr(SmallVector<int64_t>(cast<DenseI64ArrayAttr>(numbers).size(), 0));
}

#include "DecomposePatterns.h.inc"

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

const RewriteKind kFused{"fused", "", NumericClass::Reassociates};

struct DecomposePass : public fxgraph::impl::DecomposePassBase<DecomposePass> {
  LogicalResult initialize(MLIRContext *context) override {
    mlir::RewritePatternSet set(context);
    kinds.clear();
    mlir::PDLPatternModule &pdl = set.getPDLPatterns();
    pdl.registerConstraintFunction("IsNotWritten", isNotWritten);
    pdl.registerConstraintFunction("IsReshapable", isReshapable);
    pdl.registerConstraintFunction("HasKnownSections", hasKnownSections);
    pdl.registerRewriteFunction("ShapeOf", getShapeOf);
    pdl.registerRewriteFunction("TransposedOrder", getTransposedOrder);
    pdl.registerRewriteFunction("Sections", getSections);
    pdl.registerRewriteFunction("NormalizedDim", getNormalizedDim);
    pdl.registerRewriteFunction("ZerosLike", getZerosLike);
    addText<View>(set, "view");
    addText<Flatten>(set, "flatten");
    addText<Unflatten>(set, "unflatten");
    addText<Transpose>(set, "transpose");
    addText<Split>(set, "split");
    addText<Chunk>(set, "chunk");
    addText<Conv1d>(set, "conv1d");
    addText<Conv2d>(set, "conv2d");
    addText<Conv3d>(set, "conv3d");
    addText<Dropout>(set, "dropout");
    addText<Detach>(set, "detach");
    addText<Contiguous>(set, "contiguous");
    addCode<LinearPattern>(set, {"linear", ""});
    addCode<MatmulPattern>(set, {"matmul", ""});
    addCode<StackPattern>(set, {"stack", ""});
    addCode<EinsumPattern>(set, {"einsum", "", NumericClass::Reassociates});
    addCode<InterfacePattern>(set, kFused);
    patterns = freezePatterns(std::move(set));
    return success();
  }

  void runOnOperation() override {
    mlir::FunctionOpInterface function = getOperation();
    if (function.isExternal())
      return;
    RewriteSession session(function, "fxgraph-decompose");
    BoundaryGuard guard(session);
    guard.snapshot();
    if (failed(session.applyPatterns(patterns, {}, kFused, kinds)))
      return signalPassFailure();
    guard.restore();
    // What stayed, and why.
    function->walk([&](Operation *op) {
      if (isa<LinearOp, MatmulOp, EinsumOp, FlattenOp, UnflattenOp, SplitOp, ChunkOp>(op))
        session.missed(
            op->getLoc(), kFused,
            (op->getName().getStringRef() + " stays: extents or labels beyond what the rewrite handles").str());
    });
    if (!session.isValid())
      signalPassFailure();
  }

private:
  template <typename PatternTy>
  static void addText(mlir::RewritePatternSet &set, StringRef name) {
    set.add<PatternTy>(set.getContext(), KindConfig({name, ""}));
  }
  template <typename PatternTy>
  void addCode(mlir::RewritePatternSet &set, const RewriteKind &kind) {
    std::unique_ptr<PatternTy> pattern = PatternTy::template create<PatternTy>(set.getContext());
    pattern->setDebugName(kind.pattern);
    set.add(std::move(pattern));
    kinds[kind.pattern] = kind;
  }

  mlir::FrozenRewritePatternSet patterns;
  llvm::StringMap<RewriteKind> kinds; ///< of the patterns in C++, by their debug names
};

} // namespace
