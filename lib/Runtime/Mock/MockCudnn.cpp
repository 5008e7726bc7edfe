//===- MockCudnn.cpp - Convolutions on the host ---------------------------===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the attributes of backend descriptors, checks the type of each, and
// computes what an executed plan describes from dimensions and strides alone.
// The heuristic of mode A lists five engines, of which a caller should take the
// last where all numerical demands are made:
//   0 tensor cores, 1 not deterministic, 2 a workspace of 1 TiB, 3 declines
//   when its plan is finalized, 4 good, with 1024 bytes of workspace.
//
//===----------------------------------------------------------------------===//

#include "CudnnTypes.h"
#include "HostNumbers.h"
#include "MockState.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <vector>

using namespace fxgraph::runtime;
using namespace fxgraph::runtime::mock;

namespace fxgraph {
namespace runtime {
namespace dnn {
struct HandleOpaque {
  cu::Stream stream = nullptr;
};
} // namespace dnn
} // namespace runtime
} // namespace fxgraph

namespace {

struct Attribute {
  int type = 0;
  int64_t count = 0;
  std::vector<char> bytes;
};

struct MockDescriptor {
  int type;
  bool isFinal = false;
  std::map<int, Attribute> attributes;

  template <class T>
  std::vector<T> get(int name) const {
    auto it = attributes.find(name);
    if (it == attributes.end())
      return {};
    std::vector<T> values(it->second.count);
    std::memcpy(values.data(), it->second.bytes.data(), it->second.bytes.size());
    return values;
  }
  template <class T>
  T getOne(int name) const {
    std::vector<T> values = get<T>(name);
    return values.size() == 1 ? values[0] : T();
  }
  MockDescriptor *getDescriptor(int name) const { return static_cast<MockDescriptor *>(getOne<void *>(name)); }
};

/// What a convolution needs, read from its descriptors.
struct Convolution {
  int type = 0;
  std::vector<int64_t> dims[3], strides[3];
  int64_t alignment[3];
  std::vector<int64_t> stride, padding, dilation;
};

} // namespace

static constexpr int engineCount = 5;

static MockDescriptor *asMock(dnn::Descriptor descriptor) { return static_cast<MockDescriptor *>(descriptor); }

static size_t getTypeBytes(int type) {
  switch (type) {
  case dnn::AttrHandle:
  case dnn::AttrInt64:
  case dnn::AttrDouble:
  case dnn::AttrVoidPtr:
  case dnn::AttrBackendDescriptor:
    return 8;
  case dnn::AttrBoolean:
    return 1;
  default:
    return 4;
  }
}

/// The type that an attribute takes, or -1 for one that the mock lacks.
static int getExpectedType(int name) {
  switch (name) {
  case dnn::ConvolutionCompType:
  case dnn::TensorDataType:
    return dnn::AttrDataType;
  case dnn::ConvolutionConvMode:
    return dnn::AttrConvolutionMode;
  case dnn::ConvolutionDilations:
  case dnn::ConvolutionFilterStrides:
  case dnn::ConvolutionPostPaddings:
  case dnn::ConvolutionPrePaddings:
  case dnn::ConvolutionSpatialDims:
  case dnn::TensorByteAlignment:
  case dnn::TensorDimensions:
  case dnn::TensorStrides:
  case dnn::TensorUniqueId:
  case dnn::VariantPackUniqueIds:
    return dnn::AttrInt64;
  case dnn::EngineHeurMode:
    return dnn::AttrHeurMode;
  case dnn::EngineHeurOperationGraph:
  case dnn::ExecutionPlanEngineConfig:
  case dnn::OperationConvolutionForwardConvDesc:
  case dnn::OperationConvolutionForwardW:
  case dnn::OperationConvolutionForwardX:
  case dnn::OperationConvolutionForwardY:
  case dnn::OperationGraphOps:
    return dnn::AttrBackendDescriptor;
  case dnn::ExecutionPlanHandle:
  case dnn::OperationGraphHandle:
    return dnn::AttrHandle;
  case dnn::VariantPackDataPointers:
  case dnn::VariantPackWorkspace:
    return dnn::AttrVoidPtr;
  default:
    return -1;
  }
}

FXGRAPH_MOCK_EXPORT const char *cudnnGetErrorString(dnn::Status status) {
  switch (status) {
  case dnn::StatusNotInitialized:
    return "CUDNN_STATUS_NOT_INITIALIZED";
  case dnn::StatusBadParam:
    return "CUDNN_STATUS_BAD_PARAM";
  case dnn::StatusNotSupported:
    return "CUDNN_STATUS_NOT_SUPPORTED";
  case dnn::StatusExecutionFailed:
    return "CUDNN_STATUS_EXECUTION_FAILED";
  default:
    return "CUDNN_STATUS_UNKNOWN";
  }
}

FXGRAPH_MOCK_EXPORT dnn::Status cudnnCreate(dnn::Handle *handle) {
  if (int code = getInjectedFailure("cudnnCreate"))
    return code;
  *handle = new dnn::HandleOpaque();
  addLiveObjects(1);
  return dnn::StatusSuccess;
}

FXGRAPH_MOCK_EXPORT dnn::Status cudnnDestroy(dnn::Handle handle) {
  delete handle;
  addLiveObjects(-1);
  return dnn::StatusSuccess;
}

FXGRAPH_MOCK_EXPORT dnn::Status cudnnSetStream(dnn::Handle handle, cu::Stream stream) {
  if (int code = getInjectedFailure("cudnnSetStream"))
    return code;
  handle->stream = stream;
  return dnn::StatusSuccess;
}

FXGRAPH_MOCK_EXPORT dnn::Status cudnnBackendCreateDescriptor(int type, dnn::Descriptor *descriptor) {
  if (int code = getInjectedFailure("cudnnBackendCreateDescriptor"))
    return code;
  *descriptor = new MockDescriptor{type, false, {}};
  addLiveObjects(1);
  return dnn::StatusSuccess;
}

FXGRAPH_MOCK_EXPORT dnn::Status cudnnBackendDestroyDescriptor(dnn::Descriptor descriptor) {
  delete asMock(descriptor);
  addLiveObjects(-1);
  return dnn::StatusSuccess;
}

FXGRAPH_MOCK_EXPORT dnn::Status cudnnBackendSetAttribute(dnn::Descriptor descriptor, int name, int type, int64_t count,
                                                         const void *values) {
  if (int code = getInjectedFailure("cudnnBackendSetAttribute"))
    return code;
  MockDescriptor *mock = asMock(descriptor);
  bool isScale = name == dnn::OperationConvolutionForwardAlpha || name == dnn::OperationConvolutionForwardBeta;
  bool fits = isScale ? type == dnn::AttrFloat || type == dnn::AttrDouble : type == getExpectedType(name);
  if (mock->isFinal || !fits || count < 1)
    return dnn::StatusBadParam;
  if (type == dnn::AttrBackendDescriptor)
    for (int64_t i = 0; i < count; ++i)
      if (!asMock(static_cast<void *const *>(values)[i])->isFinal)
        return dnn::StatusBadParam;
  Attribute &attribute = mock->attributes[name];
  attribute.type = type;
  attribute.count = count;
  const char *bytes = static_cast<const char *>(values);
  attribute.bytes.assign(bytes, bytes + count * getTypeBytes(type));
  return dnn::StatusSuccess;
}

static MockDescriptor *getOperation(MockDescriptor *graph) {
  return graph ? graph->getDescriptor(dnn::OperationGraphOps) : nullptr;
}

/// The operation's tensors, or false where they do not fit together.
static bool readConvolution(MockDescriptor *operation, Convolution &conv) {
  const int names[3] = {dnn::OperationConvolutionForwardX, dnn::OperationConvolutionForwardW,
                        dnn::OperationConvolutionForwardY};
  for (int i = 0; i < 3; ++i) {
    MockDescriptor *tensor = operation->getDescriptor(names[i]);
    if (!tensor)
      return false;
    conv.dims[i] = tensor->get<int64_t>(dnn::TensorDimensions);
    conv.strides[i] = tensor->get<int64_t>(dnn::TensorStrides);
    conv.alignment[i] = tensor->getOne<int64_t>(dnn::TensorByteAlignment);
    conv.type = tensor->getOne<int>(dnn::TensorDataType);
    if (conv.dims[i].size() < 4 || conv.dims[i].size() > 5 || conv.dims[i].size() != conv.strides[i].size() ||
        conv.dims[i].size() != conv.dims[0].size() || conv.alignment[i] < 1)
      return false;
  }
  MockDescriptor *desc = operation->getDescriptor(dnn::OperationConvolutionForwardConvDesc);
  if (!desc || desc->getOne<int>(dnn::ConvolutionConvMode) != dnn::ConvModeCrossCorrelation)
    return false;
  conv.stride = desc->get<int64_t>(dnn::ConvolutionFilterStrides);
  conv.padding = desc->get<int64_t>(dnn::ConvolutionPrePaddings);
  conv.dilation = desc->get<int64_t>(dnn::ConvolutionDilations);
  size_t spatial = conv.dims[0].size() - 2;
  if (desc->getOne<int64_t>(dnn::ConvolutionSpatialDims) != static_cast<int64_t>(spatial) ||
      conv.stride.size() != spatial || conv.padding.size() != spatial || conv.dilation.size() != spatial ||
      conv.padding != desc->get<int64_t>(dnn::ConvolutionPostPaddings))
    return false;
  for (size_t i = 0; i < spatial; ++i) {
    int64_t room = conv.dims[0][i + 2] + 2 * conv.padding[i] - ((conv.dims[1][i + 2] - 1) * conv.dilation[i] + 1);
    if (room < 0 || conv.dims[2][i + 2] != room / conv.stride[i] + 1)
      return false;
  }
  return conv.dims[0][0] == conv.dims[2][0] && conv.dims[1][0] == conv.dims[2][1] &&
         conv.dims[0][1] % conv.dims[1][1] == 0;
}

FXGRAPH_MOCK_EXPORT dnn::Status cudnnBackendFinalize(dnn::Descriptor descriptor) {
  if (int code = getInjectedFailure("cudnnBackendFinalize"))
    return code;
  MockDescriptor *mock = asMock(descriptor);
  Convolution conv;
  switch (mock->type) {
  case dnn::DescOperationConvolutionForward:
    if (!readConvolution(mock, conv))
      return dnn::StatusBadParam;
    break;
  case dnn::DescOperationGraph:
    if (!getOperation(mock) || !mock->getOne<void *>(dnn::OperationGraphHandle))
      return dnn::StatusBadParam;
    break;
  case dnn::DescEngineHeur:
    // Only mode A knows anything.
    if (mock->getOne<int>(dnn::EngineHeurMode) != dnn::HeurModeA)
      return dnn::StatusNotSupported;
    break;
  case dnn::DescExecutionPlan: {
    MockDescriptor *config = mock->getDescriptor(dnn::ExecutionPlanEngineConfig);
    if (!config || !mock->getOne<void *>(dnn::ExecutionPlanHandle))
      return dnn::StatusBadParam;
    if (config->getOne<int64_t>(dnn::EngineGlobalIndex) == 3)
      return dnn::StatusNotSupported;
    break;
  }
  default:
    break;
  }
  mock->isFinal = true;
  return dnn::StatusSuccess;
}

/// Sets an attribute that the library itself computes.
template <class T>
static void put(MockDescriptor *mock, int name, int type, T value) {
  Attribute &attribute = mock->attributes[name];
  attribute.type = type;
  attribute.count = 1;
  attribute.bytes.resize(sizeof(T));
  std::memcpy(attribute.bytes.data(), &value, sizeof(T));
}

FXGRAPH_MOCK_EXPORT dnn::Status cudnnBackendGetAttribute(dnn::Descriptor descriptor, int name, int type,
                                                         int64_t requested, int64_t *count, void *values) {
  if (int code = getInjectedFailure("cudnnBackendGetAttribute"))
    return code;
  MockDescriptor *mock = asMock(descriptor);
  if (!mock->isFinal)
    return dnn::StatusBadParam;
  if (name == dnn::EngineHeurResults && type == dnn::AttrBackendDescriptor) {
    *count = engineCount;
    MockDescriptor *graph = mock->getDescriptor(dnn::EngineHeurOperationGraph);
    for (int64_t i = 0; i < std::min<int64_t>(requested, engineCount); ++i) {
      MockDescriptor *config = asMock(static_cast<void **>(values)[i]);
      put<int64_t>(config, dnn::EngineGlobalIndex, dnn::AttrInt64, i);
      put<void *>(config, dnn::OperationGraphOps, dnn::AttrBackendDescriptor, getOperation(graph));
      config->isFinal = true;
    }
    return dnn::StatusSuccess;
  }
  if (name == dnn::EngineCfgEngine && type == dnn::AttrBackendDescriptor) {
    MockDescriptor *engine = asMock(*static_cast<void **>(values));
    put<int64_t>(engine, dnn::EngineGlobalIndex, dnn::AttrInt64, mock->getOne<int64_t>(dnn::EngineGlobalIndex));
    engine->isFinal = true;
    *count = 1;
    return dnn::StatusSuccess;
  }
  if (name == dnn::EngineNumericalNote && type == dnn::AttrNumericalNote) {
    int64_t index = mock->getOne<int64_t>(dnn::EngineGlobalIndex);
    *count = 0;
    if (index == 0)
      static_cast<int *>(values)[(*count)++] = dnn::NoteTensorCore;
    if (index == 1)
      static_cast<int *>(values)[(*count)++] = dnn::NoteNondeterministic;
    return dnn::StatusSuccess;
  }
  if (name == dnn::ExecutionPlanWorkspaceSize && type == dnn::AttrInt64) {
    int64_t index = mock->getDescriptor(dnn::ExecutionPlanEngineConfig)->getOne<int64_t>(dnn::EngineGlobalIndex);
    *static_cast<int64_t *>(values) = index == 2 ? int64_t(1) << 40 : index == 4 ? 1024 : 0;
    *count = 1;
    return dnn::StatusSuccess;
  }
  return dnn::StatusBadParam;
}

static void computeConvolution(const Convolution &conv, NumberType type, void *const pointers[3]) {
  size_t rank = conv.dims[0].size();
  const std::vector<int64_t> &out = conv.dims[2], &filter = conv.dims[1];
  int64_t perGroup = filter[1];
  int64_t groups = conv.dims[0][1] / perGroup;
  int64_t channelsPerGroup = filter[0] / groups;
  auto next = [](std::vector<int64_t> &index, const std::vector<int64_t> &dims) {
    for (size_t i = dims.size(); i-- > 0;) {
      if (++index[i] < dims[i])
        return true;
      index[i] = 0;
    }
    return false;
  };
  auto at = [](const std::vector<int64_t> &index, const std::vector<int64_t> &strides) {
    int64_t offset = 0;
    for (size_t i = 0; i < index.size(); ++i)
      offset += index[i] * strides[i];
    return static_cast<uint64_t>(offset);
  };
  std::vector<int64_t> y(rank, 0);
  do {
    std::vector<int64_t> window(filter.begin() + 1, filter.end());
    std::vector<int64_t> k(window.size(), 0);
    double sum = 0;
    do {
      std::vector<int64_t> x(rank), w(rank);
      x[0] = y[0];
      x[1] = y[1] / channelsPerGroup * perGroup + k[0];
      w[0] = y[1];
      w[1] = k[0];
      bool inside = true;
      for (size_t i = 2; i < rank; ++i) {
        w[i] = k[i - 1];
        x[i] = y[i] * conv.stride[i - 2] - conv.padding[i - 2] + k[i - 1] * conv.dilation[i - 2];
        inside &= x[i] >= 0 && x[i] < conv.dims[0][i];
      }
      if (inside)
        sum += loadNumber(type, pointers[0], at(x, conv.strides[0])) *
               loadNumber(type, pointers[1], at(w, conv.strides[1]));
    } while (next(k, window));
    storeNumber(type, pointers[2], at(y, conv.strides[2]), sum);
  } while (next(y, out));
}

FXGRAPH_MOCK_EXPORT dnn::Status cudnnBackendExecute(dnn::Handle handle, dnn::Descriptor plan,
                                                    dnn::Descriptor variantPack) {
  if (int code = getInjectedFailure("cudnnBackendExecute"))
    return code;
  MockDescriptor *pack = asMock(variantPack);
  MockDescriptor *config = asMock(plan)->getDescriptor(dnn::ExecutionPlanEngineConfig);
  Convolution conv;
  if (!pack->isFinal || !config || !readConvolution(config->getDescriptor(dnn::OperationGraphOps), conv))
    return dnn::StatusBadParam;
  std::vector<int64_t> ids = pack->get<int64_t>(dnn::VariantPackUniqueIds);
  std::vector<void *> data = pack->get<void *>(dnn::VariantPackDataPointers);
  if (ids != std::vector<int64_t>{1, 2, 3} || data.size() != 3)
    return dnn::StatusBadParam;
  NumberType type = conv.type == dnn::TypeF64    ? NumberType::F64
                    : conv.type == dnn::TypeF16  ? NumberType::F16
                    : conv.type == dnn::TypeBF16 ? NumberType::BF16
                                                 : NumberType::F32;
  for (int i = 0; i < 3; ++i)
    if (reinterpret_cast<uintptr_t>(data[i]) % conv.alignment[i] ||
        !isDeviceRange(reinterpret_cast<cu::DevicePtr>(data[i]), 1))
      return dnn::StatusBadParam;
  int64_t engine = config->getOne<int64_t>(dnn::EngineGlobalIndex);
  void *workspace = pack->getOne<void *>(dnn::VariantPackWorkspace);
  if (engine == 4 && !isDeviceRange(reinterpret_cast<cu::DevicePtr>(workspace), 1024))
    return dnn::StatusBadParam;
  std::array<void *, 3> pointers{data[0], data[1], data[2]};
  cu::Stream stream = handle->stream;
  std::string where = describeStream(stream);
  cu::Result result = enqueue(stream, [=]() -> cu::Result {
    log("conv engine=" + std::to_string(engine) + " stream=" + where);
    // Scratch memory is scratch: whoever keeps data there sees it overwritten.
    if (engine == 4)
      std::memset(workspace, 0xCD, 1024);
    computeConvolution(conv, type, pointers.data());
    return cu::Success;
  });
  return result == cu::Success ? dnn::StatusSuccess : dnn::StatusExecutionFailed;
}
