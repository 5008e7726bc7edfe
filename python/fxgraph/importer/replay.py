# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The imported calls, run on fake tensors of the importer's own.

What a call aliases, writes, returns unchanged or gives another shape is not
looked up by name: PyTorch runs it on fakes, and their storages, version
counters and strides tell. A graph's own metas cannot tell it: those of Dynamo
are changed by the in-place calls that come later, those of a loaded program
share no storage, and a graph that was joined of two has them in two modes.

Nothing that runs here may add a guard to the sizes' environment: a symbol that
became a number would be baked into the graph.
"""

import contextlib
import logging
import math
import threading

import sympy
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental import symbolic_shapes
from torch.fx.experimental.sym_node import SymNode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from . import symbols
from ..errors import ImportFailure
from ..strides import eager_strides

# Tracing changes what belongs to the process: handlers, warning filters, sys.stderr, switches of PyTorch's. Nor may two of
# Dynamo's exports trace the same code at once: each frees what the other keeps of it.
TRACING = threading.RLock()


class _GuardAdded(RuntimeError):
    pass


# PyTorch before 2.12 has no mode in which a guard is an error: there it is seen once it was added.
GuardError = getattr(symbolic_shapes, "_ShapeEnvGuardError", _GuardAdded)


@contextlib.contextmanager
def error_on_new_guards(env):
    with _error_on_floats(env):
        if hasattr(env, "error_on_new_guards"):
            with env.error_on_new_guards():
                yield
            return
        before = len(env.guards), len(env.replacements)
        yield
        if (len(env.guards), len(env.replacements)) != before:
            raise GuardError("a guard on a symbolic size")


@contextlib.contextmanager
def _error_on_floats(env):
    """A block in which no symbolic float becomes a number: where the model's own trace asked for it (of `scale=1 / n` a C++ function does), that is no
    new guard."""
    ask, thread = SymNode.guard_float, threading.get_ident()

    def guard_float(node, file, line):
        if node.shape_env is env and node.expr.free_symbols and threading.get_ident() == thread:
            raise GuardError(f"a guard on {node.expr}")
        return ask(node, file, line)

    SymNode.guard_float = guard_float
    try:
        yield
    finally:
        SymNode.guard_float = ask


# Calls on tensors of more elements are not tried.
MAX_TRIED = 2 ** 20


def flatten(value):
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from flatten(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from flatten(item)
    else:
        yield value


def shape_env(values):
    """The environment of the symbolic sizes in metas and examples, or None."""
    found = None
    for item in flatten(values):
        sizes = [*item.shape, *item.stride()] if isinstance(item, torch.Tensor) and item.layout is torch.strided else [item]
        for size in sizes:
            if not isinstance(size, (torch.SymInt, torch.SymFloat, torch.SymBool)) or not size.node.expr.free_symbols:
                continue
            if found is not None and size.node.shape_env is not found:
                raise ImportFailure("expected symbolic sizes of one tracing but got those of two: a name may stand for two sizes")
            found = size.node.shape_env
    return found


def _example(value):
    """Of a symbolic number that which it has in the example, or None; any other value as it is."""
    return value.node.hint if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)) else value


def storage_of(fake):
    """What is equal for tensors that share storage; None for tensors without one (sparse, wrappers)."""
    try:
        return fake.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):
        return None


def version_of(fake):
    return 0 if fake.is_inference() else fake._version


def signature(fake):
    """All that in-place calls can change of a tensor besides its values."""
    def key(size):
        return size.node.expr if isinstance(size, torch.SymInt) else size

    strided = fake.layout is torch.strided
    strides = (*map(key, fake.stride()), key(fake.storage_offset())) if strided else ()
    return tuple(map(key, fake.shape)), strides, fake.dtype, fake.is_conj(), fake.is_neg()


def _squeeze_(tensor, *dims, **keywords):
    """Tensor.squeeze_ by another way: where there is nothing to squeeze, PyTorch's gives a tensor of symbolic sizes its own sizes
    anew, by reference, and reads them when they are freed."""
    view = torch.squeeze(tensor, *dims, **keywords)
    return tensor.as_strided_(view.shape, view.stride(), view.storage_offset())


def _margin_loss(function, rank):
    """A margin loss by another way: where the labels have at most this rank, which is a single row's, not a batch of one's, PyTorch's kernels give
    a number, and its fakes a row of one."""
    def on_fakes(*args, **keywords):
        made = function(*args, **keywords)
        losses, *rest = made if isinstance(made, tuple) else (made,)
        labels = args[1] if len(args) > 1 else keywords["target"]
        losses = losses.reshape(()) if labels.dim() <= rank and losses.dim() else losses
        return (losses, *rest) if isinstance(made, tuple) else losses

    return on_fakes


_MARGINS = {torch.nn.functional.multi_margin_loss: 0, torch._C._nn.multi_margin_loss: 0, torch.ops.aten.multi_margin_loss.default: 0,
            torch.nn.functional.multilabel_margin_loss: 1, torch._C._nn.multilabel_margin_loss: 1,
            torch.ops.aten.multilabel_margin_loss.default: 1, torch.ops.aten.multilabel_margin_loss_forward.default: 1}
# What runs on fakes in the place of a function.
INSTEAD = {torch.Tensor.squeeze_: _squeeze_, torch.ops.aten.squeeze_.dim: _squeeze_,
           **{function: _margin_loss(function, rank) for function, rank in _MARGINS.items()}}


class _WithoutFailures(logging.Filter):
    """Drops what PyTorch logs about evaluations that are refused here on purpose, and about calls that do not run on fakes."""

    def filter(self, record):
        return not record.getMessage().startswith(("failed during evaluate_expr", "failed while attempting to run meta"))


@contextlib.contextmanager
def quiet():
    """A block whose failures are not logged: they are dealt with."""
    loggers = [logging.getLogger(name) for name in ("torch.fx.experimental.symbolic_shapes", "torch._subclasses.fake_tensor")]
    dropped = _WithoutFailures()
    for logger in loggers:
        logger.addFilter(dropped)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(dropped)


class Replay:
    def __init__(self, env=None):
        self.mode = FakeTensorMode(shape_env=env or ShapeEnv(), allow_non_fake_inputs=True)
        self.known = set()  # symbols of the tensors so far
        self.changed = set()  # id() of metas whose shape is what a later call makes of it in place
        self.stale = {}  # id -> fake, of those that a call computed whose metas may be of a shape from before such a change

    @contextlib.contextmanager
    def guarded(self):
        """A block in which a new guard is an error."""
        with quiet(), error_on_new_guards(self.mode.shape_env):
            yield

    @contextlib.contextmanager
    def running(self):
        with torch.inference_mode(False), torch.no_grad(), self.mode.shape_env.ignore_fresh_unbacked_symbols(), self.mode, eager_strides(self.mode):
            yield

    @contextlib.contextmanager
    def unguarded(self):
        """A block in which sizes are compared as the examples' are, and nothing is recorded."""
        env = self.mode.shape_env
        saved = env.frozen, getattr(env, "_error_on_new_guards", False)
        env.frozen = env._error_on_new_guards = False
        try:
            with env.suppress_guards():
                yield
        finally:
            env.frozen, env._error_on_new_guards = saved

    def call(self, function, args, kwargs):
        """The result on fakes; an error if it hangs on a size in a way that the graph's own tracing did not."""
        with self.guarded(), self.running():
            return self.run(function, args, kwargs)

    def probe(self, function, args, kwargs):
        """The result on fakes; its sizes may be the example's."""
        with self.unguarded(), self.running():
            return self.run(function, args, kwargs)

    @staticmethod
    def run(function, args, kwargs):
        return INSTEAD.get(function, function)(*args, **kwargs)

    def adopt(self, meta):
        """Fakes with the metas' types, each in storage of its own."""
        if isinstance(meta, (list, tuple)) and not isinstance(meta, torch.Size):
            return [self.adopt(item) for item in meta]
        if isinstance(meta, dict):
            return {key: self.adopt(item) for key, item in meta.items()}
        self.learn(meta)
        if not isinstance(meta, torch.Tensor) or meta.layout is not torch.strided:
            return meta
        with self.running():
            offset, strides = meta.storage_offset(), meta.stride()
            if isinstance(offset, int) and offset == 0:
                fake = torch.empty_strided(meta.shape, strides, dtype=meta.dtype, device=meta.device)
            else:
                empty = any(symbols.as_int(n) == 0 for n in meta.shape)
                reach = 0 if empty else sum((n - 1) * s for n, s in zip(meta.shape, strides)) + 1
                memory = torch.empty(offset + reach, dtype=meta.dtype, device=meta.device)
                fake = memory.as_strided(meta.shape, strides, offset)
            fake = fake.conj() if meta.is_conj() else fake
            return torch._neg_view(fake) if meta.is_neg() else fake

    def symbols_of(self, value):
        sizes = value.shape if isinstance(value, torch.Tensor) else [value]
        found = set()
        for size in sizes:
            if isinstance(size, (torch.SymInt, torch.SymFloat, torch.SymBool)):
                found |= sympy.sympify(size.node.expr).free_symbols
        return found

    def learn(self, value):
        for item in flatten(value):
            self.known |= self.symbols_of(item)

    def refusal(self, function, args, kwargs, small=False):
        """What PyTorch says if it refuses the call on real tensors of these types, which fakes do not always tell; or None.

        None as well where it cannot be tried: for sizes without an example, other devices and more memory than it is worth.
        `small`: on tensors of one element, since the call is pointwise.
        """
        tensors = [x for x in flatten([args, kwargs]) if isinstance(x, torch.Tensor)]
        sizes = [[1] * t.dim() if small else [_example(n) for n in t.shape] for t in tensors]
        if any(None in s for s in sizes) or any(t.device.type != "cpu" or t.layout is not torch.strided or t.is_quantized for t in tensors):
            return None
        numbers = [n for n in flatten([args, kwargs]) if isinstance(n, (torch.SymInt, torch.SymFloat, torch.SymBool))]
        if sum(map(math.prod, sizes)) > MAX_TRIED or any(_example(n) is None for n in numbers):
            return None
        reason = None
        # Zeros are indices wherever there is an element, ones the numbers that count from 1 (pivots).
        for make in (torch.zeros, torch.ones):
            real = {id(t): make(s, dtype=t.dtype) for t, s in zip(tensors, sizes)}

            def put(value):
                if isinstance(value, (list, tuple)):
                    return [put(v) for v in value]
                if isinstance(value, dict):
                    return {k: put(v) for k, v in value.items()}
                return real.get(id(value), _example(value))

            try:
                with torch.inference_mode(False), torch.no_grad(), torch.random.fork_rng(devices=[]):
                    function(*put(args), **put(kwargs))
                return None
            except (RuntimeError, TypeError, ValueError) as error:
                reason = reason or str(error).splitlines()[0]
        return reason

    def observe(self, function, args, kwargs, meta, moved=()):
        """`trusted` of the call's result. `moved`: fakes that have changed their shape in place. What is computed of a tensor under the name from
        before (`d = dropout(y)`, `y.t_()`, `d.clone()`) has metas of the old shape, and what is computed of that."""
        stale = any(id(item) in self.stale or any(item is fake for fake in moved) for item in flatten([args, kwargs]) if isinstance(item, torch.Tensor))
        try:
            result = self.call(function, args, kwargs)
            if stale:
                self.stale.update((id(item), item) for item in flatten(result) if isinstance(item, torch.Tensor))
            return self.trusted(result, meta, stale)
        except GuardError:
            if meta is None:
                raise
        result = self.probe(function, args, kwargs)
        same = [(f, m) for f, m in zip(flatten(result), flatten(meta)) if isinstance(f, torch.Tensor) and isinstance(m, torch.Tensor)]
        exact = all(signature(f)[0] == signature(m)[0] for f, m in same)
        if not exact and any(id(m) in self.changed for _, m in same):
            raise _GuardAdded("a guard on a symbolic size")
        return self.trusted(result, meta) if exact else (self.adopt(meta), False)

    def trusted(self, result, meta, stale=False):
        """The replay's result or, where PyTorch's tracing knew more (autocast, sizes that values decide), its meta.

        A pair: the result, and True if its storages mean something.
        """
        if meta is None:
            self.learn(result)
            return result, True
        fakes, metas = list(flatten(result)), list(flatten(meta))
        # Pieces of a tensor of another shape are as many as that has.
        alike = (stale or len(fakes) == len(metas)) and all(self.agrees(f, m, stale) for f, m in zip(fakes, metas))
        if alike and any(isinstance(m, torch.Tensor) for m in metas):
            return result, True
        return self.adopt(meta), False

    def agrees(self, fake, meta, stale):
        if not isinstance(fake, torch.Tensor) or not isinstance(meta, torch.Tensor):
            return isinstance(fake, torch.Tensor) == isinstance(meta, torch.Tensor)
        # A size of no known symbol is one that the tracing knows, and so is a symbol in the place of a number.
        baked = not stale and id(meta) not in self.changed and any(symbols.as_int(f) is not None and symbols.as_int(m) is None
                                                     for f, m in zip(fake.shape, meta.shape) if fake.dim() == meta.dim())
        return fake.dtype == meta.dtype and fake.device == meta.device and self.symbols_of(fake) <= self.known and not baked
