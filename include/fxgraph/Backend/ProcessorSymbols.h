// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that code made for this process' processor calls where that has no
// instruction, and that not every compiler's library has.

#ifndef FXGRAPH_BACKEND_PROCESSORSYMBOLS_H
#define FXGRAPH_BACKEND_PROCESSORSYMBOLS_H

#include "fxgraph/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace fxgraph {

/// Tells `define` the names and addresses of them: `__truncsfbf2`, f32 to bf16, which libgcc has since version 13 only.
void defineProcessorSymbols(llvm::function_ref<void(StringRef name, void *address)> define);

} // namespace fxgraph

#endif // FXGRAPH_BACKEND_PROCESSORSYMBOLS_H
