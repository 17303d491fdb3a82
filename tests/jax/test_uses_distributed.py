"""Two processes under jax.distributed, each of which loads the same library."""

import os
import pathlib
import socket
import subprocess
import sys

PROGRAM = pathlib.Path(__file__).parent / "distributed_program.py"
PROCESSES = 2
SECONDS = 120


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def test_two_processes(uses):
    port = str(free_port())
    flags = os.environ["XLA_FLAGS"] + " --xla_force_host_platform_device_count=1"
    environment = {**os.environ, "XLA_FLAGS": flags}
    started = [
        subprocess.Popen(
            [sys.executable, PROGRAM, uses, port, str(rank), str(PROCESSES)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
        )
        for rank in range(PROCESSES)
    ]
    try:
        outputs = [process.communicate(timeout=SECONDS)[0] for process in started]
    finally:
        for process in started:
            process.kill()
            process.wait()
    for rank, (process, output) in enumerate(zip(started, outputs, strict=True)):
        assert process.returncode == 0 and f"done {rank}" in output, output
