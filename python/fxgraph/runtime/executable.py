# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled graphs, and their calls with torch tensors."""

import dataclasses
import json
import os

from ..errors import FxGraphError, ToolError
from ..outputs import restore
from .library import native, tool_errors
from .process_group import ProcessGroup

TARGETS = ("ref", "cpu", "gpu", "gpu-emulator")

# FxDtype (include/fxgraph/Runtime/Tensor.h): MLIR's name and torch's.
DTYPES = {
    1: ("f32", "float32"), 2: ("f64", "float64"), 3: ("f16", "float16"), 4: ("bf16", "bfloat16"), 5: ("i8", "int8"), 6: ("i16", "int16"),
    7: ("i32", "int32"), 8: ("i64", "int64"), 9: ("ui8", "uint8"), 10: ("i1", "bool"), 11: ("ui16", "uint16"), 12: ("ui32", "uint32"),
    13: ("ui64", "uint64"), 14: ("f8E4M3FN", "float8_e4m3fn"), 15: ("f8E5M2", "float8_e5m2"), 16: ("f8E4M3FNUZ", "float8_e4m3fnuz"),
    17: ("f8E5M2FNUZ", "float8_e5m2fnuz"), 18: ("f8E8M0FNU", "float8_e8m0fnu")}


@dataclasses.dataclass(frozen=True)
class TensorInfo:
    """What a graph expects or gives.

    kind   of an argument: "input", "parameter", "buffer", "constant"; "" where it is not known
    dtype  MLIR's name: "f32", "bf16", "i64", "i1", …
    shape  extents; None where any fits, "s0", "s1", … where equal names are equal extents
    """

    name: str
    kind: str
    dtype: str
    shape: tuple
    mutated: bool = False


def _tensor_info(entry):
    name, kind, dtype, sizes, mutated = entry
    return TensorInfo(name, kind, DTYPES[dtype][0], tuple(s if s >= 0 else None if s == -1 else f"s{-2 - s}" for s in sizes), mutated)


def _torch_types():
    """What a call needs of torch."""
    import torch

    class Torch:
        Tensor, empty, empty_strided = torch.Tensor, torch.empty, torch.empty_strided
        dtypes = {number: getattr(torch, name) for number, (_, name) in DTYPES.items() if hasattr(torch, name)}
        dtype_numbers = {dtype: number for number, dtype in dtypes.items()}

        @staticmethod
        def make_tensor(value, dtype, device):
            """The tensor of a number for an argument of this dtype; arrays have their own."""
            wanted = Torch.dtypes[dtype]
            try:
                tensor = torch.as_tensor(value, device=device)
                if hasattr(value, "dtype"):
                    return tensor
                # A float is no integer, an integer no bool, 300 no uint8.
                if torch.can_cast(tensor.dtype, wanted):
                    return torch.as_tensor(value, dtype=wanted, device=device)
            except (TypeError, RuntimeError, ValueError, OverflowError):
                pass
            if any(stride < 0 for stride in getattr(value, "strides", None) or ()):
                raise TypeError(f"expected an array without negative strides but got strides {value.strides}; a copy has none")
            got = repr(value) if isinstance(value, (int, float, complex)) else type(value).__name__
            raise TypeError(f"expected a tensor or a number for {wanted} but got {got}")

    return Torch


def _sharing(outputs, names, weights):
    """The Sharing of a captured function's outputs, if there is anything to do."""
    if getattr(outputs, "capture", None) is None:
        return None
    from .sharing import Sharing
    return Sharing(outputs.capture, names, weights) or None


class Executable:
    """A compiled graph: called with the inputs it returns PyTorch's flat outputs.

    Inputs are tensors (Python numbers for rank-0 ones, complex ones for their real and
    imaginary parts in a last dim of 2), in order or by name; they are
    read and, where the graph writes them, written in place: nothing is copied that has
    a form the target takes. Results are fresh tensors, row-major but where a GPU's
    kernels leave them in the order of dimensions that PyTorch's have, but for those that PyTorch gives as an argument, as a view of one, or as one tensor twice. May be
    called by several threads at once; the GIL is released meanwhile.

    signature        (arguments, results) as TensorInfo, weights among the arguments
    inputs           names of the arguments that the caller passes
    workspace_bytes  memory for intermediate values of one run
    """

    def __init__(self, handle, weights=None, inputs=None, outputs=None, signature=None):
        self.handle = handle
        # A module's function also says which kind each argument is.
        arguments, results = signature or handle.signature()
        self.signature = [_tensor_info(entry) for entry in arguments], [_tensor_info(entry) for entry in results]
        names = [info.name for info in self.signature[0]]
        weights = weights or {}
        self.inputs = [name for name in names if name not in weights] if inputs is None else list(inputs)
        positions = {name: position for position, name in enumerate(names)}
        missing = [name for name in names if name not in weights and name not in self.inputs]
        if missing:
            raise FxGraphError(f"expected a weight or an input named {missing[0]}")
        self.outputs = outputs
        # The graph may need fewer inputs than its caller passes (passes drop arguments of a part).
        self.taken = [i for i, name in enumerate(self.inputs) if name in positions]
        bound = [(positions[name], tensor.detach()) for name, tensor in weights.items() if name in positions and name not in self.inputs]
        self._sharing = _sharing(outputs, self.inputs, weights)
        self._plain = self._sharing is None and (outputs is None or list(outputs) == list(range(len(results))))
        self._all = len(self.taken) == len(self.inputs)
        # Real and imaginary parts, for which a call may pass a complex tensor.
        self._pairs = [(at, len(info.shape)) for at, i in enumerate(self.taken) for info in [self.signature[0][positions[self.inputs[i]]]]
                       if info.dtype in ("f32", "f64") and info.shape[-1:] == (2,)]
        self._call = _errors(native().Call, handle, [positions[self.inputs[i]] for i in self.taken], bound, _torch_types())

    @property
    def workspace_bytes(self):
        return self.handle.workspace_bytes()

    @property
    def on_device(self):
        """True if tensors must be on a GPU."""
        return self.handle.on_device()

    @property
    def process_groups(self):
        """The groups that the graph's collectives name: {name: number of processes, None where any is right}."""
        return {name: size or None for name, size in json.loads(self.handle.process_groups()).items()}

    def set_process_group(self, name, group=None):
        """What a graph on a GPU communicates with in the group of this name; all of them are set before the graph is called.

        `group` is a ProcessGroup, or one of torch.distributed's, for which a communicator is made (all its processes call this);
        None is PyTorch's of the same name. Processes call graphs that share a group in one order.
        """
        if not isinstance(group, ProcessGroup):
            group = ProcessGroup.from_torch(name if group is None else group)
        with tool_errors():
            self.handle.set_process_group(name, group.handle)

    def __call__(self, *inputs, **named):
        if named:
            inputs = self._by_name(inputs, named)
        if len(inputs) != len(self.inputs):
            raise FxGraphError(f"expected {len(self.inputs)} inputs ({', '.join(self.inputs)}) but got {len(inputs)}")
        given, copies = inputs if self._all else [inputs[i] for i in self.taken], ()
        if self._pairs:
            given, copies = _with_pairs(given, self._pairs)
        try:
            results = self._call(given)
            for value, copy in copies:
                value.copy_(copy)
        except (TypeError, ValueError, native().Error) as error:
            raise _translated(error) from None
        if self._plain:
            return results
        flat = restore(self.outputs, results)
        return self._sharing.apply(flat, inputs) if self._sharing else flat

    def _by_name(self, inputs, named):
        given = dict(zip(self.inputs, inputs))
        unknown = sorted(set(named) - set(self.inputs))
        if unknown:
            raise FxGraphError(f"expected inputs among {', '.join(self.inputs)} but got {', '.join(unknown)}")
        twice = sorted(set(named) & set(given))
        if twice:
            raise FxGraphError(f"expected each input once but got {', '.join(twice)} twice")
        given.update(named)
        missing = [name for name in self.inputs if name not in given]
        if missing:
            raise FxGraphError(f"expected an input named {missing[0]}")
        return [given[name] for name in self.inputs]

    def __repr__(self):
        return f"<fxgraph.Executable: {len(self.inputs)} inputs, {len(self.signature[1])} results>"


def _with_pairs(inputs, places):
    """(the inputs with the real and imaginary parts of complex ones, [(input, copy of it)] of those that are conjugated lazily)."""
    import torch
    inputs, copies = list(inputs), []
    for at, rank in places:
        value = inputs[at]
        if isinstance(value, complex) or getattr(getattr(value, "dtype", None), "kind", None) == "c":
            value = torch.as_tensor(value)  # a number, or an array of NumPy's
        if isinstance(value, torch.Tensor) and value.is_complex() and value.dim() == rank - 1:
            with torch.no_grad():
                resolved = value.resolve_conj()
                inputs[at] = torch.view_as_real(resolved)
            if resolved is not value:
                copies.append((value.detach(), resolved))
    return inputs, copies


def load_executable(path):
    """A stored artefact (Module.save_artefact): a shared library, or a folder for a GPU. All arguments are inputs."""
    with tool_errors():
        return Executable(native().Executable.load(os.fspath(path)))


def _translated(error):
    return ToolError(str(error).strip()) if isinstance(error, native().Error) else FxGraphError(str(error))


def _errors(function, *arguments):
    """A call whose errors are the package's."""
    try:
        return function(*arguments)
    except (TypeError, ValueError, native().Error) as error:
        raise _translated(error) from None
