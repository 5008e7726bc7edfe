// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns, with A = gather(shard, dim) one of
//   wait(all_gather(shard))                                    dim 0
//   cat(parts of wait(all_gather(shard)); dim)                 parts along 0, in order
//   view_dtype of one of these
//
//   mm(A, B_i), reshape(mm(reshape(A), B_i)), A  ->  fused_all_gather_matmul(shard, B_i)
//   wait(reduce_scatter(C)), wait(reduce_scatter(cat(parts of C along dim; 0))),
//     C = mm(A, B) or reshape(mm(reshape(A), B))  ->  fused_matmul_reduce_scatter(A, B)
//
// Likewise of scaled_mm, whose scales of A are of all its rows: fused_all_gather_scaled_matmul,
// fused_scaled_matmul_reduce_scatter.
//
// PyTorch: torch/_inductor/fx_passes/micro_pipeline_tp.py. Gathers first, then scatters, each
// in order. Of a gather the longest form counts; it is met first from the block's end.

#include "Dependences.h"
#include "fxgraph/Transforms/Distributed/Passes.h"
#include "fxgraph/Transforms/Utils/Aliasing.h"

namespace fxgraph {
#define GEN_PASS_DEF_MICROPIPELINETPPASS
#include "fxgraph/Transforms/Distributed/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kGather{"fuse-all-gather-matmul", "", NumericClass::Reassociates};
static const RewriteKind kScatter{"fuse-matmul-reduce-scatter", "", NumericClass::Reassociates};

/// Below it the products of the pieces of the last dimension are too small to gain.
static constexpr int64_t kLeastLastExtent = 1024;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// If the values are all of `count` equal parts of one tensor along a dimension, in order:
/// that tensor and the dimension.
static std::optional<std::pair<Value, int64_t>> getPartitioned(ValueRange values, int64_t count) {
  if (static_cast<int64_t>(values.size()) != count)
    return std::nullopt;
  Value whole;
  int64_t dim = 0, next = 0;
  for (Value value : values) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumOperands() != 1)
      return std::nullopt;
    Value source = op->getOperand(0);
    auto type = typeOf(source);
    int64_t partDim, start;
    if (auto slice = dyn_cast<SliceOp>(op)) {
      partDim = wrapDim(slice.getDim(), type.getRank());
      if (slice.getStep() != 1 || type.isDynamicDim(partDim))
        return std::nullopt;
      start = clampSlice(type.getDimSize(partDim), slice.getStart(), slice.getEnd(), 1).start;
    } else if (auto split = dyn_cast<SplitLikeOpInterface>(op); split && !isa<UnbindOp>(op)) {
      partDim = wrapDim(split.getNormalizedDim(), type.getRank());
      int64_t number = cast<mlir::OpResult>(value).getResultNumber();
      start = 0;
      for (Value before : op->getResults().take_front(number))
        start += typeOf(before).getDimSize(partDim);
    } else {
      return std::nullopt;
    }
    int64_t extent = typeOf(value).getDimSize(partDim);
    if (!whole) {
      whole = source;
      dim = partDim;
      if (type.isDynamicDim(dim) || type.getDimSize(dim) % count != 0)
        return std::nullopt;
    }
    if (source != whole || partDim != dim || start != next || extent * count != type.getDimSize(dim))
      return std::nullopt;
    next += extent;
  }
  return std::pair(whole, dim);
}

/// True if all users of `value` are among the producers of `parts`.
static bool isOnlyPartitioned(Value value, ValueRange parts) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return llvm::any_of(parts, [&](Value part) { return part.getDefiningOp() == user; });
  });
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

namespace {
struct Gather {
  AllGatherIntoTensorOp start;
  /// What all processes have, joined along `dim`.
  Value whole;
  int64_t dim = 0;
};

/// A product of matrices.
struct Factors {
  Value left, right;
  /// Of 8-bit floats.
  ScaledMmOp scaled;

  /// What it takes besides its left factor.
  SmallVector<Value, 4> getOthers() const {
    if (!scaled)
      return {right};
    return llvm::to_vector<4>(scaled->getOperands().drop_front());
  }
};

/// A product with the gathered tensor on the left.
struct Product {
  Factors factors;
  /// What the fused op's result takes the place of.
  Operation *result;
  /// Of a product between two reshapes the product itself.
  Operation *inner = nullptr;
};
} // namespace

/// The gather that ends in the value, in any of its forms.
static std::optional<Gather> matchGather(Value value) {
  Value inner = value;
  if (auto view = inner.getDefiningOp<ViewDtypeOp>()) {
    inner = view.getInput();
    if (!inner.hasOneUse())
      return std::nullopt;
  }
  Gather gather{nullptr, value, 0};
  Value waited = inner;
  CatOp cat = inner.getDefiningOp<CatOp>();
  if (cat) {
    auto partitioned = getPartitioned(cat.getTensors(), cat.getTensors().size());
    if (!partitioned || partitioned->second != 0 || !isOnlyPartitioned(partitioned->first, cat.getTensors()) ||
        !llvm::all_of(cat.getTensors(), [](Value part) { return part.hasOneUse(); }))
      return std::nullopt;
    gather.dim = cat.getNormalizedDim();
    waited = partitioned->first;
  }
  auto wait = waited.getDefiningOp<WaitTensorOp>();
  gather.start = wait ? wait.getInput().getDefiningOp<AllGatherIntoTensorOp>() : nullptr;
  if (!gather.start || !gather.start->hasOneUse())
    return std::nullopt;
  if (cat && static_cast<int64_t>(cat.getTensors().size()) != static_cast<int64_t>(gather.start.getGroupSize()))
    return std::nullopt;
  return gather;
}

/// [m, k] of a tensor of any rank: all dimensions but the last are one.
static bool isMatrixOf(Value matrix, Value tensor) {
  auto type = typeOf(tensor), rows = typeOf(matrix);
  return rows.getRank() == 2 && type.getRank() > 2 && rows.hasStaticShape() && type.hasStaticShape() &&
         rows.getDimSize(1) == type.getShape().back();
}

static std::optional<Factors> getFactors(Operation *op) {
  if (auto mm = dyn_cast_if_present<MmOp>(op))
    return Factors{mm.getInput(), mm.getMat2(), nullptr};
  if (auto mm = dyn_cast_if_present<ScaledMmOp>(op))
    return Factors{mm.getInput(), mm.getMat2(), mm};
  if (auto matmul = dyn_cast_if_present<MatmulOp>(op);
      matmul && typeOf(matmul.getOther()).getRank() == 2 && typeOf(matmul.getInput()).getRank() >= 2)
    return Factors{matmul.getInput(), matmul.getOther(), nullptr};
  return std::nullopt;
}

/// The shape of tensor x weight.
static SmallVector<int64_t> getProductShape(Value tensor, Value weight) {
  SmallVector<int64_t> shape(typeOf(tensor).getShape());
  shape.back() = typeOf(weight).getDimSize(1);
  return shape;
}

static SmallVector<Product> collectProducts(Value whole) {
  SmallVector<Product> products;
  for (Operation *user : whole.getUsers()) {
    if (auto factors = getFactors(user);
        factors && factors->left == whole && !llvm::is_contained(factors->getOthers(), whole)) {
      products.push_back({*factors, user});
      continue;
    }
    if (!isa<ReshapeOp, ViewOp>(user) || !isMatrixOf(user->getResult(0), whole))
      continue;
    for (Operation *inner : user->getUsers()) {
      auto factors = getFactors(inner);
      if (!factors || factors->left != user->getResult(0) ||
          llvm::is_contained(factors->getOthers(), user->getResult(0)))
        continue;
      for (Operation *back : inner->getUsers())
        if (isa<ReshapeOp, ViewOp>(back) &&
            typeOf(back->getResult(0)).getShape() == ArrayRef<int64_t>(getProductShape(whole, factors->right))) {
          products.push_back({*factors, back, inner});
          break;
        }
    }
  }
  // Users are listed latest first.
  std::reverse(products.begin(), products.end());
  return products;
}

/// What `last` needs of the ops from op `first` on, in order, and `last`; nullopt if `first`
/// itself is among it.
static std::optional<SmallVector<unsigned>> collectNeeded(const Dependences &dependences, Operation *first,
                                                          Operation *last) {
  unsigned firstNumber = dependences.getNumber(first);
  SmallVector<unsigned> worklist{dependences.getNumber(last)}, needed;
  llvm::SmallDenseSet<unsigned> seen(worklist.begin(), worklist.end());
  while (!worklist.empty()) {
    unsigned number = worklist.pop_back_val();
    if (number == firstNumber)
      return std::nullopt;
    needed.push_back(number);
    for (unsigned predecessor : dependences.getPredecessors(number))
      if (predecessor >= firstNumber && seen.insert(predecessor).second)
        worklist.push_back(predecessor);
  }
  llvm::sort(needed);
  return needed;
}

/// What the values need of the ops from `start` on, which may come before it; nullopt if `start` is among it.
static std::optional<SmallVector<unsigned>> collectBefore(Operation *start, ArrayRef<Value> values,
                                                          std::optional<Dependences> &dependences) {
  SmallVector<unsigned> needed;
  for (Value value : values) {
    Operation *producer = value.getDefiningOp();
    if (!producer || producer->getBlock() != start->getBlock() || !start->isBeforeInBlock(producer))
      continue;
    if (!dependences)
      dependences.emplace(*start->getBlock(), Starts::Ordered);
    std::optional<SmallVector<unsigned>> before = collectNeeded(*dependences, start, producer);
    if (!before)
      return std::nullopt;
    needed.append(*before);
  }
  return needed;
}

/// True if one fused op takes both products.
static bool isLike(ScaledMmOp a, ScaledMmOp b) {
  if (!a || !b)
    return !a && !b;
  return a.getScaleA() == b.getScaleA() && !a.getBias() == !b.getBias() && a.getUseFastAccum() == b.getUseFastAccum();
}

static mlir::ResultRange createFusedGather(mlir::IRRewriter &rewriter, const Gather &gather, Value shard,
                                           ArrayRef<Product> products, bool returnsWhole) {
  AllGatherIntoTensorOp start = gather.start;
  SmallVector<Type> types;
  if (returnsWhole)
    types.push_back(gather.whole.getType());
  SmallVector<Value> weights, scales, biases;
  for (const Product &product : products) {
    types.push_back(product.result->getResult(0).getType());
    weights.push_back(product.factors.right);
    if (ScaledMmOp scaled = product.factors.scaled) {
      scales.push_back(scaled.getScaleB());
      if (scaled.getBias())
        biases.push_back(scaled.getBias());
    }
  }
  auto size = static_cast<int64_t>(start.getGroupSize());
  if (ScaledMmOp scaled = products.front().factors.scaled)
    return FusedAllGatherScaledMatmulOp::create(rewriter, start.getLoc(), types, shard, weights, scaled.getScaleA(),
                                                scales, biases, gather.dim, size, start.getGroupName(),
                                                scaled.getUseFastAccum(), returnsWhole)
        .getOutputs();
  return FusedAllGatherMatmulOp::create(rewriter, start.getLoc(), types, shard, weights, gather.dim, size,
                                        start.getGroupName(), returnsWhole)
      .getOutputs();
}

/// The reason why not, or empty.
static StringRef fuseGather(RewriteSession &session, const Gather &gather, ArrayRef<OptionText> groups) {
  AllGatherIntoTensorOp start = gather.start;
  auto shardType = typeOf(start.getInput());
  if (!groups.empty() && !llvm::is_contained(groups, start.getGroupName()))
    return "the group has no symmetric memory";
  SmallVector<Product> products = collectProducts(gather.whole);
  if (products.empty())
    return "no product has the gathered tensor on its left";
  bool isLast = gather.dim == shardType.getRank() - 1;
  int64_t lastExtent = typeOf(gather.whole).getShape().back() / (isLast ? int64_t(start.getGroupSize()) : 1);
  if (isLast && (typeOf(gather.whole).isDynamicDim(gather.dim) || lastExtent < kLeastLastExtent))
    return "the shard's last extent is below 1024";
  // Only asked for where a weight is made behind the gather: it walks the block, which is as
  // the rewrites before have left it.
  std::optional<Dependences> dependences;
  SmallVector<unsigned> needed;
  SmallVector<Product> kept;
  for (const Product &product : products) {
    ScaledMmOp scaled = product.factors.scaled;
    if (product.result->getBlock() != start->getBlock() ||
        (!scaled && typeOf(product.factors.right).getElementType() != typeOf(gather.whole).getElementType()))
      continue;
    // One op takes the scales of the gathered tensor once.
    if (!kept.empty() && !isLike(scaled, kept.front().factors.scaled))
      continue;
    std::optional<SmallVector<unsigned>> before = collectBefore(start, product.factors.getOthers(), dependences);
    if (!before)
      continue;
    needed.append(*before);
    kept.push_back(product);
  }
  if (kept.empty())
    return "the other factors depend on the gather, or on a collective of the group behind it";
  if (kept.front().factors.scaled && isLast)
    return "a scaled product takes no tensor that is gathered along its last dimension";
  // The matrix between a reshape and its products goes with them.
  auto isKept = [&](Operation *op) {
    return llvm::any_of(kept, [&](const Product &product) { return product.result == op || product.inner == op; });
  };
  bool hasOthers = !llvm::all_of(gather.whole.getUsers(), [&](Operation *user) {
    return isKept(user) ||
           (isa<ReshapeOp, ViewOp>(user) && !user->use_empty() && llvm::all_of(user->getUsers(), isKept));
  });
  if (isLast && hasOthers)
    return "the tensor gathered along its last dimension has other users";

  session.begin(kGather);
  mlir::IRRewriter &rewriter = session.getRewriter();
  llvm::sort(needed);
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  for (unsigned number : needed)
    dependences->getOps()[number]->moveBefore(start);
  rewriter.setInsertionPoint(start);
  Location loc = start.getLoc();
  Value shard = start.getInput();
  if (Type wanted = typeOf(gather.whole).getElementType(); wanted != shardType.getElementType()) {
    Dims dims = getDims(typeOf(gather.whole));
    if (dims[gather.dim].isStatic())
      dims[gather.dim] = Dim(dims[gather.dim].getExtent() / static_cast<int64_t>(start.getGroupSize()));
    shard = ViewDtypeOp::create(rewriter, loc, withDims(typeOf(gather.whole), dims), shard);
  }
  mlir::ResultRange fused = createFusedGather(rewriter, gather, shard, kept, /*returnsWhole=*/hasOthers);
  SmallVector<Operation *> dead;
  for (auto [product, value] : llvm::zip_equal(kept, fused.take_back(kept.size()))) {
    if (product.inner) {
      dead.append({product.inner->getOperand(0).getDefiningOp(), product.inner});
      if (!product.inner->hasOneUse()) {
        Value matrix =
            ReshapeOp::create(rewriter, product.inner->getLoc(), value, typeOf(product.inner->getResult(0)).getShape());
        rewriter.replaceUsesWithIf(
            product.inner->getResult(0), matrix,
            [result = product.result](mlir::OpOperand &use) { return use.getOwner() != result; });
      }
    }
    rewriter.replaceOp(product.result, value);
  }
  Operation *end = gather.whole.getDefiningOp();
  for (Value operand : end->getOperands())
    dead.push_back(operand.getDefiningOp());
  if (hasOthers)
    rewriter.replaceOp(end, fused.front());
  else
    dead.push_back(end);
  session.applied(loc, Twine(kept.size()) + " products");
  session.eraseDeadOps(dead);
  // An op with an effect is not dead by itself.
  rewriter.eraseOp(start);
  return "";
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

/// The reason why not, or empty.
static StringRef fuseScatter(RewriteSession &session, ReduceScatterTensorOp start, ArrayRef<OptionText> groups) {
  if (!groups.empty() && !llvm::is_contained(groups, start.getGroupName()))
    return "the group has no symmetric memory";
  WaitTensorOp wait;
  for (Operation *user : start->getUsers()) {
    if (auto other = dyn_cast<WaitTensorOp>(user); other && !wait)
      wait = other;
    else if (!user->hasTrait<mlir::OpTrait::ReturnLike>())
      return "the collective has other users than one wait and the graph's result";
  }
  if (!wait)
    return "nothing waits for the collective";
  if (start.getReduceOp() != "sum" && start.getReduceOp() != "avg")
    return "the reduction is neither sum nor avg";
  Value product = start.getInput();
  int64_t dim = 0;
  SmallVector<Operation *> dead;
  if (auto cat = product.getDefiningOp<CatOp>(); cat && cat.getNormalizedDim() == 0) {
    auto partitioned = getPartitioned(cat.getTensors(), start.getGroupSize());
    if (!partitioned)
      return "what is scattered is no product, nor its parts along a dimension";
    if (!cat->hasOneUse() || !isOnlyPartitioned(partitioned->first, cat.getTensors()))
      return "the product has other users";
    std::tie(product, dim) = *partitioned;
    for (Value part : cat.getTensors())
      dead.push_back(part.getDefiningOp());
    dead.push_back(cat);
  } else if (!product.hasOneUse()) {
    return "the product has other users";
  }
  Operation *result = product.getDefiningOp();
  auto factors = getFactors(result);
  if (!factors && llvm::isa_and_nonnull<ReshapeOp, ViewOp>(result)) {
    Operation *inner = result->getOperand(0).getDefiningOp();
    factors = getFactors(inner);
    Operation *before = factors ? factors->left.getDefiningOp() : nullptr;
    if (!factors || !inner->hasOneUse() || !llvm::isa_and_nonnull<ReshapeOp, ViewOp>(before) ||
        !isMatrixOf(factors->left, before->getOperand(0)) ||
        typeOf(product).getShape() != ArrayRef<int64_t>(getProductShape(before->getOperand(0), factors->right)))
      return "what is scattered is no product, nor its parts along a dimension";
    factors->left = before->getOperand(0);
    dead.append({before, inner});
  }
  if (!factors)
    return "what is scattered is no product, nor its parts along a dimension";
  dead.push_back(result);
  ScaledMmOp scaled = factors->scaled;
  if (scaled && dim == typeOf(product).getRank() - 1)
    return "a scaled product is not scattered along its last dimension";

  session.begin(kScatter);
  mlir::IRRewriter &rewriter = session.getRewriter();
  rewriter.setInsertionPoint(start);
  Location loc = rewriter.getFusedLoc({result->getLoc(), start.getLoc()});
  Type type = wait.getResult().getType();
  auto size = static_cast<int64_t>(start.getGroupSize());
  Value fused = scaled ? FusedScaledMatmulReduceScatterOp::create(rewriter, loc, type, factors->left, factors->right,
                                                                  scaled.getScaleA(), scaled.getScaleB(),
                                                                  scaled.getBias(), start.getReduceOp(), dim, size,
                                                                  start.getGroupName(), scaled.getUseFastAccum())
                             .getResult()
                       : FusedMatmulReduceScatterOp::create(rewriter, loc, type, factors->left, factors->right,
                                                            start.getReduceOp(), dim, size, start.getGroupName())
                             .getResult();
  rewriter.replaceOp(wait, fused);
  rewriter.replaceOp(start, fused);
  session.applied(loc, "");
  session.eraseDeadOps(dead);
  return "";
}

namespace {
struct MicroPipelineTpPass : public impl::MicroPipelineTpPassBase<MicroPipelineTpPass> {
  using Base::Base;

  void runOnOperation() override {
    RewriteSession session(*this);
    if (session.lacks<AllGatherIntoTensorOp>() && session.lacks<ReduceScatterTensorOp>())
      return;
    BoundaryGuard guard(session);
    guard.snapshot();
    SmallVector<OptionText> named(groups.begin(), groups.end());
    for (Block *block : session.collectBlocks()) {
      // From the end: of a gather the longest form is met first.
      SmallVector<Gather> gathers;
      SmallVector<ReduceScatterTensorOp> scatters;
      llvm::SmallPtrSet<Operation *, 8> seen;
      for (Operation &op : llvm::reverse(*block)) {
        if (auto scatter = dyn_cast<ReduceScatterTensorOp>(op))
          scatters.push_back(scatter);
        if (!isa<WaitTensorOp, CatOp, ViewDtypeOp>(op))
          continue;
        if (std::optional<Gather> gather = matchGather(op.getResult(0)); gather && seen.insert(gather->start).second)
          gathers.push_back(*gather);
      }
      for (Gather &gather : llvm::reverse(gathers)) {
        Location loc = gather.start.getLoc();
        if (StringRef reason = fuseGather(session, gather, named); !reason.empty())
          session.missed(loc, kGather, reason);
      }
      for (ReduceScatterTensorOp scatter : llvm::reverse(scatters)) {
        Location loc = scatter.getLoc();
        if (StringRef reason = fuseScatter(session, scatter, named); !reason.empty())
          session.missed(loc, kScatter, reason);
      }
    }
    guard.restore();
    if (!session.isValid())
      signalPassFailure();
  }
};
} // namespace
