// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Stages/Products.h"
#include "Kernel/HostMemory.h"
#include "Kernel/KernelSchedule.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

//===----------------------------------------------------------------------===//
// Configurations
//===----------------------------------------------------------------------===//

static StringRef getEntry(MatrixProductOp product, StringRef name) {
  auto config = product.getLoweringConfigAttr();
  auto entry = config ? config.getAs<StringAttr>(name) : StringAttr();
  return entry ? entry.getValue() : StringRef();
}

static void setEntry(MatrixProductOp product, StringRef name, StringRef value) {
  mlir::NamedAttrList entries(product.getLoweringConfigAttr());
  entries.set(name, StringAttr::get(product.getContext(), value));
  product.setLoweringConfigAttr(entries.getDictionary(product.getContext()));
}

StringRef fxgraph::gpu::getEmitter(MatrixProductOp product) { return getEntry(product, "emitter"); }
void fxgraph::gpu::setEmitter(MatrixProductOp product, StringRef emitter) { setEntry(product, "emitter", emitter); }
StringRef fxgraph::gpu::getWgmmaConfig(MatrixProductOp product) { return getEntry(product, "config"); }
void fxgraph::gpu::setWgmmaConfig(MatrixProductOp product, const WgmmaConfig &config) {
  setEntry(product, "config", config.print());
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// One operand as tensor maps take it, copied if need be. For now `isTransposed` says of
/// both that the first dimension is the dense one.
static void describeOperand(WgmmaProduct::Operand &operand, WgmmaSpec::Matrix &matrix, int64_t batch) {
  SmallVector<int64_t> all = getMemoryStrides(operand.value);
  int64_t offset = getMemoryOffset(operand.value);
  ArrayRef<int64_t> shape = getMemoryShape(operand.value).take_back(2), strides = ArrayRef(all).take_back(2);
  matrix.isTransposed = operand.isTransposed = strides[1] != 1 && shape[1] != 1;
  int64_t rows = shape[matrix.isTransposed], columns = shape[!matrix.isTransposed];
  // A single row is as far from the next as one likes.
  matrix.ld = rows == 1 ? static_cast<int64_t>(llvm::alignTo(columns, 8)) : strides[matrix.isTransposed];
  matrix.stride = batch == 1 ? 0 : all.front();
  if (isTensorMapOperand(matrix, offset))
    return;
  PackSpec::Matrix pack;
  pack.rows = rows;
  pack.columns = columns;
  pack.ld = rows == 1 ? columns : matrix.ld;
  pack.batch = matrix.stride == 0 ? 1 : batch;
  pack.stride = matrix.stride;
  pack.first = offset % 8;
  matrix.ld = pack.getPackedLd();
  matrix.stride = pack.batch == 1 ? 0 : rows * matrix.ld;
  operand.pack = pack;
}

std::optional<PackSpec::Matrix> fxgraph::gpu::describePack(Value memory) {
  WgmmaProduct::Operand operand{memory};
  WgmmaSpec::Matrix matrix;
  ArrayRef<int64_t> shape = getMemoryShape(memory);
  describeOperand(operand, matrix, shape.size() == 3 ? shape[0] : 1);
  return operand.pack;
}

std::optional<WgmmaProduct> fxgraph::gpu::describeWgmma(MatrixProductOp op) {
  Type element = getMemoryElement(op.getResult());
  if (!element.isF16() && !element.isBF16())
    return std::nullopt;
  WgmmaProduct product(op->getLoc());
  WgmmaSpec &spec = product.spec;
  product.a.value = op.getLhs();
  product.b.value = op.getRhs();
  ArrayRef<int64_t> left = getMemoryShape(product.a.value), right = getMemoryShape(product.b.value);
  spec.element = element;
  spec.m = left[left.size() - 2];
  spec.k = left.back();
  spec.n = right.back();
  spec.batch = left.size() == 3 ? left[0] : 1;
  // Rows and columns of the result are 32-bit numbers, as is the number of a tile.
  constexpr int64_t limit = int64_t(1) << 30;
  if (spec.m >= limit || spec.n >= limit || spec.k >= limit || spec.m * spec.batch >= limit)
    return std::nullopt;
  describeOperand(product.a, spec.a, spec.batch);
  describeOperand(product.b, spec.b, spec.batch);
  product.alpha = op.getAlpha().convertToDouble();
  product.addend = op.getAddend();
  if (!product.addend)
    return product;
  product.beta = op.getBeta().convertToDouble();
  // The planner gave dense memory to the addend: a row or a column, or as much as the product has.
  ArrayRef<int64_t> shape = getMemoryShape(product.addend);
  int64_t rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
  bool isBatched = shape.size() == 3 && shape[0] != 1;
  if (shape.empty() || (shape.back() != spec.n && shape.back() != 1) || (rows != 1 && rows != spec.m) ||
      (isBatched && shape[0] != spec.batch))
    return std::nullopt;
  product.addendLayout.element = getMemoryElement(product.addend);
  product.addendLayout.isColumn = shape.back() != spec.n;
  product.addendLayout.ld = rows == 1 ? 0 : shape.back();
  product.addendLayout.stride = isBatched ? rows * shape.back() : 0;
  return product;
}

/// Measured (docs/Performance.md): where leading dimensions are no multiples of 16 bytes, the
/// libraries are several times slower; and a further operand or a function that the library
/// does not have costs it one more kernel. Products of few tiles are the library's, which
/// splits them along K.
static bool isWorthwhile(const WgmmaProduct &described, MatrixProductOp product, bool hasEpilogue) {
  const WgmmaSpec &spec = described.spec;
  SmallVector<int64_t> strides = getMemoryStrides(product.getResult());
  bool isRagged = described.a.pack || described.b.pack || getMemoryOffset(product.getResult()) % 8 != 0 ||
                  strides[strides.size() - 2] % 8 != 0;
  int64_t columns = isRagged ? WgmmaConfig::narrowestTileN : WgmmaConfig().tileN;
  int64_t tiles = llvm::divideCeil(spec.m, WgmmaConfig::tileM) * llvm::divideCeil(spec.n, columns) * spec.batch;
  int64_t operations = 2 * spec.m * spec.n * spec.k * spec.batch;
  if (!isRagged) {
    // The library's kernels are as good, but for the function that follows, as long as processors have work, or little.
    constexpr int64_t fewestTiles = 66, shortSum = 512;
    bool hasAddend = described.addend && described.addendLayout.ld != 0;
    return tiles >= fewestTiles ? hasEpilogue || hasAddend : hasEpilogue && spec.k <= shortSum;
  }
  // The library reads and writes element by element; ours copies operands first, which takes a launch (151 and 199 products
  // drawn at random, docs/Performance.md).
  constexpr int64_t launch = 128, fairSum = 512, shortSum = 768, someSum = 1024, longSum = 2048;
  if (!described.a.pack && !described.b.pack && spec.k <= someSum)
    return true;
  if (!described.a.pack && spec.k <= fairSum && operations < int64_t(1) << 27)
    return hasEpilogue; // It reads rows of the right operand well, and takes another launch for what follows.
  if (spec.k <= launch)
    return hasEpilogue || operations >= int64_t(1) << 26;
  if (spec.k <= shortSum || chooseWgmmaConfig(spec, hasEpilogue).split > 1)
    return true;
  if (spec.k <= longSum)
    return hasEpilogue || operations >= int64_t(1) << 27;
  // Few rows or columns: copying the other operand is most of it.
  constexpr int64_t fewestTiles = 20, fewestRows = 64;
  return operations >= int64_t(1) << 28 && tiles >= fewestTiles && std::min(spec.m, spec.n) >= fewestRows;
}

bool fxgraph::gpu::isOurs(const WgmmaProduct &described, MatrixProductOp product, bool hasEpilogue,
                          const GPUOptions &options) {
  if (options.libraries == Libraries::None || options.products == OwnProducts::All)
    return true;
  return options.libraries != Libraries::Always && isWorthwhile(described, product, hasEpilogue);
}

std::optional<MatmulSpec> fxgraph::gpu::describeMatmul(MatrixProductOp product) {
  Value lhs = product.getLhs(), rhs = product.getRhs(), addend = product.getAddend();
  if (getMemoryShape(lhs).size() != 2 || product.getActivationOp() || product.getAlpha().convertToDouble() != 1 ||
      product.getBeta().convertToDouble() != 1)
    return std::nullopt;
  MatmulSpec spec(product.getLoc());
  spec.element = getMemoryElement(product.getResult());
  spec.m = getMemoryShape(lhs)[0];
  spec.k = getMemoryShape(lhs)[1];
  spec.n = getMemoryShape(rhs)[1];
  SmallVector<int64_t> left = getMemoryStrides(lhs), right = getMemoryStrides(rhs),
                       result = getMemoryStrides(product.getResult());
  if (left[1] != 1 || result[1] != 1 || (right[0] != 1 && right[1] != 1))
    return std::nullopt;
  spec.lda = left[0];
  spec.transposedB = right[0] == 1;
  spec.ldb = spec.transposedB ? right[1] : right[0];
  spec.ldd = result[0];
  spec.hasBias = addend != nullptr;
  if (addend && getMemoryShape(addend) != ArrayRef<int64_t>{spec.n} &&
      getMemoryShape(addend) != ArrayRef<int64_t>{1, spec.n})
    return std::nullopt;
  // 16-byte copies.
  for (Value value : {lhs, rhs, Value(product.getResult())})
    if (getMemoryOffset(value) % 8 != 0)
      return std::nullopt;
  if (addend && getMemoryOffset(addend) % 2 != 0)
    return std::nullopt;
  if (!supportsMatmul(spec))
    return std::nullopt;
  return spec;
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

AttentionSpec fxgraph::gpu::describeAttention(AttentionOp op, StringRef chip, int64_t processors) {
  AttentionSpec spec(op.getLoc());
  ArrayRef<int64_t> query = getMemoryShape(op.getQuery()), value = getMemoryShape(op.getValue()),
                    result = getMemoryShape(op.getResult());
  spec.element = getMemoryElement(op.getResult());
  spec.leading.assign(result.begin(), result.end() - 2);
  spec.queries = query[query.size() - 2];
  spec.keys = value[value.size() - 2];
  spec.width = query.back();
  spec.valueWidth = value.back();
  spec.causal = op.getCausal();
  if (spec.causal) // Nobody sees the others.
    spec.keys = std::min(spec.keys, spec.queries);
  spec.processors = processors;
  spec.hasWarpgroups = chip == "sm_90a";
  spec.tiling = op.getLoweringConfigAttr();
  spec.scale = op.getScale().convertToDouble();
  auto open = [&](Value memory, AttentionSpec::Operand &operand) {
    // A dimension that broadcasts, or is not there, has a stride of 0.
    SmallVector<int64_t> strides = getMemoryStrides(memory);
    ArrayRef<int64_t> shape = getMemoryShape(memory);
    auto stride = [&](size_t fromEnd) {
      size_t rank = shape.size();
      return fromEnd >= rank || shape[rank - 1 - fromEnd] == 1 ? 0 : strides[rank - 1 - fromEnd];
    };
    operand.column = stride(0);
    operand.row = stride(1);
    for (size_t i = spec.leading.size(); i-- > 0;)
      operand.leading.push_back(stride(i + 2));
  };
  open(op.getQuery(), spec.q);
  open(op.getKey(), spec.k);
  open(op.getValue(), spec.v);
  if (Value mask = op.getMask()) {
    spec.maskElement = getMemoryElement(mask);
    open(mask, spec.mask);
    spec.maskOffset = getMemoryOffset(mask);
  }
  open(op.getResult(), spec.out);
  foldProblems(spec);
  return spec;
}

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

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

std::optional<SmallVector<int64_t>> fxgraph::gpu::getSteps(const IndexSpace &space, const IndexExpr &address) {
  auto strides = space.getStrides(address);
  if (!strides)
    return std::nullopt;
  SmallVector<int64_t> steps(space.getNumDims(), 0);
  for (auto [dim, stride] : *strides)
    steps[dim] = stride;
  return steps;
}

SmallVector<unsigned, 1> fxgraph::gpu::findLoads(const KernelIR &kernel, Value memory) {
  SmallVector<unsigned, 1> loads;
  for (auto [i, prim] : llvm::enumerate(kernel.prims))
    if (prim.kind == Prim::Kind::Load && kernel.arrays[prim.array].value == memory)
      loads.push_back(i);
  return loads;
}

/// Whether the dimensions go over `elements` dense elements, each once.
static bool isDense(const IndexSpace &space, ArrayRef<int64_t> steps, int64_t elements) {
  SmallVector<std::pair<int64_t, int64_t>> dims;
  for (auto [size, step] : llvm::zip_equal(space.getSizes(), steps))
    if (size != 1)
      dims.push_back({step, size});
  llvm::sort(dims);
  int64_t covered = 1;
  for (auto [step, size] : dims) {
    if (step != covered)
      return false;
    covered *= size;
  }
  return covered == elements;
}

/// The steps of an address along `extent` indices that are `stride` elements of the product apart, as the dimensions
/// of the nest, of which one may go over several of the product's or they over one, say together; nullopt: there is
/// no such step.
static std::optional<int64_t> project(const IndexSpace &space, ArrayRef<int64_t> product, ArrayRef<int64_t> address,
                                      int64_t stride, int64_t extent) {
  std::optional<int64_t> result;
  for (auto [size, from, step] : llvm::zip_equal(space.getSizes(), product, address)) {
    if (size == 1 || extent == 1 || from * size <= stride || from >= stride * extent)
      continue;
    int64_t up = std::max<int64_t>(stride / from, 1), down = std::max<int64_t>(from / stride, 1);
    if (stride * down != from * up || step % down != 0 || (result && *result != step / down * up))
      return std::nullopt;
    result = step / down * up;
  }
  return result.value_or(0);
}

std::optional<Epilogue> fxgraph::gpu::matchEpilogue(const KernelIR &kernel, Value product) {
  if (kernel.stores.size() != 1 || kernel.phases != 0 || !kernel.symbols.empty())
    return std::nullopt;
  const IndexSpace &space = kernel.space;
  ArrayRef<int64_t> shape = getMemoryShape(product);
  int64_t n = shape.back(), m = shape[shape.size() - 2], batch = shape.size() == 3 ? shape[0] : 1;
  // The product is read once, all of it.
  SmallVector<unsigned, 1> own = findLoads(kernel, product);
  if (own.size() != 1)
    return std::nullopt;
  const Prim &load = kernel.prims[own.front()];
  std::optional<SmallVector<int64_t>> steps = getSteps(space, load.address);
  if (!steps || kernel.arrays[load.array].offset != 0 || load.address.constant != 0 ||
      !isDense(space, *steps, batch * m * n))
    return std::nullopt;
  auto getLayout = [&](const IndexExpr &address) -> std::optional<EpilogueLayout> {
    std::optional<SmallVector<int64_t>> other = getSteps(space, address);
    if (!other)
      return std::nullopt;
    std::optional<int64_t> stride = project(space, *steps, *other, m * n, batch),
                           ld = project(space, *steps, *other, n, m), column = project(space, *steps, *other, 1, n);
    if (!stride || !ld || !column)
      return std::nullopt;
    return EpilogueLayout{*stride, *ld, n == 1 ? 1 : *column};
  };
  Epilogue result;
  KernelUses uses(kernel); // A number that was converted is left behind.
  for (auto [i, prim] : llvm::enumerate(kernel.prims)) {
    if (!uses.live[i])
      continue;
    if (prim.kind != Prim::Kind::Load) {
      if (!isElementwise(prim))
        return std::nullopt;
      continue;
    }
    if (!prim.type.isF32())
      return std::nullopt;
    if (i == own.front())
      continue;
    Type element = kernel.arrays[prim.array].elementType;
    std::optional<EpilogueLayout> layout = getLayout(prim.address);
    if (!layout || layout->column > 1 || (!element.isF16() && !element.isBF16() && !element.isF32()))
      return std::nullopt;
    result.loads.push_back({static_cast<unsigned>(i), prim.array, prim.address.constant, *layout});
  }
  const KernelStore &store = kernel.stores[0];
  std::optional<EpilogueLayout> layout = getLayout(store.address);
  if (!layout || layout->column != 1 || (layout->ld == 0 && m != 1) || store.address.constant != 0 ||
      kernel.arrays[store.array].elementType != getMemoryElement(product))
    return std::nullopt;
  result.result = *layout;
  if (m == 1)
    result.result.ld = n;
  return result;
}

Value fxgraph::gpu::evaluateEpilogue(ScalarMath &math, const KernelIR &kernel, Value product,
                                     const DenseMap<unsigned, Value> &loads, Operation *&problem) {
  std::vector<Value> values(kernel.prims.size());
  Type like = product.getType();
  KernelUses uses(kernel);
  for (auto [i, prim] : llvm::enumerate(kernel.prims)) {
    if (!uses.live[i])
      continue;
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
      values[i] = math.pointwise(prim.op, operands);
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
      values[i] = math.round(operands[0], prim.rounded);
      break;
    default:
      values[i] = math.select(operands[2], operands[0], operands[1]);
      break;
    }
  }
  return values[kernel.stores[0].prim];
}
