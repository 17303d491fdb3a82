"""The code of a page of the documentation, run as a reader would run it.

A page's code stands in fences:

    ```console      commands behind "$ ", and exactly what they print
    ```python       the page's program, one block after the other in one process
    ```c++, ```c    a file, if the first line is a comment with its name; so for Python

Files are written and commands run in the order of the page; then the program. A comment
"<!-- not run: REASON -->" above a fence leaves it out, and so does a language that is not run.
"""

import pathlib
import re
import subprocess
import sys
from collections import namedtuple

Block = namedtuple("Block", "language text reason")

FENCE = re.compile(
    r"(?:^<!-- not run: (.+) -->\n)?^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
NAMED = re.compile(r"(?:// |/\* |# )([\w./]+\.\w+)(?: \*/)?\n")
ADDRESS = re.compile(r"\bat 0x[0-9a-f]+")
RUN = ("console", "python", "c++", "c")


def blocks(text):
    return [Block(language, code, reason or None) for reason, language, code in FENCE.findall(text)]


def commands(block):
    """A console block's commands, each with what it prints."""
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE)


def run_page(text, folder: pathlib.Path, environment, preamble=""):
    """Runs a page's code in `folder`; fails with the command whose output differs.

    `preamble` is Python that the page's program begins with. Returns how many commands and blocks
    of Python ran.
    """
    program, ran = [], 0
    for block in blocks(text):
        if block.reason or block.language not in RUN:
            continue
        named = NAMED.match(block.text)
        if named:
            path = folder / named[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
        elif block.language == "console":
            for command, printed in commands(block):
                show_file(command, printed, folder)
                done = shell(command, folder, environment)
                assert same(done.stdout, printed), f"$ {command}\n{done.stdout}"
                ran += 1
        else:
            assert block.language == "python", f"a file without a name: {block.text}"
            program.append(block.text)
    if program:
        (folder / "page_program.py").write_text("\n".join([preamble, *program]))
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
