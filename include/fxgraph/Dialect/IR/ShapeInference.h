// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents with symbols, and the pieces that shape inference functions are made
// of. All functions take an optional location: with one they report what is
// wrong as an error there, without one they fail silently, so that passes,
// importer checks and tests can ask without an op.

#ifndef FXGRAPH_DIALECT_IR_SHAPEINFERENCE_H
#define FXGRAPH_DIALECT_IR_SHAPEINFERENCE_H

#include "fxgraph/Support/LLVM.h"

namespace fxgraph {

/// One extent: a number, a symbol, or unknown.
class Dim {
public:
  Dim() = default;
  /*implicit*/ Dim(int64_t extent) : extent(extent) {}
  static Dim symbol(StringAttr name) {
    Dim dim;
    dim.name = name;
    return dim;
  }
  static Dim unknown() { return Dim(); }

  bool isStatic() const { return !ShapedType::isDynamic(extent); }
  bool isSymbol() const { return !isStatic() && name; }
  int64_t getExtent() const { return extent; }
  StringAttr getSymbol() const { return name; }
  /// Provably equal: the same number or the same symbol.
  bool provablyEquals(const Dim &other) const {
    if (isStatic() || other.isStatic())
      return extent == other.extent;
    return name && name == other.name;
  }
  /// Provably different: two different numbers.
  bool provablyDiffers(const Dim &other) const { return isStatic() && other.isStatic() && extent != other.extent; }
  /// Text for diagnostics: 4, s0 or ?.
  std::string str() const;

private:
  int64_t extent = ShapedType::kDynamic;
  StringAttr name;
};

using Dims = SmallVector<Dim, 6>;

/// Extents of a tensor type, with the symbols of its encoding.
Dims getDims(RankedTensorType type);
/// Device named by the encoding, or null for the module's.
StringAttr getDevice(RankedTensorType type);
/// A tensor type of these extents; the encoding is left out where it would say nothing.
RankedTensorType makeTensorType(ArrayRef<Dim> dims, Type elementType, StringAttr device = {});
/// `type` with other extents (same element type and device).
RankedTensorType withDims(RankedTensorType type, ArrayRef<Dim> dims);
/// `type` with another element type.
RankedTensorType withElementType(RankedTensorType type, Type elementType);

/// Equal in rank, element type, device and every extent known on both sides.
bool areCompatibleTypes(TypeRange lhs, TypeRange rhs);

/// An error at a location, if there is one; what is written to it is lost otherwise
/// (an InFlightDiagnostic without a location must not be written to). Converts to
/// failure in both cases.
class OptionalDiagnostic {
public:
  explicit OptionalDiagnostic(std::optional<Location> loc) {
    if (loc)
      diagnostic.emplace(mlir::emitError(*loc));
  }
  template <typename Part>
  OptionalDiagnostic &operator<<(Part &&part) {
    if (diagnostic)
      *diagnostic << std::forward<Part>(part);
    return *this;
  }
  operator LogicalResult() const { return failure(); }

private:
  std::optional<InFlightDiagnostic> diagnostic;
};

inline OptionalDiagnostic emitOptional(std::optional<Location> loc) { return OptionalDiagnostic(loc); }

/// `dim` counted from 0, for a tensor of this rank. PyTorch lets dimensions of a
/// rank-0 tensor be -1 or 0.
/// Error: `expected <what> in [-r, r-1] but got d`.
FailureOr<int64_t> normalizeDim(std::optional<Location> loc, int64_t dim, int64_t rank, StringRef what = "dim");
/// The same for an op that a scalar is no input of.
/// Error: `expected an input of rank 1 or more but got <type>`.
FailureOr<int64_t> normalizeDimOf(std::optional<Location> loc, RankedTensorType input, int64_t dim);
/// The same as normalizeDim for a list; no dimension may come twice.
FailureOr<SmallVector<int64_t>> normalizeDims(std::optional<Location> loc, ArrayRef<int64_t> dims, int64_t rank);
/// As normalizeDim for attributes that are known to be valid (verified ops).
int64_t wrapDim(int64_t dim, int64_t rank);

/// Broadcast of all shapes, aligned at the right.
FailureOr<Dims> broadcastDims(std::optional<Location> loc, ArrayRef<Dims> shapes);
/// True if `from` provably broadcasts *to* exactly `to`.
bool provablyBroadcastsTo(ArrayRef<Dim> from, ArrayRef<Dim> to);

/// A rank-0 tensor of f64 or i64 beside a type of the same category: it does not
/// decide the result's dtype (PyTorch's wrapped numbers and 0-d tensors).
bool isWrappedNumberFor(RankedTensorType scalar, Type elementType);
/// Element type of a pointwise op on these operands. Error if they do not agree.
FailureOr<Type> unifyElementTypes(std::optional<Location> loc, TypeRange operands);
/// Rows of a block of 4-bit weights in a layout of `weight_int4pack_mm`.
int64_t getInt4BlockRows(StringRef layout);
/// What integers (bools) of two dtypes promote to in PyTorch.
Type promoteIntegers(Type a, Type b);

/// Product of extents; unknown unless all are static. Error on overflow.
Dim multiplyDims(ArrayRef<Dim> dims);

/// Start and end of a slice after PyTorch's clamping, for a known extent.
struct SliceBounds {
  int64_t start, end, size;
};
SliceBounds clampSlice(int64_t extent, int64_t start, int64_t end, int64_t step);

/// Extents of the pieces of a chunk/split of a known extent.
SmallVector<int64_t> getSplitSections(int64_t extent, int64_t splitSize);
SmallVector<int64_t> getChunkSections(int64_t extent, int64_t chunks);

/// Result extent of a convolution or pooling window.
Dim windowOutput(Dim in, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation, bool ceilMode = false);

/// Dims of a reduction over `dims` (absent or empty: all).
FailureOr<Dims> reduceDims(std::optional<Location> loc, ArrayRef<Dim> input, std::optional<ArrayRef<int64_t>> dims,
                           bool keepdim);

/// Target of reshape/view: `shape` with -1 inferred; INT64_MIN stays dynamic.
FailureOr<Dims> reshapeDims(std::optional<Location> loc, ArrayRef<Dim> input, ArrayRef<int64_t> shape);

} // namespace fxgraph

#endif // FXGRAPH_DIALECT_IR_SHAPEINFERENCE_H
