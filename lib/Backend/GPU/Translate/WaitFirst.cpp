// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Translate/WaitFirst.h"
#include "llvm/ADT/StringExtras.h"

using namespace fxgraph;

/// Whether a line of a function's body stands in front of all instructions.
static bool isDeclaration(llvm::StringRef line) {
  line = line.ltrim();
  return line.empty() || line.starts_with("{") || line.starts_with(".") || line.starts_with("//");
}

std::string fxgraph::gpu::waitFirst(llvm::StringRef ptx) {
  std::string result, waits, body;
  result.reserve(ptx.size());
  // Of a function: declarations are passed on, instructions wait for its end.
  bool isInFunction = false, isBehindDeclarations = false;
  while (!ptx.empty()) {
    size_t end = std::min(ptx.find('\n'), ptx.size() - 1) + 1;
    llvm::StringRef line = ptx.take_front(end);
    ptx = ptx.drop_front(end);
    if (line.starts_with("{"))
      isInFunction = true;
    isBehindDeclarations |= isInFunction && !isDeclaration(line);
    if (!isBehindDeclarations) {
      result += line;
    } else if (line.ltrim().starts_with("griddepcontrol.wait")) {
      waits += line;
    } else {
      body += line;
    }
    if (line.starts_with("}")) {
      result += waits + body;
      waits.clear();
      body.clear();
      isInFunction = isBehindDeclarations = false;
    }
  }
  return result + waits + body;
}
