# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# REQUIRES: torch
# RUN: %torch_python %s --functions --seeds 0:60 --every 22 --out %t.json | FileCheck %s
# RUN: FileCheck %s --input-file=%t.md --check-prefix=REPORT
# RUN: not %torch_python %s --seeds 0:1 --levels joint,psot 2>&1 | FileCheck %s --check-prefix=LEVEL
# CHECK: "ours_wrong": 0,
# REPORT: | joint | function |
# REPORT: | post-training | random |
# REPORT: ## Where ours has more ops
# LEVEL: expected levels of joint, freezing, post, joint-training, post-training but got psot
"""The same ATen graphs through the passes of Inductor behind autodiff and ours: values against eager, and how many ops are left.

    post_grad_differential.py --seeds 0:5000 --functions --models --operators --modules --jobs 2 --out post-grad.json

Graphs: functions of the kinds on which Inductor tests these passes (Inputs/aten_functions.py), the models of the zoo, samples
of op_db, PyTorch's list of modules, and random graphs (fx-gen), each traced with Inductor's decompositions. Levels: `joint`
(joint_graph_passes; for training on the graph of function and gradient), `freezing` (the weights are constants), `post`
(inference), `post-training` (the graphs of the forward and the backward pass).

Ours run twice. With mode=best the ops are counted, and values are PyTorch's on the same graph but for rounding (what a graph
makes of rounding is measured). With numerics=exact the values are bit for bit those of the graph before, in the interpreter.

Counted alike on both sides, as ops of the dialect, is what is computed; not inputs, constants (also numbers and ramps in any shape: `full`,
`arange` and views of them), copies into written arguments, a clone, or a view of the same shape, that only keeps a result apart, and what
depends on weights alone. Inductor gets all keys of post_grad_fusion_options.
Wrong values of ours fail the run, and errors; wrong ones and crashes of Inductor are listed, and their graphs not compared, nor those where it makes
results share storage that eager keeps apart, or with loops. Where eager's values are left open (NaN as an integer), ours are compared with those
before the passes.
"""
import argparse
import collections
import concurrent.futures
import functools
import gc
import json
import logging
import multiprocessing
import operator
import os
import subprocess
import sys
import traceback
import warnings

import torch
import torch.utils._pytree as pytree
from torch.fx._lazy_graph_module import _use_lazy_graph_module

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.join(HERE, "Inputs"), os.path.join(ROOT, "python")]

import fxgraph  # noqa: E402
from fxgraph.errors import FxGraphError  # noqa: E402
from fxgraph.exporter import evaluate  # noqa: E402
from fxgraph.exporter.graph import _walk  # noqa: E402
from fxgraph.outputs import restore  # noqa: E402
from fxgraph.runtime import find_tool  # noqa: E402
from fxgraph.testing.inductor import aten_graph, inference_graph, lower_calls, run_aten_passes, training_graphs  # noqa: E402
from fxgraph.walk import functions  # noqa: E402
from judging import LIMITS, Judge, aliases, make_inputs  # noqa: E402

KEYS = ["batch_linear_post_grad", "batch_aten_tanh", "batch_aten_sigmoid", "batch_aten_relu", "batch_aten_add", "batch_aten_sub",
        "batch_aten_mul", "batch_aten_div", "normalization_aten_pass", "split_cat_aten_pass", "select_cat_aten_pass",
        "unbind_stack_aten_pass", "move_view_after_cat_aten_pass"]
FUSIONS = ",".join(key.replace("_", "-") for key in KEYS)
PIPELINES = {
    "joint": "fxgraph-joint-graph{%s}",
    # As Inductor assumes, and as is true here, no weight is 0.
    "freezing": "fxgraph-freezing{pack-weights=true assume-nonzero-divisors=true %s}",
    "post": "fxgraph-post-grad{is-inference=true fusions=" + FUSIONS + " %s}",
    "post-training": "fxgraph-post-grad{is-inference=false fusions=" + FUSIONS + " %s}",
}
# What has another value in each run.
DRAWS = ("rand", "randn", "randint", "randperm", "bernoulli", "native_dropout", "multinomial", "normal", "uniform", "exponential", "dropout")
MIXES = ("aten", "all", "aten", "linear", "split-cat", "pointwise", "rare")
PART = 20
PARTS_PER_PROCESS = 40
UNCOUNTED = {"fxgraph.constant", "fxgraph.copy_", "fxgraph.full", "fxgraph.arange"}
RESHAPES = {"fxgraph.view", "fxgraph.reshape", "fxgraph.expand", "fxgraph.unsqueeze", "fxgraph.slice"}
SPLITS = {"fxgraph.split", "fxgraph.split_with_sizes"}


# Counting ------------------------------------------------------------------------------------


def count(module):
    """{op: number} of a module, but for what depends on weights alone."""
    if module.weights:
        module = module.clone()
        module.run_passes("fxgraph-freezing-split{part=main}")
    function, = (f for f in functions(module.handle) if f.name == "main")
    # The split leaves views of weights, which cost nothing; they are not of each run either.
    frozen = {value for value, _, attrs in function.arguments if module.weights and attrs.get("fxgraph.kind") not in (None, "input")}
    returned, counts, constants = set(function.ops[-1].operands), collections.Counter(), set()
    used = {operand for op in function.ops[:-1] for operand in op.operands}
    types = {value: str(type_) for value, type_, _ in function.arguments}
    for op in function.ops[:-1]:
        types.update(zip(op.results, map(str, op.types)))
        if not op.name.startswith("fxgraph."):
            continue
        if op.name in UNCOUNTED or (op.name in RESHAPES and constants.issuperset(op.operands)):
            constants.update(op.results)
        elif op.operands and frozen.issuperset(op.operands):
            frozen.update(op.results)
        elif not keeps_apart(op, types, returned - used):
            counts[op.name.removeprefix("fxgraph.")] += 1
    return counts


def keeps_apart(op, types, results):
    """True if an op gives what it takes, as a result of the graph alone: there it is a tensor of its own."""
    names = {"fxgraph.clone", *RESHAPES, *(SPLITS if len(op.results) == 1 else ())}
    return op.name in names and op.results[0] in results and types[op.operands[0]] == types[op.results[0]] and \
        "?" not in types[op.results[0]]


# One graph -------------------------------------------------------------------------------------


def tensors_of(results):
    return [x for x in pytree.tree_leaves(results) if isinstance(x, torch.Tensor)]


def clones(arguments):
    return [x.detach().clone() if isinstance(x, torch.Tensor) else x for x in arguments]


def like(example, value):
    """The value in the dtype and the strides of an example."""
    return torch.empty_strided(example.shape, example.stride(), dtype=example.dtype).copy_(value)


def eager(graph):
    """A function that gives a graph's results, and the arguments behind it, as one list."""
    def run(arguments):
        arguments = clones(arguments)
        with torch.no_grad():
            return tensors_of(graph(*arguments)) + tensors_of(arguments)
    return run


def eager_rounded(graph):
    """A function that gives the same where each op gives what `step` makes of its floats."""
    class Stepped(torch.fx.Interpreter):
        step = None

        def call_function(self, target, args, kwargs):
            result = super().call_function(target, args, kwargs)
            held = {x.untyped_storage().data_ptr() for x in tensors_of((args, kwargs))}
            # Views and what is written in place have no rounding of their own.
            return pytree.tree_map_only(torch.Tensor, lambda x: self.step(x) if x.dtype.is_floating_point and x.untyped_storage().data_ptr() not in held else x, result)

    def run(arguments, step):
        stepped, arguments = Stepped(graph), clones(arguments)
        stepped.step = step
        with torch.no_grad():
            return tensors_of(stepped.run(*arguments)) + tensors_of(arguments)
    return run


def interpret(module, arguments):
    """The same of a module of ours."""
    arguments = clones(arguments)
    placeholders = module.placeholders_in_order
    if not module.unknown_ops:
        given = {name: value for name, value in zip(placeholders, arguments) if isinstance(value, torch.Tensor)}
        given = {name: value for name, value in given.items() if name in module.inputs or name in module.weights}
        # With the weights, which may be written.
        return tensors_of(module.run(given)) + tensors_of(arguments)
    # A complex tensor is one of pairs in the dialect.
    named = {name: torch.view_as_real(x.resolve_conj()) if isinstance(x, torch.Tensor) and x.is_complex() else x
             for name, x in {**module.weights, **dict(zip(placeholders, arguments))}.items()}
    results, written = evaluate(module.asm, named, subgraphs=module.subgraphs)
    return tensors_of(restore(module.outputs, results)) + tensors_of([written.get(name, value) for name, value in zip(placeholders, arguments)])


class Subject:
    """A graph, which stays as it is, and its arguments: what several levels compare with is made once.

    `weights` are the numbers of the arguments that are weights.
    """

    def __init__(self, graph, arguments, weights=()):
        # Inductor keeps as arguments what the graph writes or returns; as constants they would be of the first run.
        changing = {node for node in graph.graph.find_nodes(op="output") for node in node.all_input_nodes}
        changing |= {node.args[0] for node in graph.graph.find_nodes(op="call_function", target=torch.ops.aten.copy_.default)}
        self.graph, self.arguments = graph, arguments
        self.weights = frozenset(place for place, node in enumerate(graph.graph.find_nodes(op="placeholder")) if place in weights and node not in changing)
        nodes = list(graph.graph.nodes)
        self.drawing = any(node.op == "call_function" and getattr(node.target, "__name__", "").split(".")[0] in DRAWS for node in nodes)
        # Ours takes small loops apart where the graph is imported.
        self.loops = any(isinstance(node.target, torch._ops.HigherOrderOperator) for node in nodes)
        dtypes = {getattr(node.meta.get("val"), "dtype", None) for node in nodes}
        self.judge = None if self.drawing else Judge(eager(graph), arguments, max(LIMITS.get(dtype, 0.0) for dtype in dtypes), eager_rounded(graph))
        self.imported = {}

    def ours(self, level):
        """(module, its number of ops, its results), the last None where they are drawn."""
        frozen = level == "freezing"
        if frozen not in self.imported:
            given = [torch.nn.Parameter(x.clone(), requires_grad=False) if frozen and place in self.weights else x for place, x in enumerate(self.arguments)]
            module = fxgraph.from_fx(self.graph, given)
            module.placeholders_in_order = [node.name for node in self.graph.graph.find_nodes(op="placeholder")]
            self.imported[frozen] = module, sum(count(module).values()), interpret(module, self.arguments) if self.judge else None
        return self.imported[frozen]

    @functools.cached_property
    def is_undefined(self):
        """True if a float that no integer is, such as NaN, becomes one: PyTorch leaves open what comes of it, and gives this and that."""
        casts, found = (torch.ops.prims.convert_element_type.default, torch.ops.aten._to_copy.default), []

        class Casts(torch.fx.Interpreter):
            def call_function(self, target, args, kwargs):
                result = super().call_function(target, args, kwargs)
                if target in casts and args[0].dtype.is_floating_point and not result.dtype.is_floating_point and result.dtype is not torch.bool:
                    limits, value = torch.iinfo(result.dtype), args[0].double().trunc()
                    found.append(not bool(((value >= limits.min) & (value <= limits.max)).all()))
                return result

        with torch.no_grad():
            Casts(self.graph).run(*clones(self.arguments))
        return any(found)

    @functools.cached_property
    def sharing(self):
        """{result: what it shares storage with in PyTorch}."""
        with torch.no_grad():
            own = clones(self.arguments)
            return dict(aliases(tensors_of(self.graph(*own)), tensors_of(own)))

    def shares(self, result, other):
        """True if a result shares storage with an input, or with the first result that has it, in PyTorch too."""
        owner = self.sharing.get(result)
        # Of two results that are parts of a weight, which is no input of Inductor's, each has the weight's.
        return owner is not None and owner in (other, self.sharing.get(int(other.split()[1])) if other.startswith("result") else None)


def compare(row, level, subject):
    """Fills a row of the report."""
    try:
        module, row["before"], values = subject.ours(level)
        row["opaque"] = len(module.unknown_ops)
        row["ours_wrong"] = check_ours(row, level, module, values, subject)
    except Exception as error:  # noqa: BLE001: whatever ends ours is a fault of ours
        row["ours_wrong"] = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        if not isinstance(error, FxGraphError):
            row["ours_wrong"] += " at " + " < ".join(f"{f.name}:{f.lineno}" for f in reversed(traceback.extract_tb(error.__traceback__)[-3:]))
        return
    arguments, weights, judge = subject.arguments, subject.weights if level == "freezing" else (), subject.judge
    try:
        theirs, counters = run_aten_passes(subject.graph, level, {key: {} for key in KEYS}, {place: arguments[place].clone() for place in weights},
                                           fallback_random=subject.drawing)
        theirs = lower_calls(theirs)
        row["inductor_counters"] = {name: n for name, n in counters.items() if n}
    except Exception as error:  # noqa: BLE001
        row["inductor_crashed"] = f"{type(error).__name__}: {(str(error) or '?').splitlines()[0][:150]}"
        return
    left = [x for place, x in enumerate(arguments) if place not in weights]
    row["loops"] = subject.loops
    row["inductor_wrong"] = None
    if judge is not None:
        try:
            given = clones(left)
            with torch.no_grad():
                results = tensors_of(theirs(*given))
            # Weights are no arguments any more.
            tensors = [place for place, x in enumerate(arguments) if isinstance(x, torch.Tensor)]
            found = aliases(results, tensors_of(given), [number for number, place in enumerate(tensors) if place not in weights])
            got = results + (tensors_of(given) if not weights else judge.expected[len(results):])
            row["inductor_wrong"] = judge.verdict(got)
            row["inductor_aliases"] = sorted(f"result {i} is {what}" for i, what in found if not subject.shares(i, what))
        except Exception as error:  # noqa: BLE001
            # What stands in the graph until it is lowered does not run; it is one op.
            if "NullHandler" not in str(error):
                row["inductor_wrong"] = f"does not run: {(str(error) or '?').splitlines()[0][:150]}"
    try:
        counts = count(fxgraph.from_fx(theirs, left))
    except FxGraphError as error:
        row["inductor_wrong"] = row["inductor_wrong"] or f"is not imported: {str(error).splitlines()[0][:150]}"
        return
    row["inductor_ops"], row["inductor"] = dict(counts), sum(counts.values())


def check_ours(row, level, module, before, subject):
    """None, or what is wrong with what ours made of the module, which gives `before`."""
    same, judge, arguments = None, subject.judge, subject.arguments
    if judge is not None:
        wrong = judge.verdict(before)
        if wrong and subject.is_undefined:
            row["undefined"], judge = True, Judge(lambda _: before, arguments)
        elif wrong:
            return f"before any pass: {wrong}"
        exact = derive(module, PIPELINES[level] % "numerics=exact")
        after = interpret(exact, arguments)
        # PyTorch, which runs graphs with unknown ops, rounds differently along a tensor and at its end.
        same = judge.verdict(after) if module.unknown_ops else Judge(lambda _: before, []).same(after)
    best = derive(module, PIPELINES[level] % "mode=best")
    counts = count(best)
    row["ours_ops"], row["ours"] = dict(counts), sum(counts.values())
    if same:
        return f"numerics=exact: {same}"
    return judge and judge.verdict(interpret(best, arguments))


def derive(module, pipeline):
    changed = module.clone()
    changed.placeholders_in_order = module.placeholders_in_order
    changed.run_passes(pipeline)
    return changed


# Cases --------------------------------------------------------------------------------------


class Case:
    """A function of tensors and how to call it; `weights` are the numbers of the arguments that are weights."""

    def __init__(self, kind, name, function, inputs, weights=(), levels=("joint", "freezing", "post", "joint-training", "post-training")):
        self.kind, self.name, self.function, self.inputs, self.weights, self.levels = kind, name, function, inputs, frozenset(weights), levels

    def run(self):
        """The rows of its levels."""
        rows = []
        inference = [level for level in self.levels if "training" not in level and (level != "freezing" or self.weights)]
        if inference:
            found = self.attempt(rows, "inference", self.trace)
            if found:
                self.compare(rows, [(level, level) for level in inference if level != "freezing" or found[2]], *found)
        training = [level for level in self.levels if "training" in level]
        if training and any(x.dtype.is_floating_point for x in self.inputs):
            for level, name, graph, arguments in self.attempt(rows, "training", self.differentiate) or ():
                if name in training:
                    self.compare(rows, [(level, name)], graph, arguments)
        return rows

    def trace(self):
        """(graph for inference, its arguments, the numbers of those that are weights)."""
        try:
            return aten_graph(self.function, clones(self.inputs)), self.inputs, self.weights
        except Exception:  # noqa: BLE001: what looks at values of tensors is captured by Dynamo, or not at all
            return *inference_graph(self.function, clones(self.inputs)), ()

    def row(self, level):
        return {"kind": self.kind, "name": self.name, "level": level}

    def attempt(self, rows, level, make):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return make()
        except Exception as error:  # noqa: BLE001: what PyTorch cannot trace says nothing
            rows.append({**self.row(level), "skipped": f"{type(error).__name__}: {(str(error) or '?').splitlines()[0][:150]}"})
            return None

    def compare(self, rows, levels, graph, arguments, weights=()):
        """`levels` are (level of the passes, name of the level) pairs."""
        try:
            subject = Subject(graph, arguments, weights)
        except Exception as error:  # noqa: BLE001: what does not run in PyTorch
            rows += [{**self.row(name), "skipped": f"eager: {(str(error) or '?').splitlines()[0][:150]}"} for _, name in levels]
            return
        for level, name in levels:
            rows.append(self.row(name))
            compare(rows[-1], level, subject)

    def differentiate(self):
        """[(level of the passes, name of the level, graph, its arguments)] of training."""
        def whole(*inputs):
            # Results that autodiff does not know, or that are inputs, stay out of it.
            return [x.clone() for x in tensors_of(self.function(*inputs))]

        primals = [x.detach().clone().requires_grad_(x.dtype.is_floating_point) for x in self.inputs]
        joint, (forward, backward) = training_graphs(whole, primals)
        generator = torch.Generator().manual_seed(0)
        known = {}
        for node, value in zip(joint.graph.find_nodes(op="placeholder"), clones(self.inputs)):
            known[node.name] = value
        for node in joint.graph.find_nodes(op="placeholder")[len(primals):]:
            example = node.meta["val"]
            known[node.name] = like(example, torch.randn(example.shape, generator=generator))
        found = []

        def take(level, name, graph):
            names = [node.name for node in graph.graph.find_nodes(op="placeholder")]
            found.append((level, name, graph, [known[n] for n in names]))
        take("joint", "joint-training", joint)
        take("post-training", "post-training", forward)
        output = next(iter(reversed(forward.graph.nodes)))
        with torch.no_grad():
            values = forward(*clones(found[-1][3]))
        for node, value in zip(pytree.tree_leaves(output.args[0]), values):
            if node is not None:
                known.setdefault(node.name, value)
        take("post-training", "post-training", backward)
        return found


def random_cases(first, last, ops):
    """Random graphs of the seeds [first, last): each run of PART seeds is of one mix, and two of three of f32 alone."""
    number = first // PART
    dtypes = ["--dtypes=f32"] if number % 3 else []
    text = subprocess.run([find_tool("fx-gen"), f"--seed={first}", f"--count={max(last - first, 2)}", f"--mix={MIXES[number % len(MIXES)]}", f"--ops={ops}",
                           "--dynamic=0", "--writes=0", "--opaque=0", "--dead=0", *dtypes], capture_output=True, text=True, check=True).stdout
    for place, function in enumerate(functions(fxgraph.Module(text).handle)[:last - first]):
        shapes = [(tuple(type_.shape), fxgraph.importer.dtypes.MLIR_TO_TORCH[type_.dtype]) for _, type_, _ in function.arguments]
        weights = [i for i, (_, _, attrs) in enumerate(function.arguments) if attrs.get("fxgraph.kind") == "parameter"]
        yield Case("random", f"seed {first + place}", lambda *xs, f=function: [r for r in _walk(f, list(xs))[0] if isinstance(r, torch.Tensor)],
                   make_inputs(shapes, first + place), weights)


def module_case(kind, name, model, args, kwargs, levels):
    """A case of a module: its parameters and buffers are arguments, the parameters are weights."""
    if not isinstance(model, torch.nn.Module):
        leaves, spec = pytree.tree_flatten((args, kwargs))
        places = [i for i, x in enumerate(leaves) if isinstance(x, torch.Tensor)]

        def plain(*values):
            filled = list(leaves)
            for place, value in zip(places, values):
                filled[place] = value
            a, k = pytree.tree_unflatten(filled, spec)
            return tensors_of(model(*a, **k))
        return Case(kind, name, plain, [leaves[i] for i in places], (), levels)
    state = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    keys, parameters = list(state), set(dict(model.named_parameters()))
    leaves, spec = pytree.tree_flatten((args, kwargs))
    places = [i for i, x in enumerate(leaves) if isinstance(x, torch.Tensor)]

    def function(*values):
        filled = list(leaves)
        for place, value in zip(places, values[len(keys):]):
            filled[place] = value
        a, k = pytree.tree_unflatten(filled, spec)
        return tensors_of(torch.func.functional_call(model, dict(zip(keys, values)), a, k))
    inputs = [state[key].detach() for key in keys] + [leaves[i] for i in places]
    return Case(kind, name, function, inputs, [i for i, key in enumerate(keys) if key in parameters], levels)


INFERENCE = ("joint", "freezing", "post")
ALL = (*INFERENCE, "joint-training", "post-training")


def model_cases(names):
    from fxgraph.testing.models import MODELS
    from fxgraph.testing.zoo import ZOO
    for name in names:
        if name in MODELS:
            model, args = MODELS[name]()
            kwargs = {}
        else:
            model, calls = ZOO[name].make(0)
            args, kwargs = calls[0]
        yield module_case("model", name, model.eval() if isinstance(model, torch.nn.Module) else model, args, kwargs, ALL)


def function_cases(names):
    import aten_functions
    for name in names:
        yield Case("function", name, *aten_functions.FUNCTIONS[name])


def operator_cases(names):
    from fxgraph.testing import opinfo
    for info in opinfo.supported_operators(names, everything=True):
        if info.name in opinfo.SKIPPED or not info.supports_dtype(torch.float32, "cpu"):
            continue
        torch.manual_seed(0)
        samples = list(info.sample_inputs("cpu", torch.float32, requires_grad=False))
        for number, sample in enumerate(samples[:: max(1, len(samples) // 3)][:3]):
            target = info.op
            if getattr(target, "__name__", "") == "<lambda>":
                target = lambda x, *a, n=info.name, **k: getattr(x, n)(*a, **k)  # noqa: E731
            yield module_case("operator", f"{info.name} {number}", target, (sample.input, *sample.args), sample.kwargs,
                              ALL if info.supports_autograd else INFERENCE)


def module_cases(names):
    from fxgraph.testing import opinfo
    for info in opinfo.module_db():
        if info.name not in names:
            continue
        torch.manual_seed(0)
        for number, given in enumerate(info.module_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=False, training=False)):
            if number == 3:
                break
            built, call = given.constructor_input, given.forward_input
            if call is None:
                continue
            try:
                model = info.module_cls(*built.args, **built.kwargs).eval()
            except Exception:  # noqa: BLE001: of arguments that want more
                continue
            yield module_case("module", f"{info.name} {number}", model, call.args, call.kwargs, ALL)


MAKERS = {"model": model_cases, "function": function_cases, "operator": operator_cases, "module": module_cases}


def collect():
    """Frees graphs; what PyTorch is made of, a million objects, is looked at once."""
    gc.collect()
    if not gc.get_freeze_count():
        gc.freeze()


def run_part(kind, part, ops, every, levels=ALL):
    """The rows of some cases, in a process that may be another."""
    torch.set_num_threads(1)
    gc.disable()  # A graph of PyTorch's is one large cycle: to look for those that are dead costs a tenth of all.
    warnings.simplefilter("ignore")
    logging.getLogger("torch").setLevel(logging.CRITICAL)
    torch.manual_seed(0)
    rows = []
    made = random_cases(*part, ops) if kind == "random" else MAKERS[kind](part)
    try:
        for number, case in enumerate(made):
            if kind == "random" and number % every:
                continue
            case.levels = [level for level in case.levels if level in levels]
            # Code is made of the graphs that run, not of what each pass leaves of them.
            with _use_lazy_graph_module(True):
                rows += case.run()
            if number % 10 == 9:
                collect()
    except Exception as error:  # noqa: BLE001: samples that cannot be made
        rows.append({"kind": kind, "name": str(part)[:80], "level": "all", "skipped": f"{type(error).__name__}: {str(error)[:150]}"})
    return rows


# The report -----------------------------------------------------------------------------------


def is_fair(row):
    return "inductor" in row and "ours" in row and not any(row.get(key) for key in ("inductor_wrong", "ours_wrong", "inductor_aliases", "loops"))


def summarize(rows):
    ran = [r for r in rows if "skipped" not in r]
    fair = [r for r in ran if is_fair(r)]
    more = sum(r["ours"] > r["inductor"] for r in fair)
    return {"graphs": len(ran), "skipped": len(rows) - len(ran), "ours_wrong": sum(bool(r.get("ours_wrong")) for r in ran),
            "inductor_wrong": sum(bool(r.get("inductor_wrong")) for r in ran), "inductor_aliases": sum(bool(r.get("inductor_aliases")) for r in ran), "inductor_crashed": sum("inductor_crashed" in r for r in ran),
            "compared": len(fair), "before": sum(r["before"] for r in fair), "inductor": sum(r["inductor"] for r in fair),
            "ours": sum(r["ours"] for r in fair), "ours_fewer": sum(r["ours"] < r["inductor"] for r in fair), "ours_more": more,
            "ours_at_most_percent": round(100 * (1 - more / max(len(fair), 1)), 2)}


def markdown(rows):
    lines = ["# Inductor's passes behind autodiff and ours", "", *(f"- `{level}`: `{text % 'mode=best'}`" for level, text in PIPELINES.items()), "",
             "| level | kind | graphs | skipped | ours wrong | Inductor wrong | crashed | new aliases | compared | ops: before, Inductor, ours | ours fewer, more | ours <= |",
             "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for level in dict.fromkeys(r["level"] for r in rows):
        for kind in dict.fromkeys(r["kind"] for r in rows):
            part = [r for r in rows if (r["level"], r["kind"]) == (level, kind)]
            if not part:
                continue
            s = summarize(part)
            cells = [level, kind, s["graphs"], s["skipped"], s["ours_wrong"], s["inductor_wrong"], s["inductor_crashed"], s["inductor_aliases"], s["compared"],
                     f"{s['before']}, {s['inductor']}, {s['ours']}", f"{s['ours_fewer']}, {s['ours_more']}", f"{s['ours_at_most_percent']} %"]
            lines.append("| " + " | ".join(map(str, cells)) + " |")
    lines += ["", "## Where ours is wrong", ""]
    lines += [f"- {r['level']} {r['kind']} {r['name']}: {r['ours_wrong']}" for r in rows if r.get("ours_wrong")]
    lines += ["", "## Where ours has more ops", ""]
    groups = collections.defaultdict(list)
    for r in rows:
        if is_fair(r) and r["ours"] > r["inductor"]:
            mine, theirs = collections.Counter(r["ours_ops"]), collections.Counter(r["inductor_ops"])
            groups[r["level"], str(sorted((mine - theirs))), str(sorted(theirs - mine))].append((r, dict(mine - theirs), dict(theirs - mine)))
    for (level, _, _), found in sorted(groups.items(), key=lambda item: -len(item[1])):
        r, mine, theirs = found[0]
        lines.append(f"- {len(found)} x {level}: first {r['kind']} {r['name']}: {r['ours']} for {r['inductor']} (before {r['before']}); ours has {mine}, Inductor {theirs}, "
                     f"which counts {r.get('inductor_counters')}")
    lines += ["", "## Where Inductor is wrong or crashes", ""]
    for key in ("inductor_crashed", "inductor_wrong"):
        kinds = collections.defaultdict(list)
        for r in rows:
            if r.get(key):
                kinds[r["level"], "".join("#" if c.isdigit() or c in ".-" else c for c in r[key])[:60]].append(r)
        for (level, _), found in sorted(kinds.items(), key=lambda item: -len(item[1])):
            lines.append(f"- {len(found)} x {level} {key.removeprefix('inductor_')}: {found[0][key]}; first {found[0]['kind']} {found[0]['name']}")
    lines += ["", "## Skipped", ""]
    kinds = collections.Counter((r["kind"], "".join("#" if c.isdigit() or c in ".-" else c for c in r["skipped"])[:100]) for r in rows if "skipped" in r)
    lines += [f"- {n} x {kind}: {text}" for (kind, text), n in kinds.most_common()]
    return "\n".join(lines) + "\n"


def choose_parts(args):
    parts = []
    if args.functions:
        import aten_functions
        parts += [("function", list(aten_functions.FUNCTIONS)[i * args.every::8 * args.every]) for i in range(8)]
    if args.models:
        from fxgraph.testing.models import MODELS
        from fxgraph.testing.zoo import ZOO
        parts += [("model", [name]) for name in args.models.split(",")] if args.models != "all" else [("model", [name]) for name in [*MODELS, *ZOO]]
    if args.operators:
        from fxgraph.testing import opinfo
        parts += [("operator", [name]) for name in dict.fromkeys(info.name for info in opinfo.supported_operators(everything=True))]
    if args.modules:
        from fxgraph.testing import opinfo
        parts += [("module", [info.name]) for info in opinfo.module_db()]
    if args.seeds:
        first, last = map(int, args.seeds.split(":"))
        parts += [("random", (start, min(start + PART, last))) for start in range(first, last, PART)]
    return parts


def read_log(path):
    """{part: its rows}; what was being written when a run ended is not there."""
    found = {}
    if os.path.exists(path):
        with open(path) as file:
            for line in file:
                if line.endswith("\n"):
                    entry = json.loads(line)
                    found[json.dumps(entry["part"])] = entry["rows"]
    return found


def progress(part, rows):
    """A line for each level: what there is until now."""
    lines = [f"{part[0]} {part[1]}"]
    for level in dict.fromkeys(r["level"] for r in rows):
        s = summarize([r for r in rows if r["level"] == level])
        lines.append(f"  {level}: {s['graphs']} graphs, {s['skipped']} skipped, {s['ours_wrong']} wrong; ops at most Inductor's in "
                     f"{s['ours_at_most_percent']} % of {s['compared']}")
    return "\n".join(lines)


def run_parts(parts, args):
    """The rows of each part, in order."""
    if args.jobs == 1 and not args.log:
        yield from (run_part(*part, args.ops, args.every, args.levels) for part in parts)
        return
    # New processes now and then: what Dynamo and MLIR keep does not add up. Not by max_tasks_per_child, with which Python before 3.12.3 hangs.
    batch = PARTS_PER_PROCESS * args.jobs
    for start in range(0, len(parts), batch):
        with concurrent.futures.ProcessPoolExecutor(args.jobs, multiprocessing.get_context("spawn")) as pool:
            yield from pool.map(run_part, *zip(*((*part, args.ops, args.every, args.levels) for part in parts[start:start + batch])))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", help="A:B: random graphs of these seeds")
    parser.add_argument("--every", type=int, default=1, help="of the functions and random graphs only every n-th")
    parser.add_argument("--ops", type=int, default=14)
    parser.add_argument("--levels", default=",".join(ALL), help="of these levels alone")
    parser.add_argument("--functions", action="store_true", help="functions of the kinds of Inductor's tests")
    parser.add_argument("--models", nargs="?", const="all", help="captured models, or those of these names")
    parser.add_argument("--operators", action="store_true", help="samples of op_db")
    parser.add_argument("--modules", action="store_true", help="modules of torch.nn")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", help="JSON report; beside it one in markdown")
    parser.add_argument("--log", help="JSON lines, one for each part that is done: those that are there are not run again")
    args = parser.parse_args()
    args.levels = args.levels.split(",")
    unknown = [level for level in args.levels if level not in ALL]
    if unknown:
        parser.error(f"expected levels of {', '.join(ALL)} but got {', '.join(unknown)}")
    rows, parts = [], choose_parts(args)
    if args.log:
        done = read_log(args.log)
        rows = [row for part in parts for row in done.get(json.dumps(part), ())]
        parts = [part for part in parts if json.dumps(part) not in done]
    for part, found in zip(parts, run_parts(parts, args)):
        rows += found
        if args.log:
            with open(args.log, "a") as file:
                file.write(json.dumps({"part": part, "rows": found}) + "\n")
            print(progress(part, rows), flush=True)
    summary = summarize(rows)
    if args.out:
        with open(args.out, "w") as file:
            json.dump({"summary": summary, "graphs": rows}, file, indent=1)
        with open(os.path.splitext(args.out)[0] + ".md", "w") as file:
            file.write(markdown(rows))
    print(json.dumps(summary))
    for row in rows:
        if row.get("ours_wrong"):
            print(f"WRONG {row['level']} {row['kind']} {row['name']}: {row['ours_wrong']}")
    return 1 if summary["ours_wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
