# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Walks an FX graph and builds the fxgraph one.

Each call is first run on fake tensors (replay.py): they tell what it aliases,
writes or gives another shape. Then it is lowered. A node's callable has a key
("aten.add.Tensor", "torch.cat", "Tensor.view", "operator.getitem"), which is
lowered by the first that applies:

1. a special form (handlers registered by key: getitem, size, to, …);
2. in-place: the functional callable of the same name, then a write (tracker.py);
3. the op table: arguments bind to the op's operands and attributes, a handler
   registered for the op puts them in canonical form, promotion inserts casts;
4. otherwise `fxgraph.opaque` with every argument kept, and an entry in
   `unknown_ops`.

A handler that meets an instance it cannot express raises Unsupported; what it
has emitted is taken back, and the call becomes what PyTorch defines it by
(handlers/decompose.py) or, where that has no form either, opaque. So it does if
it missed a write that PyTorch made; what aliases what is put right (`settle`).
"""

import builtins
import functools
import itertools
import math
import operator
import os
import re
import sys

import torch
import torch.fx

from . import aliases, dtypes, ir, layout, opaque, pieces, promote, symbols, table
from .assumptions import Assumptions
from ..errors import FxGraphError, ImportFailure
from ..outputs import Outputs
from .replay import GuardError, flatten, signature, storage_of, version_of
from .tracker import Step, Storage, Tensor


class Unsupported(Exception):
    """This instance of the callable has no exact form in the dialect."""


class Undecomposable(Unsupported):
    """… nor have the ops that PyTorch defines it by: nothing is left to be tried."""


class UnknownOp:
    """An op that stayed opaque: callable, reason and where it was called."""

    def __init__(self, target, node, reason, location):
        self.target, self.node, self.reason, self.location = target, node, reason, location

    def __str__(self):
        return f"{self.target} ({self.node}) at {self.location}: {self.reason}"

    __repr__ = __str__


# What an op's location is: source line and node's name, the name alone, nothing.
LOCATIONS = ("file", "name", "none")

# Registries, filled by the modules of handlers/.
SPECIAL = {}    # key -> function(importer, call): the result, or raises Unsupported
BY_OP = {}      # op name -> function(importer, call): NOT_DONE to go on with the general form
NOT_DONE = object()


def special(*keys):
    """Registers a handler for callables by key."""
    def wrap(function):
        for key in keys:
            SPECIAL[key] = function
        return function
    return wrap


def by_op(*names):
    """Registers a handler for all callables of an op of the table."""
    def wrap(function):
        for name in names:
            BY_OP[name] = function
        return function
    return wrap


class Call:
    """One call in the source graph, and its binding to an op of the table."""

    __slots__ = ("node", "key", "target", "args", "kwargs", "fake", "ran", "op", "bound", "given", "hint", "written")

    def __init__(self, node, key, target, args, kwargs, fake, ran=True):
        """`ran`: the metas' storages are those of a run on the arguments' fakes. `written`: what becomes the result in place, or None."""
        self.node, self.key, self.target = node, key, target
        self.args, self.kwargs, self.fake, self.ran = args, kwargs, fake, ran
        self.op, self.bound, self.given, self.written = None, {}, set(), None
        self.hint = node.name if node is not None else None

    def take(self, name, default=None):
        """Removes and returns a bound parameter."""
        value = self.bound.pop(name, default)
        return value

    @property
    def method(self):
        return self.key.rpartition(".")[2] if self.key.startswith("Tensor.") else self.key.split(".")[1]


# Python's operators on tensors that write their first operand.
INPLACE_OPERATORS = {
    "iadd": "add", "isub": "sub", "imul": "mul", "itruediv": "truediv", "ifloordiv": "floordiv", "imod": "mod",
    "ipow": "pow", "iand": "and_", "ior": "or_", "ixor": "xor", "imatmul": "matmul", "ilshift": "lshift",
    "irshift": "rshift"}


def first_named(key, target, kwargs):
    """(key, callable, keyword arguments) under the callable's first name, where the table only has that."""
    known = table.signatures_by_key()
    first = None if key in known or key in SPECIAL else aliases.first_name(key)
    if first is None:
        return key, target, kwargs
    owner, name, overload = first
    twin = target
    if isinstance(target, torch._ops.OpOverload):
        twin = aliases.first_overload(target, name)
        if twin is None:
            return key, target, kwargs
        overload, kwargs = [twin._overloadname], aliases.renamed(target, twin, kwargs)
    renamed = ".".join([owner, name, *overload])
    return (renamed, twin, kwargs) if renamed in known or renamed in SPECIAL else (key, target, kwargs)


def _public_names():
    """{id(function): key} for torch functions that the table or a handler names."""
    names = {}
    keys = sorted(set(table.signatures_by_key()) | set(SPECIAL), key=lambda k: (k.count("."), k))
    for key in keys:
        parts = key.split(".")
        if parts[0] == "torch":
            owner = torch
        elif parts[0] == "operator":
            owner = operator
        elif parts[0] == "builtins":
            owner = builtins
        else:
            continue
        try:
            for part in parts[1:]:
                owner = getattr(owner, part)
        except AttributeError:
            continue  # not in this version of PyTorch
        names.setdefault(id(owner), key)
    return names


_NAMES = None


def callable_key(target):
    """The table's key of a call_function target."""
    global _NAMES
    if isinstance(target, torch._ops.OpOverload):
        return f"{target.namespace}.{target._schema.name.split('::')[1]}.{target._overloadname}"
    if isinstance(target, torch._ops.OpOverloadPacket):
        return f"{target._qualified_op_name.replace('::', '.')}.default"
    if isinstance(target, torch._ops.HigherOrderOperator):
        return f"higher_order.{target.name()}"
    if _NAMES is None:
        _NAMES = _public_names()
    key = _NAMES.get(id(target))
    if key:
        return key
    name = getattr(target, "__name__", None) or type(target).__name__
    module = getattr(target, "__module__", None) or ""
    owner = getattr(target, "__objclass__", None)
    if owner is not None and issubclass(torch.Tensor, owner):
        return f"Tensor.{name}"
    if getattr(torch.Tensor, name, None) is target:
        return f"Tensor.{name}"
    if module in ("_operator", "operator"):
        return f"operator.{name}"
    if module in ("torch._C", "torch._C._VariableFunctions", "") and getattr(torch, name, None) is target:
        return f"torch.{name}"
    if not module and "built-in" in repr(target):
        for prefix, owner in (("torch", torch), ("torch.nn.functional", torch.nn.functional), ("torch._C._nn", torch._C._nn),
                              ("torch.special", torch.special), ("torch.linalg", torch.linalg)):
            if getattr(owner, name, None) is target:
                return f"{prefix}.{name}"
    return f"{module}.{name}" if module else name


class Importer:
    """State of one import."""

    def __init__(self, level, replay, locations="file", strict=False, name="main", regions=False):
        self.graph = ir.Graph(name, level)
        self.level, self.replay, self.fake_mode = level, replay, replay.mode
        self.must_run = False  # calls have no metas: the replay's are all there are
        self.guarded = True  # who runs the graph checks the conditions on sizes under which it was traced
        if locations not in LOCATIONS:
            raise ImportFailure(f"expected locations to be {', '.join(LOCATIONS)} but got {locations!r}")
        self.locations, self.strict, self.regions = locations, strict, regions
        self.env = {}
        self.unknown = []
        self.weights = {}
        self.storages = []  # of arguments, in order
        self.arguments = []  # (tensor, its signature and storage at the start)
        self.by_storage = {}  # storage_of(fake) -> (Storage, PyTorch's, which is kept alive)
        self.by_fake = {}  # id(fake) -> the tensors that are this object in PyTorch
        self.moved = []  # fakes of tensors whose shape or storage was changed in place
        self.assumptions = Assumptions()
        self.autocast = autocast.Autocast()
        self.loc = "loc(unknown)"
        self.constants = {}
        self.symbols = symbols.Symbols(self)
        self.device = None
        self.outputs = Outputs()
        self.node = None
        self.candidates = {}  # argument value -> small constant tensor
        self.owner = None
        self.subgraphs = []  # of opaque higher-order ops
        self.module_tensors = {}  # of modules that are called: {target: {name: tensor}}

    # -- types ------------------------------------------------------------

    def type_of(self, fake):
        """Tensor type of a (fake) tensor."""
        dims = [self.symbols.dim(s) for s in fake.shape]
        device = str(fake.device)
        if device.endswith(":0") or ":" not in device:
            device = device.split(":")[0]
        if self.device is None and device not in ("cpu", "meta"):
            self.device = device
        default = self.device or "cpu"
        return ir.TensorType(dtypes.mlir_dtype(fake.dtype), dims, None if device in (default, "meta") else device)

    def fake_call(self, function, args, kwargs):
        """Result meta of a call on the arguments' metas."""
        return self.replay.probe(function, self.fakes(args), self.fakes(kwargs))

    @staticmethod
    def fakes(arguments):
        """Arguments with the fakes of their tensors."""
        def meta(x):
            if isinstance(x, Tensor):
                return x.fake
            if isinstance(x, (list, tuple)) and not isinstance(x, torch.Size):
                return type(x)(meta(y) for y in x) if type(x) in (list, tuple) else [meta(y) for y in x]
            if isinstance(x, dict):
                return {k: meta(v) for k, v in x.items()}
            if isinstance(x, slice):
                return slice(meta(x.start), meta(x.stop), meta(x.step))
            return x
        return meta(arguments)

    # -- emission ---------------------------------------------------------

    def emit_raw(self, name, operands, result_types, properties=(), attrs=(), hint=None, regions=()):
        return self.graph.add_op(name, operands, result_types, properties, attrs, self.loc, hint or (self.node and self.node.name), regions)

    def emit(self, op_name, operands, result_types, hint=None, **attrs):
        """An op of the table. `operands` follows the table: values, None or lists."""
        op = table.load_table()[op_name]
        flat, segments = [], []
        for spec, operand in zip(op.operands, operands, strict=True):
            group = list(operand) if spec["arity"] == "variadic" else ([] if operand is None else [operand])
            if spec["arity"] == "single" and len(group) != 1:
                raise Unsupported(f"expected a tensor for {spec['name']}")
            flat += group
            segments.append(len(group))
        if op_name != "clone" and any(value.type.dtype.startswith("complex") for value in flat if isinstance(value.type, ir.TensorType)):
            raise Unsupported("the dialect has no complex numbers")
        properties = []
        for spec in op.attrs:
            text = attribute_text(spec, attrs.pop(spec["name"], None))
            if text is not None:
                properties.append((spec["name"], text))
        if attrs:
            raise AssertionError(f"fxgraph.{op_name} has no attributes {sorted(attrs)}")
        if op.segments:
            properties.append(("operandSegmentSizes", ir.attr_i32_array(segments)))
        if op.same_type and len(result_types) == 1 and flat:
            result_types = [flat[0].type]
        return self.emit_raw(f"fxgraph.{op_name}", flat, result_types, properties, hint=hint)

    def assert_scalar(self, condition, message):
        """A check of a condition on sizes when the graph runs."""
        self.assert_condition(self.symbols.condition(condition), message)

    def assert_condition(self, value, message):
        self.emit_raw("fxgraph.assert_scalar", [value], [], [("message", ir.attr_str(message))])

    def constant(self, value, dtype):
        """A rank-0 constant; equal ones are shared."""
        key = (repr(value), dtype)
        known = self.constants.get(key)
        if known is None:
            text = ir.dense_scalar(value, dtype)
            known, = self.emit_raw("fxgraph.constant", [], [ir.TensorType(dtype, ())], [("value", text)], hint="cst")
            self.constants[key] = known
        return known

    def cast(self, value, dtype):
        """`value` as another element type; itself if it has it."""
        if value.type.dtype == dtype:
            return value
        if value.type.dtype.startswith("complex") or dtype.startswith("complex"):
            raise Unsupported("casts of complex numbers are not modelled")
        return self.emit("convert_element_type", [value], [value.type.with_dtype(dtype)],
                         hint=f"{self.node.name if self.node else 'v'}_cast")[0]

    def value(self, x):
        """SSA value of a tensor argument."""
        if isinstance(x, Tensor):
            return x.read()
        if isinstance(x, ir.Value):
            return x
        raise Unsupported(f"expected a tensor but got {type(x).__name__}")

    def fresh(self, value, fake):
        """A tensor in its own storage."""
        return Tensor(Storage(value, fake), (), fake)

    def sizes(self, shape):
        """(size operands, static shape with DYNAMIC for them) of a list of ints and SymInts."""
        operands, static = [], []
        for extent in shape:
            if isinstance(extent, Tensor):
                raise Unsupported("a size that is a tensor is not modelled")
            known = symbols.as_int(extent)
            if known is not None:
                static.append(known)
            else:
                operands.append(self.symbols.materialize(extent))
                static.append(ir.DYNAMIC)
        return operands, static

    def emit_reshape(self, value, result_type, op="reshape", shape=None, hint=None):
        """reshape/view to the shape (ints, SymInts; default: the type's own dims)."""
        sizes, static = self.sizes(result_type.dims if shape is None else shape)
        return self.emit(op, [value, sizes], [result_type], shape=static, hint=hint)[0]

    # -- nodes ------------------------------------------------------------

    def lookup(self, arg):
        """A node's argument with nodes replaced by what they mean here."""
        if isinstance(arg, torch.fx.Node):
            return symbols.plain(self.env[arg])
        if isinstance(arg, (list, tuple)):
            items = [self.lookup(a) for a in arg]
            return tuple(items) if isinstance(arg, tuple) else items
        if isinstance(arg, dict):
            return {k: self.lookup(v) for k, v in arg.items()}
        if isinstance(arg, slice):
            return slice(self.lookup(arg.start), self.lookup(arg.stop), self.lookup(arg.step))
        return arg

    def run(self, gm):
        """Imports all nodes of a GraphModule."""
        with self.autocast.outside():
            self.run_nodes(gm)

    def run_nodes(self, gm):
        self.owner = gm
        nodes, at = list(gm.graph.nodes), 0
        self.replay.changed |= {id(meta_of(changed)) for node in nodes for changed in reshaped_operands(node)}
        while at < len(nodes):
            node = self.node = nodes[at]
            at += 1
            self.loc = self.location(node)
            end = handlers.functorch.region_end(nodes, at - 1) if handlers.functorch.is_start(node) else None
            if end is not None:
                self.lower_region(gm, nodes[at - 1:end + 1])
                at = end + 1
            elif node.op in ("placeholder", "get_attr"):
                if node not in self.env:
                    self.env[node] = self.leaf(gm, node)
            elif node.op == "output":
                self.return_results(node)
            else:
                self.env[node] = self.checked_call(gm, node)
        self.node = None

    def checked_call(self, gm, node):
        """A call of the graph; whatever goes wrong names it."""
        try:
            return self.call(gm, node)
        except FxGraphError:
            raise
        except Exception as error:
            raise ImportFailure(f"node {node.name} ({node.target}) at {self.where(node)}: {type(error).__name__}: {error}") from error

    def lower_region(self, gm, nodes):
        """Imports a region under functorch's transforms, as a whole or not at all: single calls of it say nothing."""
        try:
            handlers.functorch.lower_region(self, gm, nodes)
        except Unsupported as error:
            raise ImportFailure(f"node {nodes[0].name} ({nodes[0].target}) at {self.where(nodes[0])}: {error}") from None

    def leaf(self, gm, node):
        """get_attr of something that is not a weight: subgraphs, constants of Python."""
        value = gm
        for part in node.target.split("."):
            value = getattr(value, part)
        return value

    def call(self, gm, node):
        args, kwargs = self.lookup(node.args), self.lookup(node.kwargs)
        if node.op == "call_method":
            if not isinstance(args[0], Tensor):
                return getattr(args[0], node.target)(*args[1:], **kwargs)  # of a size, a list, a number
            key, target = f"Tensor.{node.target}", getattr(torch.Tensor, node.target, None)
        elif node.op == "call_module":
            module = gm.get_submodule(node.target)
            key, target = f"module.{type(module).__name__}", functools.partial(call_functionally, module)
            args, kwargs = [self.module_tensors[node.target], list(args), kwargs], {}
        else:
            target = self.overload_of(node.target, args, kwargs) if isinstance(node.target, torch._ops.OpOverloadPacket) else node.target
            key = callable_key(target)
        call = Call(node, key, target, list(args), self.rename_numpy(node, key, kwargs), meta_of(node))
        operands = self.assumptions.before(args, kwargs)
        seen = Observed(self, call, args, kwargs)
        self.assumptions.check(call, operands)
        if seen.reshaped:
            return self.rebind(call, seen)
        if not self.autocast.enabled or not autocast.may_cast(call):
            return self.lower_call(call, seen)
        try:
            result = autocast.applied(self, call, bool(seen.written))
        except Unsupported as error:
            raise ImportFailure(f"node {node.name} ({call.key}) at {self.where(node)}: {error}") from None
        if result is not NOT_DONE:
            return self.settle(call, result, call.fake)
        with self.autocast.suspended():  # What the call is made of has its casts.
            return self.lower_call(call, seen)

    def lower_call(self, call, seen):
        """The result of a call that has run on fakes, by the first way that takes it."""
        node, state = call.node, self.checkpoint()
        if call.ran and is_doubtful(call):
            self.check_accepted(call)
        elif call.ran and is_pointwise_of_integers(call):
            self.check_accepted(call, small=True)
        if not self.guarded:
            pieces.check(self, call)
        reason = None
        # What draws or writes is not tried again: a trace might leave out a part of it.
        ways = [self.lower] if seen.written else [self.lower, functools.partial(handlers.decompose.lower_by_definition, self)]
        for lower in ways:
            try:
                with self.replay.guarded():
                    result = lower(self.by_first_name(call))
                    seen.check_writes()
                    return self.settle(call, result, call.fake)
            except GuardError:
                error = "it would make a symbolic size a number"
            except Undecomposable as failure:
                reason = reason or str(failure)
                self.rollback(state)
                break
            except (Unsupported, OverflowError) as failure:
                error = str(failure) or "not modelled"
            if reason is None or reason == handlers.complex.NO_FORM and error.startswith("its decomposition has"):
                reason = error
            self.rollback(state)
        try:
            return self.settle(call, self.lower_opaque(call, reason, seen.written), call.fake)
        except Unsupported as error:
            raise ImportFailure(f"node {node.name} ({call.key}) at {self.where(node)}: {error}") from None

    def by_first_name(self, call):
        """The call under its callable's first name; an opaque op keeps it as it was written."""
        key, target, kwargs = first_named(call.key, call.target, call.kwargs)
        if key == call.key:
            return call
        return Call(call.node, key, target, call.args, self.rename_numpy(call.node, key, kwargs), call.fake, call.ran)

    # -- what PyTorch's fakes tell -----------------------------------------

    def register(self, tensor):
        """Records a tensor's fake: calls that return it, or share its storage, are seen to."""
        torch_storage = storage_of(tensor.fake)
        if torch_storage is not None:
            self.by_storage.setdefault(torch_storage, (tensor.storage, tensor.fake.untyped_storage()))
            tensor.storage.known = True
        self.by_fake.setdefault(id(tensor.fake), []).append(tensor)
        return tensor

    def settle(self, call, result, fake):
        """The results with PyTorch's aliases."""
        if isinstance(result, Tensor) and isinstance(fake, torch.Tensor):
            return self.settle_tensor(call, result, fake)
        if has_tensor(result) and isinstance(result, (list, tuple)) and isinstance(fake, (list, tuple)) and len(result) == len(fake):
            return [self.settle(call, r, f) for r, f in zip(result, fake)]
        return result

    def settle_tensor(self, call, result, fake):
        if not call.ran and id(result.fake) in self.by_fake:
            return result  # of an inlined graph, whose calls were settled
        known, _ = self.by_storage.get(storage_of(fake), (None, None))
        if call.ran and known is None and storage_of(fake) is not None and result.storage.known:
            # PyTorch makes a copy.
            result = handlers.complex.copy_of(self, result, fake) if handlers.complex.is_pair(result) else self.fresh(result.read(), fake)
        elif call.ran and known is not None and known is not result.storage:
            result = self.alias(call, known, result, fake)
        elif result.fake is not fake:
            result = Tensor(result.storage, result.chain, fake)
        return self.register(result)

    def alias(self, call, storage, result, fake):
        """What a handler took for a value of its own, as the view of a storage that it is."""
        for operand in operands_of(call):
            if operand.storage is storage and signature(operand.fake) == signature(fake):
                return Tensor(storage, operand.chain, fake)
        return opaque.strided_view(self, storage, fake, result.read())

    def aliases(self, call, source):
        """True if PyTorch's result shares the input's storage."""
        if call.ran:
            return any(isinstance(f, torch.Tensor) and same_storage(f, source.fake) for f in flatten(call.fake))
        if isinstance(call.target, torch._ops.OpOverload):
            return any(r.alias_info is not None for r in call.target._schema.returns)
        return True

    def rebind(self, call, seen):
        """x.t_(), x.resize_(…), x.set_(y): x becomes another view; what it shared storage with stays as it is."""
        where = f"node {call.node.name} ({call.key}) at {self.where(call.node)}"
        tensor, before, was_empty = seen.reshaped
        if not was_empty and before is None:
            raise ImportFailure(f"{where}: expected a call that keeps the shapes of its operands but got one that changes them")
        if tensor.storage.fake is tensor.fake and before is not None:
            tensor.storage.fake = before
        try:
            with self.replay.guarded():
                new = self.rebound(call, tensor, before, was_empty)
        except (Unsupported, GuardError) as error:
            raise ImportFailure(f"{where}: a change of shape that is not modelled: {error}") from None
        self.moved.append(tensor.fake)
        for same in self.by_fake[id(tensor.fake)]:
            same.storage, same.chain = new.storage, new.chain
        return tensor if call.fake is tensor.fake else None

    def rebound(self, call, tensor, before, was_empty):
        fake = tensor.fake
        owner, _ = self.by_storage.get(storage_of(fake), (None, None))
        if call.kwargs.get("out") is tensor:
            new = self.fresh(None, fake)
            key, target, kwargs = self.functional_out(call)
            if was_empty:
                self.lay_out(fake, target, call.args, kwargs)
            self.write_result(call, new, key, target, call.args, kwargs)
        elif was_empty and (owner is None or owner is tensor.storage):
            from .handlers.creation import emit_full
            new = self.fresh(emit_full(self, fake, 0.0), fake)
        elif owner is tensor.storage:
            return self.view_again(call, Tensor(tensor.storage, tensor.chain, before), fake)
        elif owner is not None:
            return self.alias(call, owner, next(o for o in operands_of(call) if o.storage is owner), fake)
        else:
            raise Unsupported("the new storage is not known")
        self.by_storage[storage_of(fake)], new.storage.known = (new.storage, fake.untyped_storage()), True
        return new

    def lay_out(self, out, target, args, kwargs):
        """Gives the fake of an out= that had no memory the strides that it gets: those of the result without out=. Fakes of
        such a call are contiguous."""
        result = self.fake_call(target, args, kwargs) if target is not None else None
        if isinstance(result, torch.Tensor) and signature(result)[0] == signature(out)[0] and signature(result) != signature(out):
            self.replay.call(out.as_strided_, [result.shape, result.stride()], {})

    def view_again(self, call, old, fake):
        """The view of the old shape that an in-place call makes: its functional twin's, or one of strides."""
        twin = self.functional_target(call)
        if twin is not None and twin[1] is not None:
            args, state = [old, *call.args[1:]], self.checkpoint()
            try:
                key, target, kwargs = first_named(*twin, call.kwargs)
                inner = Call(call.node, key, target, args, dict(kwargs), self.fake_call(target, args, kwargs))
                view = self.settle(inner, self.lower(inner), inner.fake)
                if view.storage is old.storage and signature(view.fake) == signature(fake):
                    return view
            except (Unsupported, RuntimeError, TypeError, ValueError):
                pass  # Tensor.resize is no view, squeeze_ may have arguments that squeeze does not take
            self.rollback(state)
        return opaque.strided_view(self, old.storage, fake)

    def overload_of(self, packet, args, kwargs):
        """The overload that a call of all overloads chooses; the packet where none fits."""
        try:
            name = self.fake_call(lambda *a, **k: torch._C._jit_resolve_packet(packet._qualified_op_name, *a, **k), args, kwargs)
        except RuntimeError:
            return packet
        return getattr(packet, name or "default")

    def checkpoint(self):
        return (self.graph.checkpoint(), len(self.constants), len(self.symbols.values), len(self.unknown), len(self.symbols.sources),
                len(self.moved), len(self.by_fake))

    def rollback(self, state):
        self.graph.rollback(state[0])
        ir.truncate(self.constants, state[1])
        ir.truncate(self.symbols.values, state[2])
        del self.unknown[state[3]:]
        del self.symbols.sources[state[4]:]
        # What was made in the meantime is gone with its shape; of what was there before, PyTorch's fake has the new one already.
        before = set(itertools.islice(self.by_fake, state[6]))
        moved = [fake for fake in self.moved[state[5]:] if id(fake) in before]
        del self.moved[state[5]:]
        if moved:
            raise ImportFailure(f"node {self.node.name} at {self.where(self.node)}: a change of shape in a graph that stays whole is not modelled")

    def rename_numpy(self, node, key, kwargs):
        """The keyword arguments, none of them twice. The table binds NumPy's names by
        itself; handlers of special forms see PyTorch's."""
        if not key.startswith(("torch.", "Tensor.")):
            return dict(kwargs)
        for second, first in table.SYNONYMS.items():
            if second in kwargs and first in kwargs:
                raise ImportFailure(f"node {node.name} ({key}) at {self.where(node)}: expected one of {first} and {second} but got both")
        renamed = {"axis": "dim", "keepdims": "keepdim"} if key in SPECIAL else {}
        return {renamed.get(name, name): value for name, value in kwargs.items()}

    def lower(self, call):
        """The result of a call, by the four rules of the module's comment."""
        if call.key.startswith("module."):
            return handlers.decompose.lower_module(self, call)
        pairs = handlers.complex.lower(self, call)
        if pairs is not NOT_DONE:
            return pairs
        handler = SPECIAL.get(call.key)
        if handler:
            result = handler(self, call)
            if result is not NOT_DONE:
                return result
        if not has_tensor((call.args, call.kwargs)) and not creates_tensor(call):
            folded = self.fold_python(call)
            if folded is not NOT_DONE:
                return folded
        written = self.lower_inplace(call)
        if written is not NOT_DONE:
            return written
        try:
            self.bind(call)
        except Unsupported:
            if not handlers.decompose.is_pytorch(call):
                raise
            return handlers.decompose.lower(self, call)
        return self.lower_op(call)

    def fold_python(self, call):
        """Arithmetic on Python numbers and symbolic sizes: the meta is the value."""
        if call.fake is not None and not has_tensor(call.fake) and not isinstance(call.fake, torch.Tensor):
            return call.fake
        if call.key.startswith(("operator.", "builtins.", "math.")) and callable(call.target):
            return call.target(*call.args, **call.kwargs)
        return NOT_DONE

    def functional_target(self, call):
        """(key, callable) of the out-of-place twin of an in-place call, or None."""
        owner, _, last = call.key.rpartition(".")
        if call.key.startswith("operator.") and last in INPLACE_OPERATORS:
            name = INPLACE_OPERATORS[last]
            return f"operator.{name}", getattr(operator, name)
        if isinstance(call.target, torch._ops.OpOverload):
            schema = call.target._schema
            name = schema.name.split("::")[1]
            if not schema.is_mutable or not name.endswith("_") or name.endswith("__"):
                return None
            twin = functional_overload(call.target, name[:-1])
            if twin is None:
                return f"{call.target.namespace}.{name[:-1]}.{call.target._overloadname}", None
            return callable_key(twin), twin
        if last.endswith("_") and not last.endswith("__") and not call.key.startswith("operator."):
            if call.key.startswith("Tensor."):
                key = f"Tensor.{last[:-1]}"
                return key, None if relies_on_default(last, len(call.args) + len(call.kwargs)) else getattr(torch.Tensor, last[:-1], None)
            module = sys.modules.get(owner)
            if module is not None or owner in ("torch._C._nn",):
                module = module or torch._C._nn
                return f"{owner}.{last[:-1]}", getattr(module, last[:-1], None)
        return None

    def functional_out(self, call):
        """(key, callable, keyword arguments) of a call with out= without it."""
        kwargs = {name: value for name, value in call.kwargs.items() if name != "out"}
        if not isinstance(call.target, torch._ops.OpOverload):
            return first_named(call.key, call.target, kwargs)
        target = functional_overload(call.target, call.target._schema.name.split("::")[1])
        if target is None:
            raise Unsupported("no functional form is known")
        return first_named(callable_key(target), target, kwargs)

    def lower_inplace(self, call):
        """In-place spellings: x.add_(y), x += y, relu(x, inplace=True), out=."""
        if call.kwargs.get("out") is not None:
            out = call.kwargs["out"]
            if not isinstance(out, Tensor):
                raise Unsupported("expected one tensor for out=")
            if opaque.overlaps_itself(out.fake):
                raise Unsupported("it writes elements of which some lie in one place")
            return self.write_out(call, out)
        if call.ran and call.args and isinstance(call.args[0], Tensor) and call.fake is call.args[0].fake and is_inplace_view(call.target, call.key):
            return call.args[0]  # detach_, squeeze_ where there is nothing to squeeze
        twin = self.functional_target(call)
        if twin is not None:
            if not call.args or not isinstance(call.args[0], Tensor):
                raise Unsupported("expected a tensor to write to")
            if opaque.overlaps_itself(call.args[0].fake):
                raise Unsupported("it reads elements that it has written before: they lie in one place")
            key, target, kwargs = first_named(*twin, call.kwargs)
            if target is None and key not in SPECIAL:
                raise Unsupported("no functional form is known")
            return self.write_result(call, call.args[0], key, target, with_defaults(call.target, call.args, kwargs), kwargs)
        for signature in table.signatures_by_key().get(call.key, ()):
            if not any(p.target == "_inplace" for p in signature.params):
                continue
            bound = signature.bind(call.args, call.kwargs)
            if bound and bound["_inplace"][0]:
                first = bound[signature.params[0].target][0]
                position = next(i for i, p in enumerate(signature.params) if p.target == "_inplace")
                args = call.args[:position]
                kwargs = {k: v for k, v in call.kwargs.items() if k != "inplace"}
                return self.write_result(call, first, call.key, call.target, args, kwargs)
        return NOT_DONE

    def write_out(self, call, out):
        """out= of another dtype than the result's: point-wise ops convert what they have computed, reductions compute in it."""
        key, target, kwargs = self.functional_out(call)
        fake, wanted = self.fake_call(target, call.args, kwargs), out.fake.dtype
        if isinstance(fake, torch.Tensor) and fake.dtype != wanted:
            self.check_accepted(call)
            inner = Call(call.node, key, target, list(call.args), kwargs, fake)
            self.bind(inner)
            if "_dtype" in inner.bound and inner.bound["_dtype"] is None:
                kwargs = {**kwargs, "dtype": wanted}
            elif inner.op.promotion not in promote.KINDS:
                raise Unsupported(f"out= of another dtype than {fake.dtype} is not modelled")
        return self.write_result(call, out, key, target, call.args, kwargs)

    def write_result(self, call, destination, key, target, args, kwargs):
        """destination <- functional call, cast to the destination's dtype."""
        fake = None
        if target is not None:
            fake = self.fake_call(target, args, kwargs)
        inner = Call(call.node, key, target, list(args), dict(kwargs), fake)
        inner.written = destination
        result = self.lower(inner)
        if not isinstance(result, Tensor):
            raise Unsupported("expected one tensor from the functional form")
        self.assign(destination, result.read())
        return destination

    def assign(self, destination, value):
        """Writes a value, cast and broadcast to the destination."""
        type_ = self.type_of(destination.fake)
        value = self.cast(value, type_.dtype)
        uniform = count_elements(value.type) == 1
        if value.type.dims != type_.dims:
            # Of one rank, dynamic extents may be the same under other names.
            repeated = any(have == 1 and wanted != 1 for have, wanted in zip(value.type.dims, type_.dims))
            if repeated or len(value.type.dims) != len(type_.dims) or all(isinstance(d, int) for d in type_.dims):
                value = self.expand_to(value, type_)
        self.write(destination, value, uniform)

    def write(self, destination, value, uniform=False):
        """Makes a value a tensor's content. `uniform`: its elements are equal, which alone may be written to repeated ones."""
        if not uniform and opaque.repeats_elements(destination.fake):
            raise Unsupported("a write to a tensor that repeats elements is not modelled")
        if any(step.overlaps for step in destination.chain[:-1]):
            # A part of a view of which elements share memory: what it changes beside is seen in the memory itself.
            destination = opaque.strided_view(self, destination.storage, destination.fake)
        destination.write(value)

    def expand_to(self, value, type_):
        """Broadcast to the dims of a type."""
        if value.type.dims == type_.dims:
            return value
        sizes, static = self.sizes(type_.dims)
        return self.emit("expand", [value, sizes], [ir.TensorType(value.type.dtype, type_.dims, value.type.device)], shape=static)[0]

    def bind(self, call):
        """Finds the table's op for a call: the first signature that fits best."""
        best = None
        for signature in table.signatures_by_key().get(call.key, ()):
            bound = signature.bind(call.args, call.kwargs)
            if bound is None:
                continue
            op = table.load_table()[signature.op]
            if isinstance(call.fake, (list, tuple)) == (len(op.results) == 1 and op.results[0]["arity"] == "single"):
                continue  # a tuple where the op has one result, or the reverse
            score = fit(op, bound)
            if score is not None and (best is None or score > best[0]):
                best = (score, signature, bound)
        if best is None:
            known = call.key in table.signatures_by_key()
            raise Unsupported("its arguments fit no known signature" if known else "the dialect has no op for it")
        _, signature, bound = best
        call.op = table.load_table()[signature.op]
        call.bound = {k: v for k, (v, _) in bound.items()}
        call.given = {k for k, (_, given) in bound.items() if given}

    def check_accepted(self, call, small=False):
        """Fakes take more than PyTorch: matrices of two dtypes, an out= of any."""
        reason = self.replay.refusal(call.target, self.fakes(call.args), self.fakes(call.kwargs), small) if call.target is not None else None
        if reason is not None:
            raise ImportFailure(f"node {call.node.name} ({call.key}) at {self.where(call.node)}: PyTorch refuses this call: {reason}")

    def lower_op(self, call):
        """A bound call: the op's handler, then the general form."""
        if call.op.promotion == "contraction" and any(t.fake.dtype == torch.bool for t in operands_of(call)):
            self.check_accepted(call)  # PyTorch has no products of bools
        handler = BY_OP.get(call.op.name)
        if handler:
            result = handler(self, call)
            if result is not NOT_DONE:
                return result
        return self.general(call)

    def general(self, call):
        """Operands, promotion, attributes, result types: every op without quirks."""
        op = call.op
        for name, value in call.bound.items():
            if name.startswith("_") and name in call.given and name not in table.HARMLESS and value not in (None, False):
                raise Unsupported(f"{name[1:]}={value!r} is not modelled")
        operands, dtype = promote.operands(self, call)
        attrs = {spec["name"]: call.bound.get(spec["name"]) for spec in op.attrs}
        fakes = list(call.fake) if isinstance(call.fake, (list, tuple)) else [call.fake]
        if any(not isinstance(f, torch.Tensor) for f in fakes):
            raise Unsupported("the result's type is not known")
        wanted = [self.type_of(f) for f in fakes]
        inferred = promote.result_types(op, operands, wanted, dtype)
        results = self.emit(op.name, operands, inferred, **attrs)
        return self.wrap(call, operands, results, wanted, fakes, attrs)

    def wrap(self, call, operands, results, wanted, fakes, attrs):
        """Tensors for an op's results: views of the input's storage, or fresh ones."""
        op = call.op
        source = call.bound.get(op.operands[0]["name"]) if op.operands else None
        if isinstance(source, Tensor) and op.inverse is not None and self.aliases(call, source):
            tensors = [source.view(self.view_step(op.name, operands, results, attrs, i), r, f)
                       for i, (r, f) in enumerate(zip(results, fakes))]
        else:
            tensors = [self.fresh(self.cast(r, w.dtype), f) for r, w, f in zip(results, wanted, fakes)]
        return tensors if isinstance(call.fake, (list, tuple)) else tensors[0]

    def view_step(self, op_name, operands, results, attrs, index):
        """How to redo result `index` of a view op, and how to write through it."""
        source, types, rest = operands[0].type, [r.type for r in results], operands[1:]
        inverse = table.load_table()[op_name].inverse
        if inverse == "pieces":
            # One piece is made again by itself: the others are not needed.
            op_name, attrs, types, index = self.piece(source, attrs.get("dim") or 0, types, index)
            inverse = table.load_table()[op_name].inverse

        def replay(value):
            return self.emit(op_name, [value, *rest], types, **attrs)[index]

        repeats = inverse == "unexpand" and (count_elements(source) is None or count_elements(source) != count_elements(types[index]))
        return Step(replay, self.view_inverse(inverse, op_name, source, attrs, types[index]), repeats)

    @staticmethod
    def piece(source, dim, types, index):
        """(op, attributes, its types, number of the result) for one result of an op that cuts along a dim of known extents."""
        piece = types[index]
        if piece.rank < source.rank:
            return "select", {"dim": dim, "index": index}, [piece], 0
        if not all(isinstance(t.dims[dim], int) for t in types):
            raise Unsupported("a split along a symbolic extent is not modelled")
        start = sum(t.dims[dim] for t in types[:index])
        return "slice", {"dim": dim, "start": start, "end": start + piece.dims[dim], "step": 1}, [piece], 0

    def view_inverse(self, inverse, op_name, source, attrs, type_):
        """function(base, new) -> base with the view's elements replaced by `new`, as the op's ODS field says."""
        if inverse == "unexpand":
            return lambda base, new: self.last_of_repeated(new, source)
        if inverse == "identity":
            return lambda base, new: new
        if inverse == "reshape":
            return lambda base, new: self.emit_reshape(new, source)
        if inverse == "self":
            return lambda base, new: self.emit(op_name, [new], [source], **attrs)[0]
        if inverse == "permutation":
            dims = [d % max(source.rank, 1) for d in attrs["dims"]]
            back = [dims.index(i) for i in range(len(dims))]
            return lambda base, new: self.emit(op_name, [new], [source], dims=back)[0]
        return lambda base, new: self.emit(inverse, [base, new], [source], **attrs)[0]

    def last_of_repeated(self, value, type_):
        """The tensor of which `value`, written as a whole, is an expansion."""
        for _ in range(value.type.rank - type_.rank):
            value, = self.emit("select", [value], [value.type.with_dims(value.type.dims[1:])], dim=0, index=-1)
        for dim, (extent, wanted) in enumerate(zip(value.type.dims, type_.dims)):
            if wanted == 1 and extent != 1:
                dims = [*value.type.dims[:dim], 1, *value.type.dims[dim + 1:]]
                value, = self.emit("slice", [value], [value.type.with_dims(dims)], dim=dim, start=-1, end=ir.INT64_MAX, step=1)
        return value

    # -- opaque -----------------------------------------------------------

    def lower_opaque(self, call, reason, written):
        if call.key.startswith("module."):
            raise ImportFailure(f"node {call.node.name} at {self.where(call.node)}: expected a module that can be traced: {reason}")
        if call.fake is None and not call.ran and call.node.users and not any(k in call.node.meta for k in ("val", "example_value")):
            raise ImportFailure(f"node {call.node.name} ({call.key}) has no meta and is not modelled: {reason}; pass example inputs")
        target = opaque.target_name(call)
        if call.key.startswith("higher_order.") or reason:
            self.unknown.append(UnknownOp(target, call.node.name, reason, self.where(call.node)))
        return opaque.emit(self, call, target, written)

    # -- outputs ----------------------------------------------------------

    def return_results(self, node):
        """The end of the graph. A result that has no value any more is an error at the call that made it."""
        try:
            self.finish(self.lookup(node.args[0]))
        except Unsupported as error:
            source = next((source for source in node.all_input_nodes if not self.is_readable(self.env[source])), node)
            raise ImportFailure(f"node {source.name} ({source.target}) at {self.where(source)}: expected a result that can be returned: {error}") from None

    @staticmethod
    def is_readable(value):
        try:
            return not isinstance(value, Tensor) or value.read() is not None
        except Unsupported:
            return False

    def finish(self, result):
        """Writes back arguments, returns the flat outputs."""
        self.loc = "loc(unknown)"
        self.node = None
        tensors = [flat for flat in flatten(result)]
        values, seen = [], {}
        for item in tensors:
            if isinstance(item, Tensor):
                is_pair = handlers.complex.is_pair(item)
                value = self.value_for_return(handlers.complex.pair_of(item) if is_pair else item, seen)
                self.outputs.append(("complex", len(values)) if is_pair else len(values))
                values.append(value)
            elif isinstance(item, (torch.SymInt, torch.SymFloat, torch.SymBool)):
                self.outputs.append((type(item).__name__[3:].lower(), len(values)))
                values.append(self.number_for_return(item))
            else:
                self.outputs.append(None if item is None else ("python", item))
        for storage in self.storages:
            storage.settle()
            argument = storage.argument
            if storage.version and storage.base is not argument:
                self.emit_raw("fxgraph.copy_", [argument, storage.base], [])
        for tensor, name, before in self.arguments:
            if (signature(tensor.fake), storage_of(tensor.fake)) != before:
                raise ImportFailure(f"expected argument {name} to keep its shape and storage but the graph changes them in place")
        self.graph.returns = values
        self.outputs.capture = layout.describe(self, tensors)
        self.place_constants(tensors)

    def number_for_return(self, number):
        """Sizes are returned as index, other numbers as rank-0 tensors."""
        try:
            if isinstance(number, torch.SymInt) and not self.symbols.of_elements(number):
                return self.symbols.materialize(number)
            return self.symbols.number(number)
        except Unsupported as error:
            raise ImportFailure(f"a result that is a number: {error}") from None

    def value_for_return(self, tensor, seen):
        """A clone where the functional form would alias what PyTorch's result does not."""
        value = tensor.read()
        owner = seen.get(id(value))
        aliased = owner is not None and owner is not tensor.storage
        if value.is_argument:
            own = tensor.storage.argument is value and tensor.storage.version == 0
            aliased = aliased or not own
        if aliased:
            value, = self.emit("clone", [value], [value.type], hint="result")
        seen[id(value)] = tensor.storage
        return value

    def place_constants(self, results):
        """Small constants that nothing writes, and of which no result is a view, become literals instead of arguments."""
        kept_as_they_are = {s.argument for s in self.storages if s.version}
        kept_as_they_are |= {item.storage.argument for item in results if isinstance(item, Tensor)}
        kept, literals = [], []
        for argument in self.graph.arguments:
            tensor = self.candidates.get(argument.value)
            if tensor is None or argument.value in kept_as_they_are:
                kept.append(argument)
                continue
            text = dtypes.tensor_literal(tensor, ir.TensorType(argument.value.type.dtype, argument.value.type.dims))
            literals.append(ir.Op("fxgraph.constant", [], [argument.value], [("value", text)], [], argument.loc))
            argument.value.is_argument = False
            self.weights.pop(argument.name, None)
        self.graph.arguments = kept
        self.graph.ops[:0] = literals

    # -- locations --------------------------------------------------------

    @staticmethod
    def frame(node):
        """(file, line) of the user's call, from the node's stack trace."""
        trace = node.stack_trace or ""
        frames = re.findall(r'File "([^"]+)", line (\d+)', trace)
        if not frames:
            return None
        outside = [f for f in frames if f"{os.sep}torch{os.sep}" not in f[0]]
        file, line = (outside or frames)[-1]
        return shorten(file), int(line)

    def location(self, node):
        if self.locations == "none":
            return "loc(unknown)"
        frame = self.frame(node) if self.locations == "file" else None
        if frame:
            return ir.location(frame[0], frame[1], 0, name=node.name)
        return ir.location(name=node.name)

    @staticmethod
    def where(node):
        """The source line as text, or the node's name."""
        frame = Importer.frame(node)
        return f"{frame[0]}:{frame[1]}" if frame else f"node {node.name}"


def functional_overload(overload, name):
    """The overload of `name` that takes the same arguments, without out=, and writes nothing. The first, which is written, may have another name."""
    packet = getattr(getattr(torch.ops, overload.namespace), name, None)
    if packet is None:
        return None

    def arguments(schema):
        return [(a.name if i else None, str(a.type)) for i, a in enumerate(schema.arguments) if not a.is_out]

    for candidate in packet.overloads():
        twin = getattr(packet, candidate)
        if not twin._schema.is_mutable and arguments(twin._schema) == arguments(overload._schema):
            return twin
    return None


def relies_on_default(name, given):
    """True for an in-place op that, of so many arguments, takes a default which its twin has not: x.bernoulli_() draws with
    p = 0.5, x.bernoulli() with the probabilities x."""
    packet = getattr(torch.ops.aten, name, None)
    for overload in (getattr(packet, o) for o in packet.overloads()) if packet is not None else ():
        twin = functional_overload(overload, name[:-1])
        if twin is not None and any(a.has_default_value() and not b.has_default_value()
                                    for a, b in list(zip(overload._schema.arguments, twin._schema.arguments))[given:]):
            return True
    return False


def with_defaults(overload, args, kwargs):
    """The positional arguments with those that a call left out: a twin may want them (bernoulli_(p=0.5) and bernoulli(p))."""
    args = list(args)
    if isinstance(overload, torch._ops.OpOverload):
        for argument in overload._schema.arguments[len(args):]:
            if argument.kwarg_only or argument.name in kwargs or not argument.has_default_value():
                break
            args.append(argument.default_value)
    return args


def shorten(path):
    """A source path without the machine's part: relative to the import path it is on."""
    best = ""
    for entry in sys.path + [os.getcwd()]:
        prefix = os.path.abspath(entry or ".") + os.sep
        if path.startswith(prefix) and len(prefix) > len(best):
            best = prefix
    return path[len(best):] if best else os.path.basename(path)


def meta_of(node):
    for key in ("val", "example_value"):
        if key in node.meta:
            return node.meta[key]
    return None


def has_tensor(value):
    return any(isinstance(v, (Tensor, torch.Tensor)) for v in flatten(value))


def creates_tensor(call):
    return any(isinstance(v, torch.Tensor) for v in flatten(call.fake))


def count_elements(type_):
    """Elements of a type, or None where an extent is not known."""
    return math.prod(type_.dims) if all(isinstance(d, int) for d in type_.dims) else None


def same_storage(a, b):
    return storage_of(a) is not None and storage_of(a) == storage_of(b)


def call_functionally(module, tensors, args, kwargs):
    """A module's result with tensors in the place of its parameters and buffers."""
    return torch.func.functional_call(module, tensors, tuple(args), kwargs)


def operands_of(call):
    """The tensors among a call's arguments, each once."""
    found = []
    for item in flatten([call.args, call.kwargs]):
        items = (item.start, item.stop, item.step) if isinstance(item, slice) else (item,)
        found += [x for x in items if isinstance(x, Tensor) and not any(x is known for known in found)]
    return found


def is_doubtful(call):
    """True for PyTorch's calls of which fakes take what PyTorch refuses: of two dtypes, or with an operand that does not count.

    Of those too that are defined here by parts, which take more dtypes than PyTorch's kernels.
    """
    own = call.key.startswith(("aten.", "prims.", "torch.", "Tensor.", "operator."))
    dtypes_ = {t.fake.dtype for t in operands_of(call)}
    floats = {d for d in dtypes_ if d.is_floating_point}
    name = aten_name(call.key).removesuffix("_")
    if own and name in handlers.decompose.OWN_NAMES and (len(dtypes_) > 1 or dtypes_ - floats):
        return True
    return own and (len(floats) > 1 or bool(floats) and not dtypes_ - floats <= {torch.bool, torch.int64} or call.kwargs.get("beta") == 0)


def is_pointwise_of_integers(call):
    """True for PyTorch's pointwise calls of integers or bools, alone or beside floats: fakes know no kernel, and which dtypes it lacks."""
    if not call.key.startswith(("aten.", "torch.", "Tensor.", "operator.")) or all(t.fake.dtype.is_floating_point for t in operands_of(call)):
        return False
    # Of Python's operators the op's name says which function it is.
    names = {aten_name(call.key), *(signature.op for signature in table.signatures_by_key().get(call.key, ()))}
    packets = [packet for packet in (getattr(torch.ops.aten, name, None) for name in names) if isinstance(packet, torch._ops.OpOverloadPacket)]
    return any(torch.Tag.pointwise in getattr(packet, name).tags for packet in packets for name in packet.overloads())


def aten_name(key):
    """The name that a callable has in ATen, if it has one."""
    return key.split(".")[1] if key.startswith("aten.") else key.rpartition(".")[2]


def reshaped_operands(node):
    """The operand of a node whose shape or storage the call may change."""
    if not node.op.startswith("call_") or node.op == "call_module":
        return []
    key = f"Tensor.{node.target}" if node.op == "call_method" else callable_key(node.target)
    changed = list(node.args[:1]) if is_inplace_view(node.target, key) else [node.kwargs.get("out")]
    return [operand for operand in changed if isinstance(operand, torch.fx.Node)]


def is_inplace_view(target, key):
    """True if PyTorch tags a callable, or the ATen op of its name, as one that changes a tensor's shape or storage in place."""
    if isinstance(target, torch._ops.OpOverload):
        return torch.Tag.inplace_view in target.tags
    packet = getattr(torch.ops.aten, key.rpartition(".")[2], None) if key.endswith("_") and not key.endswith("__") else None
    return packet is not None and any(torch.Tag.inplace_view in getattr(packet, name).tags for name in packet.overloads())


class Observed:
    """A call's run on its arguments' fakes, and what it did to them.

    `written`: operands whose values it changed; `reshaped`: None, or the operand
    whose shape or storage it changed, an alias of what it was before and True if
    that had no memory. Sets the call's `fake` and `ran`.
    """

    def __init__(self, importer, call, args, kwargs):
        self.written, self.reshaped = [], None
        meta, operands = call.fake, operands_of(call)
        if not self.runs(importer, call, meta, operands):
            call.fake, call.ran = importer.replay.adopt(meta), False
            return
        foreseen, out = is_inplace_view(call.target, call.key), call.kwargs.get("out")
        before = [(t, signature(t.fake), storage_of(t.fake), version_of(t.fake), self.version(t),
                   importer.replay.call(torch.Tensor.detach, [t.fake], {}) if foreseen and t is call.args[0] else None,
                   (foreseen or t is out) and t.fake.numel() == 0 and t.fake.untyped_storage().nbytes() == 0) for t in operands]
        try:
            with importer.autocast.active():
                call.fake, call.ran = importer.replay.observe(call.target, importer.fakes(args), importer.fakes(kwargs), meta, importer.moved)
        except Exception as error:  # whatever PyTorch or the callable raises for fakes
            if meta is None and importer.must_run and call.node.users:
                from .capture import brief
                raise ImportFailure(f"the graph does not run on the example inputs: {brief(error)}") from error
            if any(isinstance(item, torch.Tensor) and id(item) in importer.replay.changed for item in flatten(meta)):
                raise ImportFailure(f"node {call.node.name} ({call.key}) at {importer.where(call.node)}: expected a call that runs on sizes as they "
                                    f"are, since a later one changes its result's shape in place, but got {type(error).__name__}") from error
            call.fake, call.ran = importer.replay.adopt(meta), False
            return
        if call.key.startswith("higher_order."):
            call.ran = False  # its storages are not those of the graphs when they are inlined
        for tensor, shape, storage, version, imported, alias, was_empty in before:
            if signature(tensor.fake) != shape or storage_of(tensor.fake) != storage:
                if self.reshaped and self.reshaped[0].fake is not tensor.fake:
                    raise ImportFailure(f"node {call.node.name} ({call.key}): expected one operand to change its shape but got two")
                self.reshaped = (tensor, alias, was_empty)
            elif version_of(tensor.fake) != version and not foreseen:
                self.written.append((tensor, imported))

    @staticmethod
    def version(tensor):
        tensor.storage.settle()
        return tensor.storage.version

    @staticmethod
    def runs(importer, call, meta, operands):
        """False for calls that steer PyTorch, not tensors, and for what Python alone computes."""
        if call.target is None or call.key in WITHOUT_META or "functorch." in call.key:
            return False
        if call.key == "operator.getitem" and not isinstance(call.args[0], Tensor):
            return False
        if call.key.startswith("higher_order."):
            return meta is None
        return bool(operands) or importer.must_run or any(isinstance(m, torch.Tensor) for m in flatten(meta))

    def check_writes(self):
        """Raises Unsupported if the call was imported without a write that PyTorch made."""
        for tensor, imported in self.written:
            if self.version(tensor) == imported:
                raise Unsupported("it writes an operand")


def fit(op, bound):
    """How well arguments fit an op (higher is better), or None if they cannot."""
    score = 0
    kinds = {o["name"]: o for o in op.operands}
    attrs = {a["name"]: a for a in op.attrs}
    for name, (value, given) in bound.items():
        if name in kinds:
            spec = kinds[name]
            if spec["arity"] == "variadic":
                if isinstance(value, (list, tuple)):
                    continue
                return None
            if isinstance(value, Tensor):
                score += 2
            elif value is None:
                if spec["arity"] != "optional":
                    return None
            elif isinstance(value, (bool, int, float, complex, torch.SymInt, torch.SymFloat, torch.SymBool)):
                score += 1 if op.promotion in promote.KINDS else -8
            else:
                return None
        elif name in attrs:
            kind = attrs[name]["kind"]
            if isinstance(value, Tensor):
                score -= 4
            elif kind == "str" and given and value is not None and not isinstance(value, str):
                return None
            elif kind == "i64" and isinstance(value, (list, tuple, str)):
                score -= 2
    return score


def attribute_text(spec, value):
    """Text of an attribute, None where it is absent."""
    kind = spec["kind"]
    if value is None:
        if "default" in spec:
            value = spec["default"]
        elif spec.get("optional"):
            return None
        else:
            raise Unsupported(f"expected a value for {spec['name']}")
    if isinstance(value, Tensor):
        raise Unsupported(f"{spec['name']} is a tensor")
    if kind == "i64":
        number = symbols.as_int(value)
        if number is None or isinstance(value, float):
            raise Unsupported(f"{spec['name']} is not a constant integer")
        return ir.attr_i64(number)
    if kind == "f64":
        if isinstance(value, (torch.SymFloat, torch.SymInt)):
            value = symbols.as_int(value) if isinstance(value, torch.SymInt) else None
        if isinstance(value, complex) or not isinstance(value, (int, float)):
            raise Unsupported(f"{spec['name']} is not a constant real number")
        if isinstance(value, int) and int(float(value)) != value:
            raise Unsupported(f"{spec['name']}={value} has no exact double")
        return ir.attr_f64(value)
    if kind == "bool":
        if not isinstance(value, (bool, int)):
            raise Unsupported(f"{spec['name']} is not a constant bool")
        return ir.attr_bool(value)
    if kind == "str":
        if not isinstance(value, str):
            raise Unsupported(f"{spec['name']} is not a string")
        return ir.attr_str(value)
    if kind == "i64_array":
        if isinstance(value, (int, torch.SymInt)):
            value = [value]
        numbers = [symbols.as_int(v) for v in value]
        if any(n is None for n in numbers):
            raise Unsupported(f"{spec['name']} holds a symbolic size")
        return ir.attr_i64_array(numbers)
    if kind == "f64_array":
        if any(isinstance(v, complex) or not isinstance(v, (int, float)) for v in value):
            raise Unsupported(f"{spec['name']} holds what is not a constant real number")
        return ir.attr_f64_array(value)
    if kind in ("type", "elements", "dict"):
        return value
    raise AssertionError(kind)


from . import autocast, handlers  # noqa: E402  (they need this module; handlers fill the registries)
from .handlers.python import WITHOUT_META  # noqa: E402
