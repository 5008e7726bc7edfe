// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contraction ops: types, constraints, decompositions of the fused forms.
//
// PyTorch: aten/src/ATen/native/{Linear,LinearAlgebra,Blas}.cpp and
// transformers/attention.cpp (the math path).

#include "fxgraph/Dialect/IR/Einsum.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"

#include "InferUtils.h"
#include "mlir/IR/IRMapping.h"
#include <cmath>

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// linear
//===----------------------------------------------------------------------===//

/// Result extents of linear on an input of these extents.
static FailureOr<Dims> inferLinear(std::optional<Location> loc, ArrayRef<Dim> input, Value weight, Value bias) {
  RankedTensorType weightType = tensorTypeOf(weight);
  // linear_c1
  if (input.empty()) {
    emitOptional(loc) << "expected input of rank >= 1 but got rank 0";
    return failure();
  }
  // linear_c2
  if (weightType.getRank() != 1 && weightType.getRank() != 2) {
    emitOptional(loc) << "expected weight of rank 1 or 2 but got rank " << weightType.getRank();
    return failure();
  }
  Dims weightDims = getDims(weightType);
  // linear_c3
  if (failed(expectSameDim(loc, input.back(), weightDims.back(), "last dimension of weight")))
    return failure();
  Dims result(input.drop_back());
  if (weightType.getRank() == 2)
    result.push_back(weightDims[0]);
  if (!bias)
    return result;
  // PyTorch adds a bias through addmm, which a vector weight does not reach.
  // linear_c4
  if (weightType.getRank() == 1 && input.size() != 1) {
    emitOptional(loc) << "expected input of rank 1 beside a bias and a weight of rank 1 but got rank " << input.size();
    return failure();
  }
  Dims biasDims = getDims(tensorTypeOf(bias));
  // linear_c5
  if (failed(expectBroadcastsTo(loc, biasDims, result, "bias")))
    return failure();
  // The rows of the input are flattened into one dimension, which the bias
  // cannot tell apart.
  // linear_c6
  if (biasDims.size() > 2 || (result.size() > 2 && biasDims.size() == 2 && biasDims[0].provablyDiffers(1))) {
    emitOptional(loc) << "expected bias of one row but got shape " << shapeText(biasDims);
    return failure();
  }
  return result;
}

LogicalResult LinearOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, LinearOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  FailureOr<StringAttr> device = expectUniform(loc, adaptor.getOperands());
  if (failed(device))
    return failure();
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  FailureOr<Dims> dims = inferLinear(loc, getDims(input), adaptor.getWeight(), adaptor.getBias());
  if (failed(dims))
    return failure();
  inferred.push_back(makeTensorType(*dims, input.getElementType(), *device));
  return success();
}

//===----------------------------------------------------------------------===//
// matmul, mm, bmm
//===----------------------------------------------------------------------===//

/// Extents of matmul with PyTorch's rank rules.
static FailureOr<Dims> inferMatmul(std::optional<Location> loc, Dims lhs, Dims rhs) {
  // matmul_c1
  if (lhs.empty() || rhs.empty()) {
    emitOptional(loc) << "expected operands of rank >= 1 but got ranks " << lhs.size() << " and " << rhs.size();
    return failure();
  }
  bool vectorLhs = lhs.size() == 1, vectorRhs = rhs.size() == 1;
  if (vectorLhs)
    lhs.insert(lhs.begin(), Dim(1));
  if (vectorRhs)
    rhs.push_back(Dim(1));
  // matmul_c2
  if (failed(expectSameDim(loc, lhs.back(), rhs[rhs.size() - 2], "contracted dimension of the second operand")))
    return failure();
  // matmul_c3
  FailureOr<Dims> result =
      broadcastDims(loc, {Dims(ArrayRef<Dim>(lhs).drop_back(2)), Dims(ArrayRef<Dim>(rhs).drop_back(2))});
  if (failed(result))
    return failure();
  if (!vectorLhs)
    result->push_back(lhs[lhs.size() - 2]);
  if (!vectorRhs)
    result->push_back(rhs.back());
  return result;
}

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, MatmulOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  FailureOr<StringAttr> device = expectUniform(loc, adaptor.getOperands());
  if (failed(device))
    return failure();
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  FailureOr<Dims> dims = inferMatmul(loc, getDims(input), getDims(tensorTypeOf(adaptor.getOther())));
  if (failed(dims))
    return failure();
  inferred.push_back(makeTensorType(*dims, input.getElementType(), *device));
  return success();
}

/// [m, k] x [k, n], or with `batch` a leading extent that both share.
static FailureOr<Dims> inferPlainProduct(std::optional<Location> loc, Value lhs, Value rhs, bool batch,
                                         StringRef lhsName, StringRef rhsName) {
  int64_t rank = batch ? 3 : 2;
  // product_c1
  if (failed(expectRank(loc, tensorTypeOf(lhs), rank, lhsName)) ||
      failed(expectRank(loc, tensorTypeOf(rhs), rank, rhsName)))
    return failure();
  Dims left = getDims(tensorTypeOf(lhs)), right = getDims(tensorTypeOf(rhs));
  Dims result;
  if (batch) {
    // product_c3
    if (failed(expectSameDim(loc, left[0], right[0], "batch dimension of " + rhsName)))
      return failure();
    result.push_back(refineDim(left[0], right[0]));
  }
  // product_c2
  if (failed(expectSameDim(loc, left[rank - 1], right[rank - 2], "contracted dimension of " + rhsName)))
    return failure();
  result.push_back(left[rank - 2]);
  result.push_back(right[rank - 1]);
  return result;
}

template <typename Adaptor>
static LogicalResult inferProductOp(std::optional<Location> loc, Adaptor adaptor, bool batch,
                                    SmallVectorImpl<Type> &inferred) {
  FailureOr<StringAttr> device = expectUniform(loc, adaptor.getOperands());
  if (failed(device))
    return failure();
  FailureOr<Dims> dims = inferPlainProduct(loc, adaptor.getInput(), adaptor.getMat2(), batch, "input", "mat2");
  if (failed(dims))
    return failure();
  inferred.push_back(makeTensorType(*dims, tensorTypeOf(adaptor.getInput()).getElementType(), *device));
  return success();
}

LogicalResult MmOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, MmOp::Adaptor adaptor,
                                     SmallVectorImpl<Type> &inferred) {
  return inferProductOp(loc, adaptor, /*batch=*/false, inferred);
}

LogicalResult BmmOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, BmmOp::Adaptor adaptor,
                                      SmallVectorImpl<Type> &inferred) {
  return inferProductOp(loc, adaptor, /*batch=*/true, inferred);
}

//===----------------------------------------------------------------------===//
// addmm, baddbmm
//===----------------------------------------------------------------------===//

template <typename Adaptor>
static LogicalResult inferAddProduct(std::optional<Location> loc, Adaptor adaptor, bool batch,
                                     SmallVectorImpl<Type> &inferred) {
  FailureOr<StringAttr> device = expectUniform(loc, adaptor.getOperands());
  if (failed(device))
    return failure();
  FailureOr<Dims> dims = inferPlainProduct(loc, adaptor.getMat1(), adaptor.getMat2(), batch, "mat1", "mat2");
  // add_product_c1
  // PyTorch checks the shape of the input even where beta = 0 ignores its values.
  if (failed(dims) || failed(expectBroadcastsTo(loc, getDims(tensorTypeOf(adaptor.getInput())), *dims, "input")))
    return failure();
  inferred.push_back(makeTensorType(*dims, tensorTypeOf(adaptor.getMat1()).getElementType(), *device));
  return success();
}

LogicalResult AddmmOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, AddmmOp::Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  return inferAddProduct(loc, adaptor, /*batch=*/false, inferred);
}

LogicalResult BaddbmmOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, BaddbmmOp::Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  return inferAddProduct(loc, adaptor, /*batch=*/true, inferred);
}

//===----------------------------------------------------------------------===//
// einsum
//===----------------------------------------------------------------------===//

std::string EinsumEquation::labelText(int label) {
  if (label >= kFirstEllipsis)
    return "...";
  return std::string(1, label < 26 ? static_cast<char>('A' + label) : static_cast<char>('a' + label - 26));
}

/// Stands for the ellipsis of a term until its extent is known.
static constexpr int kEllipsisMark = -1;

/// Labels of one term of an equation.
static FailureOr<SmallVector<int>> parseEinsumTerm(std::optional<Location> loc, StringRef term) {
  SmallVector<int> labels;
  bool ellipsis = false;
  for (size_t i = 0; i < term.size(); ++i) {
    char c = term[i];
    if (c == ' ')
      continue;
    // einsum_c3
    if (c == '.') {
      if (term.substr(i, 3) != "...") {
        emitOptional(loc) << "expected '...' in the einsum term '" << term << "' but got a lone '.'";
        return failure();
      }
      if (ellipsis) {
        emitOptional(loc) << "expected at most one '...' in the einsum term '" << term << "' but got two";
        return failure();
      }
      ellipsis = true;
      labels.push_back(kEllipsisMark);
      i += 2;
      continue;
    }
    if (c >= 'A' && c <= 'Z') {
      labels.push_back(c - 'A');
    } else if (c >= 'a' && c <= 'z') {
      labels.push_back(c - 'a' + 26);
    } else {
      emitOptional(loc) << "expected letters, '...' and blanks in the einsum term '" << term << "' but got '" << c
                        << "'";
      return failure();
    }
  }
  return labels;
}

/// Puts labels for `count` dimensions in the place of the ellipsis.
static SmallVector<int> expandEllipsis(ArrayRef<int> term, int64_t count) {
  SmallVector<int> labels;
  for (int label : term) {
    if (label != kEllipsisMark) {
      labels.push_back(label);
      continue;
    }
    for (int64_t i = count; i > 0; --i)
      labels.push_back(static_cast<int>(EinsumEquation::kEllipsisEnd - i));
  }
  return labels;
}

FailureOr<EinsumEquation> fxgraph::parseEinsum(std::optional<Location> loc, StringRef equation,
                                               ArrayRef<int64_t> ranks) {
  size_t arrow = equation.find("->");
  SmallVector<StringRef> terms;
  equation.substr(0, arrow).split(terms, ',');
  // einsum_c2
  if (terms.size() != ranks.size()) {
    emitOptional(loc) << "expected " << terms.size() << " operand(s) for the equation '" << equation << "' but got "
                      << ranks.size();
    return failure();
  }
  EinsumEquation result;
  SmallVector<int64_t> uses(EinsumEquation::kFirstEllipsis, 0);
  int64_t ellipsisRank = 0;
  for (auto [term, rank] : llvm::zip_equal(terms, ranks)) {
    FailureOr<SmallVector<int>> labels = parseEinsumTerm(loc, term);
    if (failed(labels))
      return failure();
    bool ellipsis = llvm::is_contained(*labels, kEllipsisMark);
    int64_t letters = static_cast<int64_t>(labels->size()) - ellipsis;
    // einsum_c4
    if (ellipsis ? rank < letters : rank != letters) {
      emitOptional(loc) << "expected an operand of rank " << (ellipsis ? ">= " : "") << letters
                        << " for the einsum term '" << term << "' but got rank " << rank;
      return failure();
    }
    for (int label : *labels)
      if (label != kEllipsisMark)
        ++uses[label];
    ellipsisRank = std::max(ellipsisRank, rank - letters);
    result.operands.push_back(expandEllipsis(*labels, rank - letters));
  }
  if (arrow == StringRef::npos) {
    result.result = expandEllipsis({kEllipsisMark}, ellipsisRank);
    for (auto [label, count] : llvm::enumerate(uses))
      if (count == 1)
        result.result.push_back(static_cast<int>(label));
    return result;
  }
  FailureOr<SmallVector<int>> labels = parseEinsumTerm(loc, equation.substr(arrow + 2));
  if (failed(labels))
    return failure();
  SmallVector<bool> seen(EinsumEquation::kFirstEllipsis, false);
  for (int label : *labels) {
    if (label == kEllipsisMark)
      continue;
    // einsum_c5
    if (seen[label]) {
      emitOptional(loc) << "expected each letter once in the einsum result but got '"
                        << EinsumEquation::labelText(label) << "' twice";
      return failure();
    }
    seen[label] = true;
    // einsum_c6
    if (uses[label] == 0) {
      emitOptional(loc) << "expected letters of the operands in the einsum result but got '"
                        << EinsumEquation::labelText(label) << "'";
      return failure();
    }
  }
  result.result = expandEllipsis(*labels, ellipsisRank);
  return result;
}

LogicalResult EinsumOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, EinsumOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  ValueRange tensors = adaptor.getTensors();
  // einsum_c1
  if (tensors.empty()) {
    emitOptional(loc) << "expected at least one operand but got none";
    return failure();
  }
  FailureOr<StringAttr> device = expectUniform(loc, tensors);
  if (failed(device))
    return failure();
  SmallVector<int64_t> ranks;
  for (Value tensor : tensors)
    ranks.push_back(tensorTypeOf(tensor).getRank());
  FailureOr<EinsumEquation> equation = parseEinsum(loc, adaptor.getEquation(), ranks);
  if (failed(equation))
    return failure();

  // Extent of each label: within a term repeated letters agree, between terms
  // they broadcast.
  MapVector<int, Dim> extents;
  for (auto [tensor, labels] : llvm::zip_equal(tensors, equation->operands)) {
    MapVector<int, Dim> own;
    for (auto [label, dim] : llvm::zip_equal(labels, getDims(tensorTypeOf(tensor)))) {
      auto [it, isNew] = own.insert({label, dim});
      if (isNew)
        continue;
      // einsum_c7
      if (failed(expectSameDim(loc, it->second, dim, "repeated dimension '" + EinsumEquation::labelText(label) + "'")))
        return failure();
      it->second = refineDim(it->second, dim);
    }
    for (auto [label, dim] : own) {
      auto [it, isNew] = extents.insert({label, dim});
      if (isNew)
        continue;
      // einsum_c8
      FailureOr<Dims> merged = broadcastDims(std::nullopt, {Dims{it->second}, Dims{dim}});
      if (failed(merged)) {
        emitOptional(loc) << "expected extents of einsum dimension '" << EinsumEquation::labelText(label)
                          << "' that broadcast but got " << it->second.str() << " and " << dim.str();
        return failure();
      }
      it->second = merged->front();
    }
  }
  Dims result;
  for (int label : equation->result)
    result.push_back(extents.lookup(label));
  inferred.push_back(makeTensorType(result, tensorTypeOf(tensors.front()).getElementType(), *device));
  return success();
}

//===----------------------------------------------------------------------===//
// scaled_dot_product_attention
//===----------------------------------------------------------------------===//

LogicalResult ScaledDotProductAttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                            ScaledDotProductAttentionOp::Adaptor adaptor,
                                                            SmallVectorImpl<Type> &inferred) {
  Value query = adaptor.getQuery(), key = adaptor.getKey(), value = adaptor.getValue(), mask = adaptor.getAttnMask();
  if (failed(expectSameElementType(loc, {query, key, value})))
    return failure();
  // attention_c1
  FailureOr<StringAttr> device = commonDevice(loc, adaptor.getOperands());
  if (failed(device) || failed(expectRankAtLeast(loc, tensorTypeOf(query), 2, "query")) ||
      failed(expectRankAtLeast(loc, tensorTypeOf(key), 2, "key")) ||
      failed(expectRankAtLeast(loc, tensorTypeOf(value), 2, "value")))
    return failure();
  Dims q = getDims(tensorTypeOf(query)), k = getDims(tensorTypeOf(key)), v = getDims(tensorTypeOf(value));
  // attention_c2
  if (failed(expectSameDim(loc, q.back(), k.back(), "last dimension of key")))
    return failure();
  std::swap(k[k.size() - 1], k[k.size() - 2]);
  // attention_c3
  FailureOr<Dims> scores = inferMatmul(loc, q, k);
  if (failed(scores))
    return failure();
  // attention_c4
  if (failed(expectSameDim(loc, scores->back(), v[v.size() - 2], "second last dimension of value")))
    return failure();
  Type element = tensorTypeOf(query).getElementType();
  if (mask) {
    // attention_c5
    if (adaptor.getIsCausal()) {
      emitOptional(loc) << "expected no mask beside is_causal but got one";
      return failure();
    }
    Type maskElement = tensorTypeOf(mask).getElementType();
    // attention_c6
    if (maskElement != element && !maskElement.isInteger(1) && !maskElement.isF32()) {
      emitOptional(loc) << "expected a mask of i1, f32 or " << element << " but got " << maskElement;
      return failure();
    }
    // attention_c7
    if (failed(expectBroadcastsTo(loc, getDims(tensorTypeOf(mask)), *scores, "mask")))
      return failure();
  }
  FailureOr<Dims> result = inferMatmul(loc, *scores, v);
  if (failed(result))
    return failure();
  inferred.push_back(makeTensorType(*result, element, *device));
  return success();
}

static Value swapLast(OpBuilder &builder, Location loc, Value value) {
  return TransposeOp::create(builder, loc, value, builder.getI64IntegerAttr(-2), builder.getI64IntegerAttr(-1));
}

/// A rank-0 constant.
static Value scalarConstant(OpBuilder &builder, Location loc, double number, Type element) {
  RankedTensorType type = makeTensorType({}, element);
  return ConstantOp::create(builder, loc, type, DenseElementsAttr::get(type, builder.getFloatAttr(element, number)));
}

/// A wrapped number: it does not decide the dtype and is used unrounded.
static Value numberConstant(OpBuilder &builder, Location loc, double number) {
  return scalarConstant(builder, loc, number, builder.getF64Type());
}

/// PyTorch's math path: both factors are scaled by the square root of the scale
/// (so that neither product overflows early), half types compute in f32, and a
/// row whose scores are all -inf gives zeros rather than NaN.
FailureOr<SmallVector<Value>> ScaledDotProductAttentionOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  RankedTensorType queryType = getQuery().getType();
  Type element = queryType.getElementType();
  double scale;
  if (std::optional<APFloat> given = getScale()) {
    scale = given->convertToDouble();
  } else {
    int64_t width = queryType.getShape().back();
    // A symbolic head size would need arithmetic on sizes; no model has one.
    if (ShapedType::isDynamic(width))
      return failure();
    scale = 1.0 / std::sqrt(static_cast<double>(width));
  }
  Type compute = element.getIntOrFloatBitWidth() < 32 ? Type(builder.getF32Type()) : element;
  Value query = castElements(builder, loc, getQuery(), compute);
  Value key = castElements(builder, loc, getKey(), compute);
  Value value = castElements(builder, loc, getValue(), compute);
  double root = std::sqrt(std::fabs(scale));
  query = MulOp::create(builder, loc, query, numberConstant(builder, loc, scale < 0 ? -root : root));
  key = swapLast(builder, loc, key);
  key = MulOp::create(builder, loc, key, numberConstant(builder, loc, root));
  Value scores = MatmulOp::create(builder, loc, query, key);

  Value mask = getAttnMask();
  if (getIsCausal()) {
    // Lower triangle, aligned at the top left: position i sees 0 … i.
    Dims dims = getDims(tensorTypeOf(scores));
    Dims square(ArrayRef<Dim>(dims).take_back(2));
    SmallVector<Value> sizes;
    int64_t rank = dims.size();
    for (auto [i, dim] : llvm::enumerate(square))
      if (!dim.isStatic())
        sizes.push_back(SymSizeOp::create(builder, loc, builder.getIndexType(), scores,
                                          builder.getI64IntegerAttr(rank - 2 + static_cast<int64_t>(i))));
    RankedTensorType maskType = makeTensorType(square, builder.getI1Type(), getDevice(queryType));
    mask = FullOp::create(builder, loc, maskType, sizes, builder.getF64FloatAttr(1.0));
    mask = TrilOp::create(builder, loc, mask, builder.getI64IntegerAttr(0));
  }
  if (!mask) {
    Value weights = SoftmaxOp::create(builder, loc, scores, builder.getI64IntegerAttr(-1));
    Value result = MatmulOp::create(builder, loc, weights, value);
    result = castElements(builder, loc, result, element);
    return SmallVector<Value>{withTypeOf(result, getResult())};
  }
  double infinity = std::numeric_limits<double>::infinity();
  Value negativeInfinity = numberConstant(builder, loc, -infinity);
  // A bool mask is added as 0 or -inf rather than selected: NaN + -inf is NaN.
  if (tensorTypeOf(mask).getElementType().isInteger(1)) {
    Value seen = scalarConstant(builder, loc, 0.0, compute);
    Value unseen = scalarConstant(builder, loc, -infinity, compute);
    mask = WhereOp::create(builder, loc, mask, seen, unseen);
  }
  scores = AddOp::create(builder, loc, scores, castElements(builder, loc, mask, compute), builder.getF64FloatAttr(1.0));
  Value weights = SoftmaxOp::create(builder, loc, scores, builder.getI64IntegerAttr(-1));
  // Causal rows always see their first column; only a mask can hide a whole row.
  if (!getIsCausal()) {
    Value hidden = EqOp::create(builder, loc, scores, negativeInfinity);
    Value allHidden =
        AllOp::create(builder, loc, hidden, builder.getDenseI64ArrayAttr({-1}), builder.getBoolAttr(true));
    weights = WhereOp::create(builder, loc, allHidden, numberConstant(builder, loc, 0.0), weights);
  }
  Value result = MatmulOp::create(builder, loc, weights, value);
  result = castElements(builder, loc, result, element);
  return SmallVector<Value>{withTypeOf(result, getResult())};
}

//===----------------------------------------------------------------------===//
// Fused forms
//===----------------------------------------------------------------------===//

/// linear_transpose and transpose_linear share all checks: weight [n, k], bias [n].
static LogicalResult checkFusedLinear(std::optional<Location> loc, Value input, Value weight, Value bias) {
  // fused_linear_c1, fused_linear_c2
  if (failed(expectRankAtLeast(loc, tensorTypeOf(input), 2, "input")) ||
      failed(expectRank(loc, tensorTypeOf(weight), 2, "weight")))
    return failure();
  if (!bias)
    return success();
  // fused_linear_c3
  return expectShape(loc, getDims(tensorTypeOf(weight))[0], getDims(tensorTypeOf(bias)), "bias");
}

LogicalResult LinearTransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                  LinearTransposeOp::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  FailureOr<StringAttr> device = expectUniform(loc, adaptor.getOperands());
  if (failed(device) || failed(checkFusedLinear(loc, adaptor.getInput(), adaptor.getWeight(), adaptor.getBias())))
    return failure();
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  FailureOr<Dims> dims = inferLinear(loc, getDims(input), adaptor.getWeight(), adaptor.getBias());
  if (failed(dims))
    return failure();
  std::swap((*dims)[dims->size() - 1], (*dims)[dims->size() - 2]);
  inferred.push_back(makeTensorType(*dims, input.getElementType(), *device));
  return success();
}

FailureOr<SmallVector<Value>> LinearTransposeOp::decompose(OpBuilder &builder) {
  Value linear = LinearOp::create(builder, getLoc(), getInput(), getWeight(), getBias());
  return SmallVector<Value>{withTypeOf(swapLast(builder, getLoc(), linear), getResult())};
}

LogicalResult TransposeLinearOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                  TransposeLinearOp::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  FailureOr<StringAttr> device = expectUniform(loc, adaptor.getOperands());
  if (failed(device) || failed(checkFusedLinear(loc, adaptor.getInput(), adaptor.getWeight(), adaptor.getBias())))
    return failure();
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  Dims inputDims = getDims(input);
  std::swap(inputDims[inputDims.size() - 1], inputDims[inputDims.size() - 2]);
  FailureOr<Dims> dims = inferLinear(loc, inputDims, adaptor.getWeight(), adaptor.getBias());
  if (failed(dims))
    return failure();
  inferred.push_back(makeTensorType(*dims, input.getElementType(), *device));
  return success();
}

FailureOr<SmallVector<Value>> TransposeLinearOp::decompose(OpBuilder &builder) {
  Value transposed = swapLast(builder, getLoc(), getInput());
  Value linear = LinearOp::create(builder, getLoc(), transposed, getWeight(), getBias());
  return SmallVector<Value>{withTypeOf(linear, getResult())};
}

LogicalResult TransposeMatmulOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                  TransposeMatmulOp::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  FailureOr<StringAttr> device = expectUniform(loc, adaptor.getOperands());
  if (failed(device))
    return failure();
  RankedTensorType input = tensorTypeOf(adaptor.getInput()), other = tensorTypeOf(adaptor.getOther());
  Dims lhs = getDims(input), rhs = getDims(other);
  if (adaptor.getTransInput()) {
    // transpose_matmul_c1
    if (failed(expectRankAtLeast(loc, input, 2, "transposed input")))
      return failure();
    std::swap(lhs[lhs.size() - 1], lhs[lhs.size() - 2]);
  }
  if (adaptor.getTransOther()) {
    // transpose_matmul_c1
    if (failed(expectRankAtLeast(loc, other, 2, "transposed other")))
      return failure();
    std::swap(rhs[rhs.size() - 1], rhs[rhs.size() - 2]);
  }
  FailureOr<Dims> dims = inferMatmul(loc, lhs, rhs);
  if (failed(dims))
    return failure();
  inferred.push_back(makeTensorType(*dims, input.getElementType(), *device));
  return success();
}

FailureOr<SmallVector<Value>> TransposeMatmulOp::decompose(OpBuilder &builder) {
  Value lhs = getInput(), rhs = getOther();
  if (getTransInput())
    lhs = swapLast(builder, getLoc(), lhs);
  if (getTransOther())
    rhs = swapLast(builder, getLoc(), rhs);
  Value product = MatmulOp::create(builder, getLoc(), lhs, rhs);
  return SmallVector<Value>{withTypeOf(product, getResult())};
}

LogicalResult MmPlusMmOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, MmPlusMmOp::Adaptor adaptor,
                                           SmallVectorImpl<Type> &inferred) {
  FailureOr<StringAttr> device = expectUniform(loc, adaptor.getOperands());
  if (failed(device))
    return failure();
  FailureOr<Dims> first = inferPlainProduct(loc, adaptor.getMat1(), adaptor.getMat2(), false, "mat1", "mat2");
  if (failed(first))
    return failure();
  FailureOr<Dims> second = inferPlainProduct(loc, adaptor.getMat3(), adaptor.getMat4(), false, "mat3", "mat4");
  // mm_plus_mm_c1
  // The products do not broadcast: [1, 2] + [2, 1] is two mm and an add.
  if (failed(second) || failed(expectShape(loc, *first, *second, "the second product")))
    return failure();
  Dims dims{refineDim((*first)[0], (*second)[0]), refineDim((*first)[1], (*second)[1])};
  inferred.push_back(makeTensorType(dims, tensorTypeOf(adaptor.getMat1()).getElementType(), *device));
  return success();
}

FailureOr<SmallVector<Value>> MmPlusMmOp::decompose(OpBuilder &builder) {
  Value first = MmOp::create(builder, getLoc(), getMat1(), getMat2());
  Value second = MmOp::create(builder, getLoc(), getMat3(), getMat4());
  Value sum = AddOp::create(builder, getLoc(), first, second, builder.getF64FloatAttr(1.0));
  return SmallVector<Value>{withTypeOf(sum, getResult())};
}

/// [b, f, d] and [rows, columns], one of which is f: the extents of both.
static LogicalResult checkEmbeddings(std::optional<Location> loc, Value input, Value weight, unsigned weightDim) {
  // dot_compress_c1, lce_c1
  // dot_compress_c2, lce_c2
  if (failed(expectRank(loc, tensorTypeOf(input), 3, "input")) ||
      failed(expectRank(loc, tensorTypeOf(weight), 2, "weight")))
    return failure();
  // dot_compress_c3, lce_c3
  return expectSameDim(loc, getDims(tensorTypeOf(input))[1], getDims(tensorTypeOf(weight))[weightDim],
                       "dimension " + Twine(weightDim) + " of weight");
}

LogicalResult DotCompressOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                              DotCompressOp::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  FailureOr<StringAttr> device = expectUniform(loc, adaptor.getOperands());
  if (failed(device) || failed(checkEmbeddings(loc, adaptor.getInput(), adaptor.getWeight(), 0)))
    return failure();
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  Dims dims = getDims(input), weight = getDims(tensorTypeOf(adaptor.getWeight()));
  inferred.push_back(
      makeTensorType({dims[0], refineDim(dims[1], weight[0]), weight[1]}, input.getElementType(), *device));
  return success();
}

FailureOr<SmallVector<Value>> DotCompressOp::decompose(OpBuilder &builder) {
  Value transposed = swapLast(builder, getLoc(), getInput());
  Value compressed = MatmulOp::create(builder, getLoc(), transposed, getWeight());
  Value product = MatmulOp::create(builder, getLoc(), getInput(), compressed);
  return SmallVector<Value>{withTypeOf(product, getResult())};
}

LogicalResult LceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, LceOp::Adaptor adaptor,
                                      SmallVectorImpl<Type> &inferred) {
  FailureOr<StringAttr> device = expectUniform(loc, adaptor.getOperands());
  if (failed(device) || failed(checkEmbeddings(loc, adaptor.getInput(), adaptor.getWeight(), 1)))
    return failure();
  RankedTensorType input = tensorTypeOf(adaptor.getInput());
  Dims dims = getDims(input), weight = getDims(tensorTypeOf(adaptor.getWeight()));
  Dim rows = weight[0];
  if (Value bias = adaptor.getBias()) {
    // lce_c4
    if (failed(expectShape(loc, {rows}, getDims(tensorTypeOf(bias)), "bias")))
      return failure();
    rows = refineDim(rows, getDims(tensorTypeOf(bias))[0]);
  }
  inferred.push_back(makeTensorType({dims[0], rows, dims[2]}, input.getElementType(), *device));
  return success();
}

FailureOr<SmallVector<Value>> LceOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  RankedTensorType weight = tensorTypeOf(getWeight());
  int64_t batch = tensorTypeOf(getInput()).getDimSize(0);
  if (!getBias()) {
    Value product = MatmulOp::create(builder, loc, getWeight(), getInput());
    return SmallVector<Value>{withTypeOf(product, getResult())};
  }
  if (!weight.hasStaticShape() || ShapedType::isDynamic(batch)) {
    // An expand to unknown extents would need them as operands.
    Value linear = LinearOp::create(builder, loc, swapLast(builder, loc, getInput()), getWeight(), getBias());
    return SmallVector<Value>{withTypeOf(swapLast(builder, loc, linear), getResult())};
  }
  SmallVector<int64_t> shape{batch, weight.getDimSize(0), weight.getDimSize(1)};
  Value weights = ExpandOp::create(builder, loc, getWeight(), shape);
  Value column = UnsqueezeOp::create(builder, loc, getBias(), 1);
  FloatAttr one = builder.getF64FloatAttr(1.0);
  Value product = BaddbmmOp::create(builder, loc, column, weights, getInput(), one, one);
  return SmallVector<Value>{withTypeOf(product, getResult())};
}

//===----------------------------------------------------------------------===//
// addmm_activation, int_mm, scaled_mm, grouped_mm, b2b_gemm
//===----------------------------------------------------------------------===//

LogicalResult AddmmActivationOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                  AddmmActivationOp::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  // addmm_activation_c1
  StringRef approximate = adaptor.getApproximate();
  if (approximate != "none" && (approximate != "tanh" || !adaptor.getUseGelu())) {
    emitOptional(loc) << "expected approximate to be none" << (adaptor.getUseGelu() ? " or tanh" : " without use_gelu")
                      << " but got " << approximate;
    return failure();
  }
  return inferAddProduct(loc, adaptor, /*batch=*/false, inferred);
}

FailureOr<SmallVector<Value>> AddmmActivationOp::decompose(OpBuilder &builder) {
  Value sum = AddmmOp::create(builder, getLoc(), getInput(), getMat1(), getMat2(), getBetaAttr(), getAlphaAttr());
  withTypeOf(sum, getResult());
  Value result = getUseGelu() ? GeluOp::create(builder, getLoc(), sum, getApproximateAttr()).getResult()
                              : ReluOp::create(builder, getLoc(), sum).getResult();
  return SmallVector<Value>{withTypeOf(result, getResult())};
}

LogicalResult IntMmOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, IntMmOp::Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  FailureOr<StringAttr> device = commonDevice(loc, adaptor.getOperands());
  if (failed(device))
    return failure();
  FailureOr<Dims> dims =
      inferPlainProduct(loc, adaptor.getInput(), adaptor.getMat2(), /*batch=*/false, "input", "mat2");
  if (failed(dims))
    return failure();
  inferred.push_back(makeTensorType(*dims, IntegerType::get(context, 32), *device));
  return success();
}

LogicalResult IntMmMulOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, IntMmMulOp::Adaptor adaptor,
                                           SmallVectorImpl<Type> &inferred) {
  FailureOr<StringAttr> device = commonDevice(loc, adaptor.getOperands());
  if (failed(device))
    return failure();
  FailureOr<Dims> dims = inferPlainProduct(loc, adaptor.getMat1(), adaptor.getMat2(), /*batch=*/false, "mat1", "mat2");
  RankedTensorType scale = tensorTypeOf(adaptor.getScale());
  // int_mm_mul_c1
  if (failed(dims) || failed(expectRank(loc, scale, 2, "scale")) ||
      failed(expectBroadcastsTo(loc, getDims(scale), *dims, "scale")))
    return failure();
  inferred.push_back(makeTensorType(*dims, scale.getElementType(), *device));
  return success();
}

FailureOr<SmallVector<Value>> IntMmMulOp::decompose(OpBuilder &builder) {
  Value product = IntMmOp::create(builder, getLoc(), getMat1(), getMat2());
  product = castElements(builder, getLoc(), product, tensorTypeOf(getScale()).getElementType());
  Value result = MulOp::create(builder, getLoc(), product, getScale());
  return SmallVector<Value>{withTypeOf(result, getResult())};
}

LogicalResult ScaledMmOp::verify() {
  FailureOr<StringAttr> device = commonDevice(getLoc(), getOperands());
  if (failed(device))
    return failure();
  FailureOr<Dims> dims = inferPlainProduct(getLoc(), getInput(), getMat2(), /*batch=*/false, "input", "mat2");
  if (failed(dims) || failed(verifyScales(*this, (*dims)[0], (*dims)[1], getScaleA(), getScaleB(), getBias())))
    return failure();
  // scaled_product_c3
  if (getDevice(getType()) != *device)
    return emitOpError() << "expected the result on the operands' device but got " << getType();
  return expectShape(getLoc(), *dims, getDims(getType()), "result");
}

FailureOr<SmallVector<Value>> ScaledMmOp::decompose(OpBuilder &builder) {
  Type f32 = builder.getF32Type();
  Value product = MmOp::create(builder, getLoc(), castElements(builder, getLoc(), getInput(), f32),
                               castElements(builder, getLoc(), getMat2(), f32));
  product.setType(withElementType(getType(), f32));
  // A scale of one element may be of any rank.
  for (Value scale : {getScaleA(), getScaleB()}) {
    if (tensorTypeOf(scale).getRank() > 2)
      scale = ReshapeOp::create(builder, getLoc(), scale, ArrayRef<int64_t>{});
    product = withTypeOf(MulOp::create(builder, getLoc(), product, scale), product);
  }
  if (Value bias = getBias()) {
    bias = castElements(builder, getLoc(), bias, f32);
    product = withTypeOf(AddOp::create(builder, getLoc(), product, bias, builder.getF64FloatAttr(1.0)), product);
  }
  return SmallVector<Value>{
      withTypeOf(castElements(builder, getLoc(), product, getType().getElementType()), getResult())};
}

LogicalResult GroupedMmOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, GroupedMmOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  FailureOr<StringAttr> device = expectUniform(loc, adaptor.getOperands());
  if (failed(device))
    return failure();
  ValueRange inputs = adaptor.getInputs(), weights = adaptor.getWeights(), biases = adaptor.getBiases();
  // grouped_mm_c1
  if (inputs.size() != weights.size()) {
    emitOptional(loc) << "expected one weight for each of " << inputs.size() << " inputs but got " << weights.size();
    return failure();
  }
  // grouped_mm_c2
  if (!biases.empty() && biases.size() != inputs.size()) {
    emitOptional(loc) << "expected no bias or one for each of " << inputs.size() << " inputs but got " << biases.size();
    return failure();
  }
  for (auto [i, input] : llvm::enumerate(inputs)) {
    FailureOr<Dims> dims = inferPlainProduct(loc, input, weights[i], /*batch=*/false, "input", "weight");
    // add_product_c1
    if (failed(dims) ||
        (!biases.empty() && failed(expectBroadcastsTo(loc, getDims(tensorTypeOf(biases[i])), *dims, "bias"))))
      return failure();
    inferred.push_back(makeTensorType(*dims, tensorTypeOf(input).getElementType(), *device));
  }
  return success();
}

FailureOr<SmallVector<Value>> GroupedMmOp::decompose(OpBuilder &builder) {
  SmallVector<Value> results;
  FloatAttr one = builder.getF64FloatAttr(1.0);
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    Value product =
        getBiases().empty()
            ? MmOp::create(builder, getLoc(), input, getWeights()[i]).getResult()
            : AddmmOp::create(builder, getLoc(), getBiases()[i], input, getWeights()[i], one, one).getResult();
    results.push_back(withTypeOf(product, getOutputs()[i]));
  }
  return results;
}

LogicalResult B2bGemmOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, B2bGemmOp::Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  FailureOr<StringAttr> device = expectUniform(loc, adaptor.getOperands());
  if (failed(device))
    return failure();
  FailureOr<Dims> first = inferPlainProduct(loc, adaptor.getA(), adaptor.getB(), /*batch=*/false, "a", "b");
  FailureOr<Dims> second =
      failed(first) ? first : inferPlainProduct(loc, adaptor.getB(), adaptor.getC(), /*batch=*/false, "b", "c");
  if (failed(second))
    return failure();
  // Either way [m, k] x [k, n] x [n, p].
  inferred.push_back(
      makeTensorType({(*first)[0], (*second)[1]}, tensorTypeOf(adaptor.getA()).getElementType(), *device));
  return success();
}

LogicalResult B2bGemmOp::verifyRegions() {
  Block &block = getBody().front();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  RankedTensorType outer = getLeft() ? tensorTypeOf(getA()) : tensorTypeOf(getB());
  RankedTensorType inner = getLeft() ? tensorTypeOf(getB()) : tensorTypeOf(getC());
  Dims dims{getDims(outer)[0], getDims(inner)[1]};
  Type expected = makeTensorType(dims, outer.getElementType(), getDevice(outer));
  // b2b_gemm_c1
  if (block.getNumArguments() != 1 || !areCompatibleTypes(block.getArgumentTypes(), expected))
    return emitOpError() << "expected a body that takes the inner product of type " << expected;
  if (!yield || yield.getNumOperands() != 1 || !areCompatibleTypes(yield.getOperandTypes(), expected))
    return emitOpError() << "expected a body that yields one tensor of type " << expected;
  return success();
}

FailureOr<SmallVector<Value>> B2bGemmOp::decompose(OpBuilder &builder) {
  Block &block = getBody().front();
  Value inner = getLeft() ? MmOp::create(builder, getLoc(), getA(), getB()).getResult()
                          : MmOp::create(builder, getLoc(), getB(), getC()).getResult();
  inner.setType(block.getArgument(0).getType());
  mlir::IRMapping mapping;
  mapping.map(block.getArgument(0), inner);
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  Value between = mapping.lookup(cast<YieldOp>(block.getTerminator()).getValues().front());
  Value result = getLeft() ? MmOp::create(builder, getLoc(), between, getC()).getResult()
                           : MmOp::create(builder, getLoc(), getA(), between).getResult();
  return SmallVector<Value>{withTypeOf(result, getResult())};
}

//===----------------------------------------------------------------------===//
// Products summed for each element of the results
//===----------------------------------------------------------------------===//

namespace {
using Extent = llvm::function_ref<double(Value, int64_t)>;
} // namespace

double AddmmOp::countProducts(Extent extent) { return extent(getMat1(), -1); }
double BaddbmmOp::countProducts(Extent extent) { return extent(getMat1(), -1); }
double AddmmActivationOp::countProducts(Extent extent) { return extent(getMat1(), -1); }
double TransposeLinearOp::countProducts(Extent extent) { return extent(getInput(), -2); }
double TransposeMatmulOp::countProducts(Extent extent) { return extent(getInput(), getTransInput() ? -2 : -1); }
double LceOp::countProducts(Extent extent) { return extent(getOperand(0), -2); }
/// Two products, as large as each other.
double DotCompressOp::countProducts(Extent extent) { return 2 * extent(getOperand(0), -1); }
double MmPlusMmOp::countProducts(Extent extent) { return extent(getMat1(), 1) + extent(getMat3(), 1); }

/// All combinations of the labels that the result lacks.
double EinsumOp::countProducts(Extent extent) {
  SmallVector<int64_t> ranks;
  for (Value operand : getOperands())
    ranks.push_back(tensorTypeOf(operand).getRank());
  FailureOr<EinsumEquation> equation = parseEinsum(std::nullopt, getEquation(), ranks);
  if (failed(equation))
    return 0;
  llvm::MapVector<int, double> summed;
  for (auto [operand, labels] : llvm::zip_equal(getOperands(), equation->operands))
    for (auto [dim, label] : llvm::enumerate(labels))
      if (!llvm::is_contained(equation->result, label))
        summed[label] = std::max(summed[label], extent(operand, dim));
  double products = 1;
  for (auto [label, size] : summed)
    products *= size;
  return products;
}

/// The product for the scores is spread over the result's elements.
double ScaledDotProductAttentionOp::countProducts(Extent extent) {
  double keys = extent(getKey(), -2), width = extent(getValue(), -1);
  return width == 0 ? 0 : keys + keys * extent(getQuery(), -1) / width;
}

/// The products are spread over all results.
double GroupedMmOp::countProducts(Extent extent) {
  double products = 0, elements = 0;
  for (auto [input, result] : llvm::zip_equal(getInputs(), getOutputs())) {
    double own = extent(result, 0) * extent(result, 1);
    elements += own;
    products += own * extent(input, 1);
  }
  return elements == 0 ? 0 : products / elements;
}

/// [m, n] x [n, o] x [o, p]; the inner product is spread over the result's elements.
double B2bGemmOp::countProducts(Extent extent) {
  double m = extent(getA(), 0), n = extent(getA(), 1), o = extent(getC(), 0), p = extent(getC(), 1);
  if (m == 0 || p == 0)
    return 0;
  return getLeft() ? o + n * o / p : n + n * o / m;
}

void FxGraphDialect::registerContractionOps() {
  addOperations<
#define GET_OP_LIST
#include "fxgraph/Dialect/IR/OpsContraction.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "fxgraph/Dialect/IR/OpsContraction.cpp.inc"
