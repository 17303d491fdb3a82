"""Real packages, unmodified from PyPI: what tests/resurrect run of them, and where.

As a program it prints the lists of requirements/packages that the tests want: with
CALLBRIDGE_THOROUGH in the environment all, else the sample that `make test` has.
"""

import dataclasses
import os
import pathlib
import re


@dataclasses.dataclass(frozen=True)
class Package:
    """A list of requirements/packages, and the program in real/ that uses its package.

    checks: how many values the program compares with NumPy's, SciPy's or the package's own.
    calls: "untyped" or "typed", the kind of its custom calls, or "none": it is pure Python.
    sampled: `make test` has it.
    on_newest_alone: it is run on today's release and the newest one, and no other.
    python_3_13: it has a wheel for the Python of the newest JAX, too.
    limits: where it cannot run: a part of what it ends with there, and the reason.
    """

    list: str
    checks: int
    calls: str
    sampled: bool = False
    python_3_13: bool = True
    on_newest_alone: bool = False
    limits: tuple[tuple[str, str], ...] = ()

    def why_not(self, ended: str) -> str:
        """The reason, if it ended as it does where it cannot run; else empty."""
        return next((reason for text, reason in self.limits if text in ended), "")

    @property
    def name(self):
        return re.sub(r"-[0-9.]+(post[0-9]+)?$", "", self.list)

    @property
    def program(self):
        return f"{self.name.removeprefix('splineax-').replace('-', '_')}_program.py"

    def folder(self, newest: bool) -> pathlib.Path:
        """Where scripts/revived_packages installs it, for the newest JAX's Python or the others."""
        revived = "revived-3.13" if newest else "revived"
        return pathlib.Path(os.environ["CALLBRIDGE_CACHE"]) / revived / self.list


def _pure(name, checks, **others):
    return Package(name, checks, "none", on_newest_alone=True, **others)


PACKAGES = (
    Package("exoplanet-core-0.2.0", 23, "untyped", sampled=True, python_3_13=False),
    Package("exoplanet-core-0.3.0", 23, "untyped", python_3_13=False),
    Package("exoplanet-core-0.3.1", 23, "untyped", python_3_13=False),
    Package("celerite2-0.3.0", 45, "untyped", python_3_13=False),
    Package("celerite2-0.3.2", 45, "untyped", sampled=True, python_3_13=False),
    Package(
        "jax-finufft-0.1.0",
        30,
        "untyped",
        # That wheel says cp312-abi3, and has a module for 3.12 alone.
        python_3_13=False,
        limits=(
            (
                "parameters to jaxpr equations must have __hash__",
                "an array is a parameter of its primitives, which JAX refuses since 0.7",
            ),
        ),
    ),
    Package(
        "jaxbind-1.0.0",
        16,
        "untyped",
        python_3_13=False,
        limits=(
            (
                "unsupported pickle protocol: 128",
                "its machine code reads NumPy 1's descriptions of types, and finds NumPy 2's",
            ),
            ("stablehlo' has no attribute 'constant'", "it is newer than that JAX's MLIR"),
        ),
    ),
    Package("klujax-0.2.10", 14, "untyped"),
    Package("numba4jax-0.0.14", 18, "untyped"),
    Package(
        "sphericart-jax-1.0.0",
        9,
        "untyped",
        sampled=True,
        limits=(
            ("signal 11", "its own CUDA module crashes on import where no libcudart is installed"),
        ),
    ),
    Package("envpool-0.8.4", 30, "untyped", python_3_13=False),
    Package("jax-chacha-prng-1.3.0", 9, "untyped", sampled=True, python_3_13=False),
    Package("jax-chacha-prng-1.4.3", 9, "untyped", python_3_13=False),
    Package("brainpylib-0.1.10", 9, "untyped", python_3_13=False),
    Package("augax-0.3.0", 12, "typed", sampled=True),
    Package("celerite2-0.3.3", 45, "typed"),
    Package(
        "diffsol-jax-0.0.2",
        4,
        "typed",
        limits=(
            (
                "primitive 'dynamic_slice' not supported",
                "it reads jaxprs, which that JAX makes of other primitives",
            ),
        ),
    ),
    Package("entangle-jax-0.1.1", 18, "typed", sampled=True),
    Package("jax-finufft-1.3.1", 30, "typed"),
    Package("jaxbind-1.3.1", 16, "typed", sampled=True),
    Package("klujax-0.5.2", 14, "typed"),
    Package("pgjax-0.2.0", 9, "typed"),
    Package(
        "ri-kernels-0.2.2",
        4,
        "typed",
        limits=(
            (
                "unhashable type: 'ArrayImpl'",
                "it calls jnp.searchsorted() with a sorter, which that JAX lacks",
            ),
        ),
    ),
    Package("sparsax-0.9.0", 9, "typed"),
    Package(
        "sphericart-jax-2.0.4",
        9,
        "typed",
        limits=(
            (
                "which are not ABI compatible",
                "it looks for JAX's release by itself; the wheel has a library for each of 13",
            ),
        ),
    ),
    Package("splineax-klujax-0.5.0.post7", 14, "typed"),
    Package("umfpack-jax-0.1.5", 6, "typed", python_3_13=False),
    Package("roughpy-jax-1.2.0", 5, "typed"),
    Package("jax-tvm-ffi-0.1.3", 4, "typed", sampled=True),
    # Of 2022 and 2023, without custom calls; all but jaxopt fail on these releases by themselves.
    _pure("augmax-0.3.1", 6),
    _pure("blackjax-0.9.6", 4),
    _pure("distrax-0.1.2", 10),
    _pure("e3nn-jax-0.17.5", 7),
    _pure("efax-1.12.1", 8, python_3_13=False),
    _pure("evosax-0.1.4", 10),
    _pure("flax-0.6.3", 12, sampled=True),
    _pure(
        "flowjax-9.1.0",
        8,
        limits=(("__default__", "its typing_extensions is older than Python 3.13"),),
    ),
    _pure(
        "interpax-0.2.4",
        6,
        limits=(("__default__", "its typing_extensions is older than Python 3.13"),),
    ),
    _pure("jax-metrics-0.2.5", 4, python_3_13=False),
    _pure("jaxopt-0.5.5", 10),
    _pure("kernex-0.2.0", 5, sampled=True),
    _pure("kfac-jax-0.0.3", 4),
    _pure("mctx-0.0.2", 8),
    _pure("nifty8-8.4", 4),
    _pure("numpyro-0.10.1", 8),
    _pure("optax-0.1.4", 9),
    _pure("ripplegw-0.0.4", 6),
    _pure("rlax-0.1.5", 8),
    _pure(
        "sympy2jax-0.0.4", 5, limits=(("__type_params__", "its equinox is older than Python 3.13"),)
    ),
    _pure("tensorly-0.8.1", 6),
    _pure("tornadox-0.0.2", 6),
    _pure(
        "zodiax-0.4.1",
        7,
        sampled=True,
        limits=(("__type_params__", "its equinox is older than Python 3.13"),),
    ),
)


def wanted():
    everything = "CALLBRIDGE_THOROUGH" in os.environ
    return [package for package in PACKAGES if everything or package.sampled]


if __name__ == "__main__":
    for package in wanted():
        print(package.list, "3.13" if package.python_3_13 else "")
    if "CALLBRIDGE_THOROUGH" in os.environ:
        print("jax-tests")  # what test_jaxs_own_tests.py needs
