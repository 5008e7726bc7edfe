# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that the dialect has and PyTorch's dispatcher would take apart.

linear, matmul, layer_norm, scaled_dot_product_attention and their like are "composite
implicit": by the time a graph is traced they are transposes and products. The dialect's
passes look for them as they were written, so they stay whole, as in torch.export.
"""

import contextlib
import functools

import torch
from torch._export.utils import _collect_all_valid_cia_ops_for_aten_namespace, _special_op_to_preserve_cia
from torch.export.exported_program import _override_composite_implicit_decomp

from ..importer import graph, table
from ..importer.handlers import decompose


@functools.lru_cache(maxsize=None)
def kept_whole():
    """The composite functional ATen ops that are ops of the dialect, not only decompositions into some."""

    def known(op):
        if any(str(result.type) != "Tensor" for result in op._schema.returns):
            return False  # sizes and elements are numbers of the trace
        key = graph.callable_key(op)
        return key in table.signatures_by_key() or graph.SPECIAL.get(key, decompose.lower) is not decompose.lower

    return frozenset(op for op in _collect_all_valid_cia_ops_for_aten_namespace() if known(op))


@contextlib.contextmanager
def kept():
    """While a graph is traced: the dispatcher takes none of them apart."""
    with _override_composite_implicit_decomp({op: _special_op_to_preserve_cia for op in kept_whole()}):
        yield
