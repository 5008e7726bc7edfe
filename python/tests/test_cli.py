# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line and the Module object."""

import json
import os
import subprocess
import sys
import textwrap

import pytest
import torch
from safetensors.torch import load_file

import fxgraph
from fxgraph.cli import main
from fxgraph.errors import FxGraphError, ToolError
from fxgraph.runtime import find_tool

MODEL = textwrap.dedent("""
    import torch
    class M(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.l = torch.nn.Linear(3, 2)
            self.register_buffer("n", torch.zeros(()))
        def forward(self, x):
            self.n.add_(1)
            return torch.relu(self.l(x)), self.n * 2
    def make():
        torch.manual_seed(0)
        return M(), (torch.ones(2, 3),)
    def unknown():
        class U(torch.nn.Module):
            def forward(self, x):
                return torch.special.polygamma(2, x)
        return U(), (torch.ones(2),)
    def wrong():
        return 3
    def fails():
        raise ValueError("boom")
    def wrong_kwargs():
        return M(), (torch.ones(2, 3),), 7
    def wrong_shape():
        return M(), (torch.ones(2, 4),)
    value = 1
""")


@pytest.fixture
def model_file(tmp_path):
    path = tmp_path / "my_model.py"
    path.write_text(MODEL)
    return path


def test_import(model_file, tmp_path):
    out, weights = tmp_path / "m.mlir", tmp_path / "w.safetensors"
    for level in ("torch", "aten"):
        assert main(["import", f"{model_file}:make", "-o", str(out), "--weights", str(weights), "--level", level]) == 0
        assert "fxgraph.linear" in out.read_text()
        assert sorted(load_file(weights)) == ["l.bias", "l.weight", "n"]
    assert sorted(os.listdir(tmp_path)) == ["__pycache__", "m.mlir", "my_model.py", "w.safetensors"] or "m.mlir" in os.listdir(tmp_path)


def test_import_of_a_module_name(model_file, tmp_path):
    done = subprocess.run([sys.executable, "-m", "fxgraph", "import", "my_model:make"], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(fxgraph.__file__))})
    assert done.returncode == 0 and "fxgraph.linear" in done.stdout, done.stderr


def test_import_of_pt2(model_file, tmp_path):
    sys.path.insert(0, str(tmp_path))
    try:
        from my_model import make
    finally:
        sys.path.pop(0)
    model, args = make()
    torch.export.save(torch.export.export(model, args), tmp_path / "m.pt2")
    assert main(["import", str(tmp_path / "m.pt2"), "-o", str(tmp_path / "p.mlir")]) == 0
    assert "fxgraph.copy_" in (tmp_path / "p.mlir").read_text()


@pytest.mark.parametrize("spec, message", [
    ("nowhere.pt2", "does not exist"), ("nowhere.py:make", "does not exist"), ("{m}:absent", "to define absent"),
    ("{m}:wrong", "to return (model, args)"), ("{m}:value", "to be callable"), ("no_such_module_x:make", "cannot be imported"),
    ("{m}:fails", "my_model.py:22: ValueError: boom"), ("{m}:wrong_kwargs", "to return (model, args)"),
    ("{m}:wrong_shape", "must have same reduction dim, but got [2, 4] X [3, 2]. (at"), ("justaname", "expected FILE.pt2"), ("{m}", "expected FILE.pt2")])
def test_bad_input(model_file, tmp_path, capsys, spec, message):
    out = tmp_path / "bad.mlir"
    assert main(["import", spec.format(m=model_file), "-o", str(out)]) == 1
    error = capsys.readouterr().err
    assert message in error and error.startswith("error: ") and error.count("\n") == 1
    assert not out.exists()


def test_weights_have_a_suffix(model_file, tmp_path, capsys):
    assert main(["import", f"{model_file}:make", "-o", str(tmp_path / "m.mlir"), "--weights", str(tmp_path / "w.txt")]) == 1
    assert "expected a path ending in .safetensors but got" in capsys.readouterr().err
    assert not (tmp_path / "w.txt").exists() and not (tmp_path / "m.mlir").exists()


def test_place_of_a_syntax_error(tmp_path, capsys):
    bad = tmp_path / "bad.mlir"
    bad.write_text("func.func @main(%x: tensor<4xf32>) {")
    assert main(["info", str(bad)]) == 1
    assert capsys.readouterr().err.startswith(f"error: {bad}:1:")


def test_device_types_are_those_of_pytorch():
    with pytest.raises(RuntimeError) as torchs:
        torch.device("nosuch")
    with pytest.raises(ToolError) as ours:
        fxgraph.Module("func.func @main() { return }").run_passes("fxgraph-pre-grad{fusions=batch-tanh{devices=nosuch}}")
    listed = str(torchs.value).partition("one of ")[2].partition(" device type")[0]
    assert f"expected device types among {listed} for 'devices'" in str(ours.value)


def test_no_partial_output(model_file, tmp_path, capsys):
    out, weights = tmp_path / "none" / "m.mlir", tmp_path / "w.safetensors"
    assert main(["import", f"{model_file}:make", "-o", str(out), "--weights", str(weights)]) == 1
    assert "does not exist" in capsys.readouterr().err
    assert not weights.exists()
    assert main(["import", f"{model_file}:make", "-o", str(tmp_path / "m.txt")]) == 1
    assert not (tmp_path / "m.txt").exists()


def test_strict(model_file, tmp_path, capsys):
    out = tmp_path / "m.mlir"
    assert main(["import", f"{model_file}:unknown", "-o", str(out), "--strict"]) == 1
    assert "polygamma" in capsys.readouterr().err and not out.exists()
    with pytest.warns(UserWarning):
        assert main(["import", f"{model_file}:unknown", "-o", str(out)]) == 0


def test_info_and_passes(model_file, tmp_path, capsys):
    out = tmp_path / "m.mlir"
    main(["import", f"{model_file}:make", "-o", str(out)])
    assert main(["info", str(out)]) == 0
    assert "1 fxgraph.linear" in capsys.readouterr().out
    assert main(["run-passes", str(out), "canonicalize,cse", "-o", str(tmp_path / "o.mlirbc")]) == 0
    assert fxgraph.load(tmp_path / "o.mlirbc").op_counts()["fxgraph.relu"] == 1
    capsys.readouterr()
    assert main(["run-passes", str(out), "no-such-pass", "-o", str(tmp_path / "x.mlir")]) == 1
    assert "no-such-pass" in capsys.readouterr().err and not (tmp_path / "x.mlir").exists()


def capture():
    torch.manual_seed(0)
    return fxgraph.capture(torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU()), torch.ones(2, 3), level="torch")


def test_module_object(tmp_path):
    module = capture()
    module.verify()
    copy = module.clone()
    report = module.run_passes("canonicalize")
    assert report.counters == {} and sum(report.seconds.values()) >= 0 and "Report" in repr(report)
    assert copy.asm != module.asm and copy.op_counts() == module.op_counts()
    module.save(tmp_path / "m.mlir")
    module.save(tmp_path / "m.mlirbc")
    assert fxgraph.load(tmp_path / "m.mlir").op_counts() == fxgraph.load(tmp_path / "m.mlirbc").op_counts()
    with pytest.raises(ToolError, match="fxgraph.linear"):
        fxgraph.Module(copy.asm.replace("tensor<2x2xf32>", "tensor<2x5xf32>")).verify()
    with pytest.raises(FxGraphError, match="expected a path ending"):
        module.save(tmp_path / "m.txt")
    with pytest.raises(ToolError):
        module.run_passes("canonicalize{")
    with pytest.raises(ToolError, match="no-such-pass"):
        module.run_passes("no-such-pass")
    with pytest.raises(ToolError, match="fxgraph.linear"):
        fxgraph.Module(module.asm.replace("fxgraph.linear", "fxgraph.linearity")).run_passes("canonicalize")


def test_pre_grad_pipeline():
    """A report, the three spellings of a pipeline; the result still computes the model."""
    from fxgraph.testing.functions import run_module
    model = torch.nn.Module()
    model.lins = torch.nn.ModuleList(torch.nn.Linear(4, 3) for _ in range(6))
    model.forward = lambda x: torch.cat([torch.tanh(l(p)) for l, p in zip(model.lins, x.split(4, 1))], 1)
    x = torch.randn(5, 24)
    module = fxgraph.capture(model, x, level="torch")
    before = module.clone()
    report = module.run_passes("fxgraph-pre-grad")
    assert report.counters and any(r["applied"] for r in report.remarks) and report.seconds
    for spelling in ("fxgraph-group-batch-linear", "func.func(fxgraph-group-batch-linear)", "builtin.module(func.func(fxgraph-group-batch-linear))"):
        assert before.clone().run_passes(spelling).counters == {"batch_linear": 1}
    got, want = run_module(module, [x])[0], run_module(before, [x])[0]
    torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-6)

def test_post_grad_pipeline():
    text = fxgraph.post_grad_pipeline({"batch_aten_tanh": {"min_fuse_set_size": 2}}, is_inference=False, _micro_pipeline_tp=True)
    assert text == "fxgraph-post-grad{fusions=batch_aten_tanh{min-fuse-set-size=2} is-inference=false micro-pipeline-tp=true}"
    module = fxgraph.capture(lambda x, y: torch.cat([torch.tanh(x), torch.tanh(y)]), torch.randn(2, 3), torch.randn(2, 3), level="aten")
    assert module.clone().run_passes(text).counters["batch_aten_tanh"] == 1
    assert "batch_aten_tanh" not in module.clone().run_passes(fxgraph.post_grad_pipeline({})).counters
    with pytest.raises(fxgraph.FxGraphError, match="unknown fusion 'batch_tanh': expected one of batch-linear-post-grad"):
        module.run_passes(fxgraph.post_grad_pipeline({"batch_tanh": {}}))
    with pytest.raises(fxgraph.FxGraphError, match="expected a dictionary for post_grad_fusion_options"):
        fxgraph.post_grad_pipeline(["batch_aten_tanh"])


def test_pre_grad_options():
    """Inductor's dictionaries go in as they are; a wrong name is an error that lists the right ones."""
    module = fxgraph.capture(lambda x: torch.cat([p.tanh() for p in x.split(2, 1)], 1), torch.randn(3, 12), level="torch")
    text = fxgraph.pre_grad_pipeline(
        {"normalization_pass": {}, "batch_tanh": {"min_fuse_set_size": 2}, "split_cat_pass": {"counter": 2}},
        {"pre_grad": True, "precision": 1e-5, "num_iterations": 2, "requires_optimizer": True}, permute_fusion=False, mode=None)
    assert text == ("fxgraph-pre-grad{fusions=normalization_pass,batch_tanh{min-fuse-set-size=2},split_cat_pass{counter=2} "
                    "numeric-check=true precision=1e-05 num-iterations=2 permute-fusion=false}")
    assert module.clone().run_passes(text).counters["batch_tanh"] == 1
    assert module.clone().run_passes(fxgraph.pre_grad_pipeline({})).counters == {}
    with pytest.raises(ToolError, match="unknown fusion 'batch_quux': expected one of normalization-pass"):
        module.run_passes(fxgraph.pre_grad_pipeline({"batch_quux": {}}))
    with pytest.raises(FxGraphError, match="expected a dictionary of options for batch_linear but got 5"):
        fxgraph.pre_grad_pipeline({"batch_linear": 5})
    with pytest.raises(FxGraphError, match="fx_passes_numeric_check"):
        fxgraph.pre_grad_pipeline({}, {"post_grad": True})


def test_report_files(tmp_path):
    """A report goes to a file of any name; one that cannot be written is an error."""
    import resource
    def forward(x):
        for _ in range(100):
            x = x.tanh().permute(0)
        return x
    module = fxgraph.capture(forward, torch.randn(4))
    plain, strange = tmp_path / "plain.json", tmp_path / "a }, \"b\" 'c' {(é.json"
    for path in (plain, strange):
        for pipeline in (fxgraph.pre_grad_pipeline(report=path),
                         f"fxgraph-pre-dispatch{{report={fxgraph.quote_option(path)}}}",
                         # In front alone: what the passes behind it do is in the file as well.
                         f"fxgraph-write-report{{file={fxgraph.quote_option(path)}}},fxgraph-noop-remove"):
            report = module.clone().run_passes(pipeline)
            applied = [event for event in json.loads(path.read_text())["events"] if event["applied"]]
            assert len(applied) == len([remark for remark in report.remarks if remark["applied"]]) >= 100, pipeline
            path.unlink()
    # A file is that of one run: the next does not write it anew.
    changed = module.clone()
    changed.run_passes(fxgraph.pre_grad_pipeline(report=plain))
    plain.unlink()
    changed.run_passes("fxgraph-noop-cse")
    del changed
    assert not plain.exists()
    with pytest.raises(ToolError, match="cannot write report '/dev/full': No space left on device"):
        module.clone().run_passes("fxgraph-pre-grad{report=/dev/full}")
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limit[1]))
    try:
        with pytest.raises(ToolError, match="cannot write report .*: File too large"):
            module.clone().run_passes(fxgraph.pre_grad_pipeline(report=plain))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)


def test_freeze():
    """Folded batch norms are computed once; the frozen graph computes what the model does."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU()).eval()
    model[1].running_mean.normal_()
    model[1].running_var.uniform_(0.5, 2)
    x = torch.randn(2, 3, 8, 8)
    with torch.no_grad():
        module = fxgraph.capture(model, x, level="aten")
        want = model(x)
    module.run_passes("fxgraph-pre-grad{mode=best}")
    unfrozen = sum(module.op_counts().values())
    module.freeze()
    assert list(module.op_counts()) == ["fxgraph.conv2d", "fxgraph.relu"] and unfrozen > 2
    assert "frozen0" in module.weights and not any("running_mean" in name for name in module.weights)
    torch.testing.assert_close(module.run([x])[0], want, rtol=1e-5, atol=1e-5)
    again = module.clone()
    again.freeze()
    assert again.op_counts() == module.op_counts() and again.weights.keys() == module.weights.keys()


def test_freeze_of_a_whole_model():
    """Folds from weights that are arguments are ops of the graph; once the weights are known there are fewer than before."""
    from fxgraph.testing.models import capture_model
    modules, tensors = capture_model("resnet")
    module = modules["aten"]
    norms = module.op_counts()["fxgraph.batch_norm"]
    before, inputs, want = sum(module.op_counts().values()), {"image": tensors["image"]}, [tensors["out0"]]
    module.run_passes("fxgraph-pre-grad{freezing=true}")
    assert sum(module.op_counts().values()) > before
    module.freeze()
    assert sum(module.op_counts().values()) == before - norms and "fxgraph.batch_norm" not in module.op_counts()
    for target in ("ref", "cpu"):
        torch.testing.assert_close(module.run(inputs, target), want, rtol=1e-5, atol=1e-5)


def test_to_fx_of_created_tensors():
    """Literals are the module's own, draws are drawn at each call, and no result is a literal itself."""
    class Model(torch.nn.Module):
        def forward(self, x):
            return x + torch.ones(3), torch.arange(3), x + torch.rand(2, 3), torch.randn(2)

    gm = fxgraph.capture(Model(), torch.zeros(2, 3), level="aten").to_fx()
    first, second = gm(torch.zeros(2, 3)), gm(torch.zeros(2, 3))
    assert torch.equal(first[0], torch.ones(2, 3)) and torch.equal(first[1], torch.arange(3))
    assert not torch.equal(first[2], second[2]) and not torch.equal(first[3], second[3])
    first[1].zero_()
    assert torch.equal(gm(torch.zeros(2, 3))[1], torch.arange(3))


def test_run():
    torch.manual_seed(0)
    model = torch.nn.BatchNorm1d(3).train()
    x = torch.randn(4, 3)
    module = fxgraph.capture(model, x, level="aten")
    module.weights = {k: v.detach().clone() for k, v in module.weights.items()}
    result, = module.run([x])
    want = model(x)
    torch.testing.assert_close(result, want.detach(), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(module.weights["running_mean"], model.running_mean, rtol=1e-5, atol=1e-6)
    assert module.weights["num_batches_tracked"] == 1
    with pytest.raises(FxGraphError, match="expected 1 inputs"):
        module.run([x, x])
    with pytest.raises(FxGraphError, match="expected inputs among"):
        module.run({"y": x})
    with pytest.raises(FxGraphError, match="expected a target"):
        module.run([x], target="tpu")


def test_to_fx_of_unknown_tuples():
    """Each result of an unknown op that returns several is the one that PyTorch returns."""
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = torch.nn.LSTMCell(3, 4)

        def forward(self, x):
            values, upper = torch.linalg.qr(x)
            h, c = self.cell(x)
            return values + 1, upper, h * c

    model, x = Model(), torch.randn(5, 3)
    for level in ("torch", "aten"):
        module = fxgraph.capture(model, x, level=level)
        assert module.unknown_ops
        module.run_passes("fxgraph-pre-grad")
        for got, want in zip(module.to_fx()(x), model(x), strict=True):
            torch.testing.assert_close(got, want)


def test_to_fx():
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.LayerNorm(4), torch.nn.GELU())
    x = torch.randn(2, 3)
    for level in ("torch", "aten"):
        module = fxgraph.capture(model, x, level=level)
        gm = module.to_fx()
        torch.testing.assert_close(gm(x)[0], model(x))
        module.run_passes("canonicalize")
        torch.testing.assert_close(module.to_fx()(x)[0], model(x))


def test_missing_tools(monkeypatch):
    monkeypatch.setenv("FXGRAPH_BIN_DIR", "/nowhere")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ToolError, match="expected the tool fx-quux in /nowhere, .*; build it, or set FXGRAPH_BIN_DIR"):
        find_tool("fx-quux")


def test_missing_library(monkeypatch, tmp_path):
    """The message says where it was looked for, and that there is one for another Python."""
    from fxgraph.runtime import library
    monkeypatch.setattr(library, "_places", lambda variable, folder: [str(tmp_path)])
    load = library._load.__wrapped__
    with pytest.raises(ToolError, match=f"expected _fxgraph.* in {tmp_path}; build it"):
        load()
    (tmp_path / "_fxgraph.cpython-27-x.so").touch()
    with pytest.raises(ToolError, match="but got _fxgraph.cpython-27-x.so, for another Python"):
        load()
    (tmp_path / "_fxgraph.cpython-27-x.so").rename(tmp_path / ("_fxgraph" + __import__("sysconfig").get_config_var("EXT_SUFFIX")))
    with pytest.raises(ToolError, match="cannot be loaded"):
        load()
