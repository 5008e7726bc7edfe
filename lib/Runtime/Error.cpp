//===- Error.cpp - Per-thread last-error text -----------------------------===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"

#include <cstdio>

static thread_local char lastError[4096] = "";

void fxgraph::runtime::setLastError(const char *message) noexcept {
  std::snprintf(lastError, sizeof(lastError), "%s", message);
}

const char *fxgraph::runtime::getLastError() noexcept { return lastError; }
