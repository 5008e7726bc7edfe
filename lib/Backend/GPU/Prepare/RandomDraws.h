// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers as arithmetic, which fuses with what uses them. Each element of a draw is
// a function of the draw's seed and the element's place: the counter-based generator
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3,
// SC 2011), the seed as its key and the place as its counter, and the numbers that
// Triton's `rand` and `randn` and Inductor's `randint64` make of it
// (torch/_inductor/runtime/triton_helpers.py). The k-th draw of a graph that names no seed
// has the one that SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) gives for the graph's seed
// and k. A graph draws the same numbers in every run, as on other targets; they are not
// those of PyTorch's generators.

#ifndef FXGRAPH_LIB_BACKEND_GPU_PREPARE_RANDOMDRAWS_H
#define FXGRAPH_LIB_BACKEND_GPU_PREPARE_RANDOMDRAWS_H

#include "fxgraph/Dialect/IR/FxGraphOps.h"

namespace fxgraph::gpu {

class RandomDraws {
public:
  /// The draws of a graph with this seed.
  explicit RandomDraws(uint64_t seed) : seed(seed) {}
  /// What stands for the op's only result; null if the op draws nothing, or has no form:
  /// floats of less than 16 bits, dropout of integers.
  Value expand(OpBuilder &builder, Operation *op);

private:
  int64_t takeSeed();

  uint64_t seed;
  uint64_t numSeeds = 0;
};

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_PREPARE_RANDOMDRAWS_H
