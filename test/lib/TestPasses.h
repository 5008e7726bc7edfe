// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that exist for the tests alone; fx-opt registers them, the plugin does not.

#ifndef FXGRAPH_TEST_LIB_TESTPASSES_H
#define FXGRAPH_TEST_LIB_TESTPASSES_H

namespace fxgraph {
void registerTestPasses();
} // namespace fxgraph

#endif // FXGRAPH_TEST_LIB_TESTPASSES_H
