// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the two fusions of matrix products behind autodiff share.

#ifndef FXGRAPH_LIB_TRANSFORMS_GROUPFUSION_ATENPRODUCTS_H
#define FXGRAPH_LIB_TRANSFORMS_GROUPFUSION_ATENPRODUCTS_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/Utils/Constraints.h"

namespace fxgraph {

/// The matrices of mm or addmm, and what is added to their product, or null.
struct AtenProduct {
  explicit AtenProduct(Operation *op) {
    if (auto mm = dyn_cast<MmOp>(op)) {
      left = mm.getInput();
      right = mm.getMat2();
    } else {
      auto addmm = cast<AddmmOp>(op);
      left = addmm.getMat1();
      right = addmm.getMat2();
      bias = addmm.getInput();
    }
  }
  Value left, right, bias;
};

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_GROUPFUSION_ATENPRODUCTS_H
