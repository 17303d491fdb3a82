"""All that a command prints, byte for byte: transcripts/*.txt.

Each has the command, its files, and what goes to standard output and to standard error; of a
program also what would be written if the same command had its C++. The other tests say what of that
must be so, and run what is written; here nothing may change unseen.
"""

import pathlib
import re
import shutil

import migrate_command
import pytest

pytest.importorskip("clang")
pytest.importorskip("libcst")
pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")
TRANSCRIPTS = sorted((pathlib.Path(__file__).parent / "transcripts").glob("*.txt"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_command_prints_what_its_transcript_says(tmp_path, path):
    text = path.read_text()
    first, *parts = re.split(r"^---- (.*)\n", text, flags=re.MULTILINE)
    prompt, *words = first.split()
    assert (prompt, words[:2]) == ("$", ["callbridge", "migrate"])
    found = text[: text.index("---- stdout\n")]
    for name, content in zip(parts[::2], parts[1::2], strict=True):
        if not name.startswith("std"):
            (tmp_path / name).write_text(content)
    done = migrate_command.here(tmp_path, *words[2:])
    found += f"---- stdout\n{done.stdout}---- stderr\n{done.stderr}"
    if "stdout with its C++" in parts:
        found += typed(tmp_path, words[-1])
    assert found.splitlines() == text.splitlines()


def typed(folder, program):
    """What is written where the program's targets become typed handlers, and said."""
    from callbridge.migrate import _python_code

    plan = _python_code.plan(folder / program, None)
    diff = "".join(change.diff() for change in plan.changes)
    said = "".join(f"{one}\n" for one in sorted(set(plan.decisions)))
    written = f"---- stdout with its C++\n{diff}---- stderr with its C++\n{said}"
    return written.replace(f"{folder}/", "")
