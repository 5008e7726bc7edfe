# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Back to PyTorch: graphs as calls of torch.ops."""

from .graph import evaluate, to_fx

__all__ = ["evaluate", "to_fx"]
