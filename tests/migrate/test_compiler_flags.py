"""The flags that a C++ source is parsed with: callbridge.migrate._sources."""

import json
import pathlib

import pytest

pytest.importorskip("clang")

from callbridge.migrate import _sources  # noqa: E402
from callbridge.migrate._sources import MigrateError  # noqa: E402

HEADERS = pathlib.Path(__file__).resolve().parents[2] / "include"
# As gcc says it.
SAYS = """\
#!/bin/sh
test "$*" = "-E -x c++ -v /dev/null" && test "$LC_ALL" = C || exit 3
cat >&2 <<END
ignoring nonexistent directory "/none"
#include "..." search starts here:
 /quoted
#include <...> search starts here:
 /first folder
 /second
End of search list.
 /not/this
END
"""
OWN = ["-isystem", str(HEADERS), "-nostdinc", "-nostdinc++"]
FOLDERS = ["-isystem", "/first folder", "-isystem", "/second"]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_sources.shutil, "which", lambda name: None)


@pytest.fixture
def compiler(tmp_path):
    path = tmp_path / "compiler"
    path.write_text(SAYS)
    path.chmod(0o755)
    return str(path)


def flags(compiler, source="a.cc", database=None, given=()):
    return _sources.flags_of(pathlib.Path(source), compiler, database, list(given))


def test_a_compiler_says_where_its_headers_are(compiler):
    folders = _sources.include_folders(compiler)
    assert folders[-2:] == ("/first folder", "/second")
    for other in ("/none/compiler", "false"):
        with pytest.raises(MigrateError, match=f"^{other} does not say .*--compiler$"):
            _sources.include_folders(other)


def test_a_source_without_a_database(compiler):
    folders = [one for folder in _sources.include_folders(compiler) for one in ("-isystem", folder)]
    assert flags(compiler) == ["-x", "c++", "-std=c++17", *OWN, *folders]
    given = ["-Iours", "-std=c++20"]
    assert flags(compiler, given=given) == ["-x", "c++", *given, *OWN, *folders]
    assert flags(compiler, given=["-Iours"])[:4] == ["-x", "c++", "-std=c++17", "-Iours"]
    assert folders[-4:] == FOLDERS


def test_a_cuda_source(compiler, monkeypatch, tmp_path):
    host = ["-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib"]
    found = flags(compiler, "a.cu")
    assert found[:6] == [*host, "-Wno-unknown-cuda-version"] and found[-4:] == FOLDERS
    (tmp_path / "cuda/bin").mkdir(parents=True)
    (tmp_path / "cuda/bin/nvcc").touch()
    nvcc = tmp_path / "nvcc"
    nvcc.symlink_to("cuda/bin/nvcc")
    monkeypatch.setattr(_sources.shutil, "which", {"nvcc": str(nvcc)}.get)
    assert flags(compiler, "a.cu") == [*found, f"-isystem{tmp_path}/cuda/include"]
    assert flags(compiler)[-4:] == FOLDERS


COMMAND = [
    *("c++", "-DX=1", "-o", "a.o", "-c", "-MD", "-MMD", "-MP", "-MF", "a.d", "-MT", "t"),
    *("-MQ", "q", "-I", "dir", "-std=c++14", "sub/a.cc", "-Wall"),
]
READ = ["-DX=1", "-I", "dir", "-std=c++14", "-Wall"]


@pytest.mark.parametrize(
    "entry",
    [
        {"arguments": COMMAND},
        {"command": " ".join(COMMAND)},
        {"command": " ".join(COMMAND).replace("-DX=1", "'-DX=1'"), "arguments": []},
    ],
)
@pytest.mark.parametrize("database", ["build", "build/compile_commands.json"])
def test_a_source_of_a_database(compiler, tmp_path, entry, database):
    (tmp_path / "build").mkdir()
    entries = [
        {"directory": str(tmp_path / "other"), "file": "sub/a.cc", "command": "c++ -DOTHER"},
        {"directory": str(tmp_path), "file": "sub/a.cc", **entry},
        {"directory": str(tmp_path), "file": "sub/a.cc", "command": "c++ -DLATER"},
    ]
    (tmp_path / "build/compile_commands.json").write_text(json.dumps(entries))
    found = flags(compiler, "sub/../sub/a.cc", database, ["-DGIVEN"])
    expected = [f"-working-directory={tmp_path}", *READ, "-DGIVEN", *OWN]
    assert found[: 2 + len(expected)] == ["-x", "c++", *expected]


def test_a_database_that_does_not_help(compiler, tmp_path):
    with pytest.raises(MigrateError, match="^none: .*No such file"):
        flags(compiler, database="none")
    path = tmp_path / "compile_commands.json"
    path.write_text("{")
    with pytest.raises(MigrateError, match="compile_commands.json: "):
        flags(compiler, database=".")
    path.write_text("[]")
    with pytest.raises(MigrateError) as refused:
        flags(compiler, database=".")
    said = "compile_commands.json has no command for a.cc; give its flags behind --"
    assert str(refused.value) == said


def test_half_an_installation_has_no_headers(compiler, monkeypatch, tmp_path):
    monkeypatch.setattr(_sources.config, "PREFIX", str(tmp_path))
    with pytest.raises(MigrateError, match="callbridge/callbridge.h is not in"):
        flags(compiler)
