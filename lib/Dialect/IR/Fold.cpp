// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders: an op whose value is a constant or an operand. Exact, bit for bit, and only
// where no caller can tell by writing to a result (`isStorageHidden`): the removal of
// identities in general, which has to look further, is fxgraph-noop-remove's.
//
// Not here, because they are no identities: x + 0.0 (-0 becomes +0), x * 0 (NaN),
// x - x, i32 * 1.0 (another dtype), reshape to an extent that is not known.

#include "Folding.h"
#include "fxgraph/Dialect/IR/Numbers.h"
#include "llvm/ADT/APSInt.h"

using namespace fxgraph;
using mlir::OpFoldResult;

/// Whether a result of `op` may be in the storage of an operand.
static bool mayBeView(Operation *op) {
  // A cast to the own dtype may be its operand.
  if (isa<ConvertElementTypeOp>(op))
    return op->getOperand(0).getType() == op->getResult(0).getType();
  if (auto opaque = dyn_cast<OpaqueOp>(op))
    return opaque.mayReturnOperands();
  return isa<ViewLikeOpInterface, SplitLikeOpInterface, DetachOp, ContiguousOp, DropoutOp>(op);
}

bool fxgraph::isStorageHidden(Operation *op) {
  // Enough for what models do; it keeps long chains of views from costing their square.
  unsigned budget = 64;
  SmallVector<Operation *> worklist{op};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val()->getUsers()) {
      if (budget-- == 0 || !isa_and_present<FxGraphDialect>(user->getDialect()) || !mlir::isMemoryEffectFree(user))
        return false;
      if (mayBeView(user))
        worklist.push_back(user);
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Views to their own shape
//===----------------------------------------------------------------------===//

/// Pattern: view(x) -> x, if the type stays. Types must be static: an extent that is
/// `?` before and after may still differ.
static OpFoldResult foldView(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Value input = op->getOperand(0);
  return input.getType() == type && type.hasStaticShape() && isStorageHidden(op) ? OpFoldResult(input) : OpFoldResult();
}
OpFoldResult ReshapeOp::fold(FoldAdaptor) { return foldView(*this); }
OpFoldResult ViewOp::fold(FoldAdaptor) { return foldView(*this); }
OpFoldResult ExpandOp::fold(FoldAdaptor) { return foldView(*this); }

OpFoldResult PermuteOp::fold(FoldAdaptor) {
  int64_t rank = getInput().getType().getRank();
  for (auto [i, dim] : llvm::enumerate(getDims()))
    if (wrapDim(dim, rank) != static_cast<int64_t>(i))
      return {};
  return getInput().getType() == getResult().getType() && isStorageHidden(*this) ? OpFoldResult(getInput())
                                                                                 : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// Signless integers are signed, bool and ui8 are not.
static bool isSignedInteger(Type type) { return !type.isUnsignedInteger() && !type.isInteger(1); }

/// One element in another dtype, or nullopt where PyTorch does not say what the
/// result is (a float that the integer cannot hold).
static std::optional<APInt> castToInteger(const APFloat &value, Type to) {
  if (to.isInteger(1))
    return APInt(1, !value.isZero());
  llvm::APSInt result(to.getIntOrFloatBitWidth(), /*isUnsigned=*/!isSignedInteger(to));
  bool exact;
  if (value.convertToInteger(result, APFloat::rmTowardZero, &exact) & APFloat::opInvalidOp)
    return std::nullopt;
  return result;
}
static APInt castToInteger(const APInt &value, Type from, Type to) {
  if (to.isInteger(1))
    return APInt(1, !value.isZero());
  unsigned width = to.getIntOrFloatBitWidth();
  return isSignedInteger(from) ? value.sextOrTrunc(width) : value.zextOrTrunc(width);
}
static APFloat castToFloat(APFloat value, FloatType to) { return roundToDtype(value, to); }
static APFloat castToFloat(const APInt &value, Type from, FloatType to) {
  APFloat result(to.getFloatSemantics());
  result.convertFromAPInt(value, isSignedInteger(from), APFloat::rmNearestTiesToEven);
  bool isNegative = isSignedInteger(from) && value.isNegative();
  return result.isNaN() ? APFloat::getLargest(to.getFloatSemantics(), isNegative) : result; // float8_e4m3fn
}

/// Applies `function` to each element, or to the one of a splat.
template <typename From, typename To, typename F>
static Attribute mapElements(DenseElementsAttr source, RankedTensorType type, F function) {
  SmallVector<To> values;
  auto add = [&](const From &element) {
    std::optional<To> value = function(element);
    if (value)
      values.push_back(std::move(*value));
    return value.has_value();
  };
  if (source.isSplat()) {
    if (!add(source.getSplatValue<From>()))
      return {};
  } else if (!llvm::all_of(source.getValues<From>(), add)) {
    return {};
  }
  return DenseElementsAttr::get(type, values);
}

/// Pattern: convert(constant) -> constant.
static Attribute castConstant(DenseElementsAttr source, RankedTensorType type) {
  Type from = source.getElementType(), to = type.getElementType();
  if (!isFoldable(from) || !isFoldable(to) || !type.hasStaticShape() || source.empty() ||
      (!source.isSplat() && source.getNumElements() > kMaxFoldedElements))
    return {};
  auto toFloat = dyn_cast<FloatType>(to);
  if (isa<FloatType>(from)) {
    if (toFloat)
      return mapElements<APFloat, APFloat>(source, type,
                                           [&](const APFloat &x) { return std::optional(castToFloat(x, toFloat)); });
    return mapElements<APFloat, APInt>(source, type, [&](const APFloat &x) { return castToInteger(x, to); });
  }
  if (toFloat)
    return mapElements<APInt, APFloat>(source, type,
                                       [&](const APInt &x) { return std::optional(castToFloat(x, from, toFloat)); });
  return mapElements<APInt, APInt>(source, type,
                                   [&](const APInt &x) { return std::optional(castToInteger(x, from, to)); });
}

OpFoldResult ConvertElementTypeOp::fold(FoldAdaptor adaptor) {
  if (!isStorageHidden(*this))
    return {};
  // Pattern: convert(x) -> x, if x has that type already.
  if (getInput().getType() == getResult().getType())
    return getInput();
  if (auto constant = dyn_cast_if_present<DenseElementsAttr>(adaptor.getInput()))
    return castConstant(constant, getResult().getType());
  return {};
}
