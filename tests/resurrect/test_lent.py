"""What newer releases of JAX have, an older one is lent, or the table says why not."""

import cmath
import json
import os
import pathlib
import re
import subprocess
import sys
import types

import jax
import pytest
from jax_releases import TODAY, numbers, used_by

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "releases"))

import not_lent  # noqa: E402
from history import GONE, History, parts  # noqa: E402

HISTORY = History.read()
CACHE = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", "/nonexistent"))
TODAYS = HERE.parents[1] / ".venv/bin/python"
IS_OLDER = numbers(jax.__version__) < numbers(TODAY)
# The oldest that `make test` has is lent the most.
(OLDEST, *_) = used_by("test")
LENT_TO = pathlib.Path(sys.executable if IS_OLDER else CACHE / f"venv-jax-{OLDEST}/bin/python")
is_lent = pytest.mark.skipif(
    numbers(jax.__version__) > numbers(TODAY),
    reason=f"jax {jax.__version__} has what is asked for",
)
# test_jax_ffi.py calls what it has in every way, and test_values.py these where they went.
OF_FFI = ("jax.ffi.", "jax.extend.ffi.", "jaxlib.hlo_helpers.")
# test_values.py: today's JAX has them no more.
CALLED_ELSEWHERE = {
    "jax.lax.pvary",
    "jax.sharding.use_mesh",
    "jax.interpreters.ad.Zero.from_primal_value",
}
# Whose functions take parameters of newer releases.
MODULES = ("jax", "jax.tree", "jax.tree_util", "jax.ops")
PACKAGES = ("jax.numpy", "jax.lax", "jax.random", "jax.nn", "jax.scipy")


def test_each_name_is_lent_or_named_with_its_reason(run):
    named = {(module, name) for module, _, names in not_lent.NAMES for name in names.split()}
    lacks = json.loads(run(HERE / "lent_program.py"))
    missing = [
        f"{m}.{name}" for m, names in lacks.items() for name in names if (m, name) not in named
    ]
    assert not missing, "\n".join(missing)


@pytest.mark.skipif(jax.__version__ != TODAY, reason=f"make test asks jax {OLDEST} beside {TODAY}")
def test_each_name_is_so_on_the_oldest_release():
    if not LENT_TO.exists():
        pytest.skip(f"no Python with jax {OLDEST}: {LENT_TO}")
    named = {(module, name) for module, _, names in not_lent.NAMES for name in names.split()}
    program = HERE / "lent_program.py"
    lacks = printed(LENT_TO, program=program, PYTHONPATH=str(HERE.parents[1] / "python"))
    found = {(module, name) for module, names in lacks.items() for name in names}
    assert not found - named, found - named
    unknown = {(m, name) for m, name in named if name not in HISTORY.changes.get(m, {})}
    assert not unknown, unknown


def test_reasons_are_used():
    used = {reason for reason, _ in not_lent.ATTRIBUTES.values()}
    used |= {reason for _, reason, _ in not_lent.NAMES}
    used |= {reason for reason, _ in not_lent.PARAMETERS.values()}
    assert used == set(not_lent.REASONS)


def parameters_that_came():
    """(function, parameter) of functions that stay."""
    for module, names in HISTORY.changes.items():
        if module not in MODULES and not f"{module}.".startswith(tuple(f"{p}." for p in PACKAGES)):
            continue
        for name, changes in names.items():
            if changes[-1][1] == GONE or not changes[-1][1].startswith("function"):
                continue
            known = [p for _, what in changes if what != GONE and (p := parts(what)[0]) is not None]
            for word in set(known[-1] if known else ()) - set(known[0] if known else ()):
                yield f"{module}.{name}", word


def test_each_parameter_is_lent_or_named_with_its_reason():
    import rows

    lent, by_hand = {}, {".".join(path) for path in rows.paths(rows.WRAPPED_OLDER)}
    for (module, function), found in rows.paths(rows.LENT_PARAMETERS).items():
        path = f"{module}.{function}"
        for adapt in (adapt for row in found for adapt in row.adapters):
            if (default := rows.defaults(adapt)) is not None:
                lent.setdefault(path, set()).add(default[0])
            else:
                by_hand.add(path)
    named = {f: words.split() for f, (_, words) in not_lent.PARAMETERS.items()}
    missing = sorted(
        f"{function}({word})"
        for function, word in parameters_that_came()
        if word not in lent.get(function, ()) and word not in named.get(function, ())
        if function not in by_hand
    )
    assert not missing, "\n".join(missing)


def test_parameters_are_taken_at_their_defaults(run):
    count = int(run(HERE / "lent_parameters_program.py").split()[0])
    assert count > 10 or numbers(jax.__version__) > numbers(TODAY)


# ---- Values --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lent():
    """What lent_values_program.py prints where most is lent: here, or on the oldest release."""
    if not LENT_TO.exists():
        pytest.skip(f"no Python with jax {OLDEST}: {LENT_TO}")
    path = os.pathsep.join(map(str, (HERE.parents[1] / "python", HERE)))
    return printed(LENT_TO, "lent", PYTHONPATH=path)


def printed(  # noqa: N803
    python, *arguments, program=HERE / "lent_values_program.py", PYTHONPATH=""
):
    done = subprocess.run(
        [python, program, *arguments],
        env={**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": PYTHONPATH},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def names_of(case):
    """The names that it calls: "jax.numpy.sort" of "jax.numpy.sort(stable)"."""
    return set(re.sub(r"\(.*?\)", "", case).split())


@pytest.mark.skipif(IS_OLDER, reason="the program compares with today's own functions")
def test_what_older_releases_are_lent(run):
    assert run(HERE / "older_program.py").endswith(" checked\n")


# JAX's own by another name, which are not the same object: what calls them in CALLS is compared.
@pytest.mark.skipif(jax.__version__ != TODAY, reason=f"jax {jax.__version__} has not all of them")
def test_names_that_are_jaxs_own_are_those_of_today():
    from callbridge.resurrect._names import _changes
    from callbridge.resurrect._names._row import From
    from lent_arrays import CALLS as OF_ARRAYS
    from lent_transformations import CALLS
    from rows import LENT
    from wrappers import is_ours

    called = {name for case in (*OF_ARRAYS, *CALLS) for name in names_of(case)}
    wrong, compared = [], 0
    origins = [
        (row.module, name, origin, found.names.get(name, name))
        for row in LENT
        for found in row.at_once
        for origin in (found.modules if isinstance(found, From) else ())
        if origin.startswith("jax")
        for name in row.names
    ]
    for module, name, origin, other in origins:
        here = getattr(_changes._find(module), name, None)
        there = getattr(_changes._find(origin), other, None)
        if here is not None and there is not None:
            compared += 1
            # Ours may wrap JAX's own by one of its names.
            is_same = here is there or is_ours(here) or is_ours(there)
            if isinstance(here, types.ModuleType):  # by another path, with what it had there
                shared = [n for n in vars(there) if n[0] != "_" and hasattr(here, n)]
                is_same = shared != [] and all(
                    getattr(here, n) is getattr(there, n) for n in shared
                )
            if not is_same and f"{module}.{name}" not in called:
                wrong.append(f"{module}.{name} from {origin}.{other}")
    assert compared > 200
    # Which takes use_eq_store again by one of its names.
    of_aux = "jax.extend.linear_util.transformation_with_aux"
    wrong = [line for line in wrong if line.partition(" ")[0] != of_aux]
    assert not wrong, "\n".join(wrong)


@is_lent
def test_each_is_called(lent):
    called = {name for case in lent["values"] for name in names_of(case)} | CALLED_ELSEWHERE
    missing = [name for name in lent["ours"] if name not in called]
    assert not [name for name in missing if not name.startswith(OF_FFI)], missing


def close(ours, theirs):
    """Numbers by their digits: XLA computes some of them otherwise in each release."""
    if isinstance(ours, list):
        return (
            isinstance(theirs, list) and len(ours) == len(theirs) and all(map(close, ours, theirs))
        )
    if isinstance(ours, str) and isinstance(theirs, str) and ours != theirs:
        try:
            a, b = complex(ours), complex(theirs)
        except ValueError:
            return False
        both_nan = cmath.isnan(a) and cmath.isnan(b)
        return both_nan or cmath.isclose(a, b, rel_tol=2e-6, abs_tol=2e-9)
    return ours == theirs


def is_failed(value):
    return str(value).startswith("failed, ")


@is_lent
def test_values_are_those_of_today(lent):
    """What is lent is compared with today's JAX; what this JAX has by itself is as it is."""
    if not TODAYS.exists():
        pytest.skip(f"no Python to compare with: {TODAYS}")
    here, today = printed(LENT_TO)["values"], printed(TODAYS)["values"]
    assert not [name for name, value in today.items() if is_failed(value)]

    def is_jaxs(case, value):
        names = names_of(case)
        is_made = names & {*lent["restored"]} or (is_failed(value) and names & {*lent["wrapped"]})
        return value == here[case] and not is_made

    wrong = [
        f"{case}: {value}, today {today[case]}"
        for case, value in lent["values"].items()
        if not close(value, today[case]) and not is_jaxs(case, value)
    ]
    assert not wrong, "\n".join(wrong)
    assert sum(map(is_failed, here.values())) > 3
