# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The graphs behind autodiff: models as AOTAutograd hands them to Inductor for inference go
# through fxgraph-joint-graph and fxgraph-post-grad, and through Inductor's own passes. Values,
# dtypes and shapes are eager's in the interpreter, and mode=best leaves no more ops than
# Inductor. Fails for a wrong value, for a model that could not be compared, for more ops than
# Inductor's, and where nothing was compared.
#
#   post_grad.py NAME…      these models, each of which must be modelled whole
#   post_grad.py --all      all of the zoo; what is not modelled whole is only counted
#   post_grad.py            the zoo's first models, likewise
#
# REQUIRES: torch
# RUN: %torch_python %s dlrm twotower gpt2 | FileCheck %s
# CHECK: more ops than Inductor: none
# CHECK-NEXT: 3 of 3 models compared, 0 wrong
import argparse
import copy
import sys
import warnings

import torch
import torch.utils._pytree as pytree

import fxgraph
from fxgraph.testing.inductor import count_ops, inference_graph, run_aten_passes
from fxgraph.testing.zoo import ZOO

JOINT = "fxgraph-joint-graph{mode=%s},fxgraph-post-grad{mode=%s}"


def count(module):
    """Ops that compute: what FX writes as no call does not count."""
    return sum(n for op, n in module.op_counts().items() if op.startswith("fxgraph.") and op not in ("fxgraph.constant", "fxgraph.copy_"))


def compare(got, want):
    """None, or what differs."""
    if len(got) != len(want):
        return f"expected {len(want)} results but got {len(got)}"
    for place, (mine, theirs) in enumerate(zip(got, want)):
        try:
            torch.testing.assert_close(mine, theirs, equal_nan=True, rtol=2e-4, atol=2e-5) if theirs.dtype == torch.float32 else \
                torch.testing.assert_close(mine, theirs, equal_nan=True)
        except AssertionError as error:
            return f"result {place}: {' '.join(str(error).split())[:200]}"
    return None


def check(name):
    """(ops as captured, {who: ops left}, None or what is wrong)."""
    model, calls = ZOO[name].make(0)
    args, kwargs = calls[0]
    if isinstance(model, torch.nn.Module):
        model = model.eval()
    graph, arguments = inference_graph(lambda *a: model(*a, **kwargs), args)
    arguments = [a.detach() if isinstance(a, torch.Tensor) else a for a in arguments]
    with torch.no_grad():
        want = [x for x in pytree.tree_leaves(graph(*copy.deepcopy(arguments))) if isinstance(x, torch.Tensor)]
    module = fxgraph.from_fx(graph, arguments)
    if module.unknown_ops:
        return count_ops(graph), {}, None
    left = {"Inductor": count_ops(run_aten_passes(run_aten_passes(graph, "joint")[0], "post")[0])}
    for mode in ("inductor", "best"):
        ours = module.clone()
        ours.run_passes(JOINT % (mode, mode))
        left[mode] = count(ours)
        got = [x for x in ours.run([x.clone() if isinstance(x, torch.Tensor) else x for x in arguments], target="ref") if isinstance(x, torch.Tensor)]
        wrong = compare(got, want)
        if wrong:
            return count_ops(graph), left, f"{mode}: {wrong}"
    return count_ops(graph), left, None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", choices=[[], *ZOO], metavar="NAME")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    names = list(ZOO) if options.all else options.names or list(ZOO)[:8]
    warnings.simplefilter("ignore")
    wrong, compared, more = [], 0, []
    for name in names:
        try:
            ops, left, problem = check(name)
        except Exception as error:
            wrong.append(f"{name}: not compared: {type(error).__name__} {' '.join(str(error).split())[:160]}")
            continue
        if not left:
            print(f"{name}: {ops} ops, some of them not modelled", flush=True)
            if options.names:
                wrong.append(f"{name}: expected a graph of known ops")
            continue
        print(f"{name}: {ops} ops, {', '.join(f'{who} {n}' for who, n in left.items())}", flush=True)
        compared += 1
        if problem:
            wrong.append(f"{name}: {problem}")
        elif left["best"] > left["Inductor"]:
            more.append(name)
    print(*wrong, sep="\n")
    print(f"more ops than Inductor: {', '.join(more) or 'none'}")
    print(f"{compared} of {len(names)} models compared, {len(wrong)} wrong")
    sys.exit(bool(wrong or more or not compared))


main()
