// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-matmul-pad-mm; the patterns are in PadMm.pdll. Linear in the ops: a cost looks back
// through the views before an operand.

#include "MatmulUtils.h"
#include "fxgraph/Analysis/CostModel.h"
#include "fxgraph/Transforms/Matmul/Passes.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h" // IWYU pragma: keep (the generated patterns)
#include <cmath>

namespace fxgraph {
#define GEN_PASS_DEF_MATMULPADMMPASS
#include "fxgraph/Transforms/Matmul/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
/// What decides whether padding gains; the options of the pass.
struct Profit {
  double multiplier, unalignedRate;
  int64_t kThreshold;
  bool beforeHopper;
};

/// An mm, bmm or addmm, and how many rows and columns its operands get.
struct Product {
  explicit Product(Operation *op);
  bool isAligned() const { return padM == 0 && padK == 0 && padN == 0; }

  Operation *op;
  Value mat1, mat2, input;
  int64_t rank, m, k, n;
  int64_t padM, padK, padN;
};
} // namespace

/// Elements that a GPU reads at once, 0 for dtypes that it gains nothing for.
static int64_t getAlignment(Type element) { return element.isF16() || element.isBF16() ? 8 : element.isF32() ? 4 : 0; }

/// How much an extent lacks to a multiple of `alignment`. Extents of 1 can be squeezed away,
/// unknown ones are what they are.
static int64_t getPadding(int64_t extent, int64_t alignment) {
  if (ShapedType::isDynamic(extent) || extent <= 1 || alignment == 0)
    return 0;
  return (alignment - extent % alignment) % alignment;
}

Product::Product(Operation *op) : op(op) {
  auto addmm = dyn_cast<AddmmOp>(op);
  if (addmm)
    input = addmm.getInput();
  mat1 = op->getOperand(addmm ? 1 : 0);
  mat2 = op->getOperand(addmm ? 2 : 1);
  RankedTensorType left = getTensorType(mat1), right = getTensorType(mat2);
  rank = left.getRank();
  m = left.getDimSize(rank - 2);
  k = left.getDimSize(rank - 1);
  n = right.getDimSize(rank - 1);
  // The summed extent may be known on one side alone: then it is that.
  if (ShapedType::isDynamic(k))
    k = right.getDimSize(rank - 2);
  int64_t alignment = getAlignment(left.getElementType());
  padM = getPadding(m, alignment);
  padK = getPadding(k, alignment);
  padN = getPadding(n, alignment);
}

static LogicalResult canPad(mlir::PatternRewriter &rewriter, Operation *op, StringRef defaultDevice) {
  Product product(op);
  if (product.isAligned())
    return failure();
  if (!isOnGPU(product.mat1, defaultDevice))
    return refuse(rewriter, op, "the product is not on a GPU");
  for (Value operand : op->getOperands()) {
    ArrayRef<int64_t> shape = getTensorType(operand).getShape();
    if (llvm::all_of(shape, ShapedType::isDynamic))
      return refuse(rewriter, op, "no extent of an operand is known");
    if (operand != product.input && llvm::is_contained(shape, 0))
      return refuse(rewriter, op, "an operand is empty");
  }
  if (product.input) {
    // Whether an extent of the input broadcasts or is padded must be known.
    ArrayRef<int64_t> shape = getTensorType(product.input).getShape();
    if ((product.padN && ShapedType::isDynamic(shape.back())) ||
        (product.padM && shape.size() == 2 && ShapedType::isDynamic(shape.front())))
      return refuse(rewriter, op, "it is not known whether the input broadcasts");
  }
  return success();
}

/// True if what makes the value could make it padded at no cost: neither an argument, nor the
/// result of a kernel that writes dense matrices, nor laid out otherwise.
static bool isPaddedWhereMade(Value value) {
  // Inductor's max_pointwise_cat_inputs: a longer cat copies.
  constexpr unsigned kLongestCat = 8;
  Operation *op = value.getDefiningOp();
  // A few views are looked through.
  for (int step = 0; step < 8 && op && isRowMajorView(op); ++step)
    op = op->getOperand(0).getDefiningOp();
  if (!op || isa<ViewLikeOpInterface, SplitLikeOpInterface>(op))
    return false;
  if (auto cat = dyn_cast<CatOp>(op))
    return cat.getTensors().size() <= kLongestCat;
  return !isa<MmOp, BmmOp, AddmmOp, BaddbmmOp, MatmulOp, LinearOp, EinsumOp, MmPlusMmOp, Conv1dOp, Conv2dOp, Conv3dOp,
              ConvolutionOp, ScaledDotProductAttentionOp>(op);
}

static LogicalResult shouldPad(mlir::PatternRewriter &rewriter, Operation *op, const Profit &profit) {
  Product product(op);
  DeviceModel device;
  Type element = getTensorType(product.mat1).getElementType();
  auto extent = [&](int64_t known) {
    return static_cast<double>(ShapedType::isDynamic(known) ? device.assumedExtent : known);
  };
  double m = extent(product.m), k = extent(product.k), n = extent(product.n);
  double batch = product.rank == 3 ? extent(getTensorType(product.mat1).getDimSize(0)) : 1;
  // GPUs before Hopper are slow where the summed extent is the longest.
  bool slowOnK = profit.beforeHopper && element.isBF16() && k > m && k > n;
  if (slowOnK && profit.kThreshold > 0 && std::fmod(n, 2) == 1 && k >= profit.kThreshold)
    return success();

  double flopsPerSecond = element.isF32() ? device.flopsPerSecond32 : device.flopsPerSecond16;
  // A product reads each row of the operands from a cache as often as not: half the balance.
  double balance = flopsPerSecond / device.bytesPerSecond / 2;
  if (!slowOnK && m * n * k / (m * k + n * k + m * n) <= balance)
    return refuse(rewriter, op, "memory bounds the product, not arithmetic");

  int64_t width = element.getIntOrFloatBitWidth() / 8;
  auto seconds = [&](double m, double k, double n, double rate) {
    double bytes = batch * width * (m * k + k * n + m * n), flops = batch * 2 * m * k * n;
    return std::max(bytes / device.bytesPerSecond, flops / (rate * flopsPerSecond)) + device.secondsPerLaunch;
  };
  auto copySeconds = [&](double rows, double columns, double padRows, double padColumns) {
    double elements = rows * columns + (rows + padRows) * (columns + padColumns);
    return batch * width * elements / device.bytesPerSecond + device.secondsPerLaunch;
  };
  double plain = seconds(m, k, n, profit.unalignedRate);
  double padded = seconds(m + product.padM, k + product.padK, n + product.padN, 1);
  if ((product.padM || product.padK) && !isPaddedWhereMade(product.mat1))
    padded += copySeconds(m, k, product.padM, product.padK);
  if ((product.padK || product.padN) && !isPaddedWhereMade(product.mat2))
    padded += copySeconds(k, n, product.padK, product.padN);
  if (plain <= padded * profit.multiplier)
    return refuse(rewriter, op, "padding costs more than it gains");
  return success();
}

static Value createPaddedProduct(mlir::PatternRewriter &rewriter, Operation *op) {
  Product product(op);
  Location loc = op->getLoc();
  // PyTorch names what is added from the last dimension on.
  auto pad = [&](Value value, int64_t rows, int64_t columns) -> Value {
    if (rows == 0 && columns == 0)
      return value;
    SmallVector<int64_t> amounts{0, columns};
    if (getTensorType(value).getRank() > 1)
      amounts.append({0, rows});
    return ConstantPadNdOp::create(rewriter, loc, value, amounts, llvm::APFloat(0.0));
  };
  SmallVector<Value> operands;
  if (product.input) {
    ArrayRef<int64_t> shape = getTensorType(product.input).getShape();
    bool hasRows = shape.size() == 2 && shape.front() != 1;
    operands.push_back(pad(product.input, hasRows ? product.padM : 0, shape.back() != 1 ? product.padN : 0));
  }
  operands.push_back(pad(product.mat1, product.padM, product.padK));
  operands.push_back(pad(product.mat2, product.padK, product.padN));

  RankedTensorType type = getTensorType(op->getResult(0));
  auto slice = [&](Value value, int64_t dim, int64_t extent) -> Value {
    return SliceOp::create(rewriter, loc, value, dim, /*start=*/0, /*end=*/extent);
  };
  Value result;
  if (auto addmm = dyn_cast<AddmmOp>(op))
    result = AddmmOp::create(rewriter, loc, operands[0], operands[1], operands[2], addmm.getBetaAttr(),
                             addmm.getAlphaAttr());
  else if (isa<BmmOp>(op))
    result = BmmOp::create(rewriter, loc, operands[0], operands[1]);
  else
    result = MmOp::create(rewriter, loc, operands[0], operands[1]);
  if (product.padM)
    result = slice(result, product.rank - 2, product.m);
  if (product.padN)
    result = slice(result, product.rank - 1, product.n);
  // The same extents, known as well as they were.
  result.setType(type);
  return result;
}

namespace {
#include "MatmulPadMm.h.inc"

struct MatmulPadMmPass : public MatmulPass<fxgraph::impl::MatmulPadMmPassBase<MatmulPadMmPass>> {
  using MatmulPass::MatmulPass;

  LogicalResult initialize(MLIRContext *context) override {
    if (!(shapePaddingMultiplier > 0))
      return mlir::emitError(mlir::UnknownLoc::get(context))
             << getArgument() << ": expected shape-padding-multiplier above 0 but got "
             << shapePaddingMultiplier.getValue();
    if (kThresholdToPad < 0)
      return mlir::emitError(mlir::UnknownLoc::get(context))
             << getArgument() << ": expected k-threshold-to-pad of 0 or more but got " << kThresholdToPad.getValue();
    if (!(unalignedRate > 0 && unalignedRate <= 1))
      return mlir::emitError(mlir::UnknownLoc::get(context))
             << getArgument() << ": expected unaligned-rate in (0, 1] but got " << unalignedRate.getValue();
    return MatmulPass::initialize(context);
  }

  void addGroups(MLIRContext *context) override {
    Profit profit{shapePaddingMultiplier, unalignedRate, kThresholdToPad, beforeHopper};
    addMatmulGroup(context, {"pad-mm", "", NumericClass::Reassociates}, [&](mlir::RewritePatternSet &set) {
      mlir::PDLPatternModule &pdl = set.getPDLPatterns();
      pdl.registerConstraintFunction(
          "CanPad",
          [device = std::string(defaultDevice)](mlir::PatternRewriter &rewriter, Operation *op) -> LogicalResult {
            return canPad(rewriter, op, device);
          });
      pdl.registerConstraintFunction(
          "ShouldPad",
          [profit, force = bool(forceShapePad)](mlir::PatternRewriter &rewriter, Operation *op) -> LogicalResult {
            return force ? success() : shouldPad(rewriter, op, profit);
          });
      pdl.registerRewriteFunction("CreatePaddedProduct", createPaddedProduct);
      populateGeneratedPDLLPatterns(set);
    });
  }
};
} // namespace
