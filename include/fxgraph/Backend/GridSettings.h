// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The settings of targets that run a graph as a grid of processes: `ranks=N` says how
// many, `group=<name>:<ranks>` who is in a group.

#ifndef FXGRAPH_BACKEND_GRIDSETTINGS_H
#define FXGRAPH_BACKEND_GRIDSETTINGS_H

#include "fxgraph/Reference/Grid.h"

namespace fxgraph {

/// The grid that the settings ask for, if they do; `others` are the settings that say nothing of one. Error at `loc`.
LogicalResult readGridSettings(Location loc, ArrayRef<std::pair<std::string, std::string>> settings,
                               std::optional<GridOptions> &grid,
                               SmallVectorImpl<std::pair<std::string, std::string>> &others);

} // namespace fxgraph

#endif // FXGRAPH_BACKEND_GRIDSETTINGS_H
