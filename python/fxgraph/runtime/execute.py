# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running a Module: inputs to a file, fx-run, outputs back as PyTorch gives them."""

import os
import tempfile

from ..errors import FxGraphError

TARGETS = ("ref", "cpu", "gpu")


def bind_inputs(module, inputs):
    """{argument name: tensor} of everything the graph takes."""
    names = module.inputs
    if names is None:
        raise FxGraphError("expected a module that knows its inputs; pass a dict by argument name")
    if isinstance(inputs, dict):
        unknown = sorted(set(inputs) - set(names) - set(module.weights))
        if unknown:
            raise FxGraphError(f"expected inputs among {', '.join(names)} but got {', '.join(unknown)}")
        given = dict(inputs)
    else:
        inputs = list(inputs)
        if len(inputs) != len(names):
            raise FxGraphError(f"expected {len(names)} inputs ({', '.join(names)}) but got {len(inputs)}")
        given = dict(zip(names, inputs))
    missing = [n for n in names if n not in given]
    if missing:
        raise FxGraphError(f"expected an input named {missing[0]}")
    return {**module.weights, **given}


def execute(module, inputs, target):
    """Flat outputs of the graph; written inputs are written in place."""
    import torch
    from safetensors.torch import load_file, save_file
    from . import driver
    if target not in TARGETS:
        raise FxGraphError(f"expected a target among {', '.join(TARGETS)} but got {target!r}")
    tensors = bind_inputs(module, inputs)
    with tempfile.TemporaryDirectory(prefix="fxgraph-") as folder:
        source, result = os.path.join(folder, "in.safetensors"), os.path.join(folder, "out.safetensors")
        save_file({k: torch.as_tensor(v).detach().cpu().contiguous().clone() for k, v in tensors.items()}, source)
        driver().run(module.asm, source, result, target)
        values = load_file(result)
    for name, value in values.items():
        if name in tensors and isinstance(tensors[name], torch.Tensor):
            with torch.no_grad():
                tensors[name].copy_(value)
    count = sum(1 for n in values if n.startswith("out") and n[3:].isdigit())
    outputs = module.outputs if module.outputs is not None else list(range(count))
    flat = []
    for entry in outputs:
        if entry is None:
            flat.append(None)
        elif isinstance(entry, tuple):
            flat.append(entry[1])
        else:
            value = values[f"out{entry}"]
            flat.append(value)
    return flat
