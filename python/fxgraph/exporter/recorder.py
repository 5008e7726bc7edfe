# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records calls as nodes of an FX graph, and what each gives on fake tensors.

The fake tensors tell strides and which values share storage, as PyTorch itself
sees it. Nothing else is run while a graph is made.
"""

import contextlib
import itertools

import torch
import torch.fx
from torch._subclasses.fake_tensor import FakeTensorMode

from ..importer.dtypes import MLIR_TO_TORCH
from ..strides import eager_strides


def _runs_on_fakes(node):
    """PyTorch's own functions; others may have effects, and those of functorch set up its interpreters."""
    if node.op == "call_method" or isinstance(node.target, (torch._ops.OpOverload, torch._ops.HigherOrderOperator)):
        return True
    module = getattr(node.target, "__module__", None) or "torch"
    return module.partition(".")[0] in ("torch", "_operator", "builtins") and "functorch" not in module


class Recorder(torch.fx.proxy.GraphAppendingTracer):
    """A tracer whose tensors among the arguments (literals) become attributes of `root`."""

    def __init__(self, graph, root, mode=None):
        super().__init__(graph)
        self.root = root
        self.mode = mode or FakeTensorMode(allow_non_fake_inputs=True)
        self.fakes = {}  # node -> what it is on fake tensors; not all are known
        self.literals = []

    # -- recording ----------------------------------------------------------

    def call(self, function, args, kwargs):
        return self.create_proxy("call_function", function, tuple(args), dict(kwargs))

    def placeholder(self, name, fake):
        """`fake` tells the geometry, None if it is not known."""
        return self._proxy(self.graph.placeholder(name), fake)

    def attribute(self, name, tensor):
        """A weight or constant under a name of its own."""
        self.root.register_buffer(name, tensor)
        return self._proxy(self.graph.get_attr(name), self.mode.from_tensor(tensor, static_shapes=True))

    def constant(self, tensor):
        name = next(name for name in map("_constant{}".format, itertools.count(len(self.literals))) if not hasattr(self.root, name))
        self.root.register_buffer(name, tensor)
        proxy = self._proxy(self.graph.get_attr(name), self.empty(tensor.shape, tensor.stride(), tensor.dtype, tensor.device))
        self.literals.append(proxy.node)
        return proxy

    def submodule(self, graph):
        name = next((n for n, held in self.root.named_children() if held is graph), None)
        if name is None:
            name = next(n for n in map("_graph{}".format, itertools.count()) if not hasattr(self.root, n))
            self.root.add_module(name, graph)
        return self._proxy(self.graph.get_attr(name), graph)

    def _proxy(self, node, fake):
        if fake is not None:
            self.fakes[node] = fake
        return torch.fx.Proxy(node, self)

    def create_arg(self, a):
        if isinstance(a, torch.Tensor):
            return self.constant(a).node
        if isinstance(a, torch.fx.GraphModule):
            return self.submodule(a).node
        if isinstance(a, torch._ops.OperatorBase):
            return a  # as an argument of a higher-order one
        return super().create_arg(a)

    def create_proxy(self, kind, *args, **kwargs):
        proxy = super().create_proxy(kind, *args, **kwargs)
        if kind.startswith("call_"):
            self._infer(proxy.node)
        return proxy

    # -- fake tensors ---------------------------------------------------------

    def fake(self, value):
        """What a value is on fake tensors; None if that is not known."""
        return self.fakes.get(value.node) if isinstance(value, torch.fx.Proxy) else value

    def empty(self, shape, strides=None, dtype=torch.float32, device="cpu"):
        """A fake tensor in a storage of its own."""
        with self.mode:
            if strides is None:
                return torch.empty(tuple(shape), dtype=dtype, device=device)
            return torch.empty_strided(tuple(shape), tuple(strides), dtype=dtype, device=device)

    def assume(self, value, type_):
        """Of a result that could not be computed on fakes: a tensor of its own, as its type says."""
        if isinstance(value, torch.fx.Proxy) and value.node not in self.fakes and None not in type_.shape and type_.dtype in MLIR_TO_TORCH:
            self.fakes[value.node] = self.empty(type_.shape, dtype=MLIR_TO_TORCH[type_.dtype])

    def _infer(self, node):
        if not _runs_on_fakes(node):
            return
        try:
            args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), lambda n: self.fakes[n])
        except KeyError:
            return
        env = self.mode.shape_env
        with contextlib.ExitStack() as stack:
            if env is not None:
                stack.enter_context(env.suppress_guards())
                stack.enter_context(env.ignore_fresh_unbacked_symbols())
            stack.enter_context(torch.no_grad())
            stack.enter_context(self.mode)
            stack.enter_context(eager_strides(self.mode))
            try:
                function = getattr(args[0], node.target) if node.op == "call_method" else node.target
                self.fakes[node] = function(*(args[1:] if node.op == "call_method" else args), **kwargs)
            except Exception:  # noqa: BLE001: an op that fakes do not run is not known, and its type is what is assumed
                return

    # -- tidying --------------------------------------------------------------

    def drop_unused_literals(self):
        """Those that have only been used as numbers."""
        for node in self.literals:
            if not node.users:
                delattr(self.root, node.target)
                self.graph.erase_node(node)

    def prune(self, nodes):
        """Erases ATen calls that have become useless, and those that only they used."""
        pending = list(nodes)
        while pending:
            node = pending.pop()
            pure = (isinstance(node.target, torch._ops.OpOverload) and not node.target._schema.is_mutable
                    and torch.Tag.nondeterministic_seeded not in node.target.tags and node.target.namespace in ("aten", "prims"))
            if node.op == "call_function" and pure and not node.users and not node._erased:
                inputs = node.all_input_nodes
                self.graph.erase_node(node)
                pending += inputs
