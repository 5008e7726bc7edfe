// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header. Linear in the ops and operands to build; joins move the smaller set of
// uses.

#include "StorageUses.h"
#include "fxgraph/Analysis/Storage.h"
#include "fxgraph/Dialect/IR/Permutation.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"

using namespace fxgraph;

/// Most later uses that one question looks at.
static constexpr unsigned kMaxLaterUses = 256;

static RankedTensorType getTensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// What ops do to memory
//===----------------------------------------------------------------------===//

/// Reads nothing of its operand's elements.
static bool readsOnlyMetadata(OpOperand &use) {
  Operation *op = use.getOwner();
  // A view reads where its result is read.
  if (use.getOperandNumber() == 0 && getViewSource(op, /*mayCopy=*/true))
    return true;
  return isa<SymSizeOp, AssertTensorMetadataOp>(op) || (isa<CopyUnderscoreOp>(op) && use.getOperandNumber() == 0);
}

/// The results that may be an operand, or a view of one, without that the op is a view.
static mlir::ResultRange getResultsThatMayAlias(Operation *op) {
  auto results = op->getResults();
  auto all = [&](bool may) { return results.take_front(may ? results.size() : 0); };
  if (auto scan = dyn_cast<ScanOp>(op))
    return results.take_front(scan.getCarried().size());
  // An op that returns an operand cannot be made functional so (can_auto_functionalize).
  if (isa<MapOp, AutoFunctionalizedOp>(op))
    return all(false);
  // PyTorch returns the operand where there is nothing to convert or to move.
  if (auto convert = dyn_cast<ConvertElementTypeOp>(op))
    return all(getTensorType(convert.getInput()).getElementType() == convert.getType().getElementType());
  if (isa<EinsumOp>(op))
    return all(op->getNumOperands() == 1);
  if (auto opaque = dyn_cast<OpaqueOp>(op))
    return all(opaque.mayReturnOperands());
  return all(op->getNumRegions() != 0 || isa<WaitTensorOp, DevicePutOp, InductorLookupSeedOp>(op) ||
             !isa_and_present<FxGraphDialect>(op->getDialect()));
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

bool StorageUses::Place::isWholeRoot() const {
  return !box && dims && *dims == llvm::to_vector<4>(llvm::seq<int64_t>(0, getTensorType(root).getRank()));
}

/// What `view` leaves of the place of its operand.
void StorageUses::narrow(Place &place, Operation *view, OpResult result) {
  place.overlapsItself |= isa<ExpandOp>(view);
  if (!place.dims)
    return;
  SmallVector<int64_t, 4> &dims = *place.dims;
  RankedTensorType type = getTensorType(view->getOperand(0));
  // Numbers of a slice count from the slice's own start, in its own steps: a dimension is
  // cut once, then nothing more is known of it.
  auto cut = [&](int64_t dim, int64_t low, int64_t high) {
    int64_t rootDim = std::exchange(dims[dim], -1);
    if (rootDim < 0)
      return;
    if (!place.box) {
      place.box.emplace();
      for (int64_t extent : getTensorType(place.root).getShape())
        place.box->emplace_back(0, ShapedType::isDynamic(extent) ? INT64_MAX : extent);
    }
    (*place.box)[rootDim] = {low, high};
  };
  int64_t rank = type.getRank();
  if (auto slice = dyn_cast<SliceOp>(view)) {
    int64_t dim = wrapDim(slice.getDim(), rank), extent = type.getDimSize(dim);
    int64_t low = slice.getStart(), high = slice.getEnd();
    if (!ShapedType::isDynamic(extent)) {
      SliceBounds bounds = clampSlice(extent, low, high, slice.getStep());
      low = bounds.start;
      high = bounds.end;
    } else if (low < 0 || high < 0) {
      low = 0;
      high = INT64_MAX;
    }
    cut(dim, low, high);
  } else if (auto select = dyn_cast<SelectOp>(view)) {
    int64_t dim = wrapDim(select.getDim(), rank), extent = type.getDimSize(dim), at = select.getIndex();
    if (at < 0 && !ShapedType::isDynamic(extent))
      at += extent;
    if (at >= 0)
      cut(dim, at, at + 1);
    dims.erase(dims.begin() + dim);
  } else if (auto split = dyn_cast<SplitLikeOpInterface>(view)) {
    int64_t dim = split.getNormalizedDim();
    if (std::optional<SmallVector<int64_t>> sections = split.getStaticSections()) {
      int64_t low = 0;
      for (int64_t section : ArrayRef<int64_t>(*sections).take_front(result.getResultNumber()))
        low += section;
      cut(dim, low, low + (*sections)[result.getResultNumber()]);
    }
    dims[dim] = -1;
    if (split.dropsDim())
      dims.erase(dims.begin() + dim);
  } else if (std::optional<SmallVector<int64_t>> order = getPermutation(view)) {
    dims = llvm::map_to_vector<4>(*order, [&](int64_t dim) { return dims[dim]; });
  } else if (auto unsqueeze = dyn_cast<UnsqueezeOp>(view)) {
    dims.insert(dims.begin() + wrapDim(unsqueeze.getDim(), rank + 1), -1);
  } else if (auto narrow = dyn_cast<NarrowOp>(view)) {
    dims[wrapDim(narrow.getDim(), rank)] = -1;
  } else if (!isa<DetachOp, ContiguousOp, DropoutOp>(view)) {
    place.dims.reset();
  }
}

StorageUses::StorageUses(Block &block) {
  bool isGraph = isa<mlir::func::FuncOp>(block.getParentOp());
  for (mlir::BlockArgument argument : block.getArguments()) {
    addForeign(argument);
    if (isGraph && isa<RankedTensorType>(argument.getType()))
      versions[argument] = argument;
  }
  int64_t position = 0;
  for (Operation &op : block) {
    positions[&op] = position;
    for (Value operand : op.getOperands())
      if (!places.contains(operand))
        addForeign(operand);
    addPlaces(&op);
    unsigned number = 0;
    auto note = [&](Operation *user) {
      for (OpOperand &use : user->getOpOperands())
        if (auto place = places.find(use.get()); place != places.end() && !readsOnlyMetadata(use))
          storages[place->second.root].uses[{position, number++}] = &use;
    };
    if (op.getNumRegions() == 0 || op.hasTrait<mlir::OpTrait::IsIsolatedFromAbove>())
      note(&op);
    else
      op.walk(note);
    if (auto copy = dyn_cast<CopyUnderscoreOp>(op))
      copies[copy.getDst()] = position;
    ++position;
  }
}

/// An argument, or a value of a block around this one.
void StorageUses::addForeign(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return;
  places[value] = {value, std::nullopt, llvm::to_vector<4>(llvm::seq<int64_t>(0, type.getRank()))};
  storages[value].foreign.push_back(value);
}

void StorageUses::addPlaces(Operation *op) {
  Value source = getViewSource(op, /*mayCopy=*/true);
  auto known = source ? places.find(source) : places.end();
  for (OpResult result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      continue;
    if (known != places.end()) {
      Place place = places.find(source)->second;
      narrow(place, op, result);
      places[result] = std::move(place);
      continue;
    }
    places[result] = {result, std::nullopt, llvm::to_vector<4>(llvm::seq<int64_t>(0, type.getRank()))};
    Storage &storage = storages[result];
    if (op->hasTrait<mlir::OpTrait::ConstantLike>())
      storage.foreign.push_back(result);
  }
}

//===----------------------------------------------------------------------===//
// Joined storages
//===----------------------------------------------------------------------===//

StorageUses::Found StorageUses::find(Value value) const {
  const Place &place = places.find(value)->second;
  Found found{place.root, place.box, place.isWholeRoot()};
  for (const Storage *storage = &storages.find(found.root)->second; storage->parent;
       storage = &storages.find(found.root)->second) {
    if (!storage->same) {
      found.box = storage->box;
      found.isWhole = false;
    }
    found.root = storage->parent;
  }
  return found;
}

void StorageUses::join(Value root, Value into, bool same, Box box) {
  if (root == into)
    return;
  Storage &from = storages[root], &to = storages[into];
  from.parent = into;
  from.same = same;
  from.box = std::move(box);
  llvm::append_range(to.foreign, from.foreign);
  from.foreign.clear();
  if (from.uses.size() > to.uses.size())
    std::swap(from.uses, to.uses);
  to.uses.merge(from.uses);
  from.uses.clear();
}

bool StorageUses::overlap(const Box &a, const Box &b) {
  if (!a || !b)
    return true;
  return llvm::all_of(llvm::zip_equal(*a, *b), [](auto pair) {
    auto &[x, y] = pair;
    return std::max(x.first, y.first) < std::min(x.second, y.second);
  });
}

void StorageUses::enter(Operation *op) {
  mlir::ResultRange results = getResultsThatMayAlias(op);
  Value common;
  auto add = [&](Value value) {
    auto place = places.find(value);
    if (place == places.end())
      return;
    Value root = find(value).root;
    if (!common || common == root) {
      common = root;
      return;
    }
    // Of equal rank: no chain of joins becomes long.
    if (storages[root].uses.size() > storages[common].uses.size())
      std::swap(root, common);
    join(root, common, /*same=*/false, std::nullopt);
  };
  if (results.empty())
    return;
  // The predicate of a branch is not handed to it.
  for (Value operand : op->getOperands().drop_front(isa<CondOp>(op)))
    add(operand);
  // A view is where its source is.
  for (Value result : results)
    if (auto place = places.find(result); place != places.end() && place->second.root == result)
      add(result);
}

void StorageUses::noteOverwritten(OpOperand &operand, Value result) {
  Value value = operand.get();
  Found found = find(value);
  join(result, found.root, found.isWhole, std::move(found.box));
  if (Value argument = versions.lookup(value))
    versions[result] = argument;
  if (Operation *scatter = findEnclosingScatter(value, result))
    inserted.insert(&scatter->getOpOperand(1));
}

//===----------------------------------------------------------------------===//
// The question
//===----------------------------------------------------------------------===//

Operation *StorageUses::findEnclosingScatter(Value value, Value result) {
  Operation *view = value.getDefiningOp();
  if (!view || !isa<SliceOp, SelectOp>(view))
    return nullptr;
  for (Operation *user : result.getUsers()) {
    if (!isa<SliceScatterOp, SelectScatterOp>(user) || user->getOperand(1) != result ||
        user->getOperand(0) != view->getOperand(0))
      continue;
    auto slice = dyn_cast<SliceOp>(view);
    auto sliceScatter = dyn_cast<SliceScatterOp>(user);
    if (slice && sliceScatter && slice.getDim() == sliceScatter.getDim() &&
        slice.getStart() == sliceScatter.getStart() && slice.getEnd() == sliceScatter.getEnd() &&
        slice.getStep() == sliceScatter.getStep())
      return user;
    auto select = dyn_cast<SelectOp>(view);
    auto selectScatter = dyn_cast<SelectScatterOp>(user);
    if (select && selectScatter && select.getDim() == selectScatter.getDim() &&
        select.getIndex() == selectScatter.getIndex())
      return user;
  }
  return nullptr;
}

std::optional<std::string> StorageUses::findObstacle(OpOperand &operand, Value result,
                                                     function_ref<bool(OpOperand &)> matters) const {
  Operation *op = operand.getOwner();
  Value value = operand.get();
  int64_t position = positions.lookup(op);
  if (places.find(value)->second.overlapsItself)
    return "its elements may lie in one place";
  Found found = find(value);
  const Storage &storage = storages.find(found.root)->second;

  Value argument = versions.lookup(value);
  for (Value foreign : storage.foreign)
    if (foreign != argument)
      return isa<mlir::BlockArgument>(foreign)            ? "it may share memory with an argument"
             : foreign.getParentBlock() == op->getBlock() ? "it may share memory with a literal"
                                                          : "it may share memory with a value of another block";
  if (argument) {
    auto copy = copies.find(argument);
    if (copy == copies.end() || copy->second < position)
      return "it is an argument to which no later copy_ writes";
    // A result of the graph is in memory of its own.
    for (auto &[at, use] : storages.find(result)->second.uses)
      if (use->getOwner()->hasTrait<mlir::OpTrait::IsTerminator>() || !getResultsThatMayAlias(use->getOwner()).empty())
        return "it is an argument, and what is computed there may be returned";
  }

  // View-scatters around the op put its result where it lies.
  llvm::SmallPtrSet<OpOperand *, 2> scatters;
  Value inner = value, changed = result;
  while (Operation *scatter = findEnclosingScatter(inner, changed)) {
    scatters.insert(&scatter->getOpOperand(0));
    inner = scatter->getOperand(0);
    changed = scatter->getResult(0);
  }
  unsigned seen = 0;
  for (auto it = storage.uses.rbegin(); it != storage.uses.rend() && it->first.first > position; ++it) {
    OpOperand *use = it->second;
    if (scatters.contains(use))
      continue;
    if (++seen > kMaxLaterUses)
      return "more than " + std::to_string(kMaxLaterUses) + " later uses of the same memory";
    if (overlap(find(use->get()).box, found.box))
      return "'" + use->getOwner()->getName().getStringRef().str() + "' reads its memory later";
  }
  for (OpOperand &other : op->getOpOperands()) {
    if (&other == &operand || inserted.contains(&other) || !places.contains(other.get()) ||
        (matters && !matters(other)))
      continue;
    Found place = find(other.get());
    if (place.root == found.root && overlap(place.box, found.box))
      return "operand " + std::to_string(other.getOperandNumber()) + " shares its memory";
  }
  return std::nullopt;
}
