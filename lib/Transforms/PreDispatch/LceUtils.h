// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints and rewrites of the PDLL patterns of compressions, and the body of the passes that apply
// them.

#ifndef FXGRAPH_LIB_TRANSFORMS_PREDISPATCH_LCEUTILS_H
#define FXGRAPH_LIB_TRANSFORMS_PREDISPATCH_LCEUTILS_H

#include "fxgraph/Transforms/Utils/PatternPass.h"

namespace fxgraph {

/// Makes IsCompression, JoinsFeatures, IsBareCompression, IsDotCompression, CreateLce and
/// CreateMatmulLce known to PDL patterns of this set. To be called before the patterns are added.
void registerLceConstraints(mlir::RewritePatternSet &patterns);

/// A pass whose patterns are all of one kind and use what is above.
template <typename GeneratedBase>
class LcePass : public PatternPass<GeneratedBase> {
public:
  using PatternPass<GeneratedBase>::PatternPass;

protected:
  virtual void populate(mlir::RewritePatternSet &set) const = 0;
  virtual RewriteKind getKind() const = 0;

private:
  void addGroups(MLIRContext *context) final {
    this->addGroup(context, getKind(), [&](mlir::RewritePatternSet &set) {
      registerLceConstraints(set);
      populate(set);
    });
  }
};

} // namespace fxgraph

#endif // FXGRAPH_LIB_TRANSFORMS_PREDISPATCH_LCEUTILS_H
