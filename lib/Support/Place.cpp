// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Support/Place.h"
#include "mlir/IR/Location.h"

std::string fxgraph::describePlace(Location loc) {
  auto place = loc->findInstanceOf<mlir::FileLineColLoc>();
  // The parser gives an implicit module line 0.
  if (!place || place.getLine() == 0)
    return "";
  return (place.getFilename().getValue() + ":" + Twine(place.getLine()) + ":" + Twine(place.getColumn()) + ": ").str();
}
