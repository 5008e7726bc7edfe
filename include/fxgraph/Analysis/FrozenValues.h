// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values of a graph are the same in every run, if its parameters are: those
// computed from parameters, buffers and constants alone, without effects. Inductor
// folds them when `freezing`; here they are computed ahead (fxgraph-freezing-split).

#ifndef FXGRAPH_ANALYSIS_FROZENVALUES_H
#define FXGRAPH_ANALYSIS_FROZENVALUES_H

#include "fxgraph/Support/LLVM.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"

namespace fxgraph {

class FrozenValues {
public:
  /// One walk over the function's first block; O(ops + operands). An argument is
  /// frozen if its `fxgraph.kind` is not "input" and nothing may write it: neither a
  /// `copy_` nor an op that the dialect does not know and that sees it or a view of it.
  explicit FrozenValues(mlir::FunctionOpInterface function);

  bool contains(Value value) const { return values.contains(value); }
  /// True if all results of the op are frozen.
  bool contains(Operation *op) const;

  /// Takes in an op that was built after the walk; its operands' producers must have
  /// been taken in before it.
  void add(Operation *op);
  /// Forgets an op that is about to be erased: its address may come again.
  void remove(Operation *op);

private:
  DenseSet<Value> values;
};

} // namespace fxgraph

#endif // FXGRAPH_ANALYSIS_FROZENVALUES_H
