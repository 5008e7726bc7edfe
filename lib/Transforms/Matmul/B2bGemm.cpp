// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-matmul-b2b-gemm: two products with elementwise ops between them become one op. For
// each product, from the last one on, a search through its elementwise users; linear, as a
// search ends at a fixed number of ops.
//
// PyTorch: torch/_inductor/fx_passes/b2b_gemm.py.

#include "MatmulUtils.h"
#include "fxgraph/Transforms/Matmul/Passes.h"
#include "fxgraph/Dialect/IR/Numbers.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <cmath>

namespace fxgraph {
#define GEN_PASS_DEF_MATMULB2BGEMMPASS
#include "fxgraph/Transforms/Matmul/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

static const RewriteKind kKind{"b2b-gemm", "b2b_gemm", NumericClass::Exact};
/// More ops than this between two products are not looked at.
static constexpr size_t kMaxBody = 256;

namespace {
struct TwoProducts {
  MmOp inner, outer;
  /// The value that `outer` takes, and the ops that make it of the inner product, in order.
  Value between;
  SmallVector<Operation *> body;
  /// Users of those whose results nobody needs.
  SmallVector<Operation *> dead;
  bool left = false;

  Value getA() { return left ? inner.getInput() : outer.getInput(); }
  Value getB() { return left ? inner.getMat2() : inner.getInput(); }
  Value getC() { return left ? outer.getMat2() : inner.getMat2(); }
};
} // namespace

/// Finds the product that `products.inner` ends in; empty, or why there is none. Nothing is
/// said of a product that no other follows.
static std::optional<std::string> findOuter(TwoProducts &products) {
  MmOp inner = products.inner;
  SetVector<Operation *> inside;
  inside.insert(inner);
  Operation *escaping = nullptr;
  for (size_t i = 0; i < inside.size(); ++i) {
    for (Operation *user : inside[i]->getUsers()) {
      if (mlir::isOpTriviallyDead(user)) {
        products.dead.push_back(user);
        continue;
      }
      if (auto mm = dyn_cast<MmOp>(user); mm && mm->getBlock() == inner->getBlock()) {
        if (products.outer && products.outer != mm)
          return "the inner product is used by several others";
        products.outer = mm;
        products.between = inside[i]->getResult(0);
      } else if (isa<PointwiseOpInterface>(user) && user->getBlock() == inner->getBlock() &&
                 mlir::isMemoryEffectFree(user)) {
        inside.insert(user);
      } else {
        escaping = user;
      }
      if (inside.size() > kMaxBody)
        return "too many ops follow";
    }
  }
  if (!products.outer)
    return std::nullopt;
  if (escaping)
    return "something else uses what is between the products";
  // One use, by the outer product, of one of the values inside.
  unsigned uses = 0;
  for (Value operand : products.outer->getOperands())
    if (inside.contains(operand.getDefiningOp())) {
      products.between = operand;
      ++uses;
    }
  if (uses != 1)
    return "both operands of the outer product depend on the inner one";
  for (Operation *op : inside) {
    // What is between has the outer product for a user, and the rest only what is inside.
    bool isLast = op == products.between.getDefiningOp();
    if (llvm::any_of(op->getUsers(), [&](Operation *user) {
          return (user == products.outer) != isLast && !llvm::is_contained(products.dead, user);
        }))
      return "something else uses what is between the products";
    if (op == inner)
      continue;
    for (Value operand : op->getOperands())
      if (!inside.contains(operand.getDefiningOp()) && !isNumber(operand))
        return "the ops between the products read other tensors";
    products.body.push_back(op);
  }
  llvm::sort(products.body, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  products.left = products.outer.getInput() == products.between;
  if (inner.getInput() == inner.getMat2())
    return "the inner product has one operand twice";
  if (products.between.getType() != inner.getType())
    return "the ops between the products change the type";
  return "";
}

/// A tile of the four extents of [M, N] x [N, O] x [O, P].
struct Tile {
  int64_t m, n, o, p;
};
/// Inductor's: what fits into the shared memory of a GPU.
static constexpr Tile kTiles[] = {{128, 16, 16, 16},  {128, 32, 32, 32},  {128, 64, 64, 64},  {128, 16, 128, 16},
                                  {128, 32, 128, 32}, {128, 64, 128, 64}, {16, 16, 16, 128},  {32, 32, 32, 128},
                                  {64, 64, 64, 128},  {16, 128, 16, 128}, {32, 128, 32, 128}, {64, 128, 64, 128}};

/// How many times fewer elements the one op reads than the two products: the geometric mean
/// of the three best tiles.
static double getLoadRatio(const Tile &extents, bool left) {
  auto [M, N, O, P] = extents;
  SmallVector<double> ratios;
  for (auto [m, n, o, p] : kTiles) {
    double tilesM = llvm::divideCeil(M, m), tilesN = llvm::divideCeil(N, n), tilesO = llvm::divideCeil(O, o),
           tilesP = llvm::divideCeil(P, p);
    double apart, together;
    if (left) {
      apart = double(M) * N + double(N) * O + double(M) * O + double(O) * P;
      together = tilesM * tilesP * tilesO * (o * p + tilesN * (m * n + n * o));
    } else {
      apart = double(N) * O + double(O) * P + double(M) * N + double(N) * P;
      together = tilesM * tilesP * tilesN * (m * n + tilesO * (n * o + o * p));
    }
    ratios.push_back(apart / together);
  }
  llvm::sort(ratios, std::greater<>());
  return std::cbrt(ratios[0] * ratios[1] * ratios[2]);
}

/// Why the two products stay two; empty if they become one.
static std::string getObstacle(TwoProducts &products, StringRef defaultDevice) {
  RankedTensorType a = getTensorType(products.getA()), b = getTensorType(products.getB()),
                   c = getTensorType(products.getC());
  StringRef device = getDeviceType(a, defaultDevice);
  if (device != "cuda" && device != "xpu")
    return "the products are not on a GPU";
  if (!isa<FloatType>(a.getElementType()))
    return "the products are of integers";
  if (!a.hasStaticShape() || !b.hasStaticShape() || !c.hasStaticShape())
    return "expected matrices of known extents";
  Tile extents{a.getDimSize(0), a.getDimSize(1), c.getDimSize(0), c.getDimSize(1)};
  if (llvm::is_contained({extents.m, extents.n, extents.o, extents.p}, 0))
    return "a matrix is empty";
  if (getLoadRatio(extents, products.left) <= 1)
    return "it would read more than the two products";
  return "";
}

// Pattern: mm(f(mm(a, b)), c) -> b2b_gemm(a, b, c; left) { f }
// Pattern: mm(a, f(mm(b, c))) -> b2b_gemm(a, b, c; right) { f }
static void join(RewriteSession &session, TwoProducts &products) {
  mlir::IRRewriter &rewriter = session.getRewriter();
  Location loc = rewriter.getFusedLoc({products.inner.getLoc(), products.outer.getLoc()});
  session.begin(kKind);
  rewriter.setInsertionPoint(products.outer);
  auto joined = B2bGemmOp::create(rewriter, loc, products.outer.getType(), products.getA(), products.getB(),
                                  products.getC(), rewriter.getBoolAttr(products.left));
  Block *block = rewriter.createBlock(&joined.getBody(), {}, products.inner.getType(), products.inner.getLoc());
  mlir::IRMapping mapping;
  mapping.map(products.inner.getResult(), block->getArgument(0));
  for (Operation *op : products.body) {
    for (Value operand : op->getOperands())
      if (isNumber(operand) && !mapping.contains(operand))
        rewriter.clone(*operand.getDefiningOp(), mapping);
    rewriter.clone(*op, mapping);
  }
  YieldOp::create(rewriter, loc, mapping.lookup(products.between));
  SmallVector<Operation *> old{products.inner};
  llvm::append_range(old, products.body);
  llvm::append_range(old, products.dead);
  rewriter.replaceOp(products.outer, joined.getResult());
  session.applied(loc, products.left ? "left" : "right");
  session.eraseDeadOps(old);
}

namespace {
struct MatmulB2bGemmPass : public SearchPass<fxgraph::impl::MatmulB2bGemmPassBase<MatmulB2bGemmPass>> {
  using SearchPass::SearchPass;

  void rewrite(RewriteSession &session) override {
    if (session.lacks<MmOp>())
      return;
    SmallVector<MmOp> inners;
    getOperation()->walk([&](MmOp mm) { inners.push_back(mm); });
    // Inductor's order: of three products in a row the last two.
    DenseSet<Operation *> joined;
    for (MmOp inner : llvm::reverse(inners)) {
      if (joined.contains(inner))
        continue;
      TwoProducts products;
      products.inner = inner;
      std::optional<std::string> obstacle = findOuter(products);
      if (!obstacle)
        continue;
      if (obstacle->empty())
        obstacle = getObstacle(products, defaultDevice);
      if (!obstacle->empty()) {
        session.missed(inner.getLoc(), kKind, *obstacle);
        continue;
      }
      joined.insert(inner);
      joined.insert(products.outer);
      join(session, products);
    }
  }
};
} // namespace
