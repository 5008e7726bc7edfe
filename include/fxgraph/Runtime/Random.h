/*===- Random.h - PyTorch's random numbers on the CPU --------------*- C -*-===*
 *
 * Part of the fxgraph project, under the Apache License v2.0 with LLVM
 * Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * The numbers that PyTorch draws on a CPU: of one seed, the same draws in the same
 * order give the same bits as behind torch.manual_seed(seed). In C and without other
 * files, since shared libraries carry it along as text.
 *
 * Bit-equal to PyTorch 2.13 on x86-64 with AVX2. Older versions draw f16 and bf16 in
 * other ways. On processors of Intel PyTorch takes bernoulli numbers of one probability,
 * and so dropout, from MKL: those are other numbers.
 *
 *===----------------------------------------------------------------------===*/

#ifndef FXGRAPH_RUNTIME_RANDOM_H
#define FXGRAPH_RUNTIME_RANDOM_H

#ifndef FXCPU_STANDALONE
#include "fxgraph/Runtime/Tensor.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define FX_RANDOM_WORDS 624

/** The state of a generator. */
typedef struct FxRandom {
  uint32_t words[FX_RANDOM_WORDS];
  int32_t used;      /**< of the words */
  int32_t hasNormal; /**< a normal number is left over */
  double normal;
} FxRandom;

void fxRandomSeed(FxRandom *random, uint64_t seed);
uint32_t fxRandom32(FxRandom *random);

/* Dense elements of an f32, f64, f16 or bf16 tensor, in row-major order. */

/** torch.rand */
void fxRandomUniform(FxRandom *random, void *data, int64_t count, int dtype);
/** torch.randn */
void fxRandomNormal(FxRandom *random, void *data, int64_t count, int dtype);
/** Tensor.exponential_(rate) */
void fxRandomExponential(FxRandom *random, void *data, int64_t count, int dtype, double rate);
/** Tensor.bernoulli_(p): 0 or 1 a byte. */
void fxRandomBernoulli(FxRandom *random, uint8_t *data, int64_t count, double p);
/** torch.randint(low, high): low < high. */
void fxRandomIntegers(FxRandom *random, int64_t *data, int64_t count, int64_t low, int64_t high);
/** torch.randperm(count) */
void fxRandomPermutation(FxRandom *random, int64_t *data, int64_t count);

#ifdef __cplusplus
}
#endif

#endif /* FXGRAPH_RUNTIME_RANDOM_H */
