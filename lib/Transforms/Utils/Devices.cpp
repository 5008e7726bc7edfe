// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Transforms/Utils/Devices.h"
#include "fxgraph/Dialect/IR/ShapeInference.h"
#include "fxgraph/Support/DeviceTypes.h"

using namespace fxgraph;

LogicalResult fxgraph::checkDeviceType(Location loc, StringRef type, StringRef pass) {
  if (isDeviceType(type))
    return success();
  return mlir::emitError(loc) << pass << ": expected a device type among " << listDeviceTypes() << " but got '" << type
                              << "'";
}

StringRef fxgraph::getDeviceType(Type type, StringRef defaultDevice) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "";
  StringAttr device = getDevice(tensor);
  return getDeviceType(device ? device.getValue() : defaultDevice);
}

bool fxgraph::isOnGPU(Value value, StringRef defaultDevice) {
  return isGPUType(getDeviceType(value.getType(), defaultDevice));
}
