/*===- Arguments.h - Checks the tensors of a call ------------------*- C -*-===*
 *
 * Part of the fxgraph project, under the Apache License v2.0 with LLVM
 * Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * In C and without other files, since shared libraries carry it along as text.
 *
 *===----------------------------------------------------------------------===*/

#ifndef FXGRAPH_RUNTIME_ARGUMENTS_H
#define FXGRAPH_RUNTIME_ARGUMENTS_H

#ifndef FXCPU_STANDALONE
#include "fxgraph/Runtime/Tensor.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** "f32", "bf16", ...; "?" for what is no FxDtype. */
const char *fxDtypeName(int64_t dtype);
/** Bytes of an element; 0 for what is no FxDtype. */
int64_t fxDtypeBytes(int64_t dtype);
/** Number of elements, or -1 if an extent is negative or the number does not fit. */
int64_t fxCountElements(const int64_t *sizes, int rank);
int fxIsRowMajor(const FxTensorDesc *tensor);
/** Strides of a dense row-major tensor of the extents that are set. */
void fxSetRowMajorStrides(FxTensorDesc *tensor);

/**
 * Compares a call with what the graph expects: numbers of tensors, dtype, rank,
 * extents (equal where symbols are), strides, null and misaligned addresses, and
 * that nothing which is written (outputs, mutated inputs) shares a byte with
 * another tensor of the call. Outputs without data are not looked at.
 * FX_OK, or FX_BAD_ARGUMENT with the reason in `message`, of `messageBytes` bytes.
 * Linear in the tensors; where written memory interleaves with another tensor's
 * (x[:, 0] and x[:, 1]), also in their elements.
 */
int fxCheckCall(const FxGraphInfo *graph, const FxTensorDesc *inputs, int inputCount, const FxTensorDesc *outputs, int outputCount,
                char *message, size_t messageBytes);

#ifdef __cplusplus
}
#endif

#endif /* FXGRAPH_RUNTIME_ARGUMENTS_H */
