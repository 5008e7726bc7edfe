# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special forms, by family; importing the package fills graph.SPECIAL and graph.BY_OP."""

from . import auto_functionalized, complex, convnorm, creation, decompose, functorch, higher_order, indexing, packed, pointwise, python, quantized, reductions, views, writes  # noqa: F401
