#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fills in the examples of docs/Passes/*.md from the tests.

    gen-pass-examples.py [--check] [--fx-opt build/bin/fx-opt]

Between `<!-- example: FLAG -->` and `<!-- /example -->` stand the graph of
test/Transforms/<page>/<name>-example.mlir and what fx-opt makes of it with the
options of its RUN line; FLAG is that of the pass, which ends in <name>. A page named
like a family of passes has an example of each pass in its Passes.td. `--check`
compares instead of writing and exits with 1 if a page is out of date.
"""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys

from ods_records import write_or_check

ROOT = pathlib.Path(__file__).resolve().parent.parent


def functions(text):
    """The functions of a module, without the module, comments and checks."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("//")]
    text = "\n".join(lines)
    return text[re.search(r"^ *func\.func", text, re.M).start() :].strip()


def unindent(text):
    """fx-opt prints functions inside a module: two spaces deeper."""
    text = re.sub(r"\n}\s*$", "", functions(text))
    return re.sub(r"^  ", "", text, flags=re.M)


def example(page, flag, fx_opt):
    parts = flag.split("-")
    names = ["-".join(parts[i:]) for i in range(len(parts))]
    paths = [ROOT / "test" / "Transforms" / page / f"{name}-example.mlir" for name in names]
    path = next((path for path in paths if path.exists()), None)
    if path is None:
        sys.exit(f"docs/Passes/{page}.md: expected {paths[min(1, len(paths) - 1)].relative_to(ROOT)} for the example of {flag}")
    source = path.read_text()
    run = re.search(r"^// RUN: fx-opt %s (.*?)(\s*\||$)", source, re.M)
    if not run or f"fxgraph-{flag}" not in run[1]:
        sys.exit(f"{path.relative_to(ROOT)}: expected a RUN line with fx-opt %s and fxgraph-{flag}")
    arguments = shlex.split(run[1].replace("%S", str(path.parent)))
    result = subprocess.run([fx_opt, str(path), *arguments], capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{path.relative_to(ROOT)}: {result.stderr}")
    passes = re.sub(r"--pass-pipeline='builtin\.module\(func\.func\((.*)\)\)'", r"\1", run[1])
    passes = passes.replace("%S", str(path.parent.relative_to(ROOT)))
    return f"```mlir\n{functions(source)}\n// {passes}\n{unindent(result.stdout)}\n```"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--fx-opt", default=str(ROOT / "build" / "bin" / "fx-opt"))
    args = parser.parse_args()
    count, status = 0, 0
    for path in sorted((ROOT / "docs" / "Passes").glob("*.md")):
        page, text = path.stem, path.read_text()
        pieces = re.split(r"(<!-- example: [\w-]+ -->\n).*?(<!-- /example -->)", text, flags=re.S)
        shown = [re.search(r": ([\w-]+) -->", piece)[1] for piece in pieces[1::3]]
        for i, flag in enumerate(shown):
            pieces[3 * i + 1] += example(page, flag, args.fx_opt) + "\n"
        td = ROOT / "include" / "fxgraph" / "Transforms" / page / "Passes.td"
        declared = re.findall(r'^def \w+ : FxGraph\w*Pass<"([\w-]+)"', td.read_text(), re.M) if td.exists() else []
        if missing := set(declared) - set(shown):
            sys.exit(f"docs/Passes/{page}.md: expected an example of {', '.join(sorted(missing))}")
        count += len(shown)
        status |= write_or_check(f"docs/Passes/{path.name}", "".join(pieces), args.check)
    print(f"{count} examples of passes")
    return status


if __name__ == "__main__":
    sys.exit(main())
