//===- Graph.h - A loaded graph ----------------------------------*- C++
//-*-===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loading turns every step into a record that holds what does not change: the
// driver's function, the launch dimensions, where each argument comes from. A
// run then only adds base addresses to offsets and calls the driver: no
// look-up, no allocation after a thread's first run, no synchronisation. Cost
// of a run: linear in steps and arguments, about 3 us of host time per kernel,
// which is the driver's own.
//
//===----------------------------------------------------------------------===//

#ifndef FXGRAPH_LIB_RUNTIME_GRAPH_H
#define FXGRAPH_LIB_RUNTIME_GRAPH_H

#include "Collective.h"
#include "DriverApi.h"
#include "LaunchPlan.h"
#include "TensorCall.h"

#include <functional>
#include <memory>

namespace fxgraph {
namespace runtime {

/// What the address of a workspace is a multiple of.
constexpr uint64_t kWorkspaceAlign = 256;

/// The buffers of one call.
struct CallBuffers {
  void *const *inputs = nullptr;
  size_t inputCount = 0;
  void *const *outputs = nullptr;
  size_t outputCount = 0;
  void *workspace = nullptr;
  size_t workspaceBytes = 0;
};

/// A buffer reference as "which base address" and "how far from it".
struct Address {
  uint32_t base = 0;
  uint64_t offset = 0;

  cu::DevicePtr resolve(const cu::DevicePtr *bases) const { return bases[base] + offset; }
};

/// What a step may use when it is enqueued.
struct RunContext {
  const DriverApi &driver;
  const cu::DevicePtr *bases;
  cu::Stream stream;
  /// Scratch memory for library calls, shared by all of them: they run one
  /// after the other on the stream.
  cu::DevicePtr libraryWorkspace;
  uint64_t libraryWorkspaceBytes;
  /// Host scratch for kernel parameters, 128-byte aligned.
  unsigned char *parameters;
  void **parameterPointers;
};

/// A step that is ready to be enqueued.
class CompiledStep {
public:
  virtual ~CompiledStep() = default;
  virtual void enqueue(const RunContext &run) const = 0;
};

/// Steps in order, with the indices of the plan's, for messages.
class StepList {
public:
  void add(size_t index, std::unique_ptr<CompiledStep> step) { steps.emplace_back(index, std::move(step)); }
  void clear() { steps.clear(); }
  /// Throws errors that name the step.
  void enqueue(const LaunchPlan &plan, const RunContext &run) const;

private:
  std::vector<std::pair<size_t, std::unique_ptr<CompiledStep>>> steps;
};

/// What the library steps need to compile themselves.
struct LibraryContext {
  const DriverApi &driver;
  const LaunchPlan &plan;
  cu::Context context;
  std::function<Address(const BufferRef &)> getAddress;
};

/// Throws FXRT_LIBRARY_ERROR or FXRT_UNSUPPORTED, without naming the step.
std::unique_ptr<CompiledStep> compileMatmul(const LibraryContext &library, const MatmulStep &step);
/// Adds the scratch memory that the chosen algorithm needs to `workspaceBytes`
/// (as a maximum).
std::unique_ptr<CompiledStep> compileConv(const LibraryContext &library, const ConvStep &step,
                                          uint64_t &workspaceBytes);

class LoadedGraph {
public:
  LoadedGraph(LaunchPlan plan, const void *image, size_t imageBytes, const void *constants, size_t constantsBytes);
  ~LoadedGraph();
  LoadedGraph(const LoadedGraph &) = delete;
  LoadedGraph &operator=(const LoadedGraph &) = delete;

  const LaunchPlan &getPlan() const { return plan; }
  const PlanSignature &getSignature() const { return signature; }
  const DriverApi &getDriver() const { return driver; }
  cu::Context getContext() const { return context; }
  uint64_t getWorkspaceBytes() const { return workspaceBytes; }
  /// Null where the graph has no collective.
  Communication *getCommunication() const { return communication.get(); }

  /// Checks the call's buffers, then enqueues every step.
  void run(const CallBuffers &call, cu::Stream stream) const;
  /// Whether runs leave something for checkRun to look at.
  bool mayFail() const { return plan.errorWord.has_value(); }
  /// Waits for the stream; throws FXRT_RUN_FAILED if the last run with this workspace met
  /// an index out of range.
  void checkRun(void *workspace, cu::Stream stream) const;

private:
  void checkDevice(bool isPtx) const;
  void loadImage(const void *image, size_t imageBytes);
  void loadConstants(const void *constants, size_t constantsBytes);
  void compileSteps();
  /// What the plan's steps from `first` to `last` become; those of branches and loops belong to these.
  StepList compileSteps(size_t first, size_t last, LibraryContext &context, uint64_t &libraryBytes);
  std::unique_ptr<CompiledStep> compileStep(size_t index, LibraryContext &context, uint64_t &libraryBytes);
  std::unique_ptr<CompiledStep> compileKernel(const KernelStep &step);
  Address getAddress(const BufferRef &ref) const;
  void checkCall(const CallBuffers &call) const;

  const DriverApi &driver;
  LaunchPlan plan;
  PlanSignature signature{plan};
  cu::Context context = nullptr;
  cu::Device device = 0;
  cu::Library library = nullptr;
  DeviceMemory constantMemory;
  std::unique_ptr<Communication> communication;
  std::vector<uint64_t> constantOffsets;
  uint64_t workspaceBytes = 0;
  uint64_t libraryWorkspaceOffset = 0;
  /// The most that one kernel step needs.
  size_t maxParameterBytes = 0;
  size_t maxParameters = 0;
  StepList steps;
};

/// A CUDA graph of one call; keeps the loaded graph alive.
class CapturedGraph {
public:
  CapturedGraph(std::shared_ptr<const LoadedGraph> graph, const CallBuffers &call);
  ~CapturedGraph();
  CapturedGraph(const CapturedGraph &) = delete;
  CapturedGraph &operator=(const CapturedGraph &) = delete;

  void replay(cu::Stream stream) const;
  const LoadedGraph &getGraph() const { return *graph; }

private:
  std::shared_ptr<const LoadedGraph> graph;
  cu::GraphExec exec = nullptr;
};

} // namespace runtime
} // namespace fxgraph

#endif // FXGRAPH_LIB_RUNTIME_GRAPH_H
