//===- MockCublasLt.cpp - Matrix products on the host ---------------------===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes what the descriptors say, column-major, with sums in double: a test
// through it checks the runtime's use of the interface against plain row-major
// arithmetic.
//
//===----------------------------------------------------------------------===//

#include "CublasLtTypes.h"
#include "HostNumbers.h"
#include "MockState.h"

#include <cmath>
#include <cstring>
#include <memory>

using namespace fxgraph::runtime;
using namespace fxgraph::runtime::mock;

namespace fxgraph {
namespace runtime {
namespace lt {

struct HandleOpaque {};

struct MatmulDescOpaque {
  int computeType, scaleType;
  int32_t transA = OpN, transB = OpN;
  uint32_t epilogue = EpilogueDefault;
  const void *bias = nullptr;
  int64_t biasStride = 0;
  int32_t biasType = -1;
};

struct MatrixLayoutOpaque {
  int type;
  uint64_t rows, columns;
  int64_t ld;
  int32_t batch = 1;
  int64_t stride = 0;
};

struct PreferenceOpaque {
  uint64_t workspaceBytes = 0;
  uint32_t reductionMask = 7;
  uint32_t alignment[4] = {256, 256, 256, 256};
};

} // namespace lt
} // namespace runtime
} // namespace fxgraph

template <class T>
static bool take(T &to, const void *value, size_t bytes) {
  if (bytes != sizeof(T))
    return false;
  std::memcpy(&to, value, bytes);
  return true;
}

static bool isKnownType(int type) {
  return type == lt::TypeF32 || type == lt::TypeF64 || type == lt::TypeF16 || type == lt::TypeBF16;
}

static NumberType getNumberType(int type) {
  switch (type) {
  case lt::TypeF64:
    return NumberType::F64;
  case lt::TypeF16:
    return NumberType::F16;
  case lt::TypeBF16:
    return NumberType::BF16;
  default:
    return NumberType::F32;
  }
}

FXGRAPH_MOCK_EXPORT const char *cublasLtGetStatusName(lt::Status status) {
  switch (status) {
  case lt::StatusNotInitialized:
    return "CUBLAS_STATUS_NOT_INITIALIZED";
  case lt::StatusInvalidValue:
    return "CUBLAS_STATUS_INVALID_VALUE";
  case lt::StatusNotSupported:
    return "CUBLAS_STATUS_NOT_SUPPORTED";
  case lt::StatusExecutionFailed:
    return "CUBLAS_STATUS_EXECUTION_FAILED";
  default:
    return "CUBLAS_STATUS_UNKNOWN";
  }
}

FXGRAPH_MOCK_EXPORT lt::Status cublasLtCreate(lt::Handle *handle) {
  if (int code = getInjectedFailure("cublasLtCreate"))
    return code;
  *handle = new lt::HandleOpaque();
  addLiveObjects(1);
  return lt::StatusSuccess;
}

FXGRAPH_MOCK_EXPORT lt::Status cublasLtDestroy(lt::Handle handle) {
  delete handle;
  addLiveObjects(-1);
  return lt::StatusSuccess;
}

FXGRAPH_MOCK_EXPORT lt::Status cublasLtMatmulDescCreate(lt::MatmulDesc *desc, int computeType, int scaleType) {
  *desc = new lt::MatmulDescOpaque{computeType, scaleType};
  addLiveObjects(1);
  return lt::StatusSuccess;
}

FXGRAPH_MOCK_EXPORT lt::Status cublasLtMatmulDescDestroy(lt::MatmulDesc desc) {
  delete desc;
  addLiveObjects(-1);
  return lt::StatusSuccess;
}

FXGRAPH_MOCK_EXPORT lt::Status cublasLtMatmulDescSetAttribute(lt::MatmulDesc desc, int attribute, const void *value,
                                                              size_t bytes) {
  bool taken = false;
  switch (attribute) {
  case lt::DescTransA:
    taken = take(desc->transA, value, bytes);
    break;
  case lt::DescTransB:
    taken = take(desc->transB, value, bytes);
    break;
  case lt::DescEpilogue:
    taken = take(desc->epilogue, value, bytes);
    break;
  case lt::DescBiasPointer:
    taken = take(desc->bias, value, bytes);
    break;
  case lt::DescBiasBatchStride:
    taken = take(desc->biasStride, value, bytes);
    break;
  case lt::DescBiasDataType:
    taken = take(desc->biasType, value, bytes);
    break;
  default:
    break;
  }
  return taken ? lt::StatusSuccess : lt::StatusInvalidValue;
}

FXGRAPH_MOCK_EXPORT lt::Status cublasLtMatrixLayoutCreate(lt::MatrixLayout *layout, int type, uint64_t rows,
                                                          uint64_t columns, int64_t ld) {
  if (!isKnownType(type))
    return lt::StatusNotSupported;
  *layout = new lt::MatrixLayoutOpaque{type, rows, columns, ld};
  addLiveObjects(1);
  return lt::StatusSuccess;
}

FXGRAPH_MOCK_EXPORT lt::Status cublasLtMatrixLayoutDestroy(lt::MatrixLayout layout) {
  delete layout;
  addLiveObjects(-1);
  return lt::StatusSuccess;
}

FXGRAPH_MOCK_EXPORT lt::Status cublasLtMatrixLayoutSetAttribute(lt::MatrixLayout layout, int attribute,
                                                                const void *value, size_t bytes) {
  bool taken = false;
  if (attribute == lt::LayoutBatchCount)
    taken = take(layout->batch, value, bytes);
  else if (attribute == lt::LayoutStridedBatchOffset)
    taken = take(layout->stride, value, bytes);
  return taken ? lt::StatusSuccess : lt::StatusInvalidValue;
}

FXGRAPH_MOCK_EXPORT lt::Status cublasLtMatmulPreferenceCreate(lt::Preference *preference) {
  *preference = new lt::PreferenceOpaque();
  addLiveObjects(1);
  return lt::StatusSuccess;
}

FXGRAPH_MOCK_EXPORT lt::Status cublasLtMatmulPreferenceDestroy(lt::Preference preference) {
  delete preference;
  addLiveObjects(-1);
  return lt::StatusSuccess;
}

FXGRAPH_MOCK_EXPORT lt::Status cublasLtMatmulPreferenceSetAttribute(lt::Preference preference, int attribute,
                                                                    const void *value, size_t bytes) {
  bool taken = false;
  switch (attribute) {
  case lt::PrefMaxWorkspaceBytes:
    taken = take(preference->workspaceBytes, value, bytes);
    break;
  case lt::PrefReductionSchemeMask:
    taken = take(preference->reductionMask, value, bytes);
    break;
  case lt::PrefMinAlignmentA:
  case lt::PrefMinAlignmentB:
  case lt::PrefMinAlignmentC:
  case lt::PrefMinAlignmentD:
    taken = take(preference->alignment[attribute - lt::PrefMinAlignmentA], value, bytes);
    break;
  default:
    break;
  }
  return taken ? lt::StatusSuccess : lt::StatusInvalidValue;
}

/// Sizes after the operations, or false where the layouts disagree.
static bool getSizes(lt::MatmulDesc desc, lt::MatrixLayout a, lt::MatrixLayout b, lt::MatrixLayout c,
                     lt::MatrixLayout d, uint64_t &m, uint64_t &n, uint64_t &k) {
  m = desc->transA == lt::OpT ? a->columns : a->rows;
  k = desc->transA == lt::OpT ? a->rows : a->columns;
  n = desc->transB == lt::OpT ? b->rows : b->columns;
  uint64_t otherK = desc->transB == lt::OpT ? b->columns : b->rows;
  for (lt::MatrixLayout layout : {a, b, c, d})
    if (layout->ld < static_cast<int64_t>(layout->rows) || layout->batch != d->batch)
      return false;
  return k == otherK && c->rows == m && c->columns == n && d->rows == m && d->columns == n && a->type == b->type &&
         c->type == d->type;
}

FXGRAPH_MOCK_EXPORT lt::Status cublasLtMatmulAlgoGetHeuristic(lt::Handle, lt::MatmulDesc desc, lt::MatrixLayout a,
                                                              lt::MatrixLayout b, lt::MatrixLayout c,
                                                              lt::MatrixLayout d, lt::Preference preference,
                                                              int requested, lt::HeuristicResult *results, int *count) {
  if (int code = getInjectedFailure("cublasLtMatmulAlgoGetHeuristic"))
    return code;
  uint64_t m, n, k;
  *count = 0;
  if (!getSizes(desc, a, b, c, d, m, n, k) || m == 0 || n == 0 || k == 0)
    return lt::StatusInvalidValue;
  if (requested < 1)
    return lt::StatusInvalidValue;
  results[0] = {};
  // What the launch must see again.
  results[0].algo.data[0] = preference->workspaceBytes;
  for (int i = 0; i < 4; ++i)
    results[0].algo.data[1 + i] = preference->alignment[i];
  results[0].workspaceBytes = 0;
  *count = 1;
  log("heuristic compute=" + std::to_string(desc->computeType) + " workspace=" +
      std::to_string(preference->workspaceBytes) + " reduction=" + std::to_string(preference->reductionMask) +
      " align=" + std::to_string(preference->alignment[0]) + "," + std::to_string(preference->alignment[1]) + "," +
      std::to_string(preference->alignment[2]) + "," + std::to_string(preference->alignment[3]));
  return lt::StatusSuccess;
}

FXGRAPH_MOCK_EXPORT lt::Status cublasLtMatmul(lt::Handle, lt::MatmulDesc desc, const void *alphaPointer, const void *a,
                                              lt::MatrixLayout aLayout, const void *b, lt::MatrixLayout bLayout,
                                              const void *betaPointer, const void *c, lt::MatrixLayout cLayout, void *d,
                                              lt::MatrixLayout dLayout, const lt::Algo *algo, void *workspace,
                                              size_t workspaceBytes, cu::Stream stream) {
  if (int code = getInjectedFailure("cublasLtMatmul"))
    return code;
  uint64_t m, n, k;
  if (!algo || !getSizes(desc, aLayout, bLayout, cLayout, dLayout, m, n, k))
    return lt::StatusInvalidValue;
  // The heuristic was told alignments and workspace: hold the caller to them.
  const void *pointers[4] = {a, b, c, d};
  for (int i = 0; i < 4; ++i)
    if (reinterpret_cast<uintptr_t>(pointers[i]) % algo->data[1 + i])
      return lt::StatusInvalidValue;
  if (workspaceBytes < algo->data[0] ||
      (workspaceBytes && !isDeviceRange(reinterpret_cast<cu::DevicePtr>(workspace), workspaceBytes)))
    return lt::StatusInvalidValue;
  bool hasBias = desc->epilogue & lt::EpilogueBias;
  if (hasBias && !isDeviceRange(reinterpret_cast<cu::DevicePtr>(desc->bias), 1))
    return lt::StatusInvalidValue;
  double alpha, beta;
  if (desc->scaleType == lt::TypeF64) {
    std::memcpy(&alpha, alphaPointer, 8);
    std::memcpy(&beta, betaPointer, 8);
  } else {
    float narrow;
    std::memcpy(&narrow, alphaPointer, 4);
    alpha = narrow;
    std::memcpy(&narrow, betaPointer, 4);
    beta = narrow;
  }
  // Copies: the caller may change or destroy its descriptors afterwards.
  lt::MatmulDescOpaque descCopy = *desc;
  lt::MatrixLayoutOpaque la = *aLayout, lb = *bLayout, lc = *cLayout, ld = *dLayout;
  std::string where = describeStream(stream);
  cu::Result result = enqueue(stream, [=]() -> cu::Result {
    log("matmul m=" + std::to_string(m) + " n=" + std::to_string(n) + " k=" + std::to_string(k) +
        " batch=" + std::to_string(ld.batch) + " transA=" + std::to_string(descCopy.transA) + " transB=" +
        std::to_string(descCopy.transB) + " epilogue=" + std::to_string(descCopy.epilogue) + " stream=" + where);
    auto at = [](const lt::MatrixLayoutOpaque &layout, uint64_t row, uint64_t column, int32_t batch) {
      return batch * layout.stride + column * layout.ld + row;
    };
    NumberType typeA = getNumberType(la.type), typeB = getNumberType(lb.type), typeC = getNumberType(lc.type),
               typeD = getNumberType(ld.type);
    NumberType typeBias = descCopy.biasType < 0 ? typeD : getNumberType(descCopy.biasType);
    for (int32_t batch = 0; batch < ld.batch; ++batch) {
      for (uint64_t column = 0; column < n; ++column) {
        for (uint64_t row = 0; row < m; ++row) {
          double sum = 0;
          for (uint64_t i = 0; i < k; ++i) {
            bool ta = descCopy.transA == lt::OpT, tb = descCopy.transB == lt::OpT;
            sum += loadNumber(typeA, a, at(la, ta ? i : row, ta ? row : i, batch)) *
                   loadNumber(typeB, b, at(lb, tb ? column : i, tb ? i : column, batch));
          }
          double value = alpha * sum;
          if (beta != 0)
            value += beta * loadNumber(typeC, c, at(lc, row, column, batch));
          if (hasBias)
            value += loadNumber(typeBias, descCopy.bias, batch * descCopy.biasStride + row);
          if (descCopy.epilogue & lt::EpilogueRelu)
            value = value < 0 ? 0 : value;
          if (descCopy.epilogue & lt::EpilogueGelu)
            value = 0.5 * value * (1 + std::tanh(0.7978845608028654 * (value + 0.044715 * value * value * value)));
          storeNumber(typeD, d, at(ld, row, column, batch), value);
        }
      }
    }
    return cu::Success;
  });
  return result == cu::Success ? lt::StatusSuccess : lt::StatusExecutionFailed;
}
