// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoweringUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace fxgraph;
using namespace fxgraph::lowering;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Dtypes
//===----------------------------------------------------------------------===//

bool lowering::isSupportedDtype(Type dtype) {
  if (dtype.isF32() || dtype.isF64() || dtype.isF16() || dtype.isBF16() || isFloat8(dtype))
    return true;
  auto integer = dyn_cast<IntegerType>(dtype);
  return integer && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
}

Type lowering::getStorageType(Type dtype) {
  if (isFloat8(dtype))
    return IntegerType::get(dtype.getContext(), 8);
  auto integer = dyn_cast<IntegerType>(dtype);
  if (!integer)
    return dtype;
  return IntegerType::get(dtype.getContext(), std::max(8u, integer.getWidth()));
}

Type lowering::getComputeType(Type dtype) {
  if (auto integer = dyn_cast<IntegerType>(dtype))
    return IntegerType::get(dtype.getContext(), integer.getWidth());
  if (isa<FloatType>(dtype) && dtype.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(dtype.getContext());
  return dtype;
}

/// Builders of integer arithmetic for the forms of floats, on scalars or vectors as `like` is one.
namespace {
struct Bits {
  OpBuilder &b;
  Location loc;
  Type like;

  Type of(Type scalar) const { return withShapeOf(like, scalar); }
  Value constant(TypedAttr scalar) {
    if (auto vector = dyn_cast<VectorType>(of(scalar.getType())))
      return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(vector, Attribute(scalar)));
    return arith::ConstantOp::create(b, loc, scalar);
  }
  Value number(uint32_t value, Type type) {
    return constant(IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(), value)));
  }
  Value operator()(uint32_t value) { return number(value, b.getI32Type()); }
  Value select(arith::CmpIPredicate predicate, Value x, Value y, Value then, Value otherwise) {
    return arith::SelectOp::create(b, loc, arith::CmpIOp::create(b, loc, predicate, x, y), then, otherwise);
  }
};
} // namespace

/// An 8-bit float as f32. Both are f16 with bits cut off: E5M2 of the fraction alone,
/// E4M3FN of the exponent, too, so that its values are 2^8 times as large, and the
/// largest one is a NaN.
static Value decodeFloat8(OpBuilder &b, Location loc, Value stored, Type dtype) {
  Bits bits{b, loc, stored.getType()};
  Type i16 = b.getIntegerType(16), f32 = b.getF32Type(), half16 = bits.of(b.getF16Type());
  auto number = [&](uint32_t value) { return bits.number(value, i16); };
  Value wide = arith::ShLIOp::create(b, loc, arith::ExtUIOp::create(b, loc, bits.of(i16), stored), number(8));
  if (isa<Float8E5M2Type>(dtype)) {
    Value half = arith::BitcastOp::create(b, loc, half16, wide);
    return arith::ExtFOp::create(b, loc, bits.of(f32), half);
  }
  Value sign = arith::AndIOp::create(b, loc, wide, number(0x8000));
  Value magnitude = arith::AndIOp::create(b, loc, wide, number(0x7F00));
  Value shifted = arith::OrIOp::create(b, loc, sign, arith::ShRUIOp::create(b, loc, magnitude, number(1)));
  Value half = arith::BitcastOp::create(b, loc, half16, shifted);
  Value scale = bits.constant(b.getF32FloatAttr(256));
  Value value = arith::MulFOp::create(b, loc, arith::ExtFOp::create(b, loc, bits.of(f32), half), scale);
  Value nan = bits.constant(FloatAttr::get(f32, APFloat::getQNaN(APFloat::IEEEsingle())));
  return bits.select(arith::CmpIPredicate::eq, magnitude, number(0x7F00), nan, value);
}

/// f32 as an 8-bit float, to nearest even as PyTorch rounds: what is too large is
/// infinite (E5M2) or the largest number (E4M3FN, which has no infinity).
static Value encodeFloat8(OpBuilder &b, Location loc, Value value, Type dtype) {
  Bits bits{b, loc, value.getType()};
  bool isE5M2 = isa<Float8E5M2Type>(dtype);
  uint32_t fraction = isE5M2 ? 2 : 3, bias = isE5M2 ? 15 : 7, drop = 23 - fraction;
  // The first magnitude that does not fit: 65536, and 464, half-way from 448 to 480.
  uint32_t tooLarge = isE5M2 ? 0x47800000 : 0x43E80000;
  Type i32 = bits.of(b.getI32Type()), f32 = bits.of(b.getF32Type());
  using arith::CmpIPredicate;
  Value word = arith::BitcastOp::create(b, loc, i32, value);
  Value magnitude = arith::AndIOp::create(b, loc, word, bits(0x7FFFFFFF));
  // Normal numbers: another bias, half of the last bit added.
  Value odd = arith::AndIOp::create(b, loc, arith::ShRUIOp::create(b, loc, magnitude, bits(drop)), bits(1));
  Value moved = arith::AddIOp::create(b, loc, magnitude, bits(((bias - 127) << 23) + (1u << (drop - 1)) - 1));
  Value normal = arith::ShRUIOp::create(b, loc, arith::AddIOp::create(b, loc, moved, odd), bits(drop));
  // Others: the sum with a number whose last bit is theirs rounds them.
  uint32_t anchor = (127 - bias + drop + 1) << 23;
  Value sum = arith::AddFOp::create(b, loc, arith::BitcastOp::create(b, loc, f32, magnitude),
                                    arith::BitcastOp::create(b, loc, f32, bits(anchor)));
  Value small = arith::SubIOp::create(b, loc, arith::BitcastOp::create(b, loc, i32, sum), bits(anchor));
  Value result = bits.select(CmpIPredicate::ult, magnitude, bits((128 - bias) << 23), small, normal);
  Value beyond = bits.select(CmpIPredicate::ugt, magnitude, bits(255u << 23), bits(0x7F), bits(isE5M2 ? 0x7C : 0x7E));
  result = bits.select(CmpIPredicate::uge, magnitude, bits(tooLarge), beyond, result);
  Value sign = arith::AndIOp::create(b, loc, arith::ShRUIOp::create(b, loc, word, bits(24)), bits(0x80));
  return arith::TruncIOp::create(b, loc, bits.of(b.getIntegerType(8)), arith::OrIOp::create(b, loc, result, sign));
}

Value lowering::loadElement(OpBuilder &b, Location loc, Value stored, Type dtype) {
  if (isBool(dtype)) {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(stored.getType()));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, stored, zero);
  }
  if (isFloat8(dtype))
    return decodeFloat8(b, loc, stored, dtype);
  Type compute = getComputeType(dtype);
  if (isFloat(dtype) && compute != dtype)
    return arith::ExtFOp::create(b, loc, withShapeOf(stored.getType(), compute), stored);
  return stored;
}

Value lowering::storeElement(OpBuilder &b, Location loc, Value computed, Type dtype) {
  if (isBool(dtype))
    return arith::ExtUIOp::create(b, loc, withShapeOf(computed.getType(), getStorageType(dtype)), computed);
  Type type = computed.getType();
  if (!isFloat(dtype) || getElementTypeOrSelf(type) == dtype)
    return computed;
  // By way of f32, as PyTorch rounds doubles to 16 bits and less.
  if (getElementTypeOrSelf(type).isF64() && dtype.getIntOrFloatBitWidth() <= 16)
    computed = arith::TruncFOp::create(b, loc, withShapeOf(type, b.getF32Type()), computed);
  if (isFloat8(dtype))
    return encodeFloat8(b, loc, computed, dtype);
  return arith::TruncFOp::create(b, loc, withShapeOf(type, dtype), computed);
}

/// Float to integer. What the integer cannot hold would be poison: first anything
/// beyond i64 becomes its minimum, then the low bits are taken.
static Value floatToInteger(OpBuilder &b, Location loc, Value value, Type compute) {
  Type type = value.getType();
  Type i64 = b.getI64Type();
  Value low = createScalar(b, loc, type, -9223372036854775808.0);
  Value high = createScalar(b, loc, type, 9223372036854775808.0);
  Value aboveLow = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, value, low);
  Value belowHigh = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, value, high);
  Value fits = arith::AndIOp::create(b, loc, aboveLow, belowHigh);
  Value safe = arith::SelectOp::create(b, loc, fits, value, low);
  Value wide = arith::FPToSIOp::create(b, loc, i64, safe);
  if (compute == i64)
    return wide;
  return arith::TruncIOp::create(b, loc, compute, wide);
}

Value lowering::convertScalar(OpBuilder &b, Location loc, Value value, Type from, Type to) {
  Type source = getComputeType(from), target = getComputeType(to);
  if (isBool(to)) {
    if (isBool(from))
      return value;
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(source));
    if (isFloat(from)) // NaN is true.
      return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, value, zero);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
  }
  if (isFloat(from) && isFloat(to)) {
    if (source == target)
      return value;
    if (target.getIntOrFloatBitWidth() > source.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(b, loc, target, value);
    return arith::TruncFOp::create(b, loc, target, value);
  }
  if (isFloat(from))
    return floatToInteger(b, loc, value, target);
  if (isFloat(to)) {
    if (isUnsigned(from))
      return arith::UIToFPOp::create(b, loc, target, value);
    return arith::SIToFPOp::create(b, loc, target, value);
  }
  unsigned fromWidth = source.getIntOrFloatBitWidth(), toWidth = target.getIntOrFloatBitWidth();
  if (fromWidth == toWidth)
    return value;
  if (fromWidth > toWidth)
    return arith::TruncIOp::create(b, loc, target, value);
  if (isUnsigned(from))
    return arith::ExtUIOp::create(b, loc, target, value);
  return arith::ExtSIOp::create(b, loc, target, value);
}

Type lowering::dtypeOf(Value value) { return tensorType(value).getElementType(); }
RankedTensorType lowering::tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

OpFoldResult lowering::getSize(OpBuilder &b, Location loc, Value tensor, int64_t dim) {
  RankedTensorType type = tensorType(tensor);
  if (!type.isDynamicDim(dim))
    return b.getIndexAttr(type.getDimSize(dim));
  return tensor::DimOp::create(b, loc, tensor, dim).getResult();
}

Sizes lowering::getSizes(OpBuilder &b, Location loc, Value tensor) {
  Sizes sizes;
  for (int64_t i = 0, rank = tensorType(tensor).getRank(); i < rank; ++i)
    sizes.push_back(getSize(b, loc, tensor, i));
  return sizes;
}

Value lowering::toIndexValue(OpBuilder &b, Location loc, OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(b, loc, value);
}

template <typename OpTy>
static OpFoldResult combine(OpBuilder &b, Location loc, OpFoldResult lhs, OpFoldResult rhs,
                            llvm::function_ref<int64_t(int64_t, int64_t)> fold) {
  std::optional<int64_t> l = constantSize(lhs), r = constantSize(rhs);
  if (l && r)
    return b.getIndexAttr(fold(*l, *r));
  return OpTy::create(b, loc, toIndexValue(b, loc, lhs), toIndexValue(b, loc, rhs)).getResult();
}
OpFoldResult lowering::addSizes(OpBuilder &b, Location loc, OpFoldResult lhs, OpFoldResult rhs) {
  if (constantSize(rhs) == 0)
    return lhs;
  return combine<arith::AddIOp>(b, loc, lhs, rhs, [](int64_t l, int64_t r) { return l + r; });
}
OpFoldResult lowering::subSizes(OpBuilder &b, Location loc, OpFoldResult lhs, OpFoldResult rhs) {
  if (constantSize(rhs) == 0)
    return lhs;
  return combine<arith::SubIOp>(b, loc, lhs, rhs, [](int64_t l, int64_t r) { return l - r; });
}
OpFoldResult lowering::mulSizes(OpBuilder &b, Location loc, OpFoldResult lhs, OpFoldResult rhs) {
  if (constantSize(lhs) == 1)
    return rhs;
  if (constantSize(rhs) == 1)
    return lhs;
  return combine<arith::MulIOp>(b, loc, lhs, rhs, [](int64_t l, int64_t r) { return l * r; });
}
OpFoldResult lowering::divSizes(OpBuilder &b, Location loc, OpFoldResult lhs, OpFoldResult rhs) {
  if (constantSize(rhs) == 1)
    return lhs;
  // Zero extents: only the quotient of zero by zero occurs, and any value is right.
  if (constantSize(rhs) == 0)
    return b.getIndexAttr(0);
  if (!constantSize(rhs)) {
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    rhs = arith::MaxUIOp::create(b, loc, toIndexValue(b, loc, rhs), one).getResult();
  }
  return combine<arith::DivUIOp>(b, loc, lhs, rhs, [](int64_t l, int64_t r) { return l / r; });
}
OpFoldResult lowering::minSizes(OpBuilder &b, Location loc, OpFoldResult lhs, OpFoldResult rhs) {
  return combine<arith::MinSIOp>(b, loc, lhs, rhs, [](int64_t l, int64_t r) { return std::min(l, r); });
}
OpFoldResult lowering::maxSizes(OpBuilder &b, Location loc, OpFoldResult lhs, OpFoldResult rhs) {
  return combine<arith::MaxSIOp>(b, loc, lhs, rhs, [](int64_t l, int64_t r) { return std::max(l, r); });
}

void lowering::assertTrue(OpBuilder &b, Location loc, Value condition, const Twine &message) {
  // A pattern builds in front of the op that it lowers: the message names that op, as
  // the interpreter's do.
  auto next = b.getInsertionPoint();
  bool isLowered = next != b.getInsertionBlock()->end() && isa_and_present<FxGraphDialect>(next->getDialect());
  std::string prefix = isLowered ? ("'" + next->getName().getStringRef() + "' op ").str() : "";
  cf::AssertOp::create(b, loc, condition, b.getStringAttr(prefix + message));
}

void lowering::assertEqualSizes(OpBuilder &b, Location loc, OpFoldResult lhs, OpFoldResult rhs, const Twine &message) {
  if (lhs == rhs)
    return;
  Value l = toIndexValue(b, loc, lhs), r = toIndexValue(b, loc, rhs);
  if (l == r)
    return;
  // The same dimension of the same tensor, asked for twice.
  auto lDim = l.getDefiningOp<tensor::DimOp>(), rDim = r.getDefiningOp<tensor::DimOp>();
  if (lDim && rDim && lDim.getSource() == rDim.getSource() && lDim.getConstantIndex() == rDim.getConstantIndex() &&
      lDim.getConstantIndex())
    return;
  Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, l, r);
  assertTrue(b, loc, equal, message);
}

Value lowering::castTo(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  // A cast that is wrong about an extent would read foreign memory.
  auto from = cast<RankedTensorType>(value.getType()), to = cast<RankedTensorType>(type);
  for (int64_t dim = 0; dim < to.getRank(); ++dim)
    if (from.isDynamicDim(dim) && !to.isDynamicDim(dim))
      assertEqualSizes(b, loc, getSize(b, loc, value, dim), b.getIndexAttr(to.getDimSize(dim)),
                       "expected extent " + Twine(to.getDimSize(dim)) + " in dim " + Twine(dim));
  return tensor::CastOp::create(b, loc, type, value);
}

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

Value lowering::createEmpty(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes, Type storage) {
  return tensor::EmptyOp::create(b, loc, sizes, storage);
}

Value lowering::createFilled(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes, Value scalar) {
  Value empty = createEmpty(b, loc, sizes, scalar.getType());
  return linalg::FillOp::create(b, loc, scalar, empty).getResult(0);
}

/// A number of this type. Integers out of range of int64_t: the nearest one.
static TypedAttr getScalarAttr(Type compute, double value) {
  if (auto type = dyn_cast<FloatType>(compute))
    return FloatAttr::get(type, value);
  if (isBool(compute))
    return BoolAttr::get(compute.getContext(), value != 0);
  int64_t number = std::isnan(value)                ? INT64_MIN
                   : value >= 9223372036854775808.0 ? INT64_MAX
                   : value < -9223372036854775808.0 ? INT64_MIN
                                                    : static_cast<int64_t>(value);
  unsigned width = compute.getIntOrFloatBitWidth();
  return IntegerAttr::get(compute, APInt(64, static_cast<uint64_t>(number), true).sextOrTrunc(width));
}

Value lowering::createScalar(OpBuilder &b, Location loc, Type compute, double value) {
  TypedAttr attr = getScalarAttr(getElementTypeOrSelf(compute), value);
  if (auto vector = dyn_cast<VectorType>(compute))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b, loc, attr);
}

Value lowering::createStoredScalar(OpBuilder &b, Location loc, Type dtype, double value) {
  if (isBool(dtype))
    return createScalar(b, loc, getStorageType(dtype), value != 0);
  Type storage = getStorageType(dtype);
  if (isFloat8(dtype)) {
    Value number = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(static_cast<float>(value)));
    return encodeFloat8(b, loc, number, dtype);
  }
  if (auto type = dyn_cast<FloatType>(storage)) {
    // As PyTorch: through f32 for the 16-bit types.
    if (type.getWidth() < 32)
      value = static_cast<float>(value);
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  return createScalar(b, loc, storage, value);
}

Value lowering::createLowest(OpBuilder &b, Location loc, Type dtype) {
  Type compute = getComputeType(dtype);
  if (auto type = dyn_cast<FloatType>(compute))
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, -std::numeric_limits<double>::infinity()));
  unsigned width = compute.getIntOrFloatBitWidth();
  APInt value = isUnsigned(dtype) ? APInt::getZero(width) : APInt::getSignedMinValue(width);
  return arith::ConstantOp::create(b, loc, IntegerAttr::get(compute, value));
}

Value lowering::createHighest(OpBuilder &b, Location loc, Type dtype) {
  Type compute = getComputeType(dtype);
  if (auto type = dyn_cast<FloatType>(compute))
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, std::numeric_limits<double>::infinity()));
  unsigned width = compute.getIntOrFloatBitWidth();
  APInt value = isUnsigned(dtype) ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  return arith::ConstantOp::create(b, loc, IntegerAttr::get(compute, value));
}

Value lowering::buildParallel(OpBuilder &b, Location loc, ValueRange operands, ArrayRef<AffineMap> maps,
                              ArrayRef<OpFoldResult> sizes, Type storage,
                              llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  Value init = createEmpty(b, loc, sizes, storage);
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(b.getMultiDimIdentityMap(sizes.size()));
  SmallVector<utils::IteratorType> iterators(sizes.size(), utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(b, loc, init.getType(), operands, init, allMaps, iterators,
                                           [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
                                             Value result = body(nested, nestedLoc, args.drop_back());
                                             linalg::YieldOp::create(nested, nestedLoc, result);
                                           });
  return generic.getResult(0);
}

Value lowering::buildElementwise(OpBuilder &b, Location loc, ValueRange operands, Type storage,
                                 llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  Sizes sizes = getSizes(b, loc, operands.front());
  SmallVector<AffineMap> maps(operands.size(), b.getMultiDimIdentityMap(sizes.size()));
  return buildParallel(b, loc, operands, maps, sizes, storage, body);
}

SmallVector<Value> lowering::buildReduction(OpBuilder &b, Location loc, ValueRange operands, ArrayRef<int64_t> dims,
                                            ValueRange inits, BodyBuilder body) {
  int64_t rank = tensorType(operands.front()).getRank();
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  for (int64_t dim : dims)
    iterators[dim] = utils::IteratorType::reduction;
  Sizes all = getSizes(b, loc, operands.front()), kept;
  SmallVector<AffineExpr> keptExprs;
  for (int64_t i = 0; i < rank; ++i) {
    if (iterators[i] == utils::IteratorType::reduction)
      continue;
    kept.push_back(all[i]);
    keptExprs.push_back(b.getAffineDimExpr(i));
  }
  SmallVector<AffineMap> maps(operands.size(), b.getMultiDimIdentityMap(rank));
  SmallVector<Value> outs;
  SmallVector<Type> types;
  for (Value init : inits) {
    outs.push_back(createFilled(b, loc, kept, init));
    types.push_back(outs.back().getType());
    maps.push_back(AffineMap::get(rank, 0, keptExprs, b.getContext()));
  }
  auto generic = linalg::GenericOp::create(b, loc, types, operands, outs, maps, iterators,
                                           [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
                                             linalg::YieldOp::create(nested, nestedLoc, body(nested, nestedLoc, args));
                                           });
  return llvm::to_vector(llvm::map_range(generic.getResults(), [](OpResult r) { return Value(r); }));
}

Sizes lowering::broadcastSizes(OpBuilder &b, Location loc, ValueRange operands) {
  int64_t rank = 0;
  for (Value operand : operands)
    rank = std::max(rank, tensorType(operand).getRank());
  Sizes sizes(rank, b.getIndexAttr(1));
  for (int64_t i = 0; i < rank; ++i) {
    // A known extent other than 1 decides; else the first dynamic one.
    for (Value operand : operands) {
      RankedTensorType type = tensorType(operand);
      int64_t dim = i - (rank - type.getRank());
      if (dim < 0 || type.getDimSize(dim) == 1)
        continue;
      if (type.isDynamicDim(dim) && constantSize(sizes[i]) != 1)
        continue;
      if (!type.isDynamicDim(dim) || constantSize(sizes[i]) == 1)
        sizes[i] = getSize(b, loc, operand, dim);
      if (!type.isDynamicDim(dim))
        break;
    }
  }
  return sizes;
}

AffineMap lowering::broadcastMap(OpBuilder &b, Location loc, Value operand, ArrayRef<OpFoldResult> sizes) {
  RankedTensorType type = tensorType(operand);
  int64_t offset = static_cast<int64_t>(sizes.size()) - type.getRank();
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (type.getDimSize(i) == 1 && constantSize(sizes[i + offset]) != 1) {
      exprs.push_back(b.getAffineConstantExpr(0));
      continue;
    }
    if (type.isDynamicDim(i) || !constantSize(sizes[i + offset]))
      assertEqualSizes(b, loc, getSize(b, loc, operand, i), sizes[i + offset], "expected equal extents in a broadcast");
    exprs.push_back(b.getAffineDimExpr(i + offset));
  }
  return AffineMap::get(sizes.size(), 0, exprs, b.getContext());
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

static int64_t staticOrDynamic(OpFoldResult size) { return constantSize(size).value_or(ShapedType::kDynamic); }

static Value collapseAll(OpBuilder &b, Location loc, Value tensor) {
  int64_t rank = tensorType(tensor).getRank();
  if (rank == 1)
    return tensor;
  if (rank == 0)
    return tensor::ExpandShapeOp::create(b, loc, RankedTensorType::get({1}, dtypeOf(tensor)), tensor,
                                         ArrayRef<ReassociationIndices>{}, ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  SmallVector<ReassociationIndices> all(1, llvm::to_vector<2>(llvm::seq<int64_t>(0, rank)));
  return tensor::CollapseShapeOp::create(b, loc, tensor, all);
}

Value lowering::reshapeTo(OpBuilder &b, Location loc, Value tensor, ArrayRef<OpFoldResult> sizes) {
  RankedTensorType from = tensorType(tensor);
  SmallVector<int64_t> shape = llvm::to_vector(llvm::map_range(sizes, staticOrDynamic));
  auto to = RankedTensorType::get(shape, from.getElementType());
  if (from == to && to.hasStaticShape())
    return tensor;
  // Of no elements any tensor will do; reshapes of unknown extents beside a 0 verify in no form.
  if (llvm::is_contained(from.getShape(), 0) || llvm::is_contained(shape, 0))
    return tensor::EmptyOp::create(b, loc, sizes, from.getElementType());
  if (from.hasStaticShape() && to.hasStaticShape() && from.getRank() != to.getRank()) {
    // One step where the extents group, so that no view is lost to flattening.
    if (auto groups = getReassociationIndicesForReshape(from, to)) {
      if (from.getRank() > to.getRank())
        return tensor::CollapseShapeOp::create(b, loc, to, tensor, *groups);
      return tensor::ExpandShapeOp::create(b, loc, to, tensor, *groups, sizes);
    }
  }
  // Upstream cannot lower views with several unknown extents in one group.
  auto countUnknown = [](ArrayRef<int64_t> extents) { return llvm::count(extents, ShapedType::kDynamic); };
  if (to.getRank() > 0 && (countUnknown(from.getShape()) > 1 || countUnknown(shape) > 1)) {
    // As i64: buffers of index have no size of their own.
    SmallVector<Value> extents;
    for (OpFoldResult size : sizes)
      extents.push_back(arith::IndexCastOp::create(b, loc, b.getI64Type(), toIndexValue(b, loc, size)));
    Value target = tensor::FromElementsOp::create(b, loc, extents);
    return tensor::ReshapeOp::create(b, loc, to, tensor, target);
  }
  Value flat = collapseAll(b, loc, tensor);
  if (to.getRank() == 1)
    return castTo(b, loc, flat, to);
  if (to.getRank() == 0) {
    flat = castTo(b, loc, flat, RankedTensorType::get({1}, from.getElementType()));
    return tensor::CollapseShapeOp::create(b, loc, to, flat, ArrayRef<ReassociationIndices>{});
  }
  // Make the flat extent as static as the target's product, as expand_shape asks.
  int64_t product = to.hasStaticShape() ? to.getNumElements() : ShapedType::kDynamic;
  if (tensorType(flat).getDimSize(0) != product)
    flat = castTo(b, loc, flat, RankedTensorType::get({product}, from.getElementType()));
  SmallVector<ReassociationIndices> all(1, llvm::to_vector<2>(llvm::seq<int64_t>(0, to.getRank())));
  return tensor::ExpandShapeOp::create(b, loc, to, flat, all, sizes);
}

Value lowering::unsqueeze(OpBuilder &b, Location loc, Value tensor, int64_t dim) {
  RankedTensorType from = tensorType(tensor);
  Sizes sizes = getSizes(b, loc, tensor);
  sizes.insert(sizes.begin() + dim, b.getIndexAttr(1));
  SmallVector<int64_t> shape = llvm::to_vector(llvm::map_range(sizes, staticOrDynamic));
  auto to = RankedTensorType::get(shape, from.getElementType());
  SmallVector<ReassociationIndices> groups;
  int64_t rank = from.getRank();
  if (rank > 0) {
    for (int64_t i = 0, next = 0; i < rank; ++i) {
      ReassociationIndices group;
      // The new dim joins the group of the dim before it (the first if in front).
      if (i == 0 && dim == 0)
        group.push_back(next++);
      group.push_back(next++);
      if (i == dim - 1)
        group.push_back(next++);
      groups.push_back(group);
    }
  }
  return tensor::ExpandShapeOp::create(b, loc, to, tensor, groups, sizes);
}

Value lowering::dropDims(OpBuilder &b, Location loc, Value tensor, ArrayRef<int64_t> dims) {
  if (dims.empty())
    return tensor;
  RankedTensorType from = tensorType(tensor);
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices pending;
  for (int64_t i = 0; i < from.getRank(); ++i) {
    pending.push_back(i);
    if (llvm::is_contained(dims, i))
      continue;
    shape.push_back(from.getDimSize(i));
    groups.push_back(pending);
    pending.clear();
  }
  if (groups.empty())
    pending.clear();
  else
    groups.back().append(pending);
  return tensor::CollapseShapeOp::create(b, loc, RankedTensorType::get(shape, from.getElementType()), tensor, groups);
}

Value lowering::transposed(OpBuilder &b, Location loc, Value tensor, ArrayRef<int64_t> order) {
  Sizes from = getSizes(b, loc, tensor), sizes;
  SmallVector<AffineExpr> exprs(order.size());
  for (auto [i, dim] : llvm::enumerate(order)) {
    sizes.push_back(from[dim]);
    exprs[dim] = b.getAffineDimExpr(i);
  }
  AffineMap map = AffineMap::get(order.size(), 0, exprs, b.getContext());
  return buildParallel(b, loc, tensor, map, sizes, dtypeOf(tensor),
                       [](OpBuilder &, Location, ValueRange args) { return args[0]; });
}

static bool isNothing(ArrayRef<OpFoldResult> sizes) {
  return llvm::any_of(sizes, [](OpFoldResult size) { return constantSize(size) == 0; });
}

Value lowering::extractSlice(OpBuilder &b, Location loc, Value tensor, ArrayRef<OpFoldResult> offsets,
                             ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides) {
  if (isNothing(sizes))
    return createEmpty(b, loc, sizes, dtypeOf(tensor));
  return tensor::ExtractSliceOp::create(b, loc, tensor, offsets, sizes, strides);
}

Value lowering::insertSlice(OpBuilder &b, Location loc, Value source, Value into, ArrayRef<OpFoldResult> offsets,
                            ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides) {
  if (isNothing(sizes))
    return into;
  return tensor::InsertSliceOp::create(b, loc, source, into, offsets, sizes, strides);
}

Value lowering::sliceDim(OpBuilder &b, Location loc, Value tensor, int64_t dim, OpFoldResult start, OpFoldResult size,
                         int64_t step) {
  Sizes sizes = getSizes(b, loc, tensor);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)), strides(sizes.size(), b.getIndexAttr(1));
  if (step == 1 && constantSize(start) == 0 && constantSize(size) && constantSize(size) == constantSize(sizes[dim]))
    return tensor;
  offsets[dim] = start;
  sizes[dim] = size;
  strides[dim] = b.getIndexAttr(step);
  return extractSlice(b, loc, tensor, offsets, sizes, strides);
}

Value lowering::padOrCrop(OpBuilder &b, Location loc, Value tensor, ArrayRef<int64_t> before, ArrayRef<int64_t> after,
                          Value scalar) {
  int64_t rank = tensorType(tensor).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t front = std::min<int64_t>(before[dim], 0), back = std::min<int64_t>(after[dim], 0);
    if (front == 0 && back == 0)
      continue;
    OpFoldResult size = addSizes(b, loc, getSize(b, loc, tensor, dim), b.getIndexAttr(front + back));
    tensor = sliceDim(b, loc, tensor, dim, b.getIndexAttr(-front), size);
  }
  Sizes inner = getSizes(b, loc, tensor), sizes = inner;
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)), strides(rank, b.getIndexAttr(1));
  bool grows = false;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t front = std::max<int64_t>(before[dim], 0), back = std::max<int64_t>(after[dim], 0);
    grows |= front + back != 0;
    offsets[dim] = b.getIndexAttr(front);
    sizes[dim] = addSizes(b, loc, inner[dim], b.getIndexAttr(front + back));
  }
  if (!grows)
    return tensor;
  // The value everywhere, then the tensor in its place.
  Value filled = createFilled(b, loc, sizes, scalar);
  return insertSlice(b, loc, tensor, filled, offsets, inner, strides);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value lowering::matchConstantScalar(OpBuilder &b, Location loc, Value original, Type dtype) {
  Type own = dtypeOf(original);
  DenseElementsAttr elements;
  if (auto full = original.getDefiningOp<FullOp>()) {
    double value = full.getValue().convertToDouble();
    if (isa<FloatType>(own)) {
      // The operand is of its own dtype: rounded to it.
      elements = DenseElementsAttr::get(
          RankedTensorType::get({}, own),
          ArrayRef<Attribute>{b.getFloatAttr(
              own, own.getIntOrFloatBitWidth() < 32 ? static_cast<double>(static_cast<float>(value)) : value)});
    } else {
      if (!own.isIntOrIndex() || !(std::abs(value) <= 9007199254740992.0))
        return {};
      APInt number(64, static_cast<uint64_t>(static_cast<int64_t>(value)), true);
      if (own.isInteger(1))
        number = APInt(1, value != 0);
      elements =
          DenseElementsAttr::get(RankedTensorType::get({}, own), number.sextOrTrunc(own.getIntOrFloatBitWidth()));
    }
  } else if (!matchPattern(original, m_Constant(&elements)) || !elements.isSplat()) {
    return {};
  }
  Type compute = getComputeType(own);
  if (isFloat(own)) {
    APFloat number = elements.getSplatValue<APFloat>();
    bool lost;
    // One rounding, to the type of the computation.
    Type target = isFloat(dtype) ? getComputeType(dtype) : compute;
    number.convert(cast<FloatType>(target).getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
    Value scalar = arith::ConstantOp::create(b, loc, FloatAttr::get(target, number));
    return isFloat(dtype) ? scalar : convertScalar(b, loc, scalar, own, dtype);
  }
  if (!own.isIntOrIndex())
    return {};
  APInt number = elements.getSplatValue<APInt>();
  if (isFloat(dtype)) {
    auto target = cast<FloatType>(getComputeType(dtype));
    APFloat value(target.getFloatSemantics());
    value.convertFromAPInt(number, !isUnsigned(own), APFloat::rmNearestTiesToEven);
    return arith::ConstantOp::create(b, loc, FloatAttr::get(target, value));
  }
  Value scalar = arith::ConstantOp::create(b, loc, IntegerAttr::get(compute, number));
  return convertScalar(b, loc, scalar, own, dtype);
}

SmallVector<int64_t> lowering::reducedDims(std::optional<ArrayRef<int64_t>> dims, int64_t rank) {
  SmallVector<int64_t> result;
  if (!dims || dims->empty()) {
    llvm::append_range(result, llvm::seq<int64_t>(0, rank));
    return result;
  }
  if (rank == 0)
    return result;
  for (int64_t dim : *dims)
    result.push_back(wrapDim(dim, rank));
  llvm::sort(result);
  return result;
}
