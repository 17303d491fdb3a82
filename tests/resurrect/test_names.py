"""The names: which are there, that all of them go again, and that what is wrapped does the same."""

import pathlib
import re

import jax
import pytest
from jax_releases import TODAY, numbers

HERE = pathlib.Path(__file__).resolve().parent
VERSION = numbers(jax.__version__)
is_newest_here = pytest.mark.skipif(
    numbers(TODAY) > VERSION,
    reason=f"the program names what is wrapped on {TODAY}; this is {jax.__version__}",
)


def test_names_come_and_go(run):
    count = int(run(HERE / "names_program.py").split()[0])
    # The older JAX is, the more of the names it has by itself.
    assert count > (250 if VERSION >= (0, 9) else 40)


@is_newest_here
def test_star_imports_have_them_too(run):
    assert run(HERE / "star_program.py") == "star: ok\n"


@is_newest_here
def test_wrapped_names_do_the_same(run):
    assert run(HERE / "wrapped_program.py") == "27 wrapped\n"


@is_newest_here
def test_refusals(run):
    assert run(HERE / "refusals_program.py") == "37 refused\n"


# JAX has functions of these names, with other parameters.
OTHERS = {
    f"jax.interpreters.pxla lower_{what} jax._src.interpreters.pxla"
    for what in ("mesh_computation", "parallel_callable", "sharding_computation")
}


def test_refused_names_are_nowhere_else(run):
    assert set(run(HERE / "refused_program.py").splitlines()) <= OTHERS


def test_what_is_elsewhere_does_what_it_did(run):
    assert run(HERE / "elsewhere_program.py").splitlines() == [
        "add_twice",
        "True True False",
        "True",
        "True",
        "[0. 2. 4.]",
        "True",
        "{'add': 1, 'mul': 1, 'sin': 2}",
        "2",
    ]


@is_newest_here
@pytest.mark.parametrize("year", ["2020", "2021", "2023", "2023_tuples", "2024"])
def test_old_package_by_typed_calls(run, year):
    printed = run(HERE / "newer_program.py", HERE / "packages" / f"of_{year}.py")
    assert printed.endswith(": ok\n")


@is_newest_here
def test_typed_handler(run, platforms_folder):
    library = platforms_folder / "python/typed_targets.so"
    assert run(HERE / "typed_program.py", library) == "typed: ok\n"


@pytest.mark.skipif(VERSION < (0, 4, 30), reason=f"jax {jax.__version__} has no traits")
def test_traits(run):
    printed = run(HERE / "traits_program.py")
    assert printed in ("traits: ok\n", "wrapped\ntraits: ok\n")
    assert printed.startswith("wrapped") or numbers(TODAY) > VERSION


@pytest.mark.skipif(
    VERSION < (0, 6, 0), reason=f"jax {jax.__version__} is not asked for their copies"
)
def test_parameters_without_a_hash(run):
    assert run(HERE / "unhashable_program.py") == "done\n"


@pytest.mark.skipif(
    VERSION < (0, 5, 3), reason=f"jax {jax.__version__} lost few of them, and lacks them all"
)
def test_lost_parameters_and_attributes(run):
    assert run(HERE / "parameters_program.py").endswith(" called\n")


@pytest.mark.skipif(
    VERSION < (0, 6, 0), reason=f"jax {jax.__version__} has xla_client.ops, for its own builder"
)
def test_functions_that_took_lists(run):
    assert run(HERE / "lists_program.py") == "28 take lists\n"


def test_operations(run):
    """By jaxlib's own, where it has them: what they do not take is that of other releases."""
    checked, *refused = re.findall(r"(\d+) (?:checked|refused)", run(HERE / "ops_program.py"))
    assert int(checked) + sum(map(int, refused)) == 137
    assert not refused or 0 < int(*refused) < 12


def test_program_and_module(run, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, beside\n"
        "from jax.config import config\n"
        "print(__name__, sys.argv[1:], beside.value)\n"
    )
    (tmp_path / "beside.py").write_text("value = 7\n")
    resurrect = ("-m", "callbridge.resurrect")
    assert run(*resurrect, program, "-m", "x") == "__main__ ['-m', 'x'] 7\n"
    link = tmp_path / "elsewhere" / "link.py"
    link.parent.mkdir()
    link.symlink_to(program)
    assert run(*resurrect, link) == "__main__ [] 7\n"
    assert run(*resurrect, "-m", "program", "y", cwd=tmp_path) == "__main__ ['y'] 7\n"
    assert run(*resurrect, "--help").startswith("usage: ")


def test_a_program_that_fails(run, tmp_path):
    program = tmp_path / "program.py"
    program.write_text("raise SystemExit(3)\n")
    with pytest.raises(AssertionError, match="exit status 3"):
        run("-m", "callbridge.resurrect", program)
