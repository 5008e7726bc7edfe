# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of models as people write them, in the sizes that they have and in small ones."""
import dataclasses
from typing import Callable

import torch
import torch.nn.functional as F
from torch import nn

BF16, F16, F32 = torch.bfloat16, torch.float16, torch.float32


class Encoder(nn.Module):
    """A post-norm layer of BERT; with a mask of zeros that of a vision transformer."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask):
        batch, length, width = x.shape
        q, k, v = (p(x).view(batch, length, self.heads, -1).transpose(1, 2) for p in (self.q, self.k, self.v))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = self.norm1(x + self.out(y.transpose(1, 2).reshape(batch, length, width)))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        y = x.float()
        return self.weight * (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype)


def rotate(x, cos, sin):
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat([-second, first], -1) * sin


class Llama(nn.Module):
    """Grouped heads, rotary positions, SwiGLU; with a cache of keys and values it decodes."""

    def __init__(self, width, heads, groups, inner):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.norm1, self.norm2 = RMSNorm(width), RMSNorm(width)
        self.q, self.out = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.k, self.v = (nn.Linear(width, groups * self.size, bias=False) for _ in range(2))
        self.gate, self.up = (nn.Linear(width, inner, bias=False) for _ in range(2))
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x, cos, sin, keys=None, values=None):
        batch, length, width = x.shape
        y = self.norm1(x)
        split = lambda t, heads: t.view(batch, length, heads, self.size).transpose(1, 2)  # noqa: E731
        q, k = (rotate(split(p(y), n), cos, sin) for p, n in ((self.q, self.heads), (self.k, self.groups)))
        v = split(self.v(y), self.groups)
        if keys is not None:
            k, v = torch.cat([keys, k], 2), torch.cat([values, v], 2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=keys is None, enable_gqa=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class WrittenOut(nn.Module):
    """A layer of GPT-2 whose attention is products and a softmax."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask):
        batch, length, width = x.shape
        q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2) for t in self.qkv(self.norm1(x)).split(width, 2))
        scores = (q @ k.transpose(-2, -1)) / (width // self.heads) ** 0.5
        y = F.softmax(scores.masked_fill(mask, float("-inf")), -1) @ v
        x = x + self.out(y.transpose(1, 2).contiguous().view(batch, length, width))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Bottleneck(nn.Module):
    """Of a ResNet, or with `groups` and hardswish of a MobileNet."""

    def __init__(self, outer, inner, groups=1, activation=F.relu, last=F.relu):
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv2d(outer, inner, 1, bias=False), nn.Conv2d(inner, inner, 3, 1, 1, groups=groups, bias=False),
                                    nn.Conv2d(inner, outer, 1, bias=False)])
        self.norms = nn.ModuleList([nn.BatchNorm2d(inner), nn.BatchNorm2d(inner), nn.BatchNorm2d(outer)])
        self.activation, self.last = activation, last

    def forward(self, x):
        y = x
        for conv, norm in list(zip(self.convs, self.norms))[:2]:
            y = self.activation(norm(conv(y)))
        return self.last(x + self.norms[2](self.convs[2](y)))


class ConvNeXt(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(width, width, 7, padding=3, groups=width), nn.LayerNorm(width)
        self.up, self.down, self.scale = nn.Linear(width, 4 * width), nn.Linear(4 * width, width), nn.Parameter(torch.ones(width))

    def forward(self, x):
        y = self.norm(self.conv(x).permute(0, 2, 3, 1))
        return x + (self.scale * self.down(F.gelu(self.up(y)))).permute(0, 3, 1, 2)


class DLRM(nn.Module):
    def __init__(self, tables, rows, width):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(rows, width) for _ in range(tables))
        self.bottom = nn.Sequential(nn.Linear(13, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, width), nn.ReLU())
        self.top = nn.Sequential(nn.Linear((tables + 1) * tables // 2 + width, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 1))
        rows, columns = torch.tril_indices(tables + 1, tables + 1, -1)
        self.register_buffer("rows", rows)
        self.register_buffer("columns", columns)

    def forward(self, x, indices):
        dense = self.bottom(x)
        all_of = torch.stack([dense] + [table(indices[:, i]) for i, table in enumerate(self.tables)], 1)
        pairs = torch.bmm(all_of, all_of.transpose(1, 2))[:, self.rows, self.columns]
        return torch.sigmoid(self.top(torch.cat([dense, pairs], 1)))


class Mixer(nn.Module):
    def __init__(self, tokens, width):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.tokens = nn.Sequential(nn.Linear(tokens, 2 * tokens), nn.GELU(), nn.Linear(2 * tokens, tokens))
        self.channels = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norm2(x))


class UNetBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(32, width), nn.GroupNorm(32, width)
        self.conv1, self.conv2, self.time = nn.Conv2d(width, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1), nn.Linear(4 * width, width)

    def forward(self, x, time):
        y = self.conv1(F.silu(self.norm1(x))) + self.time(F.silu(time))[:, :, None, None]
        return x + self.conv2(F.silu(self.norm2(y)))


class Swin(nn.Module):
    """Attention in shifted windows, with a bias for each pair of places."""

    def __init__(self, width, heads, window):
        super().__init__()
        self.heads, self.window = heads, window
        self.norm, self.qkv, self.out = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.bias = nn.Parameter(torch.randn(heads, window * window, window * window))

    def forward(self, x):
        batch, height, width, channels = x.shape
        w = self.window
        y = torch.roll(self.norm(x), (-w // 2, -w // 2), (1, 2)).view(batch, height // w, w, width // w, w, channels)
        y = y.permute(0, 1, 3, 2, 4, 5).reshape(-1, w * w, channels)
        q, k, v = self.qkv(y).view(-1, w * w, 3, self.heads, channels // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        y = F.softmax(q @ k.transpose(-2, -1) * (channels // self.heads) ** -0.5 + self.bias, -1) @ v
        y = self.out(y.transpose(1, 2).reshape(-1, w * w, channels)).view(batch, height // w, width // w, w, w, channels)
        return x + torch.roll(y.permute(0, 1, 3, 2, 4, 5).reshape(batch, height, width, channels), (w // 2, w // 2), (1, 2))


class SqueezeExcite(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.down, self.up = nn.Conv2d(width, width // 4, 1), nn.Conv2d(width // 4, width, 1)

    def forward(self, x):
        return x * torch.sigmoid(self.up(F.relu(self.down(x.mean((2, 3), keepdim=True)))))


class Loss(nn.Module):
    def __init__(self, width, words):
        super().__init__()
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, x, target):
        return F.cross_entropy(self.head(self.norm(x)).float(), target)


class Experts(nn.Module):
    """All experts on all tokens, weighted by the two that the router prefers."""

    def __init__(self, width, experts, inner):
        super().__init__()
        self.router = nn.Linear(width, experts)
        self.up = nn.Parameter(torch.randn(experts, width, inner) * width ** -0.5)
        self.down = nn.Parameter(torch.randn(experts, inner, width) * inner ** -0.5)

    def forward(self, x):
        weights, chosen = torch.topk(F.softmax(self.router(x), -1), 2, -1)
        gates = torch.zeros(x.shape[0], self.up.shape[0], dtype=x.dtype, device=x.device)
        gates = gates.scatter(1, chosen, weights / weights.sum(-1, keepdim=True))
        y = F.gelu(torch.einsum("th,ehi->eti", x, self.up))
        return torch.einsum("eth,te->th", torch.einsum("eti,eih->eth", y, self.down), gates)


class WideAndDeep(nn.Module):
    def __init__(self, tables, rows, width):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(rows, width) for _ in range(tables))
        self.deep = nn.Sequential(nn.Linear(tables * width, 1024), nn.BatchNorm1d(1024), nn.ReLU(), nn.Linear(1024, 512), nn.BatchNorm1d(512),
                                  nn.ReLU(), nn.Linear(512, 1))

    def forward(self, indices):
        return self.deep(torch.cat([table(indices[:, i]) for i, table in enumerate(self.tables)], 1))


class Adam(nn.Module):
    """A step for many parameters."""

    def forward(self, *tensors):
        count, results = len(tensors) // 4, []
        for p, grad, m, v in zip(*(tensors[i * count:(i + 1) * count] for i in range(4))):
            m, v = m * 0.9 + grad * 0.1, v * 0.999 + grad * grad * 0.001
            results += [p - 1e-3 * m / ((v / 0.1).sqrt() + 1e-8), m, v]
        return tuple(results)


class Towers(nn.Module):
    def __init__(self, towers, width, inner):
        super().__init__()
        self.linears = nn.ModuleList(nn.Linear(width, inner) for _ in range(towers))
        self.norms = nn.ModuleList(nn.LayerNorm(inner) for _ in range(towers))
        self.head = nn.Linear(towers * inner, 256)

    def forward(self, x):
        pieces = x.split(x.shape[1] // len(self.linears), 1)
        return self.head(torch.cat([torch.tanh(n(f(p))) for f, n, p in zip(self.linears, self.norms, pieces)], 1))


class GatedSum(nn.Module):
    """A causal depthwise convolution and a running sum, as in state space models."""

    def __init__(self, width):
        super().__init__()
        self.conv, self.into = nn.Conv1d(width, width, 4, padding=3, groups=width), nn.Linear(width, 2 * width)

    def forward(self, x):
        y, gate = self.into(x).chunk(2, -1)
        y = F.silu(self.conv(y.transpose(1, 2))[..., :x.shape[1]]).transpose(1, 2)
        return torch.cumsum(y, 1) * F.silu(gate)


@dataclasses.dataclass
class Block:
    name: str
    dtype: torch.dtype
    make: Callable[[], nn.Module]
    inputs: Callable[[str], list]  # on a device


def blocks(small=False):
    """All of them; `small` ones are a matter of milliseconds for an emulator."""
    s = lambda large, little: little if small else large  # noqa: E731
    floats = lambda dtype, *shape: lambda device: torch.randn(*shape, device=device, dtype=dtype)  # noqa: E731
    indices = lambda end, *shape: lambda device: torch.randint(0, end, shape, device=device)  # noqa: E731
    each = lambda *makers: lambda device: [make(device) for make in makers]  # noqa: E731
    width, heads, length = s(768, 32), s(12, 2), s(512, 16)
    wide, grouped, groups, inner, rows = s(2048, 64), s(32, 4), s(8, 2), s(5632, 96), s(1024, 17)

    def angles(function, count):
        return lambda device: function(torch.arange(count * (wide // grouped // 2), device=device).reshape(count, -1) * 0.01).repeat(1, 2).to(BF16)

    def padding(device):
        return torch.where(torch.rand(s(16, 2), 1, 1, length, device=device) < 0.1, -1e4, 0.0).to(BF16)

    def future(device):
        return torch.triu(torch.ones(s(1024, 16), s(1024, 16), dtype=torch.bool, device=device), 1)

    def parameters(device):
        shapes = [(1000, 333), (777,), (512, 512), (31, 7, 5)] * s(10, 1)
        return [torch.rand(*shape, device=device) for _ in range(4) for shape in shapes]

    cache = floats(BF16, s(8, 2), groups, s(2047, 9), wide // grouped)
    llama = lambda: Llama(wide, grouped, groups, inner)  # noqa: E731
    image = lambda batch, channels, size, dtype: floats(dtype, s(batch, 2), channels, size, size)  # noqa: E731
    state = floats(F32, s(64, 3), s(512, 8))

    class Cell(nn.LSTMCell):
        def forward(self, x, h, c):
            return super().forward(x, (h, c))

    yield Block("bert", BF16, lambda: Encoder(width, heads), each(floats(BF16, s(16, 2), length, width), padding))
    yield Block("vit", F16, lambda: Encoder(width, heads),
                each(floats(F16, s(32, 2), s(197, 7), width), lambda device: torch.zeros(1, 1, 1, s(197, 7), device=device, dtype=F16)))
    yield Block("llama", BF16, llama, each(floats(BF16, s(2, 1), rows, wide), angles(torch.cos, rows), angles(torch.sin, rows)))
    yield Block("llama_decode", BF16, llama, each(floats(BF16, s(8, 2), 1, wide), angles(torch.cos, 1), angles(torch.sin, 1), cache, cache))
    yield Block("gpt2_written_out", BF16, lambda: WrittenOut(width, heads), each(floats(BF16, s(8, 2), s(1024, 16), width), future))
    yield Block("bottleneck", F16, lambda: Bottleneck(s(256, 16), s(64, 8)), each(image(32, s(256, 16), s(56, 6), F16)))
    yield Block("inverted_residual", F16, lambda: Bottleneck(s(32, 8), s(192, 48), s(192, 48), F.hardswish, lambda x: x), each(image(32, s(32, 8), s(56, 6), F16)))
    yield Block("convnext", BF16, lambda: ConvNeXt(s(128, 8)), each(image(16, s(128, 8), s(56, 9), BF16)))
    yield Block("dlrm", F32, lambda: DLRM(s(26, 3), s(100000, 50), s(64, 8)), each(floats(F32, s(2048, 4), 13), indices(s(100000, 50), s(2048, 4), s(26, 3))))
    yield Block("mixer", BF16, lambda: Mixer(s(196, 9), s(512, 16)), each(floats(BF16, s(32, 2), s(196, 9), s(512, 16))))
    yield Block("unet", F16, lambda: UNetBlock(s(320, 32)), each(image(4, s(320, 32), s(64, 5), F16), floats(F16, s(4, 2), 4 * s(320, 32))))
    yield Block("swin", F16, lambda: Swin(s(96, 8), s(3, 2), s(7, 3)), each(floats(F16, s(32, 2), s(56, 6), s(56, 6), s(96, 8))))
    yield Block("squeeze_excite", BF16, lambda: SqueezeExcite(s(256, 8)), each(image(64, s(256, 8), s(28, 5), BF16)))
    yield Block("loss", BF16, lambda: Loss(s(1024, 16), s(32000, 50)), each(floats(BF16, s(2048, 8), s(1024, 16)), indices(s(32000, 50), s(2048, 8))))
    yield Block("experts", BF16, lambda: Experts(s(512, 16), 8, s(1024, 24)), each(floats(BF16, s(1024, 8), s(512, 16))))
    yield Block("lstm_cell", F32, lambda: Cell(s(512, 8), s(512, 8)), each(state, state, state))
    yield Block("wide_and_deep", F32, lambda: WideAndDeep(s(100, 4), s(10000, 20), 16), each(indices(s(10000, 20), s(1024, 4), s(100, 4))))
    yield Block("adam", F32, Adam, parameters)
    yield Block("towers", BF16, lambda: Towers(s(64, 4), s(128, 16), s(96, 8)), each(floats(BF16, s(1024, 4), s(64, 4) * s(128, 16))))
    yield Block("gated_sum", BF16, lambda: GatedSum(s(768, 8)), each(floats(BF16, s(4, 1), s(2048, 19), s(768, 8))))
