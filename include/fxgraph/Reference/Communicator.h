// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a collective of the reference interpreter goes through: the inputs of all
// processes of a group for one op. The evaluators (lib/Reference/Collective.cpp) compute
// from them what their own process gets.

#ifndef FXGRAPH_REFERENCE_COMMUNICATOR_H
#define FXGRAPH_REFERENCE_COMMUNICATOR_H

#include "fxgraph/Reference/Tensor.h"
#include "mlir/IR/Operation.h"
#include <string>

namespace fxgraph {

/// One collective, seen from one process.
struct Exchange {
  /// The op's tensors of every process, in the group's order.
  SmallVector<SmallVector<Tensor>> inputs;
  /// Where this process is among them.
  int64_t position = 0;
};

class Communicator {
public:
  virtual ~Communicator();

  /// Starts a collective of a group with these tensors. `size` is what the op says of
  /// the group's size, if it does. On failure `error` says why.
  virtual FailureOr<Exchange> exchange(Operation *op, StringRef group, std::optional<int64_t> size,
                                       ArrayRef<Tensor> inputs, std::string &error) = 0;
};

/// A run without other processes: groups that the op says are of one process.
class SingleProcess : public Communicator {
public:
  FailureOr<Exchange> exchange(Operation *op, StringRef group, std::optional<int64_t> size, ArrayRef<Tensor> inputs,
                               std::string &error) override;
};

/// The other processes of every group do the same with the same numbers: one of the runs
/// that a graph of collectives may have, without a second process. For comparisons of two
/// graphs; groups whose size no op says are of two.
class EchoedProcesses : public Communicator {
public:
  explicit EchoedProcesses(uint64_t position) : position(position) {}
  FailureOr<Exchange> exchange(Operation *op, StringRef group, std::optional<int64_t> size, ArrayRef<Tensor> inputs,
                               std::string &error) override;

private:
  /// This process' place in a group, modulo the group's size.
  uint64_t position;
};

} // namespace fxgraph

#endif // FXGRAPH_REFERENCE_COMMUNICATOR_H
