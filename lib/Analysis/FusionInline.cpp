// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of kernels, and which ops a kernel computes in registers.

#include "FusionPlanner.h"
#include <map>

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

unsigned FusionPlanner::addPiece(unsigned kernel, KernelNode node) {
  plan.kernels[kernel]->nodes.push_back(std::move(node));
  return plan.kernels[kernel]->nodes.size() - 1;
}

unsigned FusionPlanner::demand(unsigned kernel, Value value, ArrayRef<IndexExpr> index) {
  FusionKernel &target = *plan.kernels[kernel];
  auto key = std::make_pair(value.getAsOpaquePointer(), std::vector<IndexExpr>(index.begin(), index.end()));
  auto [it, inserted] = target.nodeOf.try_emplace(std::move(key), target.nodes.size());
  if (!inserted)
    return it->second;
  KernelNode node;
  node.value = value;
  node.index.assign(index.begin(), index.end());
  node.elementType = getElementType(value);
  unsigned id = addPiece(kernel, std::move(node));
  ValueState &wanted = state(value);
  wanted.demands.push_back({kernel, id});
  wanted.level = std::max(wanted.level, target.level);
  return id;
}

unsigned FusionPlanner::addConstant(unsigned kernel, Attribute constant, Type type) {
  KernelNode node;
  node.kind = KernelNode::Kind::Constant;
  node.constant = constant;
  node.elementType = type;
  return addPiece(kernel, std::move(node));
}

unsigned FusionPlanner::addSelect(unsigned kernel, ArrayRef<RangeTest> tests, unsigned yes, unsigned no, Type type) {
  KernelNode node;
  node.kind = KernelNode::Kind::Select;
  node.elementType = type;
  for (const RangeTest &test : tests) {
    auto [lo, hi] = plan.kernels[kernel]->space.getRange(test.expr);
    if (lo < test.lo || hi > test.hi)
      node.tests.push_back(test);
  }
  if (node.tests.empty())
    return yes;
  node.operands = {yes, no};
  return addPiece(kernel, std::move(node));
}

unsigned FusionPlanner::addCoordinate(unsigned kernel, const IndexExpr &coordinate, Type type) {
  KernelNode node;
  node.kind = KernelNode::Kind::Coordinate;
  node.coordinate = coordinate;
  node.elementType = type;
  return addPiece(kernel, std::move(node));
}

//===----------------------------------------------------------------------===//
// Inlining
//===----------------------------------------------------------------------===//

// Each element stored by exactly one point of the kernel's domain (or of its
// rows): the row-major position is a mixed-radix number of all dimensions.
bool FusionPlanner::coversKernelOnce(const FusionKernel &kernel, Value value, ArrayRef<IndexExpr> index) {
  IndexSpace &space = const_cast<IndexSpace &>(kernel.space);
  IndexExpr address = space.linearize(index, getShape(value));
  if (address.constant != 0)
    return false;
  auto strides = space.getStrides(address);
  if (!strides)
    return false;
  llvm::sort(*strides, [](const auto &lhs, const auto &rhs) { return lhs.stride < rhs.stride; });
  int64_t expected = 1;
  llvm::SmallBitVector used(space.getNumDims());
  for (auto [dim, stride] : *strides) {
    if (stride != expected)
      return false;
    expected *= space.getSize(dim);
    used.set(dim);
  }
  if (expected != getNumElements(value)) // The kernel's domain is that of the first rows.
    return false;
  bool usesInner = false, missesOuter = false, missesInner = false;
  for (unsigned dim = 0; dim < space.getNumDims(); ++dim) {
    if (space.getSize(dim) <= 1)
      continue;
    if (kernel.inner[dim])
      (used.test(dim) ? usesInner : missesInner) = true;
    else
      missesOuter |= !used.test(dim);
  }
  return !missesOuter && !(usesInner && missesInner);
}

std::optional<Index> FusionPlanner::joinLoop(KernelLoopOpInterface op, unsigned kernelId, ArrayRef<IndexExpr> index,
                                             bool commit, bool isRoot) {
  FusionKernel &kernel = *plan.kernels[kernelId];
  IndexSpace &space = kernel.space;
  SmallVector<int64_t, 4> extents = op.getLoopExtents();
  int64_t count = getNumElements(extents);
  // The row: what the loop's result may depend on.
  mlir::AffineMap rows = op.getLoopRows();
  llvm::SmallBitVector rowDims = space.getDims(evaluate(rows, index, space)), loopDims(space.getNumDims());
  for (auto [i, expr] : llvm::enumerate(index))
    if (!rows.isFunctionOfDim(i))
      loopDims |= space.getDims(expr);
  for (const IndexExpr &expr : index)
    if (space.isSymbolic(expr))
      return std::nullopt;
  if (loopDims.anyCommon(rowDims))
    return std::nullopt;
  SmallVector<unsigned> unused;
  int64_t unusedSize = 1;
  for (unsigned dim = 0; dim < space.getNumDims(); ++dim)
    if (!rowDims.test(dim) && space.getSize(dim) > 1) {
      unused.push_back(dim);
      unusedSize *= space.getSize(dim);
    }
  SmallVector<unsigned> loopOver;
  if (kernel.reductions) {
    if (kernel.getInnerSize() != count)
      return std::nullopt;
    for (unsigned dim = 0; dim < space.getNumDims(); ++dim)
      if (kernel.inner[dim])
        loopOver.push_back(dim);
    for (unsigned dim : loopOver)
      if (rowDims.test(dim))
        return std::nullopt;
    for (unsigned dim : unused)
      if (!kernel.inner[dim])
        return std::nullopt;
  } else if (unusedSize == count && count > 1) {
    // Few, very long rows do not fill a device: reduce in a kernel of its own. Running sums leave nothing that is computed
    // behind them, and boxes of a row are blocks of their own (SpreadScans.cpp).
    int64_t rows = kernel.getOuterSize() / std::max<int64_t>(count, 1);
    if (!isRoot && !op.isRunning() && rows < 16 && count > 16384)
      return std::nullopt;
    loopOver.assign(unused.begin(), unused.end());
  } else if (unusedSize == 1) {
    if (!commit)
      return Index(extents.size());
    for (int64_t size : extents) {
      space.addDim(size);
      kernel.inner.push_back(true);
      loopOver.push_back(space.getNumDims() - 1);
    }
  } else {
    return std::nullopt;
  }
  if (commit) {
    for (unsigned dim : loopOver)
      kernel.inner[dim] = true;
    ++kernel.reductions;
  }
  SmallVector<int64_t> sizes;
  Index dims;
  for (unsigned dim : loopOver) {
    sizes.push_back(space.getSize(dim));
    dims.push_back(space.getDim(dim));
  }
  return space.reshape(dims, sizes, extents);
}

bool FusionPlanner::canInline(Operation *op, OpClass opClass, unsigned kernelId) {
  FusionKernel &kernel = *plan.kernels[kernelId];
  SmallVector<unsigned> nodes;
  for (mlir::OpResult result : op->getResults())
    for (auto [owner, node] : state(result).demands)
      if (owner == kernelId)
        nodes.push_back(node);
  unsigned open =
      llvm::count_if(kernel.nodes, [](const KernelNode &node) { return node.kind == KernelNode::Kind::Load; });
  bool leaf = op->getNumOperands() == 0;
  if (!leaf &&
      (kernel.nodes.size() + nodes.size() * 3 > options.maxNodes || open + op->getNumOperands() > options.maxLoads))
    return false;
  // The same op at several indices is computed several times.
  if (nodes.size() > op->getNumResults() && !isCheap(op) && opClass != OpClass::View && opClass != OpClass::Identity &&
      !leaf) {
    std::map<std::vector<IndexExpr>, unsigned> distinct;
    for (unsigned node : nodes)
      distinct.try_emplace(std::vector<IndexExpr>(kernel.nodes[node].index.begin(), kernel.nodes[node].index.end()),
                           node);
    if (opClass == OpClass::Reduction || distinct.size() > 2)
      return false;
  }
  if (opClass == OpClass::Select && isa<CatLikeOpInterface>(op))
    return op->getNumOperands() <= kMostChoices && nodes.size() == 1;
  if (opClass != OpClass::Reduction)
    return true;
  // A scan or a window per element reads its operand many times: worth it only
  // where the operand is in memory, which inlining cannot know.
  Index index = kernel.nodes[nodes.front()].index;
  if (isRowStatistic(cast<mlir::OpResult>(kernel.nodes[nodes.front()].value)))
    return false; // Rows known from the statistics alone: a kernel of its own.
  for (unsigned node : nodes)
    if (kernel.nodes[node].index != getSiblingIndex(cast<mlir::OpResult>(kernel.nodes[node].value), index))
      return false;
  auto loopOp = cast<KernelLoopOpInterface>(op);
  std::optional<Index> loop = joinLoop(loopOp, kernelId, index, /*commit=*/false, /*isRoot=*/false);
  if (!loop)
    return false;
  // Running sums come last, at every element of their rows in order.
  if (loopOp.isRunning())
    return kernel.reductions == 0 && !loop->empty() && !loop->front().isConstant() &&
           loop->front() == index[cast<RowOpInterface>(op).getRowDims().front()];
  return true;
}

void FusionPlanner::inlineInto(Operation *op, OpClass opClass, unsigned kernelId) {
  FusionKernel &kernel = *plan.kernels[kernelId];
  kernel.ops.push_back(op);
  // The full result first: it fixes the rows.
  for (mlir::OpResult result : op->getResults()) {
    auto demands = state(result).demands;
    for (auto [owner, node] : demands)
      if (owner == kernelId)
        expand(op, opClass, kernelId, node);
  }
}
