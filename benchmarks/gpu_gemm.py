#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our kernels for matrix products on warpgroup instructions (sm_90a) against PyTorch's libraries, on one card in one process.

    gpu_gemm.py [--only REGEX] [--config product-config ...] [--rounds 7] [--set NAME=VALUE ...]

Each case's values are compared with a product in float32 (the outputs' memory is poisoned before), then the contestants
take turns: median of the rounds, each the median of calls with a cold L2 cache, as replays of CUDA graphs. The library
is cuBLAS for products, cuBLASLt's epilogue for bias + GELU; `padded` is the library on operands that were padded to
multiples of 8 beforehand, `pad + lib` has the padding in its time. A ratio is the library's time over ours. `--values`
checks small and odd sizes, slices, infinities, and times nothing. `--config` adds contestants
(include/fxgraph/Backend/GPU/GPU.h, productConfig), `--set` changes what ours is compiled with.
"""
import argparse
import functools
import math
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from gpu_timing import graph_of, medians_in_turns, new_flush, summarize  # noqa: E402

import fxgraph  # noqa: E402

SQUARE = [(size, size, size) for size in (2048, 4096, 8192)]
ODD = [(2999, 4099, 1501), (4097, 4095, 2047), (1001, 3003, 5005)]


def gelu(x, w, b):
    return F.gelu(F.linear(x, w, b), approximate="tanh")


def make(kind, m, n, k, dtype, device):
    """A function, its inputs and what the library has for it (None where only values are checked)."""
    def rand(*shape):
        return torch.randn(*shape, device=device, dtype=dtype) / math.sqrt(shape[-1])
    if kind == "NN":
        return torch.mm, (rand(m, k), rand(k, n)), torch.mm
    if kind == "NT":
        return F.linear, (rand(m, k), rand(n, k)), F.linear
    if kind == "TN":
        return lambda x, w: x.t() @ w, (rand(k, m), rand(k, n)), lambda x, w: x.t() @ w
    if kind == "TT":
        return lambda x, w: x.t() @ w.t(), (rand(k, m), rand(n, k)), lambda x, w: x.t() @ w.t()
    if kind == "bias+gelu":
        return gelu, (rand(m, k), rand(n, k), rand(n)), lambda x, w, b: torch._addmm_activation(b, x, w.t(), use_gelu=True)
    if kind == "residual":
        return lambda x, w, r: x @ w + r, (rand(m, k), rand(k, n), rand(m, n)), lambda x, w, r: torch.addmm(r, x, w)
    if kind == "slices":  # Offsets and rows that are no multiples of 16 bytes.
        return lambda x, w: x[1:, 3:] @ w[3:, 1:], (rand(m + 1, k + 3), rand(k + 3, n + 1)), None
    if kind == "cat":  # Results side by side, the second at an odd column.
        return lambda x, w, v: torch.cat([x @ w, F.silu(x @ v.t())], 1), (rand(m, k), rand(k, n), rand(n, k)), None
    if kind == "gated":
        return lambda x, w, v: F.silu(F.linear(x, w)) * F.linear(x, v), (rand(m, k), rand(n, k), rand(n, k)), None
    if kind == "scaled":
        return lambda x, w, r: torch.addmm(r, x, w, beta=0.5, alpha=2.0), (rand(m, k), rand(k, n), rand(m, n)), None
    if kind == "special":  # A NaN, infinities of both signs and a zero through the epilogue; they stay where they are.
        x, w, b = rand(m, k), rand(n, k), rand(n)
        x[0], x[1, 0], x[2, 0], x[3], b[0] = float("nan"), float("inf"), float("-inf"), 0, 0
        return lambda x, w, b: gelu(x, w, b), (x, w, b), None
    if kind == "turned":  # Columns of the product are rows of what is written; the bias is a column.
        return lambda x, w, b: F.linear(x, w, b).t().contiguous(), (rand(m, k), rand(n, k), rand(n)), None
    if kind == "bmm":
        return torch.bmm, (rand(8, m, k), rand(8, k, n)), torch.bmm
    raise ValueError(kind)


def padded(inputs):
    """The inputs with all extents padded to multiples of 8."""
    def grow(t):
        return F.pad(t, [v for size in reversed(t.shape) for v in (0, -size % 8)])
    return tuple(grow(t) for t in inputs)


CASES = ([(kind, *size, torch.bfloat16) for size in SQUARE for kind in ("NN", "NT")]
         + [("bias+gelu", *size, torch.bfloat16) for size in SQUARE]
         + [("residual", 4096, 4096, 4096, torch.bfloat16), ("TN", 4096, 4096, 4096, torch.bfloat16),
            ("TT", 4096, 4096, 4096, torch.bfloat16), ("NN", 4096, 4096, 4096, torch.float16), ("bmm", 1024, 1024, 1024, torch.bfloat16)]
         + [(kind, *size, torch.bfloat16) for size in ODD for kind in ("NN", "NT")]
         + [("bias+gelu", 2999, 4099, 1501, torch.bfloat16), ("residual", 2999, 4099, 1501, torch.bfloat16)])
# Values only: edges of tiles, single rows and columns, K of one block.
SMALL = [(kind, m, n, k, dtype) for kind, dtype in (("NN", torch.bfloat16), ("NT", torch.float16), ("TN", torch.bfloat16), ("TT", torch.float16),
                                                    ("bias+gelu", torch.bfloat16), ("residual", torch.float16), ("bmm", torch.bfloat16),
                                                    ("slices", torch.bfloat16), ("cat", torch.bfloat16), ("gated", torch.float16),
                                                    ("scaled", torch.float16), ("special", torch.bfloat16), ("turned", torch.float16))
         for m, n, k in ((128, 256, 64), (127, 129, 65), (129, 255, 63), (16, 16, 16), (17, 40, 200), (264, 520, 1024), (1000, 333, 72))]


def compile_ours(function, inputs, settings):
    # A product that is written in another order is one, no view of a product.
    return fxgraph.capture(function, *inputs, level="aten").compile("gpu", row_major_results="true", **settings)


def check(function, inputs, compiled):
    """The relative error in the Frobenius norm of what is finite; the rest must be where PyTorch has it."""
    want = function(*(t.float() for t in inputs)).double()
    finite = want.isfinite()
    for _ in range(2):
        poison = torch.full(want.shape, float("nan"), device="cuda", dtype=inputs[0].dtype)
        del poison
        got, = compiled(*inputs)
        if not torch.equal(got.isfinite(), finite) or not torch.equal(got.isnan(), want.isnan()):
            return math.nan
        error = ((got.double() - want)[finite].norm() / want[finite].norm()).item()
        if not error < 1e-2:
            return error
    return error


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose name this matches")
    parser.add_argument("--config", action="append", default=[], help="a further contestant of ours")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--values", action="store_true", help="small sizes, no times")
    parser.add_argument("--set", action="append", default=["libraries=none"], help="a setting of the target gpu")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    settings = dict(item.split("=", 1) for item in arguments.set)
    flush = new_flush()
    print(torch.cuda.get_device_name(), torch.__version__, settings)
    wrong, ratios = 0, {}
    for kind, m, n, k, dtype in SMALL if arguments.values else CASES:
        name = f"{kind} {m}x{n}x{k} {str(dtype)[6:]}"
        if not re.search(arguments.only, name):
            continue
        function, inputs, library = make(kind, m, n, k, dtype, "cuda")
        contestants = {"ours": compile_ours(function, inputs, settings)}
        for config in arguments.config:
            try:
                contestants[config] = compile_ours(function, inputs, {**settings, "product-config": config})
            except fxgraph.FxGraphError as error:
                print(f"{name}: {config}: {error}")
        errors = {label: check(function, inputs, compiled) for label, compiled in contestants.items()}
        bad = {label: error for label, error in errors.items() if not error < 1e-2}
        wrong += len(bad)
        if bad or arguments.values:
            print(f"{name:34} errors {', '.join(f'{label} {error:.1e}' for label, error in errors.items())}{' WRONG' if bad else ''}", flush=True)
        if arguments.values:
            continue
        calls = {label: functools.partial(compiled, *inputs) for label, compiled in contestants.items()}
        calls["lib"] = functools.partial(library, *inputs)
        if any(size % 8 for size in (m, n, k)):
            calls["padded"] = functools.partial(library, *padded(inputs))
            calls["pad + lib"] = functools.partial(lambda own: library(*padded(own)), inputs)
        graphs = {label: graph_of(call) for label, call in calls.items()}
        times = medians_in_turns(graphs, flush, arguments.rounds, arguments.repeats)
        batch = 8 if kind == "bmm" else 1
        rate = 2e-9 * batch * m * n * k / times["ours"]
        text = "  ".join(f"{label} {time * 1e3:.1f} us ({time / times['ours']:.3f})" for label, time in times.items() if label != "ours")
        print(f"{name:34} ours {times['ours'] * 1e3:8.1f} us {rate:5.0f} TFLOP/s  {text}", flush=True)
        group = "odd / padded" if "padded" in times else kind
        ratios.setdefault(group, []).append(times["padded" if "padded" in times else "lib"] / times["ours"])
        del graphs, calls, contestants, inputs
    for group, values in ratios.items():
        print(f"{group:14} library / ours: {summarize(values)}")
    print("wrong:", wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
