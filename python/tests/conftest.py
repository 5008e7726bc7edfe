# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared fixtures: the tools, if they are built."""

import os
import subprocess
import sys

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def tool(name):
    from fxgraph.errors import ToolError
    from fxgraph.runtime import find_tool
    try:
        return find_tool(name)
    except ToolError:
        return None


def tool_or_skip(name):
    path = tool(name)
    if not path:
        pytest.skip(f"{name} is not built")
    return path


@pytest.fixture(scope="session")
def fx_opt():
    return tool_or_skip("fx-opt")


@pytest.fixture(scope="session")
def fx_run():
    return tool_or_skip("fx-run")


def assert_all_verify(fx_opt, texts):
    """fx-opt takes all graphs that the tests of a file have gathered, in one call."""
    assert texts, "expected graphs of the tests before this one"
    done = subprocess.run([fx_opt, "--split-input-file", "-o", os.devnull], input="\n// -----\n".join(texts), text=True, stderr=subprocess.PIPE)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    assert not errors and done.returncode == 0, "\n".join(errors[:10]) or done.stderr


def assert_all_run(fx_run, batch, targets=("ref",)):
    """Each target gives PyTorch's results of all graphs in a batch.Batch, in one call of fx-run."""
    assert batch.cases, "expected graphs of the tests before this one"
    for target in targets:
        wrong = batch.run(fx_run, target)
        assert not wrong, f"{target}, {len(wrong)} of {len(batch.cases)}:\n" + "\n".join(wrong[:20])
