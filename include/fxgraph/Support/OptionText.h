// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text of any kind (a path, names, a pipeline) as the option of a pass.
//
// MLIR prints a std::string so that it does not always parse again, and its pipelines
// count braces also inside quotes: no spelling of MLIR's own takes a lone `}`. Options
// of this type take, besides what MLIR takes, `{"…"}` with MLIR's escapes for string
// literals (`\7D` is `}`), and print themselves in the plainest form that means the same.

#ifndef FXGRAPH_SUPPORT_OPTIONTEXT_H
#define FXGRAPH_SUPPORT_OPTIONTEXT_H

#include "fxgraph/Support/LLVM.h"
#include "llvm/Support/CommandLine.h"
#include <string>

namespace fxgraph {

struct OptionText : public std::string {
  using std::string::string;
  using std::string::operator=;
  OptionText() = default;
  OptionText(std::string text) : std::string(std::move(text)) {}
};

/// As a message shows it or as an option takes it? StringRef(text) or quoteOption(text).
raw_ostream &operator<<(raw_ostream &os, const OptionText &text) = delete;

/// The text as a value behind `option=`, also inside a pipeline.
std::string quoteOption(StringRef text);

} // namespace fxgraph

template <>
class llvm::cl::parser<fxgraph::OptionText> : public basic_parser<fxgraph::OptionText> {
public:
  using basic_parser::basic_parser;
  bool parse(Option &option, StringRef name, StringRef given, fxgraph::OptionText &text);
  StringRef getValueName() const override { return "string"; }
  void printOptionDiff(const Option &option, const fxgraph::OptionText &text, OptVal, size_t width) const;
  static void print(raw_ostream &os, const fxgraph::OptionText &text) { os << fxgraph::quoteOption(text); }
  void anchor() override;
};

#endif // FXGRAPH_SUPPORT_OPTIONTEXT_H
