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

/** What becomes of the memory of a result. */
typedef enum {
  FXCPU_CALLERS = 0, /* the caller's: stays */
  FXCPU_ALLOCATORS,  /* from FxRunOptions.allocate: described if all is well */
  FXCPU_OWNED,       /* of this run: goes to the caller if all is well */
  FXCPU_TEMPORARY    /* of this run: copied to where it belongs, then freed */
} FxCpuOwner;

struct FxCpuContext {
  const FxCpuProgram *program;
  FxTensorDesc *outputs;
  const FxRunOptions *options;
  void **results;        /* addresses of all results, also of the mutated arguments' */
  unsigned char *owners; /* FxCpuOwner of each result */
  Allocation list;       /* ring of allocations */
  int64_t (*resultSizes)[FX_MAX_RANK];
  int status; /* why a result has no place; FX_OK if all have one */
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
  int helpers; /* workers that take part: fewer than were started if the number was lowered */
  atomic_llong next;
} Job;

static struct {
  pthread_mutex_t caller; /* held by who has the workers */
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  atomic_uint generation;
  atomic_int busy;
  int workers; /* started so far */
  pthread_t *threads;
  int sleeping, ending;
  Job job;
} pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0, NULL, 0, 0, {0, 0, 0, 0, 0, 0}};

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

/** What a worker starts with: its number, and the generation that it has seen. */
typedef struct {
  int number;
  unsigned seen;
} WorkerStart;

static void *workerMain(void *argument) {
  WorkerStart start = *(WorkerStart *)argument;
  free(argument);
  unsigned seen = start.seen;
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
    if (pool.ending)
      return NULL;
    ++seen;
    if (start.number < pool.job.helpers)
      work();
    atomic_fetch_sub_explicit(&pool.busy, 1, memory_order_release);
  }
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

/** One more worker, if there are means for it. */
static int startWorker(void) {
  pthread_t *threads = realloc(pool.threads, ((size_t)pool.workers + 1) * sizeof(pthread_t));
  if (!threads)
    return 0;
  pool.threads = threads;
  WorkerStart *start = malloc(sizeof(WorkerStart));
  if (!start)
    return 0;
  start->number = pool.workers;
  start->seen = atomic_load(&pool.generation);
  if (pthread_create(&pool.threads[pool.workers], NULL, workerMain, start) != 0) {
    free(start);
    return 0;
  }
  ++pool.workers;
  return 1;
}

/** What the workers wait for. */
static void wakeWorkers(void) {
  pthread_mutex_lock(&pool.mutex);
  atomic_fetch_add_explicit(&pool.generation, 1, memory_order_release);
  if (pool.sleeping > 0)
    pthread_cond_broadcast(&pool.wake);
  pthread_mutex_unlock(&pool.mutex);
}

#ifdef FXCPU_STANDALONE
/** A library that is unloaded takes its code away: nobody may be in it any more. */
__attribute__((destructor)) static void endWorkers(void) {
  pthread_mutex_lock(&pool.caller);
  pool.ending = 1;
  wakeWorkers();
  for (int i = 0; i < pool.workers; ++i)
    pthread_join(pool.threads[i], NULL);
  pool.workers = pool.ending = 0;
  free(pool.threads);
  pool.threads = NULL;
  pthread_mutex_unlock(&pool.caller);
}
#endif

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
  while (pool.workers < threads - 1 && startWorker())
    ;
  /* A few chunks a thread even out what runs beside us. */
  int64_t chunk = (count + 4 * threads - 1) / (4 * threads);
  pool.job.function = function;
  pool.job.arguments = arguments;
  pool.job.count = count;
  pool.job.helpers = threads - 1;
  pool.job.chunk = chunk < grain ? grain : chunk;
  atomic_store(&pool.job.next, 0);
  atomic_store(&pool.busy, pool.workers);
  wakeWorkers();
  work();
  while (atomic_load_explicit(&pool.busy, memory_order_acquire) > 0)
    FXCPU_PAUSE();
  pthread_mutex_unlock(&pool.caller);
}

/*===-- Strided copies ----------------------------------------------------===*/

/** One dimension of a copy: extent, and strides in bytes on both sides. */
typedef struct {
  int64_t extent, from, to;
} CopyDim;

static void copyRow(const char *from, char *to, CopyDim dim, int64_t bytes) {
#define FXCPU_COPY_ROW(type)                                                                                                             \
  for (int64_t i = 0; i < dim.extent; ++i, from += dim.from, to += dim.to)                                                               \
    *(type *)to = *(const type *)from;                                                                                                   \
  return
  if (dim.from == bytes && dim.to == bytes) {
    memcpy(to, from, (size_t)(dim.extent * bytes));
    return;
  }
  switch (bytes) {
  case 1:
    FXCPU_COPY_ROW(uint8_t);
  case 2:
    FXCPU_COPY_ROW(uint16_t);
  case 4:
    FXCPU_COPY_ROW(uint32_t);
  case 8:
    FXCPU_COPY_ROW(uint64_t);
  }
#undef FXCPU_COPY_ROW
}

enum { FXCPU_COPY_TILE = 64 }; /* bytes of a cache line, and elements of a tile's side at most */

/** Copies a matrix of which one dimension runs along the source and the other along the target, in tiles, so that each
 * line of either is touched once: what power-of-two strides throw out of the cache is done with. */
static void copyCrossing(const char *from, char *to, CopyDim along, CopyDim across, int64_t bytes) {
#define FXCPU_COPY_CROSSING(type)                                                                                                        \
  do {                                                                                                                                   \
    enum { edge = FXCPU_COPY_TILE / sizeof(type) };                                                                                      \
    type tile[edge][edge];                                                                                                               \
    for (int64_t i = 0; i < across.extent; i += edge) {                                                                                  \
      int64_t rows = across.extent - i < edge ? across.extent - i : edge;                                                                \
      for (int64_t j = 0; j < along.extent; j += edge) {                                                                                 \
        int64_t columns = along.extent - j < edge ? along.extent - j : edge;                                                             \
        const char *source = from + i * across.from + j * along.from;                                                                    \
        char *target = to + i * across.to + j * along.to;                                                                                \
        if (rows == edge && columns == edge && along.from == sizeof(type) && across.to == sizeof(type)) {                                \
          for (int r = 0; r < edge; ++r)                                                                                                 \
            for (int c = 0; c < edge; ++c)                                                                                               \
              tile[c][r] = ((const type *)(source + r * across.from))[c];                                                                \
          for (int c = 0; c < edge; ++c)                                                                                                 \
            memcpy(target + c * along.to, tile[c], sizeof tile[c]);                                                                      \
          continue;                                                                                                                      \
        }                                                                                                                                \
        for (int64_t r = 0; r < rows; ++r)                                                                                               \
          for (int64_t c = 0; c < columns; ++c)                                                                                          \
            tile[c][r] = *(const type *)(source + r * across.from + c * along.from);                                                     \
        for (int64_t c = 0; c < columns; ++c)                                                                                            \
          for (int64_t r = 0; r < rows; ++r)                                                                                             \
            *(type *)(target + c * along.to + r * across.to) = tile[c][r];                                                               \
      }                                                                                                                                  \
    }                                                                                                                                    \
  } while (0)
  switch (bytes) {
  case 1:
    FXCPU_COPY_CROSSING(uint8_t);
    return;
  case 2:
    FXCPU_COPY_CROSSING(uint16_t);
    return;
  case 4:
    FXCPU_COPY_CROSSING(uint32_t);
    return;
  case 8:
    FXCPU_COPY_CROSSING(uint64_t);
    return;
  }
#undef FXCPU_COPY_CROSSING
}

/** The dimension of the smallest step, but those of one element again and again; -1 if there is none. */
static int findDensest(const CopyDim *dims, int rank, int ofTarget) {
  int best = -1;
  int64_t least = 0;
  for (int i = 0; i < rank; ++i) {
    int64_t step = ofTarget ? dims[i].to : dims[i].from;
    step = step < 0 ? -step : step;
    if (step && (best < 0 || step < least)) {
      best = i;
      least = step;
    }
  }
  return best;
}

/** Copies between a strided tensor and dense row-major memory. Dimensions that lie behind
 * each other on both sides become one. */
static void copyStrided(const FxTensorDesc *tensor, char *dense, int64_t bytes, int toDense) {
  if (fxCountElements(tensor->sizes, tensor->rank) == 0)
    return;
  CopyDim dims[FX_MAX_RANK + 1];
  int rank = 0;
  int64_t stride = bytes;
  for (int i = tensor->rank - 1; i >= 0; --i) { /* innermost first */
    CopyDim dim = {tensor->sizes[i], tensor->strides[i] * bytes, stride};
    stride *= dim.extent;
    if (dim.extent == 1)
      continue;
    if (!toDense) {
      int64_t swap = dim.from;
      dim.from = dim.to;
      dim.to = swap;
    }
    CopyDim *inner = rank ? &dims[rank - 1] : NULL;
    if (inner && dim.from == inner->from * inner->extent && dim.to == inner->to * inner->extent)
      inner->extent *= dim.extent;
    else
      dims[rank++] = dim;
  }
  if (rank == 0)
    dims[rank++] = (CopyDim){1, bytes, bytes};
  const char *from = toDense ? tensor->data : dense;
  char *to = toDense ? dense : tensor->data;
  int64_t index[FX_MAX_RANK + 1] = {0};
  /* The two innermost loops, where source and target run along different dimensions. */
  int along = findDensest(dims, rank, 0), across = findDensest(dims, rank, 1), inner = 1;
  if (along >= 0 && across >= 0 && along != across) {
    CopyDim pair[2] = {dims[across], dims[along]};
    int kept = 2;
    CopyDim others[FX_MAX_RANK + 1];
    for (int i = 0; i < rank; ++i)
      if (i != along && i != across)
        others[kept++] = dims[i];
    memcpy(others, pair, sizeof pair);
    memcpy(dims, others, (size_t)rank * sizeof(CopyDim));
    inner = 2;
  }
  for (;;) {
    if (inner == 2)
      copyCrossing(from, to, dims[1], dims[0], bytes);
    else
      copyRow(from, to, dims[0], bytes);
    int i = inner;
    for (; i < rank; ++i) {
      from += dims[i].from;
      to += dims[i].to;
      if (++index[i] < dims[i].extent)
        break;
      from -= dims[i].from * dims[i].extent;
      to -= dims[i].to * dims[i].extent;
      index[i] = 0;
    }
    if (i >= rank)
      return;
  }
}

/*===-- Random numbers ----------------------------------------------------===*/

/** The generator of the run that this thread is in, made at its first draw. */
static __thread struct {
  FxRandom random;
  uint64_t seed;
  int started;
} drawing;

static void beginDrawing(uint64_t seed) {
  drawing.seed = seed;
  drawing.started = 0;
}

static FxRandom *generator(void) {
  if (!drawing.started)
    fxRandomSeed(&drawing.random, drawing.seed);
  drawing.started = 1;
  return &drawing.random;
}

int64_t fxcpu_random(int64_t draw, int64_t address, int64_t count, int64_t dtype, double parameter) {
  void *data = (void *)(intptr_t)address;
  switch ((FxCpuDraw)draw) {
  case FXCPU_UNIFORM:
    fxRandomUniform(generator(), data, count, (int)dtype);
    break;
  case FXCPU_NORMAL:
    fxRandomNormal(generator(), data, count, (int)dtype);
    break;
  case FXCPU_EXPONENTIAL:
    fxRandomExponential(generator(), data, count, (int)dtype, parameter);
    break;
  case FXCPU_BERNOULLI:
    fxRandomBernoulli(generator(), data, count, parameter);
    break;
  case FXCPU_PERMUTATION:
    fxRandomPermutation(generator(), data, count);
    break;
  }
  return 0;
}

int64_t fxcpu_random_integers(int64_t address, int64_t count, int64_t low, int64_t high) {
  fxRandomIntegers(generator(), (int64_t *)(intptr_t)address, count, low, high);
  return 0;
}

/*===-- Running -----------------------------------------------------------===*/

#if defined(__x86_64__) && defined(FXCPU_STANDALONE)
/* What code generators call to move a bf16 that stands in a float: libgcc has it since
 * version 13 only. The result is in the low 16 bits of a vector register. */
typedef short FxCpuVector __attribute__((vector_size(16)));
__attribute__((visibility("hidden"))) FxCpuVector __truncsfbf2(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits = value != value ? bits | 0x400000 : bits + 0x7FFF + ((bits >> 16) & 1);
  FxCpuVector result = {(short)(bits >> 16)};
  return result;
}
#endif

void fxcpu_fail(FxCpuContext *context, const char *message) {
  (void)context;
  if (message[0])
    snprintf(lastError, sizeof lastError, "%s", message);
}

static void describeOutput(FxTensorDesc *output, void *data, const FxTensorInfo *info, const int64_t *sizes) {
  output->data = data;
  output->dtype = info->dtype;
  output->rank = info->rank;
  memcpy(output->sizes, sizes, (size_t)info->rank * sizeof(int64_t));
  fxSetRowMajorStrides(output);
}

/* Nobody's memory is needed for no elements; compiled code wants an address all the same. */
static _Alignas(FXCPU_ALIGN) char nothing[FXCPU_ALIGN];

/** Null, with the status that the run then has. */
static void *refuse(FxCpuContext *context, int status) {
  context->status = status;
  return NULL;
}

/** Gives result `index` its memory once the extents are known. */
static void *placeResult(FxCpuContext *context, int64_t index, const int64_t *extents) {
  const FxCpuProgram *program = context->program;
  const FxTensorInfo *info = &program->results[index];
  memcpy(context->resultSizes[index], extents, (size_t)info->rank * sizeof(int64_t));
  int64_t count = fxCountElements(extents, info->rank), bytes;
  if (count < 0 || __builtin_mul_overflow(count, fxDtypeBytes(info->dtype), &bytes)) {
    return refuse(context, FXCPU_ERROR(FX_OUT_OF_MEMORY, "output %d ('%s'): expected a size that fits 64 bits", (int)index, info->name));
  }
  int owner = FXCPU_TEMPORARY;
  if (index < program->info.outputCount) {
    FxTensorDesc *output = &context->outputs[index];
    if (output->data) {
      for (int i = 0; i < info->rank; ++i)
        if (output->sizes[i] != extents[i])
          return refuse(context, FXCPU_ERROR(FX_BAD_ARGUMENT, "output %d ('%s'): expected extent %lld in dim %d but got %lld", (int)index,
                                             info->name, (long long)extents[i], i, (long long)output->sizes[i]));
      if (fxIsRowMajor(output))
        return context->results[index] = output->data;
    } else if (count == 0 || (context->options && context->options->allocate)) {
      FxTensorDesc needed;
      describeOutput(&needed, NULL, info, extents);
      if (context->options && context->options->allocate)
        needed.data = context->options->allocate(context->options->user, (int)index, &needed);
      if (!needed.data && count > 0)
        return refuse(context, FXCPU_ERROR(FX_OUT_OF_MEMORY, "output %d ('%s'): out of memory: expected %lld bytes", (int)index, info->name,
                                           (long long)bytes));
      context->owners[index] = FXCPU_ALLOCATORS;
      return context->results[index] = needed.data ? needed.data : nothing;
    } else {
      owner = FXCPU_OWNED;
    }
  }
  void *memory = allocateAligned(bytes);
  if (!memory)
    return refuse(context, FXCPU_ERROR(FX_OUT_OF_MEMORY, "output %d ('%s'): out of memory: expected %lld bytes", (int)index, info->name,
                                       (long long)bytes));
  context->owners[index] = (unsigned char)owner;
  return context->results[index] = memory;
}

void *fxcpu_output(FxCpuContext *context, int64_t index, const int64_t *extents) { return placeResult(context, index, extents); }

static int isStatic(const FxTensorInfo *info) {
  for (int i = 0; i < info->rank; ++i)
    if (info->sizes[i] < 0)
      return 0;
  return 1;
}

/** Writes a result that was computed elsewhere to its tensor. */
static void deliver(const FxTensorDesc *tensor, void *dense) {
  int64_t bytes = fxDtypeBytes(tensor->dtype);
  if (fxIsRowMajor(tensor))
    memcpy(tensor->data, dense, (size_t)(fxCountElements(tensor->sizes, tensor->rank) * bytes));
  else
    copyStrided(tensor, dense, bytes, 0);
}

/** Everything after the memory of the bookkeeping has been found. */
static int runWith(FxCpuProgram *program, FxCpuContext *context, const FxTensorDesc *inputs, void **addresses, void **copies,
                   int64_t *extents) {
  const FxGraphInfo *info = &program->info;
  int extentCount = 0;
  for (int i = 0; i < info->inputCount; ++i) {
    addresses[i] = inputs[i].data;
    FxTensorDesc read = inputs[i]; /* with its dimensions in the order in which the entry takes them */
    for (int j = 0; program->orders[i] && j < read.rank; ++j) {
      read.sizes[j] = inputs[i].sizes[program->orders[i][j]];
      read.strides[j] = inputs[i].strides[program->orders[i][j]];
    }
    if (!fxIsRowMajor(&read)) {
      int64_t bytes = fxDtypeBytes(inputs[i].dtype);
      copies[i] = allocateAligned(fxCountElements(inputs[i].sizes, inputs[i].rank) * bytes);
      if (!copies[i])
        return FXCPU_ERROR(FX_OUT_OF_MEMORY, "input %d ('%s'): out of memory", i, info->inputs[i].name);
      copyStrided(&read, copies[i], bytes, 1);
      addresses[i] = copies[i];
    }
    for (int j = 0; j < inputs[i].rank; ++j)
      if (info->inputs[i].sizes[j] < 0)
        extents[extentCount++] = inputs[i].sizes[j];
  }
  for (int i = 0; i < program->resultCount; ++i)
    if (isStatic(&program->results[i]) && !placeResult(context, i, program->results[i].sizes))
      return context->status;
  void *workspace = __atomic_exchange_n(&program->cachedWorkspace, NULL, __ATOMIC_ACQ_REL);
  if (!workspace && program->workspaceBytes > 0 && !(workspace = allocateAligned(program->workspaceBytes)))
    return FXCPU_ERROR(FX_OUT_OF_MEMORY, "out of memory: expected %lld bytes of workspace", (long long)program->workspaceBytes);
  int status = program->entry(addresses, context->results, extents, workspace, context);
  void *other = __atomic_exchange_n(&program->cachedWorkspace, workspace, __ATOMIC_ACQ_REL);
  free(other);
  if (status)
    return context->status ? context->status : status;
  for (int i = info->outputCount; i < program->resultCount; ++i) {
    int argument = program->mutatedArguments[i - info->outputCount];
    for (int j = 0; j < program->results[i].rank; ++j)
      if (context->resultSizes[i][j] != inputs[argument].sizes[j])
        return FXCPU_ERROR(FX_RUN_FAILED, "input %d ('%s'): expected the value that is written to have extent %lld in dim %d but got %lld",
                           argument, info->inputs[argument].name, (long long)inputs[argument].sizes[j], j,
                           (long long)context->resultSizes[i][j]);
  }
  /* Only now, when nothing can fail any more, are tensors of the caller written. */
  for (int i = 0; i < program->resultCount; ++i) {
    if (i >= info->outputCount) {
      deliver(&inputs[program->mutatedArguments[i - info->outputCount]], context->results[i]);
    } else if (context->owners[i] == FXCPU_OWNED || context->owners[i] == FXCPU_ALLOCATORS) {
      void *data = context->results[i] == nothing ? NULL : context->results[i];
      describeOutput(&context->outputs[i], data, &program->results[i], context->resultSizes[i]);
      context->owners[i] = FXCPU_CALLERS;
    } else if (context->owners[i] == FXCPU_TEMPORARY) {
      deliver(&context->outputs[i], context->results[i]);
    }
  }
  return FX_OK;
}

int fxcpu_load(FxCpuProgram *program) {
  const int64_t *next = program->meta + 3;
  const char *name = program->names;
  int inputs = (int)program->meta[0], results = (int)program->meta[1], mutated = (int)program->meta[2];
  program->resultCount = results;
  FxTensorInfo *infos = calloc((size_t)(inputs + results) + 1, sizeof(FxTensorInfo));
  program->mutatedArguments = calloc((size_t)mutated + 1, sizeof(int));
  program->orders = calloc((size_t)inputs + 1, sizeof(int64_t *));
  if (!infos || !program->mutatedArguments || !program->orders) {
    free(infos);
    free(program->mutatedArguments);
    free(program->orders);
    program->mutatedArguments = NULL;
    program->orders = NULL;
    return FXCPU_ERROR(FX_OUT_OF_MEMORY, "out of memory");
  }
  program->info.name = name;
  name += strlen(name) + 1;
  for (int i = 0; i < inputs + results; ++i) {
    infos[i].name = name;
    name += strlen(name) + 1;
    infos[i].dtype = (int32_t)next[0];
    infos[i].rank = (int32_t)(next[1] % FXCPU_ORDERED);
    infos[i].sizes = next + 2;
    next += 2 + infos[i].rank;
    if (infos[i].sizes[-1] >= FXCPU_ORDERED) {
      program->orders[i] = next;
      next += infos[i].rank;
    }
    int64_t argument = *next++;
    infos[i].mutated = i < inputs && argument >= 0;
    if (i - inputs >= results - mutated)
      program->mutatedArguments[i - inputs - (results - mutated)] = (int)argument;
  }
  program->info.inputCount = inputs;
  program->info.outputCount = results - mutated;
  program->info.inputs = infos;
  program->info.outputs = program->results = infos + inputs;
  return FX_OK;
}

int fxcpu_run(FxCpuProgram *program, const FxTensorDesc *inputs, int inputCount, FxTensorDesc *outputs, int outputCount,
              const FxRunOptions *options) {
  int status = fxCheckCall(&program->info, inputs, inputCount, outputs, outputCount, lastError, sizeof lastError);
  if (status)
    return status;
  int resultCount = program->resultCount;
  size_t tensors = (size_t)inputCount + (size_t)resultCount + 1;
  char *memory = calloc(1, tensors * (2 * sizeof(void *) + 1 + 2 * FX_MAX_RANK * sizeof(int64_t)));
  if (!memory)
    return FXCPU_ERROR(FX_OUT_OF_MEMORY, "out of memory");
  int64_t(*sizes)[FX_MAX_RANK] = (int64_t(*)[FX_MAX_RANK])memory;
  int64_t *extents = (int64_t *)(sizes + tensors);
  void **addresses = (void **)(extents + tensors * FX_MAX_RANK);
  void **copies = addresses + tensors;
  FxCpuContext context;
  context.program = program;
  context.outputs = outputs;
  context.options = options;
  context.results = addresses + inputCount;
  context.owners = (unsigned char *)(copies + tensors);
  context.list.next = context.list.previous = &context.list;
  context.resultSizes = sizes;
  context.status = FX_OK;
  beginDrawing(__atomic_load_n(&program->seed, __ATOMIC_RELAXED));
  status = runWith(program, &context, inputs, addresses, copies, extents);
  while (context.list.next != &context.list)
    fxcpu_dealloc(&context, (char *)context.list.next + FXCPU_ALIGN);
  for (int i = 0; i < resultCount; ++i)
    if (context.owners[i] == FXCPU_OWNED || context.owners[i] == FXCPU_TEMPORARY)
      free(context.results[i]);
  for (int i = 0; i < inputCount; ++i)
    free(copies[i]);
  free(memory);
  return status;
}

void fxcpu_release(FxCpuProgram *program) {
  free(__atomic_exchange_n(&program->cachedWorkspace, NULL, __ATOMIC_ACQ_REL));
  free((void *)(uintptr_t)program->info.inputs);
  free(program->mutatedArguments);
  free(program->orders);
  program->orders = NULL;
  program->info.inputs = NULL;
  program->mutatedArguments = NULL;
}

/*===-- Sorting -----------------------------------------------------------===*/

/* Elements become unsigned keys in their order. A key of up to 32 bits and its place in the row are one word: words differ, and
 * their order is that of a stable sort. Wider keys and their places are pairs. */

typedef struct {
  uint64_t key;
  int64_t index;
} SortItem;

/** A number of sign and magnitude in the low bits: zeros are equal, what is above `infinity` is NaN and the largest. */
static inline uint64_t floatKey(uint64_t bits, uint64_t sign, uint64_t infinity) {
  uint64_t magnitude = bits & (sign - 1), largest = sign | (sign - 1);
  if (magnitude > infinity)
    return largest;
  return bits & sign ? sign - magnitude : sign + magnitude;
}

/** Keys of `n` elements that lie `step` apart, and the bits that a key has. */
static int makeKeys(uint64_t *keys, const char *data, int64_t n, int64_t step, int64_t dtype) {
#define FXCPU_KEYS(type, bits, key)                                                                                                      \
  for (int64_t j = 0; j < n; ++j) {                                                                                                      \
    uint64_t x = (uint64_t)((const type *)data)[j * step];                                                                               \
    keys[j] = (key);                                                                                                                     \
  }                                                                                                                                      \
  return bits
  switch (dtype) {
  case FX_F64:
    FXCPU_KEYS(uint64_t, 64, floatKey(x, (uint64_t)1 << 63, 0x7ff0000000000000u));
  case FX_F32:
    FXCPU_KEYS(uint32_t, 32, floatKey(x, 0x80000000u, 0x7f800000u));
  case FX_F16:
    FXCPU_KEYS(uint16_t, 16, floatKey(x, 0x8000, 0x7c00));
  case FX_BF16:
    FXCPU_KEYS(uint16_t, 16, floatKey(x, 0x8000, 0x7f80));
  case FX_F8E5M2:
    FXCPU_KEYS(uint8_t, 8, floatKey(x, 0x80, 0x7c));
  case FX_F8E4M3FN: /* no infinity, one NaN a sign */
    FXCPU_KEYS(uint8_t, 8, floatKey(x, 0x80, 0x7e));
  case FX_I64:
    FXCPU_KEYS(uint64_t, 64, x ^ (uint64_t)1 << 63);
  case FX_I32:
    FXCPU_KEYS(uint32_t, 32, x ^ 0x80000000u);
  case FX_I16:
    FXCPU_KEYS(uint16_t, 16, x ^ 0x8000);
  case FX_I8:
    FXCPU_KEYS(uint8_t, 8, x ^ 0x80);
  case FX_U64:
    FXCPU_KEYS(uint64_t, 64, x);
  case FX_U32:
    FXCPU_KEYS(uint32_t, 32, x);
  case FX_U16:
    FXCPU_KEYS(uint16_t, 16, x);
  default:
    FXCPU_KEYS(uint8_t, 8, x);
  }
#undef FXCPU_KEYS
}

/** Sorts by digits of 8 bits of the key, the last first, without those that all have in common; few elements one by one.
 * Returns the buffer that holds the result. */
#define FXCPU_RADIX_SORT(name, type, keyOf)                                                                                              \
  static type *name(type *items, type *other, int64_t n, int bits) {                                                                     \
    if (n <= 48) {                                                                                                                       \
      for (int64_t i = 1; i < n; ++i) {                                                                                                  \
        type item = items[i];                                                                                                            \
        int64_t j = i;                                                                                                                   \
        for (; j > 0 && keyOf(item) < keyOf(items[j - 1]); --j)                                                                          \
          items[j] = items[j - 1];                                                                                                       \
        items[j] = item;                                                                                                                 \
      }                                                                                                                                  \
      return items;                                                                                                                      \
    }                                                                                                                                    \
    int64_t counts[8][256];                                                                                                              \
    int digits = bits / 8;                                                                                                               \
    memset(counts, 0, (size_t)digits * sizeof counts[0]);                                                                                \
    for (int64_t i = 0; i < n; ++i)                                                                                                      \
      for (int d = 0; d < digits; ++d)                                                                                                   \
        ++counts[d][keyOf(items[i]) >> 8 * d & 255];                                                                                     \
    for (int d = 0; d < digits; ++d) {                                                                                                   \
      if (counts[d][keyOf(items[0]) >> 8 * d & 255] == n)                                                                                \
        continue;                                                                                                                        \
      int64_t start = 0;                                                                                                                 \
      for (int i = 0; i < 256; ++i) {                                                                                                    \
        int64_t count = counts[d][i];                                                                                                    \
        counts[d][i] = start;                                                                                                            \
        start += count;                                                                                                                  \
      }                                                                                                                                  \
      for (int64_t i = 0; i < n; ++i)                                                                                                    \
        other[counts[d][keyOf(items[i]) >> 8 * d & 255]++] = items[i];                                                                   \
      type *swap = items;                                                                                                                \
      items = other;                                                                                                                     \
      other = swap;                                                                                                                      \
    }                                                                                                                                    \
    return items;                                                                                                                        \
  }
#define FXCPU_WORD_KEY(word) ((word) >> 32)
#define FXCPU_ITEM_KEY(item) ((item).key)
FXCPU_RADIX_SORT(sortWords, uint64_t, FXCPU_WORD_KEY)
FXCPU_RADIX_SORT(sortItems, SortItem, FXCPU_ITEM_KEY)
#undef FXCPU_WORD_KEY
#undef FXCPU_ITEM_KEY
#undef FXCPU_RADIX_SORT

/** Brings the least `kept` of n words to the front, sorted: each word that is less than the last of them goes to its place. Few
 * do, if the words are in no order. Returns the largest of them, as does what follows. */
static uint64_t selectFew(uint64_t *words, uint64_t *best, int64_t n, int64_t kept) {
  for (int64_t j = 0; j < kept; ++j)
    best[j] = ~(uint64_t)0;
  for (int64_t i = 0; i < n; ++i) {
    uint64_t word = words[i];
    if (word >= best[kept - 1])
      continue;
    int64_t j = kept - 1;
    for (; j > 0 && word < best[j - 1]; --j)
      best[j] = best[j - 1];
    best[j] = word;
  }
  memcpy(words, best, (size_t)kept * sizeof *words);
  return best[kept - 1];
}

/** Brings the least `kept` of n words, and all that equal the largest of them, to the front, in the order that they have in
 * `words` (Hoare's selection for a bound). `other` is memory of n words. */
static uint64_t selectWords(uint64_t *words, uint64_t *other, int64_t n, int64_t kept) {
  memcpy(other, words, (size_t)n * sizeof *words);
  int64_t low = 0, high = n - 1;
  while (low < high) {
    uint64_t first = other[low], middle = other[low + (high - low) / 2], last = other[high];
    uint64_t pivot = first < middle ? (middle < last ? middle : first < last ? last : first)
                                    : (first < last ? first : middle < last ? last : middle);
    int64_t i = low, j = high;
    while (i <= j) {
      while (other[i] < pivot)
        ++i;
      while (other[j] > pivot)
        --j;
      if (i <= j) {
        uint64_t swap = other[i];
        other[i++] = other[j];
        other[j--] = swap;
      }
    }
    if (kept - 1 <= j)
      high = j;
    else if (kept - 1 >= i)
      low = i;
    else
      break;
  }
  uint64_t bound = other[kept - 1];
  int64_t to = 0;
  for (int64_t i = 0; i < n; ++i)
    if (words[i] <= bound)
      words[to++] = words[i];
  return bound;
}

/** Items of the least `kept` of n keys, in order of their places, and of equal keys those that come first. */
static void selectItems(SortItem *items, const uint64_t *keys, int64_t n, uint64_t bound, int64_t kept) {
  int64_t equal = kept;
  for (int64_t i = 0; i < n; ++i)
    equal -= keys[i] < bound;
  for (int64_t i = 0, to = 0; to < kept; ++i)
    if (keys[i] < bound || (keys[i] == bound && equal-- > 0)) {
      items[to].key = keys[i];
      items[to++].index = i;
    }
}

int64_t fxcpu_sort(int64_t input, int64_t values, int64_t indices, int64_t outer, int64_t n, int64_t kept, int64_t inner, int64_t dtype,
                   int64_t descending) {
  if (outer == 0 || n == 0 || inner == 0 || kept == 0)
    return 0;
  const char *from = (const char *)(intptr_t)input;
  char *to = (char *)(intptr_t)values;
  int64_t *positions = (int64_t *)(intptr_t)indices;
  int64_t bytes = fxDtypeBytes(dtype);
  SortItem *items = malloc(2 * (size_t)n * sizeof(SortItem) + (size_t)n * sizeof(uint64_t));
  if (!items)
    return 1;
  uint64_t *keys = (uint64_t *)(items + 2 * n), *words = (uint64_t *)items;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      const char *row = from + (o * n * inner + i) * bytes;
      int bits = makeKeys(keys, row, n, inner, dtype);
      uint64_t flip = descending ? ~(uint64_t)0 >> (64 - bits) : 0;
      const uint64_t *sortedWords = NULL;
      const SortItem *sortedItems = NULL;
      uint64_t (*select)(uint64_t *, uint64_t *, int64_t, int64_t) = kept > n / 4 ? NULL : kept <= 32 ? selectFew : selectWords;
      int64_t count = select ? kept : n;
      for (int64_t j = 0; j < n; ++j)
        keys[j] ^= flip;
      if (bits <= 32 && n <= UINT32_MAX) {
        for (int64_t j = 0; j < n; ++j)
          words[j] = keys[j] << 32 | (uint64_t)j;
        if (select)
          select(words, words + n, n, kept);
        sortedWords = sortWords(words, words + n, count, bits);
      } else {
        uint64_t bound = ~(uint64_t)0;
        if (select) {
          memcpy(words, keys, (size_t)n * sizeof *words);
          bound = select(words, words + n, n, kept);
        }
        selectItems(items, keys, n, bound, count);
        sortedItems = sortItems(items, items + n, count, bits);
      }
      for (int64_t j = 0; j < kept; ++j) {
        int64_t target = (o * kept + j) * inner + i, source = sortedWords ? (int64_t)(sortedWords[j] & UINT32_MAX) : sortedItems[j].index;
        memcpy(to + target * bytes, row + source * inner * bytes, (size_t)bytes);
        positions[target] = source;
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
static int loaded = FX_OUT_OF_MEMORY;
static pthread_once_t programOnce = PTHREAD_ONCE_INIT;

static void makeProgram(void) {
  theProgram.meta = fxgraph_meta;
  theProgram.names = fxgraph_names;
  theProgram.workspaceBytes = fxgraph_workspace_bytes;
  theProgram.entry = fxgraph_entry;
  loaded = fxcpu_load(&theProgram);
}

/** FX_OK once the description of the graph is there. */
static int ensureLoaded(void) {
  pthread_once(&programOnce, makeProgram);
  return loaded == FX_OK ? FX_OK : FXCPU_ERROR(loaded, "out of memory");
}

#define FXCPU_EXPORT __attribute__((visibility("default")))

FXCPU_EXPORT int fxgraph_run_with(const FxTensorDesc *inputs, int inputCount, FxTensorDesc *outputs, int outputCount,
                                  const FxRunOptions *options) {
  int status = ensureLoaded();
  return status ? status : fxcpu_run(&theProgram, inputs, inputCount, outputs, outputCount, options);
}
FXCPU_EXPORT int fxgraph_run(const FxTensorDesc *inputs, int inputCount, FxTensorDesc *outputs, int outputCount) {
  return fxgraph_run_with(inputs, inputCount, outputs, outputCount, NULL);
}
FXCPU_EXPORT const char *fxgraph_last_error(void) { return lastError; }
FXCPU_EXPORT const FxGraphInfo *fxgraph_info(void) { return ensureLoaded() == FX_OK ? &theProgram.info : NULL; }
FXCPU_EXPORT int64_t fxgraph_workspace(void) { return fxgraph_workspace_bytes; }
FXCPU_EXPORT int fxgraph_version(void) { return FX_CPU_ABI_VERSION; }
FXCPU_EXPORT void fxgraph_free(void *data) { free(data); }
FXCPU_EXPORT void fxgraph_set_threads(int count) { fxcpu_set_threads(count); }
FXCPU_EXPORT void fxgraph_set_seed(uint64_t seed) {
  if (ensureLoaded() == FX_OK)
    __atomic_store_n(&theProgram.seed, seed, __ATOMIC_RELAXED);
}

#endif
