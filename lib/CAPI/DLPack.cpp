// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of other frameworks.

#include "fxgraph/CAPI/FxGraph.h"
#include <cstddef>

namespace {
struct Pair {
  FxDtype dtype;
  DLDataType type;
};
} // namespace

static constexpr Pair pairs[] = {
    {FX_F32, {kDLFloat, 32, 1}},
    {FX_F64, {kDLFloat, 64, 1}},
    {FX_F16, {kDLFloat, 16, 1}},
    {FX_BF16, {kDLBfloat, 16, 1}},
    {FX_I8, {kDLInt, 8, 1}},
    {FX_I16, {kDLInt, 16, 1}},
    {FX_I32, {kDLInt, 32, 1}},
    {FX_I64, {kDLInt, 64, 1}},
    {FX_U8, {kDLUInt, 8, 1}},
    {FX_BOOL, {kDLBool, 8, 1}},
    {FX_U16, {kDLUInt, 16, 1}},
    {FX_U32, {kDLUInt, 32, 1}},
    {FX_U64, {kDLUInt, 64, 1}},
    {FX_F8E4M3FN, {kDLFloat8_e4m3fn, 8, 1}},
    {FX_F8E5M2, {kDLFloat8_e5m2, 8, 1}},
    {FX_F8E4M3FNUZ, {kDLFloat8_e4m3fnuz, 8, 1}},
    {FX_F8E5M2FNUZ, {kDLFloat8_e5m2fnuz, 8, 1}},
    {FX_F8E8M0FNU, {kDLFloat8_e8m0fnu, 8, 1}},
};

int fxgraphTensorFromDLPack(const DLTensor *from, FxTensorDesc *to) {
  if (from->ndim < 0 || from->ndim > FX_MAX_RANK)
    return 1;
  to->dtype = 0;
  for (const Pair &pair : pairs)
    if (pair.type.code == from->dtype.code && pair.type.bits == from->dtype.bits && from->dtype.lanes == 1)
      to->dtype = pair.dtype;
  if (!to->dtype)
    return 1;
  to->data = from->data ? static_cast<char *>(from->data) + from->byte_offset : nullptr;
  to->rank = from->ndim;
  int64_t stride = 1;
  for (int i = from->ndim - 1; i >= 0; --i) {
    to->sizes[i] = from->shape[i];
    to->strides[i] = from->strides ? from->strides[i] : stride;
    stride *= from->shape[i] > 0 ? from->shape[i] : 1;
  }
  return 0;
}

DLDataType fxgraphDtypeToDLPack(int dtype) {
  for (const Pair &pair : pairs)
    if (pair.dtype == dtype)
      return pair.type;
  return {0, 0, 0};
}
