# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled graph on PyTorch's stream, through libFxGraphRuntime.so and ctypes.

Needs PyTorch with CUDA and the folders that `benchmarks/gpu_pack.py` makes;
nothing else of the project.
"""

import ctypes
import glob
import json
import os

import torch

DTYPES = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16, "i1": torch.bool, "ui8": torch.uint8,
          "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64}


class RuntimeFailure(Exception):
    pass


class Runtime:
    def __init__(self, path):
        self.lib = ctypes.CDLL(os.path.abspath(path))
        self.lib.fxrtLastError.restype = ctypes.c_char_p

    def call(self, name, *arguments):
        if getattr(self.lib, name)(*arguments) != 0:
            raise RuntimeFailure(self.lib.fxrtLastError().decode())


def _pointers(tensors):
    return (ctypes.c_void_p * max(len(tensors), 1))(*[t.data_ptr() for t in tensors])


class CompiledGraph:
    """One artefact folder: plan.json, image.*, constants.bin."""

    def __init__(self, runtime, folder):
        self.runtime = runtime
        plan_path = os.path.join(folder, "plan.json")
        with open(plan_path) as file:
            self.plan = json.load(file)
        images = glob.glob(os.path.join(folder, "image.*"))
        constants = os.path.join(folder, "constants.bin")
        self.handle = ctypes.c_void_p()
        encode = lambda path: path.encode() if path and os.path.exists(path) else None
        runtime.call("fxrtLoadFiles", plan_path.encode(), encode(images[0] if images else None), encode(constants), ctypes.byref(self.handle))
        size = ctypes.c_size_t()
        runtime.call("fxrtGetWorkspaceBytes", self.handle, ctypes.byref(size))
        self.workspace_bytes = size.value
        self.workspace = torch.empty(max(size.value, 1), dtype=torch.uint8, device="cuda")
        self.kernels = sum(step["op"] == "kernel" for step in self.plan["steps"])
        self.steps = len(self.plan["steps"])

    def new_outputs(self):
        """Output tensors, poisoned: what no kernel writes shows."""
        outputs = []
        for spec in self.plan["outputs"]:
            tensor = torch.empty(spec["shape"], dtype=DTYPES[spec["dtype"]], device="cuda")
            if "strides" in spec:
                tensor = torch.empty_strided(spec["shape"], spec["strides"], dtype=tensor.dtype, device="cuda")
            tensor.fill_(float("nan") if tensor.dtype.is_floating_point else 77 if tensor.dtype != torch.bool else True)
            outputs.append(tensor)
        return outputs

    def run(self, inputs, outputs):
        for spec, tensor in zip(self.plan["inputs"], inputs):
            assert "strides" not in spec or tensor.stride() == tuple(spec["strides"]), f"{spec['name']}: strides {tensor.stride()}"
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self.runtime.call("fxrtRun", self.handle, _pointers(inputs), ctypes.c_size_t(len(inputs)), _pointers(outputs), ctypes.c_size_t(len(outputs)),
                          ctypes.c_void_p(self.workspace.data_ptr()), ctypes.c_size_t(self.workspace_bytes), stream)

    def capture(self, inputs, outputs):
        """A CUDA graph of one run."""
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            self.run(inputs, outputs)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.run(inputs, outputs)
        return graph

    def close(self):
        if self.handle:
            torch.cuda.synchronize()
            self.runtime.call("fxrtDestroy", self.handle)
            self.handle = None


def find_runtime(folder):
    for name in ("libFxGraphRuntime.so", os.path.join("lib", "libFxGraphRuntime.so")):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return Runtime(path)
    raise SystemExit(f"expected libFxGraphRuntime.so in {folder}")


def relative_error(got, reference):
    """Largest difference over the reference's largest magnitude; NaN and infinities must agree."""
    got, reference = got.double(), reference.double()
    if got.shape != reference.shape:
        raise AssertionError(f"expected shape {tuple(reference.shape)} but got {tuple(got.shape)}")
    same = (got == reference) | (got.isnan() & reference.isnan())
    difference = torch.where(same, torch.zeros_like(got), (got - reference).abs())
    if difference.isnan().any() or difference.isinf().any():
        return float("inf")
    finite = reference[reference.isfinite()]
    scale = finite.abs().max().item() if finite.numel() else 1.0
    return difference.max().item() / max(scale, 1e-30) if difference.numel() else 0.0
