"""Extension modules that were built for NumPy 1 give a warning under NumPy 2; others give none.

They are compiled here: by hand as pybind11 before 2.12 reads NumPy's structures, and with NumPy's
own headers. CALLBRIDGE_THOROUGH adds the packages of real_packages.py.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

import numpy as np
import pytest
from callbridge.resurrect import _numpy_builds
from real_packages import PACKAGES

HERE = pathlib.Path(__file__).resolve().parent
IS_NUMPY_2 = int(np.__version__.split(".")[0]) >= 2
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
CACHE = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", "/nonexistent"))
HEADERS_OF_NUMPY_1 = (
    CACHE / "venv-jax-0.6.2/lib/python3.11/site-packages/numpy/core/include",
    CACHE / "venv-jax-0.4.30/lib/python3.11/site-packages/numpy/core/include",
)


@pytest.fixture
def built(tmp_path):
    """Compiles a module of this folder; the folder that it is in."""
    include = sysconfig.get_paths()["include"]
    if shutil.which("gcc") is None or not os.path.exists(f"{include}/Python.h"):
        pytest.skip(f"no gcc, or no {include}/Python.h")

    def build(name, *options):
        target = tmp_path / (name + SUFFIX)
        command = ["gcc", "-shared", "-fPIC", "-O2", f"-I{include}", *options]
        subprocess.run([*command, HERE / f"{name}.c", "-o", target], check=True)
        return target

    return build


def ended(folder, program, *options):
    environment = {**os.environ, "PYTHONPATH": f"{HERE.parents[1] / 'python'}:{folder}"}
    done = subprocess.run(
        [sys.executable, *options, "-c", program],
        env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


PROGRAM = """\
import callbridge.resurrect, numpy
import numpy_structures
print(numpy_structures.element_size(numpy.dtype('float64')))
"""


def test_what_reads_structures_of_numpy_1(built):
    """Its value is wrong without an error, so that only the warning says it."""
    file = built("numpy_structures", '-DNUMPY_CORE="numpy.core.multiarray"')
    status, printed, errors = ended(file.parent, PROGRAM, "-Wignore::DeprecationWarning")
    assert (status, printed) == (0, "0\n" if IS_NUMPY_2 else "8\n"), errors
    if not IS_NUMPY_2:
        assert not errors
        return
    expected = (
        f"<string>:2: RuntimeWarning: {file} was built for NumPy 1, and this is NumPy "
        f"{np.__version__}: it may read types and sizes of arrays wrong, and give wrong values "
        "without an error. Install a release of it that was built for NumPy 2, or build it again; "
        "or take NumPy 1"
    )
    assert errors.startswith(expected) and errors.count("Warning") == 1, errors


@pytest.mark.skipif(not IS_NUMPY_2, reason="of NumPy 2")
def test_wherever_it_is_imported(built):
    """Before callbridge.resurrect, in a block, by another loader's call; not after the block."""
    file = built("numpy_structures", '-DNUMPY_CORE="numpy.core.multiarray"')
    before = "import numpy_structures\nimport callbridge.resurrect\n"
    status, _, errors = ended(file.parent, before)
    assert status == 0 and errors.startswith("<string>:2: RuntimeWarning: ") and "NumPy 1" in errors
    by_path = (
        "import callbridge.resurrect, importlib.util as u\n"
        f"s = u.spec_from_file_location('numpy_structures', {str(file)!r})\n"
        "m = u.module_from_spec(s)\n"
    )
    assert "<string>:3: RuntimeWarning" in ended(file.parent, by_path)[2]
    raised = ended(file.parent, PROGRAM, "-Werror::RuntimeWarning")
    assert raised[0] == 1 and "RuntimeWarning: " in raised[2].splitlines()[-1]
    ended_block = (
        "import callbridge.resurrect as r\nwith r.revived(): pass\nimport numpy_structures\n"
        "import importlib.machinery as m\nprint(m.ExtensionFileLoader.create_module.__module__)\n"
    )
    assert ended(file.parent, ended_block)[1:] == ("_frozen_importlib_external\n", "")


def test_what_is_built_for_numpy_2(built):
    """It runs on both, so it gives no warning: by hand, and with this NumPy's headers."""
    core = "numpy._core.multiarray" if IS_NUMPY_2 else "numpy.core.multiarray"
    by_hand = built("numpy_structures", f'-DNUMPY_CORE="{core}"', '-DNOTHING="numpy._core"')
    assert _numpy_builds.is_for_numpy_1(by_hand) == (not IS_NUMPY_2)
    file = built("numpy_imported", f"-I{np.get_include()}")
    program = "import callbridge.resurrect, numpy_imported, numpy_structures\n"
    assert ended(file.parent, program) == (0, "", "")


def test_what_numpy_itself_refuses(built):
    """With NumPy 1's headers: the warning, and then NumPy's own error."""
    headers = next((folder for folder in HEADERS_OF_NUMPY_1 if folder.exists()), None)
    if headers is None:
        pytest.skip(f"no headers of NumPy 1: {HEADERS_OF_NUMPY_1[0]}")
    file = built("numpy_imported", f"-I{headers}")
    assert _numpy_builds.is_for_numpy_1(file)
    status, _, errors = ended(file.parent, "import callbridge.resurrect\nimport numpy_imported\n")
    assert (status, "was built for NumPy 1, and this is" in errors) == (IS_NUMPY_2, IS_NUMPY_2)


def test_what_is_no_such_module(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "text").write_bytes(b"numpy.core without functions of it")
    for name in ("empty", "text", "not_there"):
        assert not _numpy_builds.is_for_numpy_1(tmp_path / name)


# The lists of real_packages.py whose files are for NumPy 1; others' are for both, or use none.
FOR_NUMPY_1 = {
    *("exoplanet-core-0.2.0", "exoplanet-core-0.3.0", "celerite2-0.3.0", "jaxbind-1.0.0"),
    "envpool-0.8.4",
}


def test_real_packages():
    looked_at = set()
    for package in PACKAGES:
        folder = package.folder(newest=False)
        if folder.exists():
            files = [*folder.rglob("*.so"), *folder.rglob("*.so.*")]
            found = {file.name for file in files if _numpy_builds.is_for_numpy_1(file)}
            assert bool(found) == (package.list in FOR_NUMPY_1), (package.list, found)
            looked_at.add(package.list)
    assert "exoplanet-core-0.2.0" in looked_at and len(looked_at) >= 9
