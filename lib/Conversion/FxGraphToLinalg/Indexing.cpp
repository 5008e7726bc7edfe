// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexing by tensors. Reads are a tensor.extract in the body of a linalg.generic;
// writes with colliding places are a loop nest in order, on one tensor, or one of the
// parallel forms, where each element collects what lands on it. In front of
// each stands a check of all indices, which fails the run: no index out of range
// ever reaches memory. The unsafe forms have none: they are for who knows the indices.

#include "LoweringUtils.h"
#include "ParallelForms.h"
#include "PopulatePatterns.h"

using namespace fxgraph;
using namespace fxgraph::lowering;

namespace {

/// Fails the run unless lowest <= index < extent for every index; `lowest` is
/// -extent where negative indices count from the end.
void assertInRange(OpBuilder &b, Location loc, Value indices, Type dtype, OpFoldResult extent, bool allowNegative) {
  Type i64 = b.getI64Type();
  Value bound = mlir::arith::IndexCastOp::create(b, loc, i64, toIndexValue(b, loc, extent));
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, tensorType(indices).getRank()));
  Value fine = buildReduction(b, loc, indices, dims, createScalar(b, loc, b.getI8Type(), 1),
                              [&](OpBuilder &n, Location l, ValueRange args) -> SmallVector<Value> {
                                Scalars s(n, l, i64);
                                Value index = convertScalar(n, l, loadElement(n, l, args[0], dtype), dtype, i64);
                                Value lowest = allowNegative ? s.neg(bound) : s.cst(0);
                                Value inside = s.andB(s.cmp(Scalars::GE, index, lowest), s.lt(index, bound));
                                return {s.andB(args[1], mlir::arith::ExtUIOp::create(n, l, n.getI8Type(), inside))};
                              })[0];
  Value flag = mlir::tensor::ExtractOp::create(b, loc, fine, ValueRange{});
  Value condition =
      mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::ne, flag, createScalar(b, loc, b.getI8Type(), 0));
  std::string text = "expected indices in range";
  if (std::optional<int64_t> number = constantSize(extent))
    text = ("expected indices in [" + Twine(allowNegative ? -*number : 0) + ", " + Twine(*number - 1) + "]").str();
  assertTrue(b, loc, condition, text + " but got one outside");
}

/// A checked index as `index`, counted from 0.
Value normalizedIndex(OpBuilder &b, Location loc, Value stored, Type dtype, Value extent, bool allowNegative) {
  Type i64 = b.getI64Type();
  Value index = convertScalar(b, loc, loadElement(b, loc, stored, dtype), dtype, i64);
  Value position = mlir::arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
  if (!allowNegative || isUnsigned(dtype))
    return position;
  Value zero = mlir::arith::ConstantIndexOp::create(b, loc, 0);
  Value negative = mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::slt, position, zero);
  Value fromEnd = mlir::arith::AddIOp::create(b, loc, position, extent);
  return mlir::arith::SelectOp::create(b, loc, negative, fromEnd, position);
}

/// Where the dims of an indexed result come from.
struct IndexedShape {
  SmallVector<int64_t> indexed; // dims of the input with an index tensor
  SmallVector<int64_t> plain;   // the others
  int64_t front = 0;            // plain dims in front of the indices' shape
  Sizes broadcast;              // of the index tensors
  Sizes sizes;                  // of the result
};

IndexedShape analyzeIndexing(OpBuilder &b, Location loc, Value input, ValueRange indices, ArrayRef<int64_t> dims) {
  IndexedShape shape;
  int64_t rank = tensorType(input).getRank();
  for (int64_t dim : dims)
    shape.indexed.push_back(wrapDim(dim, rank));
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(shape.indexed, i))
      shape.plain.push_back(i);
  bool adjacent = true;
  for (size_t i = 1; i < shape.indexed.size(); ++i)
    adjacent &= shape.indexed[i] == shape.indexed[i - 1] + 1;
  // In place of the dims if these are adjacent, else in front.
  shape.front = adjacent && !shape.indexed.empty() ? shape.indexed.front() : 0;
  shape.broadcast = broadcastSizes(b, loc, indices);
  for (int64_t i = 0; i < shape.front; ++i)
    shape.sizes.push_back(getSize(b, loc, input, shape.plain[i]));
  llvm::append_range(shape.sizes, shape.broadcast);
  for (size_t i = shape.front; i < shape.plain.size(); ++i)
    shape.sizes.push_back(getSize(b, loc, input, shape.plain[i]));
  return shape;
}

/// Position in the input of loop indices `loops`, with the indices of the index
/// tensors.
SmallVector<Value> inputPosition(const IndexedShape &shape, ArrayRef<Value> loops, ArrayRef<Value> fromTensors) {
  SmallVector<Value> position(shape.indexed.size() + shape.plain.size());
  for (auto [dim, value] : llvm::zip_equal(shape.indexed, fromTensors))
    position[dim] = value;
  for (auto [i, dim] : llvm::enumerate(shape.plain))
    position[dim] = loops[static_cast<int64_t>(i) < shape.front ? i : i + shape.broadcast.size()];
  return position;
}

/// Index tensors, the dims that they index, and the tensor that has those.
struct Gathered {
  Value input;
  SmallVector<Value> indices;
  SmallVector<Type> dtypes;
  SmallVector<int64_t> dims;
  SmallVector<bool> mayBeNegative;
};

/// Two index tensors of one shape on neighbouring dims as one on both together, computed beside the loops over the result
/// where these are over more: places of samples, which all channels share.
bool joinIndices(OpBuilder &b, Location loc, Gathered &gathered, ArrayRef<OpFoldResult> results) {
  RankedTensorType input = tensorType(gathered.input);
  if (!input.hasStaticShape())
    return false;
  int64_t elements = 1;
  for (OpFoldResult size : results) {
    std::optional<int64_t> extent = constantSize(size);
    if (!extent)
      return false;
    elements *= *extent;
  }
  for (size_t i = 0; i + 1 < gathered.dims.size(); ++i) {
    RankedTensorType first = tensorType(gathered.indices[i]), second = tensorType(gathered.indices[i + 1]);
    int64_t dim = gathered.dims[i];
    if (gathered.dims[i + 1] != dim + 1 || !first.hasStaticShape() || first.getShape() != second.getShape() ||
        first.getNumElements() >= elements)
      continue;
    Value extents[] = {mlir::arith::ConstantIndexOp::create(b, loc, input.getDimSize(dim)),
                       mlir::arith::ConstantIndexOp::create(b, loc, input.getDimSize(dim + 1))};
    Value both = buildElementwise(b, loc, {gathered.indices[i], gathered.indices[i + 1]}, b.getI64Type(),
                                  [&](OpBuilder &n, Location l, ValueRange args) -> Value {
                                    Value positions[2];
                                    for (int k : {0, 1})
                                      positions[k] = normalizedIndex(n, l, args[k], gathered.dtypes[i + k], extents[k],
                                                                     gathered.mayBeNegative[i + k]);
                                    Value start = mlir::arith::MulIOp::create(n, l, positions[0], extents[1]);
                                    Value place = mlir::arith::AddIOp::create(n, l, start, positions[1]);
                                    return mlir::arith::IndexCastOp::create(n, l, n.getI64Type(), place);
                                  });
    Sizes sizes = getSizes(b, loc, gathered.input);
    sizes[dim] = mulSizes(b, loc, sizes[dim], sizes[dim + 1]);
    sizes.erase(sizes.begin() + dim + 1);
    gathered.input = reshapeTo(b, loc, gathered.input, sizes);
    gathered.indices[i] = both;
    gathered.dtypes[i] = b.getI64Type();
    gathered.mayBeNegative[i] = false;
    gathered.indices.erase(gathered.indices.begin() + i + 1);
    gathered.dtypes.erase(gathered.dtypes.begin() + i + 1);
    gathered.mayBeNegative.erase(gathered.mayBeNegative.begin() + i + 1);
    gathered.dims.erase(gathered.dims.begin() + i + 1);
    for (int64_t &other : gathered.dims)
      other -= other > dim;
    return true;
  }
  return false;
}

template <typename OpTy, bool isChecked>
struct IndexLowering : public OpConversionPattern<OpTy> {
  IndexLowering(const mlir::TypeConverter &converter, MLIRContext *context, bool parallelForms)
      : OpConversionPattern<OpTy>(converter, context), parallelForms(parallelForms) {}
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Gathered gathered{adaptor.getInput(), llvm::to_vector(adaptor.getIndices()), {}, {}, {}};
    for (auto [original, converted, dim] : llvm::zip_equal(op.getIndices(), adaptor.getIndices(), op.getDims())) {
      int64_t wrapped = wrapDim(dim, tensorType(gathered.input).getRank());
      gathered.dtypes.push_back(dtypeOf(original));
      gathered.dims.push_back(wrapped);
      gathered.mayBeNegative.push_back(true);
      if constexpr (isChecked)
        assertInRange(rewriter, loc, converted, dtypeOf(original), getSize(rewriter, loc, gathered.input, wrapped),
                      true);
    }
    IndexedShape shape = analyzeIndexing(rewriter, loc, gathered.input, gathered.indices, gathered.dims);
    while (!parallelForms && joinIndices(rewriter, loc, gathered, shape.sizes))
      shape = analyzeIndexing(rewriter, loc, gathered.input, gathered.indices, gathered.dims);
    SmallVector<AffineMap> maps;
    SmallVector<Value> extents;
    for (auto [tensor, dim] : llvm::zip_equal(gathered.indices, shape.indexed)) {
      extents.push_back(toIndexValue(rewriter, loc, getSize(rewriter, loc, gathered.input, dim)));
      AffineMap broadcast = broadcastMap(rewriter, loc, tensor, shape.broadcast);
      SmallVector<mlir::AffineExpr> exprs;
      for (mlir::AffineExpr expr : broadcast.getResults())
        exprs.push_back(expr.shiftDims(broadcast.getNumDims(), shape.front));
      maps.push_back(AffineMap::get(shape.sizes.size(), 0, exprs, rewriter.getContext()));
    }
    Value value = buildParallel(
        rewriter, loc, gathered.indices, maps, shape.sizes, dtypeOf(gathered.input),
        [&](OpBuilder &b, Location l, ValueRange args) -> Value {
          SmallVector<Value> loops, positions;
          for (size_t i = 0; i < shape.sizes.size(); ++i)
            loops.push_back(mlir::linalg::IndexOp::create(b, l, i));
          for (auto [i, arg] : llvm::enumerate(args))
            positions.push_back(normalizedIndex(b, l, arg, gathered.dtypes[i], extents[i], gathered.mayBeNegative[i]));
          return mlir::tensor::ExtractOp::create(b, l, gathered.input, inputPosition(shape, loops, positions));
        });
    rewriter.replaceOp(op,
                       castTo(rewriter, loc, value, this->getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
  bool parallelForms;
};

/// Loop nest over `sizes` in row-major order that carries one tensor.
Value buildSequential(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes, Value tensor,
                      function_ref<Value(OpBuilder &, Location, ArrayRef<Value>, Value)> body) {
  Value zero = mlir::arith::ConstantIndexOp::create(b, loc, 0), one = mlir::arith::ConstantIndexOp::create(b, loc, 1);
  SmallVector<Value> bounds;
  for (OpFoldResult size : sizes)
    bounds.push_back(toIndexValue(b, loc, size));
  SmallVector<Value> index;
  std::function<Value(OpBuilder &, Location, Value)> nest = [&](OpBuilder &n, Location l, Value carried) -> Value {
    if (index.size() == bounds.size())
      return body(n, l, index, carried);
    auto loop = mlir::scf::ForOp::create(n, l, zero, bounds[index.size()], one, carried,
                                         [&](OpBuilder &m, Location k, Value i, ValueRange state) {
                                           index.push_back(i);
                                           Value next = nest(m, k, state[0]);
                                           index.pop_back();
                                           mlir::scf::YieldOp::create(m, k, next);
                                         });
    return loop.getResult(0);
  };
  return nest(b, loc, tensor);
}

/// What is there and what comes, in compute types.
using Combine = function_ref<Value(Scalars &, Value, Value)>;

Value addUp(Scalars &s, Value x, Value y) { return isBool(s.dtype) ? s.orB(x, y) : s.add(x, y); }

/// What `combine` makes of both, in storage types.
Value combineStored(OpBuilder &b, Location loc, Type dtype, Value old, Value source, Combine combine) {
  Scalars s(b, loc, dtype);
  return storeElement(b, loc, combine(s, loadElement(b, loc, old, dtype), loadElement(b, loc, source, dtype)), dtype);
}

/// element = source at a position, or what `combine` makes of both; in storage types.
Value storeInto(OpBuilder &b, Location loc, Value tensor, ArrayRef<Value> position, Value source, Type dtype,
                Combine combine) {
  if (combine)
    source = combineStored(b, loc, dtype, mlir::tensor::ExtractOp::create(b, loc, tensor, position), source, combine);
  return mlir::tensor::InsertOp::create(b, loc, source, tensor, position);
}

/// Index of an element of a tensor that is broadcast (aligned at the right) to loops.
SmallVector<Value> broadcastPosition(OpBuilder &b, Location loc, Value tensor, ArrayRef<Value> loops,
                                     ArrayRef<OpFoldResult> sizes) {
  RankedTensorType type = tensorType(tensor);
  SmallVector<Value> position;
  int64_t offset = static_cast<int64_t>(loops.size()) - type.getRank();
  for (int64_t i = 0; i < type.getRank(); ++i) {
    bool isBroadcast = type.getDimSize(i) == 1 && constantSize(sizes[i + offset]) != 1;
    position.push_back(isBroadcast ? Value(mlir::arith::ConstantIndexOp::create(b, loc, 0)) : loops[i + offset]);
  }
  return position;
}

template <typename OpTy, bool isChecked>
struct IndexPutLowering : public OpConversionPattern<OpTy> {
  IndexPutLowering(const mlir::TypeConverter &converter, MLIRContext *context, bool parallelForms)
      : OpConversionPattern<OpTy>(converter, context), parallelForms(parallelForms) {}
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput(), values = adaptor.getValues();
    Type dtype = dtypeOf(op.getInput());
    if (parallelForms)
      return putInParallel(op, adaptor, rewriter);
    IndexedShape shape = analyzeIndexing(rewriter, loc, input, adaptor.getIndices(), op.getDims());
    SmallVector<Value> extents;
    for (auto [original, converted, dim] : llvm::zip_equal(op.getIndices(), adaptor.getIndices(), shape.indexed)) {
      OpFoldResult extent = getSize(rewriter, loc, input, dim);
      if constexpr (isChecked)
        assertInRange(rewriter, loc, converted, dtypeOf(original), extent, true);
      extents.push_back(toIndexValue(rewriter, loc, extent));
      broadcastMap(rewriter, loc, converted, shape.broadcast); // asserts equal extents
    }
    broadcastMap(rewriter, loc, values, shape.sizes);
    Value result = buildSequential(
        rewriter, loc, shape.sizes, input, [&](OpBuilder &b, Location l, ArrayRef<Value> loops, Value carried) {
          SmallVector<Value> positions;
          for (auto [i, tensor] : llvm::enumerate(adaptor.getIndices())) {
            ArrayRef<Value> own = loops.slice(shape.front, shape.broadcast.size());
            Value stored =
                mlir::tensor::ExtractOp::create(b, l, tensor, broadcastPosition(b, l, tensor, own, shape.broadcast));
            positions.push_back(normalizedIndex(b, l, stored, dtypeOf(op.getIndices()[i]), extents[i], true));
          }
          Value source =
              mlir::tensor::ExtractOp::create(b, l, values, broadcastPosition(b, l, values, loops, shape.sizes));
          return storeInto(b, l, carried, inputPosition(shape, loops, positions), source, dtype,
                           op.getAccumulate() ? Combine(addUp) : Combine());
        });
    rewriter.replaceOp(op,
                       castTo(rewriter, loc, result, this->getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }

private:
  /// Each element of the result collects the values that are put there, in their order.
  LogicalResult putInParallel(OpTy op, typename OpTy::Adaptor adaptor, ConversionPatternRewriter &rewriter) const {
    if (failed(checkStaticExtents(op)))
      return failure();
    Location loc = op.getLoc();
    Value input = adaptor.getInput(), values = adaptor.getValues();
    Type dtype = dtypeOf(op.getInput()), i64 = rewriter.getI64Type();
    IndexedShape shape = analyzeIndexing(rewriter, loc, input, adaptor.getIndices(), op.getDims());
    SmallVector<int64_t> extents, strides(shape.indexed.size()), counts;
    for (int64_t dim : shape.indexed)
      extents.push_back(tensorType(input).getDimSize(dim));
    int64_t places = 1, entries = 1;
    for (size_t i = extents.size(); i-- > 0; places *= extents[i])
      strides[i] = places;
    for (OpFoldResult size : shape.broadcast)
      entries *= counts.emplace_back(*constantSize(size));
    auto finish = [&](Value result) {
      Type type = this->getTypeConverter()->convertType(op.getResult().getType());
      rewriter.replaceOp(op, castTo(rewriter, loc, result, type));
      return success();
    };
    if (entries == 0)
      return finish(input);
    auto number = [](OpBuilder &b, Location l, int64_t value) -> Value {
      return mlir::arith::ConstantIndexOp::create(b, l, value);
    };
    // The place of an entry among those that the indices can name.
    auto placeOf = [&](OpBuilder &b, Location l, ArrayRef<Value> positions) {
      Value place = number(b, l, 0);
      for (auto [position, stride] : llvm::zip_equal(positions, strides)) {
        Value scaled = mlir::arith::MulIOp::create(b, l, position, number(b, l, stride));
        place = mlir::arith::AddIOp::create(b, l, place, scaled);
      }
      return place;
    };
    SmallVector<AffineMap> maps;
    for (Value tensor : adaptor.getIndices())
      maps.push_back(broadcastMap(rewriter, loc, tensor, shape.broadcast));
    Value keys = buildParallel(rewriter, loc, adaptor.getIndices(), maps, shape.broadcast, i64,
                               [&](OpBuilder &b, Location l, ValueRange args) -> Value {
                                 SmallVector<Value> positions;
                                 for (auto [i, arg] : llvm::enumerate(args)) {
                                   Type indexType = dtypeOf(op.getIndices()[i]);
                                   Value extent = number(b, l, extents[i]);
                                   positions.push_back(isChecked ? checkedIndex(b, l, arg, indexType, extents[i], true)
                                                                 : normalizedIndex(b, l, arg, indexType, extent, true));
                                 }
                                 return mlir::arith::IndexCastOp::create(b, l, i64, placeOf(b, l, positions));
                               });
    Landings landings(rewriter, loc, reshapeTo(rewriter, loc, keys, OpFoldResult(rewriter.getIndexAttr(entries))), 0,
                      places);
    Value result = buildElementwise(
        rewriter, loc, input, getStorageType(dtype), [&](OpBuilder &b, Location l, ValueRange args) -> Value {
          SmallVector<Value> own, plain;
          for (int64_t dim : shape.indexed)
            own.push_back(mlir::linalg::IndexOp::create(b, l, dim));
          for (int64_t dim : shape.plain)
            plain.push_back(mlir::linalg::IndexOp::create(b, l, dim));
          auto put = [&](OpBuilder &n, Location k, Value entry, ValueRange state) -> SmallVector<Value> {
            // Where the entry is among the values.
            SmallVector<Value> loops(counts.size());
            for (size_t i = counts.size(); i-- > 0;) {
              loops[i] = mlir::arith::RemUIOp::create(n, k, entry, number(n, k, counts[i]));
              entry = mlir::arith::DivUIOp::create(n, k, entry, number(n, k, counts[i]));
            }
            loops.insert(loops.begin(), plain.begin(), plain.begin() + shape.front);
            loops.append(plain.begin() + shape.front, plain.end());
            Value source =
                mlir::tensor::ExtractOp::create(n, k, values, broadcastPosition(n, k, values, loops, shape.sizes));
            return {op.getAccumulate() ? combineStored(n, k, dtype, state[0], source, addUp) : source};
          };
          return landings.forEach(b, l, {number(b, l, 0)}, placeOf(b, l, own), args[0], put)[0];
        });
    return finish(result);
  }
  bool parallelForms;
};

struct IndexSelectLowering : public OpConversionPattern<IndexSelectOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(IndexSelectOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput(), index = adaptor.getIndex();
    Type dtype = dtypeOf(op.getIndex());
    int64_t rank = tensorType(input).getRank();
    if (rank == 0) { // The only index is 0.
      assertInRange(rewriter, loc, index, dtype, rewriter.getIndexAttr(1), false);
      rewriter.replaceOp(op, castTo(rewriter, loc, input, getTypeConverter()->convertType(op.getResult().getType())));
      return success();
    }
    int64_t dim = wrapDim(op.getDim(), rank);
    assertInRange(rewriter, loc, index, dtype, getSize(rewriter, loc, input, dim), false);
    if (tensorType(index).getRank() == 0)
      index = unsqueeze(rewriter, loc, index, 0);
    Sizes sizes = getSizes(rewriter, loc, input);
    sizes[dim] = getSize(rewriter, loc, index, 0);
    AffineMap map = AffineMap::get(rank, 0, rewriter.getAffineDimExpr(dim), rewriter.getContext());
    Value value = buildParallel(rewriter, loc, index, map, sizes, dtypeOf(input),
                                [&](OpBuilder &b, Location l, ValueRange args) -> Value {
                                  SmallVector<Value> position;
                                  for (int64_t i = 0; i < rank; ++i)
                                    position.push_back(i == dim ? normalizedIndex(b, l, args[0], dtype, {}, false)
                                                                : Value(mlir::linalg::IndexOp::create(b, l, i)));
                                  return mlir::tensor::ExtractOp::create(b, l, input, position);
                                });
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

struct GatherLowering : public OpConversionPattern<GatherOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(GatherOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput(), index = adaptor.getIndex();
    Type dtype = dtypeOf(op.getIndex());
    int64_t rank = tensorType(input).getRank();
    if (rank == 0)
      input = unsqueeze(rewriter, loc, input, 0);
    if (tensorType(index).getRank() == 0)
      index = unsqueeze(rewriter, loc, index, 0);
    rank = tensorType(input).getRank();
    int64_t dim = wrapDim(op.getDim(), rank);
    assertInRange(rewriter, loc, index, dtype, getSize(rewriter, loc, input, dim), false);
    Value value =
        buildElementwise(rewriter, loc, index, dtypeOf(input), [&](OpBuilder &b, Location l, ValueRange args) -> Value {
          SmallVector<Value> position;
          for (int64_t i = 0; i < rank; ++i)
            position.push_back(i == dim ? normalizedIndex(b, l, args[0], dtype, {}, false)
                                        : Value(mlir::linalg::IndexOp::create(b, l, i)));
          return mlir::tensor::ExtractOp::create(b, l, input, position);
        });
    if (op.getResult().getType().getRank() == 0)
      value = dropDims(rewriter, loc, value, 0);
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

/// The operands of a scatter: a scalar is one element. `src` may be larger than `index`.
struct Scattered {
  template <typename OpTy>
  Scattered(OpBuilder &b, OpTy op, typename OpTy::Adaptor adaptor, bool parallelForms)
      : loc(op.getLoc()), indexType(dtypeOf(op.getIndex())), dtype(dtypeOf(op.getInput())),
        isScalar(tensorType(adaptor.getInput()).getRank() == 0) {
    auto widen = [&](Value tensor) {
      return tensorType(tensor).getRank() == 0 ? unsqueeze(b, loc, tensor, 0) : tensor;
    };
    input = widen(adaptor.getInput());
    index = widen(adaptor.getIndex());
    src = widen(adaptor.getSrc());
    dim = wrapDim(op.getDim(), tensorType(input).getRank());
    if (!parallelForms)
      assertInRange(b, loc, index, indexType, getSize(b, loc, input, dim), false);
  }

  /// `target` with an element for each of the index: `source` of it, combined with what is there.
  Value into(OpBuilder &b, Value target, Type elements, Combine combine,
             function_ref<Value(OpBuilder &, Location, ArrayRef<Value>)> source) const {
    return buildSequential(b, loc, getSizes(b, loc, index), target,
                           [&](OpBuilder &n, Location l, ArrayRef<Value> loops, Value carried) {
                             Value stored = mlir::tensor::ExtractOp::create(n, l, index, loops);
                             SmallVector<Value> position(loops);
                             position[dim] = normalizedIndex(n, l, stored, indexType, {}, false);
                             return storeInto(n, l, carried, position, source(n, l, loops), elements, combine);
                           });
  }
  Value ofSrc(OpBuilder &b, Location l, ArrayRef<Value> loops) const {
    return mlir::tensor::ExtractOp::create(b, l, src, loops);
  }
  LogicalResult checkParallel(Operation *op) const {
    if (failed(checkStaticExtents(op)))
      return failure();
    // Every index into nothing is out of range: there is no place to go on with.
    int64_t entries = tensorType(index).getNumElements();
    if (tensorType(input).getDimSize(dim) == 0 && entries != 0)
      return op->emitOpError("expected no index into a tensor without elements but got ") << entries;
    return success();
  }
  /// The parallel form: `step` on the elements that are written to each of the input's, in their order, from the
  /// state `init` of an element; `last` makes the result's of the last state.
  Value collect(OpBuilder &b, function_ref<SmallVector<Value>(OpBuilder &, Location, Value)> init,
                function_ref<SmallVector<Value>(OpBuilder &, Location, Value source, ValueRange state)> step,
                function_ref<Value(OpBuilder &, Location, ValueRange)> last) const {
    ArrayRef<int64_t> shape = tensorType(input).getShape(), written = tensorType(index).getShape();
    if (tensorType(index).getNumElements() == 0)
      return input;
    Type i64 = b.getI64Type();
    Value keys = buildElementwise(b, loc, index, i64, [&](OpBuilder &n, Location l, ValueRange args) -> Value {
      Value place = checkedIndex(n, l, args[0], indexType, shape[dim], /*allowNegative=*/false);
      return mlir::arith::IndexCastOp::create(n, l, i64, place);
    });
    Landings landings(b, loc, keys, dim, shape[dim]);
    return buildElementwise(
        b, loc, input, getStorageType(dtype), [&](OpBuilder &n, Location l, ValueRange args) -> Value {
          SmallVector<Value> loops;
          Value isWritten;
          for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i) {
            loops.push_back(mlir::linalg::IndexOp::create(n, l, i));
            if (i == dim || written[i] >= shape[i])
              continue;
            Value inside = mlir::arith::CmpIOp::create(n, l, mlir::arith::CmpIPredicate::ult, loops[i],
                                                       mlir::arith::ConstantIndexOp::create(n, l, written[i]));
            isWritten = isWritten ? mlir::arith::AndIOp::create(n, l, isWritten, inside).getResult() : inside;
          }
          SmallVector<Value> start = init(n, l, args[0]);
          auto all = [&](OpBuilder &m, Location k) {
            return landings.forEach(m, k, loops, loops[dim], start,
                                    [&](OpBuilder &o, Location p, Value entry, ValueRange state) {
                                      SmallVector<Value> position(loops);
                                      position[dim] = entry;
                                      return step(o, p, ofSrc(o, p, position), state);
                                    });
          };
          if (!isWritten)
            return last(n, l, all(n, l));
          auto branch = mlir::scf::IfOp::create(
              n, l, isWritten, [&](OpBuilder &m, Location k) { mlir::scf::YieldOp::create(m, k, all(m, k)); },
              [&](OpBuilder &m, Location k) { mlir::scf::YieldOp::create(m, k, start); });
          return last(n, l, branch.getResults());
        });
  }
  Value finish(OpBuilder &b, Value result) const { return isScalar ? dropDims(b, loc, result, 0) : result; }

  Location loc;
  Type indexType, dtype;
  bool isScalar;
  Value input, index, src;
  int64_t dim;
};

template <typename OpTy, bool accumulate>
struct ScatterLowering : public OpConversionPattern<OpTy> {
  ScatterLowering(const mlir::TypeConverter &converter, MLIRContext *context, bool parallelForms)
      : OpConversionPattern<OpTy>(converter, context), parallelForms(parallelForms) {}
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Scattered scattered(rewriter, op, adaptor, parallelForms);
    if (parallelForms && failed(scattered.checkParallel(op)))
      return failure();
    Type dtype = scattered.dtype;
    Value result;
    if (parallelForms)
      result = scattered.collect(
          rewriter, [](OpBuilder &, Location, Value old) -> SmallVector<Value> { return {old}; },
          [&](OpBuilder &b, Location l, Value source, ValueRange state) -> SmallVector<Value> {
            return {accumulate ? combineStored(b, l, dtype, state[0], source, addUp) : source};
          },
          [](OpBuilder &, Location, ValueRange state) { return state[0]; });
    else
      result =
          scattered.into(rewriter, scattered.input, dtype, accumulate ? Combine(addUp) : Combine(),
                         [&](OpBuilder &b, Location l, ArrayRef<Value> loops) { return scattered.ofSrc(b, l, loops); });
    rewriter.replaceOp(op, castTo(rewriter, op.getLoc(), scattered.finish(rewriter, result),
                                  this->getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
  bool parallelForms;
};

/// What an element is combined with in the first place: nothing changes.
Value createNeutral(OpBuilder &b, Location loc, StringRef reduce, Type dtype) {
  Value neutral = reduce == "amax"   ? createLowest(b, loc, dtype)
                  : reduce == "amin" ? createHighest(b, loc, dtype)
                                     : createScalar(b, loc, getComputeType(dtype), reduce == "prod" ? 1 : 0);
  return storeElement(b, loc, neutral, dtype);
}

struct ScatterReduceLowering : public OpConversionPattern<ScatterReduceOp> {
  ScatterReduceLowering(const mlir::TypeConverter &converter, MLIRContext *context, bool parallelForms)
      : OpConversionPattern(converter, context), parallelForms(parallelForms) {}
  LogicalResult matchAndRewrite(ScatterReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Scattered scattered(rewriter, op, adaptor, parallelForms);
    if (parallelForms && failed(scattered.checkParallel(op)))
      return failure();
    Location loc = op.getLoc();
    Type dtype = scattered.dtype, i64 = rewriter.getI64Type();
    StringRef reduce = op.getReduce();
    bool isMean = reduce == "mean", includeSelf = op.getIncludeSelf();
    auto combine = [&](Scalars &s, Value x, Value y) -> Value {
      if (reduce == "prod")
        return isBool(dtype) ? s.andB(x, y) : s.mul(x, y);
      if (reduce == "amax")
        return isBool(dtype) ? s.orB(x, y) : s.max(x, y);
      if (reduce == "amin")
        return isBool(dtype) ? s.andB(x, y) : s.min(x, y);
      return addUp(s, x, y);
    };
    Value result = scattered.input;
    if (parallelForms) {
      // The state: the element, and how many it is made of.
      result = scattered.collect(
          rewriter,
          [&](OpBuilder &b, Location l, Value old) -> SmallVector<Value> {
            return {old, createScalar(b, l, i64, includeSelf ? 1 : 0)};
          },
          [&](OpBuilder &b, Location l, Value source, ValueRange state) -> SmallVector<Value> {
            Scalars s(b, l, i64);
            Value old = state[0];
            if (!includeSelf)
              old = s.select(s.eq(state[1], s.cst(0)), createNeutral(b, l, reduce, dtype), old);
            return {combineStored(b, l, dtype, old, source, combine), s.add(state[1], s.cst(1))};
          },
          [&](OpBuilder &b, Location l, ValueRange state) {
            return isMean ? divideByCount(b, l, state[0], state[1], dtype) : state[0];
          });
    } else {
      if (!includeSelf)
        result = scattered.into(rewriter, result, dtype, Combine(), [&](OpBuilder &b, Location l, ArrayRef<Value>) {
          return createNeutral(b, l, reduce, dtype);
        });
      result = scattered.into(rewriter, result, dtype, combine, [&](OpBuilder &b, Location l, ArrayRef<Value> loops) {
        return scattered.ofSrc(b, l, loops);
      });
      if (isMean)
        result = divideByCounts(rewriter, scattered, result, includeSelf);
    }
    rewriter.replaceOp(op, castTo(rewriter, loc, scattered.finish(rewriter, result),
                                  getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }

  /// A stored sum by how many it is made of (i64).
  static Value divideByCount(OpBuilder &b, Location loc, Value stored, Value count, Type dtype) {
    Type i64 = b.getI64Type();
    Value sum = loadElement(b, loc, stored, dtype);
    count = mlir::arith::MaxSIOp::create(b, loc, count, createScalar(b, loc, i64, 1));
    Scalars s(b, loc, dtype);
    if (s.isFloatType())
      return storeElement(b, loc, s.div(sum, convertScalar(b, loc, count, i64, dtype)), dtype);
    // In i64: a count need not fit the dtype.
    Value wide = convertScalar(b, loc, sum, dtype, i64);
    Value mean = mlir::arith::FloorDivSIOp::create(b, loc, wide, count);
    return storeElement(b, loc, convertScalar(b, loc, mean, i64, dtype), dtype);
  }
  static Value divideByCounts(OpBuilder &b, const Scattered &scattered, Value sums, bool includeSelf) {
    Location loc = scattered.loc;
    Type i64 = b.getI64Type(), dtype = scattered.dtype;
    Value counts = createFilled(b, loc, getSizes(b, loc, sums), createScalar(b, loc, i64, includeSelf ? 1 : 0));
    counts = scattered.into(b, counts, i64, addUp,
                            [&](OpBuilder &n, Location l, ArrayRef<Value>) { return createScalar(n, l, i64, 1); });
    return buildElementwise(b, loc, {sums, counts}, getStorageType(dtype),
                            [&](OpBuilder &n, Location l, ValueRange args) -> Value {
                              return divideByCount(n, l, args[0], args[1], dtype);
                            });
  }
  bool parallelForms;
};

struct EmbeddingLowering : public OpConversionPattern<EmbeddingOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(EmbeddingOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value weight = adaptor.getWeight(), indices = adaptor.getIndices();
    Type dtype = dtypeOf(op.getIndices());
    assertInRange(rewriter, loc, indices, dtype, getSize(rewriter, loc, weight, 0), false);
    Sizes sizes = getSizes(rewriter, loc, indices);
    int64_t rank = sizes.size();
    sizes.push_back(getSize(rewriter, loc, weight, 1));
    AffineMap map = leadingLoops(rewriter, rank + 1, rank);
    Value value = buildParallel(rewriter, loc, indices, map, sizes, dtypeOf(weight),
                                [&](OpBuilder &b, Location l, ValueRange args) -> Value {
                                  Value row = normalizedIndex(b, l, args[0], dtype, {}, false);
                                  Value column = mlir::linalg::IndexOp::create(b, l, rank);
                                  return mlir::tensor::ExtractOp::create(b, l, weight, ValueRange{row, column});
                                });
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

} // namespace

void lowering::populateIndexing(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns,
                                const LinalgOptions &options) {
  patterns.add<IndexSelectLowering, GatherLowering, EmbeddingLowering>(converter, patterns.getContext());
  patterns.add<IndexLowering<IndexOp, true>, IndexLowering<UnsafeIndexOp, false>>(converter, patterns.getContext(),
                                                                                  options.parallelForms);
  patterns.add<IndexPutLowering<IndexPutOp, true>, IndexPutLowering<UnsafeIndexPutOp, false>,
               ScatterLowering<ScatterOp, false>, ScatterLowering<ScatterAddOp, true>, ScatterReduceLowering>(
      converter, patterns.getContext(), options.parallelForms);
}
