// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named tensors in files. The suffix of a file's name says its format:
//
//   .npz           NumPy's archive (zip, through libzip); one entry a tensor
//   .npy           one tensor, named after the file (arg0.npy holds arg0)
//   .safetensors   Hugging Face's format: all dtypes, memory-mapped
//
// NumPy has no bf16 and no 8-bit floats: in .npz and .npy such a tensor is an
// array of uint16 or uint8 with the bits, and its name carries the suffix .bf16,
// .f8e4m3fn or .f8e5m2 (the entry `x.bf16` is the tensor `x`).

#ifndef FXGRAPH_REFERENCE_IO_H
#define FXGRAPH_REFERENCE_IO_H

#include "fxgraph/Reference/Tensor.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace fxgraph {

/// An open file of named tensors; elements are read when asked for.
class TensorFile {
public:
  static llvm::Expected<std::unique_ptr<TensorFile>> open(StringRef path, MLIRContext *context);
  virtual ~TensorFile();

  const std::string &getPath() const { return path; }
  /// Names in the file's order.
  ArrayRef<std::string> getNames() const { return names; }
  bool contains(StringRef name) const { return llvm::is_contained(names, name); }
  virtual llvm::Expected<Tensor> load(StringRef name) = 0;

protected:
  TensorFile(StringRef path, MLIRContext *context) : path(path.str()), context(context) {}
  std::string path;
  MLIRContext *context;
  std::vector<std::string> names;
};

using NamedTensor = std::pair<std::string, Tensor>;

/// Writes all tensors as .npz or .safetensors. The file appears complete or not at
/// all: it is written under another name and then renamed. The same tensors give
/// the same bytes.
llvm::Error writeTensorFile(StringRef path, ArrayRef<NamedTensor> tensors);
/// What is wrong with the name of a file to write, if anything: known before a long run.
llvm::Error checkOutputPath(StringRef path);

} // namespace fxgraph

#endif // FXGRAPH_REFERENCE_IO_H
