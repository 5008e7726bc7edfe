//===- PlanBuilder.h - Launch plans for tests --------------------*- C++
//-*-===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FXGRAPH_TEST_UNIT_RUNTIME_PLANBUILDER_H
#define FXGRAPH_TEST_UNIT_RUNTIME_PLANBUILDER_H

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fxgraph {
namespace runtime {
namespace test {

using Json = nlohmann::json;

inline Json tensor(const std::string &name, const std::string &dtype, const std::vector<int64_t> &shape,
                   int64_t elementBytes) {
  int64_t bytes = elementBytes;
  for (int64_t size : shape)
    bytes *= size;
  return {{"name", name}, {"dtype", dtype}, {"shape", shape}, {"bytes", bytes}};
}

inline Json ref(const std::string &kind, int index = 0, int64_t offset = 0) {
  Json json = {{"kind", kind}, {"offset", offset}};
  if (kind != "workspace")
    json["index"] = index;
  return json;
}

inline Json emptyPlan() {
  return {{"fxgraph-plan", 1},        {"name", "test"},       {"chip", "sm_90"},       {"inputs", Json::array()},
          {"outputs", Json::array()}, {"workspace_bytes", 0}, {"steps", Json::array()}};
}

inline Json kernelStep(const std::string &name, Json args, std::vector<int> grid = {4, 1, 1},
                       std::vector<int> block = {128, 1, 1}) {
  return {{"op", "kernel"}, {"name", name}, {"grid", grid}, {"block", block}, {"args", std::move(args)}};
}

} // namespace test
} // namespace runtime
} // namespace fxgraph

#endif // FXGRAPH_TEST_UNIT_RUNTIME_PLANBUILDER_H
