# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What was compiled and what PyTorch runs: log lines and statistics."""

import dataclasses
import logging
import threading
import typing

log = logging.getLogger("fxgraph.dynamo")

_LOCK = threading.Lock()
_GRAPHS = []
_SAID = set()


@dataclasses.dataclass(frozen=True)
class Left:
    """An op that PyTorch runs."""

    op: str
    location: str
    reason: str

    def __str__(self):
        return f"{self.op} at {self.location}: {self.reason}"


@dataclasses.dataclass(frozen=True)
class GraphStats:
    """One graph that Dynamo handed over.

    target    "cpu", "gpu", "ref"; None for a graph that runs in PyTorch whole
    compiled  {op: how often} of the ops that are compiled
    left      ops that PyTorch runs, each as (op, location, reason)
    calls     compiled functions that a call of the graph calls
    whole     why PyTorch runs the graph as it is, or None
    """

    target: typing.Optional[str]
    compiled: typing.Dict[str, int]
    left: typing.Tuple[Left, ...]
    calls: int
    whole: typing.Optional[str] = None

    @property
    def share(self):
        """The compiled part of the ops."""
        compiled = sum(self.compiled.values())
        return compiled / (compiled + len(self.left)) if compiled or self.left else 1.0


def stats():
    """A GraphStats for each graph since the start of the process or reset_stats(), in the order of their compilation."""
    with _LOCK:
        return list(_GRAPHS)


def reset_stats():
    with _LOCK:
        _GRAPHS.clear()


def record(graph):
    with _LOCK:
        _GRAPHS.append(graph)


def say(level, message):
    """Logs a message that was not logged before."""
    with _LOCK:
        if message in _SAID:
            return
        _SAID.add(message)
    log.log(level, "%s", message)
