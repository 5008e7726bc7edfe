// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Backend/ProcessorSymbols.h"
#include "llvm/ADT/bit.h"

using namespace fxgraph;

#if defined(__x86_64__)
namespace {
/// A bf16 is passed in the low bits of a vector register.
typedef short HalfVector __attribute__((vector_size(16)));
} // namespace

static HalfVector truncateToBF16(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  bits = value != value ? bits | 0x400000 : bits + 0x7FFF + ((bits >> 16) & 1);
  return HalfVector{static_cast<short>(bits >> 16)};
}
#endif

void fxgraph::defineProcessorSymbols(llvm::function_ref<void(StringRef, void *)> define) {
#if defined(__x86_64__)
  define("__truncsfbf2", reinterpret_cast<void *>(&truncateToBF16));
#endif
}
