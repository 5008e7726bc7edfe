# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of a tensor and a number, and of the numbers at which functions are special, on the targets against eager."""

import math

import pytest
import torch

import fxgraph

aten = torch.ops.aten
TARGETS = ("ref", "cpu", "gpu-emulator")
# PyTorch's series and recurrences, which nobody has asked for: they stay whole.
WHOLE = ("polynomial", "special_zeta")


def number_overloads():
    """Overloads of one tensor and numbers that compute a tensor."""
    for name in sorted(dir(aten)):
        packet = getattr(aten, name)
        for overload in packet.overloads() if hasattr(packet, "overloads") and not name.startswith("_") and "backward" not in name else ():
            if "scalar" not in overload.lower() or "out" in overload:
                continue
            arguments = [a for a in getattr(packet, overload)._schema.arguments if not a.kwarg_only]
            if {str(a.type) for a in arguments} == {"Tensor", "number"} and not any(a.alias_info for a in arguments):
                yield name, overload


@pytest.mark.parametrize("name, overload", list(number_overloads()))
def test_number(name, overload):
    """All of PyTorch's overloads for numbers, but for those that are whole with a tensor too."""
    op = getattr(getattr(aten, name), overload)
    kinds = [str(a.type) for a in op._schema.arguments if not a.kwarg_only]
    tried = 0
    for tensor, number in ((torch.tensor([1.0, 2.0, 3.0]), 2.0), (torch.tensor([1, 2, 3]), 2), (torch.tensor([1.0, 2.0, 3.0], dtype=torch.float16), 2)):
        args, graph = [tensor if kind == "Tensor" else number for kind in kinds], torch.fx.Graph()
        try:
            want = op(*args)
        except (RuntimeError, NotImplementedError):
            continue
        if not isinstance(want, torch.Tensor):
            continue
        nodes = [graph.placeholder(f"x{i}") if kind == "Tensor" else number for i, kind in enumerate(kinds)]
        graph.output(graph.call_function(op, tuple(nodes)))
        module = fxgraph.from_fx(torch.fx.GraphModule({}, graph), [a for a in args if a is tensor])
        tried += 1
        assert bool(module.unknown_ops) == any(part in name for part in WHOLE)
        for target in () if module.unknown_ops else TARGETS[:2]:
            got, = module.run([a for a in args if a is tensor], target)
            torch.testing.assert_close(got, want)
    if not tried:
        pytest.skip("PyTorch refuses these numbers")


SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.25, -0.25, 3.5, -3.5, 100.0, -100.0, math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_powers(dtype):
    """Zeros with their signs, infinities and NaN: exponents that are numbers (a square root, but for f16), and tensors (none)."""
    x = torch.tensor(SPECIAL, dtype=dtype)
    exponents = (0.5, -0.5, 2, 3, -1, 0, -2, -3, 1, 1.5, -1.5, math.inf, -math.inf, math.nan)

    def powers(a, *tensors):
        return [*(a ** e for e in exponents), *(e ** a for e in exponents), *(torch.pow(a, b) for b in tensors), torch.pow(a.unsqueeze(1), a)]

    given = [x, *(torch.tensor(e, dtype=dtype) for e in exponents)]
    module, want = fxgraph.capture(powers, *given), powers(*given)
    for target in TARGETS:
        for g, w in zip(module.run(given, target), want, strict=True):
            tolerance = {} if w.dtype in (torch.float32, torch.float64) else {"rtol": 1e-2, "atol": 0}
            torch.testing.assert_close(g, w, equal_nan=True, **tolerance)
            assert torch.equal(g.signbit() & (w == 0), w.signbit() & (w == 0))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64])
def test_divisors(dtype):
    """gcd and lcm to the ends of the dtype, where products overflow. Of the lowest value in 32 and 64 bits PyTorch's lcm ends the process:
    it divides it by -1."""
    ends = torch.iinfo(dtype)
    values = [0, 1, 2, 3, 6, 100, ends.max, ends.max - 1, ends.min, ends.min + 1] + [-1, -2, -6, -100] * (ends.min < 0)
    functions = {torch.gcd: values, torch.lcm: values if ends.bits < 32 else [v for v in values if v != ends.min]}
    for function, numbers in functions.items():
        a, b = (t.contiguous() for t in torch.meshgrid(*[torch.tensor(numbers, dtype=dtype)] * 2, indexing="ij"))
        module = fxgraph.capture(lambda a, b: function(a, b), a, b)  # noqa: B023
        for target in TARGETS:
            torch.testing.assert_close(module.run([a, b], target)[0], function(a, b))


ODD = 2**53 + 1
BIG = {
    "bounds": lambda x: (x.clamp(min=ODD), x.clamp(-(2**62) - 1, 2**62 + 1), x.clamp_min(2**60 + 1), torch.clip(x, max=-ODD), x.clone().clamp_(0, 2**63 - 1)),
    "bounds of floats": lambda x: (x.double().clamp(max=2**60 + 1), x.float().clamp(min=ODD)),
    "ranges": lambda x: (torch.arange(ODD, ODD + 4), torch.arange(2**53 - 1, 2**53 + 3), torch.arange(-(2**60) - 1, -(2**60) + 7, 2),
                          torch.arange(0, 2**55, ODD), torch.arange(5, 5 + 3 * ODD, ODD), torch.arange(ODD, ODD + 8, 2, dtype=torch.float64)),
    "zeros": lambda x: (torch.zero_(x.clone()), torch.fill_(x.clone(), ODD), torch.zero_(x)),
    # The negative twins: what a double holds, and a count that ends where doubles still have every integer.
    "small": lambda x: (x.clamp(min=-3, max=2**53), torch.arange(2**53 - 4, 2**53), torch.arange(-2, 9, 3)),
}


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("name", BIG)
def test_big_integers(name, level):
    """The dialect's numbers are doubles, which have no odd integers beyond 2^53."""
    x = torch.tensor([ODD, 1, -3, 2**62, 2**63 - 1, -(2**63), 2**53])
    function = BIG[name]
    module, want = fxgraph.capture(function, x.clone(), level=level), function(x.clone())
    assert not module.unknown_ops
    for target in TARGETS:
        for g, w in zip(module.run([x.clone()], target), want, strict=True):
            assert g.dtype == w.dtype and torch.equal(g, w)


def test_counts_from_big_integers():
    """What decompositions count by, and a size as the end of a range."""
    def counted(x):
        options = {"dtype": torch.int64, "device": "cpu", "requires_grad": False}
        return torch.ops.prims.iota.default(3, start=ODD, step=2, **options), torch.ops.prims.iota.default(3, start=4, step=-2, **options), torch.arange(ODD, ODD + x.shape[0])

    module = fxgraph.capture(counted, torch.ones(3), level="aten", dynamic_shapes=({0: torch.export.Dim("n", min=2)},))
    for x in (torch.ones(3), torch.ones(5)):
        for target in ("ref", "cpu"):
            for g, w in zip(module.run([x], target), counted(x), strict=True):
                assert torch.equal(g, w)
