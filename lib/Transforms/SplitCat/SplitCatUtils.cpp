// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SplitCatUtils.h"

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

SplitWithSizesOp fxgraph::createSplit(mlir::OpBuilder &builder, Location loc, TypeRange types, Value input, ArrayRef<int64_t> sections, int64_t dim) {
  return SplitWithSizesOp::create(builder, loc, types, input, builder.getDenseI64ArrayAttr(sections), builder.getI64IntegerAttr(dim));
}
