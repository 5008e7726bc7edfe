#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far what the compiler chooses is from the best of other choices: each of some random workloads of gpu_sweep.py, compiled
as it is and with settings of the target, timed in turns in one process.

    python3 benchmarks/gpu_tune.py --seed 11731 --count 300 --kinds permute,pointwise --config kind=boxes,box=32x128
        [--config products=all] [--numbers 16,262] [--seconds 200]

A `--config` is an entry of the target's settings (`products=all`, `product-config=split=4`), or of its nest-config. One that no
kernel of a workload can have is left out there. Prints microseconds for each workload, then for each setting the geometric mean,
least and greatest of chosen / setting: above 1 the setting is faster.
"""
import argparse
import math
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "python"), HERE]

import torch  # noqa: E402
import fxgraph  # noqa: E402
from gpu_draws import draw_workload, kind_of  # noqa: E402
from gpu_timing import graph_of, medians_in_turns, new_flush  # noqa: E402

CHOSEN = "chosen"
OWN_SETTINGS = ("products", "product-config", "libraries", "overlap-launches")


def settings_of(config):
    """Keyword arguments of `compile` for a --config."""
    name, _, value = config.partition("=")
    return {name.replace("-", "_"): value} if name in OWN_SETTINGS else {"nest_config": config}


def race(workload, configs, flush, rounds):
    """{config: milliseconds} of those that the workload's kernels can have."""
    xs = workload.inputs("cuda")
    with torch.no_grad():
        graph = fxgraph.capture(workload.function, *xs, level="aten")

        def compiled(config):
            try:
                return graph.compile("gpu", **({} if config == CHOSEN else settings_of(config)))
            except fxgraph.FxGraphError:
                if config == CHOSEN:
                    raise
                return None

        with ThreadPoolExecutor() as pool:
            modules = dict(zip(configs, pool.map(compiled, configs), strict=True))
        return medians_in_turns({config: graph_of(lambda module=module: module(*xs)) for config, module in modules.items() if module},
                                flush, rounds, repeats=5)


def summarize(rows, configs):
    for config in configs:
        gains = [times[CHOSEN] / times[config] for times in rows if config in times]
        if gains:
            mean = math.exp(sum(map(math.log, gains)) / len(gains))
            print(f"{config:40} {len(gains):4} workloads, chosen / this: {mean:.3f}, {min(gains):.2f} to {max(gains):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--numbers", default="", help="these workloads alone")
    parser.add_argument("--kinds", default="", help="workloads of these kinds alone")
    parser.add_argument("--elements", type=int, default=1 << 25)
    parser.add_argument("--config", action="append", default=[])
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=1e9, help="no workload is started after this time")
    arguments = parser.parse_args()
    kinds = arguments.kinds.split(",") if arguments.kinds else None
    numbers = map(int, arguments.numbers.split(",")) if arguments.numbers else range(arguments.count)
    configs, flush, rows, started = [CHOSEN, *arguments.config], new_flush(), [], time.monotonic()
    for number in numbers:
        if kinds and kind_of(arguments.seed, number) not in kinds:
            continue
        if time.monotonic() - started > arguments.seconds:
            print(f"stopped before #{number}")
            break
        workload = draw_workload(arguments.seed, number, arguments.elements)
        try:
            times = race(workload, configs, flush, arguments.rounds)
        except fxgraph.FxGraphError as problem:
            print(f"#{number} {workload.kind}: {str(problem)[:200]}")
            continue
        rows.append(times)
        ranked = sorted(times.items(), key=lambda item: item[1])
        print(f"#{number} {workload.kind} {times[CHOSEN] / ranked[0][1]:.2f} of the best | {workload.text[:80]} | "
              + "  ".join(f"{config} {milliseconds * 1e3:.1f}" for config, milliseconds in ranked), flush=True)
        torch.cuda.empty_cache()
    summarize(rows, configs)


if __name__ == "__main__":
    main()
