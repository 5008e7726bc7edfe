/*===- Arguments.c - Checks the tensors of a call -------------------------===*
 *
 * Part of the fxgraph project, under the Apache License v2.0 with LLVM
 * Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#ifndef FXCPU_STANDALONE
#include "fxgraph/Runtime/Arguments.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  int64_t bytes;
} dtypes[] = {{"?", 0},    {"f32", 4}, {"f64", 8}, {"f16", 2},  {"bf16", 2}, {"i8", 1},  {"i16", 2},      {"i32", 4},
              {"i64", 8},  {"u8", 1},  {"bool", 1}, {"u16", 2}, {"u32", 4},  {"u64", 8}, {"f8E4M3FN", 1}, {"f8E5M2", 1},
              {"f8E4M3FNUZ", 1}, {"f8E5M2FNUZ", 1}, {"f8E8M0FNU", 1}};

static int isDtype(int64_t dtype) { return dtype >= FX_F32 && dtype <= FX_F8E8M0FNU; }

const char *fxDtypeName(int64_t dtype) { return dtypes[isDtype(dtype) ? dtype : 0].name; }
int64_t fxDtypeBytes(int64_t dtype) { return dtypes[isDtype(dtype) ? dtype : 0].bytes; }

int64_t fxCountElements(const int64_t *sizes, int rank) {
  int64_t count = 1;
  int empty = 0;
  for (int i = 0; i < rank; ++i) {
    if (sizes[i] < 0)
      return -1;
    empty |= sizes[i] == 0;
  }
  if (empty)
    return 0;
  for (int i = 0; i < rank; ++i)
    if (__builtin_mul_overflow(count, sizes[i], &count))
      return -1;
  return count;
}

int fxIsRowMajor(const FxTensorDesc *tensor) {
  int64_t expected = 1;
  for (int i = tensor->rank - 1; i >= 0; --i) {
    if (tensor->sizes[i] == 0)
      return 1;
    if (tensor->sizes[i] != 1 && tensor->strides[i] != expected)
      return 0;
    expected *= tensor->sizes[i];
  }
  return 1;
}

void fxSetRowMajorStrides(FxTensorDesc *tensor) {
  int64_t stride = 1;
  for (int i = tensor->rank - 1; i >= 0; --i) {
    tensor->strides[i] = stride;
    stride *= tensor->sizes[i] > 0 ? tensor->sizes[i] : 1;
  }
}

/** Where a message goes, and which tensor it speaks of. */
typedef struct {
  char *message;
  size_t bytes;
  const char *role;
  int position;
  const char *name;
} Place;

#define BAD(place, format, ...)                                                                                                          \
  (snprintf((place)->message, (place)->bytes, "%s %d ('%s'): expected " format, (place)->role, (place)->position, (place)->name,         \
            __VA_ARGS__),                                                                                                                \
   FX_BAD_ARGUMENT)

/** The extents that symbols have in this call; -1 where they are not known yet. */
typedef struct {
  int64_t *extents;
  int64_t count;
} Symbols;

static int checkExtent(const Place *place, Symbols *symbols, int64_t expected, int64_t actual, int dim) {
  if (expected <= -2 && -2 - expected < symbols->count) {
    int64_t *known = &symbols->extents[-2 - expected];
    if (*known < 0 && actual >= 0)
      *known = actual;
    expected = *known;
  }
  if (expected >= 0 && actual != expected)
    return BAD(place, "extent %lld in dim %d but got %lld", (long long)expected, dim, (long long)actual);
  if (actual < 0)
    return BAD(place, "an extent >= 0 in dim %d but got %lld", dim, (long long)actual);
  return FX_OK;
}

static int checkTensor(const Place *place, const FxTensorInfo *info, const FxTensorDesc *tensor, Symbols *symbols) {
  if (!isDtype(tensor->dtype))
    return BAD(place, "dtype %s but got %d, which is no FxDtype", fxDtypeName(info->dtype), (int)tensor->dtype);
  if (tensor->dtype != info->dtype)
    return BAD(place, "dtype %s but got %s", fxDtypeName(info->dtype), fxDtypeName(tensor->dtype));
  if (tensor->rank != info->rank)
    return BAD(place, "rank %d but got %d", (int)info->rank, (int)tensor->rank);
  for (int i = 0; i < tensor->rank; ++i) {
    int status = checkExtent(place, symbols, info->sizes[i], tensor->sizes[i], i);
    if (status)
      return status;
  }
  int64_t count = fxCountElements(tensor->sizes, tensor->rank), bytes;
  if (count < 0 || __builtin_mul_overflow(count, fxDtypeBytes(tensor->dtype), &bytes))
    return BAD(place, "a size that fits 64 bits but got more than %lld bytes", (long long)INT64_MAX);
  for (int i = 0; i < tensor->rank; ++i)
    if (tensor->sizes[i] > 1 && tensor->strides[i] < 0)
      return BAD(place, "a stride >= 0 in dim %d but got %lld", i, (long long)tensor->strides[i]);
  if (count == 0)
    return FX_OK;
  int64_t span = fxDtypeBytes(tensor->dtype), reach;
  for (int i = 0; i < tensor->rank; ++i)
    if (tensor->sizes[i] > 1 && (__builtin_mul_overflow(tensor->sizes[i] - 1, tensor->strides[i], &reach) ||
                                 __builtin_mul_overflow(reach, fxDtypeBytes(tensor->dtype), &reach) ||
                                 __builtin_add_overflow(span, reach, &span)))
      return BAD(place, "strides that stay within 64 bits but got %lld in dim %d", (long long)tensor->strides[i], i);
  if (info->rowMajor && !fxIsRowMajor(tensor))
    return BAD(place, "row-major strides but got others (the last one is %lld)", (long long)tensor->strides[tensor->rank - 1]);
  if (!tensor->data)
    return BAD(place, "data of %lld bytes but got a null pointer", (long long)bytes);
  uintptr_t align = info->align > 0 ? (uintptr_t)info->align : (uintptr_t)fxDtypeBytes(tensor->dtype);
  if ((uintptr_t)tensor->data % align)
    return BAD(place, "an address that is a multiple of %d but got %p", (int)align, tensor->data);
  return FX_OK;
}

/** First byte, and the byte behind the last one; both 0 for an empty tensor. */
static void getSpan(const FxTensorDesc *tensor, uintptr_t *begin, uintptr_t *end) {
  *begin = *end = 0;
  if (!tensor->data || fxCountElements(tensor->sizes, tensor->rank) <= 0)
    return;
  int64_t last = 0;
  for (int i = 0; i < tensor->rank; ++i)
    last += tensor->sizes[i] > 1 ? (tensor->sizes[i] - 1) * tensor->strides[i] : 0;
  *begin = (uintptr_t)tensor->data;
  *end = *begin + (uintptr_t)((last + 1) * fxDtypeBytes(tensor->dtype));
}

/** Visits every element: 1 if one of its bytes is marked in the map, else marks it if `marks` says so. */
static int visitBytes(const FxTensorDesc *tensor, unsigned char *map, uintptr_t origin, int marks) {
  int64_t index[FX_MAX_RANK] = {0};
  int64_t count = fxCountElements(tensor->sizes, tensor->rank), bytes = fxDtypeBytes(tensor->dtype);
  for (int64_t n = 0; n < count; ++n) {
    uintptr_t at = (uintptr_t)tensor->data - origin;
    for (int i = 0; i < tensor->rank; ++i)
      at += (uintptr_t)(index[i] * tensor->strides[i] * bytes);
    for (int64_t b = 0; b < bytes; ++b, ++at) {
      if (map[at / 8] & (1u << (at % 8)))
        return 1;
      if (marks)
        map[at / 8] |= (unsigned char)(1u << (at % 8));
    }
    for (int i = tensor->rank - 1; i >= 0 && ++index[i] == tensor->sizes[i]; --i)
      index[i] = 0;
  }
  return 0;
}

/** 1 if a byte belongs to both, 0 if none does, -1 without memory to find out. */
static int shareBytes(const FxTensorDesc *one, const FxTensorDesc *other) {
  uintptr_t begin[2], end[2];
  getSpan(one, &begin[0], &end[0]);
  getSpan(other, &begin[1], &end[1]);
  if (begin[0] >= end[1] || begin[1] >= end[0])
    return 0;
  if (fxIsRowMajor(one) && fxIsRowMajor(other))
    return 1;
  /* Views of one tensor, whose elements may alternate. */
  uintptr_t low = begin[0] < begin[1] ? begin[0] : begin[1], high = end[0] > end[1] ? end[0] : end[1];
  unsigned char *map = calloc((high - low + 7) / 8, 1);
  if (!map)
    return -1;
  visitBytes(one, map, low, 1);
  int found = visitBytes(other, map, low, 0);
  free(map);
  return found;
}

/** 1 if each element surely has a place of its own: sorted by stride, each dim steps over all that the smaller ones reach. */
static int isNested(const FxTensorDesc *tensor) {
  int used[FX_MAX_RANK] = {0};
  int64_t reach = 0;
  for (int n = 0; n < tensor->rank; ++n) {
    int smallest = -1;
    for (int i = 0; i < tensor->rank; ++i)
      if (!used[i] && (smallest < 0 || tensor->strides[i] < tensor->strides[smallest]))
        smallest = i;
    used[smallest] = 1;
    if (tensor->sizes[smallest] <= 1)
      continue;
    if (tensor->strides[smallest] <= reach)
      return 0;
    reach += (tensor->sizes[smallest] - 1) * tensor->strides[smallest];
  }
  return 1;
}

/** What is written must have a place for each element. */
static int checkWritten(const Place *place, const FxTensorDesc *tensor) {
  if (fxIsRowMajor(tensor) || fxCountElements(tensor->sizes, tensor->rank) == 0)
    return FX_OK;
  for (int i = 0; i < tensor->rank; ++i)
    if (tensor->sizes[i] > 1 && tensor->strides[i] == 0)
      return BAD(place, "a stride > 0 in dim %d, as the graph writes it, but got %d", i, 0);
  if (isNested(tensor))
    return FX_OK;
  uintptr_t begin, end;
  getSpan(tensor, &begin, &end);
  unsigned char *map = calloc((end - begin + 7) / 8, 1);
  if (!map)
    return BAD(place, "a place for each element, which cannot be checked: %s", "out of memory");
  int shared = visitBytes(tensor, map, begin, 1);
  free(map);
  return shared ? BAD(place, "a place for each element, as the graph writes it, but some %s", "share one") : FX_OK;
}

static int checkApart(const Place *place, const FxTensorDesc *written, const char *otherRole, int otherPosition, const char *otherName,
                      const FxTensorDesc *other) {
  int shared = shareBytes(written, other);
  if (shared < 0)
    return BAD(place, "memory apart from that of %s %d, which cannot be checked: %s", otherRole, otherPosition, "out of memory");
  if (shared)
    return BAD(place, "memory of its own, as the graph writes it, but it shares some with %s %d ('%s')", otherRole, otherPosition, otherName);
  return FX_OK;
}

static int checkOverlap(const FxGraphInfo *graph, const FxTensorDesc *inputs, const FxTensorDesc *outputs, char *message,
                        size_t messageBytes) {
  int status = FX_OK;
  for (int i = 0; i < graph->inputCount && !status; ++i) {
    if (!graph->inputs[i].mutated)
      continue;
    Place place = {message, messageBytes, "input", i, graph->inputs[i].name};
    status = checkWritten(&place, &inputs[i]);
    for (int j = 0; j < graph->inputCount && !status; ++j)
      if (j != i && !(graph->inputs[j].mutated && j < i))
        status = checkApart(&place, &inputs[i], "input", j, graph->inputs[j].name, &inputs[j]);
  }
  for (int i = 0; i < graph->outputCount && !status; ++i) {
    if (!outputs[i].data)
      continue;
    Place place = {message, messageBytes, "output", i, graph->outputs[i].name};
    status = checkWritten(&place, &outputs[i]);
    for (int j = 0; j < graph->inputCount && !status; ++j)
      status = checkApart(&place, &outputs[i], "input", j, graph->inputs[j].name, &inputs[j]);
    for (int j = 0; j < i && !status; ++j)
      if (outputs[j].data)
        status = checkApart(&place, &outputs[i], "output", j, graph->outputs[j].name, &outputs[j]);
  }
  return status;
}

static int64_t countSymbols(const FxTensorInfo *infos, int count, int64_t known) {
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < infos[i].rank; ++j)
      if (infos[i].sizes[j] <= -2 && -1 - infos[i].sizes[j] > known)
        known = -1 - infos[i].sizes[j];
  return known;
}

static int checkCount(const char *what, int expected, int actual, const void *array, char *message, size_t messageBytes) {
  if (expected != actual)
    return snprintf(message, messageBytes, "expected %d %s but got %d", expected, what, actual), FX_BAD_ARGUMENT;
  if (expected > 0 && !array)
    return snprintf(message, messageBytes, "expected an array of %s but got a null pointer", what), FX_BAD_ARGUMENT;
  return FX_OK;
}

int fxCheckCall(const FxGraphInfo *graph, const FxTensorDesc *inputs, int inputCount, const FxTensorDesc *outputs, int outputCount,
                char *message, size_t messageBytes) {
  int status = checkCount("inputs", graph->inputCount, inputCount, inputs, message, messageBytes);
  if (!status)
    status = checkCount("outputs", graph->outputCount, outputCount, outputs, message, messageBytes);
  if (status)
    return status;
  enum { kFew = 32 };
  int64_t few[kFew];
  Symbols symbols = {few, countSymbols(graph->outputs, outputCount, countSymbols(graph->inputs, inputCount, 0))};
  if (symbols.count > kFew && !(symbols.extents = malloc((size_t)symbols.count * sizeof(int64_t))))
    return snprintf(message, messageBytes, "out of memory"), FX_OUT_OF_MEMORY;
  for (int64_t i = 0; i < symbols.count; ++i)
    symbols.extents[i] = -1;
  for (int i = 0; i < inputCount && !status; ++i) {
    Place place = {message, messageBytes, "input", i, graph->inputs[i].name};
    status = checkTensor(&place, &graph->inputs[i], &inputs[i], &symbols);
  }
  for (int i = 0; i < outputCount && !status; ++i) {
    Place place = {message, messageBytes, "output", i, graph->outputs[i].name};
    if (outputs[i].data)
      status = checkTensor(&place, &graph->outputs[i], &outputs[i], &symbols);
  }
  if (symbols.extents != few)
    free(symbols.extents);
  return status ? status : checkOverlap(graph, inputs, outputs, message, messageBytes);
}
