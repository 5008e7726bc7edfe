#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/Conformance/operators.md: PyTorch's operator tests by operator, dtype and engine.

The samples are those of torch.testing._internal's op_db, each a graph of one call (see
utils/opinfo-diff.py); the errors are its error_inputs. Those of the ops that PyTorch tags
`core` are python/tests/core_cases.py's. Some ten minutes; run it by hand.
"""

import argparse
import collections
import os
import sys
import warnings

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.join(ROOT, "python", "tests")]
HEAD = """<!-- Written by utils/gen-conformance.py; do not edit. -->
# PyTorch's operator tests

Samples of `torch.testing._internal` (PyTorch {version}), at most {samples} of an operator and dtype, each a graph of one call, imported at
torch level and compared with eager: values, dtypes, shapes, writes. *a / b*: a of b samples agree in the interpreter, and
*c* on the CPU where that is another number; both only where the way back to PyTorch (`to_fx`) agrees too. A sample that stays `opaque` is
not in b: PyTorch runs it. Tolerances are those of `torch.testing.assert_close`, 2e-2 for bfloat16, and for sums of products what their roundings
come to (`tolerances` in `python/fxgraph/testing/opinfo.py`). What a sample draws, all draw by one seed. `grid_sampler_2d` finds places among pixels in
float32, as PyTorch's decomposition does; eager's kernel for bfloat16 finds them in bfloat16, and so takes other nearest pixels.

{summary}

| Operator | {dtypes} | opaque |
|---|{rule}---|
"""


CORE = """
## Core ops

{mapped} of {total} ops (overloads) that PyTorch tags `core` become ops of the dialect, in every sample of `python/tests/core_cases.py`; a test
compares each with eager in the interpreter and on the CPU. With PyTorch stay:

| Op | Reason |
|---|---|
"""


def core_ops():
    """The page's part on the ops that PyTorch tags `core`."""
    from core_cases import core_overloads, imported
    reasons = {key: imported(key)[1] for key in sorted(core_overloads())}
    rest = {key: reason for key, reason in reasons.items() if reason is not None}
    return CORE.format(mapped=len(reasons) - len(rest), total=len(reasons)) + "".join(f"| `{key}` | {reason} |\n" for key, reason in rest.items())


def error_inputs(info, import_call, refused):
    """Counts what becomes of the calls that PyTorch refuses."""
    if info.error_inputs_func is None:
        return
    for error in info.error_inputs("cpu"):
        sample = error.sample_input
        try:
            info.op(sample.input, *sample.args, **sample.kwargs)
            continue  # refused on other devices or with gradients alone
        except Exception:
            pass
        try:
            module, tensors = import_call(info.op, (sample.input, *sample.args), sample.kwargs, "torch")
            if module.unknown_ops:
                refused["left to PyTorch"] += 1
                continue
            module.verify()
            module.run(dict(zip(module.inputs, tensors)), "cpu")
            refused["accepted"] += 1
        except Exception:
            refused["refused"] += 1


def main():
    import torch
    from fxgraph.testing import diff
    from fxgraph.testing.batch import Batch
    from fxgraph.testing.opinfo import run_operator, supported_operators
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("operators", nargs="*", help="names; default: all")
    parser.add_argument("--dtypes", default="float32,bfloat16,int64,bool,complex64", help="comma-separated")
    parser.add_argument("--samples", type=int, default=5, help="at most this many of an operator and dtype")
    parser.add_argument("-o", default=os.path.join(ROOT, "docs", "Conformance", "operators.md"), help="the page")
    parser.add_argument("--core", action="store_true", help="write the part on the core ops alone")
    args = parser.parse_args()
    if args.core:
        with open(args.o, encoding="utf-8") as page:
            samples = page.read().partition(CORE[:CORE.index("{")])[0]
        with open(args.o, "w", encoding="utf-8") as page:
            page.write(samples + core_ops())
        return
    dtypes, rows, totals, refused = args.dtypes.split(","), [], collections.Counter(), collections.Counter()
    warnings.simplefilter("ignore")
    whole = []
    for info in supported_operators(args.operators, everything=True):
        name, cells, opaque, failures = info.name + (f".{info.variant_test_name}" if info.variant_test_name else ""), [], 0, 0
        for dtype in dtypes:
            batch = Batch()
            outcome = run_operator(info, [getattr(torch, dtype)], args.samples, batch)
            # Those whose calls of PyTorch's, as the exporter makes them, agree.
            exported, total = len(outcome["same"]), len(outcome["same"]) + len(outcome["failed"])
            opaque += len(outcome["opaque"])
            interpreted, compiled = (exported - len(batch.run(target)) for target in ("ref", "cpu"))
            totals.update(ref=interpreted, cpu=compiled, all=total, opaque=len(outcome["opaque"]))
            failures += 2 * total - interpreted - compiled
            cell = f"{interpreted} / {total}" + (f" ({compiled})" if compiled != interpreted else "")
            cells.append(cell if total else "")
        if any(cells):
            rows.append(f"| `{name}` | {' | '.join(cells)} | {opaque or ''} |")
        elif opaque:
            whole.append(name)
        if failures:
            print(f"{name}: {failures} disagree", flush=True)
        error_inputs(info, diff.import_call, refused)
    known = refused["refused"] + refused["accepted"]
    summary = (f"{len(rows)} operators; of {totals['all']} samples {totals['ref']} agree in the interpreter and {totals['cpu']} on "
               f"the CPU; {totals['opaque']} more stay opaque. Of {known} calls that PyTorch refuses (`error_inputs`) and that have a form here, "
               f"{refused['refused']} are refused; {refused['left to PyTorch']} more are left to PyTorch.")
    with open(args.o, "w", encoding="utf-8") as page:
        page.write(HEAD.format(version=torch.__version__.partition("+")[0], samples=args.samples, summary=summary, dtypes=" | ".join(dtypes),
                               rule="---|" * len(dtypes)) + "\n".join(rows))
        page.write(f"\n\nOpaque in every sample: {', '.join(f'`{name}`' for name in whole)}.\n")
        page.write(core_ops())
    print(summary)


if __name__ == "__main__":
    main()
