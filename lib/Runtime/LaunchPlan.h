//===- LaunchPlan.h - A parsed and validated launch plan ---------*- C++
//-*-===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launch plan (docs/Runtime.md) as C++ values. parseLaunchPlan accepts only
// plans whose every field is known, typed and in range and whose buffer
// references stay inside their buffers, so that the code that launches needs no
// checks of its own. Cost: linear in the text.
//
// Choices:
//  - Constants live in a sidecar blob by offset rather than as base64 in the
//    JSON: no decoding, no third more bytes, and the blob can be mapped.
//  - An unknown field is an error. A misspelt optional field would otherwise
//    change what runs without a word; new fields need a new plan version.
//  - Arrays of pointers and of tensor maps are by-value kernel parameters: a
//    table in device memory would need a copy from host memory in every run,
//    which cannot be captured safely.
//
//===----------------------------------------------------------------------===//

#ifndef FXGRAPH_LIB_RUNTIME_LAUNCHPLAN_H
#define FXGRAPH_LIB_RUNTIME_LAUNCHPLAN_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace fxgraph {
namespace runtime {

/// Element types, spelt as MLIR spells them.
enum class DType : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  UI8,
  UI16,
  UI32,
  UI64,
  F8E4M3FN,
  F8E5M2,
  F16,
  BF16,
  F32,
  F64,
  ComplexF16,
  ComplexF32,
  ComplexF64
};

const char *getDTypeName(DType dtype);
/// Bytes per element; i1 takes one.
uint64_t getDTypeBytes(DType dtype);

enum class BufferKind : uint8_t { Input, Output, Workspace, Constant };

/// A place in one of the graph's buffers.
struct BufferRef {
  BufferKind kind = BufferKind::Workspace;
  uint32_t index = 0;
  uint64_t offset = 0; ///< bytes
};

struct TensorSpec {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; ///< elements; row-major where not given
  uint64_t bytes = 0;
  uint64_t align = 16;
  bool mutated = false;
};

struct ConstantSpec {
  std::string name;
  uint64_t offset = 0; ///< in the blob
  uint64_t bytes = 0;
};

/// A Hopper tensor map per buffer, passed as consecutive 128-byte parameters.
struct TensorMapSpec {
  std::vector<BufferRef> buffers;
  DType dtype = DType::F32;
  std::vector<uint64_t> dims;         ///< innermost first
  std::vector<uint64_t> stridesBytes; ///< rank - 1, dimension 1 first
  std::vector<uint32_t> box;
  std::vector<uint32_t> elementStrides;
  int swizzle = 0;
  int l2Promotion = 0;
  int oobFill = 0;
};

struct ScalarArg {
  uint32_t bytes = 0; ///< 4 or 8
  uint64_t bits = 0;  ///< little endian, low bytes first
};

/// An array of device addresses by value.
struct PointerTable {
  std::vector<BufferRef> buffers;
};

using KernelArg = std::variant<BufferRef, ScalarArg, PointerTable, TensorMapSpec>;

struct KernelStep {
  std::string name;
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  std::array<uint32_t, 3> cluster{0, 0, 0}; ///< zeros: none given
  uint32_t sharedBytes = 0;
  bool programmatic = false;
  std::vector<KernelArg> args;
};

enum class Epilogue : uint8_t { None, Bias, Relu, ReluBias, GeluTanh, GeluTanhBias };

/// D = epilogue(alpha * op(A) op(B) + beta * C), row-major, batch times.
struct MatmulStep {
  uint64_t m = 0, n = 0, k = 0, batch = 1;
  DType dtype = DType::F32;    ///< of A and B
  DType dtypeOut = DType::F32; ///< of C and D
  DType dtypeBias = DType::F32;
  bool transA = false, transB = false;
  uint64_t lda = 0, ldb = 0, ldc = 0, ldd = 0;                 ///< elements
  uint64_t strideA = 0, strideB = 0, strideC = 0, strideD = 0; ///< elements
  uint64_t strideBias = 0;                                     ///< elements
  double alpha = 1, beta = 0;
  Epilogue epilogue = Epilogue::None;
  BufferRef a, b, c, d, bias; ///< c is d where the plan names none
};

bool hasBias(Epilogue epilogue);

enum class ConvLayout : uint8_t { Channelsfirst, ChannelsLast };

/// Cross-correlation, as PyTorch's convN: 1 to 3 spatial dimensions.
struct ConvStep {
  DType dtype = DType::F32;
  ConvLayout layout = ConvLayout::Channelsfirst;
  std::vector<int64_t> inputShape;  ///< N, C, spatial, whatever the layout
  std::vector<int64_t> filterShape; ///< K, C / groups, spatial
  std::vector<int64_t> outputShape; ///< N, K, spatial
  std::vector<int64_t> stride, padding, dilation;
  int64_t groups = 1;
  bool hasBias = false;
  bool relu = false;
  uint64_t workspaceLimit = 0;
  BufferRef input, filter, bias, output;
};

enum class CollectiveKind : uint8_t { AllReduce, AllGather, ReduceScatter, Broadcast, AllToAll };
enum class ReduceOp : uint8_t { Sum, Avg, Product, Min, Max };

const char *getCollectiveName(CollectiveKind kind);

/// One tensor of a collective. `elements` is what a process gives (all_reduce,
/// all_gather, broadcast, all_to_all) or gets (reduce_scatter).
struct CollectiveTensor {
  DType dtype = DType::F32;
  uint64_t elements = 0;
  BufferRef input, output;
};

/// Starts a collective, which runs beside the steps up to the wait for it.
struct CollectiveStep {
  CollectiveKind kind = CollectiveKind::AllReduce;
  ReduceOp reduceOp = ReduceOp::Sum;
  std::string group;
  uint64_t groupSize = 0;             ///< 0: any
  uint32_t source = 0;                ///< of Broadcast: a rank of the group
  std::vector<uint64_t> given, taken; ///< of AllToAll: elements to and from each rank
  std::vector<CollectiveTensor> tensors;

  bool reduces() const { return kind == CollectiveKind::AllReduce || kind == CollectiveKind::ReduceScatter; }
};

/// Later steps come behind these collectives.
struct WaitStep {
  std::vector<uint32_t> steps;
};

struct CopyStep {
  BufferRef from, to;
  uint64_t bytes = 0;
};

struct FillStep {
  BufferRef to;
  uint64_t bytes = 0;
  bool is32Bit = false;
  uint32_t pattern = 0;
};

/// One of two lists of steps. They stand behind it in LaunchPlan::steps: first those that run if the bool is true.
struct BranchStep {
  BufferRef predicate; ///< a byte, read by the host
  size_t thenSteps = 0, otherwiseSteps = 0;
};

/// Steps that run while others, which come before each turn, leave a bool that is true. They stand behind it, those of the
/// condition first.
struct LoopStep {
  BufferRef predicate; ///< a byte, read by the host behind the steps of the condition
  size_t conditionSteps = 0, bodySteps = 0;
};

struct Step {
  std::string location; ///< free text for messages
  std::variant<KernelStep, MatmulStep, ConvStep, CollectiveStep, WaitStep, CopyStep, FillStep, BranchStep, LoopStep>
      body;
};

struct LaunchPlan {
  std::string name;
  std::string chip; ///< "sm_90a"; "any" where nothing depends on it
  std::vector<TensorSpec> inputs, outputs;
  std::vector<ConstantSpec> constants;
  uint64_t workspaceBytes = 0;
  uint64_t libraryWorkspaceBytes = 0;
  /// Where in the workspace a kernel writes the number of its step, from 1, if an index is
  /// out of range.
  std::optional<uint64_t> errorWord;
  bool allowTF32 = false;
  /// Those of branches and loops too, each behind the step that they belong to: the number of a step is its place here.
  std::vector<Step> steps;

  uint64_t getBufferBytes(const BufferRef &ref) const;
  /// How many steps stand behind this one that belong to it.
  size_t getNumInnerSteps(size_t index) const;
  /// The first step that the host has to wait for to know what runs next.
  std::optional<size_t> findDecision() const;
  /// The power of two that an address in `ref` is surely a multiple of.
  uint64_t getAlignment(const BufferRef &ref) const;
  /// "step 3 (kernel 'k0', model.py:12)".
  std::string describeStep(size_t index) const;
};

/// Throws FXRT_INVALID_PLAN with the path of the offending field.
LaunchPlan parseLaunchPlan(const char *text, size_t bytes);

} // namespace runtime
} // namespace fxgraph

#endif // FXGRAPH_LIB_RUNTIME_LAUNCHPLAN_H
