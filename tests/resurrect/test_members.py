"""What functions of JAX return has what it has on any release, or the table says why not."""

import ast
import functools
import json
import os
import pathlib
import re
import subprocess
import sys

import jax
import pytest
from jax_releases import ROWS, TODAY, used_by

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "releases"))

import not_lent  # noqa: E402
import not_restored  # noqa: E402
from history import History  # noqa: E402

HISTORY = History.read("members.txt")
VERSION = jax.__version__
CACHE = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", "/nonexistent"))
THOROUGH = os.environ.get("CALLBRIDGE_THOROUGH") == "ON"
# With which values are compared.
OTHERS = [row.release for row in ROWS if row.environment == "venv"]
in_the_matrix = pytest.mark.skipif(
    not THOROUGH,
    reason="asks JAX anew, some releases of it: CALLBRIDGE_THOROUGH=ON, as make matrix",
)
# Of which JAX does now what was not the default, or did before.
NOT_THE_DEFAULT = {"jax_varying_axes_in_types", "jax_safer_randint"}


@in_the_matrix
def test_this_release_is_as_recorded():
    """Fails with a JAX that members.txt has not: scripts/jax_names writes it anew."""
    program = [sys.executable, HERE / "releases/members.py"]
    done = subprocess.run(program, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    walked, recorded = json.loads(done.stdout)["names"], HISTORY.at(VERSION)
    assert VERSION in HISTORY.releases
    wrong = [
        f"{sample}.{name}: {recorded.get(sample, {}).get(name)} recorded, {now} found"
        for sample in walked
        for name in sorted({*recorded.get(sample, {}), *walked[sample]})
        if recorded.get(sample, {}).get(name) != (now := walked[sample].get(name))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.fixture(scope="module")
def lacks(run):
    return json.loads(run(HERE / "members_program.py"))


def reasons():
    found = {}
    for table in (not_restored.ATTRIBUTES, not_lent.ATTRIBUTES):
        for cls, (_, names) in table.items():
            found.setdefault(cls, set()).update(names.split())
    return found


def test_each_member_is_there_or_named_with_its_reason(lacks):
    named = reasons()
    missing = [
        f"{sample}.{name}: {HISTORY.changes[sample][name]}"
        for sample, found in lacks.items()
        for name in found["lacks"]
        if not any(name in named.get(cls, ()) for cls in found["classes"])
    ]
    assert not missing, "\n".join(missing)


def test_tables_are_read_and_written_as_dictionaries(run):
    assert run(HERE / "tables_program.py", "resurrect") == "tables: ok\n"


# Of which the value is made by what this release may lack, or which are no attributes.
MAY_FAIL = re.compile(
    r"(Device|Sharding)\.__call__|\w+\.\w*formats?|(Format|Layout)\.layout|Traced\..*|ufunc\.trace"
    r"|PyTreeDef\..*"
)


@functools.cache
def values_of(python, *arguments, pythonpath=""):
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": pythonpath, "XLA_FLAGS": ""}
    program = [python, HERE / "member_values.py", *arguments]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return by_name(done.stdout)


def by_name(printed):
    return dict(line.split(": ", 1) for line in printed.splitlines() if ": " in line)


@pytest.fixture(scope="module")
def restored(run):
    return by_name(run(HERE / "member_values.py", "restored"))


def test_what_jax_has_says_the_same(restored):
    natively = values_of(sys.executable)
    assert len(natively) > 10
    assert {name: restored[name] for name in natively} == natively


def pythons_of(releases):
    pythons = [CACHE / f"venv-jax-{release}/bin/python" for release in releases]
    if missing := [str(python) for python in pythons if not python.exists()]:
        pytest.skip(f"no Python to compare with: {missing}")
    return pythons


def differences(restored, pythons):
    """What says nothing that a release says, which has it."""
    natively = {}
    for python in pythons:
        for name, value in values_of(python).items():
            natively.setdefault(name, []).append(value)
    return {
        name: (value, natively.get(name))
        for name, value in restored.items()
        if value not in [*natively.get(name, ()), EXPECTED.get(name)]
        # A part of what it is made by is none of this release.
        if not (value.startswith("failed, ") and MAY_FAIL.fullmatch(name))
    }


# As releases say it between those that `make test` has, or as newer ones.
EXPECTED = {
    "AbstractValue.to_cotangent_aval": "['shaped', [4], 'float32']",
    "ArrayImpl.device": "[True, True]",
    "ClosedJaxpr.num_consts": "0",
    "Traced.effects": "0",
    "NamedSharding.with_mesh": "[['NamedSharding', ['i'], 1], ['i', 'j']]",
    "NamedSharding.with_spec": "[['NamedSharding', [], 1], ['NamedSharding', ['i'], 1]]",
}


@in_the_matrix
def test_each_says_what_it_says_where_jax_has_it(restored):
    pythons = [*pythons_of(OTHERS), HERE.parents[1] / ".venv/bin/python", sys.executable]
    wrong = differences(restored, pythons)
    assert not wrong


@pytest.mark.skipif(VERSION != TODAY, reason="`make test` asks older releases beside this one")
@pytest.mark.parametrize("release", used_by("test"))
def test_each_says_so_on_an_older_release(release):
    (python,) = pythons_of([release])
    lent = values_of(python, "restored", pythonpath=str(HERE.parents[1] / "python"))
    wrong = differences(lent, [*pythons_of(used_by("test")), sys.executable])
    assert not wrong
    assert sum(not value.startswith("failed, ") for value in lent.values()) > 70


def test_each_that_is_lent_has_a_value(restored):
    from rows import LENT_ATTRIBUTES

    lent = {
        f"{row.module.rpartition('.')[2]}.{name}" for row in LENT_ATTRIBUTES for name in row.names
    }
    assert lent - restored.keys() == set()


def test_options_are_those_that_went_and_came():
    from callbridge.resurrect._names import _options

    first, went, came = HISTORY.releases[0], {}, {}
    for name, changes in HISTORY.changes["options"].items():
        if changes[-1][1] == "-":
            went[name] = changes[-1][0], changes[-2][1]
        if changes[0][0] != first:
            came[name] = changes[0]
    for rows, derived in ((_options.GONE, went), (_options.CAME, came)):
        table = {
            entry.partition("=")[0]: (release, ast.literal_eval(entry.partition("=")[2]))
            for release, entries in rows
            for entry in entries.split()
        }
        assert table.keys() == derived.keys()
        for name, (release, default) in derived.items():
            assert table[name][0] == release, name
            if name not in NOT_THE_DEFAULT:
                assert f"default {table[name][1]!r}" == default, name
