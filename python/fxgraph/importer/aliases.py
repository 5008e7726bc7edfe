# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Second names of PyTorch's callables: NumPy's, those of torch.special and torch.linalg, Python's operators as ATen ops.

PyTorch has no list of them that a program could read; a test goes through its
documentation and its own tests' list, and fails for each that is missing here.
"""

import functools

import torch

from .table import load_table

# Of callables that are no op's: handlers and PyTorch's own decompositions import them. ODS has those of ops (`torchAliases`).
OTHER_NAMES = {
    "row_stack": "vstack", "ger": "outer", "trapz": "trapezoid", "special_sinc": "sinc", "special_logit": "logit", "special_xlogy": "xlogy"}
# The modules of torch's functions that are ATen ops, and what ATen puts before their names.
MODULES = {"": "", "special": "special_", "linalg": "linalg_", "_C._special": "", "_C._linalg": ""}


@functools.lru_cache(maxsize=None)
def first_names():
    """{ATen's name, or the method's: the name that the op table has}."""
    names = dict(OTHER_NAMES)
    for op in load_table().values():
        for alias in op.aliases:
            second, _, first = alias.partition(": ")
            names[second] = first or op.name
    return names


def first_name(key):
    """(owner, first name, what follows) of a callable's key under a second name, or None."""
    owner, _, rest = key.partition(".")
    if owner == "torch":
        module, _, name = rest.rpartition(".")
        name, overload = MODULES.get(module, ".") + name, []
    elif owner in ("aten", "Tensor"):
        name, *overload = rest.split(".")
    else:
        return None
    first = first_names().get(name)
    return None if first is None else (owner, first, overload)


def _takes(first, second):
    """True if an overload takes what another one takes: a parameter that only a keyword gives may have a place, too."""
    pairs = list(zip(first._schema.arguments, second._schema.arguments))
    return (len(first._schema.arguments) == len(second._schema.arguments) and first._schema.is_mutable == second._schema.is_mutable
            and all(str(mine.type) == str(other.type) and mine.kwarg_only <= other.kwarg_only for mine, other in pairs))


def first_overload(overload, name):
    """The overload of ATen's `name` that takes what another op's takes; None if there is none."""
    packet = getattr(torch.ops.aten, name, None)
    twins = [] if packet is None else [getattr(packet, twin) for twin in packet.overloads()]
    return next((twin for twin in twins if _takes(twin, overload)), None)


def renamed(overload, first, kwargs):
    """Keyword arguments of an overload by the names that another one has for them."""
    names = {mine.name: other.name for mine, other in zip(overload._schema.arguments, first._schema.arguments)}
    return {names[key]: value for key, value in kwargs.items()}
