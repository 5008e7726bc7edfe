// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints and rewrites of the PDLL patterns of compressions, and the body of the passes that apply
// them.

#ifndef FXGRAPH_LIB_TRANSFORMS_PREDISPATCH_LCEUTILS_H
#define FXGRAPH_LIB_TRANSFORMS_PREDISPATCH_LCEUTILS_H

#include "fxgraph/Transforms/Utils/Constraints.h"
#include "fxgraph/Transforms/Utils/Numerics.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"

namespace fxgraph {

/// Makes IsCompression, JoinsFeatures, IsBareCompression, IsDotCompression, CreateLce and
/// CreateMatmulLce known to PDL patterns of this set, and what is in Constraints.pdll. To be called before the patterns
/// are added.
void registerLceConstraints(mlir::RewritePatternSet &patterns);

/// True if the permute or transpose exchanges the last two dimensions, and does no more.
bool exchangesLastTwoDims(Operation *op);

/// Applies patterns that begin at permutes, transposes, linears and products.
LogicalResult applyLcePatterns(RewriteSession &session, const mlir::FrozenRewritePatternSet &patterns,
                               const RewriteKind &fallback, const llvm::StringMap<RewriteKind> &kinds = {});

/// A pass whose PDLL patterns are all of one kind and obey the option `numerics`.
/// `GeneratedBase` is the pass's generated base class.
template <typename GeneratedBase>
class LcePass : public GeneratedBase {
public:
  using GeneratedBase::GeneratedBase;

  LogicalResult initialize(MLIRContext *context) final {
    if (failed(parseNumerics(mlir::UnknownLoc::get(context), this->numerics)))
      return failure();
    mlir::RewritePatternSet set(context);
    registerLceConstraints(set);
    populate(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() final {
    if (!allows(*parseNumerics(this->numerics), getKind().numerics))
      return;
    RewriteSession session(*this);
    if (failed(applyLcePatterns(session, patterns, getKind())) || !session.isValid())
      this->signalPassFailure();
  }

protected:
  virtual void populate(mlir::RewritePatternSet &set) const = 0;
  virtual RewriteKind getKind() const = 0;

private:
  mlir::FrozenRewritePatternSet patterns;
};

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_PREDISPATCH_LCEUTILS_H
