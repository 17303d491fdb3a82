"""Sources that no one should have: an error of one line, and no crash, traceback or wait."""

import os

import migrate_command
import pytest

SOURCE = "void f(void* out, const void** in) {}\n"
FORMS = {
    "parentheses": lambda n: f"x = {'(' * n}1{')' * n}\n",
    "signs": lambda n: f"x = {'-' * n}1\n",
    "blocks": lambda n: "".join(" " * i + "if x:\n" for i in range(n)) + " " * n + "pass\n",
}


def refused(done):
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


@pytest.mark.parametrize("count", [1000, 30000])
@pytest.mark.parametrize("form", FORMS)
def test_programs_nested_too_deeply(tmp_path, form, count):
    if form == "blocks" and count > 1000:
        pytest.skip("the file would have half a gigabyte")
    (tmp_path / "deep.py").write_text(FORMS[form](count))
    assert "nested" in (said := refused(migrate_command.migrate(tmp_path, "deep.py"))) or (
        "indentation" in said
    )


def test_names_that_are_no_utf_8(tmp_path):
    name = b"\xff.cc"
    with open(os.fsencode(tmp_path) + b"/" + name, "w") as file:
        file.write(SOURCE)
    assert "UTF-8" in refused(migrate_command.migrate(tmp_path, name))
    (tmp_path / "a.cc").write_text(SOURCE)
    assert "UTF-8" in refused(migrate_command.migrate(tmp_path, "a.cc", "--", b"-I\xff"))


@pytest.mark.parametrize("name", ["pipe.cc", "pipe.py", "folder.cc", "folder.py"])
def test_what_is_no_file(tmp_path, name):
    make = os.mkfifo if name.startswith("pipe") else os.mkdir
    make(tmp_path / name)
    assert "is no regular file" in refused(migrate_command.migrate(tmp_path, name))
