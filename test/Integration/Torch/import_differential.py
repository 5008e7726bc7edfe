# Random programs through the importer against eager: views, in-place changes of
# data and of shape, out=, aliases, second names, returned arguments, buffers,
# sizes as values, opaque ops that write. Each is imported as the torch-level graph
# that it is and as the ATen graph that it dispatches to (some by capture() at both
# levels), run by the interpreter and the CPU back end, where no op stays opaque, and
# by PyTorch as the graph of to_fx, before and after the pre-grad pipeline in both
# modes. Of every fifth program the extent of the inputs' first dim is dynamic: it is
# captured at one of the levels and runs at two more extents as well. Compared are the
# results' values, dtypes and shapes and all inputs and buffers after the call; of
# to_fx also strides and what shares memory with what. What fails is asked of PyTorch's
# own graph: where that does not do what eager does, it is counted, not compared.
#
#   import_differential.py --seeds 0:20000 [--show] [--progress FILE]
#
# A failure names its seed; `--seeds N:N+1 --show` prints that program. With --progress
# counts and failures are kept in a file, from which a run that was stopped goes on.
# REQUIRES: torch
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %torch_python %s --seeds 0:20 | FileCheck %s
# CHECK: {{^}}20 programs, {'imports': 38, {{.*}}'modelled': {{3[0-9]}}, {{.*}}}, 0 wrong
import argparse
import collections
import functools
import gc
import itertools
import json
import operator
import os
import random
import sys
import warnings

import torch
import torch.fx
import torch.nn.functional as F
from torch.fx._lazy_graph_module import _use_lazy_graph_module
from torch.fx.experimental.proxy_tensor import make_fx

import fxgraph
from fxgraph.errors import FxGraphError
from fxgraph.importer.aliases import first_names
from fxgraph.importer.replay import quiet
from fxgraph.testing.batch import Batch
from fxgraph.testing.export import Run as Outcome
from fxgraph.testing.export import difference, differs, duplicate, misleads

PIPELINES = ("fxgraph-pre-grad", "fxgraph-pre-grad{mode=best}")
# Every program of this many is dynamic.
DYNAMIC = 5


@torch.library.custom_op("fxdiff::bump", mutates_args=("x",))
def bump(x: torch.Tensor, by: float) -> None:
    x.add_(by)


@torch.library.custom_op("fxdiff::drain", mutates_args=("x", "y"))
def drain(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    total = x.sum() + y.sum()
    x.zero_()
    y.mul_(2)
    return total


@drain.register_fake
def _(x, y):
    return x.new_empty(()) + y.new_empty(())


def overlaps(tensor):
    """True if two elements are one memory location."""
    count = tensor.untyped_storage().nbytes() // tensor.element_size()
    places = torch.arange(count).as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
    return places.unique().numel() != tensor.numel()


def share(a, b):
    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


# Calls for operands of forms that were not chosen.
UNUSED = ("size", "numel", "gt", "clone", torch.zeros, operator.floordiv, operator.sub)
REFUSALS = (RuntimeError, IndexError, ValueError, TypeError)


def invoke(target, args, kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(args[0], target)(*args[1:], **kwargs) if isinstance(target, str) else target(*args, **kwargs)


class Program:
    """A graph of calls that run in eager mode: each was tried while the graph was made, at all extents if they are dynamic.

    `inputs`: tensors for a call; `others`: those of other extents, `dims` says of which inputs.
    """

    def __init__(self, seed):
        self.rng, self.graph, self.root = random.Random(seed), torch.fx.Graph(), torch.nn.Module()
        self.entries = []  # (value, node)
        self.modelled = self.rng.random() < 0.7  # of ops that the dialect has, for the interpreter and the CPU
        self.dynamic = seed % DYNAMIC == DYNAMIC - 1
        self.inputs, self.others, self.dims, self.fixed = [], [[], []] if self.dynamic else [], [], set()
        for i in range(self.rng.randint(1, 3)):
            shape = self.rng.choice([(12,), (3, 4), (4, 3), (2, 2, 3), (1, 6), (4, 4), (2, 10), ()])
            dtype = self.rng.choice([torch.float32] * 5 + [torch.int64, torch.float64])
            self.dims.append(self.dynamic and len(shape) > 1)
            for inputs, extent in zip([self.inputs, *self.others], (4, 6, 9)):
                inputs.append(self.values((extent, *shape[1:]) if self.dims[-1] else shape, dtype))
            self.keep(self.inputs[-1].clone(), self.graph.placeholder(f"x{i}"))
        for i in range(self.rng.randint(0, 2)):
            self.root.register_buffer(f"b{i}", self.values(self.rng.choice([(4,), (3, 4), (2, 3)]), torch.float32))
            self.keep(getattr(self.root, f"b{i}").clone(), self.graph.get_attr(f"b{i}"))
        self.fixed = {id(value) for value, _ in self.entries}
        self.replay()
        wanted, tries = self.rng.randint(5, 20), 0
        while wanted and tries < 200:
            tries += 1
            wanted -= bool(self.rng.choice(DYNAMIC_STATEMENTS if self.dynamic else STATEMENTS)(self))
        results = [self.rng.choice(self.entries)[1] for _ in range(self.rng.randint(1, 4))]
        results.append(self.graph.call_method("clone", (self.entries[-1][1],)))
        self.graph.output(tuple(results))
        for node in reversed(self.graph.nodes):
            if not node.users and node.target in UNUSED:
                self.graph.erase_node(node)
        self.module = torch.fx.GraphModule(self.root, self.graph)

    def values(self, shape, dtype):
        """Quarters: what the programs compute is exact."""
        count = torch.Size(shape).numel()
        numbers = torch.tensor([self.rng.randint(-12, 12) for _ in range(count)], dtype=torch.float64)
        return (numbers / 4 if dtype.is_floating_point else numbers).to(dtype).reshape(shape)

    def keep(self, value, node):
        self.entries.append((value, node))
        return True

    def replay(self):
        """The graph's values at the other extents, as of now."""
        self.elsewhere = []
        for inputs in self.others:
            env, inputs = {}, iter(inputs)
            for node in self.graph.nodes:
                if node.op == "placeholder":
                    env[node] = next(inputs).clone()
                elif node.op == "get_attr":
                    env[node] = getattr(self.root, node.target).clone()
                else:
                    env[node] = invoke(node.target, *torch.fx.node.map_arg((node.args, node.kwargs), env.__getitem__))
            self.elsewhere.append(env)

    def runs_elsewhere(self, node):
        """True if a call that was just made runs at the other extents too; if not, the graph is as it was before."""
        for env in self.elsewhere:
            try:
                out = env.get(node.kwargs.get("out"))
                if out is not None and out.numel() and invoke(node.target, *torch.fx.node.map_arg(
                        (node.args, {k: v for k, v in node.kwargs.items() if k != "out"}), env.__getitem__)).shape != out.shape:
                    raise RuntimeError("out= would have to grow")
                env[node] = invoke(node.target, *torch.fx.node.map_arg((node.args, node.kwargs), env.__getitem__))
            except REFUSALS:
                self.graph.erase_node(node)
                self.replay()
                return False
        return True

    def extent(self, source, dim):
        """A tensor's extent: where it may be another, as a call tells it."""
        return self.call("size", source, dim) if self.dynamic else source[0].shape[dim]

    def shape(self, source):
        return tuple(self.extent(source, dim) for dim in range(source[0].dim()))

    def pick(self, condition=lambda t: True):
        """A tensor and its node, the youngest more often; None if there is none."""
        fitting = [e for e in self.entries if condition(e[0])]
        if not fitting:
            return None
        return fitting[-1] if self.rng.random() < 0.4 else self.rng.choice(fitting)

    def call(self, target, *args, **kwargs):
        """Runs a call and adds it to the graph; its result and node, or None if PyTorch refuses it. (value, node) pairs are tensors."""
        def part(x, i):
            if isinstance(x, tuple) and len(x) == 2 and isinstance(x[1], torch.fx.Node):
                return x[i]
            if isinstance(x, (list, tuple)):
                return type(x)(part(y, i) for y in x)
            if isinstance(x, slice):
                return slice(part(x.start, i), part(x.stop, i), part(x.step, i))
            return x

        make = self.graph.call_method if isinstance(target, str) else self.graph.call_function
        node = make(target, tuple(part(a, 1) for a in args), {k: part(v, 1) for k, v in kwargs.items()})
        if not self.runs_elsewhere(node):
            return None
        try:
            value = invoke(target, tuple(part(a, 0) for a in args), {k: part(v, 0) for k, v in kwargs.items()})
        except REFUSALS:
            self.graph.erase_node(node)
            self.replay()
            return None
        if isinstance(value, torch.Tensor) and not torch.isfinite(value).all():
            return None  # the call stays, but nothing is made of what it gives
        return value, node

    def result(self, *args, **kwargs):
        """A call whose result is one more tensor."""
        done = self.call(*args, **kwargs)
        return done is not None and isinstance(done[0], torch.Tensor) and done[0].numel() < 500 and self.keep(*done)

    def apart(self, entry, *written):
        """A tensor that shares no memory with those that are written."""
        if any(share(entry[0], w[0]) for w in written):
            return self.call("clone", entry)
        return entry


def view(p):
    source = p.pick()
    shape, rank = source[0].shape, source[0].dim()
    dim = p.rng.randrange(-rank, rank) if rank else 0
    kind = p.rng.randrange(31 if p.modelled else 34)
    extent = shape[dim] if rank else 1
    start = p.rng.randrange(extent + 1)
    factor = next((f for f in (3, 2) if extent % f == 0 and extent), 1)
    forms = [
        ("t", source), ("transpose", source, dim, 0), ("unsqueeze", source, p.rng.choice([0, -1])), ("squeeze", source),
        ("squeeze", source, dim),
        ("view", source, -1), ("reshape", source, -1), ("reshape", source, (1, *p.shape(source))), ("unflatten", source, dim, (factor, -1)),
        (operator.getitem, source, slice(start, None)), (operator.getitem, source, slice(None, -1)),
        (operator.getitem, source, slice(None, None, 2)),
        (operator.getitem, source, 0), (operator.getitem, source, -1), (operator.getitem, source, (Ellipsis, 0)),
        (operator.getitem, source, (None, Ellipsis)),
        (operator.getitem, source, (slice(None), slice(1, 3))), ("expand", source, *([-1] * rank)),
        ("expand", source, 2, *([-1] * rank)), ("detach", source),
        ("permute", source, *reversed(range(rank))), ("flatten", source),
        ("narrow", source, dim, min(start, extent - 1), 1), ("movedim", source, 0, -1), ("contiguous", source),
        ("to", source, source[0].dtype),
        ("select", source, dim, start - 1), (torch.einsum, "...i->i..." if rank > 1 else "i->i", source),
        (F.dropout, source, 0.0, True), (F.dropout, source, 0.5, False), (torch.atleast_2d, source),
        (torch.as_strided, source, (2, 1), (1, 2)), ("diagonal", source),
        ("unfold", source, dim, min(2, extent), p.rng.choice([1, 2])),
    ]
    return p.result(*forms[kind])


def pieces(p):
    source = p.pick(lambda t: t.dim())
    dim = p.rng.randrange(source[0].dim()) if source else 0
    if source is None:
        return False
    name, args = p.rng.choice([("chunk", (2,)), ("split", (1,)), ("split", (2,)), ("unbind", ()), ("tensor_split", (2,)),
                               ("unsafe_chunk", (2,))])
    parts = p.call(name, source, *args, dim)
    if parts is None or not parts[0]:
        return False
    return p.result(operator.getitem, parts, p.rng.randrange(len(parts[0])))


def write(p):
    """x.add_(1), x += y, x[0] = y, F.relu(x, inplace=True), …: data."""
    target = p.pick(lambda t: t.numel() and not overlaps(t) and t.dtype != torch.bool)
    if target is None:
        return False
    source = p.pick(lambda t: t.dtype == target[0].dtype)
    source = p.apart(source, target) if source else None
    number = p.rng.choice([1, -1, 2, 3])
    forms = [
        ("add_", target, number), ("mul_", target, number), ("sub_", target, source), ("copy_", target, source),
        ("fill_", target, number), ("zero_", target),
        ("neg_", target), ("clamp_", target, -2, 2), ("relu_", target), (operator.iadd, target, source),
        (operator.imul, target, number), (operator.isub, target, number),
        (operator.setitem, target, 0, number), (operator.setitem, target, slice(None, 1), number),
        (operator.setitem, target, Ellipsis, source),
        (operator.setitem, target, (Ellipsis, -1), number), (F.relu, target), ("abs_", target), ("cumsum_", target, 0),
        ("masked_fill_", target, None, number),
        ("index_fill_", target, 0, None, number), ("index_add_", target, 0, None, source), ("addcmul_", target, source, source),
        ("tril_", target), ("square_", target),
    ]
    form = list(p.rng.choice(forms))
    if source is None:
        return False
    keywords = {"inplace": True} if form[0] is F.relu else {}
    if form[0] == "masked_fill_":
        form[2] = p.call("gt", target, 0)
    if form[0] in ("index_fill_", "index_add_"):
        form[3] = p.call(torch.tensor, [0])
    largest = {"square_": 50, "mul_": 1000, operator.imul: 1000, "addcmul_": 1000}.get(form[0])
    if largest and target[0].abs().max() > largest:
        return False
    done = p.call(*form, **keywords)
    if done is not None and isinstance(done[0], torch.Tensor) and p.rng.random() < 0.3:
        p.keep(*done)  # the same tensor under its second name
    return done is not None


def reshape_in_place(p):
    """x.t_(), x.unsqueeze_(0), …: shape and strides, not of what the caller passes."""
    target = p.pick(lambda t: id(t) not in p.fixed)
    if target is None:
        return False
    rank, numel = target[0].dim(), target[0].numel()
    forms = [("t_",), ("transpose_", 0, -1), ("unsqueeze_", 0), ("unsqueeze_", -1), ("squeeze_",), ("squeeze_", 0),
             ("swapaxes_", 0, -1), ("swapdims_", -1, 0), ("detach_",)]
    if not p.modelled and rank == 1 and numel > 1 and target[0].is_contiguous():
        forms += [("resize_", numel - 1), ("as_strided_", (numel // 2,), (2,), target[0].storage_offset())]
    name, *args = p.rng.choice(forms)
    if p.dynamic and name == "squeeze_" and args and target[0].shape[:1] != (1,):
        return False  # PyTorch's fakes read sizes that they have freed, and the process may end
    if rank > 4 and name == "unsqueeze_":
        return False
    done = p.call(name, target, *args)
    if done is not None and p.rng.random() < 0.3:
        p.keep(*done)
    return done is not None


def set_storage(p):
    target, source = p.pick(lambda t: id(t) not in p.fixed), p.pick()
    return target is not None and target[0].dtype == source[0].dtype and p.call("set_", target, source) is not None


def second_name(p):
    """A function, method or in-place method under another name of it."""
    a = p.pick(lambda t: t.dtype != torch.bool and t.numel() and t.abs().max() < 50)
    b = p.pick(lambda t: t.dtype == a[0].dtype and t.numel() and t.abs().max() < 50) if a else None
    if b is None:
        return False
    name = p.rng.choice(NAMES)
    module, plain = next(((m, name.removeprefix(f"{m}_")) for m in ("special", "linalg") if name.startswith(f"{m}_")), ("", name))
    method = plain if plain.startswith("__") else f"{plain}_"
    owner = getattr(torch, module) if module else torch
    arguments = p.rng.choice([(a,), (a, b), (a, 2), (a, 0, -1), ([a, a],)])
    if p.rng.random() < 0.3 and hasattr(torch.Tensor, method) and arguments[0] is a and not overlaps(a[0]):
        arguments = (a, *(p.apart(x, a) if x is b else x for x in arguments[1:]))
        try:
            exact = None not in arguments and is_exact(invoke(method, [x[0].clone() if isinstance(x, tuple) else x for x in arguments], {}))
        except REFUSALS:
            return False
        return exact and p.call(method, *arguments) is not None
    if not hasattr(owner, plain):
        return False
    done = p.call(getattr(owner, plain), *arguments)
    return done is not None and is_exact(done[0]) and done[0].numel() < 500 and p.keep(*done)


def is_exact(value):
    """True for a tensor whose elements are quarters, which is what the programs compute with."""
    return isinstance(value, torch.Tensor) and (not value.is_floating_point() or bool(((value * 4).frac() == 0).all()))


def out(p):
    """out=, also of another dtype and into nothing."""
    a = p.pick(lambda t: t.dtype != torch.bool)
    if a is None:
        return False
    form = p.rng.choice([(torch.add, a, 1), (torch.mul, a, 2), (torch.neg, a), (torch.cumsum, a, 0), (torch.sum, a, 0),
                         (torch.clamp, a, -1, 1), (torch.cat, [a, a])])
    if not a[0].dim():
        return False
    wanted = form[0]([a[0], a[0]]) if form[0] is torch.cat else form[0](a[0], *form[2:])
    choice = p.rng.random()
    if choice < 0.5:
        into = p.pick(lambda t: t.shape == wanted.shape and not overlaps(t) and not share(t, a[0]) and t.dtype == wanted.dtype)
    elif choice < 0.8:
        into = p.call(torch.zeros, tuple(wanted.shape), dtype=p.rng.choice([torch.float32, torch.float64, torch.int64]))
    else:
        into = p.call(torch.empty, 0, dtype=wanted.dtype)
    if into is None or p.call(*form, out=into) is None:
        return False
    p.keep(*into)
    return True


def size(p):
    """A size as a value."""
    source = p.pick(lambda t: t.dim())
    if source is None:
        return False
    extent = p.call("size", source, 0)
    number = p.call("numel", source)
    other = p.pick(lambda t: t.dim() and (t is source[0] or t.shape[0] != source[0].shape[0])) or source
    forms = [(operator.mul, source, extent), (torch.full, (2,), extent), ("fill_", p.call(torch.zeros, 2), number),
             (torch.tensor, number), (torch.scalar_tensor, extent), ("new_full", source, (2,), number), (operator.truediv, number, 4),
             (operator.add, source, number), (torch.full_like, source, extent), (torch.arange, extent), (torch.ones, (extent, 2)),
             ("new_zeros", source, (extent,)), ("reshape", source, (number,)), ("view", source, (extent, -1)), (operator.gt, source, extent),
             ("expand", source, (p.extent(other, 0), *p.shape(source))), ("flatten", source), ("unflatten", source, 0, (extent, 1))]
    half, last = p.call(operator.floordiv, extent, 2), p.call(operator.sub, extent, 1)
    forms += [(operator.getitem, source, slice(None, half)), (operator.getitem, source, slice(half, None)), (operator.getitem, source, last),
              ("narrow", source, 0, half, 1), ("narrow", source, 0, 0, last), (operator.setitem, source, slice(half, None), 2),
              (operator.setitem, source, last, extent), (torch.roll, source, last, 0)]
    form = p.rng.choice(forms)
    if form[0] is operator.setitem:
        return source[0].dtype != torch.bool and not overlaps(source[0]) and p.call(*form) is not None
    return p.result(*form)


def opaque(p):
    """Ops of which the importer knows only what their schemas and PyTorch's fakes say."""
    target = p.pick(lambda t: t.numel() and t.dtype == torch.float32 and not overlaps(t))
    if target is None or p.modelled:
        return False
    kind = p.rng.randrange(3)
    if kind == 0:
        return p.call(torch.ops.fxdiff.bump.default, target, 0.5) is not None
    if kind == 1:
        other = p.pick(lambda t: t.numel() and t.dtype == torch.float32 and not overlaps(t) and not share(t, target[0]))
        return other is not None and p.result(torch.ops.fxdiff.drain.default, target, other)
    return p.result(torch.take, target, p.call(torch.tensor, [0, target[0].numel() - 1]))


def compute(p):
    a = p.pick()
    b = p.pick(lambda t: t.dtype == a[0].dtype)
    if a[0].numel() and a[0].double().abs().max() > 10000:
        return False
    if b is None:
        return False
    forms = [(operator.add, a, b), (operator.mul, a, 2), (operator.sub, 1, a), (torch.cat, [a, b]), (torch.stack, [a, a]), ("sum", a),
             ("sum", a, 0), ("clone", a), ("abs", a),
             (torch.where, p.call("gt", a, 0), a, b), ("to", a, p.rng.choice([torch.float32, torch.float64, torch.int64])),
             (torch.maximum, a, b), ("repeat", a, *([2] * a[0].dim())),
             ("cumsum", a, 0), (torch.zeros_like, a), ("new_ones", a, (2,)), ("contiguous", a), ("roll", a, 1, 0), ("flip", a, (0,)),
             ("amax", a), (torch.ge, a, b), ("masked_fill", a, p.call("gt", a, 1), 3)]
    form = p.rng.choice(forms)
    return all(part is not None for part in form) and p.result(*form)


NAMES = sorted(first_names())
STATEMENTS = [view] * 7 + [pieces] * 2 + [write] * 6 + [reshape_in_place] * 2 + [set_storage, size, opaque] + [out] * 2 + [compute] * 3 + [second_name] * 2
DYNAMIC_STATEMENTS = STATEMENTS + [size] * 6


def copies(tensors):
    return list(map(duplicate, tensors))


class OnTensors(torch.fx.Interpreter):
    """A graph with tensors in the place of its buffers."""

    def __init__(self, module, buffers):
        super().__init__(module)
        self.buffers = buffers

    def get_attr(self, target, args, kwargs):
        return self.buffers[target]


def aten(program):
    """The program's ATen graph, buffers behind the inputs."""
    names = list(dict(program.root.named_buffers()))

    def function(*tensors):
        inputs, buffers = tensors[:len(program.inputs)], tensors[len(program.inputs):]
        return OnTensors(program.module, dict(zip(names, buffers))).run(*inputs)

    tensors = program.inputs + list(program.root.buffers())
    with torch.no_grad(), quiet(), _use_lazy_graph_module(True):  # Its code is seldom run.
        traced = make_fx(function, tracing_mode="fake", pre_dispatch=True)(*[t.clone() for t in tensors])
    return traced, function, tensors


def captured_as_eager(program, level, **options):
    """By number, the calls of which PyTorch's capture does what eager does. Strides and shared memory a capture knows besides the graph."""
    return [not wrong for wrong in misleads(program.module, program.inputs, level, program.others, **options)]


class Import:
    """One import of a program, with what its calls do in eager mode.

    `make` imports it; function(buffers) is what it imports, with other tensors in the place of the buffers of `state`. `as_eager` says of
    which calls PyTorch's own graph does what eager does, of strides and shared memory if `memory` is set; it is asked of those that fail, since it takes longer than all the rest.
    """

    def __init__(self, label, make, function, calls, state, as_eager):
        self.label, self.make, self.state, self.as_eager = label, make, state, functools.cache(as_eager)
        self.module, self.saved = None, {name: tensor.clone() for name, tensor in state.items()}
        self.calls = []
        for tensors in calls:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                buffers = {name: tensor.clone() for name, tensor in state.items()}  # a program may change their shapes as well
                self.calls.append((tensors, Outcome(function(buffers), copies(tensors), buffers).snapshot()))

    def reset(self):
        for name, tensor in self.saved.items():
            self.state[name].copy_(tensor)

    def compiled(self, module, target, **settings):
        """By number, what is wrong of the calls of a graph without opaque ops."""
        names, weights = [*module.inputs, *module.weights], list(module.weights.values())
        module = module.clone()
        module.inputs, module.weights = names, {}  # buffers as well are given to each call
        run = module.compile(target, **settings)
        for tensors, want in self.calls:
            given = dict(zip(names, [t.contiguous() for t in copies(tensors)] + [t.clone() for t in weights]))
            after = {**dict(zip(names, (want.after[f"argument {i}"] for i in range(len(tensors))))),
                     **{name: want.after[f"weight {name}"] for name in self.state if name in names}}
            try:
                yield Batch.compare(module, run(*given.values()), given, want.results, after, None, None)
            except Exception as error:  # noqa: BLE001
                yield error

    def exported(self, module):
        """By number, what is wrong of the calls of a graph's way back to PyTorch."""
        call = module.to_fx()
        for tensors, want in self.calls:
            try:
                got = Outcome(call, copies(tensors), self.state).snapshot()
            except Exception as error:  # noqa: BLE001: what one call meets is no word on the others
                self.reset()
                yield error
                continue
            self.reset()
            yield difference(got, want)


def imports(program, seed, counts):
    """The program's imports."""
    calls, buffers = [program.inputs, *program.others], dict(program.root.named_buffers())

    def eager(buffers):
        return OnTensors(program.module, buffers).run

    def captured(level, **options):
        return Import(f"capture {level}", lambda: fxgraph.capture(program.module, *copies(program.inputs), level=level, **options),
                      eager, calls, buffers, lambda memory: captured_as_eager(program, level, **options))

    if program.dynamic:
        level = ("torch", "aten")[seed // DYNAMIC % 2]
        return [captured(level, dynamic_shapes=tuple({0: torch.export.Dim.DYNAMIC} if dynamic else None for dynamic in program.dims))]
    made = [Import("torch", lambda: fxgraph.from_fx(program.module, copies(program.inputs)), eager, calls, buffers, lambda memory: [True])]
    try:
        traced, function, tensors = aten(program)
        made.append(Import("aten", lambda: fxgraph.from_fx(traced, copies(tensors)), lambda _: function, [tensors], {},
                           lambda memory: [not differs(traced, function, tensors, memory)]))
    except (AssertionError, *REFUSALS):
        counts["not traced"] += 1  # PyTorch's fakes have another shape than its tensors
    if seed % 64 == 0:
        made += map(captured, ("torch", "aten"))
    return made


class Run:
    """Programs' checks: how many of what, and what was wrong."""

    def __init__(self, counts=(), wrong=()):
        self.counts, self.wrong = collections.Counter(counts), list(wrong)

    def check(self, seed, show):
        program = Program(seed)
        if show:
            print(program.graph)
        # Vector code is made of one program in eight: making it takes twice as long as all else that the CPU's compiler does.
        settings = {"opt_level": 3 if seed % 8 == 0 else 0}
        cases = imports(program, seed, self.counts)
        for number, case in enumerate(cases):
            self.counts["imports"] += 1
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    module = case.make()
            except FxGraphError as error:
                self.counts[f"{case.label} refused"] += 1
                if show or "error:" in str(error) or "Error:" in str(error) and "capture" not in case.label:
                    as_eager = all(self.asked(case, False))
                    print(f"seed {seed} {case.label}: {error}" + ("" if as_eager else " (PyTorch's graph computes something else)"))
                    self.counts["crashed"] += as_eager and "capture" not in case.label
                continue
            modelled = "fxgraph.opaque" not in module.asm
            self.counts["modelled" if modelled else "with opaque ops"] += 1
            self.counts["dynamic"] += program.dynamic
            known = set()
            for pipeline in (None, *PIPELINES):
                graph = module.clone()
                when = f", after {pipeline}" if pipeline else ""
                try:
                    if pipeline:
                        graph.run_passes(pipeline)
                except FxGraphError as error:
                    self.wrong.append(f"seed {seed} {case.label}: {str(error)[:300]} ({pipeline})")
                    continue
                if show:
                    print(graph.asm)
                if graph.asm in known:
                    continue  # the pipeline changed nothing
                known.add(graph.asm)
                label = f"seed {seed} {case.label}"
                # Two imports that are modelled take turns: both are interpreted, each program is compiled and goes back to PyTorch once.
                if not modelled or number == seed % len(cases):
                    self.compare(label, f"to_fx{when}", case, lambda: case.exported(graph))
                if modelled:
                    self.compare(label, f"ref{when}", case, lambda: case.compiled(graph, "ref"))
                if modelled and number == (seed + 1) % len(cases):
                    self.compare(label, f"cpu{when}", case, lambda: case.compiled(graph, "cpu", **settings))

    def compare(self, label, engine, case, problems):
        self.counts[engine.split(",")[0]] += 1
        try:
            found = list(problems())
        except Exception as error:  # noqa: BLE001: every failure is reported with its program
            found = [error] * len(case.calls)
        # What a trace took for granted, as the example has it, may not be so at other extents: the run says it then.
        for number, problem in enumerate(found[1:], 1):
            if isinstance(problem, Exception) and "as when the model was captured" in str(problem):
                found[number] = None
                self.counts["refused at other extents"] += 1
        found = [f"{type(p).__name__}: {str(p)[:300]}" if isinstance(p, Exception) else p for p in found]
        case.reset()
        if not any(found):
            return
        self.wrong += [f"{label}: {problem} ({engine})" for problem in itertools.compress(found, self.asked(case, engine.startswith("to_fx"))) if problem]

    def asked(self, case, memory):
        """By number, the calls of which PyTorch's graph does what eager does; all of them where PyTorch has no graph."""
        try:
            as_eager = case.as_eager(memory)
        except Exception:  # noqa: BLE001: PyTorch refuses what the importer took
            as_eager = [True] * len(case.calls)
        self.counts["PyTorch's graph computes something else"] += not all(as_eager)
        return as_eager


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="0:40", help="first:last, the last excluded")
    parser.add_argument("--show", action="store_true", help="print the programs and their imports")
    parser.add_argument("--progress", help="a file of counts and failures so far, from which the run goes on if it is there")
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(":"))
    run, begin = Run(), first
    if options.progress and os.path.exists(options.progress):
        with open(options.progress, encoding="utf-8") as file:
            known = json.load(file)
        if known["seeds"] != options.seeds:
            parser.error(f"expected the progress of {options.seeds} in {options.progress} but got that of {known['seeds']}")
        run, begin = Run(known["counts"], known["wrong"]), known["next"]
    torch.set_num_threads(1)
    gc.freeze()  # what was imported is not looked through again, nor every 700 objects what fake tensors leave
    gc.set_threshold(50_000)
    told = len(run.wrong)
    for seed in range(begin, last):
        run.check(seed, options.show)
        if run.wrong[told:]:
            print(*run.wrong[told:], sep="\n", flush=True)
            told = len(run.wrong)
        if (seed + 1 - first) % 100 == 0:
            print(f"seed {seed}: {seed + 1 - first} programs, {dict(run.counts)}, {len(run.wrong)} wrong", flush=True)
            if options.progress:
                with open(f"{options.progress}.new", "w", encoding="utf-8") as file:
                    json.dump({"seeds": options.seeds, "next": seed + 1, "counts": run.counts, "wrong": run.wrong}, file)
                os.replace(f"{options.progress}.new", options.progress)
    print(f"{last - first} programs, {dict(run.counts)}, {len(run.wrong)} wrong")
    sys.exit(bool(run.wrong or run.counts["crashed"]))


if __name__ == "__main__":
    main()
