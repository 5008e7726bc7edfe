// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several kernels as one.

#include "Kernel/JoinKernels.h"
#include "Kernel/ChooseBoxes.h"
#include "Kernel/KernelDims.h"
#include <map>

using namespace fxgraph;
using namespace fxgraph::gpu;

//===----------------------------------------------------------------------===//
// Equal operations
//===----------------------------------------------------------------------===//

/// What a prim does to its operands.
static void writeFunction(raw_ostream &os, const IndexSpace &space, const Prim &prim) {
  auto writeExpr = [&](const IndexExpr &expr) { os << '{' << space.str(expr) << '}'; };
  os << ';' << static_cast<int>(prim.kind) << prim.type << prim.isUnsigned << ',' << static_cast<int>(prim.arithmetic)
     << ',' << static_cast<int>(prim.reduce);
  if (prim.kind == Prim::Kind::Load)
    os << '@' << prim.array;
  if (prim.kind == Prim::Kind::Load || prim.kind == Prim::Kind::Coordinate)
    writeExpr(prim.address);
  for (const RangeTest &test : prim.tests) {
    writeExpr(test.expr);
    os << test.lo << ':' << test.hi;
  }
  // Attributes and types are unique in the context.
  os << prim.constant.getAsOpaquePointer() << prim.rounded.getAsOpaquePointer();
  if (prim.op)
    os << prim.op->getName() << prim.op->getAttrDictionary().getAsOpaquePointer()
       << llvm::cast<RankedTensorType>(prim.op->getResult(0).getType()).getElementType();
}

/// What a prim computes: equal text for equal values.
static void writePrim(raw_ostream &os, const IndexSpace &space, const Prim &prim) {
  writeFunction(os, space, prim);
  os << '(';
  for (unsigned operand : prim.operands)
    os << operand << ',';
  os << ')';
}

bool fxgraph::gpu::isSameFunction(const IndexSpace &space, const Prim &lhs, const Prim &rhs) {
  std::string left, right;
  llvm::raw_string_ostream leftText(left), rightText(right);
  writeFunction(leftText, space, lhs);
  writeFunction(rightText, space, rhs);
  return lhs.operands.size() == rhs.operands.size() && left == right;
}

std::string fxgraph::gpu::getSignature(const KernelIR &kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (unsigned i = 0; i < kernel.space.getNumDims(); ++i)
    os << kernel.space.getSize(i) << (kernel.inner[i] ? 'r' : 'p');
  os << (kernel.prefersColumns ? 'c' : 'w') << (kernel.emptyReduction ? 'e' : 'f');
  for (const KernelArray &array : kernel.arrays)
    os << '|' << array.elementType << (array.written ? '+' : '-');
  for (const Prim &prim : kernel.prims)
    writePrim(os, kernel.space, prim);
  for (const KernelStore &store : kernel.stores)
    os << ">" << store.array << '=' << store.prim << '{' << kernel.space.str(store.address) << '}';
  for (unsigned id = 0; id < kernel.space.getNumAtoms(); ++id)
    if (const IndexSpace::Atom &atom = kernel.space.getAtom(id); atom.kind == IndexSpace::AtomKind::Symbol)
      os << '$' << atom.number << '=' << kernel.symbols.lookup(atom.number) << '[' << atom.a << ',' << atom.b << ')';
  return text;
}

//===----------------------------------------------------------------------===//
// Kernels over the same elements
//===----------------------------------------------------------------------===//

/// Each dimension of a nest as a position in some neighbouring ones of another nest, whose dimensions are taken in this order;
/// false if it is none such. Without reductions, loops may run in any order.
static bool splitDims(const KernelIR &coarse, const KernelIR &fine, ArrayRef<unsigned> order, IndexSpace &space,
                      SmallVectorImpl<IndexExpr> &positions) {
  unsigned next = 0, numDims = order.size();
  for (unsigned dim = 0; dim < coarse.space.getNumDims(); ++dim) {
    Index index;
    SmallVector<int64_t> sizes;
    int64_t size = 1;
    while (size < coarse.space.getSize(dim) && next < numDims &&
           (coarse.phases == 0 || fine.inner[order[next]] == coarse.inner[dim])) {
      size *= fine.space.getSize(order[next]);
      sizes.push_back(fine.space.getSize(order[next]));
      index.push_back(space.getDim(order[next++]));
    }
    if (size != coarse.space.getSize(dim))
      return false;
    positions.push_back(space.linearize(index, sizes));
  }
  return next == numDims;
}

MemoryRegion fxgraph::gpu::getRegion(const KernelIR &ir, const KernelArray &array, const IndexExpr &address) {
  int64_t bytes = getMemoryBytes(array.elementType);
  auto strides = ir.space.getStrides(address);
  if (!strides) // Any element.
    return {{array.value, array.offset * bytes}, bytes, {{bytes, array.extent}}};
  SmallVector<std::pair<int64_t, int64_t>> dims;
  for (auto [dim, stride] : *strides)
    dims.push_back({stride * bytes, ir.space.getSize(dim)});
  return {{array.value, (array.offset + address.constant) * bytes}, bytes, dims};
}

namespace {
/// Kernels over the same elements as one: prims that are equal are one.
class KernelJoiner {
public:
  /// Over the dimensions of `base`.
  KernelJoiner(const KernelIR &base, DeviceShape device) : base(base), device(device), joined(base) {
    joined.arrays.clear();
    joined.prims.clear();
    joined.stores.clear();
  }
  /// False: the kernel does not run over the same elements. `forwards`: what it loads of elements that are stored already
  /// is known. `order`: of the dimensions of `base`, which the kernel's are made of.
  bool add(const KernelIR &kernel, ArrayRef<unsigned> order, bool forwards);
  /// Nullopt: results lie in different orders, or what one kernel writes is read or written by the other elsewhere.
  std::optional<KernelIR> finish();

  unsigned numShared = 0; ///< loads of operands that vary along all dimensions, which several kernels have
  unsigned numForwarded = 0;

private:
  bool isFull(const IndexExpr &address) const {
    return joined.space.getDims(address).count() == joined.space.getNumDims();
  }
  unsigned addArray(const KernelArray &array);
  unsigned addPrim(Prim prim);
  std::optional<unsigned> findStored(const Prim &load);
  bool haveOneOrder() const;
  bool haveOwnMemory() const;

  const KernelIR &base;
  DeviceShape device;
  KernelIR joined;
  std::map<std::string, unsigned> known;
};
} // namespace

unsigned KernelJoiner::addArray(const KernelArray &array) {
  auto same = llvm::find_if(joined.arrays, [&](const KernelArray &other) {
    return other.value == array.value && other.offset == array.offset && other.elementType == array.elementType;
  });
  if (same == joined.arrays.end()) {
    joined.arrays.push_back(array);
    return joined.arrays.size() - 1;
  }
  same->written |= array.written;
  same->extent = std::max(same->extent, array.extent);
  return same - joined.arrays.begin();
}

unsigned KernelJoiner::addPrim(Prim prim) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writePrim(os, joined.space, prim);
  auto [it, isNew] = known.try_emplace(std::move(text), joined.prims.size());
  if (isNew)
    joined.prims.push_back(std::move(prim));
  else
    numShared += prim.kind == Prim::Kind::Load && isFull(prim.address);
  return it->second;
}

/// The value of the element that is loaded, as memory would have it.
std::optional<unsigned> KernelJoiner::findStored(const Prim &load) {
  for (const KernelStore &store : llvm::reverse(joined.stores)) {
    const Prim &value = joined.prims[store.prim];
    if (store.array != load.array || store.address != load.address || !isFull(store.address) ||
        value.type != load.type || value.isUnsigned != load.isUnsigned)
      continue;
    ++numForwarded;
    Type element = joined.arrays[store.array].elementType;
    bool isAsStored = value.kind == Prim::Kind::Round && value.rounded == element;
    if (!isa<FloatType>(element) || element == value.type || isAsStored)
      return store.prim;
    Prim round{Prim::Kind::Round};
    round.type = value.type;
    round.rounded = element;
    round.operands = {store.prim};
    return addPrim(std::move(round));
  }
  return std::nullopt;
}

bool KernelJoiner::add(const KernelIR &kernel, ArrayRef<unsigned> order, bool forwards) {
  SmallVector<IndexExpr> replacements;
  if (!splitDims(kernel, base, order, joined.space, replacements))
    return false;
  IndexSpace::Rewriter rewriter(kernel.space, joined.space, replacements);
  SmallVector<unsigned> arrayOf, primOf;
  for (const KernelArray &array : kernel.arrays)
    arrayOf.push_back(addArray(array));
  for (Prim prim : kernel.prims) {
    for (unsigned &operand : prim.operands)
      operand = primOf[operand];
    if (prim.kind == Prim::Kind::Load || prim.kind == Prim::Kind::Coordinate)
      prim.address = rewriter.rewrite(prim.address);
    if (prim.kind == Prim::Kind::Load)
      prim.array = arrayOf[prim.array];
    for (RangeTest &test : prim.tests)
      test.expr = rewriter.rewrite(test.expr);
    std::optional<unsigned> stored =
        forwards && prim.kind == Prim::Kind::Load ? findStored(prim) : std::optional<unsigned>();
    primOf.push_back(stored ? *stored : addPrim(std::move(prim)));
  }
  for (KernelStore store : kernel.stores) {
    store.array = arrayOf[store.array];
    store.address = rewriter.rewrite(store.address);
    store.prim = primOf[store.prim];
    joined.stores.push_back(std::move(store));
  }
  return true;
}

/// Results of all elements are dense along one dimension: threads that write neighbours of one write neighbours of all. Or
/// those that lie along rows go through shared memory, while others lie as the rows are read.
bool KernelJoiner::haveOneOrder() const {
  int fastest = -1;
  bool isOne = true;
  for (const KernelStore &store : joined.stores) {
    auto strides = joined.space.getStrides(store.address);
    if (!strides || strides->empty() || !isFull(store.address))
      continue;
    unsigned dim =
        llvm::min_element(*strides, [](const auto &lhs, const auto &rhs) { return lhs.stride < rhs.stride; })->dim;
    isOne &= fastest < 0 || fastest == static_cast<int>(dim);
    fastest = dim;
  }
  if (isOne || joined.phases == 0 || joined.getOuterDims().empty())
    return isOne;
  unsigned across = joined.getOuterDims().back();
  return llvm::all_of(joined.stores,
                      [&](const KernelStore &store) {
                        return isRowStore(joined, store) || isStoredAlongRows(joined, store) ||
                               isContiguous(joined, store.address, across);
                      }) &&
         chooseSchedule(joined, KernelUses(joined), device).exchanges > 0;
}

/// What is written is read or written nowhere else, other than by the thread that computes it.
bool KernelJoiner::haveOwnMemory() const {
  auto mayMeet = [&](const KernelStore &store, unsigned array, const IndexExpr &address) {
    const KernelArray &written = joined.arrays[store.array], &other = joined.arrays[array];
    if (written.value != other.value)
      return false;
    if (joined.phases == 0 && store.array == array && store.address == address && isFull(address))
      return false;
    return mayOverlap(getRegion(joined, written, store.address), getRegion(joined, other, address));
  };
  for (const auto &[i, store] : llvm::enumerate(joined.stores)) {
    for (const Prim &prim : joined.prims)
      if (prim.kind == Prim::Kind::Load && mayMeet(store, prim.array, prim.address))
        return false;
    for (const KernelStore &other : ArrayRef(joined.stores).drop_front(i + 1))
      if (mayMeet(store, other.array, other.address))
        return false;
  }
  return true;
}

std::optional<KernelIR> KernelJoiner::finish() {
  deriveFacts(joined);
  if (!haveOneOrder() || !haveOwnMemory())
    return std::nullopt;
  return std::move(joined);
}

/// Elements of tables, and loops whose order is fixed, stay alone.
static bool mayJoin(const KernelIR &kernel) {
  return kernel.symbols.empty() && kernel.tableDim < 0 && !kernel.prefersColumns && !kernel.emptyReduction &&
         !kernel.hasScans();
}

static SmallVector<unsigned> getAllDims(const KernelIR &ir) {
  return llvm::to_vector(llvm::seq<unsigned>(0, ir.space.getNumDims()));
}

/// The dimensions as they are, and as the memory lies that loads of all elements read and the other kernel reads, too: what
/// is computed of such memory alone may run along it.
static SmallVector<SmallVector<unsigned>> getOrders(const KernelIR &base, const KernelIR &other) {
  SmallVector<SmallVector<unsigned>> orders = {getAllDims(base)};
  if (other.phases != 0)
    return orders;
  for (const Prim &prim : base.prims) {
    if (prim.kind != Prim::Kind::Load || prim.dims.count() != base.space.getNumDims())
      continue;
    const KernelArray &array = base.arrays[prim.array];
    bool isShared = llvm::any_of(other.prims, [&](const Prim &load) {
      return load.kind == Prim::Kind::Load && other.arrays[load.array].value == array.value &&
             other.arrays[load.array].offset == array.offset;
    });
    auto strides = base.space.getStrides(prim.address);
    if (!isShared || !strides || strides->size() != base.space.getNumDims())
      continue;
    llvm::stable_sort(*strides, [](const auto &lhs, const auto &rhs) { return lhs.stride > rhs.stride; });
    SmallVector<unsigned> order = llvm::map_to_vector(*strides, [](const auto &stride) { return stride.dim; });
    if (!llvm::is_contained(orders, order))
      orders.push_back(std::move(order));
  }
  return orders;
}

std::optional<KernelIR> fxgraph::gpu::joinKernels(const KernelIR &first, const KernelIR &second, DeviceShape device) {
  if (!mayJoin(first) || !mayJoin(second))
    return std::nullopt;
  for (ArrayRef<unsigned> order : getOrders(first, second)) {
    KernelJoiner joiner(first, device);
    // What all elements read: that is why one kernel is better than two.
    if (joiner.add(first, getAllDims(first), /*forwards=*/false) && joiner.add(second, order, /*forwards=*/false) &&
        joiner.numShared > 0)
      return joiner.finish();
  }
  return std::nullopt;
}

/// Reads memory in another order than it writes it, through boxes: a reader that writes it in no such order would take those
/// from it.
static bool hasBoxes(const KernelIR &ir, DeviceShape device) {
  return ir.phases == 0 && chooseBoxes(ir, KernelUses(ir), device.processors);
}

std::optional<KernelIR> fxgraph::gpu::joinReader(const KernelIR &writer, const KernelIR &reader, DeviceShape device) {
  if (!mayJoin(writer) || !mayJoin(reader) || reader.phases != 0)
    return std::nullopt;
  for (const KernelIR *base : {&writer, &reader}) {
    if (base->phases < writer.phases)
      continue;
    KernelJoiner joiner(*base, device);
    SmallVector<unsigned> order = getAllDims(*base);
    if (!joiner.add(writer, order, /*forwards=*/false) || !joiner.add(reader, order, /*forwards=*/true))
      continue;
    std::optional<KernelIR> joined = joiner.numForwarded > 0 ? joiner.finish() : std::nullopt;
    return joined && (hasBoxes(*joined, device) || !hasBoxes(writer, device)) ? joined : std::nullopt;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

KernelIR fxgraph::gpu::batchKernels(ArrayRef<const KernelIR *> kernels) {
  KernelIR ir = *kernels.front();
  int64_t count = kernels.size();
  SmallVector<int64_t> strides(ir.arrays.size(), 0); // elements per instance
  bool tables = false;
  for (auto [i, array] : llvm::enumerate(ir.arrays)) {
    int64_t bytes = getMemoryBytes(array.elementType);
    SmallVector<int64_t> offsets;
    uint64_t space = 0;
    bool regular = true;
    for (const KernelIR *kernel : kernels) {
      const KernelArray &other = kernel->arrays[i];
      array.instances.push_back({other.value, other.offset});
      array.align = std::min(array.align, other.align);
      array.extent = std::max(array.extent, other.extent);
      auto [where, offset] = getMemoryAddress(other.value);
      regular &= offsets.empty() || where == space;
      space = where;
      offsets.push_back(offset + other.offset * bytes);
    }
    int64_t step = offsets.size() > 1 ? offsets[1] - offsets[0] : 0;
    regular &= step % bytes == 0;
    for (size_t k = 1; k < offsets.size(); ++k)
      regular &= offsets[k] - offsets[k - 1] == step;
    if (regular) {
      strides[i] = step / bytes;
      array.extent += std::abs(strides[i]) * (count - 1);
      // The pointer is the one to the lowest memory.
      if (step < 0) {
        const KernelArray &lowest = kernels.back()->arrays[i];
        array.value = lowest.value;
        array.offset = lowest.offset;
      }
    } else {
      array.table = tables = true;
    }
  }
  // Where the first result's memory has it, so that neighbouring threads write neighbouring memory; outermost where a
  // table is read by it, unless results that are less than a line apart would be written far apart in time.
  unsigned position = 0;
  const KernelStore &store = ir.stores.front();
  const KernelArray &result = ir.arrays[store.array];
  constexpr int64_t line = 128;
  if (!tables || (!result.table && strides[store.array] * getMemoryBytes(result.elementType) < line)) {
    while (position < ir.space.getNumDims() && !ir.inner[position] &&
           ir.space.getStride(store.address, position) > strides[store.array])
      ++position;
  }
  IndexSpace target;
  SmallVector<IndexExpr> replacements;
  SmallVector<bool> inner;
  unsigned batchDim = 0;
  for (unsigned dim = 0; dim <= ir.space.getNumDims(); ++dim) {
    if (dim == position) {
      batchDim = target.getNumDims();
      target.addDim(count);
      inner.push_back(false);
    }
    if (dim == ir.space.getNumDims())
      break;
    replacements.push_back(target.addDim(ir.space.getSize(dim)));
    inner.push_back(ir.inner[dim]);
  }
  rewriteDims(ir, std::move(target), replacements, std::move(inner));
  IndexExpr instance = ir.space.getDim(batchDim);
  auto move = [&](IndexExpr &address, unsigned array) {
    address = ir.space.addScaled(address, instance, strides[array]);
    address.constant += std::max<int64_t>(-strides[array], 0) * (count - 1);
  };
  for (Prim &prim : ir.prims)
    if (prim.kind == Prim::Kind::Load)
      move(prim.address, prim.array);
  for (KernelStore &store : ir.stores)
    move(store.address, store.array);
  if (tables)
    ir.tableDim = batchDim;
  mergeDims(ir);
  deriveFacts(ir);
  // What comes from a table varies with the instance, whatever its address.
  if (tables)
    for (Prim &prim : ir.prims) {
      if (prim.kind == Prim::Kind::Load && ir.arrays[prim.array].table)
        prim.dims.set(ir.tableDim);
      for (unsigned operand : prim.operands)
        if (ir.prims[operand].dims.test(ir.tableDim))
          prim.dims.set(ir.tableDim);
    }
  return ir;
}
