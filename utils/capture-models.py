#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Captures the test models into test/Models.

<model>.<level>.mlir is the graph at a level, <model>.safetensors the weights of
both, the inputs, and PyTorch's outputs (out0, out1, …). Everything is seeded:
capturing again gives the same files (python/tests/test_models.py).
"""

import argparse
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))


def main():
    from fxgraph.module import write_weights
    from fxgraph.testing.models import MODELS, capture_model
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"of {', '.join(MODELS)}; default: all")
    parser.add_argument("-o", default=os.path.join(ROOT, "test", "Models"), help="output directory")
    args = parser.parse_args()
    for name in args.models or MODELS:
        if name not in MODELS:
            parser.error(f"expected one of {', '.join(MODELS)} but got {name}")
        modules, tensors = capture_model(name)
        for level, module in modules.items():
            module.save(os.path.join(args.o, f"{name}.{level}.mlir"))
            print(f"{name}.{level}: {sum(module.op_counts().values())} ops, unknown: {[str(u) for u in module.unknown_ops]}")
        write_weights(os.path.join(args.o, f"{name}.safetensors"), tensors)


if __name__ == "__main__":
    main()
