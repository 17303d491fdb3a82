"""Sources of other encodings, line ends and byte-order marks: what is written is in the file's own,
and the rest stays, byte for byte."""

import codecs
import functools
import os
import pathlib
import re
import subprocess
import tempfile

import migrate_command
import pytest

# NAME is what the encodings differ in: in a comment, a string and beside what is rewritten.
CXX = """\
// NAME\f
#include <cstring>
struct XlaCustomCallStatus_;
extern "C" void XlaCustomCallStatusSetFailure(XlaCustomCallStatus_*, const char*, size_t);

/* NAME */ void add(void* out, const void** in, const char*, size_t, XlaCustomCallStatus_* s) {
  const float* x = (const float*)in[0];  // NAME
  if (x[0] < 0) return XlaCustomCallStatusSetFailure(s, "NAME: below", strlen("NAME: below"));
  ((float*)out)[0] = x[0];
}
"""
PYTHON = """\
COOKIE# NAME\f
from jax.extend import ffi

y = ffi.ffi_call("NAME", t, x, "NAME")  # NAME
"""
UMLAUTS, KANJI, HANZI = "Zähler für Maß", "加算の表ソ", "加法表"
MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}
CHARSETS = [
    ("latin-1", UMLAUTS),
    ("cp1252", UMLAUTS + " €"),
    ("iso8859-15", UMLAUTS + " €"),
    ("shift_jis", KANJI),
    ("cp932", KANJI),
    ("euc_jp", KANJI),
    ("gbk", HANZI),
    ("gb18030", HANZI + "𠀀"),
    ("big5", HANZI),
    ("euc_kr", "덧셈"),
    ("koi8-r", "сложение"),
    ("utf-8", KANJI),
]


# A C++ source takes a second: `make test` has a sample, which has a letter that ends with a
# backslash, and letters of two and of four bytes.
if "CALLBRIDGE_THOROUGH" in os.environ:
    CXX_MARKS, CXX_CHARSETS = list(MARKS), CHARSETS
else:
    CXX_MARKS = ["utf-8", "utf-16-le"]
    CXX_CHARSETS = [each for each in CHARSETS if each[0] in ("latin-1", "shift_jis", "gb18030")]


def migrated(folder, name, content, *words):
    folder.mkdir()
    (folder / name).write_bytes(content)
    done = migrate_command.here(folder, "--write", name, *words)
    assert done.returncode == 0, done.stderr
    after = (folder / name).read_bytes()
    assert after != content
    again = migrate_command.here(folder, "--write", name, *words)
    assert (again.returncode, again.stdout) == (0, ""), again
    return after


@functools.cache
def migrated_utf_8(name, text, *words):
    with tempfile.TemporaryDirectory() as folder:
        return migrated(pathlib.Path(folder) / "a", name, text.encode(), *words).decode()


def check(folder, name, text, encode, *words, charset=()):
    """The same is written as into UTF-8, with the other line ends."""
    expected = migrated_utf_8(name, text, *words)
    found = migrated(folder / "a", name, encode(text.replace("\n", "\r\n")), *words, *charset)
    assert found == encode(expected.replace("\n", "\r\n"))


@pytest.mark.parametrize("encoding", CXX_MARKS)
def test_cxx_with_a_mark(tmp_path, encoding):
    text = CXX.replace("NAME", KANJI)
    check(tmp_path, "a.cc", text, lambda text: MARKS[encoding] + text.encode(encoding), "--rewrite")


@pytest.mark.parametrize("encoding, name", CXX_CHARSETS)
def test_cxx_of_a_charset_that_the_build_says(tmp_path, encoding, name):
    # Of several the last one counts, as for compilers.
    charset = ("--", "-finput-charset=ascii", f"-finput-charset={encoding}")
    text = CXX.replace("NAME", name)
    check(tmp_path, "a.cc", text, lambda text: text.encode(encoding), "--rewrite", charset=charset)


# In Shift-JIS and its like a letter may end with a backslash: compilers that are not told of the
# charset read it so, and migrate does.
@pytest.mark.parametrize(
    "encoding, name",
    [each for each in CXX_CHARSETS if each[0] not in ("shift_jis", "cp932", "big5")],
)
def test_cxx_of_a_charset_that_nobody_says(tmp_path, encoding, name):
    check(
        tmp_path, "a.cc", CXX.replace("NAME", name), lambda text: text.encode(encoding), "--rewrite"
    )


@pytest.mark.parametrize("encoding, name", CHARSETS)
def test_python_by_its_cookie(tmp_path, encoding, name):
    text = PYTHON.replace("NAME", name).replace("COOKIE", f"# -*- coding: {encoding} -*-\n")
    after = migrated(tmp_path / "a", "a.py", text.encode(encoding))
    utf_8 = text.replace(f"coding: {encoding}", "coding: utf-8")
    expected = migrated(tmp_path / "b", "a.py", utf_8.encode()).decode()
    expected = expected.replace("coding: utf-8", f"coding: {encoding}")
    assert after == expected.encode(encoding)
    crlf = migrated(tmp_path / "c", "a.py", text.replace("\n", "\r\n").encode(encoding))
    assert crlf == expected.replace("\n", "\r\n").encode(encoding)


@pytest.mark.parametrize("cookie", ["", "# coding: utf-8\n", "# vim: set fileencoding=utf-8 :\n"])
def test_python_with_a_mark(tmp_path, cookie):
    text = PYTHON.replace("NAME", KANJI).replace("COOKIE", cookie)
    check(tmp_path, "a.py", text, lambda text: codecs.BOM_UTF8 + text.encode())


@pytest.mark.parametrize("name, text, encoding", [
    ("a.cc", CXX.replace("NAME", UMLAUTS), "latin-1"),
    ("a.py", PYTHON.replace("NAME", UMLAUTS).replace("COOKIE", "# coding: latin-1\n"), "latin-1"),
])  # fmt: skip
def test_patch_takes_the_diff(tmp_path, name, text, encoding):
    before = text.replace("\n", "\r\n").encode(encoding)
    (tmp_path / name).write_bytes(before)
    command = [migrate_command.BUILD / "callbridge", "migrate", name]
    done = subprocess.run(
        command, cwd=tmp_path, env=migrate_command.ENVIRONMENT, capture_output=True
    )
    assert done.returncode == 0, done
    patch = ["patch", "--binary", "-p0"]
    subprocess.run(patch, cwd=tmp_path, input=done.stdout, check=True, capture_output=True)
    assert (tmp_path / name).read_bytes() == migrated(tmp_path / "written", name, before)


@pytest.mark.parametrize(
    "name, content, words, message",
    [
        ("a.py", b"x = 1\ny = '\xe4'\n", [], r"a\.py:[12]: .*utf-8"),
        ("a.py", b"# coding: none\n", [], r"a\.py:1: unknown encoding"),
        ("a.py", b"# coding: rot13\n", [], r"a\.py:1: .*rot13"),
        ("a.py", b"# coding: ascii\nx = 1\ny = '\xe4'\n", [], r"a\.py:3: not ascii: "),
        ("a.py", "x = 1\n".encode("utf-16"), [], r"a\.py:1: "),
        ("a.cc", codecs.BOM_UTF16_LE + b"a\0\n\0\0\xd8b\0", [], r"a\.cc:2: not utf-16-le: "),
        ("a.cc", b"\n\xe4\n", ["--", "-finput-charset=utf-8"], r"a\.cc:2: not utf-8: "),
        ("a.cc", b"int a;", ["--", "-finput-charset=none"], r"a\.cc:1: unknown encoding: none"),
        ("a.cc", b"\nint \xe4;\n", [], r"a\.cc:2:"),
    ],
)
def test_what_cannot_be_read_is_named_by_its_line(tmp_path, name, content, words, message):
    (tmp_path / name).write_bytes(content)
    done = migrate_command.here(tmp_path, "--write", name, *words)
    assert (done.returncode, done.stdout) == (1, ""), done
    assert re.match(f"callbridge: INVALID_ARGUMENT: {message}", done.stderr), done.stderr
    assert (tmp_path / name).read_bytes() == content
