# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch's function returns, from the results of the graph's function.

`Module.outputs` has an entry for each of PyTorch's flat outputs:

    number k           result k, a tensor
    ("argument", name) the argument itself: the graph returns what it was given
    (type, k)          result k as a Python number: ("int", k), ("float", k), ("bool", k)
    ("python", value)  a value that does not depend on the inputs
    None               None
"""

NUMBERS = {"int": int, "float": float, "bool": bool}


def result_of(entry):
    """Number of the function's result that an entry is made of, or None."""
    if isinstance(entry, tuple):
        return entry[1] if entry[0] in NUMBERS else None
    return entry


def restore(entries, results, inputs=(), names=()):
    """PyTorch's flat outputs; `results` is indexed by the results' numbers, `inputs` have `names`."""
    flat = []
    for entry in entries:
        if isinstance(entry, tuple):
            kind, value = entry
            if kind == "argument":
                flat.append(inputs[names.index(value)])
            else:
                flat.append(NUMBERS[kind](results[value]) if kind in NUMBERS else value)
        else:
            flat.append(None if entry is None else results[entry])
    return flat
