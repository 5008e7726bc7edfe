// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Transforms/Utils/GraphPass.h"
#include "fxgraph/Support/Prefetch.h"

using namespace fxgraph;

OpNames::OpNames(Operation *op) { listAgain(op); }

void OpNames::listAgain(Operation *op) {
  isListed = true;
  ops.clear();
  nameOf.clear();
  DenseMap<const void *, uint32_t> places;
  for (auto [i, name] : llvm::enumerate(names)) {
    places[name.getAsOpaquePointer()] = i;
    counts[i] = 0;
  }
  const void *last = nullptr;
  uint32_t place = 0;
  PrefetchBlock further;
  SmallVector<mlir::Region *> worklist;
  auto push = [&](Operation &parent) {
    for (mlir::Region &region : parent.getRegions())
      worklist.push_back(&region);
  };
  push(*op);
  while (!worklist.empty())
    for (Block &block : *worklist.pop_back_val())
      for (Operation &nested : block) {
        further.visit(&nested);
        const void *name = nested.getName().getAsOpaquePointer();
        if (name != last) {
          auto [it, isNew] = places.try_emplace(name, names.size());
          if (isNew) {
            names.push_back(nested.getName());
            counts.push_back(0);
          }
          last = name;
          place = it->second;
        }
        if (nested.getNumRegions() != 0) {
          flat = false;
          push(nested);
        }
        if (!flat)
          continue;
        ++counts[place];
        ops.push_back(&nested);
        nameOf.push_back(place);
      }
  // The list would be one of a part of the ops.
  if (!flat) {
    ops = {};
    nameOf = {};
  }
}

SmallVector<Operation *> OpNames::collect(function_ref<bool(mlir::OperationName)> isKind) const {
  assert(flat && isListed && "there is no list of the ops");
  SmallVector<bool, 16> isWanted;
  size_t size = 0;
  for (auto [name, count] : llvm::zip_equal(names, counts)) {
    isWanted.push_back(isKind(name));
    size += isWanted.back() ? count : 0;
  }
  SmallVector<Operation *> result;
  result.reserve(size);
  for (auto [found, place] : llvm::zip_equal(ops, nameOf))
    if (isWanted[place])
      result.push_back(found);
  return result;
}
