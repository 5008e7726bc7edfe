# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What eager computes or refuses and fakes do not tell: out= of another dtype, quotients of numbers, operands of two dtypes."""

import pytest
import torch
import torch.nn.functional as F
from conftest import assert_all_run

import fxgraph
from fxgraph.errors import ImportFailure
from fxgraph.testing.batch import Batch
from fxgraph.testing.functions import check_function, compare_once

BATCH = Batch()
LEVELS = ("torch", "aten")
X = torch.tensor([0.6, 0.6, 1.7, 2.9])


def into(function, dtype, shape):
    def call(x):
        out = torch.zeros(shape, dtype=dtype)
        function(x, out=out)
        return out

    return call


COMPUTED_IN_OUT = {
    "cumsum": (lambda x, out: torch.cumsum(x, 0, out=out), (4,)),
    "cumprod": (lambda x, out: torch.cumprod(x, 0, out=out), (4,)),
    "sum": (lambda x, out: torch.sum(x, 0, out=out), ()),
    "prod": (lambda x, out: torch.prod(x, 0, out=out), ()),
}
CONVERTED = {
    "add": (lambda x, out: torch.add(x, x, out=out), (4,)),
    "exp": (lambda x, out: torch.exp(x, out=out), (4,)),
    "gt": (lambda x, out: torch.gt(x, 1, out=out), (4,)),
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", [torch.int32, torch.float64, torch.float16], ids=str)
@pytest.mark.parametrize("name", [*COMPUTED_IN_OUT, *CONVERTED])
def test_out_of_another_dtype(name, dtype, level):
    """A reduction computes in the dtype of its out=, a point-wise op converts what it has computed."""
    function, shape = {**COMPUTED_IN_OUT, **CONVERTED}[name]
    call = into(function, dtype, shape)
    try:
        call(X)
    except RuntimeError:
        with pytest.raises(ImportFailure):
            fxgraph.capture(call, X, level=level)
        return
    module, wrong = check_function(call, [X], level, batch=BATCH)
    assert not wrong, f"{wrong}\n{module.asm}"


@pytest.mark.parametrize("level", LEVELS)
def test_out_of_another_dtype_stays_whole(level):
    """What neither rule is known for is PyTorch's own call."""
    call = into(lambda x, out: torch.logsumexp(x, 0, out=out), torch.float64, ())
    module = fxgraph.capture(call, X, level=level)
    assert module.unknown_ops
    assert compare_once(module, call, [X]) is None


REFUSED = {
    "cumsum-bool": into(COMPUTED_IN_OUT["cumsum"][0], torch.bool, (4,)),
    "clamp": into(lambda x, out: torch.clamp(x, 0, 1, out=out), torch.float64, (4,)),
    "gelu": into(lambda x, out: torch._C._nn.gelu(x, out=out), torch.float64, (4,)),
    "matmul": into(lambda x, out: torch.matmul(x.view(2, 2), x.view(2, 2), out=out), torch.float64, (2, 2)),
    "amax": into(lambda x, out: torch.amax(x, 0, out=out), torch.float64, ()),
}
H, W = torch.ones(2, 3, dtype=torch.half), torch.ones(3, 2)
MIXED = {
    "matmul": (lambda a, b: a @ b, [H, W]),
    "mv": (torch.mv, [H, W[:, 0].contiguous()]),
    "linear": (lambda a, b: F.linear(a, b.t()), [H, W]),
    "einsum": (lambda a, b: torch.einsum("ij,jk->ik", a, b), [H, W]),
    "attention": (lambda q, k: F.scaled_dot_product_attention(q, k, k), [torch.ones(1, 2, 4, 8).half(), torch.ones(1, 2, 4, 8)]),
    "index_add": (lambda a, b: a.index_add(0, torch.tensor([0]), b), [H, torch.ones(1, 3)]),
    "index_add of integers": (lambda a, b: a.index_add(0, torch.tensor([0]), b), [H, torch.ones(1, 3, dtype=torch.int64)]),
    "put": (lambda a, b: a.put(torch.tensor([0]), b), [H, torch.ones(1, dtype=torch.int64)]),
    "logcumsumexp of integers": (lambda a: a.logcumsumexp(0), [torch.arange(3)]), "hypot of integers": (torch.hypot, [torch.arange(3), torch.arange(3)]),
    "median of bools": (torch.median, [H > 0]), "median of bools along a dim": (lambda a: a.median(0), [H > 0]),
    "kthvalue of bools": (lambda a: a.kthvalue(1), [H > 0]), "index_reduce_ of bools": (lambda a: a.clone().index_reduce_(0, torch.tensor([0]), a[:1], "prod"), [H[0] > 0]),
    "ldexp by bools": (torch.ldexp, [H, H > 0]),
    "index_put": (lambda a, b: a.index_put((torch.tensor([0]),), b), [H, torch.ones(3)]),
    "index_select": (lambda a, i: torch.index_select(a, 0, i), [H, torch.tensor([0], dtype=torch.int16)]),
    "target": (F.cross_entropy, [H, torch.tensor([1, 2], dtype=torch.int32)]),
    "bool": (torch.mm, [H > 0, W > 0]),
    "pow": (lambda x: x ** -2, [torch.arange(3)]),
    "addmv": (lambda x, a, b: torch.addmv(x, a, b, beta=0), [torch.ones(5), torch.ones(2, 3), torch.ones(3)]),
}


# Pointwise calls for which PyTorch's kernels lack dtypes that its fakes take.
WITHOUT_KERNEL = {
    **{name: (getattr(torch, name), torch.bool, 2) for name in ("gcd", "fmod", "remainder", "pow", "bitwise_left_shift", "bitwise_right_shift")},
    **{name: (getattr(torch, name), torch.int64, 2) for name in ("logaddexp", "logaddexp2")},
    **{name: (getattr(F, name), torch.int32, 1) for name in ("gelu", "silu", "mish", "softplus", "hardsigmoid", "celu", "hardshrink")},
    "frac": (torch.Tensor.frac, torch.uint8, 1), "lerp": (lambda a: torch.lerp(a, a, a), torch.int16, 1),
    "in place": (lambda a, b: a.clone().fmod_(b), torch.bool, 2), "operator": (lambda a, b: a % b, torch.bool, 2),
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", WITHOUT_KERNEL)
def test_dtypes_without_a_kernel(name, level):
    function, dtype, operands = WITHOUT_KERNEL[name]
    args = [torch.ones(2, 3).to(dtype)] * operands
    with pytest.raises(RuntimeError):
        function(*args)
    with pytest.raises(ImportFailure):
        fxgraph.capture(function, *args, level=level)
    # The negative twin: a dtype that there is a kernel for, of the same call.
    args = [torch.ones(2, 3, dtype=torch.int64 if dtype == torch.bool else torch.float32)] * operands
    assert check_function(function, args, level)[1] is None


@pytest.mark.parametrize("level", LEVELS)
def test_two_dtypes_of_one_pointwise_call(level):
    with pytest.raises(ImportFailure):
        fxgraph.capture(torch.heaviside, torch.ones(3), torch.ones(3, dtype=torch.int64), level=level)
    for args in ([torch.tensor([-1.0, 0.0, 2.0]), torch.ones(3)], [torch.tensor([-1, 0, 2]), torch.tensor([5, 6, 7])]):
        assert check_function(torch.heaviside, args, level)[1] is None
    with pytest.raises(ImportFailure):
        fxgraph.capture(lambda a, b: a - b, H > 0, H, level=level)
    assert check_function(lambda a, b: a * b, [H > 0, H], level)[1] is None


def varying_number(x):
    return torch.fmod(x, x.shape[0]) + torch.full_like(x, x.shape[0])


@pytest.mark.parametrize("level", LEVELS)
def test_integers_by_a_varying_size(level):
    """Trying a call makes no size a number."""
    shapes = ({0: torch.export.Dim("n", min=2)},)
    assert check_function(varying_number, [torch.arange(5)], level, dynamic_shapes=shapes, other_args=[[torch.arange(9)]])[1] is None


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_margin_losses_of_a_row(reduction, level):
    """Of a single row, which is no batch of one, the loss is a number; PyTorch's fakes have a row."""
    x, labels = torch.randn(4), torch.tensor([2, 0, -1, 1])
    for function, target in ((F.multi_margin_loss, torch.tensor(1)), (F.multilabel_margin_loss, labels)):
        def loss(x, target):
            return function(x, target, reduction=reduction) + 1

        assert check_function(loss, [x, target], level, batch=BATCH)[1] is None
        assert check_function(loss, [x[None], target[None]], level, batch=BATCH)[1] is None


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", REFUSED)
def test_refused_out(name, level):
    with pytest.raises(RuntimeError):
        REFUSED[name](X)
    with pytest.raises(ImportFailure):
        fxgraph.capture(REFUSED[name], X, level=level)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", MIXED)
def test_refused_operands(name, level):
    function, args = MIXED[name]
    with pytest.raises((RuntimeError, IndexError)):
        function(*args)
    with pytest.raises(ImportFailure):
        fxgraph.capture(function, *args, level=level)


class Autocast(torch.nn.Module):
    def forward(self, a, b):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return a @ b


@pytest.mark.parametrize("level", LEVELS)
def test_two_dtypes_under_autocast(level):
    """The negative twin: autocast converts what PyTorch would refuse."""
    args = [torch.rand(2, 3).bfloat16(), torch.rand(3, 2)]
    assert check_function(Autocast(), args, level)[1] is None
    if level == "torch":
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert check_function(torch.mm, args, level)[1] is None


def ignored_operand(x, a, b):
    return torch.addmv(x, a, b, beta=0)


def test_operand_that_does_not_count():
    args = [torch.full((2,), float("nan")), torch.ones(2, 3), torch.ones(3)]
    for level in LEVELS:
        assert check_function(ignored_operand, args, level, batch=BATCH)[1] is None


def quotients(x):
    return 0 / x, 2.5 / x, True / x, x.__rtruediv__(7), x.shape[0] / x, 2.5 / x.sum(), x / 2.5


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64], ids=str)
def test_number_by_tensor(dtype, level):
    """Eager multiplies by the reciprocal: 0 / 1e-40 is NaN, and 16-bit quotients round twice."""
    x = torch.tensor([1e-40, 3.0, 0.0, -0.0, 7.0, float("inf"), float("nan"), 1 / 3]).to(dtype)
    BATCH.add(f"quotients {dtype}", fxgraph.capture(quotients, x, level=level), {"x": x}, quotients(x), rtol=0, atol=0)


def test_integers_by_number():
    for level in LEVELS:
        assert check_function(lambda x: 3 / x, [torch.tensor([1, 2, 3, 7, 0])], level, batch=BATCH)[1] is None


@pytest.mark.parametrize("shapes", [None, ({0: torch.export.Dim("n", min=0)},)])
@pytest.mark.parametrize("level", LEVELS)
def test_running_statistics_of_no_batch(level, shapes):
    """They stay, where a mean of nothing is NaN; the batch is counted all the same."""
    for rows in (0, 4) if shapes else (0,):
        for target in (None, "ref", "cpu"):
            eager, model = (torch.nn.BatchNorm1d(3, momentum=0.3).train() for _ in range(2))
            x = torch.randn(rows, 3, 5)
            module = fxgraph.capture(model, torch.randn(4 if shapes else 0, 3, 5), level=level, dynamic_shapes=shapes)
            with torch.no_grad():
                want = eager(x)
                got, = module.run([x], target) if target else module.to_fx()(x)
            torch.testing.assert_close(got, want)
            for name, value in eager.named_buffers():
                torch.testing.assert_close(model.get_buffer(name), value)


def test_all_run():
    assert_all_run(BATCH, ("ref", "cpu"))


@pytest.mark.parametrize("dim, unknown", [(None, 1), (0, 0)])
def test_dimension_from_a_tensor(dim, unknown):
    """PyTorch takes a tensor of one whole number for a dimension; which one is not known before the graph runs."""
    g = torch.fx.Graph()
    x, place = g.placeholder("x"), g.placeholder("place")
    x.meta["example_value"], place.meta["example_value"] = torch.ones(3, 4), torch.zeros(1, dtype=torch.int64)
    result = g.call_function(torch._C._special.special_logsumexp, (x, place if dim is None else dim))
    result.meta["example_value"] = torch.ones(4)
    g.output((result,))
    module = fxgraph.from_fx(torch.fx.GraphModule(torch.nn.Module(), g))
    assert len(module.unknown_ops) == unknown
    value = torch.randn(3, 4)
    torch.testing.assert_close(module.to_fx()(value, torch.tensor([0]))[0], torch.logsumexp(value, 0))
