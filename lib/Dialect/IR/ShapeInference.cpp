// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extent arithmetic shared by all op groups; see the header.

#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "llvm/ADT/SmallSet.h"

using namespace fxgraph;

std::string Dim::str() const {
  if (isStatic())
    return std::to_string(extent);
  return name ? name.str() : "?";
}

Dims fxgraph::getDims(RankedTensorType type) {
  auto meta = dyn_cast_if_present<MetaAttr>(type.getEncoding());
  Dims dims;
  unsigned dynamic = 0;
  for (int64_t extent : type.getShape()) {
    if (!ShapedType::isDynamic(extent)) {
      dims.push_back(extent);
      continue;
    }
    StringAttr symbol;
    if (meta && dynamic < meta.getDims().size())
      symbol = meta.getDims()[dynamic];
    ++dynamic;
    dims.push_back(symbol ? Dim::symbol(symbol) : Dim::unknown());
  }
  return dims;
}

StringAttr fxgraph::getDevice(RankedTensorType type) {
  auto meta = dyn_cast_if_present<MetaAttr>(type.getEncoding());
  return meta ? meta.getDevice() : StringAttr();
}

RankedTensorType fxgraph::makeTensorType(ArrayRef<Dim> dims, Type elementType, StringAttr device) {
  SmallVector<int64_t> shape;
  SmallVector<StringAttr> symbols;
  bool anySymbol = false;
  for (const Dim &dim : dims) {
    shape.push_back(dim.getExtent());
    if (dim.isStatic())
      continue;
    symbols.push_back(dim.getSymbol());
    anySymbol |= dim.isSymbol();
  }
  if (!anySymbol)
    symbols.clear();
  Attribute encoding;
  if (anySymbol || device)
    encoding = MetaAttr::get(elementType.getContext(), symbols, device);
  return RankedTensorType::get(shape, elementType, encoding);
}

RankedTensorType fxgraph::withDims(RankedTensorType type, ArrayRef<Dim> dims) {
  return makeTensorType(dims, type.getElementType(), getDevice(type));
}

RankedTensorType fxgraph::withElementType(RankedTensorType type, Type elementType) {
  return RankedTensorType::get(type.getShape(), elementType, type.getEncoding());
}

bool fxgraph::areCompatibleTypes(TypeRange lhs, TypeRange rhs) {
  if (lhs.size() != rhs.size())
    return false;
  for (auto [left, right] : llvm::zip_equal(lhs, rhs)) {
    if (left == right)
      continue;
    auto l = dyn_cast<RankedTensorType>(left), r = dyn_cast<RankedTensorType>(right);
    if (!l || !r || l.getRank() != r.getRank() || l.getElementType() != r.getElementType() ||
        getDevice(l) != getDevice(r))
      return false;
    for (auto [a, b] : llvm::zip_equal(l.getShape(), r.getShape()))
      if (!ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b)
        return false;
  }
  return true;
}

FailureOr<int64_t> fxgraph::normalizeDim(std::optional<Location> loc, int64_t dim, int64_t rank, StringRef what) {
  // PyTorch treats a scalar as having one dimension here.
  int64_t limit = std::max<int64_t>(rank, 1);
  if (dim < -limit || dim >= limit) {
    emitOptional(loc) << "expected " << what << " in [" << -limit << ", " << limit - 1 << "] but got " << dim;
    return failure();
  }
  return dim < 0 ? dim + limit : dim;
}

FailureOr<int64_t> fxgraph::normalizeDimOf(std::optional<Location> loc, RankedTensorType input, int64_t dim) {
  if (input.getRank() == 0)
    return LogicalResult(emitOptional(loc) << "expected an input of rank 1 or more but got " << input);
  return normalizeDim(loc, dim, input.getRank());
}

FailureOr<SmallVector<int64_t>> fxgraph::normalizeDims(std::optional<Location> loc, ArrayRef<int64_t> dims,
                                                       int64_t rank) {
  SmallVector<int64_t> result;
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t dim : dims) {
    FailureOr<int64_t> normalized = normalizeDim(loc, dim, rank);
    if (failed(normalized))
      return failure();
    if (!seen.insert(*normalized).second) {
      emitOptional(loc) << "expected distinct dims but got " << dim << " twice";
      return failure();
    }
    result.push_back(*normalized);
  }
  return result;
}

int64_t fxgraph::wrapDim(int64_t dim, int64_t rank) { return dim < 0 ? dim + std::max<int64_t>(rank, 1) : dim; }

FailureOr<Dims> fxgraph::broadcastDims(std::optional<Location> loc, ArrayRef<Dims> shapes) {
  size_t rank = 0;
  for (const Dims &shape : shapes)
    rank = std::max(rank, shape.size());
  Dims result(rank, Dim(1));
  for (const Dims &shape : shapes) {
    size_t offset = rank - shape.size();
    for (auto [i, dim] : llvm::enumerate(shape)) {
      Dim &out = result[offset + i];
      if (dim.isStatic() && dim.getExtent() == 1)
        continue;
      if (out.isStatic() && out.getExtent() == 1) {
        out = dim;
        continue;
      }
      if (dim.provablyEquals(out))
        continue;
      if (dim.provablyDiffers(out)) {
        emitOptional(loc) << "expected shapes that broadcast but got extents " << out.str() << " and " << dim.str()
                          << " in dimension " << offset + i;
        return failure();
      }
      // One of them is not known: at run time it is 1 or the other's extent.
      if (dim.isStatic())
        out = dim;
      else if (!out.isStatic())
        out = Dim::unknown();
    }
  }
  return result;
}

bool fxgraph::provablyBroadcastsTo(ArrayRef<Dim> from, ArrayRef<Dim> to) {
  if (from.size() > to.size())
    return false;
  for (auto [f, t] : llvm::zip_equal(from, to.take_back(from.size())))
    if (!(f.isStatic() && f.getExtent() == 1) && !f.provablyEquals(t))
      return false;
  return true;
}

bool fxgraph::isWrappedNumberFor(RankedTensorType scalar, Type elementType) {
  if (scalar.getRank() != 0)
    return false;
  Type type = scalar.getElementType();
  if (type.isF64())
    return isa<FloatType>(elementType);
  // An integer goes with integers and with floats (x_f32 + 1), not with bool.
  return type.isInteger(64) &&
         (isa<FloatType>(elementType) || (elementType.isIntOrIndex() && !elementType.isInteger(1)));
}

FailureOr<Type> fxgraph::unifyElementTypes(std::optional<Location> loc, TypeRange operands) {
  // The dtype is that of the operands which are not wrapped numbers for the others.
  for (Type candidate : operands) {
    Type element = cast<RankedTensorType>(candidate).getElementType();
    bool fits = llvm::all_of(operands, [&](Type other) {
      auto type = cast<RankedTensorType>(other);
      return type.getElementType() == element || isWrappedNumberFor(type, element);
    });
    // Prefer a candidate that is not itself a scalar: f32[4] with f64[] is f32.
    bool beaten = llvm::any_of(operands, [&](Type other) {
      auto type = cast<RankedTensorType>(other);
      return type.getElementType() != element &&
             isWrappedNumberFor(cast<RankedTensorType>(candidate), type.getElementType());
    });
    if (fits && !beaten)
      return element;
  }
  OptionalDiagnostic diag = emitOptional(loc);
  diag << "expected operands of one element type but got ";
  llvm::interleaveComma(operands, diag, [&](Type type) { diag << cast<RankedTensorType>(type).getElementType(); });
  return failure();
}

Dim fxgraph::multiplyDims(ArrayRef<Dim> dims) {
  int64_t product = 1;
  bool unknown = false;
  const Dim *only = nullptr;
  for (const Dim &dim : dims) {
    if (!dim.isStatic()) {
      unknown = true;
      only = &dim;
      continue;
    }
    if (dim.getExtent() == 0)
      return 0;
    if (llvm::MulOverflow(product, dim.getExtent(), product))
      return Dim::unknown();
  }
  if (!unknown)
    return product;
  // One symbol times one is the symbol itself.
  if (product == 1 && llvm::count_if(dims, [](const Dim &dim) { return !dim.isStatic(); }) == 1)
    return *only;
  return Dim::unknown();
}

SliceBounds fxgraph::clampSlice(int64_t extent, int64_t start, int64_t end, int64_t step) {
  auto clamp = [&](int64_t bound) {
    if (bound < 0)
      bound = bound < -extent ? 0 : bound + extent;
    return std::min(bound, extent);
  };
  start = clamp(start);
  end = std::max(clamp(end), start);
  // No sum that a huge step could overflow.
  return {start, end, end == start ? 0 : (end - start - 1) / step + 1};
}

SmallVector<int64_t> fxgraph::getSplitSections(int64_t extent, int64_t splitSize) {
  if (extent == 0)
    return {0};
  SmallVector<int64_t> sections;
  for (int64_t rest = extent; rest > 0; rest -= sections.back())
    sections.push_back(std::min(splitSize, rest));
  return sections;
}

SmallVector<int64_t> fxgraph::getChunkSections(int64_t extent, int64_t chunks) {
  // PyTorch keeps the asked number of (empty) pieces for an empty dimension.
  if (extent == 0)
    return SmallVector<int64_t>(chunks, 0);
  return getSplitSections(extent, (extent - 1) / chunks + 1);
}

Dim fxgraph::windowOutput(Dim in, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation, bool ceilMode) {
  if (!in.isStatic())
    return Dim::unknown();
  int64_t numerator = in.getExtent() + 2 * padding - dilation * (kernel - 1) - 1;
  int64_t out = (numerator + (ceilMode ? stride - 1 : 0)) / stride + 1;
  // A window that would start in the right padding is dropped.
  if (ceilMode && (out - 1) * stride >= in.getExtent() + padding)
    --out;
  return out;
}

FailureOr<Dims> fxgraph::reduceDims(std::optional<Location> loc, ArrayRef<Dim> input,
                                    std::optional<ArrayRef<int64_t>> dims, bool keepdim) {
  SmallVector<bool> reduced(input.size(), !dims || dims->empty());
  if (dims) {
    FailureOr<SmallVector<int64_t>> normalized = normalizeDims(loc, *dims, input.size());
    if (failed(normalized))
      return failure();
    if (!input.empty())
      for (int64_t dim : *normalized)
        reduced[dim] = true;
  }
  Dims result;
  for (auto [i, dim] : llvm::enumerate(input)) {
    if (!reduced[i])
      result.push_back(dim);
    else if (keepdim)
      result.push_back(1);
  }
  return result;
}

FailureOr<Dims> fxgraph::reshapeDims(std::optional<Location> loc, ArrayRef<Dim> input, ArrayRef<int64_t> shape) {
  std::optional<size_t> inferred;
  Dims result;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    if (extent == -1) {
      if (inferred) {
        emitOptional(loc) << "expected at most one -1 in shape but got two";
        return failure();
      }
      inferred = i;
      result.push_back(Dim::unknown());
    } else if (extent == ShapedType::kDynamic) {
      result.push_back(Dim::unknown());
    } else if (extent < 0) {
      emitOptional(loc) << "expected extents >= 0 or -1 in shape but got " << extent;
      return failure();
    } else {
      result.push_back(extent);
    }
  }
  Dim total = multiplyDims(input);
  Dims known;
  for (auto [i, dim] : llvm::enumerate(result))
    if (!inferred || i != *inferred)
      known.push_back(dim);
  Dim rest = multiplyDims(known);
  if (!total.isStatic() || !rest.isStatic()) {
    // A symbol that is missing on the right is the -1.
    if (inferred && rest.isStatic() && rest.getExtent() == 1)
      result[*inferred] = total;
    return result;
  }
  if (!inferred) {
    if (total.getExtent() != rest.getExtent()) {
      emitOptional(loc) << "expected a shape of " << total.getExtent() << " elements but got " << rest.getExtent();
      return failure();
    }
    return result;
  }
  if (rest.getExtent() == 0 || total.getExtent() % rest.getExtent() != 0) {
    emitOptional(loc) << "expected " << total.getExtent() << " elements to divide by " << rest.getExtent()
                      << " to infer the -1 in shape";
    return failure();
  }
  result[*inferred] = total.getExtent() / rest.getExtent();
  return result;
}
