"""The types and the SONAME of the C API are those of c_api/baseline.abi. A wanted change makes it anew:
.venv/bin/python tests/house/test_c_abi.py"""

import pathlib
import subprocess
import sys
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BASELINE = ROOT / "c_api/baseline.abi"
# The build that has the types of the C API (c_api/CMakeLists.txt), whichever one is tested.
LIBRARY = ROOT / "build/dev/libcallbridge.so.0"
HEADERS = [
    *sorted(ROOT.glob("c_api/callbridge*.h")),
    ROOT / "status_returning/custom_call_status.h",
]


def c_functions(folder):
    """A file that names those of the exported functions that are C's, as libabigail reads it."""
    names = (ROOT / "c_api/exported_symbols.txt").read_text().splitlines()
    file = pathlib.Path(folder) / "functions"
    listed = [name for name in names if name.startswith(("callbridge_", "XlaCustomCallStatus"))]
    file.write_text("\n".join(["[allow_list]", *listed]) + "\n")
    return file


def what_changed(baseline, folder):
    """What abidiff says of the library; nothing if it is as in the baseline."""
    command = ["abidiff", "--drop-private-types", "--kmi-whitelist", c_functions(folder)]
    for header in HEADERS:
        command += ["--header-file2", header]
    done = subprocess.run([*command, baseline, LIBRARY], capture_output=True, text=True)
    assert done.returncode & 3 == 0, done.stderr
    return done.stdout if done.returncode else ""


def make_baseline():
    command = ["abidw", "--drop-private-types", "--drop-undefined-syms", "--exported-interfaces-only"]
    command += ["--no-elf-needed", "--no-show-locs", "--no-corpus-path", "--no-comp-dir-path"]
    for header in HEADERS:
        command += ["--header-file", header]
    with tempfile.TemporaryDirectory() as folder:
        command += ["--kmi-whitelist", c_functions(folder), "--out-file", BASELINE, LIBRARY]
        subprocess.run(command, check=True)


@pytest.fixture(autouse=True)
def built():
    if not LIBRARY.exists():
        pytest.skip(f"no {LIBRARY}, which alone has the types: scripts/build dev")


def test_the_c_abi_is_that_of_the_baseline(tmp_path):
    assert what_changed(BASELINE, tmp_path) == ""


@pytest.mark.parametrize(
    "old, new, said",
    [
        # A parameter is added to a function that had two.
        ("<function-decl name='callbridge_infer_dimensions'", None, "parameter"),
        ("soname='libcallbridge.so.0'", "soname='libcallbridge.so.1'", "SONAME"),
    ],
)
def test_a_change_is_seen(tmp_path, old, new, said):
    """Against a baseline of which one thing is changed, the library differs."""
    text = BASELINE.read_text()
    assert text.count(old) == 1
    if new is None:
        start = text.index("<parameter", text.index(old))
        changed = text[:start] + text[text.index("\n", start) + 1 :]
    else:
        changed = text.replace(old, new)
    (tmp_path / "changed.abi").write_text(changed)
    assert said in what_changed(tmp_path / "changed.abi", tmp_path)


def test_a_changed_field_is_seen(tmp_path):
    text = BASELINE.read_text()
    start = text.index("layout-offset-in-bits='64'", text.index("<class-decl name='callbridge_array'"))
    changed = text[:start] + text[start:].replace("'64'", "'128'", 1)
    (tmp_path / "changed.abi").write_text(changed)
    assert "callbridge_array" in what_changed(tmp_path / "changed.abi", tmp_path)


if __name__ == "__main__":
    sys.exit(make_baseline())
