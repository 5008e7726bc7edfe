//===- main.cpp - The runtime's tests run over the mock driver ------------===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cstdlib>
#include <gtest/gtest.h>

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  for (const char *name : {"FXGRAPH_CUDA_DRIVER", "FXGRAPH_CUBLASLT", "FXGRAPH_CUDNN", "FXGRAPH_NCCL"})
    setenv(name, FXGRAPH_MOCK_LIBRARY, /*overwrite=*/1);
  for (const char *name :
       {"FXGRAPH_MOCK_LOG", "FXGRAPH_MOCK_CHIP", "FXGRAPH_MOCK_DEVICES", "FXGRAPH_MOCK_FAIL", "FXGRAPH_MOCK_VERSION"})
    unsetenv(name);
  // Tests of a missing driver run in a fresh process, before any is opened.
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  return RUN_ALL_TESTS();
}
