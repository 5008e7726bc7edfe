#!/usr/bin/env bash
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what a bare Debian 12 or 13 lacks for building and testing: LLVM/MLIR
# 22, the build tools, and a Python environment in .venv. Does nothing for what
# is there already. Runs apt through sudo unless it is root.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-22 lld-22
  cmake ninja-build ccache make git g++ libgtest-dev libzip-dev nlohmann-json3-dev python3-venv
)
packages+=("$@") # what one make target needs beyond building and testing
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
      echo "install-deps: need root rights for: apt-get install ${missing[*]}" >&2
      exit 1
    }
    as_root=(sudo)
  fi
  echo "install-deps: installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  unknown=()
  for package in "${missing[@]}"; do
    apt-cache show "$package" >/dev/null 2>&1 || unknown+=("$package")
  done
  if [ ${#unknown[@]} -gt 0 ]; then
    echo "install-deps: expected apt's sources to have ${unknown[*]} but they do not; add LLVM's own packages for this release of Debian (llvm-toolchain-$(. /etc/os-release; echo "${VERSION_CODENAME:-CODENAME}")-22), then run this again" >&2
    exit 1
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# The first Python of 3.11 or newer that can make an environment.
python=
for candidate in "${FXGRAPH_PYTHON:-}" python3 python3.13 python3.12 python3.11 /usr/bin/python3; do
  [ -n "$candidate" ] && command -v "$candidate" >/dev/null || continue
  if "$candidate" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
[ -n "$python" ] || { echo "install-deps: expected Python 3.11 or newer but found none (set FXGRAPH_PYTHON)" >&2; exit 1; }

if [ ! -x .venv/bin/python ]; then
  "$python" -m venv .venv
fi
stamp=.venv/requirements.stamp
if ! cmp -s utils/requirements.txt "$stamp"; then
  echo "install-deps: installing Python packages"
  .venv/bin/pip install -q --disable-pip-version-check -r utils/requirements.txt 2>&1 | grep -v '^WARNING: Location' || true
  .venv/bin/python -c 'import torch, numpy, safetensors, transformers, pytest, xdist'
  cp utils/requirements.txt "$stamp"
fi
# The package itself, from the source tree: PyTorch then finds its backend by the entry point.
if [ ! -e .venv/fxgraph.stamp ] || [ python/pyproject.toml -nt .venv/fxgraph.stamp ]; then
  .venv/bin/pip install -q --disable-pip-version-check --no-build-isolation --no-deps -e python 2>&1 | grep -v '^WARNING: Location' || true
  .venv/bin/python -c 'import fxgraph'
  touch .venv/fxgraph.stamp
fi
