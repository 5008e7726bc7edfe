// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/HostMemory.h"
#include "Kernel/HostFunction.h"
#include "Kernel/KernelIR.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

MemoryPlace fxgraph::gpu::resolveMemory(Value memory) {
  MemoryPlace place{memory};
  while (auto buffer = place.root.getDefiningOp<BufferOp>()) {
    place.bytes += buffer.getOffset();
    place.root = buffer.getBase();
  }
  return place;
}

static mlir::func::FuncOp getHost(mlir::BlockArgument argument) {
  return dyn_cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
}

bool fxgraph::gpu::isWorkspace(Value root) {
  auto argument = dyn_cast<mlir::BlockArgument>(root);
  return argument && getHost(argument).getArgAttr(argument.getArgNumber(), kHostWorkspaceAttr);
}

bool fxgraph::gpu::isHostFunction(mlir::func::FuncOp function) { return function->hasAttr(kHostChipAttr); }

uint64_t fxgraph::gpu::getMemoryAlignment(MemoryPlace place) {
  constexpr uint64_t tensorAlign = 16; // What PyTorch's tensors are surely aligned to.
  uint64_t align = isa<mlir::BlockArgument>(place.root) && !isWorkspace(place.root) ? tensorAlign : kBufferAlign;
  return llvm::MinAlign(align, static_cast<uint64_t>(place.bytes));
}

std::pair<uint64_t, int64_t> fxgraph::gpu::getMemoryAddress(Value memory) {
  enum Kind : uint64_t { Workspace, Input, Output, Constant };
  auto [root, bytes] = resolveMemory(memory);
  auto pack = [&, bytes = bytes](Kind kind, uint64_t number) { return std::make_pair(kind << 32 | number, bytes); };
  if (isWorkspace(root))
    return pack(Workspace, 0);
  if (auto argument = dyn_cast<mlir::BlockArgument>(root))
    return pack(getHost(argument).getArgAttr(argument.getArgNumber(), kHostResultAttr) ? Output : Input,
                argument.getArgNumber());
  // Literals and allocations: in the order in which they stand.
  unsigned number = 0;
  for (Operation *op = root.getDefiningOp()->getPrevNode(); op; op = op->getPrevNode())
    number += !isa<BufferOp>(op);
  return pack(Constant, number);
}

int64_t fxgraph::gpu::getMemoryOffset(Value memory) {
  return resolveMemory(memory).bytes / getMemoryBytes(getMemoryElement(memory));
}

SmallVector<int64_t> fxgraph::gpu::getMemoryStrides(Value memory) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(cast<mlir::MemRefType>(memory.getType()).getStridesAndOffset(strides, offset)))
    llvm_unreachable("memory of a host function is strided");
  return strides;
}

uint64_t fxgraph::gpu::getDenseBytes(mlir::MemRefType type) {
  return type.getNumElements() * getMemoryBytes(type.getElementType());
}

/// Operands of a kernel between memory and memory that its loop nest reads and writes.
static void collectNestAccesses(KernelOp kernel, SmallVectorImpl<Value> &reads, SmallVectorImpl<Value> &writes) {
  auto note = [&](Value memory, SmallVectorImpl<Value> &list) {
    while (auto view = memory.getDefiningOp<mlir::ViewLikeOpInterface>())
      memory = view.getViewSource();
    if (auto argument = dyn_cast<mlir::BlockArgument>(memory); argument && isa<mlir::MemRefType>(memory.getType()))
      list.push_back(kernel.getInputs()[argument.getArgNumber()]);
  };
  for (auto nest : kernel.getBody().front().getOps<mlir::linalg::GenericOp>()) {
    for (Value operand : nest->getOperands())
      note(operand, reads);
    llvm::SetVector<Value> captured;
    mlir::getUsedValuesDefinedAbove(nest->getRegions(), captured);
    for (Value value : captured)
      note(value, reads);
    for (Value init : nest.getDpsInits())
      note(init, writes);
  }
}

void fxgraph::gpu::collectAccesses(Operation *op, SmallVectorImpl<Value> &reads, SmallVectorImpl<Value> &writes) {
  if (auto nest = dyn_cast<LoopNestOp>(op)) {
    for (auto [i, memory] : llvm::enumerate(nest.getMemory())) {
      mlir::BlockArgument array = nest.getArray(i % nest.getNumArrays());
      for (Operation *user : array.getUsers())
        (isa<NestStoreOp>(user) ? writes : reads).push_back(memory);
      // Blocks may pass on sums in it.
      if (array.use_empty()) {
        reads.push_back(memory);
        writes.push_back(memory);
      }
    }
    return;
  }
  if (auto kernel = dyn_cast<KernelOp>(op))
    return collectNestAccesses(kernel, reads, writes);
  if (isa<LaunchOp>(op)) {
    for (Operation &inner : op->getRegion(0).front())
      if (!isa<mlir::memref::AllocOp, BufferOp>(inner))
        collectAccesses(&inner, reads, writes);
    return;
  }
  Value result;
  if (auto product = dyn_cast<MatrixProductOp>(op))
    result = product.getResult();
  else if (auto attention = dyn_cast<AttentionOp>(op))
    result = attention.getResult();
  else if (auto copy = dyn_cast<mlir::memref::CopyOp>(op))
    result = copy.getTarget();
  else if (auto call = dyn_cast<LibraryCallOp>(op); call && call.getCallee() == "conv")
    result = call.getBuffers().back();
  for (Value operand : op->getOperands()) {
    if (!isa<mlir::MemRefType>(operand.getType()))
      continue;
    if (operand != result)
      reads.push_back(operand);
    if (!result || operand == result)
      writes.push_back(operand);
  }
  if (auto attention = dyn_cast<AttentionOp>(op); attention && attention.getScratch())
    writes.push_back(attention.getScratch());
}

LogicalResult fxgraph::gpu::visitSteps(mlir::func::FuncOp host, function_ref<LogicalResult(Block &steps)> visit) {
  SmallVector<Block *> lists = {&host.getBody().front()};
  for (size_t i = 0; i < lists.size(); ++i)
    for (Operation &op : *lists[i])
      if (isa<BranchOp, LoopOp>(op))
        for (mlir::Region &region : op.getRegions())
          lists.push_back(&region.front());
  for (Block *steps : lists)
    if (failed(visit(*steps)))
      return failure();
  return success();
}

// Dimensions that are one are joined.
MemoryRegion::MemoryRegion(MemoryPlace place, int64_t elementBytes, ArrayRef<std::pair<int64_t, int64_t>> given)
    : place(place), elementBytes(elementBytes), end(place.bytes + elementBytes) {
  SmallVector<std::pair<int64_t, int64_t>, 4> sorted(given);
  llvm::erase_if(sorted, [](auto dim) { return dim.second == 1 || dim.first == 0; });
  llvm::sort(sorted, std::greater<>());
  for (auto [stride, extent] : sorted) {
    end += std::max<int64_t>(extent - 1, 0) * stride;
    if (!dims.empty() && dims.back().first == stride * extent)
      dims.back() = {stride, dims.back().second * extent};
    else
      dims.push_back({stride, extent});
  }
}

MemoryRegion fxgraph::gpu::getMemoryRegion(Value memory) {
  int64_t bytes = getMemoryBytes(getMemoryElement(memory));
  SmallVector<std::pair<int64_t, int64_t>> dims;
  for (auto [stride, extent] : llvm::zip_equal(getMemoryStrides(memory), getMemoryShape(memory)))
    dims.push_back({stride * bytes, extent});
  return {resolveMemory(memory), bytes, dims};
}

bool fxgraph::gpu::mayOverlap(const MemoryRegion &lhs, const MemoryRegion &rhs) {
  if (lhs.place.root != rhs.place.root || lhs.end <= rhs.place.bytes || rhs.end <= lhs.place.bytes)
    return false;
  // Boxes in one grid: apart along some dimension.
  if (lhs.dims.size() != rhs.dims.size() || lhs.elementBytes != rhs.elementBytes)
    return true;
  int64_t left = lhs.place.bytes, right = rhs.place.bytes, outer = 0;
  bool isApart = false;
  for (auto [a, b] : llvm::zip_equal(lhs.dims, rhs.dims)) {
    int64_t stride = a.first;
    if (stride <= 0 || stride != b.first)
      return true;
    int64_t first = left / stride, second = right / stride;
    left %= stride;
    right %= stride;
    // An index beyond the dimension would be one of the next.
    if (outer && std::max(first + a.second, second + b.second) * stride > outer)
      return true;
    isApart |= first + a.second <= second || second + b.second <= first;
    outer = stride;
  }
  // Between the elements of the last dimension.
  isApart |= left + lhs.elementBytes <= right || right + rhs.elementBytes <= left;
  return !isApart;
}
