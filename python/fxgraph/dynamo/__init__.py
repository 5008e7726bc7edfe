# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(model, backend="fxgraph").

An installed package is found by its entry point. In a source tree that is not installed,
importing this module makes the backend known.
"""

import torch._dynamo

from .backend import fxgraph
from .report import GraphStats, reset_stats, stats

__all__ = ["GraphStats", "fxgraph", "reset_stats", "stats"]

if fxgraph.__name__ not in torch._dynamo.list_backends(exclude_tags=None):
    torch._dynamo.register_backend(fxgraph, name=fxgraph.__name__)
