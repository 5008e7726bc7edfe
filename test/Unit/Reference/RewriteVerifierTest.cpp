// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Right and wrong rewrites, made by hand: the verifier must tell them apart.

#include "fxgraph/Reference/RewriteVerifier.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace fxgraph;

namespace {
class RewriteVerifierTest : public ::testing::Test {
protected:
  RewriteVerifierTest() { context.loadDialect<FxGraphDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect>(); }

  /// Parses, lets `rewrite` change the function under the verifier, and finishes.
  void check(StringRef text, NumericClass numerics,
             function_ref<void(mlir::IRRewriter &, mlir::func::FuncOp)> rewrite) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(static_cast<bool>(module));
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    messages.clear();
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diag) { messages.push_back(diag.str()); });
    verifier = std::make_unique<RewriteVerifier>(function, "test-pass", options);
    verifier->setCurrentPattern("test-pattern", numerics);
    mlir::IRRewriter rewriter(&context, verifier.get());
    rewrite(rewriter, function);
    EXPECT_TRUE(succeeded(mlir::verify(*module)));
    isValid = verifier->finish();
  }
  /// First op of a kind.
  template <typename OpTy>
  static OpTy find(mlir::func::FuncOp function) {
    OpTy found;
    function.walk([&](OpTy op) {
      found = op;
      return mlir::WalkResult::interrupt();
    });
    return found;
  }
  std::string message() const { return messages.empty() ? "" : messages.front(); }

  MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  VerifyRewritesOptions options;
  std::unique_ptr<RewriteVerifier> verifier;
  std::vector<std::string> messages;
  bool isValid = false;
};
} // namespace

static constexpr StringRef kSplitCat = R"(
  func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %s:2 = fxgraph.split %x size 3 dim 1 : (tensor<4x6xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>)
    %c = fxgraph.cat %s#1, %s#0 dim 1 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
    %r = fxgraph.relu %c : tensor<4x6xf32>
    return %r : tensor<4x6xf32>
  })";

TEST_F(RewriteVerifierTest, WrongReplacementIsReported) {
  // The pieces come back in another order: cat(split(x)) is not x.
  check(kSplitCat, NumericClass::Exact, [](mlir::IRRewriter &rewriter, mlir::func::FuncOp function) {
    rewriter.replaceOp(find<CatOp>(function), function.getArgument(0));
  });
  EXPECT_FALSE(isValid);
  EXPECT_EQ(verifier->getNumVerified(), 1u);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(
      message().find(
          "test-pass: rewrite 'test-pattern' of 'fxgraph.cat' is wrong (exact): result 0 of type tensor<4x6xf32>: "),
      std::string::npos)
      << message();
  EXPECT_NE(message().find("elements differ, first at [0, "), std::string::npos) << message();
}

TEST_F(RewriteVerifierTest, RightReplacementIsSilent) {
  check(kSplitCat, NumericClass::Exact, [](mlir::IRRewriter &rewriter, mlir::func::FuncOp function) {
    auto cat = find<CatOp>(function);
    rewriter.setInsertionPoint(cat);
    Value rolled = RollOp::create(rewriter, cat.getLoc(), cat.getType(), function.getArgument(0), ArrayRef<int64_t>{3},
                                  ArrayRef<int64_t>{1});
    rewriter.replaceOp(cat, rolled);
  });
  EXPECT_TRUE(isValid);
  EXPECT_TRUE(messages.empty()) << message();
  // The replacement, and the whole function.
  EXPECT_EQ(verifier->getNumVerified(), 2u);
  EXPECT_EQ(verifier->getNumUnverified(), 0u);
}

static constexpr StringRef kAddZero = R"(
  func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
    %z = fxgraph.constant dense<0.0> : tensor<f64>
    %r = fxgraph.add %x, %z : (tensor<64xf32>, tensor<f64>) -> tensor<64xf32>
    return %r : tensor<64xf32>
  })";

TEST_F(RewriteVerifierTest, ExactSeesTheSignOfZero) {
  // -0 + 0 is +0, so that x + 0 -> x is not exact …
  auto rewrite = [](mlir::IRRewriter &rewriter, mlir::func::FuncOp function) {
    rewriter.replaceOp(find<AddOp>(function), function.getArgument(0));
  };
  check(kAddZero, NumericClass::Exact, rewrite);
  EXPECT_FALSE(isValid);
  EXPECT_NE(message().find("expected 0 but got -0"), std::string::npos) << message();
  // … but close enough.
  check(kAddZero, NumericClass::Reassociates, rewrite);
  EXPECT_TRUE(isValid) << message();
}

TEST_F(RewriteVerifierTest, ExactSeesNan) {
  // x * 0 -> 0 is wrong for NaN and infinities.
  StringRef text = R"(
    func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
      %z = fxgraph.constant dense<0.0> : tensor<f64>
      %r = fxgraph.mul %x, %z : (tensor<64xf32>, tensor<f64>) -> tensor<64xf32>
      return %r : tensor<64xf32>
    })";
  check(text, NumericClass::Exact, [](mlir::IRRewriter &rewriter, mlir::func::FuncOp function) {
    auto mul = find<MulOp>(function);
    rewriter.setInsertionPoint(mul);
    Value zero = FullOp::create(rewriter, mul.getLoc(), cast<RankedTensorType>(mul.getType()), 0.0);
    rewriter.replaceOp(mul, zero);
  });
  EXPECT_FALSE(isValid);
}

TEST_F(RewriteVerifierTest, NanDoesNotHideDifferences) {
  // Among 64 addends a NaN is nearly certain to spread: other trials are finite.
  StringRef text = R"(
    func.func @main(%x: tensor<4x64xf32>, %w: tensor<4x64xf32>, %b: tensor<4xf32>) -> tensor<4x4xf32> {
      %l = fxgraph.linear %x, %w, %b : (tensor<4x64xf32>, tensor<4x64xf32>, tensor<4xf32>) -> tensor<4x4xf32>
      return %l : tensor<4x4xf32>
    })";
  check(text, NumericClass::Exact, [](mlir::IRRewriter &rewriter, mlir::func::FuncOp function) {
    // The bias is lost.
    auto linear = find<LinearOp>(function);
    rewriter.setInsertionPoint(linear);
    rewriter.replaceOpWithNewOp<LinearOp>(linear, linear.getType(), linear.getInput(), linear.getWeight(), Value());
  });
  EXPECT_FALSE(isValid);
}

TEST_F(RewriteVerifierTest, ReassociationHasATolerance) {
  StringRef text = R"(
    func.func @main(%x: tensor<8x32xf32>) -> tensor<8xf32> {
      %m = fxgraph.mean %x dims [1] : (tensor<8x32xf32>) -> tensor<8xf32>
      return %m : tensor<8xf32>
    })";
  auto rewriteBy = [](double divisor) {
    return [divisor](mlir::IRRewriter &rewriter, mlir::func::FuncOp function) {
      auto mean = find<MeanOp>(function);
      Location loc = mean.getLoc();
      rewriter.setInsertionPoint(mean);
      auto scalar = RankedTensorType::get({}, rewriter.getF64Type());
      Value factor = ConstantOp::create(rewriter, loc, scalar,
                                        DenseElementsAttr::get(scalar, rewriter.getF64FloatAttr(1.0 / divisor)));
      Value scaled = MulOp::create(rewriter, loc, mean.getInput().getType(), mean.getInput(), factor);
      Value sum = SumOp::create(rewriter, loc, mean.getType(), scaled, rewriter.getDenseI64ArrayAttr({1}),
                                rewriter.getBoolAttr(false));
      rewriter.replaceOp(mean, sum);
    };
  };
  check(text, NumericClass::Reassociates, rewriteBy(32.0));
  EXPECT_TRUE(isValid) << message();
  check(text, NumericClass::Reassociates, rewriteBy(32.1));
  EXPECT_FALSE(isValid);
  EXPECT_NE(message().find("(reassociates)"), std::string::npos) << message();
}

TEST_F(RewriteVerifierTest, DynamicExtentsIncludeOneAndZero) {
  // sum over a dynamic dim replaced by select of index 0: right for extent 1 only.
  StringRef text = R"(
    func.func @main(%x: tensor<?x2xi64, #fxgraph.meta<dims = [s0]>>) -> tensor<2xi64> {
      %m = fxgraph.amax %x dims [0] : (tensor<?x2xi64, #fxgraph.meta<dims = [s0]>>) -> tensor<2xi64>
      return %m : tensor<2xi64>
    })";
  check(text, NumericClass::Exact, [](mlir::IRRewriter &rewriter, mlir::func::FuncOp function) {
    auto amax = find<AmaxOp>(function);
    rewriter.setInsertionPoint(amax);
    Value picked = SelectOp::create(rewriter, amax.getLoc(), amax.getType(), amax.getInput(), 0, 0);
    rewriter.replaceOp(amax, picked);
  });
  EXPECT_FALSE(isValid);

  // relu(x) -> x at index [1:] with a pad: breaks only where the extent is 0.
  StringRef slice = R"(
    func.func @main(%x: tensor<?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<f32> {
      %m = fxgraph.sum %x : (tensor<?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<f32>
      return %m : tensor<f32>
    })";
  check(slice, NumericClass::Reassociates, [](mlir::IRRewriter &rewriter, mlir::func::FuncOp function) {
    auto sum = find<SumOp>(function);
    Location loc = sum.getLoc();
    rewriter.setInsertionPoint(sum);
    auto tail = RankedTensorType::get({ShapedType::kDynamic}, rewriter.getF32Type());
    Value head = SelectOp::create(rewriter, loc, sum.getType(), sum.getInput(), 0, 0);
    Value rest = SliceOp::create(rewriter, loc, tail, sum.getInput(), 0, 1, INT64_MAX, 1);
    Value restSum =
        SumOp::create(rewriter, loc, sum.getType(), rest, mlir::DenseI64ArrayAttr(), rewriter.getBoolAttr(false));
    rewriter.replaceOp(
        sum, AddOp::create(rewriter, loc, sum.getType(), head, restSum, rewriter.getF64FloatAttr(1.0)).getResult());
  });
  EXPECT_FALSE(isValid);
  EXPECT_NE(message().find("the new value does not run: 'fxgraph.select' op expected index in [0, -1] but got 0"),
            std::string::npos)
      << message();
}

TEST_F(RewriteVerifierTest, ChangesInPlaceAreSeenAtTheEnd) {
  StringRef text = R"(
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %r = fxgraph.sub %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    })";
  check(text, NumericClass::Exact, [](mlir::IRRewriter &rewriter, mlir::func::FuncOp function) {
    auto sub = find<SubOp>(function);
    rewriter.modifyOpInPlace(sub, [&] { sub->setOperands({sub.getOther(), sub.getInput()}); });
  });
  EXPECT_FALSE(isValid);
  EXPECT_NE(message().find("test-pass: the function after 'test-pattern' is wrong (exact): result 0: "),
            std::string::npos)
      << message();
  // Behind the listener's back.
  check(text, NumericClass::Exact, [](mlir::IRRewriter &, mlir::func::FuncOp function) {
    auto sub = find<SubOp>(function);
    sub->setOperands({sub.getOther(), sub.getInput()});
  });
  EXPECT_FALSE(isValid);
  // Nothing changed, nothing compared.
  check(text, NumericClass::Exact, [](mlir::IRRewriter &, mlir::func::FuncOp) {});
  EXPECT_TRUE(isValid);
  EXPECT_EQ(verifier->getNumVerified(), 0u);
}

TEST_F(RewriteVerifierTest, LostWritesAreSeen) {
  StringRef text = R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %r = fxgraph.neg %x : tensor<4xf32>
      fxgraph.copy_ %r into %x : tensor<4xf32>, tensor<4xf32>
      return %r : tensor<4xf32>
    })";
  check(text, NumericClass::Exact, [](mlir::IRRewriter &rewriter, mlir::func::FuncOp function) {
    rewriter.eraseOp(find<CopyUnderscoreOp>(function));
  });
  EXPECT_FALSE(isValid);
  EXPECT_NE(message().find("expected writes to arguments 0 but got none"), std::string::npos) << message();
}

TEST_F(RewriteVerifierTest, WhatCannotBeComparedIsCounted) {
  StringRef text = R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %o = fxgraph.opaque "aten.foo.default"(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %r = fxgraph.relu %o : tensor<4xf32>
      return %r : tensor<4xf32>
    })";
  auto replaceByItself = [](mlir::IRRewriter &rewriter, mlir::func::FuncOp function) {
    auto relu = find<ReluOp>(function);
    rewriter.setInsertionPoint(relu);
    rewriter.replaceOpWithNewOp<ReluOp>(relu, relu.getType(), relu.getInput());
  };
  check(text, NumericClass::Exact, replaceByItself);
  EXPECT_TRUE(isValid);
  EXPECT_EQ(verifier->getNumVerified(), 0u);
  EXPECT_EQ(verifier->getNumUnverified(), 2u);
  EXPECT_EQ(verifier->getLastReason(), "'fxgraph.opaque' cannot be run");

  // Beyond the budget.
  options.maxOps = 1;
  check(kSplitCat, NumericClass::Exact, replaceByItself);
  EXPECT_TRUE(isValid);
  EXPECT_EQ(verifier->getNumVerified(), 0u);
  EXPECT_EQ(verifier->getNumUnverified(), 2u);
}

TEST_F(RewriteVerifierTest, RandomDraws) {
  StringRef text = R"(
    func.func @main() -> tensor<4xf32> {
      %r = fxgraph.rand : tensor<4xf32>
      %n = fxgraph.neg %r : tensor<4xf32>
      %m = fxgraph.neg %n : tensor<4xf32>
      return %m : tensor<4xf32>
    })";
  // A shared draw is one value: neg(neg(rand)) -> rand is right …
  check(text, NumericClass::Exact, [](mlir::IRRewriter &rewriter, mlir::func::FuncOp function) {
    auto inner = find<NegOp>(function);
    auto outer = cast<NegOp>(*inner.getResult().getUsers().begin());
    rewriter.replaceOp(outer, inner.getInput());
  });
  EXPECT_TRUE(isValid) << message();
  EXPECT_EQ(verifier->getNumVerified(), 1u);
  // … a new draw cannot be compared with the old one.
  check(text, NumericClass::Exact, [](mlir::IRRewriter &rewriter, mlir::func::FuncOp function) {
    auto neg = find<NegOp>(function);
    rewriter.setInsertionPoint(neg);
    rewriter.replaceOpWithNewOp<RandOp>(neg, neg.getType(), ValueRange());
  });
  EXPECT_TRUE(isValid);
  EXPECT_EQ(verifier->getNumVerified(), 0u);
}

TEST_F(RewriteVerifierTest, IndicesStayInRange) {
  StringRef text = R"(
    func.func @main(%w: tensor<3x2xf32>, %i: tensor<5xi64>) -> tensor<5x2xf32> {
      %r = fxgraph.embedding %w, %i : (tensor<3x2xf32>, tensor<5xi64>) -> tensor<5x2xf32>
      return %r : tensor<5x2xf32>
    })";
  check(text, NumericClass::Exact, [](mlir::IRRewriter &rewriter, mlir::func::FuncOp function) {
    auto embedding = find<EmbeddingOp>(function);
    rewriter.setInsertionPoint(embedding);
    rewriter.replaceOpWithNewOp<IndexSelectOp>(embedding, embedding.getType(), embedding.getWeight(),
                                               embedding.getIndices(), 0);
  });
  EXPECT_TRUE(isValid) << message();
  EXPECT_EQ(verifier->getNumVerified(), 2u);
}

TEST_F(RewriteVerifierTest, ManyRewritesStayLinear) {
  // 2,000 ops, each replaced: with values kept between rewrites this is a matter
  // of milliseconds, without them of 4 million evaluations.
  std::string text = "func.func @main(%v0: tensor<1xf32>) -> tensor<1xf32> {\n";
  constexpr int kLength = 2000;
  for (int i = 0; i < kLength; ++i)
    text += "%v" + std::to_string(i + 1) + " = fxgraph.neg %v" + std::to_string(i) + " : tensor<1xf32>\n";
  text += "return %v" + std::to_string(kLength) + " : tensor<1xf32> }";
  check(text, NumericClass::Exact, [](mlir::IRRewriter &rewriter, mlir::func::FuncOp function) {
    SmallVector<NegOp> ops;
    function.walk([&](NegOp op) { ops.push_back(op); });
    for (NegOp op : ops) {
      rewriter.setInsertionPoint(op);
      rewriter.replaceOpWithNewOp<NegOp>(op, op.getType(), op.getInput());
    }
  });
  EXPECT_TRUE(isValid) << message();
  EXPECT_EQ(verifier->getNumVerified(), kLength + 1u);
}
