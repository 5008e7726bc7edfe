// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the plan's products and the kernels behind them mean for one launch of ours
// (EmitMatmul.h, EmitWgmma.h): sizes, layouts, and functions of single elements that
// become the product's epilogue.

#ifndef FXGRAPH_LIB_BACKEND_GPU_STAGES_PRODUCTS_H
#define FXGRAPH_LIB_BACKEND_GPU_STAGES_PRODUCTS_H

#include "Emit/EmitAttention.h"
#include "Emit/EmitMatmul.h"
#include "Emit/EmitPack.h"
#include "Emit/EmitWgmma.h"
#include "Kernel/ScalarMath.h"
#include "fxgraph/Backend/GPU/GPU.h"
#include "fxgraph/Dialect/IR/HostOps.h"

namespace fxgraph::gpu {

/// For tables of pointers in a kernel's parameters, of the 32764 bytes that CUDA 12.1 and
/// newer allow on all known chips.
inline constexpr size_t kMaxParameterBytes = 30000;

/// Who computes a product: its lowering_config has `emitter`, and for wgmma `config` (WgmmaConfig).
inline constexpr llvm::StringLiteral kLibraryEmitter = "library", kMmaEmitter = "mma", kWgmmaEmitter = "wgmma";
StringRef getEmitter(MatrixProductOp product);
void setEmitter(MatrixProductOp product, StringRef emitter);
/// As text; empty if there is none.
StringRef getWgmmaConfig(MatrixProductOp product);
void setWgmmaConfig(MatrixProductOp product, const WgmmaConfig &config);

/// A product as one launch on warpgroup instructions, with copies of operands before it
/// where tensor maps cannot describe them.
struct WgmmaProduct {
  struct Operand {
    Value value;
    bool isTransposed = false;              ///< the first dimension is the dense one
    std::optional<PackSpec::Matrix> pack{}; ///< what is to be copied; the spec's matrix is the copy
  };
  WgmmaSpec spec; ///< without epilogue, addends and the result's layout
  Operand a, b;
  double alpha = 1, beta = 0;
  Value addend; ///< null if there is none
  WgmmaSpec::Addend addendLayout;

  WgmmaProduct(Location loc) : spec(loc) {}
};

/// nullopt: no product of 16-bit floats.
std::optional<WgmmaProduct> describeWgmma(MatrixProductOp product);
/// The copy that an operand of one needs.
std::optional<PackSpec::Matrix> describePack(Value operand);
/// Whether our kernel is asked for, or at least as fast as the library's and what would follow it.
bool isOurs(const WgmmaProduct &described, MatrixProductOp product, bool hasEpilogue, const GPUOptions &options);

/// A product on mma.sync, one of many or alone; nullopt if there is no such kernel.
std::optional<MatmulSpec> describeMatmul(MatrixProductOp product);

AttentionSpec describeAttention(AttentionOp attention, StringRef chip, int64_t processors);

/// Where a tensor lies along a product, or a batch of them: elements from one problem, row and column to the next.
struct EpilogueLayout {
  int64_t stride = 0, ld = 0, column = 0;
};

/// What the body of an epilogue reads beside the product.
struct EpilogueLoad {
  unsigned prim, array;
  int64_t offset; ///< elements from the array's pointer
  EpilogueLayout layout;
};

/// A kernel that applies a function of single elements to products (and to other tensors at the same place, or
/// along their rows or columns) and nothing else.
struct Epilogue {
  SmallVector<EpilogueLoad, 2> loads;
  EpilogueLayout result; ///< its columns are dense
};
std::optional<Epilogue> matchEpilogue(const KernelIR &kernel, Value product);

/// The number of each of the kernel's loads of `memory`, all of it.
SmallVector<unsigned, 1> findLoads(const KernelIR &kernel, Value memory);
/// What one index of each dimension steps over at an address; nullopt: it is no sum of dimensions.
std::optional<SmallVector<int64_t>> getSteps(const IndexSpace &space, const IndexExpr &address);

/// The function of the body: `product` and `loads` (by number of the primitive) are f32,
/// scalars or vectors. Null and `problem` set: an op that has no GPU form.
Value evaluateEpilogue(ScalarMath &math, const KernelIR &kernel, Value product, const DenseMap<unsigned, Value> &loads,
                       Operation *&problem);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_STAGES_PRODUCTS_H
