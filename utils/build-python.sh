#!/usr/bin/env bash
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the Python module _fxgraph for another Python, beside a libFxGraphCAPI.so that
# was built elsewhere: needs a C++17 compiler, that Python with nanobind and its headers,
# and MLIR's C headers (mlir-c/), but no LLVM.
# Usage: utils/build-python.sh PYTHON LIB_DIR MLIR_C_INCLUDE_DIR
#   LIB_DIR             has libFxGraphCAPI.so; gets _fxgraph.<python>.so
#   MLIR_C_INCLUDE_DIR  has mlir-c/IR.h
set -euo pipefail
[ $# -eq 3 ] || { sed -n 5,12p "$0" | cut -c3- >&2; exit 2; }
python=$1 lib=$2 headers=$3
cd "$(dirname "$0")/.."
[ -f "$lib/libFxGraphCAPI.so" ] || { echo "build-python: expected libFxGraphCAPI.so in $lib" >&2; exit 1; }
[ -f "$headers/mlir-c/IR.h" ] || { echo "build-python: expected mlir-c/IR.h in $headers" >&2; exit 1; }
nanobind=$("$python" -c 'import nanobind, os; print(os.path.dirname(nanobind.__file__))') ||
  { echo "build-python: expected nanobind in $python" >&2; exit 1; }
include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
${CXX:-c++} -std=c++17 -O2 -fPIC -shared -fvisibility=hidden -w -DNDEBUG \
  -Iinclude -I"$headers" -I"$include" -I"$nanobind/include" -I"$nanobind/ext/robin_map/include" \
  lib/Bindings/Python/*.cpp "$nanobind/src/nb_combined.cpp" \
  -o "$lib/_fxgraph$suffix" -L"$lib" -lFxGraphCAPI -Wl,-rpath,'$ORIGIN' -Wl,--allow-shlib-undefined
echo "$lib/_fxgraph$suffix"
