#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the examples of README.md: every `sh` and `python` block below "Use it".

    check-readme.py [--no-python]      from the top of a built checkout

`$OUT` is a temporary folder. A Python example must not print False.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-python", action="store_true", help="leave out the examples that need PyTorch")
    parser.add_argument("--build", default=str(ROOT / "build"))
    args = parser.parse_args()
    text = (ROOT / "README.md").read_text().split("## Use it", 1)[1].split("\n## ", 1)[0]
    blocks = re.findall(r"^```(sh|python)\n(.*?)^```", text, re.M | re.S)
    if len(blocks) < 5:
        sys.exit(f"check-readme: expected 5 examples or more but got {len(blocks)}")
    ran = 0
    with tempfile.TemporaryDirectory() as out:
        environment = {**os.environ, "OUT": out, "PYTHONPATH": str(ROOT / "python"), "FXGRAPH_BIN_DIR": os.path.join(args.build, "bin")}
        for language, code in blocks:
            if language == "python" and args.no_python:
                continue
            code = code.replace("build/", args.build.rstrip("/") + "/") if language == "sh" else code
            command = ["bash", "-euc", code] if language == "sh" else [sys.executable, "-c", code]
            result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
            if result.returncode or (language == "python" and "False" in result.stdout):
                sys.exit(f"check-readme: this example failed:\n{code}\n{result.stdout[-1000:]}\n{result.stderr[-2000:]}")
            ran += 1
    print(f"{ran} examples of README.md ran")


if __name__ == "__main__":
    main()
