// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a graph becomes kernels and a host function: the fusion plan, what of it becomes one
// launch (GroupSteps.cpp), where values live (PlanMemory.cpp), kernels and launches
// (Program.cpp), calls of libraries (LibrarySteps.cpp), collectives (CollectiveSteps.cpp).

#ifndef FXGRAPH_LIB_BACKEND_GPU_PROGRAMBUILDER_H
#define FXGRAPH_LIB_BACKEND_GPU_PROGRAMBUILDER_H

#include "EmitAttention.h"
#include "EmitKernel.h"
#include "EmitMatmul.h"
#include "EmitRegion.h"
#include "HostFunction.h"
#include "PlanOptions.h"
#include "Products.h"
#include "fxgraph/Analysis/FusionOps.h"
#include "fxgraph/Dialect/IR/HostOps.h"
#include <map>
#include <optional>

namespace fxgraph::gpu {

inline constexpr uint64_t kBufferAlign = 256;
/// For tables of pointers in a kernel's parameters, of the 32764 bytes that CUDA 12.1 and
/// newer allow on all known chips.
inline constexpr size_t kMaxParameterBytes = 30000;

/// Where a buffer of the plan is.
struct Place {
  enum class Kind { Workspace, Input, Output, Constant };
  Kind kind = Kind::Workspace;
  unsigned index = 0;
  uint64_t offset = 0; ///< bytes
  uint64_t align = kBufferAlign;
};

/// What a kernel is handed for one parameter: an address, a table of them, or a tensor map.
struct KernelArgument {
  SmallVector<std::pair<Value, int64_t>, 1> memory; ///< value (null: the workspace) and bytes from its start
  bool table = false;
  std::optional<TensorMap> map = std::nullopt;
  Type mapElement{}; ///< of the map
};

/// A product that one kernel on warpgroup instructions computes, with the epilogue of the
/// kernel that follows, and where the copies of its operands are in the workspace.
struct OwnProduct {
  WgmmaProduct product;
  std::optional<unsigned> kernel;
  std::optional<Epilogue> epilogue;
  uint64_t packedA = 0, packedB = 0;
};

/// Of a row-major tensor.
inline uint64_t getBytes(Value value) { return getNumElements(value) * getMemoryBytes(getElementType(value)); }

/// The memory that a kernel of one store writes: a value, and elements from its start.
inline std::pair<Value, int64_t> getResult(const KernelIR &kernel) {
  const KernelArray &array = kernel.arrays[kernel.stores[0].array];
  return {array.value, array.offset};
}

/// A symbol for a kernel: its number and what it computes.
std::string nameKernel(unsigned number, ArrayRef<Operation *> ops);

class ProgramBuilder {
public:
  ProgramBuilder(mlir::func::FuncOp function, const GPUOptions &options) : function(function), options(options) {}
  FailureOr<GPUProgram> run();

private:
  bool hasWarpgroupProducts() const { return options.chip == "sm_90a" && options.products != OwnProducts::Never; }
  void findResults();
  LogicalResult collectConstants();
  LogicalResult planMemory();
  struct Life;
  std::vector<Life> collectLives();
  void placeLives(std::vector<Life> lives);
  LogicalResult reserveScratch();
  Place getPlace(Value value) const;
  /// The memory of `value`, or the workspace for null, `extraBytes` from its start.
  Value refer(Value value, Type type, uint64_t extraBytes = 0);
  /// The same as the operand of a library call.
  Value refer(Value value) { return refer(value, mlir::MemRefType::get({}, getMemoryType(getElementType(value)))); }
  LogicalResult buildKernels();
  void groupKernels();
  void joinSiblings();
  void groupSmallKernels();
  void findReaders();
  void groupProducts();
  /// Whether our kernel is at least as fast as the library's and what would follow it.
  bool isWorthwhile(const OwnProduct &own, const FusionStep &step) const;
  void chooseOwnProducts();
  /// Address space (input 0, workspace …) and byte offset in it.
  std::pair<uint64_t, int64_t> getAddress(Value value) const {
    Place place = getPlace(value);
    return {(static_cast<uint64_t>(place.kind) << 32) | place.index, static_cast<int64_t>(place.offset)};
  }
  /// In the order of their results' addresses, so that distances are regular where
  /// memory is.
  template <typename T, typename F>
  void sortByResult(SmallVectorImpl<T> &items, F getResult) const {
    llvm::stable_sort(items, [&](const T &a, const T &b) {
      auto key = [&](const T &item) {
        auto [value, offset] = getResult(item);
        auto [space, bytes] = getAddress(value);
        return std::make_pair(space, bytes + offset * static_cast<int64_t>(getMemoryBytes(getElementType(value))));
      };
      return key(a) < key(b);
    });
  }
  std::optional<MatmulSpec> describeProduct(const FusionStep &step) const;
  LogicalResult emitProducts(ArrayRef<const FusionStep *> products, ArrayRef<unsigned> epilogues, unsigned number);
  KernelIR buildPart(ArrayRef<unsigned> members);
  LogicalResult emitKernels(ArrayRef<unsigned> members, unsigned number);
  LogicalResult emitOwnProduct(const FusionStep &step, unsigned number);
  void emitRegion(KernelOp op, unsigned &number);
  LogicalResult emitSteps();
  LogicalResult writeLibraryStep(const FusionStep &step);
  LogicalResult writeMatmul(const FusionStep &step);
  AttentionSpec describeAttention(ScaledDotProductAttentionOp op) const;
  LogicalResult writeAttention(ScaledDotProductAttentionOp op, unsigned number);
  void writeConvolution(const FusionStep &step);
  void writeCollective(Operation *op);
  void writeWait(WaitTensorOp op);
  void createHost();
  void addLaunch(StringRef name, LaunchShape shape, ArrayRef<KernelArgument> arguments, Location loc);
  void addCopy(Value from, Value to, Location loc);
  void addLibraryCall(StringRef callee, ArrayRef<std::pair<StringRef, Value>> buffers,
                      const mlir::NamedAttrList &config, Location loc);

  mlir::func::FuncOp function;
  GPUOptions options;
  FusionOptions fusion;
  FusionPlan plan;
  GPUProgram program;
  mlir::gpu::GPUModuleOp kernels;
  OpBuilder builder{function.getContext()};
  std::vector<std::optional<KernelIR>> bodies;                  ///< of the plan's kernels
  DenseMap<Operation *, std::unique_ptr<RegionKernel>> regions; ///< of fxgraph.kernel
  std::vector<int> groupOf;                                     ///< of steps, by id
  int numGroups = 0;
  /// Kernels of the plan that become one: equal ones, or those that are joined. -1: it stays as it is.
  std::vector<int> partOf;
  DenseMap<int, KernelIR> joinedParts;
  /// Products that one kernel of ours computes, by group; where they have an
  /// epilogue kernel, the group is that of the epilogues.
  DenseMap<int, std::vector<FusionStep>> productsOf;
  DenseMap<unsigned, unsigned> productOfKernel; ///< epilogue kernel -> step id of its product
  /// Emitted kernels and their names, by all that they do.
  std::map<std::string, std::pair<std::string, WgmmaKernel>> productKernels;
  std::map<std::string, std::pair<std::string, LaunchShape>> packKernels;
  std::map<unsigned, OwnProduct> ownProducts;                      ///< by step id
  llvm::DenseSet<unsigned> absorbedSteps;                          ///< products that an epilogue's launch computes
  DenseMap<Value, Place> places;                                   ///< of values with memory of their own
  llvm::MapVector<Value, std::pair<uint64_t, uint64_t>> constants; ///< offset, bytes
  /// Kernels that read the memory of a value, values that anything else reads, and the
  /// step of each kernel.
  DenseMap<Value, SmallVector<unsigned, 1>> kernelReaders;
  llvm::DenseSet<Value> otherReaders;
  DenseMap<unsigned, const FusionStep *> stepOfKernel;
  DenseMap<unsigned, Value> resultOfStep; ///< of library steps, by id
  std::string literals;                   ///< the bytes of all constants
  uint64_t workspaceBytes = 0;
  uint64_t scratchOffset = 0;        ///< of memory that one step alone uses
  std::optional<uint64_t> errorWord; ///< its offset in the workspace, if a kernel uses indices
  mlir::func::FuncOp host;
  DenseMap<Operation *, Value> pendingCollectives; ///< started and not waited for: their tokens
  OpBuilder hostBuilder{function.getContext()};
  unsigned numLaunches = 0;
};

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_PROGRAMBUILDER_H
