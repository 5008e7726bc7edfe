#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times models compiled for the CPU against eager PyTorch, side by side in one thread.

    PYTHONPATH=python python3 benchmarks/cpu_models.py [--zoo] [--only REGEX] [--threads N]

A line a model: eager, ours, their ratio (below 1: ours is faster), the largest difference, seconds from the model to the loaded
code. The figure is the least of several runs that alternate. `--zoo` takes the small models of fxgraph.testing.zoo, which are
mostly overhead of calls, instead of those below. Exits with 1 if a value is wrong.
"""

import argparse
import re
import sys
import time
import warnings

import torch
import torch.nn.functional as F
from torch import nn

import fxgraph


class EinsumAttention(nn.Module):
    def __init__(self, width=256, heads=8):
        super().__init__()
        self.qkv, self.out, self.heads = nn.Linear(width, 3 * width), nn.Linear(width, width), heads

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, d // self.heads).unbind(2)
        scores = torch.einsum("bnhd,bmhd->bhnm", q, k) * (d // self.heads) ** -0.5
        return self.out(torch.einsum("bhnm,bmhd->bnhd", scores.softmax(-1), v).reshape(b, n, d))


class LlamaLayer(nn.Module):
    """RMS norm, rotary grouped-query attention, gated MLP."""

    def __init__(self, width=256, heads=8, groups=4, hidden=688):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.q, self.out = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.k, self.v = nn.Linear(width, groups * self.size, bias=False), nn.Linear(width, groups * self.size, bias=False)
        self.gate, self.up, self.down = nn.Linear(width, hidden, bias=False), nn.Linear(width, hidden, bias=False), nn.Linear(hidden, width, bias=False)
        self.norms = nn.ModuleList([nn.RMSNorm(width), nn.RMSNorm(width)])

    def rotate(self, x, cos, sin):
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat((-b, a), -1) * sin

    def forward(self, x, cos, sin):
        b, n, d = x.shape
        y = self.norms[0](x)
        q = self.rotate(self.q(y).view(b, n, self.heads, self.size).transpose(1, 2), cos, sin)
        k = self.rotate(self.k(y).view(b, n, self.groups, self.size).transpose(1, 2), cos, sin)
        v = self.v(y).view(b, n, self.groups, self.size).transpose(1, 2)
        k, v = [t.repeat_interleave(self.heads // self.groups, 1) for t in (k, v)]
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, n, d))
        y = self.norms[1](x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self, layers=4):
        super().__init__()
        self.layers, self.norm, self.head = nn.ModuleList(LlamaLayer() for _ in range(layers)), nn.RMSNorm(256), nn.Linear(256, 1000, bias=False)

    def forward(self, x, cos, sin):
        for layer in self.layers:
            x = layer(x, cos, sin)
        return self.head(self.norm(x))


class ConvNeXtBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.depthwise, self.norm = nn.Conv2d(width, width, 7, padding=3, groups=width), nn.LayerNorm(width)
        self.up, self.down, self.scale = nn.Linear(width, 4 * width), nn.Linear(4 * width, width), nn.Parameter(torch.full((width,), 0.1))

    def forward(self, x):
        y = self.depthwise(x).permute(0, 2, 3, 1)
        return x + (self.down(F.gelu(self.up(self.norm(y)))) * self.scale).permute(0, 3, 1, 2)


class Pooled(nn.Module):
    """A network of images and a classifier of the mean of its positions."""

    def __init__(self, width, *layers):
        super().__init__()
        self.layers, self.head = nn.Sequential(*layers), nn.Linear(width, 100)

    def forward(self, x):
        return self.head(self.layers(x).mean((2, 3)))


class InvertedResidual(nn.Module):
    def __init__(self, inputs, outputs, stride, expansion=6):
        super().__init__()
        hidden = inputs * expansion
        self.residual = stride == 1 and inputs == outputs
        self.layers = nn.Sequential(
            nn.Conv2d(inputs, hidden, 1, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6(),
            nn.Conv2d(hidden, hidden, 3, stride, 1, groups=hidden, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6(),
            nn.Conv2d(hidden, outputs, 1, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return x + self.layers(x) if self.residual else self.layers(x)


class ResidualBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
                                    nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x):
        return F.relu(x + self.layers(x))


def models():
    """(name, module, [arguments]) of each."""
    r = torch.randn
    yield "attention with einsum", EinsumAttention(), [(r(2, 128, 256),)]
    yield "llama, 4 layers", Llama(), [(r(1, 64, 256), r(64, 32), r(64, 32))]
    yield "encoder layer", nn.TransformerEncoderLayer(256, 8, 1024, batch_first=True, activation="gelu"), [(r(2, 64, 256),)]
    yield "mlp", nn.Sequential(nn.Linear(512, 2048), nn.GELU(), nn.LayerNorm(2048), nn.Linear(2048, 512)), [(r(64, 512),)]
    yield "convnext-like", Pooled(128, nn.Conv2d(3, 64, 4, 4), ConvNeXtBlock(64), ConvNeXtBlock(64), nn.Conv2d(64, 128, 2, 2),
                                  ConvNeXtBlock(128), ConvNeXtBlock(128)), [(r(1, 3, 128, 128),)]
    yield "mobilenet-like", Pooled(64, nn.Conv2d(3, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU6(),
                                   *(InvertedResidual(*a) for a in ((16, 24, 2), (24, 24, 1), (24, 32, 2), (32, 32, 1), (32, 64, 2), (64, 64, 1)))), [(r(1, 3, 128, 128),)]
    yield "resnet-like", Pooled(128, nn.Conv2d(3, 64, 7, 2, 3), nn.ReLU(), nn.MaxPool2d(3, 2, 1), ResidualBlock(64), ResidualBlock(64),
                                nn.Conv2d(64, 128, 3, 2, 1), ResidualBlock(128)), [(r(1, 3, 96, 96),)]


def zoo():
    from fxgraph.testing.zoo import ZOO
    for name, item in ZOO.items():
        model, calls = item.make(0)
        if all(not kwargs for _, kwargs in calls):
            yield name, model, [args for args, _ in calls], 1e-4 if item.precision is None else 2e-2


def least_ms(functions, budget=1.0):
    """The least time of a call of each, in turns, in milliseconds."""
    best = [float("inf")] * len(functions)
    end = time.perf_counter() + budget
    while time.perf_counter() < end:
        for i, function in enumerate(functions):
            start = time.perf_counter()
            function()
            best[i] = min(best[i], time.perf_counter() - start)
    return [1e3 * seconds for seconds in best]


def measure(model, calls, threads):
    """(eager ms, ours ms, difference, seconds to compile)."""
    if isinstance(model, nn.Module):
        model.eval()
    start = time.perf_counter()
    compiled = fxgraph.capture(model, *calls[0], level="aten").compile("cpu", threads=threads)
    seconds = time.perf_counter() - start
    with torch.no_grad():
        first = [torch.utils._pytree.tree_leaves(f(*calls[0])) for f in (model, compiled)]
        difference = max((float((a.double() - b.double()).abs().max() / a.double().abs().max().clamp_min(1))
                          for a, b in zip(*first) if isinstance(a, torch.Tensor) and a.numel()), default=0.0)
        return (*least_ms([lambda: model(*calls[0]), lambda: compiled(*calls[0])]), difference, seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zoo", action="store_true")
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    wrong = 0
    print("| model | eager ms | ours ms | ours : eager | difference | compile s |\n|---|---|---|---|---|---|")
    for name, model, calls, *tolerance in zoo() if options.zoo else models():
        if not re.search(options.only, name):
            continue
        try:
            eager, ours, difference, seconds = measure(model, calls, options.threads)
        except fxgraph.FxGraphError as error:
            print(f"| {name} | | | not compiled: {str(error).splitlines()[0][:100]} | | |", flush=True)
            continue
        wrong += not difference < (tolerance or [1e-4])[0]
        print(f"| {name} | {eager:.3f} | {ours:.3f} | {ours / eager:.2f} | {difference:.1e} | {seconds:.1f} |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
