# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the exporter calls an op: numbers, attributes and dims as the dialect means them."""

import pytest
import torch

from fxgraph.exporter.callables import has_wrapped_numbers
from fxgraph.exporter.graph import evaluate
from fxgraph.importer.table import load_table

# Of two operands; `where` has a test of its own, and PyTorch no fma of numbers.
WRAPPED = sorted(name for name, info in load_table().items() if has_wrapped_numbers(info) and len(info.operands) == 2)
INTEGERS = {name for name in WRAPPED if load_table()[name].operands[0]["type"] == "int"}


@pytest.mark.parametrize("numbers_first", [True, False])
@pytest.mark.parametrize("shape", ["", "3x"], ids=["rank 0", "rank 1"])
@pytest.mark.parametrize("name", WRAPPED)
def test_numbers_have_no_say_in_the_dtype(name, shape, numbers_first):
    """A number on either side of each op that promotes, in an f32 or i32 graph."""
    whole = name in INTEGERS
    number, wide, narrow = ("6", "i64", "i32") if whole else ("2.5", "f64", "f32")
    result = "i1" if load_table()[name].promotion == "compare" else narrow
    values, types = ["%c", "%x"], [f"tensor<{wide}>", f"tensor<{shape}{narrow}>"]
    if not numbers_first:
        values, types = values[::-1], types[::-1]
    text = f"""func.func @main(%x: tensor<{shape}{narrow}> {{fxgraph.name = "x"}}) -> tensor<{shape}{result}> {{
      %c = fxgraph.constant dense<{number}> : tensor<{wide}>
      %r = fxgraph.{name} {", ".join(values)} : ({", ".join(types)}) -> tensor<{shape}{result}>
      return %r : tensor<{shape}{result}>
    }}"""
    x = torch.tensor([2.5, -1.0, 4.0][:3 if shape else 1]).reshape([3] if shape else []).to(torch.int32 if whole else torch.float32)
    (got,), _ = evaluate(text, {"x": x})
    operands = [torch.full_like(x, float(number)), x]
    want = getattr(torch, name)(*(operands if numbers_first else operands[::-1]))
    torch.testing.assert_close(got, want, rtol=0, atol=0, equal_nan=True)


WHERE = """func.func @main(%x: tensor<f32> {{fxgraph.name = "x"}}) -> tensor<f32> {{
  %t = fxgraph.constant dense<{condition}> : tensor<i1>
  %c = fxgraph.constant dense<0.1> : tensor<f64>
  %d = fxgraph.add %c, %c : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %r = fxgraph.where %t, {operands} : (tensor<i1>, tensor<{types[0]}>, tensor<{types[1]}>) -> tensor<f32>
  return %r : tensor<f32>
}}"""


@pytest.mark.parametrize("condition", ["true", "false"])
@pytest.mark.parametrize("operands, types", [("%c, %x", ("f64", "f32")), ("%x, %d", ("f32", "f64"))], ids=["literal", "computed"])
def test_where_of_a_number(condition, operands, types):
    """The condition is a literal; a wrapped number, literal or computed, does not make the result f64."""
    x = torch.tensor(0.25)
    (got,), _ = evaluate(WHERE.format(condition=condition, operands=operands, types=types), {"x": x})
    first = condition == "true"
    want = torch.tensor(0.1) if operands == "%c, %x" and first else torch.tensor(0.2) if operands == "%x, %d" and not first else x
    torch.testing.assert_close(got, want, rtol=0, atol=0)


@pytest.mark.parametrize("bound, want", [("9.3e18", 2**31 - 1), ("-9.3e18", 2), ("1.5", 2)])
def test_attributes_of_integers_are_in_their_range(bound, want):
    text = f"""func.func @main(%x: tensor<i32> {{fxgraph.name = "x"}}) -> tensor<i32> {{
      %r = fxgraph.clamp %x min {bound} : tensor<i32>
      return %r : tensor<i32>
    }}"""
    (got,), _ = evaluate(text, {"x": torch.tensor(2, dtype=torch.int32)})
    assert got.dtype is torch.int32 and got.item() == want


REDUCED = {"sum": torch.sum, "mean": torch.mean, "amax": torch.amax, "amin": torch.amin, "any": torch.any, "all": torch.all, "var": torch.var,
           "logsumexp": torch.logsumexp, "vector_norm": torch.linalg.vector_norm, "prod": torch.prod}


@pytest.mark.parametrize("dims", ["", "dims []", "dims [1]", "dims [0, -1]"])
@pytest.mark.parametrize("keepdim", [True, False])
@pytest.mark.parametrize("name", sorted(name for name, info in load_table().items() if info.reduction))
def test_reductions_over_no_dims_are_over_all(name, keepdim, dims):
    kept = {"": [0, 1], "dims []": [0, 1], "dims [1]": [1], "dims [0, -1]": [0, 1]}[dims]
    shape = "x".join(str(1 if d in kept else n) for d, n in enumerate((2, 3)) if keepdim or d not in kept)
    result = f"tensor<{shape}{'x' if shape else ''}{'i1' if name in ('any', 'all') else 'f32'}>"
    extra = {"var": " correction 1.0", "vector_norm": " ord 2.0"}.get(name, "")
    before, after = (extra, f" {dims}") if name == "vector_norm" else ("", f" {dims}{extra}")
    text = f"""func.func @main(%x: tensor<2x3xf32> {{fxgraph.name = "x"}}) -> {result} {{
      %r = fxgraph.{name} %x{before}{after}{" keepdim true" if keepdim else ""} : (tensor<2x3xf32>) -> {result}
      return %r : {result}
    }}"""
    x = torch.arange(6.0).reshape(2, 3) / 3 - 1
    (got,), _ = evaluate(text, {"x": x})
    if name == "prod":
        want = x.prod(1, keepdim) if kept == [1] else x.prod().reshape([1, 1] if keepdim else [])
    else:
        want = REDUCED[name](x, dim=tuple(kept), keepdim=keepdim)
    torch.testing.assert_close(got, want)
