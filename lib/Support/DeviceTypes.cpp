// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: c10/core/DeviceType.h; a test compares the list with torch.device's.

#include "fxgraph/Support/DeviceTypes.h"
#include "llvm/ADT/StringExtras.h"

using namespace fxgraph;

static constexpr StringRef kExtension = "privateuseone";

static constexpr StringRef kTypes[] = {"cpu",    "cuda", "ipu",  "xpu",  "mkldnn", "opengl",  "opencl",
                                       "ideep",  "hip",  "ve",   "fpga", "maia",   "xla",     "lazy",
                                       "vulkan", "mps",  "meta", "hpu",  "mtia",   kExtension};

bool fxgraph::isDeviceType(StringRef name) { return llvm::is_contained(kTypes, name); }

StringRef fxgraph::getDeviceType(StringRef device) {
  StringRef type = device.split(':').first;
  return isDeviceType(type) ? type : kExtension;
}

bool fxgraph::isGPUType(StringRef type) { return type == "cuda" || type == "xpu" || type == "mps" || type == "mtia"; }

std::string fxgraph::listDeviceTypes() { return llvm::join(ArrayRef<StringRef>(kTypes), ", "); }
