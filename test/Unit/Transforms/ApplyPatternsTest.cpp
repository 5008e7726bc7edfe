// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RewriteSession::applyPatterns against MLIR's greedy driver: the same rewrites in the
// same order, on random graphs with regions, and patterns that make ops, change them in
// place, and erase producers that the driver has yet to visit.

#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "gtest/gtest.h"
#include <random>

using namespace fxgraph;

namespace {
/// What was tried and done: the line of the op, and whether it was rewritten.
using Log = std::vector<std::pair<unsigned, bool>>;

struct Simplify : mlir::RewritePattern {
  Simplify(MLIRContext *context, StringRef root, Log &log) : RewritePattern(root, 1, context), log(log) {}

  LogicalResult matchAndRewrite(Operation *op, mlir::PatternRewriter &rewriter) const override {
    unsigned line = mlir::cast<mlir::FileLineColLoc>(op->getLoc()).getLine();
    log.emplace_back(line, rewrite(op, rewriter));
    return success(log.back().second);
  }

  static bool rewrite(Operation *op, mlir::PatternRewriter &rewriter) {
    Operation *producer = op->getOperand(0).getDefiningOp();
    if (!producer)
      return false;
    if (isa<ReluOp>(op) && isa<ReluOp>(producer)) {
      rewriter.replaceOp(op, producer->getResult(0));
      return true;
    }
    if (isa<NegOp>(op) && isa<NegOp>(producer)) {
      rewriter.replaceOp(op, producer->getOperand(0));
      if (producer->use_empty())
        rewriter.eraseOp(producer);
      return true;
    }
    if (isa<TanhOp>(op) && isa<NegOp>(producer)) {
      Value tanh = TanhOp::create(rewriter, op->getLoc(), producer->getOperand(0));
      rewriter.replaceOpWithNewOp<NegOp>(op, tanh);
      return true;
    }
    if (isa<ExpOp>(op) && isa<ReluOp>(producer) && producer->hasOneUse()) {
      rewriter.modifyOpInPlace(op, [&] { op->setOperand(0, producer->getOperand(0)); });
      return true;
    }
    return false;
  }

  Log &log;
};

const StringRef kRoots[] = {ReluOp::getOperationName(), NegOp::getOperationName(), TanhOp::getOperationName(),
                            ExpOp::getOperationName()};

mlir::FrozenRewritePatternSet makePatterns(MLIRContext *context, Log &log) {
  mlir::RewritePatternSet set(context);
  for (StringRef root : kRoots)
    set.addWithLabel<Simplify>({}, context, root, log);
  return std::move(set);
}

class RandomGraph {
public:
  RandomGraph(MLIRContext *context, unsigned seed) : builder(context), random(seed) {
    type = RankedTensorType::get({2}, builder.getF32Type());
  }

  mlir::OwningOpRef<mlir::ModuleOp> build() {
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
    auto function = mlir::func::FuncOp::create(builder, nextLoc(), "main", builder.getFunctionType({type}, {}));
    builder.setInsertionPointToEnd(function.addEntryBlock());
    SmallVector<Value> values{function.getArgument(0)}, returned;
    addOps(values, returned, 40, /*depth=*/0);
    mlir::func::ReturnOp::create(builder, nextLoc(), returned);
    function.setFunctionType(builder.getFunctionType({type}, SmallVector<Type>(returned.size(), type)));
    return module;
  }

private:
  Location nextLoc() { return mlir::FileLineColLoc::get(builder.getContext(), "graph", ++line, 1); }
  unsigned below(unsigned bound) { return random() % bound; }

  /// Ops without patterns are returned, so that none of them is ever dead.
  void addOps(SmallVectorImpl<Value> &values, SmallVectorImpl<Value> &returned, unsigned count, unsigned depth) {
    for (unsigned i = 0; i < count; ++i) {
      Value input = values[values.size() - 1 - below(std::min<size_t>(values.size(), 3))];
      switch (below(depth < 2 ? 7 : 6)) {
      case 0:
        values.push_back(ReluOp::create(builder, nextLoc(), input));
        break;
      case 1:
      case 2:
        values.push_back(NegOp::create(builder, nextLoc(), input));
        break;
      case 3:
        values.push_back(TanhOp::create(builder, nextLoc(), input));
        break;
      case 4:
        values.push_back(ExpOp::create(builder, nextLoc(), input));
        break;
      case 5:
        values.push_back(SinOp::create(builder, nextLoc(), input));
        returned.push_back(values.back());
        break;
      case 6:
        addIf(values, returned, depth);
        break;
      }
    }
    returned.push_back(values.back());
  }

  void addIf(SmallVectorImpl<Value> &values, SmallVectorImpl<Value> &returned, unsigned depth) {
    Value condition = mlir::arith::ConstantOp::create(builder, nextLoc(), builder.getBoolAttr(true));
    auto branch = mlir::scf::IfOp::create(builder, nextLoc(), TypeRange(type), condition, /*withElseRegion=*/true);
    mlir::OpBuilder::InsertionGuard guard(builder);
    for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
      builder.setInsertionPointToEnd(block);
      SmallVector<Value> inner(values.begin(), values.end()), yielded;
      addOps(inner, yielded, 5, depth + 1);
      // One op that takes all of them: a yield has one operand.
      Value sum = yielded.front();
      for (Value value : llvm::drop_begin(yielded))
        sum = MulOp::create(builder, nextLoc(), sum, value);
      mlir::scf::YieldOp::create(builder, nextLoc(), sum);
    }
    values.push_back(branch.getResult(0));
    returned.push_back(values.back());
  }

  mlir::OpBuilder builder;
  std::mt19937 random;
  RankedTensorType type;
  unsigned line = 0;
};

std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, mlir::OpPrintingFlags().enableDebugInfo());
  return text;
}

TEST(ApplyPatterns, DoesAsTheGreedyDriver) {
  MLIRContext context;
  context.loadDialect<FxGraphDialect, mlir::func::FuncDialect, mlir::scf::SCFDialect, mlir::arith::ArithDialect>();
  size_t rewritten = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    mlir::OwningOpRef<mlir::ModuleOp> ours = RandomGraph(&context, seed).build();
    mlir::OwningOpRef<mlir::ModuleOp> theirs = ours->clone();
    ASSERT_TRUE(succeeded(mlir::verify(*ours)));

    Log ourLog, theirLog;
    auto function = *ours->getOps<mlir::func::FuncOp>().begin();
    RewriteSession session(function, "test");
    ASSERT_TRUE(succeeded(session.applyPatterns(makePatterns(&context, ourLog), kRoots, {"simplify", ""})));

    function = *theirs->getOps<mlir::func::FuncOp>().begin();
    SmallVector<Operation *> candidates;
    function.getBody().walk([&](Operation *op) {
      if (llvm::is_contained(kRoots, op->getName().getStringRef()))
        candidates.push_back(op);
    });
    mlir::GreedyRewriteConfig config;
    config.setScope(&function.getBody());
    config.setStrictness(mlir::GreedyRewriteStrictness::ExistingAndNewOps);
    config.enableFolding(false);
    config.enableConstantCSE(false);
    ASSERT_TRUE(succeeded(mlir::applyOpPatternsGreedily(candidates, makePatterns(&context, theirLog), config)));

    EXPECT_EQ(ourLog, theirLog) << "seed " << seed;
    ASSERT_EQ(print(*ours), print(*theirs)) << "seed " << seed;
    ASSERT_TRUE(succeeded(mlir::verify(*ours)));
    EXPECT_EQ(session.getNumApplied(), llvm::count_if(ourLog, [](auto entry) { return entry.second; }));
    rewritten += session.getNumApplied();
  }
  EXPECT_GT(rewritten, 1000u);
}

/// neg(x) -> neg(x), for ever.
struct Endless : mlir::OpRewritePattern<NegOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(NegOp op, mlir::PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NegOp>(op, op.getInput());
    return success();
  }
};

TEST(ApplyPatterns, EndsWithAnErrorWhereItWouldNot) {
  MLIRContext context;
  context.loadDialect<FxGraphDialect, mlir::func::FuncDialect, mlir::scf::SCFDialect, mlir::arith::ArithDialect>();
  mlir::OwningOpRef<mlir::ModuleOp> module = RandomGraph(&context, 1).build();
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  mlir::RewritePatternSet set(&context);
  set.add<Endless>(&context);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  RewriteSession session(function, "test");
  EXPECT_TRUE(failed(session.applyPatterns(std::move(set), {NegOp::getOperationName()}, {"endless", ""})));
  EXPECT_NE(message.find("test: patterns did not reach a fixed point after "), std::string::npos) << message;
}
} // namespace
