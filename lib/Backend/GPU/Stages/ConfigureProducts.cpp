// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernel or library computes each product and attention, and how its work is
// divided: lowering_config. What stands there already is kept where there is such a
// kernel; options go before it.

#include "Emit/EmitAttention.h"
#include "Kernel/HostFunction.h"
#include "Kernel/HostMemory.h"
#include "Stages/Products.h"
#include "Stages/Stages.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace memref = mlir::memref;

/// The op of the host function's block that `op` is, or is in.
static Operation *getStep(Operation *op) {
  while (!isa<mlir::func::FuncOp>(op->getParentOp()))
    op = op->getParentOp();
  return op;
}

static Value allocate(mlir::func::FuncOp host, Location loc, int64_t elements, Type element) {
  OpBuilder builder(&host.getBody().front(), host.getBody().front().begin());
  return memref::AllocOp::create(builder, loc, mlir::MemRefType::get({elements}, element));
}

/// Puts copies in front of the product of those operands that tensor maps cannot describe.
static void packOperands(mlir::func::FuncOp host, MatrixProductOp product, const WgmmaProduct &described) {
  Location loc = product.getLoc();
  OpBuilder builder(getStep(product));
  SmallVector<Value> sources, targets;
  auto pack = [&](const WgmmaProduct::Operand &operand, mlir::OpOperand &use) {
    if (!operand.pack)
      return;
    const PackSpec::Matrix &matrix = *operand.pack;
    auto type = cast<mlir::MemRefType>(operand.value.getType());
    SmallVector<int64_t> strides(type.getRank(), 0), given = getMemoryStrides(operand.value);
    size_t row = type.getRank() - 2, column = type.getRank() - 1;
    if (operand.isTransposed)
      std::swap(row, column);
    strides[row] = matrix.getPackedLd();
    strides[column] = 1;
    if (matrix.batch != 1)
      strides[0] = matrix.rows * matrix.getPackedLd();
    Value root = allocate(host, loc, matrix.batch * matrix.rows * matrix.getPackedLd(), type.getElementType());
    OpBuilder memoryBuilder(builder.getContext());
    memoryBuilder.setInsertionPointAfterValue(root);
    auto layout = mlir::StridedLayoutAttr::get(builder.getContext(), /*offset=*/0, strides);
    Value packed = BufferOp::create(memoryBuilder, loc,
                                    mlir::MemRefType::get(type.getShape(), type.getElementType(), layout), root,
                                    /*offset=*/0);
    sources.push_back(operand.value);
    targets.push_back(packed);
    use.set(packed);
  };
  pack(described.a, product.getLhsMutable());
  pack(described.b, product.getRhsMutable());
  if (sources.empty())
    return;
  SmallVector<Attribute> computes(product.getComputes().getValue());
  if (auto launch = dyn_cast<LaunchOp>(product->getParentOp()))
    for (auto nest : launch.getBody().getOps<LoopNestOp>())
      llvm::append_range(computes, nest.getComputes().getValue());
  PackOp::create(builder, loc, builder.getArrayAttr(computes), sources, targets);
}

static LogicalResult configure(mlir::func::FuncOp host, MatrixProductOp product, const GPUOptions &options) {
  if (!product.getLoweringConfig())
    setEmitter(product, kLibraryEmitter);
  StringRef emitter = getEmitter(product);
  if (emitter == kLibraryEmitter) {
    if (isa<LaunchOp>(product->getParentOp()))
      return product.emitOpError("expected a kernel of our own as the emitter in a launch with others but got library");
    return success();
  }
  if (emitter == kMmaEmitter) {
    if (!describeMatmul(product))
      return product.emitOpError("expected a product that mma.sync computes: 16-bit floats, dense rows, sizes and "
                                 "leading dimensions that are multiples of 8");
    return success();
  }
  if (emitter != kWgmmaEmitter)
    return product.emitOpError("expected emitter to be library, mma or wgmma but got '") << emitter << "'";
  std::optional<WgmmaProduct> described = describeWgmma(product);
  if (host->getAttrOfType<StringAttr>(kHostChipAttr).getValue() != "sm_90a" || !described)
    return product.emitOpError("expected a product of 16-bit floats on sm_90a for wgmma");
  packOperands(host, product, *described);
  bool hasEpilogue = isa<LaunchOp>(product->getParentOp()) || product.getActivationOp() || product.getAddend() ||
                     product.getAlpha().convertToDouble() != 1;
  const WgmmaSpec &spec = described->spec;
  WgmmaConfig config = chooseWgmmaConfig(spec, hasEpilogue);
  for (StringRef text : {getWgmmaConfig(product), StringRef(options.productConfig)})
    if (!text.empty())
      if (std::optional<std::string> problem = config.update(text))
        return product.emitOpError("product-config: ") << *problem;
  if (int64_t blocks = llvm::divideCeil(spec.k, WgmmaConfig::tileK); config.split > 1 && config.split > blocks)
    return product.emitOpError("product-config: expected split of at most ")
           << blocks << ", the blocks of " << WgmmaConfig::tileK << " along K, but got " << config.split;
  setWgmmaConfig(product, config);
  return success();
}

static LogicalResult configure(mlir::func::FuncOp host, AttentionOp attention, const GPUOptions &options) {
  AttentionSpec spec =
      describeAttention(attention, host->getAttrOfType<StringAttr>(kHostChipAttr).getValue(), options.processors);
  FailureOr<AttentionTiling> tiling = chooseAttentionTiling(spec);
  if (failed(tiling))
    return failure();
  attention.setLoweringConfigAttr(tiling->toAttribute(attention.getContext()));
  if (int64_t bytes = getAttentionScratchBytes(spec, *tiling); bytes && !attention.getScratch()) {
    Type element = mlir::Float32Type::get(attention.getContext());
    attention.getScratchMutable().assign(allocate(host, attention.getLoc(), llvm::divideCeil(bytes, 4), element));
  }
  return success();
}

LogicalResult fxgraph::gpu::configureProducts(mlir::func::FuncOp host, const GPUOptions &options) {
  SmallVector<Operation *> ops;
  host.walk([&](Operation *op) {
    if (isa<MatrixProductOp, AttentionOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    auto product = dyn_cast<MatrixProductOp>(op);
    if (failed(product ? configure(host, product, options) : configure(host, cast<AttentionOp>(op), options)))
      return failure();
  }
  return success();
}
