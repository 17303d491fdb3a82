"""What the pages of docs/abi draw is what the headers declare."""

import pathlib
import re
import subprocess

import page
import pytest
from the_tree import ffi_versions

ROOT = page.ROOT
ABI = ROOT / "docs/abi"
PAGES = sorted(path for path in ABI.glob("*.md") if path.stem != "README")
SECTIONS = ["Layout", "Lifetimes", "Errors", "Releases"]
# "XLA_FFI_Args" or "XLA_FFI_Attrs, sorted by name", and below it "  │  +16 size  2".
STRUCT = re.compile(r"^ *(?:[│└─▶ ]*)(XLA_FFI_\w+)(?:, .*)?\n((?: *│ +\+\d+ .*\n)+)", re.MULTILINE)
FIELD = re.compile(r"│ +\+(\d+) (\w+)")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_each_page_is_whole(path):
    text = path.read_text()
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == SECTIONS
    layout = text.partition("## Layout")[2].partition("\n## ")[0]
    assert "─▶" in layout or "![" in layout, "a layout is drawn"


def test_the_structs_are_drawn_as_declared(tmp_path):
    drawn = STRUCT.findall((ABI / "typed_ffi.md").read_text())
    assert [name for name, _ in drawn] == [
        "XLA_FFI_CallFrame",
        "XLA_FFI_Args",
        "XLA_FFI_Buffer",
        "XLA_FFI_Attrs",
    ]
    lines = ['#include "xla/ffi/api/c_api.h"', "#include <cstddef>"]
    for name, fields in drawn:
        found = FIELD.findall(fields)
        lines += [f"static_assert(offsetof({name}, {field}) == {at});" for at, field in found]
        # All of them: the last one ends the struct, but for its padding.
        last = found[-1][1]
        lines.append(
            f"static_assert(offsetof({name}, {last}) + sizeof({name}::{last}) == sizeof({name}));"
        )
    (tmp_path / "drawn.cc").write_text("\n".join(lines) + "\n")
    include = ["-I", ROOT / "include"]
    subprocess.run(
        ["g++", "-std=c++17", "-fsyntax-only", *include, tmp_path / "drawn.cc"], check=True
    )


def test_the_releases_are_those_of_the_table():
    text = (ABI / "typed_ffi.md").read_text()
    shown = re.findall(r"^\| (0\.\d+) \| (0\.[^|]+?) \|", text, re.MULTILINE)
    assert shown == [(f"0.{minor}", releases) for minor, releases in ffi_versions()]


def test_each_picture_is_drawn_by_a_command_of_its_page(tmp_path):
    folder, environment = tmp_path / "pictures", page.environment(tmp_path / "prefix")
    folder.mkdir()
    drawn = set()
    for path in PAGES:
        for command in re.findall(r"^\$ (callbridge layout .* --svg .*)$", path.read_text(), re.M):
            done = page.shell(command, folder, environment)
            assert done.returncode == 0, done.stdout
    for path in map(pathlib.Path, folder.iterdir()):
        assert path.read_bytes() == (ABI / path.name).read_bytes(), (
            f"draw docs/abi/{path.name} anew"
        )
        drawn.add(path.name)
    assert drawn == {path.name for path in ABI.glob("*.svg")}
    for name in drawn:
        assert any(f"]({name})" in path.read_text() for path in PAGES)
