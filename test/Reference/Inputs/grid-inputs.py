# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments of ../grid.mlir, by rank: grid-inputs.py DIRECTORY."""
import os
import sys

import numpy

numpy.savez(os.path.join(sys.argv[1], "x.npz"), **{
    "rank0/x": numpy.array([1, 2, 3, 4], numpy.float32), "rank1/x": numpy.array([10, 20, 30, numpy.nan], numpy.float32),
    "n": numpy.array([3, -4], numpy.int64)})
