# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fxgraph: PyTorch FX graph passes as MLIR.

Importing this package does not import torch; the functions that take or make
torch objects do, when they are called.
"""

from .errors import FxGraphError, ImportFailure, ToolError, UnknownOpsError
from .logs import counters, set_logs
from .module import Module, Report
from .pipelines import post_grad_pipeline, pre_grad_pipeline, quote_option
from .runtime import Executable, ProcessGroup, load_executable

__version__ = "0.1.0"
__all__ = ["Executable", "FxGraphError", "ImportFailure", "Module", "ProcessGroup", "Report", "ToolError", "UnknownOpsError", "capture", "counters", "from_exported", "from_fx", "load", "load_executable", "post_grad_pipeline", "pre_grad_pipeline", "quote_option", "set_logs"]


def load(path, **options):
    """Loads a graph: .mlir or .mlirbc as it is, .pt2 by import (needs torch)."""
    from .module import require_file
    path = require_file(path)
    if path.endswith(".pt2"):
        from .importer import load as load_exported
        return load_exported(path, **options)
    return Module.load(path)


def capture(model, *args, **kwargs):
    """Captures a model on example arguments; see importer.capture."""
    from .importer import capture as implementation
    return implementation(model, *args, **kwargs)


def from_exported(ep, **options):
    """Imports a torch.export.ExportedProgram (ATen level)."""
    from .importer import from_exported as implementation
    return implementation(ep, **options)


def from_fx(gm, example_inputs=(), **options):
    """Imports a torch-level fx.GraphModule, as Dynamo hands it to a backend."""
    from .importer import from_fx as implementation
    return implementation(gm, example_inputs, **options)
