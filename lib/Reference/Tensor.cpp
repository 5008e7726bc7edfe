// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Storage, rounding and conversion of tensor values; see the header.

#include "fxgraph/Reference/Tensor.h"
#include "fxgraph/Dialect/IR/Numbers.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// Rounding and wrapping
//===----------------------------------------------------------------------===//

/// Round to nearest even in a binary IEEE format of `mantissaBits` explicit bits
/// and exponents [minExponent, maxExponent]. Scaling by powers of two is exact,
/// so that nearbyint is the only rounding.
static double roundToIEEE(double value, int mantissaBits, int minExponent, int maxExponent) {
  if (value == 0.0 || !std::isfinite(value))
    return value;
  int exponent = std::max(std::ilogb(value), minExponent);
  int quantum = exponent - mantissaBits;
  double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -quantum)), quantum);
  double largest = std::ldexp(2.0 - std::ldexp(1.0, -mantissaBits), maxExponent);
  if (std::fabs(rounded) > largest)
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded;
}

double fxgraph::roundToType(Type type, double value) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return static_cast<float>(value);
  if (type.isF16())
    return roundToIEEE(value, 10, -14, 15);
  if (type.isBF16())
    return roundToIEEE(value, 7, -126, 127);
  // Formats without NaN (f4, f6) keep APFloat's choice, which needs a finite value.
  APFloat number = roundToDtype(APFloat(value), cast<FloatType>(type));
  bool loses;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return number.convertToDouble();
}

double fxgraph::roundViaF32(Type type, double value) {
  if (type.isF64())
    return value;
  return roundToType(type, static_cast<float>(value));
}

int64_t fxgraph::wrapToType(Type type, int64_t value) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() >= 64)
    return value;
  unsigned width = integer.getWidth();
  uint64_t bits = static_cast<uint64_t>(value) & ((uint64_t(1) << width) - 1);
  if (integer.isUnsigned() || width == 1)
    return bits;
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

int64_t fxgraph::floatToInt(Type type, double value) {
  if (type.isInteger(1))
    return value != 0.0;
  // 2^63 itself does not fit; NaN fails both comparisons.
  if (!(value >= -0x1p63 && value < 0x1p63))
    return wrapToType(type, std::numeric_limits<int64_t>::min());
  return wrapToType(type, static_cast<int64_t>(value));
}

double fxgraph::intToFloat(Type type, int64_t value) {
  if (type.isF64())
    return static_cast<double>(value);
  // One rounding to f32: a detour through double would round twice.
  return roundToType(type, static_cast<float>(value));
}

int64_t fxgraph::getElementBytes(Type type) {
  if (type.isIndex())
    return 8;
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

bool fxgraph::isSupportedElementType(Type type) {
  if (auto real = dyn_cast<FloatType>(type))
    return real.getWidth() <= 64;
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() <= 64;
  return type.isIndex();
}

double fxgraph::getLargestFinite(FloatType type) {
  APFloat largest = APFloat::getLargest(type.getFloatSemantics());
  bool loses;
  largest.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return largest.convertToDouble();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

int64_t fxgraph::countElements(ArrayRef<int64_t> shape) {
  int64_t product = 1;
  bool overflows = false;
  for (int64_t extent : shape) {
    if (extent == 0)
      return 0;
    overflows |= llvm::MulOverflow(product, extent, product) != 0;
  }
  return overflows ? std::numeric_limits<int64_t>::max() : product;
}

SmallVector<int64_t> fxgraph::computeStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = static_cast<int64_t>(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

void fxgraph::forEachIndex(ArrayRef<int64_t> shape, function_ref<void(ArrayRef<int64_t>)> body) {
  int64_t count = countElements(shape);
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t n = 0; n < count; ++n) {
    body(index);
    for (int64_t dim = static_cast<int64_t>(shape.size()) - 1; dim >= 0; --dim) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
  }
}

std::string fxgraph::formatShape(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(shape, os);
  os << "]";
  return text;
}

std::string fxgraph::formatType(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << type;
  return text;
}

//===----------------------------------------------------------------------===//
// Tensor
//===----------------------------------------------------------------------===//

Tensor::Tensor(Type elementType, ArrayRef<int64_t> shape)
    : elementType(elementType), shape(shape.begin(), shape.end()), numElements(countElements(shape)),
      storage(std::make_shared<Storage>()) {
  if (isFloat())
    storage->floats.resize(numElements);
  else
    storage->ints.resize(numElements);
}

Tensor Tensor::index(MLIRContext *context, int64_t value) {
  Tensor result(mlir::IndexType::get(context), {});
  result.storage->ints[0] = value;
  return result;
}

RankedTensorType Tensor::getType() const { return RankedTensorType::get(shape, elementType); }

SmallVector<int64_t> Tensor::getStrides() const { return computeStrides(shape); }

Tensor::Storage &Tensor::ownStorage() {
  if (!storage)
    storage = std::make_shared<Storage>();
  else if (storage.use_count() > 1)
    storage = std::make_shared<Storage>(*storage);
  return *storage;
}

MutableArrayRef<double> Tensor::mutableFloats() { return ownStorage().floats; }
MutableArrayRef<int64_t> Tensor::mutableInts() { return ownStorage().ints; }

void Tensor::setFromDouble(int64_t i, double value) {
  if (isFloat())
    mutableFloats()[i] = roundViaF32(elementType, value);
  else
    mutableInts()[i] = floatToInt(elementType, value);
}

void Tensor::setFrom(int64_t i, const Tensor &source, int64_t j) {
  if (isFloat())
    mutableFloats()[i] = source.storage->floats[j];
  else
    mutableInts()[i] = source.storage->ints[j];
}

Tensor Tensor::withShape(ArrayRef<int64_t> newShape) const {
  Tensor result = *this;
  result.shape.assign(newShape.begin(), newShape.end());
  return result;
}

Tensor Tensor::convert(Type newElementType) const {
  if (newElementType == elementType)
    return *this;
  Tensor result(newElementType, shape);
  if (result.isFloat()) {
    MutableArrayRef<double> out = result.mutableFloats();
    for (int64_t i = 0; i < numElements; ++i)
      out[i] =
          isFloat() ? roundViaF32(newElementType, storage->floats[i]) : intToFloat(newElementType, storage->ints[i]);
    return result;
  }
  MutableArrayRef<int64_t> out = result.mutableInts();
  for (int64_t i = 0; i < numElements; ++i) {
    if (isFloat())
      out[i] = floatToInt(newElementType, storage->floats[i]);
    else if (newElementType.isInteger(1))
      out[i] = storage->ints[i] != 0;
    else
      out[i] = wrapToType(newElementType, storage->ints[i]);
  }
  return result;
}

std::string Tensor::describe() const { return isNull() ? "no tensor" : formatType(getType()); }

//===----------------------------------------------------------------------===//
// Bytes and literals
//===----------------------------------------------------------------------===//

static double decodeFloat(Type type, const char *bytes) {
  if (type.isF64()) {
    double value;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
  }
  if (type.isF32()) {
    float value;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
  }
  if (type.isBF16()) {
    uint16_t half;
    std::memcpy(&half, bytes, sizeof(half));
    uint32_t bits = static_cast<uint32_t>(half) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, getElementBytes(type));
  auto real = cast<FloatType>(type);
  APFloat number(real.getFloatSemantics(), APInt(real.getWidth(), bits, /*isSigned=*/false, /*implicitTrunc=*/true));
  bool loses;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return number.convertToDouble();
}

static void encodeFloat(Type type, double value, char *bytes) {
  if (type.isF64()) {
    std::memcpy(bytes, &value, sizeof(value));
    return;
  }
  if (type.isF32()) {
    float narrow = value;
    std::memcpy(bytes, &narrow, sizeof(narrow));
    return;
  }
  APFloat number = roundToDtype(APFloat(value), cast<FloatType>(type));
  uint64_t bits = number.bitcastToAPInt().getZExtValue();
  std::memcpy(bytes, &bits, getElementBytes(type));
}

static int64_t decodeInt(Type type, const char *bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, getElementBytes(type));
  if (type.isInteger(1))
    return bits != 0;
  return wrapToType(type, bits);
}

Tensor Tensor::fromBytes(Type elementType, ArrayRef<int64_t> shape, ArrayRef<char> bytes) {
  int64_t width = getElementBytes(elementType), count = countElements(shape);
  if (static_cast<int64_t>(bytes.size()) != count * width)
    return {};
  Tensor result(elementType, shape);
  if (result.isFloat()) {
    MutableArrayRef<double> out = result.mutableFloats();
    for (int64_t i = 0; i < count; ++i)
      out[i] = decodeFloat(elementType, bytes.data() + i * width);
  } else {
    MutableArrayRef<int64_t> out = result.mutableInts();
    for (int64_t i = 0; i < count; ++i)
      out[i] = decodeInt(elementType, bytes.data() + i * width);
  }
  return result;
}

int64_t Tensor::getByteSize() const { return numElements * getElementBytes(elementType); }

void Tensor::toBytes(MutableArrayRef<char> bytes) const {
  int64_t width = getElementBytes(elementType);
  for (int64_t i = 0; i < numElements; ++i) {
    char *at = bytes.data() + i * width;
    if (isFloat())
      encodeFloat(elementType, storage->floats[i], at);
    else
      std::memcpy(at, &storage->ints[i], width);
  }
}

Tensor Tensor::fromElements(ElementsAttr elements) {
  auto type = cast<ShapedType>(elements.getType());
  Type elementType = type.getElementType();
  if (!isSupportedElementType(elementType) || !type.hasStaticShape())
    return {};
  if (auto resource = dyn_cast<mlir::DenseResourceElementsAttr>(elements)) {
    mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return blob ? fromBytes(elementType, type.getShape(), blob->getData()) : Tensor();
  }
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense)
    return {};
  Tensor result(elementType, type.getShape());
  auto toDouble = [&](APFloat value) {
    bool loses;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
    return value.convertToDouble();
  };
  auto toInt = [&](const APInt &value) { return wrapToType(elementType, value.getZExtValue()); };
  if (result.isFloat()) {
    MutableArrayRef<double> out = result.mutableFloats();
    if (dense.isSplat())
      std::fill(out.begin(), out.end(), toDouble(dense.getSplatValue<APFloat>()));
    else
      for (auto [to, from] : llvm::zip_equal(out, dense.getValues<APFloat>()))
        to = toDouble(from);
    return result;
  }
  MutableArrayRef<int64_t> out = result.mutableInts();
  if (dense.isSplat())
    std::fill(out.begin(), out.end(), toInt(dense.getSplatValue<APInt>()));
  else
    for (auto [to, from] : llvm::zip_equal(out, dense.getValues<APInt>()))
      to = toInt(from);
  return result;
}
