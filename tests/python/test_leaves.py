"""Functions that leave by what is no C++ exception, called by each face: an exception of another
language is an error, and the end of the thread ends the process with words. No call hangs, or
succeeds.
"""

import os
import pathlib
import subprocess

import leaves
import numpy as np
import pytest

THOROUGH = os.environ.get("CALLBRIDGE_THOROUGH") == "ON"
OF_EACH_FACE = [
    (face, stage, way)
    for face in ("numpy", "numpy in Python", "jax")
    for stage in leaves.STAGES
    for way in leaves.WAYS
    if THOROUGH or (way == "thread" and (face != "jax" or stage == "infer"))
]


@pytest.fixture(scope="session")
def library(modules):
    return modules.parent / "targets/leaves.so"


@pytest.fixture
def without_extension(tmp_path):
    """The environment of a process that does without the module in C."""
    library = pathlib.Path(os.environ["CALLBRIDGE_LIBRARY"])
    for path in library.parent.iterdir():  # with the library, the programs that it runs
        if path.is_file() and path.name != "callbridge_python.abi3.so":
            (tmp_path / path.name).symlink_to(path)
    return {"CALLBRIDGE_LIBRARY": str(tmp_path / library.name)}


@pytest.mark.parametrize("face, stage, way", OF_EACH_FACE)
def test_faces(library, without_extension, face, stage, way):
    environment = without_extension if face == "numpy in Python" else {}
    leaves.check(leaves.call(face.split()[0], library, stage, way, **environment), way)


def command(modules, *words):
    return subprocess.run(
        [modules.parents[1] / "callbridge", "run", *words],
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("way", leaves.WAYS)
@pytest.mark.parametrize("stage", leaves.OF_OPERATORS)
def test_operators_by_the_command(modules, library, tmp_path, stage, way):
    np.save(tmp_path / "x.npy", np.ones(4, np.float32))
    result = [] if stage == "infer" else ["--result", "f32[4]"]
    given = ["--attribute", f'{stage}="{way}"', *result]
    done = command(modules, f"{library}:Operator", tmp_path / "x.npy", *given)
    assert done.returncode == 1
    assert (" crashed with SIGABRT " in done.stderr) == (way == "thread")
    leaves.check(done, way, aborted=1)


CALLS = {
    "untyped": '"leaves", api_version=API_VERSION_STATUS_RETURNING_UNIFIED, backend_config="WAY"',
    "typed": '"leaves_typed", api_version=API_VERSION_TYPED_FFI, backend_config={way = "WAY"}',
}


@pytest.mark.parametrize("way", leaves.WAYS)
@pytest.mark.parametrize("call", CALLS)
def test_modules_by_the_command(modules, library, tmp_path, call, way):
    """The client in C++."""
    np.save(tmp_path / "x.npy", np.ones(4, np.float32))
    (tmp_path / "module.hlo").write_text(
        "HloModule leaves\n\nENTRY main {\n  x = f32[4]{0} parameter(0)\n  ROOT y = f32[4]{0} "
        f"custom-call(x), custom_call_target={CALLS[call].replace('WAY', way)}\n}}\n"
    )
    done = command(modules, tmp_path / "module.hlo", tmp_path / "x.npy", "--library", library)
    assert done.returncode == 1
    assert (" crashed with SIGABRT " in done.stderr) == (way == "thread")
    leaves.check(done, way, aborted=1)
