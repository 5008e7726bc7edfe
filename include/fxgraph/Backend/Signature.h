// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_BACKEND_SIGNATURE_H
#define FXGRAPH_BACKEND_SIGNATURE_H

#include "fxgraph/Runtime/Tensor.h"
#include "fxgraph/Support/LLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <deque>
#include <string>
#include <vector>

namespace fxgraph {

/// Name of an argument: its `fxgraph.name`, else `argN`.
std::string getArgumentName(mlir::func::FuncOp function, unsigned argument);

/// What a function takes and gives, as compiled code describes it. Independent of
/// the function once it is made.
class Signature {
public:
  explicit Signature(mlir::func::FuncOp function);
  /// What a grid of `numRanks` processes takes and gives that each run the function: the
  /// tensors of rank 0 as `rank0/<name>`, then those of rank 1, …. Each rank has symbols
  /// of its own.
  Signature(mlir::func::FuncOp function, int64_t numRanks);
  Signature(const Signature &) = delete;
  Signature &operator=(const Signature &) = delete;

  const FxGraphInfo &getInfo() const { return info; }

private:
  void append(mlir::func::FuncOp function, const std::string &prefix);
  void finish(mlir::func::FuncOp function);
  FxTensorInfo describe(Type type, const std::string &prefix, const std::string &name);

  std::deque<std::string> names;
  std::deque<std::vector<int64_t>> extents;
  std::vector<std::string> symbols;
  std::vector<FxTensorInfo> inputs, outputs;
  FxGraphInfo info = {};
};

} // namespace fxgraph

#endif // FXGRAPH_BACKEND_SIGNATURE_H
