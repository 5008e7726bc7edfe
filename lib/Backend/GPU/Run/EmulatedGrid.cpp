// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Run/EmulatedGrid.h"
#include "fxgraph/Backend/Signature.h"
#include <mutex>
#include <thread>

using namespace fxgraph;
using namespace fxgraph::gpu;

namespace {

/// Process groups of this process' ranks, released with their owner.
struct GroupHandles {
  GroupHandles() = default;
  GroupHandles(const GroupHandles &) = delete;
  GroupHandles &operator=(const GroupHandles &) = delete;
  ~GroupHandles() {
    for (FxrtProcessGroup *group : groups)
      fxrtProcessGroupDestroy(group);
  }
  std::vector<FxrtProcessGroup *> groups;
};

class EmulatedGrid : public Executable {
public:
  EmulatedGrid(mlir::func::FuncOp function, const GridOptions &grid, std::vector<std::unique_ptr<Executable>> processes)
      : grid(grid), signature(function, grid.numRanks), processes(std::move(processes)) {}

  const FxGraphInfo &getInfo() const override { return signature.getInfo(); }
  int64_t getWorkspaceBytes() const override { return processes.front()->getWorkspaceBytes(); }
  FxStatus run(ArrayRef<FxTensorDesc> inputs, MutableArrayRef<FxTensorDesc> outputs, const FxRunOptions &options,
               std::string &error) override;

  /// Lets each rank join its groups.
  LogicalResult connect(std::string &error);

private:
  /// Calls `body` with each rank in a thread of its own; the first rank's error that there is.
  template <typename Body>
  FxStatus onAllRanks(Body body, std::string &error) {
    std::vector<std::string> errors(grid.numRanks);
    std::vector<FxStatus> statuses(grid.numRanks, FX_OK);
    std::vector<std::thread> threads;
    for (int64_t rank = 0; rank < grid.numRanks; ++rank)
      threads.emplace_back([&, rank] { statuses[rank] = body(rank, errors[rank]); });
    for (std::thread &thread : threads)
      thread.join();
    for (auto [rank, status] : llvm::enumerate(statuses)) {
      if (status == FX_OK)
        continue;
      error = "rank " + std::to_string(rank) + ": " + errors[rank];
      return status;
    }
    return FX_OK;
  }

  GridOptions grid;
  Signature signature;
  GroupHandles handles; ///< outlives the processes
  std::vector<std::unique_ptr<Executable>> processes;
};

} // namespace

LogicalResult EmulatedGrid::connect(std::string &error) {
  for (const ProcessGroupInfo &group : processes.front()->getProcessGroups()) {
    SmallVector<SmallVector<int64_t>> sets;
    if (auto known = grid.groups.find(group.name); known != grid.groups.end())
      sets = known->second;
    else
      llvm::append_range(sets.emplace_back(), llvm::seq<int64_t>(0, grid.numRanks));
    // Of each rank: who it is, in which set.
    struct Member {
      std::array<char, FXRT_UNIQUE_ID_BYTES> id = {};
      int position = -1, size = 0;
    };
    std::vector<Member> members(grid.numRanks);
    for (ArrayRef<int64_t> set : sets) {
      std::array<char, FXRT_UNIQUE_ID_BYTES> id;
      if (fxrtGetUniqueId(id.data()) != FXRT_OK) {
        error = fxrtLastError();
        return failure();
      }
      for (auto [position, rank] : llvm::enumerate(set))
        members[rank] = {id, static_cast<int>(position), static_cast<int>(set.size())};
    }
    for (auto [rank, member] : llvm::enumerate(members))
      if (member.position < 0) {
        error =
            "expected a rank of group '" + group.name + "' but rank " + std::to_string(rank) + " is in no set of it";
        return failure();
      }
    std::mutex mutex;
    FxStatus status = onAllRanks(
        [&](int64_t rank, std::string &message) {
          const Member &member = members[rank];
          FxrtProcessGroup *handle = nullptr;
          if (fxrtProcessGroupCreate(member.id.data(), member.position, member.size, &handle) != FXRT_OK) {
            message = fxrtLastError();
            return FX_RUN_FAILED;
          }
          {
            std::lock_guard<std::mutex> lock(mutex);
            handles.groups.push_back(handle);
          }
          return succeeded(processes[rank]->setProcessGroup(group.name, handle, message)) ? FX_OK : FX_RUN_FAILED;
        },
        error);
    if (status != FX_OK)
      return failure();
  }
  return success();
}

namespace {
/// The caller's options, for the outputs of one rank.
struct RankAllocator {
  const FxRunOptions *options;
  std::mutex *mutex;
  int firstOutput;

  static void *allocate(void *user, int output, const FxTensorDesc *needed) {
    auto *self = static_cast<RankAllocator *>(user);
    std::lock_guard<std::mutex> lock(*self->mutex);
    return self->options->allocate(self->options->user, self->firstOutput + output, needed);
  }
};
} // namespace

FxStatus EmulatedGrid::run(ArrayRef<FxTensorDesc> inputs, MutableArrayRef<FxTensorDesc> outputs,
                           const FxRunOptions &options, std::string &error) {
  size_t inputsOfRank = processes.front()->getInfo().inputCount,
         outputsOfRank = processes.front()->getInfo().outputCount;
  if (inputs.size() != inputsOfRank * processes.size() || outputs.size() != outputsOfRank * processes.size()) {
    error = "expected " + std::to_string(inputsOfRank * processes.size()) + " inputs and " +
            std::to_string(outputsOfRank * processes.size()) + " outputs but got " + std::to_string(inputs.size()) +
            " and " + std::to_string(outputs.size());
    return FX_BAD_ARGUMENT;
  }
  std::mutex mutex;
  return onAllRanks(
      [&](int64_t rank, std::string &message) {
        RankAllocator allocator{&options, &mutex, static_cast<int>(rank * outputsOfRank)};
        FxRunOptions own = options;
        if (options.allocate) {
          own.allocate = &RankAllocator::allocate;
          own.user = &allocator;
        }
        return processes[rank]->run(inputs.slice(rank * inputsOfRank, inputsOfRank),
                                    outputs.slice(rank * outputsOfRank, outputsOfRank), own, message);
      },
      error);
}

std::unique_ptr<Executable> fxgraph::gpu::createEmulatedGrid(mlir::func::FuncOp function, const GridOptions &grid,
                                                             std::vector<std::unique_ptr<Executable>> processes,
                                                             std::string &error) {
  auto result = std::make_unique<EmulatedGrid>(function, grid, std::move(processes));
  if (failed(result->connect(error)))
    return nullptr;
  return result;
}
