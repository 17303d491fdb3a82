"""`callbridge migrate --rewrite`: what it writes does what the function did, bit for bit."""

import re
import shutil

import migrate_command
import pytest
import rewritten_functions

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")


@pytest.fixture(scope="module")
def migrated(tmp_path_factory):
    """A folder with the functions before and after, and what a human must decide."""
    folder = tmp_path_factory.mktemp("rewritten")
    (folder / "before.cc").write_text(rewritten_functions.FUNCTIONS)
    (folder / "after.cc").write_text(rewritten_functions.FUNCTIONS)
    decisions = migrate_command.write(folder, "--rewrite", "after.cc")
    return folder, decisions


def test_the_functions_are_rewritten(migrated):
    folder, decisions = migrated
    assert not [one for one in decisions if "is not rewritten" in one]
    text = (folder / "after.cc").read_text()
    assert "CALLBRIDGE_EXPORT" not in text and "callbridge/export.h" not in text
    assert text.count("XLA_FFI_DEFINE_HANDLER_SYMBOL") == len(rewritten_functions.REWRITTEN)
    for name in rewritten_functions.REWRITTEN:
        assert re.search(rf"ffi::Error {name}\(", text) and not re.search(rf"void {name}\(", text)


def test_they_do_what_the_functions_did(migrated):
    folder, _ = migrated
    (folder / "comparison.cc").write_text(rewritten_functions.COMPARISON)
    build = migrate_command.BUILD
    command = ["g++", "-std=c++17", "-Wall", "-Werror", "-I", migrate_command.ROOT / "include"]
    command += ["comparison.cc", "after.cc", build / "libcallbridge.so", f"-Wl,-rpath,{build}"]
    migrate_command.run(folder, *command, "-Wno-unused", "-o", "comparison")
    lines = migrate_command.run(folder, "./comparison").splitlines()
    assert {line.split(":")[0] for line in lines} == set(rewritten_functions.REWRITTEN)
    assert all(line.endswith(": the same") for line in lines), lines
