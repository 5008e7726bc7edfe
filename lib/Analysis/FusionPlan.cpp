// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sweep described in FusionPlan.h, and what depends on what.

#include "fxgraph/Analysis/FusionPlan.h"
#include "fxgraph/Analysis/FusionOps.h"
#include "fxgraph/Dialect/IR/HostOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace fxgraph;

const ValueStorage &FusionPlan::getStorage(Value value) const {
  static const ValueStorage none;
  auto it = storage.find(value);
  return it == storage.end() ? none : it->second;
}

ValueStorage FusionPlan::resolve(Value value) const { return getStorage(value); }

namespace fxgraph {

class FusionPlanner {
public:
  FusionPlanner(mlir::func::FuncOp function, const FusionOptions &options) : function(function), options(options) {}
  FailureOr<FusionPlan> run();

private:
  /// What the consumers of a value, all of them already seen, want of it.
  struct ValueState {
    SmallVector<std::pair<unsigned, unsigned>, 2> demands;       ///< kernel, node
    unsigned level = 0;                                          ///< largest level of a consumer
    unsigned memoryLevel = 0;                                    ///< the same over consumers that are no kernels
    bool materialize = false;                                    ///< memory of its own is wanted
    bool alias = false;                                          ///< a view of memory is enough (and possible)
    bool fixedLayout = false;                                    ///< row-major, read through views or as it is
    int output = -1;                                             ///< index of the function result that it becomes
    SmallVector<std::pair<Operation *, unsigned>, 1> placements; ///< cat, operand
    bool stored = false;
  };

  LogicalResult checkTypes();
  void computeLayouts();
  void findEpilogues();
  LogicalResult sweep(Operation *op);
  void sweepView(mlir::OpResult view);
  void sweepCat(Operation *op);
  void sweepLibrary(Operation *op);
  void sweepRegion(KernelOp op);
  LogicalResult sweepFusable(Operation *op, OpClass opClass);
  void sweepReturn(Operation *op);
  void sweepWrite(CopyUnderscoreOp op);

  /// Demands an element of `value`; returns the node.
  unsigned demand(unsigned kernel, Value value, ArrayRef<IndexExpr> index);
  unsigned addPiece(unsigned kernel, KernelNode node);
  unsigned addConstant(unsigned kernel, Attribute constant, Type type);
  unsigned addSelect(unsigned kernel, ArrayRef<RangeTest> tests, unsigned yes, unsigned no, Type type);
  unsigned addCoordinate(unsigned kernel, const IndexExpr &coordinate, Type type);
  void wantMemory(Value value, unsigned level, function_ref<bool(const StridedLayout &, ArrayRef<int64_t>)> accepts);
  void wantOwnMemory(Value value, unsigned level);

  unsigned createKernel(unsigned level, Operation *op);
  /// A kernel that computes `value` alone; stores at the value's place.
  void createRoot(mlir::OpResult value);
  void addOutput(unsigned kernel, Value value, Value storage, ArrayRef<IndexExpr> index);
  /// Makes `value`, which a kernel or a library step writes, live in memory.
  void assignMemory(Value value);
  void placeOrCopyOperands(mlir::OpResult value, bool mayPlace);
  Index getSlot(Operation *cat, unsigned operand, ArrayRef<IndexExpr> index, IndexSpace &space);
  bool canPlace(Value value);

  /// Inlines `op` in the kernel: expands every node that demands its results.
  bool canInline(Operation *op, OpClass opClass, unsigned kernel);
  void inlineInto(Operation *op, OpClass opClass, unsigned kernel);
  /// Indices of the reduction loop of `op`, whose result is demanded at `index`.
  std::optional<Index> joinLoop(Operation *op, unsigned kernel, ArrayRef<IndexExpr> index, bool commit, bool isRoot);
  bool coversKernelOnce(const FusionKernel &kernel, Value value, ArrayRef<IndexExpr> index);

  void expand(Operation *op, OpClass opClass, unsigned kernel, unsigned node);
  void expandSelect(Operation *op, unsigned kernel, unsigned node);
  void expandGather(Operation *op, unsigned kernel, unsigned node);
  void expandReduction(Operation *op, unsigned kernel, unsigned node);

  void finish();
  void orderSteps();

  ValueState &state(Value value) {
    std::unique_ptr<ValueState> &slot = states[value];
    if (!slot)
      slot = std::make_unique<ValueState>();
    return *slot;
  }

  mlir::func::FuncOp function;
  FusionOptions options;
  FusionPlan plan;
  DenseMap<Operation *, unsigned> position;
  DenseMap<Value, std::unique_ptr<ValueState>> states;
  /// Base of the longest chain of strided views below a value, and its layout there.
  DenseMap<Value, std::pair<Value, StridedLayout>> layouts;
  DenseMap<Operation *, Operation *> epilogueOf;
  llvm::DenseSet<Operation *> absorbed, smallProducts;
  SmallVector<FusionStep> librarySteps, regionSteps, writeSteps;
};

} // namespace fxgraph

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// Why no kernel computes the op.
static std::string describeRefusal(Operation *op) {
  if (!op->isRegistered())
    return "is not a registered op";
  if (isa<OpaqueOp, AutoFunctionalizedOp>(op))
    return ("is the unknown PyTorch op '" + op->getAttrOfType<StringAttr>("target").getValue() + "'").str();
  if (op->getNumRegions() != 0)
    return "has no GPU form: a launch plan has no branches and loops";
  SmallVector<mlir::MemoryEffects::EffectInstance> effects;
  if (auto interface = dyn_cast<mlir::MemoryEffectOpInterface>(op))
    interface.getEffects(effects);
  for (const mlir::MemoryEffects::EffectInstance &effect : effects) {
    if (effect.getResource() == RandomState::get())
      return "has no GPU form: it draws from PyTorch's generator of the CPU, whose numbers depend on all earlier ones";
    if (effect.getResource() == CommunicationState::get())
      return "has no GPU form: it takes a group of processes";
  }
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (std::string problem = describeUnsupportedType(type); !problem.empty())
      return problem;
  return "has no GPU form";
}

LogicalResult FusionPlanner::checkTypes() {
  if (!function.getBody().hasOneBlock())
    return emitError(function.getLoc()) << "expected one block but got " << function.getBody().getBlocks().size();
  std::vector<std::pair<Operation *, std::string>> problems;
  for (Type type : function.getArgumentTypes())
    if (std::string problem = describeUnsupportedType(type); !problem.empty())
      problems.push_back({function, problem});
  unsigned next = 0;
  for (Operation &op : function.getBody().front()) {
    position[&op] = next++;
    if (op.hasTrait<mlir::OpTrait::IsTerminator>())
      continue;
    if (op.getDialect() && op.getDialect()->getNamespace() == "arith" && op.use_empty())
      continue;
    if ((op.getNumRegions() != 0 && !isa<KernelOp>(op)) || !isa_and_present<FxGraphDialect>(op.getDialect()) ||
        classify(&op, options) == OpClass::Unsupported) {
      problems.push_back({&op, ""});
      continue;
    }
    // Every index of it is out of range.
    if (classify(&op, options) == OpClass::Gather && getNumElements(op.getOperand(0)) == 0 &&
        getNumElements(op.getResult(0)) != 0) {
      problems.push_back({&op, "indexes a tensor without elements"});
      continue;
    }
    for (Type type : llvm::concat<const Type>(op.getOperandTypes(), op.getResultTypes()))
      if (std::string problem = describeUnsupportedType(type); !problem.empty()) {
        problems.push_back({&op, problem});
        break;
      }
  }
  if (problems.empty())
    return success();
  constexpr size_t limit = 20;
  InFlightDiagnostic diagnostic = emitError(function.getLoc()) << "not supported on gpu: " << problems.size()
                                                               << (problems.size() == 1 ? " op" : " ops");
  for (size_t i = 0; i < std::min(limit, problems.size()); ++i) {
    auto &[op, problem] = problems[i];
    StringRef name = op == function.getOperation() ? StringRef("argument") : op->getName().getStringRef();
    std::string text = !problem.empty() ? problem : describeRefusal(op);
    diagnostic.attachNote(op->getLoc()) << name << ' ' << text;
  }
  if (problems.size() > limit)
    diagnostic.attachNote(function.getLoc()) << "and " << problems.size() - limit << " more";
  return failure();
}

/// All users exchange dimensions, maybe after a reshape of the leading ones alone (heads
/// of groups that become heads).
static bool isUsedByPermutations(Value value, bool mayReshape = true) {
  ArrayRef<int64_t> shape = getShape(value);
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (isa<TransposeOp, PermuteOp>(user))
      return true;
    if (!mayReshape || !isa<ReshapeOp, ViewOp>(user))
      return false;
    ArrayRef<int64_t> to = getShape(user->getResult(0));
    return to.size() >= 4 && to.take_back(2) == shape.take_back(2) && to.front() == shape.front() &&
           isUsedByPermutations(user->getResult(0), /*mayReshape=*/false);
  });
}

// Forward: for each value the strided view chain that ends in it.
void FusionPlanner::computeLayouts() {
  auto own = [&](Value value) { layouts[value] = {value, StridedLayout::rowMajor(getShape(value))}; };
  for (Value argument : function.getArguments())
    own(argument);
  for (Operation &op : function.getBody().front()) {
    OpClass opClass = op.hasTrait<mlir::OpTrait::IsTerminator>() || !isa_and_present<FxGraphDialect>(op.getDialect())
                          ? OpClass::Ignored
                          : classify(&op, options);
    for (mlir::OpResult result : op.getResults()) {
      if (!isa<RankedTensorType>(result.getType()))
        continue;
      if (opClass == OpClass::View || opClass == OpClass::Identity) {
        const auto &[base, source] = layouts[op.getOperand(0)];
        Value from = base;
        if (std::optional<StridedLayout> layout = getViewLayout(result, source)) {
          layouts[result] = {from, *layout};
          continue;
        }
      }
      own(result);
      // Attention in [batch, row, head …, width] order, where only views of it are
      // used: what follows in models is transpose(1, 2) and a reshape, then free.
      if (isa<ScaledDotProductAttentionOp>(op) && opClass == OpClass::Library && getShape(result).size() >= 4 &&
          isUsedByPermutations(result)) {
        ArrayRef<int64_t> shape = getShape(result);
        SmallVectorImpl<int64_t> &strides = layouts[result].second.strides;
        size_t rank = shape.size();
        int64_t stride = shape[rank - 1];
        for (size_t i = rank - 2; i-- > 1; stride *= shape[i])
          strides[i] = stride;
        strides[rank - 2] = stride;
        strides[0] = stride * shape[rank - 2];
      }
    }
  }
}

/// The activation that the library applies, exactly, to the product before it is
/// rounded. Convolutions have none: the runtime would run it as one more kernel.
void FusionPlanner::findEpilogues() {
  for (Operation &op : function.getBody().front()) {
    if (!isa_and_present<FxGraphDialect>(op.getDialect()) || !isLibraryOp(&op, options) ||
        !op.getResult(0).hasOneUse() || getConvolution(&op) || isa<ScaledDotProductAttentionOp>(op))
      continue;
    Operation *user = *op.getResult(0).user_begin();
    if (user->getNumResults() != 1 || user->getResult(0).getType() != op.getResult(0).getType())
      continue;
    Type type = getElementType(op.getResult(0));
    bool fits = isa<ReluOp>(user) && !type.isF64() && options.reluEpilogue;
    if (auto gelu = dyn_cast<GeluOp>(user)) // In f32 the library's tanh is less precise than PyTorch's.
      fits = gelu.getApproximate() == "tanh" && (type.isF16() || type.isBF16());
    if (!fits)
      continue;
    epilogueOf[&op] = user;
    absorbed.insert(user);
  }
}

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
// Memory
//===----------------------------------------------------------------------===//

void FusionPlanner::wantOwnMemory(Value value, unsigned level) {
  ValueState &wanted = state(value);
  wanted.level = std::max(wanted.level, level);
  wanted.memoryLevel = std::max(wanted.memoryLevel, level);
  wanted.materialize = true;
  wanted.fixedLayout = true;
}

void FusionPlanner::wantMemory(Value value, unsigned level,
                               function_ref<bool(const StridedLayout &, ArrayRef<int64_t>)> accepts) {
  const auto &[base, layout] = layouts[value];
  if (base == value || !accepts(layout, getShape(value)))
    return wantOwnMemory(value, level);
  ValueState &wanted = state(value);
  wanted.level = std::max(wanted.level, level);
  wanted.memoryLevel = std::max(wanted.memoryLevel, level);
  wanted.alias = true;
}

unsigned FusionPlanner::createKernel(unsigned level, Operation *op) {
  plan.kernels.push_back(std::make_unique<FusionKernel>());
  plan.kernels.back()->level = level;
  plan.kernels.back()->position = position[op];
  return plan.kernels.size() - 1;
}

void FusionPlanner::addOutput(unsigned kernel, Value value, Value storage, ArrayRef<IndexExpr> index) {
  // The node exists: the value is demanded at this index.
  FusionKernel &target = *plan.kernels[kernel];
  KernelOutput output;
  output.value = value;
  output.storage = storage;
  output.index.assign(index.begin(), index.end());
  for (const auto &[id, node] : llvm::enumerate(target.nodes))
    if (node.value == value && ArrayRef<IndexExpr>(node.index) == index)
      output.node = id;
  target.outputs.push_back(std::move(output));
}

void FusionPlanner::assignMemory(Value value) {
  ValueState &wanted = state(value);
  wanted.stored = true;
  if (plan.storage.count(value))
    return;
  plan.storage[value].kind = ValueStorage::Kind::Buffer;
  bool own = layouts[value].first == value;
  plan.storage[value].layout = own ? layouts[value].second : StridedLayout::rowMajor(getShape(value));
}

bool FusionPlanner::canPlace(Value value) {
  ValueState &wanted = state(value);
  return !wanted.fixedLayout && !wanted.alias && wanted.output < 0 && !plan.storage.count(value);
}

/// Position in the result of a cat or stack of an operand's element.
Index FusionPlanner::getSlot(Operation *cat, unsigned operand, ArrayRef<IndexExpr> index, IndexSpace &space) {
  auto like = cast<CatLikeOpInterface>(cat);
  int64_t dim = like.getNormalizedDim();
  Index slot(index);
  if (like.addsDim()) {
    slot.insert(slot.begin() + dim, IndexExpr(operand));
    return slot;
  }
  int64_t start = 0;
  for (unsigned i = 0; i < operand; ++i)
    if (getShape(cat->getOperand(i)).size() == getShape(cat->getResult(0)).size())
      start += getShape(cat->getOperand(i))[dim];
  slot[dim] = space.add(slot[dim], IndexExpr(start));
  return slot;
}

/// Decides for each cat that wants `value` whether the value is computed in its
/// slice (one of them, if `mayPlace`) or copied there by a kernel.
void FusionPlanner::placeOrCopyOperands(mlir::OpResult value, bool mayPlace) {
  auto placements = std::move(state(value).placements);
  state(value).placements.clear();
  for (auto [cat, operand] : placements) {
    Value whole = cat->getResult(0);
    if (mayPlace && canPlace(value)) {
      const ValueStorage &parent = plan.storage[whole];
      ValueStorage part;
      part.kind = ValueStorage::Kind::Part;
      part.base = parent.kind == ValueStorage::Kind::Part ? parent.base : whole;
      IndexSpace scratch;
      Index origin(getShape(value).size());
      Index slot = getSlot(cat, operand, origin, scratch);
      part.layout.offset = parent.layout.offset;
      for (auto [expr, stride] : llvm::zip_equal(slot, parent.layout.strides))
        part.layout.offset += expr.constant * stride;
      part.layout.strides = parent.layout.strides;
      auto like = cast<CatLikeOpInterface>(cat);
      if (like.addsDim())
        part.layout.strides.erase(part.layout.strides.begin() + like.getNormalizedDim());
      state(value).materialize = true;
      plan.storage[value] = std::move(part);
      continue;
    }
    unsigned kernel = createKernel(state(whole).level + 1, cat);
    FusionKernel &target = *plan.kernels[kernel];
    Index index;
    for (int64_t size : getShape(value))
      index.push_back(target.space.addDim(size));
    target.inner.assign(target.space.getNumDims(), false);
    demand(kernel, value, index);
    addOutput(kernel, value, whole, index);
    target.outputs.back().index = getSlot(cat, operand, index, target.space);
  }
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
  SmallVector<std::pair<int64_t, unsigned>> strides;
  for (const auto &[id, coefficient] : address.terms) {
    const IndexSpace::Atom &atom = space.getAtom(id);
    if (atom.kind != IndexSpace::AtomKind::Dim || coefficient <= 0)
      return false;
    strides.push_back({coefficient, atom.number});
  }
  llvm::sort(strides);
  int64_t expected = 1;
  llvm::SmallBitVector used(space.getNumDims());
  for (auto [stride, dim] : strides) {
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

std::optional<Index> FusionPlanner::joinLoop(Operation *op, unsigned kernelId, ArrayRef<IndexExpr> index, bool commit,
                                             bool isRoot) {
  FusionKernel &kernel = *plan.kernels[kernelId];
  IndexSpace &space = kernel.space;
  ReductionLoop loop = getReductionLoop(op);
  int64_t count = getNumElements(loop.extents);
  // The row: what the loop's result may depend on.
  llvm::SmallBitVector rowDims(space.getNumDims()), loopDims(space.getNumDims());
  if (auto norm = dyn_cast<GroupNormOp>(op)) {
    rowDims |= space.getDims(index[0]);
    // The group alone is a row; the channel within it belongs to the loop.
    rowDims |= space.getDims(
        space.floorDiv(index[1], getShape(op->getOperand(0))[1] / static_cast<int64_t>(norm.getNumGroups())));
    loopDims |= space.getDims(index);
    loopDims.reset(rowDims);
  } else {
    for (size_t i = 0; i < index.size(); ++i)
      (llvm::is_contained(loop.resultDims, static_cast<int64_t>(i)) ? loopDims : rowDims) |= space.getDims(index[i]);
  }
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
    // Few, very long rows do not fill a device: reduce in a kernel of its own.
    int64_t rows = kernel.getOuterSize() / std::max<int64_t>(count, 1);
    if (!isRoot && rows < 16 && count > 16384)
      return std::nullopt;
    loopOver.assign(unused.begin(), unused.end());
  } else if (unusedSize == 1) {
    if (!commit)
      return Index(loop.extents.size());
    for (int64_t size : loop.extents) {
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
  return space.reshape(dims, sizes, loop.extents);
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
    return op->getNumOperands() <= 4 && nodes.size() == 1;
  if (opClass != OpClass::Reduction)
    return true;
  // A scan or a window per element reads its operand many times: worth it only
  // where the operand is in memory, which inlining cannot know.
  Index index = kernel.nodes[nodes.front()].index;
  if (isa<NativeLayerNormOp>(op) && cast<mlir::OpResult>(kernel.nodes[nodes.front()].value).getResultNumber() != 0)
    return false; // Rows known from the statistics alone: a kernel of its own.
  for (unsigned node : nodes)
    if (kernel.nodes[node].index != getSiblingIndex(cast<mlir::OpResult>(kernel.nodes[node].value), index))
      return false;
  std::optional<Index> loop = joinLoop(op, kernelId, index, /*commit=*/false, /*isRoot=*/false);
  if (!loop)
    return false;
  // Running sums come last, at every element of their rows in order.
  if (isa<CumsumOp, CumprodOp>(op))
    return kernel.reductions == 0 && !loop->empty() && !loop->front().isConstant() &&
           loop->front() == index[wrapDim(op->getAttrOfType<IntegerAttr>("dim").getInt(), index.size())];
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

void FusionPlanner::expand(Operation *op, OpClass opClass, unsigned kernelId, unsigned nodeId) {
  FusionKernel &kernel = *plan.kernels[kernelId];
  Index index = kernel.nodes[nodeId].index;
  auto result = cast<mlir::OpResult>(kernel.nodes[nodeId].value);
  switch (opClass) {
  case OpClass::Leaf:
    if (Attribute splat = getSplatConstant(op)) {
      kernel.nodes[nodeId].kind = KernelNode::Kind::Constant;
      kernel.nodes[nodeId].constant = splat;
      return;
    }
    if (isa<ArangeOp>(op)) {
      unsigned coordinate = addCoordinate(kernelId, index[0], IntegerType::get(op->getContext(), 64));
      kernel.nodes[nodeId].kind = KernelNode::Kind::Compute;
      kernel.nodes[nodeId].operands = {coordinate};
    }
    return; // A literal tensor: a load.
  case OpClass::Identity:
  case OpClass::View: {
    Index source = getViewIndex(result, index, kernel.space);
    unsigned operand = demand(kernelId, op->getOperand(0), source);
    kernel.nodes[nodeId].kind = KernelNode::Kind::Forward;
    kernel.nodes[nodeId].operands = {operand};
    return;
  }
  case OpClass::Pointwise: {
    SmallVector<unsigned, 3> operands;
    if (isa<BatchNormOp>(op)) {
      operands.push_back(demand(kernelId, op->getOperand(0), index));
      for (Value operand : op->getOperands().drop_front())
        operands.push_back(demand(kernelId, operand, {index[1]}));
    } else {
      for (Value operand : op->getOperands())
        operands.push_back(demand(kernelId, operand, getBroadcastIndex(operand, index)));
    }
    kernel.nodes[nodeId].kind = KernelNode::Kind::Compute;
    kernel.nodes[nodeId].operands = std::move(operands);
    return;
  }
  case OpClass::Select:
    return expandSelect(op, kernelId, nodeId);
  case OpClass::Gather:
    return expandGather(op, kernelId, nodeId);
  case OpClass::Reduction:
    return expandReduction(op, kernelId, nodeId);
  case OpClass::Library:
  case OpClass::Region:
  case OpClass::Write:
  case OpClass::Ignored:
  case OpClass::Unsupported:
    return;
  }
}

void FusionPlanner::expandSelect(Operation *op, unsigned kernelId, unsigned nodeId) {
  FusionKernel &kernel = *plan.kernels[kernelId];
  IndexSpace &space = kernel.space;
  Index index = kernel.nodes[nodeId].index;
  Type type = kernel.nodes[nodeId].elementType;
  MLIRContext *context = op->getContext();
  auto forward = [&](unsigned operand) {
    kernel.nodes[nodeId].kind = KernelNode::Kind::Forward;
    kernel.nodes[nodeId].operands = {operand};
  };
  auto number = [&](double value) {
    return addConstant(kernelId, FloatAttr::get(mlir::Float64Type::get(context), value), type);
  };
  if (auto cat = dyn_cast<CatLikeOpInterface>(op)) {
    int64_t dim = cat.getNormalizedDim(), start = 0;
    size_t rank = index.size() - cat.addsDim();
    std::optional<unsigned> chain;
    SmallVector<std::pair<unsigned, int64_t>> pieces; // node, start
    SmallVector<int64_t> ends;
    for (Value operand : op->getOperands()) {
      if (getShape(operand).size() != rank || getNumElements(operand) == 0)
        continue;
      int64_t extent = cat.addsDim() ? 1 : getShape(operand)[dim];
      Index source = index;
      if (cat.addsDim())
        source.erase(source.begin() + dim);
      else
        source[dim] = space.clamp(space.add(index[dim], IndexExpr(-start)), 0, extent - 1);
      pieces.push_back({demand(kernelId, operand, source), start});
      start += extent;
      ends.push_back(start);
    }
    for (size_t i = pieces.size(); i-- > 0;) {
      if (!chain)
        chain = pieces[i].first;
      else
        chain = addSelect(kernelId, {RangeTest{index[dim], 0, ends[i] - 1}}, pieces[i].first, *chain, type);
    }
    return forward(*chain);
  }
  if (auto pad = dyn_cast<ConstantPadNdOp>(op)) {
    unsigned fill = number(pad.getValue().convertToDouble());
    Value input = pad.getInput();
    if (getNumElements(input) == 0)
      return forward(fill);
    ArrayRef<int64_t> shape = getShape(input);
    SmallVector<RangeTest> tests;
    Index source = index;
    for (size_t i = 0; 2 * i + 1 < pad.getPad().size(); ++i) {
      size_t axis = shape.size() - 1 - i;
      IndexExpr at = space.add(index[axis], IndexExpr(-pad.getPad()[2 * i]));
      tests.push_back({at, 0, shape[axis] - 1});
      source[axis] = space.clamp(at, 0, shape[axis] - 1);
    }
    unsigned inside = demand(kernelId, input, source);
    return forward(addSelect(kernelId, tests, inside, fill, type));
  }
  if (isa<TriuOp, TrilOp>(op)) {
    int64_t diagonal =
        op->getAttrOfType<IntegerAttr>("diagonal") ? op->getAttrOfType<IntegerAttr>("diagonal").getInt() : 0;
    constexpr int64_t far = int64_t(1) << 60;
    size_t rank = index.size();
    IndexExpr offset = space.sub(index[rank - 1], index[rank - 2]);
    RangeTest keep = isa<TriuOp>(op) ? RangeTest{offset, diagonal, far} : RangeTest{offset, -far, diagonal};
    unsigned inside = demand(kernelId, op->getOperand(0), index);
    return forward(addSelect(kernelId, {keep}, inside, number(0), type));
  }
  // slice_scatter, select_scatter: src where the index lies in the slice.
  Value input = op->getOperand(0), src = op->getOperand(1);
  ArrayRef<int64_t> shape = getShape(input);
  int64_t dim = wrapDim(op->getAttrOfType<IntegerAttr>("dim").getInt(), shape.size());
  Index source = index;
  SmallVector<RangeTest> tests;
  if (auto scatter = dyn_cast<SliceScatterOp>(op)) {
    SliceBounds bounds = clampSlice(shape[dim], scatter.getStart(), scatter.getEnd(), scatter.getStep());
    if (bounds.size == 0)
      return forward(demand(kernelId, input, index));
    int64_t step = scatter.getStep();
    IndexExpr relative = space.add(index[dim], IndexExpr(-bounds.start));
    tests.push_back({relative, 0, (bounds.size - 1) * step});
    if (step != 1)
      tests.push_back({space.mod(relative, step), 0, 0});
    source[dim] = space.clamp(space.floorDiv(relative, step), 0, bounds.size - 1);
  } else {
    int64_t at = op->getAttrOfType<IntegerAttr>("index").getInt();
    at = at < 0 ? at + shape[dim] : at;
    tests.push_back({index[dim], at, at});
    source.erase(source.begin() + dim);
  }
  unsigned yes = demand(kernelId, src, source), no = demand(kernelId, input, index);
  forward(addSelect(kernelId, tests, yes, no, type));
}

void FusionPlanner::expandGather(Operation *op, unsigned kernelId, unsigned nodeId) {
  FusionKernel &kernel = *plan.kernels[kernelId];
  IndexSpace &space = kernel.space;
  Index index = kernel.nodes[nodeId].index;
  Value table = op->getOperand(0);
  ArrayRef<int64_t> shape = getShape(table);
  auto symbol = [&](Value indices, ArrayRef<IndexExpr> at, int64_t extent) {
    int64_t lowest = isa<IndexOp, UnsafeIndexOp>(op) ? -extent : 0;
    return space.addSymbol(demand(kernelId, indices, at), lowest, extent, space.getDims(at));
  };
  Index source;
  if (isa<EmbeddingOp>(op)) {
    size_t rank = index.size() - 1;
    source.push_back(symbol(op->getOperand(1), ArrayRef<IndexExpr>(index).take_front(rank), shape[0]));
    source.push_back(index.back());
  } else if (isa<IndexSelectOp, GatherOp>(op)) {
    source = index;
    if (!shape.empty()) {
      int64_t dim = wrapDim(op->getAttrOfType<IntegerAttr>("dim").getInt(), shape.size());
      Index at = isa<GatherOp>(op) ? index : Index{index[dim]};
      if (getShape(op->getOperand(1)).empty())
        at.clear();
      source[dim] = symbol(op->getOperand(1), at, shape[dim]);
    }
  } else {
    // index and unsafe_index: behind the input come the indices.
    ArrayRef<int64_t> dims = cast<DenseI64ArrayAttr>(op->getAttr("dims")).asArrayRef();
    mlir::OperandRange indexTensors = op->getOperands().drop_front();
    size_t rank = 0;
    for (Value indices : indexTensors)
      rank = std::max(rank, getShape(indices).size());
    bool adjacent = true;
    for (size_t i = 1; i < dims.size(); ++i)
      adjacent &= dims[i] == dims[i - 1] + 1;
    size_t first = adjacent && !dims.empty() ? dims.front() : 0;
    Index common(index.begin() + first, index.begin() + first + rank);
    Index rest(index.begin(), index.begin() + first);
    rest.append(index.begin() + first + rank, index.end());
    size_t next = 0;
    for (size_t i = 0; i < shape.size(); ++i) {
      const int64_t *found = llvm::find(dims, static_cast<int64_t>(i));
      if (found == dims.end()) {
        source.push_back(rest[next++]);
        continue;
      }
      Value indices = indexTensors[found - dims.begin()];
      source.push_back(symbol(indices, getBroadcastIndex(indices, common), shape[i]));
    }
  }
  unsigned operand = demand(kernelId, table, source);
  kernel.nodes[nodeId].kind = KernelNode::Kind::Forward;
  kernel.nodes[nodeId].operands = {operand};
}

void FusionPlanner::expandReduction(Operation *op, unsigned kernelId, unsigned nodeId) {
  FusionKernel &kernel = *plan.kernels[kernelId];
  IndexSpace &space = kernel.space;
  Index index = kernel.nodes[nodeId].index;
  MLIRContext *context = op->getContext();
  Type i64 = IntegerType::get(context, 64);
  auto finish = [&](ArrayRef<unsigned> operands) {
    kernel.nodes[nodeId].kind = KernelNode::Kind::Compute;
    kernel.nodes[nodeId].operands.assign(operands.begin(), operands.end());
  };
  auto number = [&](double value, Type type) {
    return addConstant(kernelId, FloatAttr::get(mlir::Float64Type::get(context), value), type);
  };
  // Statistics of a native_layer_norm are at the rows of its result.
  Index rowIndex = index;
  Index loop = *joinLoop(op, kernelId, rowIndex, /*commit=*/true, /*isRoot=*/true);

  Value input = op->getOperand(0);
  ArrayRef<int64_t> shape = getShape(input);
  int64_t rank = shape.size();
  SmallVector<unsigned, 4> operands;

  auto reducedIndex = [&](ArrayRef<int64_t> dims, bool keepdim) {
    Index source(rank);
    size_t nextResult = 0, nextLoop = 0;
    for (int64_t i = 0; i < rank; ++i) {
      bool reduced = llvm::is_contained(dims, i);
      if (reduced)
        source[i] = loop[nextLoop++];
      if (!reduced || keepdim) {
        if (!reduced)
          source[i] = index[nextResult];
        ++nextResult;
      }
    }
    return source;
  };

  if (auto reduction = dyn_cast<ReductionOpInterface>(op)) {
    bool keepdim = op->getAttrOfType<BoolAttr>("keepdim") && op->getAttrOfType<BoolAttr>("keepdim").getValue();
    return finish({demand(kernelId, input, reducedIndex(reduction.getReducedDims(), keepdim))});
  }
  if (isa<ArgmaxOp, ArgminOp, MaxDimOp, MinDimOp>(op)) {
    bool keepdim = op->getAttrOfType<BoolAttr>("keepdim") && op->getAttrOfType<BoolAttr>("keepdim").getValue();
    auto dim = op->getAttrOfType<IntegerAttr>("dim");
    SmallVector<int64_t> dims;
    if (rank > 0) {
      if (dim)
        dims.push_back(wrapDim(dim.getInt(), rank));
      else
        dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    }
    SmallVector<int64_t> extents;
    for (int64_t d : dims)
      extents.push_back(shape[d]);
    unsigned value = demand(kernelId, input, reducedIndex(dims, keepdim));
    unsigned at = addCoordinate(kernelId, space.linearize(loop, extents), i64);
    return finish({value, at});
  }
  if (isa<SoftmaxOp, LogSoftmaxOp, LayerNormOp, NativeLayerNormOp, RmsNormOp, BatchNormOp, GroupNormOp>(op)) {
    ReductionLoop dims = getReductionLoop(op);
    Index source = index;
    if (auto norm = dyn_cast<GroupNormOp>(op)) {
      int64_t width = shape[1] / static_cast<int64_t>(norm.getNumGroups());
      source[1] = space.addScaled(loop[0], space.floorDiv(index[1], width), width);
      for (int64_t i = 2; i < rank; ++i)
        source[i] = loop[i - 1];
    } else {
      for (auto [dim, expr] : llvm::zip_equal(dims.resultDims, loop))
        source[dim] = expr;
    }
    operands.push_back(demand(kernelId, input, source));
    // The statistics (results 1 and 2) have no element of their own.
    bool statistics = cast<mlir::OpResult>(kernel.nodes[nodeId].value).getResultNumber() != 0;
    operands.push_back(statistics ? operands[0] : demand(kernelId, input, index));
    if (isa<SoftmaxOp, LogSoftmaxOp>(op) || statistics)
      return finish(operands);
    auto parameters = op->getOperands().drop_front();
    if (auto norm = dyn_cast<BatchNormOp>(op)) {
      for (Value parameter : {norm.getWeight(), norm.getBias()})
        if (parameter)
          operands.push_back(demand(kernelId, parameter, {index[1]}));
      return finish(operands);
    }
    for (Value parameter : parameters) {
      if (isa<GroupNormOp>(op))
        operands.push_back(demand(kernelId, parameter, {index[1]}));
      else
        operands.push_back(
            demand(kernelId, parameter, ArrayRef<IndexExpr>(index).take_back(getShape(parameter).size())));
    }
    return finish(operands);
  }
  if (isa<CumsumOp, CumprodOp>(op)) // The element itself: what is before it comes from other threads.
    return finish({demand(kernelId, input, index)});
  if (isa<MaxPool2dOp, AvgPool2dOp>(op)) {
    auto pair = [&](StringRef name) {
      ArrayRef<int64_t> values = op->getAttrOfType<DenseI64ArrayAttr>(name).asArrayRef();
      return std::array<int64_t, 2>{values[0], values.back()};
    };
    auto stride = pair("stride"), padding = pair("padding");
    auto pool = dyn_cast<MaxPool2dOp>(op);
    auto dilation = pool ? pair("dilation") : std::array<int64_t, 2>{1, 1};
    Type type = getElementType(input);
    Index source = index;
    SmallVector<RangeTest> inside, counted;
    bool includePad = !pool && cast<AvgPool2dOp>(op).getCountIncludePad();
    for (int64_t i = 0; i < 2; ++i) {
      int64_t axis = rank - 2 + i, extent = shape[axis];
      IndexExpr at = space.add(space.add(space.scale(index[axis], stride[i]), space.scale(loop[i], dilation[i])),
                               IndexExpr(-padding[i]));
      inside.push_back({at, 0, extent - 1});
      counted.push_back(includePad ? RangeTest{at, -padding[i], extent + padding[i] - 1} : inside.back());
      source[axis] = space.clamp(at, 0, extent - 1);
    }
    unsigned element = demand(kernelId, input, source);
    double neutral = pool ? -std::numeric_limits<double>::infinity() : 0;
    unsigned fill;
    if (pool && isa<IntegerType>(type))
      fill = addConstant(
          kernelId, IntegerAttr::get(i64, APInt::getSignedMinValue(type.getIntOrFloatBitWidth()).getSExtValue()), type);
    else
      fill = number(neutral, type);
    operands.push_back(addSelect(kernelId, inside, element, fill, type));
    if (!pool && !cast<AvgPool2dOp>(op).getDivisorOverride()) {
      Type f32 = mlir::Float32Type::get(context);
      operands.push_back(addSelect(kernelId, counted, number(1, f32), number(0, f32), f32));
    }
    return finish(operands);
  }
  if (auto pool = dyn_cast<AdaptiveAvgPool2dOp>(op)) {
    Index source = index;
    SmallVector<RangeTest> inside;
    Type type = getElementType(input), f32 = mlir::Float32Type::get(context);
    for (int64_t i = 0; i < 2; ++i) {
      int64_t axis = rank - 2 + i, in = shape[axis], out = pool.getOutputSize()[i];
      IndexExpr start = space.floorDiv(space.scale(index[axis], in), out);
      IndexExpr end = space.floorDiv(space.add(space.scale(index[axis], in), IndexExpr(in + out - 1)), out);
      IndexExpr at = space.add(start, loop[i]);
      inside.push_back({space.add(space.sub(end, at), IndexExpr(-1)), 0, in});
      source[axis] = space.clamp(at, 0, in - 1);
    }
    unsigned element = demand(kernelId, input, source);
    operands.push_back(addSelect(kernelId, inside, element, number(0, type), type));
    operands.push_back(addSelect(kernelId, inside, number(1, f32), number(0, f32), f32));
    return finish(operands);
  }
  if (isa<MmOp, BmmOp, AddmmOp, BaddbmmOp>(op)) {
    bool plain = isa<MmOp, BmmOp>(op);
    Value lhs = op->getOperand(plain ? 0 : 1), rhs = op->getOperand(plain ? 1 : 2);
    Index left = index, right = index;
    left[index.size() - 1] = loop[0];
    right[index.size() - 2] = loop[0];
    operands = {demand(kernelId, lhs, left), demand(kernelId, rhs, right)};
    auto beta = op->getAttrOfType<FloatAttr>("beta");
    if (!plain && !(beta && beta.getValue().isZero()))
      operands.push_back(demand(kernelId, input, getBroadcastIndex(input, index)));
    return finish(operands);
  }
  ConvolutionInfo conv = *getConvolution(op);
  ArrayRef<int64_t> inputShape = getShape(conv.input), weightShape = getShape(conv.weight);
  size_t spatial = weightShape.size() - 2, lead = conv.batched ? 1 : 0;
  int64_t inputChannels = inputShape[lead], perGroup = inputChannels / conv.groups;
  int64_t outputChannels = conv.transposed ? weightShape[1] * conv.groups : weightShape[0];
  IndexExpr channel = index[lead], group = space.floorDiv(channel, outputChannels / conv.groups);
  Index source, filter;
  if (conv.batched)
    source.push_back(index[0]);
  source.push_back(space.addScaled(loop[0], group, perGroup));
  if (conv.transposed)
    filter = {source.back(), space.mod(channel, outputChannels / conv.groups)};
  else
    filter = {channel, loop[0]};
  SmallVector<RangeTest> tests;
  for (size_t i = 0; i < spatial; ++i) {
    int64_t extent = inputShape[lead + 1 + i];
    IndexExpr out = index[lead + 1 + i], tap = loop[1 + i], at;
    if (conv.transposed) {
      IndexExpr scaled = space.add(space.addScaled(out, tap, -conv.dilation[i]), IndexExpr(conv.padding[i]));
      if (conv.stride[i] != 1)
        tests.push_back({space.mod(scaled, conv.stride[i]), 0, 0});
      at = space.floorDiv(scaled, conv.stride[i]);
    } else {
      at = space.add(space.addScaled(space.scale(out, conv.stride[i]), tap, conv.dilation[i]),
                     IndexExpr(-conv.padding[i]));
    }
    tests.push_back({at, 0, extent - 1});
    source.push_back(space.clamp(at, 0, extent - 1));
    filter.push_back(tap);
  }
  unsigned element = demand(kernelId, conv.input, source);
  operands.push_back(
      addSelect(kernelId, tests, element, number(0, getElementType(conv.input)), getElementType(conv.input)));
  operands.push_back(demand(kernelId, conv.weight, filter));
  if (conv.bias)
    operands.push_back(demand(kernelId, conv.bias, {channel}));
  finish(operands);
}

//===----------------------------------------------------------------------===//
// The sweep
//===----------------------------------------------------------------------===//

void FusionPlanner::sweepReturn(Operation *op) {
  plan.results.assign(op->getOperands().begin(), op->getOperands().end());
  plan.resultIsCopy.assign(op->getNumOperands(), false);
  DenseMap<Value, unsigned> seen;
  for (auto [i, value] : llvm::enumerate(op->getOperands())) {
    Operation *owner = value.getDefiningOp();
    bool literal = owner && isa<ConstantOp>(owner) && !getSplatConstant(owner);
    if (!owner || literal || !seen.try_emplace(value, i).second) {
      plan.resultIsCopy[i] = true;
      wantOwnMemory(value, 0);
      continue;
    }
    wantOwnMemory(value, 0);
    state(value).output = i;
  }
}

void FusionPlanner::sweepWrite(CopyUnderscoreOp op) {
  // Executed after everything else: the argument keeps its old value until then.
  // Not from another argument, which may be written as well.
  bool ofArgument = isa<mlir::BlockArgument>(layouts[op.getSrc()].first);
  wantMemory(op.getSrc(), 0, [&](const StridedLayout &layout, ArrayRef<int64_t> shape) {
    return !ofArgument && layout.isContiguous(shape);
  });
  FusionStep step{FusionStep::Kind::Write};
  step.op = op;
  writeSteps.push_back(step);
}

static bool isMatrix(const StridedLayout &layout, ArrayRef<int64_t> shape) {
  size_t rank = shape.size();
  int64_t rows = shape[rank - 2], columns = shape[rank - 1];
  int64_t rowStride = layout.strides[rank - 2], columnStride = layout.strides[rank - 1];
  bool rowMajor = (columns == 1 || columnStride == 1) && (rows == 1 || rowStride >= columns);
  bool columnMajor = (rows == 1 || rowStride == 1) && (columns == 1 || columnStride >= rows);
  return rowMajor || columnMajor;
}

void FusionPlanner::sweepLibrary(Operation *op) {
  Operation *epilogue = epilogueOf.lookup(op);
  Value result = epilogue ? epilogue->getResult(0) : op->getResult(0);
  ValueState &wanted = state(result);
  if (wanted.demands.empty() && !wanted.materialize && wanted.placements.empty())
    return; // Dead.
  unsigned level = wanted.level + 1;
  FusionStep step{FusionStep::Kind::Library};
  step.op = op;
  step.epilogue = epilogue;
  step.result = result;
  step.level = level;
  librarySteps.push_back(step);
  // A product may have any row pitch; a convolution's result is row-major.
  bool isAttention = isa<ScaledDotProductAttentionOp>(op);
  bool mayPlace = !getConvolution(op) && !isAttention;
  if (mayPlace && !wanted.placements.empty()) {
    // The slice must leave the last dimension dense.
    Operation *cat = wanted.placements.front().first;
    ArrayRef<int64_t> strides = plan.storage[cat->getResult(0)].layout.strides;
    auto like = cast<CatLikeOpInterface>(cat);
    bool splitsLast = like.addsDim() && like.getNormalizedDim() == static_cast<int64_t>(strides.size()) - 1;
    mayPlace = !splitsLast && strides.back() == 1;
  }
  placeOrCopyOperands(cast<mlir::OpResult>(result), mayPlace);
  assignMemory(result);
  auto contiguous = [](const StridedLayout &layout, ArrayRef<int64_t> shape) { return layout.isContiguous(shape); };
  if (getConvolution(op)) {
    for (Value operand : op->getOperands())
      wantMemory(operand, level, contiguous);
    return;
  }
  if (isAttention) {
    // Rows of 16-byte chunks at any distance; a mask of any strides.
    Value mask = cast<ScaledDotProductAttentionOp>(op).getAttnMask();
    for (Value operand : op->getOperands())
      wantMemory(operand, level, [&](const StridedLayout &layout, ArrayRef<int64_t> shape) {
        if (operand == mask)
          return true;
        bool chunks = layout.strides.back() == 1 && layout.offset % 8 == 0;
        for (auto [extent, stride] : llvm::zip_equal(shape.drop_back(), ArrayRef(layout.strides).drop_back()))
          chunks &= extent == 1 || stride % 8 == 0;
        return chunks;
      });
    return;
  }
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    bool addend = i == 0 && isa<AddmmOp, BaddbmmOp>(op);
    auto beta = op->getAttrOfType<FloatAttr>("beta");
    if (addend && beta && beta.getValue().isZero())
      continue;
    if (addend)
      wantMemory(operand, level, contiguous);
    else
      wantMemory(operand, level, isMatrix);
  }
}

/// Between row-major memory and row-major memory.
void FusionPlanner::sweepRegion(KernelOp op) {
  bool isUsed = llvm::any_of(op.getOutputs(), [&](Value result) {
    ValueState &wanted = state(result);
    return !wanted.demands.empty() || wanted.materialize || !wanted.placements.empty();
  });
  if (!isUsed)
    return;
  FusionStep step{FusionStep::Kind::Region};
  step.op = op;
  for (mlir::OpResult result : op->getResults()) {
    placeOrCopyOperands(result, /*mayPlace=*/false);
    assignMemory(result);
    step.level = std::max(step.level, state(result).level + 1);
  }
  for (Value operand : op.getInputs())
    wantMemory(operand, step.level,
               [](const StridedLayout &layout, ArrayRef<int64_t> shape) { return layout.isContiguous(shape); });
  regionSteps.push_back(step);
}

void FusionPlanner::createRoot(mlir::OpResult value) {
  unsigned kernel = createKernel(state(value).level + 1, value.getOwner());
  FusionKernel &target = *plan.kernels[kernel];
  Index index = createRootDims(value, target.space);
  target.inner.assign(target.space.getNumDims(), false);
  demand(kernel, value, index);
  addOutput(kernel, value, value, index);
}

void FusionPlanner::sweepView(mlir::OpResult view) {
  Operation *op = view.getOwner();
  ValueState &wanted = state(view);
  OpClass opClass = classify(op, options);
  if (wanted.materialize || !wanted.placements.empty()) {
    // A reshape of a value that nobody else keeps is that value's memory.
    const auto &[base, layout] = layouts[view];
    Operation *owner = base.getDefiningOp();
    bool free = base != view && owner && classify(owner, options) != OpClass::Leaf && layout.offset == 0 &&
                layout.isContiguous(getShape(view)) && getNumElements(view) == getNumElements(base) &&
                wanted.placements.empty() && state(base).output < 0;
    if (free) {
      if (wanted.output >= 0) {
        state(base).output = wanted.output;
        plan.results[wanted.output] = base;
      }
      wanted.materialize = false;
      wanted.alias = true;
    } else if (wanted.materialize) {
      placeOrCopyOperands(view, /*mayPlace=*/false);
      createRoot(view);
      assignMemory(view);
    } else {
      placeOrCopyOperands(view, /*mayPlace=*/false);
    }
  }
  if (wanted.alias) {
    const auto &[base, layout] = layouts[view];
    ValueStorage part;
    part.kind = ValueStorage::Kind::Part;
    part.base = base;
    part.layout = layout;
    if (!plan.storage.count(view))
      plan.storage[view] = part;
    // The base keeps its own memory, whatever lies between.
    wantOwnMemory(base, state(view).memoryLevel);
  }
  // Kernels read through the view, unless it was just given memory of its own:
  // then only the kernel that writes it does.
  bool own = plan.storage.count(view) && plan.storage[view].kind == ValueStorage::Kind::Buffer;
  auto demands = state(view).demands;
  for (auto [kernel, node] : demands) {
    bool writes = llvm::any_of(plan.kernels[kernel]->outputs,
                               [&, node = node](const KernelOutput &output) { return output.node == node; });
    if (own && !writes)
      continue;
    plan.kernels[kernel]->ops.push_back(op);
    expand(op, opClass, kernel, node);
  }
}

void FusionPlanner::sweepCat(Operation *op) {
  auto result = cast<mlir::OpResult>(op->getResult(0));
  ValueState &wanted = state(result);
  llvm::SmallSetVector<unsigned, 4> kernels;
  for (auto [kernel, node] : wanted.demands)
    kernels.insert(kernel);
  if (!wanted.materialize && wanted.placements.empty() && kernels.size() == 1 &&
      canInline(op, OpClass::Select, kernels.front()))
    return inlineInto(op, OpClass::Select, kernels.front());
  placeOrCopyOperands(result, /*mayPlace=*/true);
  assignMemory(result);
  unsigned level = state(result).level;
  size_t rank = getShape(result).size() - cast<CatLikeOpInterface>(op).addsDim();
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (getShape(operand).size() != rank || getNumElements(operand) == 0)
      continue;
    Operation *owner = operand.getDefiningOp();
    if (owner) {
      ValueState &piece = state(operand);
      piece.level = std::max(piece.level, level);
      piece.memoryLevel = std::max(piece.memoryLevel, level);
      piece.placements.push_back({op, static_cast<unsigned>(i)});
      continue;
    }
    // An argument: copied.
    unsigned kernel = createKernel(level + 1, op);
    FusionKernel &target = *plan.kernels[kernel];
    Index index;
    for (int64_t size : getShape(operand))
      index.push_back(target.space.addDim(size));
    target.inner.assign(target.space.getNumDims(), false);
    demand(kernel, operand, index);
    addOutput(kernel, operand, result, index);
    target.outputs.back().index = getSlot(op, i, index, target.space);
  }
}

LogicalResult FusionPlanner::sweepFusable(Operation *op, OpClass opClass) {
  // A literal is memory that exists.
  if (opClass == OpClass::Leaf && !isa<ArangeOp>(op) && !getSplatConstant(op)) {
    placeOrCopyOperands(op->getResult(0), /*mayPlace=*/false);
    plan.storage[op->getResult(0)].kind = ValueStorage::Kind::Constant;
    plan.storage[op->getResult(0)].layout = StridedLayout::rowMajor(getShape(op->getResult(0)));
    return success();
  }
  bool materialize = false;
  for (mlir::OpResult result : op->getResults()) {
    // Something that costs nothing to compute is computed in the slice of each cat.
    placeOrCopyOperands(result, /*mayPlace=*/opClass != OpClass::Leaf);
    materialize |= state(result).materialize;
  }
  llvm::SmallSetVector<unsigned, 4> kernels;
  for (mlir::OpResult result : op->getResults())
    for (auto [kernel, node] : state(result).demands)
      kernels.insert(kernel);
  if (kernels.empty() && !materialize)
    return success(); // Dead.

  if (!materialize) {
    bool duplicate = kernels.size() == 1 || (isCheap(op) && kernels.size() <= 4) || op->getNumOperands() == 0;
    if (duplicate && llvm::all_of(kernels, [&](unsigned kernel) { return canInline(op, opClass, kernel); })) {
      for (unsigned kernel : kernels)
        inlineInto(op, opClass, kernel);
      return success();
    }
  } else if (op->getNumOperands() == 0) {
    // Constants go into their readers even where they also need memory.
    for (unsigned kernel : kernels)
      inlineInto(op, opClass, kernel);
    state(op->getResult(0)).demands.clear();
    kernels.clear();
  }

  // Memory. First choice: the kernel of the highest level that computes it
  // anyway, if all others come after it.
  SmallVector<mlir::OpResult> used;
  for (mlir::OpResult result : op->getResults())
    if (state(result).materialize || !state(result).demands.empty())
      used.push_back(result);
  unsigned best = ~0u;
  if (used.size() == 1) {
    for (unsigned kernel : kernels)
      if (best == ~0u || plan.kernels[kernel]->level > plan.kernels[best]->level)
        best = kernel;
  }
  if (best != ~0u) {
    mlir::OpResult result = used[0];
    FusionKernel &kernel = *plan.kernels[best];
    SmallVector<unsigned> nodes;
    unsigned others = 0;
    for (auto [owner, node] : state(result).demands) {
      if (owner == best)
        nodes.push_back(node);
      else
        others = std::max(others, plan.kernels[owner]->level);
    }
    bool fits = std::max(others, state(result).memoryLevel) < kernel.level && nodes.size() == 1 &&
                canInline(op, opClass, best) && coversKernelOnce(kernel, result, kernel.nodes[nodes[0]].index);
    if (fits) {
      Index index = kernel.nodes[nodes[0]].index;
      // Only this kernel computes it; the others load.
      auto all = state(result).demands;
      auto &demands = state(result).demands;
      llvm::erase_if(demands, [&](const auto &demand) { return demand.first != best; });
      inlineInto(op, opClass, best);
      state(result).demands = all;
      state(result).materialize = true;
      assignMemory(result);
      addOutput(best, result, result, index);
      return success();
    }
  }

  // A kernel of its own, for all results that are used.
  unsigned level = 0;
  for (mlir::OpResult result : used)
    level = std::max(level, state(result).level);
  mlir::OpResult main = op->getResult(0);
  unsigned kernel = createKernel(level + 1, op);
  FusionKernel &target = *plan.kernels[kernel];
  Index index = createRootDims(main, target.space);
  target.inner.assign(target.space.getNumDims(), false);
  for (mlir::OpResult result : used) {
    state(result).demands.clear(); // They load.
    Index at = getSiblingIndex(result, index);
    demand(kernel, result, at);
    addOutput(kernel, result, result, at);
    state(result).materialize = true;
    assignMemory(result);
  }
  inlineInto(op, opClass, kernel);
  return success();
}

LogicalResult FusionPlanner::sweep(Operation *op) {
  if (op->hasTrait<mlir::OpTrait::IsTerminator>()) {
    sweepReturn(op);
    return success();
  }
  if (!isa_and_present<FxGraphDialect>(op->getDialect()) || absorbed.contains(op))
    return success();
  OpClass opClass = classify(op, options);
  if (opClass == OpClass::Write) {
    sweepWrite(cast<CopyUnderscoreOp>(op));
    return success();
  }
  if (opClass == OpClass::Ignored)
    return success();
  // Nothing is computed for empty results.
  if (llvm::all_of(op->getResults(), [](Value result) { return getNumElements(result) == 0; })) {
    for (Value result : op->getResults())
      assignMemory(result);
    return success();
  }
  switch (opClass) {
  case OpClass::View:
  case OpClass::Identity:
    for (mlir::OpResult result : op->getResults()) {
      if (getNumElements(result) == 0)
        assignMemory(result);
      else
        sweepView(result);
    }
    return success();
  case OpClass::Library:
    sweepLibrary(op);
    return success();
  case OpClass::Region:
    sweepRegion(cast<KernelOp>(op));
    return success();
  case OpClass::Select:
    if (isa<CatLikeOpInterface>(op)) {
      sweepCat(op);
      return success();
    }
    [[fallthrough]];
  default:
    return sweepFusable(op, opClass);
  }
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

void FusionPlanner::orderSteps() {
  std::vector<FusionStep> &steps = plan.unordered;
  DenseMap<Value, unsigned> producer;
  auto addNode = [&](unsigned position, int step) {
    plan.nodes.push_back({position, step, {}});
    return plan.nodes.size() - 1;
  };
  auto addEdge = [&](unsigned from, unsigned to) { plan.nodes[from].users.push_back(to); };
  for (const auto &[id, kernel] : llvm::enumerate(plan.kernels)) {
    FusionStep step{FusionStep::Kind::Kernel};
    step.kernel = id;
    step.id = steps.size();
    step.level = kernel->level;
    unsigned node = addNode(kernel->position, steps.size());
    steps.push_back(step);
    for (const KernelOutput &output : kernel->outputs)
      if (output.storage == output.value)
        producer[output.value] = node;
  }
  unsigned firstLibrary = plan.nodes.size();
  for (FusionStep &step : librarySteps) {
    step.id = steps.size();
    producer[step.result] = addNode(position[step.op], steps.size());
    steps.push_back(step);
  }
  unsigned firstRegion = plan.nodes.size();
  for (FusionStep &step : regionSteps) {
    step.id = steps.size();
    unsigned node = addNode(position[step.op], steps.size());
    for (Value result : step.op->getResults())
      producer[result] = node;
    steps.push_back(step);
  }
  // Cats that have memory.
  for (const auto &entry : plan.storage) {
    Operation *owner = entry.first.getDefiningOp();
    if (!owner || !isa<CatLikeOpInterface>(owner) || producer.count(entry.first) ||
        entry.second.kind == ValueStorage::Kind::Virtual)
      continue;
    if (layouts[entry.first].first == entry.first)
      producer[entry.first] = addNode(position[owner], -1);
  }
  auto find = [&](Value value) -> int {
    if (auto it = producer.find(value); it != producer.end())
      return it->second;
    const ValueStorage &storage = plan.getStorage(value);
    if (storage.kind == ValueStorage::Kind::Part)
      if (auto it = producer.find(storage.base); it != producer.end())
        return it->second;
    return -1;
  };
  auto reads = [&](Value value, unsigned reader) {
    int from = find(value);
    if (from >= 0 && static_cast<unsigned>(from) != reader)
      addEdge(from, reader);
  };
  for (const auto &[id, kernel] : llvm::enumerate(plan.kernels)) {
    llvm::SmallSetVector<Value, 8> loads;
    for (const KernelNode &node : kernel->nodes)
      if (node.kind == KernelNode::Kind::Load)
        loads.insert(node.value);
    for (Value value : loads)
      reads(value, id);
    for (const KernelOutput &output : kernel->outputs)
      if (output.storage != output.value)
        if (int cat = find(output.storage); cat >= 0)
          addEdge(id, cat);
  }
  for (const auto &[i, step] : llvm::enumerate(librarySteps)) {
    auto beta = step.op->getAttrOfType<FloatAttr>("beta");
    for (auto [number, operand] : llvm::enumerate(step.op->getOperands()))
      if (!(number == 0 && beta && beta.getValue().isZero()))
        reads(operand, firstLibrary + i);
  }
  for (const auto &[i, step] : llvm::enumerate(regionSteps))
    for (Value operand : step.op->getOperands())
      reads(operand, firstRegion + i);
  for (const auto &entry : plan.storage) {
    auto it = producer.find(entry.first);
    if (it == producer.end() || plan.nodes[it->second].step >= 0)
      continue;
    for (Value operand : entry.first.getDefiningOp()->getOperands())
      if (plan.getStorage(operand).kind == ValueStorage::Kind::Part && producer.count(operand))
        addEdge(producer[operand], it->second);
  }

  // The sweep met the writes from the last to the first.
  plan.writes.assign(writeSteps.rbegin(), writeSteps.rend());
  plan.numSteps = steps.size() + plan.writes.size();
  for (auto [i, step] : llvm::enumerate(plan.writes))
    step.id = steps.size() + i;
  plan.order({});
}

void FusionPlanner::finish() {
  for (Value argument : function.getArguments()) {
    plan.storage[argument].kind = ValueStorage::Kind::Argument;
    plan.storage[argument].layout = StridedLayout::rowMajor(getShape(argument));
  }
  for (const std::unique_ptr<FusionKernel> &kernel : plan.kernels) {
    llvm::sort(kernel->ops, [&](Operation *a, Operation *b) { return position[a] < position[b]; });
    kernel->ops.erase(std::unique(kernel->ops.begin(), kernel->ops.end()), kernel->ops.end());
  }
}

FailureOr<FusionPlan> FusionPlanner::run() {
  if (failed(checkTypes()))
    return failure();
  smallProducts = findSmallProducts(function);
  options.kernelProducts = &smallProducts;
  computeLayouts();
  findEpilogues();
  for (Operation &op : llvm::reverse(function.getBody().front()))
    if (failed(sweep(&op)))
      return failure();
  finish();
  orderSteps();
  unsigned expected = plan.kernels.size() + librarySteps.size() + regionSteps.size() + writeSteps.size();
  if (plan.steps.size() != expected)
    return emitError(function.getLoc()) << "internal error: fusion plan has a cycle: ordered " << plan.steps.size()
                                        << " of " << expected << " steps";
  for (const std::unique_ptr<FusionKernel> &kernel : plan.kernels)
    for (const KernelNode &node : kernel->nodes)
      if (node.kind == KernelNode::Kind::Load && plan.getStorage(node.value).kind == ValueStorage::Kind::Virtual)
        return emitError(node.value.getLoc(), "internal error: fusion plan reads a value that is not in memory");
  return std::move(plan);
}

FailureOr<FusionPlan> fxgraph::planFusion(mlir::func::FuncOp function, const FusionOptions &options) {
  return FusionPlanner(function, options).run();
}
