// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_VERSION_H
#define FXGRAPH_VERSION_H

#define FXGRAPH_VERSION_STRING "0.1.0"

#endif // FXGRAPH_VERSION_H
