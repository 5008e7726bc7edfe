// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-matmul-decompose-mm; the patterns are in DecomposeMm.pdll. Linear in the ops.

#include "MatmulUtils.h"
#include "fxgraph/Transforms/Matmul/Passes.h"
#include "fxgraph/Dialect/IR/Numbers.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)

namespace fxgraph {
#define GEN_PASS_DEF_MATMULDECOMPOSEMMPASS
#include "fxgraph/Transforms/Matmul/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
/// The options of the pass.
struct Bounds {
  int64_t minFirst, maxOther, cpuMaxFirst, cpuMaxOther;
  bool skipUnknown;
  std::string defaultDevice;
};
} // namespace

/// The matrices of an mm, bmm or addmm.
static std::pair<Value, Value> getMatrices(Operation *op) {
  unsigned first = isa<AddmmOp>(op) ? 1 : 0;
  return {op->getOperand(first), op->getOperand(first + 1)};
}

static LogicalResult isMemoryBound(mlir::PatternRewriter &rewriter, Operation *op, const Bounds &bounds) {
  auto [mat1, mat2] = getMatrices(op);
  RankedTensorType left = getTensorType(mat1), right = getTensorType(mat2);
  auto holds = [&](int64_t extent, function_ref<bool(int64_t)> isSo) {
    return ShapedType::isDynamic(extent) ? bounds.skipUnknown : isSo(extent);
  };
  auto atLeast = [&](int64_t extent, int64_t bound) { return holds(extent, [&](int64_t n) { return n >= bound; }); };
  auto below = [&](int64_t extent, int64_t bound) { return holds(extent, [&](int64_t n) { return n < bound; }); };
  auto atMost = [&](int64_t extent, int64_t bound) { return holds(extent, [&](int64_t n) { return n <= bound; }); };

  StringRef device = getDeviceType(left, bounds.defaultDevice);
  bool onGPU = device == "cuda" || device == "xpu";
  if (!onGPU && device != "cpu")
    return refuse(rewriter, op, "the product is neither on a GPU nor on the CPU");
  bool bound;
  if (left.getRank() == 3)
    bound = onGPU ? atLeast(left.getDimSize(0), bounds.minFirst) &&
                        below(left.getDimSize(1), bounds.maxOther) + below(left.getDimSize(2), bounds.maxOther) +
                                below(right.getDimSize(2), bounds.maxOther) >=
                            2
                  : atMost(left.getDimSize(0), bounds.cpuMaxFirst) && atMost(right.getDimSize(0), bounds.cpuMaxFirst);
  else
    bound = onGPU ? atLeast(left.getDimSize(0), bounds.minFirst) && below(right.getDimSize(0), bounds.maxOther) &&
                        below(right.getDimSize(1), bounds.maxOther)
                  : atMost(left.getDimSize(0), bounds.cpuMaxFirst) && atMost(right.getDimSize(0), bounds.cpuMaxOther) &&
                        atMost(right.getDimSize(1), bounds.cpuMaxOther);
  if (!bound)
    return refuse(rewriter, op, "the extents are not known to be those of a product that memory bounds");
  return success();
}

static LogicalResult addsUnscaled(mlir::PatternRewriter &rewriter, Operation *op) {
  if (!isUnscaled(op))
    return refuse(rewriter, op, "alpha and beta are not 1");
  return success();
}

static Value createSumOfProducts(mlir::PatternRewriter &rewriter, Operation *op) {
  Location loc = op->getLoc();
  RankedTensorType type = getTensorType(op->getResult(0));
  auto convert = [&](Value value, Type element) { return createCast(rewriter, loc, value, element); };
  // Narrow floats keep the range and the precision of a product that accumulates in 32 bits.
  Type element = type.getElementType(), wide = isNarrowFloat(type) ? Type(rewriter.getF32Type()) : element;
  auto [mat1, mat2] = getMatrices(op);
  int64_t rank = type.getRank();
  Value columns = UnsqueezeOp::create(rewriter, loc, convert(mat1, wide), rank);
  Value rows = UnsqueezeOp::create(rewriter, loc, convert(mat2, wide), rank - 2);
  Value products = MulOp::create(rewriter, loc, columns, rows);
  // PyTorch sums integers as i64.
  Type summed = isa<IntegerType>(wide) ? Type(rewriter.getI64Type()) : wide;
  Value sum = SumOp::create(rewriter, loc, withElementType(type, summed), products,
                            rewriter.getDenseI64ArrayAttr({rank - 1}), /*keepdim=*/false);
  sum = convert(sum, wide);
  if (auto addmm = dyn_cast<AddmmOp>(op))
    sum = AddOp::create(rewriter, loc, withElementType(type, wide), sum, convert(addmm.getInput(), wide),
                        rewriter.getF64FloatAttr(1.0));
  return convert(sum, element);
}

namespace {
#include "MatmulDecomposeMm.h.inc"

struct MatmulDecomposeMmPass : public MatmulPass<fxgraph::impl::MatmulDecomposeMmPassBase<MatmulDecomposeMmPass>> {
  using MatmulPass::MatmulPass;

  LogicalResult initialize(MLIRContext *context) override {
    for (auto *bound : {&minFirstDimensionDecomposition, &maxOtherDimensionDecomposition,
                        &cpuMaxFirstDimensionDecomposition, &cpuMaxOtherDimensionDecomposition})
      if (*bound < 0)
        return mlir::emitError(mlir::UnknownLoc::get(context))
               << getArgument() << ": expected " << bound->getArgStr() << " of 0 or more but got " << bound->getValue();
    return MatmulPass::initialize(context);
  }

  void addGroups(MLIRContext *context) override {
    Bounds bounds{minFirstDimensionDecomposition,    maxOtherDimensionDecomposition, cpuMaxFirstDimensionDecomposition,
                  cpuMaxOtherDimensionDecomposition, skipDynamicShapeDimCheck,       std::string(defaultDevice)};
    auto add = [&](StringRef counter, function_ref<void(mlir::RewritePatternSet &)> populate) {
      addMatmulGroup(context, {counter, counter, NumericClass::Reassociates}, [&](mlir::RewritePatternSet &set) {
        mlir::PDLPatternModule &pdl = set.getPDLPatterns();
        pdl.registerConstraintFunction("IsMemoryBound",
                                       [bounds](mlir::PatternRewriter &rewriter, Operation *op) -> LogicalResult {
                                         return isMemoryBound(rewriter, op, bounds);
                                       });
        pdl.registerConstraintFunction("AddsUnscaled", addsUnscaled);
        pdl.registerRewriteFunction("CreateSumOfProducts", createSumOfProducts);
        populate(set);
      });
    };
    add("decompose_bmm", [&](mlir::RewritePatternSet &set) { set.add<DecomposeBmm>(context); });
    add("decompose_addmm", [&](mlir::RewritePatternSet &set) { set.add<DecomposeAddmm>(context); });
    add("decompose_mm", [&](mlir::RewritePatternSet &set) { set.add<DecomposeMm>(context); });
  }
};
} // namespace
