"""All that a command prints, byte for byte: transcripts/*.txt.

Each has the command, its files, and what goes to standard output and to standard error. The other
tests say what of that must be so, and run what is written; here nothing may change unseen.
"""

import pathlib
import re
import shutil

import migrate_command
import pytest

pytest.importorskip("clang")
pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")
TRANSCRIPTS = sorted((pathlib.Path(__file__).parent / "transcripts").glob("*.txt"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_command_prints_what_its_transcript_says(tmp_path, path):
    text = path.read_text()
    first, *parts = re.split(r"^---- (.*)\n", text, flags=re.MULTILINE)
    files = dict(zip(parts[::2], parts[1::2], strict=True))
    for name in files.keys() - {"stdout", "stderr"}:
        (tmp_path / name).write_text(files[name])
    prompt, *words = first.split()
    done = migrate_command.here(tmp_path, *words[2:])
    assert (prompt, words[:2], done.returncode) == ("$", ["callbridge", "migrate"], 0), done
    inputs = text[: text.index("---- stdout\n")]
    found = f"{inputs}---- stdout\n{done.stdout}---- stderr\n{done.stderr}"
    assert found.splitlines() == text.splitlines()
