# Models of many kinds under torch.compile(model, backend="fxgraph"), on the CPU, against eager mode: results, writes
# to arguments and buffers, dtypes and strides are the same. Without arguments a few of them; --all runs all, --table=FILE
# writes what was compiled of each (docs/Conformance/torch-compile.md).
# REQUIRES: torch
# RUN: %torch_python %s | FileCheck %s
# CHECK: 10 models, 0 wrong
import argparse
import concurrent.futures
import contextlib
import copy
import logging
import multiprocessing
import sys
import time
import warnings

import torch
import torch.utils._pytree as pytree

import fxgraph.dynamo
from fxgraph.testing.zoo import ZOO

FEW = ("bert", "cached_decoder", "channels_last_cnn", "training_mode_cnn", "dlrm", "spectrogram_classifier", "graph_convolution",
       "kalman_filter", "sliced_writes", "dropout_in_training")
# (rtol, atol): the same sums in another order.
TOLERANCES = {torch.float64: (1e-7, 1e-8), torch.float32: (1e-3, 1e-4), torch.bfloat16: (4e-2, 4e-2), torch.float16: (1e-2, 1e-2)}


def difference(got, want, where, precision):
    """None, or how a value of the compiled model differs."""
    if not isinstance(want, torch.Tensor):
        return None if type(got) is type(want) and got == want else f"{where}: expected {want!r} but got {got!r}"
    for what, have, need in (("dtype", got.dtype, want.dtype), ("shape", got.shape, want.shape), ("strides", got.stride(), want.stride())):
        if have != need:
            return f"{where}: expected {what} {need} but got {have}"
    rtol, atol = TOLERANCES.get(precision if precision and want.is_floating_point() else want.dtype, (0, 0))
    try:
        torch.testing.assert_close(got, want, rtol=rtol, atol=atol, equal_nan=True)
    except AssertionError as error:
        return f"{where}: " + " ".join(str(error).split())


class EagerFailure(Exception):
    """The model does not run in eager mode: tensors that it makes lie elsewhere, or the device lacks an op."""


def state_of(model):
    return {**dict(model.named_parameters()), **dict(model.named_buffers())} if isinstance(model, torch.nn.Module) else {}


def wrong(entry, options, device):
    """None, or what is wrong with a model under the backend."""
    model, calls = entry.make()
    if device != "cpu":
        torch.backends.cudnn.allow_tf32 = False  # in eager mode; compiled graphs compute in f32
        model = model.to(device) if isinstance(model, torch.nn.Module) else model
        calls = pytree.tree_map(lambda value: value.to(device) if isinstance(value, torch.Tensor) else value, calls)
    compiled_model = copy.deepcopy(model)
    torch._dynamo.reset()
    compiled = torch.compile(compiled_model, backend="fxgraph", options=options)
    for number, call in enumerate(calls):
        results, arguments = [], []
        for function in (model, compiled):
            args, kwargs = copy.deepcopy(call)
            torch.manual_seed(number)
            with torch.no_grad():
                try:
                    results.append(pytree.tree_leaves(function(*args, **kwargs)))
                except Exception as error:
                    if function is model:
                        raise EagerFailure(f"{type(error).__name__}: {error}") from error
                    raise
            arguments.append(pytree.tree_leaves((args, kwargs)))
        if len(results[0]) != len(results[1]):
            return f"call {number}: expected {len(results[0])} results but got {len(results[1])}"
        pairs = [(f"result {i}", g, w) for i, (w, g) in enumerate(zip(*results))]
        pairs += [(f"argument {i} afterwards", g, w) for i, (w, g) in enumerate(zip(*arguments))]
        state = state_of(compiled_model)
        pairs += [(f"{name} afterwards", state[name], w) for name, w in state_of(model).items()]
        for where, got, want in pairs:
            text = difference(got, want, f"call {number}, {where}", entry.precision)
            if text:
                return text


def row(entry, graphs):
    """A line of the table."""
    compiled = sum(sum(graph.compiled.values()) for graph in graphs)
    left = [op for graph in graphs for op in graph.left]
    share = compiled / (compiled + len(left)) if compiled or left else 0.0
    reasons = sorted({f"`{op.op}`: {op.reason}" for op in left if op.reason != fxgraph.dynamo.compiler.SMALL})
    small = sum(op.reason == fxgraph.dynamo.compiler.SMALL for op in left)
    reasons += [f"{small} in parts not worth a call"] if small else []
    reasons += [] if graphs else ["all: Dynamo captures nothing of it"]
    cells = (entry.name, entry.kind, len(graphs), sum(graph.calls for graph in graphs), compiled + len(left), f"{100 * share:.0f} %",
             "; ".join(reasons).replace("|", "\\|"))
    return share, "| " + " | ".join(map(str, cells)) + " |"


HEADER = """<!-- Written by test/Integration/Torch/compile_zoo.py --all --table; do not edit. -->
# Models under `torch.compile(model, backend="fxgraph")`

The models of `python/fxgraph/testing/zoo`, tiny and with random weights, on the CPU against eager mode: results, writes to
arguments and buffers, dtypes and strides are the same. *Graphs*: what Dynamo handed over, over all calls (breaks, other shapes).
*Calls*: compiled functions. *Ops*: in the graphs of AOTAutograd. *Compiled*: their share. The last column is what PyTorch ran.

{models} models; {whole} are compiled whole; on average {share:.1f} % of a model's ops.

| Model | Kind | Graphs | Calls | Ops | Compiled | In PyTorch |
|---|---|---|---|---|---|---|
"""


def run(name, target, device):
    """(share of the ops that are compiled, line of the table, None or what is wrong, seconds) of a model."""
    warnings.simplefilter("ignore")
    for logger in ("fxgraph.dynamo", "transformers"):
        logging.getLogger(logger).setLevel(logging.ERROR)
    torch._logging.set_logs(graph_breaks=False, dynamo=logging.ERROR)
    start = time.time()
    fxgraph.dynamo.reset_stats()
    try:
        text = wrong(ZOO[name], {"target": target} if target else None, device)
    except EagerFailure as error:
        return 0.0, None, f"not in eager mode either: {error}", time.time() - start
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
    return *row(ZOO[name], fxgraph.dynamo.stats()), text, time.time() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--table")
    parser.add_argument("--target")
    parser.add_argument("--device", default="cpu", help="where the model and its tensors are: cpu, cuda")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    names = arguments.names or (list(ZOO) if arguments.all else FEW)
    targets, devices = [arguments.target] * len(names), [arguments.device] * len(names)
    rows, shares, faults = [], [], []
    with contextlib.ExitStack() as stack:
        results = map(run, names, targets, devices)
        if arguments.jobs > 1:
            context = multiprocessing.get_context("spawn")
            results = stack.enter_context(concurrent.futures.ProcessPoolExecutor(arguments.jobs, context)).map(run, names, targets, devices)
        for name, (share, line, text, seconds) in zip(names, results):
            if line is None:
                print(f"{name}: {text}")
                continue
            shares.append(share)
            rows.append(line)
            faults += [name] if text else []
            print(f"{name}: {100 * share:.0f} % compiled, {seconds:.1f} s" + (f", WRONG: {text}" if text else ""), flush=True)
    print(f"{len(rows)} models, {len(faults)} wrong" + (f": {' '.join(faults)}" if faults else ""))
    print(f"on average {100 * sum(shares) / len(shares):.1f} % of the ops compiled; {sum(s == 1 for s in shares)} models whole")
    if arguments.table:
        with open(arguments.table, "w") as stream:
            stream.write(HEADER.format(models=len(rows), whole=sum(s == 1 for s in shares), share=100 * sum(shares) / len(shares)))
            stream.write("\n".join(rows) + "\n")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
