# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared fixtures: the tools, if they are built."""

import os
import sys

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import fxgraph  # noqa: E402


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


def assert_all_verify(texts):
    """All graphs that the tests of a file have gathered are valid."""
    assert texts, "expected graphs of the tests before this one"
    wrong = []
    for text in texts:
        try:
            fxgraph.Module(text).verify()
        except fxgraph.ToolError as error:
            wrong.append(str(error))
    assert not wrong, "\n".join(wrong[:10])


def assert_all_run(batch, targets=("ref",)):
    """Each target gives PyTorch's results of all graphs in a batch.Batch."""
    assert batch.cases, "expected graphs of the tests before this one"
    for target in targets:
        wrong = batch.run(target)
        assert not wrong, f"{target}, {len(wrong)} of {len(batch.cases)}:\n" + "\n".join(wrong[:20])
