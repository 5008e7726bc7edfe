# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# REQUIRES: torch
# RUN: env FXGRAPH_VERIFY_REWRITES=0 %torch_python %s --seeds 0:12 | FileCheck %s
# CHECK: {{^}}12 programs, {{.*}}, 0 wrong
"""Random programs on tensors that lie in memory in all ways, each object called twice with what the first call wrote.

    memory_differential.py --seeds 0:1000 [--show]

Arguments and buffers are contiguous, transposed, with gaps, repeated or somewhere in a larger memory. Statements make views, also by
as_strided, change shapes and strides in place, write, and copy where strides say so. A program is imported from symbolic tracing and by capture at
both levels, and run by the interpreter, the CPU back end and the graph of to_fx, before and after the pre-grad pipeline. Compared with eager are the
results of both calls, those of the first also after the second, all arguments and buffers, and for to_fx strides and shared memory.
"""
import argparse
import collections
import os
import random
import sys
import textwrap
import warnings

import torch
import torch.fx

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))), "python"))

import fxgraph  # noqa: E402
from fxgraph.errors import FxGraphError  # noqa: E402
from fxgraph.testing.export import Run, difference, misleads  # noqa: E402

# {x}, {y} are tensors, {y} of a shape that {x} broadcasts with; {n} a small number, {d} a dim of {x}, {i} an index in dim 0, {r} the rank.
VIEWS = """{x}.t()|{x}.transpose(0, -1)|{x}.view(-1)|{x}.reshape(-1)|{x}.flatten()|{x}.unsqueeze({d})|{x}.squeeze()|{x}.detach()|{x}.contiguous()
    |{x}.permute(*reversed(range({r})))|{x}[{i}:]|{x}[..., ::2]|{x}[{i}]|{x}.expand(2, *[-1] * {r})|{x}.narrow(0, {i}, 1)
    |{x}.as_strided((2, 2), (1, 2))|{x}.as_strided((3,), (2,), 1)|{x}.as_strided((4,), (1,))|{x}.as_strided((2, 2), (1, 1))
    |{x}.as_strided((2, 3), (0, 1), 0)|{x}.diagonal()|{x}.unfold({d}, 2, 1)|{x}.view_as({x})|{x}.split(1, {d})[0]|{x}.chunk(2, 0)[-1]
    |{x}.unbind(0)[{i}]|{x}.movedim(0, -1)|{x}.positive()|{x}.to({x}.dtype)|{x}.unflatten(0, (1, -1))|{x}.view(1, -1)|{x}.reshape(-1, 2)
    |{x}.reshape(2, -1)|{x}.select({d}, 0)|torch.atleast_3d({x})|{x}.swapaxes(0, -1)""".split("|")
PURE = """{x} + {y}|{x} * 1.0|{x}.clone()|{x}.t().contiguous()|{x}.clone(memory_format=torch.contiguous_format)|torch.cat([{x}, {x}], {d})
    |{x}.sum(0)|torch.empty_like({x}).copy_({y})|torch.relu({x})|{x}.t() * 2|torch.stack([{x}, {x}], -1)|torch.zeros_like({x})
    |torch.as_strided_copy({x}, (2, 2), (1, 2))|torch.as_strided_scatter({x}, torch.zeros(2), (2,), (2,))|{x}.new_zeros(2, 2)
    |{x}.expand(2, *[-1] * {r}).contiguous()|{x}.cumsum(0)|{x} * {x}.stride(0)|{x} + {x}.storage_offset()
    |{x}.new_empty_strided({x}.shape, {x}.stride()).copy_({x})|torch.where({x} > 0, {x}, {y})|{x}.flip(0)|{x}.repeat(2, *[1] * {r})
    |torch.empty_like({x}).fill_(3)|torch.full_like({x}, 2)|{x}.clone().t()""".split("|")
WRITES = """{x}.add_({n})|{x}.mul_(2)|{x}.copy_({y})|{x}.fill_({n})|{x}.zero_()|{x}[..., 0].add_(1)|{x}.t().mul_(2)|{x}.relu_()
    |{x}.view(-1)[0].fill_({n})|{x}.flatten()[0].fill_({n})|{x}.reshape(-1).add_(1)|{x}.as_strided((2,), (2,)).add_(1)
    |{x}.as_strided((2, 2), (1, 2), 0).mul_(2)|{x}.diagonal().add_(1)|{x}.contiguous().add_(1)|torch.add({y}, {n}, out={x})
    |{x}.swapaxes(0, -1).sub_({n})|{x}.as_strided((3,), (1,), 1).zero_()|{x}.detach().add_(1)|{x}.neg_()
    |{x}.unfold({d}, 2, 2).add_(1)|{x}.as_strided((4,), (1,), 0).copy_({y})""".split("|")
# Of a tensor that is no argument.
RESHAPES = """{x}.t_()|{x}.transpose_(0, -1)|{x}.transpose_({d}, 0)|{x}.swapaxes_(0, {d})|{x}.swapdims_({d}, -1)|{x}.unsqueeze_({d})
    |{x}.unsqueeze_(-1)|{x}.squeeze_()|{x}.squeeze_({d})|{x}.squeeze_((0, -1))|{x}.detach_()|{x}.as_strided_((2, 2), (1, 2))
    |{x}.as_strided_((2, 2), (2, 1), 1)|{x}.as_strided_((4,), (1,), 0)|{x}.resize_(2)|{x}.resize_(2, 2)|{x}.resize_(1, 4)
    |{x}.resize_({x}.shape)|{x}.set_({y})|{x}.set_({y}.t())|{x}.resize_as_({y})|{x}.transpose_(0, 1).t_()
    |{x}.unsqueeze_(0).transpose_(0, -1)|{x}.resize_(2, 2, memory_format=torch.contiguous_format)""".split("|")
VIEWS, PURE, WRITES, RESHAPES = ([text.strip() for text in kind] for kind in (VIEWS, PURE, WRITES, RESHAPES))
KINDS, WEIGHTS = (VIEWS, PURE, WRITES, RESHAPES), (10, 6, 8, 9)
EFFECTS = (WRITES, RESHAPES)
ARGUMENTS, BUFFERS = "ab", "cde"
ENGINES = ("to_fx", "ref", "cpu")
REFUSALS = (AttributeError, IndexError, RuntimeError, TypeError, ValueError, Warning)


def buffers():
    return {"c": torch.arange(6.0).view(2, 3) - 2, "d": torch.arange(6.0).view(3, 2).t() * 1.0, "e": torch.ones(3)}


class Model(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function
        for name, tensor in buffers().items():
            self.register_buffer(name, tensor)

    def forward(self, a, b):
        return self.function(self, a, b)

    def reset(self):
        with torch.no_grad():
            for name, tensor in buffers().items():
                getattr(self, name).copy_(tensor)


class Tracer(torch.fx.Tracer):
    proxy_buffer_attributes = True


def in_memory(tensor):
    """A copy that begins where the tensor does in its memory, and has its strides."""
    reach = sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride())) + 1
    memory = torch.zeros(tensor.storage_offset() + reach)
    memory.as_strided((reach,), (1,), tensor.storage_offset()).copy_(tensor.as_strided((reach,), (1,)))
    return memory.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def example_inputs(rng):
    first = rng.choice([torch.arange(6.0).view(2, 3) - 2, (torch.arange(6.0).view(3, 2) - 2).t(), torch.arange(12.0).view(2, 6)[:, ::2],
                        torch.arange(12.0).as_strided((2, 3), (3, 1), 4), torch.arange(4.0).view(2, 2)])
    return [first, torch.tensor([1.0, -2.0, 3.0]) if rng.random() < 0.4 else torch.arange(6.0).view(2, 3) / 2]


def scope_of(inputs):
    return {"torch": torch, **dict(zip(ARGUMENTS, map(in_memory, inputs))), **buffers()}


def runs(text, scope):
    """True if PyTorch takes a statement, without a warning."""
    try:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(text, scope)
    except REFUSALS:
        return False
    return True


def overlaps(tensor):
    """True if two elements are one memory location."""
    places = torch.zeros(tensor.shape, dtype=torch.int64)
    for dim, (extent, stride) in enumerate(zip(tensor.shape, tensor.stride())):
        places += (torch.arange(extent) * stride).reshape([-1] + [1] * (tensor.dim() - dim - 1))
    return places.unique().numel() != tensor.numel()


def may_hang_on_order(x, y):
    """True if a write of x may read elements of y that it has written: PyTorch does not say what it reads then."""
    return x is not y and x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr()


def make_program(rng):
    """(function, its text, inputs): statements are tried in eager as they are drawn."""
    inputs = example_inputs(rng)
    scope, names, lines = scope_of(inputs), [*ARGUMENTS, *BUFFERS], []
    wanted, tries = rng.randint(3, 12), 0
    while len(lines) < wanted and tries < 500:
        tries += 1
        kind = rng.choices(KINDS, WEIGHTS)[0]
        name = names[min(int(len(names) * rng.random() ** 0.6), len(names) - 1)]
        x = scope[name]
        if kind is RESHAPES and any(x is scope[fixed] for fixed in (*ARGUMENTS, *BUFFERS)):
            continue
        partner = rng.choice([n for n in names if scope[n].dim() <= x.dim() and
                              all(n in (1, m) for n, m in zip(reversed(scope[n].shape), reversed(x.shape)))])
        if kind is WRITES and (overlaps(x) or may_hang_on_order(x, scope[partner])):
            continue
        statement = rng.choice(kind).format(x=name, y=partner, n=rng.randint(2, 4), d=rng.randrange(max(x.dim(), 1)), i=rng.choice([0, 1]), r=x.dim())
        result = name if kind in EFFECTS else f"v{len(lines)}"
        statement = statement if kind in EFFECTS else f"{result} = {statement}"
        made = scope[result] if runs(statement, scope) else None
        if isinstance(made, torch.Tensor) and 0 < made.numel() <= 200 and made.dim() < 6 and made.isfinite().all() and made.abs().max() < 1e5:
            lines.append(statement)
            names += [] if kind in EFFECTS else [result]
        elif kind in EFFECTS:
            scope = scope_of(inputs)  # It may have been done in part.
            with torch.no_grad():
                for line in lines:
                    exec(line, scope)
    results = [rng.choice(names) for _ in range(rng.randint(1, 4))] + [names[-1]]
    results += [f"{rng.choice(names)}{rng.choice(['[0]', '.t()', '.unsqueeze(0)', '.view(-1)', '.as_strided((2,), (1,))'])}" for _ in range(rng.randint(0, 2))]
    body = [f"{', '.join(BUFFERS)} = {', '.join(f'self.{name}' for name in BUFFERS)}", *lines,
            f"return ({', '.join(result for result in results if runs(result, scope))},)"]
    text = "def forward(self, a, b):\n" + textwrap.indent("\n".join(body), "    ") + "\n"
    made = {"torch": torch}
    exec(compile(text, "<program>", "exec"), made)
    return made["forward"], text, inputs


def two_calls(function, inputs, model):
    """What a call with the inputs and a second one with the same tensors give and leave behind."""
    model.reset()
    given, runs_, first = list(map(in_memory, inputs)), [], []
    for _ in range(2):
        run = Run(function, given, dict(model.named_buffers()))
        run.after.update({f"result {i} of the first call": t.detach() for i, t in enumerate(first)})
        first = run.results
        runs_.append(run.snapshot())
    return runs_


def compare_calls(got, want, in_memory_too):
    for number, (mine, its) in enumerate(zip(got, want), 1):
        if not in_memory_too:
            mine.strides, mine.sharing = its.strides, its.sharing
        wrong = difference(mine, its)
        if wrong:
            return f"call {number}: {wrong}"
    return None


def importers(model, inputs):
    """{way: function that imports the program}; symbolic tracing only where it can."""
    def copies():
        return list(map(in_memory, inputs))

    def capture(level):
        return lambda: fxgraph.capture(model, *copies(), level=level)

    made = {level: capture(level) for level in ("torch", "aten")}
    try:
        graph = torch.fx.GraphModule(model, Tracer().trace(model))
        made["fx"] = lambda: fxgraph.from_fx(graph, copies())
    except (TypeError, torch.fx.proxy.TraceError):
        pass  # *[-1] * rank, x.stride() as a number
    finally:
        model.reset()
    return made


def check(seed, show, counts):
    """What is wrong of a program, as messages."""
    function, text, inputs = make_program(random.Random(seed))
    if show:
        print(text, [(tuple(x.shape), x.stride(), x.storage_offset()) for x in inputs])
    model, eager, wrong = Model(function), Model(function), []
    want = two_calls(eager, inputs, eager)
    for way, make in importers(model, inputs).items():
        try:
            module = make()
        except FxGraphError as error:
            counts["refused"] += 1
            if show:
                print(f"{way}: {error}")
            continue
        counts["imports"] += 1
        engines = ENGINES[:1] if module.unknown_ops else ENGINES
        for pipeline in (None, "fxgraph-pre-grad"):
            if pipeline:
                module.run_passes(pipeline)
            if show:
                print(module.asm)
            for engine in engines:
                counts[engine] += 1
                try:
                    call = module.to_fx() if engine == "to_fx" else module.compile(engine)
                    problem = compare_calls(two_calls(call, inputs, model), want, engine == "to_fx")
                except Exception as error:  # noqa: BLE001: every failure is reported with its program
                    problem = f"{type(error).__name__}: {error}"
                model.reset()
                if problem and way != "fx" and misleads(eager, inputs, way)[0]:
                    counts["PyTorch's graph computes something else"] += 1
                elif problem:
                    wrong.append(f"--- seed {seed}, {way}, {engine}, {pipeline or 'as imported'}: {problem}\n{text}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0:100", help="A:B, the programs' numbers")
    parser.add_argument("--show", action="store_true", help="print the programs and their imports")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    first, last = map(int, args.seeds.split(":"))
    wrong, counts = 0, collections.Counter()
    for seed in range(first, last):
        messages = check(seed, args.show, counts)
        wrong += bool(messages)
        if messages:
            print(*messages, sep="\n", flush=True)
    print(f"{last - first} programs, {dict(counts)}, {wrong} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
