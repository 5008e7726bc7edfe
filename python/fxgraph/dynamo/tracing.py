# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which ops stay whole while AOTAutograd traces a graph, and which are taken apart.

linear, matmul, layer_norm, scaled_dot_product_attention and their like are "composite
implicit": by the time a graph is traced PyTorch's dispatcher has made transposes and
products of them. The dialect's passes look for them as they were written, so they stay
whole, as in torch.export. The other way round, ops that the dialect lacks are replaced by
PyTorch's own definition in ops that it has.
"""

import contextlib
import functools

import torch
from torch._decomp import core_aten_decompositions, get_decompositions
from torch._export.utils import _collect_all_valid_cia_ops_for_aten_namespace, _special_op_to_preserve_cia
from torch.export.exported_program import _override_composite_implicit_decomp

from ..importer import graph, table
from ..importer.handlers import decompose

aten = torch.ops.aten
# Beside what imports take apart: type_as is its operand where the dtypes are equal.
TAKEN_APART = decompose.TAKEN_APART | {"type_as"}
# Defined by PyTorch although not in its core list; of the batch norm the dialect has the first result.
MORE = [aten.grid_sampler_2d.default, aten.tril_indices.default, aten.triu_indices.default,
        aten.upsample_bicubic2d.default, aten.upsample_trilinear3d.default, aten._native_batch_norm_legit_functional.default]


def is_known(op):
    """True if the dialect has the op, and not only the ops that it is made of."""
    key = graph.callable_key(op)
    return key in table.signatures_by_key() or graph.SPECIAL.get(key, decompose.lower) is not decompose.lower


@functools.lru_cache(maxsize=None)
def kept_whole():
    """The composite functional ATen ops that the dialect has. Sizes and elements are numbers of the trace, not results."""
    return frozenset(op for op in _collect_all_valid_cia_ops_for_aten_namespace()
                     if is_known(op) and op.overloadpacket.__name__ not in TAKEN_APART
                     and all(str(result.type) == "Tensor" for result in op._schema.returns))


def _einsum(equation, operands, **options):
    """Whole, but for one operand, of which the result may be a view: its schema does not say so."""
    if len(operands) > 1:
        return NotImplemented
    return aten.einsum.default._op_dk(torch._C.DispatchKey.CompositeImplicitAutograd, equation, operands, **options)


@contextlib.contextmanager
def kept():
    """While a graph is traced: the dispatcher takes none of them apart."""
    choices = {op: _special_op_to_preserve_cia for op in kept_whole()}
    choices[aten.einsum.default] = _einsum
    with _override_composite_implicit_decomp(choices):
        yield


@functools.lru_cache(maxsize=None)
def decompositions():
    """{op: PyTorch's definition} of functional ops that the importer does not know.

    Not of views, whose results would no longer share memory, and not of random ops, whose definitions draw other numbers.
    """
    def replaced(op):
        return (isinstance(op, torch._ops.OpOverload) and op.namespace == "aten" and graph.callable_key(op) not in graph.SPECIAL
                and not is_known(op) and not op._schema.is_mutable and not op.is_view and not op._can_decompose()
                and torch.Tag.nondeterministic_seeded not in op.tags)

    return {**{op: definition for op, definition in core_aten_decompositions().items() if replaced(op)}, **get_decompositions(MORE)}
