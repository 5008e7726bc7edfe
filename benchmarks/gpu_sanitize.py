#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generated kernels under NVIDIA's compute-sanitizer, on a GPU: the graphs of test/Backend/GPU and small random workloads.

    gpu_sanitize.py [--tools memcheck,racecheck,initcheck,synccheck] [--only REGEX] [--seed S] [--count N] [--jobs J]
    gpu_sanitize.py --tools none          values alone: every emulated test on the card, against the reference interpreter

The commands are those RUN lines of test/Backend/GPU that run graphs in the emulator, on the card instead; and workloads
of each kind of gpu_draws.py, on as few elements as --elements says, compiled for a large device and for one
multiprocessor (which gives threads more to do), products and attention without libraries as well. Memory is guarded on
both sides (memcheck's padding). Findings in kernels of libraries are counted apart. The exit status is 1 if a kernel of
ours has a finding, a value differs or a command fails.
"""
import argparse
import concurrent.futures
import glob
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
# Calls of the driver that fail are none of the kernels': the runtime asks for a kernel's parameters until there is none.
TOOLS = {"memcheck": ["--padding", "64", "--report-api-errors", "no"], "racecheck": ["--racecheck-report", "all"], "initcheck": [], "synccheck": [], "none": None}
# Our kernels are called k<number>_<ops>, and so are those of no library.
OWN = re.compile(r"\bk\d+_\w+")
# Sums of a library and of more threads come in another order than the emulator's, whose tests are as tight as that one allows.
CARD_TOLERANCE = {"--rtol": 1e-5, "--atol": 3e-5}
WITH_PRODUCTS = ("small_products", "product", "attention", "convolution")


def split_file(path, folder):
    """What LLVM's split-file does: the parts of a file behind lines `//--- name`."""
    parts = re.split(r"^//--- (\S+)\n", open(path).read(), flags=re.M)
    for name, text in zip(parts[1::2], parts[2::2]):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)


def widened(words):
    """Arguments of fx-run, with tolerances for the card if they compare."""
    if not any(word.startswith("--compare-target") for word in words):
        return words
    given = dict(word.split("=", 1) for word in words if word.startswith(tuple(f"{name}=" for name in CARD_TOLERANCE)))
    rest = [word for word in words if word.split("=", 1)[0] not in CARD_TOLERANCE]
    return rest + [f"{name}={max(float(given.get(name, 0)), least)}" for name, least in CARD_TOLERANCE.items()]


def test_commands(folder):
    """{label: arguments of fx-run} of the tests that run in the emulator."""
    commands = {}
    models = os.path.join(ROOT, "test", "Models")
    for path in sorted(glob.glob(os.path.join(ROOT, "test", "Backend", "GPU", "**", "*"), recursive=True)):
        if os.path.isdir(path) or path.endswith(".py"):  # a program makes its graph when it runs
            continue
        name, parts = os.path.basename(path), os.path.join(folder, os.path.basename(path))
        lines = [line.split("RUN:", 1)[1].strip() for line in open(path) if "RUN:" in line]
        if any("split-file" in line for line in lines):
            split_file(path, parts)
        for number, line in enumerate(lines):
            # A grid of processes is the emulator's; what compares with another command's file needs that command first.
            if not line.startswith("fx-run") or "--target=gpu-emulator" not in line or "--ranks" in line or "--compare=" in line:
                continue
            line = line.split("|")[0].replace("%s", path).replace("%t", parts).replace("%models", models)
            words = shlex.split(line)[1:]
            if not os.path.exists(words[0]):  # what another command of the test writes
                continue
            commands[f"{name}:{number}"] = widened([word.replace("gpu-emulator", "gpu") for word in words])
    return commands


def drawn_commands(folder, seed, count, elements):
    """The same of random workloads, `count` of each kind, captured into files."""
    sys.path[:0] = [HERE, os.path.join(ROOT, "python")]
    from gpu_draws import KINDS, draw_workload, kind_of

    import fxgraph
    commands, left, number = {}, dict.fromkeys(KINDS, count), -1
    while any(left.values()):
        number += 1
        kind = kind_of(seed, number)
        if not left[kind]:
            continue
        workload = draw_workload(seed, number, elements)
        if sum(map(math.prod, workload.shapes)) > 8 * elements:
            continue
        left[kind] -= 1
        path = os.path.join(folder, f"{kind}-{number}.mlir")
        fxgraph.capture(workload.function, *workload.inputs("cpu"), level="aten").save(path)
        variants = {"": [], " one multiprocessor": ["processors=1"]}
        if kind in WITH_PRODUCTS:
            variants[" no libraries"] = ["libraries=none"]
        for label, settings in variants.items():
            commands[f"#{number} {kind}{label}"] = [path, "--inputs=seed:1", "--target=gpu", *(f"--target-option={s}" for s in settings)]
    return commands


def run(fx_run, sanitizer, tool, arguments, limit):
    """(problem or "", findings in kernels of ours, findings elsewhere)."""
    command = [fx_run, *arguments] + (["--keep-going"] if "--entry=*" in arguments else [])
    if TOOLS[tool] is not None:
        command = [sanitizer, "--tool", tool, *TOOLS[tool], "--print-limit", "20", "--error-exitcode", "42", *command]
    try:
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=limit)
    except subprocess.TimeoutExpired:
        return f"no end within {limit} s", [], 0
    # A finding is a paragraph of lines that begin with =========.
    findings = [part for part in re.split(r"^=========\s*$\n?", result.stdout, flags=re.M) if re.search(r"\bat .*\+0x|=+ (Error|Warning|Invalid|Uninit)", part)]
    own = [part for part in findings if OWN.search(part)]
    problem = "" if result.returncode in (0, 42) or (findings and not own) else f"exit status {result.returncode}: {result.stdout[-1500:]}"
    if result.returncode == 42 and not findings:
        problem = result.stdout[-1500:]
    return problem, own, len(findings) - len(own)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default="memcheck,racecheck")
    parser.add_argument("--only", default="", help="commands whose label this matches")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--count", type=int, default=3, help="random workloads of each kind")
    parser.add_argument("--elements", type=int, default=1 << 15)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=float, default=120, help="seconds for one command")
    parser.add_argument("--seconds", type=float, default=1e9, help="no command is started after this time")
    parser.add_argument("--fx-run", default=os.path.join(ROOT, "build", "bin", "fx-run"))
    parser.add_argument("--sanitizer", default=shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer")
    arguments = parser.parse_args()
    tools = arguments.tools.split(",")
    if unknown := set(tools) - set(TOOLS):
        parser.error(f"expected tools among {', '.join(TOOLS)} but got {', '.join(sorted(unknown))}")
    started = time.time()
    with tempfile.TemporaryDirectory() as folder:
        commands = test_commands(folder)
        if arguments.count:
            commands.update(drawn_commands(folder, arguments.seed, arguments.count, arguments.elements))
        commands = {label: words for label, words in commands.items() if re.search(arguments.only, label)}
        print(f"{len(commands)} commands, {time.time() - started:.0f} s", flush=True)
        bad = late = 0
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            def job(tool, words):
                return None if time.time() - started > arguments.seconds else run(arguments.fx_run, arguments.sanitizer, tool, words, arguments.limit)
            jobs = {pool.submit(job, tool, words): (tool, label) for tool in tools for label, words in commands.items()}
            clean, foreign = dict.fromkeys(tools, 0), dict.fromkeys(tools, 0)
            for done in concurrent.futures.as_completed(jobs):
                tool, label = jobs[done]
                if done.result() is None:
                    late += 1
                    continue
                problem, own, others = done.result()
                foreign[tool] += others
                clean[tool] += not problem and not own
                if problem or own:
                    bad += 1
                    print(f"{tool} {label}: {len(own)} findings {problem}\n" + "\n".join(own[:2])[:2500], flush=True)
    for tool in tools:
        print(f"{tool}: {clean[tool]} of {len(commands)} commands without a finding, {foreign[tool]} findings in kernels of libraries")
    print(f"{bad} with findings, {late} not started, {time.time() - started:.0f} s")
    return 1 if bad or late else 0


if __name__ == "__main__":
    sys.exit(main())
