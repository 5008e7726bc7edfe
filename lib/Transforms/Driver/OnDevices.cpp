// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fxgraph-on-devices: passes for graphs on some devices only.

#include "NestedPipeline.h"
#include "fxgraph/Dialect/IR/FxGraphOps.h"
#include "fxgraph/Support/DeviceTypes.h"
#include "fxgraph/Transforms/Driver/Passes.h"

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
    for (StringRef type : llvm::concat<const OptionText>(devices, llvm::ArrayRef<OptionText>(defaultDevice))) {
      if (isDeviceType(type))
        continue;
      getOperation()->emitError("fxgraph-on-devices: expected a device type among ")
          << listDeviceTypes() << " but got '" << type << "'";
      return signalPassFailure();
    }
    bool applies = llvm::any_of(getOperation().getArgumentTypes(), [&](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        return false;
      auto meta = mlir::dyn_cast_or_null<MetaAttr>(tensor.getEncoding());
      StringRef device(defaultDevice);
      if (meta && meta.getDevice())
        device = meta.getDevice().getValue();
      StringRef kind = getDeviceType(device);
      return llvm::any_of(devices, [&](StringRef wanted) { return wanted == kind; });
    });
    if (applies && failed(runPipeline(pipeline.get(), getOperation())))
      signalPassFailure();
  }
};
} // namespace
