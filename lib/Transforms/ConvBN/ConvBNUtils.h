// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes on batch norms share: which convolution a norm belongs to, when the
// two may become one, and the convolution that they become.

#ifndef FXGRAPH_LIB_TRANSFORMS_CONVBN_CONVBNUTILS_H
#define FXGRAPH_LIB_TRANSFORMS_CONVBN_CONVBNUTILS_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"

namespace fxgraph {

/// The norms of the function in block order: of two in a row the second follows, and
/// finds the first folded. Without `chains` norms that a norm feeds are left out.
SmallVector<BatchNormOp> collectNorms(mlir::FunctionOpInterface function, bool chains);

/// What a norm is folded into.
struct NormProducer {
  Operation *op = nullptr;
  Value input, weight, bias;
  /// The weight's dimension of output channels, per group.
  int64_t channelDim = 0;
  /// Transposed convolutions hold groups along the input channels.
  int64_t groups = 1;
};

/// Weights, biases and statistics of both, as far as there are any.
SmallVector<Value> getParameters(BatchNormOp norm, const NormProducer &producer);

/// Why the norm does not become part of the convolution or linear that makes its input;
/// empty if it can. Fills `producer`.
std::string getFoldObstacle(BatchNormOp norm, NormProducer &producer);

/// Pattern: batch_norm(conv(x, W, b), mean, var, g, beta, eps) -> conv(x, W * s, (b - mean) * s + beta)
/// with s = g * rsqrt(var + eps), all computed in the graph: no parameter is written, and
/// what others use of them stays as it is.
void foldNorm(RewriteSession &session, const RewriteKind &kind, BatchNormOp norm, const NormProducer &producer);

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_CONVBN_CONVBNUTILS_H
