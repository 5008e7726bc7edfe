# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sixteen threads run passes, compile and call different and equal modules at once."""

import concurrent.futures
import ctypes
import faulthandler
import signal as signals
import subprocess
import sys
import textwrap
import threading

import pytest
import torch

import fxgraph
from fxgraph.errors import ToolError

THREADS = 16


def text_of(factor):
    return textwrap.dedent(f"""\
        !x = tensor<4x6xf32>
        func.func @main(%x: !x {{fxgraph.name = "x"}}, %state: tensor<6xf32> {{fxgraph.name = "state"}}) -> (!x, tensor<6x4xf32>) {{
          %c = fxgraph.constant dense<{factor}.0> : tensor<f64>
          %p:2 = fxgraph.split_with_sizes %x sizes [2, 4] dim 1 : (!x) -> (tensor<4x2xf32>, tensor<4x4xf32>)
          %y = fxgraph.cat %p#0, %p#1 dim 1 : (tensor<4x2xf32>, tensor<4x4xf32>) -> !x
          %z = fxgraph.mul %y, %c : (!x, tensor<f64>) -> !x
          %t = fxgraph.permute %z dims [1, 0] : (!x) -> tensor<6x4xf32>
          %s = fxgraph.add %state, %c : (tensor<6xf32>, tensor<f64>) -> tensor<6xf32>
          fxgraph.copy_ %s into %state : tensor<6xf32>, tensor<6xf32>
          return %z, %t : !x, tensor<6x4xf32>
        }}
        """)


def in_threads(work):
    """work(number) in all threads, started together; the first exception is raised."""
    barrier = threading.Barrier(THREADS)

    def start(number):
        barrier.wait(60)
        return work(number)

    # A deadlock may hold the GIL: only a watchdog that needs none can end it.
    faulthandler.dump_traceback_later(120, exit=True)
    try:
        with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
            return [future.result() for future in [pool.submit(start, number) for number in range(THREADS)]]
    finally:
        faulthandler.cancel_dump_traceback_later()


def check_call(call, factor, number):
    x, state = torch.arange(24.0).reshape(4, 6) + number, torch.zeros(6)
    z, t = call(x, state)
    assert torch.equal(z, x * factor) and torch.equal(t, (x * factor).t()) and torch.equal(state, torch.full((6,), float(factor)))


@pytest.mark.parametrize("target", ["ref", "cpu"])
def test_modules_of_their_own(target):
    """Even threads work on equal graphs, odd ones on one each."""
    def work(number):
        for step in range(2):
            factor = number + 2 if number % 2 else 1 + step
            module = fxgraph.Module(text_of(factor))
            report = module.run_passes("fxgraph-splitcat-cancel", verify=True)
            assert [event["pattern"] for event in report.remarks] == ["cancel-split-cat"]
            assert "fxgraph.cat" not in module.op_counts()
            check_call(module.compile(target), factor, number)

    in_threads(work)


@pytest.mark.parametrize("target", ["ref", "cpu", "gpu-emulator"])
def test_one_executable(target):
    """Runs of the interpreter wait for each other on their context, and take the GIL for their results."""
    executable = fxgraph.Module(text_of(3)).compile(target)

    def work(number):
        for _ in range(2 if target == "gpu-emulator" else 20):
            check_call(executable, 3, number)
        rank = 3 + number % 10
        with pytest.raises(ToolError, match=f"expected rank 2 but got {rank}$"):
            executable(torch.zeros([1] * rank), torch.zeros(6))

    in_threads(work)


@pytest.mark.parametrize("target", ["ref", "cpu"])
def test_one_module(target):
    """Clones are made, changed and dropped while other threads run and print on the same context."""
    module = fxgraph.Module(text_of(2))
    assert module.op_counts()["fxgraph.cat"] == 1
    executable = module.compile("ref")

    def work(number):
        for _ in range(2):
            clone = module.clone()
            clone.run_passes("fxgraph-splitcat-cancel", verify=False)
            assert "fxgraph.cat" in module.asm and "fxgraph.cat" not in clone.asm
            check_call(executable, 2, number)
            check_call(clone.compile(target), 2, number)
            check_call(lambda *inputs: module.run(list(inputs), ("ref", "cpu")[number % 2]), 2, number)
            del clone

    in_threads(work)


def test_errors_are_their_threads_own():
    def work(number):
        for _ in range(5):
            with pytest.raises(ToolError, match=rf"'fxgraph\.none{number}' is unknown"):
                fxgraph.Module(f"func.func @main() {{\n  fxgraph.none{number}\n  return\n}}\n").verify()
            with pytest.raises(ToolError, match=f"no-such-pass-{number}\\b"):
                fxgraph.Module(text_of(1)).run_passes(f"no-such-pass-{number}")

    in_threads(work)


def test_a_crash_is_an_error():
    """A parser that uses up its stack: the thread goes on with another context, others do not notice."""
    bystander = fxgraph.Module(text_of(5))
    bystander.verify()

    def work(number):
        module = fxgraph.Module(text_of(2))
        module.verify()
        if number % 4 == 0:
            with pytest.raises(ToolError, match="internal error: the call crashed.*its context cannot be used any more"):
                fxgraph.Module("module attributes {test.deep = " + "[" * 1000000).verify()
            with pytest.raises(ToolError, match="expected another context"):
                module.op_counts()
        check_call(fxgraph.Module(text_of(2)).compile("cpu"), 2, number)

    in_threads(work)
    assert bystander.op_counts()["fxgraph.cat"] == 1


def test_writing_files_leaves_signals_alone(tmp_path):
    """LLVM's own way to write files takes over the process's signals: Ctrl-C would no longer be Python's, and a second
    crash, while a first one is handled, the end."""
    libc = ctypes.CDLL(None)

    def handlers():
        action, found = ctypes.create_string_buffer(512), []
        for signal in (signals.SIGINT, signals.SIGTERM, signals.SIGHUP, signals.SIGSEGV, signals.SIGABRT, signals.SIGPIPE):
            assert libc.sigaction(int(signal), None, action) == 0
            found.append((signal.name, ctypes.c_void_p.from_buffer(action).value))
        return found

    module = fxgraph.Module(text_of(2))
    module.verify()
    before = handlers()
    for form in ("so", "object", "llvm", "dot", "ptx", "plan", "gpu"):
        module.save_artefact(tmp_path / f"m.{form}", form)
        assert handlers() == before, form
    for name in ("m.mlir", "m.mlirbc"):
        module.save(tmp_path / name)
    module.run_passes(f"fxgraph-pre-grad,fxgraph-write-report{{file={tmp_path}/r.json}}")
    assert handlers() == before


def test_writers_of_one_file(tmp_path):
    """Each writes it whole: at no time is there half of a file, at the end it is one of theirs."""
    texts = {number: fxgraph.Module(text_of(number)) for number in range(THREADS)}

    def work(number):
        for _ in range(5):
            texts[number].save(tmp_path / "m.mlir")
            texts[number].save_artefact(tmp_path / "m.dot", "dot")
            fxgraph.Module.load(tmp_path / "m.mlir").verify()

    in_threads(work)
    written = fxgraph.Module.load(tmp_path / "m.mlir").compile("ref")(torch.ones(4, 6), torch.zeros(6))[0]
    assert torch.equal(written, torch.full((4, 6), written[0, 0].item())) and written[0, 0].item() in range(THREADS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.dot", "m.mlir"]


def test_first_use_by_all_threads():
    """The library is loaded once, whoever comes first."""
    program = textwrap.dedent("""\
        import threading
        from fxgraph.runtime.library import native
        barrier, loaded = threading.Barrier(16), []
        def work():
            barrier.wait()
            loaded.append(native())
        threads = [threading.Thread(target=work) for _ in range(16)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert len(loaded) == 16 and len(set(map(id, loaded))) == 1, loaded
        """)
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@pytest.mark.parametrize("level", ["torch", "aten"])
def test_threads_capture_the_same_code(level):
    """In a process of its own, which two of Dynamo's exports at once would end; the process's settings are as they were."""
    program = textwrap.dedent(f"""\
        import concurrent.futures, logging, sys, warnings
        import torch
        import fxgraph

        def settings():
            handlers = [handler for name in logging.root.manager.loggerDict for handler in logging.getLogger(name).handlers]
            return (torch.backends.mkldnn.enabled, torch._C._get_nnpack_enabled(), torch._dynamo.config.allow_rnn, sys.stderr,
                    list(warnings.filters), sum(len(handler.filters) for handler in handlers))

        def work(number):
            for factor in range(number, number + 4):
                module = fxgraph.capture(lambda x: x * factor, torch.ones(3), level={level!r})
                assert torch.equal(module.run([torch.ones(3)])[0], torch.full((3,), float(factor)))

        work(0)
        before = settings()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        assert settings() == before, (before, settings())
        """)
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)
