# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled graphs: memory, strides, writes, extents, artefacts, errors."""

import copy
import gc
import re
import sys
import weakref

import numpy as np
import pytest
import torch

import fxgraph
from fxgraph.errors import FxGraphError, ToolError
from fxgraph.runtime import executable, load_executable, native
from fxgraph.runtime.executable import Executable, _torch_types

TARGETS = ("ref", "cpu", "gpu-emulator")


def affine(x, y):
    return x * 2 + y, (x > y).to(torch.int32)


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 2)
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))
        self.register_buffer("total", torch.zeros(4, 2))

    def forward(self, x):
        self.calls.add_(1)
        y = self.linear(x)
        self.total.add_(y)
        x.mul_(2)
        return y


@pytest.mark.parametrize("target", TARGETS)
def test_call(target):
    x, y = torch.randn(3, 5), torch.randn(3, 5)
    compiled = fxgraph.capture(affine, x, y).compile(target)
    for _ in range(2):
        x, y = torch.randn(3, 5), torch.randn(3, 5)
        for got, want in zip(compiled(x, y), affine(x, y), strict=True):
            torch.testing.assert_close(got, want)
            assert got.is_contiguous() and got.device.type == "cpu"
    torch.testing.assert_close(compiled(y=y, x=x), compiled(x, y=y))
    arguments, results = compiled.signature
    assert [(a.name, a.kind, a.dtype, a.shape, a.mutated) for a in arguments] == [("x", "input", "f32", (3, 5), False), ("y", "input", "f32", (3, 5), False)]
    assert [(r.dtype, r.shape) for r in results] == [("f32", (3, 5)), ("i32", (3, 5))]
    assert compiled.workspace_bytes >= 0 and "2 inputs, 2 results" in repr(compiled)


@pytest.mark.parametrize("target", TARGETS)
def test_strides_of_inputs(target):
    """Views of all kinds are read as they are; what the graph needs in another form is copied."""
    compiled = fxgraph.capture(affine, torch.randn(3, 4), torch.randn(3, 4)).compile(target)
    base = torch.randn(40)
    views = [base[:12].view(4, 3).t(), base[1:13].view(3, 4), base[3:4].expand(3, 4), base[::3][:12].view(3, 4),
             torch.randn(3, 8)[:, ::2], torch.randn(4, 3, dtype=torch.complex64).t().conj().imag]
    for x in views:
        for y in views:
            for got, want in zip(compiled(x, y), affine(x, y), strict=True):
                torch.testing.assert_close(got, want)


@pytest.mark.parametrize("target", TARGETS)
def test_writes(target):
    """Buffers and inputs are written in place, through any strides, and only if the call succeeds."""
    module = fxgraph.capture(Counter(), torch.randn(4, 3))
    state = {name: tensor.detach().clone() for name, tensor in module.weights.items()}
    module.weights = state
    compiled = module.compile(target)
    eager = Counter()
    eager.load_state_dict(state)
    for x in (torch.randn(4, 3), torch.randn(3, 4).t(), torch.randn(4, 6)[:, ::2]):
        mine, theirs = x.clone(memory_format=torch.preserve_format) if x.is_contiguous() else x, x.clone()
        got, = compiled(mine)
        torch.testing.assert_close(got, eager(theirs))
        torch.testing.assert_close(mine, theirs)
    torch.testing.assert_close(state, dict(eager.state_dict()))
    assert state["calls"] == 3
    with pytest.raises(FxGraphError, match="expected extent"):
        compiled(torch.randn(5, 3))
    assert state["calls"] == 3


class Sharing(torch.nn.Module):
    """Results that are arguments, views of them, the same ones twice; and others."""

    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.zeros(3))

    def forward(self, x, y):
        z = x * 2
        y.add_(1)
        self.state.add_(1)
        first, _ = x.split([1, 2])
        return x, x.t(), z, x, y, y[1], z, self.state, first, first, x.detach(), y.clone(), self.state[1:], x[:, 1].unsqueeze(0), x + y


def sharing(arguments, results):
    """Which argument or earlier result each result is, and whose memory it has; its place in that."""
    known = [*arguments, *results]
    return [([i for i, k in enumerate(known) if k is r], [(i, r.data_ptr() - k.data_ptr()) for i, k in enumerate(arguments)
                                                         if k.untyped_storage().data_ptr() == r.untyped_storage().data_ptr()], r.stride())
            for r in results]


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("target", TARGETS)
def test_shared_results(target, level):
    """As PyTorch has it for the arguments of the call, of any strides; after passes, too."""
    model, eager = Sharing(), Sharing()
    module = fxgraph.capture(model, torch.randn(3, 4), torch.randn(3, 4), level=level)
    for pipeline in (None, "fxgraph-pre-grad"):
        if pipeline:
            module.run_passes(pipeline)
        compiled = module.compile(target)
        for x in (torch.randn(3, 4), torch.randn(4, 3).t(), torch.randn(20)[4:16].view(3, 4), torch.randn(3, 4, requires_grad=True)):
            mine, theirs = torch.ones(3, 4), torch.ones(3, 4)
            eager.state.copy_(module.weights["state"])
            got, want = compiled(x, mine), eager(x, theirs)
            for g, w in zip(got, want, strict=True):
                torch.testing.assert_close(g, w)
            passed = {t.untyped_storage().data_ptr() for t in (x, theirs, eager.state)}
            own = [i for i, w in enumerate(want) if w.untyped_storage().data_ptr() not in passed]
            mine = sharing([x, mine, module.weights["state"]], got)
            for i, (m, t) in enumerate(zip(mine, sharing([x, theirs, eager.state], want), strict=True)):
                # Results of their own are row-major.
                assert m[:2] == t[:2] and (i in own or m[2] == t[2]), f"result {i}"
            assert {2, 6, 11, 14} == set(own)


@pytest.mark.parametrize("target", TARGETS)
def test_results_that_share_their_own_memory(target):
    """Also where only a part of it, or elements twice, are a result; others stay apart."""
    def function(x):
        y = x * 2
        return y, y.t(), y[1:, ::2], y[0].expand(2, 4), x * 3, y.amax()

    compiled = fxgraph.capture(function, torch.randn(3, 4)).compile(target)
    for x in (torch.randn(3, 4), torch.randn(4, 3).t()):
        got, want = compiled(x), function(x.contiguous())
        for g, w in zip(got, want, strict=True):
            assert torch.equal(g, w) and g.stride() == w.stride()
        assert [[i for i, _ in m[1]] for m in (sharing(got, [g])[0] for g in got)] == \
            [[i for i, _ in m[1]] for m in (sharing(want, [w])[0] for w in want)] == [[0, 1, 2, 3]] * 4 + [[4], [5]]
        got[0].fill_(7)
        assert (got[2] == 7).all() and (got[4] != 7).all()


@pytest.mark.parametrize("target", TARGETS)
def test_results_of_other_dtypes_that_share_memory(target):
    """An element of one is several of another."""
    def function(x):
        y = x.to(torch.float64) * 2
        return y[1:], y.view(torch.int32), y.view(torch.int16)[:, ::3], x + 1

    compiled = fxgraph.capture(function, torch.randn(3, 4)).compile(target)
    x = torch.randn(3, 4)
    got, want = compiled(x), function(x)
    for g, w in zip(got, want, strict=True):
        assert torch.equal(g, w) and g.dtype == w.dtype and g.stride() == w.stride() and g.storage_offset() == w.storage_offset()
    got[0].fill_(0)
    assert not got[1][1:].any() and not got[2][1:].any() and got[1][0].any()
    assert got[3].untyped_storage().data_ptr() != got[0].untyped_storage().data_ptr()


def test_only_a_missing_view_is_no_error():
    """Other faults of making a view are the caller's to see."""
    def fail(argument):
        raise RuntimeError("a fault")

    compiled = fxgraph.capture(lambda x: (x[1], x + 1), torch.randn(3, 4)).compile("cpu")
    compiled._sharing.views[0][3].make = fail
    for x in (torch.randn(3, 4), torch.randn(4, 3).t()):
        with pytest.raises(RuntimeError, match="^a fault$"):
            compiled(x)


def test_a_view_that_an_argument_does_not_have():
    """It is computed; a call without shared results is the library's alone."""
    compiled = fxgraph.capture(lambda x: (x.view(-1), x + 1), torch.randn(3, 4)).compile("cpu")
    x, turned = torch.randn(3, 4), torch.randn(4, 3).t()
    assert compiled(x)[0].data_ptr() == x.data_ptr()
    view, more = compiled(turned)
    assert torch.equal(view, turned.reshape(-1)) and torch.equal(more, turned + 1) and view.data_ptr() != turned.data_ptr()
    assert fxgraph.capture(lambda x: (x + 1, x * 2), x).compile("cpu")._plain


def test_shared_results_of_copied_inputs(monkeypatch):
    """Inputs that were copied to a GPU: what is returned of them is what was passed."""
    from fxgraph.module import _run_from_host
    monkeypatch.setattr(torch.Tensor, "cuda", torch.Tensor.clone)
    compiled = fxgraph.capture(lambda x, y: (x, y.add_(1), x + y, y, y), torch.ones(2), torch.ones(2)).compile("cpu")
    x, y = torch.ones(2), torch.ones(2)
    got = _run_from_host(compiled, [x], {"y": y})
    assert got[0] is x and got[1] is y and got[3] is y and got[4] is y and torch.equal(got[2], torch.full((2,), 3.0)) and torch.equal(y, x + 1)


@pytest.mark.parametrize("target", ("ref", "cpu"))
def test_unknown_extents(target):
    """Results of extents that vary are allocated from inside the run; symbols must agree."""
    n = torch.export.Dim("n")

    def function(x, y):
        return torch.cat([x, y]), x[:, None] * y, x.new_zeros(0)

    compiled = fxgraph.capture(function, torch.randn(4), torch.randn(4), level="aten", dynamic_shapes=({0: n}, {0: n})).compile(target)
    assert compiled.signature[0][0].shape == ("s0",) == compiled.signature[0][1].shape
    for size in (4, 7, 2):
        x, y = torch.randn(size), torch.randn(size)
        torch.testing.assert_close(compiled(x, y), list(function(x, y)))
    with pytest.raises(FxGraphError, match=r"input 1 \('y'\): expected extent 3 in dim 0 but got 5"):
        compiled(torch.randn(3), torch.randn(5))


def test_without_the_table_of_functions(monkeypatch):
    """A torch whose tensors have no DLPack table: their attributes say the same."""
    x, y = torch.randn(3, 4), torch.randn(4, 3).t()
    module = fxgraph.capture(affine, x, y)
    handle = module.compile("cpu").handle
    slow = native().Call(handle, [0, 1], [], _torch_types(), use_table=False)
    fast = native().Call(handle, [0, 1], [], _torch_types())
    for a, b, want in zip(slow([x, y]), fast([x, y]), affine(x, y), strict=True):
        assert torch.equal(a, b)
        torch.testing.assert_close(a, want)
    for call in (slow, fast):
        with pytest.raises(ValueError, match="expected a tensor of numbers"):
            call([x, y.to(torch.complex64)])
    for dtype in (torch.bool, torch.uint8, torch.int64, torch.bfloat16, torch.float16, torch.float64):
        z = torch.ones(3, 2).to(dtype)
        handle = fxgraph.capture(lambda z: z.flip(0), z).compile("cpu").handle
        assert torch.equal(native().Call(handle, [0], [], _torch_types(), use_table=False)([z])[0], z)


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16,
                                   torch.float32, torch.float64])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3, 4)])
def test_dtypes_and_shapes(dtype, shape):
    x = torch.randn(shape).mul(3).to(dtype)
    module = fxgraph.capture(lambda x: (x.clone(), x.unsqueeze(0).flip(0)), x)
    for target in ("ref", "cpu"):
        first, second = module.compile(target)(x)
        assert first.dtype == dtype and torch.equal(first, x) and torch.equal(second, x.unsqueeze(0))
        assert first.data_ptr() != x.data_ptr() or x.numel() == 0


def test_arrays_of_negative_strides():
    compiled = fxgraph.capture(lambda x: x + 1, torch.ones(4)).compile("cpu")
    array = np.arange(4, dtype=np.float32)
    assert torch.equal(compiled(array[::-1].copy())[0], torch.tensor([4.0, 3.0, 2.0, 1.0]))
    assert torch.equal(compiled(np.arange(8, dtype=np.float32)[::2])[0], torch.tensor([1.0, 3.0, 5.0, 7.0]))
    with pytest.raises(FxGraphError, match=r"input 0 \('x'\): expected an array without negative strides but got strides \(-4,\); a copy has none"):
        compiled(array[::-1])


def half_of_a_pair(text):
    return re.escape(f"{text} of Unicode characters but got '\\udc80' in ")


def test_names_without_bytes(tmp_path):
    """Halves of surrogate pairs cannot be written: refused where they come in."""
    class Named(torch.nn.Module):
        def __init__(self, name):
            super().__init__()
            self.name = name
            self.register_buffer(name, torch.full((2,), 3.0))

        def forward(self, x):
            return x * getattr(self, self.name)

    for level in ("torch", "aten"):
        with pytest.raises(fxgraph.ImportFailure, match=half_of_a_pair("expected names and texts")):
            fxgraph.capture(Named("w\udc80"), torch.ones(2), level=level)
        module = fxgraph.capture(Named("w\u00e9\U0001f600"), torch.ones(2), level=level)
        assert torch.equal(module.run([torch.ones(2)])[0], torch.full((2,), 3.0))
    module.save_weights(tmp_path / "w.safetensors")
    module.weights["w\udc80"] = torch.ones(1)
    with pytest.raises(FxGraphError, match=half_of_a_pair("expected a weight's name")):
        module.save_weights(tmp_path / "w.safetensors")
    with pytest.raises(FxGraphError, match=half_of_a_pair("expected the text of a graph")):
        fxgraph.Module("// \udc80").verify()


@pytest.mark.parametrize("target", TARGETS)
def test_errors(target):
    x = torch.randn(3, 5)
    compiled = fxgraph.capture(affine, x, x).compile(target)
    for call, message in [
            (lambda: compiled(x), "expected 2 inputs (x, y) but got 1"), (lambda: compiled(x, z=x), "expected inputs among x, y but got z"),
            (lambda: compiled(x, x=x), "expected each input once but got x twice"), (lambda: compiled(x=x), "expected an input named y"),
            (lambda: compiled(x, x.double()), "input 1 ('y'): expected dtype f32 but got f64"),
            (lambda: compiled(x, x[0]), "input 1 ('y'): expected rank 2 but got 1"),
            (lambda: compiled(x[:2], x), "input 0 ('x'): expected extent 3 in dim 0 but got 2"),
            (lambda: compiled(x, "a"), "input 1 ('y'): expected a tensor or a number for torch.float32 but got str"),
            (lambda: compiled(x, x.to("meta")), "input 1 ('y'): expected a dense tensor with data but got torch.float32"),
            (lambda: compiled(x, x.to(torch.complex64)), "input 1 ('y'): expected a tensor of numbers of up to 16 dimensions but got torch.complex64")]:
        with pytest.raises(FxGraphError) as error:
            call()
        assert message in str(error.value)
    # None of it harmed the executable.
    torch.testing.assert_close(compiled(x, x)[0], x * 3)


def test_texts_that_are_none(tmp_path):
    """A text is taken whole or refused; what diagnostics and names quote need not be UTF-8."""
    module = fxgraph.capture(affine, torch.ones(2), torch.ones(2))
    for call in (lambda: module.run_passes("cse\0canonicalize"), lambda: module.compile("cpu", cpu="host\0"),
                 lambda: module.save_artefact(tmp_path / "a\0b.so"), lambda: load_executable(tmp_path / "a\0b.so")):
        with pytest.raises(ToolError, match="expected a text without NUL characters but got one after '"):
            call()
    assert not list(tmp_path.iterdir())
    for wrong in (None, 3, b"module {}"):
        with pytest.raises(FxGraphError, match=f"expected the text of a graph but got {type(wrong).__name__}"):
            fxgraph.Module(wrong).verify()
    with pytest.raises(FxGraphError, match="expected names of inputs but got 0"):
        module.run({0: torch.ones(2)})
    path = tmp_path / "model.mlir"
    path.write_bytes(b'func.func @main(%x: tensor<2xf32> {fxgraph.name = "\xac"}) -> tensor<2xf32> { return %x : tensor<2xf32> }')
    with pytest.raises(ToolError, match="expected UTF-8 but got"):
        fxgraph.load(path).compile("ref")
    path.write_bytes(b'func.func @main() { func.call @"\xac"() : () -> () return }')
    with pytest.raises(ToolError, match=r"'\\xac' does not reference a valid function"):
        fxgraph.load(path)


@pytest.mark.parametrize("target", ("ref", "cpu"))
def test_error_while_running(target):
    """The op that fails is named with its place; nothing was written."""
    def function(x, i, out):
        out.copy_(x[i])
        return x + 1

    x, out = torch.arange(4.0), torch.zeros(2)
    compiled = fxgraph.capture(function, x, torch.tensor([1, 2]), out).compile(target)
    with pytest.raises(ToolError, match=r"test_executable.py:\d+:\d+: .*expected indices in \[-4, 3\]"):
        compiled(x, torch.tensor([1, 4]), out)
    assert torch.equal(out, torch.zeros(2))
    compiled(x, torch.tensor([1, 3]), out)
    assert torch.equal(out, torch.tensor([1.0, 3.0]))


def test_index_out_of_range_on_a_gpu():
    """The host hears of it; the next run is fine."""
    table = torch.randn(5, 4)
    compiled = fxgraph.capture(lambda t, i: torch.nn.functional.embedding(i, t) * 2, table, torch.tensor([0, 1])).compile("gpu-emulator")
    for _ in range(2):
        with pytest.raises(FxGraphError, match="an index is out of range"):
            compiled(table, torch.tensor([0, 5]))
        torch.testing.assert_close(compiled(table, torch.tensor([4, 0]))[0], table[[4, 0]] * 2)


@pytest.mark.parametrize("level", ("torch", "aten"))
def test_random_numbers(level):
    """Those of eager PyTorch behind the seed, in every run."""
    def draws(x):
        y = torch.nn.functional.dropout(x, 0.25, training=True)
        z = torch.randn(3, 7) + torch.rand_like(y)
        return y, z, torch.rand(20, dtype=torch.float64), torch.randn_like(x.double())

    x = torch.randn(3, 7)
    module = fxgraph.capture(draws, x, level=level)
    for target in ("ref", "cpu"):
        for seed in (0, 1234):
            compiled = module.compile(target, seed=seed)
            for _ in range(2):
                torch.manual_seed(seed)
                for got, want in zip(compiled(x), draws(x), strict=True):
                    assert torch.equal(got, want), (target, seed)
        torch.manual_seed(5)
        assert not torch.equal(compiled(x)[1], draws(x)[1])


def test_error_while_compiling():
    module = fxgraph.Module('func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = "fxgraph.opaque"(%x) {target = "torch.foo"} : '
                            '(tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}')
    with pytest.raises(ToolError, match="<memory>:2:8: error: .*torch.foo"):
        module.compile("cpu")
    with pytest.raises(FxGraphError, match="expected a target among ref, cpu, gpu, gpu-emulator but got 'tpu'"):
        module.compile("tpu")
    good = fxgraph.capture(affine, torch.ones(2), torch.ones(2))
    with pytest.raises(ToolError, match="expected a setting of the CPU .* but got 'speed=11'"):
        good.compile("cpu", speed=11)
    for seed in (-1, 2 ** 64, "1", 1.0):
        with pytest.raises(FxGraphError, match=f"expected a seed from 0 to 2\\^64 - 1 but got {seed!r}"):
            good.compile("ref", seed=seed)
    module.weights["w"] = 3
    with pytest.raises(FxGraphError, match="expected a tensor as the weight w but got int"):
        module.compile("cpu")
    with pytest.raises(ToolError, match="no GPU to run on|gpu after gpu-emulator"):
        good.compile("gpu")
    assert torch.equal(good.compile("cpu", threads=1, opt_level=0)(torch.ones(2), torch.ones(2))[0], torch.full((2,), 3.0))


def test_weights_are_bound_once():
    """The executable reads the tensors that the module had; numbers of the call are not its business."""
    model = torch.nn.Linear(3, 2)
    module = fxgraph.capture(model, torch.ones(1, 3))
    compiled = module.compile("cpu")
    with torch.no_grad():
        model.weight.zero_()
    assert torch.equal(compiled(torch.ones(1, 3))[0], model.bias[None])
    module.weights["weight"] = torch.ones(2, 3)
    assert torch.equal(compiled(torch.ones(1, 3))[0], model.bias[None])
    torch.testing.assert_close(module.run([torch.ones(1, 3)], "cpu")[0], model.bias[None].detach() + 3)
    # A dictionary may name weights, for one call.
    torch.testing.assert_close(module.run({"x" if "x" in module.inputs else module.inputs[0]: torch.ones(1, 3), "bias": torch.zeros(2)}, "cpu")[0],
                               torch.full((1, 2), 3.0))


def test_run_keeps_what_it_compiled():
    module = fxgraph.capture(affine, torch.ones(2), torch.ones(2))
    module.run([torch.ones(2)] * 2, "cpu")
    kept = module._compiled_for("cpu", frozenset())
    module.run([torch.ones(2)] * 2, "cpu")
    assert module._compiled_for("cpu", frozenset()) is kept
    module.run_passes("canonicalize")
    assert module._compiled_for("cpu", frozenset()) is not kept


@pytest.mark.parametrize("assign", [
    lambda weights, tensor: weights.update(offset=tensor),
    lambda weights, tensor: setattr(weights["offset"], "data", tensor),
], ids=["entry", "data"])
def test_run_reads_the_weights_that_there_are(assign):
    """Also where a new tensor gets the id, or its elements the place, of one that is gone."""
    class Offset(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("offset", torch.zeros(100))

        def forward(self, x):
            return x + self.offset

    module = fxgraph.capture(Offset(), torch.ones(100))
    for value in range(12):
        assign(module.weights, torch.full((100,), float(value)))
        assert torch.equal(module.run([torch.ones(100)], "ref")[0], torch.full((100,), value + 1.0))


@pytest.mark.parametrize("copied", [fxgraph.Module.clone, copy.copy, copy.deepcopy])
def test_copies_of_a_module(copied):
    """Another graph, another weight in a copy is not the module's, nor the other way round; only a deep copy has weights of its own."""
    class Scaled(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("offset", torch.zeros(4))

        def forward(self, x):
            return x * 2 + self.offset

    x = torch.ones(4)
    module = fxgraph.capture(Scaled(), x)
    other = copied(module)
    assert (other.weights["offset"] is module.weights["offset"]) == (copied is not copy.deepcopy)
    other.asm = other.asm.replace("dense<2>", "dense<3>")
    for _ in range(2):
        assert torch.equal(other.run([x])[0], x * 3) and torch.equal(module.run([x])[0], x * 2)
    other.weights["offset"] = torch.ones(4)
    assert torch.equal(other.run([x])[0], x * 4) and torch.equal(module.run([x])[0], x * 2)


def test_lifetimes():
    """An executable outlives its module; results outlive the executable; nothing is kept."""
    x = torch.ones(1000)
    module = fxgraph.capture(lambda x: x + 1, x)
    compiled = module.compile("ref")
    gone = weakref.ref(module)
    del module
    gc.collect()
    assert gone() is None
    before = sys.getrefcount(x)
    result, = compiled(x)
    del compiled
    gc.collect()
    assert torch.equal(result, x + 1) and sys.getrefcount(x) == before


def test_artefacts(tmp_path):
    """A stored graph is called like a compiled one; its weights are arguments."""
    model, x = torch.nn.Linear(3, 2), torch.randn(4, 3)
    module = fxgraph.capture(model, x)
    path = tmp_path / "model.so"
    module.save_artefact(path)
    stored = load_executable(path)
    assert isinstance(stored, Executable) and stored.inputs == [a.name for a in module.compile("cpu").signature[0]]
    got, = stored(**{module.inputs[0]: x}, **module.weights)
    torch.testing.assert_close(got, model(x))
    with pytest.raises(FxGraphError, match="expected extent 4 in dim 0 but got 5"):
        stored(**{module.inputs[0]: torch.randn(5, 3)}, **module.weights)
    fxgraph.capture(affine, x, x).save_artefact(tmp_path / "m.ptx", "ptx", chip="sm_90")
    assert ".target sm_90" in (tmp_path / "m.ptx").read_text()
    with pytest.raises(ToolError, match="expected a form of .*so.* but got 'exe'"):
        module.save_artefact(tmp_path / "m.exe", "exe")
    with pytest.raises(ToolError, match="does not exist"):
        load_executable(tmp_path / "none.so")
    (tmp_path / "bad.so").write_bytes(b"\x7fELF")
    with pytest.raises(ToolError, match="cannot load"):
        load_executable(tmp_path / "bad.so")


def test_no_file_and_no_process():
    """From the capture to the call everything happens in this process, in memory."""
    seen = []
    # PyTorch's own threads and caches begin before.
    fxgraph.capture(affine, torch.ones(2, 3), torch.ones(2, 3)).compile("cpu")(torch.ones(2, 3), torch.ones(2, 3))

    def watch(event, arguments):
        if watching and (event in ("subprocess.Popen", "os.system", "os.posix_spawn", "os.fork", "os.exec", "tempfile.mkstemp", "tempfile.mkdtemp")
                         or event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+")):
            seen.append((event, arguments))

    watching = True
    sys.addaudithook(watch)
    try:
        x, y = torch.randn(3, 4), torch.randn(3, 4)
        for target in TARGETS:
            module = fxgraph.capture(lambda x, y: affine(x, y)[0].tanh(), x, y)
            module.run_passes("fxgraph-pre-grad")
            torch.testing.assert_close(module.compile(target)(x, y)[0], affine(x, y)[0].tanh())
    finally:
        watching = False
    assert not seen


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.int16, torch.int8, torch.uint8])
def test_nothing_is_written_behind_a_result(dtype, monkeypatch):
    """Rows of any length, the last elements of which are stored one by one: memory behind the result stays as it is."""
    held = []

    class Guarded(_torch_types()):
        @staticmethod
        def empty(shape, dtype, device):
            count = torch.Size(shape).numel()
            held.append((torch.full((count + 64,), 7, dtype=dtype, device=device), count))
            return held[-1][0][:count].view(shape)

    monkeypatch.setattr(executable, "_torch_types", lambda: Guarded)
    for width in (1, 2, 3, 5, 6, 7, 9, 13, 17, 33):
        x, y = (torch.randn(10, 1, width) * 9).to(dtype), (torch.randn(1, 10, width).abs() * 3 + 1).to(dtype)
        for function in (lambda x, y: torch.div(x, y, rounding_mode="trunc"), lambda x, y: x * y + x, lambda x, y: (x > y, x.sum(-1))):
            compiled = fxgraph.capture(function, x, y).compile("cpu")
            held.clear()
            compiled(x, y)
            assert held and all((memory[count:] == 7).all() for memory, count in held if memory.dtype != torch.bool), width
