// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Python module _fxgraph: handles of the C interface as Python objects. It is
// made of the C interface alone, so that it can be built by any compiler for any
// Python beside a libFxGraphCAPI.so that was built elsewhere. What is more than a
// call stands in the Python package.

#ifndef FXGRAPH_LIB_BINDINGS_PYTHON_NATIVE_H
#define FXGRAPH_LIB_BINDINGS_PYTHON_NATIVE_H

#include "fxgraph/CAPI/FxGraph.h"
#include <memory>
#include <nanobind/nanobind.h>
#include <string>

namespace fxgraph::python {

namespace nb = nanobind;

template <typename Handle, void (*destroy)(Handle *)>
struct HandleDeleter {
  /// Without the GIL: destruction waits for calls on the context, which may wait for the
  /// GIL to allocate a result.
  void operator()(Handle *handle) const {
    nb::gil_scoped_release release;
    destroy(handle);
  }
};
using ContextHandle = std::unique_ptr<FxGraphContext, HandleDeleter<FxGraphContext, fxgraphContextDestroy>>;
using ModuleHandle = std::unique_ptr<FxGraphModule, HandleDeleter<FxGraphModule, fxgraphModuleDestroy>>;
using FunctionHandle = std::unique_ptr<FxGraphFunction, HandleDeleter<FxGraphFunction, fxgraphFunctionDestroy>>;
using ExecutableHandle = std::unique_ptr<FxGraphExecutable, HandleDeleter<FxGraphExecutable, fxgraphExecutableDestroy>>;

using ProcessGroupHandle =
    std::unique_ptr<FxGraphProcessGroup, HandleDeleter<FxGraphProcessGroup, fxgraphProcessGroupDestroy>>;

struct Context {
  ContextHandle handle;
};
struct Module {
  ModuleHandle handle;
};
/// Shared: a call that is under way keeps it.
struct Executable {
  std::shared_ptr<FxGraphExecutable> handle;
};

struct ProcessGroup {
  ProcessGroupHandle handle;
};

/// Raises _fxgraph.Error with the text of fxgraphGetError.
[[noreturn]] void raiseError();
[[noreturn]] void raiseError(const std::string &text);

/// The result of a C function that allocates; raises if there is none.
std::string takeString(char *text);

/// All functions of a module as nested tuples; see Walk.cpp.
nb::list walk(Module &module);

void bindCalls(nb::module_ &m);

} // namespace fxgraph::python

#endif // FXGRAPH_LIB_BINDINGS_PYTHON_NATIVE_H
