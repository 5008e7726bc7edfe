#!/usr/bin/env bash
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes the Python package usable on a machine with a GPU and PyTorch but no LLVM, and runs a command there with it:
#   benchmarks/gpu_here.sh COMMAND…
# carry/ has, from the machine that built: rt.tar.xz (LLVM's shared libraries, in rt/lib), capi.tar.xz
# (libFxGraphCAPI.so) and include/ (mlir-c).
set -euo pipefail
cd "$(dirname "$0")/.."
place=${FXGRAPH_GPU_DIR:-/tmp/fxgraph-gpu}
if [ ! -e "$place/ready" ]; then
  mkdir -p "$place"
  tar -C "$place" -xf carry/rt.tar.xz
  tar -C "$place/rt/lib" -xf carry/capi.tar.xz
  LD_LIBRARY_PATH=$place/rt/lib utils/build-python.sh python3 "$place/rt/lib" carry/include
  touch "$place/ready"
fi
export FXGRAPH_LIB_DIR=$place/rt/lib LD_LIBRARY_PATH=$place/rt/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} PYTHONPATH=$PWD/python
exec "$@"
