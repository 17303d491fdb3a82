"""What the repository holds, for the tests that read all of it."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def files_of_the_tree():
    """The names of the files that are tracked or about to be; links and deleted files left out."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [
        name
        for name in filter(None, listed.split("\0"))
        if (ROOT / name).is_file() and not (ROOT / name).is_symlink()
    ]


def ffi_versions():
    """The minor version and the releases ("0.8.1 to 0.9.0") of each row of runtime_versions.h.

    Each row is a function; one that sets no version has that of the row before.
    """
    header = (ROOT / "typed_ffi/runtime_versions.h").read_text()
    functions = re.findall(
        r"^constexpr RuntimeVersion (Jaxlib\w+)\(\) \{$(.*?)^\}$", header, re.MULTILINE | re.DOTALL
    )
    table = re.search(r"\bkRuntimeVersions\[\] = \{(.*?)\};", header, re.DOTALL)[1]
    assert [name for name, _ in functions] == re.findall(r"\brows::(\w+)\(\)", table) != []
    rows, minor = [], None
    for _, row in functions:
        if version := re.search(r"^  row\.minor = (\d+);$", row, re.MULTILINE):
            minor = version[1]
        rows.append((minor, re.search(r'"jaxlib ([^"]+)"', row)[1]))
    return rows
