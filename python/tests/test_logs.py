# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counters, logs and artifacts, where a user of Inductor's looks for them."""

import json
import logging
import os
import subprocess
import sys

import pytest

import fxgraph
from fxgraph import logs


GRAPH = """
func.func @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<4x4xf32> {
  %0 = fxgraph.mm %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = fxgraph.add %0, %b : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %2:2 = fxgraph.split_with_sizes %1 sizes [1, 3] dim 0 : (tensor<4x4xf32>) -> (tensor<1x4xf32>, tensor<3x4xf32>)
  %3 = fxgraph.cat %2#0, %2#1 dim 0 : (tensor<1x4xf32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  %4 = fxgraph.relu %3 : tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}
"""
SPLIT = """
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0:2 = fxgraph.split %x size 2 dim 0 : (tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %1 = fxgraph.cat %0#0, %0#1 dim 0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %2 = fxgraph.sin %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
"""
POST_GRAD = "fxgraph-post-grad{is-inference=true}"
PRE_GRAD = fxgraph.pre_grad_pipeline({"normalization_pass": {}, "mutate_cat_pass": {}})


@pytest.fixture(autouse=True)
def apart(monkeypatch):
    """Each test begins without logs and counters."""
    for name in ("FXGRAPH_LOGS", "FXGRAPH_LOGS_OUT", "FXGRAPH_TRACE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(logs, "_enabled", None)
    logs.counters.clear()
    handlers = list(logs.log.handlers)
    yield
    logs.log.handlers[:] = handlers
    logs.log.propagate = True
    logs.log.setLevel(logging.NOTSET)
    logs.counters.clear()


def run(pipeline=POST_GRAD, graph=GRAPH, **options):
    module = fxgraph.Module(graph)
    return module, module.run_passes(pipeline, **options)


def messages(caplog):
    logs.log.propagate = True  # the handler of set_logs would have it else
    return [record.getMessage() for record in caplog.records if record.name == "fxgraph.logs"]


def test_counters_are_of_all_runs():
    report = run(PRE_GRAD, SPLIT)[1]
    assert report.counters["mutate_cat_pass"] == 1
    before = logs.save_inductor_dict(["mutate_cat_pass", "batch_linear"])
    assert before == {"mutate_cat_pass": 1, "batch_linear": 0} and logs.is_same_dict(fxgraph.counters["inductor"], before)
    run(PRE_GRAD, SPLIT)
    assert fxgraph.counters["inductor"]["mutate_cat_pass"] == 2
    assert fxgraph.counters["inductor"]["pattern_matcher_count"] == 2 * report.rewrites
    assert not logs.is_same_dict(fxgraph.counters["inductor"], before)
    assert logs.is_same_dict(fxgraph.counters["inductor"], {})  # only names of the snapshot are compared
    assert logs.save_inductor_dict()["mutate_cat_pass"] == 2


def test_a_run_that_fails_counts_nothing():
    with pytest.raises(fxgraph.ToolError):
        run("fxgraph-pre-grad{fusions=no_such_pass}", SPLIT)
    assert not fxgraph.counters["inductor"]


def test_graphs_of_a_report():
    module, report = run(graphs=True)
    passes = [name for name, _, _ in report.graphs]
    assert passes[0] == "" and "fxgraph.split_with_sizes" in report.graphs[0][2]
    at = passes.index("fxgraph-splitcat-cancel")
    assert "fxgraph.split_with_sizes" in report.graphs[at - 1][2] and "fxgraph.split_with_sizes" not in report.graphs[at][2]
    assert "fxgraph.addmm" in report.graphs[-1][2] and fxgraph.Module(report.graphs[-1][2]).op_counts() == module.op_counts()
    assert "fxgraph-postgrad-pointless-cumsum" not in passes  # it changed nothing
    assert run()[1].graphs == []


def test_counters_of_a_pass():
    _, report = run(PRE_GRAD, SPLIT, graphs=True)
    assert {"mutate_cat_pass": 1} in [counters for _, counters, _ in report.graphs]


def test_set_logs(caplog):
    caplog.set_level(logging.INFO, logger="fxgraph.logs")
    fxgraph.set_logs(post_grad_graphs=True, inductor_metrics=True)
    logs.log.propagate = True
    run()
    said = messages(caplog)
    assert [text.partition("\n")[0] for text in said[:2]] == ["[post_grad_graphs] BEFORE POST GRAD", "[post_grad_graphs] AFTER POST GRAD"]
    assert "fxgraph.split_with_sizes" in said[0] and "fxgraph.addmm" in said[1]
    assert said[2].startswith("[inductor_metrics] {") and len(said) == 3
    caplog.clear()
    run(PRE_GRAD, SPLIT)
    assert [text.partition(" ")[0] for text in messages(caplog)] == ["[inductor_metrics]"]  # pre-grad graphs were not asked for
    fxgraph.set_logs(pass_graphs=True, rewrites=True)
    caplog.clear()
    run(PRE_GRAD, SPLIT)
    said = messages(caplog)
    assert any(text.startswith("[pass_graphs] AFTER fxgraph-splitcat-mutate-cat {'mutate_cat_pass': 1}\n") for text in said)
    assert any(text.startswith("[rewrites] made mutate-cat") for text in said)
    fxgraph.set_logs()
    caplog.clear()
    run()
    assert not messages(caplog)


def test_names_that_do_not_exist(monkeypatch):
    expected = "expected set_logs to name logs among pre_grad_graphs, .*, all but got 'output_code'"
    with pytest.raises(fxgraph.FxGraphError, match=expected):
        fxgraph.set_logs(output_code=True)
    monkeypatch.setenv("FXGRAPH_LOGS", "post_grad_graphs,fusion")
    with pytest.raises(fxgraph.FxGraphError, match="expected FXGRAPH_LOGS to name logs among .* but got 'fusion'"):
        run()


def test_environment(tmp_path):
    script = f"import fxgraph; fxgraph.Module({GRAPH!r}).run_passes({POST_GRAD!r})"
    env = {**os.environ, "FXGRAPH_LOGS": "+post_grad_graphs, rewrites", "FXGRAPH_TRACE": str(tmp_path / "trace")}
    run = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    assert "[post_grad_graphs] AFTER POST GRAD" in run.stderr and "[rewrites] made addmm" in run.stderr
    names = sorted(path.name.partition("_")[2].partition("_")[2] for path in (tmp_path / "trace").iterdir())
    assert {"before_post_grad_graph.mlir", "after_post_grad_graph.mlir", "fxgraph-splitcat-cancel_post_grad.mlir"} <= set(names)
    first = min((tmp_path / "trace").iterdir(), key=lambda path: path.name)
    assert first.name.endswith("_0000_before_post_grad_graph.mlir") and "split_with_sizes" in first.read_text()
    env["FXGRAPH_LOGS_OUT"] = str(tmp_path / "out.log")
    run = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    assert "BEFORE POST GRAD" not in run.stderr and "BEFORE POST GRAD" in (tmp_path / "out.log").read_text()


def test_torch_traces_have_the_artifacts(tmp_path):
    script = f"import torch, fxgraph; fxgraph.Module({SPLIT!r}).run_passes({PRE_GRAD!r}); import logging; logging.shutdown()"
    env = {**os.environ, "TORCH_TRACE": str(tmp_path)}
    subprocess.run([sys.executable, "-c", script], env=env, check=True)
    lines = [line for path in tmp_path.iterdir() for line in path.read_text().splitlines() if '"artifact"' in line]
    names = [name for line in lines if "pre_grad" in (name := json.loads(line[line.index("{"):])["artifact"]["name"])]
    assert names[0] == "before_pre_grad_graph" and names[-1] == "after_pre_grad_graph" and "mutate_cat_pass_pre_grad" in names
