// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Support/PassText.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

using namespace fxgraph;

LogicalResult fxgraph::parsePassText(StringRef text, mlir::OpPassManager &manager, std::string &error) {
  std::string printed;
  llvm::raw_string_ostream os(printed);
  if (succeeded(mlir::parsePassPipeline(text, manager, os)))
    return success();
  // Of `place: error: message`, the text and a caret below it, only the messages.
  error.clear();
  SmallVector<StringRef> lines;
  StringRef(printed).split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    StringRef message = line;
    if (size_t at = line.find("error: "); at != StringRef::npos)
      message = line.drop_front(at + 7);
    else if (!message.consume_front("<Pass-Options-Parser>: "))
      continue;
    error += (error.empty() ? "" : "; ") + message.rtrim().str();
  }
  if (error.empty())
    error = StringRef(printed).trim().str();
  return failure();
}
