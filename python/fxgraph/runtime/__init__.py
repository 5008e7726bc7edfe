# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the package reaches the compiler.

A driver has six methods: parse, verify, bytecode, generic, run_passes, run.
There are two: the library libFxGraphCAPI.so through ctypes, and the tools
fx-opt and fx-run as subprocesses. The library is taken if it is there;
FXGRAPH_DRIVER=tools or capi chooses. Nothing else in the package knows.
"""

import os

from . import capi
from .capi import CapiDriver, find_library
from .execute import execute
from .tools import ToolDriver, find_tool

_DRIVER = None


def driver():
    """The process's driver."""
    global _DRIVER
    if _DRIVER is None:
        _DRIVER = make_driver(os.environ.get("FXGRAPH_DRIVER", ""))
    return _DRIVER


def make_driver(choice=""):
    """A driver by name; the empty name takes what is there."""
    from ..errors import FxGraphError
    if choice not in ("", "capi", "tools"):
        raise FxGraphError(f"expected FXGRAPH_DRIVER to be capi or tools but got {choice!r}")
    if choice == "capi" or choice == "" and find_library():
        return CapiDriver()
    return ToolDriver()


def set_driver(new):
    """Replaces the driver (None: the default one); returns the old one."""
    global _DRIVER
    old, _DRIVER = _DRIVER, new
    return old


__all__ = ["CapiDriver", "ToolDriver", "driver", "execute", "find_tool", "make_driver", "set_driver", "capi"]
