# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the package reaches the compiler: the Python module _fxgraph, in this process.

`native()` gives the module, `context()` the MLIR context that new modules of this
thread are made in. The tools (fx-opt, …) are only named here, for those who want
to run them.
"""

from .executable import Executable, TensorInfo, load_executable
from .library import context, find_tool, native, tool_errors
from .process_group import ProcessGroup

__all__ = ["Executable", "ProcessGroup", "TensorInfo", "context", "find_tool", "load_executable", "native", "tool_errors"]
