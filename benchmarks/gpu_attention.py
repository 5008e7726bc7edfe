#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention on a GPU beside the best that PyTorch has for it: its own choice and each of its kernels (flash, memory-efficient, cuDNN).

    gpu_attention.py [--seed S] [--count N] [--only I,J] [--compile] [--list]

Case I of seed S is always the same: a kind of mask, lengths, heads, widths and a dtype. Times are medians of replays of a CUDA graph,
with the L2 cache flushed before each; the contestants take turns. Values: the largest difference from PyTorch in f32, in units of that
of PyTorch's best kernel. The exit status is 1 if a value is wrong.
"""
import argparse
import math
import os
import random
import sys
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

import torch  # noqa: E402
from gpu_timing import capture, medians_in_turns, new_flush, summarize  # noqa: E402
from torch.nn.attention import SDPBackend, sdpa_kernel  # noqa: E402

KINDS = ("none", "none", "causal", "causal", "bool_keys", "bool_scores", "float_keys", "float_queries", "float_scores", "float_heads")
BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "efficient": SDPBackend.EFFICIENT_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}
# Bounds of a case: products of its sums, and scores.
MOST_PRODUCTS = 1 << 37
FEWEST_SCORES, MOST_SCORES = 1 << 12, 1 << 30
# Errors beyond so many of PyTorch's are wrong.
MOST_ERROR = 3


@dataclass
class Case:
    kind: str
    batch: int
    heads: int
    groups: int  # heads of keys and values
    queries: int
    keys: int
    width: int
    value_width: int
    dtype: torch.dtype

    def __str__(self):
        heads = f"{self.heads}" if self.heads == self.groups else f"{self.heads}/{self.groups}"
        width = f"{self.width}" if self.width == self.value_width else f"{self.width}/{self.value_width}"
        return f"{self.kind:13} {self.batch}x{heads}x{self.queries}x{self.keys}x{width} {str(self.dtype)[6:]}"


def draw(seed, number):
    rng = random.Random(f"{seed}/{number}")
    while True:
        def length():
            return rng.choice((rng.choice((128, 197, 256, 512, 1024, 2048)), round(2 ** rng.uniform(4, 12))))
        groups = rng.choice((1, 2, 4, 8, 12, 16))
        queries, keys = length(), length()
        queries = rng.choice((1, queries, queries, queries))
        keys = rng.choice((keys, max(queries, 16)))
        width = rng.choice((32, 64, 64, 64, 128, 128, 128, 40, 72, 80, 96, 160, 256))
        case = Case(rng.choice(KINDS), rng.choice((1, 2, 4, 8, 16)), groups * rng.choice((1, 1, 1, 4)), groups, queries, keys, width,
                    rng.choice((width,) * 7 + (64,)), rng.choice((torch.bfloat16, torch.float16)))
        work = case.batch * case.heads * case.queries * case.keys
        if FEWEST_SCORES <= work <= MOST_SCORES and work * (case.width + case.value_width) <= MOST_PRODUCTS:
            return case


def make_inputs(case, device="cuda"):
    generator = torch.Generator(device).manual_seed(0)

    def tensor(*shape):
        return torch.randn(*shape, device=device, dtype=case.dtype, generator=generator)
    b, h, s, t = case.batch, case.heads, case.queries, case.keys
    inputs = [tensor(b, h, s, case.width), tensor(b, case.groups, t, case.width), tensor(b, case.groups, t, case.value_width)]
    shapes = {"bool_keys": (b, 1, 1, t), "bool_scores": (b, 1, s, t), "float_keys": (b, 1, 1, t), "float_queries": (s, t),
              "float_scores": (b, 1, s, t), "float_heads": (b, h, s, t)}
    if shape := shapes.get(case.kind):
        mask = tensor(*shape)
        if case.kind.startswith("bool"):
            mask = mask > -0.5
            mask[..., 0] = True
        else:
            mask = torch.where(mask < -1.5, -math.inf, mask)
            mask[..., 0] = 0
        inputs.append(mask)
    return inputs


def attention(case):
    causal, grouped = case.kind == "causal", case.heads != case.groups

    def run(q, k, v, mask=None):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, mask, is_causal=causal, enable_gqa=grouped)
    return run


def measure(case, flush, with_compile):
    """{name: milliseconds}, the name of PyTorch's best, our error in units of its."""
    import fxgraph
    inputs, run = make_inputs(case), attention(case)
    exact = attention(case)(*(x.float() if x.is_floating_point() else x for x in inputs))
    compiled = fxgraph.capture(run, *inputs, level="aten").compile("gpu")
    graphs, errors = {}, {}

    def add(name, function):
        graph, result = capture(function)
        result = result[0] if isinstance(result, (tuple, list)) else result
        graph.replay()
        torch.cuda.synchronize()
        graphs[name], errors[name] = graph, ((result.float() - exact).abs().max() / exact.abs().max()).item()

    add("ours", lambda: compiled(*inputs))
    add("eager", lambda: run(*inputs))
    for name, backend in BACKENDS.items():
        def forced():
            with sdpa_kernel(backend):
                return run(*inputs)
        try:
            add(name, forced)
        except RuntimeError:  # The kernel does not take this case.
            torch.cuda.synchronize()
    if with_compile:
        torch._dynamo.reset()
        fast = torch.compile(run)
        add("compile", lambda: fast(*inputs))
    times = medians_in_turns(graphs, flush, rounds=11)
    best = min((name for name in times if name != "ours"), key=times.get)
    return times, best, errors["ours"] / max(errors[best], 2 ** -12)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--only", default="", help="these numbers alone")
    parser.add_argument("--compile", action="store_true", help="time torch.compile as well (it compiles for seconds)")
    parser.add_argument("--list", action="store_true", help="print the cases, run nothing")
    args = parser.parse_args()
    numbers = [int(n) for n in args.only.split(",")] if args.only else range(args.count)
    if args.list:
        for number in numbers:
            print(number, draw(args.seed, number))
        return 0
    print(torch.cuda.get_device_name(), torch.__version__)
    flush, ratios, wrong = new_flush(), {}, 0
    for number in numbers:
        case = draw(args.seed, number)
        times, best, error = measure(case, flush, args.compile)
        ratio = times[best] / times["ours"]
        ratios.setdefault(case.kind in ("none", "causal"), []).append(ratio)
        is_wrong = not error <= MOST_ERROR
        wrong += is_wrong
        flops = 2 * case.batch * case.heads * case.queries * case.keys * (case.width + case.value_width)
        print(f"{number:4} {str(case):58} ours {times['ours'] * 1e3:8.1f} us {flops / times['ours'] / 1e9:6.1f} TFLOP/s   {best:9} {times[best] * 1e3:8.1f}"
              f"   best/ours {ratio:5.2f}  error {error:.2f}" + ("  WRONG" if is_wrong else ""), flush=True)
    for plain, values in sorted(ratios.items()):
        print(f"{'no mask or causal' if plain else 'masks':18} {summarize(values)}")
    print(f"wrong: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
