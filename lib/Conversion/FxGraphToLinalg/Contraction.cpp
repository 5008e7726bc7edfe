// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices in all spellings, as labelled contractions: every dimension
// of an operand has a label, labels that the result lacks are summed. So rank
// rules, transposed operands and einsum are one builder. Transposes in front of an
// operand are taken into its labels rather than materialised.
//
// 16-bit floats accumulate in f32 and are rounded once, with bias, alpha and beta
// applied before (PyTorch's addmm). Integers wrap.

#include "ControlFlow.h"
#include "LoweringUtils.h"
#include "PopulatePatterns.h"
#include "fxgraph/Dialect/IR/Einsum.h"

using namespace fxgraph;
using namespace fxgraph::lowering;

namespace {

using Labels = SmallVector<int, 6>;

/// One operand of a contraction.
struct Term {
  Value tensor; // converted
  Labels labels;
};

Type accumulatorType(Type dtype) { return isBool(dtype) ? Type(getStorageType(dtype)) : getComputeType(dtype); }

/// Operand of a contraction, seen through the transposes that make it.
Term makeTerm(ConversionPatternRewriter &rewriter, Value original, Value converted, Labels labels) {
  while (Operation *producer = original.getDefiningOp()) {
    SmallVector<int64_t> order;
    Value input;
    if (auto permute = dyn_cast<PermuteOp>(producer)) {
      input = permute.getInput();
      for (int64_t dim : permute.getDims())
        order.push_back(wrapDim(dim, labels.size()));
    } else if (auto transpose = dyn_cast<TransposeOp>(producer)) {
      input = transpose.getInput();
      order = llvm::to_vector(llvm::seq<int64_t>(0, labels.size()));
      if (!order.empty())
        std::swap(order[wrapDim(transpose.getDim0(), order.size())], order[wrapDim(transpose.getDim1(), order.size())]);
    } else {
      break;
    }
    Value remapped = rewriter.getRemappedValue(input);
    if (!remapped || !isa<RankedTensorType>(remapped.getType()))
      break;
    // Result dimension i is input dimension order[i].
    Labels before(labels.size());
    for (auto [i, dim] : llvm::enumerate(order))
      before[dim] = labels[i];
    labels = before;
    original = input;
    converted = remapped;
  }
  return {converted, labels};
}

/// Extents by label; a broadcast extent (1 beside another) is left to the maps.
using LabelSizes = llvm::MapVector<int, OpFoldResult>;

void collectSizes(OpBuilder &b, Location loc, const Term &term, LabelSizes &sizes) {
  Sizes extents = getSizes(b, loc, term.tensor);
  for (auto [label, extent] : llvm::zip_equal(term.labels, extents)) {
    auto [it, inserted] = sizes.insert({label, extent});
    if (inserted)
      continue;
    std::optional<int64_t> known = constantSize(it->second), own = constantSize(extent);
    if (known == 1 || (!known && own && *own != 1)) {
      if (!known)
        assertEqualSizes(b, loc, it->second, extent, "expected equal extents of a contracted or batch dimension");
      it->second = extent;
    } else if (own != 1 && !(known && own)) {
      assertEqualSizes(b, loc, it->second, extent, "expected equal extents of a contracted or batch dimension");
    }
  }
}

AffineMap termMap(OpBuilder &b, const Term &term, const LabelSizes &sizes, ArrayRef<int> loops) {
  SmallVector<mlir::AffineExpr> exprs;
  RankedTensorType type = tensorType(term.tensor);
  for (auto [i, label] : llvm::enumerate(term.labels)) {
    if (type.getDimSize(i) == 1 && constantSize(sizes.lookup(label)) != 1)
      exprs.push_back(b.getAffineConstantExpr(0));
    else
      exprs.push_back(b.getAffineDimExpr(llvm::find(loops, label) - loops.begin()));
  }
  return AffineMap::get(loops.size(), 0, exprs, b.getContext());
}

/// Sum over the labels that `result` lacks of the product of the terms, added to
/// `init` (null: 0). The result has the accumulator type of `dtype`.
Value buildContraction(OpBuilder &b, Location loc, ArrayRef<Term> terms, ArrayRef<int> result, Type dtype,
                       Value init = {}) {
  LabelSizes sizes;
  for (const Term &term : terms)
    collectSizes(b, loc, term, sizes);
  Labels loops(result);
  SmallVector<mlir::utils::IteratorType> iterators(result.size(), mlir::utils::IteratorType::parallel);
  for (auto &[label, extent] : sizes)
    if (!llvm::is_contained(loops, label)) {
      loops.push_back(label);
      iterators.push_back(mlir::utils::IteratorType::reduction);
    }
  Type accumulator = accumulatorType(dtype);
  SmallVector<AffineMap> maps;
  SmallVector<Value> tensors;
  for (const Term &term : terms) {
    maps.push_back(termMap(b, term, sizes, loops));
    tensors.push_back(term.tensor);
  }
  if (!init) {
    Sizes extents;
    for (int label : result)
      extents.push_back(sizes.lookup(label));
    init = createFilled(b, loc, extents, createScalar(b, loc, accumulator, 0));
  }
  maps.push_back(leadingLoops(b, loops.size(), result.size()));
  auto generic = mlir::linalg::GenericOp::create(
      b, loc, init.getType(), tensors, init, maps, iterators, [&](OpBuilder &n, Location l, ValueRange args) {
        Scalars s(n, l, accumulator);
        Value product;
        for (Value arg : args.drop_back()) {
          Value factor = isBool(dtype) ? arg : loadElement(n, l, arg, dtype);
          product = product ? s.mul(product, factor) : factor;
        }
        Value sum = isBool(dtype) ? s.orB(args.back(), product) : s.add(args.back(), product);
        mlir::linalg::YieldOp::create(n, l, sum);
      });
  return generic.getResult(0);
}

/// Rounds an accumulator to the stored dtype.
Value finish(OpBuilder &b, Location loc, Value accumulated, Type dtype) {
  if (dtypeOf(accumulated) == getStorageType(dtype))
    return accumulated;
  return buildElementwise(b, loc, accumulated, getStorageType(dtype), [&](OpBuilder &n, Location l, ValueRange args) {
    return storeElement(n, l, args[0], dtype);
  });
}

/// `tensor` (of `dtype`) broadcast to `sizes`, in the accumulator type: a starting value.
Value broadcastInit(OpBuilder &b, Location loc, Value tensor, Type dtype, ArrayRef<OpFoldResult> sizes) {
  AffineMap map = broadcastMap(b, loc, tensor, sizes);
  return buildParallel(b, loc, tensor, map, sizes, accumulatorType(dtype),
                       [&](OpBuilder &n, Location l, ValueRange args) { return loadElement(n, l, args[0], dtype); });
}

/// Labels of matmul operands by PyTorch's rank rules. Batch labels count from the
/// right, so that batches align; -1, -2, -3 are m, n, k.
constexpr int kM = -1, kN = -2, kK = -3;
void matmulLabels(int64_t lhsRank, int64_t rhsRank, Labels &lhs, Labels &rhs, Labels &result) {
  int64_t lhsBatch = std::max<int64_t>(lhsRank - 2, 0), rhsBatch = std::max<int64_t>(rhsRank - 2, 0);
  for (int64_t i = lhsBatch; i > 0; --i)
    lhs.push_back(i);
  for (int64_t i = rhsBatch; i > 0; --i)
    rhs.push_back(i);
  for (int64_t i = std::max(lhsBatch, rhsBatch); i > 0; --i)
    result.push_back(i);
  if (lhsRank >= 2) {
    lhs.push_back(kM);
    result.push_back(kM);
  }
  lhs.push_back(kK);
  rhs.push_back(kK);
  if (rhsRank >= 2) {
    rhs.push_back(kN);
    result.push_back(kN);
  }
}

/// matmul, mm, bmm: two operands, PyTorch's rank rules.
template <typename OpTy>
struct MatmulLowering : public OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    Labels lhsLabels, rhsLabels, result;
    matmulLabels(tensorType(lhs).getRank(), tensorType(rhs).getRank(), lhsLabels, rhsLabels, result);
    Type dtype = dtypeOf(lhs);
    Term terms[] = {makeTerm(rewriter, lhs, adaptor.getOperands()[0], lhsLabels),
                    makeTerm(rewriter, rhs, adaptor.getOperands()[1], rhsLabels)};
    Value value = finish(rewriter, loc, buildContraction(rewriter, loc, terms, result, dtype), dtype);
    rewriter.replaceOp(op,
                       castTo(rewriter, loc, value, this->getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

/// addmm and baddbmm.
template <typename OpTy>
struct AddProductLowering : public OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Labels lhsLabels, rhsLabels, result;
    matmulLabels(op.getMat1().getType().getRank(), op.getMat2().getType().getRank(), lhsLabels, rhsLabels, result);
    Type dtype = op.getResult().getType().getElementType(), biasType = dtypeOf(op.getInput());
    Term terms[] = {makeTerm(rewriter, op.getMat1(), adaptor.getMat1(), lhsLabels),
                    makeTerm(rewriter, op.getMat2(), adaptor.getMat2(), rhsLabels)};
    double beta = op.getBeta().convertToDouble(), alpha = op.getAlpha().convertToDouble();
    Sizes sizes;
    for (auto [i, label] : llvm::enumerate(result)) {
      const Term &from = label == kN ? terms[1] : terms[0];
      sizes.push_back(getSize(rewriter, loc, from.tensor, llvm::find(from.labels, label) - from.labels.begin()));
    }
    Value value;
    if (beta == 1.0 && alpha == 1.0 && biasType == dtype) {
      value = buildContraction(rewriter, loc, terms, result, dtype,
                               broadcastInit(rewriter, loc, adaptor.getInput(), dtype, sizes));
      value = finish(rewriter, loc, value, dtype);
    } else {
      Value product = buildContraction(rewriter, loc, terms, result, dtype);
      SmallVector<Value> operands{product};
      SmallVector<AffineMap> maps{rewriter.getMultiDimIdentityMap(sizes.size())};
      // With beta = 0 the input is not read: its NaNs do not matter.
      if (beta != 0.0) {
        operands.push_back(adaptor.getInput());
        maps.push_back(broadcastMap(rewriter, loc, adaptor.getInput(), sizes));
      }
      value = buildParallel(rewriter, loc, operands, maps, sizes, getStorageType(dtype),
                            [&](OpBuilder &b, Location l, ValueRange args) {
                              Scalars s(b, l, accumulatorType(dtype));
                              Value sum = alpha == 1.0 ? args[0] : s.mul(args[0], s.cst(alpha));
                              if (beta != 0.0) {
                                Value bias = convertScalar(b, l, loadElement(b, l, args[1], biasType), biasType, dtype);
                                sum = s.add(beta == 1.0 ? bias : s.mul(bias, s.cst(beta)), sum);
                              }
                              return storeElement(b, l, sum, dtype);
                            });
    }
    rewriter.replaceOp(op,
                       castTo(rewriter, loc, value, this->getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

/// input [*, k] x weight [n, k]^T + bias, for any rank of input.
struct LinearLowering : public OpConversionPattern<LinearOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(LinearOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type dtype = dtypeOf(op.getInput());
    int64_t rank = op.getInput().getType().getRank();
    Labels input, weight, result;
    for (int64_t i = 0; i + 1 < rank; ++i) {
      input.push_back(i);
      result.push_back(i);
    }
    input.push_back(kK);
    if (op.getWeight().getType().getRank() == 2) {
      weight.push_back(kN);
      result.push_back(kN);
    }
    weight.push_back(kK);
    Term terms[] = {makeTerm(rewriter, op.getInput(), adaptor.getInput(), input),
                    makeTerm(rewriter, op.getWeight(), adaptor.getWeight(), weight)};
    Value init;
    if (op.getBias()) {
      Sizes sizes;
      for (int label : result) {
        const Term &from = label == kN ? terms[1] : terms[0];
        sizes.push_back(getSize(rewriter, loc, from.tensor, llvm::find(from.labels, label) - from.labels.begin()));
      }
      init = broadcastInit(rewriter, loc, adaptor.getBias(), dtype, sizes);
    }
    Value value = finish(rewriter, loc, buildContraction(rewriter, loc, terms, result, dtype, init), dtype);
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

struct EinsumLowering : public OpConversionPattern<EinsumOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(EinsumOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<int64_t> ranks;
    for (Value tensor : op.getTensors())
      ranks.push_back(tensorType(tensor).getRank());
    FailureOr<EinsumEquation> equation = parseEinsum(loc, op.getEquation(), ranks);
    if (failed(equation))
      return failure();
    Type dtype = dtypeOf(op.getTensors().front());
    SmallVector<Term> terms;
    for (auto [original, converted, labels] :
         llvm::zip_equal(op.getTensors(), adaptor.getTensors(), equation->operands))
      terms.push_back(makeTerm(rewriter, original, converted, Labels(labels.begin(), labels.end())));
    // Left to right, two at a time: a label is kept while a later term or the
    // result has it.
    while (terms.size() > 2) {
      Labels kept;
      for (const Term &term : ArrayRef(terms).take_front(2))
        for (int label : term.labels) {
          bool needed = llvm::is_contained(equation->result, label);
          for (const Term &later : ArrayRef(terms).drop_front(2))
            needed |= llvm::is_contained(later.labels, label);
          if (needed && !llvm::is_contained(kept, label))
            kept.push_back(label);
        }
      Value partial = buildContraction(rewriter, loc, ArrayRef(terms).take_front(2), kept, dtype);
      terms[1] = {finish(rewriter, loc, partial, dtype), kept};
      terms.erase(terms.begin());
    }
    Value value = finish(rewriter, loc, buildContraction(rewriter, loc, terms, equation->result, dtype), dtype);
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

/// A product of 8-bit integers, which are widened before.
struct IntMmLowering : public OpConversionPattern<IntMmOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(IntMmOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type narrow = dtypeOf(op.getInput()), dtype = dtypeOf(op.getResult());
    auto widen = [&](Value matrix) {
      return buildElementwise(
          rewriter, loc, matrix, getStorageType(dtype), [&](OpBuilder &b, Location l, ValueRange args) {
            return storeElement(b, l, convertScalar(b, l, loadElement(b, l, args[0], narrow), narrow, dtype), dtype);
          });
    };
    Term terms[] = {{widen(adaptor.getInput()), {kM, kK}}, {widen(adaptor.getMat2()), {kK, kN}}};
    Value value = finish(rewriter, loc, buildContraction(rewriter, loc, terms, {kM, kN}, dtype), dtype);
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Scores of all heads that are more than this are computed head by head: they are written and read several times, which a
/// cache close by has room for.
constexpr int64_t kMostScores = 1 << 17;

/// Attention whose extents are known, on a CPU. Unlike the decomposition, which is PyTorch's math path, it scales the scores
/// and not both factors, and divides the result and not the weights: fewer sweeps, and the key is read as it lies.
struct AttentionLowering {
  using OpAdaptor = ScaledDotProductAttentionOp::Adaptor;

  /// Failure, and nothing changed, for what is left to the decomposition.
  static LogicalResult rewrite(ScaledDotProductAttentionOp op, OpAdaptor adaptor, const mlir::TypeConverter &converter,
                               ConversionPatternRewriter &rewriter) {
    Location loc = op.getLoc();
    RankedTensorType query = op.getQuery().getType(), key = op.getKey().getType(), value = op.getValue().getType();
    Value mask = op.getAttnMask();
    int64_t rank = query.getRank();
    for (RankedTensorType type : {query, key, value, op.getResult().getType()})
      if (!type.hasStaticShape() || type.getNumElements() == 0 || type.getRank() != rank ||
          type.getShape().drop_back(2) != query.getShape().drop_back(2))
        return rewriter.notifyMatchFailure(op, "expected heads of equal, known extents");
    if (mask && !tensorType(mask).hasStaticShape())
      return rewriter.notifyMatchFailure(op, "expected a mask of known extents");
    int64_t heads = query.getNumElements() / (query.getDimSize(rank - 2) * query.getDimSize(rank - 1));
    int64_t scores = query.getDimSize(rank - 2) * key.getDimSize(rank - 2);
    if (!mask && heads > 1 && scores * heads > kMostScores && query.getDimSize(rank - 2) >= 32)
      return mapHeads(op, heads, rewriter);
    Value result = attend(op, adaptor, rewriter);
    rewriter.replaceOp(op, castTo(rewriter, loc, result, converter.convertType(op.getResult().getType())));
    return success();
  }

  static LogicalResult mapHeads(ScaledDotProductAttentionOp op, int64_t heads, ConversionPatternRewriter &rewriter) {
    Location loc = op.getLoc();
    SmallVector<Value> mapped;
    SmallVector<Type> slices;
    for (Value operand : {op.getQuery(), op.getKey(), op.getValue()}) {
      auto type = cast<RankedTensorType>(operand.getType());
      SmallVector<int64_t> shape(type.getShape().take_back(2));
      slices.push_back(RankedTensorType::get(shape, type.getElementType(), type.getEncoding()));
      shape.insert(shape.begin(), heads);
      mapped.push_back(ReshapeOp::create(rewriter, loc, operand, shape));
    }
    RankedTensorType type = op.getResult().getType();
    SmallVector<int64_t> shape(type.getShape().take_back(2)), whole(type.getShape());
    auto slice = RankedTensorType::get(shape, type.getElementType(), type.getEncoding());
    shape.insert(shape.begin(), heads);
    auto map =
        MapOp::create(rewriter, loc, TypeRange(RankedTensorType::get(shape, type.getElementType(), type.getEncoding())),
                      mapped, ValueRange());
    if (failed(prepareControlFlow(map)))
      return failure();
    {
      OpBuilder::InsertionGuard guard(rewriter);
      Block *body = rewriter.createBlock(&map.getBody(), {}, slices, SmallVector<Location>(slices.size(), loc));
      Value head =
          ScaledDotProductAttentionOp::create(rewriter, loc, slice, body->getArgument(0), body->getArgument(1),
                                              body->getArgument(2), Value(), op.getIsCausalAttr(), op.getScaleAttr());
      YieldOp::create(rewriter, loc, head);
    }
    rewriter.replaceOp(op, ReshapeOp::create(rewriter, loc, map.getResult(0), whole));
    return success();
  }

  static Value attend(ScaledDotProductAttentionOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) {
    Location loc = op.getLoc();
    OpBuilder &b = rewriter;
    Type dtype = dtypeOf(op.getQuery()), compute = getComputeType(dtype);
    int64_t rank = op.getQuery().getType().getRank();
    constexpr int kV = -4;
    Labels batch = llvm::to_vector_of<int, 6>(llvm::seq<int>(0, rank - 2)), query = batch, key = batch, square = batch,
           value = batch, result = batch;
    query.append({kM, kK});
    key.append({kN, kK});
    square.append({kM, kN});
    value.append({kN, kV});
    result.append({kM, kV});
    Term factors[] = {makeTerm(rewriter, op.getQuery(), adaptor.getQuery(), query),
                      makeTerm(rewriter, op.getKey(), adaptor.getKey(), key)};
    Value scores = buildContraction(b, loc, factors, square, dtype);

    double scale = op.getScale() ? op.getScale()->convertToDouble()
                                 : 1.0 / std::sqrt(static_cast<double>(op.getQuery().getType().getShape().back()));
    Sizes sizes = getSizes(b, loc, scores);
    SmallVector<Value> operands{scores};
    SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(rank)};
    Type maskType;
    if (Value mask = adaptor.getAttnMask()) {
      maskType = dtypeOf(op.getAttnMask());
      operands.push_back(mask);
      maps.push_back(broadcastMap(b, loc, mask, sizes));
    }
    scores = buildParallel(b, loc, operands, maps, sizes, compute, [&](OpBuilder &n, Location l, ValueRange args) {
      Scalars s(n, l, compute);
      Value score = s.mul(args[0], s.cst(scale)), unseen = s.cst(-std::numeric_limits<double>::infinity());
      // Added rather than selected: NaN + -inf is NaN.
      if (op.getIsCausal()) {
        Value sees = mlir::arith::CmpIOp::create(n, l, mlir::arith::CmpIPredicate::ule,
                                                 mlir::linalg::IndexOp::create(n, l, rank - 1),
                                                 mlir::linalg::IndexOp::create(n, l, rank - 2));
        score = s.add(score, s.select(sees, s.cst(0), unseen));
      }
      if (maskType) {
        Value mask = loadElement(n, l, args[1], maskType);
        score = s.add(score, isBool(maskType) ? s.select(mask, s.cst(0), unseen)
                                              : convertScalar(n, l, mask, maskType, compute));
      }
      return score;
    });

    Value highest = buildReduction(b, loc, scores, rank - 1, createLowest(b, loc, compute),
                                   [&](OpBuilder &n, Location l, ValueRange args) -> SmallVector<Value> {
                                     return {Scalars(n, l, compute).max(args[1], args[0])};
                                   })[0];
    AffineMap identity = b.getMultiDimIdentityMap(rank), rows = leadingLoops(b, rank, rank - 1);
    Value powers = buildParallel(b, loc, {scores, highest}, {identity, rows}, sizes, compute,
                                 [&](OpBuilder &n, Location l, ValueRange args) {
                                   Scalars s(n, l, compute);
                                   return s.exp(s.sub(args[0], args[1]));
                                 });
    Type sumType = compute.isF32() ? Type(b.getF64Type()) : compute;
    Value sum = buildReduction(b, loc, powers, rank - 1, createScalar(b, loc, sumType, 0),
                               [&](OpBuilder &n, Location l, ValueRange args) -> SmallVector<Value> {
                                 Value power = convertScalar(n, l, args[0], compute, sumType);
                                 return {Scalars(n, l, sumType).add(args[1], power)};
                               })[0];
    Term values = makeTerm(rewriter, op.getValue(), adaptor.getValue(), value);
    if (compute != dtype)
      values.tensor = buildElementwise(b, loc, values.tensor, compute, [&](OpBuilder &n, Location l, ValueRange args) {
        return loadElement(n, l, args[0], dtype);
      });
    Term weighted[] = {{powers, square}, values};
    Value product = buildContraction(b, loc, weighted, result, compute);
    return buildParallel(b, loc, {product, sum, highest}, {identity, rows, rows}, getSizes(b, loc, product),
                         getStorageType(dtype), [&](OpBuilder &n, Location l, ValueRange args) {
                           Scalars s(n, l, compute);
                           Value weight = s.div(args[0], convertScalar(n, l, args[1], sumType, compute));
                           // What a mask hides from everything gives zeros.
                           Value hidden = s.eq(args[2], s.cst(-std::numeric_limits<double>::infinity()));
                           return storeElement(n, l, maskType ? s.select(hidden, s.cst(0), weight) : weight, dtype);
                         });
  }
};

/// Ops that are defined by simpler ones: the simpler ones are converted in turn.
struct DecomposeLowering : public mlir::OpInterfaceConversionPattern<DecomposableOpInterface> {
  DecomposeLowering(const mlir::TypeConverter &converter, MLIRContext *context, bool parallelForms)
      : OpInterfaceConversionPattern(converter, context), parallelForms(parallelForms) {}
  /// Simpler ones may be defined by still simpler ones.
  void initialize() { setHasBoundedRewriteRecursion(); }
  LogicalResult matchAndRewrite(DecomposableOpInterface op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    // Not a pattern of its own: the driver asks those of interfaces first, whatever their benefit.
    if (auto attention = dyn_cast<ScaledDotProductAttentionOp>(op.getOperation()); attention && !parallelForms) {
      ScaledDotProductAttentionOp::Adaptor adaptor(operands, attention);
      if (succeeded(AttentionLowering::rewrite(attention, adaptor, *getTypeConverter(), rewriter)))
        return success();
    }
    FailureOr<SmallVector<Value>> values = op.decompose(rewriter);
    if (failed(values)) {
      op->emitOpError() << "has no decomposition for these operands";
      return failure();
    }
    rewriter.replaceOp(op, *values);
    return success();
  }
  bool parallelForms;
};

} // namespace

void lowering::populateContraction(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns,
                                   const LinalgOptions &options) {
  patterns.add<MatmulLowering<MatmulOp>, MatmulLowering<MmOp>, MatmulLowering<BmmOp>, AddProductLowering<AddmmOp>,
               AddProductLowering<BaddbmmOp>, LinearLowering, EinsumLowering, IntMmLowering>(converter,
                                                                                             patterns.getContext());
  patterns.add<DecomposeLowering>(converter, patterns.getContext(), options.parallelForms);
}
