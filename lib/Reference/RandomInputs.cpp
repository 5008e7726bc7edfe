// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments drawn from a seed; see the header.

#include "fxgraph/Reference/RandomInputs.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include <limits>

using namespace fxgraph;

ExtentChoice::~ExtentChoice() = default;

/// Bound that one use as an index sets; nullopt if the use is none.
static std::optional<int64_t> getIndexBound(OpOperand &use) {
  Operation *user = use.getOwner();
  auto extentOf = [](Value value, int64_t dim) -> std::optional<int64_t> {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() == 0)
      return 1;
    int64_t extent = type.getDimSize(wrapDim(dim, type.getRank()));
    // Index 0 is right for any extent but 0.
    return ShapedType::isDynamic(extent) ? 1 : extent;
  };
  if (auto op = dyn_cast<EmbeddingOp>(user))
    return use.get() == op.getIndices() ? extentOf(op.getWeight(), 0) : std::nullopt;
  if (auto op = dyn_cast<IndexSelectOp>(user))
    return use.get() == op.getIndex() ? extentOf(op.getInput(), op.getDim()) : std::nullopt;
  if (auto op = dyn_cast<GatherOp>(user))
    return use.get() == op.getIndex() ? extentOf(op.getInput(), op.getDim()) : std::nullopt;
  if (auto op = dyn_cast<ScatterOp>(user))
    return use.get() == op.getIndex() ? extentOf(op.getInput(), op.getDim()) : std::nullopt;
  if (auto op = dyn_cast<ScatterAddOp>(user))
    return use.get() == op.getIndex() ? extentOf(op.getInput(), op.getDim()) : std::nullopt;
  // The input, the indices, then the values of those that put.
  if (isa<IndexOp, IndexPutOp, UnsafeIndexOp, UnsafeIndexPutOp>(user)) {
    ArrayRef<int64_t> dims = cast<DenseI64ArrayAttr>(user->getAttr("dims")).asArrayRef();
    int64_t position = static_cast<int64_t>(use.getOperandNumber()) - 1;
    if (position >= 0 && position < static_cast<int64_t>(dims.size()))
      return extentOf(user->getOperand(0), dims[position]);
  }
  return std::nullopt;
}

ValueHints fxgraph::getValueHints(Value value) {
  constexpr unsigned kMaxUses = 300;
  ValueHints hints;
  SmallVector<Value> worklist{value};
  unsigned seen = 0;
  while (!worklist.empty()) {
    Value current = worklist.pop_back_val();
    for (OpOperand &use : current.getUses()) {
      if (++seen > kMaxUses)
        return hints;
      Operation *user = use.getOwner();
      if (std::optional<int64_t> bound = getIndexBound(use))
        hints.indexBound = std::min(hints.indexBound.value_or(*bound), *bound);
      if (auto norm = dyn_cast<BatchNormOp>(user))
        hints.positive |= norm.getRunningVar() == current;
      bool moves =
          isa<ViewLikeOpInterface, SplitLikeOpInterface, ConvertElementTypeOp, CloneOp, ContiguousOp, DetachOp>(user);
      if (moves && use.getOperandNumber() == 0)
        for (Value result : user->getResults())
          worklist.push_back(result);
    }
  }
  return hints;
}

SmallVector<int64_t> fxgraph::chooseShape(RankedTensorType type, unsigned argument, ExtentChoice &extents) {
  SmallVector<int64_t> shape;
  for (auto [i, dim] : llvm::enumerate(getDims(type))) {
    if (dim.isStatic())
      shape.push_back(dim.getExtent());
    else if (dim.isSymbol())
      shape.push_back(extents.ofSymbol(dim.getSymbol().getValue()));
    else
      shape.push_back(extents.ofUnknown(argument, i));
  }
  return shape;
}

Tensor fxgraph::makeRandomTensor(Type elementType, ArrayRef<int64_t> shape, RandomSource &random,
                                 const ValueHints &hints, bool special, bool nonFinite) {
  Tensor result(elementType, shape);
  if (!result.isFloat()) {
    int64_t bound = result.isBool() ? 2 : 5;
    if (hints.indexBound)
      bound = std::max<int64_t>(1, std::min<int64_t>(*hints.indexBound, std::numeric_limits<int16_t>::max()));
    for (int64_t &value : result.mutableInts())
      value = wrapToType(elementType, random.below(bound));
    return result;
  }
  double specials[] = {0.0, -0.0, 1.0, 0x1p-10};
  MutableArrayRef<double> values = result.mutableFloats();
  for (double &value : values) {
    value = roundToType(elementType, random.normal());
    if (hints.positive)
      value = roundToType(elementType, 0.5 + std::fabs(value));
    else if (special && random.below(8) == 0)
      value = specials[random.below(4)];
  }
  if (nonFinite && !hints.positive && !values.empty()) {
    double infinity = std::numeric_limits<double>::infinity();
    values[random.below(values.size())] = std::numeric_limits<double>::quiet_NaN();
    values[random.below(values.size())] = random.below(2) ? infinity : -infinity;
  }
  return result;
}

Tensor fxgraph::makeRandomArgument(mlir::BlockArgument argument, uint64_t seed, ExtentChoice &extents) {
  // Mixes the number of the argument into the seed, so that each has its stream.
  RandomSource mixer(seed + 0x632be59bd9b4e019ull * (argument.getArgNumber() + 1));
  RandomSource random(mixer.next());
  if (argument.getType().isIndex())
    return Tensor::index(argument.getContext(), 1 + random.below(4));
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!type || !isSupportedElementType(type.getElementType()))
    return {};
  return makeRandomTensor(type.getElementType(), chooseShape(type, argument.getArgNumber(), extents), random,
                          getValueHints(argument));
}
