// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ptxas (13.0, from -O1 on) gets wrong: of a 64-bit difference whose minuend is the upper half of a 32-bit product
// it makes one instruction, which adds the negative of the subtrahend to the product. The negative of 0 is 0, and has
// no carry, so that the upper half of the difference is too small by one where nothing is subtracted.
//
//   mul.hi.u32 %r1, %r2, 477218589;      // x / 9
//   cvt.u64.u32 %rd1, %r1;
//   sub.s64 %rd3, %rd1, %rd2;            // x / 9 - x / 495 * 55
//
// LLVM writes so what is left of a quotient after another division.

#ifndef FXGRAPH_LIB_BACKEND_GPU_TRANSLATE_KEEPCARRIES_H
#define FXGRAPH_LIB_BACKEND_GPU_TRANSLATE_KEEPCARRIES_H

#include <string>

namespace llvm {
class StringRef;
}

namespace fxgraph::gpu {

/// PTX that computes the same, without such differences: a - b as ~(~a + b).
std::string keepCarries(llvm::StringRef ptx);

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_TRANSLATE_KEEPCARRIES_H
