// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How deep the brackets of a text go: LLVM's parsers of JSON and YAML recurse on them.

#ifndef FXGRAPH_SUPPORT_NESTING_H
#define FXGRAPH_SUPPORT_NESTING_H

#include "fxgraph/Support/LLVM.h"

namespace fxgraph {

/// Far more than any file of ours has.
inline constexpr int kMaxNesting = 64;

/// Whether no more than kMaxNesting brackets and braces are open at once, those in
/// double quotes not counted.
inline bool isShallow(StringRef text) {
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && inString)
      ++i;
    else if (c == '"')
      inString = !inString;
    else if (!inString && (c == '[' || c == '{') && ++depth > kMaxNesting)
      return false;
    else if (!inString && (c == ']' || c == '}'))
      --depth;
  }
  return true;
}

} // namespace fxgraph

#endif // FXGRAPH_SUPPORT_NESTING_H
