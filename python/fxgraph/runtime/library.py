# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The library: where it is, and its contexts."""

import contextlib
import functools
import glob
import importlib.util
import os
import shutil
import sysconfig
import threading

from ..errors import ToolError

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# A context keeps every type, attribute and location that it ever saw. A process that goes
# on importing other graphs gets a new one after so many modules; the old one goes with
# the last of them.
MODULES_PER_CONTEXT = 256


def _places(variable, folder):
    """Folders that may hold parts of the project: the user's, the wheel's, the source tree's build."""
    places = [os.environ[variable]] if os.environ.get(variable) else []
    if os.environ.get("FXGRAPH_BIN_DIR") and folder == "lib":
        places.append(os.path.join(os.path.dirname(os.path.abspath(os.environ["FXGRAPH_BIN_DIR"])), "lib"))
    return places + [os.path.join(_PACKAGE, folder), os.path.join(os.path.dirname(os.path.dirname(_PACKAGE)), "build", folder)]


def find_tool(name):
    """Path of a tool; ToolError that says where it was looked for."""
    places = _places("FXGRAPH_BIN_DIR", "bin")
    for place in places:
        path = os.path.join(place, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    path = shutil.which(name)
    if path:
        return path
    raise ToolError(f"expected the tool {name} in {', '.join(places)} or on PATH; build it, or set FXGRAPH_BIN_DIR")


# Loading twice would make two modules, with errors of two types.
_loading = threading.Lock()


def native():
    """The module _fxgraph. It brings libFxGraphCAPI.so along, whose symbols nobody else sees."""
    with _loading:
        return _load()


@functools.cache
def _load():
    places = _places("FXGRAPH_LIB_DIR", "lib")
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    for place in places:
        path = os.path.join(place, "_fxgraph" + suffix)
        if not os.path.isfile(path):
            continue
        spec = importlib.util.spec_from_file_location("_fxgraph", path)
        try:
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        except ImportError as error:
            raise ToolError(f"{path} cannot be loaded: {error}") from error
        return module
    others = [os.path.basename(path) for place in places for path in glob.glob(os.path.join(place, "_fxgraph.*"))]
    raise ToolError(f"expected _fxgraph{suffix} in {', '.join(places)}" + (f" but got {', '.join(others)}, for another Python" if others else "")
                    + "; build it, or set FXGRAPH_LIB_DIR")


@contextlib.contextmanager
def tool_errors():
    """The library's errors as the package's."""
    try:
        yield
    except native().Error as error:
        raise ToolError(str(error).strip()) from None
    except UnicodeDecodeError as error:
        raise ToolError(f"expected UTF-8 but got {error.object[error.start:error.end]} in a name of the graph") from None


class _Contexts(threading.local):
    """One context a thread, so that threads compile side by side."""

    def __init__(self):
        self.context, self.left = None, 0


_contexts = _Contexts()


def context():
    """The context for one more module of this thread. One in which a call crashed is of no use."""
    if _contexts.left == 0 or _contexts.context.has_crashed():
        _contexts.context, _contexts.left = native().Context(), MODULES_PER_CONTEXT
    _contexts.left -= 1
    return _contexts.context


def parse(data, name="<memory>"):
    """A module of the library from MLIR text or bytecode."""
    with tool_errors():
        return context().parse(data, name)
