# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m fxgraph: import a model, run pipelines, look at a graph."""

import argparse
import importlib
import importlib.util
import os
import sys
import traceback

from . import __version__
from .errors import FxGraphError, ImportFailure


def load_callable(spec):
    """The callable of "package.module:name" or "file.py:name"."""
    place, colon, name = spec.rpartition(":")
    if not colon or not place or not name:
        raise ImportFailure(f"expected FILE.pt2, FILE.py:CALLABLE or MODULE:CALLABLE but got {spec}")
    if place.endswith(".py"):
        if not os.path.isfile(place):
            raise ImportFailure(f"expected a file but {place} does not exist")
        module_spec = importlib.util.spec_from_file_location(os.path.basename(place)[:-3], place)
        module = importlib.util.module_from_spec(module_spec)
        sys.modules[module_spec.name] = module
        runner = module_spec.loader.exec_module
        arguments = (module,)
    else:
        sys.path.insert(0, os.getcwd())
        runner, arguments = importlib.import_module, (place,)
    try:
        loaded = runner(*arguments)
    except Exception as error:
        raise ImportFailure(f"{place} cannot be imported: {type(error).__name__}: {error}") from error
    value = module if place.endswith(".py") else loaded
    for part in name.split("."):
        if not hasattr(value, part):
            raise ImportFailure(f"expected {place} to define {name}")
        value = getattr(value, part)
    if not callable(value):
        raise ImportFailure(f"expected {spec} to be callable")
    return value


def command_import(args):
    import fxgraph
    if args.model.endswith(".pt2"):
        module = fxgraph.load(args.model, strict=args.strict)
    else:
        function = load_callable(args.model)
        try:
            made = function()
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            text = next(iter(str(error).splitlines()), "")
            raise ImportFailure(f"{args.model} failed at {frame.filename}:{frame.lineno}: {type(error).__name__}: {text}") from error
        if not isinstance(made, tuple) or len(made) not in (2, 3) or not isinstance(made[1], (tuple, list)) \
                or not isinstance(made[-1], (tuple, list) if len(made) == 2 else dict):
            raise ImportFailure(f"expected {args.model} to return (model, args) or (model, args, kwargs)")
        kwargs = made[2] if len(made) == 3 else {}
        module = fxgraph.capture(made[0], *made[1], level=args.level, strict=args.strict, **kwargs)
    if args.passes:
        module.run_passes(args.passes)
    if args.weights:
        module.save_weights(args.weights)
    try:
        emit(module, args.output)
    except BaseException:
        if args.weights and os.path.exists(args.weights):
            os.unlink(args.weights)
        raise


def emit(module, path):
    if path == "-":
        sys.stdout.write(module.asm)
    else:
        module.save(path)


def command_run_passes(args):
    import fxgraph
    module = fxgraph.load(args.input)
    report = module.run_passes(args.pipeline)
    emit(module, args.output)
    for name, count in sorted(report.counters.items()):
        print(f"{name}: {count}", file=sys.stderr)
    if args.remarks:
        for remark in report.remarks:
            word = "applied" if remark.get("applied") else "refused"
            print(f"{word} {remark.get('pattern')} at {remark.get('location')}: {remark.get('detail')}", file=sys.stderr)


def command_info(args):
    import fxgraph
    module = fxgraph.load(args.input)
    for name, count in module.op_counts().items():
        print(f"{count:6} {name}")
    for unknown in module.unknown_ops:
        print(f"opaque {unknown}")


def build_parser():
    parser = argparse.ArgumentParser(prog="python -m fxgraph", description="PyTorch FX graph passes as MLIR")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    sub = commands.add_parser("import", help="import a model as fxgraph IR")
    sub.add_argument("model", help="FILE.pt2, FILE.py:CALLABLE or MODULE:CALLABLE that returns (model, args)")
    sub.add_argument("-o", "--output", default="-", help=".mlir or .mlirbc; - prints")
    sub.add_argument("--weights", help="write the weights to this .safetensors")
    sub.add_argument("--level", choices=("torch", "aten"), default="torch", help="of the capture (default: torch)")
    sub.add_argument("--passes", help="run this pipeline after the import")
    sub.add_argument("--strict", action="store_true", help="fail if an op is not modelled")
    sub.set_defaults(run=command_import)
    sub = commands.add_parser("run-passes", help="run a pass pipeline")
    sub.add_argument("input")
    sub.add_argument("pipeline", help='for example "fxgraph-pre-grad{fusions=batch-linear}"')
    sub.add_argument("-o", "--output", default="-")
    sub.add_argument("--remarks", action="store_true", help="print what was rewritten and what was refused")
    sub.set_defaults(run=command_run_passes)
    sub = commands.add_parser("info", help="count the ops of a graph")
    sub.add_argument("input")
    sub.set_defaults(run=command_info)
    return parser


def main(argv=None):
    args = build_parser().parse_args(argv)
    try:
        args.run(args)
    except FxGraphError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 0
    return 0
