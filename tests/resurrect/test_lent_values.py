"""What an older JAX is lent does what it does on today's, which has it: by value, for each name."""

import os
import pathlib
import re
import subprocess
import sys

import jax
import pytest
from callbridge.resurrect import _newer_parameters
from jax_releases import TODAY, numbers, used_by

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAM = HERE / "lent_values_program.py"
CACHE = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", "/nonexistent"))
IS_OLDER = numbers(jax.__version__) < numbers(TODAY)
# This one, or the oldest that `make test` has, which is lent the most.
(OLDEST, *_) = used_by("test")
OLDER = pathlib.Path(sys.executable if IS_OLDER else CACHE / f"venv-jax-{OLDEST}" / "bin/python")
# test_jax_ffi.py calls what it has in every way.
OF_FFI = ("jax.ffi.", "jax.extend.ffi.")
# test_lent.py compares what these give, and passes each parameter that is lent.
CALLED = set(re.findall(r"\w+", (HERE / "lent_values.py").read_text())) | {
    name for _, _, functions, _ in _newer_parameters.AT_DEFAULT for name in functions.split()
}
# Today's JAX has them no more: probing_programs.txt and public_values.py call them.
CALLED |= {"pvary", "use_mesh"}
# Today's name of what had another one between that release and today.
TODAYS_NAME = {"jax.interpreters.ad.Zero.from_primal_value": "jax._src.ad_util.p2tz"}

pytestmark = pytest.mark.skipif(
    numbers(jax.__version__) > numbers(TODAY), reason=f"jax {jax.__version__} is not lent these"
)


def lines_of(python, *arguments, **environment):
    done = subprocess.run(
        [python, PROGRAM, *arguments],
        env={**os.environ, "JAX_PLATFORMS": "cpu", **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def last_name(path):
    """Of a class, where its methods that Python calls are wrapped."""
    *_, owner, name = path.split(".")
    return owner if name.startswith("__") else name


@pytest.fixture(scope="module")
def lent():
    """What is lent and not called, and what each of the others does, by name."""
    if not OLDER.exists():
        pytest.skip(f"no Python with jax {OLDEST}: {OLDER}")
    path = os.pathsep.join(map(str, (ROOT / "python", HERE)))
    untested, *lines = lines_of(OLDER, "lent", PYTHONPATH=path)
    return untested.split()[1:], dict(line.split(": ", 1) for line in lines)


def test_each_is_called(lent):
    untested, _ = lent
    unknown = [name for name in untested if not name.startswith(OF_FFI)]
    assert not [name for name in unknown if last_name(name) not in CALLED]


def test_values_are_those_of_today(lent):
    _, values = lent
    lines = lines_of(ROOT / ".venv/bin/python", PYTHONPATH="")
    of_today = dict(line.split(": ", 1) for line in lines)
    if not IS_OLDER:
        assert len(values) == len(of_today) + len(TODAYS_NAME)
    assert values == {name: of_today[TODAYS_NAME.get(name, name)] for name in values}
