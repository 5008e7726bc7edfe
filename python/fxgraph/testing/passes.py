# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All graph passes and pipelines of the library, from the tool's own registry."""

import os
import re
import subprocess
import sys

import fxgraph
from fxgraph.runtime import find_tool

NORMALIZE = "fxgraph-normalize"
# Passes after which a graph has ops that PyTorch lacks.
LEAVING = ("fxgraph-assign-layouts", "fxgraph-form-kernels")
# Options under which a pass fires more often, each where the pass has it.
EAGER = ("min-fuse-set-size=2", "threshold-to-cat=2")


def _say(*arguments):
    return subprocess.run([find_tool("fx-opt"), *arguments], capture_output=True, text=True, check=True).stdout


def nested(*passes):
    return f"builtin.module(func.func({','.join(passes)}))"


def _exists(pipeline):
    try:
        fxgraph.Module("func.func @empty() { return }").run_passes(pipeline)
    except fxgraph.ToolError:
        return False
    return True


def list_passes():
    """The names of the passes that run on a function and leave a graph."""
    names = re.findall(r"^\s+--(fxgraph-\S+)\s", _say("--list-passes"), re.M)
    # Test passes are wrong on purpose.
    return [name for name in names if not name.startswith("fxgraph-test-") and name not in LEAVING and _exists(nested(name))]


def list_pipelines():
    """{name in a table: pipeline}: each pass on a graph as it is and after normalisation, and the pipelines."""
    pipelines = {}
    for name in list_passes():
        for variant in (name, *(f"{name}{{{option}}}" for option in EAGER)):
            if variant == name or _exists(nested(variant)):
                pipelines[variant] = nested(variant)
                if name != NORMALIZE:
                    pipelines["normalize, " + variant] = nested(NORMALIZE, variant)
    for name in re.findall(r"^\s+--(fxgraph-(?:pre-grad|pre-dispatch|joint-graph|freezing|post-grad))\s", _say("--help"), re.M):
        for options in ("", "{numerics=exact}", "{numerics=relaxed}"):
            pipelines[name + options] = f"builtin.module({name}{options})"
    for name in ("fxgraph-pre-grad", "fxgraph-joint-graph", "fxgraph-post-grad"):
        pipelines[name + "{mode=best}"] = f"builtin.module({name}{{mode=best}})"
    return pipelines


def keep_stdout():
    """Python's prints alone: what passes print in this process, such as fusion plans, goes nowhere."""
    sys.stdout = os.fdopen(os.dup(1), "w")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)
