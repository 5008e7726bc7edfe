//===- Collective.cpp - Collectives through NCCL --------------------------===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Collective.h"
#include "Graph.h"

#include <algorithm>
#include <dlfcn.h>

using namespace fxgraph::runtime;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

namespace fxgraph {
namespace runtime {

struct NcclApi {
#define FXGRAPH_MEMBER(symbol, parameters) nccl::Result(*symbol) parameters;
  FXGRAPH_NCCL_FUNCTIONS(FXGRAPH_MEMBER)
#undef FXGRAPH_MEMBER
  const char *(*ncclGetErrorString)(nccl::Result result);
  const char *(*ncclGetLastError)(nccl::Comm comm); ///< null before NCCL 2.13

  static const NcclApi &get();

  void check(nccl::Result result, const char *call, nccl::Comm comm = nullptr) const {
    if (result == nccl::Success)
      return;
    std::string message = std::string(call) + " failed: ";
    const char *text = ncclGetErrorString ? ncclGetErrorString(result) : nullptr;
    message += (text ? text : "unknown error") + std::string(" (") + std::to_string(result) + ")";
    const char *detail = ncclGetLastError ? ncclGetLastError(comm) : nullptr;
    if (detail && *detail)
      message += std::string(": ") + detail;
    if (result == nccl::RemoteError || result == nccl::SystemError)
      message += "; another process has ended or cannot be reached";
    message += "; NCCL_DEBUG=WARN says more";
    throw Error(FXRT_LIBRARY_ERROR, message);
  }
};

} // namespace runtime
} // namespace fxgraph

static const NcclApi *openNccl() {
  void *handle = openLibrary("NCCL", "FXGRAPH_NCCL", {"libnccl.so.2", "libnccl.so"}, FXRT_LIBRARY_ERROR);
  auto *api = new NcclApi();
  const char *missing = nullptr;
#define FXGRAPH_REQUIRE(symbol, parameters)                                                                            \
  api->symbol = reinterpret_cast<decltype(api->symbol)>(dlsym(handle, #symbol));                                       \
  if (!api->symbol && !missing)                                                                                        \
    missing = #symbol;
  FXGRAPH_NCCL_FUNCTIONS(FXGRAPH_REQUIRE)
#undef FXGRAPH_REQUIRE
  api->ncclGetErrorString = reinterpret_cast<decltype(api->ncclGetErrorString)>(dlsym(handle, "ncclGetErrorString"));
  api->ncclGetLastError = reinterpret_cast<decltype(api->ncclGetLastError)>(dlsym(handle, "ncclGetLastError"));
  if (!missing)
    return api;
  delete api;
  dlclose(handle);
  throw Error(FXRT_LIBRARY_ERROR,
              std::string("NCCL has no ") + missing + "; expected NCCL 2: name one in FXGRAPH_NCCL");
}

const NcclApi &NcclApi::get() { return getOnce<NcclApi>(openNccl); }

//===----------------------------------------------------------------------===//
// Groups of processes
//===----------------------------------------------------------------------===//

nccl::UniqueId ProcessGroup::makeUniqueId() {
  const NcclApi &api = NcclApi::get();
  nccl::UniqueId id;
  api.check(api.ncclGetUniqueId(&id), "ncclGetUniqueId");
  return id;
}

ProcessGroup::ProcessGroup(const nccl::UniqueId &id, int rank, int size) : api(NcclApi::get()), isOwned(true) {
  if (size < 1 || rank < 0 || rank >= size)
    throw Error(FXRT_INVALID_ARGUMENT, "expected a rank from 0 to size - 1 but got rank " + std::to_string(rank) +
                                           " of size " + std::to_string(size));
  // NCCL takes the device from the context.
  getOrMakeCurrentContext(DriverApi::get());
  api.check(api.ncclCommInitRank(&comm, size, id, rank), "ncclCommInitRank");
  describe();
}

ProcessGroup::ProcessGroup(nccl::Comm comm) : api(NcclApi::get()), comm(comm) { describe(); }

void ProcessGroup::describe() {
  api.check(api.ncclCommCount(comm, &size), "ncclCommCount", comm);
  api.check(api.ncclCommUserRank(comm, &rank), "ncclCommUserRank", comm);
  api.check(api.ncclCommCuDevice(comm, &device), "ncclCommCuDevice", comm);
}

ProcessGroup::~ProcessGroup() {
  if (isOwned)
    api.ncclCommDestroy(comm);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static int getNcclType(DType dtype) {
  switch (dtype) {
  case DType::I8:
    return nccl::TypeI8;
  case DType::UI8:
    return nccl::TypeU8;
  case DType::I32:
    return nccl::TypeI32;
  case DType::UI32:
    return nccl::TypeU32;
  case DType::I64:
    return nccl::TypeI64;
  case DType::UI64:
    return nccl::TypeU64;
  case DType::F16:
    return nccl::TypeF16;
  case DType::BF16:
    return nccl::TypeBF16;
  case DType::F32:
    return nccl::TypeF32;
  case DType::F64:
    return nccl::TypeF64;
  default:
    throw Error(FXRT_INTERNAL_ERROR, std::string("a reduction of ") + getDTypeName(dtype));
  }
}

static int getNcclOp(ReduceOp op) {
  switch (op) {
  case ReduceOp::Sum:
    return nccl::OpSum;
  case ReduceOp::Avg:
    return nccl::OpAvg;
  case ReduceOp::Product:
    return nccl::OpProduct;
  case ReduceOp::Min:
    return nccl::OpMin;
  case ReduceOp::Max:
    return nccl::OpMax;
  }
  throw Error(FXRT_INTERNAL_ERROR, "an unknown reduction");
}

namespace {

/// Calls of NCCL that become one; a failure leaves nothing open in this thread.
class CallGroup {
public:
  explicit CallGroup(const NcclApi &api) : api(api) { api.check(api.ncclGroupStart(), "ncclGroupStart"); }
  ~CallGroup() {
    if (!ended)
      api.ncclGroupEnd();
  }
  void end(nccl::Comm comm) {
    ended = true;
    api.check(api.ncclGroupEnd(), "ncclGroupEnd", comm);
  }

private:
  const NcclApi &api;
  bool ended = false;
};

} // namespace

namespace fxgraph {
namespace runtime {

class CompiledCollective : public CompiledStep {
public:
  struct Tensor {
    Address input, output;
    uint64_t count;
    int type;
    uint64_t elementBytes;
  };

  CompiledCollective(const DriverApi &driver, const Communication &communication, const CollectiveStep &step,
                     std::vector<Tensor> tensors, std::shared_ptr<OrderEvent> end)
      : communication(communication), step(step), tensors(std::move(tensors)),
        op(step.reduces() ? getNcclOp(step.reduceOp) : 0), start(driver), end(std::move(end)) {}

  void enqueue(const RunContext &run) const override {
    std::shared_ptr<ProcessGroup> processes = communication.getProcesses(step.group);
    const NcclApi &api = processes->api;
    cu::Stream stream = communication.getStream();
    std::lock_guard<std::mutex> lock(processes->mutex);
    nccl::Result state = nccl::Success;
    api.check(api.ncclCommGetAsyncError(processes->comm, &state), "ncclCommGetAsyncError", processes->comm);
    api.check(state, "an earlier collective", processes->comm);
    run.driver.check(run.driver.cuEventRecord(start, run.stream), "cuEventRecord");
    run.driver.check(run.driver.cuStreamWaitEvent(stream, start, 0), "cuStreamWaitEvent");
    CallGroup calls(api);
    for (const Tensor &tensor : tensors) {
      auto *input = reinterpret_cast<const void *>(tensor.input.resolve(run.bases));
      auto *output = reinterpret_cast<void *>(tensor.output.resolve(run.bases));
      switch (step.kind) {
      case CollectiveKind::AllReduce:
        api.check(api.ncclAllReduce(input, output, tensor.count, tensor.type, op, processes->comm, stream),
                  "ncclAllReduce", processes->comm);
        break;
      case CollectiveKind::AllGather:
        api.check(api.ncclAllGather(input, output, tensor.count, tensor.type, processes->comm, stream), "ncclAllGather",
                  processes->comm);
        break;
      case CollectiveKind::ReduceScatter:
        api.check(api.ncclReduceScatter(input, output, tensor.count, tensor.type, op, processes->comm, stream),
                  "ncclReduceScatter", processes->comm);
        break;
      case CollectiveKind::Broadcast:
        api.check(api.ncclBroadcast(input, output, tensor.count, tensor.type, static_cast<int>(step.source),
                                    processes->comm, stream),
                  "ncclBroadcast", processes->comm);
        break;
      case CollectiveKind::AllToAll:
        exchange(api, *processes, tensor, static_cast<const char *>(input), static_cast<char *>(output));
        break;
      }
    }
    calls.end(processes->comm);
    run.driver.check(run.driver.cuEventRecord(*end, stream), "cuEventRecord");
  }

private:
  /// Parts in the order of the ranks, to and from each.
  void exchange(const NcclApi &api, ProcessGroup &processes, const Tensor &tensor, const char *input,
                char *output) const {
    cu::Stream stream = communication.getStream();
    for (size_t rank = 0; rank < step.given.size(); ++rank) {
      int peer = static_cast<int>(rank);
      if (uint64_t bytes = step.given[rank] * tensor.elementBytes) {
        api.check(api.ncclSend(input, bytes, tensor.type, peer, processes.comm, stream), "ncclSend", processes.comm);
        input += bytes;
      }
      if (uint64_t bytes = step.taken[rank] * tensor.elementBytes) {
        api.check(api.ncclRecv(output, bytes, tensor.type, peer, processes.comm, stream), "ncclRecv", processes.comm);
        output += bytes;
      }
    }
  }

  const Communication &communication;
  const CollectiveStep &step; ///< in the plan, which the graph owns
  std::vector<Tensor> tensors;
  int op;
  OrderEvent start;
  std::shared_ptr<OrderEvent> end;
};

} // namespace runtime
} // namespace fxgraph

namespace {

class CompiledWait : public CompiledStep {
public:
  explicit CompiledWait(std::vector<std::shared_ptr<OrderEvent>> ends) : ends(std::move(ends)) {}

  void enqueue(const RunContext &run) const override {
    for (const std::shared_ptr<OrderEvent> &end : ends)
      run.driver.check(run.driver.cuStreamWaitEvent(run.stream, *end, 0), "cuStreamWaitEvent");
  }

private:
  std::vector<std::shared_ptr<OrderEvent>> ends;
};

} // namespace

std::unique_ptr<CompiledStep> Communication::compile(const LibraryContext &library, const CollectiveStep &step,
                                                     size_t index) {
  std::vector<CompiledCollective::Tensor> tensors;
  for (const CollectiveTensor &tensor : step.tensors) {
    bool takes = std::any_of(step.taken.begin(), step.taken.end(), [](uint64_t count) { return count != 0; });
    if (tensor.elements == 0 && !takes)
      continue;
    // What is only moved is bytes.
    uint64_t bytes = getDTypeBytes(tensor.dtype);
    tensors.push_back({library.getAddress(tensor.input), library.getAddress(tensor.output),
                       tensor.elements * (step.reduces() ? 1 : bytes),
                       step.reduces() ? getNcclType(tensor.dtype) : nccl::TypeU8, bytes});
  }
  if (tensors.empty())
    return nullptr;
  auto end = std::make_shared<OrderEvent>(driver);
  ends[index] = end;
  return std::make_unique<CompiledCollective>(driver, *this, step, std::move(tensors), std::move(end));
}

std::unique_ptr<CompiledStep> Communication::compile(const WaitStep &step) const {
  std::vector<std::shared_ptr<OrderEvent>> awaited;
  for (uint32_t index : step.steps)
    if (auto it = ends.find(index); it != ends.end())
      awaited.push_back(it->second);
  return awaited.empty() ? nullptr : std::make_unique<CompiledWait>(std::move(awaited));
}

//===----------------------------------------------------------------------===//
// The groups of a graph
//===----------------------------------------------------------------------===//

std::unique_ptr<Communication> Communication::create(const DriverApi &driver, const LaunchPlan &plan,
                                                     cu::Device device) {
  std::unique_ptr<Communication> communication;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    auto *step = std::get_if<CollectiveStep>(&plan.steps[i].body);
    if (!step)
      continue;
    if (!communication)
      communication.reset(new Communication(driver, device));
    std::vector<Group> &groups = communication->groups;
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const Group &each) { return each.name == step->group; });
    if (group == groups.end())
      group = groups.insert(groups.end(), Group{step->group, 0, 1, nullptr});
    group->least = std::max(group->least, uint64_t(step->source) + 1);
    if (!step->groupSize)
      continue;
    if (group->size && group->size != step->groupSize)
      throw Error(FXRT_INVALID_PLAN, plan.describeStep(i) + ": expected " + std::to_string(group->size) +
                                         " processes in group '" + step->group +
                                         "', as an earlier step says, but got " + std::to_string(step->groupSize));
    group->size = step->groupSize;
  }
  return communication;
}

void Communication::setGroup(const std::string &name, std::shared_ptr<ProcessGroup> processes) {
  auto group = std::find_if(groups.begin(), groups.end(), [&](const Group &each) { return each.name == name; });
  if (group == groups.end()) {
    std::string names;
    for (const Group &each : groups)
      names += (names.empty() ? "'" : ", '") + each.name + "'";
    throw Error(FXRT_INVALID_ARGUMENT, "expected a group of " + names + " but got '" + name + "'");
  }
  if (group->size && group->size != static_cast<uint64_t>(processes->getSize()))
    throw Error(FXRT_INVALID_ARGUMENT, "expected a communicator of " + std::to_string(group->size) +
                                           " processes for group '" + name + "' but got one of " +
                                           std::to_string(processes->getSize()));
  if (static_cast<uint64_t>(processes->getSize()) < group->least)
    throw Error(FXRT_INVALID_ARGUMENT, "expected a communicator of at least " + std::to_string(group->least) +
                                           " processes for group '" + name + "', one of which broadcasts, but got one of " +
                                           std::to_string(processes->getSize()));
  if (processes->getDevice() != device)
    throw Error(FXRT_INVALID_ARGUMENT, "expected a communicator on device " + std::to_string(device) +
                                           ", where the graph is, for group '" + name + "' but got one on device " +
                                           std::to_string(processes->getDevice()));
  std::lock_guard<std::mutex> lock(mutex);
  group->processes = std::move(processes);
}

std::shared_ptr<ProcessGroup> Communication::getProcesses(const std::string &name) const {
  std::lock_guard<std::mutex> lock(mutex);
  for (const Group &group : groups)
    if (group.name == name)
      return group.processes;
  return nullptr;
}
