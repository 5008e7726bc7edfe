// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Native.h"
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace fxgraph::python;

static PyObject *errorType = nullptr;

void fxgraph::python::raiseError() {
  std::string text = fxgraphGetError();
  raiseError(text.empty() ? "the library gave no reason" : text);
}

void fxgraph::python::raiseError(const std::string &text) {
  // Diagnostics quote what they refuse, which need not be UTF-8: names in corrupt bytecode.
  nb::object decoded = nb::steal(PyUnicode_DecodeUTF8(text.data(), text.size(), "backslashreplace"));
  if (decoded.is_valid())
    PyErr_SetObject(errorType, decoded.ptr());
  throw nb::python_error();
}

std::string fxgraph::python::takeString(char *text) {
  if (!text)
    raiseError();
  std::string result = text;
  fxgraphFreeString(text);
  return result;
}

/// Calls a C function without the GIL.
template <typename Function>
static auto released(Function function) {
  nb::gil_scoped_release release;
  return function();
}

static Module takeModule(FxGraphModule *module) {
  if (!module)
    raiseError();
  return Module{ModuleHandle(module)};
}

/// A text for a C function, which would take one with a NUL in it for the part before that.
static const char *asPointer(const std::string &text) {
  if (text.find('\0') != std::string::npos)
    raiseError("expected a text without NUL characters but got one after '" + std::string(text.c_str()) + "'");
  return text.c_str();
}

static std::vector<const char *> asPointers(const std::vector<std::string> &texts) {
  std::vector<const char *> pointers;
  for (const std::string &text : texts)
    pointers.push_back(asPointer(text));
  return pointers;
}

static nb::tuple describe(const FxTensorInfo &info, const char *kind) {
  nb::list sizes;
  for (int i = 0; i < info.rank; ++i)
    sizes.append(info.sizes[i]);
  return nb::make_tuple(info.name, kind, info.dtype, nb::tuple(sizes), static_cast<bool>(info.mutated));
}

/// ([(name, kind, FxDtype, sizes, mutated)] of inputs, the same of outputs)
static nb::tuple describe(const FxGraphInfo &info, FxGraphFunction *function) {
  nb::list inputs, outputs;
  for (int i = 0; i < info.inputCount; ++i)
    inputs.append(describe(info.inputs[i], function ? fxgraphFunctionGetKind(function, i) : ""));
  for (int i = 0; i < info.outputCount; ++i)
    outputs.append(describe(info.outputs[i], ""));
  return nb::make_tuple(inputs, outputs);
}

NB_MODULE(_fxgraph, m) {
  // Modules and executables may outlive the interpreter's own objects.
  nb::set_leak_warnings(false);
  errorType = PyErr_NewException("_fxgraph.Error", PyExc_RuntimeError, nullptr);
  m.attr("Error") = nb::handle(errorType);
  m.def("version", &fxgraphGetVersion);
  m.def("set_threads", &fxgraphSetThreads);

  nb::class_<Context>(m, "Context")
      .def("__init__",
           [](Context *self) { new (self) Context{ContextHandle(released([] { return fxgraphContextCreate(); }))}; })
      .def("has_crashed",
           [](Context &self) { return released([&] { return fxgraphContextHasCrashed(self.handle.get()); }) != 0; })
      .def("parse", [](Context &self, nb::bytes text, const std::string &name) {
        const char *place = asPointer(name);
        return takeModule(released([&] {
          return fxgraphModuleParse(self.handle.get(), static_cast<const char *>(text.data()), text.size(), place);
        }));
      });

  nb::class_<Module>(m, "Module")
      .def("clone",
           [](Module &self) { return takeModule(released([&] { return fxgraphModuleClone(self.handle.get()); })); })
      .def("print",
           [](Module &self, int flags) {
             return takeString(released([&] { return fxgraphModulePrint(self.handle.get(), flags); }));
           })
      .def("bytecode",
           [](Module &self) {
             size_t length = 0;
             char *bytes = released([&] { return fxgraphModuleBytecode(self.handle.get(), &length); });
             if (!bytes)
               raiseError();
             nb::bytes result(bytes, length);
             fxgraphFreeString(bytes);
             return result;
           })
      .def("verify",
           [](Module &self) {
             if (released([&] { return fxgraphModuleVerify(self.handle.get()); }))
               raiseError();
           })
      .def("op_counts",
           [](Module &self) { return takeString(released([&] { return fxgraphModuleOpCounts(self.handle.get()); })); })
      .def("function",
           [](Module &self, const std::string &name) {
             const char *symbol = asPointer(name);
             FunctionHandle function(released([&] { return fxgraphModuleGetFunction(self.handle.get(), symbol); }));
             if (!function)
               raiseError();
             return describe(*fxgraphFunctionGetInfo(function.get()), function.get());
           })
      .def("walk", &walk)
      .def("run_passes",
           [](Module &self, const std::string &pipeline, bool verify, bool graphs) {
             FxGraphPassOptions options = {asPointer(pipeline), verify, /*eventsApart=*/1, graphs};
             return takeString(released([&] { return fxgraphModuleRunPasses(self.handle.get(), &options); }));
           })
      .def(
          "take_events",
          [](Module &self) { return takeString(released([&] { return fxgraphModuleTakeEvents(self.handle.get()); })); })
      .def("compile",
           [](Module &self, const std::string &target, const std::string &entry,
              const std::vector<std::string> &settings, uint64_t seed) {
             std::vector<const char *> pointers = asPointers(settings);
             FxGraphCompileOptions options = {
                 asPointer(target), asPointer(entry), pointers.data(), static_cast<int>(pointers.size()), seed, 0};
             FxGraphExecutable *executable =
                 released([&] { return fxgraphModuleCompile(self.handle.get(), &options); });
             if (!executable)
               raiseError();
             return Executable{ExecutableHandle(executable)};
           })
      .def("save_artefact", [](Module &self, const std::string &entry, const std::string &form, const std::string &path,
                               const std::vector<std::string> &settings) {
        std::vector<const char *> pointers = asPointers(settings);
        const char *texts[] = {asPointer(entry), asPointer(form), asPointer(path)};
        int failed = released([&] {
          return fxgraphModuleSaveArtefact(self.handle.get(), texts[0], texts[1], texts[2], pointers.data(),
                                           pointers.size());
        });
        if (failed)
          raiseError();
      });

  nb::class_<Executable>(m, "Executable")
      .def_static("load",
                  [](const std::string &path) {
                    const char *file = asPointer(path);
                    FxGraphExecutable *executable = released([&] { return fxgraphExecutableLoad(file); });
                    if (!executable)
                      raiseError();
                    return Executable{ExecutableHandle(executable)};
                  })
      .def("signature",
           [](Executable &self) { return describe(*fxgraphExecutableGetInfo(self.handle.get()), nullptr); })
      .def("workspace_bytes",
           [](Executable &self) { return fxgraphExecutableGetWorkspaceBytes(self.handle.get()); })
      .def("on_device", [](Executable &self) { return fxgraphExecutableIsOnDevice(self.handle.get()) != 0; })
      .def("process_groups",
           [](Executable &self) { return takeString(fxgraphExecutableGetProcessGroups(self.handle.get())); })
      .def("set_process_group", [](Executable &self, const std::string &name, ProcessGroup &group) {
        if (fxgraphExecutableSetProcessGroup(self.handle.get(), asPointer(name), group.handle.get()))
          raiseError();
      });

  // Other threads may be the other processes that these wait for: the GIL is released.
  nb::class_<ProcessGroup>(m, "ProcessGroup")
      .def_static("unique_id",
                  [] {
                    char id[FXGRAPH_UNIQUE_ID_BYTES];
                    if (released([&] { return fxgraphGetUniqueId(id); }))
                      raiseError();
                    return nb::bytes(id, sizeof(id));
                  })
      .def_static("create",
                  [](nb::bytes id, int rank, int size) {
                    if (id.size() != FXGRAPH_UNIQUE_ID_BYTES)
                      raiseError("expected an id of " + std::to_string(FXGRAPH_UNIQUE_ID_BYTES) + " bytes but got " +
                                 std::to_string(id.size()));
                    const char *bytes = id.c_str();
                    FxGraphProcessGroup *group = released([&] { return fxgraphProcessGroupCreate(bytes, rank, size); });
                    if (!group)
                      raiseError();
                    return ProcessGroup{ProcessGroupHandle(group)};
                  })
      .def_static("wrap",
                  [](uintptr_t communicator) {
                    FxGraphProcessGroup *group =
                        released([&] { return fxgraphProcessGroupWrap(reinterpret_cast<void *>(communicator)); });
                    if (!group)
                      raiseError();
                    return ProcessGroup{ProcessGroupHandle(group)};
                  })
      .def("info", [](ProcessGroup &self) {
        int rank = 0, size = 0;
        fxgraphProcessGroupGetInfo(self.handle.get(), &rank, &size);
        return nb::make_tuple(rank, size);
      });

  bindCalls(m);
}
