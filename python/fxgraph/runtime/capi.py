# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libFxGraphCAPI.so as a driver: no subprocess, one context for each request.

The library is loaded with RTLD_LOCAL: PyTorch and Triton may carry an LLVM of
their own. What the C interface does not offer (running a graph, printing the
generic form) goes to the tools.
"""

import ctypes
import json
import os
import tempfile

from ..errors import ToolError
from .tools import ToolDriver, search_path

_LIBRARY = "libFxGraphCAPI.so"


def find_library():
    """Path of the library beside the tools, or None."""
    places = [os.environ["FXGRAPH_LIB_DIR"]] if os.environ.get("FXGRAPH_LIB_DIR") else []
    for place in search_path():
        places += [os.path.join(os.path.dirname(os.path.abspath(place)), "lib"), place]
    for place in places:
        path = os.path.join(place, _LIBRARY)
        if os.path.isfile(path):
            return path
    return None


def load_library(path):
    library = ctypes.CDLL(path, mode=os.RTLD_LOCAL | os.RTLD_NOW)
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    signatures = {
        "fxgraphGetVersion": (text, []), "fxgraphGetError": (text, []), "fxgraphFreeString": (None, [pointer]),
        "fxgraphContextCreate": (pointer, []), "fxgraphContextDestroy": (None, [pointer]),
        "fxgraphModuleParse": (pointer, [pointer, text, ctypes.c_ulong, text]), "fxgraphModuleDestroy": (None, [pointer]),
        "fxgraphModulePrint": (pointer, [pointer, ctypes.c_int]), "fxgraphModuleSave": (ctypes.c_int, [pointer, text, ctypes.c_int]),
        "fxgraphModuleVerify": (ctypes.c_int, [pointer]),
        "fxgraphModuleRunPasses": (pointer, [pointer, text, ctypes.c_int])}
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class CapiDriver(ToolDriver):
    """The C interface for what it offers, the tools for the rest."""

    def __init__(self, path=None):
        path = path or find_library()
        if not path:
            raise ToolError(f"expected {_LIBRARY} beside the tools; build it, or set FXGRAPH_LIB_DIR")
        try:
            self.library = load_library(path)
        except (OSError, AttributeError) as error:
            raise ToolError(f"{path} cannot be loaded: {error}") from error

    def error(self):
        raise ToolError(self.library.fxgraphGetError().decode(errors="replace").strip() or "the library gave no reason")

    def take(self, pointer):
        """The Python string of a string of the library."""
        if not pointer:
            self.error()
        text = ctypes.string_at(pointer).decode()
        self.library.fxgraphFreeString(pointer)
        return text

    def with_module(self, data, name, action):
        """action(module handle) on a parsed module."""
        library = self.library
        context = library.fxgraphContextCreate()
        try:
            module = library.fxgraphModuleParse(context, data, len(data), name.encode())
            if not module:
                self.error()
            try:
                return action(module)
            finally:
                library.fxgraphModuleDestroy(module)
        finally:
            library.fxgraphContextDestroy(context)

    def parse(self, path):
        with open(path, "rb") as stream:
            data = stream.read()
        return self.with_module(data, path, lambda m: self.take(self.library.fxgraphModulePrint(m, 1)))

    def verify(self, asm):
        def check(module):
            if self.library.fxgraphModuleVerify(module):
                self.error()
        self.with_module(asm.encode(), "module", check)

    def bytecode(self, asm):
        with tempfile.TemporaryDirectory(prefix="fxgraph-") as folder:
            path = os.path.join(folder, "module.mlirbc")

            def save(module):
                if self.library.fxgraphModuleSave(module, path.encode(), 1):
                    self.error()
            self.with_module(asm.encode(), "module", save)
            with open(path, "rb") as stream:
                return stream.read()

    def run_passes(self, asm, pipeline):
        from ..module import Report
        verify = os.environ.get("FXGRAPH_VERIFY_REWRITES", "0") not in ("", "0")

        def run(module):
            record = json.loads(self.take(self.library.fxgraphModuleRunPasses(module, pipeline.encode(), int(verify))))
            return self.take(self.library.fxgraphModulePrint(module, 1)), record

        text, record = self.with_module(asm.encode(), "module", run)
        seconds = {}
        for entry in record.get("passes", []):
            seconds[entry["pass"]] = seconds.get(entry["pass"], 0.0) + entry["seconds"]
        return text, Report(record["counters"], record["events"], seconds)
