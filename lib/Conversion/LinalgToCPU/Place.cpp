// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fxgraph-cpu-place: decides for every tensor of an entry whether it is
// computed where it ends, in a piece of a concat or in a result of the graph.
//
// From the last op to the first, each tensor that ends somewhere hands its place down
// to what makes it: a concat to its operands, a view to its source (with the view
// undone), an op that writes into an initial tensor to that tensor. A place is a
// buffer with an offset and steps, all static numbers, so that a place in a place
// in a place is found by addition and not by a chain of views. From the first op to
// the last, the initial tensors that got a place are then replaced by it, and a
// concat by copies of its operands to their places; where an operand was computed in
// its place, source and target of the copy are the same memory, and bufferization
// drops it. Each op and each operand is looked at a constant number of times.
//
// Extents that vary are known only where the op is: those concats copy all operands.

#include "CPULowering.h"
#include "fxgraph/Conversion/Passes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

namespace fxgraph {
#define GEN_PASS_DEF_FXGRAPHCPUPLACEPASS
#include "fxgraph/Conversion/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;
using namespace mlir;

namespace {

/// Memory that places are parts of: a result of the graph, which is there from the
/// start, or that of a concat, which is allocated in front of its first use.
struct Buffer {
  MemRefType type;
  Value memref;
};

/// A row-major tensor's worth of elements in a buffer.
struct Place {
  int64_t buffer = -1;
  int64_t offset = 0;
  SmallVector<int64_t, 4> shape, steps;

  /// The part of these extents at `start` along `dim`.
  Place piece(int64_t dim, int64_t start, ArrayRef<int64_t> extents) const {
    Place part = *this;
    part.offset += start * steps[dim];
    part.shape.assign(extents.begin(), extents.end());
    return part;
  }
  /// What a tensor of `from` must be placed at so that its expansion is here: one step
  /// for each group of dims. None if a group's elements are not evenly spaced.
  std::optional<Place> collapsed(ArrayRef<int64_t> from, ArrayRef<ReassociationIndices> groups) const {
    Place result = *this;
    result.shape.assign(from.begin(), from.end());
    result.steps.clear();
    for (const ReassociationIndices &group : groups) {
      int64_t step = 1, span = 0; // span: elements covered by the dims so far, 0 for none
      for (int64_t dim : llvm::reverse(group)) {
        if (shape[dim] == 1)
          continue;
        if (span == 0) {
          step = steps[dim];
          span = step * shape[dim];
        } else if (steps[dim] != span) {
          return std::nullopt;
        } else {
          span *= shape[dim];
        }
      }
      result.steps.push_back(step);
    }
    return result;
  }
  /// What a tensor of `from` must be placed at so that its collapse is here.
  Place expanded(ArrayRef<int64_t> from, ArrayRef<ReassociationIndices> groups) const {
    Place result = *this;
    result.shape.assign(from.begin(), from.end());
    result.steps.assign(from.size(), 1);
    for (auto [i, group] : llvm::enumerate(groups)) {
      int64_t step = steps[i];
      for (int64_t dim : llvm::reverse(group)) {
        result.steps[dim] = step;
        step *= from[dim];
      }
    }
    return result;
  }
};

/// The tensor whose memory an op's result is written into; null if there is none.
static OpOperand *getInitial(OpResult result) {
  if (auto op = dyn_cast<DestinationStyleOpInterface>(result.getOwner()))
    return op.getTiedOpOperand(result);
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    return &loop.getInitsMutable()[result.getResultNumber()];
  return nullptr;
}

class Placement {
public:
  explicit Placement(Block &block) : block(block), b(block.getParentOp()->getContext()) {}

  void run() {
    int64_t position = 0;
    for (Operation &op : block)
      order[&op] = position++;
    for (Operation &op : llvm::reverse(block)) {
      if (auto end = dyn_cast<bufferization::MaterializeInDestinationOp>(op))
        placeResult(end);
      else if (auto concat = dyn_cast<tensor::ConcatOp>(op))
        placeOperands(concat);
    }
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto empty = dyn_cast<tensor::EmptyOp>(op))
        replace(empty);
      else if (auto concat = dyn_cast<tensor::ConcatOp>(op))
        replace(concat);
      else if (auto end = dyn_cast<bufferization::MaterializeInDestinationOp>(op))
        replace(end);
    }
    // Not before: places and pieces speak of these ops.
    for (Operation *op : replaced)
      op->erase();
  }

private:
  //===--------------------------------------------------------------------===//
  // Last to first: who is placed where
  //===--------------------------------------------------------------------===//

  void placeResult(bufferization::MaterializeInDestinationOp op) {
    auto type = dyn_cast<MemRefType>(op.getDest().getType());
    // A tensor without elements has no steps, and nothing to compute.
    if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity() || type.getNumElements() == 0)
      return;
    Place place{addBuffer(type, op.getDest()), 0, {}, {}};
    llvm::append_range(place.shape, type.getShape());
    llvm::append_range(place.steps, type.getStridesAndOffset().first);
    auto [value, at] = handDown(op.getSource(), place);
    if (value == op.getSource())
      return;
    // What is behind the views ends here: then the copy is one of a tensor to itself.
    results.try_emplace(op, value, at);
  }

  void placeOperands(tensor::ConcatOp op) {
    RankedTensorType type = op.getResultType();
    auto isStatic = [](Type tensor) { return cast<RankedTensorType>(tensor).hasStaticShape(); };
    if (!llvm::all_of(op->getOperandTypes(), isStatic))
      return;
    auto it = places.find(op.getResult());
    Place place;
    if (it != places.end()) {
      place = it->second;
    } else {
      auto memory = MemRefType::get(type.getShape(), type.getElementType());
      place.buffer = addBuffer(memory, Value());
      llvm::append_range(place.shape, type.getShape());
      llvm::append_range(place.steps, memory.getStridesAndOffset().first);
      places[op.getResult()] = place;
    }
    int64_t dim = op.getDim(), start = 0;
    SmallVector<std::pair<Value, Place>> &list = pieces[op];
    for (Value operand : op.getInputs()) {
      auto extents = cast<RankedTensorType>(operand.getType()).getShape();
      list.push_back(handDown(operand, place.piece(dim, start, extents)));
      start += extents[dim];
    }
  }

  int64_t addBuffer(MemRefType type, Value memref) {
    buffers.push_back({type, memref});
    return static_cast<int64_t>(buffers.size()) - 1;
  }

  /// Gives a place to what makes the value. Returns what is to be copied where: the
  /// tensor behind the views that were undone, and its place.
  std::pair<Value, Place> handDown(Value value, Place place) {
    while (Operation *op = value.getDefiningOp()) {
      if (places.contains(value) || op->getBlock() != &block)
        break;
      if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
        RankedTensorType from = expand.getSrcType();
        if (!from.hasStaticShape())
          break;
        std::optional<Place> inner = place.collapsed(from.getShape(), expand.getReassociationIndices());
        if (!inner)
          break;
        value = expand.getSrc();
        place = *inner;
        continue;
      }
      if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
        RankedTensorType from = collapse.getSrcType();
        if (!from.hasStaticShape())
          break;
        value = collapse.getSrc();
        place = place.expanded(from.getShape(), collapse.getReassociationIndices());
        continue;
      }
      if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
        if (isAvailable(place.buffer, op))
          places[value] = place;
        break;
      }
      // Through the initial tensors that nobody else sees, to the empty one.
      Value inner = value;
      while (auto result = dyn_cast<OpResult>(inner)) {
        OpOperand *initial = getInitial(result);
        if (!initial || result.getOwner()->getBlock() != &block || !isOnlyFor(*initial) ||
            initial->get().getType() != value.getType())
          break;
        inner = initial->get();
      }
      auto empty = inner.getDefiningOp<tensor::EmptyOp>();
      if (empty && empty->getBlock() == &block && isAvailable(place.buffer, empty)) {
        places[value] = place;
        places[empty.getResult()] = place;
      }
      break;
    }
    return {value, place};
  }

  /// Nobody else sees the initial tensor, but for what reads a slice of it before another one is inserted.
  bool isOnlyFor(OpOperand &initial) const {
    Operation *op = initial.getOwner();
    return llvm::all_of(initial.get().getUses(), [&](OpOperand &use) {
      return &use == &initial || (isa<tensor::InsertSliceOp>(op) && isa<tensor::ExtractSliceOp>(use.getOwner()) &&
                                  isReadBefore(use.getOwner()->getResult(0), op));
    });
  }

  /// All that reads the tensor, also through views, comes before the op.
  bool isReadBefore(Value tensor, Operation *op) const {
    return llvm::all_of(tensor.getUsers(), [&](Operation *user) {
      if (isa<tensor::ExtractSliceOp, tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
              tensor::ReshapeOp>(user))
        return isReadBefore(user->getResult(0), op);
      Operation *top = block.findAncestorOpInBlock(*user);
      return top && (top == op || order.lookup(top) < order.lookup(op));
    });
  }

  /// The buffer's memory is there, or can be made there, in front of the op.
  bool isAvailable(int64_t buffer, Operation *op) const {
    Value memref = buffers[buffer].memref;
    if (!memref)
      return true;
    Operation *definition = memref.getDefiningOp();
    return !definition || (definition->getBlock() == &block && order.lookup(definition) < order.lookup(op));
  }

  //===--------------------------------------------------------------------===//
  // First to last: the ops
  //===--------------------------------------------------------------------===//

  void replace(tensor::EmptyOp op) {
    auto it = places.find(op.getResult());
    if (it == places.end())
      return;
    b.setInsertionPoint(op);
    Value memref = memrefOf(op.getLoc(), it->second);
    replaceWith(op, bufferization::ToTensorOp::create(b, op.getLoc(), op.getType(), memref, /*restrict=*/true,
                                                      /*writable=*/true));
  }

  void replace(tensor::ConcatOp op) {
    Location loc = op.getLoc();
    b.setInsertionPoint(op);
    auto it = pieces.find(op);
    Value joined = it == pieces.end() ? copyAll(op) : Value();
    if (!joined) {
      for (auto &[value, place] : it->second)
        copy(loc, value, memrefOf(loc, place));
      joined = memrefOf(loc, places[op.getResult()]);
    }
    replaceWith(op, bufferization::ToTensorOp::create(b, loc, op.getResultType(), joined, /*restrict=*/true,
                                                      /*writable=*/false));
  }

  void replace(bufferization::MaterializeInDestinationOp op) {
    auto it = results.find(op);
    if (it == results.end())
      return;
    auto &[value, place] = it->second;
    b.setInsertionPoint(op);
    copy(op.getLoc(), value, memrefOf(op.getLoc(), place));
    replaced.push_back(op);
  }

  void replaceWith(Operation *op, Value tensor) {
    op->getResult(0).replaceAllUsesWith(tensor);
    newValues[op->getResult(0)] = tensor;
    replaced.push_back(op);
  }

  void copy(Location loc, Value tensor, Value memref) {
    if (Value value = newValues.lookup(tensor))
      tensor = value;
    bufferization::MaterializeInDestinationOp::create(b, loc, TypeRange(), tensor, memref, /*restrict=*/true,
                                                      /*writable=*/true);
  }

  /// A view of the place, the same value for the same elements of a buffer.
  Value memrefOf(Location loc, const Place &place) {
    Buffer &buffer = buffers[place.buffer];
    if (!buffer.memref)
      buffer.memref = memref::AllocOp::create(b, loc, buffer.type, b.getI64IntegerAttr(64));
    if (place.offset == 0 && ArrayRef(place.shape) == buffer.type.getShape())
      return buffer.memref;
    auto type = MemRefType::get(place.shape, buffer.type.getElementType(),
                                StridedLayoutAttr::get(b.getContext(), place.offset, place.steps));
    Value &view = views[{place.buffer, type}];
    if (!view)
      view = memref::ReinterpretCastOp::create(b, loc, type, buffer.memref, place.offset, place.shape, place.steps);
    return view;
  }

  /// A concat of extents that vary.
  Value copyAll(tensor::ConcatOp op) {
    Location loc = op.getLoc();
    RankedTensorType type = op.getResultType();
    int64_t dim = op.getDim();
    OpFoldResult start = b.getIndexAttr(0);
    SmallVector<SmallVector<OpFoldResult>> sizes;
    SmallVector<OpFoldResult> starts;
    for (Value operand : op.getInputs()) {
      sizes.push_back(tensor::getMixedSizes(b, loc, operand));
      starts.push_back(start);
      std::optional<int64_t> low = getConstantIntValue(start), extent = getConstantIntValue(sizes.back()[dim]);
      if (low && extent)
        start = b.getIndexAttr(*low + *extent);
      else
        start = arith::AddIOp::create(b, loc, getValueOrCreateConstantIndexOp(b, loc, start),
                                      getValueOrCreateConstantIndexOp(b, loc, sizes.back()[dim]))
                    .getResult();
    }
    SmallVector<Value> dynamic;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i))
        dynamic.push_back(getValueOrCreateConstantIndexOp(b, loc, i == dim ? start : sizes.front()[i]));
    Value joined = memref::AllocOp::create(b, loc, MemRefType::get(type.getShape(), type.getElementType()), dynamic,
                                           b.getI64IntegerAttr(64));
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), ones(type.getRank(), b.getIndexAttr(1));
    for (auto [operand, extents, low] : llvm::zip_equal(op.getInputs(), sizes, starts)) {
      offsets[dim] = low;
      copy(loc, operand, memref::SubViewOp::create(b, loc, joined, offsets, extents, ones));
    }
    return joined;
  }

  Block &block;
  OpBuilder b;
  SmallVector<Buffer> buffers;
  llvm::DenseMap<Operation *, int64_t> order;
  llvm::DenseMap<Value, Place> places;
  llvm::DenseMap<Operation *, SmallVector<std::pair<Value, Place>>> pieces;
  llvm::DenseMap<Operation *, std::pair<Value, Place>> results;
  llvm::DenseMap<Value, Value> newValues; // of empty tensors and concats
  SmallVector<Operation *> replaced;
  llvm::DenseMap<std::pair<int64_t, Type>, Value> views;
};

/// True if the value is there in front of an op of the block.
bool isDefinedBefore(Value value, Operation *op) {
  Operation *definition = value.getDefiningOp();
  return !definition || definition->getBlock() != op->getBlock() || definition->isBeforeInBlock(op);
}

/// What is computed only to be inserted into a tensor is computed in its slice, where
/// everything that reads the tensor has come before.
void computeInSlice(tensor::InsertSliceOp op) {
  SmallVector<Operation *> writers;
  Value source = op.getSource();
  while (source == op.getSource() || source.hasOneUse()) {
    auto result = dyn_cast<OpResult>(source);
    OpOperand *initial = result ? getInitial(result) : nullptr;
    if (!initial || result.getOwner()->getBlock() != op->getBlock() || initial->get().getType() != op.getSourceType())
      break;
    writers.push_back(result.getOwner());
    source = initial->get();
  }
  auto empty = source.getDefiningOp<tensor::EmptyOp>();
  if (!empty || writers.empty() || !source.hasOneUse() || empty->getBlock() != op->getBlock())
    return;
  Operation *first = writers.back();
  for (Value operand : op->getOperands().drop_front(2))
    if (!isDefinedBefore(operand, empty))
      return;
  // A tensor that is only filled before (padding) can be so earlier.
  SmallVector<Operation *> earlier;
  for (Value tensor = op.getDest(); !isDefinedBefore(tensor, empty);) {
    Operation *definition = tensor.getDefiningOp();
    auto fill = dyn_cast<linalg::FillOp>(definition);
    if (!fill && !isa<tensor::EmptyOp>(definition))
      return;
    earlier.push_back(definition);
    ValueRange operands = definition->getOperands();
    if (!llvm::all_of(fill ? operands.drop_back() : operands,
                      [&](Value operand) { return isDefinedBefore(operand, empty); }))
      return;
    if (!fill)
      break;
    tensor = fill.getOutputs().front();
  }
  for (Operation *user : op.getDest().getUsers()) {
    if (user == op || isa<tensor::DimOp>(user))
      continue;
    Operation *top = op->getBlock()->findAncestorOpInBlock(*user);
    bool reads = isa<linalg::LinalgOp, tensor::ExtractOp>(user) && top && top->isBeforeInBlock(first);
    if (!reads)
      return;
  }
  for (Operation *definition : llvm::reverse(earlier))
    definition->moveBefore(empty);
  OpBuilder b(empty);
  empty.replaceAllUsesWith(
      Value(tensor::ExtractSliceOp::create(b, op.getLoc(), op.getSourceType(), op.getDest(), op.getMixedOffsets(),
                                           op.getMixedSizes(), op.getMixedStrides())));
  empty.erase();
}

struct FxGraphCPUPlacePass : public fxgraph::impl::FxGraphCPUPlacePassBase<FxGraphCPUPlacePass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!cpu::isEntry(function))
        continue;
      function.walk([](tensor::InsertSliceOp op) { computeInSlice(op); });
      // The blocks of the graph's control flow are the graph's, too. What crosses their
      // boundaries is in buffers that keep their place.
      SmallVector<Block *> blocks{&function.getBody().front()};
      function.walk([&](Operation *op) {
        if (cpu::isControlFlow(op))
          for (Region &region : op->getRegions())
            llvm::append_range(blocks, llvm::make_pointer_range(region));
      });
      for (Block *block : blocks)
        Placement(*block).run();
    }
  }
};
} // namespace
