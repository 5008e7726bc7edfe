// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that come as text in an option.

#ifndef FXGRAPH_SUPPORT_PASSTEXT_H
#define FXGRAPH_SUPPORT_PASSTEXT_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/Pass/PassManager.h"
#include <string>

namespace fxgraph {

/// mlir::parsePassPipeline with its error in one line, without the text itself and
/// the positions in it: the text may be one that the user has not written.
LogicalResult parsePassText(StringRef text, mlir::OpPassManager &manager, std::string &error);

} // namespace fxgraph

#endif // FXGRAPH_SUPPORT_PASSTEXT_H
