"""The real command, on sources in a folder of the test's, and its Python alone, which is faster."""

import os
import pathlib
import subprocess
import sys
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
ENVIRONMENT = {
    **os.environ,
    "CALLBRIDGE_PYTHON": sys.executable,
    "CALLBRIDGE_LIBRARY": str(LIBRARY),
    "PYTHONPATH": str(ROOT / "python"),
    "JAX_PLATFORMS": "cpu",
}


def migrate(folder, *words, environment=None):
    return subprocess.run(
        [BUILD / "callbridge", "migrate", *words],
        cwd=folder,
        env={**ENVIRONMENT, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=120,
    )


_parsed: dict = {}


def _parse_once(path, content, flags):
    """A TranslationUnit, which takes a second for each source with the usual headers: one for all
    sources of the same name, content and flags, whose own headers are alike."""
    from callbridge.migrate import _translation_unit

    key = (path, content, tuple(flags))
    unit, own = _parsed.pop(key, (None, {}))
    if unit is None or any(_bytes(name) != text for name, text in own.items()):
        unit = _translation_unit.TranslationUnit(path, content, flags)
        names = [one.include.name for one in unit.unit.get_includes()]
        names += [_translation_unit._MISSING.search(one.spelling)[1] for one in unit.missing]
        own = {name: _bytes(name) for name in names if not os.path.isabs(name)}
    if str(path) == path.name:
        _parsed[key] = unit, own
    while len(_parsed) > 12:
        del _parsed[next(iter(_parsed))]
    return unit


def _bytes(name):
    path = pathlib.Path(name)
    return path.read_bytes() if path.exists() else None


def here(folder, *words):
    """As migrate(), in this process, which reads the rows of the ABI table once."""
    from callbridge import migrate as command
    from callbridge._core import _output
    from callbridge.migrate import _cxx_source

    out, errors = [], []
    before = os.getcwd()
    os.chdir(folder)
    try:
        with (
            mock.patch.object(_cxx_source, "TranslationUnit", _parse_once),
            mock.patch.object(_output, "show", out.append),
            mock.patch.object(_output, "tell", lambda line: errors.append(f"{line}\n")),
        ):
            status = command.main(*map(str, words))
    except SystemExit as error:
        status = error.code
    finally:
        os.chdir(before)
    return subprocess.CompletedProcess(words, status, "".join(out), "".join(errors))


def write(folder, *words):
    """Migrates; returns what a human must decide. A second run then changes nothing."""
    done = here(folder, "--write", *words)
    assert done.returncode == 0, done.stderr
    before = contents(folder)
    again = here(folder, "--write", *words)
    assert (again.returncode, again.stdout) == (0, ""), again
    assert contents(folder) == before
    return done.stderr.splitlines()


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def compile_library(folder, source, library):
    """Links it to libcallbridge.so, which registrations that stay need."""
    run(folder, "g++", "-std=c++17", "-Wall", "-Werror", "-shared", "-fPIC", "-I",
        ROOT / "include", source, LIBRARY, f"-Wl,-rpath,{BUILD}", "-o", library)  # fmt: skip


def run(folder, *command, status=0):
    done = subprocess.run(
        command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


# The exit status of the test beside a source, if none failed and one is not filled in.
NOT_FILLED_IN = 77


def run_tests(folder, *sources, flags=()):
    """Builds the test beside a source, with it; returns its lines and its exit status."""
    run(folder, "g++", "-std=c++17", "-Wall", "-Werror", "-I", ROOT / "include", *flags, *sources,
        LIBRARY, f"-Wl,-rpath,{BUILD}", "-o", "tests")  # fmt: skip
    done = subprocess.run([folder / "tests"], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    return done.stdout.splitlines(), done.returncode
