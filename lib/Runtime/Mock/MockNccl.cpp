//===- MockNccl.cpp - Collectives of threads ------------------------------===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The processes of a group are threads of this process. Their calls meet in the
// order in which each has made them; the last to come computes for all. Calls
// that are not the same on all of them, and processes that do not come, are
// errors, where NCCL would hang or mix them up.
//
// Reductions are in double and round once, a mean once more behind the division,
// and NaN wins in min and max: bit for bit what the reference interpreter's grid
// of processes gives.
//
//===----------------------------------------------------------------------===//

#include "HostNumbers.h"
#include "MockState.h"
#include "NcclTypes.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

using namespace fxgraph::runtime;
using namespace fxgraph::runtime::mock;

FXGRAPH_MOCK_EXPORT cu::Result cuCtxGetDevice(cu::Device *device);

namespace {

enum class Kind { AllReduce, AllGather, ReduceScatter, Broadcast, Send, Receive };

struct Call {
  Kind kind;
  const char *input;
  char *output;
  size_t count;
  int type;
  int op; ///< or another rank, of those that have one
};

/// What the processes of a group do at one time.
struct Meeting {
  std::vector<std::vector<Call>> calls; ///< of each rank
  int arrived = 0;
  bool isOver = false;
  nccl::Result result = nccl::Success;
};

struct Group {
  explicit Group(int size) : size(size) {}
  const int size;
  std::mutex mutex;
  std::condition_variable changed;
  int joined = 0;
  std::map<uint64_t, std::shared_ptr<Meeting>> meetings; ///< by number
};

} // namespace

namespace fxgraph {
namespace runtime {
namespace nccl {

struct CommOpaque {
  std::shared_ptr<Group> group;
  int rank, device;
  uint64_t meetings = 0; ///< that it has been to
  Result asyncError = Success;
};

} // namespace nccl
} // namespace runtime
} // namespace fxgraph

/// How long a process waits for the others.
static std::chrono::milliseconds getPatience() {
  const char *text = std::getenv("FXGRAPH_MOCK_PATIENCE_MS");
  return std::chrono::milliseconds(text && *text ? std::atoi(text) : 60000);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static size_t getBytes(int type) {
  switch (type) {
  case nccl::TypeI8:
  case nccl::TypeU8:
    return 1;
  case nccl::TypeF16:
  case nccl::TypeBF16:
    return 2;
  case nccl::TypeI64:
  case nccl::TypeU64:
  case nccl::TypeF64:
    return 8;
  default:
    return 4;
  }
}

static bool isFloat(int type) {
  return type == nccl::TypeF16 || type == nccl::TypeBF16 || type == nccl::TypeF32 || type == nccl::TypeF64;
}

static NumberType getNumberType(int type) {
  switch (type) {
  case nccl::TypeF16:
    return NumberType::F16;
  case nccl::TypeBF16:
    return NumberType::BF16;
  case nccl::TypeF64:
    return NumberType::F64;
  default:
    return NumberType::F32;
  }
}

static double round(int type, double value) {
  char bytes[8];
  storeNumber(getNumberType(type), bytes, 0, value);
  return loadNumber(getNumberType(type), bytes, 0);
}

static void reduceFloats(const std::vector<const char *> &inputs, int type, int op, size_t from, char *output,
                         size_t to) {
  auto load = [&](const char *input) { return loadNumber(getNumberType(type), input, from); };
  double value = load(inputs.front());
  for (size_t i = 1; i < inputs.size(); ++i) {
    double next = load(inputs[i]);
    if (op == nccl::OpSum || op == nccl::OpAvg)
      value += next;
    else if (op == nccl::OpProduct)
      value *= next;
    else if (std::isnan(next) || (op == nccl::OpMin ? next < value : next > value))
      value = next;
  }
  if (op == nccl::OpAvg)
    value = round(type, value) / static_cast<double>(inputs.size());
  storeNumber(getNumberType(type), output, to, value);
}

template <class T>
static void reduceIntegers(const std::vector<const char *> &inputs, int op, size_t from, char *output, size_t to) {
  auto load = [&](const char *input) { return reinterpret_cast<const T *>(input)[from]; };
  T value = load(inputs.front());
  for (size_t i = 1; i < inputs.size(); ++i) {
    T next = load(inputs[i]);
    // Sums and products wrap: in 64 bits without a sign they do so without being undefined.
    if (op == nccl::OpSum)
      value = static_cast<T>(static_cast<uint64_t>(value) + static_cast<uint64_t>(next));
    else if (op == nccl::OpProduct)
      value = static_cast<T>(static_cast<uint64_t>(value) * static_cast<uint64_t>(next));
    else
      value = op == nccl::OpMin ? std::min(value, next) : std::max(value, next);
  }
  reinterpret_cast<T *>(output)[to] = value;
}

static void reduce(const std::vector<const char *> &inputs, int type, int op, size_t from, char *output, size_t to) {
  switch (type) {
  case nccl::TypeI8:
    return reduceIntegers<int8_t>(inputs, op, from, output, to);
  case nccl::TypeU8:
    return reduceIntegers<uint8_t>(inputs, op, from, output, to);
  case nccl::TypeI32:
    return reduceIntegers<int32_t>(inputs, op, from, output, to);
  case nccl::TypeU32:
    return reduceIntegers<uint32_t>(inputs, op, from, output, to);
  case nccl::TypeI64:
    return reduceIntegers<int64_t>(inputs, op, from, output, to);
  case nccl::TypeU64:
    return reduceIntegers<uint64_t>(inputs, op, from, output, to);
  default:
    return reduceFloats(inputs, type, op, from, output, to);
  }
}

/// What call number `number` of all ranks comes to.
static nccl::Result compute(const Meeting &meeting, size_t number) {
  const Call &first = meeting.calls.front()[number];
  size_t size = meeting.calls.size(), bytes = getBytes(first.type) * first.count;
  std::vector<const char *> inputs;
  for (const std::vector<Call> &calls : meeting.calls) {
    const Call &call = calls[number];
    if (call.kind != first.kind || call.count != first.count || call.type != first.type || call.op != first.op)
      return nccl::InvalidUsage;
    size_t inputBytes = call.kind == Kind::ReduceScatter ? bytes * size : bytes;
    size_t outputBytes = call.kind == Kind::AllGather ? bytes * size : bytes;
    if (!isDeviceRange(reinterpret_cast<cu::DevicePtr>(call.input), inputBytes) ||
        !isDeviceRange(reinterpret_cast<cu::DevicePtr>(call.output), outputBytes))
      return nccl::InvalidArgument;
    inputs.push_back(call.input);
  }
  if (first.kind == Kind::Broadcast && static_cast<size_t>(first.op) >= size)
    return nccl::InvalidArgument;
  // A process may reduce in place: nothing is written before all is read.
  std::vector<std::vector<char>> results;
  for (size_t rank = 0; rank < size; ++rank) {
    std::vector<char> result(first.kind == Kind::AllGather ? bytes * size : bytes);
    if (first.kind == Kind::AllGather)
      for (size_t i = 0; i < size; ++i)
        std::memcpy(result.data() + i * bytes, inputs[i], bytes);
    else if (first.kind == Kind::Broadcast)
      std::memcpy(result.data(), inputs[first.op], bytes);
    else
      for (size_t i = 0; i < first.count; ++i)
        reduce(inputs, first.type, first.op, first.kind == Kind::ReduceScatter ? rank * first.count + i : i,
               result.data(), i);
    results.push_back(std::move(result));
  }
  for (size_t rank = 0; rank < size; ++rank)
    std::memcpy(meeting.calls[rank][number].output, results[rank].data(), results[rank].size());
  return nccl::Success;
}

static bool isPart(const Call &call) { return call.kind == Kind::Send || call.kind == Kind::Receive; }

/// What ranks send each other: what one receives from another is what that sends it, in order.
static nccl::Result exchange(const Meeting &meeting) {
  auto size = static_cast<int>(meeting.calls.size());
  auto select = [&](int rank, Kind kind, int peer) {
    std::vector<Call> parts;
    for (const Call &call : meeting.calls[rank])
      if (call.kind == kind && call.op == peer)
        parts.push_back(call);
    return parts;
  };
  for (const std::vector<Call> &calls : meeting.calls)
    for (const Call &call : calls)
      if (!isPart(call) || call.op < 0 || call.op >= size)
        return nccl::InvalidUsage;
  for (int from = 0; from < size; ++from)
    for (int to = 0; to < size; ++to) {
      std::vector<Call> sent = select(from, Kind::Send, to), received = select(to, Kind::Receive, from);
      if (sent.size() != received.size())
        return nccl::InvalidUsage;
      for (size_t i = 0; i < sent.size(); ++i) {
        size_t bytes = sent[i].count * getBytes(sent[i].type);
        if (bytes != received[i].count * getBytes(received[i].type))
          return nccl::InvalidUsage;
        if (!isDeviceRange(reinterpret_cast<cu::DevicePtr>(sent[i].input), bytes) ||
            !isDeviceRange(reinterpret_cast<cu::DevicePtr>(received[i].output), bytes))
          return nccl::InvalidArgument;
        std::memcpy(received[i].output, sent[i].input, bytes);
      }
    }
  return nccl::Success;
}

//===----------------------------------------------------------------------===//
// Meetings
//===----------------------------------------------------------------------===//

/// Runs in the order of the stream.
static nccl::Result meet(nccl::Comm comm, std::vector<Call> calls) {
  Group &group = *comm->group;
  std::unique_lock<std::mutex> lock(group.mutex);
  uint64_t number = comm->meetings++;
  std::shared_ptr<Meeting> &slot = group.meetings[number];
  if (!slot) {
    slot = std::make_shared<Meeting>();
    slot->calls.resize(group.size);
  }
  std::shared_ptr<Meeting> meeting = slot;
  meeting->calls[comm->rank] = std::move(calls);
  if (++meeting->arrived == group.size) {
    size_t count = meeting->calls.front().size();
    if (isPart(meeting->calls.front().front())) {
      meeting->result = exchange(*meeting);
      count = 0;
    } else {
      for (const std::vector<Call> &others : meeting->calls)
        if (others.size() != count)
          meeting->result = nccl::InvalidUsage;
    }
    for (size_t i = 0; i < count && meeting->result == nccl::Success; ++i)
      meeting->result = compute(*meeting, i);
    meeting->isOver = true;
    group.meetings.erase(number);
    group.changed.notify_all();
  } else if (!group.changed.wait_for(lock, getPatience(), [&] { return meeting->isOver; })) {
    return nccl::RemoteError;
  }
  return meeting->result;
}

static const char *getName(Kind kind) {
  switch (kind) {
  case Kind::AllReduce:
    return "all_reduce";
  case Kind::AllGather:
    return "all_gather";
  case Kind::ReduceScatter:
    return "reduce_scatter";
  case Kind::Broadcast:
    return "broadcast";
  case Kind::Send:
    return "send";
  case Kind::Receive:
    break;
  }
  return "receive";
}

/// The calls between ncclGroupStart and ncclGroupEnd, by communicator and stream.
static thread_local int openGroups = 0;
/// Of a call since ncclGroupStart: none of them is started then.
static thread_local nccl::Result openError = nccl::Success;
static thread_local std::vector<std::pair<std::pair<nccl::Comm, cu::Stream>, std::vector<Call>>> openCalls;

static nccl::Result start(nccl::Comm comm, cu::Stream stream, std::vector<Call> calls) {
  std::string where = describeStream(stream);
  for (const Call &call : calls)
    log(std::string("start ") + getName(call.kind) + " count=" + std::to_string(call.count) +
        " type=" + std::to_string(call.type) + " op=" + std::to_string(call.op) +
        " rank=" + std::to_string(comm->rank) + "/" + std::to_string(comm->group->size) + " stream=" + where);
  cu::Result result = enqueueForOthers(stream, [comm, calls]() -> cu::Result {
    nccl::Result result = meet(comm, calls);
    if (result == nccl::Success)
      return cu::Success;
    comm->asyncError = result;
    return cu::ErrorLaunchFailed;
  });
  return result == cu::Success ? nccl::Success : nccl::UnhandledCudaError;
}

static nccl::Result add(const char *function, nccl::Comm comm, cu::Stream stream, Call call) {
  nccl::Result failure = getInjectedFailure(function);
  if (!failure && !isLiveStream(stream))
    failure = nccl::InvalidArgument;
  if (failure) {
    if (openGroups > 0)
      openError = failure;
    return failure;
  }
  if (openGroups == 0)
    return start(comm, stream, {call});
  auto key = std::make_pair(comm, stream);
  auto it = std::find_if(openCalls.begin(), openCalls.end(), [&](const auto &entry) { return entry.first == key; });
  if (it == openCalls.end())
    it = openCalls.insert(openCalls.end(), {key, {}});
  it->second.push_back(call);
  return nccl::Success;
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

FXGRAPH_MOCK_EXPORT const char *ncclGetErrorString(nccl::Result result) {
  switch (result) {
  case nccl::InvalidArgument:
    return "invalid argument";
  case nccl::InvalidUsage:
    return "invalid usage";
  case nccl::RemoteError:
    return "remote process exited or there was a network error";
  default:
    return "reported by the mock";
  }
}

FXGRAPH_MOCK_EXPORT nccl::Result ncclGetUniqueId(nccl::UniqueId *id) {
  if (int code = getInjectedFailure("ncclGetUniqueId"))
    return code;
  static std::atomic<uint64_t> next{1};
  *id = {};
  uint64_t number = next++;
  std::memcpy(id->bytes, &number, sizeof(number));
  return nccl::Success;
}

FXGRAPH_MOCK_EXPORT nccl::Result ncclCommInitRank(nccl::Comm *comm, int size, nccl::UniqueId id, int rank) {
  if (int code = getInjectedFailure("ncclCommInitRank"))
    return code;
  static std::mutex mutex;
  static auto *groups = new std::map<std::string, std::shared_ptr<Group>>();
  std::shared_ptr<Group> group;
  {
    std::lock_guard<std::mutex> lock(mutex);
    std::shared_ptr<Group> &slot = (*groups)[std::string(id.bytes, sizeof(id.bytes))];
    if (!slot)
      slot = std::make_shared<Group>(size);
    group = slot;
  }
  if (group->size != size || rank < 0 || rank >= size)
    return nccl::InvalidArgument;
  std::unique_lock<std::mutex> lock(group->mutex);
  ++group->joined;
  group->changed.notify_all();
  if (!group->changed.wait_for(lock, getPatience(), [&] { return group->joined >= size; }))
    return nccl::RemoteError;
  cu::Device device = 0;
  if (cuCtxGetDevice(&device) != cu::Success)
    return nccl::UnhandledCudaError;
  *comm = new nccl::CommOpaque{group, rank, device};
  addLiveObjects(1);
  return nccl::Success;
}

FXGRAPH_MOCK_EXPORT nccl::Result ncclCommDestroy(nccl::Comm comm) {
  delete comm;
  addLiveObjects(-1);
  return nccl::Success;
}

FXGRAPH_MOCK_EXPORT nccl::Result ncclCommCount(nccl::Comm comm, int *size) {
  *size = comm->group->size;
  return nccl::Success;
}

FXGRAPH_MOCK_EXPORT nccl::Result ncclCommUserRank(nccl::Comm comm, int *rank) {
  *rank = comm->rank;
  return nccl::Success;
}

FXGRAPH_MOCK_EXPORT nccl::Result ncclCommCuDevice(nccl::Comm comm, int *device) {
  *device = comm->device;
  return nccl::Success;
}

FXGRAPH_MOCK_EXPORT nccl::Result ncclCommGetAsyncError(nccl::Comm comm, nccl::Result *result) {
  *result = comm->asyncError;
  return nccl::Success;
}

FXGRAPH_MOCK_EXPORT nccl::Result ncclGroupStart() {
  ++openGroups;
  return nccl::Success;
}

FXGRAPH_MOCK_EXPORT nccl::Result ncclGroupEnd() {
  if (openGroups == 0)
    return nccl::InvalidUsage;
  if (--openGroups > 0)
    return nccl::Success;
  auto calls = std::move(openCalls);
  openCalls.clear();
  if (nccl::Result failure = std::exchange(openError, nccl::Success))
    return failure;
  for (auto &[key, each] : calls)
    if (nccl::Result result = start(key.first, key.second, std::move(each)))
      return result;
  return nccl::Success;
}

FXGRAPH_MOCK_EXPORT nccl::Result ncclAllReduce(const void *input, void *output, size_t count, int type, int op,
                                               nccl::Comm comm, cu::Stream stream) {
  if (op == nccl::OpAvg && !isFloat(type))
    return nccl::InvalidArgument;
  return add("ncclAllReduce", comm, stream,
             {Kind::AllReduce, static_cast<const char *>(input), static_cast<char *>(output), count, type, op});
}

FXGRAPH_MOCK_EXPORT nccl::Result ncclAllGather(const void *input, void *output, size_t count, int type, nccl::Comm comm,
                                               cu::Stream stream) {
  return add("ncclAllGather", comm, stream,
             {Kind::AllGather, static_cast<const char *>(input), static_cast<char *>(output), count, type, 0});
}

FXGRAPH_MOCK_EXPORT nccl::Result ncclReduceScatter(const void *input, void *output, size_t count, int type, int op,
                                                   nccl::Comm comm, cu::Stream stream) {
  if (op == nccl::OpAvg && !isFloat(type))
    return nccl::InvalidArgument;
  return add("ncclReduceScatter", comm, stream,
             {Kind::ReduceScatter, static_cast<const char *>(input), static_cast<char *>(output), count, type, op});
}

FXGRAPH_MOCK_EXPORT nccl::Result ncclBroadcast(const void *input, void *output, size_t count, int type, int root,
                                               nccl::Comm comm, cu::Stream stream) {
  return add("ncclBroadcast", comm, stream,
             {Kind::Broadcast, static_cast<const char *>(input), static_cast<char *>(output), count, type, root});
}

FXGRAPH_MOCK_EXPORT nccl::Result ncclSend(const void *input, size_t count, int type, int peer, nccl::Comm comm,
                                          cu::Stream stream) {
  return add("ncclSend", comm, stream, {Kind::Send, static_cast<const char *>(input), nullptr, count, type, peer});
}

FXGRAPH_MOCK_EXPORT nccl::Result ncclRecv(void *output, size_t count, int type, int peer, nccl::Comm comm,
                                          cu::Stream stream) {
  return add("ncclRecv", comm, stream, {Kind::Receive, nullptr, static_cast<char *>(output), count, type, peer});
}
