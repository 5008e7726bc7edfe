// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sweep described in FusionPlan.h.

#include "FusionPlanner.h"
#include "fxgraph/Dialect/IR/Permutation.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace fxgraph;

const ValueStorage &FusionPlan::getStorage(Value value) const {
  static const ValueStorage none;
  auto it = storage.find(value);
  return it == storage.end() ? none : it->second;
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// Why no kernel computes the op.
static std::string describeRefusal(Operation *op) {
  if (!op->isRegistered())
    return "is not a registered op";
  if (auto call = dyn_cast<UnknownCallOpInterface>(op))
    return ("is the unknown PyTorch op '" + call.getTarget() + "'").str();
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (std::string problem = describeUnsupportedType(type); !problem.empty() && op->getNumRegions() != 0)
      return problem;
  if (op->getNumRegions() != 0)
    return mlir::isMemoryEffectFree(op)
               ? "has no GPU form: a loop that is not written out "
                 "(--fxgraph-mutation-decompose-map-to-while-loop, -scan-to-while-loop make it a while_loop)"
               : "has no GPU form: its regions write, draw, assert or communicate";
  if (startsCollective(op))
    return describeCollectiveProblem(op);
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
    if (!isa_and_present<FxGraphDialect>(op.getDialect()) || classify(&op, options) == OpClass::Unsupported) {
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
    if (getPermutation(user))
      return true;
    if (!mayReshape || !isRowMajorView(user))
      return false;
    ArrayRef<int64_t> to = getShape(user->getResult(0));
    return to.size() >= 4 && to.take_back(2) == shape.take_back(2) && to.front() == shape.front() &&
           isUsedByPermutations(user->getResult(0), /*mayReshape=*/false);
  });
}

StridedLayout fxgraph::getChannelsLast(ArrayRef<int64_t> shape) {
  StridedLayout layout = StridedLayout::rowMajor(shape);
  layout.strides[1] = 1;
  int64_t stride = shape[1];
  for (size_t i = shape.size(); i-- > 2; stride *= shape[i])
    layout.strides[i] = stride;
  return layout;
}

static bool isChannelsLast(const StridedLayout &layout, ArrayRef<int64_t> shape) {
  return layout.offset == 0 && layout.strides == fxgraph::getChannelsLast(shape).strides;
}

/// Whether a convolution's memory may have the channels last: it alone needs that of its operands, which kernels compute,
/// or they are such results, and its own result is read by kernels, which read any memory.
bool FusionPlanner::canBeChannelsLast(Operation *conv) {
  auto isWanted = [](Operation *op) {
    auto attribute = op->getAttrOfType<mlir::BoolAttr>(kChannelsLastAttr);
    return attribute && attribute.getValue();
  };
  if (!isWanted(conv) || classify(conv, options) != OpClass::Library)
    return false;
  for (Value operand : conv->getOperands()) {
    Operation *owner = operand.getDefiningOp();
    bool isComputed = owner && operand.hasOneUse() && classify(owner, options) == OpClass::Pointwise;
    const StridedLayout &layout = layouts[operand].second;
    if (!isComputed && !isChannelsLast(layout, getShape(operand)) && !channelsLast.contains(owner))
      return false;
  }
  return llvm::all_of(conv->getUsers(), [&](Operation *user) {
    OpClass opClass = classify(user, options);
    return isWanted(user) || isa<ConstantPadNdOp>(user) || opClass == OpClass::Pointwise || opClass == OpClass::View;
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
      if (getConvolution(&op) && canBeChannelsLast(&op)) {
        channelsLast.insert(&op);
        for (Value value :
             llvm::concat<Value>(llvm::to_vector(op.getOperands()), llvm::to_vector<1>(ValueRange(result))))
          layouts[value].second = getChannelsLast(getShape(value));
      }
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
    if (getLibraryActivation(user).empty())
      continue;
    // In f32 the library's tanh is less precise than PyTorch's.
    bool fits = isa<ReluOp>(user) ? options.reluEpilogue && !type.isF64() : type.isF16() || type.isBF16();
    if (!fits)
      continue;
    epilogueOf[&op] = user;
    absorbed.insert(user);
  }
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
    if (!owner || isLiteral(owner) || !seen.try_emplace(value, i).second) {
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
  step.channelsLast = channelsLast.contains(op);
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
      wantMemory(operand, level, [&](const StridedLayout &layout, ArrayRef<int64_t> shape) {
        return step.channelsLast ? isChannelsLast(layout, shape) : layout.isContiguous(shape);
      });
    return;
  }
  if (isAttention) {
    // Rows of 16-byte chunks at any distance; a mask of any strides.
    Value mask = cast<ScaledDotProductAttentionOp>(op).getAttnMask();
    int64_t chunk = getElementType(result).isF32() ? 4 : 8;
    for (Value operand : op->getOperands())
      wantMemory(operand, level, [&](const StridedLayout &layout, ArrayRef<int64_t> shape) {
        if (operand == mask)
          return true;
        bool chunks = layout.strides.back() == 1 && layout.offset % chunk == 0;
        for (auto [extent, stride] : llvm::zip_equal(shape.drop_back(), ArrayRef(layout.strides).drop_back()))
          chunks &= extent == 1 || stride % chunk == 0;
        return chunks;
      });
    return;
  }
  auto product = cast<MatrixProductOpInterface>(op);
  if (Value addend = product.getAddend())
    wantMemory(addend, level, contiguous);
  for (Value factor : {product.getLeft(), product.getRight()})
    wantMemory(factor, level, isMatrix);
}

/// Between row-major memory and row-major memory.
void FusionPlanner::sweepRegion(Operation *op) {
  bool isUsed = llvm::any_of(op->getResults(), [&](Value result) {
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
  for (Value operand : op->getOperands())
    wantMemory(operand, step.level,
               [](const StridedLayout &layout, ArrayRef<int64_t> shape) { return layout.isContiguous(shape); });
  regionSteps.push_back(step);
}

/// Between dense memory and dense memory, in the order of the block, whether anybody looks at the results or not: the
/// other processes take part too.
void FusionPlanner::sweepCollective(Operation *op) {
  FusionStep step{FusionStep::Kind::Collective};
  step.op = op;
  // Those that start later have been swept.
  step.level = collectiveSteps.empty() ? 1 : collectiveSteps.back().level + 1;
  for (Value result : op->getResults()) {
    step.level = std::max(step.level, state(result).level + 1);
    // The memory is that of what is waited for.
    plan.storage[result] = {ValueStorage::Kind::Part, (*result.user_begin())->getResult(0),
                            StridedLayout::rowMajor(getShape(result))};
  }
  for (Value operand : op->getOperands())
    wantMemory(operand, step.level,
               [](const StridedLayout &layout, ArrayRef<int64_t> shape) { return layout.isContiguous(shape); });
  collectiveSteps.push_back(step);
}

void FusionPlanner::sweepWait(WaitTensorOp op) {
  auto result = cast<mlir::OpResult>(op.getResult());
  placeOrCopyOperands(result, /*mayPlace=*/false);
  assignMemory(result);
  FusionStep step{FusionStep::Kind::Wait};
  step.op = op;
  step.level = state(result).level + 1;
  ValueState &started = state(op.getInput());
  started.level = std::max(started.level, step.level);
  waitSteps.push_back(step);
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
  bool isInMemory = (op->hasAttr(kInMemoryAttr) && !wanted.demands.empty()) ||
                    (op->hasAttr(kCopiedIntoCatsAttr) && !wanted.placements.empty());
  wanted.materialize |= isInMemory;
  if (wanted.materialize || !wanted.placements.empty()) {
    // A reshape of a value that nobody else keeps is that value's memory.
    const auto &[base, layout] = layouts[view];
    Operation *owner = base.getDefiningOp();
    bool free = base != view && !isInMemory && owner && classify(owner, options) != OpClass::Leaf &&
                layout.offset == 0 && layout.isContiguous(getShape(view)) &&
                getNumElements(view) == getNumElements(base) && wanted.placements.empty() && state(base).output < 0;
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

/// Whether pieces of a large result are parts of what memory is written in at once: one kernel chooses between them at each
/// element, where one for each piece would write parts of all of that memory. Not for what takes a kernel, or a library, of
/// its own; nor for single elements of one function, of which one kernel writes those of all pieces as neighbours; nor for
/// rows that blocks put together in shared memory (joinsRows).
bool FusionPlanner::isInterleaved(Operation *op) const {
  auto cat = cast<CatLikeOpInterface>(op);
  if (!hasNarrowRows(cat) || joinsRows(cat, options))
    return false;
  auto getFunction = [&](Value operand) -> std::optional<mlir::OperationName> {
    Operation *owner = operand.getDefiningOp();
    if (!owner || classify(owner, options) != OpClass::Pointwise)
      return std::nullopt;
    return owner->getName();
  };
  ArrayRef<int64_t> shape = getShape(op->getResult(0));
  int64_t row = getNumElements(shape.drop_front(cat.getNormalizedDim()));
  if (row <= op->getNumOperands() && llvm::all_equal(llvm::map_range(op->getOperands(), getFunction)))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) { return isWrittenAnywhere(operand, options); });
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
    copyIntoSlot(level, op, i, operand, result);
  }
}

void FusionPlanner::copyIntoSlot(unsigned level, Operation *cat, unsigned operand, Value value, Value whole) {
  unsigned kernel = createKernel(level + 1, cat);
  FusionKernel &target = *plan.kernels[kernel];
  Index index;
  for (int64_t size : getShape(value))
    index.push_back(target.space.addDim(size));
  target.inner.assign(target.space.getNumDims(), false);
  demand(kernel, value, index);
  addOutput(kernel, value, whole, index);
  target.outputs.back().index = getSlot(cat, operand, index, target.space);
}

/// Whether kernels that need a value may read what it is computed from instead: they run at the same time over all of its
/// elements, so that they read operands together, and even apart they would read no more than is moved through memory.
bool FusionPlanner::areSiblings(Value value, ArrayRef<unsigned> kernels) {
  Operation *op = value.getDefiningOp();
  size_t large = llvm::count_if(op->getOperands(),
                                [&](Value operand) { return getNumElements(operand) * 8 > getNumElements(value); });
  if (large * (kernels.size() - 1) > kernels.size() + 1)
    return false;
  const ValueState &wanted = state(value);
  return llvm::all_of(kernels, [&](unsigned id) {
    const FusionKernel &kernel = *plan.kernels[id];
    SmallVector<unsigned> nodes;
    for (auto [owner, node] : wanted.demands)
      if (owner == id)
        nodes.push_back(node);
    if (kernel.level != plan.kernels[kernels[0]]->level || nodes.size() != 1)
      return false;
    // Loops that are cut have some more.
    int64_t all = kernel.getOuterSize() * kernel.getInnerSize(), own = getNumElements(value);
    return all == own ? coversKernelOnce(kernel, value, kernel.nodes[nodes[0]].index)
                      : all > own && 16 * all <= 17 * own;
  });
}

LogicalResult FusionPlanner::sweepFusable(Operation *op, OpClass opClass) {
  // A literal is memory that exists.
  if (opClass == OpClass::Leaf && isLiteral(op)) {
    placeOrCopyOperands(op->getResult(0), /*mayPlace=*/false);
    plan.storage[op->getResult(0)].kind = ValueStorage::Kind::Constant;
    plan.storage[op->getResult(0)].layout = StridedLayout::rowMajor(getShape(op->getResult(0)));
    return success();
  }
  bool materialize = false, isCopied = false;
  for (mlir::OpResult result : op->getResults()) {
    isCopied |= op->hasAttr(kCopiedIntoCatsAttr) && !state(result).placements.empty();
    // Something that costs nothing to compute is computed in the slice of each cat.
    placeOrCopyOperands(result, /*mayPlace=*/opClass != OpClass::Leaf && !isCopied);
    materialize |= state(result).materialize;
  }
  bool isInMemory = op->hasAttr(kInMemoryAttr) || isCopied || keptInMemory.contains(op);
  llvm::SmallSetVector<unsigned, 4> kernels;
  for (mlir::OpResult result : op->getResults())
    for (auto [kernel, node] : state(result).demands)
      kernels.insert(kernel);
  if (kernels.empty() && !materialize)
    return success(); // Dead.

  if (!materialize && !isInMemory) {
    bool duplicate = kernels.size() == 1 || (isCheap(op) && kernels.size() <= 4) || op->getNumOperands() == 0 ||
                     (opClass == OpClass::Pointwise && areSiblings(op->getResult(0), kernels.getArrayRef()));
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
  if (used.size() == 1 && !isCopied && !(isInMemory && opClass == OpClass::Reduction)) {
    for (unsigned kernel : kernels)
      if (!(isInMemory && plan.kernels[kernel]->reductions != 0) &&
          (best == ~0u || plan.kernels[kernel]->level > plan.kernels[best]->level))
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
  // Nothing is computed for empty results; but what has none may be given to other processes.
  auto isEmpty = [](Value value) { return getNumElements(value) == 0; };
  Operation *start = opClass == OpClass::Collective ? op
                     : opClass == OpClass::Wait     ? op->getOperand(0).getDefiningOp()
                                                    : nullptr;
  if (start ? llvm::all_of(start->getOperands(), isEmpty) && llvm::all_of(start->getResults(), isEmpty)
            : llvm::all_of(op->getResults(), isEmpty)) {
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
    sweepRegion(op);
    return success();
  case OpClass::Collective:
    sweepCollective(op);
    return success();
  case OpClass::Wait:
    sweepWait(cast<WaitTensorOp>(op));
    return success();
  case OpClass::Select:
    if (isa<CatLikeOpInterface>(op) && !isInterleaved(op)) {
      sweepCat(op);
      return success();
    }
    [[fallthrough]];
  default:
    return sweepFusable(op, opClass);
  }
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
  smallProducts = findSmallProducts(function, options);
  options.kernelProducts = &smallProducts.products;
  computeLayouts();
  for (Value few : smallProducts.fewRows)
    if (Operation *owner = layouts[few].first.getDefiningOp())
      keptInMemory.insert(owner);
  findEpilogues();
  for (Operation &op : llvm::reverse(function.getBody().front()))
    if (failed(sweep(&op)))
      return failure();
  finish();
  if (failed(orderSteps()))
    return failure();
  for (const std::unique_ptr<FusionKernel> &kernel : plan.kernels)
    for (const KernelNode &node : kernel->nodes)
      if (node.kind == KernelNode::Kind::Load && plan.getStorage(node.value).kind == ValueStorage::Kind::Virtual)
        return emitError(node.value.getLoc(), "internal error: fusion plan reads a value that is not in memory");
  return std::move(plan);
}

FailureOr<FusionPlan> fxgraph::planFusion(mlir::func::FuncOp function, const FusionOptions &options) {
  return FusionPlanner(function, options).run();
}
