// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Analysis/FusionOps.h"
#include "fxgraph/Dialect/IR/HostOps.h"
#include "fxgraph/Support/TensorSize.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace fxgraph;

int64_t fxgraph::getNumElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

std::optional<ConvolutionInfo> fxgraph::getConvolution(Operation *op) {
  auto conv = dyn_cast<ConvolutionOpInterface>(op);
  return conv ? std::optional(conv.getConvolution()) : std::nullopt;
}

bool fxgraph::canFuseAttention(Operation *op) {
  auto attention = dyn_cast<ScaledDotProductAttentionOp>(op);
  if (!attention)
    return false;
  constexpr int64_t most = int64_t(1) << 30, widest = 256;
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    auto tensor = cast<RankedTensorType>(type);
    if (!tensor.hasStaticShape() || tensor.getNumElements() == 0 || tensor.getNumElements() >= most)
      return false;
  }
  // Rows of whole 16-byte chunks and fragments.
  Type element = getElementType(attention.getQuery());
  auto fits = [&](int64_t width) { return width % 8 == 0 && width <= (element.isF32() ? widest / 2 : widest); };
  bool scale = !attention.getScale() || attention.getScale()->convertToDouble() > 0;
  return scale && (element.isF16() || element.isBF16() || element.isF32()) &&
         fits(getShape(attention.getQuery()).back()) && fits(getShape(attention.getValue()).back());
}

/// What a kernel takes that adds up each result's terms in order, in terms (some 50 ns on an H200, docs/Performance.md): steps
/// of one result, and the terms of all, of which so many are done at once.
static int64_t getSerialTerms(int64_t steps, int64_t terms) {
  constexpr int64_t atOnce = int64_t(1) << 18;
  return steps + terms / atOnce;
}

int64_t fxgraph::getThreadsOfSum(int64_t results, int64_t terms, int64_t threads) {
  constexpr int64_t fewestTerms = 32, mostThreads = 256;
  int64_t wanted = std::min({threads / std::max<int64_t>(1, results), terms / fewestTerms, mostThreads});
  return wanted < 2 ? 1 : llvm::bit_floor<uint64_t>(wanted);
}

/// Of 203 convolutions drawn at random (an H200, cuDNN without tf32; docs/Performance.md), what this leaves to the other of the
/// two takes 2 % longer than the faster one of each. The library's kernels for f32 need many results to be fast, and take up to
/// ten times as long as ours for large windows.
bool fxgraph::isKernelConvolution(Operation *op, bool tensorCoreFloats) {
  std::optional<ConvolutionInfo> conv = getConvolution(op);
  // What says how a library has it is a library's.
  if (!conv || conv->transposed || !conv->batched || op->hasAttr(kChannelsLastAttr) ||
      !llvm::all_of(op->getOperandTypes(), [](Type type) { return cast<RankedTensorType>(type).hasStaticShape(); }))
    return false;
  ArrayRef<int64_t> filter = getShape(conv->weight);
  int64_t window = getNumElements(filter.drop_front(2)), terms = filter[1] * window;
  // Windows of one channel: memory is all there is to it.
  constexpr int64_t mostWindow = 64;
  if (filter[1] == 1 && window <= mostWindow)
    return true;
  int64_t results = getNumElements(op->getResult(0)), operations = terms * results;
  Type element = getElementType(op->getResult(0));
  bool onTensorCores = element.isF16() || element.isBF16() || (element.isF32() && tensorCoreFloats);
  if (conv->groups != 1) {
    int64_t steps = llvm::divideCeil(terms, getThreadsOfSum(results, terms)), most = onTensorCores ? 112 : 320;
    return getSerialTerms(steps, 2 * operations) <= most;
  }
  constexpr int64_t largeWindow = 25, million = 1000000;
  bool isLarge = window >= largeWindow;
  if (onTensorCores)
    return operations <= (isLarge ? 50 : 25) * million;
  constexpr int64_t fewResults = 350000;
  return results <= fewResults || operations <= (isLarge ? 500 : 20) * million;
}

StridedLayout fxgraph::getLayout(Value value, const FusionOptions &options) {
  SmallVector<mlir::OpResult> views;
  for (Value source = value; Operation *owner = source.getDefiningOp(); source = owner->getOperand(0)) {
    OpClass opClass = classify(owner, options);
    if (opClass != OpClass::View && opClass != OpClass::Identity)
      break;
    views.push_back(cast<mlir::OpResult>(source));
  }
  std::optional<StridedLayout> layout;
  for (mlir::OpResult view : llvm::reverse(views))
    layout = getViewLayout(view, layout ? *layout : StridedLayout::rowMajor(getShape(view.getOwner()->getOperand(0))));
  return layout ? *layout : StridedLayout::rowMajor(getShape(value));
}

/// Whether the sums of a product go along rows of both operands: threads load several terms at once, and share a sum where
/// there are few.
static bool sumsRows(Value lhs, Value rhs, const FusionOptions &options) {
  StridedLayout left = getLayout(lhs, options), right = getLayout(rhs, options);
  return left.strides.back() == 1 && right.strides[right.strides.size() - 2] == 1;
}

/// Whether operands of a product are functions of sums, or of more than a kernel should compute: it would do so for each term.
static bool readsSums(mlir::ValueRange operands, const FusionOptions &options) {
  constexpr size_t mostOps = 16;
  llvm::SmallSetVector<Operation *, 16> inlined;
  auto add = [&](mlir::ValueRange operands) {
    for (Value operand : operands)
      if (Operation *owner = operand.getDefiningOp())
        inlined.insert(owner);
  };
  add(operands);
  for (size_t i = 0; i < inlined.size(); ++i) {
    OpClass opClass = classify(inlined[i], options);
    if (opClass == OpClass::Reduction || inlined.size() > mostOps)
      return true;
    if (opClass == OpClass::View || opClass == OpClass::Identity || opClass == OpClass::Pointwise)
      add(inlined[i]->getOperands());
  }
  return false;
}

/// Whether the library's call for a product would be its only step.
static bool isAlone(MatrixProductOpInterface op) {
  return !op.getAddend() &&
         llvm::all_of(op->getUsers(), [](Operation *user) { return user->hasTrait<mlir::OpTrait::IsTerminator>(); });
}

/// The operand that has up to 8 rows, or columns, of a product of 16 bits that adds up along rows of both and has done so once it
/// has read the other one: null where a library's call is done before. Fitted to 7 products on an H200 (docs/Performance.md).
static Value getFewRows(MatrixProductOpInterface op, const FusionOptions &options) {
  Value lhs = op.getLeft(), rhs = op.getRight();
  Type element = getElementType(op->getResult(0));
  if ((!element.isF16() && !element.isBF16()) || getElementType(lhs) != element || getElementType(rhs) != element ||
      getShape(rhs).size() != 2 || getNumElements(op->getResult(0)) == 0)
    return nullptr;
  int64_t depth = getShape(rhs).front(), columns = getShape(rhs).back(),
          rows = getNumElements(op->getResult(0)) / columns;
  constexpr int64_t mostRows = 8, shortest = 512, vector = 8;
  bool isLeftSmall = rows <= columns;
  int64_t few = std::min(rows, columns), many = std::max(rows, columns);
  if (few > mostRows || depth < shortest || !sumsRows(lhs, rhs, options) || readsSums(isLeftSmall ? rhs : lhs, options))
    return nullptr;
  // Microseconds: a launch, then what reads the other operand once, or what multiplies; against a call, whose own tiles are
  // empty for the most part, and what computes with its result behind it.
  constexpr double launch = 4.5, call = 8.5, computing = 2, bytesOfKernel = 2.9e6, bytesOfCall = 3.6e6, gain = 0.9;
  constexpr double termsOfVectors = 3e6, termsOfElements = 1e6;
  auto terms = static_cast<double>(many * depth), bytes = 2 * terms;
  bool areVectors = depth % vector == 0;
  double kernel = launch + std::max(bytes / bytesOfKernel,
                                    static_cast<double>(few) * terms / (areVectors ? termsOfVectors : termsOfElements));
  double other = call + (isAlone(op) ? 0 : computing) + bytes / bytesOfCall;
  return kernel < gain * other ? (isLeftSmall ? lhs : rhs) : nullptr;
}

SmallProducts fxgraph::findSmallProducts(mlir::func::FuncOp function, const FusionOptions &options) {
  constexpr size_t fewest = 4;
  constexpr int64_t mostSerialTerms = 80, mostHalfTerms = 110, halfWeight = 4, mostOfPlain = 32, termsAtOnce = 4;
  constexpr int64_t mostTerms = int64_t(1) << 20, longest = 1024, vector = 8;
  std::map<std::vector<const void *>, SmallVector<Operation *>> alike;
  // Products on the longest way to an op: those of one level do not read each other.
  DenseMap<Operation *, unsigned> levels;
  function.walk([&](Operation *op) {
    unsigned level = isa<MatrixProductOpInterface>(op) ? 1 : 0, before = 0;
    for (Value operand : op->getOperands())
      if (Operation *owner = operand.getDefiningOp())
        before = std::max(before, levels.lookup(owner));
    levels[op] = before + level;
    if (!isa<MatrixProductOpInterface>(op) ||
        !llvm::all_of(op->getOperandTypes(), [](Type type) { return cast<RankedTensorType>(type).hasStaticShape(); }))
      return;
    std::vector<const void *> key = {op->getName().getAsOpaquePointer()};
    for (Type type : op->getOperandTypes())
      key.push_back(type.getAsOpaquePointer());
    alike[key].push_back(op);
  });
  SmallProducts small;
  for (const auto &[key, ops] : alike) {
    auto first = cast<MatrixProductOpInterface>(ops.front());
    int64_t depth = getShape(first.getLeft()).back(), results = getNumElements(first->getResult(0)),
            columns = getShape(first->getResult(0)).back();
    Type element = getElementType(first->getResult(0));
    bool areMany = ops.size() >= fewest && getShape(first.getLeft()).size() == 2;
    bool mayBeCalls = options.libraryMatmul && options.smallInKernels;
    DenseMap<unsigned, unsigned> ofLevel;
    for (Operation *op : ops)
      ++ofLevel[levels[op]];
    auto addFewRows = [&](Operation *op) {
      bool areOneLaunch = areMany && ofLevel[levels[op]] >= fewest;
      Value few = mayBeCalls && !areOneLaunch ? getFewRows(cast<MatrixProductOpInterface>(op), options) : nullptr;
      if (few) {
        small.products.insert(op);
        small.fewRows.push_back(few);
      }
      return few != nullptr;
    };
    if (areMany && (element.isF16() || element.isBF16()) && depth % vector == 0 && columns % vector == 0) {
      llvm::for_each(ops, addFewRows);
      continue;
    }
    bool shareLaunch = areMany && depth <= longest && depth * results <= mostTerms;
    // Against tensor cores a term weighs more; of 88 products drawn at random the choice takes 1 % longer than the better one
    // of each (an H200, docs/Performance.md).
    bool onTensorCores = element.isF16() || element.isBF16();
    auto isSoonDone = [&](MatrixProductOpInterface op) {
      int64_t atOnce = sumsRows(op.getLeft(), op.getRight(), options) ? termsAtOnce : 1,
              steps = llvm::divideCeil(depth, atOnce), terms = depth * results;
      if (isAlone(op))
        return getSerialTerms(steps, terms) <= mostOfPlain;
      return getSerialTerms(steps, terms) <= mostSerialTerms &&
             (!onTensorCores || getSerialTerms(steps, halfWeight * terms) <= mostHalfTerms);
    };
    for (Operation *op : ops)
      if (!addFewRows(op) && (shareLaunch || (mayBeCalls && isSoonDone(cast<MatrixProductOpInterface>(op)) &&
                                              !readsSums(op->getOperands(), options))))
        small.products.insert(op);
  }
  return small;
}

bool fxgraph::isLibraryOp(Operation *op, const FusionOptions &options) {
  if (options.kernelProducts && options.kernelProducts->contains(op))
    return false;
  if (op->getNumResults() != 1 || !isa<RankedTensorType>(op->getResult(0).getType()) ||
      !isLibraryFloatType(getElementType(op->getResult(0))))
    return false;
  if (getNumElements(op->getResult(0)) == 0)
    return false;
  if (auto product = dyn_cast<MatrixProductOpInterface>(op)) {
    // An empty sum has nothing for a library to do.
    Value lhs = product.getLeft();
    Type element = getElementType(lhs);
    if (getNumElements(lhs) == 0 || element != getElementType(op->getResult(0)))
      return false;
    // Less than a fragment of the tensor cores is as well computed where it is used.
    constexpr int64_t fragment = 16;
    ArrayRef<int64_t> result = getShape(op->getResult(0)).take_back(2);
    bool fills = result[0] >= fragment && result[1] >= fragment && getShape(lhs).back() >= fragment;
    return options.libraryMatmul || (options.tensorCoreProducts && fills && (element.isF16() || element.isBF16()));
  }
  if (isa<ScaledDotProductAttentionOp>(op))
    return canFuseAttention(op);
  if (std::optional<ConvolutionInfo> conv = getConvolution(op))
    return options.libraryConvolution && !conv->transposed && conv->batched && getNumElements(conv->input) != 0 &&
           !(options.smallInKernels && isKernelConvolution(op, options.tensorCoreFloats));
  return false;
}

StringRef fxgraph::getLibraryActivation(Operation *op) {
  if (isa<ReluOp>(op))
    return "relu";
  auto gelu = dyn_cast<GeluOp>(op);
  return gelu && gelu.getApproximate() == "tanh" ? "gelu_tanh" : "";
}

std::string fxgraph::describeUnsupportedType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "has a value that is no tensor";
  if (!tensor.hasStaticShape())
    return "has a dynamic extent";
  if (isTooLarge(tensor))
    return ("has a tensor of more than " + kMaxTensorBytesText).str();
  Type element = tensor.getElementType();
  if (element.isInteger(1) || element.isInteger(8) || element.isInteger(16) || element.isInteger(32) ||
      element.isInteger(64) || isLibraryFloatType(element) ||
      isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(element))
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << "has element type " << element;
  return text;
}

bool fxgraph::startsCollective(Operation *op) {
  auto interface = dyn_cast<mlir::MemoryEffectOpInterface>(op);
  // What has a product in its midst is made of others.
  if (!interface || isa<DecomposableOpInterface>(op))
    return false;
  SmallVector<mlir::MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::any_of(effects, [](const mlir::MemoryEffects::EffectInstance &effect) {
    return effect.getResource() == CommunicationState::get();
  });
}

std::string fxgraph::describeCollectiveProblem(Operation *op) {
  auto reduceOp = op->getAttrOfType<StringAttr>("reduce_op");
  for (Value result : op->getResults()) {
    Type element = getElementType(result);
    std::string name;
    llvm::raw_string_ostream(name) << element;
    if (reduceOp && reduceOp.getValue() == "avg" && !isa<FloatType>(element))
      return "is a mean of " + name + ", which NCCL has of floats alone";
    if (reduceOp && element.isInteger(1) != getElementType(op->getResult(0)).isInteger(1))
      return "reduces bools and numbers at once, which NCCL does not";
    if (reduceOp && (element.isInteger(16) || (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8)))
      return "reduces " + name + ", which NCCL does not";
    if (!result.hasOneUse() || !isa<WaitTensorOp>(*result.user_begin()))
      return "has a result without one wait_tensor (--fxgraph-gpu-prepare places it)";
  }
  return "";
}

/// Whether a graph in a region does nothing but compute: kernels in it are known to, though they check indices.
static bool computesAlone(Operation *op) {
  return !op->walk<mlir::WalkOrder::PreOrder>([&](Operation *inner) {
              auto formed = dyn_cast<KernelFormOpInterface>(inner);
              if (isa<KernelOp>(inner) || (formed && formed.getKernelForm() == KernelForm::Ignored))
                return mlir::WalkResult::skip();
              bool isJudgedByParts = inner->hasTrait<mlir::OpTrait::HasRecursiveMemoryEffects>();
              return isJudgedByParts || mlir::isMemoryEffectFree(inner) ? mlir::WalkResult::advance()
                                                                        : mlir::WalkResult::interrupt();
            }).wasInterrupted();
}

bool fxgraph::runsGraphs(Operation *op) {
  return isa<CondOp, WhileLoopOp>(op) && computesAlone(op) &&
         llvm::all_of(llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()),
                      [](Type type) { return describeUnsupportedType(type).empty(); });
}

OpClass fxgraph::classify(Operation *op, const FusionOptions &options) {
  if (isa<KernelOp>(op) || runsGraphs(op))
    return OpClass::Region;
  if (startsCollective(op))
    return describeCollectiveProblem(op).empty() ? OpClass::Collective : OpClass::Unsupported;
  if (auto wait = dyn_cast<WaitTensorOp>(op)) {
    Operation *start = wait.getInput().getDefiningOp();
    return start && startsCollective(start) ? OpClass::Wait : OpClass::Identity;
  }
  if (isLibraryOp(op, options))
    return OpClass::Library;
  auto formed = dyn_cast<KernelFormOpInterface>(op);
  if (!formed)
    return isa<PointwiseOpInterface>(op) ? OpClass::Pointwise : OpClass::Unsupported;
  switch (formed.getKernelForm()) {
  case KernelForm::None:
    return OpClass::Unsupported;
  case KernelForm::Leaf:
    return OpClass::Leaf;
  case KernelForm::Identity:
    return OpClass::Identity;
  case KernelForm::View:
    return OpClass::View;
  case KernelForm::Select:
    return OpClass::Select;
  case KernelForm::Gather:
    return OpClass::Gather;
  case KernelForm::Pointwise:
    return OpClass::Pointwise;
  case KernelForm::Reduction:
    return OpClass::Reduction;
  case KernelForm::Write:
    return OpClass::Write;
  case KernelForm::Ignored:
    return OpClass::Ignored;
  }
  llvm_unreachable("a form that is none of KernelForm");
}

Attribute fxgraph::getSplatConstant(Operation *op) {
  if (auto full = dyn_cast<FullOp>(op)) {
    // What computes with the element converts from its type: -1 of ui8 is 255 then, and 0.1 of f32 no double.
    Type element = full.getResult().getType().getElementType();
    APFloat value = full.getValue();
    if (element.isF32())
      return FloatAttr::get(element, static_cast<float>(value.convertToDouble()));
    if (element.isInteger(1))
      return mlir::BoolAttr::get(op->getContext(), !value.isZero());
    llvm::APSInt number(64, /*isUnsigned=*/false);
    bool isExact;
    if (isa<IntegerType>(element) &&
        value.convertToInteger(number, APFloat::rmTowardZero, &isExact) != APFloat::opInvalidOp)
      return IntegerAttr::get(element, APInt(number).sextOrTrunc(element.getIntOrFloatBitWidth()));
    return full.getValueAttr();
  }
  auto constant = dyn_cast<ConstantOp>(op);
  if (!constant)
    return {};
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!dense || !dense.isSplat())
    return {};
  if (isa<mlir::ComplexType>(dense.getElementType()))
    return {};
  return dense.getSplatValue<Attribute>();
}

bool fxgraph::isLiteral(Operation *op) { return op->hasTrait<mlir::OpTrait::ConstantLike>() && !getSplatConstant(op); }

bool fxgraph::isRowStatistic(mlir::OpResult result) {
  auto rows = dyn_cast<RowOpInterface>(result.getOwner());
  return rows && rows.keepsRow() && result.getResultNumber() != 0;
}

/// What memory is read and written in, in bytes.
static constexpr int64_t kSectorBytes = 32;

/// Of an element in memory.
static int64_t getElementBytes(Value value) {
  Type element = getElementType(value);
  if (auto complex = dyn_cast<mlir::ComplexType>(element))
    return 2 * llvm::divideCeil(complex.getElementType().getIntOrFloatBitWidth(), 8);
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

bool fxgraph::isWrittenAnywhere(Value value, const FusionOptions &options) {
  Operation *owner = value.getDefiningOp();
  return !owner || llvm::is_contained({OpClass::View, OpClass::Identity, OpClass::Pointwise, OpClass::Leaf},
                                      classify(owner, options));
}

bool fxgraph::hasNarrowRows(CatLikeOpInterface cat) {
  constexpr unsigned mostPieces = 8;
  constexpr int64_t fewestElements = int64_t(1) << 20;
  Value result = cat->getResult(0);
  ArrayRef<int64_t> shape = getShape(result);
  unsigned pieces = cat->getNumOperands();
  int64_t row = getNumElements(shape.drop_front(cat.getNormalizedDim()));
  int64_t bytes = getElementBytes(result);
  return pieces >= 2 && pieces <= mostPieces && getNumElements(result) >= fewestElements &&
         row < getNumElements(result) && row * bytes <= pieces * kSectorBytes;
}

/// Whether neighbours along the fastest dimension of what a value is computed from, element by element, lie in different
/// sectors of memory.
static bool liesAcross(Value value, const FusionOptions &options, unsigned depth = 0) {
  constexpr unsigned deepest = 8;
  Operation *owner = value.getDefiningOp();
  if (owner && classify(owner, options) == OpClass::Pointwise)
    return depth < deepest && llvm::any_of(
                                  owner->getOperands(),
                                  [&](Value operand) {
                                    return getShape(operand) == getShape(value) &&
                                           liesAcross(operand, options, depth + 1);
                                  });
  StridedLayout layout = getLayout(value, options);
  int64_t bytes = getElementBytes(value);
  for (auto [size, stride] : llvm::reverse(llvm::zip_equal(getShape(value), layout.strides)))
    if (size != 1)
      return stride * bytes >= kSectorBytes;
  return false;
}

/// Of 22 cats drawn by hand (an H200, docs/Performance.md) it is slower where a kernel chooses between few pieces: two of 16
/// bits of which one is a single element, and up to three of 32 bits.
bool fxgraph::joinsRows(CatLikeOpInterface cat, const FusionOptions &options) {
  constexpr int64_t fewestBytes = int64_t(2) << 20, shortBytes = 2;
  if (!hasNarrowRows(cat))
    return false;
  Value result = cat->getResult(0);
  int64_t bytes = getElementBytes(result);
  size_t dim = cat.getNormalizedDim(), pieces = cat->getNumOperands();
  int64_t narrowest = std::numeric_limits<int64_t>::max(), widest = 0;
  for (Value piece : cat->getOperands()) {
    int64_t width = getNumElements(getShape(piece).drop_front(std::min(dim, getShape(piece).size())));
    narrowest = std::min(narrowest, width);
    widest = std::max(widest, width);
  }
  bool hasChoices = bytes <= shortBytes ? pieces > 2 || narrowest > 1 : pieces > 3;
  // What a kernel of the same launch writes, as it lies.
  auto isWrittenHere = [&](Value piece) { return isWrittenAnywhere(piece, options) && !liesAcross(piece, options); };
  return hasChoices && narrowest > 0 && widest > 1 && getNumElements(result) * bytes >= fewestBytes &&
         llvm::all_of(cat->getOperands(), isWrittenHere);
}

bool fxgraph::isCheap(Operation *op) {
  auto formed = dyn_cast<KernelFormOpInterface>(op);
  if (formed && formed.getKernelForm() == KernelForm::Leaf)
    return !isLiteral(op);
  if (!op->hasTrait<FewInstructions>())
    return false;
  int64_t count = getNumElements(op->getResult(0));
  unsigned large = 0;
  for (Value operand : op->getOperands())
    large += getNumElements(operand) * 8 > count;
  return large <= 1 || count <= 4096;
}

bool fxgraph::jumps(Operation *op, Type element) {
  auto division = dyn_cast<DivOp>(op);
  return !isa<FloatType>(element) || op->hasTrait<Jumps>() || (division && division.getRoundingMode());
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static int64_t getRank(Value value) { return getShape(value).size(); }

Index fxgraph::getBroadcastIndex(Value operand, ArrayRef<IndexExpr> index) {
  ArrayRef<int64_t> shape = getShape(operand);
  Index result;
  size_t skipped = index.size() - shape.size();
  for (size_t i = 0; i < shape.size(); ++i)
    result.push_back(shape[i] == 1 ? IndexExpr(0) : index[skipped + i]);
  return result;
}

/// Dimension and first index along it of one piece of a split-like op.
static std::pair<int64_t, int64_t> getPieceStart(mlir::OpResult piece) {
  auto split = cast<SplitLikeOpInterface>(piece.getOwner());
  int64_t dim = split.getNormalizedDim(), start = 0;
  if (split.dropsDim())
    return {dim, piece.getResultNumber()};
  for (unsigned i = 0; i < piece.getResultNumber(); ++i)
    start += getShape(piece.getOwner()->getResult(i))[dim];
  return {dim, start};
}

static std::optional<StridedMap> getStridedMap(mlir::OpResult value) {
  Operation *op = value.getOwner();
  int64_t rank = getRank(op->getOperand(0));
  if (auto view = dyn_cast<ViewLikeOpInterface>(op))
    return view.getStridedMap();
  if (auto split = dyn_cast<SplitLikeOpInterface>(op)) {
    StridedMap map = StridedMap::identity(rank);
    auto [dim, start] = getPieceStart(value);
    map.start[dim] = start;
    if (split.dropsDim()) {
      map.inputDim.erase(map.inputDim.begin() + dim);
      map.step[dim] = 0;
    }
    return map;
  }
  auto formed = dyn_cast<KernelFormOpInterface>(op);
  if (formed && formed.getKernelForm() == KernelForm::Identity)
    return StridedMap::identity(rank);
  return std::nullopt;
}

static bool isReshapeLike(Operation *op) {
  auto view = dyn_cast<ViewLikeOpInterface>(op);
  return view && view.keepsRowMajorOrder();
}

Index fxgraph::getViewIndex(mlir::OpResult view, ArrayRef<IndexExpr> index, IndexSpace &space) {
  Operation *op = view.getOwner();
  Value input = op->getOperand(0);
  ArrayRef<int64_t> inputShape = getShape(input), shape = getShape(view);
  if (isReshapeLike(op))
    return space.reshape(index, shape, inputShape);
  if (auto other = dyn_cast<ViewLikeOpInterface>(op))
    return evaluate(other.getIndexMap(), index, space);
  return evaluate(getAffineMap(*getStridedMap(view), op->getContext()), index, space);
}

StridedLayout StridedLayout::rowMajor(ArrayRef<int64_t> shape) {
  StridedLayout layout;
  layout.strides.assign(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    layout.strides[i - 1] = layout.strides[i] * shape[i];
  return layout;
}

bool StridedLayout::isContiguous(ArrayRef<int64_t> shape) const {
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected)
      return false;
    expected *= shape[i];
  }
  return true;
}

/// Strides of a reshape, group by group as IndexSpace::reshape does it: a group
/// whose input dimensions are not evenly strided cannot be merged.
static std::optional<StridedLayout> reshapeLayout(const StridedLayout &source, ArrayRef<int64_t> from,
                                                  ArrayRef<int64_t> to) {
  StridedLayout result;
  result.offset = source.offset;
  result.strides.assign(to.size(), 1);
  if (getNumElements(to) == 0)
    return StridedLayout::rowMajor(to);
  size_t i = 0, j = 0;
  while (i < to.size() || j < from.size()) {
    size_t firstTo = i, firstFrom = j;
    int64_t left = i < to.size() ? to[i++] : 1, right = j < from.size() ? from[j++] : 1;
    while (left != right) {
      if (left < right)
        left *= to[i++];
      else
        right *= from[j++];
    }
    int64_t stride = 1;
    bool first = true;
    int64_t expected = 0;
    for (size_t k = j; k-- > firstFrom;) {
      if (from[k] == 1)
        continue;
      if (first)
        stride = source.strides[k];
      else if (source.strides[k] != expected)
        return std::nullopt;
      expected = source.strides[k] * from[k];
      first = false;
    }
    for (size_t k = i; k-- > firstTo;) {
      result.strides[k] = stride;
      stride *= to[k];
    }
  }
  return result;
}

std::optional<StridedLayout> fxgraph::getViewLayout(mlir::OpResult view, const StridedLayout &source) {
  Operation *op = view.getOwner();
  if (op->getNumOperands() == 0 || !isa<RankedTensorType>(op->getOperand(0).getType()))
    return std::nullopt;
  ArrayRef<int64_t> inputShape = getShape(op->getOperand(0)), shape = getShape(view);
  if (isReshapeLike(op))
    return reshapeLayout(source, inputShape, shape);
  std::optional<StridedMap> map = getStridedMap(view);
  if (!map || llvm::any_of(map->step, [](int64_t step) { return step < 0; }))
    return std::nullopt;
  StridedLayout result;
  result.offset = source.offset;
  for (size_t i = 0; i < inputShape.size(); ++i)
    result.offset += map->start[i] * source.strides[i];
  for (int64_t dim : map->inputDim)
    result.strides.push_back(dim < 0 ? 0 : source.strides[dim] * map->step[dim]);
  return result;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Index fxgraph::createRootDims(mlir::OpResult value, IndexSpace &space) {
  ArrayRef<int64_t> shape = getShape(value);
  // Dimensions of which rows are quotients are two: groups, and elements of a group.
  SmallVector<int64_t> groupSizes(shape.size(), 1);
  if (auto loop = dyn_cast<KernelLoopOpInterface>(value.getOwner())) {
    for (mlir::AffineExpr row : loop.getLoopRows().getResults())
      if (auto quotient = dyn_cast<mlir::AffineBinaryOpExpr>(row))
        groupSizes[cast<mlir::AffineDimExpr>(quotient.getLHS()).getPosition()] =
            cast<mlir::AffineConstantExpr>(quotient.getRHS()).getValue();
  }
  Index index;
  for (auto [size, groupSize] : llvm::zip_equal(shape, groupSizes)) {
    if (groupSize == 1) {
      index.push_back(space.addDim(size));
      continue;
    }
    IndexExpr group = space.addDim(size / groupSize), element = space.addDim(groupSize);
    index.push_back(space.addScaled(element, group, groupSize));
  }
  return index;
}

Index fxgraph::getSiblingIndex(mlir::OpResult result, ArrayRef<IndexExpr> first) {
  Index index(first);
  if (!isRowStatistic(result))
    return index;
  // Mean and rstd have extent 1 where the result is normalised.
  for (auto [expr, size] : llvm::zip_equal(index, getShape(result)))
    if (size == 1)
      expr = 0;
  return index;
}
