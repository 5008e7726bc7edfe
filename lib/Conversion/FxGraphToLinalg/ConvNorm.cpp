// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolution, pooling, normalisation.
//
// A convolution pads its input, gives batch and groups dimensions of their own and
// becomes one linalg.generic. A transposed one is a matrix product of what each element
// of the input gives to each tap, then a sum of those that land on an element. Norms compute their statistics
// in two passes in the type that sums use (f64 for f32, f32 for 16-bit floats).

#include "LoweringUtils.h"
#include "PopulatePatterns.h"

using namespace fxgraph;
using namespace fxgraph::lowering;

namespace {

using mlir::AffineExpr;
using mlir::utils::IteratorType;

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

struct ConvParameters {
  Value input, weight, bias; // converted; bias may be null
  SmallVector<int64_t> stride, padding, dilation, outputPadding;
  bool transposed = false;
  int64_t groups = 1;
};

/// [g * a, rest…] to [g, a, rest…].
Value splitGroups(OpBuilder &b, Location loc, Value tensor, int64_t dim, int64_t groups) {
  Sizes sizes = getSizes(b, loc, tensor);
  OpFoldResult inner = divSizes(b, loc, sizes[dim], b.getIndexAttr(groups));
  sizes[dim] = b.getIndexAttr(groups);
  sizes.insert(sizes.begin() + dim + 1, inner);
  return reshapeTo(b, loc, tensor, sizes);
}

/// What sums of a convolution start from: the bias, or zeros. Sizes are [n, g, o/g, spatial…].
Value createStart(OpBuilder &b, Location loc, const ConvParameters &conv, Type dtype, const Sizes &sizes) {
  Type accumulator = getComputeType(dtype);
  if (!conv.bias)
    return createFilled(b, loc, sizes, createScalar(b, loc, accumulator, 0));
  Value bias = splitGroups(b, loc, conv.bias, 0, conv.groups);
  AffineMap map = AffineMap::get(sizes.size(), 0, {b.getAffineDimExpr(1), b.getAffineDimExpr(2)}, b.getContext());
  return buildParallel(b, loc, bias, map, sizes, accumulator,
                       [&](OpBuilder &n, Location l, ValueRange args) { return loadElement(n, l, args[0], dtype); });
}

/// The sums as the result: rounded, in the result's shape.
Value storeSums(OpBuilder &b, Location loc, Value sums, Type dtype, const Sizes &sizes, bool batched) {
  if (getComputeType(dtype) != getStorageType(dtype))
    sums = buildElementwise(b, loc, sums, getStorageType(dtype), [&](OpBuilder &n, Location l, ValueRange args) {
      return storeElement(n, l, args[0], dtype);
    });
  Sizes merged;
  if (batched)
    merged.push_back(sizes[0]);
  merged.push_back(mulSizes(b, loc, sizes[1], sizes[2]));
  merged.append(sizes.begin() + 3, sizes.end());
  return reshapeTo(b, loc, sums, merged);
}

/// Sums of products over the last loops but one: the innermost loop is along the rows of what is read and written.
Value buildProduct(OpBuilder &b, Location loc, Type dtype, Value input, Value weight, Value start,
                   ArrayRef<AffineMap> maps, ArrayRef<IteratorType> iterators) {
  auto generic = mlir::linalg::GenericOp::create(b, loc, start.getType(), ValueRange{input, weight}, start, maps,
                                                 iterators, [&](OpBuilder &n, Location l, ValueRange args) {
                                                   Scalars s(n, l, getComputeType(dtype));
                                                   Value product = s.mul(loadElement(n, l, args[0], dtype),
                                                                         loadElement(n, l, args[1], dtype));
                                                   mlir::linalg::YieldOp::create(n, l, s.add(args[2], product));
                                                 });
  return generic.getResult(0);
}

/// All dimensions from one on as one.
Value mergeFrom(OpBuilder &b, Location loc, Value tensor, int64_t first) {
  Sizes sizes = getSizes(b, loc, tensor), merged(sizes.begin(), sizes.begin() + first);
  OpFoldResult product = b.getIndexAttr(1);
  for (OpFoldResult size : llvm::drop_begin(sizes, first))
    product = mulSizes(b, loc, product, size);
  merged.push_back(product);
  return reshapeTo(b, loc, tensor, merged);
}

/// What each element of the input gives to each tap, [n, g, o/g, k…, spatial…]: a matrix product for each batch and group.
/// There are no products but these: zeros between and around the elements would be NaN times an infinite weight.
Value multiplyByTaps(OpBuilder &b, Location loc, Value input, Value weight, Type dtype) {
  Sizes in = getSizes(b, loc, input), kernel = getSizes(b, loc, weight);
  Value columns = mergeFrom(b, loc, input, 3),
        rows = mergeFrom(b, loc, weight, 2); // [n, g, c/g, x] and [g, c/g, o/g * k]
  Sizes sizes{in[0], in[1], getSize(b, loc, rows, 2), getSize(b, loc, columns, 3)};
  // Loops: n g o | c | x.
  AffineExpr batch, group, row, channel, column;
  mlir::bindDims(b.getContext(), batch, group, row, channel, column);
  AffineMap maps[] = {AffineMap::get(5, 0, {batch, group, channel, column}, b.getContext()),
                      AffineMap::get(5, 0, {group, channel, row}, b.getContext()),
                      AffineMap::get(5, 0, {batch, group, row, column}, b.getContext())};
  SmallVector<IteratorType> iterators(5, IteratorType::parallel);
  iterators[3] = IteratorType::reduction;
  Value zeros = createFilled(b, loc, sizes, createScalar(b, loc, getComputeType(dtype), 0));
  Value products = buildProduct(b, loc, dtype, columns, rows, zeros, maps, iterators);
  Sizes split{in[0], in[1], kernel[2]};
  split.append(kernel.begin() + 3, kernel.end());
  split.append(in.begin() + 3, in.end());
  return reshapeTo(b, loc, products, split);
}

/// A dimension of a transposed convolution with a stride, as sumStrided goes through it.
struct StridedDim {
  int64_t stride, dilation, taps; // per place: the result's element stride * q + r has taps r, r + stride, …
  int64_t before, after;          // elements around the input, so that every tap reads one
  int64_t cropBefore, cropAfter;  // of the result
};

/// The dimensions of a transposed convolution with strides, or none if the kernel's extents are not known or a stride and a
/// dilation meet: which taps a place has then is no linear expression.
std::optional<SmallVector<StridedDim>> divideByStrides(const ConvParameters &conv) {
  SmallVector<StridedDim> dims;
  for (auto [i, extent] : llvm::enumerate(tensorType(conv.weight).getShape().drop_front(2))) {
    int64_t stride = conv.stride[i], dilation = conv.dilation[i], padding = conv.padding[i];
    if (ShapedType::isDynamic(extent) || extent == 0 || (stride != 1 && dilation != 1))
      return std::nullopt;
    StridedDim dim{stride, dilation, llvm::divideCeilSigned(extent, stride), 0, 0, padding % stride, 0};
    // The first place of the result, in strides; elements q - t * dilation of the input are read.
    int64_t first = padding / stride, reach = dilation * (extent - 1) + 1 + conv.outputPadding[i] - padding;
    int64_t beyond = llvm::divideCeilSigned(reach, stride) - 1;
    dim.before = dilation * (dim.taps - 1) - first;
    dim.after = beyond;
    dim.cropAfter = (beyond + 1) * stride - reach;
    dims.push_back(dim);
  }
  if (llvm::all_of(conv.stride, [](int64_t stride) { return stride == 1; }))
    return std::nullopt;
  return dims;
}

/// `start` plus what `body` adds for each tap, whose loops come from number `firstTap` on; `results` says where a turn adds.
Value addOverTaps(OpBuilder &b, Location loc, Value start, AffineMap results, const Sizes &taps, int64_t firstTap,
                  function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  int64_t loops = results.getNumDims(), spatial = taps.size();
  SmallVector<AffineExpr> tapExprs;
  for (int64_t i = 0; i < spatial; ++i)
    tapExprs.push_back(b.getAffineDimExpr(firstTap + i));
  AffineMap maps[] = {AffineMap::get(loops, 0, tapExprs, b.getContext()), results};
  SmallVector<IteratorType> iterators(loops, IteratorType::parallel);
  std::fill_n(iterators.begin() + firstTap, spatial, IteratorType::reduction);
  // Gives the loops over taps their extents; never read.
  Value shape = createEmpty(b, loc, taps, b.getI8Type());
  auto generic = mlir::linalg::GenericOp::create(b, loc, start.getType(), shape, start, maps, iterators, body);
  return generic.getResult(0);
}

/// A transposed convolution with strides. An element of the result, stride * q + r of a dimension, is the sum over taps t of
/// input[q - t] * weight[stride * t + r], whose addresses are linear in q, r and t: no element asks which taps it has.
/// The products are there already where several channels are added up; else they are made here, as they are
/// more than the input and the result. [n, g, o/g, spatial…].
Value sumStrided(OpBuilder &b, Location loc, const ConvParameters &conv, ArrayRef<StridedDim> dims, Value input,
                 Value weight, Type dtype) {
  int64_t spatial = dims.size();
  Sizes in = getSizes(b, loc, input), kernel = getSizes(b, loc, weight);
  SmallVector<int64_t> before(3, 0), after(3, 0);
  for (const StridedDim &dim : dims) {
    before.push_back(dim.before);
    after.push_back(std::max<int64_t>(dim.after, 0));
  }
  Value padded =
      padOrCrop(b, loc, input, before, after, mlir::arith::ConstantOp::create(b, loc, b.getZeroAttr(dtypeOf(input))));
  bool multiplies = constantSize(in[2]) == 1;
  Value products = multiplies ? Value() : multiplyByTaps(b, loc, padded, weight, dtype);

  // Loops: n g o, q and r of each dimension | t….
  Sizes sizes{in[0], in[1], kernel[2]}, whole = sizes, taps;
  SmallVector<int64_t> placeLoops, restLoops, cropBefore(3, 0), cropAfter(3, 0);
  SmallVector<Value> extents;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    OpFoldResult places = addSizes(b, loc, in[3 + i], b.getIndexAttr(dim.after - conv.padding[i] / dim.stride));
    placeLoops.push_back(sizes.size());
    sizes.push_back(places);
    restLoops.push_back(dim.stride == 1 ? -1 : sizes.size());
    if (dim.stride != 1)
      sizes.push_back(b.getIndexAttr(dim.stride));
    whole.push_back(mulSizes(b, loc, places, b.getIndexAttr(dim.stride)));
    taps.push_back(b.getIndexAttr(dim.taps));
    extents.push_back(toIndexValue(b, loc, in[3 + i]));
    cropBefore.push_back(-dim.cropBefore);
    cropAfter.push_back(-dim.cropAfter);
  }
  int64_t firstTap = sizes.size(), loops = firstTap + spatial;
  Value start = createStart(b, loc, conv, dtype, sizes);
  Value sums = addOverTaps(
      b, loc, start, leadingLoops(b, loops, firstTap), taps, firstTap, [&](OpBuilder &n, Location l, ValueRange args) {
        auto number = [&](int64_t value) -> Value { return mlir::arith::ConstantIndexOp::create(n, l, value); };
        auto loop = [&](int64_t i) -> Value { return mlir::linalg::IndexOp::create(n, l, i); };
        Value exists;
        auto require = [&](Value index, Value extent) {
          // In front of the first element it is negative, as an unsigned number beyond the last.
          Value holds = mlir::arith::CmpIOp::create(n, l, mlir::arith::CmpIPredicate::ult, index, extent);
          exists = exists ? mlir::arith::AndIOp::create(n, l, exists, holds).getResult() : holds;
        };
        SmallVector<Value> position{loop(0), loop(1)}, places, ks;
        for (auto [i, dim] : llvm::enumerate(dims)) {
          Value tap = loop(firstTap + i), k = tap;
          if (dim.stride != 1)
            k = mlir::arith::AddIOp::create(n, l, mlir::arith::MulIOp::create(n, l, tap, number(dim.stride)),
                                            loop(restLoops[i]));
          int64_t extent = *constantSize(kernel[3 + i]);
          if (extent % dim.stride != 0) {
            require(k, number(extent));
            k = mlir::arith::MinUIOp::create(n, l, k, number(extent - 1));
          }
          ks.push_back(k);
          int64_t reach = dim.dilation * (dim.taps - 1), first = conv.padding[i] / dim.stride;
          // In the padded input.
          Value place =
              mlir::arith::SubIOp::create(n, l, mlir::arith::AddIOp::create(n, l, loop(placeLoops[i]), number(reach)),
                                          mlir::arith::MulIOp::create(n, l, tap, number(dim.dilation)));
          places.push_back(place);
          if (first < reach || dim.after > 0)
            require(mlir::arith::SubIOp::create(n, l, place, number(reach - first)), extents[i]);
        }
        Scalars s(n, l, getComputeType(dtype));
        Value product;
        if (multiplies) {
          SmallVector<Value> from{position[0], position[1], number(0)}, by{position[1], number(0), loop(2)};
          llvm::append_range(from, places);
          llvm::append_range(by, ks);
          product = s.mul(loadElement(n, l, mlir::tensor::ExtractOp::create(n, l, padded, from), dtype),
                          loadElement(n, l, mlir::tensor::ExtractOp::create(n, l, weight, by), dtype));
        } else {
          position.push_back(loop(2));
          llvm::append_range(position, ks);
          llvm::append_range(position, places);
          product = mlir::tensor::ExtractOp::create(n, l, products, position);
        }
        Value given = exists ? mlir::arith::SelectOp::create(n, l, exists, product, s.cst(0)).getResult() : product;
        mlir::linalg::YieldOp::create(n, l, s.add(args[1], given));
      });
  sums = reshapeTo(b, loc, sums, whole);
  Value zero = mlir::arith::ConstantOp::create(b, loc, b.getZeroAttr(dtypeOf(sums)));
  return padOrCrop(b, loc, sums, cropBefore, cropAfter, zero);
}

Value buildTransposedConvolution(OpBuilder &b, Location loc, const ConvParameters &conv, Type dtype,
                                 RankedTensorType result) {
  int64_t spatial = tensorType(conv.weight).getRank() - 2;
  bool batched = tensorType(conv.input).getRank() == spatial + 2;
  Value input = batched ? conv.input : unsqueeze(b, loc, conv.input, 0);
  input = splitGroups(b, loc, input, 1, conv.groups);              // [n, g, c/g, spatial…]
  Value weight = splitGroups(b, loc, conv.weight, 0, conv.groups); // [g, c/g, o/g, k…]
  Sizes in = getSizes(b, loc, input), kernel = getSizes(b, loc, weight), sizes{in[0], in[1], kernel[2]}, taps;
  OpFoldResult one = b.getIndexAttr(1);
  SmallVector<Value> extents;
  for (int64_t i = 0; i < spatial; ++i) {
    taps.push_back(kernel[i + 3]);
    extents.push_back(toIndexValue(b, loc, in[i + 3]));
    int64_t known = result.getDimSize((batched ? 2 : 1) + i);
    if (!ShapedType::isDynamic(known)) {
      sizes.push_back(b.getIndexAttr(known));
      continue;
    }
    OpFoldResult gaps = mulSizes(b, loc, subSizes(b, loc, in[i + 3], one), b.getIndexAttr(conv.stride[i]));
    OpFoldResult reach = mulSizes(b, loc, subSizes(b, loc, taps[i], one), b.getIndexAttr(conv.dilation[i]));
    OpFoldResult last =
        addSizes(b, loc, addSizes(b, loc, gaps, reach), b.getIndexAttr(conv.outputPadding[i] - 2 * conv.padding[i]));
    if (!constantSize(last)) {
      Value fits = mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::sge, toIndexValue(b, loc, last),
                                               mlir::arith::ConstantIndexOp::create(b, loc, 0));
      assertTrue(b, loc, fits, "expected a result of at least one element");
    }
    sizes.push_back(addSizes(b, loc, last, one));
  }

  if (std::optional<SmallVector<StridedDim>> dims = divideByStrides(conv)) {
    Value sums = sumStrided(b, loc, conv, *dims, input, weight, dtype);
    return storeSums(b, loc, sums, dtype, sizes, batched);
  }
  Value products = multiplyByTaps(b, loc, input, weight, dtype);

  // Loops: n g o x… | k…. An element of the result has at most one element of the input for each tap. Rows that are read
  // one element after the other are innermost; with a stride the taps are, since
  // dividing many places at once costs more.
  bool alongRows = conv.stride[spatial - 1] == 1;
  int64_t loops = 3 + 2 * spatial, firstK = alongRows ? 2 + spatial : 3 + spatial;
  auto loopOfPlace = [&](int64_t i) { return alongRows && i + 1 == spatial ? loops - 1 : 3 + i; };
  SmallVector<AffineExpr> outExprs;
  for (int64_t i = 0; i < 3; ++i)
    outExprs.push_back(b.getAffineDimExpr(i));
  for (int64_t i = 0; i < spatial; ++i)
    outExprs.push_back(b.getAffineDimExpr(loopOfPlace(i)));
  Value start = createStart(b, loc, conv, dtype, sizes);
  Value sums = addOverTaps(
      b, loc, start, AffineMap::get(loops, 0, outExprs, b.getContext()), taps, firstK,
      [&](OpBuilder &n, Location l, ValueRange args) {
        auto number = [&](int64_t value) -> Value { return mlir::arith::ConstantIndexOp::create(n, l, value); };
        SmallVector<Value> position, places;
        for (int64_t i = 0; i < 3; ++i)
          position.push_back(mlir::linalg::IndexOp::create(n, l, i));
        for (int64_t i = 0; i < spatial; ++i) {
          position.push_back(mlir::linalg::IndexOp::create(n, l, firstK + i));
          places.push_back(mlir::linalg::IndexOp::create(n, l, loopOfPlace(i)));
        }
        Value exists;
        for (int64_t i = 0; i < spatial; ++i) {
          // In front of the first element this is negative, as an unsigned number beyond the last.
          Value offset =
              mlir::arith::SubIOp::create(n, l, mlir::arith::AddIOp::create(n, l, places[i], number(conv.padding[i])),
                                          mlir::arith::MulIOp::create(n, l, position[3 + i], number(conv.dilation[i])));
          Value source = offset;
          auto require = [&](Value holds) {
            exists = exists ? mlir::arith::AndIOp::create(n, l, exists, holds).getResult() : holds;
          };
          if (conv.stride[i] != 1) {
            source = mlir::arith::DivUIOp::create(n, l, offset, number(conv.stride[i]));
            Value rest = mlir::arith::RemUIOp::create(n, l, offset, number(conv.stride[i]));
            require(mlir::arith::CmpIOp::create(n, l, mlir::arith::CmpIPredicate::eq, rest, number(0)));
          }
          require(mlir::arith::CmpIOp::create(n, l, mlir::arith::CmpIPredicate::ult, source, extents[i]));
          places[i] = source;
        }
        for (Value place : places)
          position.push_back(mlir::arith::SelectOp::create(n, l, exists, place, number(0)));
        Scalars s(n, l, getComputeType(dtype));
        Value product = mlir::tensor::ExtractOp::create(n, l, products, position);
        Value given = mlir::arith::SelectOp::create(n, l, exists, product, s.cst(0));
        mlir::linalg::YieldOp::create(n, l, s.add(args[1], given));
      });
  return storeSums(b, loc, sums, dtype, sizes, batched);
}

Value buildConvolution(OpBuilder &b, Location loc, const ConvParameters &conv, Type dtype, RankedTensorType result) {
  int64_t spatial = tensorType(conv.weight).getRank() - 2;
  bool batched = tensorType(conv.input).getRank() == spatial + 2;
  Value input = batched ? conv.input : unsqueeze(b, loc, conv.input, 0);
  Value zero = mlir::arith::ConstantOp::create(b, loc, b.getZeroAttr(dtypeOf(input)));
  SmallVector<int64_t> around(spatial + 2, 0);
  llvm::copy(conv.padding, around.begin() + 2);
  Value weight = splitGroups(b, loc, conv.weight, 0, conv.groups);
  input = padOrCrop(b, loc, input, around, around, zero);
  input = splitGroups(b, loc, input, 1, conv.groups); // [n, g, c/g, spatial…]

  // Extents of the result: [n, g, o/g, spatial…].
  Sizes in = getSizes(b, loc, input), kernel = getSizes(b, loc, weight), sizes{in[0], in[1], kernel[1]};
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t known = result.getDimSize((batched ? 2 : 1) + i);
    if (!ShapedType::isDynamic(known)) {
      sizes.push_back(b.getIndexAttr(known));
      continue;
    }
    OpFoldResult reach =
        mulSizes(b, loc, subSizes(b, loc, kernel[i + 3], b.getIndexAttr(1)), b.getIndexAttr(conv.dilation[i]));
    OpFoldResult room = subSizes(b, loc, subSizes(b, loc, in[i + 3], reach), b.getIndexAttr(1));
    if (!constantSize(room)) {
      Value fits = mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::sge, toIndexValue(b, loc, room),
                                               mlir::arith::ConstantIndexOp::create(b, loc, 0));
      assertTrue(b, loc, fits, "expected the padded input to hold the kernel");
    }
    sizes.push_back(addSizes(b, loc, divSizes(b, loc, room, b.getIndexAttr(conv.stride[i])), b.getIndexAttr(1)));
  }

  // Loops: n g o x… (all but the last) | c k… | last x. With the last result dim
  // innermost, the loop over it reads and writes along rows.
  int64_t loops = 4 + 2 * spatial, firstK = 3 + spatial - 1 + 1;
  auto dim = [&](int64_t i) { return b.getAffineDimExpr(i); };
  SmallVector<AffineExpr> outDim(spatial), kernelDim(spatial);
  for (int64_t i = 0; i < spatial; ++i) {
    outDim[i] = i + 1 < spatial ? dim(3 + i) : dim(loops - 1);
    kernelDim[i] = dim(firstK + i);
  }
  AffineExpr channel = dim(firstK - 1);
  SmallVector<AffineExpr> inputExprs{dim(0), dim(1), channel}, weightExprs{dim(1), dim(2), channel},
      outExprs{dim(0), dim(1), dim(2)};
  for (int64_t i = 0; i < spatial; ++i) {
    inputExprs.push_back(outDim[i] * conv.stride[i] + kernelDim[i] * conv.dilation[i]);
    weightExprs.push_back(kernelDim[i]);
    outExprs.push_back(outDim[i]);
  }
  SmallVector<AffineMap> maps;
  for (ArrayRef<AffineExpr> exprs :
       {ArrayRef<AffineExpr>(inputExprs), ArrayRef<AffineExpr>(weightExprs), ArrayRef<AffineExpr>(outExprs)})
    maps.push_back(AffineMap::get(loops, 0, exprs, b.getContext()));
  SmallVector<IteratorType> iterators(loops, IteratorType::parallel);
  for (int64_t i = firstK - 1; i < firstK + spatial; ++i)
    iterators[i] = IteratorType::reduction;

  Value start = createStart(b, loc, conv, dtype, sizes);
  Value sums = buildProduct(b, loc, dtype, input, weight, start, maps, iterators);
  return storeSums(b, loc, sums, dtype, sizes, batched);
}

template <typename OpTy>
struct ConvLowering : public OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ConvParameters conv;
    conv.input = adaptor.getInput();
    conv.weight = adaptor.getWeight();
    conv.bias = adaptor.getBias();
    conv.stride.assign(op.getStride().begin(), op.getStride().end());
    conv.padding.assign(op.getPadding().begin(), op.getPadding().end());
    conv.dilation.assign(op.getDilation().begin(), op.getDilation().end());
    conv.groups = op.getGroups();
    if constexpr (std::is_same_v<OpTy, ConvolutionOp>) {
      conv.transposed = op.getTransposed();
      conv.outputPadding.assign(op.getOutputPadding().begin(), op.getOutputPadding().end());
    }
    RankedTensorType result = op.getResult().getType();
    auto build = conv.transposed ? buildTransposedConvolution : buildConvolution;
    Value value = build(rewriter, op.getLoc(), conv, result.getElementType(), result);
    rewriter.replaceOp(op, castTo(rewriter, op.getLoc(), value, this->getTypeConverter()->convertType(result)));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

struct Windows {
  Value padded;
  Sizes sizes; // of the result
  ArrayRef<int64_t> kernel, stride, dilation;
};

/// Pads so that every window lies inside, also the last ones of ceil mode.
FailureOr<Windows> makeWindows(Operation *op, OpBuilder &b, Value input, RankedTensorType result,
                               ArrayRef<int64_t> kernel, ArrayRef<int64_t> stride, ArrayRef<int64_t> padding,
                               ArrayRef<int64_t> dilation, bool ceilMode, Value scalar) {
  Location loc = op->getLoc();
  int64_t rank = result.getRank();
  Windows windows{{}, getSizes(b, loc, input), kernel, stride, dilation};
  SmallVector<int64_t> before(rank, 0), after(rank, 0);
  for (int64_t i = 0; i < 2; ++i) {
    int64_t dim = rank - 2 + i, reach = dilation[i] * (kernel[i] - 1);
    before[dim] = after[dim] = padding[i];
    int64_t known = result.getDimSize(dim), extent = tensorType(input).getDimSize(dim);
    if (ShapedType::isDynamic(known) || ShapedType::isDynamic(extent)) {
      if (ceilMode)
        return op->emitOpError("expected static spatial extents with ceil_mode but got ")
               << op->getOperand(0).getType();
      OpFoldResult room = addSizes(b, loc, windows.sizes[dim], b.getIndexAttr(2 * padding[i] - reach - 1));
      if (!constantSize(room)) {
        Value fits = mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::sge, toIndexValue(b, loc, room),
                                                 mlir::arith::ConstantIndexOp::create(b, loc, 0));
        assertTrue(b, loc, fits, "expected the padded input to hold the kernel");
      }
      windows.sizes[dim] = addSizes(b, loc, divSizes(b, loc, room, b.getIndexAttr(stride[i])), b.getIndexAttr(1));
      continue;
    }
    windows.sizes[dim] = b.getIndexAttr(known);
    int64_t needed = (known - 1) * stride[i] + reach + 1;
    after[dim] = std::max(after[dim], needed - extent - padding[i]);
  }
  windows.padded = padOrCrop(b, loc, input, before, after, scalar);
  return windows;
}

/// Reduces every window: acc = combine(acc, element).
Value reduceWindows(OpBuilder &b, Location loc, const Windows &windows, Type dtype, Value init,
                    function_ref<Value(Scalars &, Value, Value)> combine) {
  int64_t rank = windows.sizes.size();
  SmallVector<AffineExpr> inputExprs, outExprs;
  for (int64_t i = 0; i < rank; ++i) {
    AffineExpr out = b.getAffineDimExpr(i);
    outExprs.push_back(out);
    int64_t window = i - (rank - 2);
    if (window >= 0)
      out = out * windows.stride[window] + b.getAffineDimExpr(rank + window) * windows.dilation[window];
    inputExprs.push_back(out);
  }
  AffineMap kernelMap =
      AffineMap::get(rank + 2, 0, {b.getAffineDimExpr(rank), b.getAffineDimExpr(rank + 1)}, b.getContext());
  SmallVector<AffineMap> maps{AffineMap::get(rank + 2, 0, inputExprs, b.getContext()), kernelMap,
                              AffineMap::get(rank + 2, 0, outExprs, b.getContext())};
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  iterators.append(2, IteratorType::reduction);
  // Gives the window loops their extents; never read.
  Value shape =
      createEmpty(b, loc, {b.getIndexAttr(windows.kernel[0]), b.getIndexAttr(windows.kernel[1])}, b.getI8Type());
  Value filled = createFilled(b, loc, windows.sizes, init);
  auto generic = mlir::linalg::GenericOp::create(b, loc, filled.getType(), ValueRange{windows.padded, shape}, filled,
                                                 maps, iterators, [&](OpBuilder &n, Location l, ValueRange args) {
                                                   Scalars s(n, l, dtype);
                                                   mlir::linalg::YieldOp::create(
                                                       n, l, combine(s, args[2], loadElement(n, l, args[0], dtype)));
                                                 });
  return generic.getResult(0);
}

struct MaxPoolLowering : public OpConversionPattern<MaxPool2dOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(MaxPool2dOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType result = op.getResult().getType();
    Type dtype = result.getElementType();
    // Padding never wins: it is the lowest value.
    Value lowest = createLowest(rewriter, loc, dtype);
    FailureOr<Windows> windows =
        makeWindows(op, rewriter, adaptor.getInput(), result, op.getKernelSize(), op.getStride(), op.getPadding(),
                    op.getDilation(), op.getCeilMode(), storeElement(rewriter, loc, lowest, dtype));
    if (failed(windows))
      return failure();
    Value value = reduceWindows(rewriter, loc, *windows, dtype, lowest,
                                [](Scalars &s, Value acc, Value x) { return s.max(acc, x); });
    if (getComputeType(dtype) != getStorageType(dtype))
      value =
          buildElementwise(rewriter, loc, value, getStorageType(dtype), [&](OpBuilder &b, Location l, ValueRange args) {
            return storeElement(b, l, args[0], dtype);
          });
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(result)));
    return success();
  }
};

struct AvgPoolLowering : public OpConversionPattern<AvgPool2dOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(AvgPool2dOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType result = op.getResult().getType();
    Type dtype = result.getElementType();
    Value input = adaptor.getInput();
    int64_t ones[] = {1, 1};
    Value zero = createStoredScalar(rewriter, loc, dtype, 0);
    FailureOr<Windows> windows = makeWindows(op, rewriter, input, result, op.getKernelSize(), op.getStride(),
                                             op.getPadding(), ones, op.getCeilMode(), zero);
    if (failed(windows))
      return failure();
    Value sums = reduceWindows(rewriter, loc, *windows, dtype, createScalar(rewriter, loc, getComputeType(dtype), 0),
                               [](Scalars &s, Value acc, Value x) { return s.add(acc, x); });
    int64_t rank = result.getRank();
    Value extents[2];
    for (int64_t i = 0; i < 2; ++i)
      extents[i] = toIndexValue(rewriter, loc, getSize(rewriter, loc, input, rank - 2 + i));
    Value value =
        buildElementwise(rewriter, loc, sums, getStorageType(dtype), [&](OpBuilder &b, Location l, ValueRange args) {
          Scalars s(b, l, dtype);
          Value divisor;
          if (op.getDivisorOverride()) {
            divisor = mlir::arith::ConstantIndexOp::create(b, l, *op.getDivisorOverride());
          } else {
            // Elements of the window that lie in the (padded) input.
            for (int64_t i = 0; i < 2; ++i) {
              auto number = [&](int64_t n) -> Value { return mlir::arith::ConstantIndexOp::create(b, l, n); };
              Value out = mlir::linalg::IndexOp::create(b, l, rank - 2 + i);
              int64_t pad = op.getPadding()[i];
              Value start = mlir::arith::SubIOp::create(
                  b, l, mlir::arith::MulIOp::create(b, l, out, number(op.getStride()[i])), number(pad));
              Value end = mlir::arith::AddIOp::create(b, l, start, number(op.getKernelSize()[i]));
              Value limit = op.getCountIncludePad() ? Value(mlir::arith::AddIOp::create(b, l, extents[i], number(pad)))
                                                    : extents[i];
              end = mlir::arith::MinSIOp::create(b, l, end, limit);
              if (!op.getCountIncludePad())
                start = mlir::arith::MaxSIOp::create(b, l, start, number(0));
              Value count = mlir::arith::SubIOp::create(b, l, end, start);
              divisor = divisor ? Value(mlir::arith::MulIOp::create(b, l, divisor, count)) : count;
            }
          }
          Value i64 = mlir::arith::IndexCastOp::create(b, l, b.getI64Type(), divisor);
          return storeElement(b, l, s.div(args[0], convertScalar(b, l, i64, b.getI64Type(), dtype)), dtype);
        });
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(result)));
    return success();
  }
};

/// Windows from floor(i * in / out) to ceil((i + 1) * in / out), of varying extent:
/// loops in the body.
struct AdaptiveAvgPoolLowering : public OpConversionPattern<AdaptiveAvgPool2dOp> {
  AdaptiveAvgPoolLowering(const mlir::TypeConverter &converter, MLIRContext *context, bool parallelForms)
      : OpConversionPattern(converter, context), parallelForms(parallelForms) {}
  LogicalResult matchAndRewrite(AdaptiveAvgPool2dOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    RankedTensorType result = op.getResult().getType();
    Type dtype = result.getElementType();
    int64_t rank = result.getRank();
    Sizes sizes = getSizes(rewriter, loc, input);
    if (Value mean = parallelForms ? Value() : meanOfEqualWindows(rewriter, op, input, dtype)) {
      rewriter.replaceOp(op, castTo(rewriter, loc, mean, getTypeConverter()->convertType(result)));
      return success();
    }
    Value in[2];
    for (int64_t i = 0; i < 2; ++i) {
      in[i] = toIndexValue(rewriter, loc, sizes[rank - 2 + i]);
      sizes[rank - 2 + i] = rewriter.getIndexAttr(op.getOutputSize()[i]);
    }
    Value value =
        buildParallel(rewriter, loc, {}, {}, sizes, getStorageType(dtype), [&](OpBuilder &b, Location l, ValueRange) {
          Scalars s(b, l, dtype);
          SmallVector<Value> position;
          for (int64_t i = 0; i < rank; ++i)
            position.push_back(mlir::linalg::IndexOp::create(b, l, i));
          Value start[2], end[2];
          for (int64_t i = 0; i < 2; ++i) {
            Value out = mlir::arith::ConstantIndexOp::create(b, l, op.getOutputSize()[i]),
                  one = mlir::arith::ConstantIndexOp::create(b, l, 1);
            Value index = position[rank - 2 + i];
            Value next = mlir::arith::AddIOp::create(b, l, index, one);
            start[i] = mlir::arith::DivUIOp::create(b, l, mlir::arith::MulIOp::create(b, l, index, in[i]), out);
            Value rounded = mlir::arith::AddIOp::create(b, l, mlir::arith::MulIOp::create(b, l, next, in[i]),
                                                        mlir::arith::SubIOp::create(b, l, out, one));
            end[i] = mlir::arith::DivUIOp::create(b, l, rounded, out);
          }
          Value step = mlir::arith::ConstantIndexOp::create(b, l, 1);
          auto rows = mlir::scf::ForOp::create(
              b, l, start[0], end[0], step, s.cst(0), [&](OpBuilder &n, Location k, Value row, ValueRange outer) {
                auto columns = mlir::scf::ForOp::create(
                    n, k, start[1], end[1], step, outer[0],
                    [&](OpBuilder &m, Location j, Value column, ValueRange inner) {
                      SmallVector<Value> from(position);
                      from[rank - 2] = row;
                      from[rank - 1] = column;
                      Value element = loadElement(m, j, mlir::tensor::ExtractOp::create(m, j, input, from), dtype);
                      mlir::scf::YieldOp::create(m, j, Scalars(m, j, dtype).add(inner[0], element));
                    });
                mlir::scf::YieldOp::create(n, k, columns.getResult(0));
              });
          Value count = mlir::arith::MulIOp::create(b, l, mlir::arith::SubIOp::create(b, l, end[0], start[0]),
                                                    mlir::arith::SubIOp::create(b, l, end[1], start[1]));
          Value i64 = mlir::arith::IndexCastOp::create(b, l, b.getI64Type(), count);
          return storeElement(b, l, s.div(rows.getResult(0), convertScalar(b, l, i64, b.getI64Type(), dtype)), dtype);
        });
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(result)));
    return success();
  }

private:
  /// Where all windows have one extent their sums are a reduction; null elsewhere.
  static Value meanOfEqualWindows(OpBuilder &b, AdaptiveAvgPool2dOp op, Value input, Type dtype) {
    Location loc = op.getLoc();
    RankedTensorType type = tensorType(input);
    int64_t rank = type.getRank(), count = 1;
    Sizes split = getSizes(b, loc, input);
    split.resize(rank - 2);
    for (int64_t i = 0; i < 2; ++i) {
      int64_t in = type.getDimSize(rank - 2 + i), out = op.getOutputSize()[i];
      if (ShapedType::isDynamic(in) || in <= 0 || out <= 0 || in % out != 0)
        return {};
      split.push_back(b.getIndexAttr(out));
      split.push_back(b.getIndexAttr(in / out));
      count *= in / out;
    }
    Value sums = buildReduction(b, loc, reshapeTo(b, loc, input, split), {rank - 1, rank + 1},
                                createScalar(b, loc, getComputeType(dtype), 0),
                                [&](OpBuilder &n, Location l, ValueRange args) -> SmallVector<Value> {
                                  return {Scalars(n, l, dtype).add(args[1], loadElement(n, l, args[0], dtype))};
                                })[0];
    return buildElementwise(b, loc, sums, getStorageType(dtype), [&](OpBuilder &n, Location l, ValueRange args) {
      Scalars s(n, l, dtype);
      return storeElement(n, l, s.div(args[0], s.cst(static_cast<double>(count))), dtype);
    });
  }
  bool parallelForms;
};

//===----------------------------------------------------------------------===//
// Normalisation
//===----------------------------------------------------------------------===//

/// A tensor with the loops that index it and its dtype.
struct NormOperand {
  Value tensor;
  SmallVector<int64_t> dims;
  Type dtype;
};

AffineMap loopMap(OpBuilder &b, int64_t rank, ArrayRef<int64_t> dims) {
  SmallVector<AffineExpr> exprs;
  for (int64_t dim : dims)
    exprs.push_back(b.getAffineDimExpr(dim));
  return AffineMap::get(rank, 0, exprs, b.getContext());
}

Type statisticsType(Type dtype) {
  return dtype.isF32() ? Type(mlir::Float64Type::get(dtype.getContext())) : getComputeType(dtype);
}

SmallVector<int64_t> otherDims(int64_t rank, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> result;
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(dims, i))
      result.push_back(i);
  return result;
}

Value countOf(OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> dims, Type type) {
  OpFoldResult count = b.getIndexAttr(1);
  for (int64_t dim : dims)
    count = mulSizes(b, loc, count, getSize(b, loc, input, dim));
  if (std::optional<int64_t> number = constantSize(count))
    return createScalar(b, loc, type, static_cast<double>(*number));
  Value integer = mlir::arith::IndexCastOp::create(b, loc, b.getI64Type(), toIndexValue(b, loc, count));
  return mlir::arith::SIToFPOp::create(b, loc, type, integer);
}

/// Mean over `dims` of f(element), in `type`; f may use a tensor without `dims`.
Value meanOver(OpBuilder &b, Location loc, Value input, Type dtype, ArrayRef<int64_t> dims, Type type, Value center,
               bool squared) {
  int64_t rank = tensorType(input).getRank();
  Sizes all = getSizes(b, loc, input), kept;
  SmallVector<int64_t> keptDims = otherDims(rank, dims);
  for (int64_t dim : keptDims)
    kept.push_back(all[dim]);
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  for (int64_t dim : dims)
    iterators[dim] = IteratorType::reduction;
  AffineMap keptMap = loopMap(b, rank, keptDims);
  SmallVector<Value> operands{input};
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(rank)};
  if (center) {
    operands.push_back(center);
    maps.push_back(keptMap);
  }
  maps.push_back(keptMap);
  Value init = createFilled(b, loc, kept, createScalar(b, loc, type, 0));
  auto sums = mlir::linalg::GenericOp::create(
      b, loc, init.getType(), operands, init, maps, iterators, [&](OpBuilder &n, Location l, ValueRange args) {
        Scalars s(n, l, type);
        Value x = convertScalar(n, l, loadElement(n, l, args[0], dtype), dtype, type);
        if (center)
          x = s.sub(x, args[1]);
        if (squared)
          x = s.mul(x, x);
        mlir::linalg::YieldOp::create(n, l, s.add(args.back(), x));
      });
  Value count = countOf(b, loc, input, dims, type);
  return buildElementwise(b, loc, sums.getResult(0), type, [&](OpBuilder &n, Location l, ValueRange args) {
    return Scalars(n, l, type).div(args[0], count);
  });
}

/// 1 / sqrt(var + eps), in `type`.
Value reciprocalRoot(OpBuilder &b, Location loc, Value variance, Type type, double eps) {
  return buildElementwise(b, loc, variance, type, [&](OpBuilder &n, Location l, ValueRange args) {
    Scalars s(n, l, type);
    return s.div(s.cst(1), s.sqrt(s.add(args[0], s.cst(eps))));
  });
}

/// (input - mean) * rstd * weight + bias; mean, weight, bias may be null.
Value applyNorm(OpBuilder &b, Location loc, Value input, Type dtype, NormOperand mean, NormOperand rstd,
                NormOperand weight, NormOperand bias, Type result) {
  Type compute = getComputeType(dtype);
  int64_t rank = tensorType(input).getRank();
  SmallVector<Value> operands{input};
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(rank)};
  auto addOperand = [&](const NormOperand &operand) -> int {
    if (!operand.tensor)
      return -1;
    operands.push_back(operand.tensor);
    maps.push_back(loopMap(b, rank, operand.dims));
    return operands.size() - 1;
  };
  int meanAt = addOperand(mean), rstdAt = addOperand(rstd), weightAt = addOperand(weight), biasAt = addOperand(bias);
  return buildParallel(b, loc, operands, maps, getSizes(b, loc, input), getStorageType(result),
                       [&](OpBuilder &n, Location l, ValueRange args) {
                         Scalars s(n, l, compute);
                         auto get = [&](int at, Type from) {
                           return convertScalar(n, l, loadElement(n, l, args[at], from), from, compute);
                         };
                         Value x = loadElement(n, l, args[0], dtype);
                         if (meanAt >= 0)
                           x = s.sub(x, get(meanAt, mean.dtype));
                         x = s.mul(x, get(rstdAt, rstd.dtype));
                         if (weightAt >= 0)
                           x = s.mul(x, get(weightAt, weight.dtype));
                         if (biasAt >= 0)
                           x = s.add(x, get(biasAt, bias.dtype));
                         return storeElement(n, l, x, result);
                       });
}

Type dtypeOrNull(Value value) { return value ? dtypeOf(value) : Type(); }

SmallVector<int64_t> lastDims(int64_t rank, int64_t count) {
  return llvm::to_vector(llvm::seq<int64_t>(rank - count, rank));
}

/// layer_norm and native_layer_norm.
template <typename OpTy>
struct LayerNormLowering : public OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    Type dtype = dtypeOf(input), type = statisticsType(dtype), result = op.getResult().getType().getElementType();
    int64_t rank = tensorType(input).getRank();
    SmallVector<int64_t> dims = lastDims(rank, op.getNormalizedShape().size()), kept = otherDims(rank, dims);
    Value mean = meanOver(rewriter, loc, input, dtype, dims, type, {}, false);
    Value variance = meanOver(rewriter, loc, input, dtype, dims, type, mean, true);
    Value rstd = reciprocalRoot(rewriter, loc, variance, type, op.getEps().convertToDouble());
    Value value = applyNorm(rewriter, loc, input, dtype, {mean, kept, type}, {rstd, kept, type},
                            {adaptor.getWeight(), dims, dtypeOrNull(op.getWeight())},
                            {adaptor.getBias(), dims, dtypeOrNull(op.getBias())}, result);
    const mlir::TypeConverter *converter = this->getTypeConverter();
    SmallVector<Value> values{castTo(rewriter, loc, value, converter->convertType(op.getResult().getType()))};
    if constexpr (std::is_same_v<OpTy, NativeLayerNormOp>) {
      for (auto [statistic, to] : {std::pair(mean, op.getMean()), std::pair(rstd, op.getRstd())}) {
        Type stored = dtypeOf(to);
        Value rounded =
            buildElementwise(rewriter, loc, statistic, stored, [&](OpBuilder &b, Location l, ValueRange args) {
              return storeElement(b, l, convertScalar(b, l, args[0], type, stored), stored);
            });
        for (int64_t dim : dims)
          rounded = unsqueeze(rewriter, loc, rounded, dim);
        values.push_back(castTo(rewriter, loc, rounded, converter->convertType(to.getType())));
      }
    }
    rewriter.replaceOp(op, values);
    return success();
  }
};

struct RmsNormLowering : public OpConversionPattern<RmsNormOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(RmsNormOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    Type dtype = dtypeOf(input), type = statisticsType(dtype);
    int64_t rank = tensorType(input).getRank();
    SmallVector<int64_t> dims = lastDims(rank, op.getNormalizedShape().size()), kept = otherDims(rank, dims);
    double eps;
    if (op.getEps()) {
      eps = op.getEps()->convertToDouble();
    } else {
      const llvm::fltSemantics &semantics = cast<FloatType>(dtype).getFloatSemantics();
      eps = std::ldexp(1.0, 1 - static_cast<int>(APFloat::semanticsPrecision(semantics)));
    }
    Value squares = meanOver(rewriter, loc, input, dtype, dims, type, {}, true);
    Value rstd = reciprocalRoot(rewriter, loc, squares, type, eps);
    Value value = applyNorm(rewriter, loc, input, dtype, {}, {rstd, kept, type},
                            {adaptor.getWeight(), dims, dtypeOrNull(op.getWeight())}, {},
                            op.getResult().getType().getElementType());
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

struct GroupNormLowering : public OpConversionPattern<GroupNormOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(GroupNormOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type dtype = dtypeOf(op.getInput()), type = statisticsType(dtype);
    Sizes original = getSizes(rewriter, loc, adaptor.getInput());
    // [n, g, c/g, rest].
    OpFoldResult rest = rewriter.getIndexAttr(1);
    for (OpFoldResult size : ArrayRef(original).drop_front(2))
      rest = mulSizes(rewriter, loc, rest, size);
    OpFoldResult groups = rewriter.getIndexAttr(op.getNumGroups());
    OpFoldResult channels = divSizes(rewriter, loc, original[1], groups);
    Value input = reshapeTo(rewriter, loc, adaptor.getInput(), {original[0], groups, channels, rest});
    auto parameter = [&](Value tensor, Value of) -> NormOperand {
      if (!tensor)
        return {};
      return {reshapeTo(rewriter, loc, tensor, {groups, channels}), {1, 2}, dtypeOf(of)};
    };
    Value mean = meanOver(rewriter, loc, input, dtype, {2, 3}, type, {}, false);
    Value variance = meanOver(rewriter, loc, input, dtype, {2, 3}, type, mean, true);
    Value rstd = reciprocalRoot(rewriter, loc, variance, type, op.getEps().convertToDouble());
    Value value = applyNorm(rewriter, loc, input, dtype, {mean, {0, 1}, type}, {rstd, {0, 1}, type},
                            parameter(adaptor.getWeight(), op.getWeight()), parameter(adaptor.getBias(), op.getBias()),
                            op.getResult().getType().getElementType());
    value = reshapeTo(rewriter, loc, value, original);
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

struct BatchNormLowering : public OpConversionPattern<BatchNormOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(BatchNormOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    Type dtype = dtypeOf(op.getInput());
    int64_t rank = tensorType(input).getRank();
    NormOperand mean, rstd;
    if (op.getTraining()) {
      Type type = statisticsType(dtype);
      SmallVector<int64_t> dims = otherDims(rank, {1});
      Value average = meanOver(rewriter, loc, input, dtype, dims, type, {}, false);
      Value variance = meanOver(rewriter, loc, input, dtype, dims, type, average, true);
      mean = {average, {1}, type};
      rstd = {reciprocalRoot(rewriter, loc, variance, type, op.getEps().convertToDouble()), {1}, type};
    } else {
      Type type = getComputeType(dtype), from = dtypeOf(op.getRunningVar());
      Value root = buildElementwise(
          rewriter, loc, adaptor.getRunningVar(), type, [&](OpBuilder &b, Location l, ValueRange args) {
            Scalars s(b, l, type);
            Value variance = convertScalar(b, l, loadElement(b, l, args[0], from), from, type);
            return s.div(s.cst(1), s.sqrt(s.add(variance, s.cst(op.getEps().convertToDouble()))));
          });
      mean = {adaptor.getRunningMean(), {1}, dtypeOf(op.getRunningMean())};
      rstd = {root, {1}, type};
    }
    Value value =
        applyNorm(rewriter, loc, input, dtype, mean, rstd, {adaptor.getWeight(), {1}, dtypeOrNull(op.getWeight())},
                  {adaptor.getBias(), {1}, dtypeOrNull(op.getBias())}, op.getResult().getType().getElementType());
    rewriter.replaceOp(op, castTo(rewriter, loc, value, getTypeConverter()->convertType(op.getResult().getType())));
    return success();
  }
};

} // namespace

void lowering::populateConvNorm(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns,
                                const LinalgOptions &options) {
  patterns.add<AdaptiveAvgPoolLowering>(converter, patterns.getContext(), options.parallelForms);
  patterns.add<ConvLowering<Conv1dOp>, ConvLowering<Conv2dOp>, ConvLowering<Conv3dOp>, ConvLowering<ConvolutionOp>,
               MaxPoolLowering, AvgPoolLowering, LayerNormLowering<LayerNormOp>, LayerNormLowering<NativeLayerNormOp>,
               RmsNormLowering, GroupNormLowering, BatchNormLowering>(converter, patterns.getContext());
}
