"""What is restored does what it did: its values are those of a release of JAX that had it."""

import functools
import os
import pathlib
import re
import subprocess
import sys

import jax
import pytest
from jax_releases import ROWS, TODAY, numbers, used_by

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "releases"))

from history import GONE, History, parts  # noqa: E402

CACHE = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", "/nonexistent"))
# Which `make test` has.
OLD = [release for release in used_by("test") if numbers(release) < numbers(jax.__version__)]
# Those between, and newer ones, which `make matrix` has.
VENVS = [row.release for row in ROWS if row.environment == "venv"]
BETWEEN = [
    release
    for release in VENVS
    if max(map(numbers, OLD), default=()) < numbers(release) < numbers(jax.__version__)
]
NEWER = [release for release in VENVS if numbers(release) > numbers(jax.__version__)]
# Of a release with one before it: a function of JAX's own builder, which newer releases refuse.
WITHOUT_ORACLE = {"jax.interpreters.xla.parameter"} if len(OLD) == 1 else set()
HISTORY = History.read()
# An exception's name, which values_program.py prints of a call that fails.
FAILED = re.compile(r"\w+(Error|Exception|Warning)")


def by_name(printed):
    return dict(line.split(": ", 1) for line in printed.splitlines() if ": " in line)


@functools.cache
def values_of_jax(python):
    # Flags for this XLA may be unknown to that one, which ends the process.
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": "", "XLA_FLAGS": ""}
    done = subprocess.run(
        [python, HERE / "values_program.py"],
        env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return by_name(done.stdout)


@pytest.fixture(scope="module")
def restored(run):
    """What is printed, the names that are not JAX's own here, and those without a test: names, and
    parameters to which each call leaves their defaults."""
    printed = run(HERE / "values_program.py", "restored")
    words = [line.split() for line in printed.splitlines()]
    kinds = ("restored", "untested", "default")
    names = {of: {w[1] for w in words if w[:1] == [of]} for of in kinds}
    return by_name(printed), names["restored"], names["untested"] | names["default"]


def values_of(releases):
    """What each name's values are in these releases, by name; skips where one is not here."""
    pythons = [CACHE / f"venv-jax-{release}/bin/python" for release in releases]
    missing = [str(python) for python in pythons if not python.exists()]
    if missing:
        pytest.skip(f"no Python to compare with: {missing}")
    found = {}
    for python in pythons:
        for name, value in values_of_jax(python).items():
            found.setdefault(name, []).append(value)
    return found


@pytest.fixture(scope="module")
def of_old():
    return values_of(OLD)


def differences(values, names, of_old):
    """Of the values of these names, those that are no old release's."""
    wrong = {
        name: f"{name}: {values[name]}, once {of_old.get(name)}"
        for name in names.intersection(values)
        if values[name] not in ["as expected", *of_old.get(name, [])]
    }
    if wrong:
        # What this JAX has itself, and is wrapped for some calls, does what it does here.
        of_today = values_of_jax(sys.executable)
        wrong = {name: text for name, text in wrong.items() if values[name] != of_today.get(name)}
    return "\n".join(wrong.values())


@pytest.mark.skipif(not OLD, reason=f"jax {jax.__version__} lost nothing that is known")
def test_values_are_those_of_old_releases(restored, of_old):
    values, names, _ = restored
    # All that these releases had is there.
    missing = set(of_old) - set(values)
    if missing:
        # But for what this JAX's objects have, and their classes have not.
        missing -= values_of_jax(sys.executable).keys()
    assert not missing, sorted(missing)
    wrong = differences(values, names & of_old.keys() - WITHOUT_ORACLE, of_old)
    assert not wrong, wrong
    # What nothing stands for here fails in no call either.
    failed = {
        name: value
        for name, value in values.items()
        if name in of_old and value not in of_old[name] and FAILED.fullmatch(value)
    }
    if (0, 4, 38) <= numbers(jax.__version__) < (0, 6, 2):
        failed.pop("jax.core.str_eqn_compact")  # in JAX's own code, which takes no primitive there
    assert not failed, failed


@pytest.mark.skipif(not BETWEEN, reason=f"no release is between jax {jax.__version__} and these")
def test_values_of_what_came_and_went_between_them(restored, of_old):
    values, names, _ = restored
    left = {name for name in names - of_old.keys() - WITHOUT_ORACLE if not came_later(name)}
    wrong = differences(values, left, values_of(BETWEEN))
    assert not wrong, wrong


def came_later(name):
    """Whether it is a name, or an attribute of a class, that newer releases have alone."""
    owner, _, last = name.rpartition(".")
    module, _, kind = owner.rpartition(".")
    first = [
        release for release, what in HISTORY.changes.get(owner, {}).get(last, []) if what != GONE
    ] + [
        release
        for release, what in HISTORY.changes.get(module, {}).get(kind, [])
        if last in (parts(what)[1] or ())
    ]
    return bool(first) and numbers(first[0]) > numbers(jax.__version__)


@pytest.mark.skipif(not NEWER, reason=f"no release between jax {jax.__version__} and today's")
def test_values_of_what_is_lent_and_went(restored):
    """They are those of a newer release; test_lent.py compares the others with today's."""
    values, names, _ = restored
    lent = {name for name in names if came_later(name)}
    if numbers(jax.__version__) >= (0, 6) and not lent & values.keys():
        pytest.skip(f"nothing came after jax {jax.__version__} and went by {TODAY}")
    assert lent & values.keys()
    found = {}
    for release in NEWER:
        for name, of_newer in values_of([release]).items():
            found.setdefault(name, []).extend(of_newer)
        if not (wrong := differences(values, lent, found)):
            break
    assert not wrong, wrong


@pytest.mark.skipif(
    numbers(jax.__version__) < numbers(TODAY),
    reason="newer_program.py and jax_ffi_program.py test what an older JAX is lent",
)
def test_each_wrapper_has_a_value_test(restored):
    _, _, untested = restored
    assert not untested, "\n".join(sorted(untested))


@pytest.mark.skipif(
    jax.__version__ != TODAY, reason=f"the program knows what differs on {TODAY} alone"
)
def test_stand_ins(run):
    assert run(HERE / "stand_ins_program.py").endswith(" checked\n")


def test_what_is_tested_elsewhere_is_there(restored):
    import wrappers

    for name, path in wrappers.ELSEWHERE.items():
        assert name.partition(".")[0] in (HERE / path).read_text(), (name, path)
