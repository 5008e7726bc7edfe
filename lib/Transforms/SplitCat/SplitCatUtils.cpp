// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Transforms/SplitCat/SplitCatUtils.h"

using namespace fxgraph;

const SectionCache::Sections *SectionCache::get(SplitLikeOpInterface split) {
  auto [it, inserted] = cache.try_emplace(split.getOperation());
  if (!inserted)
    return it->second.get();
  std::optional<SmallVector<int64_t>> sizes = split.getStaticSections();
  if (!sizes)
    return nullptr;
  auto sections = std::make_unique<Sections>();
  sections->dim = split.getNormalizedDim();
  sections->offsets.push_back(0);
  for (int64_t size : *sizes)
    sections->offsets.push_back(sections->offsets.back() + size);
  sections->sizes = std::move(*sizes);
  it->second = std::move(sections);
  return it->second.get();
}

Location fxgraph::fuseLocations(mlir::OpBuilder &builder, ArrayRef<Location> locations) {
  constexpr size_t kMaxLocations = 8;
  return builder.getFusedLoc(locations.take_front(kMaxLocations));
}

SplitWithSizesOp fxgraph::createSplit(mlir::OpBuilder &builder, Location loc, TypeRange types, Value input,
                                      ArrayRef<int64_t> sections, int64_t dim) {
  return SplitWithSizesOp::create(builder, loc, types, input, builder.getDenseI64ArrayAttr(sections),
                                  builder.getI64IntegerAttr(dim));
}

Value fxgraph::createUnflatten(mlir::OpBuilder &builder, Location loc, Value value, int64_t dim, int64_t outer,
                               int64_t inner) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.hasStaticShape())
    return UnflattenOp::create(builder, loc, value, dim, ArrayRef<int64_t>{outer, inner});
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = outer;
  shape.insert(shape.begin() + dim + 1, inner);
  return ReshapeOp::create(builder, loc, value, shape);
}

Value fxgraph::createFlatten(mlir::OpBuilder &builder, Location loc, Value value, int64_t dim) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.hasStaticShape())
    return FlattenOp::create(builder, loc, value, dim, dim + 1);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] *= shape[dim + 1];
  shape.erase(shape.begin() + dim + 1);
  return ReshapeOp::create(builder, loc, value, shape);
}

Value fxgraph::createMoveDim(mlir::OpBuilder &builder, Location loc, Value value, int64_t from, int64_t to) {
  if (from == to)
    return value;
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i)
    if (i != from)
      dims.push_back(i);
  dims.insert(dims.begin() + to, from);
  return PermuteOp::create(builder, loc, value, dims);
}

void JoinOperands::keep(ValueRange values) {
  (join.addsDim() ? stacked : operands).append(values.begin(), values.end());
}

void JoinOperands::flush() {
  int64_t dim = join.getNormalizedDim();
  if (stacked.size() == 1)
    operands.push_back(UnsqueezeOp::create(builder, join->getLoc(), stacked.front(), dim));
  else if (!stacked.empty())
    operands.push_back(StackOp::create(builder, join->getLoc(), stacked, dim));
  stacked.clear();
}
