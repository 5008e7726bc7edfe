/*===- DLPack.h - The part of DLPack's ABI that is used here -------*- C -*-===*
 *
 * Part of the fxgraph project, under the Apache License v2.0 with LLVM
 * Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * Layouts and numbers of DLPack 1.x (https://dmlc.github.io/dlpack), among them the
 * table of functions that a framework's tensor class offers as
 * `__dlpack_c_exchange_api__`. Left out where <dlpack/dlpack.h> came first.
 *
 *===----------------------------------------------------------------------===*/

#ifndef FXGRAPH_RUNTIME_DLPACK_H
#define FXGRAPH_RUNTIME_DLPACK_H

#include <stdint.h>

#ifndef DLPACK_DLPACK_H_

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLCUDAManaged = 13 } DLDeviceType;

typedef struct {
  int32_t device_type; /**< DLDeviceType */
  int32_t device_id;
} DLDevice;

typedef enum {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLComplex = 5,
  kDLBool = 6,
  kDLFloat8_e4m3fn = 10,
  kDLFloat8_e4m3fnuz = 11,
  kDLFloat8_e5m2 = 12,
  kDLFloat8_e5m2fnuz = 13,
  kDLFloat8_e8m0fnu = 14
} DLDataTypeCode;

typedef struct {
  uint8_t code; /**< DLDataTypeCode */
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; /**< in elements; null: row-major */
  uint64_t byte_offset;
} DLTensor;

typedef struct {
  uint32_t major, minor;
} DLPackVersion;

typedef struct DLPackExchangeAPIHeader {
  DLPackVersion version;
  struct DLPackExchangeAPIHeader *prev_api;
} DLPackExchangeAPIHeader;

typedef struct DLPackExchangeAPI {
  DLPackExchangeAPIHeader header;
  /* The functions that own tensors, which are not used here. */
  void *managed_tensor_allocator;
  void *managed_tensor_from_py_object_no_sync;
  void *managed_tensor_to_py_object_no_sync;
  /** 0, or -1 with a Python exception. The tensor borrows from the object. May be null. */
  int (*dltensor_from_py_object_no_sync)(void *object, DLTensor *out);
  /** The stream that the framework works on now. */
  int (*current_work_stream)(int32_t device_type, int32_t device_id, void **stream);
} DLPackExchangeAPI;

#ifdef __cplusplus
}
#endif

#endif /* DLPACK_DLPACK_H_ */
#endif /* FXGRAPH_RUNTIME_DLPACK_H */
