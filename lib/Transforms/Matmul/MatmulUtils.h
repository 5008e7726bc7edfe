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
/// Floats of less than 32 bits, which a result of each op is rounded to.
bool isNarrowFloat(Type type);

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

  /// The patterns in two groups, for rewrites that round once more, or less, than what they
  /// replace: of 32 bits and more that reassociates, of 16 bits it changes precision. The
  /// patterns tell the groups apart by the constraint IsOfGroupsWidth.
  void addGroupsByWidth(MLIRContext *context, StringRef pattern, StringRef counter,
                        function_ref<void(mlir::RewritePatternSet &)> populate) {
    for (bool narrow : {false, true}) {
      RewriteKind kind{pattern, counter, narrow ? NumericClass::ChangesPrecision : NumericClass::Reassociates};
      addMatmulGroup(context, kind, [&](mlir::RewritePatternSet &set) {
        set.getPDLPatterns().registerConstraintFunction(
            "IsOfGroupsWidth", [narrow](mlir::PatternRewriter &, Operation *op) -> LogicalResult {
              return success(isNarrowFloat(op->getResult(0).getType()) == narrow);
            });
        populate(set);
      });
    }
  }
};

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_MATMUL_MATMULUTILS_H
