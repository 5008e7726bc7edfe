# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Second names of callables import like the first ones, as functions, methods and ATen overloads.

The names come from PyTorch: its documentation and the list of its own tests.
"""

import math
import re

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import fxgraph
from fxgraph.exporter.graph import evaluate
from fxgraph.importer import aliases
from fxgraph.testing.diff import eager, import_call
from fxgraph.testing.opinfo import operator_db

OWNERS = {"torch": torch, "torch.special": torch.special, "torch.linalg": torch.linalg}
# Names under which PyTorch has another function than the documentation says, or one that takes other arguments.
OTHERS = {("max", "maximum"), ("min", "minimum"), ("mH", "adjoint")}


def documented():
    """(first name, second name) of torch's functions, with the namespace before the name as ATen has it."""
    pairs = set()
    for prefix, owner in OWNERS.items():
        for name in dir(owner):
            text = getattr(getattr(owner, name), "__doc__", None)
            found = re.search(r"[Aa]lias (?:for|of) :\w+:`~?torch\.([\w.]+)`", text) if isinstance(text, str) else None
            if found:
                own = f"{prefix}.{name}".removeprefix("torch.")
                pairs.add((own.replace(".", "_"), found[1].replace("nn.functional.", "").replace(".", "_")))
    for info in operator_db():
        pairs |= {(info.name.replace("nn.functional.", "").replace(".", "_"), alias.name.removeprefix("torch.").replace("nn.functional.", "")
                   .replace(".", "_")) for alias in info.aliases}
    return {tuple(pair) for pair in pairs if pair[0] != pair[1]} - OTHERS


def overloads(name):
    packet = getattr(torch.ops.aten, name, None)
    return [] if packet is None else [getattr(packet, overload) for overload in packet.overloads()]


def is_functional(overload):
    return not overload._schema.is_mutable and any(str(a.type) in ("Tensor", "List[Tensor]") for a in overload._schema.arguments)


FLOATS, INTS = torch.tensor([[0.2, 0.5, 0.75], [0.9, 0.3, 0.1]]), torch.tensor([[3, 5, 6], [1, 0, 2]])


def sample(overload, tensor):
    """Arguments for an overload: what it must have, and a second bound or dim."""
    made, dims = [], iter((0, 1))
    for argument in overload._schema.arguments:
        kind = str(argument.type)
        if argument.kwarg_only or kind in ("Optional[int]", "Optional[List[int]]", "Optional[float]", "bool", "str"):
            break
        if kind in ("Tensor", "Optional[Tensor]"):
            made.append(tensor if not made else tensor.flip(0).contiguous())
        elif kind == "List[Tensor]":
            made.append([tensor, tensor.flip(0).contiguous()])
        elif kind in ("number", "Optional[number]"):
            made.append(2 if tensor is INTS else 0.5)
        elif kind == "int":
            made.append(next(dims))
        elif kind == "List[int]":
            made.append([next(dims)])
        else:
            break
    return made


def ops_of(target, args):
    """The ops of an import, None if something stayed whole."""
    module, tensors = import_call(target, args)
    return None if module.unknown_ops else module.op_counts(), module, tensors


# Second names that no documentation of theirs says.
UNDOCUMENTED = {("special_log_softmax", "log_softmax"), *((f"bitwise_{name}", f"__{name}__") for name in ("and", "or", "xor"))}


def aten_pairs():
    """Pairs of overloads with the same parameters, of first names (in either direction) and second ones."""
    pairs = []
    for one, two in sorted(documented() | UNDOCUMENTED):
        for mine in filter(is_functional, overloads(one)):
            other = aliases.first_overload(mine, two)
            if other is not None and not other._schema.is_mutable:
                pairs.append((mine, other))
    return pairs


PAIRS = aten_pairs()


def test_there_are_pairs():
    """What the search finds in this version of PyTorch."""
    names = {str(overload) for pair in PAIRS for overload in pair}
    assert {"aten.swapaxes.default", "aten.special_softmax.default", "aten.special_log_softmax.default", "aten.true_divide.Tensor",
            "aten.__xor__.Scalar"} <= names
    assert len(PAIRS) > 40


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0]}-{pair[1]}")
def test_overloads(pair):
    tensor = INTS if "bitwise" in str(pair) else FLOATS
    args = sample(pair[0], tensor)
    try:
        want, _ = [eager(overload, args, {}) for overload in pair][0]
    except RuntimeError as error:
        pytest.skip(f"no sample: {error}")
    (first, *_), (second, module, tensors) = [ops_of(target, args) for target in pair]
    assert (first is None) == (second is None) and first == second, f"{pair[0]}: {first}, {pair[1]}: {second}"
    if second is not None:
        got, _ = evaluate(module, dict(zip(module.inputs, tensors)))
        for g, w in zip(got, want, strict=True):
            torch.testing.assert_close(g, w, equal_nan=True)


def python_pairs():
    """(first, second) functions, and methods by name."""
    pairs = []
    for one, two in sorted(documented()):
        functions = []
        for name in (one, two):
            owner, _, rest = name.partition("_")
            namespace = OWNERS.get(f"torch.{owner}")
            functions.append(getattr(namespace, rest, None) if namespace else getattr(torch, name, None))
        if None not in functions and functions[0] is not functions[1]:
            pairs.append((f"{one}-{two}", *functions))
        if hasattr(torch.Tensor, one) and hasattr(torch.Tensor, two):
            pairs.append((f"Tensor.{one}-{two}", one, two))
    return pairs


@pytest.mark.parametrize("pair", python_pairs(), ids=lambda pair: pair[0])
def test_functions_and_methods(pair):
    name, first, second = pair
    candidates = [[FLOATS], [FLOATS, FLOATS.flip(0).contiguous()], [FLOATS, 0, 1], [FLOATS, 1], [[FLOATS, FLOATS]], [FLOATS, 0.2, 0.6],
                  [FLOATS[0], FLOATS[1]], [FLOATS[:, :2].contiguous()]]
    for args in candidates:
        try:
            eager(first, args, {})
            eager(second, args, {})
        except (AttributeError, RuntimeError, TypeError):
            continue
        one, two = ops_of(first, args)[0], ops_of(second, args)[0]
        assert one == two, f"{name}{[type(a).__name__ for a in args]}: {one} and {two}"
        return
    pytest.skip("no sample")


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_keywords_and_writes(level):
    """Names of parameters differ, too; writes under second names are writes."""
    def function(x):
        y = torch.swapaxes(x, axis0=0, axis1=1)
        z = x.clone().absolute_().multiply_(2).subtract_(other=x, alpha=3)
        torch.negative(z, out=z)
        return y, z, torch.swapdims(z, dim0=0, dim1=1), torch.true_divide(x, 2), torch.moveaxis(x, 0, 1), (x > 0) ^ (z > 0)

    x = FLOATS - 0.4
    module = fxgraph.capture(function, x, level=level)
    assert not [op for op in module.unknown_ops if "swap" in op.target or "absolute" in op.target or "multiply" in op.target]
    for got, want in zip(module.to_fx()(x), function(x), strict=True):
        assert torch.equal(got, want)


def whole_write(op):
    """The graph of an op on what a write of all elements leaves, as in the backward pass of a sum along a slice of everything."""
    return make_fx(lambda x: op(torch.slice_scatter(torch.zeros(4, 3), x, 0, 0, 2**63 - 1)))(torch.ones(4, 3))


@pytest.mark.parametrize("dims", [[0], [1, 0], []])
def test_rev_is_flip(dims):
    """The decomposition of flip, which those of the backward passes of running sums call: nothing that it reads is written."""
    x = torch.tensor([[0.0, -0.0, 1.0], [math.nan, math.inf, -math.inf], [2.0, 3.0, 4.0], [5.0, 6.0, 7.0]])
    graph = whole_write(lambda t: torch.ops.prims.rev(t, dims))
    module = fxgraph.from_fx(graph, [x])
    assert not module.unknown_ops
    module.run_passes("fxgraph-post-grad{is-inference=false}")
    assert "slice_scatter" not in module.asm
    for target in ("ref", "cpu", "gpu-emulator"):
        got = torch.as_tensor(module.run([x], target=target)[0])
        torch.testing.assert_close(got, graph(x), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("tags, keeps", [((), False), ((torch.Tag.nondeterministic_seeded,), True)])
def test_an_unknown_op_without_a_promise_may_write_what_it_reads(tags, keeps):
    """One whose schema says that it writes nothing reads the slice's source itself (fxgraph.opaque's effects)."""
    name = "kept" if keeps else "promised"

    @torch.library.custom_op(f"fxgraph_second_names::reversed_{name}", mutates_args=(), tags=tags)
    def reverse(x: torch.Tensor) -> torch.Tensor:
        return x.flip(0)

    reverse.register_fake(torch.empty_like)
    module = fxgraph.from_fx(whole_write(reverse), [torch.ones(4, 3)])
    assert len(module.unknown_ops) == 1
    module.run_passes("fxgraph-post-grad{is-inference=false}")
    assert ("slice_scatter" in module.asm) == keeps
