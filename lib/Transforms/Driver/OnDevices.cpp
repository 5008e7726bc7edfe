// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-on-devices: passes for graphs on some devices only.

#include "NestedPipeline.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Transforms/Driver/Passes.h"
#include "fxgraph/Transforms/Utils/Devices.h"

namespace fxgraph {
#define GEN_PASS_DEF_ONDEVICESPASS
#include "fxgraph/Transforms/Driver/Passes.h.inc"
} // namespace fxgraph

using namespace fxgraph;

namespace {
struct OnDevicesPass : public PassWithPipeline<impl::OnDevicesPassBase<OnDevicesPass>> {
  using Base::Base;

  void runOnOperation() override {
    if (devices.empty()) {
      getOperation()->emitError("fxgraph-on-devices: expected devices=TYPE,… but got none");
      return signalPassFailure();
    }
    for (StringRef type : devices)
      if (failed(checkDeviceType(getOperation().getLoc(), type, getArgument())))
        return signalPassFailure();
    if (failed(checkDeviceType(getOperation().getLoc(), defaultDevice, getArgument())))
      return signalPassFailure();
    bool applies = llvm::any_of(getOperation().getArgumentTypes(), [&](Type type) {
      StringRef kind = getDeviceType(type, defaultDevice);
      return llvm::any_of(devices, [&](StringRef wanted) { return wanted == kind; });
    });
    if (applies && failed(runPipeline(pipeline.get(), getOperation())))
      signalPassFailure();
  }
};
} // namespace
