# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# UNSUPPORTED: sanitizer
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %t | FileCheck %s
# CHECK: {{^[1-9][0-9]*}} passes, {{[1-9][0-9]*}} graphs, {{[1-9][0-9]*}} runs: 0 failures
"""The documented example of every pass, changed by one step in all the ways that do not
depend on what the pass does: other users, results, writes, spellings, types, orders.

Each changed graph must be left alone or rewritten rightly: `fx-fuzz --replay` asks that
rewrites, results and written arguments are right (bit for bit where a rewrite is exact),
that no result shares storage that it did not share, that unknown ops are all there, and
that a second run changes nothing. What depends on the pass is in its own `-negative.mlir`;
docs/Passes/Hazards.md says which hazard is shown where.

    near-examples.py DIRECTORY [PASS]   the graphs stay in DIRECTORY
"""
import glob
import os
import re
import subprocess
import sys

import fxgraph

HERE = os.path.dirname(os.path.abspath(__file__))
# Options under which a pass does more, or other things; each where a pass has it.
OPTIONS = ("allow-other-users=true", "threshold-to-cat=2 allow-steps=true", "keep-users=true", "allow-multi-use=true", "trim-ends=true", "allow-recompute=true",
           "require-constants=false", "inference=true", "all-pointwise=true", "min-fuse-set-size=2 same-first-user=false",
           "min-fuse-set-size=2 max-fuse-search-depth=5", "numerics=relaxed", "skip-dynamic-shape-dim-check=true", "enable-linear-binary-folding=true",
           "default-device=cuda keep-addmm-fused-for-half-dtypes=false numerics=relaxed", "view-to-reshape=true transpose-to-permute=true", "norm-chains=false")
CHANGES = []
# Possible for every example; others need two operands of a type, or a dimension.
ALWAYS = ("other_users", "inner_results", "result_twice", "argument_results", "writes", "unknown_writer", "draws_between", "dead_copies", "whole_twice",
          "foreign_operands", "other_dtypes", "one_extent", "in_region")


def change(function):
    """A generator of changed copies of a graph, named for the hazard."""
    CHANGES.append(function)
    return function


# Graphs as text ------------------------------------------------------------------------


def split_commas(text):
    """The parts of a list of types or attributes."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += (char in "<([{") - (char in ">)]}" and text[i - 1] != "-")
        if char == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    rest = text[start:].strip()
    return parts + [rest] if rest else parts


class Op:
    def __init__(self, name, operands, results, attributes, types):
        self.name, self.operands, self.results, self.attributes, self.types = name, list(operands), list(results), attributes, list(types)

    def copy(self):
        return Op(self.name, self.operands, self.results, self.attributes, self.types)


class Graph:
    """Arguments [(value, type, attributes)], ops in generic form, returned values."""

    def __init__(self, arguments, ops, returned):
        self.arguments, self.ops, self.returned = list(arguments), [op.copy() for op in ops], list(returned)
        self.fresh = 0
        # The number of the first op that stands in a region.
        self.inner = None

    def copy(self):
        return Graph(self.arguments, self.ops, self.returned)

    def types(self):
        found = {value: type_ for value, type_, _ in self.arguments}
        for op in self.ops:
            found.update(zip(op.results, op.types))
        return found

    def tensors(self):
        return [(value, type_) for value, type_ in self.types().items() if type_.startswith("tensor<")]

    def add(self, name, operands, type_, at=None, attributes=""):
        """A new op of one result, at the end or before op `at`; its result."""
        self.fresh += 1
        op = Op(name, operands, [f"%new{self.fresh}"], attributes, [type_])
        self.ops.insert(len(self.ops) if at is None else at, op)
        return op.results[0]

    def definition(self, value):
        """The number of the op behind which a value is there; -1 for arguments."""
        return next((i for i, op in enumerate(self.ops) if value in op.results), -1)

    def write(self, at):
        """A statement that changes the first argument of floats, before op `at`; None without one."""
        for value, type_, _ in self.arguments:
            if type_.startswith("tensor<") and element(type_).startswith(("f", "bf")) and "?" not in type_:
                negated = self.add("fxgraph.neg", [value], type_, at)
                self.ops.insert(at + 1, Op("fxgraph.copy_", [value, negated], [], "", []))
                return self
        return None

    def text(self, name):
        types = self.types()
        arguments = ", ".join(f"{value}: {type_}{' ' + attributes if attributes else ''}" for value, type_, attributes in self.arguments)
        lines = [f"func.func @{name}({arguments}) -> ({', '.join(types[value] for value in self.returned)}) {{"]
        def end(name, values):
            return f"  {name} {', '.join(values)} : {', '.join(types[value] for value in self.returned)}" if values else f"  {name}"

        ops = []
        for op in self.ops:
            results = ""
            if op.results:
                base = op.results[0].split("#")[0]
                results = (base if len(op.results) == 1 and "#" not in op.results[0] else f"{base}:{len(op.results)}") + " = "
            ops.append(f'  {results}"{op.name}"({", ".join(op.operands)}) {op.attributes} : ({", ".join(types[o] for o in op.operands)}) -> ({", ".join(op.types)})')
        if self.inner is None:
            lines += [*ops, end("return", self.returned)]
        else:
            # The same in both branches.
            branch = [*ops[self.inner:], end("scf.yield", self.returned)]
            result_types = ", ".join(types[value] for value in self.returned)
            lines += [*ops[:self.inner], "  %condition = arith.constant true", f"  %branch:{len(self.returned)} = scf.if %condition -> ({result_types}) {{",
                      *branch, "  } else {", *branch, "  }", end("return", [f"%branch#{i}" for i in range(len(self.returned))])]
        return "\n".join(lines) + "\n}\n"


def element(type_):
    return re.match(r"tensor<(?:(?:\?|\d+)x)*([\w]+)", type_)[1]


def extents(type_):
    return re.match(r"tensor<((?:(?:\?|\d+)x)*)", type_)[1].split("x")[:-1]


def rank(type_):
    return len(extents(type_))


OP = re.compile(r'^\s*(?:(%[\w]+)(?::(\d+))? = )?"([\w.]+)"\(([^)]*)\)\s?(.*) : \((.*?)\) -> (.*)$')


def parse(text):
    """The graphs of what fx-opt prints in generic form."""
    aliases = dict(re.findall(r"^(#\w+) = (.*)$", text, re.M))
    for name, value in aliases.items():
        text = re.sub(re.escape(name) + r"\b", lambda _: value, text)
    graphs = []
    for part in text.split('"func.func"()')[1:]:
        header = re.search(r"\^bb0\((.*)\):$", part, re.M)
        arguments = [tuple(entry.split(": ", 1)) for entry in split_commas(header[1])] if header else []
        # The attributes of the arguments: kinds and names.
        attributes = re.search(r"arg_attrs = \[(.*?)\], function_type", part)
        attributes = split_commas(attributes[1]) if attributes else [""] * len(arguments)
        ops, returned = [], []
        for line in part.splitlines():
            match = OP.match(line)
            if not match:
                continue
            result, count, name, operands, attrs, _, types = match.groups()
            if name == "func.return":
                returned = split_commas(operands)
                break
            results = [] if not result else [f"{result}#{i}" for i in range(int(count))] if count else [result]
            ops.append(Op(name, split_commas(operands), results, attrs, split_commas(types[1:-1] if types.startswith("(") else types)))
        graphs.append(Graph([(value, type_, "" if extra == "{}" else extra) for (value, type_), extra in zip(arguments, attributes)], ops, returned))
    return graphs


# Changes ----------------------------------------------------------------------------------


def read(graph, value, type_):
    """A result that depends on every element of a value and shares nothing with it."""
    return graph.add("fxgraph.logical_not" if element(type_) == "i1" else "fxgraph.neg", [value], type_)


@change
def other_users(graph):
    """An inner value, or an argument, is read elsewhere, too."""
    for value, type_ in graph.tensors():
        new = graph.copy()
        new.returned.append(read(new, value, type_))
        yield new


@change
def inner_results(graph):
    """An inner value is a result, too."""
    for op in graph.ops:
        for value, type_ in zip(op.results, op.types):
            if type_.startswith("tensor<"):
                new = graph.copy()
                new.returned.append(value)
                yield new


@change
def result_twice(graph):
    """One value is two results."""
    for value in graph.returned:
        new = graph.copy()
        new.returned.append(value)
        yield new


@change
def argument_results(graph):
    """An argument is a result as it is."""
    for value, type_, _ in graph.arguments:
        if type_.startswith("tensor<"):
            new = graph.copy()
            new.returned.append(value)
            yield new


@change
def writes(graph):
    """The first argument is written before some op, or behind all."""
    for at in range(1, len(graph.ops) + 1):
        new = graph.copy().write(at)
        if new:
            yield new


@change
def unknown_writer(graph):
    """An unknown op, which may write to it, takes an inner value, or an argument."""
    for value, type_ in graph.tensors():
        new = graph.copy()
        at = new.definition(value) + 1
        new.returned.append(new.add("fxgraph.opaque", [value], type_, at, '{target = "custom.add_.default"}'))
        yield new


@change
def unknown_between(graph):
    """An unknown op that sees nothing of it stands between two ops."""
    for at in range(1, len(graph.ops)):
        new = graph.copy()
        new.ops.insert(at, Op("fxgraph.opaque", [], [], '{target = "custom.log.default"}', []))
        yield new


@change
def draws_between(graph):
    """Numbers are drawn before, between and behind the ops."""
    new = graph.copy()
    for at in range(len(graph.ops), -1, -1):
        new.returned.append(new.add("fxgraph.rand", [], "tensor<2xf32>", at))
    yield new


@change
def dead_copies(graph):
    """Each op is there again, without users."""
    new = graph.copy()
    new.ops = []
    for op in graph.ops:
        new.ops.append(op)
        if op.results and op.name not in ("fxgraph.rand", "fxgraph.exponential"):
            copy = op.copy()
            copy.results = [result.replace("%", "%dead") for result in op.results]
            new.ops.append(copy)
    yield new


@change
def whole_twice(graph):
    """All of it twice on the same arguments, one after the other and side by side."""
    for mixed in (False, True):
        new = graph.copy()
        renamed = {result: result.replace("%", "%again") for op in graph.ops for result in op.results}
        copies = []
        for op in graph.ops:
            copy = op.copy()
            copy.operands = [renamed.get(operand, operand) for operand in op.operands]
            copy.results = [renamed[result] for result in op.results]
            copies.append(copy)
        new.ops = [op for pair in zip(graph.ops, copies) for op in pair] if mixed else graph.ops + copies
        new.returned += [renamed.get(value, value) for value in graph.returned]
        yield new


@change
def other_order(graph):
    """The same ops, each as late as it can stand, and each as early."""
    for late in (True, False):
        new = graph.copy()
        waiting, new.ops = list(enumerate(graph.ops)), []
        known = {value for value, _, _ in graph.arguments}
        while waiting:
            if late:
                # From behind: any op whose results no waiting op needs; the first one.
                at, op = next((at, op) for at, op in waiting if not any(set(op.results) & set(other.operands) for _, other in waiting))
                new.ops.insert(0, op)
            else:
                at, op = next((at, op) for at, op in reversed(waiting) if set(op.operands) <= known)
                new.ops.append(op)
                known.update(op.results)
            waiting.remove((at, op))
        if [id(op) for op in new.ops] != [id(op) for op in graph.ops]:
            yield new


def neighbours(graph):
    """(copy of the graph, operands of an op in it, j): operands j and j + 1 are two values of one type."""
    types = graph.types()
    for i, op in enumerate(graph.ops):
        for j, (first, second) in enumerate(zip(op.operands, op.operands[1:])):
            if types[first] == types[second] and first != second:
                new = graph.copy()
                yield new, new.ops[i].operands, j


@change
def swapped_operands(graph):
    """Two operands of one type change places."""
    for new, operands, j in neighbours(graph):
        operands[j], operands[j + 1] = operands[j + 1], operands[j]
        yield new


@change
def repeated_operands(graph):
    """An operand stands in the place of its neighbour, too."""
    for new, operands, j in neighbours(graph):
        operands[j + 1] = operands[j]
        yield new


@change
def foreign_operands(graph):
    """An operand comes from elsewhere: a new argument of its type."""
    for i, op in enumerate(graph.ops):
        for j, operand in enumerate(op.operands):
            type_ = graph.types()[operand]
            if type_.startswith("tensor<"):
                new = graph.copy()
                new.arguments.append(("%foreign", type_, ""))
                new.ops[i].operands[j] = "%foreign"
                yield new


@change
def same_argument(graph):
    """Two arguments of one type are one."""
    for i, (first, type_, _) in enumerate(graph.arguments):
        for second, other, _ in graph.arguments[i + 1:]:
            if type_ == other:
                new = graph.copy()
                new.arguments = [entry for entry in graph.arguments if entry[0] != second]
                for op in new.ops:
                    op.operands = [first if operand == second else operand for operand in op.operands]
                new.returned = [first if value == second else value for value in new.returned]
                yield new


NAMES_OF_DIMS = ("dim", "dims", "dim0", "dim1", "start_dim", "end_dim")


@change
def negative_dims(graph):
    """All dimensions count from the end, or, where they did, from the start."""
    new = graph.copy()
    for op in new.ops:
        # stack and unsqueeze count in the rank of the result.
        base = op.types[0] if op.name in ("fxgraph.stack", "fxgraph.unsqueeze") else graph.types()[op.operands[0]] if op.operands else ""
        if not base.startswith("tensor<"):
            continue
        count = rank(base)
        flip = lambda text, count=count: str(int(text) - count if int(text) >= 0 else int(text) + count)  # noqa: E731
        op.attributes = re.sub(rf"\b({'|'.join(NAMES_OF_DIMS)}) = (-?\d+)", lambda m: f"{m[1]} = {flip(m[2])}", op.attributes)
        op.attributes = re.sub(rf"\b({'|'.join(NAMES_OF_DIMS)}) = array<i64: ([-\d, ]+)>",
                               lambda m: f"{m[1]} = array<i64: {', '.join(flip(n) for n in m[2].split(','))}>", op.attributes)
    if [op.attributes for op in new.ops] != [op.attributes for op in graph.ops]:
        yield new


def with_types(graph, replace):
    new = graph.copy()
    new.arguments = [(value, replace(type_), extra) for value, type_, extra in graph.arguments]
    for op in new.ops:
        op.types = [replace(type_) for type_ in op.types]
    return new


@change
def other_dtypes(graph):
    """f64, 16 bits, integers, bools: all tensors of f32 at once."""
    for dtype in ("f64", "f16", "bf16", "i64", "i32", "i8", "ui8", "i1"):
        yield with_types(graph, lambda type_, dtype=dtype: re.sub(r"(?<=[x<])f32\b", dtype, type_))


@change
def other_device(graph):
    """All tensors on the second GPU."""
    def move(type_):
        return re.sub(r"^tensor<((?:\d+x)*\w+)>$", r'tensor<\1, #fxgraph.meta<device = "cuda:1">>', type_)
    yield with_types(graph, move)


@change
def one_extent(graph):
    """One extent of the arguments is 0, 1, not known, or a symbol, wherever that number stands."""
    numbers = {n for _, type_, _ in graph.arguments if type_.startswith("tensor<") for n in extents(type_) if n.isdigit() and int(n) > 1}
    for number in sorted(numbers, key=int):
        for to, encoding in (("0", None), ("1", None), ("?", None), ("?", "s0")):
            def replace(type_, to=to, encoding=encoding, number=number):
                if not type_.startswith("tensor<") or "#" in type_:
                    return type_
                changed = [to if n == number else n for n in extents(type_)]
                unknown = changed.count("?")
                meta = f", #fxgraph.meta<dims = [{', '.join([encoding] * unknown)}]>" if encoding and unknown else ""
                return f"tensor<{''.join(n + 'x' for n in changed)}{element(type_)}{meta}>"
            new = with_types(graph, replace)
            for op in new.ops:
                if to != "?":
                    op.attributes = re.sub(rf"(shape|sizes|repeats|normalized_shape) = array<i64: ([^>]*)>",
                                           lambda m, number=number, to=to: f"{m[1]} = array<i64: {re.sub(rf'(?<!-)(?<![0-9]){number}(?![0-9])', to, m[2])}>", op.attributes)
            yield new


@change
def in_region(graph):
    """The ops from one on stand in another block."""
    for at in range(len(graph.ops) if graph.returned else 0):
        new = graph.copy()
        new.inner = at
        yield new


# Running ----------------------------------------------------------------------------------


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def is_valid(text):
    """Types and attributes of one step may contradict each other."""
    try:
        fxgraph.Module(text).verify()
    except fxgraph.ToolError:
        return False
    return True


def examples():
    """(pass with its options, its graphs) from the documented examples and their kin."""
    for path in sorted(glob.glob(os.path.join(HERE, "*", "*-example.mlir"))):
        with open(path) as file:
            line = next(line for line in file if re.search("RUN[:] fx-opt %s", line))
        flag = re.search(r"--(fxgraph-[\w-]+)(?:=\"?'?([^\"'|]*)\"?'?)?(?: |$)", line)
        nested = re.search(r"func\.func\((fxgraph-[^)]*)\)", line)
        name = nested[1] if nested else flag[1] + (f"{{{flag[2].strip()}}}" if flag[2] else "")
        name = name.replace("%S", os.path.dirname(path))
        if re.search(r"fxgraph-(freezing-split|on-devices|fixpoint|numeric-check|jointgraph-replace-random|jointgraph-fuse-seed-creation|specialize-sizes)|allow-rng-reorder", name):
            continue  # Others run inside them; the type of the function, or the draws, change.
        if re.search(r"-to-while-loop|canonicalize-quant-mapping", name):
            continue  # The graphs here are flat.
        printed = run("fx-opt", path, "--mlir-print-op-generic")
        if printed.returncode:
            sys.exit(printed.stderr)
        yield name, printed.stdout
        for other in KIN.get(os.path.basename(path), ()):
            yield other[0], re.sub(*other[1], printed.stdout)


def variants(name):
    """The pass as its example runs it, and with each option that it has."""
    flag, empty = name.split("{")[0], fxgraph.Module("func.func @empty() { return }")
    found = [name]
    for option in OPTIONS:
        try:
            empty.clone().run_passes(f"builtin.module(func.func({flag}{{{option}}}))")
            found.append(f"{flag}{{{option}}}")
        except fxgraph.ToolError:
            pass
    return found


# Passes whose example is that of another, but for the op.
TANH = r'"fxgraph\.tanh"\((%\w+)\)'
KIN = {"batch-tanh-example.mlir": [
    (f"fxgraph-group-batch-{name.replace('_', '-')}{{min-fuse-set-size=2}}", (TANH, rf'"fxgraph.{name}"(\1){attributes}'))
    for name, attributes in (("relu", ""), ("sigmoid", ""), ("detach", ""), ("nan_to_num", " <{nan = 5.000000e-01 : f64}>"), ("clamp", " <{min = -1.000000e+00 : f64}>"),
                             ("dropout", " <{p = 2.500000e-01 : f64, training = false}>"))]}


def main():
    directory, wanted = sys.argv[1], sys.argv[2:]
    passes, total, runs, failures = set(), 0, 0, []
    for name, printed in examples():
        if wanted and name.split("{")[0] not in wanted:
            continue
        passes.add(name.split("{")[0])
        texts, counts = [], {}
        for graph in parse(printed):
            for make in CHANGES:
                for new in make(graph):
                    text = new.text(f"{make.__name__}_{len(texts)}")
                    if is_valid(text):
                        texts.append(text)
                        counts[make.__name__] = counts.get(make.__name__, 0) + 1
        missing = [key for key in ALWAYS if key not in counts]
        if missing:
            failures.append(f"{name}: expected graphs of {', '.join(missing)}")
        path = os.path.join(directory, re.sub(r"[^\w-]", "_", name) + ".mlir")
        with open(path, "w") as file:
            file.write("\n".join(texts))
        pipelines = variants(name)
        checked = run("fx-fuzz", "--replay", path, "--passes", ";".join(pipelines))
        print(f"{name}: " + ", ".join(f"{key} {count}" for key, count in counts.items()))
        if checked.returncode or f" {len(texts)} graphs: 0 failures" not in checked.stdout:
            failures.append(f"{path}\n{checked.stdout}{checked.stderr}")
        total += len(texts)
        runs += len(texts) * len(pipelines)
    print(f"{len(passes)} passes, {total} graphs, {runs} runs: {len(failures)} failures")
    print("\n".join(failures))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
