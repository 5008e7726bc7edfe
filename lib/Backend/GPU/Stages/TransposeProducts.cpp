// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product whose only reader writes it in another order, columns far apart and a run of its
// rows dense, is turned around: D[p]^T = B^T A[p]^T, with a problem for each run of rows. Then
// what the reader writes are rows of the product, and it can be its epilogue. Operands are
// views; an addend that was a row is a column.

#include "Kernel/HostFunction.h"
#include "Kernel/HostMemory.h"
#include "Kernel/NestIR.h"
#include "Stages/Products.h"
#include "Stages/Stages.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace memref = mlir::memref;

/// The nest that alone reads the memory; null if there is none.
static LoopNestOp findReader(Value memory, Operation *writer) {
  LoopNestOp reader;
  SmallVector<Value> pending = {memory};
  while (!pending.empty())
    for (Operation *user : pending.pop_back_val().getUsers()) {
      if (user == writer)
        continue;
      if (auto buffer = dyn_cast<BufferOp>(user)) {
        pending.push_back(buffer);
        continue;
      }
      auto nest = dyn_cast<LoopNestOp>(user);
      if (!nest || nest->getParentOp() != writer->getParentOp() || nest.getInstances() != 1 ||
          (reader && reader != nest))
        return {};
      reader = nest;
    }
  return reader;
}

/// How many rows follow each other in what the kernel writes, if it writes columns apart; else 0.
static int64_t findRun(const KernelIR &kernel, const Prim &load, int64_t rows, int64_t columns) {
  if (kernel.stores.size() != 1)
    return 0;
  const IndexSpace &space = kernel.space;
  std::optional<SmallVector<int64_t>> steps = getSteps(space, load.address),
                                      written = getSteps(space, kernel.stores[0].address);
  if (!steps || !written)
    return 0;
  int64_t run = 0;
  for (auto [size, step, store] : llvm::zip_equal(space.getSizes(), *steps, *written)) {
    // Each dimension is one of columns, rows or problems.
    for (int64_t border : {columns, columns * rows})
      if (step < border && step * size > border)
        return 0;
    if (store == 1 && size != 1)
      run = step == columns ? size : 0;
  }
  return rows % std::max<int64_t>(run, 1) == 0 ? run : 0;
}

/// A matrix, or a batch of them, as its transpose; `problems` of them if one is given for all. A batch of one is a matrix.
static Value transpose(OpBuilder &builder, Value memory, int64_t problems, int64_t columns) {
  SmallVector<int64_t> shape(getMemoryShape(memory)), strides = getMemoryStrides(memory);
  if (shape.size() == 3 && shape[0] == 1) {
    shape.erase(shape.begin());
    strides.erase(strides.begin());
  }
  size_t row = shape.size() - 2, column = row + 1;
  if (shape.size() == 2 && problems != 1) {
    // Each has `columns` of the rows, or all have the same.
    shape.insert(shape.begin(), problems);
    strides.insert(strides.begin(), columns == shape[1] ? 0 : columns * strides[0]);
    shape[1] = columns;
    ++row, ++column;
  }
  std::swap(shape[row], shape[column]);
  std::swap(strides[row], strides[column]);
  auto layout = mlir::StridedLayoutAttr::get(builder.getContext(), /*offset=*/0, strides);
  return BufferOp::create(builder, memory.getLoc(), mlir::MemRefType::get(shape, getMemoryElement(memory), layout),
                          memory, /*offset=*/0);
}

static LogicalResult transposeProduct(MatrixProductOp product, const GPUOptions &options) {
  auto allocation = product.getResult().getDefiningOp<memref::AllocOp>();
  LoopNestOp reader = allocation ? findReader(allocation, product) : LoopNestOp();
  if (!reader)
    return success();
  FailureOr<KernelIR> kernel = readNest(reader);
  if (failed(kernel))
    return failure();
  ArrayRef<int64_t> shape = getMemoryShape(allocation);
  int64_t n = shape.back(), m = shape[shape.size() - 2], batch = shape.size() == 3 ? shape[0] : 1;
  Value addend = product.getAddend();
  SmallVector<unsigned, 1> loads = findLoads(*kernel, allocation);
  if (loads.size() != 1 || (addend && getMemoryShape(addend) != ArrayRef<int64_t>{n}))
    return success();
  Prim &load = kernel->prims[loads.front()];
  int64_t run = findRun(*kernel, load, m, n), problems = run == 0 ? 1 : batch * (m / run);
  if (run < 2 || (batch != 1 && run != m))
    return success();

  OpBuilder builder(product);
  OpBuilder memoryBuilder(allocation);
  SmallVector<int64_t> turned = {n, run};
  if (problems != 1)
    turned.insert(turned.begin(), problems);
  Type element = getMemoryElement(allocation);
  Value result = memref::AllocOp::create(memoryBuilder, product.getLoc(), mlir::MemRefType::get(turned, element));
  Value lhs = transpose(builder, product.getRhs(), problems, getMemoryShape(product.getRhs()).drop_back().back()),
        rhs = transpose(builder, product.getLhs(), problems, run), column;
  if (addend)
    column =
        BufferOp::create(builder, product.getLoc(), mlir::MemRefType::get({n, 1}, getMemoryElement(addend)), addend,
                         /*offset=*/0);
  auto replacement = MatrixProductOp::create(builder, product.getLoc(), product.getComputes(), lhs, rhs, column, result,
                                             product.getAlpha(), product.getBeta(), product.getLoweringConfigAttr());
  mlir::IRMapping nothing;
  product.getActivation().cloneInto(&replacement.getActivation(), nothing);
  // Where the kernel reads: columns are `run` apart now, rows of a run follow each other.
  for (auto &[atom, step] : load.address.terms)
    step = step < n ? step * run : step < n * run ? step / n : step;
  kernel->arrays[load.array].value = result;

  std::optional<WgmmaProduct> described = describeWgmma(replacement);
  if (!described || !matchEpilogue(*kernel, result) ||
      !isOurs(*described, replacement, /*hasEpilogue=*/true, options)) {
    for (Operation *op : {replacement.getOperation(), column ? column.getDefiningOp() : nullptr, lhs.getDefiningOp(),
                          rhs.getDefiningOp(), result.getDefiningOp()})
      if (op)
        op->erase();
    return success();
  }
  builder.setInsertionPoint(reader);
  SmallVector<StringRef> computes(reader.getComputes().getAsValueRange<StringAttr>());
  writeNest(builder, *kernel, computes, openArrays(*kernel));
  reader.erase();
  product.erase();
  SmallVector<Operation *> dead = {allocation};
  for (size_t i = 0; i < dead.size(); ++i)
    llvm::append_range(dead, dead[i]->getUsers());
  for (Operation *op : llvm::reverse(dead))
    op->erase();
  return success();
}

LogicalResult fxgraph::gpu::transposeProducts(mlir::func::FuncOp host, Block &steps, const GPUOptions &options) {
  if (host->getAttrOfType<StringAttr>(kHostChipAttr).getValue() != "sm_90a" || options.products == OwnProducts::Never)
    return success();
  for (auto product : llvm::make_early_inc_range(steps.getOps<MatrixProductOp>()))
    if (!product.getLoweringConfig() && failed(transposeProduct(product, options)))
      return failure();
  return success();
}
