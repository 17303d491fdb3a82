"""The registration and the test of a source, where an earlier run has written them.

A run that lacks a header does not see what depends on it; with the header's folder, a second run
completes what the first one wrote.
"""

import codecs
import re
import shutil

import migrate_command
import pytest

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")

HEADER = """\
#include "xla/service/custom_call_target_registry.h"
#define REGISTER_OURS(name, function) XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(name, function)
using Operands = const void**;
"""
SOURCE = """\
#include "xla/service/custom_call_target_registry.h"
#include "ours.h"

void seen(void* out, const void** in) {
  *static_cast<float*>(out) = *static_cast<const float*>(in[0]);
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(seen);
#ifdef REGISTER_OURS
void see(void* out, Operands in) {
  *static_cast<double*>(out) = *static_cast<const double*>(in[0]);
}
REGISTER_OURS("see", see);
REGISTER_OURS("seen.2", seen);
#endif
"""
WITH = ("--", "-I", "ours")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.cc").write_text(SOURCE)
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours/ours.h").write_text(HEADER)
    return tmp_path


def test_a_second_run_completes_the_first(folder):
    done = migrate_command.here(folder, "--write", "a.cc")
    assert done.stderr.startswith("a.cc:2: ours.h was not found")
    test = folder / "a_handlers_test.cc"
    filled = (
        test.read_text().replace("in0 = {}", "in0 = {3}").replace("expected = {}", "expected = {3}")
    )
    test.write_text(filled)
    registration = folder / "a_registration.py"
    assert re.findall(r'\("(.*)", "cpu", "(.*)"\)', registration.read_text()) == [("seen", "Seen")]

    decisions = migrate_command.write(folder, "a.cc", *WITH)
    rows = re.findall(r'\("(.*)", "cpu", "(.*)"\)', registration.read_text())
    assert rows == [("seen", "Seen"), ("see", "See")]
    assert (
        'a_registration.py:1: is there already, without the row ("seen.2", "cpu", "Seen"); add it, '
        "unless it was left out on purpose" in decisions
    )
    compile(registration.read_text(), "a", "exec")
    # What was filled in stays, and the test is one.
    assert set(filled.splitlines()) < set(test.read_text().splitlines())
    said = migrate_command.run_tests(folder, "a.cc", test, flags=["-I", "ours"])
    assert said == (["Seen: passed", "See: not filled in"], migrate_command.NOT_FILLED_IN)


def test_a_file_of_another_form_is_left_and_named(folder):
    migrate_command.here(folder, "--write", "a.cc")
    registration = folder / "a_registration.py"
    text = registration.read_text().replace("def register(path)", "def register_all(path)")
    registration.write_text(text)
    decisions = migrate_command.write(folder, "a.cc", *WITH)
    assert registration.read_text() == text
    assert (
        "a_registration.py:1: is there already, and no longer has the form that migrate writes: "
        "add See by hand, or move it away, and it is written anew" in decisions
    )


@pytest.mark.parametrize(
    "as_edited",
    [
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: codecs.BOM_UTF8 + text.encode(),
        lambda text: codecs.BOM_UTF8 + text.replace("\n", "\r\n").encode(),
        lambda text: text.replace("arrays.", "arrays \xe4.").encode("latin-1"),
    ],
    ids=["CRLF", "mark", "mark and CRLF", "Latin-1"],
)
def test_what_an_editor_made_of_a_file_stays(folder, as_edited):
    """The rows that a second run adds end as those of the file do."""
    migrate_command.here(folder, "--write", "a.cc")
    written = [folder / "a_handlers_test.cc", folder / "a_registration.py"]
    first = [path.read_text() for path in written]
    migrate_command.here(folder, "--write", "a.cc", *WITH)
    completed = [path.read_text() for path in written]
    assert all(map(str.__ne__, first, completed))
    for path, text in zip(written, first, strict=True):
        path.write_bytes(as_edited(text))
    migrate_command.here(folder, "--write", "a.cc", *WITH)
    assert [path.read_bytes() for path in written] == list(map(as_edited, completed))
