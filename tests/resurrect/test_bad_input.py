"""Packages that refuse, names that two of them bring, and resurrect used while others use it.

test_registration.py has handlers without metadata, registrations after the backend has started and
jax.distributed; again_program.py has resurrect entered twice.
"""

import pathlib

import jax
import pytest
from jaxlib import xla_client

HERE = pathlib.Path(__file__).resolve().parent
has_registries = pytest.mark.skipif(
    not hasattr(xla_client, "_custom_callback"),
    reason=f"jax {jax.__version__} keeps no lists of what is registered",
)


@pytest.fixture
def library(build):
    """Of the handler suite, with this project's headers."""
    return build / "tests/typed_ffi/suite/suite_ours.so"


CHECKS = {
    "version": "if jax.__version__ != '0.1.0': raise ImportError('strict needs jax 0.1.0')",
    "tuple": "assert jax.__version_info__ < (0, 2), f'strict: {jax.__version_info__} is too new'",
    "jaxlib": "import jaxlib; raise RuntimeError(f'strict: not jaxlib {jaxlib.__version__}')",
    "metadata": "import importlib.metadata as m; raise RuntimeError(f'not {m.version(\"jax\")}')",
    "warning": "import warnings; warnings.warn(f'strict: jax {jax.__version__} is untested')",
}


@pytest.mark.parametrize("check", CHECKS)
def test_the_own_check_of_a_package_stands(run, tmp_path, check):
    """Whichever it asks: the release that JAX says is the one that is installed."""
    (tmp_path / "strict.py").write_text(f"import jax\n{CHECKS[check]}\n")
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, warnings\n"
        "if sys.argv[1] == 'with':\n    import callbridge.resurrect\n"
        "with warnings.catch_warnings(record=True) as told:\n"
        "    warnings.simplefilter('always')\n"
        "    try:\n        import strict\n"
        "    except Exception as error:\n        print(type(error).__name__, error)\n"
        "print([str(warning.message) for warning in told if 'strict' in str(warning.message)])\n"
    )
    printed = run(program, "with", pythonpath=[tmp_path])
    assert printed == run(program, "without", pythonpath=[tmp_path])
    assert "strict" in printed or jax.__version__ in printed


@has_registries
def test_two_packages_that_bring_one_name(run, library):
    """Functions of two kinds have a registry each; of two functions the second one is refused."""
    cases = [
        f"{kinds}-{when}"
        for kinds in ("typed-untyped", "untyped-typed", "untyped-untyped")
        for when in ("pending", "started")
    ]
    cases.append("typed-typed-started")
    printed = run(HERE / "two_packages_program.py", library, *cases)
    lines = printed.splitlines()
    assert lines[-1] == "end"
    told = dict(line.split(": ", 1) for line in lines[:-1])
    for when in ("pending", "started"):
        refusal = told.pop(f"untyped-untyped-{when}")
        assert refusal.startswith("Callbridge")
        for part in ("ALREADY_EXISTS", f"'untyped-untyped-{when}' on Host", "another name"):
            assert part in refusal
        assert refusal.count("old_package.so") == 2
        # Which is which: the second one comes, the first one is there.
        assert "Host is nested_sum of" in refusal and "is registered as add of" in refusal
    refusal = told.pop("typed-typed-started")
    assert "typed-typed-started" in refusal and "Callbridge" not in refusal
    assert not told


@has_registries
def test_two_handlers_of_one_name_are_xlas_to_refuse(run, library):
    """When its backend starts, if both wait for that: with its own sentence."""
    program = HERE / "two_packages_program.py"
    printed = run(program, library, "typed-typed-pending")
    assert "start: " in printed and "typed-typed-pending" in printed
    assert printed == run(program, library, "without", "typed-typed-pending")


@pytest.mark.parametrize("how", ["imported", "left", "forked"])
def test_while_others_use_it(run, how):
    assert run(HERE / "busy_program.py", how, pythonpath=[HERE.parent / "python"]) == f"{how}: ok\n"
