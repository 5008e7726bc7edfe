# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch to fxgraph: see graph.py for how a graph is walked, capture.py for the entry points."""

from .capture import capture, from_exported, from_fx, load

__all__ = ["capture", "from_exported", "from_fx", "load"]
