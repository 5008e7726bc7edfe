# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled graphs on a GPU, called from Python with CUDA tensors: values, streams, memory, and what a call costs the
host beside eager PyTorch. Needs a GPU; prints a table.

    gpu_calls.py
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python"))

import torch  # noqa: E402

import fxgraph  # noqa: E402
import fxgraph.dynamo  # noqa: E402  the package is not installed there


def host_microseconds(function, calls=2000):
    for _ in range(50):
        function()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(calls):
        function()
    spent = time.perf_counter() - start
    torch.cuda.synchronize()
    return spent / calls * 1e6


def check(name, function, *inputs):
    """Values against eager, for the inputs as they are and as views of other strides."""
    want = function(*inputs)
    want = want if isinstance(want, tuple) else (want,)
    compiled = fxgraph.capture(function, *inputs, level="aten").compile("gpu")
    worst = 0.0
    for views in (inputs, [x.clone().as_strided(x.shape, x.stride()) for x in inputs], [torch.stack([x, x], -1)[..., 0] for x in inputs]):
        for got, w in zip(compiled(*views), want, strict=True):
            assert got.is_cuda and got.dtype == w.dtype and got.shape == w.shape
            worst = max(worst, (got.double() - w.double()).abs().max().item() if w.numel() else 0.0)
    print(f"{name:28} largest difference {worst:.2e}   host us: {host_microseconds(lambda: compiled(*inputs)):7.1f} "
          f"eager {host_microseconds(lambda: function(*inputs)):7.1f}")
    return worst


def main():
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    print(torch.cuda.get_device_name(), torch.__version__)
    a, b = torch.randn(4, device="cuda"), torch.randn(4, device="cuda")
    worst = check("add of 4 floats", lambda a, b: a + b, a, b)
    many = [torch.randn(4, device="cuda") for _ in range(100)]
    worst = max(worst, check("100 arguments", lambda *xs: xs[0] + xs[99], *many))
    x, w = torch.randn(65, 129, device="cuda"), torch.randn(33, 129, device="cuda")
    worst = max(worst, check("linear, gelu, layer norm", lambda x, w: torch.layer_norm(torch.nn.functional.gelu(x @ w.t()), (33,)), x, w))
    # A write, on a stream that is not the default one, with PyTorch's work before and after it.
    total = torch.zeros(1 << 20, device="cuda")
    module = fxgraph.capture(lambda t, x: t.add_(x) * 2, total.clone(), total)
    compiled, stream = module.compile("gpu"), torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(20):
            step = torch.ones(1 << 20, device="cuda")
            result, = compiled(total, step)
            step.fill_(1000)
    torch.cuda.synchronize()
    assert torch.equal(total, torch.full_like(total, 20)) and torch.equal(result, total * 2)
    for wrong, message in ((a.cpu(), "expected a tensor on a GPU"), (a.double(), "expected dtype f32 but got f64"), (a[:3], "expected extent 4")):
        try:
            fxgraph.capture(lambda a, b: a + b, a, b).compile("gpu")(wrong, b)
            raise AssertionError(f"expected an error: {message}")
        except fxgraph.FxGraphError as error:
            assert message in str(error), error
    before = torch.cuda.memory_allocated()
    for _ in range(100):
        compiled(total, step)
    assert torch.cuda.memory_allocated() - before < 1 << 24
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.Linear(128, 64)).cuda().eval()
    fast, x = torch.compile(model, backend="fxgraph"), torch.randn(32, 64, device="cuda")
    with torch.no_grad():
        worst = max(worst, (fast(x) - model(x)).abs().max().item())
        print(f"torch.compile: host us {host_microseconds(lambda: fast(x)):.1f}, eager {host_microseconds(lambda: model(x)):.1f}")
    print(f"largest difference {worst:.2e}")
    assert worst < 1e-4


if __name__ == "__main__":
    main()
