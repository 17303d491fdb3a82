"""The command line of `callbridge migrate`, and what its Python must have."""

import importlib.util
import sys

import migrate_command
import pytest
from callbridge import migrate

SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".cu")


def test_each_kind_of_source_is_taken(tmp_path):
    pytest.importorskip("clang")
    pytest.importorskip("libcst")
    names = [f"a{suffix}" for suffix in (*SUFFIXES, ".py")]
    for name in names:
        (tmp_path / name).touch()
    done = migrate_command.here(tmp_path, *names)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = migrate_command.here(tmp_path, "a.cc", "a.CC")
    assert (done.returncode, done.stdout) == (2, "")
    expected = f"expected a source, {', '.join(SUFFIXES)} or .py"
    assert done.stderr == f"callbridge: a.CC: {expected} (see --help)\n"


def test_options():
    words = ("-p", "build", "--compiler", "c++", "--rewrite", "--write", "a.cc", "b.py")
    options = migrate._parse((*words, "--", "-Ia", "--", "b"))
    assert (options.sources, options.flags) == (["a.cc", "b.py"], ["-Ia", "--", "b"])
    assert (options.p, options.compiler, options.rewrite, options.write) == (
        *("build", "c++"),
        *(True, True),
    )
    options = migrate._parse(("--diff", "a.cc"))
    assert (options.p, options.compiler, options.flags) == (None, "g++", [])
    assert (options.rewrite, options.write) == (False, False)


@pytest.mark.parametrize(
    "words, says",
    [
        ([], "the following arguments are required: FILE"),
        (["--wri", "a.cc"], "unknown option --wri; did you mean --write?"),
        (["--frobnicate=1", "a.cc"], "unknown option --frobnicate"),
        (["a.cc", "-p"], "argument -p: expected one argument"),
        (["--diff", "--write", "a.cc"], "argument --write: not allowed with argument --diff"),
        (["--", "a.cc"], "the following arguments are required: FILE"),
    ],
)
def test_what_is_wrong_with_it(tmp_path, words, says):
    done = migrate_command.here(tmp_path, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"callbridge: {says} (see --help)\n"


def test_help(tmp_path):
    for word in ("-h", "--help"):
        done = migrate_command.here(tmp_path, word)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("usage: callbridge migrate [-h]")
        for part in ("FILE", "--rewrite", "--compiler COMPILER", "-p DIR", "Exit status: 0 on"):
            assert part in done.stdout


@pytest.mark.parametrize("missing", [["clang"], ["libcst"], ["clang", "libcst"]])
def test_packages_that_python_lacks(tmp_path, monkeypatch, missing):
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in missing else "there"
    )
    (tmp_path / "a.cc").touch()
    done = migrate_command.here(tmp_path, "a.cc")
    assert (done.returncode, done.stdout) == (1, "")
    names = " and ".join({"clang": "libclang", "libcst": "libcst"}[one] for one in missing)
    assert done.stderr.startswith(
        f"callbridge: FAILED_PRECONDITION: migrate needs {names}, which {sys.executable} has not; "
    )


def test_what_is_written_is_said(tmp_path):
    pytest.importorskip("libcst")
    (tmp_path / "a.py").write_text("from jax.extend import ffi\n")
    done = migrate_command.here(tmp_path, "--write", "a.py")
    assert (done.returncode, done.stdout, done.stderr) == (0, "wrote a.py\n", "")
    text = (tmp_path / "a.py").read_text()
    assert text.startswith("try:\n    from jax import ffi\nexcept ImportError:")
