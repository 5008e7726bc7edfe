// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Backend/GridSettings.h"

using namespace fxgraph;

LogicalResult fxgraph::readGridSettings(Location loc, ArrayRef<std::pair<std::string, std::string>> settings,
                                        std::optional<GridOptions> &grid,
                                        SmallVectorImpl<std::pair<std::string, std::string>> &others) {
  std::string error;
  for (const auto &[key, value] : settings) {
    if (key == "ranks" && !grid) {
      if (failed(grid.emplace().parseRanks(value, error)))
        return mlir::emitError(loc) << error;
    } else if (key == "ranks") {
      return mlir::emitError(loc) << "expected the setting ranks once but got it twice";
    } else if (key != "group") {
      others.emplace_back(key, value);
    }
  }
  for (const auto &[key, value] : settings) {
    if (key != "group")
      continue;
    if (!grid)
      return mlir::emitError(loc) << "expected the setting ranks beside group but got '" << key << "=" << value
                                  << "' alone";
    if (failed(grid->parseGroup(value, error)))
      return mlir::emitError(loc) << error;
  }
  return success();
}
