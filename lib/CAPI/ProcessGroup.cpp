// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of processes: those of the GPU's runtime.

#include "Internal.h"
#include "llvm/Support/JSON.h"

using namespace fxgraph;
using namespace fxgraph::capi;

static_assert(FXGRAPH_UNIQUE_ID_BYTES == FXRT_UNIQUE_ID_BYTES);

static FxrtProcessGroup *unwrap(FxGraphProcessGroup *group) { return reinterpret_cast<FxrtProcessGroup *>(group); }

/// Without the name of the runtime's function.
static void setRuntimeError() {
  StringRef text = fxrtLastError();
  setError(text.substr(text.find(": ") + 2).str());
}

int fxgraphGetUniqueId(void *id) {
  if (fxrtGetUniqueId(id) == FXRT_OK)
    return 0;
  setRuntimeError();
  return 1;
}

FxGraphProcessGroup *fxgraphProcessGroupCreate(const void *id, int rank, int size) {
  FxrtProcessGroup *group = nullptr;
  if (fxrtProcessGroupCreate(id, rank, size, &group) != FXRT_OK)
    setRuntimeError();
  return reinterpret_cast<FxGraphProcessGroup *>(group);
}

FxGraphProcessGroup *fxgraphProcessGroupWrap(void *communicator) {
  FxrtProcessGroup *group = nullptr;
  if (fxrtProcessGroupWrap(communicator, &group) != FXRT_OK)
    setRuntimeError();
  return reinterpret_cast<FxGraphProcessGroup *>(group);
}

void fxgraphProcessGroupGetInfo(FxGraphProcessGroup *group, int *rank, int *size) {
  fxrtProcessGroupGetInfo(unwrap(group), rank, size);
}

void fxgraphProcessGroupDestroy(FxGraphProcessGroup *group) { fxrtProcessGroupDestroy(unwrap(group)); }

char *fxgraphExecutableGetProcessGroups(FxGraphExecutable *executable) {
  llvm::json::Object groups;
  for (const ProcessGroupInfo &group : executable->executable->getProcessGroups())
    groups[group.name] = static_cast<int64_t>(group.size);
  return copyString(llvm::formatv("{0}", llvm::json::Value(std::move(groups))).str());
}

int fxgraphExecutableSetProcessGroup(FxGraphExecutable *executable, const char *name, FxGraphProcessGroup *group) {
  std::string error;
  if (succeeded(executable->executable->setProcessGroup(name, unwrap(group), error)))
    return 0;
  StringRef text = error;
  text.consume_front("fxrtSetProcessGroup: ");
  setError(text.str());
  return 1;
}
