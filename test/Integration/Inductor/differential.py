# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# REQUIRES: torch
# RUN: %torch_python %s --functions --random 40 --out %t.json | FileCheck %s
# RUN: FileCheck %s --input-file=%t.md --check-prefix=REPORT
# CHECK: "ours_wrong": 0,
# REPORT: | function |
# REPORT: | random |
# REPORT: ## Where Inductor is wrong or crashes
"""The same torch-level graphs through Inductor's pre-grad passes and ours: values against
eager, and how many kernels and ops are left.

    differential.py --random 5000 --functions --models --out differential.json

Graphs: random ones (fx-gen, spelled as torch calls), the functions of Inductor's own
tests of these passes (rebuilt from their descriptions) and the captured models.

Counted alike on both sides is what a result depends on, or has an effect; not inputs,
weights, outputs, Python numbers, the items of a tuple (getitem), and what depends on weights
alone (it runs once, when the weights are frozen). `kernels` are the ops that compute or
copy: run in eager, some result has storage of its own (a reshape counts where it copies).
`ops` are all of them, views too, but for a clone or identical view that only keeps a result
of the graph apart from an argument or another result.

Where Inductor's values are wrong, or it makes a result share storage with an input or
another result and eager does not, its graph is no smaller for that: such graphs are counted
by themselves and not compared with ours. Wrong values of ours fail the run.
"""
import argparse
import collections
import json
import logging
import operator
import os
import subprocess
import sys
import time
import warnings

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.join(HERE, "Inputs"), os.path.join(ROOT, "python")]

import fxgraph  # noqa: E402
import torch_level  # noqa: E402
from judging import Judge, aliases, make_inputs  # noqa: E402
from fxgraph.exporter import callables  # noqa: E402
from fxgraph.exporter.graph import _walk, run_op  # noqa: E402
from fxgraph.runtime import find_tool  # noqa: E402
from fxgraph.walk import functions  # noqa: E402
from fxgraph.testing.inductor import dynamo_graph, run_pre_grad  # noqa: E402

# All of Inductor's keys, in its own order.
ALL_KEYS = ["normalization_pass", "batch_linear", "batch_linear_lhs", "batch_layernorm", "batch_tanh", "batch_relu", "batch_sigmoid",
            "remove_split_with_size_one_pass", "merge_getitem_cat_pass", "merge_stack_tahn_unbind_pass", "merge_splits_pass", "mutate_cat_pass",
            "split_cat_pass", "unbind_stack_pass", "split_cat_to_slices_pass", "unbind_cat_to_view_pass", "split_stack_to_cats_pass",
            "unbind_stack_to_slices_pass", "move_reshape_out_of_split_stack_pass", "einsum_to_pointwise_pass"]
TUPLES = {torch.split, torch.chunk, torch.unbind, torch.split_with_sizes, torch.functional.split, torch.topk, torch.sort, "split", "chunk", "unbind",
          "split_with_sizes"}


INPLACE = {operator.iadd, operator.isub, operator.imul, operator.itruediv}


# Counting ----------------------------------------------------------------


def storages(value):
    if isinstance(value, torch.Tensor):
        return {value.untyped_storage().data_ptr()} if value.numel() else set()
    return set().union(*map(storages, value)) if isinstance(value, (list, tuple)) else set()


class Kernels(torch.fx.Interpreter):
    """Runs a graph and remembers the nodes whose result is no view of their operands."""

    def run(self, *args):
        self.found = set()
        return super().run(*args)

    def run_node(self, node):
        result = super().run_node(node)
        name = getattr(node.target, "__name__", str(node.target))
        writes = (name.endswith("_") and not name.endswith("__")) or node.target in INPLACE or node.kwargs.get("inplace") is True
        if node.op.startswith("call_") and (writes or storages(result) - storages([self.env[n] for n in node.all_input_nodes])):
            self.found.add(node)
        return result


def count_fx(gm, weights=(), kernels=()):
    """({op: number} of what the results of an FX graph depend on, how many of `kernels` are
    among it). `weights` are the numbers of the placeholders that are weights."""
    counts, seen, frozen, computing = collections.Counter(), set(), set(), 0
    placeholders = [n for n in gm.graph.nodes if n.op == "placeholder"]
    frozen.update(n for i, n in enumerate(placeholders) if i in weights)
    for node in gm.graph.nodes:
        if node.op == "get_attr" or (node.op.startswith("call_") and node.all_input_nodes and all(i in frozen for i in node.all_input_nodes)):
            frozen.add(node)
    todo = [n for n in gm.graph.nodes if n.op == "output" or (n.op == "call_method" and n.target.endswith("_") and not n.target.endswith("__"))]
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        todo.extend(node.all_input_nodes)
        if node.op in ("placeholder", "output", "get_attr") or node in frozen:
            continue
        computing += node in kernels
        if node.target is operator.getitem and isinstance(node.args[1], int) and node.args[0].target in TUPLES:
            continue
        if node.target in ("clone", torch.clone) and all(u.op == "output" for u in node.users):
            continue
        counts[getattr(node.target, "__name__", str(node.target))] += 1
    return counts, computing


VIEWS = {"fxgraph." + name for name in "split split_with_sizes chunk view reshape flatten permute transpose squeeze expand slice detach contiguous".split()}


def find_kernels(function, tensors):
    """The ops of a parsed function whose results are no views of their operands."""
    found, values, literals = set(), {value: t for (value, _, _), t in zip(function.arguments, tensors)}, {}
    for op in function.ops[:-1]:
        if op.name == "fxgraph.constant":
            literals[op.results[0]] = callables.scalar_of(op.attrs["value"])
            values[op.results[0]] = callables.dense_tensor(op.attrs["value"])
        elif op.name == "fxgraph.copy_":
            found.add(op.operands)
        else:
            operands = [values[o] for o in op.operands]
            results = run_op(op, operands, [literals.get(o) for o in op.operands])
            values.update(zip(op.results, results))
            if storages(results) - storages(operands):
                found.add(tuple(op.results))
    return found


def count_mlir(function, kernels=()):
    """The same of a parsed function."""
    counts, live, computing = collections.Counter(), set(), 0
    types = {value: type_ for value, type_, _ in function.arguments}
    frozen = {value for value, _, attrs in function.arguments if attrs.get("fxgraph.kind") in ("parameter", "buffer")}
    constants = set()
    for op in function.ops:
        types.update(zip(op.results, op.types))
        if op.name.endswith(".constant"):
            constants.update(op.results)
        elif op.operands and any(o in frozen for o in op.operands) and all(o in frozen or o in constants for o in op.operands):
            frozen.update(op.results)
    returned = function.ops[-1].operands
    other = {o for op in function.ops[:-1] for o in op.operands}
    live.update(returned)
    for op in reversed(function.ops[:-1]):
        effect = op.name in ("fxgraph.copy_", "fxgraph.opaque", "fxgraph.rand", "fxgraph.randn")
        if not effect and not any(r in live for r in op.results):
            continue
        live.update(op.operands)
        if op.name in ("fxgraph.constant", "arith.constant") or (op.results and op.results[0] in frozen):
            continue
        computing += tuple(op.results) in kernels
        if op.name == "fxgraph.clone" and op.results[0] not in other:
            continue
        if op.name in VIEWS and len(op.results) == 1 and op.results[0] in returned and str(op.types[0]) == str(types[op.operands[0]]):
            continue
        counts[op.name.removeprefix("fxgraph.")] += 1
    return counts, computing


# Both sides -------------------------------------------------------------------


def functions_of(text, pipeline=None):
    """The functions of a module's text, as it is or after a pass pipeline."""
    module = fxgraph.Module(text)
    if pipeline:
        module.run_passes(pipeline, verify=False)
    return functions(module.handle)


class Report:
    def __init__(self):
        self.rows = []

    def compare(self, kind, name, gm, before, after, inputs, tensors=None, weights=()):
        """One graph: `gm` for Inductor, which changes it; `after` is what ours made of `before`
        (parsed). `tensors` are their arguments if those are not the `inputs` of `gm`; `weights`
        are the numbers of the inputs that are weights."""
        tensors = inputs if tensors is None else tensors
        row = {"kind": kind, "name": name}
        self.rows.append(row)

        def evaluate(function):
            def run(xs):
                given = iter(xs)
                filled = [next(given) if any(t is x for x in inputs) else t for t in tensors]
                return [r for r in _walk(function, [t.clone() for t in filled])[0] if isinstance(r, torch.Tensor)]
            return run

        def plain(results):
            return [r for r in results if isinstance(r, torch.Tensor)]
        with torch.no_grad():
            # Eager is asked through the graph of the dialect, whose torch-level spelling must
            # mean the same.
            try:
                judge = Judge(evaluate(before), inputs)
                spelled = judge.verdict(plain(gm(*[x.clone() for x in inputs])))
            except Exception as error:  # noqa: BLE001: a graph that eager refuses says nothing
                row["skipped"] = f"eager: {str(error).splitlines()[0][:150]}"
                return
            if spelled:
                row["skipped"] = f"spelling: {spelled}"
                return
            row["before"], row["before_kernels"] = self.count(before, tensors)[1:]
            row["ours_wrong"] = judge.verdict(evaluate(after)(inputs))
            row["ours_ops"], row["ours"], row["ours_kernels"] = self.count(after, tensors)
            shared = aliases(plain(gm(*inputs)), inputs)
            try:
                theirs, _ = run_pre_grad(gm, inputs, {key: {} for key in ALL_KEYS})
            except Exception as error:  # noqa: BLE001
                row["inductor_crashed"] = f"{type(error).__name__}: {(str(error) or '?').splitlines()[0][:150]}"
                return
            try:
                outputs = plain(theirs(*inputs))
                row["inductor_wrong"] = judge.verdict(outputs)
                row["inductor_aliases"] = sorted(f"result {i} is {what}" for i, what in aliases(outputs, inputs) - shared)
                interpreter = Kernels(theirs)
                interpreter.run(*inputs)
            except Exception as error:  # noqa: BLE001
                row["inductor_wrong"] = f"does not run: {(str(error) or '?').splitlines()[0][:150]}"
                return
            counts, row["inductor_kernels"] = count_fx(theirs, weights, interpreter.found)
            row["inductor_ops"], row["inductor"] = dict(counts), sum(counts.values())

    @staticmethod
    def count(function, tensors):
        counts, kernels = count_mlir(function, find_kernels(function, tensors))
        return dict(counts), sum(counts.values()), kernels

    def summary(self):
        rows = [r for r in self.rows if "skipped" not in r]
        fair = [r for r in rows if "inductor" in r and not r["inductor_wrong"] and not r["inductor_aliases"]]
        found = {
            "graphs": len(rows), "skipped": len(self.rows) - len(rows),
            "ours_wrong": sum(bool(r["ours_wrong"]) for r in rows),
            "inductor_wrong": sum(bool(r.get("inductor_wrong")) for r in rows),
            "inductor_crashed": sum("inductor_crashed" in r for r in rows),
            "inductor_new_aliases": sum(bool(r.get("inductor_aliases")) for r in rows),
            "compared": len(fair)}
        for what, suffix in (("kernels", "_kernels"), ("ops", "")):
            more = sum(r["ours" + suffix] > r["inductor" + suffix] for r in fair)
            found[what] = {side: sum(r[side + suffix] for r in fair) for side in ("before", "inductor", "ours")}
            found[what].update(ours_fewer=sum(r["ours" + suffix] < r["inductor" + suffix] for r in fair), ours_more=more,
                               ours_at_most_percent=round(100 * (1 - more / max(len(fair), 1)), 2))
        return found

    def markdown(self, pipeline):
        lines = ["# Inductor's pre-grad passes and ours", "", f"Ours: `{pipeline}`; Inductor: all keys of `pre_grad_fusion_options`.", "",
                 "| kind | graphs | ours wrong | Inductor wrong | Inductor crashed | new aliases (Inductor) | compared | kernels: before, Inductor, ours | ours <= | ops: before, Inductor, ours | ours <= |",
                 "|---|---|---|---|---|---|---|---|---|---|---|"]
        for kind in [*dict.fromkeys(r["kind"] for r in self.rows), None]:
            part = Report()
            part.rows = [r for r in self.rows if kind in (None, r["kind"])]
            s = part.summary()
            cells = [kind or "all", s["graphs"], s["ours_wrong"], s["inductor_wrong"], s["inductor_crashed"], s["inductor_new_aliases"], s["compared"]]
            for what in ("kernels", "ops"):
                cells += [", ".join(str(s[what][side]) for side in ("before", "inductor", "ours")), f"{s[what]['ours_at_most_percent']} %"]
            lines.append("| " + " | ".join(map(str, cells)) + " |")
        lines += ["", "## Where ours has more kernels", ""]
        for r in self.rows:
            if "inductor" in r and r["ours_kernels"] > r["inductor_kernels"] and not r["inductor_wrong"] and not r["inductor_aliases"]:
                mine, theirs = collections.Counter(r["ours_ops"]), collections.Counter(r["inductor_ops"])
                lines.append(f"- {r['kind']} {r['name']}: {r['ours_kernels']} for {r['inductor_kernels']} (before {r['before_kernels']}); "
                             f"ours has {dict(mine - theirs)}, Inductor {dict(theirs - mine)}")
        lines += ["", "## Where Inductor is wrong or crashes", ""]
        groups = collections.defaultdict(list)
        for r in self.rows:
            for key in ("inductor_crashed", "inductor_wrong"):
                if r.get(key):
                    text = "".join("#" if c.isdigit() or c in ".-" else c for c in r[key])
                    groups[key.removeprefix("inductor_"), text[:60]].append(r)
        for (what, text), rows in sorted(groups.items(), key=lambda item: -len(item[1])):
            lines.append(f"- {len(rows)} x {what}: {rows[0].get('inductor_' + what)}; first {rows[0]['kind']} {rows[0]['name']}")
        return "\n".join(lines) + "\n"


# Graphs -------------------------------------------------------------------------


def random_graphs(report, count, first, pipeline, mixes, ops, deadline):
    batch, done, mix_number = 100, 0, 0
    while done < count and time.monotonic() < deadline:
        mix = mixes[mix_number % len(mixes)]
        mix_number += 1
        seed, size = first + done, min(batch, count - done)
        text = subprocess.run([find_tool("fx-gen"), "--seed", str(seed), "--count", str(max(size, 2)), "--mix", mix, "--ops", str(ops), "--dtypes=f32", "--dynamic=0",
                               "--writes=0", "--opaque=0", "--dead=0"], capture_output=True, text=True, check=True).stdout
        before = {f.name: f for f in functions_of(text)}
        after = {f.name: f for f in functions_of(text, pipeline)}
        for i in range(size):
            function = before[f"g{i}"]
            if any(op.name in ("fxgraph.rand", "fxgraph.randn") for op in function.ops):
                continue
            name = f"seed {seed + i} ({mix})"
            try:
                gm, shapes = torch_level.build(function)
            except (NotImplementedError, RuntimeError, ValueError) as error:
                # No spelling, or one that PyTorch refuses (a view of these strides).
                report.rows.append({"kind": "random", "name": name, "skipped": f"{type(error).__name__}: {str(error).splitlines()[0][:150]}"})
                continue
            weights = {i for i, (_, _, attrs) in enumerate(function.arguments) if attrs.get("fxgraph.kind") == "parameter"}
            report.compare("random", name, gm, function, after[f"g{i}"], make_inputs(shapes, seed + i), weights=weights)
        done += size


def captured(report, kind, name, module, inputs, pipeline):
    gm, examples = dynamo_graph(module, inputs)
    graph = fxgraph.from_fx(gm, examples)
    before = functions_of(graph.asm)[0]
    after = functions_of(graph.asm, pipeline)[0]
    keys = [attrs["fxgraph.name"] for _, _, attrs in before.arguments]
    given = iter([x for x in examples if not any(x is w for w in graph.weights.values())])
    tensors = [graph.weights[key] if key in graph.weights else next(given) for key in keys]
    weights = {i for i, x in enumerate(examples) if isinstance(x, torch.nn.Parameter)}
    report.compare(kind, name, gm, before, after, list(examples), tensors, weights)


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--random", type=int, default=0, help="random graphs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ops", type=int, default=14)
    parser.add_argument("--mixes", default="all,split-cat,linear,split-cat,pointwise")
    parser.add_argument("--functions", action="store_true", help="functions of Inductor's tests")
    parser.add_argument("--models", action="store_true", help="captured models")
    parser.add_argument("--pipeline", default="fxgraph-pre-grad{mode=best}")
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--out", help="JSON report; beside it one in markdown")
    args = parser.parse_args()
    torch.set_num_threads(1)
    # What Inductor logs while it fails is in the report.
    logging.getLogger("torch").setLevel(logging.CRITICAL)
    report = Report()
    if args.functions:
        import functions
        for name, module, inputs in functions.all_functions():
            captured(report, "function", name, module, inputs, args.pipeline)
    if args.models:
        from fxgraph.testing.models import MODELS
        for name, make in MODELS.items():
            module, inputs = make()
            captured(report, "model", name, module, inputs, args.pipeline)
    random_graphs(report, args.random, args.seed, args.pipeline, args.mixes.split(","), args.ops, time.monotonic() + 60 * args.minutes)
    summary = report.summary()
    if args.out:
        with open(args.out, "w") as file:
            json.dump({"pipeline": args.pipeline, "summary": summary, "graphs": report.rows}, file, indent=1)
        with open(os.path.splitext(args.out)[0] + ".md", "w") as file:
            file.write(report.markdown(args.pipeline))
    print(json.dumps(summary))
    for row in report.rows:
        if row.get("ours_wrong"):
            print(f"WRONG {row['kind']} {row['name']}: {row['ours_wrong']}")
    return 1 if summary["ours_wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
