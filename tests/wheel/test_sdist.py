"""The sdist, installed by pip in a clean environment that has a compiler and Debian's libraries."""

import pathlib
import subprocess

import pytest
from wheel_shell import CACHE, Shell, only

BUILD_TOOLS = ["scikit-build-core==1.1.2", "pathspec==1.1.1", "packaging==26.3", "numpy==2.4.6"]


@pytest.fixture(scope="module")
def sdist():
    return only("callbridge-*.tar.gz")


def test_it_has_no_file_of_its_makers(sdist):
    names = subprocess.run(["tar", "tf", sdist], check=True, capture_output=True, text=True)
    tops = {name.split("/")[1] for name in names.stdout.split() if name.count("/") > 1}
    assert {"abi", "c_api", "python", "include"} <= tops
    assert not {"build", "dist", ".venv", ".ci", ".github", ".git"} & tops
    # What `callbridge new` writes has a workflow of its own.
    workflow = "/examples/packages/common/.github/workflows/ci.yml"
    assert any(name.endswith(workflow) for name in names.stdout.split())


def test_installed_from_it(sdist, old_library, tmp_path):
    subprocess.run(["/usr/bin/python3", "-m", "venv", tmp_path / "venv"], check=True)
    shell = Shell(tmp_path, tmp_path / "venv/bin/python")
    compiler = {"PATH": f"{shell.python.parent}:/usr/lib/ccache:/usr/bin:/bin"}
    tools = " ".join(BUILD_TOOLS)
    pip = "pip --quiet --disable-pip-version-check"
    shell(f"{pip} wheel --no-deps --find-links {CACHE}/wheels --wheel-dir {CACHE}/wheels {tools}")
    shell(f"{pip} install --no-index --find-links {CACHE}/wheels {sdist}", **compiler)
    assert "callbridge can load it" in shell(f"callbridge inspect {old_library}")
    program = (
        "import callbridge.numpy, numpy\n"
        "from callbridge._calls import _bound_calls\n"
        f"callbridge.numpy.load({str(old_library)!r})\n"
        "x = numpy.ones(128, numpy.float32), numpy.ones(2048, numpy.float32)\n"
        "print(callbridge.numpy.custom_call('add_repeated', 'f32[2048]')(*x).sum())\n"
        "print(_bound_calls.EXTENSION is not None)\n"
    )
    (pathlib.Path(tmp_path) / "program.py").write_text(program)
    assert shell("python program.py") == "4096.0\nTrue\n"
