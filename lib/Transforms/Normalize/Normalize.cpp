// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One spelling per meaning. PyTorch: torch/_inductor/fx_passes/split_cat.py,
// the normalize_*_default functions. Exact; one walk over the ops, with a table of
// the attributes that name dimensions.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/Normalize/Passes.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "llvm/ADT/TypeSwitch.h"

namespace fxgraph {
#define GEN_PASS_DEF_NORMALIZEPASS
#include "fxgraph/Transforms/Normalize/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kDim{"dim", ""};
static const RewriteKind kShape{"shape", ""};
static const RewriteKind kBounds{"bounds", ""};

namespace {
/// An attribute that holds a dimension or a list of them.
struct DimAttribute {
  StringRef op, name;
  enum Rank { Input, Result } rank = Input; ///< whose rank the dimension counts in
  bool unordered = false;                   ///< the order of the list means nothing
};
} // namespace

static constexpr DimAttribute dimAttributes[] = {
    // Splits and cats.
    {"split_with_sizes", "dim"},
    {"unbind", "dim"},
    {"cat", "dim", DimAttribute::Result},
    {"stack", "dim", DimAttribute::Result},
    // Views.
    {"permute", "dims"},
    {"squeeze", "dims", DimAttribute::Input, true},
    {"unsqueeze", "dim", DimAttribute::Result},
    {"flatten", "start_dim"},
    {"flatten", "end_dim"},
    {"unflatten", "dim"},
    {"slice", "dim"},
    {"select", "dim"},
    {"flip", "dims", DimAttribute::Input, true},
    {"roll", "dims"},
    {"slice_scatter", "dim"},
    {"select_scatter", "dim"},
    {"sym_size", "dim"},
    // Reductions and what works along a dimension.
    {"sum", "dims", DimAttribute::Input, true},
    {"mean", "dims", DimAttribute::Input, true},
    {"amax", "dims", DimAttribute::Input, true},
    {"amin", "dims", DimAttribute::Input, true},
    {"prod", "dims", DimAttribute::Input, true},
    {"any", "dims", DimAttribute::Input, true},
    {"all", "dims", DimAttribute::Input, true},
    {"var", "dims", DimAttribute::Input, true},
    {"logsumexp", "dims", DimAttribute::Input, true},
    {"vector_norm", "dims", DimAttribute::Input, true},
    {"argmax", "dim"},
    {"argmin", "dim"},
    {"max_dim", "dim"},
    {"min_dim", "dim"},
    {"softmax", "dim"},
    {"log_softmax", "dim"},
    {"cumsum", "dim"},
    {"cumprod", "dim"},
    {"topk", "dim"},
    {"sort", "dim"},
    // Indexing.
    {"index", "dims"},
    {"index_put", "dims"},
    {"index_select", "dim"},
    {"gather", "dim"},
    {"scatter", "dim"},
    {"scatter_add", "dim"},
};

/// The canonical form of a dimension attribute; null to remove it.
static Attribute normalizeDimAttribute(Operation *op, const DimAttribute &entry, Attribute attr) {
  Value of = entry.rank == DimAttribute::Input ? op->getOperand(0) : Value(op->getResult(0));
  int64_t rank = cast<RankedTensorType>(of.getType()).getRank();
  if (auto number = dyn_cast<IntegerAttr>(attr))
    return IntegerAttr::get(number.getType(), wrapDim(number.getInt(), rank));
  auto list = cast<DenseI64ArrayAttr>(attr);
  if (list.empty() && isa<ReductionOpInterface>(op))
    return {};
  SmallVector<int64_t> dims;
  for (int64_t dim : list.asArrayRef())
    dims.push_back(wrapDim(dim, rank));
  if (entry.unordered)
    llvm::sort(dims);
  return DenseI64ArrayAttr::get(op->getContext(), dims);
}

namespace {
/// What the pass is asked for.
struct Settings {
  bool flattenToReshape, viewToReshape, transposeToPermute;
  StringRef counter;
  bool countSynonyms;
};

class Normalizer {
public:
  Normalizer(RewriteSession &session, const Settings &settings)
      : session(session), settings(settings), split{"split-to-sizes", settings.counter},
        countedDim{"dim", settings.counter}, flatten{"flatten-to-reshape", getSynonymCounter()},
        view{"view-to-reshape", getSynonymCounter()}, permute{"transpose-to-permute", getSynonymCounter()} {}

  void visit(Operation *op, ArrayRef<DimAttribute> dims) {
    normalizeDims(op, dims);
    llvm::TypeSwitch<Operation *>(op)
        .Case<SplitOp, ChunkOp>([&](auto split) { normalizeSplit(split); })
        .Case<ReshapeOp, ExpandOp>([&](auto view) { normalizeShape(view); })
        .Case<ViewOp>([&](ViewOp viewOp) {
          normalizeShape(viewOp);
          replaceView(viewOp);
        })
        .Case<SliceOp, SliceScatterOp>([&](auto slice) { normalizeBounds(slice); })
        .Case<SelectOp, SelectScatterOp>([&](auto select) { normalizeIndex(select); })
        .Case<TransposeOp>([&](TransposeOp transpose) { normalizeTranspose(transpose); })
        .Case<FlattenOp, UnflattenOp>([&](auto view) { normalizeFlatten(view); });
    // Nothing here may look at the op: a case may have replaced it.
  }

private:
  StringRef getSynonymCounter() const { return settings.countSynonyms ? settings.counter : StringRef(); }

  /// Changes attributes in place; a null value removes the attribute.
  void update(Operation *op, const RewriteKind &kind, ArrayRef<std::pair<StringRef, Attribute>> attributes) {
    session.begin(kind);
    session.getRewriter().modifyOpInPlace(op, [&] {
      for (auto [name, value] : attributes) {
        if (value)
          op->setAttr(name, value);
        else
          op->removeAttr(name);
      }
    });
    session.applied(op->getLoc());
  }

  void normalizeDims(Operation *op, ArrayRef<DimAttribute> entries) {
    SmallVector<std::pair<StringRef, Attribute>> changed;
    for (const DimAttribute &entry : entries) {
      Attribute old = op->getAttr(entry.name);
      if (!old)
        continue;
      Attribute normalized = normalizeDimAttribute(op, entry, old);
      if (normalized != old)
        changed.emplace_back(entry.name, normalized);
    }
    if (!changed.empty())
      update(op, isa<SplitLikeOpInterface, CatLikeOpInterface>(op) ? countedDim : kDim, changed);
  }

  /// Pattern: split(x; n, d), chunk(x; n, d) -> split_with_sizes(x; extents of the results, d)
  template <typename OpTy>
  void normalizeSplit(OpTy op) {
    Location loc = op.getLoc();
    // Sections are read off the results: the last may be shorter, and a chunk may
    // have fewer pieces than were asked for.
    std::optional<SmallVector<int64_t>> sections = op.getStaticSections();
    if (!sections) {
      session.missed(loc, split, "a section is not known");
      return;
    }
    mlir::IRRewriter &rewriter = session.getRewriter();
    session.begin(split);
    rewriter.setInsertionPoint(op);
    rewriter.replaceOp(op, SplitWithSizesOp::create(rewriter, loc, op.getResultTypes(), op.getInput(),
                                                    rewriter.getDenseI64ArrayAttr(*sections),
                                                    rewriter.getI64IntegerAttr(op.getNormalizedDim())));
    session.applied(loc);
  }

  template <typename OpTy>
  void normalizeShape(OpTy view) {
    SmallVector<int64_t> shape(view.getShape());
    for (auto [extent, known] : llvm::zip_equal(shape, view.getResult().getType().getShape()))
      if (extent == -1 && !ShapedType::isDynamic(known))
        extent = known;
    if (ArrayRef(shape) != view.getShape())
      update(view, kShape, {{"shape", DenseI64ArrayAttr::get(view.getContext(), shape)}});
  }

  template <typename OpTy>
  void normalizeBounds(OpTy slice) {
    auto type = slice.getInput().getType();
    int64_t extent = type.getDimSize(wrapDim(slice.getDim(), type.getRank()));
    if (ShapedType::isDynamic(extent))
      return; // -1 from the end of an unknown extent has no other name.
    auto start = static_cast<int64_t>(slice.getStart()), end = static_cast<int64_t>(slice.getEnd());
    SliceBounds bounds = clampSlice(extent, start, end, slice.getStep());
    int64_t newEnd = std::max(bounds.start, bounds.end);
    if (start == bounds.start && end == newEnd)
      return;
    mlir::IRRewriter &rewriter = session.getRewriter();
    update(slice, kBounds,
           {{"start", rewriter.getI64IntegerAttr(bounds.start)}, {"end", rewriter.getI64IntegerAttr(newEnd)}});
  }

  template <typename OpTy>
  void normalizeIndex(OpTy select) {
    auto type = select.getInput().getType();
    int64_t extent = type.getDimSize(wrapDim(select.getDim(), type.getRank()));
    auto index = static_cast<int64_t>(select.getIndex());
    if (ShapedType::isDynamic(extent) || index >= 0)
      return;
    update(select, kBounds, {{"index", session.getRewriter().getI64IntegerAttr(index + extent)}});
  }

  void normalizeTranspose(TransposeOp transpose) {
    int64_t rank = transpose.getInput().getType().getRank();
    int64_t dim0 = wrapDim(transpose.getDim0(), rank), dim1 = wrapDim(transpose.getDim1(), rank);
    if (dim0 > dim1)
      std::swap(dim0, dim1);
    if (settings.transposeToPermute)
      return replaceTranspose(transpose, dim0, dim1);
    if (dim0 == static_cast<int64_t>(transpose.getDim0()) && dim1 == static_cast<int64_t>(transpose.getDim1()))
      return;
    mlir::IRRewriter &rewriter = session.getRewriter();
    update(transpose, kDim, {{"dim0", rewriter.getI64IntegerAttr(dim0)}, {"dim1", rewriter.getI64IntegerAttr(dim1)}});
  }

  /// Pattern: transpose(x; d, e) -> permute(x; d and e exchanged)
  void replaceTranspose(TransposeOp op, int64_t dim0, int64_t dim1) {
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, op.getInput().getType().getRank()));
    if (!order.empty())
      std::swap(order[dim0], order[dim1]);
    mlir::IRRewriter &rewriter = session.getRewriter();
    replace(op, permute, [&] {
      return PermuteOp::create(rewriter, op.getLoc(), op.getResult().getType(), op.getInput(),
                               rewriter.getDenseI64ArrayAttr(order));
    });
  }

  /// Pattern: view(x; shape) -> reshape(x; shape)
  void replaceView(ViewOp op) {
    if (!settings.viewToReshape)
      return;
    replace(op, view, [&] {
      return ReshapeOp::create(session.getRewriter(), op.getLoc(), op.getResult().getType(), op.getInput(),
                               op.getSizes(), op.getShapeAttr());
    });
  }

  /// Pattern: flatten(x), unflatten(x) -> reshape(x; static shape)
  template <typename OpTy>
  void normalizeFlatten(OpTy op) {
    auto type = op.getResult().getType();
    if (!settings.flattenToReshape || !type.hasStaticShape())
      return;
    mlir::IRRewriter &rewriter = session.getRewriter();
    replace(op, flatten, [&] {
      return ReshapeOp::create(rewriter, op.getLoc(), type, op.getInput(), ValueRange(),
                               rewriter.getDenseI64ArrayAttr(type.getShape()));
    });
  }

  /// Puts another spelling in the place of the op.
  void replace(Operation *op, const RewriteKind &kind, function_ref<Operation *()> create) {
    Location loc = op->getLoc();
    session.begin(kind);
    session.getRewriter().setInsertionPoint(op);
    session.getRewriter().replaceOp(op, create());
    session.applied(loc);
  }

  RewriteSession &session;
  const Settings settings;
  const RewriteKind split, countedDim, flatten, view, permute;
};

struct NormalizePass : public impl::NormalizePassBase<NormalizePass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    table.clear();
    for (const DimAttribute &entry : dimAttributes)
      table[mlir::OperationName((FxGraphDialect::getDialectNamespace() + "." + entry.op).str(), context)
                .getAsOpaquePointer()]
          .push_back(entry);
    // Those without a dimension attribute, or with rules of their own.
    for (StringRef name : {SplitOp::getOperationName(), ChunkOp::getOperationName(), ReshapeOp::getOperationName(),
                           ViewOp::getOperationName(), ExpandOp::getOperationName(), TransposeOp::getOperationName()})
      table[mlir::OperationName(name, context).getAsOpaquePointer()];
    return success();
  }

  void runOnOperation() override {
    auto isInTable = [&](mlir::OperationName name) { return table.count(name.getAsOpaquePointer()) != 0; };
    RewriteSession session(*this);
    if (!getOpNames().containsAny(isInTable))
      return;
    Normalizer normalizer(session, {flattenToReshape, viewToReshape, transposeToPermute, counter, countSynonyms});
    getOperation().getFunctionBody().walk([&](Operation *op) {
      auto it = table.find(op->getName().getAsOpaquePointer());
      if (it != table.end())
        normalizer.visit(op, it->second);
    });
    if (!session.isValid())
      signalPassFailure();
  }

private:
  /// Dimension attributes of the ops that have a canonical form.
  DenseMap<const void *, SmallVector<DimAttribute, 2>> table;
};
} // namespace
