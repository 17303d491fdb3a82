"""Forks a process for each program of programs.py, which spares them the second that JAX takes to
be imported. No backend of JAX starts before.

  program_server.py FOLDER

FOLDER has the libraries of tests/jax/targets. Each line of stdin has the name of a program and a
file, for its output; what came of it is a line of stdout: its exit status, minus the signal that
ended it, or "hung".
"""

import os
import signal
import sys
import time

import bad_calls  # noqa: F401
import bad_functions  # noqa: F401
import bad_moments  # noqa: F401
from programs import PROGRAMS

SECONDS = 300


def serve():
    """Returns in the server when stdin ends, and in each child when its program has."""
    for line in sys.stdin:
        name, output = line.split()
        child = os.fork()
        if child == 0:
            os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT), 1)
            os.dup2(1, 2)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            PROGRAMS[name]()
            print("done")
            return
        print(outcome(child), flush=True)


def outcome(child):
    give_up = time.monotonic() + SECONDS
    while time.monotonic() < give_up:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hung"


serve()
