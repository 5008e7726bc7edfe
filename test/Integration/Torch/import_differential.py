# Random programs through the importer against eager: views, in-place changes of
# data and of shape, out=, aliases, returned arguments, buffers, sizes as values,
# opaque ops that write. Each is imported as the torch-level graph that it is and
# as the ATen graph that it dispatches to (some by capture() at both levels), run
# by the interpreter and the CPU back end, or with PyTorch where ops stay opaque,
# before and after the pre-grad pipeline. Compared are the results' values,
# dtypes and shapes and all inputs and buffers after the call.
#
#   import_differential.py --seeds 0:20000 [--show]
#
# A failure names its seed; `--seeds N:N+1 --show` prints that program.
# REQUIRES: torch
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %torch_python %s --seeds 0:40
import argparse
import collections
import operator
import random
import sys
import warnings

import torch
import torch.fx
import torch.nn.functional as F
from torch.fx.experimental.proxy_tensor import make_fx

import fxgraph
from fxgraph.errors import FxGraphError
from fxgraph.exporter import evaluate
from fxgraph.importer.replay import quiet
from fxgraph.outputs import restore
from fxgraph.testing import diff
from fxgraph.testing.batch import Batch

PIPELINE = "fxgraph-pre-grad"


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


class Program:
    """A graph of calls that run in eager mode: each was tried while the graph was made."""

    def __init__(self, seed):
        self.rng, self.graph, self.root = random.Random(seed), torch.fx.Graph(), torch.nn.Module()
        self.entries = []  # (value, node)
        self.modelled = self.rng.random() < 0.7  # of ops that the dialect has, for the interpreter and the CPU
        self.inputs, self.fixed = [], set()
        for i in range(self.rng.randint(1, 3)):
            shape = self.rng.choice([(12,), (3, 4), (4, 3), (2, 2, 3), (1, 6), (4, 4), (2, 10), ()])
            self.inputs.append(self.values(shape, self.rng.choice([torch.float32] * 5 + [torch.int64, torch.float64])))
            self.keep(self.inputs[-1].clone(), self.graph.placeholder(f"x{i}"))
        for i in range(self.rng.randint(0, 2)):
            self.root.register_buffer(f"b{i}", self.values(self.rng.choice([(4,), (3, 4), (2, 3)]), torch.float32))
            self.keep(getattr(self.root, f"b{i}").clone(), self.graph.get_attr(f"b{i}"))
        self.fixed = {id(value) for value, _ in self.entries}
        wanted, tries = self.rng.randint(5, 20), 0
        while wanted and tries < 200:
            tries += 1
            wanted -= bool(self.rng.choice(STATEMENTS)(self))
        results = [self.rng.choice(self.entries)[1] for _ in range(self.rng.randint(1, 4))]
        results.append(self.graph.call_method("clone", (self.entries[-1][1],)))
        self.graph.output(tuple(results))
        self.module = torch.fx.GraphModule(self.root, self.graph)

    def values(self, shape, dtype):
        """Quarters: what the programs compute is exact."""
        count = torch.Size(shape).numel()
        numbers = torch.tensor([self.rng.randint(-12, 12) for _ in range(count)], dtype=torch.float64)
        return (numbers / 4 if dtype.is_floating_point else numbers).to(dtype).reshape(shape)

    def keep(self, value, node):
        self.entries.append((value, node))
        return True

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

        real = [part(a, 0) for a in args], {k: part(v, 0) for k, v in kwargs.items()}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = getattr(real[0][0], target)(*real[0][1:], **real[1]) if isinstance(target, str) else target(*real[0], **real[1])
        except (RuntimeError, IndexError, ValueError, TypeError):
            return None
        make = self.graph.call_method if isinstance(target, str) else self.graph.call_function
        node = make(target, tuple(part(a, 1) for a in args), {k: part(v, 1) for k, v in kwargs.items()})
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
        ("view", source, -1), ("reshape", source, -1), ("reshape", source, (1, *shape)), ("unflatten", source, dim, (factor, -1)),
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
        (torch.as_strided, source, shape, source[0].stride()), ("diagonal", source),
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
    at = p.rng.randrange(len(parts[0]))
    p.keep(parts[0][at], p.graph.call_function(operator.getitem, (parts[1], at)))
    return True


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
    if rank > 4 and name == "unsqueeze_":
        return False
    done = p.call(name, target, *args)
    if done is not None and p.rng.random() < 0.3:
        p.keep(*done)
    return done is not None


def set_storage(p):
    target, source = p.pick(lambda t: id(t) not in p.fixed), p.pick()
    return target is not None and target[0].dtype == source[0].dtype and p.call("set_", target, source) is not None


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
    form = p.rng.choice([(operator.mul, source, extent), (torch.full, (2,), extent), ("fill_", p.call(torch.zeros, 2), number),
                         (torch.tensor, number),
                         (operator.add, source, number), (torch.full_like, source, extent), (torch.arange, extent)])
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


STATEMENTS = [view] * 7 + [pieces] * 2 + [write] * 6 + [reshape_in_place] * 2 + [set_storage, size, opaque] + [out] * 2 + [compute] * 3


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
    with torch.no_grad(), quiet():
        traced = make_fx(function, tracing_mode="fake", pre_dispatch=True)(*[t.clone() for t in tensors])
    return traced, tensors


class Run:
    def __init__(self):
        self.batch, self.opaque, self.counts, self.wrong = Batch(), Batch(), collections.Counter(), []

    def check(self, seed, show):
        program = Program(seed)
        if show:
            print(program.graph)
        inputs, buffers = [t.clone() for t in program.inputs], {n: b.clone() for n, b in program.root.named_buffers()}
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            want = OnTensors(program.module, buffers).run(*inputs)
        imports = {"torch": lambda: (fxgraph.from_fx(program.module, [t.clone() for t in program.inputs]), program.inputs)}
        try:
            traced, tensors = aten(program)
            imports["aten"] = lambda: (fxgraph.from_fx(traced, [t.clone() for t in tensors]), tensors)
        except RuntimeError:
            self.counts["not traced"] += 1  # PyTorch's fakes have another shape than its tensors
        if seed % 16 == 0:
            for level in ("torch", "aten"):
                imports[f"capture {level}"] = lambda level=level: (
                    fxgraph.capture(program.module, *[t.clone() for t in program.inputs], level=level), program.inputs)
        after = [*inputs, *buffers.values()]
        for name, make in imports.items():
            self.counts["imports"] += 1
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    module, given = make()
            except FxGraphError as error:
                self.counts[f"{name} refused"] += 1
                if show or "error:" in str(error) or "Error:" in str(error) and "capture" not in name:
                    print(f"seed {seed} {name}: {error}")
                    self.counts["crashed"] += "capture" not in name
                continue
            if show:
                print(module.asm)
            changed = dict(zip(module.inputs, after))
            changed.update({n: buffers[n] for n in module.weights if n in buffers})
            named = {**{n: t.clone() for n, t in module.weights.items()}, **dict(zip(module.inputs, given))}
            if "fxgraph.opaque" in module.asm:
                self.counts["with opaque ops"] += 1
                self.opaque.add(f"seed {seed} {name}", module, named, want, changed)
            else:
                self.batch.add(f"seed {seed} {name}", module, named, want, changed)

    def evaluate(self, batch):
        """With PyTorch, as it is and after the pipeline."""
        for label, module, named, want, changed, *_ in batch.cases:
            after = module.clone()
            after.run_passes(PIPELINE)
            for when, graph in (("", module), (f" after {PIPELINE}", after)):
                try:
                    results, written = evaluate(graph, {n: t.clone() for n, t in named.items()})
                except (FxGraphError, RuntimeError) as error:
                    self.wrong.append(f"{label}: {type(error).__name__}: {error} (PyTorch{when})")
                    continue
                problems = [diff.compare(g, w) for g, w in zip(restore(module.outputs, results), want, strict=True)]
                problems += [diff.compare(written.get(n, named[n]), v) for n, v in changed.items()]
                self.wrong += [f"{label}: {p} (PyTorch{when})" for p in problems if p]

    def flush(self):
        """What needs no PyTorch, on both targets."""
        batch, self.batch = self.batch, Batch()
        self.flush_opaque()
        for pipeline in (None, PIPELINE) if batch.cases else ():
            for target in ("ref", "cpu"):
                self.wrong += [f"{w} ({target}{', after ' + pipeline if pipeline else ''})" for w in batch.run(target, pipeline)]


    def flush_opaque(self):
        batch, self.opaque = self.opaque, Batch()
        if batch.cases:
            self.evaluate(batch)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="0:40", help="first:last, the last excluded")
    parser.add_argument("--show", action="store_true", help="print the programs and their imports")
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(":"))
    run = Run()
    for seed in range(first, last):
        run.check(seed, options.show)
        if len(run.opaque.cases) >= 8:
            run.flush_opaque()
        if len(run.batch.cases) >= 200:
            run.flush()
            print(f"seed {seed}: {len(run.wrong)} wrong", *run.wrong[:3], sep="\n", flush=True)
    run.flush()
    print(*run.wrong, sep="\n")
    print(f"{last - first} programs, {dict(run.counts)}, {len(run.wrong)} wrong")
    sys.exit(bool(run.wrong or run.counts["crashed"]))


main()
