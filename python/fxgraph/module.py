# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Module: one graph as MLIR, its weights, and what can be done with it."""

import os
import re
import tempfile

from .errors import FxGraphError, ImportFailure

# In generic form and in custom form an op's name follows `= ` or starts the line.
_OP = re.compile(r'^\s*(?:%[^=]*= )?"?((?:fxgraph|arith|tensor|linalg|scf|func)\.[\w.]+)"?', re.MULTILINE)


class Report:
    """What a pipeline did: counters by name, remarks, seconds by pass."""

    def __init__(self, counters=None, remarks=None, seconds=None):
        self.counters, self.remarks, self.seconds = counters or {}, remarks or [], seconds or {}

    def __repr__(self):
        total = sum(self.seconds.values())
        return f"Report(counters={self.counters}, {len(self.remarks)} remarks, {total:.3f} s)"


class Module:
    """A graph in MLIR.

    asm          its text
    weights      {argument's fxgraph.name: tensor} in argument order
    unknown_ops  ops that stayed opaque in the import, with locations
    inputs       names of the arguments that the caller passes
    placeholders for each placeholder of the imported fx graph the argument's
                 name; None for sizes, which the graph reads from tensors
    outputs      what each of PyTorch's flat outputs is made of; see outputs.py
    out_spec     the pytree in which the captured function returns its outputs,
                 None where it is not known
    subgraphs    the graphs that opaque higher-order ops call, by number
    """

    def __init__(self, asm, weights=None, unknown_ops=(), inputs=None, outputs=None):
        self.asm = asm
        self.weights = dict(weights or {})
        self.unknown_ops = list(unknown_ops)
        self.inputs = inputs
        self.outputs = outputs
        self.placeholders = self.out_spec = None
        self.subgraphs = []

    @classmethod
    def load(cls, path):
        path = require_file(path)
        if not path.endswith((".mlir", ".mlirbc")):
            raise ImportFailure(f"expected a .mlir, .mlirbc or .pt2 file but got {path}")
        from .runtime import driver
        return cls(driver().parse(path))

    def __repr__(self):
        return f"<fxgraph.Module: {sum(self.op_counts().values())} ops, {len(self.weights)} weights>"

    def clone(self):
        """A module of its own that shares the weights' tensors."""
        copy = Module(self.asm, self.weights, self.unknown_ops, self.inputs, self.outputs)
        copy.placeholders, copy.out_spec, copy.subgraphs = self.placeholders, self.out_spec, self.subgraphs
        return copy

    def op_counts(self):
        """{op name: how often}, most frequent first."""
        counts = {}
        for name in _OP.findall(self.asm):
            if name not in ("func.func", "func.return"):
                counts[name] = counts.get(name, 0) + 1
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    def verify(self):
        """Raises ToolError with the diagnostics if the graph is not valid."""
        from .runtime import driver
        driver().verify(self.asm)

    def save(self, path):
        """Writes .mlir or .mlirbc; no file is left behind on failure."""
        path = os.fspath(path)
        if path.endswith(".mlirbc"):
            from .runtime import driver
            write_atomically(path, driver().bytecode(self.asm))
        elif path.endswith(".mlir"):
            write_atomically(path, self.asm.encode())
        else:
            raise FxGraphError(f"expected a path ending in .mlir or .mlirbc but got {path}")

    def save_weights(self, path):
        """Writes the weights as .safetensors."""
        write_weights(path, self.weights)

    def run_passes(self, pipeline):
        """Runs a pass pipeline in place, for example "fxgraph-pre-grad"."""
        if not isinstance(pipeline, str):
            raise FxGraphError(f"expected a pipeline as text but got {type(pipeline).__name__}")
        from .runtime import driver
        self.asm, report = driver().run_passes(self.asm, pipeline)
        return report

    def freeze(self, target="ref"):
        """Computes now, on `target`, what depends on the weights alone; in place.

        Stacked weights and folded batch norms become weights of their own (frozen0,
        frozen1, …); weights that the graph needs no longer are dropped. Right as long
        as the weights do not change afterwards.
        """
        prepare = self.clone()
        prepare.run_passes("fxgraph-freezing-split{part=prepare}")
        prepare.inputs, prepare.outputs, prepare.placeholders = [], None, None
        values = prepare.run([], target)
        self.run_passes("fxgraph-freezing-split{part=main}")
        weights = {**self.weights, **{f"frozen{i}": value for i, value in enumerate(values)}}
        used = set(re.findall(r'fxgraph\.name = "([^"]*)"', self.asm))
        self.weights = {name: tensor for name, tensor in weights.items() if name in used}

    def to_fx(self):
        """The graph as an fx.GraphModule of ATen calls; its attributes are the weights' tensors themselves."""
        from .exporter import to_fx
        return to_fx(self)

    def run(self, inputs, target="ref", structured=False):
        """Runs the graph. Returns the flat outputs as PyTorch gives them.

        Sizes and other numbers are Python numbers, None is None. With `structured`
        the outputs come as the captured function returns them: a tensor, a tuple,
        a dictionary, a registered dataclass. `inputs` is a list in the order of
        `self.inputs`, or a dict by name (the only way for a module that was loaded
        from .mlir or .mlirbc). Tensors among them that the graph writes are written.
        """
        from .runtime import execute
        if structured and self.out_spec is None:
            raise FxGraphError("expected a captured module for structured outputs but got one whose output structure is not known")
        outputs = execute(self, inputs, target)
        if not structured:
            return outputs
        from torch.utils._pytree import tree_unflatten
        return tree_unflatten(outputs, self.out_spec)


def require_file(path):
    """The path as text; ImportFailure if no file is there."""
    if not isinstance(path, (str, os.PathLike)):
        raise ImportFailure(f"expected a path but got {path!r}")
    path = os.fspath(path)
    if not os.path.isfile(path):
        raise ImportFailure(f"expected a file but {path} {'is a folder' if os.path.isdir(path) else 'does not exist'}")
    return path


def write_atomically(path, data):
    """Writes a file whole or not at all."""
    directory = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(directory):
        raise FxGraphError(f"{path} cannot be written: expected a directory but {directory} does not exist")
    handle, temporary = tempfile.mkstemp(dir=directory, prefix=".fxgraph-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def write_weights(path, tensors):
    """Saves {name: tensor} as safetensors; tensors are made contiguous."""
    if not os.fspath(path).endswith(".safetensors"):
        raise FxGraphError(f"expected a path ending in .safetensors but got {path}")
    from safetensors.torch import save
    write_atomically(path, save({name: t.detach().cpu().contiguous().clone() for name, t in tensors.items()}))
