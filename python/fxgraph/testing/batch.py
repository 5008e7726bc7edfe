# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many imported graphs in one call of fx-run.

Each graph becomes one function of one module; tensors are named
<function>/<name>. What the interpreter returns is compared with PyTorch's.
"""

import os
import re
import subprocess
import tempfile

from . import diff
from ..outputs import restore, result_of
from ..runtime import driver


class Batch:
    """Graphs with their inputs and PyTorch's results."""

    def __init__(self):
        self.cases = []

    def add(self, label, module, tensors, want, after=(), rtol=None, atol=None):
        """`tensors`: all arguments by name; `want`: flat results; `after`: {argument: value after the call}."""
        self.cases.append((label, module, dict(tensors), list(want), dict(after), rtol, atol))

    def text(self):
        bodies = []
        for i, (_, module, *_rest) in enumerate(self.cases):
            body = module.asm.split("\n", 1)[1].rsplit("\n}", 1)[0]
            bodies.append(body.replace("func.func @main(", f"func.func @case{i}(", 1))
        return "module {\n" + "\n".join(bodies) + "\n}\n"

    def run(self, fx_run, target="ref", pipeline=None):
        """["label: what is wrong", …], of the graphs as they are or after a pass pipeline."""
        from safetensors.torch import load_file, save_file
        with tempfile.TemporaryDirectory(prefix="fxgraph-") as folder:
            model, source, result = (os.path.join(folder, n) for n in ("all.mlir", "in.safetensors", "out.safetensors"))
            with open(model, "w") as stream:
                stream.write(driver().run_passes(self.text(), pipeline)[0] if pipeline else self.text())
            inputs = {f"case{i}/{n}": v.detach().contiguous().clone() for i, case in enumerate(self.cases) for n, v in case[2].items()}
            save_file(inputs, source)
            done = subprocess.run([fx_run, model, "--entry=*", "--keep-going", f"--target={target}", f"--inputs={source}", "-o", result],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            got = load_file(result) if os.path.exists(result) else {}
        wrong = []
        if not got:
            return [f"fx-run wrote nothing: {done.stderr[:2000]}"]
        for i, case in enumerate(self.cases):
            problem = self.compare(i, case, got)
            if problem:
                said = [line for line in done.stderr.splitlines() if re.search(rf"\bcase{i}\b", line)]
                wrong.append(f"{case[0]}: {problem} {' '.join(said)[:300]}")
        return wrong

    @staticmethod
    def compare(i, case, got):
        _, module, tensors, want, after, rtol, atol = case
        at = 0
        for entry in module.outputs:
            if entry is None:
                continue
            expected = want[at]
            at += 1
            number = result_of(entry)
            if number is None:
                continue
            value = got.get(f"case{i}/out{number}")
            if value is None:
                return "no result"
            value, = restore([entry], {number: value})
            problem = diff.compare(value, expected, rtol, atol)
            if problem:
                return f"result {entry}: {problem}"
        for name, expected in after.items():
            # What is not written comes out of no run.
            problem = diff.compare(got.get(f"case{i}/{name}", tensors[name]), expected, rtol, atol)
            if problem:
                return f"{name} after the call: {problem}"
        return None
