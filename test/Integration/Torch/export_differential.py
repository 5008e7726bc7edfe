# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# REQUIRES: torch
# RUN: %torch_python %s --seeds 0:20 | FileCheck %s
# CHECK: {{^}}20 programs ({{[0-9]}} not compared), 0 wrong
"""Random programs, captured and back again: `Module.to_fx` against eager.

    export_differential.py --seeds 0:5000 [--level aten] [--verbose]

A program has 5 to 20 statements over its arguments, two buffers and what it makes of them:
views that the dialect knows and others, writes in place and by out=, changes of shape and
storage in place, all second names of functions, sizes as values, ops that stay opaque (some
see strides, some write, some draw), results that are arguments, views of them, or given
twice. Of every fourth program the extent of the arguments' first dim is dynamic, and the
graph runs at two more extents. It is compared as captured and after the pre-grad pipeline
in both modes: values, dtypes, shapes, strides, what shares memory with what, and all
arguments and buffers afterwards. A program that PyTorch or the importer refuses to capture,
or whose graph of PyTorch's gives other results than eager, is counted, not compared.
"""
import argparse
import collections
import itertools
import operator
import os
import random
import sys
import textwrap
import warnings

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))), "python"))

import fxgraph  # noqa: E402
from fxgraph.importer.aliases import first_names  # noqa: E402
from fxgraph.testing.export import check_export, misleads  # noqa: E402

PIPELINES = (None, "fxgraph-pre-grad", "fxgraph-pre-grad{mode=best}")


@torch.library.custom_op("export_differential::fill", mutates_args={"out"})
def fill(out: torch.Tensor, value: torch.Tensor) -> None:
    out.copy_(value * 2 + 1)


@torch.library.custom_op("export_differential::accumulate", mutates_args={"out"})
def accumulate(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    out.add_(x.sum().to(out.dtype))
    return x * 2


@torch.library.custom_op("export_differential::strides", mutates_args=())
def strides(x: torch.Tensor) -> torch.Tensor:
    """An op that sees how its operand lies in memory, where that says something."""
    seen = [stride if extent > 1 else 0 for extent, stride in zip(x.shape, x.stride())]
    return torch.tensor([*seen, 1], dtype=torch.float32)


fill.register_fake(lambda out, value: None)
accumulate.register_fake(lambda x, out: torch.empty_like(x))
strides.register_fake(lambda x: torch.empty(x.dim() + 1))

# {x}, {y} are tensors, {y} of a shape that {x} broadcasts with; {n} a small number, {d} a dim of {x}, {i} an index in dim 0.
VIEWS = """{x}.t()|{x}.transpose(0, -1)|{x}.swapaxes(0, -1)|{x}.swapdims(0, {d})|{x}.movedim(0, -1)|{x}.moveaxis(-1, 0)|{x}[{i}]
    |{x}[{i}:]|{x}[:-1]|{x}[..., ::2]|{x}[..., -1]|{x}[None]|{x}.view(-1)|{x}.reshape(-1)|{x}.reshape(-1, 2)|{x}.flatten()
    |{x}.unsqueeze({d})|{x}.unsqueeze(-1)|{x}.squeeze()|{x}.squeeze(0)|{x}.expand(2, *{x}.shape)|{x}.detach()|{x}.narrow(0, {i}, 1)
    |{x}.chunk(2, {d})[-1]|{x}.split(1, 0)[0]|{x}.unbind(0)[{i}]|{x}.select({d}, 0)|{x}.contiguous()|{x}.to({x}.dtype)
    |{x}.permute(*reversed(range({x}.dim())))|{x}.mT|{x}.view_as({x})|{x}.diagonal()|{x}.unfold({d}, 2, 1)
    |{x}.as_strided((2, 2), (1, 2))|{x}.view(torch.int32).view(torch.float32)|{x}.view(torch.int32)|torch.ravel({x})
    |torch.atleast_2d({x})|{x}.T|{x}.unflatten(0, (1, -1))|{x}.split([1, 1], 0)[1]|{x}.real|{x}.positive()
    |{x}.contiguous(memory_format=torch.preserve_format)""".split("|")
PURE = """{x} + {y}|{x} - {y}|{x} * {y}|{x} * 1.0|{x} + 0|{x} * {n}|{n} - {x}|{x}.clone()|torch.relu({x})|torch.sigmoid({x})
    |{x}.sum(0)|{x}.sum()|{x}.amax({d})|torch.cat([{x}, {x}], {d})|torch.cat([{x}])|torch.stack([{x}, {x}], -1)|{x} @ {x}.mT
    |torch.multiply({x}, {y})|torch.subtract({x}, {y})|torch.absolute({x})|torch.special.expit({x})|torch.clip({x}, -1, {n})
    |{x}.negative()|torch.greater({x}, 0).to(torch.float32)|torch.zeros_like({x})|torch.where({x} > 0, {x}, {y})|{x}.softmax(-1)
    |torch.special.softmax({x}, -1)|{x}.to(torch.float64)|{x}.to(torch.int64)|{x}.clone(memory_format=torch.contiguous_format)
    |torch.empty_like({x}).copy_({y})|torch.ones(2, 3)|torch.full((3,), {n}.0)|torch.arange(3)|torch.arange(6.0).view(2, 3)
    |{x}.t().contiguous()|{x}.flip(0)|{x}.roll(1, 0)|{x}[torch.tensor([0, 0])]|{x}.index_select(0, torch.tensor([{i}]))
    |torch.empty_strided((2, 3), (1, 2)).fill_({n})|{x}.repeat(2, *[1] * {x}.dim())|{x}.sum() * 2.5|{x}.mean() / 3|torch.tril({x})
    |torch.nn.functional.pad({x}, (1, 0))|torch.maximum({x}, {y})|torch.concat([{x}, {x}])|{x}.reshape(-1).unbind()[0]
    |torch.add({x}, {y}, alpha=2)|{x}.masked_fill({x} > 0, {n})|{x}.cumsum(0)|torch.cat([p for p in {x}.split(1, 0)])
    |torch.stack({x}.unbind(0))|torch.cat({x}.chunk(2, {d}), {d})""".split("|")
OPAQUE = """torch.ops.export_differential.strides({x})|torch.cummax({x}, 0)[0]|torch.randint(0, 9, (2, 3))|torch.randn(3) + {n}
    |torch.randperm(3)|torch.logcumsumexp({x}, 0)|{x}.cummin(0).values|{x}.mode(1).values
    |torch.ops.export_differential.strides({x}.t())|torch.ops.export_differential.strides({x} * 1.0)
    |torch.ops.export_differential.accumulate({x}, {y})|torch.bernoulli(torch.full((2, 3), 0.5))|torch.trace({x})|{x}.median()
    |torch.normal(0.0, 1.0, (2, 3))|torch.ops.export_differential.strides({x}[0])
    |torch.ops.export_differential.strides(torch.cat({x}.chunk(2, 0)))""".split("|")
WRITES = """{x}.add_({n})|{x}.mul_(0.5)|{x}.copy_({y})|{x}.fill_({n})|{x}.zero_()|{x}.neg_()|{x}.clamp_(-1, {n})|{x}[{i}] = {n}
    |{x}[{i}] = {y}[0]|{x}[..., 0].add_(1)|{x}.sub_({y})|{x}.relu_()|{x}.masked_fill_({x} > 0, {n})|{x}[{x} > 1] = 0|{x}.t().mul_(2)
    |{x} += {n}|{x}[1:] = {x}[:-1].clone()|{x}.index_fill_(0, torch.tensor([{i}]), {n})|torch.add({y}, {n}, out={x})
    |torch.mul({y}, 2, out={x})|torch.ops.export_differential.fill({x}, {y})|torch.ops.export_differential.fill({x}[{i}], {y}[0])
    |{x}.diagonal().add_(1)|{x}.absolute_()|{x}.multiply_({n})|{x}.copy_({x}.flip(0) * 1.0)|torch.sigmoid_({x})|{x}.view(-1)[0] = {n}
    |{x}.flatten()[0] = {n}|torch.negative({y}, out={x})|torch.neg({x}.clone(), out={x})|torch.cumsum({y}, 0, out={x})""".split("|")
# Into nothing, and of another dtype.
OUT = """torch.mul({x}, {n}, out=torch.empty(0))|torch.sum({x}, 0, out=torch.empty(0, dtype={x}.dtype))|torch.cat([{x}, {x}], out=torch.empty(0))
    |torch.neg({x}, out=torch.zeros_like({x}, dtype=torch.float64))|torch.add({x}, {n}, out=torch.zeros_like({x}, dtype=torch.float64))
    |torch.cumsum({x}, 0, out=torch.zeros_like({x}, dtype=torch.float64))""".split("|")
# Of a tensor that is no argument.
RESHAPES = """{x}.t_()|{x}.transpose_(0, -1)|{x}.swapaxes_(0, {d})|{x}.swapdims_({d}, -1)|{x}.unsqueeze_({d})|{x}.unsqueeze_(-1)|{x}.squeeze_()
    |{x}.squeeze_(0)|{x}.detach_()|{x}.as_strided_((2, 2), (1, 2))|{x}.resize_(2)|{x}.set_({y})""".split("|")
SIZES = """{x} * {x}.shape[0]|{x}.sum(0) / {x}.shape[0]|torch.tensor({x}.shape[0])|torch.tensor({x}.shape[0], dtype=torch.float32)
    |torch.full((2,), {x}.shape[0])|torch.full_like({x}, {y}.shape[0])|torch.scalar_tensor({x}.numel())|{x} + {y}.numel()
    |torch.zeros(2).fill_({x}.shape[0])|torch.arange({x}.shape[0])|torch.ones({x}.shape[0], 3)|{x}.new_zeros({x}.shape[0], 2)
    |{x}[: {x}.shape[0] // 2]|{x}[{x}.shape[0] - 1]|{x}.narrow(0, 1, {x}.shape[0] - 1)|{x}.view({x}.shape[0], -1)|{x}.reshape({x}.numel())
    |{x}.expand({y}.shape[0], *[-1] * {x}.dim())|{x}.clone().fill_({x}.shape[0])|{x} > {x}.shape[0] // 2|torch.arange({x}.numel()).view({x}.shape)
    |{x}.unflatten(0, ({x}.shape[0], 1))|{x}.new_full(({y}.shape[0],), {x}.dim())|torch.empty_like({x}).copy_({x}) - {x}.size(-1)""".split("|")


def second_names():
    """Calls by each second name that PyTorch has of a function, as function, method and in place."""
    pure, writes = [], []
    for name in first_names():
        module, plain = next(((m, name.removeprefix(f"{m}_")) for m in ("special", "linalg") if name.startswith(f"{m}_")), ("", name))
        owner = getattr(torch, module) if module else torch
        arguments = ("{x}", "{x}, {y}", "{x}, {n}", "{x}, {d}", "{x}, 0, -1", "[{x}, {y}]")
        if hasattr(owner, plain):
            pure += [f"torch.{module + '.' if module else ''}{plain}({given})" for given in arguments]
            writes += [f"torch.{module + '.' if module else ''}{plain}({given}, out={{x}})" for given in ("{y}", "{y}, {n}")]
        for kind, method in ((pure, name), (writes, f"{name}_")):
            if hasattr(torch.Tensor, method):
                kind += [f"{{x}}.{method}({given})" for given in ("", "{y}", "{n}", "0, {d}")]
    return pure, writes


VIEWS, PURE, OPAQUE, WRITES, OUT, RESHAPES, SIZES = (
    [text.strip() for text in kind] for kind in (VIEWS, PURE, OPAQUE, WRITES, OUT, RESHAPES, SIZES))
ALIASES, ALIAS_WRITES = second_names()
KINDS = [(VIEWS, 12), (PURE, 8), (WRITES, 10), (OPAQUE, 4), (ALIASES, 6), (ALIAS_WRITES, 6), (OUT, 1), (RESHAPES, 3), (SIZES, 2)]
DYNAMIC_KINDS = [(kind, 12 if kind is SIZES else weight) for kind, weight in KINDS]
# Statements that make no new value.
EFFECTS = (WRITES, ALIAS_WRITES, RESHAPES)


class Program(torch.nn.Module):
    """Statements over arguments a, b and buffers c, d; it returns what they made."""

    def __init__(self, lines, results):
        super().__init__()
        self.register_buffer("c", torch.arange(6.0).view(2, 3) - 2)
        self.register_buffer("d", torch.ones(3))
        source = "def forward(self, a, b):\n    c, d = self.c, self.d\n" + textwrap.indent("\n".join(lines), "    ") + f"\n    return ({results},)\n"
        scope = {"torch": torch}
        exec(compile(source, "<program>", "exec"), scope)
        self.run, self.text = scope["forward"], source

    def forward(self, a, b):
        return self.run(self, a, b)


def example_inputs(rng, extents):
    """For each extent a matrix, now and then a transposed one, and a matrix or a row."""
    transposed, row = rng.random() >= 0.7, rng.random() >= 0.6
    return [[(torch.arange(n * 3.0).view(3, n) - 2).t() if transposed else torch.arange(n * 3.0).view(n, 3) - 2,
             torch.tensor([1.0, -2.0, 3.0]) if row else torch.arange(n * 3.0).view(n, 3) / 2] for n in extents]


def shapes_fit(x, y):
    """y broadcasts to x."""
    return y.dim() <= x.dim() and all(n in (1, m) for n, m in zip(reversed(y.shape), reversed(x.shape)))


def start(inputs):
    return {"torch": torch, "a": inputs[0].clone(), "b": inputs[1].clone(), "c": torch.arange(6.0).view(2, 3) - 2, "d": torch.ones(3)}


def runs(text, scope):
    """True if PyTorch takes a statement (and does not warn: out= of another shape is one thing that it will refuse)."""
    try:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(text, scope)
    except (AttributeError, IndexError, RuntimeError, TypeError, ValueError, Warning):
        return False
    return True


def hangs_on_order(statement, scope, name, partner):
    """True if a write reads elements that it has written: PyTorch does not say what it reads then."""
    x, y = scope[name], scope[partner]
    if x is y or x.untyped_storage().data_ptr() != y.untyped_storage().data_ptr():
        return False

    def in_copy(*tensors):
        """As they are, in a copy of their storage."""
        memory = tensors[0].untyped_storage().clone()
        return [torch.empty(0, dtype=t.dtype).set_(memory, t.storage_offset(), t.shape, t.stride()) for t in tensors]

    together, apart = in_copy(x, y), in_copy(x) + in_copy(y)
    if not all(runs(statement, {**scope, name: target, partner: source}) for target, source in (together, apart)):
        return False
    return not torch.equal(together[0], apart[0])


def make_program(rng, dynamic):
    """(Program, its inputs, inputs of other extents): statements are tried in eager as they are drawn."""
    inputs = example_inputs(rng, (4, 5, 7) if dynamic else (2,))
    scopes, names, lines = list(map(start, inputs)), ["a", "b", "c", "d"], []
    kinds, weights = zip(*(DYNAMIC_KINDS if dynamic else KINDS))
    count, tries = rng.randint(5, 20), 0
    while len(lines) < count and tries < 600:
        tries += 1
        kind = rng.choices(kinds, weights)[0]
        # The younger ones more often.
        name = names[min(int(len(names) * rng.random() ** 0.6), len(names) - 1)]
        x, new = scopes[0][name], f"v{len(lines)}"
        if kind is RESHAPES and any(x is scopes[0][argument] for argument in "abcd"):
            continue
        partner = rng.choice([n for n in names if shapes_fit(x, scopes[0][n])])
        statement = rng.choice(kind).format(x=name, y=partner, n=rng.randint(2, 4), d=rng.randrange(max(x.dim(), 1)), i=rng.choice([0, 1]))
        if dynamic and statement.endswith(".squeeze_(0)") and x.shape[:1] != (1,):
            continue  # PyTorch's fakes read sizes that they have freed, and the process may end
        if kind in EFFECTS and any(hangs_on_order(statement, scope, name, partner) for scope in scopes):
            continue
        statement = statement if kind in EFFECTS else f"{new} = {statement}"
        good = all(runs(statement, scope) for scope in scopes)
        made = [scope[name if kind in EFFECTS else new] for scope in scopes] if good else []
        # Of a NaN, seen as an integer, PyTorch does not promise the bits.
        if good and all(isinstance(value, torch.Tensor) and 0 < value.numel() <= 400 and value.isfinite().all() for value in made):
            lines.append(statement)
            names += [] if kind in EFFECTS else [new]
        elif kind in EFFECTS:
            # It may have been done in part.
            scopes = list(map(start, inputs))
            for scope in scopes:
                for line in lines:
                    exec(line, scope)
    results = [rng.choice(names) for _ in range(rng.randint(1, 4))] + [names[-1]]
    results += [f"{rng.choice(names)}{rng.choice(['[0]', '.t()', '.unsqueeze(0)', '.detach()', '.shape[0]'])}" for _ in range(rng.randint(0, 2))]
    results = ", ".join(result for result in results if all(runs(result, scope) for scope in scopes))
    return Program(lines, results), inputs[0], inputs[1:]


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0:100", help="A:B, the programs' numbers")
    parser.add_argument("--level", choices=("torch", "aten"), help="one level (default: both in turn)")
    parser.add_argument("--verbose", action="store_true", help="say why programs were refused")
    args = parser.parse_args()
    first, last = map(int, args.seeds.split(":"))
    wrong, refused = 0, collections.Counter()
    for seed in range(first, last):
        dynamic = seed % 4 == 3
        program, inputs, others = make_program(random.Random(seed), dynamic)
        level = args.level or ("torch" if seed % 3 == 0 else "aten")
        options = {}
        if dynamic:
            options["dynamic_shapes"] = tuple({0: torch.export.Dim.DYNAMIC} if x.dim() == 2 else None for x in inputs)
        try:
            _, difference = check_export(program, inputs, level, PIPELINES, others, **options)
        except fxgraph.ImportFailure as error:
            refused[str(error).split(" at ")[0][:160] if args.verbose else "refused"] += 1
            if args.verbose:
                print(f"--- seed {seed}, {level}: {error}", flush=True)
            continue
        except Exception as error:  # noqa: BLE001: every failure is reported with its program
            difference = f"{type(error).__name__}: {error}"
        if difference:
            # Once more, at the extents of which PyTorch's own graph does what eager does.
            misled, *others_misled = misleads(program, inputs, level, others, **options)
            if misled or any(others_misled):
                refused["PyTorch's graph computes something else"] += 1
                others = list(itertools.compress(others, map(operator.not_, others_misled)))
                difference = None if misled else check_export(program, inputs, level, PIPELINES, others, **options)[1]
        if difference:
            wrong += 1
            print(f"--- seed {seed}, {level}: {difference}\n{program.text}", flush=True)
    for reason, count in refused.most_common():
        print(f"{count:6} {reason}")
    print(f"{last - first} programs ({sum(refused.values())} not compared), {wrong} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
