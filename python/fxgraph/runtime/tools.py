# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tools as a driver: one subprocess for each request."""

import json
import os
import re
import shutil
import subprocess
import tempfile

from ..errors import ToolError

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def search_path():
    """Where the tools may be: FXGRAPH_BIN_DIR, the wheel, the source tree's build folder."""
    places = []
    if os.environ.get("FXGRAPH_BIN_DIR"):
        places.append(os.environ["FXGRAPH_BIN_DIR"])
    places.append(os.path.join(_PACKAGE, "bin"))
    places.append(os.path.join(os.path.dirname(os.path.dirname(_PACKAGE)), "build", "bin"))
    return places


def find_tool(name):
    """Path of a tool; ToolError that says where it was looked for."""
    for place in search_path():
        path = os.path.join(place, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    path = shutil.which(name)
    if path:
        return path
    raise ToolError(f"expected the tool {name} in {', '.join(search_path())} or on PATH; build it, or set FXGRAPH_BIN_DIR")


def split_pipeline(text):
    """["name{options}", …] of a comma-separated list, braces and parentheses respected."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        if char in "{([":
            depth += 1
        elif char in "})]":
            depth -= 1
            if depth < 0:
                raise ToolError(f"unbalanced brackets in the pipeline {text!r}")
        elif char == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    if depth:
        raise ToolError(f"unbalanced brackets in the pipeline {text!r}")
    parts.append(text[start:].strip())
    return [p for p in parts if p]


def pipeline_flags(text):
    """fx-opt's flags of a pipeline. With flags, passes nest where they belong."""
    text = text.strip()
    if text.startswith("builtin.module"):
        return [f"--pass-pipeline={text}"]
    if re.match(r"[\w.]+\(", text):
        return [f"--pass-pipeline=builtin.module({text})"]
    flags = []
    for part in split_pipeline(text):
        name, brace, options = part.partition("{")
        name = name.lstrip("-")
        if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
            raise ToolError(f"expected a pass name but got {name!r}")
        flags.append(f"--{name}={options[:-1]}" if brace else f"--{name}")
    return flags


class ToolDriver:
    """fx-opt and fx-run."""

    def call(self, tool, flags, stdin=None):
        """stdout and stderr of a tool; ToolError with its diagnostics."""
        command = [find_tool(tool), *flags]
        try:
            done = subprocess.run(command, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        except OSError as error:
            raise ToolError(f"{tool} cannot be run: {error}") from error
        if done.returncode != 0:
            message = done.stderr.decode(errors="replace").strip()
            raise ToolError(f"{tool} failed ({done.returncode}): {message}")
        return done.stdout, done.stderr

    def parse(self, path):
        out, _ = self.call("fx-opt", ["--mlir-print-debuginfo", path])
        return out.decode()

    def verify(self, asm):
        self.call("fx-opt", ["-o", os.devnull], asm.encode())

    def bytecode(self, asm):
        out, _ = self.call("fx-opt", ["--emit-bytecode"], asm.encode())
        return out

    def generic(self, asm):
        """The same graph in generic form."""
        out, _ = self.call("fx-opt", ["--mlir-print-op-generic", "--mlir-print-debuginfo"], asm.encode())
        return out.decode()

    def run_passes(self, asm, pipeline):
        from ..module import Report
        with tempfile.TemporaryDirectory(prefix="fxgraph-") as folder:
            report_file = os.path.join(folder, "report.json")
            flags = pipeline_flags(pipeline) + ["--mlir-print-debuginfo", f"--fxgraph-report={report_file}",
                                                "--mlir-timing", "--mlir-timing-display=list"]
            out, err = self.call("fx-opt", flags, asm.encode())
            record = {"counters": {}, "events": []}
            if os.path.isfile(report_file) and os.path.getsize(report_file):
                with open(report_file, encoding="utf-8") as stream:
                    record = json.load(stream)
        return out.decode(), Report(record["counters"], record["events"], parse_timing(err.decode(errors="replace")))

    def run(self, asm, inputs, output, target):
        """Runs a graph; `inputs` and `output` are files that fx-run knows."""
        with tempfile.TemporaryDirectory(prefix="fxgraph-") as folder:
            model = os.path.join(folder, "model.mlir")
            with open(model, "w", encoding="utf-8") as stream:
                stream.write(asm)
            self.call("fx-run", [model, f"--target={target}", f"--inputs={inputs}", "-o", output])


def parse_timing(text):
    """{pass: wall seconds} of --mlir-timing-display=list."""
    seconds = {}
    for line in text.splitlines():
        match = re.match(r"\s*([0-9.]+) \(\s*[0-9.]+%\)(?:\s+[0-9.]+ \(\s*[0-9.]+%\))?\s+(.*\S)\s*$", line)
        if match and match[2] not in ("Total", "Rest", "root"):
            seconds[match[2]] = seconds.get(match[2], 0.0) + float(match[1])
    return seconds
