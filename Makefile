# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   make demo    install what is missing, build, run the main job on real models
#   make check   install what is missing, build, run every test
#   make bench   measure passes and lowering (prints tables); FULL=1: graphs of 1,000,000 ops, too
#   make format  clang-format over the sources
#   make docs    write the op table, docs/Spec, docs/Status.md and the examples of docs/Passes from the sources

SHELL := /bin/bash
PYTHON := .venv/bin/python
BUILD := build
# More jobs than 2 GiB of memory each would swap.
JOBS ?= $(shell n=$$(nproc); m=$$(awk '/MemAvailable/ {print int($$2/2097152)}' /proc/meminfo); echo $$((n<m?n:(m>0?m:1))))

.PHONY: all deps build demo check bench format docs clean

all: build

deps:
	@utils/install-deps.sh

$(BUILD)/build.ninja: | deps
	cmake --preset release

build: deps $(BUILD)/build.ninja
	cmake --build $(BUILD) -j $(JOBS)

demo: build
	@$(PYTHON) utils/demo.py --bin $(BUILD)/bin

check: build
	@utils/check.sh $(BUILD)

bench: build
	@$(PYTHON) benchmarks/bench.py --bin $(BUILD)/bin $(if $(FULL),--full)

format:
	@utils/install-deps.sh clang-format-22
	git ls-files '*.cpp' '*.h' | xargs clang-format-22 -i

docs:
	utils/gen-op-table.py
	utils/gen-spec.py
	utils/gen-status.py
	utils/gen-pass-reference.py
	utils/gen-pass-examples.py

clean:
	rm -rf $(BUILD)
