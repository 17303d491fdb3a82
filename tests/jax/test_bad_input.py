"""Bad input: a clear exception, or it works. Each program has a process of its own."""

import pathlib
import subprocess
import sys

import bad_calls  # noqa: F401
import bad_functions  # noqa: F401
import bad_moments  # noqa: F401
import pytest
from programs import PROGRAMS
from this_jax import needs

SERVER = pathlib.Path(__file__).with_name("program_server.py")
ABOUT_NAMES_THAT_JAX_HAS = [name for name in PROGRAMS if "that_jax_has" in name]


@pytest.mark.parametrize(
    "name", [name for name in PROGRAMS if name not in ABOUT_NAMES_THAT_JAX_HAS]
)
def test_bad_input(server, name, tmp_path):
    run(server, name, tmp_path / "output")


@needs("lists of the names that XLA has")
@pytest.mark.parametrize("name", ABOUT_NAMES_THAT_JAX_HAS)
def test_names_that_jax_has(server, name, tmp_path):
    run(server, name, tmp_path / "output")


@pytest.fixture(scope="module")
def server(uses):
    command = [sys.executable, SERVER, pathlib.Path(uses).parent]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as it:
        yield it


def run(server, name, output):
    print(name, output, file=server.stdin, flush=True)
    outcome = server.stdout.readline().strip()
    text = output.read_text(errors="replace")
    assert outcome == "0" and text.endswith("done\n"), f"ended with {outcome}\n{text[-4000:]}"
