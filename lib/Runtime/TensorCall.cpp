//===- TensorCall.cpp - Calls with described tensors ----------------------===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The description that compiled code of all targets shares (Tensor.h), for the
// tensors of a launch plan, and a run that is checked against it.
//
//===----------------------------------------------------------------------===//

#include "TensorCall.h"
#include "Error.h"
#include "Graph.h"
#include "fxgraph/Runtime/Arguments.h"

#include <algorithm>

using namespace fxgraph::runtime;

static int32_t getRuntimeDtype(DType dtype) {
  switch (dtype) {
  case DType::I1:
    return FX_BOOL;
  case DType::I8:
    return FX_I8;
  case DType::I16:
    return FX_I16;
  case DType::I32:
    return FX_I32;
  case DType::I64:
    return FX_I64;
  case DType::UI8:
    return FX_U8;
  case DType::UI16:
    return FX_U16;
  case DType::UI32:
    return FX_U32;
  case DType::UI64:
    return FX_U64;
  case DType::F8E4M3FN:
    return FX_F8E4M3FN;
  case DType::F8E5M2:
    return FX_F8E5M2;
  case DType::F16:
    return FX_F16;
  case DType::BF16:
    return FX_BF16;
  case DType::F32:
    return FX_F32;
  case DType::F64:
    return FX_F64;
  case DType::ComplexF16:
  case DType::ComplexF32:
  case DType::ComplexF64:
    return 0;
  }
  return 0;
}

static std::vector<FxTensorInfo> describe(const std::vector<TensorSpec> &specs) {
  std::vector<FxTensorInfo> infos;
  for (const TensorSpec &spec : specs) {
    FxTensorInfo info = {};
    info.name = spec.name.c_str();
    info.dtype = getRuntimeDtype(spec.dtype);
    info.rank = static_cast<int32_t>(spec.shape.size());
    info.sizes = spec.shape.data();
    info.mutated = spec.mutated;
    info.align = static_cast<int32_t>(spec.align);
    info.strides = spec.strides.data();
    int64_t stride = 1;
    info.rowMajor = 1;
    for (size_t i = spec.shape.size(); i-- > 0; stride *= spec.shape[i])
      info.rowMajor &= spec.shape[i] == 1 || spec.strides[i] == stride;
    infos.push_back(info);
  }
  return infos;
}

PlanSignature::PlanSignature(const LaunchPlan &plan)
    : plan(plan), inputs(describe(plan.inputs)), outputs(describe(plan.outputs)) {
  info.name = plan.name.c_str();
  info.inputCount = static_cast<int32_t>(inputs.size());
  info.outputCount = static_cast<int32_t>(outputs.size());
  info.inputs = inputs.data();
  info.outputs = outputs.data();
}

/// The kernels were compiled for the plan's strides.
static void checkStrides(const char *what, size_t index, const TensorSpec &spec, const FxTensorDesc &tensor,
                         const char *hint = "") {
  if (spec.bytes == 0 || !tensor.data)
    return;
  for (size_t i = 0; i < spec.shape.size(); ++i)
    if (spec.shape[i] != 1 && tensor.strides[i] != spec.strides[i])
      throw Error(FXRT_INVALID_ARGUMENT, std::string(what) + " " + std::to_string(index) + " ('" + spec.name +
                                             "'): expected stride " + std::to_string(spec.strides[i]) + " in dim " +
                                             std::to_string(i) + " but got " + std::to_string(tensor.strides[i]) +
                                             hint);
}

void PlanSignature::check(const FxTensorDesc *in, int inputCount, const FxTensorDesc *out, int outputCount) const {
  char message[1024];
  if (fxCheckCall(&info, in, inputCount, out, outputCount, message, sizeof(message)) != FX_OK)
    throw Error(FXRT_INVALID_ARGUMENT, message);
  for (size_t i = 0; i < inputs.size(); ++i)
    checkStrides("input", i, plan.inputs[i], in[i]);
  for (size_t i = 0; i < outputs.size(); ++i)
    checkStrides("output", i, plan.outputs[i], out[i], " (the setting row-major-results=true makes results row-major)");
}

static FxTensorDesc describeBytes(uint64_t bytes) {
  FxTensorDesc needed = {};
  needed.dtype = FX_U8;
  needed.rank = 1;
  needed.sizes[0] = static_cast<int64_t>(bytes);
  needed.strides[0] = 1;
  return needed;
}

static bool isCapturing(const DriverApi &driver, cu::Stream stream) {
  int status = 0;
  driver.check(driver.cuStreamIsCapturing(stream, &status), "cuStreamIsCapturing");
  return status != 0;
}

void fxgraph::runtime::runTensors(const LoadedGraph &graph, const FxTensorDesc *inputs, int inputCount,
                                  FxTensorDesc *outputs, int outputCount, const FxRunOptions *options) {
  const PlanSignature &signature = graph.getSignature();
  signature.check(inputs, inputCount, outputs, outputCount);
  const LaunchPlan &plan = graph.getPlan();
  const DriverApi &driver = graph.getDriver();
  auto allocate = [&](int output, FxTensorDesc &needed, uint64_t bytes, std::vector<DeviceMemory> &owned) {
    if (options && options->allocate) {
      needed.data = options->allocate(options->user, output, &needed);
      if (!needed.data && bytes)
        throw Error(FXRT_OUT_OF_MEMORY, output < 0
                                            ? "out of memory: expected " + std::to_string(bytes) + " bytes of workspace"
                                            : "output " + std::to_string(output) + " ('" + plan.outputs[output].name +
                                                  "'): out of memory: expected " + std::to_string(bytes) + " bytes");
      return;
    }
    std::string what = output < 0 ? "workspace" : "output '" + plan.outputs[output].name + "'";
    owned.emplace_back(driver, bytes, what);
    needed.data = reinterpret_cast<void *>(owned.back().get());
  };
  ContextGuard guard(driver, graph.getContext());
  cu::Stream stream = static_cast<cu::Stream>(options ? options->stream : nullptr);
  // Freed at the end unless the caller gets it.
  std::vector<DeviceMemory> ownedOutputs, ownedWorkspace;
  std::vector<void *> in, out;
  for (int i = 0; i < inputCount; ++i)
    in.push_back(inputs[i].data);
  std::vector<FxTensorDesc> described(outputs, outputs + outputCount);
  for (int i = 0; i < outputCount; ++i) {
    const TensorSpec &spec = plan.outputs[i];
    if (!described[i].data) {
      described[i] = {};
      described[i].dtype = signature.getInfo().outputs[i].dtype;
      described[i].rank = static_cast<int32_t>(spec.shape.size());
      std::copy(spec.shape.begin(), spec.shape.end(), described[i].sizes);
      std::copy(spec.strides.begin(), spec.strides.end(), described[i].strides);
      allocate(i, described[i], spec.bytes, ownedOutputs);
    }
    out.push_back(described[i].data);
  }
  // The caller's allocator need not know of the alignment: there is room to find it.
  uint64_t workspaceBytes = graph.getWorkspaceBytes(), room = workspaceBytes + kWorkspaceAlign - 1;
  FxTensorDesc workspace = describeBytes(room);
  if (workspaceBytes) {
    allocate(-1, workspace, room, ownedWorkspace);
    uintptr_t address = reinterpret_cast<uintptr_t>(workspace.data);
    workspace.data = reinterpret_cast<void *>((address + kWorkspaceAlign - 1) / kWorkspaceAlign * kWorkspaceAlign);
  }
  graph.run({in.data(), in.size(), out.data(), out.size(), workspace.data, static_cast<size_t>(workspaceBytes)},
            stream);
  // A stream that is being captured has not run anything yet.
  if (graph.mayFail() && !isCapturing(driver, stream))
    graph.checkRun(workspace.data, stream);
  // Memory of our own must not go while the stream still works on it.
  else if (!ownedWorkspace.empty())
    driver.check(driver.cuStreamSynchronize(stream), "cuStreamSynchronize", "graph '" + plan.name + "'");
  std::copy(described.begin(), described.end(), outputs);
  for (DeviceMemory &memory : ownedOutputs)
    memory.release();
}
