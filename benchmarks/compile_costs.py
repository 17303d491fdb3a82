"""What it costs to compile handlers: callbridge's headers against XLA's own."""

import os
import resource
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "benchmarks/typed_ffi/compiled_handlers.cc"
CACHE = Path(os.environ.get("CALLBRIDGE_CACHE", Path.home() / ".cache/callbridge"))
RELEASES = subprocess.run(
    [ROOT / "scripts/jax_releases", "headers"], check=True, capture_output=True, text=True
).stdout.split()
HEADERS = {
    "callbridge": [f"-I{ROOT / 'include'}"],
    "genuine": ["-isystem", str(CACHE / "jaxlib-headers" / RELEASES[-1] / "jaxlib/include")],
}
COMPILERS = ("g++", "clang++")
HANDLERS = (1, 20)
REPEAT = 2


class CompileCost(NamedTuple):
    seconds: float  # of a processor
    object_bytes: int


def measure():
    """The CompileCost of each "HEADERS-COMPILER: COUNT"."""
    return {
        f"{headers}-{compiler}: {handlers}": compile_once(compiler, options, handlers)
        for compiler in COMPILERS
        for handlers in HANDLERS
        for headers, options in HEADERS.items()
    }


def compile_once(compiler, options, handlers):
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "handlers.o"
        command = [compiler, "-std=c++17", "-O2", "-DNDEBUG", "-fPIC", f"-DHANDLERS={handlers}"]
        seconds = []
        for _ in range(REPEAT):
            before = processor_seconds()
            subprocess.run([*command, *options, "-c", SOURCE, "-o", target], check=True)
            seconds.append(processor_seconds() - before)
        return CompileCost(min(seconds), target.stat().st_size)


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def budgets(costs):
    """What is promised, what is measured: (what, limit, measured)."""
    for compiler in COMPILERS:
        ours, genuine = (costs[f"{headers}-{compiler}: 20"] for headers in HEADERS)
        yield (
            f"{compiler}, compiling 20 handlers, against XLA's headers: time, ratio",
            0.5,
            ours.seconds / genuine.seconds,
        )
        yield (
            f"{compiler}, object of 20 handlers, against XLA's headers: size, ratio",
            0.5,
            ours.object_bytes / genuine.object_bytes,
        )
