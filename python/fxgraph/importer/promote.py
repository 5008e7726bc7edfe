# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Type promotion made explicit.

An op's `promotion` (FxGraphBase.td) says how PyTorch makes its operands agree;
the rules themselves are torch's own (`torch._prims_common.elementwise_dtypes`).
What the rules ask for becomes `fxgraph.convert_element_type`. Python numbers
become rank-0 constants of f64 or i64 (wrapped numbers), unless the dialect's
inference would then choose another dtype: then they are made of the right one.
"""

import torch
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND as KIND
from torch._prims_common import elementwise_dtypes

from . import dtypes, ir
from .tracker import Tensor

KINDS = {"default": KIND.DEFAULT, "int_to_float": KIND.INT_TO_FLOAT, "compare": KIND.DEFAULT}


def is_wrapped(type_, dtype):
    """The dialect's isWrappedNumberFor: a rank-0 f64/i64 beside its category."""
    if type_.rank != 0:
        return False
    if type_.dtype == "f64":
        return ir.is_float(dtype)
    return type_.dtype == "i64" and (ir.is_float(dtype) or dtype in ir.INT_TYPES)


def unify(types):
    """The dialect's unifyElementTypes: the common dtype, or None."""
    for candidate in types:
        element = candidate.dtype
        fits = all(t.dtype == element or is_wrapped(t, element) for t in types)
        beaten = any(t.dtype != element and is_wrapped(candidate, t.dtype) for t in types)
        if fits and not beaten:
            return element
    return None


def common_dtype(kind, items):
    """PyTorch's result dtype (an MLIR element type) of tensors and numbers."""
    from .graph import Unsupported
    plain = [x.fake if isinstance(x, Tensor) else x for x in items]
    if any(isinstance(x, complex) for x in plain):
        raise Unsupported("complex numbers are not modelled")
    if any(isinstance(x, torch.SymBool) for x in plain):
        raise Unsupported("a symbolic bool as an operand is not modelled")
    # Symbolic numbers promote as Python numbers do.
    plain = [1 if isinstance(x, torch.SymInt) else 1.0 if isinstance(x, torch.SymFloat) else x for x in plain]
    _, dtype = elementwise_dtypes(*plain, type_promotion_kind=KINDS[kind])
    return dtypes.mlir_dtype(dtype)


def number(importer, value, dtype):
    """A Python number beside operands of `dtype`, as a wrapped number if possible."""
    if isinstance(value, (torch.SymInt, torch.SymFloat)):
        return importer.symbols.number(value)
    if dtype == "i1":
        return importer.constant(bool(value), "i1")
    if isinstance(value, bool):
        value = int(value)
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            from .graph import Unsupported
            raise Unsupported("an integer beyond 64 bits is not modelled")
        return importer.constant(value, "i64")
    return importer.constant(value, "f64")


def scalar(importer, value, dtype):
    """A number, of Python or symbolic, as a rank-0 tensor of the dtype."""
    from .graph import Unsupported
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return importer.cast(importer.symbols.number(value), dtype)
    if not isinstance(value, (bool, int, float)) or dtype.startswith("complex"):
        raise Unsupported("the value is not a real number")
    return importer.constant(_exact(value, dtype), dtype)


def agree(importer, items, dtype):
    """Values of tensors and numbers which the dialect unifies to `dtype`."""
    from .graph import Unsupported
    if dtype.startswith("complex"):
        raise Unsupported("complex arithmetic is not modelled")
    values = []
    for item in items:
        if isinstance(item, (Tensor, ir.Value)):
            value = importer.value(item)
            if value.type.dtype != dtype and not is_wrapped(value.type, dtype):
                value = importer.cast(value, dtype)
            values.append(value)
        else:
            values.append(number(importer, item, dtype))
    if unify([v.type for v in values]) != dtype:
        values = [importer.cast(importer.value(item), dtype) if isinstance(item, (Tensor, ir.Value))
                  else importer.cast(importer.symbols.number(item), dtype) if isinstance(item, (torch.SymInt, torch.SymFloat))
                  else importer.constant(_exact(item, dtype), dtype) for item in items]
    return values


def _exact(value, dtype):
    """A number as the dtype holds it."""
    if dtype == "i1":
        return bool(value)
    tensor = torch.tensor(value, dtype=dtypes.MLIR_TO_TORCH[dtype])
    return tensor.item()


def operands(importer, call):
    """(operands in the table's order, the dtype they agree on or None)."""
    from .graph import Unsupported
    op = call.op
    raw = [call.bound.get(spec["name"]) for spec in op.operands]
    if op.promotion in KINDS:
        chosen = [i for i, spec in enumerate(op.operands) if spec["type"] != "bool"]
        if any(raw[i] is None for i in chosen):
            raise Unsupported("expected a tensor or a number")
        dtype = common_dtype(op.promotion, [raw[i] for i in chosen])
        for i, value in zip(chosen, agree(importer, [raw[i] for i in chosen], dtype)):
            raw[i] = value
        for i, spec in enumerate(op.operands):
            if i not in chosen:
                raw[i] = importer.cast(importer.value(raw[i]), "i1")
        return raw, dtype
    target = None
    if op.promotion == "result":
        target = dtypes.mlir_dtype(call.fake.dtype)
    elif op.promotion == "contraction" and isinstance(call.fake, torch.Tensor):
        target = dtypes.mlir_dtype(call.fake.dtype)
        if not ir.is_float(target):
            target = None
    result = []
    for spec, item in zip(op.operands, raw):
        if spec["arity"] == "variadic" and spec["type"] != "index":
            items = [importer.value(x) for x in (item or ())]
            result.append([importer.cast(v, target) for v in items] if target else items)
        elif spec["arity"] == "variadic":
            result.append(list(item or ()))
        elif item is None:
            result.append(None)
        else:
            value = importer.value(item)
            if target and ir.is_float(value.type.dtype) | (op.promotion == "result"):
                value = importer.cast(value, target)
            result.append(value)
    return result, None


def result_types(op, operands_, wanted, dtype):
    """The types that the dialect infers: the wanted dims with the inferred dtype."""
    if op.promotion == "compare":
        return [w.with_dtype("i1") for w in wanted]
    if dtype is not None:
        return [w.with_dtype(dtype) for w in wanted]
    first = next((o for o in operands_ if isinstance(o, ir.Value)), None)
    if op.promotion == "accumulate" and first is not None:
        element = first.type.dtype
        return [w.with_dtype("i64" if element == "i1" or element in ir.INT_TYPES else element) for w in wanted]
    return wanted
