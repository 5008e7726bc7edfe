# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# REQUIRES: torch
# RUN: %torch_python %s --seeds 0:24 | FileCheck %s
# CHECK: 24 programs{{.*}} 0 wrong
"""Random programs, captured and back again: `Module.to_fx` against eager.

    export_differential.py --seeds 0:5000 [--level aten] [--verbose]

A program has 5 to 20 statements over its arguments, two buffers and what it makes of them:
views that the dialect knows and others, writes in place and by out=, second names of
functions, ops that stay opaque (some see strides, some write, some draw), results that are
arguments, views of them, or given twice. Its graph is compared as captured and after the
pre-grad pipeline in both modes: values, dtypes, shapes, strides, what shares memory with
what, and all arguments and buffers afterwards. A program that PyTorch or the importer
refuses to capture is counted, not compared.
"""
import argparse
import collections
import os
import random
import sys
import textwrap
import warnings

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))), "python"))

import fxgraph  # noqa: E402
from fxgraph.testing.export import check_export  # noqa: E402

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
    |{x}.flatten()[0] = {n}|torch.negative({y}, out={x})|torch.neg({x}.clone(), out={x})""".split("|")
VIEWS, PURE, OPAQUE, WRITES = ([text.strip() for text in kind] for kind in (VIEWS, PURE, OPAQUE, WRITES))
KINDS = [(VIEWS, 6), (PURE, 5), (WRITES, 5), (OPAQUE, 2)]


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


def example_inputs(rng):
    """A matrix, now and then a transposed one, and a matrix or a row."""
    a = torch.arange(6.0).view(2, 3) - 2 if rng.random() < 0.7 else (torch.arange(6.0).view(3, 2) - 2).t()
    b = torch.arange(6.0).view(2, 3) / 2 if rng.random() < 0.6 else torch.tensor([1.0, -2.0, 3.0])
    return [a, b]


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


def make_program(rng):
    """(Program, its inputs): statements are tried in eager as they are drawn."""
    inputs = example_inputs(rng)
    scope, names, lines = start(inputs), ["a", "b", "c", "d"], []
    count, tries = rng.randint(5, 20), 0
    while len(lines) < count and tries < 400:
        tries += 1
        kind = rng.choices([k for k, _ in KINDS], [w for _, w in KINDS])[0]
        # The younger ones more often.
        name = names[min(int(len(names) * rng.random() ** 0.6), len(names) - 1)]
        x, new = scope[name], f"v{len(lines)}"
        partner = rng.choice([n for n in names if shapes_fit(x, scope[n])])
        statement = rng.choice(kind).format(x=name, y=partner, n=rng.randint(2, 4), d=rng.randrange(max(x.dim(), 1)), i=rng.choice([0, 1]))
        statement = statement if kind is WRITES else f"{new} = {statement}"
        good = runs(statement, scope) and (kind is WRITES or isinstance(scope[new], torch.Tensor) and 0 < scope[new].numel() <= 200)
        if good:
            lines.append(statement)
            names += [] if kind is WRITES else [new]
        elif kind is WRITES:
            # It may have been done in part.
            scope = start(inputs)
            for line in lines:
                exec(line, scope)
    results = [rng.choice(names) for _ in range(rng.randint(1, 4))] + [names[-1]]
    results += [f"{rng.choice(names)}{rng.choice(['[0]', '.t()', '.unsqueeze(0)', '.detach()'])}" for _ in range(rng.randint(0, 2))]
    return Program(lines, ", ".join(result for result in results if runs(result, scope))), inputs


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
        program, inputs = make_program(random.Random(seed))
        level = args.level or ("torch" if seed % 3 == 0 else "aten")
        try:
            _, difference = check_export(program, inputs, level, PIPELINES)
        except fxgraph.ImportFailure as error:
            refused[str(error).split(" at ")[0][:160] if args.verbose else "refused"] += 1
            if args.verbose:
                print(f"--- seed {seed}, {level}: {error}", flush=True)
            continue
        except Exception as error:  # noqa: BLE001: every failure is reported with its program
            difference = f"{type(error).__name__}: {error}"
        if difference:
            wrong += 1
            print(f"--- seed {seed}, {level}: {difference}\n{program.text}", flush=True)
    for reason, count in refused.most_common():
        print(f"{count:6} {reason}")
    print(f"{last - first} programs ({sum(refused.values())} not captured), {wrong} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
