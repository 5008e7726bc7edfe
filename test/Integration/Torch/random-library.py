# A shared library draws as the CPU target does: from the seed 0, from that of fxgraph_set_seed, anew in each run, and in
# each thread.
# REQUIRES: torch
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s graph > %t/draws.mlir
# RUN: fx-translate %t/draws.mlir --to=so -o %t/draws.so
# RUN: %python %s %t/draws.so
"""random-library.py graph: prints the graph. random-library.py FILE: runs the library made of it."""
import ctypes
import sys
import threading

import torch

GRAPH = """func.func @main(%x: tensor<33xf32>) -> tensor<33xf32> {
  %0 = fxgraph.dropout %x p 0.4 training true : tensor<33xf32>
  %1 = fxgraph.randn : tensor<33xf32>
  %2 = fxgraph.add %0, %1 : (tensor<33xf32>, tensor<33xf32>) -> tensor<33xf32>
  return %2 : tensor<33xf32>
}"""


class TensorDesc(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int32), ("rank", ctypes.c_int32), ("sizes", ctypes.c_int64 * 16),
                ("strides", ctypes.c_int64 * 16)]


def describe(tensor):
    return TensorDesc(tensor.data_ptr(), 1, 1, (tensor.numel(),), (1,))


def run(library, x):
    y = torch.empty_like(x)
    status = library.fxgraph_run(ctypes.byref(describe(x)), 1, ctypes.byref(describe(y)), 1)
    assert status == 0, library.fxgraph_last_error()
    return y


def eager(seed, x):
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return torch.nn.functional.dropout(x, 0.4, training=True) + torch.randn(33)


def main(path):
    library = ctypes.CDLL(path)
    library.fxgraph_last_error.restype = ctypes.c_char_p
    library.fxgraph_set_seed.argtypes = [ctypes.c_uint64]
    x = torch.arange(33, dtype=torch.float32)
    assert torch.equal(run(library, x), eager(0, x))
    for seed in (7, 2**40 + 3, 7):
        library.fxgraph_set_seed(seed)
        for _ in range(2):
            assert torch.equal(run(library, x), eager(seed, x)), seed
    assert not torch.equal(run(library, x), eager(8, x))
    results = []
    threads = [threading.Thread(target=lambda: results.extend(run(library, x) for _ in range(20))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 80 and all(torch.equal(result, eager(7, x)) for result in results)


print(GRAPH) if sys.argv[1] == "graph" else main(sys.argv[1])
