# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The captures in test/Models are what capturing again gives, and compute what PyTorch does."""

import os

import pytest
import torch
from safetensors.torch import load_file

import fxgraph
from fxgraph.exporter import evaluate
from fxgraph.testing import diff
from fxgraph.testing.models import MODELS, capture_model

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "test", "Models")


def stored(name, level):
    with open(os.path.join(FOLDER, f"{name}.{level}.mlir")) as stream:
        return stream.read()


@pytest.mark.parametrize("name", sorted(MODELS))
def test_capture_again(name):
    """The same text and the same weights (utils/capture-models.py writes them)."""
    modules, tensors = capture_model(name)
    for level, module in modules.items():
        assert module.asm == stored(name, level), f"{name}.{level}.mlir is stale: run utils/capture-models.py"
        assert not module.unknown_ops
        module.weights  # in the file below
    kept = load_file(os.path.join(FOLDER, f"{name}.safetensors"))
    assert sorted(kept) == sorted(tensors)
    for key, tensor in tensors.items():
        if key.startswith("out"):
            torch.testing.assert_close(kept[key], tensor, rtol=1e-4, atol=1e-5)  # kernels differ by machine
        else:
            assert torch.equal(kept[key], tensor.detach()), key


@pytest.mark.parametrize("level", ["torch", "aten"])
@pytest.mark.parametrize("name", sorted(MODELS))
def test_graph_computes_the_model(name, level):
    tensors = load_file(os.path.join(FOLDER, f"{name}.safetensors"))
    results, written = evaluate(stored(name, level), tensors)
    assert results and not written
    for i, result in enumerate(results):
        assert diff.compare(result, tensors[f"out{i}"], 1e-3, 1e-4) is None


@pytest.mark.parametrize("name", sorted(MODELS))
def test_interpreter_computes_the_model(name):
    for level in ("torch", "aten"):
        tensors = load_file(os.path.join(FOLDER, f"{name}.safetensors"))
        module = fxgraph.load(os.path.join(FOLDER, f"{name}.{level}.mlir"))
        arguments = [info.name for info in module.compile("ref").signature[0]]
        for i, result in enumerate(module.run({argument: tensors[argument] for argument in arguments})):
            torch.testing.assert_close(result, tensors[f"out{i}"], rtol=1e-3, atol=1e-4)


def test_towers_are_parameterised():
    modules, _ = capture_model("towers", ("torch",), n=5)
    counts = modules["torch"].op_counts()
    assert counts["fxgraph.layer_norm"] == 5 and counts["fxgraph.linear"] == 7


def test_another_seed_is_noticed():
    """The comparison above can fail: other weights are other tensors."""
    model, _ = MODELS["towers"]()
    kept = load_file(os.path.join(FOLDER, "towers.safetensors"))
    torch.manual_seed(99)
    other = type(model)()
    assert torch.equal(model.linears[0].weight, kept["linears.0.weight"])
    assert not torch.equal(other.linears[0].weight, kept["linears.0.weight"])
