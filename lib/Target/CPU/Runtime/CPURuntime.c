/*===- CPURuntime.c - What compiled CPU graphs call -----------------------===*
 *
 * Part of the fxgraph project, under the Apache License v2.0 with LLVM
 * Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#ifndef FXCPU_STANDALONE
#include "CPURuntime.h"
#endif

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#define FXCPU_PAUSE() __builtin_ia32_pause()
#else
#define FXCPU_PAUSE() ((void)0)
#endif

#define FXCPU_ALIGN 64

/*===-- Errors ------------------------------------------------------------===*/

/* Holds a path, a place in it and a message. */
static __thread char lastError[2048];

const char *fxcpu_last_error(void) { return lastError; }

#define FXCPU_ERROR(status, ...) (snprintf(lastError, sizeof lastError, __VA_ARGS__), (status))

/*===-- Memory ------------------------------------------------------------===*/

static void *allocateAligned(int64_t bytes) {
  if (bytes <= 0)
    bytes = 1;
  if ((uint64_t)bytes > (uint64_t)INT64_MAX - 2 * FXCPU_ALIGN)
    return NULL;
  size_t size = ((size_t)bytes + FXCPU_ALIGN - 1) / FXCPU_ALIGN * FXCPU_ALIGN;
  return aligned_alloc(FXCPU_ALIGN, size);
}

/** Header of an allocation of a run: a doubly linked list, so that a failing run
 * leaves nothing behind. */
typedef struct Allocation {
  struct Allocation *next, *previous;
} Allocation;

struct FxCpuContext {
  const FxCpuProgram *program;
  FxTensorDesc *outputs;
  int outputCount;
  void **results;   /* addresses of all results, also of the mutated arguments' */
  int *owned;       /* result is memory that this run allocated */
  Allocation list;  /* ring of allocations */
  const int64_t **resultMeta;
  int64_t (*resultSizes)[FX_MAX_RANK];
};

void *fxcpu_alloc(FxCpuContext *context, int64_t bytes) {
  if (bytes < 0 || bytes > INT64_MAX - FXCPU_ALIGN)
    return NULL;
  char *memory = allocateAligned(bytes + FXCPU_ALIGN);
  if (!memory)
    return NULL;
  Allocation *header = (Allocation *)memory;
  header->next = context->list.next;
  header->previous = &context->list;
  context->list.next->previous = header;
  context->list.next = header;
  return memory + FXCPU_ALIGN;
}

void fxcpu_dealloc(FxCpuContext *context, void *pointer) {
  (void)context;
  Allocation *header = (Allocation *)((char *)pointer - FXCPU_ALIGN);
  header->next->previous = header->previous;
  header->previous->next = header->next;
  free(header);
}

static pthread_key_t scratchKey;
static pthread_once_t scratchOnce = PTHREAD_ONCE_INIT;
static __thread void *scratchMemory;
static __thread int64_t scratchBytes;

static void makeScratchKey(void) { pthread_key_create(&scratchKey, free); }

void *fxcpu_scratch(int64_t bytes) {
  if (bytes > scratchBytes) {
    pthread_once(&scratchOnce, makeScratchKey);
    free(scratchMemory);
    scratchMemory = allocateAligned(bytes);
    if (!scratchMemory) {
      /* A few hundred KiB at most: nothing sensible is left to do. */
      fputs("fxgraph: out of memory\n", stderr);
      abort();
    }
    scratchBytes = bytes;
    pthread_setspecific(scratchKey, scratchMemory);
  }
  return scratchMemory;
}

/*===-- Threads -----------------------------------------------------------===*/

/* Workers wait for a generation number to change, first spinning, then asleep. One
 * caller at a time has the workers; others do their loops alone. */
typedef struct {
  void (*function)(void *, int64_t, int64_t);
  void *arguments;
  int64_t count, chunk;
  atomic_llong next;
} Job;

static struct {
  pthread_mutex_t caller; /* held by who has the workers */
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  atomic_uint generation;
  atomic_int busy;
  int workers; /* started so far */
  int sleeping;
  Job job;
} pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0, 0, {0, 0, 0, 0, 0}};

static atomic_int requestedThreads;

void fxcpu_set_threads(int count) { atomic_store(&requestedThreads, count < 0 ? 0 : count); }

static int getThreads(void) {
  int requested = atomic_load(&requestedThreads);
  if (requested > 0)
    return requested;
  static atomic_int processors;
  int known = atomic_load(&processors);
  if (known == 0) {
    const char *variable = getenv("FXGRAPH_NUM_THREADS");
    known = variable ? atoi(variable) : 0;
    if (known <= 0)
      known = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (known <= 0)
      known = 1;
    if (known > 256)
      known = 256;
    atomic_store(&processors, known);
  }
  return known;
}

static void work(void) {
  for (;;) {
    int64_t low = (int64_t)atomic_fetch_add(&pool.job.next, pool.job.chunk);
    if (low >= pool.job.count)
      return;
    int64_t high = low + pool.job.chunk;
    pool.job.function(pool.job.arguments, low, high < pool.job.count ? high : pool.job.count);
  }
}

static void *workerMain(void *argument) {
  unsigned seen = (unsigned)(uintptr_t)argument;
  for (;;) {
    int spins = 0;
    while (atomic_load_explicit(&pool.generation, memory_order_acquire) == seen) {
      if (++spins < 4000) {
        FXCPU_PAUSE();
        continue;
      }
      pthread_mutex_lock(&pool.mutex);
      ++pool.sleeping;
      while (atomic_load(&pool.generation) == seen)
        pthread_cond_wait(&pool.wake, &pool.mutex);
      --pool.sleeping;
      pthread_mutex_unlock(&pool.mutex);
    }
    ++seen;
    work();
    atomic_fetch_sub_explicit(&pool.busy, 1, memory_order_release);
  }
  return NULL;
}

/* After fork() the child has no workers. */
static void forgetWorkers(void) {
  pool.workers = 0;
  pool.sleeping = 0;
  atomic_store(&pool.busy, 0);
  pthread_mutex_init(&pool.caller, NULL);
  pthread_mutex_init(&pool.mutex, NULL);
  pthread_cond_init(&pool.wake, NULL);
}
static pthread_once_t forkOnce = PTHREAD_ONCE_INIT;
static void watchForks(void) { pthread_atfork(NULL, NULL, forgetWorkers); }

void fxcpu_parallel(FxCpuContext *context, void (*function)(void *, int64_t, int64_t), void *arguments, int64_t count, int64_t grain) {
  (void)context;
  if (count <= 0)
    return;
  int64_t pieces = (count + grain - 1) / grain;
  int threads = getThreads();
  if (pieces < threads)
    threads = (int)pieces;
  if (threads <= 1 || pthread_mutex_trylock(&pool.caller) != 0) {
    function(arguments, 0, count);
    return;
  }
  pthread_once(&forkOnce, watchForks);
  while (pool.workers < threads - 1) {
    pthread_t thread;
    void *seen = (void *)(uintptr_t)atomic_load(&pool.generation);
    if (pthread_create(&thread, NULL, workerMain, seen) != 0)
      break;
    pthread_detach(thread);
    ++pool.workers;
  }
  /* A few chunks a thread even out what runs beside us. */
  int64_t chunk = (count + 4 * threads - 1) / (4 * threads);
  pool.job.function = function;
  pool.job.arguments = arguments;
  pool.job.count = count;
  pool.job.chunk = chunk < grain ? grain : chunk;
  atomic_store(&pool.job.next, 0);
  atomic_store(&pool.busy, pool.workers);
  pthread_mutex_lock(&pool.mutex);
  atomic_fetch_add_explicit(&pool.generation, 1, memory_order_release);
  if (pool.sleeping > 0)
    pthread_cond_broadcast(&pool.wake);
  pthread_mutex_unlock(&pool.mutex);
  work();
  while (atomic_load_explicit(&pool.busy, memory_order_acquire) > 0)
    FXCPU_PAUSE();
  pthread_mutex_unlock(&pool.caller);
}

/*===-- Descriptors -------------------------------------------------------===*/

static int64_t bytesOf(int64_t dtype) {
  switch (dtype) {
  case FX_F64:
  case FX_I64:
    return 8;
  case FX_F32:
  case FX_I32:
    return 4;
  case FX_F16:
  case FX_BF16:
  case FX_I16:
    return 2;
  case FX_I8:
  case FX_U8:
  case FX_BOOL:
    return 1;
  default:
    return 0;
  }
}

static const char *nameOf(int64_t dtype) {
  static const char *names[] = {"?", "f32", "f64", "f16", "bf16", "i8", "i16", "i32", "i64", "u8", "bool"};
  return dtype >= 1 && dtype <= FX_BOOL ? names[dtype] : names[0];
}

/** Number of elements, or -1 on overflow or negative extents. */
static int64_t countElements(const int64_t *sizes, int rank) {
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

static int isRowMajor(const FxTensorDesc *tensor) {
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

/** Copies between a strided tensor and row-major memory. */
static void copyStrided(const FxTensorDesc *tensor, char *dense, int64_t bytes, int toDense) {
  int64_t index[FX_MAX_RANK] = {0};
  int64_t count = countElements(tensor->sizes, tensor->rank);
  for (int64_t n = 0; n < count; ++n) {
    int64_t offset = 0;
    for (int i = 0; i < tensor->rank; ++i)
      offset += index[i] * tensor->strides[i];
    char *element = (char *)tensor->data + offset * bytes;
    if (toDense)
      memcpy(dense + n * bytes, element, bytes);
    else
      memcpy(element, dense + n * bytes, bytes);
    for (int i = tensor->rank - 1; i >= 0 && ++index[i] == tensor->sizes[i]; --i)
      index[i] = 0;
  }
}

static int checkTensor(const char *what, int position, const FxTensorDesc *tensor, const int64_t *meta) {
  if (tensor->dtype != meta[0] && (tensor->dtype < FX_F32 || tensor->dtype > FX_BOOL))
    return FXCPU_ERROR(FX_BAD_ARGUMENT, "%s %d: expected dtype %s but got %d, which is no FxDtype", what, position, nameOf(meta[0]),
                       (int)tensor->dtype);
  if (tensor->dtype != meta[0])
    return FXCPU_ERROR(FX_BAD_ARGUMENT, "%s %d: expected dtype %s but got %s", what, position, nameOf(meta[0]), nameOf(tensor->dtype));
  if (tensor->rank != meta[1])
    return FXCPU_ERROR(FX_BAD_ARGUMENT, "%s %d: expected rank %d but got %d", what, position, (int)meta[1], (int)tensor->rank);
  for (int i = 0; i < tensor->rank; ++i)
    if (meta[2 + i] >= 0 ? tensor->sizes[i] != meta[2 + i] : tensor->sizes[i] < 0)
      return FXCPU_ERROR(FX_BAD_ARGUMENT, "%s %d: expected extent %lld in dim %d but got %lld", what, position, (long long)meta[2 + i], i,
                         (long long)tensor->sizes[i]);
  int64_t count = countElements(tensor->sizes, tensor->rank);
  if (count < 0)
    return FXCPU_ERROR(FX_BAD_ARGUMENT, "%s %d: expected a number of elements that fits 64 bits", what, position);
  for (int i = 0; i < tensor->rank; ++i)
    if (tensor->sizes[i] > 1 && tensor->strides[i] < 0)
      return FXCPU_ERROR(FX_BAD_ARGUMENT, "%s %d: expected a stride >= 0 in dim %d but got %lld", what, position, i,
                         (long long)tensor->strides[i]);
  return FX_OK;
}

/*===-- Running -----------------------------------------------------------===*/

#if defined(__x86_64__)
/* What code generators call to move a bf16 that stands in a float: libgcc has it since
 * version 13 only. The result is in the low 16 bits of a vector register. */
FxCpuVector fxcpu_truncsfbf2(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits = value != value ? bits | 0x400000 : bits + 0x7FFF + ((bits >> 16) & 1);
  FxCpuVector result = {(short)(bits >> 16)};
  return result;
}
#ifdef FXCPU_STANDALONE
FxCpuVector __truncsfbf2(float value) __attribute__((alias("fxcpu_truncsfbf2"), visibility("hidden")));
#endif
#endif

void fxcpu_fail(FxCpuContext *context, const char *message) {
  (void)context;
  if (message[0])
    snprintf(lastError, sizeof lastError, "%s", message);
}

/** Gives result `index` its memory once the extents are known. */
static void *placeResult(FxCpuContext *context, int64_t index, const int64_t *extents) {
  const int64_t *meta = context->resultMeta[index];
  int rank = (int)meta[1];
  memcpy(context->resultSizes[index], extents, rank * sizeof(int64_t));
  int64_t count = countElements(extents, rank), bytes;
  if (count < 0 || __builtin_mul_overflow(count, bytesOf(meta[0]), &bytes)) {
    (void)FXCPU_ERROR(0, "output %d: expected a size that fits 64 bits", (int)index);
    return NULL;
  }
  if (index < context->outputCount && context->outputs[index].data) {
    FxTensorDesc *output = &context->outputs[index];
    for (int i = 0; i < rank; ++i)
      if (output->sizes[i] != extents[i]) {
        (void)FXCPU_ERROR(0, "output %d: expected memory of extent %lld in dim %d but got %lld", (int)index, (long long)extents[i], i,
                    (long long)output->sizes[i]);
        return NULL;
      }
    return context->results[index] = output->data;
  }
  void *memory = allocateAligned(bytes);
  if (!memory) {
    (void)FXCPU_ERROR(0, "output %d: out of memory", (int)index);
    return NULL;
  }
  context->owned[index] = 1;
  return context->results[index] = memory;
}

void *fxcpu_output(FxCpuContext *context, int64_t index, const int64_t *extents) { return placeResult(context, index, extents); }

static void describeOutput(FxTensorDesc *output, void *data, const int64_t *meta, const int64_t *sizes) {
  output->data = data;
  output->dtype = (int32_t)meta[0];
  output->rank = (int32_t)meta[1];
  int64_t stride = 1;
  for (int i = output->rank - 1; i >= 0; --i) {
    output->sizes[i] = sizes[i];
    output->strides[i] = stride;
    stride *= sizes[i] > 0 ? sizes[i] : 1;
  }
}

/** Everything after the memory of the bookkeeping has been found. */
static int runWith(FxCpuProgram *program, FxCpuContext *context, const FxTensorDesc *inputs, int inputCount, const int64_t **inputMeta,
                   void **addresses, void **copies, int64_t *extents, int resultCount) {
  int extentCount = 0;
  for (int i = 0; i < inputCount; ++i) {
    int status = checkTensor("input", i, &inputs[i], inputMeta[i]);
    if (status)
      return status;
    int64_t count = countElements(inputs[i].sizes, inputs[i].rank), bytes = bytesOf(inputMeta[i][0]);
    if (count > 0 && !inputs[i].data)
      return FXCPU_ERROR(FX_BAD_ARGUMENT, "input %d: expected data but got a null pointer", i);
    addresses[i] = inputs[i].data;
    if (!isRowMajor(&inputs[i])) {
      copies[i] = allocateAligned(count * bytes);
      if (!copies[i])
        return FXCPU_ERROR(FX_OUT_OF_MEMORY, "input %d: out of memory", i);
      copyStrided(&inputs[i], copies[i], bytes, 1);
      addresses[i] = copies[i];
    }
    for (int j = 0; j < inputs[i].rank; ++j)
      if (inputMeta[i][2 + j] < 0)
        extents[extentCount++] = inputs[i].sizes[j];
  }
  for (int i = 0; i < resultCount; ++i) {
    const int64_t *meta = context->resultMeta[i];
    int isStatic = 1;
    for (int j = 0; j < meta[1]; ++j)
      isStatic &= meta[2 + j] >= 0;
    if (i < context->outputCount && context->outputs[i].data) {
      int status = checkTensor("output", i, &context->outputs[i], meta);
      if (status)
        return status;
      if (!isRowMajor(&context->outputs[i]))
        return FXCPU_ERROR(FX_BAD_ARGUMENT, "output %d: expected row-major strides", i);
    }
    /* An element written twice would keep the value of the last one. */
    int64_t argument = meta[2 + meta[1]];
    for (int j = 0; argument >= 0 && j < meta[1]; ++j)
      if (inputs[argument].sizes[j] > 1 && inputs[argument].strides[j] == 0)
        return FXCPU_ERROR(FX_BAD_ARGUMENT, "input %d: expected a stride > 0 in dim %d, as the graph writes it, but got 0", (int)argument, j);
    if (isStatic && !placeResult(context, i, meta + 2))
      return FX_OUT_OF_MEMORY;
  }
  void *workspace = __atomic_exchange_n(&program->cachedWorkspace, NULL, __ATOMIC_ACQ_REL);
  if (!workspace && program->workspaceBytes > 0 && !(workspace = allocateAligned(program->workspaceBytes)))
    return FXCPU_ERROR(FX_OUT_OF_MEMORY, "out of memory: expected %lld bytes of workspace", (long long)program->workspaceBytes);
  int status = program->entry(addresses, context->results, extents, workspace, context);
  void *other = __atomic_exchange_n(&program->cachedWorkspace, workspace, __ATOMIC_ACQ_REL);
  free(other);
  if (status)
    return status;
  for (int i = 0; i < resultCount; ++i) {
    const int64_t *meta = context->resultMeta[i];
    int64_t argument = meta[2 + meta[1]];
    if (argument < 0) {
      if (context->owned[i]) {
        describeOutput(&context->outputs[i], context->results[i], meta, context->resultSizes[i]);
        context->owned[i] = 0;
      }
      continue;
    }
    for (int j = 0; j < meta[1]; ++j)
      if (context->resultSizes[i][j] != inputs[argument].sizes[j])
        return FXCPU_ERROR(FX_RUN_FAILED, "input %d: expected the value that is written to have extent %lld in dim %d but got %lld",
                           (int)argument, (long long)inputs[argument].sizes[j], j, (long long)context->resultSizes[i][j]);
  }
  /* Only now, when nothing can fail any more, are arguments written. */
  for (int i = context->outputCount; i < resultCount; ++i) {
    const int64_t *meta = context->resultMeta[i];
    const FxTensorDesc *input = &inputs[meta[2 + meta[1]]];
    int64_t bytes = bytesOf(meta[0]), count = countElements(input->sizes, input->rank);
    if (count == 0)
      continue;
    if (isRowMajor(input))
      memcpy(input->data, context->results[i], count * bytes);
    else
      copyStrided(input, context->results[i], bytes, 0);
  }
  return FX_OK;
}

int fxcpu_run(FxCpuProgram *program, const FxTensorDesc *inputs, int inputCount, FxTensorDesc *outputs, int outputCount) {
  const int64_t *meta = program->meta;
  int expectedInputs = (int)meta[0], resultCount = (int)meta[1], expectedOutputs = (int)(meta[1] - meta[2]);
  if (inputCount != expectedInputs)
    return FXCPU_ERROR(FX_BAD_ARGUMENT, "expected %d inputs but got %d", expectedInputs, inputCount);
  if (outputCount != expectedOutputs)
    return FXCPU_ERROR(FX_BAD_ARGUMENT, "expected %d outputs but got %d", expectedOutputs, outputCount);
  if ((inputCount > 0 && !inputs) || (outputCount > 0 && !outputs))
    return FXCPU_ERROR(FX_BAD_ARGUMENT, "expected an array of %s but got a null pointer", inputCount > 0 && !inputs ? "inputs" : "outputs");

  size_t tensors = (size_t)inputCount + resultCount + 1;
  char *memory = calloc(1, tensors * (3 * sizeof(void *) + 2 * sizeof(int) + 2 * FX_MAX_RANK * sizeof(int64_t)));
  if (!memory)
    return FXCPU_ERROR(FX_OUT_OF_MEMORY, "out of memory");
  int64_t(*sizes)[FX_MAX_RANK] = (int64_t(*)[FX_MAX_RANK])memory;
  int64_t *extents = (int64_t *)(sizes + tensors);
  void **addresses = (void **)(extents + tensors * FX_MAX_RANK);
  void **copies = addresses + tensors;
  const int64_t **tensorMeta = (const int64_t **)(void *)(copies + tensors);
  int *owned = (int *)(tensorMeta + tensors);

  const int64_t *next = meta + 3;
  for (int i = 0; i < inputCount + resultCount; ++i) {
    tensorMeta[i] = next;
    next += 3 + next[1];
  }
  FxCpuContext context;
  context.program = program;
  context.outputs = outputs;
  context.outputCount = outputCount;
  context.results = addresses + inputCount;
  context.owned = owned;
  context.list.next = context.list.previous = &context.list;
  context.resultMeta = tensorMeta + inputCount;
  context.resultSizes = sizes;
  int status = runWith(program, &context, inputs, inputCount, tensorMeta, addresses, copies, extents, resultCount);
  while (context.list.next != &context.list)
    fxcpu_dealloc(&context, (char *)context.list.next + FXCPU_ALIGN);
  for (int i = 0; i < resultCount; ++i)
    if (owned[i])
      free(context.results[i]);
  for (int i = 0; i < inputCount; ++i)
    free(copies[i]);
  free(memory);
  return status;
}

void fxcpu_release(FxCpuProgram *program) {
  free(__atomic_exchange_n(&program->cachedWorkspace, NULL, __ATOMIC_ACQ_REL));
}

/*===-- Sorting -----------------------------------------------------------===*/

static double halfToDouble(uint16_t bits) {
  uint32_t sign = (uint32_t)(bits & 0x8000u) << 16, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent == 0) {
    double value = fraction * (1.0 / 16777216.0);
    return sign ? -value : value;
  }
  uint32_t word = exponent == 31 ? sign | 0x7f800000u | fraction << 13 : sign | (exponent + 112) << 23 | fraction << 13;
  float value;
  memcpy(&value, &word, 4);
  return value;
}

typedef struct {
  int64_t index;
  union {
    double real;
    int64_t integer;
  } key;
} SortItem;

static SortItem readItem(const char *data, int64_t position, int64_t dtype, int64_t index) {
  SortItem item;
  item.index = index;
  switch (dtype) {
  case FX_F64:
    item.key.real = ((const double *)data)[position];
    break;
  case FX_F32:
    item.key.real = ((const float *)data)[position];
    break;
  case FX_F16:
    item.key.real = halfToDouble(((const uint16_t *)data)[position]);
    break;
  case FX_BF16: {
    uint32_t word = (uint32_t)((const uint16_t *)data)[position] << 16;
    float value;
    memcpy(&value, &word, 4);
    item.key.real = value;
    break;
  }
  case FX_I64:
    item.key.integer = ((const int64_t *)data)[position];
    break;
  case FX_I32:
    item.key.integer = ((const int32_t *)data)[position];
    break;
  case FX_I16:
    item.key.integer = ((const int16_t *)data)[position];
    break;
  case FX_I8:
    item.key.integer = ((const int8_t *)data)[position];
    break;
  default:
    item.key.integer = ((const uint8_t *)data)[position];
    break;
  }
  return item;
}

/** x comes strictly in front of y. */
static int precedes(const SortItem *x, const SortItem *y, int real, int descending) {
  if (!real)
    return descending ? x->key.integer > y->key.integer : x->key.integer < y->key.integer;
  int xNan = x->key.real != x->key.real, yNan = y->key.real != y->key.real;
  if (xNan || yNan)
    return descending ? xNan && !yNan : yNan && !xNan;
  return descending ? x->key.real > y->key.real : x->key.real < y->key.real;
}

/** Bottom-up merge sort; returns the buffer that holds the result. */
static SortItem *mergeSort(SortItem *items, SortItem *other, int64_t n, int real, int descending) {
  for (int64_t low = 0; low < n; low += 16)
    for (int64_t i = low + 1; i < n && i < low + 16; ++i) {
      SortItem item = items[i];
      int64_t j = i;
      for (; j > low && precedes(&item, &items[j - 1], real, descending); --j)
        items[j] = items[j - 1];
      items[j] = item;
    }
  for (int64_t width = 16; width < n; width *= 2) {
    for (int64_t low = 0; low < n; low += 2 * width) {
      int64_t middle = low + width < n ? low + width : n, high = low + 2 * width < n ? low + 2 * width : n;
      int64_t i = low, j = middle;
      for (int64_t k = low; k < high; ++k)
        other[k] = i < middle && (j >= high || !precedes(&items[j], &items[i], real, descending)) ? items[i++] : items[j++];
    }
    SortItem *swap = items;
    items = other;
    other = swap;
  }
  return items;
}

int64_t fxcpu_sort(int64_t input, int64_t values, int64_t indices, int64_t outer, int64_t n, int64_t kept, int64_t inner, int64_t dtype,
                   int64_t descending) {
  if (outer == 0 || n == 0 || inner == 0 || kept == 0)
    return 0;
  const char *from = (const char *)(intptr_t)input;
  char *to = (char *)(intptr_t)values;
  int64_t *positions = (int64_t *)(intptr_t)indices;
  int64_t bytes = bytesOf(dtype);
  int real = dtype == FX_F32 || dtype == FX_F64 || dtype == FX_F16 || dtype == FX_BF16;
  SortItem *items = malloc(2 * (size_t)n * sizeof(SortItem));
  if (!items)
    return 1;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      for (int64_t j = 0; j < n; ++j)
        items[j] = readItem(from, (o * n + j) * inner + i, dtype, j);
      SortItem *sorted = mergeSort(items, items + n, n, real, (int)descending);
      for (int64_t j = 0; j < kept; ++j) {
        int64_t target = (o * kept + j) * inner + i;
        memcpy(to + target * bytes, from + ((o * n + sorted[j].index) * inner + i) * bytes, (size_t)bytes);
        positions[target] = sorted[j].index;
      }
    }
  free(items);
  return 0;
}

/*===-- Public entry points of a shared library ---------------------------===*/

#ifdef FXCPU_STANDALONE

extern const int64_t fxgraph_meta[];
extern const char fxgraph_names[];
extern const int64_t fxgraph_workspace_bytes;
extern int32_t fxgraph_entry(void **, void **, const int64_t *, void *, FxCpuContext *);

static FxCpuProgram theProgram;
static FxGraphInfo theInfo;
static pthread_once_t programOnce = PTHREAD_ONCE_INIT;

static void makeProgram(void) {
  theProgram.meta = fxgraph_meta;
  theProgram.names = fxgraph_names;
  theProgram.workspaceBytes = fxgraph_workspace_bytes;
  theProgram.entry = fxgraph_entry;
  int inputs = (int)fxgraph_meta[0], results = (int)fxgraph_meta[1];
  FxTensorInfo *infos = calloc((size_t)(inputs + results) + 1, sizeof(FxTensorInfo));
  if (!infos)
    return;
  const int64_t *next = fxgraph_meta + 3;
  const char *name = fxgraph_names;
  theInfo.name = name;
  name += strlen(name) + 1;
  for (int i = 0; i < inputs + results; ++i) {
    infos[i].name = name;
    name += strlen(name) + 1;
    infos[i].dtype = (int32_t)next[0];
    infos[i].rank = (int32_t)next[1];
    infos[i].sizes = next + 2;
    infos[i].mutated = i < inputs && next[2 + next[1]] >= 0;
    next += 3 + next[1];
  }
  theInfo.inputCount = inputs;
  theInfo.outputCount = (int)(fxgraph_meta[1] - fxgraph_meta[2]);
  theInfo.inputs = infos;
  theInfo.outputs = infos + inputs;
}

#define FXCPU_EXPORT __attribute__((visibility("default")))

FXCPU_EXPORT int fxgraph_run(const FxTensorDesc *inputs, int inputCount, FxTensorDesc *outputs, int outputCount) {
  pthread_once(&programOnce, makeProgram);
  return fxcpu_run(&theProgram, inputs, inputCount, outputs, outputCount);
}
FXCPU_EXPORT const char *fxgraph_last_error(void) { return lastError; }
FXCPU_EXPORT const FxGraphInfo *fxgraph_info(void) {
  pthread_once(&programOnce, makeProgram);
  return &theInfo;
}
FXCPU_EXPORT int fxgraph_version(void) { return FX_CPU_ABI_VERSION; }
FXCPU_EXPORT void fxgraph_free(void *data) { free(data); }
FXCPU_EXPORT void fxgraph_set_threads(int count) { fxcpu_set_threads(count); }

#endif
