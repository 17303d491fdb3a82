"""What is in the repository suits any machine, and says what it promises to say."""

import pathlib
import re
import subprocess

from the_tree import files_of_the_tree

ROOT = pathlib.Path(__file__).resolve().parents[2]

MACHINE_PATHS = re.compile(r"(?:(?<![\w.~$})])|(?<=-[IL]))/(?:work|root|home/\w+)/")
REGISTRY_HOSTS = re.compile(r"pypi\.(org|io)|pythonhosted|deb\.debian|npmjs", re.IGNORECASE)


def texts():
    """(path, text) of each file that is tracked or about to be, but for this one."""
    for name in files_of_the_tree():
        path = ROOT / name
        if path == pathlib.Path(__file__):
            continue
        content = path.read_bytes()
        if b"\0" not in content and "tests/fuzz/corpus" not in name:  # bytes, not text
            yield name, content.decode()


def mentions(pattern):
    return [
        f"{name}:{number}: {line.strip()}"
        for name, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_paths_of_one_machine():
    assert mentions(MACHINE_PATHS) == []


def test_no_registry_is_named():
    assert mentions(REGISTRY_HOSTS) == []


def test_the_patterns_find_what_they_are_for():
    for text in ("/work/main/x.so", 'path = "/root/.cache"', "-I/home/someone/include"):
        assert MACHINE_PATHS.search(text), text
    for text in ("framework/tensor.h", "https://example.com/work/x", "$DIR/root/x"):
        assert not MACHINE_PATHS.search(text), text
    for text in ("https://pypi.org/simple", "http://deb.debian.org", "files.pythonhosted.org"):
        assert REGISTRY_HOSTS.search(text), text
    assert not REGISTRY_HOSTS.search("https://github.com/openxla/xla")


def test_the_readme_says_how_to_start():
    readme = (ROOT / "README.md").read_text()
    assert "make demo" in readme and "make test" in readme


def test_make_help_lists_every_target():
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"^([a-z][\w ]*):(?!=)", makefile, re.MULTILINE)
    targets = {target for line in targets for target in line.split()} - {"help"}
    assert {"demo", "test", "bench", "format", "lint", "install", "clean"} <= targets
    for command in (["make"], ["make", "help"]):
        shown = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        assert set(re.findall(r"^make (\w+)", shown, re.MULTILINE)) == targets


def test_every_script_says_what_it_does():
    for script in (ROOT / "scripts").iterdir():
        lines = script.read_text().splitlines()
        first = lines[1] if lines[0].startswith("#!") else lines[0]
        assert first.startswith(("# ", '"""')), script
        runs = lines[0] in ("#!/bin/bash", "#!/usr/bin/python3")
        assert runs == (script.stat().st_mode & 0o111 != 0), script
