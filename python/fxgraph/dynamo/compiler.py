# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a functional ATen graph: what can be, around what PyTorch runs."""

import collections
import logging
import re

import torch
from torch._functorch.aot_autograd import make_boxed_func
from torch._subclasses.fake_tensor import unset_fake_temporarily

from . import nodes
from .partition import Split, remove_unused, replay_views
from .sizes import InputSizes, read_from_inputs
from .report import GraphStats, Left, record, say
from ..errors import FxGraphError, ToolError, UnknownOpsError
from ..importer.aten_graph import NodeFailure, from_aten
from ..importer.graph import Importer, UnknownOp
from ..runtime import native

SMALL = "alone between ops that PyTorch runs, or nothing but views: not worth a call"


def compile_graph(gm, options):
    """The boxed function of a graph of AOTAutograd's, for tensors that need no gradients."""
    native()  # without the library nothing can be compiled: an error, not a refusal of each op
    with unset_fake_temporarily():
        return GraphCompiler(gm, options).compile()


def device_of(gm, target):
    """The device whose tensors a target computes with: for no target, and the GPU, that of the first CUDA tensor."""
    if target in ("cpu", "ref"):
        return torch.device("cpu")
    for node in gm.graph.nodes:
        for tensor in nodes.tensors_of(node.meta.get("val")):
            if tensor.device.type == "cuda":
                return tensor.device
    return torch.device("cuda", 0) if target == "gpu" else torch.device("cpu")


class GraphCompiler:
    def __init__(self, gm, options):
        self.gm, self.options = gm, options
        self.device = device_of(gm, options.target)
        self.target = options.target or ("gpu" if self.device.type == "cuda" else "cpu")
        self.reasons = {}  # {node that PyTorch runs: why}
        self.small = set()
        self.imported, self.executables = {}, {}

    def compile(self):
        self.replays = replay_views(self.gm)
        read_from_inputs(self.gm)
        remove_unused(self.gm.graph)
        self.ops = [node for node in self.gm.graph.nodes if nodes.is_op(node) and node not in self.replays]
        sizes = InputSizes(self.gm)
        for node in self.ops:
            reason = nodes.why_not(node, self.device, sizes)
            if reason:
                self.reasons[node] = reason
        if any(nodes.writes(node) for node in self.ops):
            # The order of reads and writes is not in the graph's edges.
            for node in self.ops:
                self.reasons.setdefault(node, "in a graph with writes that cannot be made functional")
        split = self.split()
        functions = {level: self.function(part) for level, part in split.parts.items()}
        self.tell(split)
        return make_boxed_func(split.assemble(functions).forward)

    def split(self):
        """The largest parts that the importer and the target take."""
        while True:
            split = Split(self.gm, {*self.reasons, *self.small, *self.replays})
            before = len(self.reasons)
            for part in split.parts.values():
                self.import_part(part)
            if len(self.reasons) > before:
                continue
            if self.reasons and self.options.strict:
                raise UnknownOpsError([UnknownOp(left.op, node.name, left.reason, left.location)
                                       for node, left in ((node, self.left(node, reason)) for node, reason in self.reasons.items())])
            small = split.not_worth_a_call()
            if small:
                self.small.update(node for part in small for node in part.ops())
                continue
            for part in split.parts.values():
                self.compile_part(part)
            if len(self.reasons) == before:
                return split

    def refuse(self, part, names, reason):
        """Nodes that PyTorch runs: those named, or all of a part where none is known."""
        named = [part.by_name[name] for name in names if name in part.by_name]
        for node in named or part.ops():
            while nodes.is_item(node):
                node = node.args[0]
            self.reasons[node] = reason if named else f"its part of the graph is refused: {reason}"

    def import_part(self, part):
        if part.key in self.imported:
            return
        try:
            module = from_aten(part.graph_module(self.gm))
        except NodeFailure as error:
            return self.refuse(part, [error.node], str(error))
        except ToolError as error:
            return self.refuse_by_names(part, error)  # the verifier's
        except FxGraphError as error:
            return self.refuse(part, [], str(error))
        for unknown in module.unknown_ops:
            self.refuse(part, [unknown.node], unknown.reason)
        if not module.unknown_ops:
            self.imported[part.key] = module

    def compile_part(self, part):
        if part.key in self.executables:
            return
        try:
            self.executables[part.key] = self.executable(self.imported[part.key])
        except ToolError as error:
            self.refuse_by_names(part, error)

    def executable(self, module):
        """A compiled part; ToolError where the target refuses it, or the dialect the import."""
        if self.options.pipeline:
            try:
                module.run_passes(self.options.pipeline, verify=self.options.verify or None)
            except ToolError as error:
                raise FxGraphError(f"the pipeline {self.options.pipeline} fails: {error}") from error
        return module.compile(self.target)

    def refuse_by_names(self, part, error):
        """The ops that are refused: told by a compilation in which each op's place is its node's name."""
        try:
            self.executable(from_aten(part.graph_module(self.gm), locations="name"))
        except ToolError as named:
            error = named
        lines = [line for line in str(error).splitlines() if "error:" in line] or str(error).splitlines()
        reasons = collections.defaultdict(list)
        for line in lines:
            for name in re.findall(r'"([^"]+)"', line.partition("error:")[0] + line.partition("loc(")[2].partition("):")[0]):
                if name in part.by_name:
                    reasons[line.rpartition("): ")[2]].append(name)
        for reason, names in reasons.items():
            self.refuse(part, names, f"the target {self.target} refuses it: {reason}")
        if not reasons:
            self.refuse(part, [], lines[0])

    def function(self, part):
        """(the function of a part, the nodes whose results it takes in order)."""
        module, executable = self.imported[part.key], self.executables[part.key]
        inputs = {name: node for name, node in zip(module.placeholders, part.inputs) if name}

        def compiled(*arguments):
            return executable(*arguments)

        return compiled, [inputs[name] for name in module.inputs]

    def left(self, node, reason):
        return Left(nodes.name_of(node), Importer.where(node), reason)

    def tell(self, split):
        """Log lines and statistics."""
        left = []
        for node in self.ops:
            if not split.is_compiled(node):
                left.append(self.left(node, self.reasons.get(node, SMALL)))
                say(logging.WARNING if node in self.reasons else logging.INFO, f"PyTorch runs {left[-1]}")
        compiled = collections.Counter(nodes.name_of(node) for node in self.ops if split.is_compiled(node))
        record(GraphStats(self.target if compiled else None, dict(compiled), tuple(left), len(split.parts)))
