// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A grid of processes in one process: each rank interprets the same function on
// arguments of its own, and the ranks of a group meet at its collectives.
//
// A rank runs until it starts a collective, or ends; then the next one does. When the
// members of a group have all started the same collective, each gets its result and may
// go on. So a run is deterministic, and what would hang on a machine is an error that
// names op and rank: a member that starts another collective, or one of another group
// that waits in turn, or has ended.
//
// Each rank has a stack of its own (a thread), but one runs at a time.

#ifndef FXGRAPH_REFERENCE_GRID_H
#define FXGRAPH_REFERENCE_GRID_H

#include "fxgraph/Reference/Interpreter.h"

namespace fxgraph {

/// Which processes there are, and which are in a group.
struct GridOptions {
  static constexpr int64_t kMaxRanks = 256;

  int64_t numRanks = 1;
  /// Under a group's name sets of ranks, each in the group's order. A rank is in one of
  /// them at most, and means that set by the name: the rows of a mesh are one group
  /// here. A group that is not named here holds all ranks.
  std::map<std::string, SmallVector<SmallVector<int64_t>>, std::less<>> groups;

  /// Reads a number of ranks; `error` says what is wrong.
  LogicalResult parseRanks(StringRef text, std::string &error);
  /// Reads `<name>:<rank>,<rank>…;<rank>…`, for ranks that have been read.
  LogicalResult parseGroup(StringRef text, std::string &error);
};

class ProcessGrid {
public:
  explicit ProcessGrid(GridOptions grid, InterpreterOptions options = {}) : grid(std::move(grid)), options(options) {}

  /// Runs the function once a rank, each on its arguments. Each rank draws the same random
  /// numbers, as processes with equal seeds do. On failure the error names the rank
  /// (getError).
  FailureOr<SmallVector<Outcome>> run(mlir::func::FuncOp function, ArrayRef<SmallVector<Tensor>> arguments) {
    return run(SmallVector<mlir::func::FuncOp>(grid.numRanks, function), arguments);
  }
  /// The same with a function for each rank.
  FailureOr<SmallVector<Outcome>> run(ArrayRef<mlir::func::FuncOp> functions, ArrayRef<SmallVector<Tensor>> arguments);

  const EvaluationError &getError() const { return error; }

private:
  class Process;
  class Baton;

  ArrayRef<int64_t> getMembers(StringRef group, int64_t rank) const;
  bool meet(MutableArrayRef<std::unique_ptr<Process>> processes);
  void describeStandstill(ArrayRef<std::unique_ptr<Process>> processes);

  GridOptions grid;
  InterpreterOptions options;
  SmallVector<int64_t> allRanks;
  EvaluationError error;
};

} // namespace fxgraph

#endif // FXGRAPH_REFERENCE_GRID_H
