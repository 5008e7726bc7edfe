# 8-bit floats on the CPU: every value as f32, and every kind of f32 rounded to them, bit for
# bit as PyTorch does; moves keep the bits.
# REQUIRES: torch
# RUN: %torch_python %s
import math

import torch

import fxgraph


class Round(torch.nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype

    def forward(self, x):
        y = x.to(self.dtype)
        return torch.cat([y, y]).view(2, -1).to(torch.float32)


def samples(dtype):
    """Its values, what lies half-way between neighbours, the f32s on both sides of that."""
    values = torch.arange(256, dtype=torch.uint8).view(dtype).to(torch.float32)
    values = values[values.isfinite()].unique()
    middle = (values[1:].double() + values[:-1].double()).div(2).float()
    exact = torch.cat([values, middle, middle + (values[1:] - values[:-1]), torch.tensor([0.0, -0.0, math.inf, -math.inf, math.nan, 1e-45])])
    largest = values[-1]
    exact = torch.cat([exact, largest * torch.linspace(1, 1.3, 301), -largest * torch.linspace(1, 1.3, 301)])
    return torch.cat([exact, torch.nextafter(exact, torch.tensor(math.inf)), torch.nextafter(exact, torch.tensor(-math.inf)),
                      torch.randn(4096, generator=torch.Generator().manual_seed(0)) * 100])


for dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
    x = samples(dtype)
    want = Round(dtype)(x)
    for level in ("aten", "torch"):
        module = fxgraph.capture(Round(dtype), x, level=level)
        assert not module.unknown_ops, module.unknown_ops
        got = module.run([x], target="cpu")[0]
        same = (got.view(torch.int32) == want.view(torch.int32)) | (got.isnan() & want.isnan())
        assert same.all(), (dtype, level, x.repeat(2)[~same.flatten()][:8], got[~same][:8], want[~same][:8])
print("equal")
