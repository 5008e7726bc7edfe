// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints and rewrites of the PDLL patterns of matrix products, and the body of the
// passes that apply them.

#ifndef FXGRAPH_LIB_TRANSFORMS_MATMUL_MATMULUTILS_H
#define FXGRAPH_LIB_TRANSFORMS_MATMUL_MATMULUTILS_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Transforms/Utils/Devices.h"
#include "fxgraph/Transforms/Utils/PatternPass.h"

namespace fxgraph {

inline RankedTensorType getTensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// True if `isSought` holds for a user of the op's results, behind views of them too.
bool feedsAny(Operation *op, function_ref<bool(Operation *)> isSought);
/// True if all users of the op's result are elementwise, or views all of whose users are:
/// then a sum at its end joins their kernel. False for a result of the graph.
bool feedsPointwiseAlone(Operation *op);

/// Makes the constraints of Matmul.pdll known to PDL patterns of this set. To be called
/// before the patterns are added.
void registerMatmulConstraints(mlir::RewritePatternSet &patterns);

/// A pass of PDLL patterns on matrix products.
template <typename GeneratedBase>
class MatmulPass : public PatternPass<GeneratedBase> {
public:
  using PatternPass<GeneratedBase>::PatternPass;

protected:
  void addMatmulGroup(MLIRContext *context, const RewriteKind &kind,
                      function_ref<void(mlir::RewritePatternSet &)> populate) {
    this->addGroup(context, kind, [&](mlir::RewritePatternSet &set) {
      registerMatmulConstraints(set);
      populate(set);
    });
  }

  /// PatternPass::addGroupsByWidth, likewise.
  void addMatmulGroupsByWidth(MLIRContext *context, StringRef pattern, StringRef counter,
                              function_ref<void(mlir::RewritePatternSet &)> populate) {
    this->addGroupsByWidth(context, pattern, counter, [&](mlir::RewritePatternSet &set) {
      registerMatmulConstraints(set);
      populate(set);
    });
  }
};

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_MATMUL_MATMULUTILS_H
