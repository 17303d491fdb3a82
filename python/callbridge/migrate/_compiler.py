"""The flags that a C++ source is parsed with: its build's, and the compiler's own folders."""

from __future__ import annotations

import functools
import json
import os
import pathlib
import shlex
import shutil
import subprocess

from callbridge import config
from callbridge.migrate._plan import MigrateError

# What a compile command has that is not about how the source is read.
_WITH_VALUE = ("-o", "-MF", "-MT", "-MQ")
_ALONE = ("-c", "-MD", "-MMD", "-MP")
# Host code alone is read, without clang's own wrappers of the toolkit's headers: they are made for
# the toolkits that its release knows.
_CUDA = ("-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version")


@functools.cache
def include_folders(compiler: str) -> tuple[str, ...]:
    """The folders that the compiler looks into by itself: libclang has no headers of its own."""
    command = [compiler, "-E", "-x", "c++", "-v", "/dev/null"]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            check=True,
            env={**os.environ, "LC_ALL": "C"},  # the words below are English
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise MigrateError(
            f"{compiler} does not say where its headers are ({error}); name the compiler of the "
            "build by --compiler"
        ) from None
    listed = done.stderr.partition("search starts here:\n")[2].partition("End of search list.")[0]
    return tuple(line.strip() for line in listed.splitlines() if line.startswith(" "))


def _cuda_folders() -> list[str]:
    """The folder that nvcc looks into by itself, if there is an nvcc."""
    nvcc = shutil.which("nvcc")
    return [] if nvcc is None else [str(pathlib.Path(nvcc).resolve().parents[1] / "include")]


def callbridge_includes() -> str:
    """The folder of callbridge's headers, in the tree or installed."""
    try:
        return config.include_dir()
    except FileNotFoundError as error:
        raise MigrateError(str(error)) from None


def flags_of(source: pathlib.Path, compiler: str, database: str | None, given: list[str]):
    """Returns libclang's arguments for `source`: as the build has it, then callbridge's headers.

    callbridge's replacements of XLA's headers come behind the build's own folders.
    """
    flags = list(given)
    if database is not None:
        flags = [*_from_database(source, pathlib.Path(database)), *flags]
    if not any(flag.startswith("-std=") for flag in flags):
        flags.insert(0, "-std=c++17")
    flags += ["-isystem", callbridge_includes(), "-nostdinc", "-nostdinc++"]
    for folder in include_folders(compiler):
        flags += ["-isystem", folder]
    if source.suffix != ".cu":
        return ["-x", "c++", *flags]
    return [*_CUDA, *flags, *(f"-isystem{folder}" for folder in _cuda_folders())]


def _from_database(source: pathlib.Path, folder: pathlib.Path) -> list[str]:
    path = folder / "compile_commands.json" if folder.is_dir() else folder
    try:
        entries = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise MigrateError(f"{path}: {error}") from None
    for entry in entries:
        at = pathlib.Path(entry["directory"])
        if (at / entry["file"]).resolve() == source.resolve():
            words = entry.get("arguments") or shlex.split(entry["command"])
            return [f"-working-directory={at}", *_readers_flags(words[1:], entry["file"])]
    raise MigrateError(f"{path} has no command for {source}; give its flags behind --")


def _readers_flags(words: list[str], source: str) -> list[str]:
    flags, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in _WITH_VALUE:
            skip = True
        elif word not in _ALONE and word != source:
            flags.append(word)
    return flags
