# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running a Module: inputs to a file, fx-run, outputs back as PyTorch gives them."""

import os
import re
import tempfile

from ..errors import FxGraphError
from ..outputs import restore

TARGETS = ("ref", "cpu", "gpu")
# fx-run's names of results.
RESULT = re.compile(r"out(\d+)")


def bind_inputs(module, inputs):
    """{argument name: tensor} of everything the graph takes."""
    names = module.inputs
    if names is None:
        # A file says the names but not which of the arguments are inputs: the tool asks for what is missing.
        if not isinstance(inputs, dict):
            raise FxGraphError("expected a dict by argument name, as the module was not imported from PyTorch and has no order of "
                               f"inputs, but got {type(inputs).__name__}")
        return {**module.weights, **inputs}
    if isinstance(inputs, dict):
        unknown = sorted(set(inputs) - set(names) - set(module.weights))
        if unknown:
            raise FxGraphError(f"expected inputs among {', '.join(names)} but got {', '.join(unknown)}")
        given = dict(inputs)
    else:
        # A tensor is a sequence as well: of its rows.
        if not isinstance(inputs, (list, tuple)):
            raise FxGraphError(f"expected a list, a tuple or a dict of inputs but got {type(inputs).__name__}")
        if len(inputs) != len(names):
            raise FxGraphError(f"expected {len(names)} inputs ({', '.join(names)}) but got {len(inputs)}")
        given = dict(zip(names, inputs))
    missing = [n for n in names if n not in given]
    if missing:
        raise FxGraphError(f"expected an input named {missing[0]}")
    return {**module.weights, **given}


def as_stored(name, value):
    """The value as a tensor of its own memory on the CPU."""
    import torch
    if not isinstance(value, torch.Tensor):
        try:
            value = torch.as_tensor(value)
        except (TypeError, ValueError, RuntimeError):
            raise FxGraphError(f"expected a tensor or a number for the input {name} but got {type(value).__name__}") from None
    try:
        return value.detach().cpu().contiguous().clone()
    except RuntimeError as error:
        raise FxGraphError(f"expected a dense tensor with data for the input {name} but got one of layout {value.layout} on "
                           f"{value.device}: {str(error).splitlines()[0]}") from error


def _span(tensor):
    """(address of the first element, address behind the last one)."""
    elements = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    return tensor.data_ptr(), tensor.data_ptr() + elements * tensor.element_size()


def _overlap(one, other):
    """True if a byte belongs to both tensors."""
    import torch
    if one.numel() == 0 or other.numel() == 0:
        return False
    spans = [_span(one), _span(other)]
    first, last = min(span[0] for span in spans), max(span[1] for span in spans)
    if max(span[0] for span in spans) >= min(span[1] for span in spans):
        return False
    # Views of one tensor, whose elements may alternate: which bytes each of them has.
    uses = []
    for tensor in (one, other):
        size = tensor.element_size()
        dims = [(n, stride * size) for n, stride in zip(tensor.shape, tensor.stride()) if stride]
        uses.append(torch.zeros(last - first, dtype=torch.bool))
        uses[-1].as_strided([*(n for n, _ in dims), size], [*(s for _, s in dims), 1], tensor.data_ptr() - first).fill_(True)
    return bool((uses[0] & uses[1]).any())


def refuse_shared_memory(tensors, written):
    """The graph is that of distinct tensors: what one write would do to another argument is not in it."""
    import torch
    dense = {name: t for name, t in tensors.items() if isinstance(t, torch.Tensor)}
    for name in written:
        for other, tensor in dense.items():
            if other != name and name in dense and _overlap(dense[name], tensor):
                raise FxGraphError(f"expected arguments that share no memory with {name}, which the graph writes, but {other} does")


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
        save_file({name: as_stored(name, value) for name, value in tensors.items()}, source)
        driver().run(module.asm, source, result, target)
        values = load_file(result)
    refuse_shared_memory(tensors, [name for name, stored in _stored_names(module, tensors).items() if stored in values])
    for name, stored in _stored_names(module, tensors).items():
        written = values.pop(stored, None)
        if written is not None and isinstance(tensors[name], torch.Tensor):
            with torch.no_grad():
                tensors[name].copy_(written)
    results = {int(name[3:]): value for name, value in values.items() if RESULT.fullmatch(name)}
    return restore(module.outputs if module.outputs is not None else range(len(results)), results)


def _stored_names(module, tensors):
    """{argument: the name under which fx-run stores it if it is written}: its own, or argN where a result has that name."""
    names = {name: name for name in tensors}
    if any(RESULT.fullmatch(name) for name in names):
        from ..mlir_text import parse
        from . import driver
        function = next(function for function in parse(driver().generic(module.asm)) if function.name == "main")
        results = len(function.ops[-1].operands)
        for number, (value, _, attrs) in enumerate(function.arguments):
            name = attrs.get("fxgraph.name", value[1:])
            if RESULT.fullmatch(name) and int(name[3:]) < results:
                names[name] = f"arg{number}"
    return names
