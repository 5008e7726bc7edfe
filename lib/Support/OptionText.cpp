// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Support/OptionText.h"
#include "llvm/ADT/StringExtras.h"

using namespace fxgraph;

static constexpr StringRef kBrackets = "(){}[]";

/// Whether each bracket has its partner, in order, as MLIR's parsers look for it.
static bool isNested(StringRef text) {
  SmallVector<char> open;
  for (char c : text) {
    size_t bracket = kBrackets.find(c);
    if (bracket == StringRef::npos)
      continue;
    if (bracket % 2 == 0)
      open.push_back(kBrackets[bracket + 1]);
    else if (open.empty() || open.pop_back_val() != c)
      return false;
  }
  return open.empty();
}

std::string fxgraph::quoteOption(StringRef text) {
  auto isPlain = [](char c) { return llvm::isAlnum(c) || StringRef("_-+./:@%~^=").contains(c); };
  if (llvm::all_of(text, isPlain))
    return text.str();
  bool printable = llvm::all_of(text, [](char c) { return static_cast<unsigned char>(c) >= ' '; });
  if (printable && !text.contains('"') && !text.contains('\'') && text == text.trim() && isNested(text))
    return ("{" + text + "}").str();
  std::string quoted = "{\"";
  for (char c : text) {
    if (static_cast<unsigned char>(c) >= ' ' && !StringRef("\\\"'").contains(c) && !kBrackets.contains(c)) {
      quoted += c;
      continue;
    }
    quoted += '\\';
    quoted += llvm::toHex(StringRef(&c, 1));
  }
  return quoted + "\"}";
}

bool llvm::cl::parser<OptionText>::parse(Option &option, StringRef name, StringRef given, OptionText &text) {
  if (given.size() < 2 || !given.starts_with("\"") || !given.ends_with("\"")) {
    text = given.str();
    return false;
  }
  given = given.drop_front().drop_back();
  text.clear();
  while (!given.empty()) {
    char c = given.front();
    given = given.drop_front();
    uint8_t byte = static_cast<uint8_t>(c);
    if (c == '\\') {
      StringRef digits = given.take_front(2);
      if (digits.size() != 2 || digits.getAsInteger(16, byte))
        return option.error("expected two hexadecimal digits behind each '\\' of quoted text but got '" + digits + "'",
                            name);
      given = given.drop_front(2);
    }
    text.push_back(static_cast<char>(byte));
  }
  return false;
}

void llvm::cl::parser<OptionText>::printOptionDiff(const Option &option, const OptionText &text, OptVal,
                                                   size_t width) const {
  printOptionName(option, width);
  outs() << "= " << StringRef(text) << "\n";
}

void llvm::cl::parser<OptionText>::anchor() {}
