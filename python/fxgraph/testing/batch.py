# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imported graphs with PyTorch's results, to be run on several targets and after passes."""

from . import diff
from ..errors import FxGraphError
from ..outputs import result_of


class Batch:
    """Graphs with their inputs and PyTorch's results."""

    def __init__(self):
        self.cases = []

    def add(self, label, module, tensors, want, after=(), rtol=None, atol=None):
        """`tensors`: all arguments by name; `want`: flat results; `after`: {argument: value after the call}."""
        self.cases.append((label, module.clone(), dict(tensors), list(want), dict(after), rtol, atol))

    def run(self, target="ref", pipeline=None):
        """["label: what is wrong", …], of the graphs as they are or after a pass pipeline."""
        wrong = []
        for label, module, tensors, want, after, rtol, atol in self.cases:
            changed = {name: tensor.detach().contiguous().clone() for name, tensor in tensors.items()}
            try:
                if pipeline:
                    module = module.clone()
                    module.run_passes(pipeline)
                results = module.run(changed, target)
            except FxGraphError as error:
                wrong.append(f"{label}: {str(error)[:300]}")
                continue
            problem = self.compare(module, results, changed, want, after, rtol, atol)
            if problem:
                wrong.append(f"{label}: {problem}")
        return wrong

    @staticmethod
    def compare(module, results, changed, want, after, rtol, atol):
        # None is no result of PyTorch's that is compared.
        made = [(entry, value) for entry, value in zip(module.outputs, results, strict=True) if entry is not None]
        for (entry, value), expected in zip(made, want):
            problem = None if result_of(entry) is None else diff.compare(value, expected, rtol, atol)
            if problem:
                return f"result {entry}: {problem}"
        for name, expected in after.items():
            problem = diff.compare(changed[name], expected, rtol, atol)
            if problem:
                return f"{name} after the call: {problem}"
        return None
