//===- MockFixture.h - Tests over the mock driver ----------------*- C++
//-*-===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every test gets a log of its own, the mock's hooks, and a check that whatever
// it made was released.
//
//===----------------------------------------------------------------------===//

#ifndef FXGRAPH_TEST_UNIT_RUNTIME_MOCKFIXTURE_H
#define FXGRAPH_TEST_UNIT_RUNTIME_MOCKFIXTURE_H

#include "MockState.h"
#include "PlanBuilder.h"
#include "fxgraph/Runtime/FxGraphRuntime.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace fxgraph {
namespace runtime {
namespace test {

class MockTest : public testing::Test {
protected:
  void SetUp() override {
    char path[] = "/tmp/fxgraph-mock-XXXXXX";
    int file = mkstemp(path);
    ASSERT_GE(file, 0);
    close(file);
    logPath = path;
    setenv("FXGRAPH_MOCK_LOG", path, 1);
    mockLibrary = dlopen(FXGRAPH_MOCK_LIBRARY, RTLD_NOW);
    ASSERT_NE(mockLibrary, nullptr) << dlerror();
    liveBefore = liveObjects();
  }

  void TearDown() override {
    unsetenv("FXGRAPH_MOCK_FAIL");
    unsetenv("FXGRAPH_MOCK_CHIP");
    for (FxrtGraph *graph : graphs)
      EXPECT_EQ(fxrtDestroy(graph), FXRT_OK);
    for (void *pointer : pointers)
      EXPECT_EQ(fxrtFree(pointer), FXRT_OK);
    for (const std::string &name : registered)
      registerKernel(name.c_str(), nullptr, nullptr);
    unsetenv("FXGRAPH_MOCK_LOG");
    std::remove(logPath.c_str());
    if (!mockLibrary)
      return; // SetUp has said why.
    EXPECT_EQ(liveObjects(), liveBefore) << "something was not released";
  }

  int liveObjects() { return reinterpret_cast<int (*)()>(dlsym(mockLibrary, "fxgraphMockLiveObjects"))(); }

  void registerKernel(const char *name, FxGraphMockKernel body, void *user) {
    reinterpret_cast<void (*)(const char *, FxGraphMockKernel, void *)>(
        dlsym(mockLibrary, "fxgraphMockRegisterKernel"))(name, body, user);
    if (body)
      registered.push_back(name);
  }

  int tryLoad(const Json &plan, FxrtGraph **graph, const char *image = nullptr, const std::string &constants = "") {
    std::string text = plan.dump();
    int status =
        fxrtLoad(text.data(), text.size(), image, image ? strlen(image) : 0, constants.data(), constants.size(), graph);
    if (status == FXRT_OK)
      graphs.push_back(*graph);
    return status;
  }

  FxrtGraph *load(const Json &plan, const char *image = nullptr, const std::string &constants = "") {
    FxrtGraph *graph = nullptr;
    EXPECT_EQ(tryLoad(plan, &graph, image, constants), FXRT_OK) << fxrtLastError();
    return graph;
  }

  /// Forgets a graph that the test destroys itself.
  void release(FxrtGraph *graph) { graphs.erase(std::find(graphs.begin(), graphs.end(), graph)); }

  void *allocate(size_t bytes) {
    void *pointer = nullptr;
    EXPECT_EQ(fxrtMalloc(&pointer, bytes), FXRT_OK) << fxrtLastError();
    if (pointer)
      pointers.push_back(pointer);
    return pointer;
  }

  template <class T>
  void *upload(const std::vector<T> &values) {
    void *pointer = allocate(values.size() * sizeof(T));
    EXPECT_EQ(fxrtCopyToDevice(pointer, values.data(), values.size() * sizeof(T), nullptr), FXRT_OK) << fxrtLastError();
    return pointer;
  }

  template <class T>
  std::vector<T> download(const void *pointer, size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(fxrtCopyToHost(values.data(), pointer, count * sizeof(T), nullptr), FXRT_OK) << fxrtLastError();
    return values;
  }

  /// The log's lines that begin with one of `kinds` (all where empty).
  std::vector<std::string> getLog(std::vector<std::string> kinds = {}) {
    std::vector<std::string> lines;
    std::ifstream file(logPath);
    for (std::string line; std::getline(file, line);)
      for (const std::string &kind : kinds.empty() ? std::vector<std::string>{""} : kinds)
        if (line.compare(0, kind.size(), kind) == 0) {
          lines.push_back(line);
          break;
        }
    return lines;
  }

  void clearLog() { std::ofstream(logPath, std::ios::trunc); }

  std::string logPath;
  void *mockLibrary = nullptr;
  int liveBefore = 0;
  std::vector<FxrtGraph *> graphs;
  std::vector<void *> pointers;
  std::vector<std::string> registered;
};

#define EXPECT_FAILS(call, status, message)                                                                            \
  do {                                                                                                                 \
    EXPECT_EQ(call, status) << fxrtLastError();                                                                        \
    EXPECT_STREQ(fxrtLastError(), message);                                                                            \
  } while (false)

#define EXPECT_FAILS_WITH(call, status, part)                                                                          \
  do {                                                                                                                 \
    EXPECT_EQ(call, status) << fxrtLastError();                                                                        \
    EXPECT_NE(std::string(fxrtLastError()).find(part), std::string::npos) << fxrtLastError();                          \
  } while (false)

} // namespace test
} // namespace runtime
} // namespace fxgraph

#endif // FXGRAPH_TEST_UNIT_RUNTIME_MOCKFIXTURE_H
