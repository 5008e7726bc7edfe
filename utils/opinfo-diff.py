#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports the samples of PyTorch's own operator tests and compares with eager.

Each sample of each operator of torch.testing._internal's op_db becomes a graph
of one call, is imported, and the imported graph is run on the sample's inputs.
Prints a line for each operator that fails; exit code 1 if any does.
"""

import argparse
import os
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))


def main():
    import torch
    from fxgraph.testing.batch import Batch
    from fxgraph.testing.opinfo import run_operator, supported_operators
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("operators", nargs="*", help="names; default: all that the dialect models")
    parser.add_argument("--dtypes", default="float32,int64,bool,bfloat16", help="comma-separated")
    parser.add_argument("--level", default="torch", choices=["torch", "aten"], help="the call itself, or the ATen ops that it dispatches to")
    parser.add_argument("--samples", type=int, default=12, help="at most this many of an operator and dtype")
    parser.add_argument("--all", action="store_true", help="also operators that the importer does not know: they must stay opaque")
    parser.add_argument("--list-opaque", action="store_true", help="print operators with samples that stay opaque, and why")
    parser.add_argument("--fx-opt", help="verify all imported graphs with this fx-opt")
    parser.add_argument("--run", metavar="TARGET", help="run all graphs that agree on this target, too (ref, cpu)")
    args = parser.parse_args()
    dtypes = [getattr(torch, d) for d in args.dtypes.split(",")]
    batch = Batch()
    start, totals, failed, texts = time.time(), {"same": 0, "opaque": 0, "failed": 0}, 0, []
    for info in supported_operators(args.operators, args.all):
        outcome = run_operator(info, dtypes, args.samples, batch if args.run else None, args.level)
        for key in totals:
            totals[key] += len(outcome[key])
        texts += outcome["asm"]
        name = info.name + ("." + info.variant_test_name if info.variant_test_name else "")
        if outcome["failed"]:
            failed += 1
            print(f"FAIL {name}: {len(outcome['failed'])} of {len(outcome['same']) + len(outcome['failed'])}; {outcome['failed'][0][:300]}", flush=True)
        if args.list_opaque and outcome["opaque"]:
            print(f"opaque {name}: {len(outcome['opaque'])} ({outcome['opaque'][0][:120]})")
    print(f"{totals['same']} samples agree, {totals['opaque']} stay opaque, {totals['failed']} differ, {time.time() - start:.0f} s")
    if args.fx_opt:
        import subprocess
        done = subprocess.run([args.fx_opt, "--split-input-file", "-o", os.devnull], input="\n// -----\n".join(texts), text=True, stderr=subprocess.PIPE)
        errors = [line for line in done.stderr.splitlines() if "error:" in line]
        print(f"fx-opt: {len(texts)} graphs, {len(errors)} errors")
        for line in errors[:100]:
            print("  " + line[:300])
        failed += bool(errors)
    if args.run:
        wrong = batch.run(args.run)
        print(f"{args.run}: {len(batch.cases)} graphs, {len(wrong)} differ")
        for line in wrong[:200]:
            print("  " + line[:400])
        failed += bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
