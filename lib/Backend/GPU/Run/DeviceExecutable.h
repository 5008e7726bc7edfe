// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_LIB_BACKEND_GPU_RUN_DEVICEEXECUTABLE_H
#define FXGRAPH_LIB_BACKEND_GPU_RUN_DEVICEEXECUTABLE_H

#include "fxgraph/Backend/Executable.h"

namespace fxgraph::gpu {

/// Whose tensors live on the device. Those of an emulated graph live on the host: run()
/// moves them.
class DeviceExecutable : public Executable {
public:
  explicit DeviceExecutable(bool isEmulated) : isEmulated(isEmulated) {}
  bool isOnDevice() const override { return !isEmulated; }
  void *allocateMemory(int64_t bytes) override;
  void freeMemory(void *memory) override;
  LogicalResult copyIn(void *memory, const void *host, int64_t bytes, std::string &error) override;
  LogicalResult copyOut(void *host, const void *memory, int64_t bytes, std::string &error) override;

protected:
  bool isEmulated;
};

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_RUN_DEVICEEXECUTABLE_H
