//===- NcclTypes.h - The part of nccl.h that we use --------------*- C++ -*-===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values are those of NCCL 2; the Runtime tests compare them with nccl.h where
// one is installed.
//
//===----------------------------------------------------------------------===//

#ifndef FXGRAPH_LIB_RUNTIME_NCCLTYPES_H
#define FXGRAPH_LIB_RUNTIME_NCCLTYPES_H

#include "DriverTypes.h"

namespace fxgraph {
namespace runtime {
namespace nccl {

using Comm = struct CommOpaque *;

// ncclResult_t
using Result = int;
enum : Result {
  Success = 0,
  UnhandledCudaError = 1,
  SystemError = 2,
  InternalError = 3,
  InvalidArgument = 4,
  InvalidUsage = 5,
  RemoteError = 6,
  InProgress = 7
};

// ncclDataType_t
enum : int {
  TypeI8 = 0,
  TypeU8 = 1,
  TypeI32 = 2,
  TypeU32 = 3,
  TypeI64 = 4,
  TypeU64 = 5,
  TypeF16 = 6,
  TypeF32 = 7,
  TypeF64 = 8,
  TypeBF16 = 9
};

// ncclRedOp_t
enum : int { OpSum = 0, OpProduct = 1, OpMax = 2, OpMin = 3, OpAvg = 4 };

constexpr size_t UniqueIdBytes = 128;

struct UniqueId {
  char bytes[UniqueIdBytes];
};

} // namespace nccl

#define FXGRAPH_NCCL_FUNCTIONS(F)                                                                                      \
  F(ncclGetUniqueId, (nccl::UniqueId * id))                                                                            \
  F(ncclCommInitRank, (nccl::Comm * comm, int size, nccl::UniqueId id, int rank))                                      \
  F(ncclCommDestroy, (nccl::Comm comm))                                                                                \
  F(ncclCommCount, (nccl::Comm comm, int *size))                                                                       \
  F(ncclCommUserRank, (nccl::Comm comm, int *rank))                                                                    \
  F(ncclCommCuDevice, (nccl::Comm comm, int *device))                                                                  \
  F(ncclCommGetAsyncError, (nccl::Comm comm, nccl::Result * result))                                                   \
  F(ncclAllReduce,                                                                                                     \
    (const void *input, void *output, size_t count, int type, int op, nccl::Comm comm, cu::Stream stream))             \
  F(ncclAllGather, (const void *input, void *output, size_t count, int type, nccl::Comm comm, cu::Stream stream))      \
  F(ncclReduceScatter,                                                                                                 \
    (const void *input, void *output, size_t count, int type, int op, nccl::Comm comm, cu::Stream stream))             \
  F(ncclBroadcast,                                                                                                     \
    (const void *input, void *output, size_t count, int type, int root, nccl::Comm comm, cu::Stream stream))           \
  F(ncclSend, (const void *input, size_t count, int type, int peer, nccl::Comm comm, cu::Stream stream))               \
  F(ncclRecv, (void *output, size_t count, int type, int peer, nccl::Comm comm, cu::Stream stream))                    \
  F(ncclGroupStart, ())                                                                                                \
  F(ncclGroupEnd, ())

} // namespace runtime
} // namespace fxgraph

#endif // FXGRAPH_LIB_RUNTIME_NCCLTYPES_H
