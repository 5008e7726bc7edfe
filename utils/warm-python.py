#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs Python programs in processes that have imported PyTorch already.

Importing PyTorch with its compiler takes seconds, more than most test programs do. A server
imports it once, and each program runs in a fork of the server: a process of its own, with the
arguments, folder, environment and standard streams of the client, which ends as the program
does. It does what `python program argument...` would.

    warm-python.py serve                     a listening Unix socket is its standard input
    warm-python.py SOCKET PROGRAM ARGUMENT...

test/lit.cfg.py starts the server; it ends with the process that started it.
"""
import array
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import struct
import sys

# What most programs of the suite import.
MODULES = ("torch", "torch._dynamo", "torch._inductor.fx_passes.pre_grad", "fxgraph")
LENGTH = struct.Struct("<Q")


def receive(connection, size):
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data


# The client ---------------------------------------------------------------------------


def ask(path, argv):
    """Has the server run the program; ends as it does."""
    request = json.dumps({"argv": argv, "cwd": os.getcwd(), "environ": dict(os.environ)}).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        connection.sendmsg([LENGTH.pack(len(request))], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))])
        connection.sendall(request)
        try:
            status, = LENGTH.unpack(receive(connection, LENGTH.size))
        except EOFError:
            sys.exit(f"warm-python: the server ended while it ran {argv[0]}")
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    sys.exit(os.waitstatus_to_exitcode(status))


# The server ---------------------------------------------------------------------------


def load():
    for name in MODULES:
        importlib.import_module(name)
    gc.freeze()  # Collections would write to memory that forks share.


def accept(listener):
    """A connection, in a fork of this process; None when who started the server is gone."""
    starter, loaded, running = os.getppid(), False, 0
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    while os.getppid() == starter:
        ready = poll.poll(1000)
        while running and os.waitpid(-1, os.WNOHANG)[0]:
            running -= 1
        if not ready:
            continue
        connection, _ = listener.accept()
        if not loaded:
            load()
            loaded = True
        if os.fork() == 0:
            return connection
        connection.close()
        running += 1
    return None


def attend(connection):
    """The program and its arguments, in one more fork; this one tells how it ends, and ends it if the client does."""
    length, ancillary, _, _ = connection.recvmsg(LENGTH.size, socket.CMSG_SPACE(3 * array.array("i").itemsize))
    streams = array.array("i", ancillary[0][2])
    request = json.loads(receive(connection, *LENGTH.unpack(length)))
    program = os.fork()
    if program == 0:
        connection.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.chdir(request["cwd"])
        os.environ.clear()
        os.environ.update(request["environ"])
        return request["argv"]
    for stream in streams:
        os.close(stream)
    poll, handle = select.poll(), os.pidfd_open(program)
    poll.register(connection, select.POLLIN)
    poll.register(handle, select.POLLIN)
    if any(number == connection.fileno() for number, _ in poll.poll()):
        os.kill(program, signal.SIGKILL)  # Nobody writes after a request.
    _, status = os.waitpid(program, 0)
    try:
        connection.sendall(LENGTH.pack(status))
    except BrokenPipeError:
        pass
    return None


def serve():
    with socket.socket(fileno=os.dup(0)) as listener:
        connection = accept(listener)
    if connection is None:
        return
    argv = attend(connection)
    if argv is None:
        os._exit(0)
    sys.argv, sys.path[0] = argv, os.path.dirname(os.path.abspath(argv[0]))
    runpy.run_path(argv[0], run_name="__main__")


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["serve"] else ask(sys.argv[1], sys.argv[2:])
