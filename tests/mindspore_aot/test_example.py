"""The commands of docs/mindspore.md do what it shows."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))

pytestmark = pytest.mark.skipif(
    shutil.which("g++") is None,
    reason="no g++, which compiles operators, as in the Debian 13 of make matrix",
)


@pytest.fixture
def section():
    return (ROOT / "docs/mindspore.md").read_text()


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "row_sums.cc").symlink_to(ROOT / "examples/mindspore_aot/row_sums.cc")
    np.save("x.npy", np.arange(6, dtype=np.float32).reshape(2, 3))


def test_the_commands(section):
    (block,) = re.findall(r"```console\n(\$ .*?)```", section, re.DOTALL)
    shown = re.findall(r"^\$ (.*)\n((?:[^$].*\n)*)", block, re.MULTILINE)
    assert len(shown) == 2
    for command, output in shown:
        program, *words = shlex.split(command)
        assert program == "callbridge"
        done = subprocess.run([BUILD / program, *words], capture_output=True, text=True)
        assert done.stdout + done.stderr == output


def test_the_program(section):
    (program,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    variables = {}
    exec(program, variables)
    expected = 0.5 * np.load("x.npy").sum(axis=1)
    assert (np.asarray(variables["y"]) == expected).all()
