# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the package reaches the compiler.

A driver has five methods: parse, verify, bytecode, run_passes, run. The one
here runs the tools fx-opt and fx-run; nothing else in the package knows that.
"""

from .execute import execute
from .tools import ToolDriver, find_tool

_DRIVER = None


def driver():
    """The process's driver."""
    global _DRIVER
    if _DRIVER is None:
        _DRIVER = ToolDriver()
    return _DRIVER


def set_driver(new):
    """Replaces the driver (None: the default one); returns the old one."""
    global _DRIVER
    old, _DRIVER = _DRIVER, new
    return old


__all__ = ["ToolDriver", "driver", "execute", "find_tool", "set_driver"]
