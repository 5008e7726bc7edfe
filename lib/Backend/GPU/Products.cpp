// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Products.h"
#include "fxgraph/Analysis/FusionOps.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

/// One operand as tensor maps take it, copied if need be. For now `isTransposed` says of
/// both that the first dimension is the dense one.
static void describeOperand(WgmmaProduct::Operand &operand, WgmmaSpec::Matrix &matrix, int64_t batch,
                            const FusionPlan &plan) {
  const StridedLayout &layout = plan.getStorage(operand.value).layout;
  ArrayRef<int64_t> shape = getShape(operand.value).take_back(2), strides = ArrayRef(layout.strides).take_back(2);
  matrix.isTransposed = strides[1] != 1 && shape[1] != 1;
  int64_t rows = shape[matrix.isTransposed], columns = shape[!matrix.isTransposed];
  // A single row is as far from the next as one likes.
  matrix.ld = rows == 1 ? static_cast<int64_t>(llvm::alignTo(columns, 8)) : strides[matrix.isTransposed];
  matrix.stride = batch == 1 ? 0 : layout.strides.front();
  if (isTensorMapOperand(matrix, layout.offset))
    return;
  PackSpec::Matrix pack;
  pack.rows = rows;
  pack.columns = columns;
  pack.ld = rows == 1 ? columns : matrix.ld;
  pack.batch = matrix.stride == 0 ? 1 : batch;
  pack.stride = matrix.stride;
  pack.first = layout.offset % 8;
  matrix.ld = pack.getPackedLd();
  matrix.stride = pack.batch == 1 ? 0 : rows * matrix.ld;
  operand.pack = pack;
}

std::optional<WgmmaProduct> fxgraph::gpu::describeWgmma(const FusionStep &step, const FusionPlan &plan) {
  Operation *op = step.op;
  bool isPlain = isa<MmOp, BmmOp>(op);
  if (!isPlain && !isa<AddmmOp, BaddbmmOp>(op))
    return std::nullopt;
  Type element = getElementType(step.result);
  if (!element.isF16() && !element.isBF16())
    return std::nullopt;
  WgmmaProduct product(op->getLoc());
  WgmmaSpec &spec = product.spec;
  product.a.value = op->getOperand(isPlain ? 0 : 1);
  product.b.value = op->getOperand(isPlain ? 1 : 2);
  ArrayRef<int64_t> left = getShape(product.a.value), right = getShape(product.b.value);
  spec.element = element;
  spec.m = left[left.size() - 2];
  spec.k = left.back();
  spec.n = right.back();
  spec.batch = left.size() == 3 ? left[0] : 1;
  // Rows and columns of the result are 32-bit numbers, as is the number of a tile.
  constexpr int64_t limit = int64_t(1) << 30;
  if (spec.m >= limit || spec.n >= limit || spec.k >= limit || spec.m * spec.batch >= limit)
    return std::nullopt;
  describeOperand(product.a, spec.a, spec.batch, plan);
  describeOperand(product.b, spec.b, spec.batch, plan);
  if (isPlain)
    return product;
  product.alpha = op->getAttrOfType<FloatAttr>("alpha").getValueAsDouble();
  product.beta = op->getAttrOfType<FloatAttr>("beta").getValueAsDouble();
  if (product.beta == 0)
    return product;
  // The planner gave dense memory to the addend: a row, or as many as the product has.
  product.addend = op->getOperand(0);
  ArrayRef<int64_t> shape = getShape(product.addend);
  int64_t rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
  bool isBatched = shape.size() == 3 && shape[0] != 1;
  if (shape.empty() || shape.back() != spec.n || (rows != 1 && rows != spec.m) || (isBatched && shape[0] != spec.batch))
    return std::nullopt;
  product.addendLayout.element = getElementType(product.addend);
  product.addendLayout.ld = rows == 1 ? 0 : spec.n;
  product.addendLayout.stride = isBatched ? rows * spec.n : 0;
  return product;
}

/// A function of single elements in f32, with conditions in i1.
static bool isElementwise(const Prim &prim) {
  switch (prim.kind) {
  case Prim::Kind::Constant:
  case Prim::Kind::Pointwise:
  case Prim::Kind::Arithmetic:
  case Prim::Kind::Cast:
  case Prim::Kind::Round:
    break;
  case Prim::Kind::Select:
    if (!prim.tests.empty())
      return false;
    break;
  default:
    return false;
  }
  return prim.type.isF32() || prim.type.isInteger(1);
}

std::optional<Epilogue> fxgraph::gpu::matchEpilogue(const KernelIR &kernel, Value product) {
  if (kernel.stores.size() != 1 || kernel.phases != 0 || !kernel.symbols.empty())
    return std::nullopt;
  const IndexSpace &space = kernel.space;
  int64_t m = getShape(product)[0], n = getShape(product)[1];
  bool isFlat = space.getNumDims() == 1 && space.getSize(0) == m * n;
  if (!isFlat && (space.getNumDims() != 2 || space.getSize(0) != m || space.getSize(1) != n))
    return std::nullopt;
  /// The leading dimension of what is read or written at (row, column); 0 for a row.
  auto getLd = [&](const IndexExpr &address) -> std::optional<int64_t> {
    if (isFlat)
      return address.terms.size() == 1 && address.getCoefficient(space.getAtomOfDim(0)) == 1 ? std::optional(n)
                                                                                             : std::nullopt;
    int64_t rows = address.getCoefficient(space.getAtomOfDim(0)),
            columns = address.getCoefficient(space.getAtomOfDim(1));
    if (columns != 1 || rows < 0 || address.terms.size() != (rows == 0 ? 1u : 2u))
      return std::nullopt;
    return rows;
  };
  Epilogue result;
  bool readsProduct = false;
  for (auto [i, prim] : llvm::enumerate(kernel.prims)) {
    if (prim.kind != Prim::Kind::Load) {
      if (!isElementwise(prim))
        return std::nullopt;
      continue;
    }
    const KernelArray &array = kernel.arrays[prim.array];
    std::optional<int64_t> ld = getLd(prim.address);
    if (!ld || !prim.type.isF32())
      return std::nullopt;
    if (array.value != product) {
      if (!array.elementType.isF16() && !array.elementType.isBF16() && !array.elementType.isF32())
        return std::nullopt;
      result.loads.push_back({static_cast<unsigned>(i), prim.array, prim.address.constant, *ld});
      continue;
    }
    if (readsProduct || *ld != n || array.offset != 0 || prim.address.constant != 0)
      return std::nullopt;
    readsProduct = true;
  }
  const KernelStore &store = kernel.stores[0];
  std::optional<int64_t> ldd = getLd(store.address);
  if (!readsProduct || !ldd || (*ldd == 0 && m != 1) || store.address.constant != 0 ||
      kernel.arrays[store.array].elementType != getElementType(product))
    return std::nullopt;
  result.ldd = *ldd == 0 ? n : *ldd;
  return result;
}

Value fxgraph::gpu::evaluateEpilogue(ScalarMath &math, const KernelIR &kernel, Value product,
                                     const DenseMap<unsigned, Value> &loads, Operation *&problem) {
  std::vector<Value> values(kernel.prims.size());
  Type like = product.getType();
  for (auto [i, prim] : llvm::enumerate(kernel.prims)) {
    SmallVector<Value, 3> operands;
    for (unsigned operand : prim.operands)
      operands.push_back(values[operand]);
    switch (prim.kind) {
    case Prim::Kind::Load: {
      auto other = loads.find(i);
      values[i] = other == loads.end() ? product : other->second;
      break;
    }
    case Prim::Kind::Constant:
      values[i] = math.constant(withScalarType(like, prim.type), prim.constant);
      break;
    case Prim::Kind::Pointwise:
      values[i] = math.pointwise(prim.op, operands, prim.type, prim.isUnsigned);
      if (!values[i]) {
        problem = prim.op;
        return {};
      }
      break;
    case Prim::Kind::Arithmetic:
      values[i] = math.arithmetic(prim.arithmetic, operands);
      break;
    case Prim::Kind::Cast:
      values[i] = math.convert(operands[0], prim.type, false, false);
      break;
    case Prim::Kind::Round:
      values[i] = math.convert(math.convert(operands[0], prim.rounded, false, false), prim.type, false, false);
      break;
    default:
      values[i] = math.select(operands[2], operands[0], operands[1]);
      break;
    }
  }
  return values[kernel.stores[0].prim];
}
