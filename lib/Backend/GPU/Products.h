// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the plan's products and the kernels behind them mean for one launch of ours
// (EmitMatmul.h, EmitWgmma.h): sizes, layouts, and functions of single elements that
// become the product's epilogue.

#ifndef FXGRAPH_LIB_BACKEND_GPU_PRODUCTS_H
#define FXGRAPH_LIB_BACKEND_GPU_PRODUCTS_H

#include "EmitPack.h"
#include "EmitWgmma.h"
#include "ScalarMath.h"

namespace fxgraph::gpu {

/// A product as one launch on warpgroup instructions, with copies of operands before it
/// where tensor maps cannot describe them.
struct WgmmaProduct {
  struct Operand {
    Value value;
    std::optional<PackSpec::Matrix> pack; ///< what is copied; the spec's matrix is the copy
  };
  WgmmaSpec spec; ///< without epilogue, addends and the result's layout
  Operand a, b;
  double alpha = 1, beta = 0;
  Value addend; ///< null if there is none
  WgmmaSpec::Addend addendLayout;

  WgmmaProduct(Location loc) : spec(loc) {}
};

/// nullopt: no product of 16-bit floats.
std::optional<WgmmaProduct> describeWgmma(const FusionStep &step, const FusionPlan &plan);

/// What the body of an epilogue reads beside the product.
struct EpilogueLoad {
  unsigned prim, array;
  int64_t offset; ///< elements from the array's pointer
  int64_t ld;     ///< 0: one row for all
};

/// A kernel that applies a function of single elements to an m x n product (and to other
/// tensors at the same place) and nothing else.
struct Epilogue {
  SmallVector<EpilogueLoad, 2> loads;
  int64_t ldd = 0; ///< of what it writes
};
std::optional<Epilogue> matchEpilogue(const KernelIR &kernel, Value product);

/// The function of the body: `product` and `loads` (by number of the primitive) are f32,
/// scalars or vectors. Null and `problem` set: an op that has no GPU form.
Value evaluateEpilogue(ScalarMath &math, const KernelIR &kernel, Value product, const DenseMap<unsigned, Value> &loads,
                       Operation *&problem);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_PRODUCTS_H
