// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a call of the C interface survives: faults of the compiler and of passes.

#ifndef FXGRAPH_LIB_CAPI_GUARD_H
#define FXGRAPH_LIB_CAPI_GUARD_H

#include "fxgraph/Support/LLVM.h"
#include <string>

namespace fxgraph::capi {

/// Installs the process's signal handlers and LLVM's error handlers. Once, before the
/// first runGuarded.
void enableGuard();

/// Runs `body`. False, with the reason, if it ended by a fault signal (also of a stack
/// that is used up), an abort, LLVM's fatal error, or a C++ exception: what it held then
/// stays held, and what it built is not freed.
bool runGuarded(function_ref<void()> body, std::string &reason);

} // namespace fxgraph::capi

#endif // FXGRAPH_LIB_CAPI_GUARD_H
