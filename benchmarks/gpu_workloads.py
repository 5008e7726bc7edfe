# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Workloads on which fxgraph, PyTorch eager and torch.compile (Inductor) are compared.

Each entry builds (module, inputs, floor) where floor = (bytes, flops): the fewest bytes that must cross
device memory and the floating-point operations that must be done.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class PointwiseChain(nn.Module):
    def forward(self, x, a, b, c):
        return F.gelu(x * a + b, approximate="tanh") * torch.sigmoid(c) + x


class Softmax(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)


class ResidualLayerNorm(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.ln = nn.LayerNorm(n)

    def forward(self, x, r):
        return F.relu(self.ln(x + r))


class SplitCat(nn.Module):
    """64 slices, half of them through tanh, concatenated again in another order."""
    def forward(self, x):
        parts = torch.split(x, 64, dim=1)
        acts = [torch.tanh(p) if i % 2 else torch.relu(p) for i, p in enumerate(parts)]
        return torch.cat(acts[1::2] + acts[0::2], dim=1)


class ManyLinears(nn.Module):
    """Recommendation tower: n slices of one tensor, one small linear each."""
    def __init__(self, n=64, d=256, out=256):
        super().__init__()
        self.n, self.d = n, d
        self.lins = nn.ModuleList(nn.Linear(d, out) for _ in range(n))

    def forward(self, x):
        parts = torch.split(x, self.d, dim=1)
        return torch.cat([torch.tanh(l(p)) for l, p in zip(self.lins, parts)], dim=1)


class ParallelLinears(nn.Module):
    def __init__(self, d=1024):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(d, d) for _ in range(3))

    def forward(self, x):
        return self.q(x), self.k(x), self.v(x)


class Matmul(nn.Module):
    def forward(self, a, b):
        return a @ b


class LinearPermute(nn.Module):
    def __init__(self, d=1024):
        super().__init__()
        self.l = nn.Linear(d, d)

    def forward(self, x):
        return self.l(x).permute(0, 2, 1)


class MmPlusMm(nn.Module):
    def forward(self, a, b, c, d):
        return a @ b + c @ d


class Attention(nn.Module):
    def __init__(self, d=1024, h=16):
        super().__init__()
        self.h, self.qkv, self.o = h, nn.Linear(d, 3 * d), nn.Linear(d, d)

    def forward(self, x):
        b, s, d = x.shape
        q, k, v = self.qkv(x).view(b, s, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4).unbind(0)
        y = F.scaled_dot_product_attention(q, k, v)
        return self.o(y.transpose(1, 2).reshape(b, s, d))


class Block(nn.Module):
    def __init__(self, d=1024, h=16):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.att, self.up, self.down = Attention(d, h), nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x):
        x = x + self.att(self.n1(x))
        return x + self.down(F.gelu(self.up(self.n2(x))))


class ConvBnStack(nn.Module):
    def __init__(self, c=64, n=8):
        super().__init__()
        self.m = nn.Sequential(*[l for _ in range(n) for l in (nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c), nn.ReLU())])

    def forward(self, x):
        return self.m(x)


def gpu_suite(dev="cuda", dt=torch.bfloat16):
    r = lambda *s: torch.randn(*s, device=dev, dtype=dt)
    e = 2
    M = 1 << 20
    yield "pointwise_chain_64M", PointwiseChain(), [r(64 * M) for _ in range(4)], (5 * 64 * M * e, 0)
    yield "softmax_16384x4096", Softmax(), [r(16384, 4096)], (2 * 16384 * 4096 * e, 0)
    yield "softmax_4096x32768", Softmax(), [r(4096, 32768)], (2 * 4096 * 32768 * e, 0)
    yield "residual_layernorm_32768x4096", ResidualLayerNorm(4096), [r(32768, 4096), r(32768, 4096)], (3 * 32768 * 4096 * e, 0)
    yield "split_cat_32768x4096", SplitCat(), [r(32768, 4096)], (2 * 32768 * 4096 * e, 0)
    yield "many_linears_64x512x256x256", ManyLinears(), [r(512, 64 * 256)], (64 * (2 * 512 * 256 + 256 * 256) * e, 64 * 2 * 512 * 256 * 256)
    yield "many_linears_256x128x64x64", ManyLinears(256, 64, 64), [r(128, 256 * 64)], (256 * (2 * 128 * 64 + 64 * 64) * e, 256 * 2 * 128 * 64 * 64)
    yield "parallel_linears_8192x1024", ParallelLinears(), [r(8192, 1024)], ((4 * 8192 * 1024 + 3 * 1024 * 1024) * e, 3 * 2 * 8192 * 1024 * 1024)
    yield "matmul_8192", Matmul(), [r(8192, 8192), r(8192, 8192)], (3 * 8192 * 8192 * e, 2 * 8192 ** 3)
    yield "matmul_2048", Matmul(), [r(2048, 2048), r(2048, 2048)], (3 * 2048 * 2048 * e, 2 * 2048 ** 3)
    yield "linear_permute_32x512x1024", LinearPermute(), [r(32, 512, 1024)], ((2 * 32 * 512 * 1024 + 1024 * 1024) * e, 2 * 32 * 512 * 1024 * 1024)
    yield "mm_plus_mm_4096", MmPlusMm(), [r(4096, 4096) for _ in range(4)], (5 * 4096 * 4096 * e, 4 * 4096 ** 3)
    yield "transformer_block_8x1024x1024", Block(), [r(8, 1024, 1024)], (2 * 8 * 1024 * 1024 * e, 24 * 8 * 1024 * 1024 ** 2 + 4 * 8 * 1024 * 1024 * 1024)
    yield "conv_bn_relu_x8_32x64x56x56", ConvBnStack(), [r(32, 64, 56, 56)], (2 * 32 * 64 * 56 * 56 * e, 8 * 2 * 32 * 64 * 64 * 9 * 56 * 56)
