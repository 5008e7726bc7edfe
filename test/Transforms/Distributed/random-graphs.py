# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# UNSUPPORTED: sanitizer
# RUN: %python %s 60 | FileCheck %s
# CHECK: {{^}}60 graphs, {{[1-9][0-9]*}} runs, {{[1-9][0-9]*}} changed: 0 failures
"""Random graphs of collectives, on grids of two and four processes: what a pass makes of a graph gives each rank what the graph gave.

Each pass also verifies its rewrites, and changes nothing the second time. What may not change is checked on the text: the order of the
writes of an argument and of the unknown ops, and, where a pass only moves ops, which ops there are and in which order a group starts
its collectives.

    random-graphs.py COUNT [FIRST]
"""
import collections
import random
import re
import sys

import fxgraph
import numpy
import torch

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "i64": torch.int64}
PASSES = ("bucket-all-gather", "bucket-all-gather{mode=multi-dtype}", "bucket-all-gather{mode=fsdp}",
          "bucket-all-gather{bucket-cap-mb=0.0002,0.0001}",
          "bucket-reduce-scatter", "bucket-reduce-scatter{mode=fsdp}", "bucket-all-reduce", "bucket-all-reduce{bucket-cap-mb=0.0002}",
          "fuse-ddp", "fuse-ddp{passes=fuse_ddp_with_coalesced_op,schedule_comm_wait}", "fuse-ddp{passes=schedule_comm_wait}",
          "micro-pipeline-tp", "overlap-scheduling", "overlap-scheduling{max-in-flight-gb=0.0000005 max-coll-distance=2}",
          "overlap-scheduling{collective-bucketing=true}", "overlap-scheduling{collective-bucketing=true max-bucket-memory-gb=0.0000005}")
ALL = "bucket-all-gather,bucket-reduce-scatter,fuse-ddp,bucket-all-reduce,micro-pipeline-tp,overlap-scheduling"
MOVES_ONLY = ("overlap-scheduling", "fuse-ddp{passes=schedule_comm_wait}")


class Graph:
    """A function of one to thirty ops on small tensors; `size` processes are in each of its two groups."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.size = self.random.choice((2, 4))
        self.lines, self.values, self.buffers, self.written, self.count = [], [], [], set(), 0
        self.arguments = []
        for _ in range(self.random.randint(2, 5)):
            dtype = self.random.choice(("f32", "f32", "f32", "bf16", "i64"))
            shape = self.random.choice(((8,), (4, 3), (8, 8), (4, 8), (4, 2, 8), (0, 8), (8, 3)))
            self.arguments.append((f"%a{len(self.arguments)}", dtype, shape))
        self.values = list(self.arguments)
        self.number = f"%a{len(self.arguments)}"
        for _ in range(self.random.randint(4, 24)):
            self.random.choice((self.gather, self.scatter, self.reduce, self.gradient, self.product, self.product, self.pointwise, self.write,
                                self.tensor_parallel, self.unknown))()
        results = self.random.sample(self.values, min(len(self.values), self.random.randint(1, 4)))
        arguments = [f"{name}: {self.type(value)}" for value in self.arguments for name in (value[0],)] + [f"{self.number}: tensor<f64>"]
        self.text = (f"func.func @main({', '.join(arguments)}) -> ({', '.join(map(self.type, results))}) {{\n" + "\n".join(self.lines) +
                     f"\n  return {', '.join(value[0] for value in results)} : {', '.join(map(self.type, results))}\n}}\n")

    @staticmethod
    def type(value):
        return f"tensor<{''.join(f'{extent}x' for extent in value[2])}{value[1]}>"

    def emit(self, text, dtype, shape):
        """`text` with the operands' and result's types behind; the result."""
        value = f"%v{self.count}", dtype, tuple(shape)
        self.count += 1
        self.lines.append(f"  {value[0]} = fxgraph.{text.replace('RESULT', self.type(value))}")
        return value

    def pick(self, accept=lambda value: True):
        fitting = [value for value in self.values if accept(value)]
        return self.random.choice(fitting[-8:] + fitting[:4]) if fitting else None

    def group(self):
        return self.random.choice(("g", "g", "h"))

    def finish(self, start):
        wait = self.emit(f"wait_tensor {start[0]} : ({self.type(start)}) -> RESULT", *start[1:])
        self.values.append(wait)
        return wait

    def gather(self):
        x = self.pick(lambda v: len(v[2]) and v[2][0] <= 8)
        if x:
            self.finish(self.emit(f'all_gather_into_tensor {x[0]} group "{self.group()}" of {self.size} : ({self.type(x)}) -> RESULT', x[1],
                                  (x[2][0] * self.size, *x[2][1:])))

    def scatter(self):
        x = self.pick(lambda v: len(v[2]) and v[2][0] % self.size == 0)
        if x:
            op = self.random.choice(("sum", "sum", "max") if x[1] == "i64" else ("sum", "sum", "avg"))
            self.finish(self.emit(f'reduce_scatter_tensor {x[0]} op "{op}" group "{self.group()}" of {self.size} : ({self.type(x)}) -> RESULT',
                                  x[1], (x[2][0] // self.size, *x[2][1:])))

    def reduce(self, x=None):
        x = x or self.pick()
        op = self.random.choice(("sum", "sum", "max"))
        self.finish(self.emit(f'all_reduce {x[0]} op "{op}" group "{self.group()}" : ({self.type(x)}) -> RESULT', *x[1:]))

    def gradient(self):
        x = self.pick(lambda v: v[1] == "f32")
        if x:
            self.reduce(self.emit(f"div {x[0]}, {self.number} : ({self.type(x)}, tensor<f64>) -> RESULT", *x[1:]))

    def product(self):
        a = self.pick(lambda v: len(v[2]) == 2 and v[1] == "f32")
        b = a and self.pick(lambda v: len(v[2]) == 2 and v[1] == "f32" and v[2][0] == a[2][1])
        if b:
            self.values.append(self.emit(f"mm {a[0]}, {b[0]} : ({self.type(a)}, {self.type(b)}) -> RESULT", "f32", (a[2][0], b[2][1])))

    def tensor_parallel(self):
        a = self.pick(lambda v: len(v[2]) == 2 and v[1] == "f32" and v[2][0] <= 8)
        b = a and self.pick(lambda v: len(v[2]) == 2 and v[1] == "f32" and v[2][0] == a[2][1])
        if not b:
            return
        whole = self.finish(self.emit(f'all_gather_into_tensor {a[0]} group "g" of {self.size} : ({self.type(a)}) -> RESULT', "f32",
                                      (a[2][0] * self.size, a[2][1])))
        product = self.emit(f"mm {whole[0]}, {b[0]} : ({self.type(whole)}, {self.type(b)}) -> RESULT", "f32", (whole[2][0], b[2][1]))
        if self.random.random() < 0.3:
            self.values.append(product)
        self.finish(self.emit(f'reduce_scatter_tensor {product[0]} op "sum" group "g" of {self.size} : ({self.type(product)}) -> RESULT',
                              "f32", (product[2][0] // self.size, b[2][1])))

    def pointwise(self):
        x = self.pick()
        self.values.append(self.emit(f"{self.random.choice(('neg', 'relu'))} {x[0]} : {self.type(x)}", *x[1:]))

    def write(self):
        buffer = self.random.choice(self.arguments)
        x = self.pick(lambda v: v[1:] == buffer[1:])
        self.lines.append(f"  fxgraph.copy_ {x[0]} into {buffer[0]} : {self.type(x)}, {self.type(buffer)}")

    def unknown(self):
        # It is run as nothing: it has no result.
        if self.random.random() < 0.3:
            x = self.pick()
            self.lines.append(f'  fxgraph.opaque "my.log{self.count}"({x[0]}) args {{args = ["%0"]}} : ({self.type(x)}) -> ()')

    def inputs(self, ranks, seed):
        result = []
        for rank in range(ranks):
            source = numpy.random.default_rng(seed * 10 + rank)
            tensors = [torch.from_numpy(source.integers(-3, 4, shape).astype(numpy.float32)).to(DTYPES[dtype])
                       for _, dtype, shape in self.arguments]
            result.append(tensors + [torch.tensor(2.0, dtype=torch.float64)])
        return result


def run(asm, graph, ranks, seed):
    """Results and written arguments of each rank; unknown ops, which only look, are left out."""
    module = fxgraph.Module(re.sub(r"\n[^\n]*fxgraph.opaque[^\n]*", "", asm))
    inputs = graph.inputs(ranks, seed)
    # Two columns of a mesh of four, or all; the other group in another order.
    sets = [[0, 1], [2, 3]] if ranks == 4 and graph.size == 2 else [list(range(ranks))]
    outputs = module.run_on_grid(inputs, groups={"g": sets, "h": [list(reversed(ranks)) for ranks in sets]})
    return [list(rank) + given for rank, given in zip(outputs, inputs)]


def starts(asm):
    """Of each group the collectives in the order of their starts."""
    order = collections.defaultdict(list)
    for kind, group, types in re.findall(r'fxgraph\.(all_\w+|reduce_scatter\w+|fused_\w+) .*?group "(\w)".*? : (.*?) loc', asm):
        order[group].append((kind, types))
    return dict(order)


def unknown_ops(asm):
    return re.findall(r'fxgraph.opaque "(my\.log\d+)"', asm)


def check(graph, seed):
    """(runs, changed, failures) of all passes on one graph."""
    before = fxgraph.Module(graph.text)
    before.run_passes("builtin.module()")  # to print it as the passes' results are
    original = before.asm
    collectives = sum(count for op, count in before.op_counts().items() if re.search("all_|reduce_scatter", op))
    assert sum(map(len, starts(original).values())) == collectives, "the text of a collective is not read"
    expected = {ranks: run(original, graph, ranks, seed) for ranks in {graph.size, 4}}
    runs = changed = 0
    failures = []
    for name in (*PASSES, ALL):
        pipeline = ",".join(f"fxgraph-distributed-{part}" for part in name.split(",")) if name == ALL else f"fxgraph-distributed-{name}"
        module = fxgraph.Module(graph.text)
        runs += 1
        try:
            module.run_passes(pipeline, verify=True)
            after = module.asm
            changed += after != original
            for ranks, values in expected.items():
                for actual, wanted in zip(run(after, graph, ranks, seed), values):
                    for one, other in zip(actual, wanted):
                        torch.testing.assert_close(one, other, rtol=1e-2 if one.dtype == torch.bfloat16 else 1e-5, atol=1e-4, equal_nan=True)
            assert unknown_ops(after) == unknown_ops(original), "the unknown ops moved past each other"
            if name.startswith(MOVES_ONLY) and "bucketing" not in name:
                assert module.op_counts() == before.op_counts(), "the ops are others"
                assert starts(after) == starts(original), "a group starts its collectives in another order"
            if name != ALL:
                again = fxgraph.Module(after)
                again.run_passes(pipeline, verify=True)
                assert again.asm == after, "a second run changes the graph"
        except (AssertionError, fxgraph.FxGraphError) as error:
            failures.append(f"seed {seed}, {name}: {str(error)[:600]}")
    return runs, changed, failures


def main():
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    runs = changed = 0
    failures = []
    for seed in range(first, first + count):
        more, differ, wrong = check(Graph(seed), seed)
        runs, changed, failures = runs + more, changed + differ, failures + wrong
    print("\n".join(failures))
    print(f"{count} graphs, {runs} runs, {changed} changed: {len(failures)} failures")


if __name__ == "__main__":
    main()
