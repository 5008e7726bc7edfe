// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants, creation, writes, effects.

#include "fxgraph/Dialect/IR/FxGraphOps.h"

#include "InferUtils.h"

using namespace fxgraph;

void FxGraphDialect::registerStructuralOps() {
  addOperations<
#define GET_OP_LIST
#include "fxgraph/Dialect/IR/OpsStructural.cpp.inc"
      >();
}

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

void ConstantOp::getAsmResultNames(function_ref<void(Value, StringRef)> setName) { setName(getResult(), "cst"); }

/// A created tensor's dynamic extents come from operands.
static LogicalResult verifySizes(Operation *op, size_t sizes, RankedTensorType type) {
  // created_c1
  if (static_cast<int64_t>(sizes) == static_cast<int64_t>(type.getNumDynamicDims()))
    return success();
  return op->emitOpError() << "expected " << type.getNumDynamicDims() << " size operand(s) but got " << sizes;
}

void FullOp::build(OpBuilder &builder, mlir::OperationState &state, RankedTensorType type, double value) {
  build(builder, state, type, ValueRange(), builder.getF64FloatAttr(value));
}

LogicalResult FullOp::verify() { return verifySizes(*this, getSizes().size(), getResult().getType()); }

LogicalResult RandOp::verify() { return verifySizes(*this, getSizes().size(), getResult().getType()); }
LogicalResult RandnOp::verify() { return verifySizes(*this, getSizes().size(), getResult().getType()); }

LogicalResult ExponentialOp::verify() {
  // exponential_c1
  double rate = getRate().convertToDouble();
  if (!(rate > 0.0))
    return emitOpError() << "expected rate > 0 but got " << rate;
  return verifySizes(*this, getSizes().size(), getResult().getType());
}

LogicalResult BernoulliOp::verify() {
  // bernoulli_c1
  double p = getP().convertToDouble();
  if (!(p >= 0.0 && p <= 1.0))
    return emitOpError() << "expected p in [0, 1] but got " << p;
  return verifySizes(*this, getSizes().size(), getResult().getType());
}

LogicalResult RandintOp::verify() {
  // randint_c1
  auto low = static_cast<int64_t>(getLow()), high = static_cast<int64_t>(getHigh());
  if (low >= high)
    return emitOpError() << "expected low < high but got " << low << " and " << high;
  return verifySizes(*this, getSizes().size(), getResult().getType());
}

LogicalResult RandpermOp::verify() {
  // randperm_c1
  auto type = getResult().getType();
  if (type.getRank() != 1)
    return emitOpError() << "expected a result of rank 1 but got " << type;
  return verifySizes(*this, getSizes().size(), type);
}

/// One i64 number, or with `isVector` a known number of them.
static LogicalResult verifySeeds(Operation *op, Value seeds, bool isVector, StringRef what) {
  auto type = cast<RankedTensorType>(seeds.getType());
  if (type.getElementType().isInteger(64) && type.getRank() == (isVector ? 1 : 0) && type.hasStaticShape())
    return success();
  return op->emitOpError() << "expected " << what << " to be an i64 "
                           << (isVector ? "vector of known extent" : "scalar") << " but got " << type;
}

// inductor_seed_c1
LogicalResult InductorSeedOp::verify() { return verifySeeds(*this, getResult(), /*isVector=*/false, "the result"); }
// inductor_seeds_c1
LogicalResult InductorSeedsOp::verify() { return verifySeeds(*this, getResult(), /*isVector=*/true, "the result"); }

LogicalResult InductorLookupSeedOp::verify() {
  // inductor_lookup_seed_c1
  if (failed(verifySeeds(*this, getSeeds(), /*isVector=*/true, "seeds")) ||
      failed(verifySeeds(*this, getResult(), /*isVector=*/false, "the result")))
    return failure();
  auto count = cast<RankedTensorType>(getSeeds().getType()).getDimSize(0);
  auto index = static_cast<int64_t>(getIndex());
  if (index < 0 || index >= count)
    return emitOpError() << "expected index in [0, " << count - 1 << "] but got " << index;
  return success();
}

LogicalResult InductorRandomOp::verify() {
  // inductor_random_c2
  if (getMode() != "rand" && getMode() != "randn")
    return emitOpError() << "expected mode to be rand or randn but got " << getMode();
  // inductor_random_c1
  if (failed(verifySeeds(*this, getSeed(), /*isVector=*/false, "seed")))
    return failure();
  return verifySizes(*this, getSizes().size(), getResult().getType());
}

LogicalResult InductorRandintOp::verify() {
  auto low = static_cast<int64_t>(getLow()), high = static_cast<int64_t>(getHigh());
  // inductor_randint_c1
  if (low >= high)
    return emitOpError() << "expected low < high but got " << low << " and " << high;
  // inductor_random_c1
  if (failed(verifySeeds(*this, getSeed(), /*isVector=*/false, "seed")))
    return failure();
  return verifySizes(*this, getSizes().size(), getResult().getType());
}

LogicalResult DevicePutOp::verify() {
  RankedTensorType from = getInput().getType(), to = getResult().getType();
  // device_put_c1
  if (from.getElementType() != to.getElementType() || from.getShape() != to.getShape())
    return emitOpError() << "expected a result of the shape and dtype of " << from << " but got " << to;
  return success();
}

LogicalResult ArangeOp::verify() {
  auto type = getResult().getType();
  // arange_c1
  if (type.getRank() != 1)
    return emitOpError() << "expected a result of rank 1 but got " << type;
  // arange_c2
  if (getStep().isZero())
    return emitOpError() << "expected step != 0 but got 0";
  return verifySizes(*this, getSize() ? 1 : 0, type);
}

LogicalResult CopyUnderscoreOp::verify() {
  // copy_c1
  if (!areCompatibleTypes(getDst().getType(), getSrc().getType()))
    return emitOpError() << "expected src of type " << getDst().getType() << " but got " << getSrc().getType();
  // copy_c2
  auto argument = dyn_cast<mlir::BlockArgument>(getDst());
  if (!argument || !isa<mlir::func::FuncOp>(argument.getOwner()->getParentOp()))
    return emitOpError() << "expected dst to be an argument of the function";
  return success();
}

LogicalResult OpaqueOp::verify() {
  size_t numOperands = getOperands_().size();
  if (failed(verifyArgumentTree(*this, getArgs(), numOperands)))
    return failure();
  // opaque_c2
  if (auto writes = getArgs().getAs<mlir::DenseI64ArrayAttr>("writes"))
    for (int64_t operand : writes.asArrayRef())
      if (operand < 0 || static_cast<size_t>(operand) >= numOperands)
        return emitOpError() << "expected numbers of " << numOperands << " operands in writes but got " << operand;
  std::optional<StringRef> effects = getEffects();
  // opaque_c3
  if (effects && *effects != "none" && *effects != "operands")
    return emitOpError() << "expected effects \"none\" or \"operands\" but got \"" << *effects << "\"";
  // opaque_c4
  if (effects == "none" && getArgs().contains("writes"))
    return emitOpError("expected no writes of an op with effects \"none\"");
  return success();
}

bool OpaqueOp::mayWrite(OpOperand &operand) {
  if (!getEffects())
    return true;
  auto writes = getArgs().getAs<mlir::DenseI64ArrayAttr>("writes");
  return writes && llvm::is_contained(writes.asArrayRef(), operand.getOperandNumber());
}

void OpaqueOp::getEffects(SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects) {
  if (getEffects() && !getArgs().contains("writes"))
    return;
  effects.emplace_back(mlir::MemoryEffects::Read::get());
  effects.emplace_back(mlir::MemoryEffects::Write::get());
}

LogicalResult SymSizeOp::verify() {
  int64_t rank = getInput().getType().getRank();
  auto dim = static_cast<int64_t>(getDim());
  // sym_size_c1
  if (dim < -rank || dim >= rank)
    return emitOpError() << "expected dim in [" << -rank << ", " << rank - 1 << "] but got " << dim;
  return success();
}

LogicalResult AssertScalarOp::canonicalize(AssertScalarOp op, mlir::PatternRewriter &rewriter) {
  if (!mlir::matchPattern(op.getCondition(), mlir::m_One()))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

mlir::OpFoldResult SymSizeOp::fold(FoldAdaptor) {
  auto type = getInput().getType();
  int64_t extent = type.getDimSize(wrapDim(getDim(), type.getRank()));
  if (ShapedType::isDynamic(extent))
    return {};
  return IntegerAttr::get(mlir::IndexType::get(getContext()), extent);
}

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsStructural.cpp.inc"
