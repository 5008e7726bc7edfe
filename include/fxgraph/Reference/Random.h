// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generator behind seeded inputs: SplitMix64 (Steele, Lea, Flood 2014), the same
// stream on every machine. Random ops draw from PyTorch's (Runtime/Random.h).

#ifndef FXGRAPH_REFERENCE_RANDOM_H
#define FXGRAPH_REFERENCE_RANDOM_H

#include <cmath>
#include <cstdint>

namespace fxgraph {

class RandomSource {
public:
  explicit RandomSource(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  /// Uniform on [0, 1) with 24 bits, so that it stays below 1 in f32.
  double uniform() { return (next() >> 40) * 0x1p-24; }
  /// Uniform integer in [0, bound), bound > 0.
  int64_t below(int64_t bound) { return static_cast<int64_t>(next() % static_cast<uint64_t>(bound)); }
  /// Standard normal (Box-Muller, one of the pair).
  double normal() {
    double u = 1.0 - uniform(); // (0, 1]: the logarithm is finite.
    double v = uniform();
    return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * v);
  }

private:
  uint64_t state;
};

} // namespace fxgraph

#endif // FXGRAPH_REFERENCE_RANDOM_H
