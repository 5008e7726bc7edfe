// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of an executable with torch tensors: their memory is described, never copied.
//
// A tensor is described through the table of functions that its class offers
// (`__dlpack_c_exchange_api__`, some 50 ns), or else through its Python attributes.
// Results are allocated by torch.empty (torch.empty_strided where they do not lie
// row-major), those of extents that the arguments do not tell from inside the run. The
// GIL is released while the graph runs.

#include "Native.h"
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <cstring>

using namespace fxgraph::python;

namespace {

/// The framework's objects that a call needs.
struct Torch {
  nb::object tensorType, empty, emptyStrided, dtypes; ///< dtypes: FxDtype -> torch.dtype
  nb::object makeTensor;                ///< (object, FxDtype, device) -> tensor, or TypeError with what was expected
  const DLPackExchangeAPI *api = nullptr;
  nb::object dtypeNumbers; ///< torch.dtype -> FxDtype, for the way without the table
};

/// Text of what a tensor is, for messages.
std::string describe(nb::handle object) {
  nb::object shape;
  try {
    shape = nb::list(object.attr("shape"));
  } catch (nb::python_error &) {
    shape = nb::str("that it does not tell"); // a nested tensor's
  }
  nb::str format("{} of shape {} and layout {} on {}");
  return nb::cast<std::string>(format.attr("format")(object.attr("dtype"), shape, object.attr("layout"), object.attr("device")));
}

/// One executable with its weights bound, called with the inputs alone.
class Call {
public:
  Call(Executable executable, std::vector<int> inputPositions, nb::list weights, nb::object torchTypes, bool useTable);
  nb::list run(nb::sequence inputs);
  /// A fresh tensor for a result or for the workspace.
  nb::object allocate(int output, const FxTensorDesc &needed, int32_t device) const;

private:
  /// Describes an argument; returns the tensor whose memory that is: the argument, or a
  /// copy where the executable cannot take it as it is.
  nb::object describeArgument(nb::object object, int position, FxTensorDesc &to, int32_t &device) const;
  void describeTensor(nb::handle object, int position, FxTensorDesc &to, int32_t &device) const;
  /// The tensor of a number (or an array) among the inputs.
  nb::object makeTensor(nb::handle object, int position, int32_t device) const;
  nb::object getDevice(int32_t device) const;
  void describeByAttributes(nb::handle object, FxTensorDesc &to, int32_t &deviceType, int32_t &device) const;
  [[noreturn]] void refuse(int position, const std::string &expected, nb::handle object, const std::string &reason = "") const;

  std::shared_ptr<FxGraphExecutable> executable;
  const FxGraphInfo *info;
  bool onDevice;
  /// For results of known extents: what torch.empty is called with on the CPU.
  std::vector<nb::object> shapes, resultDtypes;
  nb::object cpu = nb::str("cpu");
  std::vector<int> inputPositions;
  /// Descriptions of all arguments; those of the weights are filled in.
  std::vector<FxTensorDesc> arguments;
  /// Keeps the weights' memory.
  nb::list weights;
  Torch torch;
  int32_t weightDevice = -1;
};

/// What the run's allocations need, and what they made.
struct Allocation {
  const Call &call;
  int32_t device;
  std::vector<nb::object> results;
  nb::object workspace;
  bool failed = false;

  /// FxRunOptions.allocate.
  static void *allocate(void *user, int output, const FxTensorDesc *needed);
};

} // namespace

void *Allocation::allocate(void *user, int output, const FxTensorDesc *needed) {
  auto *self = static_cast<Allocation *>(user);
  nb::gil_scoped_acquire acquire;
  try {
    nb::object tensor = self->call.allocate(output, *needed, self->device);
    void *address = reinterpret_cast<void *>(nb::cast<uintptr_t>(tensor.attr("data_ptr")()));
    (output < 0 ? self->workspace : self->results[output]) = std::move(tensor);
    return address;
  } catch (nb::python_error &error) {
    // Raised once the run has come back.
    error.restore();
    self->failed = true;
    return nullptr;
  }
}

/// True if the strides are those of row-major order.
static bool isRowMajor(const FxTensorDesc &tensor) {
  int64_t expected = 1;
  for (int i = tensor.rank - 1; i >= 0; --i) {
    if (tensor.sizes[i] == 0)
      return true;
    if (tensor.sizes[i] != 1 && tensor.strides[i] != expected)
      return false;
    expected *= tensor.sizes[i];
  }
  return true;
}

/// True if the strides are the ones that are taken.
static bool hasStrides(const FxTensorDesc &tensor, const FxTensorInfo &expected) {
  if (tensor.rank != expected.rank)
    return false;
  bool isEmpty = false, areEqual = true;
  for (int i = 0; i < tensor.rank; ++i) {
    isEmpty |= tensor.sizes[i] == 0;
    areEqual &= tensor.sizes[i] == 1 || tensor.strides[i] == expected.strides[i];
  }
  return isEmpty || areEqual;
}

/// A view whose elements are negated when they are read: its memory has the others.
static bool isNegated(nb::handle tensor) {
  static PyObject *name = PyUnicode_InternFromString("is_neg");
  PyObject *arguments[] = {nullptr, tensor.ptr()};
  PyObject *result = PyObject_VectorcallMethod(name, arguments + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
  if (!result)
    throw nb::python_error();
  bool negated = result == Py_True;
  Py_DECREF(result);
  return negated;
}

Call::Call(Executable executableIn, std::vector<int> positions, nb::list weightPairs, nb::object torchTypes, bool useTable)
    : executable(std::move(executableIn.handle)), info(fxgraphExecutableGetInfo(executable.get())),
      onDevice(fxgraphExecutableIsOnDevice(executable.get())), inputPositions(std::move(positions)),
      arguments(info->inputCount) {
  torch.tensorType = torchTypes.attr("Tensor");
  torch.empty = torchTypes.attr("empty");
  torch.emptyStrided = torchTypes.attr("empty_strided");
  torch.dtypes = torchTypes.attr("dtypes");
  torch.makeTensor = torchTypes.attr("make_tensor");
  torch.dtypeNumbers = torchTypes.attr("dtype_numbers");
  nb::object capsule = useTable ? nb::getattr(torch.tensorType, "__dlpack_c_exchange_api__", nb::none()) : nb::none();
  if (!capsule.is_none()) {
    auto *api = static_cast<const DLPackExchangeAPI *>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
    if (!api)
      throw nb::python_error();
    if (api->header.version.major == 1 && api->dltensor_from_py_object_no_sync)
      torch.api = api;
  }
  for (int i = 0; i < info->outputCount; ++i) {
    const FxTensorInfo &output = info->outputs[i];
    nb::list sizes;
    bool isStatic = true;
    for (int j = 0; j < output.rank; ++j) {
      isStatic &= output.sizes[j] >= 0;
      sizes.append(output.sizes[j]);
    }
    shapes.push_back(isStatic ? nb::object(nb::tuple(sizes)) : nb::none());
    resultDtypes.push_back(torch.dtypes[nb::int_(output.dtype)]);
  }
  for (nb::handle pair : weightPairs) {
    int position = nb::cast<int>(pair[0]);
    nb::object tensor = nb::borrow(pair[1]);
    nb::object taken = describeArgument(tensor, position, arguments[position], weightDevice);
    if (info->inputs[position].mutated && !taken.is(tensor))
      refuse(position, "a row-major, aligned tensor, as the graph writes it,", tensor);
    weights.append(taken);
  }
}

void Call::refuse(int position, const std::string &expected, nb::handle object, const std::string &reason) const {
  std::string text = "input " + std::to_string(position) + " ('" + info->inputs[position].name + "'): expected " + expected + " but got " + describe(object);
  if (!reason.empty())
    text += ": " + reason.substr(0, reason.find('\n'));
  throw nb::value_error(text.c_str());
}

void Call::describeByAttributes(nb::handle object, FxTensorDesc &to, int32_t &deviceType, int32_t &device) const {
  nb::object number = torch.dtypeNumbers.attr("get")(object.attr("dtype"), 0);
  to.dtype = nb::cast<int>(number);
  nb::object where = object.attr("device");
  std::string kind = nb::cast<std::string>(where.attr("type"));
  deviceType = kind == "cpu" ? kDLCPU : kind == "cuda" ? kDLCUDA : 0;
  nb::object index = where.attr("index");
  device = index.is_none() ? 0 : nb::cast<int>(index);
  nb::object shape = object.attr("shape"), strides = object.attr("stride")();
  to.rank = nb::len(shape);
  if (to.rank > FX_MAX_RANK)
    to.dtype = 0;
  for (int i = 0; i < to.rank && to.dtype; ++i) {
    to.sizes[i] = nb::cast<int64_t>(shape[i]);
    to.strides[i] = nb::cast<int64_t>(strides[i]);
  }
  to.data = reinterpret_cast<void *>(nb::cast<uintptr_t>(object.attr("data_ptr")()));
}

void Call::describeTensor(nb::handle object, int position, FxTensorDesc &to, int32_t &device) const {
  int32_t deviceType = 0, deviceId = 0;
  if (torch.api) {
    DLTensor tensor;
    if (torch.api->dltensor_from_py_object_no_sync(object.ptr(), &tensor)) {
      // Sparse, without data, conjugated lazily, …: PyTorch says which.
      nb::python_error error;
      refuse(position, "a dense tensor with data", object, nb::cast<std::string>(nb::str(error.value())));
    }
    if (fxgraphTensorFromDLPack(&tensor, &to))
      to.dtype = 0;
    deviceType = tensor.device.device_type;
    deviceId = tensor.device.device_id;
  } else {
    describeByAttributes(object, to, deviceType, deviceId);
  }
  if (!to.dtype)
    refuse(position, "a tensor of numbers of up to " + std::to_string(FX_MAX_RANK) + " dimensions", object);
  if (deviceType != (onDevice ? kDLCUDA : kDLCPU))
    refuse(position, onDevice ? "a tensor on a GPU" : "a tensor on the CPU", object);
  if (device < 0)
    device = deviceId;
  else if (onDevice && device != deviceId)
    refuse(position, "all tensors on cuda:" + std::to_string(device), object);
}

nb::object Call::describeArgument(nb::object object, int position, FxTensorDesc &to, int32_t &device) const {
  const FxTensorInfo &expected = info->inputs[position];
  bool negated = isNegated(object);
  describeTensor(object, position, to, device);
  bool liesRight = expected.strides ? hasStrides(to, expected) : !expected.rowMajor || isRowMajor(to);
  bool aligned = expected.align <= 1 || reinterpret_cast<uintptr_t>(to.data) % expected.align == 0;
  if (liesRight && aligned && !negated)
    return object;
  nb::object dense = object.attr("resolve_neg")();
  if (expected.strides && to.rank == expected.rank && !expected.rowMajor) {
    nb::list strides;
    for (int i = 0; i < expected.rank; ++i)
      strides.append(expected.strides[i]);
    dense = dense.attr("detach")().attr("new_empty_strided")(object.attr("shape"), strides).attr("copy_")(dense);
  } else {
    dense = dense.attr("contiguous")();
    if (dense.is(object))
      dense = object.attr("clone")();
  }
  describeTensor(dense, position, to, device);
  return dense;
}

nb::object Call::allocate(int output, const FxTensorDesc &needed, int32_t device) const {
  nb::object shape = output >= 0 ? shapes[output] : nb::none();
  if (shape.is_none()) {
    nb::list sizes;
    for (int i = 0; i < needed.rank; ++i)
      sizes.append(needed.sizes[i]);
    shape = sizes;
  }
  nb::object dtype = output >= 0 ? resultDtypes[output] : nb::object(torch.dtypes[nb::int_(needed.dtype)]);
  if (!isRowMajor(needed)) {
    nb::list strides;
    for (int i = 0; i < needed.rank; ++i)
      strides.append(needed.strides[i]);
    return torch.emptyStrided(shape, strides, nb::arg("dtype") = dtype, nb::arg("device") = getDevice(device));
  }
  return torch.empty(shape, nb::arg("dtype") = dtype, nb::arg("device") = getDevice(device));
}

nb::object Call::getDevice(int32_t device) const {
  return onDevice ? nb::object(nb::str(("cuda:" + std::to_string(device < 0 ? 0 : device)).c_str())) : cpu;
}

nb::object Call::makeTensor(nb::handle object, int position, int32_t device) const {
  const FxTensorInfo &expected = info->inputs[position];
  try {
    return torch.makeTensor(object, expected.dtype, getDevice(device));
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_TypeError))
      throw;
    throw nb::type_error(("input " + std::to_string(position) + " ('" + expected.name + "'): " + nb::cast<std::string>(nb::str(error.value()))).c_str());
  }
}

nb::list Call::run(nb::sequence inputs) {
  size_t count = nb::len(inputs);
  if (count != inputPositions.size())
    throw nb::value_error(("expected " + std::to_string(inputPositions.size()) + " inputs but got " + std::to_string(count)).c_str());
  std::vector<FxTensorDesc> in = arguments;
  int32_t device = weightDevice;
  // Copies of arguments, and those that go back because the graph writes them.
  std::vector<nb::object> kept;
  std::vector<std::pair<nb::object, nb::object>> copies;
  for (size_t i = 0; i < count; ++i) {
    int position = inputPositions[i];
    nb::object object = inputs[i];
    if (!PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject *>(torch.tensorType.ptr())))
      object = makeTensor(object, position, device);
    nb::object taken = describeArgument(object, position, in[position], device);
    if (!taken.is(object)) {
      if (info->inputs[position].mutated)
        copies.emplace_back(object, taken);
      kept.push_back(std::move(taken));
    }
    kept.push_back(std::move(object));
  }
  Allocation allocation{*this, device, std::vector<nb::object>(info->outputCount), nb::object()};
  std::vector<FxTensorDesc> out(info->outputCount, FxTensorDesc{});
  FxRunOptions options = {Allocation::allocate, &allocation, nullptr};
  if (onDevice && torch.api && torch.api->current_work_stream &&
      torch.api->current_work_stream(kDLCUDA, device < 0 ? 0 : device, &options.stream))
    throw nb::python_error();
  int status;
  {
    nb::gil_scoped_release release;
    status = fxgraphExecutableRun(executable.get(), in.data(), in.size(), out.data(), out.size(), &options);
  }
  if (allocation.failed)
    throw nb::python_error();
  if (status != FX_OK)
    raiseError();
  for (auto &[original, dense] : copies)
    original.attr("detach")().attr("copy_")(dense);
  nb::list results;
  for (nb::object &result : allocation.results)
    results.append(result);
  return results;
}

void fxgraph::python::bindCalls(nb::module_ &m) {
  nb::class_<Call>(m, "Call")
      .def(nb::init<Executable, std::vector<int>, nb::list, nb::object, bool>(), nb::arg("executable"), nb::arg("positions"), nb::arg("weights"),
           nb::arg("torch"), nb::arg("use_table") = true)
      .def("__call__", &Call::run);
}
