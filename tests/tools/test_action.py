"""action.yml: its steps on the suite of handlers.

`make install` and apt-get are stand-ins: tests/install has what the former does, tests/wheel runs
them on wheels with the real apt-get.
"""

import os
import pathlib

import packaging
import pytest
from action_steps import run_steps

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
HEADERS = (BUILD / "tests/ffi_releases.txt").read_text().split()
MAKE = """#!/bin/sh
[ "$1 $2 $3 $4" = "-C $FOLDER install PREFIX=/opt/callbridge" ] || exit 9
mkdir -p /opt/callbridge/bin && ln -s "$COMMAND" /opt/callbridge/bin/callbridge
"""
APT_GET = """#!/bin/sh
echo "$*" >>"$APT_GET_SAID"
"""


@pytest.fixture(autouse=True)
def stand_ins(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("make", MAKE), ("apt-get", APT_GET)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    # As python3-packaging has it.
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages/packaging").symlink_to(pathlib.Path(packaging.__file__).parent)


def run(**given):
    """Returns the last step, and the summary's text."""
    folder = pathlib.Path.cwd()
    environment = {
        "PATH": f"{folder}/bin:/usr/bin:/bin",
        "PYTHONPATH": str(folder / "packages"),
        "FOLDER": str(ROOT),
        "COMMAND": str(BUILD / "callbridge"),
        "APT_GET_SAID": str(folder / "apt-get said"),
    }
    return run_steps(folder, environment, given)


def library():
    return str(BUILD / f"tests/typed_ffi/suite/suite_{HEADERS[-1]}.so")


def test_prints_the_table_and_appends_it_to_the_summary():
    pathlib.Path("summary").write_text("before\n")
    done, summary = run(path=library())
    assert (done.returncode, done.stderr) == (0, "")
    assert summary == "before\n" + done.stdout
    assert done.stdout.startswith("| library | custom calls | ")


def test_installs_what_a_bare_debian_lacks():
    run(path=library())
    first, second = pathlib.Path("apt-get said").read_text().splitlines()
    assert first == "update"
    packages = second.removeprefix("install -y --no-install-recommends ").split()
    assert packages == ["ca-certificates", "git", "make", "python3-packaging"]


def test_fails_where_too_much_is_admitted():
    words = {"path": library(), "jax": ">=0.4.30", "probe": "true"}
    done, summary = run(**words)
    assert done.returncode == 1 and summary == done.stdout != ""
    assert run(**words, strict="false")[0].returncode == 0
    assert run(**{**words, "probe": "false"})[0].returncode == 0  # unknown


def test_fails_where_there_is_none():
    done, summary = run(path="a none.whl")
    assert done.returncode == 1 and summary == ""
    assert done.stderr == "callbridge: a none.whl: No such file or directory\n"
