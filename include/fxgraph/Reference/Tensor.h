// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor value at run time, as the reference interpreter and the executors
// exchange it: element type, extents, row-major elements.
//
// Elements are held in wide form, one C++ type for all dtypes of a kind:
// floats as `double`, integers, bools and `index` as `int64_t`. Each element is a
// value of the dtype: whoever writes one rounds it (roundToType) or wraps it
// (wrapToType). So one readable loop serves every dtype.
//
// Copying a tensor shares its storage; the storage is duplicated when one of the
// owners asks for mutable elements. Reshapes and clones are therefore free.

#ifndef FXGRAPH_REFERENCE_TENSOR_H
#define FXGRAPH_REFERENCE_TENSOR_H

#include "fxgraph/Support/LLVM.h"
#include <memory>
#include <vector>

namespace fxgraph {

/// The nearest value of the floating-point type, ties to even. Overflow gives
/// infinity, or NaN in types without it.
double roundToType(Type type, double value);
/// Rounding of a pointwise op of PyTorch: types of less than 32 bits are
/// computed in f32 and then rounded a second time.
double roundViaF32(Type type, double value);
/// The value modulo 2^width, as a signed number (unsigned for ui8; 0 or 1 for i1).
int64_t wrapToType(Type type, int64_t value);
/// C++'s conversion of a float to an integer type in PyTorch: truncation; what
/// does not fit wraps through int64_t, NaN and values beyond int64_t give its minimum.
int64_t floatToInt(Type type, double value);

/// PyTorch's conversion of an integer to a float type (through f32 but for f64).
double intToFloat(Type type, int64_t value);
/// Bytes of one element in the dtype's own layout.
int64_t getElementBytes(Type type);

/// True for the types that tensors may have: floats up to 64 bits, integers up
/// to 64 bits, index.
bool isSupportedElementType(Type type);
/// Largest finite value of a floating-point type.
double getLargestFinite(FloatType type);

class Tensor {
public:
  /// No tensor; isNull() holds.
  Tensor() = default;
  /// All elements zero.
  Tensor(Type elementType, ArrayRef<int64_t> shape);
  /// A rank-0 value of type `index`.
  static Tensor index(MLIRContext *context, int64_t value);
  /// The elements of a literal, or a null tensor when its type is not supported
  /// or a resource is missing.
  static Tensor fromElements(ElementsAttr elements);
  /// Elements in the dtype's own little-endian layout, row-major; bools take one
  /// byte, sub-byte floats one each. Null if the number of bytes is wrong.
  static Tensor fromBytes(Type elementType, ArrayRef<int64_t> shape, ArrayRef<char> bytes);
  /// The inverse: exactly getByteSize() bytes.
  void toBytes(MutableArrayRef<char> bytes) const;
  int64_t getByteSize() const;

  bool isNull() const { return !elementType; }
  explicit operator bool() const { return !isNull(); }

  Type getElementType() const { return elementType; }
  bool isFloat() const { return isa<FloatType>(elementType); }
  bool isBool() const { return elementType.isInteger(1); }
  ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return shape.size(); }
  int64_t getDim(int64_t dim) const { return shape[dim]; }
  int64_t getNumElements() const { return numElements; }
  /// The static tensor type (without encoding).
  RankedTensorType getType() const;
  /// Row-major strides, in elements.
  SmallVector<int64_t> getStrides() const;

  /// Elements in row-major order. Only the accessor of the tensor's kind is valid.
  ArrayRef<double> floats() const { return storage ? ArrayRef<double>(storage->floats) : ArrayRef<double>(); }
  ArrayRef<int64_t> ints() const { return storage ? ArrayRef<int64_t>(storage->ints) : ArrayRef<int64_t>(); }
  MutableArrayRef<double> mutableFloats();
  MutableArrayRef<int64_t> mutableInts();

  /// One element as a double, whatever the kind. Exact up to 2^53.
  double getAsDouble(int64_t i) const { return isFloat() ? storage->floats[i] : static_cast<double>(storage->ints[i]); }
  /// True for anything but zero (NaN is true).
  bool isNonZero(int64_t i) const { return isFloat() ? storage->floats[i] != 0.0 : storage->ints[i] != 0; }
  /// Writes a double after converting it to the element type.
  void setFromDouble(int64_t i, double value);
  /// Copies one element of a tensor of the same element type.
  void setFrom(int64_t i, const Tensor &source, int64_t j);

  /// The same elements under another shape of as many elements.
  Tensor withShape(ArrayRef<int64_t> newShape) const;
  /// Each element converted to another type, as PyTorch's `to` does.
  Tensor convert(Type newElementType) const;

  /// Text such as tensor<2x3xf32>.
  std::string describe() const;

private:
  struct Storage {
    std::vector<double> floats;
    std::vector<int64_t> ints;
  };
  Storage &ownStorage();

  Type elementType;
  SmallVector<int64_t, 4> shape;
  int64_t numElements = 0;
  std::shared_ptr<Storage> storage;
};

/// The final value of an argument that a graph writes (fxgraph.copy_).
struct MutatedArgument {
  unsigned argument = 0;
  Tensor value;
};

/// Product of the extents (1 for none); INT64_MAX where it overflows.
int64_t countElements(ArrayRef<int64_t> shape);
/// Row-major strides of a shape.
SmallVector<int64_t> computeStrides(ArrayRef<int64_t> shape);

/// Calls `body(index)` for every multi-index of the shape in row-major order.
void forEachIndex(ArrayRef<int64_t> shape, function_ref<void(ArrayRef<int64_t>)> body);

/// Text such as [2, 3].
std::string formatShape(ArrayRef<int64_t> shape);
/// Text such as f32 for a type.
std::string formatType(Type type);

} // namespace fxgraph

#endif // FXGRAPH_REFERENCE_TENSOR_H
