# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Module: one graph as MLIR, its weights, and what can be done with it."""

import copy
import json
import os
import tempfile
import threading
import warnings

from .errors import FxGraphError, ImportFailure, utf8

# What `run` keeps compiled of a module; threads may run one module at once.
_KEPT_EXECUTABLES = 4
_keeping = threading.Lock()


class Report:
    """What a pipeline did: counters by name, remarks, seconds by pass; the graphs on the way, if they were asked for.

    warnings  what passes warned of, as text with the place in front; each was given to Python's `warnings` too
    graphs  (pass, {counter: by how much it moved}, text) of the graph before the passes, whose pass is "", and behind each
            that changed it
    """

    def __init__(self, text, handle):
        record = json.loads(text)
        self.rewrites, self.warnings = record["rewrites"], record["warnings"]
        self.graphs = [(entry["pass"], entry["counters"], entry["graph"]) for entry in record.get("graphs", ())]
        self.counters, self.seconds = record["counters"], {}
        for entry in record["passes"]:
            self.seconds[entry["pass"]] = self.seconds.get(entry["pass"], 0.0) + entry["seconds"]
        # Their text is made when somebody asks: ten thousand rewrites have as many.
        self._handle, self._remarks = handle, None

    @property
    def remarks(self):
        if self._remarks is None:
            self._remarks, self._handle = json.loads(self._handle.take_events()), None
        return self._remarks

    def __repr__(self):
        return f"Report(counters={self.counters}, {len(self.remarks)} remarks, {sum(self.seconds.values()):.3f} s)"


class Module:
    """A graph in MLIR.

    asm          its text, made when asked for; setting it replaces the graph
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
        # Text that is not parsed yet, or the library's module, or both if they are the same graph.
        self._text, self._handle, self._name = asm, None, "<memory>"
        self._compiled = {}
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
        from .runtime.library import parse
        with open(path, "rb") as stream:
            data = stream.read()
        module = cls(None)
        module._handle = parse(data, path)
        return module

    @property
    def handle(self):
        """The library's module; ToolError with the diagnostics if the text is none."""
        if self._handle is None:
            from .runtime.library import parse
            if not isinstance(self._text, str):
                raise FxGraphError(f"expected the text of a graph but got {type(self._text).__name__}")
            self._handle = parse(utf8(self._text, "the text of a graph"), self._name)
        return self._handle

    @property
    def asm(self):
        if self._text is None:
            self._text = self._ask("print", 1)
        return self._text

    @asm.setter
    def asm(self, text):
        self._text, self._handle = text, None
        self._compiled.clear()

    def _ask(self, method, *arguments):
        """A method of the library's module, with the package's errors."""
        from .runtime import tool_errors
        handle = self.handle
        with tool_errors():
            return getattr(handle, method)(*arguments)

    def __repr__(self):
        return f"<fxgraph.Module: {sum(self.op_counts().values())} ops, {len(self.weights)} weights>"

    def clone(self):
        """A module of its own that shares the weights' tensors."""
        made = Module(self._text, self.weights, self.unknown_ops, self.inputs, self.outputs)
        if self._handle is not None:
            made._handle = self._ask("clone")
        made.placeholders, made.out_spec, made.subgraphs = self.placeholders, self.out_spec, self.subgraphs
        return made

    __copy__ = clone  # not what Python does: the copy would share what `run` keeps of this module's graph

    def __deepcopy__(self, memo):
        made = self.clone()
        made.weights = copy.deepcopy(self.weights, memo)
        return made

    def op_counts(self):
        """{op name: how often}, most frequent first."""
        counts = json.loads(self._ask("op_counts"))
        for frame in ("builtin.module", "func.func", "func.return"):
            counts.pop(frame, None)
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    def verify(self):
        """Raises ToolError with the diagnostics if the graph is not valid."""
        self._ask("verify")

    def save(self, path):
        """Writes .mlir or .mlirbc; no file is left behind on failure."""
        path = os.fspath(path)
        if path.endswith(".mlirbc"):
            write_atomically(path, self._ask("bytecode"))
        elif path.endswith(".mlir"):
            write_atomically(path, utf8(self.asm, "the text of a graph"))
        else:
            raise FxGraphError(f"expected a path ending in .mlir or .mlirbc but got {path}")

    def save_weights(self, path):
        """Writes the weights as .safetensors."""
        write_weights(path, self.weights)

    def save_artefact(self, path, form="so", **settings):
        """Compiles ahead of time: `form` and `settings` are those of fx-translate (so, ptx, gpu, …)."""
        self._ask("save_artefact", "main", form, os.fspath(path), [f"{key.replace('_', '-')}={value}" for key, value in settings.items()])

    def run_passes(self, pipeline, verify=None, graphs=False):
        """Runs a pass pipeline in place, for example "fxgraph-pre-grad".

        With `verify` every rewrite is checked with the reference interpreter while it
        runs (the environment's FXGRAPH_VERIFY_REWRITES says it by default). With `graphs` the report has
        the graph behind each pass that changed it. Counts into `fxgraph.counters`, and logs what
        FXGRAPH_LOGS or `fxgraph.set_logs` ask for (logs.py).
        """
        if not isinstance(pipeline, str):
            raise FxGraphError(f"expected a pipeline as text but got {type(pipeline).__name__}")
        if verify is None:
            verify = os.environ.get("FXGRAPH_VERIFY_REWRITES", "0") not in ("", "0")
        # A pipeline that fails leaves this module as it was: what its text says, or a copy.
        if self._text is None:
            changed = self._ask("clone")
        else:
            changed, self._handle = self.handle, None
        from . import logs
        from .runtime import tool_errors
        logged = logs.wanted()
        with tool_errors():
            report = Report(changed.run_passes(pipeline, bool(verify), bool(graphs or logged.graphs)), changed)
        logs.record(pipeline, report, logged)
        for text in report.warnings:
            warnings.warn(text, stacklevel=2)
        self._handle, self._text = changed, None
        self._compiled.clear()
        return report

    def apply_patterns(self, rules, verify=None, **options):
        """Applies rules written in PDLL, in place: the path of a file of them, or their text.

        `options` are those of `fxgraph-apply-patterns` (numerics="exact", counter="mine", …).
        Returns the report; each rule counts under its own name.
        """
        from .pipelines import quote_option
        if isinstance(rules, str) and "\n" in rules:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "rules.pdll")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(rules)
                return self.apply_patterns(path, verify, **options)
        settings = {"file": rules, **options}
        text = " ".join(f"{key.replace('_', '-')}={quote_option(value)}" for key, value in settings.items())
        return self.run_passes(f"fxgraph-apply-patterns{{{text}}}", verify)

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
        used = {entry[0] for entry in self._ask("function", "main")[0]}
        self.weights = {name: tensor for name, tensor in weights.items() if name in used}

    def to_fx(self, inplace=False):
        """The graph as an fx.GraphModule of ATen calls; its attributes are the weights' tensors themselves.

        With `inplace` an op that `fxgraph-mutation-reinplace` has marked writes to its operand (`index_put_`), as behind
        Inductor's pass of that name.
        """
        from .exporter import to_fx
        return to_fx(self, inplace=inplace)

    def compile(self, target="cpu", seed=0, **settings):
        """An Executable of the graph for "ref", "cpu", "gpu" or "gpu-emulator", in this process.

        The weights are bound now; on a GPU, those that are on the CPU are copied there.
        `settings` are the target's (threads=4, opt_level=3, chip="sm_90a", …). Each run draws
        what PyTorch draws on a CPU behind `torch.manual_seed(seed)`.
        """
        from .runtime import Executable
        from .runtime.executable import TARGETS
        if target not in TARGETS:
            raise FxGraphError(f"expected a target among {', '.join(TARGETS)} but got {target!r}")
        if not isinstance(seed, int) or not 0 <= seed < 2 ** 64:
            raise FxGraphError(f"expected a seed from 0 to 2^64 - 1 but got {seed!r}")
        import torch
        for name, tensor in self.weights.items():
            if not isinstance(tensor, torch.Tensor):
                raise FxGraphError(f"expected a tensor as the weight {name} but got {type(tensor).__name__}")
        handle = self._ask("compile", target, "main", [f"{key.replace('_', '-')}={value}" for key, value in settings.items()], seed)
        weights = self.weights
        if handle.on_device():
            written = {entry[0] for entry in handle.signature()[0] if entry[4]}
            stays = [name for name, tensor in weights.items() if name in written and not tensor.is_cuda]
            if stays:
                raise FxGraphError(f"expected the buffer {stays[0]}, which the graph writes, on the GPU but got it on the CPU")
            weights = {name: tensor.cuda() for name, tensor in weights.items()}
        return Executable(handle, weights, self.inputs, self.outputs, self._ask("function", "main"))

    def run(self, inputs, target="ref", structured=False):
        """Runs the graph: `compile`, kept. Returns the flat outputs as PyTorch gives them.

        Sizes and other numbers are Python numbers, None is None. With `structured`
        the outputs come as the captured function returns them: a tensor, a tuple,
        a dictionary, a registered dataclass. `inputs` is a list in the order of
        `self.inputs`, or a dict by name, which may also name weights. Tensors among them
        that the graph writes are written. On a GPU, inputs that are on the CPU are copied
        there, and results come back.
        """
        if structured and self.out_spec is None:
            raise FxGraphError("expected a captured module for structured outputs but got one whose output structure is not known")
        if not isinstance(inputs, (dict, list, tuple)):
            # A tensor is a sequence as well: of its rows.
            raise FxGraphError(f"expected a list, a tuple or a dict of inputs but got {type(inputs).__name__}")
        named = inputs if isinstance(inputs, dict) else {}
        nameless = [name for name in named if not isinstance(name, str)]
        if nameless:
            raise FxGraphError(f"expected names of inputs but got {nameless[0]!r}")
        executable = self._compiled_for(target, frozenset(named) & frozenset(self.weights))
        arguments = () if named or isinstance(inputs, dict) else tuple(inputs)
        if executable.on_device:
            outputs = _run_from_host(executable, arguments, named)
        else:
            outputs = executable(*arguments, **named)
        if not structured:
            return outputs
        from torch.utils._pytree import tree_unflatten
        return tree_unflatten(outputs, self.out_spec)

    def run_on_grid(self, inputs, groups=None, seed=0, target="ref"):
        """Runs the graph as several processes in this one (the interpreter's grid); a list with each rank's flat outputs.

        With the target "gpu-emulator" they are threads that run the graph compiled for a GPU, on memory of the CPU.

        `inputs` has an entry for each rank: what `run` takes, or a dict by name that may also name
        weights; the other weights are the same on all ranks. `groups` says which ranks a process group
        holds, in its order: {"tp": [[0, 1], [2, 3]]}, or {"tp": [0, 1]} for one set; a group that it does
        not name holds all. A rank that starts other collectives than its group is a ToolError that
        names it.
        """
        from .outputs import restore
        from .runtime import Executable
        if not isinstance(inputs, (list, tuple)) or not inputs:
            raise FxGraphError(f"expected a list of each rank's inputs but got {type(inputs).__name__ if inputs else repr(inputs)}")
        settings = [f"ranks={len(inputs)}"]
        for name, sets in (groups or {}).items():
            sets = [sets] if all(isinstance(rank, int) for rank in sets) else sets
            settings.append(f"group={name}:" + ";".join(",".join(map(str, ranks)) for ranks in sets))
        handle = self._ask("compile", target, "main", settings, seed)
        own = self.inputs
        if own is None:
            own = [entry[0] for entry in self._ask("function", "main")[0] if entry[0] not in self.weights]
        arguments = {}
        for rank, given in enumerate(inputs):
            named = given if isinstance(given, dict) else dict(zip(own, given))
            if not isinstance(given, dict) and len(given) != len(own):
                raise FxGraphError(f"rank {rank}: expected {len(own)} inputs ({', '.join(own)}) but got {len(given)}")
            arguments.update({f"rank{rank}/{name}": value for name, value in {**self.weights, **named}.items()})
        executable = Executable(handle, inputs=[entry[0] for entry in handle.signature()[0]])
        results = executable(**arguments)
        count = len(results) // len(inputs)
        outputs = self.outputs if self.outputs is not None else range(count)
        return [restore(outputs, results[rank * count:(rank + 1) * count]) for rank in range(len(inputs))]

    def _compiled_for(self, target, overridden):
        """The executable of a target in which these weights are inputs."""
        bound = {name: tensor for name, tensor in self.weights.items() if name not in overridden}
        key = target, tuple((name, id(tensor), _memory_of(tensor)) for name, tensor in bound.items())
        # With the tensors, whose ids the key has: another tensor must not get the id of one that is gone.
        executable, _ = self._compiled.get(key, (None, None))
        if executable is None:
            module = self
            if overridden:
                module = self.clone()
                module.weights = bound
                module.inputs = None if self.inputs is None else [*self.inputs, *(n for n in self.weights if n in overridden)]
            executable = module.compile(target)
            with _keeping:
                while len(self._compiled) >= _KEPT_EXECUTABLES:
                    self._compiled.pop(next(iter(self._compiled)))
                self._compiled[key] = executable, tuple(bound.values())
        return executable


def _memory_of(tensor):
    """Where a tensor's elements are, which assignments to its `data` change; None of one without memory, which `compile` refuses."""
    try:
        return tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride()
    except (AttributeError, RuntimeError):
        return None


def _run_from_host(executable, arguments, named):
    """A call on a GPU with tensors of the CPU: they are copied there, and results and written ones back."""
    import torch

    def moved(value):
        return value.cuda() if isinstance(value, torch.Tensor) else value

    there, there_named = [moved(v) for v in arguments], {name: moved(v) for name, v in named.items()}
    outputs = executable(*there, **there_named)
    back = {}  # id of a tensor there -> the one here
    for before, after in [*zip(arguments, there), *((named[name], there_named[name]) for name in named)]:
        if isinstance(before, torch.Tensor) and before is not after:
            before.detach().copy_(after)
            back[id(after)] = before
    for value in outputs:
        if isinstance(value, torch.Tensor) and id(value) not in back:
            back[id(value)] = value.cpu()
    return [back.get(id(value), value) for value in outputs]


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
    for name in tensors:
        utf8(name, "a weight's name")
    write_atomically(path, save({name: t.detach().cpu().contiguous().clone() for name, t in tensors.items()}))
