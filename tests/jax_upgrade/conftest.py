"""What an older JAX exported, and where its targets are."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))


@pytest.fixture(scope="session")
def build() -> pathlib.Path:
    """CALLBRIDGE_BUILD, or else the folder of libcallbridge.so."""
    library = os.environ["CALLBRIDGE_LIBRARY"]
    return pathlib.Path(os.environ.get("CALLBRIDGE_BUILD") or os.path.dirname(library))


@pytest.fixture(scope="session")
def targets(build) -> pathlib.Path:
    return build / "tests" / "python" / "targets.so"


@pytest.fixture(scope="session")
def old(targets, tmp_path_factory) -> pathlib.Path:
    """The folder that export_programs.py fills on jax 0.4.30."""
    python = os.environ.get("CALLBRIDGE_JAX_0_4_30_PYTHON")
    assert python, "CALLBRIDGE_JAX_0_4_30_PYTHON is not set; `make test` sets it"
    folder = tmp_path_factory.mktemp("0.4.30")
    subprocess.run([python, HERE / "export_programs.py", targets, folder], check=True)
    return folder


@pytest.fixture(scope="session")
def calls():
    return custom_calls


def custom_calls(hlo: str) -> list[str]:
    """The custom calls of HLO text, less what is of no weight in them, for a comparison."""
    lines = [line.strip() for line in hlo.splitlines() if " custom-call(" in line]
    # Names of instructions, with the types that XLA may write beside operands; notes for people.
    lines = [re.sub(r"^(ROOT )?\S+ = ", "", line) for line in lines]
    lines = [re.sub(r"custom-call\(.*?\), custom", "custom-call(), custom", line) for line in lines]
    lines = [re.sub(r"[ ,]+metadata=\{[^}]*\}", "", line) for line in lines]
    # A descriptor may be a string, or an array, which XLA writes as numbers or as one text.
    return [re.sub(r"callbridge_site = (.*)\}$", _descriptor, line) for line in lines]


def _descriptor(attribute: re.Match) -> str:
    text = attribute[1]
    if text.startswith('"'):
        text = re.sub(r"\\(\\|[0-9A-F]{2})", _unescaped, text[1:-1])
        data = text.encode("latin1")
    elif text.startswith('dense<"0x'):
        data = bytes.fromhex(re.match(r'dense<"0x(\w*)"> : tensor<\d+xui8>$', text)[1])
    else:
        data = bytes(map(int, re.match(r"dense<\[(.*)\]> : tensor<\d+xui8>$", text)[1].split(",")))
    return f"callbridge_site = {data.hex()}"


def _unescaped(escape: re.Match) -> str:
    return "\\" if escape[1] == "\\" else chr(int(escape[1], 16))
