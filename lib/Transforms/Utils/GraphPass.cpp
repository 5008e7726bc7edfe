// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Transforms/Utils/GraphPass.h"

using namespace fxgraph;

OpNames::OpNames(Operation *op) {
  llvm::SmallPtrSet<const void *, 32> seen;
  const void *last = nullptr;
  SmallVector<mlir::Region *> worklist;
  auto push = [&](Operation &parent) {
    for (mlir::Region &region : parent.getRegions())
      worklist.push_back(&region);
  };
  push(*op);
  while (!worklist.empty())
    for (Block &block : *worklist.pop_back_val())
      for (Operation &nested : block) {
        const void *name = nested.getName().getAsOpaquePointer();
        if (name != last && seen.insert(name).second)
          names.push_back(nested.getName());
        last = name;
        if (nested.getNumRegions() != 0) {
          flat = false;
          push(nested);
        }
      }
}
