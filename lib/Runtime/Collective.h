//===- Collective.h - Collectives through NCCL -------------------*- C++ -*-===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph's collectives run on a stream of their own, one after the other in the
// order of the plan (that order is what all processes have in common). Each
// begins behind what the run's stream held when it was started, and a wait lets
// the run's stream go on behind the collective: two events each, no
// synchronisation with the host, and the same in a capture.
//
//===----------------------------------------------------------------------===//

#ifndef FXGRAPH_LIB_RUNTIME_COLLECTIVE_H
#define FXGRAPH_LIB_RUNTIME_COLLECTIVE_H

#include "DriverApi.h"
#include "LaunchPlan.h"
#include "NcclTypes.h"

#include <map>
#include <memory>
#include <mutex>

namespace fxgraph {
namespace runtime {

struct NcclApi;
struct LibraryContext;
class CompiledStep;

/// This process' place in a group of processes.
class ProcessGroup {
public:
  static nccl::UniqueId makeUniqueId();
  /// Returns when all processes of the group have called it. On the current device.
  ProcessGroup(const nccl::UniqueId &id, int rank, int size);
  /// Uses a communicator of somebody else's, who keeps it alive.
  explicit ProcessGroup(nccl::Comm comm);
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup &) = delete;
  ProcessGroup &operator=(const ProcessGroup &) = delete;

  int getRank() const { return rank; }
  int getSize() const { return size; }
  int getDevice() const { return device; }

private:
  friend class CompiledCollective;
  void describe();

  const NcclApi &api;
  nccl::Comm comm = nullptr;
  bool isOwned = false;
  int rank = 0, size = 0, device = 0;
  /// A communicator takes calls of one thread at a time.
  std::mutex mutex;
};

/// An event for the order of streams.
class OrderEvent {
public:
  explicit OrderEvent(const DriverApi &driver) : driver(driver) {
    driver.check(driver.cuEventCreate(&event, cu::EventDisableTiming), "cuEventCreate");
  }
  ~OrderEvent() { driver.cuEventDestroy_v2(event); }
  OrderEvent(const OrderEvent &) = delete;
  OrderEvent &operator=(const OrderEvent &) = delete;
  operator cu::Event() const { return event; }

private:
  const DriverApi &driver;
  cu::Event event = nullptr;
};

/// What a graph communicates with: the groups that its plan names, and the stream.
class Communication {
public:
  /// What the plan says of a group.
  struct Group {
    std::string name;
    uint64_t size = 0;  ///< 0: any
    uint64_t least = 1; ///< and no fewer than these
    std::shared_ptr<ProcessGroup> processes;
  };

  /// Null where the plan has no collective. Throws FXRT_INVALID_PLAN where steps differ in the size of a group.
  static std::unique_ptr<Communication> create(const DriverApi &driver, const LaunchPlan &plan, cu::Device device);

  const std::vector<Group> &getGroups() const { return groups; }
  /// Throws FXRT_INVALID_ARGUMENT if the plan has no such group or another number of processes.
  void setGroup(const std::string &name, std::shared_ptr<ProcessGroup> processes);
  /// Null if none was set.
  std::shared_ptr<ProcessGroup> getProcesses(const std::string &name) const;
  cu::Stream getStream() const { return stream; }
  /// Makes a stream of a run wait for all that has been started, as far as that is possible.
  void join(cu::Stream run) const {
    if (driver.cuEventRecord(joined, stream) == cu::Success)
      driver.cuStreamWaitEvent(run, joined, 0);
  }

  std::unique_ptr<CompiledStep> compile(const LibraryContext &library, const CollectiveStep &step, size_t index);
  std::unique_ptr<CompiledStep> compile(const WaitStep &step) const;

private:
  Communication(const DriverApi &driver, cu::Device device)
      : driver(driver), device(device), stream(driver), joined(driver) {}

  const DriverApi &driver;
  cu::Device device;
  OwnedStream stream;
  OrderEvent joined;
  std::vector<Group> groups;
  mutable std::mutex mutex; ///< of the groups' processes
  /// Of each collective that runs, by the index of its step: it has ended.
  std::map<size_t, std::shared_ptr<OrderEvent>> ends;
};

} // namespace runtime
} // namespace fxgraph

#endif // FXGRAPH_LIB_RUNTIME_COLLECTIVE_H
