# Every op on every case of python/tests/cases.py, compiled for the CPU (or another target), against
# PyTorch eager (bf16 and f16: within 2e-2 where PyTorch rounds elsewhere).
# REQUIRES: torch
# RUN: %torch_python %s
import os
import sys
import warnings

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "python", "tests"))
from cases import CASES  # noqa: E402
from fxgraph.importer import table  # noqa: E402
from fxgraph.testing import diff  # noqa: E402
from fxgraph.testing.batch import Batch  # noqa: E402
from test_overloads import RANDOM, arguments, needs_tensor, resolve  # noqa: E402

warnings.simplefilter("ignore")
torch.manual_seed(0)
# What draws random numbers is compared in Integration/Torch/random-numbers.py.
target_name = next((word[len("--target="):] for word in sys.argv[1:] if word.startswith("--target=")), "cpu")
names = [word for word in sys.argv[1:] if not word.startswith("--")] or sorted(set(CASES) - RANDOM)
batch, covered = Batch(), set()
for name in names:
    for case in CASES[name]:
        for signature in table.load_table()[name].signatures:
            target, call = resolve(signature.key), arguments(signature, case)
            if target is None or call is None or needs_tensor(signature.key) and not isinstance(call[0][0] if call[0] else None, torch.Tensor):
                continue
            try:
                want, after = diff.eager(target, *call)
            except Exception:
                continue  # this overload does not take the case
            module, tensors = diff.import_call(target, *call)
            if module.unknown_ops:
                continue
            loose = any(t.dtype in (torch.bfloat16, torch.float16) for t in tensors)
            tolerance = (2e-2, 2e-2) if loose else (1e-5, 1e-5)
            batch.add(f"{signature.text} {call[1]}", module, dict(zip(module.inputs, tensors)), want,
                      {n: after[id(t)] for n, t in zip(module.inputs, tensors)}, *tolerance)
            covered.add(name)
            break
wrong = batch.run(target_name)
missing = set(names) - covered
print(f"{len(batch.cases)} graphs of {len(covered)} ops, {len(wrong)} differ")
for line in wrong:
    print("  " + line[:500])
assert not missing, f"no case of {sorted(missing)} ran"
assert not wrong
