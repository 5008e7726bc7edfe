// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regular graphs of any size, for measuring how passes scale. Linear in the ops,
// but for `nested-cats`, whose operands are the graph.

#include "GraphBuilder.h"
#include "fxgraph/Gen/Gen.h"
#include "llvm/ADT/StringSwitch.h"

using namespace fxgraph;
using Module = mlir::OwningOpRef<mlir::ModuleOp>;

static Module makeChain(GraphBuilder &b, int64_t numOps) {
  Value value = b.addArgument(b.tensorType({4, 8}, b.builder.getF32Type()));
  for (int64_t i = 0; i < numOps; ++i)
    value = i % 2 ? Value(ReluOp::create(b.builder, value.getLoc(), value))
                  : Value(TanhOp::create(b.builder, value.getLoc(), value));
  return b.finish(value);
}

static Module makeLadder(GraphBuilder &b, int64_t numOps) {
  RankedTensorType type = b.tensorType({4, 8}, b.builder.getF32Type());
  Value u = b.addArgument(type), v = b.addArgument(type);
  for (int64_t i = 0; i < numOps / 2; ++i) {
    Value c = AddOp::create(b.builder, u.getLoc(), u, v, APFloat(1.0));
    Value d = MulOp::create(b.builder, u.getLoc(), u, v);
    u = c;
    v = d;
  }
  return b.finish(u);
}

static Module makeTowers(GraphBuilder &b, int64_t numOps) {
  constexpr int64_t kWidth = 8, kRows = 4;
  int64_t count = std::max<int64_t>((numOps - 2) / 3, 1);
  Type f32 = b.builder.getF32Type();
  Value x = b.addArgument(b.tensorType({kRows, count * kWidth}, f32));
  SmallVector<Value> weights, ends;
  auto pieces = SplitOp::create(b.builder, x.getLoc(), x, kWidth, 1);
  for (Value piece : pieces.getPieces()) {
    Value weight = b.addArgument(b.tensorType({kWidth, kWidth}, f32), "parameter");
    Value vectors[3];
    for (Value &vector : vectors)
      vector = b.addArgument(b.tensorType({kWidth}, f32), "parameter");
    Value end = LinearOp::create(b.builder, x.getLoc(), piece, weight, vectors[0]);
    end = LayerNormOp::create(b.builder, x.getLoc(), end, vectors[1], vectors[2],
                              b.builder.getDenseI64ArrayAttr({kWidth}), b.builder.getF64FloatAttr(1e-5));
    ends.push_back(TanhOp::create(b.builder, x.getLoc(), end));
  }
  return b.finish(CatOp::create(b.builder, x.getLoc(), ends, 1).getResult());
}

static Module makeOneSplit(GraphBuilder &b, int64_t numPieces) {
  Value x = b.addArgument(b.tensorType({2, numPieces}, b.builder.getF32Type()));
  auto split = SplitOp::create(b.builder, x.getLoc(), x, 1, 1);
  SmallVector<Value> picked;
  for (int64_t i = (numPieces - 1) / 2 * 2; i >= 0; i -= 2)
    picked.push_back(split.getPieces()[i]);
  return b.finish(CatOp::create(b.builder, x.getLoc(), picked, 1).getResult());
}

static Module makeLinears(GraphBuilder &b, int64_t numOps) {
  constexpr int64_t kWidth = 8;
  Type f32 = b.builder.getF32Type();
  Value x = b.addArgument(b.tensorType({4, kWidth}, f32));
  SmallVector<Value> results;
  for (int64_t i = 0; i < numOps; ++i) {
    Value weight = b.addArgument(b.tensorType({kWidth, kWidth}, f32), "parameter");
    results.push_back(LinearOp::create(b.builder, x.getLoc(), x, weight, Value()));
  }
  return b.finish(CatOp::create(b.builder, x.getLoc(), results, 0).getResult());
}

static Module makeNestedCats(GraphBuilder &b, int64_t numOps) {
  RankedTensorType type = b.tensorType({1, 2}, b.builder.getF32Type());
  Value value = b.addArgument(type), other = b.addArgument(type);
  for (int64_t i = 0; i < numOps; ++i)
    value = CatOp::create(b.builder, value.getLoc(), ValueRange{value, other}, 0);
  return b.finish(value);
}

/// For passes that rewrite until nothing changes: the levels of the next three graphs
/// give way one after the other, each once the one before it has.
///
/// The last piece of each split is split again, and the pieces are joined again from the
/// inside: each cat becomes the piece that the next one lacks.
static Module makeNestedSplits(GraphBuilder &b, int64_t numOps) {
  int64_t depth = std::max<int64_t>(numOps / 2, 1);
  Value value = b.addArgument(b.tensorType({2, depth + 1}, b.builder.getF32Type()));
  SmallVector<Value> heads;
  for (int64_t rest = depth; rest > 0; --rest) {
    auto split = SplitWithSizesOp::create(b.builder, value.getLoc(), value, {1, rest}, 1);
    heads.push_back(split.getPieces()[0]);
    value = split.getPieces()[1];
  }
  for (Value head : llvm::reverse(heads))
    value = CatOp::create(b.builder, value.getLoc(), ValueRange{head, value}, 1);
  return b.finish(value);
}

/// On each level `a` and `b` are equal once the level below is one value, then the cat
/// that both take has one user, and is written out in it, which makes it equal to `d`.
static Module makeEqualCats(GraphBuilder &b, int64_t numOps) {
  RankedTensorType type = b.tensorType({1, 2}, b.builder.getF32Type());
  Value x = b.addArgument(type), y = b.addArgument(type);
  auto cat = [&](ValueRange operands) -> Value { return CatOp::create(b.builder, x.getLoc(), operands, 0); };
  auto max = [&](Value value) -> Value {
    return AmaxOp::create(b.builder, x.getLoc(), value, b.builder.getDenseI64ArrayAttr({0}), true);
  };
  Value a = cat({x, y}), twin = a, d = cat({x, y});
  for (int64_t i = 0; i < numOps / 7; ++i) {
    Value p = max(a), q = max(twin), r = max(d);
    Value shared = cat({p, q, r});
    Value nextA = cat({shared, a});
    twin = cat({shared, d});
    d = cat({p, q, r, a});
    a = nextA;
  }
  return b.finish(cat({max(a), max(twin), max(d)}));
}

/// On each level the unbind of a stack along another dimension goes once the stack of
/// its pieces is the first stack again; what it gives is the piece that the next stack
/// lacks.
static Module makeCrossedUnbinds(GraphBuilder &b, int64_t numOps) {
  Value x = b.addArgument(b.tensorType({2}, b.builder.getF32Type()));
  auto stack = [&](Value first, Value second, int64_t dim) -> Value {
    return StackOp::create(b.builder, x.getLoc(), ValueRange{first, second}, dim);
  };
  SmallVector<Value> heads;
  Value value = x;
  for (int64_t i = 0; i < std::max<int64_t>(numOps / 4, 1); ++i) {
    auto unbind = UnbindOp::create(b.builder, x.getLoc(), stack(x, value, 0), /*dim=*/1);
    heads.push_back(unbind.getPieces()[0]);
    value = unbind.getPieces()[1];
  }
  for (Value head : llvm::reverse(heads))
    value = UnbindOp::create(b.builder, x.getLoc(), stack(head, value, 1), /*dim=*/0).getPieces()[1];
  return b.finish(value);
}

/// Encoder layers of a transformer as they are behind autodiff: projections are products with permuted weights, and
/// the sums around attention and feed-forward have two users each.
static Module makeLayers(GraphBuilder &b, int64_t numOps) {
  constexpr int64_t kBatch = 2, kLength = 9, kWidth = 32, kHeads = 4, kOpsPerLayer = 31;
  Type f32 = b.builder.getF32Type();
  auto parameter = [&](ArrayRef<int64_t> shape) { return b.addArgument(b.tensorType(shape, f32), "parameter"); };
  auto view = [&](Value value, ArrayRef<int64_t> shape) { return b.emitOne("view", value, b.attr("shape", shape)); };
  auto permute = [&](Value value, ArrayRef<int64_t> dims) { return b.emitOne("permute", value, b.attr("dims", dims)); };
  auto norm = [&](Value value) -> Value {
    Value weight = parameter({kWidth}), bias = parameter({kWidth});
    return LayerNormOp::create(b.builder, value.getLoc(), value, weight, bias, b.builder.getDenseI64ArrayAttr({kWidth}),
                               b.builder.getF64FloatAttr(1e-5));
  };
  auto project = [&](Value value, int64_t from, int64_t to) {
    Value weight = parameter({to, from}), bias = parameter({to});
    Value rows = view(value, {kBatch * kLength, from});
    Value product = b.emitOne("addmm", {bias, rows, permute(weight, {1, 0})});
    return view(product, {kBatch, kLength, to});
  };
  Value hidden = b.addArgument(b.tensorType({kBatch, kLength, kWidth}, f32));
  for (int64_t i = 0; i < std::max<int64_t>(numOps / kOpsPerLayer, 1); ++i) {
    auto pieces = SplitOp::create(b.builder, hidden.getLoc(), project(norm(hidden), kWidth, 3 * kWidth), kWidth, 2);
    SmallVector<Value> heads;
    for (Value piece : pieces.getPieces())
      heads.push_back(permute(view(piece, {kBatch, kLength, kHeads, kWidth / kHeads}), {0, 2, 1, 3}));
    Value mixed = permute(b.emitOne("scaled_dot_product_attention", heads), {0, 2, 1, 3});
    mixed = project(view(mixed, {kBatch, kLength, kWidth}), kWidth, kWidth);
    hidden = b.emitOne("add", {hidden, mixed});
    Value wide = b.emitOne("gelu", project(norm(hidden), kWidth, 4 * kWidth));
    hidden = b.emitOne("add", {hidden, project(wide, 4 * kWidth, kWidth)});
  }
  return b.finish(hidden);
}

ArrayRef<StringRef> fxgraph::getShapeNames() {
  static const StringRef names[] = {"chain",       "ladder",        "towers",     "one-split",       "linears",
                                    "nested-cats", "nested-splits", "equal-cats", "crossed-unbinds", "layers"};
  return names;
}

Module fxgraph::generateShape(MLIRContext *context, StringRef name, int64_t numOps) {
  using Maker = Module (*)(GraphBuilder &, int64_t);
  Maker maker = llvm::StringSwitch<Maker>(name)
                    .Case("chain", makeChain)
                    .Case("ladder", makeLadder)
                    .Case("towers", makeTowers)
                    .Case("one-split", makeOneSplit)
                    .Case("linears", makeLinears)
                    .Case("nested-cats", makeNestedCats)
                    .Case("nested-splits", makeNestedSplits)
                    .Case("equal-cats", makeEqualCats)
                    .Case("crossed-unbinds", makeCrossedUnbinds)
                    .Case("layers", makeLayers)
                    .Default(nullptr);
  if (!maker)
    return {};
  GraphBuilder builder(context, 0);
  return maker(builder, std::max<int64_t>(numOps, 1));
}
