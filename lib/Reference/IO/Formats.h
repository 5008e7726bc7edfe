// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two file formats behind fxgraph/Reference/IO.h.

#ifndef FXGRAPH_LIB_REFERENCE_IO_FORMATS_H
#define FXGRAPH_LIB_REFERENCE_IO_FORMATS_H

#include "fxgraph/Reference/IO.h"

namespace fxgraph {

llvm::Expected<std::unique_ptr<TensorFile>> openNpz(StringRef path, MLIRContext *context);
llvm::Expected<std::unique_ptr<TensorFile>> openNpy(StringRef path, MLIRContext *context);
llvm::Expected<std::unique_ptr<TensorFile>> openSafetensors(StringRef path, MLIRContext *context);

/// Write to a path that does not exist yet; errors name the file that the user gave.
llvm::Error writeNpz(StringRef path, StringRef given, ArrayRef<NamedTensor> tensors);
llvm::Error writeSafetensors(StringRef path, StringRef given, ArrayRef<NamedTensor> tensors);

/// An error with this text.
template <typename... Args>
llvm::Error makeError(const char *format, const Args &...args) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), format, args...);
}

} // namespace fxgraph

#endif // FXGRAPH_LIB_REFERENCE_IO_FORMATS_H
