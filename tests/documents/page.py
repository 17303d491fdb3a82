"""The code of a page of the documentation, run as a reader would run it.

A page's code stands in fences:

    ```console      commands behind "$ ", and exactly what they print
    ```python       the page's program, one block after the other in one process
    ```c++, ```c    a file, if the first line is a comment with its name; so for Python

Files are written and commands run in the order of the page; then files that no command names are
compiled, and the program runs. A comment
"<!-- not run: REASON -->" above a fence leaves it out, and so does a language that is not run.
"""

import os
import pathlib
import re
import subprocess
import sys
from collections import namedtuple

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))

Block = namedtuple("Block", "language text reason")

FENCE = re.compile(
    r"(?:^<!-- not run: ([^\n]+) -->\n)?^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
NAMED = re.compile(r"(?:// |/\* |# )([\w./]+\.\w+)(?: \*/)?\n")
ADDRESS = re.compile(r"\bat 0x[0-9a-f]+")
RUN = ("console", "python", "c++", "c")


def blocks(text):
    return [Block(language, code, reason or None) for reason, language, code in FENCE.findall(text)]


def commands(block):
    """A console block's commands, each with what it prints."""
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE)


def readers_folder(folder):
    """Makes the folder that the pages speak of: an old library, sources, examples, and arrays."""
    folder.mkdir()
    (folder / "examples").symlink_to(ROOT / "examples")
    for path in (
        BUILD / "examples/first_light.so",
        ROOT / "examples/first_light/old_targets.cc",
        ROOT / "examples/mindspore_aot/row_sums.cc",
    ):
        (folder / path.name).symlink_to(path)
    arrays = {
        "b": np.arange(128, dtype=np.float32),
        "c": np.full(2048, 0.5, np.float32),
        "p": np.ones(32, np.float32),
        "q": np.ones(64, np.float32),
        "r": np.ones(128, np.float32),
        "s": np.ones(256, np.float32),
        "seven": np.int32(7),
        "zero": np.int32(0),
        "x": np.arange(6, dtype=np.float32).reshape(2, 3),
    }
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    return folder


def environment(prefix):
    """With an installation's folders at $PREFIX, which lead to the tree and the build."""
    (prefix / "bin").mkdir(parents=True)
    (prefix / "include").symlink_to(ROOT / "include")
    (prefix / "lib").symlink_to(BUILD)
    (prefix / "bin/callbridge").symlink_to(BUILD / "callbridge")
    return {
        **os.environ,
        "PREFIX": str(prefix),
        "PATH": f"{prefix}/bin:{os.path.dirname(sys.executable)}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "python"),
        "CALLBRIDGE_LIBRARY": str(LIBRARY),
        "CALLBRIDGE_PYTHON": sys.executable,
        "JAX_PLATFORMS": "cpu",
        "XDG_CACHE_HOME": str(prefix.parent / "cache"),
    }


def run_page(text, folder, environment):
    """Runs a page's code in `folder`; fails with the command whose output differs.

    Returns how much ran: commands, blocks of Python, files that were compiled.
    """
    program, sources, ran = [], [], 0
    for block in blocks(text):
        if block.reason or block.language not in RUN:
            continue
        named = NAMED.match(block.text)
        if named:
            path = folder / named[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
            sources.append(named[1])
        elif block.language == "console":
            for command, printed in commands(block):
                sources = [name for name in sources if name not in command]
                show_file(command, printed, folder)
                done = shell(command, folder, environment)
                assert same(done.stdout, printed), f"$ {command}\n{done.stdout}"
                ran += 1
        else:
            assert block.language == "python", f"a file without a name: {block.text}"
            program.append(block.text)
    for name in sources:
        if not name.endswith(".py"):
            done = shell(
                f"g++ -std=c++17 -fsyntax-only -I $PREFIX/include {name}", folder, environment
            )
            assert done.returncode == 0, done.stdout
            ran += 1
    if program:
        (folder / "page_program.py").write_text("\n".join(program))
        done = shell(f"{sys.executable} page_program.py", folder, environment)
        assert done.returncode == 0, done.stdout
    return ran + len(program)


def show_file(command, printed, folder):
    """What `cat FILE` shows is the reader's file, unless a command made it."""
    words = command.split()
    if words[0] == "cat" and len(words) == 2 and not (folder / words[1]).exists():
        (folder / words[1]).write_text(printed)


def same(printed, shown):
    """But for addresses in a binary, which are another compiler's."""
    return ADDRESS.sub("at 0x", printed) == ADDRESS.sub("at 0x", shown)


def shell(command, folder, environment):
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
