# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions under autocast: the casts that PyTorch makes there become ops of the graph.

Which calls cast what is not looked up by name. A call runs on fakes with and without
autocast, and the ATen ops that it dispatches to are compared: a call that is what it
would be of operands of another dtype gets operands of that dtype and stays one call;
of another one the ATen graph is imported, casts and all.
"""

import contextlib

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .graph import NOT_DONE, Unsupported, has_tensor
from .replay import flatten
from .tracker import Tensor

DEVICES = ("cpu", "cuda")


@contextlib.contextmanager
def _set(state):
    """A block under the state, {device: (dtype, enabled)}, whatever it is around it."""
    before = {device: (torch.get_autocast_dtype(device), torch.is_autocast_enabled(device)) for device in DEVICES}
    cache = torch.is_autocast_cache_enabled()
    try:
        for device, (dtype, enabled) in state.items():
            torch.set_autocast_dtype(device, dtype)
            torch.set_autocast_enabled(device, enabled)
        torch.set_autocast_cache_enabled(False)  # It would keep casts of fakes.
        yield
    finally:
        for device, (dtype, enabled) in before.items():
            torch.set_autocast_dtype(device, dtype)
            torch.set_autocast_enabled(device, enabled)
        torch.set_autocast_cache_enabled(cache)


class Autocast:
    """The state at the call that is imported; at the start that of the thread, under which the graph runs as well."""

    def __init__(self):
        self.states = [{device: (torch.get_autocast_dtype(device), torch.is_autocast_enabled(device)) for device in DEVICES}]

    @property
    def enabled(self):
        return any(enabled for _, enabled in self.states[-1].values())

    def enter(self, device, dtype=None, enabled=True):
        known = self.states[-1]
        self.states.append({**known, device: (dtype or torch.get_autocast_dtype(device), bool(enabled))} if device in known else known)

    def exit(self):
        self.states.pop()

    @contextlib.contextmanager
    def suspended(self):
        """A block whose calls have their casts."""
        self.states.append({device: (dtype, False) for device, (dtype, _) in self.states[-1].items()})
        try:
            yield
        finally:
            self.states.pop()

    def active(self):
        """A block in which calls on fakes cast as the imported call does."""
        return _set(self.states[-1]) if self.enabled else contextlib.nullcontext()

    def outside(self):
        """A block in which PyTorch casts nothing by itself."""
        return _set({device: (dtype, False) for device, (dtype, _) in self.states[0].items()}) if self.enabled else contextlib.nullcontext()


class _Dispatched(TorchDispatchMode):
    """The ops that a call dispatches to, with the dtypes of what they take and give, casts left out."""

    def __init__(self):
        super().__init__()
        self.ops = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        # Autocast also asks for devices.
        if function is not torch.ops.aten._to_copy.default and function.namespace != "prim":
            self.ops.append((function, *(value.dtype for value in flatten([list(args), kwargs or {}, result]) if isinstance(value, torch.Tensor))))
        return result


def _dispatched(importer, call, state, convert=lambda fake: fake):
    """What a call dispatches to under a state, of converted operands; None if PyTorch refuses them."""
    def put(value):
        if isinstance(value, torch.Tensor):
            return convert(value)
        if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
            return type(value)(put(v) for v in value)
        return {k: put(v) for k, v in value.items()} if isinstance(value, dict) else value

    def run(*args, **kwargs):
        with _set(state), _Dispatched() as seen:
            call.target(*put(list(args)), **put(kwargs))
        return seen

    try:
        seen = importer.replay.probe(run, importer.fakes(call.args), importer.fakes(call.kwargs))
    except Exception:  # noqa: BLE001: operands that are refused, whatever it is that refuses them
        return None
    return seen


def _casts(value, dtype):
    """True for what autocast casts to a dtype."""
    return isinstance(value, torch.Tensor) and value.dtype.is_floating_point and value.dtype not in (torch.float64, dtype)


def may_cast(call):
    """True for calls that run as a whole; what a graph among the arguments casts, its own calls say."""
    return not call.key.startswith("higher_order.") and callable(call.target) and has_tensor((call.args, call.kwargs))


def applied(importer, call, written):
    """NOT_DONE once the call's operands are what autocast makes of them, else the result of the call's ATen graph."""
    state = importer.autocast.states[-1]
    off = {device: (dtype, False) for device, (dtype, _) in state.items()}
    want, plain = _dispatched(importer, call, state), _dispatched(importer, call, off)
    if want is None or plain is not None and want.ops == plain.ops:
        return NOT_DONE
    for dtype in {**dict.fromkeys(dtype for dtype, enabled in state.values() if enabled), torch.float32: None} if not written else ():
        made = _dispatched(importer, call, off, lambda fake, dtype=dtype: fake.to(dtype) if _casts(fake, dtype) else fake)
        if made is not None and made.ops == want.ops:
            call.args, call.kwargs = _converted(importer, call.args, dtype), _converted(importer, call.kwargs, dtype)
            return NOT_DONE
    if written:
        raise Unsupported("a write under autocast that casts its operands is not modelled")
    return _traced(importer, call)


def _converted(importer, value, dtype):
    if isinstance(value, Tensor):
        if not _casts(value.fake, dtype):
            return value
        fake = importer.replay.probe(torch.Tensor.to, [value.fake, dtype], {})
        return importer.register(importer.fresh(importer.cast(importer.value(value), importer.type_of(fake).dtype), fake))
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(_converted(importer, v, dtype) for v in value)
    return {k: _converted(importer, v, dtype) for k, v in value.items()} if isinstance(value, dict) else value


def _traced(importer, call):
    """The call's ATen graph under autocast, imported in its place."""
    from . import handlers
    state, target = importer.autocast.states[-1], call.target

    def under(*args, **kwargs):
        with _set(state):
            return target(*args, **kwargs)

    with importer.autocast.suspended():
        module, tensors = handlers.decompose.trace(importer, call, under, {})
        result = handlers.higher_order.inline(importer, module, tensors)
    return result[0] if isinstance(call.fake, torch.Tensor) and isinstance(result, (list, tuple)) else result
