"""The commands of docs/authors.md that its page does not run by itself, since they need pip.

In the order of an author's day: the headers' wheel, the package, the copy of the headers.
"""

import os
import subprocess

import packages
import page
import pytest
from packages import BUILD, PYTHON, ROOT, new, run

BLOCKS = [
    block.text
    for block in page.blocks((ROOT / "docs/authors.md").read_text())
    if block.reason and "tests/author" in block.reason
]


def commands(word):
    """Those of the block that has the word."""
    (text,) = [text for text in BLOCKS if word in text]
    return "\n".join(line.removeprefix("$ ") for line in text.splitlines())


@pytest.mark.skipif("CALLBRIDGE_THOROUGH" not in os.environ, reason="installs JAX: make matrix")
def test_its_commands(tmp_path):
    assert len(BLOCKS) == 3
    folder = tmp_path / "wheels"
    subprocess.run(["/usr/bin/python3", "-m", "venv", tmp_path / "venv"], check=True)
    # `callbridge` is this build's, where pip would have installed it.
    (tmp_path / "venv/bin/callbridge").symlink_to(BUILD / "callbridge")
    variables = packages.pip(folder)
    path = f"{tmp_path}/venv/bin:{PYTHON.parent}:/usr/bin:/bin"
    variables |= {"PATH": path, "JAX_PLATFORMS": "cpu", "CALLBRIDGE_PYTHON": PYTHON}

    def sh(text, where):
        return run("bash", "-ec", text, folder=where, **variables)

    sh(commands("python/headers").replace("FOLDER", str(folder)), ROOT)
    package = new(tmp_path, "my_ops", "scikit-build-core")
    links = variables["PIP_FIND_LINKS"].replace(" ", "\\ ")
    shown = sh(commands("build_wheel.sh").replace("FOLDER", links), tmp_path)
    assert "3 passed" in shown and "1 typed_ffi" in shown and "admitted" not in shown
    sh("pip install callbridge-headers", tmp_path)
    sh(commands("graft include"), package)
    assert (package / "include/xla/ffi/api/ffi.h").exists()
    assert (package / "MANIFEST.in").read_text() == "graft include\n"
