// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks shared by the type inference functions of the op groups. Only what is
// provably wrong is an error: two extents of which one is not known may agree
// at run time. At the end what decompositions share.

#ifndef FXGRAPH_LIB_DIALECT_IR_INFERUTILS_H
#define FXGRAPH_LIB_DIALECT_IR_INFERUTILS_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "llvm/ADT/StringExtras.h"

namespace fxgraph {

inline RankedTensorType tensorTypeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// `1, 2, 3` for diagnostics.
template <typename Range>
std::string listText(const Range &values) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(values, os);
  return text;
}

/// `[2, s0, ?]` for diagnostics.
inline std::string shapeText(ArrayRef<Dim> dims) {
  SmallVector<std::string> texts;
  for (const Dim &dim : dims)
    texts.push_back(dim.str());
  return "[" + llvm::join(texts, ", ") + "]";
}

/// The more precise of two extents that are known to agree.
inline Dim refineDim(const Dim &a, const Dim &b) {
  if (a.isStatic() || (a.isSymbol() && !b.isStatic()))
    return a;
  return b.isStatic() || b.isSymbol() ? b : a;
}

/// Error if two extents that must agree provably do not.
inline LogicalResult expectSameDim(std::optional<Location> loc, const Dim &expected, const Dim &got,
                                   const Twine &what) {
  if (!expected.provablyDiffers(got))
    return success();
  emitOptional(loc) << "expected " << what << " to be " << expected.str() << " but got " << got.str();
  return failure();
}

inline LogicalResult expectRank(std::optional<Location> loc, RankedTensorType type, int64_t rank, const Twine &what) {
  if (type.getRank() == rank)
    return success();
  emitOptional(loc) << "expected " << what << " of rank " << rank << " but got rank " << type.getRank();
  return failure();
}

inline LogicalResult expectRankAtLeast(std::optional<Location> loc, RankedTensorType type, int64_t rank,
                                       const Twine &what) {
  if (type.getRank() >= rank)
    return success();
  emitOptional(loc) << "expected " << what << " of rank >= " << rank << " but got rank " << type.getRank();
  return failure();
}

inline LogicalResult expectShape(std::optional<Location> loc, ArrayRef<Dim> expected, ArrayRef<Dim> got,
                                 const Twine &what) {
  bool wrong = expected.size() != got.size();
  if (!wrong)
    for (auto [e, g] : llvm::zip_equal(expected, got))
      wrong |= e.provablyDiffers(g);
  if (!wrong)
    return success();
  emitOptional(loc) << "expected " << what << " of shape " << shapeText(expected) << " but got " << shapeText(got);
  return failure();
}

/// Error if the operands (null ones are absent) differ in element type.
inline LogicalResult expectSameElementType(std::optional<Location> loc, ValueRange operands) {
  Type first;
  for (Value operand : operands) {
    if (!operand)
      continue;
    Type type = tensorTypeOf(operand).getElementType();
    if (!first)
      first = type;
    // uniform_c1
    if (type == first)
      continue;
    emitOptional(loc) << "expected operands of one element type but got " << first << " and " << type;
    return failure();
  }
  return success();
}

/// The device that all operands are on (null: the module's).
inline FailureOr<StringAttr> commonDevice(std::optional<Location> loc, ValueRange operands) {
  std::optional<StringAttr> device;
  for (Value operand : operands) {
    if (!operand)
      continue;
    StringAttr own = getDevice(tensorTypeOf(operand));
    if (!device)
      device = own;
    // uniform_c2
    if (*device == own)
      continue;
    auto text = [](StringAttr name) { return name ? name.str() : std::string("the module's"); };
    emitOptional(loc) << "expected operands on one device but got " << text(*device) << " and " << text(own);
    return failure();
  }
  return device.value_or(StringAttr());
}

/// Same element type and device; returns the device.
inline FailureOr<StringAttr> expectUniform(std::optional<Location> loc, ValueRange operands) {
  if (failed(expectSameElementType(loc, operands)))
    return failure();
  return commonDevice(loc, operands);
}

/// True if the tensor provably has no element.
inline bool isProvablyEmpty(ArrayRef<Dim> dims) {
  return llvm::any_of(dims, [](const Dim &dim) { return dim.isStatic() && dim.getExtent() == 0; });
}

/// Error unless `from` can broadcast to exactly `to`.
inline LogicalResult expectBroadcastsTo(std::optional<Location> loc, ArrayRef<Dim> from, ArrayRef<Dim> to,
                                        const Twine &what) {
  bool wrong = from.size() > to.size();
  if (!wrong)
    for (auto [f, t] : llvm::zip_equal(from, to.take_back(from.size())))
      wrong |= !(f.isStatic() && f.getExtent() == 1) && f.provablyDiffers(t);
  if (!wrong)
    return success();
  emitOptional(loc) << "expected " << what << " that broadcasts to " << shapeText(to) << " but got " << shapeText(from);
  return failure();
}

/// The operand numbers in the argument tree of a call that is kept whole.
inline LogicalResult verifyArgumentTree(Operation *op, mlir::DictionaryAttr args, size_t numOperands) {
  // opaque_c1
  mlir::WalkResult walked = args.walk([&](StringAttr text) {
    StringRef number = text.getValue();
    size_t operand;
    if (!number.consume_front("%") || number.starts_with("%") ||
        (!number.getAsInteger(10, operand) && operand < numOperands))
      return mlir::WalkResult::advance();
    op->emitOpError() << "expected the number of one of " << numOperands << " operands in args but got " << text;
    return mlir::WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

inline bool isIntegral(Type type) { return isa<IntegerType>(type); }

/// Element type of sums and products: integers and bools accumulate in i64.
inline Type accumulatedType(Type type) { return isIntegral(type) ? IntegerType::get(type.getContext(), 64) : type; }

/// The result type that the original op declares; inference may know more or less.
inline Value withTypeOf(Value replacement, Value original) {
  replacement.setType(original.getType());
  return replacement;
}

inline Value castElements(OpBuilder &builder, Location loc, Value value, Type element) {
  RankedTensorType type = tensorTypeOf(value);
  if (type.getElementType() == element)
    return value;
  return ConvertElementTypeOp::create(builder, loc, withElementType(type, element), value);
}

/// Scales and bias of a product [m, k] x [k, n] of 8-bit floats.
inline LogicalResult verifyScales(Operation *op, Dim m, Dim n, Value scaleA, Value scaleB, Value bias) {
  auto isOne = [](Value scale) {
    return tensorTypeOf(scale).hasStaticShape() && tensorTypeOf(scale).getNumElements() == 1;
  };
  auto fits = [](Value scale, ArrayRef<Dim> expected) {
    Dims dims = getDims(tensorTypeOf(scale));
    return dims.size() == 2 && !dims[0].provablyDiffers(expected[0]) && !dims[1].provablyDiffers(expected[1]);
  };
  // scaled_product_c1
  if (!(isOne(scaleA) && isOne(scaleB)) && !(fits(scaleA, {m, Dim(1)}) && fits(scaleB, {Dim(1), n})))
    return op->emitOpError() << "expected scales of one element each, or of shapes " << shapeText({m, Dim(1)})
                             << " and " << shapeText({Dim(1), n}) << ", but got "
                             << shapeText(getDims(tensorTypeOf(scaleA))) << " and "
                             << shapeText(getDims(tensorTypeOf(scaleB)));
  // scaled_product_c2
  return bias ? expectShape(op->getLoc(), {n}, getDims(tensorTypeOf(bias)), "bias") : success();
}

/// Rows of a tensor as one dimension.
inline Dim countRows(ArrayRef<Dim> dims) {
  if (dims.size() == 2)
    return dims.front();
  int64_t rows = 1;
  for (const Dim &dim : dims.drop_back())
    if (!dim.isStatic() || llvm::MulOverflow(rows, dim.getExtent(), rows))
      return Dim::unknown();
  return Dim(rows);
}

struct ConvParameters {
  ArrayRef<int64_t> stride, padding, dilation, outputPadding;
  int64_t groups = 1;
  bool transposed = false;
};

/// Extents of a convolution of operands of any dtype; `bias` may be null.
FailureOr<Dims> inferConvDims(std::optional<Location> loc, RankedTensorType inputType, RankedTensorType weightType,
                              Value bias, const ConvParameters &conv, int64_t spatial);

/// Error unless the vectors, of which the second may be null, have one value for each index
/// along the dimension.
inline LogicalResult expectOneForEach(std::optional<Location> loc, const Dim &dim, Value scales, Value zeroPoints) {
  if (failed(expectShape(loc, {dim}, getDims(tensorTypeOf(scales)), "scales")))
    return failure();
  return zeroPoints ? expectShape(loc, {dim}, getDims(tensorTypeOf(zeroPoints)), "zero_points") : success();
}

} // namespace fxgraph

#endif // FXGRAPH_LIB_DIALECT_IR_INFERUTILS_H
