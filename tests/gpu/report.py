"""report.py FOLDER FILE: writes what `make test-gpu` found on this machine's GPU into docs/gpu.md.

FOLDER has a file for each row: the output of one step. What was not run is not in the table.
"""

import importlib.metadata
import pathlib
import re
import subprocess
import sys

import jax

NOT_MEASURED = "not measured"
BEGIN = "<!-- what make test-gpu writes begins here -->"
# The file of a row, what people call it, and the line of its output that counts.
ROWS = (
    ("driver", "the stand-in's own test, on this driver", r"\[  (PASSED|FAILED)  \].*"),
    ("rows", "tests/gpu: rows, kernels, examples, packages", r"=+ (.*) in .*=+"),
    ("devices", "`callbridge run --device`, callbridge.numpy", r"=+ (.*) in .*=+"),
    ("torch", "callbridge.torch on CUDA tensors", r"=+ (.*) in .*=+"),
    ("memcheck", "compute-sanitizer memcheck", r"ERROR SUMMARY: .*"),
    ("racecheck", "compute-sanitizer racecheck", r"(RACECHECK|ERROR) SUMMARY: .*"),
)
CALLS = (
    ("native", "native, version 1"),
    ("raw", "native, typed FFI, by hand"),
    ("version_3", "callbridge, version 3"),
    ("typed", "callbridge, typed FFI"),
    ("captured", "callbridge, typed FFI, in a command buffer"),
)


def last(folder, name, pattern=".+"):
    """The last line of a step's output that matches, or why there is none."""
    path = folder / name
    lines = path.read_text(errors="replace").splitlines() if path.exists() else []
    found = [match[0] for line in lines if (match := re.search(pattern, line))]
    return found[-1].strip(" =") if found else NOT_MEASURED


def nanoseconds(folder, path):
    """What the program printed, whatever XLA logged around it."""
    text = last(folder, f"calls {path}", r"^\d+(\.\d+)?$")
    return text if text == NOT_MEASURED else f"{float(text):,.0f}"


def driver_version():
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown: nvidia-smi does not answer"
    return done.stdout.split()[0]


def main():
    folder, page = map(pathlib.Path, sys.argv[1:])
    (device, *_) = jax.devices("cuda")
    lines = [
        BEGIN,
        "",
        f"{device.device_kind}, driver {driver_version()}, "
        f"jax {importlib.metadata.version('jax')}.",
        "",
        "| what | outcome |",
        "|---|---|",
        *(f"| {what} | {last(folder, name, pattern)} |" for name, what, pattern in ROWS),
        "",
        "| a call more in a chain, of a target that does nothing | ns |",
        "|---|---|",
        *(f"| {what} | {nanoseconds(folder, path)} |" for path, what in CALLS),
        "",
    ]
    text = page.read_text()
    page.write_text(text[: text.index(BEGIN)] + "\n".join(lines))


if __name__ == "__main__":
    main()
