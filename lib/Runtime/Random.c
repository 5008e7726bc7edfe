/*===- Random.c - PyTorch's random numbers on the CPU ---------------------===*
 *
 * Part of the fxgraph project, under the Apache License v2.0 with LLVM
 * Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#ifndef FXCPU_STANDALONE
#include "fxgraph/Runtime/Random.h"
#endif

#include <math.h>
#include <string.h>

/*===-- The generator: MT19937 (Matsumoto, Nishimura 1998) ----------------===*/

void fxRandomSeed(FxRandom *random, uint64_t seed) {
  random->words[0] = (uint32_t)seed;
  for (uint32_t i = 1; i < FX_RANDOM_WORDS; ++i)
    random->words[i] = 1812433253u * (random->words[i - 1] ^ random->words[i - 1] >> 30) + i;
  random->used = FX_RANDOM_WORDS;
  random->hasNormal = 0;
}

uint32_t fxRandom32(FxRandom *random) {
  uint32_t *words = random->words;
  if (random->used == FX_RANDOM_WORDS) {
    for (int i = 0; i < FX_RANDOM_WORDS; ++i) {
      uint32_t both = (words[i] & 0x80000000u) | (words[(i + 1) % FX_RANDOM_WORDS] & 0x7fffffffu);
      words[i] = words[(i + 397) % FX_RANDOM_WORDS] ^ both >> 1 ^ (both & 1 ? 0x9908b0dfu : 0);
    }
    random->used = 0;
  }
  uint32_t word = words[random->used++];
  word ^= word >> 11;
  word ^= word << 7 & 0x9d2c5680u;
  word ^= word << 15 & 0xefc60000u;
  return word ^ word >> 18;
}

static uint64_t random64(FxRandom *random) {
  uint64_t high = fxRandom32(random);
  return high << 32 | fxRandom32(random);
}

/** Uniform on [0, 1) with as many bits as a double, resp. a float has. */
static double uniform64(FxRandom *random) { return (double)(random64(random) & 0x1fffffffffffffull) * 0x1p-53; }
static float uniform32(FxRandom *random) { return (float)(fxRandom32(random) & 0xffffffu) * 0x1p-24f; }

/*===-- Elements ----------------------------------------------------------===*/

/** The bits of a float in 16 bits with `mantissa` stored bits, to nearest even. */
static uint16_t narrow(float value, int mantissa) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (mantissa == 7) /* bf16 has the exponent of f32 */
    return (uint16_t)(sign | (magnitude + 0x7fffu + (magnitude >> 16 & 1)) >> 16);
  if (magnitude >= 0x477ff000u) /* f16 ends at 65504: the next is infinity */
    return (uint16_t)(sign | 0x7c00u);
  int shift = 13;
  uint32_t whole = magnitude - 0x38000000u; /* exponent bias 127 to 15 */
  if (magnitude < 0x38800000u) {            /* subnormal in f16 */
    shift = 126 - (int)(magnitude >> 23);
    if (shift > 24)
      return (uint16_t)sign;
    whole = (magnitude & 0x7fffffu) | 0x800000u;
  }
  uint32_t half = whole >> shift, rest = whole & ((1u << shift) - 1), middle = 1u << (shift - 1);
  half += rest > middle || (rest == middle && (half & 1));
  return (uint16_t)(sign | half);
}

static void store(void *data, int64_t at, int dtype, double value) {
  switch (dtype) {
  case FX_F64:
    ((double *)data)[at] = value;
    break;
  case FX_F32:
    ((float *)data)[at] = (float)value;
    break;
  default:
    ((uint16_t *)data)[at] = narrow((float)value, dtype == FX_BF16 ? 7 : 10);
    break;
  }
}

/*===-- Distributions -----------------------------------------------------===*/

void fxRandomUniform(FxRandom *random, void *data, int64_t count, int dtype) {
  for (int64_t i = 0; i < count; ++i) {
    store(data, i, dtype, dtype == FX_F64 ? uniform64(random) : uniform32(random));
    /* What 16 bits round up to 1 becomes 0. */
    if ((dtype == FX_F16 && ((uint16_t *)data)[i] == 0x3c00u) || (dtype == FX_BF16 && ((uint16_t *)data)[i] == 0x3f80u))
      ((uint16_t *)data)[i] = 0;
  }
}

/** One normal number; every second one is left over from the one before. */
static double normal(FxRandom *random) {
  if (random->hasNormal) {
    random->hasNormal = 0;
    return random->normal;
  }
  double u = uniform64(random), v = uniform64(random);
  double radius = sqrt(-2.0 * log1p(-v)), angle = 2.0 * 3.14159265358979323846 * u;
  random->normal = radius * sin(angle);
  random->hasNormal = 1;
  return radius * cos(angle);
}

/* Float logarithm, sine and cosine are the polynomials of Cephes (Moshier), as PyTorch's
 * AVX2 code computes them: where it was compiled to a fused multiply-add there is one. */

static float bitsToFloat(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

static float polynomial(float x, const float *coefficients, int count) {
  float sum = coefficients[0];
  for (int i = 1; i < count; ++i)
    sum = fmaf(sum, x, coefficients[i]);
  return sum;
}

/** ln x for normal x > 0. */
static float cephesLog(float x) {
  static const float p[] = {7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f, 1.4249322787e-1f,
                            -1.6668057665e-1f, 2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f};
  uint32_t bits;
  memcpy(&bits, &x, 4);
  float exponent = (float)((int)(bits >> 23) - 126);
  float m = bitsToFloat((bits & 0x7fffffu) | 0x3f000000u); /* [0.5, 1) */
  if (m < 0.707106781186547524f) {
    exponent -= 1.0f;
    m = (m - 1.0f) + m;
  } else {
    m -= 1.0f;
  }
  float square = m * m;
  float y = fmaf(polynomial(m, p, 9) * m, square, exponent * -2.12194440e-4f);
  y = fmaf(square, -0.5f, y);
  return fmaf(exponent, 0.693359375f, m + y);
}

/** Sine and cosine of x in [0, 2 pi). */
static void cephesSinCos(float x, float *sine, float *cosine) {
  static const float s[] = {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};
  static const float c[] = {2.443315711809948e-5f, -1.388731625493765e-3f, 4.166664568298827e-2f};
  int octant = ((int)(x * 1.27323954473516f) + 1) & ~1;
  float y = (float)octant;
  x = fmaf(y, -0.78515625f, x);
  x = fmaf(y, -2.4187564849853515625e-4f, x);
  x = fmaf(y, -3.77489497744594108e-8f, x);
  float square = x * x;
  float even = fmaf(polynomial(square, c, 3) * square, square, -(square * 0.5f)) + 1.0f;
  float odd = fmaf(polynomial(square, s, 3) * square, x, x);
  int swap = octant & 2;
  float sin = swap ? even : odd, cos = swap ? odd : even;
  *sine = octant & 4 ? -sin : sin;
  *cosine = (octant - 2) & 4 ? cos : -cos;
}

/** 16 uniform numbers to 16 normal ones (Box, Muller 1958), in floats. */
static void transform32(float *data) {
  for (int i = 0; i < 8; ++i) {
    float radius = sqrtf(-2.0f * cephesLog(1.0f - data[i])), sine, cosine;
    cephesSinCos((float)(2.0 * 3.14159265358979323846) * data[i + 8], &sine, &cosine);
    data[i] = radius * cosine;
    data[i + 8] = radius * sine;
  }
}

static void transform64(double *data) {
  for (int i = 0; i < 8; ++i) {
    double radius = sqrt(-2 * log(1 - data[i])), angle = 2.0 * 3.14159265358979323846 * data[i + 8];
    data[i] = radius * cos(angle);
    data[i + 8] = radius * sin(angle);
  }
}

/** The 16 elements from `at` on, drawn and transformed. */
static void normal16(FxRandom *random, void *data, int64_t at, int dtype) {
  float narrowBlock[16];
  double block[16];
  for (int i = 0; i < 16; ++i) {
    if (dtype == FX_F64)
      block[i] = uniform64(random);
    else
      narrowBlock[i] = uniform32(random);
  }
  if (dtype == FX_F64)
    transform64(block);
  else
    transform32(narrowBlock);
  for (int i = 0; i < 16; ++i)
    store(data, at + i, dtype, dtype == FX_F64 ? block[i] : narrowBlock[i]);
}

void fxRandomNormal(FxRandom *random, void *data, int64_t count, int dtype) {
  if (count < 16) {
    for (int64_t i = 0; i < count; ++i)
      store(data, i, dtype, normal(random));
    return;
  }
  /* PyTorch draws for a rest that it does not use, if the dtype is not widened. */
  for (int64_t i = 0; i + 16 <= count; i += 16)
    normal16(random, data, i, dtype);
  if (count % 16 == 0)
    return;
  if (dtype == FX_F64 || dtype == FX_F32)
    for (int64_t i = 0; i < count % 16; ++i)
      dtype == FX_F64 ? (void)uniform64(random) : (void)uniform32(random);
  normal16(random, data, count - 16, dtype);
}

void fxRandomExponential(FxRandom *random, void *data, int64_t count, int dtype, double rate) {
  for (int64_t i = 0; i < count; ++i)
    store(data, i, dtype, -1.0 / rate * log1p(-uniform64(random)));
}

void fxRandomBernoulli(FxRandom *random, uint8_t *data, int64_t count, double p) {
  for (int64_t i = 0; i < count; ++i)
    data[i] = uniform64(random) < p;
}

void fxRandomIntegers(FxRandom *random, int64_t *data, int64_t count, int64_t low, int64_t high) {
  /* Of wide ranges PyTorch takes 64 bits, so that the remainder stays near uniform. */
  uint64_t range = (uint64_t)high - (uint64_t)low;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t word = range >= 1ull << 28 ? random64(random) : fxRandom32(random);
    data[i] = (int64_t)(word % range + (uint64_t)low);
  }
}

void fxRandomPermutation(FxRandom *random, int64_t *data, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    data[i] = i;
  for (int64_t i = 0; i + 1 < count; ++i) {
    int64_t other = i + (int64_t)(fxRandom32(random) % (uint64_t)(count - i)), moved = data[i];
    data[i] = data[other];
    data[other] = moved;
  }
}
