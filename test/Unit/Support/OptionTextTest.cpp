// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any text goes through an option, and through a pipeline, and comes out again.

#include "fxgraph/Support/OptionText.h"
#include "fxgraph/Transforms/Report/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "gtest/gtest.h"
#include <random>

using namespace fxgraph;

namespace {
struct TestOptions : public mlir::PassPipelineOptions<TestOptions> {
  Option<OptionText> text{*this, "text"};
  ListOption<OptionText> list{*this, "list"};
  Option<int> number{*this, "number", llvm::cl::init(0)};
};
} // namespace

static std::string print(const TestOptions &options) {
  std::string printed;
  llvm::raw_string_ostream os(printed);
  options.print(os);
  return printed;
}

/// Every byte alone and within, what MLIR's parsers look at, and random strings of those.
static std::vector<std::string> getTexts() {
  std::vector<std::string> texts = {"", "plain", "/a/b-c_d.e=f", "a b", " a ", "{}", "}{", "{\"x\"}", "\"x\"", "\\7D",
                                    "\"\\7D\"", "a,b{c=d e=f},(g)", "'", "it's", "[1,2", "x}.json", "C:\\x", "é, ü}"};
  for (int c = 1; c < 256; ++c) {
    texts.push_back(std::string(1, static_cast<char>(c)));
    texts.push_back("a" + std::string(1, static_cast<char>(c)) + "b");
  }
  std::mt19937 random(1);
  const std::string alphabet = "ab {}()[],\"'\\=7D\t";
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (unsigned n = random() % 12; n > 0; --n)
      text += alphabet[random() % alphabet.size()];
    texts.push_back(text);
  }
  return texts;
}

TEST(OptionText, PrintsWhatParsesToTheSame) {
  for (const std::string &text : getTexts()) {
    TestOptions options, parsed;
    options.text = text;
    options.number = 7;
    std::string printed = print(options);
    ASSERT_TRUE(succeeded(parsed.parseFromString(StringRef(printed).drop_front().drop_back()))) << printed;
    EXPECT_EQ(std::string(parsed.text), text) << printed;
    EXPECT_EQ(parsed.number, 7) << printed;
  }
}

TEST(OptionText, ListsOfTexts) {
  std::vector<std::string> texts = getTexts();
  for (size_t i = 1; i + 1 < texts.size(); ++i) {
    // MLIR has no spelling for a list of one empty text.
    TestOptions options, parsed;
    std::vector<OptionText> list = {OptionText("x"), OptionText(texts[i]), OptionText(texts[i + 1]), OptionText("y")};
    options.list = ArrayRef<OptionText>(list);
    std::string printed = print(options);
    ASSERT_TRUE(succeeded(parsed.parseFromString(StringRef(printed).drop_front().drop_back()))) << printed;
    EXPECT_EQ(std::vector<OptionText>(ArrayRef<OptionText>(*parsed.list)), list) << printed;
  }
}

TEST(OptionText, GoesThroughAPipeline) {
  registerFxGraphReportPasses();
  for (const std::string &text : getTexts()) {
    std::string pipeline = "builtin.module(fxgraph-write-report{file=" + quoteOption(text) + "})";
    for (int round = 0; round < 2; ++round) {
      std::string error;
      llvm::raw_string_ostream os(error);
      FailureOr<mlir::OpPassManager> manager = mlir::parsePassPipeline(pipeline, os);
      ASSERT_TRUE(succeeded(manager)) << pipeline << ": " << error;
      pipeline.clear();
      llvm::raw_string_ostream printed(pipeline);
      manager->printAsTextualPipeline(printed);
      EXPECT_NE(pipeline.find("file=" + quoteOption(text) + "}"), std::string::npos) << text << " in " << pipeline;
    }
  }
}

TEST(OptionText, BracesAloneAndQuotesAloneAreMLIRs) {
  TestOptions braces, quotes;
  ASSERT_TRUE(succeeded(braces.parseFromString("text={a b} number=1")));
  EXPECT_EQ(std::string(braces.text), "a b");
  ASSERT_TRUE(succeeded(quotes.parseFromString("text=\"a \\7D\" number=1")));
  EXPECT_EQ(std::string(quotes.text), "a \\7D");
}

TEST(OptionText, HalfAnEscapeIsAnError) {
  for (const char *text : {"{\"a\\\"}", "{\"a\\7\"}", "{\"a\\7g\"}"}) {
    TestOptions options;
    EXPECT_TRUE(failed(options.parseFromString((Twine("text=") + text).str()))) << text;
  }
}
