"""The types and the SONAME of the C API are those of c_api/baseline.abi. A wanted change makes it
anew: .venv/bin/python tests/house/test_c_abi.py"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BASELINE = ROOT / "c_api/baseline.abi"
# The build that has the types of the C API (c_api/CMakeLists.txt), whichever one is tested.
LIBRARY = ROOT / "build/dev/libcallbridge.so.0"
# Types of other headers are private.
HEADERS = [
    *sorted(ROOT.glob("c_api/callbridge*.h")),
    ROOT / "status_returning/custom_call_status.h",
]


def what_is_public(folder):
    """As libabigail wants it: a folder with the public headers, and a file with the C functions."""
    headers = pathlib.Path(folder) / "headers"
    headers.mkdir()
    for header in HEADERS:
        shutil.copy(header, headers)
    names = (ROOT / "c_api/exported_symbols.txt").read_text().splitlines()
    functions = pathlib.Path(folder) / "functions"
    listed = [name for name in names if name.startswith(("callbridge_", "XlaCustomCallStatus"))]
    functions.write_text("\n".join(["[allow_list]", *listed]) + "\n")
    return headers, functions


def what_changed(baseline, folder):
    """What abidiff says of the library; nothing if it is as in the baseline."""
    headers, functions = what_is_public(folder)
    command = ["abidiff", "--drop-private-types", "--headers-dir2", headers]
    command += ["--kmi-whitelist", functions, baseline, LIBRARY]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode & 3 == 0, done.stderr
    return done.stdout if done.returncode else ""


def make_baseline():
    # Without places, no type would be known to be of a public header.
    command = ["abidw", "--short-locs", "--no-elf-needed", "--no-corpus-path", "--no-comp-dir-path"]
    command += ["--drop-private-types", "--drop-undefined-syms", "--exported-interfaces-only"]
    with tempfile.TemporaryDirectory() as folder:
        headers, functions = what_is_public(folder)
        command += ["--headers-dir", headers, "--kmi-whitelist", functions]
        subprocess.run([*command, "--out-file", BASELINE, LIBRARY], check=True)


@pytest.fixture(autouse=True)
def built():
    if not LIBRARY.exists():
        pytest.skip(f"no {LIBRARY}, which alone has the types: scripts/build dev")


def test_the_c_abi_is_that_of_the_baseline(tmp_path):
    assert what_changed(BASELINE, tmp_path) == ""


@pytest.mark.parametrize(
    "inside, old, new, said",
    [
        ("<abi-corpus ", "soname='libcallbridge.so.0'", "soname='libcallbridge.so.1'", "SONAME"),
        (
            "<class-decl name='callbridge_array'",
            "offset-in-bits='64'",
            "offset-in-bits='0'",
            "offset",
        ),
        ("<function-decl name='callbridge_infer_dimensions'", "<parameter ", "<!-- ", "parameter"),
    ],
    ids=["soname", "field", "parameter"],
)
def test_a_change_is_seen(tmp_path, inside, old, new, said):
    """Against a baseline of which one thing is changed, the library differs."""
    text = BASELINE.read_text()
    start = text.index(old, text.index(inside))
    rest = text[start:].replace(old, new, 1)
    if new == "<!-- ":
        rest = rest.replace("/>", "-->", 1)
    (tmp_path / "changed.abi").write_text(text[:start] + rest)
    assert said in what_changed(tmp_path / "changed.abi", tmp_path)


if __name__ == "__main__":
    sys.exit(make_baseline())
