"""The names of JAX that published packages use, as their sources have them, are found on this JAX.

corpus_names.txt has the names, by a scan of the packages of requirements/corpus.txt. (What they
import is found; that they run is what test_real_packages.py shows of some.)
"""

import os
import pathlib
import subprocess
import sys

import jax
import pytest
from jax_releases import numbers

HERE = pathlib.Path(__file__).resolve().parent
NAMES = HERE / "releases/corpus_names.txt"
CORPUS = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", "/nonexistent")) / "corpus"

sys.path.insert(0, str(HERE / "releases"))

import scan  # noqa: E402

# What packages name in vain, or where more is installed than this environment has.
NOT_FOUND = {
    "jax._src.dispatch.device_put_handlers": "scico 0.0.3's; a part of jax.jit that is gone",
    "jax._src.dispatch.result_handlers": "scico 0.0.3's; a part of jax.jit that is gone",
    "jax._src.ops.scatter._Indexable": "scico 0.0.3's, in an annotation",
    "jax.experimental.array_api._data_type_functions": "quaxed's; a module of array_api's own",
    "jax.experimental.array_serialization.serialization": "needs tensorstore",
    "jax.experimental.global_device_array.GlobalDeviceArray.from_callback": "one array has it",
    "jax.experimental.jax2tf": "needs TensorFlow",
    "jax.experimental.loops": "gone since 2022; jaxsim 0.1's development release has it",
    "jax.experimental.maps.xmap": "JAX removed xmap",
    "jax.interpreters.partial_eval.trace_to_subjaxpr_dynamic": "made traces of its own",
    "jax.tools.jax_to_ir": "needs TensorFlow",
    "jaxlib.gpu_sparse": "needs a GPU plugin",
    "jaxlib.xla_extension.HloPrintOptions": "jaxlib has no HLO modules in Python",
    "jax.numpy.Array": "never was; penzai has it in an annotation",
    "jax.experimental.pallas.tpu": "needs absl-py, which JAX does not require",
    "jax.numpy.lax_numpy._unique1d": "never was by that name; pytensor falls back",
    "jax.numpy.ndaray": "never was; a slip of serket's",
    "jax.numpy.ndarry": "never was; a slip of serket's and finitediffx's",
    "jax.numpy.norm": "never was; a slip of jaxmarl's",
    "jax.numpy.random": "never was; a function that is never called has it",
    "jax.random.splt": "never was; a slip of gymnax's",
    "jax.scipy.stats.norm._cdf": "SciPy's; nifty8 looks for it there",
}
# What some packages of late 2024 use, and JAX until 0.4.35 lacks.
NEWER = (
    "jax.core.get_opaque_trace_state",
    "jax.core.unsafe_am_i_under_a_jit_DO_NOT_USE",
    "jax.custom_derivatives.zero_from_primal",
    "jax.experimental.array_api._data_type_functions",
    "jax.lax.DotAlgorithm",
    "jax.numpy.int2",
)


def test_names_of_the_corpus(run):
    printed = run(HERE / "corpus_program.py", NAMES).splitlines()
    missing = [line for line in printed if not line.startswith(tuple(NOT_FOUND))]
    if numbers(jax.__version__) < (0, 4, 36):
        missing = [line for line in missing if not line.startswith(NEWER)]
    if numbers(jax.__version__) <= (0, 4, 13):
        # The packages of 2024 are newer; what was gone already has a row.
        missing = [line for line in missing if "callbridge" in line]
    assert not missing, "\n".join(missing)


def test_corpus_is_large_enough():
    packages = {p for line in NAMES.read_text().splitlines() for p in line.split()[1:]}
    assert len(packages) >= 300
    listed = (HERE.parents[1] / "requirements/corpus.txt").read_text().splitlines()
    listed = {line.replace("==", "-").replace("_", "-") for line in listed if line[0] != "#"}
    assert {package.replace("_", "-").lower() for package in packages} <= listed


@pytest.mark.skipif("CALLBRIDGE_THOROUGH" not in os.environ, reason="make matrix: half a minute")
def test_scan_is_as_recorded():
    archives = sorted(CORPUS.glob("*.whl"))
    if not archives:
        pytest.skip("scripts/corpus has not downloaded the packages")
    done = subprocess.run(
        [sys.executable, HERE / "releases/scan.py", *archives], capture_output=True, text=True
    )
    assert done.stdout == NAMES.read_text()


def test_scan_follows_aliases(tmp_path):
    source = """
import jax.numpy as np, jax
from jax import core as c
from jax.interpreters import xla
from jax.lib.xla_client import *
import numpy
try:
    from jax.core import tried
except ImportError:
    from jax.core import instead
else:
    from jax.core import also_tried
try:
    from jax.core import needed
except ValueError:
    pass

def f(x, jax_like):
    numpy.jax.nothing()
    return c.Primitive("x").bind(np.zeros(3)), xla.xc.ops.Add(x), jax_like.core, jax.jit(f).lower()
"""
    import zipfile

    with zipfile.ZipFile(tmp_path / "package-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("package/it.py", source)
        wheel.writestr("package/broken.py", "print 1")
        wheel.writestr("package/tests/test_it.py", "import jax.no")
        wheel.writestr("package/it_test.py", "import jax.no")
    assert scan.scan(tmp_path / "package-1-py3-none-any.whl") == {
        "jax",
        "jax.core",
        "jax.core.Primitive",
        "jax.core.needed",
        "jax.interpreters.xla",
        "jax.interpreters.xla.xc.ops.Add",
        "jax.jit",
        "jax.lib.xla_client",
        "jax.numpy",
        "jax.numpy.zeros",
    }
