# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What passes did, where a user of Inductor's logs looks for it.

`counters["inductor"]` is `torch._dynamo.utils.counters["inductor"]`; FXGRAPH_LOGS and `set_logs` are TORCH_LOGS and
`torch._logging.set_logs`; FXGRAPH_TRACE is TORCH_TRACE, which gets the same artifacts where it is set.
"""

import collections
import dataclasses
import logging
import os
import re
import sys
import threading

from .errors import FxGraphError

# What can be logged, with what it is.
ARTIFACTS = {
    "pre_grad_graphs": "the graph before and behind fxgraph-pre-grad",
    "joint_graphs": "the graph before and behind fxgraph-joint-graph",
    "freezing_graphs": "the graph before and behind fxgraph-freezing",
    "post_grad_graphs": "the graph before and behind fxgraph-post-grad",
    "pass_graphs": "the graph behind each pass that changed it, with the counters that moved",
    "rewrites": "each rewrite that was made or refused, with its place and reason",
    "inductor_metrics": "the counters of each run",
}
# The names that Inductor has for the levels in its artifacts.
LEVELS = {"fxgraph-pre-grad": "pre_grad", "fxgraph-joint-graph": "joint", "fxgraph-freezing": "freezing", "fxgraph-post-grad": "post_grad"}

counters = collections.defaultdict(collections.Counter)
log = logging.getLogger("fxgraph.logs")

_lock = threading.Lock()
_enabled = None  # names; None before the environment was read
_numbers = collections.Counter()  # of the files in each folder of FXGRAPH_TRACE


@dataclasses.dataclass(frozen=True)
class Wanted:
    """What a run is asked for."""

    names: frozenset
    trace: str
    structured: bool

    @property
    def graphs(self):
        return bool(self.trace or self.structured or any(name.endswith("_graphs") for name in self.names))


def set_logs(**artifacts):
    """Turns logs on and off: set_logs(post_grad_graphs=True, rewrites=True); all of them: all=True.

    Names that are not given are off, as in torch._logging.set_logs. The environment's FXGRAPH_LOGS holds until then.
    """
    global _enabled
    _check(artifacts)
    names = {name for name, on in artifacts.items() if on}
    with _lock:
        _enabled = frozenset(ARTIFACTS if "all" in names else names)
    _attach_handler()


def save_inductor_dict(names=None):
    """{name: its count now} of the counters that are named; of all without names."""
    with _lock:
        known = counters["inductor"]
        return {name: known.get(name, 0) for name in (known if names is None else names)}


def is_same_dict(now, before):
    """True if no counter of `before` has another count in `now`."""
    return all(now.get(name, 0) == count for name, count in before.items())


def wanted():
    """What is to be logged of the next run."""
    global _enabled
    if _enabled is None:
        names = [name.strip().lstrip("+") for name in os.environ.get("FXGRAPH_LOGS", "").split(",") if name.strip()]
        _check(names, "FXGRAPH_LOGS")
        with _lock:
            _enabled = frozenset(ARTIFACTS if "all" in names else names)
        _attach_handler()
    return Wanted(_enabled, os.environ.get("FXGRAPH_TRACE", ""), _torch_traces())


def record(pipeline, report, logged):
    """Counts what a run did, and logs of it what is wanted."""
    with _lock:
        counters["inductor"].update(report.counters)
        if report.rewrites:
            counters["inductor"]["pattern_matcher_count"] += report.rewrites
    level = next((level for flag, level in LEVELS.items() if re.search(rf"\b{flag}\b(?!-)", pipeline)), None)
    if logged.graphs:
        _record_graphs(level, report, logged)
    if "rewrites" in logged.names:
        for remark in report.remarks:
            log.info("[rewrites] %s %s %s: %s", "made" if remark["applied"] else "refused", remark["pattern"], remark["location"], remark["detail"])
    if "inductor_metrics" in logged.names:
        log.info("[inductor_metrics] %s", dict(sorted(report.counters.items())))


def _record_graphs(level, report, logged):
    artifacts = []  # (name of the log, name of the artifact, heading, graph)
    title = (level or "passes").upper().replace("_", " ")
    whole = f"{level}_graphs" if level else "pass_graphs"
    artifacts.append((whole, f"before_{level or 'passes'}_graph", f"BEFORE {title}", report.graphs[0][2]))
    for name, moved, graph in report.graphs[1:]:
        # Inductor names the artifact of a pass by its counter; some of ours count under several names or none.
        for counter in moved or [name]:
            artifacts.append(("pass_graphs", f"{counter}_{level}" if level else counter, f"AFTER {name} {dict(moved) or ''}".rstrip(), graph))
    artifacts.append((whole, f"after_{level or 'passes'}_graph", f"AFTER {title}", report.graphs[-1][2]))
    for channel, name, heading, graph in artifacts:
        if channel in logged.names:
            log.info("[%s] %s\n%s", channel, heading, graph)
        if logged.structured:
            from torch._logging import trace_structured
            trace_structured("artifact", metadata_fn=lambda name=name: {"name": name, "encoding": "string"}, payload_fn=lambda graph=graph: graph)
        if logged.trace:
            _write(logged.trace, name, graph)


def _write(folder, name, graph):
    """FOLDER/<number>_<name>.mlir; numbers go on in one process, and those of processes differ."""
    from .module import write_atomically
    os.makedirs(folder, exist_ok=True)
    with _lock:
        number = _numbers[folder]
        _numbers[folder] += 1
    write_atomically(os.path.join(folder, f"{os.getpid()}_{number:04}_{name}.mlir"), graph.encode())


def _check(names, where="set_logs"):
    for name in names:
        if name not in ARTIFACTS and name != "all":
            raise FxGraphError(f"expected {where} to name logs among {', '.join(ARTIFACTS)}, all but got '{name}'")


def _attach_handler():
    """Logs that were asked for are seen: on stderr, or in the file FXGRAPH_LOGS_OUT, unless the program has set up the logger."""
    if _enabled and not log.handlers:
        path = os.environ.get("FXGRAPH_LOGS_OUT")
        handler = logging.FileHandler(path, encoding="utf-8") if path else logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(levelname).1s%(asctime)s %(message)s"))
        log.addHandler(handler)
        log.propagate = False
    log.setLevel(logging.INFO if _enabled else logging.NOTSET)


def _torch_traces():
    """True where torch writes a trace: its handler is there from the start, and has a folder where TORCH_TRACE names one."""
    logging_of_torch = sys.modules.get("torch._logging._internal")
    return logging_of_torch is not None and any(getattr(handler, "root_dir", None) for handler in logging_of_torch.trace_log.handlers)
