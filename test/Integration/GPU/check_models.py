#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# REQUIRES: cuda, torch, ptxas
# RUN: %python %source/benchmarks/gpu_pack.py --build %lib_dir/.. --out %t --only model_
# RUN: %python %s --pack %t
"""The captured models on a GPU: values against PyTorch's.

    python3 benchmarks/gpu_pack.py --out carry/gpu --only model_     (any machine)
    python3 test/Integration/GPU/check_models.py --pack carry/gpu    (with a GPU)
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "benchmarks"))

if __name__ == "__main__":
    import gpu_suite
    sys.argv += ["--only", "model_", "--modes", ""]
    sys.exit(gpu_suite.main())
