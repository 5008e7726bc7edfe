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


@pytest.fixture(scope="session")
def fx_opt():
    path = tool("fx-opt")
    if not path:
        pytest.skip("fx-opt is not built")
    return path


@pytest.fixture(scope="session")
def fx_run():
    path = tool("fx-run")
    if not path:
        pytest.skip("fx-run is not built")
    return path


def verify_all(fx_opt, texts):
    """Diagnostics of fx-opt on many graphs in one call."""
    done = subprocess.run([fx_opt, "--split-input-file", "-o", os.devnull], input="\n// -----\n".join(texts), text=True, stderr=subprocess.PIPE)
    return [line for line in done.stderr.splitlines() if "error:" in line] or ([done.stderr] if done.returncode else [])
