"""The wheels of dist/ in clean environments: `make test-wheel`. Skipped without them."""

import os
import pathlib
import subprocess

import pytest
from wheel_shell import CACHE, PINNED, ROOT, Shell, only


@pytest.fixture(scope="session")
def wheel():
    """This machine's."""
    return only(f"callbridge-*_{os.uname().machine}.whl")


@pytest.fixture(scope="session")
def aarch64_wheel():
    return only("callbridge-*_aarch64.whl")


@pytest.fixture(params=["x86_64", "aarch64"])
def each_wheel(request):
    """Of each machine, to be looked at."""
    return only(f"callbridge-*_{request.param}.whl")


@pytest.fixture(scope="session")
def headers_wheel():
    return only("callbridge_headers-*.whl")


@pytest.fixture(scope="session")
def environment(tmp_path_factory, wheel):
    """environment(packages): a Shell whose Python 3.11 has these and the wheel alone."""
    made = {}

    def make(*packages):
        if packages not in made:
            folder = tmp_path_factory.mktemp("clean")
            subprocess.run(["/usr/bin/python3", "-m", "venv", folder / "venv"], check=True)
            shell = Shell(folder, folder / "venv/bin/python")
            find = f"--quiet --disable-pip-version-check --no-index --find-links {CACHE}/wheels"
            pinned = " ".join(PINNED[name] for name in ("numpy", *packages))
            shell(f"pip install {find} {pinned}")
            shell(f"pip install {find} {wheel}")
            made[packages] = shell
        return made[packages]

    return make


@pytest.fixture
def with_compiler():
    """What a Shell's command has to have besides to find CMake and g++."""
    return lambda shell: {"PATH": f"{shell.python.parent}:/usr/bin:/bin"}


@pytest.fixture(scope="session")
def old_library():
    """A library of the documents' kind, that wants TensorFlow's registry."""
    return ROOT / "build/dev/examples/first_light.so"


@pytest.fixture(scope="session")
def tensorflow():
    path = os.environ.get("CALLBRIDGE_TENSORFLOW_2_13_1_PYTHON", "")
    if not os.path.exists(path):
        pytest.skip("no environment with TensorFlow: make test-wheel")
    return pathlib.Path(path)
