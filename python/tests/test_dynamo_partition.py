# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(model, backend="fxgraph"): what PyTorch runs of a graph, what is said of it, and the options."""

import importlib.metadata
import logging
import os
import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F
from dynamo_cases import check, left

import fxgraph.dynamo
from fxgraph import FxGraphError

X = torch.randn(4, 6, generator=torch.Generator().manual_seed(7))


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    torch._dynamo.reset()
    fxgraph.dynamo.reset_stats()
    monkeypatch.setattr(fxgraph.dynamo.report, "_SAID", set())


# -- partitions -----------------------------------------------------------------


def test_an_op_without_a_form_splits_the_graph(caplog):
    def f(x):
        y = (x @ x.t()).sigmoid() + 1
        q, r = torch.linalg.qr(y)
        return (q @ r + y).relu() * 2

    with caplog.at_level(logging.INFO, "fxgraph.dynamo"):
        stats, = check(f, (X,))
    assert left([stats]) == ["aten.linalg_qr.default"] and stats.calls == 2 and stats.compiled["aten.matmul.default"] == 2
    record, = caplog.records
    assert record.levelno == logging.WARNING
    assert "PyTorch runs aten.linalg_qr.default at" in record.message and "test_dynamo_partition.py:" in record.message
    assert record.message.endswith("the dialect has no op for it")
    caplog.clear()
    with caplog.at_level(logging.INFO, "fxgraph.dynamo"):
        check(f, (X,))
    assert not caplog.records  # said once


def test_independent_branches_are_one_part():
    """Ops that need nothing of PyTorch's op are compiled with those before it, wherever they are written."""
    def f(x, y):
        q = torch.linalg.qr(x.sin() + 1)[0]
        z = (y * 2).cos() + y.mean()
        return q, z, (q * z.mean()).exp() - 1

    stats, = check(f, (X[:, :4], X * 2))
    assert stats.calls == 2


def test_a_chain_of_ops_without_a_form():
    def f(x):
        for _ in range(4):
            x = torch.linalg.matrix_exp((x * 0.1).sin()) + 1
        return x

    stats, = check(f, (X[:, :4],))
    assert stats.calls == 5 or stats.calls == 4  # after the last one is a part of one op


@pytest.mark.parametrize("ops, calls", [(1, 0), (2, 1)])
def test_parts_that_are_not_worth_a_call(ops, calls, caplog):
    def f(x):
        q = torch.linalg.qr(x)[0]
        for _ in range(ops):
            q = q * 2
        return q.t()

    with caplog.at_level(logging.WARNING, "fxgraph.dynamo"):
        stats, = check(f, (X,))
    assert stats.calls == calls and len(caplog.records) == 1  # of qr alone
    reasons = [op.reason for op in stats.left if op.op == "aten.mul.Tensor"]
    assert reasons == ([fxgraph.dynamo.compiler.SMALL] if ops == 1 else [])


def test_one_op_that_is_the_whole_graph_is_compiled():
    stats, = check(lambda x: x + 1, (X,))
    assert stats.calls == 1 and stats.share == 1.0


def test_strides_and_views_between_the_parts():
    """PyTorch's ops get tensors of the strides that they were traced with."""
    def f(x):
        y = (x.t() * 2 + 1)  # column-major
        z = torch.linalg.matrix_exp(y[:4, :4])
        w = y.t().view(-1)  # a view only with these strides
        return z.sin() + 1, torch.as_strided(y, (2, 3), (1, 6)) + torch.linalg.det(z), w * 2 + 1, z.t()

    stats, = check(f, (X,))
    assert "aten.linalg_matrix_exp.default" in left([stats])


def test_pieces_of_an_op_go_with_it():
    def f(x):
        values, indices = torch.linalg.eigh(x @ x.t())
        a, b = (values * 2 + 1).split(2)
        return a.sin() + b, indices.abs() * 2 + 1, torch.topk(x, 2)[1]

    stats, = check(f, (X,))
    assert left([stats])[0] == "aten._linalg_eigh.default"


def test_a_target_that_refuses_an_op(monkeypatch):
    """The op that the compiler names runs in PyTorch, and only that."""
    compile = fxgraph.Module.compile

    def refusing(module, target):
        if "fxgraph.erf" in module.asm:
            place = 'loc("erf")' if 'loc("erf")' in module.asm else "file.py:1:0"
            raise fxgraph.ToolError(f"fx-run: error: {place}: 'fxgraph.erf' op has no lowering")
        return compile(module, target)

    monkeypatch.setattr(fxgraph.Module, "compile", refusing)
    stats, = check(lambda x: (x.sin() + 1).erf() * 2 + x, (X,))
    assert [(op.op, op.reason) for op in stats.left] == [
        ("aten.erf.default", "the target cpu refuses it: 'fxgraph.erf' op has no lowering")]
    assert stats.calls == 2


def test_a_dtype_that_the_target_refuses():
    stats, = check(lambda x: (x.sin() * 2).to(torch.float8_e5m2fnuz).float().cos() + 1, (X,))
    assert left([stats]) == ["aten._to_copy.default"] * 2 and "the target cpu refuses it: " in stats.left[0].reason and stats.calls == 2


def test_a_target_that_refuses_a_part_without_a_name(monkeypatch):
    def refusing(module, target):
        raise fxgraph.ToolError("out of registers")

    monkeypatch.setattr(fxgraph.Module, "compile", refusing)
    stats, = check(lambda x: x.sin() + 1, (X,))
    assert stats.calls == 0 and {op.reason for op in stats.left} == {"its part of the graph is refused: out of registers"}


def test_an_import_that_the_dialect_refuses(monkeypatch):
    """A fault of the importer again, seen by the verifier."""
    def fault(importer, call):
        value = importer.value(call.args[0])
        return importer.fresh(importer.emit("cat", [[value, value]], [value.type], dim=0)[0], call.fake)

    monkeypatch.setitem(fxgraph.importer.graph.BY_OP, "erf", fault)
    stats, = check(lambda x: (x.sin() + 1).erf() * 2 + x, (X,))
    assert left([stats]) == ["aten.erf.default"] and "the target cpu refuses it" in stats.left[0].reason


def test_without_the_library_nothing_is_left_to_pytorch(monkeypatch):
    def missing():
        raise fxgraph.ToolError("expected _fxgraph.so; build it")

    monkeypatch.setattr(fxgraph.dynamo.compiler, "native", missing)
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="expected _fxgraph.so; build it"):
        check(lambda x: x.sin() + 1, (X,))


def test_a_fault_of_the_importer_is_said_of_its_op(monkeypatch, caplog):
    def fault(importer, call):
        raise KeyError("no such thing")

    monkeypatch.setitem(fxgraph.importer.graph.BY_OP, "erf", fault)
    with caplog.at_level(logging.WARNING, "fxgraph.dynamo"):
        stats, = check(lambda x: (x.sin() + 1).erf() * 2 + x, (X,))
    assert left([stats]) == ["aten.erf.default"]
    assert "the importer fails on it: " in caplog.text and "KeyError: 'no such thing'" in caplog.text


def test_ops_that_the_dialect_lacks_are_pytorchs_definition_of_them():
    def f(x, labels):
        image = F.pad(x.view(1, 1, 4, 6), (1, 1, 1, 1), mode="reflect")
        return F.nll_loss(x.log_softmax(-1), labels), F.unfold(image, 3), F.grid_sample(image, torch.zeros(1, 2, 2, 2), align_corners=True)

    stats, = check(f, (X, torch.tensor([0, 5, 2, 1])))
    assert stats.share == 1.0
    from fxgraph.dynamo import tracing
    assert not any(op.is_view or torch.Tag.nondeterministic_seeded in op.tags for op in tracing.decompositions())


# -- effects ----------------------------------------------------------------------


def test_random_ops_run_in_pytorch_in_their_order():
    def f(x):
        a = torch.rand(3)
        y = (x.sin() + 1).sum()
        b = F.dropout(x * y, 0.5)
        c = torch.randperm(5)
        return a * 2 + y, b.cos() + 1, c, torch.randn_like(x) + x.exp()

    stats, = check(f, (X,))
    assert len(left([stats])) >= 4 and stats.compiled


def test_dropout_in_training_and_in_evaluation():
    model = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.Dropout(0.5), torch.nn.Linear(6, 2))
    trained, = check(model, (X,))
    assert any("random" in op.reason for op in trained.left)
    evaluated, = check(model.eval(), (X,))
    assert evaluated.share == 1.0


def test_attention_draws_only_with_dropout():
    q = torch.randn(2, 3, 4)
    kept, = check(lambda q: F.scaled_dot_product_attention(q, q, q) + 1, (q,))
    assert kept.share == 1.0
    stats, = check(lambda q: F.scaled_dot_product_attention(q * 2, q + 1, q.sin(), dropout_p=0.5), (q,))
    assert "aten.scaled_dot_product_attention.default" not in stats.compiled


def test_a_custom_op_keeps_its_place_among_random_ops():
    calls = []
    library = torch.library.Library("fxgraph_dynamo_test", "FRAGMENT")
    library.define("note(Tensor x) -> Tensor")

    def note(x):
        calls.append(torch.rand(1).item())
        return x.clone()

    library.impl("note", note, "CPU")
    library.impl("note", torch.empty_like, "Meta")

    def f(x):
        a = torch.rand(2)
        y = torch.ops.fxgraph_dynamo_test.note(x.sin() + 1)
        return a, torch.rand(2) + y.sum() * 2

    check(f, (X,))
    assert calls[0] == calls[1]
    library._destroy()


def test_collectives_keep_their_order(tmp_path):
    distributed = pytest.importorskip("torch.distributed")
    if not distributed.is_available() or not distributed.is_gloo_available():
        pytest.skip("PyTorch without gloo")
    from torch.distributed import _functional_collectives as collectives
    distributed.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    group = distributed.group.WORLD
    try:
        def f(x):
            first = collectives.all_reduce(x.sin() + 1, "sum", group)
            return collectives.all_reduce((x * 2).cos(), "max", group) + 1, (first * 2).relu()

        stats, = check(f, (X,))
        assert [op for op in left([stats]) if "all_reduce" in op] and stats.compiled["aten.sin.default"] == 1
    finally:
        distributed.destroy_process_group()


def test_tensor_subclasses_are_taken_apart():
    from torch.testing._internal.two_tensor import TwoTensor
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: x.sin() * 2 + 1, backend="fxgraph")
    with torch.no_grad():
        got = compiled(TwoTensor(X, X * 2))
    assert type(got) is TwoTensor
    torch.testing.assert_close(got.a, X.sin() * 2 + 1)
    torch.testing.assert_close(got.b, (X * 2).sin() * 2 + 1)
    assert fxgraph.dynamo.stats()[0].share == 1.0


# -- options ------------------------------------------------------------------------


def compiled_with(**kwargs):
    with torch.no_grad():
        return torch.compile(lambda x: x.sin() + 1, backend="fxgraph", **kwargs)(X)


@pytest.mark.parametrize("options, message", [
    ({"traget": "cpu"}, r"expected options among target, pipeline, verify, strict but got 'traget'"),
    ({"target": "tpu"}, r"expected the option target to be cpu, gpu, ref or None but got 'tpu'"),
    ({"pipeline": 3}, r"expected the option pipeline to be a text but got 3"),
    ({"verify": 1}, r"expected the option verify to be True or False but got 1"),
    ({"strict": "yes"}, r"expected the option strict to be True or False but got 'yes'")])
def test_wrong_options(options, message):
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match=message):
        compiled_with(options=options)


def test_modes_are_inductors():
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed,
                       match="expected no mode for the backend fxgraph.*but got mode='max-autotune'"):
        compiled_with(mode="max-autotune")
    compiled_with(mode="default")


@pytest.mark.parametrize("options", [{}, {"target": None}, {"target": "cpu"}, {"target": "ref"}, {"pipeline": ""}, {"verify": True},
                                     {"strict": True},
                                     {"pipeline": "fxgraph-pre-grad{fusions=none}", "strict": True, "verify": False}])
def test_options(options):
    torch.testing.assert_close(compiled_with(options=options), X.sin() + 1)
    assert fxgraph.dynamo.stats()[0].target == (options.get("target") or "cpu")


def test_a_target_without_its_tensors():
    compiled_with(options={"target": "gpu"})
    stats, = fxgraph.dynamo.stats()
    assert stats.target is None and {op.reason for op in stats.left} == {"a tensor on cpu in a graph for cuda:0"}


def test_the_pipeline_runs(monkeypatch):
    seen = []
    run_passes = fxgraph.Module.run_passes

    def watched(module, pipeline, **kwargs):
        seen.append((pipeline, kwargs))
        return run_passes(module, pipeline, **kwargs)

    monkeypatch.setattr(fxgraph.Module, "run_passes", watched)
    compiled_with()
    compiled_with(options={"pipeline": "fxgraph-normalize", "verify": True})
    compiled_with(options={"pipeline": ""})
    assert seen == [("fxgraph-attention-fuse,fxgraph-pre-grad", {"verify": None}), ("fxgraph-normalize", {"verify": True})]


def test_strict():
    def f(x):
        return torch.linalg.qr(x.sin() + 1)[0] * 2 + 1
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed,
                       match=r"1 ops are not modelled:\n.*aten.linalg_qr.default .* has no op for it"):
        check(f, (X,), strict=True)
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="draws from PyTorch's random generator"):
        check(lambda x: x + torch.rand(6), (X,), strict=True)
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="expected a graph to compile, as the option strict asks, but gradients"):
        check(torch.nn.Linear(6, 2), (X,), strict=True, grad=True)
    check(torch.nn.Linear(6, 2), (X,), strict=True)
    check(lambda x: x.t(), (X,), strict=True)  # nothing but a view is no refusal


# -- registration -------------------------------------------------------------------

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def test_an_installed_package_is_found(tmp_path):
    """The entry point of pyproject.toml, in the metadata of an installation."""
    subprocess.run([sys.executable, "-c", "from setuptools import setup; setup()", "-q", "egg_info", "--egg-base", str(tmp_path)],
                   cwd=PACKAGE, check=True, capture_output=True)
    points, = (d.entry_points.select(group="torch_dynamo_backends") for d in importlib.metadata.distributions(path=[str(tmp_path)]))
    assert [(point.name, point.value) for point in points] == [("fxgraph", "fxgraph.dynamo:fxgraph")]
    script = ("import torch\n"
              "assert 'fxgraph' in torch._dynamo.list_backends()\n"
              "with torch.no_grad(): print(torch.compile(lambda x: x + 1, backend='fxgraph')(torch.ones(2)).tolist())\n"
              "import fxgraph.dynamo; print(len(fxgraph.dynamo.stats()))")
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(tmp_path), PACKAGE, os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.split("\n")[:2] == ["[2.0, 2.0]", "1"], done.stderr


def test_the_package_alone_does_not_import_torch():
    script = "import sys, fxgraph; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], env=dict(os.environ, PYTHONPATH=PACKAGE)).returncode == 0


def test_the_exception_is_of_the_package():
    with pytest.raises(FxGraphError):
        fxgraph.dynamo.fxgraph(None, [], options={"no": 1})
