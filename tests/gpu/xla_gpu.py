"""Starts programs in genuine XLA:GPU, each in a process of its own.

On a machine without a GPU over the stand-in for the driver (tests/gpu/driver), with the plugin that
scripts/cuda_plugin has. With CALLBRIDGE_GPU=device on this machine's GPU, by this Python's JAX.
"""

import ctypes
import functools
import os
import pathlib
import subprocess
import sys
import uuid
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/matrix"))

from jax_releases import IN_DEBIAN_13, ROWS, used_by  # noqa: E402

ON_DEVICE = os.environ.get("CALLBRIDGE_GPU") == "device"
FOLDER = pathlib.Path(__file__).resolve().parent
START = FOLDER / "start.py"
# CALLBRIDGE_BUILD, or where libcallbridge.so is.
LIBRARY = pathlib.Path(os.environ["CALLBRIDGE_LIBRARY"]).resolve()
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD") or LIBRARY.parent).resolve()
TARGETS = BUILD / "tests/gpu"

_PLUGINS = {row.release: row.plugin for row in ROWS if row.plugin}


@functools.cache
def is_standin(release):
    """Whether the driver is the stand-in: on a device it is not, unless it was put in its place."""
    if release:
        return True
    try:
        return hasattr(ctypes.CDLL("libcuda.so.1"), "standin_calls")
    except OSError:
        return False


def releases():
    """The releases of JAX that tests run on: those that CALLBRIDGE_GPU_RELEASES lists, or a sample.

    On a device None alone, this Python's.
    """
    if ON_DEVICE:
        return [None]
    listed = os.environ.get("CALLBRIDGE_GPU_RELEASES")
    if listed == "all":
        return [*_PLUGINS]
    return listed.split() if listed else used_by("gpu")


def newest():
    """Of releases() the last in `make test`, for what hardly differs by release; all elsewhere."""
    return releases() if os.environ.get("CALLBRIDGE_GPU_RELEASES") else releases()[-1:]


def plugin_folder(release):
    return pathlib.Path(os.environ["CALLBRIDGE_CACHE"]) / f"cuda-plugin-{release}"


def missing(release):
    """Why programs cannot be started on this release, or None."""
    if release is None:
        return None
    from runtimes import python_of

    if not (plugin_folder(release) / "installed.txt").exists():
        return f"the GPU plugin of jax {release} is not there: scripts/cuda_plugin {release}"
    if python_of(release) is None:
        return f"the environment of jax {release} is not there"
    return None


class Outcome(NamedTuple):
    """How a program ended."""

    status: int  # negative: the signal that ended it
    output: str
    errors: str
    ledger: str  # what the stand-in wrote at exit: tests/gpu/driver/standin.h


def environment(release):
    """What XLA:GPU needs of the environment, to start over the stand-in."""
    cuda = _PLUGINS[release]
    major, minor = cuda.split(".")
    libraries = f"{BUILD}/tests/gpu/cuda{major}"
    if release == IN_DEBIAN_13:
        libraries += ":/debian-12"
    flags = ["--xla_gpu_autotune_level=0", f"--xla_gpu_cuda_data_dir={FOLDER}/toolkit"]
    return {
        "LD_LIBRARY_PATH": libraries,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), str(plugin_folder(release))]),
        "JAX_SKIP_CUDA_CONSTRAINTS_CHECK": "1",
        "XLA_FLAGS": " ".join(flags),
        "CALLBRIDGE_STANDIN_VERSION": str(int(major) * 1000 + int(minor) * 10),
    }


def run(release, program, *arguments, **options):
    """Runs a Python program of this folder in XLA:GPU of a release, by start.py.

    Args:
      **options: Those of python().
    """
    return python(release, START, FOLDER / program, *arguments, **options)


def python(release, *arguments, flags="", timeout=300, with_ledger=False, **variables):
    """Runs the Python of a release, where XLA:GPU can start.

    Args:
      flags: More XLA_FLAGS.
      with_ledger: Whether the stand-in writes its ledger.
      **variables: Environment variables, e.g. those of tests/gpu/driver/standin.h.
    """
    variables = {
        "JAX_PLATFORMS": "cuda,cpu",
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CALLBRIDGE_LIBRARY": str(LIBRARY),
        **(environment(release) if release else {}),
        **variables,
    }
    # On a device, behind those that its user has.
    own = variables.get("XLA_FLAGS", "" if release else os.environ.get("XLA_FLAGS", ""))
    variables["XLA_FLAGS"] = f"{own} {flags}".strip()
    # In a folder that Debian 13 has too.
    ledger = TARGETS / f"ledger.{uuid.uuid4().hex}"
    if with_ledger:
        variables["CALLBRIDGE_STANDIN_LEDGER"] = str(ledger)
    command = [sys.executable]
    if release:
        from runtimes import python_of

        # What the stand-in needs is set behind scripts/debian_13, which has a path of its own.
        *before, interpreter = python_of(release)
        command = [*before, "env", *(f"{name}={value}" for name, value in variables.items())]
        command.append(interpreter)
    done = subprocess.run(
        [*command, *map(str, arguments)],
        env=os.environ if release else {**os.environ, **variables},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
    )
    text = ledger.read_text() if ledger.exists() else ""
    ledger.unlink(missing_ok=True)
    status = done.returncode
    # A shell says so of a process that a signal ended.
    if status > 128:
        status = 128 - status
    return Outcome(status, done.stdout, done.stderr, text)
